# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What size costs: 100 call sites in one domain beside 10,000 in 1,000 domains; many events; deep nesting;
and a recording of all that: its size on the disk, the time and memory of its readers, and its page in a browser.

scale.py --programs DIRECTORY --null LIBRARY --nvtxh PROGRAM [--events N] [--runs N] [--formats F,F]
"""
import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402
from harness.browser import Browser  # noqa: E402

FOOTNOTE = '''
Processor time; the median of {runs} runs, interleaved. start-up: of the process, before main. first event: the
first annotation to run, which finds and loads the tool and registers every message there is. every site: the
sum over all call sites. nested: a scope and its end, {depth} deep. steady: {events} scopes, three deep, without a
pause, in 1000 slices; where a recorder cannot keep up with that, it shows here and not in the ladder. memory:
anonymous memory beyond that at the start; a recording is a file and not in it.
'''

KEPT = '''
One recording of the larger program ({program}; {events} scopes in its loop, not deeper than 10) and what reads it, a
process each. time: processor time. memory: the most that was resident at once, pages of the files that it has mapped
included; for the recording, of the program and the recorder together. size: of what is written.
'''

PAGE = '''
The page that `export --to html` has made of it, in a headless Chromium without a graphics processor, 1280 x 800. picture: from
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


def measured(command, **options):
    """Run a command: its processor time in seconds and the most memory it had in MiB."""
    child = subprocess.Popen([str(c) for c in command], stdout=subprocess.DEVNULL, **options)
    _, status, used = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        sys.exit(f'{" ".join(str(c) for c in command)}: exit {child.returncode}')
    return used.ru_utime + used.ru_stime, used.ru_maxrss / 1024


def show(result, page, size):
    """The numbers of a page of so many MiB, as a browser shows it."""
    if not shutil.which('chromium'):
        result.skip('page', 'no Chromium is installed')
        return
    steps = 4 if report.smoke() else 120
    with Browser(seconds=300) as browser:
        browser.open(page.as_uri())
        picture = browser.evaluate(READY)
        pans = [browser.evaluate(PAN % (zoom, steps)) for zoom in (1, 10, 100, 1000)]
    result.table('page', [('size', 'MiB', 2), ('picture', 'ms', 0), ('draw', 'ms', 1), ('frames', '1/s', 0)],
                 [('of the recording', [size, picture, max(p[0] for p in pans), min(p[1] for p in pans)])], PAGE.format(steps=steps))


def kept(result, tools, program, events):
    rows = []
    environment = {k: v for k, v in os.environ.items() if k != 'NVTX_INJECTION64_PATH'}
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-', dir=tools.folder) as folder:
        recording = pathlib.Path(folder, 'bench.nvtxh')

        def step(name, command, output):
            time, memory = measured(command, env=environment)
            mib = output.stat().st_blocks / 2048 if output else None
            rows.append((name, [time, memory, mib]))
            print(f'  {name}: {time:.1f} s, {memory:.0f} MiB', file=sys.stderr, flush=True)
            if output and output.suffix not in ('.nvtxh', '.html'):
                output.unlink()
            return mib

        step('record', [tools.nvtxh, 'record', '-o', recording, '--', program, events, 10], recording)
        step('stats', [tools.nvtxh, 'stats', recording, '--csv'], None)
        for form in tools.formats.split(','):
            out = pathlib.Path(folder, f'out.{form}')
            size = step(f'export, {form}', [tools.nvtxh, 'export', recording, '--to', form, '-o', out], out)
        result.table('scale, kept', [('time', 's', 1), ('memory', 'MiB', 0), ('size', 'MiB', 0)], rows,
                     KEPT.format(program=program.name, events=f'{events:,}'))
        if form == 'html':
            show(result, out, size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--programs', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    parser.add_argument('--events', type=int, default=10 ** 7, help='10^8 is the full run')
    parser.add_argument('--runs', type=int, default=3, help='0: the recording and its readers alone')
    parser.add_argument('--formats', default='perfetto,sqlite,html', help='to export to, with commas between; html last')
    parser.add_argument('--folder', help='for the recording and what it is exported to; 10^8 events want 20 GB')
    tools = parser.parse_args()
    runs, events, depth = (1, 10 ** 4, 1000) if report.smoke() else (tools.runs, tools.events, 10000)
    sizes = ('small',) if report.smoke() else ('small', 'large')
    for size in sizes:
        if not (tools.programs / f'scale-{size}').exists():  # the large one is not built with all else
            subprocess.run(['ninja', '-C', tools.programs.resolve().parents[1],
                            f'bench/scale/scale-{size}'], check=True)
    # As deep as NVTX is asked to go; a frame is a few dozen bytes.
    resource.setrlimit(resource.RLIMIT_STACK, (64 << 20, resource.getrlimit(resource.RLIMIT_STACK)[1]))
    result = report.Report('scale')
    taken = {}
    for _ in range(runs):
        for listener in listeners.LISTENERS:
            for size in sizes:
                done = listeners.call(listener, [tools.programs / f'scale-{size}', events, depth], tools)
                if done.returncode == listeners.SKIP:
                    continue
                for line in done.stdout.splitlines():
                    name, value, unit = line.split('\t')
                    taken.setdefault((listener, size), {}).setdefault((name, unit), []).append(float(value))
    headings = {'small': '100 sites', 'large': '10,000 sites'}
    for listener in listeners.LISTENERS if runs else ():
        if (listener, 'small') not in taken:
            result.skip(listener, 'this version of nvtxh has none')
            continue
        rows = [(f'{name}, {unit}', [report.median(taken[listener, size][name, unit]) for size in sizes])
                for name, unit in taken[listener, 'small']]
        result.table(f'scale, {listener}', [(headings[size], '', 1) for size in sizes], rows,
                     FOOTNOTE.format(runs=runs, events=f'{events:,}', depth=f'{depth:,}'))
    kept(result, tools, tools.programs / f'scale-{sizes[-1]}', events)
    result.write()


if __name__ == '__main__':
    main()
