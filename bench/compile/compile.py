# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compile bill: what including the header costs a file. --nvtx: a folder with nvtx3/."""
import pathlib
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ROOT, SMOKE, Bench, median  # noqa: E402
from harness import toolchain  # noqa: E402

NVTXH = '#include "nvtxh.h"\n', 'NVTX_SCOPE("step");', ''
STATS = '#include "nvtxh.h"\n#include "nvtxh/stats.h"\n', *NVTXH[1:]
COUNTER = '#include "nvtxh.h"\n#include "nvtxh/capture.h"\n#include "nvtxh/counter.h"\n', *NVTXH[1:]
NVTX = '#include <nvtx3/nvToolsExt.h>\n', 'nvtxRangePushA("step");', 'nvtxRangePop();'
# name: (compiler option, what comes first in the file, begin of the range, its end)
MODES = {
    'without annotations': ('', '', '', ''),
    'nvtxh, off': ('-DNVTX_DISABLE', *NVTXH),
    'nvtxh, NVTXH_NO_IMPL': ('-DNVTXH_NO_IMPL', *NVTXH),
    'nvtxh, self-contained': ('', *NVTXH),
    'nvtxh, stats.h': ('', *STATS),
    'nvtxh, capture.h, counter.h, payload.h': ('', *COUNTER),
    'nvtxh, NVTXH_IMPLEMENTATION': ('-DNVTXH_NO_IMPL -DNVTXH_IMPLEMENTATION', *NVTXH),
    'nvtx, off': ('-DNVTX_DISABLE', *NVTX),
    'nvtx': ('', *NVTX),
}
CPP_MODES = {'nvtx3.hpp': ('', '#include <nvtx3/nvtx3.hpp>\n', 'nvtx3::scoped_range range("step");', '')}
FILE = '%sint work(int n);\nint step(int n);\nint step(int n)\n{\n    %s\n    n = work(n);\n    %s\n    return n;\n}\n'
COMPILERS = {'gcc': '.c', 'clang': '.c', 'g++': '.cpp', 'clang++': '.cpp', 'nvcc': '.cu'}
FOOTNOTE = '''
One file with one function, a call into another file, and one range around it; {compiler}. ms: processor time of the compiler and
all it starts; median, and the least, of {runs} runs, in which the rows take turns. over: to the file without annotations. bytes: text,
data and bss over that file.
'''


def processor_ms(command):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return (after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime) * 1000


def size(path):
    fields = subprocess.run(['size', path], check=True, text=True, stdout=subprocess.PIPE).stdout.splitlines()[1].split()
    return sum(int(field) for field in fields[:3])


def command_of(compiler):
    if compiler == 'nvcc':
        return None if SMOKE else toolchain.nvcc()  # it takes long
    return [compiler] if shutil.which(compiler) else None


def compiled(bench, compiler, optimise, suffix, runs):
    """{mode: its row}"""
    nvtx, commands, times = pathlib.Path(bench.asked.nvtx), {}, {}
    more = CPP_MODES if suffix != '.c' and (nvtx / 'nvtx3' / 'nvtx3.hpp').exists() else {}
    for i, (mode, (option, *parts)) in enumerate({**MODES, **more}.items()):
        source = bench.scratch / f'{compiler}{optimise}{i}{suffix}'
        source.write_text(FILE % tuple(parts))
        commands[mode] = [*command_of(compiler), optimise, '-I', ROOT, '-isystem', nvtx, *option.split(), '-c', source, '-o', source.with_suffix('.o')]
        times[mode] = []
    for _ in range(runs):
        for mode, command in commands.items():
            times[mode].append(processor_ms(command))
    of_none, bytes_of = median(times['without annotations']), {mode: size(command[-1]) for mode, command in commands.items()}
    rows = {mode: [median(ms), min(ms), median(ms) - of_none, bytes_of[mode] - bytes_of['without annotations']]
            for mode, ms in times.items()}
    bench.table(f'compile, {compiler} {optimise}', [('time', 'ms', 1), ('least', 'ms', 1), ('over', 'ms', 1), ('over', 'bytes', 0)], rows,
                FOOTNOTE.format(compiler=f'{compiler} {optimise}', runs=runs))
    return rows


def main():
    bench, said = Bench('compile', nvtx='/usr/include', runs=20), []
    for compiler, suffix in COMPILERS.items():
        runs = bench.asked.runs // (4 if compiler == 'nvcc' else 1)  # nvcc takes some ten times as long
        for optimise in ['-O0'] if SMOKE else ['-O0', '-O2']:
            if not command_of(compiler):
                bench.skip(f'compile, {compiler} {optimise}', 'not installed, or takes too long for a test')
                continue
            over = {mode: f'{mode} {row[2]:.0f} ms' for mode, row in
                    compiled(bench, compiler, optimise, suffix, 1 if SMOKE else runs).items()}
            named = [over[mode] for mode in ('nvtxh, NVTXH_NO_IMPL', 'nvtxh, self-contained', 'nvtx', 'nvtx3.hpp') if mode in over]
            said.append(f'{compiler} {optimise} takes longer for a file with a range: {"; ".join(named)}.')
    bench.end(*said)


if __name__ == '__main__':
    main()
