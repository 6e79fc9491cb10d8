/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain_translate.h"
#include "losses.h"
#include "registry.h"
#include "../format/environment.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
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
 * preloaded. Before the program runs, the recorder adds the library that this variable names to the
 * list of tools in REC_ENV_CHAIN, and sets the variable to its own path. It does so only if it is
 * preloaded: if it is loaded later, other threads may be reading the environment. */
__attribute__((constructor)) static void stand_before(void) {
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

/* --- the tools -------------------------------------------------------------------------------- */

struct chain_tool chain_tools[CHAIN_MOST + 1];
unsigned chain_count, chain_answers;

enum { UNREAD, LOADING, LOADED };
static int state;
static pid_t loader; /* the thread that loads the tools */

static void left_out(const char *path, const char *why) {
    char line[PATH_MAX + 400];

    snprintf(line, sizeof(line),
             "nvtxh: the tool %s is left out: %s; the recorder works without it\n", path, why);
    note(line);
}

static const void *base_of(const void *code) {
    Dl_info info;
    return dladdr(code, &info) ? info.dli_fbase : NULL;
}

/* Whether `library` is a copy of the recorder, which would write to the same recording. */
static bool is_recorder(void *library) {
    struct link_map *map;
    const char *texts = NULL;
    size_t name = 0;

    if (dlinfo(library, RTLD_DI_LINKMAP, &map) != 0) {
        return false;
    }
    for (const ElfW(Dyn) *d = map->l_ld; d && d->d_tag != DT_NULL; d++) {
        /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
        texts = d->d_tag == DT_STRTAB ? (const char *)d->d_un.d_ptr : texts;
        name = d->d_tag == DT_SONAME ? d->d_un.d_val : name;
    }
    /* glibc has added l_addr to the address of the texts, musl has not. */
    texts = texts && (uintptr_t)texts < map->l_addr ? texts + map->l_addr : texts;
    return texts && name && !strncmp(texts + name, "libnvtxh-record.so", 18);
}

/* Why `library` cannot be a tool; NULL: it can be one. */
static const char *objection(void *library, const struct chain_tool *t) {
    if (!t->init) {
        return "it has no InitializeInjectionNvtx2, so it is not an NVTX injection library";
    }
    if (is_recorder(library)) {
        return "it is the recorder";
    }
    for (unsigned i = 1; i <= chain_count; i++) {
        if (chain_tools[i].init == t->init) {
            return "it is in the chain already";
        }
    }
    return chain_count == CHAIN_MOST ? "there are too many tools" : NULL;
}

static void load(const char *path) {
    void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);

    if (!library) {
        left_out(path, dlerror());
        return;
    }
    struct chain_tool t = {.path = path};
    *(void **)&t.init = dlsym(library, "InitializeInjectionNvtx2");
    *(void **)&t.init_ext = dlsym(library, "InitializeInjectionNvtxExtension");
    t.base = base_of(*(void **)&t.init);
    const char *why = objection(library, &t);
    if (why) {
        left_out(path, why);
        dlclose(library);
    } else {
        chain_tools[chain_count + 1] = t;
        chain_count++;
    }
}

static void load_all(void) {
    int error = errno;
    const char *list = secure_getenv(REC_ENV_CHAIN),
               *answers = secure_getenv(REC_ENV_CHAIN_ANSWERS);
    static char *names; /* never freed: pointers to the tools' names are kept */
    char *rest = names = list ? strdup(list) : NULL, *path;

    while ((path = strsep(&rest, ":")) != NULL) {
        if (*path && strcmp(path, "./.") != 0) {
            load(path);
        }
    }
    chain_answers = answers && !strcmp(answers, "tool") && chain_count;
    errno = error;
}

static pid_t thread_id(void) {
    return (pid_t)syscall(SYS_gettid); /* glibc before 2.30 has no gettid() */
}

bool chain_load(const void *code) {
    int seen = UNREAD;
    time_t begun = time(NULL);

    if (__atomic_compare_exchange_n(&state, &seen, LOADING, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
        loader = thread_id();
        load_all();
        __atomic_store_n(&state, LOADED, __ATOMIC_RELEASE);
    }
    /* Waits 10 s at most, because a longer wait might never end: the tool that is being loaded may
     * wait for a thread that it has made, and this thread waits here if it calls NVTX. */
    while ((seen = __atomic_load_n(&state, __ATOMIC_ACQUIRE)) == LOADING && loader != thread_id() &&
           time(NULL) - begun < 10) {
        sched_yield();
    }
    const void *base = seen == LOADED && chain_count ? base_of(code) : NULL;
    for (unsigned i = 1; base && i <= chain_count; i++) {
        if (base == chain_tools[i].base) {
            return false;
        }
    }
    return seen == LOADED && chain_count;
}

void chain_note(unsigned tool, bool worked) {
    struct chain_tool *t = &chain_tools[tool];

    if (worked) {
        t->worked = true;
        registry_name(REC_EXTENDED, tool, REC_EXTENDED_TOOL, t->path);
    } else if (!t->worked) { /* the tool's callbacks are ignored, as NVTX would ignore them */
        memset(t->functions, 0, sizeof(t->functions));
        if (tool == chain_answers) { /* the program gets the results of the next tool, or ours */
            chain_answers = tool < chain_count ? tool + 1 : 0;
        }
        if (!__atomic_exchange_n(&t->said, true, __ATOMIC_RELAXED)) {
            left_out(t->path, "its initialisation failed");
        }
    }
}
