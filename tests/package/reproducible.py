# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""reproducible.py SOURCE: what is committed makes the same recorder and the same command, built in two folders. Some minutes."""
import os
import pathlib
import sys
import tempfile

from harness.checks import need, require
from harness.toolchain import output as run

BINARIES = 'nvtxh', 'libnvtxh-record.so'


def build(tarball, folder):
    """Builds in FOLDER. Returns the bytes of each binary."""
    folder.mkdir(parents=True)
    run('tar', 'xf', tarball, cwd=folder)
    # Without ccache, which may take an object that was compiled elsewhere.
    run('meson', 'setup', '-Dtests=false', 'build', cwd=folder, env={'CCACHE_DISABLE': '1'})
    run('ninja', '-C', 'build', 'recorder/nvtxh', cwd=folder, env={'CCACHE_DISABLE': '1'})
    return {name: (folder / 'build' / 'recorder' / name).read_bytes() for name in BINARIES}


def main():
    need('git', 'meson', 'ninja')
    source = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as name:
        tarball = pathlib.Path(name, 'source.tar')
        run('git', '-c', f'safe.directory={source}', 'archive', '-o', tarball, 'HEAD', cwd=source)
        one, another = (build(tarball, pathlib.Path(name, folder)) for folder in ('one', 'another/with a much longer/path'))
    for binary in BINARIES:
        print(f'{binary}: {len(one[binary])} bytes')
        require(one[binary] == another[binary], f'{binary} differs between two folders')
        require(name.encode() not in one[binary], f'{binary} has the folder in it')


if __name__ == '__main__':
    sys.exit(main())
