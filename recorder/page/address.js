// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of the address after # says what the page shows, so that a link to a saved page shows the same. t: the time
// on the screen; s: the selected time; e: the selected entry, such as A17; tab: the view below the timeline; h: the
// part of the height that is below the timeline, in percent; q: the search; p: the pinned time; on: the thread of the
// selection, such as A3; o: the column that sorts the table, with - if it ascends; g: open rows of the table; d, x:
// hidden domains and tracks; c: hidden processes; f, r: lanes that are folded or show all rows. Times are ns.
const address = { timer: 0, first: '', tab: '' }; // first, tab: the time and the tab that are shown after loading

const timesText = times => times.map(Math.round).join('..');

function writeAddress() {
    if (!address.tab) return; // the page has not read its address yet
    const all = new URLSearchParams(), tab = shownTab(), time = timesText([view.from, view.to]);
    if (time !== address.first) all.set('t', time);
    if (view.selection) all.set('s', timesText(view.selection));
    if (view.selectedPack) all.set('e', view.selectedPack.letter + view.selected);
    if (tab !== address.tab) all.set('tab', tab);
    if (view.below !== BELOW) all.set('h', Math.round(100 * view.below));
    if ($('search').value) all.set('q', $('search').value);
    if (view.pinned) all.set('p', timesText(view.pinned));
    if (view.only) all.set('on', view.only.pack.letter + view.only.thread);
    if (!sorting.down || sorting.key !== sortedFirst()) all.set('o', (sorting.down ? '' : '-') + sorting.key);
    for (const domain of model.hiddenDomains) all.append('d', domain);
    for (const row of view.opened) all.append('g', row);
    const keysOf = which => [...model.folds].filter(([, fold]) => fold === which).map(([key]) => key);
    const sets = { x: model.hiddenTracks, c: model.collapsed, f: keysOf('strip'), r: keysOf('all') };
    for (const [name, keys] of Object.entries(sets)) if ([...keys].length) all.set(name, [...keys].join('.'));
    const text = String(all);
    try {
        if (text !== location.hash.slice(1)) history.replaceState(null, '', '#' + text);
    } catch { /* a page in a frame of another page may not change its address */ }
}

function readAddress(url) {
    const all = new URLSearchParams(new URL(url).hash.slice(1));
    const times = name => {
        const two = (all.get(name) || '').split('..').map(Number);
        return two.length === 2 && two.every(Number.isFinite) && two[0] < two[1] ? two : null;
    };
    const [, letter, number] = /^([AB])(\d+)$/.exec(all.get('e')) || [], time = times('t');
    const pack = model.packs.find(each => each.letter === letter && Number(number) < each.n);
    if (time) show(...time);
    $('search').value = all.get('q') || '';
    const keys = name => (all.get(name) || '').split('.').filter(key => /^[AB]\d+$/.test(key));
    [model.hiddenDomains, view.opened] = ['d', 'g'].map(name => new Set(all.getAll(name)));
    [model.hiddenTracks, model.collapsed] = ['x', 'c'].map(name => new Set(keys(name)));
    model.folds = new Map([['f', 'strip'], ['r', 'all']].flatMap(([name, fold]) => keys(name).map(key => [key, fold])));
    [view.pinned, view.selection] = [model.packs.length === 1 ? times('p') : null, times('s')];
    const [, up, column] = /^(-?)(\w+)$/.exec(all.get('o')) || ['', '', sortedFirst()];
    [sorting.down, sorting.key] = [!up, column];
    const [, first, thread] = /^([AB])(\d+)$/.exec(all.get('on')) || [];
    const only = { pack: model.packs.find(each => each.letter === first), thread: Number(thread) };
    view.only = view.selection && only.pack?.head.threads[only.thread] ? only : null;
    fillFilters();
    hiddenChanged();
    select(pack || null, pack ? Number(number) : -1);
    divide(all.get('h') / 100 || BELOW);
    showTab(['timeline', ...TABS].find(each => each === all.get('tab')) || address.tab);
}

// 200 ms after the last change, writes what the page shows into the address, and into a table for screen readers.
function shownChanged() {
    clearTimeout(address.timer);
    address.timer = setTimeout(() => { writeAddress(); fillSeen(); screenChanged(); }, 200);
}

function listenAddress() {
    address.first = timesText([view.from, view.to]);
    address.tab = shownTab();
    if (location.hash.length > 1) readAddress(location.href);
    addEventListener('hashchange', event => readAddress(event.newURL)); // location may have changed again
}
