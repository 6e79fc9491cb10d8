/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_EXIT_H
#define NVTXH_STATS_EXIT_H

/* If NVTXH_STATS is set in the environment: counts from the first annotation on, and prints the
 * table at exit. The last linked object to exit or to be unloaded prints it. Not API. */

#include "../impl/all.h"
#include "../impl/say.h"
#include "registry.h"
#include "print.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

/* How long to wait, in ms, each time a pipe on stderr is full. A reader that still reads makes
 * space in this time. */
enum { NVTXH_I_STATS_PATIENCE = 1000 };

NVTXH_I_C_BEGIN

#if !defined(__cplusplus) && !defined(__USE_XOPEN2K8)
/* which strict C hides */
extern FILE *open_memstream(char **ret_text, size_t *ret_size);
extern int lstat(const char *__restrict path, struct stat *__restrict ret_stat);
#endif

/* When a regular file was last written, in ns; 0: there is none. */
static inline uint64_t nvtxh_i_stats_written(const char *path) {
    struct stat st;

    if (lstat(path, &st) || !S_ISREG(st.st_mode)) {
        return 0;
    }
#if defined(__GLIBC__) && !defined(__USE_XOPEN2K8)
    return (uint64_t)st.st_mtime * 1000000000u + st.st_mtimensec; /* its name in strict C */
#else
    return (uint64_t)st.st_mtime * 1000000000u + (uint64_t)st.st_mtim.tv_nsec;
#endif
}

/* Makes the name of the output file, in `size` bytes. The process id replaces %p. If there is no
 * %p, a dot and the process id are appended in a forked child, and if another process has written
 * the file since this one began: that may have been a program that this one started. */
static inline void nvtxh_i_stats_path(const struct nvtxh_i_stats_registry *registry, char *ret_path,
                                      size_t size) {
    const char *p = strstr(registry->given, "%p");
    int before = (int)(p ? p - registry->output : (ptrdiff_t)strlen(registry->output));

    if (p || registry->forked || nvtxh_i_stats_written(registry->output) != registry->written) {
        snprintf(ret_path, size, p ? "%.*s%u%s" : "%.*s.%u%s", before, registry->output,
                 registry->process, p ? p + 2 : "");
    } else {
        snprintf(ret_path, size, "%s", registry->output);
    }
}

/* Under the registry's lock: keeps the name of the output, in the present working directory. */
NVTXH_I_COLD void nvtxh_i_stats_choose_output(struct nvtxh_i_stats_registry *registry,
                                              const char *given) {
    size_t size = strlen(given) + 1, longest = *given != '/' && strcmp(given, "1") ? 4096 : 0;
    char *path = NVTXH_I_STATS_ALLOC(char, &registry->arena, longest + 1 + size);

    if (!path) {
        return;
    }
    registry->output = registry->given = path;
    if (longest && getcwd(path, longest)) {
        registry->given += strlen(path) + 1;
        registry->given[-1] = '/';
    }
    memcpy(registry->given, given, size);
    registry->written = nvtxh_i_stats_written(path);
}

static inline enum nvtxh_stats_format nvtxh_i_stats_format_of(const char *path) {
    size_t n = strlen(path);

    if (n > 4 && !strcmp(path + n - 4, ".csv")) {
        return NVTXH_STATS_CSV;
    }
    return n > 5 && !strcmp(path + n - 5, ".json") ? NVTXH_STATS_JSON : NVTXH_STATS_TABLE;
}

/* Prints the table of N rows on stderr. Makes the table in memory first, because writing to a
 * stream could block. */
NVTXH_I_COLD void nvtxh_i_stats_output_table(const struct nvtxh_i_stats_registry *registry,
                                             size_t n) {
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);
    bool made = file != NULL;

    if (made) {
        fprintf(file,
                n ? "nvtxh: statistics of process %u\n"
                  : "nvtxh: process %u has passed no annotation\n",
                registry->process);
        made = !n || nvtxh_stats_print(file, NVTXH_STATS_TABLE);
        made = !fclose(file) && made;
    }
    nvtxh_i_say(made ? text : "nvtxh: no memory for the table of statistics\n",
                NVTXH_I_STATS_PATIENCE);
    free(text);
}

NVTXH_I_COLD void nvtxh_i_stats_output_file(struct nvtxh_i_stats_registry *registry) {
    char path[4096], line[sizeof(path) + 200];
    FILE *file;
    bool done;
    int error;

    nvtxh_i_stats_path(registry, path, sizeof(path));
    file = fopen(path, "we");
    done = file && nvtxh_stats_print(file, nvtxh_i_stats_format_of(registry->output));
    error = errno;
    if (file) {
        fclose(file);
    }
    if (!strcmp(path, registry->output)) { /* it may be written again, if objects are unloaded */
        registry->written = nvtxh_i_stats_written(path);
    }
    if (!done) {
        snprintf(line, sizeof(line), "nvtxh: cannot write the statistics to %s (NVTXH_STATS): %s\n",
                 path, strerror(error));
        nvtxh_i_say(line, NVTXH_I_STATS_PATIENCE);
    }
}

NVTXH_I_COLD void nvtxh_i_stats_output(struct nvtxh_i_stats_registry *registry) {
    struct nvtxh_i_quiet quiet;
    size_t n;

    nvtxh_stats_read(NULL, 0, &n);
    if (!n && registry->forked) {
        return;
    }
    if (!strcmp(registry->given, "1")) {
        nvtxh_i_stats_output_table(registry, n);
        return;
    }
    /* Writing may raise SIGPIPE (the pipe's reader has gone) or SIGXFSZ (the file is too large). */
    nvtxh_i_quiet_begin(&quiet);
    nvtxh_i_stats_output_file(registry);
    nvtxh_i_quiet_end(&quiet, NVTXH_I_SIGPIPE | NVTXH_I_SIGXFSZ);
}

/* Called at exit or when this object is unloaded. The last object with `printer` set prints the
 * table. */
NVTXH_I_COLD void nvtxh_i_stats_at_exit(void) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_shared();
    uint64_t blocked;
    bool last;

    if (!registry || !nvtxh_i_stats_object.printer) {
        return;
    }
    nvtxh_i_spin_lock(&registry->lock, &blocked);
    nvtxh_i_stats_object.printer = false;
    last = !--registry->n_printers;
    nvtxh_i_spin_unlock(&registry->lock, &blocked);
    if (last) {
        nvtxh_i_stats_output(registry);
    }
}

/* Called when this object is unloaded, and when the process exits. Lets other objects reuse this
 * object's tables of entries (layout.h). */
NVTXH_I_LINKONCE void NVTXH_I_SYMBOL(stats_unload)(void) {
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_shared();
    struct nvtxh_i_stats_thread *thread;
    struct nvtxh_i_stats_table *table;
    uint64_t blocked;

    nvtxh_i_stats_at_exit();
    if (!registry) {
        return;
    }
    nvtxh_i_spin_lock(&registry->lock, &blocked);
    for (thread = registry->threads; thread; thread = thread->next) {
        for (table = thread->tables; table; table = table->next) {
            if (table->object == &nvtxh_i_stats_object) {
                table->object = NULL;
            }
        }
    }
    nvtxh_i_spin_unlock(&registry->lock, &blocked);
}

/* Called when this object finds out who listens. Returns NVTXH_I_STATS if statistics are on (this
 * function or any object has switched them on), else 0. */
NVTXH_I_LINKONCE unsigned NVTXH_I_SYMBOL(stats_listens)(void) {
    const char *output = getauxval(AT_SECURE) ? NULL : getenv("NVTXH_STATS");
    bool wanted = output && *output && strcmp(output, "0");
    struct nvtxh_i_stats_registry *registry = nvtxh_i_stats_join(wanted);
    uint64_t blocked;

    if (!registry) {
        return 0;
    }
    if (wanted) {
        nvtxh_i_spin_lock(&registry->lock, &blocked);
        if (!registry->output) { /* the first object switches statistics on */
            nvtxh_i_stats_choose_output(registry, output);
            registry->enabled = 1;
        }
        nvtxh_i_spin_unlock(&registry->lock, &blocked);
        wanted = registry->output && !atexit(nvtxh_i_stats_at_exit);
        nvtxh_i_spin_lock(&registry->lock, &blocked);
        nvtxh_i_stats_object.printer = wanted;
        registry->n_printers += wanted;
        nvtxh_i_spin_unlock(&registry->lock, &blocked);
    }
    nvtxh_i_stats_at_fork();
    return __atomic_load_n(&registry->enabled, __ATOMIC_ACQUIRE) ? NVTXH_I_STATS : 0;
}

NVTXH_I_C_END

#endif
