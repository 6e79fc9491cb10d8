/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A span: a range, a mark, or a counter's sample. All reports and exports are made from spans. */
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct source_process;

/* Ranges with PUSH_POP nest in their thread and domain. Ranges with START_END, called process
 * ranges, may end on another thread. A counter's sample is a span without length; its payload is
 * the value. */
enum span_style { SPAN_PUSH_POP, SPAN_START_END, SPAN_MARK, SPAN_COUNTER };

extern const char *const span_style_names[]; /* the names in CSV and JSON */

/* Where the file has the payloads with fields (struct rec_blob) of a span's beginning or end. */
struct span_blobs {
    uint64_t place, size; /* offset in the file, and size in bytes; size 0: there are none */
};

/* The struct has no padding, because span_order.c compares it word by word. */
struct span {
    const struct source_process *process;
    /* The threads that began and ended it. If source.launches or source.by_launch is set, end_tid
     * of an operation of a GPU is the thread that launched it, as far as that is known. */
    uint32_t tid, end_tid;
    int64_t start, end; /* ns since source.start; equal for marks and samples */
    int64_t self;       /* PUSH_POP: ns in which it was the innermost range of its thread */
    /* PUSH_POP: `self` plus the self times of ranges in it that the filter leaves out; ns. The busy
     * times of a thread's spans add up to the time in which any of them was open. */
    int64_t busy;
    /* PUSH_POP, if span_enter asks for them; ns. The time in which a thread had ranges of one
     * `place` open is shared out to these ranges, each ns to one. `inclusive`: what this range got
     * (corrections may make it negative). `late`: how much of it is after nesting.late. */
    int64_t inclusive, late;
    uint32_t place; /* what span_enter (below) returned, without flags; 0 if it was not called */
    union {
        uint32_t depth; /* PUSH_POP: depth in its thread and domain; outermost: 0 */
        uint32_t unit;  /* COUNTER: the unit of its value, a text; 0: none */
    };
    uint32_t text, domain_name; /* strings: its message (0: none), its domain's name (0: default) */
    uint32_t domain;            /* number of the domain in the process */
    uint32_t stream; /* number of the stream that has its beginning or its end, or both */
    union {
        uint64_t range; /* START_END: the range's id */
        /* of an operation of a GPU, if source.by_launch or .launches is set: when it was launched,
         * in ns; INT64_MIN: not known */
        int64_t launch;
    };
    uint32_t color, category;
    bool has_color, has_category;
    bool open;              /* no end was recorded; `end` was set by the rules of FORMAT.md */
    bool is_registered : 1; /* the message is a registered string; nvtxh registers literals */
    bool is_hidden : 1;     /* the filter leaves it out */
    bool on_gpu : 1;        /* an operation of a GPU; its thread is a lane: see SOURCE_LANES */
    enum span_style style : 5;
    enum rec_payload payload_type;
    uint64_t payload;
    struct span_blobs begin, end_blobs; /* payloads of its beginning; of its end */
};

struct span_totals {
    uint64_t events;  /* pushes, pops, starts, ends, marks, samples of counters */
    uint64_t threads; /* threads that had events */
    uint64_t dropped; /* events lost because there was no room */
    uint64_t open;    /* ranges that had no end: see span_totals_open */
    /* The first names of these ranges, and how many ranges have each; `count` is 0: no name. */
    struct span_open_name {
        uint32_t domain_name, text;
        uint64_t count;
    } open_names[3];
    uint64_t pops; /* pops without a push */
    uint64_t ends; /* ends without a start, and second ends */
    uint64_t cut;  /* how many of the ranges in `open` end before their process does */
    /* Pops without a push in their domain, while a range of another domain was open; not counted in
     * `pops`. popped_domain, open_domain: the names of both domains at the first such pop. */
    uint64_t misdirected;
    bool is_crowded; /* set by gpu_make: see GPU_ROWS */
    uint32_t popped_domain, open_domain;
    uint64_t lost[REC_LOSS_SIZE]; /* by cause: see enum rec_loss */
};

/* Counts a range that had no end. */
void span_totals_open(struct span_totals *t, const struct span *span);

typedef void span_function(void *arg, const struct span *span);

/* Called at every push. engine_open calls it, too, for pushes that may still be taken back. `outer`
 * is the innermost range, of any domain, that is open on the thread before the push, or NULL. The
 * two highest bits of the result are flags, the other bits become the span's `place`. SPAN_HIDDEN:
 * the filter leaves the span out. SPAN_INCLUSIVE: the receiver needs `inclusive` and `late` of the
 * span, which take time to compute at each push and pop. */
#define SPAN_HIDDEN (UINT32_C(1) << 31)
#define SPAN_INCLUSIVE (UINT32_C(1) << 30)
#define SPAN_PLACE (SPAN_INCLUSIVE - 1)
typedef uint32_t span_enter(void *arg, const struct span *span, const struct span *outer);

/* A value: an event's payload, a counter's sample, or an entry of a payload with a schema. */
struct value {
    /* UNSIGNED, SIGNED and REAL have the numbers of REC_PAYLOAD_U64, _I64 and _F64. */
    enum { VALUE_NOTHING, VALUE_UNSIGNED, VALUE_SIGNED, VALUE_REAL, VALUE_TEXT } kind;
    union {
        uint64_t u;
        int64_t i;
        double d;
    };
    const char *text; /* as the program gave it, or the name of an enum's value */
    size_t size;
    bool is_enumerator; /* the text is the name of an enum's value */
    bool is_message;    /* the program's message for the event */
};

/* Receives the fields of payloads. `enter` and `leave` enclose the values of a struct or an array.
 * The values of an array have empty names. */
struct payload_visitor {
    void *arg;
    void (*value)(void *arg, const char *name, const struct value *value);
    void (*enter)(void *arg, const char *name, bool array); /* may be NULL */
    void (*leave)(void *arg, bool array);                   /* may be NULL */
};

/* The number that a span has as payload or value; VALUE_NOTHING: the span has no number. */
struct value value_of_span(const struct span *s);

#define VALUE_DIGITS 40 /* bytes that suffice for the digits of any number */

/* A number with the fewest digits that read back as the same number; "" for other values. */
const char *value_digits(const struct value *v, char buffer[VALUE_DIGITS]);

/* Any value as text; "-" for VALUE_NOTHING. */
const char *value_text(const struct value *v, char buffer[VALUE_DIGITS], size_t *ret_size);

/* The number that a span has, as a double; 0 if it has none. */
double value_number(const struct span *s);
