/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording.h"
#include "cursor.h"
#include "../util/memory.h"
#include "../format/clock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define MAX_ORIGINS 65536 /* most recordings in one merged recording */

static bool read_header(struct recording *r, struct error *ret_error) {
    struct stat st;
    ssize_t n;

    if (fstat(r->fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        return error_set(ret_error,
                         S_ISDIR(st.st_mode) ? "a directory; name a file in it" : "not a file");
    }
    r->size = (uint64_t)st.st_size;
    n = pread(r->fd, &r->header, sizeof(r->header), 0);
    if (n < 0) {
        return error_set(ret_error, "%s", strerror(errno));
    }
    if (n < 8 || memcmp(r->header.magic, REC_MAGIC, 8) != 0) {
        return error_set(ret_error, "not a recording of nvtxh");
    }
    if (r->size < REC_HEADER_SIZE) {
        return error_set(ret_error, "the recording ends within its header");
    }
    if (r->header.endian != REC_ENDIAN) {
        return error_set(ret_error, "recorded on a machine of the other byte order");
    }
    if (r->header.version != REC_VERSION) {
        return error_set(ret_error,
                         "recorded in version %u of the format, this nvtxh reads version %d",
                         r->header.version, REC_VERSION);
    }
    if (r->header.header_size != REC_HEADER_SIZE || r->header.align != REC_ALIGN) {
        return error_set(ret_error, "the header is damaged");
    }
    return true;
}

static struct timeline *timeline_of(struct recording *r, uint32_t origin) {
    while (r->timeline_count <= origin) {
        *ARRAY_NEW(r->timelines, r->timeline_count, r->timeline_capacity) = (struct timeline){0};
    }
    return &r->timelines[origin];
}

/* Notes that the file was once longer, at least up to `end`. */
static void set_missing(struct recording *r, uint64_t end) {
    uint64_t missing = end - r->size;
    r->damage.missing = missing > r->damage.missing ? missing : r->damage.missing;
}

static bool is_size(uint32_t size) {
    return size >= REC_ALIGN && size % REC_ALIGN == 0 && size <= REC_CHUNK_MAX;
}

static bool is_chunk(const struct recording *r, const struct rec_chunk *c) {
    return c->magic == REC_CHUNK_MAGIC && is_size(c->size) && c->used >= REC_CHUNK_HEADER &&
           c->used <= c->size && c->used % 8 == 0 && c->process <= 1u << 24 &&
           (c->clock == r->header.clock || c->origin) && c->origin <= MAX_ORIGINS &&
           (!(c->flags & REC_CHUNK_SWITCHES) || c->stream == UINT32_MAX);
}

static void add_chunk(struct recording *r, uint64_t offset, const struct rec_chunk *c) {
    uint64_t there = r->size - offset;
    struct chunk_ref *ref =
        c->flags & REC_CHUNK_SWITCHES
            ? ARRAY_NEW(r->switch_chunks, r->switch_chunk_count, r->switch_chunk_capacity)
            : ARRAY_NEW(r->chunks, r->chunk_count, r->chunk_capacity);
    *ref = (struct chunk_ref){.offset = offset,
                              .dropped = c->dropped,
                              .base = c->base,
                              .begun = c->sample.ticks,
                              .used = (uint32_t)c->used,
                              .size = c->size,
                              .process = c->process,
                              .stream = c->stream,
                              .seq = c->seq,
                              .tid = c->tid,
                              .in_handlers = c->in_handlers,
                              .origin = (uint32_t)c->origin,
                              .ring = c->flags & REC_CHUNK_RING};
    if (c->size > there) { /* a file grows by whole chunks, so this chunk was cut off */
        set_missing(r, offset + c->size);
    }
    if (c->used > there) {
        ref->used = (uint32_t)there & ~7u;
    }
    timeline_add(timeline_of(r, ref->origin), &c->sample);
}

/* The next offset at which a chunk may begin, if none begins at `offset`. Skips a hole in the file
 * in one step. *tells_holes becomes false if the file system does not report holes. */
static uint64_t after_empty(const struct recording *r, uint64_t offset, bool *tells_holes) {
    uint64_t next = offset + REC_ALIGN;

    if (*tells_holes) {
        off_t data = lseek(r->fd, (off_t)offset, SEEK_DATA);
        uint64_t found = data >= 0 ? (uint64_t)data : r->size; /* ENXIO: there is no more data */
        *tells_holes = data >= 0 || errno == ENXIO;
        found = found / REC_ALIGN * REC_ALIGN;
        next = *tells_holes && found > next ? found : next;
    }
    return next;
}

/* Finds the chunks of events or, if `names`, the chunks of definitions. Leaves out chunks that
 * began after `until` (ticks). The header of a chunk gives its size. Where there is no chunk, the
 * next one may begin at any later multiple of REC_ALIGN. */
static void find_chunks(struct recording *r, bool names, uint64_t until) {
    static const struct rec_chunk empty;
    /* found: number of chunks that the search for events found. next: index of the next to pass */
    size_t found = r->chunk_count, next = 0;
    bool in_damage = false, tells_holes = true;
    uint64_t offset = REC_HEADER_SIZE;

    while (offset < r->size) {
        struct rec_chunk c = {0};
        if (next < found && r->chunks[next].offset == offset) {
            in_damage = false;
            offset += r->chunks[next++].size;
            continue;
        }
        if (recording_read(r, &c, sizeof(c), offset) < sizeof(c)) {
            if (!r->source.error) {
                set_missing(r, offset + sizeof(c));
            }
            break;
        }
        if (is_chunk(r, &c)) {
            if (names == !c.stream && c.sample.ticks <= until) {
                add_chunk(r, offset, &c);
            }
            in_damage = false;
            offset += c.size;
            continue;
        }
        /* A ring's chunk that its writer was about to reuse: its contents no longer count. */
        if (!c.magic && c.flags & REC_CHUNK_RING && is_size(c.size)) {
            offset += c.size;
            continue;
        }
        /* Space that was allocated and never used is zero, which is not damage. */
        if ((c.magic != 0 || c.size > REC_CHUNK_MAX) && !in_damage) {
            r->damage.bad_chunks += names; /* counted once, although both searches find it */
            in_damage = true;
        }
        offset = memcmp(&c, &empty, sizeof(c)) ? offset + REC_ALIGN
                                               : after_empty(r, offset, &tells_holes);
    }
}

ARRAY_ORDER(by_stream, struct chunk_ref,
            ORDER(x->process, y->process) ?: ORDER(x->stream, y->stream) ?: ORDER(x->seq, y->seq)
            ?: ORDER(x->offset, y->offset))

/* Reads again how full a chunk is if its successor in the stream began after `since`, the time at
 * which find_chunks() began. Such a chunk may have got records after its header was read, but gets
 * none after its successor has begun. Returns false if a chunk may be missing: it began after
 * find_chunks() had examined its place in the file, but its successor was found. */
static bool settle(struct recording *r, uint64_t since) {
    bool is_whole = true;

    for (size_t i = 0; i < r->chunk_count; i++) {
        struct chunk_ref *ref = &r->chunks[i], *before = i ? ref - 1 : NULL;
        struct rec_chunk c;
        if (before && (before->process != ref->process || before->stream != ref->stream)) {
            before = NULL;
        }
        if (ref->begun < since) {
            continue;
        }
        is_whole &= ref->seq <= (before ? before->seq + 1 : 0);
        if (before && recording_chunk(r, before, &c) && c.used >= before->used &&
            c.used <= before->size && c.used % 8 == 0 && c.used <= r->size - before->offset) {
            before->used = (uint32_t)c.used;
        }
    }
    return is_whole;
}

/* A time, in ticks, before all chunks that begin from now on. 0: not known, because the recording's
 * clock is not this machine's, or is CLOCK_MONOTONIC, which differs by time namespace. */
static uint64_t searched_since(const struct recording *r) {
    enum { SLACK = 10000000 }; /* ticks by which the counters of two processors may differ */
    enum rec_clock clock = clock_choose();
    uint64_t now = clock_ticks(clock);

    return clock == REC_CLOCK_MONOTONIC || r->header.clock != clock || now < SLACK ? 0
                                                                                   : now - SLACK;
}

/* Finds all chunks, and sorts them. If the first search may have missed some, a second search finds
 * them. The second one leaves out each chunk of events that began after all chunks of the first,
 * because it may have missed an earlier chunk of the same stream. */
static void search(struct recording *r) {
    uint64_t until = UINT64_MAX;
    struct stat st;

    for (int i = 0; i < 2; i++) {
        uint64_t since = searched_since(r);
        r->chunk_count = r->switch_chunk_count = 0;
        r->damage = (struct damage){0};
        /* Chunks of definitions are searched last. A program writes a name before the first event
         * that uses it, so all events have their names even if the program is writing. */
        find_chunks(r, false, until);
        if (fstat(r->fd, &st) == 0 && (uint64_t)st.st_size > r->size) {
            r->size = (uint64_t)st.st_size;
        }
        find_chunks(r, true, UINT64_MAX);
        ARRAY_SORT(r->chunks, r->chunk_count, by_stream);
        ARRAY_SORT(r->switch_chunks, r->switch_chunk_count, by_stream);
        if (settle(r, since)) {
            return;
        }
        until = 0;
        for (size_t k = 0; k < r->chunk_count; k++) {
            until = r->chunks[k].begun > until ? r->chunks[k].begun : until;
        }
    }
}

/* Sets the members of the source that do not describe its processes. */
static void describe_source(struct recording *r) {
    struct source *s = &r->source;
    const struct rec_snapshot *window = &r->header.snapshot;
    bool is_window = window->to > window->from && window->to <= (uint64_t)INT64_MAX;

    s->start = r->header.start.realtime;
    memcpy(s->session, r->header.session, sizeof(s->session));
    s->command = r->header.command;
    s->usage = r->header.usage;
    if (r->header.end.monotonic > r->header.start.monotonic) {
        s->elapsed = r->header.end.monotonic - r->header.start.monotonic;
    }
    s->from = is_window && window->from ? (int64_t)window->from : INT64_MIN;
    s->to = is_window ? (int64_t)window->to : INT64_MAX;
    s->is_snapshot = window->to != 0;
    s->is_over = !recording_is_alive(r);
    s->is_empty = s->process_count == 0;
}

static void parse_process(struct recording *r, struct process *p, const struct record *rec) {
    if (p->known || !record_body(rec, &p->info, sizeof(p->info))) {
        return;
    }
    p->info.host[sizeof(p->info.host) - 1] = 0;
    p->source->exe = string_table_add(&r->source.strings, rec->body + sizeof(p->info),
                                      rec->size - sizeof(p->info));
    p->known = true;
}

static void on_definition(void *arg, struct recording *r, struct process *p,
                          const struct record *rec) {
    struct rec_identity *identity = &p->source->identity;
    struct rec_pauses pauses;
    uint32_t text = 0;

    (void)arg;
    if (rec->kind >= REC_DOMAIN && rec->kind <= REC_THREAD) {
        text = string_table_add(&r->source.strings, rec->body, rec->size);
    }
    switch (rec->kind) {
    case REC_PROCESS:
        parse_process(r, p, rec);
        break;
    case REC_EXTENDED:
        if (rec->id == REC_EXTENDED_TOOL) {
            p->tool = string_table_add(&r->source.strings, rec->body, rec->size);
        } else if (rec->id == REC_EXTENDED_IDENTITY &&
                   record_body(rec, identity, sizeof(*identity))) {
            identity->job[sizeof(identity->job) - 1] = 0;
        }
        break;
    case REC_GATE:
        if (rec->id == REC_GATE_PAUSES && record_body(rec, &pauses, sizeof(pauses))) {
            gates_add_pauses(p, &pauses);
            break;
        }
        gates_parse(p, rec->body, rec->size, rec->id == REC_GATE_OPEN);
        break;
    case REC_DOMAIN:
        *map_add(&p->source->domains, rec->id, text) = text;
        break;
    case REC_REGISTERED:
        *map_add(&p->registered, rec->id, text) = text;
        break;
    case REC_CATEGORY:
        source_name_add(&p->source->categories, rec->domain, rec->id, text);
        break;
    case REC_THREAD:
        source_name_add(&p->source->threads, 0, rec->id, text);
        break;
    default:
        schemas_parse(&p->schemas, &r->source.strings, &p->registered, rec);
        break;
    }
}

/* Makes the processes, but does not read their definitions yet. */
static void make_processes(struct recording *r) {
    size_t count = 0;

    for (size_t i = 0; i < r->chunk_count; i++) {
        count += i == 0 || r->chunks[i].process != r->chunks[i - 1].process;
    }
    r->processes = must_alloc(NULL, count, sizeof(*r->processes));
    r->source.processes = must_alloc(NULL, count, sizeof(*r->source.processes));
    for (size_t i = 0; i < r->chunk_count; i++) {
        if (i == 0 || r->chunks[i].process != r->chunks[i - 1].process) {
            uint32_t number = (uint32_t)r->source.process_count++;
            r->source.processes[number] = (struct source_process){
                .number = number, .identity = {REC_RANK_NONE, REC_RANK_NONE, REC_RANK_NONE, 0, ""}};
            r->processes[number] = (struct process){.source = &r->source.processes[number],
                                                    .first_chunk = i,
                                                    .origin = r->chunks[i].origin};
        }
        r->processes[r->source.process_count - 1].chunk_count++;
    }
}

static void load_definitions(struct recording *r) {
    struct map pids = {0};
    const char *host = NULL;

    make_processes(r);
    for (size_t i = 0; i < r->source.process_count; i++) {
        struct process *process = &r->processes[i];
        struct source_process *shown = process->source;
        cursor_definitions(r, process, on_definition, NULL);
        if (!process->origin) {
            gates_add_pauses(process, &r->header.control.pauses);
        }
        schemas_ready(&process->schemas, &shown->threads);
        shown->pid = process->info.pid;
        shown->ppid = process->info.ppid;
        shown->host = process->info.host;
        shown->lacks_beginning = process->info.ring;
        uint64_t *before = map_add(&pids, shown->pid, 0);
        shown->again = (uint32_t)(*before)++;
        if (process->known) {
            host = host ? host : shown->host;
            r->source.hosts_differ |= strcmp(shown->host, host) != 0;
        }
    }
    map_free(&pids);
}

bool recording_reopen(struct recording *r, const char *path, struct error *ret_error) {
    struct string_table strings = r->source.strings;

    r->source.strings = (struct string_table){0};
    recording_close(r);
    *r = (struct recording){.fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK),
                            .source = {.strings = strings}};
    if (r->fd < 0) {
        return error_set(ret_error, "%s", strerror(errno));
    }
    if (!read_header(r, ret_error)) {
        recording_release(r);
        return false;
    }
    r->header.command[sizeof(r->header.command) - 1] = 0;
    search(r);
    if (r->chunk_count) {
        load_definitions(r);
    }
    describe_source(r);
    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct process *p = &r->processes[i];
        timeline_add(timeline_of(r, p->origin), &p->info.start);
        timeline_add(timeline_of(r, p->origin), &p->info.end);
    }
    timeline_add(timeline_of(r, 0), &r->header.start);
    timeline_add(timeline_of(r, 0), &r->header.end);
    for (size_t i = 0; i < r->timeline_count; i++) {
        struct timeline *t = &r->timelines[i];
        struct rec_sample origin = r->header.start;
        timeline_sort(t);
        if (i && t->count) { /* r's start by the CLOCK_MONOTONIC of merged recording i */
            origin.monotonic = origin.realtime - t->samples[0].realtime + t->samples[0].monotonic;
        }
        timeline_ready(t, &origin);
    }
    if (r->source.error) {
        recording_release(r);
        return error_set(ret_error, "%s", strerror(r->source.error));
    }
    return true;
}

bool recording_open(struct recording *r, const char *path, struct error *ret_error) {
    *r = (struct recording){.fd = -1};
    bool done = recording_reopen(r, path, ret_error);
    if (!done) {
        recording_close(r);
    }
    return done;
}
