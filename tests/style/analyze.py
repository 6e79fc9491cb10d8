# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""analyze.py cppcheck|analyzer BUILD: what other programs than clang-tidy find in the recorder and the library.

cppcheck  a few seconds
analyzer  gcc -fanalyzer, some minutes; with gcc 12
Each finding is an error, except for the wrong alarms below. Exit status 77: the program is not installed.
"""
import concurrent.futures
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

from harness.checks import ROOT, need

HEADERS = '#include "nvtxh.h"\n' + ''.join(f'#include "nvtxh/{name}.h"\n' for name in ('stats', 'payload', 'counter', 'capture'))
# (file, what is said of it): why it is wrong
WRONG = {
    ('nvtxh/core/say.h', 'varFuncNullUB'): 'NULL is a pointer for gcc and clang',
    ('nvtxh/core/system.h', 'varFuncNullUB'): 'the same',
    ('nvtxh/core/arch/x86_64.h', 'uninitvar'): 'takes an output of asm for an input',
    ('nvtxh/impl/check.h', 'ignoredReturnValue'): 'atexit without room for one more: no report at the end',
    ('nvtxh/impl/slot.h', 'comparePointers'): "the linker's names of both ends of one section",
    ('nvtxh/impl/slot.h', 'subtractPointers'): 'the same',
    ('nvtxh/stats/thread.h', 'comparePointers'): 'the same',
    ('nvtxh/stats/thread.h', 'subtractPointers'): 'the same',
    ('nvtxh/payload/register.h', 'comparePointers'): 'the same',
    ('recorder/cli/cli.c', 'returnDanglingLifetime'): 'takes the source for the message that opening it may leave',
    ('recorder/output/losses.c', 'uninitvar'): 'no element is read before it is set',
    ('recorder/output/sqlite_rows.c', 'CastIntegerToAddressAtReturn'): 'does not know the type of uintptr_t',
    ('recorder/output/perfetto.c', '-Wanalyzer-double-free'): 'takes two elements of an array for one',
    ('recorder/analysis/distribution.c', '-Wanalyzer-null-dereference'): 'there are values wherever there are no bins',
}


def commands(build):
    """How the build compiles the command line and the injection library: (source, words)."""
    for entry in json.loads((build / 'compile_commands.json').read_text()):
        if entry['output'].startswith(('recorder/nvtxh.p/', 'recorder/libnvtxh-record.so.')) and entry['file'].endswith('.c'):
            yield pathlib.Path(entry['directory'], entry['file']).resolve(), shlex.split(entry['command'])


def nvtx(build):
    """The directory of NVTX's headers."""
    words = next(words for _, words in commands(build) if '-isystem' in ' '.join(words))
    return next((words[i + 1] if word == '-isystem' else word[8:]) for i, word in enumerate(words) if word.startswith('-isystem'))


def headers(folder):
    source = folder / 'headers.c'
    source.write_text(HEADERS)
    return source


def report(lines):
    """Prints the findings, (file, id, line) each, that are no wrong alarms; returns how many there are."""
    count = 0
    for file, what, line in sorted(set(lines)):
        path = pathlib.Path(file).resolve()
        name = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else file
        if (name, what) not in WRONG:
            print(line)
            count += 1
    return count


def cppcheck(build, folder):
    need('cppcheck')
    base = ['cppcheck', '-q', '--std=c11', '--enable=warning,performance,portability', '--suppress=missingIncludeSystem',
            '--suppress=normalCheckLevelMaxBranches', f'-j{os.cpu_count()}', '--template={file}\t{id}\t{file}:{line}: {message} [{id}]', '--template-location=']
    macros = folder / 'macros.h'  # of the compiler, as cppcheck has none
    predefined = subprocess.run(['gcc', '-dM', '-E', '-x', 'c', '-'], input='', capture_output=True, text=True, check=True).stdout
    macros.write_text('#define __has_include(file) 1\n' + predefined)
    searched = subprocess.run(['gcc', '-E', '-Wp,-v', '-x', 'c', '-'], input='', capture_output=True, text=True).stderr
    system = [f'-I{line.strip()}' for line in searched.splitlines() if line.startswith(' /')]
    sources = sorted({source for source, _ in commands(build) if source.is_relative_to(ROOT / 'recorder')})
    defined = sorted({word for _, words in commands(build) for word in words if word.startswith('-DNVTXH_')})
    found = []
    for extra in [[*sources, '-D_GNU_SOURCE', '-D__LP64__', *defined]] + [
            [headers(folder), f'--include={macros}', '-D__GNUC__=12', f'-I{ROOT}', f'-I{nvtx(build)}', *system, f'--suppress=*:{nvtx(build)}/*', '--suppress=*:/usr/*', *more]
            for more in ([], ['-DNVTXH_CHECK'])]:
        done = subprocess.run([*base, *map(str, extra)], cwd=ROOT, capture_output=True, text=True)
        found += [tuple(line.split('\t', 2)) for line in done.stderr.splitlines() if line.count('\t') >= 2]
        if done.returncode:
            print(done.stdout, done.stderr)
            return 1
    print(f'{len(sources)} files and the headers')
    return report(found)


def analyzer(build, folder):
    need('gcc')
    jobs = [['-std=gnu11', '-I', str(ROOT), '-isystem', nvtx(build), *more, str(headers(folder))] for more in ([], ['-DNVTXH_CHECK'])]
    for source, words in commands(build):
        if source.is_relative_to(ROOT / 'recorder'):
            valued = {'-o', '-MQ', '-MF'}
            jobs.append([word for before, word in zip(words, words[1:]) if before not in valued and
                         word not in valued | {'-c', '-MD', '-O2', 'gcc', 'cc'} and not word.startswith('-W')])

    def run(words):
        return subprocess.run(['gcc', '-O1', '-fanalyzer', '-Wsystem-headers', *words, '-fdiagnostics-plain-output', '-c', '-o', os.devnull], cwd=build,
                              capture_output=True, text=True)

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(run, jobs))
    found = []
    for done in runs:
        if done.returncode:
            print(done.stderr)
            return 1
        found += [((build / m[1]).resolve(), m[3], m[0]) for m in re.finditer(r'^(\S+?):(\d+):.*warning: .*\[(-Wanalyzer\S+)\]$', done.stderr, re.M)
                  if (build / m[1]).resolve().is_relative_to(ROOT)]
    print(f'{len(jobs)} files')
    return report(found)


if __name__ == '__main__':
    what, build_directory = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        check = {'cppcheck': cppcheck, 'analyzer': analyzer}[what]
        sys.exit(check(pathlib.Path(build_directory).resolve(), pathlib.Path(directory)) != 0)
