# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Terminals: one of our own that a program writes to, and a real one, tmux, whose screen can be read."""
import fcntl
import os
import re
import struct
import subprocess
import termios
import time

from harness import readers
from harness.checks import equal, need


def on_terminal(*command, columns=80, lines=24, stderr=True, status=0, env=None):
    """What a command prints on a terminal of this size; it has to end with STATUS. STDERR: there, too."""
    main, end = readers.terminal()
    fcntl.ioctl(end, termios.TIOCSWINSZ, struct.pack('HHHH', lines, columns, 0, 0))
    with subprocess.Popen(command, stdout=end, stderr=end if stderr else subprocess.PIPE, env=env) as process:
        os.close(end)
        said = b''
        while True:
            try:
                more = os.read(main, 65536)
            except OSError:  # all of its ends are closed
                break
            if not more:
                break
            said += more
        error = said if stderr else process.stderr.read()
        ended = process.wait()
        os.close(main)
    equal(ended, status, error)
    return said.decode()


class Tmux:
    """with Tmux(folder) as screen: a shell without a prompt."""

    def __init__(self, folder, columns=100, lines=24):
        need('tmux')
        readers.need_terminals()
        self.socket = os.path.join(folder, 'tmux')
        self('-f', '/dev/null', 'new-session', '-d', '-x', str(columns), '-y', str(lines), 'env PS1= sh')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self('kill-server')

    def __call__(self, *arguments):
        done = subprocess.run(['tmux', '-S', self.socket, *arguments], capture_output=True, text=True,
                              env=dict(os.environ, LC_ALL='C.UTF-8', TERM='xterm-256color'))
        equal(done.returncode, 0, f'tmux {arguments}: {done.stderr}')
        return done.stdout

    def resize(self, columns, lines):
        self('resize-window', '-x', str(columns), '-y', str(lines))

    def type(self, *keys):
        self('send-keys', *keys)

    def shown(self):
        return self('capture-pane', '-p')

    def seen(self, *patterns, key=()):
        """Presses the keys of `key`, waits until all PATTERNS are on the screen, and returns the screen."""
        if key:
            self.type(*key)
        for _ in range(2000):
            screen = self.shown()
            if all(re.search(pattern, screen, re.MULTILINE) for pattern in patterns):
                return screen
            time.sleep(0.05)
        raise AssertionError(f'{patterns} after {key}:\n{screen}')
