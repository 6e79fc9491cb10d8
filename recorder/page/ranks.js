// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of ranks: how late each rank comes, over time, to the range that all ranks leave together, as `nvtxh ranks`
// prints it. Below the timeline it has the timeline's labels and scale. The stronger the colour, the later.
const ranksOf = () => model.packs.at(-1).head.ranks;
const rankName = ({ first, last }) => first === last ? `rank ${first}` : `ranks ${first} to ${last}`;

// Where a time is on a map of this width.
const rankX = (time, width) => LABELS + (time - view.from) / (view.to - view.from) * (width - LABELS);

// The line and the cell at a place of the canvas; undefined: there is none. A cell reaches to the next one.
function rankAt({ offsetX, offsetY }) {
    const { clientWidth, clientHeight } = $('ranks-canvas'), { lines } = ranksOf();
    const line = lines[Math.floor(offsetY / clientHeight * lines.length)];
    const cell = line?.at.findLastIndex(time => time !== null && rankX(time, clientWidth) <= offsetX);
    return offsetX > LABELS && cell >= 0 ? { line, cell } : undefined;
}

function drawRanks() {
    const { most, lines } = ranksOf(), element = $('ranks-canvas'), { colors } = view;
    const width = element.clientWidth, height = element.clientHeight, tall = height / lines.length;
    const context = prepare(element, width, height);
    const between = Math.ceil(15 / tall); // from one label to the next: lines. Labels need 15 pixels
    paint(context, colors.back, 0, 0, width, height);
    lines.forEach((line, i) => {
        const top = Math.round(i * tall), bottom = Math.max(top + 1, Math.round((i + 1) * tall) - (tall > 4));
        for (let k = line.at.length - 1, to = Math.round(rankX(model.end, width)); k >= 0; k--) {
            const at = line.at[k], late = line.late[k];
            if (at === null) continue;
            const x = Math.max(LABELS, Math.round(rankX(at, width)));
            context.globalAlpha = late > 0 ? 0.1 + 0.9 * Math.min(1, late / most) : 1;
            paint(context, late > 0 ? colors.bad : colors.panel, x, top, Math.max(0, to - x), bottom - top);
            to = x;
        }
        context.globalAlpha = 1;
        if (i % between === 0) letters(context, colors.faint, rankName(line), 10, Math.max(9, (top + bottom) / 2));
    });
}

function listenRanks() {
    if (!ranksOf()) return;
    const element = $('ranks-canvas'), { range, most } = ranksOf();
    const strongest = most ? `; strongest colour: ${duration(most)} or more` : '';
    $('ranks-what').textContent = `how late ranks come to ${shown(range, 80)}${strongest}. Click: that moment`;
    element.addEventListener('pointermove', event => {
        const { line, cell } = rankAt(event) ?? {};
        element.style.cursor = line ? 'pointer' : '';
        if (!line) return hideTip();
        const late = line.late[cell], word = late < 0 ? 'before' : 'after';
        showTip(event, [rankName(line), `${duration(Math.abs(late), 4)} ${word} the median rank`,
                        `at ${moment(line.at[cell], 1000)}`]);
    });
    element.addEventListener('pointerleave', hideTip);
    element.addEventListener('click', event => {
        const { line, cell } = rankAt(event) ?? {};
        if (line) goToFinding(['', model.packs.length - 1, line.process, line.tid, line.at[cell], range]);
    });
    new ResizeObserver(() => { if (!$('ranks').hidden) drawRanks(); }).observe(element);
}
