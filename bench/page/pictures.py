#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""pictures.py BUILD: makes docs/pictures again, of a recording of examples/01_train."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / 'tests'))
from harness.browser import Browser, find  # noqa: E402

# {picture: [its height, what is done before it is taken]}
PICTURES = {
    'timeline': [560, """(() => { setTheme('light'); const pack = model.packs[0], lane = model.lanes[0], step = lane.rows[1][Math.floor(lane.rows[1].length / 2)];
                   const from = pack.start[step]; show(from - 3e6, from + 9e6); const inner = lane.rows[2][firstAfter(pack, lane.rows[2], from)];
                   select(pack, inner); setSelection([from, from + 5e6]); })()"""],
    'flame': [180, "setTheme('dark')", "setSelection(null)", "select(null, -1)", "showTab('flame')"],
}


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory() as folder, Browser(size=(1100, 560)) as browser:
        rec, page = pathlib.Path(folder, 'train.nvtxh'), pathlib.Path(folder, 'train.html')
        nvtxh = build / 'recorder' / 'nvtxh'
        subprocess.run([nvtxh, 'record', '-o', rec, '--', build / 'examples' / '01_train', ROOT / 'README.md', '4'], check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([nvtxh, 'view', '--no-open', rec, '-o', page], check=True)
        browser.open(page.as_uri())
        browser.evaluate("new Promise(r => { const look = () => { try { model.ready.then(() => r(1)); } catch (e) { setTimeout(look, 5); } }; look(); })")
        for name, (height, *steps) in PICTURES.items():
            for step in steps:
                browser.evaluate(f'{step}, 0')
            browser.evaluate('new Promise(r => requestAnimationFrame(() => requestAnimationFrame(() => r(1))))')
            browser.screenshot(ROOT / 'docs' / 'pictures' / f'{name}.png', 1100, height)


if __name__ == '__main__':
    main()
