/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_HEAD_H
#define NVTXH_EXPORT_HTML_HEAD_H
/* The head of a pack: everything that is not in columns, as JSON. */
#include "html_collect.h"
#include "html_texts.h"

#include <stdio.h>

/* Call it after the columns were made, because it lists the texts that they use. */
void html_head_write(const struct html_collected *c, struct html_texts *texts, const char *name,
                     FILE *out);

#endif /* NVTXH_EXPORT_HTML_HEAD_H */
