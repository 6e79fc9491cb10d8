/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "output_file.h"
#include "../output/export.h"

#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const char *const examples[] = {"nvtxh export app.nvtxh --format perfetto -o app.pb",
                                       "nvtxh export app.nvtxh --format csv",
                                       "nvtxh export app.nvtxh --format sqlite -o app.sqlite"};
static const char about[] =
    "Converts a recording for other tools. Several databases of Nsight Systems become one file.";
static const char more[] =
    "Times are nanoseconds (chrome: microseconds) since the recording began. A long recording is "
    "sorted in $TMPDIR or /var/tmp, which takes 10 to 30 bytes for each range.";

struct request {
    const struct export_format *format;
    const char *output;
    struct filter filter;
    bool force;
};

static bool is_stdout(const char *output) {
    return strcmp(output, "-") == 0;
}

static int export_to_file(struct source *source, const struct request *q, char **paths,
                          size_t count) {
    const struct export_format *format = q->format;
    struct export_job job = {.source = source};
    int status = output_file_apart(q->output, paths, count);

    if (!status) {
        status = output_file_export(format, &job, q->output, q->force);
    }
    if (status) {
        return status;
    }
    output_file_wrote(q->output, format->open);
    return EXIT_DONE;
}

/* Exports a recording, or several databases as one: to `folder` or, if it is NULL, to q->output. */
static int export_one(const struct request *q, char **paths, size_t count,
                      struct export_folder *folder) {
    struct filter own = q->filter; /* a filter belongs to one recording */
    struct error error = {""};
    int status = EXIT_DONE;

    options_filter("export", &own);
    struct source *s = cli_open(paths, count);
    if (!s) {
        return EXIT_FAILED;
    }
    filter_use(&own, s);
    const struct export_job job = {.source = s, .out = folder ? NULL : stdout, .folder = folder};
    if (!folder && !is_stdout(q->output)) {
        status = export_to_file(s, q, paths, count);
    } else if (!export_write(q->format, &job, &error)) {
        cli_progress_done();
        status = folder ? cli_fail("cannot export %s: %s", paths[0], error.text)
                        : cli_fail("%s", error.text);
    }
    if (!status && !folder && own.is_given && !own.has_matched) {
        fflush(stdout);
        status = options_no_match("nothing", &own, &s, 1, paths[0]);
    }
    filter_end(&own);
    cli_close(s, paths[0]);
    return status;
}

static const struct export_folder *being_made;

static void abandon(void) {
    if (being_made) {
        export_folder_abandon(being_made);
    }
}

static int export_to_folder(const struct request *q, char **paths, size_t count) {
    struct export_folder folder = {.path = q->output, .force = q->force};
    int status = EXIT_DONE;

    being_made = &folder;
    cli_at_end(abandon);
    for (size_t i = 0; i < count && !status; i++) {
        status = export_one(q, &paths[i], 1, &folder);
    }
    cli_progress_done();
    if (status) {
        abandon();
    } else {
        cli_say("wrote %llu %s, %llu %s, in %s; %s", (unsigned long long)folder.count,
                PLURAL(folder.count, "file", "files"), (unsigned long long)folder.rows,
                PLURAL(folder.rows, "row", "rows"), folder.path, q->format->open);
        status = folder.rows || !filter_selects(&q->filter)
                     ? EXIT_DONE
                     : options_no_match("nothing", &q->filter, NULL, 0, paths[0]);
    }
    being_made = NULL;
    export_folder_free(&folder);
    return status;
}

/* Parses the arguments. Returns an exit status, or exits as options_parse does. */
static int parse_request(struct request *q, int argc, char **argv) {
    const char *names[EXPORT_FORMATS], *meanings[EXPORT_FORMATS];
    char listed[512];
    size_t which = EXPORT_FORMATS;

    for (size_t i = 0; i < EXPORT_FORMATS; i++) {
        names[i] = export_formats[i].name;
        meanings[i] = export_formats[i].what;
    }
    const struct cli_option all[] = {
        {"format", 't', "FORMAT", "the format:",
         .choice = {.ret = &which, .words = names, .meanings = meanings, .count = EXPORT_FORMATS}},
        OPTIONS_FILTER(q->filter),
        OPTIONS_FILE(q->output, q->force, "OUT",
                     "the file; standard output if not given or - (not for sqlite); for parquet a "
                     "directory, which may exist"),
        {.name = NULL}};
    struct options o = {"export", "--format FORMAT [OPTION...] REC", about, more, all, RECORDINGS,
                        examples};

    options_parse(&o, argc, argv);
    if (which == EXPORT_FORMATS) {
        return cli_usage("export", "no --format given (choose from %s)",
                         text_list(names, EXPORT_FORMATS, ", ", listed));
    }
    q->format = &export_formats[which];
    return EXIT_DONE;
}

/* Checks that the recordings can be written to the output in the format. Returns an exit status. */
static int check_request(const struct request *q, char **paths, size_t count) {
    const struct export_format *format = q->format;
    bool to_folder = format->output == EXPORT_TO_FOLDER;

    if (count < 1 || (count > 1 && !to_folder && !cli_has_database(paths, count))) {
        return cli_usage(
            "export",
            count ? "one recording at a time; nvtxh merge -o OUT.nvtxh REC... makes one of several"
                  : "no recording given");
    }
    if (!is_stdout(q->output)) {
        return EXIT_DONE;
    }
    if (to_folder) {
        return cli_usage("export", "%s requires a directory: -o DIRECTORY", format->name);
    }
    if (format->output == EXPORT_TO_FILE) {
        return cli_usage("export", "%s requires a file: -o OUT", format->name);
    }
    if (format->output == EXPORT_BINARY && isatty(STDOUT_FILENO)) {
        return cli_usage("export", "%s cannot be written to a terminal: -o OUT", format->name);
    }
    return EXIT_DONE;
}

int cmd_export(int argc, char **argv) {
    struct request q = {.output = "-", .filter = FILTER_ALL};
    int status = parse_request(&q, argc, argv);

    if (status) {
        return status;
    }
    struct found_files found = found_files(argv + optind, (size_t)(argc - optind));
    status =
        optind < argc && !found.count ? EXIT_FAILED : check_request(&q, found.paths, found.count);
    if (!status) {
        status = q.format->output == EXPORT_TO_FOLDER
                     ? export_to_folder(&q, found.paths, found.count)
                     : export_one(&q, found.paths, found.count, NULL);
    }
    found_files_free(&found);
    return status;
}
