# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Print the NVTX versions to test against as name=directory:name=directory.

nvtx_matrix.py SOURCE_ROOT INCLUDE: INCLUDE is the directory the project is built with.
Others: Nsight Systems' own headers (3.0) and the PyPI wheels unpacked under SOURCE_ROOT/.cache/nvtx.
"""
import pathlib
import sys


def version(include):
    """A name for the headers in a directory, by what they have: 3.0, 3.1, 3.2, 3.7 or newest. They have no number."""
    folder = include / 'nvtx3'
    text = (folder / 'nvToolsExt.h').read_text(errors='replace')
    if (folder / 'nvToolsExtSemanticsCorrelation.h').exists():
        init = (folder / 'nvtxDetail' / 'nvtxInit.h').read_text(errors='replace')
        return '3.7' if 'cuNvtxGetInjectionInitializer' in init else 'newest'
    if 'NVTX_NULLPTR' in text:
        return '3.2'
    return '3.1' if (folder / 'nvtx3.hpp').exists() else '3.0'


def main():
    root, include = sys.argv[1:]
    found = {}
    candidates = [pathlib.Path(include)] if include else []
    candidates += sorted(pathlib.Path('/usr/lib').glob(
        '*/nsight-systems/target-linux-*/nvtx/include'))
    candidates += sorted(pathlib.Path(root, '.cache', 'nvtx').glob('*'))
    for candidate in candidates:
        if (candidate / 'nvtx3' / 'nvToolsExt.h').is_file():
            found.setdefault(version(candidate), candidate)
    print(':'.join(f'{name}={found[name]}' for name in sorted(found)))


if __name__ == '__main__':
    main()
