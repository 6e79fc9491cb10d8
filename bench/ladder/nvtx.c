/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same ranges by hand, with NVTX's C API. */
#include "ladder.h"

#include <nvtx3/nvToolsExt.h>

#include <stdio.h>

/* Made in advance, as a careful program does. */
static nvtxDomainHandle_t domain;
static nvtxStringHandle_t in_domain, in_default;

static __attribute__((constructor)) void make(void) {
    domain = nvtxDomainCreateA("bench");
    in_domain = nvtxDomainRegisterStringA(domain, "message");
    in_default = nvtxDomainRegisterStringA(NULL, "message");
    if (domain)
        nvtxDomainNameCategoryA(domain, 7, "kind");
}

#define EVENT                                                                                      \
    nvtxEventAttributes_t event = {0};                                                             \
    event.version = NVTX_VERSION;                                                                  \
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE
#define REGISTERED(string)                                                                         \
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;                                              \
    event.message.registered = string
#define ASCII(text)                                                                                \
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;                                                   \
    event.message.ascii = text
#define ATTRIBUTES                                                                                 \
    event.category = 7;                                                                            \
    event.colorType = NVTX_COLOR_ARGB;                                                             \
    event.color = 0xff008000;                                                                      \
    event.payloadType = NVTX_PAYLOAD_TYPE_INT32;                                                   \
    event.payload.iValue = LADDER_NUMBER

static void push_formatted(void) {
    char text[64];
    snprintf(text, sizeof(text), "message %d", LADDER_NUMBER);
    nvtxRangePushA(text);
}

LADDER_RUNG(rung_nvtx_push_a, nvtxRangePushA("message"), nvtxRangePop())
LADDER_RUNG(rung_nvtx_registered, EVENT; REGISTERED(in_default);
            nvtxRangePushEx(&event), nvtxRangePop())
LADDER_RUNG(rung_nvtx_domain, EVENT; REGISTERED(in_domain);
            nvtxDomainRangePushEx(domain, &event), nvtxDomainRangePop(domain))
LADDER_RUNG(rung_nvtx_attributes, EVENT; ASCII("message"); ATTRIBUTES;
            nvtxRangePushEx(&event), nvtxRangePop())
LADDER_RUNG(rung_nvtx_all, EVENT; REGISTERED(in_domain); ATTRIBUTES;
            nvtxDomainRangePushEx(domain, &event), nvtxDomainRangePop(domain))
LADDER_RUNG(rung_nvtx_mark, , EVENT; REGISTERED(in_default); nvtxMarkEx(&event))
LADDER_RUNG(rung_nvtx_start, EVENT; REGISTERED(in_default);
            nvtxRangeId_t const id = nvtxRangeStartEx(&event), nvtxRangeEnd(id))
LADDER_RUNG(rung_nvtx_printf, push_formatted(), nvtxRangePop())

const struct bench_function rungs_nvtx[] = {
    BENCH_FUNCTION("nvtx/PushA", rung_nvtx_push_a),
    BENCH_FUNCTION("nvtx/PushEx, registered", rung_nvtx_registered),
    BENCH_FUNCTION("nvtx/PushEx, registered, domain", rung_nvtx_domain),
    BENCH_FUNCTION("nvtx/PushEx, attributes", rung_nvtx_attributes),
    BENCH_FUNCTION("nvtx/PushEx, attributes, registered, domain", rung_nvtx_all),
    BENCH_FUNCTION("nvtx/MarkEx, registered", rung_nvtx_mark),
    BENCH_FUNCTION("nvtx/StartEx, End, registered", rung_nvtx_start),
    BENCH_FUNCTION("nvtx/snprintf and PushA", rung_nvtx_printf),
    {0, 0, 0},
};
