# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a scope costs on aarch64 while nobody listens: cost.py's functions, cross-compiled, and their instructions counted
along the way that they go then. aarch64.py COMPILER LANGUAGE"""
import pathlib
import re
import sys

from harness import claims, toolchain
from cost import ATTRIBUTES, SHAPES

CROSS = 'aarch64-linux-gnu'
CLANG = [f'--target={CROSS}', '-isystem', f'/usr/{CROSS}/include']
COMPILERS = {('gcc', 'c'): [f'{CROSS}-gcc'], ('gcc', 'cpp'): [f'{CROSS}-g++'],
             ('clang', 'c'): ['clang', *CLANG], ('clang', 'cpp'): ['clang++', *CLANG]}
# At most, in the first of SHAPES and in the others, with or without attributes. docs/internals/claims.md has the first.
MOST = {('gcc', 'c'): (5, 6), ('gcc', 'cpp'): (5, 6), ('clang', 'c'): (5, 7), ('clang', 'cpp'): (7, 9)}
ANNOTATIONS = {'plain': 'NVTXH_SCOPE("x")', 'with all attributes': f'NVTXH_SCOPE("x", {ATTRIBUTES})'}


def functions(listing):
    """{name: [(address, instruction, operands)]} of objdump's listing."""
    found = {}
    for line in listing.splitlines():
        if start := re.match(r'[0-9a-f]+ <(.*)>:', line):
            found[start.group(1)] = code = []
        elif part := re.match(r' *([0-9a-f]+):\t(\S+)\s*([^/]*)', line):
            code.append((int(part.group(1), 16), part.group(2), part.group(3)))
    return found


def idle(code):
    """How many of a function's instructions run while all that it compares with 0 is 0: who listens, and so what a scope
    has begun."""
    at = {address: i for i, (address, _, _) in enumerate(code)}
    i = count = 0
    while True:
        count += 1
        _, name, operands = code[i]
        if name == 'ret':
            return count
        taken = name in ('b', 'cbz', 'tbz', 'b.eq', 'b.le', 'b.ge')
        if not taken and re.match(r'b\.|cb|tb', name):
            assert name in ('cbnz', 'tbnz', 'b.ne', 'b.gt', 'b.lt', 'b.mi'), name
        i = at[int(re.search(r'([0-9a-f]+) <', operands).group(1), 16)] if taken else i + 1
        assert count < 1000


def main():
    compiler, language = claims.asked(sys.argv)
    command = COMPILERS[compiler, language]
    claims.need(command[0], f'{CROSS}-objdump')
    if not pathlib.Path(f'/usr/{CROSS}/include').is_dir():
        claims.skip(f'no C library for {CROSS}')
    with claims.Claims() as claim:
        counted = {}
        for name, annotation in {'nothing': None, **ANNOTATIONS}.items():
            defines = ['-DANNOTATED', '-DNVTXH_NO_IMPL', f'-DANNOTATION={annotation}', '-DLAST='] if annotation else []
            output = claim.directory / 'cost.o'
            flags = toolchain.flags(language, claims.STANDARD[language], optimise='-O2')
            done = toolchain.run([*command, *flags, '-DNUMBER=0', *defines, '-c', toolchain.TESTS / 'cost' / 'cost.c', '-o',
                                  output])
            claim.that(done.returncode == 0, f'{name} compiles', done.stdout)
            code = functions(toolchain.run([f'{CROSS}-objdump', '-d', '--no-show-raw-insn', output]).stdout)
            counted[name] = [idle(code[f'{shape}_0']) for shape in SHAPES]
        print(f'{compiler} {language}: instructions over the same function without it: {", ".join(SHAPES)}')
        most, most_else = MOST[compiler, language]
        for name in ANNOTATIONS:
            extra = [a - b for a, b in zip(counted[name], counted['nothing'])]
            print(f'a scope {name}: {extra}, at most {most}, {most_else}')
            claim.that(extra[0] <= most and max(extra) <= most_else, f'a scope {name}: at most {most}, {most_else}', extra)


if __name__ == '__main__':
    main()
