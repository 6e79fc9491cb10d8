/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "../base/memory.h"
#include "../format/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Returns "word:rest", or only the word if the rest is NULL or empty. Free the result. */
static char *put_before(const char *word, const char *rest) {
    bool is_alone = !rest || !*rest;
    char *both;

    if (asprintf(&both, "%s%s%s", word, is_alone ? "" : ":", is_alone ? "" : rest) < 0) {
        memory_is_out();
    }
    return both;
}

int beside_also(const char *tool, char **chain) {
    char path[PATH_MAX];

    if (!realpath(tool, path)) {
        return cli_usage("record", "--also wants a tool's library, not '%s': %s", tool,
                         strerror(errno));
    }
    if (strchr(path, ':')) {
        return cli_usage(
            "record",
            "--also: the path '%s' has a colon in it, which separates tools in " REC_ENV_CHAIN
            ": copy it to a path without one",
            path);
    }
    char *others = *chain;
    *chain = put_before(path, others ? others : getenv(REC_ENV_CHAIN));
    free(others);
    return EXIT_DONE;
}

bool beside_nsight(const char *program) {
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    const char *preloaded = getenv("LD_PRELOAD");

    return !strcmp(name, "nsys") || !strcmp(name, "ncu") ||
           (preloaded && strstr(preloaded, "libToolsInjectionProxy"));
}

bool beside_is_recorder(const char *tool, const char *library) {
    char path[PATH_MAX];

    return realpath(tool, path) && !strcmp(path, library);
}

static void set_before(const char *variable, const char *word, const char *rest) {
    char *value = put_before(word, rest);

    setenv(variable, value, 1);
    free(value);
}

void beside_set(const char *library, const char *preload, const char *program) {
    const char *tool = getenv("NVTX_INJECTION64_PATH");

    if (tool && *tool && strcmp(tool, "./.") != 0 && !beside_is_recorder(tool, library)) {
        set_before(REC_ENV_CHAIN, tool, getenv(REC_ENV_CHAIN));
    }
    if (*preload) {
        set_before("LD_PRELOAD", preload, getenv("LD_PRELOAD"));
    }
    if (beside_nsight(program)) {
        set_before("LD_PRELOAD", library, getenv("LD_PRELOAD"));
    }
    setenv("NVTX_INJECTION64_PATH", library, 1);
}
