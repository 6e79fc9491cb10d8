// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Findings: what `nvtxh stats` or `nvtxh diff` prints below its tables, here as links to what they are about.

// The entry that a finding is about: of its range, or of those whose names differ from its only in numbers, the longest
// or highest one at its moment or, without one, of all.
function foundEntry(pack, [, , process, , at, range]) {
    const wanted = range !== null && unnumbered(range);
    const isNamed = pack.groups.map(({ domain, text }) => unnumbered(domain ? `${domain}:${text}` : text) === wanted);
    let best = -1;
    for (let i = 0; i < pack.n; i++) {
        if (!isNamed[pack.kinds.group[kindOf(pack, i)]]) continue;
        if (process >= 0 && trackOf(pack, i).process !== process) continue;
        const isThere = at === null || (pack.start[i] <= at && at <= pack.start[i] + pack.length[i]);
        if (isThere && (best < 0 || mostOf(pack, i) > mostOf(pack, best))) best = i;
    }
    return best;
}

// Scrolls to the lane of a thread's track, and shows a time.
function showLane(pack, track, time) {
    if (model.collapsed.has(processKey(pack, track.process))) collapse(pack, track.process);
    const lane = model.lanes.find(each => each.track === track), half = (view.to - view.from) / 2;
    if (lane) lanesBox.scrollTop = lane.top - lanesBox.clientHeight / 3;
    if (time < view.from || time > view.to) show(time - half, time + half);
}

function goToFinding(finding) {
    const [, number, process, tid] = finding, pack = model.packs[number], e = foundEntry(pack, finding);
    const isMine = ({ thread }) => pack.head.threads[thread]?.tid === tid;
    if (e >= 0) return select(pack, e, true);
    const lost = pack.tracks.filter(track => track.losses?.length).sort((a, b) => a.losses[0][0] - b.losses[0][0])[0];
    const track = pack.tracks.find(each => each.style === PUSH_POP && each.process === process && isMine(each));
    select(null, -1);
    view.thread = track ?? null;
    refresh();
    if (track || lost) showLane(pack, track ?? lost, track ? NaN : lost.losses[0][0]);
}

function fillFindings() {
    const { findings } = model.packs.at(-1).head;
    $('findings').hidden = !findings.length;
    const click = finding => event => { event.preventDefault(); goToFinding(finding); };
    const link = finding => make('a', shown(finding[0]), { href: '#', onclick: click(finding) });
    $('findings').replaceChildren(...findings.map(link));
}
