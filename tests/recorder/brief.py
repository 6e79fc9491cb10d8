#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""record --min-duration: short ranges are left out and counted; ranges that are long, open or not empty stay."""
import csv
import io
import os
import re
import resource
import signal
import subprocess
import time

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, stats

BOUND = "500ms"  # ranges that are to last take 600 ms, the others hardly any time
SAID = r"(\d+) ranges? shorter than (\S+ \w+) left out"


def found(rec):
    """{(style, range): how many}, how many were left out, and what else the command printed."""
    rows, said = stats(rec)
    left = re.findall(SAID, said)
    must("damaged" not in said and "dropped" not in said, said)
    return {key: int(row["Instances"]) for key, row in rows.items()}, int(left[0][0]) if left else 0, said


def record(name, *command, options=(), bound=BOUND, status=0):
    rec = here(name + ".nvtxh")
    done = nvtxh("record", "-f", "-o", rec, "--min-duration", bound, *options, "--", *command)
    if done.returncode == 77:
        driver.skip("no single steps on this processor")
    equal(done.returncode, status, done.stderr.decode())
    return rec, done


def case_kinds():
    """Short ranges stay if they contain a mark, a longer range or the end of another range. All others are left out."""
    short, outer, marked = ("PushPop", "brief:short"), ("PushPop", "outer"), ("PushPop", "marked")
    for letters, turns, rows, left in (
            ("p", 100, {}, 100), ("a", 100, {}, 100), ("n", 100, {}, 300), ("t", 100, {}, 100),
            ("e", 10, {}, 1000), ("c", 1, {outer: 1, ("PushPop", "long"): 1}, 0), ("o", 1, {("PushPop", "around"): 1}, 200),
            ("q", 4, {outer: 4, ("PushPop", "around"): 4}, 12), ("r", 1, {("PushPop", "long"): 1}, 2),
            ("pmp", 50, {marked: 50, ("Mark", "mark"): 50}, 100), ("s", 20, {("StartEnd", "process range"): 20}, 0),
            ("d", 20, {short: 20, ("PushPop", "other:short"): 20}, 0),
            ("h", 20, {("PushPop", "interrupted"): 20, ("Mark", "handled"): 20}, 20)):
        rec, done = record("kinds", program("brief"), str(turns), letters)
        got, out, said = found(rec)
        equal((got, out), (rows, left), f"{letters}: {said}")
        equal(re.findall(SAID, done.stderr.decode()), [(str(left), "500 ms")] if left else [], f"{letters}: at the end")
    rows, left, said = found(record("deep", program("brief"), "g")[0])
    must(left > 100 and left + rows[short] == 3000, "deeper than what is kept of them", rows, said)
    both = here("both.nvtxh")
    equal(nvtxh("merge", "-o", both, record("a", program("brief"), "pm")[0], record("b", program("brief"), "10", "p")[0]).returncode, 0, "merge")
    equal(found(both)[:2], ({marked: 1, ("Mark", "mark"): 1}, 11), "merged")


def case_many():
    """Threads, forks, a ring that is filled many times, a capture, and the recorder as a part of the program."""
    rec, _ = record("threads", program("brief"), "2000", "8", "pna")
    equal(found(rec)[:2], ({}, 2000 * 8 * 5), "threads")
    must(os.path.getsize(rec) < 600000, "its size", os.path.getsize(rec))
    rec, _ = record("forks", program("brief"), "20", "fp")
    rows, left, said = found(rec)
    equal((rows, left), ({("Mark", "child"): 20}, 20 * 3), said)
    rec, _ = record("ring", program("brief"), "20000", "4", "pmnt", options=("--ring", "256k"))
    rows, left, said = found(rec)
    equal(left, 20000 * 4 * 5, "left out in a ring: " + said)
    must(set(rows) == {("PushPop", "marked"), ("Mark", "mark")} and 1000 < rows["Mark", "mark"] < 80000, rows)
    rec, _ = record("capture", program("brief"), "pop", options=("--capture-range", "around"))
    equal(found(rec)[:2], ({("PushPop", "around"): 1}, 200), "a capture")
    done = driver.run(program(driver.versions("linked")[-1]), "calls", cwd=driver.directory, env=dict(os.environ, NVTXH_RECORD_MIN_DURATION="1s"))
    equal((done.returncode, done.stderr), (0, b""), "linked")
    rows, left, said = found(here("first.nvtxh"))
    must(left >= 1000 and sum(rows.values()) < 1000 and "1.00 s" in said, rows, said)


def case_open():
    """Open ranges are seen by top, a condition, a snapshot and after SIGKILL, also while short ranges in them come and go."""
    rec, _ = record("killed", program("brief"), "3", "pk", status=128 + signal.SIGKILL)
    equal(found(rec)[:2], ({("PushPop", "open"): 1, ("PushPop", "inner"): 1}, 1), "killed")
    # The range lasts until the last short one in it, at least: the process was alive then.
    rec, _ = record("left", program("brief"), "y")
    rows, said = stats(rec)
    must(int(rows["PushPop", "open"]["Total Time (ns)"]) >= 600_000_000 and re.findall(SAID, said)[0][0] == "60", rows, said)
    for letters in "pw", "pax":
        rec = here(f"{letters}.nvtxh")
        process = subprocess.Popen([driver.args.nvtxh, "record", "-q", "-o", rec, "--ring", "256k", "--min-duration", "300ms", "--snapshot-when",
                                    "open stuck 500ms", "--after", "0", "--", program("brief"), letters], stderr=subprocess.PIPE, start_new_session=True)
        try:
            for _ in range(2000):
                if os.path.exists(here(f"{letters}.snap1.nvtxh")):
                    break
                time.sleep(0.05)
            equal(found(here(f"{letters}.snap1.nvtxh"))[0]["PushPop", "open"], 1, "in the snapshot")
            for _ in range(20):
                done = nvtxh("top", "--once", "--csv", rec)
                rows = list(csv.DictReader(io.StringIO(done.stdout.decode())))
                must(done.returncode == 0 and any("open" in row.values() for row in rows), done.stdout.decode())
                done = nvtxh("stats", "--csv", rec)
                opened = [row["Instances"] for row in driver.table(done.stdout.decode()) if row["Range"] == "open"]
                must(opened == ["1"] and b"damaged" not in done.stderr, opened, done.stderr.decode())
        finally:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        rows, left, said = found(rec)
        must(rows["PushPop", "open"] == 1 and left >= 1, rows, said)
    # A range that is stuck fires once, though its start is converted anew with the samples of processes that come later.
    one, more = f"'{program('brief')}' l", f"'{program('brief')}' 1 1 p"
    rec, done = record("once", "sh", "-c", f"{one} & for i in 1 2 3 4 5 6 7; do {more}; sleep 0.05; done; wait",
                       options=("--ring", "256k", "--snapshot-when", "long stuck 100ms", "--after", "0"), bound="1s")
    must(os.path.exists(here("once.snap1.nvtxh")) and b"more time" not in done.stderr, done.stderr.decode())
    # Long ranges one after the other: the condition does not take the first for one that stays open.
    rec, done = record("four", program("brief"), "llll", options=("--ring", "256k", "--snapshot-when", "long stuck 1200ms"))
    must(found(rec)[0] == {("PushPop", "long"): 4} and not os.path.exists(here("four.snap1.nvtxh")), done.stderr.decode())


STRIDE = "3"  # these calls have some 350 instructions


def case_steps():
    """Between any two instructions of a push or a pop: events in a handler, and SIGKILL."""
    rec, done = record("events", program("steps"), "events", STRIDE)
    ranges, handled = map(int, done.stdout.split())
    rows, left, said = found(rec)
    must(handled > 4 * 60 and left + sum(rows.values()) == ranges + handled and left > ranges * 0.9, ranges, handled, rows, said)
    rec, done = record("kill", program("steps"), "kill", STRIDE)
    ranges, killed = map(int, done.stdout.split())
    rows, left, said = found(rec)
    must(killed > 4 * 60 and ranges * 0.99 <= left + sum(rows.values()) <= ranges * 6 / 5, killed, ranges, left, rows)
    must(left >= ranges * 0.99, "left out", left, ranges)
    events = list(csv.DictReader(io.StringIO(nvtxh("export", rec, "--to", "csv").stdout.decode(), newline="")))
    equal({(row["Message"], row["Payload"]) for row in events}, {("plain", ""), ("registered", "42")}, "payloads of those that are open")


def case_steps_out():
    """The same with a handler that forks, or jumps out."""
    record("fork", program("steps"), "fork", STRIDE)
    found(here("fork.nvtxh"))
    rec, done = record("jump", program("steps"), "jump", STRIDE)
    rows, left, said = found(rec)
    marks, jumped = map(int, done.stdout.split())
    must(jumped > 4 * 60 and left > marks / 5, said)
    equal(rows["Mark", "after a jump"], marks, "marks after jumps")
    # A push that a jump left half taken back is not read behind a shorter record that follows.
    rec, done = record("last", program("steps"), "last", "1")
    rows, left, said = found(rec)
    must(int(done.stdout) > 60 and rows["Mark", "registered"] == int(done.stdout), done.stdout, rows, said)


def case_room():
    """A full file: what is written is complete, and the rest is counted."""
    rec = here("full.nvtxh")
    done = nvtxh("record", "-o", rec, "--min-duration", BOUND, "--", program("brief"), "20000", "4", "pmnt",
                 preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))))
    equal(done.returncode, 0, done.stderr.decode())
    rows, said = stats(rec)
    must("dropped" in said and "damaged" not in said, said)
    must(int(rows["PushPop", "marked"]["Instances"]) > 1000 and re.search(SAID, said), rows, said)


def case_mistakes():
    """Wrong times are refused on the command line, and ignored in the environment."""
    for bad in "soon", "0", "-1us", "2s", "10", "1y", "":
        done = nvtxh("record", "--min-duration", bad, "--", "true")
        must(done.returncode == 2 and b"such as 10us" in done.stderr, bad, done.stderr.decode())
    for good in "500ns", "10us", "0.01ms", "1s", "1":
        equal(nvtxh("record", "-f", "-o", here("x"), "--min-duration", good, "--", "true").returncode, 0, good)
    rec = here("bad.nvtxh")
    done = driver.run(program("brief"), "p", env=dict(os.environ, NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE=rec, NVTXH_RECORD_MIN_DURATION="soon"))
    equal((done.returncode, done.stderr.decode()), (0, "nvtxh: NVTXH_RECORD_MIN_DURATION=soon is ignored: it is not a time up to 1s, such as 10us\n"), "environment")
    equal(found(rec)[:2], ({("PushPop", "brief:short"): 1}, 0), "all of it")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
