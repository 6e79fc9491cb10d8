# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The compilers and NVTX headers the tests run over, and how a test compiles with them.

Meson builds the project once, with one compiler. Tests that make a claim for every compiler, language
and NVTX version compile their sources themselves, through this module.
"""
import functools
import os
import pathlib
import re
import shlex
import shutil
import subprocess

from harness.checks import CACHE, ROOT, TESTS, require, skip  # noqa: F401

# Warnings that users may have on: the header may cause none of these.
WARNINGS = ['-Wall', '-Wextra', '-Wpedantic', '-Wshadow', '-Wconversion', '-Wundef', '-Wvla',
            '-Werror']

# {language: standards}; NEWEST stands for the first that the compiler knows.
STANDARDS = {'c': ['c11', 'c17', 'gnu11', 'gnu17', 'NEWEST'],
             'cpp': ['c++11', 'c++14', 'c++17', 'NEWEST', 'gnu++11', 'gnu++20']}
NEWEST = {'c': ['gnu2y', 'gnu23', 'gnu2x'], 'cpp': ['c++26', 'c++2c', 'c++23', 'c++2b', 'c++20']}

COMPILERS = {'gcc': ('gcc', 'g++'), 'clang': ('clang', 'clang++')}
LANGUAGES = {'c': '.c', 'cpp': '.cpp'}


def compiler(name, language):
    """The command for gcc or clang and c or cpp, or None if it is not installed. NVTXH_TEST_CROSS: what a compiler for
    another processor has ahead of its name, as aarch64-linux-gnu-."""
    return shutil.which(os.environ.get('NVTXH_TEST_CROSS', '') + COMPILERS[name][0 if language == 'c' else 1])


@functools.lru_cache(maxsize=None)
def standards(name, language):
    """The language's standards to test gcc or clang with, the last one a GNU one."""
    def known(standard):
        return not run([compiler(name, language), '-x', 'c' if language == 'c' else 'c++', f'-std={standard}',
                        '-fsyntax-only', '/dev/null']).returncode
    newest = next(standard for standard in NEWEST[language] if known(standard))
    return [newest if standard == 'NEWEST' else standard for standard in STANDARDS[language]]


def ends(name, language):
    """The oldest of the standards, and the newest. All of them: alone.py every, and part_compilers of tests/nightly.sh."""
    known = standards(name, language)
    return known[0], known[STANDARDS[language].index('NEWEST')]


def nvtx_headers():
    """{name: include directory}: the versions of NVTX that meson.build found, by NVTXH_TEST_NVTX
    (name=directory, separated by colons)."""
    pairs = [p.split('=', 1) for p in os.environ.get('NVTXH_TEST_NVTX', '').split(':') if p]
    return {name: directory for name, directory in pairs}


def newest():
    """The name of the newest NVTX there is, for claims that hold with any: one with the payload and counter extensions."""
    return next((name for name in ('3.2', '3.7', 'newest', '3.1', '3.0') if name in nvtx_headers()), None) or skip(
        'no NVTX headers (NVTXH_TEST_NVTX is empty)')


def newest_nvtx():
    """Its include directory."""
    return nvtx_headers()[newest()]


def cuda_headers():
    """{version: include directory} of CUDA's headers, oldest first, by NVTXH_TEST_CUDA."""
    pairs = [p.split('=', 1) for p in os.environ.get('NVTXH_TEST_CUDA', '').split(':') if p]
    return {name: directory for name, directory in pairs}


@functools.lru_cache(maxsize=None)
def nvcc_settings():
    """(path, {name: value} of what nvcc says of its toolkit, as TOP and INCLUDES), or None if it is not installed. What is in the PATH may
    be a script that starts nvcc, so that there is no toolkit beside it."""
    folders = [*(f'{os.environ[name]}/bin' for name in ('CUDA_PATH', 'CUDA_HOME') if os.environ.get(name)), '/usr/local/cuda/bin', '/opt/cuda/bin',
               *(CACHE / 'pypi' / 'nvidia-cuda-nvcc').glob('nvidia/cu*/bin')]  # where tests/setup.sh finds it, too
    found = shutil.which('nvcc') or shutil.which('nvcc', path=':'.join(map(str, folders)))
    return found and (found, dict(re.findall(r'^#\$ (\w+)=(.*)$', run([found, '--dryrun', '-E', '-x', 'cu', '/dev/null']).stdout, re.MULTILINE)))


def nvcc():
    """The command for nvcc with the host's g++, as a list, or None if it is not installed. Its own headers are the
    system's: not every package of it says so."""
    if not nvcc_settings():
        return None
    found, settings = nvcc_settings()
    includes = [word[2:] for word in shlex.split(settings.get('INCLUDES', '')) if word.startswith('-I')]
    return [found, '-ccbin', compiler('gcc', 'cpp') or 'g++', *(word for include in includes for word in ('-isystem', include))]


def flags(language, standard=None, nvtx=None, warn=True, optimise='-O1', include=ROOT):
    """The arguments to compile a source that includes nvtxh.h, of the folder INCLUDE, with."""
    result = ['-x', 'c' if language == 'c' else 'c++', '-I', str(include), optimise]
    if standard:
        result.append(f'-std={standard}')
    if nvtx:
        result += ['-isystem', nvtx]
    return result + (WARNINGS if warn else [])


@functools.lru_cache(maxsize=None)
def implements(path):
    """Is a header of the library a part of the implementation, which a file includes only if NVTXH_I_IMPL, or for the checks NVTXH_I_CHECK, is 1?"""
    return path not in always_included()


@functools.lru_cache(maxsize=None)
def always_included():
    found, left = set(), [ROOT / 'nvtxh.h', *(ROOT / 'nvtxh').glob('*.h'), *(ROOT / 'nvtxh' / 'core').rglob('*.h'),
                          *(ROOT / 'nvtxh' / 'instrument').glob('*.h')]
    while left:
        path = left.pop()
        if path not in found:
            found.add(path)
            text = re.sub(r'^#if NVTXH_I_(IMPL|CHECK)$.*?^#(endif|elif .*)$', '', path.read_text(), flags=re.MULTILINE | re.DOTALL)
            left += [(path.parent / part).resolve() for part in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)]
    return found


def run(command, **options):
    """Run a command; returns the finished process with its output as text, both streams together
    in stdout unless the caller wants otherwise."""
    options.setdefault('stdout', subprocess.PIPE)
    options.setdefault('stderr', subprocess.STDOUT)
    return subprocess.run([str(c) for c in command], text=True, errors='replace', **options)


def output(*command, status=0, env=None, **options):
    """What a command prints, with ENV added to the environment; it has to end with STATUS."""
    done = run(command, env={**os.environ, **(env or {})}, **options)
    require(done.returncode == status, f'{" ".join(map(str, command))}: status {done.returncode}', done.stdout)
    return done.stdout


def single_headers(built, folder):
    """A folder like the project's, whose headers are all nvtxh_single.h of the build folder BUILT."""
    include = f'#include "{pathlib.Path(built).resolve()}/nvtxh_single.h"\n'
    (folder / 'nvtxh').mkdir(parents=True)
    (folder / 'nvtxh.h').write_text(include)
    for header in (ROOT / 'nvtxh').glob('*.h'):
        asked = f'NVTXH_WITH_{header.stem.upper()}'
        (folder / 'nvtxh' / header.name).write_text(f'#ifndef {asked}\n#define {asked}\n#endif\n{include}')
    for source in 'impl.c', 'impl_ext.c':
        (folder / 'nvtxh' / source).write_text('#define NVTXH_IMPLEMENTATION\n' + include)
    return folder
