#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compile the programs of this directory in one way, and run them: with the logging tool and, where
annotations are compiled in, without any.

    run.py --tool LIBRARY --compiler gcc|clang --language c|cpp [--off] [--nvtx NAME] [--split]
           [--sanitize LIST] [--under valgrind] [--tool-is noext|failext] [--single BUILD] SOURCE...

--split: the NVTX headers are compiled once, in nvtxh/impl.c (NVTXH_NO_IMPL). --nvtx: which of the
headers in NVTXH_TEST_NVTX. --tool-is: a tool without the payload and counter extensions, see
inject/log.h. --under qemu-...: with NVTXH_TEST_CROSS, see toolchain.py. --single: with nvtxh_single.h of the build folder BUILD. Exit status 77: something is not installed; it says what.
"""
import argparse
import os
import pathlib
import shutil
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
import toolchain  # noqa: E402

# Files that belong to a program besides the one it is named after.
PARTS = {'structs': ['structs_other', 'structs_cpp'], 'domain': ['domain_other'],
         'category': ['domain_other'], 'color': ['color_auto']}
# The versions that have the payload and counter extensions.
EXTENDED = ['3.2', '3.7', 'newest']
# Programs that the dynamic linker is to find functions of.
EXPORTS = ['capture']
# How old a language the headers are used in, by NVTX version.
STANDARDS = {'c': {'3.0': 'gnu11'}, 'cpp': {'3.0': 'c++11', '3.1': 'c++14', '3.7': 'c++20', 'newest': 'c++20'}}


def skip(why):
    print('skipped: ' + why)
    sys.exit(77)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--tool', required=True, type=pathlib.Path)
    parser.add_argument('--compiler', required=True, choices=toolchain.COMPILERS)
    parser.add_argument('--language', required=True, choices=toolchain.LANGUAGES)
    parser.add_argument('--off', action='store_true')
    parser.add_argument('--nvtx')
    parser.add_argument('--split', action='store_true')
    parser.add_argument('--sanitize')
    parser.add_argument('--under')
    parser.add_argument('--tool-is')
    parser.add_argument('--single', type=pathlib.Path)
    parser.add_argument('sources', nargs='+')
    return parser.parse_args()


class Build:
    """One way to compile, and a directory for what comes of it."""

    def __init__(self, args, folder):
        self.args = args
        self.folder = folder
        self.command = toolchain.compiler(args.compiler, args.language)
        if not self.command:
            skip(f'no {args.compiler} for {args.language}')
        headers = toolchain.nvtx_headers()
        if args.nvtx and args.nvtx not in headers:
            skip(f'no NVTX {args.nvtx} headers')
        nvtx = None if args.off else headers[args.nvtx or sorted(headers)[0]]
        standard = STANDARDS[args.language].get(
            args.nvtx, 'gnu17' if args.language == 'c' else 'c++17')
        self.include = toolchain.ROOT
        if args.single:
            self.include = toolchain.single_headers(args.single, folder / 'include')
        # The split build is also the one that is not optimised.
        self.flags = toolchain.flags(args.language, standard, nvtx,
                                     optimise='-O0' if args.split and not args.sanitize else '-O1',
                                     include=self.include)
        self.flags += ['-D_GNU_SOURCE', *(['-g'] if args.sanitize or args.under else [])]
        if args.off:
            self.flags += ['-DNVTX_DISABLE']
        if args.nvtx in EXTENDED and not args.off and not args.tool_is:
            self.flags += ['-DTEST_EXTENSIONS=1']
        self.sanitize = [f'-fsanitize={args.sanitize}', '-fno-sanitize-recover=all',
                         '-fno-omit-frame-pointer'] if args.sanitize else []

    def compile(self, source, *more):
        output = self.folder / ('-'.join([source.stem, *[m.strip('-') for m in more]]) + '.o')
        if not output.exists():
            made = toolchain.run([self.command, *self.flags, *self.sanitize, *more, '-c', source,
                                  '-o', output])
            if made.returncode:
                sys.exit(f'{source.name} does not compile:\n{made.stdout}')
        return output

    def program(self, name):
        # What the program wants for its implementation, it wants for the whole of it.
        text = (HERE / f'{name}.c').read_text()
        more = ['-DNVTXH_CHECK'] if '#define NVTXH_CHECK\n' in text else []
        sources = [HERE / f'{part}.c' for part in [name, *PARTS.get(name, [])]]
        implementation = []
        if self.args.split and not self.args.off:
            part = 'impl_ext.c' if 'EXTENDED(' in text else 'impl.c'
            implementation = [self.compile(self.include / 'nvtxh' / part, *more)]
            more = ['-DNVTXH_NO_IMPL']
        else:
            more = []
        objects = [self.compile(s, *more) for s in sources] + implementation
        output = self.folder / name
        tool = self.args.tool.resolve()
        linked = toolchain.run([self.command, *self.sanitize, *objects, tool,
                                f'-Wl,-rpath,{tool.parent}',
                                *(['-rdynamic'] if name in EXPORTS else []), *os.environ.get('LDFLAGS', '').split(),
                                '-lcmocka', '-ldl', '-pthread', '-lm',
                                '-o', output])
        if linked.returncode:
            sys.exit(f'{name} does not link:\n{linked.stdout}')
        return output


def environment(tool, perturb, tool_is):
    result = {k: v for k, v in os.environ.items() if not k.startswith(('NVTX_', 'NVTXH_'))}
    if tool:
        result['NVTX_INJECTION64_PATH'] = str(tool.resolve())
    if tool_is:
        result['NVTXH_TEST_TOOL'] = tool_is
    if perturb:
        result['MALLOC_PERTURB_'] = perturb
    result['UBSAN_OPTIONS'] = 'print_stacktrace=1'
    return result


def main():
    args = arguments()
    # Meson's way to find uses of uninitialised memory is for the programs; compilers get slow by it.
    perturb = os.environ.pop('MALLOC_PERTURB_', '')
    under = []
    if args.under and args.under.startswith('qemu'):
        under = args.under.split()
    elif args.under:
        if not shutil.which(args.under):
            skip(f'no {args.under}')
        under = [args.under, '-q', '--error-exitcode=9', '--leak-check=full',
                 '--errors-for-leak-kinds=definite', '--trace-children=no']
    failed = []
    with tempfile.TemporaryDirectory() as folder:
        build = Build(args, pathlib.Path(folder))
        for name in args.sources:
            program = build.program(name)
            for tool in [args.tool] if args.off else [args.tool, None]:
                done = toolchain.run([*under, program], env=environment(tool, perturb, args.tool_is), timeout=300)
                if done.returncode:
                    failed.append(name)
                    print(f'--- {name}, {"with the tool" if tool else "no tool"}: '
                          f'status {done.returncode}\n{done.stdout}')
                elif len(args.sources) == 1:
                    print(done.stdout)
    sys.exit(f'FAILED: {" ".join(failed)}' if failed else 0)


if __name__ == '__main__':
    main()
