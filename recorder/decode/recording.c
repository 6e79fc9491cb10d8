/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording.h"
#include "../format/create.h"
#include "../util/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

size_t recording_read(struct recording *r, void *ret_bytes, size_t size, uint64_t offset) {
    size_t done = r->source.error ? 0 : io_read(r->fd, ret_bytes, size, offset);

    if (!r->source.error && done < size) {
        r->source.error = errno;
    }
    return done;
}

bool recording_chunk(struct recording *r, const struct chunk_ref *ref, struct rec_chunk *ret_now) {
    return recording_read(r, ret_now, sizeof(*ret_now), ref->offset) == sizeof(*ret_now) &&
           ret_now->magic == REC_CHUNK_MAGIC && ret_now->process == ref->process &&
           ret_now->stream == ref->stream && ret_now->seq == ref->seq;
}

void recording_close(struct recording *r) {
    for (size_t i = 0; i < r->source.process_count; i++) {
        struct process *p = &r->processes[i];
        map_free(&p->registered);
        schemas_free(&p->schemas);
        free(p->gates);
    }
    free(r->processes);
    free(r->chunks);
    free(r->switch_chunks);
    for (size_t i = 0; i < r->switches_count; i++) {
        switches_free(r->switches[i]);
    }
    free(r->switches);
    source_free(&r->source);
    for (size_t i = 0; i < r->timeline_count; i++) {
        timeline_free(&r->timelines[i]);
    }
    free(r->timelines);
    recording_release(r);
    *r = (struct recording){.fd = -1};
}

void recording_release(struct recording *r) {
    if (r->fd >= 0) {
        close(r->fd);
    }
    r->fd = -1;
}

bool recording_open_file(struct recording *r, const char *path) {
    struct rec_header head;

    r->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (r->fd < 0) {
        return false;
    }
    if (pread(r->fd, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
        memcmp(head.session, r->header.session, sizeof(head.session)) != 0) {
        recording_release(r);
        errno = ESTALE;
        return false;
    }
    return true;
}

int64_t recording_ns(struct recording *r, const struct process *p, uint64_t ticks) {
    int64_t ns = timeline_ns(&r->timelines[p->origin], ticks);
    return ns < 0 ? 0 : ns > RECORDING_MAX_NS ? RECORDING_MAX_NS : ns;
}

bool recording_next_stream(const struct recording *r, const struct process *p, size_t *first,
                           size_t *next) {
    size_t end = p->first_chunk + p->chunk_count;

    do {
        *first = *next ? *next : p->first_chunk;
        for (*next = *first; *next < end && r->chunks[*next].stream == r->chunks[*first].stream;) {
            ++*next;
        }
    } while (*first < end && r->chunks[*first].stream == 0);
    return *first < end;
}

void recording_begin_reading(struct recording *r) {
    r->read_bytes = r->read_all = 0;
    r->source.enough = false;
    for (size_t i = 0; i < r->chunk_count; i++) {
        r->read_all += r->chunks[i].stream ? r->chunks[i].used : 0;
    }
}

uint64_t process_pids(struct recording *r, const struct process *p) {
    struct rec_chunk head = {.pids = 0};

    io_read(r->fd, &head, sizeof(head), r->chunks[p->first_chunk].offset);
    return head.pids;
}

/* A process holds a lock while it records (see REC_LOCK_OFFSET), but loses it if the program closes
 * the file. Without a lock, it is alive if rec_still_runs is true. If the recording is merged, it
 * counts as dead: its host may be another. */
bool process_is_alive(struct recording *r, const struct process *p) {
    const struct chunk_ref *ref = &r->chunks[p->first_chunk];
    struct flock lock = {.l_type = F_WRLCK,
                         .l_whence = SEEK_SET,
                         .l_start = REC_LOCK_OFFSET + ref->process,
                         .l_len = 1};

    if (!p->known || p->origin || p->info.end.ticks) {
        return false;
    }
    if (fcntl(r->fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK) {
        return true;
    }
    const struct rec_running running = {
        .pid = p->info.pid, .at = p->info.start.monotonic, .pids = process_pids(r, p)};
    return rec_still_runs(&running);
}

/* Whether a process is the program that `nvtxh record` ran. If the file does not name the program:
 * whether the process is the only one in the file. */
static bool is_program(const struct recording *r, const struct process *p) {
    uint32_t program = r->header.program.pid;

    if (p->origin || !program || p->info.pid != program) {
        return !p->origin && !program && r->source.process_count == 1;
    }
    for (size_t n = p->source->number + 1; n < r->source.process_count; n++) {
        if (r->processes[n].info.pid == p->info.pid) {
            return false; /* p called exec, and is processes[n] since then */
        }
    }
    return true;
}

const struct rec_sample *process_end(const struct recording *r, const struct process *p) {
    const struct rec_sample *end =
        p->info.end.ticks || !is_program(r, p) ? &p->info.end : &r->header.end;
    return end->ticks ? end : NULL;
}

struct process *process_of_chunk(struct recording *r, const struct chunk_ref *ref) {
    size_t index = (size_t)(ref - r->chunks);

    return &r->processes[ARRAY_SEARCH(i, 0, r->source.process_count,
                                      r->processes[i].first_chunk <= index) -
                         1];
}

void process_write_end(char *chunk, size_t size, const struct rec_sample *end) {
    size_t at = REC_CHUNK_HEADER + 16 + offsetof(struct rec_process, end); /* 16: words 0 and 1 */
    struct rec_sample known;

    if (end && size >= at + sizeof(*end) && (chunk[REC_CHUNK_HEADER] & 31) == REC_PROCESS) {
        memcpy(&known, chunk + at, sizeof(known));
        memcpy(chunk + at, known.ticks ? &known : end, sizeof(*end));
    }
}

bool program_is_alive(const struct recording *r) {
    return !r->header.end.ticks && rec_still_runs(&r->header.program);
}

bool recording_is_alive(struct recording *r) {
    for (size_t i = 0; i < r->source.process_count; i++) {
        if (process_is_alive(r, &r->processes[i])) {
            return true;
        }
    }
    return program_is_alive(r);
}

void gates_parse(struct process *p, const char *body, uint32_t size, bool open) {
    struct gate g = {.open = open};

    if (size < sizeof(g.ticks)) {
        return;
    }
    memcpy(&g.ticks, body, sizeof(g.ticks));
    if (p->gate_count) {
        const struct gate *last = &p->gates[p->gate_count - 1];
        if (last->open == g.open || last->ticks > g.ticks) {
            return;
        }
    }
    *ARRAY_NEW(p->gates, p->gate_count, p->gate_capacity) = g;
}

void gates_add_pauses(struct process *p, const struct rec_pauses *pauses) {
    struct gate *own = p->gates;
    size_t own_count = p->gate_count, next = 0;
    uint32_t i = pauses->count > REC_PAUSES ? pauses->count - REC_PAUSES : 0;
    bool is_open = gates_open_first(p), is_paused = false, was = is_open;
    uint64_t last = 0;

    p->gates = NULL;
    p->gate_count = p->gate_capacity = 0;
    while (i < pauses->count || next < own_count) {
        uint64_t at = i < pauses->count ? pauses->ticks[i % REC_PAUSES] : UINT64_MAX;
        bool is_over =
            i + 1 < pauses->count && pauses->ticks[(i + 1) % REC_PAUSES] <= p->info.start.ticks;
        if (next < own_count && own[next].ticks <= at) {
            at = own[next].ticks;
            is_open = own[next++].open;
        } else if (!(i & 1) && is_over) { /* before the process began */
            i += 2;
        } else {
            is_paused = !(i++ & 1);
            at = at > p->info.start.ticks ? at : p->info.start.ticks;
        }
        last = at > last ? at : last;
        if ((is_open && !is_paused) != was) {
            was = !was;
            *ARRAY_NEW(p->gates, p->gate_count, p->gate_capacity) = (struct gate){last, was};
        }
    }
    free(own);
}

int64_t gates_cut(struct recording *r, struct process *p, int64_t start, int64_t end) {
    size_t next = ARRAY_SEARCH(i, 0, p->gate_count, recording_ns(r, p, p->gates[i].ticks) < start);

    next += next < p->gate_count && p->gates[next].open;
    int64_t closed = next < p->gate_count ? recording_ns(r, p, p->gates[next].ticks) : end;
    return closed < end ? closed : end;
}
