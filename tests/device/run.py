#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile programs of this directory in one way, and run them on the fake CUDA runtime.

    run.py COMPILER/LANGUAGE [--cuda VERSION] [--driver] [--split] [--sanitize LIST] PROGRAM...

PROGRAM: ranges, payload, process, graphs, captures, faults, contexts, life, told, lanes, model
or model:STEPS; recorded-lanes, with --nvtxh. --cuda: which of the headers in NVTXH_TEST_CUDA. --driver: device.h is compiled for the driver API alone, and the fake is its library.
--split: NVTX is compiled once, in nvtxh/device.c. Exit status 77: something is not installed.
"""
import argparse
import pathlib
import re
import sys
import tempfile

import lanes
from harness import draws, toolchain
from harness.checks import finished, skip
from harness.programs import Way

HERE = pathlib.Path(__file__).resolve().parent

FAKE = ['fake_cuda', 'fake_event', 'fake_stream', 'fake_capture', 'fake_graph', 'fake_driver']
# A small pool, where all of it is to be used up.
SWITCHES = {'faults': ['-DNVTXH_DEVICE_RANGES=64'], 'model': ['-DNVTXH_DEVICE_RANGES=128']}
# NVTXH_DEVICE_MODE, the mode that it sets, and the words that are reported.
WORDS = [('', '1', []), ('interval', '1', []), ('Event', '2', []), ('EVENT,Interval', '3', []), ('interval, event', '3', []), (' event  wait,', '6', []),
         ('nocapture,WAIT', '13', []), ('event,waiting,nocapture,,else', '10', ['waiting', 'else']), ('eventintervals', '1', ['eventintervals']),
         ('intervalx,even', '1', ['intervalx', 'even']), ('x' * 5000, '1', ['x' * 64])]


class Build(Way):
    def __init__(self, args, folder):
        super().__init__(args.way, folder, args.sanitize)
        cuda = toolchain.cuda_headers()
        if not cuda or args.cuda not in (None, *cuda):
            skip(f'no headers of CUDA {args.cuda or ""} (NVTXH_TEST_CUDA)')
        self.flags += ['-isystem', cuda[args.cuda or list(cuda)[-1]], '-fPIC']
        self.split = args.split
        self.switches = ['-DTEST_FAKE', *(['-DNVTXH_CUDA_DRIVER'] if args.driver else [])]
        self.fake = self.driver('.', *FAKE)
        suppressions = folder / 'suppressions'
        suppressions.write_text(f'called_from_lib:{self.tool.name}\n')
        self.tsan = {'TSAN_OPTIONS': f'halt_on_error=1:suppressions={suppressions}'}

    def driver(self, folder, *parts, switches=()):
        """A shared library by the name of the driver's, which device.h looks for there."""
        (self.folder / folder).mkdir(exist_ok=True)
        return self.link(f'{folder}/libcuda.so.1', *[self.compile(HERE / f'{part}.c', *switches, language='c') for part in parts],
                         '-shared', '-Wl,-soname,libcuda.so.1')

    def program(self, name):
        if name == 'contexts':  # on another driver, and without a runtime
            # Not sanitized, as the real one is not: clang would find that its functions, whose results are enumerations, have other types.
            driver = self.driver('contexts-driver', 'fake_contexts', switches=['-fno-sanitize=all'])
            return self.link(name, self.compile(HERE / 'contexts.c'), driver, f'-Wl,-rpath,{driver.parent}')
        switches = [*self.switches, *SWITCHES.get(name, [])]
        objects = []
        if self.split:
            objects = [self.compile(toolchain.ROOT / 'nvtxh' / 'device.c', *switches, name=f'device-{name}')]
            switches += ['-DNVTXH_NO_IMPL']
        objects.append(self.compile(HERE / f'{name}.c', *switches))
        return self.link(name, *objects, self.fake, self.tool, f'-Wl,-rpath,{self.tool.parent}', f'-Wl,-rpath,{self.folder}',
                         '-rdynamic')

    def runs(self, name, steps):
        """The ways to run a program: arguments, and whether the logging tool is loaded."""
        if name == 'model':
            return [([steps or '20000', seed], False) for seed in draws.seeds(1)]
        if name == 'contexts':
            return [([seed], False) for seed in draws.seeds(1)]
        if name == 'told':
            return [([], False)]
        if name == 'life':
            plugin = self.link('plugin.so', self.compile(HERE / 'plugin.c', *self.switches), '-shared')
            return [(['fork'], True), (['exit'], True), (['plugin', plugin], True), (['statistics'], False),
                    *[(['environment', words, mode], True) for words, mode, _ in WORDS]]
        return [([], True)]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('way')
    parser.add_argument('--cuda')
    parser.add_argument('--driver', action='store_true')
    parser.add_argument('--split', action='store_true')
    parser.add_argument('--sanitize')
    parser.add_argument('--nvtxh', help='the command, for recorded-lanes')
    parser.add_argument('programs', nargs='+')
    args = parser.parse_args()
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        build = Build(args, pathlib.Path(folder))
        for name, _, steps in (name.partition(':') for name in args.programs):
            if name == 'recorded-lanes':
                lanes.lanes(build, build.program('lanes'), args.nvtxh)
                continue
            program = build.program(name)
            for arguments, with_tool in build.runs(name, steps):
                words = '' if name == 'lanes' else 'noscope'
                done = build.run(program, *arguments, tool=build.tool if with_tool else None, words=words, **build.tsan)
                print(f'--- {name} {" ".join(map(str, arguments))}: status {done.returncode}')
                print(done.stdout[-8000:])
                said = re.findall('^nvtxh: NVTXH_DEVICE_MODE: "(.*)" is unknown; write interval, event, wait, nocapture$',
                                  done.stdout, re.MULTILINE)
                expected = next((said for words, _, said in WORDS if arguments[:2] == ['environment', words]), [])
                if done.returncode or said != expected:
                    failed.append(name)
    sys.exit(f'FAILED: {" ".join(failed)}' if failed else finished())


if __name__ == '__main__':
    main()
