# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What including the header costs: CPU time and object size of one translation unit.

compile.py INCLUDE [RUNS]: INCLUDE has nvtx3/. The compilations are interleaved and repeated RUNS times
(20); printed are the median of the CPU time (user and system, of the compiler and all it starts), the
difference to the same file without annotations, and the bytes of text, data and bss over that file.
Optimised with -O2. The file has one function with one scope; `nvtx` and `nvtx3.hpp` hold the same range
by hand.
"""
import pathlib
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent

BODY = 'int work(int n);\nint step(int n);\nint step(int n)\n{\n%s    return work(n);\n}\n'
SOURCES = {
    'without annotations': ('', BODY % ''),
    'nvtxh, off': ('-DNVTX_DISABLE', '#include "nvtxh.h"\n' + BODY % '    NVTX_SCOPE("step");\n'),
    'nvtxh, NVTXH_NO_IMPL': ('-DNVTXH_NO_IMPL',
                             '#include "nvtxh.h"\n' + BODY % '    NVTX_SCOPE("step");\n'),
    'nvtxh, self-contained': ('', '#include "nvtxh.h"\n' + BODY % '    NVTX_SCOPE("step");\n'),
    'nvtx': ('', '#include <nvtx3/nvToolsExt.h>\n' + BODY.replace('return work(n);',
             'n = work(n);\n    nvtxRangePop();\n    return n;') % '    nvtxRangePushA("step");\n'),
}
CPP_ONLY = {
    'nvtx3.hpp': ('', '#include <nvtx3/nvtx3.hpp>\n' + BODY
                  % '    nvtx3::scoped_range range("step");\n'),
}


def cpu_time(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def size(path):
    fields = subprocess.run(['size', path], check=True, text=True,
                            stdout=subprocess.PIPE).stdout.splitlines()[1].split()
    return sum(int(field) for field in fields[:3])


def measure(compiler, suffix, sources, include, runs, folder):
    commands, times, sizes = {}, {}, {}
    for i, (name, (option, text)) in enumerate(sources.items()):
        source = folder / f'{compiler}{i}{suffix}'
        source.write_text(text)
        commands[name] = [compiler, '-O2', '-I', ROOT, '-isystem', include, '-c', source, '-o',
                          source.with_suffix('.o')] + ([option] if option else [])
        times[name] = []
    for _ in range(runs):
        for name, command in commands.items():
            times[name].append(cpu_time(command))
    for name, command in commands.items():
        sizes[name] = size(command[command.index('-o') + 1])
    base = 'without annotations'
    print(f'{compiler:24} {"ms":>8} {"over":>8} {"bytes over":>11}')
    for name in commands:
        median = statistics.median(times[name])
        print(f'{name:24} {median:8.1f} {median - statistics.median(times[base]):8.1f}'
              f' {sizes[name] - sizes[base]:11}')
    print()


def main():
    include = sys.argv[1]
    runs = int(sys.argv[2]) if len(sys.argv) > 2 else 20
    has_hpp = pathlib.Path(include, 'nvtx3', 'nvtx3.hpp').exists()
    with tempfile.TemporaryDirectory() as folder:
        for compiler, suffix in (('gcc', '.c'), ('clang', '.c'), ('g++', '.cpp'),
                                 ('clang++', '.cpp')):
            if shutil.which(compiler):
                sources = dict(SOURCES)
                if suffix == '.cpp' and has_hpp:
                    sources.update(CPP_ONLY)
                measure(compiler, suffix, sources, include, runs, pathlib.Path(folder))


if __name__ == '__main__':
    main()
