// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of ranks: how late each rank comes, over time, to the range that all ranks leave together, as `nvtxh ranks`
// prints it. Below the timeline it has the timeline's labels and scale. The stronger the colour, the later.
const ranksOf = () => model.packs.at(-1).head.ranks;
const rankName = ([first, last]) => first === last ? `rank ${first}` : `ranks ${first} to ${last}`;

// Where a time is on a map of this width.
const rankX = (time, width) => LABELS + (time - view.from) / (view.to - view.from) * (width - LABELS);

// The line and the cell at a place of the canvas; undefined: there is none. A cell reaches to the next one.
function rankAt({ offsetX, offsetY }) {
    const { clientWidth, clientHeight } = $('ranks-canvas'), { lines } = ranksOf();
    const line = lines[Math.floor(offsetY / clientHeight * lines.length)], at = line?.[5];
    const cell = at?.findLastIndex(time => time !== null && rankX(time, clientWidth) <= offsetX);
    return offsetX > LABELS && cell >= 0 ? { line, cell } : undefined;
}

function drawRanks() {
    const { range, most, lines } = ranksOf(), element = $('ranks-canvas'), { colors } = view;
    const width = element.clientWidth, height = element.clientHeight, tall = height / lines.length;
    const context = prepare(element, width, height), every = Math.ceil(15 / tall); // of so many lines, one has a label
    const strongest = most ? `; strongest colour: ${duration(most)} or more` : '';
    $('ranks-what').textContent = `how late ranks come to ${shown(range, 80)}${strongest}. Click: that moment`;
    paint(context, colors.back, 0, 0, width, height);
    lines.forEach((line, i) => {
        const top = Math.round(i * tall), bottom = Math.max(top + 1, Math.round((i + 1) * tall) - (tall > 4));
        const [, , , , late, at] = line;
        for (let k = at.length - 1, to = Math.round(rankX(model.end, width)); k >= 0; k--) {
            if (at[k] === null) continue;
            const x = Math.max(LABELS, Math.round(rankX(at[k], width)));
            context.globalAlpha = late[k] > 0 ? 0.1 + 0.9 * Math.min(1, late[k] / most) : 1;
            paint(context, late[k] > 0 ? colors.bad : colors.panel, x, top, Math.max(0, to - x), bottom - top);
            to = x;
        }
        context.globalAlpha = 1;
        if (i % every === 0) letters(context, colors.faint, rankName(line), 10, Math.max(9, (top + bottom) / 2));
    });
}

function listenRanks() {
    const element = $('ranks-canvas');
    element.addEventListener('pointermove', event => {
        const { line, cell } = rankAt(event) ?? {};
        element.style.cursor = line ? 'pointer' : '';
        if (!line) return hideTip();
        const late = line[4][cell], word = late < 0 ? 'before' : 'after';
        showTip(event, [rankName(line), `${duration(Math.abs(late), 4)} ${word} the median rank`,
                        `at ${moment(line[5][cell], 1000)}`]);
    });
    element.addEventListener('pointerleave', hideTip);
    element.addEventListener('click', event => {
        const { line, cell } = rankAt(event) ?? {};
        if (line) goToFinding(['', model.packs.length - 1, line[2], line[3], line[5][cell], ranksOf().range]);
    });
    new ResizeObserver(() => { if (!$('ranks').hidden) drawRanks(); }).observe(element);
}
