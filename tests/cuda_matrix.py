# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Print the versions of CUDA's headers to test against as name=directory:name=directory.

cuda_matrix.py SOURCE_ROOT: the toolkit's, and the PyPI wheels unpacked under SOURCE_ROOT/.cache/cuda.
The name is the version; of two with the same one, the first found is taken.
"""
import os
import pathlib
import re
import sys


def version(include):
    """CUDART_VERSION of the headers in a directory, as 12.9; None if there are none."""
    header = include / 'cuda_runtime_api.h'
    if not header.is_file() or not (include / 'cuda.h').is_file():
        return None
    found = re.search(r'#define CUDART_VERSION\s+(\d+)', header.read_text(errors='replace'))
    return f'{int(found.group(1)) // 1000}.{int(found.group(1)) % 1000 // 10}' if found else None


def main():
    roots = [os.environ.get(name) for name in ('CUDA_PATH', 'CUDA_HOME')]
    roots += ['/usr/local/cuda', '/opt/cuda', '/usr']
    candidates = [pathlib.Path(root, 'include') for root in roots if root]
    candidates += sorted(pathlib.Path(sys.argv[1], '.cache', 'cuda').glob('*'))
    found = {}
    for candidate in candidates:
        name = version(candidate)
        if name:
            found.setdefault(name, candidate)
    print(':'.join(f'{name}={found[name]}' for name in sorted(found, key=lambda n: float(n))))


if __name__ == '__main__':
    main()
