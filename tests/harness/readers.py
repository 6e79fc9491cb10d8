# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Files for descriptor 2 of a program: pipes, sockets and terminals whose reader has gone, or does not read."""
import contextlib
import fcntl
import os
import pty
import socket
import termios
import tty

from harness.checks import skip

FILLING = b'-' * 1024


def fill(fd):
    """Writes until nothing more fits, also no single byte. Returns how many bytes that took."""
    os.set_blocking(fd, False)
    written = 0
    for piece in (FILLING, b'-'):
        with contextlib.suppress(BlockingIOError):
            while True:
                written += os.write(fd, piece)
    os.set_blocking(fd, True)
    return written


@contextlib.contextmanager
def opened(*fds):
    try:
        yield fds
    finally:
        for fd in fds:
            os.close(fd)


@contextlib.contextmanager
def gone_pipe():
    reader, writer = os.pipe()
    os.close(reader)
    with opened(writer):
        yield writer


@contextlib.contextmanager
def full_pipe():
    with opened(*os.pipe()) as (_, writer):
        fill(writer)
        yield writer


@contextlib.contextmanager
def gone_socket():
    ours, theirs = socket.socketpair()
    ours.close()
    with theirs:
        yield theirs.fileno()


@contextlib.contextmanager
def full_socket():
    ours, theirs = socket.socketpair()
    with ours, theirs:
        fill(theirs.fileno())
        yield theirs.fileno()


def terminal():
    """The two ends of a terminal. A chroot may have none."""
    try:
        return pty.openpty()
    except OSError as error:
        skip(f'no terminals here: {error}')


def need_terminals():
    with opened(*terminal()):
        pass


@contextlib.contextmanager
def full_terminal():
    with opened(*terminal()) as (_, writer):
        tty.setraw(writer)
        fill(writer)
        yield writer


@contextlib.contextmanager
def stopped_terminal():
    """As after Ctrl-S."""
    with opened(*terminal()) as (_, writer):
        termios.tcflow(writer, termios.TCOOFF)
        yield writer


HOSTILE = {f.__name__: f for f in (gone_pipe, full_pipe, gone_socket, full_socket, full_terminal, stopped_terminal)}


@contextlib.contextmanager
def small_pipe(left):
    """The two ends of a pipe of one page, with room for so many bytes."""
    with opened(*os.pipe()) as (reader, writer):
        size = fcntl.fcntl(writer, fcntl.F_SETPIPE_SZ, 4096)
        os.write(writer, b'-' * (size - left))
        yield reader, writer


def rest(fd):
    """What can be read from it now."""
    os.set_blocking(fd, False)
    found = b''
    with contextlib.suppress(BlockingIOError):
        while piece := os.read(fd, 65536):
            found += piece
    return found
