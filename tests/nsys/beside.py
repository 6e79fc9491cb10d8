#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nsight Systems and the recorder in the same run: each has what it has alone. And statistics beside both.

    beside.py outside|inside|capture|stats COMPILER/LANGUAGE[/NVTX]

Exit status 77: Nsight Systems or a compiler is not installed.
"""
import csv

import suite
from harness import nsight, programs, toolchain
from harness.checks import NVTXH, equal, environment, require

ALONE = suite.profile


def contents(recording):
    """What a recording says, but for times and the numbers of processes and threads."""
    done = toolchain.run([NVTXH, 'export', '--format', 'csv', '-o', '-', recording])
    require(done.returncode == 0 and done.stdout.count('\n') > 1, 'it can be read', done.stdout)
    rows = list(csv.DictReader(done.stdout.splitlines()))
    differ = 'Start (ns)', 'End (ns)', 'PID', 'TID', 'End TID'
    return sorted([value for name, value in row.items() if name not in differ] for row in rows)


def beside(order):
    """Like suite.profile, but that the program is recorded in the same run: by a command that nsys runs, or one that
    runs nsys."""
    def profile(program, folder, *options):
        recordings = folder / 'alone.nvtxh', folder / 'both.nvtxh'
        first, both = ([NVTXH, 'record', '-q', '-f', '-o', one, '--'] for one in recordings)
        clean = environment(TMPDIR=folder)
        require(toolchain.run([*first, program], env=clean).returncode == 0, 'it is recorded')
        report = folder / 'report'
        how = {'before': both} if order == 'inside' else {}
        done = nsight.profile(report, [program] if how else [*both, program], *options, env=clean, **how)
        require(done.returncode == 0, 'both succeed', done.stdout)
        equal(contents(recordings[1]), contents(recordings[0]), 'what is recorded')
        require('libToolsInjection64.so got the program\'s NVTX calls, too' in toolchain.run([NVTXH, 'stats', recordings[1]]).stdout,
                'it says beside what')
        if not report.with_suffix('.nsys-rep').exists():
            return done.stdout, None
        database = suite.sqlite3.connect(nsight.to_sqlite(report))
        database.row_factory = suite.sqlite3.Row
        return done.stdout, database
    return profile


def claim_outside(s):
    suite.profile = beside('outside')
    suite.claim_events(s)
    # Structs and counters go to a tool that knows these, which here the recorder alone does (nsys 2022.4): nsys does not
    # get numbers in their place.
    suite.STRUCTS = [(kind, text, domain, color, None) for kind, text, domain, color, _ in suite.STRUCTS
                     if text not in ('rate', 'pool')]
    suite.claim_structs(s)


def claim_inside(s):
    suite.profile = beside('inside')
    suite.claim_events(s)


def claim_capture(s):
    """nsys -c nvtx -p chooses what nsys sees, and nothing of what is recorded."""
    suite.profile = beside('outside')
    suite.CAPTURES = {name: suite.CAPTURES[name] for name in ('literal', 'domain@train')}
    suite.claim_capture(s)


def claim_stats(s):
    """What the program counts is what Nsight Systems has seen, without and with the recorder."""
    program = s.build(suite.HERE / 'stats.c')
    for profile in ALONE, beside('outside'):
        table = s.folder / 'table.csv'
        counting = s.folder / 'counting'
        counting.write_text(f'#!/bin/sh\nNVTXH_STATS={table} exec {program}\n')
        counting.chmod(0o755)
        _, database = profile(counting, s.folder)
        seen = {}
        for row in suite.rows(database):
            if row['eventType'] in (suite.MARK, suite.PUSH_POP):
                key = f'{row["domain"]}:{row["text"]}' if row['domain'] else row['text']
                seen[key] = seen.get(key, 0) + 1
        counted = list(csv.DictReader(table.open()))
        print(table.read_text())
        equal({row['Range']: int(row['Instances']) for row in counted}, seen, 'counts')
        equal(len(seen), 4, 'annotations')
        table.unlink()


if __name__ == '__main__':
    programs.main(globals(), __doc__, suite.Setting)
