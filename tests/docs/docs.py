# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the documentation shows is true. pages.py describes how a page marks its blocks."""
import csv
import functools
import os
import re
import shutil
import subprocess
import sys
import time
import types

from harness import checks, driver, toolchain
from harness.checks import BUILD, NVTXH, ROOT, equal, module, pypi, require, skip
from pages import agrees, anchors, blocks, commands, masked, pages, sources

# The sections that pages of a folder have, so that each of them answers the same questions.
SECTIONS = {
    'docs/coming_from': ['Side by side', 'What you gain', 'What is not here'],
    'docs/case_studies': ['The question', 'What was done', 'What it showed', 'Repeat it'],
    'docs/cookbook': ['The program', 'Record it', 'Notes'],
}
WARNINGS = ['-Wall', '-Wextra', '-Werror', '-Wno-unused', '-Wno-missing-declarations', '-Wno-unknown-pragmas']


def includes():
    cuda = list(toolchain.cuda_headers().values())[-1:]
    return ['-I', ROOT, '-I', ROOT / 'recorder', '-I', BUILD, '-isystem', toolchain.newest_nvtx(), *(f'-isystem{path}' for path in cuda)]


def table_of_calls():
    """A program of the C in the last column of the table for those who come from Python."""
    cells = re.findall(r'^\|.*\| ([^|]*) \|$', (ROOT / 'docs' / 'coming_from' / 'python.md').read_text(), re.MULTILINE)
    code = [span for cell in cells for span in re.findall('`([^`]*;)`', cell)]
    require(len(code) > 25, code)
    ahead = sorted((line for line in code if re.match('NVTX_DOMAIN|NVTX_CATEGORY|NVTXH_COUNTER|NVTXH_PAYLOAD_STRUCT', line)),
                   key=lambda line: 'DOMAIN' not in line)
    return '\n'.join(['#include <stdio.h>', '#include <time.h>', *(f'#include "{name}.h"' for name in ('nvtxh', 'nvtxh/stats', 'nvtxh/counter')),
                      *ahead, 'void f(int i, int n, const char *name, double *values, int64_t *times, struct timespec now);',
                      'void f(int i, int n, const char *name, double *values, int64_t *times, struct timespec now) {',
                      *(line for line in code if line not in ahead), '}'])


def compiled(name):
    """Every block in C and C++, by the compilers of that name; and the C in the table of calls."""
    count, wrong = 0, []
    calls = [(types.SimpleNamespace(language=language, how=''), table_of_calls()) for language in ('c', 'cpp')]
    for block, text in [*sources('c', 'cpp'), *calls]:
        compiler = toolchain.compiler(name, block.language) or skip(f'{name} is not installed')
        tracy = next((ROOT / 'subprojects').glob('tracy*/public'), None)  # where -Dbench_peers=tracy was given
        if 'cuda' in text and not toolchain.cuda_headers() or block.how == 'needs tracy' and not tracy:
            continue
        command = [compiler, '-x', 'c' if block.language == 'c' else 'c++',
                   '-std=' + ('gnu17' if block.language == 'c' else 'gnu++17'), *WARNINGS, *includes(), '-DNVTXH_NO_IMPL',
                   *(['-isystem', tracy] if tracy else [])]
        done = toolchain.run([*command, '-fsyntax-only', '-'], input=text)
        count += 1
        if done.returncode:
            wrong.append(f'{block}: does not compile with {name}:\n{done.stdout}')
    require(not wrong and count, '\n'.join(wrong))
    print(f'{count} blocks')


def case_gcc():
    compiled('gcc')


def case_clang():
    compiled('clang')


def case_cuda(folder):
    """Blocks with kernels, by nvcc."""
    nvcc = toolchain.nvcc() or skip('nvcc is not installed')
    for block, text in sources('cuda'):
        (folder / 'block.cu').write_text(text)
        done = toolchain.run([*nvcc, '-DNVTXH_NO_IMPL', '-I', ROOT, '-isystem', toolchain.newest_nvtx(), '-c', 'block.cu'], cwd=folder)
        require(not done.returncode, f'{block}: nvcc', done.stdout)


# A program of which the commands of pages find what they ask for.
APP = '#include "nvtxh.h"\nNVTX_DOMAIN(train, "train");\nint main(void)\n{\n    NVTX_SCOPE("step", .domain = &train);\n    return 0;\n}\n'


def case_shell(folder):
    """Blocks in sh are valid sh; the nvtxh commands in them work, if they only need a program and its recordings."""
    variables = installed(folder / 'installed')
    place = folder / 'place'
    (place / 'run').mkdir(parents=True)
    (place / 'app.c').write_text(APP)
    run = functools.partial(toolchain.run, cwd=place, stdin=subprocess.DEVNULL, timeout=240, env=checks.environment(**variables))
    made = [f'nvtxh record -q -o {name}.nvtxh -- ./app' for name in ('a1', 'a2', 'a3', 'b1', 'b2', 'b3', 'before', 'after')]
    made += [f'nvtxh record -q --rank {rank}/2 -o run/{rank}.nvtxh -- ./app' for rank in (0, 1)]
    made += ['nvtxh export --format sqlite -o report.sqlite a1.nvtxh']
    for command in ['cc $(pkg-config --cflags nvtxh) app.c -o app', 'cp app train', *made]:
        done = run(['sh', '-c', command])
        require(not done.returncode, command, done.stdout)
    count = 0
    for block in blocks('sh'):
        done = run(['sh', '-n'], input=block.text, stdin=None)
        require(not done.returncode, f'{block}: is not sh', done.stdout)
        for command in re.findall(r'^nvtxh .*$', block.text, re.MULTILINE):
            if not block.how.startswith('file ') and not re.search(r'\b(mpirun|srun|python|graph|scale|pause|resume)\b', command):
                count += 1
                done = run(['sh', '-c', command.replace(' args...', '').replace('record ', 'record -f ').replace('-o out.pb', '-f -o out.pb')])
                require(done.returncode in ((0, 3) if '--fail-above' in command else (0,)), f'{block}: $ {command}', done.stdout)
    require(count > 10, f'{count} commands')


def case_python():
    for block, text in sources('python'):
        compile(text, str(block), 'exec')


def case_yaml():
    """Blocks in yaml are yaml, by a parser that nobody here wrote; so is the head of the skill for coding agents."""
    yaml = module('pyyaml==6.0.3', 'yaml')
    for block in blocks('yaml'):
        try:
            list(yaml.safe_load_all(block.text))
        except yaml.YAMLError as error:
            require(False, f'{block}: {error}')
    skill = ROOT / 'docs' / 'skills' / 'nvtxh' / 'SKILL.md'
    head = yaml.safe_load(skill.read_text().split('---\n')[1])
    equal((sorted(head), head['name']), (['description', 'name'], skill.parent.name), 'what the skill says of itself')
    require(0 < len(head['description']) <= 1024, head['description'])


def installed(folder):
    """The environment of someone who has installed nvtxh, below FOLDER."""
    toolchain.output('meson', 'install', '-C', BUILD, '--no-rebuild', '--quiet', '--destdir', folder)
    configs = list(folder.rglob('nvtxh*.pc'))
    for file in configs:
        file.write_text(re.sub('^prefix=', f'prefix={folder}', file.read_text(), flags=re.MULTILINE))
    command, = folder.rglob('bin/nvtxh')
    return {'PATH': f'{command.parent}:{BUILD}/examples:{os.environ["PATH"]}', 'HOME': folder, 'LC_ALL': 'C.UTF-8',
            'PKG_CONFIG_PATH': f'{configs[0].parent}:{os.environ.get("PKG_CONFIG_PATH", "")}',
            'PYTHONPATH': f'{checks.CACHE}/pypi/nvtx:{checks.CACHE}/pypi/nvtxpy', 'SOURCE': ROOT,
            'NVTXPY_CUDA_TOOLKIT': checks.CACHE / 'pypi' / 'nvtxpy',  # where part nvtxpy of tests/nightly.sh puts libnvToolsExt
            # mpirun of Open MPI 4 and of 5: as root, with more ranks than processors, and without words about the network.
            'OMPI_ALLOW_RUN_AS_ROOT': '1', 'OMPI_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'OMPI_MCA_rmaps_base_oversubscribe': '1', 'OMPI_MCA_btl': '^tcp',
            'PRTE_ALLOW_RUN_AS_ROOT': '1', 'PRTE_ALLOW_RUN_AS_ROOT_CONFIRM': '1', 'PRTE_MCA_rmaps_default_mapping_policy': ':oversubscribe'}


@functools.cache
def is_there(name, variables):
    """Whether a package from PyPI is there, or an MPI that works here."""
    if name != 'mpirun':
        return (checks.CACHE / 'pypi' / name).is_dir()
    if not all(map(shutil.which, ('mpicc', 'mpirun'))):
        return False
    done = toolchain.run(['mpirun', '-n', '4', 'true'], env=checks.environment(**dict(variables)))
    return not done.returncode and not done.stdout  # without /sys it complains in each run


def console(folder):
    """(block, command, what the page shows, what it prints) of every command, each page's in a folder of its own."""
    variables = installed(folder / 'installed')
    for name in 'GIT_DIR', 'GIT_WORK_TREE', 'GIT_INDEX_FILE':  # set in a git hook; a page makes a repository of its own
        os.environ.pop(name, None)
    for block in blocks('c', 'cpp', 'python', 'sh', 'console'):
        place = folder / block.page.replace('/', '_')
        place.mkdir(exist_ok=True)
        if block.page == 'README.md':  # the folders that its commands run in are those of a clone after examples/run.sh
            (place / 'build').mkdir(exist_ok=True)
            shutil.copy(ROOT / block.page, place)
        if block.how.startswith('file '):
            (place / block.how.split()[1]).write_text(block.text)
        if block.language != 'console' or block.how.startswith('not checked: '):
            continue
        if block.how.startswith('needs ') and not is_there(block.how.split()[1], tuple(variables.items())):
            continue
        for command, shown in commands(block.text):
            # How many columns of a table fit depends on how long its numbers are.
            for columns in (69, 72, 75, 66, 63, 80) if re.match('nvtxh (stats|tree|diff) ', command) else (69,):
                done = toolchain.run(['sh', '-c', command.replace('\n> ', '\n')], cwd=place, stdin=subprocess.DEVNULL, timeout=240,
                                     env=checks.environment(**variables, COLUMNS=columns, NVTXH_RECORD_SWITCHES=0))
                if agrees(shown, done.stdout, block.how):
                    break
            require(not done.returncode, f'{block}: $ {command}\nends with status {done.returncode}:', done.stdout)
            yield block, command, shown, done.stdout


def case_console(folder):
    """Every command of the pages prints what its page shows."""
    count, wrong = 0, []
    for block, command, shown, printed in console(folder):
        count += 1
        if not agrees(shown, printed, block.how):
            wrong += [f'{block}: $ {command}\nprints', printed, 'and not', shown, 'compared as', *masked(printed)]
    require(not wrong and count, '\n'.join(wrong))
    print(f'{count} commands')


def case_write(folder):
    """For authors: puts what the commands print into the pages, where those show something else."""
    for block, command, shown, printed in console(folder):
        if not agrees(shown, printed, block.how):
            path = ROOT / block.page
            path.write_text(path.read_text().replace(f'$ {command}\n{shown}', f'$ {command}\n{printed}', 1))
            print(f'{block}: $ {command}')


def case_zstd(folder):
    """The case study of zstd: its commands print such rows as its page has, in any order. Fetches zstd, or takes it from $ZSTD. For tests/nightly.sh."""
    env = checks.environment(**installed(folder / 'installed'), COLUMNS=100)
    script = ROOT / 'docs' / 'case_studies' / 'zstd.sh'
    toolchain.output('sh', script, *filter(None, [os.environ.get('ZSTD')]), cwd=folder, env=env)
    count = 0
    for block in blocks('console'):
        if block.page != 'docs/case_studies/zstd.md':
            continue
        for command, shown in commands(block.text):
            if command.startswith('tar '):  # the recordings that are kept
                continue
            require(command in script.read_text(), f'{command} is not in zstd.sh')
            printed = toolchain.output('sh', '-c', command, cwd=folder, env=env)
            equal(sorted(masked(printed)), sorted(masked(shown)), f'{block}: $ {command}')
            count += 1
    equal(count, 3, 'commands')


def case_links():
    """Links of pages to files, and to headings of pages."""
    wrong = []
    for page, text in pages().items():
        for target, anchor in re.findall(r'\]\(([^)#\s]*)(?:#([^)\s]+))?\)', text):
            path = (ROOT / page).parent / target if target else ROOT / page
            if '://' in target:
                continue
            if not path.exists():
                wrong.append(f'{page}: {target} is not there')
            elif anchor and path.suffix == '.md' and anchor not in anchors(path.read_text()):
                wrong.append(f'{page}: {target} has no heading {anchor}')
    require(not wrong, '\n'.join(wrong))


def case_sections():
    """A page has one title, and the sections that pages of its kind have."""
    for page, text in pages().items():
        text = re.sub(r'^```.*?^```$', '', text, flags=re.DOTALL | re.MULTILINE)
        equal(len(re.findall('^# ', text, re.MULTILINE)), 1, f'titles of {page}')
        wanted = SECTIONS.get(page.rsplit('/', 1)[0], []) if not page.endswith('/README.md') else []
        found = re.findall('^## (.*)$', text.replace('\n## Analyse it\n', '\n## Record it\n'), re.MULTILINE)
        equal([name for name in found if name in wanted], wanted, f'sections of {page}')


def case_tables():
    """Each row of a table has as many cells as the head."""
    others = 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'bench/README.md'
    for page, text in {**pages(), **{name: (ROOT / name).read_text() for name in others}}.items():
        text = re.sub(r'^```.*?^```$', lambda found: '\n' * found[0].count('\n'), text, flags=re.DOTALL | re.MULTILINE)
        for table in re.finditer(r'(?:^\|.*\n)+', text, re.MULTILINE):
            cells = [len(re.findall(r'(?<!\\)\|', line)) for line in table[0].splitlines()]
            first = text.count('\n', 0, table.start()) + 1
            wrong = [first + i for i, count in enumerate(cells) if count != cells[0]]
            require(not wrong, f'{page}: rows with more or fewer cells than the head, lines', wrong)


def case_commands():
    """README and the page of the recorder name every command, and every format of `export`."""
    for page in 'README.md', 'docs/recorder.md':
        text = (ROOT / page).read_text()
        words = set(re.findall(r'`(\w+)`', text)) | set(re.findall(r'\bnvtxh (\w+)', text))
        equal([name for name in driver.commands(NVTXH) if name not in words], [], f'commands that {page} does not name')
        export = set(re.findall(r'\w+', ' '.join(line for line in text.splitlines() if 'nvtxh export ' in line)))
        equal([name for name in driver.formats(NVTXH) if name not in export], [], f'formats that {page} does not name')


def case_nsight():
    """The page for those who come from Nsight Systems has each command, option of profile and report of Nsight Systems 2022.4, if that is installed."""
    checks.need('nsys')
    if ' 2022.4' not in toolchain.output('nsys', '--version'):
        skip('another version of Nsight Systems')
    page = (ROOT / 'docs' / 'coming_from' / 'nsight_systems.md').read_text()
    words = set(re.findall(r'(?<![\w-])--?\w[\w-]*|\w+', page))
    options = re.findall(r'^\t(?:(-\w), )?(--\w[\w-]*\w)', toolchain.output('nsys', 'profile', '--help'), re.MULTILINE)
    missing = [long for short, long in options if not {short, long, f'{long}-include'} & words and long != '--help']
    missing += set(re.findall(r'^  (\w+)(?:\[\S+\])? -- ', toolchain.run(['nsys', 'stats', '--help-reports']).stdout, re.MULTILINE)) - words
    missing += [name for name in re.findall(r'^\t(\w+) ', toolchain.output('nsys', '--help'), re.MULTILINE) if f'nsys {name}' not in page]
    require(len(options) > 40, f'{len(options)} options of nsys profile')
    equal(missing, [], 'what nsys has and the page has not')


def case_figures():
    """The table that bench/README.md begins with has the figures of the run in bench/results."""
    file, = (ROOT / 'bench' / 'results').glob('*.csv')
    with open(file) as lines:
        run = {(row[1], row[2]): float(row[4]) for row in csv.reader(line for line in lines if line[0] != '#') if row[0] != 'bench'}
    rows = ['ladder, {}: nvtxh/scope', 'ladder, {}: nvtxh/attributes', 'ladder, {}: nvtx/PushA', 'ladder, {}: nvtx/PushEx, registered',
            'ladder, {}: nvtx/PushEx, attributes', 'ladder, {}: nvtx3/scoped_range', 'ladder, {}: nvtx3/attributes', 'peers, {}: LTTng-UST',
            'peers, {}: sdt probes']
    wanted = []
    for row in rows:
        nobody, recorded = ('nobody', 'recorder') if row.startswith('ladder') else ('idle', 'recording')
        clocks = run.get((row.format(recorded), 'clocks'))
        wanted.append((f'{run[row.format(nobody), "instructions"]:.0f}', f'{clocks:.1f}' if clocks else ''))
    section = (ROOT / 'bench' / 'README.md').read_text().split('## ')[1]
    equal(re.findall(r'^\|.*\| (\d+) \| ([\d.]*) *\|$', section, re.MULTILINE), wanted, 'rows')

    # README's: plain and with all attributes, of nvtxh, NVTX in C, nvtx3.hpp.
    readme = (ROOT / 'README.md').read_text()
    pairs = [('nvtxh/scope', 'nvtxh/attributes'), ('nvtx/PushA', 'nvtx/PushEx, attributes'), ('nvtx3/scoped_range', 'nvtx3/attributes')]
    for title, listener, figure, unit in ('no tool: instructions', 'nobody', 'instructions', ''), ('recorded: time of', 'recorder', 'time', ' ns'):
        wanted = ' | '.join('; '.join(f'{run[f"ladder, {listener}: {row}", figure]:.0f}' for row in pair) + unit for pair in pairs)
        require(re.search(rf'^\| {title}[^|]*\| {wanted} \|$', readme, re.MULTILINE), f'README, {title}: not {wanted}')
    clocks = run['ladder, recorder: floor/clocks', 'time']
    require(f'two reads of the clock take {clocks:.0f} ns' in readme, f'README, two reads of the clock: {clocks}')
    null = run['ladder, null tool: nvtxh/scope', 'time']
    require(f'a tool that does nothing, a range takes {null:.0f} ns' in readme, 'README, with a tool', null)


def case_sentence():
    """What nvtxh is, is said in the same words everywhere, and README keeps to one screen for each purpose."""
    sentence = 'ame the parts of your C or C++ program, and see where its time goes'
    for name in 'README.md', 'nvtxh.h', 'recorder/cli/nvtxh.1', 'docs/manual.py', 'pyproject.toml', 'nvtxh/meson.build':
        require(sentence in (ROOT / name).read_text(), f'{name} does not say "n{sentence}"')
    readme = (ROOT / 'README.md').read_text()
    require(readme.count('\n') <= 110 and len(readme.split()) <= 1000, f'README has {readme.count(chr(10))} lines, {len(readme.split())} words')


def case_spelling():
    package = pypi('codespell==2.4.1')
    done = toolchain.run([sys.executable, '-m', 'codespell_lib', '--ignore-words-list=ro,nd', ROOT / 'README.md', ROOT / 'CHANGELOG.md',
                          ROOT / 'ARCHITECTURE.md', ROOT / 'docs', '--skip=*.png'], env={**os.environ, 'PYTHONPATH': str(package)})
    require(not done.returncode, 'codespell', done.stdout)


MANUAL = BUILD / 'docs'


def check_manual(run):
    def synopsis(page):
        return re.findall(r'^\.Nm .*', page.read_text().split('\n.Sh SYNOPSIS\n')[1].split('\n.Sh ')[0], re.MULTILINE)

    listed = run('nvtxh', '--completions-data').splitlines()
    names = [line.split('\t')[1] for line in listed if line.startswith('command\t')]
    equal({page.name for page in MANUAL.glob('*.1')}, {f'nvtxh-{name}.1' for name in names}, 'manual pages')
    for name in names:
        own = MANUAL / f'nvtxh-{name}.1'
        equal(synopsis(own), [line for line in synopsis(ROOT / 'recorder' / 'cli' / 'nvtxh.1') if line.startswith(f'.Nm nvtxh Cm {name} ')], f'{name}: synopsis')
        page = own.read_text().replace('\\', '')
        require(not re.search(r'^\.Nm( \.)?$', page, re.MULTILINE), f'{own.name}: .Nm without a name prints nvtxh-{name}')
        for example in re.findall('^.Dl (.*)$', page, re.MULTILINE):
            if '--fail-above' in example:
                example += ' || test $? = 3'  # its recordings differ by chance, so diff may fail
            run('sh', '-c', example)
        described = set(re.findall(r'Fl -([a-z-]+)', page))
        missing = {line.split('\t')[2] for line in listed if line.startswith(f'option\t{name}\t')} - {'--' + word for word in described}
        equal(missing, set(), f'options that are not in the page of {name}')


def case_manual(folder):
    """Each command has a manual page, whose examples work and whose synopsis is the command's part of that of nvtxh(1)."""
    variables = installed(folder / 'installed')
    run = functools.partial(toolchain.output, cwd=folder, env={**checks.environment(), **variables}, stdin=subprocess.DEVNULL)
    (folder / 'app.c').write_text(APP)
    run('sh', '-c', 'cc $(pkg-config --cflags nvtxh) app.c -o app')
    (folder / 'run').mkdir()
    for name in 'before1', 'before2', 'before3', 'after1', 'after2', 'after3', 'run/0', 'run/1':
        run('nvtxh', 'record', *['--rank', f'{name[4:]}/2'] * name.startswith('run/'), '-o', f'{name}.nvtxh', '--', './app')
    # One that is under way, for the commands that follow or change it; cat waits for the end of its input.
    with subprocess.Popen(['nvtxh', 'record', '-q', '-o', 'live.nvtxh', '--', 'cat'], cwd=folder, env={**checks.environment(), **variables},
                          stdin=subprocess.PIPE) as live:
        while not (folder / 'live.nvtxh').exists() and live.poll() is None:
            time.sleep(0.01)
        check_manual(run)


def case_manual_headers(folder):
    """nvtxh(3) has every public name, and each header's labels; nvtxh(5) says of the file's header what FORMAT.md says; both are installed."""
    installed(folder)
    pages = {section: next(folder.rglob(f'man{section}/nvtxh.{section}')).read_text() for section in (1, 3, 5)}
    names = [name for name in (ROOT / 'tests' / 'compile' / 'public_names.txt').read_text().splitlines() if name.startswith(('NVTXH_', 'nvtxh_'))]
    equal([name for name in names if not re.search(rf'\b{name}\b', pages[3])], [], 'names that are not in nvtxh(3)')
    # A header whose comment lacks a label is refused.
    for name in 'docs', 'nvtxh', 'recorder':
        shutil.copytree(ROOT / name, folder / 'broken' / name)
    shutil.copy(ROOT / 'nvtxh.h', folder / 'broken')
    header = folder / 'broken' / 'nvtxh' / 'scope.h'
    header.write_text(header.read_text().replace(' * Errors: ', ' * '))
    done = toolchain.run([sys.executable, folder / 'broken' / 'docs' / 'manual.py'])
    require(done.returncode and 'nvtxh/scope.h: its first comment has no paragraph that begins with "Errors: "' in done.stdout, 'a label is missing', done.stdout)
    fields = re.findall(r'^\.It (\d+) Ta (\d+) Ta (\w+)', pages[5], re.MULTILINE)
    described = (ROOT / 'recorder' / 'FORMAT.md').read_text()
    require(fields, 'nvtxh(5) has no fields')
    equal([field for field in fields if '| ' + ' | '.join(field) + ' |' not in described], [], 'fields of nvtxh(5)')


def case_mandoc():
    """The manual pages, by a checker that nobody here wrote."""
    checks.need('mandoc')
    found = [*ROOT.glob('recorder/cli/*.[1-8]'), *MANUAL.glob('*.[1-8]')]
    done = toolchain.run(['mandoc', '-T', 'lint', '-W', 'warning', *found])
    require(not done.returncode, 'mandoc', done.stdout)


if __name__ == '__main__':
    checks.main(globals(), __doc__, lambda parser: None, lambda args, folder: folder)
