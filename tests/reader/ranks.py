#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvtxh ranks`, on recordings of ranks whose clocks were bent by a known amount."""
import os
import random
import re
import resource
import shutil
import statistics

from harness import driver
from harness.checks import equal, require
import synthetic

STEPS = 120
STEP = 10_000_000  # ns from one barrier to the next


class Job:
    """Ranks that work, and wait for each other at a barrier. `late` and `ends` are true times, which no clock of theirs shows."""

    def __init__(self, bench, ranks, hosts, straggler=None, jitter=1000, steps=STEPS, seed=1, size=None, folder='.', more=2e6):
        source = random.Random(seed)
        self.paths, self.late, self.clocks = [], {}, {}
        self.ends = [STEP * (k + 1) for k in range(steps)]
        for host in range(hosts):  # ns, and parts of one
            self.clocks[host] = (source.uniform(-5e8, 5e8), source.uniform(-50e-6, 50e-6)) if host else (0, 0)
        for rank in range(ranks):
            host = rank * hosts // ranks
            ahead, drift = self.clocks[host]
            recording = synthetic.Recording(realtime=synthetic.REALTIME + int(ahead) + 10**9, end=2 * STEP * steps)
            process = recording.process(pid=1000 + rank, host=f'node{host}')
            process.rank(rank, world=size or ranks, job='7')
            process.domain(1, 'mpi')
            main = process.thread(1000 + rank)
            self.late[rank] = []
            before = 0
            for end in self.ends:
                work = source.gauss(6e6, 2e5) + (more if rank == straggler else 0)
                self.late[rank].append(work)
                left = end + abs(source.gauss(0, jitter))
                at = [int(t * (1 + drift)) for t in (before + 1000, before + 1000 + work, before + 1100 + work, left)]
                main.push(at[0], 'step')
                main.pop(at[1])
                main.push(at[2], 'barrier', domain=1)
                main.pop(at[3], domain=1)
                before = end
            self.paths.append(recording.write(os.path.join(bench.here(folder), f'{rank}.nvtxh')))


def rows_of(bench, *arguments):
    return {row['Range']: row for row in bench.table('ranks', '--csv', *arguments)}


def case_ranks(bench):
    """The rank that works longest is the slowest, and the last at the barrier, where its durations are the shortest."""
    job = Job(bench, 8, 1, straggler=5)
    rows = rows_of(bench, *job.paths)
    totals = {rank: sum(works) for rank, works in job.late.items()}
    step, barrier = rows['step'], rows['mpi:barrier']
    equal((step['Ranks'], step['Slowest'], step['Slowest Host'], step['Outliers']), ('8', '5', 'node0', '1'), 'step')
    wanted = 100 * (totals[5] / statistics.median(totals.values()) - 1)
    require(abs(float(step['Imbalance (%)']) - wanted) < 0.02, step, wanted)
    equal((barrier['Last'], barrier['Error (ns)'], step['Last']), ('5', '0.0', ''), 'the last at the barrier')
    require(barrier['Slowest'] != '5' and float(barrier['Last (%)']) > 95, barrier)
    late = [job.late[5][k] - statistics.median(job.late[r][k] for r in job.late) for k in range(STEPS)]
    require(abs(float(barrier['Late (ns)']) - statistics.median(late)) < 5, barrier, statistics.median(late))
    ranks = bench.table('ranks', '--by', 'rank', '--csv', *job.paths)
    equal((ranks[0]['Rank'], ranks[0]['Of'], len(ranks)), ('5', str(STEPS), 8), 'by rank')
    # For people, in 80 columns; a directory in place of its files; a status for CI.
    done = bench.run('ranks', bench.directory, env=dict(os.environ, COLUMNS='80', LC_ALL='C.UTF-8'))
    require(all(len(line) <= 80 for line in done.stdout.splitlines()), done.stdout)
    dark = [line for line in done.stdout.splitlines() if line.startswith('rank ') and '█' in line]
    require(len(dark) == 1 and dark[0].startswith('rank 5') and ' ' not in dark[0].rstrip('\n')[17:], done.stdout)
    darkest = re.search(r'█: (\d\.\d\d) ms or more', done.stdout)
    require(darkest and statistics.median(late) <= 1e6 * (float(darkest[1]) + 0.005) and 1e6 * (float(darkest[1]) - 0.005) <= max(late), done.stdout, max(late))
    require('+33' in done.stdout and 'mpi:barrier' in done.stdout, done.stdout)
    bench.run('ranks', '--fail-above', '40', *job.paths)
    require('rank 5 is 3' in bench.run('ranks', '--fail-above', '20', *job.paths, status=3).stderr, 'what the rank is')
    shown = bench.run('ranks', '--limit', '2', *job.paths).stdout
    equal(len(re.findall(r'^ *\d+  node0 ', shown, re.M)), 2, '--limit')
    # Of ranks that share a line, the latest is shown.
    os.mkdir(bench.here('many'))
    many = Job(bench, 40, 1, straggler=26, steps=30, folder='many')
    lines = {' '.join(line[:16].split()): line[16:].count('█') for line in bench.run(
        'ranks', *many.paths, env=dict(os.environ, COLUMNS='80', LC_ALL='C.UTF-8')).stdout.splitlines() if re.match(r'\d+ to \d+ |rank \d+ ', line)}
    equal((len(lines), max(lines, key=lines.get)), (24, '26 to 27'), lines)
    require(lines['26 to 27'] > 20, lines)
    # A rank with less to do waits longer, and waiting is no work.
    os.mkdir(bench.here('waits'))
    waits = Job(bench, 8, 1, straggler=5, more=-2e6, folder='waits')
    require(float(rows_of(bench, *waits.paths)['mpi:barrier']['Imbalance (%)']) > 40, 'waiting')
    bench.run('ranks', '--fail-above', '20', *waits.paths)
    red = [set(re.findall('^(\\S+) .*\033\\[31m', bench.run('ranks', '--color', 'always', '--limit', '0', '--columns', 'range,imbalance', *paths).stdout, re.M))
           for paths in (job.paths, waits.paths)]
    equal((red, rows_of(bench, *waits.paths)['mpi:barrier']['Outliers']), ([{'step'}, set()], '1'), 'red')
    # One recording of all: the same.
    bench.run('merge', '-o', bench.here('all.rec'), *job.paths)
    equal(rows_of(bench, bench.here('all.rec'))['step'], step, 'merged')


def case_ranks_share(bench):
    """A range that is short for all ranks but one counts for --fail-above; one that is short for all does not."""
    for rank in range(4):
        recording = synthetic.Recording(end=10**9)
        process = recording.process(pid=100 + rank)
        process.rank(rank, world=4)
        thread = process.thread(100 + rank)
        for begin, end, name in (0, 8 * 10**8 + rank, 'all'), (8 * 10**8 + 10, 8 * 10**8 + (10**8 if rank == 2 else 10**6), 'hot'), \
                (95 * 10**7, 95 * 10**7 + (1000 if rank == 3 else 10), 'short'):
            thread.push(begin, name)
            thread.pop(end)
        recording.write(bench.here(f'{rank}.nvtxh'))
    said = bench.run('ranks', '--fail-above', '100', *(bench.here(f'{rank}.nvtxh') for rank in range(4)), status=3).stderr
    require('hot: rank 2 is' in said and 'short: rank' not in said, said)


def case_ranks_clocks(bench):
    """Clocks of hosts that are off by half a second, and drift, are corrected within the reported error."""
    for seed, jitter in ((1, 1000), (2, 20000)):
        job = Job(bench, 12, 4, straggler=7, jitter=jitter, seed=seed)
        for align in ((), ('--align', 'mpi:barrier')):
            done = bench.run('ranks', '--by', 'rank', '--csv', *align, *job.paths)
            require('4 clocks were aligned by' in done.stderr and 'ends of mpi:barrier' in done.stderr, done.stderr)
        for row in driver.table(done.stdout):
            ahead, drift = job.clocks[int(row['Host'].removeprefix('node'))]
            error = float(row['Error (ns)'])
            require(0 < error < 8 * jitter, row)
            # At the beginning, and at the end.
            begin = float(row['Clock Ahead (ns)']) - ahead
            end = begin + (float(row['Clock Drift (ppm)']) / 1e6 - drift) * STEP * STEPS
            require(abs(begin) < error and abs(end) < error, row, begin, end)
        barrier = rows_of(bench, *job.paths)['mpi:barrier']
        equal((barrier['Last'], barrier['Last Host']), ('7', 'node2'), 'the last')
        late = [job.late[7][k] - statistics.median(job.late[r][k] for r in job.late) for k in range(STEPS)]
        require(abs(float(barrier['Late (ns)']) - statistics.median(late)) < float(barrier['Error (ns)']) + 50, barrier)


def write_rank(bench, rank, host, moments, ring=0, name='step', world=8):
    recording = synthetic.Recording(end=10**12)
    process = recording.process(pid=rank + 1, host=host, ring=ring)
    process.rank(rank, world=world)
    main = process.thread(rank + 1)
    main.ring = bool(ring)
    for start, end in moments:
        main.push(start, name)
        main.pop(end)
    return recording.write(bench.here(f'{name}{rank}.nvtxh'))


def case_ranks_error(bench):
    """The error of a rank's times is that of its host plus the largest of the others: 95 % of the ends are within it, in any order."""
    def ends(most):  # 20 of 100 are off, at first by `most` and then less and less
        return [(k * STEP + STEP // 2 + k % 7 * 100_000, (k + 1) * STEP + max(20 - k, 0) * most // 20 * (-1) ** k) for k in range(100)]
    paths = [write_rank(bench, rank, f'node{rank}', ends(most)) for rank, most in enumerate((0, 20000, 4000))]
    rows = {row['Rank']: float(row['Error (ns)'])
            for row in bench.table('ranks', '--by', 'rank', '--align', 'step', '--csv', *paths)}
    for rank, wanted in (('0', 15050), ('1', 15050 + 3010), ('2', 15050 + 3010)):
        require(abs(rows[rank] - wanted) < 5, rank, rows)


def case_ranks_totals(bench):
    """An outlier is 5 % above the median, and further from it than ranks are; a ring's first instance is not the first."""
    def totals(*durations):
        paths = [write_rank(bench, rank, 'node', [(0, each)]) for rank, each in enumerate(durations)]
        return rows_of(bench, *paths)['step']['Outliers']
    equal(totals(100000, 100001, 100002, 100003, 100004, 100005, 100006, 101000), '0', 'by 1 %')
    equal(totals(100000, 110000, 120000, 130000, 140000, 150000, 160000, 170000), '0', 'all differ')
    equal(totals(100000, 100001, 100002, 100003, 100004, 100005, 100006, 110000), '1', 'by 10 %')
    # The figures of totals, of ranks in any order, and of an even number of ranks.
    for durations, wanted in ((50, 20, 90, 30, 40), ('5', '1.0', '40.0', '20', '90', '20.0', '125.00', '2')), ((30, 20, 10, 60), ('4', '1.0', '25.0', '10', '60', '20.0', '140.00', '3')):
        paths = [write_rank(bench, rank, 'node', [(0, each)], name='figures') for rank, each in enumerate(durations)]
        row = rows_of(bench, *paths)['figures']
        equal(tuple(row[column] for column in ('Ranks', 'Instances', 'Total Med (ns)', 'Total Min (ns)', 'Total Max (ns)', 'Spread (ns)', 'Imbalance (%)', 'Slowest')),
              wanted, durations)
    # Ranks 0 to 6 come at one time, rank 7 later; its ring has lost the first 10.
    moments = [(k * STEP + k % 7 * 100_000, k * STEP + STEP // 2) for k in range(100)]
    paths = [write_rank(bench, rank, 'node', moments, name='ring') for rank in range(7)]
    paths.append(write_rank(bench, 7, 'node', [(s + 1000, e) for s, e in moments[10:]], ring=1 << 20, name='ring'))
    row = next(row for row in bench.table('ranks', '--by', 'rank', '--align', 'ring', '--csv', *paths) if row['Rank'] == '7')
    require(row['Late (ns)'] == '', row)
    # No message and an empty one are the same.
    nameless = []
    for rank in range(2):
        recording = synthetic.Recording(end=10**6)
        process = recording.process(pid=rank + 1)
        process.rank(rank, world=2)
        thread = process.thread(rank + 1)
        for at, text in (1000, None), (2000, ''):
            thread.push(at, text)
            thread.pop(at + 100)
        nameless.append(recording.write(bench.here(f'nameless{rank}.nvtxh')))
    equal([row['Instances'] for row in bench.table('ranks', '--csv', *nameless)], ['2.0'], 'no message')
    # So its instances do not count, even if the ring has more of them than others have.
    paths = [write_rank(bench, rank, 'node', moments[10 if rank == 7 else 0:100 if rank == 7 else 60], ring=(rank == 7) << 20, name='rings') for rank in range(8)]
    equal({row['Of'] for row in bench.table('ranks', '--by', 'rank', '--align', 'rings', '--csv', *paths)}, {'60'}, 'instances')
    # More instances than are kept: ranks with fewer instances are compared by the numbers of those that they have.
    moments = [(k * STEP + k % 7 * 100_000, k * STEP + STEP // 2) for k in range(1000)]
    paths = [write_rank(bench, rank, 'node', [(s + 1000 * rank, e) for s, e in moments[:1000 if rank else 300]], name='many', world=4)
             for rank in range(4)]
    ranks = {row['Rank']: row for row in bench.table('ranks', '--by', 'rank', '--align', 'many', '--csv', *paths)}
    equal([float(ranks[str(rank)]['Late (ns)']) for rank in (1, 2, 3)], [-1000.0, 0.0, 1000.0], 'late')


def case_ranks_thinned(bench):
    """Of a rank with many ranges fewer instances are kept of each: who came last is counted of all that are kept."""
    source = random.Random(3)
    starts = [[k * STEP + source.randrange(STEP // 10, STEP // 2) for k in range(201)] for _ in range(3)]
    paths = []
    for rank, begins in enumerate(starts):
        recording = synthetic.Recording(end=10**12)
        process = recording.process(pid=rank + 1, host='node')
        process.rank(rank, world=3)
        main = process.thread(rank + 1)
        for i in range(39):
            main.ranges(f'other {i}', [5], at=1000 + 10 * i)
        for k, start in enumerate(begins):
            main.push(start, 'barrier')
            main.pop((k + 1) * STEP - 1)
        paths.append(recording.write(bench.here(f'thinned{rank}.nvtxh')))
    found = {int(row['Rank']): (int(row['Last']), int(row['Of'])) for row in bench.table('ranks', '--by', 'rank', '--align', 'barrier', '--csv', *paths)}
    lasts = [max(range(3), key=lambda rank: starts[rank][k]) for k in range(0, 201, 2)]
    equal(found, {rank: (lasts.count(rank), len(lasts)) for rank in range(3)}, 'who came last')


def draw_durations(source, kind, count):
    """Noise as programs have it, in ns, with a median near 1 ms."""
    return [int(1e6 * {'normal': lambda: max(source.gauss(1, .2), .01), 'exponential': lambda: source.expovariate(.7),
                       'lognormal': lambda: source.lognormvariate(0, .7), 'pareto': lambda: source.paretovariate(1.1)}[kind]()) for _ in range(count)]


def write_durations(bench, durations, folder):
    os.mkdir(bench.here(folder))
    for rank, each in enumerate(durations):
        recording = synthetic.Recording(end=10**13)
        process = recording.process(pid=rank + 1)
        process.rank(rank, world=len(durations))
        process.thread(rank + 1).ranges('step', each)
        recording.write(os.path.join(bench.here(folder), f'{rank}.nvtxh'))
    done = bench.run('ranks', '--csv', bench.here(folder))
    row, = driver.table(done.stdout)
    medians = [statistics.median(each[::2] if len(each) > 256 else each) for each in durations]
    typical = statistics.median(medians)
    equal((row['Median (ns)'], row['Median Imbalance (%)']), (f'{typical:.1f}', f'{100 * (max(medians) / typical - 1):.2f}'), folder)
    return row, done.stderr, medians


def case_ranks_straggler(bench):
    """Among 500 ranks whose durations are noise, the one that is 1.75 times slower is named, and no other, also where totals hide it."""
    for seed, kind in enumerate(('normal', 'lognormal', 'pareto')):
        source = random.Random(seed)
        durations = [draw_durations(source, kind, 150) for _ in range(500)]
        slow = source.randrange(500)
        durations[slow] = [int(1.75 * each) for each in durations[slow]]
        row, said, medians = write_durations(bench, durations, kind)
        equal((row['Straggler'], row['Stragglers']), (str(slow), '1'), kind)
        percent = 100 * (medians[slow] / statistics.median(medians) - 1)
        require(f'step: rank {slow} is a straggler: its median instance takes {percent:.1f} % longer' in said, said)
        require(kind != 'pareto' or row['Slowest'] != str(slow), row)  # a few very long instances
    # Several: the worst is named. A rank of which little is known is none.
    source = random.Random(9)
    durations = [draw_durations(source, 'normal', 40) for _ in range(30)]
    durations[4], durations[20], durations[25] = ([int(f * each) for each in durations[rank]][:most] for f, rank, most in ((2, 4, 40), (3, 20, 40), (9, 25, 15)))
    row, said, _ = write_durations(bench, durations, 'several')
    equal((row['Straggler'], row['Stragglers']), ('20', '2'), 'several')
    require('rank 20 is the worst straggler' in said, said)
    # Of a ring, the numbers of the instances are not known, but their durations are.
    paths = [write_rank(bench, rank, 'node', [(k * STEP, k * STEP + 1000 + k + (2000 if rank == 3 else rank)) for k in range(30)], ring=1 << 20, name='ring') for rank in range(6)]
    equal(rows_of(bench, *paths)['ring']['Straggler'], '3', 'rings')


def case_ranks_null(bench):
    """No rank is named where all draw from one distribution, or where all differ as much as one does."""
    for seed in range(36):
        source = random.Random(seed)
        kind, ranks, count = ('normal', 'exponential', 'lognormal', 'pareto')[seed % 4], (3, 8, 50)[seed % 3], source.choice((5, 17, 40, 300))
        even = [1] * ranks if seed % 3 < 2 or seed % 2 else [source.uniform(.7, 1.3) for _ in range(ranks)]
        row, said, _ = write_durations(bench, [[int(f * d) for d in draw_durations(source, kind, count)] for f in even], f'run{seed}')
        require(row['Stragglers'] == '0' and 'straggler' not in said and 'starts late' not in said, seed, said, row)


def write_starts(bench, begins, hosts, folder, shared=True, rings=()):
    """Ranks with bent clocks that begin when `begins` says, and after 2 s have barriers, which they share or not. RINGS: ranks that keep their last events."""
    source = random.Random(folder)
    os.mkdir(bench.here(folder))
    clocks = [(source.uniform(-5e8, 5e8), source.uniform(-50e-6, 50e-6)) if host else (0, 0) for host in range(hosts)]
    for rank, begin in enumerate(begins):
        ahead, drift = clocks[rank * hosts // len(begins)]
        recording = synthetic.Recording(realtime=synthetic.REALTIME + int(ahead) + 10**9, end=10**10)
        process = recording.process(pid=rank + 1, host=f'node{rank * hosts // len(begins)}', ring=(rank in rings) << 20)
        process.rank(rank, world=len(begins))
        main = process.thread(rank + 1)
        main.ring = rank in rings
        if rank % 2:  # the first event may be a mark
            main.mark(int(begin * (1 + drift)), 'hello')
        main.push(int((begin + 1e6 * (rank % 2)) * (1 + drift)), 'setup')
        main.pop(int(1.9e9 * (1 + drift)))
        for k in range(40):
            at = 2e9 + k * STEP
            main.push(int((at + source.gauss(5e6, 5e5)) * (1 + drift)), 'barrier' if shared else f'barrier {rank}')
            main.pop(int((at + STEP - 1e5 + source.uniform(0, 1000)) * (1 + drift)))
        recording.write(os.path.join(bench.here(folder), f'{rank}.nvtxh'))
    done = bench.run('ranks', '--by', 'rank', '--csv', bench.here(folder))
    named = {int(rank): time for rank, time in re.findall(r'rank (\d+) starts late: its first event is (.*) after that of the median rank', done.stderr)}
    return {int(row['Rank']): row['Begins (ns)'] for row in driver.table(done.stdout)}, named, done.stderr


def case_ranks_late_starters(bench):
    """A rank that begins much later than the others is named, with its time on the common clock; nobody is where that is chance, or clocks cannot be compared."""
    source = random.Random(5)
    begins = [source.uniform(1e6, 11e6) for _ in range(60)]
    begins[17] += 812e6
    begins[44] += 150e6
    after, named, _ = write_starts(bench, begins, 4, 'rings', rings=(3, 17))  # nobody knows when these began
    equal((sorted(named), after[3], after[17], '' in {after[rank] for rank in range(60) if rank not in (3, 17)}), ([44], '', '', False), 'rings')
    after, named, _ = write_starts(bench, begins, 4, 'late')
    for rank, begin in enumerate(begins):
        require(abs(float(after[rank]) - (begin - statistics.median(begins))) < 5000, rank, after[rank], begin)
    equal((sorted(named), named[17]), ([17, 44], f'{(begins[17] - statistics.median(begins)) / 1e6:.0f} ms'), 'late')
    after, named, said = write_starts(bench, begins, 4, 'apart', shared=False)
    equal((set(after.values()), named), ({''}, {}), said)
    _, named, said = write_starts(bench, [begin + (500e6 if 20 <= rank < 28 else 0) for rank, begin in enumerate(begins)], 1, 'many')
    require(len(named) == 6, 'at most six findings', said)
    for seed in range(30):
        draw = (lambda: source.uniform(0, 4e8), lambda: max(source.gauss(3e8, 5e7), 0), lambda: min(source.expovariate(1e-7), 1.8e9))[seed % 3]
        begins = [draw() for _ in range((4, 8, 40)[seed // 3 % 3])]
        equal(write_starts(bench, begins, 1 + seed % 2, f'null{seed}')[1], {}, f'null run {seed}')


def case_ranks_unaligned(bench):
    """If ranks of two hosts share fewer than three moments, that is reported, and no rank is reported as the last."""
    job = Job(bench, 4, 2, steps=2)
    done = bench.run('ranks', '--csv', *job.paths)
    require('do not show which rank comes last' in done.stderr, done.stderr)
    rows = driver.table(done.stdout)
    require(len(rows) == 2 and not any(row['Last'] or row['Late (ns)'] for row in rows), rows)
    require(all(float(row['Total Med (ns)']) > 0 for row in rows), rows)
    # Ends that are no closer together than the starts are no barrier.
    recs = []
    source = random.Random(3)
    for rank in range(4):
        recording = synthetic.Recording(end=10**10)
        process = recording.process(pid=rank + 1, host=f'host{rank}')
        process.rank(rank, world=4)
        process.thread(rank + 1).ranges('alone', [int(source.gauss(1e6, 1e5)) for _ in range(50)])
        recs.append(recording.write(bench.here(f'alone{rank}.nvtxh')))
    require('do not show which rank comes last' in bench.run('ranks', *recs).stderr, 'no barrier')
    require("no range is named 'alon'; did you mean 'alone'?" in bench.run('ranks', '--align', 'alon', *recs, status=1).stderr, 'no such range')


def quantile(values, q):
    values, place = sorted(values), q * (len(values) - 1)
    low = values[int(place)]
    return low + (place - int(place)) * (values[min(int(place) + 1, len(values) - 1)] - low)


def drawn_map(late, count, width):
    """The lines of the map for people: of each rank, or of the latest of neighbouring ranks, and each column of instances the median, darker if it is later."""
    lines, columns = min(len(late), 24), min(width - 17, 240, count)
    values = []
    for line in range(lines):
        ranks = late[line * len(late) // lines:(line + 1) * len(late) // lines]
        row = []
        for column in range(columns):
            among = [[x for x in one[column * count // columns:(column + 1) * count // columns] if x is not None] for one in ranks]
            row.append(max((statistics.median(one) for one in among if one), default=None))
        values.append(row)
    positive = [value for row in values for value in row if value is not None and value > 0]
    most = quantile(positive, .95) if positive else 0
    return [''.join('?' if value is None else ' .:+#'[int(min(value / most, 1) * 4 + .5) if value > 0 else 0] for value in row) for row in values]


def case_ranks_drawn(bench):
    """Who came last and how often, how late, and the map of all ranks over time, of drawn starts; ranks lack the last instances."""
    for seed in range(10):
        source = random.Random(seed)
        ranks, count, width = (3, 8, 24, 31, 60)[seed % 5], source.choice([4, 30, 63, 100, 201]), source.choice([60, 80, 200])
        has = [count] + [source.choice([count, count, count, source.randrange(1, count + 1)]) for _ in range(ranks - 1)]
        if seed >= 5:  # just three quarters of the ranks have all instances, or one rank less has them
            all_ = -(-3 * ranks // 4) - seed % 2
            has[1:] = source.sample([count] * (all_ - 1) + [source.randrange(1, count) for _ in range(ranks - all_)], ranks - 1)
        bias = [source.choice([0, 0, 2 * 10**6]) for _ in range(ranks)]
        starts = [[k * STEP + bias[rank] + source.randrange(10**6) for k in range(has[rank])] for rank in range(ranks)]
        paths = []
        for rank, mine in enumerate(starts):
            recording = synthetic.Recording(end=10**12)
            process = recording.process(pid=rank + 1, host='node')
            process.rank(rank, world=ranks)
            thread = process.thread(rank + 1)
            for k, start in enumerate(mine):
                thread.push(start, 'barrier')
                thread.pop(k * STEP + STEP // 2)
            for k in range(2):  # so few are not compared
                thread.push(count * STEP + k * STEP + 1000 * rank, 'twice')
                thread.pop(count * STEP + k * STEP + STEP // 2)
            paths.append(recording.write(bench.here(f'drawn{rank}.nvtxh')))
        late = [[None] * count for _ in range(ranks)]
        lasts = [0] * ranks
        for k in range(count):
            there = [rank for rank in range(ranks) if k < has[rank]]
            for rank in there:
                late[rank][k] = starts[rank][k] - statistics.median(starts[other][k] for other in there)
            lasts[max(there, key=lambda rank: starts[rank][k])] += len(there) > 1
        of_ranks = [statistics.median(x for x in one if x is not None) for one in late]
        rows, what = rows_of(bench, '--align', 'barrier', *paths), f'seed {seed}'
        worst = lasts.index(max(lasts))
        row = rows['barrier']
        equal((row['Last'], row['Last (%)'], row['Late (ns)'], rows['twice']['Last']), (str(worst), f'{100 * lasts[worst] / count:.1f}', f'{of_ranks[worst]:.1f}', ''), what)
        got = {int(row['Rank']): (int(row['Last']), int(row['Of']), float(row['Late (ns)'])) for row in bench.table('ranks', '--csv', '--by', 'rank', '--align', 'barrier', *paths)}
        equal(got, {rank: (lasts[rank], count, float(f'{of_ranks[rank]:.1f}')) for rank in range(ranks)}, f'{what}: by rank')
        found = 'no range was found' not in bench.run('ranks', '--csv', *paths).stderr
        equal(found, 4 * has.count(max(has)) >= 3 * ranks, f'{what}: three quarters of the ranks have the same number')
        out = bench.run('ranks', '--align', 'barrier', *paths, env={**os.environ, 'LC_ALL': 'C', 'COLUMNS': str(width)}).stdout
        tables, _, shown = out.partition('How late ranks come to barrier')
        equal([line[17:] for line in shown.splitlines()[1:]], drawn_map(late, count, width), f'{what}: the map')
        equal(len(re.findall('^ *\\d+  node  ', tables, re.M)), ranks if ranks < 7 else 5, f'{what}: ranks below the ranges')


def case_ranks_barriers(bench):
    """Ranks wait for each other at a range whose instances end at most half as far apart as they begin, the median of at least three: who is last is known of
    those, and clocks align by one of them."""
    for seed in range(20):
        source, chosen = random.Random(seed), {}
        ranks = source.choice([2, 5])
        threads = []
        for rank in range(ranks):
            recording = synthetic.Recording(end=10**12)
            process = recording.process(pid=rank + 1, host='node')
            process.rank(rank, world=ranks)
            threads.append((recording, process.thread(rank + 1)))
        at = 10**6
        for number in range(source.choice([1, 2, 6])):
            count, apart, begins, ends = source.choice([2, 3, 3, 4, 5]), 2 * source.randrange(1, 5000), [], []
            for _ in range(count):
                middle = source.choice([apart, apart, apart, 3 * apart, 2])  # how far apart it begins
                begin = [0, middle, *(source.randrange(middle + 1) for _ in range(ranks - 2))]
                end = [0, max(0, middle // 2 + source.choice([-1, 0, 0, 1])), *[0] * (ranks - 2)]
                source.shuffle(begin)
                source.shuffle(end)
                for (_, thread), one, other in zip(threads, begin, end):
                    thread.push(at + one, f'r{number}')
                    thread.pop(at + 10**6 + other)
                begins.append(max(begin) - min(begin))
                ends.append(max(end) - min(end))
                at += 2 * 10**6
            chosen[f'r{number}'] = count >= 3 and 2 * statistics.median(ends) <= statistics.median(begins)
        paths = [recording.write(bench.here(f'barriers{rank}.nvtxh')) for rank, (recording, _) in enumerate(threads)]
        done = bench.run('ranks', '--csv', *paths)
        equal({row['Range']: row['Last'] != '' for row in driver.table(done.stdout)}, chosen, f'seed {seed}: who is last is known')
        equal('no range was found' in done.stderr, not any(chosen.values()), f'seed {seed}: clocks')


def case_ranks_said(bench):
    """The ranks that are missing, the number of ends that clocks were aligned by, and hosts that have too few of them."""
    for seed in range(120):
        source = random.Random(seed)
        hosts, world = source.choice([2, 3, 5]), source.choice([5, 24, 40])
        ranks = sorted(source.sample(range(world), source.choice([hosts, 5, min(world, 7), min(world, 8)])))
        of_host = [source.randrange(hosts) for _ in ranks]
        many = {host: source.choice([2, 3, 4, 50, 100]) for host in range(hosts)}
        worlds = [source.choice([world, world, ranks[-1] + 1, 0xffffffff]) for _ in ranks]
        paths = [write_rank(bench, rank, f'node{host}', [(k * STEP + source.randrange(STEP // 2), (k + 1) * STEP + source.randrange(1000)) for k in range(many[host])], world=own)
                 for rank, host, own in zip(ranks, of_host, worlds)]
        world = max((own for own in worlds if own < 0xffffffff), default=0)
        done = bench.run('ranks', '--csv', '--align', 'step', *source.sample(paths, len(paths)))
        missing = [str(rank) for rank in range(world) if rank not in ranks]
        said = re.findall(r'ranks? ([\d, ]+)(, \.\.\.)? of (\d+) (?:is|are) missing', done.stderr)
        equal(said, [(', '.join(missing[:16]), ', ...' if len(missing) > 16 else '', str(world))] * bool(missing), f'seed {seed}: missing')
        others = {host: min(many[host], many[of_host[0]]) for host in set(of_host) - {of_host[0]}}
        shared = [count for count in others.values() if count >= 3]
        said = re.findall(r'(\d+) clocks were aligned by (\d+) ends of step', done.stderr)
        equal(said, [(str(len(others) + 1), str(min(shared)))] if shared else [], f'seed {seed}: {many} {of_host}')
        said = re.findall(r'(\d+) hosts? ha(?:s|ve) too few of these ends', done.stderr)
        few = len(others) - len(shared)
        equal(said, [str(few)] if few and shared else [], f'seed {seed}: too few, {many} {of_host}')
        if shared:  # of a rank on a host with too few nothing is said that needs its clock
            for row in bench.table('ranks', '--by', 'rank', '--csv', '--align', 'step', *paths):
                known = int(row['Host'][4:]) == of_host[0] or others[int(row['Host'][4:])] >= 3
                equal([row[name] != '' for name in ('Last', 'Of', 'Late (ns)', 'Error (ns)', 'Clock Ahead (ns)')], [known] * 5, f'seed {seed}: {row}')


def case_ranks_bad(bench):
    """Two recordings of one rank, a missing or damaged one, one without a rank: each is reported, and the others are compared."""
    job = Job(bench, 6, 2, straggler=1, size=8)
    # Cut within its last chunk; the same rank again; no recording at all; one without a rank.
    os.truncate(job.paths[3], os.path.getsize(job.paths[3]) - 9000)
    twice = shutil.copy(job.paths[2], bench.here('twice.nvtxh'))
    nothing, bare = bench.here('nothing.nvtxh'), bench.here('bare.nvtxh')
    with open(nothing, 'w', encoding='ascii') as f:
        f.write('no recording')
    recording = synthetic.Recording()
    recording.process(pid=77).thread(77).ranges('step', [1000])
    recording.write(bare)
    done = bench.run('ranks', '--csv', *job.paths, twice, nothing, bare, bench.here('gone.nvtxh'))
    said = done.stderr
    for what in (f'{job.paths[3]}: damaged', f'{twice}: rank 2 is left out', f'{nothing}: not a recording', f'{bare}: process 77 has no rank',
                 'gone.nvtxh: No such file', 'ranks 6, 7 of 8 are missing'):
        require(what in said or (what.endswith('damaged') and job.paths[3] in said), what, said)
    require('ranks 1, 3, 6, 7 of 8 are missing' in bench.run('ranks', job.paths[0], job.paths[2], *job.paths[4:]).stderr, 'ranks between others')
    rows = {row['Range']: row for row in driver.table(done.stdout)}
    equal((rows['step']['Ranks'], rows['step']['Slowest'], rows['mpi:barrier']['Last']), ('6', '1', '1'), 'the rest')
    require('no rank' in bench.run('ranks', bare, status=1).stderr, 'no rank at all')
    os.mkdir(bench.here('empty'))
    require('no *.nvtxh' in bench.run('ranks', bench.here('empty'), status=1).stderr, 'an empty directory')
    bench.run('ranks', status=2)


def limited():
    resource.setrlimit(resource.RLIMIT_NOFILE, (256, 256))


def case_ranks_merge(bench):
    """A thousand recordings are merged, compared and exported with 256 descriptors."""
    paths = []
    for rank in range(1000):
        recording = synthetic.Recording(end=10**6)
        process = recording.process(pid=rank + 1, host=f'n{rank // 8}')
        process.rank(rank, world=1000)
        process.thread(rank + 1).ranges('step', [1000 + rank] * 3)
        paths.append(recording.write(bench.here(f'r{rank}.nvtxh')))
    merged = bench.here('merged.rec')
    bench.run('merge', '-o', merged, *paths, preexec_fn=limited)
    row, = bench.table('stats', '--csv', merged)
    equal((row['Instances'], row['Max (ns)']), ('3000', '1999'), 'all of them')
    row, = bench.table('ranks', '--csv', bench.directory, preexec_fn=limited)
    equal((row['Ranks'], row['Slowest'], row['Total Max (ns)']), ('1000', '999', str(3 * 1999)), 'ranks')


def case_ranks_names(bench):
    """Of more names than are compared, the instances of the others are counted."""
    recording = synthetic.Recording(end=10**9)
    process = recording.process()
    process.rank(0, world=1)
    thread, at = process.thread(100), 0
    for name in [f'name {n}' for n in range(10001)] + ['name 10000'] * 2:
        at = thread.ranges(name, [10], at=at)
    said = bench.run('ranks', '--csv', recording.write(bench.here('names.nvtxh'))).stderr
    require('3 instances of ranges are left out: there are more than 10000 different names of ranges' in said, said)


def case_ranks_memory(bench):
    """Memory grows with ranks and names, not with ranges: ten times the ranges take no more."""
    used = []
    for steps in (600, 6000):
        os.mkdir(bench.here(str(steps)))
        job = Job(bench, 4, 2, steps=steps, folder=str(steps))
        done = bench.run('-f', '%M', bench.nvtxh, 'ranks', '--csv', *job.paths, command='/usr/bin/time', status=None) \
            if os.path.exists('/usr/bin/time') else None
        if done:
            used.append(int(done.stderr.split()[-1]))
        equal(rows_of(bench, *job.paths)['step']['Instances'], f'{steps}.0', 'instances')
        row = next(row for row in bench.table('ranks', '--by', 'rank', '--csv', *job.paths) if row['Host'] == 'node1')
        require(abs(float(row['Clock Ahead (ns)']) - job.clocks[1][0]) < float(row['Error (ns)']) < 8000, row, job.clocks)
    require(not used or used[1] < used[0] + 3000, used)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
