/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* speedscope's own JSON: one profile of the type "evented" per thread. Such a profile can only have
 * nested frames, so marks, counters and process ranges are left out. */
#include "export.h"
#include "../report/quote.h"

#include <stdlib.h>

struct writer {
    FILE *out;
    struct source *source;
    struct stacks stacks;
    bool profiles, events; /* the next one is not the first: a comma goes before it */
    int64_t last;          /* the time of the last event; ns */
};

static void begin_profile(void *arg, const struct source_process *process, uint32_t tid) {
    struct writer *w = arg;
    size_t size;
    char *name = label_thread(w->source, process, tid, &size);

    fprintf(w->out, "%s{\"type\":\"evented\",\"unit\":\"nanoseconds\",\"name\":",
            w->profiles ? ",\n" : "\n");
    quote_json(w->out, name, size);
    fputs(",\"events\":[", w->out);
    free(name);
    w->profiles = true;
    w->events = false;
    w->last = 0;
}

static void event(struct writer *w, char type, uint32_t name, int64_t at) {
    fprintf(w->out, "%s{\"type\":\"%c\",\"frame\":%u,\"at\":%lld}", w->events ? ",\n" : "\n", type,
            name, (long long)at);
    w->events = true;
    w->last = at;
}

static void open_frame(void *arg, uint32_t name, int64_t at) {
    event(arg, 'O', name, at);
}

static void close_frame(void *arg, uint32_t name, int64_t at) {
    event(arg, 'C', name, at);
}

/* A profile starts at 0, because all times count from the beginning of the recording. */
static void end_profile(void *arg) {
    struct writer *w = arg;
    fprintf(w->out, "\n],\"startValue\":0,\"endValue\":%lld}", (long long)w->last);
}

bool export_speedscope(const struct export_job *job, struct error *ret_error) {
    struct source *source = job->source;
    FILE *out = job->out;
    static const struct stacks_functions functions = {
        .begin = begin_profile, .open = open_frame, .close = close_frame, .end = end_profile};
    struct writer w = {.out = out, .source = source};
    const struct stacks *s = &w.stacks;

    fputs("{\"$schema\":\"https://www.speedscope.app/"
          "file-format-schema.json\",\"exporter\":\"nvtxh\",\"profiles\":[",
          out);
    bool done = stacks_each(&w.stacks, source, &functions, &w, ret_error);
    fputs("\n],\"shared\":{\"frames\":[", out);
    for (size_t i = 0; i < s->name_count; i++) {
        size_t size;
        char *name = label_range(source, s->names[i].domain_name, s->names[i].text, &size);
        fputs(i ? ",\n{\"name\":" : "\n{\"name\":", out);
        quote_json(out, name, size);
        fputc('}', out);
        free(name);
    }
    fputs("\n]}}\n", out);
    stacks_free(&w.stacks);
    return done;
}
