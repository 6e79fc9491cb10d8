#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder is told, and what it says of a process, read back by a reader made from FORMAT.md (records.py)."""
import os
import signal
import socket
import struct
import time

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, record, run, stats
from records import Recording, words

VARIABLES = ("MODE", "an octal file mode such as 640"), ("RING", "a size from 256k to 64G"), ("THREAD", "0 or 1"), \
    ("MIN_DURATION", "a time up to 1s, such as 10us"), ("DELAY", "a number of seconds"), ("DURATION", "a number of seconds")


def alone(name, *command, **variables):
    """A program that is recorded by the environment alone."""
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVTX", "LD_PRELOAD"))}
    return run(*command, env=dict(clean, NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE=here(name),
                                  **{"NVTXH_RECORD_" + k: v for k, v in variables.items()}))


def case_environment():
    """A variable with a wrong value is ignored with one line that says what it wants; one with a good value holds; an empty one is none."""
    for name, wanted in VARIABLES:
        done = alone(name, program("load"), "1", "100", **{name: "x8"})
        equal((done.returncode, done.stderr.decode()), (5, f"nvtxh: NVTXH_RECORD_{name}=x8 is ignored: it is not {wanted}\n"), name)
        rows, said = stats(here(name))
        equal((int(rows["PushPop", "load:work"]["Instances"]), said), (100, ""), name)
        equal(os.stat(here(name)).st_mode & 0o777, 0o600, "mode")
    done = alone("long", program("load"), "1", "100", CAPTURE="x" * 4096)
    must(done.stderr.decode().endswith(" is ignored: it is not shorter than 4096 bytes\n") and stats(here("long"))[0], done.stderr)
    alone("longest", program("load"), "1", "100", CAPTURE="x" * 4095)
    equal(Recording(here("longest")).events(), [], "a capture that never comes")
    for name, value in ("MODE", "644"), ("RING", "1M"), ("MIN_DURATION", "1s"), ("PAUSED", "1"), ("DELAY", "1000"), ("DURATION", "0.000001"):
        done = alone(name + value, program("load"), "1", "100", **{name: value})
        equal((done.returncode, done.stderr), (5, b""), name)
        r = Recording(here(name + value))
        equal(os.stat(here(name + value)).st_mode & 0o777, 0o644 if name == "MODE" else 0o600, f"mode with {name}")
        ring, = words(r.names("process")[0].body, 256, 1)
        equal(ring, 1 << 20 if name == "RING" else 0, f"size of the ring with {name}")
        count = sum(e.kind.startswith("push") for e in r.events())
        must(count < 100 if name == "DURATION" else count == (100 if name in ("MODE", "RING") else 0), name, count)
    done = alone("empty", program("load"), "1", "100", **{name: "" for name, _ in VARIABLES}, CAPTURE="", PAUSED="")
    equal((done.returncode, done.stderr, stats(here("empty"))[0]["PushPop", "load:work"]["Instances"]), (5, b"", "100"), "empty")


def case_process():
    """The beginning and the end of a recording and of each of its processes, by three clocks; who the processes are."""
    before = time.monotonic_ns(), time.time_ns()
    done = record(here("rec"), "sh", "-c", f'"{program("forked")}" & echo $! $$; wait')
    after = time.monotonic_ns(), time.time_ns()
    pid, parent = map(int, done.stdout.split()[:2])
    r = Recording(here("rec"))
    samples = [words(r.data, at, 3) for at in (40, 64)]
    for number in r.streams:
        body, = (p.body for p in r.names("process", number))
        its, itsparent, forked, _ = struct.unpack_from("<4I", body)
        equal((itsparent, forked) if number else (its, itsparent, forked), (pid, 1) if number else (pid, parent, 0), f"process {number}")
        equal(body[264:328].rstrip(b"\0").decode(), socket.gethostname()[:63], "host")
        begun, ended = words(body, 16, 3), words(body, 40, 3)
        samples.append(begun)
        if any(ended):  # all but those that end by _exit
            must(all(a < b for a, b in zip(begun, ended)), "it ends after it begins", begun, ended)
            samples.append(ended)
    must(len(r.streams) > 1 and len(samples) > 4, "processes", r.streams)
    first = samples[0]
    for ticks, monotonic, realtime in samples:
        must(before[0] <= monotonic <= after[0] and ticks, "CLOCK_MONOTONIC", before, monotonic, after)
        # Who sets the clock meanwhile sets it by less than a minute.
        must(before[1] - 60e9 < realtime < after[1] + 60e9, "CLOCK_REALTIME", before, realtime, after)
        must(abs((realtime - first[2]) - (monotonic - first[1])) < 60e9, "both", realtime, monotonic)


def case_wide():
    """Wide texts become UTF-8, as messages and as registered strings; U+FFFD stands for numbers that are no characters."""
    equal(record(here("rec"), program("wide")).returncode, 0, "wide")
    edges = [0x1, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xfffd, 0xfffd, 0xe000, 0xffff, 0x10000, 0x10ffff, 0xfffd, 0xfffd]
    wanted = [text for text in (*(f"a{chr(c)}z" for c in edges), *("\u20ac" * n for n in range(70, 91))) for _ in range(2)]
    equal([e.text for e in Recording(here("rec")).events() if e.kind == "mark"], wanted, "texts")


def case_masks():
    """The recorder's own thread gets no signal of the program's. It is not made while any is blocked: this may be a signal handler."""
    for some in set(), {signal.SIGUSR1}, {signal.SIGHUP}, {signal.SIGSYS}:
        done = nvtxh("record", "-fo", here("rec"), "--", program("masks"), preexec_fn=lambda some=some: signal.pthread_sigmask(signal.SIG_SETMASK, some))
        equal(done.returncode, 0, done.stderr.decode())
        before, later, *theirs = (int(bits, 16) for bits in done.stdout.split())
        equal((before, later), 2 * (sum(1 << s - 1 for s in some),), "of the program's thread")
        free = [{s for s in range(1, 65) if not bits >> s - 1 & 1} - {32, 33} for bits in theirs]
        equal(free, [] if some else [{signal.SIGKILL, signal.SIGSTOP, signal.SIGSYS}], "signals that may arrive in the recorder's thread")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
