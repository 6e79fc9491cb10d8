# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every header compiles by itself, and a second time, in every mode and language standard, without
a warning. alone.py COMPILER LANGUAGE MODE. MODE every: on, in each standard with each version of NVTX."""
import re
import sys

from harness import claims, toolchain


# The headers that open NVTX's, in the files that have the implementation.
OPEN_NVTX = ('nvtxh.h', 'payload.h', 'counter.h')

# A header with guards that work is the same twice; one that lacks an include fails the first time.
TWICE = '#include "{0}"\n#include "{0}"\ntypedef int nothing;\n'

# Each switch by itself, and then all together.
SWITCHES = {
    'NVTXH_CHECK': ['-DNVTXH_CHECK'],
    'NVTXH_NO_SHORT_NAMES': ['-DNVTXH_NO_SHORT_NAMES'],
    'NVTXH_DEFAULT_DOMAIN': ['-DNVTXH_DEFAULT_DOMAIN=train'],
    'NVTXH_AUTO_COLOR': ['-DNVTXH_AUTO_COLOR=1'],
    'NVTXH_IMPLEMENTATION': ['-DNVTXH_NO_IMPL', '-DNVTXH_IMPLEMENTATION'],
}
USE = '''
void f(int n);
void f(int n)
{
    NVTXH_FUNC();
    NVTXH_SCOPE("x", .color = NVTXH_RED, .payload = nvtxh_payload(n));
    NVTXH_MARKF("%d", n);
    NVTXH_PUSH("y");
    NVTXH_POP();
    nvtxh_end(NVTXH_START("z"));
}
'''
MORE = '''
#include <stddef.h>
#include "nvtxh.h"
#include "nvtxh/counter.h"
NVTXH_DOMAIN(train, "train");
NVTXH_CATEGORY(any, NULL, "any");
NVTXH_CATEGORY(gemm, &train, "gemm");
NVTXH_PAYLOAD_STRUCT(info, (int, n), (float[2], list));
NVTXH_COUNTER(counter, &train, "counter");
void f(uint32_t r, int g, unsigned char b);
void f(uint32_t r, int g, unsigned char b)
{
    static const uint32_t fixed = nvtxh_rgb(0xffu, 1, 2);
    NVTXH_SCOPE("x", .category = &any, .color = nvtxh_argb(r, g, b, 255), .payload = nvtxh_payload(r));
    NVTXH_SCOPE("y", .category = &gemm, .color = fixed, .payload = nvtxh_payload(g));
    nvtxh_counter_set(&counter, r);
}
'''


OWN = '#define NVTXH_IMPLEMENTATION\n' + ''.join(f'#include "{name}"\n' for name in (
    'nvtxh.h', 'nvtxh/stats.h', 'nvtxh/capture.h', 'nvtxh/counter.h', 'nvtxh/instrument.h'))


def own_warnings(claim, compiler, language, nvtx):
    """Users see no warning of a system header. Ours is without any where one is asked for, but for the calls of local
    functions by inline ones: those a file with NVTXH_NO_IMPL does not have."""
    done = claim.compile(compiler, language, OWN, '-DNVTXH_NO_IMPL', '-Wsystem-headers', '-Wno-error', nvtx=nvtx)
    ours = [line for line in done.stdout.splitlines() if 'warning: ' in line and re.match(rf'{re.escape(str(toolchain.ROOT))}/nvtxh[./]', line)]
    claim.that(not done.returncode and not ours, 'no warning of our own headers', '\n'.join(ours) or done.stdout[:500])


def headers(mode):
    """(name, does it open the NVTX headers, is it a part). Those of device ranges, which also open CUDA's, have a test of
    their own: device/compile.py. Parts of the implementation are for files that have it."""
    root = toolchain.ROOT
    for path in [*sorted((root / 'nvtxh').rglob('*.h')), root / 'nvtxh.h']:
        name = str(path.relative_to(root))
        if not name.startswith('nvtxh/device') and (mode == 'on' or not toolchain.implements(path)):
            yield name, path.name in OPEN_NVTX, name.count('/') > 1


def main():
    compiler, language = claims.asked(sys.argv)
    every = sys.argv[3] == 'every'
    mode = 'on' if every else sys.argv[3]
    nvtx = toolchain.nvtx_headers() if mode == 'on' else {'no NVTX': None}
    if not nvtx:
        claims.skip('no NVTX headers (NVTXH_TEST_NVTX is empty)')
    with claims.Claims() as claim:
        if mode == 'off-here':
            # Parts are not among them: config.h makes one switch of the two, so `off` is enough for parts.
            asks = [path.name for path in (toolchain.ROOT / 'nvtxh').rglob('*.h')
                    if re.search(r'^# *(if|elif)[^\n]*\bNVTXH?_DISABLE\b', path.read_text(), re.MULTILINE)]
            claim.that(asks == ['config.h'], 'config.h alone asks whether annotations are off', asks)
        standards = toolchain.standards(compiler, language)
        for number, (header, opens_nvtx, part) in enumerate(headers(mode)):
            if part and mode == 'off-here':
                continue
            for order, (version, directory) in enumerate(nvtx.items()):
                # A header that does not open NVTX is the same whichever NVTX there is; parts are seen in all ways
                # through those that users include.
                if not opens_nvtx and directory != list(nvtx.values())[-1]:
                    continue
                # nvtxh.h, which includes most of them, in every standard, each with another NVTX; a part in the strictest; other headers also in one that
                # differs from header to header.
                further = standards[1:] if every else standards[1 + order::len(nvtx)]
                further = further if header == 'nvtxh.h' else [] if part else [standards[1 + number % (len(standards) - 1)]]
                for standard in [standards[0], *further]:
                    claim.compiles(f'{header} alone and twice, {standard}, NVTX {version}', compiler,
                                   language, TWICE.format(header), *claims.MODES[mode],
                                   standard=standard, nvtx=directory)
        # Where NVTX is not a system header, its own warnings must not become the user's.
        strict = standards[0]
        for version, directory in nvtx.items():
            if directory:
                for warned in ('nvtxh.h', 'nvtxh/counter.h'):
                    claim.compiles(f'{warned}, NVTX {version} with -I', compiler, language,
                                   TWICE.format(warned), *claims.MODES[mode], '-I', directory,
                                   standard=strict)
        directory = claims.newest_nvtx() if mode == 'on' else None
        if directory:
            own_warnings(claim, compiler, language, directory)
        switches = {name: arguments for name, arguments in SWITCHES.items()
                    if mode != 'split' or name != 'NVTXH_IMPLEMENTATION'}
        switches['every switch'] = sum(switches.values(), [])
        for name, arguments in switches.items():
            for standard in (strict, standards[-1]):
                claim.compiles(f'nvtxh.h with {name}, {standard}', compiler, language,
                               TWICE.format('nvtxh.h') + USE, *claims.MODES[mode], *arguments,
                               standard=standard, nvtx=directory)
        for header in sorted((toolchain.ROOT / 'nvtxh').glob('*.h')):
            if header.name != 'device.h':
                claim.compiles(f'nvtxh.h after {header.name}, checked', compiler, language, f'#include "nvtxh/{header.name}"\n#include "nvtxh.h"\n{USE}',
                               *claims.MODES[mode], '-DNVTXH_CHECK', standard=strict, nvtx=directory)
        # Warnings that we do not ask of our own files, but that some users have on where they use our macros.
        extra = ['-Wcast-align', '-Wcast-qual', '-Wold-style-cast', '-Wzero-as-null-pointer-constant']
        extra = extra if language == 'cpp' else [*extra[:2], '-Wdeclaration-after-statement', '-Wnested-externs',
                                                 '-Wredundant-decls', '-Wstrict-prototypes']
        if (compiler, language) == ('gcc', 'cpp'):
            extra.append('-Wuseless-cast')
        claim.compiles('colours, categories and payloads with more warnings', compiler, language,
                       MORE, *claims.MODES[mode], *extra, standard=strict, nvtx=directory)


if __name__ == '__main__':
    main()
