# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The ladder: what an annotation costs, from nothing to recorded, beside the same range by hand.

ladder.py --ladder PROGRAM --null LIBRARY --nvtxh PROGRAM
"""
import argparse
import json
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402

# What an annotation gives to the tool -> the rungs of NVTX's C API that give the same. An annotation is
# compared with the cheapest of them.
LIKE = {
    'message': ('nvtx/PushA', 'nvtx/PushEx, registered', 'nvtx/PushEx, registered, domain'),
    'attributes': ('nvtx/PushEx, attributes', 'nvtx/PushEx, attributes, registered, domain'),
    'formatted': ('nvtx/snprintf and PushA',),
    'mark': ('nvtx/MarkEx, registered',),
    'process range': ('nvtx/StartEx, End, registered',),
}
TELLS = {'nvtxh/attributes': 'attributes', 'nvtxh/printf': 'formatted',
         'nvtx/snprintf and PushA': 'formatted', 'nvtxh/mark': 'mark',
         'nvtx/MarkEx, registered': 'mark', 'nvtxh/start, end': 'process range',
         'nvtx/StartEx, End, registered': 'process range',
         'nvtx3/attributes': 'attributes', 'nvtx3/attributes, registered, domain': 'attributes'}
CALLS = 1000
FOOTNOTE = '''
Each rung is a function with a call into another file and a store; shown is what its annotation adds to
the same function without it. ns: Google Benchmark, median of {repetitions} bursts of {burst} calls, the
rungs' bursts interleaved at random, pauses between them. Instructions: callgrind, the mean of {calls}
calls; the same in every run, and what to compare on a busy machine. x clocks: over two reads of the
clock, in time. x raw: over the best rung of NVTX's C API that tells as much (a message; attributes; a
formatted message), in instructions.
'''


def times(tools, listener, burst, repetitions):
    """{rung: [ns of a call, by burst]}; None if the listener is not there."""
    done = listeners.call(listener, [
        tools.ladder, f'--benchmark_repetitions={repetitions}', '--benchmark_format=json',
        '--benchmark_enable_random_interleaving=true'], tools, env={'LADDER_BURST': str(burst)})
    if done.returncode == listeners.SKIP:
        return None
    found = {}
    for run in json.loads(done.stdout[done.stdout.index('{'):])['benchmarks']:
        if run['run_type'] == 'iteration':
            name = run['run_name'].rsplit('/iterations:', 1)[0]
            found.setdefault(name, []).append(run['real_time'])
    return found


def table(result, tools, listener, rungs, functions, burst, repetitions):
    taken = times(tools, listener, burst, repetitions)
    if taken is None:
        result.skip(listener, 'this version of nvtxh has none')
        return
    counted = listeners.instructions(listener, [tools.ladder, '--count', CALLS], tools,
                                     'ladder_counted')
    if not counted:
        result.skip(f'{listener}: instructions', 'valgrind is not installed')
    ns = {rung: report.median(taken[rung]) for rung in rungs}
    ns = {rung: ns[rung] - ns['floor/empty'] for rung in rungs}
    costs = {rung: counted[functions[rung]] / CALLS for rung in rungs} if counted else {}
    costs = {rung: costs[rung] - costs['floor/empty'] for rung in costs}
    rows = []
    for rung in rungs:
        if rung == 'floor/empty' or (listener == 'statistics' and rung.startswith('nvtx')
                                     and not rung.startswith('nvtxh')):
            continue
        raw = min((costs[like] for like in LIKE[TELLS.get(rung, 'message')]), default=0) \
            if costs and listener != 'statistics' and not rung.startswith('floor') else 0
        rows.append((rung, [costs.get(rung), ns[rung], costs[rung] / raw if raw else None,
                            ns[rung] / ns['floor/clocks'] if ns['floor/clocks'] > 0 else None]))
    result.table(f'ladder, {listener}', [('instructions', '', 1), ('time', 'ns', 1), ('raw', 'x', 2),
                                         ('clocks', 'x', 2)], rows,
                 FOOTNOTE.format(repetitions=repetitions, burst=burst, calls=CALLS))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--ladder', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    tools = parser.parse_args()
    listing = listeners.call('nobody', [tools.ladder, '--list'], tools).stdout.splitlines()
    functions = dict(line.split('\t') for line in listing)
    result = report.Report('ladder')
    for listener in listeners.LISTENERS:
        burst = 20000 if listener == 'nobody' else 5000
        repetitions = 151
        if report.smoke():
            burst, repetitions = 100, 3
        table(result, tools, listener, list(functions), functions, burst, repetitions)
    result.write()


if __name__ == '__main__':
    main()
