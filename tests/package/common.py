# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A user's project in two annotated files, built in both ways to compile, recorded, and its ranges counted."""
import os

from harness.checks import require
from harness.driver import table
from harness.toolchain import nvcc_settings, output as run

MAIN = '''#include "nvtxh.h"
#ifdef __cplusplus
extern "C"
#endif
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
MAKEFILE = '''CFLAGS = -Wall -Wextra -Werror $(shell pkg-config --cflags $(NVTXH))
LDLIBS = $(shell pkg-config --libs $(NVTXH))
app: main.o other.o
\t$(CC) -o $@ $^ $(LDLIBS)
'''
MESON = '''project('user', 'c')
executable('whole', 'main.c', 'other.c', dependencies: dependency('nvtxh', fallback: 'nvtxh'))
executable('split', 'main.c', 'other.c', dependencies: dependency('nvtxh-split', fallback: 'nvtxh'))
'''
# With {0} in place of the line that brings nvtxh, and {1} for more of the languages and of the file.
CMAKE = '''cmake_minimum_required(VERSION 3.18)
project(user LANGUAGES C {languages})
{nvtxh}
add_executable(whole {main} other.c)
target_link_libraries(whole nvtxh::nvtxh)
add_executable(split {main} other.c)
target_link_libraries(split nvtxh::split)
{more}
'''


def recorded(nvtxh, recording, *program, env=None):
    """What a program records: {range: how often}."""
    run(nvtxh, 'record', '-f', '-o', recording, '--', *program, env=env)
    return {row['Range']: int(row['Instances']) for row in table(run(nvtxh, 'stats', recording, '--csv'))}


def user(folder, **files):
    """A project of a user's, in FOLDER."""
    folder.mkdir()
    for name, text in {'main.c': MAIN, 'other.c': OTHER, **files}.items():
        (folder / name).write_text(text)
    return folder


def cmake_user(folder, nvtxh, languages='', main='main.c', more='', **files):
    return user(folder, **{'CMakeLists.txt': CMAKE.format(nvtxh=nvtxh, languages=languages, main=main, more=more), **files})


def cmake_build(folder, *options, env=None):
    run('cmake', '-G', 'Ninja', *options, '-S', '.', '-B', 'build', cwd=folder, env=env)
    run('cmake', '--build', 'build', cwd=folder, env=env)
    return folder / 'build'


def check(way, nvtxh, folder, programs=('whole', 'split')):
    """Record the programs in FOLDER with NVTXH and count what was recorded."""
    for program in programs:
        found = recorded(nvtxh, folder / f'{program}.nvtxh', folder / program)
        require(found == {'outer': 1, 'inner': 2}, f'{way}, {program}: recorded as annotated', found)
    print(f'{way}: recorded as annotated')


def implementation(program):
    """Does this object file hold the implementation?"""
    return '_attach' in run('nm', '--defined-only', program)


def cuda():
    """Options for CMake to build with the CUDA language, or None without nvcc. CMake reads headers of the toolkit beside nvcc, so it
    gets the toolkit's own."""
    if not nvcc_settings():
        return None
    found, settings = nvcc_settings()
    path = os.path.realpath(f'{settings["TOP"]}/bin/nvcc' if 'TOP' in settings else found)
    return [f'-DCMAKE_CUDA_COMPILER={path}', '-DCMAKE_CUDA_ARCHITECTURES=75']
