# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Bugs for the library: (name, file below nvtxh/, the text there, the text in its place, what it breaks[, tests that may notice])."""

PLANTS = [
    ('color_signed_bytes', 'color.h', 'hash = (hash ^ NVTXH_I_CAST(unsigned char, *name)) * 16777619u;',
     'hash = (hash ^ NVTXH_I_CAST(uint32_t, *name)) * 16777619u;', 'a name with bytes above 0x7f has another colour where char is signed'),
    ('color_lower_z', 'color.h', "*name <= 'z' ?", "*name < 'z' ?", 'azure in small letters is no colour'),
    ('color_hex_alpha', 'color.h', ': rgb | 0xff000000;', ': rgb;', '#rrggbb is transparent'),
    ('color_any_length', 'color.h', 'return *digits ? -1 : value;', 'return value;', '#12345678 is cut to six digits'),
    ('domain_made_early', 'impl/domain.h', 'create = NVTXH_I_TAKEN(nvtxDomainCreateA);', '''create = NVTXH_I_TAKEN(nvtxDomainCreateA);

        __atomic_store_n(&domain->nvtxh_i_made, 1u, __ATOMIC_RELEASE);''',
     'another thread uses a domain before it has its handle', 'race/gcc/c/3.2'),
    ('category_small', 'impl/domain.h', 'id = (id & 0x3fffffffu) | 0x40000000u;', 'id = id & 0x3fffffffu;',
     'the number of a named category can be one that the program gives itself', 'category/on/gcc/c/*'),
    ('category_unlocked', 'impl/domain.h', '''__atomic_store_n(&category->nvtxh_i_id, id, __ATOMIC_RELEASE);
    }
    if (locked)
        nvtxh_i_unlock(cancel);''', '''__atomic_store_n(&category->nvtxh_i_id, id, __ATOMIC_RELEASE);
    } else if (locked)
        nvtxh_i_unlock(cancel);''', 'the lock is kept after a category has been named', 'category/on/gcc/c/*'),
    ('category_again', 'impl/domain.h', 'if (!category->nvtxh_i_id) {', 'if (true) {', 'two threads name a category twice',
     'race/gcc/c/*'),
    ('color_type', 'impl/event.h', 'event->colorType = color ? NVTX_COLOR_ARGB : NVTX_COLOR_UNKNOWN;',
     'event->colorType = NVTX_COLOR_ARGB;', 'an event without a colour has a transparent one'),
    ('message_type', 'impl/event.h', 'event->messageType = text ? NVTX_MESSAGE_TYPE_ASCII : NVTX_MESSAGE_UNKNOWN;',
     'event->messageType = NVTX_MESSAGE_TYPE_ASCII;', 'an event without a message says that it has one'),
    ('pop_nobody', 'impl/event.h', 'return pop ? pop() : NVTX_NO_PUSH_POP_TRACKING;', 'return pop ? pop() : 0;',
     'a pop that no tool takes says depth 0', 'push/on/gcc/c/* tools/gcc/c/*'),
    ('range_twice', 'impl/range.h', 'generation + 1, false, __ATOMIC_ACQ_REL,', 'generation, false, __ATOMIC_ACQ_REL,',
     'a copy of a handle ends a range again', 'range/on/gcc/c/*'),
    ('range_uncounted', 'impl/range.h', 'slot->told |= slot->row ? NVTXH_I_RANGE_STATS : 0;', '',
     'statistics never see the end of a process range', 'stats/on/gcc/c/*'),
    ('range_leak', 'impl/range.h', '''range = nvtxh_i_range_begin(site, domain, &f.event.nvtx);
    nvtxh_i_formatted_free(&f);''', 'range = nvtxh_i_range_begin(site, domain, &f.event.nvtx);',
     'a long message of a process range is never freed', 'all/sanitized/clang/c all/sanitized/gcc/cpp'),
    ('format_errno', 'impl/format.h', 'va_end(again);\n    errno = saved_errno;', 'va_end(again);\n    (void)saved_errno;', 'a formatted message changes errno', 'format/on/gcc/c/*'),
    ('format_boundary', 'impl/format.h', '>= sizeof(f->here)))', '> sizeof(f->here)))',
     'a message of exactly 512 bytes loses its last', 'format/on/gcc/c/*'),
    ('format_heap', 'impl/format.h', 'NVTXH_I_TEXT_MAX ? NVTXH_I_TEXT_MAX : length) + 1;', 'NVTXH_I_TEXT_MAX ? NVTXH_I_TEXT_MAX : length);',
     'a long message loses its last byte', 'format/on/gcc/c/*'),
    ('format_cut', 'impl/format.h', 'while (end && (text[end] & 0xc0) == 0x80)', 'while (end && (text[end] & 0x80) == 0x80)',
     'a message that is cut within non-English text loses all of that', 'format/on/gcc/c/*'),
    ('format_invalid', 'impl/format.h', 'if (length < 0) {', 'if (false) {', 'a message that cannot be formatted is read past its end',
     'format/on/gcc/c/*'),
    ('slot_color', 'impl/slot.h', 'slot->color = a->color;\n        if', 'if', 'a second event with another colour has the first one\'s',
     'scope/on/gcc/c/* color/on/gcc/c/*'),
    ('slot_errno', 'impl/slot.h', 'errno = saved_errno;\n    return slot;', 'return slot;', 'the first event of a site changes errno'),
    ('slot_chain', 'impl/slot.h', 'slot->more = first ? first->more : NVTXH_I_NULL;', 'slot->more = NVTXH_I_NULL;',
     'a third domain of a site makes it forget the second, and register it anew each time', 'domain/on/gcc/c/* site/on/gcc/c/*'),
    ('slot_lookup', 'impl/slot.h', 'slot && slot->domain && slot->domain != key;', 'slot && slot->domain;',
     'two threads register a message twice', 'race/gcc/c/*'),
    ('check_crossed', 'impl/check.h', 'for (i = thread->depth; i > mine; i--) {', 'for (i = thread->depth; i > mine + 1; i--) {',
     'of two crossed scopes the inner one is not reported', 'check/on/gcc/c/*'),
    ('check_lost', 'impl/check.h', 'if (!thread->depth)\n        thread->lost = false;', '', 'checks stay silent once nesting was too deep',
     'check/on/gcc/c/*'),
    ('check_child', 'impl/check.h', 'return range->process == nvtxh_i_getpid() &&', 'return', "a forked child complains of its parent's open ranges",
     'check/on/gcc/c/* forks/gcc/c/*'),
    ('check_number', 'impl/check.h', 'while (*link && (*link)->number != number)', 'while (*link && (*link)->number < number)',
     'the end of a range is taken for that of another', 'check/on/gcc/c/*'),
    ('mark_domain', 'impl/mark.h', '''va_list args;

    if (nvtxh_i_stats_alone()) {
        nvtxh_i_stats_mark(site, domain);''', '''va_list args;

    if (nvtxh_i_stats_alone()) {
        nvtxh_i_stats_mark(site, site->domain);''', 'a formatted mark in a domain of its own is counted in the file\'s', 'stats/on/gcc/c/*'),
    ('thread_cut', 'impl/thread.h', 'for (n = 15; n && (name[n] & 0xc0) == 0x80; n--)', 'for (n = 15; n && (name[n] & 0x80); n--)',
     'the name of a thread loses more than the character that does not fit', 'thread/on/gcc/c/*'),
    ('thread_errno', 'impl/thread.h', 'prctl(PR_SET_NAME, cut, 0, 0, 0);\n    errno = saved_errno;', 'prctl(PR_SET_NAME, cut, 0, 0, 0);',
     'naming a thread changes errno', 'thread/on/gcc/c/*'),
    ('skip_pop', 'impl/push.h', 'if (!--skip->runs[skip->n_runs - 1] && !--skip->n_runs)', 'if (!--skip->runs[skip->n_runs - 1] || !--skip->n_runs)',
     'pops are left out wrongly after a pause', 'state/on/gcc/c/* push/on/gcc/c/*'),
    ('skip_run', 'impl/push.h', 'left_out = skip->n_runs & 1;\n    if (!--skip', 'left_out = true;\n    if (!--skip',
     'the pop of a push from before a pause is left out', 'state/on/gcc/c/* push/on/gcc/c/*'),
    ('capture_stops_scope', 'capture/impl.h', 'other > newest && !nvtxh_i_captures.open[i].scope)', 'other > newest)',
     'nvtxh_capture_stop ends the capture of a scope', 'capture/on/gcc/c/*'),
    ('capture_oldest', 'capture/impl.h', 'newest = other;\n            found = i;', 'found = i;', 'nvtxh_capture_stop ends whichever capture lies last in the table',
     'capture/on/gcc/c/*'),
    ('capture_profiler', 'capture/impl.h', '&& !nvtxh_i_captures.profiled++;', '&& !nvtxh_i_captures.profiled;',
     'each of two nested captures starts the profiler', 'capture/on/gcc/c/*'),
    ('capture_child', 'capture/impl.h', 'nvtxh_i_captures.profiled = 0; nvtxh_i_captures.process = process;', 'nvtxh_i_captures.process = process;', 'a forked child never starts the profiler again',
     'capture/on/gcc/c/* forks/gcc/c/*'),
    ('capture_errno', 'capture/impl.h', 'errno = saved_errno;\n    return found;', 'return found;', 'the end of a capture changes errno',
     'capture/on/gcc/c/*'),
    ('stats_recursion', 'stats/sum.h', 'nvtxh_i_add(&sum->inner, ticks);', ';',
     'the time of a recursive scope is counted at each level', 'stats/on/gcc/c/*'),
    ('stats_min', 'stats/sum.h', 'NVTXH_I_STATS_SET(sum->min, UINT64_MAX);', 'NVTXH_I_STATS_SET(sum->min, 0u);', 'after a reset the minimum is 0',
     'stats_life/on/gcc/c/*'),
    ('stats_reset_marks', 'stats/sum.h', 'NVTXH_I_STATS_SET(sum->marks, 0u);', '', 'marks survive a reset', 'stats_life/on/gcc/c/*'),
    ('stats_carry', 'stats/sum.h', 'nvtxh_i_add(&more[bucket - NVTXH_I_STATS_FIRST], n);', 'nvtxh_i_add(&more[bucket - NVTXH_I_STATS_FIRST], 1);',
     'after 2^32 scopes the count is wrong', 'stats_life/on/gcc/c/*'),
    ('stats_thousands', 'core/number.h', '(whole - i) % 3 == 0)', 'i % 3 == 0)', '1234 is written 123,4', 'stats_numbers/on/gcc/c/*'),
    ('stats_unit', 'core/number.h', 'value >= 999.5;', 'value >= 1000.5;', '999.7 us is written as 1000 us', 'stats_numbers/on/gcc/c/*'),
    ('stats_decimals', 'core/number.h', ': value >= 9.995 ? 1', ': value >= 10.5 ? 1', '10.2 us is written with four digits', 'stats_numbers/on/gcc/c/*'),
    ('stats_percentile', 'stats/read.h', '* thousandths + 999) / 1000;', '* thousandths) / 1000;',
     'p99 of few values is that of one rank less', 'stats_numbers/on/gcc/c/*'),
    ('stats_deviation', 'stats/read.h', '/ (n - 1);', '/ n;', 'the deviation is that of a whole population', 'stats_numbers/on/gcc/c/*'),
    ('stats_median', 'stats/read.h', 'nvtxh_i_stats_nth(merged, merged->count / 2 + 1)) /', 'nvtxh_i_stats_nth(merged, merged->count / 2)) /',
     'the median of few values is too low', 'stats_numbers/on/gcc/c/*'),
    ('stats_merge', 'stats/read.h', 'more->max > sum->max ? more->max : sum->max;', 'more->max;', 'the maximum is that of one thread',
     'stats_numbers/on/gcc/c/*'),
    ('stats_merge_inner', 'stats/read.h', 'sum->inner += more->inner;', '', 'recursion counts twice in totals', 'stats_numbers/on/gcc/c/*'),
    ('stats_self', 'stats/read.h', 'NVTXH_I_CAST(int64_t, merged->total - merged->within);', 'NVTXH_I_CAST(int64_t, merged->total);',
     'self time is all time', 'stats/on/gcc/c/*'),
    ('stats_room', 'stats/read.h', 'if (found < n)', 'if (found <= n)', "one row is written past the caller's array", 'stats/on/gcc/c/*'),
    ('stats_room_said', 'stats/read.h', 'return found <= n;', 'return found < n;', 'an array that is just large enough is said to be too small',
     'stats/on/gcc/c/*'),
    ('stats_csv_quotes', 'stats/print.h', '''(format != NVTXH_STATS_TABLE && c == '"')''', '''(format == NVTXH_STATS_JSON && c == '"')''',
     'a quote in a message ends its field in CSV', 'stats_life/on/gcc/c/*'),
    ('stats_json_escape', 'stats/print.h', r"|| (format == NVTXH_STATS_JSON && c == '\\');", ';', 'a backslash in a message is bad JSON',
     'stats_life/on/gcc/c/*'),
    ('stats_marks_first', 'stats/print.h', 'return nvtxh_i_stats_timed(x) ? -1 : 1;', 'return nvtxh_i_stats_timed(x) ? 1 : -1;',
     'marks come before ranges', 'stats_life/on/gcc/c/*'),
    ('stats_early', 'stats/scope.h', 'if (!early && !(f->open & NVTXH_I_STATS_PUSHED)) {', 'if (!(f->open & NVTXH_I_STATS_PUSHED)) {',
     'a scope that is ended early takes those within along', 'stats/on/gcc/c/* stats_life/on/gcc/c/*'),
    ('stats_crossed_within', 'stats/scope.h', '''within = frame->within;
    nvtxh_i_add(&frame->below->within, ticks);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    nvtxh_i_stats_unlink''', '''within = frame->within;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    nvtxh_i_stats_unlink''', 'what a scope that was ended early took counts as self time around it', 'stats/on/gcc/c/* stats_life/on/gcc/c/*'),
    ('stats_other_thread', 'stats/scope.h', 'if (thread->self != nvtxh_i_thread_pointer())\n        return;', '',
     'a scope that ends on another thread unlinks frames there', 'stats/on/gcc/c/* stats_life/on/gcc/c/* stats/tsan/*'),
    ('counter_negative_double', 'payload/counter.h', '''return NVTXH_I_CAST(int32_t, NVTXH_I_CAST(uint32_t, bits));
    case NVTXH_I_PAYLOAD_I64:
        return NVTXH_I_CAST(double''', '''return NVTXH_I_CAST(uint32_t, bits);
    case NVTXH_I_PAYLOAD_I64:
        return NVTXH_I_CAST(double''', 'a negative int set into a counter of doubles is 4294967295', 'counter/on/gcc/c/*'),
    ('counter_negative_integer', 'payload/counter.h', '''return NVTXH_I_CAST(int32_t, NVTXH_I_CAST(uint32_t, bits));
    case NVTXH_I_PAYLOAD_U64:''', '''return NVTXH_I_CAST(uint32_t, bits);
    case NVTXH_I_PAYLOAD_U64:''', 'a negative int set into a counter of integers is 4294967295', 'counter/on/gcc/c/*'),
    ('counter_saturates', 'payload/counter.h', 'return bits > INT64_MAX ? INT64_MAX : NVTXH_I_CAST(int64_t, bits);',
     'return NVTXH_I_CAST(int64_t, bits);', 'a large unsigned value is negative', 'counter/on/gcc/c/*'),
    ('counter_nan', 'payload/counter.h', ''': f64 == f64                   ? INT64_MIN
                                              : 0;''', ': INT64_MIN;', 'NaN in a counter of integers is the smallest', 'counter/on/gcc/c/*'),
    ('counter_pieces', 'payload/counter.h', 'for (; n; n -= i, times += i) {', 'for (; n; n -= i) {', 'of many values that are converted, times repeat after 64',
     'counter/on/gcc/c/*'),
    ('counter_last', 'payload/counter.h', 'values.nvtxh_i_bits += (n - 1) * size;', 'values.nvtxh_i_bits += n * size;',
     'without counters, the mark has the value after the last', 'structs/noext/gcc/c'),
    ('counter_type', 'payload/counter.h', 'number == NVTXH_I_PAYLOAD_F64 || number == NVTXH_I_PAYLOAD_F32)', 'number == NVTXH_I_PAYLOAD_F64)',
     'a counter whose first value is a float has integers', 'counter/on/gcc/c/*'),
    ('payload_size', 'payload/event.h', 'payload.size = number < NVTXH_I_PAYLOAD_U32 ? 8 : 4;', 'payload.size = 8;',
     'the end of a range says a wrong size for 32 bits', 'payload/on/gcc/c/* structs/on/gcc/c/*'),
    ('payload_array', 'payload/event.h', 'if (!field->count &&\n            nvtxh_i_payload_number', 'if (nvtxh_i_payload_number',
     'for tools without schemas, the first element of an array stands for a struct', 'structs/noext/gcc/c'),
    ('schema_file', 'payload/register.h', 'schema->number == ref->number && !strcmp(schema->file, ref->file))', 'schema->number == ref->number)',
     'a struct has the schema of another file', 'structs/on/gcc/c/* all/split/gcc/c/*'),
    ('scope_looks_early', 'impl/scope.h', 'if (NVTXH_I_UNLIKELY(!slot || !(push = NVTXH_I_TAKEN(nvtxRangePushEx))))',
     'push = NVTXH_I_TAKEN(nvtxRangePushEx);\n    if (NVTXH_I_UNLIKELY(!slot || !push))',
     "a scope reads NVTX's pointer while another thread's first annotation loads the tool", 'tsan/gcc/c/*'),
    ('stats_left_open', 'stats/thread.h', 'sum->depth = 0;', ';', 'what a thread has left open is around what the next thread does: 0 ns', 'stats_life/on/gcc/c/*'),
    ('min_in_a_row', 'instrument.c', 'if (now_ns() - e.start >= least)', 'if (false)', 'functions fall silent after 8 short calls, whatever is between them',
     'stats/settings/gcc/c'),
    ('hook_in_hook', 'instrument.c', 'here.busy = true; saved_errno = errno; if (make_room()', 'saved_errno = errno;\n    if (make_room()',
     'a handler that comes while the table of functions is made larger uses what is unmapped', 'stats/functions_unmapped/gcc/c'),
    ('end_in_hook', 'instrument.c', 'here.busy = true; munmap(entered,', 'munmap(entered,',
     'a handler that comes while a thread ends uses its table of functions, which is unmapped', 'stats/functions_unmapped/gcc/c'),
    # A second set, planted later by someone who had not read the tests.
    ('pool_chunk_kept', 'impl/range_pool.h', 'munmap(chunk, nvtxh_i_range_chunk_size(chunk->n));', ';', 'ranges of a plugin that is unloaded stay in memory',
     'plugin/gcc/c/3.2 plugin_asan/gcc/c/3.2'),
    ('no_break', 'core/utf8.h', 'c < 0xa0)', 'c <= 0xa0)', 'a no-break space is shown as \\u00a0', 'reader/escaped'),
    ('json_percentiles', 'stats/print.h', '"p99_ns"}, {"P99.9", "P99.9 (ns)", "p999_ns"}', '"p999_ns"}, {"P99.9", "P99.9 (ns)", "p99_ns"}',
     'p99 and p99.9 are exchanged in JSON'),
    ('environment_silent', 'stats/exit.h', 'if (!n && hub->forked)', 'if (!n)', 'NVTXH_STATS=1 says nothing of a program that has passed no annotation'),
    ('range_reset', 'stats/event.h', 'if (thread->resets == range->resets) {', 'if (true) {', 'a process range from before a reset counts after it'),
    ('limits_max', 'payload/register.h', 'semantics->max.f64 = max;', 'semantics->max.f64 = min;', 'the upper limit of a double is the lower one'),
    ('schema_deep', 'payload/register.h', '(known->deep ? NVTX_PAYLOAD_SCHEMA_FLAG_DEEP_COPY : 0u)', '0u', 'a schema with texts does not say that it points to them'),
    ('symbol_global', 'instrument/symbols.h', 'if (!found || bind == STB_GLOBAL)', 'if (!found)', 'of a function with two names the local one is shown'),
    ('object_refused', 'device/begin.h', '''nvtxh_i_host_destroy(NVTXH_I_BITS(void *, order->token));
        return status;''', 'return status;', 'a slot is lost for each user object that CUDA refuses'),
    ('context_kept', 'capture/cuda.h', '(void)driver->release(device);', '', "a device's context is never released"),
    ('short_calls_for_ever', 'instrument.c', '''__atomic_store_n(&f->short_calls, 0u, __ATOMIC_RELAXED);
        __atomic_store_n(&f->settings, current, __ATOMIC_RELEASE);''', '__atomic_store_n(&f->settings, current, __ATOMIC_RELEASE);',
     'a function that was hidden for its short calls stays hidden after nvtxh_instrument_min(0)', 'stats/functions_drawn/gcc/c'),
    ('stats_find_place', 'stats/read.h', '''if (!merged.count)
            continue;
        stats = one;''', '''stats = one;
        if (!merged.count)
            continue;''', 'nvtxh_stats_find gives the place of a row without counts', 'stats/drawn/gcc/c'),
    ('stack_as_mapped', 'instrument/stack.h', 'ret->low = before;', 'ret->low = before > line.low ? before : line.low;',
     'a longjmp from a part of the stack that was not mapped at first is not seen', 'stats/functions_drawn/gcc/c'),
    ('stats_forgotten_depth', 'stats/event.h', 'nvtxh_i_add_32(&frame->sum->depth, 0u - 1);', '',
     'a push that was open when statistics were switched makes all later ones of its row recursion', 'stats/drawn/gcc/c'),
    ('instrument_min_environment', 'instrument.c', 'if (least && !nvtxh_i_least_ns) {', 'if (least) {',
     'NVTXH_INSTRUMENT_MIN outweighs nvtxh_instrument_min', 'stats/functions_drawn/gcc/c'),
    ('lane_default_stream', 'device/lane.h', 'NVTXH_I_CAST(unsigned long long, stream == 1 ? 0 : stream));',
     'NVTXH_I_CAST(unsigned long long, stream));', 'the lane of the default stream has not the name that the program gives stream 0', 'lanes/gcc/c'),
    ('counter_float_bits', 'payload/counter.h', '''case NVTXH_I_PAYLOAD_F64:
    case NVTXH_I_PAYLOAD_F32:
        f64''', '''case NVTXH_I_PAYLOAD_F64:
        f64''', 'a float for an integer counter is taken for its bits', 'structs/drawn/gcc/c'),
    ('domain_on_again_excluded', 'impl/domain.h', 'else if (!nvtxh_i_object.include && !nvtxh_i_object.exclude)', 'else',
     'nvtxh_domain_enable(true) ends the exclusions of the environment', 'switches/on/gcc/c/*'),
    ('string_auto_color_wins', 'named.h', 'if (NVTXH_AUTO_COLOR && !a.color)', 'if (NVTXH_AUTO_COLOR)',
     'with NVTXH_AUTO_COLOR, .color of a string verb is ignored', 'color/on/gcc/c/*'),
    ('limits_of_i64', 'payload/register.h', '} else if (type && type < NVTX_PAYLOAD_ENTRY_TYPE_UINT64) {',
     '} else if (type && type < NVTX_PAYLOAD_ENTRY_TYPE_INT64) {', 'the limits of a 64-bit integer are floating-point', 'structs/drawn/gcc/c'),
    ('nearest_u16_signed', 'payload/types.h', 'f(unsigned short, UINT16, 14, unsigned short)', 'f(unsigned short, UINT16, 14, short)',
     'for a tool without structs, a uint16_t above 32767 is negative', 'structs/drawn/gcc/c'),
    ('text_counts', 'payload/register.h', '''type <= NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE &&
                entries[n].type != NVTX_PAYLOAD_ENTRY_TYPE_CSTRING)''', 'type <= NVTX_PAYLOAD_ENTRY_TYPE_LONGDOUBLE)',
     'an array of char in a group of counters is told to be a counter', 'structs/drawn/gcc/c'),
    ('pop_first_of_domain', 'impl/push.h', '(domain && !__atomic_load_n(&domain->nvtxh_i_made, __ATOMIC_ACQUIRE)))', 'false)',
     'a pop that is the first event of its domain is told as one of the default domain', 'push/on/gcc/c/*'),
    ('mode_space', 'device/control.h', 'n = strcspn(words, ", ");', 'n = strcspn(words, ",");',
     'words of NVTXH_DEVICE_MODE that are separated by spaces alone are unknown', 'all/gcc/c'),
    ('place_digits', 'instrument/symbols.h', 'offset >> 4 * digits)', 'offset >> 4 * digits > 1)', 'an address that begins with 1 lacks that digit',
     'stats/functions/gcc/c'),
    ('instrument_absolute_name', 'instrument/symbols.h', 'return nvtxh_i_name_of_place(*ret_file, address - (s ? s->base : 0));',
     'return nvtxh_i_name_of_place(*ret_file, address);', 'functions without a symbol have another name in each run', 'stats/functions/gcc/c'),
]

# Removed from the table, because no test can notice them: why.
NOTHING = {
    'base_in_use': 'a base that is recorded anew has another time, and ranges are that much further from it',
    'schema_domain': 'without the comparison of domains a schema is still found by its domain, which decides on the bucket; only two of 256 buckets that fall together would show it',
    'range_row_stays': 'a range is counted whenever statistics are on; only without memory for its row would it end as another one',
}
