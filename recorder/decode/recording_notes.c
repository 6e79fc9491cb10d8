/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "recording_source.h"
#include "../output/report.h"
#include "../output/quote.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

/* Why the file could not grow: a text for an errno. */
static const char *reason(int error) {
    switch (error) {
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
               "again (does the program change its user?)";
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

void recording_print_stopped(const struct recording *r, FILE *out) {
    if (r->header.stopped) {
        fprintf(out, "nvtxh: recording stopped before the program ended: %s\n",
                reason((int)r->header.stopped));
    }
}

/* Whether one of the first `processes` processes had another NVTX tool with the path `tool`. */
static bool had_tool(const struct recording *r, size_t processes, uint32_t tool) {
    for (size_t i = 0; i < processes; i++) {
        if (r->processes[i].tool == tool) {
            return true;
        }
    }
    return false;
}

static void print_tools(const struct recording *r, FILE *out) {
    for (size_t i = 0; i < r->source.process_count; i++) {
        uint32_t tool = r->processes[i].tool;
        if (tool && !had_tool(r, i, tool)) {
            const struct str *text = string_table_at(&r->source.strings, tool);
            char *safe = printable(text->bytes, text->size, 300);
            fprintf(out, "nvtxh: the tool %s got the program's NVTX calls, too\n", safe);
            free(safe);
        }
    }
}

int64_t recording_whole_from(struct recording *r) {
    int64_t from = 0;

    for (size_t n = 0; n < r->source.process_count; n++) {
        const struct process *p = &r->processes[n];
        for (size_t i = p->first_chunk; i < p->first_chunk + p->chunk_count; i++) {
            const struct chunk_ref *ref = &r->chunks[i];
            bool follows = i > p->first_chunk && ref[-1].stream == ref->stream;
            if (ref->ring && ref->seq != (follows ? ref[-1].seq + 1 : 0)) {
                int64_t begun = recording_ns(r, p, ref->begun);
                from = begun > from ? begun : from;
            }
        }
    }
    return from;
}

const char *recording_covered(int64_t from, int64_t to, int64_t whole_from,
                              char buffer[RECORDING_COVERED]) {
    char share[64];
    bool some = whole_from < to;
    double part = some ? (double)(to - whole_from) / (double)(to - from) : 0;

    if (whole_from <= from) {
        return NULL;
    }
    figure_number(floor(1000 * part) / 10, 1, share); /* never rounded up to 100 */
    snprintf(buffer, RECORDING_COVERED,
             "complete for %s%s %% of its window: what was before had been overwritten (a larger "
             "--ring keeps events longer)",
             some ? "the last " : "", share);
    return buffer;
}

static void print_snapshot(struct recording *r, FILE *out) {
    const struct rec_snapshot *s = &r->header.snapshot;
    time_t seconds = (time_t)(s->moment.realtime / 1000000000);
    char day[32] = "", length[64], covered[RECORDING_COVERED];
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
    if (recording_covered((int64_t)s->from, (int64_t)s->to, recording_whole_from(r), covered)) {
        fprintf(out, "nvtxh: it is %s\n", covered);
    }
}

void recording_notes(const struct source *s, bool is_after, FILE *out) {
    struct recording *r = recording_of(s);

    if (!is_after) {
        print_snapshot(r, out);
        return;
    }
    recording_print_stopped(r, out);
    print_tools(r, out);
    if (r->source.is_empty && r->header.refused) {
        fprintf(out, "nvtxh: the recording is empty: the program is statically linked and cannot "
                     "be recorded; link it dynamically, or link the recorder into it\n");
    } else if (r->source.is_empty && !r->header.stopped) {
        int status = r->header.end.ticks ? r->header.status : 0;
        fprintf(out,
                "nvtxh: the recording is empty: the program made no NVTX call that reached the "
                "recorder%s%s\n",
                WIFSIGNALED(status) ? "; a signal ended it: " : "",
                WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "");
    }
}

#define MAX_SIZE (UINT64_C(1) << 60) /* the largest file; a larger next_offset is damage */

/* Adds "3 things" to a list, unless the count is 0. */
static void list(char *buffer, size_t size, uint64_t count, const char *one, const char *more) {
    if (count) {
        text_append(buffer, size, ", ", "%llu %s", (unsigned long long)count,
                    PLURAL(count, one, more));
    }
}

/* How many bytes the file lacks at its end. A writer first reserves space by raising next_offset in
 * the header; the file grows a moment later. If it cannot grow, the writer sets `stopped`, and
 * the space that it had reserved does not count as missing. */
static uint64_t missing(const struct recording *r) {
    uint64_t end = r->header.next_offset;
    struct stat st;

    /* r->fd may be closed; then r->size counts */
    uint64_t size = fstat(r->fd, &st) == 0 ? (uint64_t)st.st_size : r->size;
    bool behind = size < end && end <= MAX_SIZE;
    return behind && !r->header.stopped ? end - size : r->damage.missing;
}

const char *recording_damage(const struct source *s, char *buffer, size_t size) {
    const struct recording *r = recording_of(s);
    const struct damage *d = &r->damage;
    uint64_t lost = missing(r);
    char what[256] = "";

    list(what, sizeof(what), lost, "byte is missing at its end", "bytes are missing at its end");
    list(what, sizeof(what), d->bad_chunks, "damaged chunk", "damaged chunks");
    list(what, sizeof(what), d->bad_records, "unreadable record", "unreadable records");
    list(what, sizeof(what), d->no_text, "event without its message",
         "events without their message");
    if (!*what) {
        snprintf(buffer, size, "%llu %s more values or longer texts than can be shown",
                 (unsigned long long)r->cut_payloads,
                 PLURAL(r->cut_payloads, "payload has", "payloads have"));
        return r->cut_payloads ? buffer : NULL;
    }
    snprintf(buffer, size, "the recording is %s: %s; the rest has been read",
             lost ? "cut short" : "damaged", what);
    return buffer;
}
