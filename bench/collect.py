# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Join the CSV files of one full run into one, named by processor, compiler and date.

collect.py FOLDER [REMARK...]: FOLDER is bench/results in the build directory. Writes to bench/results here.
"""
import os
import pathlib
import re
import sys

import report


def name():
    """intel-xeon-processor-2.50ghz_gcc-12.2.0_2026-11-21"""
    processor = re.sub(r'[^a-z0-9.]+', '-', re.sub(r'\(\w+\)', '', report.cpu_model().lower())).strip('-')
    said = report.version(os.environ.get('CC', 'cc'))
    number = re.search(r'\d+\.\d+(\.\d+)?', said)
    compiler = ('clang' if 'clang' in said else 'gcc') + (f'-{number.group(0)}' if number else '')
    date = next(line for line in report.machine() if line.startswith('date')).split()[1]
    return f'{processor}_{compiler}_{date}'


def main():
    folder, remarks = pathlib.Path(sys.argv[1]), sys.argv[2:]
    files = sorted(folder.glob('*.csv'))
    if not files:
        sys.exit(f'{folder}: no CSV; run `meson test -C build --benchmark` first')
    head, rows = [f'# {remark}\n' for remark in remarks], []
    for path in files:
        for line in path.read_text().splitlines(True):
            if line.startswith('#'):
                head.append(f'# {path.stem}: {line[2:]}')
            elif not line.startswith('bench,'):
                rows.append(line)
    output = pathlib.Path(__file__).resolve().parent / 'results' / f'{name()}.csv'
    output.parent.mkdir(exist_ok=True)
    output.write_text(''.join(head) + 'bench,row,column,unit,value\n' + ''.join(rows))
    print(output)


if __name__ == '__main__':
    main()
