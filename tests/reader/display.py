#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Reports as people see them: width, letters, colours, rows."""
import math
import os
import random
import re
import shutil
import unicodedata

from harness import driver
from harness.checks import equal, optional, require
from harness.screens import Tmux, on_terminal
import commands
import synthetic

ESCAPE = re.compile('\033\\[[0-9;]*[mK]')
LONG = 'a message of many words that no terminal has room for ' * 5 + 'and its end'
WIDE = '日本語のメッセージ'
HOSTILE = '\U0001F1E9\U0001F1EAx\033[31m\nred\u202edlrow\u009b31mé\x07'


def width_of(line):
    """Columns of a terminal, by Unicode's tables. A flag is two letters, each of which is counted as two columns: a terminal that joins
    the letters needs fewer."""
    return sum(0 if unicodedata.category(c) in ('Mn', 'Me', 'Cf') else
               2 if unicodedata.east_asian_width(c) in 'WF' or '\U0001F1E6' <= c <= '\U0001F1FF' else 1 for c in line)


def terminal(bench, *arguments, columns=80, lines=24, locale='C.UTF-8', status=0, stderr=False, **environment):
    """What is printed on a terminal of this size, with its colours."""
    settings = {k: v for k, v in os.environ.items() if k not in ('COLUMNS', 'LINES', 'NO_COLOR', 'LANG')}
    settings.update({'TERM': 'xterm-256color', 'LC_ALL': locale, **environment})
    return on_terminal(bench.nvtxh, *arguments, columns=columns, lines=lines, status=status, stderr=stderr,
                       env=settings).replace('\r\n', '\n')


def many(bench, count=50):
    """Ranges of all sizes with names of all kinds, marks, counters, threads."""
    recording = synthetic.Recording(end=10**12)
    process = recording.process()
    process.domain(1, 'lib')
    process.names.long(synthetic.THREAD, 201, b'helper')
    thread = process.thread(100)
    at = 0
    thread.push(at, 'outermost', color=0xff00ff00)
    for i, name in enumerate([LONG, WIDE, HOSTILE, 'e\u0301tude']):
        at = thread.ranges(name, [10**9 >> 3 * i] * 3, at=at + 10, domain=1, color=0xffff8000)
    for i in range(count):
        at = thread.ranges(f'range number_{i}', [900 + i], at=at + 10)
    thread.pop(at + 10)
    for i in range(30):
        thread.mark(at + 20 + i, f'mark {i}')
    helper = process.thread(201)
    helper.ranges('of the helper', [12, 3456], at=5)
    return recording.write(bench.here('many.nvtxh'))


def is_aligned(head, line):
    """Whether each cell of the line ends where its title ends, or begins where that begins, or is empty."""
    def cells(text):
        return [c for character in text for c in [character] * max(0, width_of(character))] + [' '] * 300
    row = [' ', *cells(line)]
    for title in list(re.finditer(r'\S+( \S+)*', ''.join(cells(head)).rstrip()))[1:]:  # in the first column, names may be indented
        begin, end = title.start() + 1, title.end() + 1
        if not ''.join(row[begin:end]).isspace() and not (row[begin] != ' ' == row[begin - 1]) and not (row[end - 1] != ' ' == row[end]):
            return False
    return True


def case_widths(bench):
    """No line is wider than a terminal of 60 to 200 columns, in UTF-8 and in ASCII; a wider terminal shows no fewer columns, one as wide
    as the whole table shows that, and what is in a column lies below its title."""
    rec = many(bench)
    reports = {'stats': ['stats', rec], 'threads': ['stats', '--by', 'thread', rec], 'tree': ['tree', rec], 'diff': ['diff', rec, rec],
                'list': ['list', commands.build(bench, 'gcc', 'annotated')], 'unit': ['stats', '--unit', 'ns', rec],
                'all': ['stats', '--limit', '0', rec], 'some': ['stats', '--columns', 'name,style,total,p99,med,min,max,avg', rec]}
    if 'libelf' not in bench.run('--version').stdout.split('without')[0]:
        del reports['list']
    for name, command in reports.items():
        for locale in 'C.UTF-8', 'C':
            before = 0
            for columns in 20, 60, 80, 100, 120, 200:
                out = ESCAPE.sub('', terminal(bench, *command, columns=columns, locale=locale))
                require('\033' not in out and '\u202e' not in out and '\u009b' not in out, 'what a message says to a terminal', out)
                if locale == 'C':
                    require(out.isascii(), name, out)
                lines = out.splitlines()
                for line in lines:
                    require(line.isprintable() and width_of(line) <= columns, f'{name} at {columns} in {locale}: {width_of(line)}', line)
                    require(line == line.rstrip(), 'blanks at the end', repr(line))
                heads = len(re.split(' {2,}', lines[0].strip()))
                require(heads >= before, f'{name}: {heads} columns at {columns}, {before} before', lines[0])
                before = heads
                if name != 'list':
                    table = lines[:next((i for i, line in enumerate(lines) if not line or line.startswith('and ')), len(lines))]
                    require(all(is_aligned(table[0], line) for line in table), f'{name} at {columns} in {locale}', *(line for line in table if not is_aligned(table[0], line)))
                if columns == 80 and name in ('stats', 'tree'):
                    require(heads >= 4 and ('Count' in lines[0] or name == 'tree'), 'what matters most', lines[0])
            whole = terminal(bench, *command, columns=400, locale=locale)
            least = max(width_of(line) for line in ESCAPE.sub('', whole).splitlines())
            equal(terminal(bench, *command, columns=least, locale=locale), whole, f'{name} in {locale}, just as wide')
            require(terminal(bench, *command, columns=least - 1, locale=locale) != whole, f'{name} in {locale}, too narrow')
    # The least, the percentiles and the largest stand in order where all have room; a name keeps 20 columns of 40, so other columns go.
    for columns, wanted in (40, ['Range', 'Total', 'Share']), (200, ['Range', 'Total', 'Share', 'Self', 'Count', 'Avg', 'Min', 'Med', 'P90', 'P99', 'Max', 'StdDev', 'Style']):
        lines = ESCAPE.sub('', terminal(bench, 'stats', rec, columns=columns)).splitlines()
        equal(lines[0].split(), wanted, f'columns at {columns}')
        require(columns > 40 or '  lib:a mess…d its end ' in lines[2].replace('■', ' '), 'a name at 40 columns', *lines)
    # Numbers are whole where there is room for one.
    runs = []
    for run in range(6):
        recording = synthetic.Recording(end=10**9)
        recording.process().thread(100).ranges('work', [10**6 + run * 1000 + i for i in range(9)])
        runs.append(recording.write(bench.here(f'run{run}.nvtxh')))
    for command in ['diff', '--columns', 'p', *runs[:3], '--', *runs[3:]], ['stats', '--columns', 'max,name', runs[0]]:
        for columns in 3, 7, 9, 20:
            out = ESCAPE.sub('', terminal(bench, *command, columns=columns, locale='C')).split('\n')[1]
            require(columns == 3 or re.match(r' *(1\.00 ms|0\.\d{4})( |$)', out), f'{command[0]} at {columns}', out)
    # $COLUMNS comes before the terminal.
    out = ESCAPE.sub('', terminal(bench, 'stats', rec, columns=200, COLUMNS='60'))
    require(max(map(width_of, out.splitlines())) <= 60, out)
    # Names are shortened in their middle, and only where there is no room.
    out = terminal(bench, 'stats', rec, columns=100)
    require(re.search('lib:a message of many.*….*and its end', out), out)
    require('lib:' + WIDE in out and 'range number_49' in out and 'lib:' + LONG not in out, out)
    require('lib:' + LONG in terminal(bench, 'stats', rec, columns=len(LONG) + 60), 'a name for which there is room')
    # A shortened name fills its column, 2/5 of the terminal; of what is kept, the larger half is the beginning.
    recording = synthetic.Recording(end=10**9)
    name = ''.join(chr(33 + i) for i in range(90) if chr(33 + i) != '.')
    recording.process().thread(100).ranges(name, [1000])
    rec = recording.write(bench.here('one.nvtxh'))
    for locale, dots in ('C.UTF-8', '…'), ('C', '...'):
        for columns in range(40, 61, 5):
            shown = ESCAPE.sub('', terminal(bench, 'stats', '--columns', 'name', rec, columns=columns, locale=locale)).splitlines()[1].strip()
            kept = columns * 2 // 5 - len(dots)
            equal(shown, name[:kept - kept // 2] + dots + name[-(kept // 2):], f'{columns} in {locale}')


def bar_of(part, width, locale):
    """The bar of a part of 1, in eighths of a character where there are letters for these."""
    eighths = math.floor(part * width * 8 + .5)
    return '#' * ((eighths + 4) // 8) if locale == 'C' else '█' * (eighths // 8) + ' ▏▎▍▌▋▊▉'[eighths % 8].strip()


def case_bars(bench):
    """The bar behind a share is as long as the share, that of the largest part of a histogram as long as there is room."""
    rng = random.Random(2)
    totals = {f'range {i}': int(10 ** rng.uniform(2, 7)) for i in range(40)}
    recording = synthetic.Recording(end=10**9)
    thread, at = recording.process().thread(100), 1000
    for name, total in totals.items():
        at = thread.ranges(name, [total], at=at)
    for duration in (int(rng.lognormvariate(9, 1)) + 1 for _ in range(999)):
        at = thread.ranges('x', [duration], at=at)
        totals['x'] = totals.get('x', 0) + duration
    path = recording.write(bench.here('bars.nvtxh'))
    parts = [int(row['Instances']) for row in bench.table('stats', '--csv', '--histogram', 'x', path)]
    for locale in 'C', 'C.UTF-8':
        environment = {**os.environ, 'LC_ALL': locale}
        table = bench.run('stats', '--limit', '0', '--columns', 'share,name', path, env=environment).stdout.partition('\nFindings:')[0]
        lines = table.splitlines()[1:]
        found = {name: bar for bar, name in (re.fullmatch(r' *[\d.]+ % (\S*) +(\S.*)', line).groups() for line in lines)}
        busy = sum(totals.values())
        equal(found, {name: bar_of(total / busy, 10, locale) for name, total in totals.items()}, f'shares in {locale}')
        lines = bench.run('stats', '--columns', 'share', '--histogram', 'x', path, env=environment).stdout.splitlines()[1:]
        equal([line.partition('%')[2].strip() for line in lines], [bar_of(part / max(parts), 30, locale) for part in parts], f'histogram in {locale}')
        with optional():
            out = on_terminal(bench.nvtxh, 'stats', '--columns', 'share,name', '--color', 'always', path, columns=80, lines=90, env={**environment, 'TERM': 'xterm'})
            for line in out.partition('Findings:')[0].rstrip().splitlines()[1:]:
                colored = re.search('\033\\[34m(\\S+)\033\\[0m', line)
                equal(colored and colored[1], found[line.rstrip().split('  ')[-1].strip()] or None, 'colour of a bar')


def case_pipe(bench):
    """In a pipe, every name is whole and no column is missing, whatever the locale; times have units, and shares have bars."""
    rec = many(bench)
    for locale in 'C', 'C.UTF-8':
        environment = {k: v for k, v in os.environ.items() if k not in ('COLUMNS', 'LANG')}
        out = bench.run('stats', rec, env=dict(environment, LC_ALL=locale, TERM='xterm')).stdout
        require('lib:' + LONG in out and 'lib:' + WIDE in out, locale, out)
        require('\033' not in out and 'more;' not in out and 'range number_0' in out, locale, out)
        for title in ('Total', 'Share', 'Count', 'Avg', 'Self', 'P99', 'Med', 'Max', 'Min', 'P90', 'StdDev', 'Style'):
            require(re.search(rf'\b{title}\b', out.splitlines()[0]), title, out.splitlines()[0])
        require(re.search(r'outermost +3\.43 s +\d+\.\d % ' + ('#+' if locale == 'C' else '█+'), out), out)
        bars = [(float(share), bar) for share, bar in re.findall(r' (\d+\.\d) %( #*)', out)] if locale == 'C' else []
        require(all(abs(len(bar.strip()) - share / 10) < 0.57 for share, bar in bars), 'a # is a tenth, and a bar is rounded to eighths first', bars)
        require(re.search(r' 949 ns ', out) and ('3.46 µs' if locale != 'C' else '3.46 us') in out, 'units', out)
    require('100 made-up' in bench.run('stats', '--by', 'thread', rec).stdout, 'the name of a main thread')
    out = bench.run('stats', '--unit', 'us', rec).stdout
    require('Total (us)' in out and re.search(r'outermost +3,4\d\d,\d\d\d\.\d\d\d ', out), '--unit', out)


def case_rows(bench):
    """A terminal gets as many rows as it has lines for, and the number of the others. --limit and --columns override that, also for CSV and JSON."""
    rec = many(bench)
    with optional():
        out = ESCAPE.sub('', terminal(bench, 'stats', rec, lines=30))
        require(re.search(r'^and 3\d more; --limit 0 shows all$', out, re.MULTILINE), out)
        require(re.search(r'^and 1\d more', out[out.index('Mark'):], re.MULTILINE), 'marks', out)
        for lines in 5, 17, 25, 40:  # $LINES comes before the terminal; 6 lines are not rows, and at least 10 are
            out = ESCAPE.sub('', terminal(bench, 'stats', rec, lines=30, LINES=str(lines)))
            equal(int(re.search(r'^and (\d+) more', out, re.MULTILINE)[1]), 56 - max(10, lines - 6), f'{lines} lines')
        require('more' not in terminal(bench, 'stats', rec, '--limit', '0'), '--limit 0')
    require('and 54 more' in bench.run('stats', '--limit', '2', rec).stdout, '--limit 2 in a pipe')
    equal(len(bench.table('stats', '--csv', '--limit', '3', rec)), 3, 'rows of CSV')
    equal(bench.run('stats', '--csv', '--limit', '0', rec).stdout, bench.run('stats', '--csv', rec).stdout, '--limit 0 of CSV')
    recording = synthetic.Recording()
    recording.process().thread(100).ranges('a\nb\tc\x01d', [5])
    require(r'a\nb\tc\x01d' in bench.run('stats', recording.write(bench.here('lines.nvtxh'))).stdout, 'lines and tabs in a name')
    equal(bench.run('stats', '--csv', '--limit', '1', '--columns', 'instances,name', rec).stdout, 'Instances,Range\n1,outermost\n',
          '--columns')
    equal(re.split(' {2,}', bench.run('stats', '--columns', 'max,name', rec).stdout.splitlines()[0].strip()), ['Max', 'Range'],
          'the order of --columns')
    recording = synthetic.Recording()
    thread = recording.process().thread(100)
    for i in range(60):
        thread.mark(1000 + i, f'mark {i}')
    thread.ranges('work', [100] * 3, at=2000)
    with optional():
        out = terminal(bench, 'top', '--once', recording.write(bench.here('marks.nvtxh')), lines=30)
        require('and 48 more' in out, 'a table below another has half of the lines', out)
    recording = synthetic.Recording()
    thread = recording.process().thread(100)
    thread.start(1000, 7, 'request')
    thread.end(5000, 7)
    out = bench.run('stats', recording.write(bench.here('requests.nvtxh'))).stdout
    require('Avg' in out and 'Self' not in out, 'a column without anything in it', out)
    for bad, wanted in (('nam', 'did you mean name?'), ('name,,max', '--columns'), ('name,name', 'name twice'), ('Count,instances', 'instances twice')):
        require(wanted in bench.run('stats', '--columns', bad, rec, status=2).stderr, bad)
    # --columns also knows a column by the heading that people see.
    for titles, keys in (('Count,range,STDDEV', 'instances,name,stddev'), ('Med A,verdict', 'med_a,verdict')):
        command = ['diff', rec, shutil.copy(rec, bench.here('again.nvtxh'))] if 'Med A' in titles else ['stats', rec]
        equal(bench.run(*command, '--csv', '--columns', titles).stdout, bench.run(*command, '--csv', '--columns', keys).stdout, titles)
    equal(bench.run('stats', '--sort', 'count', rec).stdout, bench.run('stats', '--sort', 'instances', rec).stdout, '--sort count')


def case_no_room(bench):
    """Columns that the user asked for stay; those without room, even with shortened names, are reported as left out."""
    rec = many(bench)
    wanted = ['Range', 'Total', 'Min', 'Max', 'Med', 'Avg']
    out = ESCAPE.sub('', terminal(bench, 'stats', '--columns', 'name,total,min,max,med,avg', rec, columns=60))
    equal(out.splitlines()[0].split(), wanted, 'columns')
    for columns, left in (60, ''), (30, '30 columns are too narrow for med, avg; '):
        done = terminal(bench, 'stats', '--name', 'helper', '--columns', 'name,total,min,max,med,avg', rec, columns=columns, stderr=True)
        said = [line for line in ESCAPE.sub('', done).splitlines() if 'too narrow' in line]
        require(len(said) == (1 if left else 0) and all(left in line for line in said), columns, done)


def case_colors(bench):
    """Colours as --color and NO_COLOR say; ranges have a mark of their own colour."""
    rec = many(bench)
    with optional():
        out = terminal(bench, 'stats', rec)
        require('\033[1m' in out and re.search('\033\\[38;5;46m■\033\\[0m outermost', out), 'the mark', out[:500])
        require(re.search('\033\\[38;5;46m\\*\033\\[0m +outermost', terminal(bench, 'tree', rec, locale='C')), 'ASCII')
        for quiet in {'NO_COLOR': '1'}, {'TERM': 'dumb'}:
            out = terminal(bench, 'stats', rec, **quiet)
            require('\033' not in out and '■' not in out, quiet, out)
        require('\033[1m' in terminal(bench, 'stats', rec, NO_COLOR=''), 'an empty NO_COLOR says nothing')
        require('\033' not in terminal(bench, 'stats', '--color=never', rec), 'never')
    require('\033[1m' in bench.run('stats', '--color', 'always', rec, env=dict(os.environ, NO_COLOR='1')).stdout, 'always')
    require('\033' not in bench.run('stats', rec).stdout, 'a pipe')
    # A range keeps its colour where a later instance has none; domains and threads have none.
    recording = synthetic.Recording()
    thread = recording.process().thread(100)
    for at, color in (1, {'color': 0xff00ff00}), (100, {}):
        thread.ranges('once', [10], at=at, **color)
    once = recording.write(bench.here('once.nvtxh'))
    marks = [bench.run(*command, '--color', 'always', once).stdout.count('\033[38;5;46m')
             for command in (['stats'], ['tree'], ['stats', '--by', 'domain'], ['stats', '--by', 'category'], ['stats', '--by', 'thread'])]
    equal(marks, [1, 1, 0, 0, 0], 'marks')
    # Of 256 colours, each of red, green and blue has the nearest of six shades.
    rng, colors = random.Random(5), {}
    recording = synthetic.Recording()
    thread = recording.process().thread(100)
    for i in range(100):
        colors[f'range r{i}'] = tuple(rng.choice([0, 25, 26, 128, 229, 230, 255, rng.randrange(256)]) for _ in range(3))
        thread.ranges(f'range r{i}', [10], at=100 * i, color=int.from_bytes(bytes([255, *colors[f'range r{i}']]), 'big'))
    drawn = recording.write(bench.here('drawn.nvtxh'))
    out = bench.run('stats', '--limit', '0', '--color', 'always', '--columns', 'name', drawn).stdout
    found = {name: int(number) for number, name in re.findall('\033\\[38;5;(\\d+)m\\S\033\\[0m (\\S+ r\\d+)', out)}
    shades = {name: [math.floor(5 * part / 255 + .5) for part in color] for name, color in colors.items()}
    equal(found, {name: 16 + sum(n * 6 ** i for i, n in enumerate(reversed(shade))) for name, shade in shades.items()}, 'colours')


def case_tmux(bench):
    """In a real terminal no line wraps, also after it was made narrower: the screen has the lines of the report."""
    rec = many(bench)
    with Tmux(bench.directory, 120, 70) as tmux:
        for columns in 120, 80, 60:
            tmux.resize(columns, 70)
            for command in 'stats', 'tree':
                report = f'"{bench.nvtxh}" {command} --limit 12 --color never "{rec}"'
                wait = f'until stty size | grep -qx "70 {columns}"; do sleep 0.05; done'
                tmux.type(f'{wait}; clear; stty size; {report} | sed "/^Findings/,\$d" | wc -l; {report}; echo done "{columns} {command}"', 'Enter')
                lines = tmux.seen(rf'^done {columns} {command}\n*\Z').rstrip().splitlines()
                require(f'70 {columns}' in lines, lines)
                shown = lines[lines.index(f'70 {columns}'):]
                table = shown[2:shown.index('Findings:') if 'Findings:' in shown else -1]
                equal(len(table), int(shown[1]), f'lines at {columns}:\n' + '\n'.join(shown))
                require(shown[2].startswith('Range ') and all(width_of(line) <= columns for line in shown), shown)


def case_record(bench):
    """While the program runs, record writes nothing; at the end it is one line, with -q none, but what is wrong is always said."""
    rec = bench.here('rec.nvtxh')
    done = bench.run('record', '-f', '-o', rec, '--', commands.build(bench, 'gcc', 'annotated'))
    require(re.fullmatch(r'nvtxh: \d+ events.*\n', done.stderr), done.stderr)
    equal(bench.run('record', '-q', '-f', '-o', rec, '--', commands.build(bench, 'gcc', 'annotated')).stderr, '', 'with -q')
    require('made no NVTX call' in bench.run('record', '-q', '-f', '-o', rec, '--', 'true').stderr, 'what is wrong is said with -q')


def case_wrote(bench):
    """Every export and merge says what it wrote, how large it is and what to do with it; to a pipe, nothing."""
    rec = many(bench)
    for form in driver.formats(bench.nvtxh):
        out = bench.here(form + '.sqlite')
        done = bench.run('export', '--format', form, rec, '-o', out, status=None)
        if 'built without' in done.stderr:
            continue
        path, size = re.escape(out), r'[\d.]+ (bytes|kB|MB)'
        require(re.fullmatch(rf'nvtxh: wrote ({path}, {size}|\d+ files, \d+ rows, in {path}); \w.*\n', done.stderr), form, done.stderr)
    equal(bench.run('export', '--format', 'csv', rec).stderr, '', 'to a pipe')
    done = bench.run('merge', '-o', bench.here('all.nvtxh'), rec)
    require(re.search(r'wrote .*all\.nvtxh, [\d.]+ kB; next: nvtxh stats ', done.stderr), done.stderr)


if __name__ == '__main__':
    driver.main(globals(), __doc__)
