# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""summary.py BUILD...: adds up what `meson test --logbase run` has logged there: "N passed, N failed, N skipped".
summary.py --targets BUILD SUITE: what ninja has to build in BUILD for the tests of SUITE."""
import json
import pathlib
import sys


def summary(builds):
    counts = {'passed': 0, 'failed': 0, 'skipped': 0}
    kinds = {'OK': 'passed', 'EXPECTEDFAIL': 'passed', 'SKIP': 'skipped'}
    for build in builds:
        logs = list(pathlib.Path(build, 'meson-logs').glob('run*.json'))  # its name has that of the setup
        lines = logs[0].read_text().splitlines() if logs else ['{"result": "no log"}']
        for line in lines:
            counts[kinds.get(json.loads(line)['result'], 'failed')] += 1
    return ', '.join(f'{number} {what}' for what, number in counts.items())


def targets(build, suite):
    info = pathlib.Path(build, 'meson-info')
    files = {target['id']: target['filename'] for target in json.loads((info / 'intro-targets.json').read_text())}
    tests = json.loads((info / 'intro-tests.json').read_text())
    wanted = {i for test in tests if suite in (name.split(':')[-1] for name in test['suite']) for i in test['depends']}
    root = pathlib.Path(build).resolve()
    return sorted(str(pathlib.Path(file).relative_to(root)) for i in wanted for file in files[i])


if __name__ == '__main__':
    print('\n'.join(targets(*sys.argv[2:])) if sys.argv[1] == '--targets' else summary(sys.argv[1:]))
