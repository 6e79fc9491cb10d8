# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What is in an ELF file of this machine (64 bits, little-endian)."""
import struct

ALLOCATED = 2
NOBITS = 8


def sections(path):
    """{"number name": (size, bytes)} of the allocated sections."""
    data = path.read_bytes()
    at, = struct.unpack_from('<Q', data, 0x28)
    size, count, names = struct.unpack_from('<HHH', data, 0x3a)
    headers = [struct.unpack_from('<IIQQQQIIQQ', data, at + i * size) for i in range(count)]
    start = headers[names][4]

    def name(header):
        begin = start + header[0]
        return data[begin:data.index(b'\0', begin)].decode()

    return {f'{i} {name(h)}': (h[5], b'' if h[1] == NOBITS else data[h[4]:h[4] + h[5]])
            for i, h in enumerate(headers) if h[2] & ALLOCATED}


def size_of(path, wanted):
    """The bytes in all sections of one name."""
    return sum(size for name, (size, _) in sections(path).items() if name.split()[1] == wanted)
