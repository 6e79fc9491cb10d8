/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "options.h"
#include "../elf/image.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {"nvtxh list ./app", "nvtxh list --csv ./app",
                                       "nvtxh list --columns message,location ./app"};
static const char about[] =
    "Lists every nvtxh annotation in programs, shared objects and object files, without running "
    "them: kind, domain, message, function, file and line. The domain is \"(set at run time)\" if "
    "the annotation has a .domain. A message with % is a printf format. Direct calls of NVTX are "
    "not listed.";

static const struct report_column columns[] = {
    {"Kind", "kind", REPORT_TEXT, 0, 0, "Kind", 3},
    {"Domain", "domain", REPORT_TEXT, 0, 0, "Domain", 5},
    {"Message", "message", REPORT_TEXT, 0, 0, "Message", 1},
    {"Function", "function", REPORT_TEXT, 0, 0, "Function", 4},
    {"Location", "location", REPORT_TEXT, 0, 0, "Location", 2},
    {"Binary", "binary", REPORT_TEXT, 0, 0, "Binary", 6},
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

static void add_site_row(struct report *report, const struct site *site, const char *binary) {
    char buffer[4096];

    snprintf(buffer, sizeof(buffer), "%s%s", site->kind, site->is_format ? " (format)" : "");
    report_string(report, buffer);
    report_string(report, site->elsewhere ? "(set at run time)" : site->domain ? site->domain : "");
    report_string(report, site->message ? site->message : "");
    report_string(report, site->function);
    snprintf(buffer, sizeof(buffer), "%s:%u", site->file, site->line);
    report_string(report, buffer);
    report_string(report, binary);
}

/* Prints how to record the annotations that were found, or why there may be none. */
static void explain(const struct image *image, const char *path, size_t found) {
    if (found) {
        /* Without a slash, the shell would look for it in PATH. */
        char *file = must_print("%s%s", strchr(path, '/') ? "" : "./", path);
        char *program = shell_quoted(image->shared_object ? "PROGRAM" : file);
        cli_say("%zu %s in %s; off until a tool listens: nvtxh record -- %s, or nsys profile -t "
                "nvtx %s",
                found, PLURAL(found, "annotation", "annotations"), path, program, program);
        free(program);
        free(file);
    } else if (image_uses_nvtx(image)) {
        cli_say("%s uses NVTX, but not through nvtxh: there is no list of its annotations; "
                "nvtxh record and stats show those that run",
                path);
    } else {
        cli_say("no annotations in %s: it was built without NVTX or with NVTX_DISABLE, or "
                "they are in a library it loads",
                path);
    }
}

int cmd_list(int argc, char **argv) {
    struct report_keys names = report_keys(columns, COLUMNS);
    struct report_style style = REPORT_USUAL;
    const struct cli_option options[] = {
        OPTIONS_ROWS(style, names), OPTIONS_FORM(style, ""), {.name = NULL}};
    struct options o = {"list", "[OPTION...] BINARY...", about, NULL, options, BINARIES, examples};
    struct report_column shown[COLUMNS];
    struct report report;
    size_t all = 0;
    int status = EXIT_DONE;

    options_parse(&o, argc, argv);
    if (optind == argc) {
        return cli_usage("list", "no program or library given");
    }
    memcpy(shown, columns, sizeof(columns));
    shown[COLUMNS - 1].rank *= argc - optind > 1; /* the user knows the name of a single binary */
    report_begin(&report, shown, COLUMNS);
    for (int i = optind; i < argc; i++) {
        struct image image;
        struct sites sites;
        struct error error;
        if (!image_open(&image, argv[i], &error)) {
            status = cli_fail("%s: %s", argv[i], error.text);
            continue;
        }
        sites_find(&sites, &image);
        for (size_t k = 0; k < sites.count; k++) {
            add_site_row(&report, &sites.all[k], argv[i]);
        }
        all += sites.count;
        explain(&image, argv[i], sites.count);
        if (sites.cut) {
            status = cli_fail(
                "%s: the texts of its annotations take too much memory; only the first are listed",
                argv[i]);
        }
        sites_free(&sites);
        image_close(&image);
    }
    if (all || style.form != REPORT_TABLE) {
        report_print(&report, &style, stdout);
    }
    report_free(&report);
    return status;
}
