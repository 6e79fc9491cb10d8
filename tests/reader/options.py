#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each option of a report with each other: which rows, columns and forms a report has follows from its whole table."""
import itertools
import json
import math
import random

from harness import driver
from harness.checks import equal, require
import drawn
import ranks

TEXTS = 'Style', 'Range', 'Thread', 'Domain', 'Category', 'Verdict', 'Host', 'Recording', 'Slowest Host', 'Last Host', 'Clock Ahead'


def columns_of(bench, command):
    """{the word for --columns: the heading in CSV, the name in JSON}"""
    option, = [fields for fields in driver.listed(bench.nvtxh) if fields[:3] == ['option', command, '--columns']]
    return option[5].split(',')


class Report:
    """A command with recordings, and its whole table."""

    def __init__(self, bench, command, *arguments):
        self.bench, self.command, self.arguments = bench, command, arguments
        self.rows = self.table()
        require(self.rows, f'{command} {arguments}: no rows')
        self.words = {}
        for word in columns_of(bench, command):
            done = self.run('--csv', '--columns', word, status=None)
            if done.returncode == 0:
                self.words[word] = done.stdout.splitlines()[0]
            else:
                require(f'{word}' in done.stderr and done.returncode == 2, command, arguments, done.stderr)
        require(all(self.words.values()) and set(self.rows[0]) <= set(self.words.values()), f'{command} {arguments}: columns', self.words, self.rows[0])
        self.words = {word: heading for word, heading in self.words.items() if heading in self.rows[0]}  # without those that only they get who ask

    def run(self, *options, status=0):
        return self.bench.run(self.command, *options, *self.arguments, status=status)

    def table(self, *options):
        return driver.table(self.run('--csv', *options).stdout)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


def same_cell(got, wanted):
    """A value of JSON, and the text in CSV."""
    if got is None:
        return wanted == ''
    return got == wanted if isinstance(got, str) else math.isclose(got, float(wanted), rel_tol=1e-12)


def shapes(report):
    """[(options, what they do to the rows)]; None: nothing, in CSV."""
    words = list(report.words)
    some = [words[0], words[-1], words[len(words) // 2]]
    found = [(('--limit', '3'), lambda rows: rows[:3]), (('--limit', '0'), None), (('--unit', 'ms'), None), (('--color', 'always'), None),
             (('--columns', ','.join(some)), lambda rows: [{report.words[word]: row[report.words[word]] for word in some} for row in rows])]
    if report.command == 'tree':
        found += [(('--depth', '2'), lambda rows: [row for row in rows if not row['Depth'] or int(row['Depth']) < 2]), (('--min', '20'), at_least)]
    if report.command == 'diff':
        found += [(('--alpha', '0.5'), None)]  # there are no runs to be tested
    return found


def at_least(rows):
    """The rows of a tree without those of less than 20 % of their thread's time, and without all in them."""
    kept, below = [], None
    for row in rows:
        depth = int(row['Depth'] or -1)
        if below is not None and depth > below:
            continue
        below = depth if depth >= 0 and float(row['Time (%)']) < 20 else None
        if below is None:
            kept.append(row)
    return kept


def check(report):
    # The columns are left out last, and the rows after the limit before that.
    order = {'--columns': 2, '--limit': 1}
    for pair in itertools.combinations(shapes(report), 2):
        options, rows = [word for words, _ in pair for word in words], report.rows
        if len({words[0] for words, _ in pair}) < 2:
            continue
        for words, f in sorted(pair, key=lambda shape: order.get(shape[0][0], 0)):
            rows = f(rows) if f else rows
        equal(report.table(*options), rows, f'{report.command} {" ".join(options)}')
        lines = json.loads(report.run('--json', *options).stdout)
        equal(len(lines), len(rows), f'{report.command} --json {" ".join(options)}')
        for got, wanted in zip(lines, rows):
            got.pop('why', None)  # CSV has it only if it is asked for
            require(len(got) == len(wanted) and all(same_cell(*cells) for cells in zip(got.values(), wanted.values())), f'{report.command} --json {options}', got, wanted)
        shown = report.run(*options).stdout
        require(shown.strip() or not rows, f'{report.command} {options}')


def check_twice(report):
    """Of an option that is given twice, the last value counts."""
    before = {'--limit': '1', '--unit': 's', '--color': 'never', '--columns': list(report.words)[-1], '--depth': '1', '--min': '100', '--alpha': '0.1'}
    for words, f in shapes(report):
        equal(report.table(words[0], before[words[0]], *words), f(report.rows) if f else report.rows, f'{report.command} {words}, given twice')


def check_sort(report):
    by = report.arguments[1]
    option, = [fields for fields in driver.listed(report.bench.nvtxh) if fields[:3] == ['option', 'stats', '--sort']]
    for word in filter(report.words.get, option[5].split(',')):  # others are of --gpu
        rows = report.table('--sort', word)
        equal(sorted(map(repr, rows)), sorted(map(repr, report.rows)), f'the rows of --sort {word}')
        for style in 'ranges', 'Mark', 'Counter':  # which are apart from each other
            cells = [row[report.words[word]] for row in rows if (row['Style'] if row['Style'] in ('Mark', 'Counter') else 'ranges') == style]
            values = [number(cell) for cell in cells if cell != '']
            if word not in ('style', 'name'):
                equal(values, sorted(values, reverse=True), f'stats --by {by} --sort {word}: {style}')
            else:
                equal(cells, sorted(cells), f'stats --by {by} --sort {word}: {style}')
        equal(report.table('--sort', word, '--limit', '2'), rows[:2], f'--sort {word} --limit 2')


def case_options(bench):
    """Limits, columns, forms, units, depths and filters of stats, tree, diff and ranks, two at a time."""
    paths = [drawn.Drawn(random.Random(seed), full=True, clock=1, size=200).write(bench.here(f'{seed}.nvtxh')) for seed in (4, 5)]
    job = ranks.Job(bench, 4, 1, straggler=2, steps=30)
    for filters in (), ('--domain', 'one'), ('--from', '1us', '--to', '500ms'):
        for by in 'range', 'domain', 'category', 'thread':
            report = Report(bench, 'stats', '--by', by, *filters, paths[0])
            check(report)
            check_sort(report)
        for which in '--slowest', '--histogram':
            check(Report(bench, 'stats', which, 'one:a', *filters, paths[0]))
        for command in ['tree', *filters, paths[0]], ['diff', *filters, *paths]:
            check(Report(bench, *command))
            check_twice(Report(bench, *command))
    for by in 'range', 'rank':
        check(Report(bench, 'ranks', '--by', by, *job.paths))


if __name__ == '__main__':
    driver.main(globals(), __doc__)
