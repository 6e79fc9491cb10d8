#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with every macro says and does the same even if the library's calls to the system fail.

    faults.py COMPILER/LANGUAGE[/NVTX] [all]

The program's own code calls malloc, mmap, dlopen, fopen, the clock and the like. In each run one such call fails, alone or with all
later ones; with statistics, and with a tool as well. Of each function, the first ten calls and then every 23rd are tried, or all.
Exit status 77: something is not installed; it says what.
"""
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

from harness import checks
from harness.programs import Way

HERE = pathlib.Path(__file__).resolve().parent


def run(program, preloaded, at, **variables):
    with tempfile.TemporaryFile('w+') as listed:
        try:
            done = subprocess.run([program], capture_output=True, text=True, errors='replace', timeout=240, pass_fds=[listed.fileno()],
                                  env=checks.environment(LD_PRELOAD=preloaded, FAULT_OF_PROGRAM=1, FAULT_AT=at,
                                                         FAULT_LIST=listed.fileno(), **variables))
        except subprocess.TimeoutExpired as hangs:
            return ('hangs', hangs.stdout), '', []
        listed.seek(0)
        return (done.returncode, done.stdout), done.stderr, [line.split()[0] for line in listed]


def chosen(calls):
    """The numbers of the calls that are to fail, of a list of names."""
    count = {}
    for at, name in enumerate(calls, 1):
        count[name] = count.get(name, 0) + 1
        if count[name] <= 10 or count[name] % 23 == 0 or 'all' in sys.argv:
            yield at


def main():
    tried, bad = {}, []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        way = Way(sys.argv[1], folder)
        program = way.build(HERE / 'program.c', '-rdynamic', '-DFAULTS')
        preloaded = folder / 'faults.so'
        subprocess.run([way.compiler_of('c'), '-shared', '-fPIC', '-std=gnu11', '-O1', HERE.parent / 'reader' / 'faults.c', '-o', preloaded, '-ldl'], check=True)
        statistics = {'NVTXH_STATS': folder / 'stats-%p.csv'}
        usual = None
        for variables in statistics, {**statistics, 'NVTX_INJECTION64_PATH': way.tool}:
            for on in {}, {'FAULT_ON': 1}:
                result, said, calls = run(program, preloaded, 0, **variables)
                usual = usual or result
                checks.require(result == usual and result[0] == 7, 'without a fault', result, said)
                with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
                    runs = pool.map(lambda at: (at, run(program, preloaded, at, **variables, **on)), chosen(calls))
                    for at, (result, said, _) in runs:
                        tried[calls[at - 1]] = tried.get(calls[at - 1], 0) + 1
                        lines = [line for line in said.splitlines() if not line.startswith('nvtxh: ')]
                        if result != usual or lines:
                            bad.append((calls[at - 1], at, variables, on, result, said))
    for one in bad[:6]:
        print(*one, sep='\n  ')
    print(', '.join(f'{count} {name}' for name, count in sorted(tried.items())), f'failed; {len(bad)} runs differ')
    return 1 if bad or sum(tried.values()) < 20 else 0


if __name__ == '__main__':
    sys.exit(main())
