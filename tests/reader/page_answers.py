#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the page of `nvtxh view` answers: which instance was slow, which threads were busy, what differs between two times. Its
figures are compared with those that Python makes of `nvtxh export --format csv`, its findings with those of the terminal."""
import base64
import collections
import csv
import io
import itertools
import json
import math
import os
import random
import re
import statistics

from harness import draws, driver
from harness.checks import equal, require
import findings
from page import Page, common, known, make_page
import ranks
import synthetic

UNITS = {'ns': 1, 'µs': 1e3, 'ms': 1e6, 's': 1e9}


def steps(path, scale=1):
    """A thread of `step` with `solve` in it, and one of `timestep`."""
    chance = random.Random(1)
    recording = synthetic.Recording(end=10**9)
    process = recording.process(pid=100)
    thread, at = process.thread(100), 1000
    for _ in range(1000):
        length = int(scale * chance.lognormvariate(12, 0.6))
        thread.push(at, 'step')
        thread.push(at + 100, 'solve')
        thread.pop(at + 100 + length // 2)
        thread.pop(at + length)
        at += length + 1000
    process.thread(200).ranges('timestep', [50_000] * 300, gap=100_000, at=1000)
    return recording.write(path)


def events(bench, rec):
    """The rows of the export, with integers for times."""
    rows = list(csv.DictReader(io.StringIO(bench.run('export', rec, '--format', 'csv').stdout)))
    for row in rows:
        row['from'], row['to'] = int(row['Start (ns)']), int(row['End (ns)'])
        row['ns'] = row['to'] - row['from']
    return rows


def box(page, selector):
    return page.evaluate(f"(b => [b.left, b.top, b.width, b.height])(document.querySelector('{selector}').getBoundingClientRect())")


def limits(text):
    """The durations that the search field asks for."""
    return [float(number.rstrip('nµms')) * UNITS[number.lstrip('0123456789.')] if number else limit
            for number, limit in zip(text.rpartition(' ')[2].split('..'), (0, math.inf))]


def center(place, row):
    """The point of a row of the flame graph."""
    return place[0] + place[2] / 2, place[1] + (row + .5) * 22


def listed(page, column=1):
    """What the table of instances has in a column."""
    return page.evaluate(f"[...document.querySelectorAll('.instances td:nth-child({column})')].map(cell => cell.innerText)")


def case_page_panel(bench):
    """A click on a range opens its histogram, its instances and its durations over time; each of them leads to instances."""
    rec = steps(bench.here('steps.nvtxh'))
    rows = [row for row in events(bench, rec) if row['Message'] == 'step']
    lengths = sorted(row['ns'] for row in rows)
    with Page(make_page(bench, rec)) as page:
        one = rows[200]
        page.click(*page.place(0, 0, one['from'] + one['ns'] // 2))
        said = page.text('.panel p')
        share = 100 * sum(ns < one['ns'] for ns in lengths) / len(lengths)
        require(f'1,000 instances, {sum(lengths) / 1e6:.0f} ms in all; this one is longer than {share:.1f} %' == said.replace('.0 %', ' %'), said)
        # The bars cut the logarithms of the durations into equal parts.
        bars, shortest, growth = [0] * 48, lengths[0], math.log(lengths[-1] / lengths[0])
        for ns in lengths:
            bars[min(47, int(48 * math.log(ns / shortest) / growth))] += 1
        got = page.evaluate('[...panel.data.bars]')
        require(sum(abs(a - b) for a, b in zip(got, bars)) <= 2 and sum(got) == 1000, 'bars', got, bars)
        # The longest, and one of them by a click.
        equal(listed(page), [f'{ns / 1e6:.3f} ms' if ns >= 999_500 else f'{ns / 1e3:.1f} µs' for ns in lengths[:-201:-1]], 'the longest')
        x, y, width, height = box(page, '.instances tr:nth-child(3) button')
        page.click(x + width / 2, y + height / 2)
        require(f'({lengths[-3]:,} ns)' in page.text('#details'), lengths[-3], page.text('#details'))
        equal(page.evaluate("document.activeElement.closest('tr').rowIndex"), 3, 'the focus stays in the table')
        # A drag over the histogram finds the instances between its ends; at the right end there is no limit.
        x, y, width, height = box(page, '.panel canvas')
        for begin, end in ((0.8, 0.5), (0.7, 1.5), (-1, 0.3)):
            page.drag([(x + begin * width if begin > 0 else x + 1, y + 20), (x + 0.6 * width, y + 20), (max(x - 20, x + end * width) if end < 1 else x + width + 30, y + 20)])
            page.settle()
            least, most = limits(page.evaluate("$('search').value"))
            if 0 < min(begin, end) and max(begin, end) < 1:
                wanted = [shortest * math.exp(growth * part) for part in sorted((begin, end))]
                require(abs(least / wanted[0] - 1) < 0.02 and abs(most / wanted[1] - 1) < 0.02, (least, most), wanted)
            require(end < 1 or most == math.inf, 'no limit at the right end', least, most)
            hits = [row for row in rows if least <= row['ns'] <= most]
            equal(page.text('#hits'), f'{len(hits)} hits', 'hits')
            require(10 < len(hits) < 990, 'a part of them')
        # A click on a dot of the durations over time selects that instance; so does N, hit by hit.
        slow = max(rows, key=lambda row: row['ns'])
        x, y, width, height = box(page, '.panel canvas:nth-of-type(2)')
        whole = page.evaluate('[model.from, model.end]')
        page.click(x + (slow['from'] - whole[0]) / (whole[1] - whole[0]) * width, y + 4)
        require(f'({slow["ns"]:,} ns)' in page.text('#details') and 'longer than 99.9 %' in page.text('.panel p'), page.text('#details'))
        # A click on a box of the flame graph opens the panel of its longest instance, and so does Enter; on the root, none.
        page.key('2')
        for go in (lambda: page.click(*center(box(page, '#flame-canvas'), 1)), lambda: (page.key('ArrowUp'), page.key('ArrowDown'), page.key('Enter'))):
            page.evaluate('select(null, -1)')
            equal(page.text('#details'), '', 'nothing is selected')
            go()
            page.settle()
            require(page.text('.panel p').startswith('1,000 instances') and f'({slow["ns"]:,} ns)' in page.text('#details'), page.text('#details'))
            require(box(page, '.panel canvas')[3] > 40 and box(page, '#flame-box')[3] > 100, 'both have room')
        page.click(*center(box(page, '#flame-canvas'), 0))
        equal(page.text('#details'), '', 'the root')
        page.key('1')
        page.evaluate(f"select(model.packs[0], {'model.packs[0].most.indexOf(Math.max(...model.packs[0].most))'})")
        # In a selection: what lies in it at least in part, with whole durations.
        page.evaluate(f'($("search").value = "", searchChanged(), setSelection([{rows[10]["from"] + 5}, {rows[30]["from"] + 5}]))')
        equal(len(listed(page)), 21, 'in the selection')
        require(page.text('.panel p').startswith('21 instances in the selection'), page.text('.panel p'))


def case_page_screen(bench):
    """The table below the timeline is of the time on the screen. The pointer on a row lights its ranges, on a range its row. The divider is dragged, moved by keys and
    in the link; 1, 2 and 3 choose what is below."""
    rec = known(bench.here('known.nvtxh'))
    path = make_page(bench, rec)
    with Page(path) as page:
        def shown():
            return dict(page.evaluate("[...document.querySelectorAll('#rows tbody tr')].map(row => [row.cells[0].lastChild.innerText, Number(row.cells[4].innerText)])"))

        def stats(*options):
            found = collections.Counter()
            for row in bench.table('stats', rec, '--csv', *options):
                found[common(row['Range'])] += int(row['Instances'])
            return found

        def colors(*places):
            page.settle()
            return page.evaluate(f"""{list(map(list, places))}.map(([x, y]) => {{
                const context = make('canvas').getContext('2d'), box = canvas.getBoundingClientRect();
                context.drawImage(canvas, box.left - Math.round(x), box.top - Math.round(y) + 6);
                return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3);
            }})""")
        whole = shown()
        equal(whole, stats(), 'the whole')
        places = page.place(0, 0, 860_000), page.place(1, 0, 600_000)
        before = colors(*places)
        x, y, *_ = box(page, '#rows tbody tr')
        for i in range(20):  # the table may be filled again meanwhile
            page.mouse('Moved', x + 60 + i % 2, y + 8)
            after = colors(*places)
            if after != before:
                break
        require(page.text('#rows tbody td') == 'outer' and before[0] == after[0] == [0x2e, 0x8b, 0x57] and all(a > b for a, b in zip(after[1], before[1])), 'lit', before, after)
        for place, name in zip(places, ('outer', 'request')):
            page.mouse('Moved', *place)
            page.evaluate('fillMainTable()')  # as it is filled again when the time on the screen changes
            equal([page.text('tr.lit td'), page.evaluate("document.querySelectorAll('tr.lit').length")], [name, 1], 'its row')
        page.mouse('Moved', x, y)
        equal([page.text('tr.lit'), colors(*places)[1] == before[1]], ['', False], 'the pointer is on the row')
        for _ in range(8):
            page.mouse('Wheel', *page.place(1, 0, 340_000), deltaX=0, deltaY=-60)
        page.settled("String(view.screen) === String([view.from, view.to].map(Math.round))")
        begin, end = page.evaluate('[view.from, view.to].map(Math.round)')
        part = stats('--from', f'{begin}ns', '--to', f'{end}ns')
        require(len(part) > 1 and 1 < part['tick'] < 50, part)
        equal(shown(), part, 'on the screen')
        page.key('0')
        page.settled("$('table-what').textContent.startsWith('The whole')")
        equal(shown(), whole, 'the whole again')
        x, y, width, height = box(page, '#divider')
        sizes = [box(page, '#below')[3]]
        page.drag([(x + 300, y + 2), (x + 300, y - 40), (x + 300, y - 98)])
        sizes.append(box(page, '#below')[3])
        require(abs(sizes[1] - sizes[0] - 100) <= 3, 'dragged', sizes)
        page.evaluate("$('divider').focus()")
        for key in 'ArrowUp', 'ArrowDown', 'ArrowDown':
            page.key(key)
            sizes.append(box(page, '#below')[3])
        require(sizes[2] > sizes[1] > sizes[4] and abs(sizes[3] - sizes[1]) < 1, 'keys', sizes)
        link = page.evaluate('(writeAddress(), location.hash)')
        x, y, *_ = box(page, '#divider')
        for count in 1, 2:
            for kind in 'Pressed', 'Released':
                page.mouse(kind, x + 300, y + 2, button='left', clickCount=count)
        equal(box(page, '#below')[3], sizes[0], 'a double click')
        for key, seen in ('1', []), ('2', ['below', 'divider', 'flame']), ('3', ['below', 'divider', 'table']), ('1', []):
            page.key(key)
            equal([name for name in ('below', 'divider', 'flame', 'table') if page.evaluate(f"$('{name}').checkVisibility()")], seen, key)
        page.settled("location.hash.includes('tab=timeline')")
        page.evaluate(f"(location.hash = '{link}', new Promise(r => setTimeout(r, 50)))")
        require(abs(box(page, '#below')[3] - sizes[4]) < 4, 'the link', link, box(page, '#below')[3], sizes)


def case_page_back(bench):
    """R selects the time of the selected range, on its thread and then on all: the table is of it. A jump to a mark keeps the zoom, Backspace goes back to the view before. A link
    has what is hidden, folded, sorted and pinned."""
    rec = known(bench.here('known.nvtxh'))
    rows, path = events(bench, rec), make_page(bench, rec)
    name = lambda row: common(':'.join(filter(None, (row['Domain'], row['Message']))))  # the steps share a row
    state = """[...model.hiddenTracks, '', ...model.hiddenDomains, '', ...[...model.folds].flat(), sorting.key, sorting.down, String(view.pinned), view.only?.thread,
        ...document.querySelectorAll('#filters input:not(:checked)')].map(each => each?.closest?.('label').innerText ?? each).join()"""
    with Page(path) as page:
        def view():
            page.settle()
            return page.evaluate('[view.from, view.to]')
        whole = view()
        page.key('r')  # while no range is selected
        page.click(*page.place(0, 0, 850_000))
        shares = []
        for threads, chip in ({'100'}, ', one thread'), ({'100', '200'}, ''), ({'100'}, ', one thread'):
            page.key('r')
            page.settle()
            shares.append(page.evaluate('model.lanes.filter(lane => lane.style === PUSH_POP).map(lane => busyShare(lane))'))
            inside = {name(row) for row in rows if row['TID'] in threads and row['from'] <= 900_000 and row['to'] >= 100_000}
            equal([set(page.evaluate("[...document.querySelectorAll('#rows tbody td:first-child')].map(cell => cell.lastChild.innerText)")), page.text('#scope')],
                  [inside, f'Selection 800.0 µs{chip} ✕'], 'selected')
        require(shares[0] == shares[1] == shares[2] and len(shares[0]) == 2 and all(shares[0]), 'lanes say how busy their own threads were', shares)
        page.key('Escape')
        for _ in range(12):
            page.mouse('Wheel', *page.place(0, 0, 850_000), deltaX=0, deltaY=-60)
        zoomed = view()
        require(zoomed[0] > 300_000, zoomed)
        page.key('/')
        page.type('a mark')
        page.key('Enter')
        at = view()
        require(abs(at[1] - at[0] - zoomed[1] + zoomed[0]) < 1 and at[0] < 250_000 < at[1], 'a jump to a mark', at, zoomed)
        page.evaluate('document.activeElement.blur()')
        page.key('Backspace')
        equal(view(), zoomed, 'back')
        for _ in range(12):
            page.key('Backspace')
        equal(view(), whole, 'back to the beginning')
        page.key('l')
        page.evaluate("(setSelection([100000, 200000]), pin(), document.querySelector('[data-key=style]').click(), document.querySelector('[data-key=style]').click())")
        page.evaluate("$('filter').click(), document.querySelectorAll('#filters input')[1].click(), document.querySelectorAll('#filters input')[3].click()")
        page.evaluate("select(model.packs[0], model.packs[0].path.findIndex((_, e) => groupOf(model.packs[0], e).name === 'outer'))")
        page.key('r')
        page.settled("['on=', 'p='].every(each => location.hash.includes(each))")  # not the address of the time before
        wanted, link = page.evaluate(state), page.evaluate('location.hash')
        require('train' in wanted and 'worker' in wanted and 'strip' in wanted and 'style,false,100000,200000,' in wanted, wanted)
    with Page(path, link=link) as page:
        equal(page.evaluate(state), wanted, link)


def case_page_room(bench):
    """Boxes too small to see are one box of the others. A name in the table finds those of its style. The pointer's line ends at what opens below, and its time is on a background.
    The header is one line at 1100 pixels. Print has all lanes, also those that are not on the screen."""
    recording = synthetic.Recording(end=10**9)
    process = recording.process()
    for tid in range(200, 280):
        process.thread(tid).ranges('name_1', [1000], at=1000)
    with Page(make_page(bench, recording.write(bench.here('threads.nvtxh')), name='threads.html')) as page:
        drawn = '[view.lanes.length, model.lanes.length, lanesBox.scrollTop, canvas.height > 2 * innerHeight]'
        page.evaluate('lanesBox.scrollTop = 500')
        page.settle()
        before = page.evaluate(drawn)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        equal(page.evaluate(drawn), [80, 80, 0, True], 'in print')
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        page.settle()
        equal([page.evaluate(drawn), before[0] < 80, before[1:]], [before, True, [80, 500, False]], 'after print')
        pages = len(re.findall(rb'/Type */Page\b', base64.b64decode(page.page('Page.printToPDF')['data'])))
        require(pages > 1, 'pages in print', pages)
    thread, at = process.thread(100), 1000
    thread.mark(500, 'name_1')
    for number in range(2500):
        at = thread.ranges(f'name_{number}', [1000], at=at)
    with Page(make_page(bench, recording.write(bench.here('names.nvtxh'))), size=(1100, 700)) as page:
        page.key('2')
        page.mouse('Moved', *center(box(page, '#flame-canvas'), 1))
        equal(page.text('#tip b'), '2,499 others', 'the flame graph')
        page.key('3')
        page.key('/')
        page.type('"name_1"')
        page.key('Enter')
        equal(page.text('#hits'), '82 hits', 'all')
        page.evaluate("[...document.querySelectorAll('#rows tbody tr')].find(row => row.innerText.endsWith('Mark')).querySelector('button').click()")
        equal([page.text('#hits'), page.evaluate("$('search').value"), page.text('#details h2')], ['1 hit', '"name_1" Mark', 'name_1'], 'a mark')
        page.evaluate('(setSelection([1000, 2000000]), pin(), setSelection([2000000, 3000000]))')
        require(box(page, 'header')[3] < 46 and page.evaluate("document.querySelector('header').scrollWidth <= 1100"), 'the header', box(page, 'header'))
        page.key('Escape')
        page.key('1')
        page.click(*page.place(0, 0, 2_000_000))
        page.settled("!$('details').hidden")
        page.mouse('Moved', *page.place(0, 0, 1_500_000))
        require(box(page, '#pointer')[1] + box(page, '#pointer')[3] <= box(page, '#details')[1], 'the line', box(page, '#pointer'), box(page, '#details'))
        require(re.fullmatch(r'rgb\(.*\)', page.evaluate("getComputedStyle(document.querySelector('#pointer span')).backgroundColor")), 'behind the time')


def quantile(lengths, part):
    place = part * (len(lengths) - 1)
    low = math.floor(place)
    return lengths[low] + (place - low) * (lengths[min(low + 1, len(lengths) - 1)] - lengths[low])


def case_page_panel_hidden(bench):
    """The panel of a range is about what is shown, also after threads were hidden or shown again."""
    rng, recording = random.Random(3), synthetic.Recording(end=10**9)
    process = recording.process()
    lengths = [[rng.randrange(1000, 100_000) for _ in range(rng.randrange(3, 40))] for _ in range(4)]
    for tid, mine in enumerate(lengths, 1):
        process.thread(tid).ranges('work', mine, gap=1000, at=1000)
    with Page(make_page(bench, recording.write(bench.here('threads.nvtxh')))) as page:
        page.click(*page.place(0, 0, 1000 + min(mine[0] for mine in lengths) // 2))
        chosen = page.evaluate('view.selectedPack.length[view.selected]')
        own = next(i for i, mine in enumerate(lengths) if mine[0] == chosen)
        page.evaluate("$('filter').click()")
        shown = [True] * 4
        for _ in range(8):
            thread = rng.choice([i for i in range(4) if i != own])
            shown[thread] = not shown[thread]
            page.evaluate(f"[...document.querySelectorAll('#filters label')].find(label => label.innerText.trim() === 'thread {thread + 1}').querySelector('input').click()")
            page.settle()
            seen = [length for mine, is_shown in zip(lengths, shown) if is_shown for length in mine]
            share = 100 * sum(length < chosen for length in seen) / len(seen)
            found = re.match(r'(\d+) instances, (\S+) (\S+) in all; this one is longer than ([\d.]+) %', page.text('.panel p'))
            require(found and int(found[1]) == len(seen) and abs(float(found[2]) * UNITS[found[3]] / sum(seen) - 1) < .01 and abs(float(found[4]) - share) < .06, shown, page.text('.panel p'), len(seen), sum(seen), share)
            equal(len(listed(page)), len(seen), 'the table')
            equal(page.evaluate('[...panel.data.bars].reduce((a, b) => a + b)'), len(seen), 'bars')


def case_page_hits(bench):
    """A click on a row finds that range and no other; one on its Max, P99, ... goes to that instance. N goes by time or by duration."""
    rec = steps(bench.here('steps.nvtxh'))
    rows = events(bench, rec)

    def cell(name, column):
        return page.evaluate(f"""(() => {{
            const row = [...document.querySelectorAll('#rows tbody tr')].find(tr => tr.cells[0].innerText === '{name}');
            const at = [...document.querySelectorAll('#rows thead th')].findIndex(th => th.innerText.startsWith('{column}'));
            const b = row.cells[at].querySelector('button').getBoundingClientRect();
            return [b.left + b.width / 2, b.top + b.height / 2];
        }})()""")

    with Page(make_page(bench, rec)) as page:
        lengths = {name: sorted(row['ns'] for row in rows if row['Message'] == name) for name in ('step', 'solve', 'timestep')}
        for name, column, part in (('step', 'Max', 1), ('solve', 'Min', 0), ('step', 'P99', 0.99), ('solve', 'P90', 0.9), ('step', 'Median', 0.5)):
            page.key('Escape')
            page.key('0')
            page.settled("$('table-what').textContent.startsWith('The whole')")
            page.click(*cell(name, column))
            wanted = quantile(lengths[name], part)
            near = min(abs(ns - wanted) for ns in lengths[name])
            got = page.evaluate("[groupOf(view.selectedPack, view.selected).name, view.selectedPack.length[view.selected]]")
            require(got[0] == name and abs(got[1] - wanted) == near, name, column, got, wanted)
            require(f'({got[1]:,} ns)' in page.text('#details'), 'it is shown', page.text('#details'))
        # In a selection, Max is that of the table, in which ranges are cut.
        steps_only = [row for row in rows if row['Message'] == 'step']
        begin, end = steps_only[50]['from'] + 7, steps_only[90]['to'] - 7
        longest = max(steps_only[50:91], key=lambda row: min(row['to'], end) - max(row['from'], begin))
        page.evaluate(f'(select(null, -1), setSelection([{begin}, {end}]))')
        page.settle()
        page.click(*cell('step', 'Max'))
        equal(page.evaluate('view.selectedPack.start[view.selected]'), longest['from'], 'the longest of the selection')
        # A click on a name searches for this name only.
        page.key('Escape')
        page.key('0')
        page.settled("$('table-what').textContent.startsWith('The whole')")
        page.click(*cell('step', 'Range'))
        equal(page.text('#hits'), '1,000 hits', 'without timestep')
        equal(page.evaluate('view.selectedPack.start[view.selected]'), steps_only[0]['from'], 'the first')
        # Hits by duration.
        page.key('Escape')
        page.evaluate("$('order').focus()")
        page.key('l')
        page.evaluate("$('order').blur()")
        found = []
        for key in 'nnnnN':
            page.key(key, modifiers=8 if key == 'N' else 0)
            found.append(page.evaluate('view.selectedPack.length[view.selected]'))
        equal(found, lengths['step'][:-5:-1] + [lengths['step'][-3]], 'from the longest on, and one back')
        # By time, from the last hit to the first, and back.
        page.key('Escape')
        page.evaluate("$('order').value = 'time', searchExactly('timestep'), fitAll()")
        begins = sorted(row['from'] for row in rows if row['Message'] == 'timestep')
        found = []
        for key in 'NnnN':
            page.key(key, modifiers=8 if key == 'N' else 0)
            found.append(page.evaluate('view.selectedPack.start[view.selected]'))
        equal(found, [begins[-1], begins[0], begins[1], begins[0]], 'round the ends')


def case_page_instances(bench):
    """The table of all instances of a range, or of all samples of a counter: sorted by any column, in portions, those that the search finds."""
    rng, recording = random.Random(draws.SEED), synthetic.Recording(end=10**10)
    process, work = recording.process(pid=1), []
    for tid in rng.sample(range(2, 14), 3):
        process.names.long(synthetic.THREAD, tid, b'worker %d' % tid)
        thread, at = process.thread(tid), 1000
        for _ in range(rng.randrange(90, 200)):
            outer, length, payload = rng.choice(['', 'load', 'store']), rng.randrange(1000, 100_000), rng.choice([None, rng.randrange(-20, 200)])
            if outer:
                thread.push(at, outer)
            thread.push(at + 10, 'work', **({} if payload is None else {'payload': payload}))
            thread.pop(at + 10 + length)
            if outer:
                thread.pop(at + 20 + length)
            work.append((length, at + 10, tid, payload, outer))
            at += length + 1000
    samples = rng.sample(range(10**6), 50)
    for at, value in enumerate(samples):
        process.thread(100).add(10**6 * at, synthetic.COUNT, [1, value], flags=2 << 5)
    chosen = "panel.data.pack.start[document.querySelector(`.instances [aria-current] button`).dataset.entry]"
    with Page(make_page(bench, recording.write(bench.here('work.nvtxh')))) as page:
        page.evaluate("find('work')")
        # As the page has them: by thread, then by time. Of equal rows, those come first that come first here.
        work = [row for tid in page.evaluate('model.packs[0].head.threads.map(thread => thread.tid)') for row in work if row[2] == tid]
        for column, is_down in (('thread', False), ('payload', False), ('payload', True), ('parent', False), ('start', False), ('start', True), ('size', True), ('size', False)):
            page.evaluate(f"document.querySelector('[data-key={column}]').click()")
            equal(page.evaluate('[panel.key, panel.down]'), [column, is_down], 'a second click turns it round')
            place = ('size', 'start', 'thread', 'payload', 'parent').index(column)
            some = [row for row in work if row[place] not in (None, '')]
            wanted = sorted(some, key=lambda row: row[place] * (-1 if is_down else 1) if place < 4 else row[place]) + [row for row in work if row not in some]
            while len(listed(page)) < len(work):
                page.evaluate("document.querySelector('.instances').scrollTop = 1e6")
                page.settle()
            got = page.evaluate("[...document.querySelectorAll('.instances [data-entry]')].map(({ dataset: { entry } }) => [panel.data.pack.length[entry], panel.data.pack.start[entry]])")
            require(got == [list(row[:2]) for row in wanted], column, got[:9], wanted[:9])
            equal([listed(page, 3), listed(page, 4), listed(page, 5)],
                  [[f'worker {row[2]}' for row in wanted], ['' if row[3] is None else str(row[3]) for row in wanted], [row[4] for row in wanted]], 'texts')
        page.evaluate("searchExactly('work', [20000, 40000])")
        equal(len(listed(page)), sum(20_000 <= row[0] <= 40_000 for row in work), 'what the search finds')
        # By value, a counter's first hit is its highest sample.
        page.evaluate("$('order').value = 'duration', find('counter 1')")
        equal(page.evaluate(chosen), 10**6 * samples.index(max(samples)), 'the highest')
        page.evaluate("document.querySelector('[data-key=size]').click()")
        equal(listed(page), [f'{value:,}' for value in sorted(samples, reverse=True)], 'by value')
        page.key('n')
        equal(page.evaluate(chosen), 10**6 * samples.index(sorted(samples)[-2]), 'the next')


def covered(rows, begin, end):
    """The ns between two times in which at least one of the rows is open."""
    total, until = 0, begin
    for row in sorted(rows, key=lambda row: row['from']):
        total += max(0, min(row['to'], end) - max(row['from'], until))
        until = max(until, row['to'])
    return total


def recursive(path):
    """Two threads: one of functions that call themselves and each other, one that is idle for most of the time."""
    chance = random.Random(5)
    recording = synthetic.Recording(end=10**7)
    process = recording.process(pid=100)
    thread, at, depth = process.thread(100), 1_000_000, 0
    for _ in range(600):
        at += chance.randrange(1, 5000)
        if depth and (depth > 6 or chance.random() < 0.5):
            thread.pop(at)
            depth -= 1
        else:
            thread.push(at, chance.choice(('parse', 'value', 'leaf')))
            depth += 1
    for _ in range(depth):
        at += 1000
        thread.pop(at)
    process.thread(200).ranges('parse', [3000] * 40, gap=50_000, at=1_200_000)
    third = process.thread(300)
    third.start(1_100_000, 1, 'request')
    third.end(1_700_000, 1)
    return recording.write(path)


def tips(page):
    """What the pointer says on the labels of threads."""
    for x, y in page.evaluate("model.lanes.filter(l => l.style === PUSH_POP).map(l => (b => [b.left + 30, b.top + RULER + l.top + 12])(canvas.getBoundingClientRect()))"):
        page.mouse('Moved', x, y)
        yield page.text('#tip')


def case_page_busy(bench):
    """Each lane says how busy its thread was. Total counts a range that calls itself once, Share is that of the busy time; both as Python counts."""
    rec = recursive(bench.here('recursive.nvtxh'))
    rows = events(bench, rec)
    nested = [row for row in rows if row['Style'] == 'PushPop']
    ends = [min(row['from'] for row in rows), max(row['to'] for row in rows)]

    def check(page, begin, end, what, threads=('100', '200')):
        by_thread = {tid: [row for row in nested if row['TID'] == tid] for tid in threads}
        busy = {tid: covered(some, begin, end) for tid, some in by_thread.items()}
        got = page.evaluate("model.lanes.filter(l => l.style === PUSH_POP).map(l => [busy.sides[0].ns[l.track.number], busyShare(l)])")
        equal(len(got), len(threads), f'{what}: threads')
        for (ns, share), (tid, wanted) in zip(got, busy.items()):
            require(ns == wanted and abs(share - 100 * wanted / (end - begin)) < 1e-9, f'{what}: thread {tid}', ns, share, wanted, end - begin)
        sums = {row['name']: row for row in page.evaluate(
            "summarize(model.packs[0], view.selection).filter(r => r.style === PUSH_POP).map(r => ({name: r.name, inclusive: r.inclusive, share: r.share}))")}
        for name in ('parse', 'value', 'leaf'):
            wanted = sum(covered([row for row in some if row['Message'] == name], begin, end) for some in by_thread.values())
            if not wanted and name not in sums:
                continue
            equal(sums[name]['inclusive'], wanted, f'{what}: {name}')
            require(abs(sums[name]['share'] - 100 * wanted / sum(busy.values())) < 1e-9, f'{what}: share of {name}', sums[name])
        return busy

    with Page(make_page(bench, rec)) as page:
        busy = check(page, *ends, 'all of it')
        for (tid, ns), tip in zip(busy.items(), tips(page), strict=True):
            name, _, said, _ = tip.splitlines()
            require(tid in name + 'made-up 100' and said.endswith(f', {100 * ns / (ends[1] - ends[0]):.1f} % of {(ends[1] - ends[0]) / 1e6:.3f} ms'), 'the tip of a label', tip, ns)
        x, y = page.place(0, 0, 1_300_000)
        page.drag([(x, y), (x + 30, y), (page.place(0, 0, 1_900_000)[0], y)], modifiers=8)
        page.settle()
        check(page, *page.evaluate('view.selection'), 'the selection')
        for boxes, shown in ([0], '200'), ([0, 1], '100'):
            page.evaluate(f"{boxes}.forEach(i => document.querySelectorAll('#filters fieldset:nth-child(2) input')[i].click())")
            page.settle()
            check(page, *page.evaluate('view.selection'), f'only thread {shown}', [shown])
    begin, end = 1_301_000, 1_702_000
    parts = [(max(row['from'], begin), min(row['to'], end)) for row in rows if row['from'] < end and row['to'] > begin]
    with Page(make_page(bench, rec, '--from', f'{begin}ns', '--to', f'{end}ns', name='part.html')) as page:
        check(page, min(start for start, _ in parts), max(until for _, until in parts), '--from and --to')


def case_page_pinned(bench):
    """Two selections of one recording are compared as two recordings are: each side has the figures of `stats --from --to`."""
    rec = steps(bench.here('steps.nvtxh'))
    with Page(make_page(bench, rec)) as page:
        windows = []
        for begin, end in ((10_000_000, 40_000_000), (100_000_000, 160_000_000)):
            x, y = page.place(0, 0, begin)
            page.drag([(x, y), (x + 30, y), (page.place(0, 0, end)[0], y)], modifiers=8)
            page.settle()
            windows.append(page.evaluate('view.selection'))
            if len(windows) == 1:
                page.key('p')
        require('A 3' in page.text('#pin') and 'B 6' in page.text('#scope'), page.text('#pin'), page.text('#scope'))
        page.key('3')
        page.settle()
        got = {row['name']: row for row in page.evaluate('difference().filter(row => row.style === PUSH_POP)')}
        stats = [{row['Range']: int(row['Total Time (ns)']) for row in bench.table('stats', rec, '--csv', '--from', f'{begin:.0f}ns', '--to', f'{end:.0f}ns')}
                 for begin, end in windows]
        equal({name: [row['totalA'], row['totalB']] for name, row in got.items() if name != 'timestep'},
              {name: [side[name] for side in stats] for name in ('step', 'solve')}, 'both sides')
        equal([got['timestep']['totalA'], got['timestep'].get('totalB')], [stats[0]['timestep'], None], 'a range of one side only')
        require(all(word in page.text('#rows') for word in ('Total A', 'Share B %', 'Change')), page.text('#rows'))
        busy = [covered([row for row in events(bench, rec) if row['TID'] == '100'], *window) for window in windows]
        equal(page.evaluate('busy.sides.map(side => side.ns[0])'), busy, 'busy')
        for side, line, ns, (begin, end) in zip('AB', next(tips(page)).splitlines()[2:4], busy, windows, strict=True):
            time, unit, share = re.match(side + r': busy for (\S+) (\S+), (\S+) % of ', line).groups()
            require(abs(float(time) * UNITS[unit] - ns) < ns / 1000 and abs(float(share) - 100 * ns / (end - begin)) < .051, 'the tip of a label', line, ns)
        page.key('2')
        equal(page.evaluate("(n => n.total)([...flame.root.children.values()].find(n => n.name === 'step'))"), [side['step'] for side in stats], 'the flame graph')
        require('A: ' in page.text('#flame-what') and 'Red' in page.text('#flame-what'), page.text('#flame-what'))
        page.key('Escape')
        page.key('Escape')
        require(page.evaluate('view.pinned === null && !compared()'), 'nothing is pinned')
        page.key('3')
        page.settle()
        require('Share A' not in page.text('#rows') and 'P99' in page.text('#rows'), 'the table of the whole', page.text('#rows'))


def printed(bench, *command):
    """The findings below a command's tables."""
    text = bench.run(*command, env={'COLUMNS': '400', 'LC_ALL': 'C.UTF-8', 'PATH': '/usr/bin:/bin'}).stdout
    return [line.strip() for line in text.partition('\nFindings:\n')[2].splitlines()]


def case_page_findings(bench):
    """Above the picture: the findings of `stats`, of two recordings those of `diff`. Each is a link to what a second computation finds."""
    done, paths = set(), []
    for seed in itertools.count(draws.SEED):
        recording, names, dropped = findings.drawn(seed)
        paths.append(recording.write(bench.here(f'{seed}.nvtxh')))
        found = findings.model(bench, paths[-1], names, dropped)
        if done.issuperset(kind for kind, *_ in found) and done:
            continue
        with Page(make_page(bench, paths[-1])) as page:
            wanted = printed(bench, 'stats', paths[-1])
            equal([page.text('#findings').splitlines(), page.evaluate("$('findings').hidden")], [wanted, not wanted], seed)
            for number, (kind, *about) in enumerate(found):
                page.evaluate(f"select(null, -1), showTab('table'), document.links[{number}].focus()")
                page.key('Enter')
                page.settle()
                got = page.evaluate("""(({selectedPack: pack, selected: e, thread}) => pack ?
                    [groupOf(pack, e).name, pack.length[e], pack.value[e], pack.start[e] / 1e6, view.from <= pack.start[e] && pack.start[e] < view.to &&
                     !pack.length.some((ns, i) => ns > pack.length[e] && groupOf(pack, i) === groupOf(pack, e))] :
                    thread && [model.packs[0].head.threads[thread.thread].tid])(view)""")
                which = {'self': [0], 'instance': [0, 1, 3], 'counter': [0, 2, 3], 'idle': [0], 'lost': []}[kind]
                equal([got[i] for i in which], [about[i] for i in {'instance': [0, 1, 4], 'counter': [0, 1, 3]}.get(kind, which)], wanted[number])
                require(kind == 'lost' or got[-1], 'the longest, on the screen', wanted[number])
                done.add(kind)
        if done == set(findings.SAYS):
            break
    before, after = (steps(bench.here(f'{scale}.nvtxh'), scale) for scale in (1, 3))
    with Page(make_page(bench, after, '--against', before)) as page:
        equal(page.text('#findings').splitlines(), printed(bench, 'diff', before, after), 'diff')
        page.evaluate('document.links[0].click()')
        require(page.evaluate("document.links[0].innerText.startsWith(groupOf(view.selectedPack, view.selected).name + ':')"), page.text('#findings'))
        require(box(page, '#findings')[3] <= .16 * 800 + 1, 'it leaves room for the picture')


def lateness(bench, recording, name):
    """{rank: [(start, ns after the median rank), ...]} of a range's instances, from the export."""
    domain, text = name.split(':')
    starts = collections.defaultdict(list)
    for row in csv.DictReader(io.StringIO(bench.run('export', '--format', 'csv', recording).stdout)):
        if (row['Domain'], row['Message']) == (domain, text):
            starts[int(row['Rank'])].append(int(row['Start (ns)']))
    middle = [statistics.median(each) for each in zip(*starts.values())]
    return {rank: [(at, at - each) for at, each in zip(all_, middle)] for rank, all_ in starts.items()}


def case_page_ranks(bench):
    """The view of ranks is the export's times, minus their median. A cell leads to that instance of that rank; a straggler's finding to its
    longest. Above 128 ranks or columns, one stands for several. `stats` has the findings of `ranks`. Without ranks, there is no such view."""
    for folder, count, steps_, hosts in ('one', 12, 40, 1), ('many', 150, 3, 1), ('long', 3, 200, 1), ('hosts', 8, 60, 2):
        os.mkdir(bench.here(folder))
        job = ranks.Job(bench, count, hosts, straggler=count - 2, steps=steps_, folder=folder, seed=count)
        merged = bench.here(f'{folder}.nvtxh')
        bench.run('merge', '-o', merged, *job.paths)
        straggler = [line for line in printed(bench, 'ranks', *job.paths) if 'straggler' in line]
        equal([line for line in printed(bench, 'stats', merged) if 'rank ' in line], straggler, folder)
        with Page(make_page(bench, merged)) as page:
            head = page.evaluate('ranksOf()')
            found = {rank: [late for _, late in row] for rank, row in lateness(bench, merged, 'mpi:barrier').items()}
            if hosts > 1:  # clocks are bent: the true times
                middle = [statistics.median(each) for each in zip(*job.late.values())]
                found = {rank: [late - each for late, each in zip(row, middle)] for rank, row in job.late.items()}
            equal(head['range'], 'mpi:barrier', folder)
            lines, columns = min(count, 128), min(steps_, 128)
            equal([len(head['lines']), {len(line['late']) for line in head['lines']}], [lines, {columns}], folder)
            for i, line in enumerate(head['lines']):
                first, last, late = line['first'], line['last'], line['late']
                equal((first, last, line['tid']), (i * count // lines, (i + 1) * count // lines - 1, 1000 + first), folder)
                for c, cell in enumerate(late):
                    part = slice(c * steps_ // columns, (c + 1) * steps_ // columns)
                    wanted = max(statistics.median(found[rank][part]) for rank in range(first, last + 1))
                    require(abs(cell - wanted) <= (20_000 if hosts > 1 else 1), folder, i, c, cell, wanted)
            if folder == 'one':
                page.key('4')
                page.settle()
                require('how late ranks come to mpi:barrier' in page.text('#ranks-what'), page.text('#bar'))
                left, top, width, height = box(page, '#ranks-canvas')
                first, last = page.evaluate('[view.from, view.to]')
                page.click(left + 210 + (width - 210) * (head['lines'][5]['at'][17] - first) / (last - first) + 2, top + height * 5.5 / lines)
                got = page.evaluate('[view.selectedPack.head.processes[trackOf(view.selectedPack, view.selected).process].rank,'
                                    'groupOf(view.selectedPack, view.selected).name, view.selectedPack.start[view.selected]]')
                equal(got, [5, 'mpi:barrier', lateness(bench, merged, 'mpi:barrier')[5][17][0]], 'the cell')
                page.evaluate('[...document.links].find(link => link.innerText.includes("straggler")).click()')
                got = page.evaluate('[view.selectedPack.head.processes[trackOf(view.selectedPack, view.selected).process].rank,'
                                    'groupOf(view.selectedPack, view.selected).name]')
                equal(got, [count - 2, 'step'], 'the straggler')
    with Page(make_page(bench, steps(bench.here('alone.nvtxh')))) as page:
        page.key('4')
        page.settle()
        equal([page.evaluate("$('tab-ranks').hidden"), page.evaluate('shownTab()')], [True, 'table'], 'no ranks')


WHY = """(name => {
    const pack = model.packs[0], { head } = pack, tid = i => head.threads[threadOf(pack, i)].tid, range = ({number}) => pack.groups[number].text;
    const e = [...pack.start.keys()].filter(i => groupOf(pack, i).text === name).sort((a, b) => pack.length[b] - pack.length[a] || pack.start[a] - pack.start[b] || tid(a) - tid(b) || a - b)[0];
    select(e === undefined ? null : pack, e ?? -1);
    if (e === undefined || !pack.length[e]) return [];
    const { around, inside, meanwhile, counters, usual } = reasonsOf(pack, e);
    return [...around.map(i => ['around', groupOf(pack, i).text, payloadOf(pack, i) ?? '', '', 0, null, null]),
            ...inside.map(row => ['inside', range(row), '', '', 0, row.then, usual < 0 ? null : row.usual]),
            ...meanwhile.flatMap(({ name, threads, ranges }) => ranges.map(row => ['meanwhile', range(row), '',
                threads.size > 1 ? [name, `${threads.size} threads`].filter(each => each).join(', ') : String(head.threads[[...threads][0]].tid), threads.size, row.then, null])),
            ...counters.map(row => ['counter', range(row), '', '', 0, row.then, row.usual])];
})(%r)"""


def case_page_why(bench):
    """Why an instance took so long: the rows of `stats --slowest RANGE --json`, on recordings drawn at random. Its range, its usual one and what is in
    it are links; a button compares it with the usual one."""
    count, links = collections.Counter(), 0
    for seed in draws.seeds(6):
        rec = findings.calls(seed)[0].write(bench.here(f'{seed}.nvtxh'))
        with Page(make_page(bench, rec)) as page:
            for name in 'abcdp':
                table = json.loads(bench.run('stats', '--slowest', name, '--limit', '1', '--json', rec, status=None).stdout or '[]')
                wanted = [[row[key] for key in ('what', 'name', 'payload', 'thread', 'threads', 'then', 'usually')] for row in (table and table[0]['why']) or []]
                for row in wanted:
                    row[3] = row[3].split()[0] if row[4] == 1 else row[3]
                got, wanted = sorted(page.evaluate(WHY % name), key=str), sorted(wanted, key=str)
                equal([row[:5] for row in got], [row[:5] for row in wanted], f'seed {seed}: {name}')
                for one, other in zip(got, wanted):
                    require(all(a == b or a is not None and b is not None and math.isclose(a, b, rel_tol=1e-9) for a, b in zip(one[5:], other[5:])), seed, name, one, other)
                count.update(row[0] for row in wanted)
                if got and table[0]['style'] == 'PushPop' and page.evaluate("why.data.usual >= 0 && why.data.pack.length[why.data.usual] > 0"):
                    equal(sorted(page.evaluate("[...document.querySelectorAll('.why .path button')].map(each => each.innerText.split(' ')[0])")),
                          sorted(row[1] for row in got if row[0] == 'around'), 'path')
                    page.evaluate("document.querySelector('.why button:not(.link)').click()")
                    equal(page.evaluate('[view.pinned, view.selection]'), page.evaluate('[why.data.usual, why.data.e].map(i => windowOf(why.data.pack, i))'), 'A and B')
                    page.evaluate("[...document.querySelectorAll('.why .link')].find(each => each.innerText.startsWith('a usual')).click()")
                    require(page.evaluate(f"groupOf(view.selectedPack, view.selected).text") == name, 'a usual one')
                    page.key('Escape')
                    page.key('Escape')
                    links += 1
    require(all(count[what] for what in ('around', 'inside', 'meanwhile', 'counter')) and links, count)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
