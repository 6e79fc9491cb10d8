# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts for functions_drawn.c, and a model of which calls are shown."""
import collections
import ctypes
import random

NAMES = ['a', 'b', 'ab', 'ba', 'abc', 'deep', 'catches']
CATCHES = NAMES.index('catches')
SHORT_CALLS = 8  # after so many in a row, a function is no longer shown
NEVER = 10 ** 15  # ns: no call takes so long


# What is rarely drawn: a jump near the beginning of the stack and one much further down; a setting that outweighs the environment.
FIXED = [({}, 'D6 c6 c0 j0 c0 e0 c5 c5 c6 c0 c0 j0 c0 c0 e0 e0 e0 e0 e0 e0'),
         ({'NVTXH_INSTRUMENT_MIN': str(NEVER)}, 'M1' + 10 * ' c0 e0'),
         ({'NVTXH_INSTRUMENT_DEPTH': '1'}, 'D2 c0 c1 e0 e0'),
         ({'NVTXH_INSTRUMENT': 'a'}, 'Fb c0 c1 e0 e0'), ({'NVTXH_INSTRUMENT': '[^a]'}, 'c0 c1 e0 e0 F[!b] c0 c1 e0 e0')]


def patterns(source):
    """As the shell's, and so as those of the C library's fnmatch()."""
    def element():
        low, high = sorted(source.choices('abcdehpst', k=2))
        return source.choice(['*', '*', '?', *'aabbc', f'[{low}-{high}]', f'[{source.choice("!^")}{low}-{high}]', f'[{high}{low}]', f'[{low}-]', f'[]{low}]', f'\\{low}', '['])

    return ','.join(source.choice(['', '', '-']) + ''.join(element() for _ in range(source.randrange(1, 4))) for _ in range(source.randrange(1, 4)))


def scripts(seeds):
    """The fixed ones and those drawn with these seeds."""
    yield from ((environment, [(op[0], op[1:]) for op in text.split()]) for environment, text in FIXED)
    yield from map(script, seeds)


def script(seed):
    """(the environment, lines of a character and a text)"""
    source, level = random.Random(seed), ['t']
    settings = {'F': lambda: source.choice(['*', 'a*', patterns(source), patterns(source)]), 'D': lambda: source.choice(['0', *(str(len(level) + more) for more in range(3))]),
                'M': lambda: source.choice(['0', '1', str(NEVER), str(NEVER)]), 'E': lambda: source.choice('011')}
    variables = {'F': 'NVTXH_INSTRUMENT', 'D': 'NVTXH_INSTRUMENT_DEPTH', 'M': 'NVTXH_INSTRUMENT_MIN'}
    environment = {variables[what]: settings[what]() for what in variables if source.random() < 0.5}
    usual = source.choice([range(len(NAMES)), [0, 1], [0, 2, CATCHES], [5, CATCHES]])
    lines = [(what, settings[what]()) for what in source.sample('FDM', source.choice([0, 1, 3]))]  # before a function is called
    rarely = source.choice([0.01, 0.05, 0.2])
    for _ in range(source.choice([30, 300, 1000])):
        what = source.random()
        if what < rarely:
            setting = source.choice('FDME')
            lines.append((setting, settings[setting]()))
        elif what < 0.55 and len(level) < 12:
            kind = source.choice(usual)
            lines.append(('c', str(kind)))
            level.append(kind)
        elif what < 0.9:
            if len(level) > 1:
                lines.append(('e', '0'))
                level.pop()
        elif what < 0.97:
            catching = max((i for i, kind in enumerate(level) if kind in (CATCHES, 't')))
            if level[catching] == CATCHES:
                lines.append(('j', '0'))
                del level[catching + 1:]
        elif len(level) < 12:
            lines.append(('t', '0'))
            level.append('t')
    return environment, lines + [('e', '0')] * (len(level) - 1)


def matches(name, pattern):
    return ctypes.CDLL(None).fnmatch(pattern.encode(), name.encode(), 0) == 0


class Call:
    def __init__(self, number, noted, shown, timed):
        self.number, self.noted, self.shown, self.timed, self.jumped = number, noted, shown, timed, False


class Model:
    def __init__(self, environment):
        self.environment, self.begun = environment, False
        self.patterns, self.depth, self.least, self.on, self.changes = '', 0, 0, True, 0
        self.short, self.seen, self.counts = collections.Counter(), {}, collections.Counter()
        self.threads = [[]]  # of each that runs, the calls that the hooks know
        self.around = [None]  # calls, also those that they do not know; None: a thread

    def begin(self):
        """The environment is read when a function is first called, where the program has set nothing."""
        self.begun = True
        self.patterns = self.patterns or self.environment.get('NVTXH_INSTRUMENT', '')
        self.depth = self.depth or int(self.environment.get('NVTXH_INSTRUMENT_DEPTH', 0))
        self.least = self.least or int(self.environment.get('NVTXH_INSTRUMENT_MIN', 0))

    def wanted(self, name):
        shown, hidden = [], []
        for pattern in self.patterns.split(','):
            (hidden if pattern[:1] == '-' else shown).append(pattern.removeprefix('-'))
        shown = [p for p in shown if p]
        return (not shown or any(matches(name, p) for p in shown)) and not any(matches(name, p) for p in hidden)

    def is_shown(self, number, calls):
        if self.seen.get(number) != self.changes:
            self.seen[number], self.short[number] = self.changes, 0
        return (self.wanted(NAMES[number]) and self.short[number] < SHORT_CALLS and
                (not self.depth or sum(c.shown for c in calls) < self.depth))

    def close(self, calls, in_time):
        call = calls.pop()
        self.counts[NAMES[call.number]] += call.shown
        if in_time and call.noted and self.least and call.timed:
            self.short[call.number] = 0 if self.least == 1 else min(SHORT_CALLS, self.short[call.number] + 1)

    def enter(self, number):
        calls, call = self.threads[-1], Call(number, self.on, False, False)
        self.around.append(call)
        if not calls and not self.on:
            return
        if not self.begun:
            self.begin()
        while calls and calls[-1].jumped:
            self.close(calls, False)
        call.timed = self.least != 0
        call.shown = self.on and self.is_shown(number, calls)
        calls.append(call)

    def leave(self):
        call = self.around.pop()
        if call is None:
            self.threads.pop()
            return
        calls = self.threads[-1]
        if any(c.number == call.number for c in calls):  # which the hooks take for it, also if it had been left by longjmp
            while calls[-1].number != call.number:
                self.close(calls, False)
            self.close(calls, True)

    def do(self, what, text):
        if what == 'c':
            self.enter(int(text))
        elif what == 'e':
            self.leave()
        elif what == 'j':
            while self.around[-1].number != CATCHES:
                self.around.pop().jumped = True
        elif what == 't':
            self.threads.append([])
            self.around.append(None)
        elif what == 'E':
            self.on = text == '1'
        elif what == 'D':
            self.depth = int(text)
        else:
            self.changes += 1
            if what == 'F':
                self.patterns = text
            else:
                self.least = int(text)


def counts(environment, lines):
    """{function: how often it is counted}"""
    model = Model(environment)
    for what, text in lines:
        model.do(what, text)
    return {name: n for name, n in model.counts.items() if n}
