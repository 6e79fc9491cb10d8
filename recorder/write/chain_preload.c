/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * Nsight Systems puts its own library into NVTX_INJECTION64_PATH at every exec, so the program does not see what `nvtxh
 * record` has set there. This library is preloaded: it sets the variable again before the program runs, and adds the
 * tool that it found there to the chain.
 */
#include "../format/environment.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool lists(const char *list, const char *path)
{
    size_t size = strlen(path);

    for (const char *at = list; at && (at = strstr(at, path)) != NULL; at += size) {
        if ((at == list || at[-1] == ':' || at[-1] == ' ') && strchr(": ", at[size])) {
            return true; /* strchr also finds the NUL at the end of the list */
        }
    }
    return false;
}

/* Does nothing if this library was not preloaded but loaded by NVTX: another thread of the running program may be
 * reading the environment. */
__attribute__((constructor)) static void stand_before(void)
{
    static const char own;
    const char *tool = getenv("NVTX_INJECTION64_PATH"), *chain = getenv(REC_ENV_CHAIN);
    char *longer = NULL;
    Dl_info info;

    if (!dladdr(&own, &info) || !lists(secure_getenv("LD_PRELOAD"), info.dli_fname) ||
        !getenv(REC_ENV_FILE)) {
        return;
    }
    if (tool && *tool && strcmp(tool, info.dli_fname) != 0 && !lists(chain, tool) &&
        asprintf(&longer, "%s%s%s", tool, chain ? ":" : "", chain ? chain : "") > 0) {
        setenv(REC_ENV_CHAIN, longer, 1);
    }
    free(longer);
    setenv("NVTX_INJECTION64_PATH", info.dli_fname, 1);
}
