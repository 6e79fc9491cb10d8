# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every public name works wherever a program may use it, and what the headers define is what is
public. api.py COMPILER LANGUAGE"""
import re
import sys

from harness import claims, toolchain

HERE = toolchain.TESTS / 'compile'
COLORS = 149

# NVIDIA's own prefixes: a name of ours that begins so could break their next header.
NOT_OURS = re.compile(r'NVTX_(SCOPE|COLOR|PAYLOAD|COUNTER|DOMAIN)_')


def public_names():
    lines = (HERE / 'public_names.txt').read_text().splitlines()
    return [line for line in lines if line and not line.startswith('#')]


def defined_names(compiler, language, mode):
    """(macros, other identifiers) that a file has got from nvtxh.h and counter.h, internal ones left out."""
    base = [toolchain.compiler(compiler, language), *toolchain.flags(language, warn=False),
            *claims.MODES[mode], '-include', 'nvtxh.h', '-include', 'nvtxh/counter.h',
            '-include', 'nvtxh/stats.h', '-include', 'nvtxh/capture.h', '-E', '-', ]
    macros = toolchain.run([*base, '-dM'], input='').stdout
    macros = set(re.findall(r'^#define (NVTXH?_\w+|nvtxh_\w+)', macros, re.MULTILINE))
    text = toolchain.run([*base, '-P'], input='').stdout
    others = set(re.findall(r'\bnvtxh_\w+', re.sub(r'"[^"\n]*"', '', text)))  # not the section's name
    return macros, others


def internal(name):
    """Prefixed as internal, a guard of a header, or a switch that was given on the command line."""
    guards = {re.sub(r'[/.]', '_', path.relative_to(toolchain.ROOT).as_posix()).upper()
              for path in [toolchain.ROOT / 'nvtxh.h', *(toolchain.ROOT / 'nvtxh').rglob('*.h')]}
    return name.startswith(('NVTXH_I_', 'nvtxh_i_')) or name in guards or name in (
        'NVTX_DISABLE', 'NVTXH_DISABLE', 'NVTXH_NO_IMPL', 'NVTXH_REQUIRE_EXTENSIONS')


def names(claim, compiler, language):
    """The public names are those that are documented, in every mode."""
    listed = set(public_names())
    used = (HERE / 'api.h').read_text() + (HERE / 'api.c').read_text()
    text = ''.join(path.read_text() for path in [toolchain.ROOT / 'nvtxh.h',
                                                 *(toolchain.ROOT / 'nvtxh').rglob('*.h')])
    comments = ' '.join(re.findall(r'/\*.*?\*/', text, re.DOTALL))
    for name in listed:
        claim.that(re.search(rf'\b{name}\b', used), f'{name} is used in api.h or api.c')
        headed = rf'\*/\s*(#[^\n]*\n)*(struct|#define) {name}\b'  # or a comment stands above it
        claim.that(re.search(rf'\b{name}\b', comments) or re.search(headed, text)
                   or name.startswith('NVTXH_VERSION_'), f'a comment of the headers is about {name}')
    for mode in ('split', 'off', 'off-here'):
        macros, others = defined_names(compiler, language, mode)
        colors = {name for name in macros if re.fullmatch(r'NVTXH_[A-Z]+', name)
                  and name in set(re.findall(r'^#define (\w+) 0xff', (
                      toolchain.ROOT / 'nvtxh' / 'core' / 'color_names.h').read_text(), re.MULTILINE))}
        claim.that(len(colors) == COLORS, f'{mode}: {COLORS} named colours', len(colors))
        # core/symbols.h renames what device.h declares; that header needs CUDA, and tests/device has its names.
        device = set(re.findall(r'\bnvtxh_\w+', (toolchain.ROOT / 'nvtxh' / 'device.h').read_text()))
        found = {name for name in macros | others if not internal(name)} - colors - (device - listed)
        claim.that(found <= listed, f'{mode}: nothing is public that is not listed',
                   sorted(found - listed))
        claim.that(listed <= found, f'{mode}: every listed name is there', sorted(listed - found))
        theirs = [name for name in macros if NOT_OURS.match(name)]
        claim.that(not theirs, f'{mode}: no name that begins like NVIDIA\'s', theirs)


def main():
    compiler, language = claims.asked(sys.argv)
    nvtx = claims.newest_nvtx()
    driver = toolchain.compiler(compiler, language)
    with claims.Claims() as claim:
        names(claim, compiler, language)
        for standard in toolchain.ends(compiler, language):
            for mode in ('split', 'off'):  # off-here is the same text as off
                enabled = f'-DEXPECT_ENABLED={int(mode == "split")}'
                # Objects, not syntax alone: some warnings come with code generation, and inline
                # functions of C are looked at only then.
                for name, optimise in (('api.c', '-O1'), ('api_other.c', '-O0')):
                    claim.compiles(f'{mode}: {name}, {standard}', compiler, language, HERE / name,
                                   *claims.MODES[mode], enabled, standard=standard,
                                   optimise=optimise, output=claim.directory / f'{mode}-{name}.o')
        objects = [claim.directory / f'whole-{name}.o' for name in ('api.c', 'api_other.c')]
        for name, output in zip(('api.c', 'api_other.c'), objects):
            claim.compiles(f'on: {name}', compiler, language, HERE / name, '-DEXPECT_ENABLED=1',
                           nvtx=nvtx, output=output, optimise='-O1')
        program = claim.directory / 'whole'
        if claim.runs('on: links', driver, *objects, '-o', program, '-ldl',
                      '-lpthread') is not None:
            claim.runs('on: runs', program)
        objects = [claim.directory / f'off-{name}.o' for name in ('api.c', 'api_other.c')]
        program = claim.directory / 'off'
        if claim.runs('off: links, with no library', driver, *objects, '-o', program) is not None:
            claim.runs('off: runs', program)


if __name__ == '__main__':
    main()
