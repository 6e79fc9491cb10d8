// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The flame graph: ranges of threads, merged by path (see html.h), outermost on top. Colours show changes from A to B.
const FLAME_ROW = 22, GREY = 0x8a94a3;
const flame = { root: null, zoomed: null, focus: null, boxes: [], height: 0 };
const flameNode = (parent, { key, name, rgb, short = name, members }) => ({
    key, name, rgb, members, parent, short: shown(short, 300), depth: parent ? parent.depth + 1 : 0,
    total: [0, 0], self: [0, 0], count: [0, 0], children: new Map(),
});

function flameChild(parent, group) {
    if (!parent.children.has(group.key)) parent.children.set(group.key, flameNode(parent, group));
    return parent.children.get(group.key);
}

// The pids of two recordings differ.
const threadKey = (pack, { process, thread }) =>
    `${processName(pack, process, model.packs.length < 2)} · ${threadName(pack, thread)}`;

function buildFlame() {
    const root = flameNode(null, { key: '', name: 'all', rgb: null });
    sides().forEach(({ pack, window }, side) => {
        const known = new Map(); // name of the thread ('' if threads are merged) -> nodes by path
        const nodeOf = (nodes, path) => {
            if (nodes[path]) return nodes[path];
            const kind = pack.paths.kind[path], outer = nodeOf(nodes, pack.paths.parent[path]);
            const isVisible = pack.kinds.visible[kind];
            return nodes[path] = isVisible ? flameChild(outer, pack.groups[pack.kinds.row[kind]]) : outer;
        };
        eachWithin(pack, window, (i, ns, self, track) => {
            if (pack.kinds.style[kindOf(pack, i)] !== PUSH_POP) return;
            const key = $('by-thread').checked ? threadKey(pack, track) : '';
            let nodes = known.get(key);
            if (!nodes) known.set(key, nodes = [key ? flameChild(root, { key, name: key, rgb: GREY }) : root]);
            const node = nodeOf(nodes, pack.path[i]);
            node.total[side] += ns;
            node.self[side] += self;
            node.count[side] += pack.count[i];
            if (!node.longest || pack.most[i] > node.longest.pack.most[node.longest.e]) node.longest = { pack, e: i };
        });
    });
    // A node without entries (root, thread, a range that eachWithin left out) gets the sum of its children's totals.
    const add = node => {
        for (const child of node.children.values()) add(child);
        for (const side of [0, 1]) {
            const inner = [...node.children.values()].reduce((sum, child) => sum + child.total[side], 0);
            if (!node.count[side]) node.total[side] = inner;
        }
    };
    add(root);
    const same = node => node && (node.parent ? same(node.parent)?.children.get(node.key) : root); // the same path
    [flame.root, flame.zoomed, flame.focus] = [root, same(flame.zoomed), same(flame.focus)].map(node => node ?? null);
}

const flameSide = () => compared() ? Number($('side').value) : 0;
const flameShare = (node, of) => of.total[flameSide()] ? 100 * node.total[flameSide()] / of.total[flameSide()] : 0;

function flameColor(node) {
    if (!compared()) return node.rgb ?? GREY;
    const [a, b] = node.total, change = Math.max(-1, Math.min(1, (b - a) / (Math.max(a, b) || 1) * 1.5));
    return mix(mix(view.backRgb, 0x808890, 0.25), change > 0 ? 0xd0443c : 0x2f7fd0, Math.abs(change));
}

// A node that stands for nodes that are too small to see.
function othersOf(parent, nodes) {
    const others = flameNode(parent, { key: '', name: `${count(nodes.length)} others`, rgb: GREY });
    for (const what of ['total', 'self', 'count'])
        others[what] = [0, 1].map(side => nodes.reduce((sum, node) => sum + node[what][side], 0));
    return Object.assign(others, { isOthers: true });
}

// Makes a box for each node around the zoomed node, and for each node inside it that is wide enough to be seen.
function layFlame(width) {
    const boxes = [], side = flameSide(), top = flame.zoomed || flame.root;
    for (let node = top.parent; node; node = node.parent)
        boxes.push({ node, x: 0, width, y: node.depth * FLAME_ROW, around: true });
    const place = (node, x, w) => {
        if (w < 0.6) return;
        boxes.push({ node, x, width: w, y: node.depth * FLAME_ROW });
        const inner = [...node.children.values()].sort((a, b) => b.total[side] - a.total[side]);
        // The children together may be wider: ranges of another domain may outlast the range in which they began.
        const total = Math.max(node.total[side], inner.reduce((sum, child) => sum + child.total[side], 0));
        const wide = inner.filter(child => total && w * child.total[side] / total >= 0.6);
        const others = wide.length < inner.length ? [othersOf(node, inner.slice(wide.length))] : [];
        for (const child of [...wide, ...others]) {
            const part = total ? w * child.total[side] / total : 0;
            place(child, x, part);
            x += part;
        }
    };
    place(top, 0, width);
    flame.boxes = boxes;
    flame.height = boxes.reduce((most, box) => Math.max(most, box.y + FLAME_ROW), 0);
    $('flame-space').style.height = Math.max(0, flame.height - $('flame-box').clientHeight) + 'px';
}

const flameMatches = node => search.test && node.parent && !node.isOthers &&
    (isFound(node.name, node.short, PUSH_POP) || node.members?.some(isGroupFound));

// The ns that a node and its descendants spent in hits. A hit inside a hit does not count again.
function flameMatched(node) {
    if (flameMatches(node)) return node.total[flameSide()];
    return [...node.children.values()].reduce((sum, child) => sum + flameMatched(child), 0);
}

function drawFlame() {
    const box = $('flame-box'), width = box.clientWidth, height = box.clientHeight, element = $('flame-canvas');
    if (!width || !flame.root) return;
    layFlame(width);
    const context = prepare(element, element.clientWidth, height), { colors } = view;
    paint(context, colors.back, 0, 0, width, height);
    for (const { node, x, width: w, y, around } of flame.boxes) {
        const top = y - box.scrollTop, plain = flameColor(node);
        if (top < -FLAME_ROW || top > height) continue;
        const rgb = around || (search.test && !flameMatches(node)) ? mix(plain, view.backRgb, 0.72) : plain;
        paint(context, css(rgb), x, top, Math.max(0.5, w - (w > 3 ? 1 : 0)), FLAME_ROW - 1);
        if (node === flame.focus) {
            context.strokeStyle = colors.ink;
            context.strokeRect(x + 0.5, top + 0.5, Math.max(1, w - 2), FLAME_ROW - 2);
        }
        if (w < 28) continue;
        const name = fit(context, node.short, w - 8), used = widths.get(node.short) + 20;
        const share = `${duration(node.total[flameSide()])} · ${flameShare(node, flame.root).toFixed(1)} %`;
        letters(context, ink(rgb), name, x + 4, top + FLAME_ROW / 2);
        if (w > used + 110) {
            context.globalAlpha = 0.7;
            context.fillText(share, x + used, top + FLAME_ROW / 2);
            context.globalAlpha = 1;
        }
    }
    const matched = search.test ? flameMatched(flame.root) / (flame.root.total[flameSide()] || 1) * 100 : NaN;
    $('flame-matched').textContent = search.test ? `hits: ${matched.toFixed(1)} % of the time` : '';
    $('flame-what').textContent = scopeText() +
        ': push/pop ranges merged by path; the width is their total time.' +
        (compared() ? ' Red: more time in B than in A; blue: less.' : '') + ' Click: zoom in; Esc: out.';
    if (!flame.root.children.size) $('flame-what').textContent = 'No push/pop ranges here.';
    $('flame-what').title = $('flame-what').textContent;
}

function flameLines(node) {
    const lines = [node.parent ? node.name : 'all of it'];
    sides().forEach((_, side) => {
        const times = node.count[side] ? `, ${count(node.count[side])} times` : '';
        const total = `total ${duration(node.total[side], 4)}`, self = `self ${duration(node.self[side], 4)}`;
        lines.push(`${sideName(side)}${total}, ${self}${times}`);
    });
    if (compared()) lines.push(`change ${changeText(node.total[0], node.total[1])}`);
    const outer = node.parent, share = of => `${flameShare(node, of).toFixed(2)} % of ${of.parent ? of.name : 'all'}`;
    lines.push(share(flame.root) + (outer ? ', ' + share(outer) : ''));
    return lines;
}

function flameZoom(node) {
    flame.zoomed = node && node.parent ? node : null;
    if (!$('flame').hidden) drawFlame();
}

// Zooms to a node, and opens the panel of its longest instance.
function flameOpen(node) {
    if (!node || node.isOthers) return;
    flame.focus = node;
    flameZoom(node);
    select(node.longest?.pack ?? null, node.longest?.e ?? -1);
}

function flameAt(event) {
    const y = event.offsetY + $('flame-box').scrollTop;
    return flame.boxes.find(box => event.offsetX >= box.x && event.offsetX < box.x + box.width &&
        y >= box.y && y < box.y + FLAME_ROW)?.node;
}

// Arrow keys move the focus from node to node, Enter opens the node.
function flameKey(event) {
    const focus = flame.focus || flame.zoomed || flame.root, side = flameSide();
    const sorted = node => [...node.children.values()].sort((a, b) => b.total[side] - a.total[side]);
    const beside = by => focus.parent && sorted(focus.parent)[sorted(focus.parent).indexOf(focus) + by];
    const to = { ArrowDown: () => sorted(focus)[0], ArrowUp: () => focus.parent, ArrowRight: () => beside(1),
                 ArrowLeft: () => beside(-1) }[event.key];
    if (event.key === 'Enter') flameOpen(focus);
    else if (to) flame.focus = to() || focus;
    else return false;
    drawFlame();
    $('live').textContent = flameLines(flame.focus || focus).join(', ');
    return true;
}

function listenFlame() {
    const element = $('flame-canvas');
    element.addEventListener('click', event => flameOpen(flameAt(event)));
    element.addEventListener('pointermove', event => {
        const node = flameAt(event);
        if (node) showTip(event, flameLines(node)); else hideTip();
    });
    element.addEventListener('pointerleave', hideTip);
    $('flame-box').addEventListener('scroll', drawFlame);
    for (const id of ['by-thread', 'side']) $(id).addEventListener('change', () => { buildFlame(); drawFlame(); });
    new ResizeObserver(() => { if (!$('flame').hidden) drawFlame(); }).observe($('flame-box'));
}
