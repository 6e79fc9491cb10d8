#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports that only have nested ranges: their exact contents, and in real viewers."""
import json
import shutil
import subprocess

from harness import driver
from harness.browser import Viewer
from harness.checks import CACHE, equal, require, skip
import synthetic

# In the recording that `nested` makes: the ns in which a range is the innermost, by thread and path.
FOLDED = {('100 made-up', 'outer'): 500, ('100 made-up', 'outer', 'lib:inner'): 200,
          ('100 made-up', 'outer', 'lib:inner', 'leaf'): 300,
          ('100 made-up', 'first'): 100, ('100 made-up', 'first', 'lib:second'): 150,
          ('100 made-up', 'a:b c '): 7, ('100 made-up', '(no message)'): 3, ('201 helper', 'leaf'): 40}


def nested(path, stretch=1):
    recording = synthetic.Recording(end=10000 * stretch)
    process = recording.process()
    process.domain(1, 'lib')
    process.names.long(synthetic.THREAD, 201, b'helper')
    main, helper = process.thread(100), process.thread(201)
    for at, kind, text, domain in (
            (1000, 'push', 'outer', 0), (1100, 'push', 'inner', 1), (1200, 'push', 'leaf', 0), (1500, 'pop', '', 0),
            (1600, 'pop', '', 1), (2000, 'pop', '', 0),
            # Two domains overlap: "second" goes on where "first" ends.
            (3000, 'push', 'first', 0), (3100, 'push', 'second', 1), (3200, 'pop', '', 0), (3250, 'pop', '', 1),
            (4000, 'push', 'a;b\nc ', 0), (4007, 'pop', '', 0), (4100, 'push', None, 0), (4103, 'pop', '', 0)):
        if kind == 'push':
            main.push(at * stretch, text, domain=domain)
        else:
            main.pop(at * stretch, domain=domain)
    main.mark(4200 * stretch, 'mark', payload=-5, category=7)
    main.start(4300 * stretch, 1, 'process range')
    helper.end(4400 * stretch, 1)
    helper.push(5000 * stretch, 'leaf')
    helper.pop(5040 * stretch)
    return recording.write(path)


def folded(text):
    """{(thread, range, range...): ns}"""
    lines = {}
    for line in text.splitlines():
        path, number = line.rsplit(' ', 1)
        require(tuple(path.split(';')) not in lines, line)
        lines[tuple(path.split(';'))] = int(number)
    return lines


def case_folded(bench):
    """--to folded has the self time of every path of every thread, once; filters apply."""
    path = nested(bench.here('n.nvtxh'))
    equal(folded(bench.run('export', '--to', 'folded', path).stdout), FOLDED, 'paths')
    cut = folded(bench.run('export', '--to', 'folded', '--from', '1150ns', '--until', '1250ns', path).stdout)
    equal(cut, {('100 made-up', 'outer', 'lib:inner'): 50, ('100 made-up', 'outer', 'lib:inner', 'leaf'): 50}, 'a window')
    equal(folded(bench.run('export', '--to', 'folded', '--thread', 'helper', path).stdout), {('201 helper', 'leaf'): 40}, 'a thread')

    # A main thread has its own name if it was given one, else the program's.
    recording = synthetic.Recording(end=10000)
    for pid, name in (100, b'boss'), (300, b''):
        process = recording.process(pid=pid)
        if name:
            process.names.long(synthetic.THREAD, pid, name)
        process.thread(pid).ranges('work', [5])
    lines = folded(bench.run('export', '--to', 'folded', recording.write(bench.here('main.nvtxh'))).stdout)
    equal(set(lines), {('100 boss of process 100', 'work'), ('300 made-up of process 300', 'work')}, 'main threads')

    # The time of very deep ranges is not lost.
    recording = synthetic.Recording(end=10**7)
    thread = recording.process().thread(100)
    for i in range(3000):
        thread.push(10 * i, f'{i}' + 'x' * (2000 if i == 5 else 0))
    for i in range(3000):
        thread.pop(40000 + 10 * i)
    lines = folded(bench.run('export', '--to', 'folded', recording.write(bench.here('deep.nvtxh'))).stdout)
    equal(sum(lines.values()), 69990, 'the time of all')
    require(max(map(len, lines)) == 1001 and len(lines) == 1000, 'levels', max(map(len, lines)), len(lines))
    require(all(len(name) < 1010 for name in max(lines, key=len)), 'long names are cut')


def replay(profile, frames):
    """{path: ns} of an evented profile, as its format wants it read."""
    stack, last, times = [], profile['startValue'], {}
    for event in profile['events']:
        require(event['at'] >= last, 'order', event)
        if stack:
            times[tuple(stack)] = times.get(tuple(stack), 0) + event['at'] - last
        last = event['at']
        name = frames[event['frame']]['name']
        if event['type'] == 'O':
            stack.append(name)
        else:
            equal(stack.pop(), name, 'the frame that is closed')
    equal(stack, [], 'frames left open')
    require(profile['endValue'] >= last, 'the end')
    return {path: ns for path, ns in times.items() if ns}


def overlapped():
    """FOLDED, except that where two domains overlap, the inner range goes on without the outer one."""
    paths = dict(FOLDED)
    paths['100 made-up', 'first', 'lib:second'] = 100
    paths['100 made-up', 'lib:second'] = 50
    paths['100 made-up', 'a;b\nc '] = paths.pop(('100 made-up', 'a:b c '))
    return paths


def case_speedscope(bench):
    """--to speedscope: a profile for each thread whose frames open and close in order, also where domains overlap."""
    done = json.loads(bench.run('export', '--to', 'speedscope', nested(bench.here('n.nvtxh'))).stdout)
    equal(done['$schema'], 'https://www.speedscope.app/file-format-schema.json', 'schema')
    got = {}
    for profile in done['profiles']:
        equal((profile['type'], profile['unit'], profile['startValue']), ('evented', 'nanoseconds', 0), 'a profile')
        got.update({(profile['name'], *path): ns for path, ns in replay(profile, done['shared']['frames']).items()})
    equal(got, overlapped(), 'paths')
    # Of ranges that a window cuts to the same times, those that began first are the outer ones, whichever end first.
    recording = synthetic.Recording(end=10000)
    process = recording.process()
    for tid, ends in (1, range(30)), (2, reversed(range(30))):
        thread = process.thread(tid)
        for number in range(30):
            thread.push(100 + number, f'r{number}', domain=number)
        for at, number in enumerate(ends):
            thread.pop(1000 + at, number)
    shown = json.loads(bench.run('export', '--to', 'speedscope', '--from', '500ns', '--until', '600ns', recording.write(bench.here('same.nvtxh'))).stdout)
    names = [frame['name'] for frame in shown['shared']['frames']]
    for profile in shown['profiles']:
        equal([names[event['frame']] for event in profile['events']], [f'r{number}' for number in (*range(30), *reversed(range(30)))], 'ranges of the same times')


def table(rows, columns):
    """Checks a table of the Firefox Profiler: it has every column, and each has the length that the table says."""
    equal(set(rows), set(columns) | {'length'}, 'columns')
    for column in columns:
        equal(len(rows[column]), rows['length'], column)
    return rows


def case_firefox(bench):
    """--to firefox is a processed profile, version 60: weighted samples of stacks, markers, tables that fit."""
    profile = json.loads(bench.run('export', '--to', 'firefox', nested(bench.here('n.nvtxh'))).stdout)
    meta, shared = profile['meta'], profile['shared']
    equal((meta['preprocessedProfileVersion'], meta['startTime']), (60, synthetic.REALTIME / 1e6), 'meta')
    require(any(category['color'] == 'grey' for category in meta['categories']), 'the default category')
    stacks = table(shared['stackTable'], ['frame', 'prefix'])
    frames = table(shared['frameTable'], ['address', 'inlineDepth', 'category', 'subcategory', 'func', 'nativeSymbol',
                                          'innerWindowID', 'line', 'column'])
    functions = table(shared['funcTable'], ['name', 'isJS', 'relevantForJS', 'resource', 'source', 'lineNumber', 'columnNumber'])
    table(shared['resourceTable'], ['lib', 'name', 'host', 'type'])
    table(shared['nativeSymbols'], ['libIndex', 'address', 'name', 'functionSize'])
    table(shared['sources'], ['uuid', 'filename'])

    def path(stack):
        if stack is None:
            return ()
        require(stacks['prefix'][stack] is None or stacks['prefix'][stack] < stack, 'a stack comes after its prefix')
        return (*path(stacks['prefix'][stack]), shared['stringArray'][functions['name'][frames['func'][stacks['frame'][stack]]]])

    got, markers = {}, {}
    for thread in profile['threads']:
        for key, kind in (('processType', str), ('processStartupTime', int), ('registerTime', int), ('pausedRanges', list),
                          ('name', str), ('isMainThread', bool), ('pid', str), ('tid', int)):
            require(isinstance(thread[key], kind), key, thread[key])
        samples = thread['samples']
        equal(samples.pop('weightType'), 'tracing-ms', 'weights')
        table(samples, ['stack', 'time', 'weight'])
        equal((samples['time'][0], samples['time']), (0, sorted(samples['time'])), 'order')
        for stack, time, weight, after in zip(samples['stack'], samples['time'], samples['weight'], samples['time'][1:]):
            equal(round((time + weight - after) * 1e6), 0, 'a sample lasts until the next')
            if stack is not None:
                key = (thread['name'], *path(stack))
                got[key] = got.get(key, 0) + round(weight * 1e6)
        rows = table(thread['markers'], ['name', 'startTime', 'endTime', 'phase', 'category', 'data'])
        for i, name in enumerate(rows['name']):
            markers[shared['stringArray'][name]] = (thread['tid'], rows['startTime'][i], rows['endTime'][i], rows['phase'][i],
                                                    rows['data'][i])
    equal(got, overlapped(), 'paths')
    equal(markers, {'mark': (100, .0042, None, 0, {'type': 'nvtx', 'payload': '-5', 'category': '7'}),
                    'process range': (100, .0043, .0044, 1, {'type': 'nvtx', 'end': '201'})}, 'markers')
    equal(meta['markerSchema'][0]['name'], 'nvtx', 'the schema of markers')


def case_flamegraph(bench):
    """flamegraph.pl draws --to folded: every range with its time."""
    script = CACHE / 'flamegraph' / 'flamegraph.pl'
    if not script.exists() or not shutil.which('perl'):
        skip('flamegraph.pl is not in .cache/flamegraph (tests/nightly.sh viewers fetches it)')
    with open(bench.here('folded'), 'w') as f:
        f.write(bench.run('export', '--to', 'folded', nested(bench.here('n.nvtxh'))).stdout)
    done = subprocess.run(['perl', script, '--countname', 'ns', '--minwidth', '0', bench.here('folded')], capture_output=True, text=True)
    equal((done.returncode, done.stderr), (0, ''), 'flamegraph.pl')
    for title in ('all (1,300 ns, 100%)', 'outer (1,000 ns,', 'lib:inner (500 ns,', 'leaf (300 ns,', 'leaf (40 ns,', '201 helper (40 ns,'):
        require('<title>' + title in done.stdout, title, done.stdout)


class Speedscope(Viewer):
    def __init__(self, folder, profile):
        super().__init__(folder, profile, '#profileURL=/data')
        self.settled("document.title !== 'speedscope' && document.title.includes('speedscope')")

    def table(self):
        """{frame: (total, self)} of the profile that is shown, as speedscope prints them."""
        self.key('3')
        self.settled("document.body.innerText.includes('Symbol Name')")
        cells = self.evaluate("""[...document.querySelectorAll('tr')].map(row => [...row.querySelectorAll('td')]
            .map(cell => cell.innerText.trim())).filter(cells => cells.length > 2)""")
        return {cell[2]: (cell[0].split()[0], cell[1].split()[0]) for cell in cells}


def case_speedscope_ui(bench):
    """speedscope in a real browser opens --to speedscope, and finds every range with its times."""
    folder = CACHE / 'speedscope'
    if not folder.exists():
        skip('speedscope is not in .cache/speedscope (tests/nightly.sh viewers fetches it)')
    path = bench.here('out.json')
    bench.run('export', '--to', 'speedscope', nested(bench.here('n.nvtxh'), stretch=1000), '-o', path)
    with Speedscope(folder, path) as ui:
        title = ui.evaluate('document.title')
        require('100 made-up' in title, title)
        equal(ui.table(), {'outer': ('1.00ms', '500.00µs'), 'lib:inner': ('500.00µs', '200.00µs'), 'leaf': ('300.00µs', '300.00µs'),
                           'first': ('200.00µs', '100.00µs'), 'lib:second': ('150.00µs', '150.00µs'), 'a;b c': ('7.00µs', '7.00µs'),
                           '(no message)': ('3.00µs', '3.00µs')}, 'the main thread')
        ui.key('n')
        ui.settled("document.body.innerText.includes('201 helper')")
        equal(ui.table(), {'leaf': ('40.00µs', '40.00µs')}, 'the other thread')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
