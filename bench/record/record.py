# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a range costs in the recorder: with its options, beside another tool, and under Nsight Systems."""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import ENVIRONMENT, SMOKE, Bench, median, ns_of  # noqa: E402
from harness import nsight  # noqa: E402

WHEN = ['--snapshot-when', 'load:work > 1h', '--snapshot-when', 'no:such stuck 1h']
FOOTNOTE = '''
A push and a pop in bursts of {calls} with pauses between them: medians of {bursts} bursts and of {runs} runs, in which the rows take
turns. all attributes: a registered message in a domain, with category, colour and payload. text: a message alone, by pointer. x: times
two reads of the clock in the same run. The ring is full from the first milliseconds on.
'''
SWITCHES = '''
Two threads on one processor hand it over to each other by a pipe; a thread begins and ends, while there are {processors} processors. Medians of {runs} runs.
'''


def main():
    bench = Bench('record')
    program = bench.programs / 'bench-record'
    runs, bursts, calls = (1, 3, 100) if SMOKE else (3, 200, 2000)
    profile = [bench.nvtxh, 'record', '-q', '-f', '-o', bench.scratch / 'bench.nvtxh', '--']

    def recorded(*options):
        return lambda: bench.times('recorder', program, bursts, calls, options)

    def under_nsys(*before):
        return ns_of(nsight.profile(bench.scratch / 'report', [*before, program, str(bursts), str(calls)], env=ENVIRONMENT).stdout)

    ways = {
        'nobody listens': lambda: bench.times('nobody', program, bursts, calls),
        'recorded': recorded(),
        'in a ring': recorded('--ring', '4M'),
        'in a ring, with conditions': recorded('--ring', '4M', *WHEN),
        'paused': recorded('--paused'),
        'beside a tool that does nothing': recorded('--tool', bench.null),
        'nsys': under_nsys,
        'nsys and recorded': lambda: under_nsys(*profile),
    }
    if not nsight.importer():
        bench.skip('nsys', 'Nsight Systems is not installed')
        del ways['nsys'], ways['nsys and recorded']
    taken = {way: [] for way in ways}
    for _ in range(runs):
        for way, run in ways.items():
            taken[way].append(run())
    rows = {}
    for way, times in taken.items():
        ns, x = ([median([f(t, row) for t in times]) for row in ('attributes', 'text')]
                 for f in (lambda t, row: t[row], lambda t, row: t[row] / t['clocks']))
        rows[way] = [ns[0], x[0], ns[1], x[1]]
    bench.table('record', [('all attributes', 'ns', 1), ('attributes', 'x', 2), ('text', 'ns', 1), ('text', 'x', 2)], rows,
                FOOTNOTE.format(calls=calls, bursts=bursts, runs=runs))
    taken = {option: [ns_of(bench.call('recorder', [bench.programs / 'bench-switches', 100 if SMOKE else 20000], [option])) for _ in range(runs)]
             for option in ('--no-switches', '--switches')}
    bench.table('record, switches', [('a switch', 'us', 2), ('a thread', 'us', 2)],
                {option: [median([run[what] / 1000 for run in all]) for what in ('switch', 'thread')] for option, all in taken.items()},
                SWITCHES.format(processors=os.cpu_count(), runs=runs))
    beside = rows['beside a tool that does nothing'][0] - rows['recorded'][0]
    bench.end(f'A range with all attributes takes {rows["recorded"][0]:.0f} ns in the recorder, {rows["recorded"][1]:.2f} times two reads of '
              f'the clock; in a ring {rows["in a ring"][1]:.2f} times.',
              f'A tool beside the recorder adds {beside:.1f} ns to its own.',
              'nsys' in rows and f'Under Nsight Systems it takes {rows["nsys"][0]:.0f} ns, and {rows["nsys and recorded"][0]:.0f} with both.')


if __name__ == '__main__':
    main()
