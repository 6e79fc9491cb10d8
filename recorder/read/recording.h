/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_RECORDING_H
#define NVTXH_READ_RECORDING_H
/*
 * A recording, opened for reading. Nothing in the file is trusted: what cannot be right is left out
 * and counted in `damage`. The file may still be being written.
 */
#include "map.h"
#include "schema.h"
#include "texts.h"
#include "time_domains.h"
#include "timeline.h"
#include "../format/format.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chunk_ref {
    uint64_t offset;
    uint64_t dropped;
    uint64_t base, begun; /* ticks */
    uint32_t used;        /* what may be read: published, and in the file */
    uint32_t tentative;   /* the same with what may still be taken back: see recording_readable */
    uint64_t left_out;
    uint32_t size, process, stream, seq, tid, lane, origin;
    bool ring; /* chunks before it may be gone */
};

/* Names that a process gave to numbers: of categories and of threads. */
struct named_ids {
    struct named_id {
        uint32_t domain, id, name; /* the last name given */
    } * all;
    size_t count, room;
    struct map index; /* domain << 32 | id -> which of them */
};

struct gate {
    uint64_t ticks;
    bool open;
};

struct process {
    struct rec_process info;
    struct rec_identity identity;
    uint32_t exe, origin;
    uint64_t bound;        /* ns: shorter pushed ranges were left out; 0: none */
    uint32_t again;        /* how many processes before it had the same: pids are used again */
    bool known;            /* its first record is there */
    struct map domains;    /* id -> text */
    struct map registered; /* id -> text */
    struct named_ids categories;
    struct named_ids threads; /* by tid, all in domain 0 */
    struct schemas schemas;
    struct time_domains times;
    uint32_t *tools; /* texts: paths of the tools that got the same calls */
    size_t tool_count, tool_room;
    struct gate *gates; /* by time, open and closed in turn */
    size_t gate_count, gate_room;
    size_t first_chunk, chunk_count; /* in recording.chunks; names come first */
};

struct damage {
    uint64_t bad_chunks;  /* regions that are no chunk, or not all there */
    uint64_t bad_records; /* places where a chunk could not be read on */
    uint64_t no_text;     /* events whose message is missing */
    uint64_t missing;     /* bytes that had been written behind the file's end */
};

struct recording {
    int fd;
    uint64_t size;
    struct rec_header header;
    struct chunk_ref *chunks; /* by process, stream, number */
    size_t chunk_count, chunk_room;
    struct process *processes; /* by number */
    size_t process_count;
    struct texts texts;
    bool is_statistics; /* it has no events, but rows that were made of them: see statistics.h */
    struct rec_statistics statistics;
    struct timeline *timelines; /* by origin: recordings that were merged have their own clocks */
    size_t timeline_count, timeline_room;
    struct damage damage;
    uint64_t read_bytes; /* of read_all, in this pass over the events */
    uint64_t read_all;
    bool hosts_differ;     /* processes are of more than one */
    struct filter *filter; /* what the events that are handed out are chosen by; NULL: all */
    bool enough;           /* set by who is handed the events: no more of this pass are wanted */
    void (*progress)(const char *what, uint64_t done, uint64_t all); /* may be NULL */
};

/* Reads from its file; fewer bytes where that ends. What cannot be read though it is there ends the program. */
size_t recording_read(const struct recording *r, void *ret_bytes, size_t size, uint64_t offset);

/* Up to where what was read of a chunk is whole, once it has been read up to `tentative`. A writer that has taken
 * something back since may have overwritten it. */
uint32_t recording_readable(const struct recording *r, const struct chunk_ref *ref);

/* Finds its chunks, and reads what its processes named. False: not a recording, and ret_error says why in one line. */
bool recording_open(struct recording *r, const char *path, char *ret_error, size_t error_size);
void recording_close(struct recording *r);

/* Of one under way on this machine: what the clocks say now, so that times up to now need no guess at their rate. */
void recording_add_sample(struct recording *r, const struct rec_sample *sample);

/* For many at a time: closes its file only; and opens it again, with errno if that cannot be, or it is another one now. */
void recording_let_go(struct recording *r);
bool recording_take_up(struct recording *r, const char *path);

/* Times are at most this, so that sums of them are numbers too. */
#define RECORDING_MAX_NS (INT64_C(1) << 61)

/* Nanoseconds from the session's start, of the ticks of a process. */
int64_t recording_ns(struct recording *r, const struct process *p, uint64_t ticks);

/* The next stream of a thread of a process: its chunks are [first, next). Both begin at 0. False: there
 * is none. */
bool recording_next_stream(const struct recording *r, const struct process *p, size_t *first,
                           size_t *next);

/* A pass over the events begins. Progress is counted in their bytes. */
void recording_begin_reading(struct recording *r);

/* Whether a process (or any process of the recording) is still running: then more may be written. */
bool process_is_alive(const struct process *p);
bool recording_is_alive(const struct recording *r);

/* How many processes its events are of. */
uint64_t recording_processes(const struct recording *r);

/* The name of a process's host if there are several in the recording, else "". */
const char *recording_host(const struct recording *r, const struct process *p);

/* Whether a process of it has one. */
bool recording_has_ranks(const struct recording *r);

/* " of process 4711 of rank 3 on node7": which process it is, as far as that tells it from the others of the recording; ""
 * if it is the only one. `pid` is what it is called there. */
enum { RECORDING_PROCESS = 128 };
void recording_process(const struct recording *r, const struct process *p, uint32_t pid,
                       char ret[RECORDING_PROCESS]);

#endif /* NVTXH_READ_RECORDING_H */
