#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's work in ranges, of databases of Nsight Systems: nvtxh, the model in model.py, Nsight Systems and Kineto find the same.

Databases are drawn at random (harness/draws.py).
"""
import collections
import contextlib
import dataclasses
import json
import math
import os
import random
import re
import shutil
import sqlite3
import statistics
import subprocess
import sys

from harness import driver
from harness.checks import CACHE, ROOT, conforms, equal, need, require, same, skip
from harness.draws import DRAWS, SEED, seeds
import database
import drawn
import kineto
import model

sys.path.append(str(ROOT / 'tests/reader'))
import cliffs  # noqa: E402
import diff  # noqa: E402
import faults  # noqa: E402
import parquet  # noqa: E402
import synthetic  # noqa: E402

SAXPY, CLOVERLEAF = 'saxpy-mpi-cuda_nsys_perlmutter0.sqlite', 'perlmutter-cloverleaf-cuda.sqlite'
# Kineto adds up to 1.5 us to each annotation, or takes it away; nobody says why.
KINETO_ERROR = 1501
WIDE = {**os.environ, 'COLUMNS': '400', 'LC_ALL': 'C.UTF-8'}


def each(bench, count, **options):
    """(seed, program, path of its database) of that many that are drawn."""
    for seed in seeds(count):
        one = drawn.Drawn(random.Random(seed), **options)
        yield seed, one, one.write(bench.here(f'seed-{seed}.sqlite'))


def real(name):
    """The path of a report that tests/nightly.sh fetches from the repositories of pipit and HTA."""
    path = next(CACHE.glob(f'*/*/{name}'), None)
    return str(path) if path else skip(f'no {name} in .cache (tests/nightly.sh gpu fetches it)')


# --- nvtxh and the model -----------------------------------------------------------------------

def number(text):
    return float(text) if text else None


def close(got, low, high, what, *error):
    """Whether a cell lies between two numbers, give or take 2 %; or there is nothing."""
    require(got == low or got is not None and low is not None and low * .98 - 1 <= got <= high * 1.02 + 1, what, got, low, high, *error)


def check_common(row, one, name):
    """What rows of ranges and of kernels have."""
    require(math.isclose(float(row['GPU Time (%)']), one.share, rel_tol=1e-9, abs_tol=1e-12), f'{name}: GPU Time', row, one.share)
    rate = one.copied / one.copying if one.copying else None
    got = number(row['Copy Rate (GB/s)'])
    require(got == rate or got is not None and rate is not None and abs(got - rate) <= .0051 + rate / 1000, f'{name}: Copy Rate', row, rate)
    close(number(row['Launch (ns)']), *medians(one.latencies), f'{name}: Launch')


def check_order(rows, what):
    order = [int(row['GPU Busy (ns)']) for row in rows]
    equal(order, sorted(order, reverse=True), f'{what}: the order')


def check_rows(rows, program, what, window=model.ALL):
    """ROWS: of stats --gpu --csv."""
    wanted = model.rows(program, window)
    exact = {(row['Style'], row['Range']): tuple(int(row[name] or 0) for name in (
        'Instances', 'Total Time (ns)', 'GPU Ops', 'GPU Busy (ns)', 'GPU Sum (ns)', 'GPU Span (ns)', 'GPU Idle (ns)', 'Copied (bytes)')) for row in rows}
    same(exact, {key: (row.instances, row.total, row.operations, row.busy, row.sum, row.span, row.idle, row.copied) for key, row in wanted.items()},
         f'{what}, stats --gpu')
    equal(len(rows), len(wanted), f'{what}: rows')
    check_order([row for row in rows if row['Style'] != 'None'], what)
    for row in rows:
        check_common(row, wanted[row['Style'], row['Range']], f'{what}, {row["Range"]}')


def check_kernels(rows, program, by_range, what, window=model.ALL):
    """ROWS: of stats --by kernel --csv, with --gpu if BY_RANGE."""
    wanted, names = model.kernel_rows(program, by_range, window), ('Style', 'Range', 'Kernel') if by_range else ('Kernel',)
    got = {tuple(row[name] for name in names): row for row in rows}
    same({key: tuple(int(row[name]) for name in ('GPU Ops', 'GPU Busy (ns)', 'GPU Sum (ns)', 'Min (ns)', 'Max (ns)', 'Copied (bytes)')) for key, row in got.items()},
         {key: (one.operations, one.busy, one.sum, one.lengths[0], one.lengths[-1], one.copied) for key, one in wanted.items()}, f'{what}, stats --by kernel')
    equal(len(rows), len(wanted), f'{what}: rows')
    check_order(rows if not by_range else [row for row in rows if row['Style'] != 'None'], what)
    for key, row in got.items():
        one, name = wanted[key], f'{what}, {key}'
        check_common(row, one, name)
        close(float(row['Med (ns)']), *medians(one.lengths), f'{name}: Med')
        require(abs(float(row['Avg (ns)']) - one.sum / one.operations) <= .051, f'{name}: Avg', row)
        deviation = statistics.stdev(one.lengths) if one.operations > 1 else 0
        require(abs(float(row['StdDev (ns)'] or 0) - deviation) <= .051, f'{name}: StdDev', row, deviation)


def medians(all):
    """The lower and the upper median."""
    return (all[(len(all) - 1) // 2], all[len(all) // 2]) if all else (None, None)


def sums(program):
    """{(style, name): (instances, total, self)} of all ranges, marks and operations."""
    found, own = collections.defaultdict(lambda: (0, 0, 0)), model.depth_and_self(program)
    for one in program.ranges:
        count, total, within = found[one.style, one.name]
        found[one.style, one.name] = count + 1, total + one.end - one.start, within + own.get(one, (0, 0))[1]
    for one in program.operations:
        count, total, within = found['PushPop', 'GPU:' + one.name]
        time = one.end - one.start
        found['PushPop', 'GPU:' + one.name] = count + 1, total + time, within + time
    return dict(found)


# A column of NVTX_EVENTS -> the type and the value of its payload in exports, of database.PAYLOADS.
PAYLOADS = {'uint64Value': ('uint64', str(2**63)), 'int64Value': ('int64', '-7'), 'doubleValue': ('double', '0.5'), 'uint32Value': ('uint32', '7'),
            'int32Value': ('int32', '-1'), 'floatValue': ('float', '0.25')}


def check_spans(bench, program, path, what):
    rows = bench.table('stats', '--csv', path)
    same({(row['Style'], row['Range']): (int(row['Instances']), int(row['Total Time (ns)'] or 0), int(row['Self (ns)'] or 0)) for row in rows}, sums(program),
         f'{what}, stats')
    rows = bench.table('export', '--format', 'csv', path)
    heads = ('Style', 'Domain', 'Message', 'Start (ns)', 'End (ns)', 'Category', 'Category Name', 'Color', 'Payload Type', 'Payload', 'PID', 'TID', 'End TID', 'Depth', 'Open')
    got, own = [tuple(row[head] for head in heads) for row in rows if row['Domain'] != 'GPU'], model.depth_and_self(program)
    same(got, [(one.style, one.domain, one.text, str(one.start), str(one.end), '' if one.category is None else str(one.category),
                'five' * (one.category == 5 and not one.domain), '' if one.color is None else f'#{one.color:08x}', *(PAYLOADS[one.payload] if one.payload else ('', '')),
                str(one.pid), str(one.tid), str(one.end_tid or one.tid), str(own[one][0]) if one.style == 'PushPop' else '', str(int(one.is_open))) for one in program.ranges],
         f'{what}, export of ranges')
    got = [(row['Message'], int(row['Start (ns)']), int(row['End (ns)']), int(row['PID']), row['Payload']) for row in rows if row['Domain'] == 'GPU']
    same(got, [(one.name, one.start, one.end, one.pid, str(one.bytes) if one.kind == 'MEMCPY' else '') for one in program.operations], f'{what}, export of operations')


def case_spans_drawn(bench):
    """stats and export have the ranges and the operations, with all that is known of them."""
    for crosses in False, True:
        for seed, program, path in each(bench, 40, crosses=crosses):
            check_spans(bench, program, path, f'seed {seed}')


def host_nodes(program):
    """{(thread, names of the path): [count, total, self]} of push/pop ranges and of operations, whose streams take the place of threads."""
    found, own, thread = {}, model.depth_and_self(program), same_thread(program)
    for one, path in model.paths(program).items():
        sums = found.setdefault((thread(one), tuple(outer.name for outer in path)), [0, 0, 0])
        sums[:] = sums[0] + 1, sums[1] + one.end - one.start, sums[2] + own[one][1]
    for one in program.operations:
        of = f' of process {one.pid}' if len(program.pids) > 1 else ''
        sums, time = found.setdefault((f'GPU {one.device}, stream {one.stream}{of}', ('GPU:' + one.name,)), [0, 0, 0]), one.end - one.start
        sums[:] = sums[0] + 1, sums[1] + time, sums[2] + time
    return found


# Filters of the tests below: (options, which ranges and operations, of whom the domain is "GPU")
FILTERS = [([], lambda domain, name, tid: True), (['--domain', 'NCCL'], lambda domain, name, tid: domain == 'NCCL'), (['--domain', 'GPU'], lambda domain, name, tid: domain == 'GPU'),
           (['--name', 'step|gemm|^MPI:'], lambda domain, name, tid: re.search('step|gemm|^MPI:', f'{domain}:{name}' if domain else name))]


def case_filtered_host(bench):
    """stats without --gpu, with a filter and a window: counts, totals, self and inclusive times of the model; so for each thread and stream."""
    for seed, program, path in each(bench, 12, size=100, crosses=True):
        moments = sorted({time for one in [*program.ranges, *program.operations] for time in (one.start, one.end)} | {0, 10**5})
        tid, chosen = program.pids[0], random.Random(seed)
        for options, is_shown in [*FILTERS, (['--thread', str(tid)], lambda domain, name, of: of == tid)]:
            window = chosen.choice([model.ALL, tuple(sorted(chosen.sample(moments, 2)))])
            more = options + ([] if window == model.ALL else [f'--from={window[0]}ns', f'--to={window[1]}ns'])
            own, what, rows, places = model.depth_and_self(program, window), f'seed {seed}, {more}', {}, {}

            def thread(one, several=len(program.pids) > 1):
                return f'{one.tid}' + f' of process {one.pid}' * several + f' worker {one.tid}' * ((one.pid, one.tid) in program.names)
            for one in program.ranges:
                for part in model.cut([one], window) if is_shown(one.domain, one.text, one.tid) else []:
                    rows.setdefault((one.style, one.name), []).append((part, own[one][1] if one in own else 0, thread(one)))
                    if one.style == 'PushPop':
                        places.setdefault(thread(one), []).append((part.start, part.end))
            for one in program.operations:
                for part in model.cut([one], window) if is_shown('GPU', one.name, None) else []:
                    lane = f'GPU {one.device}, stream {one.stream}' + (f' of process {one.pid}' if len(program.pids) > 1 else '')
                    rows.setdefault(('PushPop', 'GPU:' + one.name), []).append((part, part.end - part.start, None))
                    places[lane] = places.get(lane, 0) + part.end - part.start

            def numbers(style, parts):
                lengths = [part.end - part.start for part, _, _ in parts]
                threads = {of: [(part.start, part.end) for part, _, own in parts if own == of] for _, _, of in parts}
                inclusive = sum(sum(end - start for start, end in each) if of is None else model.length(each) for of, each in threads.items())
                return len(parts), sum(lengths), sum(own for _, own, _ in parts), inclusive if style == 'PushPop' else 0
            got = {(row['Style'], row['Range']): tuple(int(row[head] or 0) for head in ('Instances', 'Total Time (ns)', 'Self (ns)', 'Inclusive (ns)'))
                   for row in bench.table('stats', '--csv', *more, path)}
            same(got, {key: numbers(key[0], parts) for key, parts in rows.items()}, f'{what}, stats')
            busy = collections.Counter()
            for row in bench.table('stats', '--by', 'thread', '--csv', *more, path):
                if row['Style'] == 'PushPop':
                    busy[re.sub(r' \(\d+\)(?= of process|$)', '', row['Thread'])] += int(row['Inclusive (ns)'])
            wanted = {place: all if isinstance(all, int) else model.length(all) for place, all in places.items()}
            same(dict(busy), wanted, f'{what}, by thread')


def case_tree_host(bench):
    """tree without --gpu has counts, totals, self times and shares of the model, by path."""
    for crosses in False, True:
        for seed, program, path in each(bench, 40, size=100, crosses=crosses):
            got, wanted = {}, host_nodes(program)
            for (_, thread, names), row in nodes_of(bench.table('tree', '--csv', path)).items():
                lane = re.sub(r' \(\d+\)(?= of process|$)', '', thread)  # operations that overlap in a stream have lanes of their own
                sums, cells = got.setdefault((lane, names), [0, 0, 0]), [int(row[head]) for head in ('Instances', 'Total (ns)', 'Self (ns)')]
                sums[:] = map(sum, zip(sums, cells))
                busy = sum(own for _, _, own in wanted.values())
                require(math.isclose(float(row['Time (%)']), 100 * cells[1] / busy if busy else 0, rel_tol=1e-9, abs_tol=1e-12), f'seed {seed}: the share', row, busy)
            same({key: tuple(sums) for key, sums in got.items()}, {key: tuple(sums) for key, sums in wanted.items()}, f'seed {seed}, tree')


def host_rows(program):
    """{(style, name): (count, total, self, inclusive)} of ranges, marks and operations. Inclusive: what is open twice counts once."""
    threads = collections.defaultdict(list)
    for one in program.ranges:
        threads[one.style, one.name, one.pid, one.tid].append((one.start, one.end))
    inclusive = collections.Counter()
    for (style, name, *_), intervals in threads.items():
        inclusive[style, name] += model.length(intervals) if style == 'PushPop' else 0
    return {(style, name): (*row, row[1] if name.startswith('GPU:') else inclusive[style, name]) for (style, name), row in sums(program).items()}


def case_diff_host(bench):
    """diff without --gpu has counts, totals, self and inclusive times of the model, of each side."""
    for crosses in False, True:
        for seed in seeds(30):
            sides = [drawn.Drawn(random.Random(2 * seed + i), size=100, crosses=crosses) for i in range(2)]
            rows = bench.table('diff', '--csv', *(side.write(bench.here(f'{i}.sqlite')) for i, side in enumerate(sides)))
            for side, letter in zip(sides, 'AB'):
                heads = f'Instances {letter}', f'Total {letter} (ns)', f'Self {letter} (ns)', f'Inclusive {letter} (ns)'
                got = {(row['Style'], row['Range']): tuple(int(row[head] or 0) for head in heads) for row in rows}
                same({key: cells for key, cells in got.items() if cells[0]}, host_rows(side), f'seed {seed}, diff, {letter}')


def case_gpu_drawn(bench):
    """stats --gpu has the rows of the model, and for people says which ranges left GPUs idle most."""
    for seed, program, path in each(bench, 60):
        check_rows(bench.table('stats', '--gpu', '--csv', path), program, f'seed {seed}')
        idle = [(row.idle, 100 * row.idle / (row.busy + row.idle)) for (style, _), row in model.rows(program).items() if style != 'None' and row.idle * 4 >= row.busy and row.idle]
        text = bench.run('stats', '--gpu', path, env={**os.environ, 'LC_ALL': 'C', 'COLUMNS': '400'}).stdout.partition('\nFindings:\n')[2]
        found = [(float(ns) * {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}[unit], int(percent)) for ns, unit, percent in
                 re.findall(r' left GPUs idle for ([\d.]+) (\w+), (\d+) % of the time between its operations$', text, re.MULTILINE)]
        equal(len(found), len(text.splitlines()), f'seed {seed}: findings')
        equal(len(found), min(6, len(idle)), f'seed {seed}: how many')
        for (ns, percent), (longest, _) in zip(found, sorted(idle, reverse=True)):
            require(abs(ns - longest) <= .006 * longest and any(abs(ns - wanted) <= .006 * wanted and abs(percent - part) <= .51 for wanted, part in idle),
                    f'seed {seed}', found, idle)


def only_nccl(program):
    """The program as if its other ranges had never been annotated."""
    few = model.Program([one for one in program.ranges if one.domain == 'NCCL'], program.calls, program.operations)
    few.names, few.pids = program.names, program.pids
    return few


def case_gpu_crossed(bench):
    """The same of ranges of two domains that overlap without nesting; also if the filter leaves some out."""
    for seed, program, path in each(bench, 60, crosses=True):
        check_rows(bench.table('stats', '--gpu', '--csv', path), program, f'seed {seed}')
        check_rows(bench.table('stats', '--gpu', '--domain', 'NCCL', '--csv', path), only_nccl(program), f'seed {seed}, --domain')


def case_kernels_drawn(bench):
    """stats --by kernel has the model's rows of operations by name, and with --gpu by name and range."""
    for crosses in False, True:
        for seed, program, path in each(bench, 40, crosses=crosses):
            for by_range in False, True:
                options = ['--gpu'] if by_range else []
                rows = bench.table('stats', '--by', 'kernel', *options, '--csv', path)
                check_kernels(rows, program, by_range, f'seed {seed}, {options}')
                for option, wanted in (['--name', 'gemm|HtoD'], lambda one: 'gemm' in one.name or 'HtoD' in one.name), (['--domain', 'NCCL'], lambda one: False):
                    if not by_range:  # else they select ranges
                        few = model.Program(program.ranges, program.calls, [one for one in program.operations if wanted(one)])
                        check_kernels(bench.table('stats', '--by', 'kernel', *option, '--csv', path), few, False, f'seed {seed}, {option}')


def nodes_of(rows):
    """{(style, thread, names of the path): row} of the rows of tree --csv."""
    found, path = {}, []
    for row in rows:
        path = [*path[:int(row['Depth'])], row['Range']]
        require(len(path) == int(row['Depth']) + 1, 'a node without the one above', row)
        key = row.get('Style', 'PushPop'), row['Thread'], tuple(path)
        require(key not in found, 'a node twice', key)
        found[key] = row
    return found


def same_thread(program):
    """The function that finds the name of a range's thread in tables."""
    several = len(program.pids) > 1

    def name(one):
        own = program.names.get((one.pid, one.tid), f'program-{one.pid}' if one.tid == one.pid else '')
        return f'{one.tid}{" " * bool(own)}{own}{f" of process {one.pid}" * several}'
    return name


def like_thread(program):
    """The function that finds what a range's thread has in common with like threads. The names of drawn threads are the same but for numbers."""
    return lambda one: (one.pid, 'worker' if (one.pid, one.tid) in program.names else one.tid == one.pid)


def check_nodes(rows, program, what, window=model.ALL):
    """ROWS: of tree --gpu --csv --threads each."""
    got, wanted = nodes_of(rows), {key: row for key, row in model.nodes(program, same_thread(program), window).items() if key[2]}
    heads = 'Instances', 'Total Time (ns)', 'GPU Ops', 'GPU Busy (ns)', 'GPU Sum (ns)', 'GPU Span (ns)', 'GPU Idle (ns)', 'Copied (bytes)'
    same({key: tuple(int(row[head]) for head in heads) for key, row in got.items()},
         {key: (one.instances, one.total, one.operations, one.busy, one.sum, one.span, one.idle, one.copied) for key, one in wanted.items()}, f'{what}, tree --gpu')
    siblings = {}
    for key, row in got.items():
        check_common(row, wanted[key], f'{what}, {key}')
        siblings.setdefault((*key[:2], key[2][:-1]), []).append(row)
    for rows in siblings.values():
        check_order(rows, what)
    return len(got)


def case_tree_drawn(bench):
    """tree --gpu has the rows of the model, by path; so has the row of each thread, and that of all threads that are alike."""
    count = 0
    for crosses in False, True:
        for seed, program, path in each(bench, 20, size=100, crosses=crosses):
            count += check_nodes(bench.table('tree', '--gpu', '--csv', path), program, f'seed {seed}')
            few = only_nccl(program)
            check_nodes(bench.table('tree', '--gpu', '--domain', 'NCCL', '--csv', path), few, f'seed {seed}, --domain')
            for way, place in ('each', same_thread(program)), ('merged', like_thread(program)):
                shown = bench.run('tree', '--gpu', '--threads', way, '--unit', 'ns', '--columns', 'gpu_busy,gpu_ops,gpu_sum,range', path, env=WIDE).stdout.splitlines()[1:]
                got = sorted(tuple(int(cell.replace(',', '')) for cell in line.split()[:3]) for line in shown)
                wanted = [(one.busy, one.operations, one.sum) for one in model.nodes(program, place).values()]
                equal(got, sorted(wanted), f'seed {seed}, --threads {way}')
            rows, narrow = (bench.table(*command, '--gpu', '--csv', '--from', '9us', '--to', '33us', path) for command in (['stats'], ['tree', '--threads', 'merged']))
            heads = 'GPU Ops', 'GPU Busy (ns)', 'GPU Sum (ns)', 'GPU Idle (ns)', 'Total Time (ns)', 'Instances', 'Style', 'Range'
            same(*([tuple(row[head] for head in heads) for row in some if row['Style'] != 'PushPop'] for some in (narrow, rows)), f'seed {seed}, --from')
    require(count > 300, f'only {count} nodes')
    rows = bench.table('tree', '--gpu', '--csv', path)
    few = bench.table('tree', '--gpu', '--csv', '--depth', '1', '--min', '20', path)
    equal(few, [row for row in rows if row['Depth'] == '0' and float(row['GPU Time (%)']) >= 20], '--depth and --min')
    # Where no row is left, what has left them out is named.
    for command in ['tree', '--gpu'], ['stats', '--gpu'], ['stats', '--by', 'kernel'], ['stats', '--gpu', '--by', 'kernel']:
        said = bench.run(*command, '--from', '1h', own_gpu_domain(bench), status=1).stderr
        require('no operation of a GPU matches that time; nvtxh stats' in said, command, said)
    said = bench.run('tree', '--gpu', '--min', '100', '--csv', own_gpu_domain(bench)).stderr
    require('every range has a share of less than 100 %' in said, said)
    conforms(json.loads(bench.run('tree', '--gpu', '--json', path).stdout), json.loads((ROOT / 'recorder' / 'report.schema.json').read_text())['$defs']['tree_gpu'], 'tree --gpu')
    # What runs in the window counts the threads that launched it, also before the window.
    db, pid = database.Database(), database.global_pid(100)
    for i in range(1, 4):
        thread = database.global_tid(100, 100 + i)
        db.nvtx(database.THREAD, thread, 0, text=f'io {i}', domainId=0)
        db.nvtx(database.PUSH_POP, thread, 1000, 9000, text='load', domainId=0)
        db.call(thread, 2000, 2100, i)
        db.kernel(pid, 60000 + 1000 * i, 60500 + 1000 * i, 0, 7, i)
    path = db.write(bench.here('io.sqlite'))
    for options, wanted in ([], 'io *, 3 threads'), (['--from', '50us'], 'io *, 3 threads'), (['--from', '61.6us'], 'io *, 2 threads'), (['--from', '62.6us'], '103 io 3'):
        shown = bench.run('tree', '--gpu', '--columns', 'range', *options, path, env=WIDE).stdout.splitlines()
        equal([line.strip() for line in shown[1:]], [wanted, 'load'], f'threads, {options}')


def case_windows(bench):
    """With --from and --to, ranges and operations are cut there; which range launched an operation, how late it began and how fast it copied is
    that of the whole ones."""
    cut = 0
    for crosses in False, True:
        for seed, program, path in each(bench, 20, size=100, crosses=crosses):
            moments = sorted({time for one in program.operations for time in (one.start, one.end)} | {0, 10**5})
            chosen = random.Random(seed)
            window = sorted(chosen.sample(moments, 2)) if seed % 2 else sorted(chosen.choices(range(moments[-1] // 2), k=2))
            options = ['--csv', '--from', f'{window[0]}ns', '--to', f'{window[1]}ns', path]
            what = f'seed {seed}, {window}'
            check_rows(bench.table('stats', '--gpu', *options), program, what, window)
            check_nodes(bench.table('tree', '--gpu', *options), program, what, window)
            for by_range in False, True:
                check_kernels(bench.table('stats', '--by', 'kernel', *['--gpu'] * by_range, *options), program, by_range, what, window)
            cut += sum(one.start < edge < one.end for one in program.operations for edge in window)
    require(cut > 20, 'few operations were cut', cut)


def case_parquet_drawn(bench):
    """--format parquet has the launch of each operation."""
    _, dataset, _ = parquet.readers(bench)
    found = collections.Counter()
    for crosses in False, True:
        for seed, program, path in each(bench, 12, size=150, crosses=crosses):
            for few, options in (program, []), (only_nccl(program), ['--name', '^(NCCL|GPU):']):
                folder, wanted = bench.here(f'set-{crosses}-{seed}-{len(options)}'), []
                bench.run('export', '--format', 'parquet', '-o', folder, *options, path)
                ranges = f'{folder}/ranges'
                rows = dataset.dataset(ranges, format='parquet').to_table().to_pylist() if os.path.exists(ranges) else []
                by_id = {(row['pid'], row['id']): row for row in rows}
                equal(len(by_id), len(rows), f'seed {seed}: ids')
                require(all(row['launch'] is row['launchThread'] is None for row in rows if row['domain'] != 'GPU'), f'seed {seed}: launches of ranges')
                for one in few.operations:
                    call = model.launch(few, one)
                    wanted.append((one.pid, one.start, one.end, one.name, call and call.start, call and call.tid))
                    found[call is None] += 1
                got = [tuple(row[column] for column in ('pid', 'start', 'end', 'text', 'launch', 'launchThread')) for row in rows if row['domain'] == 'GPU']
                same(got, wanted, f'seed {seed}, {options}')
    require(min(found[True], found[False]) > 50, found)
    bench.run('export', '--format', 'parquet', '-o', bench.here('own-domain'), own_gpu_domain(bench))
    rows = dataset.dataset(bench.here('own-domain/ranges'), format='parquet').to_table().to_pylist()
    equal(sum(row['launch'] is not None for row in rows), 3, 'launched in a domain GPU')


def case_processes(bench):
    """Each stream of each GPU and process has a lane with its name, and each domain of each process its own name."""
    db, wanted = database.Database(), {}
    for number in range(6):
        pid = 100 + number
        for device in range(6):
            db.kernel(database.global_pid(pid), 10, 20 + device, device, 7, None)
            wanted[f'GPU {device}, stream 7 of process {pid}'] = str(10 + device)
        for domain in range(1, 6):
            db.nvtx(database.DOMAIN, database.global_tid(pid, pid), 0, text=f'd{pid}.{domain}', domainId=domain)
            db.nvtx(database.PUSH_POP, database.global_tid(pid, pid), 30 + 2 * domain, 31 + 2 * domain, text='x', domainId=domain)
    path = db.write(bench.here('processes.sqlite'))
    rows = bench.table('stats', '--by', 'thread', '--csv', path)
    equal({row['Thread']: row['Total Time (ns)'] for row in rows if row['Thread'].startswith('GPU')}, wanted, 'lanes')
    equal({row['Range'] for row in bench.table('stats', '--csv', path) if row['Range'].startswith('d')},
          {f'd{100 + number}.{domain}:x' for number in range(6) for domain in range(1, 6)}, 'domains')
    # Of processes of one pid only the first has a domain's name, as nvtxh export writes it. A domain of another file is another one.
    paths = []
    for k, name in enumerate(('named', None)):
        db, thread = database.Database(), database.global_tid(100, 100)
        if name:
            db.nvtx(database.DOMAIN, thread, 0, text=name, domainId=1)
        for again in range(2):
            db.nvtx(database.PUSH_POP, thread + (again << 48), 1000, 2000 + k, text='x', domainId=1)
        paths.append(later(db.write(bench.here(f'{k}.sqlite')), k))
    equal({row['Range']: (row['Instances'], row['Max (ns)']) for row in bench.table('stats', '--csv', *paths)},
          {'named:x': ('2', '1000'), 'domain 1:x': ('2', '1001')}, 'names of two files')


def case_sorted(bench):
    """--sort sorts each table of GPUs by any of its columns."""
    rows = 0
    for _, _, path in each(bench, 5):
        for options in ['--gpu'], ['--by', 'kernel'], ['--gpu', '--by', 'kernel']:
            usual = bench.table('stats', *options, '--csv', path)
            keys = json.loads(bench.run('stats', *options, '--json', path).stdout)
            schema = json.loads((ROOT / 'recorder' / 'report.schema.json').read_text())['$defs']['stats_' + '_'.join(options).replace('--by_', '').replace('--', '')]
            conforms(keys, schema, f'{options}')
            for key, head in zip(keys[0], usual[0]) if keys else ():
                found = bench.table('stats', *options, '--sort', key, '--csv', path)
                same(map(repr, found), map(repr, usual), f'the rows of --sort {key}')
                cells = [row[head] for row in found]
                words = key in ('style', 'name', 'kernel')
                equal(cells, sorted(cells, key=str.encode) if words else sorted(cells, key=lambda cell: -float(cell or '-inf')), f'{options} --sort {key}')
                rows += len(found)
    require(rows > 1000, rows)


def own_gpu_domain(bench):
    """The path of a database of a program that has a domain GPU of its own: step(0), step(1) and step(2) launch kernels."""
    db, thread = database.Database(), database.global_tid(7, 7)
    db.nvtx(database.DOMAIN, thread, 0, text='GPU', domainId=1)
    for i in range(3):
        db.nvtx(database.PUSH_POP, thread, 1000 * i + 100, 1000 * i + 900, text=f'step({i})', domainId=1)
        db.call(thread, 1000 * i + 200, 1000 * i + 210, i + 1)
        db.kernel(database.global_pid(7), 1000 * i + 300, 1000 * i + 400, 0, 7, i + 1)
    return db.write(bench.here('own-domain.sqlite'))


def case_kernel_names(bench):
    """Names of kernels are whole in CSV; people see them without parameters and what is in template arguments."""
    names = {
        'saxpy(double *, double *, double *, double, int)': 'saxpy',
        'triton_poi_fused_add_0': 'triton_poi_fused_add_0',
        'void gemm<float, (int)128>(T1 *, int)': 'gemm<float, (int)128>',
        'void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>, at::detail::Array<char *, (int)1>>(int, T2, T3)':
            'at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<>, at::detail::Array<>>',
        'void clover::par_ranged2d_kernel<build_field(global_variables &)::[lambda(int, int) (instance 1)]>(clover::Range2d, T1)':
            'clover::par_ranged2d_kernel<build_field()::[lambda() (instance 1)]>',
        'void (anonymous namespace)::scan<decltype(f((a)->b))>(int (*)(int))': '(anonymous namespace)::scan<decltype()>',
        'bool operator< <int>(T1, T1)': 'bool operator< <int>(T1, T1)',
        'void a>b': 'void a>b', 'void': 'void', '(x)': '(x)', ')': ')', 'void cut<off(int': 'void cut<off(int', '<' * 70 + '>' * 70: '<' * 70 + '>' * 70,
        '[CUDA memcpy HtoD]': '[CUDA memcpy HtoD]', '': ''}
    db = database.Database()
    for number, name in enumerate(names, 1):
        db.kernel(database.global_pid(7), 1000 * number, 1000 * number + number, 0, 7, number, name=name)
    path = db.write(bench.here('names.sqlite'))
    shown = bench.run('stats', '--by', 'kernel', '--columns', 'kernel', path, env=WIDE).stdout.splitlines()[1:]
    equal([row['Kernel'] for row in bench.table('stats', '--by', 'kernel', '--csv', path)], list(names)[::-1], 'in CSV')
    equal(shown, list(names.values())[::-1], 'for people')
    # All that shows ranges has them in the domain GPU.
    for rank in range(2):
        db.rows['NVTX_EVENTS'] = []
        db.nvtx(database.THREAD, database.global_tid(7, 7), 0, text=f'MPI Rank {rank}', domainId=0)
        db.rows['TARGET_INFO_SESSION_START_TIME'][0]['utcEpochNs'] += 1  # or they would be one recording
        db.write(bench.here(f'names-{rank}.sqlite'))
    paths = [bench.here(f'names-{rank}.sqlite') for rank in range(2)]
    short = sorted('GPU:' + (name or '(no message)') for name in names.values())
    for command, head, files in ('stats', 'Range', paths[:1]), ('tree', 'Range', paths[:1]), ('diff', 'Range', paths), ('ranks', 'Range', paths):
        rows = bench.run(command, '--columns', 'name' if command == 'stats' else 'range', *files, env=WIDE).stdout.splitlines()[1:]
        equal(sorted(row.strip() for row in rows if 'GPU 0' not in row), short, f'{command} for people')
        # In ranks and exports, no message is "(no message)" for programs, too.
        whole = sorted('GPU:' + (name or '(no message)' * (command == 'ranks')) for name in names)
        equal(sorted(row[head] for row in bench.table(command, '--csv', *files)), whole, f'{command} --csv')
    for to in 'csv', 'folded', 'chrome':
        done = bench.run('export', '--format', to, '-o', bench.here(to), paths[0])
        with open(bench.here(to)) as f:
            text = f.read()
        require(all(name in text for name in names), f'export --format {to}', done.stderr)
    # The program's own domain of that name has ranges, whose names are whole.
    path, ranges = own_gpu_domain(bench), [f'GPU:step({i})' for i in range(3)]
    for command in ['stats', '--columns', 'name'], ['tree', '--columns', 'range'], ['tree', '--gpu', '--columns', 'range']:
        shown = [row.strip() for row in bench.run(*command, path, env=WIDE).stdout.partition('Findings:')[0].splitlines()]
        equal(sorted(row for row in shown if 'step' in row), ranges, f'{command}, of a domain GPU')


def case_thread_names(bench):
    """A thread has the name that the program gave it; else the system's, unless that is the program's own, of which the system keeps 15 bytes."""
    for seed in seeds(10):
        chosen, db, wanted = random.Random(seed), database.Database(), {}
        for pid in range(10, 15):
            program = ''.join(chosen.choice('abc-') for _ in range(chosen.choice([1, 5, 14, 15, 16, 30])))
            db.add('PROCESSES', globalPid=database.global_pid(pid), pid=pid, name=chosen.choice(['', '/usr/bin/', 'a/']) + program)
            for tid in range(100 * pid, 100 * pid + 5):
                of_system = chosen.choice([None, program[:15], program[:15], 'io', program[:14] + '!', program[:14]])
                given = chosen.choice([None, None, 'worker', program[:15]])
                thread = database.global_tid(pid, tid)
                db.nvtx(database.PUSH_POP, thread, 1000, 2000, text='range', domainId=0)
                if of_system is not None:
                    db.add('ThreadNames', nameId=db.string(of_system), priority=20, globalTid=thread)
                if given:
                    db.nvtx(database.THREAD, thread, 0, text=given, domainId=0)
                name = given or (of_system if of_system != program[:15] else None)
                if name:
                    wanted[pid, tid] = name
        events = json.loads(bench.run('export', '--format', 'chrome', db.write(bench.here(f'names-{seed}.sqlite'))).stdout)['traceEvents']
        same({(o['pid'], o['tid']): o['args']['name'] for o in events if o['name'] == 'thread_name'}, wanted, f'seed {seed}')


def busy_and_idle(operations):
    """Of one rank, by counting what runs between any two moments at which something changes."""
    moments = sorted({moment for one in operations for moment in (one.start, one.end)})
    pieces = [(second - first, any(one.start <= first and second <= one.end for one in operations)) for first, second in zip(moments, moments[1:])]
    return tuple(sum(length for length, is_busy in pieces if is_busy == wanted) for wanted in (True, False))


def case_ranks(bench):
    """ranks --by rank says how long the GPUs of each rank worked and waited, of a directory with a database for some of the ranks each."""
    is_busy = False
    for seed in seeds(12):
        folder, random_of, wanted = bench.here(f'seed-{seed}'), random.Random(seed), {}
        os.mkdir(folder)
        for number in range(4):
            one = drawn.Drawn(random.Random(f'{seed} {number}'), size=100)
            ranks = {pid: 10 * number + random_of.randrange(2) for pid in one.pids if random_of.random() < .8}  # others have none
            if one.generation == '2022':
                one.names.update({(pid, pid): f'MPI Rank {rank}' for pid, rank in ranks.items()})
                one.names.update({(pid, pid): random_of.choice(['MPI Rank ', 'MPI Rank 1x', 'MPI Rank x', 'Rank 1']) for pid in one.pids if pid not in ranks})
            else:
                one.ranks = ranks
            for pid, rank in ranks.items():
                wanted.setdefault(rank, []).extend(operation for operation in one.operations if operation.pid == pid)
            one.write(os.path.join(folder, f'{number}.sqlite'))
        got = {int(row['Rank']): (row['GPU Busy (ns)'], row['GPU Idle (ns)']) for row in bench.table('ranks', '--by', 'rank', '--csv', folder)}
        figures = {rank: tuple(map(str, busy_and_idle(operations))) if operations else ('', '') for rank, operations in wanted.items()}
        equal(got, figures, f'seed {seed}')
        is_busy = is_busy or any(busy for busy, _ in got.values())
    require(is_busy, 'some rank is busy')
    # There is no such thing as a percentage of 0 ns.
    paths = []
    for rank in range(6):
        db, tid = database.Database(), database.global_tid(rank + 1, rank + 1)
        db.nvtx(database.THREAD, tid, 0, text=f'MPI Rank {rank}', domainId=0)
        for k in range(30):
            db.kernel(database.global_pid(rank + 1), 1000 * k, 1000 * k + (k + 5 if rank == 2 else 0), 0, 7, k + 1)
        paths.append(db.write(bench.here(f'zero-{rank}.sqlite')))
    done = bench.run('ranks', '--csv', *paths)
    row, = driver.table(done.stdout)
    require((row['Median (ns)'], row['Median Imbalance (%)'], row['Straggler']) == ('0.0', '0.00', '') and 'straggler' not in done.stderr, row, done.stderr)


def case_gpu_diff(bench):
    """diff --gpu has the means of the model's rows, and Welch's test of them with Holm's adjustment; runs are the unit."""
    found = set()
    for seed in seeds(6):
        same, source = seed % 2, random.Random(seed)
        runs = [drawn.Drawn(random.Random(100 * seed + (0 if same else i))) for i in range(7)]
        for i, run in enumerate(runs if same else []):  # one program, whose GPU is slower in B
            scale = source.gauss(1, .01) * (1 if i < 3 else 3)
            for one in run.operations:
                one.end = one.start + int(scale * (one.end - one.start))
        paths = [later(run.write(bench.here(f'{seed}-{i}.sqlite')), i) for i, run in enumerate(runs)]  # or they would be one recording
        models = [model.rows(run) for run in runs]
        values = {}  # {(style, name): {figure: [values of A, values of B]}}
        for key in {key for rows in models for key in rows if key != model.NO_RANGE}:
            have = [i for i, run in enumerate(runs) if any((one.style, one.name) == key for one in run.ranges)]
            values[key] = {figure: [[getattr(models[i][key], figure) if key in models[i] else 0 for i in have if (i < 3) == is_a] for is_a in (True, False)]
                           for figure in ('busy', 'sum', 'operations')}
        compared = [*paths[:3], '--', *paths[3:]]
        rows = {(row['Style'], row['Range']): row for row in bench.table('diff', '--gpu', '--csv', *compared)}
        for key, row in rows.items():
            for figure, column in ('busy', 'GPU Busy {} (ns)'), ('sum', 'GPU Sum {} (ns)'), ('operations', 'GPU Ops {}'):
                for side, letter in enumerate('AB'):
                    side = values[key][figure][side] if key in values else []
                    cell = row[column.format(letter)]
                    require(abs(float(cell) - statistics.fmean(side)) < .51 if side else cell == '', f'seed {seed}', key, column, cell, side)
        gains = {key: abs(sum((statistics.fmean(side) if side else 0) * sign for side, sign in zip(values[key]['busy'], (1, -1)))) if key in values else 0 for key in rows}
        heavy = [gains[key] for key, row in rows.items() if row['Changed'] or row['Runs A'] == '0' or row['Runs B'] == '0']
        light = [gains[key] for key, row in rows.items() if not (row['Changed'] or row['Runs A'] == '0' or row['Runs B'] == '0')]
        equal(list(gains.values()), sorted(heavy, reverse=True) + sorted(light, reverse=True), f'seed {seed}: the order')
        require(set(values) <= set(rows), f'seed {seed}: ranges', set(values) - set(rows))
        for figure in 'busy', 'sum':
            wanted = diff.holm({(key, figure): both[figure] for key, both in values.items() if min(map(len, both[figure])) >= 3})
            for row in bench.table('diff', '--gpu', '--alpha', '0.05', '--figure', f'gpu_{figure}', '--csv', *compared):
                p = wanted.get(((row['Style'], row['Range']), figure))
                require(row['P'] == '' if p is None else abs(float(row['P']) - p) < 2e-6, f'seed {seed}', figure, row, p)
                equal(row['Changed'], f'GPU {figure}' if p is not None and p < .05 else '', f'seed {seed}: what changed')
                found.add((figure, row['Verdict']))
    require({(figure, verdict) for figure in ('busy', 'sum') for verdict in ('slower', 'unclear', 'too few', '')} <= found, found)
    schema = json.loads((ROOT / 'recorder' / 'report.schema.json').read_text())['$defs']['diff_gpu']
    conforms(json.loads(bench.run('diff', '--gpu', '--json', *compared).stdout), schema, 'diff --gpu')
    said = bench.run('diff', '--gpu', '--fail-above', '5', '--figure', 'gpu_busy', *compared[:3], '--', *compared[4:], status=None)
    require(said.returncode in (0, 3), said.stderr)
    for wrong in ['--figure', 'gpu_busy'], ['--columns', 'gpu_sum_a']:
        require('requires --gpu' in bench.run('diff', *wrong, *compared, status=2).stderr, wrong)


# --- files that are not as they should be --------------------------------------------------------

READ = [['stats', '--csv'], ['stats', '--gpu', '--csv'], ['tree', '--gpu', '--csv'], ['export', '--format', 'csv']]


def check_survives(bench, path, what):
    """Whatever the file has: a result, or one line that says why there is none."""
    for command in READ:
        done = bench.run(*command, path, status=None)
        require(done.returncode in (0, 1), f'{what}: status {done.returncode} of {command}', done.stderr)
        lines = done.stderr.splitlines()
        require(all(line.startswith('nvtxh: ') for line in lines) and (done.returncode == 0 or lines), f'{what}, {command}:', *lines)


def small(bench, generation):
    """A drawn program of that generation which has rows in all tables, and its path."""
    for seed in range(SEED, SEED + 1000):
        one = drawn.Drawn(random.Random(seed))
        kinds = {operation.kind for operation in one.operations} | {one.style for one in one.ranges}
        if one.generation == generation and len(kinds) == 7 and one.names:
            return one, one.write(bench.here(f'{generation}.sqlite'))
    raise AssertionError('no such program')


def case_cut(bench):
    """Files that are cut off after every 100th part of them, at night after every 200th."""
    for number, generation in enumerate(database.GENERATIONS):
        _, path = small(bench, generation)
        with open(path, 'rb') as f:
            data = f.read()
        for part in range(number, 200, 1 if DRAWS > 1 else 2):
            cut = bench.here('cut.sqlite')
            with open(cut, 'wb') as f:
                f.write(data[:len(data) * part // 200])
            check_survives(bench, cut, f'{generation}, {part} of 200 parts')


def case_flipped(bench):
    """Random bytes at random places."""
    paths = {generation: small(bench, generation)[1] for generation in database.GENERATIONS}
    for seed in seeds(100):
        chosen = random.Random(seed)
        with open(paths[chosen.choice(list(paths))], 'rb') as f:
            data = bytearray(f.read())
        for _ in range(chosen.choice([1, 10, 100])):
            data[chosen.randrange(chosen.choice([100, len(data)]))] = chosen.randrange(256)
        path = bench.here('flipped.sqlite')
        with open(path, 'wb') as f:
            f.write(data)
        check_survives(bench, path, f'seed {seed}')


def case_types(bench):
    """Values that cannot be, in the columns of each table: each generation has one of them in every second column, at night all in each."""
    chosen = random.Random(SEED)
    values = [None, 'text', b'\0\xff', 1e300, float('-inf'), -1, 0, 2**63 - 1, -2**63]
    for number, generation in enumerate(database.GENERATIONS):
        program, _ = small(bench, generation)
        path = program.write(bench.here('types.sqlite'))
        for table in database.TABLES:
            for column in list(program.database().columns(table))[number::1 if DRAWS > 1 else 2]:
                for value in values if DRAWS > 1 else chosen.sample(values, 1):
                    db = sqlite3.connect(path)
                    if not db.execute('SELECT 1 FROM sqlite_master WHERE name = ?', (table,)).fetchone():
                        break
                    db.execute('PRAGMA synchronous = OFF')
                    db.execute(f'UPDATE {table} SET {column} = ? WHERE rowid % 2', (value,))
                    db.commit()
                    db.close()
                    check_survives(bench, path, f'{generation}, {table}.{column} = {value}')
                program.write(path)


def case_affinity(bench):
    """Times in columns of type TEXT are compared and sorted as the numbers that they are, and those that cannot be are left out."""
    def printed(path):
        return {words: (done.stdout, done.stderr) for words in (('stats', '--csv'), ('stats', '--gpu', '--csv'), ('stats', '--by', 'kernel', '--csv'), ('export', '--format', 'csv'))
                for done in [bench.run(*words, path, status=None)]}

    for seed, one, path in each(bench, 6):
        chosen, bad = random.Random(seed), seed % 2
        kind = chosen.choice(['TEXT', 'BLOB', ''])
        before, db = printed(path), sqlite3.connect(path)
        db.execute('PRAGMA synchronous = OFF')
        for table, sql in db.execute("SELECT name, sql FROM sqlite_master WHERE type = 'table' AND sql LIKE '%start INTEGER, end INTEGER%'").fetchall():
            db.execute(f'ALTER TABLE {table} RENAME TO old')
            db.execute(sql.replace('start INTEGER, end INTEGER', f'start {kind}, end {kind}'))
            db.execute(f'INSERT INTO {table} SELECT * FROM old')
            db.execute(f"UPDATE {table} SET start = CAST(start AS TEXT), end = CAST(end AS TEXT)")
            db.execute('DROP TABLE old')
            if bad and table.endswith('_RUNTIME'):  # a string between those of the limits, a number far beyond
                db.execute(f"INSERT INTO {table} (start, end, globalTid, correlationId) SELECT '1999999999999999999999', end, globalTid, correlationId + 1000000 FROM {table}")
            elif bad and 'KERNEL' in table:
                db.execute(f"INSERT INTO {table} (start, end, deviceId, contextId, streamId, correlationId, globalPid) "
                           f"SELECT '10', '1999999999999999999999', deviceId, contextId, streamId, correlationId + 1000000, globalPid FROM {table} LIMIT 3")
        db.commit()
        db.close()
        after = printed(path)
        for words in before:
            equal(after[words][0], before[words][0], f'seed {seed}, {words}')


def nested(chosen, begin, end):
    """Ranges, (begin, end) each, that nest in one from BEGIN to END; many begin or end together."""
    cuts = sorted(chosen.sample(range(begin, end + 1), min(chosen.randrange(2, 5), end - begin + 1)))
    inner = [pair for pair in zip(cuts, cuts[1:]) if pair != (begin, end) and chosen.random() < .8]
    return [(begin, end), *(one for pair in inner for one in nested(chosen, *pair))]


def case_order(bench):
    """Ranges that begin or end together nest, of whatever domains they are and in whatever order their rows are, also in one that has no end."""
    for seed in seeds(20):
        chosen = random.Random(seed)
        ranges, unit = nested(chosen, 10, 40), chosen.choice([1, 1000])
        domains = {one: chosen.randrange(2) for one in ranges}
        depths = [(begin, end, sum(a <= begin and end <= b and domains[a, b] == domains[begin, end] for a, b in ranges) - 1,
                   f'{domains[begin, end]}: {begin} to {end}') for begin, end in ranges]
        for order in sorted(ranges), sorted(ranges, key=lambda one: (one[0], -one[1])), chosen.sample(ranges, len(ranges)):
            db = database.Database(chosen.choice(list(database.GENERATIONS)))
            is_open = chosen.random() < .5  # the outermost one
            for begin, end in order:
                db.nvtx(database.PUSH_POP, database.global_tid(100, 100), begin * unit, None if is_open and (begin, end) == ranges[0] else end * unit,
                        text=f'{domains[begin, end]}: {begin} to {end}', domainId=domains[begin, end])
            db.nvtx(database.MARK, database.global_tid(100, 101), ranges[0][1] * unit, domainId=0)  # the last moment, at which that ends
            rows = bench.table('export', '--format', 'csv', '--thread', '100', db.write(bench.here('order.sqlite'), order=list))
            found = [(int(row['Start (ns)']) / unit, int(row['End (ns)']) / unit, int(row['Depth'] or -1), row['Message']) for row in rows]
            equal(sorted(found), sorted(depths), f'seed {seed}')
            outer_first = [(start, -end) for start, end, *_ in found]
            equal(outer_first, sorted(outer_first), f'seed {seed}: the order')


def case_missing(bench):
    """Tables and columns that another version of Nsight Systems, or an export of some tables, does not write. Of the columns each
    generation leaves out every third one, at night all."""
    for number, generation in enumerate(database.GENERATIONS):
        program, whole = small(bench, generation)
        usual = bench.table('stats', '--csv', whole)
        for table in database.TABLES:
            db, path = program.database(), bench.here('missing.sqlite')
            for left_out in [table, *((table, column) for column in list(db.columns(table))[number::1 if DRAWS > 1 else 3])]:
                db.write(path, without=[left_out])
                check_survives(bench, path, f'{generation} without {left_out}')
                if table in ('PROCESSES', 'ThreadNames', 'ANALYSIS_DETAILS', 'TARGET_INFO_GPU'):
                    equal(bench.table('stats', '--csv', path), usual, f'{generation} without {left_out}')


def case_launches(bench):
    """Launches at times that cannot be are none, and a table without a column has no values in it: two kernels that no range has."""
    tid, pid = database.global_tid(7, 7), database.global_pid(7)
    for at in -2**63, 1 - 2**63, 2**63 - 1, None:
        db = database.Database()
        db.nvtx(database.PUSH_POP, tid, 0, 100, text='range', domainId=0)
        db.call(tid, at or 10, at or 10, 1)
        db.kernel(pid, 30, 50, 0, 7, 1)
        db.operation('MEMCPY', pid, 60, 70, 0, 7, 2, bytes=5, copyKind=1)
        path = db.write(bench.here('launches.sqlite'), without=[] if at else [('CUPTI_ACTIVITY_KIND_KERNEL', 'globalPid')])
        row, = bench.table('stats', '--gpu', '--csv', path)
        equal((row['Range'], row['GPU Ops'], row['Launch (ns)']), ('(no range)', '2', ''), f'launch at {at}')


def case_before_zero(bench):
    """Times before 0 count from the first: the same figures come out, wherever the clock has its 0."""
    for seed, program, path in each(bench, 5):
        usual, db = bench.table('stats', '--gpu', '--csv', path), program.database()
        for row in (row for rows in db.rows.values() for row in rows if row.get('start') is not None):
            row['start'] -= 10**6
            row['end'] = None if row.get('end') is None else row['end'] - 10**6
        equal(bench.table('stats', '--gpu', '--csv', db.write(bench.here('before.sqlite'))), usual, f'seed {seed}')


def case_lanes(bench):
    """A stream of a context has as many lanes as operations overlap in it, but no more than 64; one that begins when another ends does not overlap that.
    Operations of a lane that overlap even so are process ranges."""
    for seed in seeds(10):
        chosen, lanes = random.Random(seed), []
        count, longest = chosen.choice([(20, 8), (300, 8000)])
        operations = [(chosen.choice([1, 1, 2, 5]), start, start + chosen.randrange(1, longest)) for start in sorted(chosen.sample(range(3 * count), count))]
        db = database.Database(chosen.choice(list(database.GENERATIONS)))
        for number, (context, start, end) in enumerate(operations):
            db.kernel(database.global_pid(7), start, end, 0, 13, number, contextId=context)
        path = db.write(bench.here('lanes.sqlite'))
        for context in {context for context, _, _ in operations}:
            own = [one for one in operations if one[0] == context]
            most = max(sum(a <= start < b for _, a, b in own) for _, start, _ in own)
            name = f'GPU 0, context {context}, stream 13' if context > 1 else 'GPU 0, stream 13'
            lanes += [name + (f' ({n + 1})' if n else '') for n in range(min(most, 64))]
        same([row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', path) if row['Style'] == 'PushPop'], lanes, f'seed {seed}')
        rows, until, apart = bench.table('export', '--format', 'csv', path), {}, 0
        same([(int(row['Start (ns)']), int(row['End (ns)'])) for row in rows], [one[1:] for one in operations], f'seed {seed}')
        for row in rows:
            start, end = int(row['Start (ns)']), int(row['End (ns)'])
            overlaps = until.get(row['TID'], 0) > start
            equal(row['Style'], 'StartEnd' if overlaps else 'PushPop', f'seed {seed}: the style')
            until[row['TID']] = max(end, until.get(row['TID'], 0))
            apart += overlaps
        require(bool(apart) == (max(sum(a <= start < b for c, a, b in operations if c == context) for context, start, _ in operations) > 64), f'seed {seed}', apart)


def case_no_end(bench):
    """Ranges whose rows have no end last until the last moment of the file."""
    for seed, program, _ in each(bench, 30, size=100):
        last = max((one.end for one in [*program.ranges, *program.operations]), default=0) + 1000
        program.operations.append(model.Operation('KERNEL', program.pids[0], last - 10, last, 0, 7, None, drawn.KERNELS[0]))
        chosen, outer = random.Random(seed), {}
        for one in program.ranges:  # of each thread the last range around others may have none
            if one.style == 'PushPop' and not one.table and one.end > outer.get((one.pid, one.tid), one).start:
                outer[one.pid, one.tid] = max(one, outer.get((one.pid, one.tid), one), key=lambda each: each.end)
        for one in [*outer.values(), *(one for one in program.ranges if one.style == 'StartEnd')]:
            if chosen.random() < .6:
                one.end, one.end_tid, one.is_open = last, None, True
        path = program.write(bench.here('no_end.sqlite'))
        check_spans(bench, program, path, f'seed {seed}')
        opened, said = {one.name for one in program.ranges if one.is_open}, bench.run('stats', path).stderr
        require(not opened or all(name in said.split(' had no end')[1] for name in opened) or len(opened) > 3, f'seed {seed}', opened, said)
        check_rows(bench.table('stats', '--gpu', '--csv', path), program, f'seed {seed}')


def case_copies(bench):
    """Each kind of copy is named, by the numbers of CUPTI's CUpti_ActivityMemcpyKind and by those of Nsight Systems for unified memory."""
    kinds = ['', ' HtoD', ' DtoH', ' HtoA', ' AtoH', ' AtoA', ' AtoD', ' DtoA', ' DtoD', ' HtoH', ' PtoP', ' Unified HtoD', ' Unified DtoH', ' Unified DtoD', '']
    db = database.Database()
    for number in range(len(kinds)):
        db.operation('MEMCPY', database.global_pid(7), 100 * number, 100 * number + 50, 0, 7, number, bytes=5, copyKind=number)
    rows = bench.table('export', '--format', 'csv', db.write(bench.here('copies.sqlite')))
    equal([row['Message'] for row in rows], [f'[CUDA memcpy{kind}]' for kind in kinds], 'names')


def case_impossible(bench):
    """Rows of ranges and of operations with times that cannot be are left out, and how many is said, however often the file is read."""
    for seed in seeds(8):
        chosen, one = random.Random(seed), drawn.Drawn(random.Random(seed))
        db, pid = one.database(), one.pids[0]
        bad = [chosen.choice([(500, 400), (-2**62, 5), (5, 2**62), (2**61, 2**61 + 5)]) for _ in range(chosen.randrange(12))]
        ranges = [times for times in bad if chosen.random() < .5]
        for times in ranges:
            db.nvtx(chosen.choice([database.PUSH_POP, database.START_END]), database.global_tid(pid, pid), *times, text='impossible', domainId=0)
        for times in [times for times in bad if times not in ranges]:
            db.kernel(database.global_pid(pid), *times, 0, 7, None)
        count = len(ranges) + sum(times not in ranges for times in bad)
        path = db.write(bench.here(f'{seed}.sqlite'))
        for options in [], ['--gpu'], ['--by', 'kernel']:
            said = bench.run('stats', *options, '--csv', path, status=None).stderr
            lines = f'{count} row{"s" * (count > 1)} with impossible times {"were" if count > 1 else "was"} left out' * bool(count), 'no NVTX ranges were recorded; nsys profile --trace=nvtx records them' * (not one.ranges)
            said_of = [line for line in said.splitlines() if 'no operation of a GPU' not in line]
            equal(said_of, [f'nvtxh: {path}: ' + '; '.join(filter(None, lines))] if any(lines) else [], f'seed {seed}, {options}')
        check_rows(bench.table('stats', '--gpu', '--csv', path), one, f'seed {seed}')


def case_no_calls(bench):
    """Without calls of CUDA, or with such that lack a column, operations are in no range, and that is said."""
    program, path = small(bench, '2022')
    for left_out in 'CUPTI_ACTIVITY_KIND_RUNTIME', *(('CUPTI_ACTIVITY_KIND_RUNTIME', column) for column in ('globalTid', 'start', 'correlationId')):
        program.database().write(path, without=[left_out])
        done = bench.run('stats', '--gpu', '--csv', path)
        require('calls of CUDA' in done.stderr, left_out, done.stderr)
        row, = driver.table(done.stdout)
        equal((row['Range'], int(row['GPU Ops'])), ('(no range)', len(program.operations)), left_out)
        equal(bench.run('stats', path).stderr, '', f'stats without {left_out}')


def case_many_open(bench):
    """5,000 process ranges of seven names that are open at a time, and an operation in each, within 400 MB."""
    program, count, most, chosen = model.Program(), 10000, 5000, random.Random(SEED)
    names = [chosen.choice('abcdefg') for _ in range(count)]
    for i, name in enumerate(names):
        program.ranges.append(model.Range('StartEnd', 7, 7, '', name, 10 * i, 10 * (i + most)))
        program.calls.append(model.Call(7, 7, 10 * i + 1, 10 * i + 2, i + 1, 'cudaLaunchKernel'))
        program.operations.append(model.Operation('KERNEL', 7, 10 * i + 3, 10 * i + 8, 0, 7, i + 1, 'k'))
    db = database.Database()
    db.program(program)
    path = db.write(bench.here('many.sqlite'))
    done = subprocess.run(['sh', '-c', 'ulimit -v 400000; exec "$@"', 'sh', bench.nvtxh, 'stats', '--gpu', '--csv', path], capture_output=True, text=True, timeout=100)
    got = {row['Range']: [int(row[head]) for head in ('Instances', 'GPU Ops', 'GPU Busy (ns)', 'GPU Span (ns)')] for row in driver.table(done.stdout)}
    wanted, last = {}, dict.fromkeys(names, -most)  # the newest range of each name
    for i, name in enumerate(names):
        last[name] = i
        for one in [one for one in last if last[one] > i - most]:
            wanted.setdefault(one, [0, 0, 0, 0])[1] += 1
        wanted[name][0] += 1
        wanted[name][3] += 10 * min(most - 1, count - 1 - i) + 5
    for row in wanted.values():
        row[2] = 5 * row[1]
    equal(got, wanted, 'the rows')


def case_open_names(bench):
    """900 process ranges of as many names that are open at a time, and an operation in each, within 130 MB; of 1,300, each operation counts
    in those 1,000 that began last, and that is said."""
    for most in 900, 1300:
        program, count = model.Program(), 3000
        for i in range(count):
            program.ranges.append(model.Range('StartEnd', 7, 7, '', f'request {i}', 10 * i, 10 * (i + most)))
            program.calls.append(model.Call(7, 7, 10 * i + 1, 10 * i + 2, i + 1, 'cudaLaunchKernel'))
            program.operations.append(model.Operation('KERNEL', 7, 10 * i + 3, 10 * i + 8, 0, 7, i + 1, 'k'))
        db = database.Database()
        db.program(program)
        path = db.write(bench.here('names.sqlite'))
        done = subprocess.run(['sh', '-c', 'ulimit -v 130000; exec "$@"', 'sh', bench.nvtxh, 'stats', '--gpu', '--csv', path], capture_output=True, text=True, timeout=100)
        got = {row['Range']: [int(row[head]) for head in ('GPU Ops', 'GPU Busy (ns)', 'GPU Span (ns)')] for row in driver.table(done.stdout)}
        wanted = {}
        for i in range(count):
            ops, within = (min(number, count - i) for number in (min(most, 1000), most))
            wanted[f'request {i}'] = [ops, 5 * ops, 10 * (within - 1) + 5]
        equal(got, wanted, f'{most} open')
        equal('more than 1000 ranges of different names' in done.stderr, most > 1000, done.stderr)


def case_products(bench):
    """Databases in which two factors are large at once do not take the memory of their product."""
    factors = 'processes', 'threads', 'domains', 'names', 'length', 'depth', 'open', 'kernels', 'streams', 'operations'
    for seed in seeds(4):
        rng = random.Random(seed)
        large = ['open', 'operations'] if seed == 1 else rng.sample(factors, 2)
        size = {factor: rng.randrange(2500, 4000) if factor in large else rng.randrange(1, 9) for factor in factors}
        db, number = database.Database(rng.choice(list(database.GENERATIONS))), 0
        names = [f'request {i}'.ljust(size['length'], 'x') if i < 3 else f'request {i}' for i in range(size['names'])]
        for i in range(100 + size['operations']):
            at, pid = 10_000 * i, rng.randrange(size['processes'])
            tid, domain = database.global_tid(pid, pid + rng.randrange(size['threads'])), rng.randrange(size['domains'])
            for k in range(size['depth'] if i % 100 == 0 else 1):
                db.nvtx(database.PUSH_POP, tid, at + k, at + 20_000 - k, text=rng.choice(names), domainId=domain)
            for k in range(size['open'] if i % 1000 == 1 else rng.random() < .3):
                number += 1
                db.nvtx(database.START_END, tid, at + k, rng.choice([None, at + 10_000 * rng.randrange(1, 3000)]), text=f'open {number}', domainId=domain, rangeId=number)
            db.call(tid, at + 5000, at + 5001, i + 1)
            db.kernel(database.global_pid(pid), at + 5000 + rng.randrange(50_000), at + 60_000, 0, rng.randrange(size['streams']), i + 1, name=f'kernel {rng.randrange(size["kernels"])}')
        path = db.write(bench.here('drawn.sqlite'))
        cliffs.check_peaks(bench, path, f'seed {seed}, {large}', ('stats',), ('stats', '--gpu'), ('export', '--format', 'chrome'), ('diff', '--gpu', path))


def case_open_drawn(bench):
    """Process ranges of which many are open at a time end in any order, and operations run in another order than they were launched in."""
    for seed in seeds(20):
        program, chosen = model.Program(), random.Random(seed)
        longest = chosen.choice([20, 500, 4000])
        for i in range(120):
            pid, start = chosen.choice([7, 7, 7, 8]), 10 * chosen.randrange(400)
            program.ranges.append(model.Range('StartEnd', pid, pid, '', chosen.choice('aaab'), start, start + 10 * chosen.randrange(1, longest)))
            program.calls.append(model.Call(pid, pid, 10 * i + 1, 10 * i + 2, i + 1, 'cudaLaunchKernel'))
            begin = 10 * i + chosen.randrange(3, 2000)
            program.operations.append(model.Operation('KERNEL', pid, begin, begin + chosen.randrange(1, 99), 0, i, i + 1, 'k'))
        db = database.Database(chosen.choice(list(database.GENERATIONS)))
        db.program(program)
        path = db.write(bench.here(f'{seed}.sqlite'))
        check_rows(bench.table('stats', '--gpu', '--csv', path), program, f'seed {seed}')


def case_open_linear(bench):
    """Twice as many ranges that are open at a time take about twice as many instructions: process ranges of one name, which end in the
    order of their starts, in the reverse one and in none; those of as many names; pushes of two domains, the first of which is popped
    first."""
    need('valgrind')
    counts = []
    for number in 1_500, 3_000:
        program, chosen = model.Program(), random.Random(SEED)
        first, late = range(number), range(2 * number, 3 * number)
        for pid, ends in enumerate([late, late[::-1], chosen.sample(late, number), chosen.sample(late, number)], 1):
            for i, end in zip(first, ends):
                program.ranges.append(model.Range('StartEnd', pid, pid, '', f'{pid} {i}' if pid == 4 else 'one', 10 * i, 10 * end))
                if pid < 4:  # of many names all would have it
                    program.calls.append(model.Call(pid, pid, 10 * i + 1, 10 * i + 2, i + 1, 'cudaLaunchKernel'))
                    program.operations.append(model.Operation('KERNEL', pid, 10 * i + 3, 10 * i + 8, 0, 7, i + 1, 'k'))
        for i in first:
            half, inner = 2 * i // number, i % (number // 2)
            program.ranges.append(model.Range('PushPop', 5, 5, drawn.DOMAINS[:2][half], 'push', 10 * i, 10 * (late[0] + (half + 1) * number - inner)))
        db = database.Database()
        db.program(program, drawn.DOMAINS[:2])
        path = db.write(bench.here(f'{number}.sqlite'))
        said = bench.run('--tool=callgrind', '--callgrind-out-file=/dev/null', bench.nvtxh, 'stats', '--gpu', '--csv', path, command='valgrind')
        counts.append(int(re.search(r'Collected : (\d+)', said.stderr)[1]))

    require(counts[1] < 2.5 * counts[0], 'instructions', counts)


def later(path, by):
    """The session of a database began so many ns later."""
    with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute('UPDATE TARGET_INFO_SESSION_START_TIME SET utcEpochNs = utcEpochNs + ?', [by])
    return path


def case_together(bench):
    """Several databases are shown as one, by when their sessions began: the model of all programs has the same rows. Two of them have
    the same processes, threads and numbers of calls."""
    for seed in seeds(10):
        chosen, together, paths = random.Random(seed), model.Program(), []
        shifts = [chosen.randrange(10**6) for _ in range(chosen.randrange(2, 5))]
        for k, shift in enumerate(shifts):
            one = drawn.Drawn(random.Random(f'{seed} {max(k, 1)}'))
            last = max((each.end for each in [*one.ranges, *one.operations]), default=0) + 1000 * (k + 1)
            one.operations.append(model.Operation('KERNEL', one.pids[0], last - 10, last, 0, 7, None, drawn.KERNELS[0]))
            for each in one.ranges:  # some last as long as their file
                if each.style == 'StartEnd' and chosen.random() < .5:
                    each.end, each.end_tid, each.is_open = last, None, True
            paths.append(later(one.write(bench.here(f'{seed}-{k}.sqlite')), shift))
            for name in 'ranges', 'calls', 'operations':
                for each in getattr(one, name):
                    more = {'tid': 1000 * k + each.tid} if name != 'operations' else {}
                    getattr(together, name).append(dataclasses.replace(
                        each, pid=100000 * k + each.pid, start=each.start + shift - min(shifts), end=each.end + shift - min(shifts), **more))
        check_rows(bench.table('stats', '--gpu', '--csv', *paths), together, f'seed {seed}')
        rows = bench.table('export', '--format', 'csv', *paths)
        same([(row['Domain'], row['Message'], int(row['Start (ns)']), int(row['End (ns)'])) for row in rows],
             [(one.domain, one.text, one.start, one.end) for one in together.ranges] + [('GPU', one.name, one.start, one.end) for one in together.operations], f'seed {seed}')
        equal(sum(int(row['Instances']) for row in bench.table('tree', '--csv', *paths)), sum(one.style == 'PushPop' for one in together.ranges) + len(together.operations), f'seed {seed}, tree')
    sizes = []
    for files in [paths[1]], paths:
        bench.run('view', '--no-open', '-f', '-o', bench.here('all.html'), *files)
        sizes.append(os.path.getsize(bench.here('all.html')))
    require(sizes[0] < sizes[1], 'the page of all is larger', sizes)
    one = paths[0]
    bench.run('export', '--format', 'sqlite', '-o', bench.here('again.sqlite'), *paths)
    equal(len(bench.table('export', '--format', 'csv', bench.here('again.sqlite'))), len(rows), 'an export of all, read again')
    before = [os.stat(path).st_ino for path in paths]
    for output in paths:  # none of them is replaced
        for command in ['export', '--format', 'sqlite'], ['view', '--no-open']:
            said = bench.run(*command, '-f', '-o', output, *paths, status=2).stderr
            require(f'{output} is the recording itself' in said, command, said)
    equal([os.stat(path).st_ino for path in paths], before, 'the files')
    copied = shutil.copy(one, bench.here('copy.sqlite'))
    db = drawn.Drawn(random.Random(7)).database()
    timeless = db.write(bench.here('timeless.sqlite'), without=['TARGET_INFO_SESSION_START_TIME'])
    with open(bench.here('a.nsys-rep'), 'wb'), open(bench.here('a.nvtxh'), 'wb'):
        pass
    for other, wanted in (one, 'twice'), (copied, 'copy'), (timeless, 'when it was recorded'), (bench.here('a.nsys-rep'), 'nsys export'), (bench.here('a.nvtxh'), '--format sqlite'), (bench.here('none.sqlite'), 'No such file'):
        for command in ['stats'], ['view', '--no-open', '-f', '-o', bench.here('all.html')], ['export', '--format', 'csv']:
            said = bench.run(*command, one, other, status=1).stderr
            require(other in said and wanted in said and len(said.splitlines()) == 1, command, said)
    require('cannot be merged' in bench.run('merge', '-o', bench.here('m.nvtxh'), *paths, status=2).stderr, 'merge')


def case_hosts(bench):
    """The processes of a file have its host; threads are shown with hosts if these differ."""
    found = set()
    for seed in seeds(12):
        chosen, counts, paths = random.Random(seed), collections.Counter(), []
        for k in range(chosen.choice([2, 3, 4])):
            one, host = drawn.Drawn(random.Random(f'{seed} {k}')), chosen.choice(['', 'left', 'right'])
            while not one.ranges:
                one = drawn.Drawn(chosen)
            db = one.database()
            for name, value in chosen.sample([('OsName', 'Linux'), *[('Hostname', host)] * bool(host), ('User', 'me')], 2 + bool(host)):
                db.add('TARGET_INFO_SYSTEM_ENV', name=name, value=value)
            counts[host] += len(one.ranges) + len(one.operations)
            paths.append(later(db.write(bench.here(f'{seed}-{k}.sqlite')), k))
        equal(collections.Counter(row['Host'] for row in bench.table('export', '--format', 'csv', *paths)), counts, f'seed {seed}')
        labels = [row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', *paths)]
        require(all(' of process ' in label for label in labels), labels)
        equal({label.partition(' on ')[2].partition(' ')[0] for label in labels}, set(counts) if len(counts) > 1 else {''}, f'seed {seed}: labels')
        found.add(len(counts))
    require(found >= {1, 2}, found)


def case_folders(bench):
    """A directory stands for the recordings in it and below, or for the databases if it has no recordings; files stand for themselves."""
    for seed in seeds(12):
        chosen, ranks, given, wanted, empty = random.Random(seed), iter(range(100)), [], [], []

        def make(path, is_database):
            rank = next(ranks)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            if is_database:
                db, tid = database.Database(start=10**18 + rank), database.global_tid(rank + 1, rank + 1)
                db.nvtx(database.THREAD, tid, 0, text=f'MPI Rank {rank}', domainId=0)
                db.nvtx(database.PUSH_POP, tid, 1000, 2000, text='x', domainId=0)
                db.write(path)
            else:
                recording = synthetic.Recording(end=10**6)
                process = recording.process(pid=rank + 1)
                process.rank(rank)
                process.thread(rank + 1).ranges('x', [10])
                recording.write(path)
            return rank
        for k in range(chosen.randrange(2, 5)):
            folder, inside = bench.here(f'{seed}/{k}'), {'.nvtxh': [], '.sqlite': [], '.other': []}
            os.makedirs(folder)
            for number in range(chosen.randrange(5)):
                suffix = chosen.choice(list(inside))
                path = os.path.join(folder, *chosen.choice([(), ('below',), ('below', 'there')]), f'{number}{suffix}')
                inside[suffix].append(make(path, suffix == '.sqlite' or suffix == '.other' and chosen.random() < .5))
            if chosen.random() < .3:
                given.append(bench.here(f'{seed}/file-{k}.any'))
                wanted.append(make(given[-1], chosen.random() < .5))
            given.append(folder)
            wanted += inside['.nvtxh'] or inside['.sqlite']
            empty += [] if inside['.nvtxh'] or inside['.sqlite'] else [folder]
        done = bench.run('ranks', '--by', 'rank', '--csv', *given, status=None)
        equal(sorted(line for line in done.stderr.splitlines() if 'has no' in line), sorted(f'nvtxh: {folder} has no *.nvtxh or *.sqlite in it' for folder in empty), f'seed {seed}')
        if len(wanted) > 1:
            equal(sorted(int(row['Rank']) for row in driver.table(done.stdout)), sorted(wanted), f'seed {seed}, {given}, {done.stderr}')


def case_wal(bench):
    """Reading a database that was left in WAL mode leaves no file beside it, whatever its name."""
    program, path = small(bench, '2022')
    wanted = bench.run('stats', '--csv', path).stdout
    for name in 'wal.sqlite', 'a%41 ?b#c.sqlite':
        folder = bench.here('folder of ' + name[0])
        os.mkdir(folder)
        copy = os.path.join(folder, name)
        shutil.copy(path, copy)
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            equal(connection.execute('PRAGMA journal_mode = WAL').fetchone(), ('wal',), 'mode')
        equal(bench.run('stats', '--csv', copy).stdout, wanted, name)
        equal(os.listdir(folder), [name], 'files')


def case_refused(bench):
    """Files that are no such database: what is wrong, and what to do."""
    program, path = small(bench, '2022')

    def said(name):
        done = bench.run('stats', name, status=1)
        require(not done.stdout and len(done.stderr.splitlines()) == 1, done.stderr)
        return done.stderr

    def make(name, data):
        with open(bench.here(name), 'wb') as f:
            f.write(data)
        return bench.here(name)

    sqlite3.connect(bench.here('other.sqlite')).executescript('CREATE TABLE a (b); CREATE TABLE NVTX (start)').close()
    require('Nsight Systems' in said(bench.here('other.sqlite')), said(bench.here('other.sqlite')))
    require('nsys export --type sqlite' in said(make('a.nsys-rep', b'abc')), said(bench.here('a.nsys-rep')))
    said(make('empty.sqlite', b''))
    said(make('begun.sqlite', b'SQLite format 3\0'))
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute('BEGIN EXCLUSIVE')
    require('locked' in said(path), said(path))
    writer.execute('ROLLBACK')
    equal(bench.run('stats', path).stderr, '', 'after the lock')
    for options in ('--columns', 'avg'), ('--sort', 'avg'), ('--by', 'domain'), ('--columns', 'kernel'), ('--sort', 'self'):
        require('--gpu' in bench.run('stats', '--gpu', *options, path, status=2).stderr, options)
    for option in ('--columns', 'gpu_busy'), ('--sort', 'gpu_busy'):
        require('of ranges has no column' in bench.run('stats', *option, path, status=2).stderr, option)
        require('--by kernel has no column self' in bench.run('stats', '--by', 'kernel', option[0], 'self', path, status=2).stderr, option)
    require('without --gpu has no column gpu_busy' in bench.run('tree', '--columns', 'gpu_busy', path, status=2).stderr, 'tree --columns')
    require('of --gpu has no column self' in bench.run('tree', '--gpu', '--columns', 'self', path, status=2).stderr, 'tree --gpu --columns')
    equal(set(bench.table('stats', '--gpu', '--csv', '--columns', 'gpu_busy,Ops', path)[0]), {'GPU Busy (ns)', 'GPU Ops'}, '--columns')
    db = program.database()
    db.rows['NVTX_EVENTS'], db.rows['CUPTI_ACTIVITY_KIND_KERNEL'] = [], []
    check_survives(bench, db.write(bench.here('few.sqlite')), 'without ranges and kernels')


def case_faults(bench):
    """One call that reads, writes or allocates fails, in nvtxh or in SQLite: tests/reader/faults.py says what must be then. Some commands at night only."""
    paths, wrong = [], []
    for seed in 1, 2:
        one = drawn.Drawn(random.Random(seed), size=20)
        one.names.update({(pid, pid): f'MPI Rank {rank}' for rank, pid in enumerate(one.pids)})
        paths.append(one.write(bench.here(f'{seed}.sqlite')))
    further = [['stats', '--by', 'kernel', '--gpu', '--json'], ['stats', '--csv'], ['tree', '--gpu'], ['export', '--format', 'csv']] if faults.EVERY else []
    for arguments in ['stats', '--gpu', '--csv'], ['ranks', '--by', 'rank'], *further:
        wrong += faults.check(bench, *arguments, paths[0])
    wrong += faults.check(bench, 'diff', '--gpu', '--csv', *paths)
    wrong += faults.check(bench, 'export', '--format', 'sqlite', '-o', 'out.sqlite', paths[0], output='out.sqlite')
    wrong += faults.check(bench, 'view', '--no-open', '-o', 'page.html', paths[0], output='page.html')
    require(not wrong, f'{len(wrong)} went wrong', *wrong)


# --- what the pages say ---------------------------------------------------------------------------

def example():
    """The program of the picture in docs/gpu.md."""
    us, pid = 1000, 4711
    program = model.Program()
    for name, start, end in ('step', 0, 98), ('forward', 4, 36), ('load', 48, 62):
        program.ranges.append(model.Range('PushPop', pid, pid, '', name, start * us, end * us))
    work = [('KERNEL', 10, 30, 50, 7, 'k1(float *)'), ('KERNEL', 20, 45, 60, 13, 'k2(float *)'), ('MEMCPY', 52, 70, 100, 7, '[CUDA memcpy DtoH]')]
    for number, (kind, launch, start, end, stream, name) in enumerate(work, 1):
        program.calls.append(model.Call(pid, pid, launch * us, (launch + 4) * us, number, 'cudaLaunchKernel'))
        program.operations.append(model.Operation(kind, pid, start * us, end * us, 0, stream, number, name, 300000 if kind == 'MEMCPY' else 0, 2))
    return program


def blocks(page):
    """The blocks of text in a page."""
    return re.findall(r'^```text\n(.*?)^```$', (ROOT / 'docs' / page).read_text(), re.DOTALL | re.MULTILINE)


def case_example(bench):
    """The rows of docs/gpu.md are what nvtxh prints of its picture, and what the model finds."""
    program, db = example(), database.Database()
    db.program(program)
    path = db.write(bench.here('example.sqlite'))
    check_rows(bench.table('stats', '--gpu', '--csv', path), program, 'the example')
    for options in ['stats', '--gpu'], ['stats', '--gpu', '--by', 'kernel'], ['tree', '--gpu']:
        printed = bench.run(*options, path, env={**os.environ, 'COLUMNS': '100', 'LC_ALL': 'C.UTF-8'}).stdout
        require(printed in blocks('gpu.md'), 'docs/gpu.md does not show', printed)


# --- Nsight Systems ----------------------------------------------------------------------------

def nsys(path, report):
    """The rows of a report of `nsys stats`, as lists of fields. It does not escape quotes, so only the last or the first field may have commas."""
    done = subprocess.run(['nsys', 'stats', '-q', '-f', 'csv', '-o', '-', '-r', report, path], capture_output=True, text=True, timeout=120)
    require(done.returncode == 0, f'nsys stats -r {report}: status {done.returncode}', done.stdout, done.stderr)
    lines = done.stdout.strip('\n').split('\n')
    if not lines[0]:
        return []  # a table is missing, or there are no rows
    require(lines[0].startswith(('Name,', 'Start', 'Time')), report, done.stdout, done.stderr)
    count = lines[0].count(',')
    return [line.rsplit(',', count) if report == 'nvtxgpuproj' else line.split(',', count) for line in lines[1:] if line]


def projected(program):
    """What nvtxgpuproj says, by its own rules: only ranges of one thread, and the launching call has to end within the range."""
    found = []
    launched = [(one, model.launch(program, one)) for one in program.operations if one.kind != 'GRAPH_TRACE']
    for one in program.ranges:
        inner = [(operation, call) for operation, call in launched if model.is_launched_in(call, one) and call.tid == one.tid and call.end <= one.end]
        if inner and one.end_tid is None and not one.table:
            start, end = min(operation.start for operation, _ in inner), max(operation.end for operation, _ in inner)
            found.append((start, end - start, one.start, one.end - one.start, one.style, one.pid, one.tid, len({call.correlation for _, call in inner})))
    return found


def check_projection(path, program, what):
    got = [(*map(int, row[1:5]), row[5], *map(int, row[6:9])) for row in nsys(path, 'nvtxgpuproj')]
    same(got, projected(program), f'{what}, nvtxgpuproj')
    return got


def check_nsys_kernels(bench, path, what):
    """stats --by kernel has the numbers of gpukernsum, which has a row for each size of the grid, and of gpumemtimesum. Returns how many rows."""
    wanted = {}
    for report, column in ('gpukernsum', 10), ('gpumemtimesum', 8):
        for row in nsys(path, report):
            found = wanted.setdefault(row[column].strip('"'), [])
            found.append((int(row[1]), int(row[2]), int(row[5]), int(row[6])))
    wanted = {name: (sum(row[0] for row in rows), sum(row[1] for row in rows), min(row[2] for row in rows), max(row[3] for row in rows)) for name, rows in wanted.items()}
    got = {row['Kernel']: tuple(int(row[head]) for head in ('GPU Sum (ns)', 'GPU Ops', 'Min (ns)', 'Max (ns)')) for row in bench.table('stats', '--by', 'kernel', '--csv', path)
           if not row['Kernel'].startswith('[CUDA graph')}
    same(got, wanted, f'{what}, gpukernsum and gpumemtimesum')
    return len(wanted)


def case_nsys_kernels(bench):
    """stats --by kernel finds the kernels and copies that Nsight Systems finds."""
    need('nsys')
    require(sum(check_nsys_kernels(bench, path, f'seed {seed}') for seed, _, path in each(bench, 20)) > 50, 'few rows')


def case_nsys_drawn(bench):
    """The model finds the operations of each range that Nsight Systems finds."""
    need('nsys')
    rows = [row for seed, program, path in each(bench, 40) for row in check_projection(path, program, f'seed {seed}')]
    require(len(rows) > 10, rows)


def case_nsys_real(bench):
    """The same of a real report; what Nsight counts twice is counted once."""
    need('nsys')
    program = database.load(real(SAXPY))
    rows = check_projection(real(SAXPY), program, 'saxpy')
    equal(sorted(row[1] for row in rows), [17700808, 17704808, 17713960, 17720488, 17733416], 'spans')
    kernels = nsys(real(SAXPY), 'gpukernsum')
    equal([int(row[1]) for row in kernels], [88573480], 'the kernels')
    equal(model.rows(program)['PushPop', 'saxpy'].sum, 88573480, 'the kernels of the range')


# --- Kineto ------------------------------------------------------------------------------------

def streams_of(name):
    """(stream, its trace, {name: (count, ns)} of what Kineto says), one for each stream with annotations."""
    path = real(name)
    for stream in sorted({stream for _, stream, _ in kineto.Trace(path).annotations}):
        trace, wanted = kineto.Trace(path, stream), {}
        for text, on, duration in trace.annotations:
            if on == stream:
                count, total = wanted.get(text, (0, 0))
                wanted[text] = count + 1, total + duration
        launching = {one.correlation for one in trace.operations}
        trace.calls = [call for call in trace.calls if call.correlation in launching]  # or the model takes minutes
        yield stream, trace, wanted


def check_kineto(spans, wanted, what):
    """SPANS: {name: ns}"""
    for name, (count, total) in wanted.items():
        require(abs(spans.get(name, 0) - total) <= count * KINETO_ERROR, f'{what}, {name}: {spans.get(name)} ns, and Kineto says {total}')


def case_kineto(bench):
    """What Kineto says of the annotations of training runs: per stream, from the first to the last operation."""
    annotations = 0
    for name in 'rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz', 'nccl_data.json.gz':
        for stream, trace, wanted in streams_of(name):
            found = {text: row.span for (style, text), row in model.rows(trace).items()}
            check_kineto(found, wanted, f'{name}, stream {stream}, the model')
            annotations += sum(count for count, _ in wanted.values())
    equal(annotations, 45, 'annotations that were compared')


def case_gpu_real(bench):
    """Two real reports, of 2022 and of 2024.5: the rows are those of the model, and the kernels those of Nsight Systems."""
    for name in SAXPY, CLOVERLEAF:
        program = database.load(real(name))
        check_rows(bench.table('stats', '--gpu', '--csv', real(name)), program, name)
        stats = {row['Range']: int(row['Total Time (ns)']) for row in bench.table('stats', '--csv', real(name))}
        kernels = collections.Counter()
        for row in nsys(real(name), 'gpukernsum'):  # one for each size of the grid
            kernels['GPU:' + row[10].strip('"')] += int(row[1])
        equal({kernel: stats.get(kernel) for kernel in kernels}, dict(kernels), f'{name}, gpukernsum')
        check_nsys_kernels(bench, real(name), name)
        for by_range in False, True:
            check_kernels(bench.table('stats', '--by', 'kernel', *['--gpu'] * by_range, '--csv', real(name)), program, by_range, name)
        trace = sorted((int(row[0]), int(row[0]) + int(row[1])) for row in nsys(real(name), 'gputrace'))
        rows = bench.table('export', '--format', 'csv', real(name))
        equal(sorted((int(row['Start (ns)']), int(row['End (ns)'])) for row in rows if row['Domain'] == 'GPU'), trace, f'{name}, gputrace')


def case_case_study(bench):
    """The numbers of docs/case_studies/gpu_idle.md."""
    page, program = (ROOT / 'docs' / 'case_studies' / 'gpu_idle.md').read_text(), database.load(real(SAXPY))
    printed = bench.run('stats', '--gpu', real(SAXPY), env={**os.environ, 'COLUMNS': '100', 'LC_ALL': 'C.UTF-8'}).stdout
    require(printed in page, 'the page does not show', printed)
    busy = model.union([(one.start, one.end) for one in program.operations])
    elapsed, works = busy[-1][1] - busy[0][0], sum(end - start for start, end in busy)
    pauses = [(before[1], after[0]) for before, after in zip(busy, busy[1:]) if after[0] - before[1] > 10**8]

    def within(ones):
        return sum(model.length([(max(one.start, start), min(one.end, end)) for one in ones if one.end > start and one.start < end]) for start, end in pauses) / 1e6

    mpi = [one for one in program.ranges if one.name.startswith('MPI:')]
    total, copies = sum(end - start for start, end in pauses) / 1e6, [one for one in program.operations if one.kind == 'MEMCPY']
    for text in (f'{len(copies)} operations, 285 ms', f'{sum(one.bytes for one in copies) / 1e9:.2f} GB', f'it is {elapsed / 1e6:,.0f} ms, of which the GPU works {works / 1e6:.0f} ms',
                 f'idle for {100 - 100 * works / elapsed:.1f} %', 'of {:.0f}, {:.0f}, {:.0f} and {:.0f} ms'.format(*((end - start) / 1e6 for start, end in pauses)), f'these {total:.0f} ms',
                 f'`MPI:MPI_Send` | {within(mpi):.0f} |', f'calls of CUDA | {within(program.calls):.0f} |', f'nor a call of CUDA | {total - within(mpi + program.calls):.0f} |'):
        require(text in page, 'the page does not say', text)


def case_kineto_gpu(bench):
    """stats --gpu says of the training runs what Kineto says."""
    for name in 'rank-0.Apr_03_18_51_38.1102.pt.trace.json.gz', 'nccl_data.json.gz':
        for stream, trace, wanted in streams_of(name):
            rows = bench.table('stats', '--gpu', '--csv', trace.write(bench.here('kineto.sqlite')))
            check_kineto({row['Range']: int(row['GPU Span (ns)']) for row in rows}, wanted, f'{name}, stream {stream}')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
