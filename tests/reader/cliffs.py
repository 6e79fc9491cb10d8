#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files that are small and would take for ever, or all memory.

A command that is not linear exceeds its limit of processor time; one that takes too much memory gets none.
"""
import os
import random
import re
import resource
import struct
import sys

from harness import driver
from harness.checks import need, require
from harness.draws import seeds
import synthetic

FIRST = 1 << 24  # the first number of a schema that a program may choose


def bounded(bench, mebibytes, *arguments, **options):
    """Runs a command with limits on its memory and its processor time."""
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (mebibytes << 20, mebibytes << 20))
        resource.setrlimit(resource.RLIMIT_CPU, (60, 60))
    return bench.run(*arguments, preexec_fn=limit, timeout=None, **options)


def case_open_ranges(bench):
    """400,000 process ranges that are open at once are exported."""
    recording = synthetic.Recording(end=10**9)
    thread = recording.process().thread(1)
    number = 400_000
    thread.text(0, 'open')
    for i in range(number):
        thread.add(i, synthetic.START, [i + 1, 1])
    path = recording.write(bench.here('open.nvtxh'))
    done = bounded(bench, 4000, 'export', '--format', 'perfetto', '-o', bench.here('out'), path, status=None)
    require('built without' in done.stderr or not done.returncode, done.stderr)


def case_messages(bench):
    """200,000 different messages, and as many of which few are alike but for numbers: a table and a comparison of them keep within a limit of
    memory."""
    paths = []
    for name, form in ('alike', 'message {}'), ('a', '{} a{}'), ('b', '{} b{}'):
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(1)
        for i in range(200_000 if name == 'alike' else 100_000):
            thread.text(i, form.format(i, i // 49))
            thread.add(i, synthetic.PUSH, [i + 1])
            thread.add(i, synthetic.POP)
        paths.append(recording.write(bench.here(name)))
    for most, rows, *command in ((240, 200_000, 'stats', '--names', 'each', paths[0]), (250, 200_000, 'diff', '--csv', *paths[:1] * 2),
                                 (240, 1, 'stats', paths[0]), (300, 200_000, 'diff', *paths[1:])):
        done = bounded(bench, most, *command)
        require(done.stdout.partition('\n\n')[0].strip().count('\n') == rows, 'all rows', done.stdout[-2000:], done.stderr)


def case_schemas(bench):
    """Schemas that nest in each other by arrays without elements, 60 to the power of 8 of them, are read in steps."""
    entries = 60
    recording = synthetic.Recording()
    process = recording.process()
    for k in range(10):
        # a struct of no size in an array of a fixed number, 0; at last a number
        one = (0 if k % 2 else 0x10, FIRST + k + 1 if k < 9 else 5, 0, b'')
        body = schema(FIRST + k, [one] * entries, 8 if k < 9 else 4)
        process.names.long(25, 0, body)
    thread = process.thread(1)
    for i in range(50):
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', FIRST + i % 2, 0, 16) + bytes(16), at=100 * i)
        thread.mark(100 * i + 1, 'mark')
    path = recording.write(bench.here('nested.nvtxh'))
    for form in driver.formats(bench.nvtxh):
        done = bounded(bench, 500, 'export', '--format', form, path, '-o', bench.here(form), status=None)
        require('built without' in done.stderr or not done.returncode, form, done.stderr)


def schema(number, entries, static_size=0, name=b''):
    """A schema's record; ENTRIES: (flags, type, detail, name) each."""
    return (struct.pack('<5QII', number, 1, 0, static_size, 0, len(entries), len(name))
            + b''.join(struct.pack('<4Q2I', flags, kind, detail, 0, len(text), 0) for flags, kind, detail, text in entries)
            + name + b''.join(text for *_, text in entries))


def payload(thread, at, number, data, copies=()):
    """A mark with a payload. COPIES: address and bytes of what pointers lead to."""
    thread.long(synthetic.EXTENDED, 1, b''.join(struct.pack('<QQQ', which, address, len(part)) + part + bytes(-len(part) % 8)
                                                for which, address, part in [(number, 8, data), *(((1 << 64) - 1, *copy) for copy in copies)]), at=at)
    thread.mark(at, 'mark')


def case_payloads(bench):
    """Many pointers that lead to one long text, or behind all copies, and many values of one long name, do not multiply; that values are
    missing is said. Few are all shown."""
    def pointers(number, size):
        return schema(FIRST, [(2, 75, 0, b'p')] * number), struct.pack('<Q', 0x7000) * number, [(0x7000, b'x' * size)]

    def behind(number, copies):
        return schema(FIRST, [(2, 5, 0, b'p')] * number), struct.pack('<Q', 7) * number, [(0x7000 + 16 * i, b'') for i in range(copies)]

    def long_name(number, size):
        return schema(FIRST, [(0x10, 1, number, b'n' * size)] * 8), bytes(8 * number), []

    def names(number, size):
        return schema(FIRST, [(0, FIRST + 1, 0, b'')] * number), bytes(number), []

    for make, few, many in (pointers, (10, 1000), (1990, 240_000)), (behind, (50, 50), (1990, 30_000)), (names, (10, 20), (1990, 200_000)), (long_name, (5, 20), (100, 200_000)):
        for number, size in few, many:
            recording = synthetic.Recording()
            process, is_few = recording.process(), (number, size) == few
            body, data, copies = make(number, size)
            process.names.long(synthetic.SCHEMA, 0, body)
            process.names.long(synthetic.SCHEMA, 0, schema(FIRST + 1, [(0, 1, 0, b'm' * size)]))
            payload(process.thread(1), 10, FIRST, data, copies)
            path = recording.write(bench.here('payloads.nvtxh'))
            done = bounded(bench, 150, 'export', '--format', 'csv', path)
            require(len(done.stdout) < 140 * os.path.getsize(path), make.__name__, number, len(done.stdout))
            require(is_few == ('more values' not in done.stderr), make.__name__, number, done.stderr)


def instructions(bench, *arguments):
    said = bench.run('--tool=callgrind', '--callgrind-out-file=/dev/null', bench.nvtxh, *arguments, command='valgrind').stderr
    return int(re.search(r'Collected : (\d+)', said)[1])


def case_enums(bench):
    """The names of 40,000 values are found in an enum of ten times as many enumerators in about as many instructions."""
    need('valgrind')
    counts = []
    for number in 1000, 10_000:
        recording = synthetic.Recording()
        process = recording.process()
        process.names.long(synthetic.ENUM, 0, struct.pack('<Q4I', FIRST, 4, number, 0, 0)
                           + b''.join(struct.pack('<QII', value, 0, 1) for value in range(number)) + b'e' * number)
        thread = process.thread(1)
        for i in range(20):
            payload(thread, 10 * i, FIRST, struct.pack('<I', 2**32 - 1) * 1998)
        counts.append(instructions(bench, 'export', '--format', 'csv', recording.write(bench.here('enum.nvtxh'))))
    require(counts[1] < 1.5 * counts[0], 'instructions', counts)


def case_map_keys(bench):
    """Ids of ranges that one factor, which nobody needs to guess, would put into one slot of a hash map take as long as others."""
    need('valgrind')
    inverse, counts = pow(0x9e3779b97f4a7c15, -1, 1 << 64), []
    mixed = [inverse * (i << 45) & (1 << 64) - 1 for i in range(1, 6001)]
    for ids in range(1, 6001), [one ^ one >> 32 for one in mixed]:
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(1)
        for i, number in enumerate(ids):
            thread.start(i, number, 'open')
        counts.append(instructions(bench, 'stats', '--csv', recording.write(bench.here('keys.nvtxh'))))
    require(counts[1] < 1.3 * counts[0], 'instructions', counts)


FACTORS = 'threads', 'domains', 'names', 'length', 'depth', 'open', 'categories', 'pointers', 'values', 'scopes', 'counters', 'samples', 'events'


def draw_two(bench, rng, large):
    """A recording in which the factors in LARGE are large, and the others small."""
    size = {factor: (rng.randrange(2000, 4000) if factor in large else rng.randrange(1, 9)) for factor in FACTORS}
    recording = synthetic.Recording(end=10**12)
    process, counter = recording.process(), 1 << 32 | 5
    names = process.names
    for i in range(1, size['domains'] + 1):
        process.domain(i, f'domain {i}')
    for i in range(size['categories']):
        names.long(synthetic.CATEGORY, i, b'category %d' % i)
    for i in range(size['scopes']):
        names.long(synthetic.SCOPE, 0, struct.pack('<QQ', FIRST + i + 1, FIRST + i) + b'scope')
    names.long(synthetic.SCHEMA, 0, schema(FIRST, [(2, 75, 0, b'p' * rng.choice([0, size['length']]))] * size['pointers'] + [(0, 70, 0, b's')]))
    names.long(synthetic.SCHEMA, 0, schema(FIRST + 1, [(0, 5, 0, b'v%d' % i) for i in range(size['counters'])]))
    names.long(28, 0, struct.pack('<3Q2I', counter, FIRST + 1, 0, 1, 0) + b'c')
    pool = [f'{i}'.ljust(size['length'], 'x') if i < 3 else f'name {i}' for i in range(size['names'])]
    threads = [process.thread(200 + i) for i in range(min(size['threads'], 60))]  # each takes 16 KiB
    number = 0
    for i in range(size['events'] + 200):
        thread, at = rng.choice(threads), 10**6 * (i + 1)
        one = {'domain': rng.randrange(size['domains'] + 1), 'category': rng.randrange(size['categories']) if rng.random() < .5 else None}
        depth = size['depth'] if i % 100 == 0 else 1
        for k in range(depth):
            thread.push(at + k, rng.choice(pool), **one)
        for k in range(depth if rng.random() < .9 else 0):
            thread.pop(at + depth + k, one['domain'])
        at += 500_000
        for _ in range(size['open'] if i % 100 == 0 else 0):
            number += 1
            thread.start(at, number, rng.choice(pool), **one)
        if i % 100 == 1:
            data = struct.pack('<Q', 0x7000) * size['pointers'] + struct.pack('<Q', FIRST + rng.randrange(size['scopes'] + 1))
            payload(thread, at, FIRST, data * min(size['values'], 100), [(0x7000, b'x' * size['length'])])
            thread.long(synthetic.EXTENDED, 3, struct.pack('<Q', counter) + bytes(4 * size['counters']), at=at)
        for _ in range(min(size['samples'], 100) if i % 100 == 2 else 0):
            thread.long(synthetic.EXTENDED, 3, struct.pack('<Q', counter) + bytes(4 * size['counters']), at=at)
    return recording.write(bench.here('drawn.nvtxh'))


# Runs a command and prints the most memory that it took, in KiB. A process that this one began itself would have the memory of
# this one, large as it is, as its own until it is another program.
MEASURED = 'import resource, subprocess, sys; status = subprocess.call(sys.argv[2:], stdout=open(sys.argv[1], "w")); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)'


def check_peaks(bench, path, what, *commands):
    """No command takes more memory than 20 times the file, or both files of a comparison, and 64 MB."""
    for command in commands:
        peak = int(bench.run('-S', '-c', MEASURED, bench.here('out'), bench.nvtxh, *command, path, command=sys.executable).stdout)
        size = os.path.getsize(path) * (2 if path in command else 1)
        require(peak << 10 < 20 * size + (64 << 20), what, command, f'{size} bytes take {peak} KiB')


def case_products(bench):
    """Recordings in which two factors are large at once do not take the memory of their product."""
    for seed in seeds(8):
        rng = random.Random(seed)
        large = rng.sample(FACTORS, 2)
        path = draw_two(bench, rng, large)
        check_peaks(bench, path, f'seed {seed}, {large}', ('stats',), ('export', '--format', 'chrome'), ('diff', path))


def crowded(path, sections, sites, overlap):
    """A program whose sections are annotations, either all of them the same bytes or one behind the other."""
    names = b'\0nvtxh_sites\0'
    text = b'x' * 15000 + b'\0'
    size = 40 * sites + len(text)
    begin, address = 64 + len(names), 0x100000
    with open(path, 'wb') as f:
        parts = 1 if overlap else sections
        table = begin + parts * size
        f.write(b'\x7fELF' + bytes([2, 1, 1]) + bytes(9) + struct.pack('<HHIQQQIHHHHHH', 2, 62, 1, 0, 0, table, 0, 64, 0, 0, 64,
                                                                       sections + 2, 1) + names)
        for i in range(parts):
            word = address + i * size + 40 * sites
            f.write(struct.pack('<4QIHH', word, word, word, 0, 1, 1, 2) * sites + text)
        f.write(bytes(64) + struct.pack('<IIQQQQIIQQ', 0, 3, 0, 0, 64, len(names), 0, 0, 1, 0))
        for i in range(sections):
            part = 0 if overlap else i
            f.write(struct.pack('<IIQQQQIIQQ', 1, 1, 2, address + part * size, begin + part * size, size, 0, 0, 8, 0))


def case_objects(bench):
    """A file of 1.5 MB whose sections overlap, or whose texts are shared by too many, is refused, or cut with a message."""
    crowded(bench.here('overlap'), 15000, 10000, True)
    done = bounded(bench, 500, 'list', '--csv', bench.here('overlap'), status=1)
    require('its sections overlap' in done.stderr or 'without libelf' in done.stderr, done.stderr)
    crowded(bench.here('long'), 1, 30000, False)
    done = bounded(bench, 500, 'list', '--csv', bench.here('long'), status=1)
    require('only the first are listed' in done.stderr or 'without libelf' in done.stderr, done.stderr)
    crowded(bench.here('many'), 20, 3, False)
    done = bench.run('list', '--csv', bench.here('many'), status=None)
    require(done.stdout.count('\n') == 61 or 'without libelf' in done.stderr, 'what is right is listed', done.stdout[-2000:])


if __name__ == '__main__':
    driver.main(globals(), __doc__)
