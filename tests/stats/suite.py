#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Statistics and instrumentation of whole programs, from outside: by the environment, against the
recorder and against Nsight Systems.

    suite.py CLAIM COMPILER/LANGUAGE

CLAIM is one of the functions claim_... below. Exit status 77: something is missing; it says what.
"""
import collections
import csv
import io
import itertools
import json
import os
import random
import re
import struct

import drawn
import drawn_mistakes
import functions_drawn
import functions_inlined
import functions_names
from harness import locales, nsight, programs, toolchain
from harness.checks import NVTXH, equal, require, skip
from harness.draws import seeds
from setting import Setting, by_range


def claim_environment(s):
    """NVTXH_STATS: to stderr, to a file in any format, not at all."""
    program = s.build('program')
    (s.folder / 'plain.c').write_text('#include "nvtxh.h"\nint main(void)\n{\n    NVTX_SCOPE("1");\n'
                                      '    NVTX_SCOPE("2");\n    return 0;\n}\n')
    plain = s.build('plain', sources=(s.folder / 'plain.c',))
    for unset in {}, {'NVTXH_STATS': ''}, {'NVTXH_STATS': 0}:
        require(s.succeeds(plain, **unset) == '', f'silent with {unset}')
    said = s.succeeds(plain, NVTXH_STATS=1)
    require(said.count('nvtxh/stats.h') == 1 and said.count('\n') == 1,
            'without stats.h, one line says what to include', said)
    (s.folder / 'heard.c').write_text('#include "nvtxh.h"\n#include "nvtxh/stats.h"\nint main(int argc, char **argv)\n{\n    (void)argv;\n'
                                      '    NVTX_MARK("1");\n    return nvtxh_listening() != (argc > 1);\n}\n')
    heard = s.build('heard', sources=(s.folder / 'heard.c',))
    s.succeeds(heard)
    s.succeeds(heard, 'listens', NVTXH_STATS=s.folder / 'heard.txt')
    (s.folder / 'passes_none.c').write_text('#include "nvtxh.h"\n#include "nvtxh/stats.h"\n#include <sys/wait.h>\n#include <unistd.h>\nint main(void)\n{\n'
                                            '    return !nvtxh_listening() || (fork() && wait(NULL) < 0);\n}\n')
    passes_none = s.build('passes_none', sources=(s.folder / 'passes_none.c',))
    said = s.succeeds(passes_none, NVTXH_STATS=1)
    require(re.fullmatch(r'nvtxh: process \d+ has passed no annotation\n', said), 'without annotations a line of the parent, and none of its child', said)
    s.succeeds(passes_none, NVTXH_STATS=s.folder / 'none.json')
    equal([(path.name, json.loads(path.read_text())) for path in s.folder.glob('none.json*')], [('none.json', {'ranges': []})], 'a file without rows')
    require(s.succeeds(program) == '', 'silent without the variable')
    for off in '', '0':
        require(s.succeeds(program, NVTXH_STATS=off) == '', f'silent with NVTXH_STATS={off}')
    said = s.succeeds(program, NVTXH_STATS=1)
    lines = said.splitlines()
    require('nvtxh: statistics of process' in said and lines[1].split() ==
            'Range Total Share Count Avg Self P99 Med Max Min P90 P99.9 StdDev Style Place'.split(), 'a table on stderr', said)
    cell = r' +[\d.]+ (ns|us|ms|s)\b'
    require(re.search(rf'^train:work{cell} +[\d.]+ % +500({cell}){{9}} +PushPop +/.+:\d+$', said, re.MULTILINE),
            'names first, times with units', said)
    for name in 'out.csv', 'out.json', 'out.txt', 'out-%p.csv':
        require(s.succeeds(program, NVTXH_STATS=s.folder / name) == '', f'{name}: silent')
    rows = by_range((s.folder / 'out.csv').read_text())
    require({name: int(row['Instances']) for name, row in rows.items()} == dict.fromkeys(
        ['train:work', 'inner work', 'done', 'process range', 'pushed'], 500), 'all is counted', rows)
    listed = json.loads((s.folder / 'out.json').read_text())['ranges']
    require({row['message']: row['count'] for row in listed} == dict.fromkeys(
        ['work', 'inner work', 'done', 'process range', 'pushed'], 500), 'in JSON, too', listed)
    require('train:work' in (s.folder / 'out.txt').read_text(), 'and as a table')
    require(len(list(s.folder.glob('out-[0-9]*.csv'))) == 1, '%p is the process id')
    for name in '100%s.csv', '%', '%n%n%s':
        require(s.succeeds(program, NVTXH_STATS=s.folder / name) == '' and (s.folder / name).is_file(), f'{name}: the name as it is')
    said = s.succeeds(program, NVTXH_STATS='/nonexistent/x')
    require('/nonexistent/x' in said and said.count('\n') == 1, 'says what it cannot write', said)


# Changes to the directory argv[1]. With a second argument, runs itself in a child before that.
ELSEWHERE = """#include "nvtxh.h"
#include "nvtxh/stats.h"
#include <sys/wait.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    NVTX_MARK("mark");
    if (argc > 2 && !fork())
        execl(argv[0], argv[0], ".", (char *)0);
    return (argc > 2 && wait(NULL) < 0) || chdir(argv[1]);
}
"""


def claim_names(s):
    """The file is in the directory in which the first annotation ran. Of a program and one that it starts, neither overwrites what the other has written."""
    (s.folder / 'elsewhere.c').write_text(ELSEWHERE)
    program, begun, ended = s.build('elsewhere', sources=(s.folder / 'elsewhere.c',)), s.folder / 'begun %p', s.folder / 'ended'
    for folder in begun, ended:
        folder.mkdir()
    for name in 'out.csv', 'earlier.csv', 'out-%p.csv':
        (ended / name).write_text('mine')
    (begun / 'earlier.csv').write_text('of an earlier run')
    for name in 'out.csv', 'earlier.csv', 'out-%p.csv':
        for more, count in ((), 1), ((), 2 if '%' in name else 1), (('again',), 4 if '%' in name else 2):
            s.succeeds(program, ended, *more, NVTXH_STATS=name, under=('env', '-C', begun))
            files = list(begun.glob(name.replace('%p', '*') + '*'))
            equal([by_range(path.read_text())['mark']['Instances'] for path in files], ['1'] * count, f'{name} {more} {files}')
        equal((ended / name).read_text(), 'mine', 'the other directory')


def claim_texts(s):
    """Names that are no UTF-8, or would turn a terminal's line around: valid CSV and JSON, and a table without controls."""
    program = s.build('texts', sources=('texts.c',))
    bad = [b'overlong \xc0\xaf', b'overlong \xe0\x80\xaf', b'overlong \xf0\x80\x80\xaf', b'surrogate \xed\xa0\x80',
           b'beyond \xf4\x90\x80\x80', b'alone \x80', b'cut \xe2', b'latin-1 caf\xe9!']
    good = ['turned \u202eback', 'isolated \u2066', 'mark \u061c', 'C1 \x85', 'bell \a', '"quoted\\"', 'caf\u00e9 \u20ac \U0001f600']
    expected = {text.decode('utf-8', 'replace') for text in bad} | set(good)
    for form in 'csv', 'json', 'txt':
        s.run(program, NVTXH_STATS=s.folder / f'out.{form}')
    rows = by_range((s.folder / 'out.csv').read_bytes().decode())
    require(set(rows) == expected, 'CSV', set(rows) ^ expected)
    found = {row['message'] for row in json.loads((s.folder / 'out.json').read_bytes().decode())['ranges']}
    require(found == expected, 'JSON', found ^ expected)
    table = (s.folder / 'out.txt').read_bytes().decode()
    for text in '\\u202e', '\\u2066', '\\u061c', '\\u0085', '\\x07', '"quoted\\"', 'caf\u00e9 \u20ac \U0001f600':
        require(text in table, 'the table has ' + text, table)
    require(not re.search('[\0-\t\v-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]', table), 'a table without controls', table)
    starts = {line.index('PushPop') for line in table.splitlines() if 'PushPop' in line}
    require(len(starts) == 1, 'columns stand under each other', (starts, table))
    for seed in seeds(1):
        drawn_texts(s, program, seed)


def encoded(code, n):
    """A number as UTF-8 would encode it in n bytes, which may be too many."""
    tail = [0x80 | code >> 6 * i & 0x3f for i in reversed(range(n - 1))]
    return bytes([(0xff00 >> n & 0xff | code >> 6 * (n - 1)) if n > 1 else code, *tail])


def drawn_texts(s, program, seed):
    """Numbers near those at which a rule begins or ends, in any number of bytes, some cut off; and any bytes."""
    source, texts = random.Random(seed), set()
    edges = [0x20, 0x7f, 0x80, 0xa0, 0x61c, 0x800, 0x200e, 0x2028, 0x202f, 0x2066, 0x206a, 0xd800, 0xdc00, 0xe000, 0x10000, 0x110000]
    while len(texts) < 600:
        text = b''
        for _ in range(source.randrange(1, 4)):
            code = max(1, source.choice([source.choice(edges) + source.randrange(-2, 2), source.randrange(1 << source.choice([7, 11, 16, 21]))]))
            enough = 1 + (code > 0x7f) + (code > 0x7ff) + (code > 0xffff)
            piece = encoded(code, min(4, enough + source.choice([0, 0, 1])))
            text += source.choice([piece, piece, piece[:-1], bytes([source.randrange(1, 256)]), b'x'])
        texts.add(text.replace(b'\0', b'') or b'x')
    expected = collections.Counter(re.sub('[\udc80-\udcff]', '\ufffd', text.decode('utf-8', 'surrogateescape')) for text in texts)
    path = s.folder / 'texts.bin'
    path.write_bytes(b''.join(text + b'\0' for text in sorted(texts)))
    shown = {}
    for form in 'csv', 'json', 'txt':
        s.succeeds(program, path, NVTXH_STATS=s.folder / f'drawn.{form}')
        shown[form] = (s.folder / f'drawn.{form}').read_bytes().decode()
    found = collections.Counter(row['Message'] for row in csv.DictReader(io.StringIO(shown['csv'], newline='')))
    equal(found, expected, f'seed {seed}, CSV')
    equal(collections.Counter(row['message'] for row in json.loads(shown['json'])['ranges']), expected, f'seed {seed}, JSON')
    lines = shown['txt'].split('\n')
    for text in expected:
        escaped = re.sub('[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]',
                         lambda m: f'\\{"x" if m[0] < chr(0x80) else "u"}{ord(m[0]):0{2 if m[0] < chr(0x80) else 4}x}', text)
        require(any(line.startswith(escaped + ' ') for line in lines), f'seed {seed}: the table has', repr(escaped))
    starts = {line.index('PushPop') for line in lines if 'PushPop' in line}
    require(len(starts) == 1, f'seed {seed}: columns stand under each other', starts)


def claim_drawn(s):
    """Random programs on a clock of their own, with a tool and without: every figure is what a model says."""
    program = s.build('drawn', '-rdynamic', sources=('drawn.c',))
    plugins = [s.build(f'drawn{i}.so', '-shared', '-fPIC', f'-DPLUGIN={i}', sources=('drawn.c',)) for i in (1, 2)]
    for number, seed in enumerate(seeds(60)):
        hz, tool = [0, 300000000, 1000000000, 3000000000][number % 4], s.tool if number % 3 == 2 else None
        lines = drawn.script(seed) if number > 1 else [drawn.SWITCHED, drawn.RELOADED][number]
        (s.folder / 'script').write_text(''.join(f'{what} {argument}\n' for what, argument in lines))
        said = s.succeeds(program, s.folder / 'script', hz, *plugins, tool=tool)
        try:
            drawn.check(lines, hz, said)
        except AssertionError:
            print(f'the script of seed {seed}, {hz} Hz, tool {tool}', *(f'{i} {what} {n}' for i, (what, n) in enumerate(lines)), sep='\n')
            raise


def claim_mistakes(s):
    """What NVTXH_CHECK says of random programs: each mistake once for its place, and nothing else."""
    program = s.build('drawn', '-DNVTXH_CHECK', sources=('drawn.c',))
    for seed in seeds(50):
        lines = drawn.script(seed, plugins=False) if seed % 5 else drawn_mistakes.deep(seed)
        (s.folder / 'script').write_text(''.join(f'{what} {argument}\n' for what, argument in lines))
        found = drawn_mistakes.reports(s.succeeds(program, s.folder / 'script', 0, 'none', 'none'))
        equal(found, drawn_mistakes.wanted(lines), f'seed {seed}')


def claim_objects(s):
    """A program and a plugin, loaded and closed three times: one table, all of it in there."""
    program = s.build('program')
    plugin = s.build('plugin.so', '-shared', '-fPIC', '-DPLUGIN')
    rows = s.counted(program, plugin, plugin, plugin)
    require(int(rows['in the plugin']['Instances']) == 3, 'what a closed plugin did is kept', rows)
    around, within = (int(rows[name]['Total Time (ns)']) for name in ('around the plugin', 'in the plugin'))
    own = int(rows['around the plugin']['Self (ns)'])
    require(abs(around - within - own) <= 10, "self is without other objects' scopes", rows)


def claim_fork(s):
    """A forked child counts for itself, from nothing on."""
    program = s.build('program')
    rows = s.counted(program, 'fork')
    require(int(rows['train:work']['Instances']) == 501, 'the parent goes on', rows)
    children = list(s.folder.glob('stats.csv.*'))
    require(len(children) == 1, 'the child writes a file of its own', children)
    rows = by_range(children[0].read_text())
    require({name: int(row['Instances']) for name, row in rows.items()}
            == {'train:work': 1, 'inner work': 1, 'with a thread': 1, 'of a thread': 1},
            'the child begins with an empty table, and its threads count for themselves', rows)


def claim_signals(s):
    """No count is lost to a signal handler on the same thread, with this architecture's instructions or
    without any."""
    s.succeeds(s.build('arena', sources=('arena.c',)))
    for name, flags in ('own', []), ('other', ['-DNVTXH_I_OTHER_ARCH']):
        s.succeeds(s.build(f'{name}-full', *flags, sources=('full.c',)))
        program = s.build(name, *flags, sources=('signals.c',))
        path = s.folder / f'{name}.csv'
        expected = s.succeeds(program, NVTXH_STATS=path).strip()
        found = {n: row['Instances'] for n, row in by_range(path.read_text()).items() if n != 'nested'}
        require(found == dict.fromkeys(['scope', 'mark', 'push', 'inner'], expected), f'{name}: exact counts',
                (found, expected))


def same(ours, theirs, names, what, tool_ns=0):
    """Counts are equal. Times are, too, unless a busy machine stops the program between one clock and the
    other: False then, to be tried again. The time that the tool itself takes is only in its own times."""
    for name in names:
        mine, other = ours[name], theirs[name]
        require(mine['Instances'] == other['Instances'], f'{what}: {name}: the same count', (mine, other))
        if not mine['Total Time (ns)'] or name == 'process range':  # of no length
            continue
        # nsys sometimes takes long between the two clocks, so minimum and median are compared, and not the sum.
        for column, within in (('Min (ns)', 0.01), ('Med (ns)', 0.05)) if tool_ns else (
                ('Total Time (ns)', 0.01), ('Med (ns)', 0.05), ('Avg (ns)', 0.01)):
            a, b = float(mine[column]), float(other[column])
            if abs(a - b) > within * b + 2000 + tool_ns:
                print(f'{what}: {name}: {column}: {a} and {b}')
                return False
    return True


def tried(attempt):
    """Five times, until the times are the same."""
    require(any(attempt(n) for n in range(5)), 'totals within 1 %')


def claim_recorder(s):
    """Counts equal, totals within 1 %: the statistics and the recording of one run."""
    program = s.build('program')

    def attempt(n):
        recording = s.folder / f'recording-{n}'
        rows = s.counted(NVTXH, 'record', '-o', recording, '--', program)
        recorded = by_range(s.succeeds(NVTXH, 'stats', '--csv', recording))
        require(set(rows) == set(recorded), 'the same ranges', set(rows) ^ set(recorded))
        for name, row in rows.items():  # marks have no times, and process ranges no share, self or inclusive time
            mine, other = ([bool(of[name][column]) for column in ('Time (%)', 'Self (ns)', 'Inclusive (ns)')] for of in (rows, recorded))
            require(mine == other, f'{name}: share, self and inclusive time', (row, recorded[name]))
            if mine[0] and abs(float(row['Inclusive (ns)']) - float(recorded[name]['Inclusive (ns)'])) > 0.01 * float(row['Inclusive (ns)']) + 2000:
                return False
            if mine[0] and abs(float(row['Time (%)']) - float(recorded[name]['Time (%)'])) > 0.5:
                return False
        return same(rows, recorded, rows, 'recorder')

    tried(attempt)


def claim_nsys(s):
    """Counts, minima and medians against Nsight Systems' nvtxsum, on a run under nsys."""
    if not nsight.importer():
        skip('nsys is not installed')
    program = s.build('program')
    tried(lambda n: nsys_attempt(program, s.folder / f'run-{n}'))


def nsys_attempt(program, folder):
    folder.mkdir()
    path, report = folder / 'stats.csv', folder / 'report'
    environment = dict(os.environ, NVTXH_STATS=str(path))
    done = nsight.profile(report, program, env=environment, cwd=folder)
    require(path.exists() and report.with_suffix('.nsys-rep').exists(), 'nsys runs', done.stdout)
    text = toolchain.run(['nsys', 'stats', '-q', '-r', 'nvtxsum', '-f', 'csv', nsight.to_sqlite(report)],
                         timeout=120).stdout
    text = text[text.index('Time (%)'):].strip() + '\n'
    theirs = {row['Range'].lstrip(':'): row for row in csv.DictReader(io.StringIO(text))}
    return same(by_range(path.read_text()), theirs,
                ['train:work', 'inner work', 'pushed', 'process range'], 'nsys', tool_ns=10000)


# How often functions.c calls its functions.
FUNCTIONS = {'main': 1, 'catcher': 10, 'handler': 10, 'cpp': 10, 'fibonacci': 1973, 'nvtxh_iterate': 16}
LEAVES = 16000 + 10 + 10 + 10  # in C++ 10 more


def leaves(s):
    return LEAVES + (10 if s.language == 'cpp' else 0)


def names(rows):
    return collections.Counter({name.split('(')[0]: int(row['Instances']) for name, row in rows.items()})


def claim_functions(s):
    """Every function is counted, static ones by name, in threads, recursion, longjmp, exceptions."""
    # Addresses from 0 on, moved when the program is loaded; and fixed ones with all digits, which begin with 1.
    for flags, stripped in (['-pie', '-fPIE'], True), (['-no-pie', '-Wl,-Ttext-segment=0x1000000'], False), (['-no-pie', '-Wl,-Ttext-segment=0x1000000'], True):
        program = s.instrumented(*flags, flags=['-fPIE'])
        if stripped:
            symbols = [line.split() for line in toolchain.run(['nm', program]).stdout.splitlines()]
            places = {f'{program.name}+{int(symbol[0], 16):#x}' for symbol in symbols if len(symbol) == 3 and symbol[1] in 'tTWw'}
            toolchain.run(['strip', program])
        rows = s.counted(program)
        found = names(rows)
        if stripped:
            require(len(found) >= 8 and set(found) <= places | {'main'}, 'stripped: known by their addresses', found, places)
            require(leaves(s) in found.values(), 'and counted', found)
            continue
        expected = dict(FUNCTIONS, leaf=leaves(s))
        if s.language == 'cpp':
            expected['shapes::square::area'] = 10
        require({n: found[n] for n in expected} == expected, 'every call is counted', found)
        require(not any('nvtxh' in n for n in found if n not in FUNCTIONS), 'nothing of our own', found)
        files = {row['File'].rpartition(':')[0] or row['File'] for row in rows.values()}
        require(files == {str(program)}, 'the place is the file of the program', files)
        require(s.succeeds(program) == 'the same with and without\n', 'prints the same')


def claim_functions_handler(s):
    """Functions that are first called in a signal handler that has interrupted malloc: counted, and no malloc."""
    program = s.instrumented(source='functions_handler.c')
    require(s.succeeds(program) == '0\n', 'nobody listens: no malloc')
    log = s.folder / 'stats.csv'
    said = s.succeeds(program, NVTXH_STATS=log, NVTXH_INSTRUMENT='*')
    require(said == '0\n', 'no malloc in the handler', said)
    found = collections.Counter({name: int(row['Instances']) for name, row in by_range(log.read_text()).items()})
    require(all(found[f'f{i}'] == 2 for i in range(1000, 1100)), 'known by their symbols', found)
    if s.language == 'cpp':
        require(found['space::thing::of_thing'] == 2, 'demangled, without parameters', found)
        require(any(n.startswith('_Z') and 'of_template' in n for n in found), 'mangled', found)
    require(len(found) == 1104 + 2 * (s.language == 'cpp') and found['deep'] == 2002 and found['handler'] == 2, 'every call', found)
    require(found['before()' if s.language == 'cpp' else 'before'] == 1, 'outside of handlers: demangled', found)


def claim_functions_unmapped(s):
    """A handler's functions while a hook has no table of functions: they are left out, and all others are counted."""
    program = s.instrumented(source='functions_unmapped.c')
    log = s.folder / 'stats.csv'
    require(s.succeeds(program, NVTXH_STATS=log, NVTXH_INSTRUMENT='*') == '3\n', 'the handler came when the table grew, and at the end of the thread')
    found = {name.split('(')[0]: int(row['Instances']) for name, row in by_range(log.read_text()).items()}
    require(found == {'deep': 257, 'in_handler': 1}, 'counted', found)


def claim_functions_switched(s):
    """Functions that are open when someone begins or ceases to listen: those that began meanwhile are counted, once each."""
    program = s.instrumented('-DNVTXH_NO_IMPL', '-I', toolchain.ROOT, source='functions_switched.c')
    require(s.succeeds(program) == '5 7 0\n', 'who was entered while someone listened')


def claim_functions_drawn(s):
    """Random calls, longjmp and threads, while patterns, depth and least time change: what is counted is what a model says."""
    program = s.instrumented('-DNVTXH_NO_IMPL', '-I', toolchain.ROOT, source='functions_drawn.c', hooked=())
    for environment, lines in functions_drawn.scripts(seeds(60)):
        (s.folder / 'script').write_text(''.join(f'{what} {text}\n' for what, text in lines))
        found = names(s.counted(program, s.folder / 'script', **environment))
        wanted = functions_drawn.counts(environment, lines)
        require(found == wanted, f'{environment}', *(f'{what} {text}' for what, text in lines), found, wanted)


def claim_functions_inlined(s):
    """Functions that are inlined into others, or into themselves, are nested as they were called. Of those that longjmp has left, each is in the list once."""
    path = s.folder / 'inlined.c'
    for seed, optimized in itertools.product(seeds(1), ('-O0', '-O1', '-O2', '-O3', '-Os')):
        source = random.Random(f'{seed} {optimized}')
        text, counts, depth = functions_inlined.drawn(source)
        path.write_text(text)
        program = s.instrumented(optimized, '-Wno-unused-function', source=path)
        for most in range(1, depth + 2):
            found = names(s.counted(program, NVTXH_INSTRUMENT_DEPTH=str(most)))
            wanted, sure = counts[min(most, depth)], [name for name in counts[depth] if most >= 5 or not name.startswith('left_')]
            require(all(found[name] == wanted[name] for name in sure), f'seed {seed}, {optimized}, depth {most}',
                    {name: (found[name], wanted[name]) for name in sure if found[name] != wanted[name]}, text)


def claim_functions_names(s):
    """Random functions of C++, called in main, in a thread that blocks a signal, and in handlers of both: shown by their names in the symbol table."""
    path = s.folder / 'names.cpp'
    for seed in seeds(1):
        functions, text = functions_names.drawn(seed)
        path.write_text(text)
        program = s.instrumented(source=path)
        symbols = [[line.split(maxsplit=2)[2] for line in toolchain.run(['nm', *how, '-p', program]).stdout.splitlines() if line[:1].isalnum()] for how in ([], ['-C'])]
        found = {name: int(row['Instances']) for name, row in s.counted(program).items()}
        for f in functions:
            both = [(mangled, name) for mangled, name in zip(*symbols) if f.is_named(mangled)]
            names = f.names({mangled for mangled, _ in both}, {name for _, name in both})
            require(sum(found.pop(name, 0) for name in names) == 1, f'seed {seed}: {f.text()} in {f.place} is shown once', names, found)
        require(not found, f'seed {seed}: nothing else is shown', found)


def claim_functions_damaged(s):
    """A program whose sections and symbols are damaged, though it runs: its functions are counted as before, by their names or places."""
    program = s.instrumented(source='functions_damaged.c', hooked=())
    content, damaged = program.read_bytes(), s.folder / 'damaged'
    sections, (each, n) = struct.unpack_from('<Q', content, 0x28)[0], struct.unpack_from('<2H', content, 0x3a)
    tables = [i for i in range(n) if struct.unpack_from('<I', content, sections + i * each + 4)[0] == 2]  # SHT_SYMTAB
    table = sections + tables[0] * each
    first, size, link = struct.unpack_from('<2QI', content, table + 0x18)
    names = sections + link * each
    text, length = struct.unpack_from('<2Q', content, names + 0x18)
    symbols = [at for at in range(first, first + size, 24) if content[text + struct.unpack_from('<I', content, at)[0]:].startswith((b'inner\0', b'outer\0', b'main\0'))]
    equal(len(symbols), 3, 'symbols')
    fields = [(0x28, 8), (0x3a, 2), (0x3c, 2), (table + 4, 4), (table + 0x18, 8), (table + 0x20, 8), (table + 0x28, 4), (names + 0x18, 8), (names + 0x20, 8),
              (text + length - 1, 1), (4, 1), *((at, 4) for at in symbols), *((at + 6, 2) for at in symbols), *((at + 8, 8) for at in symbols)]
    once = ((1 << 8 * wide) - 1 for _, wide in fields)
    sources = [(seed, random.Random(seed)) for seed in seeds(1)]
    for seed, source, at, wide in [(*sources[0], *field) for field in fields] + [(*one, *field) for one in sources for field in one[1].choices(fields, k=75)]:
        changed, most = bytearray(content), (1 << 8 * wide) - 1
        old = int.from_bytes(content[at:at + wide], 'little')
        values = [0, 1, old + 1, old + 8, old - 8, len(content), len(content) - old, length, length - 1, n, most - 1023, most // 2 + 1, -old, source.randrange(most)]
        new = next(once, source.choice(values) & most)
        changed[at:at + wide] = new.to_bytes(wide, 'little')
        damaged.write_bytes(changed)
        damaged.chmod(0o755)
        found = s.counted(damaged)
        equal(sorted(int(row['Instances']) for row in found.values()), [1, 1, 2], f'seed {seed}: {new:#x} at {at:#x}: {list(found)}')
        known = re.compile(rf'inner|outer|main|{damaged.name}[+]0x[0-9a-f]+')
        usual = all(known.fullmatch(name) for name in found)
        require(usual or (wide == 4 and at in symbols and new < length) or at in (names + 0x18, table + 0x18, table + 0x28), f'seed {seed}: {new:#x} at {at:#x}: names', list(found))


def claim_functions_reloaded(s):
    """Plugins that are loaded one after the other, each where the one before was: their functions have their own names and files."""
    program, plugins, expected = s.instrumented('-rdynamic', source='functions_reloaded.c'), [], {}
    for i in range(4):
        path = s.folder / f'plugin_{i}.c'
        path.write_text(f'__asm__(".text\\n.skip {1 + 500 * i}");\nstatic void inner_{i}(void) {{\n}}\nvoid plugin_{i}(void);\nvoid plugin_{i}(void) {{\n'
                        f'    inner_{i}();\n}}\n')
        plugins.append(s.make(path.with_suffix('.so'), [s.command, '-x', 'c', '-O0', '-shared', '-fPIC', '-finstrument-functions', path]))
        expected |= {f'{name}_{i}': (1, str(plugins[-1])) for name in ('inner', 'plugin')}
    rows = s.counted(program, *plugins, NVTXH_INSTRUMENT='inner*,plugin*')
    equal({name: (int(row['Instances']), row['File']) for name, row in rows.items()}, expected, 'functions and their files')


def claim_settings(s):
    """Patterns, the depth limit, the minimum duration."""
    program = s.instrumented()
    found = names(s.counted(program, NVTXH_INSTRUMENT='[a-c]a*,fib*,leaf*,-leaf*'))
    require(dict(found) == {'catcher': 10, 'fibonacci': 1973}, 'patterns', found)
    found = names(s.counted(program, NVTXH_INSTRUMENT_DEPTH=1))
    require(set(found) == {'main', 'nvtxh_iterate'}, 'at most one within another', found)
    found = names(s.counted(program, NVTXH_INSTRUMENT='catcher*,jumper*,leaf*', NVTXH_INSTRUMENT_DEPTH=2))
    require(dict(found) == {'catcher': 10, 'jumper': 10, 'leaf': leaves(s)}, 'what longjmp has left is not around what is called next', found)
    found = names(s.counted(program, NVTXH_INSTRUMENT_MIN='1s'))
    require(found['leaf'] <= 8 + 17 and found['main'] == 1, 'short ones fall silent', found)
    found = names(s.counted(program, NVTXH_INSTRUMENT_MIN='1'))
    require(found['leaf'] == leaves(s), 'what takes long enough does not', found)
    found = names(s.counted(s.instrumented(source='functions_min.c'), NVTXH_INSTRUMENT_MIN='100ms'))
    require(dict(found) == {'main': 1, 'now_and_then': 15, 'once': 16}, 'a long call among short ones', found)


def claim_locale(s):
    """In a program whose locale has a decimal comma, numbers have a point, as they have in the settings."""
    program = s.instrumented('-DNVTXH_NO_IMPL', '-I', toolchain.ROOT, source='comma.c')
    there = locales.made(s.folder)
    rows = s.counted(program, **there)
    require({name: int(row['Instances']) for name, row in rows.items()} == {'main': 1, 'leaf': 1000}, 'CSV', rows)
    shares = [row['Time (%)'] for row in rows.values()]
    require(all(re.fullmatch(r'\d+\.\d', share) for share in shares) and abs(float(rows['main']['Time (%)']) - 100) < 0.2, 'shares', shares)
    require(all(row['Line'] == '0' for row in rows.values()), 'no field too many', rows)
    table = s.succeeds(program, NVTXH_STATS=1, **there)
    require(re.search(r' \d+\.\d %', table) and not re.search(r'\d,\d+ ([nuµm]?s|%)', table), 'the table', table)
    found = names(s.counted(program, NVTXH_INSTRUMENT_MIN='0.5s', **there))
    require(found['leaf'] < 20, 'what takes less than 0.5 s falls silent', found)


def claim_balance(s):
    """A tool sees every range end, nothing twice, and each name registered once."""
    program = s.instrumented()
    log = s.folder / 'log'
    s.succeeds(program, NVTX_INJECTION64_PATH=s.tool, NVTXH_TEST_LOG=log)
    events = [line.split(' ', 1) for line in log.read_text().splitlines()]
    for tid in {e[0] for e in events}:
        open_now = []
        for kind, *message in (e[1].split(' ', 1) for e in events if e[0] == tid):
            if kind == 'push':
                name = message[0].strip('[]').split('(')[0]
                if name == 'further_down':
                    require(open_now[-1] == 'above', 'what has returned is not around what is called next', open_now)
                open_now.append(name)
            elif kind == 'pop':
                require(open_now, 'no pop without a push')
                open_now.pop()
        require(not open_now, f'all of thread {tid} has ended', open_now)
    require(sum('further_down' in e[1] for e in events) == 10, 'every call')
    require(not [e for e in events if 'BAD' in e[1] or "push '" in e[1]], 'every name is registered')


def claim_tsan(s):
    """Instrumented functions; statistics that are switched, read and reset while threads count."""
    options = 'halt_on_error=1:report_signal_unsafe=0'
    program = s.instrumented('-g', flags=['-fsanitize=thread'])
    s.succeeds(program, NVTXH_STATS=s.folder / 'x.csv', TSAN_OPTIONS=options)
    s.succeeds(s.build('toggle', '-g', '-fsanitize=thread', sources=('toggle.c',)), TSAN_OPTIONS=options)


def claim_asan(s):
    program = s.instrumented('-g', flags=['-fsanitize=address,undefined', '-fno-sanitize-recover=all'])
    s.succeeds(program, NVTXH_STATS=s.folder / 'x.csv', ASAN_OPTIONS='detect_leaks=1')
    for size in (255, 256, 257):  # of a pattern
        s.succeeds(program, NVTXH_STATS=s.folder / 'x.csv', NVTXH_INSTRUMENT='x' * size)


def claim_off(s):
    """NVTX_DISABLE: the hooks do nothing."""
    program = s.instrumented('-DNVTX_DISABLE', flags=['-DNVTX_DISABLE'])
    path = s.folder / 'none.csv'
    s.succeeds(program, NVTXH_STATS=path)
    require(not path.exists(), 'nothing is written')
    symbols = toolchain.run(['nm', s.folder / 'instrument.o']).stdout
    require('nvtxGlobals' not in symbols and 'fnmatch' not in symbols, 'nothing is left', symbols)


if __name__ == '__main__':
    programs.main(globals(), __doc__, Setting)
