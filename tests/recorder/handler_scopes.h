/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TESTS_RECORDER_HANDLER_SCOPES_H
#define NVTXH_TESTS_RECORDER_HANDLER_SCOPES_H
#ifdef __cplusplus
extern "C" {
#endif

void handler_scopes_begin(void); /* the first annotation of all, which finds the tool */
void handler_scopes(void);       /* 200 scopes in each of two domains, a mark, 100 process ranges */

#ifdef __cplusplus
}
#endif
#endif
