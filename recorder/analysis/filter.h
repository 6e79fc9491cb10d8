/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Selects a part of a source. source.filter is applied where spans are handed out, so that every
 * report, export and page leaves out the same spans:
 *
 * Window: [from, to), in ns since the recording began. A range that is partly in the window is cut
 * at the window's edges: start, end and self time are those of the part within, and the range
 * counts as one instance. A range with no time in the window is left out. A range of length 0 is
 * treated like a mark: it counts if it lies in the window.
 *
 * Thread, domain, name: events that a filter leaves out count as if they had never been annotated,
 * except for self times, which exclude the time of all nested ranges, shown or not. */
#include "source.h"

#include <regex.h>

struct filter {
    int64_t from, to; /* the window; FILTER_ALL: INT64_MIN, INT64_MAX */
    /* Number or name of the thread, or of the thread on which a process range began. NULL: all. */
    const char *thread;
    /* "": the default domain. "default": it, too, unless a domain has this name. NULL: all. */
    const char *domain;
    const char *name;   /* extended regular expression, searched in domain:message; NULL: all */
    const char *exact;  /* domain:message, which may have # for each number; NULL: all */
    regex_t regex;      /* `name`, compiled by filter_begin */
    struct map matches; /* domain_name << 32 | text -> whether `name` and `exact` match */
    bool has_default;   /* set by filter_use: a domain of the source is named "default" */
    bool is_given;      /* set by filter_use: it selects a part of what the source covers */
    bool has_matched;   /* set by spans_each when it hands out a span */
};
#define FILTER_ALL                                                                                 \
    { .from = INT64_MIN, .to = INT64_MAX }

/* Call it before the filter is used. False with a message: `name` is not a regular expression. */
bool filter_begin(struct filter *f, struct error *ret_error);
void filter_end(struct filter *f);

/* Whether the filter may leave anything out. */
bool filter_selects(const struct filter *f);

/* Makes `f` the source's filter, with its window cut to the source's window. A filter that leaves
 * nothing out is not set. */
void filter_use(struct filter *f, struct source *s);

/* Whether a text matches. Ends the program if there is no memory. */
bool filter_is_match(const regex_t *regex, const char *text);

/* Whether thread, domain and name match; only the thread. */
bool filter_wants(struct filter *f, const struct source *s, const struct span *span);
bool filter_wants_thread(const struct filter *f, const struct source *s, const struct span *span);

/* Cuts a span at the edges of the window. False: it is not in the window. */
bool filter_cut(const struct filter *f, struct span *span);

/* How much of the time from `start` to `end` is in the window. `f` may be NULL. */
int64_t filter_within(const struct filter *f, int64_t start, int64_t end);
