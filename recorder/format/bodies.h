/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The bodies of long records (REC_LONG), except those that are only a text. For format.h alone. */
#include <stdint.h>

/* --- resources, schemas, counters ------------------------------------------------------------- */
/* The bodies are structs, each followed by its strings without terminators, in the order of the
 * members that give the strings' sizes. Members with NVTX's names have NVTX's values. */
struct rec_resource {
    uint64_t identifier; /* the handle, pointer or number that was named */
    uint32_t type;       /* identifierType of NVTX, or REC_RESOURCE_SYNC_USER */
    uint32_t name;       /* number of a registered string, as in events; 0: the name follows */
};
#define REC_RESOURCE_SYNC_USER UINT32_C(0x10000000) /* made by nvtxDomainSyncUserCreate */

struct rec_schema {
    uint64_t schema, type, flags, static_size, pack_align;
    uint32_t entry_count; /* that many rec_schema_entry follow, then the strings */
    uint32_t name_size;   /* bytes of the schema's name, which comes before the entries' strings */
};

struct rec_schema_entry {
    uint64_t flags, type, detail, offset;
    uint32_t name_size, unit_size;
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
    uint32_t name_size, unit_size;
};

/* Events from REC_GATE_CLOSED up to the next REC_GATE_OPEN were not recorded. REC_GATE_PAUSES comes
 * last; it has the pauses of the recording from which the process was merged. */
enum rec_gate { REC_GATE_CLOSED = 0, REC_GATE_OPEN = 1, REC_GATE_PAUSES = 2 };

/* Kinds 1 to 8 and 11 are in the streams of threads, 9 and 10 in the process log. */
enum rec_extended {
    REC_EXTENDED_PAYLOAD = 1,  /* struct rec_blob, repeated: payloads of the stream's next event */
    REC_EXTENDED_SYNC = 2,     /* uint32_t resource, uint32_t enum rec_sync */
    REC_EXTENDED_SAMPLE = 3,   /* uint64_t counter; the sample, as the counter's schema says */
    REC_EXTENDED_SAMPLES = 4,  /* the same with several samples */
    REC_EXTENDED_PRESET = 7,   /* struct rec_preset; word 0 has the preset's domain */
    REC_EXTENDED_NO_PUSH = 8,  /* a pop without a push, in word 0's domain; it is not an event */
    REC_EXTENDED_IDENTITY = 9, /* struct rec_identity */
    REC_EXTENDED_TOOL = 10,    /* path of another NVTX tool that got the same calls */
    REC_EXTENDED_ENDED = 11,   /* the thread ended with pushes open; it is not an event */
};

/* New values are appended; the order never changes. */
enum rec_launcher {
    REC_LAUNCHER_NONE,
    REC_LAUNCHER_GIVEN, /* the rank is from REC_ENV_RANK */
    REC_LAUNCHER_TORCHRUN,
    REC_LAUNCHER_OPEN_MPI,
    REC_LAUNCHER_MPICH,
    REC_LAUNCHER_PMIX,
    REC_LAUNCHER_SLURM,
};

/* Which process of a job this is. Fields may be added at the end. */
#define REC_RANK_NONE UINT32_MAX /* not known */
struct rec_identity {
    uint32_t rank, local_rank, world; /* world: how many ranks there are */
    uint32_t source;                  /* enum rec_launcher: who gave the rank */
    char job[64];                     /* NUL-terminated, cut to fit; "": not known */
};

struct rec_preset {
    uint32_t number; /* 1 to REC_PRESET_MAX; later pushes name the preset by this number */
    uint32_t text;   /* number of the message, as in an event */
    uint32_t color, category;
    uint64_t flags; /* REC_HAS_COLOR, REC_HAS_CATEGORY */
};

/* A part of a payload. Its bytes follow, padded with zeros to whole words. */
struct rec_blob {
    uint64_t schema;  /* a schema, enum or predefined type, or REC_BLOB_COPY */
    uint64_t address; /* where the bytes were in memory, for pointers in the event's other blobs */
    uint64_t size;
};
/* `schema` of a blob that was copied because a pointer marked for deep copy led to its bytes. */
#define REC_BLOB_COPY UINT64_C(0xffffffffffffffff)

enum rec_sync {
    REC_SYNC_ACQUIRE_START = 1,
    REC_SYNC_ACQUIRE_FAILED = 2,
    REC_SYNC_ACQUIRE_SUCCESS = 3,
    REC_SYNC_RELEASING = 4,
};
