/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_LINK_H
#define NVTXH_TEST_LINK_H

/* A header with annotated functions, which every part of the program includes. */

#include "nvtxh.h"

#define PASTE_(a, b) a##_##b
#define PASTE(a, b) PASTE_(a, b)
#define PART_NAME(name) PASTE(name, PART)

#ifdef __cplusplus
extern "C" {
#endif
int PART_NAME(part)(int n);
const void *PART_NAME(state_of)(void);
const void *PART_NAME(domain_of)(void);
#ifdef __cplusplus
}
#endif

static inline int from_header(int n) {
    NVTX_SCOPE("static inline", .payload = nvtxh_payload(n));
    NVTX_MARK("in a header");
    return n * 2;
}

#ifdef __cplusplus
/* One function for all files that use it. */
inline int inline_everywhere(int n) {
    NVTX_SCOPE("inline");
    NVTX_SCOPEF("inline %d", n);
    return n;
}
template <class T>
T template_everywhere(T n) {
    NVTX_FUNC(.payload = nvtxh_payload(n));
    return n + static_cast<T>(inline_everywhere(1));
}
namespace {
int unnamed() {
    NVTX_MARK("unnamed");
    return template_everywhere(1) + static_cast<int>(template_everywhere(1.0));
}
const int at_start = unnamed();
} // namespace
#endif

#endif
