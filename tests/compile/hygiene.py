# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The headers leave the user's file as it was: macros, warnings, errno, the order of includes.
hygiene.py COMPILER LANGUAGE"""
import re
import shutil
import sys

from harness import claims, toolchain

# Words that programs really define as macros before an include: the names of compiler attributes
# (which a header spells __unused__), and what helper headers of large projects are full of.
COMMON = '''
unused used cleanup section aligned packed visibility weak cold hot noinline always_inline gnu_inline
constructor destructor deprecated internal_linkage init_priority unlikely likely swap major
minor check fail debug trace verbose info warn panic todo stringify paste concat container_of
ARRAY_SIZE BIT T N M K X Y Z A B C D E F I O S W
'''.split()
# What Qt, X11, ncurses, <complex.h>, Windows' headers, Arduino and the like define; those with parameters.
LIBRARIES = '''
slots signals emit forever None Bool Status True False Always Success Above Below Unsorted Complex stdscr OK ERR small interface near far
hyper huge pascal cdecl IN OUT CONST TRUE FALSE ERROR DEBUG INFO complex imaginary byte HIGH LOW PI linux unix
'''.split()
WITH_PARAMETERS = '''
foreach(a,b) min(a,b) max(a,b) erase() move(y,x) clear() refresh() timeout(d) box(w,v,h) scroll(w) border(a,b) verify(x) require(x) index(a,b)
abs(x) round(x) bit(b) length(x) error(x) lines()
'''.split()
# Headers of NVTX and of the C library that the implementation includes.
BELOW = ''.join(f'#include <{name}>\n' for name in (
    'nvtx3/nvToolsExt.h nvtx3/nvToolsExtPayload.h nvtx3/nvToolsExtCounters.h dlfcn.h errno.h fcntl.h limits.h math.h pthread.h sched.h stdio.h '
    'stdlib.h string.h sys/mman.h sys/stat.h sys/syscall.h time.h unistd.h wchar.h').split())

# After the include, every ordinary word may become a macro: an annotation is expanded where it is
# used. In what an annotation expands to, therefore, only these are not ours: keywords, and names
# that C and POSIX define.
STANDARD = set('''
auto break case char const continue default do double else enum extern float for goto if inline int
long register return short signed sizeof static struct switch typedef union unsigned void volatile
while template namespace class typename decltype bool true false nullptr static_assert static_cast reinterpret_cast constexpr delete explicit noexcept operator private public this uint8_t
uint16_t uint32_t uint64_t uintptr_t int32_t int64_t size_t NULL
'''.split())
GIVEN = {'domain', 'category', 'color', 'payload', 'n', 's', 'train', 'gemm', 'a_struct', 'a_point',
         'a_counter', 'an_enum', 'ONE', 'TWO', 'x', 'y', 'text', 'array', 'value', 'points', 'flag',
         'name', 'pointer', 'times', 'unit', 'min', 'max', 'description', 'f', 'g'}  # by the test itself

INCLUDE = '#include "nvtxh.h"\n#include "nvtxh/payload.h"\n#include "nvtxh/counter.h"\n#include "nvtxh/stats.h"\n#include "nvtxh/capture.h"\n'
USES = '''
NVTXH_DOMAIN(train, "1");
NVTXH_DOMAIN_EXTERN(train);
NVTXH_CATEGORY(gemm, &train, "2");
NVTXH_CATEGORY_EXTERN(gemm);
NVTXH_PAYLOAD_ENUM(an_enum, (ONE), (TWO, 5));
NVTXH_PAYLOAD_STRUCT(a_point, (int, x), (double, y, .unit = "m"));
NVTXH_PAYLOAD_STRUCT(a_struct, (int, x, .unit = "s", .min = 1, .max = 2, .description = "d"),
                     (const char *, text), (float[3], array), (enum an_enum, value),
                     (struct a_point[2], points), (bool, flag), (char[4], name));
NVTXH_COUNTER(a_counter, &train, "11", .unit = "s", .max = 2);
NVTXH_COUNTER_EXTERN(a_counter);
int g(struct a_struct *pointer, const int64_t *times);
int g(struct a_struct *pointer, const int64_t *times)
{
    NVTXH_SCOPE("12", .payload = nvtxh_payload(pointer));
    nvtxh_end(NVTXH_START("13"), .payload = nvtxh_payload(pointer));
    nvtxh_counter_set(&a_counter, 3.5);
    nvtxh_counter_set(&a_counter, pointer);
    nvtxh_counter_batch(&a_counter, pointer, 1, times);
    nvtxh_counter_batch(&a_counter, times, 1, times);
    return NVTXH_POP(.payload = nvtxh_payload(pointer));
}
int f(int n);
int f(int n)
{
    NVTXH_SCOPE("3", .domain = &train, .category = &gemm, .color = NVTXH_RED,
                .payload = nvtxh_payload(n));
    NVTXH_SCOPE_IF(n, "4", .domain = NVTXH_DOMAIN_DEFAULT, .category = NVTXH_CATEGORY_ID(4));
    NVTXH_FUNC(.color = nvtxh_rgb(1, 2, 3));
    NVTXH_FUNC_IF(n);
    NVTXH_SCOPEF("%d", n);
    NVTXH_SCOPEF_WITH(("%d", n), .domain = &train, .payload = nvtxh_payload(n));
    NVTXH_MARKF_WITH(("%d", n), .color = NVTXH_RED);
    n += NVTXH_PUSHF_WITH(("%d", n), .category = &gemm) + NVTXH_POP();
    nvtxh_end(NVTXH_STARTF_WITH(("%d", n), .domain = &train));
    NVTXH_SCOPE_AS(s, "5");
    nvtxh_scope_end(&s);
    NVTXH_BLOCK("6") { n++; }
    NVTXH_MARK("7", .color = NVTXH_COLOR_AUTO);
    NVTXH_MARKF("%d", n);
    n = NVTXH_PUSH("8", .domain = &train) + NVTXH_PUSHF("%d", n) + NVTXH_POP(.domain = &train);
    nvtxh_end(NVTXH_START("9", .domain = &train));
    nvtxh_end(NVTXH_STARTF("%d", n));
    NVTXH_RANGE_SCOPE("10", .domain = &train);
    NVTXH_SCOPE_STRING(nvtxh_string_named(&train, "10"), .category = nvtxh_category_named(&train, "io"));
    NVTXH_MARK_STRING(nvtxh_string_named(nvtxh_domain_named("10"), "10"), .color = NVTXH_RED);
    n += NVTXH_PUSH_STRING(nvtxh_string_named(&train, "10")) + NVTXH_POP(.domain = &train);
    nvtxh_end(NVTXH_START_STRING(nvtxh_string_named(&train, "10")));
    nvtxh_domain_enable(&train, n > 1);
    nvtxh_thread_name("10");
    nvtxh_thread_name_os("10");
    NVTXH_SCOPE_NVTX_ONLY("11");
    nvtxh_stats_enable(true);
    nvtxh_stats_reset();
    NVTXH_CAPTURE_SCOPE("11");
    if (nvtxh_capture_start("12", NVTXH_CAPTURE_WAIT) && nvtxh_capture_active())
        n += nvtxh_capture_enabled();
    nvtxh_capture_stop();
    nvtxh_enable(true);
    return n + nvtxh_enabled() + nvtxh_listening();
}
'''

# Every guard is a declaration, also to -Wdeclaration-after-statement.
DECLARATIONS = '''int g(int n);
int g(int n)
{
    NVTXH_SCOPE("1", .color = NVTXH_RED);
    NVTXH_FUNC();
    NVTXH_FUNC_IF(n);
    NVTXH_METHOD();
    NVTXH_SCOPEF_WITH(("%d", n), .color = NVTXH_RED);
    NVTXH_SCOPE_AS(s, "5");
    NVTXH_CAPTURE_SCOPE("11");
    NVTXH_RANGE_SCOPE("12");
    NVTXH_SCOPE_STRING(nvtxh_string_named(NULL, "13"));
    int last = 1;

    NVTXH_BLOCK("6") { n++; }
    NVTXH_MARK("7");
    nvtxh_scope_end(&s);
    return NVTXH_PUSHF("%d", n) + NVTXH_POP() + last;
}
'''

FORMAT = '''int log_it(const char *format, ...) __attribute__((format(printf, 1, 2)));
void f(const char *t);
'''
# For each warning that the headers turn off around something: a file that must still get it.
TRIGGERS = {
    '-Wpedantic': ('c cpp', 'struct trigger { int n; int zero[0]; };'),
    '-Wundef': ('c cpp', '#if THIS_IS_NOT_DEFINED\n#endif'),
    '-Wshadow': ('c cpp', 'int f(int n);\nint f(int n) { { int n = 3; (void)n; } return n; }'),
    '-Wconversion': ('c cpp', 'char f(long n);\nchar f(long n) { return n; }'),
    '-Wsign-conversion': ('c cpp', 'unsigned f(int n);\nunsigned f(int n) { return n; }'),
    '-Wcast-qual': ('c cpp', 'char *f(const char *p);\nchar *f(const char *p) { return (char *)p; }'),
    '-Wmissing-field-initializers': ('c cpp', 'struct t { int a, b; };\nextern struct t t;\n'
                                     'struct t t = {1};'),
    '-Wunused-function': ('c cpp', 'static void f(void) {}'),
    '-Wunused-parameter': ('c cpp', 'void f(int n);\nvoid f(int n) {}'),
    '-Wunused-value': ('c cpp', 'void f(int n);\nvoid f(int n) { n + 1; }'),
    '-Wunused-variable': ('c cpp', 'void f(void);\nvoid f(void) { int n; }'),
    '-Wold-style-cast': ('cpp', 'int f(double d);\nint f(double d) { return (int)d; }'),
    '-Wuseless-cast': ('cpp gcc', 'int f(int n);\nint f(int n) { return static_cast<int>(n + 1); }'),
    '-Wstrict-prototypes': ('c', 'int f();'),
    '-Wmissing-prototypes': ('c', 'int f(void) { return 0; }'),
    '-Wzero-as-null-pointer-constant': ('cpp', 'extern char *p;\nchar *p = 0;'),
    '-Wstatic-in-inline': ('c clang', 'static int f(void) { return 1; }\n'
                           'inline int k(void);\ninline int k(void) { return f(); }'),
    '-Wformat-security': ('c cpp', FORMAT + 'void f(const char *t) { (void)log_it(t); }'),
    '-Wformat-nonliteral': ('c cpp', FORMAT + 'void f(const char *t) { (void)log_it(t, 1); }'),
    '-Wvla': ('c', 'void f(int n);\nvoid f(int n) { char a[n]; (void)a; }'),
    '-Wattributes': ('', ''),
    '-Wgnu-designator': ('', ''),  # this and the next only with nvcc
    '-Wconstant-logical-operand': ('', ''),
    '-Wc2y-extensions': ('', ''),
    '-Wmissing-designated-field-initializers': ('', ''),
    '-Wgnu-zero-variadic-macro-arguments': ('', ''),
}

ORDERS = {
    'raw before': ['<nvtx3/nvToolsExt.h>', '"nvtxh.h"', '"nvtxh/counter.h"', '"nvtxh/stats.h"', '"nvtxh/capture.h"'],
    'raw after': ['"nvtxh/counter.h"', '"nvtxh/stats.h"', '"nvtxh/capture.h"', '"nvtxh.h"', '<nvtx3/nvToolsExt.h>'],
    'twice, around': ['"nvtxh.h"', '<nvtx3/nvToolsExt.h>', '"nvtxh/counter.h"', '"nvtxh/stats.h"', '"nvtxh/capture.h"',
                      '<nvtx3/nvToolsExt.h>'],
    'nvtx3.hpp before': ['<nvtx3/nvtx3.hpp>', '"nvtxh/counter.h"', '"nvtxh/stats.h"', '"nvtxh/capture.h"', '"nvtxh.h"'],
    'nvtx3.hpp after': ['"nvtxh.h"', '"nvtxh/counter.h"', '"nvtxh/stats.h"', '"nvtxh/capture.h"', '<nvtx3/nvtx3.hpp>'],
    'cuda rt before': ['<nvtx3/nvToolsExtSync.h>', '"nvtxh.h"', '"nvtxh/counter.h"', '"nvtxh/stats.h"', '"nvtxh/capture.h"'],
}
RAW = '''
int raw(void);
int raw(void)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("raw");
    nvtxRangePushA("raw");
    nvtxMarkA("raw");
    (void)domain;
    return nvtxRangePop() < -9 ? 1 : 0;
}
'''

ERRNO = '''
#include "nvtxh.h"
#include <errno.h>
NVTXH_DOMAIN(train, "train");
int main(void)
{
    int i;
    for (i = 0; i < 2; i++) {
        errno = 4242;
        if (nvtxh_listening() && i == 7)
            return 2;
        {
            NVTXH_SCOPE("x", .domain = &train);
            NVTXH_SCOPEF("%d", i);
            NVTXH_MARK("x");
            NVTXH_PUSH("x");
            NVTXH_POP();
            nvtxh_end(NVTXH_START("x"));
            nvtxh_thread_name("x");
            nvtxh_enable(i == 0);
        }
        if (errno != 4242)
            return 1;
    }
    return 0;
}
'''


def headers():
    return [toolchain.ROOT / 'nvtxh.h', *sorted((toolchain.ROOT / 'nvtxh').rglob('*.h'))]


def words_of_headers():
    """Every ordinary word that is an identifier in our headers."""
    found = set()
    for path in headers():
        text = re.sub(r'/\*.*?\*/|"(\\.|[^"\\])*"|\'(\\.|[^\'\\])*\'', ' ', path.read_text(),
                      flags=re.DOTALL)
        text = re.sub(r'^\s*#\s*(include|pragma|error|if|ifdef|ifndef|elif|else|endif|undef)\b.*$',
                      ' ', text.replace('\\\n', ' '), flags=re.MULTILINE)
        found |= set(re.findall(r'\b[A-Za-z_]\w*\b', text))
    return {word for word in found if not re.match(r'_|nvtx|NVTX', word)}


def macros(compiler, language, text, *arguments, nvtx=None):
    """{name: value} of the macros after preprocessing a text."""
    done = toolchain.run([toolchain.compiler(compiler, language),
                          *toolchain.flags(language, claims.STANDARD[language], nvtx, warn=False),
                          *arguments, '-E', '-dM', '-'], input=text)
    return dict(re.findall(r'^#define ([^\s(]+)(.*)$', done.stdout, re.MULTILINE))


def user_macros(claim, compiler, language, nvtx):
    """What the headers define is named as ours; what was defined before is as it was."""
    mine = ''.join(f'#define {word} garbage_{word}\n' for word in ('PATH_MAX', 'major', 'swap'))
    for mode, arguments in claims.MODES.items():
        include = nvtx if mode == 'on' else None
        if mode != 'on':
            # Theirs too: whatever is not ours has come from the compiler's or the C library's
            # headers, which are included here by themselves.
            system = '#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n'
            before = macros(compiler, language, system, *arguments)
            after = macros(compiler, language, system + INCLUDE, *arguments)
            new = {name for name in after if name not in before}
            claim.that(all(re.match(r'NVTXH?_|nvtxh_', name) for name in new),
                       f'{mode}: every macro that the headers define has our prefix',
                       [name for name in new if not re.match(r'NVTXH?_|nvtxh_', name)])
            claim.that(all(after.get(name) == value for name, value in before.items()),
                       f'{mode}: no macro of others is changed')
        for have in ('', mine if mode != 'on' else '#define PATH_MAX 77\n',
                     '#include <limits.h>\n'):
            system = have + '#include <limits.h>\n#include <errno.h>\n'
            before = macros(compiler, language, system, *arguments, nvtx=include)
            after = macros(compiler, language, system + INCLUDE, *arguments,
                           nvtx=include)
            for name in ('PATH_MAX', 'errno', 'major', 'swap'):
                if name in before or name == 'PATH_MAX':
                    claim.that(before.get(name) == after.get(name), f'{mode}: {name} is as it was',
                               f'{before.get(name)} and {after.get(name)}, after {have!r}')


def garbage(claim, compiler, language):
    """Any word may be a macro of the user's: common ones before the include, all after it."""
    # The system's headers come first: what they make of such words is not our affair.
    system = '#include <stddef.h>\n#include <stdint.h>\n#include <stdbool.h>\n'
    for mode in ('split', 'off'):
        before = ''.join(f'#define {word} !!garbage({word})!!\n' for word in COMMON)
        claim.compiles(f'{mode}: common words are macros before the include', compiler, language,
                       f'{system}{before}{INCLUDE}{USES}', *claims.MODES[mode])
        words = ''.join(f'#undef {name}\n#define {word} !!garbage({name})!!\n' for word in [*LIBRARIES, *WITH_PARAMETERS]
                        for name in [word.split('(')[0]])
        claim.compiles(f'{mode}: what libraries define is defined before the include', compiler, language, f'{system}{words}{INCLUDE}{USES}',
                       *claims.MODES[mode])
        # The words that the annotations themselves expand to.
        done = toolchain.run([toolchain.compiler(compiler, language),
                              *toolchain.flags(language, claims.STANDARD[language], warn=False),
                              *claims.MODES[mode], '-E', '-P', '-'],
                             input=f'{INCLUDE}int here;\n{USES}')
        text = re.sub(r'"(\\.|[^"\\])*"|\'.\'|#pragma.*', ' ', done.stdout.split('int here;')[1])
        words = {word for word in re.findall(r'\b[A-Za-z]\w*\b', text)
                 if not re.match(r'nvtxh_|NVTXH_|f$|u$', word)} - STANDARD - GIVEN
        claim.that(not words, f'{mode}: annotations expand to names with our prefix', sorted(words))
        words = words_of_headers() - STANDARD - GIVEN
        after = ''.join(f'#undef {word}\n#define {word} !!garbage({word})!!\n'
                        for word in sorted(words | set(COMMON)))
        claim.compiles(f'{mode}: every word of the headers is a macro after the include', compiler,
                       language, f'{INCLUDE}{after}{USES}', *claims.MODES[mode])


def whole(claim, compiler, language, nvtx):
    """The same for files with the implementation, where headers that it includes come first."""
    system = BELOW + ('#include <utility>\n' if language == 'cpp' else '')
    own = [word for word in [*LIBRARIES, 'used', 'unused', 'hidden', *WITH_PARAMETERS]]
    words = ''.join(f'#undef {name}\n#define {word} !!garbage({name})!!\n' for word in own for name in [word.split('(')[0]])
    claim.compiles('on: what libraries define is defined before the include', compiler, language, f'{system}{words}{INCLUDE}{USES}', nvtx=nvtx)
    # The libraries' own headers, where they are installed.
    for header in 'QtCore/QObject', 'X11/Xlib.h', 'curses.h', 'complex.h':
        if header == 'QtCore/QObject' and language == 'c' or header == 'complex.h' and language == 'cpp':
            continue
        flags = toolchain.run(['pkg-config', '--cflags', 'Qt6Core' if shutil.which('qmake6') else 'Qt5Core']).stdout.split() \
            if header.startswith('Qt') and shutil.which('pkg-config') else []
        flags = [*(flags if '-I' in ' '.join(flags) else []), '-fPIC']
        if claim.compile(compiler, language, f'#include <{header}>\n', *flags, warn=False).returncode:
            print(f'<{header}> is not installed: not tested')
            continue
        for mode, arguments in claims.MODES.items():
            done = claim.compile(compiler, language, f'#include <{header}>\n{INCLUDE}{USES}', *arguments, *flags, warn=False,
                                 nvtx=nvtx if mode == 'on' else None)
            claim.that(done.returncode == 0, f'{mode}: after <{header}>', claims.gist(done.stdout))


def diagnostics(claim, compiler, language, nvtx):
    """Warnings that the headers turn off for themselves are as they were after the include."""
    ignored = {flag for path in headers()
               for flag in re.findall(r'diagnostic ignored \\?"(-W[\w-]+)', path.read_text())}
    claim.that(ignored <= set(TRIGGERS), 'every warning turned off has a test here',
               ignored - set(TRIGGERS))
    for path in headers():
        text = path.read_text()
        claim.that(len(re.findall('diagnostic push', text)) == len(re.findall('diagnostic pop', text)),
                   f'{path.name}: as many diagnostic pops as pushes')
    for flag, (where, trigger) in TRIGGERS.items():
        if language not in where.split() or {'gcc': 'clang', 'clang': 'gcc'}[compiler] in where:
            continue
        for mode, arguments in claims.MODES.items():
            if mode == 'off-here':
                continue
            done = claim.compile(compiler, language, f'{INCLUDE}{USES}\n{trigger}\n'.replace(
                'int f(int n);\nint f(int n)\n{', 'int h(int n);\nint h(int n)\n{'),
                *arguments, flag, f'-Werror={flag[2:]}', nvtx=nvtx if mode == 'on' else None,
                # gcc looks for unused functions only when it writes an object.
                warn=False, output=claim.directory / 'o.o' if 'function' in flag else None)
            claim.that(done.returncode != 0 and re.search(rf'error: .*({flag}|=.*{flag[2:]}|\[-W)',
                                                          done.stdout),
                       f'{mode}: {flag} is as it was after the include', claims.gist(done.stdout))


def declarations(claim, compiler, language):
    for mode in ('split', 'off') if language == 'c' else ():
        claim.compiles(f'{mode}: no declaration after a statement', compiler, language, INCLUDE + DECLARATIONS,
                       '-Wdeclaration-after-statement', *claims.MODES[mode])


def orders(claim, compiler, language):
    """Before and after NVIDIA's own headers, annotations on and off."""
    for version, directory in toolchain.nvtx_headers().items():
        if version not in ('3.0', '3.2'):
            continue
        for name, includes in ORDERS.items():
            if 'hpp' in name and (language == 'c' or version == '3.0'):
                continue
            text = ''.join(f'#include {include}\n' for include in includes)
            for mode in ('on', 'off') if 'hpp' in name else ('on', 'off', 'off-here'):
                claim.compiles(f'NVTX {version}, {name}, {mode}', compiler, language,
                               text + USES + RAW, *claims.MODES[mode], nvtx=directory,
                               standard=claims.STANDARD[language])


def main():
    compiler, language = claims.asked(sys.argv)
    nvtx = claims.newest_nvtx()
    with claims.Claims() as claim:
        user_macros(claim, compiler, language, nvtx)
        garbage(claim, compiler, language)
        whole(claim, compiler, language, nvtx)
        diagnostics(claim, compiler, language, nvtx)
        declarations(claim, compiler, language)
        orders(claim, compiler, language)
        program = claim.directory / 'errno'
        source = claim.source('errno' + toolchain.LANGUAGES[language], ERRNO)
        if claim.runs('errno: compiles', toolchain.compiler(compiler, language),
                      *toolchain.flags(language, nvtx=nvtx), source, '-o', program, '-ldl',
                      '-lpthread') is not None:
            claim.runs('errno is left alone', program)
            claim.runs('errno is left alone where the tool does not load', program,
                       env={'NVTX_INJECTION64_PATH': '/nonexistent.so'})


if __name__ == '__main__':
    main()
