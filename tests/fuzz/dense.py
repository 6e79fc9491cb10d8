# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""dense.py RECORDING OUT: a recording in the dense form that tests/fuzz/reader.c reads, at most 64 KiB of it."""
import struct
import sys

HEADER, ALIGN, MAGIC = 16384, 16384, 0x6b436e4e

with open(sys.argv[1], 'rb') as f:
    data = f.read()
out = data[:200]
at = HEADER
while at + 128 <= len(data):
    magic, size = struct.unpack_from('<II', data, at)
    used, = struct.unpack_from('<Q', data, at + 64)
    if magic != MAGIC or size % ALIGN or not size:
        at += ALIGN
        continue
    out += data[at:at + used]
    at += size
with open(sys.argv[2], 'wb') as f:
    f.write(out[:65536])
