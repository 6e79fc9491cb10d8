# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""summary.py BUILD...: adds up what tests/run.sh has logged there: "N passed, N failed, N skipped".
summary.py --failed BUILD: the tests that failed there, if they are few.
summary.py --targets BUILD SUITE: what ninja has to build in BUILD for the tests of SUITE."""
import json
import pathlib
import sys


KINDS = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
FEW = 10


def results(build, log):
    """(test, passed|failed|skipped) of each test in a log, whose name goes on with that of Meson's setup."""
    for path in pathlib.Path(build, 'meson-logs').glob(f'{log}*.json'):
        for test in map(json.loads, path.read_text().splitlines()):
            yield test['name'].split(' / ')[-1], KINDS.get(test['result'], 'failed')


def failed(build):
    names = [name for name, kind in results(build, 'run') if kind == 'failed']
    return names if len(names) <= FEW else []


def summary(builds):
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    for build in builds:
        again = dict(results(build, 'again'))
        for name, kind in list(results(build, 'run')) or [('no log', 'failed')]:
            if kind == 'failed' and again.get(name) == 'passed':
                kind = 'passed'
                print(f'{name} failed beside other tests and passed alone: it must not')
            counts[kind] += 1
    return ', '.join(f'{number} {what}' for what, number in counts.items())


def targets(build, suite):
    info = pathlib.Path(build, 'meson-info')
    files = {target['id']: target['filename'] for target in json.loads((info / 'intro-targets.json').read_text())}
    tests = json.loads((info / 'intro-tests.json').read_text())
    wanted = {i for test in tests if suite in (name.split(':')[-1] for name in test['suite']) for i in test['depends']}
    root = pathlib.Path(build).resolve()
    return sorted(str(pathlib.Path(file).relative_to(root)) for i in wanted for file in files[i])


if __name__ == '__main__':
    if sys.argv[1] in ('--failed', '--targets'):
        print('\n'.join({'--failed': failed, '--targets': targets}[sys.argv[1]](*sys.argv[2:])))
    else:
        print(summary(sys.argv[1:]))
