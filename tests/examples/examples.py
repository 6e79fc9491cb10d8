#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that an example does what it says.

    examples.py CLAIM PROGRAM --also PROGRAM... --tools LIBRARY... --recorder NVTXH

CLAIM is one of the functions below. PROGRAM is the example; --also names the same example built in
other ways, --tools injection libraries that listen to nothing, --recorder the command line.
"""
import argparse
import collections
import csv
import math
import os
import re
import subprocess
import sys
import tempfile

WORDS = ("a scope ends where its block ends and a process range may end on another thread so the "
         "timeline shows what waits for what and nothing is evaluated while nobody listens").split()
EPOCH = re.compile(r"epoch +(\d+)  loss (\d+\.\d+)")


def check(holds, what, *seen):
    if not holds:
        sys.exit("\n".join(["FAILED: " + what, *map(str, seen)]))
    print("ok:", what)


def run(program, *args, tool=None, cwd=None, timeout=60):
    """Bytes are kept as they are: a sample may break a character apart."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("NVTX_", "NVTXH_"))}
    if tool is not None:
        env["NVTX_INJECTION64_PATH"] = tool
    return subprocess.run([program, *args], env=env, cwd=cwd, timeout=timeout, encoding="latin-1",
                          stdin=subprocess.DEVNULL, capture_output=True)


def output(program, *args, **how):
    done = run(program, *args, **how)
    check(done.returncode == 0 and done.stderr == "",
          f"{os.path.basename(program)} succeeds, silently", done.returncode, done.stderr)
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


def recorded(program, recorder, expected, args=(), any_number=()):
    """A recording holds each range and mark so many times; numbers in their names are #."""
    done = run(recorder, "record", "-o", "recording", "--", program, *args)
    check(done.returncode == 0 and done.stdout == output(program, *args),
          "prints the same, recorded", done)
    found = collections.Counter()
    for row in csv.DictReader(output(recorder, "stats", "recording", "--csv").splitlines()):
        found[re.sub(r"\d+(\.\d+)?", "#", row["Range"])] += int(row["Instances"])
    for name in any_number:
        found.pop(name, None)
    check(dict(found) == expected, f"what it does is what is recorded: {expected}", dict(found))


def train_recorded(program, recorder, **_):
    steps = 2 * 200
    expected = {"text_load": 1, "prefetch": 1, "epoch": 2, "checkpoint": 2, "write_sample": 1,
                "sample batch": steps + 1}
    expected |= dict.fromkeys(["batch", "step", "forward", "backward", "update"], steps)
    recorded(program, recorder, {"train:" + name: n for name, n in expected.items()},
             [known_text(), "2"], any_number=["train:wait"])


def colours_recorded(program, recorder, **_):
    recorded(program, recorder, {"sorting:shuffle": 3, "sorting:insertion_sort": 1,
                                 "sorting:selection_sort": 1, "sorting:library_sort": 1})


def threads_recorded(program, recorder, **_):
    recorded(program, recorder, {"piece": 12, "count": 12})


def printf_recorded(program, recorder, **_):
    recorded(program, recorder, {"search": 1, "from # to #": 10, "every thousandth": 99,
                                 "record: # steps from #": 34, "report": 1})


def cpp_recorded(program, recorder, **_):
    recorded(program, recorder, {"calculator:" + name: n for name, n in {
        "main": 1, "evaluate": 4, "step #": 7, "step +": 2, "step *": 2, "step two": 1,
        "failed: a number is missing": 1, "failed: two is not a number": 1}.items()})


def payload_recorded(program, recorder, **_):
    recorded(program, recorder, {"integrate": 1, "piece": 99})


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


def stats_recorded(program, recorder, **_):
    recorded(program, recorder, {"step": 440, "forces": 440, "move": 440, "hundred steps": 4})


def instrument_recorded(program, recorder, **_):
    done = run(recorder, "record", "-o", "recording", "--", program, known_text(), "1")
    check(done.returncode == 0 and done.stdout == output(program, "known.txt", "1"),
          "prints the same, recorded", done)
    found = {row["Range"]: int(row["Instances"])
             for row in csv.DictReader(output(recorder, "stats", "recording", "--csv").splitlines())}
    check(found.get("main") == 1 and found.get("forward", 0) >= 200
          and found.get("backward") == found.get("update") == 200,
          "every function is there, by its name", found)


colours_same = payload_same = counters_same = threads_same = printf_same = cpp_same = same


def main():
    parser = argparse.ArgumentParser()
    path = os.path.abspath
    parser.add_argument("claim")
    parser.add_argument("program", type=path)
    parser.add_argument("--also", nargs="+", default=[], type=path)
    parser.add_argument("--tools", nargs="+", default=[], type=path)
    parser.add_argument("--recorder", type=path)
    given = vars(parser.parse_args())
    claim = globals()[given.pop("claim")]
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        claim(**given)


main()
