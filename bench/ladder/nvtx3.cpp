/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The same ranges with NVTX's C++ API. */
#include "ladder.h"

#include <nvtx3/nvtx3.hpp>

namespace {

struct bench {
    static constexpr char const *name{"bench"};
};
struct words {
    static constexpr char const *message{"message"};
};
struct kind {
    static constexpr char const *name{"kind"};
    static constexpr uint32_t id{7};
};

using namespace nvtx3;

#define REGISTERED registered_string_in<bench>::get<words>()

} // namespace

LADDER_RUNG(rung_nvtx3_scoped, scoped_range range{"message"}, )
LADDER_RUNG(rung_nvtx3_in, scoped_range_in<bench> range{"message"}, )
LADDER_RUNG(rung_nvtx3_registered, scoped_range_in<bench> range{REGISTERED}, )
LADDER_RUNG(rung_nvtx3_func, NVTX3_FUNC_RANGE(), )
LADDER_RUNG(rung_nvtx3_func_in, NVTX3_FUNC_RANGE_IN(bench), )
LADDER_RUNG(rung_nvtx3_attributes,
            event_attributes const event("message", category{7}, rgb(0, 128, 0),
                                         payload{LADDER_NUMBER});
            scoped_range range{event}, )
LADDER_RUNG(rung_nvtx3_all,
            event_attributes const event(REGISTERED, named_category_in<bench>::get<kind>(),
                                         rgb(0, 128, 0), payload{LADDER_NUMBER});
            scoped_range_in<bench> range{event}, )

const struct bench_function rungs_nvtx3[] = {
    BENCH_FUNCTION("nvtx3/scoped_range", rung_nvtx3_scoped),
    BENCH_FUNCTION("nvtx3/scoped_range_in", rung_nvtx3_in),
    BENCH_FUNCTION("nvtx3/scoped_range_in, registered", rung_nvtx3_registered),
    BENCH_FUNCTION("nvtx3/FUNC_RANGE", rung_nvtx3_func),
    BENCH_FUNCTION("nvtx3/FUNC_RANGE_IN", rung_nvtx3_func_in),
    BENCH_FUNCTION("nvtx3/attributes", rung_nvtx3_attributes),
    BENCH_FUNCTION("nvtx3/attributes, registered, domain", rung_nvtx3_all),
    {nullptr, nullptr, nullptr},
};
