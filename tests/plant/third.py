# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bugs for all rooms, planted by someone who had not read the tests: (name, file, the text there, the text in its place, what it breaks[, tests that
may notice])."""

PLANTS = [
    # nvtxh/
    ('profiler_refused', 'nvtxh/capture/impl.h', 'nvtxh_i_captures.profiled = 0; number', 'number',
     "after CUDA's profiler has refused to start once, no capture starts it again"),
    ('pushf_domain', 'nvtxh/impl/push.h', 'return nvtxh_i_stats_push(site, domain); if (nvtxh_i_push_wanted(domain)) {',
     'return nvtxh_i_stats_push(site, site->domain);\n    if (nvtxh_i_push_wanted(domain)) {',
     "a printf push with a domain is counted in the file's domain while only statistics listen"),
    ('marks_rare_first', 'nvtxh/stats/print.h', 'return x->count > y->count ? -1 : 1;', 'return x->count < y->count ? -1 : 1;',
     'the rarest marks come first'),
    ('auto_printf', 'nvtxh/impl/format.h', 'if (color == NVTXH_COLOR_AUTO || (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR)))',
     'if (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR))', '.color = NVTXH_COLOR_AUTO is no colour of its own for printf messages'),
    ('deep_forgotten', 'nvtxh/payload/register.h', 'in->deep = in->deep || known->deep;', 'in->deep = known->deep;',
     'a struct with a text and then a struct without one says that nothing has to be copied, and the text is lost', 'structs/on/gcc/c/*'),
    ('bracket_last', 'nvtxh/instrument/settings.h', 'in |= p[0] <= c && c <= p[2];', 'in |= p[0] <= c && c < p[2];',
     'the pattern [a-z]* does not match names that begin with z', 'stats/settings/*'),
    ('timed_end_first', 'nvtxh/device/timed.h', 'nvtxh_i_elapsed(before, base->event, range ? pair->begin : pair->end, &begin);',
     'nvtxh_i_elapsed(before, base->event, pair->end, &begin);', 'timed ranges begin when they ended'),
    ('timed_mark_payload', 'nvtxh/device/deferred.h', 'memmove(&e[1], &e[2], 4 * sizeof(e[0]));', 'memmove(&e[1], &e[2], 3 * sizeof(e[0]));',
     'a timed mark has its colour in place of its payload'),
    ('old_driver', 'nvtxh/capture/cuda.h', 'all = all && found;', ';',
     'a capture calls NULL where the driver of CUDA is old', 'old_driver/gcc/c/*'),
    ('pop_of_others', 'nvtxh/stats/event.h', 'if (frame->open == open) {', 'if (frame->open != open) {',
     'in statistics, a pop ends the push of another domain', 'stats_life/on/gcc/c/*'),
    ('unload_state', 'nvtxh/impl/unload.h', 'nvtxh_i_set_state(&nvtxh_i_state, NVTXH_I_TOOL | NVTXH_I_STATS | NVTXH_I_SLOTS, 0);', '',
     'annotations that a library passes after its unloading began use memory that has been freed', 'plugin/gcc/c/*'),
    ('long_bucket', 'nvtxh/stats/sum.h', 'if (bucket >= NVTXH_I_STATS_NONE) {', 'if (bucket <= NVTXH_I_STATS_NONE) {',
     'in statistics, ranges of more than some seconds write beside the buckets'),
    ('forked_threads', 'nvtxh/stats/hub.h', 'thread->tid = thread->tid && thread->self == self ? process : 0;',
     'thread->tid = thread->tid && thread->self != self ? process : 0;', "a forked child's first thread takes the counts of its main thread", 'stats/fork/gcc/c'),
    ('chunk_each', 'nvtxh/stats/arena.h', 'if (at + size <= chunk->size)', 'if (at + size > chunk->size)',
     'statistics take 64 KiB for each place and thread', 'stats/signals/gcc/c'),
    ('json_file', 'nvtxh/stats/print.h', 'nvtxh_i_stats_member(file, "file", row->file);', '', 'the JSON of statistics has no file'),
    ('jumped_over', 'nvtxh/instrument/stack.h', 'return address >= stack->low && address < stack->high;',
     'return address >= stack->low && address >= stack->high;', 'instrumented functions that longjmp has left stay open', 'stats/settings/gcc/c'),
    ('returned', 'nvtxh/instrument.c', 'here.entered[i - 1].address == address && here', 'here.entered[i + 1].address == address && here',
     'instrumented functions end when the next one begins, or later', 'stats/balance/gcc/cpp'),
    ('constant_pointer', 'nvtxh/payload/entry_types.h', 'f(const void *, ADDRESS, 23, )', 'f(const void *, ADDRESS, 22, )',
     'a const void * in a struct is shown as something else'),
    ('mistakes_full', 'nvtxh/impl/mistake.h', 'all->full = all->full || full;', 'all->full = all->full && full;',
     'that no more mistakes are reported is said again and again', 'mistakes/gcc/c/*'),

    # recorder/write/
    ('factor_swapped', 'recorder/write/time_domain.c', '(uint64_t)at_from, (uint64_t)at_to};', '(uint64_t)at_to, (uint64_t)at_from};',
     "events on a clock that the program relates to another by a factor are at other times"),
    ('capture_first_at', 'recorder/write/options.c', "char *at = strrchr(memcpy(capture, text, strlen(text) + 1), '@');",
     "char *at = strchr(memcpy(capture, text, strlen(text) + 1), '@');", '--capture-range cannot name a message with an @', 'recorder/captured'),
    ('high_leak', 'recorder/write/file.c', 'close(fd); return high;', 'return high;', "a descriptor more is open, and the program's own files have other numbers", 'recorder/descriptor'),
    ('schema_padding', 'recorder/write/schema_layout.c', 'known ? (cursor + largest - 1) / largest * largest : 0;', 'known ? cursor : 0;',
     'of an array of structs that end in padding, and have no size given, texts behind pointers are lost', 'recorder/write/padded'),
    ('end_closed', 'recorder/write/event.c', '''if (thread_records(t)) {
        record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        record_write_end(&t->stream, rec_word(REC_END, domain), id, ticks);
    }
    if (handle_is_capture(domain)) {
        capture_ended(id);
    }''', '''if (handle_is_capture(domain)) {
        capture_ended(id);
    }
    if (thread_records(t)) {
        record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
        record_write_end(&t->stream, rec_word(REC_END, domain), id, ticks);
    }''', 'the process range of --capture-range has no end', 'recorder/captured'),
    ('job_alone', 'recorder/write/part.c', 'return (!identity.source && !*identity.job) ||', 'return !identity.source ||',
     'of a process that has a job but no rank, the job is not recorded', 'recorder/ranks/identity'),
    ('one_slash', 'recorder/write/capture.c', "for (char *slash = path; (slash = strchr(slash, '/')) != NULL;) {",
     "char *slash = strchr(path, '/');\n        if (slash) {", 'a capture named a/b/c makes no recording'),
    ('late_names', 'recorder/write/session.c', 'thread_name_write_all(registry_lock()); registry_unlock(); part_write_end();', 'part_write_end();',
     'a name that a thread got after its first event, and that ran until the end, is missing'),
    ('renamed_back', 'recorder/write/registry.c', 'if (place) { definitions_drop(place); } keep(s, hash_of_id(&w), &w);', 'keep(s, hash_of_id(&w), &w);',
     'a thread or category that is renamed and gets its first name again keeps the second', 'recorder/renamed'),
    ('short_domain', 'recorder/write/tentative.c', 'if (t->all[count].domain != domain || !is_short(t->all[count].ticks, ticks)) {',
     'if (!is_short(t->all[count].ticks, ticks)) {', "with --min-duration a pop takes back another domain's push", 'recorder/brief/kinds'),
    ('copies_quiet', 'recorder/write/record_payload.c', 'if (c.address && n == room) { losses_count(REC_LOSS_POINTER); return n; }',
     'if (c.address && n == room) {\n                return n;\n            }', 'texts behind pointers that find no place are missing, and nothing says so', 'recorder/write/refused'),
    ('samples_quiet', 'recorder/write/entry_counter.c', 'losses_count(REC_LOSS_COUNTER); return;', 'return;', 'counter samples with half a time are lost without a word', 'recorder/write/refused'),
    ('clock_zero', 'recorder/format/clock.h', 'return nvtxh_i_ticks_usable() ? CLOCK_NAMED(NVTXH_I_TICKS_NAME) : REC_CLOCK_MONOTONIC;',
     'return !(nvtxh_i_ticks_usable() ? CLOCK_NAMED(NVTXH_I_TICKS_NAME) : REC_CLOCK_MONOTONIC);', 'a recording does not say what its clock is', 'recorder/write/process'),
    ('thread_signals', 'recorder/write/chunk_prefetch.c', 'pthread_sigmask(SIG_SETMASK, &all, &old);', 'pthread_sigmask(SIG_SETMASK, NULL, &old);',
     "signal handlers of the program run in the recorder's thread", 'recorder/write/masks'),
    ('preloaded_second', 'recorder/write/chain_preload.c', '(at = strstr(at, path)) != NULL; at += size)', '(at = strstr(path, at)) != NULL; at += size)',
     'beside Nsight Systems and another preloaded library nothing is recorded', 'recorder/beside/preloaded'),
    ('wide_last', 'recorder/write/utf8.c', 'if (c > 0x10ffff ||', 'if (c >= 0x10ffff ||', 'the last character of Unicode becomes U+FFFD', 'recorder/write/wide'),
    ('mode_ignored', 'recorder/write/options.c', 'options.mode = REC_MODE; if (mode) {', 'if (mode) {', 'a wrong mode makes a file that nobody may read', 'recorder/write/environment'),

    # recorder/read/
    ('snapshot_to', 'recorder/read/filter.c', 'f->to = f->to < (int64_t)s->to ? f->to : (int64_t)s->to;', 'f->to = (int64_t)s->to;',
     '--to is ignored for snapshots', 'reader/filter'),
    ('drift_second', 'recorder/read/compare.c', 'fmax(drift, fmax(a->most - a->least, b->most - b->least));', 'fmax(drift, a->most - a->least);',
     'in diff, what differs among the second runs is not held against a change', 'reader/diff_few'),
    ('gated_threads', 'recorder/read/totals.c', 'if (c->next_thread) { thread_over(n); }', '',
     'with --delay, threads one after the other are counted as one when record ends', 'recorder/closing/counts'),
    ('merged_spread', 'recorder/read/distribution.c', 's->squares += more->squares + apart * apart * n * m / (n + m);', 's->squares += more->squares;',
     'of statistics, StdDev by domain leaves out how far ranges are apart', 'recorder/stats_only/durations'),
    ('tree_processes', 'recorder/read/tree.c', 'uint64_t key = UINT64_C(1) << 63 | process << 32 | s->tid;', 'uint64_t key = UINT64_C(1) << 63 | (process & 0) << 32 | s->tid;',
     'in the tree, threads of two processes with one number are one', 'reader/merge'),
    ('third_open', 'recorder/read/nesting.c', 'end_at(&n->halves[*same], h->span.start); *same = i;', 'end_at(&n->halves[*same], h->span.start);',
     'of three pushes of a name without a pop, the second ends with its process and not with the third', 'reader/leaked'),
    ('half_small', 'recorder/read/value.c', 'ldexp(part, -24);', 'ldexp(part, -25);', 'the smallest numbers of 16 bits are half of what they are', 'reader/narrow'),
    ('oldest', 'recorder/read/follow_rows.c', 'row->open++ && row->open_for > open_for ?',
     'row->open++ && row->open_for < open_for ?', 'top shows how long the youngest open range is open', 'reader/top_many'),
    ('hosts_last', 'recorder/read/recording_open.c', 'r->hosts_differ |= strcmp', 'r->hosts_differ = strcmp',
     'if the last process is on the host of the first, no process is shown with its host', 'reader/merge'),

    # recorder/export/
    ('csv_inner', 'recorder/export/csv.c', "if (next && next != '[' && next != '.') {", "if (next && next != '[') {",
     'columns of structs within structs are empty', 'reader/packed'),
    ('folded_deep', 'recorder/export/folded.c', 'f->self += node->self; return true;', 'return true;', 'the time of what is nested deeper than 1000 is missing', 'reader/folded'),
    ('page_delay', 'recorder/export/html_tracks.c', 'bool open = !p->gate_count || !p->gates[0].open;', 'bool open = true;',
     'the page does not show that the beginning was not recorded', 'reader/page_holes'),
    ('page_open', 'recorder/export/html_collect.c', 'entry->flags = (uint8_t)((entry->flags & 1u) | HTML_PAYLOAD_TEXT << 1);', 'entry->flags = HTML_PAYLOAD_TEXT << 1;',
     'on the page a range without an end that has a struct as payload looks as if it had ended', 'reader/page_holes'),
    ('label_main', 'recorder/export/labels.c', 'if (!name->size && tid == p->info.pid) {', 'if (tid == p->info.pid) {',
     'in stacks a main thread that was given a name is called like its program', 'reader/folded'),
    ('chrome_category', 'recorder/export/chrome.c', 'argument(w, "category name"); quote_json(w->out, name, strlen(name));',
     'argument(w, "category name");\n            fprintf(w->out, "\\"%s\\"", name);', 'a category with a quote in its name makes JSON that cannot be read', 'reader/exact_texts'),

    # recorder/cli/, report/, elf/
    ('origin_length', 'recorder/elf/search.c', 'n - skip, p + skip, name);', 'n, p + skip, name);',
     'doctor does not find libraries by a run path of $ORIGIN with others behind it', 'reader/doctor'),
    ('sites_beside', 'recorder/elf/sites.c', 'at += OWN - 8;', 'at += OWN;', 'list leaves out an annotation of g++ that lies right behind another', 'reader/list'),
    ('pop_advice', 'recorder/report/losses.c', 't->open_domain ? "NVTX_POP(.domain = ...)" : "NVTX_POP()"', 't->popped_domain ? "NVTX_POP(.domain = ...)" : "NVTX_POP()"',
     'about a pop in the wrong domain, the advice is what the program did', 'reader/misdirected'),
    ('no_color_empty', 'recorder/report/terminal.c', '(!no || !*no) && terminal', '!no && terminal', 'an empty NO_COLOR takes the colours away', 'reader/colors'),
    ('heat_least', 'recorder/cli/heat_map.c', 'most = isnan(most) || median > most ? median : most;', 'most = isnan(most) || median < most ? median : most;',
     'where several ranks share a line, the heat map shows the one that is least late', 'reader/ranks'),
    ('stats_only_lost', 'recorder/cli/stats_only.c', 'file.process.lost[REC_LOSS_NO_STREAM] += t->follow.dropped;', '',
     'with --stats-only events that were dropped are not reported', 'recorder/stats_only/counts'),
    ('merge_error', 'recorder/cli/cmd_merge.c', 'done = close(fd) == 0 && done;', 'done = close(fd) == 0;', 'a merge that could not be written is a success', 'reader/faults_files'),
]
