# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The public headers, as their own comments describe them: for the site's reference (reference.py) and for nvtxh(3) (manual.py).

In the comment that a header begins with, lines from the left margin are text, lines of four spaces or more code, lines of two a menu:

    NVTXH_MARK(msg, ...)     what it does, in as many lines as it takes

and paragraphs that begin with a label, as "Threads: any". Comments above types, constants and functions are entries as well.
"""
import functools
import pathlib
import re
import typing

ROOT = pathlib.Path(__file__).resolve().parent.parent

# The labels that each header must have.
LABELS = ['Evaluation', 'Cost', 'Threads', 'Off', 'Errors', 'Since']
HEADERS = {'nvtxh/' + name: LABELS for name in (
    'scope.h', 'mark.h', 'push.h', 'range.h', 'attr.h', 'domain.h', 'category.h', 'named.h', 'color.h', 'thread.h', 'state.h', 'stats.h',
    'capture.h', 'payload.h', 'counter.h', 'device.h', 'instrument.h')}
HEADERS['recorder/nvtxh_record.h'] = LABELS
HEADERS.update(('nvtxh/' + name, ['Since']) for name in ('config.h', 'check.h', 'short.h', 'version.h'))
OTHERS = ['Clock', 'Streams', 'Graphs', 'Payloads', 'Compiling']
# Where a header does not say it.
SINCE = '0.1.0, the first version.'

NAME = re.compile(r'\b(?:NVTXH?_(?!I_)[A-Z]\w*|nvtxh_(?!i_)[a-z]\w*)')
LABEL = re.compile(rf'({"|".join(LABELS + OTHERS)})(?:: (?=\S)| {{2,}}(?=\S)| (?=(?:when|while) [^:]*: ))')
COLUMNS = re.compile(r'^ {2,3}(\S.*?)(?: {2,}(\S.*))?$')


class Entry(typing.NamedTuple):
    term: str  # as it is written in a program
    about: str


class Block(typing.NamedTuple):
    kind: str  # text, code, menu (of entries) or list (of texts)
    content: typing.Any


class Header(typing.NamedTuple):
    path: str
    title: str
    names: dict  # {public name: (Entry, declaration or '')}
    blocks: list  # what else it says
    sections: dict  # {label: blocks}


def indentation(line):
    return len(line) - len(line.lstrip()) if line.strip() else 0


def joined(lines):
    return ' '.join(line.strip() for line in lines if line.strip())


def menu(lines):
    entries = []
    for line in lines:
        if indentation(line) > 3 and entries:
            entries[-1] = Entry(entries[-1].term, f'{entries[-1].about} {line.strip()}'.strip())
        else:
            term, about = COLUMNS.match(line).groups()
            entries.append(Entry(term, about or ''))
    return entries


def is_menu(lines):
    return bool(lines) and 2 <= indentation(lines[0]) <= 3 and any(re.search(r'\S {2,}\S', line) for line in lines)


def taken(lines, belongs):
    """Removes the leading lines that belong from LINES, with the empty ones between them; returns them."""
    end = 0
    for number, line in enumerate(lines):
        if line.strip() and not belongs(line):
            break
        if line.strip():
            end = number + 1
    found = lines[:end]
    del lines[:end]
    return found


def block(lines):
    """Takes a block without a label from the beginning of LINES."""
    if indentation(lines[0]) >= 4:
        code = taken(lines, lambda line: indentation(line) >= 4)
        margin = min(indentation(line) for line in code if line.strip())
        return Block('code', '\n'.join(line[margin:] for line in code))
    paragraph = lines[:next((n for n, line in enumerate(lines) if not line.strip()), len(lines))]
    if indentation(paragraph[0]) >= 2:
        end = next((n for n, line in enumerate(paragraph) if indentation(line) < 2), len(paragraph))
        kind = 'code' if re.match(r' +--', paragraph[1] if end > 1 else '') else 'menu' if is_menu(paragraph[:end]) else 'text'
        if paragraph[0].lstrip().startswith('- '):
            kind = 'list'
    else:
        kind = 'text'
        end = next((n for n, line in enumerate(paragraph) if n and (LABEL.match(line) or is_menu(paragraph[n:]) or
                                                                  indentation(line) >= 4)), len(paragraph))
    found = paragraph[:end]
    del lines[:end]
    if kind == 'menu':
        return Block(kind, menu(found))
    if kind == 'list':
        return Block(kind, re.split(r'\s*(?:^|\s)- ', joined(found))[1:])
    return Block(kind, '\n'.join(line[2:] for line in found) if kind == 'code' else joined(found))


def parsed(lines):
    """(blocks, {label: blocks}) of a comment's lines."""
    lines, blocks, sections = list(lines), [], {}
    while lines:
        if not lines[0].strip():
            del lines[0]
            continue
        label = LABEL.match(lines[0])
        if not label:
            blocks.append(block(lines))
            continue
        column = label.end() if label[0].endswith('  ') else 0
        lines[0] = ' ' * column + lines[0][label.end():].lstrip()
        if column:
            inside = taken(lines, lambda line: indentation(line) >= column)
        else:
            inside = lines[:next((n for n, line in enumerate(lines) if n and (not line.strip() or LABEL.match(line))), len(lines))]
            del lines[:len(inside)]
        more, _ = parsed(line[column:] for line in inside)
        sections.setdefault(label[1], []).extend(more)
    return blocks, sections


def comments(text):
    """(lines, what follows) of the comments in a C file."""
    for found in re.finditer(r'^/\*(.*?)\*/\n', text, re.DOTALL | re.MULTILINE):
        lines = [re.sub(r'^ \* ?', '', line).rstrip() for line in found[1].strip('\n').splitlines()]
        yield [line.strip() if len(lines) == 1 else line for line in lines], text[found.end():]


def declaration(text):
    """The declarations that a text begins with, up to an empty line."""
    if text.startswith(('struct', 'enum')):
        return re.match(r'.*?^};|[^{]*;', text, re.DOTALL | re.MULTILINE)[0]
    return re.match(r'(?:.+\n)*', text)[0].rstrip()


def described(text):
    """{name: (Entry, declaration)} of the declarations with a comment above."""
    found = {}
    for lines, after in comments(text):
        blocks, _ = parsed(lines)
        about = ' '.join(one.content for one in blocks if one.kind == 'text')
        each = {entry.term: entry.about for one in blocks if one.kind == 'menu' for entry in one.content}
        after = re.sub(r'^(?:#if.*\n)+', '', after)
        if about.startswith('Not API') or not after.strip() or after.startswith(('\n', '/*')):
            continue
        declared = declaration(after)
        closed = re.search('not API', about, re.IGNORECASE) and '{' in declared
        for name in re.findall(r'^(?:#define|struct|enum|[a-z_]+(?: [a-z_]+)*) \*?(\w+)', declared, re.MULTILINE):
            if name in public_names() or NAME.fullmatch(name) and not name.endswith('_H'):
                shown = declared.split(' {')[0] if closed else declared if declared[0] in 'se' and '{' in declared else prototype(name, declared)
                own = [each[word] for word in each if name.endswith('_' + word)]
                found.setdefault(name, (Entry(name, own[0] if own else re.sub(f'^{name}: ', '', about)), shown))
    return found


def prototype(name, code):
    """How a function is declared."""
    found = re.search(rf'^(?:NVTXH_I_\w+ )?((?:[a-z_]\w* |\*)+{name}\([^;{{]*\));', code, re.MULTILINE)
    return re.sub(r'\s+', ' ', found[1]).replace('NVTXH_I_FILE', 'FILE').replace('nvtxh_i_stream', 'cudaStream_t').replace(
        'nvtxh_i_status', 'cudaError_t').replace('nvtxh_i_cuda_event', 'cudaEvent_t') + ';' if found else ''


def header(path):
    text = (ROOT / path).read_text()
    room = (ROOT / path.replace('counter', 'payload')).with_suffix('') / 'types.h'
    whole = text.split('/* Not API from here on')[0] + (room.read_text() if room.exists() else '')
    code = re.sub(r'/\*.*?\*/', '', whole, flags=re.DOTALL)
    own = {name for name in NAME.findall(code) if re.search(
        rf'#define {name}\b|(?:struct|enum) {name}\s*{{|^[^#]*\b{name}\(\w[^()]*\)\s*[;{{]', code, re.MULTILINE)}
    own |= set(NAME.findall(text)) if path == 'nvtxh/config.h' else set()
    lines = next(lines for lines, _ in list(comments(text))[1:])
    blocks, sections = parsed(lines)
    title = blocks.pop(0).content if blocks[0].kind == 'text' else ''
    names, rest = {}, []
    for found in blocks:
        if found.kind != 'menu':
            rest.append(found)
            continue
        others = []
        for entry in found.content:
            new = [name for name in NAME.findall(entry.term) if name in own and name not in names]
            names.update((name, (entry, prototype(name, code))) for name in new)
            others += [] if new else [entry]
        if others:
            rest.append(Block('menu', others))
        elif rest and rest[-1].kind == 'text' and rest[-1].content.endswith(':'):
            rest.pop()  # it introduced what now is an entry for each name
    for name, (entry, declared) in described(whole).items():
        entry, known = names.get(name, (entry, ''))
        names[name] = entry, known or declared
    return Header(path, title, names, rest, sections)


def headers():
    """All of them, in the order of the menu. Raises ValueError where a comment lacks something."""
    found = [header(path) for path in HEADERS]
    for number, one in enumerate(found):
        for later in found[number + 1:]:
            for name in later.names:
                one.names.pop(name, None)
        one.sections.setdefault('Since', [Block('text', SINCE)])
        missing = [label for label in HEADERS[one.path] if label not in one.sections]
        if missing:
            raise ValueError(f'{one.path}: its first comment has no paragraph that begins with "{missing[0]}: "')
    return found


@functools.lru_cache(maxsize=None)
def public_names():
    lines = (ROOT / 'tests' / 'compile' / 'public_names.txt').read_text().splitlines()
    return [line for line in lines if line and not line.startswith('#')]
