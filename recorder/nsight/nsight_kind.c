/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nsight_kind.h"
#include "../format/create.h"

#include <errno.h>
#include <string.h>

static bool is_report(const char *path) {
    const char *dot = strrchr(path, '.');
    return dot && (!strcmp(dot, ".nsys-rep") || !strcmp(dot, ".qdrep"));
}

static bool recognizes(const char *path) {
    static const char magic[] = "SQLite format 3";
    char begin[sizeof(magic)] = "";
    FILE *file = fopen(path, "re");
    bool is_ours = file && (is_report(path) || (fread(begin, sizeof(begin), 1, file) == 1 &&
                                                !memcmp(begin, magic, sizeof(magic))));

    if (file) {
        fclose(file);
    }
    return is_ours;
}

static bool can_read(const char *path, struct error *ret_error) {
    if (is_report(path)) {
        const char *name = path_base(path);
        return error_set(
            ret_error,
            "a report of Nsight Systems in its own form. nvtxh reads its SQLite form: nsys "
            "export --type sqlite -o %.*s.sqlite %s",
            (int)(strrchr(name, '.') - name), name, name);
    }
    return nsight_open ||
           error_set(ret_error, "an SQLite database; this nvtxh was built without sqlite");
}

static struct source *open_file(const char *path, struct error *ret_error) {
    return can_read(path, ret_error) && nsight_open ? nsight_open(path, ret_error) : NULL;
}

static bool add_file(struct source *s, const char *path, struct error *ret_error) {
    FILE *file = fopen(path, "re");

    if (!file) {
        return error_set(ret_error, "%s", strerror(errno));
    }
    fclose(file);
    if (!s->kind->add || !recognizes(path)) {
        return error_set(ret_error, "a recording and a database cannot be read as one; nvtxh "
                                    "export --format sqlite makes a database of a recording");
    }
    return can_read(path, ret_error) && s->kind->add(s, path, ret_error);
}

/* `open` returns a source of the kind in nsight_source.c, which has the other functions. */
const struct source_kind nsight_kind = {
    .recognizes = recognizes, .open = open_file, .add = add_file};
