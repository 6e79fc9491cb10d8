# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile bill: what including the header costs a file.

compile.py INCLUDE [--runs N]: INCLUDE has nvtx3/.
"""
import argparse
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'bench'))
import report  # noqa: E402

INCLUDE = '#include "nvtxh.h"\n'
# name: (compiler options, what comes first in the file, begin of a range, its end)
MODES = {
    'without annotations': ('', '', '', ''),
    'nvtxh, off': ('-DNVTX_DISABLE', INCLUDE, 'NVTX_SCOPE("%s");', ''),
    'nvtxh, NVTXH_NO_IMPL': ('-DNVTXH_NO_IMPL', INCLUDE, 'NVTX_SCOPE("%s");', ''),
    'nvtxh, self-contained': ('', INCLUDE, 'NVTX_SCOPE("%s");', ''),
    'nvtx, off': ('-DNVTX_DISABLE', '#include <nvtx3/nvToolsExt.h>\n', 'nvtxRangePushA("%s");',
                  'nvtxRangePop();'),
    'nvtx': ('', '#include <nvtx3/nvToolsExt.h>\n', 'nvtxRangePushA("%s");', 'nvtxRangePop();'),
}
CPP_MODES = {
    'nvtx3.hpp': ('', '#include <nvtx3/nvtx3.hpp>\n', 'nvtx3::scoped_range range("%s");', ''),
}
COMPILERS = (('gcc', '.c'), ('clang', '.c'), ('g++', '.cpp'), ('clang++', '.cpp'))

FILE_FOOTNOTE = '''
One file with one function, a call into another file, and one range around it; {compiler} -O2. ms: processor
time of the compiler and all it starts; median, and the least, of {runs} runs, in which the rows take turns. over:
to the file without annotations. bytes: text, data and bss over that file.
'''


def processor_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def size(path):
    fields = subprocess.run(['size', path], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.splitlines()[1].split()
    return sum(int(field) for field in fields[:3])


def function(name, begin, end):
    begin = begin % name if begin else ''
    return (f'int work(int n);\nint {name}(int n);\nint {name}(int n)\n{{\n    {begin}\n'
            f'    n = work(n);\n    {end}\n    return n;\n}}\n')


def one_file(result, compiler, suffix, include, runs, folder):
    modes = dict(MODES)
    if suffix == '.cpp' and pathlib.Path(include, 'nvtx3', 'nvtx3.hpp').exists():
        modes.update(CPP_MODES)
    commands, times = {}, {}
    for i, (mode, (option, first, begin, end)) in enumerate(modes.items()):
        source = folder / f'{compiler}{i}{suffix}'
        source.write_text(first + function('step', begin, end))
        commands[mode] = [compiler, '-O2', '-I', ROOT, '-isystem', include, '-c', source, '-o',
                          source.with_suffix('.o')] + ([option] if option else [])
        times[mode] = []
        processor_ms(commands[mode])  # the files it reads are in memory from here on
    for _ in range(runs):
        for mode, command in commands.items():
            times[mode].append(processor_ms(command))
    base = times['without annotations']
    bytes_of = {mode: size(command[command.index('-o') + 1]) for mode, command in commands.items()}
    rows = [(mode, [report.median(times[mode]), min(times[mode]),
                    report.median(times[mode]) - report.median(base),
                    bytes_of[mode] - bytes_of['without annotations']]) for mode in modes]
    result.table(f'compile, {compiler}', [('time', 'ms', 1), ('least', 'ms', 1), ('over', 'ms', 1),
                                          ('over', 'bytes', 0)], rows,
                 FILE_FOOTNOTE.format(compiler=compiler, runs=runs))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('include')
    parser.add_argument('--runs', type=int, default=20)
    asked = parser.parse_args()
    runs = 1 if report.smoke() else asked.runs
    result = report.Report('compile')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for compiler, suffix in COMPILERS:
            if shutil.which(compiler):
                one_file(result, compiler, suffix, asked.include, runs, folder)
            else:
                result.skip(f'compile, {compiler}', 'not installed')
    result.write()


if __name__ == '__main__':
    main()
