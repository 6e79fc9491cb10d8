#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program with every verb says and does the same under a tool that misbehaves at random as it does without one.

    run.py --compiler gcc|clang --language c|cpp [--nvtx NAME] [--sanitize LIST] [--seeds N] [--seed N]

Exit status 77: something is not installed; it says what.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402


def compile_all(args, folder):
    headers = toolchain.nvtx_headers()
    extended = [name for name, path in headers.items() if pathlib.Path(path, 'nvtx3/nvToolsExtCounters.h').exists()]
    name = args.nvtx or (extended or [None])[0]
    if name not in extended:
        sys.exit('no NVTX with counters: ' + str(name))
    commands = {language: toolchain.compiler(args.compiler, language) for language in ('c', args.language)}
    if not all(commands.values()):
        print(f'skipped: no {args.compiler}')
        sys.exit(77)
    sanitize = [f'-fsanitize={args.sanitize}', '-fno-sanitize-recover=all', '-g'] if args.sanitize else []
    program, tool = folder / 'program', folder / 'libhostile.so'
    made = [toolchain.run([commands['c'], *toolchain.flags('c', 'gnu17', headers[name], warn=False), '-D_GNU_SOURCE', '-shared', '-fPIC',
                           HERE / 'tool.c', '-o', tool, '-ldl']),
            toolchain.run([commands[args.language], *toolchain.flags(args.language, None, headers[name]), '-D_GNU_SOURCE', *sanitize,
                           HERE / 'program.c', '-rdynamic', '-pthread', '-ldl', '-o', program])]
    for one in made:
        if one.returncode:
            sys.exit(one.stdout)
    return program, tool


def run(program, tool, seed):
    environment = {k: v for k, v in os.environ.items() if not k.startswith(('NVTX_', 'NVTXH_'))}
    environment.update(UBSAN_OPTIONS='print_stacktrace=1')
    if tool:
        environment.update(NVTX_INJECTION64_PATH=str(tool), HOSTILE_SEED=str(seed))
    try:
        done = subprocess.run([program], capture_output=True, text=True, errors='replace', env=environment, timeout=60)
    except subprocess.TimeoutExpired as hangs:
        return 'hangs', str(hangs.stdout), str(hangs.stderr)
    return done.returncode, done.stdout, done.stderr


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--compiler', required=True, choices=toolchain.COMPILERS)
    parser.add_argument('--language', required=True, choices=toolchain.LANGUAGES)
    parser.add_argument('--nvtx')
    parser.add_argument('--sanitize')
    parser.add_argument('--seeds', type=int, default=300)
    parser.add_argument('--seed', type=int)
    args = parser.parse_args()
    first = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    seeds = range(first, first + (1 if args.seed is not None else args.seeds))
    with tempfile.TemporaryDirectory() as folder:
        program, tool = compile_all(args, pathlib.Path(folder))
        alone = run(program, None, 0)
        print(f'without a tool: status {alone[0]}\n{alone[1]}{alone[2]}')
        if alone[0] != 7:
            return 1
        bad = []
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for seed, done in zip(seeds, pool.map(lambda seed: run(program, tool, seed), seeds)):
                if done != alone:
                    bad.append(seed)
                    if len(bad) < 4:
                        print(f'--- seed {seed}: status {done[0]}\n{done[1]}{done[2]}')
    print(f'seeds {seeds[0]} to {seeds[-1]}: {len(bad)} of {len(seeds)} differ: {bad[:20]}')
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
