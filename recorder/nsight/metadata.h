/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* What a database of Nsight Systems says about itself and its recording. */
#include "database.h"
#include "../format/format.h"

#include <stdio.h>

/* Whether Nsight Systems made the database, or nvtxh export did. Newer versions leave out tables
 * without rows, so a database may have few tables. */
bool metadata_is_report(struct database *d);

/* Whether nvtxh export made the database. */
bool metadata_is_export(struct database *d);

/* The rank and job that the environment of nsys names; REC_RANK_NONE, "": none. `several`: the
 * database has several processes. */
void metadata_identity(struct database *d, bool several, struct rec_identity *ret);

/* Prints the warnings and errors of the recording, each once. */
void metadata_print_warnings(struct database *d, FILE *out);
