# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""package.py SOURCE: what docs/install.md says, as a project that uses nvtxh does it:
installed, through pkg-config, CMake and Meson; and as a Meson subproject. Each time a program of two
annotated files is built in both ways to compile, recorded with what was installed, and its ranges are
counted."""
import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

MAIN = '''#include "nvtxh.h"
void other(void);
int main(void)
{
    NVTX_SCOPE("outer");
    other();
    other();
    return 0;
}
'''
OTHER = '''#include "nvtxh.h"
void other(void);
void other(void)
{
    NVTX_SCOPE("inner");
}
'''
RECORDED = '''#include "nvtxh.h"
#include "nvtxh_record.h"
int main(void)
{
    if (nvtxh_record_start("self.nvtxh") != 0)
        return 1;
    {
        NVTX_SCOPE("recorded");
    }
    return nvtxh_record_stop();
}
'''
CMAKE = '''cmake_minimum_required(VERSION 3.18)
project(user C)
find_package(nvtxh 0.1 REQUIRED)
add_executable(whole main.c other.c)
target_link_libraries(whole nvtxh::nvtxh)
add_executable(split main.c other.c)
target_link_libraries(split nvtxh::split)
find_package(nvtxh 99 QUIET)
if(nvtxh_FOUND)
  message(FATAL_ERROR "nvtxh 99 was found")
endif()
'''
MESON = '''project('user', 'c')
executable('whole', 'main.c', 'other.c', dependencies: dependency('nvtxh', fallback: 'nvtxh'))
executable('split', 'main.c', 'other.c', dependencies: dependency('nvtxh-split', fallback: 'nvtxh'))
'''


def run(*command, cwd=None, env=None):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env={**os.environ, **(env or {})},
                          text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if done.returncode:
        sys.exit(f'{" ".join(map(str, command))}: status {done.returncode}\n{done.stdout}')
    return done.stdout


def user(folder, **files):
    """A project of a user's, in FOLDER."""
    folder.mkdir()
    for name, text in {'main.c': MAIN, 'other.c': OTHER, **files}.items():
        (folder / name).write_text(text)
    return folder


def check(way, nvtxh, folder):
    """Record both programs in FOLDER and count what was recorded."""
    for program in 'whole', 'split':
        recording = folder / f'{program}.nvtxh'
        run(nvtxh, 'record', '-o', recording, '--', folder / program)
        lines = run(nvtxh, 'stats', recording, '--csv').splitlines()
        header = lines[0].split(',')
        rows = [dict(zip(header, line.split(','))) for line in lines[1:]]
        found = {row['Range']: row['Instances'] for row in rows}
        if found != {'outer': '1', 'inner': '2'}:
            sys.exit(f'{program}: recorded {found}')
    print(f'{way}: recorded as annotated')


def implementation(program):
    """Does this object file hold the implementation?"""
    return '_attach' in run('nm', '--defined-only', program)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('source', type=pathlib.Path)
    source = parser.parse_args().source.resolve()
    for tool in 'cmake', 'pkg-config', 'meson', 'cc':
        if not shutil.which(tool):
            print(f'skipped: {tool} is not installed')
            sys.exit(77)
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        prefix = folder / 'prefix'
        # Where it is built, cmake is not needed.
        (folder / 'bare.ini').write_text("[binaries]\ncmake = '/nonexistent'\n")
        run('meson', 'setup', '-Dtests=false', f'--prefix={prefix}', '--libdir=lib/nested',
            f'--native-file={folder / "bare.ini"}', folder / 'build', source)
        run('meson', 'install', '-C', folder / 'build')
        nvtxh = prefix / 'bin' / 'nvtxh'
        env = {'PKG_CONFIG_PATH': os.pathsep.join(
            [str(prefix / 'lib' / 'nested' / 'pkgconfig'), os.environ.get('PKG_CONFIG_PATH', '')])}

        with_pc = user(folder / 'pkg-config')
        for package, program in ('nvtxh', 'whole'), ('nvtxh-split', 'split'):
            flags = run('pkg-config', '--cflags', package, env=env).split()
            libraries = run('pkg-config', '--libs', package, env=env).split()
            run('cc', '-c', *flags, 'other.c', cwd=with_pc)
            if implementation(with_pc / 'other.o') != (program == 'whole'):
                sys.exit(f'{package}: where the implementation is compiled is not as docs/install.md says')
            run('cc', *flags, 'main.c', 'other.o', '-o', program, *libraries, cwd=with_pc)
        check('pkg-config', nvtxh, with_pc)
        (with_pc / 'recorded.c').write_text(RECORDED)
        flags = run('pkg-config', '--cflags', '--libs', 'nvtxh-record', 'nvtxh', env=env).split()
        run('cc', 'recorded.c', '-o', 'recorded', *flags, cwd=with_pc)
        run(with_pc / 'recorded', cwd=with_pc)
        if 'recorded' not in run(nvtxh, 'stats', with_pc / 'self.nvtxh'):
            sys.exit('pkg-config nvtxh-record: the program has not recorded itself')

        with_cmake = user(folder / 'cmake', **{'CMakeLists.txt': CMAKE})
        run('cmake', '-G', 'Ninja', f'-Dnvtxh_DIR={prefix}/lib/nested/cmake/nvtxh', '.', cwd=with_cmake)
        run('cmake', '--build', '.', cwd=with_cmake)
        check('CMake', nvtxh, with_cmake)

        with_meson = user(folder / 'meson', **{'meson.build': MESON})
        run('meson', 'setup', '--wrap-mode=nofallback', 'build', cwd=with_meson, env=env)
        run('meson', 'compile', '-C', 'build', cwd=with_meson)
        check('Meson', nvtxh, with_meson / 'build')

        with_subproject = user(folder / 'subproject', **{'meson.build': MESON})
        (with_subproject / 'subprojects').mkdir()
        shutil.copytree(source, with_subproject / 'subprojects' / 'nvtxh', symlinks=True,
                        ignore=shutil.ignore_patterns('build*', '.git', '.cache'))
        run('meson', 'setup', 'build', cwd=with_subproject)
        run('meson', 'compile', '-C', 'build', 'whole', 'split', cwd=with_subproject)
        check('Meson subproject', nvtxh, with_subproject / 'build')


if __name__ == '__main__':
    main()
