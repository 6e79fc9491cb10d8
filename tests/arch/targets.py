# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Other processors and another C library: how to compile for each, and how to run such a program here. Where a Debian
package is missing, the test is skipped."""
import os
import pathlib
import platform
import typing

from harness import claims

KERNEL = ('linux', 'asm-generic')  # headers that musl-gcc does not look for


class Target(typing.NamedTuple):
    cc: list
    run: list  # the words before the program's name; None: it cannot be run here
    needs: tuple


TARGETS = {
    'aarch64': Target(['aarch64-linux-gnu-gcc'], ['qemu-aarch64', '-L', '/usr/aarch64-linux-gnu'],
                      ('aarch64-linux-gnu-gcc', 'qemu-aarch64')),
    'riscv64': Target(['riscv64-linux-gnu-gcc'], None, ('riscv64-linux-gnu-gcc',)),
    'musl': Target(['musl-gcc'], [], ('musl-gcc',)),
}


def target(name, folder):
    """The target, with what it needs in FOLDER; the test is skipped if its packages are not installed."""
    found = TARGETS[name]
    claims.need(*found.needs)
    os.environ.pop('MALLOC_PERTURB_', None)  # it slows compilers down
    if name == 'musl':
        include = folder / 'kernel'
        include.mkdir()
        for part in KERNEL:
            (include / part).symlink_to(f'/usr/include/{part}')
        (include / 'asm').symlink_to(f'/usr/include/{platform.machine()}-linux-gnu/asm')
        found = found._replace(cc=[*found.cc, '-isystem', include])
    elif not pathlib.Path(f'/usr/{name}-linux-gnu/include').is_dir():
        claims.skip(f'no C library for {name}')
    return found
