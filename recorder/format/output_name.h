/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_OUTPUT_NAME_H
#define NVTXH_RECORDER_OUTPUT_NAME_H
/* Names of output files with fields, which the process that writes the file fills in:
 *
 *   %h host · %p pid · %r rank · %j job · %n the first number, from 1, that gives a new name · %% a percent sign
 *
 * A rank or job that is not known is "none". A '/' in a field becomes a '_'. A name without a '%' is used unchanged. */
#include "identity.h"

#include <limits.h>
#include <stdbool.h>

#define OUTPUT_NAME_MOST 10000 /* highest %n */
#define OUTPUT_NAME_FIELDS "%h, %p, %r, %j, %n and %%"

/* Whether the name has the field `letter`. */
bool output_name_has(const char *name, char letter);

/* Returns the character after the first '%' that makes no field, or '%' itself if that ends the name; 0: no mistake. */
char output_name_mistake(const char *name);

/* Fills in the fields; %r and %j are those of `who`. Anything else stays as it is. False with errno: too long. */
bool output_name_expand(const char *name, const struct rec_identity *who, unsigned number, char ret_path[PATH_MAX]);

/* Makes the name that expands to `text`: doubles each '%'. False with errno: too long. */
bool output_name_escape(const char *text, char ret_name[PATH_MAX]);

/* Makes the missing directories of a path. False with errno. */
bool output_name_make_directories(const char *path);

#endif /* NVTXH_RECORDER_OUTPUT_NAME_H */
