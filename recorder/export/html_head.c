/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * The head is a JSON object. Times are ns since the recording began. A text is 0, or 1 + its index in texts. Members:
 *   name, command      the name of the recording; the command line that was recorded
 *   realtime           when the recording began: ns since 1970, as a decimal string
 *   from, end          the time from which the user wants to see the recording (--from); the latest time in it
 *   processes          [{pid, name, host, rank, gates}, ...]; rank is there only if it is known;
 *                      gates: [[from, to], ...], the times in which the process was not recorded
 *   tracks             [{style, process, count, ...}, ...]; process: its index; count: of the track's entries.
 *                      With style PushPop also: thread (its index), lane (1: it shows signal handlers of the
 *                      thread), losses: [[time, lost events], ...], and
 *                      gaps: [time, ...]: up to each of these times, events of the thread were overwritten in a ring.
 *                      With StartEnd and Counter also: domain, name and unit, all texts
 *   threads            [{process, tid, name}, ...]
 *   categories         [[number, text], ...]
 *   texts, payloads    [string, ...]; a payload is JSON
 *   said               [string, ...]: the messages about losses and damage
 *   payloads_left_out  how many payloads with schemas were left out, because all together would be too large
 *   spans              how many ranges, marks and samples there were
 *   width              in ns: ranges, marks and samples shorter than this were merged; 0: none were merged
 *   exact              if some were merged, the rows of `nvtxh stats`: [[style, domain, text, instances, total,
 *                      self, min, max, med, p90, p99, stddev], ...]
 */
#include "html_head.h"
#include "html_tracks.h"
#include "labels.h"
#include "../base/memory.h"
#include "../report/losses.h"
#include "../report/quote.h"
#include "../source/filter.h"
#include "../sums/summary.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct writer {
    struct html_json json;
    const struct html_collected *c;
    struct html_texts *texts;
};

/* The output of losses_print_all and losses_damage, line by line, without "nvtxh: ". */
static void said(struct writer *w)
{
    char *lines = NULL, buffer[400];
    size_t size;
    FILE *out = must_open_text(&lines, &size);

    json_open_list(&w->json, "said");
    losses_print_all(w->c->source, &w->c->totals, out);
    const char *damage = losses_damage(w->c->source, buffer, sizeof(buffer));
    fprintf(out, "%s\n", damage ? damage : "");
    must_close_text(out, &lines);
    for (char *line = strtok(lines, "\n"); line; line = strtok(NULL, "\n")) {
        line += strncmp(line, "nvtxh: ", 7) ? 0 : 7;
        fputs(w->json.comma, w->json.out);
        quote_json(w->json.out, line, strlen(line));
        w->json.comma = ",";
    }
    free(lines);
    json_close_list(&w->json);
}

static void exact(struct writer *w)
{
    struct summary s;

    json_open_list(&w->json, "exact");
    if (w->c->width) {
        summary_make(&s, w->c->source, BY_RANGE);
        for (size_t i = 0; i < s.count; i++) {
            const struct summary_row *row = &s.rows[i];
            const struct distribution *d = &row->durations;
            if (row->style < SPAN_MARK) {
                fprintf(w->json.out,
                        "%s[%d,%u,%u,%" PRIu64 ",%.0f,%.0f,%" PRIu64 ",%" PRIu64
                        ",%.1f,%.1f,%.1f,%.1f]",
                        w->json.comma, row->style, html_text(w->texts, row->domain_name),
                        html_text(w->texts, row->text), row->instances, d->total, row->self, d->min,
                        d->max, distribution_quantile(d, 0.5), distribution_quantile(d, 0.9),
                        distribution_quantile(d, 0.99), distribution_deviation(d));
                w->json.comma = ",\n";
            }
        }
        summary_free(&s);
    }
    json_close_list(&w->json);
}

static void list_of_texts(struct writer *w, const char *name, const struct texts *texts,
                          const uint32_t *which, size_t count)
{
    json_open_list(&w->json, name);
    for (size_t i = 0; i < count; i++) {
        const struct text *t = texts_at(texts, which ? which[i] : (uint32_t)i + 1);
        fputs(w->json.comma, w->json.out);
        quote_json(w->json.out, t->bytes, t->size);
        w->json.comma = ",\n";
    }
    json_close_list(&w->json);
}

void html_head_write(const struct html_collected *c, struct html_texts *texts, const char *name,
                     FILE *out)
{
    struct writer w = {.json = {out, ""}, .c = c, .texts = texts};
    const struct source *source = c->source;
    const struct filter *filter = source->filter;

    fputc('{', out);
    json_text(&w.json, "name", name, strlen(name));
    json_text(&w.json, "command", source->command, strlen(source->command));
    fprintf(out, ",\"realtime\":\"%" PRIu64 "\"", source->start);
    json_number(&w.json, "from", filter && filter->from > INT64_MIN ? filter->from : 0);
    json_number(&w.json, "end", c->end);
    json_number(&w.json, "spans", (int64_t)c->spans);
    json_number(&w.json, "width", c->width);
    json_number(&w.json, "payloads_left_out", (int64_t)c->payloads_left_out);
    html_tracks_write(&w.json, c, texts);
    said(&w);
    exact(&w);
    json_open_list(&w.json, "categories");
    for (size_t i = 0; i < c->category_count; i++) {
        fprintf(out, "%s[%u,%u]", w.json.comma, c->categories[i].number,
                html_text(texts, c->categories[i].name));
        w.json.comma = ",";
    }
    json_close_list(&w.json);
    list_of_texts(&w, "payloads", &c->payloads, NULL,
                  c->payloads.count ? c->payloads.count - 1 : 0);
    list_of_texts(&w, "texts", &source->texts, texts->all,
                  texts->count); /* last, because the other members add texts */
    fputs("}", out);
}
