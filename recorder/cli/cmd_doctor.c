/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "library.h"
#include "../text/plural.h"
#include "../text/report.h"
#include "../elf/search.h"
#include "../elf/sites.h"
#include "../format/environment.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: nvtxh doctor [--] [PROGRAM]\n\n"
    "Why is nothing recorded? Looks at the recorder's library, the environment, the directory, "
    "and\n"
    "at PROGRAM and the libraries it is linked with: is NVTX in them at all, of which version, "
    "were\n"
    "annotations switched off, is a tool built in. Says what to do next. Nothing is run. The exit\n"
    "status is 0 if nothing was found that keeps a recording from being made, else 1.\n\n"
    "  -h, --help  this text\n";

#define MAX_LIBRARIES 512

struct doctor {
    unsigned problems;
    unsigned machine; /* of the recorder's library; 0: not known */
    char *seen[MAX_LIBRARIES];
    size_t seen_count;
    size_t with_nvtx, sites;
    const char *program;
};

__attribute__((format(printf, 2, 3))) static void say(const char *mark, const char *format, ...)
{
    va_list args;
    bool colors = report_colors(stdout);
    const char *color = !colors ? "" : *mark == 'o' ? "\033[32m" : *mark == 'n' ? "" : "\033[31m";

    printf("%s%-5s%s ", color, mark, *color ? "\033[0m" : "");
    va_start(args, format);
    vprintf(format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    va_end(args);
    putchar('\n');
}

#define OK(...) say("ok", __VA_ARGS__)
#define NOTE(...) say("note", __VA_ARGS__)
#define WRONG(d, ...) ((d)->problems++, say("WRONG", __VA_ARGS__))

static void check_library(struct doctor *d)
{
    char path[PATH_MAX], tried[4 * PATH_MAX], error[256];
    struct image image;

    if (!library_find(path, tried, sizeof(tried))) {
        WRONG(d, "libnvtxh-record.so is not where it belongs:%s; install nvtxh again", tried);
        return;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        WRONG(d, "%s cannot be loaded: %s", path, dlerror());
    } else if (!dlsym(handle, "InitializeInjectionNvtx2")) {
        WRONG(d, "%s is not an injection library of NVTX", path);
    } else {
        OK("the recorder is %s", path);
    }
    if (image_open(&image, path, error, sizeof(error))) {
        d->machine = image.machine;
        image_close(&image);
    }
}

static void look_for_entry(void *arg, const char *name, bool defined)
{
    *(bool *)arg |= defined && !strcmp(name, "InitializeInjectionNvtx2");
}

/* Without loading it. What cannot be looked into is believed. */
static bool is_tool(const char *path)
{
    struct image image;
    char error[256];
    bool found = false;

    if (!image_open(&image, path, error, sizeof(error))) {
        return strstr(error, "without libelf") != NULL;
    }
    image_symbols(&image, look_for_entry, &found);
    image_close(&image);
    return found;
}

/* False with errno. */
static bool can_be_made(const char *path)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];

    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return access(directory, W_OK | X_OK) == 0;
}

static void check_environment(struct doctor *d)
{
    const char *other = getenv("NVTX_INJECTION64_PATH");
    const char *file = getenv(REC_ENV_FILE);

    if (!other) {
        NOTE("NVTX_INJECTION64_PATH is not set: only nvtxh record sets it, or you");
    } else if (access(other, R_OK) != 0) {
        WRONG(d,
              "NVTX_INJECTION64_PATH is %s, which cannot be read: %s; NVTX then looks no further. "
              "Unset it, or run the program by nvtxh record",
              other, strerror(errno));
    } else if (!is_tool(other)) {
        WRONG(d,
              "NVTX_INJECTION64_PATH is %s, which is no injection library of NVTX (it has no "
              "InitializeInjectionNvtx2). Unset it, or run the program by nvtxh record",
              other);
    } else {
        NOTE("NVTX_INJECTION64_PATH is %s; nvtxh record sets its own library in its place", other);
    }
    if (file && !can_be_made(file)) {
        WRONG(d, REC_ENV_FILE " is %s, where no file can be made: %s", file, strerror(errno));
    } else if (file) {
        NOTE(REC_ENV_FILE " is %s: what runs without nvtxh record is recorded there", file);
    }
}

static void check_directory(struct doctor *d)
{
    char here[PATH_MAX] = "";

    if (!getcwd(here, sizeof(here))) {
        WRONG(d, "the current directory is gone: %s; change to another", strerror(errno));
    } else if (access(".", W_OK) != 0) {
        WRONG(d, "no file can be made in %s: %s; give nvtxh record -o FILE", here, strerror(errno));
    } else {
        OK("recordings can be made in %s", here);
    }
}

struct symbols {
    bool static_tool, v3;
};

static void look_at_symbol(void *arg, const char *name, bool defined)
{
    struct symbols *s = arg;

    s->static_tool |= defined && !strcmp(name, "InitializeInjectionNvtx2");
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
    d->seen[d->seen_count++] = strdup(path);
    return false;
}

static void look_at(struct doctor *d, const struct image *image, const char *path, bool program)
{
    static const char variable[] = "NVTX_INJECTION64_PATH";
    struct symbols symbols = {0};
    struct sites sites;
    bool v2 = false;

    image_symbols(image, look_at_symbol, &symbols);
    if (image->is_static) {
        WRONG(d,
              "%s is statically linked: it cannot load a tool of NVTX's; link it dynamically, or "
              "with the recorder in it (nvtxh-record.pc)",
              path);
    }
    sites_find(&sites, image);
    for (size_t i = 0; i < image->needed_count; i++) {
        v2 |= !strncmp(image->needed[i], "libnvToolsExt.so", 16);
    }
    if (image_contains(image, variable, sizeof(variable))) {
        d->with_nvtx++;
        if (sites.count) {
            OK("%s has %zu %s of nvtxh's: nvtxh list %s", path, sites.count,
               PLURAL(sites.count, "annotation", "annotations"), path);
        } else {
            OK("%s has NVTX %s, used without nvtxh (built with NVTX_DISABLE it looks the same)",
               path, symbols.v3 ? "3" : "(3, by its texts)");
        }
    } else if (v2) {
        WRONG(d,
              "%s is linked with libnvToolsExt, NVTX 2, which no injection library can see; build "
              "it with the headers of NVTX 3 (nvtx3/nvToolsExt.h)",
              path);
    } else if (program) {
        NOTE("%s itself has no NVTX: it was built without, or with NVTX_DISABLE or NVTXH_DISABLE",
             path);
    }
    if (symbols.static_tool) {
        NOTE("%s has a tool of NVTX's built in (InitializeInjectionNvtx2); the environment "
             "variable comes before it",
             path);
    }
    d->sites += sites.count;
    sites_free(&sites);
}

static void look_through(struct doctor *d, const char *path, bool program)
{
    struct image image;
    char error[256], found[PATH_MAX];

    if (seen_before(d, path)) {
        return;
    }
    if (!image_open(&image, path, error, sizeof(error))) {
        if (program) {
            NOTE("%s: %s; if it is a script, ask about the program that runs it", path, error);
        }
        return;
    }
    if (program && d->machine && image.machine != d->machine) {
        WRONG(d, "%s is for another kind of processor than the recorder's library", path);
    }
    if (program && image.shared_object) {
        WRONG(d, "%s is a library: give the program that loads it (nvtxh list looks into it)",
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

static void check_program(struct doctor *d, const char *name)
{
    char path[PATH_MAX];
    struct stat st;

    if (!search_program(name, path) || stat(path, &st) != 0) {
        WRONG(d, "there is no program %s", name);
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
    if (!d->with_nvtx) {
        NOTE("NVTX is neither in it nor in the libraries it is linked with; it may be in those it "
             "loads later, as Python does: nvtxh list LIBRARY");
    }
}

int cmd_doctor(int argc, char **argv)
{
    static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {NULL, 0, NULL, 0}};
    struct doctor d = {0};
    int option;

    while ((option = cli_getopt(argc, argv, "+h", options)) != -1) {
        if (option != 'h') {
            return cli_bad_option("doctor", argc, argv);
        }
        fputs(usage, stdout);
        return EXIT_DONE;
    }
    d.program = optind < argc ? argv[optind] : NULL;
    check_library(&d);
    check_environment(&d);
    check_directory(&d);
    if (d.program) {
        check_program(&d, d.program);
    }
    if (d.problems) {
        printf("\nnext: put right what is WRONG, from the top\n");
    } else if (!d.program) {
        printf("\nnext: nvtxh doctor -- PROGRAM, to look at the program itself\n");
    } else {
        printf("\nnext: nvtxh record -o out.nvtxh -- %s%s\n", d.program,
               d.with_nvtx ? "" : "; it says so if no NVTX call was made");
    }
    for (size_t i = 0; i < d.seen_count; i++) {
        free(d.seen[i]);
    }
    return d.problems ? EXIT_FAILED : EXIT_DONE;
}
