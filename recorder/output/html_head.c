/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The head of a pack is a JSON object; html.h explains packs, tracks and entries. Times are ns from
 * the recording's start. Below, TEXT is a number: 1 + an index in texts, or 0: no text. Members:
 *   name, command      the name of the recording; the command line that was recorded
 *   realtime           when the recording began: ns since 1970, as a decimal string
 *   from, end          the first time that the user wants to see (--from); the latest end of a span
 *   processes          [{pid, name, host, rank, gates}, ...]; rank is left out if it is not known;
 *                      gates: [[from, to], ...], the times in which the process was not recorded
 *   tracks             [{style, process, count, ...}, ...]; process: an index; count: how many
 *                      entries. A track of style PushPop also has thread: an index; lane: not 0
 *                      if the track shows signal handlers of the thread; losses: [[time, how many
 *                      events were lost before this time], ...]; gaps: [time, ...], the times just
 *                      before which a ring overwrote events. Other tracks also have domain, name
 *                      and unit, each a TEXT. A track of a lane (SOURCE_LANES) has thread, too
 *   threads            [{process, tid, name}, ...]
 *   categories         [[number, TEXT], ...]
 *   texts, payloads      [string, ...]; a payload is JSON
 *   said               [string, ...]: names of resources; messages about losses and damage
 *   payloads_left_out  how many payloads with schemas are not in the pack, to limit its size
 *   spans              how many ranges, marks and samples the entries stand for
 *   width              in ns: spans shorter than this were merged; 0: nothing was merged
 *   exact              if width is not 0, the rows of `nvtxh stats` for ranges: [[style, domain
 *                      TEXT, message TEXT, instances, total, self, min, max, med, p90, p99,
 *                      stddev, inclusive], ...]; times are in ns
 *   busy               the sum of all threads' busy times, in ns; 0 if width is 0
 *   findings           [[sentence, pack, process, tid, at, range], ...], as `nvtxh stats`, `stats
 *                      --gpu`, `ranks` and `diff` print them. pack: 0 or 1; process: an index, -1:
 *                      none; at: ns, null: no moment; range: domain:message, null: none. Of two
 *                      packs, the first one has none
 *   ranks              {range, most, lines}: how late ranks come to `range` (domain:message), over
 *                      time; most: ns, what counts as very late; lines: [{first, last, process,
 *                      tid, late, at}, ...]: the ranks, the thread of the first one and, of each
 *                      cell, how late the ranks come, in ns, and when the first of them comes;
 *                      null: not known. Left out if there is no such range */
#include "html_collect.h"
#include "export.h"
#include "finding.h"
#include "report.h"
#include "quote.h"
#include "../analysis/filter.h"
#include "../analysis/name.h"
#include "../analysis/ranks.h"
#include "../analysis/summary.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* --- JSON, member by member ------------------------------------------------------------------- */

struct json {
    FILE *out;
    const char *comma; /* to print before the next member: "," or "" */
};

static void json_key(struct json *j, const char *name) {
    fprintf(j->out, "%s\"%s\":", j->comma, name);
    j->comma = ",";
}

static void json_text(struct json *j, const char *name, const char *bytes, size_t size) {
    json_key(j, name);
    quote_json(j->out, bytes, size);
}

static void json_number(struct json *j, const char *name, int64_t value) {
    json_key(j, name);
    fprintf(j->out, "%" PRId64, value);
}

static void json_open_list(struct json *j, const char *name) {
    json_key(j, name);
    fputc('[', j->out);
    j->comma = "";
}

static void json_close_list(struct json *j) {
    fputs("]\n", j->out);
    j->comma = ",";
}

static void json_open_object(struct json *j) {
    fprintf(j->out, "%s\n{", j->comma);
    j->comma = "";
}

static void json_close_object(struct json *j) {
    fputc('}', j->out);
    j->comma = ",";
}

/* --- members ---------------------------------------------------------------------------------- */

struct writer {
    struct json json;
    const struct html_collected *c;
    const struct export_job *job;
    struct html_strings *strings;
    enum source_hole_kind kind; /* which kind of holes list_hole writes */
};

static void list_hole(void *arg, const struct source_hole *hole) {
    struct writer *w = arg;
    int64_t from = hole->from < INT64_MAX ? hole->from : w->c->end;

    fputs(w->json.comma, w->json.out);
    w->json.comma = ",";
    if (w->kind == SOURCE_GAP) {
        fprintf(w->json.out, "%" PRId64, from);
    } else if (w->kind == SOURCE_LOSS) {
        fprintf(w->json.out, "[%" PRId64 ",%" PRIu64 "]", from, hole->events);
    } else {
        int64_t to = hole->to < INT64_MAX ? hole->to : w->c->end > from ? w->c->end : from;
        fprintf(w->json.out, "[%" PRId64 ",%" PRId64 "]", from, to);
    }
}

static void holes(struct writer *w, const char *name, enum source_hole_kind kind,
                  const struct source_process *p, uint32_t stream, uint32_t tid) {
    struct source *source = w->c->source;

    json_open_list(&w->json, name);
    w->kind = kind;
    if (source->kind->holes) {
        source->kind->holes(source, kind, p, stream, tid, list_hole, w);
    }
    json_close_list(&w->json);
}

static void processes(struct writer *w) {
    const struct source *source = w->c->source;

    json_open_list(&w->json, "processes");
    for (size_t i = 0; i < source->process_count; i++) {
        const struct source_process *p = &source->processes[i];
        const struct str *exe = string_table_at(&source->strings, p->exe);
        json_open_object(&w->json);
        json_number(&w->json, "pid", p->pid);
        json_text(&w->json, "name", exe->bytes, exe->size);
        json_text(&w->json, "host", p->host, strlen(p->host));
        if (p->identity.rank != REC_RANK_NONE) {
            json_number(&w->json, "rank", p->identity.rank);
        }
        holes(w, "gates", SOURCE_PAUSE, p, 0, 0);
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

static void tracks(struct writer *w) {
    const struct source *source = w->c->source;

    json_open_list(&w->json, "tracks");
    for (size_t i = 0; i < w->c->track_count; i++) {
        const struct html_track *t = &w->c->tracks[i];
        json_open_object(&w->json);
        json_number(&w->json, "style", t->style);
        json_number(&w->json, "process", t->process->number);
        json_number(&w->json, "count", t->count);
        if (t->style == SPAN_PUSH_POP || t->tid) {
            uint64_t *thread =
                map_find(&w->c->thread_index, (uint64_t)t->process->number << 32 | t->tid);
            json_number(&w->json, "thread", thread ? (int64_t)*thread : -1);
        }
        if (t->style == SPAN_PUSH_POP) {
            json_number(&w->json, "lane",
                        source->kind->in_handlers &&
                            source->kind->in_handlers(source, t->process, t->stream));
            holes(w, "losses", SOURCE_LOSS, t->process, t->stream, t->tid);
            holes(w, "gaps", SOURCE_GAP, t->process, t->stream, t->tid);
        } else {
            json_number(&w->json, "domain", html_text(w->strings, t->domain_name));
            json_number(&w->json, "name", html_text(w->strings, t->text));
            json_number(&w->json, "unit", html_text(w->strings, t->unit));
        }
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

static void threads(struct writer *w) {
    const struct source *source = w->c->source;

    json_open_list(&w->json, "threads");
    for (size_t i = 0; i < w->c->thread_count; i++) {
        const struct html_thread *t = &w->c->threads[i];
        const struct str *name =
            string_table_at(&source->strings, source_thread(t->process, t->tid));
        json_open_object(&w->json);
        json_number(&w->json, "process", t->process->number);
        json_number(&w->json, "tid", t->tid);
        json_text(&w->json, "name", name->bytes, name->size);
        json_close_object(&w->json);
    }
    json_close_list(&w->json);
}

struct resource_lines {
    const struct source *source;
    FILE *out;
};

static void resource_line(void *arg, const struct source_definition *d) {
    struct resource_lines *r = arg;

    if (d->kind == SOURCE_RESOURCE) {
        fprintf(r->out, "%s 0x%" PRIx64 ": %s\n", d->resource.type, d->resource.identifier,
                string_table_get(&r->source->strings, d->name));
    }
}

/* Writes lines as strings: names of resources, the output of losses_print_all, then the damage,
 * without the prefix "nvtxh: ". */
static void said(struct writer *w) {
    struct source *source = w->c->source;
    char *lines = NULL, buffer[400];
    size_t size;
    FILE *out = must_open_text(&lines, &size);

    json_open_list(&w->json, "said");
    if (source->kind->definitions) {
        source->kind->definitions(source, resource_line, &(struct resource_lines){source, out});
    }
    losses_print_all(source, &w->c->totals, out);
    const char *damage = source->kind->damage(source, buffer, sizeof(buffer));
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

static void exact(struct writer *w, const struct summary *s) {
    json_open_list(&w->json, "exact");
    for (size_t i = 0; w->c->width && i < s->count; i++) {
        const struct summary_row *row = &s->rows[i];
        const struct distribution *d = &row->durations;
        if (row->style < SPAN_MARK) {
            fprintf(w->json.out,
                    "%s[%d,%u,%u,%" PRIu64 ",%.0f,%.0f,%" PRIu64 ",%" PRIu64
                    ",%.1f,%.1f,%.1f,%.1f,%.0f]",
                    w->json.comma, row->style, html_text(w->strings, row->domain_name),
                    html_text(w->strings, row->text), row->instances, d->total, row->self, d->min,
                    d->max, distribution_quantile(d, 0.5), distribution_quantile(d, 0.9),
                    distribution_quantile(d, 0.99), distribution_deviation(d),
                    row->style == SPAN_PUSH_POP ? row->inclusive : d->total);
            w->json.comma = ",\n";
        }
    }
    json_close_list(&w->json);
    json_number(&w->json, "busy", w->c->width ? (int64_t)s->busy : 0);
}

/* Sums up sources as `nvtxh stats` and `diff` do. */
static void sum_up(struct summary *s, struct source *const *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        summary_free(&s[i]);
        all[i]->is_again = true;
        if (count > 1) {
            summary_make_with_drift(&s[i], all[i], count);
        } else {
            summary_make(&s[i], all[i], BY_RANGE);
        }
    }
}

/* What `nvtxh stats`, `stats --gpu` and `ranks` find or, of two recordings, `diff`. `ranks`: or
 * NULL. */
static struct findings find(const struct export_job *job, const struct summary *s,
                            const struct ranks *ranks) {
    struct comparison c = COMPARISON_USUAL;
    struct gpu g[2] = {0};
    struct error error;

    if (job->against) {
        compare(&c, s, g, 1, 1);
        struct findings changes = findings_of_changes(&c);
        comparison_free(&c);
        return changes;
    }
    struct findings found = findings_of(s, job->source);
    if (job->source->has_operations && gpu_make(g, job->source, GPU_BY_RANGE, 1, &error)) {
        struct findings of_gpu = findings_of_gpu(g);
        findings_join(&found, &of_gpu);
    }
    gpu_free(g);
    if (ranks) {
        struct findings of_ranks = findings_of_ranks(ranks);
        findings_join(&found, &of_ranks);
    }
    return found;
}

/* The name of the range that a finding is about; NULL: it is about none. Free it. */
static char *range_of(const struct finding *f, size_t *ret_size) {
    if (f->kind == FINDING_STRAGGLER) {
        const struct str *name = string_table_at(&f->ranks->names, f->range);
        return must_copy(name->bytes, *ret_size = name->size);
    }
    if (f->kind == FINDING_LOST || f->kind == FINDING_IDLE || f->kind == FINDING_LATE) {
        return NULL;
    }
    return name_of_range(f->source, f->domain_name, f->text, false, ret_size);
}

static void finding(struct writer *w, const struct finding *f) {
    const struct export_job *job = w->job;
    const struct rank_cell *cell = !f->rank   ? NULL
                                   : f->range ? rank_cell_of(f->rank, f->range)
                                              : f->rank->cells;
    size_t size;
    char *text = finding_text(f, true), *range = range_of(f, &size);

    fprintf(w->json.out, "%s[", w->json.comma);
    w->json.comma = ",\n";
    quote_json(w->json.out, text, strlen(text));
    fprintf(w->json.out, ",%d", job->against && f->source != job->against);
    if (f->thread || cell) {
        fprintf(w->json.out, ",%u,%u",
                f->thread ? f->thread->process->number : cell->process->number,
                f->thread ? f->thread->tid : cell->tid);
    } else {
        fputs(",-1,0", w->json.out);
    }
    if (f->kind == FINDING_INSTANCE || f->kind == FINDING_COUNTER) {
        fprintf(w->json.out, ",%" PRId64 ",", f->at);
    } else {
        fputs(",null,", w->json.out);
    }
    if (range) {
        quote_json(w->json.out, range, size);
    } else {
        fputs("null", w->json.out);
    }
    fputc(']', w->json.out);
    free(text);
    free(range);
}

/* `s`: the sums of `all`, which are made again if rare names become one. */
static void findings(struct writer *w, struct summary *s, struct source *const *all, size_t count,
                     const struct ranks *ranks) {
    struct fold fold = {.which = FOLD_RARE};

    for (size_t i = 0; i < count; i++) {
        summary_count_names(&s[i], all[i], &fold);
    }
    if (fold_use(&fold, all, count)) {
        sum_up(s, all, count);
    }
    struct findings found = find(w->job, s, ranks);
    for (size_t i = 0; i < found.count; i++) {
        finding(w, &found.all[i]);
    }
    for (size_t i = 0; i < count; i++) {
        all[i]->fold = NULL;
    }
    fold_free(&fold);
}

enum { MAP_LINES = 128, MAP_COLUMNS = 128 };

static void number_or_null(struct json *j, bool is_known, double value) {
    fputs(j->comma, j->out);
    j->comma = ",";
    if (is_known) {
        fprintf(j->out, "%.0f", value);
    } else {
        fputs("null", j->out);
    }
}

/* A line of the map: its ranks, the thread of the first one, and the cells. `m`: has columns. */
static void map_line(struct writer *w, const struct ranks *all, const struct rank_arrivals *a,
                     const struct rank_map *m, size_t line) {
    size_t first = rank_map_at(m, line), last = rank_map_at(m, line + 1) - 1;
    const struct rank *rank = &all->all[first];
    const struct rank_cell *cell = rank_cell_of(rank, all->aligned_by);

    json_open_object(&w->json);
    json_number(&w->json, "first", rank->number);
    json_number(&w->json, "last", all->all[last].number);
    json_number(&w->json, "process", cell ? (int64_t)cell->process->number : -1);
    json_number(&w->json, "tid", cell ? cell->tid : 0);
    json_open_list(&w->json, "late");
    for (size_t c = 0; c < m->columns; c++) {
        double late = m->late[line * m->columns + c];
        number_or_null(&w->json, !isnan(late), late);
    }
    json_close_list(&w->json);
    json_open_list(&w->json, "at");
    for (size_t c = 0; c < m->columns; c++) {
        size_t k = c * a->count / m->columns, latest = k;
        for (; k < (c + 1) * a->count / m->columns; k++) {
            double late = a->late[first * a->count + k];
            latest = late > a->late[first * a->count + latest] ? k : latest;
        }
        const struct rank_moment *at = rank_moment_of(rank, all->aligned_by, latest * a->stride);
        number_or_null(&w->json, at, at ? (double)(at->start - (int64_t)w->c->source->start) : 0);
    }
    json_close_list(&w->json);
    json_close_object(&w->json);
}

static void rank_map(struct writer *w, const struct ranks *all) {
    const struct str *name = string_table_at(&all->names, all->aligned_by);
    struct rank_arrivals a = rank_arrivals_make(all, all->aligned_by);
    struct rank_map m = rank_map_make(all, &a, MAP_LINES, MAP_COLUMNS);

    json_key(&w->json, "ranks");
    w->json.comma = "";
    json_open_object(&w->json);
    json_text(&w->json, "range", name->bytes, name->size);
    json_number(&w->json, "most", llround(m.most));
    json_open_list(&w->json, "lines");
    for (size_t line = 0; line < m.lines; line++) {
        map_line(w, all, &a, &m, line);
    }
    json_close_list(&w->json);
    json_close_object(&w->json);
    free(m.late);
    rank_arrivals_free(&a);
}

/* Writes what is made of sums of the whole recording; with --against, findings are of both. */
static void sums(struct writer *w) {
    struct source *source = w->c->source;
    bool is_last = source == w->job->source, is_both = is_last && w->job->against;
    struct source *const all[] = {is_both ? w->job->against : source, source};
    size_t count = is_both ? 2 : 1;
    struct summary s[2] = {0};
    struct ranks ranks = {0};

    if (is_last || w->c->width) {
        sum_up(s, all, count);
    }
    exact(w, &s[count - 1]);
    json_open_list(&w->json, "findings");
    if (is_last) {
        bool has_ranks = !is_both && ranks_read(&ranks, source);
        findings(w, s, all, count, has_ranks ? &ranks : NULL);
    }
    json_close_list(&w->json);
    if (ranks.aligned_by) {
        rank_map(w, &ranks);
    }
    ranks_free(&ranks);
    summary_free(&s[0]);
    summary_free(&s[1]);
}

static void list_of_texts(struct writer *w, const char *name, const struct string_table *strings,
                          const uint32_t *which, size_t count) {
    json_open_list(&w->json, name);
    for (size_t i = 0; i < count; i++) {
        const struct str *t = string_table_at(strings, which ? which[i] : (uint32_t)i + 1);
        fputs(w->json.comma, w->json.out);
        quote_json(w->json.out, t->bytes, t->size);
        w->json.comma = ",\n";
    }
    json_close_list(&w->json);
}

void html_head_write(const struct html_collected *c, struct html_strings *strings,
                     const struct export_job *job, const char *name, FILE *out) {
    struct writer w = {.json = {out, ""}, .c = c, .job = job, .strings = strings};
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
    processes(&w);
    tracks(&w);
    threads(&w);
    said(&w);
    sums(&w);
    json_open_list(&w.json, "categories");
    for (size_t i = 0; i < c->category_count; i++) {
        fprintf(out, "%s[%u,%u]", w.json.comma, c->categories[i].number,
                html_text(strings, c->categories[i].name));
        w.json.comma = ",";
    }
    json_close_list(&w.json);
    list_of_texts(&w, "payloads", &c->payloads, NULL,
                  c->payloads.count ? c->payloads.count - 1 : 0);
    list_of_texts(&w, "texts", &source->strings, strings->all,
                  strings->count); /* last, because the other members add strings */
    fputs("}", out);
}
