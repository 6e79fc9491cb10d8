/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "beside.h"
#include "cli.h"
#include "commands.h"
#include "doctor.h"
#include "installed.h"
#include "options.h"
#include "words.h"
#include "../elf/image.h"
#include "../format/environment.h"
#include "../format/identity.h"
#include "../report/report.h"

#include <dlfcn.h>
#include <errno.h>
#include <getopt.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char about[] =
    "Finds out why nothing is recorded. Looks at the recorder's library, the environment, the "
    "current directory, and at PROGRAM and the libraries it is linked with: whether they contain "
    "NVTX and of which version, whether annotations were switched off, and whether a tool is "
    "built in. Says what to do next. Nothing is run. The exit status is 1 if something prevents a "
    "recording, else 0.";

static void check_library(struct doctor *d)
{
    char path[PATH_MAX], tried[4 * PATH_MAX];
    struct error error;
    struct image image;

    if (!installed_find(INSTALLED_LIBRARY, path, tried, sizeof(tried))) {
        WRONG(d, "libnvtxh-record.so was not found; looked for:%s; install nvtxh again", tried);
        return;
    }
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!handle) {
        WRONG(d, "%s cannot be loaded: %s", path, dlerror());
    } else if (!dlsym(handle, "InitializeInjectionNvtx2")) {
        WRONG(d, "%s is not an NVTX injection library", path);
    } else {
        OK("the recorder is %s", path);
    }
    if (image_open(&image, path, &error)) {
        d->machine = image.machine;
        d->musl = image_is_musl(&image);
        image_close(&image);
    }
}

static void look_for_entry(void *arg, const char *name, bool defined)
{
    *(bool *)arg |= defined && !strcmp(name, "InitializeInjectionNvtx2");
}

/* Whether a library is an NVTX tool: whether it has the entry point of one. Does not load it. True if that cannot be
 * known, because nvtxh was built without libelf. */
static bool is_tool(const char *path)
{
    struct image image;
    struct error error;
    bool found = false;

    if (!image_open(&image, path, &error)) {
        return strstr(error.text, "without libelf") != NULL;
    }
    image_symbols(&image, look_for_entry, &found);
    image_close(&image);
    return found;
}

/* Since version 3.7, NVTX asks the CUDA driver for a tool if NVTX_INJECTION64_PATH is not set and a file says that the
 * driver has one. */
static void check_driver(void)
{
    char own[PATH_MAX];
    const char *runtime = getenv("XDG_RUNTIME_DIR");
    bool root = geteuid() == 0;
    const char *places[] = {"/run/nvidia/nvtx/nvtx-cuda.yaml", own};
    bool asks;

    snprintf(own, sizeof(own), "%s%s/nvtx-cuda.yaml",
             root      ? "/run/nvidia/nvtx"
             : runtime ? runtime
                       : "",
             root ? "/user.0" : "/nvidia/nvtx");
    for (size_t i = 0; i < 2; i++) {
        if (access(places[i], F_OK) != 0 || (i == 1 && !root && !runtime)) {
            continue;
        }
        void *driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
        asks = driver && dlsym(driver, "cuNvtxGetInjectionInitializer");
        NOTE("%s says that the CUDA driver has a tool; libcuda.so.1 %s. Programs with NVTX 3.7 or "
             "later use that tool if NVTX_INJECTION64_PATH is not set; nvtxh record sets it",
             places[i],
             asks     ? "provides it"
             : driver ? "is too old to provide it (it has no cuNvtxGetInjectionInitializer)"
                      : "cannot be loaded");
        if (driver) {
            dlclose(driver);
        }
        return;
    }
}

/* Whether a file can be created at a path; if not, errno says why. */
static bool can_be_made(const char *path)
{
    const char *slash = strrchr(path, '/');
    char directory[PATH_MAX];

    snprintf(directory, sizeof(directory), "%.*s", slash ? (int)(slash - path) + 1 : 1,
             slash ? path : ".");
    return access(directory, W_OK | X_OK) == 0;
}

static void check_tool(struct doctor *d, const char *variable, const char *path, const char *wrong)
{
    if (access(path, R_OK) != 0) {
        WRONG(d, "%s is %s, which cannot be read: %s; %s", variable, path, strerror(errno), wrong);
    } else if (!is_tool(path)) {
        WRONG(d,
              "%s is %s, which is not an NVTX injection library (it has no "
              "InitializeInjectionNvtx2); %s",
              variable, path, wrong);
    } else {
        NOTE("%s is %s: nvtxh record gives it the calls that the recorder gets", variable, path);
    }
}

static void check_chain(struct doctor *d)
{
    const char *chain = getenv(REC_ENV_CHAIN);
    char *all = chain ? strdup(chain) : NULL, *rest = all, *path;

    while ((path = strsep(&rest, ":")) != NULL) {
        if (*path) {
            check_tool(d, REC_ENV_CHAIN, path, "the recorder leaves it out");
        }
    }
    free(all);
    if (beside_nsight(d->program ? d->program : "")) {
        NOTE("Nsight Systems sets NVTX_INJECTION64_PATH in every program; so nvtxh record preloads "
             "the recorder, and both get the calls");
    }
}

static void check_environment(struct doctor *d)
{
    const char *other = getenv("NVTX_INJECTION64_PATH");
    const char *file = getenv(REC_ENV_FILE);

    if (!other) {
        NOTE("NVTX_INJECTION64_PATH is not set: nvtxh record sets it");
    } else if (!strcmp(other, "./.")) {
        NOTE("NVTX_INJECTION64_PATH is ./., which keeps NVTX from looking for a tool; nvtxh record "
             "sets it to the recorder's library");
    } else {
        check_tool(d, "NVTX_INJECTION64_PATH", other,
                   "so NVTX loads no tool. Unset the variable, or run the program with nvtxh "
                   "record, which replaces its value");
    }
    check_chain(d);
    if (!other) {
        check_driver();
    }
    if (file && !can_be_made(file)) {
        WRONG(d, REC_ENV_FILE " is %s, where no file can be made: %s", file, strerror(errno));
    } else if (file) {
        NOTE(REC_ENV_FILE " is %s: programs that run without nvtxh record are recorded there",
             file);
    }
}

static void check_rank(void)
{
    struct rec_identity who;
    char more[160] = "";

    identity_read(&who);
    if (who.world != REC_RANK_NONE) {
        snprintf(more, sizeof(more), " of %u", who.world);
    }
    if (*who.job) {
        size_t used = strlen(more);
        snprintf(more + used, sizeof(more) - used, " in job %s", who.job);
    }
    if (who.source) {
        NOTE("%s says that this is rank %u%s", identity_launcher(who.source), who.rank, more);
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

int cmd_doctor(int argc, char **argv)
{
    const struct cli_option none = {.name = NULL};
    struct options o = {"doctor", "[--] [PROGRAM]", about, NULL, &none, A_PROGRAM};
    struct doctor d = {0};

    options_parse(&o, argc, argv);
    d.program = optind < argc ? argv[optind] : NULL;
    check_library(&d);
    check_environment(&d);
    check_rank();
    check_directory(&d);
    if (d.program) {
        doctor_program(&d, d.program);
    }
    if (d.problems) {
        printf("\nnext: fix what is WRONG, from the top\n");
    } else if (!d.program) {
        printf("\nnext: nvtxh doctor -- PROGRAM, to look at the program itself\n");
    } else {
        char *program = words_quoted(d.program);
        putchar('\n');
        cli_answer("next: nvtxh record %s-o out.nvtxh -- %s%s", d.functions ? "--functions " : "",
                   program,
                   d.with_nvtx || d.functions ? "" : "; it reports if no NVTX call was made");
        free(program);
    }
    for (size_t i = 0; i < d.seen_count; i++) {
        free(d.seen[i]);
    }
    return d.problems ? EXIT_FAILED : EXIT_DONE;
}
