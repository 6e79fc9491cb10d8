#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nested ranges as stacks: --format folded, and --format chrome in speedscope."""
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
    """--format folded has the self time of every path of every thread, once; filters apply."""
    path = nested(bench.here('n.nvtxh'))
    equal(folded(bench.run('export', '--format', 'folded', path).stdout), FOLDED, 'paths')
    cut = folded(bench.run('export', '--format', 'folded', '--from', '1150ns', '--to', '1250ns', path).stdout)
    equal(cut, {('100 made-up', 'outer', 'lib:inner'): 50, ('100 made-up', 'outer', 'lib:inner', 'leaf'): 50}, 'a window')
    equal(folded(bench.run('export', '--format', 'folded', '--thread', 'helper', path).stdout), {('201 helper', 'leaf'): 40}, 'a thread')

    # A main thread has its own name if it was given one, else the program's.
    recording = synthetic.Recording(end=10000)
    for pid, name in (100, b'boss'), (300, b''):
        process = recording.process(pid=pid)
        if name:
            process.names.long(synthetic.THREAD, pid, name)
        process.thread(pid).ranges('work', [5])
    lines = folded(bench.run('export', '--format', 'folded', recording.write(bench.here('main.nvtxh'))).stdout)
    equal(set(lines), {('100 boss of process 100', 'work'), ('300 made-up of process 300', 'work')}, 'main threads')

    # The time of very deep ranges is not lost.
    recording = synthetic.Recording(end=10**7)
    thread = recording.process().thread(100)
    for i in range(3000):
        thread.push(10 * i, f'{i}' + 'x' * (2000 if i == 5 else 0))
    for i in range(3000):
        thread.pop(40000 + 10 * i)
    lines = folded(bench.run('export', '--format', 'folded', recording.write(bench.here('deep.nvtxh'))).stdout)
    equal(sum(lines.values()), 69990, 'the time of all')
    require(max(map(len, lines)) == 1001 and len(lines) == 1000, 'levels', max(map(len, lines)), len(lines))
    require(all(len(name) < 1010 for name in max(lines, key=len)), 'long names are cut')


def case_flamegraph(bench):
    """flamegraph.pl draws --format folded: every range with its time."""
    script = CACHE / 'flamegraph' / 'flamegraph.pl'
    if not script.exists() or not shutil.which('perl'):
        skip('flamegraph.pl is not in .cache/flamegraph (tests/nightly.sh viewers fetches it)')
    with open(bench.here('folded'), 'w') as f:
        f.write(bench.run('export', '--format', 'folded', nested(bench.here('n.nvtxh'))).stdout)
    done = subprocess.run(['perl', script, '--countname', 'ns', '--minwidth', '0', bench.here('folded')], capture_output=True, text=True)
    equal((done.returncode, done.stderr), (0, ''), 'flamegraph.pl')
    for title in ('all (1,300 ns, 100%)', 'outer (1,000 ns,', 'lib:inner (500 ns,', 'leaf (300 ns,', 'leaf (40 ns,', '201 helper (40 ns,'):
        require('<title>' + title in done.stdout, title, done.stdout)


def case_speedscope_ui(bench):
    """speedscope in a real browser opens --format chrome, and finds every push/pop range with its times, but for those that overlap others."""
    folder = CACHE / 'speedscope'
    if not folder.exists():
        skip('speedscope is not in .cache/speedscope (tests/nightly.sh viewers fetches it)')
    path = bench.here('out.json')
    bench.run('export', '--format', 'chrome', nested(bench.here('n.nvtxh'), stretch=1000), '-o', path)

    def table(thread):
        """{frame: (total, self)} of the thread that is shown, as speedscope prints them."""
        ui.settled(f"document.body.innerText.includes('{thread}') && document.body.innerText.includes('Symbol Name')")
        cells = ui.evaluate("""[...document.querySelectorAll('tr')].map(row => [...row.querySelectorAll('td')]
            .map(cell => cell.innerText.trim())).filter(cells => cells.length > 2)""")
        return {cell[2]: (cell[0].split()[0], cell[1].split()[0]) for cell in cells}
    with Viewer(folder, path, '#profileURL=/data') as ui:
        ui.settled("document.title !== 'speedscope' && document.title.includes('speedscope')")
        ui.key('3')
        equal(table('tid 100)'), {'outer': ('1.00ms', '500.00µs'), 'inner': ('500.00µs', '200.00µs'), 'leaf': ('300.00µs', '300.00µs'),
                                   'first': ('200.00µs', '200.00µs'), 'a;b c': ('7.00µs', '7.00µs'), '(no message)': ('3.00µs', '3.00µs')}, 'the main thread')
        ui.key('n')
        equal(table('helper (tid 201)'), {'leaf': ('40.00µs', '40.00µs')}, 'the other thread')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
