# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""compilers.py [--quick] [--install]: every public name, compiled by every compiler and in every language standard, with
the warnings that a user may have on. Prints a table: ok, NO, or - where a compiler does not know
the standard. --quick: the system's gcc and clang, and the oldest and newest standard. --install: first installs, with
apt-get, all compilers of COMPILERS that this system has packages for."""
import concurrent.futures
import os
import pathlib
import shutil
import subprocess
import sys

from harness import claims, toolchain

TESTS = pathlib.Path(__file__).resolve().parent.parent

COMPILERS = {'gcc': ('', '-11', '-12', '-13', '-14', '-15', '-16'),
             'clang': ('', '-14', '-15', '-16', '-17', '-18', '-19', '-20', '-21', '-22')}
# A standard's names, the newest first.
STANDARDS = {'c': {'C11': ['c11'], 'C17': ['c17'], 'C23': ['c23', 'c2x']},
             'cpp': {'C++11': ['c++11'], 'C++14': ['c++14'], 'C++17': ['c++17'], 'C++20': ['c++20'],
                     'C++23': ['c++23', 'c++2b'], 'C++26': ['c++26', 'c++2c']}}
QUICK = ('C11', 'C23', 'C++11', 'C++23')
SOURCE = '#include "api.h"\n'
NVCC = {'C++14': 'c++14', 'C++17': 'c++17', 'C++20': 'c++20'}


def install():
    """The packages of COMPILERS that apt has. g++ has a package of its own."""
    wanted = [f'{name}{version}' for names in (('gcc', 'g++'), ('clang',)) for name in names
              for version in COMPILERS[names[0]][1:]]
    known = subprocess.run(['apt-cache', 'pkgnames'], text=True, stdout=subprocess.PIPE, check=True).stdout.split()
    packages = [package for package in wanted if package in known]
    subprocess.run(['apt-get', 'install', '-y', '-q', '--no-install-recommends', *packages], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, 'DEBIAN_FRONTEND': 'noninteractive'})


def command_of(compiler, version, language):
    name = {('gcc', 'cpp'): 'g++', ('clang', 'cpp'): 'clang++'}.get((compiler, language), compiler)
    return shutil.which(f'{name}{version}')


def compile_all(command, language, names, nvtx, folder):
    """The messages of a compiler in one standard, in all of MODES; None: it does not know the standard."""
    def compiled(source, standard, *more):
        return toolchain.run([command, *toolchain.flags(language, standard, nvtx, warn=source != 'empty'), *more, '-I',
                              TESTS / 'compile', '-fsyntax-only', folder / f'{source}.c'])

    standard = next((name for name in names if compiled('empty', name).returncode == 0), None)
    if not standard:
        return None
    return '\n'.join(compiled('api', standard, f'-DEXPECT_ENABLED={int("off" not in mode)}', *flags).stdout
                     for mode, flags in claims.MODES.items()).strip()


def nvcc_row(folder, nvtx):
    """The same for a CUDA file, with the host's g++."""
    nvcc = toolchain.nvcc()
    (folder / 'api.cu').write_text(SOURCE)
    row = {}
    for name, standard in NVCC.items() if nvcc else []:
        done = toolchain.run([*nvcc, f'-std={standard}', '-I', toolchain.ROOT, '-isystem', nvtx, '-I', TESTS / 'compile',
                              '-DEXPECT_ENABLED=NVTXH_ENABLED', '-c', folder / 'api.cu', '-o', folder / 'api.o'])
        row[name] = done.stdout if done.returncode or 'warning' in done.stdout else ''
    return row


def main():
    quick = '--quick' in sys.argv
    if '--install' in sys.argv:
        install()
    os.environ.pop('MALLOC_PERTURB_', None)  # it slows compilers down
    nvtx = claims.newest_nvtx()
    columns = [name for language in STANDARDS.values() for name in language if not quick or name in QUICK]
    rows = {}
    with claims.Claims() as claim, concurrent.futures.ThreadPoolExecutor(2) as pool:
        (claim.directory / 'empty.c').touch()
        (claim.directory / 'api.c').write_text(SOURCE)
        for compiler, versions in COMPILERS.items():
            for version in versions[:1] if quick else versions:
                row = {}
                for language, standards in STANDARDS.items():
                    if command := command_of(compiler, version, language):
                        row.update({name: pool.submit(compile_all, command, language, names, nvtx, claim.directory)
                                    for name, names in standards.items() if name in columns})
                if row:
                    title = toolchain.run([command_of(compiler, version, 'c') or command_of(compiler, version, 'cpp'),
                                           '--version']).stdout.splitlines()[0]
                    rows[title] = {name: said.result() for name, said in row.items()}
        if not quick:
            rows['nvcc'] = nvcc_row(claim.directory, nvtx)
        print(' '.join(['compiler'.ljust(50), *(name.ljust(5) for name in columns)]))
        for title, row in rows.items():
            cells = ['-' if row.get(name) is None else 'ok' if not row[name] else 'NO' for name in columns]
            print(' '.join([title[:50].ljust(50), *(cell.ljust(5) for cell in cells)]))
            for name, said in row.items():
                if said is not None:
                    claim.that(not said, f'{title}, {name}: no warning, no error', claims.gist(said))


if __name__ == '__main__':
    main()
