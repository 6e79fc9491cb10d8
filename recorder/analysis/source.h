/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A source: a file of some kind, opened for reading, from which spans come. Reports, exports and
 * pages are made from a source, and do not depend on its kind. A kind of source embeds struct
 * source in its own struct. "A text" is the number of a text in source.strings. */
#include "span.h"
#include "switches.h"
#include "../util/io.h"
#include "../util/map.h"
#include "../util/string_table.h"

#include <stddef.h>
#include <stdio.h>

struct payload_visitor;
struct source_kind;

/* Names of categories or threads of a process, in the order in which each first got a name. */
struct source_names {
    struct source_name {
        uint32_t domain, id, name; /* name: a text; the name that was given last */
    } * all;
    size_t count, capacity;
    struct map index; /* domain << 32 | id -> index in `all` */
};

struct source_process {
    uint32_t number; /* its index in source.processes */
    uint32_t pid, ppid;
    uint32_t again;                  /* how many earlier processes had the same pid */
    uint32_t exe;                    /* text: the path of its executable */
    const char *host;                /* "": not known */
    struct rec_identity identity;    /* a number that is not known is REC_RANK_NONE */
    bool lacks_beginning;            /* its first events may be missing */
    const struct switches *switches; /* of its threads; NULL: not recorded */
    struct map domains;              /* number of a domain -> text: its name */
    struct source_names categories;
    struct source_names threads; /* by tid, all in domain 0 */
};

/* A lane takes the place of a thread: it shows the operations of a GPU's stream, or what is in a
 * scope of NVTX. The numbers of lanes begin here, above the ids of all threads of Linux. People see
 * only a lane's name, not its number. */
enum { SOURCE_LANES = 1 << 23 };

struct source {
    const struct source_kind *kind;
    struct string_table strings;
    uint32_t functions; /* the domain whose messages are names of functions (a text); 0: none */
    struct source_process *processes; /* complete with all names, once the source is open */
    size_t process_count;
    uint64_t start;      /* ns since 1970; times of spans count from here */
    uint8_t session[16]; /* identifies the session, one run of a recorder; sources may share it */
    const char *command; /* the command line that was recorded; "": not known */
    struct rec_usage usage; /* of the program; all 0: not known */
    uint64_t elapsed;       /* ns from its start to its end; 0: not known */
    int64_t from, to;    /* ns: the window that the source covers; INT64_MIN, INT64_MAX: no limit */
    bool is_snapshot;    /* it holds a part of a session */
    bool is_empty;       /* no process wrote to it */
    bool is_over;        /* nothing is added to it any more */
    bool hosts_differ;   /* the processes are of several hosts */
    bool has_operations; /* some spans are operations of GPUs */
    struct filter *filter; /* which spans are handed out; NULL: all of them */
    struct fold *fold;     /* see fold_use; NULL: spans have the names that were recorded */
    struct map folded;     /* domain << 32 | text -> the text by which fold_text shows it */
    bool enough;           /* set by the receiver of the spans to end this pass */
    bool by_launch;        /* set by the receiver: see spans in struct source_kind */
    bool is_again; /* set by the receiver: the spans are read again; damage is not counted twice */
    /* set by the receiver: spans of operations of GPUs get `launch`, and `end_tid` is the thread
     * that launched them */
    bool launches;
    int error; /* errno of the read that failed, after which nothing more is read; 0: none failed */
    void (*progress)(const char *what, uint64_t done, uint64_t all); /* may be NULL */
};

/* A time for which a source lacks events. */
enum source_hole_kind { SOURCE_PAUSE, SOURCE_LOSS, SOURCE_GAP };
struct source_hole {
    /* ns. PAUSE: nothing was recorded from `from` to `to`. LOSS: events were lost before `from`.
     * GAP: events just before `from` were overwritten. INT64_MAX: the end of the source. */
    int64_t from, to;
    uint64_t events; /* LOSS: how many */
};
typedef void source_hole_function(void *arg, const struct source_hole *hole);

/* What a program named, created or destroyed at one time. */
struct source_definition {
    enum source_definition_kind {
        SOURCE_DOMAIN,      /* created a domain */
        SOURCE_DOMAIN_GONE, /* destroyed a domain */
        SOURCE_CATEGORY,    /* named a category of the domain */
        SOURCE_THREAD,      /* named a thread with NVTX */
        SOURCE_RESOURCE,    /* named a stream, a device, an event or the like */
    } kind;
    const struct source_process *process;
    int64_t at;      /* ns since source.start */
    uint32_t domain; /* its number in the process */
    uint32_t id;     /* of the category or the thread */
    uint32_t name;   /* text; 0 for SOURCE_DOMAIN_GONE */
    struct {
        const char *type;    /* "CUDA stream" */
        uint64_t identifier; /* its handle, pointer or number */
    } resource;              /* only of SOURCE_RESOURCE */
};
typedef void source_definition_function(void *arg, const struct source_definition *definition);

/* The functions of a kind of source. NULL stands for a function that would do nothing. */
struct source_kind {
    /* Whether a file is of this kind. NULL for the one kind that gets each file that no other kind
     * recognizes; the `open` of that kind fails, and says why, if the file is of no kind. */
    bool (*recognizes)(const char *path);
    /* Opens a file. On failure: NULL with a message of one line, without the path. Sets all members
     * of the source, except filter, fold, folded, enough, by_launch, is_again, launches and
     * progress, which the receiver of the spans sets. A member that is not known gets the value
     * that struct source names for this case, and no string is NULL. If the file has no session,
     * `session` is made from its contents, because two files with the same `session` count as the
     * same recording. If a read fails later, `error` becomes an errno, even if a library has codes
     * of its own. */
    struct source *(*open)(const char *path, struct error *ret_error);
    /* Adds the processes and spans of another file to a source that was opened and not read yet.
     * False with a message like that of `open`; the source can then only be closed. If `add` is
     * NULL, several files of this kind must be merged into one before they are read. */
    bool (*add)(struct source *s, const char *path, struct error *ret_error);
    void (*close)(struct source *s); /* frees the source; calls source_free() */

    /* Calls f for every span, also for those that source.filter leaves out, and enter (may be NULL)
     * for every push. Within a thread, pushes with a pop come in the order of their ends; ranges of
     * one domain that overlap without nesting are SPAN_START_END. Clears source.enough first, ends
     * soon after f has set it, and can be called again. Self times count only in the window of
     * source.filter. If source.by_launch is set, an operation of a GPU comes at the time of its
     * launch, before the range that launched it ends. enter is then called for operations, too,
     * with this range as `outer`, and for process ranges (SPAN_START_END). spans_each then filters
     * ranges by thread, domain and name, not by the window, and leaves out no operations. */
    void (*spans)(struct source *s, span_function *f, span_enter *enter, void *arg,
                  struct span_totals *ret_totals);

    /* Calls f for all definitions, process by process, in the order of their times. May be NULL. */
    void (*definitions)(struct source *s, source_definition_function *f, void *arg);

    /* Visits the fields of a span's payloads, if they have fields. Never NULL. */
    void (*payload)(struct source *s, const struct span *span, struct payload_visitor *v);

    /* Calls f for each field that payloads may have: `number` is its index in `schema`. The names
     * `schema` and `field` may be "". May be NULL. */
    void (*fields)(struct source *s,
                   void (*f)(void *arg, const char *schema, const char *field, unsigned number),
                   void *arg);

    /* Calls f for each hole of a kind: for each pause of a process, or for each loss or gap in a
     * thread's part of a stream. May be NULL. */
    void (*holes)(struct source *s, enum source_hole_kind kind, const struct source_process *p,
                  uint32_t stream, uint32_t tid, source_hole_function *f, void *arg);

    /* Whether the stream has the events of signal handlers. May be NULL. */
    bool (*in_handlers)(const struct source *s, const struct source_process *p, uint32_t stream);

    /* Prints what a report of this source lacks. It is called before the lines about totals are
     * printed and, with `is_after`, after them. Never NULL. */
    void (*notes)(const struct source *s, bool is_after, FILE *out);

    /* What is wrong with the file, in one sentence, or NULL. Call it after a pass. Never NULL. */
    const char *(*damage)(const struct source *s, char *buffer, size_t size);
};

/* The name of a domain: a text; 0 for the default domain. */
uint32_t source_domain(const struct source_process *p, uint32_t domain);

/* The name of a category or of a thread: a text; 0 if the program gave none. */
uint32_t source_category(const struct source_process *p, uint32_t domain, uint32_t category);
uint32_t source_thread(const struct source_process *p, uint32_t tid);

/* The file name of a process's executable, without its path. */
const char *source_program(const struct source *s, const struct source_process *p);

/* Names category `id` of a domain, or thread `id` (`domain`: 0). `name`: number of a text. */
void source_name_add(struct source_names *n, uint32_t domain, uint32_t id, uint32_t name);

/* The name of a process's host if the source has several hosts, else "". */
const char *source_host(const struct source *s, const struct source_process *p);

bool source_has_ranks(const struct source *s);
bool source_has_switches(const struct source *s);

/* False with a message if a read has failed since the source was opened. Then all output made from
 * the source is incomplete. */
bool source_was_read(const struct source *s, struct error *ret_error);

/* Frees what struct source points to. */
void source_free(struct source *s);

/* --- the spans that a source's filter leaves in ---------------------------------------------- */

/* Calls f for every span, and enter, which may be NULL, for every push. Within a thread, pushes
 * with a pop come in the order of their ends. If f sets source.enough, the pass ends soon, and the
 * totals are incomplete. */
void spans_each(struct source *s, span_function *f, span_enter *enter, void *arg,
                struct span_totals *ret_totals);

/* Calls f for every span in the order of their starts, outer before inner. Memory is bounded: if
 * there are too many spans to sort at once, they go to a temporary file in $TMPDIR or /var/tmp, 10
 * to 30 bytes each. False with a message if this file cannot be made, written or read. */
bool spans_in_order(struct source *s, span_function *f, void *arg, struct error *ret_error);

/* Calls f for each time in which it is known whether a thread had a processor: `place` of the span
 * is the enum switches_state, `payload` its processor. */
void spans_of_switches(const struct source *s, const struct source_process *p, uint32_t tid,
                       span_function *f, void *arg);

/* Adds to `off`, by enum switches_state, how long the thread of a push/pop range had no processor.
 * `off` stays NULL while that is known of no range; otherwise it is allocated. `before`: the ns of
 * the ranges that were added before. */
void spans_add_off(double **off, double before, const struct span *span);

/* Of `total` ns: what is known of the time with a processor, blocked or preempted; or the share in
 * percent of the known time with one, if that is most of it. NaN: nothing is known. */
enum { SPANS_CPU, SPANS_BLOCKED, SPANS_PREEMPTED, SPANS_PERCENT };
double spans_time(const double *off, double total, int which);

/* Like spans_in_order, but thread by thread. A process range is of the thread that began it. */
bool spans_by_thread(struct source *s, span_function *f, void *arg, struct error *ret_error);

/* Like spans_in_order, but first calls enter for all pushes, in the order of spans_each. */
bool spans_in_order_nested(struct source *s, span_function *f, span_enter *enter, void *arg,
                           struct span_totals *ret_totals, struct error *ret_error);

/* Sorts the spans that are passed to span_order_add. span_order_end calls f for them in the order
 * of spans_in_order, frees `order`, and fails like spans_in_order. */
struct span_order *span_order_begin(void);
void span_order_add(void *order, const struct span *span);
bool span_order_end(struct span_order *order, struct source *s, span_function *f, void *arg,
                    struct error *ret_error);
