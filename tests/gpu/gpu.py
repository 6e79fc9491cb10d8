#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's work in ranges, of databases of Nsight Systems: nvtxh, the model in model.py, Nsight Systems and Kineto find the same.

Databases are drawn at random. $NVTXH_TEST_SEED is the first seed (1), $NVTXH_TEST_DRAWS how many times as many are drawn (1).
"""
import collections
import os
import random
import subprocess

from harness import driver
from harness.checks import CACHE, equal, need, require, skip
import database
import drawn
import kineto
import model

SEED, DRAWS = int(os.environ.get('NVTXH_TEST_SEED', 1)), int(os.environ.get('NVTXH_TEST_DRAWS', 1))
SAXPY, CLOVERLEAF = 'saxpy-mpi-cuda_nsys_perlmutter0.sqlite', 'perlmutter-cloverleaf-cuda.sqlite'
# Kineto adds up to 1.5 us to each annotation, or takes it away; nobody says why.
KINETO_ERROR = 1501


def each(bench, count, **options):
    """(seed, program, path of its database) of that many that are drawn."""
    for seed in range(SEED, SEED + count * DRAWS):
        one = drawn.Drawn(random.Random(seed), **options)
        yield seed, one, one.write(bench.here(f'seed-{seed}.sqlite'))


def real(name):
    """The path of a report that tests/nightly.sh fetches from the repositories of pipit and HTA."""
    path = next(CACHE.glob(f'*/*/{name}'), None)
    return str(path) if path else skip(f'no {name} in .cache (tests/nightly.sh gpu fetches it)')


def same(got, wanted, what):
    """Lists in any order, or dictionaries."""
    got, wanted = (collections.Counter(all.items() if isinstance(all, dict) else all) for all in (got, wanted))
    require(got == wanted, what, *(f'  got    {one}' for one in sorted((got - wanted).elements(), key=repr)[:5]),
            *(f'  wanted {one}' for one in sorted((wanted - got).elements(), key=repr)[:5]))


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
        if inner and one.end_tid is None:
            start, end = min(operation.start for operation, _ in inner), max(operation.end for operation, _ in inner)
            found.append((start, end - start, one.start, one.end - one.start, one.style, one.pid, one.tid, len({call.correlation for _, call in inner})))
    return found


def check_projection(path, program, what):
    got = [(*map(int, row[1:5]), row[5], *map(int, row[6:9])) for row in nsys(path, 'nvtxgpuproj')]
    same(got, projected(program), f'{what}, nvtxgpuproj')
    return got


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


if __name__ == '__main__':
    driver.main(globals(), __doc__)
