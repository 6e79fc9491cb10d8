# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""summary.py BUILD...: add up what `meson test` has logged there: "N passed, N failed, N skipped"."""
import json
import pathlib
import sys

counts = {'passed': 0, 'failed': 0, 'skipped': 0}
for build in sys.argv[1:]:
    log = pathlib.Path(build, 'meson-logs', 'testlog.json')
    for line in log.read_text().splitlines():
        result = json.loads(line)['result']
        if result in ('OK', 'EXPECTEDFAIL'):
            counts['passed'] += 1
        elif result == 'SKIP':
            counts['skipped'] += 1
        else:
            counts['failed'] += 1
print(', '.join(f'{number} {what}' for what, number in counts.items()))
