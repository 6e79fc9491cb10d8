# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The cost of a flight recorder that is always on: with conditions armed, paused, with statistics only, and while a snapshot is taken.

always.py --record PROGRAM --load PROGRAM --null LIBRARY --nvtxh PROGRAM
"""
import argparse
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
LISTENERS = {'kept': [], 'ring': ['--ring', '4M'], 'ring, conditions': ['--ring', '4M', *WHEN], 'paused': ['--paused'],
             'statistics': ['--stats-only', '--ring', '4M']}
WRITERS_RING = ['--ring', '64M']
RANGE = '''
A push and a pop with all attributes in bursts with pauses between them, as bench/record measures it; x clocks: over two reads
of the clock in the same run. The goal is 1.75. The
ring is full from the first milliseconds on. Medians of {runs} interleaved runs.
'''
WRITERS = '''
Two threads that do nothing but ranges, in a ring of 64 MiB, on {cores} processors, in windows of {seconds} s. ranges: millions in a
second of their own processor time; loss: how much fewer than alone; taken: processor time of who follows them, counts them
(--stats-only) or takes a snapshot of all of the ring in that window, of that of two processors. The goal is 5 % for both together. Medians of {runs} windows.
'''


def range_cost(tools, options, folder):
    done = subprocess.run([tools.nvtxh, 'record', '-q', '-f', '-o', f'{folder}/bench.nvtxh', *options, '--', tools.record, '1'],
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    ns, ratio = re.search(r'in bursts: push and pop, all attributes +([\d.]+) ns +([\d.]+) x', done.stdout).groups()
    return float(ns), float(ratio)


def processor_time(pid):
    """The processor time of a process, in s."""
    fields = pathlib.Path(f'/proc/{pid}/stat').read_text().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')


class Writers:
    """Two threads that are being recorded, in a folder of their own: the writers before may hold their recording for a moment longer."""

    def __init__(self, tools, options, folder):
        self.folder = tempfile.TemporaryDirectory(dir=folder)
        self.recording = f'{self.folder.name}/load.nvtxh'
        self.progress = pathlib.Path(self.folder.name, 'progress')
        self.progress.write_bytes(bytes(8192))
        self.recorder = subprocess.Popen([tools.nvtxh, 'record', '-q', '-o', self.recording, *options, '--', tools.load, '2', '0',
                                          self.progress], start_new_session=True)

    def __enter__(self):
        while not any(self.progress.read_bytes()):
            if self.recorder.poll() is not None:
                raise SystemExit(f'always.py: nvtxh record ended with {self.recorder.returncode}')
            time.sleep(0.01)
        time.sleep(0.3 if report.smoke() else 1.5)
        children = pathlib.Path(f'/proc/{self.recorder.pid}/task/{self.recorder.pid}/children')
        self.pid = int(children.read_text().split()[0])
        return self

    def __exit__(self, *_):
        os.killpg(self.recorder.pid, signal.SIGKILL)
        self.recorder.wait()
        self.folder.cleanup()

    def numbers(self):
        """The number of ranges, the processor time of their process, and that of `nvtxh record` and other commands."""
        children = os.times()
        return (sum(struct.unpack('<2Q', self.progress.read_bytes()[:16])), processor_time(self.pid),
                processor_time(self.recorder.pid) + children.children_user + children.children_system)

    def window(self, seconds, meanwhile=None):
        """Millions of ranges in a second of processor time, and how many percent of two processors the commands took."""
        before, begun = self.numbers(), time.monotonic()
        if meanwhile:
            meanwhile(self)
        time.sleep(max(0, seconds - (time.monotonic() - begun)))
        ranges, own, others = (b - a for a, b in zip(before, self.numbers()))
        return ranges / max(own, 0.01) / 1e6, 100 * others / (2 * (time.monotonic() - begun))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--record', type=pathlib.Path, required=True)
    parser.add_argument('--load', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    tools = parser.parse_args()
    runs, windows, seconds = (1, 1, 0.2) if report.smoke() else (5, 9, 1)
    result = report.Report('always')
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-') as folder:
        taken = {name: [] for name in LISTENERS}
        for _ in range(runs):
            for name, options in LISTENERS.items():
                taken[name].append(range_cost(tools, options, folder))
        rows = [(name, [report.median([t[0] for t in all]), report.median([t[1] for t in all])]) for name, all in taken.items()]
        result.table('a range', [('ns', 'ns', 1), ('clocks', 'x', 2)], rows, RANGE.format(runs=runs))

        def snapshot(writers):
            subprocess.run([tools.nvtxh, 'snapshot', '-f', '-o', f'{folder}/snap.nvtxh', writers.recording],
                           stderr=subprocess.DEVNULL, check=True)

        seen = {'alone': [], 'snapshot': [], 'followed': [], 'counted': []}
        for _ in range(windows):
            with Writers(tools, WRITERS_RING, folder) as writers:
                seen['alone'].append(writers.window(seconds))
                seen['snapshot'].append(writers.window(seconds, snapshot))
            with Writers(tools, [*WRITERS_RING, *WHEN], folder) as writers:
                seen['followed'].append(writers.window(seconds))
            with Writers(tools, [*WRITERS_RING, '--stats-only'], folder) as writers:
                seen['counted'].append(writers.window(seconds))
        rates = {name: report.median([rate for rate, _ in all]) for name, all in seen.items()}
        result.table('writers', [('ranges', 'M/s', 2), ('loss', '%', 1), ('taken', '%', 1)],
                     [(name, [rates[name], 100 * (1 - rates[name] / rates['alone']), report.median([taken for _, taken in all])])
                      for name, all in seen.items()],
                     WRITERS.format(cores=os.cpu_count(), runs=windows, seconds=seconds))
    result.write()


if __name__ == '__main__':
    main()
