#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program that annotates for long, idle, counted, and recorded in a ring: memory stays flat, counters are exact, nothing
is missing in what the ring has kept, and the recording's clock does not drift from CLOCK_MONOTONIC.

    soak.py --nvtxh PATH --program PATH [--seconds N]     so long for each of the three; 6 if it is not given

Not in the suite: the drift is a measured time.
"""
import argparse
import csv
import io
import statistics
import subprocess
import sys
import tempfile

GROWTH = 256        # KiB, of memory between a tenth of the time and the end
DRIFT = 1000        # ns a minute
NOISE = 200         # ns, of a single median
RING = "4M"


def soak(command):
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: status {done.returncode}\n{done.stderr}")
    return [int(word) for word in done.stdout.split()], done.stderr


def ring(args, folder):
    """What the ring has kept: (the program's words, its ranges' payloads, [(time, offset)])"""
    rec = folder + "/rec.nvtxh"
    said, about = soak([args.nvtxh, "record", "-o", rec, "--ring", RING, "--", args.program, str(args.seconds), "recorded"])
    text = subprocess.run([args.nvtxh, "export", "--format", "csv", rec], capture_output=True, text=True, check=True).stdout
    payloads, clock = [], []
    for row in csv.DictReader(io.StringIO(text)):
        if row["Message"] == "soak":
            payloads.append(int(row["Payload"]))
        else:
            clock.append((int(row["Payload"]), int(row["Start (ns)"]) - int(row["Payload"])))
    return said, payloads, clock, about


def offsets(clock):
    """The least of each burst of marks, which was disturbed least: (minutes, ns)"""
    bursts = []
    for time, offset in clock:
        if not bursts or time - bursts[-1][0] > 100_000_000:
            bursts.append([time, offset])
        bursts[-1][1] = min(bursts[-1][1], offset)
    return [((time - bursts[0][0]) / 60e9, offset - bursts[0][1]) for time, offset in bursts]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nvtxh", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--seconds", type=int, default=6)
    args = parser.parse_args()
    wrong = []

    def check(right, what):
        print(("" if right else "WRONG: ") + what, flush=True)
        wrong.extend([] if right else [what])

    for mode in "idle", "counted":
        (count, counted, before, after), _ = soak([args.program, str(args.seconds), mode])
        check(after - before <= GROWTH, f"{mode}: {count:.3g} scopes, memory {before} KiB and then {after} KiB")
        check(counted == (count if mode == "counted" else 0), f"{mode}: {counted} of {count} are counted")
    with tempfile.TemporaryDirectory(prefix="nvtxh-") as folder:
        (count, _, before, after), payloads, clock, about = ring(args, folder)
    check(after - before <= GROWTH, f"recorded: {count:.3g} scopes, memory {before} KiB and then {after} KiB")
    check(" 0 dropped" in about, "recorded: " + about.split(", in ")[0])
    check(payloads == list(range(count - len(payloads), count)), f"recorded: the ring holds the last {len(payloads)} scopes, each of them")
    times = offsets(clock)
    third = max(1, len(times) // 3)
    minutes = statistics.median(t for t, _ in times[-third:]) - statistics.median(t for t, _ in times[:third])
    off = statistics.median(o for _, o in times[-third:]) - statistics.median(o for _, o in times[:third])
    check(abs(off) <= DRIFT * minutes + NOISE, f"recorded: in {minutes:.2f} minutes the clock drifts {off:.0f} ns from CLOCK_MONOTONIC; "
          f"offsets are {min(o for _, o in times)} to {max(o for _, o in times)} ns")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
