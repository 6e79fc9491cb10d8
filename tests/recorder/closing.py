#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `nvtxh record` says when the program has ended.

    closing.py CASE --nvtxh PATH --library PATH --programs DIRECTORY

Each case is a function named after it; what it claims is its first line. Exit status 77: cannot be tried here.
"""
import os
import re
import signal
import subprocess
import sys

import driver
from driver import equal, here, must, nvtxh, program
from records import EXTENDED, Recording, words

EVENTS = {"push", "pop", "start", "end", "mark", "count", "push by preset"}
NO_EVENTS = {"payload", "preset", "no push"}  # of the extended ones


def counted(rec):
    """Events, threads with events, and dropped events, by a reader made from FORMAT.md."""
    r = Recording(rec)
    events = threads = dropped = 0
    for process, streams in r.streams.items():
        losses = r.losses(process)
        dropped += losses[0] + losses[1] + sum(s.dropped for number, s in streams.items() if number)
        gates = [(words(g.body, 0, 1)[0], g.id) for g in r.names("gate", process)]
        for number, s in streams.items():
            some = 0
            for record in s.records if number else ():
                before = [opens for ticks, opens in gates if ticks <= record.ticks]
                is_open = before[-1] if before else not gates or not gates[0][1]
                extended = record.kind == "extended" and EXTENDED[record.id] not in NO_EVENTS
                some += bool((record.kind in EVENTS or extended) and is_open)
            events += some
            threads += some > 0 and s.lane == 0
    return events, threads, dropped


def said(line):
    found = re.search(r"(\d+) events?, (\d+) threads?, (?:\d+ processes, )?(\d+) dropped, in ", line)
    must(found, "a closing line in", line)
    return tuple(int(n) for n in found.groups())


def case_counts():
    """Events, threads and dropped ones are those in the file: with every kind of event, gates, rings, and if killed."""
    for options, name, *arguments in (
            ([], "known-3"), ([], "extended-3.2"), ([], "forked"), ([], "presets"), ([], "load", "3", "10000"),
            (["--ring", "256k"], "load", "4", "40000"), (["--ring", "256k"], "alive", "60"), (["--ring", "64MiB"], "phases"),
            (["--domain-exclude", "first"], "phases"), (["--domain-include", "second"], "phases"),
            (["--capture-range", "steady"], "phases"), (["--delay=0.05", "--duration=0.1"], "paced", "300")):
        if not os.path.exists(program(name)):
            continue
        done = nvtxh("record", "-fo", here("rec"), *options, "--", program(name), *arguments)
        equal(said(done.stderr.decode()), counted(here("rec")), f"{options} {name}")
    for options in [], ["--ring", "256k"]:
        with open(here("progress"), "wb") as f:
            f.write(bytes(8192))
        process = subprocess.Popen([driver.args.nvtxh, "record", "-fo", here("rec"), *options, "--", program("load"), "2", "0",
                                    here("progress")], stderr=subprocess.PIPE)
        with open(here("progress"), "rb", buffering=0) as f:
            while not any(f.read(8)):
                f.seek(0)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)
        line = process.communicate()[1].decode()
        equal(said(line), counted(here("rec")), f"killed, {options}")


def case_next():
    """What it says to type next can be typed as it stands."""
    for name in ("plain.nvtxh", "with a space", "it's", "$HOME `x`", "-o", "*"):
        done = nvtxh("record", "-o", name, "--", program("known-3"), cwd=driver.directory)
        line = done.stderr.decode().strip().partition("; next: nvtxh ")[2]
        told = subprocess.run(["sh", "-c", f"'{driver.args.nvtxh}' {line}"], cwd=driver.directory, capture_output=True)
        must(told.returncode == 0 and b"outer" in told.stdout, name, line, told.stderr)
    equal(line, "stats '*'", "quotes")


if __name__ == "__main__":
    sys.exit(driver.main(globals()))
