/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_COLLECT_H
#define NVTXH_EXPORT_HTML_COLLECT_H
/*
 * The data that a recording's pack is written from. Memory is bounded: beyond HTML_MOST entries, short neighbours with
 * the same path are merged. If that is not enough, short neighbours with the same parent are merged.
 */
#include "../read/map.h"
#include "../read/spans.h"

#ifndef HTML_MOST
#define HTML_MOST 1250000
#endif

struct html_kind {
    enum span_style style;
    uint32_t domain_name, text, color, category; /* category: 1 + its index in categories */
    bool has_color;
};

struct html_path {
    uint32_t parent, kind;
};

struct html_category {
    uint32_t number, name;
};

/* A track: a thread in a stream, the process ranges of a domain, or a counter. */
struct html_track {
    enum span_style style; /* SPAN_PUSH_POP: the track of a thread, which has its marks, too */
    const struct process *process;
    uint32_t tid, stream, domain_name, text;
    uint32_t count; /* of entries */
};

struct html_thread {
    const struct process *process;
    uint32_t tid;
};

struct html_entry {
    int64_t start, end;
    uint32_t path, track;
    uint64_t count;
    uint8_t flags; /* as FLAGS in html.h */
    union {
        struct {
            uint64_t total, inner, least, most;
        }; /* ns, of ranges */
        struct {
            double last, low, high, sum;
        }; /* of counters */
    };
    uint64_t payload; /* the bits of the number; with HTML_PAYLOAD_TEXT, the text's number */
    uint32_t thread, end_thread;
};

struct html_collected {
    struct recording *recording;
    struct html_entry *entries; /* by time of beginning */
    size_t count, room;
    struct html_kind *kinds; /* kinds[0] is the kind of paths[0] */
    size_t kind_count, kind_room;
    struct html_path *paths; /* paths[0] is the parent of outermost ranges */
    size_t path_count, path_room;
    struct html_category *categories;
    size_t category_count, category_room;
    struct html_track *tracks;
    size_t track_count, track_room;
    struct html_thread *threads;
    size_t thread_count, thread_room;
    struct texts payloads;
    size_t payload_bytes;
    uint64_t payloads_left_out;
    struct map keys, kind_index, path_index, category_index, track_index, thread_index, last;
    struct span_totals totals;
    int64_t end;       /* the latest end */
    uint64_t spans;    /* how many were added, before merging */
    int64_t width;     /* ns; shorter entries are merged. 0: nothing is */
    bool names_merged; /* short entries of different names are merged, too */
};

/* False with a message. Call html_collected_free either way. */
bool html_collect(struct html_collected *c, struct recording *r, char *ret_error,
                  size_t error_size);
void html_collected_free(struct html_collected *c);

/* Interns a path; returns its number. */
uint32_t html_path(struct html_collected *c, uint32_t parent, uint32_t kind);

/* Adds an entry, or merges it into an earlier one. */
void html_add(struct html_collected *c, const struct html_entry *entry);

#endif /* NVTXH_EXPORT_HTML_COLLECT_H */
