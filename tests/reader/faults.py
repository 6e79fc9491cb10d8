#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""faults.py CASE --nvtxh PATH --programs DIRECTORY: in each run of a command, one call that reads, writes or allocates fails.

Of the calls with one call stack, one is tried; with NVTXH_TEST_EVERY=1 every call, with 2 every second. Either the result is
right, or the command reports the failure in one line, ends with a status above 0 and leaves no output file.
"""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess

from harness import driver
from harness.checks import require

EVERY = int(os.environ.get('NVTXH_TEST_EVERY', 0))


def contents(path):
    """The bytes of a file; of a folder, each file's."""
    if path.is_file():
        return path.read_bytes()
    return {str(name.relative_to(path)): name.read_bytes() for name in sorted(path.rglob('*')) if name.is_file()} or None


def attempt(bench, at, arguments, output, listed=None):
    """Runs the command in a directory of its own: (the finished process, the bytes it wrote to `output`, what else is there)."""
    directory = pathlib.Path(bench.directory, f'run-{at}')
    directory.mkdir()
    environment = dict(os.environ, LD_PRELOAD=bench.program('reader-faults.so'), LC_ALL='C', TMPDIR=str(directory), FAULT_AT=str(at))
    if listed:
        environment['FAULT_LIST'] = str(listed.fileno())
    done = subprocess.run([bench.nvtxh, *arguments], cwd=directory, env=environment, capture_output=True, timeout=240,
                          pass_fds=[listed.fileno()] if listed else [])
    there = {path.name: contents(path) for path in directory.iterdir()}
    if output and output.endswith('.nvtxh') and output in there:  # whose name has another number in each run
        there[output] = subprocess.run([bench.nvtxh, 'export', '--format', 'csv', directory / output], capture_output=True).stdout
    shutil.rmtree(directory)
    return done, there.pop(output, None), sorted(there)


def calls(bench, arguments, output):
    """The numbers of the calls to fail, what each is, and what the command does if none fails."""
    with open(bench.here('calls'), 'w+') as listed:
        usual = attempt(bench, 0, arguments, output, listed)
        listed.seek(0)
        lines = listed.read().splitlines()
    require(usual[0].returncode == 0 and not usual[2], arguments, usual)
    first = {}
    for number, line in list(enumerate(lines, 1))[::EVERY or 1]:
        first.setdefault(number if EVERY else line, (number, line.split()[0]))
    return list(first.values()), usual


def check(bench, *arguments, output=None):
    numbers, (usual, written, _) = calls(bench, arguments, output)
    expected = usual.stderr.decode().splitlines()

    def one(call):
        number, function = call
        what = f'{function} fails, call {number} of nvtxh {" ".join(map(str, arguments))}'
        done, now, more = attempt(bench, number, arguments, output)
        said = [line for line in done.stderr.decode().splitlines() if line not in expected]
        if more:
            return f'{what}: left {more}'
        if done.returncode == 0:
            same = (done.stdout, now) == (usual.stdout, written)
            return None if same else f'{what}: another result, and status 0; {said}'
        if said and said[0].endswith('Input/output error') and arguments[0] != 'export' and done.stdout:
            return f'{what}: printed what is incomplete, {done.stdout}'
        if done.returncode < 0 or done.returncode > 4:
            return f'{what}: status {done.returncode}, {said}'
        if len(said) != 1 or not said[0].startswith('nvtxh: ') or 'Success' in said[0]:
            return f'{what}: status {done.returncode}, said {said}'
        # The work may be done, and only the message could not be printed.
        return f'{what}: half a file in spite of status {done.returncode}, {said}' if output and now not in (None, written) else None

    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        wrong = [problem for problem in pool.map(one, numbers) if problem]
    print(f'{len(numbers)} of the calls of nvtxh {" ".join(map(str, arguments))} failed, one in each run')
    return wrong


def recordings(bench):
    return [bench.record('a.nvtxh', 'known-3'), bench.record('b.nvtxh', 'known-3')]


def case_faults_reports(bench):
    """stats, tree, diff, top and list, as tables, CSV and JSON."""
    a, b = recordings(bench)
    wrong = check(bench, 'stats', a) + check(bench, 'stats', '--json', '--name', 'o', a) + check(bench, 'stats', '--csv', '--by', 'thread', a)
    wrong += check(bench, 'tree', a) + check(bench, 'diff', a, b) + check(bench, 'top', '--once', a)
    wrong += check(bench, 'stats', '--slowest', 'payload', a) + check(bench, 'stats', '--histogram', 'payload', a)
    wrong += check(bench, 'list', bench.program('left_out'))
    require(not wrong, f'{len(wrong)} went wrong', *wrong)


def case_faults_files(bench):
    """What makes files: export to the formats, view and merge."""
    a, b = recordings(bench)
    wrong = check(bench, 'export', '--format', 'csv', a)
    for name in sorted(driver.built_formats(bench.nvtxh)):
        wrong += check(bench, 'export', '--format', name, '-o', 'out.sqlite', a, output='out.sqlite')
    wrong += check(bench, 'view', '--no-open', '-o', 'page.html', a, output='page.html')
    wrong += check(bench, 'view', '--no-open', '-o', 'page.html', a, b, output='page.html')
    wrong += check(bench, 'snapshot', '-o', 'part.nvtxh', a, output='part.nvtxh')
    wrong += check(bench, 'merge', '-o', 'both.nvtxh', a, b, output='both.nvtxh')
    require(not wrong, f'{len(wrong)} went wrong', *wrong)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
