# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""mutants.py BUILD: what tests/mutate.py changes and what it leaves alone; that it finds the mutants that it should, and restores the
file; and that BUILD has the tests that it names."""
import fnmatch
import json
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from harness.checks import TESTS, equal, need, require
import mutate

C = r'''// a < b, it's a comment
#include <stdio.h> /* 1 < 2
    and 3 + 4 */
#define MORE(a) ((a) + \
                 1)
enum { MOST = 12 };
static const int table[] = {1, 2 + 3};
_Static_assert(sizeof(int) >= 4, "too small");
struct pair { int a[4], *b; };
extern "C" {
__attribute__((aligned(16))) int f(struct pair *p, bool is_on) {
    int zeroes[3] = {0}, n = 7;
    char text[64];
    const char *of = "a + b < 2", c = '<';
    size_t least = p->a[n] < n ? p->a[n] : n;
    _Static_assert(sizeof(text) > 1, "text");
    assert(n > 1);
    fprintf(stderr, "%d\n", n + 1);
    cli_say("n %d", n - 1);
    free(p);
    (void)text;
    if (!is_on && n <= p->b[0]) /* why */
        n -= *of;
    while (!f(p, true))
        p = &(struct pair){.b = zeroes};
    if (n == 3000u)
        goto end;
    switch (n) {
    case 5:
        break;
    default:
        n++;
        break;
    }
end:
    return sizeof(zeroes[2]) * n;
}
}
'''
C_CHANGES = '''12 7 -> 8|12 7 -> 6
22 !is_on && n <= p->b[0] -> !(!is_on && n <= p->b[0])|22 ! -> |22 && -> \\|\\||22 <= -> <|22 p->b[0] -> p->b[0] + 1|22 0 -> 1
23 n -= *of; -> ;|23 -= -> +=
24 ! -> |24 true -> false
25 p = &(struct pair){.b = zeroes}; -> ;
26 == -> !=|26 3000u -> 300u
27 goto end; -> ;
30 break; -> ;
32 n++; -> ;|32 ++ -> --
36 * -> /'''
JS = r'''const most = 3; // a < b
function rows(list) {
    for (const each of list) if (each > most) each.add(`${1 + 2} < ${most}`, /a < "b/g);
    return list.map(each => {
        changed(each);
        return { a: each === 1, b: 'a' + each };
    });
}
'''
JS_CHANGES = '''1 3 -> 4|1 3 -> 2
3 each > most -> !(each > most)|3 > -> >=|3 most -> most + 1|3 each.add(`${1 + 2} < ${most}`, /a < "b/g); -> ;
5 changed(each); -> ;
6 === -> !==|6 1 -> 2|6 1 -> 0'''

PROJECT = {
    'meson.build': '''project('tiny', 'c')
test('reader/list', executable('sum', 'recorder/elf/sum.c'), timeout: 0)
test('reader/doctor', find_program('false'))
test('nsight/wait', executable('wait', 'recorder/nsight/wait.c'), suite: 'slow')
add_test_setup('minutes', is_default: true, exclude_suites: 'slow')
add_test_setup('nightly')
''',
    'recorder/elf/sum.c': '''int idle(int n) {
    return !n;
}
int main(void) {
    int a[4];
    return &a[2] - a != 2;
}
''',
    'recorder/nsight/wait.c': '''#include <stdlib.h>
#include <unistd.h>
int main(void) {
    exit(0);
    for (;;)
        pause();
}
'''}
# What becomes of each change, by the last command's output: the test reader/doctor, which always fails, must find none.
SUM = '''lived   recorder/elf/sum.c:2: return !n; -> return n; (1 tests)
found   recorder/elf/sum.c:6: return &a[2] - a != 2; -> return &a[1] - a != 2; (by reader/list)
found   recorder/elf/sum.c:6: return &a[2] - a != 2; -> return &a[3] - a != 2; (by reader/list)
unbuilt recorder/elf/sum.c:6: return &a[2] - a != 2; -> return &a[2] + a != 2; (did not compile)
found   recorder/elf/sum.c:6: return &a[2] - a != 2; -> return &a[2] - a == 2; (by reader/list)
found   recorder/elf/sum.c:6: return &a[2] - a != 2; -> return &a[2] - a != 1; (by reader/list)
found   recorder/elf/sum.c:6: return &a[2] - a != 2; -> return &a[2] - a != 3; (by reader/list)
found   recorder/nsight/wait.c:4: exit(0); -> ; (by nsight/wait)
found   recorder/nsight/wait.c:4: exit(0); -> exit(1); (by nsight/wait)
lived   recorder/nsight/wait.c:6: pause(); -> ; (1 tests)
'''


def check_changes(text, is_c, wanted):
    found = sorted((text.count('\n', 0, start) + 1, f'{text[start:end]} -> {new}') for start, end, new in mutate.Mutator(text, is_c).found)
    lines = re.split(r'\n|(?<!\\)\|', wanted)
    equal('\n'.join(f'{number} {change}' for number, change in found),
          '\n'.join(line for _, line in sorted((int(line.split()[0]), line.replace('\\|', '|')) for line in lines)), 'changes')


def check_names(build):
    tests = json.loads(pathlib.Path(build, 'meson-info', 'intro-tests.json').read_text())
    names, suites = [test['name'] for test in tests], {suite.split(':')[-1] for test in tests for suite in test['suite']}
    for place, patterns, of in mutate.TESTS:
        for pattern in patterns.split():
            require(fnmatch.filter(names, pattern), f'TESTS in mutate.py, {place}: there is no test {pattern}')
        require(suites.issuperset(of.split()), f'TESTS in mutate.py, {place}: there is no suite that is one of {of}')
    for file in mutate.listed('nvtxh', 'recorder'):
        require(any(file.startswith(row[0]) for row in mutate.TESTS), f'TESTS in mutate.py has no row for {file}')


def check_project(folder):
    def said(*arguments, status=0):
        done = subprocess.run([sys.executable, 'tests/mutate.py', *arguments], cwd=folder, stdout=subprocess.PIPE, text=True)
        equal(done.returncode, status, f'status of {arguments}: {done.stdout}')
        return done.stdout

    for name, text in PROJECT.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    (folder / 'tests').mkdir()
    shutil.copy(TESTS / 'mutate.py', folder / 'tests')
    (folder / '.gitignore').write_text('/build*/\n')
    for command in 'init -q', 'add .', '-c user.name=a -c user.email=a@b commit -q -m all':
        subprocess.run(['git', *command.split()], cwd=folder, check=True)
    equal(len(said('--list').splitlines()), 10, 'mutants')
    equal(said('--list', '--draw', '3', '--seed', '2'), said('--list', '--draw', '3', '--seed', '2'), 'the same seed')

    lines = said('--tree', 'build-here').splitlines(keepends=True)
    equal(''.join(re.sub(r', \d+ s\)', ')', re.sub('compile, .*', 'compile)', line)) for line in lines[:10]), SUM, 'results')
    equal([lines[10].split()[-1], lines[-1]], ['reader/doctor', '9 mutants, 7 found (78 %), 2 lived, 1 did not compile\n'], 'the end')
    for name, text in PROJECT.items():
        equal((folder / name).read_text(), text, name)
        equal((folder / 'build-here' / name).read_text(), text, f'{name} in the copy')

    (folder / 'recorder/elf/sum.c').write_text(PROJECT['recorder/elf/sum.c'].replace('!n', '!!n || n'))
    equal({line.split(' ')[0] for line in said('--list', '--diff', 'HEAD').splitlines()}, {'recorder/elf/sum.c:2:'}, 'mutants of changed lines')


def main():
    check_changes(C, True, C_CHANGES)
    check_changes(JS, False, JS_CHANGES)
    check_names(sys.argv[1])
    need('git', 'meson', 'ninja')
    with tempfile.TemporaryDirectory(prefix='nvtxh-') as folder:
        check_project(pathlib.Path(folder))


if __name__ == '__main__':
    main()
