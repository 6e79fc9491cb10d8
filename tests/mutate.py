#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Do the tests notice small changes of the code? A mutant is one change: < becomes <=, n becomes n + 1, && becomes ||, true becomes false,
a condition is negated, a statement is deleted. Each mutant is put into a copy of the project, what the tests need is built, and the tests
that concern its file run, the likeliest first, until one fails. A mutant that no test finds has lived: a test is missing, or the change
has no effect. Some have none; read a mutant before you write a test for it.

  python3 tests/mutate.py recorder/decode/cursor.c          all mutants of a file, or of a folder
  python3 tests/mutate.py --diff HEAD~1                   those in lines that were changed since a revision
  python3 tests/mutate.py --draw 150 --seed 1             150 of all: some hours. The same seed draws the same ones
  python3 tests/mutate.py --list recorder/decode/cursor.c   prints them, and tries none

A test that fails without the mutant, too, does not count. A mutant that does not compile does not count. One with which a test or the
build hangs is found. Comments, texts, lines of the preprocessor, attributes, static assertions, tables, declarations without a value,
messages, assertions and free() stay as they are. Exit status 1: mutants were tried, and none was found.
"""
import argparse
import collections
import ctypes
import fnmatch
import json
import os
import pathlib
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]
LONGEST = 2400  # seconds for a build, or for one list of tests
# The tests that concern a file, by the beginning of its path: those that find most, then the suites of which all tests that are also in
# the suite "fast" run. Of both, tests that are named after the file run first.
LIBRARY, READERS = 'behaviour lifecycle stats device', 'reader recorder nsight'
TESTS = [
    ('nvtxh/device', 'all/gcc/c model/gcc/c lanes/gcc/c all/gcc/c/driver some/gcc/c/tsan', 'lifecycle'),
    ('nvtxh/capture', 'capture/on/gcc/c/* all/gcc/c', 'behaviour lifecycle'),
    ('nvtxh/instrument', 'stats/functions*/gcc/* stats/settings/gcc/c stats/balance/gcc/cpp examples/09_instrument/recorded', 'stats'),
    ('nvtxh/stats', 'stats/on/gcc/c/* stats_*/on/gcc/c/* stats/*/gcc/c stats/tsan/*', LIBRARY),
    ('nvtxh/payload', 'structs/on/gcc/c/* structs/drawn/gcc/c structs/noext/gcc/c payload/on/gcc/c/* counter/on/gcc/c/* calls/drawn/gcc/c', LIBRARY),
    ('nvtxh/counter', 'structs/on/gcc/c/* counter/on/gcc/c/* calls/drawn/gcc/c', LIBRARY),
    ('nvtxh/core/pretty', 'scope/on/clang/cpp/* methods/drawn/*', LIBRARY),
    ('nvtxh/core/text', 'stats/texts/gcc/c stats_numbers/on/gcc/c/*', LIBRARY),
    ('nvtxh/core/say', 'messages/gcc/c/* slow_reader/gcc/c/* mistakes/gcc/c/*', LIBRARY),
    ('nvtxh/impl/check', 'stats/mistakes/gcc/c mistakes/gcc/c/*', LIBRARY),
    ('nvtxh/', 'calls/drawn/gcc/c race/gcc/c/* plugin/gcc/c/* tsan/gcc/c/*', LIBRARY),
    ('recorder/write/', 'recorder/write/* recorder/stats recorder/hard recorder/captured recorder/full* recorder/beside/*', 'recorder hostile'),
    ('recorder/format/', 'recorder/write/* recorder/ranks/* recorder/command reader/exact_*', READERS),
    ('recorder/output/', 'reader/formats* reader/exact_* reader/widths reader/rows recorder/export_* recorder/nsys* reader/page_holes* reader/page_merged', READERS),
    ('recorder/page/', 'reader/page*', ''),
    ('recorder/elf/', 'reader/list reader/doctor reader/searched recorder/write/functions', ''),
    ('recorder/nsight/', 'nsight/*', ''),
    ('recorder/decode/follow', 'reader/top* recorder/always/* recorder/followed/*', READERS),
    ('recorder/decode/merge', 'reader/*merge* reader/exact_*', READERS),
    ('recorder/decode/snapshot', 'recorder/always/snapshot_* reader/exact_*', READERS),
    ('recorder/decode/', 'reader/engine_* reader/exact_* reader/extended recorder/damage fuzz/reader', READERS),
    ('recorder/analysis/', 'reader/engine_* reader/exact_* reader/filter reader/formats_filtered reader/diff_* reader/ranks* nsight/*', READERS),
    ('recorder/', 'recorder/command recorder/replace recorder/closing/* recorder/always/* reader/exact_* reader/mistakes', READERS),
]
BAD = ('FAIL', 'TIMEOUT', 'ERROR')  # Meson's words for tests
REFUSED = re.compile(r':\d+:\d+: (fatal )?error: |undefined reference to')  # by a compiler or the linker

TOKEN = re.compile(r'''(?P<gap>\s+|\\\n|//[^\n]*|/\*.*?\*/)|(?P<text>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|`(?:[^`\\]|\\.)*`)
    |(?P<number>\.?\d(?:[eE][-+]|[\w.])*)|(?P<word>[A-Za-z_$]\w*)
    |(?P<sign>>>>=?|<<=|>>=|===|!==|=>|->|\+\+|--|\?\?|\?\.|\.\.\.|\*\*|&&|\|\||[-+*/%&|^=!<>]=|<<|>>|.)''', re.VERBOSE | re.DOTALL)
DIRECTIVE = re.compile(r'[ \t]*#(?:/\*.*?\*/|[^\n\\]|\\.)*', re.DOTALL)
REGEX = re.compile(r'/(?:[^/\\\n\[]|\\.|\[(?:[^\]\\]|\\.)*\])+/\w*')  # of JavaScript
PAIRS = '< <=  > >=  == !=  === !==  && ||  + -  * /  & |  << >>  ++ --  += -=  *= /=  |= &=  true false'
OTHER = {a: b for one, two in map(str.split, PAIRS.split('  ')) for a, b in ((one, two), (two, one))}
CLOSER = {'(': ')', '[': ']', '{': '}'}
SMALLER = re.compile(r'(\S+) (?=[<>]=? (\S+) \? (?:\1 : \2|\2 : \1)[;,)])')  # where < and <= are the same
DECLARES = re.compile(r'(struct|union|enum|const|static|unsigned|signed|int|char|long|short|float|double|bool|void|let|var|function|class|async)\b'
                      r'|(?!return|goto)\w+ \**\w')
QUIET = re.compile(r'(\w*(say|message|progress|assert|prefetch|_free|fence)|perror|free|munmap|madvise)\(|f\w+\(.*\bstderr\b|console\.|performance\.'
                   r'|\(void\)\w+;|__asm__', re.IGNORECASE)
LEFT = re.compile('sizeof|offsetof|alignof|__attribute__|_?static_assert', re.IGNORECASE)  # with what follows them in parentheses


class Mutator:
    """Fills `found` with the mutants of a text: (start, end, what stands there instead). clang-format has laid the text out, so that
    operators have white space on both sides if they have two operands. A name in C code is not known to be a type."""

    def __init__(self, text, is_c):
        self.text, self.is_c, self.found, self.tokens, at = text, is_c, set(), [], 0
        while at < len(text):
            match = is_c and (at == 0 or text[at - 1] == '\n') and DIRECTIVE.match(text, at) or TOKEN.match(text, at)
            if match[0] == '/' and not is_c and not (self.tokens and re.search(r'[\w)\]]$', self.tokens[-1][0])):
                match = REGEX.match(text, at) or match
            if match.re is TOKEN and match.lastgroup != 'gap':
                self.tokens.append((match[0], match.start(), match.end(), match.lastgroup))
            at = match.end()
        self.words, self.close, self.open, left = [t[0] for t in self.tokens] + [''] * 2, {}, {}, []
        for i, word in enumerate(self.words):
            if word in CLOSER:
                left.append(i)
            elif left and word == CLOSER[self.words[left[-1]]]:
                self.open[i] = left.pop()
                self.close[self.open[i]] = i
        self.same = {match.end() for match in SMALLER.finditer(text)}
        (self.functions if is_c else self.block)(0, len(self.tokens))

    def source(self, i, end):
        return self.text[self.tokens[i][1]:self.tokens[end - 1][2]]

    def add(self, i, end, new):
        self.found.add((self.tokens[i][1], self.tokens[end - 1][2], new))

    def functions(self, i, end):
        """The bodies of functions, outside of which C has declarations only."""
        has_value = False
        while i < end:
            if self.words[i] == '{' and i in self.close:
                if self.words[i - 1] in (')', 'const', 'noexcept') and not has_value:
                    self.block(i + 1, self.close[i])
                elif self.tokens[i - 1][3] == 'text':  # extern "C"
                    self.functions(i + 1, self.close[i])
                i = self.close[i]
            has_value = self.words[i] == '=' or has_value and self.words[i] not in (';', '}')
            i += 1

    def block(self, i, end, head=''):
        while i < end:
            i = self.statement(i, end, head)

    def statement(self, i, end, head):
        """What begins with token I, in a block that has the word HEAD before it. Returns where the next statement begins: of `if (a) b;`, at b."""
        word, after = self.words[i], self.close.get(i + 1, i)
        if word == '{':
            self.block(i + 1, self.close[i], head)
            return self.close[i] + 1
        if word in (';', 'else', 'do', 'try', 'finally'):
            return i + 1
        if word in ('case', 'default') or self.words[i + 1] == ':':
            return self.words.index(':', i) + 1
        if word in ('if', 'while', 'for', 'switch', 'catch') or self.is_c and self.words[i + 1] == '(' and self.words[after + 1] == '{':
            self.expression(i + 2, after)
            condition = self.source(i + 2, after)
            if word in ('if', 'while') and not re.fullmatch(r'[\w(]*![\w.>(), *[\]-]+|[^&|?!=]+[!=]==?[^&|?!=]+', condition):  # these are negated below
                self.add(i + 2, after, f'!({condition})')
            if self.words[after + 1] != '{':
                return after + 1
            self.block(after + 2, self.close[after + 1], word)
            return self.close[after + 1] + 1
        stop, value = i, None
        while stop < end and self.words[stop] != ';' and not (word in ('function', 'async', 'class') and self.words[stop - 1] == '}'):
            value = stop if value is None and self.words[stop] == '=' else value
            stop = self.close.get(stop, stop) + 1
        text = self.source(i, stop) + ';'
        is_last = self.words[stop + 1] == '}' and (word in ('return', 'continue') or word == 'break' and head == 'switch')
        if not QUIET.match(text) and not LEFT.match(text):
            declares = DECLARES.match(text)
            self.expression(i if not declares or not self.is_c else stop if value is None else value, stop)
            if not declares and not is_last and stop < end and (self.is_c or '{' not in self.words[i:stop]):
                self.add(i, stop + 1, ';')
        return stop + 1

    def expression(self, i, end):
        while i < end:
            word, start, stop, kind = self.tokens[i]
            before, after = self.words[i - 1], self.words[i + 1]
            if LEFT.fullmatch(word) and after == '(':
                i = self.close[i + 1]
            elif word == '{' and not self.is_c and before in (')', '=>'):
                self.block(i + 1, self.close[i])
                i = self.close[i]
            elif kind == 'number':
                self.number(i, word)
            elif word in ('++', '--', 'true', 'false') or word in OTHER and self.text[start - 1].isspace() and self.text[stop].isspace():
                if not re.search('["\'`]', before + after) and start not in self.same:
                    self.add(i, i + 1, OTHER[word])
                    self.edge(i, word)
            elif word == '!' and '!' not in (before, after):
                self.add(i, i + 1, '')
            i += 1

    def number(self, i, word):
        match = re.fullmatch(r'(0|[1-9]\d*)([uUlL]*)', word)
        is_likely = self.words[self.open.get(i + 1, 0) - 1] == '__builtin_expect'
        if match and not is_likely and (self.words[i - 1], self.words[i + 1]) != ('{', '}'):
            number = int(match[1])
            for other in {number + 1, abs(number - 1)} if number < 1000 else {number // 10}:  # of larger ones, another unit
                self.add(i, i + 1, f'{other}{match[2]}')

    def edge(self, i, word):
        """Of `a < n` also `a < n - 1`: one less where `a <= n` is one more."""
        last = i + 1
        while self.words[last + 1] in ('.', '->', '[', '('):
            last = self.close.get(last + 1, last + 2)
        if word in ('<', '<=', '>', '>=') and self.tokens[i + 1][3] == 'word' and self.words[last + 1] in (')', ';', '&&', '||', '?', ':', ','):
            self.add(i + 1, last + 1, self.source(i + 1, last + 1) + (' - 1' if word in ('<', '>=') else ' + 1'))


class Mutant:
    def __init__(self, file, text, start, end, new):
        self.file, self.old, self.new = file, text, text[:start] + new + text[end:]
        self.lines = range(text.count('\n', 0, start) + 1, text.count('\n', 0, end) + 2)
        head, tail = text.rfind('\n', 0, start) + 1, (text + '\n').find('\n', end)
        before, after = (' '.join(line.split()) for line in (text[head:tail], text[head:start] + new + text[end:tail]))
        self.said = f'{file}:{self.lines[0]}: {before} -> {after}'


def git(*arguments):
    return subprocess.run(['git', *arguments], cwd=ROOT, check=True, stdout=subprocess.PIPE, text=True).stdout.split('\n')


def listed(*paths):
    return list(filter(None, git('ls-files', '--cached', '--others', '--exclude-standard', '--', *paths)))


def mutants_of(file):
    text = (ROOT / file).read_text()
    return [Mutant(file, text, *change) for change in sorted(Mutator(text, not file.endswith('.js')).found)]


def changed_lines(revision):
    """{file: numbers of the lines that differ from a revision's}"""
    lines, file = collections.defaultdict(set), None
    for line in git('diff', '-U0', '--no-ext-diff', '--no-color', '--dst-prefix=b/', revision):
        file = line[6:] if line.startswith('+++ b/') else file
        if match := re.match(r'@@ .*\+(\d+)(?:,(\d+))? @@', line):
            lines[file].update(range(int(match[1]), int(match[1]) + int(match[2] or 1)))
    return lines


def chosen(args):
    paths = [os.path.relpath(os.path.abspath(path), ROOT) for path in args.files]
    files = [name for name in listed(*paths) if re.match(r'(nvtxh|recorder)/(?!core/arch).*\.(c|h|js)$', name)]
    mutants = [mutant for file in files for mutant in mutants_of(file)]
    if args.diff:
        lines = changed_lines(args.diff)
        mutants = [mutant for mutant in mutants if lines[mutant.file].intersection(mutant.lines)]
    count = args.draw if args.draw is not None else len(mutants) if paths or args.diff or args.list else 150
    return [mutants[i] for i in sorted(random.Random(args.seed).sample(range(len(mutants)), min(count, len(mutants))))]


class Tree:
    """A copy of the project, with a build of its own."""

    def __init__(self, folder):
        self.folder, self.healthy, self.broken, self.built = folder, set(), set(), set()
        for name in listed():
            if (ROOT / name).is_file():
                self.put(name, (ROOT / name).read_bytes())
        for fetched in (ROOT / 'subprojects').glob('*/meson.build'):  # git ignores these
            shutil.copytree(fetched.parent, folder / 'subprojects' / fetched.parent.name, dirs_exist_ok=True)
        if (ROOT / '.cache').exists() and not (folder / '.cache').exists():
            (folder / '.cache').symlink_to((ROOT / '.cache').resolve())
        if not (folder / 'build' / 'build.ninja').exists():
            subprocess.run(['meson', 'setup', 'build'], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        subprocess.run(['ninja', '-C', 'build', 'build.ninja'], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        targets, tests = (json.loads((folder / 'build' / 'meson-info' / f'intro-{what}.json').read_text()) for what in ('targets', 'tests'))
        files = {target['id']: [os.path.relpath(file, folder / 'build') for file in target['filename']] for target in targets}
        self.needs = {test['name']: {file for target in test['depends'] for file in files.get(target, [])} for test in tests}
        self.suites = {test['name']: {suite.split(':')[-1] for suite in test['suite']} for test in tests}

    def put(self, name, content):
        path = self.folder / name
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            shutil.copymode(ROOT / name, path)

    def lists_for(self, file):
        """The tests that concern a file, in lists that run one after the other. Of tests for several versions of NVTX, that for one."""
        _, likely, suites = next(row for row in TESTS if file.startswith(row[0]))
        known = [name for name, of in self.suites.items() if 'fast' in of or not re.search(r'/3\.\d$', name)]
        likely = [name for pattern in likely.split() for name in fnmatch.filter(known, pattern)]
        rest = [name for name in known if 'fast' in self.suites[name] and self.suites[name] & set(suites.split())]
        own = [name for name in likely + rest if re.search('(^|[/_])' + pathlib.PurePath(file).stem.removeprefix('cmd_'), name)]
        seen = set()
        for names in own if len(own) < 50 else [], likely, rest:
            yield [name for name in dict.fromkeys(names) if name not in seen]
            seen.update(names)

    def command(self, *command):
        """(its status, None if it did not end; what it printed)"""
        with tempfile.TemporaryFile('w+', errors='replace') as output:  # not a pipe, which a process that hangs would keep open
            process = subprocess.Popen(command, cwd=self.folder, stdout=output, stderr=output)
            try:
                process.wait(LONGEST)
            except subprocess.TimeoutExpired:
                pass
            finally:
                status = process.poll()
                process.kill()
                process.wait()
                end_orphans()
            output.seek(0)
            return status, output.read()

    def build(self, names):
        """Builds what tests need. None, or what becomes of the mutant and why."""
        wanted = sorted(self.wanted(names))
        status, said = self.command('ninja', '-C', 'build', *wanted) if wanted else (0, '')
        self.built.update(wanted)
        if status == 0:
            return None
        return ('unbuilt', said) if REFUSED.search(said) else ('found', 'by the build')

    def wanted(self, names):
        return set().union(*(self.needs[name] for name in names))

    def test(self, names):
        """({test: its result}, what those that failed have printed). Ends at the first failure. Other setups than nightly leave out suites."""
        log = self.folder / 'build' / 'meson-logs' / 'testlog-nightly.json'
        log.unlink(missing_ok=True)
        self.command('meson', 'test', '-C', 'build', '--setup', 'nightly', '--no-rebuild', '--maxfail', '1', '-t', '0.3', *names)
        entries = [json.loads(line) for line in log.read_text().splitlines()] if log.exists() else []
        results = {entry['name'].split(' / ')[-1]: entry['result'] for entry in entries if entry['result'] != 'INTERRUPT'}
        return results, ''.join(entry['stdout'] + entry.get('stderr', '') for entry in entries if entry['result'] in BAD)

    def judge(self, mutant):
        """What becomes of a mutant, and why."""
        ran = 0
        try:
            for names in self.lists_for(mutant.file):
                while names := [name for name in names if name not in self.broken]:
                    self.put(mutant.file, mutant.old.encode())
                    if self.wanted(names) - self.built and (wrong := self.build(names)):
                        raise SystemExit(f'mutate.py: the project does not build without a mutant: {wrong}')
                    self.put(mutant.file, mutant.new.encode())
                    if end := self.build(names):
                        return end
                    results, said = self.test(names)
                    failed = next((name for name, result in results.items() if result in BAD), None)
                    if failed and REFUSED.search(said):
                        return 'unbuilt', said
                    if failed and self.is_found(failed, results[failed], mutant):
                        return 'found', 'by ' + failed
                    ran += sum(result == 'OK' for result in results.values())
                    names = [name for name in names if name not in results] if failed else []
        finally:
            self.put(mutant.file, mutant.old.encode())
        return 'lived', f'{ran} tests'

    def is_found(self, name, result, mutant):
        """Has a test failed because of the mutant? It fails again with the mutant, unless it hangs, and passes without."""
        if result != 'TIMEOUT' and self.test([name])[0].get(name) not in BAD:
            return False
        if name not in self.healthy or result == 'TIMEOUT':
            self.put(mutant.file, mutant.old.encode())
            wrong = self.build([name]) or self.test([name])[0].get(name) in BAD
            (self.broken if wrong else self.healthy).add(name)
        return name not in self.broken


def adopt_orphans():
    """Makes this process the parent of what its children leave running."""
    PR_SET_CHILD_SUBREAPER = 36
    if ctypes.CDLL(None, use_errno=True).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0):
        raise OSError(ctypes.get_errno(), 'PR_SET_CHILD_SUBREAPER')


def end_orphans():
    """Kills what tests have left running, in whatever session: with a mutant, a program may record for ever."""
    for stat in pathlib.Path('/proc').glob('[0-9]*/stat'):
        try:
            if int(stat.read_text().rpartition(')')[2].split()[1]) == os.getpid():
                os.kill(int(stat.parent.name), signal.SIGKILL)
                os.waitpid(int(stat.parent.name), 0)
        except OSError:  # it has just ended
            pass


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('files', nargs='*', metavar='FILE', help='files or folders of nvtxh/ and recorder/. None: all, of which 150 are drawn')
    parser.add_argument('--draw', type=int, metavar='N', help='try N of the mutants, drawn at random')
    parser.add_argument('--seed', type=int, metavar='S', default=1, help='of the draw (%(default)s)')
    parser.add_argument('--diff', metavar='REV', help='only mutants in lines that differ from this revision of git')
    parser.add_argument('--list', action='store_true', help='print the mutants, and try none')
    parser.add_argument('--tree', type=pathlib.Path, metavar='DIR', default=ROOT / 'build-mutate', help='the copy, which is kept (build-mutate)')
    args = parser.parse_args()
    mutants, counts = chosen(args), collections.defaultdict(collections.Counter)
    if args.list:
        print('\n'.join(mutant.said for mutant in mutants))
        return 0
    adopt_orphans()
    tree = Tree(args.tree.resolve())
    for mutant in mutants:
        begun = time.monotonic()
        word, why = tree.judge(mutant)
        counts[str(pathlib.PurePath(mutant.file).parent)][word] += 1
        print(f'{word:7} {mutant.said} ({"did not compile" if word == "unbuilt" else why}, {time.monotonic() - begun:.0f} s)', flush=True)
    if tree.broken:
        print('Left out, because they fail without a mutant, too: ' + ' '.join(sorted(tree.broken)))
    print(f'{"module":20}{"mutants":>8}{"found":>8}{"lived":>8}')
    for module, count in sorted(counts.items()):
        print(f'{module:20}{count["found"] + count["lived"]:8}{count["found"]:8}{count["lived"]:8}')
    total = sum(counts.values(), collections.Counter())
    tried = total['found'] + total['lived']
    print(f'{tried} mutants, {total["found"]} found ({100 * total["found"] / max(tried, 1):.0f} %), {total["lived"]} lived, '
          f'{total["unbuilt"]} did not compile')
    return 1 if tried and not total['found'] else 0


if __name__ == '__main__':
    sys.exit(main())
