# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What compilers say and make of device.h and its room: compile.py COMPILER LANGUAGE, or compile.py nvcc.

Each header alone and twice, on, split and off, in the oldest and the newest language standard, for the
runtime and for the driver; every public name over every version of CUDA's headers; switched off, without
a byte left and without CUDA's headers opened."""
import os
import pathlib
import sys

from harness import claims, toolchain

HERE = pathlib.Path(__file__).resolve().parent
TWICE = '#include "{0}"\n#include "{0}"\ntypedef int nothing;\n'
HEADERS = ['nvtxh/device.h', *sorted(f'nvtxh/device/{path.name}'
                                     for path in (toolchain.ROOT / 'nvtxh' / 'device').glob('*.h'))]
APIS = {'runtime': [], 'driver': ['-DNVTXH_CUDA_DRIVER']}

DRIVER = '''
#include "nvtxh/device.h"
__global__ void kernel() {}
CUresult launch(CUstream stream);
CUresult launch(CUstream stream)
{
    NVTXH_DEVICE_SCOPE(stream, "scope");
    kernel<<<1, 1, 0, stream>>>();
    return nvtxh_device_mark(stream, "mark");
}
'''

# A line with ANNOTATION is not there in the source that the off form has to equal.
OFF = '''
#include "nvtxh/device.h"
struct CUstream_st;
extern int stored;
int work(struct CUstream_st *stream, int n);
int annotated(struct CUstream_st *stream, int n);
#define cudaError_t int
int annotated(struct CUstream_st *stream, int n)
{
    struct nvtxh_device_range range; //ANNOTATION
    NVTXH_DEVICE_SCOPE(stream, "scope", .payload = nvtxh_payload(n++)); //ANNOTATION
    NVTXH_DEVICE_SCOPEF(stream, "scope %d", n++); //ANNOTATION
    nvtxh_device_start(stream, &range, "start", .color = (uint32_t)n++); //ANNOTATION
    stored = work(stream, n);
    nvtxh_device_nextf(stream, &range, "next %d", n++); //ANNOTATION
    if (n < 0)
        return -1;
    nvtxh_device_end(stream, range); //ANNOTATION
    nvtxh_device_mark((n++, stream), "mark"); //ANNOTATION
    nvtxh_stream_name(stream, "stream"); //ANNOTATION
    nvtxh_device_set_mode((unsigned)n++); //ANNOTATION
    NVTXH_DEVICE_MODE_SCOPE((unsigned)n++); //ANNOTATION
    nvtxh_device_drain(n++); //ANNOTATION
    nvtxh_device_abandon(); //ANNOTATION
    return work(stream, n + 1);
}
'''


def sections(claim, compiler, language, text, name, optimise):
    """The contents of an object's sections, and its symbols."""
    output = claim.directory / f'{name}.o'
    source = claim.source('off' + toolchain.LANGUAGES[language], text)
    claim.compiles(f'off {optimise}: {name}', compiler, language, source, '-DNVTX_DISABLE',
                   output=output, optimise=optimise)
    raw = claim.directory / 'raw'
    toolchain.run(['objcopy', '-O', 'binary', '-j', '.text', '-j', '.rodata', '-j', '.data', output,
                   raw])
    return raw.read_bytes(), toolchain.run(['nm', output]).stdout


def alone(claim, compiler, language):
    """A header that lacks an include fails the first time, one whose guard does not work the second."""
    for mode in claims.MODES:
        headers = [] if mode.startswith('off') else ['-isystem', list(toolchain.cuda_headers().values())[-1]]
        for api, defines in APIS.items():
            for standard in (toolchain.standards(compiler, language)[0], toolchain.standards(compiler, language)[-1]):
                # In the newest standard, device.h includes the parts. For a part, off-here is the same text as off.
                first = standard == toolchain.standards(compiler, language)[0] and mode != 'off-here'
                for header in HEADERS if first else HEADERS[:1]:
                    if mode != 'on' and toolchain.implements(toolchain.ROOT / header):
                        continue
                    claim.compiles(f'{header} alone and twice, {mode}, {api}, {standard}', compiler, language,
                                   TWICE.format(header), *claims.MODES[mode], *defines, *headers,
                                   standard=standard, nvtx=claims.newest_nvtx() if mode == 'on' else None)


def compiled(claim, compiler, language):
    nvtx = claims.newest_nvtx()
    cuda = toolchain.cuda_headers()
    newest = list(cuda.values())[-1]
    for api, defines in APIS.items():
        for standard in (toolchain.standards(compiler, language)[0], toolchain.standards(compiler, language)[-1]):
            claim.compiles(f'api.c, split, {api}, {standard}', compiler, language, HERE / 'api.c',
                           *defines, *claims.MODES['split'], '-isystem', newest, standard=standard)
            claim.compiles(f'api.c, off, {api}, {standard}', compiler, language, HERE / 'api.c',
                           *defines, *claims.MODES['off'], '-isystem', newest, standard=standard)
            claim.compiles(f'api.c, off, {api}, {standard}, after CUDA\'s header', compiler, language, HERE / 'api.c',
                           *defines, *claims.MODES['off'], '-DCUDA_FIRST', '-isystem', newest, standard=standard)
        for version, directory in cuda.items():
            # With the C library's checks, which Ubuntu has on, and which have warnings of their own.
            claim.compiles(f'api.c, {api}, CUDA {version}', compiler, language, HERE / 'api.c',
                           *defines, '-D_FORTIFY_SOURCE=3', '-isystem', directory, nvtx=nvtx, optimise='-O2',
                           output=claim.directory / 'api.o')
        for switch in () if defines else ('-DNVTXH_CHECK', '-DCUDA_API_PER_THREAD_DEFAULT_STREAM',
                       '-DNVTXH_DEFAULT_DOMAIN=train'):
            claim.compiles(f'api.c, {api}, {switch}', compiler, language, HERE / 'api.c', *defines,
                           switch, '-isystem', newest, nvtx=nvtx)


def off(claim, compiler, language):
    """No byte is left, and CUDA's headers are not opened."""
    plain = '\n'.join('' if '//ANNOTATION' in line else line for line in OFF.splitlines()) + '\n'
    text = OFF.replace(' //ANNOTATION', '')
    for optimise in ('-O1', '-O2', '-Os'):
        with_annotations = sections(claim, compiler, language, text, 'annotated', optimise)
        without = sections(claim, compiler, language, plain, 'plain', optimise)
        claim.that(with_annotations == without, f'off {optimise}: as the source without annotations',
                   f'{with_annotations[1]}\n{without[1]}')
    opened = claim.compile(compiler, language, TWICE.format('nvtxh/device.h'), '-DNVTX_DISABLE',
                           '-M').stdout
    others = opened.replace(f'{toolchain.ROOT}/nvtxh/device/cuda.h', '').replace(str(toolchain.ROOT), '')
    claim.that('cuda' not in others, 'off: no header of CUDA is opened', opened)


def linked(claim, compiler, language):
    """Without the implementation, the error names what to define."""
    newest = list(toolchain.cuda_headers().values())[-1]
    main = HERE / 'api.c'
    output = claim.directory / 'split.o'
    implementation = claim.directory / 'impl.o'
    claim.compiles('split', compiler, language, main, '-DNVTXH_NO_IMPL', '-isystem', newest,
                   output=output)
    claim.compiles('impl.c', compiler, language, toolchain.ROOT / 'nvtxh' / 'impl.c',
                   nvtx=claims.newest_nvtx(), output=implementation)
    done = toolchain.run([toolchain.compiler(compiler, language), output, implementation, '-o',
                          claim.directory / 'program', '-ldl', '-lpthread'])
    claim.that('NVTXH_IMPLEMENTATION_in_one_file_v0_1_with_device_h' in done.stdout,
               'the linker names the missing implementation', claims.gist(done.stdout))


def nvcc():
    command = toolchain.nvcc()
    if not command:
        claims.skip('nvcc is not installed')
    if not toolchain.compiler('gcc', 'cpp'):
        claims.skip('g++, the host compiler, is not installed')
    with claims.Claims() as claim:
        source = claim.source('api.cu', (HERE / 'api.c').read_text())
        # It is device.h that opens <cuda.h>, in the device's half of the file as well.
        claim.runs('driver.cu without <cuda.h>', *command, '-c', '-std=c++17', '-I', toolchain.ROOT,
                   '-isystem', claims.newest_nvtx(), '-DNVTXH_CUDA_DRIVER', claim.source('driver.cu', DRIVER), '-o',
                   claim.directory / 'driver.o', env={**os.environ, 'TMPDIR': str(claim.directory)})
        # What tests/device/gpu.sh compiles for the device that it finds.
        claim.runs('real.cu', *command, '-c', '-std=c++17', '-Werror=all-warnings', '-I', toolchain.ROOT,
                   '-isystem', claims.newest_nvtx(), HERE / 'real.cu', '-o', claim.directory / 'real.o',
                   env={**os.environ, 'TMPDIR': str(claim.directory)})
        for mode in ('on', 'split', 'off'):
            for api, defines in APIS.items():
                # Without -Wpedantic, which warns of much in nvcc's own output.
                said = claim.runs(
                    f'{mode}, {api}', *command, '-c', '-std=c++17', '-Werror=all-warnings', '-Xcompiler',
                    '-Wall,-Wextra,-Wshadow,-Wconversion,-Wundef,-Werror', '-I', toolchain.ROOT,
                    '-isystem', claims.newest_nvtx(), *claims.MODES[mode], *defines, source, '-o',
                    claim.directory / 'api.o', env={**os.environ, 'TMPDIR': str(claim.directory)})
                claim.that(not said, f'{mode}, {api}: not a word from nvcc', said)


def main():
    if sys.argv[1] == 'nvcc':
        nvcc()
    compiler, language = claims.asked(sys.argv)
    if not toolchain.cuda_headers():
        claims.skip('no CUDA headers (NVTXH_TEST_CUDA is empty)')
    with claims.Claims() as claim:
        alone(claim, compiler, language)
        compiled(claim, compiler, language)
        off(claim, compiler, language)
        if compiler == 'gcc':
            linked(claim, compiler, language)


if __name__ == '__main__':
    main()
