/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_H
#define NVTXH_EXPORT_HTML_H
/* The page of `nvtxh view`: page/page.html, with one or two recordings packed into it. This comment
 * is the interface between the program and the page:
 *
 * A pack is one recording: a zlib stream, as base64 in an element of its own. The stream is a
 * sequence of blocks. A block is the size of its contents in bytes (uint32_t, little-endian) and
 * its contents. Block 0 is the head, in JSON: html_head.c lists its members. The other blocks are
 * columns, in the order of enum html_column. An integer in a column is a varint (7 bits a byte,
 * lowest first; bit 7 is set if more bytes follow). Signed integers are zigzag encoded before that
 * (0, -1, 1, -2, ... become 0, 1, 2, 3, ...). A real is 8 bytes, little-endian.
 *
 * A kind is a style, a domain, a message, a colour and a category. A path is a kind and a parent,
 * which is the path of the range around it. Both are numbered from 0. Path 0 is the parent of
 * outermost ranges; kind 0 is its kind.
 *
 *   KIND_STYLE                enum span_style
 *   KIND_DOMAIN, KIND_TEXT    0: none; else 1 + the index in head.texts
 *   KIND_COLOR                0: none; else 1 + ARGB
 *   KIND_CATEGORY             0: none; else 1 + the index in head.categories
 *   KIND_LABEL                a kernel's short name, as in KIND_TEXT; 0: it is the message
 *   PATH_PARENT               the path's number minus the number of its parent
 *   PATH_KIND                 the number of its kind minus that of the previous path's kind, signed
 *
 * An entry is a range, mark or sample, or several of one path that were merged. Entries come track
 * by track, as many as head.tracks says, in the order of their beginnings.
 *
 *   START     ns since the previous entry of the track began; for the first entry, ns since time 0,
 *             signed
 *   LENGTH    ns from beginning to end
 *   PATH      the number of the path
 *   COUNT     how many ranges, marks or samples were merged into the entry, minus 1
 *   INNER     ns that were spent in nested ranges. LENGTH (of merged entries: the total) minus
 *             INNER is the self time; the self times of a thread add up to its busy time, the time
 *             in which it had any range open. The inclusive time of a range (domain and message) is
 *             the time that its entries cover, summed over threads. Its share is this time over the
 *             busy times of all threads. head.exact and head.busy have these times if entries were
 *             merged
 *   FLAGS     bit 0: the range had no end; bits 1 to 3: an enum rec_payload, or HTML_PAYLOAD_TEXT;
 *             bit 4: an operation of a GPU whose launch is known
 *   and only where they apply:
 *   VALUE     an integer payload minus the previous one in the track, signed; with
 *             HTML_PAYLOAD_TEXT, 1 + the index of the payload in head.payloads
 *   REAL      a real payload; the value of a sample; for merged samples four reals: last, lowest,
 *             highest, sum
 *   MERGED    for merged ranges three integers: the total of their durations, the shortest, the
 *             longest; ns
 *   THREAD    for a process range two integers: the indices in head.threads of the threads that
 *             began and ended it; for an operation whose launch is known: the index of the thread,
 *             and ns from the launch to the start, signed */
#include <stddef.h>

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
    KIND_LABEL,
    HTML_COLUMNS
};

enum { HTML_PAYLOAD_TEXT = 7 };  /* a payload with a schema, as a text */
enum { HTML_LAUNCHED = 1 << 4 }; /* in FLAGS */

/* The page, made by page/embed.py from the files in its folder: html.c writes recordings between
 * these two parts. */
extern const unsigned char page_before[], page_after[];
extern const size_t page_before_size, page_after_size;

#endif /* NVTXH_EXPORT_HTML_H */
