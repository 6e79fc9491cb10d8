/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Our own annotations. */
#include "nvtxh.h"
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

const struct bench_function rungs_nvtxh[] = {
    BENCH_FUNCTION("nvtxh/scope", rung_nvtxh_scope),
    BENCH_FUNCTION("nvtxh/func", rung_nvtxh_func),
    BENCH_FUNCTION("nvtxh/domain", rung_nvtxh_domain),
    BENCH_FUNCTION("nvtxh/category", rung_nvtxh_category),
    BENCH_FUNCTION("nvtxh/color", rung_nvtxh_color),
    BENCH_FUNCTION("nvtxh/payload", rung_nvtxh_payload),
    BENCH_FUNCTION("nvtxh/attributes", rung_nvtxh_all),
    BENCH_FUNCTION("nvtxh/printf", rung_nvtxh_printf),
    BENCH_FUNCTION("nvtxh/looked-up string", rung_nvtxh_looked_up),
    BENCH_FUNCTION("nvtxh/push, pop", rung_nvtxh_push),
    BENCH_FUNCTION("nvtxh/mark", rung_nvtxh_mark),
    BENCH_FUNCTION("nvtxh/start, end", rung_nvtxh_start),
    {0, 0, 0},
};
