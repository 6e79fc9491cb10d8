#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""structs_drawn.py COMPILER/LANGUAGE...: random structs, enums, numbers and counters. What the logging tool is given of them, their layouts and values, units
and limits, is what is computed here; also what a tool without the extensions gets, and one that refuses half of the structs and enums."""
import itertools
import pathlib
import random
import struct
import sys
import tempfile

from harness.checks import equal, skip
from harness.draws import seeds
from harness.programs import Way

# C type: NVTX's number, struct's letter (size and alignment are those of x86-64 and aarch64), what a single payload is called
INTEGERS = {'int8_t': (11, 'b', 'i32'), 'uint8_t': (12, 'B', 'i32'), 'int16_t': (13, 'h', 'i32'), 'uint16_t': (14, 'H', 'i32'), 'int32_t': (15, 'i', 'i32'),
            'uint32_t': (16, 'I', 'u32'), 'int64_t': (17, 'q', 'i64'), 'uint64_t': (18, 'Q', 'u64'), 'long long': (17, 'q', 'i64'),
            'unsigned long long': (18, 'Q', 'u64')}
FLOATS = {'float': (19, 4, 'f32'), 'double': (20, 8, 'f64'), 'long double': (21, 16, None)}
U64 = 18


# Tools: one that takes all, one without the extension, one that refuses what refused() says.
ALL, NONE, SOME = WAYS = '', 'noext', 'refuses'


def refused(of, way):
    """An enum's or a struct's schema. See inject/log.h."""
    return way == SOME and int(of.name[-1]) % 2 == 1


class Field:
    """type_: as in C; number: NVTX's, or the schema's name; wide: its size; text(value): as the tool writes it."""

    def __init__(self, source, structs, enums, kind=None):
        self.options, self.said, self.length, self.deep, self.counts, self.near, self.of = '', '', 0, False, False, None, None
        kind = kind or source.choice(['integer'] * 6 + ['float', 'float', 'bool', 'char', 'string', 'text', 'address', 'enum', *['struct'] * 2 * bool(structs)])
        self.align = None
        if kind == 'integer' or kind in INTEGERS:
            self.type = kind if kind in INTEGERS else source.choice(list(INTEGERS))
            self.number, letter, self.near = INTEGERS[self.type]
            self.wide, signed = struct.calcsize(letter), letter.islower()
            least, most = (-(1 << 8 * self.wide - 1), (1 << 8 * self.wide - 1) - 1) if signed else (0, (1 << 8 * self.wide) - 1)
            suffix = 'u' if self.number == U64 else ''
            self.ends = least, most
            self.values = lambda: source.choice([least, most, source.randint(least, most), source.randint(0, 100)])
            self.c = lambda v: f'(-{-v - 1}ll - 1)' if v < 0 else f'{v}{suffix}ll'
            self.text = str
        elif kind == 'float':
            self.type, (self.number, self.wide, self.near) = source.choice(list(FLOATS.items()))
            self.values = lambda: source.randrange(-4000, 4000) / 4
            self.c, self.text = '{:.2f}'.format, '{:g}'.format
        elif kind in ('char', 'text'):
            self.type, self.number, self.wide, self.near = 'char', 1, 1, 'i32'
            self.values = lambda: source.choice('abcXYZ09')
            self.c, self.text = "'{}'".format, "'{}'".format
        elif kind == 'bool':
            self.type, self.number, self.wide, self.near = 'bool', 'bool', 1, 'i32'
            self.values = lambda: source.randrange(2)
            self.c, self.text = str, ['false', 'true'].__getitem__
        elif kind == 'string':
            self.type, self.number, self.wide, self.deep = source.choice(['const char *', 'char *']), 75, 8, True
            self.values = lambda: source.choice(['', 'abc', 'a b', None])
            self.c, self.text = lambda v: 'NULL' if v is None else f'(char *)"{v}"', lambda v: 'NULL' if v is None else f'"{v}"'
        elif kind == 'address':
            self.type, self.number, self.wide = source.choice(['void *', 'const void *']), 23, 8
            self.values = lambda: source.choice([0, 0x1234])
            self.c, self.text = '(void *){}'.format, lambda v: f'{v:#x}' if v else '(nil)'
        elif kind == 'enum':
            self.of = source.choice(enums)
            self.type, self.number, self.wide = f'enum {self.of.name}', self.of.name, 4
            self.near = 'i32' if any(v < 0 for _, v in self.of.values) else 'u32'
            self.values = lambda: source.choice([v for _, v in self.of.values] + [max(1, self.of.values[-1][1]) - 1])
            self.c = lambda v: f'(enum {self.of.name})({v})'
            self.text = lambda v, way=ALL: next((n for n, w in self.of.values if w == v and not refused(self.of, way)), str(v))
        else:
            self.of = source.choice(structs)
            self.type, self.number, self.wide, self.deep, self.align = f'struct {self.of.name}', self.of.name, self.of.size, False, self.of.align
            self.values, self.text = self.of.draw, self.of.text
        self.align = self.align or self.wide
        if kind == 'text':
            self.length = source.randrange(1, 7)
        elif kind != 'string' and kind not in INTEGERS and source.random() < (0.5 if kind == 'struct' else 0.25):
            self.length = source.randrange(1, 5)
        self.is_text = self.type == 'char' and self.length > 0
        self.counts = kind in ('integer', 'float', 'char', 'text', 'enum')
        if kind in ('integer', 'float'):
            self.options, self.said = options(source, self.number)

    def draw(self):
        if self.is_text:
            return ''.join(self.values() for _ in range(source_length(self.values, self.length)))
        return [self.values() for _ in range(self.length)] if self.length else self.values()

    def shown(self, value, way):
        def text(one):
            return self.text(one, way) if self.of else self.text(one)

        if self.is_text:
            return f'"{value}"'
        return '[' + ' '.join(map(text, value)) + ']' if self.length else text(value)

    def entry(self, way):
        """NVTX's number or the name of the type. To a tool that refuses an enum it is an integer."""
        if isinstance(self.of, Enum) and refused(self.of, way):
            return INTEGERS['int32_t' if self.near == 'i32' else 'uint32_t'][0]
        return 75 if self.is_text else self.number

    def assigned(self, where, value):
        """C statements."""
        if self.is_text:
            return [f'memcpy({where}, "{value}", {len(value)});']
        if self.length:
            return [line for i, one in enumerate(value) for line in self.one(f'{where}[{i}]', one)]
        return self.one(where, value)

    def one(self, where, value):
        return self.of.assigned(where, value) if isinstance(self.of, Struct) else [f'{where} = {self.c(value)};']


def source_length(values, most):
    """A text is as long as its array, or ends with a zero."""
    return most if values() in 'abc' else most - 1


def options(source, number):
    """Of a field or counter: in C, and as the tool writes them."""
    c, said = '', ''
    if source.random() < 0.3:
        c, said = ', .unit = "mm"', ' unit=mm'
    least, most = source.choice([(None, None), (None, 7), (-5, None), (2, 9), (0, 0), (-3, 4)])
    for name, value in ('min', least), ('max', most):
        c += '' if value is None else f', .{name} = {value}'
    least, most = least or 0, most or 0
    if least != most and not (number == U64 and (least < 0 or most < 0)):
        said += f' {"u64" if number == U64 else "i64" if 0 < number < U64 else "f64"}:{least}..{most}'
    elif least != most:  # no limits of an unsigned number
        return '', ''
    if source.random() < 0.3:
        c, said = c + ', .description = "how much"', said + ' (how much)'
    return c, said


class Enum:
    def __init__(self, source, number):
        self.name, self.values, last = f'enum_{number}', [], -1
        for i in range(source.randrange(1, 5)):
            last = last + 1 if source.random() < 0.6 else source.choice([last + 1 + source.randrange(100), *([-5 - number] if i == 0 else [])])
            self.values.append((f'VALUE_{number}_{i}', last))

    def declared(self):
        return f'NVTXH_PAYLOAD_ENUM({self.name}, ' + ', '.join(f'({name}, {value})' for name, value in self.values) + ');'

    def schema(self):
        return f'{self.name} 4 {{' + ', '.join(f'{name}={value}' for name, value in self.values) + '}'


class Struct:
    def __init__(self, source, number, structs, enums, kinds=None):
        self.name = f'struct_{number}'
        if not kinds:
            kinds = ['struct', 'integer'] if structs and source.random() < 0.5 else []  # a number after what may be refused
            kinds += [None] * source.choice([1, 2, 4, 7])
        self.fields = [Field(source, structs, enums, kind) for kind in kinds]
        self.offsets, at = [], 0
        for f in self.fields:
            at = -(-at // f.align) * f.align
            self.offsets.append(at)
            at += f.wide * max(1, f.length)
        self.align = max(f.align for f in self.fields)
        self.size = -(-at // self.align) * self.align

    def declared(self):
        rows = (f'({f.type}{f"[{f.length}]" if f.length else ""}, f{i}{f.options})' for i, f in enumerate(self.fields))
        return f'NVTXH_PAYLOAD_STRUCT({self.name}, ' + ', '.join(rows) + ');'

    def kept(self, way):
        """The fields' numbers. Those whose struct is refused are left out."""
        return [i for i, f in enumerate(self.fields) if not (isinstance(f.of, Struct) and refused(f.of, way))]

    def is_deep(self, way):
        return any(f.of.is_deep(way) if isinstance(f.of, Struct) else f.deep for f in (self.fields[i] for i in self.kept(way)))

    def schema(self, group, way):
        rows = (f'f{i}@{at} {f.entry(way)}{f"[{f.length}]" if f.length else ""}{" counter" if group and f.counts and not f.is_text else ""}{f.said}'
                for i, f, at in ((i, self.fields[i], self.offsets[i]) for i in self.kept(way)))
        return f'{self.name} {self.size}{" deep" if self.is_deep(way) else ""}{" group" if group else ""} {{' + ', '.join(rows) + '}'

    def needs(self, way, group=False):
        """What is registered with it: schemas and enums."""
        found = set() if refused(self, way) else {f'schema {self.schema(group, way)}'}
        for f in self.fields:
            if f.type == 'bool':
                found.add('enum bool 1 {false=0, true=1}')
            elif isinstance(f.of, Enum):
                found |= set() if refused(f.of, way) else {f'enum {f.of.schema()}'}
            elif f.of:
                found |= f.of.needs(way)
        return found

    def is_taken(self, way):
        return way != NONE and not refused(self, way)

    def payload(self, value, way):
        return ' ' + self.text(value, way) if self.is_taken(way) else self.nearest(value)

    def draw(self):
        return [f.draw() for f in self.fields]

    def text(self, value, way):
        return self.name + '{' + ' '.join(f'f{i}={self.fields[i].shown(value[i], way)}' for i in self.kept(way)) + '}'

    def assigned(self, where, value):
        return [line for i, (f, v) in enumerate(zip(self.fields, value)) for line in f.assigned(f'{where}.f{i}', v)]

    def nearest(self, value):
        """For tools without structs: the first number."""
        for f, v in zip(self.fields, value):
            if f.near and not f.length:
                return ' ' + single(f.near, ord(v) if f.type == 'char' else v)
        return ''


def single(near, value):
    return f'{near}={value & 0xffffffff if near == "u32" else value:{"g" if near[0] == "f" else "d"}}'


def converted(value, to_double):
    if to_double:
        return f'{float(value):.9g}'
    return str(max(-1 << 63, min((1 << 63) - 1, int(value))))


class Program:
    """Lines of C, what a tool with extensions is given and what one without, and what is registered."""

    def __init__(self, seed):
        self.source = source = random.Random(seed)
        self.enums, self.structs = [Enum(source, i) for i in range(4)], []
        for i in range(25):
            self.structs.append(Struct(source, i, self.structs, self.enums))
        self.counters, self.lines = [], []
        self.events, self.names = {way: [] for way in WAYS}, {way: set() for way in WAYS}
        for i in range(60):
            source.choice([self.mark, self.mark, self.pop, self.counter, self.group])(i)
        for n, kind in enumerate(2 * list(INTEGERS)):  # the least and the largest of each type
            s = Struct(source, 25 + n, [], [], [kind])
            self.structs.append(s)
            self.mark(60 + n, s, [s.fields[0].ends[n // len(INTEGERS)]])
        s = Struct(source, len(self.structs), [], self.enums, 32 * [None])  # as many fields as there may be
        self.structs.append(s)
        self.mark(60 + len(self.structs), s, s.draw())

    def object(self, number, s=None, value=None):
        s = s or self.source.choice(self.structs)
        value = value or s.draw()
        self.lines += [f'static struct {s.name} v{number};', *s.assigned(f'v{number}', value)]
        return s, value

    def domain(self):
        domain = self.source.choice(['', 'train'])
        return domain, '.domain = &train, ' * bool(domain), domain + ' ' * bool(domain)

    def mark(self, i, *what):
        (s, value), (domain, attribute, prefix) = self.object(i, *what), self.domain()
        self.lines.append(f'NVTXH_MARK("m{i}", {attribute}.payload = nvtxh_payload(&v{i}));')
        for way in WAYS:
            self.events[way].append(f'{prefix}mark [m{i}]{s.payload(value, way)}')
        self.registers(domain, s)

    def pop(self, i):
        (s, value), (domain, attribute, prefix) = self.object(i), self.domain()
        self.lines += [f'NVTXH_PUSH("p{i}"{", .domain = &train" * bool(domain)});', f'NVTXH_POP({attribute}.payload = nvtxh_payload(&v{i}));']
        for way in WAYS:
            self.events[way] += [f'{prefix}push [p{i}]', f'{prefix}pop' + (f' {s.text(value, way)}' if s.is_taken(way) else '')]
        self.registers(domain, s)

    def registers(self, domain, s, group=False):
        for way in WAYS:
            self.names[way] |= {(domain, name) for name in s.needs(way, group)}

    def define(self, i, number):
        domain, _, prefix = self.domain()
        c, said = options(self.source, number)
        self.counters.append(f'NVTXH_COUNTER(c{i}, {"&train" if domain else "NULL"}, "c{i}"{c});')
        said, about = said.removesuffix(' (how much)'), ' (how much)' * said.endswith(')')
        return prefix, (domain, f'counter c{i}{f" {number}" * bool(number)}{said} time=14{about}')

    def group(self, i):
        """One struct, or a batch with the times of each."""
        s, count = self.source.choice(self.structs), self.source.choice([0, 1, 3])
        values = [s.draw() for _ in range(max(1, count))]
        prefix, name = self.define(i, 0)
        self.lines += [f'static struct {s.name} v{i}[{len(values)}];', *(line for k, value in enumerate(values) for line in s.assigned(f'v{i}[{k}]', value)),
                       f'static const int64_t v{i}_at[] = {{7, 8, 9}}; nvtxh_counter_batch(&c{i}, v{i}, {count}, v{i}_at);' if count else f'nvtxh_counter_set(&c{i}, v{i});']
        for way in WAYS:
            texts = (s.text(value, way) + f'@{7 + k}' * bool(count) for k, value in enumerate(values))
            self.events[way].append(f"{prefix}counter 'c{i}' {' '.join(texts)}" if s.is_taken(way) else f"{prefix}mark 'c{i}'{s.nearest(values[-1])}")
            self.names[way] |= {name} if s.is_taken(way) else set()
        self.registers(name[0], s, True)

    def counter(self, i):
        """Values of several types, one by one and together; the first decides on the counter's."""
        source, types = self.source, {'int32_t': 'i32', 'uint32_t': 'u32', 'int64_t': 'i64', 'uint64_t': 'u64', 'float': 'f32', 'double': 'f64'}
        first = source.choice(list(types))
        double = first in ('float', 'double')
        prefix, name = self.define(i, 20 if double else 17)
        new, old = [], []
        for n, c in enumerate([first] + source.choices(list(types), k=5)):
            letter = {'float': 'f', 'double': 'd'}.get(c) or INTEGERS[c][1]
            bits = 8 * struct.calcsize(letter)
            least = -(1 << bits - 1) if letter in 'iq' else 0
            most = (1 << bits - (letter in 'iq')) - 1
            def draw():
                return source.randrange(-40000, 40000) / 4 if letter in 'fd' else source.choice([least, most, source.randint(least, most), 5])

            def written(value):
                return f'{value:.2f}' if letter in 'fd' else f'(-{-value - 1}ll - 1)' if value < 0 else f'{value}ull'

            if c in ('double', 'int64_t') and source.random() < 0.5:
                values, array = [draw() for _ in range(source.choice([1, 3, 64, 65, 130]))], f'a{i}_{n}'
                self.lines += [f'static const {c} {array}[] = {{{", ".join(map(written, values))}}};',
                               f'static const int64_t {array}_at[] = {{{", ".join(str(1000 + k) for k in range(len(values)))}}};',
                               f'nvtxh_counter_batch(&c{i}, {array}, {len(values)}, {array}_at);']
                size = len(values) if (c == 'double') == double else 64
                new += [f"{prefix}counter 'c{i}' " + ' '.join(f'{converted(v, double)}@{1000 + at + k}' for k, v in enumerate(values[at:at + size]))
                             for at in range(0, len(values), size)]
                if n or double == (c == 'double'):
                    value = values[-1]
            else:
                value = draw()
                self.lines.append(f'nvtxh_counter_set(&c{i}, ({c})({written(value)}));')
                new.append(f"{prefix}counter 'c{i}' {converted(value, double)}")
            old.append(f"{prefix}mark 'c{i}' {types[c]}={value:{'.17g' if letter in 'fd' else 'd'}}")
        for way in WAYS:
            self.events[way] += old if way == NONE else new
            self.names[way].add(name)

    def text(self):
        return '\n'.join(['#include "nvtxh.h"', '#include "nvtxh/counter.h"', f'#include "{LOG}"', '#include <stdio.h>', '#include <string.h>',
                          'NVTXH_DOMAIN(train, "train");', *(e.declared() for e in self.enums), *(s.declared() for s in self.structs), *self.counters,
                          'int main(void)', '{', 'size_t i;', *self.lines, 'puts(log_text(0));', 'for (i = 0; i < log_size(); i++) {',
                          'const struct log_event *e = log_at(i);',
                          'if (e->kind == LOG_SCHEMA || e->kind == LOG_ENUM || e->kind == LOG_COUNTER_NAME)',
                          'printf("%s\\t%s %s\\n", e->domain ? e->domain : "", e->kind == LOG_SCHEMA ? "schema" : e->kind == LOG_ENUM ? "enum" : "counter", '
                          'e->text);', '}', 'return 0;', '}', ''])


LOG = pathlib.Path(__file__).resolve().parents[1] / 'inject' / 'log.h'


def main():
    for way, seed in itertools.product(sys.argv[1:], seeds(1)):
        drawn = Program(seed)
        with tempfile.TemporaryDirectory() as folder:
            build = Way(way, pathlib.Path(folder))
            if build.nvtx in ('3.0', '3.1'):
                skip('these NVTX headers have no payload extension')
            source = build.folder / 'drawn.c'
            source.write_text(drawn.text())
            quiet = ['-Wno-declaration-after-statement'] * (build.language == 'c')
            program = build.build(source, *quiet, tool=True, optimise='-O0')
            for words in WAYS:
                wanted = drawn.events[words]
                events, *names = build.succeeds(program, tool=build.tool, words=words).splitlines()
                events = events.split('; ')
                for got, want in zip(events, wanted):
                    equal(got, want, f'{way}, seed {seed}, {words}')
                equal(len(events), len(wanted), f'{way}, seed {seed}: events, {words}')
                equal(sorted(names), sorted(f'{domain}\t{name}' for domain, name in drawn.names[words]) if words != NONE else [], f'{way}, seed {seed}: what is registered')


if __name__ == '__main__':
    main()
