# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an annotation of a stream costs while nobody listens, in instructions as callgrind counts them;
and that nothing is enqueued then. cost.py COMPILER LANGUAGE"""
import pathlib
import sys

from harness import callgrind, claims, toolchain

HERE = pathlib.Path(__file__).resolve().parent

CALLS = 1000
# The most instructions that an annotation may add to a function. The claim is ten for a range; a chain of
# two ranges asks once more who listens.
MOST = {'scope': 10, 'start_end': 10, 'start_next_end': 16, 'mark': 4}
FAKE = ['fake_cuda', 'fake_event', 'fake_stream', 'fake_capture', 'fake_graph']


def main():
    compiler, language = claims.asked(sys.argv)
    claims.need('valgrind', 'gcc')
    if not toolchain.cuda_headers():
        claims.skip('no CUDA headers (NVTXH_TEST_CUDA is empty)')
    cuda = ['-isystem', list(toolchain.cuda_headers().values())[-1], '-D_GNU_SOURCE']
    with claims.Claims() as claim:
        objects = [claim.directory / 'cost.o']
        claim.compiles('cost.c', compiler, language, HERE / 'cost.c', *claims.MODES['split'], *cuda,
                       output=objects[0], optimise='-O2')
        for part in ('cost_main', *FAKE):
            objects.append(claim.directory / f'{part}.o')
            claim.compiles(f'{part}.c', 'gcc', 'c', HERE / f'{part}.c', f'-DCALLS={CALLS}', *cuda,
                           output=objects[-1], optimise='-O2', nvtx=claims.newest_nvtx())
        program = claim.directory / 'program'
        claim.runs('links', toolchain.compiler(compiler, 'cpp'), *objects, '-o', program, '-ldl',
                   '-lpthread')
        costs = callgrind.counted(claim, 'nothing is enqueued while idle', program)
        for name, most in MOST.items():
            extra = (costs[name] - costs['plain']) / CALLS
            print(f'{compiler} {language}: {name}: {extra:g} instructions, at most {most}')
            claim.that(extra <= most, f'{name}: at most {most} instructions', extra)


if __name__ == '__main__':
    main()
