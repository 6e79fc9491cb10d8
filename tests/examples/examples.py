#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that an example does what it says.

CLAIM is one of the functions below; for the rest of the command line see running.py.
"""
import csv
import math
import os
import re
import subprocess

from running import WORDS, check, known_text, main, output, run, write

EPOCH = re.compile(r"epoch +(\d+)  loss (\d+\.\d+)")


def losses(text):
    return {int(n): float(loss) for n, loss in EPOCH.findall(text)}


# --- 01_train ---------------------------------------------------------------------------------


def train_learns(program, **_):
    text = known_text()
    letters = len(set(open(text, "rb").read()))
    out = output(program, text, "4")
    loss = losses(out)
    check(f"{os.path.getsize(text)} bytes, {letters} different" in out, "says what it read", out)
    check(list(loss) == [0, 1, 2, 3, 4], "prints each epoch's loss", out)
    check(abs(loss[0] - math.log(letters)) < 0.3, "untrained, it knows nothing", loss)
    check(loss[1] < loss[0] - 1 and loss[4] < loss[1] - 0.3 and loss[4] < 1, "the loss falls", loss)

    sample = out.split("\n\n", 1)[1]
    known = [word in WORDS for word in sample.split()[1:-1]]
    check(len(sample) == 8 + 400 + 1, "what the text begins with, and 400 characters more")
    check(len(known) > 50 and sum(known) > 0.8 * len(known), "it has learnt to spell", sample)


def train_default(program, **_):
    known_text("README.md")
    out = output(program)
    loss = losses(out)
    check(out.startswith("README.md: "), "reads ./README.md", out)
    check(max(loss) == 16 and loss[16] < loss[1] - 0.5, "sixteen epochs, and the loss falls", loss)

    os.remove("README.md")
    readme = os.environ["EXAMPLES_README"]
    if os.path.exists(readme):
        with subprocess.Popen([program], stdout=subprocess.PIPE, encoding="latin-1") as child:
            line = child.stdout.readline()
            child.terminate()
        check(line.startswith(readme + ": "), "or else the project's own", line)


def train_bad_input(program, **_):
    os.mkdir("directory")
    text = known_text()
    cases = [
        (["missing.txt"], 1, r"missing\.txt: No such file"),
        ([""], 1, r"No such file"),
        (["directory"], 1, r"directory: Is a directory"),
        ([write("empty.txt", b"")], 1, r"empty\.txt: 0 bytes of text; one example needs 9"),
        ([write("tiny.txt", b"12345678")], 1, r"tiny\.txt: 8 bytes of text; one example needs 9"),
        ([write("nul.txt", b"some text\0 and more")], 1,
         r"nul\.txt: not a text file: byte 0x00 at offset 9"),
        ([write("escape.txt", b"red: \x1b[31m and back")], 1,
         r"escape\.txt: not a text file: byte 0x1b at offset 5"),
        ([program], 1, r"not a text file"),
        (["/dev/zero"], 1, r"not a text file: byte 0x00 at offset 0"),
    ]
    for epochs in "0", "-1", "1001", "99999999999999999999", "two", "2x", "", "1.5":
        cases.append(([text, epochs], 2, r"usage: 01_train \[TEXT \[EPOCHS\]\]"))
    cases.append(([text, "1", "more"], 2, r"usage: "))
    for args, status, message in cases:
        done = run(program, *args)
        check(done.returncode == status and re.search(message, done.stderr)
              and done.stderr.count("\n") == 1 and losses(done.stdout) == {},
              f"{args}: {done.stderr.strip()}", done)

    for name, data in {
        "least": b"123456789",                    # one example
        "same": b"a" * 100,                       # nothing to tell apart
        "utf8": "naïve café – “quoted” ".encode() * 20,
        "bytes": bytes(range(128, 256)) * 4,
        "crlf": b"one\r\ntwo\r\n\tthree\f\n" * 9,
    }.items():
        loss = losses(output(program, write(name, data), "1"))
        check(0 <= loss[1] <= loss[0], f"{name}: learns from it", loss)

    out = output(program, known_text("long.txt", 300_000), "1")
    check("long.txt: only its first 1048576 bytes are used\n" in out, "cuts a long text", out)


# --- the others -------------------------------------------------------------------------------


def first_claims(program, **_):
    check(output(program) == "", "prints nothing")


def colours_claims(program, **_):
    out = output(program)
    lines = re.findall(r"^(.+?) +(\d+) comparisons, smallest (\d+), greatest (\d+)$", out, re.M)
    check([line[0] for line in lines] == ["insertion sort", "selection sort", "library's sort"],
          "three sorts", out)
    check(len({line[2:] for line in lines}) == 1, "of the same numbers", out)
    check(int(lines[1][1]) == 2000 * 1999 // 2, "selection sort compares each with each", out)
    check(10 * int(lines[2][1]) < int(lines[0][1]) < int(lines[1][1]), "the others less", out)
    for colour in "tomato", "#123456", "#80123456", "DarkGreen":
        check(output(program, colour) == out, f"{colour} is a colour")
    for args in ["no such colour"], ["#12345"], [""], ["red", "blue"]:
        done = run(program, *args)
        check(done.returncode == 2 and "usage: 02_colours" in done.stderr, f"{args} is none", done)


def threads_claims(program, **_):
    lines = re.findall(r"(\d+) primes below +(\d+)", output(program))
    found = {limit: primes for primes, limit in lines}
    check(len(found) == 12, "twelve pieces", found)
    known = {"50000": "5133", "100000": "9592", "500000": "41538", "600000": "49098"}
    check(known.items() <= found.items(), "counts every prime", found)


def printf_claims(program, **_):
    check(output(program) == "77031 takes 350 steps, the most below 100000\n", "finds the longest")


def cpp_claims(program, **_):
    check(output(program).splitlines() == [
        "3 4 + 5 * = 35",
        "1.5 2.5 * = 3.75",
        "1 +: a number is missing",
        "1 two +: two is not a number",
    ], "sums, and what is wrong with two of them")


def payload_claims(program, **_):
    check(output(program) == "0.66667 in 99 pieces\n", "finds the integral")


def counters_claims(program, **_):
    check(output(program) == "92 served, 8 lost, 0 waiting, the clerk busy for 77 % of the day\n",
          "a day at the office")


def device_claims(program, also, **_):
    for built in [program, *also]:
        done = run(built)
        if done.returncode == 1 and "needs a CUDA device" in done.stderr:
            check(done.stdout == "" and done.stderr.count("\n") == 2 and "nvidia-smi" in done.stderr,
                  f"{os.path.basename(built)} says what it needs", done)
        else:
            check(done.returncode == 0 and done.stdout.endswith(": right\n") and not done.stderr,
                  f"{os.path.basename(built)} computes what it should", done)


# --- all --------------------------------------------------------------------------------------


def same(program, also, tools, args=(), **_):
    expected = output(program, *args)
    for built in also:
        for tool in [None, "", "/nonexistent/tool.so", os.path.abspath(__file__), *tools]:
            check(output(built, *args, tool=tool) == expected,
                  f"{os.path.basename(built)} prints the same with the tool {tool}")


def train_same(program, also, tools, **_):
    same(program, also, tools, [known_text(words=500), "1"])


def stats_claims(program, also, **_):
    out = output(program)
    check(re.fullmatch(r"400 steps; in each the forces are most of the time\n", out), "says so", out)
    rows = {row["Range"]: int(row["Instances"])
            for row in csv.DictReader(output(program, "csv").splitlines()[1:])}
    check(rows == {"step": 400, "forces": 400, "move": 400, "hundred steps": 4},
          "counts what came after the reset", rows)
    check("forces" in output(program, "table") and '"forces"' in output(program, "json"), "formats")


def stats_same(program, **_):
    pass  # with annotations off there is nothing to say


first_same = colours_same = payload_same = counters_same = threads_same = printf_same = cpp_same = same


main(globals())
