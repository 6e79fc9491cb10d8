# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header of the recorder compiles by itself, and a second time. alone_recorder.py COMPILER BUILD
(BUILD: where the build has put what it generates)"""
import sys

from harness import claims, toolchain


def main():
    compiler, _ = claims.asked([sys.argv[0], sys.argv[1], 'c'])
    nvtx, folder = claims.newest_nvtx(), toolchain.ROOT / 'recorder'
    with claims.Claims() as claim:
        for header in sorted(folder.rglob('*.h')):
            source = f'#include "{header}"\n#include "{header}"\ntypedef int nothing;\n'
            claim.compiles(f'{header.relative_to(folder)} alone and twice', compiler, 'c', source, '-D_GNU_SOURCE',
                           '-isystem', sys.argv[2], standard='gnu11', nvtx=nvtx)


if __name__ == '__main__':
    main()
