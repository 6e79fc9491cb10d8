/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "left_out.h"
#include "figures.h"
#include "report.h"

const char *left_out_text(const struct recording *r, const struct span_totals *t,
                          char buffer[LEFT_OUT])
{
    uint64_t count = t->lost[REC_LOSS_SHORT], bound = 0;
    char time[64];

    for (size_t i = 0; i < r->process_count; i++) {
        bound = r->processes[i].bound > bound ? r->processes[i].bound : bound;
    }
    figure_time((double)bound, 0, 0, false, time);
    snprintf(buffer, LEFT_OUT, "%llu %s shorter than %s left out", (unsigned long long)count,
             PLURAL(count, "range", "ranges"), time);
    return count ? buffer : NULL;
}

void left_out_print(const struct recording *r, const struct span_totals *t, FILE *out)
{
    char text[LEFT_OUT];

    if (left_out_text(r, t, text)) {
        fprintf(out, "nvtxh: %s\n", text);
    }
    if (r->statistics.missed) {
        fprintf(out,
                "nvtxh: about %llu %s overwritten before they were looked at, and not counted\n",
                (unsigned long long)r->statistics.missed,
                PLURAL(r->statistics.missed, "event was", "events were"));
    }
}
