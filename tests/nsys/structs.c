/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Structs as payloads and counters, for a tool that may know neither. */
#include "nvtxh.h"
#include "nvtxh/counter.h"

#include <stdio.h>

NVTX_DOMAIN(train, "train");
NVTXH_PAYLOAD_STRUCT(batch, (int, size), (double, loss));
NVTXH_COUNTER(rate, &train, "rate", .unit = "1/s");
NVTXH_COUNTER(pool, &train, "pool");

int main(void) {
    struct batch batch = {32, 0.5};
    double rates[] = {1, 2.5};
    int64_t times[] = {1, 2};
    struct nvtxh_range range;
    int i;

    for (i = 0; i < 2; i++) {
        NVTX_SCOPE("step", .domain = &train, .payload = nvtxh_payload(&batch));
        NVTX_MARK("seen", .color = NVTXH_GREEN, .payload = nvtxh_payload(&batch));
        nvtxh_counter_set(&rate, i + 0.25);
        NVTX_PUSH("inner");
        NVTX_POP(.payload = nvtxh_payload(&batch));
    }
    nvtxh_counter_set(&pool, &batch);
    nvtxh_counter_batch(&rate, rates, 2, times);
    range = NVTX_START("across", .domain = &train, .payload = nvtxh_payload(&batch));
    nvtxh_end(range, .payload = nvtxh_payload(&batch));
    puts("done");
    return 0;
}
