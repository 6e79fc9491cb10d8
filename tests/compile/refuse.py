# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What must not compile does not, and the compiler's message says what to do; the same source with
one token changed does compile. refuse.py COMPILER LANGUAGE"""
import pathlib
import re
import shutil
import sys

from harness import claims, toolchain
import refuse_parts
from case import Case

HEAD = '#include "nvtxh.h"\n'
BODY = HEAD + '''
NVTXH_DOMAIN(train, "train");
NVTXH_CATEGORY(gemm, &train, "gemm");
struct point {{ int x, y; }};
void use(const char *text, int n, int c, int *pointer, struct point point);
void use(const char *text, int n, int c, int *pointer, struct point point)
{{
    (void)text, (void)n, (void)c, (void)pointer, (void)point;
    {}
}}
'''


def inside(statement):
    return BODY.format(statement)


def non_literal():
    """A message made at run time: a site's record is static, so the printf form is the answer. In
    the printf forms a format made at run time: the message says how to print a string."""
    uses = {
        'NVTXH_SCOPE': ('NVTXH_SCOPE(@);', 'NVTXH_SCOPEF'),
        'NVTXH_SCOPE_IF': ('NVTXH_SCOPE_IF(c, @);', 'NVTXH_SCOPEF'),
        'NVTXH_SCOPE_AS': ('NVTXH_SCOPE_AS(s, @); nvtxh_scope_end(&s);', 'NVTXH_SCOPEF'),
        'NVTXH_BLOCK': ('NVTXH_BLOCK(@) { c++; }', 'NVTXH_SCOPEF'),
        'NVTXH_MARK': ('NVTXH_MARK(@);', 'NVTXH_MARKF'),
        'NVTXH_PUSH': ('NVTXH_PUSH(@);', 'NVTXH_PUSHF'),
        'NVTXH_START': ('nvtxh_end(NVTXH_START(@));', r'NVTXH_START_STRING\(nvtxh_string_named\(domain, string\)\), or NVTXH_STARTF'),
        'NVTXH_RANGE_SCOPE': ('NVTXH_RANGE_SCOPE(@);', 'NVTXH_STARTF'),
    }
    for macro, (use, instead) in uses.items():
        yield Case(f'{macro} refuses a message that is not a literal, and names {instead}',
                   inside(use), 'text', '"text"', rf'{macro} wants a string literal.*{instead}')
        yield Case(f'{macro} refuses the same with attributes', inside(
            use.replace('@', '@, .domain = &train, .color = NVTXH_RED')), 'text', '"text"',
            rf'{macro} wants a string literal.*{instead}')
        yield Case(f'{macro} without a message says what is missing', inside(use), '', '"n"',
                   rf'{macro} wants a string literal, and has no argument')
        yield Case(f'{macro} refuses an int as message', inside(use), 'n', '"n"',
                   rf'{macro} wants a string literal|integer|int|invalid conversion')
    uses = {
        'NVTXH_SCOPEF': 'NVTXH_SCOPEF(@, n);',
        'NVTXH_MARKF': 'NVTXH_MARKF(@, n);',
        'NVTXH_PUSHF': 'NVTXH_PUSHF(@, n);',
        'NVTXH_STARTF': 'struct nvtxh_range r = NVTXH_STARTF(@, n); nvtxh_end(r);',
    }
    for macro, use in uses.items():
        yield Case(f'{macro} refuses a format that is not a literal', inside(use), 'text', '"%d"',
                   rf'{macro} wants a string literal.*{macro}\(\\?"%s\\?", string\)')
        # -Wformat sees through every one of them, on and off.
        yield Case(f'{macro}: a wrong argument is found by -Wformat',
                   inside(use.replace('n)', '@)').replace('@', '"%s"', 1)), 'n', 'text',
                   r'-W(error=)?format', flags=('-Werror=format',))
        yield Case(f'{macro}: a missing argument is found by -Wformat',
                   inside(use.replace('@', '"%d %d"').replace('n)', 'n @)')), '', ', c',
                   r'-W(error=)?format', flags=('-Werror=format',))
    uses = {
        'NVTXH_SCOPEF_WITH': 'NVTXH_SCOPEF_WITH((@, n), .color = NVTXH_RED);',
        'NVTXH_MARKF_WITH': 'NVTXH_MARKF_WITH((@, n), .color = NVTXH_RED);',
        'NVTXH_PUSHF_WITH': 'NVTXH_PUSHF_WITH((@, n), .color = NVTXH_RED);',
        'NVTXH_STARTF_WITH': 'struct nvtxh_range r = NVTXH_STARTF_WITH((@, n), .color = NVTXH_RED); nvtxh_end(r);',
    }
    for macro, use in uses.items():
        yield Case(f'{macro} refuses a format that is not a literal', inside(use), 'text', '"%d"',
                   rf'{macro} wants a string literal.*{macro}\(\(\\?"%s\\?", string\)')
        yield Case(f'{macro}: a wrong argument is found by -Wformat', inside(use), '"%s"', '"%d"',
                   r'-W(error=)?format', flags=('-Werror=format',))
        yield Case(f'{macro} takes the format with its arguments in parentheses',
                   inside(use.replace('(@, n)', '@')), '"%d"', '("%d", n)', r'NVTXH_I_BARE')
    for macro, use in {'NVTXH_DOMAIN': 'NVTXH_DOMAIN(other, @);',
                       'NVTXH_CATEGORY': 'NVTXH_CATEGORY(other, NULL, @);'}.items():
        yield Case(f'{macro} refuses a name that is not a literal',
                   HEAD + f'extern const char *text;\n{use}\n', 'text', '"text"',
                   rf'{macro} wants a string literal')


def told():
    """Refusals that would be hard to read without a message of ours."""
    say = r'pointer to a struct that NVTXH_PAYLOAD_STRUCT has declared'
    head = '#include "nvtxh.h"\n#include "nvtxh/counter.h"\nstruct plain { int n; };\n'
    only = dict(languages=('c',), compilers=('clang',))
    for bad in ('&number', '&plain', '&moving'):
        yield Case(f'nvtxh_payload({bad}): the error says what to declare', head +
                   'extern int number;\nextern struct plain plain;\nextern volatile int moving;\n'
                   'void f(void);\nvoid f(void) { NVTXH_MARK("x", .payload = nvtxh_payload(@)); }\n',
                   bad, 'number', say, **only)
    for bad in ('struct plain', 'int *', 'volatile int'):
        yield Case(f'a field of type {bad}: the error says which types may be fields', head +
                   'NVTXH_PAYLOAD_STRUCT(bad, (@, field));\n', bad, 'int', say,
                   **{**only, 'modes': ('split',)})
    # To g++ it is a literal.
    for where in (dict(languages=('c',)), dict(compilers=('clang',))):
        yield Case('a scope with the name of the function: the error names NVTXH_FUNC',
                   inside('NVTXH_SCOPE(@);'), '__func__', '"f"', r'NVTXH_FUNC\(\)', **where)


def guards():
    """A scope is a declaration, in every mode, or `if (c) NVTX_SCOPE("x");` would mean nothing."""
    for use in ('NVTX_SCOPE("x")', 'NVTX_SCOPEF("%d", n)', 'NVTX_FUNC()', 'NVTXH_METHOD()', 'NVTXH_SCOPE_IF(n, "x")',
                'NVTXH_RANGE_SCOPE("x")', 'NVTXH_SCOPE_STRING(NULL)', 'NVTXH_FUNC_IF(n)', 'NVTXH_SCOPE("x", .color = NVTXH_RED)',
                'NVTXH_SCOPE_AS(s, "x")'):
        for without in ('if (c)', 'for (; c;)', 'if (c) n++; else') if '"x")' in use else ('if (c)',):
            yield Case(f'{without} {use}; is refused', inside(f'{without} @'), f'{use};',
                       f'{{ {use}; }}', r'needs_a_block_of_its_own')
        yield Case(f'{use} wants its semicolon', inside(f'{use}@ n++;'), '', ';', r'expected')


def jumps():
    """A jump past a guard, into its scope. Off, there is no guard to jump past, so nothing refuses the jump."""
    body = '#include "nvtxh/capture.h"\n' + BODY
    for use in ('NVTX_SCOPE("x");', 'NVTXH_SCOPE("x", .color = NVTXH_RED);', 'NVTX_SCOPEF("%d", n);', 'NVTX_FUNC();',
                'NVTXH_SCOPE_IF(c, "x");', 'NVTXH_FUNC_IF(c);', 'NVTXH_SCOPE_AS(s, "x");',
                'NVTXH_SCOPE_NVTX_ONLY("x");', 'NVTXH_CAPTURE_SCOPE("x");', 'NVTXH_BLOCK("x")',
                'NVTXH_RANGE_SCOPE("x");', 'NVTXH_SCOPE_STRING(NULL);'):
        yield from refuse_parts.jumps_past(body, use)


def strings():
    """Strings of the run time: their domain is their own, and a text is not a string."""
    for use in ('NVTXH_SCOPE_STRING({}', 'NVTXH_MARK_STRING({}', 'NVTXH_PUSH_STRING({}', 'nvtxh_end(NVTXH_START_STRING({})'):
        use = inside('const struct nvtxh_string *s = nvtxh_string_named(NULL, text);' + use.replace('{', '{{').replace(
            '}', '}}') + ');')
        yield Case(f'{use[-40:]}: a string has its domain', use.replace('{{}}', '{}').replace('{}', 's, @'), '.domain = &train',
                   '.color = NVTXH_RED', r'string_has_its_domain|no (non-static data )?member named|domain')
        yield Case(f'{use[-40:]}: a text is no string', use.replace('{{}}', '{}').replace('{}', '@'), 'text', 's',
                   r'incompatible|cannot (convert|initialize)|no known conversion|no matching|invalid conversion', flags=('-Werror',))
    yield Case('nvtxh_domain_enable wants a domain', inside('nvtxh_domain_enable(@, true);'), '&gemm', '&train',
               r'incompatible|convert|conversion|pointer', flags=('-Werror',))


def unnamed():
    """An attribute needs its name. C would take it for the domain, and crash under a tool only."""
    uses = ('NVTXH_SCOPE("x", {})', 'NVTXH_FUNC({})', 'NVTXH_SCOPE_IF(c, "x", {})', 'NVTXH_FUNC_IF(c, {})', 'NVTXH_SCOPE_NVTX_ONLY("x", {})',
            'NVTXH_SCOPE_AS(s, "x", {})', 'NVTXH_BLOCK("x", {}) c++', 'NVTXH_SCOPEF_WITH(("%d", n), {})', 'NVTXH_MARK("x", {})',
            'NVTXH_MARKF_WITH(("%d", n), {})', 'NVTXH_PUSH("x", {})', 'NVTXH_PUSHF_WITH(("%d", n), {})', 'NVTXH_POP({})',
            'nvtxh_end(NVTXH_START("x", {}))', 'nvtxh_end(NVTXH_STARTF_WITH(("%d", n), {}))', 'nvtxh_end(NVTXH_START("x"), {})',
            'NVTXH_RANGE_SCOPE("x", {})', 'NVTXH_SCOPE_STRING(NULL, {})', 'NVTXH_MARK_STRING(NULL, {})',
            'NVTXH_PUSH_STRING(NULL, {})', 'nvtxh_end(NVTXH_START_STRING(NULL, {}))', 'NVTX_SCOPE("x", {})', 'NVTX_POP({})')
    say = r'an attribute needs its name: \.color = c'
    for use in uses:
        at = inside(use.replace('{}', '@') + ';')
        for bad in ('n', '0', '"name"', 'NVTXH_RED', 'nvtxh_payload(n)', 'n, .payload = nvtxh_payload(n)'):
            if use in (uses[0], 'NVTXH_POP({})', 'nvtxh_end(NVTXH_START("x"), {})') or bad == '0':
                yield Case(f'{use}: {bad} needs a name', at, bad, '.payload = nvtxh_payload(n)', say)
    yield Case('an option of a counter needs its name', '#include "nvtxh.h"\n#include "nvtxh/counter.h"\nNVTXH_COUNTER(one, NULL, "one", @);',
               '"ms"', '.unit = "ms"', 'an option needs its name')
    at = inside('#define ATTRIBUTES .color = NVTXH_RED\n#define VALUE NVTXH_RED\nNVTX_SCOPE("x", @);')
    yield Case('attributes of a macro', at, 'VALUE', 'ATTRIBUTES', say)
    for bad in ('.domain = &train, n', '.color = 1, n', '.color = 1, .payload = n', '.color = 1, .payload = "x"', '.payload = &train'):
        yield Case(f'{bad}: refused by its type, without -Werror', inside('NVTX_MARK("x", @);'), bad, '.color = 1',
                   r'made_by_nvtxh_payload|nvtxh_category|nvtxh_payload_value|designat|mix')


def numbers():
    """Where a number is wanted, the cast in our macro does not accept a pointer."""
    for palette in 'okabe_ito', 'tableau10':
        yield Case(f'the palette {palette} takes a number', inside(f'NVTX_MARK("x", .color = nvtxh_palette_{palette}(@));'), '"red"', '2',
                   r'invalid operands')


def attributes():
    """Attributes have types, and in C++ an order; off as well as on."""
    for use in ('NVTXH_SCOPE("x", {})', 'NVTXH_MARK("x", {})', 'NVTXH_PUSH("x", {})',
                'nvtxh_end(NVTXH_START("x", {}))', 'NVTXH_FUNC({})', 'NVTXH_SCOPE_IF(c, "x", {})',
                'NVTXH_BLOCK("x", {}) c++'):
        at = inside(use + ';')

        def case(claim, bad, good, message, at=at, use=use, **more):
            return Case(f'{use}: {claim}', at.replace('{}', '@'), bad, good, message, **more)

        yield case('attributes in another order are refused in C++',
                   '.color = NVTXH_RED, .domain = &train', '.domain = &train, .color = NVTXH_RED',
                   r'order', languages=('cpp',), flags=('-Werror',))
        yield case('a category is not a domain', '.domain = &gemm', '.domain = &train',
                   r'incompatible|cannot (convert|initialize)|no known conversion', flags=('-Werror',))
        if 'BLOCK' in use or 'IF' in use:
            continue  # the other macros take what these take
        yield case('a domain is not a category', '.category = &train', '.category = &gemm',
                   r'incompatible|cannot (convert|initialize)|no known conversion', flags=('-Werror',))
        yield case('a number is not a category', '.category = 7',
                   '.category = NVTXH_CATEGORY_ID(7)',
                   r'integer|int|cannot|invalid conversion', flags=('-Werror',))
        yield case('a string is not a colour', '.color = "red"', '.color = NVTXH_RED',
                   r'integer|int|cannot|invalid conversion', flags=('-Werror',))
        yield case('a number by itself is not a payload', '.payload = n',
                   '.payload = nvtxh_payload(n)', 'made_by_nvtxh_payload|nvtxh_payload_value')
        yield case('a number by itself: the message says what to write', '.payload = 7',
                   '.payload = nvtxh_payload(7)', r'made_by_nvtxh_payload', languages=('c',))
        yield case('there is no other attribute', '.colour = NVTXH_RED', '.color = NVTXH_RED',
                   r'colour')
    for what in ('pointer', 'point', 'text', '&n'):
        yield Case(f'nvtxh_payload({what}) is refused: not a number',
                   inside('NVTXH_MARK("x", .payload = nvtxh_payload(@));'), what, 'n',
                   r'_Generic|deleted|no matching|not compatible|struct point')
    yield Case('a condition is a scalar', inside('NVTXH_SCOPE_IF(@, "x");'), 'point', 'n',
               r'scalar|struct|convert|invalid|contextually|point')
    yield Case('nvtxh_end wants a range', inside('nvtxh_end(@);'), 'n', 'NVTXH_START("x")',
               r'incompatible|convert|conversion|invalid initializer|request for member|not a structure|nvtxh_range')
    yield Case('nvtxh_scope_end wants a scope', inside('NVTXH_SCOPE_AS(s, "x"); nvtxh_scope_end(@);'),
               '&n', '&s', r'incompatible|convert|conversion|member|nvtxh_scope', flags=('-Werror',))
    yield Case('nvtxh_thread_name wants a string', inside('nvtxh_thread_name(@);'), 'pointer', 'text',
               r'incompatible|convert|conversion', flags=('-Werror',))
    yield Case('a category belongs to a domain', BODY.format('') + 'NVTXH_CATEGORY(other, @, "o");',
               '&gemm', '&train', r'incompatible|convert|distinct|mismatch|pointer|cannot initialize', flags=('-Werror',))


def switches():
    """What stands in the way of the header, and the message that says how to get round it."""
    names = ['NVTX_SCOPE', 'NVTX_SCOPEF', 'NVTX_FUNC', 'NVTX_MARK', 'NVTX_MARKF', 'NVTX_PUSH', 'NVTX_PUSHF',
             'NVTX_POP', 'NVTX_START', 'NVTX_STARTF', 'NVTX_END', 'NVTX_DOMAIN', 'NVTX_CATEGORY']
    for name in names:
        yield Case(f'{name} of someone else stops the compile, and names NVTXH_NO_SHORT_NAMES',
                   f'#define {name} theirs\n@\n{HEAD}', '', '#define NVTXH_NO_SHORT_NAMES',
                   rf'{name[4:]}.*NVTXH_NO_SHORT_NAMES')
    for macro, more in ('NVTXH_DOMAIN', ''), ('NVTXH_DOMAIN_INLINE', ''), ('NVTXH_CATEGORY', 'NULL, '):
        yield Case(f'{macro} twice in one file', f'{HEAD}{macro}(one, {more}"one");\n{macro}(@, {more}"one");\n', 'one', 'two',
                   r'redefinition|redeclar|previous')
    yield Case('a unity build: the second file sets another default domain',
               f'#define NVTXH_DEFAULT_DOMAIN one\n{HEAD}#undef NVTXH_DEFAULT_DOMAIN\n#define NVTXH_DEFAULT_DOMAIN @\n{HEAD}', 'two', 'one',
               r'one_NVTXH_DEFAULT_DOMAIN_not_two')
    yield Case('a unity build: the first file sets no default domain', f'@{HEAD}#undef NVTXH_DEFAULT_DOMAIN\n'
               f'#define NVTXH_DEFAULT_DOMAIN one\n{HEAD}', '', '#define NVTXH_DEFAULT_DOMAIN one\n', r'NVTXH_DEFAULT_DOMAIN comes too late')
    yield Case('NVTX_NO_IMPL without NVTXH_NO_IMPL: the error says what to define',
               f'#define NVTX_NO_IMPL\n#define @\n{HEAD}', 'NVTXH_OTHER', 'NVTXH_NO_IMPL',
               r'NVTX_NO_IMPL.*NVTXH_NO_IMPL', modes=('on',))


def extensions(claim, compiler, language):
    """NVTXH_REQUIRE_EXTENSIONS, over every NVTX there is."""
    for version, directory in toolchain.nvtx_headers().items():
        source = '#include "nvtxh/counter.h"\n'
        done = claim.compile(compiler, language, source, '-DNVTXH_REQUIRE_EXTENSIONS',
                             nvtx=directory, standard=claims.STANDARD[language])
        if version in ('3.0', '3.1'):
            claim.that(done.returncode != 0 and 'older than 3.2' in done.stdout,
                       f'NVTX {version}: NVTXH_REQUIRE_EXTENSIONS stops the compile, and says why',
                       claims.gist(done.stdout))
        else:
            claim.that(done.returncode == 0, f'NVTX {version}: NVTXH_REQUIRE_EXTENSIONS is met',
                       claims.gist(done.stdout))


OFF_ELSEWHERE = '''struct nvtxh_range range = NVTX_START("x", .payload = nvtxh_payload(n));
    nvtxh_end(range);
    NVTX_SCOPE("x", .domain = &train, .category = &gemm, .color = NVTXH_RED, .payload = nvtxh_payload(1L));
    NVTX_SCOPEF("%d", n);
    n = NVTX_PUSH("x", .payload = nvtxh_payload(1.5)) + NVTX_POP();
    NVTXH_BLOCK("x") { n += nvtxh_capture_start(text, 0) + (int)nvtxh_stats_find(text).count; }
    nvtxh_enable(c != nvtxh_listening());'''


def targets(claim, compiler, language):
    """An older language, and 32 bits where annotations are on, are refused in one sentence."""
    for arguments, say in ((['-std=c99'], 'nvtxh needs C11'), (['-std=c89'], 'nvtxh needs C11'), (['-std=gnu89'], 'nvtxh needs C11'),
                           (['-m32'], 'nvtxh needs a 64-bit target')) if language == 'c' else (
                           (['-std=c++98'], r'nvtxh needs .*C\+\+11'), (['-m32'], 'nvtxh needs a 64-bit target')):
        for mode in 'split', 'off', 'off-here':
            done = claim.compile(compiler, language, HEAD, *claims.MODES[mode], *arguments, warn=False)
            errors = re.findall(r'error: .*', done.stdout)
            if arguments == ['-m32'] and mode != 'split':
                continue
            claim.that(errors and re.search(say, errors[0]) and (len(errors) == 1 or (language == 'cpp' and '-m32' in arguments)),
                       f'{mode}: {arguments}: one sentence', done.stdout)
    # Syntax alone: the C library of the other target need not be installed.
    others = [['-m32']] if compiler == 'gcc' else [[f'--target={target}'] for target in ('i386-linux-gnu', 'arm-linux-gnueabihf', 'wasm32')]
    source = BODY.format(OFF_ELSEWHERE).replace(HEAD, HEAD + '#include "nvtxh/payload.h"\n#include "nvtxh/capture.h"\n#include "nvtxh/counter.h"\n'
                                                '#include "nvtxh/stats.h"\n')
    for arguments in others:
        for mode in 'off', 'off-here':
            claim.compiles(f'{mode}: {arguments}: compiles', compiler, language, source, *claims.MODES[mode], *arguments, '-ffreestanding')


def without_nvtx(claim, compiler, language):
    """Without NVTX's headers: one error, which names the copy beside nvtxh.h, if there is one. Files that do not need NVTX compile."""
    said = claim.compile(compiler, language, '', '-E', '-v', warn=False).stdout
    system = said[said.index('search starts here:\n'):said.index('End of search')].splitlines()
    system = [folder.strip() for folder in system if folder.startswith(' /')]
    hidden = ['-nostdinc', '-nostdinc++'] if language == 'cpp' else ['-nostdinc']
    hidden += [word for folder in system if not pathlib.Path(folder, 'nvtx3').exists() for word in ('-isystem', folder)]
    header = 'nvtx3/nvToolsExt.h'
    source = BODY.format('NVTX_SCOPE("x"); NVTX_MARKF("%d", n); NVTXH_SCOPE("y", .domain = &train, .color = NVTXH_RED);')
    for name, says in (('.cache/nvtx/nvidia-nvtx', r'-isystem path/to/nvtxh/\.cache/nvtx/nvidia-nvtx"'),
                       ('subprojects/nvtx3/c/include', r'-isystem path/to/nvtxh/subprojects/nvtx3/c/include"'),
                       ('elsewhere', r'git clone .*-isystem NVTX/c/include')):
        tree = claim.directory / f'without-{name.split("/")[0]}'
        shutil.copytree(toolchain.ROOT / 'nvtxh', tree / 'nvtxh')
        shutil.copy(toolchain.ROOT / 'nvtxh.h', tree)
        (tree / name / header).parent.mkdir(parents=True)
        (tree / name / header).write_text('')
        done = claim.compile(compiler, language, source, *hidden, warn=False, include=tree)
        errors = re.findall(r'error: .*', done.stdout)
        claim.that(len(errors) == 1 and re.search(says, errors[0]), f'no NVTX headers, a copy in {name}: one sentence', done.stdout)
        for mode in 'split', 'off':
            claim.compiles(f'{mode}: no NVTX headers are needed', compiler, language, source, *claims.MODES[mode], *hidden, include=tree)


DECLARED = r'(?:\b(?:struct|void|int|int64_t|char|float|double|uint32_t) \**|^NVTXH_[A-Z_]+\()(\w+)'


def renamed(source, number):
    """A source whose names are its own, so that it can stand beside others in one file."""
    names = {name for name in re.findall(DECLARED, source, re.MULTILINE) if 'nvtx' not in name.lower()}
    return re.sub(rf'(?<![./\w])({"|".join(names)})\b', rf'\1_{number}', source) if names else source


def baselines(claim, compiler, language, uses):
    """Each of USES compiles with its good token, without a word from the compiler: (case, mode, arguments, options). Most of a
    compiler's time is its own start, so those that are compiled alike are first tried in one file."""
    alike = {}
    for case, mode, arguments, options in uses:
        source = case.source.replace('@', case.good)
        includes = tuple(re.findall('^#.*$', source, re.MULTILINE))
        alike.setdefault((mode, *arguments, *includes), []).append((case, mode, arguments, options, source))
    for together in alike.values():
        _, _, arguments, options, _ = together[0]
        text = '\n'.join(renamed(source, number) for number, (*_, source) in enumerate(together))
        done = claim.compile(compiler, language, text, *arguments, **options)
        whole = done.returncode == 0 and not done.stdout
        for case, mode, arguments, options, source in together:
            what = f'{mode}: baseline of: {case.claim}'
            if whole:
                claim.that(True, what)
            else:
                claim.compiles(what, compiler, language, source, *arguments, **options)


def main():
    compiler, language = claims.asked(sys.argv)
    cases = [*non_literal(), *told(), *guards(), *jumps(), *strings(), *unnamed(), *numbers(), *attributes(), *switches(),
             *refuse_parts.all_of_them()]
    nvtx = claims.newest_nvtx()
    with claims.Claims() as claim:
        extensions(claim, compiler, language)
        targets(claim, compiler, language)
        without_nvtx(claim, compiler, language)
        uses = []
        for number, case in enumerate(cases, compiler == 'clang'):
            if language not in case.languages or compiler not in case.compilers:
                continue
            # In C++ each compiler has every second mode, and the other compiler the others.
            for mode in case.modes if language == 'c' else {case.modes[number % len(case.modes)]}:
                options = dict(nvtx=nvtx if mode == 'on' else None, warn=False, optimise='-O0')
                arguments = [*claims.MODES[mode], *case.flags]
                bad = claim.compile(compiler, language, case.source.replace('@', case.bad),
                                    *arguments, **options)
                # One line may be wrapped between the macro and the note that explains it.
                said = bad.stdout.replace('\n', ' ')
                claim.that(bad.returncode != 0, f'{mode}: {case.claim}',
                           f'it compiles: {bad.command}\n{case.bad}')
                if bad.returncode:
                    claim.that(re.search(case.message, said), f'{mode}: message: {case.claim}',
                               claims.gist(bad.stdout))
                uses.append((case, mode, arguments, options))
        baselines(claim, compiler, language, uses)


if __name__ == '__main__':
    main()
