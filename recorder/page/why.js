// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why an instance of a range took so long, as `nvtxh stats --slowest` explains the longest one: see
// recorder/analysis/explain.h. All this is computed once for each instance that is selected.
const REASONS = 6, NAMES = 3; // how many ranges, groups of threads and counters are shown; how many ranges of a group
const why = { of: [], data: null };

const windowOf = (pack, i) => [pack.start[i], pack.start[i] + pack.length[i]];
const threadOf = (pack, i) => pack.threads.get(i)?.[0] ?? trackOf(pack, i).thread;

// The instance whose duration is closest to the median of e's group; -1: there is none but e.
function usualOf(pack, e) {
    const group = groupOf(pack, e), own = threadOf(pack, e), all = [];
    eachWithin(pack, null, i => { if (pack.kinds.group[kindOf(pack, i)] === group.number) all.push(i); }, pack.tracks);
    const median = group.exact?.[8] ?? quantile(Float64Array.from(all, i => meanOf(pack, i)).sort(), 0.5);
    const away = i => Math.abs(meanOf(pack, i) - median), thread = i => pack.head.threads[threadOf(pack, i)];
    const isSame = i => String([windowOf(pack, i), threadOf(pack, i)]) === String([windowOf(pack, e), own]);
    const order = (a, b) => pack.start[a] - pack.start[b] || thread(a).process - thread(b).process ||
        thread(a).tid - thread(b).tid || pack.length[a] - pack.length[b];
    let best = -1, least = Infinity;
    for (const i of all) {
        const ns = away(i);
        if (ns > least || (ns === least && order(i, best) > 0) || isSame(i)) continue;
        [best, least] = [i, ns];
    }
    return best;
}

// Adds ns to the row of a group of ranges; e: the longest entry of the row. Returns the row.
function addTo(rows, number, ns, key, e) {
    if (!rows.has(number)) rows.set(number, { number, then: 0, usual: 0, longest: -1, e: -1 });
    const row = rows.get(number);
    row[key] += ns;
    if (e >= 0 && ns > row.longest) [row.longest, row.e] = [ns, e];
    return row;
}

// Calls f(entry, self ns, track) for each push/pop range of these threads that is open in a window at least in part.
function eachSelf(pack, window, f, isWanted = () => true) {
    eachWithin(pack, window, (i, ns, self, track) => {
        if (pack.kinds.style[kindOf(pack, i)] === PUSH_POP) f(i, self, track);
    }, pack.tracks.filter(({ style, thread }) => style === PUSH_POP && isWanted(thread)));
}

// The name that threads share if their names differ only in numbers; see name_shared in recorder/analysis/name.c.
function sharedName({ head }, number) {
    const thread = head.threads[number], { pid, name } = head.processes[thread.process];
    return (thread.name || (thread.tid === pid ? base(name) : '')).replace(/\*?\d+/g, '*');
}

// The values of counters: `then`, the average of the samples in the window, or the last one before; `usual`, of all.
function countersOf(pack, [from, to]) {
    const rows = new Map(), [sums, counts] = pack.merged ? [pack.total, pack.count] : [pack.value, null];
    eachWithin(pack, null, (i, ns, self, track) => {
        const row = addTo(rows, pack.kinds.group[kindOf(pack, i)], 0, 'then', -1), n = counts?.[i] ?? 1;
        row.all = (row.all || 0) + n;
        row.usual += sums[i];
        row.unit = track.unit;
        if (pack.start[i] >= from && pack.start[i] < to) {
            row.then += sums[i];
            row.inside = (row.inside || 0) + n;
        } else if (pack.start[i] < from && pack.start[i] >= (row.last ?? -Infinity)) {
            [row.last, row.before] = [pack.start[i], pack.value[i]];
        }
    }, pack.tracks.filter(track => track.style === COUNTER));
    return [...rows.values()].map(row =>
        ({ ...row, then: row.inside ? row.then / row.inside : row.before ?? NaN, usual: row.usual / row.all }));
}

function reasonsOf(pack, e) {
    const window = windowOf(pack, e), style = pack.kinds.style[kindOf(pack, e)], usual = usualOf(pack, e);
    const inside = new Map(), groups = new Map(), around = [], own = style === PUSH_POP ? threadOf(pack, e) : -1;
    eachSelf(pack, window, (i, self, track) => {
        if (track.thread === own) {
            const [from, to] = windowOf(pack, i);
            addTo(inside, pack.kinds.group[kindOf(pack, i)], self, 'then', i);
            const isBefore = from < window[0] || (from === window[0] && i < e);
            if (isBefore && to >= window[1] && pack.count[i] === 1) around.push(i);
            return;
        }
        const name = sharedName(pack, track.thread), key = `${pack.head.processes[track.process].name}\0${name}`;
        if (!groups.has(key)) groups.set(key, { name, threads: new Set(), busy: 0, ranges: new Map() });
        const group = groups.get(key);
        group.threads.add(track.thread);
        group.busy += self;
        addTo(group.ranges, pack.kinds.group[kindOf(pack, i)], self, 'then', i);
    });
    if (usual >= 0 && own >= 0) {
        const thread = threadOf(pack, usual), add = (i, self) =>
            addTo(inside, pack.kinds.group[kindOf(pack, i)], self / pack.count[usual], 'usual', -1);
        eachSelf(pack, windowOf(pack, usual), add, each => each === thread);
    }
    const timed = rows => [...rows.values()].filter(row => row.then + row.usual > 0);
    const change = row => Math.abs(row.then - row.usual), byChange = (a, b) => change(b) - change(a);
    const meanwhile = [...groups.values()].map(group => ({ ...group, ranges: timed(group.ranges).sort(byChange) }));
    return { pack, e, usual, around: around.sort((a, b) => pack.start[a] - pack.start[b] || a - b),
             inside: timed(inside).sort(byChange), meanwhile: meanwhile.sort((a, b) => b.busy - a.busy),
             counters: countersOf(pack, window) };
}

// The cells of rows: [name, text] or [name, text, then, usual], with bars of one or both figures in percent of `most`.
function barRows(rows, most) {
    const bar = (part, name) => {
        const element = make('i', '', { class: name });
        element.style.width = `${Math.min(100, 100 * part / most)}%`;
        return element;
    };
    return rows.flatMap(([name, text, then, usual]) => {
        if (then === undefined) return [name, make('p', text)];
        const both = [bar(then, 'then'), usual === undefined ? null : bar(usual, 'usual')];
        return [name, make('span', both, { class: 'bars' }), make('span', text)];
    });
}

const goLink = (text, pack, e, attributes = {}) => make('button', text, {
    ...attributes, class: 'link', onclick: () => select(pack, e, true) });

// What a reason is about: its range, as a link to the longest one, or its counter.
function reasonName({ pack }, { number, e }) {
    const { label, name } = pack.groups[number], text = shown(label, 300), attributes = { title: shown(name, 600) };
    return e < 0 ? make('span', text, attributes) : goLink(text, pack, e, attributes);
}

function reasonRows(data) {
    const { pack, e, usual, inside, meanwhile, counters } = data, length = pack.length[e], rows = [];
    const most = Math.max(length, usual < 0 ? 0 : meanOf(pack, usual));
    const part = (heading, found, f) => found.length && rows.push(make('h3', heading),
        ...barRows(found.slice(0, REASONS).map(f), most));
    part(['Inside', make('small', usual < 0 ? '' : ': self time; below it that of the usual one')],
        inside.filter(row => Math.max(row.then, row.usual) >= 0.01 * most), row => {
            const usually = usual < 0 ? '' : `, usually ${duration(row.usual)}`;
            const isOwn = row.number === groupOf(pack, e).number && row.then === length - pack.inner[e]; // no recursion
            const name = isOwn ? make('span', 'itself') : reasonName(data, row);
            return [name, duration(row.then) + usually, row.then, usual < 0 ? undefined : row.usual];
        });
    part(['Meanwhile', make('small', ' on other threads')],
        meanwhile.filter(({ busy, threads }) => busy >= 0.01 * length * threads.size), ({ name, threads, ranges }) => {
            const all = length * threads.size, large = ranges.filter(row => row.then >= 0.01 * all).slice(0, NAMES);
            const label = threads.size > 1 ? [name, `${threads.size} threads`].filter(Boolean).join(', ')
                : threadName(pack, [...threads][0]);
            return [make('span', shown(label, 300), { title: shown(label) }), large.map((row, i) =>
                [i ? ', ' : '', reasonName(data, row), ` ${(100 * row.then / all).toFixed(0)} %`])];
        });
    part('Counters', counters.filter(row => row.then < row.usual || row.then > row.usual), row =>
        [reasonName(data, row), `${reading(row.then, row.unit)}, usually ${reading(row.usual, row.unit)}`]);
    return rows;
}

// Returns the explanation of an entry; null if the entry is not one range that took time.
function whyOf(pack, e) {
    if (pack.kinds.style[kindOf(pack, e)] >= MARK || !pack.length[e] || pack.count[e] > 1) return null;
    const data = cached(why, [pack, e, model.lanes], () => reasonsOf(pack, e)); // layOut() makes a new array of lanes
    const { usual, around } = data, payload = i => shown(payloadOf(pack, i) ?? '', 60);
    const link = i => goLink(shown(groupOf(pack, i).label, 100) + (payload(i) && ` (${payload(i)})`), pack, i);
    const far = Math.max(0, around.length - REASONS);
    const links = around.slice(far).map((i, at) => [at ? ' › ' : '', link(i)]);
    const parts = around.length ? [make('p', [far ? 'in … › ' : 'in ', links], { class: 'path' })] : [];
    if (usual >= 0) {
        const pinBoth = () => { view.pinned = windowOf(pack, usual); setSelection(windowOf(pack, e)); };
        const both = make('button', 'Compare both', { title: 'This one as B, the usual one as A', onclick: pinBoth });
        parts.push(make('p', [`This one took ${duration(pack.length[e])}, `,
                              goLink(`a usual one ${duration(meanOf(pack, usual))}`, pack, usual), ' ',
                              model.packs.length < 2 && pack.length[usual] ? both : null]));
    }
    return make('div', [...parts, ...reasonRows(data)], { class: 'why' });
}

// Returns the busy times of a thread and of those that are like it.
function whyIdle(track) {
    const { thread, number } = track, pack = model.packs.find(each => each.tracks.includes(track));
    const side = busy.sides.findLast(each => each.pack === pack), name = sharedName(pack, thread);
    const alike = pack.tracks.filter(each => each.style === PUSH_POP && !each.lane && each.count &&
        sharedName(pack, each.thread) === name).sort((a, b) => side.ns[a.number] - side.ns[b.number]);
    const rows = alike.map(each => [
        make(each.number === number ? 'b' : 'span', shown(threadName(pack, each.thread), 100)),
        `${duration(side.ns[each.number])} busy`, side.ns[each.number]]);
    const cells = barRows(rows.slice(0, MOST_ROWS), rows.at(-1)[2] || 1);
    return make('div', [make('h3', 'Threads like it'), ...cells], { class: 'why' });
}
