#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""When events are recorded: drawn captures, pauses, forks, snapshots, threads and recordings one after the other, events in signal handlers, in rings
and with filters, against a model made from the documentation."""
import collections
import copy
import os
import random

from harness import driver
from harness.draws import seeds
from harness.driver import equal, here, program, run
from records import Recording, words

THREADS = 4
DOMAINS = "", "other"
MESSAGES = [None, "held", "usual", "named", "held"]  # by an event's looks; None: its number
USUAL, PLAIN = 2, (0, None, None)  # from USUAL on, events have a color, a category, and their number as payload
NOW = -1  # a moment of the clock: before all that gated.c writes into the header
FIRST = 1 << 62  # what gated.c adds to those


class Model:
    """A process whose ranges "held" of the default domain are CAPTURES, if there are any, and that makes no events in EXCLUDED domains."""

    def __init__(self, captures, excluded):
        self.captures, self.excluded = captures, excluded
        self.recording = None  # the recording under way
        self.depth = collections.Counter()  # by thread and domain
        self.ended = collections.Counter()  # how many threads have ended in the place of each
        self.interrupted = {}  # by thread whose signal handler runs: the event that it has interrupted, and where that goes
        self.late = set()  # texts of marks that were being written when the recording stopped
        self.held = {}  # by thread: (depth, recording) of the push that is a capture
        self.ranges = set()  # the process ranges that are captures
        self.asked = self.heard = 0  # how often it was paused or resumed
        self.moments = []  # of all pauses and resumptions
        self.last = NOW  # of the last change of the gate
        self.open = self.paused = False
        # By recording: {"gates": what each process wrote, "events": {(process, thread, ended, is in a handler): its events}}
        self.process, self.made, self.snapshots = 0, {}, {}

    def is_held(self):
        return bool(self.ranges) or any(recording == self.recording for _, recording in self.held.values())

    def is_wanted(self):
        return self.recording is not None and not self.paused and (self.is_held() or not self.captures)

    def look(self, moment=NOW):
        """Opens or closes the gate. What it changes is written with the MOMENT, or with that of the change before if that is later."""
        if self.recording is not None:
            gates = self.made[self.recording]["gates"].setdefault(self.process, [])
            if self.open != self.is_wanted():
                self.open = not self.open
                self.last = max(moment, self.last)
                gates.append((int(self.open), self.last))

    def release(self, recording):
        """After the end of a capture in this recording."""
        if recording == self.recording and not self.is_held():
            self.look()

    def hear(self):
        before, self.heard = self.heard, self.asked
        if before != self.heard and before & 1:
            self.paused = bool(self.heard & 1)
            self.look()
            return
        for number in range(before, self.heard):
            self.paused = not number & 1
            self.look(self.moments[number])

    def events(self, thread):
        """Where an event of the thread goes to, if anywhere."""
        self.hear()
        if not self.open:
            return []
        self.made[self.recording]["gates"].setdefault(self.process, [])
        key = self.process, thread, self.ended[thread], thread in self.interrupted
        return self.made[self.recording]["events"].setdefault(key, [])

    def event(self, thread, *what):
        self.events(thread).append(what)

    def interrupt(self, thread, *what):
        events = self.events(thread)
        if self.open:
            self.interrupted[thread] = events, what

    def resume(self, thread):
        if thread in self.interrupted:
            events, what = self.interrupted.pop(thread)
            events.append(what)

    def end_thread(self, thread):
        """What it has pushed ends with it, also a capture."""
        self.ended[thread] += 1
        for domain in range(len(DOMAINS)):
            self.depth[thread, domain] = 0
        self.release(self.held.pop(thread, (0, None))[1])

    def snapshot(self, number):
        self.snapshots[number] = copy.deepcopy(self.made[self.recording])

    def begin(self, number):
        self.made[number] = {"gates": {0: []}, "events": {}}
        self.recording, self.asked, self.heard, self.paused, self.moments = number, 0, 0, False, []
        self.ranges.clear()
        self.open = self.is_wanted()

    def stop(self):
        self.hear()
        self.recording, self.open = None, False
        self.late.update(text for _, what in self.interrupted.values() for text in what[2:3])
        self.interrupted = dict.fromkeys(self.interrupted, ([], ()))

    def push(self, thread, domain, text, looks=PLAIN):
        depth = self.depth[thread, domain]
        self.depth[thread, domain] += 1
        if self.captures and self.recording is not None and not domain and text == "held" and self.held.get(thread, (0, None))[1] != self.recording:
            self.held[thread] = depth, self.recording
            self.look()
        self.event(thread, "push", DOMAINS[domain], text, *looks)

    def pop(self, thread, domain):
        if not self.depth[thread, domain]:
            self.event(thread, "no push")
            return
        self.event(thread, "pop", DOMAINS[domain])
        self.depth[thread, domain] -= 1
        if not domain and self.held.get(thread, (None,))[0] == self.depth[thread, domain]:
            self.release(self.held.pop(thread)[1])

    def start(self, thread, domain, number, text, looks=PLAIN):
        if self.captures and self.recording is not None and not domain and text == "held":
            self.ranges.add(number)
            self.look()
        self.event(thread, "start", DOMAINS[domain], text, *looks[:2], number)

    def end(self, thread, domain, number):
        self.event(thread, "end", DOMAINS[domain], number)
        if not domain and number in self.ranges:
            self.ranges.remove(number)
            self.release(self.recording)

    def fork(self, thread, domain, process):
        """What a child makes, which has this thread alone. Returns whether it took part in the recording."""
        shared, self.made, self.snapshots, self.interrupted = (self.made, self.snapshots, self.interrupted), None, None, None
        child = copy.deepcopy(self)
        self.made, self.snapshots, self.interrupted = shared
        child.made = made = self.made  # both write there
        child.interrupted = {thread: None} if thread in self.interrupted else {}  # what it has interrupted is the parent's
        child.held = {thread: self.held[thread]} if thread in self.held else {}
        child.process, child.open = process, child.is_wanted()
        child.event(thread, "mark", DOMAINS[domain], "first", *PLAIN)
        for _ in range(4):
            child.pop(thread, domain)
        child.interrupted = {}
        child.event(thread, "mark", DOMAINS[domain], "second", *PLAIN)
        child.push(thread, domain, "held")
        child.event(thread, "mark", DOMAINS[domain], "third", *PLAIN)
        child.pop(thread, domain)
        return self.recording is not None and process in made[self.recording]["gates"]


def drawn(chance, captures, excluded):
    """(lines for gated.c, the model after them)"""
    model, lines, number, ranges, children, thread = Model(captures, excluded), [], 0, [(0, 0)], 0, 0
    model.start(0, 0, 0, "0")
    lines.append("0 s 0 0 0")
    for _ in range(600):
        number += 1
        thread = chance.randrange(THREADS) if chance.random() < 0.4 else thread
        domain, look = chance.randrange(2), chance.choices(range(len(MESSAGES)), (8, 4, 3, 3, 1))[0]
        of = number
        what = chance.choices("mposebxqfhrtnl", (20, 16, 16, 12, 12, 2, 1.5, 6 if captures else 0, 2, 4, 8, 3, 0.3, 0.2))[0]
        what = "b" if " x " in lines[-1] and chance.random() < 0.5 else what  # with no event between
        what = "q" if " q " in lines[-1] and chance.random() < 0.5 else what
        holders = [t for t, (_, recording) in model.held.items() if recording == model.recording]
        if len(holders) > 1 and chance.random() < 0.1:  # a child with one of its parent's captures
            thread, what, domain = chance.choice(holders), "f", 0
        if what in "bx" and (what == "x") == (model.recording is None) or what in "qn" and model.recording is None:
            continue
        if what in "bxht" and thread in model.interrupted:
            continue
        if what == "e":
            of, domain = (min(model.ranges), 0) if model.ranges and chance.random() < 0.6 else chance.choice(ranges[-8:])
        if what == "f" and domain in excluded:
            continue
        look = look % 2 if what == "f" else 0 if what == "h" else look
        text, looks = MESSAGES[look] or str(number), (0xff112233, 5, number) if look >= USUAL else PLAIN
        lines.append(f"{thread} {what} {of} {domain} {look}")
        if what == "b":
            model.begin(number)
            children = 0
        elif what == "x":
            model.stop()
        elif what == "q":
            model.moments.append(number)
            model.asked += 1
        elif what == "r":
            model.resume(thread)
        elif what == "t":
            model.end_thread(thread)
        elif what == "n":
            model.snapshot(number)
        elif domain in excluded:
            pass
        elif what == "m":
            model.event(thread, "mark", DOMAINS[domain], text, *looks)
        elif what == "h":
            model.interrupt(thread, "mark", DOMAINS[domain], text, *PLAIN)
        elif what == "l":
            for _ in range(2000):
                model.push(thread, domain, "load" if look < 3 else text, looks)
                model.pop(thread, domain)
        elif what == "p":
            model.push(thread, domain, text, looks)
        elif what == "o":
            model.pop(thread, domain)
        elif what == "s":
            ranges.append((number, domain))
            model.start(thread, domain, number, text, looks)
        elif what == "e":
            model.end(thread, domain, of)
        elif what == "f":
            children += model.fork(thread, domain, children + 1)
    for thread in list(model.interrupted):
        model.resume(thread)
        lines.append(f"{thread} r 0 0 0")
    if model.recording is not None and chance.random() < 0.5:
        lines.append("0 x 0 0 0")
        model.stop()
    for thread in range(THREADS):
        model.end_thread(thread)
    model.stop()  # as the process does when it ends
    return lines, model


def compared(gates, events):
    """Of each process, its gates and, of each of its threads, the events. An end has its range's number if its beginning is in the recording."""
    begun = {what[-1] for some in events.values() for what in some if what[0] == "start"}
    of = {process: [] for process in gates}
    for (process, *_), some in events.items():
        some = [what[:2] + (what[2] if what[2] in begun else None,) if what[0] == "end" else what for what in some if what[0] != "no push"]
        of[process] += [some] if some else []
    return {process: (gates[process], sorted(of[process], key=str)) for process in gates}


def found(path, late):
    """The same of a recording, without the marks whose texts are LATE."""
    r, events, numbers, turns = Recording(path), collections.defaultdict(list), {}, collections.Counter()
    all_of_it = [(process, e) for process in sorted(r.streams) for e in r.events(process) if e.kind != "text"]
    numbers = {e.range: e.payload for _, e in all_of_it if e.kind == "start"}
    for process, e in all_of_it:
        more = ("text", "color", "category", "payload") if e.kind in ("push", "mark", "start") else ()
        what = (numbers.get(e.range),) if e.kind == "end" else tuple(e.get(name) for name in more)
        turns[process, e.stream] += e.kind == "thread"  # the thread has ended, and another has its stream
        if e.kind != "thread" and not (e.kind == "mark" and e.text in late):
            events[process, e.stream, turns[process, e.stream]].append((e.kind, e.domain, *what))
    gates = {process: [(g.id, *words(g.body, 0, 1)) for g in r.names("gate", process)] for process in r.streams}
    return compared({process: [(is_open, max(ticks - FIRST, NOW)) for is_open, ticks in some] for process, some in gates.items()}, events)


def case_gates():
    """Each event is recorded or not as captures, pauses and recordings say that were begun and stopped before, in all threads and their signal
    handlers, and in children; with a ring and without, and in snapshots. The gate closes when the pause was asked for, and opens when an event notices
    that it is over, or, if none came in between, when that was asked for."""
    linked = program("gated")
    for seed in seeds(12):
        chance = random.Random(seed)
        captures, excluded = seed % 3 < 2, [seed % 2] if seed % 5 == 4 else []
        lines, model = drawn(chance, captures, excluded)
        variables = {"NVTXH_RECORD_CAPTURE": "held"} if captures else {}
        variables.update({"NVTXH_RECORD_RING": "8M"} if seed % 4 > 1 else {})
        names = [name or "default" for name in DOMAINS]
        if seed % 4 > 1:
            variables.update({"NVTXH_RECORD_DOMAIN_EXCLUDE": names[i] for i in excluded})
        else:
            variables.update({"NVTXH_RECORD_DOMAIN_INCLUDE": f"of no domain, {names[1 - i]}" for i in excluded})
        folder = here(str(seed))
        os.mkdir(folder)
        done = run(linked, driver.args.nvtxh, cwd=folder, input="\n".join(lines).encode() + b"\n", env=dict(os.environ, **variables))
        equal((done.returncode, *(line for line in done.stderr.splitlines() if b"snap" not in line)), (0,), f"seed {seed}")
        wanted = {f"{number}.nvtxh": one for number, one in model.made.items()}
        wanted.update({f"{number}.snap": one for number, one in model.snapshots.items()})
        for name, one in wanted.items():
            equal(found(os.path.join(folder, name), model.late), compared(one["gates"], one["events"]), f"seed {seed}, {name}")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
