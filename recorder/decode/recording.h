/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A recording, opened for reading. Its file may still be growing. Nothing in the file is trusted:
 * readers leave out invalid parts, and count them in `damage`. */
#include "schema.h"
#include "timeline.h"
#include "../util/map.h"
#include "../format/format.h"
#include "../analysis/source.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the header of a chunk said when the recording was opened. */
struct chunk_ref {
    uint64_t offset;
    uint64_t dropped;     /* events that the stream lost after this chunk */
    uint64_t base, begun; /* ticks: base of its records' times; when the chunk was begun */
    uint32_t used;        /* bytes that may be read: published by the writer, and in the file */
    uint32_t size, process, stream, seq, tid, in_handlers, origin; /* see struct rec_chunk */
    bool ring; /* the chunk is in a ring: the writer may reuse earlier chunks of the stream */
};

/* At `ticks`, recording of a process begins or resumes (open), or stops (not open). */
struct gate {
    uint64_t ticks;
    bool open;
};

struct process {
    struct source_process *source;
    struct rec_process info;
    uint32_t origin;       /* which of several merged recordings it is from */
    bool known;            /* its record of kind REC_PROCESS was found */
    struct map registered; /* id of a registered string -> its text */
    struct schemas schemas;
    uint32_t tool;      /* text: the path of another tool that got the same calls; 0: none */
    struct gate *gates; /* sorted by time; opening and closing gates alternate */
    size_t gate_count, gate_capacity;
    /* Its part of recording.chunks: the chunks of its definitions, then those of its events. */
    size_t first_chunk, chunk_count;
};

struct damage {
    uint64_t bad_chunks;  /* regions without a valid chunk, and gaps in the chunks of a stream */
    uint64_t bad_records; /* unreadable ends of chunks, unknown presets */
    uint64_t no_text;     /* events whose message is missing */
    uint64_t missing;     /* bytes that the file lacks at its end */
};

struct recording {
    struct source source;
    int fd;
    uint64_t size;
    struct rec_header header;
    struct chunk_ref *chunks; /* sorted by process, stream, number in the stream */
    size_t chunk_count, chunk_capacity;
    /* Chunks of context switches; sorted by merged recording, then by number. */
    struct chunk_ref *switch_chunks;
    size_t switch_chunk_count, switch_chunk_capacity;
    struct switches **switches; /* of each merged recording that has some, once they are read */
    size_t switches_count, switches_capacity;
    /* Processes in the order of their numbers in the file; [i] belongs to source.processes[i]. */
    struct process *processes;
    struct timeline *timelines; /* index: process.origin; one for each merged recording */
    size_t timeline_count, timeline_capacity;
    struct damage damage;
    uint64_t cut_payloads; /* how many payloads were shown with some of their values left out */
    uint64_t read_bytes;   /* how many bytes of chunks this pass over the events has read so far */
    uint64_t read_all;     /* how many bytes of chunks this pass reads in all */
};

/* The recording of a source whose kind is `recording_kind`. */
static inline struct recording *recording_of(const struct source *s) {
    return (struct recording *)((char *)(uintptr_t)s - offsetof(struct recording, source));
}

/* Reads from the recording's file. Returns less than `size` bytes only at the end of the file or
 * after a read error, which it notes in `source.error`. After such an error, a pass over the
 * recording ends early, and the function that began the pass has to call source_was_read. */
size_t recording_read(struct recording *r, void *ret_bytes, size_t size, uint64_t offset);

/* Whether a chunk is still where it was found. If not, its writer has reused it, because the chunks
 * of a ring are filled again and again. *ret_now becomes the header that is now at ref->offset. */
bool recording_chunk(struct recording *r, const struct chunk_ref *ref, struct rec_chunk *ret_now);

/* Finds the chunks, and reads each process's stream of definitions: its names and schemas. False if
 * the file is no recording or cannot be read; ret_error says why in one line. */
bool recording_open(struct recording *r, const char *path, struct error *ret_error);
void recording_close(struct recording *r);

/* Opens a recording again, because it may have grown, or opens one for the first time. Before the
 * first time, r->fd must be -1 and all other members 0. Texts keep their numbers; the rest of *r is
 * new. The caller must call recording_close, also if this returns false. */
bool recording_reopen(struct recording *r, const char *path, struct error *ret_error);

/* recording_release closes the file but keeps all other members, so that many recordings need few
 * descriptors. recording_open_file opens it again. False with errno on failure; ESTALE: `path` is
 * another recording now. */
void recording_release(struct recording *r);
bool recording_open_file(struct recording *r, const char *path);

/* Times in ns are at most this, so that sums of a few times do not overflow. */
#define RECORDING_MAX_NS (INT64_C(1) << 61)

/* Converts ticks of a process to ns since the recording began. */
int64_t recording_ns(struct recording *r, const struct process *p, uint64_t ticks);

/* Adds a gate that was read from the process's definitions. Ignores a gate that is earlier than the
 * gate before it, or has the same `open` as that gate. */
void gates_parse(struct process *p, const char *body, uint32_t size, bool open);

/* Adds gates for pauses that the process has not noticed: it may not have made an event since, or
 * was killed. Those that it has written down stay as they are. */
void gates_add_pauses(struct process *p, const struct rec_pauses *pauses);

/* Whether the process was recorded before its first gate. */
static inline bool gates_open_first(const struct process *p) {
    return !p->gate_count || !p->gates[0].open;
}

/* Where a range ends, in ns: at the first closing gate from `start` on, at the latest at `end`. */
int64_t gates_cut(struct recording *r, struct process *p, int64_t start, int64_t end);

/* Finds a process's next stream of events. Its chunks are [*first, *next) in recording.chunks. Both
 * indexes must be 0 before the first call. False: the process has no more streams. */
bool recording_next_stream(const struct recording *r, const struct process *p, size_t *first,
                           size_t *next);

/* Begins a pass over the events. Progress is counted in bytes of the chunks with events. */
void recording_begin_reading(struct recording *r);

/* Whether a process, or the program, still runs on this machine; whether more may be written to the
 * recording, because one of these runs: the program may start others, and others may go on after
 * it, so header.end is the end of the program, not of the recording. */
bool process_is_alive(struct recording *r, const struct process *p);
bool program_is_alive(const struct recording *r);
bool recording_is_alive(struct recording *r);

/* When the process ended; of the program, the header knows it, too. NULL: that is not known. */
const struct rec_sample *process_end(const struct recording *r, const struct process *p);

struct process *process_of_chunk(struct recording *r, const struct chunk_ref *ref);

/* The inode of the pid namespace to which the process's tids belong; 0: not known. */
uint64_t process_pids(struct recording *r, const struct process *p);

/* Reads the context switches; sets source_process.switches. */
void recording_load_switches(struct recording *r);

/* Writes the end of a process that has none into a copy of the first chunk of its definitions, of
 * which `size` bytes were read. `end` may be NULL. */
void process_write_end(char *chunk, size_t size, const struct rec_sample *end);
