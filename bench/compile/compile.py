# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile bill: what including the header costs a file, and what it costs a project of many.

compile.py INCLUDE [--runs N] [--builds N]: INCLUDE has nvtx3/.
"""
import argparse
import os
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
FILES, SCOPES = 200, 5

FILE_FOOTNOTE = '''
One file with one function, a call into another file, and one range around it; {compiler} -O2. ms: processor
time of the compiler and all it starts; median, and the least, of {runs} runs, in which the rows take turns. over:
to the file without annotations. bytes: text, data and bss over that file.
'''
BUILD_FOOTNOTE = '''
{files} files in C with {scopes} functions and as many ranges each, and a main; {compiler} -O2, built by ninja and
linked; median of {builds} builds, in turns. processor: of all compilers and linkers together. KiB: text, data and bss
of the program.
'''


def processor_ms(command, **options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True, **options)
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


def project(mode, include, compiler, files, folder):
    """Write a project and its build.ninja."""
    option, first, begin, end = MODES[mode]
    folder.mkdir()
    names = [f'file{i}' for i in range(files)]
    for name in names:
        text = first + ''.join(function(f'{name}_{k}', begin, end) for k in range(SCOPES))
        (folder / f'{name}.c').write_text(text)
    main = 'int work(int n);\nint work(int n)\n{\n    return n + 1;\n}\n'
    for name in names:
        main += ''.join(f'int {name}_{k}(int n);\n' for k in range(SCOPES))
    main += 'int main(void)\n{\n    int n = 0;\n'
    for name in names:
        main += ''.join(f'    n = {name}_{k}(n);\n' for k in range(SCOPES))
    (folder / 'main.c').write_text(main + '    return n == 0;\n}\n')
    build = (f'rule cc\n  command = {compiler} -O2 -I{ROOT} -isystem {include} $options -c $in -o $out\n'
             f'rule link\n  command = {compiler} $in -o $out -ldl -lpthread\n')
    names.append('main')
    for name in names:
        build += f'build {name}.o: cc {name}.c\n  options = {option}\n'
    if option == '-DNVTXH_NO_IMPL':
        build += f'build impl.o: cc {ROOT}/nvtxh/impl.c\n  options =\n'
        names.append('impl')
    build += 'build program: link ' + ' '.join(f'{name}.o' for name in names) + '\ndefault program\n'
    (folder / 'build.ninja').write_text(build)


def whole_project(result, include, builds, files, folder):
    compiler = os.environ.get('CC', 'cc')
    if not shutil.which('ninja'):
        result.skip('compile, project', 'ninja is not installed')
        return
    taken = {}
    for mode in MODES:
        project(mode, include, compiler, files, folder / mode)
    for _ in range(builds):
        for mode in MODES:
            subprocess.run(['ninja', '-t', 'clean'], cwd=folder / mode, check=True,
                           stdout=subprocess.DEVNULL)
            taken.setdefault(mode, []).append(
                processor_ms(['ninja'], cwd=folder / mode, stdout=subprocess.DEVNULL) / 1000)
    base = report.median(taken['without annotations'])
    rows = [(mode, [report.median(taken[mode]), report.median(taken[mode]) - base,
                    size(folder / mode / 'program') / 1024]) for mode in MODES]
    result.table('compile, project', [('processor', 's', 1), ('over', 's', 1), ('size', 'KiB', 1)],
                 rows, BUILD_FOOTNOTE.format(files=files, scopes=SCOPES, compiler=compiler, builds=builds))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('include')
    parser.add_argument('--runs', type=int, default=20)
    parser.add_argument('--builds', type=int, default=1)
    asked = parser.parse_args()
    runs, builds, files = (1, 1, 3) if report.smoke() else (asked.runs, asked.builds, FILES)
    result = report.Report('compile')
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        for compiler, suffix in COMPILERS:
            if shutil.which(compiler):
                one_file(result, compiler, suffix, asked.include, runs, folder)
            else:
                result.skip(f'compile, {compiler}', 'not installed')
        whole_project(result, asked.include, builds, files, folder)
    result.write()


if __name__ == '__main__':
    main()
