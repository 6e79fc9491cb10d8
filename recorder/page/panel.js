// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel of a range shows its instances, which are all ranges of its domain and message: a histogram of durations,
// the durations over time, and the longest. All this is computed once for each range and selection, not for each frame.
const LISTED = 20; // how many of the longest instances are listed
const BARS = 48;   // bars of the histogram
const EDGE = 14;   // pixels below a chart, for its axis
const panel = { of: [], data: null };

// Ranges that were merged count with their mean duration. Of their durations, only the longest is used: pack.most.
const meanOf = (pack, i) => pack.total[i] / pack.count[i];

// The longest duration of an entry, or the highest value if it is of a counter.
const isCounter = (pack, i) => pack.kinds.style[kindOf(pack, i)] === COUNTER;
const mostOf = (pack, i) => isCounter(pack, i) && !pack.merged ? pack.value[i] : pack.most[i];

// The instances of a group that lie in the selection at least in part. Durations are those of whole instances.
function instancesOf(pack, group) {
    const entries = new Uint32Array(pack.n), bars = new Float64Array(BARS);
    const data = { pack, group, bars, count: 0, total: 0, low: Infinity, high: 1, merged: false };
    let n = 0;
    eachWithin(pack, view.selection, i => {
        if (pack.kinds.group[kindOf(pack, i)] !== group.number) return;
        entries[n++] = i;
        const ns = Math.max(1, meanOf(pack, i));
        data.count += pack.count[i];
        data.total += pack.total[i];
        data.low = Math.min(data.low, ns);
        data.high = Math.max(data.high, ns);
        data.merged ||= pack.count[i] > 1;
    });
    data.entries = entries.slice(0, n);
    data.longest = longestOf(pack, data.entries);
    for (const i of data.entries) data.bars[barOf(data, meanOf(pack, i))] += pack.count[i];
    return data;
}

// Where a duration lies between the shortest and the longest instance, from 0 to 1, on a logarithmic axis.
const partOf = ({ low, high }, ns) => high > low ? Math.log(Math.max(1, ns) / low) / Math.log(high / low) : 0.5;
const nsOf = ({ low, high }, part) => low * (high / low) ** part;
const barOf = (data, ns) => Math.max(0, Math.min(BARS - 1, Math.floor(partOf(data, ns) * BARS)));

function longestOf(pack, entries) {
    const best = [], longer = (a, b) => pack.most[b] - pack.most[a] || pack.start[a] - pack.start[b];
    for (const i of entries) {
        if (best.length === LISTED && longer(i, best[LISTED - 1]) >= 0) continue;
        best.push(i);
        best.sort(longer).splice(LISTED);
    }
    return best;
}

function chartContext(element) {
    const width = element.clientWidth, height = element.clientHeight, context = prepare(element, width, height);
    paint(context, view.colors.back, 0, 0, width, height);
    paint(context, view.colors.line, 0, height - EDGE, width, 1);
    context.font = context.font.replace(/^[\d.]+px/, '10.5px');
    return [context, width, height - EDGE];
}

// Writes three texts below a chart: at its left, its middle and its right end.
function axis(context, width, height, texts) {
    texts.forEach((text, i) => {
        context.textAlign = ['left', 'center', 'right'][i];
        letters(context, view.colors.faint, text, 2 + (width - 4) * i / 2, height + EDGE / 2 + 1);
    });
    context.textAlign = 'left';
}

// The limits [from, to] that the search sets for durations, in ns, if the search finds the panel's range.
const searchedBetween = ({ pack, group }) => view.matched?.get(pack)[group.number] && search.between;

function drawHistogram(element, data, selected, between = searchedBetween(data)) {
    const [context, width, height] = chartContext(element), most = Math.max(...data.bars), { colors } = view;
    if (between) {
        const [from, to] = between.map(ns => Math.max(0, Math.min(1, partOf(data, ns))) * width);
        paint(context, colors.accent + '33', from, 0, Math.max(1, to - from), height);
    }
    data.bars.forEach((n, bar) => {
        const tall = n && Math.max(2, (height - 4) * n / most);
        paint(context, css(data.group.rgb), bar * width / BARS, height - tall, width / BARS - 1, tall);
    });
    paint(context, colors.ink, Math.min(width - 2, partOf(data, meanOf(data.pack, selected)) * width), 0, 2, height);
    axis(context, width, height, [0, 0.5, 1].map(part => duration(nsOf(data, part))));
}

const timesShown = () => view.selection || [model.from, model.end];

// Draws a dot for each instance. Its x is the start, its y the duration. Dots at the same place are drawn once.
function drawTimes(element, data, selected) {
    const [context, width, height] = chartContext(element), { pack } = data, [from, to] = timesShown();
    const taken = new Uint8Array(width * height);
    const x = i => Math.max(0, Math.min(width - 1, Math.floor((pack.start[i] - from) / (to - from) * width)));
    const y = i => Math.round((height - 4) * (1 - partOf(data, meanOf(pack, i)))) + 1;
    context.fillStyle = css(data.group.rgb);
    for (const i of data.entries) {
        const place = y(i) * width + x(i);
        if (!taken[place]) context.fillRect(x(i), y(i), 2, 2);
        taken[place] = 1;
    }
    paint(context, view.colors.ink, x(selected) - 2, y(selected) - 2, 6, 6);
    axis(context, width, height, [moment(from, to - from), '', moment(to, to - from)]);
}

// A drag over the histogram searches for durations between the ends of the drag; a click, for the durations of a bar.
function histogramDrag(event, data) {
    if (event.button) return;
    const element = event.target, at = more => Math.max(0, Math.min(1, more.offsetX / element.clientWidth));
    const begin = at(event);
    const ends = more => {
        const [from, to] = [begin, at(more)].sort((a, b) => a - b), bar = Math.min(BARS - 1, Math.floor(from * BARS));
        const parts = (to - from) * element.clientWidth > 4 ? [from, to] : [bar / BARS, (bar + 1) / BARS];
        return [parts[0] > 0 ? nsOf(data, parts[0]) : 0, parts[1] < 1 ? nsOf(data, parts[1]) : Infinity];
    };
    element.setPointerCapture(event.pointerId);
    element.onpointermove = more => drawHistogram(element, data, view.selected, ends(more));
    element.onpointerup = more => {
        element.onpointermove = null;
        searchExactly(data.group.name, ends(more));
    };
}

// A click on the chart of durations over time selects the instance whose dot is nearest.
function timesClick(event, data) {
    const { pack } = data, [from, to] = timesShown(), width = event.target.clientWidth;
    const height = event.target.clientHeight - EDGE;
    const right = i => (pack.start[i] - from) / (to - from) * width - event.offsetX;
    const up = i => (height - 4) * (1 - partOf(data, meanOf(pack, i))) + 2 - event.offsetY;
    const far = i => Math.hypot(right(i), up(i));
    select(pack, data.entries.reduce((best, i) => far(i) < far(best) ? i : best), true);
}

function panelData(pack, group) {
    const of = [pack, group, view.selection, model.lanes]; // layOut() makes a new array of lanes
    if (of.some((each, i) => each !== panel.of[i])) [panel.of, panel.data] = [of, instancesOf(pack, group)];
    return panel.data;
}

const panelObserver = new ResizeObserver(all => { for (const { target } of all) target.draw(); });

// Returns the panel of an entry; null if the entry is not a range, or if no range of its group is in the selection.
function panelOf(pack, e) {
    const data = pack.kinds.style[kindOf(pack, e)] < MARK && panelData(pack, groupOf(pack, e));
    if (!data?.count) return null;
    const mine = meanOf(pack, e), where = view.selection ? ' in the selection' : '';
    const shorter = data.entries.reduce((sum, i) => sum + (meanOf(pack, i) < mine ? pack.count[i] : 0), 0);
    const text = `${count(data.count)} instance${data.count === 1 ? '' : 's'}${where}, ${duration(data.total)} in all` +
        (data.count > 1 ? `; this one is longer than ${count(100 * shorter / data.count)} %` : '') +
        (data.merged ? '. Merged ranges count with their mean' : '');
    const chart = (label, draw, title, ons) => {
        const element = make('canvas', '', { role: 'img', 'aria-label': label, title, ...ons });
        element.draw = () => draw(element, data, e);
        return element;
    };
    const charts = [
        chart(`Histogram of durations: ${text}`, drawHistogram, 'Instances by duration. Drag: search for those',
              { onpointerdown: event => histogramDrag(event, data) }),
        chart('Durations over time', drawTimes, 'Durations over time. Click: go to that instance',
              { onclick: event => timesClick(event, data) })];
    const longest = data.longest.map((i, place) => {
        const text = `${duration(pack.most[i], 4)} at ${moment(pack.start[i], Math.max(1, pack.length[i] / 10))}`;
        const go = () => { select(pack, i, true); document.querySelectorAll('.panel li button')[place].focus(); };
        return make('li', make('button', text, { onclick: go, ...(i === e ? { 'aria-current': 'true' } : {}) }));
    });
    panelObserver.disconnect();
    for (const element of charts) panelObserver.observe(element);
    const list = make('div', [make('h3', 'Longest'), make('ol', longest)]);
    return make('div', [make('p', text), ...charts, list], { class: 'panel' });
}
