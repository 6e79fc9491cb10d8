# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts for interpreter.c.

A script has lines "thread what kind argument"; thread -1 is main, whose lines stand between the phases.

    s, e         begin and end a scope          p, o    push, pop (kind: the domain)
    r, x         begin and end a process range  m       a mark
    f ... F      a forked child does that       q       the thread ends, and another one goes on (outside scopes)
    g            raise a signal, whose handler makes a mark and a scope
    n            name the thread                w       main: switch annotations on or off
    b            main: all wait for all         k       SIGKILL, by main or a child
"""
import random

RAW = 12
KINDS = 13
NAMED = "1407538086"  # what the header makes of the category's name


def looks(kind, argument):
    """(domain's number, message, category, its name, colour, type of the payload, payload)"""
    signed = argument if argument < 1 << 31 else argument - (1 << 32)
    return {
        0: lambda: (0, "plain", "", "", "", "", ""),
        1: lambda: (1, "in a", "", "", "", "", ""),
        2: lambda: (2, "in b", "", "", "", "", ""),
        3: lambda: (1, "category", NAMED, "named", "", "", ""),
        4: lambda: (0, "number", str(argument % 3 + 1), "", "", "", ""),
        5: lambda: (0, "color", "", "", f"#ff{argument & 0xffffff:06x}", "", ""),
        6: lambda: (0, "int64", "", "", "", "int64", str(-argument)),
        7: lambda: (2, "uint64", "", "", "", "uint64", str(argument)),
        8: lambda: (0, "double", "", "", "", "double", argument * 0.5),
        9: lambda: (1, "all", NAMED, "named", "#ffff0000", "int32", str(signed)),
        10: lambda: (0, f"formatted {argument % 50}", "", "", "", "", ""),
        11: lambda: (1, f"with {argument}", "", "", "#ff0000ff", "", ""),
        12: lambda: (3, f"raw {argument % 20}", "", "", "", "", ""),
    }[kind]()


class Script:
    def __init__(self, seed, size):
        self.random = source = random.Random(seed)
        self.threads = source.choice([1, 1, 2, 3, 4, 8])
        hops = source.random() < 0.5
        self.signals = 0 if hops else source.choice([0, 0, 3])
        self.hops = 0.01 if hops else 0
        self.options = source.choice([[], [], ["--no-thread"], ["--ring", "32M"]])
        self.lines = []
        self.depth = [0] * self.threads
        self.pushed = [[0] * 4 for _ in range(self.threads)]
        self.open = []  # slots
        self.slot = 0
        phases = max(1, min(source.choice([1, 3, 10, 60]), size // 4))
        paused = False
        for _ in range(phases):
            if source.random() < 0.3:
                paused = not paused
                self.lines.append((-1, "w", 0, int(not paused)))
            self.lines.append((-1, "b", 0, 0))
            self.begun = []
            for thread in range(self.threads):
                self.some(thread, source.randrange(2 * size // phases // self.threads + 1), paused, False)
            self.open += self.begun
            self.lines.append((-1, "b", 1, 0))
        if source.random() < 0.3:
            self.lines.append((-1, "k", 0, 0))

    def some(self, thread, count, paused, forked):
        source, add = self.random, lambda *line: self.lines.append((thread, *line))
        pushed, begun = self.pushed[thread], self.begun
        usual = source.randrange(KINDS)
        while count > 0:
            count -= 1
            what = source.random()
            kind = usual if source.random() < 0.5 else source.randrange(KINDS)
            argument = source.choice([source.randrange(100), source.randrange(1 << 32)])
            if what < 0.2 and self.depth[thread] < 40 and kind != RAW:
                self.depth[thread] += 1
                add("s", kind, argument)
            elif what < 0.4:
                self.depth[thread] -= self.depth[thread] > 0
                add("e", 0, 0)
            elif what < 0.55 and sum(pushed) < 60:
                pushed[looks(kind, 0)[0]] += 1
                add("p", kind, argument)
            elif what < 0.7:
                some = [d for d in range(4) if pushed[d]] or ([source.randrange(4)] if source.random() < 0.02 else [])
                if some:
                    domain = source.choice(some)
                    pushed[domain] -= pushed[domain] > 0
                    add("o", domain, 0)
            elif what < 0.8:
                self.slot += 1
                add("r", kind, self.slot)
                if not forked:
                    begun.append(self.slot)
            elif what < 0.88 and self.open:
                at = source.randrange(len(self.open))
                self.open[at], self.open[-1] = self.open[-1], self.open[at]
                add("x", 0, self.open.pop() if not forked else self.open[-1])
            elif what < 0.98:
                add("m", kind, argument)
            elif what < 0.985:
                add("g", 0, 0)
            elif what < 0.9855 and not forked:
                self.slot += 1
                depth, before = self.depth[thread], list(pushed)
                add("f", 0, self.slot)
                self.some(thread, source.randrange(40), paused, True)
                add(source.choice("kF"), 0, 0)
                add("F", 0, 0)
                self.depth[thread], pushed[:] = depth, before
            elif what < 0.9865 and not paused:
                add("n", 0, 0)
            elif source.random() < self.hops and not forked and not self.depth[thread]:
                pushed[:] = [0] * 4
                add("q", 0, 0)


def balanced(lines):
    """Phases begin and end in turn, main does nothing while threads are at work, and none ends a range that another begins then."""
    at_work, begun = False, {}
    for thread, what, kind, argument in lines:
        if thread < 0 and what == "b":
            if kind != at_work:
                return False
            at_work, begun = not at_work, {}
        elif (thread >= 0) != at_work:
            return False
        elif what == "r":
            begun[argument] = thread
        elif what == "x" and begun.get(argument, thread) != thread:
            return False
    return not at_work
