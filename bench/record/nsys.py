# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What Nsight Systems and the recorder cost alone, and both together.

nsys.py --record PROGRAM --null LIBRARY --nvtxh PROGRAM
"""
import argparse
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402
from harness import nsight  # noqa: E402

ROWS = {'all attributes': 'in bursts: push and pop, all attributes', 'by pointer': 'in bursts: push and pop, message by pointer'}
NOTE = '''
A push and a pop in bursts with pauses between them, as bench/record measures it: the median of 200 bursts. A tool that does
nothing in the recorder's chain stands for what it costs to pass calls on. over nsys: what the recorder adds. Medians of {runs}
interleaved runs.
'''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--record', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    tools = parser.parse_args()
    if not nsight.importer():
        print('Nsight Systems is not installed')
        return listeners.SKIP
    runs = 1 if report.smoke() else 5
    result = report.Report('nsys')
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-') as folder:
        recorded = [tools.nvtxh, 'record', '-q', '-f', '-o', f'{folder}/bench.nvtxh']
        program = [tools.record, 'bursts']

        def alone(*before):
            return subprocess.run([*before, *program], text=True, stdout=subprocess.PIPE, check=True).stdout

        def under_nsys(*before):
            return nsight.profile(f'{folder}/report', [*before, *program]).stdout

        ways = {'recorder': lambda: alone(*recorded, '--'),
                'recorder, a tool that does nothing': lambda: alone(*recorded, '--also', tools.null, '--'),
                'nsys': under_nsys,
                'nsys and recorder': lambda: under_nsys(*recorded, '--')}
        taken = {way: {row: [] for row in ROWS} for way in ways}
        for _ in range(runs):
            for way, run in ways.items():
                said = run()
                for row, name in ROWS.items():
                    taken[way][row].append(float(re.search(f'{name} +([0-9.]+) ns', said).group(1)))
        ns = {way: [report.median(all) for all in rows.values()] for way, rows in taken.items()}
        result.table('a range', [(row, 'ns', 1) for row in ROWS],
                     [*ns.items(), ('over nsys', [both - one for both, one in zip(ns['nsys and recorder'], ns['nsys'])])],
                     NOTE.format(runs=runs))
    result.write()
    return 0


if __name__ == '__main__':
    sys.exit(main())
