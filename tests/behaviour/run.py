#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile the programs of this directory in one way, and run them: with the logging tool and, where
annotations are compiled in, without any.

    run.py COMPILER/LANGUAGE[/NVTX] [--off] [--split] [--sanitize LIST] [--under valgrind]
           [--tool-is noext|failext] [--single BUILD] [--tool LIBRARY] SOURCE...

--split: the NVTX headers are compiled once, in nvtxh/impl.c (NVTXH_NO_IMPL). NVTX: which of the
headers in NVTXH_TEST_NVTX. --tool-is: a tool without the payload and counter extensions, see
inject/log.h. --under qemu-...: with NVTXH_TEST_CROSS, see harness/toolchain.py. --single: with nvtxh_single.h of the
build folder BUILD. Exit status 77: something is not installed; it says what.
"""
import argparse
import pathlib
import sys
import tempfile

from harness import checks, toolchain
from harness.programs import Way

HERE = pathlib.Path(__file__).resolve().parent
# Files that belong to a program besides the one it is named after.
PARTS = {'structs': ['structs_other', 'structs_cpp'], 'domain': ['domain_other'],
         'category': ['domain_other'], 'color': ['color_auto']}
# The versions that have the payload and counter extensions.
EXTENDED = ['3.2', '3.7', 'newest']
# Programs in which the dynamic linker must find functions.
EXPORTS = ['capture']
# The oldest standard in which the headers are used, by NVTX version.
STANDARDS = {'c': {'3.0': 'gnu11'}, 'cpp': {'3.0': 'c++11', '3.1': 'c++14', '3.7': 'c++20', 'newest': 'c++20'}}


class Build(Way):
    def __init__(self, args, folder):
        super().__init__(args.way, folder, args.sanitize, args.tool)
        if toolchain.run([self.command, '-E', '-x', 'c', '-'], input='#include <cmocka.h>\n').returncode:
            checks.skip('cmocka is not installed (in Debian libcmocka-dev)')
        self.off, self.split = args.off, args.split
        self.standard = 'gnu17' if self.language == 'c' else 'c++17'
        if args.off:
            self.headers[self.nvtx] = None
        else:
            self.standard = STANDARDS[self.language].get(self.nvtx, self.standard)
        self.include = toolchain.single_headers(args.single, folder / 'include') if args.single else toolchain.ROOT
        # The split build is also the one that is not optimised.
        self.options = {'include': self.include, 'optimise': '-O0' if args.split and not args.sanitize else '-O1'}
        self.flags = ['-D_GNU_SOURCE', *(['-g'] if args.sanitize or args.under else []), *(['-DNVTX_DISABLE'] if args.off else [])]
        if self.nvtx in EXTENDED and not args.off and not args.tool_is:
            self.flags += ['-DTEST_EXTENSIONS=1']

    def compile(self, source, *more):
        return super().compile(source, *more, name='-'.join([source.stem, *[m.strip('-') for m in more]]), **self.options)

    def program(self, name):
        # A program that defines NVTXH_CHECK needs an implementation that was compiled with it, too.
        text = (HERE / f'{name}.c').read_text()
        objects, more = [], []
        if self.split and not self.off:
            checked = ['-DNVTXH_CHECK'] if '#define NVTXH_CHECK\n' in text else []
            objects = [self.compile(self.include / 'nvtxh' / ('impl_ext.c' if 'EXTENDED(' in text else 'impl.c'), *checked)]
            more = ['-DNVTXH_NO_IMPL']
        objects += [self.compile(HERE / f'{part}.c', *more) for part in [name, *PARTS.get(name, [])]]
        return self.link(name, *objects, self.tool, f'-Wl,-rpath,{self.tool.parent}', '-lcmocka',
                         *(['-rdynamic'] if name in EXPORTS else []))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('way')
    parser.add_argument('--tool', default=checks.TOOL, type=pathlib.Path)
    parser.add_argument('--off', action='store_true')
    parser.add_argument('--split', action='store_true')
    parser.add_argument('--sanitize')
    parser.add_argument('--under', default='')
    parser.add_argument('--tool-is', default='')
    parser.add_argument('--single', type=pathlib.Path)
    parser.add_argument('sources', nargs='+')
    args = parser.parse_args()
    under = args.under.split()
    if args.under == 'valgrind':
        checks.need('valgrind')
        under += ['-q', '--error-exitcode=9', '--leak-check=full', '--errors-for-leak-kinds=definite', '--trace-children=no']
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        build = Build(args, pathlib.Path(folder))
        for name in args.sources:
            program = build.program(name)
            for tool in [build.tool] if args.off else [build.tool, None]:
                done = build.run(program, tool=tool, words=args.tool_is, under=under)
                if done.returncode:
                    failed.append(name)
                    print(f'--- {name}, {"with the tool" if tool else "no tool"}: '
                          f'status {done.returncode}\n{done.stdout}')
                elif len(args.sources) == 1:
                    print(done.stdout)
    sys.exit(f'FAILED: {" ".join(failed)}' if failed else 0)


if __name__ == '__main__':
    main()
