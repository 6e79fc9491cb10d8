/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef BENCH_SCALE_H
#define BENCH_SCALE_H

void scale_work(void);
void sites_run(void);
void site_one(void);

#endif
