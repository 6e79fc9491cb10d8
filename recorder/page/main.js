// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Starts the page: reads the packs, fills in names and notices, and lays out the timeline and the views below it.
const TABS = ['flame', 'table', 'ranks'], BELOW = 0.4; // BELOW: the part of the height that is below the timeline
const hasTab = tab => tab !== 'ranks' || ranksOf() !== undefined;
const shownTab = () => TABS.find(tab => !$(tab).hidden) ?? 'timeline';

// Shows a view below the timeline; 'timeline': none.
function showTab(name) {
    if (!hasTab(name)) return;
    for (const tab of TABS) {
        $(tab).hidden = $(tab + '-bar').hidden = tab !== name;
        $('tab-' + tab).setAttribute('aria-selected', tab === name);
        $('tab-' + tab).tabIndex = tab === name || (name === 'timeline' && tab === TABS[0]) ? 0 : -1;
    }
    hideTip();
    refresh();
}

// Moves the divider, so that this part of the height is below it.
function divide(part) {
    view.below = Math.max(0.1, Math.min(0.85, part));
    $('divider').setAttribute('aria-valuenow', Math.round(100 * view.below));
    $('below').style.setProperty('--below', 100 * view.below + '%');
    shownChanged();
}

function listenDivider() {
    const divider = $('divider'), keys = { ArrowUp: 0.05, ArrowDown: -0.05 };
    divider.addEventListener('pointerdown', event => divider.setPointerCapture(event.pointerId));
    divider.addEventListener('pointermove', event => {
        const { bottom, height } = divider.parentElement.getBoundingClientRect();
        if (!divider.hasPointerCapture(event.pointerId)) return;
        divide((bottom - event.clientY - $('bar').offsetHeight) / height);
    });
    divider.addEventListener('dblclick', () => divide(BELOW));
    divider.addEventListener('keydown', event => {
        if (!keys[event.key]) return;
        divide(view.below + keys[event.key]);
        event.preventDefault();
        event.stopPropagation(); // the lanes do not move
    });
}

// The time that the table and the flame graph show: the selection, or the time on the screen; null: everything.
const windowShown = () => view.selection || view.screen;

// Called a while after the last change of the time on the screen.
function screenChanged() {
    const from = Math.max(model.from, Math.round(view.from)), to = Math.min(model.end, Math.round(view.to));
    const screen = from > model.first || to < model.end ? [from, to] : null;
    if (String(screen) === String(view.screen)) return;
    view.screen = screen;
    if (!view.selection) scopeChanged();
}

function refresh() {
    fillDetails();
    redraw();
    if (!$('flame').hidden) { if (!flame.root || flame.stale) buildFlame(); flame.stale = false; drawFlame(); }
    if (!$('table').hidden) fillMainTable();
    shownChanged();
}

// Called when the time that the views show, the pinned time or what is hidden has changed.
function scopeChanged() {
    flame.stale = true;
    countBusy();
    fillScope();
    refresh();
}

function useTheme(theme) {
    document.documentElement.dataset.theme = theme;
    readColors();
}

function setTheme(theme = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark') {
    useTheme(theme);
    refresh();
    draw();
}

function relayOutHeight() {
    $('space').style.height = Math.max(0, model.height + RULER + 12 - lanesBox.clientHeight) + 'px';
}

function relayOut() {
    layOut();
    relayOutHeight();
    redraw();
}

// The name of a track in the list of check boxes and for screen readers.
function trackName(pack, track) {
    const several = pack.head.processes.length > 1, domain = pack.head.texts[track.domain - 1] || '';
    const name = trackLabel(pack, track) + (track.style === START_END ? ` ${domain}` : '');
    return (model.packs.length > 1 ? `${pack.letter}: ` : '') + shown(name, 80) +
        (several ? ` · ${shown(processName(pack, track.process), 80)}` : '');
}

function hiddenChanged() {
    relayOut();
    scopeChanged();
    searchChanged();
    $('filter').textContent = model.hiddenDomains.size + model.hiddenTracks.size ? 'Show… (some hidden)' : 'Show…';
}

// Fills the lists of check boxes, which hide domains and tracks. A list has at most 400 boxes.
function fillFilters() {
    const domains = [...new Set(model.packs.flatMap(pack => pack.kinds.domain.slice(1)))].sort();
    const tracks = model.packs.flatMap(pack => processOrder(pack).flatMap(number => tracksOf(pack, number))
        .map(track => [pack, track]));
    const lists = [
        ['Domains', domains.map(domain => [shown(domain, 80) || 'default', model.hiddenDomains, domain])],
        ['Threads, process ranges, counters',
         tracks.map(([pack, track]) => [trackName(pack, track), model.hiddenTracks, trackKey(pack, track)])],
    ];
    const wheelBox = make('input', '', { type: 'checkbox', onchange: () => wheelZooms(wheelBox.checked) });
    wheelBox.checked = wheelZooms();
    $('filters').replaceChildren(...lists.map(([title, all]) => {
        const boxes = all.slice(0, 400).map(([label, hidden, key]) => {
            const box = make('input', '', { type: 'checkbox', onchange: () => {
                if (box.checked) hidden.delete(key); else hidden.add(key);
                hiddenChanged();
            } });
            box.checked = !hidden.has(key);
            return make('label', [box, ' ', label]);
        });
        const every = on => () => {
            all.forEach(([, hidden, key]) => on ? hidden.delete(key) : hidden.add(key));
            boxes.forEach(label => { label.firstChild.checked = on; });
            hiddenChanged();
        };
        return make('fieldset', [make('legend', title), make('button', 'all', { onclick: every(true) }),
                                 make('button', 'none', { onclick: every(false) }), ...boxes,
                                 all.length > 400 ? `and ${count(all.length - 400)} more` : null]);
    }), make('label', [wheelBox, ' the wheel always zooms']));
}

function fillNotices() {
    const lines = [], note = text => lines.push(make('p', text, { class: 'note' }));
    for (const pack of model.packs) {
        const letter = model.packs.length > 1 ? `${pack.letter}: ` : '', { head } = pack;
        if (head.width) {
            note(`${letter}${count(head.spans)} ranges, marks and samples are shown as ${count(pack.n)}: those ` +
                 `shorter than ${duration(head.width)} were merged with their neighbours. Totals are exact. ` +
                 'To see each of them, view a shorter time: nvtxh view --from TIME --to TIME.');
        }
        if (pack.offWidth)
            note(`${letter}dotted: context switches closer together than ${duration(pack.offWidth)}; view less time`);
        if (head.from) note(`${letter}shown from ${moment(head.from, 1)} on; ranges that began earlier are cut there`);
        if (head.payloads_left_out) {
            note(`${letter}the payloads of ${count(head.payloads_left_out)} ranges were left out: they would make ` +
                 'the page too large');
        }
        lines.push(...head.said.map(line => make('p', shown(letter + line))));
    }
    if (!model.packs.some(pack => pack.n)) note('There are no ranges, marks or counters in this recording.');
    $('notices').replaceChildren(...lines);
}

async function start() {
    const elements = [...document.querySelectorAll('.pack')];
    model.packs = await Promise.all(elements.map(element => readPack(element.textContent)));
    elements.forEach(element => element.remove()); // their texts are not needed any more
    model.packs.forEach((pack, number) => { pack.letter = 'AB'[number]; });
    nameKinds(model.packs);
    model.from = Math.min(...model.packs.map(pack => pack.head.from));
    model.end = Math.max(model.from + 1, ...model.packs.map(pack => pack.head.end));
    model.first = Math.min(model.end, ...model.packs.flatMap(({ tracks, start }) =>
        tracks.filter(track => track.count).map(track => start[track.first])));
    model.length = model.end - model.from;
    const title = model.packs.map(({ head }) => shown(base(head.name) || head.command, 120)).join(' → ');
    const when = ({ head }) => new Date(Number(BigInt(head.realtime) / 1000000n)).toLocaleString();
    $('title').textContent = title;
    $('title').title = model.packs.map(pack => `${shown(pack.head.command, 500)}, ${when(pack)}`).join('\n');
    document.title = `${title} · nvtxh`;
    fillNotices();
    fillFindings();
    $('tab-ranks').hidden = !hasTab('ranks');
    relayOut();
    model.packs.forEach(colorOperations);
    countBusy();
    fillScope();
    divide(BELOW);
    fitEvents();
    useTheme(matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light');
    draw();
    performance.mark('first picture');
    await new Promise(done => requestAnimationFrame(() => setTimeout(done))); // the table may take longer
    fillFilters();
    for (const each of [listen, listenDivider, listenFlame, listenRanks, listenSearch]) each();
    const toggle = () => {
        $('filters').hidden = !$('filters').hidden;
        $('filter').setAttribute('aria-expanded', !$('filters').hidden);
    };
    const clicks = { scope: () => setSelection(null), pin, theme: () => setTheme(), help: () => $('keys').showModal(),
                     fit: fitAll, filter: toggle, exact: refresh };
    for (const tab of TABS) clicks['tab-' + tab] = () => showTab(tab);
    for (const [id, f] of Object.entries(clicks)) $(id).addEventListener('click', f);
    addEventListener('beforeprint', () => {
        view.beforePrint = [document.documentElement.dataset.theme, shownTab(), lanesBox.scrollTop];
        const height = Math.min(model.height + RULER, 32000 / devicePixelRatio); // browsers limit a canvas to 32767
        lanesBox.style = `flex: none; height: ${height}px`;
        lanesBox.scrollTop = 0;
        showTab('table'); // all lanes and the table are printed
        setTheme('light');
    });
    addEventListener('afterprint', () => {
        lanesBox.style = '';
        relayOutHeight();
        showTab(view.beforePrint[1]);
        lanesBox.scrollTop = view.beforePrint[2];
        setTheme(view.beforePrint[0]);
    });
    new ResizeObserver(relayOutHeight).observe(lanesBox);
    listenAddress();
    view.before = [];
    showTab(shownTab());
}

model.ready = start().catch(error => {
    $('notices').replaceChildren(make('p', `This page cannot be shown: ${error}`));
    throw error;
});
