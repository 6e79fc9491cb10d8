#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `stats` finds by itself: what was put into recordings, as often as a second computation of the export finds it, and
nothing in noise."""
import collections
import csv
import io
import math
import random
import re
import statistics

from harness import draws, driver
from harness.checks import equal, require
import synthetic

UNITS = {'ns': 1, 'µs': 1e3, 'us': 1e3, 'ms': 1e6, 's': 1e9}
TIME = r'([\d.]+ (?:ns|µs|us|ms|s))'
SAYS = {
    'lost': r'(\d+) events? (?:was|were) lost',
    'self': rf'(.*) took {TIME} itself, (\d+) % of the busy time(?:, on thread (\d+).*)?',
    'instance': rf'one (.*) took {TIME}, (\d+) times its median of {TIME}, at ([\d.,]+) ms on thread (\d+).*',
    'idle': rf'thread (\d+).* was busy for {TIME}; the median of threads like it is {TIME}',
    'counter': r'(.*) was at its highest, ([\d,]+), for (\d+) % of the time, first at ([\d.,]+) ms',
}


def found(bench, path):
    """The findings that are printed: kind, and what is said, as numbers where it is one."""
    text = bench.run('stats', path, env={'COLUMNS': '400', 'LC_ALL': 'C.UTF-8', 'PATH': '/usr/bin:/bin'}).stdout
    lines = text.partition('\nFindings:\n')[2].splitlines()
    result = []
    for line in lines:
        kind, match = next((kind, match) for kind, says in SAYS.items() if (match := re.fullmatch('  ' + says + '.*', line)))
        values = []
        for value in match.groups():
            number = re.fullmatch(TIME, value or '')
            values.append(float(value.split()[0]) * UNITS[value.split()[1]] if number else
                          float(value.replace(',', '')) if re.fullmatch(r'[\d.,]+', value or '') else value)
        result.append((kind, *values))
    return result


def quantile(values, q):
    at = q * (len(values) - 1)
    low = int(at)
    return values[low] + (values[min(low + 1, len(values) - 1)] - values[low]) * (at - low)


class Thread:
    def __init__(self):
        self.busy, self.own = 0, collections.Counter()


def nested(rows):
    """A thread's self times by name, and its busy time. The ranges nest."""
    thread, open_ranges = Thread(), []
    events = sorted(((start, -end, name) for start, end, name in rows))
    for start, end, name in events + [(math.inf, 0, None)]:
        while open_ranges and open_ranges[-1][1] <= start:
            begin, finish, inner, called = open_ranges.pop()
            thread.own[called] += finish - begin - inner
            if open_ranges:
                open_ranges[-1][2] += finish - begin
            else:
                thread.busy += finish - begin
        open_ranges.append([start, -end, 0, name])
    return thread


def model(bench, path, names, dropped=0):
    """What there is to find, by the definitions alone. NAMES: of threads."""
    rows = list(csv.DictReader(io.StringIO(bench.run('export', '--format', 'csv', path).stdout)))
    pushed, lengths, where, samples = collections.defaultdict(list), collections.defaultdict(list), {}, collections.defaultdict(list)
    for row in rows:
        start, end, name, tid = int(row['Start (ns)']), int(row['End (ns)']), row['Message'], int(row['TID'])
        if row['Style'] == 'PushPop':
            pushed[tid].append((start, end, name))
            lengths[name].append(end - start)
            if end - start > where.get(name, (-1,))[0]:
                where[name] = end - start, start, tid
        elif row['Style'] == 'Counter':
            samples[name].append((start, float(row['Payload']), tid))
    threads = {tid: nested(ranges) for tid, ranges in pushed.items()}
    busy, own = sum(t.busy for t in threads.values()), sum((t.own for t in threads.values()), collections.Counter())
    found = []
    most, ns = max(own.items(), key=lambda item: item[1], default=(None, 0))
    if most and ns >= .2 * busy:
        on = [tid for tid in threads if any(name == most for _, _, name in pushed[tid])]
        found.append((ns, 'self', most, ns, 100 * ns / busy, on[0] if len(on) == 1 else None))
    for name, values in lengths.items():
        values.sort()
        median, p99 = quantile(values, .5), quantile(values, .99)
        if len(values) >= 100 and values[-1] >= 10 * median and values[-1] >= 5 * p99 and values[-1] - p99 >= .05 * sum(values):
            found.append((values[-1] - p99, 'instance', name, values[-1], values[-1] / median, median, where[name][1] / 1e6, where[name][2]))
    groups = collections.defaultdict(list)
    for tid, thread in threads.items():
        first = min((end, -start, name) for start, end, name in pushed[tid])[2]
        groups[re.sub(r'\d+', '*', names[tid]) if tid in names else (first,)].append((thread.busy, tid))
    for group in groups.values():
        median = statistics.median(ns for ns, _ in group)
        found += [(median - ns, 'idle', tid, ns, median) for ns, tid in group if len(group) >= 3 and ns < median / 2]
    first, last = min(int(row['Start (ns)']) for row in rows), max(int(row['End (ns)']) for row in rows)
    for name, values in samples.items():
        high = max(value for _, value, _ in values)
        ns = sum(b[0] - a[0] for a, b in zip(values, values[1:]) if a[1] == high)
        if len({tid for _, _, tid in values}) == 1 and min(value for _, value, _ in values) < high and ns >= .1 * (last - first):
            found.append((ns, 'counter', name, high, 100 * ns / (last - first), next(at for at, value, _ in values if value == high) / 1e6))
    if dropped:
        found.append((math.inf, 'lost', dropped))
    return [tuple(finding[1:]) for finding in sorted(found, key=lambda finding: -finding[0])][:6]


def same(got, wanted, what):
    equal([finding[:1] for finding in got], [finding[:1] for finding in wanted], f'{what}: kinds of {got}, {wanted}')
    for one, other in zip(got, wanted):
        for a, b in zip(one, other):
            require(a == b or isinstance(a, float) and b is not None and abs(a - b) <= max(.006 * abs(b), .51), f'{what}:', one, other)


def drawn(seed):
    """A recording of some threads, with what is to be found in half of them, and the threads' names."""
    rng = random.Random(seed)
    recording, names = synthetic.Recording(end=10**11), {}
    process = recording.process(pid=100)
    for tid in range(200, 200 + rng.randrange(1, 9)):
        if seed % 3:
            names[tid] = f'{rng.choice(["io", "worker"])} {tid}'
            process.names.long(synthetic.THREAD, tid, names[tid].encode())
        thread, at = process.thread(tid), rng.randrange(1000, 10**6)
        calls, scale = rng.choice([20, 150, 150]), rng.choice([1, 1, 1, .2])
        for i in range(calls):
            thread.push(at, 'step')
            for name in rng.sample(['load', 'solve', 'write', 'check'], rng.randrange(1, 4)):
                length = int(scale * rng.lognormvariate(11, .4)) + 1
                if rng.random() < .001:
                    length *= rng.randrange(20, 400)
                thread.push(at + 10, name)
                thread.pop(at + 10 + length)
                at += 20 + length
            at += rng.randrange(1, 2000)
            thread.pop(at)
            at += rng.randrange(10, 10**5)
    thread, at, depth = process.thread(150), 0, rng.randrange(2, 9)
    for _ in range(rng.randrange(0, 60)):
        at += rng.randrange(1, 10**6)
        for counter in 1, 2:
            thread.add(at, synthetic.COUNT, [counter, rng.randrange(depth)], flags=2 << 5)
    thread.dropped = rng.choice([0, 0, 3])
    return recording, names, thread.dropped


def case_findings_drawn(bench):
    kinds = collections.Counter()
    for seed in draws.seeds(60):
        recording, names, dropped = drawn(seed)
        path = recording.write(bench.here('r.nvtxh'))
        wanted = model(bench, path, names, dropped)
        same(found(bench, path), wanted, f'seed {seed}')
        kinds.update(finding[0] for finding in wanted)
        kinds['nothing'] += not wanted
    print(dict(kinds))
    require(all(kinds[kind] > 3 for kind in SAYS), 'each kind was drawn', kinds)


def noise(rng, path):
    recording = synthetic.Recording(end=10**13)
    process = recording.process(pid=100)
    sigma, threads = rng.uniform(.1, 1), rng.randrange(1, 17)
    instances = int(100 * 10 ** rng.uniform(0, 1.5))
    for tid in range(200, 200 + threads):
        process.thread(tid).ranges('work', [int(rng.lognormvariate(12, sigma)) + 1 for _ in range(max(1, instances // threads))], at=1000)
    return recording.write(path)


def case_findings_noise(bench):
    """At most 2 % of recordings of lognormal noise have an instance far from the rest or an idle thread; one range has all self time."""
    count, wrong = 0, 0
    for seed in draws.seeds(100):
        count += 1
        kinds = [finding[0] for finding in found(bench, noise(random.Random(seed), bench.here('noise.nvtxh')))]
        wrong += bool({'instance', 'idle'} & set(kinds))
        require('self' in kinds, 'the only range', kinds)
    require(wrong <= .02 * count, f'{wrong} of {count} recordings of noise have findings')


def case_findings_none(bench):
    """No findings, no heading; not in CSV, JSON or other groups; lines are as wide as the terminal."""
    recording = synthetic.Recording(end=10**9)
    thread, at = recording.process().thread(7), 100
    for number in range(10):
        at = thread.ranges(f'range {number}', [1000] * 5, at=at)
    path = recording.write(bench.here('none.nvtxh'))
    require('Findings' not in bench.run('stats', path).stdout, 'a recording without findings says nothing')
    recording, _, _ = drawn(3)
    path = recording.write(bench.here('some.nvtxh'))
    require(found(bench, path), 'there are some')
    for options in ['--csv'], ['--json'], ['--by', 'thread'], ['--slowest', 'load'], ['--histogram', 'load']:
        require('Findings' not in bench.run('stats', *options, path).stdout, options)
    lines = bench.run('stats', path, env={'COLUMNS': '60', 'PATH': '/usr/bin:/bin'}).stdout.partition('Findings:')[2].splitlines()
    require(lines and max(map(len, lines)) <= 60, 'wrapped', lines)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
