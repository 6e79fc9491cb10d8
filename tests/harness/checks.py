# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a test says: that something does not hold, or that it cannot be tried here; and how a case is run."""
import argparse
import collections
import contextlib
import importlib
import os
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
TESTS = ROOT / 'tests'
CACHE = ROOT / '.cache'  # where tests/setup.sh puts what only tests use
BUILD = pathlib.Path(os.environ.get('NVTXH_TEST_BUILD', ROOT / 'build'))
TOOL = BUILD / 'tests' / 'inject' / 'libnvtxh-test-log.so'
NVTXH = BUILD / 'recorder' / 'nvtxh'
RECORDER = BUILD / 'recorder' / 'libnvtxh-record.so'


SAID = set()  # why something was skipped


class Skipped(SystemExit):
    """Meson's exit status for a skipped test."""

    def __init__(self):
        super().__init__(77)


def skip(why):
    """End the test as skipped."""
    if why not in SAID:
        print(f'skipped: {why}')
        SAID.add(why)
    raise Skipped()


PARTS_SKIPPED = []


@contextlib.contextmanager
def optional():
    """A part of a test: if it is skipped, the rest is tested, and the test ends as skipped (by finished)."""
    try:
        yield
    except Skipped as skipped:
        PARTS_SKIPPED.append(skipped)


def skip_part(why):
    """The same of a part that the caller leaves out."""
    with optional():
        skip(why)


def finished():
    """At the end of a test that has parts."""
    if PARTS_SKIPPED:
        raise PARTS_SKIPPED[0]


def need(*tools):
    for tool in tools:
        if not shutil.which(tool):
            skip(f'{tool} is not installed')


def pypi(package):
    """The folder of a package that tests/setup.sh has fetched."""
    path = CACHE / 'pypi' / package
    if not path.is_dir():
        skip(f'the PyPI package {package} is not in .cache/pypi (tests/run.sh --all fetches it)')
    return path


def module(package, name):
    """The module NAME of a package that tests/setup.sh has fetched."""
    folder = str(pypi(package))
    if folder not in sys.path:
        sys.path.insert(0, folder)
    try:
        return importlib.import_module(name)
    except ImportError as error:
        skip(f'the PyPI package {package} was fetched for another Python, or lacks what it needs: {error}')


def perfetto_protos():
    """Perfetto's own description of its format."""
    return module('perfetto', 'perfetto.protos.perfetto.trace.perfetto_trace_pb2')


def perfetto_trace(path):
    """What it says of the trace in a file."""
    trace = perfetto_protos().Trace()
    trace.ParseFromString(pathlib.Path(path).read_bytes())
    return trace


def require(holds, what, *seen):
    if not holds:
        raise AssertionError('\n'.join(map(str, (what, *seen))))


def equal(got, wanted, what):
    require(got == wanted, f'{what}:', f'got    {got!r}', f'wanted {wanted!r}')


def same(got, wanted, what):
    """Lists in any order, or dictionaries."""
    got, wanted = (collections.Counter(all.items() if isinstance(all, dict) else all) for all in (got, wanted))
    require(got == wanted, what, *(f'  got    {one}' for one in sorted((got - wanted).elements(), key=repr)[:5]),
            *(f'  wanted {one}' for one in sorted((wanted - got).elements(), key=repr)[:5]))


class Taken:
    """The paths that a drawn test is there for: how often each was taken."""

    def __init__(self, *paths):
        self.counts = dict.fromkeys(paths, 0)

    def __call__(self, path, times=1):
        self.counts[path] += times

    def finish(self):
        """At the end: none was left out by the draws of the usual seed; those of another one may be too few."""
        from harness.draws import SEED
        equal([path for path, times in self.counts.items() if not times and SEED == 1], [], f'paths that were never taken, of {self.counts}')


def conforms(value, schema, where):
    """Checks a value by the part of JSON Schema that report.schema.json uses."""
    types = {'array': list, 'object': dict, 'string': str, 'integer': int, 'number': (int, float), 'null': type(None)}
    wanted = schema['type'] if isinstance(schema['type'], list) else [schema['type']]
    require(any(isinstance(value, types[name]) for name in wanted) and not isinstance(value, bool), where, value, schema)
    require('enum' not in schema or value in schema['enum'], where, value, schema)
    if isinstance(value, list):
        for i, item in enumerate(value):
            conforms(item, schema['items'], f'{where}[{i}]')
    if isinstance(value, dict):
        equal(list(value), [name for name in schema['properties'] if name in value or name in schema['required']], f'members of {where}')
        for name, member in value.items():
            conforms(member, schema['properties'][name], f'{where}.{name}')


def environment(**variables):
    """This environment without what NVTX and we read of it, and with VARIABLES."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(('NVTX_', 'NVTXH_'))}
    return {**clean, **{name: str(value) for name, value in variables.items()}}


def main(cases, about, arguments, setting):
    """Run the case that the command line names, a function of CASES called case_NAME or claim_NAME, in an empty folder.
    ARGUMENTS adds to the parser; what SETTING(args, folder) returns is given to a case that takes it."""
    known = {name.split('_', 1)[1]: case for name, case in cases.items() if name.startswith(('case_', 'claim_'))}
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('case', choices=known, metavar='CASE', help=', '.join(known))
    arguments(parser)
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix='nvtxh-') as folder:
        given = setting(args, pathlib.Path(folder))
        case = known[args.case]
        case(given) if case.__code__.co_argcount else case()
        finished()
