/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our own annotations. */
#include "nvtxh.h"
#include "statistics.h"
#include "ladder.h"

NVTXH_DOMAIN(bench, "bench");
NVTXH_CATEGORY(kind, &bench, "kind");

LADDER_RUNG(rung_nvtxh_scope, NVTXH_SCOPE("message"), )
LADDER_RUNG(rung_nvtxh_domain, NVTXH_SCOPE("message", .domain = &bench), )
LADDER_RUNG(rung_nvtxh_category, NVTXH_SCOPE("message", .category = NVTXH_CATEGORY_ID(7)), )
LADDER_RUNG(rung_nvtxh_color, NVTXH_SCOPE("message", .color = NVTXH_GREEN), )
LADDER_RUNG(rung_nvtxh_payload, NVTXH_SCOPE("message", .payload = nvtxh_payload(LADDER_NUMBER)), )
LADDER_RUNG(rung_nvtxh_all,
            NVTXH_SCOPE("message", .domain = &bench, .category = &kind, .color = NVTXH_GREEN,
                        .payload = nvtxh_payload(LADDER_NUMBER)), )
LADDER_RUNG(rung_nvtxh_printf, NVTXH_SCOPEF("message %d", LADDER_NUMBER), )
LADDER_RUNG(rung_nvtxh_looked_up,
            NVTXH_SCOPE_STRING(nvtxh_string_named(&bench, "operator::forward::layer.0000007")), )
LADDER_RUNG(rung_nvtxh_func, NVTXH_FUNC(), )
LADDER_RUNG(rung_nvtxh_push, NVTXH_PUSH("message"), NVTXH_POP())
LADDER_RUNG(rung_nvtxh_mark, , NVTXH_MARK("message"))
LADDER_RUNG(rung_nvtxh_start, struct nvtxh_range range = NVTXH_START("message"), nvtxh_end(range))

const struct ladder_rung rungs_nvtxh[] = {
    LADDER_ENTRY("nvtxh/scope", rung_nvtxh_scope),
    LADDER_ENTRY("nvtxh/func", rung_nvtxh_func),
    LADDER_ENTRY("nvtxh/domain", rung_nvtxh_domain),
    LADDER_ENTRY("nvtxh/category", rung_nvtxh_category),
    LADDER_ENTRY("nvtxh/color", rung_nvtxh_color),
    LADDER_ENTRY("nvtxh/payload", rung_nvtxh_payload),
    LADDER_ENTRY("nvtxh/attributes", rung_nvtxh_all),
    LADDER_ENTRY("nvtxh/printf", rung_nvtxh_printf),
    LADDER_ENTRY("nvtxh/looked-up string", rung_nvtxh_looked_up),
    LADDER_ENTRY("nvtxh/push, pop", rung_nvtxh_push),
    LADDER_ENTRY("nvtxh/mark", rung_nvtxh_mark),
    LADDER_ENTRY("nvtxh/start, end", rung_nvtxh_start),
    {NULL, NULL, NULL},
};

int ladder_count(void) {
    return bench_count();
}
