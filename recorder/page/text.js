// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers, names and colours as people read them. Texts of the recording are never parsed as HTML: they only become
// text nodes and letters on a canvas. Control characters other than joiners are U+FFFD, tabs and line ends a space.
const $ = id => document.getElementById(id);
const LONGEST = 2000; // how many characters of a text are shown at most

function shown(text, longest = LONGEST) {
    const cut = text.length > longest ? text.slice(0, longest) + '…' : text;
    return cut.replace(/[\t\n\r]+/g, ' ').replace(/[^\P{C}\p{Cn}\u200c\u200d]|[\u2028\u2029]/gu, '\ufffd');
}

// Makes an element with content and attributes. Strings become text nodes. An attribute onX is a listener for X.
function make(tag, content = '', attributes = {}) {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes))
        if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value);
    element.append(...[content].flat(9).filter(part => part !== null));
    return element;
}

// cache.data, which is f() of these values: computed again only if one of them is another than the last time.
function cached(cache, values, f) {
    if (values.some((each, i) => each !== cache.of[i])) [cache.of, cache.data] = [values, f()];
    return cache.data;
}

// The heading of a details pane. CSS cuts a long name in the middle, until it is clicked on.
function nameHeading(name) {
    if (name.length < 90) return make('h2', name);
    const parts = [make('span', name.slice(0, -20)), make('span', name.slice(-20))];
    return make('h2', parts, { class: 'long', title: name.slice(0, LONGEST), tabindex: 0 });
}

const UNITS = [[1, 'ns'], [1e3, 'µs'], [1e6, 'ms'], [1e9, 's']];
const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });
const count = n => whole.format(n);
const significant = new Intl.NumberFormat('en-US', { maximumSignificantDigits: 6 });
const reading = (value, unit) => (Math.abs(value) >= 1e21 ? String(value) :
    (Number.isInteger(value) ? whole : significant).format(value)) + (unit ? ` ${shown(unit, 40)}` : '');
const exactly = ns => `${whole.format(ns)} ns`;
const both = ns => `${duration(ns, 4)}  (${exactly(ns)})`;

// A duration in a unit that fits it, with `digits` significant digits.
function duration(ns, digits = 3) {
    if (!Number.isFinite(ns)) return '';
    const [scale, unit] = UNITS.findLast(([least]) => Math.abs(ns) >= least * 0.9995) || UNITS[0];
    const number = ns / scale;
    const before = Math.max(1, Math.floor(Math.log10(Math.abs(number) || 1)) + 1); // digits before the point
    return `${scale === 1 ? +number.toFixed(1) : number.toFixed(Math.max(0, digits - before))} ${unit}`;
}

// A time, with as many decimals as are needed to tell apart times that differ by `step` ns.
function moment(ns, step) {
    const [scale, unit] = UNITS.findLast(([least]) => Math.max(Math.abs(ns), step) >= least) || UNITS[0];
    return `${(ns / scale).toFixed(Math.max(0, Math.min(9, Math.ceil(-Math.log10(step / scale) - 1e-9))))} ${unit}`;
}

const PALETTE = [0x4e79a7, 0xe08a2e, 0x5a9e54, 0xb07aa1, 0xd6605f, 0x6fb0ac, 0xd8b73e, 0x9c755f, 0x7f87c4, 0xe58fa0,
                 0x86a65a, 0x5fa6cf];

function hash(text) {
    let h = 0x811c9dc5;
    for (let i = 0; i < text.length && i < 200; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193);
    return (h ^ h >>> 15) >>> 0;
}

// The colour of a name for which the program chose none. The name's hash selects a colour of the palette. If another
// name has this colour, the next free colour is used; if none is free, both names share the selected colour.
const taken = [];
function colorOf(name) {
    const first = hash(name), order = PALETTE.map((_, i) => (first + i) % PALETTE.length);
    return PALETTE[order.find(i => (taken[i] ??= name) === name) ?? order[0]];
}
const css = rgb => '#' + rgb.toString(16).padStart(6, '0');
const linear = part => part > 0.04 ? ((part + 0.055) / 1.055) ** 2.4 : part / 12.92;
const light = (rgb, shift) => linear((rgb >> shift & 255) / 255);
const luminance = rgb => 0.2126 * light(rgb, 16) + 0.7152 * light(rgb, 8) + 0.0722 * light(rgb, 0);
// The colour for letters on `rgb`: black or white, whichever has more contrast. The contrast is at least 4.5 : 1.
const ink = rgb => luminance(rgb) > 0.179 ? '#000000' : '#ffffff';
const mix = (a, b, part) => [16, 8, 0].reduce((rgb, shift) =>
    rgb | Math.round((a >> shift & 255) * (1 - part) + (b >> shift & 255) * part) << shift, 0);
// A colour in the byte order of ImageData.
const pixel = rgb => (0xff000000 | (rgb & 255) << 16 | rgb & 0xff00 | rgb >> 16) >>> 0;

// A run of digits beside no letter, '_' or character that is not ASCII becomes #, as in recorder/analysis/fold.c.
const unnumbered = name => name.replace(/(?<![\w\u0080-\uffff])\d+(?![\w\u0080-\uffff])/g, '#');

// Adds a group, which is a row of the table. `common`: the text without its numbers.
function addGroup(pack, style, domain, text, label = '') {
    const before = domain ? domain + ':' : '', name = text || '(no message)', short = label || name;
    const key = style + (domain && domain + '\0') + ':' + text, number = pack.groups.length;
    pack.groups.push({ style, domain, text, number, key, short, name: before + name, label: before + short,
                       common: unnumbered(text) });
    return pack.groups[number];
}

// Gives each kind a colour and groups: kinds.group has those of one style, domain and message. In kinds.row, names that
// differ only in numbers share a group, their `fold`, if they are many and rare: see recorder/analysis/fold.h.
function nameKinds(packs) {
    const names = new Map(), keyOf = ({ domain, common }) => `${domain}\0${common}`; // names: text -> instances by pack
    const numbered = pack => pack.groups.filter(group => group.common !== group.text && group.style !== COUNTER);
    packs.forEach((pack, side) => {
        const { kinds } = pack, known = new Map();
        pack.groups = [];
        kinds.group = Uint32Array.from(kinds.style, (style, k) => {
            const key = [style, kinds.domain[k], kinds.text[k]].join('\0');
            if (!known.has(key)) known.set(key, addGroup(pack, style, kinds.domain[k], kinds.text[k], kinds.label[k]));
            return known.get(key).number;
        });
        const textOf = number => pack.head.texts[number - 1] ?? '';
        for (const exact of pack.head.exact)
            Object.assign(known.get([exact[0], textOf(exact[1]), textOf(exact[2])].join('\0')) ?? {}, { exact });
        const counts = new Float64Array(pack.groups.length);
        for (let i = 0; i < pack.n; i++) counts[kinds.group[kindOf(pack, i)]] += pack.count[i];
        for (const group of numbered(pack)) {
            const key = keyOf(group), texts = names.get(key) ?? new Map(), instances = texts.get(group.text) ?? [0, 0];
            instances[side] += counts[group.number];
            names.set(key, texts.set(group.text, instances));
        }
    });
    for (const [key, texts] of names) {
        const rare = [...texts.values()].filter(instances => Math.max(...instances) <= 2);
        if (texts.size < 50 || 2 * rare.length < texts.size) names.delete(key);
    }
    for (const pack of packs) {
        const { kinds, groups } = pack, folds = new Map();
        for (const group of numbered(pack).filter(each => names.has(keyOf(each)))) {
            const key = group.style + keyOf(group);
            if (!folds.has(key)) folds.set(key, addGroup(pack, group.style, group.domain, group.common));
            group.fold = folds.get(key);
            (group.fold.members ??= []).push(group);
        }
        kinds.row = kinds.group.map(number => (groups[number].fold ?? groups[number]).number);
        const own = k => kinds.color[k] ? kinds.color[k] - 1 & 0xffffff : undefined;
        kinds.rgb = kinds.row.map((row, k) => own(k) ?? colorOf(groups[row].name));
        for (const of of [kinds.group, kinds.row]) of.forEach((number, k) => { groups[number].rgb ??= kinds.rgb[k]; });
    }
}

// Whether the innermost range of a path is inside another range of the same group; `of`: kinds.group or kinds.row.
function isAgain({ paths }, of, path) {
    const groupAt = p => of[paths.kind[p]];
    for (let p = paths.parent[path]; p; p = paths.parent[p]) if (groupAt(p) === groupAt(path)) return true;
    return false;
}

const kindOf = (pack, i) => pack.paths.kind[pack.path[i]];
const groupOf = (pack, i) => pack.groups[pack.kinds.group[kindOf(pack, i)]];
const rowOf = (pack, i) => pack.groups[pack.kinds.row[kindOf(pack, i)]];
const messageOf = (pack, i) => shown(groupOf(pack, i).short, 300);

// A payload as text: a number, or JSON of its fields.
function payloadOf(pack, i) {
    const type = pack.flags[i] >> 1 & 7;
    if (!type) return null;
    if (type === PAYLOAD_TEXT) return pack.head.payloads[pack.value[i] - 1];
    const value = pack.big.get(i) ?? pack.value[i];
    return String((type === 1 || type === 4) && value < 0 ? BigInt.asUintN(64, BigInt(value)) : value);
}

const base = path => path.slice(path.lastIndexOf('/') + 1);

function threadName(pack, number) {
    const thread = pack.head.threads[number];
    if (!thread) return 'thread';
    const process = pack.head.processes[thread.process];
    return thread.name || (thread.tid === process.pid && base(process.name)) || `thread ${thread.tid}`;
}

const hostOf = (pack, { host }) => new Set(pack.head.processes.map(p => p.host)).size > 1 ? ` on ${host}` : '';

// The name of a process with one thread.
function lineName(pack, number) {
    const process = pack.head.processes[number], { rank, pid } = process;
    return rank === undefined ? processName(pack, number) : `rank ${rank} · ${pid}` + hostOf(pack, process);
}

function processName(pack, number, withPid = true) {
    const process = pack.head.processes[number];
    const rank = process.rank === undefined ? '' : ` rank ${process.rank}`;
    return `${base(process.name) || 'process'}${withPid ? ` ${process.pid}` : ''}${rank}` + hostOf(pack, process);
}
