# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bugs for the injection library: as in library.py, the file below recorder/write/."""

PLANTS = [
    ('push_published_early', 'entry_fast.c', '''*at(chunk, used) = p->word | (uint64_t)low << 32;
    publish(chunk, used + p->bytes);
    end_event(t);''', '''publish(chunk, used + p->bytes);
    __asm__ volatile("" : : : "memory");
    *at(chunk, used) = p->word | (uint64_t)low << 32;
    end_event(t);''', 'killed at that instruction, a program leaves a push that was never written', 'recorder/edges/steps_kill'),
    ('fast_color', 'entry_fast.c', 'p->color_type == (uint32_t)a->colorType && p->color == a->color &&', 'p->color_type == (uint32_t)a->colorType &&',
     'a push has the colour of the one before', 'recorder/write/presets'),
    ('child_threads', 'registry.c', 'if (!forked || d->kind != REC_THREAD) {', 'if (forked || !forked) {', "a forked child has its parent's thread names",
     'recorder/write/inherited recorder/write/named'),
    ('start_part', 'session.c', 'part_ring_size = ring ? ring : options.ring; registry_lock(); /* begins this process\'s part */ registry_unlock();',
     'part_ring_size = ring ? ring : options.ring;', 'a recording that a program begins, and in which nothing happens, has no process', 'recorder/write/linked'),
    ('string_text_room', 'registry.c', 'size_t size = d->size < room ? d->size : room - 1;', 'size_t size = d->size <= room ? d->size : room - 1;',
     'a registered string that just does not fit is written past the end', 'recorder/write/capture'),
    ('intern_address', 'intern.c', 'in->by_address[slot].address == text && !strcmp(text, in->text + in->entries[e].text)', 'in->by_address[slot].address == text',
     'a message in a buffer that is used again is the one before', 'recorder/stats'),
    ('intern_slots', 'intern.c', 'memset(in->by_address, 0, sizeof(in->by_address));', '', 'after its table was full, a thread takes old texts for new ones',
     'recorder/write/families recorder/edges/many_names'),
    ('intern_ring', 'intern.c', '''if (in->count) {
            forget(in);
        }
        in->chunk = s->seq;''', 'in->chunk = s->seq;', 'in a ring, texts are gone with the chunks that had them', 'recorder/write/ring'),
    ('wide_cut', 'intern.c', 'size && (text[size] & 0xc0) == 0x80; size--', 'false; size--', 'a message is cut within a character', 'recorder/write/cut'),
    ('fork_full', 'stream.c', 'bool ours = s->number == number;', 'bool ours = true || s->number == number;',
     "a fork in a signal handler begins a chunk in the parent's part", 'recorder/edges/steps_full_fork'),
    ('cancel_kept', 'stream.c', 'pthread_setcancelstate(cancel, NULL);\n    errno = error;', 'errno = error;', 'a thread cannot be cancelled after its chunk was full'),
    ('slow_errno', 'stream.c', 'errno = error;\n    return at;', 'return at;', 'a new chunk changes errno'),
    ('force_unlocked', 'file.c', '(!h.program || h.end.ticks || !rec_pid_since(h.program, h.start.monotonic)) && fstat', 'fstat',
     '--force removes the recording of a program that has closed its descriptors', 'recorder/ranks/force'),
    ('full_order', 'stream.c', 's->end = 0; /* nothing more goes in', '/* nothing more goes in', 'after the disk was full, small events are still written behind a gap',
     'recorder/full_gap'),
    ('chunk_seq', 'stream.c', '.seq = s->seq++,', '.seq = s->seq,', 'chunks cannot be told apart'),
    ('stream_drop', 'stream.c', 'losses_count(REC_LOSS_NO_STREAM);', '', 'events that find no chunk at all are not counted', 'recorder/full'),
    ('ring_newest', 'ring.c', 'if (age < *ret_age && (age || !stuck)) {', 'if (age != BUSY && (age || !stuck) && (*ret_age == BUSY || age > *ret_age)) {',
     'a ring overwrites its newest chunk', 'recorder/write/ring'),
    ('ring_stale', 'ring.c', 'if (error != ESTALE) {', 'if (true) {', 'a ring that is stopped while threads are busy says that they are too many', 'recorder/write/linked'),
    ('ring_told', 'ring.c', 'if (!__atomic_exchange_n(&r->told, true, __ATOMIC_RELAXED)) {', 'if (true) {', 'a ring with too many threads says so each time',
     'recorder/edges/ring_threads'),
    ('short_attributes', 'event.c', 'if (size >= ends[i]) {', 'if (size > ends[i]) {', 'of attributes that end with a member, that member is lost', 'recorder/hard recorder/stats'),
    ('pop_uncounted', 'event.c', 'losses_count(REC_LOSS_POP);', '', 'pops without a push are not counted'),
    ('pop_depth', 'event.c', 'depth = (int)--t->depth[domain];', 'depth = (int)t->depth[domain]--;', 'a pop returns a depth one too large'),
    ('end_order', 'event.c', '''record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);
            record_write_words(&t->stream, rec_word(REC_POP, domain), ticks, NULL, 0);''', '''record_write_words(&t->stream, rec_word(REC_POP, domain), ticks, NULL, 0);
            record_payload(&t->stream, domain, REC_EXTENDED_PAYLOAD, data, count);''', 'the payload of a pop is given to the next event',
     'recorder/write/extended reader/extended'),
    ('count_dropped', 'record_write.h', '''uint64_t *at = stream_reserve(s, 1 + count, ticks);

    if (!at) {
        stream_drop(s);''', '''uint64_t *at = stream_reserve(s, 1 + count, ticks);

    if (!at) {''', 'counter samples that find no room are not counted', 'recorder/faults/on'),
    ('payload_no_category', 'record_write.h', 'if (a->category || payload_words == 1) {', 'if (a->category) {', '32-bit payloads are lost without a category'),
    ('payload_unknown', 'record_write.h', '} else if (payload && payload != PAYLOAD_EXTENDED) {\n        losses_count(REC_LOSS_TYPE);', '} else if (false) {',
     'payloads of an unknown type are not counted', 'recorder/hard recorder/unknown'),
    ('payload_negative', 'payload.c', 'count = is_negative ? 0 : count;', '', 'a negative length is read as a huge one', 'recorder/write/extended'),
    ('payload_row', 'payload.c', 'for (size_t at = 0; at < size; at += l->size) {', 'for (size_t at = 0; at < size && !at; at += l->size) {',
     'of several structs in a row, pointers of the first alone are followed', 'recorder/write/extended'),
    ('payload_short', 'payload.c', 'if (size < sizeof(void *) || p->offset > size - sizeof(void *)) {', 'if (p->offset > size) {',
     'a payload shorter than its schema is read past its end', 'recorder/write/extended'),
    ('payload_padding', 'payload.c', 'at[padded(size) / 8 - 1] = 0;', '', 'bytes between payloads are not cleared', 'recorder/write/extended'),
    ('gate_delay', 'gate.c', '? start + options.delay_ns + options.duration_ns : 0;', '? start + options.duration_ns : 0;', '--duration counts from the start, not from --delay', 'recorder/write/timed'),
    ('gate_domain', 'gate.c', 'if (held.depth != depth + 1 || held.domain != domain) {', 'if (held.depth != depth + 1) {',
     'a pop in another domain ends a capture', 'recorder/write/capture'),
    ('gate_fork', 'gate.c', 'uint32_t count = held.depth && held.recording == gate.recording;', 'uint32_t count = 0;', 'a child forked in a capture records nothing', 'recorder/edges/forked_capture'),
    ('gate_places', 'gate.c', 'if (replace_range(0, range)) {\n        hold();', '{\n        hold();', 'a process range that is no capture any more opens the gate', 'recorder/write/capture'),
    ('preset_bytes', 'preset.c', '.bytes = a->payloadType ? 16 : 8,', '.bytes = 8,', 'the payload of a push by a preset is overwritten', 'recorder/write/presets'),
    ('preset_page', 'preset.c', '& 4095) + size > 4096', '& 4095) + size > 4097',
     'a text at the end of a page is compared past it', 'recorder/write/presets'),
    ('preset_count', 'preset.c', '} else if (place->key && ++all->refused % 8) {\n        return NULL;\n    }', '}', 'names that come once drive out those that come again'),
    ('name_cut', 'thread.c', 'strncmp(text, program_invocation_short_name, 15) != 0', 'strcmp(text, program_invocation_short_name) != 0',
     'threads of a program with a long name are named after it', 'recorder/write/named'),
    ('name_list', 'thread.c', '''*n->from = n->next;
    if (n->next) {
        n->next->from = n->from;
    }''', '*n->from = n->next;', 'the list of threads breaks when the first two end in a certain order', 'recorder/write/named recorder/threads'),
    ('name_end', 'thread.c', '''if (!n->begun) {
        return;
    }
    write_name(registry_lock(), n);''', '''if (!n->begun) {
        return;
    }
    registry_lock();''', 'a thread that is named late ends without its name', 'recorder/write/named'),
    ('spare_domain', 'thread.c', 'i <= domains && domains < MOST;', 'i < domains && domains < MOST;', "a thread's open ranges in the last domain are the next one's",
     'recorder/write/takeover recorder/edges/recycled'),
    ('spare_busy', 'thread.c', 'if (thread_is_busy(t) || !has_nothing_open(t)) {', 'if (thread_is_busy(t)) {', 'a thread is nested in what another one left open',
     'recorder/write/takeover recorder/edges/recycled'),
    ('file_limit', 'file.c', 'offset + size > limit.rlim_cur)', 'offset > limit.rlim_cur)', 'a limit on file sizes ends the program with SIGXFSZ', 'recorder/full'),
    ('file_sandbox', 'file.c', 'return error == ENOSYS || error == EPERM ? write_zeroes', 'return error == ENOSYS ? write_zeroes',
     'a sandbox that forbids fallocate with EPERM ends the recording', 'recorder/edges/sandboxed'),
    ('file_return', 'file.c', 'if (error) {\n        give_back(offset, size);\n    }', '', 'after a failure the file has a hole', 'recorder/edges/given_back'),
    ('file_zeroes', 'file.c', 'return written ? errno : ENOSPC;', 'return 0;', 'a write of zeroes that fails is not noticed', 'recorder/full_disk'),
    ('losses_twice', 'losses.c', '__atomic_fetch_add(&now[what], count, __ATOMIC_RELAXED);', '__atomic_fetch_add(&now[what], 2 * count, __ATOMIC_RELAXED);', 'losses count twice'),
    # A second set, planted later by someone who had not read the tests.
    ('chain_domain_twice', 'chain_translate.c', 'last ? CHAIN_DOMAIN : CHAIN_AGAIN', 'last ? CHAIN_AGAIN : CHAIN_DOMAIN',
     "of a domain that was made twice, another tool's first handle is destroyed first", 'recorder/beside/*'),
    ('chain_close_own', 'chain_translate.c', 'memcpy(ret_each, s->each, sizeof(chain_row));', 'memcpy(ret_each + 1, s->each + 1, sizeof(chain_row) - sizeof(*ret_each));',
     'where another tool gives the ids of process ranges, these never end in the recording', 'recorder/beside/*'),
    ('chain_too_many', 'chain_tools.c', 'chain_count == CHAIN_MOST ?', 'chain_count > CHAIN_MOST ?', 'an eighth tool is written past the end of the table', 'recorder/beside/*'),
    ('chain_events_scope', 'chain_translate.c', 'TRANSLATED(events, (ID(copy->events.schema), ID(copy->events.scope)))', 'TRANSLATED(events, ID(copy->events.schema))',
     "another tool is given the recorder's id of a scope", 'recorder/beside/*'),
    ('chain_semantics', 'chain_translate.c', 'copy->next = next;', '(void)next;', "another tool is given the recorder's id of a time domain behind other semantics",
     'recorder/beside/*'),
    ('chain_exec', 'chain_tools.c', 'strcmp(tool, info.dli_fname) != 0 && !lists(chain, tool) &&', 'strcmp(tool, info.dli_fname) != 0 &&', 'a tool is chained once more at each exec', 'recorder/beside/*'),
    ('domain_prefix', 'options.c', 'if (item == size && !memcmp(list, name, size)) {', 'if (!strncmp(list, name, item)) {', '--domain-include io takes iostream', 'recorder/write/domains'),
    ('pid_suffix', 'file.c', 'int size = (int)(strlen(path) - suffix), fd = -1;', 'int size = (int)strlen(path), fd = -1;', 'the name beside a taken one has its suffix twice', 'recorder/ranks/*'),
    ('settled_stays', 'tentative.c', 'memmove(&t->all[0], &t->all[old], (count - old) * sizeof(t->all[0]));', '',
     'with --min-duration, a short range in a long one stays if it has a short one in it', 'recorder/brief/*'),
    ('part_no_end', 'part.c', 'part_write_end();\n        stream_close', 'stream_close', 'when recording stops before the program, its process has no end', 'recorder/write/linked'),
    ('source_data', 'entry_ext.c', 'sources[i].data = t.data;', '', "a clock's function is called without the program's pointer", 'recorder/write/extended reader/deferred recorder/beside/structs'),
    ('thread_anyway', 'chunk_prefetch.c', 'if (options.no_thread || (is_usual(&old) && namespaces_wanted())) {', 'if (is_usual(&old) && namespaces_wanted()) {',
     '--no-thread makes a thread', 'recorder/edges/no_thread'),
]

# Removed from the table, because no test can notice them: why.
NOTHING = {
    'ring_magic': 'the header that is copied over the chunk begins with a magic of 0, which compilers store first',
    'ring_free': 'after a failure no chunk is taken that was never filled: nobody misses its slot',
    'preset_category': 'the fast path compares the category once more: only how soon a preset is learned would change',
    'fast_payload': 'readers take the lower four bytes of such a payload; the others were never said to be anything',
    'domains_same': 'the hash has the domain in it: only strings of one hash would be confused',
    'long_text': 'how long texts are that are kept is a matter of speed',
}
