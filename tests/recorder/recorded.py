# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""recorded.py NAME: a program is recorded, and what is in the recording is what a comment of NAME.c says.

The comment has these lines. The first three may be missing, the table ends the comment.

    record OPTION... -- ARGUMENT...        what `nvtxh record` and the program are given
    prints TEXT                            on stdout; nothing if this is missing
    exits STATUS                           0 if this is missing
    recorded:
    Style,Domain,Message                   columns of `nvtxh export --format csv`, and its rows in order of time;
    PushPop,lib,"a name, quoted"           or columns of `nvtxh stats --csv`, and its rows in any order, if Instances is one

The program is silent on stderr, and nothing is lost or damaged.
"""
import pathlib
import re
import shlex
import sys
import tempfile

from harness.checks import BUILD, NVTXH, equal, require
from harness.driver import table
from harness.toolchain import run

HERE = pathlib.Path(__file__).resolve().parent


def expected(source):
    """({keyword: rest of its line}, rows) of the comment."""
    comment = re.search(r'/\*((?:(?!\*/).)*?\n \* recorded:\n.*?)\*/', source.read_text(), re.DOTALL)
    require(comment, f'{source.name} says in a comment what is recorded')
    above, below = ('\n'.join(line.removeprefix(' *').strip() for line in part.splitlines())
                    for part in comment.group(1).split('\n * recorded:\n'))
    rows = table(below.strip())
    require(rows and all(None not in [*row, *row.values()] for row in rows), 'every row has each column', below)
    return dict(re.findall('^(record|prints|exits) (.*)$', above, re.MULTILINE)), rows


def main():
    name = sys.argv[1]
    told, rows = expected(HERE / f'{name}.c')
    options, _, arguments = f' {told.get("record", "")} '.partition(' -- ')
    with tempfile.TemporaryDirectory(prefix='nvtxh-') as folder:
        recording = f'{folder}/rec.nvtxh'
        done = run([NVTXH, 'record', '-o', recording, *shlex.split(options), '--', BUILD / 'tests' / 'recorder' / name,
                    *shlex.split(arguments)], stderr=-1, timeout=120)
        equal((done.returncode, done.stdout), (int(told.get('exits', 0)), told.get('prints', '')), f'status and output; {done.stderr}')
        require(re.fullmatch(r'nvtxh: \d+ events?, \d+ threads?, 0 dropped,.*\n', done.stderr), 'nothing else on stderr', done.stderr)
        counted = 'Instances' in rows[0]
        done = run([NVTXH, *(['stats', '--csv'] if counted else ['export', '--format', 'csv']), recording], stderr=-1)
        equal((done.returncode, done.stderr), (0, ''), 'no losses, no damage')
    found = [{column: row[column] for column in rows[0]} for row in table(done.stdout)]
    if counted:
        rows, found = (sorted(some, key=lambda row: sorted(row.items())) for some in (rows, found))
    for number, (is_, wanted) in enumerate(zip(found, rows)):
        equal(is_, wanted, f'row {number}')
    equal(len(found), len(rows), 'rows')
    print(f'{len(rows)} rows as {name}.c says')


if __name__ == '__main__':
    main()
