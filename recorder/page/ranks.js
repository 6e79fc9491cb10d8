// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The view of ranks: how late each rank comes, over time, to the range that all ranks leave together, as `nvtxh ranks`
// prints it. Darker is later.
const RANK_LABELS = 110; // width
const ranksOf = () => model.packs.at(-1).head.ranks;

// The line and the cell at a place of the canvas; undefined: none, or the rank's arrival is not known.
function rankAt({ offsetX, offsetY }) {
    const { clientWidth, clientHeight } = $('ranks-canvas'), { lines } = ranksOf();
    const line = lines[Math.floor(offsetY / clientHeight * lines.length)];
    const cell = line && Math.floor((offsetX - RANK_LABELS) / (clientWidth - RANK_LABELS) * line[4].length);
    return Number.isFinite(line?.[5][cell]) ? { line, cell } : undefined;
}

const rankName = ([first, last]) => first === last ? `rank ${first}` : `ranks ${first} to ${last}`;

function drawRanks() {
    const { range, most, lines } = ranksOf(), element = $('ranks-canvas'), { colors } = view;
    const width = element.clientWidth, height = element.clientHeight, tall = height / lines.length;
    const context = prepare(element, width, height), wide = (width - RANK_LABELS) / lines[0][4].length;
    const darkest = most ? `; darkest: ${duration(most)} or more` : '';
    $('ranks-what').textContent = `how late ranks come to ${shown(range, 80)}, over time${darkest}. Click: that moment`;
    paint(context, colors.back, 0, 0, width, height);
    const every = Math.ceil(15 / tall); // of so many lines, one has a label
    lines.forEach((line, i) => {
        const y = i * tall, middle = Math.max(y + tall / 2, 8);
        if (i % every === 0) letters(context, colors.faint, fit(context, rankName(line), RANK_LABELS - 20), 10, middle);
        line[4].forEach((late, k) => {
            context.globalAlpha = late > 0 ? 0.1 + 0.9 * Math.min(1, late / most) : 1;
            const color = late === null ? colors.line : late > 0 ? colors.bad : colors.panel;
            paint(context, color, RANK_LABELS + k * wide, y, wide + 0.5, Math.max(1, tall - (tall > 4)));
        });
        context.globalAlpha = 1;
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
