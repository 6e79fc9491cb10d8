/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_NOTHING_RECORDED_H
#define NVTXH_CLI_NOTHING_RECORDED_H
/* Messages that say why a recording is empty. */
#include "record_options.h"
#include "../read/recording.h"

/* If the program used NVTX: reports which option kept its events out. Returns false if no option did. */
bool nothing_recorded(const struct recording *r, const char *path, const struct record_options *o);

/* If no process loaded the recorder: reports why. `ended` says which signal ended the program, or is empty. */
void nothing_loaded(const char *program, const char *path, const char *ended);

#endif /* NVTXH_CLI_NOTHING_RECORDED_H */
