/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "options.h"
#include "../elf/image.h"
#include "../format/environment.h"
#include "../format/create.h"
#include "../output/report.h"
#include "../util/memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const examples[] = {"nvtxh doctor", "nvtxh doctor ./app",
                                       "nvtxh doctor -- ./app"};
static const char about[] =
    "Finds out why nothing is recorded, and prints what to do. Checks the recorder's library, the "
    "environment, the current directory, PROGRAM and the libraries it is linked with: whether "
    "they contain NVTX and of which version, whether annotations were switched off, and whether a "
    "tool is built in. Nothing is run. The exit status is 1 if something prevents a recording, "
    "else 0.";

struct doctor {
    char library[PATH_MAX];   /* the path of the recorder's library; "": it was not found */
    unsigned machine;         /* the processor of the recorder's library; 0: not known */
    bool musl;                /* the recorder's library is linked with musl */
    bool blind;               /* the program could not be examined */
    struct string_table seen; /* paths that were examined */
    size_t with_nvtx;         /* examined files that use NVTX */
    bool functions;           /* an examined file was compiled with -finstrument-functions */
    const char *program;
};

/* Returns "ok", "note" or "WRONG", padded and coloured, to print before a message. Does not change
 * errno, which the message's arguments may need. */
static const char *mark(const char *word) {
    static char text[32];
    int error = errno;
    bool colors = terminal_of(stdout, REPORT_COLOR_AUTO).colors;
    const char *color = !colors ? "" : *word == 'o' ? "\033[32m" : *word == 'n' ? "" : "\033[31m";

    snprintf(text, sizeof(text), "%s%-5s%s ", color, word, *color ? "\033[0m" : "");
    errno = error;
    return text;
}

static unsigned problems; /* how many messages WRONG were printed */

#define OK(...) cli_line(stdout, mark("ok"), __VA_ARGS__)
#define NOTE(...) cli_line(stdout, mark("note"), __VA_ARGS__)
#define WRONG(...) (problems++, cli_line(stdout, mark("WRONG"), __VA_ARGS__))

/* The library of NVTX 2. In newer CUDA toolkits, such as 11.8 and 12.8, it contains NVTX 3. */
#define TOOLS_EXT "libnvToolsExt.so"

static void look_at(struct doctor *d, const struct image *image, const char *path, bool program) {
    struct image_symbols symbols = image_symbols(image);
    struct sites sites;
    bool library = !strncmp(path_base(path), TOOLS_EXT, sizeof(TOOLS_EXT) - 1);
    bool linked = false;

    if (image->is_static) {
        WRONG("%s is statically linked: it cannot load an NVTX tool; link it dynamically, or "
              "with the recorder in it (nvtxh-record.pc)",
              path);
    }
    sites_find(&sites, image);
    for (size_t i = 0; i < image->needed_count; i++) {
        linked |= !strncmp(image->needed[i], TOOLS_EXT, sizeof(TOOLS_EXT) - 1);
    }
    if (library && !image_has_text(image, "InitializeInjectionNvtx2")) {
        WRONG("%s is NVTX 2, which no injection library can see; build what is linked with it with "
              "the headers of NVTX 3 (nvtx3/nvToolsExt.h)",
              path);
    } else if (image_uses_nvtx(image)) {
        d->with_nvtx++;
        if (sites.count) {
            char *quoted = shell_file(path);
            OK("%s has %zu nvtxh %s: nvtxh list %s", path, sites.count,
               PLURAL(sites.count, "annotation", "annotations"), quoted);
            free(quoted);
        } else {
            OK("%s has NVTX 3%s, used without nvtxh; a program built with NVTX_DISABLE looks the "
               "same",
               path, symbols.v3 ? "" : " (its strings say so)");
        }
    } else if (program && !linked && !symbols.hooks) {
        NOTE(
            "%s itself has no NVTX: it was built without it, or with NVTX_DISABLE or NVTXH_DISABLE",
            path);
    }
    if (symbols.hooks) {
        d->functions = true;
        OK("%s was compiled with -finstrument-functions: nvtxh record --functions records its "
           "functions",
           path);
    }
    if (symbols.tool) {
        NOTE("%s has an NVTX tool built in (InitializeInjectionNvtx2), which receives only what "
             "this file annotates, not its shared objects; NVTX_INJECTION64_PATH takes precedence",
             path);
    }
    sites_free(&sites);
}

static void look_through(struct doctor *d, const char *path, bool program) {
    struct image image;
    struct error error;
    char found[PATH_MAX];

    uint32_t before = d->seen.count;
    string_table_add(&d->seen, path, strlen(path));
    if (d->seen.count == before) {
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
        WRONG("%s is for another kind of processor than the recorder's library", path);
    }
    if (program && d->machine && image.interpreter && image_is_musl(&image) != d->musl) {
        WRONG("%s is linked with %s, the recorder's library with %s: the program cannot load the "
              "library; build both with the same C library",
              path, d->musl ? "another C library than musl" : "musl", d->musl ? "musl" : "glibc");
    }
    if (program && image.shared_object) {
        WRONG("%s is a library: give the program that loads it; nvtxh list shows the library's "
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

static void look_at_program(struct doctor *d, const char *name) {
    char path[PATH_MAX];
    struct stat st;
    struct error error;
    struct recording r;

    if (recording_open(&r, name, &error)) {
        recording_close(&r);
        char *quoted = shell_file(name);
        WRONG("%s is a recording; nvtxh stats %s reads it", name, quoted);
        free(quoted);
        return;
    }
    if (!search_program(name, path) || stat(path, &st) != 0) {
        WRONG("there is no program %s%s", name, path_hint(name));
        return;
    }
    if (S_ISDIR(st.st_mode)) {
        WRONG("%s is a directory; give the program in it", path);
        return;
    }
    if (access(path, X_OK) != 0 || !S_ISREG(st.st_mode)) {
        WRONG("%s cannot be run by you", path);
    }
    if (st.st_mode & (S_ISUID | S_ISGID)) {
        WRONG("%s is set-user-ID or set-group-ID: it ignores the recorder on purpose; run a copy "
              "without that bit",
              path);
    }
    look_through(d, path, true);
    if (!d->with_nvtx && !d->functions && !d->blind) {
        NOTE("neither the program nor the libraries it is linked with contain NVTX; libraries that "
             "it loads later may, for example in Python: nvtxh list LIBRARY");
    }
}

static void check_library(struct doctor *d) {
    char *path = d->library, tried[4 * PATH_MAX];
    struct error error;
    struct image image;

    if (!installed_find(INSTALLED_LIBRARY, path, tried, sizeof(tried))) {
        WRONG("libnvtxh-record.so was not found; looked for:%s; install nvtxh again", tried);
        return;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        WRONG("%s cannot be loaded: %s", path, dlerror());
    } else if (!dlsym(handle, "InitializeInjectionNvtx2")) {
        WRONG("%s is not an NVTX injection library", path);
    } else {
        OK("the recorder is %s", path);
    }
    if (image_open(&image, path, &error)) {
        d->machine = image.machine;
        d->musl = image_is_musl(&image);
        image_close(&image);
    }
}

/* Whether a library has the entry point of an NVTX tool. Does not load the library. If nvtxh was
 * built without libelf, the answer is always true. */
static bool is_tool(const char *path) {
    struct image image;
    struct error error;

    if (!image_open(&image, path, &error)) {
        return strstr(error.text, "without libelf") != NULL;
    }
    bool is = image_symbols(&image).tool;
    image_close(&image);
    return is;
}

/* Whether a file can be created at a path; if not, errno says why. */
static bool can_be_made(const char *path) {
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];

    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return access(directory, W_OK | X_OK) == 0;
}

/* `who` gives the tool the calls; `wrong`: what happens if the path is not that of a tool. */
static void check_tool(const char *variable, const char *path, const char *who, const char *wrong) {
    if (access(path, R_OK) != 0) {
        WRONG("%s is %s, which cannot be read: %s; %s", variable, path, strerror(errno), wrong);
    } else if (!is_tool(path)) {
        WRONG("%s is %s, which is not an NVTX injection library (it has no "
              "InitializeInjectionNvtx2); %s",
              variable, path, wrong);
    } else {
        NOTE("%s is %s: %s gives it the calls that the recorder gets", variable, path, who);
    }
}

static void check_beside(struct doctor *d) {
    const char *tool = getenv(REC_ENV_TOOL);

    if (tool && *tool) {
        check_tool(REC_ENV_TOOL, tool, "without nvtxh record, the recorder",
                   "the recorder leaves it out");
    }
    if (other_tool_nsight(d->program ? d->program : "")) {
        NOTE("Nsight Systems sets NVTX_INJECTION64_PATH in every program; so nvtxh record preloads "
             "the recorder, and both get the calls");
    }
}

static void check_environment(struct doctor *d) {
    const char *other = getenv("NVTX_INJECTION64_PATH"), *file = getenv(REC_ENV_FILE);

    for (size_t i = 0; i < OFF_SWITCHES; i++) {
        char *off = off_switch(i);
        if (off && i < OFF_ALL) {
            WRONG("%s; unset it", off);
        } else if (off) {
            NOTE("%s", off);
        }
        free(off);
    }
    if (!other) {
        NOTE("NVTX_INJECTION64_PATH is not set: nvtxh record sets it");
    } else if (other_tool_is(other, d->library)) {
        NOTE("NVTX_INJECTION64_PATH is the recorder: programs that run without nvtxh record are "
             "recorded, too");
    } else if (!strcmp(other, "./.")) {
        NOTE("NVTX_INJECTION64_PATH is ./., which keeps NVTX from looking for a tool; nvtxh record "
             "sets it to the recorder's library");
    } else {
        check_tool("NVTX_INJECTION64_PATH", other, "nvtxh record",
                   "so NVTX loads no tool. Unset the variable, or run the program with nvtxh "
                   "record, which replaces its value");
    }
    check_beside(d);
    if (file && !can_be_made(file)) {
        WRONG(REC_ENV_FILE " is %s, where no file can be made: %s", file, strerror(errno));
    } else if (file) {
        NOTE(REC_ENV_FILE " is %s: programs that run without nvtxh record are recorded there",
             file);
    }
}

static void check_rank(void) {
    struct rec_identity who;
    char more[160] = "";

    identity_read(&who);
    if (who.world != REC_RANK_NONE) {
        snprintf(more, sizeof(more), " of %u", who.world);
    }
    if (*who.job) {
        text_append(more, sizeof(more), "", " in job %s", who.job);
    }
    if (who.source) {
        NOTE("%s says that this is rank %u%s", identity_launcher(who.source), who.rank, more);
    }
}

static void check_directory(void) {
    char here[PATH_MAX] = "";

    if (!getcwd(here, sizeof(here))) {
        WRONG("the current directory is gone: %s; change to another", strerror(errno));
    } else if (access(".", W_OK) != 0) {
        WRONG("no file can be made in %s: %s; give nvtxh record -o FILE", here, strerror(errno));
    } else {
        OK("recordings can be made in %s", here);
    }
}

static void check_switches(void) {
    char *why = switches_refused();

    if (why) {
        NOTE("nvtxh record cannot record context switches: %s", why);
    } else if (switches_are_usual()) {
        OK("nvtxh record can record context switches");
    } else {
        NOTE("nvtxh record records context switches only with --switches: there are many "
             "processors");
    }
    free(why);
}

int cmd_doctor(int argc, char **argv) {
    const struct cli_option none = {.name = NULL};
    struct options o = {"doctor", "[--] [PROGRAM]", about, NULL, &none, A_PROGRAM, examples};
    struct doctor d = {0};

    options_parse(&o, argc, argv);
    d.program = optind < argc ? argv[optind] : NULL;
    check_library(&d);
    check_environment(&d);
    check_rank();
    check_directory();
    check_switches();
    if (d.program) {
        look_at_program(&d, d.program);
    }
    if (problems) {
        printf("\nnext: fix what is WRONG, from the top\n");
    } else if (!d.program) {
        printf("\nnext: nvtxh doctor -- PROGRAM, to look at the program itself\n");
    } else {
        char *program = shell_quoted(d.program);
        putchar('\n');
        cli_line(stdout, "", "next: nvtxh record %s-o out.nvtxh -- %s%s",
                 d.functions ? "--functions " : "", program,
                 d.with_nvtx || d.functions ? "" : "; it reports if no NVTX call was made");
        free(program);
    }
    string_table_free(&d.seen);
    return problems ? EXIT_FAILED : EXIT_DONE;
}
