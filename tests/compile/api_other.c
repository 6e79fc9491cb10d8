/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The second file that includes api.h. C and C++. */
#include "api.h"

#ifdef __cplusplus
extern "C" {
#endif

int api_other(int n);

int api_other(int n) {
    int sum = api_static_inline(n) + (int)api_values(2) + api_inline(n) + api_inline_too(n);

#ifdef __cplusplus
    sum += api_template(n) + api::lambdas(n) + api::thing(n).verbs(n);
#endif
    return sum;
}

#ifdef __cplusplus
}
#endif
