# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random scripts for drawn.c, and a model of what statistics count of them: which rows there are, in which order, how often each was passed and
for how long. Only percentiles have a tolerance."""
import copy
import csv
import io
import json
import math
import random

from harness.checks import equal, require

SCOPES = [('plain', None), ('shared', 'train'), ('shared', None), None, ('formatted %u', 'train'), ('string', 'load'), None, ('in_function', None),
          ('named', None), ('catches', None)]
OF_TWO, TOOLS_ONLY, NAMED, CATCHES = 3, 6, 8, 9
PUSHES = [('plain', None), ('pushed', 'train'), ('pushed %u', 'load'), ('string', None)]
MARKS = [('plain', None), ('marked %u', 'train'), ('string', 'load')]
RANGES = [('plain', None), ('started', 'train'), ('started %u', 'load'), ('string', 'load')]
DOMAINS = [None, 'train', 'load']
SLOTS = 16  # of ranges
KINDS = [(0, 0.22), (0.4, 0.44), (0.44, 0.46), (0.46, 0.5), (0.5, 0.68), (0.68, 0.72), (0.72, 0.78), (0.93, 0.94), (0.94, 0.955), (0.955, 0.97),
         (0.97, 0.98), (0.98, 1)]  # of lines, by their shares: see script


# A push that is open when statistics are switched, and its row afterwards; one that is open when they are on and are switched on; a scope that
# another thread ends.
SWITCHED = [('S', 1), ('w', 1 << 40), ('p', 0), ('w', 100), ('S', 0), ('S', 1), ('p', 0), ('w', 100), ('o', 0), ('!', 0),
            ('p', 1), ('w', 100), ('S', 1), ('w', 100), ('o', 1), ('!', 0),
            ('s', NAMED), ('w', 100), ('t', 0), ('w', 100), ('n', 0), ('w', 100), ('e', 0), ('w', 100), ('e', 0), ('!', 0)]
# A plugin that finds what the other has left of its call sites.
RELOADED = [('S', 1), ('w', 1 << 40), *(line for turn in range(4) for line in [('l', turn % 2), *(
    line for kind in range(3) for line in [('s', kind), ('w', 100), ('e', 0), ('m', kind)]), ('e', 0)]), ('!', 0)]


def script(seed, plugins=True):
    """Lines of a character and a number. Threads run one after the other, each while the thread that began it waits; a forked child, up to 'f'. What is
    between 'l' and its end is done by one of two PLUGINS, which is loaded and closed each time."""
    source = random.Random(seed)
    lines, level, paused, on, child = [('S', 1), ('w', 1 << 40)], [], [False, False], True, None  # paused: of the program, and of the plugin
    level.append({'thread': True, 'named': 0, 'catches': False, 'plugin': False, 'loads': False})

    def begin(**more):
        level.append({**level[-1], 'thread': False, 'catches': False, 'loads': False, **more})

    def named():
        return level[-1]['named']

    def of_thread():
        """The levels of this thread that are open, without its first."""
        first = max(i for i, one in enumerate(level) if one['thread'])
        return range(max(first, child[0] if child else 0) + 1, len(level))

    usual = source.choice([range(10), [0, 1], [NAMED, CATCHES, 0], [3, 5, 0]])
    never = source.sample(KINDS, source.choice([0, 5, 8]))  # in this script: so what is rare meets what is rare
    loads = 0.5 + source.choice([0.01, 0.08])
    for _ in range(source.choice([20, 100, 600])):
        what, floor = source.random(), child[0] if child else 0
        if any(first <= what < end for first, end in never):
            continue
        if what < 0.22 and len(level) < 30:
            kind = source.choice(usual)
            lines.append(('s', kind + 10 * source.randrange(2)))
            begin(named=named() + (kind == NAMED), catches=kind == CATCHES)
        elif what < 0.4 and len(level) - 1 > floor:
            lines.append(('e', 0))
            paused = paused[:1] + [False] if level.pop()['loads'] else paused
        elif what < 0.44 and named() > (child[1] if child else 0):
            lines.append(('n', source.randrange(child[1] if child else 0, named())))
        elif what < 0.46 and any(level[i]['catches'] for i in of_thread()):
            to = max(i for i in of_thread() if level[i]['catches']) + 1
            if not any(one['loads'] for one in level[to:]):
                lines.append(('j', 0))
                del level[to:]
        elif what < 0.49 and len(level) < 30:
            lines.append(('t', 0))
            begin(thread=True)
        elif what < 0.5:
            first = max(i for i, one in enumerate(level) if one['thread'])
            if first > floor and not any(one['loads'] for one in level[first:]):
                lines.append(('x', 0))
                del level[first:]
        elif what < loads and plugins and not level[-1]['plugin'] and len(level) < 30:
            lines.append(('l', source.randrange(2)))
            begin(plugin=True, loads=True)
        elif what < 0.68 and not paused[level[-1]['plugin']]:
            # The plugin's domains of these names are others.
            lines.append(source.choice([('p', 0), ('p', 3), ('o', 0)] if level[-1]['plugin'] else [('p', source.randrange(4)), ('o', source.randrange(3))]))
        elif what < 0.72:
            lines.append(('m', source.randrange(3)))
        elif what < 0.78:
            lines.append(source.choice([('r', source.randrange(4 * SLOTS)), ('q', source.randrange(SLOTS))]))
        elif what < 0.93:
            bits = source.choice([4, 10, 10, 20, 36])
            lines.append(('w', source.choice([source.randrange(1 << bits), (1 << source.randrange(4, bits + 1)) - source.randrange(18)])))
        elif what < 0.93 + 0.001:  # many calls, for the percentiles that differ in these alone
            lines += 250 * [('s', 0), ('w', source.randrange(1 << 12)), ('e', 0)]
            lines[-749::3] = [('w', source.randrange(1 << 12)) for _ in range(250)]
        elif what < 0.94:
            lines.append(('R', 0))
        elif what < 0.955:
            on = source.random() < 0.4 or not on
            lines.append(('S', int(on)))
        elif what < 0.97:
            of = level[-1]['plugin']
            paused = [not p and source.random() < 0.7 if i == of else p for i, p in enumerate(paused)]
            lines.append(('E', int(not paused[of])))
        elif what < 0.98:
            lines.append(('!', 0))
        elif child and what < 0.99:
            lines += [('!', 0), ('f', 0)]
            (_, _, level, paused, on), child = child, None
        elif not child:
            lines.append(('F', 0))
            of_others = [one['named'] for one in level if one['thread']][-1]  # in whose stacks they are, which a child has not
            child = len(level) - 1, of_others, copy.deepcopy(level), paused, on
    lines += [('!', 0), ('f', 0), ('!', 0)] if child else [('!', 0)]
    return [(what, max(0, number)) for what, number in lines]


class Row:
    """What was counted at one place in one domain, since the last reset."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.marks, self.times, self.within, self.twice = 0, [], 0, 0

    def count(self):
        return self.marks + len(self.times)


class Frame:
    """A scope or a push that is counted and has not ended."""

    def __init__(self, row, now, resets, pushed_in=''):
        self.row, self.began, self.resets, self.pushed_in, self.within = row, now, resets, pushed_in, 0

    def is_push(self):
        return self.pushed_in != ''


class Thread:
    def __init__(self):
        self.open = []  # frames, in the order in which they began
        self.switches = 0


class Process:
    def __init__(self):
        self.rows, self.resets, self.switches, self.on, self.now = {}, 0, 0, False, 1
        self.paused = [False, False]  # of the program, and of the plugin
        self.ranges = {}
        # What is around what runs: scopes are (thread, frame or None, kind, whether the plugin's), and each thread begins with (thread, None, None, ...).
        self.around = [(Thread(), None, None, False)]
        self.named = []  # [thread, frame or None; or None once it has ended]

    def reset(self):
        self.resets += 1
        for row in self.rows.values():
            row.reset()

    def row(self, place, kind):
        return self.rows.setdefault((*place, kind), Row())

    def listens(self):
        return self.on and not self.paused[self.around[-1][3]]

    def end(self, thread, frame, early):
        """An end within what began later, which stays open if EARLY. Otherwise the scopes in it had been left by longjmp."""
        if frame not in thread.open:
            return
        at = thread.open.index(frame)
        if not early:
            thread.open[at + 1:] = [f for f in thread.open[at + 1:] if f.is_push()]
        del thread.open[at]
        took = self.now - frame.began
        if at:
            thread.open[at - 1].within += took
        if frame.resets == self.resets:
            frame.row.times.append(took)
            frame.row.within += frame.within
            if any(f.row is frame.row and f.resets == self.resets for f in thread.open):
                frame.row.twice += took

    def look_for_switches(self, thread):
        """Pushes that were open when statistics were switched are forgotten."""
        if thread.switches != self.switches:
            thread.switches = self.switches
            thread.open = [f for f in thread.open if not f.is_push()]

    def leave(self, how_many):
        """Takes levels away, without their ends."""
        for _ in range(how_many):
            if self.around.pop()[2] == NAMED:
                self.named.pop()

    def scope(self, number):
        thread, kind, frame = self.around[-1][0], number % 10, None
        place = ('of two', ['load', 'train'][number // 10 % 2]) if kind == OF_TWO else SCOPES[kind]
        if self.listens() and place:
            frame = Frame(self.row(place, 'scope'), self.now, self.resets)
            thread.open.append(frame)
        self.around.append((thread, frame, kind, self.around[-1][3]))
        if kind == NAMED:
            self.named.append((thread, frame))

    def do(self, what, number):
        thread, frame, kind, plugin = self.around[-1]
        if what == 's':
            self.scope(number)
        elif what == 'e':
            if kind == 'plugin':
                self.paused[True] = False
                self.ranges = {slot: frame for slot, frame in self.ranges.items() if not frame or not frame.plugin}
            elif kind is not None and (kind != NAMED or self.named[-1]):
                self.end(thread, frame, False)
            self.leave(1)
        elif what == 'n':
            if self.named[number]:
                if self.named[number][0] is thread:
                    self.end(*self.named[number], True)
                self.named[number] = None
        elif what == 'j':
            self.leave([kind for _, _, kind, _ in reversed(self.around)].index(CATCHES))
        elif what == 'x':
            self.leave([kind for _, _, kind, _ in reversed(self.around)].index(None) + 1)
        elif what == 't':
            self.around.append((Thread(), None, None, plugin))
        elif what == 'l':
            self.around.append((thread, None, 'plugin', True))
        elif what == 'p' and self.on:
            self.look_for_switches(thread)
            place = PUSHES[number]
            thread.open.append(Frame(self.row(place, 'push'), self.now, self.resets, place[1]))
        elif what == 'o' and self.on:
            self.look_for_switches(thread)
            for f in reversed(thread.open):
                if f.is_push() and f.pushed_in == DOMAINS[number]:
                    self.end(thread, f, True)
                    break
        elif what == 'm' and self.listens():
            self.row(MARKS[number], 'mark').marks += 1
        elif what == 'r':
            self.ranges[number % SLOTS] = None
            if self.listens():
                self.ranges[number % SLOTS] = Frame(self.row(RANGES[number // SLOTS], 'range'), self.now, self.resets)
                self.ranges[number % SLOTS].plugin = plugin
        elif what == 'q':
            f = self.ranges.pop(number, None)
            if f and f.resets == self.resets:
                f.row.times.append(self.now - f.began)
        elif what == 'w':
            self.now += number
        elif what == 'R':
            self.reset()
        elif what == 'S':
            self.switches += self.on != bool(number)
            self.on = bool(number)
        elif what == 'E':
            self.paused[plugin] = not number


# What nvtxh_stats_find says of a name, in the order of drawn.c.
FIGURES = ['count', 'total_ns', 'self_ns', 'min_ns', 'max_ns', 'average_ns', 'deviation_ns', 'median_ns', 'p90_ns', 'p99_ns', 'p999_ns', 'inclusive_ns']


def exactly(got, wanted, what):
    require(abs(got - wanted) <= 1 + wanted * 1e-9, f'{what}: got {got}, wanted {wanted}')


def nth(times, n):
    return sorted(times)[n - 1]


def check_times(got, rows, scale, what):
    """The figures of one row, or of several."""
    times = [t * scale for row in rows for t in row.times]
    total, n = sum(times), len(times)
    exactly(got['total_ns'], total, f'{what}, total')
    if 'inclusive_ns' in got:
        exactly(got['inclusive_ns'], total - scale * sum(row.twice for row in rows), f'{what}, inclusive')
    if 'self_ns' in got:
        exactly(got['self_ns'], max(0, total - scale * sum(row.within for row in rows)), f'{what}, self')
    exactly(got['min_ns'], min(times, default=0), f'{what}, least')
    exactly(got['max_ns'], max(times, default=0), f'{what}, most')
    if not n:  # marks have no times
        equal(sum(got[column] for column in FIGURES[5:]), 0, f'{what}: {got}')
        return
    exactly(got['average_ns'], total / n, f'{what}, average')
    mean = total / n
    deviation = math.sqrt(sum((t - mean) ** 2 for t in times) / (n - 1)) if n > 1 else 0
    require(abs(got['deviation_ns'] - deviation) <= 2 + max(times) * 1e-6 + 1e-6 * deviation, f'{what}, deviation: {got}, wanted {deviation}')
    for column, share in ('median_ns', None), ('p90_ns', 900), ('p99_ns', 990), ('p999_ns', 999):
        wanted = nth(times, -(-n * share // 1000)) if share else (nth(times, (n + 1) // 2) + nth(times, n // 2 + 1)) / 2
        require(abs(got[column] - wanted) <= 1 + (wanted + 16 * scale) / 32, f'{what}, {column}: {got}, wanted {wanted}')
        require(got['min_ns'] <= got[column] <= got['max_ns'], f'{what}, {column}: {got}')


def check_shown(model, said, scale, where):
    """One '!' of the script: what nvtxh_stats_find, CSV and JSON say."""
    found, text, listed = said.split('\n\n', 2)
    listed = json.loads(listed)['ranges']
    counted = {key: row for key, row in model.rows.items() if row.count()}
    lines = {(row['message'], row['domain'], row['kind']): row['line'] for row in listed}
    equal(set(lines), set(counted), f'{where}: rows')
    for row in listed:
        one = counted[row['message'], row['domain'], row['kind']]
        equal(row['count'], one.count(), f'{where}: {row}')
        if row['kind'] != 'mark':
            check_times(row, [one], scale, f'{where}: {row}')
    for line in found.split('\n'):
        name, *numbers, place = line.split('\t')
        domain, colon, message = name.rpartition(':')
        of = [key for key in model.rows if key[0] == message and (not colon or (key[1] or '') == domain) and key in counted]
        figures = dict(zip(FIGURES, map(int, numbers), strict=True))
        equal(figures['count'], sum(counted[key].count() for key in of), f'{where}: find {name}')
        check_times(figures, [counted[key] for key in of], scale, f'{where}: find {name}')
        equal(int(place), lines[of[0]] if of else 0, f'{where}: the line of the oldest row of {name}')
    equal([row for row in listed if (row['message'] == 'string') != (row['file'] == '')], [], f'{where}: strings have no place')
    keys = [(row['kind'] == 'mark', -row.get('inclusive_ns', row.get('total_ns', 0)), -row['count']) for row in listed]
    equal(keys, sorted(keys), f'{where}: the order')
    all_ns = sum(row.get('self_ns', 0) for row in listed)
    for name in 'self_ns', 'inclusive_ns':
        equal([row for row in listed if (name in row) != (row['kind'] not in ('mark', 'range'))], [], f'{where}: which rows have {name}')
    rows = list(csv.DictReader(io.StringIO(text)))
    equal(len(rows), len(listed), f'{where}: rows of CSV')
    columns = {'Instances': 'count', 'Total Time (ns)': 'total_ns', 'Inclusive (ns)': 'inclusive_ns', 'Self (ns)': 'self_ns', 'Min (ns)': 'min_ns', 'Max (ns)': 'max_ns',
               'Avg (ns)': 'average_ns', 'StdDev (ns)': 'deviation_ns', 'Med (ns)': 'median_ns', 'P90 (ns)': 'p90_ns', 'P99 (ns)': 'p99_ns',
               'P99.9 (ns)': 'p999_ns', 'Message': 'message', 'Domain': 'domain', 'Function': 'function', 'File': 'file', 'Line': 'line'}
    for row, other in zip(rows, listed):
        equal([row[a] for a in columns], ['' if other.get(b) is None else str(other[b]) for b in columns.values()], f'{where}: CSV')
        equal(row['Range'], (other['domain'] + ':' if other['domain'] else '') + other['message'], f'{where}: CSV')
        if other['kind'] in ('mark', 'range'):
            equal(row['Time (%)'], '', f'{where}: share')
        else:
            require(abs(float(row['Time (%)']) - (100 * other['inclusive_ns'] / all_ns if all_ns else 0)) < 0.0501, f'{where}: share', row)


def check(lines, hz, said):
    """What drawn.c has SAID of a script, on a clock of HZ."""
    process, parent, scale = Process(), None, 1e9 / hz if hz else 1
    shown = said.split('----\n')[:-1]
    for i, (what, number) in enumerate(lines):
        if what == 'F':
            parent, process = process, copy.deepcopy(process)
            process.reset()
        elif what == 'f':
            process, parent = parent, None
        elif what == '!':
            require(shown, f'line {i}: nothing is shown')
            check_shown(process, shown.pop(0), scale, f'line {i}')
        else:
            process.do(what, number)
    equal(shown, [], 'nothing else is shown')
