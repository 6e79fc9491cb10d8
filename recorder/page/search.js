// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search by a part of the name, by "the exact name" or by /a regular expression/. A search can also limit the duration,
// as in step 5ms..20ms. The views highlight hits; the keys n and N go from hit to hit.
const search = { test: null, style: -1, between: null, hits: 0 }; // style: that of hits; -1: any
const BETWEEN = /(?:^|\s+)(?:([\d.]+)\s*(ns|us|µs|ms|s))?\s*\.\.\s*(?:([\d.]+)\s*(ns|us|µs|ms|s))?$/;

// Returns the limits of durations in a search text (ns; null: none), and the rest of the text.
function betweenOf(text) {
    const found = BETWEEN.exec(text), scale = unit => UNITS.find(([, name]) => name === unit.replace('u', 'µ'))[0];
    if (!found || !(found[1] || found[3])) return [null, text];
    const limits = [found[1] ? found[1] * scale(found[2]) : 0, found[3] ? found[3] * scale(found[4]) : Infinity];
    return [limits, text.slice(0, found.index)];
}

// An exact name, and the style as the table has it: "step" Mark.
const EXACT_NAME = new RegExp(`^"(.*)"(?: (${STYLES.join('|')}))?$`, 's');

function tester(text) {
    const pattern = /^\/(.+?)\/?$/.exec(text), exact = EXACT_NAME.exec(text);
    try {
        if (pattern) return (expression => name => expression.test(name))(new RegExp(pattern[1], 'iu'));
    } catch { return () => false; }
    if (exact) return name => oneLine(name) === exact[1];
    const wanted = text.toLowerCase();
    return text ? name => name.toLowerCase().includes(wanted) : null;
}

// Whether the search finds a range by its style and its name or the short form of the name.
const isFound = (name, short, style) =>
    (search.style < 0 || search.style === style) && (search.test(name) || search.test(short));

// So for a group: also one with such a member, and a member of one with such a name.
const isGroupFound = ({ name, label, style, members, fold }) => isFound(name, label, style) ||
    members?.some(isGroupFound) || (fold && isFound(fold.name, fold.label, style));

const oneLine = name => name.replace(/[\r\n]/g, ''); // because the search field cannot hold line ends

function searchChanged() {
    const [between, text] = betweenOf($('search').value.trim());
    search.between = between;
    search.style = STYLES.indexOf(EXACT_NAME.exec(text)?.[2]);
    search.test = tester(text) || (between && (() => true));
    view.matched = search.test && new Map(model.packs.map(pack => [pack, Uint8Array.from(pack.groups, isGroupFound)]));
    for (const lane of model.lanes) lane.hits = null;
    search.hits = 0;
    if (search.test) for (const pack of model.packs) eachHit(pack, i => { search.hits += pack.count[i]; });
    $('hits').textContent = search.test ? `${count(search.hits)} hit${search.hits === 1 ? '' : 's'}` : '';
    refresh();
}

const eachHit = (pack, f) => eachWithin(pack, null, i => { if (isHit(pack, i)) f(i); }, pack.tracks);

// Whether an entry is a hit of the search. Without a search, every entry is a hit.
function isHit(pack, i) {
    if (!view.matched) return true;
    const kind = kindOf(pack, i);
    if (!view.matched.get(pack)[pack.kinds.group[kind]]) return false;
    if (!search.between) return true;
    const ns = meanOf(pack, i);
    return pack.kinds.style[kind] < MARK && ns >= search.between[0] && ns <= search.between[1];
}

// Selects the hit after (1) or before (-1) the selected entry, round the ends. Hits are ordered by time, or from the
// longest to the shortest, then the samples of counters from the highest value; equal hits, by their numbers.
function jump(by) {
    if (!view.matched || !search.hits) return;
    const byTime = $('order').value === 'time';
    const order = (pack, i) => byTime ? [0, pack.start[i]] : [isCounter(pack, i) ? 1 : 0, -mostOf(pack, i)];
    const { selectedPack: pack, selected } = view;
    const edge = byTime ? [0, by > 0 ? view.from - 1 : view.to, 0, 0] : [by > 0 ? -1 : 2, 0, 0, 0];
    const at = pack ? [...order(pack, selected), model.packs.indexOf(pack), selected] : edge;
    const later = (a, b) => (a[0] - b[0] || a[1] - b[1] || a[2] - b[2] || a[3] - b[3]) * by > 0;
    let best = null, first = null;
    model.packs.forEach((pack, number) => eachHit(pack, i => {
        const place = [...order(pack, i), number, i];
        if (later(place, at) && (!best || later(best, place))) best = place;
        if (!first || later(first, place)) first = place;
    }));
    const [, , number, i] = best || first;
    select(model.packs[number], i, true);
}

// Searches for ranges with this name, and with durations from `least` to `most` ns; 0 and Infinity set no limit.
function searchExactly(name, [least, most] = [0, Infinity], style = -1) {
    // 0 and Infinity become '', which sets no limit: duration(Infinity) is ''.
    const limits = [least, most].map(ns => ns ? duration(ns, 4).replace(' ', '') : '').join('..');
    const words = [`"${oneLine(name)}"`, style < 0 ? '' : STYLES[style], limits === '..' ? '' : limits];
    $('search').value = words.filter(word => word).join(' ');
    searchChanged();
}

// Searches for the name of a table's row, and selects a hit in the timeline.
function find(name, style) {
    const isShared = model.packs.some(pack => pack.groups.some(group => group.name === name && group.style !== style));
    searchExactly(name, undefined, isShared ? style : -1);
    select(null, -1);
    jump(1);
}

function listenSearch() {
    let timer;
    $('search').addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(searchChanged, 120); });
    $('search').addEventListener('keydown', event => {
        if (event.key !== 'Enter') return;
        clearTimeout(timer);
        searchChanged();
        jump(event.shiftKey ? -1 : 1);
    });
    for (const [id, by] of [['next', 1], ['previous', -1]]) $(id).addEventListener('click', () => jump(by));
}
