#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `nvtxh view`, in a real browser."""
import base64
import collections
import json
import math
import os
import pathlib
import random
import re
import sqlite3
import stat
import struct
import sys
import time
import zlib

from harness import driver
from harness.browser import Browser
from harness.checks import ROOT, equal, require, skip
from harness.draws import some
import drawn  # before the folder of databases, which has a drawn.py, too
import reference_model
import expected_spans
import formats
import synthetic

sys.path.append(str(ROOT / 'tests' / 'nsight'))
import database  # noqa: E402

READY = "model.ready.then(() => 'ready')"
# Rows of a table as the page has them, with names for columns as in `stats --csv`.
ROWS = """summarize(model.packs[%d], %s).map(r => ({
    'Range': r.group.domain ? r.group.domain + ':' + r.group.text : r.group.text, 'Style': STYLES[r.style],
    'Instances': r.count, 'Total Time (ns)': r.total, 'Self (ns)': r.self, 'Avg (ns)': r.avg, 'Med (ns)': r.med,
    'P90 (ns)': r.p90, 'P99 (ns)': r.p99, 'Min (ns)': r.min, 'Max (ns)': r.max, 'StdDev (ns)': r.stddev, 'Inclusive (ns)': r.inclusive,
    'Share (%%)': r.share}))"""


def make_page(bench, rec, *options, name='page.html'):
    path = bench.here(name)
    done = bench.run('view', rec, '-f', '-o', path, '--no-open', *options, status=None)
    if 'built without zlib' in done.stderr:
        skip('nvtxh was built without zlib')
    equal(done.returncode, 0, done.stderr)
    return path


class Page(Browser):
    """A page, loaded. In the end, no error may have occurred in it, and it may have fetched nothing but itself."""

    def __init__(self, path, link='', **options):
        super().__init__(**options)
        for domain in ('Runtime', 'Log', 'Network'):
            self.page(domain + '.enable')
        self.url = pathlib.Path(path).as_uri()
        self.open(self.url + link)
        equal(self.evaluate("new Promise(r => { const f = () => document.readyState === 'complete' ? r(1) : setTimeout(f, 10); f(); })"),
              1, 'loaded')
        equal(self.evaluate(READY), 'ready', 'the page')

    def __exit__(self, *exception):
        if not exception[0]:
            self.settle()
            bad = [p for m, p in self.events if m in ('Runtime.exceptionThrown', 'Log.entryAdded', 'Page.javascriptDialogOpening')]
            equal(bad, [], 'errors in the page')
            asked = {p['request']['url'] for m, p in self.events if m == 'Network.requestWillBeSent'}
            equal(asked - {self.url}, set(), 'requests')
        super().__exit__(*exception)

    def settle(self):
        self.evaluate('new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))')

    def place(self, track_style, row, moment, pack=0):
        """The point on the screen of a time, in a row of the first lane of that style."""
        return tuple(self.evaluate(f"""(() => {{
            const lane = model.lanes.find(l => l.pack === model.packs[{pack}] && l.style === {track_style}), box = canvas.getBoundingClientRect();
            return [box.left + xOf({moment}), box.top + RULER + lane.top - lanesBox.scrollTop + 4 + lane.marksHeight + {row} * ROW + ROW / 2];
        }})()"""))

    def click(self, x, y):
        self.mouse('Moved', x, y)
        self.mouse('Pressed', x, y, button='left', buttons=1, clickCount=1)
        self.mouse('Released', x, y, button='left', clickCount=1)
        self.settle()

    def type(self, text):
        for letter in text:
            self.key(letter)

    def text(self, selector):
        return self.evaluate(f"document.querySelector({json.dumps(selector)})?.innerText ?? ''")

    def rows(self, window=None, pack=0):
        return {(row['Style'], row['Range']): row for row in self.evaluate(ROWS % (pack, json.dumps(window)))}


def known(path):
    """Ranges of two threads and a process, at times that are known: thread 200 has a ladder of four."""
    recording = synthetic.Recording(end=1_000_000)
    process = recording.process(pid=100, exe='/usr/bin/made-up')
    process.domain(1, 'train')
    first, second = process.thread(100), process.thread(200)
    process.names.long(synthetic.THREAD, 200, b'worker')
    first.push(100_000, 'outer', color=0xff2e8b57)
    first.push(200_000, 'inner', domain=1, payload=-42)
    first.mark(250_000, 'a mark')
    first.pop(400_000, domain=1)
    first.push(450_000, 'inner', domain=1)
    first.pop(500_000, domain=1)
    first.pop(900_000)
    second.start(50_000, 7, 'request')
    second.ranges('tick', [100 + i for i in range(50)], gap=900, at=300_000)
    second.end(700_000, 7)
    for i in range(100):
        second.push(800_000 + i * 1000, f'step {i}')
        second.pop(800_500 + i * 1000)
    return recording.write(path)


def unsure_of(one, window=expected_spans.ALL):
    """Names of ranges whose inclusive times a reader that goes through the file once cannot know."""
    return {name for part in (window, expected_spans.ALL)
            for name, time in expected_spans.inclusive(expected_spans.spans(one, part), lambda process, span: span.name).items() if time is None}


def check_rows(got, wanted, what, unsure=()):
    """Rows of the page against those of `stats --csv`, but for the inclusive times of UNSURE."""
    equal(set(got), {(row['Style'], row['Range']) for row in wanted}, f'{what}: ranges')
    for row in wanted:
        for column in ('Instances', 'Total Time (ns)', 'Self (ns)', 'Avg (ns)', 'Med (ns)', 'P90 (ns)', 'P99 (ns)', 'Min (ns)',
                       'Max (ns)', 'StdDev (ns)', 'Inclusive (ns)'):
            mine = got[row['Style'], row['Range']][column]
            if row[column] == '' or row['Style'] == 'Counter' and column != 'Instances' or column == 'Inclusive (ns)' and row['Range'] in unsure:
                continue
            decimals = len(row[column].partition('.')[2])
            require(mine is not None and abs(mine - float(row[column])) <= (0.51 * 10 ** -decimals if decimals else 0),
                    f'{what}: {column} of {row["Range"]}: {mine}, stats says {row[column]}')


def case_page(bench):
    """Ranges are where they were, by name, time and depth; mouse and keys zoom, move, find and select."""
    rec = known(bench.here('known.nvtxh'))
    with Page(make_page(bench, rec)) as page:
        equal(page.evaluate("model.lanes.map(l => l.label)"), ['made-up', 'worker', 'process ranges'], 'lanes')
        heads = [head.split()[0] for head in page.text('#rows thead tr').split('\t')]
        wanted = bench.run('stats', rec, env={'LC_ALL': 'C.UTF-8', 'COLUMNS': '100'}).stdout.splitlines()[0].split()
        equal([heads[:8], {'P99', 'Max'} <= set(wanted)], [wanted[:8], True], 'the order of columns')
        # A click on a range opens its details.
        for style, row, moment, words in ((0, 0, 850_000, ['outer', '800.0 µs', '800,000 ns']), (0, 1, 300_000, ['inner', 'train', '-42', '200,000 ns']),
                                          (0, 1, 470_000, ['50,000 ns']), (1, 0, 600_000, ['request', '650,000 ns'])):
            page.click(*page.place(style, row, moment))
            for word in words:
                require(word in page.text('#details'), f'{word} at {moment}', page.text('#details'))
        page.click(*page.place(0, 1, 430_000))
        equal(page.text('#details'), '', 'nothing lies between the inner ranges')
        x, y = page.place(0, -1, 250_000)
        page.click(x, y + 3)
        require('a mark' in page.text('#details'), page.text('#details'))
        # What is dragged goes with the pointer.
        x, y = map(int, page.place(0, 0, 450_000))
        page.drag([(x, y), (x - 100, y), (x - 200, y)])
        require(page.evaluate('timeOf(%f - canvas.getBoundingClientRect().left)' % x) > 451_000, 'dragged')
        page.key('0')
        for key, test in (('w', 'v.to - v.from < b.to - b.from'), ('d', 'v.from > b.from'), ('a', 'v.from < b.from'), ('s', 'v.to - v.from > b.to - b.from')):
            page.evaluate('before = {from: view.from, to: view.to}')
            page.key(key)
            require(page.evaluate(f'((b, v) => {test})(before, view)'), 'key ' + key)
        # Search: every hit, and from one to the next.
        page.key('0')
        page.evaluate('before = {from: view.from, to: view.to}')
        page.key('/')
        page.type('step 4')
        page.key('Enter')
        page.settle()
        equal(page.text('#hits'), '11 hits', 'hits')
        require('step 4\n' in page.text('#details'), page.text('#details'))
        equal(page.evaluate('[view.from, view.to, before.from, before.to]')[:2], page.evaluate('[before.from, before.to]'), 'it was on the screen')
        equal(page.evaluate("""(({ x, y }) => { const context = make('canvas').getContext('2d'); draw(); context.drawImage(canvas, -Math.round(x) - 12, -y - ROW / 2 + 1);
            return css([...context.getImageData(0, 0, 1, 1).data].slice(0, 3).reduce((rgb, part) => rgb * 256 + part)) === view.colors.accent; })(placeOf(view.selectedPack, view.selected))"""),
              True, 'and has a ring')
        page.key('Escape')
        page.key('n')
        require('step 40\n' in page.text('#details'), 'the next one', page.text('#details'))
        page.key('N', modifiers=8)
        require('step 4\n' in page.text('#details'), 'and back', page.text('#details'))
        # What is in a row by keys alone.
        page.key('.')
        require('step 5\n' in page.text('#details'), page.text('#details'))


def case_page_names(bench):
    """Domains and messages are kept apart, also where they look the same together."""
    paths = []
    for name, times in ('one', 1), ('two', 10):
        recording = synthetic.Recording(end=10_000_000)
        process, at = recording.process(), 0
        process.domain(1, 'a:b')
        process.domain(2, 'a')
        thread = process.thread(1)
        for domain, text, instances in (1, 'c', 2), (2, 'b:c', 3), (0, 'a:b:c', 4), (0, '1a', 5):
            at = thread.ranges(text, [10 + domain] * instances * times, at=at, domain=domain)
        paths.append(recording.write(bench.here(name)))
    with Page(make_page(bench, paths[1], '--against', paths[0])) as page:
        rows = page.evaluate('model.packs.map(pack => summarize(pack, null).map(row => [row.group.domain, row.group.text, row.count, row.total]))')
        for times, found in zip((1, 10), rows):
            equal(sorted(found), [['', '1a', 5 * times, 50 * times], ['', 'a:b:c', 4 * times, 40 * times], ['a', 'b:c', 3 * times, 36 * times],
                                  ['a:b', 'c', 2 * times, 22 * times]], 'rows')
        equal(sorted(page.evaluate('difference().map(row => [row.name, row.countA, row.countB, row.totalA, row.totalB])')),
              [['1a', 5, 50, 50, 500], ['a:b:c', 2, 20, 22, 220], ['a:b:c', 3, 30, 36, 360], ['a:b:c', 4, 40, 40, 400]], 'two recordings')


def case_page_drawn(bench):
    """The table has the numbers of stats, to the nanosecond, for drawn recordings: with ranges of several domains that overlap and have no end."""
    for seed in some(range(1, 9), 3):
        one = drawn.Drawn(random.Random(seed), size=200, full=seed % 2 == 0)
        rec = one.write(bench.here(f'seed-{seed}.nvtxh'))
        with Page(make_page(bench, rec, name=f'{seed}.html')) as page:
            wanted, got = bench.table('stats', rec, '--csv'), page.rows()
            for row in [row for row in wanted if row['Max Value'] in ('inf', 'nan')]:  # the page leaves out samples that are not finite
                wanted.remove(row)
                got.pop(('Counter', row['Range']), None)
            check_rows(got, wanted, f'seed {seed}', unsure_of(one))
            # The busy time of each thread is covered by its ranges, and all of them are what shares are of.
            ranges = collections.defaultdict(list)
            for _, span in expected_spans.spans(one):
                if span.style == 'PushPop':
                    ranges[span.thread, span.tid].append(span)
            wanted, busy = sum(map(expected_spans.covered, ranges.values())), sum(page.evaluate('[...busy.sides[0].ns]'))
            require(abs(busy - wanted) <= 1e-6 * wanted, f'seed {seed}, busy', busy, wanted)  # ticks are converted to within some ns
            for row in got.values():
                if row['Style'] == 'PushPop':
                    require(abs(row['Share (%)'] - 100 * row['Inclusive (ns)'] / busy) < 1e-9, f'seed {seed}', row, busy)


def innermost(spans):
    """The ns in which each pushed range was the innermost of its thread, of those that were open by their final ends."""
    threads, own = {}, collections.Counter()
    for span in spans:
        threads.setdefault((span.thread, span.tid), []).append(span)
    for of_thread in threads.values():
        times = sorted({at for span in of_thread for at in (span.start, span.end)})
        for begin, end in zip(times, times[1:]):
            around = [span for span in of_thread if span.start <= begin and span.end >= end]
            own[max(around, key=lambda span: span.began) if around else None] += end - begin
    return own


def in_doubt(one, window):
    """The names of pushed ranges whose self times a reader that goes through the file once cannot know."""
    spans = [span for _, span in expected_spans.spans(one, window) if span.style == 'PushPop']
    own = innermost(spans)
    return {span.name for span in spans if span.own != own[span]}


def case_page_windows(bench):
    """A selection has the numbers of `stats` of that window, also where ranges have no end, overlap, or a pop is in the wrong domain. Of a range for
    which a reader that goes through the file once cannot know in time that it goes on, or has ended, self times may differ."""
    def check(page, rec, window, doubtful=(), unsure=()):
        rows = bench.table('stats', rec, '--csv', '--from', f'{window[0]}ns', '--to', f'{window[1]}ns')
        got = page.rows(window)
        for row in rows:
            if row['Style'] == 'PushPop' and row['Range'] in doubtful:
                got[row['Style'], row['Range']]['Self (ns)'] = float(row['Self (ns)'])
        check_rows(got, rows, f'{rec}, {window}', unsure)
    leaked = bench.record('misdirected.nvtxh', 'misdirected')
    with Page(make_page(bench, leaked)) as page:
        begin, end = page.evaluate('[model.packs[0].start[0], model.end]')
        check_rows(page.rows(), bench.table('stats', leaked, '--csv'), 'all of it')
        for tenth in range(10):  # x outlives each step, and might end later for all that stats knows when a frame ends
            check(page, leaked, [round(begin + (end - begin) * part / 10) for part in (tenth, tenth + 1)], ('frame', 'train:x', 'train:y'))
    sure = unsure = 0
    for seed in some(range(1, 7), 2):
        rng, one = random.Random(seed), drawn.Drawn(random.Random(seed), plain=True, clock=1, size=100)
        rec = one.write(bench.here(f'seed-{seed}.nvtxh'))
        with Page(make_page(bench, rec, name=f'{seed}.html')) as page:
            edges = sorted({at for _, span in expected_spans.spans(one) for at in (span.start, span.end)})
            everywhere = in_doubt(one, expected_spans.ALL)
            for number in range(6):
                at_edges = number % 2 and len(edges) > 1  # where a doubt may end with the window
                window = sorted(rng.sample(edges if at_edges else range(drawn.DURATION), 2))
                names = {span.name for _, span in expected_spans.spans(one, window) if span.style == 'PushPop'}
                doubtful = names & (everywhere if at_edges else set()) | in_doubt(one, window)
                check(page, rec, window, doubtful, doubtful | unsure_of(one, window))
                sure, unsure = sure + len(names - doubtful), unsure + len(doubtful)
    require(sure > unsure, 'most self times are compared', sure, unsure)


def limit(rng, ns):
    """A duration as a search has it, and how many ns these words say."""
    unit, scale = rng.choice([('ns', 1), (' ns', 1), ('us', 1e3), (' µs', 1e3), ('ms', 1e6), ('s', 1e9)])
    number = rng.choice([str(ns / scale), f'{ns / scale:.3f}'])
    number = number if 'e' not in number else f'{ns / scale:.9f}'
    return number + unit, float(number) * scale


def case_page_found(bench):
    """A search hits the ranges, marks and samples that have the name and are not hidden, and no others; with durations, only ranges that are so long."""
    hits = '''((text, domains, styles) => {
        const all = [], pack = model.packs[0];
        model.hiddenDomains = new Set(domains);
        model.hiddenTracks = new Set(pack.tracks.filter(track => styles.includes(STYLES[track.style])).map(track => trackKey(pack, track)));
        relayOut();
        $('search').value = text;
        searchChanged();
        eachHit(pack, e => all.push([pack.start[e], pack.length[e], STYLES[pack.kinds.style[kindOf(pack, e)]], groupOf(pack, e).name]));
        return [all, $('hits').textContent];
    })'''
    for seed in some(range(1, 4), 2):
        rng, (one, rec) = random.Random(seed), formats.draw(bench, seed, clock=1, size=150)
        events = [e for e in formats.Case(bench, rec, [one]).events if e.is_finite]
        lengths = [e.end - e.start for e in events if e.style in ('PushPop', 'StartEnd')]
        with Page(make_page(bench, rec, name=f'{seed}.html')) as page:
            for _ in range(30):
                words = [('', lambda name: True), ('A', lambda name: 'a' in name), ('one:', lambda name: 'one:' in name), ('"a"', lambda name: name == 'a'),
                         ('/^TWO:|b$/', lambda name: name.startswith('two:') or name.endswith('b')), ('(no', lambda name: '(no' in name)]
                low, high = sorted(rng.choice([rng.choice(lengths), rng.randrange(10**9)]) for _ in range(2))
                (first, least), (last, most) = (limit(rng, ns) for ns in (low, high))
                first, least = rng.choice([('', 0), (first, least)])
                last, most = rng.choice([('', float('inf')), (last, most)])
                between = f'{first}..{last}'
                (word, is_named), between = rng.choice(words), rng.choice(['', between * (between != '..')])
                domains, styles = rng.choice([[], [], [''], ['one']]), rng.choice([[], [], ['StartEnd'], ['Counter']])
                wanted = [[e.start, e.end - e.start, e.style, e.name] for e in events if (word or between) and is_named(e.name) and e.domain not in domains and e.style not in styles
                          and (not between or e.style in ('PushPop', 'StartEnd') and least <= e.end - e.start <= most)]
                got, said = page.evaluate(f'{hits}({json.dumps(f"{word} {between}")}, {domains}, {styles})')
                if word or between:
                    formats.same(map(repr, got), map(repr, wanted), f'seed {seed}, {word} {between}')
                    equal(said, f'{len(wanted):,} hit{"s" * (len(wanted) != 1)}', f'seed {seed}, {word} {between}')
    # A row of the table finds what has its name, also a name of several lines, which the search field shows as one.
    recording, times = synthetic.Recording(end=1_000_000), {'two\nlines': [10, 20, 30], 'two\r\n lines': [40, 50], 'twolines?': [60]}
    thread = recording.process(pid=1).thread(2)
    for number, (name, lengths) in enumerate(times.items()):
        thread.ranges(name, lengths, at=1000 * (number + 1))
    with Page(make_page(bench, recording.write(bench.here('lines.nvtxh')))) as page:
        hits = page.evaluate(f"{json.dumps(list(times))}.map(name => (find(name, PUSH_POP), [search.hits, groupOf(model.packs[0], view.selected).name]))")
    equal(hits, [[len(lengths), name] for name, lengths in times.items()], 'names of several lines')


# What the page knows of each entry.
ENTRIES = """(pack => Array.from(pack.start, (start, e) => {
    const { kinds, paths, head } = pack, kind = kindOf(pack, e), track = pack.tracks.findLast(each => each.first <= e && each.count), path = [];
    for (let p = pack.path[e]; p; p = paths.parent[p]) path.unshift(pack.groups[kinds.group[paths.kind[p]]].name);
    const [number, name] = head.categories[kinds.category[kind] - 1] || [null, 0];
    return [start, start + pack.length[e], STYLES[kinds.style[kind]], kinds.domain[kind], kinds.text[kind], kinds.color[kind] ? kinds.color[kind] - 1 : null,
            number, name ? head.texts[name - 1] : '', kinds.style[kind] === COUNTER ? String(pack.value[e]) : payloadOf(pack, e) ?? '', pack.inner[e], pack.flags[e] & 1,
            pack.threads.has(e) ? pack.threads.get(e).map(t => head.threads[t].tid) : track.thread >= 0 ? [head.threads[track.thread].tid] : [],
            head.processes[track.process].pid, kinds.style[kind] === PUSH_POP ? path : []];
}))(model.packs[0])"""


def case_page_entries(bench):
    """The page knows of each range, mark and sample what was recorded: also integers of 64 bits, colours, categories, both threads of process ranges."""
    for seed in range(1, 5):
        one, rec = formats.draw(bench, seed, clock=1, size=150)
        wanted, case = [], formats.Case(bench, rec, [one])
        for e in filter(lambda e: e.is_finite, case.events):
            threads = [e.tid, e.end_tid] if e.style == 'StartEnd' else [e.tid] if e.style != 'Counter' else []
            payload = formats.digits(float(e.span.payload)) if e.style == 'Counter' else e.payload
            wanted.append((e.start, e.end, e.style, e.domain, e.text, e.span.color, e.category, e.category_name, payload,
                           e.end - e.start - e.own if e.nests else 0, int(e.is_open), threads, e.pid, list(case.around(e)) if e.nests else []))
        with Page(make_page(bench, rec, name=f'{seed}.html')) as page:
            got = page.evaluate(ENTRIES)
            for entry in got:
                if entry[2] == 'Counter' or not entry[8].lstrip('-').isdigit() and entry[8]:
                    entry[8] = formats.digits(float(entry[8]))
            formats.same([repr(tuple(entry)) for entry in got], [repr(entry) for entry in wanted], f'seed {seed}')


# The details of each entry: the heading, and the texts by their titles; what the tip says.
DETAILS = """[...model.packs[0].flags].map((_, e) => {
    const shown = details(model.packs[0], e), cells = [...shown.querySelector('dl').children].map(each => each.textContent);
    return [shown.querySelector('h2').textContent, Object.fromEntries(cells.map((text, i) => [text, cells[i + 1]]).filter((_, i) => i % 2 === 0)), tipLines(model.packs[0], e)];
})"""


def case_page_details(bench):
    """A click on a range, mark or sample shows all that is known of it, and so does its tip."""
    def number(text):
        return text or None if not text or text.lstrip('-').isdigit() else formats.digits(float(text))

    for seed in range(1, 5):
        one, rec = formats.draw(bench, seed, clock=1, size=150)
        case, wanted, got = formats.Case(bench, rec, [one]), [], []
        for e in filter(lambda e: e.is_finite, case.events):
            names = [e.thread_name or f'thread {e.tid}', *[e.process.threads.get(e.end_tid, f'thread {e.end_tid}')] * (e.end_tid != e.tid)]
            length = f'{e.end - e.start:,} ns' if e.style in ('PushPop', 'StartEnd') else None
            category = None if e.category is None else e.category_name or str(e.category)
            value = formats.digits(float(e.span.payload)) if e.style == 'Counter' else None
            wanted.append((e.name, length, e.is_open if length else None, f'{e.own:,} ns' if e.nests else None, f'{e.start:,} ns', value, None if value else ' to '.join(names),
                           process_name(case, e), e.domain or 'default', category, e.color and '#' + e.color[3:] or None, e.style, None if value else number(e.payload)))
        with Page(make_page(bench, rec, name=f'{seed}.html')) as page:
            for name, cells, tip in page.evaluate(DETAILS):
                length, no_end = re.search(r'\((.*)\)(, had no end)?$', cells['Duration']).groups() if 'Duration' in cells else (None, None)
                exact = {name: text.partition('(')[2].rstrip(')') for name, text in cells.items() if name in ('Self', 'Start')}
                value = cells.get('Value', '').replace(',', '')
                payload = number(cells.get('Payload'))
                got.append((name, length, bool(no_end) if length else None, exact.get('Self'), exact['Start'], formats.digits(float(value)) if value else None, cells.get('Thread'), cells['Process'],
                            cells['Domain'], cells.get('Category'), cells.get('Colour'), cells['Style'], payload))
                said = [cells['Duration'].partition('  ')[0] + (no_end or '')] if length else [f'value {cells["Value"]}'] if value else []
                equal([tip[0], *tip[1:-1 - bool(payload)], *tip[2 + bool(said):]], [name, *said, *[f'payload {cells.get("Payload")}'] * bool(payload)], 'the tip')
                require(tip[1 + bool(said)].startswith('at '), tip)
        formats.same(map(repr, got), map(repr, wanted), f'seed {seed}')


def case_page_sorted(bench):
    """A click on the head of a column sorts by it, another one the other way round: ranges before marks and counters, what has no value last."""
    for seed, against in (1, False), (2, True):
        paths = [formats.draw(bench, 2 * seed + i, clock=1, size=150)[1] for i in range(2)]
        with Page(make_page(bench, paths[1], *['--against', paths[0]] * against, name=f'{seed}.html')) as page:
            page.evaluate("showTab('table')")
            keys = page.evaluate("[...document.querySelectorAll('#rows th button')].map(each => each.dataset.key)")
            page.evaluate("$('exact').click()")
            exact_ns = page.evaluate("[...document.querySelectorAll('#rows tbody td[title]')].map(cell => [cell.innerText, cell.title])")
            require(len(exact_ns) > 20 and all(text.lstrip('+') + ' ns' == title for text, title in exact_ns), 'exact ns', exact_ns)
            page.evaluate("$('exact').click()")
            shorter = page.evaluate("[...document.querySelectorAll('#rows tbody td[title]')].map(cell => cell.innerText)")
            require(all(re.fullmatch(r'[+-]?[\d.]+ (ns|µs|ms|s)', text) for text in shorter), 'times in units', shorter)
            for key, clicks in [(key, clicks) for key in keys for clicks in (1, 2)]:
                for number in [keys.index(key) - 1] + [keys.index(key)] * clicks:
                    page.evaluate(f"[...document.querySelectorAll('#rows th button')].at({number}).click()")
                shown = page.evaluate("[...document.querySelectorAll('#rows tbody tr')].map(tr => [tr.cells[tr.cells.length - 1].innerText, tr.cells[0].innerText])")
                values = {(style, name): value for style, name, value in page.evaluate(f"tableRows()[0].map(row => [STYLES[row.style], shown(row.label, 300), row['{key}'] ?? null])")}
                equal(len(shown), len(values), 'rows')
                for kinds in ('PushPop', 'StartEnd'), ('Mark',), ('Counter',):
                    cells = [values[tuple(row)] for row in shown if row[0] in kinds]
                    there = [abs(cell) if key == 'change' else cell for cell in cells if cell is not None]
                    ascending = (clicks == 2) != (key == 'name')
                    equal(cells[len(there):], [None] * (len(cells) - len(there)), f'{key}: no value')
                    equal(there, sorted(there, reverse=not ascending), f'{key}, {clicks} clicks')
                equal([{'Mark': 1, 'Counter': 2}.get(style, 0) for style, _ in shown], sorted({'Mark': 1, 'Counter': 2}.get(style, 0) for style, _ in shown), 'ranges first')


def common(name):
    """A name with # for each number, which is beside no letter."""
    return re.sub(r'(?<![^\W\d])(?<!\d)\d+(?![^\W\d])(?!\d)', '#', name)


def folds(counts):
    """The common name of each name that is folded, by the rule of `nvtxh stats`; counts: of each recording, {name: instances}."""
    families = collections.defaultdict(dict)
    for name in set().union(*counts):
        if common(name) != name:
            families[common(name)][name] = max(each[name] for each in counts)
    rare = {shared for shared, names in families.items() if len(names) >= 50 and 2 * sum(most <= 2 for most in names.values()) >= len(names)}
    return {name: shared for shared in rare for name in families[shared]}


def case_page_folded(bench):
    """Rare names that differ only in numbers are one row of the table and of the flame graph, and have one colour; the row opens to their rows. So it is in `nvtxh stats`."""
    seen = collections.Counter()
    for seed in some(range(1, 9), 3):
        rng, counts, paths = random.Random(seed), [], []
        families = [(pattern, rng.randrange(40, 65), rng.choice([2, 3, 4])) for pattern in ('GET /item?%d', 'conv%d', 'step %d of 7', 'layer-%d', '%d', 'é%d')]
        for side in range(1 + seed % 2):
            recording, at = synthetic.Recording(end=10**9), 1000
            thread, count = recording.process(pid=100).thread(100), collections.Counter()
            for pattern, names, most in families:
                for number in range(names):
                    for _ in range(rng.randint(0, most)):
                        name = pattern % number
                        thread.mark(at, name) if rng.random() < .1 else thread.ranges(name, [rng.randrange(1, 5000)], at=at)
                        count[name] += 1
                        at += 10_000
            counts.append(count)
            paths.append(recording.write(bench.here(f'{side}.nvtxh')))
        shared, rec = folds(counts), paths[-1]
        wanted = collections.Counter()
        for row in bench.table('stats', '--csv', rec):
            wanted[row['Style'], shared.get(row['Range'], row['Range'])] += int(row['Instances'])
        with Page(make_page(bench, rec, *['--against', paths[0]] * (seed % 2), name=f'{seed}.html')) as page:
            rows = page.evaluate("summarize(model.packs.at(-1), null, model.packs.at(-1).kinds.row).map(row => [STYLES[row.style], row.name, row.count, row.group.members?.map(each => each.name) ?? []])")
            equal({(style, name): count for style, name, count, _ in rows}, dict(wanted), f'seed {seed}: rows')
            if not seed % 2:
                said = [line.split('  ')[0] for line in bench.run('stats', rec, env={'LC_ALL': 'C.UTF-8', 'COLUMNS': '300'}).stdout.partition('\n\nFindings:')[0].splitlines()]
                equal(sorted(name for _, name, *_ in rows), sorted(name for name in said if name not in ('Range', 'Mark', '')), 'as stats has them')
            equal(sorted(page.evaluate('(buildFlame(), [...flame.root.children.values()].map(node => node.name))')),
                  sorted({shared.get(name, name) for style, name in {(row['Style'], row['Range']) for path in paths for row in bench.table('stats', '--csv', path)} if style == 'PushPop'}), 'flame graph')
            for style, name, count, members in [row for row in rows if row[3]]:
                colors = page.evaluate(f"(pack => [...pack.kinds.rgb].filter((_, k) => pack.groups[pack.kinds.row[k]].name === {json.dumps(name)}))(model.packs.at(-1))")
                equal(len(set(colors)), 1, 'one colour')
                there = [row for path in paths for row in bench.table('stats', '--csv', path) if row['Style'] == style and shared.get(row['Range']) == name]
                found, cells = page.evaluate(f"""(find({json.dumps(name)}, STYLES.indexOf('{style}')), showTab('table'), document.querySelector('#rows [aria-expanded=false]').click(),
                    [search.hits, [...document.querySelectorAll('#rows tbody td:first-child')].map(cell => cell.lastChild.innerText)])""")
                equal(found, sum(int(row['Instances']) for row in there), f'hits of {name}')
                equal([cells[0], set(cells[1:])], [name, {row['Range'] for row in there}], f'{name} is open')
                link, close = page.evaluate('(writeAddress(), location.hash)'), "(document.querySelector('#rows [aria-expanded=true]').click(), writeAddress(), document.querySelectorAll('#rows tbody tr').length)"
                require(page.evaluate(close) == 1, 'and closed again')
                page.evaluate(f"new Promise(r => (addEventListener('hashchange', r, {{once: true}}), location.hash = {json.dumps(link)})).then(() => 1)")
                require(page.evaluate(close) == 1, 'open by its link')
                seen[style] += 1
    require(seen['PushPop'] and seen['Mark'], seen)


def case_page_jumps(bench):
    """n and N go through all hits of both recordings, by time or from the longest on, and round the ends; [ and ] to the range around and the first inside."""
    jumps = """((order, by, times) => { $('order').value = order; fitAll(); select(null, -1);
        return Array(times).fill(0).map(() => (jump(by), [view.selectedPack.letter, view.selected])); })"""
    for seed in some([1, 2, 3], 1):
        paths = [formats.draw(bench, 2 * seed + i, clock=1, size=60)[1] for i in range(2)]
        with Page(make_page(bench, paths[1], '--against', paths[0], name=f'{seed}.html')) as page:
            page.evaluate("(showTab('timeline'), $('search').value = 'a', searchChanged())")
            hits = page.evaluate("model.packs.flatMap(pack => { const all = []; eachHit(pack, e => all.push([pack.start[e], -pack.most[e], pack.letter, e])); return all; })")
            for order, place in ('time', 0), ('length', 1):
                there = [[letter, e] for *_, letter, e in sorted(hits, key=lambda hit: (hit[place], *hit[2:]))]
                equal(page.evaluate(f"{jumps}('{order}', 1, {len(there) + 1})"), there + there[:1], f'{order}, on')
                equal(page.evaluate(f"{jumps}('{order}', -1, {len(there) + 1})"), there[::-1] + there[-1:], f'{order}, back')


def case_page_process_rows(bench):
    """A process range is in the first row in which nothing lasts beyond its start."""
    chance, recording = random.Random(5), synthetic.Recording(end=1000)
    process, ranges, ends, rows = recording.process(), [], set(), []
    for start in sorted(chance.sample(range(100), 60)):
        end = chance.choice([end for end in range(start + 1, start + 40) if end not in ends])
        ends.add(end)
        ranges.append([start, end])
    thread = process.thread(100)
    for number, (start, _) in enumerate(ranges):
        thread.start(start, 1 + number, 'r')
    thread = process.thread(101)
    for end, number in sorted((end, number) for number, (_, end) in enumerate(ranges)):
        thread.end(end, 1 + number)
    for one in ranges:
        row = next((row for row in rows if row[-1][1] <= one[0]), None)
        rows += [] if row else [[]]
        (row or rows[-1]).append(one)
    with Page(make_page(bench, recording.write(bench.here('rows.nvtxh')))) as page:
        lanes = page.evaluate("""(({start, length}) => model.packs[0].head.tracks.map(track => rowsOf(model.packs[0], track).rows.map(row => [...row].map(e => [start[e], start[e] + length[e]]))))
            (model.packs[0])""")
    equal([sorted(row) for row in lanes[0]], [sorted(row) for row in rows], 'rows')


def case_page_neighbours(bench):
    """[ selects the range around, ] the first one inside, . and , the next and the previous one at the same depth; if there is none, nothing changes.
    So it is with a mark, which has none inside, and whose neighbours are marks."""
    chance, recording = random.Random(3), synthetic.Recording(end=10**9)
    process = recording.process()
    for tid in 100, 101:
        thread, at, depth = process.thread(tid), 0, 0
        for _ in range(some([30, 200], 1)[-1]):
            at += chance.randrange(1, 1000)
            if chance.random() < .2:
                thread.mark(at, 'm')
                continue
            is_push = depth == 0 or depth < 6 and chance.random() < .5
            thread.push(at, 'abc'[depth % 3]) if is_push else thread.pop(at)
            depth += 1 if is_push else -1
        for i in range(depth):
            thread.pop(at + 1 + i)
    rec = recording.write(bench.here('tree.nvtxh'))
    ranges = [(row['TID'], int(row['Start (ns)']), int(row['End (ns)']), int(row['Depth'] or -1)) for row in bench.table('export', '--format', 'csv', rec)]
    starts = [one[1] for one in ranges]
    ranges, wanted = [one for one in ranges if starts.count(one[1]) == 1], {}  # each range is known by its start
    for tid, start, end, depth in ranges:
        own = [one for one in ranges if one[0] == tid and (one[3] >= 0 or depth < 0 and one[3] == depth)]
        around, inside = [a for _, a, z, _ in own if a < start and z >= end and z > start], [a for _, a, z, _ in own if start < a and z <= end]
        beside = sorted(a for _, a, _, other in own if other == depth)
        at = beside.index(start)
        wanted[tid, start] = [max(around, default=start), min(inside, default=start), (beside + [start])[at + 1], beside[at - 1] if at else start]
    with Page(make_page(bench, rec)) as page:
        got = page.evaluate("""[...model.packs[0].start].map((start, e) => [threadName(model.packs[0], trackOf(model.packs[0], e).thread), start, ['out', 'in', 1, -1].map(where => {
            select(model.packs[0], e);
            neighbour(where);
            return model.packs[0].start[view.selected];
        })])""")
        names = {'made-up': '100', 'thread 101': '101'}
        formats.same({(names[thread], start): tuple(places) for thread, start, places in got if (names[thread], start) in wanted}, {key: tuple(places) for key, places in wanted.items()}, 'out, in, next, previous')


def case_page_keys(bench):
    """M at two times, in any order, selects the time between; F shows it, or the selected range; a press on the minimap shows that time; also with --from."""
    with Page(make_page(bench, known(bench.here('known.nvtxh')), '--from', '150us', '--to', '880us')) as page:
        def time_at(x):
            return page.evaluate(f'timeOf({x} - canvas.getBoundingClientRect().left)')

        def shows(start, end, what):
            page.settle()
            got, slack = page.evaluate('[view.from, view.to]'), (end - start) / 100
            require(abs(got[0] - start) < slack and abs(got[1] - end) < slack, what, got, start, end)
        whole = page.evaluate('[model.from, model.end]')
        equal(whole, [150_000, 880_000], 'the whole')
        left, y = page.place(0, 0, 300_000)
        right = page.place(0, 0, 600_000)[0]
        for ends in (left, right), (right, left):
            page.key('Escape')
            for x in ends:
                page.mouse('Moved', x, y)
                page.key('m')
            window = page.evaluate('view.selection')
            require(all(abs(got - time_at(x)) < 2 for got, x in zip(window or [], (left, right))) and window, 'measured', window, ends)
        page.key('f')
        shows(window[0] - (window[1] - window[0]) * .1, window[1] + (window[1] - window[0]) * .1, 'F with a selected time')
        page.evaluate('select(model.packs[0], model.packs[0].start.indexOf(450000))')
        page.key('f')
        shows(445_000, 505_000, 'F with a selected range')
        box = page.evaluate('(b => [b.left + LABELS, b.top, b.width - LABELS, b.height])(minimap.getBoundingClientRect())')
        for part in .3, .6:
            x, y = round(box[0] + part * box[2]), box[1] + box[3] / 2
            page.mouse('Moved', x, y)
            page.mouse('Pressed', x, y, button='left', buttons=1, clickCount=1)
            page.mouse('Released', x, y, button='left', clickCount=1)
            middle = whole[0] + (x - box[0]) / box[2] * (whole[1] - whole[0])
            shows(middle - 30_000, middle + 30_000, f'the minimap at {part}')


def case_page_wheel(bench):
    """The wheel zooms at the pointer; sideways, or with Shift, it goes earlier or later; over the names it does nothing without Ctrl. Other buttons than the left do nothing.
    If there are more lanes than the screen shows, it scrolls, and zooms with Ctrl or if Show... says so."""
    with Page(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        left, top, width = page.evaluate('(box => [box.left, box.top + 60, box.width])(canvas.getBoundingClientRect())')
        map_top = page.evaluate('minimap.getBoundingClientRect().top + 20')
        for x, y, across, down, modifiers, is_zoom in ((600, top, 0, 160, 0, True), (600, top, 0, -80, 0, True), (600, top, 80, 0, 0, False), (600, top, -160, 20, 0, False),
                                                       (600, top, 0, 40, 8, False), (100, top, 0, 160, 0, None), (100, top, 0, -100, 2, True), (700, map_top, 0, -50, 0, True)):
            page.evaluate('show(300000, 500000)')
            at = page.evaluate(f'timeOf(Math.max(LABELS, {x}))')
            page.mouse('Wheel', left + x, y, deltaX=across, deltaY=down, modifiers=modifiers)
            page.settle()
            got, by = page.evaluate('[view.from, view.to]'), across or down
            factor, shift = math.exp(max(-60, min(60, down)) / 160) if is_zoom else 1, 200_000 * by / 800 if is_zoom is False else 0
            wanted = [at - (at - 300_000) * factor + shift, at + (500_000 - at) * factor + shift]
            require(all(abs(a - b) < 1 for a, b in zip(got, wanted)), 'the wheel', (x, across, down, modifiers), got, wanted)
        page.evaluate('show(300000, 500000)')
        for button, buttons in ('right', 2), ('middle', 4):
            for y, modifiers in (top, 0), (top, 8), (top - 50, 0):
                page.mouse('Moved', left + 500, y)
                page.mouse('Pressed', left + 500, y, button=button, buttons=buttons, clickCount=1, modifiers=modifiers)
                page.mouse('Moved', left + 700, y, button=button, buttons=buttons, modifiers=modifiers)
                page.mouse('Released', left + 700, y, button=button, clickCount=1)
                page.settle()
                equal(page.evaluate('[view.from, view.to, view.selection, view.selected]'), [300_000, 500_000, None, -1], f'{button}, {modifiers}')
        page.drag([(left + 500, page.evaluate("$('divider').getBoundingClientRect().top + 2")), (left + 500, top + 60)])  # few lanes are left
        page.evaluate('(show(300000, 500000), 1)')
        page.mouse('Wheel', left + 600, top, deltaX=0, deltaY=40)
        page.settled('lanesBox.scrollTop === 40')
        equal(page.evaluate('[view.from, view.to]'), [300_000, 500_000], 'scrolled')
        page.mouse('Wheel', left + 600, top, deltaX=0, deltaY=40, modifiers=2)
        require(page.evaluate('view.to - view.from') > 201_000, 'Ctrl')
        for place in '#filter', '#filters > label', '#filter':
            page.click(*page.evaluate(f"(b => [b.left + 5, b.top + 5])(document.querySelector('{place}').getBoundingClientRect())"))
        page.evaluate('(show(300000, 500000), 1)')
        require(page.evaluate('lanesBox.scrollHeight > lanesBox.clientHeight'), 'there is more below')
        page.mouse('Wheel', left + 600, top, deltaX=0, deltaY=40)
        page.settled('view.to - view.from > 201000')


def case_page_selection(bench):
    """A time that is selected with the mouse has the table of `stats --from --to`, and a flame graph of its own."""
    rec = known(bench.here('known.nvtxh'))
    with Page(make_page(bench, rec)) as page:
        for begin, end in ((150_000, 460_000), (310_000, 480_000), (0, 999_000), (205_000, 210_000)):
            page.key('0')
            x, y = page.place(0, 0, begin)
            page.drag([(x, y), (x + 50, y), (page.place(0, 0, end)[0], y)], modifiers=8)
            page.settle()
            window = page.evaluate('view.selection')
            require(abs(window[0] - begin) < 2000 and abs(window[1] - end) < 2000, window, begin, end)
            wanted = bench.table('stats', rec, '--csv', '--from', f'{window[0]:.0f}ns', '--to', f'{window[1]:.0f}ns')
            check_rows(page.rows(window), wanted, str(window))
            equal(sorted(page.evaluate("[...document.querySelectorAll('#rows tbody td:first-child')].map(cell => cell.lastChild.innerText)")),
                  sorted({re.sub('^step .*', 'step #', row['Range']) for row in wanted}), 'the table below')
        page.key('2')
        equal(page.evaluate("(buildFlame(), [...flame.root.children.values()].map(n => [n.name, n.total[0]]))"),
              [['outer', page.rows(window)['PushPop', 'outer']['Total Time (ns)']]], 'the flame graph of the selection')


# The nodes of the flame graph: their paths, and per side total, self and count; the longest instance.
FLAME = """((byThread, word) => {
    $('by-thread').checked = byThread;
    $('search').value = word;
    searchChanged();
    showTab('flame');
    buildFlame();
    const nodes = [], visit = (node, path) => node.children.forEach(child => {
        const own = [...path, child.name], { longest } = child;
        nodes.push([own, child.total, child.self, child.count, longest ? longest.pack.most[longest.e] : 0]);
        visit(child, own);
    });
    visit(flame.root, []);
    return [nodes, [0, 1].map(side => { $('side').value = side; drawFlame(); return $('flame-matched').textContent; })];
})(%s, %s)"""


def process_name(case, e):
    several = len({process.host for process in case.processes}) > 1
    return f'made-up {e.pid}' + (f' rank {e.rank}' if e.rank is not None else '') + (f' on {e.host}' if several else '')


def flame_nodes(cases, by_thread):
    """{path: [totals, selfs, counts of both sides, the longest of both]}; the total of a path that is no instance's is that of the paths below."""
    found = {}
    for side, case in enumerate(cases):
        for e in case.of('PushPop'):
            thread = f"{process_name(case, e).replace(f' {e.pid}', '', 1)} \u00b7 {e.thread_name or f'thread {e.tid}'}"
            path = (*[thread] * by_thread, *case.around(e))
            for size in range(1, len(path) + 1):
                found.setdefault(path[:size], [[0, 0], [0, 0], [0, 0], 0])
            node = found[path]
            for figure, number in enumerate((e.end - e.start, e.own, 1)):
                node[figure][side] += number
            node[3] = max(node[3], e.end - e.start)
    for path, node in sorted(found.items(), key=lambda item: -len(item[0])):
        for side in 0, 1:
            if not node[2][side]:
                node[0][side] = sum(other[0][side] for inner, other in found.items() if inner[:-1] == path)
    return found


def case_page_flame(bench):
    """The flame graph of two drawn recordings: total, self and count of each path on both sides, its longest instance, and the share of hits."""
    for seed in some(range(1, 5), 2):
        cases = []
        for number in 0, 1:
            one, rec = formats.draw(bench, 2 * seed + number, clock=1, size=150)
            cases.append(formats.Case(bench, rec, [one]))
        with Page(make_page(bench, cases[1].path, '--against', cases[0].path, name=f'{seed}.html')) as page:
            for by_thread in False, True:
                got, said = page.evaluate(FLAME % (json.dumps(by_thread), json.dumps('one:')))
                wanted = flame_nodes(cases, by_thread)
                formats.same([repr(node) for node in got], [repr([list(path), *node]) for path, node in wanted.items()], f'seed {seed}, {by_thread}')
                for side in 0, 1:
                    every = sum(node[0][side] for path, node in wanted.items() if len(path) == 1)
                    hits = sum(node[0][side] for path, node in wanted.items() if 'one:' in path[-1] and not any('one:' in name for name in path[:-1]))
                    share = 100 * hits / every if every else 0
                    require(abs(float(re.fullmatch(r'hits: ([\d.]+) % of the time', said[side])[1]) - share) <= .0501, f'seed {seed}: hits', said, share)


HOSTILE = ['</script><script>window.pwned=1</script>', '<img src=x onerror="window.pwned=1">', '<!--<script>', ']]>', '{{packs}}', '\u202egnp.exe\u202c',
           'tab\tnew\nline\x1b[31m\x00nul', '" onmouseover="window.pwned=1', "'-alert(1)-'", '\ud7ff\u2028\u2029', 'https://example.invalid/x.png', 'x' * (1 << 20)]


def case_page_hostile(bench):
    """Messages that are markup, code, 1 MiB, bidirectional or no UTF-8 are text, wherever they are shown."""
    recording = synthetic.Recording(end=10_000_000)
    process = recording.process(exe='/bin/<b>exe</b>')
    process.domain(1, '<script>window.pwned=1</script>')
    stream = process.thread(101)
    process.names.long(synthetic.THREAD, 101, b'<iframe src=javascript:window.pwned=1>')
    process.names.long(synthetic.CATEGORY, 1, b'<b onclick=x>', domain=1)
    for number, text in enumerate(HOSTILE):
        stream.push(number * 10_000, text, domain=1, category=1)
        stream.pop(number * 10_000 + 9_000, domain=1)
    stream.long(synthetic.TEXT, 99, b'bad \xff\xfe utf-8 \xc3', at=500_000)
    stream.add(500_000, synthetic.PUSH, [99])
    stream.add(600_000, synthetic.POP)
    rec = recording.write(bench.here('hostile.nvtxh'))
    with Page(make_page(bench, rec)) as page:
        inert = "[window.pwned === undefined, document.querySelectorAll('script').length, document.querySelectorAll('img, iframe, b[onclick]').length]"
        for number in range(len(HOSTILE)):
            page.click(*page.place(0, 0, number * 10_000 + 4_000))
            require(page.text('#details'), number)
            x, y = page.place(0, 0, number * 10_000 + 5_000)
            page.mouse('Moved', x + 1, y)
        require('pwned' in page.evaluate("(select(model.packs[0], 0), $('details').innerText)"), 'the text is shown')
        for tab in '231':
            page.key(tab)
            page.settle()
            equal(page.evaluate(inert), [True, 1, 0], f'tab {tab}')
        page.evaluate("$('filter').click()")
        equal(page.evaluate(inert), [True, 1, 0], 'the lists')
        texts = set(page.evaluate("model.packs[0].groups.map(g => g.text)"))
        equal(set(HOSTILE) - texts, set(), 'texts are kept as they were')
        require('bad \ufffd\ufffd utf-8 \ufffd' in texts, 'what is no UTF-8')


def case_page_diff(bench):
    """--against: the table and the flame graph of two recordings say what changed. --from, --to: a page of a part."""
    def made(name, factor):
        recording = synthetic.Recording(end=10_000_000)
        process = recording.process(pid=100 * factor)
        process.names.long(synthetic.THREAD, 100 * factor, b'solver')
        stream = process.thread(100 * factor)
        stream.add(10, synthetic.COUNT, [1, int.from_bytes(struct.pack('<d', 1e308), 'little')], flags=3 << 5)
        at = 20
        for i in range(100):
            stream.push(at, 'step')
            stream.push(at + 1, 'solve')
            stream.pop(at + 1 + 1000 * factor)
            stream.pop(at + 2000 * factor)
            at += 2000 * factor + 100
        stream.ranges('only ' + name, [500] * 3, at=at)
        return recording.write(bench.here(name + '.nvtxh'))
    before, after = made('a', 1), made('b', 2)
    with Page(make_page(bench, after, '--from', '1us', '--to', '100us', name='part.html')) as page:
        check_rows(page.rows(), bench.table('stats', after, '--csv', '--from', '1us', '--to', '100us'), 'a part')
    for part in ('--from', '1us', '--to', '100us'), ('--name', 'solve'):
        with Page(make_page(bench, after, '--against', before, *part, name='parts.html')) as page:
            for number, rec in ((0, before), (1, after)):
                check_rows(page.rows(pack=number), bench.table('stats', rec, '--csv', *part), f'{rec} {part}')
    with Page(make_page(bench, after, '--against', before)) as page:
        require(page.text('#rows').splitlines()[2].startswith('step'), 'it opens on what changed most', page.text('#rows'))
        equal(page.evaluate("model.packs.map(p => p.head.name)"), ['a.nvtxh', 'b.nvtxh'], 'both')
        for number, rec in ((0, before), (1, after)):
            check_rows(page.rows(pack=number), bench.table('stats', rec, '--csv'), rec)
        rows = {row['name']: row for row in page.evaluate('difference()')}
        equal([rows['solve']['change'], rows['solve']['percent'], rows['only b']['change'], rows['only a']['change']], [100_000, 100, 1500, -1500], 'changes')
        page.key('2')
        page.settle()
        equal(page.evaluate("(n => [n.total, n.self])([...flame.root.children.values()].find(n => n.name === 'step'))"),
              [[200_000, 400_000], [100_000, 200_000]], 'the flame graph')
        threads = page.evaluate("($('by-thread').checked = true, buildFlame(), [...flame.root.children.values()].map(n => [n.name, n.total]))")
        equal(threads, [['made-up · solver', [201_500, 401_500]]], 'threads of one name are one, whatever their numbers')
        equal(page.evaluate("[reading(1e308), reading(-2.5e300, 'B'), reading(1e14), reading(12345.5), shown('می\u200cخواهم 👩\u200d🚀\u202e')]"),
              ['1e+308', '-2.5e+300 B', '100,000,000,000,000', '12,345.5', 'می\u200cخواهم 👩\u200d🚀\ufffd'], 'large values; joiners are letters, overrides are not')
        page.key('3')
        page.settle()
        require('+100.0' in page.text('#rows') and 'only a' in page.text('#rows'), page.text('#rows'))


def holes(page):
    """How many pixels of the first lane of a thread are hatched in each tenth of its width, by colour."""
    return page.evaluate("""(() => {
        draw();
        const lane = model.lanes.find(l => l.style === PUSH_POP), box = [LABELS, RULER + lane.top + 1, canvas.width - LABELS, lane.height - 2];
        const pixels = new Uint32Array(canvas.getContext('2d').getImageData(...box).data.buffer), width = box[2];
        const tenths = {grey: Array(10).fill(0), red: Array(10).fill(0)};
        pixels.forEach((p, i) => {
            const [r, g, b] = [p & 255, p >> 8 & 255, p >> 16 & 255], tenth = Math.floor(i % width / width * 10);
            if (r > g + 30 && r > b + 30) tenths.red[tenth]++;
            else if (r < 240 && Math.abs(r - g) < 25 && Math.abs(r - b) < 30) tenths.grey[tenth]++;
        });
        return tenths;
    })()""")


def case_page_holes(bench):
    """Where nothing was recorded, events were lost or a ring was overwritten, the lane is hatched, and the page says so."""
    recording = synthetic.Recording(end=1_000_000)
    process = recording.process()
    stream = process.thread(100)
    stream.push(100_000, 'work', color=0xff1060c0)
    stream.pop(200_000)
    stream.dropped = 17
    for at, is_open in ((300_000, 0), (600_000, 1)):
        process.names.long(30, is_open, struct.pack('<Q', recording.ticks(at)), at=at)
    stream.push(700_000, 'work', color=0xff1060c0)
    stream.pop(990_000)
    with Page(make_page(bench, recording.write(bench.here('holes.nvtxh')))) as page:
        require('17 events were dropped' in page.text('#notices') and 'A: ' not in page.text('#notices'), page.text('#notices'))
        page.evaluate("(setTheme('light'), show(0, 1000000))")
        tenths = holes(page)
        require(all(n > 100 for n in tenths['grey'][3:6]) and all(n < 60 for n in tenths['grey'][7:9]), 'not recorded', tenths)
        require(tenths['red'][9] > 20 and not any(tenths['red'][:9]), 'lost', tenths)
    # Two threads used one stream, and the first lost events. The processes numbered 0 to 2 have written nothing.
    recording = synthetic.Recording(end=1_000_000)
    process = recording.process()
    process.number = 3
    stream = process.thread(100)
    stream.dropped = 17
    stream.push(100_000, 'work')
    stream.pop(200_000)
    stream.long(synthetic.THREAD, 300, b'', at=300_000)
    stream.push(400_000, 'work')
    stream.pop(500_000)
    # Another process was not recorded at first, and has a range without an end that has a struct as payload.
    process = recording.process(pid=200)
    process.number = 4
    process.names.long(30, 1, struct.pack('<Q', recording.ticks(300_000)), at=300_000)
    process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 1, 0, 0, 0, 1, 1) + struct.pack('<4Q2I', 0, 14, 0, 0, 1, 0) + b'pa')
    stream = process.thread(200)
    stream.long(synthetic.EXTENDED, 1, struct.pack('<QQQQ', (1 << 24) + 1, 0, 2, 5), at=600_000)
    stream.push(600_000, 'never ends')
    with Page(make_page(bench, recording.write(bench.here('shared.nvtxh')), name='shared.html')) as page:
        equal(page.evaluate('model.packs[0].tracks.map(t => (t.losses || []).map(l => l[1]))'), [[17], [], []], 'losses by thread')
        equal(page.evaluate('model.packs[0].head.processes.map(p => p.gates)'), [[], [[0, 300_000]]], 'the time before the first gate')
        page.evaluate('select(model.packs[0], [...model.packs[0].flags].findIndex(f => f & 1))')
        details = page.text('#details')
        require('never ends' in details and 'had no end' in details and re.search(r'\ba\b.*\b5\b', details, re.DOTALL), 'a range without an end', details)
    # Payloads beyond 24 MiB of text, of which each has 600,000 characters; the same one counts once.
    for variants, wanted in (45, 'the payloads of 4 ranges were left out'), (1, ''):
        recording = synthetic.Recording(end=1_000_000)
        process = recording.process()
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 1, 0, 0, 0, 1, 1) + struct.pack('<4Q2I', 0, 75, 100_000, 0, 1, 0) + b'pa')
        stream = process.thread(100)
        for i in range(45):
            stream.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + 1, 0, 100_000) + bytes([65 + i % variants]) + bytes([1]) * 99_999, at=1000 * i)
            stream.mark(1000 * i, 'large')
        with Page(make_page(bench, recording.write(bench.here(f'large-{variants}.nvtxh')), name='large.html')) as page:
            said = page.text('#notices')
            require(wanted in said and ('left out' in said) == bool(wanted), 'left out', said)
    ring = bench.here('ring.nvtxh')
    bench.run('record', '--ring', '256k', '-o', ring, '--', bench.program('load'), '1', '100000', status=None)
    with Page(make_page(bench, ring, name='ring.html')) as page:
        first = page.evaluate('model.packs[0].start[0]')
        page.evaluate(f"(setTheme('light'), show(0, {first} * 2))")
        tenths = holes(page)
        require(all(n > 60 for n in tenths['grey'][:4]), 'overwritten', tenths)


def case_page_hide(bench):
    """What is hidden is in no view; the rest stays where it was. Everything works by keyboard and with a screen reader."""
    with Page(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        page.evaluate("$('filter').focus()")
        page.key('Enter')
        boxes = page.evaluate("[...document.querySelectorAll('#filters fieldset label')].map(l => l.innerText.trim())")
        equal(boxes, ['default', 'train', 'made-up', 'worker', 'process ranges'], 'boxes')
        page.evaluate("document.querySelectorAll('#filters input')[1].focus()")
        page.key(' ')
        page.settle()
        require(('PushPop', 'train:inner') not in page.rows() and ('PushPop', 'outer') in page.rows(), page.rows())
        equal(page.evaluate('model.lanes[0].rows.length'), 1, 'rows of the first lane')
        page.evaluate("document.querySelectorAll('#filters input')[3].focus()")
        page.key(' ')
        page.settle()
        equal(set(page.rows()), {('PushPop', 'outer'), ('Mark', 'a mark'), ('StartEnd', 'request')}, 'rows')
        equal(page.evaluate('model.lanes.map(l => l.label)'), ['made-up', 'process ranges'], 'lanes')
        page.key('2')
        page.settle()
        equal(page.evaluate("[...flame.root.children.values()].map(n => [n.name, n.self[0]])"), [['outer', 550_000]], 'flame graph')
        page.key('ArrowDown')
        page.evaluate('refresh()')  # as after a change of the time on the screen
        require('outer' in page.text('#live'), 'what is in focus is said', page.text('#live'))
        page.key('3')
        page.settle()
        tree = page.page('Accessibility.getFullAXTree')['nodes']
        heads, tabs = ([node['name']['value'] for node in tree if not node['ignored'] and node['role']['value'] == role] for role in ('columnheader', 'tab'))
        equal([tabs, [head for head in heads if head in page.text('#rows tr').split('\t')]], [['Flame graph', 'Table'], page.text('#rows tr').split('\t')], 'roles')
        equal(page.evaluate("document.querySelectorAll('#rows tr').length"), 4, 'rows')
        unnamed = [node for node in tree if not node['ignored'] and node['role']['value'] in ('button', 'checkbox', 'tab', 'searchbox')
                   and not node['name']['value']]
        equal(unnamed, [], 'all that can be pressed has a name')
        pdf = base64.b64decode(page.page('Page.printToPDF')['data'])
        require(len(pdf) > 5000, 'it can be printed')
    # Of very many domains some have no box of their own; "none" and "all" are for each of them.
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    thread = process.thread(1)
    for number in range(1, 502):
        process.domain(number, f'domain {number:03}')
        thread.mark(1000 * number, 'mark', domain=number)
    with Page(make_page(bench, recording.write(bench.here('domains.nvtxh')), name='domains.html')) as page:
        page.evaluate("$('filter').click()")
        equal(page.evaluate("[...document.querySelectorAll('#filters fieldset')].map(set => set.querySelectorAll('input').length)"), [400, 1], 'boxes')
        require('and 101 more' in page.text('#filters'), page.text('#filters')[-200:])
        for number, shown in (1, 0), (0, 501):
            page.evaluate(f"document.querySelectorAll('#filters button')[{number}].click()")
            equal((len(page.rows()), page.evaluate("[...document.querySelectorAll('#filters fieldset')][0].querySelectorAll('input:checked').length")),
                  (shown, min(shown, 400)), 'all and none')
        captions = [page.evaluate(f"({do}showTab('table'), document.querySelector('#rows caption').innerText)")
                    for do in ('', "document.querySelector('#filters input').click(), ", "$('search').value = 'domain 00', searchChanged(), ")]
        equal([caption.partition('.')[0] + '.' + ' The first 500 of 501' * ('The first 500 of 501: search' in caption) for caption in captions],
              ['Ranges, marks and counters by name: 501. The first 500 of 501', 'Ranges, marks and counters by name: 500.', 'Ranges, marks and counters by name: 8 of 500.'], captions)
        require('The first' not in captions[1], captions)


def case_page_merged(bench):
    """Of very many ranges, short ones are merged: the page says so, stays small, and totals are those of stats."""
    rec = bench.here('many.nvtxh')
    events = synthetic.write_many(rec, 3_000_000, names=8, depth=3, recursive=True)
    path = make_page(bench, rec)
    require(os.path.getsize(path) < 12 << 20, os.path.getsize(path))
    with Page(path) as page:
        require('merged' in page.text('#notices') and f'{events // 2:,}' in page.text('#notices'), page.text('#notices'))
        require(950_000 < page.evaluate('model.packs[0].n') < 1_250_000, 'entries', page.evaluate('model.packs[0].n'))
        require(page.evaluate('(p => p.count.every((n, i) => p.least[i] * n <= p.total[i] && p.total[i] <= p.most[i] * n))(model.packs[0])'),
                'the shortest and the longest of what is merged')
        check_rows(page.rows(), bench.table('stats', rec, '--csv'), 'all of it')
        busy = sum(int(row['Inclusive (ns)']) for row in bench.table('stats', rec, '--csv', '--by', 'thread'))
        for row in page.rows().values():
            require(abs(row['Share (%)'] - 100 * row['Inclusive (ns)'] / busy) < 1e-6, 'share', row, busy)
        half = page.evaluate('Math.round(model.end / 2)')
        whole, stats = page.rows([0, half * 3]), {(row['Style'], row['Range']): row for row in bench.table('stats', rec, '--csv')}
        for key, row in whole.items():
            columns = 'Instances', 'Total Time (ns)', 'Self (ns)', 'Inclusive (ns)'
            equal([row[column] for column in columns], [int(stats[key][column]) for column in columns], f'{key}: the sums of what is merged')
        both = [page.rows([0, half]), page.rows([half, half * 3])]
        for key, row in page.rows().items():
            parts = [part[key] for part in both]
            require(abs(sum(part['Instances'] for part in parts) - row['Instances']) <= 4, key)
            require(abs(sum(part['Total Time (ns)'] for part in parts) - row['Total Time (ns)']) <= 4000, key)


def case_view(bench):
    """nvtxh view: the page's name, what is refused, several recordings, and when the desktop is asked to open it."""
    rec, other = known(bench.here('one.nvtxh')), known(bench.here('two.nvtxh'))
    log = bench.here('opened')
    script = pathlib.Path(bench.here('bin'))
    script.mkdir()
    (script / 'xdg-open').write_text(f'#!/bin/sh\necho "$@" > {log}\n')
    (script / 'xdg-open').chmod(stat.S_IRWXU)
    plain = {k: v for k, v in os.environ.items() if k not in ('DISPLAY', 'WAYLAND_DISPLAY', 'SSH_CONNECTION')}
    plain['PATH'] = f'{script}:{plain["PATH"]}'

    def opened():
        for _ in range(10000):
            if os.path.exists(log):
                os.unlink(log)
                return True
            time.sleep(0.01)
        return False

    done = bench.run('view', rec, env=plain, status=None)
    if 'built without zlib' in done.stderr:
        skip('nvtxh was built without zlib')
    page = bench.here('one.html')
    require(done.stderr.startswith(f'nvtxh: wrote {page}, ') and 'browser' in done.stderr and not done.stdout and os.path.exists(page), done.stdout, done.stderr)
    require(not os.path.exists(log), 'without a desktop')
    require('--force' in bench.run('view', rec, env=plain, status=2).stderr, 'one that exists')
    bench.run('view', '-f', rec, env={**plain, 'DISPLAY': ':9'})
    require(opened(), 'with a desktop')
    for more, options in (({'SSH_CONNECTION': 'x'}, []), ({}, ['--no-open'])):
        bench.run('view', '-f', rec, *options, env={**plain, 'WAYLAND_DISPLAY': 'w', **more})
        time.sleep(0.1)
        require(not os.path.exists(log), more, options)
    os.link(rec, bench.here('plain'))
    require(f'wrote {bench.here("plain.html")}, ' in bench.run('view', '--no-open', bench.here('plain')).stderr, 'a name without .nvtxh')
    bench.run('view', status=2)
    require('are the same recording' in bench.run('view', rec, rec, '-o', bench.here('twice.html'), status=2).stderr, 'one recording twice')
    bench.run('view', bench.here('none.nvtxh'), status=1)
    bench.run('view', rec, other, '--no-open', '-o', bench.here('both.html'))
    bench.run('export', rec, '--format', 'html', '-o', bench.here('export.html'))
    folder = pathlib.Path(bench.here('ranks'))
    (folder / 'below').mkdir(parents=True)
    bench.run('view', folder, '--no-open', status=1)
    for number, name in enumerate(('rank-10.nvtxh', 'rank-9.nvtxh', 'below/other.nvtxh')):
        recording = synthetic.Recording(end=1_000_000)
        recording.process(pid=100 + number).thread(100 + number).ranges('work', [10])
        recording.write(folder / name)
    require(f'wrote {folder}/all.html, ' in bench.run('view', folder, '--no-open').stderr, 'the page of a directory')
    with Page(folder / 'all.html') as shown:
        equal(shown.evaluate('model.packs[0].head.processes.map(p => p.pid)'), [102, 101, 100], 'processes of the directory, in the order of names')
        equal(shown.evaluate('model.packs[0].head.name'), 'other.nvtxh and 2 more', 'the name')
    bench.run('view', folder / 'rank-9.nvtxh', folder / 'below', '--no-open', '-o', bench.here('order.html'))
    with Page(bench.here('order.html')) as shown:
        equal(shown.evaluate('model.packs[0].head.processes.map(p => p.pid)'), [101, 102], 'a file before a directory')
    size = os.path.getsize(page)
    require(size < 150_000, f'a page of 150 ranges: {size} bytes')
    equal(sorted(name for name in os.listdir(bench.directory) if name.endswith('.part')), [], 'left over')


def case_page_threads(bench):
    """Threads that share a stream, one after the other, have a track each."""
    recording = synthetic.Recording(end=1_000_000)
    stream = recording.process(pid=100).thread(100)
    for number, tid in enumerate((100, 200, 300, 200)):
        if number:
            stream.long(synthetic.THREAD, tid, b'', at=number * 1000)
        for i in range(tid // 100):
            stream.push(number * 1000 + 10 * i, 'work')
            stream.pop(number * 1000 + 10 * i + 5)
    with open(make_page(bench, recording.write(bench.here('shared.nvtxh')))) as f:
        packed = f.read().partition('class="pack">')[2].partition('</script>')[0]
    pack = zlib.decompress(base64.b64decode(packed))
    head = json.loads(pack[4:4 + struct.unpack_from('<I', pack)[0]])
    equal([(head['threads'][track['thread']]['tid'], track['count']) for track in head['tracks']], [(100, 1), (200, 4), (300, 3)], 'tracks')


def case_page_small(bench):
    """A page of 1,000 ranges is under 155 KB; its source has at most 3,170 lines of JavaScript and CSS. Twelve names get twelve colours."""
    recording = synthetic.Recording(end=1 << 40)
    stream = recording.process().thread(100)
    at = 0
    for i in range(1000):
        stream.push(at, f'range {i % 30}', payload=i * 7)
        at += 1000 + i * 7919 % 100_003
        stream.pop(at)
        at += 100 + i * 31 % 1009
    path = make_page(bench, recording.write(bench.here('small.nvtxh')))
    require(os.path.getsize(path) < 155_000, os.path.getsize(path))
    lines = sum(f.read_text().count('\n') for f in (ROOT / 'recorder' / 'page').iterdir() if f.suffix in ('.js', '.css'))
    require(lines <= 3170, f'{lines} lines')
    with Page(path) as page:
        equal(page.evaluate('new Set(model.packs[0].groups.slice(0, 12).map(group => group.rgb)).size'), 12, 'colours of the first 12 names')


def gpu_report(path):
    """A report of Nsight Systems: two threads launch five operations, on two streams of a GPU."""
    db = database.Database()  # times count from the start of the session
    main, worker, pid = database.global_tid(100, 100), database.global_tid(100, 101), database.global_pid(100)
    for tid, name, begin, end, color in ((main, 'forward', 10_000, 60_000, 0xff2060c0), (main, 'layer', 20_000, 30_000, 0xffc04020),
                                         (worker, 'load', 15_000, 25_000, 0xff20a040)):
        db.nvtx(database.PUSH_POP, tid, begin, end, text=name, color=color)
    calls = ((main, 22_000), (main, 40_000), (worker, 20_000), (main, 70_000), (main, 46_000))
    for number, (tid, at) in enumerate(calls, 1):
        db.call(tid, at, at + 500, number)
    for number, stream, begin, end in ((1, 7, 32_000, 40_000), (2, 7, 50_000, 58_000), (4, 7, 80_000, 85_000), (5, 7, 52_000, 55_000)):
        db.kernel(pid, begin, end, 0, stream, number, name=f'void kernel_{number}<float, Big<int>>(int)')
    db.operation('MEMCPY', pid, 26_000, 36_000, 0, 13, 3, bytes=4096, copyKind=1, srcKind=0, dstKind=2)
    db.write(path)
    return path


def case_page_gpu(bench):
    """Of a report of Nsight Systems, streams are below the threads; an operation has the colour of the range that launched it. A click on it draws an arrow
    from the launch, and one on a range those to its operations, also where operations of a stream overlap."""
    report = gpu_report(bench.here('report.sqlite'))
    if 'built without' in bench.run('stats', report, status=None).stderr:
        skip('nvtxh was built without SQLite')
    with Page(make_page(bench, report)) as page:
        labels = page.evaluate('model.lanes.map(lane => [lane.label, lane.detail])')
        equal([label for label, _ in labels], ['thread 100', 'thread 101', 'GPU 0, stream 7', 'GPU 0, stream 7 (2)', 'GPU 0, stream 13'], labels)
        equal([detail for _, detail in labels[2:]], [False] * 3, labels)
        said = [bench.run('stats', *option, report, env={'LC_ALL': 'C.UTF-8', 'COLUMNS': '400'}).stdout.partition('\nFindings:\n')[2] for option in ([], ['--gpu'])]
        equal(sorted(page.text('#findings').splitlines()), sorted(line.strip() for lines in said for line in lines.splitlines()), 'findings')
        require(all(said), 'of the host and of the GPU', said)
        # Names of kernels are short, but for tooltips and details.
        whole = "void kernel_1<float, Big<int>>(int)"
        page.evaluate("show(8000, 88000)")
        equal(page.evaluate(f"""(e => [messageOf(model.packs[0], e), tipLines(model.packs[0], e)[0], details(model.packs[0], e).querySelector('h2').textContent])
            (model.packs[0].path.findIndex((_, e) => groupOf(model.packs[0], e).text === {json.dumps(whole)}))"""), ['kernel_1<float, Big<>>', f'GPU:{whole}', f'GPU:{whole}'], 'a kernel')
        page.evaluate("showTab('table')")
        cells = page.evaluate("[...document.querySelectorAll('#rows tbody td:first-child button')].map(button => [button.innerText, button.title])")
        require(['GPU:kernel_1<float, Big<>>', f'Find it: GPU:{whole}'] in cells, cells)
        page.evaluate("showTab('flame')")
        equal(page.evaluate("[...flame.root.children.values()].filter(node => node.name.includes('kernel_1')).map(node => [node.short, node.name])"),
              [['kernel_1<float, Big<>>', f'GPU:{whole}']], 'the flame graph')
        for text in ('kernel_1<float, Big<>>', 'kernel_1<float, Big<int>>'):  # the short form and the whole name are found
            found = page.evaluate(f"($('search').value = {json.dumps(text)}, showTab('flame'), searchChanged(), [search.hits, [...flame.root.children.values()].filter(flameMatches).length])")
            equal(found + [page.evaluate("(showTab('table'), document.querySelectorAll('#rows tbody tr').length)")], [1, 1, 1], text)
        page.evaluate("($('search').value = '', searchChanged())")
        page.evaluate("showTab('timeline')")
        page.evaluate("(setTheme('light'), show(8000, 88000))")

        def point(lane, row, at):
            return page.evaluate(f'[xOf({at}), RULER + model.lanes[{lane}].top - lanesBox.scrollTop + 4 + ({row} + .5) * ROW]')

        def color(x, y):
            return page.evaluate(f"""(() => {{ draw(); const copy = make('canvas', '', {{ width: 1, height: 1 }}), context = copy.getContext('2d');
                context.drawImage(canvas, -{round(x)}, -{round(y)}); return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3); }})()""")

        blue, red, green = [0x20, 0x60, 0xc0], [0xc0, 0x40, 0x20], [0x20, 0xa0, 0x40]
        for lane, begin, end, wanted in ((2, 32_000, 40_000, red), (2, 50_000, 58_000, blue), (4, 26_000, 36_000, green), (3, 52_000, 55_000, blue)):
            x, y = point(lane, 0, end)
            equal(color(x - 6, y - 7), wanted, f'the colour of the operation at {begin}')
        require(color(*point(2, 0, 84_500)) not in (blue, red, green), 'an operation that was launched in no range')
        left, top = page.evaluate('(box => [box.left, box.top])(canvas.getBoundingClientRect())')

        def is_arrow(x, y):
            return all(abs(a - b) <= 3 for a, b in zip(color(x, y), [0x15, 0x65, 0xc0]))

        def click(lane, row, at):
            page.key('Escape')
            x, y = point(lane, row, at)
            page.click(left + x, top + y)

        launches = {'layer': (0, 1, 22_000), 'forward': (0, 0, 40_000), 'load': (1, 0, 20_000), '': (0, 0, 70_000), 'beside': (0, 0, 46_000)}
        for name, lane, begin, said in (('layer', 2, 32_000, '10.00 µs before, by thread 100'), ('forward', 2, 50_000, 'forward'), ('load', 4, 26_000, 'by thread 101'),
                                        ('', 2, 80_000, '10.00 µs before'), ('beside', 3, 52_000, 'forward')):
            click(lane, 0, begin + 1_000)
            require(said in page.text('#details') and ('Launched in' in page.text('#details')) == bool(name), page.text('#details'))
            equal([each for each, place in launches.items() if is_arrow(*point(*place))], [name], f'launches with an arrow, {begin}')
            x, y = point(lane, 0, begin)
            require(is_arrow(x - 4, y), f'the point of the arrow, {begin}')
        click(0, 0, 12_000)
        equal([each for each, place in launches.items() if is_arrow(*point(*place))], ['layer', 'forward', 'beside'], 'arrows of forward')
        click(0, 1, 21_000)
        equal([each for each, place in launches.items() if is_arrow(*point(*place))], ['layer'], 'arrows of layer')


def case_page_crossed(bench):
    """An arrow begins in the box of the range that launched the operation, also where ranges of other domains overlap it. A range has launched what was
    launched between its beginning and its end."""
    draw, found = random.Random(9), 0
    tid, pid = database.global_tid(100, 100), database.global_pid(100)
    for number in range(2):
        db, ranges, times = database.Database(), [], draw.sample(range(1, 999), 120)
        for domain in range(3):
            mine, still_open = sorted(times[30 * domain:30 * domain + 30]), []
            for left, at in zip(range(30, 0, -1), mine):
                if still_open and (len(still_open) == left or draw.random() < .5):
                    name, begin = still_open.pop()
                    ranges.append((name, begin, at))
                    db.nvtx(database.PUSH_POP, tid, 1000 * begin, 1000 * at, text=name, domainId=domain)
                else:
                    still_open.append((f'range {at}', at))
        wanted = {}
        for at in times[90:] + [begin for _, begin, _ in draw.sample(ranges, 5)]:
            around = [(begin, name) for name, begin, end in ranges if begin <= at < end]
            if around:
                wanted[1000 * at] = [max(around)[1]]
                db.call(tid, 1000 * at, 1000 * at + 500, at)
                db.kernel(pid, 2_000_000 + 1000 * at, 2_000_500 + 1000 * at, 0, 7, at, name=f'kernel{at}')
        path = bench.here(f'crossed{number}.sqlite')
        db.write(path)
        if 'built without' in bench.run('stats', path, status=None).stderr:
            skip('nvtxh was built without SQLite')
        with Page(make_page(bench, path)) as page:
            # What is drawn where each arrow begins, by the entries of the row that is there, when the lane shows all its rows.
            page.evaluate('model.lanes.filter(lane => lane.rows?.length > MOST_LANE_ROWS).forEach(fold)')
            begins = page.evaluate("""[...model.packs[0].launch].flatMap((at, e) => {
                if (!(at >= -Infinity)) return [];
                const pack = model.packs[0], lane = laneOf(pack, pack.launcher[e]), [[x, y]] = arrowOf(pack, e);
                const row = lane.rows[Math.floor((y - rowTop(lane, 0)) / ROW)] ?? [];
                return [[at, [...row].filter(each => pack.start[each] <= at && at < pack.start[each] + pack.length[each]).map(each => groupOf(pack, each).text)]];
            })""")
            launched = dict(page.evaluate("""[...model.packs[0].path].flatMap((_, e) => groupOf(model.packs[0], e).domain === 'GPU' ? []
                : [[groupOf(model.packs[0], e).text, operationsOf(model.packs[0], e, 999).map(i => model.packs[0].launch[i])]])"""))
        equal({name: sorted(times) for name, times in launched.items()}, {name: [at for at in sorted(wanted) if 1000 * begin <= at < 1000 * end] for name, begin, end in ranges},
              f'what ranges have launched, {number}')
        equal(sorted(begins), [[at, names] for at, names in sorted(wanted.items())], f'where arrows begin, {number}')
        found += len(begins)
    require(found > 30, found)


def case_page_order(bench):
    """Main threads come first, ranks in the order of numbers; a click on a process hides its lanes, and a jump shows them again; an arrow
    leads from the thread on which a process range began to the one on which it ended."""
    recording = synthetic.Recording(end=1_000_000)
    for number, rank in enumerate((0, 1, 10, 100, 2)):
        process = recording.process(pid=1000 + rank)
        process.number = number
        process.rank(rank, world=101)
        worker, main = process.thread(5000 + rank), process.thread(1000 + rank)
        worker.ranges('work', [100], at=1000)
        main.ranges('main', [100], at=2000)
        main.start(300_000, 7, 'handed over')
        worker.end(700_000, 7)
    with Page(make_page(bench, recording.write(bench.here('order.nvtxh')))) as page:
        labels = page.evaluate('model.lanes.map(l => l.style === -1 ? l.label : l.detail || "")')
        wanted = [text for rank in (0, 1, 2, 10, 100) for text in (f'thread {1000 + rank}', f'thread {5000 + rank}', '')]
        equal([label for label in labels if not label.startswith('▾')], wanted, 'lanes')
        equal([int(label.split()[-1]) for label in labels if label.startswith('▾')], [0, 1, 2, 10, 100], 'ranks')
        page.settle()
        x, y = page.evaluate('(box => [box.left + 50, box.top + RULER + 10])(canvas.getBoundingClientRect())')
        page.click(x, y)
        equal(page.evaluate('model.lanes.length'), len(labels) - 3, 'one process is hidden')
        page.evaluate('select(model.packs[0], 0, true)')
        equal(page.evaluate('model.lanes.length'), len(labels), 'the jump shows it')
        page.evaluate('select(null, -1)')
        page.key('c')
        equal(page.evaluate('model.lanes.length'), 5, 'all processes are hidden')
        page.key('c')
        equal(page.evaluate('model.lanes.length'), len(labels), 'and shown')
        page.evaluate("(lanesBox.scrollTop = 0, fitAll())")
        page.settle()
        blue = """(() => { draw(); const data = canvas.getContext('2d').getImageData(LABELS + 1, RULER + 24, canvas.width - LABELS - 1, 54).data, c = view.colors.accent;
            let n = 0; for (let i = 0; i < data.length; i += 4) n += [1, 3, 5].every((at, k) => data[i + k] === parseInt(c.slice(at, at + 2), 16)); return n; })()"""
        page.click(*page.place(1, 0, 500_000))
        require('to ' in page.text('#details'), page.text('#details'))
        after = page.evaluate('(lanesBox.scrollTop = 0, %s)' % blue)
        require(after > 300, 'the arrow, in the lanes of the threads', after)


def case_page_address(bench):
    """A link to a saved page opens where it was copied: time, selected time, selected range, tab and search."""
    path = make_page(bench, known(bench.here('known.nvtxh')))
    state = "[view.from, view.to, view.selection, view.selected, shownTab(), $('search').value].map(String)"
    with Page(path) as page:
        time.sleep(0.4)
        equal(page.evaluate('location.hash'), '', 'nothing was done')
        page.key('/')
        page.type('step 4')
        page.key('Enter')
        page.evaluate('document.activeElement.blur()')
        x, y = page.place(0, 0, page.evaluate('(view.from + view.to) / 2'))
        page.drag([(x, y), (x + 20, y), (x + 90, y)], modifiers=8)
        page.key('2')
        page.settled("location.hash.includes('tab=flame')")
        wanted, address = page.evaluate(state), page.evaluate('location.hash')
        require('null' not in wanted and wanted[4:] == ['flame', 'step 4'] and wanted[3] != '-1', wanted, address)
        page.evaluate("(location.hash = '#t=300000..400000&tab=table&q=inner', new Promise(r => setTimeout(r, 100)))")
        equal(page.evaluate(state), ['300000', '400000', 'null', '-1', 'table', 'inner'], 'an address that is typed')
        entries = page.evaluate('model.packs[0].n')
        for bad in ('#t=1..&e=A99999999', '#t=x..y&s=5..1&e=Z9&tab=<b>&q=', f'#e=A{entries}', f'#e=B{entries - 1}', '#%E0%A4%A'):
            page.evaluate(f"(location.hash = {json.dumps(bad)}, new Promise(r => setTimeout(r, 50)))")
            equal(page.evaluate(state)[2:], ['null', '-1', 'table', ''], bad)
    with Page(make_page(bench, bench.here('known.nvtxh'), '--against', bench.here('known.nvtxh'), name='two.html')) as page:  # it opens on the table
        for link, tab in ('#s=100000..400000', 'table'), ('#tab=flame&e=B3', 'flame'), ('#e=A2', 'table'), ('#tab=timeline', 'timeline'):
            page.evaluate(f"(location.hash = '{link}', new Promise(r => setTimeout(r, 50)))")
            equal(page.evaluate('[shownTab()]'), [tab], link)
            equal(page.evaluate("view.selectedPack ? view.selectedPack.letter + view.selected : ''"), ''.join(re.findall('e=(.*)', link)), link)
            page.evaluate('writeAddress()')
            equal('tab=' in page.evaluate('location.hash'), tab != 'table', 'the tab is in the address if it is another one')
    for is_late in False, True:
        with Browser() as page:
            if is_late:  # the first frame, as in a page that is opened behind others
                page.page('Page.addScriptToEvaluateOnNewDocument', source='window.requestAnimationFrame = f => setTimeout(f, 500)')
            page.open(pathlib.Path(path).as_uri() + address)
            page.settled("typeof model === 'object' && model.packs.length && address.first")
            got = page.evaluate(state)
            equal([round(float(n)) for n in got[:2]], [round(float(n)) for n in wanted[:2]], 'time')
            equal(got[2:], wanted[2:], 'the rest')


def case_page_readers(bench):
    """Tabs and the divider are reached by keys; what is on the screen is a table in the document; print has the picture and the table, and no buttons."""
    with Page(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        page.evaluate("$('tab-table').focus()")
        for key, tab in (('ArrowRight', 'flame'), ('ArrowRight', 'table'), ('Home', 'flame'), ('End', 'table'), ('ArrowLeft', 'flame'), ('ArrowLeft', 'table')):
            page.key(key)
            equal(page.evaluate('[document.activeElement.id, shownTab()]'), ['tab-' + tab, tab], key)
        equal(page.evaluate("document.querySelectorAll('[role=tab][tabindex=\"-1\"]:not([hidden])').length"), 1, 'one tab is in the order of Tab')
        page.evaluate('show(100000, 900000)')
        page.settled("/100.0 µs to 900/.test($('seen').textContent)")
        rows = page.evaluate("[...document.querySelectorAll('#seen tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
        for row in (['made-up', 'outer', '100.000 µs', '800.0 µs'], ['made-up', 'train:inner', '200.000 µs', '200.0 µs'], ['process ranges ', 'request', '50.000 µs', '650.0 µs']):
            require(row in rows, row, rows[:8])
        equal([row for row in rows if row[3] == 'a mark'], [['made-up', 'a mark', '250.000 µs', 'a mark']], 'marks')
        page.evaluate('show(300000, 900000)')
        page.settled("/300.0 µs to 900/.test($('seen').textContent)")
        require("a mark" not in page.evaluate("$('seen').textContent.split('counters')[1]"), 'a mark that is not on the screen')
        page.key('?')
        equal(page.evaluate("[$('keys').scrollTop, document.activeElement.innerText]"), [0, 'Close'], 'the list of keys begins at its top')
        page.key('Enter')
        equal(page.evaluate("$('keys').open"), False, 'closed')
        page.key('3')
        page.page('Emulation.setEmulatedMedia', media='print')
        page.evaluate("window.dispatchEvent(new Event('beforeprint'))")
        page.settle()
        seen = page.evaluate("""Object.fromEntries(['canvas', 'rows', 'title', 'search', 'tab-table', 'minimap', 'theme', 'filter', 'scope'].map(id =>
            [id, (r => r.width > 0 && r.height > 20 || id === 'title' && r.width > 0)($(id).getBoundingClientRect())]))""")
        equal({name for name, is_seen in seen.items() if is_seen}, {'canvas', 'rows', 'title'}, 'in print')
        equal(page.evaluate("""(document.body.style.width = '600px',
            [getComputedStyle(document.querySelector('.swatch')).webkitPrintColorAdjust, canvas.clientWidth, lanesBox.clientHeight - canvas.clientHeight])"""),
              ['exact', 600, 0], 'colours, and no space below the lanes, on a narrow paper')
        require('outer' in page.text('#rows'), page.text('#rows'))
        page.evaluate("window.dispatchEvent(new Event('afterprint'))")
        page.page('Emulation.setEmulatedMedia', media='')
        equal(page.evaluate('[shownTab()]'), ['table'], 'after print')
        require(len(page.page('Page.printToPDF')['data']) > 20_000, 'a PDF')


def case_page_words(bench):
    """Labels keep the end of a qualified name; letters have a contrast of 4.5 : 1; changes that are too small to show have no sign and no colour."""
    def made(name, step):
        thread, at = (recording := synthetic.Recording(end=10_000_000)).process().thread(100), 0
        for text, length in ('ns::Class<a::b>::function', 100_000), ('small', 1_000_000 + step), ('tiny', 10_000_000 - step), ('large', 1000 * (1 + step)):
            at = thread.ranges(text, [length], at=at)
        return recording.write(bench.here(name + '.nvtxh'))
    before, after = made('a', 0), made('b', 1000)
    with Page(make_page(bench, after, '--against', before)) as page:
        fitted = page.evaluate("""['ns::Class<a::b>::function', 'torch.nn.Linear', 'no quality: a.b', 'x::averylongname'].map(name =>
            [30, 65, 110, 500].map(room => fit(canvas.getContext('2d'), name, room)))""")
        for name, texts in zip(('ns::Class<a::b>::function', 'torch.nn.Linear'), fitted):
            require(texts[1].lstrip('…') == name.replace('::', '.').split('.')[-1] and texts[3] == name, 'the end of a name', texts)
        require(re.fullmatch('no qu.*…', fitted[2][1]) and re.fullmatch('avery.*…', fitted[3][1]), 'the beginning of the last part', fitted)

        def contrast(a, b):
            light = [sum(w * (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4) for w, c in
                         zip((0.2126, 0.7152, 0.0722), (int(color[i:i + 2], 16) / 255 for i in (1, 3, 5)))) for color in (a, b)]
            return (max(light) + 0.05) / (min(light) + 0.05)
        colors = page.evaluate('[...PALETTE, ...Array(1000).fill(0).map((_, i) => i * 16777)].map(rgb => [css(rgb), ink(rgb)])')
        equal([pair for pair in colors if contrast(*pair) < 4.5], [], 'contrast of letters')
        lengths = [int(10 ** (i / 60)) for i in range(720)] + [figure * 10 ** power for figure in (9994, 9996, 99994, 99996) for power in range(6)]
        for ns, text in zip(lengths, page.evaluate(f'{lengths}.map(ns => duration(ns))')):
            number, unit = text.split()
            scale = dict(zip(('ns', 'µs', 'ms', 's'), (1, 1e3, 1e6, 1e9)))[unit]
            require(abs(float(number) * scale - ns) <= 0.005 * ns and (float(number) < 1000 or unit == 's'), 'three digits', ns, text)
        # Times that are a step apart look different, with no more decimals than that takes.
        moments = [(step * number, step) for step in lengths[::7] + [1, 2, 5, 10, 20, 50, 10**5, 2 * 10**8] for number in (0, 1, 3, 999)]
        for (ns, step), text in zip(moments, page.evaluate(f'{json.dumps(moments)}.map(([ns, step]) => moment(ns, step))')):
            number, unit = text.split()
            scale, decimals = dict(zip(('ns', 'µs', 'ms', 's'), (1, 1e3, 1e6, 1e9)))[unit], len(number.partition('.')[2])
            digit = scale / 10**decimals
            require(abs(float(number) * scale - ns) <= .501 * digit and (digit <= step * 1.001 or decimals == 9) and (not decimals or 10 * digit > step * .999), 'a time', ns, step, text)
            require(max(ns, step) >= scale and (unit == 's' or max(ns, step) < 1000 * scale), 'the unit', ns, step, text)
        page.key('3')
        rows = page.evaluate("""Object.fromEntries([...document.querySelectorAll('#rows tbody tr')].map(row =>
            [row.cells[0].innerText, [1, 2].map(i => [row.cells[i].innerText, row.cells[i].className])]))""")
        equal(rows['small'], [['+1.00 µs', ''], ['+0.1', '']], 'a change of 0.1 %')
        equal(rows['tiny'], [['-1.00 µs', ''], ['0.0', '']], 'a change of -0.01 %')
        equal(rows['large'], [['+1.00 ms', 'worse'], ['+100000.0', 'worse']], 'a large change')
        equal(rows['ns::Class<a::b>::function'], [['0 ns', ''], ['0.0', '']], 'no change')


def with_units(path):
    """A counter of jobs, one of shares, and one without a unit."""
    recording = synthetic.Recording(end=1_000_000)
    process = recording.process()
    thread = process.thread(100)
    for number, name, unit in ((1, b'queue', b'jobs'), (2, b'share', b'%'), (3, b'plain', b'')):
        process.names.long(28, 0, struct.pack('<3Q2I', number, 2, 0, len(name), len(unit)) + name + unit)
    for at, value in (1000, 7), (2000, 12345), (3000, 9):
        thread.add(at, synthetic.COUNT, [1, value], flags=2 << 5)
    thread.add(4000, synthetic.COUNT, [2, struct.unpack('<Q', struct.pack('<d', 0.0625))[0]], flags=3 << 5)
    thread.add(5000, synthetic.COUNT, [3, 1], flags=2 << 5)
    return recording.write(path)


def chunks_of(path):
    """{(process, stream): chunks in their order, each (tid, number, begin, events lost after it, whether it is in a ring)} of a recording whose ticks are ns."""
    streams = {}
    with open(path, 'rb') as f:
        data = f.read()
    at = synthetic.ALIGN
    while at < len(data):
        size, process, stream, tid, number = struct.unpack_from('<5I', data, at + 4)
        begin, = struct.unpack_from('<Q', data, at + 40)
        dropped, flags = struct.unpack_from('<QQ', data, at + 72)
        streams.setdefault((process, stream), []).append((tid, number, begin - 5_000_000_000, dropped, flags & 1))
        at += size
    return streams


def gaps_of(chunks, tid):
    """When what a ring has kept of a thread begins, where chunks are missing before."""
    return [chunk[2] for chunk, before in zip(chunks, [None, *chunks]) if chunk[0] == tid and chunk[4] and chunk[1] != (before[1] + 1 if before else 0)]


def case_page_holes_drawn(bench):
    """When nothing was recorded, after which time events were lost and until when a ring was overwritten, by thread."""
    seen = collections.Counter()
    drawn_ones = {seed: drawn.Drawn(random.Random(seed), size=120, clock=1) for seed in range(40)}
    written = {seed: one.write(bench.here(f'holes-{seed}.nvtxh')) for seed, one in drawn_ones.items()}

    def gates_in(seed):
        return sum(len(process.gates) for process in drawn_ones[seed].processes)

    def gaps_in(seed):
        return sum(len(gaps_of(chunks, chunk[0])) for chunks in chunks_of(written[seed]).values() for chunk in chunks)

    for seed in sorted(drawn_ones, key=gates_in)[-2:] + sorted(drawn_ones, key=gaps_in)[-2:]:
        one, rec = drawn_ones[seed], written[seed]
        wanted = collections.defaultdict(list)  # (process, tid): the losses and gaps of its streams
        for (process, stream), chunks in chunks_of(rec).items():
            for tid in {chunk[0] for chunk in chunks} if stream else ():
                losses = [[following[2] if following else None, chunk[3]] for chunk, following in zip(chunks, [*chunks[1:], None]) if chunk[0] == tid and chunk[3]]
                wanted[process, tid].append((losses, gaps_of(chunks, tid)))
        with Page(make_page(bench, rec, name=f'holes-{seed}.html')) as page:
            tracks, processes = page.evaluate("""(({tracks, processes, threads}) =>
                [tracks.filter(t => t.losses).map(t => [t.process, threads[t.thread].tid, t.losses, t.gaps]), processes.map(p => p.gates)])(model.packs[0].head)""")
        for process, tid, losses, gaps in tracks:
            same = [a for a, b in wanted[process, tid] or [([], [])]  # it may have begun no chunk
                    if b == gaps and len(a) == len(losses) and all(count == n and at in (None, t) for (at, count), (t, n) in zip(a, losses))]
            require(same, f'seed {seed}: thread {tid} of {process}', losses, gaps, wanted[process, tid])
            seen.update(losses=len(losses), gaps=len(gaps))
        for process, gates in zip(one.processes, processes):
            shut = [] if not process.gates or not process.gates[0][1] else [[0, process.gates[0][0]]]
            for (at, is_open), following in zip(process.gates, [*process.gates[1:], None]):
                shut += [[at, following[0] if following else None]] if not is_open else []
            require(len(shut) == len(gates) and all(a == c and (b == d or b is None and d > c - 1) for (a, b), (c, d) in zip(shut, gates)), f'seed {seed}: gates', shut, gates)
            seen.update(gates=len(gates))
    require(min(seen[kind] for kind in ('losses', 'gaps', 'gates')) > 2, 'all kinds', seen)


def case_page_resources(bench):
    """Names of streams, events and the like stand on the page, in Perfetto's traces and in SQLite."""
    recording = synthetic.Recording(end=1_000_000)
    process = recording.process()
    process.thread(100).ranges('work', [1000])
    wanted = [('CUDA stream', 0x7f0012345678, 'copies <b>'), ('CUDA event', 0x10, 'done'), ('CUDA device', 1, 'first'), ('CUDA stream', 0x20, 'driver'),
              ('OpenCL queue', 0x30, 'q'), ('resource', 0x40, 'registered'), ('resource', 0x50, 'of an unknown type'), ('resource', 0x60, '')]
    process.names.long(19, 5, b'registered')
    for number, (kind, (_, identifier, name)) in enumerate(zip((5 << 16 | 1, 5 << 16 | 2, 5 << 16, 4 << 16 | 3, 6 << 16 | 3, 1, 77 << 16 | 9, 5 << 16 | 9),
                                                               wanted), 1):
        registered = 5 | 1 << 31 if name == 'registered' else 0
        process.names.long(23, number, struct.pack('<QII', identifier, kind, registered) + (b'' if registered else name.encode()), at=1000 * number)
    rec = recording.write(bench.here('resources.nvtxh'))
    lines = [f'{kind} {identifier:#x}: {name}' for kind, identifier, name in wanted]
    if not bench.run('export', rec, '--format', 'sqlite', '-o', bench.here('r.sqlite'), status=None).returncode:
        db = sqlite3.connect(bench.here('r.sqlite'))
        equal(db.execute('SELECT type, identifier, name, globalPid >> 24 & 0xffffff, timestamp FROM NVTXH_RESOURCES ORDER BY rowid').fetchall(),
              [(*row, 100, 1000 * number) for number, row in enumerate(wanted, 1)], 'SQLite')
        db.close()
    if not bench.run('export', rec, '--format', 'perfetto', '-o', bench.here('r.pftrace'), status=None).returncode:
        with open(bench.here('r.pftrace'), 'rb') as f:
            packets = [dict(reference_model.fields(packet)) for _, packet in reference_model.fields(f.read())]
        events = [(dict(reference_model.fields(packet.get(11, b''))), packet.get(8)) for packet in packets]
        equal([(event[23].decode(), at) for event, at in events if 23 in event], [(line, 1000 * number) for number, line in enumerate(lines, 1)], 'Perfetto')
    with Page(make_page(bench, rec)) as page:
        shown = page.evaluate("[...document.querySelectorAll('#notices p')].map(p => p.textContent)")
        equal([line for line in shown if ' 0x' in line], lines, 'the page')


def case_page_lanes(bench):
    """A mark in the lane of a scope says the scope in its details."""
    recording = synthetic.Recording(end=1_000_000)
    process = recording.process()
    thread = process.thread(100)
    thread.ranges('work', [1000])
    for number, lane in enumerate((b'first lane', b'second lane'), 1):
        process.names.long(synthetic.SCOPE, 0, struct.pack('<QQ', number, 0) + lane)
        thread.long(synthetic.EXTENDED, 1, struct.pack('<4Q', 70, 0, 8, number), at=5000 * number)
        thread.mark(5000 * number, f'mark {number}')
    with Page(make_page(bench, recording.write(bench.here('lanes.nvtxh')))) as page:
        shown = page.evaluate("""[...model.packs[0].flags].map((_, e) => (select(model.packs[0], e),
            [messageOf(model.packs[0], e), [...document.querySelectorAll('#details dt')].find(dt => dt.textContent === 'Thread').nextSibling.textContent]))""")
        equal([thread for message, thread in sorted(shown) if 'mark' in message], ['first lane', 'second lane'], shown)


def case_page_units(bench):
    """Units of counters stand in reports for people, in Perfetto's traces and in SQLite; integers are printed as such."""
    rec = with_units(bench.here('units.nvtxh'))
    lines = [line.split() for line in bench.run('stats', rec).stdout.partition('\n\nFindings:')[0].splitlines()]
    equal(lines, ['Counter Unit Count Avg Min Max Last'.split(), 'queue jobs 3 4,120.333 7 12,345 9'.split(),
                  'share % 1 0.0625 0.0625 0.0625 0.0625'.split(), 'plain 1 1 1 1 1'.split()], 'stats')
    if not bench.run('export', rec, '--format', 'sqlite', '-o', bench.here('u.sqlite'), status=None).returncode:
        db = sqlite3.connect(bench.here('u.sqlite'))
        equal(db.execute('SELECT DISTINCT name, unit FROM NVTXH_COUNTERS').fetchall(),
              [('queue', 'jobs'), ('share', '%'), ('plain', None)], 'SQLite')
        db.close()
    if not bench.run('export', rec, '--format', 'perfetto', '-o', bench.here('u.pftrace'), status=None).returncode:
        with open(bench.here('u.pftrace'), 'rb') as f:
            tracks = [dict(reference_model.fields(dict(reference_model.fields(packet)).get(60, b''))) for number, packet in reference_model.fields(f.read())]
        named = {track[2]: dict(reference_model.fields(track[8])).get(6) for track in tracks if 8 in track}
        equal(named, {b'queue': b'jobs', b'share': b'%', b'plain': None}, 'Perfetto')
    with Page(make_page(bench, rec)) as page:
        equal(page.evaluate('model.lanes.filter(lane => lane.style === COUNTER).map(lane => lane.label)'),
              ['queue (jobs)', 'share (%)', 'plain'], 'labels')
        for window, values in (((900, 3500), ['7 to 12,345 jobs']), ((2100, 2900), ['12,345 jobs']), ((3100, 5100), ['9 jobs', '0.0625 %', '1'])):
            page.evaluate(f'(show{window}, new Promise(r => setTimeout(r, 500)))')
            seen = page.evaluate("[...document.querySelectorAll('#seen tbody tr')].map(row => [...row.cells].map(cell => cell.textContent))")
            equal([(row[0], row[3]) for row in seen], list(zip(('queue (jobs)', 'share (%)', 'plain'), values)), f'the table for screen readers, {window}')
        equal(page.evaluate('[0, 1, 2, 3, 4].map(e => tipLines(model.packs[0], e)[1])'),
              ['value 7 jobs', 'value 12,345 jobs', 'value 9 jobs', 'value 0.0625 %', 'value 1'], 'tips')
        rows = page.evaluate("summarize(model.packs[0], null).map(row => COLUMNS.slice(0, 6).map(([key]) => cellText(row, key)))")
        equal(rows, [['', '', '', '3', '4,120.33 jobs', '12,345 jobs'], ['', '', '', '1', '0.0625 %', '0.0625 %'], ['', '', '', '1', '1', '1']], 'the table')


def case_page_opens(bench):
    """The page opens on events; a jump does not go before the first; what is clicked is not under the panel; the pointer has a line and a time,
    and a counter's pixel its lowest and highest value."""
    recording = synthetic.Recording(end=1_000_000_000)
    process = recording.process()
    thread = process.thread(100)
    for number in range(1, 30):
        name = f'counter {number}'.encode()
        process.names.long(28, 0, struct.pack('<3Q2I', number, 2, 0, len(name), 0) + name)
    thread.ranges('first', [1000], at=970_000_000)
    values = [i * 7919 % 1000 for i in range(5000)]
    for i, value in enumerate(values):
        for number in range(1, 30) if i < 2 else (29,):
            thread.add(980_000_000 + i * 1000, synthetic.COUNT, [number, value], flags=2 << 5)
    thread.ranges('work', [900], at=998_000_000)
    with Page(make_page(bench, recording.write(bench.here('opens.nvtxh')))) as page:
        start, end = page.evaluate('[view.from, view.to]')
        require(965e6 < start < 970e6 and 998e6 < end < 1e9, 'opens on events', start, end)
        page.evaluate('show(0, 1e9)')
        require(page.evaluate('view.from') < 1e6, 'the whole can be seen')
        page.evaluate('show(0, 9e8)')
        page.key('/')
        page.type('first')
        page.key('Enter')
        page.settle()
        require(page.evaluate('view.from >= 969e6 && xOf(970e6) > LABELS'), 'the jump', page.evaluate('[view.from, view.to]'))
        page.evaluate('show(-1e9, -9e8)')
        require(page.evaluate('view.from > -6e6'), 'before the beginning', page.evaluate('view.from'))
        page.key('Escape')
        page.evaluate('(select(null, -1), show(970e6, 1e9), lanesBox.scrollTop = 1e9)')
        page.settle()
        equal(page.text('#live'), '', 'nothing is selected')
        x, y = page.evaluate("""(() => { const lane = model.lanes.at(-1), box = canvas.getBoundingClientRect();
            return [Math.round(box.left + xOf(983e6)), Math.round(box.top + RULER + lane.top - lanesBox.scrollTop + 20)]; })()""")
        page.mouse('Moved', x, y)
        low, high = (round(v) for v in page.evaluate('[timeOf(%d - canvas.getBoundingClientRect().left - .5), timeOf(%d - canvas.getBoundingClientRect().left + .5)]' % (x, x)))
        here = [v for i, v in enumerate(values) if low < 980_000_000 + i * 1000 <= high]
        require(f'{len(here)} samples here, {min(here)} to {max(here)}' in page.text('#tip'), page.text('#tip'), here)
        line = page.evaluate("(r => [r.left, r.height])($('pointer').getBoundingClientRect())")
        require(abs(line[0] - x) <= 1 and line[1] > 300 and page.text('#pointer').startswith('98'), 'the line', line, page.text('#pointer'))
        page.click(x, y)
        require('Value' in page.text('#details') and page.text('#live'), page.text('#details'))
        lane = page.evaluate("(l => RULER + l.top - lanesBox.scrollTop + l.height - lanesBox.clientHeight)(model.lanes.at(-1))")
        require(lane <= 0, 'not under the panel', lane)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
