# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The lanes of lanes.c: every range and mark of a stream is shown in the lane of that stream, by its name, whatever shows it."""
import collections
import csv
import io
import json
import pathlib
import re
import sqlite3
import subprocess

from harness.browser import Browser
from harness.checks import environment, equal, optional, perfetto_protos, require

# What lanes.c does in each stream; in the stream without a name: "without".
WANTED = {'compute': ['inner', 'of a library', 'outer', 'replayed', 'replayed'], 'copy': ['first', 'second', 'there'],
          'CUDA stream 0x0': ['by default', 'by its name'], 'CUDA stream 0x2': ['of the thread'], 'request 1': ['before its name', 'early'], 'request 2': ['late'],
          **{f'crowd {i}': ['in a crowd'] * 3 for i in range(3)}, 'many': ['one of many'] * 120}
HOST = 'on the host'
PAGE = """model.ready.then(() => model.lanes.map(({pack, label, rows, marks}) => [label, [...rows, marks].flatMap(row =>
    [...row].map(e => pack.kinds.text[pack.paths.kind[pack.path[e]]]))]))"""


def grouped(pairs):
    """{lane: its messages in order} of pairs of lane and message."""
    lanes = collections.defaultdict(list)
    for lane, message in pairs:
        lanes[lane].append(message)
    return {lane: sorted(messages) for lane, messages in lanes.items()}


def of_chrome(trace):
    events = json.loads(trace)['traceEvents']
    names = {e['tid']: e['args']['name'] for e in events if e['name'] == 'thread_name'}
    return [(names.get(e['tid']), e['name']) for e in events if e['ph'] in 'Xib']


def of_perfetto(trace):
    protos = perfetto_protos()
    parsed, messages, tracks, found = protos.Trace(), {}, {}, []
    parsed.ParseFromString(trace)
    for packet in parsed.packet:
        messages.update({entry.iid: entry.name for entry in packet.interned_data.event_names})
        if packet.HasField('track_descriptor'):
            tracks[packet.track_descriptor.uuid] = packet.track_descriptor
        event = packet.track_event
        if event.type in (event.TYPE_SLICE_BEGIN, event.TYPE_INSTANT):
            track = tracks[event.track_uuid]
            if track.name == 'overlapping ranges':
                track = tracks[track.parent_uuid]
            found.append((track.thread.thread_name or track.name or None, messages.get(event.name_iid)))
    return [(None if lane == 'process ranges' else lane, message) for lane, message in found if message]


def of_sqlite(path):
    with sqlite3.connect(path) as db:
        return db.execute('select n.value, coalesce(m.value, e.text) from NVTX_EVENTS e left join StringIds m on m.id = e.textId join ThreadNames t '
                          'on t.globalTid = e.globalTid join StringIds n on n.id = t.nameId where e.eventType in (34, 59, 60)').fetchall()


def of_page(path):
    with Browser() as browser:
        browser.open(path.as_uri())
        browser.settled("document.readyState === 'complete'")
        return [(lane, message) for lane, messages in browser.evaluate(PAGE) for message in messages]


def check(what, found, wanted):
    """The host's own range is in a lane of another sort, whose name differs from one viewer to another."""
    found = grouped(found)
    host = [lane for lane, messages in found.items() if HOST in messages]
    require(len(host) == 1 and found.pop(host[0]) == [HOST], what, 'the range of the host is by itself', found)
    equal(found, {lane: sorted(messages) for lane, messages in wanted.items()}, what)


def copy_of_recorder(folder, nvtxh):
    """A second recorder that knows nothing of the first."""
    library = (pathlib.Path(nvtxh).parent / 'libnvtxh-record.so').read_bytes()
    for name in (b'NVTXH_RECORD_', b'nvtxh_is_recorder'):
        library = library.replace(name, name.replace(b'NVTXH', b'XVTXH').replace(b'nvtxh', b'xvtxh'))
    (folder / 'copy.so').write_bytes(library)
    return folder / 'copy.so'


def lanes(build, program, nvtxh):
    folder = build.folder
    has_scopes = build.nvtx not in ('3.0', '3.1')

    def ask(*command, **more):
        done = subprocess.run([nvtxh, *command], capture_output=True, env=environment(**more))
        require(done.returncode == 0, command, done.stderr)
        return done.stdout

    rec, other = folder / 'lanes.nvtxh', folder / 'other.nvtxh'
    handle = ask('record', '-f', '-o', rec, '--tool', copy_of_recorder(folder, nvtxh), '--', program,
                 XVTXH_RECORD_FILE=str(other)).decode().split()[0]
    wanted = {**WANTED, f'CUDA stream {handle}': ['without']}
    chrome = ask('export', '--format', 'chrome', rec)
    found = of_chrome(chrome)
    if not has_scopes:
        equal(grouped((None, message) for _, message in found), {None: sorted([HOST, *sum(wanted.values(), [])])}, 'all are there')
        require(not {lane for lane, _ in found} & set(wanted), 'no lanes', found)
        print('ok: without lanes')
        return
    check('chrome', found, wanted)
    equal(sum(e.get('args') == {'name': 'many'} for e in json.loads(chrome)['traceEvents']), 120, 'a lane for each stream of a name')
    check('chrome of another tool', of_chrome(ask('export', '--format', 'chrome', other)), wanted)
    with optional():
        check('perfetto', of_perfetto(ask('export', '--format', 'perfetto', '-o', '-', rec)), wanted)
    for form in 'sqlite', 'html':
        ask('export', '--format', form, '-f', '-o', folder / f'lanes.{form}', rec)
    check('sqlite', of_sqlite(folder / 'lanes.sqlite'), wanted)
    totals = csv.reader(io.StringIO(ask('stats', '--csv', '--by', 'thread', rec).decode()))
    require(set(wanted) <= {cell for row in totals for cell in row}, 'stats', totals)
    payloads = {row['Message']: row['Payload'] for row in csv.DictReader(io.StringIO(ask('export', '--format', 'csv', rec).decode()))}
    equal({message: payload for message, payload in payloads.items() if payload}, {'inner': '5'}, 'the scope is no payload')
    with sqlite3.connect(folder / 'lanes.sqlite') as db:
        names = db.execute("select name from NVTXH_RESOURCES where name like 'request%' order by timestamp").fetchall()
    equal(names, [('request 1',), ('request 2',)], 'each name at its time')
    with optional():
        check('page', of_page(folder / 'lanes.html'), wanted)
    log = folder / 'lanes.log'
    handle = build.run(program, tool=build.tool, NVTXH_TEST_LOG=str(log)).stdout.split()[0]
    ends = collections.Counter(re.findall(' end in (CUDA stream .*) #', log.read_text()))
    require(ends.pop(f'CUDA stream {handle}', 0) == 1 and sorted(ends.values()) == [1] * 121 + [2, 2, 3, 3, 3, 3, 5] and 'mark [there] in CUDA stream 0x' in log.read_text(), 'what a tool is sent', ends, log.read_text())
    print('ok: lanes')
