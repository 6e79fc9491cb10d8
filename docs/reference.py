# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The site's reference: a page per public header, made of its comments (headers.py), and the list of all names. site.py puts the
pages into the site; they are not in the repository."""
import re

from headers import LABELS, NAME, OTHERS, ROOT, headers, public_names

SHORT = dict((long, short) for short, long in re.findall(
    r'^#define (NVTX_\w+) (NVTXH_\w+|nvtxh_end)$', (ROOT / 'nvtxh' / 'short.h').read_text(), re.MULTILINE))
CODE = re.compile(r"`[^`]*`|(?<![\w'])(?:NVTXH?_|nvtxh_(?!stats\b\.)|cuda[A-Z]|CLOCK_|CU[a-z])\w+(?:=\w+)?(?:\([^()]*(?:\([^()]*\)[^()]*)*\))?"
                  r"|(?<![\w-])--?[a-zA-Z][\w.=,-]*\w|(?:nvtxh|core|tests|bench)/[\w/.]*\w|(?<![\w.])\.(?:domain|category|color|payload|unit|min|max|description)\b")


def plain(text):
    return re.sub(r'([*\[\]])', r'\\\1', text).replace('<', '&lt;')


def prose(text):
    """A comment's text as Markdown, with names, options and paths marked as code."""
    out, at = [], 0
    for found in CODE.finditer(text):
        out += [plain(text[at:found.start()]), '`' + found[0].strip('`') + '`']
        at = found.end()
    return ''.join(out) + plain(text[at:])


def sentence(text):
    """A text that comes after a label, as a sentence of its own."""
    return text if NAME.match(text) or text.startswith('nvtxh/') else text[:1].upper() + text[1:]


def shown(block):
    if block.kind == 'text':
        return prose(block.content) + '\n'
    if block.kind == 'code':
        return f'```c\n{block.content}\n```\n'
    if block.kind == 'list':
        return ''.join(f'- {prose(text)}\n' for text in block.content)
    return ''.join(f'- `{entry.term}`' + (f': {prose(entry.about)}' if entry.about else '') + '\n' for entry in block.content)


def entry_of(names, entry, declared):
    """The entry of one name, or of several that are explained together."""
    out = [f'### {", ".join(names)}\n']
    code = declared + ([entry.term] if entry.term not in names and entry.term != f'{names[0]}()' else [])
    if code:
        out.append('```c\n' + '\n'.join(code) + '\n```\n')
    if entry.about:
        about = prose(sentence(entry.about))
        out.append(about + ('' if about[-1] in '.?:' else '.') + '\n')
    short = [f'`{SHORT[name]}`' for name in names if name in SHORT]
    if short:
        out.append(f'Short: {", ".join(short)}.\n')
    return '\n'.join(out)


def entries(header):
    """[(names, entry, declarations)]: names that one entry explains stand together."""
    found = []
    for name, (entry, declared) in header.names.items():
        same = [one for one in found if one[1].about == entry.about and not declared and not one[2] and entry.about.count(' ') > 6]
        if same or found and found[-1][1] is entry:
            (same or found)[-1][0].append(name)
            (same or found)[-1][2].extend([declared] if declared else [])
        else:
            found.append(([name], entry, [declared] if declared else []))
    return found


def page_of(header):
    out = [f'# {header.path}\n', prose(header.title) + '\n']
    blocks = list(header.blocks)
    while blocks and blocks[0].kind == 'code':
        out.append(shown(blocks.pop(0)))
    out += ['## Names\n'] if header.names else []
    out += [entry_of(*one) for one in entries(header)]
    if header.path == 'nvtxh/color.h':
        table = (ROOT / 'nvtxh' / 'core' / 'color_names.h').read_text()
        out += ['### Names of colours\n', ', '.join(f'`{name}`' for name in re.findall(r'^#define (NVTXH_[A-Z]+) 0xff', table, re.MULTILINE)), '']
    if header.path == 'nvtxh/short.h':
        out += ['| short | is |\n|---|---|', *(f'| `{short}` | `{long}` |' for long, short in SHORT.items()), '']
    if blocks:
        out += ['## Rules\n', *map(shown, blocks)]
    for label in sorted(header.sections, key=[*OTHERS, *LABELS].index):
        first, *others = header.sections[label]
        out += [f'## {label}\n', sentence(shown(first)), *map(shown, others)]
    out.append(f'From the comments of [{header.path}](../../{header.path}).\n')
    return '\n'.join(out)


def place(path):
    """The page of a header, below docs/."""
    return 'reference/' + path.rpartition('/')[2].removesuffix('.h') + '.md'


def pages():
    """{place below docs/: Markdown}. Raises ValueError if a public name has no entry."""
    found = headers()
    where = {name: header for header in found for name in header.names}
    where |= {short: where[long] for long, short in SHORT.items() if long in where}
    missing = [name for name in public_names() if name not in where]
    if missing:
        raise ValueError(f'no comment of a public header has an entry for {", ".join(missing)}')
    titles = {name: ', '.join(names) for header in found for names, _, _ in entries(header) for name in names}
    titles |= {short: titles[long] for long, short in SHORT.items() if long in titles}
    rows = [f'| [`{name}`]({place(header.path)[10:]}#{titles[name].lower().replace(", ", "-")}) | {header.path} |'
            for name, header in sorted(where.items(), key=lambda row: row[0].lower())]
    index = '# Every name\n\nThe public names, and the header that has each. Colours are in [nvtxh/color.h](color.md).\n\n| name | header |\n|---|---|\n'
    return {'reference/names.md': index + '\n'.join(rows) + '\n', **{place(header.path): page_of(header) for header in found}}
