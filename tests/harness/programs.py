# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs that a test compiles itself, in one way of the matrix, and how they are run."""
import os
import pathlib

from harness import checks, toolchain
from harness.checks import TOOL, require, skip


class Way:
    """A compiler, a language, a version of NVTX, sanitizers; and the folder for what is compiled so.

    WAY is written COMPILER/LANGUAGE or COMPILER/LANGUAGE/NVTX, as in the names of tests: gcc/c, clang/cpp/3.0.
    """
    STANDARD = {'c': 'gnu11', 'cpp': 'c++17'}

    def __init__(self, way, folder, sanitize=None, tool=TOOL):
        self.folder, self.tool = folder, pathlib.Path(tool).resolve()
        self.compiler, self.language, *version = way.split('/')
        self.command = self.compiler_of(self.language)
        self.headers = toolchain.nvtx_headers()
        self.nvtx = version[0] if version else toolchain.newest()
        if self.nvtx not in self.headers:
            skip(f'no NVTX {self.nvtx} headers (NVTXH_TEST_NVTX)')
        self.standard = self.STANDARD[self.language]
        self.flags = ['-D_GNU_SOURCE', '-g']
        self.sanitize = []
        # Meson sets it to find uses of uninitialised memory in the programs; it slows compilers down.
        self.perturb = os.environ.pop('MALLOC_PERTURB_', '')
        if sanitize:
            self.sanitized(sanitize)
            self.sanitize = [f'-fsanitize={sanitize}', '-fno-sanitize-recover=all', '-fno-omit-frame-pointer']

    def compiler_of(self, language):
        return toolchain.compiler(self.compiler, language) or skip(f'no {self.compiler} for {language}')

    def sanitized(self, list_):
        """Skips where there is no run-time library for -fsanitize=LIST, which is a package of its own."""
        probe = self.folder / 'probe.c'
        probe.write_text('int main(void) { return 0; }\n')
        done = toolchain.run([self.compiler_of('c'), f'-fsanitize={list_}', probe, '-o', self.folder / 'probe'])
        if done.returncode:
            skip(f'{self.compiler} has no run-time library for -fsanitize={list_}')

    def arguments(self, language=None, nvtx=None, **options):
        """The compiler and its arguments for a source."""
        language = language or self.language
        standard = self.standard if language == self.language else self.STANDARD[language]
        return [self.compiler_of(language), *toolchain.flags(language, standard, self.headers[nvtx or self.nvtx], **options),
                *self.flags, *self.sanitize]

    def make(self, output, command):
        made = toolchain.run([*command, '-o', output])
        require(made.returncode == 0, f'{output.name} is built', made.stdout[:8000])
        return output

    def compile(self, source, *more, name=None, **options):
        """The object file of a source, which is compiled once."""
        output = self.folder / f'{name or source.stem}.o'
        return output if output.exists() else self.make(output, [*self.arguments(**options), *more, '-c', source])

    def link(self, output, *parts):
        return self.make(self.folder / output, [
            self.command, *self.sanitize, *parts, *os.environ.get('LDFLAGS', '').split(), '-ldl', '-pthread', '-lm'])

    def build(self, source, *more, output=None, tool=False, **options):
        """A program, or with -shared a library, of one source; MORE: arguments, other sources. TOOL: it calls functions of
        the logging tool."""
        tool = ['-x', 'none', self.tool, f'-Wl,-rpath,{self.tool.parent}'] if tool else []
        return self.make(self.folder / (output or source.stem), [
            *self.arguments(**options), *more, source, *tool, '-ldl', '-pthread', '-lm'])

    def run(self, program, *arguments, tool=None, words='', under=(), timeout=300, **variables):
        """The finished program. TOOL: what NVTX is to load; WORDS: how the logging tool behaves, see inject/log.h."""
        more = {name: value for name, value in (('NVTX_INJECTION64_PATH', tool), ('NVTXH_TEST_TOOL', words)) if value}
        return toolchain.run([*under, program, *arguments], timeout=timeout, env=checks.environment(**{
            'UBSAN_OPTIONS': 'print_stacktrace=1', 'MALLOC_PERTURB_': self.perturb, **more, **variables}))

    def succeeds(self, program, *arguments, **how):
        done = self.run(program, *arguments, **how)
        require(done.returncode == 0, f'{pathlib.Path(program).name} {arguments} {how}: status {done.returncode}', done.stdout)
        return done.stdout


def main(cases, about, kind=Way):
    """checks.main for cases that take a KIND of Way."""
    checks.main(cases, about, lambda parser: parser.add_argument('way', help='COMPILER/LANGUAGE[/NVTX]'),
                lambda args, folder: kind(args.way, folder))
