#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the real Nsight Systems has seen of a program, row by row, against what the program did.

    suite.py events|structs|capture COMPILER/LANGUAGE[/NVTX]

Exit status 77: Nsight Systems or a compiler is not installed.
"""
import os
import pathlib
import sqlite3

from harness import nsight, programs
from harness.checks import environment, require, skip

HERE = pathlib.Path(__file__).resolve().parent
# Event types in Nsight's tables.
CATEGORY, MARK, THREAD, PUSH_POP, START_END, DOMAIN = 33, 34, 39, 59, 60, 75
PAYLOADS = ['uint64Value', 'int64Value', 'doubleValue', 'uint32Value', 'int32Value', 'floatValue']
TRAIN, LOAD = 'train', 'load'
MAIN, WORKER = 0, 1

# type, text, registered, domain, category, colour, payload, level, threads: in order of time.
# `level` is how many push/pop ranges are open around it on its thread, in any domain.
EVENTS = [
    (PUSH_POP, 'plain', True, None, None, None, None, 0, MAIN),
    (PUSH_POP, 'all', True, TRAIN, 'gemm', 0xff008000, ('int32Value', 5), 1, MAIN),
    (MARK, 'mark in all', True, TRAIN, 'copy', 0xffff6347,
     ('uint64Value', 18000000000000000000), 2, MAIN),
    (PUSH_POP, 'formatted 7 of 10', False, None, None, None, None, 1, MAIN),
    (PUSH_POP, 'in_function', True, None, None, 0x80010203, None, 2, MAIN),
    (PUSH_POP, 'turn', True, None, None, None, ('uint32Value', 4000000000), 2, MAIN),
    (PUSH_POP, 'turn', True, None, None, None, ('uint32Value', 4000000001), 2, MAIN),
    (PUSH_POP, 'turn', True, None, None, None, ('uint32Value', 4000000002), 2, MAIN),
    (PUSH_POP, 'pushed', True, TRAIN, None, None, ('doubleValue', 0.25), 0, MAIN),
    (PUSH_POP, 'pushed further', True, TRAIN, 7, None, None, 1, MAIN),
    (MARK, 'plain mark', True, None, 'plain', None, ('floatValue', 0.5), 0, MAIN),
    (MARK, '100% "quoted", naïve', False, None, None, None, None, 0, MAIN),
    (START_END, 'first', True, LOAD, None, 0xffb84379, None, 0, (MAIN, MAIN)),
    (START_END, 'second', True, None, None, None, None, 0, (MAIN, MAIN)),
    (START_END, 'across threads', True, TRAIN, 'copy', None, ('int32Value', -1), 0,
     (MAIN, WORKER)),
    (PUSH_POP, 'on worker', True, LOAD, None, None, ('int64Value', -6000000000), 0, WORKER),
    (PUSH_POP, 'shared', True, None, None, None, None, 1, WORKER),
    (PUSH_POP, 'shared', True, None, None, None, None, 0, MAIN),
]
CATEGORIES = {(TRAIN, 'gemm'), (TRAIN, 'copy'), (None, 'plain')}
THREADS = {('main thread', MAIN), ('io worker', WORKER)}

# Of a struct the first number, of a counter its value, of a batch the last: type, text, domain,
# colour, payload.
SIZE = ('int32Value', 32)
STRUCTS = [event for i in range(2) for event in (
    (PUSH_POP, 'step', TRAIN, None, SIZE),
    (MARK, 'seen', None, 0xff008000, SIZE),
    (MARK, 'rate', TRAIN, None, ('doubleValue', i + 0.25)),
    (PUSH_POP, 'inner', None, None, None),
)] + [
    (MARK, 'pool', TRAIN, None, SIZE),
    (MARK, 'rate', TRAIN, None, ('doubleValue', 2.5)),
    (START_END, 'across', TRAIN, None, SIZE),
]

# What is in each captured range besides itself.
CAPTURES = {
    'literal': {'literal', 'in literal', 'in train, in literal'},
    'attributes': {'attributes', 'in attributes', 'in train, in attributes'},
    'domain@train': {'domain', 'in domain', 'in train, in domain'},
    'string@of strings': {'string', 'in string', 'in train, in string'},
    'process range': {'process range', 'in process range', 'in train, in process range'},
    'steady@nvtxh.capture': {'steady', 'in steady', 'in train, in steady'},
    'scope@nvtxh.capture': {'scope', 'in scope', 'in train, in scope'},
    'steady': set(),
    'domain': set(),  # there is none of that name in the default domain
    'in literal': set(),  # a mark
}


class Setting(programs.Way):
    def __init__(self, way, folder):
        super().__init__(way, folder)
        if not nsight.importer():
            skip('Nsight Systems (nsys, QdstrmImporter) is not installed')


def profile(program, folder, *options):
    """The output of the program, and the database of what nsys has seen, or None."""
    report = folder / 'report'
    done = nsight.profile(report, program, *options, env=environment(TMPDIR=folder))
    require(done.returncode == 0, 'nsys profile succeeds', done.stdout)
    if not report.with_suffix('.nsys-rep').exists():
        return done.stdout, None
    database = sqlite3.connect(nsight.to_sqlite(report))
    database.row_factory = sqlite3.Row
    return done.stdout, database


def rows(database):
    """Every row, with its text, whether that was registered, and the name of its domain."""
    strings = dict(database.execute('SELECT id, value FROM StringIds'))
    result = [dict(row) for row in database.execute('SELECT * FROM NVTX_EVENTS ORDER BY start')]
    domains = {row['domainId']: row['text'] for row in result if row['eventType'] == DOMAIN}
    for row in result:
        row['registered'] = row['textId'] is not None
        if row['registered']:
            require(row['text'] is None, 'one text', row)
            row['text'] = strings[row['textId']]
        row['domain'] = domains.get(row['domainId'])
        require(row['domainId'] == 0 or row['domain'], 'every domain has a name', row)
    return result


def payload(row):
    given = [(name, row[name]) for name in PAYLOADS if row.get(name) is not None]
    require(len(given) <= 1, 'one payload', row)
    if given and given[0][0] == 'uint64Value':  # SQLite has no unsigned numbers
        given = [('uint64Value', given[0][1] % 2**64)]
    return given[0] if given else None


def claim_events(s):
    output, database = profile(s.build(HERE / 'events.c'), s.folder)
    require(database, 'there is a report', output)
    threads = [int(word) for word in next(
        line for line in output.splitlines() if line.replace(' ', '').isdigit()).split()]
    seen = rows(database)

    def thread(global_tid):
        return threads.index(global_tid & 0xffffff)

    numbers = {}
    for row in seen:
        if row['eventType'] == CATEGORY:
            require((row['domain'], row['category']) not in numbers, 'each category is named once', row)
            numbers[row['domain'], row['category']] = row['text']
    require({(domain, text) for (domain, _), text in numbers.items()} == CATEGORIES,
            'the names of categories', numbers)
    domains = [row['text'] for row in seen if row['eventType'] == DOMAIN]
    require(sorted(domains) == [LOAD, TRAIN], 'each domain is made once', domains)
    named = {(row['text'], thread(row['globalTid'])) for row in seen if row['eventType'] == THREAD}
    require(named == THREADS, 'the names of threads', named)

    events = [row for row in seen if row['eventType'] in (MARK, PUSH_POP, START_END)]
    actual = []
    for row in events:
        around = [r for r in events if r is not row and r['eventType'] == PUSH_POP and
                  r['globalTid'] == row['globalTid'] and r['start'] <= row['start'] and
                  r['end'] >= (row['end'] or row['start'])]
        if row['eventType'] != MARK:
            require(row['end'] is not None and row['end'] >= row['start'], 'it ends', row)
        where = thread(row['globalTid'])
        if row['eventType'] == START_END:
            where = (where, thread(row['endGlobalTid'] or row['globalTid']))
        category = row['category']
        actual.append((row['eventType'], row['text'], row['registered'], row['domain'],
                       numbers.get((row['domain'], category), category), row['color'], payload(row),
                       len(around), where))
    for n, (was, wanted) in enumerate(zip(actual, EVENTS)):
        require(was == wanted, f'row {n}', f'seen   {was}', f'wanted {wanted}')
    require(len(actual) == len(EVENTS), f'{len(EVENTS)} events', *actual)


def claim_structs(s):
    """What nsys cannot read does no harm to what it can: ranges and marks are whole, and in their
    places, with the first number of a struct as payload if the tool does not know structs."""
    output, database = profile(s.build(HERE / 'structs.c'), s.folder)
    require(database and 'done' in output.splitlines(), 'the program runs to its end', output)
    actual = [(row['eventType'], row['text'], row['domain'], row['color'], payload(row))
              for row in rows(database) if row['eventType'] != DOMAIN]
    for n, (was, wanted) in enumerate(zip(actual, STRUCTS)):
        require(was == wanted, f'row {n}', f'seen   {was}', f'wanted {wanted}')
    require(len(actual) == len(STRUCTS), f'{len(STRUCTS)} events', *actual)
    events = [row for row in rows(database) if row['eventType'] == PUSH_POP]
    for step, inner in zip(events[::2], events[1::2]):
        require(step['start'] <= inner['start'] <= inner['end'] <= step['end'], 'they nest', step, inner)


def claim_capture(s):
    program = s.build(HERE / 'capture.c')
    names = CAPTURES if (s.compiler, s.language) == ("gcc", "c") else ('attributes', 'string@of strings', 'scope@nvtxh.capture', 'in literal')
    for name, wanted in ((name, CAPTURES[name]) for name in names):
        for os.environ['PAUSE'] in '100', '1500':  # on a busy machine nsys needs longer to begin
            output, database = profile(program, s.folder, '-c', 'nvtx', '-p', name, '--capture-range-end=stop')
            require('done' in output.splitlines(), 'the program runs to its end', output)
            seen = [row for row in rows(database) if row['eventType'] in (MARK, PUSH_POP, START_END)
                    ] if database else []
            if len(seen) == len(wanted) and {row['text'] for row in seen} == wanted:
                break
        else:
            require(False, f'-p "{name}" captures just {wanted or "nothing"}', *seen)
        print(f'-p "{name}": {len(seen)} events')


if __name__ == '__main__':
    programs.main(globals(), __doc__, Setting)
