# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Analysers judge the user's code and not the annotations in it, as docs/cookbook/analysers.md says."""
import json
import re
import subprocess

from harness import toolchain
from harness.checks import ROOT, equal, main, need, require

PAGE = (ROOT / 'docs' / 'cookbook' / 'analysers.md').read_text()
ROWS = re.findall(r'^\| `(NVTX_.*?)` \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$', PAGE, re.MULTILINE)
LANGUAGES = {'c': (0, '-std=gnu11', 'gcc'), 'cpp': (1, '-std=gnu++17', 'g++')}
FUNCTION = '#include "nvtxh.h"\nint work(int n);\nint f(int n);\nint f(int n) {\n    %s\n    return work(n);\n}\n'  # the annotation is line 5


def block(language):
    return re.search(rf'^```{language}\n(.*?)^```$', PAGE, re.MULTILINE | re.DOTALL)[1]


def case_cppcheck(folder):
    """cppcheck finds a planted bug after a scope, in C and C++, with annotations as they are for it, on and off; and says nothing else."""
    need('cppcheck')
    on = re.search('`(-D__GNUC__ .*?)`', PAGE)[1].split()
    for suffix, standard in ('c', 'c11'), ('cpp', 'c++17'):
        (folder / f'bug.{suffix}').write_text(FUNCTION % 'NVTX_SCOPE("x", .payload = nvtxh_payload(n)); int *p = 0; n += *p;')
        for more in [], ['-DNVTX_DISABLE'], on, [*on, '-DNVTXH_NO_IMPL']:
            done = toolchain.run(['cppcheck', '-q', f'--std={standard}', '--template={file}:{line}: {id}', '--suppress=toomanyconfigs', f'-I{ROOT}', *more,
                                  f'bug.{suffix}'], cwd=folder)
            equal(done.stdout.split('\n'), [f'bug.{suffix}:5: nullPointer', ''], f'{suffix} {more}')


def complexity(source, standard, options):
    config = '{CheckOptions: [%s]}' % ', '.join('{key: readability-function-cognitive-complexity.%s, value: %s}' % item for item in options.items())
    done = toolchain.run(['clang-tidy', '--quiet', '--checks=-*,readability-function-cognitive-complexity', f'--config={config}', source, '--', standard, '-I', ROOT,
                          '-isystem', toolchain.newest_nvtx()])
    found = re.findall(r"'f' has cognitive complexity of (\d+) ", done.stdout)
    require(len(found) < 2 and ' error' not in done.stdout, done.stdout)
    return int(found[0]) if found else 0


def case_tidy(folder):
    """The complexity of an annotation for clang-tidy is what the page says, and 0 with the page's setting; two scopes are far below the limit."""
    need('clang-tidy')
    ignored = dict(re.findall(r'key: \S+\.(\w+)\n +value: (\w+)', block('yaml')))
    for suffix, (at, standard, _) in LANGUAGES.items():
        source = folder / f'f.{suffix}'
        for row in ROWS:
            source.write_text(FUNCTION % row[0])
            equal(complexity(source, standard, {'Threshold': 0}), int(row[1 + at]), f'{suffix}: {row}')
        source.write_text(FUNCTION % 'NVTX_SCOPE("x"); NVTX_SCOPE("y", .color = NVTXH_RED); if (n) n++;')
        require(complexity(source, standard, {'Threshold': 0}) < 10, suffix)
        equal(complexity(source, standard, {'Threshold': 0, **ignored}), 1, f'{suffix}: with IgnoreMacros, the user\'s own if')


def case_branches(folder):
    """The branches of an annotation for gcov are those that the page says with gcc 12; the page's pattern matches its line; off, there are none."""
    need('gcov')
    pattern = re.search('exclude-branches-by-pattern = (.*)', block('ini'))[1]
    for suffix, (at, standard, compiler) in LANGUAGES.items():
        need(compiler)
        for row in ROWS:
            for off in [], ['-DNVTX_DISABLE']:
                (folder / f'f.{suffix}').write_text(FUNCTION % row[0])
                toolchain.output(compiler, standard, '-O0', '--coverage', *off, '-I', ROOT, '-isystem', toolchain.newest_nvtx(), '-c', f'f.{suffix}', cwd=folder)
                counted = json.loads(toolchain.output('gcov', '--branch-probabilities', '--json-format', '--stdout', 'f.gcno', cwd=folder, stderr=subprocess.DEVNULL))
                lines = [line for file in counted['files'] if file['file'] == f'f.{suffix}' for line in file['lines'] if line['line_number'] == 5]
                count = sum(len(line['branches']) for line in lines)
                if off or counted['gcc_version'].startswith('12.'):
                    equal(count, 0 if off else int(row[3 + at]), f'{suffix} {off}: {row}')
            require(re.match(pattern, f'    {row[0]}'), row[0])


if __name__ == '__main__':
    require(len(ROWS) > 3, 'rows of the page')
    main(globals(), __doc__, lambda parser: None, lambda args, folder: folder)
