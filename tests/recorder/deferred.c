/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Events that are submitted after they happened, with timestamps of the program's own clocks. All
 * happen between two marks, "before" and "after"; their messages are their durations in us. What
 * relates the clocks comes last; with the argument "forks" it comes first, and a child submits the
 * events. */
#include "program.h"

#include <nvtx3/nvToolsExtPayload.h>
#include <nvtx3/nvToolsExtSemanticsCounters.h>
#include <nvtx3/nvToolsExtSemanticsTime.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MONOTONIC 14 /* NVTX_TIMESTAMP_TYPE_CPU_CLOCK_GETTIME_MONOTONIC, and the next _REALTIME */
#define REALTIME 12

struct event {
    int64_t begin, end;
    uint32_t color, category;
    char message[32];
    int32_t value;
};

/* Runs 3 % slow and began some time ago. */
static int64_t slow(int64_t ns) {
    return 77000 + ns / 100 * 97;
}

static int64_t slow_now(void) {
    return slow(now_ns());
}

static long long realtime_ns(void) {
    struct timespec t;

    clock_gettime(CLOCK_REALTIME, &t);
    return (long long)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* A schema whose timestamps are of a time domain; 0: it does not say which. */
static uint64_t schema_of(nvtxDomainHandle_t domain, uint64_t time, uint64_t flags) {
    nvtxSemanticsTime_t semantics;
    nvtxSemanticsCounter_t unit; /* before the time domain in the list */
    nvtxPayloadSchemaEntry_t e[6];
    nvtxPayloadSchemaAttr_t s;
    bool mark = flags == NVTX_PAYLOAD_SCHEMA_FLAG_MARK;

    memset(&semantics, 0, sizeof(semantics));
    semantics.header.structSize = sizeof(semantics);
    semantics.header.semanticId = NVTX_SEMANTIC_ID_TIME_V1;
    semantics.header.version = NVTX_TIME_SEMANTIC_VERSION;
    semantics.timeDomainId = time;
    memset(&unit, 0, sizeof(unit));
    unit.header.structSize = sizeof(unit);
    unit.header.semanticId = NVTX_SEMANTIC_ID_COUNTERS_V1;
    unit.header.version = NVTX_COUNTER_SEMANTIC_VERSION;
    unit.header.next = &semantics.header;
    unit.unitScaleNumerator = unit.unitScaleDenominator = 1;
    unit.unit = "ns";
    memset(e, 0, sizeof(e));
    for (int i = 0; i < 2; i++) {
        e[i].type = NVTX_PAYLOAD_ENTRY_TYPE_INT64;
        e[i].flags = NVTX_PAYLOAD_ENTRY_FLAG_TIMESTAMP | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
        e[i].semantics = time ? &unit.header : NULL;
        e[i].offset = (uint64_t)i * 8;
    }
    e[0].flags |= mark ? NVTX_PAYLOAD_ENTRY_FLAG_MARK : NVTX_PAYLOAD_ENTRY_FLAG_RANGE_BEGIN;
    e[1].flags =
        mark ? NVTX_PAYLOAD_ENTRY_FLAG_HIDE : e[1].flags | NVTX_PAYLOAD_ENTRY_FLAG_RANGE_END;
    e[2].type = NVTX_PAYLOAD_ENTRY_TYPE_COLOR_ARGB;
    e[2].flags = NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[3].type = NVTX_PAYLOAD_ENTRY_TYPE_CATEGORY;
    e[3].flags = NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[4].type = NVTX_PAYLOAD_ENTRY_TYPE_CSTRING;
    e[4].arrayOrUnionDetail = sizeof(((struct event *)0)->message);
    e[4].flags = NVTX_PAYLOAD_ENTRY_FLAG_EVENT_MESSAGE | NVTX_PAYLOAD_ENTRY_FLAG_HIDE;
    e[5].type = NVTX_PAYLOAD_ENTRY_TYPE_INT32;
    e[5].name = "value";
    memset(&s, 0, sizeof(s));
    s.fieldMask = NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NAME | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_TYPE |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_FLAGS | NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_NUM_ENTRIES |
                  NVTX_PAYLOAD_SCHEMA_ATTR_FIELD_STATIC_SIZE;
    s.name = "event";
    s.type = NVTX_PAYLOAD_SCHEMA_TYPE_STATIC;
    s.flags = flags;
    s.entries = e;
    s.numEntries = 6;
    s.payloadStaticSize = sizeof(struct event);
    return nvtxPayloadSchemaRegister(domain, &s);
}

static uint64_t clock_of(nvtxDomainHandle_t domain, uint64_t number, uint64_t scope) {
    nvtxTimeDomainAttr_t t;

    memset(&t, 0, sizeof(t));
    t.timeDomainId = number;
    t.scopeId = scope;
    number = nvtxTimeDomainRegister(domain, &t);
    MUST(number);
    return number;
}

static struct event event_of(int64_t begin, int64_t end, const char *message) {
    struct event e;

    memset(&e, 0, sizeof(e));
    e.begin = begin;
    e.end = end;
    e.color = 0xff00ff00;
    e.category = 3;
    e.value = 42;
    snprintf(e.message, sizeof(e.message), "%s", message);
    return e;
}

static void submit(nvtxDomainHandle_t domain, uint64_t schema, int64_t begin, int64_t end,
                   const char *message) {
    struct event e = event_of(begin, end, message);
    nvtxPayloadData_t data = {schema, sizeof(e), &e};

    nvtxEventSubmit(domain, &data, 1);
}

struct clocks {
    uint64_t pairs, table, chained, asked, unknown, rated, rated_real;
};

static void relate(nvtxDomainHandle_t domain, const struct clocks *c, long long at,
                   long long real) {
    long long t = at + 10000000;
    nvtxSyncPoint_t points[] = {{slow(t - 90000000), t - 90000000}, {slow(t), t}};

    nvtxTimeSyncPoint(domain, MONOTONIC, c->pairs, t, slow(t));
    nvtxTimeSyncPointTable(domain, c->table, MONOTONIC, points, 2);
    nvtxTimeSyncPoint(domain, MONOTONIC, c->unknown, t, 1000000); /* one point gives no rate */
    nvtxTimestampConversionFactor(domain, c->table, c->chained, 2, 5, 1000);
    nvtxTimestampConversionFactor(domain, MONOTONIC, c->rated, 2, at, 1000);
    nvtxTimestampConversionFactor(domain, REALTIME, c->rated_real, 2, real, 1000);
}

int main(int argc, char **argv) {
    bool forks = argc > 1 && !strcmp(argv[1], "forks");
    const uint64_t range = NVTX_PAYLOAD_SCHEMA_FLAG_RANGE_STARTEND;
    nvtxDomainHandle_t domain = nvtxDomainCreateA("deferred"), other = nvtxDomainCreateA("other");
    nvtxScopeAttr_t scope_attributes = {sizeof(scope_attributes), "device", NVTX_SCOPE_ROOT, 0};
    uint64_t scope = nvtxScopeRegister(domain, &scope_attributes);
    struct clocks clocks = {
        .pairs = clock_of(domain, 0, scope),
        .table = clock_of(domain, 0, 0),
        .chained = clock_of(domain, NVTX_TIME_DOMAIN_ID_STATIC_START + 1, 0),
        .asked = clock_of(domain, 0, 0),
        .unknown = clock_of(domain, 0, 0),
        .rated = clock_of(domain, 0, 0),
        .rated_real = clock_of(domain, 0, 0),
    };
    uint64_t each[] = {clocks.pairs, clocks.table, clocks.chained, clocks.asked,     clocks.unknown,
                       REALTIME,     MONOTONIC,    clocks.rated,   clocks.rated_real};
    const char *names[] = {"pairs 300",     "table 300",   "chained 300",
                           "asked",         "unknown 300", "realtime 300",
                           "monotonic 300", "rated 300",   "rated-realtime 300"};

    long long first = now_ns() / 100 * 100;

    nvtxTimeSyncPoint(domain, clocks.pairs, MONOTONIC, slow(first), first);
    nvtxTimerSource(domain, clocks.asked, NVTX_TIMER_SOURCE_SAFE_CALL_AFTER_PROCESS_TEARDOWN,
                    slow_now);
    nvtxEventAttributes_t a = with_text("before");
    nvtxDomainMarkEx(domain, &a);
    int64_t own = nvtxTimestampGet();
    usleep(1000);
    long long t = now_ns() / 100 * 100, real = realtime_ns();
    usleep(1000);
    int64_t own_end = nvtxTimestampGet();
    int64_t asked_end = slow_now();
    a = with_text("after");
    nvtxDomainMarkEx(domain, &a);
    if (forks) {
        relate(domain, &clocks, t, real);
        pid_t child = fork();
        if (child) {
            return waitpid(child, NULL, 0) != child;
        }
    }
    for (int i = 0; i < 9; i++) {
        int64_t begin = i == 6 ? t : i == 5 ? real : slow(t);
        int64_t end = i == 3 ? asked_end : i >= 5 ? begin + 300000 : slow(t + 300000);
        uint64_t schema = schema_of(domain, each[i], range);
        if (i == 2) { /* twice as fast as the clock of the table */
            begin = 2 * (begin - 5) + 1000;
            end = 2 * (end - 5) + 1000;
        } else if (i >= 7) { /* twice as fast as MONOTONIC and as REALTIME */
            begin = 1000;
            end = 1000 + 2 * 300000;
        }
        submit(domain, schema, begin, end, names[i]);
    }
    submit(domain, schema_of(domain, clocks.pairs, NVTX_PAYLOAD_SCHEMA_FLAG_MARK), slow(t + 100000),
           0, "instant");
    submit(other, schema_of(other, 0, range), own, own_end, "tool");
    struct event two[] = {event_of(slow(t + 100000), slow(t + 250000), "batch 150"),
                          event_of(slow(t + 300000), slow(t + 550000), "batch 250")};
    nvtxEventBatch_t batch;
    memset(&batch, 0, sizeof(batch));
    batch.eventSchemaId = schema_of(domain, 0, range);
    batch.events = two;
    batch.size = sizeof(two);
    batch.scope = scope;
    nvtxEventBatchSubmit(domain, &batch);
    if (!forks) { /* what relates the clocks may come last */
        relate(domain, &clocks, t, real);
    }
    return 0;
}
