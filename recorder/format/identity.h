/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_IDENTITY_H
#define NVTXH_RECORDER_IDENTITY_H
/* Which of a job's processes this one is, as its launcher says in the environment. */
#include "bodies.h"

#include <stdbool.h>
#include <stdint.h>

/* What is not known is REC_RANK_NONE or "". */
void identity_read(struct rec_identity *ret);

/* Of `source`: "Open MPI", for example. */
const char *identity_launcher(uint32_t source);

/* The rank is SLURM's, and may not be this process's: SLURM gives rank 0 to a batch script, too, in which another
 * launcher may start the ranks. */
bool identity_is_doubtful(const struct rec_identity *identity);

/* "3" or "3/8": rank, or rank and number of ranks. */
bool identity_parse_rank(const char *text, uint32_t *ret_rank, uint32_t *ret_world);

#endif /* NVTXH_RECORDER_IDENTITY_H */
