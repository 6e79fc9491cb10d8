#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, and what a recording of each must hold: nothing more, nothing less, in order.

    model.py --nvtxh PATH --interpreter PATH [--operations N] [--seed N] [--script FILE]

A script has lines "thread what kind argument"; thread -1 is main, whose lines stand between the phases. What differs is shrunk
to the least script that still does, which is printed with the seed of all of it; --script FILE runs such a script.

    s, e         begin and end a scope          p, o    push, pop (kind: the domain)
    r, x         begin and end a process range  m       a mark
    f ... F      a forked child does that       q       the thread ends, and another one goes on (outside scopes)
    g            raise a signal, whose handler makes a mark and a scope
    n            name the thread                w       main: switch annotations on or off
    b            main: all wait for all         k       SIGKILL, by main or a child
"""
import argparse
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import time

RAW = 12
KINDS = 13
MOST_RUNS = 8  # of pushes that are left out and not, which the header keeps
DOMAINS = ["", "domain a", "domain b", "raw"]
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


# --- random scripts ----------------------------------------------------------------------------------


class Script:
    def __init__(self, seed, size):
        self.random = source = random.Random(seed)
        self.threads = source.choice([1, 1, 2, 3, 4, 8])
        hops = source.random() < 0.5
        self.signals = 0 if hops else source.choice([0, 0, 3])
        self.hops = 0.01 if hops else 0
        self.options = source.choice([[], [], [], ["--no-thread"]])
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


# --- the model ----------------------------------------------------------------------------------------


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
        if not stack:  # taken to be meant for the innermost that has not been meant yet
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


# --- one program --------------------------------------------------------------------------------------


class Differs(Exception):
    pass


def wanted_row(span, tid_of):
    domain, *rest = span.row
    return (span.style, DOMAINS[domain], *rest, str(span.depth), str(int(span.end is None)), tid_of[span.end or span.at])


def compare(model, said, text):
    """What was recorded with what the model says; raises Differs."""
    numbers, tids, handled = {}, {}, None
    for line in said.splitlines():
        what, number, tid = line.split()
        if what == "handled":
            handled = int(tid)
            continue
        which = numbers[what, number] = numbers.get((what, number), -1) + 1
        key = ("thread", int(number), which) if what == "thread" else ("child", int(number))
        if key not in model.streams:
            raise Differs(f"the program had a {key} that the model has not")
        tids[model.streams[key]] = tid
    for key, stream in model.streams.items():
        if stream.spans and stream not in tids:
            raise Differs(f"{key} never said its number")
    by_tid = {}
    asynchronous = 0
    for row in csv.reader(io.StringIO(text, newline="")):
        if row[4] == "asynchronous":
            asynchronous += 1
        elif row[12] != "TID":
            by_tid.setdefault(row[12], []).append(row)
    if asynchronous != handled:
        raise Differs(f"{handled} asynchronous signals were handled, {asynchronous} are recorded")
    names = {stream: key for key, stream in model.streams.items()}
    for stream, tid in tids.items():
        rows, where = by_tid.pop(tid, []), names[stream]
        for i in range(max(len(rows), len(stream.spans))):
            if i == len(rows):
                raise Differs(f"{where}: of {len(stream.spans)} spans {i} are recorded; next is {wanted_row(stream.spans[i], tids)}")
            row = rows[i]
            payload = float(row[9]) if row[8] == "double" else row[9]
            got = (*row[2:9], payload, row[14], row[15], row[13])
            if i == len(stream.spans):
                raise Differs(f"{where}: recorded, but of no model: {got}")
            span = stream.spans[i]
            if got != wanted_row(span, tids):
                raise Differs(f"{where}, span {i}: recorded is {got}, wanted {wanted_row(span, tids)}")
            span.start_ns, span.end_ns = int(row[0]), int(row[1])
    if by_tid:
        raise Differs(f"threads that no model has: {by_tid}")
    for stream in tids:
        last = -1
        for event in stream.events:
            span = event[0] if isinstance(event, tuple) else event
            now = span.end_ns if isinstance(event, tuple) else span.start_ns
            if now <= last:
                raise Differs(f"{names[stream]}: at {now} ns {span.row[1]}, and before it something at {last} ns")
            last = now


def check(args, directory, lines, script):
    path, rec = os.path.join(directory, "script"), os.path.join(directory, "rec.nvtxh")
    with open(path, "w") as f:
        f.write(f"{script.threads} {script.signals}\n")
        f.writelines(f"{thread} {what} {kind} {argument}\n" for thread, what, kind, argument in lines)
    model = Model(lines, script.threads, script.signals)
    done = subprocess.run([args.nvtxh, "record", "-f", "-o", rec, *script.options, "--", args.interpreter, path],
                          capture_output=True, text=True, timeout=300)
    if done.returncode != (128 + 9 if model.killed else 0) or " 0 dropped" not in done.stderr:
        if not any(s.spans for s in model.streams.values()) and not script.signals and not done.returncode % 137:
            return  # nothing to record
        raise Differs(f"exit status {done.returncode}: {done.stderr}")
    export = subprocess.run([args.nvtxh, "export", "--to", "csv", rec], capture_output=True, text=True, timeout=300)
    if export.returncode:
        raise Differs(export.stderr)
    compare(model, done.stdout, export.stdout)


def differs(args, directory, lines, script, tries=3):
    for _ in range(tries):
        try:
            check(args, directory, lines, script)
        except (Differs, subprocess.TimeoutExpired) as why:
            return why
    return None


def shrink(args, directory, lines, script):
    """The lines without each part of them that is not needed: halves, quarters, and so on."""
    size = len(lines) // 2
    while size:
        at = 0
        while at < len(lines):
            fewer = lines[:at] + lines[at + size:]
            if balanced(fewer) and differs(args, directory, fewer, script):
                lines = fewer
            else:
                at += size
        size //= 2
    return lines


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


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvtxh", required=True, type=os.path.abspath)
    parser.add_argument("--interpreter", required=True, type=os.path.abspath)
    parser.add_argument("--operations", type=int, default=100_000)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--script")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nvtxh-") as directory:
        return one_script(args, directory) if args.script else many(args, directory)


def one_script(args, directory):
    script = argparse.Namespace(options=[])
    with open(args.script) as f:
        script.threads, script.signals = map(int, f.readline().split())
        lines = [(int(t), what, int(kind), int(argument)) for t, what, kind, argument in map(str.split, f)]
    why = differs(args, directory, lines, script)
    print(why or "as the model says")
    return 1 if why else 0


def many(args, directory):
    seed = args.seed if args.seed is not None else random.SystemRandom().randrange(1 << 32)
    print(f"seed {seed}", flush=True)
    done = programs = 0
    until = time.monotonic() + args.seconds
    while done < args.operations and time.monotonic() < until:
        size = random.Random(seed).choice([30, 300, 3000, 10000])
        script = Script(seed, size)
        why = differs(args, directory, script.lines, script, 1)
        if why:
            print(f"program {programs}, seed {seed}, {script.threads} threads, options {script.options}: {why}\nshrinking", flush=True)
            lines = shrink(args, directory, script.lines, script)
            print(f"{len(lines)} of {len(script.lines)} lines: {differs(args, directory, lines, script, 10)}")
            print(script.threads, script.signals)
            print("\n".join(" ".join(map(str, line)) for line in lines))
            return 1
        done += len(script.lines)
        programs += 1
        seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 32)
    print(f"{programs} programs with {done} operations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
