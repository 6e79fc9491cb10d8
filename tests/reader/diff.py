#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvtxh diff`, on recordings whose changes and variance are known."""
import concurrent.futures
import json
import math
import os
import random
import statistics

from harness import driver
from harness.checks import equal, require
import synthetic

DEVIATION = 0.01  # between runs, unless a test says otherwise


def run(path, seed, deviation=DEVIATION, within=0.03, instances=60, **durations):
    """A run whose ranges, in domain "d", are off by a factor of this run's, and vary within it."""
    source = random.Random(seed)
    recording = synthetic.Recording(end=10**12)
    process = recording.process()
    process.domain(1, 'd')
    for number, (name, duration) in enumerate(sorted(durations.items())):
        duration *= 1 + source.gauss(0, deviation)
        process.thread(200 + number).ranges(name, [int(duration * source.gauss(1, within)) for _ in range(instances)], domain=1)
    return recording.write(path)


def exact(path, **medians):
    """A run whose ranges take exactly these times."""
    return run(path, 0, deviation=0, within=0, **medians)


def rows_of(bench, *arguments):
    return {row['Range'].removeprefix('d:'): row for row in bench.table('diff', '--csv', *arguments)}


def outside(t, freedom):
    """The probability of Student's t distribution beyond t, on both sides: the integral of its density."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(freedom * math.pi)
    steps = 20000
    step = t / steps
    inner = sum((4 if i % 2 else 2) * (1 + (i * step) ** 2 / freedom) ** (-(freedom + 1) / 2) for i in range(1, steps))
    inner += 1 + (1 + t * t / freedom) ** (-(freedom + 1) / 2)
    return 1 - 2 * scale * inner * step / 3


def welch(a, b):
    """p, the difference of means of logarithms, its standard error, degrees of freedom."""
    a, b = [math.log(x) for x in a], [math.log(x) for x in b]
    of_a, of_b = statistics.variance(a) / len(a), statistics.variance(b) / len(b)
    error = math.sqrt(of_a + of_b)
    freedom = (of_a + of_b) ** 2 / (of_a ** 2 / (len(a) - 1) + of_b ** 2 / (len(b) - 1))
    away = statistics.fmean(b) - statistics.fmean(a)
    return outside(abs(away) / error, freedom), away, error, freedom


def case_diff_runs(bench):
    """Runs are compared by Welch's test on the logarithms of their medians, with Holm's adjustment and an interval."""
    values = {'x': ([10000, 10100, 9900], [10400, 10500, 10250, 10610]),
              'y': ([50000, 50200, 49950], [50100, 49800, 50300, 50000]),
              'z': ([7000, 7070, 7010], [6300, 6340, 6290, 6350])}
    sides = [[exact(bench.here(f'{side}{i}'), **{name: both[side][i] for name, both in values.items()})
              for i in range(len(values['x'][side]))] for side in (0, 1)]
    rows = rows_of(bench, '--alpha', '0.05', *sides[0], '--', *sides[1])
    alone = {name: welch(*both) for name, both in values.items()}
    highest = 0
    for place, (name, (p, away, error, freedom)) in enumerate(sorted(alone.items(), key=lambda item: item[1][0])):
        highest = max(highest, min(1, p * (len(alone) - place)))
        row = rows[name]
        require(abs(float(row['P']) - highest) < 2e-6, name, row, highest)
        require(abs(float(row['Change (%)']) - 100 * math.expm1(away)) < 0.006, name, row)
        for column, sign in ('Low (%)', -1), ('High (%)', 1):  # the bound's own probability is alpha
            reach = sign * (math.log1p(float(row[column]) / 100) - away)
            require(abs(outside(reach / error, freedom) - 0.05) < 0.003, name, column, row)
        require(row['Drift (%)'] == '', 'drift', row)
        near = all(abs(float(row[column])) <= 5 for column in ('Low (%)', 'High (%)'))
        verdict = ('same' if near else 'unclear') if highest >= 0.05 else 'slower' if away > 0 else 'faster'
        equal(row['Verdict'], verdict, name)
        equal([row['Runs A'], row['Runs B'], row['Instances A']], ['3', '4', '60'], 'runs')
    equal({name: row['Verdict'] for name, row in rows.items()}, {'x': 'slower', 'y': 'same', 'z': 'faster'}, 'verdicts')
    equal(list(rows), ['z', 'x', 'y'], 'what changed comes first, by the change of total time')
    # Adjusted for 3 ranges, x is not below an alpha between p and 3 p.
    between = str(2 * alone['x'][0])
    equal(rows_of(bench, '--alpha', between, *sides[0], '--', *sides[1])['x']['Verdict'], 'unclear', "Holm's adjustment")
    # The numbers are far apart, but these runs cannot prove a difference: the output may not say that they are the same.
    far = [exact(bench.here(f'f{side}{i}'), x=x) for side, xs in (('a', (1000, 9000, 1100)), ('b', (900, 300, 1000))) for i, x in enumerate(xs)]
    row = rows_of(bench, *far[:3], '--', *far[3:])['x']
    require(float(row['Change (%)']) < -50 and row['Verdict'] == 'unclear', row)
    bench.run('diff', '--alpha', '0.05', '--fail-over', '3', *sides[0], '--', *sides[1], status=3)
    bench.run('diff', '--alpha', '0.05', '--fail-over', '5', *sides[0], '--', *sides[1])
    # Runs that do not differ at all.
    same = [exact(bench.here(f's{i}'), x=1000, y=1001) for i in range(6)]
    equal({row['P'] for row in rows_of(bench, *same[:3], '--', *same[3:]).values()}, {'1.000000'}, 'no variance')
    shifted = [exact(bench.here(f't{i}'), x=1000, y=1002) for i in range(3)]
    equal(rows_of(bench, *same[:3], '--', *shifted)['y']['Verdict'], 'slower', 'no variance, and a change')


def case_diff_drawn(bench):
    """P of many ranges is Welch's, adjusted by Holm's method, which never makes a larger P less than a smaller one."""
    raised = 0
    for seed in range(4):
        source = random.Random(seed)
        counts = source.choice([3, 4]), source.choice([3, 5])
        values = {}
        for i in range(10):
            median, shift = source.randrange(10000, 90000), source.choice([0, 0, .01, .03])
            values[f'r{i}'] = [[int(median * (1 + side * shift + source.gauss(0, .01))) for _ in range(count)] for side, count in enumerate(counts)]
        sides = [[exact(bench.here(f'{seed}{side}{i}'), **{name: both[side][i] for name, both in values.items()}) for i in range(counts[side])] for side in (0, 1)]
        rows = rows_of(bench, *sides[0], '--', *sides[1])
        highest = 0
        for place, (p, name) in enumerate(sorted((welch(*both)[0], name) for name, both in values.items())):
            raised += p * (len(values) - place) < highest < 1
            highest = max(highest, min(1, p * (len(values) - place)))
            require(abs(float(rows[name]['P']) - highest) < 2e-6, f'seed {seed}', name, rows[name], highest)
    require(raised, 'no P that is raised to the one before it')


def case_diff_few(bench):
    """With fewer runs nothing is called significant; a change fails only beyond the limit and the drift on top of it."""
    a = run(bench.here('a'), 1, slow=20000, fast=30000, same=25000, gone=1000)
    b = run(bench.here('b'), 2, slow=23000, fast=27000, same=25000, new=1000)
    rows = rows_of(bench, a, b)
    equal({name: row['Verdict'] for name, row in rows.items()},
          {'slow': 'beyond drift', 'fast': 'beyond drift', 'same': 'within drift', 'gone': 'only in A', 'new': 'only in B'}, 'verdicts')
    equal({row['P'] for row in rows.values()}, {''}, 'nothing is tested')
    require('fewer than 3 runs' in bench.run('diff', a, b).stderr, 'what is said of it')
    said = bench.run('diff', '--fail-over', '5', a, b, status=3).stderr
    require('1 range is slower by more than 5 %' in said and '1 of 4 ranges of A is not in B' in said, said)
    still = run(bench.here('still'), 2, slow=23000, fast=27000, same=25000, gone=1000)
    bench.run('diff', '--fail-over', '5', a, still, status=3)
    change, drift = (float(rows['slow'][column]) for column in ('Change (%)', 'Drift (%)'))
    beyond = ((1 + change / 100) / (1 + drift / 100) - 1) * 100
    bench.run('diff', '--fail-over', str(beyond + 0.1), a, still)  # less than the change, but the drift is added to it
    bench.run('diff', '--fail-over', str(beyond - 0.1), a, still, status=3)
    bench.run('diff', a, still)
    bench.run('diff', '--fail-over', '0', b, b)
    # The drift: the durations rise by 8 % from the first block of time to the last.
    paths = []
    for name, scale in (('d0', 1), ('d1', 1.06)):
        recording = synthetic.Recording(end=10**12)
        durations = [int(scale * 10000 * (1 + 0.08 * i / 799)) for i in range(800)]
        recording.process().thread(1).ranges('x', durations)
        paths.append(recording.write(bench.here(name)))
    row, = bench.table('diff', '--csv', *paths)
    require(5 < float(row['Drift (%)']) < 8 and row['Verdict'] == 'within drift', row)
    bench.run('diff', '--fail-over', '1', *paths)
    # Two runs a side: the difference between the runs of either side is drift as well.
    for medians in (10000, 10700, 10600, 11300), (10000, 10010, 10200, 10910):
        two = [exact(bench.here(f'w{i}'), x=value) for i, value in enumerate(medians)]
        row = rows_of(bench, *two[:2], '--', *two[2:])['x']
        require(6.9 < float(row['Drift (%)']) < 7.1 and row['Verdict'] == 'within drift', row)
    # The drift of a range with few instances is not known, so it cannot fail.
    recordings = []
    for name, duration in (('f0', 1000), ('f1', 3000)):
        recording = synthetic.Recording(end=10**9)
        recording.process().thread(1).ranges('rare', [duration] * 4)
        recordings.append(recording.write(bench.here(name)))
    require('1 of 1 range had fewer than 5' in bench.run('diff', '--fail-over', '5', *recordings).stderr, 'too few')
    empty = synthetic.Recording()
    empty.process()
    empty = empty.write(bench.here('empty'))
    require('4 of 4 ranges of A are not in B' in bench.run('diff', '--fail-over', '20', a, empty, status=3).stderr, 'empty')
    bench.run('diff', a, empty)


def case_diff_rows(bench):
    """Marks are counted; names of different domains that look the same are two ranges; runs that lack a range are reported."""
    paths = []
    for i in range(6):
        recording = synthetic.Recording(end=10**9)
        process = recording.process()
        process.domain(1, 'a')
        thread = process.thread(1)
        for text, domain in [('a:b', 0), ('b', 1)][::-1 if i >= 3 else 1]:
            thread.ranges(text, [1000 + 1000 * domain + i] * 10, at=10**6 * (1 + (domain ^ (i >= 3))), domain=domain)
        if i in (0, 1, 3, 4, 5):
            thread.ranges('sometimes', [5000] * 10, at=10**7)
        for k in range(10 if i < 3 else 13):
            thread.mark(10**8 + k, 'mark')
        paths.append(recording.write(bench.here(str(i))))
    rows = bench.table('diff', '--csv', *paths[:3], '--', *paths[3:])
    equal(sorted((row['Range'], row['Style'], row['Verdict'], row['Runs A']) for row in rows),
          [('a:b', 'PushPop', 'same', '3')] * 2 + [('mark', 'Mark', 'other number', '3'), ('sometimes', 'PushPop', 'too few', '2')], 'rows')
    mark, = [row for row in rows if row['Style'] == 'Mark']
    equal([mark['Instances A'], mark['Instances B'], mark['P'], mark['Total A (ns)']], ['10', '13', '', ''], 'marks')
    require('1 of 3 ranges is in fewer than 3 runs' in bench.run('diff', *paths[:3], '--', *paths[3:]).stderr, 'said')
    # Wrong arguments.
    for wrong in [paths[:1], paths[:3], ['--', *paths[:3]], [*paths[:3], '--'], []]:
        require('two recordings are wanted' in bench.run('diff', *wrong, status=2).stderr, wrong)
    late = bench.run('diff', *paths[:3], '--', *paths[3:], '--name', 'x', status=2).stderr
    require('--name: options go before the recordings' in late, late)
    require('are the same recording' in bench.run('diff', *paths[:3], '--', *paths[:3], status=2).stderr, 'one recording twice')
    equal(len(bench.table('diff', '--csv', '--', *paths[:2])), 4, '-- before two')
    equal(len(json.loads(bench.run('diff', '--json', *paths[:2]).stdout)), 4, 'rows of JSON')


def case_diff_chance(bench):
    """Of 1,000 pairs without a change at most 5 % fail; a change of 5 %, at 1 % between runs, is found in 90 % with five a side."""
    source = random.Random(1)
    before = {'load': 20000, 'step': 30000, 'save': 25000, 'other': 90000}
    after = dict(before, step=before['step'] * 1.05)
    a = [run(bench.here(f'a{i}'), i, **before) for i in range(60)]
    b = [run(bench.here(f'b{i}'), 1000 + i, **after) for i in range(60)]

    def status(arguments):
        return bench.run('diff', '--csv', *arguments, status=None).returncode

    def share(all_arguments):
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            found = list(pool.map(status, all_arguments))
        require(set(found) <= {0, 3}, set(found))
        return found.count(3) / len(found)

    def draw(some, count):
        return source.sample(some, count)

    def sides(left, right):
        return [*left, '--', *right]

    pairs = []
    for _ in range(500):
        two = draw(a, 2)
        pairs.append(['--fail-over', '2', *two])
    for size in 3, 5:
        for _ in range(250):
            some = draw(a, 2 * size)
            pairs.append(['--fail-over', '0', *sides(some[:size], some[size:])])
    require(share(pairs) <= 0.05, 'pairs without a change that fail')
    found = share([['--fail-over', '2', *sides(draw(a, 5), draw(b, 5))] for _ in range(100)])
    require(found >= 0.9, 'changes that are found', found)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
