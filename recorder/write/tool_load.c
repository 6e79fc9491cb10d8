/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool_translate.h"
#include "losses.h"
#include "registry.h"
#include "session.h"
#include "../format/environment.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* --- before the program runs ------------------------------------------------------------------ */

/* Whether `path` is in `list`, whose paths are separated by colons or spaces. */
static bool lists(const char *list, const char *path) {
    size_t size = strlen(path);

    for (const char *at = list; at && (at = strstr(at, path)) != NULL; at += size) {
        if ((at == list || at[-1] == ':' || at[-1] == ' ') && strchr(": ", at[size])) {
            return true; /* strchr also finds the NUL at the end of the list */
        }
    }
    return false;
}

/* Nsight Systems puts its own library into NVTX_INJECTION64_PATH at every exec. So the recorder is
 * preloaded. Before the program runs, the recorder moves the library that this variable names to
 * REC_ENV_TOOL, and sets the variable to its own path. It does so only if it is preloaded: if it is
 * loaded later, other threads may be reading the environment. */
static char *refused; /* the library, if REC_ENV_TOOL has named another one before */

__attribute__((constructor)) static void stand_before(void) {
    static const char own;
    const char *tool = getenv("NVTX_INJECTION64_PATH"), *named = getenv(REC_ENV_TOOL);
    Dl_info info;

    if (!dladdr(&own, &info) || !lists(secure_getenv("LD_PRELOAD"), info.dli_fname) ||
        !getenv(REC_ENV_FILE)) {
        return;
    }
    if (tool && *tool && strcmp(tool, "./.") != 0 && strcmp(tool, info.dli_fname) != 0) {
        if (!named || !*named) {
            setenv(REC_ENV_TOOL, tool, 1);
        } else if (strcmp(named, tool) != 0) {
            refused = strdup(tool);
        }
    }
    setenv("NVTX_INJECTION64_PATH", info.dli_fname, 1);
}

/* --- the tool --------------------------------------------------------------------------------- */

NvtxFunctionPointer tool_functions[TOOL_SIDES][TOOL_MODULES][TOOL_IDS];
NvtxInitializeInjectionNvtxFunc_t tool_init;
int (*tool_init_ext)(struct ext_module *module);

static char *tool_path;       /* never freed */
static const void *tool_base; /* where the tool's library begins in memory */

enum { UNREAD, LOADING, LOADED };
static int state;
static pid_t loader; /* the thread that loads the tool */

static void left_out(const char *path, const char *why) {
    char line[PATH_MAX + 400];

    snprintf(line, sizeof(line),
             "nvtxh: the tool %s is ignored: %s; the recorder works without it\n", path, why);
    log_line(line);
}

static const void *base_of(const void *code) {
    Dl_info info;
    return dladdr(code, &info) ? info.dli_fbase : NULL;
}

/* By this symbol the recorder knows its copies, which would write to the same recording. */
EXPORT extern const char nvtxh_is_recorder;
const char nvtxh_is_recorder = 1;

/* Why `library` cannot be a tool; NULL: it can be one. */
static const char *objection(void *library, const void *init) {
    if (!init) {
        return "it has no InitializeInjectionNvtx2, so it is not an NVTX injection library";
    }
    return dlsym(library, "nvtxh_is_recorder") ? "it is the recorder" : NULL;
}

static void load(const char *path) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (!library) {
        left_out(path, dlerror());
        return;
    }
    void *init = dlsym(library, "InitializeInjectionNvtx2");
    const char *why = objection(library, init);
    if (why) {
        left_out(path, why);
        dlclose(library);
        return;
    }
    *(void **)&tool_init = init;
    *(void **)&tool_init_ext = dlsym(library, "InitializeInjectionNvtxExtension");
    tool_base = base_of(init);
}

static void load_named(void) {
    int error = errno;
    const char *path = secure_getenv(REC_ENV_TOOL);

    tool_path = path && *path ? strdup(path) : NULL;
    if (tool_path) {
        load(tool_path);
    }
    if (refused) {
        left_out(refused, REC_ENV_TOOL " names another tool");
    }
    errno = error;
}

static pid_t thread_id(void) {
    return (pid_t)syscall(SYS_gettid); /* glibc before 2.30 has no gettid() */
}

bool tool_load(const void *code) {
    int seen = UNREAD;
    time_t begun = time(NULL);

    if (__atomic_compare_exchange_n(&state, &seen, LOADING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        loader = thread_id();
        load_named();
        __atomic_store_n(&state, LOADED, __ATOMIC_RELEASE);
    }
    /* Waits 10 s at most, because a longer wait might never end: the tool that is being loaded may
     * wait for a thread that it has made, and this thread waits here if it calls NVTX. */
    while ((seen = __atomic_load_n(&state, __ATOMIC_ACQUIRE)) == LOADING && loader != thread_id() &&
           time(NULL) - begun < 10) {
        sched_yield();
    }
    return seen == LOADED && tool_init && base_of(code) != tool_base;
}

void tool_report(bool worked) {
    static bool has_worked, said; /* for one object at least; that it failed */

    if (worked) {
        has_worked = true;
        registry_name(REC_EXTENDED, 0, REC_EXTENDED_TOOL, tool_path);
    } else if (!has_worked) { /* the tool's callbacks are ignored, as NVTX would ignore them */
        memset(tool_functions[TOOL_THEIRS], 0, sizeof(tool_functions[TOOL_THEIRS]));
        if (!__atomic_exchange_n(&said, true, __ATOMIC_RELAXED)) {
            left_out(tool_path, "its initialisation failed");
        }
    }
}
