// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Zoom, pan, select: by mouse, touch and keys.
const LEAST = 20; // ns; the shortest time that fills the screen

// Shows a time. `how`: 'jump', or a gesture ('zoom', 'drag'): Backspace goes back to the view before a whole gesture.
function show(from, to, how = 'jump') {
    const now = performance.now(), goesOn = how === view.how && how !== 'jump' && now < view.shownAt + 1000;
    if (how !== 'back' && !goesOn) view.before = [...view.before.slice(-99), [view.from, view.to, lanesBox.scrollTop]];
    [view.how, view.shownAt] = [how, now];
    const width = Math.max(LEAST, Math.min(to - from, model.length * 1.1)), edge = width * 0.05;
    view.from = Math.max(model.from - edge, Math.min(from, model.end + edge - width));
    view.to = view.from + width;
    redraw();
}

const fitAll = () => show(model.from - model.length * 0.01, model.end + model.length * 0.02);

// Shows the time from the first to the last event. A ring keeps only its last events, so this may be a short time.
function fitEvents() {
    const length = model.end - model.first;
    if (length > 0) show(model.first - length * 0.01, model.end + length * 0.02); else fitAll();
}
const pan = part => show(view.from + part * (view.to - view.from), view.to + part * (view.to - view.from), 'zoom');

function goBack() {
    if (!view.before.length) return;
    const [from, to, scroll] = view.before.pop();
    show(from, to, 'back');
    lanesBox.scrollTop = scroll;
}

function zoom(factor, x = (canvas.clientWidth + LABELS) / 2) {
    const at = timeOf(Math.max(LABELS, x));
    show(at - (at - view.from) * factor, at + (view.to - at) * factor, 'zoom');
}

function laneAt(y) {
    const top = y - RULER + lanesBox.scrollTop;
    return y < RULER ? undefined : model.lanes.find(each => top >= each.top && top < each.top + each.height);
}

// The entry at a point of the canvas, or some pixels beside it, because entries may be thin.
function entryAt(x, y) {
    const lane = laneAt(y), top = y - RULER + lanesBox.scrollTop;
    if (!lane || lane.style === -1 || x < LABELS || y < RULER) return null;
    const { pack } = lane, inside = top - lane.top - 4 - lane.marksHeight;
    const row = lane.style === COUNTER ? lane.rows[0] : inside < 0 ? lane.marks
        : inside < Math.max(1, lane.shown) * ROW && lane.rows[Math.floor(inside / ROW)];
    if (!row || !row.length) return null;
    const i = firstAfter(pack, row, timeOf(x)), far = inside < 0 ? 7 : lane.style === COUNTER ? Infinity : 2;
    const near = [row[i - 1], row[i]].filter(e => e !== undefined)
        .map(e => [Math.max(xOf(pack.start[e]) - x, x - Math.max(xOf(pack.drawn[e]), xOf(pack.start[e]) + 1), 0), e])
        .filter(([distance, e]) => distance <= far && (lane.style !== COUNTER || pack.start[e] <= timeOf(x)))
        .sort((a, b) => a[0] - b[0])[0];
    return near ? { pack, e: near[1], lane } : null;
}

function select(pack, e, reveal = false) {
    [view.selectedPack, view.selected, view.thread] = [pack, e, null];
    view.launched = pack ? operationsOf(pack, e, 100) : [];
    if (pack && reveal) revealEntry(pack, e);
    fillDetails();
    relayOutHeight();
    if (pack) revealLane(pack, e, reveal ? lanesBox.clientHeight / 3 : 4);
    redraw();
}

// Scrolls if an entry's row is not on the screen, for example because the panel below has just been opened.
function revealLane(pack, e, margin) {
    const place = placeOf(pack, e), height = place?.lane.style === COUNTER ? place.lane.height : ROW;
    if (!place) return;
    const below = place.y + height - lanesBox.clientHeight, above = RULER - place.y;
    if (below > 0) lanesBox.scrollTop += below + margin; else if (above > 0) lanesBox.scrollTop -= above + margin;
}

// Moves if an entry is off the screen, and zooms then if the entry would be too long or too thin to see.
function revealEntry(pack, e) {
    const from = pack.start[e], span = view.to - view.from, { process } = trackOf(pack, e);
    const to = isCounter(pack, e) ? from : from + pack.length[e]; // a value lasts until the next sample
    if (model.collapsed.has(processKey(pack, process))) collapse(pack, process);
    const place = placeOf(pack, e);
    if (!place) return;
    if (place.row >= place.lane.shown || place.lane.fold === 'strip') {
        model.folds.set(trackKey(pack, place.lane.track), 'all');
        relayOut();
    }
    if (from >= view.from && to <= view.to) return;
    const isThin = to > from && (to - from) * scale() < 3, most = isThin ? Math.max(to - from, LEAST) * 40 : span;
    const width = Math.max(most, (to - from) * 1.5);
    show((from + to - width) / 2, (from + to + width) / 2);
}

// Selects a time; `only`: the pack and the thread ({ pack, thread }) that the views then show of it, null: all.
function setSelection(selection, only = null) {
    const old = view.selection;
    view.only = selection && only;
    view.selection = selection && selection[1] - selection[0] >= 1 ? selection.map(Math.round) : null;
    if (old || view.selection) scopeChanged();
    redraw();
}

const fingers = new Map(); // for the pointers that are down: pointerId -> last event

// Begins to zoom by the distance of two fingers; the time between them follows them. Returns a function for each move.
function pinch() {
    const look = () => {
        const [a, b] = fingers.values(), across = b.offsetX - a.offsetX, down = b.offsetY - a.offsetY;
        return [a.offsetX + across / 2, Math.max(1, Math.hypot(across, down))];
    };
    const [x, apart] = look(), at = timeOf(Math.max(LABELS, x)), span = view.to - view.from;
    return () => {
        const [x, now] = look(), width = span * apart / now;
        const from = at - width * Math.max(0, x - LABELS) / (canvas.clientWidth - LABELS);
        show(from, from + width, 'drag');
    };
}

// Whether a click at x folds a lane: x is on the label of a thread or of process ranges.
const isFoldable = (lane, x) => x < LABELS && (lane?.style === PUSH_POP || lane?.style === START_END);

function dragStart(event) {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    fingers.set(event.pointerId, event);
    drag(event, fingers.size > 1);
}

// Follows the pointers from `event` on, until one goes down or up. If `moved`, the drag can only pan or zoom.
function drag(event, moved) {
    const zoomed = fingers.size > 1 && pinch();
    view.drag?.abort(); // a second finger ends the drag of the first finger
    if (zoomed && view.selection) setSelection(view.selection);
    view.drag = new AbortController();
    const { offsetX: x, offsetY: y } = event, { from, to } = view, begin = timeOf(x), scroll = lanesBox.scrollTop;
    const selecting = !moved && (event.shiftKey || (y < RULER && x > LABELS)), { signal } = view.drag;
    const move = more => {
        if (!fingers.has(more.pointerId)) return;
        fingers.set(more.pointerId, more);
        moved ||= Math.hypot(more.offsetX - x, more.offsetY - y) > 4;
        if (!moved) return;
        hideTip();
        if (zoomed) {
            zoomed();
        } else if (selecting) {
            view.selection = [begin, timeOf(Math.max(LABELS, more.offsetX))].sort((a, b) => a - b);
            redraw();
        } else {
            const by = (more.offsetX - x) * (to - from) / (canvas.clientWidth - LABELS);
            show(from - by, to - by, 'drag');
            lanesBox.scrollTop = scroll - (more.offsetY - y);
        }
    };
    const up = ({ pointerId, type }) => {
        if (!fingers.delete(pointerId)) return;
        view.drag.abort();
        if (fingers.size) return drag([...fingers.values()].pop(), true);
        if (moved && selecting) return setSelection(view.selection);
        if (moved || type !== 'pointerup') return;
        const found = entryAt(x, y), lane = laneAt(y);
        if (lane?.style === -1) return collapse(lane.pack, lane.process, event.shiftKey);
        if (isFoldable(lane, x)) return fold(lane);
        if (selecting && !found) setSelection(null);
        select(found?.pack ?? null, found?.e ?? -1);
    };
    canvas.addEventListener('pointermove', move, { signal });
    for (const end of ['up', 'cancel']) canvas.addEventListener('pointer' + end, up, { signal });
    canvas.addEventListener('lostpointercapture', up, { signal });
}

// Draws a line at the pointer, through all lanes, and writes the pointer's time beside it.
function drawPointer(event) {
    const line = $('pointer'), { left, top, height } = canvas.getBoundingClientRect();
    line.hidden = event.offsetX < LABELS;
    [line.style.left, line.style.top, line.style.height] = [left + event.offsetX, top, height].map(n => n + 'px');
    const time = moment(timeOf(event.offsetX), 10 ** Math.floor(Math.log10(Math.max(1, 1 / scale()))));
    line.replaceChildren(make('span', time));
}

// A text about a counter's samples in the pixel at x: how many, the lowest, the highest. null if fewer than two.
function samplesAt({ pack, lane }, x) {
    const row = lane.rows[0], before = time => firstAfter(pack, row, time);
    const samples = row.subarray(before(timeOf(x - 0.5)), before(timeOf(x + 0.5)));
    if (samples.length < 2) return null;
    const [low, high] = valueRange(pack, samples);
    return `${count(samples.length)} samples here, ${reading(low)} to ${reading(high, lane.track.unit)}`;
}

// Called when the pointer comes to an entry, or to none. The row of the entry in the table is lit.
function hovered(pack, e) {
    if (e === view.hover && pack === view.hoverPack) return;
    redraw();
    [view.hoverPack, view.hover] = [pack, e];
    for (const row of document.querySelectorAll('tr.lit')) row.classList.remove('lit');
    lightRow(pack, e)?.scrollIntoView({ block: 'nearest' });
}

// Lights the table's row of an entry; returns it.
function lightRow(pack, e) {
    const row = pack && [groupOf(pack, e), rowOf(pack, e)].map(({ key }) => view.rowOf?.get(key)).find(each => each);
    row?.classList.add('lit');
    return row;
}

function hover(event) {
    view.pointer = event.offsetX;
    drawPointer(event);
    if (event.buttons) return;
    const found = entryAt(event.offsetX, event.offsetY);
    const lane = laneAt(event.offsetY), clickable = found || lane?.style === -1 || isFoldable(lane, event.offsetX);
    canvas.className = event.offsetY < RULER ? 'selecting' : clickable ? 'pointing' : '';
    hovered(found?.pack ?? null, found?.e ?? -1);
    if (!found && event.offsetX < LABELS && lane?.style === PUSH_POP) return showTip(event, busyLines(lane));
    if (!found) return hideTip();
    const more = found.lane.style === COUNTER && samplesAt(found, event.offsetX);
    showTip(event, [...tipLines(found.pack, found.e), ...more ? [more] : []]);
}

function showTip(event, [name, ...lines]) {
    const tip = $('tip');
    tip.replaceChildren(make('b', shown(name, 400)), ...lines.map(line => make('div', shown(line, 400))));
    tip.hidden = false;
    tip.style.left = Math.max(4, Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8)) + 'px';
    const below = event.clientY + 18, fits = below + tip.offsetHeight <= innerHeight;
    tip.style.top = (fits ? below : event.clientY - tip.offsetHeight - 8) + 'px';
}
const hideTip = () => { $('tip').hidden = true; };

// Whether the wheel zooms even if there are more lanes than the screen shows. A browser may refuse storage to a file.
function wheelZooms(is) {
    try {
        if (is !== undefined) localStorage.setItem('nvtxh-wheel', is ? 'zoom' : '');
        return localStorage.getItem('nvtxh-wheel') === 'zoom';
    } catch {
        return (view.wheelZooms = is ?? view.wheelZooms) === true;
    }
}

function wheel(event) {
    const canvasX = event.clientX - canvas.getBoundingClientRect().left;
    const scrolls = lanesBox.scrollHeight > lanesBox.clientHeight && !wheelZooms() && lanesBox.contains(event.target);
    const isSideways = event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY);
    if ((canvasX < LABELS || (scrolls && !isSideways)) && !event.ctrlKey) return; // the browser scrolls the lanes
    event.preventDefault();
    if (isSideways) pan((event.deltaX || event.deltaY) / 800);
    else zoom(Math.exp(Math.max(-60, Math.min(60, event.deltaY)) / 160), canvasX);
}

function minimapDrag(event) {
    const go = more => {
        if (!(more.buttons & 1)) return;
        const part = (more.offsetX - LABELS) / (minimap.clientWidth - LABELS), half = (view.to - view.from) / 2;
        const middle = part * model.length + model.from;
        show(middle - half, middle + half, 'drag');
    };
    minimap.setPointerCapture(event.pointerId);
    minimap.onpointermove = go;
    minimap.onpointerup = () => { minimap.onpointermove = null; };
    go(event);
}

// Selects the next (1) or previous (-1) range in the selected range's row, the range around the selected range ('out'),
// or the first range inside it ('in'). If no range is selected, selects one on the screen.
function neighbour(where) {
    const place = view.selectedPack && placeOf(view.selectedPack, view.selected);
    const first = () => model.lanes.find(each => each.rows?.[0]?.length && each.style !== COUNTER);
    const lane = place ? place.lane : first(), time = place ? view.selectedPack.start[view.selected] : view.from;
    const beside = place && typeof where === 'number';
    const isOpen = each => lane.pack.start[each[firstAfter(lane.pack, each, time)]] <= time;
    const row = !place ? lane?.rows[0] : place.row < 0 ? (where === 'out' ? lane.rows.findLast(isOpen) : lane.marks)
        : lane.rows[place.row + ({ in: 1, out: -1 }[where] ?? 0)];
    const i = row && (beside ? row.indexOf(view.selected) + where : firstAfter(lane.pack, row, time));
    const until = place && where === 'in' ? time + lane.pack.length[view.selected] : Infinity;
    if (row?.[i] !== undefined && lane.pack.start[row[i]] < until) select(lane.pack, row[i], true);
}

// The first press marks the time at the pointer; the second press selects the time between both presses.
function measure() {
    const at = timeOf(Math.max(LABELS, view.pointer ?? canvas.clientWidth / 2));
    if (view.point === undefined) {
        view.point = at;
        view.selection = [at, at];
        redraw();
    } else {
        setSelection([view.point, at].sort((a, b) => a - b));
        view.point = undefined;
    }
}

// Selects the time of the selected range on its thread; if it is selected, on all threads.
function selectRange() {
    const { selectedPack: pack, selected: e } = view, thread = pack && trackOf(pack, e).thread;
    if (!pack || !(pack.length[e] >= 1)) return;
    const range = [pack.start[e], pack.start[e] + pack.length[e]], isSame = String(range) === String(view.selection);
    setSelection(range, thread >= 0 && !(isSame && view.only) ? { pack, thread } : null);
}

function zoomToSelected() {
    const { selectedPack: pack, selected: e } = view, half = (view.to - view.from) / 2;
    if (pack && !pack.length[e]) return show(pack.start[e] - half, pack.start[e] + half);
    const range = pack && [pack.start[e], pack.start[e] + Math.max(pack.length[e], LEAST)];
    const [from, to] = range || view.selection || [model.from, model.end];
    show(from - (to - from) * 0.1, to + (to - from) * 0.1);
}

const KEYS = [ // page.html says what the keys do
    [['w', 'W', '+', '='], () => zoom(0.8, view.pointer)], [['s', 'S', '-'], () => zoom(1.25, view.pointer)],
    [['a', 'A', 'ArrowLeft'], () => pan(-0.1)], [['d', 'D', 'ArrowRight'], () => pan(0.1)],
    [['ArrowUp'], () => { lanesBox.scrollTop -= 40; }], [['ArrowDown'], () => { lanesBox.scrollTop += 40; }],
    [['0', 'Home'], fitAll], [['f', 'F'], zoomToSelected], [['m', 'M'], measure],
    [['c', 'C'], () => collapse(view.selectedPack || model.packs[0],
        view.selectedPack ? trackOf(view.selectedPack, view.selected).process : 0, !view.selectedPack)],
    [['Enter', '.'], () => neighbour(1)], [[','], () => neighbour(-1)],
    [['['], () => neighbour('out')], [[']'], () => neighbour('in')],
    [['/'], () => $('search').focus()], [['n'], () => jump(1)], [['N'], () => jump(-1)],
    ...[['timeline', lanesBox], ['flame', $('flame-box')], ['table', $('rows')], ['ranks', $('ranks-canvas')]]
        .map(([tab, box], i) => [[String(i + 1)], () => { showTab(tab); box.focus(); }]),
    [['t', 'T'], () => setTheme()], [['?'], () => $('keys').showModal()],
    [['p', 'P'], pin], [['l', 'L'], foldAll], [['r', 'R'], selectRange], [['Backspace'], goBack],
    [['Escape'], () => {
        view.point = undefined;
        if (view.pinned && !view.selection) pin();
        select(null, -1);
        setSelection(null);
        flameZoom(null);
    }],
];

// If a tab has the focus, arrow keys, Home and End go to other tabs. Returns whether `event` was such a key.
function tabKey(event) {
    const tabs = TABS.filter(hasTab), at = tabs.findIndex(tab => event.target === $('tab-' + tab));
    const last = tabs.length - 1, before = (at + last) % tabs.length, after = (at + 1) % tabs.length;
    const to = at < 0 ? undefined : { ArrowLeft: before, ArrowRight: after, Home: 0, End: last }[event.key];
    if (to === undefined) return false;
    showTab(tabs[to]);
    $('tab-' + tabs[to]).focus();
    return true;
}

function keyDown(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || $('keys').open) return;
    if (tabKey(event)) return event.preventDefault();
    const typing = event.target.matches('input[type=search], select');
    if (typing && event.key === 'Escape') {
        event.target.blur();
        return event.preventDefault(); // or Chromium empties the search field
    }
    if (typing || (event.target.matches('a, button, input') && ['Enter', ' '].includes(event.key))) return;
    if (event.target === $('flame-box') && flameKey(event)) return event.preventDefault();
    if (event.target.closest('#below') && /^(Arrow|Home|Enter)/.test(event.key)) return; // the browser scrolls
    const found = KEYS.find(([keys]) => keys.includes(event.key));
    if (!found) return;
    event.preventDefault();
    found[1]();
}

// Draws again when devicePixelRatio has changed, for example because the page was moved to another screen.
function watchRatio() {
    const same = matchMedia(`(resolution: ${devicePixelRatio}dppx)`);
    same.addEventListener('change', () => { refresh(); watchRatio(); }, { once: true });
}

function listen() {
    canvas.addEventListener('pointerdown', dragStart);
    canvas.addEventListener('pointermove', hover);
    canvas.addEventListener('pointerleave', () => {
        hideTip();
        $('pointer').hidden = true;
        hovered(null, -1);
    });
    canvas.addEventListener('dblclick', event => {
        const found = entryAt(event.offsetX, event.offsetY);
        if (!found) return;
        select(found.pack, found.e);
        zoomToSelected();
    });
    lanesBox.addEventListener('wheel', wheel, { passive: false });
    lanesBox.addEventListener('scroll', redraw);
    minimap.addEventListener('pointerdown', minimapDrag);
    minimap.addEventListener('wheel', wheel, { passive: false });
    document.addEventListener('keydown', keyDown);
    new ResizeObserver(() => { $('pointer').hidden = true; redraw(); }).observe(lanesBox);
    watchRatio();
}
