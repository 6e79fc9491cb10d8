// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table: the rows of `nvtxh stats`, of the whole recording or of the selection. In a comparison: what changed.
const MOST_ROWS = 500, LEAST_CHANGE = 1; // LEAST_CHANGE: in %; smaller changes have no colour
const sorting = { key: 'inclusive', down: true };

const COLUMNS = [
    ['inclusive', 'Total'], ['share', 'Share %'], ['self', 'Self'], ['count', 'Count'], ['avg', 'Avg'],
    ['max', 'Max'], ['p99', 'P99'], ['med', 'Median'], ['p90', 'P90'], ['min', 'Min'], ['stddev', 'StdDev'],
    ['style', 'Style'],
];
const DIFF_COLUMNS = [
    ['change', 'Change'], ['percent', 'Change %'], ['totalA', 'Total A'], ['totalB', 'Total B'],
    ['shareA', 'Share A %'], ['shareB', 'Share B %'], ['medA', 'Median A'], ['medB', 'Median B'],
    ['countA', 'Count A'], ['countB', 'Count B'], ['style', 'Style'],
];

// The text of a change with its sign; without a sign if the change is too small for the digits that are shown.
const signed = (value, text) => !/[1-9]/.test(text) ? text.replace('-', '') : value > 0 ? '+' + text : text;
const changeText = (a, b, change = b - a) =>
    signed(change, duration(change)) + (a ? ` (${signed(change, (100 * change / a).toFixed(1))} %)` : '');

// The text of a cell. Counters have values, not times.
function cellText(row, key) {
    const value = row[key];
    if (key === 'style') return STYLES[value];
    if (value === undefined || Number.isNaN(value)) return '';
    if (key.startsWith('count')) return count(value);
    if (key.startsWith('share')) return value.toFixed(1);
    if (key === 'percent') return signed(value, value.toFixed(1));
    if (row.style === COUNTER) return reading(value, row.unit);
    const text = $('exact').checked ? whole.format(value) : duration(value);
    return key === 'change' ? signed(value, text) : text;
}

function compareRows(a, b) {
    const key = sorting.key, x = a[key], y = b[key];
    const none = [x, y].map(each => each === undefined || Number.isNaN(each));
    if (none[0] || none[1]) return none[0] - none[1];
    const order = typeof x === 'string' ? (x < y ? 1 : x > y ? -1 : 0)
        : key === 'change' ? Math.abs(x) - Math.abs(y) : x - y;
    return sorting.down ? -order : order;
}

const LEADS = ['med', 'p90', 'p99', 'min', 'max']; // columns in which a click on a cell selects an instance

// Of a row's instances in the selected time, selects the one whose duration or value is nearest to row[key].
function goTo(row, key) {
    const { pack, group, style } = row;
    let best = -1, least = Infinity;
    eachWithin(pack, windowShown(), (i, ns) => {
        if (groupOf(pack, i) !== group && rowOf(pack, i) !== group) return;
        const some = pack.count[i] > 1, mean = some ? meanOf(pack, i) : style === COUNTER ? pack.value[i] : ns;
        const mine = some && key === 'min' ? pack.least[i] : some && key === 'max' ? pack.most[i] : mean;
        if (Math.abs(mine - row[key]) < least) [best, least] = [i, Math.abs(mine - row[key])];
    });
    select(pack, best, true);
}

function cell(row, key) {
    const text = cellText(row, key), attributes = key === 'style' ? { class: 'text' } : {};
    const isTime = text && typeof row[key] === 'number' && row.style < MARK;
    if (isTime && !/^(count|share|style|percent)/.test(key)) attributes.title = exactly(row[key]);
    const matters = Number.isNaN(row.percent) || Math.abs(row.percent) >= LEAST_CHANGE;
    if (isTime && /^(change|percent)$/.test(key) && matters) attributes.class = row[key] > 0 ? 'worse' : 'better';
    const leads = LEADS.includes(key) && row.pack && text, content = [leads ? '' : text];
    if (leads) content.push(make('button', text, { onclick: () => goTo(row, key) }));
    if (key === 'share' && text) {
        const bar = make('i');
        bar.style.width = row.share + '%';
        content.push(make('span', bar, { class: 'share' }));
    }
    return make('td', content, attributes);
}

function nameCell(row) {
    const swatch = make('span', '', { class: 'swatch' });
    swatch.style.background = css(row.rgb);
    const button = make('button', [swatch, shown(row.label, 300)],
                        { title: 'Find it: ' + shown(row.name, 600), onclick: () => find(row.name, row.style) });
    const { key, members, fold } = row.group, isOpen = view.opened.has(key);
    if (!members) return make('td', button, view.opened.has(fold?.key) ? { class: 'inner' } : {});
    const toggle = () => { if (isOpen) view.opened.delete(key); else view.opened.add(key); refresh(); };
    const attributes = { onclick: toggle, 'aria-expanded': isOpen, title: `${count(members.length)} names` };
    return make('td', [make('button', isOpen ? '▾ ' : '▸ ', attributes), button]);
}

// Replaces the contents of an element by a table of the rows that match the search.
function fillTable(into, rows, columns) {
    const head = [['name', 'Range'], ...columns].map(([key, title]) => {
        const arrow = sorting.key === key ? (sorting.down ? ' ↓' : ' ↑') : '';
        const button = make('button', title + arrow, { onclick: () => {
            [sorting.down, sorting.key] = [sorting.key === key ? !sorting.down : true, key];
            fillTable(into, rows, columns);
            shownChanged();
            [...into.querySelectorAll('th button')].find(each => each.dataset.key === key).focus();
        } });
        button.dataset.key = key;
        const sort = sorting.key === key ? { 'aria-sort': sorting.down ? 'descending' : 'ascending' } : {};
        return make('th', button, { scope: 'col', ...(key === 'style' ? { class: 'text' } : {}), ...sort });
    });
    const found = search.test ? rows.filter(row => isGroupFound(row.group)) : rows;
    const place = row => row.style >= MARK ? row.style : 0; // ranges first, then marks, then counters
    const inner = view.opened.size ? rowsBy('group').filter(({ group }) => view.opened.has(group.fold?.key)) : [];
    const isMember = ({ group }, { key }) => group.fold.key === key && (!search.test || isGroupFound(group));
    const inside = row => inner.filter(each => isMember(each, row.group));
    const sorted = found.slice().sort((a, b) => place(a) - place(b) || compareRows(a, b))
        .flatMap(row => [row, ...inside(row).sort(compareRows)]);
    const cells = row => [nameCell(row), ...columns.map(([key]) => cell(row, key))];
    const lights = ({ group }) => ({ onpointerenter: () => lightUp(group.key), onpointerleave: () => lightUp(null) });
    const body = sorted.slice(0, MOST_ROWS).map(row => make('tr', cells(row), lights(row)));
    view.rowOf = new Map(body.map((tr, i) => [sorted[i].group.key, tr]));
    if (view.lit) lightUp(null);
    lightRow(view.hoverPack, view.hover);
    const n = sorted.length, more = n > MOST_ROWS ? ` The first ${MOST_ROWS} of ${count(n)}: search for others.` : '';
    const all = (found.length < rows.length ? count(found.length) + ' of ' : '') + count(rows.length);
    const caption = `Ranges, marks and counters by name: ${all}. A click on a name finds it in the timeline.${more}`;
    const parts = [make('caption', caption), make('thead', make('tr', head)), make('tbody', body)];
    into.replaceChildren(make('table', parts));
}

// The rows of a comparison: those of sides A and B, joined by style and name.
function difference(of = 'group') {
    const both = sides().map(({ pack, window }) => summarize(pack, window, pack.kinds[of]));
    const [before, after] = both.map(rows => new Map(rows.map(row => [row.group.key, row])));
    const all = [...new Set([...after.keys(), ...before.keys()])].map(key => {
        const a = before.get(key), b = after.get(key), any = b || a, total = row => row ? row.inclusive : 0;
        const change = any.style < MARK ? total(b) - total(a) : NaN;
        const percent = a?.inclusive && any.style < MARK ? 100 * change / a.inclusive : NaN; // no percentage of 0 ns
        return { group: any.group, name: any.name, label: any.label, rgb: any.rgb, style: any.style, change, percent,
                 totalA: a?.inclusive, totalB: b?.inclusive, shareA: a?.share, shareB: b?.share,
                 medA: a?.med, medB: b?.med, countA: a?.count ?? 0, countB: b?.count ?? 0 };
    });
    all.merged = both.some(rows => rows.merged);
    return all;
}

// What is approximate in rows of the table. Only a part of a merged entry may lie in the time that is shown.
const doubts = rows => rows.merged
    ? ` ${windowShown() ? 'Figures' : 'Quantiles'} are approximate where ranges were merged.` : '';

const sortedFirst = () => (compared() ? DIFF_COLUMNS : COLUMNS)[0][0];

// The rows of the table; of: 'row', or 'group', where rare names that differ only in numbers have rows, too.
function rowsBy(of) {
    const [{ pack, window }] = sides();
    return compared() ? difference(of) : summarize(pack, window, pack.kinds[of]);
}

function tableRows() {
    const columns = compared() ? DIFF_COLUMNS : COLUMNS;
    if (![['name'], ...columns].some(([key]) => key === sorting.key))
        Object.assign(sorting, { key: columns[0][0], down: true });
    return [rowsBy('row'), columns];
}

function fillMainTable() {
    const [rows, columns] = tableRows();
    const names = model.packs.map(pack => `${pack.letter} is ${shown(pack.head.name, 100)}`).join(', ');
    const all = model.packs.length === 1 ? ', as in nvtxh stats'
        : `: ${names}. Two runs of one program differ, too: ` +
          'nvtxh diff A1 A2 A3 -- B1 B2 B3 tells such differences from changes.';
    $('table-what').textContent = scopeText() +
        (windowShown() ? ': ranges that reach beyond are cut there.' : all) +
        doubts(rows);
    $('table-what').title = $('table-what').textContent;
    fillTable($('rows'), rows, columns);
}

// Makes a table for screen readers: the longest ranges, the marks and the values of counters that the timeline shows.
function fillSeen() {
    const { lanes = [], wide = [], from, to } = view, step = Math.max(1, (to - from) / 1000), marks = [], values = [];
    for (const { pack, track, style, rows, marks: row = [] } of lanes) {
        const end = firstAfter(pack, row, to), samples = style === COUNTER ? rows[0] : [];
        for (let i = firstAfter(pack, row, from - 1); i < end && marks.length < 100; i++)
            marks.push({ pack, e: row[i] });
        // A sample's value lasts up to the next sample.
        const first = Math.max(0, firstAfter(pack, samples, from) - 1), last = firstAfter(pack, samples, to);
        if (first >= last) continue;
        const [low, high] = valueRange(pack, samples.subarray(first, last)), most = reading(high, track.unit);
        values.push([trackName(pack, track), groupOf(pack, samples[0]).name, moment(Math.max(0, from), step),
                     low === high ? most : `${reading(low)} to ${most}`]);
    }
    const longest = wide.slice().sort((a, b) => b.width - a.width).slice(0, 100);
    const ranges = [...longest, ...marks].sort((a, b) => a.pack.start[a.e] - b.pack.start[b.e]).map(({ pack, e }) =>
        [trackName(pack, trackOf(pack, e)), groupOf(pack, e).label, moment(pack.start[e], 1),
         pack.kinds.style[kindOf(pack, e)] === MARK ? 'a mark' : duration(pack.length[e], 4)]);
    const cells = (tag, texts) => make('tr', texts.map(text => make(tag, shown(text, 300))));
    const times = `${moment(from, step)} to ${moment(to, step)}`;
    const caption = make('caption', `On the screen, ${times}: the longest ranges, marks and counters`);
    const head = make('thead', cells('th', ['Lane', 'Name', 'Start', 'Duration or value']));
    const body = make('tbody', [...ranges, ...values].map(texts => cells('td', texts)));
    $('seen').replaceChildren(make('table', [caption, head, body]));
}

// A list of the fields of a payload with a schema.
function fieldList(value) {
    if (value === null || typeof value !== 'object') return shown(String(value));
    const field = ([name, inner]) => [make('dt', shown(name, 200)), make('dd', fieldList(inner))];
    return make('dl', Object.entries(value).map(field));
}

const noEnd = (pack, e) => pack.flags[e] & 1 ? ', had no end' : '';

function tipLines(pack, e) {
    const style = pack.kinds.style[kindOf(pack, e)], lines = [groupOf(pack, e).name];
    const at = `at ${moment(pack.start[e], 1)}`;
    if (style === COUNTER) return [...lines, `value ${reading(pack.value[e], trackOf(pack, e).unit)}`, at];
    const many = pack.count[e] > 1 && `${count(pack.count[e])} merged, ${duration(pack.total[e], 4)} in all`;
    if (style !== MARK) lines.push(many || duration(pack.length[e], 4) + noEnd(pack, e));
    lines.push(at);
    const payload = payloadOf(pack, e);
    return payload === null ? lines : [...lines, `payload ${payload}`];
}

function details(pack, e) {
    const kind = kindOf(pack, e), { kinds } = pack, category = pack.head.categories[kinds.category[kind] - 1];
    const type = pack.flags[e] >> 1 & 7;
    const style = kinds.style[kind], track = trackOf(pack, e), rows = [];
    const row = (name, value) => value !== null && rows.push(make('dt', name), make('dd', value));
    if (pack.count[e] > 1) {
        row('Merged', `${count(pack.count[e])} ranges; view a shorter time with --from and --to to see each`);
        row('Total', exactly(pack.total[e]));
        row('Shortest, longest', `${duration(pack.least[e])}, ${duration(pack.most[e])}`);
    } else if (style < MARK) {
        row('Duration', both(pack.length[e]) + noEnd(pack, e));
        if (style === PUSH_POP) row('Self', both(pack.length[e] - pack.inner[e]));
        const off = offOf(pack, track), parts = off && statesOf(off, ...windowOf(pack, e)).map(exactly);
        if (off) for (const [name, i] of [['CPU', 3], ['Blocked', 0], ['Preempted', 1]]) row(name, parts[i]);
    }
    row('Start', both(pack.start[e]));
    if (style === COUNTER) row('Value', reading(pack.value[e], track.unit));
    const threads = [...new Set(pack.threads.get(e) || [track.thread])].filter(thread => thread >= 0);
    row('Thread', threads.length ? shown(threads.map(thread => threadName(pack, thread)).join(' to ')) : null);
    if (pack.launch[e] >= -Infinity) {
        const range = rangeAt(pack, pack.launcher[e], pack.launch[e]);
        const before = duration(pack.start[e] - pack.launch[e], 4);
        row('Launched', `${before} before, by ${shown(threadName(pack, pack.launcher[e]))}`);
        row('Launched in', range < 0 ? null : shown(groupOf(pack, range).name, 300));
    }
    row('Process', shown(processName(pack, track.process)));
    row('Domain', shown(kinds.domain[kind]) || 'default');
    if (category) row('Category', shown(category[1] ? pack.head.texts[category[1] - 1] : String(category[0])));
    if (kinds.color[kind]) row('Colour', css((kinds.color[kind] - 1) & 0xffffff));
    row('Style', STYLES[style]);
    const payload = payloadOf(pack, e);
    if (payload !== null) row('Payload', type === PAYLOAD_TEXT ? fieldList(JSON.parse(payload)) : payload);
    return make('div', [nameHeading(shown(groupOf(pack, e).name, 1 << 16)), make('dl', rows)], { class: 'one' });
}

// Shows the selected range or thread beside the table or the flame graph. Makes elements again only if what they show
// has changed, because a drag or the focus may be in them.
const detailsShown = { of: [], data: null };
function fillDetails() {
    const { selectedPack: pack, selected: e, thread, selection, matched } = view;
    const values = [pack, e, thread, thread && busy.sides, selection, matched, model.lanes, devicePixelRatio,
                    document.documentElement.dataset.theme];
    cached(detailsShown, values, () => {
        const about = pack && [details(pack, e), whyOf(pack, e)].filter(part => part);
        const parts = pack ? [make('div', about, { class: 'about' }), panelOf(pack, e)] : [thread && whyIdle(thread)];
        $('details').replaceChildren(...parts.filter(part => part));
        $('live').textContent = pack ? tipLines(pack, e).join(', ') : '';
    });
    $('details').hidden = !pack && !thread;
    $('below').hidden = $('divider').hidden = !pack && !thread && shownTab() === 'timeline';
}
