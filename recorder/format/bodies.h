/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORDER_BODIES_H
#define NVTXH_RECORDER_BODIES_H
/* The bodies of long records, as far as they are more than a text. Included by format.h. */
#include <stdint.h>

/* --- resources, schemas, counters, time --------------------------------------------------------
 *
 * Bodies below are structs, each followed by its texts one after the other in the order of their
 * sizes, without terminators. Numbers called by NVTX's names have NVTX's values.
 */
struct rec_resource {
    uint64_t identifier; /* the handle, pointer or number that was named */
    uint32_t type;       /* identifierType of NVTX, or REC_RESOURCE_SYNC_USER */
    uint32_t name;       /* a registered string, as in an event; 0: the text follows */
};
#define REC_RESOURCE_SYNC_USER UINT32_C(0x10000000) /* made by nvtxDomainSyncUserCreate */

struct rec_schema {
    uint64_t schema, type, flags, static_size, pack_align;
    uint32_t entry_count; /* rec_schema_entry follow, then the texts */
    uint32_t name_size;   /* the schema's, before all of the entries' texts */
};

struct rec_schema_entry {
    uint64_t flags, type, detail, offset;
    uint32_t name_size, description_size;
    uint32_t semantics_size; /* rec_semantics, after name and description of the entry */
    uint32_t reserved;
};

struct rec_enum {
    uint64_t schema;
    uint32_t size; /* of a value, in bytes */
    uint32_t entry_count;
    uint32_t name_size;
    uint32_t reserved;
};

struct rec_enum_entry {
    uint64_t value;
    uint32_t is_flag;
    uint32_t name_size;
};

struct rec_scope {
    uint64_t scope, parent;
};

struct rec_counter {
    uint64_t counter, schema, scope;
    uint32_t name_size, description_size, semantics_size, reserved;
};

/* A sequence of these; each has its size. */
struct rec_semantics {
    uint16_t semantic, version;
    uint32_t size; /* of this header and what follows it */
};

enum rec_semantic {
    REC_SEMANTIC_SCOPE = 1,       /* uint64_t: the scope */
    REC_SEMANTIC_TIME = 2,        /* uint64_t: the time domain */
    REC_SEMANTIC_CORRELATION = 3, /* 16 bytes of UUID, uint64_t role, name */
    REC_SEMANTIC_COUNTER = 5,     /* struct rec_counter_semantics, unit */
};

struct rec_counter_semantics {
    uint64_t flags, scale_numerator, scale_denominator;
    int64_t limit_type;
    uint64_t min, max; /* bits of what limit_type says */
};

enum rec_time {
    REC_TIME_DOMAIN = 1, /* struct rec_time_domain */
    REC_TIME_POINTS = 2, /* two uint64_t: time domains; then pairs of int64_t: the same moment */
    REC_TIME_FACTOR = 3, /* two uint64_t: time domains; double slope; two int64_t: one moment */
};

struct rec_time_domain {
    uint64_t time_domain, scope, type, flags;
    int64_t resolution; /* ticks a second; 0: not known */
    uint64_t start;
};
#define REC_TIME_TOOL UINT64_C(1) /* NVTX_TIMESTAMP_TYPE_TOOL_PROVIDED: ticks of this file */

/* What was done between a closing and the next opening was not recorded. */
enum rec_gate {
    REC_GATE_CLOSED = 0,
    REC_GATE_OPEN = 1,
};

/* In the streams of threads; from IDENTITY on, in the stream of names. */
enum rec_extended {
    REC_EXTENDED_PAYLOAD = 1,  /* rows of struct rec_blob: of the next event in this stream */
    REC_EXTENDED_SYNC = 2,     /* uint32_t resource, uint32_t enum rec_sync */
    REC_EXTENDED_SAMPLE = 3,   /* uint64_t counter; the sample, as its schema says */
    REC_EXTENDED_SAMPLES = 4,  /* struct rec_samples; timestamps; samples */
    REC_EXTENDED_EVENT = 5,    /* rows of struct rec_blob: a deferred event */
    REC_EXTENDED_EVENTS = 6,   /* struct rec_events; events; flexible data */
    REC_EXTENDED_PRESET = 7,   /* struct rec_preset; its domain in word 0 */
    REC_EXTENDED_NO_PUSH = 8,  /* a pop in the domain of word 0 that had nothing to end; no event */
    REC_EXTENDED_IDENTITY = 9, /* struct rec_identity; among the names of a process */
    REC_EXTENDED_TOOL = 10,    /* path of a tool that got the same calls; likewise; word 0: which */
    REC_EXTENDED_BOUND = 11,   /* uint64_t ns: shorter pushed ranges were left out; likewise */
    REC_EXTENDED_STATISTICS = 12, /* struct rec_statistics: there are no events, but rows */
    REC_EXTENDED_ROW = 13,        /* struct rec_row; its bins; its texts */
};

/* Appended to, never reordered. */
enum rec_launcher {
    REC_LAUNCHER_NONE,
    REC_LAUNCHER_GIVEN, /* REC_ENV_RANK */
    REC_LAUNCHER_TORCHRUN,
    REC_LAUNCHER_OPEN_MPI,
    REC_LAUNCHER_MPICH,
    REC_LAUNCHER_PMIX,
    REC_LAUNCHER_SLURM,
};

/* Which of a job's processes it is. Fields may be added at the end. */
#define REC_RANK_NONE UINT32_MAX /* not known */
struct rec_identity {
    uint32_t rank, local_rank, world; /* world: how many ranks there are */
    uint32_t source;                  /* enum rec_launcher: where this comes from */
    char job[64];                     /* NUL-terminated, cut to fit; "": not known */
};

/* What the rows were made of. Fields may be added at the end. */
struct rec_statistics {
    uint64_t events, threads, processes; /* that were read */
    uint64_t open;                       /* ranges that had no end; they count up to the end */
    uint64_t missed; /* events that were overwritten before they were read; an estimate */
    uint64_t until;  /* up to when they were read, in ns since the recording began */
};

/* All ranges, marks or samples of a name, with or without a category. struct rec_bin follow, then the texts:
 * domain, message, name of the category. */
struct rec_row {
    uint32_t style; /* 0 push/pop, 1 start/end, 2 mark, 3 counter */
    uint32_t color; /* ARGB; 0: none */
    uint32_t category, has_category;
    uint32_t domain_size, text_size, category_size;
    uint32_t bin_count;
    uint64_t count;
    /* ns; of ranges. squares: the sum of (duration - mean)^2; self: of push/pop. */
    uint64_t min, max;
    double total, squares, self;
    double value_total, value_min, value_max, value_last; /* of counters */
    struct rec_drift {
        int64_t origin;  /* where the first block begins, in ns since the recording began */
        uint64_t length; /* of a block; 0: there are none */
        struct {
            uint64_t count;
            double sum; /* of the durations' logarithms */
        } blocks[8];
    } drift; /* without the first instance */
};

/* Durations from `low` up to the next multiple of 2^(b - REC_BIN_BITS), where b is the highest bit of `low`. */
struct rec_bin {
    uint64_t low, count;
};
#define REC_BIN_BITS 6 /* the bits below the highest one that select the bin */

struct rec_preset {
    uint32_t number; /* 1 to REC_PRESET_MAX; from here on it means this preset */
    uint32_t text;   /* as in an event */
    uint32_t color, category;
    uint64_t flags; /* REC_HAS_COLOR, REC_HAS_CATEGORY */
};

/* Each is followed by its bytes, padded with zeros to whole words. */
struct rec_blob {
    uint64_t schema;  /* a schema, enum or predefined type; REC_BLOB_COPY */
    uint64_t address; /* where it was: pointers in other blobs of the event point there */
    uint64_t size;
};
/* Copied because a pointer marked for deep copy led to it. */
#define REC_BLOB_COPY UINT64_C(0xffffffffffffffff)

enum rec_sync {
    REC_SYNC_ACQUIRE_START = 1,
    REC_SYNC_ACQUIRE_FAILED = 2,
    REC_SYNC_ACQUIRE_SUCCESS = 3,
    REC_SYNC_RELEASING = 4,
};

struct rec_samples {
    uint64_t counter, flags;
    uint64_t timestamps_size, samples_size; /* the timestamps' is a multiple of 8 */
};

struct rec_events {
    uint64_t schema, scope, flags;
    uint64_t events_size, flex_size; /* flexible data begins at the next whole word */
    uint64_t flex_offset;
};

#endif /* NVTXH_RECORDER_BODIES_H */
