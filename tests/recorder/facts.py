#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recorder's environment variables, and what it writes about a process. records.py, made from FORMAT.md, reads the file."""
import os
import signal
import socket
import struct
import time

from always import header, incident
from harness import driver, locales
from harness.driver import equal, here, must, nvtxh, program, record, run, stats
from records import Recording, words

VARIABLES = ("MODE", "an octal file mode such as 640"), ("RING", "a size from 256k to 64G"), ("THREAD", "0 or 1"), \
    ("FROM", "a time, such as 1.5 or 200ms"), ("TO", "a time, such as 1.5 or 200ms")


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
        must(Recording(here(name)).end, "a recording that nvtxh does not end says when it ended")
    done = alone("long", program("load"), "1", "100", CAPTURE="x" * 4096)
    must(done.stderr.decode().endswith(" is ignored: it is not shorter than 4096 bytes\n") and stats(here("long"))[0], done.stderr)
    alone("longest", program("load"), "1", "100", CAPTURE="x" * 4095)
    equal(Recording(here("longest")).events(), [], "a capture that never comes")
    for name, value in ("MODE", "644"), ("RING", "1M"), ("PAUSED", "1"), ("FROM", "1000"), ("TO", "0.000001"):
        done = alone(name + value, program("load"), "1", "100", **{name: value})
        equal((done.returncode, done.stderr), (5, b""), name)
        r = Recording(here(name + value))
        equal(os.stat(here(name + value)).st_mode & 0o777, 0o644 if name == "MODE" else 0o600, f"mode with {name}")
        ring, = words(r.names("process")[0].body, 256, 1)
        equal(ring, 1 << 20 if name == "RING" else 0, f"size of the ring with {name}")
        count = sum(e.kind.startswith("push") for e in r.events())
        must(count < 100 if name == "TO" else count == (100 if name in ("MODE", "RING") else 0), name, count)
    # A program joins the recording that its environment names, and no recording that has replaced this one.
    before = Recording(here("RING1M")).data
    done = alone("RING1M", program("load"), "1", "100", SESSION="0" * 32)
    must(done.returncode == 5 and done.stderr.startswith(b"nvtxh: cannot open the recording ("), done.stderr)
    equal(Recording(here("RING1M")).data, before, "the other recording")
    session = Recording(here("PAUSED1")).data[24:40].hex()  # FORMAT.md says where it is
    equal(alone("PAUSED1", program("load"), "1", "100", SESSION=session).returncode, 5, "joins")
    equal(len(Recording(here("PAUSED1")).streams), 2, "processes")
    done = alone("empty", program("load"), "1", "100", **{name: "" for name, _ in VARIABLES}, CAPTURE="", PAUSED="")
    equal((done.returncode, done.stderr, stats(here("empty"))[0]["PushPop", "load:work"]["Instances"]), (5, b"", "100"), "empty")


def case_locale():
    """In a program whose locale has a decimal comma, numbers with a point hold, from the command's options and from the environment."""
    os.environ.update(locales.made(driver.directory))
    for option, value in ("from", "1000.5"), ("to", "0.000001"):
        variable = option.upper()
        done = nvtxh("record", "-o", here(option), f"--{option}={value}", "--", program("comma"))
        equal(done.returncode, 0, done.stderr.decode())
        must(b"ignored" not in done.stderr, done.stderr)
        done = alone(variable, program("comma"), **{variable: value})
        equal((done.returncode, done.stderr), (0, b""), variable)
        for name in option, variable:
            equal([e.kind for e in Recording(here(name)).events()], [], f"events with {name}={value}")


def case_process():
    """The beginning and the end of a recording and of each of its processes, by three clocks; who the processes are."""
    before = time.monotonic_ns(), time.time_ns()
    done = record(here("rec"), "sh", "-c", f'"{program("inherited")}" & echo $! $$; wait')
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
    clock, = struct.unpack_from("<I", r.data, 104)
    chunks = {struct.unpack_from("<I", r.data, at + 28)[0] for streams in r.streams.values() for s in streams.values() for _, at, *_ in s.chunks}
    must(clock in (1, 2, 3) and chunks == {clock}, "clock", clock, chunks)
    must(clock != 1 or all(ticks == monotonic for ticks, monotonic, _ in samples), "ticks of CLOCK_MONOTONIC", samples)
    must(clock == 1 or all(ticks != monotonic for ticks, monotonic, _ in samples), "ticks of the processor", samples)
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

def case_sizes():
    """The size of a ring in all its spellings, and what is none."""
    for text, size in (("262144", 1 << 18), ("256k", 1 << 18), ("256K", 1 << 18), ("256kB", 1 << 18), ("300KiB", 300 << 10), ("1M", 1 << 20), ("1MB", 1 << 20),
                       ("2MiB", 2 << 20), ("1048577B", (1 << 20) + 1)):
        equal(nvtxh("record", "-fo", here("rec"), "--ring", text, "--", program("load"), "1", "1").returncode, 5, text)
        ring, = words(Recording(here("rec")).names("process")[0].body, 256, 1)
        must(size - 16384 * 64 < ring <= size and ring > size * 0.9, text, ring)
    for text in "", "k", "255k", "262143", "1Mi", "1MBx", "1 M", "1.5M", "-1M", "65G", "1T", "99999999999999999999", "17179869184G":
        done = nvtxh("record", "-fo", here("none"), "--ring", text, "--", "true")
        must(done.returncode == 2 and b"--ring" in done.stderr and not os.path.exists(here("none")), text, done.stderr)


def case_times():
    """Times in all their units, and what is none, or too long."""
    for text, ns in (("1", 10**9), ("0.5", 5 * 10**8), ("1s", 10**9), ("2ms", 2 * 10**6), ("3us", 3000), ("4\u00b5s", 4000), ("5ns", 5), ("1.5us", 1500),
                     ("0.01m", 6 * 10**8), ("0.001min", 6 * 10**7), ("1e-4h", 36 * 10**7), ("1e-3", 10**6), ("0.6ns", 1), ("1000ms", 10**9)):
        done = nvtxh("record", "-qfo", here("rec"), "--to", text, "--", "printenv", "NVTXH_RECORD_TO")
        equal(done.stdout.decode(), f"{ns}ns\n", text)
    for text in "", "s", "1x", "1 x", "soon", "nan", "inf", "1e300", "1e5h", "-1ms", "0", "0.4ns":
        done = nvtxh("record", "-fo", here("none"), "--to", text, "--", "true")
        must(done.returncode == 2 and b"--to" in done.stderr and not os.path.exists(here("none")), text, done.stderr)


def case_comparisons():
    """Each comparison holds from the first sample on for which it is true."""
    for compare, samples, first in (("<", "c6 c5 c4 c3", 4), ("<=", "c6 c5 c4", 5), (">", "c4 c5 c6 c7", 6), (">=", "c4 c5 c6", 5), ("==", "c4 c6 c5 c6", 5),
                                    ("<", "c6 c5", None), (">", "c4 c5", None), ("<=", "c6 c7", None), (">=", "c4 c3", None), ("==", "c4 c6", None)):
        for space in "", " ":
            name = f"{len(os.listdir(driver.directory))}"
            said, snaps = incident(name, [f"train:queue{space}{compare}{space}5"], *samples.split(), "w1", options=("--after", "0"))
            equal([header(snap)[2].partition(": ")[2].partition(" in ")[0] for snap in snaps], [str(first)] if first else [], f"{compare} {samples}: {said}")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
