#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""All readers make the same spans of a recording, whole or in pieces: those that FORMAT.md says.

Recordings are drawn at random (harness/draws.py).
"""
import collections
import math
import random
import re
import subprocess

from harness import driver
from harness.checks import BUILD, Taken, equal, require, same
from harness.draws import SEED, seeds
import drawn
import expected_spans

PIECES = BUILD / 'tests' / 'reader' / 'pieces'


def in_pieces(kind, paths):
    for at in range(0, len(paths), 500):
        done = subprocess.run([PIECES, kind, str(SEED), *paths[at:at + 500]], capture_output=True, text=True)
        require(done.returncode == 0, f'exit status {done.returncode}', done.stdout, done.stderr)


def each(bench, count, **options):
    """(seed, recording, path) of that many that are drawn."""
    for seed in seeds(count):
        one = drawn.Drawn(random.Random(seed), **options)
        yield seed, one, one.write(bench.here(f'seed-{seed}'))


def case_engine_pieces(bench):
    """A recording that is read in pieces has the spans, parents and totals of one that is read as a whole. Attributes vary within what has them."""
    taken = Taken(*((attribute, container) for container, attributes in {'stream': 'tid number base used dropped', 'process': 'tid in_handlers dropped ring chunks',
                                                                         'recording': 'pid forked end ring host'}.items() for attribute in attributes.split()))
    for _, _, path in each(bench, 40, full=True):
        for attribute in drawn.varied(path):
            taken(attribute)
    taken.finish()
    in_pieces('whole', [path for _, _, path in each(bench, 200)])


def case_engine_damaged(bench):
    """The same of damaged files."""
    paths = []
    for seed, _, path in each(bench, 300, rings=False, clock=1):
        with open(path, 'r+b') as f:
            data = f.read()
            f.seek(0)
            f.write(drawn.mutated(random.Random(seed), data))
        paths.append(path)
    in_pieces('damaged', paths)


def sums(spans, key):
    """{key: [instances, total, self]}"""
    found = collections.defaultdict(lambda: [0, 0, 0])
    for process, span in spans:
        row = found[key(process, span)]
        row[0] += 1
        if span.style in ('PushPop', 'StartEnd'):
            row[1] += span.end - span.start
            row[2] += span.own if span.style == 'PushPop' else 0
    return {key: tuple(row) for key, row in found.items()}


def numbers(row, total='Total Time (ns)', own='Self (ns)'):
    return int(row['Instances']), int(row[total] or 0), int(row[own] or 0)


def thread_name(recording, process, span):
    return str(span.tid) + (f' of process {process.drawn.pid}' if len(recording.processes) > 1 else '')


def merged(of_threads, names=lambda thread: ''):
    """Numbers of {(process, tid, label, *path)} for threads that are alike: whose names are the same but for numbers."""
    found, alike = collections.defaultdict(lambda: (0, 0, 0)), collections.defaultdict(dict)
    for process, tid, label, *path in of_threads:
        alike[re.sub('[0-9]+', '*', names((process, tid)))][process, tid] = label
    for (process, tid, _, *path), row in of_threads.items():
        name = re.sub('[0-9]+', '*', names((process, tid)))
        labels = alike[name]
        key = ', '.join([*[name] * bool(name), f'{len(labels)} threads']) if len(labels) > 1 else labels[process, tid]
        found[key, *path] = tuple(a + b for a, b in zip(found[key, *path], row))
    return dict(found)


def path_of(span):
    return (*path_of(span.parent), span.name) if span else ()


def window_in(spans):
    """It begins within a range and ends within a later one, if there is any."""
    middles = sorted((span.start + span.end) // 2 for _, span in spans if span.end > span.start)
    return (middles[len(middles) // 3], middles[len(middles) * 3 // 4] + 1) if middles else (drawn.DURATION // 5, drawn.DURATION // 3)


def group_of(by, span):
    """What `stats --by` calls its domain or its category."""
    domain = drawn.DOMAINS[span.domain]
    if by == 'domain':
        return domain or '(default)'
    category = drawn.CATEGORIES.get((span.domain, span.category), span.category)
    return '(none)' if category is None else f'{domain}:{category}' if domain else str(category)


def check_groups(bench, path, spans, what, *window):
    """By domain and by category; what is open twice in a group counts once."""
    spans = [(p, s) for p, s in spans if s.style != 'Counter']
    for by in 'domain', 'category':
        rows = [row for row in bench.table('stats', '--csv', '--by', by, *window, path) if row['Style'] != 'Counter']
        same({(row['Style'], row[by.capitalize()]): numbers(row) for row in rows}, sums(spans, lambda p, s: (s.style, group_of(by, s))), f'{what}, by {by}')
        wanted = expected_spans.inclusive(spans, lambda p, s: group_of(by, s))
        same({row[by.capitalize()]: int(row['Inclusive (ns)']) for row in rows if row['Style'] == 'PushPop' and wanted[row[by.capitalize()]] is not None},
             {name: time for name, time in wanted.items() if time is not None}, f'{what}, by {by}, inclusive')


def check_ranges(bench, path, spans, what, *window):
    rows = bench.table('stats', '--csv', *window, path)
    wanted = sums(spans, lambda p, s: (s.style, s.name))
    same({(r['Style'], r['Range']): numbers(r) for r in rows if r['Style'] != 'Counter'}, {k: v for k, v in wanted.items() if k[0] != 'Counter'}, what)
    check_inclusive(rows, spans, what, sum(span.own for _, span in spans if span.style == 'PushPop'))


def check_stats(bench, recording, path, spans, what):
    check_ranges(bench, path, spans, what)
    check_groups(bench, path, spans, what)
    rows = bench.table('stats', '--csv', '--by', 'thread', path)
    wanted = sums(((p, s) for p, s in spans if s.style != 'Counter'), lambda p, s: (s.style, thread_name(recording, p, s)))
    same({(r['Style'], r['Thread']): numbers(r) for r in rows if r['Style'] != 'Counter'}, wanted, f'{what}, by thread')
    check_busy(bench, recording, path, spans, what)
    window = window_in(spans)
    spans, what = expected_spans.spans(recording, window), f'{what}, a window'
    check_busy(bench, recording, path, spans, what, window)
    options = f'--from={window[0]}ns', f'--to={window[1]}ns'
    check_ranges(bench, path, spans, what, *options)
    check_groups(bench, path, spans, what, *options)
    check_tree(bench, recording, path, spans, what, *options)


def check_busy(bench, recording, path, spans, what, window=None):
    """A thread was busy while it had any range open; the share is of the window, or else of the time from the first to the last event."""
    rows = bench.table('stats', '--csv', '--by', 'thread', '--columns', 'name,style,inclusive,busy', *([f'--from={window[0]}ns', f'--to={window[1]}ns'] if window else []), path)
    first, last = window or (min((s.start for _, s in spans), default=0), max((s.end for _, s in spans), default=0))
    wanted = sums(((p, s) for p, s in spans if s.style == 'PushPop'), lambda p, s: thread_name(recording, p, s))
    same([row['Thread'] for row in rows if row['Style'] == 'PushPop'], list(wanted), f'{what}: a row for each thread')
    for row in rows:
        if row['Style'] == 'PushPop':
            busy = wanted[row['Thread']][2]
            equal(int(row['Inclusive (ns)']), busy, f'{what}: busy')
            require(math.isclose(float(row['Busy (%)']), 100 * busy / max(1, last - first), rel_tol=1e-9), f'{what}: the busy share', row, busy, first, last)
        else:
            equal(row['Busy (%)'], '', what)


def check_inclusive(rows, spans, what, busy):
    """The time in which a range was open, and its share of BUSY, the time in which threads had any range open; None: not known."""
    pushed = [row for row in rows if row['Style'] == 'PushPop']
    wanted = expected_spans.inclusive(spans, lambda p, s: s.name)
    same({row['Range']: int(row['Inclusive (ns)']) for row in pushed if wanted[row['Range']] is not None},
         {name: time for name, time in wanted.items() if time is not None}, f'{what}, inclusive')
    times = [int(row['Inclusive (ns)']) for row in pushed]
    equal(times, sorted(times, reverse=True), f'{what}, the order')
    for row in pushed if busy is not None else ():
        share = 100 * int(row['Inclusive (ns)']) / busy if busy else 0
        require(math.isclose(float(row['Time (%)']), share, rel_tol=1e-9, abs_tol=1e-12), f'{what}, share', row, share)
    require(not any(row['Inclusive (ns)'] or row['Time (%)'] for row in rows if row['Style'] != 'PushPop'), what)


def tree_rows(bench, *arguments):
    """{(thread, path): numbers}"""
    got, above = {}, []
    for row in bench.table('tree', '--csv', *arguments):
        if row['Depth']:
            above[int(row['Depth']):] = [row['Range']]
            got[row['Thread'], tuple(above)] = numbers(row, 'Total (ns)')
    return got


def with_parents(rows):
    """A range may outlive those around it: then they have rows of their own, even if they end before a window."""
    return {(*key, path[:size]): (0, 0, 0) for *key, path in rows for size in range(1, len(path))} | rows


def check_tree(bench, recording, path, spans, what, *window):
    got = tree_rows(bench, *window, path)
    wanted = sums(((p, s) for p, s in spans if s.style == 'PushPop'), lambda p, s: (thread_name(recording, p, s), path_of(s)))
    same(got, with_parents(wanted), f'{what}, tree')
    wanted = merged(sums(((p, s) for p, s in spans if s.style == 'PushPop'), lambda p, s: (p.drawn.pid, s.tid, thread_name(recording, p, s), path_of(s))))
    same(tree_rows(bench, '--threads', 'merged', *window, path), with_parents(wanted), f'{what}, tree of like threads')


def check_exports(bench, path, spans, what):
    rows = bench.table('export', '--format', 'csv', path)
    got = [(r['Style'], r['Domain'], r['Message'], int(r['Start (ns)']), int(r['End (ns)']), int(r['TID']), int(r['End TID']), r['Depth'], r['Open'] == '1')
           for r in rows]
    wanted = [(s.style, drawn.DOMAINS[s.domain], s.text or '', s.start, s.end, s.tid, s.end_tid or s.tid, str(s.depth) if s.style == 'PushPop' else '', s.is_open)
              for _, s in spans]
    same(got, wanted, f'{what}, csv')


def check_said(bench, path, spans, what):
    """How many ranges had no end, and how many of these ended before their process."""
    count, cut = sum(s.is_open for _, s in spans), sum(s.is_open and (s.is_over or s.end < p.end) for p, s in spans)
    wanted = [f'nvtxh: {count} range{"s" * (count > 1)} had no end, so {"it ends with its" if count == 1 else "they end with their"} process'] * (count > 0)
    wanted += [f'nvtxh: {cut} of these end{"s" * (cut == 1)} before that: where the thread ended, where recording paused, where events are missing, with the range around '
               f'{"it" if cut == 1 else "them"}, at the next push of the same name, or at a pop in another domain'] * (cut > 0)
    said = [line for line in bench.run('stats', path).stderr.splitlines() if re.search('had no end|of these', line)]
    equal([re.sub(r'(had no end,[^:]*): .*', r'\1', line) for line in said], wanted, f'{what}, what is said')
    names = {re.sub('[\0-\x1f]|\x7f', '', s.name)[:60] or '(no message)' for _, s in spans if s.is_open}
    require(not count or len(names) > 3 or all(name in said[0] for name in names), f'{what}, names', said, names)


def check_top(bench, path, spans, what):
    """Ended ranges and marks are counted; ranges that only the end of their process ends are open."""
    rows = bench.table('top', '--once', '--csv', path)
    now = 1 + max((at for p in {p for p, _ in spans} for stream in p.drawn.streams for at, _ in p.timed(stream)), default=0)
    for column, chosen in (('Instances', lambda s: not s.is_open or s.is_over), ('Open', lambda s: s.lasts >= now)):
        got = {(r['Style'], r['Range']): int(r[column] or 0) for r in rows}
        wanted = collections.Counter((s.style, s.name) for _, s in spans if chosen(s))
        # Where a ring has overwritten events, the ends of process ranges may be among these: such ranges do not seem open.
        unknown = ['StartEnd'] if column == 'Open' and any(p.drawn.ring for p, _ in spans) else []
        got, wanted = ({key: count for key, count in all.items() if count and key[0] not in unknown} for all in (got, wanted))
        same(got, wanted, f'{what}, top: {column}')


def case_engine_model(bench):
    """stats, tree, exports and top say what FORMAT.md says."""
    for seed, recording, path in each(bench, 40, plain=True, clock=1):
        spans, what = expected_spans.spans(recording), f'seed {seed}'
        check_exports(bench, path, spans, what)
        check_stats(bench, recording, path, spans, what)
        check_tree(bench, recording, path, spans, what)
        check_said(bench, path, spans, what)
        check_top(bench, path, spans, what)


# (options, which spans)
FILTERS = [(('--domain', 'one'), lambda span: span.domain == 1), (('--domain', 'default'), lambda span: span.domain == 0),
           (('--name', 'a|^two:'), lambda span: 'a' in (span.text or '') or span.domain == 2), (('--thread', '5000001'), lambda span: span.tid == 5_000_001)]


def case_engine_filtered(bench):
    """With a filter, a thread was busy while a range that is shown was open, whatever was open in it; the shares of ranges are of that time."""
    for seed, recording, path in each(bench, 12, plain=True, clock=1):
        every, of_thread = expected_spans.spans(recording), lambda p, s: thread_name(recording, p, s)
        doubtful = {thread for thread, time in expected_spans.inclusive(every, of_thread).items() if time is None}
        doubtful |= {of_thread(p, s) for p, s in every if s.is_open and s.meant is not None}
        doubtful_names = {name for name, time in expected_spans.inclusive(every, lambda p, s: s.name).items() if time is None}
        for options, is_shown in FILTERS:
            for window in expected_spans.ALL, window_in(every):
                options = options if window == expected_spans.ALL else (*options, f'--from={window[0]}ns', f'--to={window[1]}ns')
                shown = [(p, s) for p, s in expected_spans.spans(recording, window) if is_shown(s)]
                busy, what = expected_spans.inclusive(shown, of_thread), f'seed {seed}, {options}'
                rows = [row for row in bench.table('stats', '--csv', '--by', 'thread', *options, path) if row['Style'] == 'PushPop']
                same([row['Thread'] for row in rows], list(busy), f'{what}: threads')
                same({row['Thread']: int(row['Inclusive (ns)']) for row in rows if row['Thread'] not in doubtful},
                     {thread: time for thread, time in busy.items() if thread not in doubtful}, f'{what}: busy')
                rows = [row for row in bench.table('stats', '--csv', *options, path) if row['Range'] not in doubtful_names]
                check_inclusive(rows, [(p, s) for p, s in shown if s.name not in doubtful_names], what, None if doubtful else sum(busy.values()))


if __name__ == '__main__':
    driver.main(globals(), __doc__)
