/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* pieces SEED PATH...: reads each recording as a whole, and as a reader does that looks at it while
 * it grows. Both must give the same spans, parents and totals.
 *
 * The growing recording is a copy of the file that ends, in each look, at other places: in each
 * stream after some whole record. Streams grow at random and by turns. Of the engine this program knows what is in the part "the readers"
 * below; it finds chunks and records by FORMAT.md alone.
 *
 * Status 1, and the first difference, if one recording differs. */
#include "../../recorder/decode/engine.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ALIGN 16384u
#define HEADER 128u /* of a chunk */
/* In the first chunk of a process's names: a sample, its end; the size of its ring. */
#define PROCESS_END (HEADER + 16u + 40u)
#define PROCESS_RING (HEADER + 16u + 16u + 48u + 24u * 8u)
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
/* ns by which a sample of the clock may be wrong, says FORMAT.md; and the length of a tick, at
 * most */
enum { NOISE = 50, TICK = 40 };

static const char *path;
static uint64_t seed, state;

__attribute__((noreturn, format(printf, 1, 2))) static void differs(const char *format, ...) {
    va_list args;

    printf("%s, seed %llu: ", path, (unsigned long long)seed);
    va_start(args, format);
    vprintf(format, args);
    va_end(args);
    printf("\n");
    exit(1);
}

/* splitmix64 */
static uint32_t draw(uint32_t below) {
    uint64_t z = state += 0x9e3779b97f4a7c15;

    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return below ? (uint32_t)((z ^ z >> 31) % below) : 0;
}

static void *room(void *old, size_t count, size_t size) {
    void *new = realloc(old, (count ? count : 1) * size);

    if (!new) {
        abort();
    }
    return new;
}

/* --- the file, by FORMAT.md -------------------------------------------------------------------- */

struct piece {
    uint64_t at;
    uint32_t process, stream, seq, size, used;
    uint32_t *cuts, cut_count; /* where the file may end in a look: after each record */
    uint64_t *ticks;           /* by cut: of the last record before it */
    uint32_t shown;            /* `used` in this look; 0: the chunk is not there yet */
};

static struct {
    unsigned char *bytes;
    size_t size;
    struct piece *pieces; /* by process, stream, seq */
    size_t count;
    bool exact; /* ticks are ns */
    bool has_ring;
    bool damaged;      /* bytes were changed at random */
    uint64_t *seen[2]; /* process << 48 | range id of all starts, and of all ends */
    size_t seen_count[2];
} file;

static uint32_t u32(uint64_t at) {
    uint32_t n;
    memcpy(&n, file.bytes + at, 4);
    return n;
}

static uint64_t u64(uint64_t at) {
    uint64_t n;
    memcpy(&n, file.bytes + at, 8);
    return n;
}

/* The words of the record at `at`. 0: it does not fit into `left` words, or is invalid. */
static uint32_t words(uint64_t at, uint32_t left) {
    uint64_t head = u64(at);
    uint32_t kind = head & 31, payload = head >> 5 & 7, n = 0;
    uint32_t half = payload >= 4 && payload <= 6, whole = payload >= 1 && payload <= 3;
    uint32_t attributes = 1 + (uint32_t)(half || head >> 8 & 1) + whole;

    switch (kind) {
    case 1:
    case 5:
        n = 1 + attributes;
        break;
    case 2:
        n = 1;
        break;
    case 3:
        n = 2 + attributes;
        break;
    case 4:
        n = 2;
        break;
    case 6:
        n = 5;
        break;
    case 7:
        n = 3;
        break;
    case 8:
        n = 1 + half + whole;
        break;
    default:
        break;
    }
    if (kind >= 16 && left >= 2) {
        uint64_t more = ((uint64_t)u32(at + 8) + 7) / 8;
        n = more > left - 2 ? 0 : 2 + (uint32_t)more;
        if (kind == 31 && u32(at + 12) == 7) { /* a preset */
            n = u32(at + 8) < 24 || !u32(at + 16) || u32(at + 16) > 65535 ? 0 : n;
        }
    }
    return n > left ? 0 : n;
}

static void find_cuts(struct piece *p) {
    p->cuts = room(NULL, p->used / 8 + 1, sizeof(*p->cuts));
    p->ticks = room(NULL, p->used / 8 + 1, sizeof(*p->ticks));
    p->ticks[0] = u64(p->at + 40);
    p->cuts[0] = HEADER;
    p->cut_count = 1;
    for (uint32_t at = HEADER, n; at < p->used; at += 8 * n) {
        n = words(p->at + at, (p->used - at) / 8);
        if (!n) { /* nobody can read on, but the chunk may grow on */
            for (uint64_t ticks = p->ticks[p->cut_count - 1]; at < p->used; at += 8) {
                p->ticks[p->cut_count] = ticks;
                p->cuts[p->cut_count++] = at + 8;
            }
            break;
        }
        uint32_t kind = u32(p->at + at) & 31;
        if (kind == 3 || kind == 4) {
            bool is_end = kind == 4;
            size_t *count = &file.seen_count[is_end];
            file.seen[is_end] = room(file.seen[is_end], *count + 1, sizeof(uint64_t));
            file.seen[is_end][(*count)++] = (uint64_t)p->process << 48 ^ u64(p->at + at + 8);
        }
        p->ticks[p->cut_count] = u64(p->at + 32) + u32(p->at + at + 4);
        p->cuts[p->cut_count++] = at + 8 * n;
    }
}

static int by_place(const void *a, const void *b) {
    const struct piece *x = a, *y = b;
    int order = (x->process > y->process) - (x->process < y->process);

    order = order ? order : (x->stream > y->stream) - (x->stream < y->stream);
    order = order ? order : (x->seq > y->seq) - (x->seq < y->seq);
    return order ? order : (x->at > y->at) - (x->at < y->at);
}

/* False: there is no such file, or it has two chunks of one number. No recorder writes that; and of
 * the two, a reader that reads on does not know which it has read. */
static bool load(const char *name) {
    FILE *f = fopen(name, "rb");

    if (!f) {
        perror(name);
        exit(2);
    }
    fseek(f, 0, SEEK_END);
    file.size = (size_t)ftell(f);
    rewind(f);
    file.bytes = room(file.bytes, file.size, 1);
    if (fread(file.bytes, 1, file.size, f) != file.size) {
        exit(2);
    }
    fclose(f);
    for (size_t i = 0; i < file.count; i++) {
        free(file.pieces[i].cuts);
        free(file.pieces[i].ticks);
    }
    file.count = file.seen_count[0] = file.seen_count[1] = 0;
    file.exact = u32(104) == 1;
    file.has_ring = false;
    for (uint64_t at = ALIGN; at + HEADER <= file.size;) {
        uint32_t size = u32(at + 4);
        uint64_t used = u64(at + 64);
        if (u32(at) != 0x6b436e4e || size < ALIGN || size % ALIGN || size > REC_CHUNK_MAX ||
            used < HEADER || used > size || used % 8 || u32(at + 8) > 1u << 24 ||
            u64(at + 88) > 65536 || (u32(at + 28) != u32(104) && !u64(at + 88))) {
            at += ALIGN;
            continue;
        }
        uint64_t there = file.size - at;
        file.has_ring |= u64(at + 80) & 1;
        used = used < there ? used : there;
        size = size < there ? size : (uint32_t)there;
        file.pieces = room(file.pieces, file.count + 1, sizeof(*file.pieces));
        file.pieces[file.count++] = (struct piece){
            .at = at,
            .process = u32(at + 8),
            .stream = u32(at + 12),
            .seq = u32(at + 20),
            .size = size,
            .used = (uint32_t)used,
        };
        at += size;
    }
    qsort(file.pieces, file.count, sizeof(*file.pieces), by_place);
    for (size_t i = 0; i < file.count; i++) {
        struct piece *p = &file.pieces[i];
        if (file.damaged && !p->stream && p->used >= PROCESS_RING + 8 &&
            (u32(p->at + HEADER) & 31) == 17) {
            /* Of a process with a ring, a reader that goes on forgets the strings of earlier
             * chunks. */
            memset(file.bytes + p->at + PROCESS_RING, 0, 8);
        }
        find_cuts(p);
        if (i && p->process == p[-1].process && p->stream == p[-1].stream && p->seq == p[-1].seq) {
            for (; i + 1 < file.count; i++) {
                file.pieces[i + 1].cuts = NULL;
                file.pieces[i + 1].ticks = NULL;
            }
            return false;
        }
    }
    return true;
}

/* Lets one stream, chunks [first, first + count), grow to a random place, or to its end. */
static void grow(struct piece *first, size_t count, bool all) {
    size_t at = 0;

    while (at + 1 < count && first[at + 1].shown) {
        at++;
    }
    if (!all && draw(3) == 0) {
        return;
    }
    size_t last = all ? count - 1 : at + (draw(2) ? 0 : draw((uint32_t)(count - at)));
    for (; at <= last; at++) {
        struct piece *p = &first[at];
        uint32_t before = 0;
        while (before + 1 < p->cut_count && p->cuts[before] < p->shown) {
            before++;
        }
        p->shown = all || at < last ? p->used : p->cuts[before + draw(p->cut_count - before)];
    }
}

/* A process is there with all its names once one of its streams is, or if `all` is true. */
static void show_names(bool all) {
    for (size_t i = 0; i < file.count; i++) {
        struct piece *names = &file.pieces[i];
        bool is_there = all;
        for (size_t k = 0; k < file.count; k++) {
            is_there |= file.pieces[k].process == names->process && file.pieces[k].shown;
        }
        names->shown = !names->stream && is_there ? names->used : names->shown;
    }
}

/* Lets all streams grow. `names`: all processes are there. */
static void grow_all(bool all, bool names) {
    for (size_t i = 0, next; i < file.count; i = next) {
        struct piece *p = &file.pieces[i];
        for (next = i + 1; next < file.count && file.pieces[next].process == p->process &&
                           file.pieces[next].stream == p->stream;) {
            next++;
        }
        if (p->stream) {
            grow(p, next - i, all);
        }
    }
    show_names(all || names);
}

/* Writes the recording as it is in this look. `samples`: it has all samples of the clock
 * nevertheless, and says when the processes ended. */
static void write_look(int fd, bool samples, bool all) {
    unsigned char *bytes = room(NULL, file.size + file.count * ALIGN, 1);
    size_t size = file.size;

    memcpy(bytes, file.bytes, file.size);
    if (!all && !samples) {
        memset(bytes + 64, 0, 24); /* the end */
    }
    for (size_t i = 0; i < file.count && !all; i++) {
        const struct piece *p = &file.pieces[i];
        uint64_t values[] = {p->shown, 0};
        if (!p->shown) {
            if (samples) { /* an empty chunk of names has the sample */
                uint32_t head[] = {
                    0x6b436e4e, ALIGN,          p->process, 0, 0, (uint32_t)i + (1u << 20),
                    0,          u32(p->at + 28)};
                memset(bytes + size, 0, ALIGN);
                memcpy(bytes + size, head, sizeof(head));
                memcpy(bytes + size + 40, file.bytes + p->at + 40, 24);
                memcpy(bytes + size + 64, &(uint64_t){HEADER}, 8);
                memcpy(bytes + size + 88, file.bytes + p->at + 88, 8);
                size += ALIGN;
            }
            memset(bytes + p->at, 0, p->size);
            continue;
        }
        memcpy(bytes + p->at + 64, values, p->shown < p->used ? 16 : 8); /* used, dropped */
        if (!p->stream && !samples && p->used >= PROCESS_END + 24 &&
            (u32(p->at + HEADER) & 31) == 17) {
            memset(bytes + p->at + PROCESS_END, 0, 24);
        }
    }
    if (ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size) {
        abort();
    }
    free(bytes);
}

/* --- a file that grows while it is read ---------------------------------------------------------- */

/* a file that gets all its bytes once a reader has read the header of a chunk in it */
static int growing = -1;

/* In place of the C library's. */
ssize_t pread(int fd, void *to, size_t size, off_t at) {
    ssize_t got = syscall(SYS_pread64, fd, to, size, at);

    if (growing >= 0 && at >= (off_t)ALIGN) {
        int file_of = growing;
        growing = -1;
        write_look(file_of, false, true);
    }
    return got;
}

/* --- what was read ----------------------------------------------------------------------------- */

/* A span or a push: what it is, and when it was. */
struct line {
    char *text;
    int64_t start, end, self;
};

struct lines {
    struct line *all;
    size_t count;
};

static int by_text(const void *a, const void *b) {
    const struct line *x = a, *y = b;
    int order = strcmp(x->text, y->text);

    order = order ? order : (x->start > y->start) - (x->start < y->start);
    order = order ? order : (x->end > y->end) - (x->end < y->end);
    return order ? order : (x->self > y->self) - (x->self < y->self);
}

static void add_line(struct lines *to, const char *text, int64_t start, int64_t end, int64_t self) {
    to->all = room(to->all, to->count + 1, sizeof(*to->all));
    to->all[to->count++] = (struct line){strdup(text), start, end, self};
}

static void copy_lines(struct lines *to, const struct lines *from) {
    for (size_t i = 0; i < from->count; i++) {
        const struct line *l = &from->all[i];
        add_line(to, l->text, l->start, l->end, l->self);
    }
}

static void free_lines(struct lines *lines) {
    for (size_t i = 0; i < lines->count; i++) {
        free(lines->all[i].text);
    }
    free(lines->all);
    *lines = (struct lines){0};
}

static const char *shown(const struct line *l) {
    static char text[2][1200];
    static int which;

    which = !which;
    snprintf(text[which], sizeof(text[which]), "[%lld, %lld] self %lld, %s", (long long)l->start,
             (long long)l->end, (long long)l->self, l->text);
    return text[which];
}

static bool is_near(int64_t a, int64_t b, int64_t error) {
    return a - b <= error && b - a <= error;
}

/* `error`: ns that times may differ; self times, which are sums, are compared only if it is 0. */
static void same_lines(const char *what, struct lines *whole, struct lines *pieces, int64_t error) {
    for (struct lines *l = whole;; l = pieces) {
        if (l->count) {
            qsort(l->all, l->count, sizeof(*l->all), by_text);
        }
        if (l == pieces) {
            break;
        }
    }
    for (size_t i = 0; i < whole->count || i < pieces->count; i++) {
        const struct line *a = &whole->all[i], *b = &pieces->all[i];
        bool missing = i >= pieces->count, more = i >= whole->count;
        if (missing || more || strcmp(a->text, b->text) || !is_near(a->start, b->start, error) ||
            !is_near(a->end, b->end, error) || (!error && a->self != b->self)) {
            differs("%s, %zu as a whole and %zu in pieces; the first difference:\n  whole:  "
                    "%s\n  pieces: %s",
                    what, whole->count, pieces->count, more ? "none" : shown(a),
                    missing ? "none" : shown(b));
        }
    }
}

/* --- the readers ------------------------------------------------------------------------------- */

struct reading {
    struct engine engine;
    struct recording recording;
    struct lines spans, entered, *to; /* to: where the next spans go */
};

static void must_open(struct recording *r, int fd, bool again) {
    struct error error;
    char name[64];

    snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
    if (!(again ? recording_reopen : recording_open)(r, name, &error)) {
        differs("%s", error.text);
    }
}

static uint32_t number_of(const struct recording *r, const struct span *s) {
    return r->chunks[r->processes[s->process->number].first_chunk].process;
}

/* Damage may give two beginnings or two ends to one range id. Which of them pair depends on the
 * order of reading. And where a ring has overwritten chunks, a live reader forgets process ranges
 * that a later look may still end. */
static bool is_ambiguous(uint32_t process, const struct span *s) {
    uint64_t key = (uint64_t)process << 48 ^ s->range;

    for (int k = 0; k < 2; k++) {
        size_t found = 0;
        for (size_t i = 0; i < file.seen_count[k]; i++) {
            found += file.seen[k][i] == key;
        }
        if (found > 1) {
            return true;
        }
    }
    return file.has_ring;
}

static void take(void *arg, const struct span *s) {
    struct reading *to = arg;
    const struct recording *r = &to->recording;
    char line[1000];
    uint32_t number = number_of(r, s);

    if (s->style == SPAN_START_END && is_ambiguous(number, s)) {
        return;
    }
    const struct str *text = string_table_at(&r->source.strings, s->text);
    const struct str *domain = string_table_at(&r->source.strings, s->domain_name);
    snprintf(line, sizeof(line),
             "process %u stream %u tid %u-%u style %d domain %u %.80s text %.300s depth %u range "
             "%llu color %d %x "
             "category %d %u payload %d %llx blobs %llu+%llu %llu+%llu%s",
             number, s->stream, s->tid, s->end_tid, (int)s->style, s->domain, domain->bytes,
             text->bytes, s->depth, (unsigned long long)s->range, s->has_color, s->color,
             s->has_category, s->category, (int)s->payload_type, (unsigned long long)s->payload,
             (unsigned long long)s->begin.place, (unsigned long long)s->begin.size,
             (unsigned long long)s->end_blobs.place, (unsigned long long)s->end_blobs.size,
             s->open ? " no end" : "");
    /* With an inexact clock, times differ, and sums of them differ more. */
    int64_t times = file.exact ? s->self + 3 * s->busy + 5 * s->inclusive : s->self;
    add_line(to->to, line, s->start, s->end, times);
}

static void take_open(void *arg, const struct span *s, const struct engine_stream *stream,
                      bool lasts) {
    (void)stream;
    (void)lasts;
    take(arg, s);
}

static uint32_t enter(void *arg, const struct span *s, const struct span *outer) {
    struct reading *to = arg;
    const struct string_table *strings = &to->recording.source.strings;
    char line[600];

    snprintf(line, sizeof(line), "process %u stream %u push %u %.200s in %u %.200s",
             number_of(&to->recording, s), s->stream, s->domain, string_table_get(strings, s->text),
             outer ? outer->domain : 0, outer ? string_table_get(strings, outer->text) : "nothing");
    if (to->to == &to->spans) {
        /* else a push that may be taken back is looked at, and comes again */
        add_line(&to->entered, line, s->start, outer ? outer->start : -1, 0);
    }
    return 1 + s->domain;
}

static void begin(struct reading *to) {
    *to = (struct reading){.recording = {.fd = -1}};
    to->to = &to->spans;
    to->engine.out.f = take;
    to->engine.out.arg = to;
    to->engine.enter = enter;
}

static void end(struct reading *r) {
    engine_free(&r->engine);
    recording_close(&r->recording);
    free_lines(&r->spans);
    free_lines(&r->entered);
}

static void read_whole(struct reading *to, int fd) {
    begin(to);
    must_open(&to->recording, fd, false);
    engine_read(&to->engine, &to->recording);
}

/* What both ways of reading count. */
static void same_totals(const struct span_totals *a, const struct span_totals *b) {
    const struct {
        const char *name;
        uint64_t whole, pieces;
    } all[] = {{"events", a->events, b->events},
               {"threads", a->threads, b->threads},
               {"pops", a->pops, b->pops},
               {"misdirected", a->misdirected, b->misdirected}};

    for (size_t i = 0; i < COUNT(all); i++) {
        if (all[i].whole != all[i].pieces) {
            differs("%s: %llu as a whole, %llu in pieces", all[i].name,
                    (unsigned long long)all[i].whole, (unsigned long long)all[i].pieces);
        }
    }
}

/* In a process whose end is not known, open ranges last until the look. */
static bool ends_are_known(const struct reading *whole) {
    struct recording *r = (struct recording *)&whole->recording;
    bool known = true;

    for (size_t i = 0; i < r->source.process_count; i++) {
        const struct process *p = &r->processes[i];
        known &= p->known && (p->info.end.ticks || !process_is_alive(r, p));
    }
    return known;
}

/* At any moment, what was handed out and what is open is what the file would be as a whole. */
static void same_now(struct reading *pieces, int fd) {
    struct reading whole;
    struct lines all = {0};

    read_whole(&whole, fd);
    copy_lines(&all, &pieces->spans);
    pieces->to = &all;
    engine_open(&pieces->engine, INT64_MAX, take_open, pieces);
    pieces->to = &pieces->spans;
    if (ends_are_known(&whole)) {
        same_lines("spans so far", &whole.spans, &all, 0);
    }
    free_lines(&all);
    end(&whole);
}

/* Adds a sample of the clock to what was read in this look: without one, times after the last sample
 * of the file would be extrapolated, and be wrong by more than NOISE. */
static void add_sample(struct reading *r, const struct reading *whole) {
    struct recording *all = (struct recording *)&whole->recording;
    uint64_t last = 0;

    for (size_t i = 0; i < file.count; i++) {
        const struct piece *p = &file.pieces[i];
        for (uint32_t k = 0; p->stream && k < p->cut_count && p->cuts[k] <= p->shown; k++) {
            last = p->ticks[k] > last ? p->ticks[k] : last;
        }
    }
    if (last && all->source.process_count && all->timeline_count == 1) {
        struct rec_sample now = {.ticks = last};
        now.monotonic =
            all->header.start.monotonic + (uint64_t)recording_ns(all, all->processes, last);
        struct timeline *t = &r->recording.timelines[0];
        timeline_add(t, &now);
        timeline_sort(t);
        timeline_ready(t, &all->header.start);
    }
}

static void check_pieces(const struct reading *whole_read, int fd, bool samples) {
    struct reading whole = {0}, pieces;
    bool all = false;

    copy_lines(&whole.spans, &whole_read->spans);
    copy_lines(&whole.entered, &whole_read->entered);
    begin(&pieces);
    pieces.engine.is_live = true;
    for (size_t i = 0; i < file.count; i++) {
        file.pieces[i].shown = 0;
    }
    for (uint32_t looks = draw(9); !all;) {
        all = !looks--;
        grow_all(all, samples); /* they have samples, too */
        write_look(fd, samples, all);
        must_open(&pieces.recording, fd, true);
        if (!samples && !all) {
            add_sample(&pieces, whole_read);
        }
        engine_feed(&pieces.engine, &pieces.recording);
        if (samples) {
            same_now(&pieces, fd);
        } else if (draw(2)) {
            struct lines nowhere = {0};
            pieces.to = &nowhere;
            engine_open(&pieces.engine, 0, take_open, &pieces);
            pieces.to = &pieces.spans;
            free_lines(&nowhere);
        }
    }
    engine_open(&pieces.engine, INT64_MAX, take_open, &pieces);
    int64_t error = samples || file.exact ? 0 : 2 * (NOISE + TICK);
    if (ends_are_known(whole_read)) {
        same_lines("spans", &whole.spans, &pieces.spans, error);
    }
    same_lines("pushes", &whole.entered, &pieces.entered, error);
    struct span_totals totals = engine_totals(&pieces.engine);
    same_totals(&whole_read->engine.totals, &totals);
    end(&pieces);
    free_lines(&whole.spans);
    free_lines(&whole.entered);
}

/* A reader that opens the file while the program defines names and uses them in events sees no
 * event before its name. */
static void check_names(const struct reading *whole, int fd) {
    struct reading early;

    for (size_t i = 0; i < file.count; i++) {
        struct piece *p = &file.pieces[i];
        bool is_first = !p->stream && (!i || p[-1].process != p->process);
        p->shown = is_first && p->cut_count > 1 ? p->cuts[1] : 0;
    }
    write_look(fd, false, false);
    begin(&early);
    growing = fd;
    must_open(&early.recording, fd, false);
    growing = -1;
    engine_read(&early.engine, &early.recording);
    if (early.recording.damage.no_text > whole->recording.damage.no_text) {
        differs("%llu events were seen before their names",
                (unsigned long long)early.recording.damage.no_text);
    }
    end(&early);
}

static void check(int fd) {
    struct reading whole;
    int copy = memfd_create("pieces", MFD_CLOEXEC);

    if (copy < 0) {
        abort();
    }
    read_whole(&whole, fd);
    check_names(&whole, copy);
    for (int i = 0; i < 3; i++) {
        check_pieces(&whole, copy, true);
        if (!file.damaged) {
            check_pieces(&whole, copy, false);
        }
    }
    end(&whole);
    close(copy);
}

int main(int argc, char **argv) {
    file.damaged = argc > 1 && !strcmp(argv[1], "damaged");
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : 0;
    for (int i = 3; i < argc; i++) {
        path = argv[i];
        state = seed;
        if (!load(path)) {
            continue;
        }
        int fd = memfd_create("whole", MFD_CLOEXEC);
        if (fd < 0 || pwrite(fd, file.bytes, file.size, 0) != (ssize_t)file.size) {
            abort();
        }
        check(fd);
        close(fd);
    }
    printf("%d recordings\n", argc - 3);
    return 0;
}
