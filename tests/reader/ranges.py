#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How beginnings and ends pair where something is missing or far away."""
import csv
import io
import random
import struct

from harness import driver
from harness.checks import equal, require
import synthetic


def case_pauses(bench):
    """What came in a pause is left out, whether the process has noticed the pause, noticed it later, or was killed before; also of what is made of the recording."""
    for seed in range(30):
        chance, end = random.Random(seed), 10**6
        moments = sorted(chance.sample(range(2000, end), chance.choice((0, 1, 2, 3, 4, 10, 63, 64, 65, 90))))
        known = chance.randrange(max(0, len(moments) - 64), len(moments) + 1)  # how many the process has noticed; the file has the last 64 of all
        recording = synthetic.Recording(end=end)
        process = recording.process(killed=chance.random() < 0.5)
        gates, paused = [], [*zip(moments[::2], [*moments[1::2], end + 1])]
        for i, at in enumerate(moments[:known]):  # that it is resumed is noticed at once, or up to the next pause
            noticed = chance.choice((at, chance.randrange(at, moments[i + 1] if i + 1 < len(moments) else end + 1))) if i & 1 else at
            gates.append((noticed, i & 1))
            process.names.long(30, i & 1, struct.pack('<Q', recording.ticks(noticed)))
        closed = [*zip([at for at, is_open in gates if not is_open], [*[at for at, is_open in gates if is_open], end + 1])]
        thread, wanted = process.thread(1), []
        thread.push(1000, 'open')
        for at in sorted(chance.sample(range(2000, end), 500)):
            if not any(a <= at < z for a, z in closed):
                thread.mark(at, 'mark', payload=at)
                wanted += [at] * (not any(a <= at < z for a, z in paused))
        last = max(at for at, _ in thread.records)
        path = recording.write(bench.here('rec'))
        ticks = [0] * 64
        for i, at in enumerate(moments):
            ticks[i % 64] = recording.ticks(at)
        synthetic.overwrite(path, 1408, struct.pack('<Q64Q', len(moments), *ticks))
        bench.run('merge', '-f', '-o', bench.here('merged'), path)
        bench.run('snapshot', '-f', '-o', bench.here('snapshot'), path)
        bench.run('merge', '-f', '-o', bench.here('again'), bench.here('merged'))
        for made in path, bench.here('merged'), bench.here('snapshot'), bench.here('again'):
            rows = bench.table('export', '--format', 'csv', made)
            equal([int(row['Payload']) for row in rows if row['Message'] == 'mark'], wanted, f'{seed}: {made}')
            row, = (row for row in rows if row['Message'] == 'open')
            equal((int(row['Start (ns)']), int(row['End (ns)'])), (1000, moments[0] if moments else end), f'{seed}: {made}, which ends at {last}')


def case_ends(bench):
    """A range that is ended twice: what the second end has as payload is no other event's."""
    recording = synthetic.Recording(end=20000)
    process = recording.process()
    ends, begins = process.thread(7), process.thread(8)
    begins.start(1000, 11, 'range')
    for at in 2000, 3000:
        ends.long(synthetic.EXTENDED, 1, struct.pack('<QQQHHI', 14, 0, 2, 77, 0, 0), at=at)  # 77, in 16 bits
        ends.end(at, 11)
        ends.mark(at + 10, 'next')
    done = bench.run('export', '--format', 'csv', recording.write(bench.here('t.nvtxh')))
    equal([(row['Message'], '77' in row['Payload']) for row in csv.DictReader(io.StringIO(done.stdout))], [('range', True), ('next', False), ('next', False)], 'payloads')
    # In a ring the beginning may have been overwritten, which is no mistake.
    recording = synthetic.Recording(end=20000)
    thread = recording.process(ring=1 << 20).thread(7)
    thread.end(5000, 11)
    thread.mark(6000, 'a mark')
    require('beginning' not in bench.run('stats', recording.write(bench.here('ring.nvtxh'))).stderr, 'in a ring')


def case_ring_gap(bench):
    """Nothing pairs across a jump in the chunks of a ring: what is open ends before it, and nothing is damaged."""
    recording = synthetic.Recording(end=50000000)
    thread = recording.process(ring=1 << 20).thread(7)
    thread.ring = True
    thread.jump(343)
    thread.ranges('whole', [60, 60], at=1000)
    thread.push(2000, 'outer')
    thread.push(2100, 'inner')
    thread.mark(2300, 'last')
    thread.jump(357)
    thread.texts = {}
    thread.pop(28000000)
    thread.pop(28000050)
    thread.ranges('whole', [60], at=28000100)
    recording.write(bench.here('g.nvtxh'))
    done = bench.run('stats', '--csv', bench.here('g.nvtxh'))
    rows = {row['Range']: row for row in csv.DictReader(done.stdout.splitlines())}
    for name, instances, longest, own in (('whole', 3, 60, 180), ('outer', 1, 300, 100), ('inner', 1, 200, 200)):
        row = rows[name]
        equal((int(row['Instances']), int(row['Max (ns)']), int(row['Self (ns)'])), (instances, longest, own), name)
    require('damaged' not in done.stderr and '2 ranges had no end' in done.stderr and 'beginning' not in done.stderr, done.stderr)
    # Of a program that was killed, on a machine whose counter was ahead of this one's: nothing in it is from the future.
    recording = synthetic.Recording(end=10**16, clock=2, rate=2)
    thread = recording.process(ring=1 << 20, killed=True).thread(7)
    thread.ring = True
    for i in range(3):
        thread.jump(343 + 2 * i)
        thread.texts = {}
        thread.ranges('whole', [60, 70, 80], at=10**15 + i * 10**8)
    synthetic.overwrite(recording.write(bench.here('far.nvtxh')), 64, bytes(24))  # its end
    far = bench.run('stats', '--csv', bench.here('far.nvtxh'))
    equal([row['Instances'] for row in csv.DictReader(far.stdout.splitlines())], ['9'], far.stderr)
    # A chunk that was being reused, with its old contents: readers ignore it.
    with open(bench.here('g.nvtxh'), 'rb') as f:
        data = bytearray(f.read())
    chunk = bytearray(data[2 * synthetic.ALIGN:3 * synthetic.ALIGN])
    chunk[:8] = (0).to_bytes(4, 'little') + (2 * synthetic.ALIGN).to_bytes(4, 'little')
    data += chunk + b'x' * synthetic.ALIGN
    with open(bench.here('t.nvtxh'), 'wb') as f:
        f.write(data)
    again = bench.run('stats', '--csv', bench.here('t.nvtxh'))
    equal((again.stdout, again.stderr), (done.stdout, done.stderr), 'with one that is taken over')
    # The event of a payload is missing: the next one has none.
    for gap in False, True:
        recording = synthetic.Recording()
        thread = recording.process(ring=1 << 20).thread(7)
        thread.ring = True
        thread.mark(0, 'before')
        thread.long(synthetic.EXTENDED, 1, struct.pack('<QQQHHI', 14, 0, 2, 77, 0, 0))  # 77, in 16 bits
        if gap:
            thread.jump(9)
            thread.texts = {}
        thread.mark(2, 'after')
        rows = bench.table('export', '--format', 'csv', recording.write(bench.here('p.nvtxh')))
        equal([(row['Message'], '77' in row['Payload']) for row in rows], [('before', False), ('after', not gap)], ('a gap', gap))


if __name__ == '__main__':
    driver.main(globals(), __doc__)
