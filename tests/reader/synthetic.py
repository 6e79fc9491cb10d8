# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings made up by a test: written from FORMAT.md alone, with times that are known to the nanosecond."""
import itertools
import os
import struct

ALIGN = 16384
PUSH, POP, START, END, MARK, REBASE, COUNT = range(1, 8)
TEXT, PROCESS, DOMAIN, REGISTERED, CATEGORY, THREAD = range(16, 22)
SCHEMA, ENUM, SCOPE, EXTENDED = 25, 26, 27, 31
HAS_CATEGORY, HAS_COLOR = 1 << 8, 1 << 9
REALTIME = 1_700_000_000_000_000_000  # of tick 0, unless a recording says otherwise
SESSIONS = itertools.count(1)


def long_record(kind, number, body, domain=0):
    return (struct.pack('<QII', kind | domain << 16, len(body), number) + body + bytes(-len(body) % 8))


def payload_word(payload):
    """The type of a payload and its value as an integer of 32 or 64 bits."""
    kind, value = payload
    return kind, int.from_bytes(struct.pack('<' + ' QqdIif'[kind], value), 'little')


class Stream:
    """One thread, or with number 0 the names of a process. Ticks are nanoseconds."""

    def __init__(self, process, number, tid):
        self.process, self.number, self.tid = process, number, tid
        self.records = []  # (ticks, bytes with the ticks' half of word 0 zero)
        self.texts = {}
        self.dropped = 0  # after each chunk; or by the chunk's number
        self.jumps = {}  # number of a record -> number of the chunk that begins with it
        self.heirs = {}  # number of a record -> the thread that began the chunk, if the record that says so is in a chunk that is missing
        self.ring = False
        self.in_handlers = 0

    def jump(self, seq, tid=None):
        """Later records are in another chunk, which has this number. TID: meanwhile, the stream was taken over by that thread."""
        self.jumps[len(self.records)] = seq
        if tid:
            self.heirs[len(self.records)] = tid

    def add(self, at, kind, words=(), domain=0, flags=0):
        self.records.append((at, struct.pack(f'<{1 + len(words)}Q', kind | domain << 16 | flags, *words)))

    def rebase(self, at):
        """Later records of the chunk count their ticks from here."""
        self.add(at, REBASE)

    def long(self, kind, number, body, domain=0, at=0):
        self.records.append((at, long_record(kind, number, body, domain)))

    def text(self, at, text):
        if text is None:
            return 0
        if text not in self.texts:
            self.texts[text] = len(self.texts) + 1
            self.long(TEXT, self.texts[text], text.encode(), at=at)
        return self.texts[text]

    def attributes(self, at, text, color=None, category=None, payload=None):
        words = [self.text(at, text) | (color or 0) << 32]
        flags = (HAS_CATEGORY if category is not None else 0) | (HAS_COLOR if color is not None else 0)
        kind, word = payload_word(payload if isinstance(payload, tuple) else (2, payload)) if payload is not None else (0, 0)
        is_half = kind > 3
        if category is not None or is_half:
            words.append((category or 0) | (word << 32 if is_half else 0))
        if kind and not is_half:
            words.append(word)
        return words, flags | kind << 5

    def event(self, at, kind, text, domain=0, before=(), **attributes):
        words, flags = self.attributes(at, text, **attributes)
        self.add(at, kind, [*before, *words], domain, flags)

    def push(self, at, text, **options):
        self.event(at, PUSH, text, **options)

    def pop(self, at, domain=0):
        self.add(at, POP, domain=domain)

    def start(self, at, number, text, **options):
        self.event(at, START, text, before=[number], **options)

    def end(self, at, number):
        self.add(at, END, [number])

    def mark(self, at, text, **options):
        self.event(at, MARK, text, **options)

    def ranges(self, text, durations, gap=10, at=0, **options):
        for duration in durations:
            self.push(at, text, **options)
            self.pop(at + duration, options.get('domain', 0))
            at += duration + gap
        return at


def processor(at, tid):
    """That a thread got or left at a time: any."""
    return (at * 7 + tid) % 999


class Process:
    def __init__(self, recording, number, pid, exe, host, ring, end, forked, killed, lost):
        self.recording, self.number, self.pid = recording, number, pid
        self.streams = []
        names = self.thread(pid)  # stream 0
        first = recording.sample(recording.synced)
        last = bytes(24) if killed else recording.sample(end or recording.end)
        body = struct.pack('<IIII', pid, 1, forked, 1) + first + last + struct.pack('<24Q', *lost) + struct.pack('<Q', ring)
        names.long(PROCESS, 0, body + host.encode().ljust(64, b'\0') + exe.encode())
        self.names = names

    def rank(self, rank, local=0, world=0xffffffff, job=''):
        self.names.long(EXTENDED, 9, struct.pack('<IIII', rank, local, world, 1) + job.encode().ljust(64, b'\0'))

    def thread(self, tid):
        self.streams.append(Stream(self, len(self.streams), tid))
        return self.streams[-1]

    def domain(self, number, name):
        self.names.long(DOMAIN, number, name.encode())


class Recording:
    def __init__(self, realtime=REALTIME, end=10**12, clock=1, rate=1, noise=None, synced=0, program=0):
        self.program = program  # the pid of the program that was run; 0: not known
        self.usage = 0, 0, 0, 0  # CPU time in user mode and in the kernel, ns; context switches, voluntary and not
        self.realtime, self.end, self.clock, self.rate = realtime, end, clock, rate
        self.synced = synced  # processes and chunks know no earlier moment on both clocks
        self.noise = noise or (lambda at: 0)  # returns the error, in ns, of a sample at that time
        self.adjusted = lambda at: 0  # by how many ns the wall clock is ahead at that time, since somebody has set it
        self.processes = []
        self.switches = []  # chunks: (number, begun at, [(at, tid, kind)]); the processor is drawn by `processor`

    def sample(self, at):
        """The moment at `at` ns; ticks may run at another rate, and begin somewhere else."""
        return struct.pack('<QQQ', self.ticks(at), 5_000_000_000 + at + self.noise(at), self.realtime + at + self.adjusted(at))

    def ticks(self, at):
        return 7_000_000_000 + int(at * self.rate) if self.clock != 1 else 5_000_000_000 + at

    def process(self, pid=100, exe='/usr/bin/made-up', host='', ring=0, end=None, forked=0, killed=False, lost=(0,) * 24):
        self.processes.append(Process(self, len(self.processes), pid, exe, host, ring, end, forked, killed, lost))
        return self.processes[-1]

    def header(self, end_of_chunks):
        data = b'NVTXHREC' + struct.pack('<IIII', 0x01020304, 1, ALIGN, ALIGN) + next(SESSIONS).to_bytes(16, 'little')
        data += self.sample(0) + self.sample(self.end)
        data += struct.pack('<QIIIi', end_of_chunks, len(self.processes), 0, self.clock, 0) + struct.pack('<QI', 0, self.program) + bytes(20) + struct.pack('<4Q', *self.usage) + b'made up'
        return data.ljust(ALIGN, b'\0')

    def chunk(self, stream, seq, records, tid):
        base = begin = records[0][0] if records else 0
        body = b''
        for at, record in records:
            word = struct.unpack_from('<I', record)[0]
            if word == REBASE:
                begin = at
                record += struct.pack('<Q', self.ticks(at)) + self.sample(max(at, self.synced))
            body += struct.pack('<II', word, self.ticks(at) - self.ticks(begin)) + record[8:]
        end = 128 + len(body)
        size = (end + ALIGN - 1) // ALIGN * ALIGN
        head = struct.pack('<8I', 0x6b436e4e, size, stream.process.number, stream.number, tid, seq, stream.in_handlers, self.clock)
        head += struct.pack('<Q', self.ticks(base)) + self.sample(max(base, self.synced)) + struct.pack('<3Q', end, stream.dropped[seq] if isinstance(stream.dropped, dict) else stream.dropped, stream.ring)
        return (head.ljust(128, b'\0') + body).ljust(size, b'\0')

    def chunks(self, stream, most=8000):
        part = []
        seq, tid, now = 0, stream.tid, stream.tid  # tid: the thread that began the chunk
        for number, record in enumerate(stream.records):
            if number in stream.jumps:
                if number:
                    yield self.chunk(stream, seq, part, tid)
                tid = now = stream.heirs.get(number, now)
                part, seq = [], stream.jumps[number]
            if part and (len(part) >= most or self.ticks(record[0]) - self.ticks(part[0][0]) >= 1 << 32):
                yield self.chunk(stream, seq, part, tid)
                part, seq, tid = [], seq + 1, now
            part.append(record)
            if stream.number and record[1][0] & 31 == THREAD:
                now, = struct.unpack_from('<I', record[1], 12)
        yield self.chunk(stream, seq, part, tid)

    def switch_chunk(self, seq, begun, records):
        end = 128 + 16 * len(records)
        size = (end + ALIGN - 1) // ALIGN * ALIGN
        head = struct.pack('<8I', 0x6b436e4e, size, 0, 0xffffffff, 0, seq, 0, self.clock) + bytes(8) + self.sample(begun) + struct.pack('<QQQ', end, 0, 2)
        return (head.ljust(128, b'\0') + b''.join(struct.pack('<QIHH', 5_000_000_000 + at, tid, kind, processor(at, tid)) for at, tid, kind in records)).ljust(size, b'\0')

    def write(self, path):
        with open(path, 'wb') as f:
            f.write(bytes(ALIGN))
            for process in self.processes:
                for stream in process.streams:
                    for chunk in self.chunks(stream):
                        f.write(chunk)
            for chunk in self.switches:
                f.write(self.switch_chunk(*chunk))
            end = f.tell()
            f.seek(0)
            f.write(self.header(end))
        return path


def overwrite(path, at, data):
    """Changes bytes of a file."""
    with open(path, 'r+b') as f:
        f.seek(at)
        f.write(data)


def write_many(path, events, threads=4, names=20, depth=1, recursive=False):
    """Makes a recording of that many events, fast: every chunk of a thread is a copy of the first one with other times. DEPTH: so many ranges are
    nested. RECURSIVE: of every third, the nested ones have the name of the outermost, and another colour; of every sixth, that is not so of the second."""
    recording = Recording(end=1 << 50)
    process = recording.process()
    per_chunk = 16000 // (2 * depth) * 2 * depth
    with open(path, 'wb') as f:
        f.write(bytes(ALIGN))
        for chunk in recording.chunks(process.names):
            f.write(chunk)
        for number in range(threads):
            stream = process.thread(200 + number)
            for i in range(names):
                stream.text(0, f'range {i}')
            at = 1000
            for i in range(per_chunk // 2 // depth):
                for d in range(depth):
                    again = recursive and d > i % 2 and i % 3 == 0
                    stream.push(at + d, f'range {(i * depth + (0 if again else d)) % names}', payload=i, **({'color': 0xff2e8b57} if again else {}))
                for d in range(depth):
                    stream.pop(at + 100 + i % 977 + d)
                at += 1100 + number
            first, = recording.chunks(stream, most=1 << 30)
            for seq in range(events // threads // per_chunk):
                head = bytearray(first[:128])
                shift = seq * at
                struct.pack_into('<I', head, 20, seq)
                struct.pack_into('<Q', head, 32, recording.ticks(shift))
                head[40:64] = recording.sample(shift)
                f.write(head)
                f.write(first[128:])
        end = f.tell()
        f.seek(0)
        f.write(recording.header(end))
    return events // threads // per_chunk * threads * per_chunk


if __name__ == '__main__':
    import sys
    print(write_many(sys.argv[1], int(sys.argv[2])), os.path.getsize(sys.argv[1]))
