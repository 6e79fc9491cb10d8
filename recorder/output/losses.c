/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "report.h"
#include "../analysis/name.h"
#include "../analysis/gpu.h"
#include "quote.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

static const struct loss {
    const char *one, *more; /* the text after the number 1, and after any other number */
    bool own_line;          /* printed in its own line; else in the list of losses_print_unknown */
} losses[REC_LOSS_SIZE] = {
    [REC_LOSS_EXTENDED] = {"payload with a schema (nvToolsExtPayload.h)",
                           "payloads with a schema (nvToolsExtPayload.h)", false},
    [REC_LOSS_RESOURCE] = {"generic resource (nvtxDomainResourceCreate)",
                           "generic resources (nvtxDomainResourceCreate)", false},
    [REC_LOSS_CUDA] = {"name of a CUDA object (nvtxNameCu*)", "names of CUDA objects (nvtxNameCu*)",
                       false},
    [REC_LOSS_CUDART] = {"name of a CUDA runtime object (nvtxNameCuda*)",
                         "names of CUDA runtime objects (nvtxNameCuda*)", false},
    [REC_LOSS_OPENCL] = {"name of an OpenCL object (nvtxNameCl*)",
                         "names of OpenCL objects (nvtxNameCl*)", false},
    [REC_LOSS_SYNC] = {"synchronization event (nvtxDomainSyncUser*)",
                       "synchronization events (nvtxDomainSyncUser*)", false},
    [REC_LOSS_COUNTER] = {"counter sample (nvToolsExtCounters.h)",
                          "counter samples (nvToolsExtCounters.h)", false},
    [REC_LOSS_MEMORY] = {"memory call (nvToolsExtMem.h)", "memory calls (nvToolsExtMem.h)", false},
    [REC_LOSS_EXTENSION] = {"call of an extension of NVTX that is not known here",
                            "calls of an extension of NVTX that is not known here", false},
    [REC_LOSS_DEFERRED] = {"call about deferred events (nvtxEventSubmit)",
                           "calls about deferred events (nvtxEventSubmit)", false},
    [REC_LOSS_TYPE] = {"message or payload of an unknown type",
                       "messages or payloads of an unknown type", false},
    [REC_LOSS_CUT_TEXT] = {"text was too long and was cut", "texts were too long and were cut",
                           true},
    [REC_LOSS_DOMAINS] =
        {"domain did not fit into the recording; its events are in the default domain",
         "domains did not fit into the recording; their events are in the default domain", true},
    [REC_LOSS_NAMES] = {"name was not recorded: no space in the file",
                        "names were not recorded: no space in the file", true},
    [REC_LOSS_HANDLE] = {"use of a domain or string that was never registered",
                         "uses of domains or strings that were never registered", true},
    [REC_LOSS_SCHEMA] = {"schema, enum, counter or scope could not be kept",
                         "schemas, enums, counters or scopes could not be kept", true},
    [REC_LOSS_POINTER] = {"payload was too long, or had pointers that could not be followed",
                          "payloads were too long, or had pointers that could not be followed",
                          true},
    [REC_LOSS_LEFT] =
        {"event may be missing: a signal handler interrupted it and did not return (siglongjmp)",
         "events may be missing: signal handlers interrupted them and did not return (siglongjmp)",
         true},
    [REC_LOSS_NESTED] =
        {"of the dropped events was in a signal handler that interrupted another event",
         "of the dropped events were in signal handlers that interrupted other events", true},
    [REC_LOSS_MAPPINGS] =
        {"of the dropped events found no memory: few mappings are left (vm.max_map_count)",
         "of the dropped events found no memory: few mappings are left (vm.max_map_count)", true},
};

void losses_print_unknown(const struct span_totals *t, FILE *out) {
    const char *before = "nvtxh: not recorded: ";

    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        if (t->lost[i] && !losses[i].own_line && losses[i].one) {
            fprintf(out, "%s%llu %s", before, (unsigned long long)t->lost[i],
                    PLURAL(t->lost[i], losses[i].one, losses[i].more));
            before = ", ";
        }
    }
    if (*before == ',') {
        fputc('\n', out);
    }
}

static void print_own_lines(const struct span_totals *t, FILE *out) {
    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        if (t->lost[i] && losses[i].own_line) {
            fprintf(out, "nvtxh: %llu %s\n", (unsigned long long)t->lost[i],
                    PLURAL(t->lost[i], losses[i].one, losses[i].more));
        }
    }
}

/* "the default domain", or "domain NAME". Free it. */
static char *domain_called(const struct source *s, uint32_t name) {
    const struct str *text = string_table_at(&s->strings, name);
    char *safe = printable(text->bytes, text->size, 100);
    char *called = must_print("%s%s", name ? "domain " : "the default domain", safe);

    free(safe);
    return called;
}

static void print_misdirected(const struct source *s, const struct span_totals *t, FILE *out) {
    if (!t->misdirected) {
        return;
    }
    char *popped = domain_called(s, t->popped_domain), *open = domain_called(s, t->open_domain);
    fprintf(out,
            "nvtxh: %llu %s in %s without a push, while a range of %s was open; did you mean %s?\n",
            (unsigned long long)t->misdirected, PLURAL(t->misdirected, "pop", "pops"), popped, open,
            t->open_domain ? "NVTX_POP(.domain = ...)" : "NVTX_POP()");
    free(popped);
    free(open);
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Prints names of ranges that had no end, sorted, and how many more there are. */
static void print_open_names(const struct source *s, const struct span_totals *t, FILE *out) {
    enum { NAMES = sizeof(t->open_names) / sizeof(t->open_names[0]) };
    char *names[NAMES];
    uint64_t more = t->open;
    size_t count = 0;

    for (; count < NAMES && t->open_names[count].count; count++) {
        const struct span_open_name *n = &t->open_names[count];
        size_t size;
        char *name = name_of_range(s, n->domain_name, n->text, true, &size);
        names[count] = printable(name, size, 100);
        more -= n->count;
        free(name);
    }
    qsort(names, count, sizeof(names[0]), by_text);
    for (size_t i = 0; i < count; i++) {
        fprintf(out, "%s%s", i ? ", " : ": ", names[i]);
        free(names[i]);
    }
    if (more) {
        fprintf(out, " and %llu more", (unsigned long long)more);
    }
    fputc('\n', out);
}

void losses_print_all(const struct source *s, const struct span_totals *t, FILE *out) {
    unsigned long long pops = t->pops + t->lost[REC_LOSS_POP];

    s->kind->notes(s, false, out);
    if (t->dropped) {
        fprintf(out, "nvtxh: %llu %s dropped: the recording is not complete\n",
                (unsigned long long)t->dropped, PLURAL(t->dropped, "event was", "events were"));
    }
    if (t->open) {
        fprintf(out, "nvtxh: %llu %s with %s%s process", (unsigned long long)t->open,
                PLURAL(t->open, "range had no end, so it ends", "ranges had no end, so they end"),
                s->is_snapshot ? "the snapshot or " : "", PLURAL(t->open, "its", "their"));
        print_open_names(s, t, out);
    }
    if (t->cut) {
        fprintf(out,
                "nvtxh: %llu of these %s before that: where the thread ended, where recording "
                "paused, where events are "
                "missing, with the range around %s, at the next push of the same name, or at a "
                "pop in another domain\n",
                (unsigned long long)t->cut, PLURAL(t->cut, "ends", "end"),
                PLURAL(t->cut, "it", "them"));
    }
    if (t->is_crowded) {
        fprintf(out,
                "nvtxh: more than %d ranges of different names were open at once: operations count "
                "only in those of them that began last\n",
                GPU_ROWS);
    }
    print_misdirected(s, t, out);
    if (pops + t->ends) {
        fprintf(out, "nvtxh: %llu %s and %llu %s had no beginning\n", pops,
                PLURAL(pops, "pop", "pops"), (unsigned long long)t->ends,
                PLURAL(t->ends, "end of a process range", "ends of process ranges"));
    }
    print_own_lines(t, out);
    losses_print_unknown(t, out);
    s->kind->notes(s, true, out);
}
