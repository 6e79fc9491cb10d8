// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How busy threads were. Busy: the time in which a thread had any visible range open. Busy %: this time in percent of
// the selected time, or, without a selection, of the time from the first to the last event. Hidden tracks are left out.
const busy = { sides: [] };

const isOutermost = (pack, i) => pack.kinds.style[kindOf(pack, i)] === PUSH_POP && pack.paths.row[pack.path[i]] === 0;

function busyOf({ pack, window }) {
    const ns = new Float64Array(pack.tracks.length), until = new Float64Array(pack.tracks.length).fill(-Infinity);
    const first = pack.tracks.map(({ first, count }) => count ? pack.start[first] : Infinity);
    const outermost = (i, inside, self, track) => { if (isOutermost(pack, i)) ns[track.number] += inside; };
    const add = (i, from, to, { number }) => { ns[number] += after(until, number, from, to); };
    if (pack.merged) eachWithin(pack, window, outermost); else eachOpen(pack, window, add);
    const [from, to] = window || [Math.min(...first), pack.head.end];
    return { pack, ns, elapsed: Math.max(1, to - from) };
}

const countBusy = () => { busy.sides = sides().map(busyOf); };

// How busy the thread of a lane was, in percent; NaN if the lane shows no thread.
function busyShare({ pack, track, style }, side = busy.sides.findLast(each => each.pack === pack)) {
    return style === PUSH_POP && side?.pack === pack ? 100 * side.ns[track.number] / side.elapsed : NaN;
}

// Fills the table of threads: one row for each thread, in the order of the lanes.
function fillBusy() {
    const letters = busy.sides.map((_, side) => busy.sides.length > 1 ? ` ${'AB'[side]}` : '');
    const titles = ['Thread', 'Process', ...letters.flatMap(letter => [`Busy${letter}`, `Busy %${letter}`])];
    const rows = model.lanes.filter(lane => lane.style === PUSH_POP).slice(0, MOST_ROWS).map(lane => {
        const cells = busy.sides.flatMap(side => {
            const share = busyShare(lane, side);
            return Number.isNaN(share) ? ['', ''] : [duration(side.ns[lane.track.number], 4), share.toFixed(1)];
        });
        return [shown(lane.label, 200), shown(processName(lane.pack, lane.process), 200), ...cells];
    });
    const line = (tag, cells) => make('tr', cells.map((text, i) => make(tag, text, i < 2 ? { class: 'text' } : {})));
    $('busy').hidden = !rows.length;
    const parts = [make('thead', line('th', titles)), make('tbody', rows.map(row => line('td', row)))];
    $('busy-rows').replaceChildren(make('table', parts));
}
