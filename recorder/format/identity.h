/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_IDENTITY_H
#define NVTXH_RECORDER_IDENTITY_H
/* The rank and the job of this process, as its launcher says in the environment. */
#include "bodies.h"

#include <stdbool.h>
#include <stdint.h>

/* Reads the environment. Numbers that are not known are REC_RANK_NONE, an unknown job is "". */
void identity_read(struct rec_identity *ret);

/* The identity of a process with our environment except for NVTXH_RECORD_RANK and NVTXH_RECORD_JOB (NULL: unset). */
void identity_of(const char *rank, const char *job, struct rec_identity *ret);

/* The name of the launcher `source`, such as "Open MPI". */
const char *identity_launcher(uint32_t source);

/* Whether the rank is SLURM's and may be wrong: SLURM gives rank 0 to a batch script, too, and in the script another
 * launcher may start the ranks. */
bool identity_is_doubtful(const struct rec_identity *identity);

/* Parses "3" or "3/8": a rank, or a rank and the number of ranks. */
bool identity_parse_rank(const char *text, uint32_t *ret_rank, uint32_t *ret_world);

#endif /* NVTXH_RECORDER_IDENTITY_H */
