# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What gpu.sh says and returns, on a stand-in for a CUDA toolkit: our fake runtime, and an nvcc that
makes a program which does nothing."""
import os
import pathlib
import shutil

from harness import claims, toolchain

HERE = pathlib.Path(__file__).resolve().parent
FAKE = ['fake_cuda', 'fake_event', 'fake_stream', 'fake_capture', 'fake_graph', 'fake_driver']
# What gpu.sh alone asks of the runtime: device.c.
MORE = '''#include <cuda_runtime_api.h>
cudaError_t cudaRuntimeGetVersion(int *n) { return *n = 0, cudaSuccess; }
cudaError_t cudaDriverGetVersion(int *n) { return *n = 0, cudaSuccess; }
cudaError_t cudaGetDeviceProperties(struct cudaDeviceProp *p, int n) { p->name[0] = 0; return (cudaError_t)n; }
'''
NVCC = '#!/bin/sh\nwhile [ "$1" != -o ]; do shift; done\nprintf "#!/bin/sh\\n" >"$2"\nchmod +x "$2"\n'
# What the memory checker would say of a kernel that faults, and what it asks for.
SANITIZER = '''#!/bin/sh
case " $* " in
*" sticky "*) exit 9 ;;
*" --report-api-errors no "*) exit 0 ;;
esac
exit 8
'''
NO_DEVICE = 'int main(void) { return 77; }\n'
HANGS = '''#include <unistd.h>
int main(void)
{
#ifdef NVTXH_CUDA_DRIVER
    for (;;)
        pause();
#endif
}
'''


def toolkit(claim, folder):
    """One library is the runtime, under the name of the driver's, which device.h looks for. As in some toolkits, there
    is no lib64, and there are no NVTX headers."""
    for part in ('bin', 'include', 'lib'):
        (folder / part).mkdir(parents=True)
    for entry in pathlib.Path(list(toolchain.cuda_headers().values())[-1]).iterdir():
        if entry.name != 'nvtx3':
            (folder / 'include' / entry.name).symlink_to(entry)
    for name, text in (('nvcc', NVCC), ('compute-sanitizer', SANITIZER)):
        (folder / 'bin' / name).write_text(text)
        (folder / 'bin' / name).chmod(0o755)
    library = folder / 'lib' / 'libcuda.so.1'
    flags = ['-D_GNU_SOURCE', '-fPIC', '-I', folder / 'include', '-I', HERE]
    claim.runs('the fake', 'gcc', '-shared', *flags, *[HERE / f'{part}.c' for part in FAKE],
               claim.source('more.c', MORE), '-o', library, '-Wl,-soname,libcuda.so.1', '-pthread')
    for name in ('libcudart.so', 'libcudart_static.so'):
        (folder / 'lib' / name).symlink_to(library)


def main():
    claims.need('gcc', 'g++', 'sh', 'timeout')
    if not toolchain.cuda_headers():
        claims.skip('no CUDA headers (NVTXH_TEST_CUDA is empty)')
    os.environ.pop('MALLOC_PERTURB_', '')  # it slows the compilers
    with claims.Claims() as claim:
        cuda, tree = claim.directory / 'cuda', claim.directory / 'tree'
        toolkit(claim, cuda)
        shutil.copytree(HERE, tree / 'tests' / 'device')
        (tree / 'tests' / 'inject').symlink_to(HERE.parent / 'inject')
        (tree / 'nvtxh').symlink_to(toolchain.ROOT / 'nvtxh')
        (tree / 'nvtxh.h').symlink_to(toolchain.ROOT / 'nvtxh.h')

        def says(status, *lines, environment=()):
            done = toolchain.run(['env', f'CUDA_PATH={cuda}', f'LD_LIBRARY_PATH={cuda}/lib', 'GPU_TIMEOUT=10',
                                  f'NVTX_INCLUDE={claims.newest_nvtx()}',
                                  *environment, 'sh', tree / 'tests' / 'device' / 'gpu.sh'])
            summary = done.stdout.partition('--- summary\n')[2].splitlines()
            claim.that(done.returncode == status and tuple(summary) == lines, f'{status}: {lines}', done.stdout)

        says(77, environment=[f'NVTX_INCLUDE={cuda}/include'])
        says(0, 'passed: 46', 'left out: real sticky, compute-sanitizer (it makes a kernel fault)',
             environment=['COMPUTE_SANITIZER=1'])
        (tree / 'tests' / 'device' / 'payload.c').write_text('#error\n')
        (tree / 'tests' / 'device' / 'graphs.c').write_text(HANGS)
        says(1, 'passed: 21', 'did not compile: payload, runtime', 'did not compile: payload, driver',
             'timed out: graphs, driver (10 s)')
        (tree / 'tests' / 'device' / 'device.c').write_text(NO_DEVICE)
        says(77)


if __name__ == '__main__':
    main()
