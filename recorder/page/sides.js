// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A side is a recording, or a time in it, that the table and the flame graph show. They compare two sides, A and B, if
// the page has two recordings, or if a time is pinned: then A is the pinned time, and B is the selection.
const compared = () => model.packs.length > 1 || Boolean(view.pinned && view.selection);

function sides() {
    const [pack] = model.packs, window = windowShown();
    if (model.packs.length > 1) return model.packs.map(each => ({ pack: each, window }));
    return compared() ? [{ pack, window: view.pinned }, { pack, window }] : [{ pack, window }];
}

const sideName = side => compared() ? `${'AB'[side]}: ` : '';
const windowText = ([from, to]) => `${moment(from, (to - from) / 1000)} to ${moment(to, (to - from) / 1000)}`;

function scopeText() {
    const hidden = (view.only ? ` on ${shown(threadName(view.only.pack, view.only.thread), 60)}` : '') +
        (model.hiddenDomains.size + model.hiddenTracks.size ? ', without what is hidden' : '');
    const screen = view.screen ? `On the screen, ${windowText(view.screen)}` : 'The whole recording';
    if (!view.selection) return screen + hidden;
    return (view.pinned ? `A: ${windowText(view.pinned)}; B: ` : '') + windowText(view.selection) + hidden;
}

// Pins the selection as A, so that the next selection is compared with it; if a time is pinned, unpins it instead.
function pin() {
    if (model.packs.length > 1 || !(view.pinned || view.selection)) return;
    view.only = null;
    [view.pinned, view.selection] = view.pinned ? [null, view.selection] : [view.selection, null];
    scopeChanged();
    redraw();
}

// Fills the buttons that say what is selected and pinned.
function fillScope() {
    const length = ([from, to]) => duration(to - from, 4);
    $('scope').hidden = !view.selection;
    const what = view.pinned ? 'B' : 'Selection', only = view.only ? ', one thread' : '';
    if (view.selection) $('scope').textContent = `${what} ${length(view.selection)}${only} ✕`;
    $('pin').hidden = model.packs.length > 1 || !(view.pinned || view.selection);
    $('pin').textContent = view.pinned ? `A ${length(view.pinned)} ✕` : 'Pin as A';
    $('side-label').hidden = !compared();
}
