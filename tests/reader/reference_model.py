#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports and exports of recordings that are known to the nanosecond: errors of one, which other tests would not notice."""
import csv
import json
import os
import random
import re
import signal
import sqlite3
import struct
import subprocess

from harness import driver
from harness.checks import equal, require
import drawn
import synthetic


def rows_of(bench, *arguments):
    return {row['Range' if 'Range' in row else 'Message']: row for row in bench.table(*arguments)}


def double(thread, at, text, value):
    bits, = struct.unpack('<Q', struct.pack('<d', value))
    thread.add(at, synthetic.MARK, [thread.text(at, text), bits], flags=3 << 5)


def case_exact_pops(bench):
    """Pops whose pushes are gone are reported as mistakes, but not in a ring, behind a hole in the file, in a forked child or where a gate was closed.
    A hole says nothing about the stream's next thread, unless that has begun in it."""
    for name, options, jump, mistakes in (('plain', {}, 0, True), ('ring', {'ring': 1 << 20}, 0, False), ('hole', {}, 5, False),
                                          ('heir', {}, 5, False), ('later heir', {}, 5, True), ('forked', {'forked': 1}, 0, False), ('gate', {}, 0, False)):
        recording = synthetic.Recording(end=10**6)
        process = recording.process(**options)
        thread = process.thread(7)
        thread.ring = name == 'ring'
        if name == 'gate':
            process.names.long(30, 1, struct.pack('<Q', recording.ticks(500)))
        thread.ranges('before', [50], at=100)
        if jump:
            thread.jump(jump, 8 if name == 'heir' else None)
        if name == 'later heir':
            thread.mark(800, None)
            thread.long(synthetic.THREAD, 8, b'', at=900)
        thread.pop(1000)
        thread.texts = {}
        thread.ranges('after', [50], at=2000)
        said = bench.run('stats', recording.write(bench.here(name))).stderr
        equal('1 pop and' in said, mistakes, f'{name}: {said}')
        equal('damaged' in said, bool(jump), f'{name}: {said}')


def case_exact_names(bench):
    """A category belongs to a domain, and a thread has the name it was given last."""
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    process.domain(1, 'lib')
    process.names.long(synthetic.CATEGORY, 3, b'general')
    for name in b'first', b'second':
        process.names.long(synthetic.THREAD, 12, name)
    thread = process.thread(12)
    for domain in 0, 1:
        thread.push(1000 * (1 + domain), 'x', category=3, domain=domain)
        thread.pop(1500 + 1000 * domain, domain)
    path = recording.write(bench.here('r.nvtxh'))
    equal({row['Category'] for row in bench.table('stats', '--csv', '--by', 'category', path)}, {'general', 'lib:3'}, 'categories')
    equal([row['Thread'] for row in bench.table('stats', '--csv', '--by', 'thread', path)], ['12 second'], 'threads')
    equal(len(bench.table('stats', '--csv', '--thread', '12', path)), 2, 'the number')
    for wrong in '12x', '12 second', '1':
        equal(bench.table('stats', '--csv', '--thread', wrong, path), [], wrong)


def case_exact_self(bench):
    """That a range is left out makes no range around it shorter, even if it outlives that range, or a pop in a wrong domain has ended it for
    the time being."""
    for mistaken, moments in (False, ((1000, 1), (2000, 2), (3000, -1), (4000, -2))), (True, ((1000, 1), (2000, 2), (4000, 1), (5000, -1), (6000, -2), (7000, -1))):
        recording = synthetic.Recording(end=10**6)
        process = recording.process()
        for number in 1, 2:
            process.domain(number, f'd{number}')
        thread = process.thread(1)
        for at, domain in moments:
            thread.push(at, 'range', domain=domain) if domain > 0 else thread.pop(at, -domain)
            if mistaken and at == 2000:
                thread.long(synthetic.EXTENDED, 8, b'', at=3000)
        row, = bench.table('stats', '--csv', '--by', 'thread', '--domain', 'd1', recording.write(bench.here('s.nvtxh')))
        equal(row['Inclusive (ns)'], str(6000 if mistaken else 2000), f'busy with one domain, with a mistake: {mistaken}')


def case_exact_tree(bench):
    """Many names in two ranges are as many nodes in each range; no message and an empty one are the same."""
    recording = synthetic.Recording(end=10**9)
    thread = recording.process().thread(1)
    at = 1000
    for parent in 'a', 'b':
        thread.push(at, parent)
        at = thread.ranges('first', [50], at=at + 10)
        for i in range(600):
            at = thread.ranges(f'n{i}', [5], gap=5, at=at)
        thread.pop(at)
        at += 100
    path = recording.write(bench.here('r.nvtxh'))
    equal(len(bench.table('tree', '--csv', path)), 2 * 602, 'nodes')
    recording = synthetic.Recording(end=10**6)
    thread = recording.process().thread(1)
    for at, text in (1000, None), (2000, ''):
        thread.push(at, text)
        thread.pop(at + 100)
    path = recording.write(bench.here('s.nvtxh'))
    equal(len(bench.run('export', '--format', 'folded', path).stdout.splitlines()), 1, 'paths')
    equal([row['Instances'] for row in bench.table('stats', '--csv', path)], ['2'], 'rows')
    recording = synthetic.Recording(end=10**6)
    thread, shares = recording.process().thread(1), {'a': 50, 'b': 30, 'c': 15, 'd': 5}
    at = 1000
    for text, share in shares.items():
        at = thread.ranges(text, [share], at=at)
    path = recording.write(bench.here('m.nvtxh'))
    for least in 0, 5, 15, 29.9, 30, 30.1, 50, 50.1:
        done = bench.run('tree', '--csv', '--min', str(least), path)
        equal([row['Range'] for row in driver.table(done.stdout)], [text for text, share in shares.items() if share >= least], f'--min {least}')
        equal('every range has a share of less than 50.1 %' in done.stderr and 'no push/pop ranges' not in done.stderr, least > 50, done.stderr)


def case_exact_order(bench):
    """More ranges than are sorted in memory at once: each as it is where the rest is left out. The temporary file is small."""
    path = bench.here('r.nvtxh')
    events = synthetic.write_many(path, 700000)
    # In blocks of 512 or of 1024 bytes: at most 46 bytes a range.
    rows = bench.run('-c', 'ulimit -f 16000; exec "$@"', 'sh', bench.nvtxh, 'export', '--format', 'csv', path, command='sh').stdout.splitlines()
    alone = [row for thread in range(200, 204) for row in bench.run('export', '--format', 'csv', '--thread', str(thread), path).stdout.splitlines()[1:]]
    require(sorted(rows[1:]) == sorted(alone), 'what was sorted in the file differs')
    equal(len(rows) - 1, events // 2, 'ranges')
    starts = [int(row.split(',', 1)[0]) for row in rows[1:]]
    require(all(a <= b for a, b in zip(starts, starts[1:])), 'by time')
    equal(len({row.split(',', 2)[0] + row.rsplit(',', 5)[1] for row in rows[1:]}) > len(rows) // 2, True, 'each once')


def cut_alike(path):
    """A recording in which a window from 500 to 600 ns cuts 30 ranges of each of two threads to the same times, whichever end first."""
    recording = synthetic.Recording(end=10000)
    process = recording.process()
    for tid, ends in (1, range(30)), (2, reversed(range(30))):
        thread = process.thread(tid)
        for number in range(30):
            thread.push(100 + number, f'r{number}', domain=number)
        for at, number in enumerate(ends):
            thread.pop(1000 + at, number)
    return recording.write(path)


def case_exact_cut(bench):
    """Of ranges that a window cuts to the same times, those that began first are the outer ones."""
    path, wanted = cut_alike(bench.here('r.nvtxh')), [f'r{number}' for number in range(30)]
    rows = bench.table('export', '--format', 'csv', '--from', '500ns', '--to', '600ns', path)
    equal([row['Message'] for row in rows], wanted * 2, 'csv')
    events = json.loads(bench.run('export', '--format', 'chrome', '--from', '500ns', '--to', '600ns', path).stdout)['traceEvents']
    for tid in 1, 2:
        equal([event['name'] for event in events if event['ph'] == 'X' and event['tid'] == tid], wanted, f'chrome, thread {tid}')


def case_exact_people(bench):
    """Numbers in tables for people."""
    recording = synthetic.Recording(end=10**9)
    thread = recording.process().thread(1)
    thread.ranges('almost', [999700], at=1000)
    thread.ranges('other', [10200], at=3000000)
    thread.ranges('last', [7], at=4000000)
    path = recording.write(bench.here('r.nvtxh'))
    text = bench.run('stats', '--columns', 'name,total', path).stdout
    require('1.00 ms' in text and '10.2' in text and '7 ns' in text, text)
    require('more' not in bench.run('stats', '--limit', '2', path).stdout, 'the last row in place of a line about it')
    require('name twice' in bench.run('stats', '--columns', 'name,total,name', path, status=2).stderr, 'a column twice')
    require('and 2 more' in bench.run('stats', '--limit', '1', path).stdout, 'two more')
    # Of the longest instances there are 20, if nothing else is said; people see which had no end, if one had none.
    for is_open in False, True:
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(1)
        at = thread.ranges('x', range(100, 130))
        if is_open:
            thread.push(at, 'x')
        path = recording.write(bench.here('slowest.nvtxh'))
        for options, number in ((), 20), (('--limit', '0'), 30 + is_open), (('--limit', '3'), 3):
            wanted = ([10**9 - at] * is_open + list(range(129, 99, -1)))[:number]
            rows = bench.table('stats', '--csv', '--slowest', 'x', *options, path)
            equal([(int(row['Duration (ns)']), row['Open']) for row in rows], [(length, str(int(length > 1000))) for length in wanted], options)
            head, *lines = bench.run('stats', '--slowest', 'x', *options, path, env=dict(os.environ, COLUMNS='200')).stdout.partition('\n\n')[0].splitlines()
            equal(('Open' in head, len(lines)), (is_open, number), options)
    pair = []
    for name, durations in ('a', (1000, 20000)), ('b', (1100, 7700)):
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(1)
        for label, duration in zip(('small', 'large'), durations):
            thread.ranges(label, [duration] * 10, at=1000 if label == 'small' else 10**6)
        pair.append(recording.write(bench.here(name)))
    equal([row['Range'] for row in bench.table('diff', '--csv', *pair)], ['large', 'small'], 'what changed most is first')
    text = bench.run('diff', '--unit', 'ns', '--columns', 'range,total_change', *pair).stdout
    require(' -123,000' in text, 'negative', text)


def case_exact_figures(bench):
    """Times in tables for people have three digits, in the largest unit in which they are at least 1."""
    chance = random.Random(7)
    drawn = {int(10 ** chance.uniform(0, 11.9)) for _ in range(300)}
    near = {figure * 10 ** power + step for figure in (999, 1000, 99949, 99951, 999499, 999501, 9994, 9996, 99994, 99996) for power in range(6) for step in (-1, 0, 1)}
    lengths = sorted(ns for ns in drawn | near if not re.fullmatch(r'\d{3}50*', str(ns)))  # not halfway between two figures
    recording = synthetic.Recording(end=2 * sum(lengths))
    thread, at = recording.process().thread(1), 1000
    for ns in lengths:
        at = thread.ranges(f'r{ns}', [ns], at=at)
    text = bench.run('stats', '--limit', '0', '--columns', 'name,total', recording.write(bench.here('r.nvtxh'))).stdout
    found = {int(ns): (number.replace(',', ''), unit.replace('µ', 'u')) for ns, number, unit in re.findall(r'^r(\d+) +([\d.,]+) (\S+)', text, re.M)}

    def figure(ns):
        if ns < 1000:
            return str(ns), 'ns'
        texts = ((f'{ns / scale:.{digits}f}', unit) for scale, unit in ((1e3, 'us'), (1e6, 'ms'), (1e9, 's')) for digits in (2, 1, 0))
        return next((number, unit) for number, unit in texts if unit == 's' and '.' not in number or len(number.replace('.', '')) == 3)
    equal(sorted(found), lengths, 'rows')
    equal({ns: found[ns] for ns in lengths if found[ns] != figure(ns)}, {}, 'figures')


def case_exact_counters(bench):
    """The smallest, the largest and the last value of a counter; values beyond signed integers are not shown as negative."""
    recording = synthetic.Recording(end=10**6)
    thread = recording.process().thread(1)
    other = recording.process().thread(2)  # is read after the other thread, and before it in time
    for i, value in enumerate([7, 5, 9, 6]):
        (thread if i > 1 else other).add(1000 + i, synthetic.COUNT, [1, value], flags=2 << 5)
    thread.add(1500, synthetic.COUNT, [3, struct.unpack('<Q', struct.pack('<d', 1.2e-7))[0]], flags=3 << 5)
    for at, value in (1600, float('-inf')), (1601, 2.0 ** 70):
        thread.add(at, synthetic.COUNT, [4, struct.unpack('<Q', struct.pack('<d', value))[0]], flags=3 << 5)
    thread.add(2000, synthetic.COUNT, [2, (1 << 63) + 2048], flags=1 << 5)
    recording.process().thread(3).add(0, synthetic.COUNT, [5, 3], flags=2 << 5)
    thread.add(2200, synthetic.COUNT, [6, struct.unpack('<Q', struct.pack('<d', -1.2e-7))[0]], flags=3 << 5)
    thread.add(2300, synthetic.COUNT, [7, (1 << 63) - 1], flags=1 << 5)
    path = recording.write(bench.here('r.nvtxh'))
    for small in ' 1.2e-07', '-1.2e-07':
        require(small in bench.run('stats', path).stdout, 'a small one in a table', small)
    rows = rows_of(bench, 'stats', '--csv', path)
    equal(rows['counter 3']['Last Value'], '1.2e-07', 'a small one for programs')
    equal(rows['counter 5']['Last Value'], '3', 'one at the start of the recording')
    row = rows['counter 1']
    equal([float(row[name]) for name in ('Min Value', 'Max Value', 'Last Value', 'Avg Value')], [5, 9, 6, 6.75], 'values')
    rows = {row['name']: row for row in json.loads(bench.run('stats', '--json', path).stdout)}
    equal([rows['counter 4'][name] for name in ('value_min', 'value_avg', 'value_max', 'value_last')], [None, None, 2 ** 70, 2 ** 70], 'JSON has no infinity')
    require('counter 1 in 1' in bench.run('stats', '--by', 'thread', path).stdout, 'the thread of a counter')
    packets = packets_of(bench, path)
    *_, large, _, most = [dict(fields(packet[11])) for packet in packets if 11 in packet]
    require(30 not in large and struct.unpack('<d', large[44])[0] == float((1 << 63) + 2048), 'a large one', large)
    equal(most.get(30), (1 << 63) - 1, 'the largest integer')


def case_exact_rows(bench):
    """Marks come with the most frequent first; windows are to the nanosecond."""
    recording = synthetic.Recording(end=10**12)
    thread = recording.process().thread(1)
    thread.ranges('r', [1000, 2000, 3000, 4000], at=1000)
    for i, name in enumerate(['rare', 'often', 'often', 'often', 'some', 'some']):
        thread.mark(50000 + i, name)
    thread.ranges('late', [1000], at=200 * 10**9)
    path = recording.write(bench.here('r.nvtxh'))
    table = bench.table('stats', '--csv', path)
    equal([row['Range'] for row in table], ['r', 'late', 'often', 'some', 'rare'], 'order')
    equal([r['Range'] for r in bench.table('stats', '--csv', '--sort', 'min', path)][-3:], ['often', 'some', 'rare'], 'without numbers last')
    equal([r['Range'] for r in bench.table('stats', '--csv', '--sort', 'self', path)], ['r', 'late', 'often', 'some', 'rare'], 'stays in order')
    # A window that begins at the first mark has it; one that ends there does not.
    equal({r['Range']: r['Instances'] for r in bench.table('stats', '--csv', '--from', '50000ns', '--to', '50001ns', path)}, {'rare': '1'}, 'an instant')
    equal({r['Range'] for r in bench.table('stats', '--csv', '--from', '2000ns', '--to', '2010ns', path)}, set(), 'between two ranges')
    equal('late' in rows_of(bench, 'stats', '--csv', '--to', '0.1h', path), True, 'six minutes')
    equal('late' in rows_of(bench, 'stats', '--csv', '--to', '0.05h', path), False, 'three minutes')
    equal(bench.table('stats', '--csv', '--from', '2500ns', '--to', '3500ns', path)[0]['Self (ns)'], '1000', 'self within the window')


def case_exact_diff(bench):
    """--name selects a range, and not others whose names begin so; a difference that chance may cause among many ranges is none."""
    def record(name, offsets, count):
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(1)
        at = 1000
        for i, offset in enumerate(offsets):
            at = thread.ranges('step' if i == 0 else f'step {i}', [100000 + offset] * 10, at=at)
        return recording.write(bench.here(name))

    # The first differs with a probability of some 0.004; the others not at all.
    a = [record(f'a{i}', [100 * i] + [(i * 7 + k * 3) % 5 * 100 for k in range(40)], 10) for i in range(5)]
    b = [record(f'b{i}', [100 * i + 280] + [(i * 3 + k * 3) % 5 * 100 for k in range(40)], 10) for i in range(5)]
    alone = bench.table('diff', '--csv', '--alpha', '0.05', '--name', '^step$', *a, '--', *b)
    equal([row['Range'] for row in alone], ['step'], 'no other range')
    p = float(alone[0]['P'])
    require(p < 0.05 and alone[0]['Verdict'] == 'slower', 'alone', alone)
    rows = rows_of(bench, 'diff', '--csv', '--alpha', '0.05', *a, '--', *b)
    equal(len(rows), 41, 'ranges')
    equal(rows['step']['Verdict'], 'same', 'one of 41')
    require(abs(float(rows['step']['P']) - min(1, 41 * p)) < 1e-4, 'adjusted by their number', rows['step'], p)
    require(all(row['Verdict'] == 'same' for row in rows.values()), rows)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """(number, value) of a protobuf message."""
    at = 0
    while at < len(data):
        tag, at = varint(data, at)
        if tag & 7 == 0:
            value, at = varint(data, at)
        elif tag & 7 == 2:
            size, at = varint(data, at)
            require(at + size <= len(data), 'a field within its message', tag >> 3, size)
            value, at = data[at:at + size], at + size
        else:
            size = {1: 8, 5: 4}[tag & 7]
            value, at = data[at:at + size], at + size
        yield tag >> 3, value


def packets_of(bench, rec):
    """Those of a trace for Perfetto, each as {number of a field: value}."""
    bench.run('export', '--format', 'perfetto', '-f', '-o', bench.here('packets'), rec)
    with open(bench.here('packets'), 'rb') as f:
        return [dict(fields(packet)) for number, packet in fields(f.read()) if number == 1]


def case_exact_viewers(bench):
    """Times in files for viewers are whole and in order, however long names are and however many ranges are open."""
    recording = synthetic.Recording(end=10**9)
    process = recording.process()
    main, other = process.thread(100), process.thread(200)
    at = 1005
    for size in range(1, 300):  # packets of every size
        main.push(at, 'n' * size)
        main.pop(at + 7)
        at += 20
    for i in range(50):  # open at once; they end in another order
        main.start(at + i, i + 1, f'range {i}')
    ends = sorted((at + 1000 + (i * 17 % 50) * 10 + i % 2, i + 1) for i in range(50))
    for end in ends:
        other.end(*end)
    path = recording.write(bench.here('r.nvtxh'))
    packets = packets_of(bench, path)
    events = [(packet[8], dict(fields(packet[11]))) for packet in packets if 11 in packet]
    equal([time for time, _ in events], sorted(time for time, _ in events), 'in the order of time')
    kinds = [event[9] for _, event in events]
    equal((kinds.count(1), kinds.count(2)), (349, 349), 'beginnings and ends')
    first = events[0][0] - 1005
    equal([time - first for time, event in events if event[9] == 2], [1012 + 20 * i for i in range(299)] + [end for end, _ in ends], 'every end')
    chrome = json.loads(bench.run('export', '--format', 'chrome', path).stdout, parse_float=str)['traceEvents']
    first = next(event for event in chrome if event.get('name') == 'n')
    equal((first['ts'], first['dur']), ('1.005', '0.007'), 'microseconds')
    ends = [event for event in chrome if event['ph'] == 'e']
    equal({event['tid'] for event in ends}, {200}, 'where ranges end')
    require(all(event['ph'] == 'X' for event in chrome if event.get('name', '').startswith('nn')), 'ranges one after the other')
    # Ranges one after the other share a row.
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    thread, other = process.thread(1), process.thread(2)
    for i in range(5):
        thread.start(1000 + 100 * i, i + 1, 'one by one')
        other.end(1100 + 100 * i, i + 1)
    packets = packets_of(bench, recording.write(bench.here('s.nvtxh')))
    events = [event for event in (dict(fields(packet[11])) for packet in packets if 11 in packet) if event[9] != 3]  # 3: where an arrow begins or ends
    equal(len({event[11] for event in events}), 1, 'tracks of ranges that do not overlap')
    equal([event[9] for event in events], [1, 2] * 5, 'an end before the beginning of the same moment')
    # Those that overlap have a row each, of which there are no more than are needed.
    recording = synthetic.Recording(end=10**6)
    thread = recording.process().thread(1)
    moments = sorted(moment for i in range(60) for moment in ((1000 + 7 * i, 1, i + 1), (1003 + 7 * i + i * 37 % 50 * 7, -1, i + 1)))
    most = max(sum(step for _, step, _ in moments[:i]) for i in range(len(moments)))
    for time, step, number in moments:
        thread.start(time, number, 'range') if step > 0 else thread.end(time, number)
    packets = packets_of(bench, recording.write(bench.here('u.nvtxh')))
    rows = {}
    for event in (dict(fields(packet[11])) for packet in packets if 11 in packet):
        rows.setdefault(event[11], []).append(event[9])
    equal((len(rows), len(moments)), (most, sum(map(len, rows.values()))), 'rows of ranges that overlap')
    require(all(row == [1, 2] * (len(row) // 2) for row in rows.values()), 'one range at a time in a row', rows)
    # What belongs to a thread is below it, all else below the process.
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    process.domain(1, 'lib')
    thread = process.thread(1)
    for at, kind, domain in (1000, 'push', 0), (1100, 'push', 1), (1200, 'pop', 0), (1300, 'pop', 1):
        thread.push(at, 'overlap', domain=domain) if kind == 'push' else thread.pop(at, domain)
    thread.start(2000, 1, 'process range')
    thread.end(2100, 1)
    thread.add(3000, synthetic.COUNT, [1, 5], flags=2 << 5)
    packets = packets_of(bench, recording.write(bench.here('t.nvtxh')))
    tracks = {track[1]: track for track in (dict(fields(packet[60])) for packet in packets if 60 in packet)}
    kinds = {uuid: 'process' if 3 in track else 'thread' if 4 in track else track[2].decode() for uuid, track in tracks.items()}
    equal({name: kinds.get(tracks[uuid].get(5)) for uuid, name in kinds.items()},
          {'process': None, 'thread': 'process', 'overlapping ranges': 'thread', 'process ranges': 'process', 'counter 1': 'process'}, 'tracks')


def case_exact_texts(bench):
    """Fields that need quotes have them, and numbers have all their digits."""
    names = ['lone\rreturn', ' blank before', 'blank after ', 'a "quote", a comma', 'two\nlines', '=1+1']
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    process.names.long(synthetic.CATEGORY, 7, b'a "category" \\')
    thread = process.thread(1)
    for i, name in enumerate(names):
        thread.mark(1000 + i, name, category=7)
    double(thread, 2000, 'third', 0.1 + 0.2)
    thread.mark(2001, 'rub\x7fout \x1f')
    thread.push(3000, 'open')
    path = recording.write(bench.here('r.nvtxh'))
    text = bench.run('export', '--format', 'csv', path).stdout
    for quoted in '"lone\rreturn"', '" blank before"', '"blank after "', '"a ""quote"", a comma"', '"two\nlines"', ',=1+1,':
        require(quoted in text, quoted, text)
    rows = list(csv.DictReader(text.split('\n'), strict=True)) if '\r' not in text else []
    require('0.30000000000000004' in text, 'digits', text, rows)
    chrome = bench.run('export', '--format', 'chrome', path).stdout
    require('rub\\u007fout \\u001f' in chrome, 'control characters', chrome)
    equal({event['args']['category name'] for event in json.loads(chrome)['traceEvents'] if event.get('args', {}).get('category')},
          {'a "category" \\'}, 'a category')
    # Two that begin together: the longer one is first.
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    one, two = process.thread(1), process.thread(2)
    one.start(1000, 1, 'short')
    two.start(1000, 2, 'long')
    one.end(1500, 1)
    two.end(2500, 2)
    equal([row['Message'] for row in bench.table('export', '--format', 'csv', recording.write(bench.here('t.nvtxh')))], ['long', 'short'], 'order')


def case_exact_windows(bench):
    """A snapshot of a snapshot shows the shorter of both windows; where a recording has no end, windows end just after its last event."""
    chance, second = random.Random(9), 10**9
    for is_over in True, False:
        recording = synthetic.Recording(end=second)
        process = recording.process(pid=6_000_000, killed=not is_over)  # a pid that is never one
        times = [sorted(chance.sample(range(1000, second // 2 * part), 200)) for part in (2, 1)]  # the first thread has the last event
        for tid, marks in zip((1, 2), times):
            thread = process.thread(tid)
            for at in marks:
                thread.mark(at, 'mark')
        path = recording.write(bench.here('r.nvtxh'))
        if not is_over:
            synthetic.overwrite(path, 64, bytes(24))
        end = second if is_over else times[0][-1] + 1
        for _ in range(5):
            lasts = [chance.randrange(1, second) for _ in range(2)]
            for name, before, last in zip(('a', 'b'), (path, bench.here('a')), lasts):
                bench.run('snapshot', '-f', '-o', bench.here(name), '--last', f'{last}ns', before)
            found = [int(row['Start (ns)']) for row in bench.table('export', '--format', 'csv', bench.here('b'))]
            equal(found, sorted(at for marks in times for at in marks if at >= end - min(lasts)), f'is over: {is_over}, windows {lasts}')


def case_exact_snapshot(bench):
    """A snapshot is seen as any recording is between the two ends of its window; other times that are asked for count if they are narrower."""
    for seed in range(12):
        rng = random.Random(seed)
        path = drawn.Drawn(rng, plain=True, clock=1, rings=False, full=True).write(bench.here('r.nvtxh'))
        own = rng.choice([0, rng.randrange(1000, drawn.DURATION // 2)]), rng.randrange(drawn.DURATION // 2, drawn.DURATION * 2)
        asked = rng.choice([None, 0, rng.randrange(drawn.DURATION)]), rng.choice([None, rng.randrange(drawn.DURATION, 2 * drawn.DURATION)])
        options = [f'--{name}={time}ns' for name, time in zip(('from', 'to'), asked) if time is not None]
        both = max(own[0], asked[0] or 0), min(own[1], asked[1] or own[1])
        commands = ['stats', '--csv'], ['stats', '--csv', '--by', 'thread'], ['tree', '--csv']
        wanted = [bench.run(*command, *[f'--from={both[0]}ns'] * (both[0] > 0), f'--to={both[1]}ns', path).stdout for command in commands]
        synthetic.overwrite(path, 2048, struct.pack('<2Q', *own) + synthetic.Recording().sample(own[1]))
        for command, text in zip(commands, wanted):
            equal(bench.run(*command, *options, path).stdout, text, f'seed {seed}: {command}, {own} and {options}')


def case_exact_clocks(bench):
    """The times of a killed process are right after its last moment that is known on both clocks, too: how fast its counter runs is known from moments
    that are far from each other."""
    for seed in range(10):
        rng = random.Random(seed)
        recording = synthetic.Recording(end=0, clock=2, rate=rng.choice([.025, 1, 2.4]), noise=lambda at, rng=random.Random(seed): rng.randrange(-50, 51))
        thread, moments = recording.process(killed=True).thread(1), []
        for number, at in enumerate([*rng.sample(range(10**6, 5 * 10**8), seed % 4), 5 * 10**8, *(5 * 10**8 + rng.sample(range(10**4, 10**6), 1)[0] for _ in range(2))]):
            moments.append(at)
        for number, at in enumerate(sorted(moments)):
            thread.jump(number)
            thread.mark(at, 'mark')
        last, times = max(moments), sorted(moments)
        for at in sorted(rng.sample(range(last + 1, 2 * 10**9), 30)):
            thread.mark(at, 'mark')
            times.append(at)
        rows = bench.table('export', '--format', 'csv', recording.write(bench.here('k.nvtxh')))
        equal(len(rows), len(times), 'marks')
        for row, at in zip(rows, times):
            require(abs(int(row['Start (ns)']) - at) <= 150 + max(0, at - last) * 2e-6, f'seed {seed}', row, at, last)


def case_exact_empty(bench):
    """Of an empty recording readers say which signal ended the program, if it is known that it has ended."""
    for status, is_over, wanted in (0, True, ''), (signal.SIGSEGV, True, 'a signal ended it: Segmentation fault'), (signal.SIGKILL, True, 'a signal ended it: Killed'), \
            (3 << 8, True, ''), (signal.SIGKILL, False, ''):
        path = synthetic.Recording(end=10**6).write(bench.here('empty.nvtxh'))
        synthetic.overwrite(path, 108, struct.pack('<i', status))
        if not is_over:
            synthetic.overwrite(path, 64, bytes(24))
        said = bench.run('stats', path, env={**os.environ, 'LC_ALL': 'C'}).stderr
        equal((said.count('the recording is empty'), said.partition('recorder; ')[2].strip()), (1, wanted), f'status {status}, {is_over}')


def case_exact_damage(bench):
    """Each command says once how much of a recording is damaged, among the names as among the events, however often it has read that."""
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    for stream in process.names, process.thread(1):
        stream.mark(1000, 'mark') if stream is not process.names else stream.long(synthetic.DOMAIN, 1, b'lib')
        stream.records.append((2000, struct.pack('<QII', synthetic.TEXT, 9999, 1)))  # longer than its chunk
    path = recording.write(bench.here('damaged.nvtxh'))
    commands = [['stats'], ['stats', '--by', 'thread'], ['tree'], ['stats', '--slowest', 'mark'], ['ranks']]
    commands += [['export', '-f', '-o', bench.here('out'), '--format', name] for name in driver.formats(bench.nvtxh)]
    for command in commands:
        said = bench.run(*command, path, status=None).stderr
        require('built without' in said or said.count('2 unreadable records') == said.count('unreadable') == 1, command, said)


def case_exact_ends(bench):
    """An open range lasts until its process ended; if that is not known, until the program ended that was run, if the process had become nothing else
    by then; else until the process's last event. So does a process range."""
    chance = random.Random(11)
    for turn in range(40):
        end = 10**6
        recording = synthetic.Recording(end=end, program=chance.choice([0, 100, 101]))
        pids, wanted = [chance.choice([100, 100, 101]) for _ in range(chance.randrange(1, 4))], {}
        for number, pid in enumerate(pids):
            known = chance.choice([None, 1000 * (number + 2) + chance.randrange(900)])
            thread = recording.process(pid=pid, exe=f'/bin/p{number}', end=known, killed=known is None).thread(pid)
            start = 1000 * (number + 1) + chance.randrange(900)
            thread.push(start, f'push {number}')
            thread.start(start + 10, number + 1, f'range {number}')
            thread.mark(start + 50, 'last')
            is_program = pid not in pids[number + 1:] and pid == recording.program if recording.program else len(pids) == 1
            for name in 'push', 'range':
                wanted[f'{name} {number}'] = known or (end if is_program else start + 50)
        rows = bench.table('export', '--format', 'csv', recording.write(bench.here('e.nvtxh')))
        equal({row['Message']: int(row['End (ns)']) for row in rows if row['Open'] == '1'}, wanted, f'turn {turn}: program {recording.program}, processes {pids}')


def case_exact_heads(bench):
    """The head of a merged recording, and of a merged snapshot: the clock and the start are the earliest part's; it was stopped or cut off if one part
    was; what could not be recorded or got lost is that of all of them; a snapshot's moment is the latest, its window is around all windows. A snapshot
    of a recording that is over has its head, but for requests to the processes other than pauses; a killed one has no end."""
    def head(path):
        with open(path, 'rb') as f:
            return f.read(2304)

    chance = random.Random(3)
    for turn in range(20):
        parts, paths = [], []
        for number, late in enumerate(chance.sample(range(3), 3)):
            recording = synthetic.Recording(end=10**6, realtime=synthetic.REALTIME + late * 1000, clock=chance.choice((1, 2)))
            killed = chance.random() < 0.5
            recording.process(pid=(1 << 22) + number, killed=killed).thread(1).ranges('r', [chance.randrange(10**6)])
            paths.append(recording.write(bench.here(f'part{number}')))
            refused, stopped, lost = chance.randrange(3), chance.choice([0, 28]), [chance.randrange(5) for _ in range(24)]
            moment = struct.pack('<3Q', chance.randrange(99), chance.randrange(99), synthetic.REALTIME + chance.randrange(1 << 20)) if turn % 2 else bytes(24)
            window = sorted(chance.sample(range(3000), 2)) if turn % 2 else [0, 0]
            for at, value in ((100, struct.pack('<I', stopped)), (112, struct.pack('<I', refused)), (1200, struct.pack('<24Q', *lost)),
                              (1408, bytes(chance.choices(range(256), k=640))), (2048, struct.pack('<2Q', *window) + moment), *[(64, bytes(24))] * killed):
                synthetic.overwrite(paths[-1], at, value)
            bench.run('snapshot', '-f', '-o', bench.here('snapshot'), paths[-1])
            got, wanted = head(bench.here('snapshot')), head(paths[-1])
            equal((got[40:88], got[100:116], got[176:1392], got[1408:2048]), (wanted[40:88], wanted[100:116], wanted[176:1392], wanted[1408:1928] + bytes(120)), f'turn {turn}: a snapshot')
            if not any(window):
                equal(*(bench.table('stats', '--csv', path) for path in (bench.here('snapshot'), paths[-1])), f'turn {turn}: the figures of a snapshot')
            parts.append((late, head(paths[-1])[40:64], head(paths[-1])[104:108], refused, stopped, lost, moment, window))
        bench.run('merge', '-f', '-o', bench.here('all'), *paths)
        got = head(bench.here('all'))
        equal((got[40:64], got[64:88], got[104:108]), (*min(parts)[1:2], bytes(24), *min(parts)[2:3]), f'turn {turn}: start, end, clock')
        equal(got[176:1200].rstrip(b'\0').decode(), ' '.join(['merged:', *paths]), f'turn {turn}: the command')
        equal(struct.unpack_from('<I', got, 112), (sum(part[3] for part in parts),), f'turn {turn}: refused')
        equal(struct.unpack_from('<I', got, 100), (max(part[4] for part in parts),), f'turn {turn}: stopped')
        equal(struct.unpack_from('<24Q', got, 1200), tuple(map(sum, zip(*(part[5] for part in parts)))), f'turn {turn}: losses')
        windows = [[1000 * part[0] + at for at in part[7]] for part in parts]  # the earliest begins at 0
        equal(list(struct.unpack_from('<2Q', got, 2048)), [min(a for a, _ in windows), max(z for _, z in windows)] if turn % 2 else [0, 0], f'turn {turn}: window')
        equal(got[2064:2088], max((part[6] for part in parts), key=lambda moment: moment[16:][::-1]), f'turn {turn}: moment')


def case_exact_merge(bench):
    """Processes of merged recordings stay apart; the merged recording begins with the earliest; losses are added up."""
    paths = []
    for i in range(2):
        recording = synthetic.Recording(realtime=synthetic.REALTIME + 10**6 * (1 - i), end=10**7)
        for k in range(2):
            thread = recording.process(pid=100 + k, exe=f'/bin/p{i}{k}', host=f'host{i}').thread(100 + k)
            thread.ranges(f'r{i}{k}', [500], at=1000)
            thread.dropped = 1 + i
        paths.append(recording.write(bench.here(f'{i}.nvtxh')))
    both = bench.here('both.nvtxh')
    bench.run('merge', '-o', both, *paths)
    rows = bench.table('export', '--format', 'csv', both)
    equal([(row['Message'], row['PID'], row['Host'], int(row['Start (ns)'])) for row in rows],
          [('r10', '100', 'host1', 1000), ('r11', '101', 'host1', 1000), ('r00', '100', 'host0', 1001000), ('r01', '101', 'host0', 1001000)], 'merged')
    require('6 events were dropped' in bench.run('stats', both).stderr, 'losses of all')
    # The first moment of each relates it to the others: where its wall clock was set later, its other times stay as they are.
    chance, paths, wanted = random.Random(5), [], []
    for i in range(3):
        late, ahead = chance.randrange(10**6), chance.choice([-10**9, 10**9])
        recording = synthetic.Recording(realtime=synthetic.REALTIME + late, end=10**7)
        recording.adjusted = lambda at, ahead=ahead: ahead * (at > 5 * 10**6)
        thread, at = recording.process().thread(1), sorted(chance.sample(range(1000, 9 * 10**6), 40))
        for number, moment in enumerate(at):
            thread.jump(number)  # to a chunk that knows this moment on both clocks
            thread.mark(moment, 'mark')
        wanted += [late + moment for moment in at]
        paths.append((late, recording.write(bench.here(f'set{i}.nvtxh'))))
    bench.run('merge', '-f', '-o', both, *(path for _, path in paths))
    equal([int(row['Start (ns)']) + min(paths)[0] for row in bench.table('export', '--format', 'csv', both)], sorted(wanted), 'the wall clock was set')


def case_exact_status(bench):
    """Output that cannot be printed is a failure; signals reach the recorded program; two typing mistakes are understood."""
    recording = synthetic.Recording(end=10**6)
    recording.process().thread(1).mark(1000, 'mark')
    path = recording.write(bench.here('r.nvtxh'))
    with open('/dev/full', 'w') as full:
        done = subprocess.run([bench.nvtxh, 'stats', path], stdout=full, stderr=subprocess.PIPE, text=True)
    require(done.returncode == 1 and 'cannot write the output' in done.stderr, 'a full disk', done)
    require('did you mean export?' in bench.run('xepotr', status=2).stderr, 'export')
    script = "trap 'exit 9' USR1; echo ready; for i in $(seq 500); do sleep 0.02; done"
    with subprocess.Popen([bench.nvtxh, 'record', '-o', bench.here('s.nvtxh'), '--', 'sh', '-c', script], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True) as done:
        equal(done.stdout.readline(), 'ready\n', 'the program runs')
        os.kill(done.pid, signal.SIGUSR1)
        done.communicate()
    equal(done.returncode, 9, 'the signal has reached the program')
    if 'sqlite' in bench.run('--version').stdout.split('built without')[0]:
        bench.run('export', '--format', 'sqlite', '-o', bench.here('r.sqlite'), path)
        equal(sqlite3.connect(bench.here('r.sqlite')).execute('SELECT start, end FROM NVTX_EVENTS WHERE eventType = 34').fetchall(),
              [(1000, None)], 'a mark')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
