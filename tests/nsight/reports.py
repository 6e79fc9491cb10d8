#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of Nsight Systems as other people have them: what is in them is read, or named."""
import collections
import json
import pathlib
import random
import sqlite3

from harness import driver
from harness.checks import equal, perfetto_protos, require
from harness.draws import seeds
import database
import gpu


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
        for name, value in variables.items():
            db.add('META_DATA_CAPTURE', name='PROCESS_0:ENVIRONMENT_VARIABLE', value=f'{name}="{value}"')
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
        said = bench.run('ranks', *paths).stderr
        require(f'step: rank {ranks[slow]} is a straggler' in said, f'seed {seed}, {ranks[slow]}', said)
        exported = bench.here('exported.sqlite')
        bench.run('export', '-f', '--format', 'sqlite', '-o', exported, paths[0])
        row, = sqlite3.connect(exported).execute('SELECT rank, localRank, worldSize, job FROM NVTXH_PROCESSES')
        equal(row, (ranks[0], ranks[0] % 8, 40, '4711'), f'seed {seed}, {LAUNCHERS[seed % len(LAUNCHERS)]}')


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
    trace = perfetto_protos().Trace()
    trace.ParseFromString(pathlib.Path(path).read_bytes())
    begun, found = collections.defaultdict(list), []
    for packet in trace.packet:
        event = packet.track_event
        if event.type == event.TYPE_SLICE_BEGIN:
            begun[event.track_uuid].append(packet.timestamp)
        elif event.type == event.TYPE_SLICE_END:
            found.append((begun[event.track_uuid].pop(), packet.timestamp))
    return found


def case_ticks(bench):
    """Times of a coarse clock, of which many are equal: starts, ends, depths and self times are those of the model, in all formats and in databases made of them."""
    for crosses in False, True:
        for seed, program, path in gpu.each(bench, 20, crosses=crosses, tick=4096):
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
