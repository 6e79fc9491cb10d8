#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of `nvtxh view` draws, and what it says after any choices: the pixels and words of its pictures are compared with what Python makes of the
entries, which page.py compares with what was recorded."""
import collections
import itertools
import json
import math
import random
import re

from harness import driver
from harness.checks import BUILD, Taken, equal, require
from harness.draws import seeds, some
from page_answers import events, steps
from page import READY, Page, common, known, make_page, process_name
import drawn
import formats
import switches
import synthetic

LABELS, RULER, ROW = 210, 30, 19  # pixels: the width of the labels, the heights of the ruler and of a row
PUSH_POP, START_END, MARK, COUNTER = range(4)

# From here on, `words` has what is written on canvases: the canvas, the text, its place, its colour.
LISTEN = """(() => {
    const write = CanvasRenderingContext2D.prototype.fillText;
    window.words = [];
    CanvasRenderingContext2D.prototype.fillText = function (text, x, y) { words.push([this.canvas.id, text, x, y, this.fillStyle]); write.call(this, text, x, y); };
})()"""

# What is drawn of each entry of the first recording; of a range also the domains around it.
ENTRIES = """(pack => [...pack.start].map((start, e) => {
    const { kinds, paths, head } = pack, kind = kindOf(pack, e), around = [], track = trackOf(pack, e);
    for (let p = paths.parent[pack.path[e]]; p; p = paths.parent[p]) around.push(kinds.domain[paths.kind[p]]);
    return { start, end: start + pack.length[e], style: kinds.style[kind], domain: kinds.domain[kind], around, rgb: kinds.color[kind] ? (kinds.color[kind] - 1) % 2 ** 24 : kinds.rgb[kind],
             text: kinds.text[kind] || '(no message)', name: groupOf(pack, e).name, isOpen: pack.flags[e] & 1, count: pack.count[e], track: track.number, value: pack.value[e] };
}))(model.packs[0])"""

# The lanes from top to bottom, without their places; a process has track -1.
LANES = """model.lanes.map(({ style, track, pack, process }) => ({ style, track: track?.number ?? -1, pid: pack.head.processes[process].pid, unit: track?.unit,
    thread: pack.head.threads[track?.thread] ?? null, isLane: track?.lane ?? 0, name: pack.head.texts[(track?.name ?? 0) - 1] ?? '(no message)', domain: pack.head.texts[(track?.domain ?? 0) - 1] || null }))"""


# Takes the holes away, which are hatched over ranges.
NO_HOLES = """model.packs.forEach(({ head, tracks }) => {
    head.processes.forEach(each => { each.gates = []; });
    tracks.forEach(each => { each.gaps = each.losses = []; });
})"""


# All lanes show all of their rows.
UNFOLD = """(model.packs.forEach(pack => pack.tracks.forEach(track => model.folds.set(trackKey(pack, track), 'all'))), relayOut())"""


class Pictures(Page):
    """A page in the light theme, whose lanes all are on the screen."""

    def __init__(self, path, holes=False):
        super().__init__(path)
        self.evaluate(LISTEN)
        self.evaluate(f"({'0' if holes else NO_HOLES}, {UNFOLD}, lanesBox.style.flex = 'none', lanesBox.style.height = '4000px', setTheme('light'))")
        self.colors = {name: int(color[1:], 16) for name, color in self.evaluate('view.colors').items()}

    def lines(self, ys, canvas='canvas'):
        """The colours of lines of pixels, from left to right."""
        runs = self.evaluate(f"""((element, ys) => {{
            const copy = make('canvas', '', {{ width: element.width, height: element.height }}), context = copy.getContext('2d', {{ willReadFrequently: true }});
            context.drawImage(element, 0, 0);
            return ys.map(y => {{
                const runs = [];
                for (const p of new Uint32Array(context.getImageData(0, y, copy.width, 1).data.buffer))
                    if (runs.at(-1)?.[0] === p) runs.at(-1)[1]++; else runs.push([p, 1]);
                return runs;
            }});
        }})($('{canvas}'), {json.dumps(ys)})""")
        return [[(p & 255) << 16 | p & 0xff00 | p >> 16 & 255 for p, count in line for _ in range(count)] for line in runs]

    def draws(self, how='draw()'):
        """Draws; what was written."""
        return [tuple(word) for word in self.evaluate(f'(words.length = 0, {how}, words)')]

    def widths(self, names):
        """How many pixels names take."""
        return dict(zip(names, self.evaluate(f"((context) => {json.dumps(names)}.map(name => context.measureText(name).width))(prepare(make('canvas'), 1, 1))")))


def mix(a, b, part):
    return sum(math.floor((a >> shift & 255) * (1 - part) + (b >> shift & 255) * part + .5) << shift for shift in (0, 8, 16))


def is_near(got, wanted):
    """Whether a colour is the wanted one; a colour in a tuple: but for rounding."""
    return got == wanted if isinstance(wanted, int) else all(abs((got >> shift & 255) - (wanted[0] >> shift & 255)) <= 2 for shift in (0, 8, 16))


def contrast(a, b):
    def light(rgb):
        parts = [(rgb >> shift & 255) / 255 for shift in (16, 8, 0)]
        return sum(weight * (((part + .055) / 1.055) ** 2.4 if part > .04 else part / 12.92) for weight, part in zip((.2126, .7152, .0722), parts))
    low, high = sorted((light(a), light(b)))
    return (high + .05) / (low + .05)


class Timeline:
    """A time on the screen, and what of it is drawn where."""

    def __init__(self, page, is_visible=lambda entry: True, is_hit=lambda entry: True):
        self.page, self.is_hit = page, is_hit
        self.start, self.end, self.width, self.is_merged, self.searches = page.evaluate('[view.from, view.to, canvas.clientWidth, model.packs[0].merged, Boolean(view.matched)]')
        self.scale = (self.width - LABELS) / (self.end - self.start)
        entries = [entry for entry in page.evaluate(ENTRIES) if is_visible(entry)]
        self.lanes, top = page.evaluate(LANES), RULER
        for lane in self.lanes:
            own = sorted((entry for entry in entries if entry['track'] == lane['track']), key=lambda entry: entry['start'])
            lane.update(top=top, marks=[e for e in own if e['style'] == MARK], samples=[e for e in own if e['style'] == COUNTER], rows=self.rows(lane, own, is_visible))
            lane['first'] = top + 4 + 15 * bool(lane['marks'])  # row
            lane['height'] = 24 if lane['style'] == -1 else 9 + (44 if lane['style'] == COUNTER else lane['first'] - top - 4 + ROW * max(1, len(lane['rows'])))
            top += lane['height']
        self.names = page.widths(sorted({entry['text'] for entry in entries}))

    def rows(self, lane, own, is_visible):
        """A range of a thread is below those around it, a process range at the top: in the first row from there on in which nothing lasts beyond its start. If there are
        few names, process ranges of a name are together, in the order of the names' first ranges."""
        rows, names = [], list(dict.fromkeys(common(entry['name']) for entry in own))
        if lane['style'] == START_END and (lane['thread'] or {'tid': 0})['tid'] < 1 << 23 and 1 < len(names) <= 10:
            return [row for name in names for row in self.rows(lane, [entry for entry in own if common(entry['name']) == name], is_visible)]
        for entry in own:
            if entry['style'] in (MARK, COUNTER):
                continue
            row = sum(is_visible({'domain': domain}) for domain in entry['around'])
            row = 0 if lane['style'] == START_END else row
            if lane['style'] == START_END or not self.is_merged:
                row = next(i for i in range(row, row + len(rows) + 1) if i >= len(rows) or not rows[i] or rows[i][-1]['end'] <= entry['start'])
            rows += [[] for _ in range(row + 1 - len(rows))]
            rows[row].append(entry)
        for row in rows:  # entries that were merged may overlap: each is drawn up to the next one
            for entry, after in zip(row, row[1:]):
                entry['end'] = min(entry['end'], after['start']) if self.is_merged else entry['end']
        return rows

    def x(self, time):
        return LABELS + (time - self.start) * self.scale

    def color(self, entry):
        return entry['rgb'] if self.is_hit(entry) else mix(entry['rgb'], self.page.colors['back'], .8)

    def seen(self, row):
        return [entry for entry in row if entry['start'] < self.end and entry['end'] > self.start]

    def is_wide(self, entry):
        return (entry['end'] - entry['start']) * self.scale >= 2

    def pixels(self, row):
        """For each pixel of a line through a row: the colours that it may have; None: any, at the edge of a range."""
        colors = self.page.colors
        found = [{colors['back'], colors['line']} for _ in range(self.width)]  # the lines of the ruler
        thin = collections.defaultdict(lambda: [set(), set()])
        for entry in self.seen(row):
            if not self.is_wide(entry):
                cell = LABELS + math.floor(entry['start'] * self.scale) - math.floor(self.start * self.scale + .5)
                thin[cell][self.searches and self.is_hit(entry)].add(self.color(entry))
        for cell, (others, hits) in thin.items():
            if LABELS <= cell < LABELS + math.floor(self.width - LABELS):
                begin, end = ((cell - LABELS + math.floor(self.start * self.scale + .5) + edge) / self.scale for edge in (0, 1))
                inside = [entry for entry in self.seen(row) if math.floor(entry['start'] * self.scale) + LABELS - math.floor(self.start * self.scale + .5) == cell]
                ns = sum(min(entry['end'], end) - entry['start'] for entry in inside) if inside[0]['end'] <= end else inside[0]['end'] - inside[0]['start']
                opacity = .35 + .65 * min(1, ns * self.scale)  # tuples: to be met but for rounding
                found[cell] = hits or {(mix(behind, color, opacity),) for color in others for behind in (colors['back'], colors['line'])}
        for entry in self.seen(row):
            if self.is_wide(entry):
                left, right, length = max(self.x(entry['start']), LABELS - 4), min(self.x(entry['end']), self.width + 4), (entry['end'] - entry['start']) * self.scale
                self.fill(found, left, left + max(1, right - left - (length > 4)), self.color(entry))
                if entry['isOpen'] and self.x(entry['end']) < self.width:
                    self.fill(found, right - 3, right - 1, colors['bad'])
        return found

    def fill(self, found, left, right, color):
        for i in range(max(0, math.floor(left)), min(self.width, math.ceil(right))):
            found[i] = {color} if i >= left - 1e-6 and i + 1 <= right + 1e-6 else None

    def check_words(self, words):
        """The names of ranges and marks, as much of each as there is room for."""
        wanted = {}
        for lane in self.lanes:
            for number, row in enumerate(lane['rows']):
                for entry in filter(self.is_wide, self.seen(row)):
                    left, right = max(self.x(entry['start']), LABELS - 4), min(self.x(entry['end']), self.width + 4)
                    if right - left > 22:
                        at = max(left, LABELS) + 4
                        color = {0, 0xffffff} if self.is_hit(entry) else {self.page.colors['faint']}
                        best = {max(color, key=lambda ink: contrast(ink, self.color(entry)))}
                        times = f'{entry["count"]:,} × ' if entry['count'] > 1 else ''
                        room = right - at - 4 - (self.page.widths([times])[times] if times else 0)
                        wanted[round(at, 2), lane['first'] + number * ROW + 9.] = entry['text'], room, best, times
            done = self.start - 12 / self.scale
            for entry, after in zip(lane['marks'], [*lane['marks'][1:], None]):
                x, end = self.x(entry['start']), self.x(after['start']) if after else self.width
                is_drawn = done < entry['start'] < self.end
                done = entry['start'] + (1 / self.scale if end - x <= 1 else 0) if is_drawn else done  # one mark stands for those of a pixel
                if is_drawn and end - x > 40:
                    wanted[round(x + 7, 2), lane['top'] + 8.] = entry['text'], end - x - 16, {self.page.colors['faint']}, ''
        got = {(round(x, 2), y): (text, int(color[1:], 16)) for canvas, text, x, y, color in words if canvas == 'canvas' and x >= LABELS - 5 and y > RULER}
        equal(set(got), set(wanted), 'the places of names')
        for place, (name, room, colors, times) in wanted.items():
            text, color = got[place]
            require(not text or text.startswith(times), 'how many were merged', text, times)
            text = text.removeprefix(times)
            require(color in colors, 'the colour of a name', name, color, colors)
            require(text == name if self.names[name] <= room else text == '' or text.endswith('…') and name.startswith(text[:-1]), 'a name', text, name, room)

    def check(self):
        words = self.page.draws()
        lines = [(lane, number, row) for lane in self.lanes for number, row in enumerate(lane['rows'])]
        for (lane, number, row), got in zip(lines, self.page.lines([lane['first'] + number * ROW + 1 for lane, number, _ in lines])):
            wanted = self.pixels(row)
            bad = [(i, hex(got[i]), wanted[i]) for i in range(LABELS + 1, self.width) if wanted[i] is not None and not any(is_near(got[i], color) for color in wanted[i])]
            equal(bad, [], f'{self.start} to {self.end}, track {lane["track"]}, row {number}')
        for (lane, number, row), got in zip(lines, self.page.lines([lane['first'] + number * ROW + 15 for lane, number, _ in lines])):
            for entry in filter(self.is_wide, self.seen(row)):  # what was merged is dashed below
                left, right = max(self.x(entry['start']), LABELS + 1), min(self.x(entry['end']) - 4, self.width)
                if right - left > 16:
                    seen = collections.Counter(got[math.ceil(left):math.floor(right)])
                    share = seen[self.page.colors['back']] / seen.total()
                    require(self.color(entry) in seen and (.2 < share < .8 if entry['count'] > 1 else share == 0), 'dashes', entry, seen)
        self.check_marks()
        self.check_words(words)

    def check_marks(self):
        """The middle of a mark's diamond, on which others may lie at least in part."""
        lanes = [lane for lane in self.lanes if lane['marks']]
        for lane, got in zip(lanes, self.page.lines([lane['top'] + 7 for lane in lanes])):
            drawn = [(self.x(entry['start']), self.color(entry)) for entry in lane['marks'] if self.start - 12 / self.scale < entry['start'] < self.end]
            for x, color in drawn:
                is_alone = all(at == x or abs(at - x) > 9 for at, _ in drawn) and sum(at == x for at, _ in drawn) == 1
                for i in range(math.ceil(x - 2), math.floor(x + 2)):
                    require(not LABELS < i < self.width or (got[i] == color if is_alone else got[i] != self.page.colors['back']), 'a mark', lane['track'], x, hex(got[i]), hex(color))


def case_page_lanes_drawn(bench):
    """Ranges, process ranges and marks have their colours and names where they were, at any time on the screen: also ranges thinner than a pixel, without an
    end, hidden ones and those that are not searched for."""
    for seed in some([1, 3], 1):
        rng = random.Random(seed)
        _, rec = formats.draw(bench, seed, clock=1, size=150)
        with Pictures(make_page(bench, rec, name=f'{seed}.html')) as page:
            whole = page.evaluate('[view.from, view.to]')
            starts = [entry['start'] for entry in page.evaluate(ENTRIES)]
            for hidden, word in ([], ''), ([], 'a'), ([], 'b'), (['one'], ''), (['one'], 'two'):
                page.evaluate(f"document.querySelectorAll('#filters fieldset:first-child label').forEach(each => each.firstChild.checked === {hidden}.includes(each.innerText.trim()) && each.click())")
                page.evaluate(f"($('search').value = '{word}', searchChanged())")
                for length in 1e9, 1e7, 3_000:
                    middle = rng.choice(starts)
                    page.evaluate('show(%r, %r)' % (tuple(whole) if length == 1e9 else (middle - length * rng.random(), middle + length)))
                    Timeline(page, lambda entry: entry['domain'] not in hidden, lambda entry: word in entry['name'].lower()).check()




def case_page_revealed(bench):
    """What a jump leads to is on the screen, below the ruler and wide enough to see, wherever the screen was before. The time on the screen stays if it is there already,
    and as long as it was if it is a mark or a sample."""
    for seed in some([1, 2], 1):
        rng, (_, rec) = random.Random(seed), formats.draw(bench, seed, clock=1, size=100)
        with Pictures(make_page(bench, rec, name=f'{seed}.html')) as page:
            page.evaluate("(lanesBox.style.height = '300px', fitAll())")
            entries = page.evaluate(ENTRIES)
            for e in rng.sample(range(len(entries)), 25):
                before = page.evaluate(f'(lanesBox.scrollTop = {rng.choice([0, 200, 1000, 10**5])}, show({rng.randrange(10**9)}, {10**9}), [view.from, view.to])')
                page.evaluate(f'(select(model.packs[0], {e}, true), new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done))))')
                timeline, entry = Timeline(page), entries[e]
                lane = next(lane for lane in timeline.lanes if lane['track'] == entry['track'])
                row = next((i for i, row in enumerate(lane['rows']) if entry in row), None)
                top = (lane['top'] if row is None else lane['first'] + row * ROW) - page.evaluate('lanesBox.scrollTop')
                below = top + (lane['height'] if entry['style'] == COUNTER else ROW)
                require(RULER <= top and below <= page.evaluate('lanesBox.clientHeight') + 1, f'seed {seed}: it is on the screen', entry, top, below)
                left, right = timeline.x(entry['start']), timeline.x(entry['end'])
                is_there, is_point = before[0] <= entry['start'] and entry['end'] <= before[1], entry['start'] == entry['end']
                require(not is_there or [timeline.start, timeline.end] == before, 'the time stays', entry, before)
                require(not is_point or abs(timeline.end - timeline.start - before[1] + before[0]) < 1, 'as long as before', entry, before)
                require(LABELS - 1 <= left < timeline.width and (is_there or is_point or right - left >= 2.9 or entry['end'] - entry['start'] < 1 or
                                                                 entry['end'] - entry['start'] < 3 / timeline.scale and timeline.end - timeline.start < 900), 'and wide', entry, left, right)


# For each lane, from its top and height, whether holes change a column of its pixels.
HATCHED = """(lanes => {
    const picture = () => {
        draw();
        const copy = make('canvas', '', { width: canvas.width, height: canvas.height }), context = copy.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    };
    const kept = model.packs.map(({ head, tracks }) => [head.processes.map(each => each.gates), tracks.map(each => [each.gaps, each.losses])]), before = picture();
    %s;
    const after = picture();
    model.packs.forEach(({ head, tracks }, i) => {
        head.processes.forEach((each, k) => { each.gates = kept[i][0][k]; });
        tracks.forEach((each, k) => { [each.gaps, each.losses] = kept[i][1][k]; });
    });
    return lanes.map(([top, height]) => Array(canvas.width).fill().map((_, x) => {
        for (let i = top * canvas.width + x; i < (top + height - 1) * canvas.width; i += canvas.width) if (before[i] !== after[i]) return 1;
        return 0;
    }).join(''));
})""" % NO_HOLES


def case_page_hatched(bench):
    """Hatched are the times that were not recorded, and those before a loss or a gap in a ring since the last range or mark that ended before; nothing else."""
    ones = {seed: drawn.Drawn(random.Random(seed), size=120, clock=1) for seed in range(40)}
    written, seen = {seed: one.write(bench.here(f'{seed}.nvtxh')) for seed, one in ones.items()}, collections.Counter()

    def first(is_so):
        return next(seed for seed, one in ones.items() if any(map(is_so, one.processes)))
    for seed in (first(lambda process: process.ring), first(lambda process: len(process.gates) > 2), first(lambda process: any(stream.dropped for stream in process.streams))):
        with Pictures(make_page(bench, written[seed], name=f'{seed}.html'), holes=True) as page:
            holes = page.evaluate('model.lanes.map(({ pack, process, track }) => [pack.head.processes[process].gates, track?.gaps ?? [], track?.losses ?? []])')
            start, end = page.evaluate('[view.from, view.to]')
            for window in (start, end), (start + .3 * (end - start), start + .6 * (end - start)):
                page.draws('(show(%r, %r), draw())' % window)
                timeline = Timeline(page)
                said = [(round(x, 1), text) for canvas, text, x, y, _ in page.draws() if text.startswith('◀')]
                equal(sorted(said), sorted((round(timeline.x(at) + 3, 1), f'◀ {events:,} events lost') for _, _, losses in holes for at, events in losses if timeline.x(at) > LABELS), 'how many')
                hatched = page.evaluate(f"{HATCHED}({[[lane['top'], lane['height']] for lane in timeline.lanes]})")
                for lane, got, (gates, gaps, losses) in zip(timeline.lanes, hatched, holes):
                    ends = [entry['end'] for row in [*lane['rows'], lane['marks'], lane['samples']] for entry in row]
                    times = [*gates, *([max([end for end in ends if end <= at], default=0), at] for at in [*gaps, *(at for at, _ in losses)])]
                    places = [(timeline.x(begin), max(timeline.x(end), timeline.x(begin) + 3)) for begin, end in times] if lane['style'] != -1 else []
                    words = [timeline.x(at) for at, _ in losses]  # how many, to the right of it
                    for i in range(LABELS + 1, timeline.width):
                        is_inside, is_beside = (any(left + more <= i and i + 1 <= right - more for left, right in places) for more in (1, -2))
                        if is_inside or not is_beside and not any(x <= i < x + 160 for x in words):
                            equal(got[i], '01'[is_inside], f'seed {seed}, track {lane["track"]}, {i}: {places}')
                            seen[is_inside] += 1
    require(min(seen.values()) > 1000 and len(seen) == 2, seen)


# For each lane and each state without a processor: how many pixels of each column that state changes.
OFF = """(lanes => {
    const all = view.off, picture = off => {
        view.off = off;
        draw();
        const copy = make('canvas', '', { width: canvas.width, height: canvas.height }), context = copy.getContext('2d', { willReadFrequently: true });
        context.drawImage(canvas, 0, 0);
        return new Uint32Array(context.getImageData(0, 0, copy.width, copy.height).data.buffer);
    };
    const none = picture([]), pictures = [0, 1, 2].map(state => picture(all.map((fill, i) => i === state ? fill : '#0000')));
    view.off = all;
    return lanes.map(([top, height]) => pictures.map(one => Array(canvas.width).fill().map((_, x) => {
        let n = 0;
        for (let i = top * canvas.width + x; i < (top + height - 1) * canvas.width; i += canvas.width) n += none[i] !== one[i];
        return n;
    })));
})"""
OFF_STATES = switches.BLOCKED, switches.PREEMPTED, None


def check_off(page, points, is_merged, taken):
    """What is drawn of the times without a processor, by thread. Of several parts that were merged, nothing is invented."""
    timeline = Timeline(page)
    for lane, columns in zip(timeline.lanes, page.evaluate(f"{OFF}({[[lane['top'], lane['height']] for lane in timeline.lanes]})")):
        found, first, end = [], *page.evaluate('[model.first, model.end]')
        edges = [(-math.inf, None), *points[lane['thread']['tid']], (math.inf, None)]
        for (at, state), (until, _) in zip(edges, edges[1:]):
            at, until, state = max(at, first), min(until, end), None if state not in (switches.ON, *OFF_STATES) else state
            if found and found[-1][2] == state and at <= found[-1][1]:
                at = found.pop()[0]
            found += [(at, until, state)] if until > at else []
        found = [(timeline.x(at), timeline.x(until), state) for at, until, state in found]
        for i in range(LABELS + 1, timeline.width - 1):
            here = [(left, right, state) for left, right, state in found if left < i + 1.1 and right > i - .1]
            for state, column, least, most in zip(OFF_STATES, columns, (3, lane['height'] - 1, 2), (lane['height'] / 4, lane['height'] - 1, lane['height'] / 4)):
                wanted = {mine == state and (is_merged or right - left >= 3) for left, right, mine in here}
                if not is_merged and wanted == {True}:
                    require(least <= column[i] <= most, f"thread {lane['thread']['tid']}, column {i}, of {state}", column[i], here)
                    taken(state)
                elif wanted == {False} and not (is_merged and state is None):
                    equal(column[i], 0, f"thread {lane['thread']['tid']}, column {i}: {here}")
                    taken('thin', any(mine == state for *_, mine in here))


def parts_of(page, ranges):
    """The CPU, blocked and preempted times that the details have of each range."""
    cells = page.evaluate("""[...model.packs[0].flags].map((_, e) => [groupOf(model.packs[0], e).text, [...details(model.packs[0], e).querySelectorAll('dd')].map(each => [each.previousSibling.textContent, each.textContent])])""")
    named = {name: dict(each) for name, each in cells}
    return [[int(named[name][key].removesuffix(' ns').replace(',', '')) for key in ('CPU', 'Blocked', 'Preempted')] for name in ranges]


def case_page_switches(bench):
    """A thread's lane shows when it had no processor, where that is at least 3 pixels wide: hatched, grey, or dotted if it is not known. Details have the sums; so they have
    if there are too many switches for a page, but for what is known only together with what is beside it."""
    taken, large = Taken('thin', *OFF_STATES, 'merged'), bench.nvtxh
    for seed in seeds(2):
        draw, path = random.Random(seed), bench.here(f'{seed}.nvtxh')
        truth, ranges, kept, lost = switches.write(draw, path, seed % 2 == 0)
        points = {tid: switches.of_thread(kept, lost, tid) for tid in truth}
        wanted = [[switches.sums(points[tid], begin, end)[state] for state in (switches.ON, switches.BLOCKED, switches.PREEMPTED)] for tid, begin, end in ranges]
        for is_merged in False, True:
            bench.nvtxh = BUILD / 'tests' / 'reader' / 'nvtxh-small' if is_merged else large
            with Pictures(make_page(bench, path, name=f'{seed}.html')) as page:
                page.evaluate("lanesBox.style.height = '400px'")
                for length in 1_000_000, 100_000, 10_000:
                    begin = draw.randrange(1_000_001 - length)
                    page.evaluate(f'show({begin}, {begin + length})')
                    check_off(page, points, is_merged, taken)
                got = parts_of(page, [f'range {i}' for i in range(len(ranges))])
                says_so = 'context switches closer together than' in page.text('#notices')
                equal(says_so or got, says_so or wanted, f'seed {seed}: details')
                require(is_merged or not says_so, 'each switch is there')
                taken('merged', says_so and got != wanted)
                require(all(a <= b for one, other in zip(got, wanted) for a, b in zip(one, other)), 'never invented', got, wanted)
                first, end, *sums = page.evaluate("""[model.first, model.end, ...model.packs[0].head.threads.map(({ tid, off }) => [tid, statesOf(off, model.first, model.end), off.row.length])]""")
                for tid, states, count in sums:
                    each = switches.sums(points[tid], first, end)
                    equal(states, [each[state] for state in (*OFF_STATES, switches.ON)], f'all of thread {tid}')
                require(not is_merged or sum(count for *_, count in sums) <= 12 + 2 * len(sums), 'few parts', sums)
    bench.nvtxh = large
    taken.finish()


def case_page_switched(bench):
    """The details of each instance have what `stats --slowest` has of it; without switches, they have none."""
    path, _ = switches.recorded(bench, parts=('mixed', 'rest', 'crowd'))
    names = ['mixed', 'rest', *(f'thread {i}' for i in range(16))]
    rows = [bench.table('stats', '--slowest', name, '--csv', path)[0] for name in names]
    with Page(make_page(bench, path)) as page:
        equal(parts_of(page, names), [[int(row[f'{key} (ns)']) for key in ('CPU', 'Blocked', 'Preempted')] for row in rows], 'details')
    with Page(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        equal(page.evaluate("[model.packs[0].head.threads.some(({ off }) => off), /Blocked/.test(details(model.packs[0], 0).textContent)]"), [False, False], 'no switches')


def height(lines, i, background):
    """How many pixels of a column, from its lowest on, are not the background's."""
    return next((len(lines) - y for y, line in enumerate(lines) if line[i] not in background), 0)


def covers(lane):
    """The times in which a thread has any range open, or any process range is open."""
    found, until = [], -math.inf
    for entry in sorted((entry for row in lane['rows'] for entry in row), key=lambda entry: entry['start']):
        found += [(max(entry['start'], until), entry['end'])] if entry['end'] > until else []
        until = max(until, entry['end'])
    return found


def case_page_minimap(bench):
    """The minimap is as high as threads and process ranges were busy, also with --from, and frames the time on the screen."""
    for seed, options in some([(1, ()), (2, ('--from', '300ms', '--to', '900ms')), (3, ())], 2):
        _, rec = formats.draw(bench, seed, clock=1, size=150)
        with Pictures(make_page(bench, rec, *options, name=f'{seed}.html')) as page:
            begin, end = page.evaluate('[model.from, model.end]')
            equal(begin, 300_000_000 if options else 0, 'the beginning')
            page.draws(f'(show({begin}, {end}), draw())')
            timeline = Timeline(page)
            scale, busy = (timeline.width - LABELS) / (end - begin), [0.] * (timeline.width - LABELS)
            for each in [each for lane in timeline.lanes for each in covers(lane)]:
                left, right = ((time - begin) * scale for time in each)
                for i in range(max(0, math.floor(left)), min(len(busy), math.ceil(right))):
                    busy[i] += max(0, min(right, i + 1) - max(left, i))
            lines = page.lines(list(range(1, 39)), 'minimap')
            for i, part in list(enumerate(busy))[3:-3]:
                got, wanted = height(lines, LABELS + i, {page.colors['panel'], page.colors['line']}), 35 * part / max(busy)
                require(abs(got - wanted) <= 1.01, f'seed {seed}: the height at {i}', got, wanted)
            page.draws(f'(show({begin + .4 * (end - begin)}, {begin + .6 * (end - begin)}), draw())')
            line, = page.lines([1], 'minimap')
            frame = [i for i, color in enumerate(line) if color == page.colors['accent']]
            require(all(abs(got - (LABELS + part * (timeline.width - LABELS))) <= 1.5 for got, part in zip((frame[0], frame[-1]), (.4, .6))), 'the frame', frame[:1], frame[-1:])


def time_of(text):
    number, unit = text.split()
    return float(number.replace(',', '')) * {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}[unit], 10**-len(number.partition('.')[2]) * {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}[unit]


def case_page_ruler(bench):
    """The ruler has a time at each multiple of 1, 2 or 5 times a power of ten that is on the screen; each is where that time is."""
    rng, (_, rec) = random.Random(4), formats.draw(bench, 4, clock=1, size=60)
    with Pictures(make_page(bench, rec)) as page:
        for _ in range(40):
            length = 10 ** rng.uniform(1.5, 9)
            start = rng.uniform(0, 1e9 - length)
            words = page.draws(f'(show({start}, {start + length}), draw())')
            timeline = Timeline(page)
            times = [(x - 4, *time_of(text)) for canvas, text, x, y, _ in words if canvas == 'canvas' and y == RULER / 2 and x > LABELS - 200 and 'visible' not in text]
            require(len({text for canvas, text, _, y, _ in words if canvas == 'canvas' and y == RULER / 2}) == len(times) + 1, 'no time twice')
            gaps = [b[0] - a[0] for a, b in zip(times, times[1:])]
            require(not gaps or 89.9 < min(gaps) and max(gaps) - min(gaps) < .1 and max(gaps) < 90 * 2.51 + (1 / timeline.scale > 36) * 1e9, 'the gaps', gaps, length)
            by = float(f'{(gaps[0] if gaps else 0) / timeline.scale:.3g}')
            require(not by or f'{by:e}'[0] in '125' and abs(by / float(f'{by:.0e}') - 1) < 1e-6, 'the step', by)
            for x, time, digit in times:
                require(abs(timeline.x(time) - x) <= .51 * digit * timeline.scale + .1 and (not by or abs(time / by - round(time / by)) < 1e-3), 'a time', time, x, timeline.x(time), by)
            if gaps:
                require(times[0][0] - LABELS < gaps[0] + .1 and timeline.width - times[-1][0] < gaps[0] + .1, 'all of them', times)
            shown, digit = time_of(next(text for _, text, x, y, _ in words if y == RULER / 2 and 'visible' in text).removesuffix(' visible'))
            require(abs(shown - (timeline.end - timeline.start)) <= digit, 'what is visible', shown)
            line, = page.lines([RULER - 3])
            marks = [i for i in range(LABELS, timeline.width) if line[i] == page.colors['line']]
            require(all(round(x + 1e-9) in marks or round(x - 1e-9) in marks for x, *_ in times if x < timeline.width - 1 and x >= LABELS) and len(marks) <= len(times), 'lines', marks, times)


def case_page_curves(bench):
    """The curve of a counter has the value of the last sample; where several are in a pixel, it goes from the lowest to the highest. Its label has the range."""
    rng = random.Random(1)
    for low, high in some([(-50, 100), (7, 7), (900, 1000), (0, 10)], 1):
        recording, samples = synthetic.Recording(end=1_000_000), []
        process = recording.process()
        process.names.long(28, 0, synthetic.struct.pack('<3Q2I', 1, 2, 0, 5, 0) + b'queue')
        thread = process.thread(100)
        for at in sorted(rng.sample(range(1000, 900_000, 50), 60) + rng.sample(range(500_000, 510_000), 200)):
            samples.append((at, rng.randint(low, high)))
            thread.add(at, synthetic.COUNT, [1, samples[-1][1] % (1 << 64)], flags=2 << 5)
        values = [value for _, value in samples]
        least, most = 0 if 0 < min(values) < max(values) / 2 else min(values), max(values)
        with Pictures(make_page(bench, recording.write(bench.here(f'{low}.nvtxh')), name=f'{low}.html')) as page:
            for start, end in (0, 1_000_000), (450_000, 560_000), (501_000, 502_000), (300_000, 700_000), (950_000, 999_000):
                words = page.draws(f'(show({start}, {end}), draw())')
                timeline = Timeline(page)
                lane, = timeline.lanes
                said = [text for _, text, x, y, _ in words if x == LABELS - 8 and y in (lane['top'] + 9, lane['top'] + 39)]
                equal(said, [f'{most:,}', f'{least:,}'], 'the label')
                lines = page.lines([lane['top'] + y for y in range(42)])
                back = {page.colors['back'], page.colors['line']}
                finish = page.evaluate('model.packs[0].head.end')
                for i in range(LABELS + 2, timeline.width - 2):
                    left, right = (timeline.start + (edge - LABELS) / timeline.scale for edge in (i - 1, i + 2))
                    before = [value for at, value in samples if at <= left][-1:]
                    inside = [value for at, value in samples if left < at <= right]
                    got = [y for y in range(42) if lines[y][i] not in back]
                    if not before and not inside or left > finish:
                        require(not got, 'before the first sample, or after the end', i, got)
                    elif before and not inside and right < finish:
                        wanted = 4 + 34 * (1 - ((before[0] - least) / (most - least) if most > least else .5))
                        require(got and abs(got[0] + .5 - wanted) <= 1, 'the height of the curve', i, got[:1], wanted)
                    elif len(inside) > 20:  # very many: a pixel has some of the highest
                        wanted = 4 + 34 * (1 - ((max(inside) - least) / (most - least) if most > least else .5))
                        require(got and got[0] + 1.5 >= wanted, 'the highest', i, got[:1], wanted)



def case_page_merged_drawn(bench):
    """Entries that were merged say how many they are and are dashed; each is drawn up to the next one."""
    bench.nvtxh = BUILD / 'tests' / 'reader' / 'nvtxh-small'
    for seed in some([1, 2], 1):
        rng, recording = random.Random(seed), synthetic.Recording(end=10**6)
        thread, at, depth = recording.process().thread(100), 0, 0
        for _ in range(600):
            at += rng.choice([20, 50, 300, 4000])
            is_push = depth == 0 or depth < 3 and rng.random() < .5
            thread.push(at, rng.choice('ab')) if is_push else thread.pop(at)
            depth += 1 if is_push else -1
        rec = recording.write(bench.here(f'{seed}.nvtxh'))
        with Pictures(make_page(bench, rec, name=f'{seed}.html')) as page:
            whole, entries = page.evaluate('[view.from, view.to]'), page.evaluate(ENTRIES)
            merged = [entry for entry in entries if entry['count'] > 1 and entry['end'] - entry['start'] > 50]
            require(len(merged) > 5, 'entries that were merged', len(merged))
            for entry in [None, *rng.sample(merged, 6)]:
                length = entry and (entry['end'] - entry['start']) * rng.choice([1, 3, 10])
                page.evaluate('show(%r, %r)' % (tuple(whole) if not entry else (entry['start'] - length * rng.random(), entry['end'] + length)))
                Timeline(page).check()
            # The table leads to the entry with the longest instance of a name, and to that with the shortest.
            lengths = page.evaluate("['least', 'most'].map(key => [...model.packs[0][key]])")
            for name in {entry['name'] for entry in entries}:
                for key, of, extreme in ('min', lengths[0], min), ('max', lengths[1], max):
                    page.evaluate(f'(fitAll(), screenChanged(), 0) || goTo(summarize(model.packs[0], null).find(row => row.name === {json.dumps(name)}), "{key}")')
                    e = page.evaluate('view.selected')
                    equal((entries[e]['name'], of[e]), (name, extreme(ns for ns, entry in zip(of, entries) if entry['name'] == name)), f'{name}, {key}')
            # Each counts for as many instances as it is in the panel.
            means = page.evaluate('[...model.packs[0].total].map((total, e) => total / model.packs[0].count[e])')
            for e in rng.sample(range(len(entries)), 8):
                page.evaluate(f'select(model.packs[0], {e})')
                alike = [(other['count'], mean) for other, mean in zip(entries, means) if other['name'] == entries[e]['name']]
                everyone = sum(count for count, _ in alike)
                found = re.match(r'([\d,]+) instances, .* in all; this one is longer than ([\d.,]+) %', page.text('.panel p'))
                share = 100 * sum(count for count, mean in alike if mean < means[e]) / everyone
                require(found and int(found[1].replace(',', '')) == everyone and abs(float(found[2]) - share) <= .051, page.text('.panel p'), everyone, share)


def case_page_labels(bench):
    """A lane is labelled with its thread and how busy that was, or with what is counted; a process with its program, number, rank and host."""
    for seed in 2, 5:
        one, rec = formats.draw(bench, seed, clock=1, size=60)
        case = formats.Case(bench, rec, [one])
        with Pictures(make_page(bench, rec, name=f'{seed}.html')) as page:
            words = page.draws('(fitAll(), draw())')
            said = {(x, y): text for canvas, text, x, y, _ in words if canvas == 'canvas' and x < LABELS and y > RULER}
            elapsed = max(e.end for e in case.events) - min(e.start for e in case.events)
            for lane in Timeline(page).lanes:
                label, share, detail = (said.pop((x, lane['top'] + y), None) for x, y in ((10, 12), (LABELS - 8, 12), (10, 27)))
                about = lane['domain'] if lane['style'] in (START_END, COUNTER) else f'thread {lane["thread"]["tid"]}' if lane['thread'] else None
                equal(detail, about if lane['height'] > 32 else None, 'the second line')
                if lane['style'] == PUSH_POP:
                    own = [e for e in case.of('PushPop') if (e.pid, e.tid) == (lane['pid'], lane['thread']['tid'])]
                    name = next((e.thread_name for e in own if e.thread_name), None) or lane['thread']['name'] or f'thread {lane["thread"]["tid"]}'
                    require(label.removesuffix('…') == (name + ' (signal handlers)' * lane['isLane'])[:len(label.removesuffix('…'))], 'a thread', label, name)
                    edges = sorted((edge, -change) for row in lane['rows'] for entry in row for edge, change in ((entry['start'], 1), (entry['end'], -1)))
                    depths = itertools.accumulate(-change for _, change in edges)
                    busy = 100 * sum(after - before for ((before, _), (after, _)), depth in zip(itertools.pairwise(edges), depths) if depth) / elapsed
                    require(abs(float(share.removesuffix(' % busy')) - busy) < .501 + busy / 100, 'busy', label, share, busy)
                elif lane['style'] == START_END:
                    equal((label, share), ('process ranges', None), 'process ranges')
                elif lane['style'] == COUNTER:
                    values = [entry['value'] for entry in lane['samples']]
                    require(share is None and label == lane['name'], 'a counter', label, lane['name'])
                    require((said.pop((LABELS - 8, lane['top'] + 9)) == '…') <= (min(values) == max(values)), 'its range')
                    said.pop((LABELS - 8, lane['top'] + 39))
                else:
                    e = next(e for e in case.events if e.pid == lane['pid'])
                    require(label.startswith(f'▾ {process_name(case, e)}'[:len(label) - 1]), 'a process', label)
            equal(said, {}, 'other words')


def case_page_folds(bench):
    """A lane has at most ten rows before a click on its label; the next click folds it to how busy it was, and one more unfolds it. L folds all lanes and unfolds them, a jump the
    lane it leads to. Threads are sorted as people count, a process with one thread is one line, and a label stays in view."""
    recording = synthetic.Recording(end=10**6)
    process = recording.process(pid=100)
    for name, tid in ('worker 10', 110), ('main', 100), ('worker 2', 102):
        process.names.long(synthetic.THREAD, tid, name.encode())
        process.thread(tid).ranges('work', [500] * 100, gap=1000 + tid, at=1000)
    thread = process.thread(103)
    for depth in range(300):
        thread.push(1000 + depth, f'level {depth}')
    for depth in range(300):
        thread.pop(900_000 + 10 * depth)
    single = recording.process(pid=4711)
    single.number = 1
    single.rank(11, world=12)
    single.thread(4711).ranges('work', [1000, 2000])
    rng, drawn_one = random.Random(2), formats.draw(bench, 2, clock=1, size=100)[1]
    with Page(make_page(bench, recording.write(bench.here('folds.nvtxh')))) as page:
        def lanes():
            return page.evaluate('model.lanes.map(lane => [lane.label, lane.height])')
        row, strip = 9 + ROW, 22
        ones = [['▾ made-up 100', 24], ['main', row], ['thread 103', 9 + 10 * ROW], ['worker 2', row], ['worker 10', row]]
        equal(lanes(), [['rank 11 · 4711', row], *ones], 'lanes')
        for height in 9 + 300 * ROW, strip, 9 + 10 * ROW:
            page.click(*page.evaluate("(box => [box.left + 30, box.top + RULER + 12 + model.lanes.find(lane => lane.label === 'thread 103').top])(canvas.getBoundingClientRect())"))
            equal(dict(lanes())['thread 103'], height, 'a click')
        page.key('l')
        equal(lanes(), [['rank 11 · 4711', strip], ones[0], *[[name, strip] for name, _ in ones[1:]]], 'all are folded')
        page.key('l')
        equal(lanes()[1:], ones, 'all are unfolded')
        page.key('/')
        page.type('level 250')
        page.key('Enter')
        page.settle()
        x, y = page.place(0, 250, 450_000)[0], page.evaluate("rowTop(model.lanes.find(lane => lane.label === 'thread 103'), 250) + canvas.getBoundingClientRect().top")
        equal([dict(lanes())['thread 103'], page.evaluate(f"document.elementFromPoint({x}, {y} + 9).id"), page.text('#details h2')], [9 + 300 * ROW, 'canvas', 'level 250'], 'a jump')
        said = page.evaluate(f"({LISTEN}, draw(), words.filter(([id, text]) => id === 'canvas' && text === 'thread 103').map(word => word[3]))")
        equal(said, [RULER + 12, RULER + 27], 'the label')
    with Pictures(make_page(bench, drawn_one, name='drawn.html')) as page:
        page.key('l')
        for _ in range(6):
            length = 10 ** rng.uniform(4, 9)
            start = rng.uniform(0, 1e9 - length)
            page.draws(f'(show({start}, {start + length}), draw())')
            timeline, top = Timeline(page), RULER
            for lane in timeline.lanes:
                folds = lane['style'] in (PUSH_POP, START_END)
                got = page.lines([top + 10])[0] if folds else []
                for i in range(LABELS + 1, LABELS + math.floor(timeline.width - LABELS) if folds else 0):
                    left, right = (timeline.start + (edge - LABELS) / timeline.scale for edge in (i, i + 1))
                    part = sum(max(0, min(right, end) - max(left, begin)) for begin, end in covers(lane)) * timeline.scale
                    wanted = [mix(behind, page.colors['faint'], part) for behind in (page.colors['back'], page.colors['line'])]
                    require(any(all(abs((got[i] >> shift & 255) - (color >> shift & 255)) <= 2 for shift in (0, 8, 16)) for color in wanted), 'how busy', i, hex(got[i]), part)
                top += strip if folds else lane['height']


def case_page_windows_drawn(bench):
    """A selected time and a pinned one are tinted from edge to edge, with their lengths; what is selected has a frame, and what the pointer is on another."""
    with Pictures(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        accent, hit, back = (page.colors[name] for name in ('accent', 'hit', 'back'))
        for start, end in (0, 1_000_000), (150_000, 420_000):
            for pinned, selected in (None, (200_000, 400_000)), ((210_000, 300_000), (350_000, 410_000)), ((900_000, 950_000), None):
                words = page.draws(f'(view.pinned = {json.dumps(pinned)}, view.selection = {json.dumps(selected)}, show({start}, {end}), draw())')
                timeline = Timeline(page)
                line, = page.lines([RULER + timeline.lanes[-1]['top'] + 60])  # below all lanes
                for i in range(LABELS + 1, timeline.width):
                    times = [timeline.start + (edge - LABELS) / timeline.scale for edge in (i, i + 1)]
                    wanted = [back, page.colors['line']]
                    for window, color in (pinned, hit), (selected, accent):
                        edges = [timeline.x(at) for at in window] if window else []
                        if any(i - 1.5 < edge < i + 2 for edge in edges):
                            wanted = None
                        elif window and wanted is not None and window[0] < times[0] and times[1] < window[1]:
                            wanted = [mix(under, color, 0x22 / 255) for under in wanted]
                    require(wanted is None or any(all(abs((line[i] >> shift & 255) - (color >> shift & 255)) <= 2 for shift in (0, 8, 16)) for color in wanted),
                            'the tint', i, hex(line[i]), pinned, selected)
                said = [text for _, text, _, y, _ in words if y == 15.5]
                seen = [(name, window) for name, window in (('A: ', pinned), ('B: ' if pinned else '', selected)) if window and window[0] < timeline.end and window[1] > timeline.start]
                equal([(text[:len(name)], time_of(text[len(name):])[0]) for (name, _), text in zip(seen, said)], [(name, window[1] - window[0]) for name, window in seen], 'what they say')
                equal(len(said), len(seen), said)



# The flame graph that is shown: its zoomed node and what is in it, as trees of [short name, name, totals, hit, children].
NODES = """((side, zoom, word) => {
    const tree = node => [node.short, node.name, node.total, Boolean(word && flameMatches(node)), [...node.children.values()].map(tree)];
    [$('search').value, $('side').value] = [word, side];
    searchChanged();
    showTab('flame');
    let node = flame.root;
    for (let i = 0; i < zoom && node.children.size; i++) node = [...node.children.values()].reduce((a, b) => b.total[side] > a.total[side] ? b : a);
    [flame.zoomed, flame.focus] = [zoom ? node : null, null];
    words.length = 0;
    drawFlame();
    return [tree(node), tree(flame.root), node.depth, words, $('flame-box').clientWidth];
})(%d, %d, %s)"""


def boxes(node, side, depth, left, width):
    """(depth, left, width, node) of a node and what is in it, the longest first. Ranges of other domains may have begun in it and last longer: its width is
    shared among what is in it, then."""
    yield depth, left, width, node
    whole = max(node[2][side], sum(inner[2][side] for inner in node[4]))
    inside = sorted(node[4], key=lambda inner: -inner[2][side])
    small = [inner for inner in inside if not whole or width * inner[2][side] / whole < .6]
    others = [f'{len(small):,} others', f'{len(small):,} others', [sum(inner[2][of] for inner in small) for of in (0, 1)], False, []]
    for inner in inside[:len(inside) - len(small)] + [others] * bool(small):
        part = width * inner[2][side] / whole if whole else 0
        if part < .6:
            return
        yield from boxes(inner, side, depth + 1, left, part)
        left += part


def case_page_flame_drawn(bench):
    """The boxes of the flame graph are as wide as their times are long, one row per depth, and say so; with two recordings red is more in B, blue less."""
    for seed, against in (2, False), (3, True):
        rng, paths = random.Random(seed), [formats.draw(bench, 2 * seed + i, clock=1, size=100)[1] for i in range(2)]
        with Pictures(make_page(bench, paths[1], *['--against', paths[0]] * against, name=f'{seed}.html')) as page:
            page.evaluate("($('flame-box').style.flex = 'none', $('flame-box').style.height = '1500px')")
            rgb = {name: color for name, color in page.evaluate('model.packs.flatMap(pack => pack.groups.filter(group => group.style === PUSH_POP).map(group => [group.name, group.rgb]))')}
            for side, zoom, word in (0, 0, ''), (against, 1, ''), (against, 0, 'a'), (against, 2, 'b'):
                top, root, depth, words, width = page.evaluate(NODES % (side, zoom, json.dumps(word)))
                shown = list(boxes(top, side, depth, 0, width))
                lines = page.lines([level * 22 + 1 for level in range(max(at for at, *_ in shown) + 1)], 'flame-canvas')
                said = {(round(x, 1), y): text for canvas, text, x, y, _ in words if canvas == 'flame-canvas'}
                for level, left, wide, node in shown:
                    short, name, total, is_hit, _ = node
                    seen = {lines[level][i] for i in range(math.ceil(left + .01), math.floor(left + wide - (wide > 3)))}
                    require(len(seen) <= 1, 'a box is one colour', level, left, wide, seen)
                    for color in seen:
                        red, _, blue = (color >> shift & 255 for shift in (16, 8, 0))
                        if not against:
                            plain = rgb.get(name, 0x8a94a3)
                            equal(color, mix(plain, 0xffffff, .72) if word and not is_hit else plain, f'the colour of {name}')
                        elif abs(total[1] - total[0]) > .2 * max(total):
                            require((red > blue) == (total[1] > total[0]) and red != blue, 'more in B, or less', hex(color), total)
                    if wide >= 28:
                        text = said[round(left + 4, 1), level * 22 + 11]
                        require(text == short or not text or text.endswith('…') and short.startswith(text[:-1]) or text[0] == '…' and short.endswith(text[1:]), 'its name', text, short)
                    for (x, y), text in said.items():
                        share = re.search(r'^(.*) · ([\d.]+) %$', text)
                        if y == level * 22 + 11 and left + 4.2 < x < left + wide and share:
                            require(abs(float(share[2]) - 100 * total[side] / (root[2][side] or 1)) <= .0501, 'its share', text, total, root[2])
                            require(abs(time_of(share[1])[0] - total[side]) <= time_of(share[1])[1], 'its time', text, total)
                here, around, names = root, [], [root[1]]  # a walk by keys, in the order of the boxes
                page.evaluate("(flame.zoomed = flame.focus = null, $('flame-box').focus(), 1)")
                for key in rng.choices(['ArrowDown', 'ArrowRight', 'ArrowLeft', 'ArrowUp'], [5, 4, 2, 1], k=12):
                    inner = sorted(here[4], key=lambda inner: -inner[2][side])
                    row = sorted(around[-1][4], key=lambda inner: -inner[2][side]) if around else [here]
                    place = next(i for i, each in enumerate(row) if each is here) + {'ArrowRight': 1, 'ArrowLeft': -1}.get(key, 0)
                    if key == 'ArrowDown' and inner:
                        around, here = [*around, here], inner[0]
                    elif key == 'ArrowUp' and around:
                        *around, here = around
                    elif 0 <= place < len(row):
                        here = row[place]
                    page.key(key)
                    names.append(here[1])
                    equal(page.evaluate('(flame.focus || flame.root).name'), here[1], f'{key}, after {names}')
                for lines_of, node, outer in page.evaluate("""(node => { const all = []; const visit = node => { all.push([flameLines(node), [node.name, node.total, node.self, node.count],
                        node.parent && [node.parent.parent ? node.parent.name : 'all', node.parent.total]]); node.children.forEach(visit); }; visit(node); return all; })(flame.root)"""):
                    name, total, own, times = node
                    equal(lines_of[0], name if outer else 'all of it', 'the tip')
                    for number in range(1 + against):
                        figures = re.fullmatch('AB'[number] * against + r'(?:: )?total (.*?), self (.*?)(?:, (.*) times)?', lines_of[1 + number])
                        require(all(abs(time_of(text)[0] - ns) <= time_of(text)[1] for text, ns in zip(figures.groups(), (total[number], own[number]))) and
                                int((figures[3] or '0').replace(',', '')) == times[number], 'its times', lines_of, node)
                    shares = re.fullmatch(r'([\d.]+) % of all(?:, ([\d.]+) % of (.*))?', lines_of[-1])
                    require(abs(float(shares[1]) - 100 * total[side] / (root[2][side] or 1)) <= .00501 and shares[3] == (outer and outer[0]) and
                            (not outer or abs(float(shares[2]) - (100 * total[side] / outer[1][side] if outer[1][side] else 0)) <= .00501), 'its shares', lines_of, node, outer)
                for level in range(depth):  # around the zoomed box: as wide as all
                    equal(len(set(lines[level][1:width - 1])), 1, 'a box around')
                for level, line in enumerate(lines[depth:], depth):
                    right = max(left + wide for at, left, wide, _ in shown if at == level)
                    require(all(color == 0xffffff for color in line[math.ceil(right):] if right < width - 1), 'nothing is beyond', level, right)


def case_page_charts(bench):
    """The bars of a panel are as high as their instances are many, dots are where instances began and how long they were, and so is the line of the selected one."""
    rec = steps(bench.here('steps.nvtxh'))
    lengths = [(row['from'], row['ns']) for row in events(bench, rec) if row['Message'] == 'step']
    low, high = (edge(ns for _, ns in lengths) for edge in (min, max))
    with Pictures(make_page(bench, rec)) as page:
        for chosen, window in (700, None), (20, (10, 60)), (321, None):
            page.evaluate(f"""(setSelection({json.dumps(window and [lengths[i][0] - 1 for i in window])}), select(model.packs[0], model.packs[0].start.indexOf({lengths[chosen][0]})),
                [...document.querySelectorAll('.panel canvas')].forEach((each, i) => {{ each.id = 'chart-' + i; each.draw(); }}))""")
            own = lengths[slice(*window)] if window else lengths
            own = lengths[max(0, window[0] - 1):window[1]] if window and lengths[window[0] - 1][0] + lengths[window[0] - 1][1] > lengths[window[0]][0] - 1 else own
            low, high = (edge(ns for _, ns in own) for edge in (min, max))
            rgb, (width, tall) = page.evaluate("[panel.data.group.rgb, (b => [b.clientWidth, b.clientHeight - EDGE])($('chart-0'))]")
            bars = collections.Counter(min(47, int(48 * math.log(ns / low) / math.log(high / low))) for _, ns in own)
            lines, mine = page.lines(list(range(tall)), 'chart-0'), math.log(lengths[chosen][1] / low) / math.log(high / low) * width
            for bar in range(48):
                i = math.floor((bar + .5) * width / 48)
                got, wanted = height(lines, i, {page.colors['back']}), bars[bar] and max(2, (tall - 4) * bars[bar] / max(bars.values()))
                if not mine - 2 < i < mine + 3:
                    require(abs(got - wanted) <= 1.01 + 2 * (tall - 4) / max(bars.values()) * (bar in (0, 47) or bars[bar] > 5), 'a bar', bar, got, wanted)
            ink = [i for i, color in enumerate(lines[0]) if color == page.colors['ink']]
            require(len(ink) in (1, 2) and abs(ink[0] - mine) <= 1.5, 'the selected one', ink, mine)
            begin, end = [lengths[i][0] - 1 for i in window] if window else page.evaluate('[model.from, model.end]')
            lines, (width, tall) = page.lines(list(range(tall)), 'chart-1'), page.evaluate("(b => [b.clientWidth, b.clientHeight - EDGE])($('chart-1'))")
            wanted = [[False] * width for _ in range(tall)]
            for number, (start, ns) in enumerate(own):
                x = max(0, min(width - 1, math.floor((start - begin) / (end - begin) * width)))
                y = (tall - 4) * (1 - math.log(ns / low) / math.log(high / low)) + 1
                require(any(lines[round(y) + j][min(width - 1, x + i)] in (rgb, page.colors['ink']) for i in (0, 1) for j in (0, 1)), 'a dot', start, ns, x, y)
                for line in wanted[max(0, round(y) - 2):round(y) + 5]:
                    line[max(0, x - 3):x + 6] = [True] * len(line[max(0, x - 3):x + 6])
            require(all(wanted[y][x] for y, line in enumerate(lines) for x, color in enumerate(line) if color == rgb), 'nothing but dots of instances')



# All that a page says of what is chosen in it.
STATE = """(screenChanged(), {
    tab: [shownTab()].join(), scope: $('scope').hidden ? '' : $('scope').textContent, pin: $('pin').hidden ? '' : $('pin').textContent,
    boxes: [...document.querySelectorAll('#filters fieldset input')].map(box => box.checked), filter: $('filter').textContent, hits: $('hits').textContent,
    selected: view.selected, details: !$('details').hidden, lanes: model.lanes.filter(lane => lane.style !== -1).map(lane => lane.track.number),
    flame: $('flame').hidden ? null : [0, 1].map(side => flame.root.total[side]), busy: busy.sides.length,
    names: $('table').hidden ? null : [...document.querySelectorAll('#rows tbody tr')].map(row => [row.cells[0].innerText, row.cells[row.cells.length - 1].innerText].join()).sort(),
    address: (writeAddress(), [...new URLSearchParams(location.hash.slice(1))].filter(([name]) => name !== 't').map(([name, text]) => name + '=' +
        ('cx'.includes(name) ? text.split('.').sort((a, b) => a.slice(1) - b.slice(1)).join('.') : text)).sort()),
})"""


class Choices:
    """What is chosen in a page of one recording, and what it then has to say."""

    def __init__(self, page, entries):
        self.entries, (self.process_of, self.tracks, self.opened) = entries, page.evaluate("""[model.packs[0].tracks.map(track => track.process),
            processOrder(model.packs[0]).flatMap(number => tracksOf(model.packs[0], number)).map(track => track.number), shownTab()]""")
        self.domains = sorted({entry['domain'] for entry in entries} | set(page.evaluate('model.packs[0].kinds.domain.slice(1)')))
        self.tab, self.window, self.pinned, self.selected, self.word = self.opened, None, None, -1, ''
        self.hidden, self.collapsed = set(), set()  # domains and tracks; processes
        self.several, self.screen, self.ends = len(set(self.process_of)) > 1, None, page.evaluate('[model.first, model.end]')

    def seen(self, window=None):
        return [entry for entry in self.entries if not {entry['domain'], entry['track']} & self.hidden
                and (not window or entry['start'] < window[1] and entry['end'] >= window[0] and (entry['end'] > window[0] or entry['start'] >= window[0]))]

    def totals(self, window):
        """The ns of the outermost ranges that are shown, and of all; in a window, those that have outlived the range around them are outermost, too."""
        if not window:
            least = sum(entry['end'] - entry['start'] for entry in self.seen() if entry['style'] == PUSH_POP and all(domain in self.hidden for domain in entry['around']))
            return least, least
        inside = [(min(entry['end'], window[1]) - max(entry['start'], window[0]), entry['around']) for entry in self.seen(window) if entry['style'] == PUSH_POP]
        return sum(ns for ns, around in inside if all(domain in self.hidden for domain in around)), sum(ns for ns, _ in inside)

    def says(self):
        compared = bool(self.pinned and self.window)
        sides = [self.pinned, self.window] if compared else [self.window or self.screen]
        names = {(entry['name'], entry['style']) for side in sides for entry in self.seen(side) if not self.word or self.word in entry['name'].lower()}
        hits = sum(self.word in entry['name'].lower() for entry in self.seen())

        def length(window):
            ns = window[1] - window[0]
            scale, unit = next((scale, unit) for scale, unit in ((1e9, 's'), (1e6, 'ms'), (1e3, 'µs'), (1, 'ns')) if ns >= scale * .9995)
            return f'{ns / scale:.{4 - max(1, math.floor(math.log10(ns / scale)) + 1)}f} {unit}'
        tracks = {entry['track'] for entry in self.seen()}
        return {
            'tab': self.tab, 'scope': f"{'B' if self.pinned else 'Selection'} {length(self.window)} ✕" if self.window else '',
            'pin': f'A {length(self.pinned)} ✕' if self.pinned else 'Pin as A' if self.window else '', 'boxes': [each not in self.hidden for each in [*self.domains, *self.tracks]],
            'filter': 'Show… (some hidden)' if self.hidden else 'Show…', 'hits': f"{hits:,} hit{'s' * (hits != 1)}" if self.word else '', 'selected': self.selected,
            'details': self.selected >= 0,
            'lanes': [track for track in self.tracks if track in tracks and self.process_of[track] not in self.collapsed],
            'flame': [self.totals(side) for side in sides] + [(0, 0)] * (not compared) if self.tab == 'flame' else None, 'busy': 1 + compared,
            'names': sorted(f"{name},{['PushPop', 'StartEnd', 'Mark', 'Counter'][style]}" for name, style in names) if self.tab == 'table' else None,
            'address': sorted([f'{name}={each[0]}..{each[1]}' for name, each in (('s', self.window), ('p', self.pinned)) if each] + ([f'e=A{self.selected}'] if self.selected >= 0 else []) +
                              ([f'tab={self.tab}'] if self.tab != self.opened else []) + ([f'q={self.word}'] if self.word else []) +
                              [f'd={each}' for each in self.hidden if each in self.domains] + [f'{name}=' + '.'.join(f'A{number}' for number in sorted(numbers))
                               for name, numbers in (('x', self.hidden - set(self.domains)), ('c', self.collapsed)) if numbers]),
        }

    def choose(self, rng):
        """Chooses something; what does so in the page: a key or an expression."""
        what = rng.choice(['tab', 'tab', 'window', 'window', 'pin', 'pin', 'unscope', 'box', 'box', 'all', 'word', 'word', 'select', 'collapse', 'Escape', 'zoom', 'zoom'])
        if what == 'tab':
            self.tab = rng.choice(['timeline', 'flame', 'table'])
            return 'timeline flame table'.split().index(self.tab) + 1
        if what == 'window':
            self.window = sorted(rng.sample(range(0, 10**9, 1000), 2))
            return f'setSelection({self.window})'
        if what == 'zoom':
            self.screen = rng.choice([None, sorted(rng.sample(range(self.ends[0] + 1, self.ends[1]), 2))])
            return f'show({self.screen})'.replace('[', '').replace(']', '') if self.screen else '0'
        if what == 'pin':
            if self.pinned or self.window:
                self.pinned, self.window = (None, self.window) if self.pinned else (self.window, None)
            return rng.choice(['p', "$('pin').click()"]) if self.pinned or self.window else 'p'
        if what == 'unscope':
            self.window = None
            return "$('scope').click()"
        if what in ('box', 'all'):
            lists = [self.domains, self.tracks]
            which, on = rng.randrange(2), rng.random() < .7
            if what == 'all':
                self.hidden = self.hidden - set(lists[which]) if on else self.hidden | set(lists[which])
                return f"document.querySelectorAll('#filters fieldset')[{which}].querySelectorAll('button')[{0 if on else 1}].click()"
            number = rng.randrange(len(lists[which]))
            self.hidden ^= {lists[which][number]}
            return f"document.querySelectorAll('#filters fieldset')[{which}].querySelectorAll('input')[{number}].click()"
        if what == 'word':
            self.word = rng.choice(['', 'a', 'one:', 'no such'])
            return f"($('search').value = '{self.word}', searchChanged())"
        if what == 'select':
            self.selected = rng.randrange(len(self.entries))
            return f'select(model.packs[0], {self.selected})'
        if what == 'collapse' and self.several:  # the process of what is selected, else all
            number = self.process_of[self.entries[self.selected]['track']] if self.selected >= 0 else 0
            hide, which = number not in self.collapsed, {number} if self.selected >= 0 else set(self.process_of)
            self.collapsed = self.collapsed | which if hide else self.collapsed - which
            return 'c'
        self.pinned = self.pinned if self.window else None
        self.window, self.selected = None, -1
        return 'Escape'


def case_page_walk(bench):
    """After any choices (tabs, times, a pinned time, the time on the screen, hidden domains and tracks, a search, a selected range, hidden processes) all views say what was chosen."""
    for seed in some([5, 6, 7], 1):
        rng, (_, rec) = random.Random(seed), formats.draw(bench, seed, clock=1, size=50)
        with Page(make_page(bench, rec, name=f'{seed}.html')) as page:
            choices, done = Choices(page, page.evaluate(ENTRIES)), []
            for _ in range(some([20, 60], 1)[-1]):
                done.append(choices.choose(rng))
                if len(str(done[-1])) < 7:
                    page.key(str(done[-1]))
                else:
                    page.evaluate(f'({done[-1]}, 0)')
                if rng.random() < .15:  # the link opens on the same page, but for the time on the screen
                    link = page.evaluate('(writeAddress(), location.hash)')
                    for each in '#t=1..9', link:
                        page.evaluate(f"new Promise(done => {{ addEventListener('hashchange', () => done(1), {{ once: true }}); location.hash = {json.dumps(each)}; }})")
                got, wanted = page.evaluate(STATE), choices.says()
                for what, should in wanted.items():
                    is_same = got[what] == should if what != 'flame' or not should else all(least - 1 < ns < most + 1 for ns, (least, most) in zip(got[what], should))
                    require(is_same, f'seed {seed}: {what}', got[what], should, done[-12:])


# The colours of visible texts and of what is behind each, with the text.
INKS = """(() => {
    const rgb = color => /^rgb\\((\\d+), (\\d+), (\\d+)\\)$/.exec(color)?.slice(1).reduce((all, part) => all * 256 + Number(part), 0) ?? null, found = {};
    for (const each of document.querySelectorAll('body *')) {
        if (!each.checkVisibility() || each.closest('.unseen') || ![...each.childNodes].some(node => node.nodeType === 3 && node.data.trim())) continue;
        let behind = each;
        while (rgb(getComputedStyle(behind).backgroundColor) === null && behind.parentElement) behind = behind.parentElement;
        found[[getComputedStyle(each).color, getComputedStyle(behind).backgroundColor]] = [rgb(getComputedStyle(each).color), rgb(getComputedStyle(behind).backgroundColor), each.textContent];
    }
    return Object.values(found);
})()"""


def case_page_schemes(bench):
    """The page opens in the scheme of the system and T changes it: all texts can be read, and canvases have the scheme's colours."""
    _, rec = formats.draw(bench, 3, clock=1, size=60)
    with Pictures(make_page(bench, rec)) as page:
        for scheme in 'dark', 'light':
            page.page('Emulation.setEmulatedMedia', features=[{'name': 'prefers-color-scheme', 'value': scheme}])
            # The page opens again with what its address says, which is written a while after each change.
            page.evaluate("(setSelection(null), select(null, -1), $('search').value = '', searchChanged(), writeAddress(), window.isBefore = true)")
            page.page('Page.reload')
            page.settled('!window.isBefore && document.readyState === "complete"')
            equal(page.evaluate(READY), 'ready', 'the page')
            page.evaluate(f"({LISTEN}, {NO_HOLES}, {UNFOLD}, lanesBox.style.flex = 'none', lanesBox.style.height = '4000px', 1)")
            for now in scheme, 'light' if scheme == 'dark' else 'dark':
                equal(page.evaluate('document.documentElement.dataset.theme'), now, 'the scheme')
                page.colors = {name: int(color[1:], 16) for name, color in page.evaluate('view.colors').items()}
                require(contrast(page.colors['back'], 0xffffff if now == 'dark' else 0) > 15, now, page.colors)
                for behind in 'back', 'panel':
                    weak = {name: contrast(page.colors[name], page.colors[behind]) for name in ('ink', 'faint', 'accent', 'bad') if contrast(page.colors[name], page.colors[behind]) < 4.5}
                    equal(weak, {}, f'{now}, on {behind}')
                    require(1.15 < contrast(page.colors['line'], page.colors[behind]) < 2, f'{now}: lines on {behind}')
                for word in ('', 'a') if now == scheme else ('b',):
                    page.evaluate(f"($('search').value = '{word}', searchChanged())")
                    Timeline(page, is_hit=lambda entry: word in entry['name'].lower()).check()
                page.evaluate('(select(model.packs[0], 0), setSelection([model.from, model.end]), $("filters").hidden = false, 1)')
                for key in '321':
                    page.key(key)
                    page.settle()
                    seen = page.evaluate(INKS)
                    weak = [(hex(ink), hex(behind), text) for ink, behind, text in seen if contrast(ink, behind) < 4.5]
                    require(len(seen) > 3 and not weak, f'{now}: texts', weak)
                    if key == '2':
                        equal(collections.Counter(page.lines([page.evaluate("$('flame-canvas').height") - 1], 'flame-canvas')[0]).most_common(1)[0][0], page.colors['back'], 'behind the flame graph')
                page.key('Escape')
                page.key('t')


def case_page_screens(bench):
    """On any screen, also when the page comes to another one, canvases have the screen's pixels: lines and thin ranges are sharp, and a click is where it seems."""
    with Pictures(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        page.evaluate('(select(model.packs[0], 1), fitAll())')
        page.settle()
        for step, ratio in enumerate((2, 1.5, 1)):
            # Chromium tells pages of another emulated ratio only with another size; the lanes keep theirs.
            page.page('Emulation.setDeviceMetricsOverride', width=1280, height=801 + step, deviceScaleFactor=ratio, mobile=False)
            # A change of the screen is drawn with the frames that follow.
            for tab in 'timeline', 'flame':
                page.evaluate(f"$('{tab}').hidden && showTab('{tab}')")
                sizes = page.evaluate("""new Promise(done => {
                    const size = each => [each.width, each.height, Math.round(each.clientWidth * devicePixelRatio), Math.round(each.clientHeight * devicePixelRatio)];
                    const look = left => {
                        const all = [...document.querySelectorAll('canvas')].filter(each => each.checkVisibility()).map(size);
                        if (left && all.some(([w, h, wide, high]) => w !== wide || h !== high)) requestAnimationFrame(() => look(left - 1)); else done(all);
                    };
                    look(20);
                })""")
                require(len(sizes) > 2 and page.evaluate('devicePixelRatio') == ratio, f'{ratio}, {tab}', sizes)
                equal([size[:2] for size in sizes], [size[2:] for size in sizes], f'{ratio}, {tab}: sizes')
            page.evaluate("select(null, -1)")
            page.settle()
            lanes = page.evaluate('model.lanes.filter(lane => lane.rows.length).map(lane => rowTop(lane, 0))')
            if ratio % 1 == 0:
                line = page.lines([round((lanes[0] - 2) * ratio)])[0]
                equal(line[(LABELS - 2) * ratio:(LABELS + 1) * ratio].count(page.colors['line']), ratio, f'{ratio}: the line beside the names')
                ticks = page.lines([round((lanes[1] + 8) * ratio)])[0][LABELS * ratio:round(page.evaluate('xOf(345000)') * ratio)]
                runs = [len(list(run)) for _, run in itertools.groupby(ticks)]
                require(len(runs) > 20 and all(length % ratio == 0 for length in runs[1:-1]), f'{ratio}: thin ranges', runs)
            begin, end = page.evaluate('[xOf(100000), xOf(900000)]')
            row = page.lines([round((lanes[0] + 1.5) * ratio)])[0]
            box = [x for x, color in enumerate(row) if color == 0x2e8b57]
            require(abs(box[0] - begin * ratio) <= 1 and abs(box[-1] + 1 - (end - 1) * ratio) <= 1, f'{ratio}: a box', box[0], box[-1], begin, end)
            page.click(*page.place(0, 1, 205_000))
            equal(page.evaluate('groupOf(view.selectedPack, view.selected).short'), 'inner', f'{ratio}: a click')


def case_page_touch(bench):
    """A finger that is drawn over the timeline moves the time, one on the ruler selects a time, and a tap selects a range. Two fingers zoom, and the time between
    them stays there."""
    with Page(make_page(bench, known(bench.here('known.nvtxh')))) as page:
        page.page('Emulation.setTouchEmulationEnabled', enabled=True)

        def touch(*points):
            for number, (x, y) in enumerate(points):
                page.page('Input.dispatchTouchEvent', type='touchMove' if number else 'touchStart', touchPoints=[{'x': x, 'y': y}])
            page.page('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
            page.settle()
        touch(page.place(0, 0, 850_000))
        require('800.0 µs' in page.text('#details'), 'a tap', page.text('#details'))
        page.key('Escape')
        page.evaluate('show(300000, 500000)')
        x, y = page.place(0, 0, 400_000)
        before = page.evaluate(f'timeOf({x} - canvas.getBoundingClientRect().left)')
        touch((x, y), (x - 50, y), (x - 150, y))
        after = page.evaluate(f'timeOf({x - 150} - canvas.getBoundingClientRect().left)')
        require(abs(after - before) < 500 and page.evaluate('view.from') > 310_000, 'drawn', before, after)
        top = page.evaluate('canvas.getBoundingClientRect().top + 10')
        begin, end = (page.evaluate(f'timeOf({at} - canvas.getBoundingClientRect().left)') for at in (x, x + 200))
        touch((x, top), (x + 100, top), (x + 200, top))
        window = page.evaluate('view.selection')
        require(window and abs(window[0] - begin) < 500 and abs(window[1] - end) < 500, 'selected', window, begin, end)
        # Two fingers, also one above the other, or where one has begun to select: the first, the second, how much farther apart they end.
        page.key('Escape')
        left, top = page.evaluate('(box => [box.left, box.top])(canvas.getBoundingClientRect())')
        for first, second, factor in ((500, 60), (700, 60), 2), ((700, 60), (500, 90), .5), ((600, 60), (600, 160), 2), ((500, 10), (700, 60), 2):
            page.key('Escape')
            page.evaluate('show(300000, 500000)')
            fingers = [[left + first[0], top + first[1]], [left + second[0], top + second[1]]]
            place = lambda kind, points: page.page('Input.dispatchTouchEvent', type=kind, touchPoints=[{'x': x, 'y': y, 'id': i} for i, (x, y) in enumerate(points)])
            place('touchStart', fingers[:1])
            if first[1] < RULER:
                fingers[0][0] += 50
                place('touchMove', fingers[:1])
            place('touchStart', fingers)
            middle, apart = [sum(each) / 2 for each in zip(*fingers)], [(b - a) / 2 * factor for a, b in zip(*fingers)]
            at = page.evaluate(f'timeOf({middle[0] - left})')
            for by in 20, 50:
                place('touchMove', [[middle[i] - apart[i] + by * (1 - i) for i in range(2)], [middle[i] + apart[i] + by * (1 - i) for i in range(2)]])
            # The second finger goes up. The first one moves the time, and zooms with another finger; a mouse afterwards moves nothing.
            page.settle()
            pinched, wide = page.evaluate('[view.from, view.to]'), page.evaluate('canvas.clientWidth - LABELS')
            page.page('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[{'x': middle[0] + apart[0] + 50, 'y': middle[1] + apart[1], 'id': 1}])
            x, y = middle[0] - apart[0] + 50, middle[1] - apart[1]
            place('touchMove', [[x - 30, y]])
            page.settle()
            by = 30 / wide * (pinched[1] - pinched[0])
            moved = page.evaluate('[view.from, view.to]')
            require(all(abs(a + by - b) < 10 for a, b in zip(pinched, moved)), 'moved by the finger that is left', pinched, by, moved)
            one, others = [x - 30, y], [[left + at, top + 100] for at in (700, 650, 500)]
            for kind, other in zip(('touchStart', 'touchMove', 'touchMove'), others):
                place(kind, [one, other])
            page.settle()
            got = page.evaluate('view.to - view.from')
            wanted = (moved[1] - moved[0]) * math.dist(one, others[0]) / math.dist(one, others[-1])
            require(abs(got - wanted) < 10, 'zoomed again', got, wanted)
            place('touchEnd', [])
            page.evaluate(f'show({pinched[0]}, {pinched[1]})')
            page.mouse('Moved', left + 400, top + 60)
            page.settle()
            got, now, is_chosen = page.evaluate(f'[view.to - view.from, timeOf({middle[0] - left + 50}), view.selection?.every(Number.isInteger)]')
            require(abs(got * factor - 200_000) < 10 and abs(now - at) < 10, 'pinched', (first, second, factor), got, at, now)
            equal(is_chosen, True if first[1] < RULER else None, 'a whole selection')
            equal(page.evaluate('view.selected'), -1, 'nothing is selected')
        # A touch that the system takes away selects nothing and moves nothing any more.
        page.key('Escape')
        x, y = page.place(0, 0, 400_000)
        place('touchStart', [(x, y)])
        place('touchCancel', [])
        before = page.evaluate('[view.from, view.to]')
        page.mouse('Moved', x, y)
        page.mouse('Moved', x + 100, y)
        page.settle()
        equal(page.evaluate('[view.from, view.to, view.selected]'), [*before, -1], 'taken away')
        # So does a pointer that is captured no more; the next finger is alone.
        place('touchStart', [(x, y)])
        place('touchMove', [(x + 50, y)])
        page.settle()
        before = page.evaluate('[...fingers.keys()].forEach(id => canvas.releasePointerCapture(id)), [view.from, view.to]')
        for at in 80, 110:
            place('touchMove', [(x + at, y)])
        page.settle()
        equal(page.evaluate('[view.from, view.to, fingers.size]'), [*before, 0], 'without a capture')
        place('touchEnd', [])


if __name__ == '__main__':
    driver.main(globals(), __doc__)
