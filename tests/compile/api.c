/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The first file that includes api.h, and the one with the definitions. C and C++. */
#include "api.h"
#include "nvtxh/stats.h"

int api_stats(void) {
    struct nvtxh_stats rows[2];
    enum nvtxh_stats_kind kind = NVTXH_STATS_SCOPE;
    enum nvtxh_stats_format format = NVTXH_STATS_CSV;
    size_t n;

    nvtxh_stats_enable(true);
    if (!nvtxh_stats_read(rows, 2, &n) || (n && rows[0].kind == kind))
        nvtxh_stats_reset();
    if (nvtxh_stats_find("no such message").count)
        (void)nvtxh_stats_print(NULL, format);
    nvtxh_stats_enable(false);
    return nvtxh_stats_enabled();
}

NVTXH_DOMAIN(api_domain, "api");
NVTXH_CATEGORY(api_category, &api_domain, "api category");
NVTXH_COUNTER(api_counter, &api_domain, "api counter", .unit = "mm", .max = 3);
NVTX_DOMAIN(api_short_domain, "api short");
NVTX_CATEGORY(api_short_category, &api_short_domain, "api short category");

#ifdef __cplusplus
extern "C" {
#endif

#ifndef __cplusplus
extern inline int api_inline(int n);
extern inline int api_inline_too(int n);
#endif

int api_function(int n) {
    API_VERBS(n);
}
int api_other(int n);
int main(void);

int main(void) {
    int sum = api_function(1) + api_static_inline(2) + (int)api_values(1) + api_inline(3) +
              api_inline_too(4);

    sum += api_other(5);
#ifdef __cplusplus
    sum += api_template(6) + static_cast<int>(api_template(7L)) + api::lambdas(8);
    sum += api::thing(9).member() + api::thing(10).verbs(2) + api::thing::of_class(3);
    sum += static_cast<int>(api::thing(9).member_template(1.5));
#endif
    return sum == 42;
}

#ifdef __cplusplus
}
#endif
