/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "commands.h"
#include "options.h"
#include "output_file.h"
#include "words.h"
#include "../export/export.h"
#include "../export/parquet.h"
#include "../report/quote.h"

#include <errno.h>
#include <getopt.h>
#include <string.h>
#include <unistd.h>

static const char about[] = "Writes a recording in a form that other tools read.";
static const char more[] =
    "Times are nanoseconds (chrome: microseconds; text: milliseconds) since the recording began. A "
    "long recording is "
    "sorted in $TMPDIR or /var/tmp, which takes 10 to 30 bytes for each range.";

/* Returns -1 with errno if the file cannot be created, 0 if writing failed, else 1. */
static int write_file(struct recording *r, const struct export_format *format,
                      const struct output_file *file, char *error, size_t error_size)
{
    FILE *out = output_file_open(file);

    if (!out) {
        return -1;
    }
    errno = 0;
    bool done = format->write ? format->write(r, out, error, error_size)
                              : format->write_file(r, file->temporary, error, error_size);
    done = done && !ferror(out);
    done &= fclose(out) == 0;
    return done;
}

static int export_to_file(struct recording *r, const struct export_format *format, const char *rec,
                          const char *path, bool force)
{
    char error[256] = "";
    struct output_file file;

    int status = output_file_apart(path, rec);
    if (!status) {
        status = output_file_begin(&file, path, force);
    }
    if (status) {
        return status;
    }
    int done = write_file(r, format, &file, error, sizeof(error));
    if (done < 0) {
        return output_file_failed(path);
    }
    if (!output_file_end(&file, done)) {
        return cli_fail("cannot write %s: %s", path, *error ? error : strerror(errno));
    }
    return EXIT_DONE;
}

static bool ends_in(const char *name, const char *suffix)
{
    size_t size = strlen(name), end = strlen(suffix);
    return size >= end && strcmp(name + size - end, suffix) == 0;
}

static int export_to_directory(char **paths, size_t count, const char *directory, bool force,
                               const struct filter *filter)
{
    struct parquet_set set = {.directory = directory, .force = force};
    struct recording r;
    char error[512] = "";
    int status = EXIT_DONE;

    for (size_t i = 0; i < count && !status; i++) {
        if (!cli_open(&r, paths[i])) {
            status = EXIT_FAILED;
            break;
        }
        struct filter own = *filter; /* a filter belongs to one recording */
        options_filter("export", &own);
        filter_use(&own, &r);
        if (!export_parquet(&r, &set, error, sizeof(error))) {
            cli_progress_done();
            status = cli_fail("cannot export %s: %s", paths[i], error);
        }
        filter_end(&own);
        cli_close(&r, paths[i]);
    }
    cli_progress_done();
    if (!status) {
        cli_say("wrote %llu %s, %llu %s, in %s; %s", (unsigned long long)set.files,
                PLURAL(set.files, "file", "files"), (unsigned long long)set.rows,
                PLURAL(set.rows, "row", "rows"), directory, export_formats[EXPORT_PARQUET].open);
    }
    parquet_set_free(&set);
    return status;
}

int cmd_export(int argc, char **argv)
{
    const char *names[EXPORT_FORMATS], *meanings[EXPORT_FORMATS], *output = "-";
    size_t which = EXPORT_FORMATS;
    struct filter filter = FILTER_ALL;
    bool force = false, safe = false;
    char error[512];
    const struct cli_option all[] = {
        {"to", 't', "FORM", "the form:",
         .choice = {.ret = &which, .words = names, .meanings = meanings, .count = EXPORT_FORMATS}},
        OPTIONS_FILTER(filter, "until"),
        OPTIONS_FILE(output, force, "OUT",
                     "the file; standard output if not given or - (not for sqlite); for parquet a "
                     "directory, which may exist"),
        {"csv-safe", 0, NULL, "with --to csv: puts ' before texts that begin with = + - or @",
         .flag = &safe},
        {.name = NULL}};
    struct options o = {"export", "--to FORM [OPTION...] REC", about, more, all, RECORDINGS};
    struct recording r;

    for (size_t i = 0; i < EXPORT_FORMATS; i++) {
        names[i] = export_formats[i].name;
        meanings[i] = export_formats[i].what;
    }
    options_parse(&o, argc, argv);
    if (which == EXPORT_FORMATS) {
        return cli_usage("export", "to which form? --to %s",
                         words_list(names, EXPORT_FORMATS, " or ", error));
    }
    if (safe && which != EXPORT_CSV) {
        return cli_usage("export", "--csv-safe goes with --to csv");
    }
    if (safe) {
        quote_csv_guard();
    }
    const struct export_format *format = &export_formats[which];
    bool to_stdout = strcmp(output, "-") == 0;
    if (optind >= argc || (optind != argc - 1 && !format->directory)) {
        return cli_usage("export", optind < argc ? "one recording at a time" : "which recording?");
    }
    if (to_stdout && format->directory) {
        return cli_usage("export", "%s makes many files: -o DIRECTORY", format->name);
    }
    if (to_stdout && !format->write) {
        return cli_usage("export", "%s needs a file: -o OUT%s", format->name, format->suffix);
    }
    if (to_stdout && which == EXPORT_PERFETTO && isatty(STDOUT_FILENO)) {
        return cli_usage("export", "perfetto is not for a terminal: -o OUT");
    }
    if (format->directory) {
        return export_to_directory(argv + optind, (size_t)(argc - optind), output, force, &filter);
    }
    options_filter("export", &filter);
    if (!cli_open(&r, argv[optind])) {
        return EXIT_FAILED;
    }
    filter_use(&filter, &r);
    int status = EXIT_DONE;
    if (!to_stdout) {
        status = export_to_file(&r, format, argv[optind], output, force);
        cli_progress_done();
        if (!status) {
            output_file_wrote(output, format->open);
        }
        if (!status && format->suffix && !ends_in(output, format->suffix)) {
            fprintf(stderr, "nvtxh: %s reads this file only if its name ends in %s\n",
                    format->reader, format->suffix);
        }
    } else if (!format->write(&r, stdout, error, sizeof(error))) {
        status = cli_fail("%s", error);
    }
    filter_end(&filter);
    cli_close(&r, argv[optind]);
    return status;
}
