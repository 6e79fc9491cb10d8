/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "doctor.h"
#include "cli.h"
#include "words.h"
#include "../base/memory.h"
#include "../elf/search.h"
#include "../elf/sites.h"
#include "../read/recording.h"
#include "../report/terminal.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void doctor_say(const char *mark, const char *format, ...)
{
    va_list args;
    bool colors = terminal_of(stdout, REPORT_COLOR_AUTO).colors;
    const char *color = !colors ? "" : *mark == 'o' ? "\033[32m" : *mark == 'n' ? "" : "\033[31m";

    printf("%s%-5s%s ", color, mark, *color ? "\033[0m" : "");
    va_start(args, format);
    cli_print(stdout, format, args);
    va_end(args);
    putchar('\n');
}

/* The library of NVTX 2. That of newer CUDA toolkits, 11.8 and 12.8 for example, has NVTX 3 in it. */
#define TOOLS_EXT "libnvToolsExt.so"

struct symbols {
    bool static_tool, v3, hooks;
};

static void look_at_symbol(void *arg, const char *name, bool defined)
{
    struct symbols *s = arg;

    s->static_tool |= defined && !strcmp(name, "InitializeInjectionNvtx2");
    s->hooks |= !defined && !strcmp(name, "__cyg_profile_func_enter");
    s->v3 |= defined && strncmp(name, "nvtx", 4) == 0 && strlen(name) > 3 &&
             !strcmp(name + strlen(name) - 3, "_v3");
}

static bool seen_before(struct doctor *d, const char *path)
{
    for (size_t i = 0; i < d->seen_count; i++) {
        if (!strcmp(d->seen[i], path)) {
            return true;
        }
    }
    if (d->seen_count == MAX_LIBRARIES) {
        return true;
    }
    d->seen[d->seen_count++] = must_copy(path, SIZE_MAX);
    return false;
}

static void look_at(struct doctor *d, const struct image *image, const char *path, bool program)
{
    struct symbols symbols = {0};
    struct sites sites;
    const char *slash = strrchr(path, '/');
    bool library = !strncmp(slash ? slash + 1 : path, TOOLS_EXT, sizeof(TOOLS_EXT) - 1);
    bool linked = false;

    image_symbols(image, look_at_symbol, &symbols);
    if (image->is_static) {
        WRONG(d,
              "%s is statically linked: it cannot load an NVTX tool; link it dynamically, or "
              "with the recorder in it (nvtxh-record.pc)",
              path);
    }
    sites_find(&sites, image);
    for (size_t i = 0; i < image->needed_count; i++) {
        linked |= !strncmp(image->needed[i], TOOLS_EXT, sizeof(TOOLS_EXT) - 1);
    }
    if (library && !image_has_text(image, "InitializeInjectionNvtx2")) {
        WRONG(d,
              "%s is NVTX 2, which no injection library can see; build what is linked with it with "
              "the headers of NVTX 3 (nvtx3/nvToolsExt.h)",
              path);
    } else if (image_uses_nvtx(image)) {
        d->with_nvtx++;
        if (sites.count) {
            char *quoted = words_quoted(path);
            OK("%s has %zu nvtxh %s: nvtxh list %s", path, sites.count,
               PLURAL(sites.count, "annotation", "annotations"), quoted);
            free(quoted);
        } else {
            OK("%s has NVTX 3%s, used without nvtxh; a program built with NVTX_DISABLE looks the "
               "same",
               path, symbols.v3 ? "" : " (its strings say so)");
        }
    } else if (program && !linked && !symbols.hooks) {
        NOTE("%s itself has no NVTX: it was built without it, or with NVTX_DISABLE or "
             "NVTXH_DISABLE",
             path);
    }
    if (symbols.hooks) {
        d->functions = true;
        OK("%s was compiled with -finstrument-functions: nvtxh record --functions records its "
           "functions",
           path);
    }
    if (symbols.static_tool) {
        NOTE("%s has an NVTX tool built in (InitializeInjectionNvtx2); NVTX_INJECTION64_PATH "
             "takes precedence",
             path);
    }
    sites_free(&sites);
}

static void look_through(struct doctor *d, const char *path, bool program)
{
    struct image image;
    struct error error;
    char found[PATH_MAX];

    if (seen_before(d, path)) {
        return;
    }
    if (!image_open(&image, path, &error)) {
        if (program) {
            bool without = strstr(error.text, "without libelf") != NULL;
            NOTE("%s%s: %s%s", without ? "cannot look into " : "", path, error.text,
                 without ? "" : "; if it is a script, ask about the program that runs it");
            d->blind = true;
        }
        return;
    }
    if (program && d->machine && image.machine != d->machine) {
        WRONG(d, "%s is for another kind of processor than the recorder's library", path);
    }
    if (program && d->machine && image.interpreter && image_is_musl(&image) != d->musl) {
        WRONG(d,
              "%s is linked with %s, the recorder's library with %s: the program cannot load the "
              "library; build both with the same C library",
              path, d->musl ? "another C library than musl" : "musl", d->musl ? "musl" : "glibc");
    }
    if (program && image.shared_object) {
        WRONG(d,
              "%s is a library: give the program that loads it; nvtxh list shows the library's "
              "annotations",
              path);
    }
    look_at(d, &image, path, program);
    for (size_t i = 0; i < image.needed_count; i++) {
        if (search_library(&image, path, image.needed[i], found)) {
            look_through(d, found, false);
        }
    }
    image_close(&image);
}

void doctor_program(struct doctor *d, const char *name)
{
    char path[PATH_MAX];
    struct stat st;
    struct error error;
    struct recording r;

    if (recording_open(&r, name, &error)) {
        recording_close(&r);
        char *quoted = words_quoted(name);
        WRONG(d, "%s is a recording; nvtxh stats %s reads it", name, quoted);
        free(quoted);
        return;
    }
    if (!search_program(name, path) || stat(path, &st) != 0) {
        WRONG(d, "there is no program %s%s", name,
              access(name, F_OK) == 0 ? " in PATH; for the file here, give its path with ./" : "");
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        WRONG(d, "%s is a directory; give the program in it", path);
        return;
    }
    if (access(path, X_OK) != 0 || !S_ISREG(st.st_mode)) {
        WRONG(d, "%s cannot be run by you", path);
    }
    if (st.st_mode & (S_ISUID | S_ISGID)) {
        WRONG(d,
              "%s is set-user-ID or set-group-ID: it ignores the recorder on purpose; run a copy "
              "without that bit",
              path);
    }
    look_through(d, path, true);
    if (!d->with_nvtx && !d->functions && !d->blind) {
        NOTE("neither the program nor the libraries it is linked with contain NVTX; libraries that "
             "it loads later may, for example in Python: nvtxh list LIBRARY");
    }
}
