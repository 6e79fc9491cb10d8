# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A benchmark still runs and prints every row, and a sentence at the end: once, with the fewest rounds, and not for its numbers.

smoke.py NAME SCRIPT ARGUMENT...: the file `rows` names every row that has to be printed and written. A row may be missing where the
benchmark says that it could not be measured. No process that it started, daemons included, may be left running.
"""
import csv
import ctypes
import math
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import time


def adopt():
    """Daemons that descend from this process become its children."""
    pr_set_child_subreaper = 36
    ctypes.CDLL(None).prctl(pr_set_child_subreaper, 1, 0, 0, 0)


def left_running():
    """The commands of this process's children."""
    found = []
    for status in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            state, parent = status.read_text().rpartition(')')[2].split()[:2]
            if int(parent) == os.getpid() and state != 'Z':
                found.append(status.with_name('cmdline').read_text().replace('\0', ' ').strip())
        except OSError:
            pass  # it has ended meanwhile
    return found


def expand(line):
    """`a [b|c] d` is `a b d` and `a c d`."""
    found = re.search(r'\[(.*?)\]', line)
    return [row for word in found[1].split('|') for row in expand(line.replace(found[0], word, 1))] if found else [line]


def main():
    adopt()
    name, command = sys.argv[1], [sys.executable, *sys.argv[2:]]
    lines = pathlib.Path(__file__).with_name('rows').read_text().splitlines()
    expected = [row for line in lines if re.match(name + '[,:]', line) for row in expand(line)]
    with tempfile.TemporaryDirectory() as folder:
        environment = dict(os.environ, NVTXH_BENCH_SMOKE='1', NVTXH_BENCH_RESULTS=folder)
        done = subprocess.run(command, env=environment, text=True, stdout=subprocess.PIPE)
        if done.returncode:
            sys.exit(f'{done.stdout}\nexit {done.returncode}')
        result = pathlib.Path(folder, f'{name}.csv').read_text().splitlines()
    excuses = ' '.join(line for line in result if line.startswith('#') and 'not measured' in line)
    found = {}
    for row in csv.DictReader(line for line in result if not line.startswith('#')):
        if row['bench'] != name or not math.isfinite(float(row['value'])):
            sys.exit(f'not a good row: {row}')
        found.setdefault(row['row'], 0)
        found[row['row']] += 1
    broken = 0
    for row in expected:
        table, label = row.split(': ', 1)
        excused = any(f': {word}:' in excuses or f'{word},' in excuses or f'{word}: ' in excuses
                      for word in (table.split(', ')[-1], label, row))
        if row not in found and not excused:
            print(f'BROKEN: no row "{row}" in the CSV')
            broken += 1
        if row in found and (table not in done.stdout or f'\n{label} ' not in done.stdout):
            print(f'BROKEN: row "{row}" is in the CSV and not in the table')
            broken += 1
    for row in sorted(set(found) - set(expected)):
        print(f'BROKEN: row "{row}" is new; add it to tests/bench/rows')
        broken += 1
    if not re.search(r'\n\n[^\n]*\d[^\0]*\.\n$', done.stdout):
        print('BROKEN: no sentence with a number at the end')
        broken += 1
    patience = time.monotonic() + 100  # what belonged to a browser ends a moment after it
    while (running := left_running()) and time.monotonic() < patience:
        time.sleep(0.05)
    for process in running:
        print(f'BROKEN: left running: {process}')
        broken += 1
    print(f'{len(found)} rows, {broken} claims do not hold')
    if broken:
        print(done.stdout)
    sys.exit(broken != 0)


if __name__ == '__main__':
    main()
