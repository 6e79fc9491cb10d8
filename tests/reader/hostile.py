#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Texts that would attack the terminal or the program that shows them."""
import csv
import io
import os
import re
import shutil

from harness import driver
from harness.checks import equal, require
import synthetic

# Clear the screen (C0 and C1), turn the direction of writing, end the line, mark directions.
BAD = ['\x1b[2J', '\x9b2J', '\x85', '\u202e', '\u2066', '\u2028', '\u200f', '\u061c', '\x7f']
OBEYED = re.compile('[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]')


def hostile(path, text):
    recording = synthetic.Recording(end=10**6)
    process = recording.process(exe='/bin/' + text)
    process.domain(1, 'domain' + text)
    process.names.long(synthetic.CATEGORY, 7, ('category' + text).encode(), domain=1)
    process.names.long(synthetic.THREAD, 201, ('thread' + text).encode())
    thread = process.thread(201)
    thread.push(10, 'message' + text, domain=1, category=7)
    thread.pop(20, domain=1)
    thread.mark(30, 'mark' + text, domain=1)
    thread.push(40, 'left' + text, domain=1)
    thread.long(synthetic.EXTENDED, 8, b'', at=50)
    return recording.write(path)


def case_escaped(bench):
    """No control reaches a terminal: of messages, domains, categories, threads, programs, names of files and options."""
    text = ''.join(BAD)
    path = hostile(bench.here('rec' + text + '.nvtxh'), text)
    os.truncate(path, os.path.getsize(path) - 100)  # damage is said with the file's name
    shown = [['stats'], ['stats', '--by', 'domain'], ['stats', '--by', 'category'], ['stats', '--by', 'thread'], ['tree'], ['top'], ['diff', path]]
    for command in shown:
        done = bench.run(*command, path)
        for where, said in ('output', done.stdout), ('messages', done.stderr):
            require(not OBEYED.search(said), command, where, ascii(said))
        require('\\x1b[2J' in done.stdout and '\\u202e' in done.stdout, command, ascii(done.stdout))
    for command in (['stats', path + 'x'], ['export', path, '--format', text], ['list', path], ['doctor', '--', path], [text],
                    ['stats', '--' + text, path], ['tree', '--depth', text, path]):
        done = bench.run(*command, status=None)
        require(done.returncode and not OBEYED.search(done.stdout + done.stderr), command, ascii(done.stdout + done.stderr))
    # All of them are replaced, and none of the characters beside them.
    beside = '~\xa0\u061b\u061d\u200d\u2010\u2027\u202f\u2065\u206a'
    said = bench.run('stats', '--domain', ' \x1f \x7f\x9f \u061c \u200e\u200f \u2028\u202e \u2066\u2069 ' + beside, path, status=1).stderr
    require(' \\x1f \\x7f\\u009f \\u061c \\u200e\\u200f \\u2028\\u202e \\u2066\\u2069 ' + beside in said, ascii(said))
    # Programs and pages with such names.
    program, none, page = (bench.here(name + text) for name in ('misdirected', 'none', 'page'))
    shutil.copy(os.path.join(bench.programs, 'misdirected'), program)
    shutil.copy('/bin/true', none)
    for command in (['list', program], ['list', none], ['doctor', '--', program], ['view', path, '-o', page, '--no-open']):
        done = bench.run(*command, status=None)
        require('\\x1b[2J' in done.stdout + done.stderr, command, ascii(done.stdout + done.stderr))
        require(not OBEYED.search(done.stdout + done.stderr), command, ascii(done.stdout + done.stderr))
    # What programs read is exact.
    row = [row for row in bench.table('export', path, '--format', 'csv') if row['Message'].startswith('message')][0]
    equal((row['Domain'], row['Category Name']), ('domain' + text, 'category' + text), 'CSV')


def case_csv_exact(bench):
    """--csv is exact, also texts that a spreadsheet takes for formulas, and a lone carriage return."""
    texts = ['=1+1', '+cmd', '-x', '@SUM(A1)', '\t=1', '\r=1', '-5', '+1e3', 'a=b', '"=q"', 'line\rbreak', 'line\nbreak', ' blank']
    recording = synthetic.Recording(end=10**6)
    thread = recording.process().thread(1)
    for i, text in enumerate(texts):
        thread.push(i * 100, text, payload=-7)
        thread.pop(i * 100 + 50)
    path = recording.write(bench.here('t.nvtxh'))
    for command, column in ('stats', 'Range'), ('tree', 'Range'), ('diff', 'Range'):
        rows = bench.table(command, '--csv', *[path] * (2 if command == 'diff' else 1))
        equal(sorted(row[column] for row in rows), sorted(texts), command)
    rows = bench.table('export', '--format', 'csv', path)
    equal([row['Message'] for row in rows], texts, 'export')
    equal({row['Payload'] for row in rows}, {'-7'}, 'numbers are numbers')
    # Quotes are where RFC 4180 wants them: a reader that is strict sees the same.
    raw = bench.run('export', '--format', 'csv', path).stdout
    require('"line\rbreak"' in raw and ',"=q"' not in raw, ascii(raw))
    equal([row[4] for row in csv.reader(io.StringIO(raw, newline=''), strict=True)][1:], texts, 'strict')


if __name__ == '__main__':
    driver.main(globals(), __doc__)
