// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The panel of a range shows its instances, which are all ranges of its domain and message: a histogram of durations,
// the durations over time, and a table. The panel of a counter has only the table, of its samples. All this is computed
// once for each range and selection, not for each frame.
const LISTED = 200; // how many rows the table has; twice as many whenever its last row is in view
const BARS = 48;   // bars of the histogram
const EDGE = 14;   // pixels below a chart, for its axis
const panel = { of: [], data: null, table: { of: [] }, key: 'size', down: true, listed: LISTED, scroll: 0 };

// Ranges that were merged count with their mean duration. Of their durations, only the longest is used: pack.most.
const meanOf = (pack, i) => pack.total[i] / pack.count[i];

const isCounter = (pack, i) => pack.kinds.style[kindOf(pack, i)] === COUNTER;

// The longest duration of an entry, or the highest value if it is of a counter.
const mostOf = (pack, i) => isCounter(pack, i) && !pack.merged ? pack.value[i] : pack.most[i];

// The instances of a group that lie in the selection at least in part. Durations are those of whole instances.
function instancesOf(pack, group) {
    const entries = new Uint32Array(pack.n), bars = new Float64Array(BARS);
    const data = { pack, group, bars, count: 0, total: 0, low: Infinity, high: 1, merged: false };
    let n = 0;
    eachWithin(pack, view.selection, i => {
        if (rowOf(pack, i) !== group) return;
        entries[n++] = i;
        const ns = Math.max(1, meanOf(pack, i));
        data.count += pack.count[i];
        data.total += pack.total[i];
        data.low = Math.min(data.low, ns);
        data.high = Math.max(data.high, ns);
        data.merged ||= pack.count[i] > 1;
    });
    data.entries = entries.slice(0, n);
    for (const i of data.entries) data.bars[barOf(data, meanOf(pack, i))] += pack.count[i];
    return data;
}

// Where a duration lies between the shortest and the longest instance, from 0 to 1, on a logarithmic axis.
const partOf = ({ low, high }, ns) => high > low ? Math.log(Math.max(1, ns) / low) / Math.log(high / low) : 0.5;
const nsOf = ({ low, high }, part) => low * (high / low) ** part;
const barOf = (data, ns) => Math.max(0, Math.min(BARS - 1, Math.floor(partOf(data, ns) * BARS)));

// The first n of entries, sorted by a figure; equal ones keep their order. All that is sorted of the others is numbers.
function firstOf(entries, figure, down, n) {
    const sign = down ? -1 : 1, keys = Float64Array.from(entries, i => sign * figure(i));
    const last = keys.slice().sort()[n - 1]; // undefined: there are fewer
    const at = [];
    keys.forEach((key, k) => { if (!(key >= last)) at.push(k); });
    at.sort((a, b) => keys[a] - keys[b] || a - b);
    for (let k = 0; k < keys.length && at.length < n; k++) if (keys[k] === last) at.push(k);
    return at.map(k => entries[k]);
}

// A figure that sorts entries as their texts sort. Numbers in texts sort as numbers; no text comes last.
function figureOf(entries, text, down) {
    const { compare } = new Intl.Collator('en', { numeric: true });
    const places = new Map([...new Set(Array.from(entries, text))].sort(compare).map((each, place) => [each, place]));
    return i => text(i) ? places.get(text(i)) : down ? -1 : Infinity;
}

// The columns of the table of instances: key, title, text, figure to sort by; if there is none, the texts are sorted.
// Columns without texts are left out.
function instanceColumns({ pack, group, entries }) {
    const isRange = group.style < MARK, { unit } = trackOf(pack, entries[0]);
    const none = panel.down ? -Infinity : Infinity;
    const parent = i => pack.paths.parent[pack.path[i]];
    const labelOf = path => pack.groups[pack.kinds.group[pack.paths.kind[path]]].label;
    const hasFields = entries.some(i => (pack.flags[i] >> 1 & 7) === PAYLOAD_TEXT);
    const number = text => Number.isNaN(Number(text ?? NaN)) ? none : Number(text);
    const columns = [
        ['size', isRange ? 'Duration' : 'Value',
         i => isRange ? duration(pack.most[i], 4) : reading(mostOf(pack, i), unit), i => mostOf(pack, i)],
        ['name', 'Name', i => group.members ? messageOf(pack, i) : ''],
        ['start', 'Start', i => moment(pack.start[i], Math.max(1, pack.length[i] / 10)), i => pack.start[i]],
        ['thread', 'Thread', i => isRange ? shown(threadName(pack, threadOf(pack, i)), 60) : ''],
        ['payload', 'Payload', i => shown(payloadOf(pack, i) ?? '', 60),
         hasFields ? null : i => number(payloadOf(pack, i))],
        ['parent', 'Parent', i => parent(i) ? shown(labelOf(parent(i)), 60) : ''],
    ];
    return columns.filter(([key, , text]) => key === 'size' || entries.some(i => text(i)));
}

// The rows of the table: without those that the search leaves out, if it finds the panel's range.
function instanceRows(data) {
    const { pack, group } = data, columns = instanceColumns(data);
    const entries = view.matched?.get(pack)[group.number] ? data.entries.filter(i => isHit(pack, i)) : data.entries;
    const [key, , text, figure] = columns.find(([key]) => key === panel.key) || columns[0];
    const by = figure || figureOf(entries, text, panel.down);
    return { columns, key, entries, rows: firstOf(entries, by, panel.down, panel.listed) };
}

function fillInstances(into, data, e) {
    const { pack } = data, values = [data, panel.key, panel.down, panel.listed, view.matched];
    const { columns, key, entries, rows } = cached(panel.table, values, () => instanceRows(data));
    const refill = selector => { fillInstances(into, data, e); into.querySelector(selector)?.focus(); };
    const sortBy = name => () => {
        const down = name === key ? !panel.down : name === 'size';
        Object.assign(panel, { key: name, down, listed: LISTED, scroll: 0 });
        refill(`[data-key="${name}"]`);
        into.scrollTop = 0;
    };
    const [arrow, sort] = panel.down ? [' ↓', 'descending'] : [' ↑', 'ascending'];
    const head = columns.map(([name, title]) => make('th', make('button', title + (name === key ? arrow : ''), {
        onclick: sortBy(name), 'data-key': name }), { class: name, ...(name === key ? { 'aria-sort': sort } : {}) }));
    const go = i => () => { select(pack, i, true); document.querySelector(`.panel [data-entry="${i}"]`)?.focus(); };
    const button = i => make('button', columns[0][2](i), { onclick: go(i), 'data-entry': i });
    const cells = i => columns.map(([name, , text], k) => make('td', k ? text(i) : button(i), { class: name }));
    const row = i => make('tr', cells(i), i === e ? { 'aria-current': 'true' } : {});
    const isAll = entries.length === data.entries.length;
    const some = isAll ? '' : make('caption', `${count(entries.length)} that the search finds`);
    into.replaceChildren(make('table', [some, make('thead', make('tr', head)), make('tbody', rows.map(row))]));
    into.onscroll = () => {
        panel.scroll = into.scrollTop;
        if (into.scrollTop + into.clientHeight * 2 < into.scrollHeight || panel.listed >= entries.length) return;
        panel.listed *= 2;
        refill('none');
    };
    into.draw = () => { into.scrollTop = panel.scroll; }; // an element that was taken from the page loses its place
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
    return cached(panel, [pack, group, view.selection, model.lanes], () => { // layOut() makes a new array of lanes
        Object.assign(panel, { listed: LISTED, scroll: 0 });
        return instancesOf(pack, group);
    });
}

const panelObserver = new ResizeObserver(all => { for (const { target } of all) target.draw(); });

// Returns the panel of an entry; null if the entry is a mark, or if no entry of its group is in the selection.
function panelOf(pack, e) {
    const group = rowOf(pack, e), isRange = group.style < MARK, data = group.style !== MARK && panelData(pack, group);
    if (!data?.count) return null;
    const mine = meanOf(pack, e), where = view.selection ? ' in the selection' : '';
    const shorter = data.entries.reduce((sum, i) => sum + (meanOf(pack, i) < mine ? pack.count[i] : 0), 0);
    const share = Math.min(99.9, 100 * shorter / data.count); // of many instances, the longest is not longer than all
    const text = `${count(data.count)} ${isRange ? 'instance' : 'sample'}${data.count === 1 ? '' : 's'}${where}` +
        (isRange ? `, ${duration(data.total)} in all` : '') +
        (isRange && data.count > 1 ? `; this one is longer than ${count(share)} %` : '') +
        (data.merged ? '. Merged ranges count with their mean' : '');
    const chart = (label, draw, title, ons) => {
        const element = make('canvas', '', { role: 'img', 'aria-label': label, title, ...ons });
        element.draw = () => draw(element, data, e);
        return element;
    };
    const charts = isRange ? [
        chart(`Histogram of durations: ${text}`, drawHistogram, 'Instances by duration. Drag: search for those',
              { onpointerdown: event => histogramDrag(event, data) }),
        chart('Durations over time', drawTimes, 'Durations over time. Click: go to that instance',
              { onclick: event => timesClick(event, data) })] : [];
    const list = make('div', '', { class: 'instances', tabindex: 0 });
    fillInstances(list, data, e);
    panelObserver.disconnect();
    for (const element of [...charts, list]) panelObserver.observe(element);
    return make('div', [make('p', text), ...charts, list], { class: isRange ? 'panel' : 'panel values' });
}
