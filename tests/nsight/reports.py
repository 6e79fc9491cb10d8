#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports of Nsight Systems as other people have them: what is in them is read, or named."""
import pathlib
import random

from harness import driver
from harness.checks import equal, require
from harness.draws import seeds
import database
import drawn


def report(path, ranges, generation='2024', domains=(), pid=7, add=lambda db: None):
    """The path of a report with RANGES: (name, start, end, more columns of NVTX_EVENTS), in this order."""
    db, tid = database.Database(generation), database.global_tid(pid, pid)
    for number, name in enumerate(domains, 1):
        db.nvtx(database.DOMAIN, tid, 0, text=name, domainId=number)
    for name, start, end, *more in ranges:
        db.nvtx(database.PUSH_POP, tid, start, end, **{'text': name, 'domainId': 0, **dict(*more)})
    add(db)
    return db.write(path, order=lambda rows: rows)


def case_domain_default(bench):
    """`--domain default` is a domain of this name if there is one, and '' is always the default domain."""
    ranges = [('plain', 0, 10, {}), ('named', 20, 30, {'domainId': 1})]
    for name, wanted in ('default', {'default': 'default:named', '': 'plain'}), ('other', {'default': 'plain', '': 'plain', 'other': 'other:named'}):
        path = report(bench.here('default.sqlite'), ranges, domains=[name])
        for option, row in wanted.items():
            equal([row['Range'] for row in bench.table('stats', '--csv', '--domain', option, path)], [row], f'--domain {option!r}, domain {name}')


def case_folder(bench):
    """stats, tree and export take a folder with a recording, or with databases."""
    folder = pathlib.Path(bench.here('folder'))
    folder.mkdir()
    for pid in 7, 8:
        report(folder / f'{pid}.sqlite', [('step', 0, pid)], pid=pid)
    for command in ['stats', '--csv'], ['tree', '--csv'], ['export', '--format', 'csv']:
        equal(len(bench.table(*command, folder)), 1 if command[0] == 'stats' else 2, command)
        said = bench.run(*command, bench.directory + '/nothing', status=1).stderr
        require('No such file' in said, command, said)
    (folder / 'empty').mkdir()
    require('empty has no *.nvtxh or *.sqlite' in bench.run('stats', folder / 'empty', status=1).stderr, 'an empty folder')
    require('a directory' in bench.run('list', folder, status=None).stderr + bench.run('diff', folder, folder, status=1).stderr, 'diff')
    said = bench.run('stats', '--csv', report(bench.here('bad.sqlite'), [('step', 0, 10), ('bad', 9, 2)])).stderr
    require('1 row with impossible times was left out' in said, said)


def case_anonymous(bench):
    """diff compares what gcc and clang call a function of an anonymous namespace; a run with both names keeps them apart."""
    gcc, clang = 'void {anonymous}::f(int) [{anonymous}]', 'void (anonymous namespace)::f(int) [(anonymous namespace)]'

    def rows(a, b):
        paths = [report(bench.here(f'{i}.sqlite'), [(name, 100 * k, 100 * k + 10 + i) for k, name in enumerate(names)], pid=7 + i) for i, names in enumerate((a, b))]
        return sorted((row['Instances A'], row['Instances B']) for row in bench.table('diff', '--csv', *paths))
    equal(rows([gcc, 'x'], ['x', clang]), [('1', '1')] * 2, 'two compilers')
    equal(rows([clang], [gcc]), [('1', '1')], 'the other way')
    equal(rows([gcc, clang, 'x{', 'x{anonymous'], [clang, gcc, 'x{', 'x{anonymous']), [('1', '1')] * 4, 'both in both')
    equal(len(rows([gcc, clang], [clang])), 2, 'both in one')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
