# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Tables and their CSV, the same for every benchmark.

A benchmark makes one Report. It adds every number once, with its row and column. The Report prints a table
with the method in a footnote, and writes results/NAME.csv in the current directory, or in NVTXH_BENCH_RESULTS:
a line `bench,row,column,unit,value` for each number, after lines with `#` that say where and when.
"""
import csv
import datetime
import os
import pathlib
import re
import statistics
import subprocess
import sys
import textwrap


def smoke():
    """True: one short run of each, for its rows and not for its numbers."""
    return bool(os.environ.get('NVTXH_BENCH_SMOKE'))


def cpu_model():
    try:
        found = re.search(r'^model name\s*:\s*(.*)$', pathlib.Path('/proc/cpuinfo').read_text(), re.M)
        return found.group(1) if found else os.uname().machine
    except OSError:
        return os.uname().machine


def version(compiler):
    try:
        return subprocess.run([compiler, '--version'], text=True, stdout=subprocess.PIPE,
                              check=True).stdout.splitlines()[0]
    except OSError:
        return f'{compiler}: not there'


def machine():
    """What a reader has to know beside a number."""
    return [f'cpu: {cpu_model()}, {os.cpu_count()} online',
            f'compiler: {version(os.environ.get("CC", "cc"))}',
            f'date: {datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d %H:%M} UTC',
            f'load before the run: {os.getloadavg()[0]:.1f}'
            + (' (smoke run: not for its numbers)' if smoke() else '')]


def median(values):
    return statistics.median(values)


class Report:
    """One benchmark: tables that are printed, one CSV with every number in them."""

    def __init__(self, bench):
        self.bench = bench
        self.rows = []
        self.skipped = []
        self.head = machine()

    def skip(self, what, why):
        """Name what has not been measured. It stands under the table and in the CSV."""
        self.skipped.append(f'{what}: {why}')

    def table(self, title, columns, rows, footnote):
        """COLUMNS: [(heading, unit, digits)]. ROWS: [(label, [value, ...])]; a value may be None."""
        width = max([len(label) for label, _ in rows] + [len(title)])
        heads = [f'{name}{", " + unit if unit else ""}' for name, unit, _ in columns]
        print(f'\n{title:{width}}  ' + '  '.join(heads))
        print('-' * (width + 2 + sum(len(h) + 2 for h in heads) - 2))
        for label, values in rows:
            cells = ['' if value is None else f'{value:.{digits}f}'
                     for value, (_, _, digits) in zip(values, columns)]
            print(f'{label:{width}}  ' + '  '.join(c.rjust(len(h)) for c, h in zip(cells, heads)))
            for value, (name, unit, digits) in zip(values, columns):
                if value is not None:
                    self.rows.append((self.bench, f'{title}: {label}', name, unit,
                                      f'{value:.{digits + 2}f}'))
        print(textwrap.fill(' '.join(footnote.split()), 100, initial_indent='  ',
                            subsequent_indent='  '))

    def write(self):
        for line in self.skipped:
            print(f'  Not measured: {line}')
        folder = pathlib.Path(os.environ.get('NVTXH_BENCH_RESULTS', 'results'))
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / f'{self.bench}.csv'
        with path.open('w', newline='') as out:
            for line in self.head + [f'not measured: {s}' for s in self.skipped]:
                out.write(f'# {line}\n')
            writer = csv.writer(out, lineterminator='\n')
            writer.writerow(('bench', 'row', 'column', 'unit', 'value'))
            writer.writerows(self.rows)
        print(f'  {"; ".join(self.head)}\n  {path}')
        sys.stdout.flush()
