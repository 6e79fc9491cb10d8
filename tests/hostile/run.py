#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with every macro says and does the same under a tool that misbehaves at random as it does without one.

    run.py COMPILER/LANGUAGE[/NVTX] [--sanitize LIST] [--seeds N] [--seed N]

Exit status 77: something is not installed; it says what.
"""
import argparse
import concurrent.futures
import pathlib
import subprocess
import sys
import tempfile

from harness import checks, draws
from harness.programs import Way

HERE = pathlib.Path(__file__).resolve().parent


def run(way, program, tool, seed):
    variables = {'NVTX_INJECTION64_PATH': tool, 'HOSTILE_SEED': seed} if tool else {}
    try:
        done = subprocess.run([program], capture_output=True, text=True, errors='replace', timeout=240,
                              env=checks.environment(UBSAN_OPTIONS='print_stacktrace=1', MALLOC_PERTURB_=way.perturb, **variables))
    except subprocess.TimeoutExpired as hangs:
        return 'hangs', str(hangs.stdout), str(hangs.stderr)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('way')
    parser.add_argument('--sanitize')
    parser.add_argument('--seeds', type=int, default=300)
    parser.add_argument('--seed', type=int)
    args = parser.parse_args()
    seeds = [args.seed] if args.seed is not None else draws.seeds(args.seeds)
    with tempfile.TemporaryDirectory() as folder:
        way = Way(args.way, pathlib.Path(folder), args.sanitize)
        checks.require(pathlib.Path(way.headers[way.nvtx], 'nvtx3/nvToolsExtCounters.h').exists(), f'NVTX with counters: {way.nvtx}')
        tool = Way(f'{way.compiler}/c/{way.nvtx}', way.folder).build(HERE / 'tool.c', '-shared', '-fPIC', output='libhostile.so', warn=False)
        program = way.build(HERE / 'program.c', '-rdynamic')
        alone = run(way, program, None, 0)
        print(f'without a tool: status {alone[0]}\n{alone[1]}{alone[2]}')
        if alone[0] != 7:
            return 1
        bad = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for seed, done in zip(seeds, pool.map(lambda seed: run(way, program, tool, seed), seeds)):
                if done != alone:
                    bad.append(seed)
                    if len(bad) < 4:
                        print(f'--- seed {seed}: status {done[0]}\n{done[1]}{done[2]}')
    print(f'seeds {seeds[0]} to {seeds[-1]}: {len(bad)} of {len(seeds)} differ: {bad[:20]}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
