# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What readers must make of a drawn recording (drawn.py), from what FORMAT.md says and without the recorder's code."""
from drawn import DOMAINS, DURATION

ALL = float('-inf'), float('inf')  # a window: the times from and until which ranges are cut
NO_EVENTS = 'gap', 'thread', 'no_push', 'nothing'


class Span:
    def __init__(self, style, what, tid, start, parent=None, depth=0):
        self.style, (self.domain, self.text, self.category, self.color, self.payload), self.tid, self.start = style, what, tid, start
        self.parent, self.depth, self.began = parent, depth, start  # began: also where a window cuts the start
        self.end = self.end_tid = None
        self.own = 0  # ns in which it was the innermost of its thread
        self.unsure = 0  # ns of them after a pop of a wrong domain that may have been meant for it
        self.meant = None  # the time of that pop
        self.outlived = None  # when the range around it ended
        self.is_open = self.is_over = False  # is_open: it has no end
        self.lasts = 0  # until when it is open, if nothing but the end of its process or a gate ends it
        self.thread = None  # the Thread that it was pushed in
        self.is_doubtful = False  # it ended early with a range of another domain around it, or late though a pop seemed meant for it

    @property
    def name(self):
        domain, text = DOMAINS[self.domain], self.text or ''
        return f'{domain}:{text}' if domain else text


class Thread:
    """The open pushes of a thread, outermost first."""

    def __init__(self, window=ALL):
        self.open, self.gone, self.since = [], [], None  # gone: those that a pop of a wrong domain seems to have ended
        self.window = window

    def within(self, start, end):
        """ns in the window."""
        return max(0, min(end, self.window[1]) - max(start, self.window[0]))

    def pass_time(self, now):
        if self.open:
            top, passed = self.open[-1], self.within(self.since, now)
            if top.meant is None:
                top.own += passed
            else:
                top.unsure += passed
        self.since = now

    def innermost(self):
        """The innermost push that no misdirected pop was meant for."""
        return next((s for s in reversed(self.open) if s.meant is None), None)

    def believe(self):
        """The misdirected pop was meant for the top: the time since then is that of the push around it."""
        top, around = self.open[-1], self.innermost()
        if around:
            around.own += top.unsure
        top.unsure = 0

    def push(self, span):
        self.pass_time(span.start)
        if self.open and self.open[-1].meant is not None:
            self.believe()
            while self.open and self.open[-1].meant is not None:
                self.gone.append(self.open.pop())
        around = [s for s in self.open + self.gone if s.domain == span.domain]
        if around:
            latest = max(around, key=lambda s: s.start)
            span.depth = latest.depth + (latest.meant is None)
        span.parent = self.open[-1] if self.open else None
        self.open.append(span)

    def pop(self, domain, now):
        candidates = [s for s in self.open + self.gone if s.domain == domain]
        if not candidates:
            return None
        span = max(candidates, key=lambda s: s.start)
        self.pass_time(now)
        if self.open and self.open[-1].meant is not None and span.meant is None:
            self.believe()
        if span in self.gone:
            self.gone.remove(span)
        else:
            at = self.open.index(span)
            if at + 1 < len(self.open) and self.open[at + 1].outlived is None:
                self.open[at + 1].outlived = now
            del self.open[at]
        span.own += span.unsure  # that pop was not meant for it
        span.is_doubtful = span.meant is not None
        span.end = now
        return span

    def misdirected(self, now):
        self.pass_time(now)
        span = self.innermost()
        if span:
            if self.open[-1] is not span:
                self.believe()
            span.meant = now

    def close(self, last, limit, lasts_until, lasts=False):
        """Ends all that is open: the last event was at `last`. What has no reason to end earlier ends at `lasts_until`; nothing later than
        at `limit`. LASTS: until then, it is open."""
        if self.open:
            self.pass_time(max(last, self.since))
            if self.open[-1].meant is not None:
                self.believe()
        around = None
        for i, span in enumerate(self.open):
            same = next((s for s in self.open[i + 1:] if (s.domain, s.text or '') == (span.domain, span.text or '')), None)
            reasons = [t for t in (span.meant, span.outlived, around if around is not None and around > span.start else None) if t is not None]
            if reasons:
                around = min(reasons)
            if same:
                reasons.append(same.start)
            span.reason = min(reasons) if reasons else None
            span.is_doubtful = span.reason is not None and span.reason not in (span.meant, same and same.start)
        top = self.innermost()
        for span in self.open:
            early = span.reason is not None
            span.lasts = limit if lasts and not early else 0
            span.end = max(span.start, min(span.reason if early else lasts_until, limit))
            if early:
                if span.meant is None:
                    span.own += span.unsure
                span.own = min(span.own, self.within(span.start, span.reason))
            elif span is top:
                span.own += self.within(self.since, span.end)
        for span in self.gone:
            span.end = min(span.meant, limit)
        ended = self.open + self.gone
        for span in ended:
            span.is_open = True
        self.open, self.gone = [], []
        return ended


class Process:
    def __init__(self, drawn, is_program, window=ALL):
        self.window = window
        self.drawn, self.spans, self.starts, self.ends = drawn, [], {}, {}
        latest = [self.latest(stream) for stream in drawn.streams]
        end = drawn.end if not drawn.killed else DURATION if is_program else 0
        self.end = max([end] + latest)
        for stream in drawn.streams:
            self.stream(stream)
        for number, span in self.starts.items():
            closing = self.closing(span.start)
            if number in self.ends:
                end, span.end_tid = self.ends[number]
                span.end = min(max(end, span.start), closing)
            else:
                span.end, span.is_open, span.lasts = min(self.end, closing), True, closing
            self.spans.append(span)

    def is_recorded(self, at):
        passed = [is_open for time, is_open in self.drawn.gates if time <= at]
        return passed[-1] if passed else not (self.drawn.gates and self.drawn.gates[0][1])

    def closing(self, at):
        """The next closing of a gate."""
        return min((time for time, is_open in self.drawn.gates if time >= at and not is_open), default=float('inf'))

    def timed(self, stream):
        """(time, operation): two events of a stream never have the same time, and nothing is before an earlier event. Of what was not
        recorded, only the time remains."""
        last = -1
        for operation in stream.operations:
            at, name = operation[:2]
            if name in ('gap', 'thread'):
                pass
            elif not self.is_recorded(at):
                operation = at, 'nothing'
            elif name == 'no_push':
                at = max(at, last)
            else:
                at = last = max(at, last + 1)
            yield at, operation

    def latest(self, stream):
        return max((at for at, operation in self.timed(stream) if operation[1] not in NO_EVENTS), default=0)

    def stream(self, stream):
        thread, tid, last, gap, handed = Thread(self.window), stream.tid, -1, False, None
        for at, (_, name, *values) in self.timed(stream):
            if name == 'gap':
                gap = True
                continue
            if name == 'thread':
                handed = values[0]
            if gap:
                self.over(thread.close(last, float('inf'), last))
                gap = False
            if name == 'thread':
                continue
            if handed:
                self.spans += thread.close(last, self.closing(last), self.end, True)
                tid, handed = handed, None
            closing = self.closing(max(last, 0))
            if closing <= at and (thread.open or thread.gone):
                self.over(thread.close(closing, closing, closing))
            if name not in NO_EVENTS:
                last = at
            self.event(thread, tid, at, name, values)
        lasts = last if stream.dropped else self.end
        self.spans += thread.close(last, self.closing(max(last, 0)), lasts, not stream.dropped)

    def over(self, spans):
        """Something came after the end of these, so that they count as ended for one who looks at a recording under way."""
        for span in spans:
            span.is_over = True
        self.spans += spans

    def event(self, thread, tid, at, name, values):
        if name == 'push':
            span = Span('PushPop', values, tid, at)
            span.thread = thread
            thread.push(span)
        elif name == 'pop':
            span = thread.pop(values[0], at)
            if span:
                self.spans.append(span)
        elif name == 'no_push':
            thread.misdirected(at)
        elif name == 'start':
            self.starts[values[0]] = Span('StartEnd', values[1:], tid, at)
        elif name == 'end':
            self.ends[values[0]] = at, tid
        elif name == 'mark' or name == 'count':
            what = values if name == 'mark' else (values[0], f'counter {values[1]}', None, None, values[2])
            span = Span('Mark' if name == 'mark' else 'Counter', what, tid, at)
            span.end = at
            self.spans.append(span)


def covered(spans):
    """The time in which at least one of the spans was open."""
    total, until = 0, float('-inf')
    for start, end in sorted((span.start, span.end) for span in spans):
        total += max(0, end - max(start, until))
        until = max(until, end)
    return total


def inclusive(spans, key):
    """{key: the time in which ranges of that key were open, summed over threads}, of pushed ranges. None: with ranges whose ends are doubtful."""
    threads, found, doubtful = {}, {}, set()
    for process, span in spans:
        if span.style == 'PushPop':
            threads.setdefault((span.thread, span.tid, key(process, span)), []).append(span)
            doubtful |= {key(process, span)} if span.is_doubtful else set()
    for (_, _, which), of_thread in threads.items():
        found[which] = found.get(which, 0) + covered(of_thread)
    return {which: None if which in doubtful else total for which, total in found.items()}


def is_within(span, start, end):
    return span.start < end and (span.start >= start if span.start == span.end else span.end > start)


def spans(drawn, window=ALL):
    """(process, span) of all in the window, cut at its edges."""
    program = drawn.program or (drawn.processes[0].pid if len(drawn.processes) == 1 else 0)
    processes = [Process(p, p.pid == program, window) for p in drawn.processes]
    found = [(process, span) for process in processes for span in process.spans if is_within(span, *window)]
    for _, span in found:
        span.start, span.end = max(span.start, window[0]), min(span.end, window[1])
    return found
