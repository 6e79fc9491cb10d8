# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A header includes headers of lower floors only, is in the table of floors, and is not too long.
floors.py [ROOT]"""
import pathlib
import re
import sys

import claims
import toolchain

FLOORS = [
    ['version', 'config', 'compiler', 'color_names', 'symbols'],
    ['color', 'each', 'state', 'attr', 'domain', 'category'],
    ['site'],
    ['check'],
    ['scope', 'mark', 'push', 'range', 'thread'],
    ['impl'],
    ['payload', 'stats', 'capture'],
    ['device'],
    ['counter', 'instrument_symbols', 'instrument_settings', 'instrument_functions'],
    ['instrument'],
    ['short'],
]
# Not in nvtxh.h: included by hand.
BY_HAND = ['payload', 'counter', 'stats', 'instrument', 'instrument_symbols',
           'instrument_settings', 'instrument_functions', 'device', 'capture']
DOORS = ['impl_nvtx', 'payload_impl', 'counter_impl']

FLOOR = {name: number for number, floor in enumerate(FLOORS) for name in floor}

# A part of a header that would be too long in one piece says so: it is on its floor, and included by
# it alone.
PART = re.compile(r'\bpart of (\w+)\.h')

LINES = 300
TABLES = ['color_names']  # not to be read from top to bottom
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)


def parts_of(headers):
    """{part: the header it is a part of}"""
    words = {name: ' '.join(text.replace('*', ' ').split()) for name, text in headers.items()}
    return {name: PART.search(text).group(1) for name, text in words.items() if PART.search(text)}


def check_header(claim, name, text, parts):
    """Every include of one header of nvtxh/."""
    mine = FLOOR.get(parts.get(name, name))
    claim.that(mine is not None, f'nvtxh/{name}.h is in the table of floors')
    claim.that(name in TABLES or text.count('\n') <= LINES,
               f'nvtxh/{name}.h has at most {LINES} lines', f'{text.count(chr(10))} lines')
    # The doors to NVTX are few, whatever else an include may look like.
    claim.that('nvtx3/' not in re.sub(r'/\*.*?\*/', '', text, flags=re.DOTALL) or name in DOORS,
               f'nvtxh/{name}.h does not open the NVTX headers')
    for included in INCLUDE.findall(text):
        other = included[:-2]
        if parts.get(other) in (name, parts.get(name, name)):
            claim.that(True, f'nvtxh/{name}.h includes its part {other}')
            continue
        theirs = FLOOR.get(other)
        claim.that(None not in (mine, theirs) and theirs < mine,
                   f'nvtxh/{name}.h (floor {mine}) includes {included} from a lower floor',
                   f'floor of {included}: {theirs}')


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else toolchain.ROOT
    with claims.Claims() as claim:
        headers = {path.stem: path.read_text() for path in sorted((root / 'nvtxh').glob('*.h'))}
        for name, text in headers.items():
            check_header(claim, name, text, parts_of(headers))
        for name in FLOOR:
            claim.that(name in headers, f'nvtxh/{name}.h, which the table names, is there')
        # The umbrella stands above all of them, defines nothing, and leaves nothing public out.
        umbrella = (root / 'nvtxh.h').read_text()
        included = INCLUDE.findall(umbrella)
        code = re.sub(r'/\*.*?\*/', '', umbrella, flags=re.DOTALL)
        # Outside the guard: what can only be seen when it is included again.
        code = re.sub(r'#if defined\(NVTXH_DEFAULT_DOMAIN\).*?\n#error.*?\n#endif', '', code, flags=re.DOTALL)
        lines = [line for line in code.splitlines() if line.strip()]
        claim.that(all(re.match(r'#include "|#(ifndef|define) NVTXH_H$|#ifdef NVTXH_IMPLEMENTATION *$|#endif$', line)
                       for line in lines), 'nvtxh.h has includes and its guard, nothing else',
                   '\n'.join(lines))
        claim.that(umbrella.count('\n') <= LINES, f'nvtxh.h has at most {LINES} lines')
        reached = set()
        queue = [pathlib.PurePosixPath(name).stem for name in included] + BY_HAND
        while queue:
            name = queue.pop()
            if name not in reached:
                reached.add(name)
                queue += [other[:-2] for other in INCLUDE.findall(headers.get(name, ''))]
        claim.that(set(headers) <= reached, 'nvtxh.h reaches every header, but for those included by hand',
                   sorted(set(headers) - reached))
        for path in sorted((root / 'nvtxh').glob('*.h')):
            claim.that('nvtxh.h"' not in path.read_text(), f'{path.name} does not include nvtxh.h')


if __name__ == '__main__':
    main()
