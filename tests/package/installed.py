# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""installed.py SOURCE INCLUDE: nvtxh is installed, and used as docs/install.md says.

SOURCE is built twice. First with a system's NVTX, and then everything: pkg-config with a Makefile, CMake with and without
the CUDA language, Meson. Then with an NVTX that was fetched for the build (that of INCLUDE), which is installed along.
"""
import argparse
import os
import pathlib
import sys
import tempfile

from common import MAKEFILE, MESON, RECORDED, check, cmake_build, cmake_user, cuda, implementation, user
from harness.checks import need, require
from harness.toolchain import output as run

FIND = '''find_package(nvtxh 0.1 REQUIRED)
find_package(nvtxh 99 QUIET)
if(nvtxh_FOUND)
  message(FATAL_ERROR "nvtxh 99 was found")
endif()'''
QUICK = ['-Dtests=false', '-Dbuildtype=plain']  # what is installed is the same
RECORD = '''add_executable(recorded recorded.c)
target_link_libraries(recorded nvtxh::nvtxh nvtxh::record)'''


def records_itself(way, nvtxh, program):
    run(program, cwd=program.parent)
    require('recorded' in run(nvtxh, 'stats', program.parent / 'self.nvtxh'), f'{way}: the program records itself')


def with_makefile(folder, nvtxh, env):
    project = user(folder, Makefile=MAKEFILE, **{'recorded.c': RECORDED})
    for package, program in ('nvtxh', 'whole'), ('nvtxh-split', 'split'):
        run('make', f'NVTXH={package}', cwd=project, env=env)
        require(implementation(project / 'other.o') == (program == 'whole'),
                f'{package}: the implementation is compiled where docs/install.md says')
        (project / 'app').rename(project / program)
        (project / 'other.o').unlink()
        (project / 'main.o').unlink()
    check('pkg-config', nvtxh, project)
    flags = run('pkg-config', '--cflags', '--libs', 'nvtxh-record', 'nvtxh', env=env).split()
    run('cc', 'recorded.c', '-o', 'recorded', *flags, cwd=project)
    records_itself('pkg-config', nvtxh, project / 'recorded')


def with_cmake(folder, nvtxh, option):
    project = cmake_user(folder, FIND, more=RECORD, **{'recorded.c': RECORDED})
    build = cmake_build(project, option)
    check('CMake', nvtxh, build)
    records_itself('CMake', nvtxh, build / 'recorded')


def with_cuda(folder, nvtxh, option):
    options = cuda()
    if not options:
        print('CMake with CUDA: no nvcc here')
        return
    project = cmake_user(folder, FIND, languages='CUDA', main='main.cu')
    (project / 'main.c').rename(project / 'main.cu')
    check('CMake with CUDA', nvtxh, cmake_build(project, option, *options))


def with_meson(folder, nvtxh, env):
    project = user(folder, **{'meson.build': MESON})
    run('meson', 'setup', '--wrap-mode=nofallback', 'build', cwd=project, env=env)
    run('meson', 'compile', '-C', 'build', cwd=project)
    check('Meson', nvtxh, project / 'build')


def everything(source, folder):
    """Built where cmake is not, with the libraries in an unusual place."""
    prefix = folder / 'prefix'
    (folder / 'bare.ini').write_text("[binaries]\ncmake = '/nonexistent'\n")
    run('meson', 'setup', *QUICK, f'--prefix={prefix}', '--libdir=lib/nested',
        f'--native-file={folder / "bare.ini"}', folder / 'build', source)
    run('meson', 'install', '-C', folder / 'build')
    require((prefix / 'share/doc/nvtxh/LICENSE').exists(), 'the licence is installed')
    libraries = prefix / 'lib/nested'
    require('[libnvtxh-record.so.0]' in run('readelf', '-d', libraries / 'libnvtxh-record.so'), 'the recorder has a version')
    nvtxh = prefix / 'bin/nvtxh'
    path = [str(libraries / 'pkgconfig'), os.environ.get('PKG_CONFIG_PATH', '')]
    env = {'PKG_CONFIG_PATH': os.pathsep.join(path)}
    option = f'-Dnvtxh_DIR={libraries}/cmake/nvtxh'
    with_makefile(folder / 'make', nvtxh, env)
    with_cmake(folder / 'cmake', nvtxh, option)
    with_cuda(folder / 'cuda', nvtxh, option)
    with_meson(folder / 'meson', nvtxh, env)
    return nvtxh


def fetched(source, include, folder, nvtxh):
    """NVTX was fetched for the build: it is installed where our headers find it, and nobody else does."""
    prefix = folder / 'along'
    (folder / 'nvtx3.pc').write_text(
        f'includedir={include}\nfetched_for_nvtxh=yes\nName: nvtx3\nDescription: NVTX\nVersion: 3\nCflags: -isystem ${{includedir}}\n')
    run('meson', 'setup', *QUICK, f'--prefix={prefix}', '--libdir=lib', folder / 'fetching', source,
        env={'PKG_CONFIG_PATH': str(folder)})
    run('meson', 'compile', '-C', folder / 'fetching', 'nvtxh-impl', 'nvtxh-record-linked', 'nvtxh_single.h',
        'nvtxh_device_single.h')
    run('meson', 'install', '-C', folder / 'fetching', '--no-rebuild', '--tags', 'devel')
    require((prefix / 'include/nvtxh/nvtx/LICENSE').exists(), "NVTX's licence is installed along")
    require(not (prefix / 'include/nvtx3').exists(), 'others do not get this NVTX')
    env = {'PKG_CONFIG_PATH': str(prefix / 'lib/pkgconfig'), 'CUDA_PATH': '', 'CUDA_HOME': '', 'CPATH': ''}
    flags = run('pkg-config', '--cflags', 'nvtxh', env=env)
    require(str(include) not in flags, 'what is installed does not point to what was fetched', flags)
    project = user(folder / 'plain')
    (project / 'payload.c').write_text('#include "nvtxh/payload.h"\n#include "nvtxh/counter.h"\nextern int x;\n')
    for compiler in 'cc', 'c++':
        run(compiler, '-Wall', '-Wextra', '-Wpedantic', '-Werror', *(['-x', 'c++'] if compiler == 'c++' else []),
            '-I', prefix / 'include', '-c', 'payload.c', cwd=project)
    opened = run('cc', '-I', prefix / 'include', '-M', 'payload.c', cwd=project)
    nvtx = [word for word in opened.split() if '/nvtx3/' in word]
    require(all(word.startswith(f'{prefix}/include/nvtxh/nvtx/') for word in nvtx), 'our headers open no other NVTX', *nvtx)
    names = {word.rpartition('/')[2] for word in nvtx}
    require({'nvToolsExt.h', 'nvToolsExtPayload.h', 'nvToolsExtCounters.h'} <= names, 'payloads and counters as well', *nvtx)
    run('cc', '-I', prefix / 'include', 'main.c', 'other.c', '-o', 'whole', cwd=project, env=env)
    check('cc -I', nvtxh, project, ['whole'])
    build = cmake_build(cmake_user(folder / 'along-cmake', FIND), f'-DCMAKE_PREFIX_PATH={prefix}', env=env)
    check('CMake, NVTX along', nvtxh, build)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('source', type=pathlib.Path)
    parser.add_argument('include', type=pathlib.Path)
    args = parser.parse_args()
    need('cmake', 'pkg-config', 'meson', 'ninja', 'make', 'cc', 'c++')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        nvtxh = everything(args.source, folder)
        fetched(args.source, args.include, folder, nvtxh)


if __name__ == '__main__':
    sys.exit(main())
