#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""run.py --total SECONDS [--nvtxh PATH] [--programs DIRECTORY] FUZZER: libFuzzer on its targets, two at a time, for SECONDS in all.

They start from recordings of the test programs, from programs, command lines and texts. An input that makes a target fail is kept, and its name is printed.
Exit status 77: it was not built.
"""
import argparse
import concurrent.futures
import os
import pathlib
import random
import subprocess
import sys
import tempfile

from harness import draws, driver
from harness.checks import BUILD, NVTXH, skip

PARALLEL = 2
HERE = pathlib.Path(__file__).resolve().parent
sys.path.append(str(HERE.parent / 'nsight'))
import drawn  # noqa: E402
SEEDS = {'known-3': [], 'load': ['3', '20'], 'counted': ['2'], 'unknown': [], 'families-3': [], 'extended-3': [], 'presets': []}
# R and S stand for recordings, T for a program. To these come each command and each format.
COMMANDS = ['stats R', 'stats --csv --by category --sort med --limit 3 R', 'stats --json --columns name,p99 --thread main R',
            'stats --slowest a --limit 5 --csv R', 'stats --histogram a R',
            'stats --by thread --unit us --color always --domain default --name ^a.*[b-d]$ R', 'tree --min 1.5 --depth 3 --csv R',
            'tree --from 1ms --to 2.5s --threads merged R', 'diff R S', 'diff --csv --fail-above 5 R S', 'diff R S -- S R',
            'export -tchrome --to=20ms R', 'export --format csv R', 'export --format sqlite -o out.sqlite -f R', 'merge R S -o out', 'snapshot --last 1ms -f -o out R', 'list T T --json', 'list --help', 'stats --completions-data',
            'stats --gpu R', 'tree --gpu --threads each R', 'view --against R S', 'ranks --by rank R S']
WORDS = {'format': ['\x03abc\x00\x02\x05', '\x09%\x28\x10\x01 \x78\xf0\xf0\x01\xff\x02', 'x' * 40],
         'color': ['darkgreen', '#12aBef', '#ff102030', ''],
         'words': ['aB12,"\\', '\x03\x20\x1b[31m \u200f\u202e \u0085 caf\u00e9 \u4f60\u597d \U0001f600', '\x01\x04=1+1,\ttext\r\n']}


def word_seeds(args, directory):
    """Makes the seeds of the targets that take no recordings; returns an environment for these targets."""
    lines = [*COMMANDS, *(f'{name} R' for name in driver.commands(args.nvtxh)), *(f'export --format {name} R -o x' for name in driver.formats(args.nvtxh))]
    for name, inputs in {**WORDS, 'command': [line.replace(' ', '\n') for line in lines]}.items():
        os.mkdir(os.path.join(directory, 'seeds-' + name))
        for number, text in enumerate(inputs):
            pathlib.Path(directory, 'seeds-' + name, str(number)).write_bytes(text.encode())
    os.mkdir(os.path.join(directory, 'seeds-nsight'))
    for seed in range(20):
        drawn.Drawn(random.Random(seed), size=30).write(os.path.join(directory, 'seeds-nsight', str(seed)))
    os.mkdir(os.path.join(directory, 'seeds-list'))
    for name in ('misdirected', 'misdirected.p/misdirected.c.o'):  # without line numbers they are small
        program = pathlib.Path(args.programs, name)
        if program.exists():
            subprocess.run(['objcopy', '--strip-debug', program, pathlib.Path(directory, 'seeds-list', program.name)])
    files = [pathlib.Path(directory, name) for name in ('presets.nvtxh', 'known-3.nvtxh', 'seeds-list/misdirected')]
    return ':'.join(str(path) for path in files if path.exists())


def seeds(args, directory):
    for name, arguments in SEEDS.items():
        program = pathlib.Path(args.programs, name)
        if program.exists():
            rec = pathlib.Path(directory, name + '.nvtxh')
            subprocess.run([args.nvtxh, 'record', '--switches', '-o', rec, '--', program, *arguments], capture_output=True)
            subprocess.run([sys.executable, HERE / 'dense.py', rec, pathlib.Path(directory, 'seeds', name)], check=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--total', type=int, required=True)
    parser.add_argument('--nvtxh', default=NVTXH)
    parser.add_argument('--programs', default=BUILD / 'tests' / 'recorder')
    parser.add_argument('--keep', default='.')
    parser.add_argument('--targets', nargs='+', help='all that the fuzzer has, if not given')
    parser.add_argument('fuzzer', nargs='?')
    args = parser.parse_args()
    if not args.fuzzer:
        skip('the fuzzer needs clang with libFuzzer')
    known = subprocess.run([args.fuzzer], env={name: value for name, value in os.environ.items() if name != 'FUZZ_TARGET'},
                           text=True, stdout=subprocess.PIPE, check=True).stdout.split()
    targets = args.targets or known
    if not set(targets) <= set(known):
        parser.error(f'the targets are {", ".join(known)}')
    with tempfile.TemporaryDirectory() as directory:
        os.mkdir(os.path.join(directory, 'seeds'))
        seeds(args, directory)
        environment = dict(os.environ, FUZZ_FILES=word_seeds(args, directory))
        seconds = max(1, args.total * PARALLEL // len(targets))

        def fuzz(name):
            corpus = os.path.join(directory, name)
            os.mkdir(corpus)
            mine = os.path.join(directory, 'seeds-' + name)
            # A command that ends in the middle leaks what it has; what it prints is of no interest.
            special = ['-detect_leaks=0', '-close_fd_mask=3', '-max_len=400'] if name == 'command' else []
            leaks = {'ASAN_OPTIONS': 'detect_leaks=0'} if name == 'command' else {}
            return name, subprocess.run(
                [args.fuzzer, f'-seed={draws.SEED % (1 << 32)}', f'-max_total_time={seconds}', '-timeout=100', '-rss_limit_mb=2048', '-max_len=65536',
                 f'-artifact_prefix={os.path.abspath(args.keep)}/{name}-', '-print_final_stats=1', corpus,
                 mine if os.path.exists(mine) else os.path.join(directory, 'seeds'), *special], capture_output=True, text=True, errors='replace',
                env=dict(environment, FUZZ_TARGET=name, **leaks))

        bad = 0
        with concurrent.futures.ThreadPoolExecutor(PARALLEL) as pool:
            for name, done in pool.map(fuzz, targets):
                runs = [line.split()[-1] for line in done.stderr.splitlines() if 'number_of_executed_units' in line]
                print(f'{name}: {runs[0] if runs else "?"} inputs, exit status {done.returncode}')
                if done.returncode:
                    bad += 1
                    print(done.stderr[-6000:])
    return 1 if bad else 0


if __name__ == '__main__':
    sys.exit(main())
