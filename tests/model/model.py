# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder is given by a script, and what its readers make of that."""
from script import RAW, looks

MOST_RUNS = 8  # how many runs of pushes (left out or not, by turns) the header remembers


class Span:
    __slots__ = "row", "end", "depth", "guess", "style", "at", "start_ns", "end_ns"

    def __init__(self, style, row, depth, at):
        self.style, self.row, self.depth, self.at, self.end, self.guess = style, row, depth, at, None, False


class Stream:
    """What one thread of the recording holds: the spans it began, and, in order, what began and what ended on it."""

    def __init__(self):
        self.spans, self.events = [], []


class Thread:
    def __init__(self, number):
        self.number, self.scopes, self.skips = number, [], [[] for _ in range(3)]
        self.fresh()

    def fresh(self):
        """Of the OS thread."""
        self.stream, self.stacks, self.nest = Stream(), [[] for _ in range(4)], []
        self.skips = [[] for _ in range(3)]

    def child(self):
        other = Thread(self.number)
        other.scopes = list(self.scopes)
        other.skips = [list(s) for s in self.skips]
        other.stacks = [[None] * len(s) for s in self.stacks]
        return other


class Process:
    """Of the program, or a forked child."""

    def __init__(self, model, paused, found, slots):
        self.paused, self.found, self.slots = paused, found, slots
        self.model = model

    def wanted(self):
        self.found = self.found or not self.paused
        return not self.paused

    def mark(self, thread, kind, argument):
        if kind == RAW or self.wanted():
            self.one(thread, looks(kind, argument))

    def one(self, thread, row):
        span = Span("Mark", row, "", thread.stream)
        span.end = thread.stream
        thread.stream.spans.append(span)
        thread.stream.events.append(span)

    def tell_push(self, thread, row):
        stack = thread.stacks[row[0]]
        around = stack[-1] if stack else None
        span = Span("PushPop", row, around.depth + (not around.guess) if around else 0, thread.stream)
        stack.append(span)
        thread.nest.append(span)
        thread.stream.spans.append(span)
        thread.stream.events.append(span)

    def tell_pop(self, thread, domain):
        stack = thread.stacks[domain]
        if not stack:  # taken as meant for the innermost range that no earlier one was meant for
            for span in reversed(thread.nest):
                if not span.guess:
                    span.guess = True
                    break
            return
        span = stack.pop()
        if span:
            span.end = thread.stream
            thread.nest.remove(span)
            thread.stream.events.append((span,))

    def push(self, thread, kind, argument):
        row = looks(kind, argument)
        if kind == RAW:
            return self.tell_push(thread, row)
        runs = thread.skips[row[0]]
        if not self.paused:
            self.found = True
        if runs or self.paused:
            left_out = len(runs) & 1
            if not runs or (left_out != self.paused and len(runs) < MOST_RUNS):
                runs.append(0)
                left_out = self.paused
            runs[-1] += 1
            if left_out:
                return
            self.found = True
        self.tell_push(thread, row)

    def pop(self, thread, domain):
        if domain == 3:
            return self.tell_pop(thread, domain)
        postponed = self.paused and not self.found
        if not postponed:
            self.found = True
        runs = thread.skips[domain]
        if runs:
            left_out = len(runs) & 1
            runs[-1] -= 1
            if not runs[-1]:
                runs.pop()
            if left_out:
                return
        if not postponed:
            self.tell_pop(thread, domain)

    def scope(self, thread, kind, argument):
        row = looks(kind, argument)
        told = self.wanted()
        thread.scopes.append(row[0] if told else None)
        if told:
            self.tell_push(thread, row)

    def leave(self, thread):
        domain = thread.scopes.pop()
        if domain is not None:
            self.tell_pop(thread, domain)

    def start(self, thread, kind, slot):
        if kind == RAW or self.wanted():
            span = Span("StartEnd", looks(kind, slot), "", thread.stream)
            thread.stream.spans.append(span)
            thread.stream.events.append(span)
            self.slots[slot] = span

    def finish(self, thread, slot):
        span = self.slots.pop(slot, None)
        if span:
            span.end = thread.stream
            thread.stream.events.append((span,))

    def signal(self, thread):
        if self.wanted():
            self.one(thread, (0, "raised", "", "", "", "", ""))
            self.tell_push(thread, (1, "in the handler", "", "", "", "", ""))
            self.tell_pop(thread, 1)


class Model:
    """Runs a script: all streams, by ("thread", number, which) or ("child", number)."""

    def __init__(self, lines, threads, signals):
        self.streams = {}
        self.killed = False
        process = Process(self, False, False, {})
        all_of = [Thread(n) for n in range(threads)]
        self.which = [0] * threads
        for t in all_of:
            self.streams["thread", t.number, 0] = t.stream
        child = {}  # by thread, while it is forked
        over = set()
        for thread, what, kind, argument in lines:
            if thread < 0:
                if what == "b":
                    child.clear()
                    over.clear()
                    process.found = process.found or bool(kind and signals and not process.paused)
                if what == "w":
                    process.paused = not argument
                elif what == "k":
                    self.killed = True
                    return
                continue
            if what == "f" and thread not in child:
                t = all_of[thread].child()
                child[thread] = Process(self, process.paused, process.found, dict.fromkeys(process.slots)), t
                self.streams["child", argument] = t.stream
            elif thread in child:
                p, t = child[thread]
                if what == "F":
                    del child[thread]
                    over.discard(thread)
                elif what == "k":
                    over.add(thread)
                elif thread not in over:
                    self.do(p, t, what, kind, argument)
            elif what == "q":
                t = all_of[thread]
                if not t.scopes:
                    t.fresh()
                    self.which[thread] += 1
                    self.streams["thread", thread, self.which[thread]] = t.stream
            elif what != "F":
                self.do(process, all_of[thread], what, kind, argument)
        for t in all_of:
            while t.scopes and t.number not in child:
                process.leave(t)

    def do(self, process, t, what, kind, argument):
        if what == "e":
            if t.scopes:
                process.leave(t)
        else:
            {"s": process.scope, "p": process.push, "m": process.mark, "r": process.start}.get(what, lambda *_: None)(t, kind, argument)
            if what == "o":
                process.pop(t, kind)
            elif what == "x":
                process.finish(t, argument)
            elif what == "g":
                process.signal(t)
            elif what == "n":
                process.found = True
