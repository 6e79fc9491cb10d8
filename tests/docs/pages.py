# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The pages, and the blocks of code in them.

A block in c or cpp is a whole file that compiles, one in cuda is for nvcc, one in python is a whole file, one in console is commands
after "$ " with what they print, one in sh is commands; those of nvtxh that need nothing special are run. Comments above a block, which readers do not see, say what is different:

    <!-- example: body -->                  the statements of a function
    <!-- example: continued -->             comes after the block above it, in one file with that
    <!-- example: file app.c -->            is also app.c in the folder where the page's commands run
    <!-- example: needs nvtx -->            is only run where tests/setup.sh has fetched that from PyPI; nvtxpy: at night; mpirun: where an MPI is
                                            installed; tracy: only compiled where Meson has fetched it for the benches
    <!-- example: rows -->                  what commands print has these lines, in any order: that of ranges which take about the same time
    <!-- example: not checked: REASON -->
    <!-- before: CODE -->                   code ahead of it that readers need not see, of one line or several

In what a command prints, a line of "..." stands for any lines, and numbers, their units, bars and the verdicts of
diff may be others: they depend on the machine.
"""
import re
import typing

from harness.checks import ROOT


class Block(typing.NamedTuple):
    page: str
    line: int
    language: str
    how: str  # what "example:" says, or ''
    before: str
    text: str

    def __str__(self):
        return f'{self.page}:{self.line}'


def pages():
    """{name: text} of what is checked: README, that of the examples, and docs/."""
    files = [ROOT / 'README.md', ROOT / 'examples' / 'README.md', *sorted((ROOT / 'docs').rglob('*.md'))]
    return {str(path.relative_to(ROOT)): path.read_text() for path in files}


COMMENT = re.compile(r'<!-- (example|before):\s?(.*?)\s?-->', re.DOTALL)
BLOCK = re.compile(r'((?:^<!-- (?:example|before):(?:(?!-->).)*-->\n)*)^```(\w+)\n(.*?)^```$', re.DOTALL | re.MULTILINE)


def blocks(*languages):
    """The blocks in these languages of all pages, in order."""
    for page, text in pages().items():
        for found in BLOCK.finditer(text):
            if found[2] in languages:
                said = {'example': '', 'before': '', **dict(COMMENT.findall(found[1]))}
                yield Block(page, text.count('\n', 0, found.start(2)) + 1, found[2], said['example'], said['before'], found[3])


def sources(*languages):
    """(block, what a compiler gets) for those that are compiled."""
    last = ''
    for block in blocks(*languages):
        if block.how.startswith('not checked: '):
            continue
        text = (last if block.how == 'continued' else '') + block.before + '\n'
        if block.how in ('body', 'continued'):
            text += f'void example(void);\nvoid example(void)\n{{\n{block.text}}}\n'
        else:
            text += block.text
        last = text
        yield block, text


def commands(text):
    """[(command, what it prints)] of a block in console. Further lines of a command begin with "> ", as in a shell."""
    found = []
    for line in text.splitlines():
        if found and line.startswith('> ') and not found[-1][1]:
            found[-1] = (found[-1][0] + '\n' + line, '')
        elif line.startswith('$ '):
            found.append((line[2:], ''))
        elif found:
            found[-1] = (found[-1][0], found[-1][1] + line + '\n')
        else:
            raise ValueError(f'a console block begins with a command, not {line!r}')
    return found


NUMBER = r'[-+]?(?<![A-Za-z_\d])\d[\d,]*(\.\d+)?(e[-+]\d+)?'


def masked(text):
    """The lines of what a command printed, without what differs from one run to the next."""
    text = re.sub(r'\n+Findings:\n(  .*\n)+', '\n', text)  # which there are depends on times
    text = re.sub(r'\n+Program: .* CPU .*\n', '\n', text)  # most pages show the table alone
    text = re.sub(r'; preempted (\S+) times?\b', r'; preempted \1 times', text)
    text = re.sub(r'[▏▎▍▌▋▊▉█░▒▓]', '', text)
    text = re.sub(NUMBER + r' ?(ns|µs|us|ms|s|min)\b', '# t', text)
    text = re.sub(NUMBER + r' ?([kMG]i?)?B\b', '# B', text)
    text = re.sub(NUMBER, '#', text)
    text = re.sub(r'\b(same|unclear|faster|slower)$', 'verdict', text, flags=re.MULTILINE)
    return [' '.join(line.split()) for line in text.strip().splitlines()]


def agrees(shown, printed, how=''):
    """Whether what a page shows is what was printed."""
    if how == 'rows':
        return set(masked(shown)) - {'...'} <= set(masked(printed))
    pattern = r'\n'.join(r'(.*\n)*?.*?' if line == '...' else re.escape(line) for line in masked(shown))
    return re.fullmatch(pattern, '\n'.join(masked(printed))) is not None


def anchors(text):
    """The anchors of a page's headings, as forges make them."""
    text = re.sub(r'^```.*?^```$', '', text, flags=re.DOTALL | re.MULTILINE)
    found = set()
    for heading in re.findall(r'^#+ (.*)$', text, re.MULTILINE):
        plain = re.sub(r'\[([^]]*)\]\([^)]*\)', r'\1', heading).lower()
        found.add(re.sub(r'[^\w\- ]', '', plain).strip().replace(' ', '-'))
    return found
