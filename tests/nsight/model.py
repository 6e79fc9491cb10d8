# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's work in ranges, slowly and as docs/gpu.md defines it; of a Program, or of one that drawn.py draws."""
import dataclasses

NO_RANGE = 'None', '(no range)'
ALL = float('-inf'), float('inf')  # a window: the times from and until which ranges and operations are cut


@dataclasses.dataclass(eq=False)
class Range:
    style: str  # PushPop, StartEnd, Mark
    pid: int
    tid: int
    domain: str
    text: str
    start: int
    end: int = None
    end_tid: int = None
    category: int = None
    color: int = None
    payload: str = None  # a column
    is_registered: bool = False
    table: str = None  # of calls of MPI; None: NVTX_EVENTS
    is_open: bool = False  # its row has no end; the last moment of the file counts

    @property
    def name(self):
        return f'{self.domain}:{self.text}' if self.domain else self.text


@dataclasses.dataclass(eq=False)
class Call:
    pid: int
    tid: int
    start: int
    end: int
    correlation: int
    name: str


@dataclasses.dataclass(eq=False)
class Operation:
    kind: str  # KERNEL, MEMCPY, MEMSET, GRAPH_TRACE
    pid: int
    start: int
    end: int
    device: int
    stream: int
    correlation: int
    name: str = ''
    bytes: int = 0
    copy: int = 0
    whole: tuple = None  # its start and its end, if a window has cut it


@dataclasses.dataclass(eq=False)
class Program:
    ranges: list = dataclasses.field(default_factory=list)
    calls: list = dataclasses.field(default_factory=list)
    operations: list = dataclasses.field(default_factory=list)


def union(intervals):
    """[[start, end], ...] without overlaps."""
    merged = []
    for start, end in sorted(intervals):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(end, merged[-1][1])
        else:
            merged.append([start, end])
    return merged


def length(intervals):
    return sum(end - start for start, end in union(intervals))


def launch(program, operation):
    """The call that launched an operation: the first one of its process with its number."""
    if operation.correlation is None:
        return None
    calls = [call for call in program.calls if call.pid == operation.pid and call.correlation == operation.correlation]
    return min(calls, key=lambda call: call.start, default=None)


def is_launched_in(call, one):
    if not call or one.style == 'Mark' or one.pid != call.pid or one.style == 'PushPop' and one.tid != call.tid:
        return False
    return one.start <= call.start < one.end


def cut(ones, window):
    """Those of which a part lies in the window, cut at its edges."""
    return [dataclasses.replace(one, start=max(one.start, window[0]), end=min(one.end, window[1]), **{'whole': (one.start, one.end)} if isinstance(one, Operation) else {})
            for one in ones if one.start < window[1] and (one.end > window[0] or one.start == one.end == window[0])]


def all_launched(program, window):
    """(operation, its call or None) of all in the window, and how long any of them ran."""
    operations = cut(program.operations, window)
    return [(one, launch(program, one)) for one in operations], length([(one.start, one.end) for one in operations])


class Row:
    def __init__(self, instances, spans, operations, all_busy):
        """SPANS: for each instance with operations, these. OPERATIONS: (operation, its call or None), each once."""
        work = [one for one, _ in operations]
        self.instances, self.operations = len(instances), len(work)
        self.lengths = sorted(one.end - one.start for one in work)
        self.total = sum(one.end - one.start for one in instances)
        self.sum = sum(one.end - one.start for one in work)
        self.busy = length([(one.start, one.end) for one in work])
        around = [(min(one.start for one in inner), max(one.end for one in inner)) for inner in spans]
        self.span = sum(end - start for start, end in around)
        self.idle = length(around) - self.busy if spans else 0
        self.latencies = sorted(max(0, one.whole[0] - call.start) for one, call in operations if call)
        copies = [one for one in work if one.kind == 'MEMCPY']
        self.copied, self.copying = sum(one.bytes for one in copies), sum(one.whole[1] - one.whole[0] for one in copies)
        self.share = 100 * self.busy / all_busy if all_busy else 0


def rows(program, window=ALL):
    """{(style, name): Row}"""
    launched, all_busy = all_launched(program, window)
    found, left = {}, list(launched)
    for key in {(one.style, one.name) for one in program.ranges if one.style != 'Mark'}:
        instances = [one for one in program.ranges if (one.style, one.name) == key]
        spans, operations = [], []
        for instance in instances:
            inner = [pair for pair in launched if is_launched_in(pair[1], instance)]
            if inner:
                spans.append([one for one, _ in inner])
            operations += [pair for pair in inner if pair not in operations]
        left = [pair for pair in left if pair not in operations]
        if operations:
            found[key] = Row(cut(instances, window), spans, operations, all_busy)
    if left:
        found[NO_RANGE] = Row([], [], left, all_busy)
    return found


def pushes(program):
    """The push/pop ranges in the order in which they began. Of those with one start the longest is first, then the first in the file."""
    tables = [None, 'MPI_P2P_EVENTS', 'MPI_COLLECTIVES_EVENTS', 'MPI_START_WAIT_EVENTS', 'MPI_OTHER_EVENTS']
    return sorted((one for one in program.ranges if one.style == 'PushPop'), key=lambda one: (one.start, -one.end, tables.index(one.table)))


def paths(program):
    """{push/pop range: the ranges around it when it began, the outermost first, and itself}"""
    found = {}
    for one in pushes(program):
        around = [outer for outer in found if (outer.pid, outer.tid) == (one.pid, one.tid) and outer.end > one.start]
        found[one] = found[around[-1]] + [one] if around else [one]
    return found


def nodes(program, thread, window=ALL):
    """{(style, thread, names of the path): Row}, of the paths that launched operations and those above. THREAD: of a range, what stands for
    its thread. The path of a process range is its name, without a thread. A thread's own row, of all it launched in ranges, has no names."""
    launched, all_busy = all_launched(program, window)
    instances = {}
    for one, path in paths(program).items():
        instances.setdefault(('PushPop', thread(one), tuple(outer.name for outer in path)), []).append(one)
    for one in program.ranges:
        if one.style == 'StartEnd':
            instances.setdefault(('StartEnd', '', (one.name,)), []).append(one)
    for (style, place, _), some in list(instances.items()):
        instances.setdefault((style, place, ()), []).extend(some)
    found, left = {}, [pair for pair in launched if not any(is_launched_in(pair[1], one) for one in program.ranges)]
    for key, some in instances.items():
        inner = [[operation for operation, call in launched if is_launched_in(call, one)] for one in some]
        work = [pair for pair in launched if any(pair[0] in each for each in inner)]
        found[key] = Row(cut(some, window), [each for each in inner if each], work, all_busy)
    found = {key: row for key, row in found.items()
             if any(other.operations and (*there, path[:len(key[2])]) == key for (*there, path), other in found.items())}
    return found | ({('None', '', ('(no range)',)): Row([], [], left, all_busy)} if left else {})


def launching_range(program, call):
    """The range that launched an operation: the push/pop range that began last, else the process range; or None."""
    around = [one for one in program.ranges if is_launched_in(call, one)]
    nested = [one for one in pushes(program) if one in around]
    return (nested or sorted(around, key=lambda one: (one.start, -one.end)) or [None])[-1]


def kernel_rows(program, by_range, window=ALL):
    """{(style, range, operation's name): Row}, or without BY_RANGE {(operation's name,): Row}"""
    launched, all_busy = all_launched(program, window)
    found = {}
    for one, call in launched:
        last = launching_range(program, call) if by_range else None
        key = (*((last.style, last.name) if last else NO_RANGE), one.name) if by_range else (one.name,)
        found.setdefault(key, []).append((one, call))
    return {key: Row([], [], pairs, all_busy) for key, pairs in found.items()}


def depth_and_self(program, window=ALL):
    """{range: (depth in its thread and domain, ns in the window in which it was the innermost of its thread)}, of push/pop ranges. The innermost
    is the one that began last of those that are open."""
    found, all = {}, pushes(program)
    for pid, tid in {(one.pid, one.tid) for one in program.ranges}:
        here = [one for one in all if (one.pid, one.tid) == (pid, tid)]
        times = sorted({time for one in here for time in (one.start, one.end)})
        own = dict.fromkeys(here, 0)
        for start, end in zip(times, times[1:]):
            around = [one for one in here if one.start <= start and one.end >= end]
            if around:
                own[around[-1]] += max(0, min(end, window[1]) - max(start, window[0]))
        for i, one in enumerate(here):
            found[one] = sum(other.domain == one.domain and other.end > one.start for other in here[:i]), own[one]
    return found
