/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A tool receives ranges and marks with their attributes, which are drawn, and receives them before
 * a capture that waits has ended. The program is its own tool. */
#include "nvtxh.h"
#include "nvtxh/capture.h"
#include "model_tool.h"

#include <stdlib.h>

NVTXH_CATEGORY(copies, NULL, "copies");

static cudaStream_t stream;

static void begin(void) {
    n_starts = n_ends = n_marks = 0;
}

static void CUDART_CB work(void *unused) {
    (void)unused;
    usleep(20000);
}

/* When a capture that waits has ended, the tool has got the ranges in it. */
static void captured(void) {
    begin();
    {
        NVTXH_CAPTURE_SCOPE("waited for", NVTXH_CAPTURE_WAIT);
        NVTXH_DEVICE_SCOPE(stream, "in it");
        ok(cudaLaunchHostFunc(stream, work, NULL));
    }
    equal(n_ends, 2); /* the capture is a range as well */
}

static nvtxEventAttributes_t told;

static void keep_event(const nvtxEventAttributes_t *event) {
    told = *event;
}

/* The payload of a type that is numbered as NVTX does it, with the lower bits of BITS. */
static struct nvtxh_payload_value payload_of(int type, uint64_t bits) {
    struct nvtxh_payload_value none;

    memset(&none, 0, sizeof(none));
    switch (type) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
        return nvtxh_payload((unsigned long)bits);
    case NVTX_PAYLOAD_TYPE_INT64:
        return nvtxh_payload((long)bits);
    case NVTX_PAYLOAD_TYPE_DOUBLE:
        return nvtxh_payload((double)bits);
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
        return nvtxh_payload((unsigned)bits);
    case NVTX_PAYLOAD_TYPE_INT32:
        return nvtxh_payload((int)bits);
    case NVTX_PAYLOAD_TYPE_FLOAT:
        return nvtxh_payload((float)bits);
    default:
        return none;
    }
}

/* The payload of that type that the tool got as PAYLOAD is of BITS. */
static bool is_payload(int type, uint64_t bits, uint64_t payload) {
    union {
        uint64_t u64;
        uint32_t u32;
        double f64;
        float f32;
    } got = {payload};

    switch (type) {
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
    case NVTX_PAYLOAD_TYPE_INT64:
        return got.u64 == bits;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
        return got.f64 == (double)bits;
    case NVTX_PAYLOAD_TYPE_FLOAT:
        return got.f32 == (float)bits;
    default:
        return type == NVTX_PAYLOAD_UNKNOWN || got.u32 == (uint32_t)bits;
    }
}

/* Ranges and marks with drawn attributes have these attributes. */
static void attributes(void) {
    static const uint32_t colors[] = {0, NVTXH_GREEN, 0x80123456},
                          categories[] = {0, 0x4e343e10 /* of "copies" */, 7};
    const char *given = getenv("NVTXH_TEST_SEED");
    unsigned seed = given ? (unsigned)atol(given) : 1, step;

    printf("seed %u\n", seed);
    fflush(stdout);
    on_event = keep_event;
    for (step = 0; step < 500; step++) {
        unsigned draw = (seed = seed * 1664525u + 1013904223u) >> 8;
        bool range = draw & 2;
        int type = (int)(draw / 4 % 7);
        unsigned color = draw / 28 % 3, category = draw / 84 % 3;
        uint64_t bits = (draw ^ (uint64_t)seed << 32) >> seed % 64;
        struct nvtxh_payload_value payload = payload_of(type, bits);
        struct nvtxh_category *named = category == 1   ? &copies
                                       : category == 2 ? NVTXH_CATEGORY_ID(7)
                                                       : NULL;
        struct nvtxh_device_range handle;

        begin();
        if (range) {
            ok(nvtxh_device_start(stream, &handle, "drawn", .category = named,
                                  .color = colors[color], .payload = payload));
            ok(nvtxh_device_end(stream, handle));
        } else {
            ok(nvtxh_device_mark(stream, "drawn", .category = named, .color = colors[color],
                                 .payload = payload));
        }
        settle();
        equal(n_starts, range);
        equal(n_marks, !range);
        check(told.messageType == NVTX_MESSAGE_TYPE_REGISTERED);
        equal(told.payloadType, type);
        equal(told.colorType, color ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN);
        check(!color || told.color == colors[color]);
        equal(told.category, categories[category]);
        check(is_payload(type, bits, told.payload.ullValue));
    }
    on_event = NULL;
}

int main(void) {
    unsetenv("NVTX_INJECTION64_PATH"); /* the tool is linked in */
    need_device();
    ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    RUN(captured);
    RUN(attributes);
    ok(cudaStreamDestroy(stream));
    return 0;
}
