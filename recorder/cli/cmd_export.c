/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "output_file.h"
#include "../export/export.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char usage[] =
    "usage: nvtxh export REC --to FORM [-o OUT] [--force]\n\n"
    "  --to sqlite    the tables of Nsight Systems: `nsys stats -r nvtxsum OUT.sqlite` reads them\n"
    "  --to perfetto  for the Perfetto UI and its trace processor\n"
    "  --to chrome    JSON for the Perfetto UI, chrome://tracing, speedscope\n"
    "  --to csv       one row per range or mark, with everything that is known of it\n"
    "  --to text      one line per range or mark, for people\n\n"
    "  -o, --output OUT   the file; without it, or with -, standard output (not for sqlite)\n"
    "  -f, --force        replace OUT if it exists\n"
    "  -h, --help         this text\n\n"
    "Times are nanoseconds (chrome: microseconds) since the recording began. A long recording is\n"
    "sorted in $TMPDIR or /var/tmp, which takes about 130 bytes for each range.\n";

static const struct form {
    const char *name;
    bool (*write)(struct recording *r, FILE *out, char *ret_error, size_t error_size);
} forms[] = {
    {"sqlite", NULL},    {"perfetto", export_perfetto}, {"chrome", export_chrome},
    {"csv", export_csv}, {"text", export_text},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

static bool is_same_file(const struct recording *r, const char *path)
{
    struct stat in, out;

    return fstat(r->fd, &in) == 0 && stat(path, &out) == 0 && in.st_dev == out.st_dev &&
           in.st_ino == out.st_ino;
}

/* Mode 0600, never through a link. */
static int write_file(struct recording *r, const struct form *form, const char *path, char *error,
                      size_t error_size)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");

    if (!out) {
        return -1;
    }
    errno = 0;
    bool done = form->write ? form->write(r, out, error, error_size)
                            : export_sqlite(r, path, error, error_size);
    done = done && !ferror(out);
    done &= fclose(out) == 0;
    return done;
}

static int export_to_file(struct recording *r, const struct form *form, const char *path,
                          bool force)
{
    char error[256] = "";
    struct output_file file;

    if (is_same_file(r, path)) {
        return cli_usage("export", "%s is the recording itself", path);
    }
    int status = output_file_begin(&file, path, force);
    if (status) {
        return status;
    }
    int done = write_file(r, form, file.temporary, error, sizeof(error));
    if (done < 0) {
        return output_file_failed(path);
    }
    if (!output_file_end(&file, done)) {
        return cli_fail("cannot write %s: %s", path, *error ? error : strerror(errno));
    }
    return EXIT_DONE;
}

int cmd_export(int argc, char **argv)
{
    static const struct option options[] = {{"to", required_argument, NULL, 't'},
                                            {"output", required_argument, NULL, 'o'},
                                            {"force", no_argument, NULL, 'f'},
                                            {"help", no_argument, NULL, 'h'},
                                            {NULL, 0, NULL, 0}};
    const char *to = NULL, *output = "-";
    const struct form *form = NULL;
    bool force = false;
    int option, status;
    char error[256];
    struct recording r;

    while ((option = cli_getopt(argc, argv, "t:o:fh", options)) != -1) {
        switch (option) {
        case 't':
            to = optarg;
            break;
        case 'o':
            output = optarg;
            break;
        case 'f':
            force = true;
            break;
        case 'h':
            fputs(usage, stdout);
            return EXIT_DONE;
        default:
            return cli_bad_option("export", argc, argv);
        }
    }
    if (optind != argc - 1) {
        return cli_usage("export", optind < argc ? "one recording at a time" : "which recording?");
    }
    if (!to) {
        return cli_usage("export", "to which form? --to sqlite, perfetto, chrome, csv or text");
    }
    const char *names[FORMS];
    size_t which;
    for (size_t i = 0; i < FORMS; i++) {
        names[i] = forms[i].name;
    }
    if (!cli_choice(to, names, FORMS, &which)) {
        return cli_no_choice("export", "--to", to, names, FORMS);
    }
    form = &forms[which];
    bool to_stdout = strcmp(output, "-") == 0;
    if (to_stdout && !form->write) {
        return cli_usage("export", "sqlite needs a file: -o OUT.sqlite");
    }
    if (!cli_open(&r, argv[optind])) {
        return EXIT_FAILED;
    }
    status = EXIT_DONE;
    if (!to_stdout) {
        status = export_to_file(&r, form, output, force);
        size_t size = strlen(output);
        if (!status && !form->write && (size < 7 || strcmp(output + size - 7, ".sqlite") != 0)) {
            fprintf(stderr, "nvtxh: nsys reads it only if its name ends in .sqlite\n");
        }
    } else if (!form->write(&r, stdout, error, sizeof(error))) {
        status = cli_fail("%s", error);
    }
    cli_close(&r, argv[optind]);
    return status;
}
