/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges whose beginning and end are submitted alone, as deferred events, in no order and by two
 * threads. A message says what the range must be: its beginning and end, in microseconds after a
 * moment that follows the mark "before". */
#include "program.h"

#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MONOTONIC 14 /* NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC */

struct half {
    int64_t at;
    uint64_t range, scope;
    uint32_t color;
    int32_t value;
    char message[32];
};

enum { PUSH, POP, START, END, KINDS };

static const uint64_t flags[KINDS] = {
    NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_PUSH, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_POP,
    NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_START, NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_END};
static nvtxDomainHandle_t domain;
static uint64_t schemas[KINDS], scope;
static int64_t zero;

static uint64_t schema_of(int kind) {
    nvtxSemanticsTime_t semantics;
    nvtxPayloadSchemaEntry_t e[6];
    nvtxPayloadSchemaAttr_t s;

    memset(&semantics, 0, sizeof(semantics));
    semantics.header.structSize = sizeof(semantics);
    semantics.header.semanticId = NVTX_SEMANTIC_ID_TIME_V1;
    semantics.header.version = NVTX_TIME_SEMANTIC_VERSION;
    semantics.timeDomainId = MONOTONIC;
    memset(e, 0, sizeof(e));
    e[0].type = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
    e[0].flags = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[0].flags |= kind == PUSH || kind == START ? NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN
                                                : NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END;
    e[0].semantics = &semantics.header;
    e[1].type = NVTX_PAYLOAD_ENTRY_TYPE_RANGE_ID;
    e[1].offset = offsetof(struct half, range);
    e[2].type = NVTX_PAYLOAD_ENTRY_TYPE_SCOPE_ID;
    e[2].offset = offsetof(struct half, scope);
    e[3].type = NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB;
    e[3].offset = offsetof(struct half, color);
    e[1].flags = e[2].flags = e[3].flags = NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[4].type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
    e[4].name = "value";
    e[4].offset = offsetof(struct half, value);
    e[5].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    e[5].arrayOrUnionDetail = sizeof(((struct half *)0)->message);
    e[5].flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[5].offset = offsetof(struct half, message);
    memset(&s, 0, sizeof(s));
    s.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    s.name = "half";
    s.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    s.flags = flags[kind];
    s.entries = e;
    s.numEntries = 6;
    s.payloadStaticSize = sizeof(struct half);
    return nvtxPayloadSchemaRegister(domain, &s);
}

static struct half half_at(int us, uint64_t range, uint64_t in_scope, const char *message) {
    struct half h;

    memset(&h, 0, sizeof(h));
    h.at = zero + us * 1000;
    h.range = range;
    h.scope = in_scope;
    h.value = us;
    snprintf(h.message, sizeof(h.message), "%s", message);
    return h;
}

static void submit(int kind, struct half h) {
    nvtxPayloadData_t data = {schemas[kind], sizeof(h), &h};

    nvtxEventSubmit(domain, &data, 1);
}

static void submit_batch(int kind, const struct half *halves, size_t size, uint64_t in_scope) {
    nvtxEventBatch_t batch;

    memset(&batch, 0, sizeof(batch));
    batch.eventSchemaId = schemas[kind];
    batch.events = halves;
    batch.size = size;
    batch.scope = in_scope;
    nvtxEventBatchSubmit(domain, &batch);
}

/* Another thread submits halves, too: the scope and the ids belong to no thread. */
static void *other_thread(void *unused) {
    struct half end = half_at(450, 8, 0, "ended 150 to 450");

    end.color = 0xff00ff00;
    submit(POP, half_at(400, 0, scope, ""));
    submit(PUSH, half_at(200, 0, scope, "inner 200 to 300"));
    submit(END, half_at(500, 7, 0, ""));
    submit(END, end);
    submit(PUSH, half_at(160, 0, 0, "its own 160 to 360"));
    submit(POP, half_at(360, 0, 0, ""));
    return unused;
}

int main(void) {
    nvtxScopeAttr_t attributes = {sizeof(attributes), "lane", NVTX_SCOPE_ROOT, 0};
    nvtxScopeAttr_t second = {sizeof(second), "second lane", NVTX_SCOPE_ROOT, 0};
    nvtxEventAttributes_t a = with_text("before");
    pthread_t thread;

    domain = nvtxDomainCreateA("halves");
    scope = nvtxScopeRegister(domain, &attributes);
    for (int i = 0; i < KINDS; i++)
        schemas[i] = schema_of(i);
    nvtxDomainMarkEx(domain, &a);
    zero = now_ns();
    usleep(2000);
    submit(PUSH, half_at(150, 0, 0, "thread 150 to 350"));
    MUST(!pthread_create(&thread, NULL, other_thread, NULL));
    MUST(!pthread_join(thread, NULL));
    submit(POP, half_at(350, 0, 0, ""));
    submit(POP, half_at(300, 0, scope, ""));
    submit(PUSH, half_at(100, 0, scope, "outer 100 to 400"));
    submit(START, half_at(600, 7, 0, "again 600 to 700"));
    submit(END, half_at(700, 7, 0, ""));
    submit(START, half_at(100, 7, 0, "first 100 to 500"));
    submit(START, half_at(150, 8, scope, "begun"));
    submit(START, half_at(100, 9, 0, "open"));
    submit(POP, half_at(100, 0, 0, "")); /* without a beginning, like the next */
    submit(END, half_at(100, 10, 0, ""));
    struct half pushes[] = {half_at(120, 0, 0, "batch 120 to 420"),
                            half_at(220, 0, 0, "batch 220 to 320")};
    struct half pops[] = {half_at(320, 0, 0, ""), half_at(420, 0, 0, "")};
    scope = nvtxScopeRegister(domain, &second);
    submit_batch(POP, pops, sizeof(pops), scope);
    submit_batch(PUSH, pushes, sizeof(pushes), scope);
    return 0;
}
