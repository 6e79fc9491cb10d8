/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Files of Nsight Systems as a source. Reports such as .nsys-rep cannot be read; the error message
 * says how to convert them. */
#include "../analysis/source.h"

extern const struct source_kind nsight_kind;

/* Opens a database. The function itself is NULL if nvtxh was built without SQLite. */
__attribute__((weak)) struct source *nsight_open(const char *path, struct error *ret_error);
