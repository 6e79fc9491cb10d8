// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reads packs: a pack is a recording, as base64 of a zlib stream of blocks. Each block follows its size. Block 0 is the
// head, in JSON (see recorder/output/html_head.c); the others are columns (see html.h). readPack returns head, and
//   kinds       style, domain, text, label, color, category: arrays by the kind's number; domain, text and label are
//               strings; people see the label in place of the text, if the label is not ''
//   paths       parent, kind: arrays by the path's number; path 0 is the parent of outermost ranges
//   tracks      head.tracks, with first: the number of the track's first entry
//   big         entry number -> BigInt, for integer payloads that a double cannot hold
//   launch, launcher   by the entry's number: when an operation of a GPU was launched (ns; NaN: not known), and by
//               which thread (its index in head.threads). Both are empty if no launch is known
//   offWidth    the width in THREAD_OFF. If context switches were recorded, head.threads have `off`, of arrays by the
//               part's number: start; drawn: its end; state (of several: UNKNOWN); parts: ns by state; row: itself
//   and arrays by the entry's number: start, length, path, count, total, inner, least, most, flags, value. Times are
//   ns. If the pack has merged entries, each entry of a counter has its lowest value, its highest value and the sum
//   of its values in least, most and total.
'use strict';
const PUSH_POP = 0, START_END = 1, MARK = 2, COUNTER = 3, STYLES = ['PushPop', 'StartEnd', 'Mark', 'Counter'];
const PAYLOAD_REALS = [3, 6], PAYLOAD_TEXT = 7, LAUNCHED = 16, UNKNOWN = 2, SAFE = Number.MAX_SAFE_INTEGER;

async function inflated(base64) {
    const text = atob(base64), bytes = new Uint8Array(text.length);
    for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i);
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
    return new Uint8Array(await new Response(stream).arrayBuffer());
}

// Reads varints (see html.h) one after the other. Returns a number of more than 49 bits as a BigInt.
class Varints {
    constructor(bytes) { this.bytes = bytes; this.at = 0; }
    next() {
        const { bytes } = this, from = this.at;
        let number = 0, scale = 1, byte;
        do {
            byte = bytes[this.at++];
            number += (byte & 127) * scale;
            scale *= 128;
        } while (byte >= 128);
        if (this.at - from <= 7) return number;
        let big = 0n;
        for (let i = this.at - 1; i >= from; i--) big = big << 7n | BigInt(bytes[i] & 127);
        return big;
    }
    signed() {
        const n = this.next();
        return typeof n === 'bigint' ? (n & 1n ? -(n >> 1n) - 1n : n >> 1n) : n % 2 ? -(n + 1) / 2 : n / 2;
    }
    fill(array) {
        for (let i = 0; i < array.length; i++) array[i] = Number(this.next());
        return array;
    }
}

// Adds two signed integers modulo 2^64. Returns a number if a double holds the sum, else a BigInt.
function sum64(a, b) {
    if (typeof a === 'number' && typeof b === 'number' && Math.abs(a + b) <= SAFE) return a + b;
    const sum = BigInt.asIntN(64, BigInt(a) + BigInt(b));
    return sum >= -SAFE && sum <= SAFE ? Number(sum) : sum;
}

function readKinds(style, columns, texts) {
    const column = (which, Type) => new Varints(columns[which]).fill(new Type(style.length));
    const text = number => number ? texts[number - 1] : '';
    return { count: style.length, style, domain: Array.from(column(0, Uint32Array), text),
             text: Array.from(column(1, Uint32Array), text),
             label: Array.from(column(4, Uint32Array), text), color: column(2, Float64Array),
             category: column(3, Uint32Array) };
}

function readPaths(parents, kinds) {
    const n = parents.reduce((sum, byte) => sum + (byte < 128), 0), from = new Varints(kinds);
    const paths = { count: n, parent: new Varints(parents).fill(new Uint32Array(n)), kind: new Uint32Array(n) };
    for (let i = 0, kind = 0; i < n; i++) {
        paths.kind[i] = kind += from.signed();
        paths.parent[i] = i - paths.parent[i];
    }
    return paths;
}

// Reads the columns that have values for some entries only: payloads, values, sums of merged entries, threads.
function readValues(pack, blocks, merged) {
    const [values, numbers, threads] = [blocks.value, blocks.merged, blocks.thread].map(block => new Varints(block));
    const view = new DataView(blocks.real.buffer, blocks.real.byteOffset, blocks.real.byteLength);
    let at = 0;
    const real = () => view.getFloat64((at += 8) - 8, true);
    for (const track of pack.tracks) {
        let before = 0;
        for (let i = track.first; i < track.first + track.count; i++) {
            const type = pack.flags[i] >> 1 & 7;
            if (track.style === COUNTER || PAYLOAD_REALS.includes(type)) {
                pack.value[i] = real();
            } else if (type === PAYLOAD_TEXT) {
                pack.value[i] = values.next();
            } else if (type) {
                before = sum64(before, values.signed());
                pack.value[i] = Number(before);
                if (typeof before === 'bigint') pack.big.set(i, before);
            }
            if (track.style === COUNTER && merged) pack.least[i] = pack.most[i] = pack.total[i] = pack.value[i];
            if (pack.count[i] > 1) {
                const next = track.style === COUNTER ? real : () => Number(numbers.next());
                const order = track.style === COUNTER ? ['least', 'most', 'total'] : ['total', 'least', 'most'];
                for (const each of order) pack[each][i] = next();
            }
            if (track.style === START_END) pack.threads.set(i, [threads.next(), threads.next()]);
            if (pack.flags[i] & LAUNCHED) {
                pack.launcher[i] = threads.next();
                pack.launch[i] = pack.start[i] - Number(threads.signed());
            }
        }
    }
}

function readOff(pack, numbers) {
    pack.offWidth = numbers.next();
    const first = Number(numbers.signed()), { threads, end } = pack.head;
    for (const thread of threads) {
        if (!numbers.next()) continue;
        const parts = [], drawn = [];
        for (let at = first; at < end; drawn.push(at)) {
            parts.push([0, 1, 2, 3].map(() => Number(numbers.next())));
            at += parts.at(-1).reduce((sum, ns) => sum + ns);
        }
        const state = ns => ns.filter(each => each).length > 1 ? UNKNOWN : ns.findIndex(each => each);
        thread.off = { drawn, parts, start: [first, ...drawn], state: parts.map(state), row: parts.map((_, i) => i) };
    }
}

// The track of an entry.
const trackOf = (pack, e) => pack.tracks.findLast(each => each.first <= e && each.count);

async function readPack(base64) {
    const bytes = await inflated(base64), view = new DataView(bytes.buffer), blocks = [];
    for (let at = 0; at < bytes.length; at += 4 + blocks[blocks.length - 1].length)
        blocks.push(bytes.subarray(at + 4, at + 4 + view.getUint32(at, true)));
    const [json, style, domain, text, color, category, parent, kind, start, length, path, count, inner, flags, value,
           real, merged, thread, label, off] = blocks;
    const head = JSON.parse(new TextDecoder().decode(json)), n = flags.length;
    const column = (block, Type) => new Varints(block).fill(new Type(n));
    const pack = { head, n, kinds: readKinds(style, [domain, text, color, category, label], head.texts),
                   paths: readPaths(parent, kind), tracks: head.tracks, start: new Float64Array(n), flags,
                   length: column(length, Float64Array), path: column(path, Uint32Array),
                   count: column(count, Float64Array), inner: column(inner, Float64Array), value: new Float64Array(n),
                   big: new Map(), threads: new Map(), merged: merged.length > 0 || head.width > 0 };
    const starts = new Varints(start);
    let first = 0;
    for (const track of pack.tracks) track.unit = head.texts[track.unit - 1] || '';
    pack.tracks.forEach((track, number) => {
        track.first = first;
        track.number = number;
        for (let i = first, at = 0; i < first + track.count; i++)
            pack.start[i] = at += Number(i === first ? starts.signed() : starts.next());
        first += track.count;
    });
    for (let i = 0; i < n; i++) pack.count[i]++;
    for (const each of ['total', 'least', 'most']) pack[each] = pack.merged ? pack.length.slice() : pack.length;
    const launches = flags.some(each => each & LAUNCHED) ? n : 0;
    [pack.launch, pack.launcher] = [new Float64Array(launches).fill(NaN), new Uint32Array(launches)];
    readValues(pack, { value, real, merged, thread }, pack.merged);
    if (off) readOff(pack, new Varints(off));
    return pack;
}
