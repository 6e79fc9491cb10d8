#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`nvtxh top`, on recordings under way and ended ones."""
import contextlib
import csv
import math
import os
import random
import re
import signal
import subprocess
import time

from harness import driver
from harness.checks import equal, need, optional, require, skip
from harness.screens import Tmux, on_terminal
import synthetic


def rows(bench, *arguments):
    return {row['Range']: row for row in bench.table('top', '--once', '--csv', *arguments)}


def ended(path):
    """A recording whose last event is at 2.5 s, so that the window begins at 1.5 s."""
    second = 10**9
    recording = synthetic.Recording(end=3 * second)
    process = recording.process()
    process.domain(1, 'lib')
    main, other = process.thread(100), process.thread(200)
    main.push(0, 'outer')
    main.push(second, 'long', domain=1)      # half a second of it in the window
    for i in range(10):
        main.push(second // 2 + i * 100, 'old')
        main.pop(second // 2 + i * 100 + 50)
    main.records.sort(key=lambda record: record[0])
    main.pop(2 * second, domain=1)
    main.pop(2 * second + 10, domain=1)      # a pop without a push
    for i in range(4):
        main.push(2 * second + 1000 * i + 100, 'short')
        main.pop(2 * second + 1000 * i + 100 + 10 * (i + 1))
    main.mark(2 * second + 9000, 'mark')
    other.start(second, 7, 'process range')
    main.end(2 * second, 7)
    other.push(5 * second // 2 - 1, 'last')
    return recording.write(path)


def case_top_many(bench):
    """Process ranges may end in any order. Ranges that were open where a ring was overwritten are not open any more."""
    recording = synthetic.Recording(end=10**7)
    thread = recording.process().thread(100)
    numbers = list(range(1, 3001))
    for at, number in enumerate(numbers):
        thread.start(1000 + at, number << 32 | number * 7, 'many')
    random.Random(5).shuffle(numbers)
    for at, number in enumerate(numbers):
        thread.end(10**6 + at, number << 32 | number * 7)
    row = rows(bench, recording.write(bench.here('many.nvtxh')))['many']
    equal((row['Instances'], row['Open']), ('3000', '0'), 'process ranges')
    recording = synthetic.Recording(end=10**7)
    thread = recording.process(ring=1 << 20).thread(100)
    thread.ring = True
    thread.push(1000, 'before')
    thread.jump(5)
    thread.push(2000, 'after')
    got = rows(bench, recording.write(bench.here('gap.nvtxh')))
    equal((got['before']['Open'], got['after']['Open']), ('0', '1'), 'a ring')
    for begins in (1000, 3000, 2000), (3000, 1000, 2000):  # the oldest of those that are open is in any place
        recording = synthetic.Recording(end=10**7)
        process = recording.process()
        for number, at in enumerate(begins):
            process.thread(100 + number).push(at, 'open')
        process.thread(200).mark(4999, 'mark')
        row = rows(bench, recording.write(bench.here('open.nvtxh')))['open']
        equal((row['Open'], row['Open For (ns)']), ('3', '4000'), begins)


def case_top(bench):
    """--once of a recording that has ended, and its options."""
    path = ended(bench.here('n.nvtxh'))
    got = rows(bench, path)
    equal(got['old']['Past'].split()[-3:], ['0', '10', '0'], 'the past')
    equal([row['Range'] for row in bench.table('top', '--once', '--csv', '--sort', 'rate', path)][0], 'short', '--sort')
    equal(set(rows(bench, '--name', '^lib:|o.t', path)), {'lib:long', 'outer', 'short'}, '--name')
    nest = [(row['Thread'], row['Depth'], row['Range'], row['Open For (ns)'])
            for row in bench.table('top', '--once', '--nest', '--csv', path)]
    equal(nest, [('100', '0', 'outer', '2500000000'), ('200', '0', 'last', '1')], '--nest')
    nest = bench.table('top', '--once', '--nest', '--name', '^la', '--csv', path)
    equal([(row['Thread'], row['Range']) for row in nest], [('200', 'last')], '--nest --name')
    shown = bench.run('top', '--once', '--nest', '--name', '^la', path).stdout
    require(re.search(r'^200\n  last +1 ns$', shown, re.MULTILINE) and 'outer' not in shown, shown)
    # An ended recording is shown once in any case; people get a line above.
    shown = bench.run('top', path).stdout
    equal(shown, bench.run('top', '--once', path).stdout, 'without --once')
    require(re.match(r'ended after 2\.50 s, 2 of 2 threads busy, 7 ranges and marks a second, 0 dropped\n', shown), shown)
    require('outer' in shown and 'lib:long' in shown, shown)
    # A terminal is cleared for the next look, but not for a single one.
    for options, command in (['--once'], bench.nvtxh), (['--once'], os.path.join(bench.programs, 'nvtxh-without')), ([], os.path.join(bench.programs, 'nvtxh-without')):
        with optional():
            said = on_terminal(command, 'top', *options, path, columns=100)
            equal((said.count('\033[H\033[2J'), said.count('lib:long')), (not options, 1), (options, command))
    for bad in ['--name', '('], ['--sort', 'nothing'], ['--interval', '0'], ['--nest', '--columns', 'now']:
        bench.run('top', *bad, path, status=2)
    require('not a recording' in bench.run('top', '--once', __file__, status=1).stderr, 'no recording')


def drawn(chance, path):
    """Writes a recording with ranges, marks and samples of three threads at random times. Returns (name, thread, start, end) of each range,
    (name, thread, at) of each mark, (name, thread, at, value) of each sample. The thread of a process range is None, the end of an open range too."""
    recording = synthetic.Recording(end=9 * 10**9)
    process = recording.process()
    process.domain(1, 'lib')
    threads = [process.thread(tid) for tid in (100, 200, 300)]
    ranges, marks, samples, started, open_ = [], [], [], {}, {thread: [] for thread in threads}
    for at in sorted(chance.sample(range(1, chance.randrange(15, 60) * 10**8), 400)):
        thread = chance.choices(threads, [6, 3, at < 10**9])[0]
        what = chance.choice(['push', 'push', 'push', 'pop', 'pop', 'pop', 'mark', 'sample', 'start', 'end'])
        if what == 'push' and len(open_[thread]) < 6:
            name, domain = chance.choice('abc'), chance.randrange(2)
            thread.push(at, name, domain=domain)
            open_[thread].append((domain * 'lib:' + name, domain, at))
        elif what == 'pop' and open_[thread]:
            name, domain, start = open_[thread].pop()
            thread.pop(at, domain=domain)
            ranges.append((name, thread, start, at))
        elif what == 'mark':
            thread.mark(at, name := chance.choice(['m', 'n']))
            marks.append((name, thread, at))
        elif what == 'sample':
            number, value = chance.randrange(1, 4), chance.randrange(1000)
            thread.add(at, synthetic.COUNT, [number, value], flags=2 << 5)
            samples.append((f'counter {number}', thread, at, value))
        elif what == 'start':
            thread.start(at, len(started) + 7, name := chance.choice('pq'))
            started[len(started) + 7] = name, at, thread
        elif what == 'end' and any(started.values()):
            number = chance.choice([number for number, one in started.items() if one])
            thread.end(at, number)
            ranges.append((started[number][0], None, started[number][1], at))
            started[number] = None
    for thread, stack in open_.items():  # of two open pushes of one name, the outer one counts as one whose pop was forgotten
        while len({name for name, *_ in stack}) < len(stack):
            name, domain, start = stack.pop()
            thread.pop(at := at + 1, domain=domain)
            ranges.append((name, thread, start, at))
    ranges += [(name, thread, start, None) for thread, stack in open_.items() for name, _, start in stack]
    ranges += [(one[0], None, one[1], None) for one in started.values() if one]
    recording.write(path)
    return ranges, marks, samples


def covered(parts):
    """How long at least one of them is."""
    total, until = 0, 0
    for start, end in sorted(parts):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def case_top_drawn(bench):
    """Each figure of random recordings, and of the line above them, is what counting the events gives."""
    for seed in range(8):
        path, interval = bench.here(f'drawn-{seed}.nvtxh'), (1, .5, 2.25, 100)[seed % 4]
        ranges, marks, samples = drawn(random.Random(seed), path)
        times = [(thread, at) for _, thread, *more in ranges + marks for at in more if at] + [(thread, at) for _, thread, at, _ in samples]
        now = max(at for _, at in times) + 1
        since = max(0, now - int(interval * 10**9))  # the window begins there
        got = rows(bench, '-i', str(interval), path)
        equal(set(got), {one[0] for one in ranges + marks + samples}, f'seed {seed}: names')
        for name, row in got.items():
            mine = [(thread, start, end or now) for other, thread, start, end in ranges if other == name]
            ended_ = [(start, end) for other, _, start, end in ranges if other == name and end]
            late = sorted(end - start for start, end in ended_ if end >= since)
            left = [now - start for other, _, start, end in ranges if other == name and not end]
            instants = [at for other, _, at in marks if other == name] + [at for other, _, at, _ in samples if other == name]
            values = [value for other, _, _, value in samples if other == name]
            wanted = {'Instances': len(ended_) + len(instants), 'Per Second': (len(late) + sum(at >= since for at in instants)) * 1e9 / (now - since)}
            if mine:
                total, window = (sum(covered([(max(start, low), end) for of, start, end in mine if of is thread and end > low]) if thread else
                                     sum(end - max(start, low) for of, start, end in mine if not of and end > low)
                                     for thread in {of for of, _, _ in mine}) for low in (0, since))
                wanted.update({'Now (%)': 100 * window / (now - since), 'Since (%)': 100 * total / now, 'Open': len(left), 'Open For (ns)': max(left, default=''),
                               'Avg (ns)': sum(late) / len(late) if late else ''})
                place = 0.99 * (len(late) - 1)
                wanted['P99 (ns)'] = late[int(place)] + (place % 1) * (late[min(int(place) + 1, len(late) - 1)] - late[int(place)]) if late else ''
            wanted['Value'] = values[-1] if values else ''
            for column, value in wanted.items():
                require(row[column] == '' if value == '' else row[column] and abs(float(row[column]) - value) <= 0.051, seed, name, column, row[column], value)
        head = re.match(r'ended after (\S+) s, (\d) of (\d) threads busy, (\d+) ranges and marks a second, 0 dropped\n', bench.run('top', '-i', str(interval), path).stdout)
        second = round((sum(end is not None and end >= since for _, _, _, end in ranges) + sum(at >= since for _, _, at in marks)) * 1e9 / (now - since))
        busy = {thread for thread, at in times if thread and at >= since} | {thread for _, thread, _, end in ranges if thread and not end}
        equal(head and (int(head[2]), int(head[4])), (len(busy), second), f'seed {seed}: threads that are busy, ranges and marks a second')


def case_top_past(bench):
    """How often a range ended in each window, as numbers and as bars, and the last value of a counter, however long ago."""
    chance, second = random.Random(5), 10**9
    recording = synthetic.Recording(end=40 * second)
    process = recording.process()
    thread, other = process.thread(100), process.thread(200)
    ends, values = {}, {}
    for number, at in enumerate(sorted(chance.sample(range(1, 30 * second), 200))):
        name = f'r{chance.randrange(5)}'
        thread.push(at - 1, name)
        thread.pop(at)
        ends.setdefault(name, []).append(at)
        values[f'counter {number + 1}'] = number + 7
        thread.add(at, synthetic.COUNT, [number + 1, number + 7], flags=2 << 5)
    thread.mark(30 * second, 'last')
    ends['burst'] = sorted(second * k + 5000 + i for k in range(16, 30) for i in range(chance.choice((0, 1, 2, 8, 9, 70))))
    for at in ends['burst']:
        other.mark(at, 'burst')
    first = 29 * second + 1  # of the window, which ends just after the last event
    path = recording.write(bench.here('past.nvtxh'))
    got = rows(bench, path)
    for name, times in ends.items():
        past = [int(number) for number in got[name]['Past'].split()]
        ago = [-((at - first) // second) if at < first else 0 for at in times]
        equal(past, [ago.count(k) for k in reversed(range(len(past)))], name)
        for locale, bars in ('C', ' .:-=+*#'), ('C.UTF-8', ' ▂▃▄▅▆▇█'):  # of eight heights; the highest is the largest number
            _, _, head, *lines = bench.run('top', '--columns', 'name,past', path, env=dict(os.environ, LC_ALL=locale)).stdout.splitlines()
            line, = [line for line in lines if line.startswith(name + ' ')]
            equal(line[head.index('Past'):].ljust(len(past)), ''.join(bars[math.ceil(7 * n / max(past))] for n in past), f'{name}, {locale}')
    equal({name: got[name]['Value'] for name in values}, {name: str(value) for name, value in values.items()}, 'values')


def looks_of(top):
    """The rows that each look has printed as CSV."""
    heading, lines = top.stdout.readline(), []
    for line in top.stdout:
        if line == heading:
            yield list(csv.DictReader([heading, *lines]))
            lines = []
        else:
            lines.append(line)
    yield list(csv.DictReader([heading, *lines]))


def case_top_processes(bench):
    """Process ranges belong to their process, whatever number they have in it."""
    recording = synthetic.Recording(end=3 * 10**9)
    one, two = recording.process(pid=100).thread(100), recording.process(pid=200).thread(200)
    one.start(10**9, 2 << 40 | 1, 'one')
    two.start(10**9, 3 << 40 | 1, 'two')
    two.end(2 * 10**9, 3 << 40 | 1)
    got = rows(bench, recording.write(bench.here('two.nvtxh')))
    equal({name: (row['Instances'], row['Open']) for name, row in got.items()}, {'one': ('0', '1'), 'two': ('1', '0')}, 'ranges')
    # Threads of two processes may have the same number, in two namespaces.
    recording = synthetic.Recording(end=3 * 10**9)
    for pid in 1, 2:
        thread = recording.process(pid=pid).thread(1)
        for depth in range(2):
            thread.push(10**9 + depth, f'p{pid}d{depth}')
    nest = bench.table('top', '--once', '--nest', '--csv', recording.write(bench.here('alike.nvtxh')))
    equal([(row['Thread'], row['Depth'], row['Range']) for row in nest], [('1', str(d), f'p{p}d{d}') for p in (1, 2) for d in (0, 1)], '--nest')
    for pattern, wanted in ('one', [('', 'one')]), ('two', []):
        nest = bench.table('top', '--once', '--nest', '--name', pattern, '--csv', bench.here('two.nvtxh'))
        equal([(row['Thread'], row['Range']) for row in nest], wanted, '--nest --name')
    # --name matches what is shown: programs get an empty name, people read that there is none.
    recording = synthetic.Recording(end=3 * 10**9)
    recording.process().thread(1).push(10**9, None)
    path = recording.write(bench.here('nameless.nvtxh'))
    for pattern, wanted in ('^$', (True, False)), ('no message', (False, True)):
        found = [[*bench.run('top', '--once', '--name', pattern, *form, path, status=int(not is_shown)).stdout.splitlines()][2 if not form else 1:]
                 for form, is_shown in zip((['--csv'], []), wanted)]
        equal(tuple(map(bool, found)), wanted, f'--name {pattern}')
    # People see a line for each thread of which a range is shown, whichever of its ranges that is.
    chance, recording = random.Random(3), synthetic.Recording(end=3 * 10**9)
    process = recording.process()
    for tid in range(10, 20):
        thread = process.thread(tid)
        for depth in range(4):
            thread.push(10**9 + depth, chance.choice('abcd'))
    for number in range(4):
        process.thread(30).start(10**9, 2 << 40 | number, 'abcd'[number])
    path = recording.write(bench.here('drawn.nvtxh'))
    for pattern in '.', 'a', 'b', '[cd]', 'x':
        wanted, title = [], None
        for row in bench.table('top', '--once', '--nest', '--name', pattern, '--csv', path):
            wanted += [row['Thread'] or 'process ranges'] if row['Thread'] != title else []
            wanted.append(' ' * (2 + 2 * int(row['Depth'])) + row['Range'])
            title = row['Thread']
        shown = bench.run('top', '--once', '--nest', '--limit', '0', '--name', pattern, path, status=int(not wanted)).stdout.splitlines()[3:]
        equal([re.sub(r' +\d+ ns$', '', line) for line in shown], wanted, f'--nest --name {pattern}, for people')


def case_top_ended(bench):
    """A range that is open in a process that has ended is as long as that process lived, while others run on."""
    second = 10**9
    recording = synthetic.Recording(end=4 * second)
    over = recording.process(pid=100, end=3 * second // 2)
    main, other = over.thread(100), over.thread(101)
    main.push(second, 'push')
    other.start(second // 2, 7, 'range')
    recording.process(pid=200).thread(200).mark(4 * second - 1, 'mark')
    path = recording.write(bench.here('over.nvtxh'))
    got = {name: (row['Open'], row['Open For (ns)'], row['Now (%)'], row['Since (%)']) for name, row in rows(bench, path).items()}
    equal(got, {'push': ('1', '500000000', '0.0', '12.5'), 'range': ('1', '1000000000', '0.0', '25.0'), 'mark': ('', '', '', '')}, 'figures')
    nest = {row['Range']: row['Open For (ns)'] for row in bench.table('top', '--once', '--nest', '--csv', path)}
    equal(nest, {'push': '500000000', 'range': '1000000000'}, '--nest')


def case_top_lanes(bench):
    """A thread and its signal handlers, which have a stream of their own, are one busy thread."""
    recording = synthetic.Recording(end=3 * 10**9)
    process = recording.process()
    thread, handlers, idle = process.thread(100), process.thread(100), process.thread(200)
    handlers.in_handlers = 1
    thread.push(1000, 'open')
    handlers.mark(3 * 10**9 - 10, 'in a handler')
    idle.mark(1000, 'long ago')
    shown = bench.run('top', recording.write(bench.here('lanes.nvtxh'))).stdout
    require(re.match(r'ended after 3\.00 s, 1 of 2 threads busy, ', shown), shown)


def case_top_program(bench):
    """A program is run, recorded and looked at until it ends; its status and output are its own, and nothing is left."""
    directory = bench.here('tmp')
    os.mkdir(directory)
    # Its recording gets its header a while after its name.
    env = dict(os.environ, TMPDIR=directory, LD_PRELOAD=bench.program('hindered.so'), HINDER='begin', GO=bench.here('go'))
    script = f'echo out of it; "{bench.program("paced")}" 60000 & for i in $(seq 600); do test -e "$GO" && break; sleep 0.1; done; sleep 0.3; kill $!; exit 7'
    with subprocess.Popen([bench.nvtxh, 'top', '--csv', '-i', '0.1', '--', 'sh', '-c', script], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          text=True, env=env) as top:
        lines, ticks = [], []
        for line in top.stdout:
            lines.append(line)
            ticks += [int(line.split(',')[7])] if ',tick,' in line else []
            if len(ticks) > 4:
                open(env['GO'], 'w').close()
        said = top.stderr.read()
    equal(top.returncode, 7, said)
    require(len(ticks) > 4 and ticks == sorted(ticks) and ticks[-1] > ticks[0], ticks)
    equal((''.join(lines).count('out of it'), said.count('out of it')), (0, 1), 'its output is beside the figures')
    done = [bench.run('top', '--once', '--csv', '-i', '0.1', '--', 'sh', '-c', script, status=7, env=env).stdout.count(',tick,') for _ in range(3)]
    require(max(done) == 1, '--once', done)
    done = bench.run('top', '--', bench.here('none'), status=127, env=env)
    require(done.stderr.count('\n') == 1 and 'cannot run' in done.stderr, done.stderr)
    bench.run('top', '--', 'sh', '-c', 'kill -9 $$', status=128 + 9, env=env)
    equal(os.listdir(directory), [], 'what is left')


@contextlib.contextmanager
def under_way(bench, name, *options):
    """The path of a recording that a program is being recorded to."""
    path = bench.here(name)
    process = subprocess.Popen([bench.nvtxh, 'record', '-q', *options, '-o', path, '--', bench.program('paced'), '60000'],
                               start_new_session=True)
    try:
        for _ in range(2000):
            if ',tick,' in bench.run('top', '--once', '--csv', path, status=None).stdout:  # at first it is not there
                break
            time.sleep(0.05)
        else:
            raise AssertionError('nothing was recorded')
        yield path
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def case_top_live(bench):
    """A recording under way, a ring too, is read on where it was read last: nothing is missed, nothing counts twice."""
    for options in [], ['--ring', '256k']:
        with under_way(bench, f'live{len(options)}.nvtxh', *options) as path:
            watch = subprocess.Popen([bench.nvtxh, 'top', '-i', '0.1', '--csv', path], stdout=subprocess.PIPE, text=True)
            looks = []  # (ticks, those of this window) at each look
            for line in watch.stdout:
                if ',tick,' in line:
                    fields = line.rstrip('\n').split(',')
                    looks.append((int(fields[7]), int(fields[-1].split()[-1])))
                if ',all,' in line:
                    equal(line.split(',')[5], '1', 'the range around is open')
                if len(looks) == 8:
                    break
            watch.kill()
            watch.wait()
            watch.stdout.close()
            for (before, _), (count, now) in zip(looks, looks[1:]):
                equal(count - before, now, f'new ones {looks}')
            require(looks[-1][0] > looks[0][0], looks)
            nest = bench.table('top', '--once', '--nest', '--csv', path)
            equal([row['Range'] for row in nest], ['all'], 'what is open')
            with subprocess.Popen([bench.nvtxh, 'top', '-i', '0.1', path], stdout=subprocess.PIPE, text=True) as watch:
                heads = (line for line in watch.stdout if 'threads busy' in line or 'thread busy' in line)
                equal({re.search(r'(\d+ of \d+) threads? busy', next(heads))[1] for _ in range(4)}, {'1 of 1'}, 'threads, in each window')
                watch.kill()
    # The program was killed: it is an ended recording.
    path = bench.here('live0.nvtxh')
    require(bench.run('top', path).stdout.startswith('ended after '), 'after a kill')
    equal(rows(bench, path)['tick']['Instances'],
          [row['Instances'] for row in bench.table('stats', '--csv', path) if row['Range'] == 'tick'][0], 'the same as stats')


def case_top_searched(bench):
    """Chunks that begin while the command searches the file are counted, whatever it has found of the later ones: all that came before a mark is
    there once the mark is."""
    env, turns = dict(os.environ, LD_PRELOAD=bench.program('hindered.so'), HINDER='search'), 150000
    for turn in range(8):
        path, go = bench.here(f'searched-{turn}.nvtxh'), bench.here(f'go-{turn}')
        with subprocess.Popen([bench.nvtxh, 'record', '-q', '-o', path, '--', bench.program('varied'), '4', str(turns), go], stdout=subprocess.PIPE) as program:
            while not os.path.exists(path) or not os.path.getsize(path):
                time.sleep(0.001)
            with subprocess.Popen([bench.nvtxh, 'top', '-i', '0.01', '--csv', path], stdout=subprocess.PIPE, text=True, env=env) as top:
                got = next(rows for rows in looks_of(top) if any(row['Range'] == 'waits' for row in rows))
                top.kill()
            open(go, 'w').close()
            program.communicate()
        equal({row['Range']: int(row['Instances']) for row in got if row['Style'] == 'PushPop'}, {f'varied:step {i}': turns for i in range(4)}, f'turn {turn}')


def case_top_held(bench):
    """Several process ranges are open at a look. The first of them ends, and another one begins: each has its own times."""
    what = 'b1 w60 b2 w60 b3 w60 d1 b4 w60 d4 w60 d2 w60 d3 w60'.split()
    done = bench.run('top', '-i', '0.02', '--csv', '--', bench.program(driver.versions('incidents')[-1]), *what)
    heading, *lines = done.stdout.splitlines()
    looks = [row for row in csv.DictReader([heading, *lines]) if row['Range'].startswith('range ')]
    equal({row['Open'] for row in looks}, {'0', '1'}, done.stderr)
    ended = {row['Range']: row for row in looks if row['Instances'] != '0' and float(row['Avg (ns)'] or 0)}
    equal({key: int(row['Instances']) for key, row in ended.items()}, {f'range {i}': 1 for i in range(1, 5)}, done.stderr)
    lasted = [float(ended[f'range {i}']['Avg (ns)']) / 6e7 for i in range(1, 5)]
    # What the program slept in each is the least; the fourth lies in the second, 120 ms after its beginning and 60 before its end.
    require(all(found >= least for found, least in zip(lasted, (3, 4, 4, 1))) and lasted[3] + 3 <= lasted[1], lasted)


def case_top_reopened(bench):
    """A range that begins again is open for less time than before."""
    path, go = bench.here('again.nvtxh'), bench.here('go')
    env = dict(os.environ, SNAPSHOTS=go)  # the program waits for these files
    program = subprocess.Popen([bench.nvtxh, 'record', '-q', '-o', path, '--', bench.program(driver.versions('incidents')[-1]), *'b1 f1 d1 b1 f2'.split()], env=env)
    while 'range 1' not in bench.run('top', '--once', '--csv', path, status=None).stdout:
        time.sleep(0.05)
    with subprocess.Popen([bench.nvtxh, 'top', '-i', '0.1', '--csv', path], stdout=subprocess.PIPE, text=True) as top:
        looks = (int(row['Open For (ns)']) for got in looks_of(top) for row in got if row['Open For (ns)'])
        before = next(lasted for lasted in looks if lasted > 10**9)
        open(f'{go}.snap1.nvtxh', 'w').close()
        then = [next(looks) for _ in range(20)]
        require(min(then) < before, before, then)
        open(f'{go}.snap2.nvtxh', 'w').close()
        equal(program.wait(), 0, 'the program')
        top.communicate()


def case_top_reused(bench):
    """A pid that a later process has now is not a sign that the process which was recorded still runs."""
    recording = synthetic.Recording(program=1)
    recording.process(pid=os.getpid(), killed=True).thread(os.getpid()).push(1000, 'open')
    path = recording.write(bench.here('reused'))
    synthetic.overwrite(path, 64, bytes(24))  # no end
    require(bench.run('top', '--once', path).stdout.startswith('ended after '), 'it has ended')
    bench.run('snapshot', '-o', bench.here('snapshot'), path)
    equal(rows(bench, bench.here('snapshot'))['open']['Open For (ns)'], rows(bench, path)['open']['Open For (ns)'], 'in a snapshot')


def case_top_killed(bench):
    """A range of a process that was killed does not grow, while another process runs on."""
    path, program = bench.here('killed.nvtxh'), bench.program('paced')

    def look():
        return {row['Thread'].split()[0]: int(row['Open For (ns)']) for row in bench.table('top', '--once', '--nest', '--csv', path)}

    process = subprocess.Popen([bench.nvtxh, 'record', '-q', '-o', path, '--', 'sh', '-c', f'"{program}" 60000 & "{program}" 60000 & wait'],
                               start_new_session=True)
    try:
        for _ in range(2000):
            if os.path.exists(path) and len(bench.run('top', '--once', '--nest', '--csv', path, status=None).stdout.splitlines()) == 3:
                break
            time.sleep(0.05)
        dead, alive = look()
        os.kill(int(dead), signal.SIGKILL)
        time.sleep(0.2)
        looks = [look()]
        time.sleep(0.2)
        looks.append(look())
        equal(looks[1][dead], looks[0][dead], 'of the dead process')
        require(looks[1][alive] > looks[0][alive] > looks[0][dead], 'of the other one', *looks)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def case_top_replaced(bench):
    """If another recording takes the place of the one that is followed, top says so and ends. The other one has no pauses."""
    path, other = bench.here('followed.nvtxh'), bench.here('other.nvtxh')
    recording = synthetic.Recording()
    recording.process().thread(1).mark(5, 'other')
    recording.write(other)
    program = subprocess.Popen([bench.nvtxh, 'record', '-q', '-o', path, '--', bench.program('paced'), '60000'], start_new_session=True)
    try:
        while not os.path.exists(path) or not bench.run('top', '--once', '--csv', path, status=None).stdout.count('\n') > 1:
            time.sleep(0.05)
        for change in 'pause', 'resume':
            bench.run(change, path)
        time.sleep(0.1)
        with subprocess.Popen([bench.nvtxh, 'top', '-i', '0.1', '--csv', path], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as top:
            top.stdout.readline()
            os.replace(other, path)
            said = top.communicate(timeout=240)[1]
        equal((top.returncode, said), (1, f'nvtxh: {path}: it was replaced by another recording\n'), 'top')
    finally:
        os.killpg(program.pid, signal.SIGKILL)
        program.wait()


def case_top_linear(bench):
    """Twice as many pushes, of two domains in turn, take about twice as many instructions. The first domain is popped first."""
    need('valgrind')
    counts = []
    for number in 40_000, 80_000:
        recording = synthetic.Recording(end=10**9)
        thread = recording.process().thread(100)
        for i in range(number):
            thread.push(1000 + i, f'name {i % 7}', domain=i % 2)
        for i in range(number):
            thread.pop(10**6 + i, int(i >= number // 2))
        path = recording.write(bench.here(f'{number}.nvtxh'))
        said = bench.run('--tool=callgrind', '--callgrind-out-file=/dev/null', bench.nvtxh, 'top', '--once', '--csv', path, command='valgrind').stderr
        counts.append(int(re.search(r'Collected : (\d+)', said)[1]))
    require(counts[1] < 2.5 * counts[0], 'instructions', counts)


def case_top_screen(bench):
    """On a terminal, open ranges are shown as open; keys change the order, nest, filter, freeze and leave."""
    if 'ncurses' not in bench.run('--version').stdout.split('without')[0]:
        skip('nvtxh was built without ncurses')
    with under_way(bench, 'live.nvtxh') as path, Tmux(bench.directory) as tmux:
        seen = tmux.seen
        tmux.type(f'"{bench.nvtxh}" top -i 0.2 "{path}"; echo done', 'Enter')
        screen = seen('^after .*, 1 of 1 thread busy', '^all ', '^tick ', 'space freeze  s sort .Now.')
        require(all(len(line) <= 100 for line in screen.splitlines()), screen)
        seen('sort .Since %.', key=['s'])
        screen = seen('^  all +', 'n figures', key=['n'])
        require('tick' not in screen, screen)
        seen('^tick ', 'n nest', key=['n'])
        screen = seen('filter: ^t.ck$'.replace('^', r'\^').replace('.c', r'\.c').replace('k$', r'k\$'), key=['/', '^t.ck$', 'Enter'])
        require(not re.search('^all ', screen, re.MULTILINE), screen)
        seen('^all ', key=['/', 'Enter'])
        seen('Unmatched|parenthes', key=['/', '(', 'Enter'])
        frozen = seen('frozen', key=['Space'])
        time.sleep(0.6)
        equal(tmux.shown(), frozen, 'a frozen screen')
        tmux.resize(60, 12)
        screen = seen('^q quit', '^all ')
        require(all(len(line) <= 60 for line in screen.splitlines()), screen)
        seen('^done$', key=['q'])
        # As many rows as fit, and not more than --limit says.
        path = ended(bench.here('ended.nvtxh'))
        tmux.resize(100, 24)
        for options, shown in ('', '^mark '), ('--limit 2', '^and 4 more'), ('--limit 0', '^mark '):
            tmux.type(f'clear; "{bench.nvtxh}" top {options} "{path}"; echo done', 'Enter')
            screen = seen('^ended after', *([shown] if '2' in options else ['^last ', shown]), '^q quit')
            equal(len(re.findall('^(outer|lib:long|old|short|process range|last) ', screen, re.MULTILINE)), 2 if '2' in options else 6, (options, screen))
            seen('^done$', key=['q'])
        # A program of its own: what it prints comes after the screen.
        tmux.resize(100, 24)
        tmux.type(f'"{bench.nvtxh}" top -i 0.2 -- sh -c \'echo out of it; "{bench.program("paced")}" 300; exit 7\'; echo status $?',
                  'Enter')
        require('out of it' not in seen('^after .*, 1 of 1 thread busy', '^tick ').replace('-- sh -c', ''), 'the terminal is taken')
        seen('^out of it$', '^status 7$', key=['q'])


if __name__ == '__main__':
    driver.main(globals(), __doc__)
