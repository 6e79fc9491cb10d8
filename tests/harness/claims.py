# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suites need that make many claims in one test: sources to compile, claims to count, and a readable account
of those that do not hold."""
import pathlib
import shlex
import sys
import tempfile

from harness import toolchain
from harness.checks import need, skip  # noqa: F401
from harness.toolchain import newest_nvtx  # noqa: F401

# One standard for each language, where a claim does not depend on the standard.
STANDARD = {'c': 'gnu17', 'cpp': 'gnu++17'}

# How the annotations are compiled, and the arguments for it.
MODES = {
    'on': [],
    'split': ['-DNVTXH_NO_IMPL'],
    'off': ['-DNVTX_DISABLE'],
    'off-here': ['-DNVTXH_DISABLE'],
}


def gist(text):
    """The errors and warnings of a compiler's output."""
    found = [line for line in text.splitlines()
             if any(word in line for word in ('error', 'warning', 'undefined', 'assert'))]
    return '\n'.join((found or text.splitlines())[:6])


class Claims:
    """Counts claims. `with Claims() as claims:` ends the test with the right status."""

    def __init__(self):
        self.held = 0
        self.broken = 0
        self.directory = None

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory(prefix='nvtxh-')
        self.directory = pathlib.Path(self.temporary.name)
        return self

    def __exit__(self, kind, value, trace):
        self.temporary.cleanup()
        if kind is None:
            print(f'{self.held} claims hold, {self.broken} do not')
            sys.exit(1 if self.broken or not self.held else 0)

    def that(self, holds, claim, evidence=''):
        """Count one claim, and tell of it if it does not hold."""
        if holds:
            self.held += 1
        else:
            self.broken += 1
            print(f'BROKEN: {claim}')
            if evidence and self.broken <= 40:  # enough to see what it is
                print('    ' + str(evidence).strip().replace('\n', '\n    '))
        return holds

    def source(self, name, text):
        """Write a source file into the test's directory."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:
            path.write_text(text)
        return path

    def compile(self, compiler, language, source, *extra, output=None, **options):
        """Compile a file, or a text; without an output, check it only. Options: toolchain.flags."""
        if not isinstance(source, pathlib.Path):
            source = self.source('source' + toolchain.LANGUAGES[language], source)
        options.setdefault('standard', STANDARD[language])
        command = [toolchain.compiler(compiler, language), *toolchain.flags(language, **options)]
        command += [*extra, '-c', source, '-o', output] if output else \
                   [*extra, '-fsyntax-only', source]
        done = toolchain.run(command)
        done.command = shlex.join(str(c) for c in command)
        return done

    def compiles(self, claim, compiler, language, source, *extra, **options):
        """Claim that a source compiles, without a word from the compiler."""
        done = self.compile(compiler, language, source, *extra, **options)
        return self.that(done.returncode == 0 and not done.stdout, claim,
                         f'{done.command}\n{gist(done.stdout)}')

    def runs(self, claim, *command, **options):
        """Claim that a command succeeds; returns what it said, or None."""
        done = toolchain.run(command, **options)
        said = f'{shlex.join(str(c) for c in command)}\nexit {done.returncode}\n{done.stdout[:3000]}'
        return done.stdout if self.that(done.returncode == 0, claim, said) else None


def each(compilers=('gcc', 'clang'), languages=('c', 'cpp')):
    """Every compiler that is installed with every language."""
    for compiler in compilers:
        for language in languages:
            if toolchain.compiler(compiler, language):
                yield compiler, language


def asked(argv):
    """The compiler and language a test was asked for on its command line; skip if it is missing."""
    compiler, language = argv[1], argv[2]
    if not toolchain.compiler(compiler, language):
        skip(f'{toolchain.COMPILERS[compiler][language == "cpp"]} is not installed')
    return compiler, language
