// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Search by a part of the name, or by /a regular expression/. Views highlight hits; n and N go from hit to hit.
const search = { test: null, hits: 0 };

function tester(text) {
    const pattern = /^\/(.+?)\/?$/.exec(text);
    try {
        if (pattern) return (expression => name => expression.test(name))(new RegExp(pattern[1], 'iu'));
    } catch { return () => false; }
    const wanted = text.toLowerCase();
    return text ? name => name.toLowerCase().includes(wanted) : null;
}

function searchChanged() {
    search.test = tester($('search').value.trim());
    const matches = group => search.test(group.name) ? 1 : 0;
    view.matched = search.test && new Map(model.packs.map(pack => [pack, Uint8Array.from(pack.groups, matches)]));
    search.hits = 0;
    if (search.test) for (const pack of model.packs) eachHit(pack, i => { search.hits += pack.count[i]; });
    $('hits').textContent = search.test ? `${count(search.hits)} hit${search.hits === 1 ? '' : 's'}` : '';
    refresh();
}

function eachHit(pack, f) {
    const matched = view.matched.get(pack);
    for (const track of pack.tracks) {
        if (!trackVisible(pack, track)) continue;
        for (let i = track.first; i < track.first + track.count; i++) {
            const kind = kindOf(pack, i);
            if (matched[pack.kinds.group[kind]] && pack.kinds.visible[kind]) f(i);
        }
    }
}

// Selects the hit after (1) or before (-1) the selected range, by time, then by number. After the last comes the first.
function jump(by) {
    if (!view.matched || !search.hits) return;
    const pack = view.selectedPack, edge = [by > 0 ? view.from - 1 : view.to, 0, 0];
    const at = pack ? [pack.start[view.selected], model.packs.indexOf(pack), view.selected] : edge;
    const later = (a, b) => (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) * by > 0;
    let best = null, first = null;
    model.packs.forEach((pack, number) => eachHit(pack, i => {
        const place = [pack.start[i], number, i];
        if (later(place, at) && (!best || later(best, place))) best = place;
        if (!first || later(first, place)) first = place;
    }));
    const [, number, i] = best || first;
    select(model.packs[number], i, true);
}

// Searches for the name of a table's row, and selects a hit in the timeline.
function find(name) {
    $('search').value = name;
    searchChanged();
    showTab('timeline');
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
