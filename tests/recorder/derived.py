#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings that are made of others have the same durations as these. A recording is under way while a program may still be recorded to it."""
import contextlib
import os
import signal
import subprocess

from always import events, marks, wait_for
from harness import driver
from harness.driver import equal, here, must, nvtxh, program


def durations(rec):
    """[(name, ns)] in the order of their ends. The clocks of a merged recording have other samples, so it may differ by some ns."""
    done = nvtxh("export", "--format", "csv", rec, status=0)
    rows = sorted(driver.table(done.stdout.decode()), key=lambda row: (int(row["Start (ns)"]), int(row["End (ns)"])))
    return [(row["Message"], int(row["End (ns)"]) - int(row["Start (ns)"])) for row in rows]


def check_same(found, wanted, what):
    must(wanted and [name for name, _ in found] == [name for name, _ in wanted], what, found, wanted)
    must(all(abs(a - b) < 10000 for (_, a), (_, b) in zip(found, wanted)), what, found, wanted)


def case_durations():
    """Of programs that were killed, and of programs with children, one of them killed."""
    worker = program(driver.versions("incidents")[-1])
    for name, script in (("killed", 'exec "$0" p w50 p w50 k'), ("child", '"$0" p w50 k; exec "$0" p w50'),
                         ("forked", 'exec "$0" p e0 w50 k')):
        rec = here(f"{name}.nvtxh")
        nvtxh("record", "-o", rec, "--", "sh", "-c", script, worker)
        wanted = durations(rec)
        for of in ("", "merged", "snapshot"):
            for command, made in (("merge", "merged"), ("snapshot", "snapshot")):
                equal(nvtxh(command, "-f", "-o", here(of + made), here(of) if of else rec).returncode, 0, command)
                check_same(durations(here(of + made)), wanted, f"{name}: {made} of {of}")


@contextlib.contextmanager
def script(rec, text, *arguments):
    """nvtxh record of a shell that has written "now"; all of its processes are killed at the end."""
    process = subprocess.Popen([driver.args.nvtxh, "record", "-q", "-o", rec, "--", "sh", "-c", text, *arguments],
                               stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True)
    try:
        while process.stdout.readline() != b"now\n":
            must(process.poll() is None, "it has ended")
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def check_busy(rec, other):
    """No command replaces it, and it has not ended."""
    before = os.stat(rec).st_ino
    for command in (("record", "-f", "-o", rec, "--", "true"), ("record", "-f", "-o", os.path.join(os.path.dirname(rec), os.path.basename(rec)[:-1] + "%j"), "--job", rec[-1], "--", "true"),
                    ("export", "-f", "-o", rec, "--format", "csv", other), ("merge", "-f", "-o", rec, other),
                    ("snapshot", "-f", "-o", rec, other), ("view", "-f", "-o", rec, "--no-open", other)):
        done = nvtxh(*command)
        must(done.returncode == 2 and b"is recorded there" in done.stderr, command, done.stderr)
    equal(os.stat(rec).st_ino, before, "the file")
    shown = nvtxh("top", "--once", rec)
    must(not shown.stdout.startswith(b"ended"), "top", shown)


def case_between():
    """A script is recorded also while none of its programs runs."""
    rec, other = here("rec.nvtxh"), here("other.nvtxh")
    driver.record(other, program("known-3"))
    for name, text in (("first", 'echo now; read x; "$0"'), ("second", '"$0"; echo now; read x; "$0"; exit 0')):
        rec = here(name)
        with script(rec, text, program("known-3")) as process:
            check_busy(rec, other)
            process.communicate(b"go\n")
        equal(len(events(rec, "outer")), text.count("$0"), "processes")
        equal(nvtxh("record", "-f", "-o", rec, "--", "true").returncode, 0, "it has ended")


def case_child():
    """A program has ended, and its child goes on: so does the recording."""
    rec, other = here("rec.nvtxh"), here("other.nvtxh")
    driver.record(other, program("known-3"))
    with script(rec, '"$0" 100000 > "$1" & echo now', program("paced"), here("printed")) as process:
        equal(process.wait(), 0, "the program")
        wait_for("marks of the child", lambda: events(rec, "tick"))
        check_busy(rec, other)
        before = len(marks(rec))
        nvtxh("snapshot", "-o", here("snapshot"), rec)
        must(len(marks(here("snapshot"))) >= before, "marks in a snapshot", before)
        for command in "pause", "resume":
            done = nvtxh(command, rec)
            must(done.returncode == 0 and (b"is paused" in done.stderr) == (command == "pause"), command, done.stderr)
        with subprocess.Popen([driver.args.nvtxh, "top", "-i", "0.1", "--csv", rec], stdout=subprocess.PIPE) as top:
            for _ in range(10):
                must(top.stdout.readline(), "top has ended")
            os.killpg(process.pid, signal.SIGKILL)
            top.communicate()
        done = nvtxh("pause", rec)
        must(done.returncode == 1 and b"has ended" in done.stderr, done.stderr)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
