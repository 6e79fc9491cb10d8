/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "output_file.h"
#include "../util/memory.h"
#include "../decode/merge.h"
#include "../output/export.h"
#include "../format/create.h"
#include "../analysis/filter.h"
#include "../decode/recording_source.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const examples[] = {
    "nvtxh view --no-open app.nvtxh", "nvtxh view --no-open run",
    "nvtxh view --no-open --against before1.nvtxh -o change.html after1.nvtxh"};
static const char about[] =
    "Shows recordings as a page for a browser: one file with a timeline, a flame graph and a "
    "table, which needs no network. On a desktop, the page is opened. Several recordings are "
    "shown as one, aligned by the time of day. A directory stands for all *.nvtxh in it and below.";

/* Opens several recordings as one source, merged in a nameless file. Returns an exit status. */
static int open_merged(struct source **ret, char **paths, size_t count) {
    struct source **parts = must_alloc(NULL, count, sizeof(*parts));
    struct error error;
    char merged[32];
    int status = EXIT_DONE;

    if (!cli_open_all(parts, paths, count, true)) {
        free(parts);
        return EXIT_FAILED;
    }
    int fd = io_temporary();
    snprintf(merged, sizeof(merged), "/proc/self/fd/%d", fd);
    if (!cli_all_differ("view", parts, paths, count)) {
        status = EXIT_USAGE;
    } else if (fd < 0 || rec_begin(fd, parts[0]->command, NULL) < 0) {
        status = cli_fail("cannot merge in $TMPDIR or /var/tmp: %s", strerror(errno));
    } else if (!merge_recordings(parts, paths, count, fd, &error)) {
        status = cli_fail("cannot merge in $TMPDIR or /var/tmp: %s", error.text);
    } else if (!(*ret = recording_kind.open(merged, &error))) {
        status = cli_fail("cannot read the merged recordings by %s: %s", merged, error.text);
    } else {
        (*ret)->progress = parts[0]->progress;
    }
    if (fd >= 0) {
        close(fd);
    }
    cli_close_all(parts, paths, count);
    free(parts);
    return status;
}

/* Makes the page's path. For a directory: all.html in the directory. For a file: the file's path,
 * with .html in place of .nvtxh; if the path does not end in .nvtxh, .html is appended. */
static void page_name(char ret_path[PATH_MAX], const char *rec) {
    struct stat st;

    if (stat(rec, &st) == 0 && S_ISDIR(st.st_mode)) {
        snprintf(ret_path, PATH_MAX, "%s/all.html", rec);
        return;
    }
    snprintf(ret_path, PATH_MAX, "%.*s.html", (int)path_stem(rec), rec);
}

static bool is_set(const char *name) {
    const char *value = getenv(name);
    return value && *value;
}

/* Opens the page in the desktop's browser, but does not wait for the browser. */
static bool open_page(const char *path) {
    extern char **environ;
    char *const arguments[] = {(char *)"xdg-open", (char *)(uintptr_t)path, NULL};
    posix_spawn_file_actions_t quiet;
    pid_t pid;

    if ((!is_set("DISPLAY") && !is_set("WAYLAND_DISPLAY")) || is_set("SSH_CONNECTION")) {
        return false;
    }
    posix_spawn_file_actions_init(&quiet);
    for (int fd = 0; fd < 3; fd++) {
        posix_spawn_file_actions_addopen(&quiet, fd, "/dev/null", O_RDWR, 0);
    }
    int error = posix_spawnp(&pid, arguments[0], &quiet, NULL, arguments, environ);
    posix_spawn_file_actions_destroy(&quiet);
    return error == 0;
}

/* Writes a page that shows `paths` as one recording, compared with `against` (may be NULL). Sets
 * *ret_written if the page is there, even if the filters match nothing, which is a failure. */
static int view(char **paths, size_t count, const char *against, struct filter filters[2],
                const char *page, bool force, bool *ret_written) {
    struct source *both[2] = {NULL, NULL};
    char name[512];
    struct export_job job = {.name = name};

    snprintf(name, sizeof(name), count > 1 ? "%s and %zu more" : "%s", path_base(paths[0]),
             count - 1);
    if (against && !(both[0] = cli_open((char *[]){(char *)(uintptr_t)against}, 1))) {
        return EXIT_FAILED;
    }
    int status = EXIT_DONE;
    if (count > 1 && !cli_has_database(paths, count)) {
        status = open_merged(&both[1], paths, count);
    } else if (!(both[1] = cli_open(paths, count))) {
        status = EXIT_FAILED;
    }
    if (status == EXIT_DONE) {
        if (against) {
            filter_use(&filters[0], both[0]);
            job.against = both[0];
            job.against_name = path_base(against);
        }
        filter_use(&filters[1], both[1]);
        job.source = both[1];
        status = output_file_export(&export_formats[EXPORT_html], &job, page, force);
        *ret_written = status == EXIT_DONE;
        if (!status && filters[1].is_given && !filters[0].has_matched && !filters[1].has_matched) {
            status =
                options_no_match("nothing", &filters[1], &both[!against], 1 + !!against, paths[0]);
        }
        cli_close(both[1], paths[0]);
    }
    if (against) {
        cli_close(both[0], against);
    }
    return status;
}

int cmd_view(int argc, char **argv) {
    const char *output = NULL, *against = NULL;
    struct filter filters[2] = {FILTER_ALL}; /* each filter belongs to one recording */
    bool force = false, no_open = false, is_written = false;
    const struct cli_option all[] = {
        OPTIONS_FILE(output, force, "PAGE",
                     "the page; if not given, REC's name with .html, or all.html in DIR"),
        {"against", 0, "REC", "compare: show what changed from this recording to the others",
         .text = &against},
        OPTIONS_FILTER(filters[0]),
        {"no-open", 0, NULL, "do not open the page", .flag = &no_open},
        {.name = NULL}};
    struct options o = {"view", "[OPTION...] DIR|REC...", about, NULL, all, RECORDINGS, examples};
    char path[PATH_MAX];

    options_parse(&o, argc, argv);
    if (optind == argc) {
        return cli_usage("view", "no recordings given");
    }
    if (output) {
        snprintf(path, sizeof(path), "%s", output);
    } else {
        page_name(path, argv[optind]);
    }
    struct found_files found = found_files(argv + optind, (size_t)(argc - optind));
    int status = found.count ? output_file_apart(path, found.paths, found.count) : EXIT_FAILED;
    if (!status && against) {
        status = output_file_apart(path, (char *[]){(char *)(uintptr_t)against}, 1);
    }
    if (!status) {
        status = output_file_allowed(path, force);
    }
    if (!status) {
        filters[1] = filters[0];
        options_filter("view", &filters[0]);
        options_filter("view", &filters[1]);
        status = view(found.paths, found.count, against, filters, path, force, &is_written);
        filter_end(&filters[0]);
        filter_end(&filters[1]);
    }
    found_files_free(&found);
    if (is_written) {
        bool opened = !status && !no_open && open_page(path);
        output_file_wrote(path, opened ? NULL : "open it in a browser");
    }
    return status;
}
