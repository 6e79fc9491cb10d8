/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_COLOR_AUTO_H
#define NVTXH_TEST_COLOR_AUTO_H

void auto_file(void);

#endif
