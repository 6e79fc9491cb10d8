#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Ranges that nothing ends, and pops that end nothing."""
import re

from harness import driver
from harness.checks import equal, require
import synthetic


def totals(bench, path):
    return {row['Range']: int(row['Total Time (ns)']) for row in bench.table('stats', '--csv', path)}


def well_formed(bench, path):
    """The tree's rows; none has more time than its thread, which has no more than the recording."""
    rows = bench.table('tree', '--csv', path)
    require(all(float(row['Time (%)']) <= 100.05 for row in rows), 'percentages', *rows)
    return rows


def case_misdirected(bench):
    """Pops that forget the domain are reported, with the domain that was meant. The ranges they left open are neither nested nor long."""
    path = bench.record('m.nvtxh', 'misdirected')
    said = bench.run('stats', path).stderr
    require('200 pops in the default domain without a push' in said and
            'while a range of domain train was open; did you mean NVTX_POP(.domain = ...)?' in said, said)
    require('400 ranges had no end' in said, said)
    spans = bench.table('export', '--format', 'csv', path)
    lasted = max(int(row['End (ns)']) for row in spans)
    y = [row for row in spans if row['Message'] == 'y']
    for one, after in zip(y, y[1:]):
        require(int(one['End (ns)']) <= int(after['Start (ns)']), 'ranges of a loop follow each other', one, after)
    equal({row['Depth'] for row in y}, {'200'}, 'depth of y: that of the 200 x which nothing ends')
    require(all(total <= lasted for total in totals(bench, path).values()), totals(bench, path), lasted)
    equal(len([row for row in well_formed(bench, path) if row['Range'] == 'train:y']), 1, 'places of y in the tree')
    done = bench.run('record', '-f', '-o', bench.here('again.nvtxh'), '--', bench.program('misdirected'))
    equal(int(re.search(r'(\d+) events', done.stderr).group(1)), 200 * 5 + 200, 'events: a pop that ends nothing is none')


def leaking(path, pops):
    """In each of 200 frames, which last 100 of each 110 ns, an x of domain 1 begins and never ends. Later 100 z begin and never end."""
    recording = synthetic.Recording(end=100_000)
    process = recording.process()
    process.domain(1, 'd')
    thread = process.thread(7)
    for i in range(200):
        at = 1000 + i * 110
        thread.push(at, 'frame')
        thread.push(at + 10, 'x', domain=1)
        if pops:
            thread.long(synthetic.EXTENDED, 8, b'', at=at + 60)
        thread.pop(at + 100)
    for i in range(100):
        thread.push(30_000 + i * 100, 'z', domain=2)
    return recording.write(path)


def case_leaked(bench):
    """A range without an end does not inflate totals: it ends at a pop in the wrong domain, with its frame, or where its name begins again."""
    for pops, x in (False, 90), (True, 50):
        path = leaking(bench.here('leak.nvtxh'), pops)
        equal(totals(bench, path), {'frame': 200 * 100, 'd:x': 200 * x, 'z': 70_000}, f'totals, {pops}')
        rows = well_formed(bench, path)
        if pops:
            equal([(row['Range'], row['Depth'], row['Self (ns)']) for row in rows if row['Range'] != 'z'],
                  [('frame', '0', str(200 * 50)), ('d:x', '1', str(200 * 50))], 'the tree')
    # A wrong guess: the range ends later after all, at its own pop.
    recording = synthetic.Recording(end=1000)
    process = recording.process()
    process.domain(1, 'd')
    thread = process.thread(7)
    thread.push(100, 'right', domain=1)
    thread.long(synthetic.EXTENDED, 8, b'', at=150)
    thread.push(200, 'inner', domain=1)
    thread.pop(300, domain=1)
    thread.pop(400, domain=1)
    path = recording.write(bench.here('right.nvtxh'))
    equal(totals(bench, path), {'d:right': 300, 'd:inner': 100}, 'totals')
    require('had no end' not in bench.run('stats', path).stderr, 'nothing was left open')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
