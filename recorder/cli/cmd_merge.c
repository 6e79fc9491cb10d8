/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "output_file.h"
#include "../util/memory.h"
#include "../decode/merge.h"
#include "../format/create.h"

#include <errno.h>
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const examples[] = {"nvtxh merge -o both.nvtxh before1.nvtxh after1.nvtxh",
                                       "nvtxh merge -o job.nvtxh run/*.nvtxh",
                                       "nvtxh merge -f -o job.nvtxh run/0.nvtxh run/1.nvtxh"};
static const char about[] =
    "Makes one recording of several, which may be of different processes, runs or hosts. Times are "
    "aligned by the hosts' wall clocks, as exactly as these agree. If all are snapshots, the new "
    "recording is one, too: its window reaches from the first beginning of their windows to the "
    "last end. A directory stands for all *.nvtxh in it and below.";

static int write_merged(struct source *const *parts, size_t count, const char *output, bool force,
                        char **paths) {
    char command[1024] = "merged:";
    struct output_file file;
    struct error error = {""};

    if (!cli_all_differ("merge", parts, paths, count)) {
        return EXIT_USAGE;
    }
    for (size_t i = 0; i < count; i++) {
        text_append(command, sizeof(command), " ", "%s", paths[i]);
    }
    int status = output_file_apart(output, paths, count);
    if (!status) {
        status = output_file_begin(&file, output, force);
    }
    if (status) {
        return status;
    }
    int fd = rec_create(file.temporary, false, REC_MODE, command, NULL);
    if (fd < 0) {
        return output_file_failed(output);
    }
    bool done = merge_recordings(parts, paths, count, fd, &error);
    done = close(fd) == 0 && done;
    return output_file_end(&file, done, &error);
}

static void say_lost_windows(struct source *const *parts, size_t count, char **paths) {
    size_t snapshots = 0;

    for (size_t i = 0; i < count; i++) {
        snapshots += parts[i]->is_snapshot;
    }
    for (size_t i = 0; i < count && snapshots < count; i++) {
        if (parts[i]->is_snapshot) {
            const struct rec_snapshot *window = &recording_of(parts[i])->header.snapshot;
            cli_say("%s is a snapshot, but not all recordings are: its window and reason (%.*s) "
                    "are not kept, but all events in it are",
                    paths[i], (int)sizeof(window->reason), window->reason);
        }
    }
}

int cmd_merge(int argc, char **argv) {
    const char *output = NULL;
    bool force = false;
    const struct cli_option all[] = {OPTIONS_FILE(output, force, "OUT", "the recording to make"),
                                     {.name = NULL}};
    struct options o = {"merge", "-o OUT [OPTION...] DIR|REC...", about, NULL, all, RECORDINGS,
                        examples};
    int status = EXIT_FAILED;

    options_parse(&o, argc, argv);
    if (!output || !*output) {
        return cli_usage("merge", "no output given: -o OUT");
    }
    if (optind == argc) {
        return cli_usage("merge", "no recordings given");
    }
    struct found_files found = found_files(argv + optind, (size_t)(argc - optind));
    if (cli_has_database(found.paths, found.count)) {
        found_files_free(&found);
        return cli_usage(
            "merge",
            "databases cannot be merged: nvtxh view, stats, tree and export take several of "
            "them as one. Of a recording, nvtxh export --format sqlite makes a database");
    }
    struct source **parts = must_alloc(NULL, found.count, sizeof(*parts));
    if (found.count && cli_open_all(parts, found.paths, found.count, true)) {
        status = write_merged(parts, found.count, output, force, found.paths);
        if (!status) {
            say_lost_windows(parts, found.count, found.paths);
            char *file = shell_file(output), next[PATH_MAX + 64];
            snprintf(next, sizeof(next), "next: nvtxh stats %s", file);
            output_file_wrote(output, next);
            free(file);
        }
        cli_close_all(parts, found.paths, found.count);
    }
    free(parts);
    found_files_free(&found);
    return status;
}
