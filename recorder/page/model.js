// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the views show of the packs (see reader.js): lanes, what is hidden, and sums over a time. A lane is a strip of
// the timeline: it shows one track, in rows of entries, or the name of a process.
const model = { packs: [], lanes: [], hiddenDomains: new Set(), hiddenTracks: new Set(), collapsed: new Set(),
                folds: new Map(), from: 0, end: 1 }; // folds: trackKey -> 'strip' or 'all' (see layOut)
const MOST_LANE_ROWS = 10;
const trackKey = (pack, track) => pack.letter + track.number;
const trackVisible = (pack, track) => !model.hiddenTracks.has(trackKey(pack, track));

// Sorts entries of a track into rows (arrays of entry numbers, by time): a thread's range goes to the row of its depth,
// a process range to the first row. If this row is not free, the range goes to the next free row: process ranges may
// overlap, and so may a thread's ranges of different domains. With merged entries, a thread's range keeps its row.
// A row of process ranges has one name, if these are few: else a range would seem to be in the one of another task that
// is above it. busy: entries, by time, that together cover the time of all.
function rowsOf(pack, { first, count: n, style, thread }) {
    const rows = [], marks = [], busy = [], ends = [], named = new Map(); // ends: when the last range of each row ends
    const commonOf = e => groupOf(pack, e).common;
    if (style === START_END && !isStream(pack, { thread }))
        for (let e = first; e < first + n && named.size <= MOST_LANE_ROWS; e++) named.set(commonOf(e), []);
    const isNamed = named.size > 0 && named.size <= MOST_LANE_ROWS;
    for (let e = first, until = -Infinity; e < first + n; e++) {
        const kind = kindOf(pack, e), start = pack.start[e], end = start + pack.length[e];
        if (!pack.kinds.visible[kind]) continue;
        if (pack.kinds.style[kind] === MARK) { marks.push(e); continue; }
        const own = isNamed && named.get(commonOf(e)), isFree = row => !(ends[row] > start);
        let row = style === PUSH_POP ? pack.paths.row[pack.path[e]] : 0;
        if (own) row = own.find(isFree) ?? own[own.push(ends.length) - 1];
        else if (style === START_END || !pack.merged) while (!isFree(row)) row++;
        ends[row] = end;
        (rows[row] ??= []).push(e);
        if (end > until) busy.push(e);
        until = Math.max(until, end);
    }
    const inOrder = isNamed ? [...named.values()].flat().map(row => rows[row]) : Array.from(rows, row => row ?? []);
    return { rows: inOrder.map(row => Uint32Array.from(row)), marks: Uint32Array.from(marks), busy };
}

// Sets which kinds are visible, and the row of each path, which is its depth without the hidden ranges.
function markVisible(pack) {
    const { kinds, paths } = pack;
    kinds.visible = new Uint8Array(kinds.count);
    for (let k = 0; k < kinds.count; k++) kinds.visible[k] = !model.hiddenDomains.has(kinds.domain[k]);
    paths.row = new Int32Array(paths.count).fill(-1);
    for (let p = 1; p < paths.count; p++)
        paths.row[p] = paths.row[paths.parent[p]] + (kinds.visible[paths.kind[p]] ? 1 : 0);
}

// Merged entries of a row may overlap: each entry is drawn only up to the beginning of the next entry.
function drawnEnds(pack, rows) {
    for (const row of rows)
        for (let i = 0; i + 1 < row.length; i++)
            if (pack.drawn[row[i]] > pack.start[row[i + 1]]) pack.drawn[row[i]] = pack.start[row[i + 1]];
}

function trackLabel(pack, track) {
    if (track.style === START_END) return isStream(pack, track) ? threadName(pack, track.thread) : 'process ranges';
    if (track.style === PUSH_POP) return threadName(pack, track.thread) + (track.lane ? ' (signal handlers)' : '');
    return (pack.head.texts[track.name - 1] || '(no message)') + (track.unit && ` (${track.unit})`);
}

// The numbers of a pack's processes, in the order of their ranks.
function processOrder({ head }) {
    const rank = number => head.processes[number].rank ?? Infinity;
    return head.processes.map((_, number) => number).sort((a, b) => rank(a) === rank(b) ? a - b : rank(a) - rank(b));
}

// Whether a track shows a GPU's stream or a scope of NVTX. In place of a tid, these have numbers from 1 << 23 on.
const isStream = ({ head }, track) => head.threads[track.thread]?.tid >= 1 << 23;

// The tracks of a process in order: threads (the main thread first), streams of GPUs, process ranges, scopes, counters.
function tracksOf(pack, number) {
    const { threads, processes } = pack.head, isMain = track => threads[track.thread]?.tid === processes[number].pid;
    const natural = new Intl.Collator('en', { numeric: true }), name = track => threadName(pack, track.thread);
    return pack.tracks.filter(track => track.process === number && track.count)
        .sort((a, b) => a.style - b.style || isMain(b) - isMain(a) || isStream(pack, a) - isStream(pack, b) ||
            (a.style === PUSH_POP || isStream(pack, a) ? natural.compare(name(a), name(b)) : 0));
}

const laneOf = (pack, thread) =>
    model.lanes.find(lane => lane.pack === pack && lane.style === PUSH_POP && lane.track.thread === thread);

// When a track's thread had no processor (see reader.js); undefined: not known, or the track is of no thread.
const offOf = (pack, { style, thread }) => style === PUSH_POP ? pack.head.threads[thread]?.off : undefined;

// For how many ns of a time a thread was blocked, preempted, in an unknown state, on a processor.
function statesOf({ row, start, drawn, state, parts }, from, to) {
    const sums = [0, 0, 0, 0];
    for (let i = firstAfter({ drawn }, row, from); i < row.length && start[i] < to; i++) {
        const ns = Math.min(to, drawn[i]) - Math.max(from, start[i]);
        if (ns < drawn[i] - start[i]) sums[state[i]] += ns; else parts[i].forEach((each, k) => { sums[k] += each; });
    }
    return sums;
}

// The number of the innermost visible range that was open on a thread at a time; -1: none.
function rangeAt(pack, thread, time) {
    const at = row => row[firstAfter(pack, row, time)];
    return laneOf(pack, thread)?.rows.map(at).findLast(e => pack.start[e] <= time) ?? -1;
}

// The numbers of the GPU operations that were launched in a thread's range `e`: the first `most` of them.
function operationsOf(pack, e, most) {
    const found = [], { thread } = trackOf(pack, e), from = pack.start[e], to = from + pack.length[e];
    for (let i = 0; i < pack.launch.length && found.length < most; i++)
        if (pack.launcher[i] === thread && pack.launch[i] >= from && pack.launch[i] < to) found.push(i);
    return found;
}

// Gives each operation of a GPU the colour of the range that launched it.
function colorOperations(pack) {
    pack.painted = pack.path.map(path => pack.paths.kind[path]);
    pack.launch.forEach((time, i) => {
        if (Number.isNaN(time)) return; // no operation of a GPU, or its launch is not known
        const range = rangeAt(pack, pack.launcher[i], time);
        if (range >= 0) pack.painted[i] = pack.painted[range];
    });
}

const processKey = (pack, number) => pack.letter + number;

// Hides or shows the lanes of a process, or of all processes.
function collapse(pack, number, all = false) {
    const key = processKey(pack, number), { collapsed } = model, hide = !collapsed.has(key);
    const keys = all ? model.packs.flatMap(each => each.head.processes.map((_, i) => processKey(each, i))) : [key];
    for (const each of keys) if (hide) collapsed.add(each); else collapsed.delete(each);
    relayOut();
}

// Folds or unfolds a lane. A lane with very many rows shows all of them before it is folded.
function fold({ pack, track, rows, fold: now }) {
    const key = trackKey(pack, track), isTall = rows.length > MOST_LANE_ROWS;
    if (now === 'strip') model.folds.delete(key); else model.folds.set(key, isTall && now !== 'all' ? 'all' : 'strip');
    relayOut();
}

// Folds all lanes; if all are folded, unfolds them.
function foldAll() {
    const open = model.lanes.filter(lane => lane.rows && lane.style !== COUNTER && lane.fold !== 'strip');
    if (!open.length) model.folds.clear();
    for (const { pack, track } of open) model.folds.set(trackKey(pack, track), 'strip');
    relayOut();
}

// Makes the lanes. `fold` of a lane: 'strip': it shows only how busy it was; 'all': all of its rows; undefined: at most
// MOST_LANE_ROWS. `shown`: the number of rows that it shows. A process with one thread has no lane of its own.
function layOut() {
    const lanes = [], several = model.packs.length > 1;
    for (const pack of model.packs) {
        markVisible(pack);
        pack.drawn = pack.start.map((start, i) => start + pack.length[i]);
        processOrder(pack).forEach(number => {
            const own = tracksOf(pack, number).filter(track => trackVisible(pack, track));
            const collapsed = model.collapsed.has(processKey(pack, number));
            const letter = several ? `${pack.letter}: ` : '', isLine = own.length === 1 && own[0].style === PUSH_POP;
            const isNamed = own.length && (several || pack.head.processes.length > 1);
            if (isNamed && (collapsed || !isLine)) {
                const label = `${collapsed ? '▸' : '▾'} ${letter}${processName(pack, number)}`;
                lanes.push({ pack, process: number, style: -1, label, detail: pack.head.name, height: 24 });
            }
            for (const track of collapsed ? [] : own) {
                const lane = { pack, track, process: number, style: track.style, ...rowsOf(pack, track) };
                if (!lane.rows.length && !lane.marks.length) continue;
                if (pack.merged) drawnEnds(pack, lane.rows);
                lane.label = trackLabel(pack, track);
                lane.detail = track.style !== PUSH_POP ? pack.head.texts[track.domain - 1]
                    : !isStream(pack, track) && `thread ${pack.head.threads[track.thread]?.tid ?? ''}`;
                if (isNamed && isLine) [lane.label, lane.detail] = [letter + lineName(pack, number), lane.label];
                lane.fold = track.style === COUNTER ? undefined : model.folds.get(trackKey(pack, track));
                const strip = lane.fold === 'strip', most = lane.fold === 'all' ? Infinity : MOST_LANE_ROWS;
                lane.shown = strip ? 0 : Math.min(lane.rows.length, most);
                lane.marksHeight = lane.marks.length && !strip ? 15 : 0;
                lane.height = strip ? 22 : 9 + (track.style === COUNTER ? 44
                    : lane.marksHeight + Math.max(1, lane.shown) * ROW);
                lanes.push(lane);
            }
        });
    }
    model.height = 0;
    for (const lane of lanes) model.height = (lane.top = model.height) + lane.height;
    model.lanes = lanes;
}

// The index in `row` of the first entry that ends after `time`; row.length: none. The entries' ends must ascend. The
// search begins at the index `from`, in growing steps.
function firstAfter(pack, row, time, from = 0) {
    let low = from, step = 1;
    while (low + step < row.length && pack.drawn[row[low + step]] <= time) { low += step; step *= 2; }
    let high = Math.min(row.length, low + step + 1);
    while (low < high) {
        const middle = low + high >> 1;
        if (pack.drawn[row[middle]] <= time) low = middle + 1; else high = middle;
    }
    return low;
}

// The tracks that sums are of, if they are not hidden: those of the thread that was chosen with the selection.
const tracksCounted = pack => pack.tracks.filter(track =>
    !view.only || (view.only.pack === pack && view.only.thread === track.thread));

// Calls f(entry, ns, self ns, track) for every visible entry that lies in the window [begin, end] at least in part;
// without a window, for all visible entries. Of a range and its self time, only the part in the window counts. A merged
// entry counts as a whole if it begins in the window, else not at all.
function eachWithin(pack, window, f, tracks = tracksCounted(pack)) {
    for (const track of tracks) {
        if (!trackVisible(pack, track)) continue;
        if (!window) { // nothing is cut
            for (let i = track.first; i < track.first + track.count; i++)
                if (pack.kinds.visible[kindOf(pack, i)]) f(i, pack.total[i], pack.total[i] - pack.inner[i], track);
            continue;
        }
        const [begin, end] = window, endOf = i => Math.min(pack.start[i] + pack.length[i], end);
        const isWhole = i =>
            pack.count[i] > 1 || (pack.start[i] >= begin && endOf(i) === pack.start[i] + pack.length[i]);
        // open: a range that the window cuts, and the open ranges in it, outermost first. selfs: for how many ns each
        // of these ranges was the innermost one.
        const open = [], selfs = [];
        let now = begin;
        const close = () => {
            const i = open.pop(), self = selfs.pop(), kind = kindOf(pack, i);
            if (pack.kinds.visible[kind] && !isWhole(i)) f(i, endOf(i) - Math.max(pack.start[i], begin), self, track);
        };
        const pass = until => {
            while (open.length && now < until) {
                const to = Math.min(endOf(open.at(-1)), until);
                if (to > now) { selfs[selfs.length - 1] += to - now; now = to; } else close();
            }
            now = until;
        };
        for (let i = track.first; i < track.first + track.count && pack.start[i] < end; i++) {
            const kind = kindOf(pack, i), from = Math.max(pack.start[i], begin), to = endOf(i);
            if (to < from || (to === from && pack.start[i] < begin)) continue;
            const nests = pack.kinds.style[kind] === PUSH_POP, whole = isWhole(i);
            if (nests && (open.length || !whole)) {
                pass(from);
                open.push(i);
                selfs.push(0);
            }
            if (!pack.kinds.visible[kind] || (pack.count[i] > 1 && pack.start[i] < begin)) continue;
            if (whole) f(i, pack.total[i], pack.total[i] - pack.inner[i], track);
            else if (!nests) f(i, to - from, 0, track);
        }
        pass(end);
        while (open.length) close();
    }
}

// Calls f(entry, from, to, track) for each visible range of a thread that lies in the window at least in part. from and
// to are the beginning and the end of this part. The ranges of a track come in the order of their beginnings.
function eachOpen(pack, window, f, tracks = tracksCounted(pack)) {
    const [begin, end] = window || [-Infinity, Infinity];
    for (const track of tracks.filter(each => each.style === PUSH_POP && trackVisible(pack, each))) {
        for (let i = track.first; i < track.first + track.count && pack.start[i] < end; i++) {
            const kind = kindOf(pack, i);
            if (pack.kinds.style[kind] !== PUSH_POP || !pack.kinds.visible[kind]) continue;
            const from = Math.max(pack.start[i], begin), to = Math.min(pack.start[i] + pack.length[i], end);
            if (to > from) f(i, from, to, track);
        }
    }
}

// Returns how many ns of an interval are after until[key], the latest end so far, and updates until[key]. The intervals
// of a key must come in the order of their beginnings.
function after(until, key, from, to) {
    const more = Math.max(0, to - Math.max(from, until[key]));
    until[key] = Math.max(until[key], to);
    return more;
}

// Adds to `inclusive` of each row of the table the time in which ranges of the row were open. If several of them were
// open in a thread, the time counts once.
function addInclusive(pack, window, rows, of) {
    const until = new Float64Array(rows.length), tracks = new Int32Array(rows.length).fill(-1);
    eachOpen(pack, window, (i, from, to, track) => {
        const group = of[kindOf(pack, i)];
        if (tracks[group] !== track.number) [tracks[group], until[group]] = [track.number, -Infinity];
        rows[group].inclusive += after(until, group, from, to);
    });
}

// The rows of the table, as in `nvtxh stats`; of: kinds.group or kinds.row. `inclusive` is the time in which ranges of
// the row were open, added up over threads. `share`: `inclusive` in percent of all threads' busy time.
function summarize(pack, window, of = pack.kinds.group) {
    const rows = pack.groups.map(group => ({ pack, group, style: group.style, name: group.name, rgb: group.rgb,
                                             label: group.label, count: 0, total: 0, inclusive: 0, self: 0,
                                             values: null }));
    const number = i => of[kindOf(pack, i)], taken = rows.map(() => 0);
    const entries = new Float64Array(pack.groups.length);
    const again = pack.merged && (of.again ??= pack.paths.kind.map((_, path) => isAgain(pack, of, path)));
    eachWithin(pack, window, i => entries[number(i)]++);
    eachWithin(pack, window, (i, ns, self, track) => {
        const row = rows[number(i)], n = pack.count[i], at = taken[number(i)]++;
        row.count += n;
        row.unit ??= track.unit;
        if (row.style !== MARK) (row.values ??= new Float64Array(entries[row.group.number]))[at] = ns / n;
        if (row.style === COUNTER) {
            row.last = row.values[at] = pack.value[i];
            row.total += pack.merged ? pack.total[i] : pack.value[i];
        } else if (row.style !== MARK) {
            row.total += ns;
            row.self += self;
            if (pack.merged ? !again[pack.path[i]] : row.style !== PUSH_POP) row.inclusive += ns;
        }
        if (pack.merged) {
            const known = n > 1 || row.style === COUNTER;
            const least = known ? pack.least[i] : ns, most = known ? pack.most[i] : ns;
            row.min = Math.min(row.min ?? least, least);
            row.max = Math.max(row.max ?? most, most);
        }
    });
    if (!pack.merged) addInclusive(pack, window, rows, of);
    const isExact = !window && !model.hiddenTracks.size && pack.head.exact.length > 0;
    const all = rows.filter(row => row.count).map(row => finishRow(row, isExact));
    all.merged = pack.merged && (!isExact || all.some(row => row.group.members));
    const allBusy = isExact && !model.hiddenDomains.size ? pack.head.busy
        : busyOf({ pack, window }).ns.reduce((sum, each) => sum + each, 0);
    for (const row of all) {
        row.share = row.style === PUSH_POP ? allBusy && 100 * row.inclusive / allBusy : NaN;
        if (row.style >= MARK) row.inclusive = NaN;
        if (row.style !== PUSH_POP) row.self = NaN;
    }
    return all;
}

function quantile(sorted, q) {
    const place = q * (sorted.length - 1), below = Math.floor(place), part = place - below;
    return part > 0 ? sorted[below] + part * (sorted[below + 1] - sorted[below]) : sorted[below];
}

const EXACT = ['count', 'total', 'self', 'min', 'max', 'med', 'p90', 'p99', 'stddev', 'inclusive']; // in head.exact

function finishRow(row, isExact) {
    const { values } = row;
    row.avg = row.style === MARK ? NaN : row.total / row.count;
    if (row.style === MARK) row.total = row.med = row.p90 = row.p99 = row.min = row.max = row.stddev = NaN;
    if (!values) return row;
    let squares = 0;
    for (const value of values) squares += (value - row.avg) ** 2;
    row.stddev = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0;
    values.sort();
    row.min ??= values[0];
    row.max ??= values[values.length - 1];
    [row.med, row.p90, row.p99] = [0.5, 0.9, 0.99].map(q => quantile(values, q));
    const exact = isExact && row.group.exact;
    if (exact) EXACT.forEach((key, k) => { row[key] = exact[3 + k]; });
    if (exact) row.avg = row.total / row.count;
    if (row.style === COUNTER) row.total = NaN;
    row.values = null;
    return row;
}
