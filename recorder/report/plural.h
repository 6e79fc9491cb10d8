/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_PLURAL_H
#define NVTXH_REPORT_PLURAL_H
/* Which of two forms goes with a number. */
#define PLURAL(number, one, more) ((number) == 1 ? (one) : (more))

#endif /* NVTXH_REPORT_PLURAL_H */
