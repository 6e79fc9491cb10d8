#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile a program of this directory and see that a claim about its life holds.

    run.py CLAIM --tool LIBRARY --compiler gcc|clang --language c|cpp [--nvtx NAME]

CLAIM is one of the functions claim_… below. Exit status 77: something is not installed; it says what.
"""
import argparse
import os
import pathlib
import re
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402

STANDARDS = {'c': 'gnu11', 'cpp': 'c++17'}


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


def require(holds, what, seen=''):
    if not holds:
        sys.exit(f'FAILED: {what}\n{seen}')


class Setting:
    def __init__(self, args, folder):
        self.folder = pathlib.Path(folder)
        self.compiler, self.language = args.compiler, args.language
        self.tool = args.tool.resolve()
        self.command = toolchain.compiler(args.compiler, args.language)
        if not self.command:
            skip(f'no {args.compiler} for {args.language}')
        self.headers = toolchain.nvtx_headers()
        if args.nvtx and args.nvtx not in self.headers:
            skip(f'no NVTX {args.nvtx} headers')
        self.nvtx = args.nvtx or sorted(self.headers)[0]

    def build(self, name, *more, output=None, nvtx=None, warn=True):
        output = self.folder / (output or name)
        made = toolchain.run([
            self.command,
            *toolchain.flags(self.language, STANDARDS[self.language], self.headers[nvtx or self.nvtx],
                             warn),
            '-D_GNU_SOURCE', '-g', *more, HERE / f'{name}.c', '-o', output,
            *([] if '-shared' in more else ['-x', 'none', self.tool, f'-Wl,-rpath,{self.tool.parent}']),
            '-ldl', '-pthread'])
        require(made.returncode == 0, f'{name} compiles', made.stdout)
        return output

    def has_sanitizer(self, flag):
        """Compiling is not enough: the run-time library is a package of its own."""
        probe = self.folder / 'probe.c'
        probe.write_text('int main(void) { return 0; }\n')
        if toolchain.run([self.command, '-x', 'c' if self.language == 'c' else 'c++', flag, probe,
                          '-o', self.folder / 'probe']).returncode:
            skip(f'{self.command} has no run-time library for {flag}')

    def run(self, program, *arguments, tool=None, words='', **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(('NVTX_', 'NVTXH_'))}
        if tool:
            environment['NVTX_INJECTION64_PATH'] = str(tool)
        if words:
            environment['NVTXH_TEST_TOOL'] = words
        environment.update(variables)
        return toolchain.run([program, *arguments], env=environment, timeout=300)

    def succeeds(self, program, *arguments, **how):
        done = self.run(program, *arguments, **how)
        require(done.returncode == 0, f'{program.name} {how} succeeds: {done.returncode}', done.stdout)
        return done.stdout


def claim_race(s):
    """First events of sixteen threads at once; a process has only one first time."""
    program = s.build('race')
    for _ in range(15):
        s.succeeds(program, tool=s.tool)


def claim_tsan(s):
    """The same, and no data race in the annotated code. The tool is not looked into."""
    s.has_sanitizer('-fsanitize=thread')
    program = s.build('race', '-fsanitize=thread')
    suppressions = s.folder / 'suppressions'
    suppressions.write_text(f'called_from_lib:{s.tool.name}\n')
    options = {'TSAN_OPTIONS': f'halt_on_error=1:suppressions={suppressions}'}
    for _ in range(4):
        s.succeeds(program, tool=s.tool, **options)
    program = s.build('ranges', '-fsanitize=thread')
    for case in 'threads', 'after':
        s.succeeds(program, case, tool=s.tool, **options)


def claim_throw(s):
    s.succeeds(s.build('throw'), tool=s.tool)


def claim_cancel(s):
    program = s.build('cancel', '-fexceptions')
    s.succeeds(program, tool=s.tool)
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
    plugin = s.build('plugin', '-shared', '-fPIC', output='plugin.so')
    unique = toolchain.run(['readelf', '-sW', '--dyn-syms', plugin]).stdout
    require(' UNIQUE ' not in unique, 'no symbol pins the object in memory', unique)
    program = s.build('plugins')
    print(s.succeeds(program, '1000', plugin))
    print(s.succeeds(program, '1000', plugin, tool=s.tool, words='silent'))
    # Everything told anew each time, to a tool that writes it down.
    print(s.succeeds(program, '10', plugin, tool=s.tool, NVTXH_TEST_GROWS='1'))


def claim_plugin_asan(s):
    """Nothing is left behind or used after it has gone. What a plugin leaks is reported, though not
    by name: it is gone by then. The process's own table is not looked for leaks of."""
    s.has_sanitizer('-fsanitize=address')
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
    s.has_sanitizer('-fsanitize=address')
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


def main():
    claims = {name[6:]: claim for name, claim in globals().items() if name.startswith('claim_')}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('claim', choices=claims)
    parser.add_argument('--tool', required=True, type=pathlib.Path)
    parser.add_argument('--compiler', required=True, choices=toolchain.COMPILERS)
    parser.add_argument('--language', required=True, choices=toolchain.LANGUAGES)
    parser.add_argument('--nvtx')
    args = parser.parse_args()
    # Meson's way to find uses of uninitialised memory; compilers get slow by it.
    os.environ.pop('MALLOC_PERTURB_', '')
    if not shutil.which('readelf'):
        skip('no readelf')
    with tempfile.TemporaryDirectory() as folder:
        claims[args.claim](Setting(args, folder))


if __name__ == '__main__':
    main()
