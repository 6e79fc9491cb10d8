#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The threads of the command `nvtxh record` that look at the recording while the program runs."""
import contextlib
import os
import re
import signal
import subprocess
import time

from always import wait_for
from harness import driver
from harness.driver import equal, here, instances, must, program, stats
from records import Recording

OPTIONS = "--ring", "1M", "--after", "0", "--snapshot-when", "mark waits"


def hindered(what):
    return {**os.environ, "LD_PRELOAD": program("hindered.so"), "HINDER": what, "HINDER_FROM": here("now")}


def begin(rec, what, script='exec "$@"'):
    """A program with a first half, which ends in "waits", and after `go` a second half with "over"."""
    return subprocess.Popen([driver.args.nvtxh, "record", *OPTIONS, "-o", rec, "--", "sh", "-c", script, "sh", program("varied"), "2", "2", here("go")],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=hindered(what))


def let(name):
    with open(here(name), "w"):
        pass


def seen(rec):
    return os.path.exists(rec.replace(".nvtxh", ".snap1.nvtxh"))


def opened(pid, rec):
    """The files that a process has open whose names begin as the recording's does."""
    names = []
    for entry in os.scandir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):  # it was closed just now
            names.append(os.readlink(entry.path))
    return sorted(name for name in names if os.path.basename(name).startswith(os.path.basename(rec).removesuffix(".nvtxh")))


def case_clock():
    """The command reads a clock ten hours ahead of the kernel's, as if that had been set back since: it still looks all the time."""
    rec = here("rec.nvtxh")
    process = begin(rec, "clock")
    wait_for("the first half", lambda: seen(rec))
    let("go")
    said = process.communicate()[1]
    equal((process.returncode, instances(rec)["PushPop", "over"]), (0, 1), said)


def case_failed():
    """Where such a thread cannot go on, that is reported once. The program runs on, and the exit status is the program's."""
    for what, error in ("pread", "Input/output error"), ("realloc", "out of memory"):
        rec = here(f"{what}.nvtxh")
        process = begin(rec, what, '"$@"; exit 7')
        wait_for("the first half", lambda: seen(rec))
        process.stderr.readline()
        let("now")
        said = [process.stderr.readline()]
        wait_for("files are closed", lambda: not opened(process.pid, rec))
        let("go")
        said += process.communicate()[1].splitlines()
        os.unlink(here("now"))
        os.unlink(here("go"))
        equal((process.returncode, len(said)), (7, 2), said)
        must(error in said[0] and "no more snapshots are taken" in said[0] and "next: nvtxh stats" in said[1], said)
        equal([name for name in os.listdir(driver.directory) if name.startswith(os.path.basename(rec) + ".")], [], "what is left")
        equal(stats(rec)[0]["PushPop", "over"]["Instances"], "1", "the second half")


def case_no_snapshot():
    """Where there is no memory for a snapshot, that is reported, nothing is left of it, and the next one is taken."""
    rec = here("rec.nvtxh")
    options = ("--ring", "1M", "--after", "0", "--min-interval", "0", "--snapshot-when", "signal USR1")
    let("now")
    process = subprocess.Popen([driver.args.nvtxh, "record", *options, "-o", rec, "--", program("paced"), "60000"], stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, text=True, env=hindered("copy"), start_new_session=True)
    try:
        wait_for("events", lambda: os.path.exists(rec) and os.path.getsize(rec) and instances(rec))
        before = min((opened(process.pid, rec) for _ in range(100)), key=len)  # a look has more files open
        for _ in range(3):
            process.send_signal(signal.SIGUSR1)
            equal(process.stderr.readline(), "nvtxh: out of memory; no snapshot was taken\n", "said")
            wait_for("files are closed", lambda: opened(process.pid, rec) == before)
            equal([name for name in os.listdir(driver.directory) if name.startswith("rec.snap")], [], "what is left")
        os.unlink(here("now"))
        process.send_signal(signal.SIGUSR1)
        must("rec.snap1.nvtxh: signal USR1" in process.stderr.readline(), "the next snapshot")
        must(instances(here("rec.snap1.nvtxh")), "its events")
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def case_heads():
    """Of a recording under way, a reader looks at the head of each chunk once."""
    rec = here("rec.nvtxh")
    process = subprocess.Popen([driver.args.nvtxh, "record", "--ring", "1M", "-o", rec, "--", program("load"), "8", "20000"], stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    process.wait()
    with open(rec, "r+b") as f:
        f.seek(104)
        if f.read(4) == b"\1\0\0\0":
            driver.skip("no processor's counter here: with CLOCK_MONOTONIC the heads are read twice")
        f.seek(64)
        f.write(bytes(24))  # as if it had not ended
    chunks = sum(len(stream.chunks) for part in Recording(rec).streams.values() for stream in part.values())
    done = driver.nvtxh("stats", rec, env={**hindered("count")})
    heads = int(re.search(r"(\d+) heads", done.stderr.decode())[1])
    must(chunks > 50 and chunks <= heads < 1.3 * chunks, heads, chunks)


def case_namespace():
    """Processes of another pid namespace are alive until they end, and not for longer, whatever process has their pid here."""
    rec, name = here("inner.nvtxh"), program(driver.versions("incidents")[-1])
    process = subprocess.Popen([driver.args.nvtxh, "record", "-o", rec, "--ring", "1M", "--snapshot-when", "death", "--after", "0", "--",
                                "unshare", *([] if os.geteuid() == 0 else ["-Ur"]), "-p", "--fork", "--kill-child", "sh", "-c",
                                f"{name} m0 w1200 & until test -e {here('go')}; do sleep 0.05; done; {name} m0 w200 k0; wait"],
                               stderr=subprocess.PIPE, text=True)
    wait_for("the first", lambda: process.poll() is not None or (os.path.exists(rec) and os.path.getsize(rec) and instances(rec)))
    if process.poll() is not None:
        driver.skip("no pid namespaces here")
    time.sleep(0.3)
    must(not os.path.exists(here("inner.snap1.nvtxh")), "nobody has died")
    top = driver.nvtxh("top", "--once", rec).stdout.decode()
    must(not top.startswith("ended"), top)
    done = driver.nvtxh("record", "--force", "-o", rec, "--", "true")
    must(done.returncode == 2 and b"a program is recorded there" in done.stderr, done.stderr.decode())
    let("go")
    said = process.communicate()[1]
    equal(len(re.findall(r"inner.snap\d+.nvtxh: death: process", said)), 1, said)


def case_power():
    """After a power cut, a snapshot is not empty: it is on the disk before it has its name."""
    rec = here("rec.nvtxh")
    equal(driver.record(rec, program("varied"), "2", "2").returncode, 0, "record")
    equal(driver.nvtxh("snapshot", "-o", here("snapshot"), rec, env=hindered("power")).returncode, 0, "snapshot")
    equal(instances(here("snapshot")), instances(rec), "snapshot")


def case_room():
    """A program that ends while the recorder's thread makes room in the file does not leave a file that seems to be cut short."""
    for _ in range(6):  # in about half of the runs, that room is the last in the file
        rec = here("rec.nvtxh")
        equal(driver.nvtxh("record", "-fo", rec, "--", program("masks"), "8000", env=hindered("room")).returncode, 0, "record")
        equal(driver.nvtxh("stats", rec).stderr, b"", "what readers say")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
