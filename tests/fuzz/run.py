#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py --seconds N --nvtxh PATH --programs DIRECTORY FUZZER: libFuzzer on each of its targets for so long.

They start from recordings of the test programs. What makes one fail is kept and named. Exit status 77: it was not built.
"""
import argparse
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
TARGETS = ['csv', 'text', 'chrome', 'perfetto', 'html', 'speedscope', 'firefox', 'folded', 'sqlite', 'stats', 'tree', 'top', 'merge']
SEEDS = {'known-3': [], 'load': ['3', '20'], 'counted': ['2'], 'unknown': [], 'families-3': [], 'extended-3.2': [], 'presets': []}


def seeds(args, directory):
    for name, arguments in SEEDS.items():
        program = pathlib.Path(args.programs, name)
        if program.exists():
            rec = pathlib.Path(directory, name + '.nvtxh')
            subprocess.run([args.nvtxh, 'record', '-o', rec, '--', program, *arguments], capture_output=True)
            subprocess.run([sys.executable, HERE / 'dense.py', rec, pathlib.Path(directory, 'seeds', name)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seconds', type=int, required=True)
    parser.add_argument('--nvtxh', required=True)
    parser.add_argument('--programs', required=True)
    parser.add_argument('--keep', default='.')
    parser.add_argument('--targets', nargs='+', choices=TARGETS, default=TARGETS)
    parser.add_argument('fuzzer', nargs='?')
    args = parser.parse_args()
    if not args.fuzzer:
        print('skipped: the fuzzer needs clang with libFuzzer')
        return 77
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, 'seeds'))
        seeds(args, directory)

        def fuzz(name):
            corpus = os.path.join(directory, name)
            os.mkdir(corpus)
            return name, subprocess.run(
                [args.fuzzer, f'-max_total_time={args.seconds}', '-timeout=20', '-rss_limit_mb=2048', '-max_len=65536',
                 f'-artifact_prefix={os.path.abspath(args.keep)}/{name}-', '-print_final_stats=1', corpus,
                 os.path.join(directory, 'seeds')], capture_output=True, text=True, errors='replace', env=dict(os.environ, FUZZ_TARGET=name))

        bad = 0
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for name, done in pool.map(fuzz, args.targets):
                runs = [line.split()[-1] for line in done.stderr.splitlines() if 'number_of_executed_units' in line]
                print(f'{name}: {runs[0] if runs else "?"} inputs, exit status {done.returncode}')
                if done.returncode:
                    bad += 1
                    print(done.stderr[-6000:])
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
