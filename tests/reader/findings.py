#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `stats` finds by itself: what was put into recordings, as often as a second computation of the export finds it, and
nothing in noise."""
import collections
import csv
import io
import itertools
import json
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


def calls(seed):
    """A recording of nested and recursive ranges on some threads, of process ranges and counters; some ranges have no end."""
    rng, names = random.Random(seed), {}
    recording = synthetic.Recording(end=10**7)
    process = recording.process(pid=200)
    for tid in range(200, 200 + rng.randrange(1, 7)):
        if rng.random() < .7:
            names[tid] = f'{rng.choice(["io", "worker"])} {tid}'
            process.names.long(synthetic.THREAD, tid, names[tid].encode())
        thread, at, inside, starts = process.thread(tid), 1000, [], []
        for i in range(rng.choice([1, 4, 40, 150])):
            if len(inside) < 6 and rng.random() < .55:
                inside.append(rng.choice('abcd'))
                thread.push(at, inside[-1], **({'payload': i} if i % 3 else {}))
            elif inside:
                thread.pop(at)
                inside.pop()
            if rng.random() < .1:
                starts.append(1000 * tid + i)
                thread.start(at, starts[-1], 'p')
            if starts and rng.random() < .1:
                thread.end(at, starts.pop())
            if rng.random() < .2:
                thread.add(at, synthetic.COUNT, [rng.choice([1, 2]), rng.randrange(9)], flags=2 << 5)
            at += rng.choice([0, 10, 10, 100, 100, 5000])
        while len(set(inside)) < len(inside) or inside and rng.random() < .7:  # of two open ones of a name, the outer would end with the inner
            thread.pop(at)
            inside.pop()
            at += rng.choice([0, 50])
    return recording, names


def parts(rows, start, end):
    """Of rows of one thread: what part of each is between these times and in no range inside it."""
    own, last = [0] * len(rows), {}
    for i, row in enumerate(rows):
        depth = int(row['Depth'])
        length = max(0, min(row['end'], end) - max(row['start'], start))
        own[i] += length
        if depth - 1 in last:
            own[last[depth - 1]] -= length
        if row['start'] < row['end']:
            last[depth] = i
    return own


def explained(rows, names, name, on=None):
    """What the longest instance of a range on the thread ON says, by the definitions alone; without order."""
    instances = [row for row in rows if row['Message'] == name and row['Style'] in ('PushPop', 'StartEnd') and on in (None, row['tid'])]
    if not instances:
        return None
    longest = min(instances, key=lambda row: (row['start'] - row['end'], row['start'], row['tid'], row['Style'] != 'PushPop', row['Depth']))
    start, end, tid, style = longest['start'], longest['end'], longest['tid'], longest['Style']
    alike = [row for row in instances if row['Style'] == style]
    median = statistics.median(row['end'] - row['start'] for row in alike)
    usual = min((row for row in alike if (row['tid'], row['start'], row['end']) != (tid, start, end)),
                key=lambda row: (abs(row['end'] - row['start'] - median), row['start'], row['tid'], row['end']), default=None)
    threads = collections.defaultdict(list)
    for row in rows:
        if row['Style'] == 'PushPop':
            threads[row['tid']].append(row)

    def times(tids, start, end):
        found = collections.Counter()
        for each in tids:
            for row, own in zip(threads[each], parts(threads[each], start, end)):
                found[row['Message']] += own
        return +found
    result = []
    if style == 'PushPop':
        result += [('around', row['Message'], row['Payload'], '', 0, None, None) for row in threads[tid]
                   if row['start'] <= start and row['end'] >= end and int(row['Depth']) < int(longest['Depth'])]
        then = times([tid], start, end)
        normally = times([usual['tid']], usual['start'], usual['end']) if usual else {}
        result += [('inside', each, '', '', 0, then[each], normally.get(each, 0) if usual else None) for each in {*then, *normally}]
        del threads[tid]
    groups = collections.defaultdict(list)
    for each, ranges in threads.items():
        if any(row['start'] < end and row['end'] > start or start <= row['start'] == row['end'] < end for row in ranges):
            groups[re.sub(r'\d+', '*', names.get(each, 'made-up' if each == 200 else ''))].append(each)
    for shared, tids in groups.items():
        label = f'{shared}, {len(tids)} threads'.removeprefix(', ') if len(tids) > 1 else f'{tids[0]} {names.get(tids[0], "made-up" if tids[0] == 200 else "")}'.strip()
        result += [('meanwhile', each, '', label, len(tids), ns, None) for each, ns in times(tids, start, end).items()]
    for counter in sorted({row['Message'] for row in rows if row['Style'] == 'Counter'}):
        samples = [(row['start'], float(row['Payload'])) for row in rows if row['Style'] == 'Counter' and row['Message'] == counter]
        inside = [value for at, value in samples if start <= at < end]
        before = [at for at, _ in samples if at < start]
        last = {value for at, value in samples if before and at == max(before)}
        result.append(('counter', counter, '', '', 0, statistics.fmean(inside) if inside else last or None, statistics.fmean(value for _, value in samples)))
    return result if end > start else None


def case_slowest_drawn(bench):
    """Why the longest instance took so long: around it, inside it, meanwhile, counters, as a slow model finds in the export."""
    count = collections.Counter()
    for seed in draws.seeds(80):
        recording, names = calls(seed)
        path, rng = recording.write(bench.here('calls.nvtxh')), random.Random(seed)
        window = ['--from', f'{rng.randrange(0, 4000)}ns', '--to', f'{rng.randrange(5000, 10**6)}ns'] if seed % 2 else []
        rows = list(csv.DictReader(io.StringIO(bench.run('export', '--format', 'csv', *window, path, status=None).stdout)))
        for row in rows:
            row.update(start=int(row['Start (ns)']), end=int(row['End (ns)']), tid=int(row['TID']))
        for name in 'abp':
            on = 200 if seed % 3 == 0 else None
            options = [*window, '--slowest', name, *(['--thread', '200'] if on else [])]
            out = json.loads(bench.run('stats', *options, '--json', path, status=None).stdout)
            wanted = explained(rows, names, name, on)
            got = out[0]['why'] if out else None
            equal((got is None, {row['why'] is None for row in out[1:]} <= {True}), (wanted is None, True), f'seed {seed}: {name}')
            if wanted is None:
                continue
            found = [tuple(row.values()) for row in got]
            require(len(found) == len(wanted), f'seed {seed}: {name}', found, wanted)
            key = lambda row: (row[0], row[3], row[1])  # noqa: E731
            for a, b in zip(sorted((row for row in found if row[0] != 'around'), key=key), sorted((row for row in wanted if row[0] != 'around'), key=key)):
                then = a[5] in b[5] if isinstance(b[5], set) else a[5] == b[5] if None in (a[5], b[5]) else math.isclose(a[5], b[5])
                require(a[:5] == b[:5] and then and (a[6] == b[6] or math.isclose(a[6], b[6])), f'seed {seed}: {name}', a, b)
            equal([row for row in found if row[0] == 'around'], [row for row in wanted if row[0] == 'around'], f'seed {seed}: {name}, around')
            inside = [abs(row[5] - (row[6] or 0)) for row in found if row[0] == 'inside']
            equal(inside, sorted(inside, reverse=True), 'what differs most is first')
            equal([row[0] for row in found], sorted((row[0] for row in found), key=['around', 'inside', 'meanwhile', 'counter'].index), 'the order of kinds')
            busy = collections.Counter()
            for row in found:
                busy[row[3]] += row[5] if row[0] == 'meanwhile' else 0
            order = [busy[label] for label, _ in itertools.groupby(row[3] for row in found if row[0] == 'meanwhile')]
            equal(order, sorted(order, reverse=True), 'the busiest threads are first')
            count.update({row[0] for row in found})
    require(all(count[what] > 20 for what in ('around', 'inside', 'meanwhile', 'counter')), count)


def case_slowest_said(bench):
    """People see the same in words."""
    recording = synthetic.Recording(end=10**9)
    process = recording.process(pid=200)
    main = process.thread(200)
    for at, work, query in (1000, 1000, 500), (10**6, 2000, 10**7), (10**8, 1000, 600):
        main.push(at, 'request', payload=at % 999)
        main.push(at, 'handler')
        main.push(at + work, 'query')
        main.pop(at + work + query)
        main.pop(at + work + query)
        main.pop(at + work + query)
    for tid in 201, 202, 203:
        process.names.long(synthetic.THREAD, tid, b'worker %d' % tid)
        process.thread(tid).ranges('lock', [10**7], at=10**6 + (tid - 201) * 10**6)
    meter = process.thread(204)
    for at, value in (10**6 + 5, 900), (10**8, 100):
        meter.add(at, synthetic.COUNT, [1, value], flags=2 << 5)
    path = recording.write(bench.here('said.nvtxh'))
    said = bench.run('stats', '--slowest', 'handler', path, env={'LC_ALL': 'C', 'PATH': '/usr/bin:/bin'}).stdout.partition('\n\n')[2]
    equal(said.splitlines(), ['handler took 10.0 ms, a usual one 1.60 us:', '  in request (1)', '  query 10.0 ms, usually 600 ns',
                              '  meanwhile worker *, 3 threads: lock 90 %', '  counter counter 1 900, usually 500'], 'in words')
    alone = bench.run('stats', '--slowest', 'lock', '--thread', '201', path).stdout.partition('\n\n')[2]
    require('usual' not in alone.partition('counter')[0] and 'itself 10.0 ms' in alone, 'a single instance', alone)
    # The outermost of a recursion is no finding, and what is in it of the same name is not its self time.
    recording = synthetic.Recording(end=10**9)
    thread = recording.process(pid=200).thread(200)
    for i in range(300):
        thread.ranges('fib', [100], at=1000 * i)
    thread.push(10**6, 'fib')
    for i in range(100):
        thread.ranges('fib', [1000], at=10**6 + 9000 * i)
    thread.pop(2 * 10**6)
    path = recording.write(bench.here('recursive.nvtxh'))
    require('one fib took' not in bench.run('stats', path).stdout, 'no finding')
    require('\n  fib 1.00 ms, usually 100 ns\n' in bench.run('stats', '--slowest', 'fib', path).stdout, 'both are named')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
