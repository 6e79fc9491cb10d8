# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What all benches share: their arguments, who listens to a measured program, and how numbers are printed.

    python3 bench/NAME/NAME.py BUILD

A bench prints tables, each with its method in a footnote, and at the end a sentence with what they show. It writes every number to
results/NAME.csv in the current directory, or in NVTXH_BENCH_RESULTS: a line `bench,row,column,unit,value` each, after lines with `#`.
"""
import argparse
import collections
import csv
import datetime
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import textwrap

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(ROOT / 'tests'))
from harness import callgrind  # noqa: E402

LISTENERS = 'nobody', 'null tool', 'statistics', 'recorder'
SMOKE = bool(os.environ.get('NVTXH_BENCH_SMOKE'))  # one short run of each, for its rows and not for its numbers
ENVIRONMENT = {k: v for k, v in os.environ.items() if k != 'NVTX_INJECTION64_PATH'}
median = statistics.median


def measured(command):
    """Runs a command: its processor time in seconds, and the most memory that it had in MiB."""
    child = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, env=ENVIRONMENT)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f'{" ".join(str(c) for c in command)}: exit {child.returncode}')
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def functions(text):
    """[(name, symbol, ns of a call)], of what a program prints that is made with bench.h."""
    return [line.split('\t') for line in text.splitlines() if line.count('\t') == 2]


def ns_of(text):
    return {name: float(ns) for name, _, ns in functions(text)}


def machine():
    """What a reader has to know beside a number."""
    try:
        cpu = re.search(r'^model name\s*:\s*(.*)$', pathlib.Path('/proc/cpuinfo').read_text(), re.M).group(1)
    except (OSError, AttributeError):
        cpu = os.uname().machine
    compiler = os.environ.get('CC', 'cc')
    if shutil.which(compiler):
        compiler = subprocess.run([compiler, '--version'], text=True, stdout=subprocess.PIPE).stdout.split('\n')[0]
    return [f'cpu: {cpu}, {os.cpu_count()} online', f'compiler: {compiler}',
            f'date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC',
            f'load before the run: {os.getloadavg()[0]:.1f}' + (' (smoke run: not for its numbers)' if SMOKE else '')]


class Bench:
    def __init__(self, name, **options):
        """OPTIONS: {name: default}, for the command line."""
        parser = argparse.ArgumentParser()
        parser.add_argument('build', type=pathlib.Path, help='the build directory')
        for option, default in options.items():
            parser.add_argument(f'--{option}', default=default, type=type(default))
        self.asked = parser.parse_args()
        self.name, self.rows, self.skipped, self.head = name, [], [], machine()
        self.build = self.asked.build.resolve()
        self.programs, self.nvtxh = self.build / 'bench', self.build / 'recorder' / 'nvtxh'
        self.null = self.programs / 'libnvtxh-bench-null.so'
        self.folder = tempfile.TemporaryDirectory(prefix='nvtxh-bench-', dir=getattr(self.asked, 'folder', None) or None)
        self.scratch = pathlib.Path(self.folder.name)

    def call(self, listener, command, options=(), **more):
        """What a command prints, with one of LISTENERS. OPTIONS are for `nvtxh record`, MORE is for the environment."""
        environment, command = {**ENVIRONMENT, **more}, [str(c) for c in command]
        if listener == 'null tool':
            environment['NVTX_INJECTION64_PATH'] = str(self.null)
        elif listener == 'statistics':
            environment['NVTXH_STATS'] = '/dev/null'
        elif listener == 'recorder':
            command = [str(self.nvtxh), 'record', '-q', '-f', '-o', f'{self.folder.name}/bench.nvtxh', *options, '--', *command]
        done = subprocess.run(command, env=environment, text=True, capture_output=True)
        if done.returncode:
            print(f'{done.stdout}{done.stderr}{" ".join(command)}: exit {done.returncode}')
            sys.exit(done.returncode)  # 77: the program cannot run here
        return done.stdout

    def times(self, listener, program, bursts, calls, options=(), **more):
        """{function: ns of a call}, of a program that is made with bench.h."""
        return ns_of(self.call(listener, [program, bursts, calls], options, **more))

    def instructions(self, listener, program, calls):
        """{function: instructions of a call, with those of what it calls}, counted by callgrind; {} without it."""
        if not shutil.which('valgrind'):
            self.skip(f'{listener}: instructions', 'valgrind is not installed')
            return {}
        profile = self.scratch / 'callgrind'
        said = self.call(listener, ['valgrind', '-q', '--tool=callgrind', '--collect-atstart=no', '--toggle-collect=bench_counted',
                             '--dump-line=no', f'--callgrind-out-file={profile}', program, '--count', calls])
        costs = collections.Counter()
        for name, cost in callgrind.inclusive(profile.read_text()).items():
            costs[name.split('(')[0]] += cost / calls
        return {name: costs[symbol] for name, symbol, _ in functions(said)}

    def skip(self, what, why):
        """Names what is not measured. It stands under the tables and in the CSV."""
        if f'{what}: {why}' not in self.skipped:
            self.skipped.append(f'{what}: {why}')

    def table(self, title, columns, rows, footnote):
        """COLUMNS: [(heading, unit, digits)]. ROWS: {label: [value, ...]}; a value may be None."""
        width = max([len(label) for label in rows] + [len(title)])
        heads = [f'{name}{", " + unit if unit else ""}' for name, unit, _ in columns]
        print(f'\n{title:{width}}  ' + '  '.join(heads))
        print('-' * (width + sum(len(head) + 2 for head in heads)))
        for label, values in rows.items():
            cells = ['' if value is None else f'{value:.{digits}f}' for value, (_, _, digits) in zip(values, columns)]
            print(f'{label:{width}}  ' + '  '.join(cell.rjust(len(head)) for cell, head in zip(cells, heads)))
            self.rows += [(self.name, f'{title}: {label}', name, unit, f'{value:.{digits + 2}f}')
                          for value, (name, unit, digits) in zip(values, columns) if value is not None]
        print(textwrap.fill(' '.join(footnote.split()), 100, initial_indent='  ', subsequent_indent='  '))

    def end(self, *sentences):
        """Writes the CSV, and prints what the tables show. A sentence about what is not measured is ''."""
        folder = pathlib.Path(os.environ.get('NVTXH_BENCH_RESULTS', 'results'))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f'{self.name}.csv'
        with path.open('w', newline='') as out:
            out.writelines(f'# {self.name}: {line}\n' for line in self.head + [f'not measured: {s}' for s in self.skipped])
            csv.writer(out, lineterminator='\n').writerows([('bench', 'row', 'column', 'unit', 'value'), *self.rows])
        for line in self.skipped:
            print(f'  Not measured: {line}')
        print(f'  {"; ".join(self.head)}\n  {path}\n\n' + textwrap.fill(' '.join(filter(None, sentences)), 100), flush=True)
        self.folder.cleanup()
