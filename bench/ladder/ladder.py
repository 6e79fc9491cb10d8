# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ladder: what an annotation costs, from nothing to recorded, beside the same range by hand."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import LISTENERS, SMOKE, Bench  # noqa: E402

# What an annotation gives to the tool: the rungs of NVTX's C API that give the same. An annotation is compared with the cheapest.
LIKE = {
    'message': ('nvtx/PushA', 'nvtx/PushEx, registered', 'nvtx/PushEx, registered, domain'),
    'attributes': ('nvtx/PushEx, attributes', 'nvtx/PushEx, attributes, registered, domain'),
    'formatted': ('nvtx/snprintf and PushA',),
    'mark': ('nvtx/MarkEx, registered',),
    'process range': ('nvtx/StartEx, End, registered',),
}
GIVES = {'nvtxh/attributes': 'attributes', 'nvtxh/printf': 'formatted', 'nvtx/snprintf and PushA': 'formatted', 'nvtxh/mark': 'mark',
         'nvtx/MarkEx, registered': 'mark', 'nvtxh/start, end': 'process range', 'nvtx/StartEx, End, registered': 'process range',
         'nvtx3/attributes': 'attributes', 'nvtx3/attributes, registered, domain': 'attributes'}
FOOTNOTE = '''
Each rung is a function with a call into another file and a store; shown is what its annotation adds to the same function without it.
Instructions: callgrind, the mean of {counted} calls; the same in every run, and what to compare on a busy machine. ns: the thread's
processor time; median of {bursts} bursts of {calls} calls with pauses between them, in which the rungs take turns. x raw: over the best
rung of NVTX's C API that gives the tool as much (a message; attributes; a formatted message), in instructions. x clocks: over two
reads of the clock, in time.
'''


def rows(bench, listener, bursts, calls, counted):
    """{rung: its row} with that listener."""
    program = bench.programs / 'bench-ladder'
    ns = bench.times(listener, program, bursts, calls)
    costs = bench.instructions(listener, program, counted)
    empty, clocks = ns['floor/empty'], ns['floor/clocks'] - ns['floor/empty']
    found = {}
    for rung in ns:
        if rung == 'floor/empty' or listener == 'statistics' and rung.startswith(('nvtx/', 'nvtx3/')):
            continue
        cost = raw = None
        if costs:
            cost = costs[rung] - costs['floor/empty']
            if listener != 'statistics' and not rung.startswith('floor'):
                raw = cost / (min(costs[like] for like in LIKE[GIVES.get(rung, 'message')]) - costs['floor/empty'])
        found[rung] = [cost, ns[rung] - empty, raw, (ns[rung] - empty) / clocks if clocks > 0 else None]
    return found


def main():
    bench = Bench('ladder')
    bursts, calls, counted = (3, 100, 20) if SMOKE else (151, 5000, 1000)
    found = {}
    for listener in LISTENERS:
        found[listener] = rows(bench, listener, bursts, calls, counted)
        bench.table(f'ladder, {listener}', [('instructions', '', 1), ('time', 'ns', 1), ('raw', 'x', 2), ('clocks', 'x', 2)],
                    found[listener], FOOTNOTE.format(bursts=bursts, calls=calls, counted=counted))
    plain, full = (('nvtxh/scope', 'nvtx/PushA', 'nvtx3/scoped_range'), ('nvtxh/attributes', 'nvtx/PushEx, attributes', 'nvtx3/attributes'))
    idle, recorded = found['nobody'], found['recorder']
    bench.end(idle['nvtxh/scope'][0] is not None and 'While nobody listens, a scope takes {:.0f} instructions, NVTX in C {:.0f}, nvtx3.hpp '
              '{:.0f}; with all attributes {:.0f}, {:.0f} and {:.0f}.'.format(*(idle[rung][0] for rung in plain + full)),
              'Recorded, a scope takes {:.0f} ns, and with all attributes {:.0f}.'.format(recorded[plain[0]][1], recorded[full[0]][1]),
              recorded[plain[0]][3] and f'That is {recorded[plain[0]][3]:.1f} and {recorded[full[0]][3]:.1f} times two reads of the clock.')


if __name__ == '__main__':
    main()
