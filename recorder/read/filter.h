/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_FILTER_H
#define NVTXH_READ_FILTER_H
/*
 * What of a recording is looked at. recording.filter is asked where spans are handed out, so that every report, export
 * and page leaves out the same:
 *
 * Window: [from, to), in ns since the recording began. A range that is partly in it is cut at its edges: start, end and
 * self time are those of the part within, and it counts as one instance. A range with no time in it is left out, but one
 * without length counts like a mark: where it is in the window.
 *
 * Thread, domain, name: what is left out is as if it had not been annotated, but self times stay as they were measured:
 * time in a nested range is not its outer range's, whether the nested one is shown or not.
 */
#include "recording.h"
#include "span.h"

#include <regex.h>

struct filter {
    int64_t from, to;   /* FILTER_ALL: -INF to INF */
    const char *thread; /* number or name, of a process range the one that began it; NULL: all */
    const char *domain; /* "default": the default domain; NULL: all */
    const char *name;   /* extended regular expression that matches in domain:message; NULL: all */
    regex_t regex;
    struct map matches; /* by domain and text, whether they match */
};
#define FILTER_ALL                                                                                 \
    {                                                                                              \
        .from = INT64_MIN, .to = INT64_MAX                                                         \
    }

/* Before it is used. False with a message: `name` is no regular expression. */
bool filter_begin(struct filter *f, char *ret_error, size_t error_size);
void filter_end(struct filter *f);

/* Makes it the recording's filter; in a snapshot its window is at most the snapshot's. A filter that leaves
 * nothing out is not set. */
void filter_use(struct filter *f, struct recording *r);

/* Whether it leaves out anything at all. */
bool filter_is_any(const struct filter *f);

/* Whether a text matches; without memory to find out, the program ends. */
bool filter_is_match(const regex_t *regex, const char *text);

/* By thread, domain and name. */
bool filter_wants(struct filter *f, const struct recording *r, const struct span *span);

/* Cuts it at the edges of the window; false if it is not in it. */
bool filter_cut(const struct filter *f, struct span *span);

/* How much of the time from `start` to `end` is in the window; f may be NULL. */
int64_t filter_within(const struct filter *f, int64_t start, int64_t end);

#endif /* NVTXH_READ_FILTER_H */
