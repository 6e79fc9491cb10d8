# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""wheel.py SOURCE [WHEEL]: the Python package, as a user gets it: `pip install .` in a new virtual environment, or
pip install WHEEL. The command it gives records a Python program and a C program compiled with its headers, by hand and
by CMake. Of a wheel for many systems (manylinux) also what it was built with."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import zipfile

from common import recorded
from harness.checks import equal, skip
from harness.driver import table
from harness.toolchain import output as run

PYTHON = '''import nvtx

@nvtx.annotate("step")
def step():
    with nvtx.annotate("forward", domain="train"):
        pass

for _ in range(3):
    step()
'''
C = '''#include <nvtxh.h>
int main(void)
{
    NVTX_SCOPE("annotated");
    return 0;
}
'''
FUNCTIONS = '''static void inner(void) {}
int main(void) { inner(); }
'''
CMAKE = '''cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(nvtxh REQUIRED)
add_executable(split main.c)
target_link_libraries(split nvtxh::split)
'''


def check(what, is_, wanted):
    equal(is_, wanted, what)
    print(f'{what}: {is_}')


def main():
    source = pathlib.Path(sys.argv[1]).resolve()
    wheel = pathlib.Path(sys.argv[2]).resolve() if len(sys.argv) > 2 else None
    os.environ.pop('MALLOC_PERTURB_', None)  # it slows compilers down
    nvtx = source / '.cache' / 'pypi' / 'nvtx'
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        made = subprocess.run([sys.executable, '-m', 'venv', folder / 'venv'], text=True, stdout=subprocess.PIPE)
        if made.returncode:
            skip(f'no virtual environments (python3-venv)\n{made.stdout}')
        pip = [folder / 'venv/bin/python', '-m', 'pip', '--disable-pip-version-check']
        if subprocess.run([*pip, 'download', '-q', '--no-deps', '-d', folder / 'reached', 'nvidia-nvtx'],
                          stderr=subprocess.DEVNULL).returncode:
            skip('PyPI cannot be reached, or has no nvidia-nvtx for this processor')
        copy = folder / 'source'
        if not wheel:
            shutil.copytree(source, copy, symlinks=True,
                            ignore=shutil.ignore_patterns('build*', '.git', '.cache', '.mesonpy*'))
        # Not optimised, which takes half of the time.
        run(*pip, 'install', *([wheel] if wheel else ['--config-settings=setup-args=-Doptimization=0', copy]))
        # The source is not needed any more, and the environment may be moved.
        shutil.rmtree(copy, ignore_errors=True)
        nvtxh = folder / 'moved/bin/nvtxh'
        (folder / 'venv').rename(folder / 'moved')

        check('version', run(nvtxh, '--version').splitlines()[0], 'nvtxh 0.1.0')
        if wheel:
            check('built with', run(nvtxh, '--version').splitlines()[1],
                  'built with protobuf-c, carquet, sqlite, libelf, zlib, ncurses')
        # Of this Python nothing is used, so the package is for every version of it.
        info, = folder.glob('moved/lib/python*/site-packages/nvtxh*')
        check('for every Python', [line for line in (info / 'WHEEL').read_text().splitlines() if line.startswith('Tag: ') and 'py3-none-' not in line], [])
        include = run(nvtxh, '--include-dir').strip()
        check('--include-dir', include, str(folder.resolve() / 'moved/share/nvtxh/include'))
        if not wheel:
            with zipfile.ZipFile(next((folder / 'reached').iterdir())) as package:
                header, = (name for name in package.namelist() if name.endswith('/nvtx3/nvToolsExt.h'))
                check('NVTX is that of PyPI', pathlib.Path(include, 'nvtx3/nvToolsExt.h').read_bytes() == package.read(header), True)
        (folder / 'main.c').write_text(C)
        run('cc', '-I', include, 'main.c', '-o', 'program', '-ldl', '-pthread', cwd=folder)
        check('a C program', recorded(nvtxh, folder / 'recording', folder / 'program'), {'annotated': 1})
        (folder / 'plain.c').write_text(FUNCTIONS)
        run('cc', '-finstrument-functions', 'plain.c', '-o', 'plain', cwd=folder)
        run(nvtxh, 'record', '-q', '--functions', '-fo', folder / 'recording', '--', folder / 'plain')
        check('record --functions', [row['Range'] for row in table(run(nvtxh, 'stats', '--csv', folder / 'recording'))], ['main', 'inner'])
        if shutil.which('cmake'):
            (folder / 'CMakeLists.txt').write_text(CMAKE)
            directory = run(nvtxh, '--cmake-dir').strip()
            run('cmake', '-S', folder, '-B', folder / 'build', f'-Dnvtxh_DIR={directory}')
            run('cmake', '--build', folder / 'build')
            check('CMake', recorded(nvtxh, folder / 'recording', folder / 'build/split'), {'annotated': 1})
        if nvtx.is_dir():
            (folder / 'train.py').write_text(PYTHON)
            check('a Python program',
                  recorded(nvtxh, folder / 'recording', sys.executable, folder / 'train.py', env={'PYTHONPATH': str(nvtx)}),
                  {'step': 3, 'train:forward': 3})
        else:
            print("PyPI's nvtx is not in .cache: no Python program is recorded")


if __name__ == '__main__':
    main()
