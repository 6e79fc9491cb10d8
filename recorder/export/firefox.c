/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The Firefox Profiler's processed format, version 60. Push/pop ranges are the frames of stacks: a
 * period in which the same ranges are open is one sample, whose weight is the length of the period.
 * Marks and process ranges are markers; counters are left out. Tables are stored by column, so
 * temporary files keep a thread's columns until the thread is complete. */
#include "export.h"
#include "../base/memory.h"
#include "../report/quote.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The columns of samples (STACK to WEIGHT) and of markers (NAME to DATA). */
enum { STACK, TIME, WEIGHT, NAME, START, END, PHASE, CATEGORY, DATA, COLUMNS };
static const char *const keys[COLUMNS] = {"stack",   "time",  "weight",   "name", "startTime",
                                          "endTime", "phase", "category", "data"};
enum { INSTANT, INTERVAL }; /* values of the column PHASE */

#define NO_STACK UINT32_MAX

struct stack {
    uint32_t name;  /* of the innermost frame: an index in stacks.names */
    uint32_t above; /* the stack without its innermost frame, or NO_STACK */
};

struct writer {
    FILE *out, *columns[COLUMNS];
    struct source *source;
    struct stacks stacks;
    struct map index; /* stack above << 32 | name -> index in `all` */
    struct stack *all;
    size_t count, room;
    uint32_t *open; /* for each open frame, outermost first: `now` before the frame was opened */
    size_t open_count, open_room;
    uint32_t now;                     /* current sample's stack: an index in `all`, or NO_STACK */
    int64_t last;                     /* when the current sample began; ns */
    size_t threads, samples, markers; /* how many were written; samples, markers: of this thread */
    int error; /* the errno of the first column that could not be written or read; 0: none */
};

static void milliseconds(FILE *out, int64_t ns) {
    fprintf(out, "%lld.%06lld", (long long)(ns / 1000000), (long long)(ns % 1000000));
}

static void string(FILE *out, const char *text) {
    quote_json(out, text, strlen(text));
}

static FILE *next(struct writer *w, int column, size_t number) {
    if (number) {
        fputc(',', w->columns[column]);
    }
    return w->columns[column];
}

/* Ends the current sample. A sample without length is left out, unless it is the thread's last
 * sample. */
static void end_sample(struct writer *w, int64_t until, bool last) {
    if (until > w->last || last) {
        FILE *stack = next(w, STACK, w->samples);
        if (w->now == NO_STACK) {
            fputs("null", stack);
        } else {
            fprintf(stack, "%u", w->now);
        }
        milliseconds(next(w, TIME, w->samples), w->last);
        milliseconds(next(w, WEIGHT, w->samples), until - w->last);
        w->samples++;
        w->last = until;
    }
}

static void begin_track(void *arg, const struct source_process *process, uint32_t tid) {
    struct writer *w = arg;
    size_t size;
    char *name = label_thread(w->source, process, tid, &size);

    fprintf(
        w->out,
        "%s{\"processType\":\"default\",\"processStartupTime\":0,\"processShutdownTime\":null,"
        "\"registerTime\":0,\"unregisterTime\":null,\"pausedRanges\":[],"
        "\"showMarkersInTimeline\":true,\"isMainThread\":%s,\"pid\":\"%u\",\"tid\":%u,\"name\":",
        w->threads++ ? ",\n" : "\n", tid == process->pid ? "true" : "false", label_pid(process),
        tid);
    quote_json(w->out, name, size);
    free(name);
    name = label_process(w->source, process, &size);
    fputs(",\"processName\":", w->out);
    quote_json(w->out, name, size);
    free(name);
    w->now = NO_STACK;
    w->last = 0;
    w->samples = w->markers = 0;
}

static void open_frame(void *arg, uint32_t name, int64_t at) {
    struct writer *w = arg;

    end_sample(w, at, false);
    *ARRAY_NEW(w->open, w->open_count, w->open_room) = w->now;
    w->now = MAP_INTERN(&w->index, (uint64_t)w->now << 32 | name, w->all, w->count, w->room,
                        (struct stack){name, w->now});
}

static void close_frame(void *arg, uint32_t name, int64_t at) {
    struct writer *w = arg;

    (void)name;
    end_sample(w, at, false);
    w->now = w->open[--w->open_count];
}

static void marker_data(struct writer *w, const struct span *s) {
    FILE *out = next(w, DATA, w->markers);
    char digits[VALUE_DIGITS];
    struct value value = value_of_span(s);
    char *payload = payload_text(w->source, s, true);

    fputs("{\"type\":\"nvtx\"", out);
    if (payload || s->payload_type) {
        fputs(",\"payload\":", out);
        string(out, payload ? payload : value_digits(&value, digits));
    }
    if (s->has_category) {
        const char *name = label_category(w->source, s);
        snprintf(digits, sizeof(digits), "%u", s->category);
        fputs(",\"category\":", out);
        string(out, *name ? name : digits);
    }
    if (s->style == SPAN_START_END && s->tid != s->end_tid) {
        fprintf(out, ",\"end\":\"%u\"", s->end_tid);
    }
    fputc('}', out);
    free(payload);
}

static void marker(void *arg, const struct span *s) {
    struct writer *w = arg;

    if (s->style == SPAN_COUNTER) {
        return;
    }
    bool mark = s->style == SPAN_MARK;
    fprintf(next(w, NAME, w->markers), "%u", stacks_name(&w->stacks, s->domain_name, s->text));
    milliseconds(next(w, START, w->markers), s->start);
    FILE *to = next(w, END, w->markers);
    if (mark) {
        fputs("null", to);
    } else {
        milliseconds(to, s->end);
    }
    fprintf(next(w, PHASE, w->markers), "%d", mark ? INSTANT : INTERVAL);
    fputc('0', next(w, CATEGORY, w->markers));
    marker_data(w, s);
    w->markers++;
}

/* Keeps the first error of all columns: errno if a call failed (`done` is false), EIO if ferror. */
static void check(struct writer *w, FILE *f, bool done) {
    int error = !done ? errno : ferror(f) ? EIO : 0;
    w->error = w->error ? w->error : error;
}

/* Copies columns from their temporary files into the output, and rewinds the files for the next
 * thread. */
static void columns(struct writer *w, int first, int count, size_t length, const char *more) {
    char bytes[4096];

    for (int i = first; i < first + count; i++) {
        FILE *f = w->columns[i];
        fprintf(w->out, "\"%s\":[", keys[i]);
        long end = ftell(f);
        check(w, f, fseek(f, 0, SEEK_SET) == 0); /* rewind() would clear ferror(f) */
        for (size_t n = 1; n && end > 0 && !w->error; end -= (long)n) {
            n = fread(bytes, 1, end < (long)sizeof(bytes) ? (size_t)end : sizeof(bytes), f);
            fwrite(bytes, 1, n, w->out);
            check(w, f, true);
        }
        check(w, f, fseek(f, 0, SEEK_SET) == 0);
        fputs("],\n", w->out);
    }
    fprintf(w->out, "%s\"length\":%zu}", more, length);
}

static void end_track(void *arg) {
    struct writer *w = arg;

    end_sample(w, w->last, true);
    fputs(",\n\"samples\":{", w->out);
    columns(w, STACK, NAME - STACK, w->samples, "\"weightType\":\"tracing-ms\",");
    fputs(",\n\"markers\":{", w->out);
    columns(w, NAME, COLUMNS - NAME, w->markers, "");
    fputc('}', w->out);
}

static void meta(struct writer *w) {
    fputs("{\"meta\":{\"preprocessedProfileVersion\":60,\"version\":30,\"processType\":0,"
          "\"product\":\"nvtxh\",\"importedFrom\":\"nvtxh\",\"interval\":0.001,\"startTime\":",
          w->out);
    milliseconds(w->out, (int64_t)w->source->start);
    fputs(",\"stackwalk\":0,\"symbolicationNotSupported\":true,\"usesOnlyOneStackType\":true,"
          "\"sourceCodeIsNotOnSearchfox\":true,\"keepProfileThreadOrder\":true,"
          "\"categories\":[{\"name\":\"Other\",\"color\":\"grey\",\"subcategories\":[\"Other\"]}],"
          "\"markerSchema\":[{\"name\":\"nvtx\",\"display\":[\"marker-chart\",\"marker-table\","
          "\"timeline-overview\"],\"tooltipLabel\":\"{marker.name}\",\"tableLabel\":\"{marker.data."
          "payload}\","
          "\"chartLabel\":\"{marker.name}\",\"fields\":["
          "{\"key\":\"payload\",\"label\":\"Payload\",\"format\":\"string\"},"
          "{\"key\":\"category\",\"label\":\"Category\",\"format\":\"string\"},"
          "{\"key\":\"end\",\"label\":\"Ended by thread\",\"format\":\"string\"}]}]},\n"
          "\"libs\":[],\"threads\":[",
          w->out);
}

/* Writes a column for each word of `list`, between which there is one space. Each row has
 * `value` or, if `value` is NULL, its own number (0, 1, 2, ...). */
static void same(FILE *out, const char *list, const char *value, size_t count) {
    for (size_t size; (size = strcspn(list, " ")) > 0; list += size + (list[size] == ' ')) {
        fprintf(out, "\"%.*s\":[", (int)size, list);
        for (size_t i = 0; i < count; i++) {
            char number[24];
            snprintf(number, sizeof(number), "%zu", i);
            fprintf(out, "%s%s", i ? "," : "", value ? value : number);
        }
        fputs("],\n", out);
    }
}

/* Writes the tables that all threads share. For each name there is one function and one frame: all
 * three have the same number. */
static void write_shared(const struct writer *w) {
    FILE *out = w->out;
    size_t names = w->stacks.name_count;

    fputs("\"shared\":{\"stackTable\":{\"frame\":[", out);
    for (size_t i = 0; i < w->count; i++) {
        fprintf(out, "%s%u", i ? "," : "", w->all[i].name);
    }
    fputs("],\n\"prefix\":[", out);
    for (size_t i = 0; i < w->count; i++) {
        fputs(i ? "," : "", out);
        if (w->all[i].above == NO_STACK) {
            fputs("null", out);
        } else {
            fprintf(out, "%u", w->all[i].above);
        }
    }
    fprintf(out, "],\n\"length\":%zu},\n\"frameTable\":{", w->count);
    same(out, "func", NULL, names);
    same(out, "address", "-1", names);
    same(out, "inlineDepth category subcategory", "0", names);
    same(out, "nativeSymbol innerWindowID line column", "null", names);
    fprintf(out, "\"length\":%zu},\n\"funcTable\":{", names);
    same(out, "name", NULL, names);
    same(out, "isJS relevantForJS", "false", names);
    same(out, "resource", "-1", names);
    same(out, "source lineNumber columnNumber", "null", names);
    fprintf(out,
            "\"length\":%zu},\n\"resourceTable\":{\"lib\":[],\"name\":[],\"host\":[],\"type\":[],"
            "\"length\":0},\n\"nativeSymbols\":{\"libIndex\":[],\"address\":[],\"name\":[],"
            "\"functionSize\":[],\"length\":0},\n\"sources\":{\"uuid\":[],\"filename\":[],"
            "\"length\":0},\n\"stringArray\":[",
            names);
    for (size_t i = 0; i < names; i++) {
        const struct stack_name *n = &w->stacks.names[i];
        size_t size;
        char *name = label_range(w->source, n->domain_name, n->text, &size);
        fputs(i ? ",\n" : "\n", out);
        quote_json(out, name, size);
        free(name);
    }
    fputs("\n]}", out);
}

static void open_columns(struct writer *w) {
    for (int i = 0; i < COLUMNS && !w->error; i++) {
        int fd = io_temporary();
        w->columns[i] = fd < 0 ? NULL : fdopen(fd, "w+");
        w->error = w->columns[i] ? 0 : errno;
    }
}

static void close_columns(struct writer *w) {
    for (int i = 0; i < COLUMNS && w->columns[i]; i++) {
        check(w, w->columns[i], fflush(w->columns[i]) == 0);
        fclose(w->columns[i]);
    }
}

bool export_firefox(const struct export_job *job, struct error *ret_error) {
    struct source *source = job->source;
    FILE *out = job->out;
    static const struct stacks_functions functions = {begin_track, open_frame, close_frame, marker,
                                                      end_track};
    struct writer w = {.out = out, .source = source};
    bool done = false;

    open_columns(&w);
    if (!w.error) {
        meta(&w);
        done = stacks_each(&w.stacks, source, &functions, &w, ret_error);
        fputs("\n],\n", out);
        write_shared(&w);
        fputs("}\n", out);
        stacks_free(&w.stacks);
    }
    close_columns(&w);
    if (w.error) {
        error_set(ret_error, "cannot use temporary files in $TMPDIR or /var/tmp: %s",
                  strerror(w.error));
        done = false;
    }
    map_free(&w.index);
    free(w.all);
    free(w.open);
    return done;
}
