/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Built in place of image.c if libelf was not found. */
#include "image.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"

bool image_open(struct image *image, const char *path, struct error *ret_error) {
    *image = (struct image){.fd = -1};
    error_set(ret_error, "this nvtxh was built without libelf (Debian: libelf-dev)");
    return false;
}

void image_close(struct image *image) {
}

struct image_symbols image_symbols(const struct image *image) {
    return (struct image_symbols){0};
}
