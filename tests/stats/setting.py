# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Shared by the claims of suite.py: programs that are compiled and run in one way, in a folder."""
import pathlib

from harness import toolchain
from harness.checks import require
from harness.driver import table
from harness.programs import Way

HERE = pathlib.Path(__file__).resolve().parent


class Setting(Way):
    def __init__(self, way, folder):
        super().__init__(way, folder)
        self.flags = ['-D_GNU_SOURCE']

    def build(self, output, *arguments, sources=('program.c',)):
        *more, source = [HERE / s for s in sources]
        return super().build(source, '-Wno-unused-function', *arguments, *more, output=output)

    def instrumented(self, *arguments, flags=(), source='functions.c', hooked=('-finstrument-functions',)):
        """A program with the hooks, which are C, and which may be instrumented themselves."""
        hooks = self.compile(toolchain.ROOT / 'nvtxh' / 'instrument.c', *hooked, *flags, language='c')
        return self.make(self.folder / 'functions', [
            self.command, '-x', 'c' if self.language == 'c' else 'c++', '-O0', '-finstrument-functions', *flags, *arguments,
            HERE / source, '-x', 'none', hooks, '-ldl', '-pthread'])

    def counted(self, *command, **variables):
        """{range: row} of the statistics of a run."""
        path = self.folder / 'stats.csv'
        path.unlink(missing_ok=True)
        self.succeeds(*command, NVTXH_STATS=path, **variables)
        return by_range(path.read_text())


def by_range(text):
    rows = table(text)
    found = {row['Range']: row for row in rows}
    require(len(found) == len(rows), 'one row for each range', text)
    return found
