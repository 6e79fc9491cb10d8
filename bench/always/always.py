# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a flight recorder costs that is always on: with conditions armed, paused, and while a snapshot is taken.

always.py --record PROGRAM --load PROGRAM --null LIBRARY --nvtxh PROGRAM
"""
import argparse
import contextlib
import os
import pathlib
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402

WHEN = ['--snapshot-when', 'load:work > 1h', '--snapshot-when', 'no:such stuck 1h']
LISTENERS = {'kept': [], 'ring': ['--ring', '4M'], 'ring, conditions': ['--ring', '4M', *WHEN], 'paused': ['--paused']}
WRITERS_RING = ['--ring', '64M']
RANGE = '''
A push and a pop with all attributes in bursts with pauses between them, as bench/record measures it; x clocks: over two reads
of the clock in the same run. The goal is 1.75. The
ring is full from the first milliseconds on. Medians of {runs} interleaved runs.
'''
WRITERS = '''
Two threads that do nothing but ranges, in a ring of 64 MiB, on {cores} processors: millions of ranges a second of both. followed:
with conditions armed; snapshot: the second in which a snapshot of all of it is taken. Loss: against the windows of the same
length beside it. The goal is 5 %. Medians of {runs} windows.
'''


def range_cost(tools, options, folder):
    done = subprocess.run([tools.nvtxh, 'record', '-q', '-f', '-o', f'{folder}/bench.nvtxh', *options, '--', tools.record, '1'],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    ns, ratio = re.search(r'in bursts: push and pop, all attributes +([\d.]+) ns +([\d.]+) x', done.stdout).groups()
    return float(ns), float(ratio)


@contextlib.contextmanager
def writers(tools, options, folder):
    """How many ranges two threads have made, as a function."""
    progress = pathlib.Path(folder, 'progress')
    progress.write_bytes(bytes(8192))
    process = subprocess.Popen([tools.nvtxh, 'record', '-q', '-f', '-o', f'{folder}/load.nvtxh', *options, '--',
                                tools.load, '2', '0', progress], stderr=subprocess.DEVNULL, start_new_session=True)
    try:
        time.sleep(0.3 if report.smoke() else 1.5)
        yield lambda: sum(struct.unpack('<2Q', progress.read_bytes()[:16]))
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def rate(count, seconds, meanwhile=None):
    before, begun = count(), time.monotonic()
    if meanwhile:
        meanwhile()
    time.sleep(max(0, seconds - (time.monotonic() - begun)))
    return (count() - before) / (time.monotonic() - begun) / 1e6


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--record', type=pathlib.Path, required=True)
    parser.add_argument('--load', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    tools = parser.parse_args()
    runs, windows, seconds = (1, 1, 0.2) if report.smoke() else (5, 7, 1)
    result = report.Report('always')
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-') as folder:
        taken = {name: [] for name in LISTENERS}
        for _ in range(runs):
            for name, options in LISTENERS.items():
                taken[name].append(range_cost(tools, options, folder))
        rows = [(name, [report.median([t[0] for t in all]), report.median([t[1] for t in all])]) for name, all in taken.items()]
        result.table('a range', [('ns', 'ns', 1), ('clocks', 'x', 2)], rows, RANGE.format(runs=runs))

        def snapshot():
            subprocess.run([tools.nvtxh, 'snapshot', '-f', '-o', f'{folder}/snap.nvtxh', f'{folder}/load.nvtxh'],
                           stderr=subprocess.DEVNULL, check=True)

        alone, followed, between, during = [], [], [], []
        for _ in range(windows):
            with writers(tools, WRITERS_RING, folder) as count:
                alone.append(rate(count, seconds))
                between.append(rate(count, seconds))
                during.append(rate(count, seconds, snapshot))
            with writers(tools, [*WRITERS_RING, *WHEN], folder) as count:
                followed.append(rate(count, seconds))
        median = report.median
        result.table('writers', [('ranges', 'M/s', 2), ('loss', '%', 1)],
                     [('alone', [median(alone), 0.0]),
                      ('followed', [median(followed), 100 * (1 - median(followed) / median(alone))]),
                      ('snapshot', [median(during), 100 * (1 - median(during) / median(between))])],
                     WRITERS.format(cores=os.cpu_count(), runs=windows))
    result.write()


if __name__ == '__main__':
    main()
