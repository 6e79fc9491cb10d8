#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile programs of this directory in one way, and run them on the fake CUDA runtime.

    run.py --tool LIBRARY --compiler gcc|clang --language c|cpp [--cuda VERSION] [--driver] [--split]
           [--sanitize LIST] PROGRAM...

PROGRAM: ranges, payload, process, graphs, captures, faults, contexts, life,
model or model:STEPS. --cuda: which of the headers in NVTXH_TEST_CUDA. --driver: device.h is compiled for the driver API alone, and the fake is its library.
--split: NVTX is compiled once, in nvtxh/device.c. Exit status 77: something is not installed.
"""
import argparse
import os
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402

FAKE = ['fake_cuda', 'fake_stream', 'fake_capture', 'fake_graph', 'fake_driver']
# A small pool, where all of it is to be used up.
SWITCHES = {'faults': ['-DNVTXH_DEVICE_RANGES=64'], 'model': ['-DNVTXH_DEVICE_RANGES=128']}
STANDARD = {'c': 'gnu11', 'cpp': 'c++17'}


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


class Build:
    def __init__(self, args, folder):
        self.args, self.folder = args, folder
        self.tool = args.tool.resolve()
        cuda, nvtx = toolchain.cuda_headers(), toolchain.nvtx_headers()
        if not cuda or not nvtx:
            skip('no CUDA headers (NVTXH_TEST_CUDA)' if nvtx else 'no NVTX headers (NVTXH_TEST_NVTX)')
        if args.cuda and args.cuda not in cuda:
            skip(f'no headers of CUDA {args.cuda}')
        self.command = toolchain.compiler(args.compiler, args.language)
        self.c = toolchain.compiler(args.compiler, 'c')
        if not self.command or not self.c:
            skip(f'no {args.compiler} for {args.language}')
        self.include = ['-isystem', cuda[args.cuda or list(cuda)[-1]]]
        self.nvtx = nvtx.get('3.2') or list(nvtx.values())[-1]
        self.sanitize = [f'-fsanitize={args.sanitize}', '-fno-sanitize-recover=all',
                         '-fno-omit-frame-pointer'] if args.sanitize else []
        self.switches = ['-DTEST_FAKE', *(['-DNVTXH_CUDA_DRIVER'] if args.driver else [])]
        self.check('int main(void) { return 0; }')
        self.fake = self.make_fake()

    def check(self, text):
        """A sanitizer's run-time library is a package of its own."""
        probe = self.folder / 'probe.c'
        probe.write_text(text)
        if toolchain.run([self.c, *self.sanitize, probe, '-o', self.folder / 'probe']).returncode:
            skip(f'{self.c} has no run-time library for {self.args.sanitize}')

    def compile(self, source, *more, language=None, name=None):
        language = language or self.args.language
        output = self.folder / f'{name or source.stem}.o'
        made = toolchain.run([
            toolchain.compiler(self.args.compiler, language),
            *toolchain.flags(language, STANDARD[language], self.nvtx), *self.include, '-D_GNU_SOURCE',
            '-g', '-fPIC', *self.sanitize, *more, '-c', source, '-o', output])
        if made.returncode:
            sys.exit(f'{source.name} does not compile:\n{made.stdout[:6000]}')
        return output

    def link(self, objects, output, *more):
        made = toolchain.run([self.command, *self.sanitize, *objects, *more, '-o', output, '-ldl',
                              '-pthread'])
        if made.returncode:
            sys.exit(f'{output.name} does not link:\n{made.stdout[:6000]}')
        return output

    def make_fake(self):
        """A shared library by the name of the driver's, which device.h looks for there."""
        objects = [self.compile(HERE / f'{part}.c', language='c') for part in FAKE]
        return self.link(objects, self.folder / 'libcuda.so.1', '-shared', '-Wl,-soname,libcuda.so.1')

    def contexts(self):
        """On another driver, and without a runtime."""
        folder = self.folder / 'contexts-driver'
        folder.mkdir()
        driver = self.link([self.compile(HERE / 'fake_contexts.c', language='c')], folder / 'libcuda.so.1', '-shared',
                           '-Wl,-soname,libcuda.so.1')
        return self.link([self.compile(HERE / 'contexts.c'), driver], self.folder / 'contexts', f'-Wl,-rpath,{folder}')

    def program(self, name):
        if name == 'contexts':
            return self.contexts()
        switches = [*self.switches, *SWITCHES.get(name, [])]
        objects = []
        if self.args.split:
            objects = [self.compile(toolchain.ROOT / 'nvtxh' / 'device.c', *switches,
                                    name=f'device-{name}')]
            switches += ['-DNVTXH_NO_IMPL']
        objects.append(self.compile(HERE / f'{name}.c', *switches))
        return self.link([*objects, self.fake, self.tool], self.folder / name,
                         f'-Wl,-rpath,{self.tool.parent}', f'-Wl,-rpath,{self.folder}', '-rdynamic')

    def runs(self, name):
        """The ways to run a program: arguments, and whether the logging tool is loaded."""
        name, _, steps = name.partition(':')
        if name == 'model':
            return [([steps or '20000'], False)]
        if name == 'contexts':
            return [([], False)]
        if name == 'life':
            plugin = self.link([self.compile(HERE / 'plugin.c', *self.switches)],
                               self.folder / 'plugin.so', '-shared')
            return [(['fork'], True), (['exit'], True), (['environment'], True), (['plugin', plugin], True),
                    (['statistics'], False)]
        return [([], True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tool', required=True, type=pathlib.Path)
    parser.add_argument('--compiler', required=True, choices=toolchain.COMPILERS)
    parser.add_argument('--language', required=True, choices=toolchain.LANGUAGES)
    parser.add_argument('--cuda')
    parser.add_argument('--driver', action='store_true')
    parser.add_argument('--split', action='store_true')
    parser.add_argument('--sanitize')
    parser.add_argument('programs', nargs='+')
    args = parser.parse_args()
    os.environ.pop('MALLOC_PERTURB_', '')  # it slows the compilers
    clean = {k: v for k, v in os.environ.items() if not k.startswith(('NVTX_', 'NVTXH_'))}
    with tempfile.TemporaryDirectory() as folder:
        build = Build(args, pathlib.Path(folder))
        suppressions = pathlib.Path(folder, 'suppressions')
        suppressions.write_text(f'called_from_lib:{build.tool.name}\n')
        clean['TSAN_OPTIONS'] = f'halt_on_error=1:suppressions={suppressions}'
        failed = []
        for name in args.programs:
            program = build.program(name.partition(':')[0])
            for arguments, with_tool in build.runs(name):
                environment = dict(clean)
                if with_tool:
                    environment['NVTX_INJECTION64_PATH'] = str(build.tool)
                done = toolchain.run([program, *arguments], env=environment, timeout=300)
                print(f'--- {name} {" ".join(map(str, arguments))}: status {done.returncode}')
                print(done.stdout[-8000:])
                if done.returncode:
                    failed.append(name)
    sys.exit(f'FAILED: {" ".join(failed)}' if failed else 0)


if __name__ == '__main__':
    main()
