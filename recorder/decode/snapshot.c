/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "merge.h"
#include "../util/memory.h"
#include "../format/clock.h"
#include "follow.h"
#include "recording_source.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct copying {
    struct snapshot *snapshot;
    struct recording r;       /* the recording that is copied */
    struct rec_sample moment; /* when the copy began */
    int fd;                   /* of the copy */
    uint64_t offset;          /* where the next chunk goes */
    char *buffer;
};

static struct copying *under_way; /* NULL: no snapshot is being written */

/* A chunk, and the ticks at which its stream began the next chunk. The last chunk of a stream of
 * events has UINT64_MAX - 1, and chunks of definitions have UINT64_MAX: they are copied last. */
struct aged {
    struct chunk_ref *ref;
    uint64_t ended;
};

ARRAY_ORDER(by_age, struct aged, ORDER(x->ended, y->ended) ?: ORDER(x->ref, y->ref))

/* Copies the part of a chunk that was published when the chunk was found. A writer that reuses a
 * chunk clears the magic first and writes events last. So a copy is valid if the header still names
 * the same chunk when the copy is done. If not, the chunk is left out. False with errno if the copy
 * cannot be written. */
static bool copy_chunk(struct copying *g, const struct chunk_ref *ref) {
    struct recording *r = &g->r;
    struct rec_chunk head;
    size_t size = ((size_t)ref->used + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;

    g->buffer = must_alloc(g->buffer, size, 1);
    size_t got = recording_read(r, g->buffer, ref->used, ref->offset);
    if (!recording_chunk(r, ref, &head)) {
        return true;
    }
    memcpy(&head, g->buffer, sizeof(head));
    memset(g->buffer + got, 0, size - got);
    head.size = (uint32_t)size;
    head.used = got & ~(size_t)7;
    memcpy(g->buffer, &head, sizeof(head));
    if (ref->stream == 0 && ref->seq == 0 && process_is_alive(r, process_of_chunk(r, ref))) {
        /* Without this end, readers would end the open ranges at the process's last event. */
        process_write_end(g->buffer, got, &g->moment);
    }
    if (!io_write(g->fd, g->buffer, size, g->offset)) {
        return false;
    }
    g->offset += size;
    return true;
}

/* Copies the oldest chunks of events first, because writers reuse the oldest first. Chunks older
 * than the window are copied, too, because ranges in the window may have begun in them. */
static bool copy_chunks(struct copying *g) {
    struct recording *r = &g->r;
    struct aged *all = must_alloc(NULL, r->chunk_count + 1, sizeof(*all));
    bool done = true;

    for (size_t i = 0; i < r->chunk_count; i++) {
        struct chunk_ref *ref = &r->chunks[i], *next = ref + 1;
        bool last =
            i + 1 == r->chunk_count || next->process != ref->process || next->stream != ref->stream;
        all[i] = (struct aged){ref, !ref->stream ? UINT64_MAX
                                    : last       ? UINT64_MAX - 1
                                                 : next->begun};
    }
    qsort(all, r->chunk_count, sizeof(*all), by_age);
    for (size_t i = 0; i < r->chunk_count && done; i++) {
        uint64_t before = g->offset;
        done = copy_chunk(g, all[i].ref);
        if (g->offset == before) { /* left out: recording_whole_from must see a gap here */
            all[i].ref->seq = UINT32_MAX;
            all[i].ref->begun = all[i].ended;
        }
    }
    g->snapshot->whole_from = recording_whole_from(r);
    free(all);
    for (size_t i = 0; i < r->switch_chunk_count && done; i++) {
        done = copy_chunk(g, &r->switch_chunks[i]);
    }
    return done;
}

/* Writes the recording's header, with the session, control and window of the snapshot. */
static bool write_head(struct copying *g) {
    struct rec_header head, own;
    const struct snapshot *s = g->snapshot;

    if (io_read(g->fd, &own, sizeof(own), 0) != sizeof(own)) {
        return false;
    }
    head = g->r.header;
    memcpy(head.session, own.session, sizeof(head.session));
    /* If the program has ended, the copy gets no other end, because `moment` may be of another host
     * or boot. */
    head.end = program_is_alive(&g->r) ? g->moment : head.end;
    head.usage = (struct rec_usage){0}; /* of the whole program, not of the window */
    head.next_offset = g->offset;
    head.control = (struct rec_control){.pauses = head.control.pauses};
    head.snapshot = (struct rec_snapshot){
        .from = (uint64_t)s->from, .to = (uint64_t)s->to, .moment = g->moment};
    strncpy(head.snapshot.reason, s->reason, sizeof(head.snapshot.reason) - 1);
    return io_write(g->fd, &head, sizeof(head), 0) && ftruncate(g->fd, (off_t)g->offset) == 0;
}

/* In ns since the recording began: its last event, or a later end of a process. */
static int64_t end_of_recording(struct recording *r, int64_t program) {
    int64_t last = follow_end_of_recording(r);

    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct rec_sample *end = process_end(r, &r->processes[i]);
        int64_t ended = end ? recording_ns(r, &r->processes[i], end->ticks) : 0;
        last = ended > last && ended < RECORDING_MAX_NS ? ended : last;
    }
    return program > last ? program : last;
}

/* Fills in the window. If g->r is a snapshot, the window is that of g->r or its last part. */
static void find_window(struct copying *g) {
    struct snapshot *s = g->snapshot;
    const struct rec_sample *start = &g->r.header.start, *end = &g->r.header.end;
    const struct rec_snapshot *before = &g->r.header.snapshot; /* if g->r is a snapshot itself */

    if (before->to && before->from < before->to && before->to <= (uint64_t)INT64_MAX) {
        s->from = (int64_t)before->from;
        s->to = (int64_t)before->to;
    } else if (!s->to) {
        bool is_alive = recording_is_alive(&g->r);
        end = is_alive ? &g->moment : end;
        uint64_t lasted = end->monotonic > start->monotonic ? end->monotonic - start->monotonic : 0;
        s->to = lasted <= RECORDING_MAX_NS ? (int64_t)lasted : 0;
        s->to = is_alive && s->to ? s->to : end_of_recording(&g->r, s->to);
    }
    if (s->last && s->to - s->last > s->from) {
        s->from = s->to - s->last;
    }
    s->from = s->from < 0 ? 0 : s->from;
}

bool snapshot_write(struct snapshot *s, const char *path, int fd, struct error *ret_error) {
    struct copying g = {.snapshot = s,
                        .r = {.fd = -1},
                        .moment = clock_sample(clock_choose()),
                        .fd = fd,
                        .offset = REC_HEADER_SIZE};
    struct stat st;

    under_way = &g;
    if (!recording_open(&g.r, path, ret_error)) {
        under_way = NULL;
        return false;
    }
    bool done = false;
    if (fstat(g.r.fd, &st) != 0 || st.st_uid != geteuid()) {
        error_set(ret_error, "the recording is another user's");
    } else {
        *ret_error->text = 0;
        find_window(&g);
        done = copy_chunks(&g) && source_was_read(&g.r.source, ret_error) && write_head(&g);
    }
    int error = errno;
    free(g.buffer);
    recording_close(&g.r);
    under_way = NULL;
    errno = error;
    return done;
}

void snapshot_abandon(void) {
    if (under_way) {
        recording_release(&under_way->r);
        close(under_way->fd);
    }
    under_way = NULL;
}
