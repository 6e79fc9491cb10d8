# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""single.py BUILD NVTXH: nvtxh_single.h and nvtxh_device_single.h in a project that keeps a copy of them.
What all the macros do with it is tested in behaviour/, all/single."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness import claims, toolchain

HERE = pathlib.Path(__file__).resolve().parent

MAIN = '''#define NVTXH_WITH_STATS
#include "third_party/nvtxh_single.h"
void other(void);
NVTXH_DOMAIN(app, "app");
int main(void)
{
    struct nvtxh_stats inner;
    nvtxh_stats_enable(true);
    {
        NVTX_SCOPE("outer", .domain = &app);
        other();
        other();
    }
    inner = nvtxh_stats_find("inner");
    return inner.count == 2 ? 0 : 1;
}
'''
OTHER = '''#include "third_party/nvtxh_single.h"
void other(void);
void other(void)
{
    NVTX_SCOPE("inner");
}
'''
DEVICE = '''#ifdef NVTX_DISABLE
#include <cuda_runtime_api.h>
#endif
#include "nvtxh_device_single.h"
int main(void)
{
    NVTXH_DEVICE_SCOPE(0, "device", .color = NVTXH_TEAL);
    return nvtxh_device_drain(0) != cudaSuccess;
}
'''
# The folder's headers and the single file, in either order.
MIXED = '''#include "nvtxh/counter.h"
#include "nvtxh_single.h"
#include "nvtxh.h"
#include "nvtxh/stats.h"
int main(void)
{
    NVTX_SCOPE("mixed");
    return 0;
}
'''
# Asked for when an earlier include, in another header, did not ask.
ASKED = '''#include "nvtxh_single.h"
#define NVTXH_WITH_COUNTER
#define NVTXH_WITH_CAPTURE
#include "nvtxh_single.h"
NVTXH_DOMAIN(app, "app");
NVTXH_COUNTER(queue, &app, "queue");
int main(void)
{
    NVTXH_CAPTURE_SCOPE("part");
    nvtxh_counter_set(&queue, 1);
    return 0;
}
'''
# A mistake that the compiler sees in what the macros make of it.
WARNED = '#include "nvtxh_single.h"\nvoid f(void);\nvoid f(void) { NVTX_MARKF("%d", @); }\n'
LATE = '#include "nvtxh_single.h"\n#define NVTXH_DEFAULT_DOMAIN d\n#include "nvtxh_single.h"\n'


def compile_all(claim, folder, source, nvtx, *more):
    """SOURCE compiles without a warning in C and C++, with both compilers."""
    for compiler in toolchain.COMPILERS:
        for language in toolchain.LANGUAGES:
            if toolchain.compiler(compiler, language):
                standard = 'gnu11' if language == 'c' else 'c++11'
                claim.compiles(f'{source.splitlines()[0]} ... with {compiler} as {language} {" ".join(map(str, more))}',
                               compiler, language, source, *more, nvtx=nvtx, standard=standard, include=folder)


def main():
    build, nvtxh = pathlib.Path(sys.argv[1]), sys.argv[2]
    os.environ.pop('MALLOC_PERTURB_', None)  # it slows compilers down
    nvtx = claims.newest_nvtx()
    with claims.Claims() as claim, tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        # Byte for byte: made again, from a copy that lies elsewhere and is younger.
        (folder / 'copy').mkdir()
        shutil.copy(toolchain.ROOT / 'nvtxh.h', folder / 'copy')
        shutil.copytree(toolchain.ROOT / 'nvtxh', folder / 'copy' / 'nvtxh', copy_function=shutil.copyfile)
        for file in 'nvtxh_single.h', 'nvtxh_device_single.h':
            subprocess.run([sys.executable, folder / 'copy/nvtxh/single.py', folder / 'copy', folder / file],
                           check=True)
            text = (folder / file).read_text()
            claim.that(text == (build / file).read_text(), f'{file} is the same wherever it is made')
            head = text.split('*/', 2)[:2]
            claim.that('SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception' in head[0]
                       and 'nvtxh 0.1.0' in head[1] and 'Licensed under' in head[1],
                       f'{file} begins with licence and version')
            included = set(re.findall(r'^ *#include "(.*)"', text, re.M))
            claim.that(included <= {'nvtxh_single.h'}, f'{file} includes nothing else of ours', included)
        installed = toolchain.run(['meson', 'introspect', '--installed', build]).stdout
        claim.that('include/nvtxh_single.h"' in installed and 'include/nvtxh_device_single.h"' in installed,
                   'both are installed', installed)

        # A project that keeps it in a folder of its own.
        user = folder / 'user'
        (user / 'third_party').mkdir(parents=True)
        shutil.copy(build / 'nvtxh_single.h', user / 'third_party')
        (user / 'main.c').write_text(MAIN)
        (user / 'other.c').write_text(OTHER)
        for way, define in ('complete', []), ('split', ['-DNVTXH_NO_IMPL']):
            parts = [['cc', '-isystem', nvtx, *define, '-c', 'other.c', '-o', 'other.o'],
                     ['cc', '-isystem', nvtx, *(['-DNVTXH_IMPLEMENTATION'] if define else []), 'main.c', 'other.o',
                      '-o', 'program', '-ldl', '-pthread']]
            made = [toolchain.run(part, cwd=user) for part in parts]
            claim.that(not any(m.returncode for m in made), f'a {way} program compiles', ''.join(m.stdout for m in made))
            ran = toolchain.run([nvtxh, 'record', '-o', user / f'{way}.nvtxh', '--', user / 'program'])
            rows = toolchain.run([nvtxh, 'stats', '--csv', user / f'{way}.nvtxh']).stdout
            claim.that(ran.returncode == 0 and 'app:outer' in rows and 'inner' in rows,
                       f'a {way} program counts and is recorded', ran.stdout + rows)

        # It adds what the folder's nvtxh.h does, and nothing if annotations are off. -O1: with the implementation.
        for define in '-O1', '-DNVTXH_NO_IMPL', '-DNVTX_DISABLE', '-DNVTXH_DISABLE':
            for compiler, language in claims.each():
                symbols = []
                for header in 'third_party/nvtxh_single.h', 'nvtxh.h':
                    (user / 'alone.c').write_text(OTHER.replace('third_party/nvtxh_single.h', header))
                    made = toolchain.run([toolchain.compiler(compiler, language), '-x', {'c': 'c', 'cpp': 'c++'}[language], '-isystem', nvtx,
                                          '-I', toolchain.ROOT, define, '-c', 'alone.c', '-o', 'alone.o'], cwd=user)
                    symbols.append([line.split()[-2:] for line in toolchain.run(['nm', 'alone.o'], cwd=user).stdout.splitlines()])
                off = define.endswith('DISABLE')
                claim.that(not made.returncode and symbols[0] == symbols[1] and (len(symbols[0]) == 1) == off,
                           f'the symbols of an object with {define}, {compiler}, {language}', str(symbols))

        cuda = toolchain.cuda_headers()
        if cuda:
            newest = list(cuda.values())[-1]
            for mode in [], ['-DNVTX_DISABLE']:
                compile_all(claim, folder, DEVICE, nvtx, '-isystem', newest, *mode)
        compile_all(claim, folder, MIXED, nvtx, '-I', toolchain.ROOT)
        compile_all(claim, folder, ASKED, nvtx)
        for header in sorted((toolchain.ROOT / 'nvtxh').glob('*.h')):
            if header.name != 'device.h':
                claim.compiles(f'the single file after {header.name}', 'gcc', 'c', f'#include "nvtxh/{header.name}"\n' + MIXED.split('\n', 1)[1],
                               '-I', toolchain.ROOT, nvtx=nvtx, standard='gnu11', include=folder)
        for compiler in toolchain.COMPILERS:
            if toolchain.compiler(compiler, 'c'):
                claim.compiles(f'{compiler} accepts what is right', compiler, 'c', WARNED.replace('@', '1'), nvtx=nvtx,
                               include=folder)
                done = claim.compile(compiler, 'c', WARNED.replace('@', '1.5'), nvtx=nvtx, include=folder)
                claim.that('format' in done.stdout, f'{compiler} warns of what a user writes', done.stdout)
        (folder / 'late.c').write_text(LATE)
        done = toolchain.run(['cc', '-fsyntax-only', '-I', folder, '-isystem', nvtx, 'late.c'], cwd=folder)
        claim.that('comes too late' in done.stdout, 'a default domain that comes too late is said', done.stdout)
        # Two versions do not go together.
        older = (folder / 'nvtxh_single.h').read_text().replace('VERSION_PATCH 0', 'VERSION_PATCH 9')
        (folder / 'nvtxh_single.h').write_text(older)
        (folder / 'device.c').write_text(DEVICE)
        cuda = [word for path in list(toolchain.cuda_headers().values())[-1:] for word in ('-isystem', path)]
        done = toolchain.run(['cc', '-fsyntax-only', '-DNVTX_DISABLE', '-I', folder, '-isystem', nvtx, *cuda, 'device.c'],
                             cwd=folder)
        claim.that('of different versions' in done.stdout, 'two versions side by side are said', done.stdout)


if __name__ == '__main__':
    main()
