/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "heat_map.h"
#include "../report/terminal.h"

#include <math.h>
#include <string.h>

enum { LINES_MOST = 24, LABEL = 16, SHADES = 5, COLUMNS_MOST = 240 }; /* LABEL: characters */

/* Each of the ranks [from, to) has a median of how late it came to the instances [first, end). Returns the largest of
 * these medians; NAN if no rank has one. */
static double shade_of(const struct rank_arrivals *a, size_t from, size_t to, size_t first,
                       size_t end)
{
    double most = NAN;

    /* Not the median of all ranks together: one late rank among many must stay visible. */
    for (size_t i = from; i < to; i++) {
        double known[RANKS_MOMENTS];
        size_t there = 0;
        for (size_t k = first; k < end && there < RANKS_MOMENTS; k++) {
            double late = a->late[i * a->count + k];
            known[there] = late;
            there += isnan(late) ? 0 : 1;
        }
        double median = rank_median(known, there);
        most = isnan(most) || median > most ? median : most;
    }
    return most;
}

void heat_map_print(const struct ranks *all, const struct rank_arrivals *a,
                    const struct report_style *style, FILE *out)
{
    static const char *const blocks[] = {" ", "░", "▒", "▓", "█"}, *const letters[] = {
                                                                       " ", ".", ":", "+", "#"};
    struct terminal t = terminal_of(out, (enum report_color)style->color);
    size_t width = t.width ? t.width : 80;
    size_t lines = all->count < LINES_MOST ? all->count : LINES_MOST;
    size_t columns = width > LABEL + 10 ? width - LABEL - 1 : 10;
    double values[LINES_MOST][COLUMNS_MOST], late[LINES_MOST * COLUMNS_MOST];
    size_t known = 0;
    char time[64];

    columns = columns < COLUMNS_MOST ? columns : COLUMNS_MOST;
    columns = columns < a->count ? columns : a->count;
    for (size_t l = 0; l < lines; l++) {
        for (size_t c = 0; c < columns; c++) {
            values[l][c] = shade_of(a, l * all->count / lines, (l + 1) * all->count / lines,
                                    c * a->count / columns, (c + 1) * a->count / columns);
            if (values[l][c] > 0) {
                late[known++] = values[l][c];
            }
        }
    }
    rank_median(late, known); /* sorts `late` for rank_quantile */
    double most = known ? rank_quantile(late, known, 0.95) : 0;
    figure_time(most, 0, 0, t.utf8, time);
    fprintf(out, "\nHow late ranks come to %s, over time; %s: %s or more\n",
            texts_get(&all->names, all->aligned_by), t.utf8 ? blocks[4] : letters[4], time);
    for (size_t l = 0; l < lines; l++) {
        size_t from = l * all->count / lines, to = (l + 1) * all->count / lines - 1;
        char label[64];
        if (from == to) {
            snprintf(label, sizeof(label), "rank %u", all->all[from].number);
        } else {
            snprintf(label, sizeof(label), "%u to %u", all->all[from].number, all->all[to].number);
        }
        fprintf(out, "%-*.*s ", LABEL, LABEL, label);
        for (size_t c = 0; c < columns; c++) {
            double part = values[l][c] > 0 && most > 0 ? values[l][c] / most : 0;
            size_t shade = (size_t)(fmin(part, 1) * (SHADES - 1) + 0.5);
            fputs(isnan(values[l][c]) ? "?" : t.utf8 ? blocks[shade] : letters[shade], out);
        }
        fputc('\n', out);
    }
}
