/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "note.h"
#include "../../nvtxh/core/say.h"
#include "../format/environment.h"

#include <stdlib.h>

static struct nvtxh_i_stderr was;

/* Looks at stderr when this library is loaded: at the first NVTX call, or with the program if it is linked in. */
__attribute__((constructor)) static void begin(void)
{
    if (!was.known) {
        nvtxh_i_stderr_look(&was, secure_getenv(REC_ENV_SILENT) != NULL);
    }
}

const char *note_reason(int error)
{
    const char *text;

#if defined(__GLIBC__)
#if __GLIBC_PREREQ(2, 32)
    text = strerrordesc_np(error);
#else
    text = strerror(error);
#endif
#else
    text = strerror(error);
#endif
    return text ? text : "unknown error";
}

void note(const char *line)
{
    begin(); /* another constructor may have made NVTX calls before */
    nvtxh_i_stderr_say(&was, line, strlen(line), 0);
}
