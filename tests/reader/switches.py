#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Context switches: whether a range ran, waited, or was pushed off its processor."""
import ctypes
import os
import random
import re
import sqlite3
import struct

import drawn
from harness import checks, driver
from harness.checks import equal, require
from harness.draws import seeds
from synthetic import Recording, processor

ON, BLOCKED, PREEMPTED, ENDED, LOST, COMPLETE = range(1, 7)
END = 1_000_000
STATES = {ON: 'Running', BLOCKED: 'Blocked', PREEMPTED: 'Preempted'}
COLUMNS = 'name,total,cpu,blocked,preempted'
os.environ.pop('NVTXH_RECORD_SWITCHES', None)  # as for users


def drawn_thread(draw):
    """What a thread did: (from, state), where ENDED is no thread of that number."""
    at, found = 0, []
    for _ in range(draw.choice((1, 1, 2))):  # a number is used again
        at += draw.randrange(1, END // 8)
        for _ in range(draw.randrange(1, 30)):
            found.append((at, ON))
            at += draw.randrange(1, END // 60)
            found.append((at, draw.choice((BLOCKED, PREEMPTED))))
            at += draw.randrange(1, END // 60)
        found.append((at, ON))
        at += draw.randrange(1, END // 60)
        found.append((at, ENDED))
    return found


def sums(points, begin, end):
    """How long each state was between two times: points is (from, state), sorted; before the first it is None."""
    found = dict.fromkeys((ON, BLOCKED, PREEMPTED, None), 0)
    edges = [(-END * 10, None), *points, (END * 10, None)]
    for (at, state), (until, _) in zip(edges, edges[1:]):
        found[state if state in found else None] += max(0, min(until, end) - max(at, begin))
    return found


def known(points, lost):
    """What is known of a thread whose switches are POINTS, if others may be missing in the times LOST."""
    edges = [(-END * 10, None), *points, (END * 10, None)]
    whole = max([0, *(b for a, b in lost if a < 0)])
    while any(a <= whole < b for a, b in lost):
        whole = max(b for a, b in lost if a <= whole)
    if 0 < whole and points and whole < points[0][0] and points[0][1] != ON:  # what it was when the earlier ones were overwritten
        edges[1:1] = [(whole, ON)]
    found = []
    for (at, state), (until, after) in zip(edges, edges[1:]):
        last = until == END * 10
        end = min([until, *([a for a, b in lost if b > END * 5 and a > at] if last else [])])
        both = (state == ON) == (after == ON)
        missing = any(a < end and b > at for a, b in lost) or (not last and both)
        found += [(at, None if missing else state), *([(end, None)] if end < until else [])]
    return found


def write(draw, path, is_lossy):
    """A recording; what its threads did; its ranges (thread, begin, end); its switches (at, thread, state); when others may be missing."""
    recording = Recording(end=END)
    process = recording.process()
    truth, ranges, records = {}, [], []
    for tid in range(200, 200 + draw.randrange(1, 5)):
        truth[tid] = drawn_thread(draw)
        records += [(at, tid, state) for at, state in truth[tid]]
        times = sorted(draw.sample(range(1, END), 2 * draw.randrange(1, 8)))
        stream = process.thread(tid)
        for begin, end in zip(times[::2], times[1::2]):
            stream.push(begin, f'range {len(ranges)}')
            stream.pop(end)
            ranges.append((tid, begin, end))
    lost, first, complete = [], 0, END
    if is_lossy:
        for _ in range(draw.randrange(5)):
            a = draw.randrange(END)
            us = draw.choice((draw.randrange(1, 60), draw.randrange(100, 400)))
            lost.append((a, a + us * 1000, us))
        first = draw.choice((0, draw.randrange(1, END // 2)))  # a ring's earlier switches
        complete = draw.choice((END, draw.randrange(END // 2, END)))
        for a, b, _ in sorted(lost, key=lambda times: -times[1]):
            complete = min(a, complete) if b >= complete else complete
    kept = [(at, tid, state) for at, tid, state in records
            if first <= at and (at < complete or draw.random() < 0.2) and not (any(a < at < b for a, b, _ in lost) and draw.random() < 0.6)]
    if is_lossy and kept and not lost and not first and complete == END:  # one is missing, and nobody says so
        kept.remove(draw.choice([record for record in kept if record[2] != ENDED] or kept))
    kept += [(b, us, LOST) for a, b, us in lost if b < complete]
    lost = [(a, b) for a, b, _ in lost if b < complete] + [(complete, END * 10)] + ([(-END * 10, first)] if first else [])
    draw.shuffle(kept)  # a batch has one processor after the other
    for _ in range(3):  # but a chunk has no switches from before it was begun
        at = draw.randrange(len(kept) + 1)
        kept[:at] = sorted(kept[:at])
    kept.sort(key=lambda record: record[0] // (END // 10))
    size = draw.randrange(1, len(kept) + 2)
    parts = [kept[i:i + size] for i in range(0, len(kept), size)] or [[]]
    parts[-1] = parts[-1] + [(complete, 0, COMPLETE)]
    recording.switches = [(i + (7 if first else 0), first if i == 0 else 0, part) for i, part in enumerate(parts)]
    recording.write(path)
    return truth, ranges, kept, sorted(lost)


def of_thread(kept, lost, tid):
    """What is known of a thread: (from, state)."""
    return known(sorted((at, state) for at, who, state in kept if who == tid and state <= ENDED), lost)


def check_tree(bench, path, rows):
    """Each range is of one thread, with nothing in it."""
    for row in bench.table('tree', '--csv', path):
        equal({name: row[name] for name in ('CPU (ns)', 'Blocked (ns)', 'Preempted (ns)')}, {name: rows[row['Range']][name] for name in ('CPU (ns)', 'Blocked (ns)', 'Preempted (ns)')}, row['Range'])


def check_figures(bench, is_lossy, taken, path, truth, ranges, kept, lost):
    rows = {row['Range']: row for row in bench.table('stats', '--csv', '--columns', COLUMNS + ',cpu_share', path)}
    check_tree(bench, path, rows)
    for i, (tid, begin, end) in enumerate(ranges):
        row = rows[f'range {i}']
        got = [int(row[f'{name} (ns)'] or 0) for name in ('CPU', 'Blocked', 'Preempted')]
        wanted = sums(of_thread(kept, lost, tid), begin, end)
        true = sums(truth[tid], begin, end)
        equal(got, [wanted[ON], wanted[BLOCKED], wanted[PREEMPTED]], f'range {i} of thread {tid} from {begin} to {end}')
        require(all(g <= true[state] for g, state in zip(got, (ON, BLOCKED, PREEMPTED))), 'never invented', got, true)
        if not is_lossy:
            equal(got, [true[ON], true[BLOCKED], true[PREEMPTED]], f'range {i}, of which all is known')
        part, share = end - begin - wanted[None], row['CPU (%)']
        require(abs(float(share) - 100 * wanted[ON] / part) < 1e-9 if 2 * part > end - begin else not share, f'range {i}: a share of what is known', share)
        equal(row['CPU (ns)'] == '', part == 0, f'range {i}: nothing is known')
        taken('whole' if not wanted[None] else 'partly known' if sum(got) else 'unknown')


def slices(bench, path, *options):
    """The states of threads in an export, by Perfetto's own protos: (tid, from, to, name)."""
    done = bench.run('export', '--format', 'perfetto', '-f', *options, '-o', bench.here('drawn.pftrace'), path, status=None)
    if 'built without' in done.stderr:
        checks.skip(done.stderr)
    trace, tracks, names, found = checks.perfetto_protos().Trace(), {}, {}, []
    with open(bench.here('drawn.pftrace'), 'rb') as f:
        trace.ParseFromString(f.read())
    for packet in trace.packet:
        names.update({name.iid: name.name for name in packet.interned_data.event_names})
        if packet.HasField('track_descriptor'):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        track = tracks.get(packet.track_event.track_uuid)
        if track and track.name == 'state':
            if packet.track_event.type == packet.track_event.TYPE_SLICE_BEGIN:
                found.append((tracks[track.parent_uuid].thread.tid, packet.timestamp, None, names[packet.track_event.name_iid]))
            else:
                found[-1] = (*found[-1][:2], packet.timestamp, found[-1][3])
    return found


def stretches(bench, path, *options):
    """When threads had a processor, and which, in Nsight's table: (tid, from, to, processor)."""
    done = bench.run('export', '--format', 'sqlite', '-f', *options, '-o', bench.here('drawn.sqlite'), path, status=None)
    if 'built without' in done.stderr:
        checks.skip(done.stderr)
    rows = sqlite3.connect(bench.here('drawn.sqlite')).execute('SELECT globalTid, start, isSchedIn, cpu FROM SCHED_EVENTS ORDER BY rowid').fetchall()
    require(all(a[0] == b[0] and a[2] == 1 and b[2] == 0 and a[3] == b[3] for a, b in zip(rows[::2], rows[1::2])), 'in and out by turns', rows)
    return [(a[0] & 0xffffff, a[1], b[1], a[3]) for a, b in zip(rows[::2], rows[1::2])]


def check_exports(draw, bench, taken, path, ranges, kept, lost):
    """A filter by thread or time cuts the states, too; other states are never shown."""
    first, last = sorted(draw.sample(range(END), 2))
    tid = draw.choice(ranges)[0]
    options, first, last, tids = draw.choice([
        ((), -END * 10, END * 10, {who for who, _, _ in ranges}), (('--thread', str(tid)), -END * 10, END * 10, {tid}),
        (('--from', f'{first}ns', '--to', f'{last}ns'), first, last, {who for who, begin, end in ranges if begin < last and end > first})])
    wanted = []
    for tid in tids:
        points = [*of_thread(kept, lost, tid), (END * 10, None)]
        known_at = {at for at, who, state in kept if who == tid and state <= ENDED}  # else it is that of the switch after it
        wanted += [(tid, max(at, first), min(until, last), STATES[state], processor(at if at in known_at else until, tid)) for (at, state), (until, _) in zip(points, points[1:])
                   if state in STATES and at < until and at < last and until > first]
    got = [one for one in slices(bench, path, *options) if one[1] < one[2]]
    equal(sorted(got), sorted(one[:4] for one in wanted), f'perfetto {options}')
    got = [one for one in stretches(bench, path, *options) if one[1] < one[2]]
    equal(sorted(got), sorted((*one[:3], one[4]) for one in wanted if one[3] == 'Running'), f'sqlite {options}')
    taken(options[0] if options else 'all', len(got))


def damaged(draw, bench, path):
    """Whatever is in the file, the parts of a range are no more than it."""
    with open(path, 'r+b') as f:
        data = f.read()
        f.seek(0)
        f.write(drawn.mutated(draw, data))
    done = bench.run('stats', '--csv', '--columns', COLUMNS, path, status=None)
    require(done.returncode in (0, 1), done.returncode, done.stderr)
    for row in driver.table(done.stdout):
        parts = [int(row[f'{name} (ns)'] or 0) for name in ('Total Time', 'CPU', 'Blocked', 'Preempted')]
        require(min(parts) >= 0 and sum(parts[1:]) <= parts[0], 'parts of a damaged recording', row)


def case_switches_drawn(bench):
    """The figures of drawn switches are those of a second computation; what was lost is unknown, never invented."""
    taken = checks.Taken('whole', 'partly known', 'unknown')
    for seed in seeds(60):
        draw = random.Random(seed)
        path = bench.here('drawn.nvtxh')
        drawn_parts = write(draw, path, seed % 3 > 0)
        check_figures(bench, seed % 3 > 0, taken, path, *drawn_parts)
        damaged(draw, bench, path)
    taken.finish()


def case_switches_exported(bench):
    """Exports have the states of threads that are known, and no others."""
    taken = checks.Taken('all', '--thread', '--from')
    for seed in seeds(40):
        draw = random.Random(seed)
        path = bench.here('drawn.nvtxh')
        _, *drawn_parts = write(draw, path, seed % 3 > 0)
        check_exports(draw, bench, taken, path, *drawn_parts)
    taken.finish()


def case_switches_diff(bench):
    """On a busy machine, the CPU time shows a change that the wall time does not; where switches are lost, it is not compared."""
    draw = random.Random(1)

    def run(name, cpu, lost=False):
        recording = Recording(end=10 * END)
        stream = recording.process().thread(200)
        off, half = draw.randrange(1, 6 * END), cpu // 2
        stream.push(1000, 'step')
        stream.pop(1000 + 2 * half + off)
        switches = [(500, 200, ON), (1000 + half, 200, PREEMPTED), (1000 + half + off, 200, ON), (9 * END, 200 if not lost else 10**9, ENDED if not lost else LOST)]
        recording.switches = [(0, 0, [*switches, (10 * END, 0, COMPLETE)])]
        return recording.write(bench.here(name)), 2 * half
    for change in 1, 1.1:
        runs = [[run(f'{side}{i}.nvtxh', int(END * factor * draw.uniform(0.998, 1.002))) for i in range(5)] for side, factor in (('a', 1), ('b', change))]
        files = [path for path, _ in runs[0]] + ['--'] + [path for path, _ in runs[1]]
        means = [sum(cpu for _, cpu in side) / 5 for side in runs]
        row, = bench.table('diff', '--csv', '--columns', 'verdict,changed,cpu_a,cpu_b,cpu_change,cpu_p', *files)
        require(abs(float(row['CPU A (ns)']) - means[0]) <= 1 and abs(float(row['CPU B (ns)']) - means[1]) <= 1, row, means)
        equal([row['Verdict'], row['Changed']], ['unclear', 'CPU' if change > 1 else ''], 'by wall time')
        require(abs(float(row['CPU Change (%)']) - 100 * (means[1] / means[0] - 1)) < 0.01 and (float(row['CPU P']) < 0.01) == (change > 1), row)
        row, = bench.table('diff', '--csv', '--figure', 'cpu', *files)
        equal(row['Verdict'], 'slower' if change > 1 else 'same', 'by CPU time')
    run('a0.nvtxh', END, lost=True)
    row, = bench.table('diff', '--csv', '--columns', 'verdict,changed,cpu_a,cpu_b,cpu_change,cpu_p', *files)
    equal([row['CPU A (ns)'], row['CPU P']], ['', ''], 'a run that lost switches')


PARTS = 'spin', 'rest', 'mixed', 'yields', 'lock', 'pipes', 'pushed off', 'rest beside', 'fork', 'crowd'


def recorded(bench, *options, parts=PARTS, name='rec.nvtxh'):
    """What was recorded, and what the program said itself: {range: (ns, ns on a processor, preemptions, waits)}."""
    path = bench.here(name)
    done = bench.run('record', '-f', '--switches', *options, '-o', path, '--', bench.program('switched'), *parts)
    if 'without context switches' in done.stderr:
        checks.skip(done.stderr)
    lines = [re.fullmatch(r'(.*) (\d+) (\d+) (\d+) (\d+)', line) for line in done.stdout.splitlines()]
    return path, {line[1]: tuple(map(int, line.groups()[1:])) for line in lines}


def figures(bench, path):
    return {row['Range']: [int(row[f'{name} (ns)']) for name in ('Total Time', 'CPU', 'Blocked', 'Preempted')]
            for row in bench.table('stats', '--csv', '--name', '^[^f]', path)}


def agree(got, said):
    """The kernel's own account of a thread has the switches themselves, too: on an idle virtual machine up to some 100 µs each."""
    for name, (wall, cpu, preemptions, waits) in said.items():
        total, on, blocked, preempted = got[name]
        equal(on + blocked + preempted, total, f'{name}: the parts of a range')
        require(abs(on - cpu) <= 0.02 * cpu + 2_000_000 + 500_000 * (preemptions + waits), f'{name}: {on} ns on a processor, it says {cpu}')


def case_switched(bench):
    """CPU, blocked and preempted time of threads, children and short threads are what the program says itself."""
    path, said = recorded(bench)
    got = figures(bench, path)
    equal(set(said), set(got), 'ranges')
    agree(got, said)
    for name in 'rest', 'lock':
        total, on, blocked, preempted = got[name]
        require(blocked > 0.5 * (total - preempted), f'{name} waits', got[name])
    total, on, blocked, preempted = got['pushed off']
    require(preempted > blocked, 'a loop beside others is preempted', got['pushed off'])
    for command in 'stats', 'tree':
        wide = bench.run(command, '--name', '^spin$', path).stdout
        require(re.search('Range.* CPU', wide), 'a column for people', wide)
    rows = bench.table('stats', '--by', 'thread', '--csv', '--name', '^[^f]', path)
    by_thread = [sum(int(row[f'{name} (ns)']) for row in rows) for name in ('Total Time', 'CPU', 'Blocked', 'Preempted')]
    require(all(abs(by_thread[i] - sum(row[i] for row in got.values())) <= 30 for i in range(4)), 'by thread', by_thread)
    longest, = bench.table('stats', '--slowest', 'spin', '--csv', path)
    equal([int(longest[f'{name} (ns)']) for name in ('Duration', 'CPU', 'Blocked', 'Preempted')], got['spin'], 'the longest instance')
    require(re.search('(?m)^  pushed off had no processor for .* of its time, because others ran', bench.run('stats', '--name', 'pushed off', path).stdout), 'a finding')


def case_switches_derived(bench):
    """A ring keeps the last switches; snapshots and merged recordings have those of their parts; without them there are no columns."""
    path, said = recorded(bench, '--ring', '256k', parts=('ping', 'spin'))
    got = figures(bench, path)
    if sum(got['spin'][1:]) == got['spin'][0]:  # else the kernel has lost switches
        agree(got, {'spin': said['spin']})
    require(sum(got['ping'][1:]) < got['ping'][0], 'more switches than there is room for', got)
    bench.run('snapshot', '-f', '-o', bench.here('snap.nvtxh'), path)
    equal(figures(bench, bench.here('snap.nvtxh')), got, 'a snapshot of it')
    other, also = recorded(bench, parts=('rest', 'pipes'), name='other.nvtxh')
    bench.run('merge', '-f', '-o', bench.here('all.nvtxh'), path, other)
    merged, parts = figures(bench, bench.here('all.nvtxh')), {**got, **figures(bench, other)}
    require(set(merged) == set(parts) and all(abs(a - b) < 10 for name in parts for a, b in zip(merged[name], parts[name])), merged, parts)
    plain = bench.here('plain.nvtxh')
    bench.run('record', '--no-switches', '-o', plain, '--', bench.program('switched'), 'rest')
    bench.run('merge', '-f', '-o', bench.here('all.nvtxh'), plain, other)
    row, = bench.table('stats', '--csv', '--name', '^rest$', bench.here('all.nvtxh'))
    known_parts = zip(('CPU', 'Blocked', 'Preempted'), figures(bench, other)['rest'][1:])
    require(row['Instances'] == '2' and all(abs(int(row[f'{name} (ns)']) - ns) < 10 for name, ns in known_parts), 'a part without switches', row)
    for command in 'stats', 'tree':
        row, = bench.table(command, '--csv', '--name', 'rest', plain)
        require('CPU (ns)' not in row and not re.search('Range.* CPU', bench.run(command, plain).stdout), 'no switches', row)
    row, = bench.table('stats', '--csv', '--name', 'rest', '--columns', COLUMNS, plain)
    equal([row[f'{name} (ns)'] for name in ('CPU', 'Blocked', 'Preempted')], [''] * 3, 'no switches')
    if not bench.run('export', '--format', 'sqlite', '-o', bench.here('plain.sqlite'), plain, status=None).returncode:
        equal(sqlite3.connect(bench.here('plain.sqlite')).execute("SELECT 1 FROM sqlite_master WHERE name = 'SCHED_EVENTS'").fetchall(), [], 'no switches')


def case_switches_limited(bench):
    """They are recorded until a processor has had more than 5,000 in a second. That is said; the rest is unknown, with --switches nothing."""
    limited, command = bench.here('limited.nvtxh'), ['--', bench.program('switched'), 'rest', 'often', 'rest']
    done = bench.run('record', '--switches', '-o', limited, *command)
    if 'without context switches' in done.stderr:
        checks.skip(done.stderr)
    require('no more context switches' not in done.stderr, 'with --switches', done.stderr)
    require('no more context switches' not in bench.run('record', '-f', '-o', limited, '--', bench.program('switched'), *['spin'] * 12).stderr, 'few')
    for _ in range(10):  # beside others, it may get its processor too rarely
        done = bench.run('record', '-f', '-o', limited, *command)
        if said := re.search(r'after ([\d.]+) s no more context switches were recorded, because a processor had more than 5,000 a second', done.stderr):
            break
    got, (first, last) = figures(bench, limited), sorted(bench.table('stats', '--slowest', 'rest', '--csv', limited), key=lambda row: int(row['Start (ns)']))
    known, total = sum(got['often'][1:]), got['often'][0]
    start = int(bench.table('stats', '--slowest', 'often', '--csv', limited)[0]['Start (ns)'])
    require(said and total / 50 < known < total and start + known < float(said[1]) * 1e9 + 2e7, 'as long as is said', said, start, known, total)
    parts = 'CPU (ns)', 'Blocked (ns)', 'Preempted (ns)'
    equal(([sum(int(first[name]) for name in parts)], [last[name] for name in parts]), ([int(first['Duration (ns)'])], [''] * 3), 'before it, and after it')
    row, = bench.table('stats', '--csv', '--name', 'often', '--columns', 'name,cpu_share', limited)
    equal(row['CPU (%)'], '', 'a share of a time that is mostly unknown')


def refuse():
    """From here on, perf_event_open is not permitted."""
    code = [(0x20, 0, 0, 0), (0x15, 0, 1, 298), (0x06, 0, 0, 0x50001), (0x06, 0, 0, 0x7fff0000)]
    filters = ctypes.create_string_buffer(b''.join(struct.pack('<HBBI', *line) for line in code))
    program = struct.pack('<HxxxxxxQ', len(code), ctypes.addressof(filters))
    libc = ctypes.CDLL(None)
    if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, program, 0, 0):
        raise OSError('no filters here')


def case_switches_refused(bench):
    """Where the kernel refuses, that is said, and all else is recorded."""
    if struct.calcsize('P') != 8 or __import__('platform').machine() != 'x86_64':
        checks.skip('the filter is for x86-64')
    path = bench.here('rec.nvtxh')
    for options in ['--switches', '--no-switches'], []:
        done = bench.run('record', '-f', *options, '-o', path, '--', bench.program('switched'), 'rest', preexec_fn=refuse)
        require('switches' not in done.stderr, options, done.stderr)
    done = bench.run('record', '-f', '--switches', '-o', path, '--', bench.program('switched'), 'rest', preexec_fn=refuse)
    require('nvtxh: --switches: Operation not permitted (' in done.stderr and 'perf_event_paranoid' in done.stderr, done.stderr)
    row, = bench.table('stats', '--csv', '--name', 'rest', path)
    equal((row['Range'], row.get('CPU (ns)')), ('rest', None), 'the range alone')
    require('note  nvtxh record cannot record context switches: Operation not permitted (' in bench.run('doctor', preexec_fn=refuse).stdout, 'doctor')
    can = 'without context switches' not in bench.run('record', '--switches', '-f', '-o', path, '--', 'true').stderr
    require(('nvtxh record can record context switches' in bench.run('doctor').stdout) == can, 'doctor', can)
    done = bench.run('record', '--switches', '-o', bench.here('%p'), '--', 'true', status=2)
    require('--switches is for one file, but with -o ' in done.stderr, done.stderr)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
