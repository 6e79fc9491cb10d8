# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a file pays for its annotations with NVTXH_NO_IMPL: bytes of its object file, and what has to
be read to compile it; and which functions are in one that is complete by itself. footprint.py COMPILER LANGUAGE"""
import pathlib
import re
import sys

from harness import claims, toolchain

# What a scope may cost. C++ has to unwind through it: a landing pad, its table and the names of the
# unwinder, as for any object with a destructor.
MOST = {('gcc', 'c'): 200, ('clang', 'c'): 200, ('gcc', 'cpp'): 250, ('clang', 'cpp'): 250}
# g++ 14 gives the way with a listener an epilogue of its own, with the unwinder's notes of it, and keeps the
# callee's result on the stack over the scope's end: 19 bytes more, no instruction more while nobody listens.
MOST_NEW = {('gcc', 'cpp', 14): 270, ('clang', 'cpp', 19): 290}  # clang++ 19: 283

# Same function, with and without; __FILE__ and __func__ are short, as every byte of them counts.
SOURCE = '''
#ifdef ANNOTATION
#include "nvtxh.h"
#else
#define ANNOTATION
#endif
#ifdef __cplusplus
extern "C"
#endif
int callee(int n);
int f(int n);
int f(int n)
{
    ANNOTATION;
    return callee(n) + 1;
}
'''
ANNOTATIONS = {
    'scope': ('NVTXH_SCOPE("forward")', 0),
    'func': ('NVTXH_FUNC()', 0),
    'mark': ('NVTXH_MARK("here")', 0),
    # Attributes add the code that computes them. No claim is made for that; the bound shows a slip.
    'scope with attributes': ('NVTXH_SCOPE("forward", .color = NVTXH_RED, '
                              '.payload = nvtxh_payload(n))', 60),
}


def bytes_of(path):
    """text + data + bss, as size(1) counts them."""
    return sum(int(n) for n in toolchain.run(['size', path]).stdout.splitlines()[1].split()[:3])


def most_of(compiler, language):
    """The bound for this compiler, in its version."""
    said = toolchain.run([toolchain.compiler(compiler, language), '-dumpversion']).stdout
    since = [most for (name, of, version), most in MOST_NEW.items()
             if (name, of) == (compiler, language) and int(said.split('.')[0]) >= version]
    return max([MOST[compiler, language], *since])


def main():
    compiler, language = claims.asked(sys.argv)
    claims.need('size')
    bound = most_of(compiler, language)
    with claims.Claims() as claim:
        source = claim.source('s' + toolchain.LANGUAGES[language], SOURCE)
        output = claim.directory / 's.o'
        # Compiled from its own directory: __FILE__ is then "s.c".
        base = [toolchain.compiler(compiler, language), *toolchain.flags(language), '-O2', '-c',
                source.name, '-o', output]
        claim.runs('plain compiles', *base, cwd=claim.directory)
        plain = bytes_of(output)
        for name, (annotation, most) in ANNOTATIONS.items():
            claim.runs(f'{name} compiles', *base, '-DNVTXH_NO_IMPL', f'-DANNOTATION={annotation}',
                       cwd=claim.directory)
            extra = bytes_of(output) - plain
            most += bound
            print(f'{compiler} {language}: {name}: {extra} bytes over {plain}')
            claim.that(extra <= most, f'{name}: at most {most} bytes', f'{extra} bytes')
        # A file that includes the header and does not use it pays nothing.
        claim.runs('unused compiles', *base, '-DNVTXH_NO_IMPL', '-DANNOTATION=(void)0',
                   cwd=claim.directory)
        claim.that(bytes_of(output) == plain, 'including the header alone costs no byte',
                   f'{bytes_of(output)} and {plain}')
        # What is read: our headers, and those of the compiler and the C library that they need. No
        # header of NVTX, none of POSIX, no <stdio.h>.
        done = toolchain.run([toolchain.compiler(compiler, language), *toolchain.flags(language),
                              '-DNVTXH_NO_IMPL', f'-DANNOTATION={ANNOTATIONS["scope"][0]}', '-M',
                              source], cwd=claim.directory)
        read = [pathlib.Path(name) for name in done.stdout.replace('\\\n', ' ').split()[2:]]
        ours = [path for path in read if path.is_relative_to(toolchain.ROOT)]
        heavy = [str(path) for path in read if 'nvtx3' in path.parts
                 or re.match(r'(stdio|stdlib|string|pthread|unistd|errno)\.h', path.name)]
        print(f'{compiler} {language}: reads {len(ours)} headers of ours, {len(read) - len(ours)} '
              'others')
        claim.that(ours and not heavy, 'reads no heavy header', heavy)
        # A file that is complete by itself has the functions it calls.
        claim.runs('complete by itself', *base, '-isystem', claims.newest_nvtx(),
                   f'-DANNOTATION={ANNOTATIONS["scope"][0]}', cwd=claim.directory)
        names = toolchain.run(['nm', '--defined-only', output]).stdout
        more = re.findall(r'nvtxh_i_v0_1_\w*(?:push|pop|range_start|range_end|mark|format)\w*', names)
        claim.that('scope_leave' in names and not more, 'has no function but for its scope', more)


if __name__ == '__main__':
    main()
