# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs an example in a directory of its own, and checks what it says.

    examples.py|recordings.py CLAIM PROGRAM --also PROGRAM... --tools LIBRARY... --recorder NVTXH

PROGRAM is the example; --also names the same example built in other ways, --tools injection
libraries that listen to nothing, --recorder the command line.
"""
import argparse
import os
import re
import subprocess
import tempfile

from harness.checks import environment, require

WORDS = ("a scope ends where its block ends and a process range may end on another thread so the "
         "timeline shows what waits for what and nothing is evaluated while nobody listens").split()


def check(holds, what, *seen):
    require(holds, what, *seen)
    print("ok:", what)


def run(program, *args, tool=None, cwd=None, timeout=240):
    """Bytes are kept as they are: a sample may break a character apart."""
    tool = {"NVTX_INJECTION64_PATH": tool} if tool else {}
    return subprocess.run([program, *args], env=environment(**tool), cwd=cwd, timeout=timeout, encoding="latin-1",
                          stdin=subprocess.DEVNULL, capture_output=True)


def output(program, *args, said="", **how):
    """What it prints, if it succeeds and says just this on stderr, a regular expression."""
    done = run(program, *args, **how)
    check(done.returncode == 0 and re.fullmatch(said, done.stderr),
          f"{os.path.basename(program)} succeeds, and says '{said}'", done.returncode, done.stderr)
    return done.stdout


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)
    return name


def known_text(name="known.txt", words=3000):
    """Sentences from a small set of words; every letter is easy to foresee but a word's first."""
    state, out = 1, []
    for _ in range(words):
        state = (state * 1103515245 + 12345) % 2**31
        out.append(WORDS[(state >> 16) % len(WORDS)])
    return write(name, " ".join(out).encode())


def main(claims):
    parser = argparse.ArgumentParser()
    path = os.path.abspath
    parser.add_argument("claim")
    parser.add_argument("program", type=path)
    parser.add_argument("--also", nargs="+", default=[], type=path)
    parser.add_argument("--tools", nargs="+", default=[], type=path)
    parser.add_argument("--recorder", type=path)
    given = vars(parser.parse_args())
    claim = claims[given.pop("claim")]
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        claim(**given)
