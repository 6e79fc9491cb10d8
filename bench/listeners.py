# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Who listens while a program is measured: nobody, the tool that does nothing, statistics, the recorder."""
import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / 'tests'))
from harness import callgrind  # noqa: E402

LISTENERS = ('nobody', 'null tool', 'statistics', 'recorder')
SKIP = 77


def call(listener, command, tools, **options):
    """Run a command with someone listening; the finished process. TOOLS: see arguments()."""
    environment = dict(os.environ, **options.pop('env', {}))
    environment.pop('NVTX_INJECTION64_PATH', None)
    command = [str(c) for c in command]
    options.setdefault('stdout', subprocess.PIPE)
    if listener == 'null tool':
        environment['NVTX_INJECTION64_PATH'] = str(tools.null)
    if listener == 'statistics':
        environment['NVTXH_BENCH_STATISTICS'] = '1'
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-') as folder:
        if listener == 'recorder':
            command = [str(tools.nvtxh), 'record', '-o', f'{folder}/bench.nvtxh', '--', *command]
        done = subprocess.run(command, env=environment, text=True, errors='replace', **options)
    if done.returncode not in (0, SKIP):
        print(done.stdout)
        sys.exit(f'{" ".join(command)}: exit {done.returncode}')
    return done


def arguments(parser):
    parser.add_argument('--null', type=pathlib.Path, required=True, help='the tool that does nothing')
    parser.add_argument('--nvtxh', type=pathlib.Path, required=True, help='the command line')


def instructions(listener, command, tools, toggle):
    """{function: instructions, with those of what it calls}, counted by callgrind while the function
    TOGGLE runs. None: this listener is not there. {}: callgrind is not."""
    if not shutil.which('valgrind'):
        return {}
    with tempfile.NamedTemporaryFile(prefix='nvtxh-bench-') as profile:
        done = call(listener, ['valgrind', '-q', '--tool=callgrind', '--collect-atstart=no',
                               f'--toggle-collect={toggle}', '--dump-line=no',
                               f'--callgrind-out-file={profile.name}', *command], tools,
                    stderr=subprocess.DEVNULL)
        return None if done.returncode == SKIP else inclusive(pathlib.Path(profile.name).read_text())


def inclusive(text):
    """{function without its parameters: instructions} of a callgrind file: its own lines and those of its calls."""
    costs = collections.Counter()
    for name, cost in callgrind.inclusive(text).items():
        costs[name.split('(')[0]] += cost
    costs.pop('', None)  # (below main)
    return dict(costs)
