/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_PROGRESS_H
#define NVTXH_CLI_PROGRESS_H
/* A bar on stderr for what takes longer than a second, if that is a terminal. */
#include <stdint.h>

/* Shows how far a job is. After the job: progress_done. */
void progress(const char *what, uint64_t done, uint64_t all);
void progress_done(void);

#endif /* NVTXH_CLI_PROGRESS_H */
