/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"

#include <stdlib.h>
#include <unistd.h>

#define ROW(id, ...) {.name = #id, .write = export_##id, __VA_ARGS__},
#define ROW_WITH(id, needed, ...) ROW(id, .library = needed, __VA_ARGS__)

const struct export_format export_formats[EXPORT_FORMATS] = {FORMATS(ROW, ROW_WITH)};

bool export_write(const struct export_format *format, const struct export_job *job,
                  struct error *ret_error) {
    if (!format->write) { /* the function is weak, and was not linked */
        error_set(ret_error, "this nvtxh was built without %s", format->library);
        return false;
    }
    return format->write(job, ret_error);
}

void export_folder_abandon(const struct export_folder *folder) {
    for (size_t i = 0; i < folder->count; i++) {
        unlink(folder->files[i]);
    }
}

void export_folder_free(struct export_folder *folder) {
    for (size_t i = 0; i < folder->count; i++) {
        free(folder->files[i]);
    }
    free(folder->files);
    string_table_free(&folder->places);
    map_free(&folder->parts);
}
