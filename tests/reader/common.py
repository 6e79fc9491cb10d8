# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of the command line's reading half share."""
import argparse
import csv
import io
import os
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
CACHE = ROOT / '.cache'  # where tests/setup.sh puts what only tests use
PYPI = CACHE / 'pypi'

csv.field_size_limit(1 << 26)


class Skip(Exception):
    pass


class Bench:
    """A directory for one test, and the command line that is tested."""

    def __init__(self, nvtxh, programs, directory):
        self.nvtxh = os.path.abspath(nvtxh)
        self.programs = os.path.abspath(programs)
        self.directory = directory

    def here(self, name):
        return os.path.join(self.directory, name)

    def program(self, name):
        return os.path.join(self.programs, name)

    def run(self, *arguments, status=0, command=None, **options):
        """The finished command, as text; it must end with `status`. `command` in place of nvtxh."""
        options.setdefault('timeout', 240)
        done = subprocess.run([command or self.nvtxh, *arguments], capture_output=True, **options)
        done.stdout = done.stdout.decode('utf-8', 'surrogateescape')
        done.stderr = done.stderr.decode('utf-8', 'surrogateescape')
        require(status is None or done.returncode == status,
                f'nvtxh {" ".join(arguments)}: status {done.returncode}', done.stdout[-2000:], done.stderr)
        return done

    def record(self, rec, name, *arguments, **options):
        path = self.here(rec)
        self.run('record', '-f', '-o', path, '--', self.program(name), *arguments, status=None, **options)
        return path

    def table(self, *arguments, **options):
        """The rows of a command that prints CSV."""
        return list(csv.DictReader(io.StringIO(self.run(*arguments, **options).stdout, newline='')))


def require(condition, *what):
    if not condition:
        raise AssertionError('\n'.join(str(w) for w in what))


def equal(got, wanted, what):
    require(got == wanted, f'{what}:', f'got    {got!r}', f'wanted {wanted!r}')


def pypi(package):
    """The directory of a package that tests/setup.sh has fetched."""
    path = PYPI / package
    if not path.is_dir():
        raise Skip(f'the PyPI package {package} is not in .cache/pypi (tests/run.sh fetches it)')
    return path


def main(cases, description):
    """Runs the case that the command line names: a function of `cases` called case_NAME."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument('case')
    parser.add_argument('--nvtxh', required=True)
    parser.add_argument('--programs', required=True)
    args = parser.parse_args()
    for name in ('NVTX_INJECTION64_PATH', 'NVTXH_RECORD_FILE', 'NVTXH_RECORD_SESSION'):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix='nvtxh-') as directory:
        try:
            cases['case_' + args.case](Bench(args.nvtxh, args.programs, directory))
        except Skip as reason:
            print(f'skipped: {reason}')
            sys.exit(77)
