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

#ifdef __cplusplus
static const bool api_counted = nvtxh_stats_enabled();
static void (*const api_count)(bool) = nvtxh_stats_enable;
static bool (*const api_read)(struct nvtxh_stats *, size_t, size_t *) = &nvtxh_stats_read;
static bool (*const api_start)(const char *, unsigned) = &nvtxh_capture_start;
int api_stats_places();
int api_stats_places() {
    struct nvtxh_stats row = ::nvtxh_stats_find("one");
    size_t n = api_counted;

    ::nvtxh_stats_enable(false);
    api_count(n != 0);
    ::nvtxh_stats_reset();
    n += ::nvtxh_stats_read(&row, 1, &n) + api_read(&row, 1, &n) + api_start("one", 0);
    if (row.count)
        ::nvtxh_stats_print(nullptr, NVTXH_STATS_CSV);
    return ::nvtxh_stats_enabled() + (n > row.count);
}
#endif

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
    sum += api::places::call(11) + api_stats_places();
#endif
    return sum == 42;
}

#ifdef __cplusplus
}
#endif
