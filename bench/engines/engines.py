# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""engines.py --nvtxh PROGRAM --rank PROGRAM [--ranks N] [--ranges N]: runs the queries of examples/cluster in DuckDB and
Spark, and finds the slow rank with `nvtxh ranks` and SQLite, too. All must answer the same; their time and memory are printed.

DuckDB and PySpark are found as Python finds packages; Spark wants Java. RANGES is of each rank.
"""
import argparse
import csv
import os
import pathlib
import subprocess
import sys
import tempfile
import time

CLUSTER = pathlib.Path(__file__).resolve().parent.parent.parent / 'examples' / 'cluster'
SQLITE = '''WITH per_rank AS (
    SELECT s.value AS text, e.globalTid >> 24 AS process, sum(e.end - e.start) AS total
    FROM NVTX_EVENTS e LEFT JOIN StringIds s ON e.textId = s.id WHERE e.eventType = 59 GROUP BY 1, 2)
SELECT text, max(total) FROM per_rank GROUP BY text'''


def measured(name, *command, env=None):
    """Runs a command, adds a row to the table, and returns what the command printed."""
    begun = time.monotonic()
    with tempfile.TemporaryFile('w+') as out:
        process = subprocess.Popen([str(c) for c in command], stdout=out, env={**os.environ, **(env or {})})
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            sys.exit(f'{name}: status {process.returncode}')
        spent = [f'{usage.ru_utime:.1f} s', f'{usage.ru_stime:.1f} s', f'{usage.ru_maxrss / 1000:.0f} MB']
        if name.startswith('spark'):
            spent = ['', '', '']  # another process does the work, and is not measured
        print('|', ' | '.join([name, f'{time.monotonic() - begun:.1f} s', *spent]), '|', flush=True)
        out.seek(0)
        return out.read()


def size(path):
    return sum(f.stat().st_size for f in pathlib.Path(path).rglob('*') if f.is_file()) / 1e6


def record(args, folder, ranges):
    """Each rank by itself, as a launcher starts them."""
    for rank in range(args.ranks):
        subprocess.run([args.nvtxh, 'record', '-q', '-o', folder / '%r.nvtxh', '--rank', f'{rank}/{args.ranks}', '--job', 'bench',
                        '--', args.rank, str(ranges)], check=True)


def number(text):
    try:
        return round(float(text), 3)
    except ValueError:
        return text


def rows(text):
    """The rows of a CSV text, sorted, because engines may print equal rows in any order."""
    return sorted((tuple(map(number, row)) for row in csv.reader(text.splitlines())), key=str)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--nvtxh', type=pathlib.Path, required=True)
    parser.add_argument('--rank', type=pathlib.Path, required=True)
    parser.add_argument('--ranks', type=int, default=20)
    parser.add_argument('--ranges', type=int, default=5000)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=os.environ.get('TMPDIR', '/var/tmp')) as name:
        folder = pathlib.Path(name)
        record(args, folder / 'now', args.ranges)
        record(args, folder / 'before', max(args.ranges // 10, 5))
        recordings = sorted((folder / 'now').iterdir())
        print(f'{args.ranks * args.ranges} ranges of {args.ranks} ranks, {size(folder / "now"):.0f} MB of recordings\n')
        print('| | elapsed | user time | system time | memory |\n|---|---|---|---|---|')
        for made in 'before', 'now':
            measured(f'export --to parquet, {made}', args.nvtxh, 'export', *sorted((folder / made).iterdir()), '--to', 'parquet', '-o',
                     folder / f'{made}-set')
        ranks = csv.DictReader(measured('nvtxh ranks', args.nvtxh, 'ranks', '--csv', *recordings).splitlines())
        slowest = {row['Range'].rpartition(':')[2]: int(row['Slowest']) for row in ranks}
        for query in sorted(CLUSTER.glob('*.sql')):
            answers = [rows(measured(f'{engine}, {query.name}', sys.executable, CLUSTER / 'run.py', engine, query, folder / 'now-set',
                                     *([folder / 'before-set'] if query.stem == 'changes' else []))) for engine in ('duckdb', 'spark')]
            if answers[0] != answers[1]:
                sys.exit(f'{query.name}: DuckDB and Spark answer\n{answers[0]}\n{answers[1]}')
            if query.stem == 'stragglers':
                found = {row[1]: row[4] for row in answers[0] if row[0] != 'domain'}
                if found != slowest:
                    sys.exit(f'stragglers.sql: {found}, nvtxh ranks: {slowest}')
        measured('merge', args.nvtxh, 'merge', '-o', folder / 'all.nvtxh', *recordings)
        measured('export --to sqlite', args.nvtxh, 'export', folder / 'all.nvtxh', '--to', 'sqlite', '-o', folder / 'all.sqlite')
        measured('sqlite, the slowest rank', sys.executable, '-c',
                 f'import sqlite3; print(sqlite3.connect("{folder}/all.sqlite").execute("""{SQLITE}""").fetchall())')
        print(f'\nParquet: {size(folder / "now-set"):.0f} MB; SQLite: {(folder / "all.sqlite").stat().st_size / 1e6:.0f} MB')


if __name__ == '__main__':
    main()
