#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `nvtxh view` after drawn steps, which are done as a person does them: by clicks, drags and keys. After every fourth step, at night after each, it shows what a page shows that
was opened afresh by its link, and that had the clicks for what no link has."""
import collections
import itertools
import json
import math
import random
import re

from harness import driver
from harness.checks import BUILD, Taken, equal, require
from harness.draws import DRAWS, seeds
from page import READY, Page, make_page
from page_answers import covered
from pictures import ENTRIES, LABELS, RULER
import formats
import synthetic

STYLES = ['PushPop', 'StartEnd', 'Mark', 'Counter']
TABS = ['timeline', 'flame', 'table']  # the view below the timeline; the first: none
STEPS = 'box boxes check escape flame flame fold jump pin row search select side sort tab tab unscope wheel window window zoom'.split()

# What a page shows: all but the flame graph, whose boxes follow. A picture of the timeline only of the whole time, because an address has whole ns.
SHOWS = """(isWhole => ({
    lanes: model.lanes.map(lane => [lane.label, lane.detail || '', lane.top, lane.height, lane.style === -1 ? 0 : busyShare(lane), (lane.rows || []).map(row => [...row]), [...lane.marks || []]]),
    selected: [view.selectedPack?.letter, view.selected, view.selection, view.pinned, view.launched, view.screen],
    texts: ['scope', 'pin', 'hits', 'filter', 'side-label', 'flame-what', 'flame-matched', 'table-what', 'rows', 'details']
        .map(id => [id, $(id).checkVisibility() ? $(id).innerText : '']),
    sorted: [...document.querySelectorAll('th[aria-sort]')].filter(each => each.checkVisibility()).map(each => [each.innerText, each.ariaSort]),
    bars: document.querySelector('.panel') && [...panel.data.bars], search: $('search').value,
    picture: isWhole ? (draw(), [canvas, minimap].map(each => each.toDataURL())) : null,
}))"""
# The boxes, but thin ones: how many of these there are depends on the room beside the details.
BOXES = """$('flame').hidden ? null : flame.boxes.filter(({ width }) => width > flame.boxes[0].width / 200).map(({ node, y, around }) => [node.name, node.total, node.self, node.count, y, !!around])"""


class Person(Page):
    """A page in a window that is high enough for all lanes, with the list of what can be hidden, and who uses it."""

    def __init__(self, path):
        super().__init__(path, size=(1280, 2000))
        self.evaluate("$('filter').click()")

    def press(self, element, modifiers=0):
        """A click on an element."""
        x, y = self.evaluate(f"({element}).scrollIntoView({{ block: 'nearest' }}), (box => [box.left + box.width / 2, box.top + box.height / 2])(({element}).getBoundingClientRect())")
        self.press_at(x, y, modifiers)

    def press_at(self, x, y, modifiers=0):
        self.drag([(x, y)], modifiers)
        self.mouse('Moved', 1, 1)
        self.settle()

    def place_of(self, canvas, x, y):
        left, top = self.evaluate(f"(box => [box.left, box.top])($('{canvas}').getBoundingClientRect())")
        return left + x, top + y

    def enter(self, text):
        """Types into the search field, in place of what is there."""
        self.key('/')
        for command in 'selectAll', 'delete':
            self.page('Input.dispatchKeyEvent', type='keyDown', key='Unidentified', commands=[command])
        self.page('Input.insertText', text=text)
        self.key('Enter')
        self.key('Escape')

    def is_seen(self, element):
        return self.evaluate(f"$('{element}').checkVisibility()")

    def fold(self, number, modifiers=0):
        """A click on the name of a process."""
        top = self.evaluate(f'model.lanes.filter(lane => lane.style === -1)[{number}].top - lanesBox.scrollTop')
        self.press_at(*self.place_of('canvas', 50, RULER + top + 10), modifiers)

    def rest(self):
        """Waits no longer for what follows a change: the address, and views of the time on the screen."""
        self.evaluate('(screenChanged(), writeAddress())')
        self.settle()

    def shows(self, is_whole):
        self.rest()
        return self.evaluate(f'{SHOWS}({json.dumps(is_whole)})'), self.evaluate(BOXES)

    def open_as(self, state):
        """Opens the page afresh, and does the shortest that leads to that state. What is shown of it, without and with what is zoomed in the flame graph."""
        self.open('about:blank')
        self.open(self.url + state.address)
        self.settled("typeof model === 'object' && model.packs.length && address.tab")
        self.evaluate("$('filter').click()")
        if state.is_whole:
            self.key('0')
        for box in 'by-thread', 'exact':
            self.evaluate(f"{json.dumps(box in state.checked)} && $('{box}').click()")
        if state.side != '1' and self.is_seen('side-label'):
            self.evaluate("$('side').focus()")
            self.key('A')
            self.evaluate("$('side').blur()")
        shown = self.shows(state.is_whole)
        if state.zoomed and shown[1]:
            self.key('2')
            for number in self.evaluate(f"""(keys => {{
                let node = flame.root;
                const next = key => {{
                    const all = [...node.children.values()].sort((a, b) => b.total[flameSide()] - a.total[flameSide()]), number = all.findIndex(each => each.key === key);
                    node = all[number];
                    return number;
                }};
                return keys.map(next);
            }})({json.dumps(state.zoomed)})"""):
                for key in ['ArrowDown'] + ['ArrowRight'] * number:
                    self.key(key)
            self.key('Enter')
            shown = shown[0], self.shows(False)[1]
        return shown


class State:
    """What is chosen in a page."""

    def __init__(self, page):
        self.page, self.checked, self.side, self.deck = page, set(), '1', []
        page.key('0')
        self.fit = page.evaluate('[view.from, view.to]')
        self.read()

    # What a person does. Each returns false if that is not possible now.
    def do_tab(self, rng):
        tab = rng.choice(TABS)
        self.page.press(f"$('tab-{tab}')") if tab != TABS[0] and rng.random() < .5 else self.page.key(str(1 + TABS.index(tab)))
        return True

    def do_window(self, rng):
        begin, end = (rng.randrange(LABELS + 1, 1270) for _ in range(2))
        if abs(begin - end) < 20:
            return False
        (left, y), (right, _) = (self.page.place_of('canvas', x, 10) for x in (begin, end))
        if rng.random() < .7:
            self.page.drag([(left, y), ((left + right) / 2, y), (right, y)])
        else:
            for x in left, right:
                self.page.mouse('Moved', x, y)
                self.page.key('m')
        self.page.mouse('Moved', 1, 1)
        return True

    def do_pin(self, rng):
        self.page.press("$('pin')") if self.page.is_seen('pin') and rng.random() < .5 else self.page.key('p')
        return self.pinned or self.window

    def do_unscope(self, _):
        if not self.page.is_seen('scope'):
            return False
        self.page.press("$('scope')")
        return True

    def do_box(self, rng):
        self.page.press(f"document.querySelectorAll('#filters fieldset label')[{rng.randrange(len(self.boxes))}]")
        return True

    def do_boxes(self, rng, on=False):
        on = on or rng.random() < .7
        self.page.press(f"document.querySelectorAll('#filters fieldset')[{rng.randrange(2)}].querySelectorAll('button')[{0 if on else 1}]")
        return True

    def do_search(self, rng):
        self.page.enter(rng.choice(['', '', 'a', 'one:', 'no such']))
        return True

    def do_jump(self, rng):
        self.page.key(rng.choice('nN.,[]'), modifiers=0)
        return True

    def do_select(self, rng):
        wide = self.page.evaluate('view.wide.map(({ x, width, y }) => [Math.max(x, LABELS + 1), Math.min(x + width, canvas.clientWidth - 1), y + 8])')
        if wide:
            left, right, y = rng.choice(wide)
            self.page.press_at(*self.page.place_of('canvas', (left + right) / 2, y))
        return bool(wide)

    def do_fold(self, rng):
        count = self.page.evaluate('model.lanes.filter(lane => lane.style === -1).length')
        if not count:
            return False
        if rng.random() < .3:  # the process of what is selected, else all
            self.page.key('c')
        else:
            self.page.fold(rng.randrange(count), rng.choice([0, 8]))
        return True

    def do_zoom(self, rng):
        self.page.key(rng.choice('wwsad0f'))
        return True

    def do_wheel(self, rng):
        self.page.mouse('Wheel', *self.page.place_of('canvas', rng.randrange(LABELS + 1, 1270), 100), deltaX=rng.choice([0, 0, 80]), deltaY=rng.choice([-100, 60]))
        return True

    def do_sort(self, rng):
        if not self.page.is_seen('rows'):
            return False
        key = rng.choice(self.page.evaluate("[...document.querySelectorAll('#rows th button')].map(each => each.dataset.key)"))
        self.page.press(f"[...document.querySelectorAll('#rows th button')].find(each => each.dataset.key === '{key}')")
        return True

    def do_check(self, rng):
        box = rng.choice(['exact', 'by-thread'])
        if self.page.is_seen(box):
            self.page.press(f"$('{box}')")
            self.checked ^= {box}
            return True
        return False

    def do_side(self, rng):
        if not self.page.is_seen('side-label'):
            return False
        self.page.evaluate("$('side').focus()")
        self.side = rng.choice('01')
        self.page.key('BA'[int(self.side == '0')])
        self.page.key('Escape')
        return True

    def do_flame(self, rng):
        self.page.key('2')
        boxes = self.page.evaluate("flame.boxes.filter(box => box.width > 4).map(({ x, width, y }) => [x + width / 2, y + 11])")
        self.page.press_at(*self.page.place_of('flame-canvas', *rng.choice(boxes)))
        return True

    def do_row(self, rng):
        """A click on a name or a figure of the table."""
        count = self.page.evaluate("$('rows').checkVisibility() ? document.querySelectorAll('#rows tbody button').length : 0")
        if count:
            self.page.press(f"document.querySelectorAll('#rows tbody button')[{rng.randrange(count)}]")
        return bool(count)

    def do_escape(self, _):
        self.page.key('Escape')
        return True

    def step(self, rng):
        """Does the first of the drawn steps that is possible; says what."""
        while True:
            what = next((what for what in self.deck if getattr(self, 'do_' + what)(rng)), None)
            if what:
                break
            self.deck += rng.sample(STEPS, len(STEPS))
        self.deck.remove(what)
        self.read()
        return what

    def read(self):
        self.page.rest()
        # What is found, revealed or hit by a click is what the page says; that these are right is tested elsewhere.
        names = 'tab window screen pinned word boxes folded zoomed times address hidden is_compared'
        self.__dict__.update(zip(names.split(), self.page.evaluate("""[shownTab(), view.selection, view.screen, view.pinned, $('search').value,
            [...document.querySelectorAll('#filters fieldset input')].map(box => box.checked), model.collapsed.size,
            (node => { const path = []; for (; node?.parent; node = node.parent) path.unshift(node.key); return path; })(flame.zoomed), [view.from, view.to],
            location.hash || '#', [...model.hiddenDomains, ...model.packs[0].tracks.filter(track => !trackVisible(model.packs[0], track)).map(track => track.number)], compared()]""")))
        self.is_whole = self.times == self.fit


def recordings(bench, seed):
    """Of one recording: the whole, a comparison, and one in which short ranges are merged."""
    drawn = (formats.draw(bench, 100 * seed + number, clock=1, size=40) for number in itertools.count())
    paths = [path for one, path in itertools.islice((pair for pair in drawn if len(pair[0].processes) == 2), 2)]
    yield 'whole', paths[0], []
    yield 'compared', paths[0], ['--against', paths[1]]
    rng, recording = random.Random(seed), synthetic.Recording(end=10**9)
    for number in range(2):
        process, at, around = recording.process(pid=100 + number), 0, []
        process.domain(1, 'one')
        thread = process.thread(100 + number)
        thread.start(0, 1, 'all')
        for i in range(200):  # short ones, close together
            at += rng.choice([20, 50, 300, 2000]) + (i > 60 and i % 20 == 0) * rng.randrange(10**8)
            if around and (len(around) == 2 or rng.random() < .5):
                thread.pop(at, around.pop())
            else:
                around.append(len(around))
                thread.push(at, 'ab'[around[-1]], domain=around[-1])
        for domain in around[::-1]:
            thread.pop(at := at + 50, domain)
        thread.end(10**9 - 1, 1)
    yield 'merged', recording.write(bench.here(f'merged {seed}.nvtxh')), []


def check_rows(page, state, entries):
    """What the table says of a recording some of whose ranges are merged: the figures of all its ranges that are not hidden, or that it does not know them."""
    groups, shown = collections.defaultdict(list), state.window or state.screen
    window = shown or [-math.inf, math.inf]
    for entry in entries:
        if {entry['domain'], entry['track']} & set(state.hidden) or not (entry['start'] < window[1] and entry['end'] >= window[0] and (entry['end'] > window[0] or entry['start'] >= window[0])):
            continue
        groups[STYLES[entry['style']], entry['name']].append({**entry, 'from': max(entry['start'], window[0]), 'to': min(entry['end'], window[1])})
    wrong, rows = [], page.rows(shown)
    for key in {*rows, *groups}:
        lengths, by_track = [entry['to'] - entry['from'] for entry in groups[key]], collections.defaultdict(list)
        for entry in groups[key]:
            by_track[entry['track']].append(entry)
        total = sum(lengths)
        wanted = len(lengths), total, min(lengths, default=None), max(lengths, default=None), sum(covered(own, *window) for own in by_track.values()), total / max(1, len(lengths))
        got = key in rows and tuple(rows[key][column] for column in ('Instances', 'Total Time (ns)', 'Min (ns)', 'Max (ns)', 'Inclusive (ns)', 'Avg (ns)'))
        wrong += [(key, got, wanted)] if got != wanted else []
    said = page.text('#table-what')
    require(not wrong or shown and (state.tab != 'table' or 'Figures are approximate' in said), 'figures of merged ranges', wrong, said)
    return wrong and state.tab == 'table'


def check_merged(page, state, entries, taken):
    taken('merged and cut', bool(check_rows(page, state, entries)))
    taken('merged and hidden', bool(state.hidden) and not state.window and not state.screen)


def case_page_states(bench):
    """Of one recording, of two that are compared, and of one some of whose ranges were merged."""
    taken, large = Taken('pinned', 'hidden', 'folded', 'zoomed', 'found', 'merged and hidden', 'merged and cut'), bench.nvtxh
    for seed in seeds(1):
        for kind, rec, options in recordings(bench, seed):
            rng, path = random.Random(f'{kind} {seed}'), make_page(bench, rec, *options, name=f'{kind}.html')
            if kind == 'merged':
                with Page(path) as page:
                    every = page.evaluate(ENTRIES)
                bench.nvtxh = BUILD / 'tests' / 'reader' / 'nvtxh-small'
                make_page(bench, rec, name=f'{kind}.html')
                bench.nvtxh = large
            with Person(path) as page, Person(path) as other:
                state, done = State(page), []
                for number in range(11):
                    state.deck[:0] = ['box'] * (number == 10)
                    done.append(state.step(rng))
                    what = f'seed {seed}, {kind}: {done[-12:]}'
                    if DRAWS == 1 and number % 4 != 2:  # at night after each
                        continue
                    (shown, boxes), (wanted, wanted_boxes) = page.shows(state.is_whole), other.open_as(state)
                    different = [key for key, value in wanted.items() if shown[key] != value]
                    equal(different, [], f'{what}, {state.address}: {[(shown[key], wanted[key]) for key in different]}')
                    equal(boxes, wanted_boxes, f'{what}: the flame graph')
                    times = other.evaluate('[view.from, view.to]')
                    require(all(abs(a - b) < 2 for a, b in zip(times, state.times)), f'{what}: the time', times, state.times)
                    if kind == 'merged' and not state.is_compared:
                        check_merged(page, state, every, taken)
                    for path_taken, is_so in ('pinned', state.pinned), ('hidden', state.hidden), ('folded', state.folded), ('zoomed', state.zoomed and boxes), ('found', state.word):
                        taken(path_taken, bool(is_so))
                if kind == 'merged':  # one is hidden, then none; the time on the screen begins in one of the merged ranges
                    for act in *[state.do_escape] * 2, lambda _: page.key('3'), lambda _: page.key('0'), None, state.do_box, None, lambda _: page.enter('a'), *[lambda _, key=key: page.key(key) for key in 'fddnfddnfdd']:
                        while not act and state.hidden:
                            state.do_boxes(rng, True)
                            state.read()
                        act and act(rng)
                        state.read()
                        check_merged(page, state, every, taken)
    taken.finish()


if __name__ == '__main__':
    driver.main(globals(), __doc__)
