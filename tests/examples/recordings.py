#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that a recording of an example holds what the example does, and that its values can be read.

CLAIM is one of the functions below; for the rest of the command line see running.py.
"""
import collections
import csv
import json
import math
import os
import pathlib
import re
import sqlite3

from running import check, known_text, main, output, run


def recorded(program, recorder, expected, args=(), any_number=()):
    """How often a recording has each range and mark; numbers in their names are #."""
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


def train_readme(program, recorder, **_):
    """README's table has the columns that stats prints, and ranges of the program, as often as 16 epochs have them."""
    done = run(recorder, "record", "-o", "recording", "--", program, known_text(), "1")
    check(done.returncode == 0, "is recorded", done)
    counts = {row["Range"]: int(row["Instances"])
              for row in csv.DictReader(output(recorder, "stats", "recording", "--csv").splitlines())}
    readme = pathlib.Path(os.environ["EXAMPLES_README"]).read_text()
    head, *rows = re.search(r"\$ nvtxh stats build/train.nvtxh\n(Range .*?)\n\.\.\.", readme, re.S)[1].splitlines()
    os.environ["COLUMNS"] = "80"
    printed = output(recorder, "stats", "recording").splitlines()
    check(head.split() == printed[0].split(), "the columns in README", head, printed)
    for row in rows:
        name, count = re.match(r"(\S+) .* % \S* +[\d.,]+ \S+ +([\d,]+) ", row).groups()
        wanted = counts[name] * (1 if name == "train:prefetch" else 16)
        check(name == "train:wait" or int(count.replace(",", "")) == wanted, "the counts in README", row, wanted)


def first_recorded(program, recorder, **_):
    recorded(program, recorder, {"all": 1, "step": 3})


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


def incident_recorded(program, recorder, **_):
    """The example is killed. It leaves a snapshot that shows which process stalled, in which range, and what the others did."""
    done = run(recorder, "record", "--ring", "1M", "--snapshot-when", "job:load stuck 500ms", "--after", "100ms",
               "-o", "incident.nvtxh", "--", program)
    check(done.returncode == 128 + 9 and "incident.snap1.nvtxh: job:load stuck 500ms: open for" in done.stderr, "killed, with a snapshot", done)
    stalled = re.search(r"in process (\d+)", done.stderr).group(1)
    rows = list(csv.DictReader(output(recorder, "top", "--once", "--nest", "--csv", "incident.snap1.nvtxh").splitlines()))
    inner = {row["Thread"].split()[0]: row["Range"] for row in rows if row["Depth"] == "1"}
    check(inner.pop(stalled) == "job:load", "who stalled, and where", rows)
    check(list(inner.values()) == ["job:exchange"] * 3, "what the others did", rows)


# --- values -----------------------------------------------------------------------------------


def exported(program, recorder):
    """A recording's rows as CSV, and database."""
    done = run(recorder, "record", "-o", "recording", "--", program)
    check(done.returncode == 0 and done.stdout == output(program), "prints the same, recorded", done)
    for form in "csv", "sqlite":
        output(recorder, "export", "recording", "--format", form, "-o", "out." + form, said=f"nvtxh: wrote out.{form}, .*\n")
    with open("out.csv", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return rows, sqlite3.connect("out.sqlite")


def simpson(low, high):
    return (high - low) / 6 * (math.sqrt(low) + 4 * math.sqrt((low + high) / 2) + math.sqrt(high))


def payload_decoded(program, recorder, **_):
    rows, database = exported(program, recorder)
    pieces = [row for row in rows if row["Message"] == "piece"]
    check(len(pieces) == 99, "99 pieces", len(pieces))
    for row in pieces:
        low, high, depth = float(row["piece.from"]), float(row["piece.to"]), int(row["piece.depth"])
        middle = (low + high) / 2
        area = simpson(low, middle) + simpson(middle, high)
        error = abs(area - simpson(low, high))
        verdict = "HALVED" if error > 1e-6 / 2 ** depth else "ACCEPTED"
        if not (high - low == 0.5 ** depth and row["outcome.verdict"] == verdict
                and math.isclose(float(row["outcome.area"]), area, rel_tol=1e-9)
                and math.isclose(float(row["outcome.error"]), error, rel_tol=1e-6, abs_tol=1e-12)
                and row["outcome.method"] == "Simpson"):
            check(False, "csv: each field by its name, with what the program computed", row)
    area = sum(float(row["outcome.area"]) for row in pieces if row["outcome.verdict"] == "ACCEPTED")
    check(abs(area - 2 / 3) < 1e-5, "csv: the pieces that were accepted are the integral", area)

    said = [json.loads(text) for (text,) in database.execute(
        "SELECT jsonText FROM NVTX_EVENTS JOIN StringIds ON textId = id WHERE value = 'piece' ORDER BY start, end DESC")]
    same = [{f"{struct}.{field}": str(value) for struct, fields in values.items()
             for field, value in fields.items()} for values in said]
    check(len(same) == 99 and all(row[name] == text or float(row[name]) == float(text)
                                  for row, one in zip(pieces, same) for name, text in one.items()),
          "sqlite: the same, as JSON", same[:2])
    check(re.fullmatch(r"piece=\{from=0, to=1, depth=0\}, outcome=\{verdict=HALVED, "
                       r"area=0\.65652\d+, error=0\.01845\d+, method=\"Simpson\"\}", pieces[0]["Payload"]),
          "csv: in words", pieces[0])


def counters_decoded(program, recorder, **_):
    rows, database = exported(program, recorder)
    found = collections.defaultdict(list)
    for row in rows:
        found[row["Message"]].append((int(row["Start (ns)"]), float(row["Payload"])))
    check({(row["Style"], row["Domain"]) for row in rows} == {("Counter", "office")},
          "counters alone", rows[:1])
    values = {name: [value for _, value in samples] for name, samples in found.items()}
    check({name: len(of) for name, of in values.items()} ==
          {"waiting": 194, "so far.served": 92, "so far.lost": 92, "clerk": 48},
          "each value once, a group's by its fields", {name: len(of) for name, of in values.items()})
    steps = [abs(b - a) for a, b in zip(values["waiting"], values["waiting"][1:])]
    check(set(values["waiting"]) == {0, 1, 2, 3} and set(steps) <= {0, 1} and
          values["waiting"][-1] == 0, "one customer comes or goes at a time", values["waiting"])
    check(values["so far.served"] == list(range(1, 93)) and values["so far.lost"][-1] == 8,
          "who was served, and who went away")
    check(math.isclose(values["clerk"][-1], 100 * 370 / 480, rel_tol=1e-9) and
          [at for at, _ in found["clerk"]] == sorted(at for at, _ in found["clerk"]),
          "a batch has its values at its times", found["clerk"][-2:])
    for name, samples in found.items():
        kept = database.execute("SELECT timestamp, value FROM NVTXH_COUNTERS WHERE name = ? "
                                "ORDER BY timestamp, rowid", (name,)).fetchall()
        check(kept == sorted(samples, key=lambda sample: sample[0]), f"sqlite: {name}", kept[:3])


main(globals())
