#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of recordings whose contents are known."""
import csv
import itertools
import json
import os
import random
import re
import statistics
import struct
import subprocess
import sys

from harness import draws, driver
from harness.checks import ROOT, conforms, equal, require
import synthetic


def as_json(bench, *arguments):
    return json.loads(bench.run(*arguments, '--json').stdout)


def nested(path, pid=100, host='', **options):
    """Two threads; on the first ranges of two domains that overlap."""
    recording = synthetic.Recording(end=20000, **options)
    process = recording.process(pid, host=host)
    process.domain(1, 'lib')
    process.names.long(synthetic.CATEGORY, 7, b'seven', domain=1)
    process.names.long(synthetic.THREAD, 201, b'helper')
    main = process.thread(pid)
    main.push(1000, 'outer')
    main.push(1100, 'inner', domain=1, category=7)
    main.push(1200, 'leaf')
    main.pop(1300)
    main.pop(1500, domain=1)
    main.push(1600, 'crossing', domain=1)
    main.pop(2000)              # "outer" ends first
    main.pop(2500, domain=1)
    main.push(3000, 'outer')
    main.pop(3100)
    main.mark(3200, 'mark', category=9)
    main.start(3300, 1, 'process range')
    helper = process.thread(201)
    helper.push(1000, 'leaf')
    helper.pop(1777)
    helper.end(9000, 1)
    helper.push(10000, 'never ends')
    return recording.write(path)


def case_stats_few(bench):
    """Average, total, deviation and percentiles are those of Python's statistics, also of a few values, and of numbers that 100 does not divide."""
    source = random.Random(5)
    for number in (1, 2, 3, 4, 5, 7, 10, 11, 99, 101, 999, 1001, 2049, 4097, 20011):
        durations = [source.randrange(1, 10**source.randrange(1, 9)) for _ in range(number)]
        recording = synthetic.Recording(end=10**15)
        recording.process().thread(1).ranges('x', durations)
        row, = bench.table('stats', '--csv', recording.write(bench.here('few.nvtxh')))
        cuts = statistics.quantiles(durations, n=100, method='inclusive') if number > 1 else durations * 99
        for column, wanted in (('Med (ns)', cuts[49]), ('P90 (ns)', cuts[89]), ('P99 (ns)', cuts[98]), ('Min (ns)', min(durations)), ('Max (ns)', max(durations)),
                               ('Avg (ns)', statistics.fmean(durations)), ('StdDev (ns)', statistics.stdev(durations) if number > 1 else 0),
                               ('Total Time (ns)', sum(durations))):
            require(abs(float(row[column]) - wanted) <= 0.06 + 1e-9 * wanted, number, column, row[column], wanted)


def case_stats_by(bench):
    """--by groups by domain, category and thread; --sort sorts; JSON has the same values as CSV."""
    path = nested(bench.here('n.nvtxh'))
    got = {(row['Domain'], row['Style']): row['Instances'] for row in bench.table('stats', '--by', 'domain', '--csv', path)}
    equal(got, {('(default)', 'PushPop'): '5', ('lib', 'PushPop'): '2', ('(default)', 'StartEnd'): '1',
                ('(default)', 'Mark'): '1'}, 'by domain')
    got = {(row['Category'], row['Style']): row['Instances']
           for row in bench.table('stats', '--by', 'category', '--csv', path)}
    equal(got, {('(none)', 'PushPop'): '6', ('lib:seven', 'PushPop'): '1', ('(none)', 'StartEnd'): '1', ('9', 'Mark'): '1'},
          'by category')
    got = {(row['Thread'], row['Style']): row['Instances'] for row in bench.table('stats', '--by', 'thread', '--csv', path)}
    equal(got, {('100', 'PushPop'): '5', ('201 helper', 'PushPop'): '2', ('100', 'StartEnd'): '1', ('100', 'Mark'): '1'},
          'by thread')
    text = bench.run('stats', '--by', 'thread', path, env={**os.environ, 'LC_ALL': 'C'}).stdout
    lines = [re.split(' {2,}', line)[:4] for line in text.replace(' #', '  #').replace('#', '').splitlines()]
    equal(lines, [['Thread', 'Busy', 'Busy %', 'Count'], ['201 helper', '10.8 us', '56.7 %', '2'], ['100 made-up', '1.60 us', '8.4 %', '5'], [''],
                  ['Thread', 'Total', 'Process ranges', 'Avg'], ['100 made-up', '5.70 us', '1', '5.70 us'], [''], ['Thread', 'Marks'], ['100 made-up', '1']],
          'one row for each thread')
    equal([row['Thread'] for row in bench.table('stats', '--by', 'thread', '--sort', 'busy', '--csv', path)][:2], ['201 helper', '100'], '--sort busy')
    lines = bench.run('stats', '--by', 'thread', '--sort', 'Busy %', path).stdout.splitlines()
    equal([line.split()[0] for line in lines[1:3]], ['201', '100'], '--sort busy, for people')
    require('requires --by thread' in bench.run('stats', '--sort', 'busy', path, status=2).stderr, '--sort busy, by range')
    # The heading of names says what the rows are: counters are not grouped.
    recording = synthetic.Recording()
    thread = recording.process().thread(100)
    thread.ranges('x', [10])
    thread.mark(1000, 'now')
    thread.add(1100, synthetic.COUNT, [1, 5], flags=2 << 5)
    counters = recording.write(bench.here('counters.nvtxh'))
    for by, wanted in ('range', ['Range', 'Mark']), ('domain', ['Domain'] * 2), ('category', ['Category'] * 2), ('thread', ['Thread'] * 2):
        heads = [table.split()[0] for table in bench.run('stats', '--by', by, counters).stdout.partition('\nFindings:')[0].split('\n\n')]
        equal(heads, [*wanted, 'Counter'], f'headings, by {by}')
    # A histogram has a column of styles if it has two.
    for styles in ('push',), ('push', 'mark'), ('push', 'start'), ('mark', 'start'), ('push', 'start', 'mark'):
        recording = synthetic.Recording()
        thread = recording.process().thread(100)
        for at, style in enumerate(styles, 1):
            getattr(thread, style)(at * 1000, *[7] * (style == 'start'), 'x')
            if style != 'mark':
                getattr(thread, {'push': 'pop', 'start': 'end'}[style])(at * 1000 + 100, *[7] * (style == 'start'))
        head = bench.run('stats', '--histogram', 'x', recording.write(bench.here('styles.nvtxh'))).stdout.splitlines()[0]
        equal('Style' in head, {'push', 'start'} <= set(styles), styles)
    # People see the main thread with its program, if the thread has no name; a program sees names alone.
    for names, wanted in ({}, ['100 made-up', '101']), ({100: b'first', 101: b'second'}, ['100 first', '101 second']):
        recording = synthetic.Recording()
        process = recording.process()
        for number, name in names.items():
            process.names.long(synthetic.THREAD, number, name)
        for number in 100, 101:
            process.thread(number).ranges('x', [1000 - number])
        threads = recording.write(bench.here('threads.nvtxh'))
        lines = bench.run('stats', '--by', 'thread', threads).stdout.splitlines()[1:]
        equal([line.partition('  ')[0] for line in lines], wanted, 'threads, for people')
        equal([row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', threads)],
              [name if names else name.split()[0] for name in wanted], 'threads')
    for sort, column, down in (('self', 'Self (ns)', True), ('inclusive', 'Inclusive (ns)', True), ('instances', 'Instances', True), ('MIN', 'Min (ns)', True),
                               ('name', 'Range', False)):
        values = [row[column] for row in bench.table('stats', '--csv', '--sort', sort, path) if row[column]]
        keys = [float(v) for v in values] if down else values
        equal(keys, sorted(keys, reverse=down), f'--sort {sort}')
    rows = as_json(bench, 'stats', path)
    table = bench.table('stats', '--csv', path)
    equal([(r['name'], r['style'], r['instances'], r['total']) for r in rows],
          [(r['Range'], r['Style'], int(r['Instances']), int(r['Total Time (ns)'] or 0) or None) for r in table], 'JSON')


def case_stats_recursion(bench):
    """A range that is nested in itself counts once, in each thread; shares are of the time in which threads had any range open."""
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    for tid in 1, 2:
        thread = process.thread(tid)
        for at, domain in ((1000, 0), (1100, 0), (1200, 5), (1300, 0)):  # the domain 5 has no name
            thread.push(at, 'f', domain=domain)
        thread.ranges('leaf', [100, 100], at=1400)
        for at, domain in ((1700, 0), (1800, 0), (1900, 0), (2000, 5)):  # the range of the domain 5 ends after those around it
            thread.pop(at, domain)
        thread.ranges('g', [1000], at=3000)
    thread.start(5000, 7, 'process range')
    thread.end(13000, 7)
    path = recording.write(bench.here('r.nvtxh'))
    got = [(row['Range'], row['Total Time (ns)'], row['Inclusive (ns)'], row['Self (ns)'], row['Time (%)']) for row in bench.table('stats', '--csv', path)]
    equal(got, [('f', '5600', '2000', '1600', '50'), ('g', '2000', '2000', '2000', '50'), ('leaf', '400', '400', '400', '10'),
                ('process range', '8000', '', '', '')], 'stats')
    equal([(row['Range'], row['Inclusive (ns)'], row['Time (%)']) for row in bench.table('stats', '--csv', '--name', '^f$|leaf', path)],
          [('f', '2000', '100'), ('leaf', '400', '20')], 'the busy time of what is left')
    equal([(row['Range'], row['Inclusive (ns)']) for row in bench.table('stats', '--csv', '--from', '1150ns', '--to', '1450ns', path)][:2],
          [('f', '600'), ('leaf', '100')], 'a window')
    equal([(row['Thread'], row['Inclusive (ns)']) for row in bench.table('stats', '--by', 'thread', '--csv', path) if row['Style'] == 'PushPop'],
          [('1', '2000'), ('2', '2000')], 'threads')
    equal({row['Domain']: row['Inclusive (ns)'] for row in bench.table('stats', '--by', 'domain', '--csv', path) if row['Style'] == 'PushPop'}['(default)'], '4000', 'a domain')
    line, = (line.split() for line in bench.run('stats', path).stdout.splitlines() if line.startswith('f '))
    equal(line[1:5], ['2.00', 'µs', '50.0', '%'], 'people')
    lines = bench.run('stats', '--sort', 'inclusive', '--columns', 'name,inclusive', '--by', 'domain', path).stdout.splitlines()
    equal([line.split() for line in lines[:2]], [['Domain', 'Inclusive'], ['(default)', '4.00', 'µs']], 'for people, too')
    rows = bench.table('tree', '--csv', path)
    equal([(row['Range'], row['Total (ns)'], row['Time (%)']) for row in rows if row['Depth'] == '0'][:2], [('g', '1000', '25'), ('f', '900', '22.5')], 'tree')
    top = {row['Range']: row['Since (%)'] for row in bench.table('top', '--once', '--csv', path)}
    until = 13001 / 100
    equal((top['f'], top['g']), (f'{2000 / until:.1f}', f'{2000 / until:.1f}'), 'top')


def case_tree(bench):
    """The tree has every range at the place where it was nested, and its self times add up to the time in ranges."""
    path = nested(bench.here('n.nvtxh'))
    rows = bench.table('tree', '--csv', path)
    got = [(row['Thread'], row['Depth'], row['Range'], row['Instances'], row['Total (ns)'], row['Self (ns)']) for row in rows]
    equal(got, [('201 helper', '0', 'never ends', '1', '10000', '10000'), ('201 helper', '0', 'leaf', '1', '777', '777'),
                ('100 made-up', '0', 'outer', '2', '1100', '300'), ('100 made-up', '1', 'lib:crossing', '1', '900', '900'),
                ('100 made-up', '1', 'lib:inner', '1', '400', '300'), ('100 made-up', '2', 'leaf', '1', '100', '100')], 'the tree')
    equal(len(bench.table('tree', '--csv', '--depth', '1', path)), 3, 'rows with --depth 1')
    equal([row['Range'] for row in bench.table('tree', '--csv', '--min', '7', path)], ['never ends', 'outer', 'lib:crossing'], 'rows with --min 7')
    lines = bench.run('tree', path).stdout.splitlines()
    require(any(line.startswith('      leaf  ') for line in lines), 'indentation', *lines)
    equal([row['range'] for row in as_json(bench, 'tree', path)], [row['Range'] for row in rows], 'JSON')
    # People see like threads as one; main threads of two processes of one program are alike.
    recording = synthetic.Recording(end=10**6)
    for pid in 100, 200:
        process = recording.process(pid)
        process.thread(pid).ranges('main', [1000], at=1000)
        for tid in range(pid + 1, pid + 4):
            process.names.long(synthetic.THREAD, tid, b'io 17' if tid % 10 == 1 else b'io %d' % tid)
            process.thread(tid).ranges('read', [100 * (tid % 10) - pid // 20], at=1000)
        process.thread(99).ranges('other', [10], at=1000)  # both processes have a thread of that number
    other = recording.process(300, exe='/usr/bin/other')
    other.names.long(synthetic.THREAD, 301, b'io 1')
    other.thread(301).ranges('read', [5], at=1000)
    path = recording.write(bench.here('like.nvtxh'))

    def shown(*arguments):
        out = bench.run('tree', '--columns', 'range,instances', *arguments, path).stdout
        return [re.split(' {2,}', line.strip()) for line in out.splitlines()[1:]]
    equal(shown(), [['made-up, 2 threads'], ['main', '2'], ['io *, 6 threads'], ['read', '6'], ['2 threads'], ['other', '2'], ['301 io 1 of process 300'], ['read', '1']],
          'like threads')
    equal(len(shown('--threads', 'each')), 22, 'each thread')
    equal(shown('--from', '1500ns', '--name', 'main')[0], ['made-up, 2 threads'], 'in a window')
    equal(shown('--from', '1292ns', '--name', 'read'), [['103 io 103 of process 100'], ['read', '1']], 'only one of them is in the window')
    equal(shown('--thread', '101')[0], ['101 io 17 of process 100'], 'only one of them is shown')
    equal((len(bench.table('tree', '--csv', path)), len(bench.table('tree', '--csv', '--threads', 'merged', path))), (11, 4), 'for programs each')
    # Nesting of any depth.
    deep = synthetic.Recording(end=10**9)
    thread = deep.process().thread(1)
    for i in range(60000):
        thread.push(i, 'deep')
    equal(len(bench.table('tree', '--csv', deep.write(bench.here('deep.nvtxh')))), 60000, 'rows of deep nesting')


def common_names(runs, which):
    """The row of each name, for people: a name that differs from at least 49 others only in numbers is one with these if half of them have at
    most two instances in each run. RUNS: of each, how many instances a name has."""
    most = {name: max(run.get(name, 0) for run in runs) for run in runs for name in run}
    families = {}
    for name in most:
        families.setdefault(re.sub(r'(?<!\w)\d+(?!\w)', '#', name), []).append(name)
    rows = {}
    for common, names in families.items():
        names = [name for name in names if name != common]
        rare = sum(most[name] < 3 for name in names)
        folded = which == 'folded' or which == 'rare' and len(names) >= 50 and 2 * rare >= len(names)
        rows.update({name: common if folded else name for name in names}, **{common: common})
    return rows


def made_of_numbers(seed, path):
    """A recording with names that differ in numbers, and how many instances each has."""
    rng = random.Random(seed)
    recording = synthetic.Recording(end=10**12)
    thread, at, counts = recording.process().thread(100), 1000, {}
    for form in rng.sample(['GET /item?%d', 'layer %d', 'conv%d', 'sha%d of 7', '%d_x', 'a[%d][%d]', '%d', 'é%d', '%d.%d s', 'x 5', 'y #', 'y %d'], 8):
        for _ in range(rng.choice([5, 49, 50, 51, 120])):
            name = re.sub('%d', lambda _: str(rng.randrange(1000)), form)
            number = rng.choice([1, 1, 2, 3, rng.randrange(1, 9)])
            counts[name] = counts.get(name, 0) + number
            at = thread.ranges(name, [rng.randrange(100, 1000) for _ in range(number)], at=at + 10)
    return recording.write(path), counts


def case_names_drawn(bench):
    """People see rare names that differ only in numbers as one, in stats, tree and diff; programs see each."""
    wide = {**os.environ, 'COLUMNS': '400', 'LC_ALL': 'C.UTF-8'}
    folded = 0
    for seed in draws.seeds(8):
        made = [made_of_numbers(seed + offset, bench.here(f'{offset}.nvtxh')) for offset in (0, 10**6)]
        path, counts = made[0]
        for which in 'rare', 'each', 'folded':
            option = [] if which == 'rare' else ['--names', which]
            rows, wanted = common_names([counts], which), {}
            for row in bench.table('stats', '--csv', *option, path):
                old = wanted.get(rows[row['Range']], (0, 0, 0))
                wanted[rows[row['Range']]] = (old[0] + int(row['Instances']), old[1] + int(row['Total Time (ns)']), max(old[2], int(row['Max (ns)'])))
            folded += which == 'rare' and len(wanted) < len(counts)
            for command, columns in (('stats', 'name,instances,total,max'), ('tree', 'range,instances,total')):
                text = bench.run(command, *option, '--limit', '0', '--unit', 'ns', '--columns', columns, path, env=wide).stdout.partition('\nFindings')[0]
                lines = [re.split(' {2,}', line.strip().replace(',', '')) for line in text.splitlines()[1 if command == 'stats' else 2:]]
                equal({name: tuple(map(int, numbers)) for name, *numbers in lines}, {name: numbers[:columns.count(',')] for name, numbers in wanted.items()}, f'seed {seed}: {command} {option}')
            rows = common_names([counts for _, counts in made], which)
            lines = bench.run('diff', *option, '--limit', '0', '--columns', 'instances_a,instances_b,range', *(path for path, _ in made), env=wide).stdout.partition('\n\n')[0].splitlines()
            got = {re.split(' {2,}', line.strip())[2]: [int(number) for number in re.split(' {2,}', line.strip())[:2]] for line in lines[1:]}
            wanted = {row: [sum(counts.get(name, 0) for name in rows if rows[name] == row) for _, counts in made] for row in rows.values()}
            equal(got, {row: numbers for row, numbers in wanted.items() if any(numbers)}, f'seed {seed}: diff {option}')
        for common in sorted({common for name, common in common_names([counts], 'folded').items() if '#' in common and common != name})[:2]:
            alike = [row for row in bench.table('stats', '--csv', path) if re.sub(r'(?<!\w)\d+(?!\w)', '#', row['Range']) == common]
            first, *_ = json.loads(bench.run('stats', '--slowest', common, '--json', path).stdout)
            own = {row['name']: row['then'] for row in first['why'] if row['what'] == 'inside'}
            equal((first['duration'], own), (max(int(row['Max (ns)']) for row in alike), {common: first['duration']}), f'seed {seed}: --slowest {common}')
            said = bench.run('stats', '--slowest', common, path, env=wide).stdout.partition('\n\n')[2].partition(' took ')[0]
            require(said in {row['Range'] for row in alike if int(row['Max (ns)']) == first['duration']}, 'its own name', said, alike)
            found = bench.table('stats', '--histogram', common, '--csv', path)
            equal(sum(int(row['Instances']) for row in found), sum(int(row['Instances']) for row in alike), f'seed {seed}: --histogram {common}')
    require(folded > 3, 'names were one', folded)
    # Exactly half of them are rare, in each of two runs; one less are not.
    paths = []
    for side in 'ab':
        recording = synthetic.Recording(end=10**9)
        thread, at = recording.process().thread(100), 1000
        for form, rare in ('half %d', 25), ('less %d', 24):
            for i in range(50):
                at = thread.ranges(form % i, [100] * (2 if i < rare else 3), at=at)
        paths.append(recording.write(bench.here(side)))
    for command in ['stats', '--columns', 'name'], ['diff', '--columns', 'range']:
        lines = bench.run(*command, *paths[:1 + (command[0] == 'diff')], env=wide).stdout.partition('\n\n')[0].splitlines()[1:]
        equal(set(map(str.strip, lines)), {'half #', *(f'less {i}' for i in range(50))}, command)
    # Counters, and names in a domain of their own, stay apart.
    recording = synthetic.Recording(end=10**9)
    process = recording.process()
    for domain, number in (1, 49), (2, 60):
        process.domain(domain, f'lib{domain}')
        thread, at = process.thread(100 + domain), 1000
        for i in range(number):
            at = thread.ranges(f'call {i}', [100], at=at, domain=domain)
    for i in range(60):
        process.thread(200 + i).add(1000, synthetic.COUNT, [i, 1], flags=2 << 5)
    text = bench.run('stats', recording.write(bench.here('apart.nvtxh'))).stdout
    equal((len(re.findall(r'^lib1:call \d+ ', text, re.MULTILINE)), re.findall(r'^lib2:call \S+ ', text, re.MULTILINE), len(re.findall(r'^counter \d+ ', text, re.MULTILINE))),
          (49, ['lib2:call # '], 60), 'domains and counters')


def case_schema(bench):
    """--json is as report.schema.json says, and --csv has the columns that it always had."""
    schema = json.loads((ROOT / 'recorder' / 'report.schema.json').read_text())
    path = nested(bench.here('n.nvtxh'))
    ranked = synthetic.Recording()
    process = ranked.process(host='node')
    process.rank(3)
    process.thread(100).ranges('step', [10, 20, 30])
    ranked.usage = 4 * 10**6, 10**6, 7, 3
    ranked = ranked.write(bench.here('ranked.nvtxh'))
    commands = {'ranks': ['ranks', ranked], 'rank': ['ranks', '--by', 'rank', ranked], 'stats': ['stats', path], 'slowest': ['stats', '--slowest', 'outer', path], 'histogram': ['stats', '--histogram', 'process range', path],
                'program': ['stats', '--program', ranked],
                'tree': ['tree', path], 'top': ['top', path], 'diff': ['diff', path, path],
                'list': ['list', bench.nvtxh]}
    if 'libelf' not in bench.run('--version').stdout.split('without')[0]:
        del commands['list']
    for by in 'domain', 'category', 'thread':
        conforms(as_json(bench, 'stats', '--by', by, path), schema['$defs']['stats'], by)
    heads = {'stats': 'Time (%),Total Time (ns),Instances,Avg (ns),Med (ns),Min (ns),Max (ns),StdDev (ns),Self (ns),P90 (ns),'
                      'P99 (ns),Style,Range,Avg Value,Min Value,Max Value,Last Value,Inclusive (ns)',
             'slowest': 'Duration (ns),Start (ns),Self (ns),Thread,PID,Rank,Payload,Open,Style,CPU (ns),Blocked (ns),Preempted (ns)',
             'histogram': 'From (ns),To (ns),Instances,Instances (%),Style',
             'program': 'CPU (ns),User (ns),System (ns),Elapsed (ns),Voluntary Switches,Involuntary Switches,Command',
             'tree': 'Total (ns),Self (ns),Time (%),Instances,Thread,Depth,Range',
             'diff': 'Change (%),Low (%),High (%),Drift (%),Med A (ns),Med B (ns),Runs A,Runs B,Instances A,Instances B,'
                     'Total A (ns),Total B (ns),Total Change (ns),P,Verdict,'
                     'Style,Range,Inclusive A (ns),Inclusive B (ns),Inclusive Change (%),Inclusive P,Self A (ns),Self B (ns),Self Change (ns),Self P,'
                     'P99 A (ns),P99 B (ns),P99 Change (%),P99 P,Instances P,Changed',
             'top': 'Now (%),Since (%),Per Second,Avg (ns),P99 (ns),Open,Open For (ns),Instances,Style,Range,Value,Past',
             'ranks': 'Range,Ranks,Instances,Total Med (ns),Total Min (ns),Total Max (ns),Spread (ns),Imbalance (%),Slowest,'
                      'Slowest Host,Outliers,Last,Last Host,Last (%),Late (ns),Error (ns),'
                      'Median (ns),Median Imbalance (%),Straggler,Stragglers',
             'rank': 'Rank,Host,Last,Of,Late (ns),Error (ns),Clock Ahead (ns),Clock Drift (ppm),Recording,Begins (ns),GPU Busy (ns),GPU Idle (ns)',
             'list': 'Kind,Domain,Message,Function,Location,Binary'}
    for name, command in commands.items():
        rows = as_json(bench, *command)
        require(rows or name == 'list', name)
        conforms(rows, schema['$defs'][name], name)
        equal(bench.run(*command, '--csv', status=None).stdout.splitlines()[0], heads[name], f'columns of {name}')


def case_filter(bench):
    """--from and --to cut ranges, --thread, --domain and --name leave out others; shares are of what is left."""
    path = nested(bench.here('n.nvtxh'))

    def rows(*arguments, command='stats'):
        return {row['Range']: (int(row['Instances']), int(row.get('Total Time (ns)', row.get('Total (ns)')) or -1),
                               int(row['Self (ns)'] or -1)) for row in bench.table(command, '--csv', *arguments, path)}

    whole = rows()
    equal(rows('--from', '0', '--to', '20us'), whole, 'all of it')
    # [1150, 1650): "inner" and "outer" are cut at both ends, "crossing" at its end; the rest is not there.
    equal(rows('--from', '1150ns', '--to', '1.65us', '--domain', 'lib'), {'lib:inner': (1, 350, 250), 'lib:crossing': (1, 50, 50)},
          'a window')
    # Of "outer" 1150 to 1650, less what is in "inner", "leaf" and "crossing"; of the helper's "leaf" all of the window.
    equal(rows('--from', '1150ns', '--to', '1650ns', '--domain', 'default'), {'outer': (1, 500, 100), 'leaf': (2, 600, 600)},
          'what was nested there')
    tree = rows('--from', '1150ns', '--to', '1650ns', '--thread', '100', command='tree')
    equal(tree, {'outer': (1, 500, 100), 'lib:inner': (1, 350, 250), 'leaf': (1, 100, 100), 'lib:crossing': (1, 50, 50)}, 'tree')
    # The times of the parts add up to the whole; an event at an edge belongs to the part that begins there.
    for command in 'stats', 'tree':
        cuts = ['0', '1100', '1234', '1500', '3000', '3200', '3201', '12000', '20000']
        for name, (_, total, own) in rows('--thread', '100', command=command).items():
            parts = [rows('--thread', '100', '--from', a + 'ns', '--to', b + 'ns', command=command).get(name, (0, 0, 0))
                     for a, b in zip(cuts, cuts[1:])]
            equal([sum(max(0, part[i]) for part in parts) for i in (1, 2)], [max(0, total), max(0, own)], f'{command} {name}')
    equal(rows('--from', '3200ns', '--to', '3201ns')['mark'][0], 1, 'a mark at the first moment')
    require('mark' not in rows('--to', '3200ns') and 'mark' not in rows('--from', '3201ns'), 'a mark beside it')
    equal(set(rows('--thread', 'helper')), {'leaf', 'never ends'}, 'a thread by name')
    equal(rows('--thread', '201'), rows('--thread', 'helper'), 'and by number')
    equal(rows('--thread', '100')['process range'], whole['process range'], 'the thread that began it')
    equal(set(rows('--name', '^lib:')), {'lib:inner', 'lib:crossing'}, '--name')
    equal(set(rows('--name', 'l(ea|i)')), {'lib:inner', 'lib:crossing', 'leaf'}, '--name, anywhere')
    equal([(row['Depth'], row['Range']) for row in bench.table('tree', '--csv', '--thread', '100', '--name', 'leaf|outer', path)],
          [('0', 'outer'), ('1', 'leaf')], 'what is between is left out')
    equal([(row['Thread'], row['Depth'], row['Range'], row['Time (%)'])
           for row in bench.table('tree', '--csv', '--thread', '100', '--name', '^leaf$', path)],
          [('100 made-up', '0', 'leaf', '100')], 'what is around is left out')
    equal(bench.table('stats', '--csv', '--name', 'inner', path)[0]['Time (%)'], '100', 'the share of what is left')
    equal(bench.run('stats', '--csv', '--name', 'nothing like it', path, status=1).stdout.count('\n'), 1, 'nothing')
    equal(len(bench.table('diff', '--csv', '--domain', 'lib', path, path)), 2, 'diff')
    for bad in ['--name', '('], ['--from', 'yesterday'], ['--to', '1 parsec'], ['--from', '1e30']:
        require(bad[0] in bench.run('stats', *bad, path, status=2).stderr, bad)
    equal(rows('--from', '2'), {}, 'seconds')
    # A snapshot has a window of its own, which a filter can only make smaller.
    synthetic.overwrite(path, 2048, struct.pack('<5Q', 1150, 1650, 1, 1, 1))
    window = rows()
    equal((window['outer'], window['lib:crossing']), ((1, 500, 100), (1, 50, 50)), 'the window of a snapshot')
    equal(rows('--from', '0', '--to', '1s'), window, 'a larger one')
    equal(rows('--from', '1200ns', '--to', '1250ns', '--thread', '100')['outer'][:2], (1, 50), 'a smaller one')
    for window in (18000, 19000, 1, 1, 1), (0,) * 5:
        synthetic.overwrite(path, 2048, struct.pack('<5Q', *window))
        for command in ['stats'], ['tree'], ['diff', path], ['export', '--format', 'csv']:
            require('matches' not in bench.run(*command, path).stderr, 'nothing is in a snapshot, and no filter was given', command)
    # Exports leave out the same.
    out = bench.table('export', '--format', 'csv', '--from', '1150ns', '--to', '1650ns', '--domain', 'lib', path)
    equal([(row['Message'], row['Start (ns)'], row['End (ns)']) for row in out],
          [('inner', '1150', '1500'), ('crossing', '1600', '1650')], 'export')


def case_nothing(bench):
    """A filter that nothing matches is named, and the name that was meant or the command that shows what there is; the status is 1.
    No header stands over nothing; programs get theirs."""
    recording = synthetic.Recording()
    process = recording.process()
    process.domain(1, 'lib')
    process.names.long(synthetic.THREAD, 2, b'worker')
    process.thread(1).mark(7, 'mark')
    process.thread(2).ranges('f(int)', [5], at=20, domain=1)
    rec = recording.write(bench.here('some.nvtxh'))
    named = {'--domain': 'nothing is in a domain', '--thread': 'nothing is on a thread', '--name': 'no range is named'}
    # Each value that is not there is named, the first one before all others; then values of which each is there.
    absent = ('--domain', 'x', ' --by domain'), ('--thread', '9', ' --by thread'), ('--name', 'y', ''), ('--from', '5', ''), ('--to', '5ns', '')
    apart = ('--domain', 'lib', ' --by domain'), ('--thread', '1', ' --by thread'), ('--name', 'mark', ''), ('--from', '5', '')
    chance = random.Random(1)
    for filters in absent, apart:
        for given in (given for size in range(1, 6) for given in itertools.combinations(filters, size)):
            names = [f'{option} {value}' for option, value, _ in given if option in named]
            if filters is apart and given[-1][0] != '--from' and (len(given) == 1 or given[0][0] != '--domain'):
                continue  # it matches
            wanted = 'matches ' + ' '.join([*names, *['in that time' if names else 'that time'] * (len(given) > len(names))])
            if names and filters is absent:
                wanted = f"{named[given[0][0]]} '{given[0][1]}'"
            for what, *command in (('nothing', 'stats'), ('no push/pop range', 'tree'), ('no operation of a GPU', 'tree', '--gpu'),
                                   ('no operation of a GPU', 'stats', '--gpu'), ('nothing', 'diff', rec), ('nothing', 'diff', '--fail-above', '5', rec)):
                done = bench.run(*command, *(word for option, value, _ in chance.sample(given, len(given)) for word in (option, value)), rec, status=1)
                said = f'{what} {wanted}' if wanted.startswith('matches') else wanted
                equal((done.stdout, done.stderr), ('', f'nvtxh: {said}; nvtxh stats{given[0][2]} {rec} shows what there is\n'), command)
    # What may have been meant is named, so that it can be typed; of a range in a domain also by its message alone.
    for options, meant in ((('--name', 'mrak'), 'mark'), (('--name', 'F(int'), None), (('--name', 'f(int)'), r'lib:f\(int\)'), (('--domain', 'lob'), 'lib'),
                           (('--domain', 'Default'), 'default'), (('--thread', 'Worker'), 'worker'), (('--name', 'mrak', '--from', '1h'), 'mark')):
        if not meant:
            bench.run('stats', *options, rec, status=2)
            continue
        said = f"nvtxh: {named[options[0]]} '{options[1]}'; did you mean '{meant}'?\n"
        for command in ['stats'], ['tree'], ['diff', rec]:
            equal(bench.run(*command, *options, rec, status=1).stderr, said, command)
            require(bench.run('stats', options[0], meant, rec).stdout, meant)
            for form in '--csv', '--json':
                done = bench.run(*command, form, *options, rec, status=1)
                equal((done.stderr, done.stdout), (said, '[\n]\n' if form == '--json' else bench.run(*command, form, rec).stdout.splitlines()[0] + '\n'), command)
        for form in 'csv', 'chrome':
            equal(bench.run('export', '--format', form, *options, rec, status=1).stderr, said, form)
        done = bench.run('export', '--format', 'csv', *options, '-o', bench.here('none.csv'), '-f', rec, status=1)
        require(done.stderr.endswith(said) and os.path.getsize(bench.here('none.csv')), done.stderr)
        done = bench.run('view', '--no-open', '-f', *options, rec, status=1)
        require(done.stderr.splitlines(True)[0] == said and 'wrote' in done.stderr, done.stderr)
        if '--name' in options and len(options) == 2:
            equal(bench.run('top', '--once', *options, rec, status=1).stderr, said, 'top')
    for option in '--slowest', '--histogram':
        for name, meant in ('f(imt)', 'lib:f(int)'), ('f(int)', 'lib:f(int)'), ('lib:g(int)', 'lib:f(int)'), ('mark', ''):
            said = f"no range is named '{name}'; " + (f"did you mean '{meant}'?" if meant else f'nvtxh stats {rec} shows what there is')
            for form in [], ['--csv']:
                done = bench.run('stats', option, name, *form, rec, status=1)
                equal((done.stderr, bool(done.stdout)), (f'nvtxh: {said}\n', bool(form)), name)
    # In both runs of a comparison, and in any of several recordings.
    other = synthetic.Recording()
    other.process().thread(3).ranges('other', [5], at=20)
    other = other.write(bench.here('other.nvtxh'))
    equal(bench.run('diff', '--name', 'othr', rec, other, status=1).stderr, "nvtxh: no range is named 'othr'; did you mean 'other'?\n", 'in B')
    done = bench.run('diff', '--domain', 'lib', '--name', 'other', rec, other, status=1)
    equal(done.stderr, f'nvtxh: nothing matches --domain lib --name other; nvtxh stats --by domain {rec} shows what there is\n', 'in B')
    recording = synthetic.Recording()
    thread = recording.process().thread(1)
    thread.mark(7, 'mark')
    marks = recording.write(bench.here('marks.nvtxh'))
    done = bench.run('tree', marks)
    equal(done.stdout, '', 'a tree of marks')
    require('no push/pop ranges; nvtxh stats' in done.stderr, done.stderr)
    equal([line.split() for line in bench.run('stats', marks).stdout.splitlines()], [['Mark', 'Count'], ['mark', '1']], 'marks alone')
    empty = synthetic.Recording().write(bench.here('empty.nvtxh'))
    for command in 'stats', 'tree':
        done = bench.run(command, empty)
        require(not done.stdout and 'the recording is empty' in done.stderr, done)
        require(f'nothing matches: {empty} is empty' in bench.run('export', '--format', 'csv', '--name', 'x', empty, status=1).stderr, 'an empty recording')
    # One row for each style: the style stands beside the name.
    thread.ranges('x', [5], at=10)
    both = recording.write(bench.here('both.nvtxh'))
    heads = [line.split()[:3] for line in bench.run('stats', '--by', 'thread', both, env={**os.environ, 'COLUMNS': '40'}).stdout.splitlines()]
    require(['Thread', 'Busy', 'Busy'] in heads and ['Thread', 'Marks'] in heads, heads)
    heads = [line.split()[:3] for line in bench.run('stats', '--by', 'domain', both).stdout.splitlines()]
    require(['Domain', 'Style', 'Total'] in heads and ['Domain', 'Marks'] in heads, heads)


def case_nameless(bench):
    """Events without a message are shown as such to people, and have an empty one for programs."""
    recording = synthetic.Recording()
    process = recording.process()
    process.domain(1, 'lib')
    process.names.long(synthetic.CATEGORY, 7, b'seven', domain=1)
    thread = process.thread(1)
    thread.push(1, None, domain=1, category=7, color=0xff123456)
    thread.pop(5, domain=1)
    thread.mark(7, None, category=9)
    rec = recording.write(bench.here('n.nvtxh'))
    for command in ['stats'], ['tree'], ['diff', rec]:
        require('(no message)' in bench.run(*command, rec).stdout, command)
    exact = {'csv', 'sqlite', 'parquet', 'html'}  # for programs; the page's script shows it
    for form in set(driver.formats(bench.nvtxh)) - exact:
        done = bench.run('export', '--format', form, rec, status=None)
        require('(no message)' in done.stdout or 'built without' in done.stderr, form, done)
    for command in ['stats', '--csv'], ['tree', '--csv'], ['diff', '--csv', rec], ['export', '--format', 'csv']:
        require('(no message)' not in bench.run(*command, rec).stdout, command)
    if not bench.run('export', '--format', 'sqlite', rec, '-o', bench.here('n.sqlite'), status=None).returncode:
        import sqlite3
        db = sqlite3.connect(bench.here('n.sqlite'))
        equal({text for text, in db.execute('SELECT text FROM NVTX_EVENTS WHERE eventType IN (34, 59)')}, {None}, 'SQLite')
        db.close()


def case_merge(bench):
    """Recordings with clocks of their own are merged into one, by the time of day, and nothing is missing."""
    a = nested(bench.here('a.nvtxh'))
    b = nested(bench.here('b.nvtxh'), realtime=synthetic.REALTIME + 5000, clock=2, rate=3)
    c = nested(bench.here('c.nvtxh'), pid=333, realtime=synthetic.REALTIME - 1000)
    bench.run('merge', '-o', bench.here('ab.nvtxh'), a, b)
    bench.run('merge', '-o', bench.here('all.nvtxh'), bench.here('ab.nvtxh'), c)
    rows = list(csv.DictReader(bench.run('export', '--format', 'csv', bench.here('all.nvtxh')).stdout.splitlines()))
    starts = sorted(int(row['Start (ns)']) for row in rows if row['Message'] == 'inner')
    equal(starts, [1100, 2100, 7100], 'beginnings, from the earliest recording on')
    one = list(csv.DictReader(bench.run('export', '--format', 'csv', a).stdout.splitlines()))
    equal(len(rows), 3 * len(one), 'events')
    for row in rows:
        lengths = {int(o['End (ns)']) - int(o['Start (ns)']) for o in one
                   if (o['Message'], o['Style']) == (row['Message'], row['Style'])}
        length = int(row['End (ns)']) - int(row['Start (ns)'])
        require(any(abs(length - known) <= 1 for known in lengths), row)
    # Two processes with the same number stay two.
    threads = {row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', bench.here('all.nvtxh'))}
    equal(threads, {'100 of process 100', '201 of process 100 helper', '201 of process 333 helper', '333 of process 333'},
          'threads')
    chrome = json.loads(bench.run('export', '--format', 'chrome', bench.here('all.nvtxh')).stdout)['traceEvents']
    equal(len({event['pid'] for event in chrome}), 3, 'processes')
    equal(bench.run('merge', '-o', bench.here('all.nvtxh'), a, status=2).returncode, 2, 'over an existing file')
    bench.run('merge', '-o', bench.here('none.nvtxh'), a, bench.here('missing'), status=1)
    # Losses of processes without a process record.
    lost = []
    for number, count in enumerate((3, 4)):
        path = nested(bench.here(f'lost{number}.nvtxh'), pid=400 + number)
        with open(path, 'r+b') as f:
            f.seek(1200)  # the first of the header's losses
            f.write(struct.pack('<Q', count))
        lost.append(path)
    bench.run('merge', '-o', bench.here('lost.nvtxh'), *lost)
    require('7 events were dropped' in bench.run('stats', bench.here('lost.nvtxh')).stderr, 'losses of both')
    # With several hosts, every format that tells processes apart names the host of each.
    d = nested(bench.here('d.nvtxh'), host='left')
    e = nested(bench.here('e.nvtxh'), host='right')
    two = bench.here('two.nvtxh')
    bench.run('merge', '-o', two, d, e)
    threads = {row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', two)}
    equal(threads, {f'{thread} of process 100 on {host}{name}' for host in ('left', 'right')
                    for thread, name in ((100, ''), (201, ' helper'))}, 'threads of two hosts')
    f = nested(bench.here('f.nvtxh'), pid=300, host='left')
    bench.run('merge', '-o', bench.here('three.nvtxh'), d, e, f)
    equal({row['Thread'].partition(' of ')[2].removesuffix(' helper') for row in bench.table('stats', '--by', 'thread', '--csv', bench.here('three.nvtxh'))},
          {'process 100 on left', 'process 100 on right', 'process 300 on left'}, 'the last process is where the first is')
    equal({row['Thread'].partition(' on ')[2] for row in bench.table('tree', '--csv', two)}, {'left', 'right'}, 'tree')
    equal({row['Host'] for row in bench.table('export', '--format', 'csv', two)}, {'left', 'right'}, 'csv')
    chrome = json.loads(bench.run('export', '--format', 'chrome', two).stdout)['traceEvents']
    equal({event['args']['name'] for event in chrome if event['name'] == 'process_name'},
          {'/usr/bin/made-up on left', '/usr/bin/made-up on right'}, 'chrome')
    done = bench.run('export', '--format', 'perfetto', two, '-o', bench.here('two.pftrace'), status=None)
    if not done.returncode:
        with open(bench.here('two.pftrace'), 'rb') as f:
            trace = f.read()
        require(b'made-up on left' in trace and b'made-up on right' in trace, 'perfetto')
    if not bench.run('export', '--format', 'sqlite', two, '-o', bench.here('two.sqlite'), status=None).returncode:
        import sqlite3
        db = sqlite3.connect(bench.here('two.sqlite'))
        equal(sorted(db.execute('SELECT name, host FROM PROCESSES JOIN NVTXH_PROCESSES USING (globalPid)')),
              [('/usr/bin/made-up', 'left'), ('/usr/bin/made-up', 'right')], 'SQLite')
        # Both have pid 100 and thread 201: only globalTid tells them apart.
        equal([n for n, in db.execute('SELECT count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60) '
                                      'GROUP BY globalTid >> 24')], [9, 9], 'events of each of the two')
        equal(db.execute('SELECT count(*) FROM NVTX_EVENTS e JOIN PROCESSES p ON e.globalTid >> 24 = p.globalPid >> 24 '
                         'WHERE eventType IN (34, 59, 60)').fetchone(), (18,), 'events with their process')
        db.close()
    equal({row['Thread'] for row in bench.table('stats', '--by', 'thread', '--csv', d)}, {'100', '201 helper'}, 'one host')
    require(not os.path.exists(bench.here('none.nvtxh')), 'nothing is left of a merge that failed')


# How a line about each kind of loss begins, by its number in the list of FORMAT.md: about one and about more.
LOSSES = {1: ('of the dropped events was in a signal handler', 'of the dropped events were in signal handlers'), 2: ('text was too long', 'texts were too long'),
          3: ('domain did not fit', 'domains did not fit'), 6: ('name was not recorded', 'names were not recorded'), 8: ('use of a domain or string', 'uses of domains or strings'),
          16: ('schema, enum, counter or scope could', 'schemas, enums, counters or scopes could'), 17: ('payload was too long', 'payloads were too long'),
          19: ('event may be missing', 'events may be missing'), 20: ('of the dropped events found no memory',) * 2}
# Those of kinds that are not recorded are one line.
UNKNOWN = {5: 'payload[s] with a schema', 7: 'generic resource[s]', 9: 'name[s] of [a ]CUDA object[s]', 10: 'name[s] of [a ]CUDA runtime object[s]', 11: 'name[s] of [an ]OpenCL object[s]',
           12: 'synchronization event[s]', 13: 'counter sample[s]', 14: 'memory call[s]', 15: 'call[s] of an extension of NVTX', 18: 'message[s] or payload[s] of an unknown type',
           21: 'call[s] about deferred events'}
STOPPED = {28: 'no space left', 122: 'no space left', 27: 'limit on file sizes', 23: 'no descriptor', 24: 'no descriptor', 1: 'no permission', 13: 'no permission',
           30: 'no permission', 2: 'no longer where it was', 20: 'no longer where it was', 116: 'no longer where it was', 22: 'wrote over the header', 5: 'Input/output error'}


def unknown(number, count):
    """With one, what is in brackets and no plural is said; with more, the plural and no article."""
    return re.sub(r'\[(s|an? )\]', lambda found: found[1] if (found[1] == 's') == (count > 1) else '', UNKNOWN[number])


def case_losses(bench):
    """What is said of a recording's losses: all of the file, of its processes and of its streams, each kind with its number, and why recording stopped."""
    before = None  # the recording before, and what is said of it
    for seed in range(40):
        rng = random.Random(seed)

        def draw():
            return [rng.choice([0] * 8 + [1, 1, 2, 1 << 33]) for _ in range(24)]
        recording, of_file, dropped, stopped = synthetic.Recording(), draw(), 0, rng.choice([None, *STOPPED])
        lost = of_file
        for number in range(rng.choice([1, 2, 3])):
            of_process = draw()
            process = recording.process(pid=100 + number, lost=of_process)
            for tid in range(rng.choice([1, 2])):
                thread = process.thread(tid + 1)
                thread.mark(1, 'mark')
                thread.dropped = rng.choice([0, 0, 1, 5])
                dropped += thread.dropped
            lost = [a + b for a, b in zip(lost, of_process)]
        path = recording.write(bench.here(f'losses-{seed % 2}.nvtxh'))
        synthetic.overwrite(path, 1200, struct.pack('<24Q', *of_file))
        if stopped is not None:
            synthetic.overwrite(path, 100, struct.pack('<I', stopped))
        wanted = []
        dropped += lost[0] + lost[1]
        if dropped:
            wanted.append(f'{dropped} event{" was" if dropped == 1 else "s were"} dropped: ')
        if lost[4]:
            wanted.append(f'{lost[4]} pop{"s" * (lost[4] > 1)} and 0 ends of process ranges had no beginning')
        wanted += [f'{lost[number]} {which[lost[number] > 1]}' for number, which in LOSSES.items() if lost[number]]
        wanted += ['not recorded: '] * any(lost[number] for number in UNKNOWN)
        wanted += ['recording stopped before the program ended: '] * (stopped is not None)
        said = bench.run('stats', '--csv', path).stderr.splitlines()
        require(len(said) == len(wanted), f'seed {seed}: lines', wanted, said)
        for line, one in zip(sorted(said), sorted('nvtxh: ' + one for one in wanted)):
            require(line.startswith(one), f'seed {seed}', one, line)
        for line in said:
            if line.startswith('nvtxh: not recorded: '):
                parts = [re.sub(r' \(.*\)$| that is not known here$', '', part) for part in line[len('nvtxh: not recorded: '):].split(', ')]
                equal(parts, [f'{lost[number]} {unknown(number, lost[number])}' for number in sorted(UNKNOWN) if lost[number]], f'seed {seed}: not recorded')
            if 'recording stopped' in line:
                require(STOPPED[stopped] in line, stopped, line)
        if before:  # diff says it of each, and no more than that of itself
            told = bench.run('diff', '--csv', before[0], path).stderr.splitlines()
            equal([line for line in told if 'runs of A' not in line and 'instances in a run' not in line], before[1] + said, f'seed {seed}: diff')
        before = path, said


def case_notes(bench):
    """What is said of ranges without an end, pops in the wrong domain, tools, empty recordings and damaged ones."""
    path = bench.here('notes.nvtxh')
    for count, snapshot in (1, False), (3, False), (9, False), (1, True), (3, True):
        recording = synthetic.Recording(end=10000)
        thread = recording.process().thread(1)
        for i in range(count):
            thread.push(1000 + i, f'open {i % 4}')
        recording.write(path)
        if snapshot:
            synthetic.overwrite(path, 2048, struct.pack('<2Q', 1, 9000) + recording.sample(9000))
        said = ('range had no end, so it ends', 'its') if count == 1 else ('ranges had no end, so they end', 'their')
        # Of nine, "open 0" is three, "open 1" and "open 2" are two each.
        named = {1: 'open 0', 3: 'open 0, open 1, open 2', 9: 'open 0, open 1, open 2 and 2 more'}[count]
        wanted = f'nvtxh: {count} {said[0]} with {"the snapshot or " * snapshot}{said[1]} process: {named}\n'
        require(wanted in bench.run('stats', path).stderr, wanted, bench.run('stats', path).stderr)
    recording = synthetic.Recording(end=10000)
    process = recording.process()
    process.domain(1, 'lib')
    process.thread(1).push(1000, None)
    process.thread(2).push(1000, 'a\nb', domain=1)
    process.thread(2).start(2000, 7, 'started')
    wanted = "process: (no message), lib:a\\nb, started\n"
    require(wanted in bench.run('stats', recording.write(path)).stderr, wanted, bench.run('stats', path).stderr)
    names = ['the default domain', 'domain one', 'domain two']
    for opened, popped, count in (0, 1, 1), (1, 0, 2), (1, 2, 1), (2, 1, 3):
        recording = synthetic.Recording(end=10000)
        process = recording.process()
        for number in 1, 2:
            process.domain(number, names[number].removeprefix('domain '))
        thread = process.thread(1)
        for at in range(count):
            thread.push(1000 + 10 * at, f'r{at}', domain=opened)
        for at in range(count):
            thread.long(synthetic.EXTENDED, 8, b'', domain=popped, at=2000 + at)
        wanted = f'{count} pop{"s" * (count > 1)} in {names[popped]} without a push, while a range of {names[opened]} was open; ' \
                 f'did you mean NVTX_POP({".domain = ..." * (opened > 0)})?\n'
        require(wanted in bench.run('stats', recording.write(path)).stderr, wanted, bench.run('stats', path).stderr)
    said = bench.run('stats', bench.record('misdirected.nvtxh', 'misdirected')).stderr
    require('200 pops in the default domain without a push, while a range of domain train was open;' in said and '400 ranges had no end' in said, said)
    recording = synthetic.Recording()
    for pid, tool in (100, '/a.so'), (200, '/b.so'), (300, None), (400, '/a.so'):
        process = recording.process(pid)
        if tool:
            process.names.long(synthetic.EXTENDED, 10, tool.encode())
    equal(re.findall('the tool (\\S+) got', bench.run('stats', recording.write(path)).stderr), ['/a.so', '/b.so'], 'each tool once')
    for status, wanted in (0, 'reached the recorder\n'), (3 << 8, 'reached the recorder\n'), (11, 'a signal ended it: Segmentation fault\n'), (9, 'a signal ended it: Killed\n'):
        synthetic.Recording().write(path)
        with open(path, 'r+b') as f:
            f.seek(108)
            f.write(struct.pack('<i', status))
        require(bench.run('stats', path, env={**os.environ, 'LC_ALL': 'C'}).stderr.endswith(wanted), status, wanted)
    recording = synthetic.Recording()
    for tid in 1, 2, 3:
        recording.process().thread(tid).ranges('r', [10])
    size = os.path.getsize(recording.write(path))
    for at, wanted in (size - 3 * synthetic.ALIGN, 'damaged: 1 damaged chunk;'), (size - synthetic.ALIGN + 128, 'damaged: 1 unreadable record;'), \
            (None, 'cut short: 5000 bytes are missing at its end;'):
        if at:
            synthetic.overwrite(path, at, b'junk' if at % synthetic.ALIGN == 0 else bytes(4))
        else:
            os.truncate(path, size - 5000)
        said = bench.run('stats', path, status=None).stderr
        require(wanted in said, wanted, said)
        recording.write(path)


def case_covered(bench):
    """Of a snapshot of rings it is said from when on it is complete: from the latest beginning of a chunk that follows overwritten ones."""
    for seed in range(40):
        rng, recording, begins = random.Random(seed), synthetic.Recording(end=10**6), [0]
        for pid in range(100, 100 + rng.choice([1, 2])):
            process = recording.process(pid, ring=1 << 20)
            for tid in range(1, rng.choice([2, 3, 4])):
                thread, number, expects = process.thread(tid), 0, 0
                thread.ring = True
                for at in sorted(rng.sample(range(1000, 900000), rng.randrange(1, 5))):
                    number += rng.choice([0, 0, 1, 2])
                    thread.jump(number)
                    thread.texts = {}
                    thread.mark(at, 'mark')
                    begins += [at] if number != expects else []
                    number = expects = number + 1
        path = recording.write(bench.here('covered.nvtxh'))
        start, end = sorted(rng.sample(range(1, 900000), 2))
        synthetic.overwrite(path, 2048, struct.pack('<2Q', start, end) + recording.sample(end) + b'a reason')
        said = bench.run('stats', '--csv', path).stderr
        require(': a reason\n' in said and f'a snapshot of {figure(end - start)}, taken at 20' in said, said)
        whole = re.findall(r'it is complete for (the last )?([\d.]+) % of its window', said)
        share = max(0, 1000 * (end - max(begins)) // (end - start)) / 10
        equal(whole, [] if max(begins) <= start else [('the last ' if max(begins) < end else '', f'{share:.1f}')], f'seed {seed}: {begins}, {start} to {end}')


def figure(ns):
    """A time of three digits for people."""
    scale, unit = next((scale, unit) for scale, unit in ((1e6, 'ms'), (1e3, 'us'), (1, 'ns')) if ns >= .9995 * scale or scale == 1)
    return f'{ns} ns' if scale == 1 else f'{ns / scale:.{2 if ns / scale < 9.995 else 1 if ns / scale < 99.95 else 0}f} {unit}'


def peak(bench, *arguments):
    """Peak memory of a command in KiB; its output is discarded."""
    code = ('import resource, subprocess, sys; status = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode; '
            'print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(status)')
    done = subprocess.run([sys.executable, '-c', code, bench.nvtxh, *arguments], capture_output=True, text=True)
    equal(done.returncode, 0, done.stderr)
    return int(done.stdout)


def case_memory(bench):
    """Memory does not grow with the number of events: ten times as many take no more."""
    small, large = bench.here('small.nvtxh'), bench.here('large.nvtxh')
    synthetic.write_many(small, 256000)
    written = synthetic.write_many(large, 1280000)
    rows = bench.table('stats', '--csv', large)
    equal(2 * sum(int(row['Instances']) for row in rows), written, 'events')
    for command in (['tree'], ['export', '--format', 'csv'], ['export', '--format', 'perfetto'], ['stats']):
        if command == ['export', '--format', 'perfetto'] and bench.run(*command, small, status=None).returncode:
            continue
        before, after = peak(bench, *command, small), peak(bench, *command, large)
        # stats keeps durations one by one up to a budget of 96 MiB.
        allowed = 100 * 1024 if command == ['stats'] else 24 * 1024
        require(after < before + allowed and after < 200 * 1024, f'{command}: {before} KiB, then {after} KiB')
        print(*command, before, 'KiB,', after, 'KiB')
    # With the number of different messages it does, by less than 500 bytes each.
    names = []
    for count in (100, 100000):
        recording = synthetic.Recording()
        stream = recording.process().thread(200)
        for i in range(count):
            stream.ranges(f'message {i}', [100], at=1000 * i)
        names.append(recording.write(bench.here(f'{count}.nvtxh')))
    for command in (['stats', '--csv'], ['stats', '--json'], ['tree', '--csv']):
        if command[1] == '--json' and bench.run(*command, names[0], status=None).returncode:
            continue
        before, after = (peak(bench, *command, name) for name in names)
        require(1024 * (after - before) < 500 * 100000, f'{command}: {before} KiB for 100 messages, {after} KiB for 100,000')
        print(*command, before, 'KiB,', after, 'KiB')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
