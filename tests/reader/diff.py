#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvtxh diff`, on recordings whose changes and variance are known."""
import concurrent.futures
import json
import math
import os
import random
import re
import statistics
import struct

from harness import driver
from harness.checks import equal, require
import drawn
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
    """The probability of Student's t distribution beyond t, on both sides: with x = sqrt(freedom) * tan(angle) its density is that of
    a power of the cosine."""
    scale = math.exp(math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2)) / math.sqrt(math.pi)
    steps = 20000
    step = math.atan(t / math.sqrt(freedom)) / steps
    inner = sum((4 if i % 2 else 2) * math.cos(i * step) ** (freedom - 1) for i in range(1, steps))
    inner += 1 + math.cos(steps * step) ** (freedom - 1)
    return 1 - 2 * scale * inner * step / 3


def welch(a, b):
    """p, the difference of means of logarithms, its standard error, degrees of freedom. Figures are whole: none varies by less than half a
    unit."""
    def of(values):
        values = [math.log(max(1, x)) for x in values]
        return max(statistics.variance(values), (0.5 / math.exp(statistics.fmean(values))) ** 2) / len(values)
    of_a, of_b = of(a), of(b)
    error = math.sqrt(of_a + of_b)
    freedom = (of_a + of_b) ** 2 / (of_a ** 2 / (len(a) - 1) + of_b ** 2 / (len(b) - 1))
    away = statistics.fmean(math.log(max(1, x)) for x in b) - statistics.fmean(math.log(max(1, x)) for x in a)
    return 1 if set(a) | set(b) == {a[0]} else outside(abs(away) / error, freedom), away, error, freedom


def holm(figures):
    """FIGURES: {(range, figure): [values of A, values of B]}. The adjusted p of each. Not counted are figures that are the same in all runs,
    and second ones of a range that are the first in all runs."""
    alone = {key: welch(*both)[0] for key, both in figures.items()}
    counted, adjusted, highest = {}, {}, 0
    for (name, figure), (a, b) in figures.items():
        if len({*a, *b}) > 1:
            counted.setdefault((name, *a, *b), []).append((name, figure))
    order = sorted(counted.values(), key=lambda keys: alone[keys[0]])
    for place, keys in enumerate(order):
        highest = max(highest, min(1, alone[keys[0]] * (len(order) - place)))
        adjusted.update(dict.fromkeys(keys, highest))
    return {key: adjusted.get(key, 1) for key in figures}


P = {'total': 'Inclusive P', 'self': 'Self P', 'median': 'P', 'P99': 'P99 P', 'count': 'Instances P'}


def check_changed(rows, figures, alpha, what):
    """The P of each figure, and the figures that are called changed. Returns the adjusted ones."""
    wanted = holm(figures)
    for name, row in rows.items():
        for figure, column in P.items():
            p = wanted.get((name, figure))
            require(row[column] == '' if p is None else row[column] and abs(float(row[column]) - p) < 2e-6, what, name, column, row, p)
        equal(row['Changed'], ', '.join(figure for figure in P if wanted.get((name, figure), 1) < alpha), f'{what}: what changed of {name}')
    return wanted


def case_diff_runs(bench):
    """Runs are compared by Welch's test on the logarithms of their medians and totals, with Holm's adjustment and an interval."""
    values = {'x': ([10000, 10100, 9900], [10400, 10500, 10250, 10610]),
              'y': ([50000, 50200, 49950], [50100, 49800, 50300, 50000]),
              'z': ([7000, 7070, 7010], [6300, 6340, 6290, 6350])}
    sides = [[exact(bench.here(f'{side}{i}'), **{name: both[side][i] for name, both in values.items()})
              for i in range(len(values['x'][side]))] for side in (0, 1)]
    rows = rows_of(bench, '--alpha', '0.05', *sides[0], '--', *sides[1])
    figures = {}
    for name, both in values.items():  # 60 instances; none in another
        total = [[60 * value for value in side] for side in both]
        figures.update({(name, 'total'): total, (name, 'self'): total, (name, 'median'): both, (name, 'count'): [[60] * 3, [60] * 4]})
    adjusted = check_changed(rows, figures, 0.05, 'runs')
    alone = {name: welch(*both) for name, both in values.items()}
    for name, (_, away, error, freedom) in alone.items():
        row, p = rows[name], adjusted[name, 'median']
        require(abs(float(row['Change (%)']) - 100 * math.expm1(away)) < 0.006, name, row)
        for column, sign in ('Low (%)', -1), ('High (%)', 1):  # the bound's own probability is alpha
            reach = sign * (math.log1p(float(row[column]) / 100) - away)
            require(abs(outside(reach / error, freedom) - 0.05) < 0.003, name, column, row)
        require(row['Drift (%)'] == '', 'drift', row)
        near = all(abs(float(row[column])) <= 5 for column in ('Low (%)', 'High (%)'))
        verdict = ('same' if near else 'unclear') if p >= 0.05 else 'slower' if away > 0 else 'faster'
        equal(row['Verdict'], verdict, name)
        equal([row['Runs A'], row['Runs B'], row['Instances A']], ['3', '4', '60'], 'runs')
    equal({name: row['Verdict'] for name, row in rows.items()}, {'x': 'slower', 'y': 'same', 'z': 'faster'}, 'verdicts')
    equal(list(rows), ['z', 'x', 'y'], 'what changed comes first, by the change of total time')
    # Adjusted for 3 ranges with 2 figures each, x is not below an alpha between p and 6 p.
    between = str(2 * alone['x'][0])
    equal(rows_of(bench, '--alpha', between, *sides[0], '--', *sides[1])['x']['Verdict'], 'unclear', "Holm's adjustment")
    # Ranges that are one in the table are tested once.
    ones = [[exact(bench.here(f'o{side}{i}'), **{f'{name} {k}': both[side][i] for name, both in values.items() for k in range(5)})
             for i in range(len(values['x'][side]))] for side in (0, 1)]
    lines = bench.run('diff', '--names', 'folded', '--columns', 'range,p', *ones[0], '--', *ones[1]).stdout.partition('\n\n')[0].splitlines()
    equal({line.split()[0]: line.split()[-1] for line in lines[1:]}, {f'd:{name}': f'{adjusted[name, "median"]:.4f}' for name in values}, 'as one')
    # The numbers are far apart, but these runs cannot prove a difference: the output may not say that they are the same.
    far = [exact(bench.here(f'f{side}{i}'), x=x) for side, xs in (('a', (1000, 9000, 1100)), ('b', (900, 300, 1000))) for i, x in enumerate(xs)]
    row = rows_of(bench, *far[:3], '--', *far[3:])['x']
    require(float(row['Change (%)']) < -50 and row['Verdict'] == 'unclear', row)
    bench.run('diff', '--alpha', '0.05', '--fail-above', '3', *sides[0], '--', *sides[1], status=3)
    bench.run('diff', '--alpha', '0.05', '--fail-above', '5', *sides[0], '--', *sides[1])
    # Runs that do not differ at all.
    same = [exact(bench.here(f's{i}'), x=1000, y=1001) for i in range(6)]
    equal({row['P'] for row in rows_of(bench, *same[:3], '--', *same[3:]).values()}, {'1.000000'}, 'no variance')
    shifted = [exact(bench.here(f't{i}'), x=1000, y=1020) for i in range(3)]
    equal(rows_of(bench, *same[:3], '--', *shifted)['y']['Verdict'], 'slower', 'no variance, and a change')
    near = [exact(bench.here(f'n{i}'), x=1000, y=1002) for i in range(3)]
    equal(rows_of(bench, *same[:3], '--', *near)['y']['Verdict'], 'same', 'a change by the unit of the clock')


class Traced:
    """A run whose ranges lie in each other, also in ranges of the same name; with a process range and marks. `slower`: by how much `leaf` takes
    longer; `more`: how many more steps there are; `rare`: the length of one step in 50."""

    def __init__(self, path, seed, slower=0, more=0, rare=1, steps=130, threads=2, deviation=0.01):
        self.source, self.spans, self.marks = random.Random(seed), [], 0
        self.scale = {name: 1 + self.source.gauss(0, deviation) for name in ('leaf', 'step', 'walk', 'job', 'rare')}
        self.scale['leaf'] *= 1 + slower
        recording = synthetic.Recording(end=10**12)
        process = recording.process()
        for tid in range(200, 200 + threads):
            self.thread, self.tid, self.now = process.thread(tid), tid, 1000
            for i in range(steps + more + self.source.choice([0, 0, 3, 7])):
                self.step(rare if i % 50 == 9 else 1)
        for i in range(steps - 30):  # 100, of which P99 is known, if nothing else is said
            start, end = self.now, self.now + self.length('job', 3000)
            self.thread.start(start, i, 'job')
            self.thread.end(end, i)
            self.spans.append((0, 'job', start, end, None))
            self.now = end + 1
        for self.marks in range(1, self.source.choice([5, 6])):
            self.thread.mark(self.now + self.marks, 'note')
        self.path = recording.write(path)

    def length(self, name, usual):
        return max(1, int(self.scale[name] * usual * self.source.lognormvariate(0, 0.3)))

    def range(self, name, inside):
        """Ends after what `inside` does, which returns the ns of ranges in it."""
        start = self.now = self.now + 1  # two events of a thread have different times
        self.thread.push(start, name)
        within = inside()
        self.now += 1
        self.thread.pop(self.now)
        self.spans.append((self.tid, name, start, self.now, self.now - start - within))
        return self.now - start

    def spend(self, ns):
        self.now += ns
        return 0

    def walk(self, depth):
        within = self.spend(self.length('walk', 200))
        return within + (self.range('walk', lambda: self.walk(depth - 1)) if depth else 0)

    def step(self, rare):
        def inside():
            self.spend(self.length('step', 500))
            within = self.range('leaf', lambda: self.spend(int(self.length('leaf', 2000) * rare * (self.scale['rare'] if rare > 1 else 1))))
            if self.source.random() < 0.3:
                within += self.range('walk', lambda: self.walk(self.source.randrange(3)))
            return within
        self.range('step', inside)
        self.spend(10)

    def figures(self, name):
        """{figure: number}: the time in which it was open, once for each thread, and so on."""
        spans = [span for span in self.spans if span[1] == name]
        lengths = [end - start for _, _, start, end, _ in spans]
        quantiles = statistics.quantiles(lengths, n=100, method='inclusive')
        found = {'median': quantiles[49], 'P99': quantiles[98], 'count': len(spans), 'sum': sum(lengths), 'total': sum(lengths)}
        if name != 'job':
            found['total'] = sum(end - start for tid, _, start, end, _ in spans
                                 if not any(outer[0] == tid and outer[2] <= start and end <= outer[3] and outer[2:4] != (start, end) for outer in spans))
            found['self'] = sum(span[4] for span in spans)
        return found


def mean_of(figure, values):
    return math.exp(statistics.fmean(map(math.log, values))) if figure in ('median', 'P99') else statistics.fmean(values)


COLUMNS = {'total': 'Inclusive', 'self': 'Self', 'median': 'Med', 'P99': 'P99', 'sum': 'Total'}


def case_diff_nameless(bench):
    """A domain without a name is not the default domain, as in stats."""
    paths = []
    for run in range(2):
        recording = synthetic.Recording(end=10**6)
        process = recording.process()
        process.domain(1, '')
        thread = process.thread(7)
        for i in range(10):
            for domain in range(2):
                at = 1000 * (2 * i + domain + 1)
                thread.push(at, 'work', domain=domain)
                thread.pop(at + 100 + 50 * domain, domain)
        paths.append(recording.write(bench.here(f'nameless-{run}.nvtxh')))
    rows = {row['Range']: row for row in bench.table('diff', '--csv', *paths)}
    equal({name: (row['Inclusive A (ns)'], row['Inclusive B (ns)']) for name, row in rows.items()}, {'work': ('1000', '1000'), ':work': ('1500', '1500')}, 'rows')
    equal(set(rows), {row['Range'] for row in bench.table('stats', '--csv', paths[0])}, 'as in stats')


def check_verdict(row, p, alpha, what):
    if p is None:
        wanted = 'beyond drift' if abs(math.log1p(float(row['Change (%)']) / 100)) > math.log1p(float(row['Drift (%)']) / 100) else 'within drift'
    elif p < alpha:
        wanted = 'slower' if float(row['Change (%)']) > 0 else 'faster'
    else:
        wanted = 'same' if max(abs(float(row[column])) for column in ('Low (%)', 'High (%)')) <= 5 else 'unclear'
    equal(row['Verdict'], wanted, what)


def check_colors(bench, rows, arguments):
    """What has changed significantly is green where it fell and red where it rose."""
    columns = {'change': ('median', 'Change (%)'), 'inclusive_change': ('total', 'Inclusive Change (%)'), 'self_change': ('self', 'Self Change (ns)'), 'p99_change': ('P99', 'P99 Change (%)')}
    for column, (figure, head) in columns.items():
        out = bench.run('diff', '--alpha', '0.05', '--color', 'always', '--columns', f'range,{column}', *arguments, env={**os.environ, 'LC_ALL': 'C'}).stdout.partition('\n\n')[0]
        found = {line.split()[0]: re.findall('\033\\[3([12])m', line) for line in out.splitlines()[1:]}
        wanted = {name: ['2' if float(row[head]) < 0 else '1'] if figure in row['Changed'].split(', ') else [] for name, row in rows.items()}
        equal(found, wanted, f'colours of {column}')


def check_findings(bench, arguments, rows, means, tests, weight, what):
    """What changed, in words: of each range the first figure that changed; what changed most comes first."""
    wanted = []
    for name in sorted(means, key=lambda name: -weight[name]):
        changed = [figure for figure in P if tests.get((name, figure), 1) < 0.05 and figure != 'count']
        changed += ['median'] * (rows[name]['Verdict'] == 'beyond drift')
        wanted += [(name, changed[0], *means[name][changed[0]])] if changed else []
    text = bench.run('diff', '--alpha', '0.05', *arguments, env={**os.environ, 'LC_ALL': 'C', 'COLUMNS': '300'}).stdout.partition('\nFindings:\n')[2]
    units = {'ns': 1, 'us': 1e3, 'ms': 1e6, 's': 1e9}
    found = [re.fullmatch(r'  (\w+): (\w+) ([\d.]+) (\w+), was ([\d.]+) (\w+) \(([-+][\d.]+) %\)', line).groups() for line in text.splitlines()]
    equal([one[:2] for one in found], [one[:2] for one in wanted[:6]], f'{what}: findings')
    for (_, _, b, b_unit, a, a_unit, percent), (_, _, before, now) in zip(found, wanted):
        near = [abs(float(number) * units[unit] - value) <= .006 * value for number, unit, value in ((b, b_unit, now), (a, a_unit, before))]
        require(all(near) and abs(float(percent) - 100 * (now / before - 1)) <= .051, what, found, wanted)


def case_diff_drawn(bench):
    """Every figure of runs that are drawn, its P, and the order of rows are those of a model. Totals are those of stats."""
    found = set()
    cases = [(3, 3, {}, 130), (3, 5, {'slower': .3}, 130), (4, 3, {'more': 40}, 130), (5, 4, {'slower': -.2, 'more': -10}, 70),
             (5, 5, {'rare': 4}, 130), (1, 1, {'slower': .3, 'more': 5}, 60), (3, 2, {'more': 9}, 60)]
    for seed, (a_runs, b_runs, change, steps) in enumerate(cases):
        sides = [[Traced(bench.here(f'{seed}{side}{i}'), 100 * seed + 10 * side + i, **(change if side else {}), steps=steps) for i in range(count)]
                 for side, count in enumerate((a_runs, b_runs))]
        rows = rows_of(bench, '--alpha', '0.05', *[run.path for run in sides[0]], '--', *[run.path for run in sides[1]])
        equal(set(rows), {'step', 'leaf', 'walk', 'job', 'note'}, 'ranges')
        all = {name: [[run.figures(name) for run in side] for side in sides] for name in rows if name != 'note'}
        figures = {('note', 'count'): [[run.marks for run in side] for side in sides]}
        for name, both in all.items():
            few = min(one['count'] for side in both for one in side)
            for figure in both[0][0]:
                if figure != 'sum' and (figure != 'P99' or few >= 100):
                    figures[name, figure] = [[one[figure] for one in side] for side in both]
        what, is_tested = f'seed {seed}', min(a_runs, b_runs) >= 3
        wanted = check_changed(rows, figures if is_tested else {}, 0.05, what)
        found |= {(figure, p < 0.05) for (_, figure), p in wanted.items()}
        means = {name: {figure: [mean_of(figure, [one[figure] for one in side]) for side in both] for figure in both[0][0]} for name, both in all.items()}
        for name, row in rows.items():
            for figure, column in COLUMNS.items():
                for side, letter in enumerate('AB'):
                    cell = row[f'{column} {letter} (ns)']
                    value = means.get(name, {}).get(figure) if column != 'Inclusive' or row['Style'] == 'PushPop' else None
                    require(cell == '' if value is None else cell and abs(float(cell) - value[side]) < 0.51, what, name, column, row, value)
            for figure, column in ('total', 'Inclusive'), ('P99', 'P99'):
                a, b = means.get(name, {}).get(figure, (None, None))
                cell = row[f'{column} Change (%)']
                require(cell == '' if a is None else abs(float(cell) - 100 * (b / a - 1)) < 0.006, what, name, column, row)
            if name != 'note':
                check_verdict(row, wanted.get((name, 'median')), 0.05, f'{what}: {name}')
        a, b = map(statistics.fmean, figures['note', 'count'])
        equal(rows['note']['Verdict'], 'same number' if a == b else 'other number', f'{what}: marks')
        if (a_runs, b_runs) == (3, 5):
            check_colors(bench, rows, [*[run.path for run in sides[0]], '--', *[run.path for run in sides[1]]])
        weight = {name: sum(abs(b - a) for a, b in (one['total'], one.get('self', (0, 0)))) for name, one in means.items()}
        order = sorted(rows, key=lambda name: (not rows[name]['Changed'], -weight.get(name, 0)))
        equal(list(rows), order, f'{what}: the order')
        check_findings(bench, [*[run.path for run in sides[0]], '--', *[run.path for run in sides[1]]], rows, means, wanted, weight, what)
        # People see what stats calls the total.
        if (a_runs, b_runs) == (1, 1):
            command = ['--unit', 'ns', '--columns', 'total_a,total_b,total_change,inclusive_change,range']
            shown = {line.split()[-1]: line.replace(',', '').split() for line in bench.run('diff', *command, sides[0][0].path, sides[1][0].path).stdout.partition('\n\n')[0].splitlines()[1:]}
            for name, one in means.items():
                a, b = one['total']
                equal(shown[name][:4], [str(int(a)), str(int(b)), str(int(b - a)), f'{100 * (b / a - 1):+.1f}'], f'{name} as people see it')
                stats = bench.run('stats', '--unit', 'ns', '--columns', 'total', '--name', f'^{name}$', sides[0][0].path).stdout
                equal(stats.splitlines()[1].strip().replace(',', ''), str(int(a)), f'{name}: total of stats')
    equal(found, {(figure, changed) for figure in P for changed in (True, False)}, 'figures that changed and that did not')


def case_diff_figure(bench):
    """--figure tests one figure of each range; the verdict, its interval and --fail-above are then of that figure."""
    sides = [[Traced(bench.here(f'{side}{i}'), 10 * side + i, more=40 * side, steps=130) for i in range(4)] for side in (0, 1)]
    arguments = [*[run.path for run in sides[0]], '--', *[run.path for run in sides[1]]]
    for figure in 'total', 'self', 'median', 'P99':
        done = bench.run('diff', '--csv', '--alpha', '0.05', '--figure', figure.lower(), *arguments)
        rows = {row['Range']: row for row in driver.table(done.stdout)}
        values = {name: [[run.figures(name).get(figure) for run in side] for side in sides] for name in ('step', 'leaf', 'walk', 'job')}
        few = {name for name in values if min(run.figures(name)['count'] for side in sides for run in side) < 100}
        tested = {(name, figure): both for name, both in values.items() if both[0][0] is not None and (figure != 'P99' or name not in few)}
        wanted = holm(tested)
        untested = sum(rows[name]['Verdict'] == 'too few' for name in values)
        said = re.findall(r'(\d+) of 4 ranges (?:is|are) in fewer than 3 runs of A or B(, or in one with fewer than 100 instances)?', done.stderr)
        equal([(int(count), bool(more)) for count, more in said], [(untested, figure == 'P99')] * bool(untested), f'what is said of {figure}')
        for name, both in values.items():
            row, p = rows[name], wanted.get((name, figure))
            equal(row['Verdict'] in ('too few', ''), p is None, f'{name}: verdict of {figure}')
            if p is None:
                continue
            _, away, error, freedom = welch(*both)
            require(abs(float(row['P']) - p) < 2e-6 and abs(float(row['Change (%)']) - 100 * math.expm1(away)) < (2 if figure in ('total', 'self') else 0.01), figure, name, row, p)
            for column, sign in ('Low (%)', -1), ('High (%)', 1):
                reach = sign * (math.log1p(float(row[column]) / 100) - away)
                require(abs(outside(reach / error, freedom) - 0.05) < 0.003, name, column, row)
            equal(row['Changed'], figure if p < 0.05 else '', f'{name}: changed')
            if p < 0.05:
                equal(row['Verdict'], 'slower' if away > 0 else 'faster', f'{name}: verdict')
    bench.run('diff', '--fail-above', '5', *arguments)
    said = bench.run('diff', '--fail-above', '5', '--figure', 'total', *arguments, status=3).stderr
    require('slower by more than 5 %\n' in said, said)
    said = bench.run('diff', '--figure', 'total', arguments[0], arguments[-1], status=2).stderr
    require('--figure total requires at least 3 runs of A and of B' in said, said)


def drift_of(instances):
    """The largest ratio of two blocks' mean durations, as a logarithm: the time of a run is cut into eight at most, which get twice as long until
    it fits. The first instance only says when the time begins; blocks with less than half of the mean count are left out."""
    (begin, _), *rest = instances
    length = (rest[0][0] - begin) // 8 + 1
    while (rest[-1][0] - begin) // length >= 8:
        length *= 2
    blocks = [[] for _ in range(8)]
    for start, duration in rest:
        blocks[(start - begin) // length].append(math.log(duration))
    means = [statistics.mean(block) for block in blocks if 16 * len(block) >= len(rest) and block]
    return max(means) - min(means) if len(means) > 1 else math.nan


def case_diff_drift(bench):
    """The drift of ranges that come in bursts, by a second computation. With fewer than 5 instances it is not known."""
    for seed in range(20):
        chosen, drifts, paths = random.Random(seed), [], []
        for name in 'a', 'b':
            recording, at, instances = synthetic.Recording(end=10**12), 1000, []
            thread = recording.process().thread(1)
            for _ in range(chosen.choice([4, 5, 5, 6]) if seed >= 12 else chosen.randrange(5, 300)):
                duration = int(chosen.lognormvariate(9, 0.5)) + 1
                instances.append((at, duration))
                thread.push(at, 'x')
                thread.pop(at + duration)
                at += duration + chosen.choice([10, 1000, 10**6])
            drifts.append(drift_of(instances) if len(instances) >= 5 else math.nan)
            paths.append(recording.write(bench.here(name)))
        row, = bench.table('diff', '--csv', *paths)
        wanted = f'{100 * math.expm1(max(drifts)):.2f}' if not any(map(math.isnan, drifts)) else ''
        require(row['Drift (%)'] == wanted or abs(float(row['Drift (%)']) - float(wanted)) < 0.011, seed, row, wanted)


def case_diff_filtered(bench):
    """A filter holds for each recording: of both there is what stats of each has with that filter."""
    paths = [drawn.Drawn(random.Random(seed), size=200).write(bench.here(f'{seed}.nvtxh')) for seed in (1, 2)]
    names = [row['Range'] for row in bench.table('stats', '--csv', paths[0])]
    domains = {name.partition(':')[0] for name in names if ':' in name}
    threads = {row['Thread'].split()[0] for row in bench.table('stats', '--csv', '--by', 'thread', paths[1])}
    tried = 0
    for options in [('--name', re.escape(names[0])), ('--name', '^[a-m]'), *(('--domain', one) for one in domains), *(('--thread', one) for one in threads),
                    ('--from', '1us'), ('--to', '2us'), ('--domain', 'default', '--from', '1us')]:
        wanted = {}
        for side, path in enumerate(paths):
            for row in bench.table('stats', '--csv', *options, path):
                wanted.setdefault((row['Style'], row['Range']), ['0', '0'])[side] = row['Instances']
        got = {(row['Style'], row['Range']): [row['Instances A'], row['Instances B']] for row in bench.table('diff', '--csv', *options, *paths)}
        equal(got, wanted, options)
        tried += len(wanted) > 0
    require(tried > 6, tried)


def case_diff_many(bench):
    """All runs of a comparison share the memory for single durations, so each of 96 runs keeps 131,072 of them. The quantiles
    of a range with more durations are off by less than 0.1 %; the quantiles of the next range are exact again."""
    chance, recording = random.Random(7), synthetic.Recording(end=10**12)
    stream, at, durations = recording.process().thread(1), 0, {'many': 135_000, 'after': 50}
    for name, count in durations.items():
        durations[name] = [int(chance.lognormvariate(10, 1)) + 2000 for _ in range(count)]
        at = stream.ranges(name, durations[name], at=at)
    others = [exact(bench.here(f'other{i}'), x=1000) for i in range(95)]
    got = rows_of(bench, recording.write(bench.here('many')), '--', *others)
    for name, values in durations.items():
        row, off = got[name], 6e-4 if name == 'many' else 0
        equal(float(row['Med A (ns)']) == statistics.median(values), not off, f'the median of {name} is exact')
        equal((row['Instances A'], row['Total A (ns)']), (str(len(values)), str(sum(values))), name)
        for column, cut in ('Med A (ns)', 49), ('P99 A (ns)', 98):
            wanted = statistics.quantiles(values, n=100, method='inclusive')[cut]
            require((not row[column] and len(values) < 100) or abs(float(row[column]) - wanted) <= off * wanted + .051, name, column, row[column], wanted)


def case_diff_few(bench):
    """With fewer runs nothing is called significant; a change fails only beyond the limit and the drift on top of it."""
    a = run(bench.here('a'), 1, slow=20000, fast=30000, same=25000, gone=1000)
    b = run(bench.here('b'), 2, slow=23000, fast=27000, same=25000, new=1000)
    rows = rows_of(bench, a, b)
    equal({name: row['Verdict'] for name, row in rows.items()},
          {'slow': 'beyond drift', 'fast': 'beyond drift', 'same': 'within drift', 'gone': 'only in A', 'new': 'only in B'}, 'verdicts')
    equal({row['P'] for row in rows.values()}, {''}, 'nothing is tested')
    require('fewer than 3 runs' in bench.run('diff', a, b).stderr, 'what is said of it')
    said = bench.run('diff', '--fail-above', '5', a, b, status=3).stderr
    require('1 range is slower by more than 5 % beyond the drift\n' in said and '1 of 4 ranges of A is not in B' in said, said)
    still = run(bench.here('still'), 2, slow=23000, fast=27000, same=25000, gone=1000)
    bench.run('diff', '--fail-above', '5', a, still, status=3)
    change, drift = (float(rows['slow'][column]) for column in ('Change (%)', 'Drift (%)'))
    beyond = ((1 + change / 100) / (1 + drift / 100) - 1) * 100
    bench.run('diff', '--fail-above', str(beyond + 0.1), a, still)  # less than the change, but the drift is added to it
    bench.run('diff', '--fail-above', str(beyond - 0.1), a, still, status=3)
    bench.run('diff', a, still)
    bench.run('diff', '--fail-above', '0', b, b)
    # The drift: the durations rise by 8 % from the first block of time to the last.
    paths = []
    for name, scale in (('d0', 1), ('d1', 1.06)):
        recording = synthetic.Recording(end=10**12)
        durations = [int(scale * 10000 * (1 + 0.08 * i / 799)) for i in range(800)]
        recording.process().thread(1).ranges('x', durations)
        paths.append(recording.write(bench.here(name)))
    row, = bench.table('diff', '--csv', *paths)
    require(5 < float(row['Drift (%)']) < 8 and row['Verdict'] == 'within drift', row)
    bench.run('diff', '--fail-above', '1', *paths)
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
    require('1 of 1 range had fewer than 5' in bench.run('diff', '--fail-above', '5', *recordings).stderr, 'too few')
    empty = synthetic.Recording()
    empty.process()
    empty = empty.write(bench.here('empty'))
    require('4 of 4 ranges of A are not in B' in bench.run('diff', '--fail-above', '20', a, empty, status=3).stderr, 'empty')
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
    # Counters differ by the average of their samples, which people and those who ask see.
    for a, b, verdict in (([1, 5, 6], [1, 5, 6], 'same number'), ([1, 5], [1, 5, 3], 'other number'), ([1, 5, 6], [2, 5, 6], 'other values'), ([1.5, 1e308], [1.5], 'other values')):
        sides = []
        for name, values in ('a', a), ('b', b):
            recording = synthetic.Recording(end=10**9)
            thread = recording.process().thread(1)
            for i, value in enumerate(values):
                thread.add(1000 + i, synthetic.COUNT, [1, int.from_bytes(struct.pack('<d', value), 'little')], flags=3 << 5)
            sides.append(recording.write(bench.here(name)))
        row, = bench.table('diff', '--csv', '--columns', 'verdict,value_a,value_b', *sides)
        equal((row['Verdict'], [float(row[f'Value {side}']) for side in 'AB']), (verdict, [statistics.fmean(a), statistics.fmean(b)]), (a, b))
        lines = bench.run('diff', *sides).stdout.splitlines()
        require('Value A' in lines[0] and verdict in lines[1] and max(map(len, lines)) < 200, lines)
    # A mark of A that is not in B is no range of A that is not in B.
    sides = []
    for name in 'with', 'without':
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(1)
        thread.ranges('x', [1000] * 200)
        thread.mark(10**8, name)
        sides.append(recording.write(bench.here(name)))
    equal({row['Range']: row['Verdict'] for row in bench.table('diff', '--csv', '--fail-above', '1', *sides)},
          {'x': 'within drift', 'with': 'only in A', 'without': 'only in B'}, 'marks on one side')
    # Wrong arguments.
    for wrong in [paths[:1], paths[:3], ['--', *paths[:3]], [*paths[:3], '--'], []]:
        require('expected two recordings' in bench.run('diff', *wrong, status=2).stderr, wrong)
    late = bench.run('diff', *paths[:3], '--', *paths[3:], '--name', 'x', status=2).stderr
    require('--name: options go before the recordings' in late, late)
    require('are the same recording' in bench.run('diff', *paths[:3], '--', *paths[:3], status=2).stderr, 'one recording twice')
    equal(len(bench.table('diff', '--csv', '--', *paths[:2])), 4, '-- before two')
    equal(len(json.loads(bench.run('diff', '--json', *paths[:2]).stdout)), 4, 'rows of JSON')


def case_diff_chance(bench):
    """Of 1,000 pairs without a change at most 5 % fail; a change of 5 %, at 1 % between runs, is found in 90 % with five a side. Of 1,000 pairs
    without a change in which all figures vary, at most 5 % have one that is called changed with an alpha of 5 %. Rare slow calls are found
    by P99."""
    source = random.Random(1)
    before = {'load': 20000, 'step': 30000, 'save': 25000, 'other': 90000}
    after = dict(before, step=before['step'] * 1.05)
    a = [run(bench.here(f'a{i}'), i, **before) for i in range(60)]
    b = [run(bench.here(f'b{i}'), 1000 + i, **after) for i in range(60)]

    def share(all_arguments, is_found=lambda done: done.returncode):
        def is_over(arguments):
            done = bench.run('diff', '--csv', *arguments, status=None)
            require(done.returncode in (0, 3), done.stderr)
            return bool(is_found(done))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            return sum(pool.map(is_over, all_arguments)) / len(all_arguments)

    def draw(some, count):
        return source.sample(some, count)

    def sides(left, right):
        return [*left, '--', *right]

    def pairs_of(some, size, count):
        """Two sides of one program."""
        drawn = [draw(some, 2 * size) for _ in range(count)]
        return [sides(one[:size], one[size:]) for one in drawn]

    pairs = [['--fail-above', '2', *draw(a, 2)] for _ in range(500)]
    pairs += [['--fail-above', '0', *pair] for size in (3, 5) for pair in pairs_of(a, size, 250)]
    require(share(pairs) <= 0.05, 'pairs without a change that fail')
    drawn = [sides(draw(a, 5), draw(b, 5)) for _ in range(100)]
    for figure, least in ('all', 0.8), ('median', 0.9):
        found = share([['--fail-above', '2', *(['--figure', figure] if figure != 'all' else []), *pair] for pair in drawn])
        require(found >= least, f'changes that are found, of {figure} figures', found)
    # All figures, of which the totals vary by 3 %, and the counts by a few.
    options = ['--alpha', '0.05', '--columns', 'changed']
    a = [Traced(bench.here(f'c{i}'), i, threads=1, deviation=0.03).path for i in range(60)]
    b = [Traced(bench.here(f'd{i}'), 1000 + i, threads=1, deviation=0.03, rare=8).path for i in range(20)]
    pairs = [[*options, *pair] for size in (3, 5) for pair in pairs_of(a, size, 500)]
    found = share(pairs, lambda done: done.stdout.split('\n', 1)[1].strip(' "\n'))
    require(found <= 0.05, 'pairs without a change in which a figure is called changed', found)
    found = share([[*options, *sides(draw(a, 5), draw(b, 5))] for _ in range(100)], lambda done: 'P99' in done.stdout)
    require(found >= 0.9, 'rare slow calls that are found by P99', found)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
