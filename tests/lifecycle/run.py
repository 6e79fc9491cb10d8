#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile a program of this directory and see that a claim about its life holds.

    run.py CLAIM COMPILER/LANGUAGE[/NVTX]

CLAIM is one of the functions claim_… below. Exit status 77: something is not installed; it says what.
"""
import os
import pathlib
import re
import resource
import shutil
import subprocess
import time

from harness import checks, programs, readers, toolchain
from harness.checks import equal, need, optional, require, skip

HERE = pathlib.Path(__file__).resolve().parent


class Setting(programs.Way):
    def build(self, name, *more, **options):
        return super().build(HERE / f'{name}.c', *more, tool='-shared' not in more, **options)


def claim_race(s):
    """First events of sixteen threads at once; a process has only one first time."""
    program = s.build('race')
    for _ in range(15):
        s.succeeds(program, tool=s.tool)
    for _ in range(2):  # a tool that takes its time gives the others some
        s.succeeds(program, tool=s.tool, NVTXH_TEST_TOOL='slow')


def claim_tsan(s):
    """The same, and no data race in the annotated code. The tool is not looked into."""
    s.sanitized('thread')
    program = s.build('race', '-fsanitize=thread')
    suppressions = s.folder / 'suppressions'
    suppressions.write_text(f'called_from_lib:{s.tool.name}\n')
    options = {'TSAN_OPTIONS': f'halt_on_error=1:suppressions={suppressions}'}
    for _ in range(4):
        s.succeeds(program, tool=s.tool, **options)
    program = s.build('first_calls', '-fsanitize=thread')
    for which in range(25):
        s.succeeds(program, which, **options)
        s.succeeds(program, which, tool=s.tool, **options)
    program = s.build('ranges', '-fsanitize=thread')
    for case in 'threads', 'after':
        s.succeeds(program, case, tool=s.tool, **options)
    program = s.build('first_plain', '-fsanitize=thread')
    s.succeeds(program, tool=s.tool, words='slow', **options)
    for _ in range(4):
        s.succeeds(program, 'fails', tool=s.tool, words='slow,fail', **options)


def claim_throw(s):
    s.succeeds(s.build('throw'), tool=s.tool)


def claim_cancel(s):
    program = s.build('cancel', '-fexceptions', '-DNVTXH_CHECK')
    require(not s.succeeds(program, tool=s.tool), 'NVTXH_CHECK finds no mistakes')
    # Cancelled within the tool, which waits there.
    s.succeeds(program, 'in the tool', tool=s.tool, words='slow')


def claim_reentry(s):
    s.succeeds(s.build('reentry'), tool=s.tool)


def claim_lock(s):
    s.succeeds(s.build('lock'), tool=s.tool)


def claim_ranges(s):
    """A process range ends wherever it does, once, and its place is used again."""
    plugin = s.build('ranges_object', '-shared', '-fPIC', output='object.so')
    program = s.build('ranges')
    for case in 'objects', 'threads', 'after':
        s.succeeds(program, case, plugin, tool=s.tool)
    s.succeeds(program, 'grows', tool=s.tool, words='silent')
    tool = s.build('ranges_tool', '-shared', '-fPIC', output='tool.so', warn=False)
    for case in 'signals', 'forked':
        seen = s.succeeds(program, case, tool=tool)
        require(' ranges' in seen, 'the tool was told of ranges', seen)


def claim_sharing(s):
    plugin = s.build('plugin', '-shared', '-fPIC', output='plugin.so')
    other = shutil.copy(plugin, s.folder / 'other.so')
    s.succeeds(s.build('sharing'), plugin, other, tool=s.tool)


def claim_plugin(s):
    """Loaded and unloaded a thousand times: gone each time, without and with a tool."""
    need('readelf')
    plugin = s.build('plugin', '-shared', '-fPIC', output='plugin.so')
    unique = toolchain.run(['readelf', '-sW', '--dyn-syms', plugin]).stdout
    require(' UNIQUE ' not in unique, 'no symbol pins the object in memory', unique)
    program = s.build('plugins')
    print(s.succeeds(program, '1000', plugin))
    print(s.succeeds(program, '1000', plugin, tool=s.tool, words='silent'))
    # Each time the tool gets everything anew, and logs it.
    log = s.folder / 'log'
    print(s.succeeds(program, '10', plugin, tool=s.tool, NVTXH_TEST_GROWS='1', NVTXH_TEST_LOG=log))
    events = log.read_text()
    require(events.count('[run]') == 10 and 'gone' not in events, 'all of it, and nothing after the library has gone', events)


def claim_plugin_asan(s):
    """A plugin leaves nothing behind, and nobody uses it after it has gone. Its leaks would be reported, though not
    by name, because it has gone by then. Leaks of the process's own table are not looked for."""
    s.sanitized('address')
    flags = ['-fsanitize=address,undefined', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer']
    if s.compiler == 'clang':
        flags += ['-shared-libasan']
    plugin = s.build('plugin', '-shared', '-fPIC', *flags, output='plugin.so')
    more = {}
    if s.compiler == 'clang':
        runtime = toolchain.run([s.command, '-print-file-name=libclang_rt.asan-x86_64.so']).stdout
        runtime = pathlib.Path(runtime.strip())
        if not runtime.is_absolute():
            skip('clang has no shared AddressSanitizer')
        more['LD_LIBRARY_PATH'] = str(runtime.parent)
    program = s.build('plugins', *flags)
    for how in [{}, {'tool': s.tool, 'words': 'silent'}]:
        print(s.succeeds(program, '200', plugin, **how, **more, NVTXH_TEST_GROWS='1',
                         ASAN_OPTIONS='detect_leaks=1'))


def claim_forks(s):
    program = s.build('forks')
    s.succeeds(program)
    for moment in '0', '2', '40':
        s.succeeds(program, moment, tool=s.tool, words='slow')
    s.succeeds(program, '1', tool=s.tool)


def claim_first_fork(s):
    """A fork while another thread is in NVTX's first call: our annotations do not wait for it. One that is not
    in NVTX's part of it costs the child nothing."""
    program = s.build('first_fork')
    tool = s.build('first_fork_tool', '-shared', '-fPIC', output='tool.so', warn=False)
    for case in 'ours', 'raw':
        s.succeeds(program, case, tool=tool)
    s.succeeds(program, 'later', tool=tool, NVTXH_TEST_LATER='1')


def claim_tools(s):
    """What the program itself does is the same with any tool and with none."""
    program = s.build('tools')
    broken = s.folder / 'broken.so'
    broken.write_text('not a library\n')
    empty = s.folder / 'empty.so'
    made = toolchain.run([s.command, '-shared', '-x', 'c' if s.language == 'c' else 'c++',
                          '/dev/null', '-o', empty])
    require(made.returncode == 0, 'an empty library', made.stdout)
    log = s.folder / 'log'
    cases = [('', None), ('', 'missing.so'), ('', broken), ('', empty)]
    cases += [(words, s.tool) for words in (
        '', 'null', 'uncounted', 'core', 'core2', 'pushpop', 'nostring', 'nodomain', 'mark', 'thread',
        'fail', 'faillate', 'slow', 'null,core', 'uncounted,nostring', 'pushpop,null')]
    for words, tool in cases:
        log.unlink(missing_ok=True)
        done = s.run(program, tool=tool, words=words, NVTXH_TEST_LOG=str(log))
        what = f'with {tool.name if isinstance(tool, pathlib.Path) else tool} {words}'
        require(done.returncode == 7 and done.stdout == 'the sum is 18\n',
                f'{what}: the same output and status', f'{done.returncode}\n{done.stdout}')
        events = log.read_text().splitlines() if log.exists() else []
        heard = tool == s.tool and 'fail' not in words
        require(bool(events) == heard, f'{what}: {len(events)} events')
        listening = s.run(program, 'ask', tool=tool, words=words).returncode
        require(listening == (3 if heard else 0), f'{what}: it knows who listens', listening)
        wrong = [e for e in events if 'pop!' in e]
        if not {'null', 'nodomain', 'pushpop', 'mark'} & set(words.split(',')):
            wrong += [e for e in events if 'BAD' in e]
        else:  # NULL handles are what this tool has given
            wrong += [e for e in events if re.search(r'BAD\((?!NULL domain|no string)', e)]
        require(not wrong, f'{what}: every event is right', '\n'.join(events))
        count = {w: sum(w in re.findall(r'\w+', re.sub(r"\[.*\]|'.*'", '', e)) for e in events)
                 for w in ('push', 'pop', 'start', 'end')}
        require(count['push'] == count['pop'] and count['start'] == count['end'],
                f'{what}: balance', count)


def claim_takeback(s):
    """A tool may take its functions back at any moment. Not optimized, what is loaded twice is loaded twice."""
    for flags in ['-O0', '-DNVTXH_IMPLEMENTATION'], []:
        s.succeeds(programs.Way.build(s, HERE / 'takeback.c', *flags, tool=False))


def claim_signals(s):
    """A handler that annotates waits for nobody, and one that jumps out of an annotation leaves the thread in order."""
    for flags in ['-O0'], []:
        s.succeeds(programs.Way.build(s, HERE / 'jumps.c', *flags, tool=False))
    s.succeeds(s.build('mistakes', '-DNVTXH_CHECK'), timeout=240)


def claim_mistakes(s):
    """Mistakes at 256 places are reported, each place once; then that there are more, once."""
    source = s.folder / 'places.c'
    source.write_text('#include "nvtxh.h"\nint main(void)\n{\nfor (int i = 0; i < 3; i++) {\n' + 'NVTX_POP();\n' * 300 + '}\nreturn 0;\n}\n')
    program = programs.Way.build(s, source, '-DNVTXH_CHECK', output='places', tool=False)
    lines = s.succeeds(program, tool=s.tool).splitlines()
    expected = [f"nvtxh: {source}:{5 + i}: pop without a push in domain '(default)'" for i in range(256)]
    require(lines == [*expected, 'nvtxh: mistakes at 256 places were reported; no more will be'], 'all of the first, and a last line', lines[-3:])


def claim_messages(s):
    """Reports of mistakes and statistics, wherever descriptor 2 leads: the program has its output and its status."""
    ways = {'checked': []}
    if s.language == 'c':
        ways['instrumented'] = ['-finstrument-functions', toolchain.ROOT / 'nvtxh' / 'instrument.c']
    for name, flags in ways.items():
        program = s.build('messages', '-DNVTXH_CHECK', *flags, output=name)

        def ends(stderr, *arguments, stats='1', program=program, **options):
            done = subprocess.run([program, *arguments], stdout=subprocess.PIPE, stderr=stderr, timeout=240,
                                  env=checks.environment(NVTXH_STATS=stats), check=False, **options)
            equal((done.returncode, done.stdout), (5, b'finished\n'), f'{name}, {arguments}, {stats}')

        kinds = readers.HOSTILE if name == 'checked' else {'gone_pipe'}
        for kind in kinds:
            with optional(), readers.HOSTILE[kind]() as stderr:
                ends(stderr, 'plain')
        for way, stats in (('pending', '1'), ('pending', '0'), ('plain', '/proc/none/statistics')):
            with readers.gone_pipe() as stderr:
                ends(stderr, way, stats=stats)
        # A full file: SIGXFSZ would end the program.
        full, most = s.folder / 'full', 40
        for stats in '1', full:
            full.write_bytes(b'-' * (most - 10))
            with open(full, 'ab') as stderr:
                ends(stderr, 'plain', stats=stats, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (most, most)))
            equal(full.stat().st_size, most, 'as much as there is room for')
        with readers.gone_pipe() as gone:  # the file of the statistics itself
            ends(subprocess.DEVNULL, 'plain', stats=f'/proc/self/fd/{gone}', pass_fds=[gone])
        data = s.folder / 'data'
        ends(subprocess.DEVNULL, 'reused', data, preexec_fn=lambda: os.close(2))
        equal(data.read_text(), 'data\n', 'reused')
        ends(subprocess.DEVNULL, 'replaced', data)
        equal(data.read_text(), 'data\n', 'replaced')


    # A program without statistics says so, once.
    source = s.folder / 'none.c'
    source.write_text('#include "nvtxh.h"\nint main(void)\n{\nNVTX_MARK("x");\nreturn 5;\n}\n')
    program = programs.Way.build(s, source, output='none')
    for kind in readers.HOSTILE.values():
        with optional(), kind() as stderr:
            done = subprocess.run([program], stderr=stderr, env=checks.environment(NVTXH_STATS='1'), timeout=240, check=False)
            equal(done.returncode, 5, f'without statistics, {kind.__name__}')
    require('has no statistics' in s.run(program, NVTXH_STATS='1').stdout, 'where somebody reads')


def claim_slow_reader(s):
    """A table of statistics that a pipe has no room for is whole, if somebody reads the pipe."""
    source = s.folder / 'rows.c'
    source.write_text('#include "nvtxh.h"\n#include "nvtxh/stats.h"\nint main(void)\n{\n' + ''.join(
        f'{{ NVTX_SCOPE("row {i}"); }}\n' for i in range(300)) + 'return 0;\n}\n')
    program = programs.Way.build(s, source, output='rows')
    with readers.small_pipe(4096) as (reader, writer):
        process = subprocess.Popen([program], stderr=writer, env=checks.environment(NVTXH_STATS='1'))
        found = b''
        while process.poll() is None:
            time.sleep(0.02)
            found += readers.rest(reader)
        found += readers.rest(reader)
    equal(process.returncode, 0, 'status')
    rows = sorted(int(number) for number in re.findall(rb'^row (\d+) ', found, re.MULTILINE))
    equal(rows, list(range(300)), 'rows')


def claim_old_driver(s):
    """A driver of CUDA that lacks functions is not called by a capture."""
    driver = s.build('old_driver', '-shared', '-fPIC', '-DDRIVER', '-Wl,-soname,libcuda.so.1', output='libcuda.so.1')
    program = s.build('old_driver')
    s.succeeds(program, driver)
    s.succeeds(program, driver, tool=s.tool)


def claim_exits(s):
    """Before main, after it, and in the very end."""
    program = s.build('exits')
    log = s.folder / 'log'
    require(s.run(program).returncode == 5, 'status without a tool')
    done = s.run(program, tool=s.tool, NVTXH_TEST_LOG=str(log))
    require(done.returncode == 5 and not done.stdout, 'status and output', done.stdout)
    events = [line.split(' ', 1)[1] for line in log.read_text().splitlines()]
    scopes = ['[object made]'] if s.language == 'cpp' else []
    expected = ['life push [constructor]', 'life pop']
    for scope in [*scopes, '[main]']:
        expected += [f'push {scope}', 'pop']
    expected += ['life start [left open] #1']
    # What is registered last goes first.
    for scope in ['[atexit]', *(['[object destroyed]'] if s.language == 'cpp' else []),
                  '[atexit, early]']:
        expected += [f'push {scope}', 'pop']
    expected += ['life push [destructor] cat=late', "mark 'late 1'", 'life start [late range] #2',
                 'life end #2', 'life pop', 'life push [last]', 'life pop']
    require(events == expected, 'events in order', '\n'.join(events))
    # Other threads are in the middle of events while the process ends: nothing is taken from them.
    s.sanitized('address')
    program = s.build('exits', '-fsanitize=address', output='exits-asan')
    for _ in range(8):
        done = s.run(program, 'busy', tool=s.tool, words='silent')
        require(done.returncode == 5 and not done.stdout, 'status, busy', done.stdout)


def claim_raw(s):
    for version, include in s.headers.items():
        hpp = s.language == 'cpp' and (pathlib.Path(include) / 'nvtx3' / 'nvtx3.hpp').exists()
        for order in ([], ['-DLATE']) if version == s.nvtx else ([],):
            program = s.build('raw', *order, *(['-DHAVE_HPP'] if hpp else []), nvtx=version,
                              output=f'raw-{version}-{len(order)}', warn=False)
            print(version, 'with nvtx3.hpp' if hpp else '', order)
            s.succeeds(program, tool=s.tool)


if __name__ == '__main__':
    programs.main(globals(), __doc__, Setting)
