/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "beside.h"
#include "cli.h"
#include "installed.h"
#include "../format/environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Prepends a word to an environment variable. */
static void prepend(const char *variable, const char *word, char between)
{
    const char *old = getenv(variable);
    char *all = NULL;

    if (old && *old && asprintf(&all, "%s%c%s", word, between, old) < 0) {
        abort();
    }
    setenv(variable, all ? all : word, 1);
    free(all);
}

int beside_also(const struct cli_option *option, const char *tool)
{
    char path[PATH_MAX], tried[4 * PATH_MAX];

    (void)option;
    if (!strcmp(tool, "usdt")) {
        if (!installed_find(INSTALLED_USDT, path, tried, sizeof(tried))) {
            return cli_fail("libnvtxh-usdt.so was not found (it is built if sys/sdt.h is there; "
                            "Debian: systemtap-sdt-dev); looked for:%s",
                            tried);
        }
    } else if (!realpath(tool, path)) {
        return cli_usage("record", "--also wants usdt or a tool's library, not '%s': %s", tool,
                         strerror(errno));
    }
    prepend(REC_ENV_CHAIN, path, ':');
    return EXIT_DONE;
}

bool beside_nsight(const char *program)
{
    const char *slash = strrchr(program, '/'), *name = slash ? slash + 1 : program;
    const char *preloaded = getenv("LD_PRELOAD");

    return !strcmp(name, "nsys") || !strcmp(name, "ncu") ||
           (preloaded && strstr(preloaded, "libToolsInjectionProxy"));
}

void beside_set(const char *library, const char *program)
{
    const char *before = getenv("NVTX_INJECTION64_PATH");

    if (before && *before && strcmp(before, "./.") != 0 && strcmp(before, library) != 0) {
        prepend(REC_ENV_CHAIN, before, ':');
    }
    if (beside_nsight(program)) {
        prepend("LD_PRELOAD", library, ':');
    }
    setenv("NVTX_INJECTION64_PATH", library, 1);
}
