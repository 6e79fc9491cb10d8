# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What size costs: 100 call sites in one domain beside 10,000 in 1,000 domains; many events; deep nesting; and a recording of all
that: its size, the time and memory of its readers, and its page in a browser."""
import pathlib
import resource
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import LISTENERS, SMOKE, Bench, measured, median  # noqa: E402
from harness.browser import Browser  # noqa: E402

FOOTNOTE = '''
Processor time; the median of {runs} runs, interleaved. start-up: of the process, before main. first event: the first annotation to run,
which finds and loads the tool and registers every message there is. every site: the sum over all call sites. nested: a scope and its
end, {depth} deep. steady: {events} scopes, three deep, without a pause, in 1000 slices; where a recorder cannot keep up with that, it
shows here and not in the ladder. memory: anonymous memory beyond that at the start; a recording is a file and not in it.
'''
KEPT = '''
One recording of the larger program ({program}; {events} scopes in its loop) and what reads it, a process each. time: processor time.
memory: the most that was resident at once, pages of the files that it has mapped included; for the recording, of the program and the
recorder together. size: of what is written.
'''
PAGE = '''
The page that `export --format html` has made of it, in a headless Chromium without a graphics processor, 1280 x 800. picture: from
the beginning of the page's loading to the first whole picture. draw: the time in which the page draws one picture. frames: a second,
of at most 60, in {steps} steps of panning. Both at the worst of four zooms from the whole to 1/1000 of it.
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


def listened(bench, programs, runs, events, depth):
    """A table for each listener."""
    for listener in LISTENERS if runs else ():
        taken = {}
        for _ in range(runs):
            for sites, program in programs.items():
                for line in bench.call(listener, [program, events, depth]).splitlines():
                    name, value = line.split('\t')
                    taken.setdefault(name, {}).setdefault(sites, []).append(float(value))
        bench.table(f'scale, {listener}', [(sites, '', 1) for sites in programs],
                    {name: [median(values) for values in of_each.values()] for name, of_each in taken.items()},
                    FOOTNOTE.format(runs=runs, events=f'{events:,}', depth=f'{depth:,}'))


def kept(bench, program, events):
    """{step: [time, memory, size]} of a recording and its readers, and the path of its page."""
    recording, page, rows = bench.scratch / 'bench.nvtxh', bench.scratch / 'out.html', {}

    def step(name, output, *command):
        rows[name] = [*measured([bench.nvtxh, *command]), output.stat().st_blocks / 2048 if output else None]

    step('record', recording, 'record', '-q', '-f', '-o', recording, '--', program, events, 10)
    step('stats', None, 'stats', recording, '--csv')
    for form in 'perfetto', 'sqlite', 'html':
        out = bench.scratch / f'out.{form}'
        step(f'export, {form}', out, 'export', recording, '--format', form, '-o', out)
        if out != page:
            out.unlink()
    bench.table('scale, kept', [('time', 's', 1), ('memory', 'MiB', 0), ('size', 'MiB', 1)], rows,
                KEPT.format(program=program.name, events=f'{events:,}'))
    return rows, page


def in_browser(bench, page):
    """The milliseconds to the first picture of the page, and its frames a second."""
    steps = 4 if SMOKE else 120
    with Browser(seconds=300) as browser:
        browser.open(page.as_uri())
        picture = browser.evaluate(READY)
        draws, frames = zip(*(browser.evaluate(PAN % (zoom, steps)) for zoom in (1, 10, 100, 1000)))
    bench.table('scale, page', [('picture', 'ms', 0), ('draw', 'ms', 1), ('frames', '1/s', 0)],
                {'of the recording': [picture, max(draws), min(frames)]}, PAGE.format(steps=steps))
    return picture, min(frames)


def main():
    bench = Bench('scale', events=10 ** 7, runs=3, folder='')
    runs, events, depth = (1, 10 ** 4, 1000) if SMOKE else (bench.asked.runs, bench.asked.events, 10000)
    programs = {'100 sites': bench.programs / 'bench-scale-small'}
    if not SMOKE:  # the large one is not built with all else
        programs['10,000 sites'] = bench.programs / 'bench-scale-large'
        subprocess.run(['ninja', '-C', bench.build, 'bench/bench-scale-large'], check=True, stdout=subprocess.DEVNULL)
    # As deep as NVTX is asked to go; a frame is a few dozen bytes.
    resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    listened(bench, programs, runs, events, depth)
    rows, page = kept(bench, list(programs.values())[-1], events)
    shown = shutil.which('chromium') and in_browser(bench, page)
    if not shown:
        bench.skip('scale, page', 'no Chromium is installed')
    bench.end(f'{events:,} ranges are recorded in {rows["record"][0]:.1f} s of processor time, and read in {rows["stats"][0]:.1f} s; their export',
              *(f'to {form} takes {rows[f"export, {form}"][0]:.1f} s,' for form in ('perfetto', 'sqlite')),
              f'and to a page of {rows["export, html"][2]:.1f} MiB {rows["export, html"][0]:.1f} s.',
              shown and f'The page shows its first picture after {shown[0] / 1000:.1f} s, and draws {shown[1]:.0f} frames a second.')


if __name__ == '__main__':
    main()
