#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in payloads and names, in every form."""
import csv
import io
import json
import math
import os
import platform
import random
import sqlite3
import struct

from harness import driver
from harness.checks import equal, perfetto_trace, require, skip
import reference_model
import synthetic

FIELDS = {'outer.color': 'green', 'outer.1': 'deep', 'outer.2': '3 1 -2 3 1 -2', 'outer.3': 'fixed'}


def case_extended(bench):
    """Payloads with schemas are readable text and columns, also deep copies and enums; counters have their values."""
    if not os.path.exists(bench.program('extended-3')):
        skip('the NVTX of this build has no payload extension')
    rec = bench.record('e.nvtxh', 'extended-3')
    rows = bench.table('export', '--format', 'csv', rec)
    deep = [row for row in rows if row['Message'] == 'deep']
    equal([row['Style'] for row in deep], ['Mark', 'PushPop', 'StartEnd'], 'events whose message is in their payload')
    whole = 'outer={color=green, 1="deep", 2=[{count=3, 1=[1, -2, 3]}, {count=1, 1=[-2]}], 3="fixed"}'
    text = 'payload[1]="a text with an end"'
    end = 'end payload="a text with an end"'
    equal([row['Payload'] for row in deep], [whole, f'{whole}, {text}, {end}', f'{whole}, {end}'], 'payloads as text')
    for row in deep:
        equal({key: row[key] for key in FIELDS}, FIELDS, 'payloads in columns')
    with_attributes, = [row for row in rows if row['Message'] == 'with attributes']
    equal(with_attributes['Payload'], f'{whole}, {text}', 'a payload among attributes')
    short = [row['Payload'] for row in rows if row['Style'] == 'Mark' and row['Message'] == '']
    equal(short[:2], ['outer={color=green, 1=-, 2=[{count=-1, 1=[]}, {count=1, 1=[-2]}], 3="fixed"}', 'outer={color=green}'],
          'payloads that are cut short or point nowhere')
    memory = [row['Payload'] for row in rows if (row['Style'], row['Message']) == ('Counter', 'memory')]
    equal(memory, ['0', '-1', '-2', '7', '7', '8'], 'samples of a counter')
    counters = {row['Range']: row for row in bench.table('stats', '--csv', rec) if row['Style'] == 'Counter'}
    row = counters['extended:memory']
    equal([float(row[c]) for c in ('Instances', 'Min Value', 'Max Value', 'Last Value')], [6, -2, 8, 8], 'stats of a counter')
    chrome = json.loads(bench.run('export', '--format', 'chrome', rec).stdout)['traceEvents']
    slice_, = [event for event in chrome if event['ph'] == 'X' and event['name'] == 'deep']
    equal((slice_['args']['outer.color'], slice_['args']['outer.2[0].1[2]']), ('green', '3'), 'arguments in chrome')
    equal([e['args']['value'] for e in chrome if e['ph'] == 'C' and e['name'] == 'load'], [0.5, 1.5, 2.5, 1], 'counters in chrome')
    done = bench.run('export', rec, '--format', 'sqlite', '-o', bench.here('e.sqlite'), status=None)
    if not done.returncode:
        import sqlite3
        db = sqlite3.connect(bench.here('e.sqlite'))
        texts = [json.loads(text) for text, in db.execute('SELECT jsonText FROM NVTX_EVENTS WHERE jsonText IS NOT NULL')]
        equal(texts[0], {'outer': {'color': 'green', '1': 'deep', '2': [{'count': 3, '1': [1, -2, 3]}, {'count': 1, '1': [-2]}],
                                   '3': 'fixed'}}, 'JSON in SQLite')
        equal([v for v, in db.execute("SELECT value FROM NVTXH_COUNTERS WHERE name = 'load'")], [0.5, 1.5, 2.5, 1], 'counters')
        db.close()


class Layout:
    """A drawn schema: where its entries are, what a C compiler would do, by a size and an alignment for each type."""

    def __init__(self, rng, number, inner):
        self.rng, self.number, self.entries = rng, number, []
        self.kind, self.pack = rng.choice([1, 1, 1, 3]), rng.choice([0, 0, 0, 1, 2, 4, 8])  # a struct or a union
        end, self.align = 0, 1
        for _ in range(rng.randrange(1, 6)):
            one = rng.choice([('B', 12), ('b', 11), ('H', 14), ('h', 13), ('I', 16), ('i', 15), ('Q', 18), ('q', 17), *inner * 3])
            size, align = (one.size, one.align) if isinstance(one, Layout) else (struct.calcsize('<' + one[0]),) * 2
            align = min(align, self.pack or align)
            count = rng.choice([None, None, 1, 3])
            place = 0 if self.kind == 3 else (end + align - 1) // align * align
            offset = place + rng.choice([align, 3 * align]) if self.kind == 1 and self.entries and rng.random() < .2 else 0  # that the program says
            place = offset or place
            self.entries.append((one, count, place, offset))
            self.align = max(self.align, align)
            end = max(end, place + size * (count or 1)) if self.kind == 3 else place + size * (count or 1)
        self.size = (end + self.align - 1) // self.align * self.align
        self.static = rng.choice([0, 0, self.size, self.size + 2 * self.align])
        self.size = self.static or self.size

    def record(self):
        names = 'abcdefgh'[:len(self.entries)]
        body = struct.pack('<5QII', self.number, self.kind, 0, self.static, self.pack, len(self.entries), 1)
        for one, count, _, offset in self.entries:
            body += struct.pack('<4Q2I', 0 if count is None else 1 << 4, one.number if isinstance(one, Layout) else one[1], count or 0, offset, 1, 0)
        return body + b's' + names.encode()

    def shown(self, data, at):
        parts = []
        for name, (one, count, place, _) in zip('abcdefgh', self.entries):
            size = one.size if isinstance(one, Layout) else struct.calcsize('<' + one[0])
            values = [one.shown(data, at + place + i * size) if isinstance(one, Layout) else str(struct.unpack_from('<' + one[0], data, at + place + i * size)[0])
                      for i in range(count or 1)]
            parts.append(f'{name}=[{", ".join(values)}]' if count else f'{name}={values[0]}')
        return f'{{{", ".join(parts)}}}'

    def leaves(self, data, at):
        """For each entry, the numbers in it in their order."""
        parts = []
        for one, count, place, _ in self.entries:
            size = one.size if isinstance(one, Layout) else struct.calcsize('<' + one[0])
            parts.append([leaf for i in range(count or 1) for leaf in (
                sum(one.leaves(data, at + place + i * size), []) if isinstance(one, Layout) else [str(struct.unpack_from('<' + one[0], data, at + place + i * size)[0])])])
        return parts


def case_layouts(bench):
    """The fields of drawn structs and unions, packed or not, in each other or in arrays, are where a compiler puts them or their schema says."""
    recording, wanted = synthetic.Recording(), []
    process = recording.process()
    thread = process.thread(1)
    for seed in range(300):
        rng, inner = random.Random(seed), []
        for depth in range(rng.choice([1, 2, 3])):
            inner.append(Layout(rng, (1 << 24) + 4 * seed + depth, inner))
            process.names.long(synthetic.SCHEMA, 0, inner[-1].record())
        outer = inner[-1]
        data = rng.randbytes(outer.size)
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', outer.number, 0, len(data)) + data + bytes(-len(data) % 8), at=seed + 1)
        thread.mark(seed + 1, str(seed))
        columns = [' '.join(leaves) for leaves in outer.leaves(data, 0)]
        wanted.append((str(seed), 's=' + outer.shown(data, 0), columns + [''] * (5 - len(columns))))
    rows = [(row['Message'], row['Payload'], [row[f's.{name}'] for name in 'abcde']) for row in bench.table('export', '--format', 'csv', recording.write(bench.here('layouts.nvtxh')))]
    equal([pair for pair in zip(rows, wanted) if pair[0] != pair[1]][:3], [], 'payloads')
    equal(len(rows), len(wanted), 'rows')


def case_messages_drawn(bench):
    """An event that has no message of its own has the first one in its payload; what its end has is none."""
    recording, wanted = synthetic.Recording(), []
    process, rng = recording.process(), random.Random(1)
    for number, flags in enumerate(([1 << 10], [0], [0, 1 << 10])):  # which entries are messages
        entries = b''.join(struct.pack('<4Q2I', flag, 75, 8, 0, 0, 0) for flag in flags)
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + number, 1, 0, 0, 0, len(flags), 0) + entries)
    thread = process.thread(1)

    def payload(at):
        """Its messages."""
        body, messages = b'', []
        for number in rng.choices(range(3), k=rng.randrange(3)):
            words = [f'{rng.choice("abc")}{at}{i}' for i in range(1 + (number == 2))]
            body += struct.pack('<QQQ', (1 << 24) + number, 0, 8 * len(words)) + b''.join(word.encode().ljust(8, b'\0') for word in words)
            messages += words[-1:] * (number != 1)
        if body:
            thread.long(synthetic.EXTENDED, 1, body, at=at)
        return messages
    for at in range(10, 2010, 10):
        own, messages, style = rng.choice([None, 'own', f'own {at}']), payload(at), rng.choice(['PushPop', 'StartEnd', 'Mark'])
        {'PushPop': thread.push, 'Mark': thread.mark, 'StartEnd': lambda at, text: thread.start(at, at, text)}[style](at, own)
        if style != 'Mark':
            payload(at + 5)
            thread.pop(at + 5) if style == 'PushPop' else thread.end(at + 5, at)
        wanted.append((style, at, own or (messages or [''])[0]))
    rows = bench.table('export', '--format', 'csv', recording.write(bench.here('messages.nvtxh')))
    equal([(row['Style'], int(row['Start (ns)']), row['Message']) for row in rows], wanted, 'messages')


def case_several(bench):
    """A blob with several values of its schema is an array of them; what is left of it is not enough for one. Blobs without a name are numbered."""
    for seed in range(30):
        rng, recording, wanted = random.Random(seed), synthetic.Recording(), []
        process = recording.process()
        entries = b''.join(struct.pack('<4Q2I', 0, 14, 0, 0, 1, 0) for _ in range(2))  # of 16 bits
        for number, name in (1, 'p'), (2, ''):
            process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + number, 1, 0, 4, 0, 2, len(name)) + entries + name.encode() + b'ab')
        thread, blobs = process.thread(1), b''
        for place in range(rng.randrange(1, 4)):
            schema, values, rest = rng.choice([1, 2]), [(rng.randrange(1 << 16), rng.randrange(1 << 16)) for _ in range(rng.randrange(1, 5))], rng.randrange(4)
            data = b''.join(struct.pack('<HH', *value) for value in values) + bytes(rest)
            blobs += struct.pack('<QQQ', (1 << 24) + schema, 0, len(data)) + data + bytes(-len(data) % 8)
            shown = ', '.join(f'{{a={a}, b={b}}}' for a, b in values)
            wanted.append(f'{"p" if schema == 1 else f"payload[{place}]" if place else "payload"}=' + (f'[{shown}]' if len(values) > 1 else shown))
        thread.long(synthetic.EXTENDED, 1, blobs, at=1)
        thread.push(1, 'range')
        thread.pop(9)
        row, = bench.table('export', '--format', 'csv', recording.write(bench.here('s.nvtxh')))
        slowest, = bench.table('stats', '--csv', '--slowest', 'range', bench.here('s.nvtxh'))
        equal((row['Payload'], slowest['Payload']), (', '.join(wanted),) * 2, f'seed {seed}')


def case_keys(bench):
    """Keys in exports are unique, whatever schemas, entries and the payloads of start and end are named; in the order of the values."""
    for seed in range(30):
        rng, recording = random.Random(seed), synthetic.Recording()
        process, schemas = recording.process(), {}
        for number in range(1, 5):  # of bytes, and of schemas before it
            entries = [(rng.choice(['a', 'a', 'a (2)', '', '1', 'a.a', 'color']), rng.choice([None, None, *schemas])) for _ in range(rng.randrange(1, 5))]
            schemas[number] = rng.choice(['s', 's', 'payload', '', 'a']), entries
            body = b''.join(struct.pack('<4Q2I', 0, 12 if of is None else (1 << 24) + of, 0, 0, len(name), 0) for name, of in entries)
            name = schemas[number][0].encode()
            process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + number, 1, 0, 0, 0, len(entries), len(name)) + body + name
                               + b''.join(name.encode() for name, _ in entries))

        def size(number):
            return sum(1 if of is None else size(of) for _, of in schemas[number][1])
        thread, values = process.thread(1), []
        for at in 1, 3:  # the payloads of the beginning, and of the end
            blobs = b''
            for number in rng.choices(list(schemas), k=rng.randrange(1, 4)):
                data = bytes(rng.randrange(1, 256) for _ in range(size(number)))
                blobs += struct.pack('<QQQ', (1 << 24) + number, 0, len(data)) + data + bytes(-len(data) % 8)
                values += data
            thread.long(synthetic.EXTENDED, 1, blobs, at=at)
            (thread.push if at == 1 else thread.pop)(*(at, 'range')[:2 if at == 1 else 1])
        path = recording.write(bench.here('keys.nvtxh'))

        def unique(pairs):
            require(len({key for key, _ in pairs}) == len(pairs), f'seed {seed}: a key twice', pairs)
            return dict(pairs)

        def leaves(value):
            return [leaf for each in value.values() for leaf in leaves(each)] if isinstance(value, dict) else [value]
        for kind in 'sqlite', 'chrome', 'perfetto':
            bench.run('export', '-f', '--format', kind, '-o', bench.here('keys.' + kind), path)
        text, = sqlite3.connect(bench.here('keys.sqlite')).execute('SELECT jsonText FROM NVTX_EVENTS WHERE jsonText IS NOT NULL').fetchone()
        equal(leaves(json.loads(text, object_pairs_hook=unique)), values, f'seed {seed}, {text}')
        with open(bench.here('keys.chrome')) as f:
            event, = [event for event in json.load(f, object_pairs_hook=unique)['traceEvents'] if event['ph'] == 'X']
        equal([int(value) for value in event['args'].values()], values, f'seed {seed}, chrome')
        trace = perfetto_trace(bench.here('keys.perfetto'))
        event, = [packet.track_event for packet in trace.packet if packet.track_event.type == packet.track_event.TYPE_SLICE_BEGIN]
        equal(list(unique([(one.name, one.uint_value) for one in event.debug_annotations]).values()), values, f'seed {seed}, perfetto')


def case_enumerators(bench):
    """Enumerators have their names, whatever their value; a value without a name is a number, signed if the enum is."""
    recording = synthetic.Recording()
    process = recording.process()
    kinds = {1: ('wide', 4, [(2**64 - 3, 'red'), (0, 'green'), (70000, 'blue')]), 2: ('narrow', 1, [(0, 'off'), (200, 'on')]),
             3: ('widest', 8, [(2**64 - 1, 'last'), (2**40, 'far')]), 4: ('short', 2, [(65535, 'most')]),
             5: ('twice', 1, [(9, 'nine'), (-247 & 2**64 - 1, 'other'), (3, 'three'), (9, 'again'), (0, 'none')])}
    for number, (name, size, values) in kinds.items():
        body = struct.pack('<Q4I', (1 << 24) + number, size, len(values), len(name), 0)
        body += b''.join(struct.pack('<QII', value, 0, len(text)) for value, text in values)
        process.names.long(synthetic.ENUM, 0, body + name.encode() + b''.join(text.encode() for _, text in values))
    thread = process.thread(1)
    for at, (kind, value) in enumerate(((1, -3), (1, 0), (1, 70000), (1, -5), (2, 0), (2, 200), (2, 201), (3, -1), (3, 2**40), (3, -2**40), (4, 65535), (4, 7), (5, 9), (5, 3), (5, 0), (5, -2))):
        bits = (value & 2**64 - 1).to_bytes(8, 'little')[:kinds[kind][1]]
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + kind, 0, len(bits)) + bits.ljust(8, b'\0'), at=at)
        thread.mark(at, 'mark')
    rows = bench.table('export', '--format', 'csv', recording.write(bench.here('e.nvtxh')))
    equal([row['Payload'] for row in rows], ['wide=red', 'wide=green', 'wide=blue', 'wide=-5', 'narrow=off',
                                             'narrow=on', 'narrow=201', 'widest=last', 'widest=far', f'widest={-2**40}', 'short=most', 'short=7', 'twice=nine', 'twice=three', 'twice=none', 'twice=-2'], 'enumerators')


def case_orphaned(bench):
    """The payload of a pop or an end that ends nothing is that of no later event."""
    recording = synthetic.Recording()
    process = recording.process(forked=1)
    process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 1, 0, 0, 0, 1, 1) + struct.pack('<4Q2I', 0, 16, 0, 0, 1, 0) + b'pa')
    thread = process.thread(1)

    def payload(at):
        thread.long(synthetic.EXTENDED, 1, struct.pack('<4Q', (1 << 24) + 1, 0, 4, 7), at=at)

    payload(10)
    thread.pop(10)
    thread.mark(11, 'after a pop')
    for at in 20, 30:
        payload(at)
        thread.end(at, 5)
    thread.mark(31, 'after an end')
    payload(40)
    thread.mark(40, 'with one')
    rows = bench.table('export', '--format', 'csv', recording.write(bench.here('orphaned.nvtxh')))
    equal([row['Payload'] for row in rows], ['', '', 'p={a=7}'], 'payloads of the marks')


def in_lane(thread, at, scope):
    """The next event of the thread, at this time, is in the lane of the scope."""
    thread.long(synthetic.EXTENDED, 1, struct.pack('<4Q', 70, 0, 8, scope), at=at)


def lanes_of(bench, path):
    """{message: the name of its lane, or None} and the names of all threads and lanes, of chrome's trace."""
    events = json.loads(bench.run('export', '--format', 'chrome', path).stdout)['traceEvents']
    names = {event['tid']: event['args']['name'] for event in events if event['name'] == 'thread_name'}
    return {event['name']: names.get(event['tid']) for event in events if event['ph'] in 'Xbi'}, list(names.values())


def case_lanes_nested(bench):
    """Scopes nested in one another have their path as name, up to 4096 bytes; without a path of its own, a scope has no lane."""
    recording = synthetic.Recording()
    process = recording.process()
    thread, wanted = process.thread(1), {}
    path = ''
    for number in range(1, 3001):
        own = f'a scope of a path like others, {number}'
        path = f'{path}/{own}' if path and len(path) <= 4096 else own
        process.names.long(synthetic.SCOPE, 0, struct.pack('<QQ', number, number - 1) + own.encode())
        if number % 50 == 0:
            in_lane(thread, number, number)
            thread.mark(number, str(number))
            wanted[str(number)] = path
    for _ in range(4):
        process.names.long(synthetic.SCOPE, 0, struct.pack('<QQ', 5000, 5000) + b'of itself')
    process.names.long(synthetic.SCOPE, 0, struct.pack('<QQ', 5001, 0))
    process.names.long(synthetic.SCOPE, 0, struct.pack('<QQ', 5002, 1))
    for number, name in (5000, 'of itself'), (5001, None), (5002, None):
        in_lane(thread, number, number)
        thread.mark(number, str(number))
        wanted[str(number)] = name
    equal(lanes_of(bench, recording.write(bench.here('nested.nvtxh')))[0], wanted, 'lanes')


def case_synchronized(bench):
    """What a program says of its locks are marks, of the domain in which it said that: what it did, and the lock's name."""
    recording = synthetic.Recording()
    process = recording.process()
    process.domain(1, 'lib')
    process.names.long(synthetic.REGISTERED, 3, b'by a string')
    for number, name, text in (5, 0, b'a lock'), (6, 3 | 1 << 31, b''), (7, 0, b''):
        process.names.long(23, number, struct.pack('<QII', number, 0x10000000, name) + text)
    thread, wanted = process.thread(1), []
    for lock, name in (5, 'a lock'), (6, 'by a string'), (7, ''), (99, '?'):
        for number, what in enumerate(('acquire', 'failed to acquire', 'acquired', 'release'), 1):
            at = 100 * (len(wanted) + 1)
            thread.long(synthetic.EXTENDED, 2, struct.pack('<II', lock, number), domain=len(wanted) % 2, at=at)
            wanted.append((str(at), str(at), 'Mark', ('', 'lib')[len(wanted) % 2], f'{what} {name}', '1'))
    rows = bench.table('export', '--format', 'csv', recording.write(bench.here('s.nvtxh')))
    equal([tuple(row[head] for head in ('Start (ns)', 'End (ns)', 'Style', 'Domain', 'Message', 'TID')) for row in rows], wanted, 'marks')


def case_lanes_named(bench):
    """A range is in the lane that its scope's name had at the range's start, whichever half has the scope and is read first; only lanes with events have names."""
    recording = synthetic.Recording()
    process = recording.process()
    process.names.long(synthetic.THREAD, 1, b'main')
    for number, path in (1, b'CUDA stream 0x10'), (2, b'other'), (3, b'without events'):
        process.names.long(synthetic.SCOPE, 0, struct.pack('<QQ', number, 0) + path)
    for number, (at, name) in enumerate(((50, b'early'), (500, b'late')), 1):
        process.names.long(23, number, struct.pack('<QII', 0x10, 5 << 16 | 1, 0) + name, at=at)
    halves, wanted = [[], []], {}  # of each of two threads
    for first, last in (0, 1), (1, 0):
        for start, end, begun, ended, lane in ((100, 900, 0, 1, 'early'), (100, 900, 1, 1, 'early'), (100, 900, 1, 2, 'early'), (100, 900, 2, 1, 'other'),
                                               (100, 300, 0, 1, 'early'), (600, 900, 0, 1, 'late'), (100, 900, 1, 0, 'early')):
            number = len(wanted) + 1
            halves[first].append((start + number, begun, number, False))
            halves[last].append((end + number, ended, number, True))
            wanted[f'range {number}'] = lane
    for tid, mine in enumerate(halves, 1):
        thread = process.thread(tid)
        for at, scope, number, is_end in sorted(mine):
            if scope:
                in_lane(thread, at, scope)
            if is_end:
                thread.end(at, number)
            else:
                thread.start(at, number, f'range {number}')
    path = recording.write(bench.here('named.nvtxh'))
    found, names = lanes_of(bench, path)
    equal(found, wanted, 'lanes')
    equal(sorted(names), ['early', 'late', 'main', 'other'], 'names in chrome')
    if not bench.run('export', path, '--format', 'sqlite', '-o', bench.here('named.sqlite'), status=None).returncode:
        import sqlite3
        db = sqlite3.connect(bench.here('named.sqlite'))
        equal(db.execute('SELECT value FROM ThreadNames JOIN StringIds ON id = nameId ORDER BY value').fetchall(), [(name,) for name in sorted(names)],
              'names in SQLite')
        equal(db.execute('SELECT count(*), count(endGlobalTid) FROM NVTX_EVENTS WHERE eventType = 60').fetchall(), [(len(wanted), 0)], 'each begins and ends in one lane')
        db.close()
    if not bench.run('export', path, '--format', 'perfetto', '-o', bench.here('named.pftrace'), status=None).returncode:
        with open(bench.here('named.pftrace'), 'rb') as f:
            trace = f.read()
        equal([name in trace for name in (b'other', b'without events')], [True, False], 'names in Perfetto')


def case_varying(bench):
    """A struct with an array of no fixed length has no size of its own, so neither has a struct around it."""
    recording = synthetic.Recording()
    process = recording.process()
    inner = struct.pack('<4Q2I', 0, 12, 0, 0, 1, 0) + struct.pack('<4Q2I', 3 << 4, 12, 0, 0, 1, 0)
    process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 2, 0, 0, 0, 2, 1) + inner + b'ina')
    outer = struct.pack('<4Q2I', 0, 14, 0, 0, 1, 0) + struct.pack('<4Q2I', 0, (1 << 24) + 1, 0, 0, 1, 0)
    process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 2, 2, 0, 0, 0, 2, 1) + outer + b'oxy')
    thread = process.thread(1)
    thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQHB3BH', (1 << 24) + 2, 0, 6, 5, 3, 7, 8, 9, 0))
    thread.mark(1, 'mark')
    row, = bench.table('export', '--format', 'csv', recording.write(bench.here('d.nvtxh')))
    equal(row['Payload'], 'o={x=5, y={n=3, a=[7, 8, 9]}}', 'a struct of no fixed size in a struct')


def case_arrays(bench):
    """An array has as many elements as its kind says: a number of them, as many as another entry says, or those before the first zero."""
    def entry(flags, kind, detail=0):
        return struct.pack('<4Q2I', flags, kind, detail, 0, 1, 0)

    def shown(entries, data, schema=2):  # a dynamic one: its arrays have no size of their own
        recording = synthetic.Recording()
        process = recording.process()
        body = struct.pack('<5QII', (1 << 24) + 1, schema, 0, 0, 0, len(entries), 1) + b''.join(entries) + b'p' + b'abcd'[:len(entries)]
        process.names.long(synthetic.SCHEMA, 0, body)
        thread = process.thread(1)
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + 1, 0, len(data)) + data + bytes(-len(data) % 8))
        thread.mark(1, 'mark')
        row, = bench.table('export', '--format', 'csv', recording.write(bench.here('a.nvtxh')))
        return row['Payload']

    fixed, zero, length = 1 << 4, 2 << 4, 3 << 4
    short, byte = 14, 12  # of 16 and 8 bits, without a sign
    first = entry(0, short)
    for flags, kind, data, wanted in (
            ((fixed, 3), short, (3, 4, 5), '3, 4, 5'), ((fixed, 1), short, (3,), '3'), ((fixed, 3), short, (3, 0, 5), '3, 0, 5'),
            ((zero, 0), short, (3, 4, 0, 5), '3, 4'), ((zero, 0), short, (3, 4, 5), '3, 4, 5'), ((zero, 0), short, (0, 4), ''), ((zero, 0), short, (256, 4, 0), '256, 4'),
            ((length, 0), short, (3, 4, 5), '3, 4'), ((length, 0), short, (3,), '3')):
        got = shown([first, entry(flags[0], kind, flags[1])], struct.pack(f'<{1 + len(data)}H', 2, *data))
        equal(got, f'p={{a=2, b=[{wanted}]}}', (flags, data))
    # A length is negative only if its type has a sign; no array is longer than its data.
    for kind in range(11, 19):  # of 8 to 64 bits, with a sign and without
        bits, has_sign = 8 << (kind - 11) // 2, kind % 2
        for number, wanted in (2, '7, 7'), (-1 if has_sign else (1 << bits) - 1, '' if has_sign else '7, 7, 7'):
            data = number.to_bytes(bits // 8, 'little', signed=number < 0) + bytes([7, 7, 7])
            equal(shown([entry(0, kind), entry(length, byte, 0)], data), f'p={{a={number}, b=[{wanted}]}}', (number, kind))
    # What follows an array of a fixed size has its place behind it.
    got = shown([entry(fixed, byte, 3), entry(0, short)], struct.pack('<3BxH', 1, 2, 3, 7), 1)
    equal(got, 'p={a=[1, 2, 3], b=7}', 'behind an array')
    # Data at an offset is not recorded.
    equal(shown([entry(1 << 2, byte), entry(1 << 3 | fixed, byte, 3), entry(0, short)], struct.pack('<B3BH', 1, 2, 3, 4, 7), 1), 'p={a=-, b=-, c=7}', 'offsets')
    # The elements of each array are numbered from 0.
    shown([entry(fixed, byte, 2), entry(fixed, byte, 3)], struct.pack('<5B', 1, 2, 3, 4, 5), 1)
    mark, = (o for o in json.loads(bench.run('export', '--format', 'chrome', bench.here('a.nvtxh')).stdout)['traceEvents'] if o['ph'] == 'i')
    equal(mark['args'], {'p.a[0]': '1', 'p.a[1]': '2', 'p.b[0]': '3', 'p.b[1]': '4', 'p.b[2]': '5'}, 'numbers of elements')


def case_pointers(bench):
    """Pointers lead into data that was copied, at its beginning or in its middle, and no further than its end; others are shown as nothing."""
    for seed in range(30):
        rng, recording = random.Random(seed), synthetic.Recording()
        process = recording.process()
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 2, 1, 0, 4, 0, 2, 1)
                           + b''.join(struct.pack('<4Q2I', 0, 14, 0, 0, 1, 0) for _ in range(2)) + b'qab')
        copies, address = [], 0x7000
        for _ in range(rng.choice([1, 2, 3])):
            data = bytes(rng.choice(b'abcdefgh') for _ in range(rng.randrange(1, 30))) + bytes(rng.choice([0, 1, 2]))
            copies.append((address, data))
            address += len(data) + rng.choice([8, 1000])
        entries, values, wanted = [struct.pack('<4Q2I', 0, 14, 0, 0, 1, 0)], [], []
        length = rng.randrange(5)
        for _ in range(rng.randrange(1, 6)):
            start, data = rng.choice(copies)
            offset = rng.randrange(len(data))
            there = rng.random() < .8
            values.append(start + offset if there else rng.choice([0, 5, start - 1 if start == 0x7000 else 1, address + 5000]))
            rest = data[offset:]
            kind, flags, detail = rng.choice([(75, 0, 0), (12, 2 << 4, 0), (12, 3 << 4, 0), (12, 1 << 4, 3), ((1 << 24) + 2, 0, 0), (14, 0, 0), ((1 << 24) + 3, 1 << 4, 2)])
            entries.append(struct.pack('<4Q2I', 2 | flags, kind, detail, 0, 1, 0))
            if kind == 75:
                shown = '"' + rest.split(b'\0')[0].decode() + '"'
            elif kind == 12:
                count = length if flags == 3 << 4 else detail if detail else len(rest.split(b'\0')[0])
                shown = '[' + ', '.join(str(byte) for byte in rest[:count]) + ']'
            elif kind == 14:
                shown = str(struct.unpack_from('<H', rest)[0]) if len(rest) > 1 else '-'
            elif kind == (1 << 24) + 3:  # which is not known
                shown = '-'
            else:
                shown = '{' + ', '.join(f'{name}={struct.unpack_from("<H", rest, at)[0] if at + 2 <= len(rest) else "-"}' for name, at in (('a', 0), ('b', 2)) if at <= len(rest)) + '}'
            wanted.append(f'{"bcdefg"[len(wanted)]}={shown if there else "-"}')
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 1, 0, 0, 0, len(entries), 1) + b''.join(entries) + b'p' + b'abcdefg'[:len(entries)])
        whole = struct.pack(f'<H6x{len(values)}Q', length, *values)
        blobs = b''.join(struct.pack('<QQQ', schema, start, len(data)) + data + bytes(-len(data) % 8)
                         for schema, start, data in [((1 << 24) + 1, 0x10, whole), *(((1 << 64) - 1, *copy) for copy in copies)])
        thread = process.thread(1)
        thread.long(synthetic.EXTENDED, 1, blobs, at=1)
        thread.mark(1, 'mark')
        row, = bench.table('export', '--format', 'csv', recording.write(bench.here('p.nvtxh')))
        equal(row['Payload'], f'p={{a={length}, {", ".join(wanted)}}}', f'seed {seed}')


def case_counters_drawn(bench):
    """Each number in a sample of a counter with a schema is a counter of its own: called by its entry or, in an array, by its place; one by one or in batches."""
    for seed in range(20):
        rng, recording, wanted = random.Random(seed), synthetic.Recording(), {}
        process = recording.process()
        thread = process.thread(1)
        for number in range(1, 4):
            unit, entries = rng.choice(['', 'jobs']), []
            for letter in 'abcd'[:rng.randrange(1, 5)]:
                entries.append((rng.choice([letter, letter, '']), rng.choice('bHid'), rng.choice([None, None, 1, 3]), rng.choice(['', '', '%'])))
            kinds = {'b': 11, 'H': 14, 'i': 15, 'd': 20}
            body = b''.join(struct.pack('<4Q2I', 0 if count is None else 1 << 4, kinds[kind], count or 0, 0, len(name), len(own))
                            for name, kind, count, own in entries)
            body += b''.join((name + own).encode() for name, _, _, own in entries)
            process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + number, 1, 0, 0, 1, len(entries), 0) + body)  # packed
            process.names.long(28, 0, struct.pack('<3Q2I', number, (1 << 24) + number, 0, 2, len(unit)) + b'c%d' % number + unit.encode())
            layout = '<' + ''.join(f'{count or 1}{kind}' for _, kind, count, _ in entries)
            samples = b''
            for at in range(10):
                values = [rng.randrange(100) / 4 if kind == 'd' else rng.randrange(100) for _, kind, count, _ in entries for _ in range(count or 1)]
                samples += struct.pack(layout, *values)
                of_values = [(place, *entry) for place, entry in enumerate(entries) for _ in range(entry[2] or 1)]
                for element, (value, (place, name, _, count, own)) in enumerate(zip(values, of_values)):
                    full = f'c{number}[{element}]' if count else f'c{number}.{name or place}'
                    wanted.setdefault(full, []).append((own or unit, value))
            size, first = struct.calcsize(layout), rng.randrange(11)  # one by one, then the rest in two batches
            for at in range(first):
                thread.long(synthetic.EXTENDED, 3, struct.pack('<Q', number) + samples[at * size:(at + 1) * size], at=100 * number + at)
            for part in samples[first * size:][:3 * size], samples[first * size:][3 * size:]:
                thread.long(synthetic.EXTENDED, 4, struct.pack('<Q', number) + part, at=100 * number + 50)
        rows = bench.table('stats', '--csv', '--columns', 'name,unit,instances,value_min,value_max,value_last', recording.write(bench.here('c.nvtxh')))
        got = {row['Range']: [row['Unit'], *(float(row[column]) for column in ('Instances', 'Min Value', 'Max Value', 'Last Value'))] for row in rows}
        figures = {name: [each[0][0], len(each), min(v for _, v in each), max(v for _, v in each), each[-1][1]] for name, each in wanted.items()}
        equal(got, figures, f'seed {seed}')


def case_columns_drawn(bench):
    """CSV has a column for each entry of a schema that is not hidden, but for schemas that are used in others, whose values are in the columns of these."""
    for seed in range(20):
        rng, recording, schemas, heads = random.Random(seed), synthetic.Recording(), {}, []
        process, hide = recording.process(), 1 << 9
        for number in range(1, rng.randrange(2, 7)):  # of bytes, and of schemas before it
            entries = [(rng.choice([letter, letter, '']), rng.choice([None, None, *schemas]), rng.random() < .2) for letter in 'abc'[:rng.randrange(1, 4)]]
            schemas[number] = rng.choice([f's{number}', f's{number}', '']), entries
            body = b''.join(struct.pack('<4Q2I', hide * hidden, 12 if of is None else (1 << 24) + of, 0, 0, len(name), 0) for name, of, hidden in entries)
            name = schemas[number][0].encode()
            process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + number, 1, 0, 0, 0, len(entries), len(name)) + body + name
                               + b''.join(name.encode() for name, _, _ in entries))
        whole = [number for number in schemas if not any(of == number for _, entries in schemas.values() for _, of, _ in entries)]
        for name, entries in (schemas[number] for number in whole):
            heads += [f'{name or "payload"}.{entry or place}' for place, (entry, _, hidden) in enumerate(entries) if not hidden]

        def values(number, is_shown):
            """(bytes of the struct, those that are shown), which are the same numbers."""
            data, shown = [], []
            for _, of, hidden in schemas[number][1]:
                more, some = ([rng.randrange(1, 256)],) * 2 if of is None else values(of, is_shown and not hidden)
                data, shown = data + more, shown + some * (not hidden)
            return data, shown
        thread, wanted = process.thread(1), []
        for number in whole:
            name, entries = schemas[number]
            row, data = {}, []
            for place, (entry, of, hidden) in enumerate(entries):
                more, shown = ([rng.randrange(1, 256)],) * 2 if of is None else values(of, not hidden)
                data += more
                if not hidden and shown:
                    row[f'{name or "payload"}.{entry or place}'] = ' '.join(map(str, shown))
            thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + number, 0, len(data)) + bytes(data) + bytes(-len(data) % 8), at=number)
            thread.mark(number, 'mark')
            wanted.append(row)
        rows = bench.table('export', '--format', 'csv', recording.write(bench.here('c.nvtxh')))
        got = [{head: cell for head, cell in list(row.items())[16:] if cell} for row in rows]
        equal((list(rows[0])[16:], got), (list(dict.fromkeys(heads)), wanted), f'seed {seed}: {schemas}')


def case_many_fields(bench):
    """Of a payload with very many fields, each format has the first ones: perfetto 100, the others 2000."""
    for count in 99, 100, 101, 102, 1999, 2000, 2001, 2500:
        values = [(7 * i + i // 256) % 256 for i in range(count)]
        recording = synthetic.Recording()
        process = recording.process()
        array = struct.pack('<4Q2I', 1 << 4, 12, count, 0, 1, 0)
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 1, 0, 0, 0, 1, 1) + array + b'pa')
        thread = process.thread(1)
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + 1, 0, count) + bytes(values) + bytes(-count % 8))
        thread.mark(1, 'mark')
        path = recording.write(bench.here('m.nvtxh'))
        mark, = (o for o in json.loads(bench.run('export', '--format', 'chrome', path).stdout)['traceEvents'] if o['ph'] == 'i')
        equal(mark['args'], {f'p.a[{i}]': str(value) for i, value in enumerate(values[:2000])}, f'{count} fields: chrome')
        row, = bench.table('export', '--format', 'csv', path)
        equal(row['p.a'], ' '.join(map(str, values[:2000])), f'{count} fields: a column of CSV')
        equal(row['Payload'], f'p={{a=[{", ".join(map(str, values[:2000]))}]}}', f'{count} fields: CSV')
        done = bench.run('export', '--format', 'perfetto', '-f', '-o', bench.here('m.pftrace'), path, status=None)
        if 'built without' not in done.stderr:
            equal(done.returncode, 0, done.stderr)
            with open(bench.here('m.pftrace'), 'rb') as trace:
                events = [reference_model.fields(value) for number, packet in reference_model.fields(trace.read()) for number, value in reference_model.fields(packet) if number == 11]
            notes = [dict(reference_model.fields(value)) for event in events for number, value in event if number == 4]
            equal([(note[10].decode(), note[3]) for note in notes], [(f'payload.p.a[{i}]', value) for i, value in enumerate(values[:100])], f'{count} fields: perfetto')


def case_texts_drawn(bench):
    """Texts in fields of a fixed size end at a NUL or at the end of the field, whatever the size of their characters."""
    recording, wanted, rng = synthetic.Recording(), [], random.Random(6)
    process = recording.process()
    thread = process.thread(1)
    for number in range(1, 121):
        kind, unit, code = rng.choice([(76, 1, 'utf-8'), (77, 2, 'utf-16-le'), (78, 4, 'utf-32-le')])
        count, text = rng.randrange(1, 12), ''
        while len((longer := text + rng.choice('az\xe9\u20ac\U0001f600')).encode(code)) <= count * unit and rng.random() < .9:
            text = longer
        data = (text.encode(code) + bytes(unit) + 'rest of a longer text'.encode(code))[:count * unit]
        offset = (len(data) + 3) // 4 * 4
        entries = struct.pack('<4Q2I', 0, kind, count, 0, 1, 0) + struct.pack('<4Q2I', 0, 16, 0, offset, 1, 0)
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + number, 1, 0, 0, 0, 2, 1) + entries + b'pab')
        data = data.ljust(offset, b'?') + struct.pack('<I', number)
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + number, 0, len(data)) + data + bytes(-len(data) % 8), at=number)
        thread.mark(number, 'mark')
        wanted.append(f'p={{a="{text}", b={number}}}')
    equal([row['Payload'] for row in bench.table('export', '--format', 'csv', recording.write(bench.here('t.nvtxh')))], wanted, 'payloads')


def case_floats(bench):
    """Floats of each size are the numbers that they are, also those of 16 bits with the exponent of 32, and those of 80 bits."""
    recording, wanted, rng = synthetic.Recording(), [], random.Random(4)
    process = recording.process()
    for kind in 21, 42, 50:
        process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + kind, 1, 0, 0, 0, 1, 1) + struct.pack('<4Q2I', 0, kind, 0, 0, 1, 0) + b'pa')
    thread = process.thread(1)
    for number in range(300):
        kind, sign = rng.choice([21, 42, 50]), rng.choice([1, -1])
        if kind == 42:  # an exponent of 5 bits and a fraction of 10
            bits = rng.choice([rng.randrange(0x8000), 0x7c00])
            exponent, fraction = bits >> 10, bits & 0x3ff
            value = sign * (fraction * 2.0 ** -24 if exponent == 0 else (1024 + fraction) * 2.0 ** (exponent - 25) if exponent < 31 else math.nan if fraction else math.inf)
            data = struct.pack('<H', bits | (sign < 0) << 15)
        elif kind == 50:  # the upper half of a float
            bits = rng.randrange(0x7f80) | (sign < 0) << 15
            value, data = struct.unpack('<f', struct.pack('<I', bits << 16))[0], struct.pack('<H', bits)
        else:  # a sign, an exponent of 15 bits, a fraction of 64 with its first 1
            fraction, exponent = rng.randrange(1 << 52, 1 << 53), rng.randrange(-300, 300)
            value = sign * fraction * 2.0 ** exponent
            data = struct.pack('<QH6x', fraction << 11, exponent + 52 + 16383 | (sign < 0) << 15)
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + kind, 0, len(data)) + data + bytes(-len(data) % 8), at=number + 1)
        thread.mark(number + 1, 'mark')
        wanted.append((kind, value))
    rows = bench.table('export', '--format', 'csv', recording.write(bench.here('f.nvtxh')))
    got = [(kind, float(row['Payload'].removeprefix('p={a=').removesuffix('}'))) for (kind, _), row in zip(wanted, rows)]
    skipped = () if platform.machine() == 'x86_64' else (21,)  # elsewhere a long double is another type
    equal([pair for pair in zip(got, wanted) if str(pair[0]) != str(pair[1]) and pair[0][0] not in skipped][:5], [], 'values')


# How Python writes the types of nvToolsExtPayload.h that are numbers.
NUMBERS = {'B': (2, 12, 32), 'h': (3, 13), 'H': (4, 14), 'i': (5, 15), 'I': (6, 16), 'q': (7, 9, 17), 'Q': (8, 10, 18, 22), 'b': (11,), 'f': (19, 43), 'd': (20, 44)}


def case_types(bench):
    """Numbers of each type are what they are, at both ends of what the type can hold, and what lies behind them is found."""
    recording = synthetic.Recording()
    process = recording.process()
    thread, wanted = process.thread(1), []
    for layout, kinds in NUMBERS.items():
        bits = 8 * struct.calcsize(layout)
        ends = (-0.5, 2.0**100) if layout in 'fd' else (-1 << bits - 1, (1 << bits - 1) - 1) if layout.islower() else (0, (1 << bits) - 1)
        for kind in kinds:
            schema = (1 << 24) + kind
            entries = b''.join(struct.pack('<4Q2I', 0, of, 0, 0, 1, 0) for of in (kind, 12))
            process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', schema, 1, 0, 0, 0, 2, 1) + entries + b'paz')
            for value in ends:
                data = struct.pack(f'<{layout}B', value, 77)
                thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', schema, 0, len(data)) + data.ljust((len(data) + 7) // 8 * 8, b'\0'))
                thread.mark(len(wanted) + 1, f'{kind} {layout}')
                wanted.append((f'{kind} {layout}', value, '77'))
    got = []
    for row in bench.table('export', '--format', 'csv', recording.write(bench.here('t.nvtxh'))):
        a, z = row['Payload'].removeprefix('p={a=').removesuffix('}').split(', z=')
        got.append((row['Message'], float(a) if row['Message'][-1] in 'fd' else int(a), z))
    equal(got, wanted, 'payloads')


def case_bytes(bench):
    """Names of any bytes are UTF-8 in every format, with U+FFFD for bytes that are not."""
    recording = synthetic.Recording()
    process = recording.process()
    process.names.long(synthetic.DOMAIN, 1, b'd\xe9')
    thread = process.thread(1)
    thread.long(synthetic.TEXT, 1, b'caf\xe9 \xc3\xa9')
    thread.texts['bad'] = 1
    thread.push(1, 'bad', domain=1)
    thread.pop(5, domain=1)
    rec = recording.write(bench.here('b.nvtxh'))
    for command in ['stats', rec], ['stats', '--csv', rec], ['tree', rec], ['export', '--format', 'csv', rec], ['export', '--format', 'chrome', rec]:
        said = bench.run(*command).stdout.encode('utf-8', 'surrogateescape').decode('utf-8')
        require('caf\ufffd \u00e9' in said and 'd\ufffd' in said, command, said)
    if not bench.run('export', rec, '--format', 'sqlite', '-o', bench.here('b.sqlite'), status=None).returncode:
        import sqlite3
        db = sqlite3.connect(bench.here('b.sqlite'))
        equal({text for text, in db.execute('SELECT text FROM NVTX_EVENTS')}, {'d\ufffd', 'caf\ufffd \u00e9'}, 'SQLite')
        db.close()


if __name__ == '__main__':
    driver.main(globals(), __doc__)
