# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Several annotated files make one program, however they are compiled and put together. link.py
COMPILER"""
import re
import shutil
import sys

from harness import claims, toolchain
import elf

MAIN = '''
#include "link.h"
#include <stdio.h>
{declarations}
int main(void)
{{
    int ok = 1;
{calls}
    printf("%zu\\n", sizeof(struct nvtxh_i_site));
    return !ok;
}}
'''

# Records of one C part: ten of link.c, two of its header. With g++ a record of C++ is not in the
# section. With clang++ a part in C++ has one more of its own, and five of inline functions and
# templates, of which the linker and the optimiser leave one copy or more.
C_SITES = 12
CPP_SITES = {'gcc': (0, 0), 'clang': (13, 18)}


COUNTS = '''
#include "nvtxh.h"
#include "nvtxh/counter.h"
NVTXH_DOMAIN(train, "train");
NVTXH_COUNTER(counter, &train, "counter");
int main(void)
{
    nvtxh_counter_set(&counter, 1);
    return 0;
}
'''


# Built once with annotations and once without: each object makes ranges, and ends the other's by the address of a member.
MOVED = '''
#include "nvtxh.h"
#include <utility>
nvtxh::unique_range MADE()
{
    return nvtxh::unique_range{NVTXH_START("moved")};
}
void (nvtxh::unique_range::*ENDS())()
{
    return &nvtxh::unique_range::end;
}
'''
MOVES = '''
#include "nvtxh.h"
#include <utility>
nvtxh::unique_range made_on(), made_off();
void (nvtxh::unique_range::*ends_on())();
void (nvtxh::unique_range::*ends_off())();
int main()
{
    nvtxh::unique_range on = made_on(), off = made_off(), other = std::move(on);

    (off.*ends_on())();
    (on.*ends_off())();
    (other.*ends_on())();
    return sizeof(nvtxh::unique_range) != sizeof(struct nvtxh_range) || off.release().nvtxh_i_value || other.release().nvtxh_i_value;
}
'''


# A domain in two files, and main, which ends with 0 if both files have one domain object.
PART = '''
#include "nvtxh.h"
#ifdef __cplusplus
extern "C" struct nvtxh_domain *WHICH(void);
#endif
struct nvtxh_domain *WHICH(void);
DEFINED;
struct nvtxh_domain *WHICH(void)
{
    NVTX_MARK("mark", .domain = &train);
    return &train;
}
'''
SHARES = '''
#include "nvtxh/stats.h"
#include "nvtxh.h"
struct nvtxh_domain *first(void), *second(void);
int main(void)
{
    nvtxh_stats_enable(1);
    return first() != second();
}
'''


def shared_domains(claim, compiler):
    """A domain in two files: one strong definition, or one of a header, with one name."""
    mains = {mode: claim.directory / f'shares-main-{mode}.o' for mode in ('split', 'off')}
    for mode, output in mains.items():
        claim.compiles(f'{mode}: shares', compiler, 'c', claim.source('main.c', '#define NVTXH_IMPLEMENTATION\n' + SHARES),
                       *claims.MODES[mode], '-D_GNU_SOURCE', nvtx=claims.newest_nvtx() if mode == 'split' else None, output=output)
    for language in 'c', 'cpp':
        for way, defined, other, says in (
                ('strong twice', 'NVTXH_DOMAIN(train, "train")', 'NVTXH_DOMAIN(train, "train")', None),
                ('strong and extern', 'NVTXH_DOMAIN(train, "train")', 'NVTXH_DOMAIN_EXTERN(train)', ''),
                ('inline', 'NVTXH_DOMAIN_INLINE(train, "train")', 'NVTXH_DOMAIN_INLINE(train, "train")', ''),
                ('inline, two names', 'NVTXH_DOMAIN_INLINE(train, "train")', 'NVTXH_DOMAIN_INLINE(train, "other")',
                 'nvtxh: .*: domain "other" is "train" here, because .* uses the same identifier\n'),
                ('inline and strong, two names', 'NVTXH_DOMAIN_INLINE(train, "train")', 'NVTXH_DOMAIN(train, "other")',
                 'nvtxh: .*: domain "train" is "other" here, because .* uses the same identifier\n')):
            for mode in 'split', 'off':
                objects = [mains[mode]]
                for name, text in ('first', defined), ('second', other):
                    objects.append(claim.directory / f'shares-{name}.o')
                    claim.compiles(f'{mode}: {way}: {name}', compiler, language,
                                   claim.source(f'{name}{toolchain.LANGUAGES[language]}', PART.replace('DEFINED', text)),
                                   f'-DWHICH={name}', *claims.MODES[mode], output=objects[-1])
                path = claim.directory / 'shares'
                done = toolchain.run([toolchain.compiler(compiler, language), *objects, '-o', path, '-ldl', '-lpthread'])
                if says is None and mode == 'split':
                    claim.that(done.returncode and 'multiple definition' in done.stdout, f'{way}: does not link', done.stdout)
                    continue
                said = claim.runs(f'{mode}: {way}: runs', path) if claim.that(not done.returncode, f'{mode}: {way}: links', done.stdout) else None
                claim.that(said is not None and re.fullmatch(says if mode == 'split' else '', said), f'{mode}: {way}: what it says', said)


def moved(claim, compiler):
    """nvtxh::unique_range has one layout, and members of its own, in objects with and without annotations."""
    objects = []
    for name, source, switches in (('on', MOVED, ['-DMADE=made_on', '-DENDS=ends_on']),
                                   ('off', MOVED, ['-DMADE=made_off', '-DENDS=ends_off', '-DNVTX_DISABLE']),
                                   ('main on', MOVES, []), ('main off', MOVES, ['-DNVTX_DISABLE'])):
        objects.append(claim.directory / f'moved-{name.replace(" ", "-")}.o')
        claim.compiles(f'unique_range, {name}', compiler, 'cpp', claim.source(f'moved_{name.replace(" ", "_")}.cpp', source), *switches, '-O0',
                       output=objects[-1], nvtx=claims.newest_nvtx())
    names = [{line.split()[-1] for line in toolchain.run(['nm', '--defined-only', path]).stdout.splitlines() if 'unique_range' in line}
             for path in objects[:2]]
    claim.that(all(names) and not names[0] & names[1], 'unique_range on and off: no member has the same name', names)
    for order in ((0, 1, 2), (1, 0, 2), (0, 1, 3), (1, 0, 3)):
        path = claim.directory / 'moved-{}{}{}'.format(*order)
        claim.runs('unique_range on and off: links', toolchain.compiler(compiler, 'cpp'), *(objects[i] for i in order), '-o', path, '-ldl', '-lpthread')
        claim.runs('unique_range on and off: runs', path)


def records(compiler, c_parts, cpp_parts=0):
    """The least and the greatest number of records in a program."""
    return tuple(C_SITES * c_parts + sites * cpp_parts for sites in CPP_SITES[compiler])


# Arguments to compile with, and more to link with. gold, where it still exists, takes the address of what is not there, in a
# program that may lie anywhere, for where the program lies. lld finds sections by other rules than ld, and
# collects those that nothing but __start_ and __stop_ mentions.
WAYS = {
    'default': ([], []),
    'pie': (['-fPIE'], ['-pie']),
    'no-pie': (['-fno-pie'], ['-no-pie']),
    'gc-sections': (['-ffunction-sections', '-fdata-sections'], ['-Wl,--gc-sections']),
    'lto': (['-flto'], ['-flto', '-flto-partition=one']),  # with several partitions, gcc warns
    'gold': (['-fPIE'], ['-pie', '-fuse-ld=gold']),
    'lld': (['-fPIC'], ['-fuse-ld=lld']),
    'lld, gc-sections': (['-ffunction-sections', '-fdata-sections'],
                         ['-fuse-ld=lld', '-Wl,--gc-sections']),
}

# GNU ld makes these, and shows them in some shared objects although every reference is hidden.
OF_THE_LINKER = ['__start_nvtxh_sites', '__stop_nvtxh_sites']

DEFINED = 'nvtxh_i_define_NVTXH_IMPLEMENTATION_in_one_file'


class Program:
    """A directory with the parts of a program."""

    def __init__(self, claim, compiler):
        self.claim = claim
        self.compiler = compiler
        self.driver = toolchain.compiler(compiler, 'cpp')
        self.source = toolchain.TESTS / 'compile' / 'link.c'
        self.nvtx = claims.newest_nvtx()
        self.pie = '__PIE__' in toolchain.run([self.driver, '-dM', '-E', '-x', 'c', '/dev/null']).stdout

    def part(self, number, language, arguments, split=False):
        """Compile part NUMBER; split: without the implementation."""
        name = '-'.join([str(number), language, 'split' if split else 'whole',
                         *(a.strip('-') for a in arguments)])
        output = self.claim.directory / f'part-{name}.o'
        if not output.exists():
            mode = claims.MODES['split'] if split else []
            self.claim.compiles(f'part {name}', self.compiler, language, self.source,
                                f'-DPART={number}', *mode, '-O2', *arguments, output=output,
                                nvtx=None if split else self.nvtx)
        return output

    def implementation(self, arguments, language='c'):
        """Compile nvtxh/impl.c."""
        name = '-'.join([language, *(a.strip('-') for a in arguments)])
        output = self.claim.directory / f'impl-{name}.o'
        if not output.exists():
            self.claim.compiles(f'impl.c, {name}', self.compiler, language,
                                toolchain.ROOT / 'nvtxh' / 'impl.c', '-DNVTXH_NO_IMPL', '-O2',
                                *arguments, output=output, nvtx=self.nvtx)
        return output

    def main(self, same, other=()):
        """Compile a main() that runs all parts and compares their states: those of SAME are in
        main's own linked object, those of OTHER in another."""
        parts = [*same, *other]
        declarations = ['#ifdef __cplusplus\nextern "C" {\n#endif']
        calls = []
        for n in parts:
            declarations.append(f'int part_{n}(int n); const void *state_of_{n}(void); '
                                f'const void *domain_of_{n}(void);')
            calls.append(f'    ok &= part_{n}(3) == 10;')
            equal = '==' if n in same else '!='
            calls.append(f'    ok &= state_of_{n}() {equal} state_of_{same[0]}();')
            calls.append(f'    ok &= domain_of_{n}() {equal} domain_of_{same[0]}();')
        declarations.append('#ifdef __cplusplus\n}\n#endif')
        text = MAIN.format(declarations='\n'.join(declarations), calls='\n'.join(calls))
        # The header's own annotations are not used here, and leave no record.
        name = 'main-' + '-'.join(map(str, parts)) + '-not-' + '-'.join(map(str, other))
        output = self.claim.directory / f'{name}.o'
        if not output.exists():
            source = self.claim.source(f'{name}.c', text)
            self.claim.compiles(name, self.compiler, 'c', source, '-DPART=99', '-DNVTXH_NO_IMPL',
                                '-I', toolchain.TESTS / 'compile', output=output)
        return output

    def link(self, name, *arguments):
        """Link, claim that it works, and return the file or None."""
        output = self.claim.directory / name
        output.unlink(missing_ok=True)
        done = toolchain.run([self.driver, *arguments, '-o', output, '-ldl', '-lpthread'])
        return output if self.claim.that(done.returncode == 0 and not done.stdout,
                                         f'{name} links without a word', done.stdout) else None


def symbols(path, *options):
    """[(type, name)] of nm."""
    lines = toolchain.run(['nm', '-C', *options, path]).stdout.splitlines()
    found = (re.match(r'[0-9a-f ]{16} (\S) (.*)', line) for line in lines)
    return [match.groups() for match in found if match]


def check(claim, name, path, wanted):
    """The claims about one linked executable, and that it runs."""
    if path is None:
        return
    said = claim.runs(f'{name} runs', path)
    states = [s for s in symbols(path) if re.fullmatch(DEFINED + r'_v\d+_\d+', s[1])]
    claim.that(len(states) == 1, f'{name}: one state in a linked object', states)
    shown = [s for s in symbols(path, '-D') if 'nvtxh' in s[1] and s[1] not in OF_THE_LINKER and
             s[0] != 'w']  # gold lists what is nowhere defined
    claim.that(not shown, f'{name}: nothing of ours is seen from outside', shown)
    if said:
        found = elf.size_of(path, 'nvtxh_sites') / int(said)
        claim.that(wanted[0] <= found <= wanted[1],
                   f'{name}: as many records as annotations, {wanted}', f'{found} records')


def exported(claim, name, path):
    """A shared object keeps what is ours to itself."""
    if path is None:
        return
    shown = [s for s in symbols(path, '-D', '--defined-only')
             if 'nvtxh' in s[1].lower() and s[1] not in OF_THE_LINKER]
    claim.that(not shown, f'{name}: shows nothing of ours', shown)
    wanted = [s for s in symbols(path, '-D', '--undefined-only') if 'nvtxh' in s[1].lower()]
    claim.that(not wanted, f'{name}: wants nothing of ours from others', wanted)
    mine = [s[1] for s in symbols(path, '-D', '--defined-only') if s[1].startswith('part_')]
    claim.that(mine, f'{name}: shows what it is for')


def main():
    compiler = sys.argv[1]
    if not all(toolchain.compiler(compiler, language) for language in ('c', 'cpp')):
        claims.skip(f'{compiler} is not installed for C and C++')
    claims.need('nm', 'ar')
    with claims.Claims() as claim:
        program = Program(claim, compiler)
        linkers = {linker for linker in ('gold', 'lld') if shutil.which(f'ld.{linker}')}
        ways = [way for way, (_, linked) in WAYS.items()
                if not any('-fuse-ld' in word and word.split('=')[1] not in linkers for word in linked)]
        for way in ways:
            compiled, linked = WAYS[way]
            if compiled == ['-fPIE'] and program.pie:
                compiled = []  # the compiler's default, so the same objects
            if way == 'lto' and compiler == 'clang':
                if not shutil.which('ld.lld'):
                    continue
                linked = ['-flto', '-fuse-ld=lld']
            # Split: C and C++ files in one program, one implementation.
            parts = [program.part(n, language, compiled, split=True)
                     for n, language in enumerate(('c', 'cpp', 'c', 'cpp'))]
            path = program.link(f'split, {way}', *linked, program.main((0, 1, 2, 3)), *parts,
                                program.implementation(compiled))
            check(claim, f'split, {way}', path, records(compiler, 2, 2))
        for way in ('default', 'gc-sections', 'lto'):
            compiled, linked = WAYS[way]
            if way == 'lto' and compiler == 'clang':
                continue
            # Complete files, C and C++, beside one that is not and the implementation: all share a state.
            parts = [program.part(0, 'c', compiled), program.part(1, 'cpp', compiled),
                     program.part(2, 'c', compiled, split=True), program.implementation(compiled)]
            path = program.link(f'whole and split, {way}', *linked, program.main((0, 1, 2)), *parts)
            check(claim, f'whole and split, {way}', path, records(compiler, 2, 1))
        # Any header with an implementation brings the implementation of all macros, and the function that runs at unloading.
        for header in ('stats', 'capture', 'payload', 'counter'):
            alone = claim.directory / f'{header}.o'
            claim.compiles(f'an implementation with {header}.h alone', compiler, 'c',
                           f'#define NVTXH_IMPLEMENTATION\n#include "nvtxh/{header}.h"\n', '-DNVTXH_NO_IMPL',
                           '-D_GNU_SOURCE', output=alone, nvtx=program.nvtx)
            program.link(f'implementation in {header}.h', program.main((0,)), program.part(0, 'c', [], split=True), alone)
            claim.that('on_unload' in str(symbols(alone)), f'{header}.h: gives its memory back when unloaded')
        moved(claim, compiler)
        shared_domains(claim, compiler)
        # The implementation as C++ serves C files as well.
        path = program.link('implementation in C++', program.main((0, 2)),
                            program.part(0, 'c', [], split=True),
                            program.part(2, 'c', [], split=True), program.implementation([], 'cpp'))
        check(claim, 'implementation in C++', path, records(compiler, 2))
        # Static libraries: the files that the linker takes make the program's one state.
        archive = claim.directory / 'libparts.a'
        claim.runs('ar', 'ar', 'rcs', archive, program.part(1, 'cpp', []),
                   program.part(2, 'c', []))
        path = program.link('static library', program.main((0, 1, 2)), program.part(0, 'c', []),
                            archive)
        check(claim, 'static library', path, records(compiler, 2, 1))
        # Shared objects: each has a state, a domain and records of its own.
        pic = ['-fPIC']
        libraries = {
            'libwhole.so': [program.part(0, 'c', pic), program.part(1, 'cpp', pic)],
            'libsplit.so': [program.part(0, 'c', pic, split=True),
                            program.part(1, 'cpp', pic, split=True), program.implementation(pic)],
        }
        for name, objects in libraries.items():
            library = program.link(name, '-shared', '-Wl,-z,defs', *objects)
            exported(claim, name, library)
            if library is None:
                continue
            claim.that(not [s for s in symbols(library) if s[0] == 'u'],
                       f'{name}: can be unloaded (no STB_GNU_UNIQUE)',
                       [s for s in symbols(library) if s[0] == 'u'])
            # Here the program's parts 4 and 5 have names of their own, and domains too.
            path = program.link(f'program over {name}', program.main((4, 5), (0, 1)),
                                *(own(program, n) for n in (4, 5)), library,
                                f'-Wl,-rpath,{claim.directory}')
            check(claim, f'program over {name}', path, records(compiler, 2))
        # Forgetting the implementation is an error of the linker that says what to do.
        done = toolchain.run([program.driver, program.main((0,)), program.part(0, 'c', [], split=True),
                              '-o', claim.directory / 'forgotten'])
        claim.that(done.returncode != 0 and re.search(rf'undefined [^\n]*{DEFINED}', done.stdout),
                   'forgetting the implementation names NVTXH_IMPLEMENTATION', done.stdout[:500])
        first = [line for line in done.stdout.splitlines() if 'undefined' in line][:1]
        claim.that(first and DEFINED in first[0], 'and does so first', first)
        # A shared object, too, does not link: what is missing is hidden, and so cannot come from elsewhere.
        done = toolchain.run([program.driver, '-shared', program.part(0, 'c', pic, split=True), '-o', claim.directory / 'forgotten.so'])
        claim.that(done.returncode != 0 and DEFINED in done.stdout, 'nor does a shared object without it link', done.stdout[:500])
        # Also where files are linked that are complete, but only for themselves.
        done = toolchain.run([program.driver, program.main((0, 1)), program.part(0, 'c', [], split=True),
                              program.part(1, 'cpp', []), '-o', claim.directory / 'forgotten'])
        first = [line for line in done.stdout.splitlines() if 'undefined' in line][:1]
        claim.that(done.returncode != 0 and first and DEFINED in first[0],
                   'and beside a file that is complete', first)
        # So is an implementation without the header that another file uses.
        source = claim.source('counts.c', COUNTS)
        objects = [claim.directory / 'counts.o', claim.directory / 'implementation.o']
        claim.compiles('a file with a counter', compiler, 'c', source, '-DNVTXH_NO_IMPL',
                       output=objects[0])
        claim.compiles('an implementation with payload.h alone', compiler, 'c',
                       claim.source('payloads.c', '#define NVTXH_IMPLEMENTATION\n'
                                    '#include "nvtxh.h"\n#include "nvtxh/payload.h"\n'),
                       '-DNVTXH_NO_IMPL', '-D_GNU_SOURCE', nvtx=claims.newest_nvtx(), output=objects[1])
        done = toolchain.run([toolchain.compiler(compiler, 'c'), *objects, '-o',
                              claim.directory / 'counts', '-ldl', '-lpthread'])
        claim.that(done.returncode != 0 and 'include_counter_h_in_the_implementation' in done.stdout,
                   'an implementation without counter.h: the error says so', done.stdout[:500])


def own(program, number):
    """A part of the executable, when parts 0 and 1 are in a shared object."""
    text = program.source.read_text().replace('PART == 0', 'PART == 4')
    source = program.claim.source('own.c', text)
    output = program.claim.directory / f'own-{number}.o'
    if not output.exists():
        program.claim.compiles(f'part {number} of the executable', program.compiler, 'c', source,
                               f'-DPART={number}', '-O2', '-I', toolchain.TESTS / 'compile',
                               output=output, nvtx=program.nvtx)
    return output


if __name__ == '__main__':
    main()
