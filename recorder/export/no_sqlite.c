/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built in place of sqlite.c if libsqlite3 was not found. */
#include "export.h"

bool export_sqlite(struct recording *r, const char *path, char *ret_error, size_t error_size)
{
    (void)r;
    (void)path;
    snprintf(ret_error, error_size,
             "this nvtxh was built without libsqlite3 (Debian: libsqlite3-dev)");
    return false;
}
