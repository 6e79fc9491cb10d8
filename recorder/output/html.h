/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The page of `nvtxh view` is page/page.html, with one or two recordings packed into it as follows.
 *
 * A pack is one recording: a zlib stream, as base64 in a <script> element. The stream is a sequence
 * of blocks. A block is the size of its contents in bytes (uint32_t, little-endian), then the
 * contents. Block 0 is the head, in JSON: html_head.c lists its members. The other blocks are
 * columns, in the order of enum html_column. An integer in a column is a varint (7 bits a byte,
 * lowest first; bit 7 is set if more bytes follow). A signed integer is zigzag encoded first (0,
 * -1, 1, -2, ... become 0, 1, 2, 3, ...). A real is a double: 8 bytes, little-endian.
 *
 * A kind is a combination of style, domain, message, colour and category. A path is a kind and a
 * parent, which is the path of the enclosing range. Kinds and paths are numbered from 0. Path 0
 * stands for no range: it is the parent of outermost ranges. Its kind is kind 0.
 *
 *   KIND_STYLE                enum span_style
 *   KIND_DOMAIN, KIND_TEXT    0: none; else 1 + the index in head.texts
 *   KIND_COLOR                0: none; else 1 + ARGB
 *   KIND_CATEGORY             0: none; else 1 + the index in head.categories
 *   KIND_LABEL                a kernel's short name, coded like KIND_TEXT; 0: the message is shown
 *   PATH_PARENT               the path's number minus the number of its parent
 *   PATH_KIND                 number of its kind minus number of the previous path's kind, signed
 *
 * An entry is a range, mark or sample, or several of one path that were merged. A track is what the
 * page shows in one place, such as the ranges of a thread. Entries come track by track (head.tracks
 * says how many each track has), and in a track in the order of their beginnings. Columns ENTRY_*:
 *
 *   START     ns since the previous entry of the track began; for a track's first entry: ns since
 *             the recording began, signed
 *   LENGTH    ns from beginning to end
 *   PATH      the number of the path
 *   COUNT     how many ranges, marks or samples were merged into the entry, minus 1
 *   INNER     ns that were spent in nested ranges. The self time of an entry is LENGTH (of a merged
 *             entry: its total) minus INNER. The busy time of a thread is the sum of all self times
 *             of its ranges: the time in which it had any range open
 *   FLAGS     bit 0: the range had no end; bits 1 to 3: the type of the payload, an enum
 *             rec_payload or HTML_PAYLOAD_TEXT; bit 4: a GPU operation whose launch is known
 *   These columns have values only for entries to which they apply:
 *   VALUE     an integer payload minus the track's previous integer payload, signed; with
 *             HTML_PAYLOAD_TEXT, 1 + the index of the payload in head.payloads
 *   REAL      a real payload, or the value of a sample; for merged samples four reals: the last,
 *             lowest and highest value, and the sum of the values
 *   MERGED    for merged ranges or marks three integers: the total of their durations, the shortest
 *             duration, the longest; ns
 *   THREAD    in a track of style StartEnd two integers: the indices in head.threads of the threads
 *             that began and ended the entry; for a GPU operation whose launch is known also the
 *             index of the thread that launched it, and the ns from launch to start, signed
 *
 * THREAD_OFF has values only if context switches were recorded; else the pack ends before it. It
 * begins with a width in ns, 0: nothing was merged, and a signed time. For each of head.threads
 * follows 0, if its switches were not recorded, or 1 and parts of the time from there to head.end,
 * in each of which the thread was in one state. A part is four integers: for how many ns it was
 * blocked, preempted, in a state that is not known, and on a processor. If there are too many
 * parts, those that are together shorter than the width are one: several integers are not 0.
 *
 * The inclusive time of a name (domain and message) is the time in which ranges of the name were
 * open, summed over threads. The share of a name is this time divided by the sum of all threads'
 * busy times. If entries were merged, only head.exact and head.busy have these times exactly. */
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
    THREAD_OFF,
    HTML_COLUMNS
};

enum { HTML_PAYLOAD_TEXT = 7 };  /* in FLAGS: the payload has a schema */
enum { HTML_LAUNCHED = 1 << 4 }; /* bit 4 of FLAGS */

/* The page in two parts, made by page/embed.py. html.c writes the packs between the parts. */
extern const unsigned char page_before[], page_after[];
extern const size_t page_before_size, page_after_size;
