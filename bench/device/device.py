# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Device ranges: what they cost the enqueuing thread and the stream, beside a handle on the heap. sh run.sh does that on a device."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import SMOKE, Bench  # noqa: E402

SPIN = 'launch of an empty host function, with spin-wait'
FOOTNOTE = '''
Microseconds for each range. host: of the enqueuing thread, the least of {rounds} rounds, in which the rows take turns. own: without
the launches of host functions, at the price of launching an empty function: the cost of the scheme itself. stream: the median of
the rounds. No row has the time of a handle's host functions. On the fake runtime of the tests, a launch costs what the fake's does,
and the stream's column is meaningless.
'''
TARGET, LAUNCHES_OF_HEAP, LAUNCHES_OF_CHAIN = 0.7, 2, 1.1


def main():
    bench = Bench('device')
    rounds = 2 if SMOKE else 200
    lines = [line.split('\t') for line in bench.call('nobody', [bench.programs / 'bench-device', rounds]).splitlines()]
    rows = {name: [float(value) for value in values] for name, *values in lines}
    if SPIN not in rows:
        bench.skip(SPIN, 'CUDA 13.1 has it')
    bench.table('device', [('host', 'us', 3), ('own', 'us', 3), ('stream', 'us', 3)], rows, FOOTNOTE.format(rounds=rounds))
    heap, chain = rows['handle on the heap, start and end'], rows['chains of 10 with next']
    host, own = ([rows[name][column] / heap[column] for name in ('start and end', 'chains of 10 with next')]
                 for column in (0, 1))
    dear = (chain[1] - TARGET * heap[1]) / (TARGET * LAUNCHES_OF_HEAP - LAUNCHES_OF_CHAIN)
    bench.end('A device range takes {:.2f} times as long as a handle on the heap, in a chain of ten {:.2f} times;'.format(*host),
              'without what CUDA does {:.2f} and {:.2f} times.'.format(*own),
              f'A chain takes {TARGET} times as long where a launch costs {max(dear, 0):.3f} us or more.')


if __name__ == '__main__':
    main()
