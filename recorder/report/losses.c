/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "losses.h"
#include "figures.h"
#include "left_out.h"
#include "report.h"
#include "utf8.h"
#include "../base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

static const struct loss {
    const char *one, *more;
    bool own_line; /* it is printed as a line; else losses_print_unknown prints it in a list */
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
    [REC_LOSS_TYPE] = {"message or payload of an unknown type",
                       "messages or payloads of an unknown type", false},
    [REC_LOSS_CUT_TEXT] = {"text was too long and was cut", "texts were too long and were cut",
                           true},
    [REC_LOSS_DOMAINS] =
        {"domain did not fit into the recording; its events are in the default domain",
         "domains did not fit into the recording; their events are in the default domain", true},
    [REC_LOSS_NAMES] = {"name found no room in the file", "names found no room in the file", true},
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

void losses_print_unknown(const struct span_totals *t, FILE *out)
{
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

/* Prints a line for each kind of loss that has a line of its own. */
static void print_own_lines(const struct span_totals *t, FILE *out)
{
    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        if (t->lost[i] && losses[i].own_line) {
            fprintf(out, "nvtxh: %llu %s\n", (unsigned long long)t->lost[i],
                    PLURAL(t->lost[i], losses[i].one, losses[i].more));
        }
    }
}

/* Why the file could not grow: a text for an errno. */
static const char *reason(int error)
{
    switch (error) {
    case 0: /* an older recorder, which did not write the reason */
        return "its file could not grow (a full disk, a limit on file sizes, or no descriptor "
               "left)";
    case ENOSPC:
    case EDQUOT:
        return "there was no space left for its file";
    case EFBIG:
        return "its file reached the limit on file sizes";
    case EMFILE:
    case ENFILE:
        return "the program had closed the recording's file, and no descriptor was left to open it "
               "again";
    case EACCES:
    case EPERM:
    case EROFS:
        return "the program had closed the recording's file, and has no permission to open it "
               "again "
               "(does the program change its user?)";
    case ENOENT:
    case ENOTDIR:
    case ESTALE:
        return "the program had closed the recording's file, which is no longer where it was";
    case EINVAL:
        return "something wrote over the header of its file";
    default:
        return strerror(error);
    }
}

void losses_print_stopped(const struct recording *r, FILE *out)
{
    if (r->header.complained) {
        fprintf(out, "nvtxh: recording stopped before the program ended: %s\n",
                reason((int)r->header.stopped));
    }
}

/* Whether one of the first `processes` processes had that tool. */
static bool had_tool(const struct recording *r, size_t processes, uint32_t tool)
{
    for (size_t i = 0; i < processes; i++) {
        for (size_t k = 0; k < r->processes[i].tool_count; k++) {
            if (r->processes[i].tools[k] == tool) {
                return true;
            }
        }
    }
    return false;
}

static void print_tools(const struct recording *r, FILE *out)
{
    for (size_t i = 0; i < r->process_count; i++) {
        const struct process *p = &r->processes[i];
        for (size_t k = 0; k < p->tool_count; k++) {
            const struct text *text = texts_at(&r->texts, p->tools[k]);
            char *safe = printable(text->bytes, text->size, 300);
            if (!had_tool(r, i, p->tools[k])) {
                fprintf(out, "nvtxh: the tool %s got the program's NVTX calls, too\n", safe);
            }
            free(safe);
        }
    }
}

/* "the default domain", or "domain NAME". Free it. */
static char *domain_called(const struct recording *r, uint32_t name)
{
    const struct text *text = texts_at(&r->texts, name);
    char *called = must_alloc(NULL, 512, 1);
    char *safe = printable(text->bytes, text->size, 100);

    snprintf(called, 512, "%s%s", name ? "domain " : "the default domain", safe);
    free(safe);
    return called;
}

static void print_misdirected(const struct recording *r, const struct span_totals *t, FILE *out)
{
    if (!t->misdirected) {
        return;
    }
    char *popped = domain_called(r, t->popped_domain), *open = domain_called(r, t->open_domain);
    fprintf(out,
            "nvtxh: %llu %s in %s without a push, while a range of %s was open; did you mean %s?\n",
            (unsigned long long)t->misdirected, PLURAL(t->misdirected, "pop", "pops"), popped, open,
            t->open_domain ? "NVTX_POP(.domain = ...)" : "NVTX_POP()");
    free(popped);
    free(open);
}

static void print_snapshot(const struct recording *r, FILE *out)
{
    const struct rec_snapshot *s = &r->header.snapshot;
    time_t seconds = (time_t)(s->moment.realtime / 1000000000);
    char day[32] = "", length[64];
    struct tm tm;

    if (!s->to) {
        return;
    }
    if (!localtime_r(&seconds, &tm) || !strftime(day, sizeof(day), "%Y-%m-%d %H:%M:%S", &tm)) {
        *day = 0;
    }
    figure_time(s->to > s->from ? (double)(s->to - s->from) : 0, 0, 0, false, length);
    char *reason = printable(s->reason, strnlen(s->reason, sizeof(s->reason)), sizeof(s->reason));
    fprintf(out, "nvtxh: a snapshot of %s, taken at %s: %s\n", length, day, reason);
    free(reason);
}

void losses_print_all(const struct recording *r, const struct span_totals *t, FILE *out)
{
    unsigned long long pops = t->pops + t->lost[REC_LOSS_POP];

    print_snapshot(r, out);
    left_out_print(r, t, out);
    if (t->dropped) {
        fprintf(out, "nvtxh: %llu %s dropped: the recording is not complete\n",
                (unsigned long long)t->dropped, PLURAL(t->dropped, "event was", "events were"));
    }
    if (t->unplaced) {
        fprintf(out, "nvtxh: %llu %s: no synchronization point relates %s to the recording's\n",
                (unsigned long long)t->unplaced,
                PLURAL(t->unplaced, "deferred event is shown as a mark where it was submitted",
                       "deferred events are shown as marks where they were submitted"),
                PLURAL(t->unplaced, "its clock", "their clocks"));
    }
    if (t->open) {
        fprintf(out, "nvtxh: %llu %s with %s%s process\n", (unsigned long long)t->open,
                PLURAL(t->open, "range had no end, so it ends", "ranges had no end, so they end"),
                r->header.snapshot.to ? "the snapshot or " : "", PLURAL(t->open, "its", "their"));
    }
    if (t->cut) {
        fprintf(out,
                "nvtxh: %llu of these %s before that: with the range around %s, at the next push "
                "of the same name, or at a pop in another domain\n",
                (unsigned long long)t->cut, PLURAL(t->cut, "ends", "end"),
                PLURAL(t->cut, "it", "them"));
    }
    print_misdirected(r, t, out);
    if (pops + t->ends) {
        fprintf(out, "nvtxh: %llu %s and %llu %s had no beginning\n", pops,
                PLURAL(pops, "pop", "pops"), (unsigned long long)t->ends,
                PLURAL(t->ends, "end of a process range", "ends of process ranges"));
    }
    print_own_lines(t, out);
    losses_print_unknown(t, out);
    losses_print_stopped(r, out);
    print_tools(r, out);
    if (recording_processes(r) == 0 && r->header.refused) {
        fprintf(out, "nvtxh: the recording is empty: the program is statically linked and cannot "
                     "be recorded; link it dynamically, or link the recorder into it\n");
    } else if (recording_processes(r) == 0 && !r->header.complained) {
        int status = r->header.end.ticks ? r->header.status : 0;
        fprintf(out,
                "nvtxh: the recording is empty: the program made no NVTX call that reached the "
                "recorder%s%s\n",
                WIFSIGNALED(status) ? "; a signal ended it: " : "",
                WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
    }
}

#define MAX_SIZE (UINT64_C(1) << 60) /* the largest file; a number above it is damage */

/* Adds "3 things" to a list, unless the count is 0. */
static void list(char *buffer, size_t size, uint64_t count, const char *one, const char *more)
{
    size_t used = strlen(buffer);

    if (count) {
        snprintf(buffer + used, size - used, "%s%llu %s", used ? ", " : "",
                 (unsigned long long)count, PLURAL(count, one, more));
    }
}

/* How many bytes the file lacks at its end. A writer first reserves space by raising next_offset in the header; the file
 * grows a moment later. If it could not grow, the writer has reported that, and the space does not count as missing. */
static uint64_t missing(const struct recording *r)
{
    uint64_t end = r->header.next_offset;
    struct stat st;

    uint64_t size =
        fstat(r->fd, &st) == 0 ? (uint64_t)st.st_size : r->size; /* r->fd may be closed */
    bool behind = size < end && end <= MAX_SIZE;
    return behind && !r->header.complained ? end - size : r->damage.missing;
}

const char *losses_damage(const struct recording *r, char *buffer, size_t size)
{
    const struct damage *d = &r->damage;
    uint64_t lost = missing(r);
    char what[256] = "";

    list(what, sizeof(what), lost, "byte is missing at its end", "bytes are missing at its end");
    list(what, sizeof(what), d->bad_chunks, "damaged chunk", "damaged chunks");
    list(what, sizeof(what), d->bad_records, "unreadable record", "unreadable records");
    list(what, sizeof(what), d->no_text, "event without its message",
         "events without their message");
    if (!*what) {
        return NULL;
    }
    snprintf(buffer, size, "the recording is %s: %s; the rest has been read",
             lost ? "cut short" : "damaged", what);
    return buffer;
}
