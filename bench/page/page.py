# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The page of `nvtxh view` in a headless Chromium: how large, how soon there is a picture, how smoothly it moves.

page.py --programs DIRECTORY --train PROGRAM --text FILE --null LIBRARY --nvtxh PROGRAM [--runs N]
"""
import argparse
import os
import pathlib
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parents[1] / 'tests')]
import listeners  # noqa: E402
import report  # noqa: E402
from harness.browser import Browser  # noqa: E402

FOOTNOTE = '''
Headless Chromium without a graphics processor, 1280 x 800; the median of {runs} runs. view: wall time of `nvtxh view`. drawn:
ranges of the page, after short ones were merged. picture: from the beginning of the page's loading to the first whole picture.
draw: the time in which the page draws one picture; frames: a second, in 120 steps of panning, of at most 60, at the worst of
four zooms from the whole to 1/1000 of it. table: until the table of all is there.
'''
READY = """new Promise(r => { const look = () => { try { model.ready.then(() => r(performance.getEntriesByName('first picture')[0].startTime)); }
    catch (e) { setTimeout(look, 5); } }; look(); })"""
PAN = """(async n => {
    show(model.from + model.length * 0.3, model.from + model.length * (0.3 + 1 / %d));
    const times = [], draws = [];
    for (let i = 0; i < n; i++) {
        await new Promise(requestAnimationFrame);
        pan(i < n / 2 ? 0.01 : -0.01);
        const begin = performance.now();
        draw();
        times.push(begin);
        draws.push(performance.now() - begin);
    }
    draws.sort((a, b) => a - b);
    return [draws[n >> 1], 1000 * (n - 1) / (times[n - 1] - times[0])];
})(%d)"""


def measure(page):
    """Of a page: ranges drawn, ms to the first picture, ms of a drawing, frames a second, ms of the table."""
    with Browser(seconds=120) as browser:
        browser.open(page.as_uri())
        picture = browser.evaluate(READY)
        pans = [browser.evaluate(PAN % (zoom, 4 if report.smoke() else 120)) for zoom in (1, 10, 100, 1000)]
        table = browser.evaluate("(() => { const begin = performance.now(); showTab('table'); return performance.now() - begin; })()")
        return [browser.evaluate('model.packs[0].n'), picture, max(p[0] for p in pans), min(p[1] for p in pans), table]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--programs', type=pathlib.Path, required=True)
    parser.add_argument('--train', type=pathlib.Path, required=True)
    parser.add_argument('--text', required=True)
    listeners.arguments(parser)
    parser.add_argument('--runs', type=int, default=3)
    tools = parser.parse_args()
    runs = 1 if report.smoke() else tools.runs
    result = report.Report('page')
    scale = tools.programs / 'scale-small'
    train = tools.train.with_name('train-example') if report.smoke() else tools.train
    rows = [('10^4 ranges', [scale, '1000' if report.smoke() else '10000', '10']),
            ('10^6 ranges', [scale, '1000' if report.smoke() else '1000000', '10']),
            ('5·10^6 ranges, nested', [train, tools.text, '1'])]
    numbers = []
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-') as folder:
        recording, page = pathlib.Path(folder, 'bench.nvtxh'), pathlib.Path(folder, 'bench.html')
        for label, command in rows:
            subprocess.run([str(c) for c in (tools.nvtxh, 'record', '-f', '-o', recording, '--', *command)], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL, check=True)
            begin = time.monotonic()
            done = subprocess.run([tools.nvtxh, 'view', '-f', '--no-open', '-o', page, recording], capture_output=True, text=True)
            if done.returncode:
                result.skip(label, done.stderr.strip())
                continue
            taken = time.monotonic() - begin
            found = [measure(page) for _ in range(runs)]
            drawn, picture, draw, frames, table = (report.median(column) for column in zip(*found))
            numbers.append((label, [taken, os.path.getsize(page) / 1e6, drawn, picture, draw, frames, table]))
    result.table('page', [('view', 's', 1), ('size', 'MB', 2), ('drawn', '', 0), ('picture', 'ms', 0), ('draw', 'ms', 1), ('frames', '1/s', 0),
                          ('table', 'ms', 0)], numbers, FOOTNOTE.format(runs=runs))
    result.write()


if __name__ == '__main__':
    main()
