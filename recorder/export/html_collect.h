/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_COLLECT_H
#define NVTXH_EXPORT_HTML_COLLECT_H
/* The data of a recording's pack; html.h explains kinds, paths and entries. Memory is bounded:
 * beyond HTML_MOST entries, short neighbours with the same path are merged; if that is not enough,
 * short neighbours with the same parent are merged, too. */
#include "../base/map.h"
#include "../base/memory.h"
#include "../source/source.h"

#include <stdio.h>

#ifndef HTML_MOST
#define HTML_MOST 1250000
#endif

struct html_kind {
    enum span_style style;
    /* domain_name, text: numbers in source.texts; category: 1 + its index in categories, 0: none */
    uint32_t domain_name, text, color, category;
    bool has_color;
};

struct html_path {
    uint32_t parent, kind;
};

struct html_category {
    uint32_t number, name; /* number: as the program gave it; name: in source.texts */
};

/* What the page shows in one place: a thread stream's ranges and marks, a domain's process ranges,
 * a lane's ranges and marks, or a counter. */
struct html_track {
    enum span_style style; /* SPAN_PUSH_POP or SPAN_START_END, also for marks; SPAN_COUNTER */
    const struct source_process *process;
    uint32_t tid, stream, domain_name, text, unit; /* those that do not apply are 0 */
    uint32_t count;                                /* of entries */
};

struct html_thread {
    const struct source_process *process;
    uint32_t tid;
};

struct html_entry {
    int64_t start, end;
    uint32_t path, track;
    uint64_t count; /* ranges, marks or samples that were merged into the entry */
    uint8_t flags;  /* as FLAGS in html.h */
    union {
        struct {
            uint64_t total, inner, least, most;
        }; /* of a range; ns */
        struct {
            double last, low, high, sum;
        }; /* of a counter's samples */
    };
    uint64_t payload; /* the bits of the number; with HTML_PAYLOAD_TEXT, a number in `payloads` */
    uint32_t thread;  /* of a process range: index in `threads` */
    /* the thread that ended it; with HTML_LAUNCHED: the thread that launched the operation */
    uint32_t end_thread;
    int64_t launch; /* with HTML_LAUNCHED: ns */
};

struct html_collected {
    struct source *source;
    struct html_entry *entries; /* in the order of their beginnings */
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
    struct texts payloads; /* payloads with schemas, as JSON */
    size_t payload_bytes;  /* in `payloads` */
    uint64_t payloads_left_out;
    /* Maps of keys to indices. last: track << 32 | path -> index in `entries` of the last short
     * entry of this track and path. */
    struct map keys, kind_index, path_index, category_index, track_index, thread_index, last;
    struct span_totals totals;
    int64_t end;       /* the latest end */
    uint64_t spans;    /* how many were added, before merging */
    int64_t width;     /* ns; shorter entries are merged; 0: no entries are merged */
    bool names_merged; /* short entries of different names and the same parent are merged, too */
};

/* Reads a recording. False with a message. Call html_collected_free either way. */
bool html_collect(struct html_collected *c, struct source *source, struct error *ret_error);
void html_collected_free(struct html_collected *c);

/* The texts that the head of a pack lists. The number of a text is 1 + its index in the list; 0 is
 * no text. */
struct html_texts {
    struct map index; /* number in source.texts -> index in `all` */
    uint32_t *all;    /* the list: numbers in source.texts */
    size_t count, room;
};

/* The number of a text in the head; adds the text to the list if it is new. */
static inline uint32_t html_text(struct html_texts *t, uint32_t text) {
    return text ? 1 + MAP_INTERN(&t->index, text, t->all, t->count, t->room, text) : 0;
}

/* Writes the head of a pack: everything that is not in columns, as JSON. Call it after the columns
 * were made: it lists the texts that the columns use. */
void html_head_write(const struct html_collected *c, struct html_texts *texts, const char *name,
                     FILE *out);

#endif /* NVTXH_EXPORT_HTML_COLLECT_H */
