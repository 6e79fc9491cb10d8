#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line itself, list and doctor."""
import collections
import os
import random
import re
import shutil
import stat
import struct
import subprocess
import tempfile

from harness import driver, locales
from harness.checks import BUILD, ROOT, TOOL, equal, require, skip
from harness.screens import on_terminal
import synthetic

SOURCE = r'''
#include "nvtxh.h"
NVTX_DOMAIN(train, "train");
static inline int twice(int x) { NVTX_SCOPE("in inline", .domain = &train); return 2 * x; }
int work(int x);
int work(int x)
{
    NVTX_FUNC();
    NVTXH_SCOPE_NVTX_ONLY("not counted");
    NVTX_SCOPEF("layer %d", x);
    NVTX_MARK("a mark");
    NVTX_PUSH("pushed");
    NVTX_POP();
    NVTX_END(NVTX_START("process range"));
    NVTX_MARK("twin");
    NVTX_MARK("twin");
    NVTXH_METHOD();
    return twice(x);
}
#ifndef LIBRARY
int main(void) { return work(0); }
#endif
'''
SITES = {('scope', 'in inline', 'twice', 4), ('scope', 'work', 'work', 8), ('scope', 'not counted', 'work', 9),
         ('scope (format)', 'layer %d', 'work', 10), ('mark', 'a mark', 'work', 11), ('push', 'pushed', 'work', 12),
         ('range', 'process range', 'work', 14), ('mark', 'twin', 'work', 15), ('mark', 'twin', 'work', 16),
         ('scope', 'work', 'work', 17)}


def build(bench, compiler, name, *flags):
    if not shutil.which(compiler):
        return None
    suffix = '.cpp' if compiler.endswith('++') else '.c'
    source = bench.here('source' + suffix)
    with open(source, 'w') as f:
        f.write(SOURCE)
    nvtx = os.environ.get('NVTXH_TEST_NVTX', '').split(':')[0].split('=', 1)
    include = ['-isystem', nvtx[1]] if len(nvtx) == 2 else []
    out = bench.here(name)
    done = subprocess.run([compiler, '-I', ROOT, *include, '-O1', source, '-o', out, *flags, '-ldl'],
                          capture_output=True, text=True)
    equal(done.returncode, 0, f'{compiler} {flags}: {done.stderr}')
    return out


def case_list(bench):
    """Every annotation of programs and libraries of every compiler and kind, also stripped, and of nothing else."""
    kinds = {'pie': ['-fPIE', '-pie'], 'fixed': ['-fno-pie', '-no-pie'], 'so': ['-fPIC', '-shared', '-DLIBRARY'],
             'object': ['-c'], 'stripped': ['-fPIE', '-pie', '-s'], 'relr': ['-Wl,-z,pack-relative-relocs'],
             'abi': ['-fPIE', '-pie', '-malign-data=abi']}
    tried = 0
    for compiler in ('gcc', 'clang', 'g++', 'clang++'):
        for kind, flags in kinds.items():
            if compiler != 'gcc' and kind not in ('so', 'stripped', 'abi'):
                continue
            if kind == 'abi' and (compiler != 'g++' or os.uname().machine != 'x86_64'):
                continue  # records of g++'s right behind each other, as they are on other processors
            if kind == 'relr' and subprocess.run(['ld', '-z', 'pack-relative-relocs', '--version'],
                                                 capture_output=True).stderr:
                continue
            path = build(bench, compiler, f'{compiler}-{kind}', *flags)
            if not path:
                continue
            done = bench.run('list', '--csv', path, status=None)
            if 'built without libelf' in done.stderr:
                skip('nvtxh was built without libelf')
            rows = bench.table('list', '--csv', path)
            got = {(row['Kind'], row['Message'], row['Function'], int(row['Location'].rsplit(':', 1)[1])) for row in rows}
            equal(got, SITES, f'{compiler} {kind}')
            equal(len(rows), len(SITES), f'rows of {compiler} {kind}')
            if kind in ('so', 'pie', 'stripped'):
                who = 'PROGRAM' if kind == 'so' else path
                require(done.stderr.endswith(f': nvtxh record -- {who}, or nsys profile -t nvtx {who}\n'), 'how to record them', done.stderr)
            equal({row['Message'] for row in rows if row['Domain'] == '(set at run time)'}, {'in inline'}, 'domains of their own')
            equal({row['Domain'] for row in rows if row['Message'] != 'in inline'}, {''}, "the file's domain")
            tried += 1
    require(tried >= 5, tried)
    # Annotations are listed by file, then by line.
    with open(bench.here('another.c'), 'w') as f:
        f.write('#include "nvtxh.h"\nint another(void);\nint another(void)\n{\n' + '    NVTX_MARK("here");\n' * 9 + '    return 0;\n}\n')
    rows = bench.table('list', '--csv', build(bench, 'gcc', 'two', bench.here('another.c')))
    places = [(os.path.basename(file), int(line)) for file, line in (row['Location'].rsplit(':', 1) for row in rows)]
    equal(places, sorted(places), 'the order')
    equal(collections.Counter(file for file, _ in places), {'another.c': 9, 'source.c': len(SITES)}, 'two files')
    off = build(bench, 'gcc', 'off', '-DNVTX_DISABLE')
    for binaries in ['two'], ['two', 'off']:  # of several, the table says in which each annotation is
        done = bench.run('list', *map(bench.here, binaries), env=dict(os.environ, COLUMNS='300'))
        head, *lines = done.stdout.splitlines()
        several = len(binaries) > 1
        said = f'{len(rows)} annotations in {bench.here("two")};', f'no annotations in {off}:'
        require(all(line.startswith(f'nvtxh: {start}') for line, start in zip(done.stderr.splitlines(), said, strict=False)), binaries, done.stderr)
        equal(len(done.stderr.splitlines()), len(binaries), 'a line for each')
        equal((head.endswith('Binary'), sum(line.endswith(bench.here('two')) for line in lines)), (several, several * len(rows)), binaries)
    done = bench.run('list', off)
    require(not done.stdout and 'no annotations' in done.stderr, done)
    done = bench.run('list', bench.program('load'))
    require(not done.stdout and 'not through nvtxh' in done.stderr, done)
    subprocess.run(['ar', 'rc', bench.here('archive.a'), bench.here('gcc-object')], check=True)
    require('an archive' in bench.run('list', bench.here('archive.a'), status=1).stderr, 'an archive')
    for bad in (bench.here('source.c'), bench.here('missing'), '/', '/dev/null'):
        require(bench.run('list', bad, status=1).stderr.startswith('nvtxh: '), bad)
    # Damaged files: the command ends normally.
    with open(bench.here('gcc-pie'), 'rb') as f:
        good = f.read()
    for cut in range(0, len(good), max(1, len(good) // 40)):
        with open(bench.here('cut'), 'wb') as f:
            f.write(good[:cut])
        require(bench.run('list', bench.here('cut'), status=None).returncode in (0, 1), cut)


def doctor(bench, *arguments, status=0, **environment):
    return bench.run('doctor', *arguments, status=status, env=dict(os.environ, **environment), cwd=bench.directory).stdout


def case_doctor(bench):
    """doctor finds each reason why nothing is recorded, and names a next step; without a reason, it says so."""
    program = build(bench, 'gcc', 'annotated')
    good = doctor(bench, '--', program)
    require('nvtxh annotations' in good and f'next: nvtxh record -o out.nvtxh -- {program}' in good, good)
    require('WRONG' not in good and 'next: nvtxh doctor' in doctor(bench), good)
    require('used without nvtxh' in doctor(bench, bench.program('load')), 'raw NVTX')
    # What is in PATH before it and cannot be executed is not the program.
    for name in 'text', 'programs':
        os.mkdir(bench.here(name))
    shutil.copy(program, bench.here('programs/searched'))
    with open(bench.here('text/searched'), 'w', encoding='ascii') as f:
        f.write('no program')
    require('nvtxh annotations' in doctor(bench, '--', 'searched', PATH=':'.join((bench.here('text'), bench.here('programs'), os.environ['PATH']))), 'in PATH')
    require('no NVTX' in doctor(bench, build(bench, 'gcc', 'off', '-DNVTX_DISABLE')), 'built off')
    require('neither the program nor the libraries' in doctor(bench, 'true'), 'no NVTX at all')
    require('cannot be read: No such file or directory' in doctor(bench, status=1, NVTX_INJECTION64_PATH='/nonexistent.so'), 'the variable')
    require('not an NVTX injection library' in doctor(bench, status=1, NVTX_INJECTION64_PATH=program), 'no tool')
    tool = str(TOOL)
    recorder = re.search(r'the recorder is (.+)', good)[1]
    os.symlink(recorder, bench.here('link.so'))
    for path in recorder, 'link.so':
        said = doctor(bench, NVTX_INJECTION64_PATH=path)
        require('NVTX_INJECTION64_PATH is the recorder: ' in said and 'gives it' not in said, said)
    said = doctor(bench, NVTX_INJECTION64_PATH=tool, NVTXH_RECORD_TOOL=tool)
    require(f'NVTX_INJECTION64_PATH is {tool}: nvtxh record gives it the calls' in said and 'Nsight' not in said, said)
    require(f'NVTXH_RECORD_TOOL is {tool}: without nvtxh record, the recorder gives it the calls' in said, said)
    for path in '/nonexistent.so', program:
        require('the recorder leaves it out' in doctor(bench, status=1, NVTXH_RECORD_TOOL=path), path)
    said = doctor(bench, LD_PRELOAD='/nonexistent/libToolsInjectionProxy64.so')
    require('Nsight Systems sets' in said, said)
    for variable, is_wrong, words in (('NVTXH_DISABLE', True, 'all annotations made with nvtxh'), ('NVTX_DISABLE', True, "all annotations made with nvtxh or Python's nvtx"),
                                      ('NVTXH_DOMAIN_INCLUDE', False, 'annotations made with nvtxh that are not in these domains'),
                                      ('NVTXH_DOMAIN_EXCLUDE', False, 'annotations made with nvtxh that are in these domains')):
        said = doctor(bench, status=int(is_wrong), **{variable: 'x,y'})
        require(f'{variable} is x,y, which switches off {words}' in said and ('WRONG' in said) == is_wrong, said)
        require(variable not in doctor(bench, **{variable: ''}), variable)
    require('EXCLUDE' not in doctor(bench, NVTXH_DOMAIN_INCLUDE='x', NVTXH_DOMAIN_EXCLUDE='x'), 'a list that counts for nothing')
    for file, folder in ('/nonexistent/rec', '/nonexistent'), ('/rec', '/'), ('rec', bench.directory), (bench.here('rec'), bench.directory), ('no/rec', '/nonexistent'):
        can = os.access(folder, os.W_OK | os.X_OK)
        said = doctor(bench, status=0 if can else 1, NVTXH_RECORD_FILE=file)
        require((f'{file}: programs that run without nvtxh record are recorded there' if can else f'{file}, where no file can be made') in said, said)
    gone = bench.run('-c', 'mkdir gone; cd gone; rmdir ../gone; "$0" doctor', bench.nvtxh, command='sh', cwd=bench.directory, status=1).stdout
    require('the current directory is gone' in gone and 'next: fix what is WRONG' in gone, gone)
    launched = {'OMPI_COMM_WORLD_RANK': '3', 'OMPI_COMM_WORLD_SIZE': '8', 'SLURM_JOB_ID': '77'}
    for size, words in (3, 'rank 3 of 8 in job 77'), (2, 'rank 3 of 8'), (1, 'rank 3'):
        require(f'Open MPI says that this is {words}\n' in doctor(bench, **dict(list(launched.items())[:size])), words)
    for kind, flags in ('fixed', ['-static', '-no-pie']), ('pie', ['-static-pie', '-fPIE']):
        static = build(bench, 'gcc', f'static-{kind}', *flags)
        require('statically linked' in doctor(bench, '--', static, status=1), f'static, {kind}')
    require('is a directory' in doctor(bench, '--', bench.directory, status=1), 'a directory')
    require('there is no program' in doctor(bench, '--', 'no-such-program', status=1), 'no program')
    library = build(bench, 'gcc', 'libwork.so', '-fPIC', '-shared', '-DLIBRARY', '-Wl,-soname,libwork.so')
    require('is a library' in doctor(bench, '--', library, status=1), 'a library')
    with open(bench.here('main.c'), 'w') as f:
        f.write('int work(int); int main(void) { return work(0); }')
    linked = bench.here('linked')
    subprocess.run(['gcc', bench.here('main.c'), '-o', linked, library, '-Wl,-rpath,/nonexistent:$ORIGIN:/none'], check=True)
    said = doctor(bench, '--', linked)
    require('linked itself has no NVTX' in said and 'libwork.so has 10 nvtxh annotations' in said, said)
    # LD_LIBRARY_PATH comes before DT_RUNPATH, and after DT_RPATH.
    os.mkdir(bench.here('other'))
    subprocess.run(['gcc', '-shared', '-fPIC', bench.here('main.c'), '-o', bench.here('other/libwork.so'), '-Wl,--unresolved-symbols=ignore-all'],
                   check=True)
    for flag, found in ('--enable-new-dtags', 'neither the program'), ('--disable-new-dtags', 'libwork.so has 10 nvtxh annotations'):
        subprocess.run(['gcc', bench.here('main.c'), '-o', linked, '-L', bench.directory, '-lwork', '-Wl,-rpath,${ORIGIN},' + flag], check=True)
        said = doctor(bench, '--', linked, LD_LIBRARY_PATH=bench.here('other'))
        require(found in said, flag, said)
    # More libraries than doctor looks at.
    with open(bench.here('empty.c'), 'w') as f:
        f.write('int main(void) { return 0; }')
    many = [bench.here(f'many{i}.so') for i in range(520)]
    subprocess.run(['gcc', '-shared', '-fPIC', '-Dmain=some', bench.here('empty.c'), '-o', many[0]], check=True)
    for library in many[1:]:
        os.link(many[0], library)
    subprocess.run(['gcc', bench.here('empty.c'), '-o', bench.here('many'), '-Wl,--no-as-needed', *many], check=True)
    require('next: nvtxh record' in doctor(bench, '--', bench.here('many')), '520 libraries')
    with open(bench.here('tool.c'), 'w') as f:
        f.write('int InitializeInjectionNvtx2(void *p) { return p != 0; } int main(void) { return 0; }')
    subprocess.run(['gcc', '-rdynamic', bench.here('tool.c'), '-o', bench.here('tool')], check=True)
    require('has an NVTX tool built in' in (said := doctor(bench, '--', bench.here('tool'))), 'a static tool')
    require('not its shared objects' in ' '.join(said.split()), said)
    # With NVTX 3.7 a value names no tool.
    require('keeps NVTX from looking' in doctor(bench, NVTX_INJECTION64_PATH='./.'), 'the value that turns tools off')
    # A program of another C library; and one that cannot be read is not said to be without NVTX.
    musl = build(bench, 'gcc', 'musl', '-Wl,--dynamic-linker=/lib/ld-musl-x86_64.so.1')
    said = doctor(bench, '--', musl, status=1)
    require("musl is linked with musl, the recorder's library with glibc" in said and 'next: nvtxh record' not in said, said)
    with open(bench.here('script'), 'w') as f:
        f.write('#!/bin/sh\n')
    os.chmod(bench.here('script'), 0o755)
    said = doctor(bench, '--', bench.here('script'))
    require('if it is a script' in said and 'neither the program' not in said, said)
    plain = bench.run('doctor', '--', program, status=None, cwd=bench.directory, command=os.path.join(bench.programs, 'nvtxh-without'))
    require('without libelf' in plain.stdout and 'neither the program' not in plain.stdout, plain)
    for mode in 0o4755, 0o2755:
        os.chmod(program, mode)
        require('set-user-ID or set-group-ID' in doctor(bench, '--', program, status=1), oct(mode))
    rec = bench.here('rec.nvtxh')
    bench.run('record', '-o', rec, '--', bench.program('phases'))
    said = doctor(bench, '--', rec, status=1)
    require(f'{rec} is a recording; nvtxh stats {rec} reads it' in said and 'no program' not in said, said)
    os.chmod(program, stat.S_IRUSR)
    require('cannot be run' in doctor(bench, '--', program, status=1), 'not executable')
    with open(bench.here('old.c'), 'w') as f:
        f.write('int nvtxRangePushA(const char *s); int main(void) { return nvtxRangePushA("x"); }')
    # NVTX as a library of its own: of NVTX 2, which knows another function of tools, and of NVTX 3.
    for version, function in ((2, 'InitializeInjectionNvtx'), (3, 'InitializeInjectionNvtx2')):
        with open(bench.here('oldlib.c'), 'w') as f:
            f.write(f'const char *names[] = {{"NVTX_INJECTION64_PATH", "{function}"}};\nint nvtxRangePushA(const char *s) {{ return !s; }}')
        old = bench.here('libnvToolsExt.so.1')
        subprocess.run(['gcc', '-fPIC', '-shared', bench.here('oldlib.c'), '-o', old, '-Wl,-soname,libnvToolsExt.so.1'], check=True)
        subprocess.run(['gcc', bench.here('old.c'), '-o', bench.here('old'), old, '-Wl,-rpath,$ORIGIN'], check=True)
        said = doctor(bench, '--', bench.here('old'), status=1 if version == 2 else 0)
        require(('libnvToolsExt.so.1 is NVTX 2' if version == 2 else 'libnvToolsExt.so.1 has NVTX 3') in said and 'itself has no' not in said, said)

def case_help(bench):
    """Every command has a --help of 80 columns and a list of options for programs; the man page has the same ones."""
    page = (ROOT / 'recorder' / 'cli' / 'nvtxh.1').read_text()
    mandoc = page.replace('\\', '')
    listed, commands = driver.listed(bench.nvtxh), driver.commands(bench.nvtxh)
    equal(list(dict.fromkeys(re.findall(r'^\.Nm nvtxh Cm (\w+) ', page, re.MULTILINE))), commands, 'commands in the synopsis of the man page')
    columns, = [fields[5].split(',') for fields in listed if fields[:3] == ['option', 'stats', '--columns']]
    table = page.split('.It Fl -columns Ar')[0].split('The columns of')[1]
    equal(sorted(word for line in re.findall(r'^\.It Cm (.*)$', table, re.MULTILINE) for word in line.split(' , ')), sorted(columns), 'columns of stats')
    described = page.split('\n.It Fl t , Fl -format ')[1].split('\n.It ')[0]
    equal(set(re.findall(r'^\.Cm (\w+) :$', described, re.MULTILINE)), set(driver.formats(bench.nvtxh)), 'formats in the man page')
    require(all(len(fields) == {'command': 3, 'arguments': 3, 'example': 3, 'option': 7}[fields[0]] for fields in listed), listed)
    require(any(fields[2:6] == ['--by', '-', 'WHAT', 'range,domain,category,thread,kernel'] for fields in listed), listed)
    require(any(fields[:5] == ['option', 'merge', '--output', '-o', 'OUT'] for fields in listed), listed)
    version = bench.run('--version').stdout.splitlines()
    require(len(version) == 2 and re.match(r'nvtxh \d', version[0]) and re.match(r'built with(out)? [a-z]', version[1]), version)
    require(all(name in version[1] for name in ('protobuf-c', 'sqlite', 'libelf', 'zlib')), version)
    for command in ('', *commands):
        lines = bench.run(*command.split(), '--help').stdout.splitlines()
        require(lines and all(len(line) <= 80 and line == line.rstrip() for line in lines), f'width of {command} --help', lines)
    for command in commands:
        text = bench.run(command, '--help').stdout
        require(text.startswith(f'usage: nvtxh {command}'), text)
        examples = [fields[2] for fields in listed if fields[:2] == ['example', command]]
        equal(text.split('\n\n')[1].splitlines(), [f'  {example}' for example in examples], f'examples of {command}')
        require(len(examples) == 3 and examples[0].startswith(f'nvtxh {command}'), examples)
        equal(bench.run('help', command).stdout, text, f'nvtxh help {command}')
        section = re.search(rf'^\.Ss nvtxh {command}\n(.*?)^\.S[hs] ', mandoc, re.MULTILINE | re.DOTALL)
        require(section, f'{command} in the man page')
        options = {(fields[2], fields[3]) for fields in listed if fields[:2] == ['option', command]}
        shown = re.findall(r'^ {2}(?:(-\w),| {3}) (--[\w-]+)', text, re.MULTILINE)
        equal({(name, letter or '-') for letter, name in shown}, options, f'options in {command} --help')
        # The man page describes options of all reports once, with the first report.
        described = set()
        for item in re.findall(r'^\.It (Fl .*)$', section[1], re.MULTILINE):
            words = re.findall(r'Fl (\S+)', item)
            letters = ['-' + word for word in words if word[0] != '-']
            described |= {('-' + word, letters[0] if letters else '-') for word in words if word[0] == '-'}
        everywhere = {('--help', '-h')}
        if command not in ('stats', 'record'):
            everywhere |= {('--' + name, '-') for name in ('csv', 'json', 'columns', 'limit', 'unit', 'color', 'name', 'names',
                                                           'thread', 'domain', 'from', 'to')}
        equal(described, options - everywhere, f'options of {command} in the man page')
    require(all(f'  {command}' in bench.run('--help').stdout for command in commands), 'all commands')
    if shutil.which('groff'):
        done = subprocess.run(['groff', '-mdoc', '-Tascii', '-ww', ROOT / 'recorder' / 'cli' / 'nvtxh.1'],
                              capture_output=True, text=True)
        equal((done.returncode, done.stderr), (0, ''), 'groff')


RPATH, RUNPATH, DEPAUDIT, ROOM = 15, 29, 0x6ffffefb, 400


class Linked:
    """A program that needs a library; in which folders the loader looks for it can be changed."""

    def __init__(self, path):
        with open(path, 'rb') as f:
            self.program = bytearray(f.read())
        heads, size, count = *struct.unpack_from('<Q', self.program, 32), *struct.unpack_from('<HH', self.program, 54)
        at, end = next((offset, offset + bytes_) for kind, _, offset, _, _, bytes_ in
                       (struct.unpack_from('<IIQQQQ', self.program, heads + i * size) for i in range(count)) if kind == 2)  # PT_DYNAMIC
        self.entries = {struct.unpack_from('<Q', self.program, place)[0]: place for place in range(at, end, 16)}
        self.texts = {letter: self.program.index(letter * ROOM) for letter in (b'r', b'a')}  # their places in the file

    def write(self, path, lists):
        """With one or two LISTS: (tag, text), in this order."""
        program, unused = self.program[:], 0x6ffffdf0  # a tag that nothing reads
        for (of, letter), (tag, text) in zip(((RUNPATH, b'r'), (DEPAUDIT, b'a')), [*lists, (unused, ''), (unused, '')]):
            struct.pack_into('<Q', program, self.entries[of], tag)
            at = self.texts[letter]
            program[at:at + ROOM] = os.fsencode(text).ljust(ROOM, b'\0')
        with open(path, 'wb') as f:
            f.write(program)
        os.chmod(path, 0o755)


def case_searched(bench):
    """doctor finds the library that the loader finds, whatever DT_RUNPATH, DT_RPATH and LD_LIBRARY_PATH say; an empty name in a list is the
    working directory."""
    library, chance, found = build(bench, 'gcc', 'libwork.so', '-fPIC', '-shared', '-DLIBRARY', '-Wl,-soname,libwork.so'), random.Random(1), 0
    with open(bench.here('main.c'), 'w') as f:
        f.write('int work(int); int main(void) { return work(0); }')
    subprocess.run(['gcc', bench.here('main.c'), '-o', bench.here('made'), library, '-Wl,--enable-new-dtags,-rpath,' + 'r' * ROOM, '-Wl,-P,' + 'a' * ROOM], check=True)
    made, program = Linked(bench.here('made')), bench.here('program')
    folders = [bench.here(name) for name in ('one', 'two', 'three', 'none')]
    for folder in folders:
        os.mkdir(folder)
        if folder != folders[-1]:
            shutil.copy(library, folder)
    for turn in range(40):
        os.path.exists(library) and os.unlink(library)
        if turn % 2:
            shutil.copy(folders[0] + '/libwork.so', library)

        def drawn():
            return ':'.join(chance.choice(('$ORIGIN/', '${ORIGIN}/', bench.here(''), '/nonexistent/', '')) + os.path.basename(chance.choice(folders)) + chance.choice(('', '/'))
                            if chance.random() < 0.9 else chance.choice(('', '$ORIGIN', '.')) for _ in range(chance.randrange(1, 4)))
        tags = chance.choice(([], [RPATH], [RUNPATH], [RPATH, RUNPATH], [RUNPATH, RPATH]))
        lists, variable = [(tag, drawn()) for tag in tags], {'LD_LIBRARY_PATH': drawn()} if chance.random() < 0.6 else {}
        made.write(program, lists)
        loader = subprocess.run([program], env=dict(os.environ, LD_TRACE_LOADED_OBJECTS='1', **variable), cwd=bench.directory, capture_output=True, text=True)
        said = re.search(r'^\tlibwork\.so(?: => (.+?))?(?: \(0x\w+\))?$', loader.stdout, re.MULTILINE)
        if not said:
            skip('no loader that says what it finds')
        got = re.findall(r'(\S+) has 10 ', doctor(bench, '--', program, **variable))
        wanted = None if said[1] == 'not found' else os.path.realpath(os.path.join(bench.directory, said[1] or 'libwork.so'))
        equal([os.path.realpath(os.path.join(bench.directory, one)) for one in got], [wanted] if wanted else [], f'{lists} {variable}: {loader.stdout}')
        found += wanted is not None
    require(10 < found < 40, found)
    for path in f'{os.environ["PATH"]}:', f':{os.environ["PATH"]}', f'/nonexistent::{os.environ["PATH"]}':  # so has PATH
        require('there is no program' not in doctor(bench, '--', 'program', PATH=path), path)


def case_libraries(bench):
    """A build without the libraries of formats names the library when such a format is asked for, leaves no file, and writes the others."""
    rec = synthetic.Recording()
    rec.process().thread(1).ranges('x', [1, 2])
    path = rec.write(bench.here('rec.nvtxh'))
    missing = {}
    for form in driver.formats(bench.nvtxh):
        done = bench.run('export', '--format', form, '-o', bench.here(form), path, status=None, command=os.path.join(bench.programs, 'nvtxh-without'))
        equal(os.path.exists(bench.here(form)), done.returncode == 0, f'a file of {form}')
        if done.returncode:
            missing[form] = re.search(r'^nvtxh: cannot \w+ \S+: this nvtxh was built without (\S+) \(.+\)\n$', done.stderr)[1]
    wanted = {'html': 'zlib', 'parquet': 'carquet', 'perfetto': 'protobuf-c', 'sqlite': 'libsqlite3'}
    equal({form: missing.get(form) for form in wanted}, wanted, 'libraries')
    require(not {'csv', 'folded', 'chrome'} & set(missing), missing)
    done = bench.run('view', '--no-open', '-o', bench.here('page'), path, status=1, command=os.path.join(bench.programs, 'nvtxh-without'))
    require('without zlib' in done.stderr and not os.path.exists(bench.here('page')), done.stderr)


def case_temporary(bench):
    """Temporary files are in $TMPDIR, or in /var/tmp if that is not set or empty; none is left, and where none can be made, that is said."""
    recording, unset = synthetic.Recording(end=10**6), {key: value for key, value in os.environ.items() if key != 'TMPDIR'}
    with tempfile.TemporaryDirectory() as place:  # for others, as root may write anywhere
        small = shutil.copy(BUILD / 'tests' / 'reader' / 'nvtxh-small', place)  # sorts few spans in a file, as others do with millions
        folder, paths, other = os.path.join(place, 'folder'), [], {'user': 65534} if os.geteuid() == 0 else {}
        for number in 1, 2:
            recording.process(pid=number).thread(number).ranges('x', [10] * 100, gap=5)
            paths.append(recording.write(os.path.join(place, f'{number}.nvtxh')))
        os.mkdir(folder)
        for path in place, folder:
            os.chmod(path, 0o777)

        def run(directory, status=0):
            more = {} if directory is None else {'TMPDIR': directory}
            return bench.run(*command, status=status, command=small, cwd=place, env={**unset, **more}, **other)
        for command in (['export', '--format', 'csv', paths[1]], ['view', '--no-open', '-f', '-o', f'{place}/page', *paths]):
            done = run(None, status=None)
            if 'built without' in done.stderr:
                continue
            for directory in '', folder:
                equal(run(directory).stdout, done.stdout, f'{command}, {directory!r}')
            said = run(f'{place}/missing', status=1).stderr
            require('$TMPDIR or /var/tmp: No such file or directory' in said and said.count('\n') == 1, command, said)
        equal(os.listdir(folder), [], 'files that are left')


def case_direct(bench):
    """nvtxh REC is nvtxh stats REC, whatever the file is called, with the options of stats after it; so is nvtxh on databases. A command comes first."""
    rec = synthetic.Recording()
    rec.process().thread(1).ranges('x', [1, 2])
    for path in rec.write(bench.here('rec.nvtxh')), rec.write(bench.here('plain')):
        for options in [], ['--csv'], ['--by', 'thread', '--limit', '1'], ['--help']:
            equal(bench.run(path, *options).stdout, bench.run('stats', path, *options).stdout, (path, options))
        require('unknown option --cvs, did you mean --csv' in bench.run(path, '--cvs', status=2).stderr, path)
    rec.write(bench.here('tree'))
    tree = bench.run('tree', './tree', cwd=bench.directory).stdout
    require(tree and bench.run('./tree', cwd=bench.directory).stdout != tree, 'a file with the name of a command')
    require('no recording given' in bench.run('tree', cwd=bench.directory, status=2).stderr, 'the command')
    for several in ('rec.nvtxh', 'plain'), ('none.sqlite', 'none.nvtxh'):
        paths = [bench.here(name) for name in several]
        done, wanted = (bench.run(*command, *paths, status=None) for command in ([], ['stats']))
        equal((done.returncode, done.stderr, done.stdout), (wanted.returncode, wanted.stderr, ''), several)
    for name in 'none.nvtxh', 'none.sqlite':
        equal(bench.run(bench.here(name), status=1).stderr, f'nvtxh: {bench.here(name)}: No such file or directory\n', name)
    equal(bench.run('stats', '/proc/self/mem', status=1).stderr, 'nvtxh: /proc/self/mem: Input/output error\n', 'a file that cannot be read')


def case_mistakes(bench):
    """Wrong arguments are reported with the nearest right word, and nothing is printed or made."""
    rec = synthetic.Recording()
    rec.process().thread(1).ranges('x', [1, 2])
    path = rec.write(bench.here('rec.nvtxh'))
    database = bench.here('some.sqlite')
    with open(database, 'wb') as f:
        f.write(b'SQLite format 3\0')
    for arguments, wanted in (
            (['stat'], 'did you mean stats?'), (['exprot'], 'did you mean export?'), (['xyzzy'], "there is no command and no file 'xyzzy'"),
            (['./xyzzy'], "there is no file './xyzzy'"), ([bench.program('known-3')], 'to record a program: nvtxh record'), ([bench.directory], 'is a directory; of the recordings in it'),
            (['stats', '--cvs', path], 'did you mean --csv?'), (['stats', '--by', 'domian', path], 'did you mean domain?'),
            (['stats', '--by', 'q', path], "invalid --by 'q' (choose from range, domain, category, thread, kernel); see"),
            (['stats', '--sort', 'median', path], 'did you mean med?'), (['stats', '--by'], '--by requires a value'),
            (['stats', '--to', 'x', path], "invalid --to 'x': expected a number with ns"),
            (['stats'], 'no recording given; see: nvtxh stats --help'),
            (['export', path, '--format', 'perfeto'], 'did you mean perfetto?'), (['export', path], 'no --format given (choose from sqlite, '),
            (['export', path, '--format', 'sqlite'], 'requires a file'), (['diff', path], 'two recordings'),
            (['diff', '--fail-above', 'much', path, path], "invalid --fail-above 'much': expected a percentage"),
            (['tree', '--min', '101', path], "invalid --min '101': expected a number from 0 to 100"),
            (['tree', '--depth', '0', path], "invalid --depth '0'"), (['merge', path], 'no output given: -o OUT'), (['list'], 'no program or library given'),
            (['merge', '-o', bench.here('out')], 'no recordings given'), (['doctor', '--nonsense'], 'unknown option'),
            (['tree', path, path], 'one recording at a time; nvtxh merge -o OUT.nvtxh REC... makes one of several; see'),
            (['stats', '--csv=1', path], 'takes no value'), (['stats', '--csv', '-xy', path], 'unknown option -x'), (['stats', '--to=1', '-xy', path], 'unknown option -x'),
            (['--versio'], 'unknown option --versio'),
            (['top'], 'no recording given, or -- and a program; see'), (['top', path, path], 'one recording at a time, or -- and a program; see'),
            (['snapshot', path, path], 'one recording at a time; see'), (['snapshot', '--last', '0', path], '--last must be above 0'),
            (['ranks'], 'no recordings given'), (['view'], 'no recordings given'), (['pause'], 'no recording given'), (['resume', path, path], 'one recording at a time'),
            (['merge', '-o', bench.here('out'), path, database], 'databases cannot be merged: nvtxh view, stats, tree and export take several'),
            (['stats', '--slowest', 'x', '--by', 'domain', path], '--slowest cannot be used with --by'),
            (['stats', '--gpu', '--histogram', 'x', path], '--histogram cannot be used with --gpu'),
            (['stats', '--slowest', 'x', '--sort', 'avg', path], '--slowest cannot be used with --sort'),
            (['stats', '--program', '--by', 'thread', path], '--program cannot be used with --by'),
            (['stats', '--gpu', '--sort', 'med', path], 'the table of --gpu has no column med'),
            (['stats', '--columns', 'gpu_busy', path], 'the table of ranges has no column gpu_busy'),
            (['ranks', '--by', 'rank', '--columns', 'imbalance', path], 'the table by rank has no column imbalance'),
            (['ranks', '--columns', 'lasts', path], 'the table by range has no column lasts'),
            (['tree', '--columns', 'gpu_busy', path], 'the table without --gpu has no column gpu_busy'),
            (['tree', '--gpu', '--columns', 'self', path], 'the table of --gpu has no column self'),
            (['diff', '--figure', 'gpu_busy', path, path], 'gpu_busy requires --gpu'),
            (['diff', '--figure', 'p99', path, path], '--figure p99 requires at least 3 runs of A and of B'),
            (['export', '--format', 'parquet', path], 'parquet requires a directory: -o DIRECTORY'),
            (['record', '--domain-include', 'a', '--domain-exclude', 'b', 'true'], '--domain-include cannot be used with --domain-exclude'), (['record', '--'], 'no program given'),
            (['stats', '--columns', 'min,max,Min', path], '--columns lists Min twice'), (['stats', path, '-x'], 'unknown option -x'), (['export', path, '-t'], '-t requires a value')):
        done = bench.run(*arguments, status=2)
        require(wanted in done.stderr and not done.stdout, arguments, done.stderr)
        equal(len(done.stderr.splitlines()), 1, f'lines for {arguments}')
    require(not os.path.exists(bench.here('out')), 'a file was made')


def case_terminal(bench):
    """Colours only on a terminal, and not with NO_COLOR; a progress bar for what takes long, which is wiped away."""
    rec = synthetic.Recording()
    rec.process().thread(1).ranges('x', [1, 2])
    path = rec.write(bench.here('rec.nvtxh'))
    environment = {key: value for key, value in os.environ.items() if key != 'NO_COLOR'}
    environment['TERM'] = 'xterm'
    require('\033' not in bench.run('stats', path, env=environment).stdout, 'colours in a pipe')
    require('\033[1m' in on_terminal(bench.nvtxh, 'stats', path, env=environment), 'colours on a terminal')
    require('\033' not in on_terminal(bench.nvtxh, 'stats', path, env=dict(environment, NO_COLOR='1')), 'NO_COLOR')
    said = on_terminal('sh', '-c', f'"{bench.nvtxh}" export --format perfetto "{path}"; test $? = 2')
    require('cannot be written to a terminal' in said and '-o OUT' in said, said)
    long = bench.here('long.nvtxh')
    for count in 5000000, 15000000, 45000000:  # until it takes more than a second here
        synthetic.write_many(long, count)
        said = on_terminal('sh', '-c', f'"{bench.nvtxh}" stats "{long}" >/dev/null', env=environment)
        bars = re.findall(r'\[[#.]+\] +(\d+) %', said)
        if bars:
            break
    require(bars and list(map(int, bars)) == sorted(map(int, bars)) and said.endswith('\r\033[K'), 'a bar', said[-300:])
    for command in ('tree', long), ('diff', long, long):
        said = on_terminal(bench.nvtxh, *command, env=environment)
        bars = list(re.finditer(r'\[[#.]+\] +\d+ %', said))
        require(not bars or said.startswith('\r\033[K', bars[-1].end()), f'{command[0]}: rows behind a bar', said[-3000:])
    done = bench.run('stats', long)
    equal(done.stderr, '', 'a bar in a pipe')


def case_locale(bench):
    """Every report and export is the same where the decimal point is a comma; in Turkish, the case of words does not matter either."""
    rec = bench.record('rec', 'known-3')
    commands = [['stats', rec], ['stats', '--csv', rec], ['stats', '--json', rec], ['tree', rec], ['tree', '--json', rec],
                ['stats', '--from', '0.001ms', '--to=1.5', '--csv', rec], ['diff', '--fail-above', '0.5', rec, '--', rec],
                *(['export', '--format', form, rec] for form in ('csv', 'chrome', 'folded'))]

    def printed(command, **variables):
        done = bench.run(*command, status=None, env={**os.environ, **variables})
        return done.returncode, done.stdout, done.stderr

    usual = [printed(command, LC_ALL='C.UTF-8') for command in commands]
    equal([status for status, _, _ in usual], [0] * len(usual), 'all print')
    for name in locales.COMMA, locales.TURKISH:
        there = locales.made(bench.directory, name)
        for command, expected in zip(commands, usual):
            equal(printed(command, **there), expected, f'{name}: {command}')
        for words in ['--by', 'DOMAIN'], ['--columns', 'INSTANCES,MIN']:
            equal(printed(['stats', *words, rec], **there), printed(['stats', *map(str.lower, words), rec], LC_ALL='C.UTF-8'), f'{name}: {words}')
        said = printed(['record', '--snapshot-when', 'signal SIGINT', 'true'], **there)[2]
        require('USR1, USR2 or HUP' in said, 'a signal', said)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
