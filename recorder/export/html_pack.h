/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_PACK_H
#define NVTXH_EXPORT_HTML_PACK_H
/* The blocks of a pack. */
#include "html.h"
#include "html_collect.h"

#include <stddef.h>

/* A growing buffer of bytes: a column of a pack. A zeroed struct is an empty buffer. */
struct html_buffer {
    unsigned char *bytes;
    size_t size, room;
};

struct html_pack {
    char *head;
    size_t head_size;
    struct html_buffer columns[HTML_COLUMNS];
};

/* False if there is no memory for the head. */
bool html_pack_make(struct html_pack *p, struct html_collected *c, const char *name);
void html_pack_free(struct html_pack *p);

#endif /* NVTXH_EXPORT_HTML_PACK_H */
