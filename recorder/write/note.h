/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_NOTE_H
#define NVTXH_WRITE_NOTE_H
/* Messages on the recorded program's stderr. A message that could harm the program is dropped: see core/say.h of the
 * library. So what a user has to know is also in the recording. */

void note(const char *line); /* with its newline */

/* What an errno means. Not strerror, which may call malloc to translate: the caller may be a signal handler. */
const char *note_reason(int error);

#endif /* NVTXH_WRITE_NOTE_H */
