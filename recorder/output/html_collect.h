/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Collects the data of a recording's pack; html.h explains kinds, paths, entries and tracks. Memory
 * is bounded: if there are too many entries (HTML_MOST), short entries of one path that begin close
 * together are merged; if that is not enough, also short entries of paths with the same parent. */
#include "../util/map.h"
#include "../util/memory.h"
#include "../analysis/source.h"

#include <stdio.h>

#ifndef HTML_MOST
#define HTML_MOST 1250000
#endif

struct html_kind {
    enum span_style style;
    /* domain_name, text: numbers in source.strings; category: 1 + index in `categories`; 0: none */
    uint32_t domain_name, text, color, category;
    bool has_color;
};

struct html_path {
    uint32_t parent, kind;
};

struct html_category {
    uint32_t number, name; /* number: as in the program; name: a number in source.strings */
};

/* What the page shows in one place: a thread's ranges and marks (those in signal handlers are a
 * second track), a domain's process ranges, a counter, or a lane (see SOURCE_LANES). */
struct html_track {
    enum span_style style; /* not SPAN_MARK: marks are in tracks of ranges */
    const struct source_process *process;
    uint32_t tid, stream, domain_name, text, unit; /* members that do not apply are 0 */
    uint32_t count;                                /* how many entries the track has */
};

struct html_thread {
    const struct source_process *process;
    uint32_t tid;
};

struct html_entry {
    int64_t start, end;
    uint32_t path, track;
    uint64_t count; /* how many ranges, marks or samples were merged into the entry */
    uint8_t flags;  /* as FLAGS in html.h */
    union {
        struct {
            uint64_t total, inner, least, most;
        }; /* of ranges, in ns: total duration, time in nested ranges, shortest, longest duration */
        struct {
            double last, low, high, sum;
        }; /* of a counter's samples */
    };
    uint64_t payload; /* a number's bits; with HTML_PAYLOAD_TEXT: number of a text in `payloads` */
    uint32_t thread;  /* of a process range: index in `threads` of the thread that began it */
    /* index of the thread that ended it or, with HTML_LAUNCHED, launched the GPU operation */
    uint32_t end_thread;
    int64_t launch; /* with HTML_LAUNCHED: when the operation was launched; ns */
};

struct html_collected {
    struct source *source;
    struct html_entry *entries; /* in the order of their beginnings */
    size_t count, capacity;
    struct html_kind *kinds; /* kinds[0] is the kind of paths[0] */
    size_t kind_count, kind_capacity;
    struct html_path *paths; /* paths[0] is the parent of outermost ranges */
    size_t path_count, path_capacity;
    struct html_category *categories;
    size_t category_count, category_capacity;
    struct html_track *tracks;
    size_t track_count, track_capacity;
    struct html_thread *threads;
    size_t thread_count, thread_capacity;
    struct string_table payloads; /* payloads with schemas, as JSON */
    size_t payload_bytes;         /* how many bytes `payloads` has */
    uint64_t payloads_left_out;
    /* The *_index maps have indices in the arrays above as values. keys: see pair() in
     * html_collect.c. last: track << 32 | path -> index in `entries` of the last short entry. */
    struct map keys, kind_index, path_index, category_index, track_index, thread_index, last;
    struct span_totals totals;
    int64_t end;       /* the latest end of a span; ns */
    uint64_t spans;    /* how many were collected, before merging */
    int64_t width;     /* entries shorter than this are merged; ns; 0: none are merged */
    bool names_merged; /* entries of different paths with the same parent are merged, too */
};

/* Collects a recording's spans. False with a message. Call html_collected_free in any case. */
bool html_collect(struct html_collected *c, struct source *source, struct error *ret_error);
void html_collected_free(struct html_collected *c);

/* The strings that a pack uses. The head lists them: in the pack, the number of a text is 1 + its
 * index in this list; 0 is no text. */
struct html_strings {
    struct map index; /* number in source.strings -> index in `all` */
    uint32_t *all;    /* the list: numbers in source.strings */
    size_t count, capacity;
};

/* The pack's number for a text of source.strings; adds the text to the list if it is new. */
static inline uint32_t html_text(struct html_strings *t, uint32_t text) {
    return text ? 1 + MAP_INTERN(&t->index, text, t->all, t->count, t->capacity, text) : 0;
}

struct export_job;

/* Writes the head of a pack: everything that is not in columns, as JSON. Call it after the columns
 * were made, because they add to the strings that the head lists. `name`: of the recording. */
void html_head_write(const struct html_collected *c, struct html_strings *strings,
                     const struct export_job *job, const char *name, FILE *out);
