# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What NVTXH_CHECK says of the scripts of drawn.py: a model of its reports."""
import copy
import pathlib
import random
import re

from drawn import CATCHES, DOMAINS, NAMED, OF_TWO, PUSHES, RANGES, SCOPES, SLOTS, TOOLS_ONLY

SOURCE = pathlib.Path(__file__).with_name('drawn.c').read_text().splitlines()
# The text of each annotation in drawn.c.
PLACES = {('s', 0): 'NVTXH_SCOPE("plain")', ('s', 1): 'NVTXH_SCOPE("shared", .domain', ('s', 2): 'NVTXH_SCOPE("shared", .payload', ('s', 3): 'NVTXH_SCOPE("of two"',
          ('s', 4): 'NVTXH_SCOPEF_WITH(("formatted', ('s', 5): 'NVTXH_SCOPE_STRING(', ('s', 6): 'NVTXH_SCOPE_NVTX_ONLY(', ('s', 7): 'NVTXH_FUNC(',
          ('s', 8): 'NVTXH_SCOPE_AS(', ('s', 9): 'NVTXH_SCOPE("catches")', ('p', 0): 'NVTXH_PUSH("plain")', ('p', 1): 'NVTXH_PUSH("pushed"',
          ('p', 2): 'NVTXH_PUSHF_WITH(', ('p', 3): 'NVTXH_PUSH_STRING(', ('r', 0): 'NVTXH_START("plain")', ('r', 1): 'NVTXH_START("started"',
          ('r', 2): 'NVTXH_STARTF_WITH(', ('r', 3): 'NVTXH_START_STRING(', 'pop': 'NVTXH_POP(.domain'}


def line_of(text):
    lines = [number for number, line in enumerate(SOURCE, 1) if text in line]
    assert len(lines) == 1, (text, lines)
    return lines[0]


LINES = {place: line_of(text) for place, text in PLACES.items()}


def message(place):
    what, kind = place
    if place == ('s', TOOLS_ONLY):
        return 'for tools'
    if place == ('s', OF_TWO):
        return 'of two'
    return {'s': SCOPES, 'p': PUSHES, 'r': RANGES}[what][kind][0]


def named(domain):
    return domain or '(default)'


MOST = 256  # open at once on a thread


def deep(seed):
    """A script that begins and ends more on one thread than is kept, with mistakes before, meanwhile and after."""
    source, lines, depth = random.Random(seed), [], 0
    for low, high in (0, 5), (0, 5), (240, 270), (200, 270), (200, 270), (0, 5), (240, 300), (0, 3):
        for target in source.randint(low, high), 0 if high < 100 and source.random() < 0.7 else source.randint(low, high):
            while depth != target:
                lines.append(('p', source.choice([0, 0, 1])) if depth < target else ('o', source.choice([0, 0, 1])))
                depth += 1 if depth < target else -1
    return lines + [('o', 0)] * 300 + [('o', 2), ('p', 2)]  # mistakes that are new


class Entries(list):
    """What is open on a thread. When more is open than fits, nothing is known until all is closed."""
    unknown = 0  # how many are open then


class Process:
    """Entries of a thread's list are (place, domain, number), with the number of what must be ended."""

    def __init__(self):
        self.around, self.named, self.ranges = [(Entries(), None)], [], {}  # (the thread's list, what has begun there; None: the thread)
        self.started, self.not_ended, self.known, self.on_main = 0, {}, set(), set()

    def start(self, place):
        self.started += 1
        self.not_ended[self.started] = place
        return self.started

    def open(self, entries, place, domain):
        if entries.unknown or len(entries) == MOST:
            for _, _, number in entries:
                self.not_ended.pop(number, None)
            entries.unknown += 1 + len(entries)
            entries.clear()
        else:
            entries.append((place, domain, self.start(place)))
            self.on_main.add(self.started) if entries is self.around[0][0] else None

    def report(self, said, kind, place, text, other=None):
        if (kind, place, other) not in self.known:
            self.known.add((kind, place, other))
            said.append(f'drawn.c:{LINES[place]}: {text}')

    def close(self, said, place):
        entries = self.around[-1][0]
        if entries.unknown:
            entries.unknown -= 1
            return
        mine = max((i for i, (p, _, _) in enumerate(entries) if p == place), default=None)
        if mine is None:
            return
        for inner, domain, _ in reversed(entries[mine + 1:]):
            if domain == entries[mine][1]:
                self.report(said, 2, place, f"scope '{message(place)}' ends while '{message(inner)}' (drawn.c:{LINES[inner]}), begun later, is still "
                            'open; in coroutines and fibers use NVTXH_RANGE_SCOPE', inner)
        self.not_ended.pop(entries[mine][2], None)
        del entries[mine]

    def pop(self, said, domain):
        entries = self.around[-1][0]
        if entries.unknown:
            entries.unknown -= 1
            return
        at = max((i for i, (_, d, _) in enumerate(entries) if d == domain), default=None)
        if at is not None and entries[at][0][0] == 'p':
            self.not_ended.pop(entries[at][2], None)
            del entries[at]
        elif at is not None:
            other = entries[at][0]
            self.report(said, 3, 'pop', f"pop without a push in domain '{named(domain)}'; it ends scope '{message(other)}' (drawn.c:{LINES[other]})", other)
        elif pushes := [(p, d) for p, d, _ in entries if p[0] == 'p']:
            other, where = pushes[-1]
            self.report(said, 4, 'pop', f"pop in domain '{named(domain)}', but '{message(other)}' (drawn.c:{LINES[other]}) was pushed in domain "
                        f"'{named(where)}'", other)
        else:
            self.report(said, 3, 'pop', f"pop without a push in domain '{named(domain)}'")

    def leave(self, how_many):
        for _ in range(how_many):
            if self.around.pop()[1] == ('s', NAMED):
                self.named.pop()

    def do(self, said, what, number):
        entries, begun = self.around[-1]
        if what == 's':
            place, kind = ('s', number % 10), number % 10
            domain = ['load', 'train'][number // 10 % 2] if kind == OF_TWO else None if kind == TOOLS_ONLY else SCOPES[kind][1]
            self.open(entries, place, domain)
            self.around.append((entries, place))
            if kind == NAMED:
                self.named.append(True)
        elif what == 'e':
            if begun and (begun != ('s', NAMED) or self.named[-1]):
                self.close(said, begun)
            self.leave(1)
        elif what == 'n' and self.named[number]:
            self.named[number] = False
            self.close(said, ('s', NAMED))
        elif what == 'j':
            self.leave([place for _, place in reversed(self.around)].index(('s', CATCHES)))
        elif what == 'x':
            self.leave([place for _, place in reversed(self.around)].index(None) + 1)
        elif what == 't':
            self.around.append((Entries(), None))
        elif what == 'p':
            self.open(entries, ('p', number), PUSHES[number][1])
        elif what == 'o':
            self.pop(said, DOMAINS[number])
        elif what == 'r':
            self.ranges[number % SLOTS] = self.start(('r', number // SLOTS))
        elif what == 'q':
            self.not_ended.pop(self.ranges.pop(number, None), None)

    def exit(self, said):
        for number, place in self.not_ended.items():
            if place[0] == 's' and number in self.on_main:
                continue
            self.report(said, 5, place, f"'{message(place)}' was pushed, and has not been popped at exit" if place[0] == 'p'
                        else f"scope '{message(place)}' had not ended when its thread did; compile C with -fexceptions, so that pthread_exit "
                        'and pthread_cancel end scopes; in coroutines use NVTXH_RANGE_SCOPE' if place[0] == 's'
                        else f"process range '{message(place)}' has not ended at exit")


def wanted(lines):
    """All reports, of the program and its children."""
    process, parent, said = Process(), None, []
    for what, number in lines:
        if what == 'F':
            parent, process = process, copy.deepcopy(process)
        elif what == 'f':
            process, parent = parent, None
        else:
            process.do(said, what, number)
    while len(process.around) > 1:  # which ends all that is open
        process.do(said, 'e', 0)
    process.exit(said)
    return sorted(said)


def reports(text):
    """Those in what a program has said."""
    text = re.sub(r'nvtxh_string_named\(.*?\)(?=\')', 'string', text)
    return sorted(re.sub(r'(^nvtxh: |\()/.*?/(?=drawn.c:)', lambda m: m[1].replace('nvtxh: ', ''), line) for line in text.splitlines() if line.startswith('nvtxh: '))
