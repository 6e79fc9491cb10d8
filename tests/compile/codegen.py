# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Switched off, nothing is left: not a byte, not a symbol, not a string, not a header opened, and no
warning either. codegen.py COMPILER LANGUAGE"""
import re
import sys

from harness import claims, toolchain
import elf

OPTIMISE = ['-O0', '-O2', '-O3', '-Os', '-O2 -fPIC', '-O0 -fPIC', '-O1 -fno-pie',
            '-O2 -ffunction-sections -fdata-sections']

# Parts of codegen.c, and those that leave not a byte of code at -O0 either: see nothing_at_o0.
PARTS = ['-DBLOCKS', '-DVALUES', '-DOBJECTS']
STRICT_AT_O0 = {'gcc': ['-DBLOCKS'], 'clang': ['-DVALUES']}

# A variable, a parameter or a function that only an annotation uses is used, off as well as on.
UNUSED = '''
#include "nvtxh.h"
#include "nvtxh/stats.h"
#include "nvtxh/capture.h"
#ifdef __cplusplus
#define NAMED(name)
#else
#define NAMED(name) name
#endif
struct job {{ int n; }};
int run(int parameter, const char *name, struct job *job);
static int helper(int n)
{{
    return n + 1;
}}
int run(int parameter, const char *name, struct job *job)
{{
    int local = 3, counter = 0;
    const int constant = 4;
    double loss = 0.5;
    struct nvtxh_range range = NVTX_START("range");

    counter++;
    loss *= 2;
    {}
    nvtxh_end(range);
    return 0;
}}
'''
USES = {
    'a scope': 'NVTX_SCOPE("x", .category = NVTXH_CATEGORY_ID(helper(1)), .color = (uint32_t)(counter + '
               'job->n), .payload = nvtxh_payload(local + parameter + constant));'
               'NVTX_SCOPEF("%s %f", name, loss);',
    'a mark': 'NVTX_MARK("x", .color = (uint32_t)(counter + job->n), .payload = nvtxh_payload(local + '
              'parameter + constant)); NVTX_MARKF("%s %f %d", name, loss, helper(1));',
    'a push': 'NVTX_PUSH("x", .payload = nvtxh_payload(local + parameter + constant + helper(1)));'
              'NVTXH_PUSHF("%s %f %d %d", name, loss, counter, job->n); NVTX_POP(); NVTX_POP();',
    'a name': 'NVTXH_SCOPE_STRING(nvtxh_string_named(nvtxh_domain_named(name), job->n ? name : "x"), .payload ='
              ' nvtxh_payload(local + parameter + constant + counter + helper(1))); NVTXH_RANGE_SCOPE("y", .color ='
              ' (uint32_t)(loss + counter));',
    'a start': 'nvtxh_end(NVTX_START("x", .payload = nvtxh_payload(local + parameter + constant)));'
               'nvtxh_end(NVTXH_STARTF("%s%f%d%d%d", name, loss, counter, job->n, helper(1)));',
    'conditions': 'NVTXH_SCOPE_IF(local + parameter + constant, "x"); NVTXH_FUNC_IF(counter + job->n);'
                  'nvtxh_thread_name(name); nvtxh_enable(loss > helper(1));',
    'a block': 'NVTXH_BLOCK("x", .payload = nvtxh_payload(local + parameter + constant + counter +'
               ' job->n + helper(1))) { NVTXH_SCOPE_AS(s, "y", .color = (uint32_t)loss);'
               ' nvtxh_thread_name(name); }',
}

# The compiler checks arguments, and nothing evaluates them: this must end with 0.
EVALUATED = '''
#include "nvtxh.h"
#include "nvtxh/stats.h"
#include "nvtxh/capture.h"
#include "nvtxh/counter.h"
static int calls;
static int call(void)
{
    return ++calls;
}
NVTXH_PAYLOAD_STRUCT(point, (int, x));
NVTXH_COUNTER(counter, NVTXH_DOMAIN_DEFAULT, "x");
static struct point points[2];
static int64_t times[2];
static const char *name(void)
{
    calls++;
    return "name";
}
int main(void)
{
    int n = 0;
    struct nvtxh_range *null = 0;
    struct nvtxh_domain *null_domain = 0;
    const struct nvtxh_string *null_string = 0;
    NVTXH_SCOPE("x", .color = (uint32_t)n++, .payload = nvtxh_payload(call()));
    NVTXH_SCOPE_IF(call(), "x");
    NVTXH_FUNC(.payload = nvtxh_payload(n++));
    NVTXH_FUNC_IF(n++);
    NVTXH_SCOPEF("%d %s", call(), name());
    NVTXH_SCOPE_AS(s, "x", .payload = nvtxh_payload(call()));
    NVTXH_BLOCK("x", .payload = nvtxh_payload(n++)) { n += 0; }
    NVTXH_MARK("x", .payload = nvtxh_payload(n++));
    NVTXH_MARKF("%s", name());
    NVTXH_SCOPEF_WITH(("%d %s", call(), name()), .payload = nvtxh_payload(call()));
    NVTXH_MARKF_WITH(("%s", name()), .payload = nvtxh_payload(call()));
    NVTXH_PUSHF_WITH(("%s", name()), .payload = nvtxh_payload(call()));
    NVTXH_POP();
    nvtxh_end(NVTXH_STARTF_WITH(("%d", n++), .payload = nvtxh_payload(call())));
    NVTXH_PUSH("x", .payload = nvtxh_payload(n++));
    NVTXH_PUSHF("%s", name());
    NVTXH_POP(.payload = nvtxh_payload(n++));
    nvtxh_end(NVTXH_START("x", .payload = nvtxh_payload(call())));
    nvtxh_end(NVTXH_STARTF("%d", n++));
    nvtxh_end(*null);
    nvtxh_end(*null, .payload = nvtxh_payload(&points[call()]));
    NVTXH_MARK("x", .payload = nvtxh_payload(&points[n++]));
    nvtxh_counter_set(&counter, call());
    nvtxh_counter_set(&counter, &points[n++]);
    nvtxh_counter_batch(&counter, points, (size_t)call(), &times[n++]);
    nvtxh_scope_end((n++, &s));
    (void)nvtxh_domain_named(name());
    (void)nvtxh_category_named((n++, null_domain), name());
    (void)nvtxh_string_named((n++, null_domain), name());
    NVTXH_SCOPE_STRING((n++, null_string), .payload = nvtxh_payload(call()));
    NVTXH_MARK_STRING((n++, null_string), .payload = nvtxh_payload(call()));
    NVTXH_PUSH_STRING((n++, null_string), .color = (uint32_t)call());
    NVTXH_POP();
    nvtxh_end(NVTXH_START_STRING((n++, null_string), .payload = nvtxh_payload(call())));
    NVTXH_RANGE_SCOPE("x", .payload = nvtxh_payload(call()));
    nvtxh_domain_enable((n++, null_domain), call() != 0);
    nvtxh_thread_name(name());
    nvtxh_thread_name_os(name());
    nvtxh_enable(call() != 0);
    nvtxh_stats_enable(call() != 0);
    (void)nvtxh_stats_find(name());
    nvtxh_capture_start(name(), (unsigned)n++);
    nvtxh_capture_stop();
    NVTXH_CAPTURE_SCOPE(name());
    NVTXH_CAPTURE_SCOPE(name(), (unsigned)n++);
    return n + calls;
}
'''


def annotated():
    return (toolchain.TESTS / 'compile' / 'codegen.c').read_text()


def by_hand(text):
    """The same source without its annotations; lines keep their numbers."""
    lines = []
    for line in text.splitlines():
        instead = re.search(r'/\* instead: (.*?) \*/$', line)
        if instead:
            line = instead.group(1)
        elif line.endswith('/* off */'):
            line = ''
        lines.append(line)
    return '\n'.join(lines) + '\n'


def differences(one, other):
    """What differs between two objects, in words."""
    a, b = elf.sections(one), elf.sections(other)
    found = [f'{name}: {a.get(name, (None,))[0]} and {b.get(name, (None,))[0]} bytes'
             for name in sorted({*a, *b}) if a.get(name) != b.get(name)]
    symbols = [toolchain.run(['nm', '-a', path]).stdout for path in (one, other)]
    if symbols[0] != symbols[1]:
        found.append(f'symbols:\n{symbols[0]}--- and\n{symbols[1]}')
    return '\n'.join(found)


def same_objects(claim, compiler, language):
    """Object files equal those of the source without annotations, byte for byte: code, data,
    strings, symbols, relocations, and what is not allocated as well. Debug information aside."""
    suffix = toolchain.LANGUAGES[language]
    off = claim.source('off/source' + suffix, annotated())
    plain = claim.source('plain/source' + suffix, by_hand(annotated()))
    claim.that('nvtx' not in re.sub(r'/\*.*?\*/', '', plain.read_text(), flags=re.DOTALL).lower(),
               'the source without annotations is without annotations')
    for standard in {'c': ['c11', 'gnu17'], 'cpp': ['c++11', 'gnu++20']}[language]:
        for optimise in OPTIMISE:
            parts = STRICT_AT_O0[compiler] if '-O0' in optimise else PARTS
            objects = {}
            for way, source, switch in (('plain', plain, '-DPLAIN'), ('off', off, '-DNVTX_DISABLE'),
                                        ('off here', off, '-DNVTXH_DISABLE')):
                objects[way] = claim.directory / f'{way}.o'
                claim.compiles(f'{way}, {standard} {optimise}', compiler, language, source, switch,
                               *parts, *optimise.split(), output=objects[way], standard=standard,
                               warn=way != 'plain')
            for way in ('off', 'off here'):
                if objects[way].exists() and objects['plain'].exists():
                    claim.that(objects[way].read_bytes() == objects['plain'].read_bytes(),
                               f'{standard} {optimise}: an object compiled {way} is the same as '
                               'without annotations', differences(objects[way], objects['plain']))


def nothing_at_o0(claim, compiler, language):
    """The other parts at -O0: only instructions differ. There is no symbol, no string and no call more.
    clang keeps the jump of NVTXH_BLOCK's switch, a variable of yours that holds a range is zeroed, and
    gcc loads the value of a push into a register."""
    objects = []
    for way, text in (('off', annotated()), ('plain', by_hand(annotated()))):
        objects.append(claim.directory / f'o0-{way}.o')
        source = claim.source(f'{way}/source' + toolchain.LANGUAGES[language], text)
        claim.compiles(f'-O0: {way}', compiler, language, source, '-DNVTX_DISABLE', *PARTS, '-O0',
                       output=objects[-1], warn=way != 'plain')
    if not all(path.exists() for path in objects):
        return
    a, b = (elf.sections(path) for path in objects)
    for name in sorted({*a, *b}):
        if not re.search(r' \.(text|eh_frame|gcc_except_table)', name):
            claim.that(a.get(name) == b.get(name), f'-O0: {name} is as it is')
    names = [toolchain.run(['nm', '-aj', path]).stdout for path in objects]
    claim.that(names[0] == names[1], '-O0: no symbol is left', '\n'.join(names))
    calls = [re.findall(r'R_\S+\s+\S+', toolchain.run(['readelf', '-rW', path]).stdout)
             for path in objects]
    claim.that(len(calls[0]) == len(calls[1]), '-O0: no call is left')


def no_headers(claim, compiler, language):
    """Off, no NVTX header is opened: the compiler's own list of what a file depends on."""
    source = claim.source('depends' + toolchain.LANGUAGES[language], '#include "nvtxh.h"\n#include "nvtxh/counter.h"\n')
    for switch in ('-DNVTX_DISABLE', '-DNVTXH_DISABLE', '-DNVTXH_NO_IMPL'):
        done = toolchain.run([toolchain.compiler(compiler, language),
                              *toolchain.flags(language, nvtx=claims.newest_nvtx()), switch, '-M',
                              source])
        opened = done.stdout.replace('\\\n', ' ').split()
        claim.that(done.returncode == 0 and any(name.endswith('nvtxh/scope.h') for name in opened),
                   f'{switch}: the dependencies are listed', done.stdout)
        claim.that(not [name for name in opened if '/nvtx3/' in name],
                   f'{switch} opens no NVTX header', [n for n in opened if '/nvtx3/' in n])


def main():
    compiler, language = claims.asked(sys.argv)
    claims.need('nm', 'readelf')
    with claims.Claims() as claim:
        same_objects(claim, compiler, language)
        nothing_at_o0(claim, compiler, language)
        no_headers(claim, compiler, language)
        for mode in ('off', 'off-here', 'split'):
            for what, use in USES.items():
                for optimise in ('-O0', '-O2'):
                    claim.compiles(f'{mode} {optimise}: what only {what} uses is used', compiler,
                                   language, UNUSED.format(use), *claims.MODES[mode],
                                   '-Wunused', '-Wunused-but-set-variable', '-Wunused-parameter',
                                   '-Wunused-function', '-Wunused-variable',
                                   *(['-Wunused-but-set-parameter'] if compiler == 'gcc' else
                                     ['-Wunneeded-internal-declaration']),
                                   output=claim.directory / 'unused.o', optimise=optimise)
        for switch in ('-DNVTX_DISABLE', '-DNVTXH_DISABLE'):
            source = claim.source('evaluated' + toolchain.LANGUAGES[language], EVALUATED)
            program = claim.directory / 'evaluated'
            done = toolchain.run([toolchain.compiler(compiler, language),
                                  *toolchain.flags(language, warn=False), switch, source, '-o',
                                  program])
            if claim.that(done.returncode == 0, f'{switch}: links without any library',
                          claims.gist(done.stdout)):
                claim.runs(f'{switch}: no argument is evaluated', program)


if __name__ == '__main__':
    main()
