# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""style.py format|tidy|licence|docs|python BUILD: the repository holds to its own configurations.

format   every C and C++ file is as .clang-format wants it; no line of the product's C has over 100 characters, none of its
         JavaScript over 120, but for texts
tidy     clang-tidy has nothing to say about the header (C and C++, with and without NVTXH_CHECK), the
         recorder and the examples
licence  every source file begins with its SPDX line
docs     the README has at most 110 lines; what pages link to is there; every test in docs/internals/claims.md exists
python   what the build runs needs no later Python than pyproject.toml says
Exit status 77 if the tool is not installed.
"""
import ast
import concurrent.futures
import fnmatch
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness.checks import ROOT, need, skip

CODE = {'.c', '.h', '.cpp'}
# How far the analyser goes in one function: all the way takes a quarter of an hour.
BOUNDED = [f'--extra-arg={arg}' for arg in ('-Xclang', '-analyzer-config', '-Xclang', 'max-nodes=4000')]
CLANG_FORMAT = 'clang-format==14.0.6'  # as tests/setup.sh gets it
SOURCE = CODE | {'.py', '.sh', '.build', '.in'}


def files(suffixes):
    found = []
    for folder, names, entries in os.walk(ROOT):
        names[:] = [n for n in names if not n.startswith(('.', 'build')) and n != 'subprojects']
        found += [pathlib.Path(folder, e) for e in entries]
    return sorted(f for f in found if f.suffix in suffixes)


def clang_format():
    """clang-format of the version that .clang-format is for."""
    fetched = ROOT / '.cache' / 'pypi' / CLANG_FORMAT / 'clang_format' / 'data' / 'bin' / 'clang-format'
    for command in 'clang-format-14', 'clang-format', str(fetched):
        if shutil.which(command) and ' 14.' in subprocess.run([command, '--version'], text=True,
                                                              stdout=subprocess.PIPE).stdout:
            return command
    skip('clang-format 14 is not installed; newer versions lay out some lines in another way')


def check_format():
    # clang-format leaves comments as they are. A text in quotes may be longer.
    product = [f for f in files({'.c', '.h', '.js'}) if f.relative_to(ROOT).parts[0] in ('nvtxh', 'nvtxh.h', 'recorder')]
    widths = [(f, 120 if f.suffix == '.js' else 100) for f in product]
    long = [f'{f}:{number}: over {width} characters' for f, width in widths for number, line in enumerate(f.read_text().split('\n'), 1)
            if len(line) > width and '"' not in line]
    if long:
        print('\n'.join(long))
        return 1
    return subprocess.run([clang_format(), '--dry-run', '-Werror', *files(CODE | {'.cu'})]).returncode


# Braces around every body, not in .clang-tidy, because examples and tests leave them out. BY_HAND is checked for these alone.
BRACES = '--checks=readability-braces-around-statements'
BY_HAND = ['nvtxh/stats.h', 'nvtxh/capture.h', 'nvtxh/payload.h', 'nvtxh/counter.h', 'nvtxh/instrument.c']


def tidy_commands(build):
    """What to run clang-tidy on: the header through files of one line, then what the build knows."""
    database = json.loads(pathlib.Path(build, 'compile_commands.json').read_text())
    nvtx = next((c['command'].split('-isystem', 1)[1].split()[0] for c in database
                 if '-isystem' in c['command']), None)
    system = ['-isystem', nvtx] if nvtx else []
    folder = pathlib.Path(tempfile.mkdtemp())
    header = ['clang-tidy', '--quiet', '--system-headers', f'--header-filter={ROOT}/nvtxh', f'--config-file={ROOT}/.clang-tidy']
    for name, standard in (('c.c', 'gnu11'), ('cpp.cpp', 'gnu++17')):
        for option in ([], ['-DNVTXH_CHECK'], ['-DNVTX_DISABLE']):
            source = folder / ('-'.join(option) + name)
            source.write_text('#include "nvtxh.h"\n')
            yield [*header, BRACES, source, '--', f'-std={standard}', '-I', ROOT, *system, *option]
    (folder / 'by_hand.c').write_text(''.join(f'#include "{name}"\n' for name in BY_HAND))
    yield [*header, BRACES.replace('=', '=-*,'), folder / 'by_hand.c', '--', '-std=gnu11', '-D_GNU_SOURCE', '-I', ROOT, *system]
    # clang-tidy runs once for each way in which a file is compiled. For sanitizers it is the same file again.
    shipped = [entry for entry in database if entry['output'].split('/')[0] in ('recorder', 'examples')]
    (folder / 'compile_commands.json').write_text(json.dumps(shipped))
    for entry in shipped:
        source = pathlib.Path(entry['directory'], entry['file']).resolve()
        yield ['clang-tidy', '--quiet', *([BRACES] if ROOT / 'recorder' in source.parents else []), *BOUNDED, '-p', folder, source]


def check_tidy(build):
    need('clang-tidy')
    unique = {tuple(map(str, c)): c for c in tidy_commands(build)}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        runs = list(pool.map(lambda c: subprocess.run(
            list(map(str, c)), text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT),
            unique.values()))
    for run in runs:
        if run.returncode:
            print(run.stdout)
    print(f'{len(runs)} files')
    return any(run.returncode for run in runs)


def check_licence():
    bad = [f for f in files(SOURCE)
           if 'SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'
           not in '\n'.join(f.read_text().split('\n')[:2])]
    for f in bad:
        print(f'{f}: no SPDX line at its top')
    return bool(bad)


def nightly(name):
    """Is this `tests/nightly.sh PART...`, and are there such parts?"""
    script, *parts = name.split()
    return script == 'tests/nightly.sh' and all(f'part_{part}()' in (ROOT / script).read_text() for part in parts)


def check_docs(build):
    bad = []
    if len((ROOT / 'README.md').read_text().splitlines()) > 110:
        bad.append('README.md: more than 110 lines; what only some need belongs to a page in docs/')
    for page in files({'.md'}):
        for link in re.findall(r'\]\(([^)#]+)', page.read_text()):
            if '://' not in link and not (page.parent / link).exists():
                bad.append(f'{page.relative_to(ROOT)}: links to {link}, which is not there')
    names = [test['name'] for test in json.loads(pathlib.Path(build, 'meson-info/intro-tests.json').read_text())]
    rows = re.findall(r'^\|[^|]*\|([^|]*)\|$', (ROOT / 'docs/internals/claims.md').read_text(), re.M)
    claimed = [name for row in rows for name in re.findall('`([^`]+)`', row)]
    bad += [f'docs/internals/claims.md: there is no test {name}' for name in claimed
            if not (fnmatch.filter(names, name) or nightly(name))]
    print('\n'.join(bad) or f'{len(claimed)} tests of docs/internals/claims.md')
    return bool(bad) or not claimed


def is_later(node):
    """Does Python 3.8 lack this? Knows only some of what it lacks."""
    if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.BitOr):
        return any(isinstance(side, (ast.Dict, ast.DictComp)) for side in ast.iter_child_nodes(node))
    return isinstance(node, ast.Attribute) and node.attr in ('removeprefix', 'removesuffix', 'cache')


def check_python():
    oldest = re.search(r"requires-python = '>= 3\.(\d+)'", (ROOT / 'pyproject.toml').read_text())[1]
    build = [f for f in files({'.py'}) if f.parent.name in ('nvtxh', 'completions', 'page') or f.name == 'manual.py']
    bad = [f'{f}:{node.lineno}: not in Python 3.{oldest}' for f in build
           for node in ast.walk(ast.parse(f.read_text(), str(f), feature_version=(3, int(oldest)))) if is_later(node)]
    print('\n'.join(bad) or f'{len(build)} files')
    return bool(bad) or oldest != '8'


if __name__ == '__main__':
    what, build_directory = sys.argv[1:]
    sys.exit({'format': check_format, 'tidy': lambda: check_tidy(build_directory),
              'licence': check_licence, 'python': check_python, 'docs': lambda: check_docs(build_directory)}[what]())
