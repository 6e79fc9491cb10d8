# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings drawn at random, as files and as lists of what is in them.

A Drawn has processes, these have streams, and these have operations in the order of the file: tuples of a time, a name and its values.
    push WHAT | pop domain | no_push domain | mark WHAT | start range WHAT | end range | count domain counter value | thread tid | gap
WHAT is a domain, a text, a category, a colour and a payload; a payload is its type in NVTX's numbers and its value.
"""
import collections
import dataclasses
import math
import random
import struct

import synthetic

TEXTS = ['a', 'b', 'c', 'd', '', None]
REGISTERED = ['a', 'b', '']
DOMAINS = ['', 'one', 'two']
DURATION = 1_000_000_000
CATEGORIES = {(1, 1): 'first', (0, 2): 'second "of" none'}  # by domain and number
U64, I64, F64, U32, I32, F32 = range(1, 7)  # types of payloads
PAYLOADS = [(U64, (1 << 64) - 1), (U64, 1 << 63), (I64, -1 << 63), (I64, (1 << 63) - 1), (I64, -1), (I64, (1 << 53) + 1), (F64, 0.1), (F64, -2.5e300),
            (F64, math.inf), (U32, (1 << 32) - 1), (I32, -1 << 31), (F32, -0.375), (U64, 0)]
SAMPLES = [math.inf, -math.inf, 5e-324, (1 << 64) - 2048, 1 << 63, (1 << 63) - 1, -1 << 63]
UINT64 = 18
PRESET, NO_PUSH, PAYLOAD = 7, 8, 1


def type_of_sample(value):
    return F64 if isinstance(value, float) else U64 if value >> 63 > 0 else I64


@dataclasses.dataclass
class Stream:
    tid: int
    in_handlers: int = 0
    dropped: int = 0
    operations: list = dataclasses.field(default_factory=list)


@dataclasses.dataclass
class Process:
    pid: int
    end: int
    killed: bool = False
    forked: int = 0
    ring: int = 0
    host: str = ''
    rank: int = None
    threads: dict = dataclasses.field(default_factory=dict)  # tid -> name
    gates: list = dataclasses.field(default_factory=list)  # (time, whether it is open then)
    streams: list = dataclasses.field(default_factory=list)


class Drawn:
    """PLAIN: without payloads with a schema, which the model does not know. FULL: with colours, payloads, names of threads,
    hosts and ranks; threads of several processes have the same tid. KILLED: with processes that were killed. RATE: of the clock 2, whose samples
    are exact then, and times are multiples of 4 ns. SYNCED: the ns before which the clocks were not compared."""

    def __init__(self, rng, plain=False, clock=None, rings=True, size=60, full=False, rate=None, killed=True, synced=0, realtime=synthetic.REALTIME):
        self.rng, self.plain, self.rings, self.size, self.full = rng, plain, rings, size, full
        self.rate, self.killed, self.synced, self.realtime = rate, killed, synced, realtime
        self.clock = clock or rng.choice([1, 1, 2])
        self.processes = [self.process(number) for number in range(rng.choice([1, 1, 1, 2, 3]))]
        self.program = rng.choice([0, self.processes[-1].pid, 5_999_999])  # not known; recorded; not recorded

    def moment(self, start, end):
        at = self.rng.randrange(start, end)
        return at & ~3 if self.rate else at

    def process(self, number):
        rng = self.rng
        process = Process(6_000_000 + number, DURATION - self.moment(0, 1000), rng.random() < .3 and self.killed, int(rng.random() < .2))
        process.ring = 1 << 20 if self.rings and rng.random() < .2 else 0
        self.ranges, self.free = [], list(range(1, 1000))  # ids that were begun and have no end yet
        if not process.ring and rng.random() < .25:
            times = sorted(rng.sample(range(1, DURATION), rng.choice([1, 2, 3])))
            times = [at & ~3 for at in times] if self.rate else times
            is_open = rng.random() < .5
            for time in times:
                process.gates.append((time, is_open))
                is_open = not is_open
        for i in range(rng.choice([1, 1, 2, 3, 5])):
            in_handlers = int(i > 0 and rng.random() < .2)
            process.streams.append(self.stream(process, 5_000_000 + (0 if self.full else 10 * number) + (0 if in_handlers else i), in_handlers))
        if self.full:
            process.host, process.rank = rng.choice(['', 'left', 'right']), rng.choice([None, number])
            process.threads = {stream.tid: f'worker "{stream.tid % 10}"' for stream in process.streams if rng.random() < .5}
        return process

    def stream(self, process, tid, in_handlers):
        rng, stream = self.rng, Stream(tid, in_handlers)
        sharing = rng.random() < .3
        stream.dropped = 0 if sharing or rng.random() < .8 else 5
        count = rng.randrange(1, self.size)
        times = sorted(self.moment(1000, DURATION - 2000) for _ in range(count))
        if rng.random() < .3:  # many at the same moment, or nearly so
            times = sorted(self.moment(1000, 1000 + count) for _ in range(count))
        open_pushes = {}  # by domain: how many
        deep = rng.choice([.3, .5, .6])
        for at in times:
            stream.operations += self.operation(at, process, open_pushes, deep, sharing)
        return stream

    def what(self):
        rng = self.rng
        what = rng.randrange(3), rng.choice(TEXTS), rng.choice([None, None, 1, 2])
        if not self.full:
            return *what, None, None
        payload = rng.choice([None, rng.choice(PAYLOADS), (I64, rng.randrange(-1 << 63, 1 << 63))])
        return *what, rng.choice([None, 0, 0xff00ff00, 0x80123456]), payload

    def sample(self):
        value = self.rng.randrange(-5, 100)
        return self.rng.choice([value, value / 8, value << 55, self.rng.choice(SAMPLES)]) if self.full else value

    def operation(self, at, process, open_pushes, deep, sharing):
        rng, choice = self.rng, self.rng.random()
        if choice < .75:
            domain, *what = self.what()
            if rng.random() < deep:
                open_pushes[domain] = open_pushes.get(domain, 0) + 1
                return [(at, 'push', domain, *what)]
            if not open_pushes.get(domain) and rng.random() < .8:
                return [(at, 'no_push', domain)]
            open_pushes[domain] = max(0, open_pushes.get(domain, 0) - 1)
            return [(at, 'pop', domain)]
        if choice < .8:
            return [(at, 'mark', *self.what())]
        if choice < .86:
            number = self.free.pop(rng.randrange(len(self.free)))
            if rng.random() < .85:
                self.ranges.append((at, number))
                return [(at, 'start', number, *self.what())]
            return [(at, 'end', number)]
        begun = [i for i, (start, _) in enumerate(self.ranges) if start < at]
        if choice < .92 and begun:
            return [(at, 'end', self.ranges.pop(rng.choice(begun))[1])]
        if choice < .94:
            return [(at, 'count', rng.randrange(3), rng.randrange(2), self.sample())]
        if choice < .96 and sharing:
            open_pushes.clear()
            return [(at, 'thread', 5_000_500 + rng.randrange(50))]
        if choice < .97:
            open_pushes.clear()
            return [(at, 'gap')]
        return []

    def write(self, path):
        rng, exact = self.rng, self.clock == 1 or self.rate
        errors = {}  # by time: those of samples
        recording = synthetic.Recording(self.realtime, end=DURATION, clock=self.clock, rate=self.rate or (1 if exact else rng.choice([0.025, 1, 2.4])),
                                        synced=self.synced, noise=None if exact else lambda at: errors.setdefault(at, rng.randrange(-50, 51)),
                                        program=self.program)
        for one in self.processes:
            process = recording.process(one.pid, host=one.host, ring=one.ring, end=one.end, forked=one.forked, killed=one.killed)
            for domain, name in enumerate(DOMAINS):
                if name:
                    process.domain(domain, name)
            for (domain, number), name in CATEGORIES.items():
                process.names.long(synthetic.CATEGORY, number, name.encode(), domain=domain)
            for tid, name in one.threads.items():
                process.names.long(synthetic.THREAD, tid, name.encode())
            if one.rank is not None:
                process.rank(one.rank)
            for at, is_open in one.gates:
                process.names.long(30, is_open, struct.pack('<Q', recording.ticks(at)), at=0)
            for number, text in enumerate(REGISTERED):
                process.names.long(synthetic.REGISTERED, number, text.encode())
            for stream in one.streams:
                self.write_stream(process, one, stream)
        return recording.write(path)

    def write_stream(self, process, drawn, one):
        rng, stream, ring = self.rng, process.thread(one.tid), bool(drawn.ring)
        stream.in_handlers, stream.dropped, stream.ring = one.in_handlers, one.dropped, ring
        registered = {text: number | 1 << 31 for number, text in enumerate(REGISTERED) if rng.random() < .5}
        stream.texts |= registered
        seq = rng.randrange(1, 9) if ring and one.operations else 0
        presets = {}
        if seq:
            stream.jump(seq)
        for at, name, *values in one.operations:
            if name == 'gap' or rng.random() < .06:  # the next chunk
                seq += rng.randrange(2, 5) if name == 'gap' else 1
                stream.jump(seq)
                if ring:
                    stream.texts, presets = dict(registered), {}
                if name == 'gap':
                    continue
            if rng.random() < .04:
                stream.rebase(at)
            getattr(self, 'write_' + name)(stream, at, *([presets] if name == 'push' else []), *values)
        if one.dropped:  # after some of the chunks
            numbers = [0] * (0 not in stream.jumps) + [seq for at, seq in stream.jumps.items() if at < len(stream.records)]
            chosen = random.Random(f'{one.tid} {numbers}')
            stream.dropped = {number: chosen.choice([0, 3, one.dropped]) for number in numbers}
            stream.dropped[chosen.choice(numbers)] = one.dropped

    def write_push(self, stream, at, presets, domain, text, category, color, payload):
        if not self.plain and self.rng.random() < .2:
            stream.long(synthetic.EXTENDED, PAYLOAD, struct.pack('<QQQQ', UINT64, 0, 8, self.rng.randrange(99)), at=at)
        if self.rng.random() < .5:
            key = domain, text, category, color
            if key not in presets:
                presets[key] = len(presets) + 1
                flags = (synthetic.HAS_CATEGORY if category is not None else 0) | (synthetic.HAS_COLOR if color is not None else 0)
                stream.long(synthetic.EXTENDED, PRESET, struct.pack('<IIIIQ', presets[key], stream.text(at, text), color or 0, category or 0, flags),
                            domain=domain, at=at)
            kind, word = synthetic.payload_word(payload) if payload else (0, 0)
            stream.records.append((at, struct.pack('<QQ' if payload else '<Q', 8 | kind << 5 | presets[key] << 8, *[word] * bool(payload))))
        else:
            self.write_what(stream.push, at, (domain, text, category, color, payload))

    def write_what(self, write, at, what, *numbers):
        domain, text, category, color, payload = what
        write(at, *numbers, text, domain=domain, category=category, color=color, payload=payload)

    def write_pop(self, stream, at, domain):
        stream.pop(at, domain)

    def write_no_push(self, stream, at, domain):
        stream.long(synthetic.EXTENDED, NO_PUSH, b'', domain=domain, at=at)

    def write_mark(self, stream, at, *what):
        self.write_what(stream.mark, at, what)

    def write_start(self, stream, at, number, *what):
        self.write_what(stream.start, at, what, number)

    def write_end(self, stream, at, number):
        stream.end(at, number)

    def write_count(self, stream, at, domain, counter, value):
        kind, word = synthetic.payload_word((type_of_sample(value), value))
        stream.add(at, synthetic.COUNT, [counter, word], domain, flags=kind << 5)

    def write_thread(self, stream, at, tid):
        stream.long(synthetic.THREAD, tid, b'', at=at)


def varied(path):
    """(attribute, container) that have two values or more in one container of a recording: those of chunks in a stream, of streams in a process, of processes."""
    values = collections.defaultdict(set)
    with open(path, 'rb') as f:
        data = f.read()
    at = synthetic.ALIGN
    while at < len(data):
        size, process, stream, tid, seq, in_handlers = struct.unpack_from('<6I', data, at + 4)
        dropped, flags = struct.unpack_from('<QQ', data, at + 72)
        of_chunk = {'tid': tid, 'number': seq, 'base': data[at + 32:at + 40], 'used': data[at + 64:at + 72], 'dropped': dropped}
        of_stream = {'tid': tid, 'in_handlers': in_handlers, 'dropped': bool(dropped), 'ring': flags & 1, 'chunks': seq}
        of_process = {}
        if not stream and not seq:
            body = data[at + 144:]
            of_process = {'pid': body[:4], 'forked': body[8:12], 'end': bool(any(body[40:64])), 'ring': body[256:264], 'host': body[264:328]}
        for container, where, found in ('stream', (process, stream), of_chunk), ('process', process, of_stream), ('recording', 0, of_process):
            for attribute, value in found.items():
                values[attribute, container, where].add(value)
        at += size
    return {key[:2] for key, found in values.items() if len(found) > 1}


def mutated(rng, data):
    """The bytes with some of them changed: outside the file's header, outside the first chunk, which has the first process's names, and
    outside samples, without which no time is known."""
    data = bytearray(data)
    chunks = range(2 * synthetic.ALIGN, len(data), synthetic.ALIGN)
    for _ in range(rng.choice([1, 1, 2, 5, 20]) if chunks else 0):
        chunk = rng.choice(chunks)
        used = min(struct.unpack_from('<Q', data, chunk + 64)[0], synthetic.ALIGN)
        at = rng.choice([i for i in range(max(used, 128)) if not 40 <= i < 64])
        data[chunk + at] = rng.choice([0, 1, 255, data[chunk + at] ^ 1 << rng.randrange(8)])
    return data
