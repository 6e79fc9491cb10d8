/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built in place of perfetto.c if protobuf-c was not found. */
#include "export.h"

bool export_perfetto(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    (void)r;
    (void)out;
    snprintf(ret_error, error_size,
             "this nvtxh was built without protobuf-c (Debian: libprotobuf-c-dev, "
             "protobuf-c-compiler)");
    return false;
}
