/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The layout of a recording, shared by writer and readers. FORMAT.md says the same in prose.
 *
 *   header    REC_HEADER_SIZE bytes at 0
 *   chunks    anywhere after it, at multiples of REC_ALIGN; each is a multiple of REC_ALIGN bytes
 *
 * A chunk is part of a stream. A process has one stream of names and other definitions, and streams
 * of events, each written by one thread at a time. Ignore what is after `used`. */
#include "bodies.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

#define REC_MAGIC "NVTXHREC"
#define REC_CHUNK_MAGIC UINT32_C(0x6b436e4e)
#define REC_ENDIAN UINT32_C(0x01020304)
#define REC_VERSION 1
#define REC_HEADER_SIZE 16384u
#define REC_ALIGN 16384u
#define REC_CHUNK_MAX (64u << 20)
#define REC_TEXT_MAX (16u << 20) /* bytes; longer messages are cut, and counted as losses */

/* The same moment on three clocks. Events are stamped with `ticks`. */
struct rec_sample {
    uint64_t ticks;
    uint64_t monotonic; /* CLOCK_MONOTONIC, ns */
    uint64_t realtime;  /* CLOCK_REALTIME, ns */
};

enum rec_clock {
    REC_CLOCK_MONOTONIC = 1, /* ticks are nanoseconds of CLOCK_MONOTONIC */
    REC_CLOCK_TSC = 2,       /* x86 time stamp counter, invariant */
    REC_CLOCK_CNTVCT = 3,    /* aarch64 virtual counter */
};

/* What a process could not record. New values are appended; the order never changes. */
enum rec_loss {
    REC_LOSS_NO_STREAM, /* events of threads that never got memory to write to */
    REC_LOSS_NESTED,    /* events in a signal handler that interrupted another handler's event */
    REC_LOSS_CUT_TEXT,  /* strings that were cut, because they were too long */
    REC_LOSS_DOMAINS,   /* domains beyond REC_DOMAIN_MAX */
    REC_LOSS_POP,       /* pops without a push */
    REC_LOSS_EXTENDED,  /* payloads of the payload extension */
    REC_LOSS_NAMES,     /* names for which there was no space */
    REC_LOSS_RESOURCE,  /* generic resources */
    REC_LOSS_HANDLE,    /* uses of handles that the recorder never returned */
    REC_LOSS_CUDA,      /* names of CUDA objects */
    REC_LOSS_CUDART,    /* names of CUDA runtime objects */
    REC_LOSS_OPENCL,    /* names of OpenCL objects */
    REC_LOSS_SYNC,      /* calls about synchronization objects */
    REC_LOSS_COUNTER,   /* samples of the counter extension */
    REC_LOSS_MEMORY,    /* calls of the memory extension */
    REC_LOSS_EXTENSION, /* calls of other extensions */
    REC_LOSS_SCHEMA,    /* schemas, enums, counters and scopes that could not be kept */
    REC_LOSS_POINTER,   /* payloads whose data could not be followed: too long, or without an end */
    REC_LOSS_TYPE,      /* messages and payloads of types that are not NVTX's own */
    REC_LOSS_LEFT,      /* events that a signal handler jumped out of; may have been recorded */
    REC_LOSS_MAPPINGS,  /* dropped events for which the kernel allowed no more mappings */
    REC_LOSS_DEFERRED,  /* calls about deferred events and their clocks */
    REC_LOSS_SIZE = 24,
};

#define REC_PAUSES 64u

/* How a recording was paused (changes 0, 2, ...) and resumed (1, 3, ...). */
struct rec_pauses {
    uint32_t count; /* atomic: how many changes there were; odd: it is paused */
    uint32_t unused;
    uint64_t ticks[REC_PAUSES]; /* of change number n, at n % REC_PAUSES */
};

/* Requests between the commands of nvtxh and the recorded processes. The struct begins a cache
 * line, because processes read `pauses` at each event: it must not share a line with `lost`. */
struct rec_control {
    struct rec_pauses pauses;
    uint32_t snapshots; /* atomic: how many snapshots the program has asked for */
    uint32_t unused;
    uint64_t asked;   /* ticks of the last request for a snapshot */
    uint64_t watcher; /* pid of the process that takes the snapshots; 0: there is none */
    char why[96];     /* the program's reason for the last snapshot, NUL-terminated, cut to fit */
};

/* Describes a snapshot, which is a copy of a recording. Readers show only its time from `from` to
 * `to`. All zero in other recordings. */
struct rec_snapshot {
    uint64_t from, to; /* the window, in ns since the recording began; `to` is 0: no snapshot */
    struct rec_sample moment; /* when the snapshot was taken */
    char reason[216];         /* NUL-terminated, cut to fit */
};

/* A process that ran at the time `at`. Later its pid may be that of another process. */
struct rec_running {
    uint32_t pid; /* 0: not known */
    uint32_t unused;
    uint64_t at;   /* CLOCK_MONOTONIC, ns */
    uint64_t pids; /* inode of the pid namespace to which the pid belongs; 0: not known */
};

/* What the program took, together with its children that it has waited for. All 0: not known. */
struct rec_usage {
    uint64_t user, system;         /* CPU time, ns */
    uint64_t voluntary, preempted; /* context switches: it waited; it would have run on */
};

struct rec_header {
    char magic[8];
    uint32_t endian;
    uint32_t version;
    uint32_t header_size;
    uint32_t align;
    uint8_t session[16];
    struct rec_sample start;
    struct rec_sample end; /* all zero until the recorded program has ended */
    uint64_t next_offset;  /* atomic: where the next chunk goes */
    uint32_t next_process; /* atomic: how many processes have joined */
    uint32_t stopped;      /* atomic: the errno because of which recording stopped; else 0 */
    uint32_t clock;
    int32_t status;   /* the program's wait status, valid when `end` is set */
    uint32_t refused; /* atomic: number of statically linked programs, which cannot be recorded */
    struct rec_running program;   /* that was run; at first, the process that made the file */
    struct rec_usage usage;       /* valid when `end` is set */
    char command[1024];           /* NUL-terminated, cut to fit */
    uint64_t lost[REC_LOSS_SIZE]; /* atomic: losses of processes without a struct rec_process */
    uint64_t gap[2];              /* zero */
    struct rec_control control;
    struct rec_snapshot snapshot;
};
static_assert(offsetof(struct rec_header, control) == 1408, "a line of its own");
static_assert(sizeof(struct rec_header) <= REC_HEADER_SIZE, "header");

struct rec_chunk {
    uint32_t magic; /* written last: a chunk without it was never begun */
    uint32_t size;  /* bytes of the whole chunk */
    uint32_t process;
    uint32_t stream; /* 0: the process's definitions; else events, of one thread at a time */
    uint32_t tid;
    uint32_t seq;         /* this chunk's number in its stream, from 0 */
    uint32_t in_handlers; /* 1: events of signal handlers that interrupted an event of the thread */
    uint32_t clock;
    uint64_t base; /* in ticks: times of records count from here, up to a REC_REBASE record */
    struct rec_sample sample;
    uint64_t used;    /* bytes published, this header included; stored with release */
    uint64_t dropped; /* events lost by this stream after this chunk */
    uint64_t flags;   /* REC_CHUNK_... */
    uint64_t origin;  /* in a merged recording: number of the chunk's recording; else 0 */
    uint64_t pids;    /* in the process log's first chunk, and in chunks of switches: inode of the
                       * pid namespace of their tids; 0: unknown */
    uint64_t reserved[3];
};

/* While it records, process number n locks (fcntl) byte REC_LOCK_OFFSET + n, which is beyond the
 * end of the file. So others know that it is alive. */
#define REC_LOCK_OFFSET (INT64_C(1) << 62)

/* The chunk is in a ring: a fixed number of chunks that are filled again and again. Earlier chunks
 * of the stream may be overwritten, so this chunk has every text that its events use. */
#define REC_CHUNK_RING UINT64_C(1)

/* The chunk is of no process: after its header it has an array of struct rec_switch. `tid` is 0,
 * `stream` UINT32_MAX. These chunks are numbered in the order in which they were begun. */
#define REC_CHUNK_SWITCHES UINT64_C(2)

/* A context switch, as the kernel has reported it. */
struct rec_switch {
    uint64_t monotonic; /* CLOCK_MONOTONIC, ns */
    uint32_t tid;
    uint16_t kind, processor; /* the number of the processor: of the first three kinds */
};
enum rec_switch_kind {
    REC_SWITCH_ON = 1,        /* the thread got a processor */
    REC_SWITCH_BLOCKED = 2,   /* it left its processor to wait */
    REC_SWITCH_PREEMPTED = 3, /* it left its processor, but would have run on */
    REC_SWITCH_ENDED = 4,     /* it ended */
    REC_SWITCH_LOST = 5,      /* switches of all threads were lost until now; `tid`: since how
                               * many us ago, UINT32_MAX: for longer */
    REC_SWITCH_COMPLETE = 6,  /* all switches before this time are written above */
};

#define REC_CHUNK_HEADER 128u
static_assert(sizeof(struct rec_chunk) == REC_CHUNK_HEADER, "chunk header");

/* A record is a sequence of 64-bit words. Word 0:
 *   bits 0-4 kind · 5-7 payload type · 8 has category · 9 has colour · 10-15 zero · 16-31 domain ·
 *   32-63 ticks since the base
 * The length of a record below REC_LONG follows from word 0. Kinds from REC_LONG on have it in word
 * 1 (bits 0-31 bytes of body, bits 32-63 an id), so that a reader can step over kinds that it does
 * not know. */
enum rec_kind {
    REC_NONE = 0,
    REC_PUSH = 1,        /* attributes */
    REC_POP = 2,         /* nothing more */
    REC_START = 3,       /* range id, attributes */
    REC_END = 4,         /* range id */
    REC_MARK = 5,        /* attributes */
    REC_REBASE = 6,      /* new base, then a rec_sample */
    REC_COUNT = 7,       /* counter, value: a sample of one counter. Payload type: the value's */
    REC_PUSH_PRESET = 8, /* a push by preset: see below */

    REC_LONG = 16,
    REC_TEXT = 16,       /* id: a text of this stream */
    REC_PROCESS = 17,    /* struct rec_process; then the executable's path */
    REC_DOMAIN = 18,     /* id: the domain; text: its name */
    REC_REGISTERED = 19, /* id: a text of this process; domain in word 0 */
    REC_CATEGORY = 20,   /* id: the category; domain in word 0 */
    REC_THREAD = 21,     /* id: OS thread id; text: its name; domain: see below */
    REC_GONE = 22,       /* the domain in word 0 was destroyed */

    REC_RESOURCE = 23,      /* id: a resource of this process; struct rec_resource; its name */
    REC_RESOURCE_GONE = 24, /* id: the resource */
    REC_SCHEMA = 25,        /* struct rec_schema */
    REC_ENUM = 26,          /* struct rec_enum */
    REC_SCOPE = 27,         /* struct rec_scope; its path */
    REC_COUNTER = 28,       /* struct rec_counter */
    REC_GATE = 30,          /* id: enum rec_gate; uint64_t ticks of the change, or rec_pauses */
    REC_EXTENDED = 31,      /* id: enum rec_extended */
};

/* REC_THREAD in the stream of definitions: the domain is REC_THREAD_BY_SYSTEM if the name is not
 * from NVTX; else 0. REC_THREAD in a thread's stream: the thread that has written so far has ended,
 * and the thread with this id has written the records that follow. */
#define REC_THREAD_BY_SYSTEM 1u

/* Attributes: a word text | colour << 32; then, if there is a category or a payload of 32 bits, a
 * word category | payload << 32; then, if there is a payload of 64 bits, a word with it. */
enum rec_payload {
    REC_PAYLOAD_NONE = 0, /* all constants of this enum have NVTX's values */
    REC_PAYLOAD_U64 = 1,
    REC_PAYLOAD_I64 = 2,
    REC_PAYLOAD_F64 = 3,
    REC_PAYLOAD_U32 = 4,
    REC_PAYLOAD_I32 = 5,
    REC_PAYLOAD_F32 = 6,
};

/* A preset is a push without its time and payload, written once as a REC_EXTENDED_PRESET. Word 0 of
 * a push by preset has the preset's number in place of flags and domain. A payload, of 32 or 64
 * bits, follows in a word of its own. */
#define REC_PRESET_SHIFT 8
#define REC_PRESET_MAX 65535u

#define REC_HAS_CATEGORY (UINT64_C(1) << 8)
#define REC_HAS_COLOR (UINT64_C(1) << 9)
#define REC_DOMAIN_MAX 65535u
#define REC_TEXT_REGISTERED UINT32_C(0x80000000) /* flag: a text of the process, not the stream */

static inline uint64_t rec_word(enum rec_kind kind, uint32_t domain) {
    return (uint64_t)kind | (uint64_t)domain << 16;
}

/* The size of a payload, in units of 32 bits; 0: there is none. */
static inline int rec_payload_words(unsigned type) {
    if (type >= REC_PAYLOAD_U32 && type <= REC_PAYLOAD_F32) {
        return 1;
    }
    return type >= REC_PAYLOAD_U64 && type <= REC_PAYLOAD_F64 ? 2 : 0;
}

struct rec_process {
    uint32_t pid;
    uint32_t ppid;
    uint32_t forked;  /* 1: a fork of a process that was being recorded */
    uint32_t version; /* of the recorder */
    struct rec_sample start;
    struct rec_sample end; /* all zero if it was killed, ended by _exit or exec, or still runs */
    uint64_t lost[REC_LOSS_SIZE];
    uint64_t ring; /* bytes of the ring for the process's last events; 0: all events are kept */
    char host[64]; /* NUL-terminated, cut to fit */
};
