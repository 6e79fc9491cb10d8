/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built in place of html.c if zlib was not found. */
#include "export.h"
#include "html.h"

#include <stdio.h>

static bool fail(char *ret_error, size_t error_size)
{
    snprintf(ret_error, error_size, "this nvtxh was built without zlib (Debian: zlib1g-dev)");
    return false;
}

bool html_write(const struct html_part *parts, size_t count, FILE *out, char *ret_error,
                size_t error_size)
{
    (void)parts;
    (void)count;
    (void)out;
    return fail(ret_error, error_size);
}

bool export_html(struct recording *r, FILE *out, char *ret_error, size_t error_size)
{
    (void)r;
    (void)out;
    return fail(ret_error, error_size);
}
