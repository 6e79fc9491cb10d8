/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "finding.h"
#include "../analysis/name.h"
#include "quote.h"
#include "report.h"
#include "../util/memory.h"

#include <stdlib.h>
#include <string.h>

/* Prints a name, shortened to 60 bytes, and frees it. */
static void print_name(FILE *out, char *name, size_t size) {
    char *safe = printable(name, size, 60);

    fputs(safe, out);
    free(safe);
    free(name);
}

static void print_range(FILE *out, const struct source *s, uint32_t domain_name, uint32_t text) {
    size_t size;
    char *name = name_of_range(s, domain_name, text, true, &size);

    print_name(out, name, size);
}

/* "BEFORE thread 4712 io"; nothing for several threads. */
static void print_thread(FILE *out, const struct finding *f, const char *before) {
    if (f->thread) {
        const struct source_process *p = f->thread->process;
        size_t size;
        char *name = name_of_thread(f->source, p, f->thread->tid, p->pid, true, false, &size);

        fputs(before, out);
        print_name(out, name, size);
    }
}

/* Prints what a finding is about. */
static void print_subject(FILE *out, const struct finding *f) {
    if (f->kind == FINDING_IDLE) {
        print_thread(out, f, "thread ");
    } else if (f->kind == FINDING_STRAGGLER) {
        const struct str *name = rank_short_name(f->ranks, f->range);
        print_name(out, must_copy(name->bytes, name->size), name->size);
    } else if (f->kind != FINDING_LOST && f->kind != FINDING_LATE) {
        fputs(f->kind == FINDING_INSTANCE ? "one " : "", out);
        print_range(out, f->source, f->domain_name, f->text);
    }
}

static void print_change(FILE *out, const struct finding *f, const char *now, const char *before) {
    const char *word = comparison_figure_words[f->changed];

    if (isnan(f->usual) || isnan(f->figure)) {
        fprintf(out, " is only in %s, %s %s", isnan(f->usual) ? "B" : "A", word,
                isnan(f->usual) ? now : before);
        return;
    }
    fprintf(out, ": %s %s, was %s", word, now, before);
    if (f->usual > 0) {
        fprintf(out, " (%+.1f %%)", 100 * (f->figure / f->usual - 1));
    }
}

char *finding_text(const struct finding *f, bool utf8) {
    char figure[64], usual[64], at[64], *text;
    size_t size;
    FILE *out = must_open_text(&text, &size);

    figure_time(f->figure, 0, 3, utf8, figure);
    figure_time(f->usual, 0, 3, utf8, usual);
    figure_time((double)f->at, FIGURE_MS, 3, utf8, at);
    print_subject(out, f);
    switch (f->kind) {
    case FINDING_LOST:
        figure_number(f->figure, 0, figure);
        fprintf(out, "%s %s lost, so figures are too small", figure,
                PLURAL(f->figure, "event was", "events were"));
        break;
    case FINDING_SELF:
        fprintf(out, " took %s itself, %.0f %% of the busy time", figure, f->usual);
        print_thread(out, f, ", on thread ");
        break;
    case FINDING_INSTANCE:
        fprintf(out, " took %s, %.0f times its median of %s, at %s ms", figure,
                f->figure / (f->usual > 1 ? f->usual : 1), usual, at);
        print_thread(out, f, " on thread ");
        break;
    case FINDING_IDLE:
        fprintf(out, " was busy for %s; the median of threads like it is %s", figure, usual);
        break;
    case FINDING_PREEMPTED:
        fprintf(out, " had no processor for %s, %.0f %% of its time, because others ran", figure,
                f->usual);
        print_thread(out, f, ", on thread ");
        break;
    case FINDING_COUNTER:
        figure_value(f->figure, figure);
        fprintf(out, " was at its highest, %s, for %.0f %% of the time, first at %s ms", figure,
                f->usual, at);
        break;
    case FINDING_GPU_IDLE:
        fprintf(out, " left GPUs idle for %s, %.0f %% of the time between its operations", figure,
                f->usual);
        break;
    case FINDING_CHANGE:
        print_change(out, f, figure, usual);
        break;
    case FINDING_STRAGGLER:
        fprintf(out,
                ": rank %u is %s straggler: its median instance takes %.1f %% longer than that of "
                "the median rank",
                f->rank->number, f->usual > 1 ? "the worst" : "a", f->figure);
        break;
    case FINDING_LATE:
        fprintf(out, "rank %u starts late: its first event is %s after that of the median rank",
                f->rank->number, figure);
        break;
    }
    must_close_text(out, &text);
    return text;
}

/* --- why the longest instance took so long ---------------------------------------------------- */

enum {
    LINES = 5, /* how many ranges around, ranges inside, groups of threads and counters are shown */
    NAMES = 3, /* how many ranges of a group */
};

/* The payload of a range around the instance: its fields or its number; "": none. Free it. */
static char *payload_of(struct source *s, const struct explanation *e,
                        const struct explained *row) {
    if (row->what != EXPLAINED_AROUND) {
        return must_copy("", 0);
    }
    const struct span *span = &e->around[row->index];
    struct value payload = value_of_span(span);
    char digits[VALUE_DIGITS], *fields = payload_text(s, span, false);
    return fields ? fields : must_copy(value_digits(&payload, digits), SIZE_MAX);
}

static char *name_of_group(struct source *s, const struct explained_group *g, size_t *ret_size) {
    return name_of_threads(s, g->process, g->tid, g->name, g->threads, ret_size);
}

/* Prints a row's two times or values. */
static void print_pair(FILE *out, const struct explanation *e, const struct explained *row,
                       bool utf8) {
    char then[64], usual[64];

    if (row->what == EXPLAINED_COUNTER) {
        figure_value(row->then, then);
        figure_value(row->usual, usual);
    } else {
        figure_time(row->then, 0, 3, utf8, then);
        figure_time(row->usual, 0, 3, utf8, usual);
    }
    bool has_usual = e->has_typical || row->what == EXPLAINED_COUNTER;
    fprintf(out, " %s%s%s", then, has_usual ? ", usually " : "", has_usual ? usual : "");
}

/* Prints a row that is the nth (from 0) of those of its kind and group. */
static void print_row(FILE *out, struct source *s, const struct explanation *e,
                      const struct explained *row, size_t nth, bool utf8) {
    size_t size;

    if (row->what == EXPLAINED_AROUND) {
        char *payload = payload_of(s, e, row);
        fputs(nth ? " > " : row->index ? "\nin ... > " : "\nin ", out);
        print_range(out, s, row->domain_name, row->text);
        fputs(*payload ? " (" : "", out);
        size = strlen(payload);
        print_name(out, payload, size);
        fputs(size ? ")" : "", out);
    } else if (row->what == EXPLAINED_MEANWHILE) {
        const struct explained_group *g = &e->groups[row->index];
        fputs(nth ? ", " : "\nmeanwhile ", out);
        if (!nth) {
            char *name = name_of_group(s, g, &size);
            print_name(out, name, size);
            fputs(": ", out);
        }
        print_range(out, s, row->domain_name, row->text);
        double all = (double)(e->longest.end - e->longest.start) * g->threads;
        fprintf(out, " %.0f %%", 100 * row->then / all);
    } else {
        bool is_own = row->what == EXPLAINED_INSIDE && row->text == e->text &&
                      row->domain_name == e->longest.domain_name &&
                      row->then == (double)e->longest.self; /* or others of its name are in it */
        fputs(row->what == EXPLAINED_COUNTER ? "\ncounter " : is_own ? "\nitself" : "\n", out);
        if (!is_own) {
            print_range(out, s, row->domain_name, row->text);
        }
        print_pair(out, e, row, utf8);
    }
}

/* Whether people see a row: see print_row. `groups`: how many groups came before. */
static bool is_shown(const struct explanation *e, const struct explained *row, size_t nth,
                     size_t groups) {
    double all = (double)(e->longest.end - e->longest.start);

    switch (row->what) {
    case EXPLAINED_AROUND:
        return row->index + LINES >= e->around_count;
    case EXPLAINED_INSIDE:
        return nth < LINES && fabs(row->then - row->usual) >= 0.01 * all;
    case EXPLAINED_MEANWHILE:
        all *= e->groups[row->index].threads;
        return groups < LINES && nth < NAMES && row->then >= 0.01 * all;
    default:
        return nth < LINES && (row->then < row->usual || row->then > row->usual);
    }
}

char *explanation_text(struct source *s, const struct explanation *e, bool utf8) {
    char *text, time[64];
    size_t size, nth = 0, groups = 0;
    bool is_first = true;
    FILE *out = must_open_text(&text, &size);

    print_range(out, s, e->longest.domain_name, e->longest.text);
    figure_time((double)(e->longest.end - e->longest.start), 0, 3, utf8, time);
    fprintf(out, " took %s", time);
    if (e->has_typical) {
        figure_time((double)(e->typical.end - e->typical.start), 0, 3, utf8, time);
        fprintf(out, ", a usual one %s", time);
    }
    for (size_t i = 0; i < e->count; i++) {
        const struct explained *row = &e->rows[i], *before = i ? row - 1 : row;
        bool is_new = before->what != row->what || before->index != row->index;
        if (is_new && row->what != EXPLAINED_AROUND) {
            nth = 0;
            groups += before->what == EXPLAINED_MEANWHILE;
        }
        if (is_shown(e, row, nth, groups)) {
            fputs(is_first ? ":" : "", out);
            is_first = false;
            print_row(out, s, e, row, nth++, utf8);
        }
    }
    must_close_text(out, &text);
    return text;
}

static void print_json_text(FILE *out, const char *key, char *text, size_t size) {
    fprintf(out, ",\"%s\":", key);
    quote_json(out, text, size);
    free(text);
}

static void print_json_number(FILE *out, double number) {
    if (isfinite(number)) {
        fprintf(out, "%.17g", number);
    } else {
        fputs("null", out);
    }
}

char *explanation_json(struct source *s, const struct explanation *e) {
    static const char *const words[] = {"around", "inside", "meanwhile", "counter"};
    char *text;
    size_t size;
    FILE *out = must_open_text(&text, &size);

    for (size_t i = 0; i < e->count; i++) {
        const struct explained *row = &e->rows[i];
        bool is_group = row->what == EXPLAINED_MEANWHILE,
             has_usual = row->what == EXPLAINED_COUNTER ||
                         (row->what == EXPLAINED_INSIDE && e->has_typical);
        const struct explained_group *g = is_group ? &e->groups[row->index] : NULL;
        fprintf(out, "%s{\"what\":\"%s\"", i ? "," : "[", words[row->what]);
        char *name = name_of_range(s, row->domain_name, row->text, false, &size);
        print_json_text(out, "name", name, size);
        char *payload = payload_of(s, e, row);
        print_json_text(out, "payload", payload, strlen(payload));
        name = is_group ? name_of_group(s, g, &size) : must_copy("", size = 0);
        print_json_text(out, "thread", name, size);
        fprintf(out, ",\"threads\":%u,\"then\":", is_group ? g->threads : 0);
        print_json_number(out, row->what == EXPLAINED_AROUND ? NAN : row->then);
        fputs(",\"usually\":", out);
        print_json_number(out, has_usual ? row->usual : NAN);
        fputc('}', out);
    }
    fputs(e->count ? "]" : "[]", out);
    must_close_text(out, &text);
    return text;
}
