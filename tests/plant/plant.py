#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""plant.py [--tree DIRECTORY] [--least PERCENT] [--check] [--quick] [--every N] [TABLE | NAME]...: which small bugs do the tests find?
plant.py --fits BUILD: is each bug's text once in its file, and does BUILD have all tests that are named here?

library.py, recorder.py, readers.py, third.py, fourth.py and fifth.py are tables of bugs: a text of a source file and what stands there instead. Each bug in turn
is put into a copy of the project, what the tests need is built, and the tests that may notice run: those that the table names, then
those that FOLDERS below has for its file, until one fails that passes without the bug. A bug that none of them finds has lived: a
test is missing.
Names pick bugs or whole tables. --quick: of FOLDERS only the first list. --every N: each Nth bug. --check runs the tests without a bug first, and leaves out those that fail even so.
Exit status 1: fewer than PERCENT (90) of the bugs were found, or one no longer fits its file.
"""
import argparse
import collections
import ctypes
import fnmatch
import importlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLES = {'library': 'nvtxh/', 'recorder': 'recorder/write/', 'readers': 'recorder/', 'third': '', 'fourth': '', 'fifth': ''}  # where the files of a table are
LONGEST = 2400  # seconds for a build and one of the lists below
# The tests that may find a bug, by the folder of its file: quick ones first.
FOLDERS = [
    ('nvtxh/device', ['all/gcc/c', 'all/gcc/c/driver lanes/gcc/c', 'some/gcc/c/tsan all/clang/c/asan model/gcc/c']),
    ('nvtxh/capture', ['capture/on/gcc/c/* all/gcc/c', 'some/clang/cpp capture/gcc/c/*']),
    ('nvtxh/instrument', ['stats/functions_drawn/gcc/c stats/functions/gcc/cpp stats/functions_names/gcc/cpp stats/functions_reloaded/gcc/c stats/functions_damaged/gcc/c stats/settings/* examples/09_instrument/recorded', 'stats/*']),
    ('nvtxh/stats', ['stats/on/gcc/c/* stats_life/on/gcc/c/* stats_numbers/on/gcc/c/*', 'stats/*']),
    *((prefix, ['structs/on/gcc/c/* structs/drawn/gcc/c counter/on/gcc/c/* payload/on/gcc/c/*', 'structs/noext/gcc/c structs/failext/* refuse/gcc/c* calls/drawn/gcc/c'])
      for prefix in ('nvtxh/payload', 'nvtxh/counter')),
    ('nvtxh/core/pretty', ['scope/on/clang/cpp/* methods/drawn/*', 'all/split/gcc/cpp/3.0']),
    ('nvtxh/core/text', ['stats/texts/gcc/c stats_numbers/on/gcc/c/* stats/environment/gcc/c stats/locale/gcc/c', 'reader/exact_*']),
    ('nvtxh/core/say', ['messages/gcc/c/* slow_reader/gcc/c/*', 'stats/environment/gcc/c mistakes/gcc/c/* recorder/full']),
    ('nvtxh/impl/check', ['check/on/gcc/c/* stats/mistakes/gcc/c mistakes/gcc/c/*', 'signals/gcc/c/* messages/gcc/c/*']),
    ('nvtxh/', ['calls/drawn/gcc/c all/split/gcc/c/3.2', '*/on/gcc/c/* race/gcc/c/3.2 ranges/gcc/c/* forks/gcc/c/* tools/gcc/c/3.2 lock/gcc/c/*',
                'all/split/gcc/cpp/3.0 plugin/gcc/c/* stats/environment/gcc/c stats/drawn/gcc/c stats/signals/gcc/c exits/gcc/c/* sharing/gcc/cpp/* '
                'reentry/gcc/c/* first_fork/gcc/c/* takeback/gcc/c/* signals/gcc/c/* messages/gcc/c/*']),
    ('recorder/write/', ['recorder/write/* recorder/stats recorder/hard recorder/captured', 'recorder/edges/* recorder/handlers/* '
                         'recorder/closing/* recorder/full recorder/threads recorder/family', 'recorder/beside/* recorder/brief/* recorder/ranks/* recorder/always/pause*']),
    ('recorder/format/', ['recorder/write/* recorder/ranks/* recorder/full recorder/command recorder/brief/mistakes recorder/closing/*', 'recorder/always/* '
                          'recorder/stats_only/* reader/top* reader/exact_* reader/types reader/layouts reader/pointers reader/floats reader/formats']),
    ('recorder/export/', ['reader/exact_* reader/formats*', 'recorder/export_* recorder/nsys* reader/merge reader/folded',
                          'reader/perfetto_[ot]* reader/extended reader/open_ranges reader/shared_stream reader/layouts reader/parquet gpu/parquet_drawn']),
    ('recorder/page/', ['reader/page_table reader/page_selection reader/page_diff reader/page_merged reader/page_hits reader/page_busy', 'reader/page*']),
    ('recorder/elf/', ['reader/list reader/doctor']),
    ('recorder/live/', ['reader/top* recorder/stats_only/*', 'reader/engine_* recorder/always/* recorder/followed/*']),
    ('recorder/nsight/', ['gpu/*']),
    ('recorder/derive/', ['reader/merge reader/exact_merge reader/formats_merged recorder/always/snapshot_* recorder/stats_only/*',
                          'reader/ranks_merge recorder/always/* reader/exact_heads reader/exact_windows']),
    ('recorder/sums/', ['reader/exact_* reader/ranks* reader/diff_* gpu/*', 'reader/stats_* reader/tree reader/top* recorder/stats_only/* recorder/stats recorder/table']),
    ('recorder/', ['reader/exact_*', 'reader/stats_* reader/tree reader/filter reader/list reader/mistakes reader/help reader/widths reader/rows '
                   'reader/escaped reader/nameless reader/doctor reader/view reader/temporary recorder/stats recorder/table recorder/command',
                   'reader/diff_* reader/process_ranges reader/extended reader/bytes reader/m* reader/leaked reader/schema* reader/ring_gap '
                   'recorder/export_csv recorder/damage recorder/closing/*',
                   'reader/engine_* reader/ranks* reader/losses reader/clocks* reader/halves* reader/several reader/layouts reader/pointers reader/floats '
                   'reader/counters_drawn reader/covered reader/bars reader/formats reader/arrays reader/types reader/narrow reader/packed reader/enumerators '
                   'reader/orphaned reader/messages_drawn reader/page_holes_drawn',
                   'recorder/always/* recorder/stats_only/* recorder/ranks/* reader/top*']),
]


def sync(tree):
    """The project as it is here, without what git ignores."""
    listed = subprocess.run(['git', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'], cwd=ROOT, check=True,
                            capture_output=True).stdout.decode().split('\0')
    for name in filter(None, listed):
        source, target = ROOT / name, tree / name
        if source.is_file() and not (target.is_file() and source.read_bytes() == target.read_bytes()):
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, target)
    for fetched in (ROOT / 'subprojects').glob('*/meson.build'):  # which git ignores, too
        if not (tree / 'subprojects' / fetched.parent.name).exists():
            shutil.copytree(fetched.parent, tree / 'subprojects' / fetched.parent.name)
    if (ROOT / '.cache').exists() and not (tree / '.cache').exists():
        (tree / '.cache').symlink_to((ROOT / '.cache').resolve())
    if not (tree / 'build' / 'build.ninja').exists():
        subprocess.run(['meson', 'setup', 'build'], cwd=tree, check=True, stdout=subprocess.DEVNULL)
    subprocess.run(['ninja', '-C', 'build', 'build.ninja'], cwd=tree, check=True, stdout=subprocess.DEVNULL)  # new tests


def names_of_tests(build):
    return [test['name'] for test in json.loads((build / 'meson-info' / 'intro-tests.json').read_text())]


def all_bugs():
    return [(table, *bug) for table in TABLES for bug in importlib.import_module(table).PLANTS]


def places_of(old, text):
    """Where a bug's text is in a file, whatever its white space."""
    return list(re.finditer(r'\s+'.join(map(re.escape, old.split())), text))


def fits(build):
    """Prints what does not fit. Returns an exit status."""
    named = [(f'FOLDERS, {prefix}', pattern) for prefix, tiers in FOLDERS for tier in tiers for pattern in tier.split()]
    bad = []
    bad += [f'{name}: {count} bugs have this name' for name, count in collections.Counter(bug[1] for bug in all_bugs()).items() if count > 1]
    for table, name, file, old, _, _, *tests in all_bugs():
        file = TABLES[table] + file
        count = len(places_of(old, (ROOT / file).read_text())) if (ROOT / file).exists() else 0
        bad += [f'{table}, {name}: its text is {count} times in {file}'] if count != 1 else []
        bad += [f'{table}, {name}: FOLDERS has no tests for {file}'] if not any(file.startswith(prefix) for prefix, _ in FOLDERS) else []
        named += [(f'{table}, {name}', pattern) for pattern in ' '.join(tests).split()]
    names = names_of_tests(build)
    bad += [f'{where}: there is no test {pattern}' for where, pattern in named
            if not fnmatch.filter(names, re.sub(r'/3\.\d$', '/*', pattern))]  # a machine need not have each version of NVTX
    print('\n'.join(bad) or f'{len(all_bugs())} bugs, {len(named)} tests')
    return 1 if bad else 0


def end_orphans():
    """Kills what tests have left running, in whatever session: with a bug, a program may record for ever. adopt_orphans has made
    this process their parent."""
    while left := [int(stat.parent.name) for stat in pathlib.Path('/proc').glob('[0-9]*/stat') if parent_of(stat) == os.getpid()]:
        for pid in left:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def parent_of(stat):
    try:
        return int(stat.read_text().rpartition(')')[2].split()[1])
    except OSError:  # it has just ended
        return None


def adopt_orphans():
    PR_SET_CHILD_SUBREAPER = 36
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), 'PR_SET_CHILD_SUBREAPER')


def run(tree, tests, longest=LONGEST, until=1):
    """(the tests that failed, or None if something did not build; how many ran and were not skipped). Ends after UNTIL failures, with 0 after the
    last test. What has not ended after LONGEST s has failed, too."""
    log = tree / 'build' / 'meson-logs' / 'testlog.json'
    log.unlink(missing_ok=True)
    with tempfile.TemporaryFile('w+') as output:  # not a pipe, which what hangs would keep open
        meson = subprocess.Popen(['meson', 'test', '-C', 'build', '--maxfail', str(until), '-t', '0.5', *tests], cwd=tree, stdout=output, stderr=output)
        try:
            status = meson.wait(longest)
        except subprocess.TimeoutExpired:  # the build runs commands, too, and a bug may keep one from ending
            return [f'what does not end in {longest} s'], 0
        finally:
            meson.kill()
            meson.wait()
            end_orphans()
        output.seek(0)
        said = output.read()
    results = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
    if not results and status:
        print(said[-3000:])
        return None, 0
    bad = [r['name'].split(' / ')[-1] for r in results if r['result'] in ('FAIL', 'TIMEOUT', 'ERROR', 'INTERRUPT')]
    return bad, sum(r['result'] != 'SKIP' for r in results)


def wanted(file, more, names, broken, quick):
    """Lists of tests, to be run one after the other."""
    tiers = [more] + next(tiers for prefix, tiers in FOLDERS if file.startswith(prefix))[:1 if quick else None]
    seen = set(broken)
    for tier in tiers:
        matching = [n for n in names if n not in seen and any(fnmatch.fnmatchcase(n, p) for p in tier.split())]
        seen.update(matching)
        if matching:
            yield matching


def is_trusted(name, tier, own):
    """Tests that the bug's row names are trusted; what did not end is no test."""
    return name not in tier or any(fnmatch.fnmatchcase(name, p) for p in own.split())


def plant(tree, names, broken, quick, file, old, new, tests):
    """What became of the bug: (a word, more)."""
    path = tree / file
    text = path.read_text()
    places = places_of(old, text)
    if len(places) != 1:
        return 'lost', f'its text is {len(places)} times in {file}'
    tried, tiers = 0, list(wanted(file, tests, names, broken, quick))
    try:
        while tiers:
            path.write_text(text[:places[0].start()] + new + text[places[0].end():])
            failed, count = run(tree, tiers[0])
            tried += count
            if failed is None:
                return 'unbuilt', file
            # A test that fails by chance, on a busy machine for example, has not found the bug.
            is_found = failed and (is_trusted(failed[0], tiers[0], tests) or run(tree, failed[:1])[0])
            path.write_text(text)
            if is_found and (is_trusted(failed[0], tiers[0], tests) or not run(tree, failed[:1])[0]):
                return 'found', 'by ' + failed[0]
            tiers[0] = [name for name in tiers[0] if name != failed[0]] if failed else []
            tiers = tiers if tiers[0] else tiers[1:]
    finally:
        path.write_text(text)
    return 'lived', f'{tried} tests'


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--tree', type=pathlib.Path, default=ROOT / 'build-plant')
    parser.add_argument('--least', type=float, default=90)
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--quick', action='store_true')
    parser.add_argument('--every', type=int, default=1)
    parser.add_argument('--fits', type=pathlib.Path)
    parser.add_argument('names', nargs='*')
    args = parser.parse_args()
    if args.fits:
        return fits(args.fits)
    adopt_orphans()
    tree = args.tree.resolve()
    tree.mkdir(exist_ok=True)
    sync(tree)
    bugs = all_bugs()
    if args.names:
        bugs = [b for b in bugs if b[0] in args.names or b[1] in args.names]
    bugs = bugs[::args.every]
    names, broken = names_of_tests(tree / 'build'), []
    if args.check:
        patterns = {p for b in bugs for tier in wanted(TABLES[b[0]] + b[2], b[6] if len(b) > 6 else '', names, [], args.quick) for p in tier}
        broken, _ = run(tree, sorted(patterns), 10 * LONGEST, until=0)
        if broken is None or not patterns.issuperset(broken):
            print(broken)
            return 1
        print(f'{len(patterns)} tests; these fail without a bug: {broken}' if broken else f'{len(patterns)} tests, which pass without a bug')
    count = {'found': 0, 'lived': 0, 'lost': 0, 'unbuilt': 0}
    for table, name, file, old, new, breaks, *tests in bugs:
        begun = time.time()
        word, more = plant(tree, names, broken, args.quick, TABLES[table] + file, old, new, tests[0] if tests else '')
        count[word] += 1
        print(f'{word:7} {name}: {more}, {time.time() - begun:.0f} s' + (f': {breaks}' if word == 'lived' else ''), flush=True)
    planted = count['found'] + count['lived']
    share = 100 * count['found'] / planted if planted else 0
    print(f'{planted} bugs planted, {count["found"]} found ({share:.0f} %), {count["lived"]} lived; '
          f'{count["lost"]} no longer fit, {count["unbuilt"]} do not build')
    return 1 if share < args.least or count['lost'] or count['unbuilt'] else 0


if __name__ == '__main__':
    sys.exit(main())
