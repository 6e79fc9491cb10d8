# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""source.py SOURCE INCLUDE NVTXH: a project takes nvtxh's source into its own build, as docs/install.md says: a Meson
subproject and a wrap; CMake's add_subdirectory and FetchContent, also with the CUDA language. NVTX is in INCLUDE; NVTXH records."""
import argparse
import hashlib
import pathlib
import shutil
import sys
import tarfile
import tempfile

from common import MESON, check, cmake_build, cmake_user, cuda, user
from harness.checks import need, require
from harness.toolchain import output as run

# A network where nothing answers, for git.
AWAY = {'GIT_CONFIG_COUNT': '1', 'GIT_CONFIG_KEY_0': 'http.proxy', 'GIT_CONFIG_VALUE_0': 'http://127.0.0.1:9'}
WRAP = '''[wrap-file]
directory = nvtxh-source
source_url = {url}
source_filename = nvtxh.tar.gz
source_hash = {hash}

[provide]
dependency_names = nvtxh, nvtxh-split
'''
ADD = 'add_subdirectory({source} nvtxh)'
FETCH = '''include(FetchContent)
FetchContent_Declare(nvtxh URL {archive})
FetchContent_MakeAvailable(nvtxh)'''


def meson_ways(folder, copy, archive, nvtxh):
    project = user(folder / 'subproject', **{'meson.build': MESON})
    (project / 'subprojects').mkdir()
    shutil.copytree(copy, project / 'subprojects' / 'nvtxh', symlinks=True)
    wrapped = user(folder / 'wrap', **{'meson.build': MESON.replace(", fallback: 'nvtxh'", '')})
    (wrapped / 'subprojects').mkdir()
    (wrapped / 'subprojects' / 'nvtxh.wrap').write_text(
        WRAP.format(url=archive.as_uri(), hash=hashlib.sha256(archive.read_bytes()).hexdigest()))
    for way, where in ('Meson subproject', project), ('Meson wrap', wrapped):
        run('meson', 'setup', '--force-fallback-for=nvtxh,nvtxh-split', 'build', cwd=where)
        run('meson', 'compile', '-C', 'build', 'whole', 'split', cwd=where)
        check(way, nvtxh, where / 'build')


def cmake_ways(folder, copy, archive, include, nvtxh):
    here = f'-Dnvtxh_NVTX3_INCLUDE={include}'
    project = cmake_user(folder / 'add', ADD.format(source=copy), more='get_target_property(version nvtxh::nvtxh NAME)')
    check('CMake add_subdirectory', nvtxh, cmake_build(project, here))
    project = cmake_user(folder / 'fetch', FETCH.format(archive=archive))
    check('CMake FetchContent', nvtxh, cmake_build(project, here))
    # With NVIDIA's own CMake target for NVTX, and in C++ alone.
    target = f'add_library(nvtx3-c INTERFACE)\ntarget_include_directories(nvtx3-c SYSTEM INTERFACE {include})\n'
    project = cmake_user(folder / 'target', target + ADD.format(source=copy), languages='CXX', main='main.cpp')
    (project / 'main.c').rename(project / 'main.cpp')
    build = cmake_build(project)
    check('CMake with the target nvtx3-c', nvtxh, build)
    require('nvtxh_NVTX3_INCLUDE' not in (build / 'CMakeCache.txt').read_text(), 'NVTX is not looked for beside its target')
    # Without NVTX, the wrap's is fetched: here from a folder.
    (folder / 'nvtx' / 'c').mkdir(parents=True)
    (folder / 'nvtx' / 'c' / 'include').symlink_to(include)
    none = ['-DCMAKE_FIND_ROOT_PATH=/nonexistent', '-DCMAKE_FIND_ROOT_PATH_MODE_INCLUDE=ONLY']
    project = cmake_user(folder / 'none', ADD.format(source=copy))
    check('CMake, NVTX fetched', nvtxh, cmake_build(project, *none, f'-DFETCHCONTENT_SOURCE_DIR_NVTX3={folder / "nvtx"}'))
    said = run('cmake', '-G', 'Ninja', *none, '-S', project, '-B', folder / 'away', status=1, env=AWAY)
    require(said.count('CMake Error') == 1 and f"\n   cd {copy} && sh -c '. tests/setup.sh; need_nvtx'\n" in said,
            'CMake, NVTX cannot be fetched: one error, which has the command', said)
    options = cuda()
    if options:
        project = cmake_user(folder / 'cuda', ADD.format(source=copy), languages='CUDA', main='main.cu')
        (project / 'main.c').rename(project / 'main.cu')
        check('CMake add_subdirectory with CUDA', nvtxh, cmake_build(project, here, *options))
    else:
        print('CMake with CUDA: no nvcc here')


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('source', type=pathlib.Path)
    parser.add_argument('include', type=pathlib.Path)
    parser.add_argument('nvtxh', type=pathlib.Path)
    args = parser.parse_args()
    need('cmake', 'meson', 'ninja', 'cc', 'c++')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        copy = folder / 'nvtxh-source'
        shutil.copytree(args.source, copy, symlinks=True, ignore=shutil.ignore_patterns('build*', '.git', '.cache'))
        archive = folder / 'nvtxh.tar.gz'
        with tarfile.open(archive, 'w:gz') as tar:
            tar.add(copy, copy.name)
        nvtxh = args.nvtxh.resolve()
        meson_ways(folder, copy, archive, nvtxh)
        cmake_ways(folder, copy, archive, args.include, nvtxh)


if __name__ == '__main__':
    sys.exit(main())
