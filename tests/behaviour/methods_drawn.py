#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""methods_drawn.py COMPILER/cpp...: random classes and functions of C++. What NVTXH_METHOD names them is how they were declared: namespaces, classes with
their template arguments, and the name, whatever result, parameters and qualifiers are around it."""
import itertools
import pathlib
import random
import re
import sys
import tempfile

from harness.checks import equal
from harness.draws import seeds
from harness.programs import Way

LOG = pathlib.Path(__file__).resolve().parents[1] / 'inject' / 'log.h'
STANDARDS = ['c++14', 'c++17', 'c++20']
HEAD = f'''#include "nvtxh.h"
#include "{LOG}"
#include <stdio.h>
namespace outer {{
template <typename A, typename B>
struct two {{
    A a;
    B b;
}};
struct plain {{
}};
}} // namespace outer
static int number;
typedef unsigned short word;
'''
# What a function returns, and how.
RESULTS = [('void', ''), ('int', 'return 1;'), ('const char *', 'return "";'), ('int &', 'return number;'), ('outer::two<int, char>', 'return {1, 2};'),
           ('const outer::two<outer::plain, int *> *', 'return nullptr;'), ('word', 'return 1;'), ('auto', 'return 1;'), ('decltype(auto)', 'return (number);')]
# Parameters, and what is given for them.
PARAMETERS = [('int', '1'), ('const char *', '""'), ('void (*)(int)', 'nullptr'), ('outer::two<int, char>', '{1, 2}'), ('int (&&)[2]', '{1, 2}'),
              ('const word &', '1'), ('outer::plain', '{}'), ('int (outer::plain::*)() const', 'nullptr'), ('size_t', '1')]
# Of a template: (in the source, in the name).
TYPES = ['int', 'double', 'outer::plain', 'char *', 'const char *', 'outer::two<float, bool>', 'outer::two<outer::plain, float *>', 'bool']
QUALIFIERS = ['', ' const', ' volatile', ' const volatile', ' &', ' &&', ' const &', ' const &&', ' volatile &', ' noexcept', ' const noexcept', ' && noexcept']
OPERATORS = {'()': 2, '[]': 1, '+': 1, '==': 1, '<': 1, '>': 1, '<<': 1, '->*': 1, '<=': 1, ',': 1, '!': 0, '&': 0, '*': 0, '-=': 1, '>>=': 1, '|': 1}
CONVERSIONS = ['int', 'bool', 'const char *', 'void *', 'double']  # clang names no class with its namespace there


def spaced(name):
    """As both compilers may have written it."""
    return re.sub(r' ?([*&>,]) ?', r'\1', name)


class Program:
    def __init__(self, seed, standard):
        self.constrained, self.source, self.n, self.text, self.calls, self.names = standard == 'c++20', random.Random(seed), 0, [], [], []
        for _ in range(25):
            self.source.choice([self.a_class, self.a_class, self.function])()

    def name(self, stem):
        self.n += 1
        return self.source.choice([stem, 'operators_', 'requires_', 'a']) + f'{stem}{self.n}'

    def parameters(self, most=3):
        """(types, what is given)"""
        drawn = self.source.choices(PARAMETERS, k=self.source.randrange(most + 1))
        return ', '.join(p for p, _ in drawn), ', '.join(v for _, v in drawn)

    def spaces(self):
        """(before, after, the prefix of names)"""
        names = [self.name('space') for _ in range(self.source.randrange(3))]
        return ''.join(f'namespace {n} {{ ' for n in names), '}' * len(names), ''.join(f'{n}::' for n in names)

    def template(self, without=()):
        """(its head, its arguments in a name); often neither."""
        kind = self.source.choice(['', '', 'type', 'types', 'number', 'type and number'])
        types = self.source.sample([t for t in TYPES if t not in without], 2)
        number = str(self.source.choice([0, 7, -3, 1000]))
        self.n += 1  # clang leaves out parameters without a name
        one, two = f'T{self.n}', f'U{self.n}'
        return {'': ('', []), 'type': (f'typename {one}', types[:1]), 'types': (f'typename {one}, class {two}', types), 'number': (f'int {one}', [number]),
                'type and number': (f'typename {one}, int {two}', [types[0], number])}[kind]

    def said(self, name):
        self.names.append(spaced(name))

    def heading(self, kinds):
        return f'template <{kinds}> ' * bool(kinds)

    def constraint(self, kinds):
        if not self.constrained or 'typename' not in kinds or self.source.random() < 0.6:
            return ''
        return f' requires (sizeof({re.search("T[0-9]+", kinds)[0]}) > 0)'

    def function(self):
        before, after, prefix = self.spaces()
        (kinds, arguments), (takes, given) = self.template(), self.parameters()
        (result, back), name = self.source.choice(RESULTS), self.name('function')
        result = self.source.choice(['static ', 'inline ']) + result
        given_types = f'<{", ".join(arguments)}>' * bool(arguments)
        body = 'NVTXH_METHOD();'
        lambdas = not arguments and not takes and self.source.random() < 0.4
        if lambdas:
            self.n += 1
            body += f'\n#line {self.n} "lambda"\n[] {{ NVTXH_METHOD(); }}();'
        self.text.append(f'{before}{self.heading(kinds)}{result} {name}({takes}){self.constraint(kinds)} {{ {body} {back} }}{after}')
        self.calls.append(f'(void){prefix}{name}{given_types}({given});')
        self.said(f'{prefix}{name}{given_types}')
        if lambdas:
            self.said(f'{prefix}{name}()::{{lambda:{self.n}}}')

    def a_class(self):
        before, after, prefix = self.spaces()
        (kinds, arguments), name, members, of_inner = self.template(), self.name('kind'), [], ''
        given_types = f'<{", ".join(arguments)}>' * bool(arguments)
        full = f'{prefix}{name}{given_types}'
        inner = self.source.random() < 0.3
        target = f'{full}::inner' if inner else full
        made = f'object{self.n}'
        self.calls.append(f'{target} {made}{{}};')
        if self.source.random() < 0.3:
            members.append(f'{"inner" if inner else name}() {{ NVTXH_METHOD(); }}')
            self.said(f'{target}::{"inner" if inner else name}')
        operators = self.source.sample(sorted(OPERATORS), len(OPERATORS))
        conversions = self.source.sample(CONVERSIONS, len(CONVERSIONS))
        for _ in range(self.source.randrange(1, 5)):
            kind = self.source.choice(['method', 'method', 'method', 'static', 'operator', 'conversion'])
            (result, back), how = self.source.choice(RESULTS), self.source.choice(QUALIFIERS)
            self.method(kind, target, made, members, result, back, how, operators, conversions, arguments)
        body = ' '.join(members)
        of_inner = f'struct inner {{ {body} }};' if inner else body
        self.text.append(f'{before}{self.heading(kinds)}struct {name} {{ {of_inner} }};{after}')

    def method(self, kind, target, made, members, result, back, how, operators, conversions, of_class):
        object_ = f'static_cast<{target} &&>({made})' if '&&' in how else made
        if kind == 'operator':
            symbol = operators.pop()
            takes, given = ', '.join(['int'] * OPERATORS[symbol]), ', '.join(['1'] * OPERATORS[symbol])
            members.append(f'void operator{symbol}({takes}){how} {{ NVTXH_METHOD(); }}')
            self.calls.append(f'{object_}.operator{symbol}({given});')
            self.said(f'{target}::operator{symbol}')
        elif kind == 'conversion':
            to = conversions.pop()
            members.append(f'explicit operator {to}(){how} {{ NVTXH_METHOD(); return {{}}; }}')
            self.calls.append(f'(void)static_cast<{to}>({object_});')
            self.said(f'{target}::operator {to}')
        else:
            name, (takes, given) = self.name('method'), self.parameters()
            # clang leaves out an argument that the class has, too.
            kinds, arguments = self.template([t for t in TYPES if any(t in a or a in t for a in of_class)])
            if any(a in of_class or a.lstrip('-').isdigit() for a in arguments):
                kinds, arguments = '', []
            given_types = f'<{", ".join(arguments)}>' * bool(arguments)
            static = kind == 'static'
            how = '' if static else how
            members.append(f'{self.heading(kinds)}{"static " * static}{result} {name}({takes}){how}{self.constraint(kinds)} {{ NVTXH_METHOD(); {back} }}')
            self.calls.append(f'(void){target + "::" if static else object_ + "."}{name}{given_types}({given});')
            self.said(f'{target}::{name}{given_types}')

    def whole(self):
        return '\n'.join([HEAD, *self.text, 'int main() {', *self.calls, 'for (size_t i = 0; i < log_size(); i++)',
                          'if (log_at(i)->kind == LOG_PUSH) puts(log_at(i)->text);', 'return 0;', '}', ''])


def main():
    for way, seed, standard in itertools.product(sys.argv[1:], seeds(1), STANDARDS):
        drawn = Program(seed, standard)
        with tempfile.TemporaryDirectory() as folder:
            build = Way(way, pathlib.Path(folder))
            build.standard = standard
            source = build.folder / 'drawn.cpp'
            source.write_text(drawn.whole())
            program = build.build(source, tool=True, optimise='-O0', warn=False)
            found = build.succeeds(program, tool=build.tool).splitlines()
        for got, want in zip(found, drawn.names):
            equal(spaced(got), want, f'{way}, {standard}, seed {seed}')
        equal(len(found), len(drawn.names), f'{way}, {standard}, seed {seed}: how many')


if __name__ == '__main__':
    main()
