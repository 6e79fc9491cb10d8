# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of C sources and the names in them, read without a compiler: so every branch of an #if is seen.
Relies on clang-format's layout: a function's head begins in the first column and ends in ` {`, and its closing brace is in the first column."""
import collections
import re

NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
NAME = re.compile(r'(?<!\.)(?<!->)\b[A-Za-z_]\w*')  # no member's
OPENED = re.compile(r'(?:\)|\bconst|\bnoexcept|\boverride) \{$')  # not a struct, an enum or a value
VALUE = re.compile(r'^\w[^;{}=]*=([^;]*);', re.MULTILINE)

# `first` is the line on which it begins, `lines` how many there are up to its closing brace.
Function = collections.namedtuple('Function', 'name static first lines names')


def without_attributes(head):
    """A declaration without __attribute__((...)) and __asm__(...)."""
    while found := re.search(r'__(?:attribute|asm)__\s*\(', head):
        end, depth = found.end(), 1
        while depth:
            depth += {'(': 1, ')': -1}.get(head[end], 0)
            end += 1
        head = head[:found.start()] + head[end:]
    return head


def declared(head):
    """The name in a function's head: the first before a parenthesis that is not a macro's. '' if a macro makes it."""
    names = re.findall(r'(\w+)\s*\(', without_attributes(head))
    return next((name for name in names if not name.isupper()), '')


def head_above(outside, last):
    """The lines of a head that ends with the line LAST, the last one first."""
    lines = [last]
    for line in reversed(outside):
        if not re.search(r'[^\s;{}]\s*$', line):
            break
        lines.append(line)
    return lines


def read(text):
    """Returns the functions of a source, and the names outside of them: in macros and in initial values."""
    lines = NO_CODE.sub(lambda match: re.sub(r'[^\n]', ' ', match.group()), text).split('\n')
    functions, outside, macros, at = [], [], [], 0
    while at < len(lines):
        first = at
        if lines[at].lstrip().startswith('#'):
            while lines[at].rstrip().endswith('\\'):
                at += 1
            macros += lines[first:at + 1]
            outside.append('')
        elif OPENED.search(lines[at]) and not (above := head_above(outside, lines[at]))[-1].startswith(' '):
            brace = at
            while not lines[at].startswith('}'):
                at += 1
            body = '\n'.join(lines[brace + 1:at + 1])
            first -= len(above) - 1
            del outside[len(outside) - len(above) + 1:]
            head = '\n'.join(lines[first:brace + 1])
            functions.append(Function(declared(head), bool(re.search(r'\bstatic\b', head)), first + 1, at + 1 - first, set(NAME.findall(body))))
        else:
            outside.append(lines[at])
        at += 1
    return functions, set(NAME.findall('\n'.join(macros + VALUE.findall('\n'.join(outside)))))
