#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Prints a manual page.

    manual.py                               nvtxh(3): the comments of the public headers
    manual.py NVTXH COMPLETIONS COMMAND     nvtxh-COMMAND(1): the command's section of nvtxh(1); its examples, and the options that
                                            the section does not describe, from the tables that the program NVTXH prints.
                                            completions.py, in the folder COMPLETIONS, reads these

In the comments, text at the left margin is filled, and so are lines that continue it with at most three spaces. What is indented
further, or has columns, is printed as it stands. Each header's first comment has paragraphs that begin with the words in LABELS."""
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
LABELS = ['Evaluation', 'Cost', 'Threads', 'Off', 'Errors']
HEADERS = [f'nvtxh/{name}.h' for name in (
    'scope', 'mark', 'push', 'range', 'attr', 'domain', 'category', 'named', 'color', 'thread', 'state', 'stats', 'capture', 'payload', 'counter',
    'device', 'instrument')] + ['recorder/nvtxh_record.h']
SETTINGS = [f'nvtxh/{name}.h' for name in ('config', 'check', 'short', 'version')]  # these need no labels

LICENCE = '.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception'
HEAD = '''.Dt NVTXH 3
.Os
.Sh NAME
.Nm nvtxh
.Nd name the parts of your C or C++ program, and see where its time goes
.Sh SYNOPSIS
.In nvtxh.h
.In nvtxh/stats.h
.In nvtxh/capture.h
.In nvtxh/payload.h
.In nvtxh/counter.h
.In nvtxh/device.h
.In nvtxh_record.h
.Sh DESCRIPTION'''
END = '''.Sh ENVIRONMENT
.Bl -tag -width Ds
.It Ev NVTX_INJECTION64_PATH
The tool that NVTX loads with the first annotation.
.It Ev NVTXH_STATS
Switches statistics on, which need no tool: see
.Sx nvtxh/stats.h .
.El
.Sh SEE ALSO
.Xr nvtxh 1 ,
.Xr nvtxh 5'''
PUBLIC = re.compile(r'\b(?:NVTXH_(?!I_)[A-Z]|nvtxh_(?!i_)[a-z])\w*')


def escaped(text):
    """A text, escaped as a line of mdoc."""
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + text if text[:1] in ".'" else text


def filled(lines):
    """Lines as paragraphs; each sentence is a line."""
    return ['.Pp', *map(escaped, re.split(r'(?<=[.?!]) +', ' '.join(line.strip() for line in lines)))]


def literal(lines):
    margin = min(len(line) - len(line.lstrip()) for line in lines if line.strip())
    return ['.Bd -literal', *(escaped(line[margin:]) for line in '\n'.join(lines).strip('\n').splitlines()), '.Ed']


def comment(lines):
    """The lines of a comment as mdoc."""
    out, run, shown = [], [], filled
    for line in [*lines, '']:
        depth = len(line) - len(line.lstrip())
        kind = shown
        if line and depth == 0:
            kind = literal if re.match(r'\w+ {2,}', line) else filled
        elif line and (depth > 3 or re.search(r'\S {2,}', line)):
            kind = literal
        begins = shown is filled and re.match(r'[A-Z]\w+[^.]*: ', line)  # "Threads: any"
        if run and (kind != shown or begins or not line and shown is filled):
            out += shown(run)
            run = []
        if line or run:
            run.append(line)
        shown = kind
    return out + (shown(run) if any(run) else [])


def comments(text):
    """(lines, what follows) of the comments in a C file."""
    for found in re.finditer(r'^/\*(.*?)\*/\n', text, re.DOTALL | re.MULTILINE):
        yield [re.sub(r'^ \* ?', '', line).rstrip() for line in found[1].strip().splitlines()], text[found.end():]


def declared(text):
    """What a header declares at the beginning of TEXT for its users; '' if that is nothing public."""
    text = re.sub(r'^(?:#if.*\n)+', '', text)
    kind = re.match(r'(?:struct|enum)(?: (\w+))? {', text)
    if kind:
        found = re.match(r'.*?^};', text, re.DOTALL | re.MULTILINE)[0]
        return found if PUBLIC.search(kind[1] or re.sub(r'/\*.*?\*/', '', found, flags=re.DOTALL)) else ''
    block = re.match(r'(?:.+\n)*', text)[0]
    if block.startswith('#define'):
        return '\n'.join(name for name in re.findall(r'^#define (\w+(?:\([^)]*\))?)', block, re.MULTILINE) if PUBLIC.match(name))
    found = re.findall(r'^(?:NVTXH_I_\w+ )?((?:[a-z_]\w* |\*)+nvtxh_(?!i_)\w+(?:\([^;{]*\))?) ?[;{]', block, re.MULTILINE)
    return '\n'.join(re.sub(r'\s+', ' ', one).replace('NVTXH_I_FILE', 'FILE') + ';' for one in found)


def section(path):
    """What nvtxh(3) has of a header. Raises ValueError if the header's comment lacks a label."""
    text = (ROOT / path).read_text().split('/* Not API from here on')[0]
    types = (ROOT / path.replace('counter', 'payload')).with_suffix('') / 'types.h'
    first, *others = list(comments(text))[1:] + (list(comments(types.read_text()))[1:] if types.exists() else [])
    missing = [label for label in LABELS if path in HEADERS and not re.search(rf'^{label}\b', '\n'.join(first[0]), re.MULTILINE)]
    if missing:
        raise ValueError(f'{path}: its first comment has no paragraph that begins with "{missing[0]}: "')
    names = declared(first[1])
    out = [f'.Ss {path}', *comment(first[0])[1:], *(literal(names.splitlines()) if names else [])]
    for lines, after in others:
        declaration = declared(after) if not re.match('Not API|clang-format', lines[0]) else ''
        if 'not API' in ' '.join(lines):
            declaration = declaration.partition(' {')[0]
        if declaration:
            out += [*literal(declaration.splitlines()), *comment(lines)]
    return out


def headers(date):
    first, _ = list(comments((ROOT / 'nvtxh.h').read_text()))[1]
    example = first[:next(number for number, line in enumerate(first) if line.startswith('Contents.'))]
    out = [LICENCE, date, HEAD, *comment(example)[1:]]
    for path in HEADERS + SETTINGS:
        out += section(path)
    return [*out, END]


def option_lines(option):
    names = [f'Fl {name[1:]}' for name in (option.short, option.long) if name]
    argument = f' Ar {option.argument.lower()}' if option.argument else ''
    words = f' ({", ".join(option.choices)})' if option.choices else ''
    return ['.It ' + ' , '.join(names) + argument, escaped(option.help + words)]


def command(nvtxh, completions, name, page, date):
    sys.path.insert(0, completions)
    from completions import commands_of
    found = commands_of(nvtxh)[name]
    page = re.sub(r'^\.Nm(?=$| \.$)', '.Nm nvtxh', page, flags=re.MULTILINE)  # alone, it would print nvtxh-COMMAND
    synopsis = re.findall(rf'^\.Nm nvtxh Cm {name} .*$', page.partition('\n.Sh DESCRIPTION\n')[0], re.MULTILINE)
    text = re.search(rf'^\.Ss nvtxh {name}\n(.*?)^\.S[sh] ', page, re.MULTILINE | re.DOTALL)[1]
    described = set(re.findall(r'Fl -([a-z-]+)', text.replace('\\', '')))
    others = [option for option in found.options if option.long[2:] not in described]
    return [LICENCE, date, f'.Dt NVTXH-{name.upper()} 1', '.Os', '.Sh NAME', f'.Nm nvtxh-{name}', f'.Nd {escaped(found.about)}', '.Sh SYNOPSIS',
            *synopsis, '.Sh DESCRIPTION', text.rstrip(), '.Sh MORE OPTIONS', '.Bl -tag -width Ds',
            *(line for option in others for line in option_lines(option)), '.El',
            '.Sh EXAMPLES', *(f'.Dl {escaped(example)}' for example in found.examples), '.Sh SEE ALSO', '.Xr nvtxh 1']


def main():
    sys.dont_write_bytecode = True
    page = (ROOT / 'recorder' / 'cli' / 'nvtxh.1').read_text()
    date = re.search(r'^\.Dd .*$', page, re.MULTILINE)[0]
    print('\n'.join(command(*sys.argv[1:], page, date) if sys.argv[1:] else headers(date)))


if __name__ == '__main__':
    main()
