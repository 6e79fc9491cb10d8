# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a whole program pays: examples/01_train at four densities of annotation, idle, recorded and counted.

real.py --programs DIRECTORY --text FILE --null LIBRARY --nvtxh PROGRAM
"""
import argparse
import pathlib
import random
import resource
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402

DENSITIES = {'none': 'no annotations', 'step': '7 a step', 'example': '71 a step',
             'inner': '25,000 a step'}
WHO = {'nobody': 'idle', 'recorder': 'recorded', 'statistics': 'counted'}
FOOTNOTE = '''
Processor time of the whole process, user and system, with all its threads and, where it is recorded, those of
`nvtxh record`: {rounds} rounds, in each every density and listener once, in random order, {epochs} epochs
each. Over: to the run of the same round without annotations; the median of the rounds, and its 95 %
confidence interval by bootstrap. An interval with 0 in it says that no cost could be seen, not that there is
none; and a program with annotations is laid out differently by the compiler, which may cost or save more than they
do. Over idle: to the same program with nobody listening, which is laid out the same. Densities: README.md.
'''


def processor_time():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def interval(values, draws=2000):
    """The 95 % confidence interval of the median, by bootstrap; the same for the same values."""
    rng = random.Random(1)
    medians = sorted(report.median(rng.choices(values, k=len(values))) for _ in range(draws))
    return medians[int(draws * 0.025)], medians[int(draws * 0.975)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--programs', type=pathlib.Path, required=True)
    parser.add_argument('--text', required=True)
    listeners.arguments(parser)
    parser.add_argument('--rounds', type=int, default=21)
    parser.add_argument('--epochs', type=int, default=2)
    tools = parser.parse_args()
    rounds, epochs = (1, 1) if report.smoke() else (tools.rounds, tools.epochs)
    cases = [('none', 'nobody')] + [(d, who) for d in list(DENSITIES)[1:] for who in WHO]
    taken, output = {}, None
    result = report.Report('real')
    for _ in range(rounds):
        random.shuffle(cases)
        for density, who in list(cases):
            before = processor_time()
            done = listeners.call(who, [tools.programs / f'train-{density}', tools.text, epochs], tools)
            if done.returncode == listeners.SKIP:
                cases.remove((density, who))
                continue
            taken.setdefault((density, who), []).append(processor_time() - before)
            said = [line for line in done.stdout.splitlines() if 'loss' in line]
            if output not in (None, said):
                sys.exit('an annotated program has computed something else')
            output = said
    plain = taken['none', 'nobody']
    rows = [('no annotations', [report.median(plain) * 1000, 0, None, None, None])]
    for density, label in list(DENSITIES.items())[1:]:
        for who, name in WHO.items():
            if (density, who) not in taken:
                result.skip(f'{label}, {name}', 'this version of nvtxh has no statistics')
                continue
            over = [(a / b - 1) * 100 for a, b in zip(taken[density, who], plain)]
            idle = None if who == 'nobody' else report.median(
                [(a / b - 1) * 100 for a, b in zip(taken[density, who], taken[density, 'nobody'])])
            rows.append((f'{label}, {name}', [report.median(taken[density, who]) * 1000,
                                              report.median(over), *interval(over), idle]))
    result.table('real', [('time', 'ms', 0), ('over', '%', 2), ('from', '%', 2), ('to', '%', 2),
                          ('over idle', '%', 2)], rows,
                 FOOTNOTE.format(rounds=rounds, epochs=epochs))
    result.write()


if __name__ == '__main__':
    main()
