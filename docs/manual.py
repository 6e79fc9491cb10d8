#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""manual.py: the manual page nvtxh(3), of the headers' comments (headers.py), on standard output."""
import re

from headers import LABELS, OTHERS, ROOT, comments, headers, parsed

HEAD = '''.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
.Dd {date}
.Dt NVTXH 3
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
.In nvtxh_record.h'''
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


def line(text):
    """A text as a line of its own."""
    text = text.replace('\\', '\\e').replace('-', '\\-').replace('`', '')
    return '\\&' + text if text[:1] in ".'" else text


def lines(text):
    """Each sentence as a line."""
    return [line(part) for part in re.split(r'(?<=[.?!]) +', text)]


def sentences(text):
    return lines(text[:1].upper() + text[1:] + ('' if text[-1:] in '.:?' else '.'))


def literal(text):
    return ['.Bd -literal -offset indent', *map(line, text.splitlines()), '.Ed']


def item(term):
    """The tag of a list; quoted, or its words might be macros."""
    return '.It Li "' + line(term).replace('"', '\\(dq') + '"'


def tagged(entries):
    out = ['.Bl -tag -width Ds']
    for term, about in entries:
        out += [item(term)] + (sentences(about) if about else [])
    return out + ['.El']


def shown(block):
    if block.kind == 'text':
        return lines(block.content)
    if block.kind == 'code':
        return literal(block.content)
    if block.kind == 'list':
        return ['.Bl -bullet -compact', *(part for text in block.content for part in ['.It', *lines(text)]), '.El']
    return tagged(block.content)


def paragraphs(blocks):
    out = []
    for number, block in enumerate(blocks):
        out += (['.Pp'] if number and block.kind == 'text' else []) + shown(block)
    return out


def entries(header):
    """(term, about) of what the menu explains, and of types and constants."""
    found = []
    for name, (entry, declared) in header.names.items():
        term = declared if declared and '{' not in declared and entry.term == name else entry.term
        if (term, entry.about) not in found:
            found.append((term, entry.about))
    return found


def section(header):
    out = [f'.Ss {header.path}', *lines(header.title)]
    blocks = list(header.blocks)
    while blocks and blocks[0].kind == 'code':
        out += shown(blocks.pop(0))
    out += (tagged(entries(header)) + (['.Pp'] if blocks and blocks[0].kind == 'text' else [])) if header.names else []
    out += paragraphs(blocks)
    for label in sorted(header.sections, key=[*OTHERS, *LABELS].index):
        if label != 'Since':
            out += ['.Pp', f'.Em {label} :', *paragraphs(header.sections[label])]
    return out


def main():
    first, _ = parsed(list(comments((ROOT / 'nvtxh.h').read_text()))[1][0])
    title, example = [block for block in first if block.kind in ('text', 'code')][:2]
    date = re.search(r'^\.Dd (.*)$', (ROOT / 'recorder' / 'nvtxh.1').read_text(), re.MULTILINE)[1]
    out = [HEAD.format(date=date), '.Sh DESCRIPTION', *sentences(title.content.partition(': ')[2]), *shown(example)]
    for header in headers():
        out += section(header)
    print('\n'.join([*out, END]))


if __name__ == '__main__':
    main()
