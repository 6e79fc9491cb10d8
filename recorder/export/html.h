/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_H
#define NVTXH_EXPORT_HTML_H
/*
 * The page of `nvtxh view`: page/page.html with a recording packed into it, or two. This is the interface between
 * page and program:
 *
 * A pack is a zlib stream, as base64 in an element of its own. Inflated it is a sequence of blocks, each a uint32_t
 * of its size in bytes, then these; little-endian. Block 0 is the head, in JSON: html_head.c writes it, and names
 * what is in it. The others are columns, in the order of enum html_column. A number in a column is a varint (7 bits a
 * byte, lowest first, bit 7: more follow), a signed one zigzag before that (0, -1, 1, -2, ...), a real 8 bytes.
 *
 * Kinds and paths are numbered from 0. Path 0 is that of no range; every other one is a kind within another path:
 * what it was nested in. Kind 0 is path 0's.
 *
 *   KIND_STYLE, KIND_DOMAIN, KIND_TEXT   enum span_style; numbers in head.texts, of which 0 is none
 *   KIND_COLOR, KIND_CATEGORY            0: none; else 1 + ARGB; 1 + its number in head.categories
 *   PATH_PARENT, PATH_KIND               the path's number minus its parent's; minus that of the path before, signed
 *
 * An entry is a range, mark or sample, or several of one path that were merged. They come track by track, as many as
 * head.tracks says, in the order of their beginnings.
 *
 *   START, LENGTH   ns since the previous entry began (a track's first: signed, since 0); ns from beginning to end
 *   PATH            its number
 *   COUNT           how many were merged, minus 1
 *   INNER           ns of them that were in ranges nested in them
 *   FLAGS           bit 0: had no end; bits 1 to 3: enum rec_payload, or HTML_PAYLOAD_TEXT
 *   and, only where they apply:
 *   VALUE           a payload minus the previous one in the track, signed; HTML_PAYLOAD_TEXT: its number in head.payloads
 *   REAL            a payload that is real; of counters: the value; merged: last, least, most, sum
 *   MERGED          of merged ranges: total, least and most ns
 *   THREAD          of process ranges: on which of head.threads they began and ended
 */
#include "../read/recording.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

enum html_column {
    KIND_STYLE,
    KIND_DOMAIN,
    KIND_TEXT,
    KIND_COLOR,
    KIND_CATEGORY,
    PATH_PARENT,
    PATH_KIND,
    ENTRY_START,
    ENTRY_LENGTH,
    ENTRY_PATH,
    ENTRY_COUNT,
    ENTRY_INNER,
    ENTRY_FLAGS,
    ENTRY_VALUE,
    ENTRY_REAL,
    ENTRY_MERGED,
    ENTRY_THREAD,
    HTML_COLUMNS
};

enum { HTML_PAYLOAD_TEXT = 7 };

/* A recording for the page, and its name there. */
struct html_part {
    struct recording *recording;
    const char *name;
};

/* Writes the page of one recording, or of two to be compared. False with a message. */
bool html_write(const struct html_part *parts, size_t count, FILE *out, char *ret_error,
                size_t error_size);

#endif /* NVTXH_EXPORT_HTML_H */
