# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compares an older and a newer result file: what has become slower or larger? For use before a release.

compare.py [--threshold PERCENT] [--all] OLD.csv NEW.csv

A result file is the CSV of a benchmark, or those of several, one after the other (cat build/bench/results/*.csv).
Compares what is the same in every run: instructions and bytes, and ratios within a run. With --all also times,
which say nothing unless both files come from one quiet machine. Exits 1 if a number has grown by more than the
threshold (5 percent), or a row has gone. Differences of less than half a unit do not count.
"""
import argparse
import csv
import pathlib
import sys

HEAD = 'bench,row,column,unit,value'
STEADY = {('instructions', ''), ('raw', 'x'), ('over', 'bytes')}


def read(path):
    """{(bench, row, column, unit): value} of a result file, and its lines with #."""
    lines = pathlib.Path(path).read_text().splitlines()
    if HEAD not in lines:
        sys.exit(f'{path}: not a result file: its header is not {HEAD}')
    try:
        return ({tuple(row): float(value) for *row, value in csv.reader(line for line in lines if line and line[0] != '#' and line != HEAD)},
                [line for line in lines if line.startswith('#')])
    except ValueError as error:
        sys.exit(f'{path}: {error}')


def missed(key, head):
    """Does the newer file say why it has no such row?"""
    return any('not measured' in line and key[1].split(': ')[0].split(', ')[-1] in line for line in head)


def main():
    parser = argparse.ArgumentParser(description='What has become dearer between two result files?')
    parser.add_argument('--threshold', type=float, default=5, metavar='PERCENT')
    parser.add_argument('--all', action='store_true', help='times too')
    parser.add_argument('old')
    parser.add_argument('new')
    asked = parser.parse_args()
    (old, _), (new, head) = read(asked.old), read(asked.new)
    compared, dearer, gone = 0, [], []
    for key, before in sorted(old.items()):
        if not asked.all and key[2:] not in STEADY:
            continue
        if key not in new:
            if not missed(key, head):
                gone.append(key)
            continue
        compared += 1
        # Ratios are small numbers; of whole numbers, a difference of one half is rounding.
        least = 0.01 if key[3] == 'x' else 0.5
        if new[key] - before > max(least, abs(before) * asked.threshold / 100):
            dearer.append((key, before, new[key]))
    for (bench, row, column, unit), before, after in dearer:
        print(f'dearer: {row}: {column}{" " + unit if unit else ""}: {before:g} -> {after:g}')
    for bench, row, column, unit in gone:
        print(f'gone: {row}: {column}{" " + unit if unit else ""}')
    print(f'{compared} numbers compared, {len(dearer)} dearer by more than {asked.threshold:g} %, '
          f'{len(gone)} gone')
    if not compared:
        sys.exit('nothing to compare: the files have no row in common')
    sys.exit(1 if dearer or gone else 0)


if __name__ == '__main__':
    main()
