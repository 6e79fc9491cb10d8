#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of Nsight Systems as other people have them: what is in them is read, or named."""
import collections
import json
import os
import pathlib
import random
import sqlite3
import struct

from harness import checks, driver, nsight
from harness.checks import equal, perfetto_trace, require, skip
from harness.draws import seeds
import database
import gpu
import synthetic


def report(path, ranges, generation='2024', domains=(), pid=7, add=lambda db: None):
    """The path of a report with RANGES: (name, start, end, more columns of NVTX_EVENTS), in this order."""
    db, tid = database.Database(generation), database.global_tid(pid, pid)
    for number, name in enumerate(domains, 1):
        db.nvtx(database.DOMAIN, tid, 0, text=name, domainId=number)
    for name, start, end, *more in ranges:
        db.nvtx(database.PUSH_POP, tid, start, end, **{'text': name, 'domainId': 0, **dict(*more)})
    add(db)
    return db.write(path, order=lambda rows: rows)


def case_domain_default(bench):
    """`--domain default` is a domain of this name if there is one, and '' is always the default domain."""
    ranges = [('plain', 0, 10, {}), ('named', 20, 30, {'domainId': 1})]
    for name, wanted in ('default', {'default': 'default:named', '': 'plain'}), ('other', {'default': 'plain', '': 'plain', 'other': 'other:named'}):
        path = report(bench.here('default.sqlite'), ranges, domains=[name])
        for option, row in wanted.items():
            equal([row['Range'] for row in bench.table('stats', '--csv', '--domain', option, path)], [row], f'--domain {option!r}, domain {name}')


def case_folder(bench):
    """stats, tree and export take a folder with a recording, or with databases."""
    folder = pathlib.Path(bench.here('folder'))
    folder.mkdir()
    for pid in 7, 8:
        report(folder / f'{pid}.sqlite', [('step', 0, pid)], pid=pid)
    for command in ['stats', '--csv'], ['tree', '--csv'], ['export', '--format', 'csv']:
        equal(len(bench.table(*command, folder)), 1 if command[0] == 'stats' else 2, command)
        said = bench.run(*command, bench.directory + '/nothing', status=1).stderr
        require('No such file' in said, command, said)
    (folder / 'empty').mkdir()
    require('empty has no *.nvtxh or *.sqlite' in bench.run('stats', folder / 'empty', status=1).stderr, 'an empty folder')
    require('a directory' in bench.run('list', folder, status=None).stderr + bench.run('diff', folder, folder, status=1).stderr, 'diff')
    said = bench.run('stats', '--csv', report(bench.here('bad.sqlite'), [('step', 0, 10), ('bad', 9, 2)])).stderr
    require('1 row with impossible times was left out' in said, said)


def case_anonymous(bench):
    """diff compares what gcc and clang call a function of an anonymous namespace; a run with both names keeps them apart."""
    gcc, clang = 'void {anonymous}::f(int) [{anonymous}]', 'void (anonymous namespace)::f(int) [(anonymous namespace)]'

    def rows(a, b):
        paths = [report(bench.here(f'{i}.sqlite'), [(name, 100 * k, 100 * k + 10 + i) for k, name in enumerate(names)], pid=7 + i) for i, names in enumerate((a, b))]
        return sorted((row['Instances A'], row['Instances B']) for row in bench.table('diff', '--csv', *paths))
    equal(rows([gcc, 'x'], ['x', clang]), [('1', '1')] * 2, 'two compilers')
    equal(rows([clang], [gcc]), [('1', '1')], 'the other way')
    equal(rows([gcc, clang, 'x{', 'x{anonymous'], [clang, gcc, 'x{', 'x{anonymous']), [('1', '1')] * 4, 'both in both')
    equal(len(rows([gcc, clang], [clang])), 2, 'both in one')


def environment(db, variables):
    """Adds what nsys says of the environment in which it ran."""
    if db.generation == '2024':
        for name, value in variables.items():  # as newer versions write it, and as in files of public tests
            db.add('META_DATA_CAPTURE', name='PROCESS_0:ENVIRONMENT_VARIABLE', value=f'{name}="{value}"' if len(name) % 2 else f'{name}={value}')
    else:
        db.add('TARGET_INFO_SYSTEM_ENV', name='DeviceEnvironment', value='\0'.join(f'{name}={value}' for name, value in variables.items()) + '\0')


# Launchers: which variables give the rank, the local rank, the number of ranks, and what else is set.
LAUNCHERS = [('RANK', 'LOCAL_RANK', 'WORLD_SIZE', {}), ('OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_LOCAL_RANK', 'OMPI_COMM_WORLD_SIZE', {'RANK': 'none'}),
             ('PMI_RANK', 'MPI_LOCALRANKID', 'PMI_SIZE', {'RANK': '5'}), ('PMIX_RANK', 'PMIX_LOCAL_RANK', 'PMIX_SIZE', {}),
             ('SLURM_PROCID', 'SLURM_LOCALID', 'SLURM_STEP_NUM_TASKS', {'SLURM_STEP_ID': '0'}), ('SLURM_PROCID', 'SLURM_LOCALID', 'SLURM_NTASKS', {'SLURM_STEPID': '0'})]


def case_environment(bench):
    """The rank and the job come from the environment of nsys, and ranks names the straggler."""
    for seed in seeds(12):
        chosen = random.Random(seed)
        rank_of, local_of, world_of, more = LAUNCHERS[seed % len(LAUNCHERS)]
        ranks, paths, slow = chosen.sample(range(40), 6), [], chosen.randrange(6)
        for number, rank in enumerate(ranks):
            at, ranges = 0, []
            for _ in range(40):
                at += 10**6
                ranges.append(('step', at, at + int(10**5 * chosen.gauss(1, .01) * (2 if number == slow else 1))))
            generation = chosen.choice(list(database.GENERATIONS))
            variables = {'PATH': '/bin', 'NOT_' + rank_of: '77', rank_of: rank, local_of: rank % 8, world_of: 40, 'SLURM_JOB_ID': 4711, 'EMPTY': '', **more}
            paths.append(report(bench.here(f'{seed}-{number}.sqlite'), ranges, generation, pid=100 + number, add=lambda db: environment(db, variables)))
        rows = bench.table('ranks', '--by', 'rank', '--csv', *paths)
        equal(sorted(int(row['Rank']) for row in rows), sorted(ranks), f'seed {seed}')
        said = bench.run('ranks', *paths, env={**os.environ, 'COLUMNS': '400'}).stdout.partition('\nFindings:\n')[2]
        require(f'  step: rank {ranks[slow]} is a straggler' in said, f'seed {seed}, {ranks[slow]}', said)
        exported = bench.here('exported.sqlite')
        bench.run('export', '-f', '--format', 'sqlite', '-o', exported, paths[0])
        row, = sqlite3.connect(exported).execute('SELECT rank, localRank, worldSize, job FROM NVTXH_PROCESSES')
        equal(row, (ranks[0], ranks[0] % 8, 40, '4711'), f'seed {seed}, {LAUNCHERS[seed % len(LAUNCHERS)]}')


def case_nsys_environment(bench):
    """A report of Nsight Systems itself, of 2022.4, has the rank and the job of its environment."""
    if not nsight.importer():
        skip('no nsys here')
    name = bench.here('report')
    program = checks.BUILD / 'examples' / '01_train'
    variables = {'OMPI_COMM_WORLD_RANK': '3', 'OMPI_COMM_WORLD_SIZE': '8', 'OMPI_COMM_WORLD_LOCAL_RANK': '1', 'PBS_JOBID': '17.host'}
    nsight.profile(name, program, env={**os.environ, **variables})
    exported = bench.here('out.sqlite')
    bench.run('export', '-f', '--format', 'sqlite', '-o', exported, nsight.to_sqlite(name))
    row, = sqlite3.connect(exported).execute('SELECT rank, localRank, worldSize, job FROM NVTXH_PROCESSES')
    equal(row, (3, 1, 8, '17.host'), 'the process')


def case_no_rank(bench):
    """Where the environment does not say which process has the rank, none has it; what a process has itself counts first."""
    slurm = {'SLURM_PROCID': 3, 'SLURM_STEP_ID': 1}

    def ranks(variables, add=lambda db: None, pids=(7,)):
        def fill(db):
            environment(db, variables)
            for pid in pids[1:]:
                db.nvtx(database.PUSH_POP, database.global_tid(pid, pid), 5, 7, text='other', domainId=0)
            add(db)
        path, exported = report(bench.here('rank.sqlite'), [('step', 0, 10)], add=fill), bench.here('out.sqlite')
        bench.run('export', '-f', '--format', 'sqlite', '-o', exported, path)
        return [rank for rank, in sqlite3.connect(exported).execute('SELECT rank FROM NVTXH_PROCESSES ORDER BY globalPid')]
    equal(ranks(slurm), [3], 'a step of SLURM')
    equal(ranks(slurm, pids=(7, 8)), [None, None], 'another launcher below srun')
    equal(ranks({'SLURM_PROCID': 3}), [None], 'a batch script')
    equal(ranks({'RANK': 3}), [None], 'RANK alone')
    equal(ranks({'RANK': 3, 'WORLD_SIZE': 8}, pids=(7, 8)), [3, 3], 'torchrun and a child')
    equal(ranks({'RANK': 3, 'WORLD_SIZE': 8}, lambda db: db.add('MPI_RANKS', globalTid=database.global_tid(8, 8), rank=1), (7, 8)), [None, 1], 'MPI_RANKS')
    equal(ranks({'RANK': '3', 'WORLD_SIZE': '"'}), [None], 'no number')


NUMBERS = [0, -1, 7, 2**63 - 1, -2**63, 2**64 - 1, 0.5, -1e300, 1e-7, 1e30]
TEXTS = ['', 'a "quoted", name', 'caf\u00e9 \U0001f600', 'back\\slash\n', '{', '=1+1']


def draw_json(r, depth=3):
    kind = r.randrange(6 if depth else 4)
    if kind < 4:
        return [r.choice(NUMBERS), r.choice(TEXTS), r.choice([True, False]), None][kind]
    some = [draw_json(r, depth - 1) for _ in range(r.randrange(4))]
    return some if kind == 4 else {key: each for key, each in zip(r.sample(['a', 'b c', 'd.e', '"', ''], len(some)), some)}


def plain(value):
    """The value as text in messages of Chrome's format: numbers as doubles, so that their spelling does not matter."""
    return '-' if value is None else str(value).lower() if isinstance(value, bool) else value if isinstance(value, str) else float(value)


def leaves(value):
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else None
    return [value] if inner is None else [leaf for each in inner for leaf in leaves(each)]


def case_payloads(bench):
    """Payloads in jsonText and jsonTextId are shown as payloads are, and so are those in databases that export made of them; other text is a field."""
    for seed in seeds(40):
        r, ranges, wanted = random.Random(seed), [], []

        def add(db):
            for i in range(10):
                value = {f'k{k}': draw_json(r) for k in range(r.randrange(1, 4))} if r.random() < .8 else draw_json(r) or 1
                text, column = json.dumps(value, ensure_ascii=r.random() < .5, indent=r.choice([None, 1])), r.choice(['jsonText', 'jsonTextId'])
                wanted.append(value if isinstance(value, dict) else {'payload': value})
                db.nvtx(database.PUSH_POP, database.global_tid(7, 7), 10 * i, 10 * i + 5, text=f'range {i}', domainId=0, **{column: db.string(text) if column == 'jsonTextId' else text})
        path = report(bench.here('json.sqlite'), ranges, add=add)
        other = bench.here('other.sqlite')
        bench.run('export', '-f', '--format', 'sqlite', '-o', other, path)
        texts = [text for text, in sqlite3.connect(other).execute('SELECT jsonText FROM NVTX_EVENTS WHERE eventType = 59 ORDER BY start')]
        equal([json.loads(text) for text in texts], [json.loads(json.dumps(value).replace('true', '"true"').replace('false', '"false"')) for value in wanted], f'seed {seed}')
        for source in path, other:
            rows = bench.table('export', '--format', 'csv', source)
            equal([row['Payload Type'] for row in rows], ['schema'] * 10, f'seed {seed}')
            events = json.loads(bench.run('export', '--format', 'chrome', source).stdout)['traceEvents']
            for event, value in zip([event for event in events if event['ph'] == 'X'], wanted):
                given, got = leaves(value), list(event.get('args', {}).values())
                equal(len(got), len(given), f'seed {seed}, {value}, {event}')
                equal([float(text) if isinstance(plain(one), float) else text for text, one in zip(got, given)], [plain(one) for one in given], f'seed {seed}, {value}')
        slowest = bench.table('stats', '--csv', '--slowest', 'range 3', path)
        equal(slowest[0]['Payload'], rows[3]['Payload'].replace('"true"', 'true').replace('"false"', 'false'), f'seed {seed}')
    for text in '{"a":1', '{a:1}', '[1,]', 'nan', '"\\ud800\\u0041"', '{"a":1}x', '[' * 70 + ']' * 70, '{"a" 1}', '01a', '\\':
        row, = bench.table('export', '--format', 'csv', report(bench.here('bad.sqlite'), [('step', 0, 10, {'jsonText': text})]))
        equal(row['Payload'], f'jsonText="{text}"', 'no JSON')
    row, = bench.table('export', '--format', 'csv', report(bench.here('binary.sqlite'), [('step', 0, 10, {'binaryData': '0a0b'})]))
    equal((row['Payload Type'], row['Payload']), ('schema', 'binaryData="0a0b"'), 'binary data')


def case_payloads_exported(bench):
    """Payloads of a recording are the same in the database that export makes of it."""
    recording = synthetic.Recording()
    process = recording.process()
    entries = b''.join(struct.pack('<4Q2I', 0, kind, 0, 0, 1, 0) for kind in (14, 17, 14)) + b'p' + b'aba'
    process.names.long(synthetic.SCHEMA, 0, struct.pack('<5QII', (1 << 24) + 1, 1, 0, 0, 0, 3, 1) + entries)
    thread = process.thread(1)
    for i in range(1, 40):
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQ', (1 << 24) + 1, 0, 24) + bytes((i * k) % 256 for k in range(24)), at=10 * i)
        thread.mark(10 * i, f'mark {i}')
    path, made = recording.write(bench.here('p.nvtxh')), bench.here('p.sqlite')
    bench.run('export', '-f', '--format', 'sqlite', '-o', made, path)
    texts = [[(row['Message'], row['Payload']) for row in bench.table('export', '--format', 'csv', each)] for each in (path, made)]
    require('p={a=' in texts[0][0][1], texts[0][0])
    again = bench.here('again.sqlite')
    bench.run('export', '-f', '--format', 'sqlite', '-o', again, made)
    stored = [sqlite3.connect(each).execute('SELECT text, jsonText FROM NVTX_EVENTS WHERE eventType = 34 ORDER BY start').fetchall() for each in (made, again)]
    equal(stored[1], stored[0], 'JSON')
    equal([text.replace(' (2)', '') for _, text in texts[1]], [text for _, text in texts[0]], 'text')


# Every command that reads a report.
READ = [['stats', '--csv'], ['stats', '--gpu', '--csv'], ['stats', '--by', 'kernel'], ['tree', '--csv'], ['tree', '--gpu'], ['export', '--format', 'csv'], ['export', '--format', 'chrome'],
        ['ranks', '--by', 'rank'], ['view', '--no-open', '-f', '-o', 'page.html'], ['export', '-f', '--format', 'sqlite', '-o', 'out.sqlite'], ['stats', '--domain', 'x']]


def case_unrecorded(bench):
    """A report without ranges is one, and every command says what was not recorded, and how it is."""
    tables = ['StringIds', 'ANALYSIS_DETAILS', 'TARGET_INFO_SYSTEM_ENV', 'META_DATA_EXPORT', 'META_DATA_CAPTURE', 'EXPORT_META_DATA', 'CUPTI_ACTIVITY_KIND_RUNTIME', 'NVTX_EVENTS']
    for table in tables:
        path = pathlib.Path(bench.here(f'{table}.sqlite'))
        with sqlite3.connect(path) as db:
            db.execute(f'CREATE TABLE {table} ({", ".join(database.TABLES[table].split())})')
        for command in READ:
            done = bench.run(*command, path, status=None, cwd=bench.directory)
            require(f'{path}: no NVTX ranges were recorded; nsys profile --trace=nvtx records them' in done.stderr, command, done.stderr)
            is_gpu = '--gpu' in command or 'kernel' in command
            require(('nsys profile --trace=cuda,nvtx' in done.stderr) == is_gpu, command, done.stderr)
    with sqlite3.connect(bench.here('other.sqlite')) as db:
        db.execute('CREATE TABLE other (name)')
        db.execute('CREATE VIEW StringIds AS SELECT name FROM other')
    require('not of Nsight Systems' in bench.run('stats', bench.here('other.sqlite'), status=1).stderr, 'another database')
    db = database.Database('2024')
    db.kernel(database.global_pid(7), 5, 10, 0, 7, 1)
    paths = [db.write(bench.here('gpu.sqlite')), report(bench.here('ranges.sqlite'), [('step', 0, 11)])]
    require('no NVTX ranges' in bench.run('stats', paths[0]).stderr, 'operations alone')
    equal(bench.run('stats', paths[1]).stderr, '', 'ranges alone')
    require('in 1 of the 2 files' in bench.run('stats', *paths).stderr, 'one of two files')


def case_warnings(bench):
    """The warnings of the report are said, each once; operations without times are counted, and are in no time."""
    for seed in seeds(8):
        chosen = random.Random(seed)
        texts = [f'{number} of all events\nmight be lost' for number in range(chosen.randrange(8))]
        given = [(chosen.randrange(1, 4), text) for text in texts for _ in range(chosen.randrange(1, 4))]
        times = [chosen.choice([(0, 0), (5, 5), (0, 7), (20, 25)]) for _ in range(chosen.randrange(12))]

        def add(db):
            for severity, text in given:
                db.add('DIAGNOSTIC_EVENT', timestamp=1, timestampType=1, source=1, severity=severity, text=text)
            for start, end in times:
                db.kernel(database.global_pid(7), start, end, 0, 7, None)
        path = report(bench.here(f'{seed}.sqlite'), [('step', 0, 10)], add=add)
        done = bench.run('stats', '--csv', path)
        wanted = collections.Counter(text.replace('\n', '\\n') for severity, text in given if severity > 1)
        said = [line.split(' warned: ')[1] for line in done.stderr.splitlines() if ' warned: ' in line]
        require({*said} <= {text + (f' ({count} times)' if count > 1 else '') for text, count in wanted.items()} and len(said) == min(5, len(wanted)), f'seed {seed}', done.stderr, wanted)
        require((f'{len(wanted) - 5} more warning' in done.stderr) == (len(wanted) > 5), f'seed {seed}', done.stderr)
        equal('more warnings' in done.stderr, len(wanted) > 6, f'seed {seed}')
        bad = times.count((0, 0))
        require((f'{bad} row' in done.stderr) == bool(bad), f'seed {seed}, {bad}', done.stderr)
        got = [(int(row['Instances']), int(row['Total Time (ns)'])) for row in driver.table(done.stdout) if row['Range'].startswith('GPU:')]
        equal(got, [(len(times) - bad, sum(end - start for start, end in times))] * (len(times) > bad), f'seed {seed}')


def slices(path):
    """{process: (start, end)} of all slices in a trace for Perfetto, of push/pop ranges and operations."""
    begun, found = collections.defaultdict(list), []
    for packet in perfetto_trace(path).packet:
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            begun[event.track_uuid].append(packet.timestamp)
        elif event.type == event.TYPE_SLICE_END:
            found.append((begun[event.track_uuid].pop(), packet.timestamp))
    return found


def case_ticks(bench):
    """Times of a coarse clock, of which many are equal: starts, ends, depths and self times are those of the model, in all formats and in databases made of them."""
    for crosses in False, True:
        for seed, program, path in gpu.each(bench, 8, crosses=crosses, tick=4096):
            gpu.check_spans(bench, program, path, f'seed {seed}')
            gpu.check_rows(bench.table('stats', '--gpu', '--csv', path), program, f'seed {seed}')
            gpu.check_nodes(bench.table('tree', '--gpu', '--csv', path), program, f'seed {seed}')
            gpu.check_kernels(bench.table('stats', '--by', 'kernel', '--gpu', '--csv', path), program, True, f'seed {seed}')
            for kind in 'sqlite', 'chrome', 'perfetto':
                bench.run('export', '-f', '--format', kind, '-o', bench.here('out.' + kind), path)
            ranges = [(one.start, one.end) for one in program.ranges if one.style != 'Mark']
            times = ranges + [(one.start, one.end) for one in program.operations]
            rows = bench.table('export', '--format', 'csv', bench.here('out.sqlite'))
            gpu.same([(int(row['Start (ns)']), int(row['End (ns)'])) for row in rows if row['Style'] != 'Mark'], times, f'seed {seed}, sqlite')
            events = json.loads(pathlib.Path(bench.here('out.chrome')).read_text())['traceEvents']
            got = [(round(1000 * event['ts']), round(1000 * (event['ts'] + event['dur']))) for event in events if event['ph'] == 'X']
            begun = {event['id']: event['ts'] for event in events if event['ph'] == 'b'}
            got += [(round(1000 * begun[event['id']]), round(1000 * event['ts'])) for event in events if event['ph'] == 'e']
            gpu.same(got, times, f'seed {seed}, chrome')
            gpu.same(slices(bench.here('out.perfetto')), times, f'seed {seed}, perfetto')


def case_no_time(bench):
    """Many ranges without duration take no time from the next; the order of the rows does not matter."""
    ranges = [(f'{i}', 100, 100) for i in range(40)] + [('next', 100, 140), ('last', 140, 150)]
    for seed in seeds(5):
        random.Random(seed).shuffle(ranges)
        rows = bench.table('export', '--format', 'csv', report(bench.here('ranges.sqlite'), ranges))
        gpu.same([(row['Message'], int(row['Start (ns)']), int(row['End (ns)'])) for row in rows], ranges, f'seed {seed}')
        total = {row['Range']: (int(row['Total Time (ns)']), int(row['Self (ns)'])) for row in bench.table('stats', '--csv', bench.here('ranges.sqlite'))}
        equal(total, {name: (end - start, end - start) for name, start, end in ranges}, f'seed {seed}')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
