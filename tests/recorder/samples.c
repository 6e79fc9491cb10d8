/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* samples COUNT [texts | infinite]: COUNT samples of a counter, or marks whose payload is a text of 0 to 22 bytes;
 * infinite: and one more, of another counter. */
#include "program.h"

#include <math.h>
#include <string.h>

#include <nvtx3/nvToolsExtCounters.h>
#include <nvtx3/nvToolsExtPayload.h>

static int64_t given(void *data)
{
    MUST(*(int *)data == 4711);
    return 1;
}

int main(int argc, char **argv)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("samples");
    nvtxCounterAttr_t attributes = {.structSize = sizeof(attributes),
                                    .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                    .name = "queue",
                                    .scopeId = NVTX_SCOPE_CURRENT_HW_CPU_PHYSICAL};
    uint64_t counter = nvtxCounterRegister(domain, &attributes);

    MUST(argc >= 2);
    int mine = 4711;
    nvtxTimeDomainAttr_t clock = {.timerResolution = 1000000};
    nvtxTimerSourceWithData(domain, nvtxTimeDomainRegister(domain, &clock), 0, given, &mine);
    int infinite = argc > 2 && !strcmp(argv[2], "infinite");
    if (infinite) {
        attributes.schemaId = NVTX_PAYLOAD_ENTRY_TYPE_DOUBLE;
        attributes.name = "infinite";
        nvtxCounterSampleFloat64(domain, nvtxCounterRegister(domain, &attributes), INFINITY);
    }
    for (int i = 0; i < atoi(argv[1]); i++) {
        nvtxPayloadData_t text = {NVTX_PAYLOAD_ENTRY_TYPE_CSTRING, (size_t)(i + i / 23) % 23, "0123456789abcdefghijkl"};
        if (argc > 2 && !infinite) {
            nvtxMarkPayload(domain, &text, 1);
        } else {
            nvtxCounterSampleInt64(domain, counter, i);
        }
    }
    return 0;
}
