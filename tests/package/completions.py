# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""completions.py SHELL FILE NVTXH: what bash, zsh or fish itself completes with the file made for it."""
import os
import pathlib
import pty
import select
import shlex
import subprocess
import sys
import tempfile

from harness.checks import need
from harness.readers import need_terminals

# What is typed, and a word that must be among the completions of its last word.
CASES = [
    ('nvtxh st', 'stats'),
    ('nvtxh --ver', '--version'),
    ('nvtxh stats --so', '--sort'),
    ('nvtxh stats --by dom', 'domain'),
    ('nvtxh export --format perf', 'perfetto'),
    ('nvtxh stats --columns share,tot', 'share,total'),
    ('nvtxh stats one', 'one.nvtxh'),
    ('nvtxh one', 'one.nvtxh'),
    ('nvtxh one.nvtxh --so', '--sort'),
    ('nvtxh one.nvtxh --by dom', 'domain'),
    ('nvtxh record --outp', '--output'),
    ('nvtxh record --output one', 'one.nvtxh'),
    ('nvtxh record --ring 1M -- cat one', 'one.nvtxh'),
    ('nvtxh record --ring 1M cat one', 'one.nvtxh'),
    ('nvtxh record ./progr', './program'),
    ('nvtxh doctor ./progr', './program'),
]
# What is typed, and a word that must not be among them: the program's options are not nvtxh's.
NEVER = ('nvtxh record cat --outp', '--output')


def bash(file, line, folder):
    words = line.split(' ')
    script = f"""source {shlex.quote(str(file))}
COMP_WORDS=({' '.join(words)}); COMP_CWORD={len(words) - 1}; COMP_LINE='{line}'; COMP_POINT={len(line)}
_nvtxh
printf '%s\n' "${{COMPREPLY[@]}}" """
    return subprocess.run(['bash', '--norc', '-c', script], cwd=folder, text=True, stdout=subprocess.PIPE,
                          check=True).stdout.split('\n')


def fish(file, line, folder):
    done = subprocess.run(['fish', '--no-config', '-c', f"source {shlex.quote(str(file))}; complete -C '{line}'"], cwd=folder, text=True,
                          stdout=subprocess.PIPE, check=True, env={**os.environ, 'HOME': str(folder)})
    return [row.split('\t')[0] for row in done.stdout.split('\n')]


class Zsh:
    """One that runs on a terminal. What is typed is completed by the tabulator; a key of ours writes the line to a file
    and empties it."""

    def __init__(self):
        self.terminal = None

    def start(self, file, folder):
        self.result = folder / 'line'
        (folder / '.zshrc').write_text(f"""fpath=({shlex.quote(str(file.parent))} $fpath)
autoload -U compinit; compinit -u -D
bindkey '^I' complete-word
shown() {{ print -r -- "$BUFFER" >{self.result}.new; mv {self.result}.new {self.result}; BUFFER= }}
zle -N shown; bindkey '^G' shown
PS1='ready '
""")
        need_terminals()
        child, self.terminal = pty.fork()
        if not child:
            os.chdir(folder)
            os.execvpe('zsh', ['zsh', '-i'], {**os.environ, 'ZDOTDIR': str(folder), 'TERM': 'dumb'})
        read = b''
        while b'ready' not in read:
            read += os.read(self.terminal, 1000)

    def __call__(self, file, line, folder):
        if not self.terminal:
            self.start(file, folder)
        self.result.unlink(missing_ok=True)
        os.write(self.terminal, line.encode() + b'\t\x07')
        while not self.result.exists():
            if select.select([self.terminal], [], [], 0.01)[0]:
                os.read(self.terminal, 1000)
        return [self.result.read_text().strip().split(' ')[-1].rstrip('=,')]


def main():
    shell, file, nvtxh = sys.argv[1], pathlib.Path(sys.argv[2]).resolve(), pathlib.Path(sys.argv[3]).resolve()
    need(shell)
    complete = {'bash': bash, 'zsh': Zsh(), 'fish': fish}[shell]
    os.environ['PATH'] = f'{nvtxh.parent}:{os.environ["PATH"]}'
    failed = 0
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / 'one.nvtxh').touch()
        (folder / 'program').write_text('#!/bin/sh\n')
        (folder / 'program').chmod(0o755)
        for (line, wanted), there in [*((case, True) for case in CASES), (NEVER, False)]:
            found = [word.strip() for word in complete(file, line, folder)]
            if (wanted in found) != there:
                failed += 1
                print(f'{line}: {"no " if there else ""}{wanted} in {" ".join(found)[:300]}')
    sys.exit(f'{failed} lines are completed otherwise' if failed else 0)


if __name__ == '__main__':
    main()
