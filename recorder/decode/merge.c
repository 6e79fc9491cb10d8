/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Merges recordings. Records are copied unchanged, but for the ends of processes. In the header of
 * each chunk, the process, the origin and the sizes are changed. See FORMAT.md. */
#include "merge.h"
#include "../util/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct merging {
    int fd;
    uint64_t offset;             /* where the next chunk goes */
    uint32_t processes, origins; /* how many the copied recordings have together */
    char *buffer;
};

/* False with a message on failure. */
static bool copy_chunk(struct merging *m, struct recording *part, const struct chunk_ref *ref,
                       struct error *ret_error) {
    struct rec_chunk head;
    size_t size = ((size_t)ref->used + REC_ALIGN - 1) / REC_ALIGN * REC_ALIGN;

    m->buffer = must_alloc(m->buffer, size, 1);
    if (size < sizeof(head)) {
        return true;
    }
    memset(m->buffer, 0, size);
    if (recording_read(part, m->buffer, ref->used, ref->offset) < sizeof(head)) {
        /* if the file has been cut off, there is nothing to copy */
        return source_was_read(&part->source, ret_error);
    }
    memcpy(&head, m->buffer, sizeof(head));
    head.size = (uint32_t)size;
    head.used = ref->used;
    head.process = m->processes + ref->process;
    head.origin = m->origins + (ref->origin ? ref->origin : 1);
    memcpy(m->buffer, &head, sizeof(head));
    if (ref->stream == 0 && ref->seq == 0) { /* the end that only the header knows, too */
        process_write_end(m->buffer, ref->used, process_end(part, process_of_chunk(part, ref)));
    }
    if (!io_write(m->fd, m->buffer, size, m->offset)) {
        return error_set(ret_error, "%s", strerror(errno));
    }
    m->offset += size;
    return source_was_read(&part->source, ret_error);
}

/* Writes a chunk after the last one of a process's definitions, with the pauses in its recording's
 * header: the process may not have noticed them. False with a message on failure. */
static bool write_pauses(struct merging *m, struct recording *part, const struct chunk_ref *last,
                         struct error *ret_error) {
    struct pauses_chunk {
        struct rec_chunk head;
        uint64_t words[2];
        struct rec_pauses pauses;
        char rest[REC_ALIGN - REC_CHUNK_HEADER - 16 - sizeof(struct rec_pauses)];
    } chunk = {
        .words = {rec_word(REC_GATE, 0), sizeof(chunk.pauses) | (uint64_t)REC_GATE_PAUSES << 32},
        .pauses = part->header.control.pauses};

    if (last->origin || !chunk.pauses.count || !recording_chunk(part, last, &chunk.head)) {
        return source_was_read(&part->source, ret_error);
    }
    chunk.head.size = REC_ALIGN;
    chunk.head.seq++;
    chunk.head.used = offsetof(struct pauses_chunk, rest);
    chunk.head.process += m->processes;
    chunk.head.origin = m->origins + 1;
    if (!io_write(m->fd, &chunk, sizeof(chunk), m->offset)) {
        return error_set(ret_error, "%s", strerror(errno));
    }
    m->offset += sizeof(chunk);
    return true;
}

/* If all parts are snapshots, returns a window from the earliest beginning of their windows to the
 * latest end, and all their reasons. If not, returns none, so that readers show all events. */
static struct rec_snapshot window_of(struct source *const *parts, size_t count, uint64_t start) {
    struct rec_snapshot all = {.from = UINT64_MAX};

    for (size_t i = 0; i < count; i++) {
        const struct rec_snapshot *s = &recording_of(parts[i])->header.snapshot;
        uint64_t later = recording_of(parts[i])->header.start.realtime - start;
        if (s->to <= s->from || s->to > INT64_MAX || later > INT64_MAX) {
            return (struct rec_snapshot){0};
        }
        all.from = s->from + later < all.from ? s->from + later : all.from;
        all.to = s->to + later > all.to ? s->to + later : all.to;
        all.moment = s->moment.realtime > all.moment.realtime ? s->moment : all.moment;
        char reason[sizeof(s->reason) + 1] = "";
        memcpy(reason, s->reason, sizeof(s->reason));
        if (!strstr(all.reason, reason)) {
            text_append(all.reason, sizeof(all.reason), "; ", "%s", reason);
        }
    }
    return all;
}

/* The sum of all parts; if it is not known of one, of none. */
static struct rec_usage usage_of(struct source *const *parts, size_t count) {
    struct rec_usage all = {0};

    for (size_t i = 0; i < count; i++) {
        const struct rec_usage *u = &parts[i]->usage;
        if (!(u->user + u->system)) {
            return (struct rec_usage){0};
        }
        all = (struct rec_usage){all.user + u->user, all.system + u->system,
                                 all.voluntary + u->voluntary, all.preempted + u->preempted};
    }
    return all;
}

/* Completes the header of the new file with the start of the earliest recording and the sum of all
 * losses. False with errno. */
static bool write_head(struct merging *m, struct source *const *parts, size_t count) {
    const struct rec_header *first = &recording_of(parts[0])->header;
    struct rec_header head;

    for (size_t i = 1; i < count; i++) {
        if (recording_of(parts[i])->header.start.realtime < first->start.realtime) {
            first = &recording_of(parts[i])->header;
        }
    }
    if (pread(m->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head)) {
        return false;
    }
    head.start = first->start;
    head.end = (struct rec_sample){0};
    head.program = (struct rec_running){0};
    head.usage = usage_of(parts, count);
    head.clock = first->clock;
    head.snapshot = window_of(parts, count, first->start.realtime);
    head.next_offset = m->offset;
    head.next_process = m->processes;
    for (size_t i = 0; i < count; i++) {
        const struct rec_header *part = &recording_of(parts[i])->header;
        head.stopped = head.stopped ? head.stopped : part->stopped;
        head.refused += part->refused;
        for (int k = 0; k < REC_LOSS_SIZE; k++) {
            head.lost[k] += part->lost[k];
        }
    }
    return io_write(m->fd, &head, sizeof(head), 0) && ftruncate(m->fd, (off_t)m->offset) == 0;
}

bool merge_recordings(struct source *const *parts, char *const *paths, size_t count, int fd,
                      struct error *ret_error) {
    struct merging m = {.fd = fd, .offset = REC_HEADER_SIZE};
    bool done = true;

    for (size_t i = 0; i < count && done; i++) {
        struct recording *part = recording_of(parts[i]);
        bool closed = part->fd < 0;
        if (closed && !recording_open_file(part, paths[i])) {
            done = error_set(ret_error, "%s: %s", paths[i], strerror(errno));
            break;
        }
        uint32_t processes = 0, origins = 1;
        for (size_t k = 0; k < part->chunk_count && done; k++) {
            const struct chunk_ref *ref = &part->chunks[k];
            const struct chunk_ref *next = k + 1 < part->chunk_count ? ref + 1 : NULL;
            done = copy_chunk(&m, part, ref, ret_error);
            if (done && !ref->stream && !(next && !next->stream && next->process == ref->process)) {
                done = write_pauses(&m, part, ref, ret_error);
            }
            processes = ref->process >= processes ? ref->process + 1 : processes;
            origins = ref->origin > origins ? ref->origin : origins;
            if (part->source.progress) {
                part->source.progress("merging", i * part->chunk_count + k,
                                      count * part->chunk_count);
            }
        }
        for (size_t k = 0; k < part->switch_chunk_count && done; k++) {
            done = copy_chunk(&m, part, &part->switch_chunks[k], ret_error);
        }
        if (closed) {
            recording_release(part);
        }
        m.processes += processes;
        m.origins += origins;
    }
    if (done && !write_head(&m, parts, count)) {
        done = error_set(ret_error, "%s", strerror(errno));
    }
    free(m.buffer);
    return done;
}
