#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Random programs, and what a recording of each must hold: nothing more, nothing less, in order.

    run.py [--nvtxh PATH] [--interpreter PATH] [--operations N] [--seed N] [--script FILE]

If a recording differs, its script is shrunk to the smallest one that still differs, which is printed with the seed. --script FILE runs
such a script; its first line has two numbers: threads, and asynchronous signals in each phase.
"""
import argparse
import csv
import io
import os
import random
import subprocess
import sys
import tempfile
import time

from harness import draws
from harness.checks import BUILD, NVTXH
from model import Model
from script import Script, balanced

DOMAINS = ["", "domain a", "domain b", "raw"]


class Differs(Exception):
    pass


def wanted_row(span, tid_of):
    domain, *rest = span.row
    return (span.style, DOMAINS[domain], *rest, str(span.depth), str(int(span.end is None)), tid_of[span.end or span.at])


def compare(model, said, text):
    """What was recorded with what the model says; raises Differs."""
    numbers, tids, handled = {}, {}, None
    for line in said.splitlines():
        what, number, tid = line.split()
        if what == "handled":
            handled = int(tid)
            continue
        which = numbers[what, number] = numbers.get((what, number), -1) + 1
        key = ("thread", int(number), which) if what == "thread" else ("child", int(number))
        if key not in model.streams:
            raise Differs(f"the program had a {key} that the model has not")
        tids[model.streams[key]] = tid
    for key, stream in model.streams.items():
        if stream.spans and stream not in tids:
            raise Differs(f"{key} never said its number")
    by_tid = {}
    asynchronous = 0
    for row in csv.reader(io.StringIO(text, newline="")):
        if row[4] == "asynchronous":
            asynchronous += 1
        elif row[12] != "TID":
            by_tid.setdefault(row[12], []).append(row)
    if asynchronous != handled:
        raise Differs(f"{handled} asynchronous signals were handled, {asynchronous} are recorded")
    names = {stream: key for key, stream in model.streams.items()}
    for stream, tid in tids.items():
        rows, where = by_tid.pop(tid, []), names[stream]
        for i in range(max(len(rows), len(stream.spans))):
            if i == len(rows):
                raise Differs(f"{where}: of {len(stream.spans)} spans {i} are recorded; next is {wanted_row(stream.spans[i], tids)}")
            row = rows[i]
            payload = float(row[9]) if row[8] == "double" else row[9]
            got = (*row[2:9], payload, row[14], row[15], row[13])
            if i == len(stream.spans):
                raise Differs(f"{where}: recorded, but of no model: {got}")
            span = stream.spans[i]
            if got != wanted_row(span, tids):
                raise Differs(f"{where}, span {i}: recorded is {got}, wanted {wanted_row(span, tids)}")
            span.start_ns, span.end_ns = int(row[0]), int(row[1])
    if by_tid:
        raise Differs(f"threads that no model has: {by_tid}")
    for stream in tids:
        last = -1
        for event in stream.events:
            span = event[0] if isinstance(event, tuple) else event
            now = span.end_ns if isinstance(event, tuple) else span.start_ns
            if now <= last:
                raise Differs(f"{names[stream]}: at {now} ns {span.row[1]}, and before it something at {last} ns")
            last = now


def check(args, directory, lines, script):
    path, rec = os.path.join(directory, "script"), os.path.join(directory, "rec.nvtxh")
    with open(path, "w") as f:
        f.write(f"{script.threads} {script.signals}\n")
        f.writelines(f"{thread} {what} {kind} {argument}\n" for thread, what, kind, argument in lines)
    model = Model(lines, script.threads, script.signals)
    done = subprocess.run([args.nvtxh, "record", "-f", "-o", rec, *script.options, "--", args.interpreter, path],
                          capture_output=True, text=True, timeout=240)
    if done.returncode != (128 + 9 if model.killed else 0) or " 0 dropped" not in done.stderr:
        if not any(s.spans for s in model.streams.values()) and not script.signals and not done.returncode % 137:
            return  # nothing to record
        raise Differs(f"exit status {done.returncode}: {done.stderr}")
    export = subprocess.run([args.nvtxh, "export", "--format", "csv", rec], capture_output=True, text=True, timeout=240)
    if export.returncode:
        raise Differs(export.stderr)
    compare(model, done.stdout, export.stdout)


def differs(args, directory, lines, script, tries=3):
    for _ in range(tries):
        try:
            check(args, directory, lines, script)
        except (Differs, subprocess.TimeoutExpired) as why:
            return why
    return None


def shrink(args, directory, lines, script):
    """The lines without each part of them that is not needed, as far as there is time: halves, quarters, and so on."""
    size, until = len(lines) // 2, time.monotonic() + args.shrink
    while size:
        at = 0
        while at < len(lines):
            if time.monotonic() > until:
                return lines
            fewer = lines[:at] + lines[at + size:]
            if balanced(fewer) and differs(args, directory, fewer, script):
                lines = fewer
            else:
                at += size
        size //= 2
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvtxh", default=NVTXH, type=os.path.abspath)
    parser.add_argument("--interpreter", default=BUILD / "tests" / "model" / "interpreter", type=os.path.abspath)
    parser.add_argument("--operations", type=int, default=100_000 * draws.DRAWS)
    parser.add_argument("--seconds", type=float, default=1e9, help="stop after so long")
    parser.add_argument("--shrink", type=float, default=60, help="seconds in which a program that differs is made shorter (60)")
    parser.add_argument("--seed", type=int, default=draws.SEED)
    parser.add_argument("--script")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="nvtxh-") as directory:
        return one_script(args, directory) if args.script else many(args, directory)


def one_script(args, directory):
    script = argparse.Namespace(options=[])
    with open(args.script) as f:
        script.threads, script.signals = map(int, f.readline().split())
        lines = [(int(t), what, int(kind), int(argument)) for t, what, kind, argument in map(str.split, f)]
    why = differs(args, directory, lines, script)
    print(why or "as the model says")
    return 1 if why else 0


def many(args, directory):
    seed, done, programs = args.seed % (1 << 32), 0, 0
    print(f"seed {seed}", flush=True)
    until = time.monotonic() + args.seconds
    while done < args.operations and time.monotonic() < until:
        size = random.Random(seed).choice([30, 300, 3000, 10000])
        script = Script(seed, size)
        why = differs(args, directory, script.lines, script, 1)
        if why:
            print(f"program {programs}, seed {seed}, {script.threads} threads, options {script.options}: {why}\nshrinking", flush=True)
            lines = shrink(args, directory, script.lines, script)
            print(f"{len(lines)} of {len(script.lines)} lines: {differs(args, directory, lines, script, 10) or 'it no longer differs'}")
            print(script.threads, script.signals)
            print("\n".join(" ".join(map(str, line)) for line in lines))
            return 1
        done += len(script.lines)
        programs += 1
        seed = (seed * 6364136223846793005 + 1442695040888963407) % (1 << 32)
    print(f"{programs} programs with {done} operations")
    return 0


if __name__ == "__main__":
    sys.exit(main())
