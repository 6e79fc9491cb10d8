# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the claims of suite.py stand on: programs compiled and run in one way, in a folder."""
import csv
import io
import os
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / 'compile')]
import claims  # noqa: E402
import toolchain  # noqa: E402


def require(holds, what, seen=''):
    if not holds:
        sys.exit(f'FAILED: {what}\n{seen}')


class Setting:
    def __init__(self, args, folder):
        self.compiler, self.language, self.args = args.compiler, args.language, args
        self.folder = pathlib.Path(folder)
        self.command = toolchain.compiler(args.compiler, args.language)
        if not self.command:
            claims.skip(f'no {args.compiler} for {args.language}')
        self.nvtx = claims.newest_nvtx()

    def build(self, output, *arguments, sources=('program.c',)):
        output = self.folder / output
        standard = 'gnu11' if self.language == 'c' else 'c++17'
        made = toolchain.run([
            self.command, *toolchain.flags(self.language, standard, self.nvtx), '-D_GNU_SOURCE',
            '-Wno-unused-function', *arguments, *[HERE / s for s in sources], '-o',
            output, '-ldl', '-pthread'])
        require(made.returncode == 0, f'{output.name} compiles', made.stdout)
        return output

    def instrumented(self, *arguments, flags=()):
        """functions.c with the hooks, which are C, and which may be instrumented themselves."""
        hooks = self.folder / 'instrument.o'
        made = toolchain.run([toolchain.compiler(self.compiler, 'c'),
                              *toolchain.flags('c', 'gnu11', self.nvtx), '-finstrument-functions',
                              *flags, '-c', toolchain.ROOT / 'nvtxh' / 'instrument.c', '-o', hooks])
        require(made.returncode == 0, 'instrument.c compiles', made.stdout)
        output = self.folder / 'functions'
        made = toolchain.run([self.command, '-x', 'c' if self.language == 'c' else 'c++', '-O0',
                              '-finstrument-functions', *flags, *arguments, HERE / 'functions.c',
                              '-x', 'none', hooks, '-o', output, '-ldl', '-pthread'])
        require(made.returncode == 0, 'functions.c compiles', made.stdout)
        return output

    def run(self, *command, **variables):
        environment = {k: v for k, v in os.environ.items() if not k.startswith(('NVTX_', 'NVTXH_'))}
        environment.update({k: str(v) for k, v in variables.items()})
        done = toolchain.run(command, env=environment, timeout=200)
        require(done.returncode == 0, f'{command[0]} succeeds: {done.returncode}', done.stdout)
        return done.stdout

    def counted(self, *command, **variables):
        """{range: row} of the statistics of a run."""
        path = self.folder / 'stats.csv'
        path.unlink(missing_ok=True)
        self.run(*command, NVTXH_STATS=path, **variables)
        return by_range(path.read_text())


def by_range(text):
    rows = list(csv.DictReader(io.StringIO(text)))
    found = {row['Range']: row for row in rows}
    require(len(found) == len(rows), 'one row for each range', text)
    return found
