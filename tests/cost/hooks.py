# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the hooks of nvtxh/instrument.c cost a function while nobody listens, in instructions as callgrind counts them, over
hooks that do nothing. hooks.py COMPILER"""
import sys

from harness import callgrind, claims, toolchain

MOST = 20  # at both ends of a function together
CALLS = 1000
HERE = toolchain.TESTS / 'cost'


def count(claim, compiler, where, hooks):
    """Instructions of a call of an instrumented function in a program or a library, which has the hooks."""
    folder = claim.directory / f'{where}-{hooks}'
    folder.mkdir()
    pic = ['-fPIC'] if where == 'library' else []

    def build(name, source, *extra):
        claim.compiles(f'{where}, {hooks}: {name}', compiler, 'c', source, f'-DCALLS={CALLS}', '-finstrument-functions', *extra,
                       output=folder / name, optimise='-O2', nvtx=claims.newest_nvtx())
        return folder / name

    main = build('main.o', HERE / 'hooks.c', '-DPART_MAIN')
    parts = [build('called.o', HERE / 'hooks.c', '-DPART_CALLED', *pic),
             build('empty.o', HERE / 'hooks.c', '-DPART_EMPTY', *pic) if hooks == 'empty' else
             build('instrument.o', toolchain.ROOT / 'nvtxh' / 'instrument.c', *pic)]
    link = [toolchain.compiler(compiler, 'c'), '-o']
    if where == 'library':
        claim.runs('the library links', *link, folder / 'called.so', '-shared', *parts, '-ldl', '-pthread')
        parts = [folder / 'called.so', f'-Wl,-rpath,{folder}']
    claim.runs('the program links', *link, folder / 'program', main, *parts, '-ldl', '-pthread')
    return callgrind.counted(claim, f'{where}, {hooks}: every call is made', folder / 'program')['counted'] / CALLS


def main():
    compiler, _ = claims.asked([*sys.argv, 'c'])
    claims.need('valgrind')
    with claims.Claims() as claim:
        for where in 'program', 'library':
            idle, empty = (count(claim, compiler, where, hooks) for hooks in ('idle', 'empty'))
            print(f'{compiler}: hooks in a {where}: {idle - empty:.2f} instructions a call, at most {MOST}')
            claim.that(2 <= idle - empty <= MOST, f'hooks in a {where}: at most {MOST} instructions, and not none', (idle, empty))


if __name__ == '__main__':
    main()
