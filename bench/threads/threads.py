# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a scope costs on each of many threads at once: is it flat?

threads.py --threads PROGRAM --null LIBRARY --nvtxh PROGRAM
"""
import argparse
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402

FOOTNOTE = '''
ns of a thread's own processor time for a scope with a payload, its slowest thread: the median of bursts of
5000 scopes with pauses between them, and of {runs} interleaved runs. flat: the dearest of these columns over the
first; 1.00 would be perfectly flat. Beyond the number of processors ({cores}) threads share them, and pay for
that with colder caches.
'''


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--threads', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    tools = parser.parse_args()
    cores = os.cpu_count()
    counts = sorted({1, 2, *(2 ** i for i in range(1, 9) if 2 ** i <= 2 * cores), cores, 2 * cores})
    runs, scopes = (1, 5000) if report.smoke() else (5, 400000)
    if report.smoke():
        counts = counts[:2]
    result = report.Report('threads')
    taken = {}
    for _ in range(runs):
        for listener in listeners.LISTENERS:
            for n in counts:
                done = listeners.call(listener, [tools.threads, n, scopes], tools)
                if done.returncode != listeners.SKIP:
                    worst = max(float(line) for line in done.stdout.split()[:n])
                    taken.setdefault(listener, {}).setdefault(n, []).append(worst)
    rows = []
    for listener in listeners.LISTENERS:
        if listener not in taken:
            result.skip(listener, 'this version of nvtxh has none')
            continue
        ns = [report.median(taken[listener][n]) for n in counts]
        rows.append((listener, ns + [max(ns) / ns[0]]))
    result.table('threads', [(f'{n}', 'ns', 1) for n in counts] + [('flat', 'x', 2)], rows,
                 FOOTNOTE.format(runs=runs, cores=cores))
    result.write()


if __name__ == '__main__':
    main()
