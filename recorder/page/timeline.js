// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Draws lanes, ruler and minimap. Only ranges on the screen are read: in each row, a binary search finds the first.
// A range that is thinner than 2 pixels is drawn as one pixel; then a search skips all other ranges in this pixel. The
// pixel is the more opaque, the more of its time these ranges cover.
const ROW = 19, LABELS = 210, RULER = 30;
const view = { from: 0, to: 1, hover: -1, hoverPack: null, selected: -1, selectedPack: null, selection: null,
               colors: {}, matched: null, launched: [], // launched: GPU operations that the selected range launched
               thread: null, // the track of the selected thread, if no entry is selected
               only: null,   // { pack, thread }: the views below show only this thread of the selection
               opened: new Set(), // keys of the table's rows below which there are rows of their members
               before: [] }; // what Backspace goes back to: [from, to, scrollTop]
const canvas = $('canvas'), lanesBox = $('lanes'), minimap = $('minimap');
const strips = document.createElement('canvas');
const widths = new Map(); // name -> its width in pixels

function readColors() {
    const style = getComputedStyle(document.documentElement);
    for (const name of ['back', 'panel', 'lane', 'line', 'ink', 'faint', 'accent', 'bad', 'hit'])
        view.colors[name] = style.getPropertyValue('--' + name).trim();
    view.backRgb = parseInt(view.colors.back.slice(1), 16);
    const [faint, bad, ink] = ['faint', 'bad', 'ink'].map(name => view.colors[name]);
    [view.missing, view.lost] = [faint, bad].map(color => pattern(color + '73', 8, i => 7 - i));
    // By state: blocked, preempted, unknown.
    view.off = [pattern(ink + '73', 6, i => i), faint + '73', pattern(faint + '40', 8, i => 3 * i % 8)];
    for (const pack of model.packs) {
        pack.kinds.pixels = pack.kinds.rgb.map(pixel);
        pack.kinds.faint = pack.kinds.rgb.map(rgb => pixel(mix(rgb, view.backRgb, 0.8)));
    }
}

// A pattern for a canvas: in column i of its square, a pixel in row rowAt(i).
function pattern(color, size, rowAt) {
    const tile = make('canvas', '', { width: size, height: size }), context = tile.getContext('2d');
    for (let i = 0; i < size; i++) paint(context, color, i, rowAt(i), 1, 1);
    return context.createPattern(tile, 'repeat');
}

const scale = () => (canvas.clientWidth - LABELS) / (view.to - view.from); // pixels per ns
const xOf = time => LABELS + (time - view.from) * scale();
const timeOf = x => view.from + (x - LABELS) / scale();

function redraw() {
    view.asked ||= requestAnimationFrame(() => { view.asked = 0; draw(); });
}

// Gives a canvas as many pixels as its element has on the screen. Returns a context that draws in CSS pixels.
function prepare(element, width, height) {
    const ratio = window.devicePixelRatio || 1, w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (element.width !== w || element.height !== h) [element.width, element.height] = [w, h];
    const context = element.getContext('2d');
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.font = '11.5px system-ui, "Segoe UI", Roboto, Helvetica, Arial, sans-serif';
    context.textBaseline = 'middle';
    return context;
}

const paint = (context, color, ...place) => { context.fillStyle = color; context.fillRect(...place); };
const letters = (context, color, ...text) => { context.fillStyle = color; context.fillText(...text); };

function widthOf(context, name) {
    if (!widths.has(name)) widths.set(name, context.measureText(name).width);
    return widths.get(name);
}

// The part of a name that fits into `room` pixels. Drops outer names, such as a of a::b, because the last says more.
const OUTER = /^[\w$~-]+(<[^()]*?>)?(::|[./])(?=[\w$~])/;
function fit(context, name, room) {
    if (widthOf(context, name) <= room) return name;
    let rest = name;
    for (let outer; (outer = OUTER.exec(rest));) {
        rest = rest.slice(outer[0].length);
        if (widthOf(context, '…' + rest) <= room) return '…' + rest;
    }
    const letters = Math.floor(rest.length * room / widthOf(context, rest)) - 1;
    return letters < 2 ? '' : rest.slice(0, letters) + '…';
}

// Whether an entry is drawn in its colour: if the pointer is on a row of the table, those of the row, else all hits.
const isBright = (pack, e) => view.lit ? [groupOf(pack, e).key, rowOf(pack, e).key].includes(view.lit) : isHit(pack, e);

// Lights the ranges of a row of the table; key: that of its group, or null.
function lightUp(key) {
    view.lit = key;
    for (const lane of model.lanes) lane.hits = null;
    redraw();
}

// Sorts the visible ranges of a row: those at least 2 pixels wide go into `wide`, the others become pixels of `strip`.
// In a search, the pixels of hits are drawn over those of other ranges. Returns whether `strip` is used.
function scanRow(lane, number, y, strip, wide) {
    const faint = (view.lit || view.matched) && lane.pack.kinds.faint;
    const any = scanEntries(lane, number, lane.rows[number], y, strip, wide, faint || lane.pack.kinds.pixels);
    if (!faint) return any;
    lane.hits ??= lane.rows.map(row => row.filter(e => isBright(lane.pack, e)));
    return scanEntries(lane, -1, lane.hits[number], y, strip, [], lane.pack.kinds.pixels) || any; // opaque
}

function scanEntries(lane, number, row, y, strip, wide, colors) {
    const { pack } = lane, { start, drawn, painted } = pack;
    const k = scale(), width = strip.length, origin = Math.round(view.from * k);
    let any = false, last = -1;
    for (let i = firstAfter(pack, row, view.from); i < row.length && start[row[i]] < view.to;) {
        const e = row[i], length = drawn[e] - start[e];
        if (length * k >= 2) {
            wide.push({ pack, e, x: xOf(start[e]), width: length * k, y });
            i++;
            continue;
        }
        // A cell is the time of one pixel. Cells count from time 0, so a range stays in its cell if the view moves.
        const cell = Math.floor(start[e] * k), x = cell - origin, until = (cell + 1) / k;
        const next = firstAfter(pack, row, until, i);
        if (x >= 0 && x < width && cell !== last) {
            const inside = () => coveredBefore(lane, number, until, next) - lane.sums[number][i];
            const ns = number < 0 ? 1 / k : next > i ? inside() : length;
            const opacity = Math.round(255 * (0.35 + 0.65 * Math.min(1, ns * k)));
            strip[x] = (colors[painted[e]] & 0xffffff | opacity << 24) >>> 0;
        }
        any = true;
        last = cell;
        i = Math.max(i + 1, next);
    }
    return any;
}

// From when on a range of a row covers time that the one before it, which ends earlier, does not.
const beginOf = (row, i, start, drawn) => Math.max(start[row[i]], drawn[row[i - 1]] ?? -Infinity);

// How many ns before `time` a row covers (-1: lane.busy); `at`: the index of the first range that ends after it.
function coveredBefore(lane, number, time, at) {
    const { pack: { start, drawn } } = lane, row = lane.rows[number] ?? lane.busy;
    lane.sums ??= [];
    const sums = lane.sums[number] ??= row.reduce((all, e, i) => {
        all[i + 1] = all[i] + drawn[e] - beginOf(row, i, start, drawn);
        return all;
    }, new Float64Array(row.length + 1));
    return sums[at] + (at < row.length ? Math.max(0, time - beginOf(row, at, start, drawn)) : 0);
}

// Fills the strip of a folded lane: a pixel is as opaque as the outermost ranges cover it.
function scanBusy(lane, strip) {
    const row = lane.busy, color = pixel(parseInt(view.colors.faint.slice(1), 16)) & 0xffffff, k = scale();
    let at = firstAfter(lane.pack, row, view.from), before = coveredBefore(lane, -1, view.from, at);
    for (let x = 0; x < strip.length; x++) {
        const time = view.from + (x + 1) / k;
        at = firstAfter(lane.pack, row, time, at);
        const now = coveredBefore(lane, -1, time, at);
        strip[x] = (color | Math.round(255 * Math.min(1, (now - before) * k)) << 24) >>> 0;
        before = now;
    }
    return true;
}

function drawRange(context, { pack, e, x, width, y }) {
    const rgb = pack.kinds.rgb[pack.painted[e]], hit = isBright(pack, e);
    const left = Math.max(x, LABELS - 4), right = Math.min(x + width, canvas.clientWidth + 4);
    const color = hit ? rgb : mix(rgb, view.backRgb, 0.8), height = ROW - 2;
    paint(context, css(color), left, y, Math.max(1, right - left - (width > 4 ? 1 : 0)), height);
    if (pack.count[e] > 1) {
        for (let at = left + 3 - left % 6; at < right - 2; at += 6)
            paint(context, view.colors.back, at, y + height - 3, 3, 2);
    }
    if (pack.flags[e] & 1 && x + width < canvas.clientWidth) {
        paint(context, view.colors.bad, right - 3, y, 2, height);
    }
    if (right - left > 22) {
        const times = pack.count[e] > 1 ? `${count(pack.count[e])} × ` : '';
        const at = Math.max(left, LABELS) + 4;
        const name = fit(context, messageOf(pack, e), right - at - 4 - (times && widthOf(context, times)));
        letters(context, hit ? ink(color) : view.colors.faint, name && times + name, at, y + height / 2 + 0.5);
    }
}

function drawMarks(context, lane, y) {
    const { pack, marks } = lane, k = scale();
    for (let i = firstAfter(pack, marks, view.from - 12 / k); i < marks.length && pack.start[marks[i]] < view.to;) {
        const e = marks[i], x = xOf(pack.start[e]), rgb = pack.kinds.rgb[kindOf(pack, e)];
        context.fillStyle = css(isBright(pack, e) ? rgb : mix(rgb, view.backRgb, 0.8));
        context.beginPath();
        for (const [across, down] of [[0, 2], [4.5, 6.5], [0, 11], [-4.5, 6.5]]) context.lineTo(x + across, y + down);
        context.fill();
        const next = i + 1 < marks.length ? xOf(pack.start[marks[i + 1]]) : canvas.clientWidth;
        if (next - x > 40) {
            letters(context, view.colors.faint, fit(context, messageOf(pack, e), next - x - 16), x + 7, y + 7);
        }
        i = next - x > 1 ? i + 1 : Math.max(i + 1, firstAfter(pack, marks, timeOf(x + 1), i));
    }
}

// The lowest and the highest value of a counter's samples.
function valueRange(pack, samples) {
    const [lows, highs] = pack.merged ? [pack.least, pack.most] : [pack.value, pack.value];
    const widen = ([low, high], e) => [Math.min(low, lows[e]), Math.max(high, highs[e])];
    return samples.reduce(widen, [Infinity, -Infinity]);
}

function drawCounter(context, lane, y) {
    const { pack } = lane, row = lane.rows[0], height = 34;
    const [lows, highs] = pack.merged ? [pack.least, pack.most] : [pack.value, pack.value];
    if (!lane.range) {
        lane.range = valueRange(pack, row);
        if (lane.range[0] > 0 && lane.range[0] < lane.range[1] / 2) lane.range[0] = 0;
    }
    const [least, most] = lane.range, part = value => most > least ? (value - least) / (most - least) : 0.5;
    const yOf = value => y + 4 + height * (1 - part(value));
    const rgb = pack.kinds.rgb[kindOf(pack, row[0])], first = Math.max(0, firstAfter(pack, row, view.from) - 1);
    context.beginPath();
    let x = Math.max(LABELS, xOf(pack.start[row[first]])), at = yOf(pack.value[row[first]]);
    context.moveTo(x, y + height + 5);
    for (let i = first; i < row.length && pack.start[row[i]] < view.to;) {
        const next = Math.max(i + 1, firstAfter(pack, row, timeOf(Math.floor(x) + 1), i));
        let low = Infinity, high = -Infinity; // of at most 127 of the samples in this pixel
        for (let j = i, step = Math.max(1, (next - i) >> 6); j < next; j += step) {
            low = Math.min(low, lows[row[j]]);
            high = Math.max(high, highs[row[j]]);
        }
        if (next - i > 1) { context.lineTo(x, yOf(high)); context.lineTo(x, yOf(low)); }
        at = yOf(pack.value[row[next - 1]]);
        context.lineTo(x, at);
        x = next < row.length ? Math.max(x, xOf(pack.start[row[next]]))
            : Math.min(canvas.clientWidth, xOf(pack.head.end));
        context.lineTo(x, at);
        i = next;
    }
    context.lineTo(x, y + height + 5);
    context.fillStyle = css(rgb) + '38';
    context.fill();
    context.strokeStyle = css(rgb);
    context.stroke();
}

// Hatches times whose events were not recorded, were overwritten (if the recording was a ring), or were lost.
function drawHoles(context, lane, y) {
    const { pack, track } = lane, height = lane.height - 1;
    const hatch = (from, to, text, color) => {
        const left = Math.max(LABELS, xOf(from));
        const right = Math.min(canvas.clientWidth, Math.max(xOf(to), xOf(from) + 3));
        if (right <= left) return;
        paint(context, color, left, y, right - left, height);
        const label = fit(context, text, right - left - 10);
        if (label.length < text.length) return;
        paint(context, view.colors.back, left + 3, y + height / 2 - 8, context.measureText(label).width + 6, 16);
        letters(context, view.colors.faint, label, left + 6, y + height / 2);
    };
    const { gates } = pack.head.processes[lane.process];
    for (const [from, to] of gates) hatch(from, to, 'not recorded', view.missing);
    const endBefore = (row, at) => pack.drawn[row[firstAfter(pack, row, at) - 1]] ?? 0;
    const before = at => Math.max(...[...lane.rows, lane.marks].map(row => endBefore(row, at)));
    for (const at of track.gaps || []) hatch(before(at), at, 'overwritten in the ring', view.missing);
    for (const [at, events] of track.losses || []) {
        hatch(before(at), at, '', view.lost);
        const text = `◀ ${count(events)} events lost`;
        if (xOf(at) > LABELS) letters(context, view.colors.bad, text, xOf(at) + 3, y + height - 7);
    }
}

// Draws when a thread had no processor, where that is at least 3 pixels wide: `view.off`, by state.
function drawOff(context, { pack, track, shown, height }, y) {
    const { row = [], start, drawn, state } = shown && offOf(pack, track) || {}, least = 3 / scale();
    const places = view.off.map(() => new Path2D()); // filled at once, and of whole pixels: this is much faster
    const edge = time => Math.round(Math.max(LABELS, Math.min(canvas.clientWidth, xOf(time))));
    for (let i = firstAfter({ drawn }, row, view.from); i < row.length && start[i] < view.to; i++) {
        if (drawn[i] - start[i] < least) continue;
        places[state[i]]?.rect(edge(start[i]), y, edge(drawn[i]) - edge(start[i]), height - 1);
    }
    places.forEach((place, i) => { context.fillStyle = view.off[i]; context.fill(place); });
}

function drawLabel(context, lane, y) {
    paint(context, view.colors.panel, 0, y, LABELS, lane.height);
    context.font = context.font.replace(/^(600 )?/, lane.style === -1 ? '600 ' : '');
    const top = Math.max(y, Math.min(RULER, y + lane.height - 36)); // it stays in view
    const share = busyShare(lane), besides = Number.isNaN(share) && lane.style !== COUNTER ? 20 : 92;
    const name = fit(context, shown(lane.label, 200), LABELS - besides);
    const { accent, ink, faint } = view.colors;
    letters(context, lane.track && lane.track === view.thread ? accent : ink, name, 10, top + 12);
    context.font = context.font.replace(/^600 /, '');
    context.fillStyle = faint;
    const detail = lane.height > 32 && lane.detail;
    if (detail) context.fillText(fit(context, shown(detail, 200), LABELS - 24), 10, top + 27);
    const more = lane.rows && lane.fold !== 'strip' ? lane.rows.length - lane.shown : 0;
    if (more > 0) context.fillText(`▾ ${count(more)} more rows`, 10, y + lane.height - 11);
    context.textAlign = 'right';
    if (!Number.isNaN(share)) {
        context.fillText(`${share.toFixed(0)} % busy`, LABELS - 8, top + 12);
        if (lane.fold !== 'strip') {
            paint(context, view.colors.line, LABELS - 68, top + 21, 60, 3);
            paint(context, accent, LABELS - 68, top + 21, 0.6 * share, 3);
        }
    }
    if (lane.range) {
        [9, 39].forEach((down, i) =>
            context.fillText(fit(context, reading(lane.range[1 - i], lane.track.unit), 75), LABELS - 8, y + down));
    }
    context.textAlign = 'left';
    paint(context, view.colors.line, 0, y + lane.height - 1, canvas.clientWidth, 1);
}

// The ns between two labels of the ruler: 1, 2 or 5 times a power of 10, and enough for a label's width.
function step(width) {
    const least = (view.to - view.from) * 90 / width, power = 10 ** Math.floor(Math.log10(least));
    return Math.max(1, power * [1, 2, 5, 10].find(factor => factor * power >= least));
}

function drawRuler(context, width, height) {
    const by = step(width - LABELS);
    paint(context, view.colors.panel, 0, 0, width, RULER);
    for (let time = Math.ceil(view.from / by) * by; time < view.to; time += by) {
        paint(context, view.colors.line, Math.round(xOf(time)), RULER - 7, 1, height);
        letters(context, view.colors.faint, moment(time, by), xOf(time) + 4, RULER / 2);
    }
    letters(context, view.colors.faint, `${duration(view.to - view.from)} visible`, 10, RULER / 2);
    paint(context, view.colors.line, 0, RULER - 1, width, 1);
}

function drawWindow(context, height, window, color, name) {
    if (!window) return;
    const [from, to] = window;
    const left = Math.max(LABELS, xOf(from)), right = Math.min(canvas.clientWidth, xOf(to));
    if (right < LABELS || left > canvas.clientWidth) return;
    paint(context, color + '22', left, RULER, right - left, height);
    paint(context, color, left, 0, 1, height);
    context.fillRect(right, 0, 1, height);
    const text = name + duration(to - from, 4), width = context.measureText(text).width + 12;
    const x = Math.max(LABELS, Math.min(canvas.clientWidth - width, (left + right - width) / 2));
    context.beginPath();
    context.roundRect(x, 5, width, 20, 10);
    context.fill();
    letters(context, view.colors.back, text, x + 6, 15.5);
}

function draw() {
    const width = canvas.clientWidth, height = lanesBox.clientHeight, scroll = lanesBox.scrollTop;
    if (!width || !height) return;
    const context = prepare(canvas, width, height), { colors } = view;
    paint(context, colors.back, 0, 0, width, height);
    drawRuler(context, width, height);
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height);
    context.clip();
    const seen = model.lanes.filter(lane => lane.top + lane.height > scroll && lane.top < scroll + height - RULER);
    const image = [], wide = [], plot = Math.max(1, Math.floor(width - LABELS));
    for (const lane of seen) {
        const y = lane.top - scroll + RULER;
        if (lane.style === -1) paint(context, colors.panel, LABELS, y, width, lane.height);
        else if (lane.style === COUNTER) drawCounter(context, lane, y);
        else for (let number = 0; number < Math.max(lane.shown, lane.rows.length && 1); number++) {
            const at = rowTop(lane, number), strip = at > -ROW && at < height && new Uint32Array(plot);
            const used = strip && (lane.shown ? scanRow(lane, number, at, strip, wide) : scanBusy(lane, strip));
            if (used) image.push([at, strip]);
        }
    }
    if (image.length) {
        if (strips.width !== plot || strips.height < image.length) [strips.width, strips.height] = [plot, image.length];
        const data = new ImageData(plot, image.length), pixels = new Uint32Array(data.data.buffer);
        image.forEach(([, strip], number) => pixels.set(strip, number * plot));
        const from = strips.getContext('2d', { willReadFrequently: true });
        from.putImageData(data, 0, 0);
        context.imageSmoothingEnabled = false;
        image.forEach(([at], number) => context.drawImage(strips, 0, number, plot, 1, LABELS, at, plot, ROW - 2));
    }
    for (const range of wide) drawRange(context, range);
    for (const lane of seen) {
        const y = lane.top - scroll + RULER;
        if (lane.marksHeight) drawMarks(context, lane, y + 1);
        if (lane.style === PUSH_POP) drawOff(context, lane, y);
        if (lane.style !== -1) drawHoles(context, lane, y);
    }
    const framed = [[view.hoverPack, view.hover, colors.ink], [view.selectedPack, view.selected, colors.accent]];
    for (const [pack, e, color] of framed) {
        const place = pack && placeOf(pack, e);
        if (!place || place.row >= Math.max(1, place.lane.shown)) continue;
        context.strokeStyle = color;
        context.lineWidth = 2;
        const left = Math.max(LABELS - 5, place.x), right = Math.min(place.right, width + 5);
        context.strokeRect(left + 1, place.y + 1, Math.max(3, right - left - 2), ROW - 4);
        if (right - left < 12 && color === colors.accent) { // it is hard to see
            context.beginPath();
            context.arc((left + right) / 2, place.y + ROW / 2 - 1, 11, 0, 7);
            context.stroke();
        }
        context.lineWidth = 1;
    }
    for (const [pack, e, color] of framed) if (pack) drawArrow(context, pack, e, color);
    for (const e of view.launched) drawArrow(context, view.selectedPack, e, colors.accent);
    for (const lane of seen) drawLabel(context, lane, lane.top - scroll + RULER);
    paint(context, colors.line, LABELS - 1, RULER, 1, height);
    context.restore();
    drawWindow(context, height, view.pinned, colors.hit, 'A: ');
    drawWindow(context, height, view.selection, colors.accent, view.pinned ? 'B: ' : '');
    drawMinimap();
    if (!$('ranks').hidden) drawRanks();
    [view.wide, view.lanes] = [wide, seen];
    shownChanged();
}

// The two ends of the arrow for an entry, as points of the canvas. For a process range, the arrow leads from the thread
// that began it to the thread that ended it; for an operation of a GPU, from its launch to its start.
function arrowOf(pack, e) {
    const threads = pack.threads.get(e), start = pack.start[e], place = placeOf(pack, e);
    const point = (lane, time, row) => lane && [xOf(time), rowTop(lane, row) + ROW / 2];
    if (pack.launch[e] >= -Infinity) {
        const range = rangeAt(pack, pack.launcher[e], pack.launch[e]), row = pack.paths.row[pack.path[range]] ?? 0;
        return [point(laneOf(pack, pack.launcher[e]), pack.launch[e], row), point(place?.lane, start, place?.row)];
    }
    if (!threads || threads[0] === threads[1]) return [];
    return threads.map((thread, i) => point(laneOf(pack, thread), start + i * pack.length[e], 0));
}

function drawArrow(context, pack, e, color) {
    const [from, to] = arrowOf(pack, e);
    if (!from || !to) return;
    const [x1, y1, x2, y2] = [...from, ...to];
    const bend = Math.max(12, Math.min(120, (x2 - x1) / 2));
    context.strokeStyle = context.fillStyle = color;
    context.lineWidth = 2;
    context.beginPath();
    context.arc(x1, y1, 3, 0, 7);
    context.fill();
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(x1 + bend, y1, x2 - bend, y2, x2 - 6, y2);
    context.stroke();
    context.beginPath();
    for (const [across, down] of [[0, 0], [-9, -5], [-9, 5]]) context.lineTo(x2 + across, y2 + down);
    context.fill();
    context.lineWidth = 1;
}

// The y at which a row of a lane is drawn, in pixels of the canvas.
const rowTop = (lane, row) => lane.top - lanesBox.scrollTop + RULER + 4 + lane.marksHeight +
    Math.min(row, Math.max(0, lane.shown - 1)) * ROW;

// Where an entry is drawn, in pixels of the canvas; null if its lane is hidden.
function placeOf(pack, e) {
    const track = trackOf(pack, e), lane = model.lanes.find(each => each.pack === pack && each.track === track);
    if (!lane) return null;
    const at = (row, time) => row[firstAfter(pack, row, time)];
    const holds = row => at(row, pack.start[e]) === e || at(row, pack.start[e] - 1) === e;
    const row = pack.kinds.style[kindOf(pack, e)] === MARK ? -1 : lane.rows.findIndex(holds);
    const y = row < 0 ? lane.top - lanesBox.scrollTop + RULER : rowTop(lane, row);
    const x = xOf(pack.start[e]) - (row < 0 ? 6 : 0);
    return { lane, row, x, y, right: row < 0 ? x + 12 : Math.max(x + 2, xOf(pack.drawn[e])) };
}

// Draws the minimap: how busy the threads were. Computes this again only after the width or the lanes have changed.
function drawMinimap() {
    const width = minimap.clientWidth, height = minimap.clientHeight, plot = width - LABELS;
    const context = prepare(minimap, width, height);
    if (view.minimapLanes !== model.lanes || view.minimapWidth !== width) { // layOut() makes a new array
        view.minimapLanes = model.lanes;
        view.minimapWidth = width;
        view.busy = new Float64Array(Math.max(1, Math.ceil(plot)) + 1);
        const k = plot / model.length;
        for (const lane of model.lanes.filter(each => each.style === PUSH_POP || each.style === START_END))
            lane.busy.forEach((e, i, row) => {
                const { start, drawn } = lane.pack, to = (drawn[e] - model.from) * k;
                const from = (beginOf(row, i, start, drawn) - model.from) * k;
                for (let x = Math.max(0, Math.floor(from)); x < to && x < view.busy.length; x++)
                    view.busy[x] += Math.min(to, x + 1) - Math.max(from, x);
            });
    }
    const highest = Math.max(1e-9, ...view.busy), { colors } = view;
    paint(context, colors.panel, 0, 0, width, height);
    context.fillStyle = colors.faint;
    view.busy.forEach((part, x) => {
        const tall = (height - 8) * part / highest;
        if (part) context.fillRect(LABELS + x, height - 4 - tall, 1, tall);
    });
    context.fillText('whole recording', 10, height / 2 - 7);
    context.fillText(duration(model.length, 4), 10, height / 2 + 8);
    const minimapX = time => LABELS + (time - model.from) / model.length * plot;
    const left = minimapX(view.from), right = minimapX(view.to);
    paint(context, colors.back + 'b0', LABELS, 0, left - LABELS, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = colors.accent;
    context.strokeRect(left + 0.5, 0.5, Math.max(2, right - left - 1), height - 1);
}
