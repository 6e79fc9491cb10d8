/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "../util/memory.h"
#include "../format/create.h"
#include "../format/environment.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int other_tool_parse(const char *value, char **ret_tool) {
    if (*ret_tool) {
        return cli_usage("record",
                         "--tool is given twice: there can be one tool beside the recorder");
    }
    *ret_tool = realpath(value, NULL);
    return *ret_tool ? EXIT_DONE
                     : cli_usage("record",
                                 "invalid --tool '%s': expected the library of an NVTX tool: %s",
                                 value, strerror(errno));
}

bool other_tool_nsight(const char *program) {
    const char *name = path_base(program), *preloaded = getenv("LD_PRELOAD");

    return !strcmp(name, "nsys") || !strcmp(name, "ncu") ||
           (preloaded && strstr(preloaded, "libToolsInjectionProxy"));
}

bool other_tool_is(const char *tool, const char *library) {
    char path[PATH_MAX];

    return realpath(tool, path) && !strcmp(path, library);
}

int other_tool_inherit(const char *library, char **tool) {
    const char *found = getenv("NVTX_INJECTION64_PATH");

    if (!found || !*found || !strcmp(found, "./.") || other_tool_is(found, library) ||
        (*tool && other_tool_is(found, *tool))) {
        return EXIT_DONE;
    }
    if (*tool) {
        return cli_usage(
            "record",
            "--tool %s: NVTX_INJECTION64_PATH names another tool, %s, and there can be "
            "one beside the recorder: unset the variable, or leave out --tool",
            *tool, found);
    }
    *tool = must_copy(found, SIZE_MAX);
    return EXIT_DONE;
}

static void preload_before(const char *library) {
    const char *others = getenv("LD_PRELOAD");
    bool is_alone = !others || !*others;
    char *both = must_print("%s%s%s", library, is_alone ? "" : ":", is_alone ? "" : others);

    setenv("LD_PRELOAD", both, 1);
    free(both);
}

void other_tool_set(const char *library, const char *preload, const char *program) {
    if (*preload) {
        preload_before(preload);
    }
    if (other_tool_nsight(program)) {
        preload_before(library);
    }
    setenv("NVTX_INJECTION64_PATH", library, 1);
}
