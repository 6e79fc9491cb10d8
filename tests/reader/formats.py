#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every format of `export` says what was recorded: recordings are drawn at random (drawn.py), expected_spans.py computes what is in them without
the recorder's code, and each export is read by its format's own library.
"""
import base64
import collections
import contextlib
import csv
import datetime
import io
import json
import math
import random
import re
import shutil
import sqlite3
import struct
import zlib

from harness import driver
from harness.checks import BUILD, equal, module, optional, perfetto_trace, require, same
from harness.draws import SEED, seeds
import drawn
import expected_spans
from engine import merged, numbers

TYPES = ['', 'uint64', 'int64', 'double', 'uint32', 'int32', 'float']
STYLES = ['PushPop', 'StartEnd', 'Mark', 'Counter']


def digits(number):
    """As the exports write numbers: a real with as few digits as say it, but six or more."""
    if isinstance(number, int):
        return str(number)
    return next(text for text in (f'{number:.{n}g}' for n in range(6, 18)) if float(text) == number)


def payload(span):
    """As text."""
    if span.style == 'Counter':
        return digits(span.payload)
    return digits(span.payload[1]) if span.payload else ''


class Event:
    """A span, and the words with which exports show it."""

    def __init__(self, process, span, several, again, shift):
        self.span, self.process, self.own, self.parts = span, process.drawn, span.own, (process, several, again, shift)
        self.start, self.end, self.style, self.tid, self.end_tid = span.start + shift, span.end + shift, span.style, span.tid, span.end_tid or span.tid
        self.domain, self.text, self.shown = drawn.DOMAINS[span.domain], span.text or '', span.text or '(no message)'
        self.name = f'{self.domain}:{self.shown}' if self.domain else self.shown
        self.category = span.category
        self.category_name = drawn.CATEGORIES.get((span.domain, span.category), '')
        self.color = '' if span.color is None else f'#{span.color:08x}'
        self.payload, self.is_open, self.depth = payload(span), span.is_open, span.depth
        self.pid, self.host, self.rank = process.drawn.pid, process.drawn.host, process.drawn.rank
        self.viewer_pid = self.pid + (again << 24)  # with which viewers tell processes of one pid apart
        self.thread_name = process.drawn.threads.get(span.tid, '')
        self.nests = span.style == 'PushPop'
        self.is_finite = span.style != 'Counter' or math.isfinite(span.payload)  # JSON has no other numbers
        self.several = several

    def thread(self, hosts):
        """The label of its thread. HOSTS: whether processes have different hosts."""
        name = f'{self.tid} {self.thread_name}' if self.thread_name else str(self.tid)
        if self.several:
            name += f' of process {self.viewer_pid}' + (f' of rank {self.rank}' if self.rank is not None else '')
            name += f' on {self.host}' if hosts and self.host else ''
        return name


class Case:
    """A recording, and the events that are in it."""

    def __init__(self, bench, path, parts, options=(), window=expected_spans.ALL, wanted=lambda event: True):
        """PARTS: those that were merged. OPTIONS, WINDOW and WANTED: filters."""
        self.bench, self.path, self.options = bench, path, options
        self.processes = [process for part in parts for process in part.processes]
        first, pids, self.events = min(part.realtime for part in parts), collections.Counter(), []
        self.hosts = len({process.host for process in self.processes}) > 1
        for part in parts:
            again = {process.pid: pids[process.pid] for process in part.processes}
            pids.update(process.pid for process in part.processes)
            self.events += [Event(process, span, len(self.processes) > 1, again[process.drawn.pid], part.realtime - first)
                            for process, span in expected_spans.spans(part, window)]
        self.events, self.wanted = [event for event in self.events if wanted(event)], wanted

    def of(self, *styles):
        return [event for event in self.events if event.style in styles]

    def around(self, event):
        """The names of the ranges in which it was pushed and its own, without those that are filtered out. Some may have ended before the window."""
        process, *more = event.parts
        outer = event.span.parent and Event(process, event.span.parent, *more)
        return (*(self.around(outer) if outer else ()), *([event.name] if self.wanted(event) else []))

    def export(self, form, *options):
        return self.bench.run('export', '--format', form, *self.options, *options, self.path).stdout


def check_csv(case):
    """csv"""
    ranks = any(p.rank is not None for p in case.processes)
    wanted = [[str(e.start), str(e.end), e.style, e.domain, e.text, '' if e.category is None else str(e.category), e.category_name, e.color,
               TYPES[e.span.payload[0] if isinstance(e.span.payload, tuple) else drawn.type_of_sample(e.span.payload) if e.payload else 0],
               e.payload, e.host, str(e.pid), str(e.tid), str(e.end_tid), str(e.depth) if e.nests else '', str(int(e.is_open)),
               *(['' if e.rank is None else str(e.rank)] * ranks)] for e in case.events]
    head, *rows = csv.reader(io.StringIO(case.export('csv'), newline=''))
    width = 16 + ranks  # and fields of payloads with schemas, which payloads.py tests
    equal(head[:width], ['Start (ns)', 'End (ns)', 'Style', 'Domain', 'Message', 'Category', 'Category Name', 'Color', 'Payload Type', 'Payload', 'Host', 'PID', 'TID',
                         'End TID', 'Depth', 'Open', 'Rank'][:width], 'csv: columns')
    rows = [tuple(row[:width]) for row in rows]
    same(rows, [tuple(row) for row in wanted], 'csv')
    starts = [int(row[0]) for row in rows]
    equal(starts, sorted(starts), 'csv: the order')


def check_sqlite(case):
    """sqlite: what a query of Nsight's reports finds"""
    case.bench.run('export', '--format', 'sqlite', '-f', *case.options, '-o', case.path + '.sqlite', case.path)
    db = sqlite3.connect(case.path + '.sqlite')
    numbers = ', '.join(f'{column}Value' for column in TYPES[1:])
    rows = db.execute(f"""select e.start, e.end, e.eventType, e.rangeId is not null, e.category, e.color, coalesce(e.text, s.value, ''), e.globalTid >> 48,
        e.globalTid >> 24 & 0xffffff, e.globalTid & 0xffffff, e.endGlobalTid & 0xffffff,
        (select d.text from NVTX_EVENTS d where d.eventType = 75 and d.domainId = e.domainId and (d.globalTid >> 24 & 0xffffff) = (e.globalTid >> 24 & 0xffffff)),
        {numbers} from NVTX_EVENTS e left join StringIds s on e.textId = s.id where e.eventType in (34, 59, 60)""").fetchall()

    def values(e):
        """In the column of its type; 64 bits without a sign as SQLite keeps them."""
        kind, value = e.span.payload or (0, None)
        return tuple((value - (1 << 64) if i == 1 and value >> 63 else value) if i == kind else None for i in range(1, 7))
    wanted = [(e.start, None if e.style == 'Mark' else e.end, {'Mark': 34, 'PushPop': 59, 'StartEnd': 60}[e.style], int(e.style == 'StartEnd'), e.category,
               e.span.color, e.text, 1 + (e.viewer_pid >> 24), e.pid, e.tid, e.end_tid if e.end_tid != e.tid else None, e.domain or None, *values(e))
              for e in case.of('Mark', 'PushPop', 'StartEnd')]
    same(rows, wanted, 'sqlite')
    counted = db.execute("""select timestamp, globalTid >> 48, globalTid >> 24 & 0xffffff, globalTid & 0xffffff, name, value,
        (select d.text from NVTX_EVENTS d where d.eventType = 75 and d.domainId = c.domainId and (d.globalTid >> 24 & 0xffffff) = (c.globalTid >> 24 & 0xffffff))
        from NVTXH_COUNTERS c""").fetchall()
    same(counted, [(e.start, 1 + (e.viewer_pid >> 24), e.pid, e.tid, e.text, float(e.span.payload), e.domain or None) for e in case.of('Counter')], 'sqlite: counters')
    names = db.execute('select globalTid >> 24 & 0xffffff, globalTid & 0xffffff, text from NVTX_EVENTS where eventType = 39').fetchall()
    same(names, [(p.pid, tid, name) for p in case.processes for tid, name in p.threads.items()], 'sqlite: threads')
    names = db.execute("""select e.globalTid >> 24 & 0xffffff, e.category, e.text, (select d.text from NVTX_EVENTS d where d.eventType = 75 and
        d.domainId = e.domainId and (d.globalTid >> 24 & 0xffffff) = (e.globalTid >> 24 & 0xffffff)) from NVTX_EVENTS e where e.eventType = 33""").fetchall()
    same(names, [(p.pid, number, name, drawn.DOMAINS[domain] or None) for p in case.processes for (domain, number), name in drawn.CATEGORIES.items()],
         'sqlite: categories')
    names = db.execute('select t.globalTid >> 48, t.globalTid >> 24 & 0xffffff, t.globalTid & 0xffffff, s.value from ThreadNames t '
                       'join StringIds s on t.nameId = s.id').fetchall()
    named = {(1 + (e.viewer_pid >> 24), e.pid, e.tid): e.thread_name or 'made-up' for e in case.events}
    same([name for name in names if name[:3] in named], [(*key, name) for key, name in named.items()], 'sqlite: names of threads')
    known = db.execute('select pid, name, host, rank from PROCESSES join NVTXH_PROCESSES using (globalPid)').fetchall()
    same(known, [(p.pid, '/usr/bin/made-up', p.host, p.rank) for p in case.processes], 'sqlite: processes')
    last = max((e.end for e in case.events), default=0)
    equal(db.execute('select startTime, stopTime, duration from ANALYSIS_DETAILS').fetchall(), [(0, last, last)], 'sqlite: the whole time')
    db.close()


def shown(**members):
    """Those that are there, in an order."""
    return tuple(sorted((name.replace('_', ' '), value) for name, value in members.items() if value not in ('', None)))


def nest(slices, what):
    """(start, end) in the order of their beginnings: each lies in what is open."""
    around = []
    for start, end in slices:
        while around and around[-1] <= start:
            around.pop()
        require(not around or around[-1] >= end, f'{what}: slices overlap')
        around.append(end)


def overlaps(slices, e):
    """Whether a range begins in one of the slices, (start, end) each, and ends after it. Only such a range is not a slice of its thread."""
    return any(start <= e.start < end < e.end for start, end in slices)


def check_chrome(case):
    """chrome"""
    def ns(text):
        whole, _, part = text.partition('.')
        require(len(part) == 3 and part.isdigit(), text)
        return int(whole) * 1000 + int(part)
    objects = json.loads(case.export('chrome'), parse_float=str)['traceEvents']
    got, begun, threads = [], {}, collections.defaultdict(list)
    for o in objects:
        words = o.get('cat'), o.get('name'), o['pid']
        more = shown(**o.get('args', {}))
        if o['ph'] == 'X':
            start, end = ns(o['ts']), ns(o['ts']) + ns(o['dur'])
            threads[o['pid'], o['tid']].append((start, end))
            got.append(('PushPop', *words, start, end, o['tid'], o['tid'], more))
        elif o['ph'] == 'i':
            got.append(('Mark', *words, ns(o['ts']), ns(o['ts']), o['tid'], o['tid'], more))
        elif o['ph'] == 'C':
            got.append(('Counter', *words, ns(o['ts']), ns(o['ts']), o['tid'], o['tid'], more))
        elif o['ph'] == 'b':
            begun[o['id']] = o['cat'], o['name'], o['pid'], ns(o['ts']), o['tid'], more
        elif o['ph'] == 'e':
            category, name, pid, start, tid, more = begun.pop(o['id'])
            equal((o['cat'], o['name'], o['pid']), (category, name, pid), 'chrome: both ends')
            got.append(('range', category, name, pid, start, ns(o['ts']), tid, o['tid'], more))
    equal(begun, {}, 'chrome: ranges without an end')
    for slices in threads.values():
        nest(slices, 'chrome')
    def row_of(e):
        more = shown(category=e.category, category_name=e.category_name, color=e.color, payload=e.payload)
        if e.style == 'Counter':
            more = shown(value=e.payload if '.' in e.payload or 'e' in e.payload else int(e.payload))
        return e.domain, e.shown, e.viewer_pid, e.start, e.end, e.tid, e.end_tid, more
    apart = collections.Counter(one[1:] for one in got if one[0] == 'range')
    apart.subtract(row_of(e) for e in case.of('StartEnd'))

    def event(e):
        row = row_of(e)
        is_apart = e.nests and apart[row] > 0
        apart[row] -= is_apart
        require(not is_apart or overlaps(threads[e.viewer_pid, e.tid], e), 'chrome: a range that overlaps none is not a slice', row)
        return ('range' if is_apart or e.style == 'StartEnd' else e.style, *row)
    same(got, [event(e) for e in case.of('StartEnd', 'PushPop', 'Mark', 'Counter') if e.is_finite], 'chrome')
    names = [(o['pid'], o['tid'], o['args']['name']) for o in objects if o['name'] == 'thread_name']
    pids = [e.viewer_pid for e in case.events]
    same([name for name in names if name[0] in pids], thread_names(case, pids), 'chrome: threads')


def thread_names(case, pids):
    found, before = [], collections.Counter()
    for p in case.processes:
        pid = p.pid + (before[p.pid] << 24)
        before[p.pid] += 1
        found += [(pid, tid, name) for tid, name in p.threads.items() if pid in pids]
    return found


def check_perfetto(case):
    """perfetto, by Perfetto's own protos"""
    case.bench.run('export', '--format', 'perfetto', '-f', *case.options, '-o', case.path + '.pftrace', case.path)
    trace = perfetto_trace(case.path + '.pftrace')
    tables = [collections.defaultdict(dict) for _ in range(3)]
    names, domains, notes = tables
    tracks, begun, got = {}, collections.defaultdict(list), []

    def annotation(a):
        value = next(getattr(a, kind) for kind in ('uint_value', 'int_value', 'double_value', 'string_value') if a.HasField(kind))
        return notes[a.name_iid], value if isinstance(value, str) else digits(value)

    def place(uuid):
        """(kind, pid, tid, name) of a track"""
        track = tracks[uuid]
        if track.HasField('process'):
            return 'process', track.process.pid, None, ''
        if track.HasField('thread'):
            equal(place(track.parent_uuid), ('process', track.thread.pid, None, ''), 'perfetto: the process of a thread')
            return 'thread', track.thread.pid, track.thread.tid, ''
        _, pid, tid, _ = place(track.parent_uuid)
        return 'counter' if track.HasField('counter') else 'track', pid, tid, track.name
    for packet in trace.packet:
        for table, entries in zip(tables, (packet.interned_data.event_names, packet.interned_data.event_categories, packet.interned_data.debug_annotation_names)):
            table.update({entry.iid: entry.name for entry in entries})
        if packet.HasField('track_descriptor'):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField('track_event'):
            continue
        e = packet.track_event
        where = place(e.track_uuid)
        what = (names[e.name_iid] if e.name_iid else e.name or None, ''.join(domains[iid] for iid in e.category_iids), tuple(sorted(annotation(a) for a in e.debug_annotations)))
        if e.type == e.TYPE_SLICE_BEGIN:
            begun[e.track_uuid].append((packet.timestamp, what))
        elif e.type == e.TYPE_SLICE_END:
            start, what = begun[e.track_uuid].pop()
            got.append((start, packet.timestamp, *what, *where[1:]))
        elif e.type == e.TYPE_INSTANT:
            got.append((packet.timestamp, None, *what, *where[1:]))
        else:
            value = e.counter_value if e.HasField('counter_value') else e.double_counter_value
            got.append((packet.timestamp, None, value, None, (), *where[1:]))
    require(not any(begun.values()), 'perfetto: slices without an end')
    overlapping, slices = collections.Counter(row[:-1] for row in got if row[-1].endswith('overlapping ranges')), collections.defaultdict(list)
    for start, end, _, _, _, pid, tid, track in got:
        if end is not None and not track:
            slices[pid, tid].append((start, end))

    def event(e):
        prefix = e.domain + ': ' if e.domain else ''
        if e.style == 'Counter':
            return e.start, None, e.span.payload, None, (), e.viewer_pid, None, f'{e.domain}:{e.text}' if e.domain else e.text
        more = shown(category=e.category_name or ('' if e.category is None else str(e.category)), color=e.color, payload=e.payload)
        row = e.start, None if e.style == 'Mark' else e.end, e.shown, e.domain, more, e.viewer_pid
        if e.style == 'StartEnd':
            return *row, None, prefix + 'process ranges'
        is_apart = overlapping[*row, e.tid] > 0 and e.nests
        overlapping[*row, e.tid] -= is_apart
        require(not is_apart or overlaps(slices[e.viewer_pid, e.tid], e), 'perfetto: a range that overlaps none is not a slice', row)
        return *row, e.tid, 'overlapping ranges' if is_apart else ''
    arrows = [(at, None, f'{e.shown} {what}', '', (), e.viewer_pid, tid, '') for e in case.events if e.style == 'StartEnd' and not e.is_open and e.tid != e.end_tid
              for at, what, tid in ((e.start, 'starts', e.tid), (e.end, 'ends', e.end_tid))]
    same(got, [event(e) for e in case.events] + arrows, 'perfetto')
    times = [p.timestamp for p in trace.packet if p.HasField('track_event')]
    equal(times, sorted(times), 'perfetto: the order')
    pids = {e.viewer_pid for e in case.events}
    same([(t.thread.pid, t.thread.tid, t.thread.thread_name) for t in tracks.values() if t.thread.thread_name and t.thread.pid in pids], thread_names(case, pids),
         'perfetto: threads')


def check_parquet(case):
    """parquet, by DuckDB and pyarrow"""
    parquet, duckdb = module('pyarrow', 'pyarrow.parquet'), module('duckdb', 'duckdb')
    folder = case.path + '.set'
    shutil.rmtree(folder, ignore_errors=True)
    case.bench.run('export', '--format', 'parquet', *case.options, '-o', folder, case.path)

    def rows(table, columns):
        try:
            files = duckdb.sql(f"select distinct filename from read_parquet('{folder}/{table}/**/*.parquet', filename=true, hive_partitioning=true)").fetchall()
        except duckdb.IOException:  # no such file
            return []
        found = []
        for name, in files:
            keys = dict(part.split('=') for part in name.split('/') if '=' in part)
            host, rank = keys['host'].replace('none', ''), None if keys['rank'] == '-1' else int(keys['rank'])
            with parquet.ParquetFile(name) as file:
                mine = file.read().to_pylist()
            theirs = duckdb.sql(f"select * from read_parquet('{name}', hive_partitioning=false)").fetchall()
            equal([tuple(row.values()) for row in mine], theirs, 'parquet: pyarrow and DuckDB')
            found += [(host, rank, *(row[column] for column in columns)) for row in mine]
            if table == 'ranges':
                check_parents(case, mine)
        return found
    place = 'pid', 'thread', 'threadName', 'domain', 'category', 'categoryName', 'color', 'text', 'payload'

    def common(e):
        return e.pid, e.tid, e.thread_name or None, e.domain or None, e.category, e.category_name or None, e.span.color, e.span.text, e.payload or None
    same(rows('ranges', ('start', 'end', 'duration', 'self', 'depth', 'style', 'open', *place)),
         [(e.host, e.rank, e.start, e.end, e.end - e.start, e.own if e.nests else None, e.depth if e.nests else None, e.style, int(e.is_open), *common(e))
          for e in case.of('PushPop', 'StartEnd')], 'parquet: ranges')
    same(rows('marks', ('start', *place)), [(e.host, e.rank, e.start, *common(e)) for e in case.of('Mark')], 'parquet: marks')
    same(rows('counters', ('start', 'pid', 'thread', 'domain', 'text', 'value')),
         [(e.host, e.rank, e.start, e.pid, e.tid, e.domain or None, e.text, float(e.span.payload)) for e in case.of('Counter')], 'parquet: counters')
    same(rows('processes', ('pid', 'name')), [(p.host, p.rank, p.pid, '/usr/bin/made-up') for p in case.processes], 'parquet: processes')


def check_parents(case, rows):
    """The parent of a range is the last that began of those of its thread that contain it."""
    ranges = collections.defaultdict(list)
    for row in rows:
        if row['style'] == 'PushPop':
            ranges[row['pid'], row['thread']].append((row['start'], row['end'], row['id'], row['parent']))
        else:
            equal(row['parent'], None, 'parquet: the parent of a process range')
    for all_of in ranges.values():
        ends = {number: (start, end) for start, end, number, _ in all_of}
        for start, end, number, parent in all_of:
            around = [a for a, z, other, _ in all_of if other < number and a <= start < z and z >= end]
            require(parent is None or ends[parent][0] <= start < ends[parent][1] and ends[parent][1] >= end, 'parquet: a parent that does not contain its child')
            equal(None if parent is None else ends[parent][0], max(around, default=None), 'parquet: the innermost parent')


def check_folded(case):
    """folded: the self time of each path"""
    wanted = collections.Counter()
    for e in case.of('PushPop'):
        wanted[(e.thread(case.hosts), *case.around(e))] += e.own
    got = collections.Counter()
    for line in case.export('folded').splitlines():
        names, _, number = line.rpartition(' ')
        require(int(number) > 0 and tuple(names.split(';')) not in got, line)
        got[tuple(names.split(';'))] = int(number)
    same(dict(got), {names: ns for names, ns in wanted.items() if ns}, 'folded')


class Pack:
    """What `recorder/output/html.h` says of a pack."""

    def __init__(self, base):
        data, self.blocks = zlib.decompress(base64.b64decode(base)), []
        while data:
            size, = struct.unpack_from('<I', data)
            self.blocks.append(data[4:4 + size])
            data = data[4 + size:]
        self.at = [0] * len(self.blocks)
        self.head = json.loads(self.blocks[0])

    def next(self, column):
        block, value, shift = self.blocks[column + 1], 0, 0
        while True:
            byte = block[self.at[column]]
            self.at[column] += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value

    def signed(self, column):
        value = self.next(column)
        return -(value + 1 >> 1) if value & 1 else value >> 1

    def real(self, column):
        self.at[column] += 8
        return struct.unpack_from('<d', self.blocks[column + 1], self.at[column] - 8)[0]

    def is_read(self, column):
        return self.at[column] == len(self.blocks[column + 1])


def unpacked(pack):
    """The rows of a pack, each with how many spans were merged into it, and with (their sum, the least, the most)."""
    head, kinds, paths = pack.head, [], []

    def text(number):
        return head['texts'][number - 1] if number else ''
    while not pack.is_read(0):
        style, domain, name, color, category = (pack.next(column) for column in range(5))
        number, label = head['categories'][category - 1] if category else (None, 0)
        kinds.append((STYLES[style], text(domain), text(name), color - 1 if color else None, number, text(label)))
    kind = 0
    while not pack.is_read(5):
        parent = len(paths) - pack.next(5)
        kind += pack.signed(6)
        paths.append((parent, kind))

    def names(number):
        parent, kind = paths[number]
        _, domain, name = kinds[kind][:3]
        return (*names(parent), (domain + ':' if domain else '') + (name or '(no message)')) if number else ()
    for track in head['tracks']:
        start = value = None
        for _ in range(track['count']):
            start = pack.signed(7) if start is None else start + pack.next(7)
            length, where, count, inner, flags = (pack.next(column) for column in range(8, 13))
            kind, payload, threads = kinds[paths[where][1]], '', ()
            if kind[0] == 'Counter' or flags >> 1 in (drawn.F64, drawn.F32):
                payload = digits(pack.real(14))
            elif flags >> 1:
                value = (pack.signed(13) + (value or 0)) % (1 << 64)
                payload = str(value - (1 << 64) if value >> 63 and flags >> 1 not in (drawn.U64, drawn.U32) else value)
            sums = (float(payload),) * 3 if kind[0] == 'Counter' else (length,) * 3
            if count and kind[0] == 'Counter':
                least, most, total = (pack.real(14) for _ in range(3))
                sums = total, least, most
            elif count:
                sums = tuple(pack.next(15) for _ in range(3))
            if kind[0] == 'StartEnd':
                threads = tuple(head['threads'][pack.next(16)]['tid'] for _ in range(2))
            elif kind[0] != 'Counter':
                thread = head['threads'][track['thread']]
                threads = thread['tid'], thread['tid']
            yield (start, start + length, *kind, payload, inner, flags & 1, *threads, head['processes'][track['process']]['pid'],
                   names(where) if kind[0] == 'PushPop' else (), count + 1, sums)
    require(all(pack.is_read(column) for column in range(17)), 'html: all is read', pack.at, [len(block) for block in pack.blocks[1:]])


def check_html(case):
    """html: the data of the page; page.py tests the page's own reader"""
    page = case.export('html')
    base, = [part.partition('</script>')[0] for part in page.split('class="pack">')[1:]]
    wanted = [(e.start, e.end, e.style, e.domain, e.text, e.span.color, e.category, e.category_name, digits(float(e.span.payload)) if e.style == 'Counter' else e.payload,
               e.end - e.start - e.own if e.nests else 0, int(e.is_open), *([] if e.style == 'Counter' else [e.tid, e.end_tid]), e.pid, case.around(e) if e.nests else ())
              for e in case.events if e.is_finite]
    rows = list(unpacked(Pack(base)))
    same([row[:-2] for row in rows], wanted, 'html')
    equal({row[-2] for row in rows} - {1}, set(), 'html: merged entries')


def check_html_merged(case):
    """the page, where entries were merged: each track and level has the sums of its spans, and entries where these are"""
    base, = [part.partition('</script>')[0] for part in case.export('html').split('class="pack">')[1:]]
    pack, got, wanted, places = Pack(base), {}, {}, collections.defaultdict(list)

    def add(sums, key, count, inner, total, least, most):
        old = sums.get(key, (0, 0, 0, math.inf, -math.inf))
        sums[key] = old[0] + count, old[1] + inner, old[2] + total, min(old[3], least), max(old[4], most)

    def place(style, pid, tid, level, domain, text):
        return style, pid, *((tid, level) if style in ('PushPop', 'Mark') else (domain, text) if style == 'Counter' else ())
    rows, events = list(unpacked(pack)), [e for e in case.events if e.is_finite]
    require(len(rows) < len(events) or len(events) < 100, 'html: entries were merged', len(rows), len(events))
    for row in rows:
        start, end, style, domain, text = row[:5]
        pid, names, count, sums = row[-4:]
        require(count == 1 or style == 'Counter' or not row[8] and not row[10], 'html: a payload, or no end, of what was merged', row)
        key = place(style, pid, row[11], len(names), domain, text)
        add(got, key, count, row[9], *sums)
        places[key].append((start, end))
    for e in events:
        names = case.around(e) if e.nests else ()
        key = place(e.style, e.pid, e.tid, len(names), e.domain, e.text)
        one = (float(e.span.payload),) * 3 if e.style == 'Counter' else (e.end - e.start,) * 3
        add(wanted, key, 1, e.end - e.start - e.own if e.nests else 0, *one)
        require(any(start <= e.start and e.end <= end for start, end in places[key]), 'html: a span lies in an entry', key, e.start, e.end)
    equal(set(got), set(wanted), 'html: tracks and levels')
    for key, sums in wanted.items():
        near = key[0] == 'Counter' and all(math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9) for a, b in zip(got[key], sums))
        require(near or got[key] == sums, 'html: the sums of what was merged', key, got[key], sums)


def check_reports(case):
    """stats and tree"""

    def named(name):
        return name if name and not name.endswith(':') else name + '(no message)'

    def sums(key, *styles):
        found = collections.defaultdict(lambda: [0, 0, 0])
        for e in case.of(*styles):
            row = found[key(e)]
            for i, number in enumerate((1, e.end - e.start, e.own if e.nests else 0)):
                row[i] += number
        return {key: tuple(row) for key, row in found.items()}
    rows = case.bench.table('stats', '--csv', *case.options, case.path)
    same({(r['Style'], named(r['Range'])): numbers(r) for r in rows}, sums(lambda e: (e.style, e.name), *STYLES), 'stats')
    rows = case.bench.table('stats', '--csv', '--by', 'domain', *case.options, case.path)
    same({(r['Style'], r['Domain'].replace('(default)', '')): numbers(r) for r in rows if r['Style'] != 'Counter'}, sums(lambda e: (e.style, e.domain), *STYLES[:3]),
         'stats --by domain')
    for which in 'each', 'merged':
        got, above = {}, []
        for row in case.bench.table('tree', '--csv', '--threads', which, *case.options, case.path):
            if row['Depth']:
                above[int(row['Depth']):] = [named(row['Range'])]
                if row['Instances'] != '0':
                    got[row['Thread'], tuple(above)] = numbers(row, 'Total (ns)')
        if which == 'each':
            wanted = sums(lambda e: (e.thread(case.hosts), *[case.around(e)]), 'PushPop')
        else:
            names = {(e.viewer_pid, e.tid): e.thread_name for e in case.events}
            wanted = merged(sums(lambda e: (e.viewer_pid, e.tid, e.thread(case.hosts), *[case.around(e)]), 'PushPop'), names.get)
        same(got, wanted, f'tree, {which}')


def check_instances(case):
    """stats --slowest and --histogram"""
    named = collections.defaultdict(list)
    for e in case.of('PushPop', 'StartEnd'):
        named[f'{e.domain}:{e.text}' if e.domain else e.text].append(e)
    for name, events in sorted(named.items(), key=lambda item: -len(item[1]))[:3]:
        def table(*more):
            return case.bench.table('stats', '--csv', *case.options, *more, case.path)
        wanted = collections.Counter((e.end - e.start, e.start, str(e.own) if e.nests else '', str(e.tid), str(e.pid), '' if e.rank is None else str(e.rank),
                                      e.payload, str(int(e.is_open)), e.style) for e in events)
        longest = sorted((-(e.end - e.start), e.start) for e in events)  # of equal ones the earliest
        for limit in 1, 2, 5, 20, 0:
            rows = table('--slowest', name, *([] if limit == 20 else ['--limit', str(limit)]))
            equal([(-int(row['Duration (ns)']), int(row['Start (ns)'])) for row in rows], longest[:limit or None], f'--slowest {name} --limit {limit}')
            got = collections.Counter((int(r['Duration (ns)']), int(r['Start (ns)']), r['Self (ns)'], r['Thread'].split()[0], r['PID'], r['Rank'], r['Payload'],
                                       r['Open'], r['Style']) for r in rows)
            require(not got - wanted, f'--slowest {name}: no such instances', got - wanted, wanted)
        rows = table('--histogram', name)
        for style in 'PushPop', 'StartEnd':
            check_histogram([row for row in rows if row['Style'] == style], sorted(e.end - e.start for e in events if e.style == style))


def check_histogram(rows, durations):
    """Bins beside each other from the shortest to the longest, whose edges have the same ratio but for whole ns, and how many are in each."""
    equal(sum(int(row['Instances']) for row in rows), len(durations), 'instances of a histogram')
    if not durations:
        return
    edges = [int(row['From (ns)']) for row in rows] + [int(rows[-1]['To (ns)'])]
    equal([int(row['To (ns)']) for row in rows], edges[1:], 'bins beside each other')
    low, high = max(1, durations[0]), durations[-1] + 1
    equal((edges[0], edges[-1]), (durations[0], high), 'from the shortest to the longest')
    exact = [low * (high / low) ** (i / 16) for i in range(17)]
    require(all(min(abs(edge - e) for e in exact) <= .501 for edge in edges[1:]), 'edges', edges, exact)
    require(all(min(abs(edge - e) for edge in edges) <= .501 for e in exact[1:]), 'all edges', edges, exact)
    for row, low, high in zip(rows, edges, edges[1:]):
        wanted = sum(low <= duration < high for duration in durations)
        equal(int(row['Instances']), wanted, f'from {low} to {high}')
        require(math.isclose(float(row['Instances (%)']), 100 * wanted / len(durations), rel_tol=1e-9), 'share', row)


CHECKS = {name.removeprefix('check_'): check for name, check in globals().items() if name.startswith('check_') and name not in ('check_parents', 'check_reports', 'check_instances', 'check_histogram', 'check_html_merged')}


def check(case, checks=CHECKS):
    equal(set(checks), set(driver.formats(case.bench.nvtxh)), 'formats that are checked')
    for name in driver.built_formats(case.bench.nvtxh):
        with optional():
            checks[name](case)


def case_formats_small(bench):
    """The same where spans are sorted in a temporary file, and the entries of the page are merged, as otherwise with millions of spans."""
    bench.nvtxh = BUILD / 'tests' / 'reader' / 'nvtxh-small'
    for one, path in each(bench, 8, clock=1, size=150):
        case = Case(bench, path, [one])
        check(case, {**CHECKS, 'html': check_html_merged})
        check_instances(case)


def draw(bench, seed, **options):
    one = drawn.Drawn(random.Random(seed), plain=True, full=True, **options)
    return one, one.write(bench.here(f'{seed}.nvtxh'))


def each(bench, count, **options):
    for seed in seeds(count):
        one, path = draw(bench, seed, **options)
        print(f'seed {seed}')
        yield one, path


def case_formats(bench):
    """Names, times, depths, payloads, colours, categories, threads, processes and self times are in every format as they were recorded."""
    for one, path in each(bench, 8, clock=1):
        case = Case(bench, path, [one])
        check(case)
        check_instances(case)


def case_formats_pauses(bench):
    """The page's data has the times in which each process was not recorded: while a gate was closed, also before the first one that opened and after the last."""
    for seed in seeds(40):
        one, path = draw(bench, seed, clock=1, size=20)
        wanted = []
        for gates in (process.gates for process in one.processes):
            times = [0, *(at for at, _ in gates)] if gates and gates[0][1] else [at for at, _ in gates]
            wanted.append([(times[i], times[i + 1] if i + 1 < len(times) else None) for i in range(0, len(times), 2)])
        if not any(wanted):
            continue
        base = bench.run('export', '--format', 'html', path).stdout.split('class="pack">')[1].partition('</script>')[0]
        shown = [[tuple(pause) for pause in process['gates']] for process in Pack(base).head['processes']]
        last = [(start, None) if end is None else (start, end) for pauses in wanted for start, end in pauses]
        got = [(start, end if until is not None else None) for pauses, some in zip(shown, wanted) for (start, end), (_, until) in zip(pauses, some)]
        equal(([len(pauses) for pauses in shown], got), ([len(pauses) for pauses in wanted], last), f'seed {seed}')


# (options, window, which events)
HALF = drawn.DURATION // 2
FILTERS = [(('--name', 'a|^two:'), expected_spans.ALL, lambda e: 'a' in e.text or 'a' in e.domain or e.domain == 'two'),
           (('--thread', '5000001'), expected_spans.ALL, lambda e: e.tid == 5_000_001), (('--domain', 'one'), expected_spans.ALL, lambda e: e.domain == 'one'),
           (('--domain', 'default'), expected_spans.ALL, lambda e: not e.domain),
           (('--from', f'{HALF // 2}ns'), (HALF // 2, expected_spans.ALL[1]), lambda e: True), (('--to', f'{HALF}ns'), (expected_spans.ALL[0], HALF), lambda e: True)]


def filtered():
    """Each pair of filters."""
    for i, (options, window, wanted) in enumerate(FILTERS):
        for more, other, also in FILTERS[i + 1:]:
            if more[0] != options[0]:
                yield (*options, *more), (max(window[0], other[0]), min(window[1], other[1])), lambda e, a=wanted, b=also: a(e) and b(e)


def case_formats_filtered(bench):
    """The same with each pair of filters."""
    one, path = draw(bench, SEED, clock=1, size=100)
    for options, window, wanted in filtered():
        print(*options)
        case = Case(bench, path, [one], options, window, wanted)
        check_reports(case)
        check_instances(case)
        check(case)


def case_formats_merged(bench):
    """The same of merged recordings, whose processes have the same numbers and threads; some events are before the first moment that is known on
    both clocks."""
    for seed in seeds(4):
        rng = random.Random(seed)
        parts = [drawn.Drawn(rng, plain=True, full=True, clock=2, rate=rng.choice([4, 1, .25]), synced=rng.choice([0, drawn.DURATION // 2]), killed=False,
                             realtime=drawn.synthetic.REALTIME + rng.randrange(10**10)) for _ in range(rng.choice([2, 3]))]
        paths = [part.write(bench.here(f'{seed}-{i}.nvtxh')) for i, part in enumerate(parts)]
        both = bench.here(f'{seed}.nvtxh')
        bench.run('merge', '-o', both, *paths)
        print(f'seed {seed}')
        case = Case(bench, both, parts)
        check(case)
        check_instances(case)


def check_again(bench, case):
    """The database of an export, read as one of Nsight Systems. It has no samples, nor does it say which ranges had no end; what cannot nest is a process range."""
    path = case.path + '.again.sqlite'
    if 'built without' in bench.run('export', '--format', 'sqlite', '-o', path, case.path, status=None).stderr:
        return
    events = [e for e in case.events if e.style != 'Counter']
    ranks, rows = any(p.rank is not None for p in case.processes), bench.table('export', '--format', 'csv', path)
    heads = ['Domain', 'Message', 'Category', 'Category Name', 'Color', 'Payload Type', 'Payload', 'Host', 'PID', 'TID', 'End TID', *['Rank'] * ranks]
    got, wanted = collections.defaultdict(list), collections.defaultdict(list)
    for row in rows:
        got[tuple(row[head] for head in heads)].append((int(row['Start (ns)']), int(row['End (ns)'])))
    for e in events:
        wanted[(e.domain, e.text, '' if e.category is None else str(e.category), e.category_name, e.color, TYPES[(e.span.payload or [0])[0]], e.payload, e.host,
                str(e.pid), str(e.tid), str(e.end_tid), *['' if e.rank is None else str(e.rank)] * ranks)].append((e.start, e.end))
    same({key: len(times) for key, times in got.items()}, {key: len(times) for key, times in wanted.items()}, 'an export to SQLite, read again')
    for key, times in wanted.items():  # moments of a thread are never the same
        for one, other in zip(zip(*times), zip(*got[key])):
            require(all(abs(a - b) < len(events) for a, b in zip(sorted(one), sorted(other))), 'times', key, one, other)
    labels = {row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', path)}
    names = [(e.thread(case.hosts).replace(str(e.viewer_pid), str(e.pid)), f' {e.thread_name}' * bool(e.thread_name)) for e in events]
    same(labels, {label.replace(name, '', 1) + name for label, name in names}, 'threads of an export to SQLite')


def case_formats_again(bench):
    """What export writes to SQLite, the readers of Nsight's databases read: of a recording, and of merged ones."""
    for seed in seeds(6):
        parts, paths = [], []
        for number in range(3):
            one, path = draw(bench, 10 * seed + number, clock=1, size=80, killed=False, realtime=drawn.synthetic.REALTIME + number)
            parts.append(one)
            paths.append(path)
        print(f'seed {seed}')
        check_again(bench, Case(bench, paths[0], parts[:1]))
        bench.run('merge', '-o', bench.here(f'all-{seed}.nvtxh'), *paths)
        check_again(bench, Case(bench, bench.here(f'all-{seed}.nvtxh'), parts))
    recording = drawn.synthetic.Recording(end=10**6)
    for pid, identity in enumerate(((), (5, 1, 8, 'night'), (0, 0, 0xffffffff, '')), 100):
        process = recording.process(pid=pid, host=f'node {pid}', exe=f'/bin/program-{pid}')
        process.thread(pid).ranges('x', [10])
        if identity:
            process.rank(*identity)
    path = recording.write(bench.here('identity.nvtxh'))
    for name in 'one.sqlite', 'two.sqlite':  # of the recording, then of its export
        if 'built without' in bench.run('export', '--format', 'sqlite', '-o', bench.here(name), path, status=None).stderr:
            return
        path = bench.here(name)
        with contextlib.closing(sqlite3.connect(path)) as db:
            rows = db.execute('select pid, name, host, rank, localRank, worldSize, coalesce(job, \'\') from PROCESSES join NVTXH_PROCESSES using (globalPid)').fetchall()
        same(rows, [(100, '/bin/program-100', 'node 100', None, None, None, ''), (101, '/bin/program-101', 'node 101', 5, 1, 8, 'night'),
                    (102, '/bin/program-102', 'node 102', 0, 0, None, '')], name)


def case_formats_private(bench):
    """No name of what a filter leaves out is in an export or a page. SQLite keeps the names of domains."""
    recording = drawn.synthetic.Recording(end=10**6)
    process = recording.process()
    thread = process.thread(100)
    for number, name in enumerate(('shown', 'hidden'), 1):
        process.domain(number, f'{name} domain')
        process.names.long(drawn.synthetic.REGISTERED, number, name.encode() + b' string', domain=number)
        thread.ranges(f'{name} text', [10], at=100 * number, domain=number)
    path, out = recording.write(bench.here('private.nvtxh')), bench.here('private')
    for form in 'csv', 'chrome', 'folded', 'perfetto', 'sqlite', 'html':
        if bench.run('export', '--format', form, '--domain', 'shown domain', '-f', '-o', out, path, status=None).returncode:
            continue  # built without the library
        with open(out, 'rb') as f:
            data = f.read()
        if form == 'html':
            data += b''.join(Pack(data.decode().split('class="pack">')[1].partition('</script>')[0]).blocks)
        data = data.replace(b'hidden domain', b'') if form == 'sqlite' else data
        require(b'shown text' in data and not re.search(rb'hidden (text|string|domain)', data), form, data)


def case_formats_labels(bench):
    """Exports name processes with rank and host, the host only if there are several, and say when it was recorded."""
    for hosts in ('left', 'right', '', 'left'), ('left',) * 4:
        recording, labels = drawn.synthetic.Recording(end=10**6), {}
        for number, (host, rank) in enumerate(zip(hosts, (None, 7, 0, 3))):
            process = recording.process(pid=100 + number, exe=f'/opt/the program {number}', host=host)
            if rank is not None:
                process.rank(rank, local=rank + 1, world=9)
            for tid in 100 + number, 200 + number:
                process.thread(tid).ranges('x', [10 + number])
            labels[100 + number] = f'/opt/the program {number}' + f' rank {rank}' * (rank is not None) + f' on {host}' * (len(set(hosts)) > 1 and bool(host))
        path = recording.write(bench.here(f'{len(set(hosts))}.nvtxh'))
        objects = json.loads(bench.run('export', '--format', 'chrome', path).stdout)['traceEvents']
        same({o['pid']: o['args']['name'] for o in objects if o['name'] == 'process_name'}, labels, 'chrome')
        if not bench.run('export', '--format', 'perfetto', '-f', '-o', bench.here('t.pftrace'), path, status=None).returncode:
            with optional():
                trace = perfetto_trace(bench.here('t.pftrace'))
                named = [packet.track_descriptor.process for packet in trace.packet if packet.track_descriptor.HasField('process')]
                same({one.pid: one.process_name for one in named}, {pid: label.removeprefix('/opt/') for pid, label in labels.items()}, 'perfetto')
        if not bench.run('export', '--format', 'sqlite', '-f', '-o', bench.here('t.sqlite'), path, status=None).returncode:
            with contextlib.closing(sqlite3.connect(bench.here('t.sqlite'))) as db:
                rows = db.execute('select utcEpochNs, utcTime, localTime, duration, startTime, stopTime from TARGET_INFO_SESSION_START_TIME, ANALYSIS_DETAILS').fetchall()
            begun = datetime.datetime.fromtimestamp(recording.realtime // 10**9, datetime.timezone.utc).strftime('%Y-%m-%dT%H:%M:%S')
            equal(rows, [(recording.realtime, begun, None, 13, 0, 13)], 'sqlite')


def case_formats_long(bench):
    """Names of any length are whole in formats for programs; in folded stacks those beyond 1,000 bytes are cut, between characters."""
    def cut(name):
        text, done = '', 0
        for letter in name:
            if done >= 1000:
                return text + '...'
            text, done = text + {'\n': ' ', '\x1b': ' ', '\x7f': ' ', ';': ':'}.get(letter, letter), done + len(letter.encode())
        return text
    rng, recording, names = random.Random(1), drawn.synthetic.Recording(end=10**6), []
    for length in 1, 400, 998, 999, 1000, 1001, 1002, 3000:
        for letters in 'x', 'xé', 'é', '語x', 'a;\n\x1b\x7fé':
            name, left = '', length
            while left >= (2 if letters == 'é' else 1):
                letter = rng.choice([letter for letter in letters if len(letter.encode()) <= left] or 'x')
                name, left = name + letter, left - len(letter.encode())
            names += [name] if name and name not in names else []
    thread = recording.process().thread(200)
    for number, name in enumerate(names):
        thread.push(1000 * number, name)
        thread.pop(1000 * number + 1 + number)
    path = recording.write(bench.here('long.nvtxh'))

    def export(form):
        return bench.run('export', '--format', form, path).stdout
    same(export('folded').splitlines(), [f'200;{cut(name)} {number + 1}' for number, name in enumerate(names)], 'folded')
    same([row[4] for row in csv.reader(io.StringIO(export('csv'), newline=''))][1:], names, 'csv')
    same([o['name'] for o in json.loads(export('chrome'))['traceEvents'] if o['ph'] == 'X'], names, 'chrome')


def case_formats_clocks(bench):
    """The same with clocks whose ticks are shorter or longer than a nanosecond."""
    for seed in seeds(4):
        rate = random.Random(seed).choice([4, 2, 1, .5, .25])
        one, path = draw(bench, seed, clock=2, rate=rate)
        print(f'seed {seed}, {rate} ticks a ns')
        check(Case(bench, path, [one]))


if __name__ == '__main__':
    driver.main(globals(), __doc__)
