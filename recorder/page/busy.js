// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How busy threads were. Busy: the time in which a thread had any visible range open. Busy %: this time in percent of
// the selected time, or, without a selection, of the time from the first to the last event. Hidden tracks are left out.
const busy = { sides: [] };

const isOutermost = (pack, i) => pack.kinds.style[kindOf(pack, i)] === PUSH_POP && pack.paths.row[pack.path[i]] === 0;

function busyOf({ pack, window }, tracks = tracksCounted(pack)) {
    const ns = new Float64Array(pack.tracks.length), until = new Float64Array(pack.tracks.length).fill(-Infinity);
    const first = pack.tracks.map(({ first, count }) => count ? pack.start[first] : Infinity);
    const outermost = (i, inside, self, track) => { if (isOutermost(pack, i)) ns[track.number] += inside; };
    const add = (i, from, to, { number }) => { ns[number] += after(until, number, from, to); };
    if (pack.merged) eachWithin(pack, window, outermost, tracks); else eachOpen(pack, window, add, tracks);
    const [from, to] = window || [Math.min(...first), pack.head.end];
    return { pack, ns, elapsed: Math.max(1, to - from) };
}

// Lanes say how busy their own threads were, so this is of all tracks.
function countBusy() { busy.sides = sides().map(side => busyOf(side, side.pack.tracks)); }

// How busy the thread of a lane was, in percent; NaN if the lane shows no thread.
function busyShare({ pack, track, style }, side = busy.sides.findLast(each => each.pack === pack)) {
    return style === PUSH_POP && side?.pack === pack ? 100 * side.ns[track.number] / side.elapsed : NaN;
}

// What the tip of a lane's label says: the thread, its process, and how busy it was on each side.
function busyLines(lane) {
    const lines = busy.sides.flatMap((side, number) => {
        const share = busyShare(lane, side), time = duration(side.ns[lane.track.number], 4);
        const text = `${sideName(number)}busy for ${time}, ${share.toFixed(1)} % of ${duration(side.elapsed, 4)}`;
        return Number.isNaN(share) ? [] : [text];
    });
    const click = lane.fold === 'strip' ? 'unfold' : lane.rows.length > lane.shown ? 'all rows' : 'fold';
    return [lane.label, processName(lane.pack, lane.process), ...lines, `click: ${click}`];
}
