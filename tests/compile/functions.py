# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The functions of C sources and the names in them, read without a compiler: so every branch of an #if is seen.
Relies on clang-format's layout: the braces of a function are alone in the first column."""
import collections
import re

NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'', re.DOTALL)
NAME = re.compile(r'(?<!\.)(?<!->)\b[A-Za-z_]\w*')  # no member's
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
        elif lines[at] == '{':
            while not lines[at].startswith('}'):
                at += 1
            body = '\n'.join(lines[first:at + 1])
            while outside and re.search(r'[^\s;}]\s*$', outside[-1]):
                first -= 1
                outside.pop()
            head = '\n'.join(lines[first:at + 1])[:-len(body)]
            functions.append(Function(declared(head), bool(re.search(r'\bstatic\b', head)), first + 1, at + 1 - first, set(NAME.findall(body))))
        else:
            outside.append(lines[at])
        at += 1
    return functions, set(NAME.findall('\n'.join(macros + VALUE.findall('\n'.join(outside)))))
