/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "finding.h"
#include "../analysis/name.h"
#include "quote.h"
#include "report.h"
#include "../util/memory.h"

#include <stdlib.h>

/* Prints a name, shortened to 60 bytes, and frees it. */
static void print_name(FILE *out, char *name, size_t size) {
    char *safe = printable(name, size, 60);

    fputs(safe, out);
    free(safe);
    free(name);
}

/* "BEFORE thread 4712 io"; nothing for several threads. */
static void print_thread(FILE *out, const struct source *s, const struct finding *f,
                         const char *before) {
    if (f->thread) {
        const struct source_process *p = f->thread->process;
        size_t size;
        char *name = name_of_thread(s, p, f->thread->tid, p->pid, true, false, &size);

        fputs(before, out);
        print_name(out, name, size);
    }
}

char *finding_text(const struct source *s, const struct finding *f, bool utf8) {
    char figure[64], usual[64], at[64], *text;
    size_t size;
    FILE *out = must_open_text(&text, &size);

    figure_time(f->figure, 0, 3, utf8, figure);
    figure_time(f->usual, 0, 3, utf8, usual);
    figure_time((double)f->at, FIGURE_MS, 3, utf8, at);
    if (f->kind == FINDING_IDLE) {
        print_thread(out, s, f, "thread ");
    } else if (f->kind != FINDING_LOST) {
        fputs(f->kind == FINDING_INSTANCE ? "one " : "", out);
        char *name = name_of_range(s, f->domain_name, f->text, true, &size);
        print_name(out, name, size);
    }
    switch (f->kind) {
    case FINDING_LOST:
        figure_number(f->figure, 0, figure);
        fprintf(out, "%s %s lost, so figures are too small", figure,
                PLURAL(f->figure, "event was", "events were"));
        break;
    case FINDING_SELF:
        fprintf(out, " took %s itself, %.0f %% of the busy time", figure, f->usual);
        print_thread(out, s, f, ", on thread ");
        break;
    case FINDING_INSTANCE:
        fprintf(out, " took %s, %.0f times its median of %s, at %s ms", figure,
                f->figure / (f->usual > 1 ? f->usual : 1), usual, at);
        print_thread(out, s, f, " on thread ");
        break;
    case FINDING_IDLE:
        fprintf(out, " was busy for %s; the median of threads like it is %s", figure, usual);
        break;
    case FINDING_COUNTER:
        figure_value(f->figure, figure);
        fprintf(out, " was at its highest, %s, for %.0f %% of the time, first at %s ms", figure,
                f->usual, at);
        break;
    }
    must_close_text(out, &text);
    return text;
}
