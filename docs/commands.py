# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A page for each command: what it is, what an example prints, its options from the tables that the command itself has, and its
manual page. Made from a build; site.py puts the pages into the site, they are not in the repository."""
import contextlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / 'recorder' / 'completions'))
import completions  # noqa: E402

# In place of the first example of a command's --help, where another one shows more.
EXAMPLES = {
    'record': 'nvtxh record -o app.nvtxh -- ./app >app.log',
    'diff': 'nvtxh diff before?.nvtxh -- after?.nvtxh',
    'doctor': 'nvtxh doctor -- ./app',
    'snapshot': 'nvtxh snapshot --last 1s live.nvtxh',
    'top': 'nvtxh top --once live.nvtxh',
}
LONGEST = 24  # lines of what an example prints


def option_row(option):
    names = ', '.join(f'`{name}`' for name in option.names())
    values = ', '.join(f'`{word}`' for word in option.choices if word != '-') or (f'`{option.argument}`' if option.argument else '')
    return f'| {names} | {values} | {option.help} |'.replace('<', '&lt;')


class Examples:
    """A folder in which the commands' examples work: with recordings of examples/01_train, one of them under way."""

    def __init__(self, build, folder):
        program = build / 'examples' / '01_train'
        if not program.exists():
            raise FileNotFoundError(f'{program} is not there: meson setup {build.name} && meson compile -C {build.name}')
        self.folder, self.library = folder, build / 'recorder'
        (folder / 'run').mkdir()
        self.variables = {**os.environ, 'PATH': f'{build / "recorder"}:{os.environ["PATH"]}', 'COLUMNS': '80', 'LC_ALL': 'C.UTF-8'}
        (folder / 'app').write_text(f'#!/bin/sh\nexec {program} README.md ${{EPOCHS-1}}\n')
        (folder / 'app').chmod(0o755)
        shutil.copy(ROOT / 'README.md', folder)
        shutil.copy(program, folder / 'annotated')  # for list and doctor, which read a program's file
        for name in [f'{when}{n}' for when in ('before', 'after') for n in (1, 2, 3)] + ['run/0', 'run/1']:
            rank = f'--rank {name[4:]}/2' if name.startswith('run/') else ''
            self.prints(f'nvtxh record {rank} -o {name}.nvtxh -- ./app')
        self.live = subprocess.Popen(['nvtxh', 'record', '-q', '-o', 'live.nvtxh', '--', './app'], cwd=folder, stdin=subprocess.DEVNULL,
                                     env={**self.variables, 'EPOCHS': '1000'}, stdout=subprocess.DEVNULL, start_new_session=True)
        for _ in range(3000):
            with contextlib.suppress(ChildProcessError):  # at first it is no recording yet
                if 'epoch' in self.prints('nvtxh stats live.nvtxh'):
                    return
            time.sleep(0.1)
        raise TimeoutError(f'{program} does not get anywhere')

    def prints(self, command):
        """What a command prints, with paths like those of an installation."""
        command = re.sub(r'(list|doctor --) \./app', r'\1 ./annotated', command)
        done = subprocess.run(['sh', '-c', command], cwd=self.folder, env=self.variables, stdin=subprocess.DEVNULL, text=True,
                              errors='replace', stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
        if done.returncode:
            raise ChildProcessError(f'$ {command}\nends with status {done.returncode}:\n{done.stdout}')
        return done.stdout.replace('./annotated', './app').replace(str(self.folder), '/home/me').replace(f'{self.library}/', '/usr/lib/')

    def close(self):
        self.live.terminate()
        self.live.wait()


def page_of(command, examples, nvtxh, manual):
    example = EXAMPLES.get(command.name) or command.examples[0]
    printed = examples.prints(example).rstrip('\n').splitlines()
    if len(printed) > LONGEST:
        printed[LONGEST:] = ['...']
    usage, _, rest = subprocess.run([nvtxh, command.name, '--help'], text=True, stdout=subprocess.PIPE, check=True).stdout.partition('\n\n')
    about = [' '.join(text.split()) for text in rest.split('\n\n') if not text.startswith('  ')]
    out = [f'# nvtxh {command.name}', '\n\n'.join(text.replace('<', '&lt;') for text in about), '## Usage', f'```text\n{usage}\n```', '## Example',
           '```console\n' + '\n'.join([f'$ {example}', *printed]) + '\n```', '## Options', '| option | value | what it does |\n|---|---|---|\n' +
           '\n'.join(map(option_row, command.options))]
    page = manual / f'nvtxh-{command.name}.1'
    if shutil.which('mandoc') and page.exists():
        text = subprocess.run(['mandoc', '-T', 'utf8', '-O', 'width=80', page], text=True, stdout=subprocess.PIPE, check=True).stdout
        out += ['## Manual page', '```text\n' + re.sub('.\b', '', text).strip('\n') + '\n```']
    return '\n\n'.join(out) + '\n'


def pages(build):
    """{place below docs/: Markdown}"""
    nvtxh = build / 'recorder' / 'nvtxh'
    with tempfile.TemporaryDirectory() as folder:
        examples = Examples(build, pathlib.Path(folder))
        try:
            return {f'reference/nvtxh-{name}.md': page_of(command, examples, nvtxh, build / 'recorder' / 'man')
                    for name, command in completions.commands_of(nvtxh).items() if name}
        finally:
            examples.close()
