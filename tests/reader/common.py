# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Until all tests import harness.driver and harness.checks."""
from harness.checks import CACHE, ROOT, equal, pypi, require  # noqa: F401
from harness.driver import Bench, main  # noqa: F401


class Skip(SystemExit):
    def __init__(self, why):
        print(f'skipped: {why}')
        super().__init__(77)
