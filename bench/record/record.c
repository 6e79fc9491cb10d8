/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A push and a pop by NVTX's C API, and two reads of the clock, for record.py. */
#include "bench.h"

#include <nvtx3/nvToolsExt.h>

static nvtxDomainHandle_t domain;
static nvtxStringHandle_t message;
static volatile uint64_t begun, ended;

static void clocks(void) {
    begun = bench_clock();
    ended = bench_clock();
}

static void attributes(void) {
    nvtxEventAttributes_t a = {0};

    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.category = 7;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xff336699;
    a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    a.payload.llValue = 42;
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = message;
    nvtxDomainRangePushEx(domain, &a);
    nvtxDomainRangePop(domain);
}

static void text(void) {
    nvtxRangePushA("a message of ordinary length");
    nvtxRangePop();
}

int main(int argc, char **argv) {
    static const struct bench_function functions[] = {
        BENCH_FUNCTION("clocks", clocks),
        BENCH_FUNCTION("attributes", attributes),
        BENCH_FUNCTION("text", text),
        {0, 0, 0},
    };
    static const struct bench_function *const lists[] = {functions, 0};

    domain = nvtxDomainCreateA("bench");
    message = nvtxDomainRegisterStringA(domain, "registered");
    return bench_main(argc, argv, lists);
}
