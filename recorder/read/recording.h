/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_READ_RECORDING_H
#define NVTXH_READ_RECORDING_H
/* A recording, opened for reading. Nothing in the file is trusted: invalid parts are left out and
 * counted in `damage`. The file may still be growing. */
#include "schema.h"
#include "time_domains.h"
#include "../base/map.h"
#include "../format/format.h"
#include "../source/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A chunk, as its header was when the recording was opened. */
struct chunk_ref {
    uint64_t offset;
    uint64_t dropped;     /* events that the stream lost after this chunk */
    uint64_t base, begun; /* ticks: the base of the records' times; the beginning of the chunk */
    uint32_t used;        /* bytes that may be read: published, and within the file */
    uint32_t tentative;   /* `used` plus pushes that may be taken back: see recording_readable */
    uint64_t left_out;    /* ranges whose pushes were taken back */
    uint64_t left_at;     /* ticks when the last of these ranges ended; 0: not known */
    uint32_t size, process, stream, seq, tid, lane, origin; /* see struct rec_chunk */
    bool ring; /* of a ring: chunks before this one may be overwritten */
};

/* At `ticks`, recording of the process begins (open) or stops. */
struct gate {
    uint64_t ticks;
    bool open;
};

struct process {
    struct source_process *source;
    struct rec_process info;
    uint32_t origin;       /* which of several merged recordings it is from */
    uint64_t bound;        /* ns: shorter pushed ranges were left out; 0: none */
    bool known;            /* its record of kind REC_PROCESS was found */
    struct map registered; /* id of a registered string -> its text */
    struct schemas schemas;
    struct time_domains times;
    uint32_t *tools; /* texts: paths of the other tools that got the same calls of NVTX */
    size_t tool_count, tool_room;
    struct gate *gates; /* by time, open and closed in turn */
    size_t gate_count, gate_room;
    /* Its chunks in recording.chunks. Those of the stream of definitions come first. */
    size_t first_chunk, chunk_count;
};

struct damage {
    uint64_t bad_chunks;  /* regions without a valid chunk, and gaps in the chunks of a stream */
    uint64_t bad_records; /* unreadable rests of chunks, unknown presets, invalid rows */
    uint64_t no_text;     /* events whose message is missing */
    uint64_t missing;     /* bytes that the file lacks at its end */
};

struct recording {
    struct source source;
    int fd;
    uint64_t size;
    struct rec_header header;
    struct chunk_ref *chunks; /* sorted by process, stream, number in the stream */
    size_t chunk_count, chunk_room;
    /* In the order of their numbers in the file. processes[i] belongs to source.processes[i]. */
    struct process *processes;
    struct rec_statistics statistics; /* if source.is_statistics */
    struct timeline *timelines; /* by origin: each of the merged recordings has its own clocks */
    size_t timeline_count, timeline_room;
    struct damage damage;
    uint64_t read_bytes; /* how many bytes of chunks this pass over the events has read so far */
    uint64_t read_all;   /* how many bytes of chunks this pass reads in all */
};

/* The recording of a source whose kind is `recording_kind`. */
static inline struct recording *recording_of(const struct source *s) {
    return (struct recording *)((char *)(uintptr_t)s - offsetof(struct recording, source));
}

/* Reads from the recording's file. Returns fewer bytes only at the end of the file or after a read
 * error, which it notes in `source.error`. A pass over the recording ends early after an error; the
 * function that began the pass then calls source_was_read. */
size_t recording_read(struct recording *r, void *ret_bytes, size_t size, uint64_t offset);

/* Whether a chunk is still where it was found: the chunks of a ring are filled again and again.
 * *ret_now becomes its header. */
bool recording_chunk(struct recording *r, const struct chunk_ref *ref, struct rec_chunk *ret_now);

/* Call it after a chunk was read up to `tentative`. Returns where the valid part ends: during the
 * read, the writer may have taken back and overwritten pushes. */
uint32_t recording_readable(struct recording *r, const struct chunk_ref *ref);

/* Finds the chunks, and reads the processes' streams of definitions. False if the file is no
 * recording or cannot be read; ret_error says why in one line. */
bool recording_open(struct recording *r, const char *path, struct error *ret_error);
void recording_close(struct recording *r);

/* Opens a recording again, because it may have grown, or for the first time: then r->fd is -1 and
 * all other members are 0. Texts keep their numbers; the rest of *r is new. The caller must call
 * recording_close, also if this returns false. */
bool recording_again(struct recording *r, const char *path, struct error *ret_error);

/* For a recording under way on this machine: adds a sample that was taken now, so that times up to
 * now need no extrapolation. */
void recording_add_sample(struct recording *r, const struct rec_sample *sample);

/* recording_let_go closes the file but keeps the rest, so that many recordings can be open at a
 * time. recording_take_up opens the file again. False with errno on failure; ESTALE: `path` is
 * another recording now. */
void recording_let_go(struct recording *r);
bool recording_take_up(struct recording *r, const char *path);

/* Times are at most this, so that their sums do not overflow. */
#define RECORDING_MAX_NS (INT64_C(1) << 61)

/* Converts ticks of a process to ns since the session's start. */
int64_t recording_ns(struct recording *r, const struct process *p, uint64_t ticks);

/* Adds a gate from the stream of definitions. Ignores a gate that is earlier than the gate before
 * it, or has the same `open` as the gate before it. */
void gates_take(struct process *p, const char *body, uint32_t size, bool open);

/* Whether the process was recorded before its first gate. */
static inline bool gates_open_first(const struct process *p) {
    return !p->gate_count || !p->gates[0].open;
}

/* The end of a range: `end`, or the time of the next closing gate after `start` if that is
 * earlier. */
int64_t gates_cut(struct recording *r, struct process *p, int64_t start, int64_t end);

/* Finds a process's next stream of events: chunks [*first, *next). Both must be 0 before the first
 * call. False: the process has no more streams. */
bool recording_next_stream(const struct recording *r, const struct process *p, size_t *first,
                           size_t *next);

/* Begins a pass over the events. Progress is counted in bytes of their chunks. */
void recording_begin_reading(struct recording *r);

/* Whether a process, or any process of the recording, is still running on this machine, so that
 * more may be written. A recording in which no process has written yet counts as alive. */
bool process_is_alive(struct recording *r, const struct process *p);
bool recording_is_alive(struct recording *r);

/* Whether a process is the program that `nvtxh record` ran. In a file that does not name the
 * program, the program is the only process, if there is just one. */
bool process_is_program(const struct recording *r, const struct process *p);

/* How many processes the events come from. */
uint64_t recording_processes(const struct recording *r);

#endif /* NVTXH_READ_RECORDING_H */
