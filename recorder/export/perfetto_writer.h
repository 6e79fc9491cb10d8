/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_PERFETTO_WRITER_H
#define NVTXH_EXPORT_PERFETTO_WRITER_H
/* Packets, tracks and interned names of a trace for Perfetto. */
#include "viewer_rows.h"
#include "../source/source.h"

#include "perfetto.pb-c.h"

#include <stdio.h>

/* Numbers of interned names of annotations. The number of a message or domain is 1 + the number of its text. */
enum { NAME_PAYLOAD = 1, NAME_CATEGORY, NAME_COLOR, NAMES };

/* TRACK_OVERLAP: push/pop ranges of a thread that do not nest in its other ranges. TRACK_RANGES: process ranges. */
enum track_kind { TRACK_PROCESS, TRACK_THREAD, TRACK_OVERLAP, TRACK_RANGES, TRACK_COUNTER };

struct perfetto_writer {
    struct source *source;
    FILE *out;
    struct map tracks;                  /* key -> uuid */
    struct map messages;                /* the texts that were interned as names of events */
    struct map domains;                 /* the texts that were interned as categories of events */
    struct map groups;                  /* pairs of numbers, interned for the keys of `tracks` */
    struct viewer_rows threads, ranges; /* rows of push/pop ranges; of process ranges */
    struct viewer_heap ends;            /* when open ranges end, and on which track */
    uint8_t *buffer;                    /* for one packet */
    size_t buffer_size;
    bool begun; /* a packet was written */
};
void perfetto_packet(struct perfetto_writer *w, Perfetto__TracePacket *p);

/* Returns the uuid of a thread's track. The first time, writes a description of the track. */
uint64_t perfetto_thread(struct perfetto_writer *w, const struct source_process *p, uint32_t tid);

/* The same for a named track below the track of a thread or process. `number`: the row of ranges. */
uint64_t perfetto_track(struct perfetto_writer *w, enum track_kind kind, const struct span *s,
                        uint32_t number);

/* The key, in `ranges`, of the process ranges of one domain of a process. */
uint64_t perfetto_group(struct perfetto_writer *w, const struct span *s);
void perfetto_intern_all(struct perfetto_writer *w);

/* Interns the message and the domain of an event, if they are new. */
void perfetto_intern(struct perfetto_writer *w, const struct span *s);

void perfetto_free(struct perfetto_writer *w);

#endif /* NVTXH_EXPORT_PERFETTO_WRITER_H */
