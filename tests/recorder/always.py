#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The flight recorder: snapshots of recordings under way, by hand and by conditions; pauses."""
import contextlib
import csv
import io
import os
import pathlib
import random
import re
import resource
import shutil
import signal
import struct
import subprocess
import time

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, stats
from records import Recording, words

THREADS = 64


@contextlib.contextmanager
def under_way(rec, *command, options=("--ring", "2M")):
    """A program that is being recorded; killed at the end."""
    process = subprocess.Popen([driver.args.nvtxh, "record", "-q", "-o", rec, *options, "--", *command],
                               stderr=subprocess.PIPE, start_new_session=True)
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.said = process.communicate()[1].decode()


def progress():
    with open(here("progress"), "rb") as f:
        return struct.unpack(f"<{THREADS}Q", f.read(8 * THREADS))


def load(*more):
    """load.c with many threads, and the file with the progress of each."""
    with open(here("progress"), "wb") as f:
        f.write(bytes(8192))
    return program("load"), str(THREADS), "0", here("progress"), *more


def wait_for(what, condition):
    for _ in range(2000):
        if condition():
            return
        time.sleep(0.05)
    raise AssertionError(f"{what}: it never came")


def joined(rec):
    """Whether a process has joined the recording, which is not there at first, and then not whole; a ring may be overwritten while it is read."""
    with contextlib.suppress(OSError, struct.error, AssertionError, LookupError):
        return Recording(rec).streams


def numbers(rec):
    """{tid: the payloads of that thread}, in the order in which the threads were made"""
    recording, found = Recording(rec), {}
    for number, s in recording.streams[0].items():
        if number:
            found[s.tid] = [r.payload for r in s.records if r.kind in ("push", "push by preset")]
    return {tid: found[tid] for tid in sorted(found)}


def snapshot(rec, *options, status=0, **more):
    done = nvtxh("snapshot", *options, rec, **more, status=status)
    return done.stderr.decode()


def whole_from(rec):
    """The moment, in ns, from which on nothing that a thread wrote had been overwritten: the latest one at which a chunk begins before which one is missing."""
    r = Recording(rec)
    begun = [words(r.data, at + 48, 1)[0] for streams in r.streams.values() for s in streams.values()
             for before, (seq, at, _, _, flags, _) in zip([-1, *(seq for seq, *_ in s.chunks)], s.chunks) if flags & 1 and seq != before + 1]
    return max(begun) - words(r.data, 48, 1)[0]


def header(rec):
    """From, to and reason of a snapshot."""
    with open(rec, "rb") as f:
        data = f.read(16384)
    start, = struct.unpack_from("<Q", data, 2048)
    end, = struct.unpack_from("<Q", data, 2056)
    return start, end, data[2088:2304].partition(b"\0")[0].decode()


def child_of(process):
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
        return int(f.read().split()[0])


def case_snapshot_model():
    """64 threads write: a snapshot has all that was published before it, as far back as the ring still reached after it."""
    rec, telling = here("model.nvtxh"), 0
    with under_way(rec, *load("5000")) as process:
        wait_for("a full ring", lambda: min(progress()) > 2000)
        for turn in range(8):
            before = progress()
            snapshot(rec)
            after = progress()
            os.kill(child_of(process), signal.SIGSTOP)
            shutil.copy(rec, here("reach"))
            os.kill(child_of(process), signal.SIGCONT)
            checked, snap = 0, here(f"model.snap{turn + 1}.nvtxh")
            taken, reach = numbers(snap), numbers(here("reach"))
            equal(len(reach), THREADS, "threads")
            for done, later, (tid, ring) in zip(before, after, reach.items()):
                got = taken.get(tid)
                if not got:  # on a busy machine all of a thread's may be overwritten before they are copied
                    must(ring[0] >= done, "a thread whose numbers are still there", done, ring[0])
                    continue
                equal(got, list(range(got[0], got[-1] + 1)), "no gap")
                must(done - 1 <= got[-1] <= later, "up to the last", done, later, got[-1])
                must(got[0] <= ring[0] or ring[0] >= done, "as far back", got[0], ring[0], done)
                checked += max(0, done - ring[0])
            rows, said = stats(snap)
            must("damaged" not in said and "a snapshot of" in said, said)
            equal(set(rows), {("PushPop", "load:work")}, "ranges")
            telling += checked > 1000  # on a busy machine the ring may be overwritten before it is copied
            if telling == 2:
                break
    must(telling, "what the ring still had was always too little to tell")


def case_snapshot_storm():
    """64 threads overwrite the ring faster than it is copied, and are killed: what was copied is whole, nothing is damaged."""
    rec = here("storm.nvtxh")
    with under_way(rec, *load(), options=("--ring", "1280k")):
        wait_for("a full ring", lambda: min(progress()) > 1000)
        snapshot(rec)
        snapshot(rec, env=dict(os.environ, LD_PRELOAD=program("slow_read.so")))
    snapshot(rec)
    said = snapshot(rec, "--last", "1h")
    last, share = re.search(r"complete for (the last )?(\S+) % of its window", said).groups()
    whole, end = whole_from(here("storm.snap4.nvtxh")), header(here("storm.snap4.nvtxh"))[1]
    equal(bool(last), whole < end, f"whether something is complete, {whole} of {end}")
    must(abs(float(share) - 100 * max(0, end - whole) / end) < 0.1, share, end, whole)
    must(f"it is complete for {last or ''}{share} % of its window" in stats(here("storm.snap4.nvtxh"))[1], stats(here("storm.snap4.nvtxh"))[1])
    # The same with a window that ended before that.
    with open(here("storm.snap4.nvtxh"), "r+b") as f:
        f.seek(2056)
        f.write(struct.pack("<Q", whole - 1000000))
    told = stats(here("storm.snap4.nvtxh"))[1]
    must("it is complete for 0.0 % of its window" in told, told)
    for i in range(1, 4):
        path = here(f"storm.snap{i}.nvtxh")
        for got in numbers(path).values():
            must(got == sorted(set(got)), "in order")
        must("damaged" not in stats(path)[1], stats(path)[1])
    equal([name for name in os.listdir(driver.directory) if ".part" in name], [], "what is left")


def events(rec, name):
    """{pid: the rows with that message}"""
    done = nvtxh("export", "--format", "csv", "-o", "-", rec, status=0)
    found = {}
    for row in csv.DictReader(io.StringIO(done.stdout.decode())):
        if row["Message"] == name:
            found.setdefault(int(row["PID"]), []).append(row)
    return found


def case_snapshot_processes():
    """A snapshot has all processes. Open ranges of running processes last until its moment, those of a killed process until its last event."""
    rec = here("three.nvtxh")
    with under_way(rec, "sh", "-c", '"$0" 60000 & "$0" 60000 & "$0" 60000 & wait', program("paced"), options=("--ring", "64M")):
        wait_for("three processes", lambda: os.path.exists(rec) and os.path.getsize(rec) and len(events(rec, "tick")) == 3)
        wait_for("two seconds", lambda: marks(rec)[-1] > 2)
        victim = min(events(rec, "tick"))
        os.kill(victim, signal.SIGKILL)
        # The window is as long as the recording was a moment ago, so it begins before the process was killed, if the command was not slow; the
        # ring keeps all of it.
        snap, begin, last = here("three.snap1.nvtxh"), 10**18, int(events(rec, "tick")[victim][-1]["End (ns)"])
        while begin >= last:
            milliseconds = int(marks(rec)[-1] * 1e3)
            snapshot(rec, "-f", "-o", snap, "--last", f"{milliseconds}ms")
            begin, end, reason = header(snap)
        equal((end - begin, reason), (milliseconds * 1000000, "nvtxh snapshot"), "window and reason")
        found = events(snap, "all")
        equal({pid: int(rows[0]["End (ns)"]) == end for pid, rows in found.items()},
              {pid: pid != victim for pid in found}, "who lasts to the end")
        equal(len(found), 3, "processes")
        for rows in [*found.values(), *events(snap, "tick").values()]:
            must(all(begin <= int(row["Start (ns)"]) <= int(row["End (ns)"]) <= end for row in rows), "within", begin, end)
        said = snapshot(rec, "-o", here("given"))
        must("wrote" in said and "next: nvtxh stats" in said, said)
        must("exists" in snapshot(rec, "-o", here("given"), status=2), "never over a file")
        snapshot(rec, "-f", "-o", here("given"))
        snapshot(rec)
        must(os.path.exists(here("three.snap2.nvtxh")), "the next free name")


def case_no_read_ahead():
    """The system reads nothing ahead in what is mapped of the file, since the first store of each process and thread would wait for that."""
    for options in ("--ring", "256k"), ():
        rec = here(f"maps{len(options)}.nvtxh")
        with under_way(rec, program("paced"), "60000", options=options) as process:
            wait_for("events", lambda: joined(rec) and events(rec, "tick"))
            pid, = events(rec, "tick")
            with open(f"/proc/{pid}/smaps") as f:
                mappings = re.findall(r"^[0-9a-f]+-[0-9a-f]+ [^\n]* (\S+)\n(?:[A-Z]\w+:[^\n]*\n)*?VmFlags: ([^\n]*)", f.read(), re.MULTILINE)
            flags = [flags.split() for path, flags in mappings if path == rec]
            must(len(flags) > 1 and process.poll() is None, "mappings of the file", flags)
            equal([one for one in flags if "rr" not in one and "wr" in one][1:], [], "mappings beside the header without MADV_RANDOM")


def case_snapshot_names():
    """Snapshots that are taken at the same time get different names."""
    rec = here("names.nvtxh")
    with under_way(rec, program("paced"), "60000", options=("--ring", "16M")):
        wait_for("a process", lambda: joined(rec))
        all_ = [subprocess.Popen([driver.args.nvtxh, "snapshot", rec], stderr=subprocess.PIPE) for _ in range(6)]
        said = [process.communicate()[1].decode() for process in all_]
    equal([process.returncode for process in all_], [0] * 6, said)
    found = sorted(re.search(r"wrote (\S+),", text).group(1) for text in said)
    equal(found, [here(f"names.snap{i}.nvtxh") for i in range(1, 7)], "names")
    must(all(joined(name) for name in found), "whole ones")


# Another program makes a file of that name just before the snapshot is moved there.
RACE = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/syscall.h>
long syscall(long n, long a, long b, long c, long d, long e, long f)
{
    long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
    if (n == SYS_renameat2) {
        FILE *other = fopen((const char *)d, "w");
        fputs("mine", other);
        fclose(other);
    }
    return real(n, a, b, c, d, e, f);
}
"""

# A file system that cannot rename without replacing, and has no hard links; another process is first.
OLD = """
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
long syscall(long n, ...)
{
    errno = n == SYS_renameat2 ? EINVAL : ENOSYS;
    return -1;
}
int link(const char *from, const char *to)
{
    (void)from;
    if (strstr(to, ".snap1.")) fclose(fopen(to, "w"));
    errno = EPERM;
    return -1;
}
"""


def case_snapshot_bad():
    """Snapshots of ended recordings and of those without a ring; no space, another user's file, a file that is no recording."""
    rec = here("ended.nvtxh")
    equal(driver.record(rec, program("paced"), "400").returncode, 0, "record")
    snapshot(rec, "--last", "0.1")
    begin, end, _ = header(here("ended.snap1.nvtxh"))
    equal(end - begin, 100000000, "the last of a file")
    whole, part = stats(rec)[0], stats(here("ended.snap1.nvtxh"))[0]
    equal(part["PushPop", "all"]["Instances"], "1", "what began before is cut")
    must(0 < int(part["Mark", "tick"]["Instances"]) < int(whole["Mark", "tick"]["Instances"]) / 2, part)
    snapshot(rec)
    equal({k: v["Instances"] for k, v in stats(here("ended.snap2.nvtxh"))[0].items()},
          {k: v["Instances"] for k, v in whole.items()}, "all of it")
    # An end that cannot be, 2^63 ns after the beginning: the window ends with the last event.
    with open(rec, "rb") as f:
        damaged = bytearray(f.read())
    struct.pack_into("<Q", damaged, 72, struct.unpack_from("<Q", damaged, 48)[0] + (1 << 63))
    with open(here("never.nvtxh"), "wb") as f:
        f.write(damaged)
    snapshot(here("never.nvtxh"))
    must(0 < header(here("never.snap1.nvtxh"))[1] < 10**11, header(here("never.snap1.nvtxh")))
    # A file that appears while the snapshot is made stays.
    with open(here("race.c"), "w") as f:
        f.write(RACE)
    equal(driver.run("gcc", here("race.c"), "-shared", "-fPIC", "-ldl", "-o", here("race.so")).returncode, 0, "gcc")
    must("exists" in snapshot(rec, "-o", here("raced"), status=1, env=dict(os.environ, LD_PRELOAD=here("race.so"))), "one that appears")
    with open(here("raced")) as f:
        equal(f.read(), "mine", "the other file")
    with open(here("old.c"), "w") as f:
        f.write(OLD)
    equal(driver.run("gcc", here("old.c"), "-shared", "-fPIC", "-o", here("old.so")).returncode, 0, "gcc")
    shutil.copy(rec, here("old.nvtxh"))
    snapshot(here("old.nvtxh"), env=dict(os.environ, LD_PRELOAD=here("old.so")))
    equal([os.path.getsize(here(f"old.snap{i}.nvtxh")) > 0 for i in (1, 2)], [False, True], "the next free name, also on an old file system")
    os.chmod(rec, 0o644)
    snapshot(rec, "-o", here("shared"))
    os.symlink(rec, here("link.nvtxh"))
    snapshot(here("link.nvtxh"))
    shutil.copy(rec, here("any name"))
    snapshot(here("any name"))
    must(os.path.exists(here("any name.snap1.nvtxh")), "of a name without .nvtxh, none is cut off")
    for name in "shared", "link.snap1.nvtxh":
        equal(os.stat(here(name)).st_mode & 0o777, 0o644, "who may read the recording may read its snapshots")
    ends = [Recording(here(name)).end for name in ("ended.nvtxh", "ended.snap1.nvtxh", "ended.snap2.nvtxh")]
    equal(ends, ends[:1] * 3, "when they ended")
    snapshot(here("ended.snap1.nvtxh"), "-o", here("again"))
    equal(stats(here("again"))[0], part, "a snapshot of a snapshot")
    must("not a recording" in snapshot(__file__, status=1), "no recording")
    must("No such file" in snapshot(here("nothing"), status=1), "no file")
    for bad in ("--last", "soon"), ("--last", "-1"), ("--last", "0"), ("-o", ""):
        snapshot(rec, *bad, status=2)
    before = sorted(os.listdir(driver.directory))
    said = snapshot(rec, "-o", here("full"), status=1,
                    preexec_fn=lambda: (signal.signal(signal.SIGXFSZ, signal.SIG_IGN), resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))))
    must("cannot write" in said and "too large" in said, said)
    equal(sorted(os.listdir(driver.directory)), before, "nothing is left")
    if os.geteuid() == 0:
        os.chown(rec, 65534, 65534)
        must("another user's" in snapshot(rec, status=1), "another user's")


def case_snapshot_merge():
    """A merged snapshot has a window around those of its parts, and their reasons. With a recording that is none it has none."""
    for name in "ab":
        equal(driver.record(here(name + ".nvtxh"), program("paced"), "300").returncode, 0, "record")
        snapshot(here(name + ".nvtxh"), "--last", "50ms")
    a, b, whole = here("a.snap1.nvtxh"), here("b.snap1.nvtxh"), here("a.nvtxh")
    for name, parts, lasts in ("one", (a,), (45, 55)), ("both", (b, a), (100, 1e9)):
        done = nvtxh("merge", "-o", here(name), *parts)
        equal((done.returncode, len(done.stderr.splitlines())), (0, 1), done.stderr.decode())
        begin, end, reason = header(here(name))
        equal(reason, "nvtxh snapshot", "reason")
        must(lasts[0] < (end - begin) / 1e6 < lasts[1], "window", begin, end)
        must("a snapshot of" in stats(here(name))[1], stats(here(name))[1])
    equal({key: row["Instances"] for key, row in stats(here("one"))[0].items()}, {key: row["Instances"] for key, row in stats(a)[0].items()}, "cut alike")
    done = nvtxh("merge", "-o", here("mixed"), whole, b)
    must(f"{b} is a snapshot" in done.stderr.decode() and "(nvtxh snapshot) are not kept" in done.stderr.decode(), done.stderr.decode())
    equal(header(here("mixed")), (0, 0, ""), "none")


def marks(rec):
    """The time of ticks, in s."""
    return sorted(int(row["Start (ns)"]) / 1e9 for rows in events(rec, "tick").values() for row in rows)


def exported(rec):
    """The ticks of each mark of a program that readers have, and the TID. In the file there may be more, which readers drop."""
    r = Recording(rec)
    ticks = {(r.streams[process][e.stream].tid, e.payload): e.ticks for process in r.streams for e in r.events(process) if e.kind == "mark"}
    return sorted((ticks[int(row["TID"]), int(row["Payload"])], int(row["TID"])) for rows in events(rec, "tick").values() for row in rows)


def tell(command, rec, status=0):
    done = nvtxh(command, rec, status=status)
    return done.stderr.decode()


def case_pause():
    """Between pause and resume nothing is recorded, by any process, also one that begins then; what was open ends there."""
    for options in (), ("--ring", "1M"):
        rec = here(f"pause{len(options)}.nvtxh")
        with under_way(rec, "sh", "-c", '"$0" 60000 & until test -e "$1"; do sleep 0.01; done; "$0" 60000', program("paced"), here(f"go{len(options)}"), options=options):
            wait_for("ticks", lambda: joined(rec) and marks(rec))
            must("is paused" in tell("pause", rec), "pause")
            must("already" in tell("pause", rec), "twice")
            paused = words(Recording(rec).data, 1416, 1)[0]
            pathlib.Path(here(f"go{len(options)}")).touch()
            wait_for("the second process", lambda: len(joined(rec)) == 2)
            time.sleep(0.1)
            equal(tell("resume", rec), "", "resume")
            resumed = words(Recording(rec).data, 1424, 1)[0]
            wait_for("both processes", lambda: len(events(rec, "tick")) == 2)
            tell("pause", rec)
            tell("resume", rec)
            last = marks(rec)[-1]
            wait_for("more ticks", lambda: marks(rec)[-1] > last)
        ticks = exported(rec)
        equal([one for one in ticks if paused < one[0] < resumed], [], f"between {paused} and {resumed}")
        equal([len({tid for at, tid in ticks if (at > resumed) == is_after}) for is_after in (False, True)], [1, 2], "processes before, and after")
        alls = events(rec, "all")
        equal(len(alls), 1, "what was open when it was paused, and nothing that began then")
        row, = next(iter(alls.values()))
        before, after = (marks(rec)[i] for i in (sum(at < paused for at, _ in ticks) + k for k in (-1, 0)))
        must(before <= int(row["End (ns)"]) / 1e9 <= after, "it ends there", row, before, after)
        must("damaged" not in stats(rec)[1], stats(rec)[1])


def own():
    """The files that begin with "own"."""
    return sorted(name for name in os.listdir(driver.directory) if name.startswith("own"))


def case_paused():
    """record --paused begins closed; a thread that is always busy is paused as well; ended and foreign recordings are refused."""
    rec = here("paused.nvtxh")
    with under_way(rec, program("paced"), "60000", options=("--paused",)):
        wait_for("the program", lambda: joined(rec))
        time.sleep(0.3)
        equal(marks(rec), [], "before resume")
        tell("resume", rec)
        wait_for("ticks", lambda: marks(rec))
    rec = here("never.nvtxh")
    done = nvtxh("record", "--paused", "-o", rec, "--", program("paced"), "50", status=0)
    must("nvtxh resume" in done.stderr.decode(), done.stderr.decode())
    must("has ended" in tell("pause", rec, status=1), "ended")
    must("not a recording" in tell("resume", __file__, status=1), "no recording")
    with under_way(here("own%p.nvtxh"), "sh", "-c", '"$0" 60000 & "$0" 60000 & wait', program("paced"), options=("--paused",)):
        wait_for("a file of each process", lambda: len([name for name in own() if joined(here(name))]) == 2)
        time.sleep(0.3)
        first, second = map(here, own())
        equal([marks(first), marks(second)], [[], []], "before resume")
        tell("resume", first)
        wait_for("ticks", lambda: marks(first))
        equal(marks(second), [], "the other one")
    rec = here("busy.nvtxh")
    load()
    with under_way(rec, program("load"), "2", "0", here("progress"), options=("--ring", "256k")):
        wait_for("ranges", lambda: joined(rec))
        tell("pause", rec)

        def last():
            time.sleep(0.2)
            return [s.records[-1].ticks for s in Recording(rec).streams[0].values()]
        wait_for("nothing more", lambda: last() == last())
    if os.geteuid() == 0:
        os.chown(rec, 65534, 65534)
        must("another user's" in tell("pause", rec, status=1), "another user's")


def incident(name, conditions, *what, options=("--min-interval", "0"), status=0, quiet=False):
    """Records incidents.c; returns what was printed, and the snapshots."""
    more = [word for condition in conditions for word in ("--snapshot-when", condition)]
    done = nvtxh("record", *(["-q"] if quiet else []), "-o", here(name + ".nvtxh"), "--ring", "1M", *more, *options, "--",
                 program(driver.versions("incidents")[-1]), *what, env=dict(os.environ, SNAPSHOTS=here(name)), status=status)
    snaps = [here(found) for found in sorted(os.listdir(driver.directory)) if found.startswith(name + ".snap")]
    return done.stderr.decode(), snaps


def case_trigger_kinds():
    """Each kind of condition takes a snapshot, which has the reason; a condition that does not hold takes none."""
    after = ("--min-interval", "0", "--after", "50ms", "--before", "100ms")
    for name, condition, what, status, reason in (
            ("longer", "train:step > 100ms", "w100 r20 r20 r150 w100 r20 w100", 0, r": [\d.]+ m?s in process"),
            ("range", "batch > 100ms", "s20 s150 w100", 0, r": [\d.]+ m?s in process"),
            ("stuck", "train:step stuck 200ms", "r20 r400 w200", 0, r"open for [\d.]+ m?s in process"),
            ("started", "batch stuck 200ms", "s20 s400 w200", 0, "open for"),
            ("mark", "mark oops", "w50 m w100", 0, r"oops: in process \d+$"),
            ("value", "train:queue >= 100", "c7 w100 c99 c100 w150 c120 w100", 0, "100 in process"),
            ("less", "train:queue<5", "c7 w100 c4 c3 w150 c120 w100", 0, "4 in process"),
            ("call", "call", "w150 a0 w200", 0, "asked for"),
            ("death", "death", "r10 k0", 128 + 9, "Killed"),
            ("child", "death", "w100 e0 w300", 0, r"process \d+")):
        said, snaps = incident(name, [condition], *what.split(), options=after, status=status)
        # On a busy machine, short ranges may be long, too.
        ran = [int(row["End (ns)"]) - int(row["Start (ns)"]) for text in ("step", "batch") for rows in events(here(name + ".nvtxh"), text).values() for row in rows]
        least = re.search(r" (\d+)ms", condition)
        most = sum(lasted > int(least[1]) * 10**6 for lasted in ran) if least else 1
        must(1 <= len(snaps) <= most, condition, said, ran)
        begin, end, why = header(snaps[0])
        must(why.startswith(condition + ": ") and re.search(reason, why), name, why)
        must(f"{snaps[0]}: {why}" in said, said)
        must("damaged" not in stats(snaps[0])[1] and why in stats(snaps[0])[1], stats(snaps[0])[1])
        must((end - begin) / 1e9 < 1.2 + max(ran, default=0) / 1e9, "window", begin, end)
    # Each of two conditions about one range holds once, at the latest in one look with the other.
    said, snaps = incident("twice", ["train:step stuck 50ms", "train:step stuck 300ms"], "r600", "w100", options=("--min-interval", "0", "--after", "0"))
    equal(len(snaps) + ("held 1 more time" in said), 2, said)
    # So does one about each of two ranges in the same place, one after the other.
    said, snaps = incident("both", ["train:step stuck 200ms"], "r500", "r500", options=("--min-interval", "0", "--after", "0"))
    equal(len(snaps) + ("held 1 more time" in said), 2, said)
    # So does one about each of two process ranges of one name that are open at a time.
    said, snaps = incident("alike", ["range 1 stuck 200ms"], "b1", "w50", "b1", "f1", "w600", options=("--min-interval", "0", "--after", "0"))
    equal(len(snaps) + ("held 1 more time" in said), 2, said)
    # So does one about a range in each of two processes.
    rec, script = here("processes.nvtxh"), f'"{program(driver.versions("incidents")[-1])}" r600'
    done = nvtxh("record", "-o", rec, "--ring", "1M", "--snapshot-when", "train:step stuck 200ms", "--min-interval", "0", "--after", "0", "--", "sh", "-c", f"{script} & {script}; wait")
    equal(done.stderr.count(b"processes.snap") + (b"held 1 more time" in done.stderr), 2, done.stderr.decode())
    # The window is around the range that fired.
    row = next(row for rows in events(here("longer.snap1.nvtxh"), "step").values() for row in rows if int(row["End (ns)"]) - int(row["Start (ns)"]) > 1e8)
    begin, end, _ = header(here("longer.snap1.nvtxh"))
    must(abs(int(row["Start (ns)"]) - begin - 100000000) < 1000000, "--before", begin, row)
    must(abs(end - int(row["End (ns)"]) - 50000000) < 1000000, "--after", end, row)
    equal(incident("none", ["train:step > 1h", "train:queue > 5", "mark oops", "death", "call"], "r10", "c3", "w10", "a0")[1][1:], [], "nothing but the call")


def case_trigger_limits():
    """--max-snapshots, --min-interval; reports of conditions that never held, or held without a snapshot; signals to the parent."""
    said, snaps = incident("most", ["train:step > 10ms"], *"r15 f1 r15 f2 r15 w200 r15 w200".split(), options=("--min-interval", "0", "--after", "0", "--max-snapshots", "2"))
    equal(len(snaps), 2, said)
    must("held 2 more times" in said, said)
    # Of as many conditions as there may be, each has its own snapshots, also if it holds at once after another.
    many = [f"train:queue == {value}" for value in range(100, 164)]
    values = random.Random(9).sample(range(100, 164), 24)
    said, snaps = incident("many", many, *(word for i, value in enumerate(values, 1) for word in (f"c{value}", f"f{i}")),
                           options=("--min-interval", "0", "--after", "0", "--max-snapshots", "24"))
    snaps.sort(key=lambda snap: int(snap.rpartition(".snap")[2].partition(".")[0]))
    equal([header(snap)[2].partition(":")[2].split(" in ")[0] for snap in snaps], [f"queue == {value}: {value}" for value in values], said)
    said, snaps = incident("toomany", many + ["death"], "w1", status=2)
    must("at most 64 conditions" in said and not os.path.exists(here("toomany.nvtxh")), said)
    said, snaps = incident("often", ["train:step > 10ms"], *(["r15", "w150"] * 4), options=("--after", "0"))
    equal(len(snaps), 1, said)
    # One that fails counts as well: its name is too long.
    for options, lines, more in ((), 1, 3), (("--min-interval", "0", "--max-snapshots", "2"), 2, 2):
        said, snaps = incident("long" + "g" * 236, ["train:step > 10ms"], *(["r15", "w150"] * 4), options=("--after", "0", *options))
        equal((len(snaps), said.count("File name too long")), (0, lines), said)
        must(f"held {more} more time" in said, said)
        os.unlink(here("long" + "g" * 236 + ".nvtxh"))
    # --min-interval does not keep the snapshot of a crash from being taken.
    said, snaps = incident("crash", ["train:step > 10ms", "death"], "r15", "f1", "k0", options=("--after", "0"), status=128 + 9)
    equal([header(snap)[2].partition(":")[0] for snap in snaps], ["train", "death"], said)
    said, snaps = incident("never", ["trian:step > 10ms", "mark no", "n > 5", "call"], "r15", "a0")
    must(all(f"no {what} came" in said for what in ("range trian:step", "mark no", "counter n")), said)
    must("no counter n came; for a range, give a unit of time" in said, said)
    said, _ = incident("names", ["a stuck b stuck 5s", "a > b > 5ms", "signal SIGUSR2", "signal sigusr1", "signal hup"], "r15")
    must(all(f"no range {what} came" in said for what in ("a stuck b", "a > b")), said)
    # A window that the end of the program cuts off ends before the recording.
    said, snaps = incident("cut", ["mark oops"], "w50", "m0", "w10", options=("--after", "10s"))
    with open(here("cut.nvtxh"), "rb") as f:
        start, end = struct.unpack_from("<8xQ16xQ", f.read(100), 40)
    must(0 < header(snaps[0])[1] <= end - start, said, header(snaps[0]), start, end)
    equal(header(snaps[0])[0], 0, "a window that would begin before the recording begins with it")
    said, _ = incident("plain", ["step > 10ms"], "r15")
    must("no range step came; in a domain, its name is DOMAIN:NAME" in said, said)
    said, snaps = incident("quiet", ["mark oops"], "m0", "w100", "m0", "w10", quiet=True)
    equal((said, len(snaps)), ("", 1), "-q")
    equal(incident("alone", ["mark oops"], "a1")[1], [], "a call that nobody waits for")
    for name, conditions in ("first", ["call", "mark no"]), ("last", ["mark no", "call"]):
        said, snaps = incident(name, conditions, "a0", options=("--after", "0"))
        equal([header(snap)[2].partition(":")[0] for snap in snaps], ["call"], (conditions, said))
    # This fails if nvtxh is built with -fsanitize=thread: ThreadSanitizer runs a handler only when the call that it interrupted
    # returns, and waitpid, in which nvtxh waits for the program, is restarted (SA_RESTART) until the program ends.
    rec = here("signal.nvtxh")
    with under_way(rec, program("paced"), "60000", options=("--ring", "1M", "--snapshot-when", "signal USR1", "--after", "0")) as process:
        wait_for("ticks", lambda: os.path.exists(rec) and os.path.getsize(rec) and marks(rec))
        os.kill(process.pid, signal.SIGUSR1)
        wait_for("a snapshot", lambda: os.path.exists(here("signal.snap1.nvtxh")))
        must(os.path.exists(f"/proc/{child_of(process)}"), "the program runs on")
    equal(header(here("signal.snap1.nvtxh"))[2], "signal USR1: came", "reason")
    # Each signal takes one snapshot, also where SIGHUP was ignored before (nohup).
    rec, sent = here("signals.nvtxh"), (signal.SIGUSR1, signal.SIGHUP, signal.SIGUSR1)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    with under_way(rec, program("paced"), "60000", options=("--ring", "1M", "--snapshot-when", "signal USR1", "--snapshot-when", "signal HUP",
                                                            "--after", "0", "--min-interval", "0")) as process:
        wait_for("ticks", lambda: os.path.exists(rec) and os.path.getsize(rec) and marks(rec))
        for count, number in enumerate(sent, 1):
            os.kill(process.pid, number)
            wait_for("a snapshot", lambda snap=here(f"signals.snap{count}.nvtxh"): os.path.exists(snap))
        time.sleep(0.2)
        must(int(re.search(r"SigIgn:\s*(\w+)", open(f"/proc/{child_of(process)}/status").read())[1], 16) & 1 << signal.SIGHUP - 1, "the program still ignores SIGHUP")
    signal.signal(signal.SIGHUP, before)
    equal([header(here(f"signals.snap{i}.nvtxh"))[2] for i in range(1, 4)], [f"signal {number.name[3:]}: came" for number in sent], "reasons")
    must(not os.path.exists(here("signals.snap4.nvtxh")), "a snapshot more than there were signals")
    # What is open when the recording is paused is not open any more.
    for i in range(20):
        rec, snap, begun = here(f"held{i}.nvtxh"), here(f"held{i}.snap1.nvtxh"), time.monotonic()
        with under_way(rec, program("paced"), "60000", options=("--ring", "1M", "--snapshot-when", "all stuck 1s", "--after", "0")):
            wait_for("ticks", lambda rec=rec: joined(rec) and marks(rec))
            tell("pause", rec)
            if time.monotonic() - begun > 0.9:
                continue  # it may have been open for long enough before
            time.sleep(1.3)
            tell("resume", rec)
            time.sleep(0.3)
        must(not os.path.exists(snap), "a snapshot of what was paused")
        break
    else:
        raise AssertionError("the program could not be paused within a second")
    # No room for a snapshot: that is reported, and the recording goes on.
    rec = here("full.nvtxh")
    with under_way(rec, program("paced"), "60000", options=("--ring", "1M", "--snapshot-when", "signal USR1", "--after", "0")) as process:
        wait_for("ticks", lambda: os.path.exists(rec) and os.path.getsize(rec) and marks(rec))
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (20000, 20000))
        os.kill(process.pid, signal.SIGUSR1)
        said = process.stderr.readline().decode()
        before = marks(rec)[-1]
        wait_for("it goes on", lambda: marks(rec)[-1] > before)
    must("cannot write" in said and "is not touched" in said, said, process.said)
    equal([name for name in os.listdir(driver.directory) if name.startswith("full.")], ["full.nvtxh"], "nothing is left")


def case_trigger_values():
    """A condition about a counter holds once each time that a value satisfies it and the value before did not."""
    compare = {">": float.__gt__, ">=": float.__ge__, "<": float.__lt__, "<=": float.__le__, "==": float.__eq__}
    chance = random.Random(5)
    for turn, (sign, holds) in enumerate(compare.items()):
        values, bound = [chance.randrange(6) for _ in range(60)], chance.choice((2.0, 2.5, 3.0)) if sign != "==" else 3.0
        held = [holds(float(value), bound) for value in values]
        wanted = sum(now and not before for before, now in zip([False, *held], held))
        said, snaps = incident(f"values{turn}", [f"train:queue {sign} {bound:g}"], *(f"c{value}" for value in values), options=("--max-snapshots", "0"))
        equal((snaps, re.findall(r"a condition held (\d+) more times?", said)), ([], [str(wanted)]), f"{sign} {bound}: {values}")
    # Counters of two processes have one name, and are set in turn: to 9 and more in one process, to 1 in the other.
    script = '"$0" c9 w400 c10 w400 c11 w400 & "$0" w200 c1 w400 c1 w400 c1; wait'
    done = nvtxh("record", "-o", here("two.nvtxh"), "--ring", "1M", "--snapshot-when", "train:queue > 5", "--max-snapshots", "0", "--",
                 "sh", "-c", script, program(driver.versions("incidents")[-1]))
    must(b"held 1 more time," in done.stderr, done.stderr.decode())


def case_trigger_names():
    """After 70,000 names the follower forgets them all. What was overwritten before and after that is counted, too."""
    for name, what in ("names", ("n70", "m0", "z1500")), ("earlier", ("m0", "z1500", "w200", "n70", "w200")):
        done = nvtxh("record", "-o", here(name + ".nvtxh"), "--ring", "8M", "--snapshot-when", "mark oops", "--after", "0", "--",
                     program(driver.versions("incidents")[-1]), *what, env=dict(os.environ, SNAPSHOT=here(name + ".snap1.nvtxh")), status=0)
        found = re.search(rb"about (\d+) events were overwritten", done.stderr)
        must(found and 100_000 < int(found.group(1)) <= 1_600_000, done.stderr.decode())
    # What it finds a second time in the ring, when it begins anew, does not fire again.
    said, snaps = incident("again", ["mark oops", "death", "train:step > 20ms"], "m0", "w200", "e0", "w300", "r30", "w200", "n70", "w300",
                           options=("--ring", "64M", "--min-interval", "0", "--after", "0"))
    equal([header(snap)[2].partition(":")[0] for snap in snaps], ["mark oops", "death", "train"], said)
    must(" held " not in said, said)


def looked_at(rec, *command, ring="1M"):
    """The command that looks for a condition which never holds."""
    return subprocess.Popen([driver.args.nvtxh, "record", "--ring", ring, "--snapshot-when", "mark never", "-o", rec, "--", *command],
                            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, start_new_session=True)


def end_unseen(process):
    """Lets the program end while the command cannot look. What the command said."""
    child = child_of(process)
    os.kill(process.pid, signal.SIGSTOP)
    pathlib.Path(here("go")).touch()

    def state():
        with open(f"/proc/{child}/stat") as f:
            return f.read().rpartition(")")[2].split()[0]
    wait_for("the end", lambda: state() == "Z")
    os.kill(process.pid, signal.SIGCONT)
    return process.communicate()[1].decode()


def missed(said):
    return int(re.search(r"about (\d+) events were overwritten", said)[1])


def there(rec, key, count):
    return joined(rec) and driver.instances(rec).get(key, 0) >= count


def case_trigger_missed():
    """Events that are overwritten while the command does not look are counted."""
    rec, turns, threads = here("rec.nvtxh"), 60000, 7
    process = looked_at(rec, "sh", "-c", f"{program('load')} 1 1000; until test -e {here('go')}; do sleep 0.1; done; exec {program('load')} {threads} {turns}", ring="256k")
    wait_for("the first", lambda: there(rec, ("PushPop", "load:work"), 1000))
    count, wanted = missed(end_unseen(process)), 2 * (1000 + turns * threads)
    must(0.93 * wanted < count < 1.03 * wanted, count, wanted)  # 256 KiB are not missed


def case_trigger_missed_threads():
    """So are those of threads that have ended and of which nothing is left in the ring: of a process that was known, of one that began and ended
    between two looks, and of one that did so before the first look. A thread has three events; at most a sixth of the threads was looked at."""
    threads = 5000
    counts = [missed(looked_at(here("first.nvtxh"), "sh", "-c", f"kill -STOP $PPID; {program('left')} {threads}; kill -CONT $PPID").communicate()[1].decode())]
    for known in True, False:
        rec, left = here(f"known-{known}.nvtxh"), f"exec {program('left')} {threads}"
        process = looked_at(rec, "sh", "-c", f"{left} {here('go')}" if known else f"until test -e {here('go')}; do sleep 0.1; done; {left}")
        wait_for("the first", lambda: there(rec, ("PushPop", "inner"), 1) if known else os.path.exists(rec))
        counts.append(missed(end_unseen(process)))
        os.remove(here("go"))
    must(all(0.83 * 3 * threads < count < 1.03 * 3 * threads for count in counts), counts)


def case_trigger_long():
    """Memory does not grow with what was looked at. Process ranges whose ends were overwritten between two looks are not open any more."""
    rec = here("rec.nvtxh")
    process = looked_at(rec, program("varied"), "40", "25000", here("go"), ring="4M")
    wait_for("the first half", lambda: there(rec, ("Mark", "waits"), 1))
    with subprocess.Popen([driver.args.nvtxh, "top", "-i", "0.1", "--csv", rec], stdout=subprocess.PIPE, text=True) as top:
        next(line for line in top.stdout if ",varied:held," in line)
        with open(f"/proc/{process.pid}/status") as f:
            peak = int(re.search(r"VmHWM:\s+(\d+)", f.read())[1])
        must(peak < 16000, f"{peak} KiB")
        top.send_signal(signal.SIGSTOP)
        must("were overwritten" in end_unseen(process), "the ring")
        top.send_signal(signal.SIGCONT)
        *_, last = (line for line in top.stdout if ",varied:held," in line)
    must(last.split(",")[5] == "0", last)


def case_trigger_stuck():
    """A range that is stuck fires once. Of long ranges one after the other, none is taken for one that stays open."""
    name = program(driver.versions("incidents")[-1])
    script = f"'{name}' r600 & for i in 1 2 3 4 5 6 7; do '{name}' m0; sleep 0.05; done; wait"
    for rec, when, *command in ("once", "100ms", "sh", "-c", script), ("four", "1200ms", name, "r600", "r600", "r600", "r600"):
        done = nvtxh("record", "-o", here(rec), "--ring", "256k", "--snapshot-when", f"train:step stuck {when}", "--after", "0", "--", *command)
        equal(os.path.exists(here(f"{rec}.snap1.nvtxh")), rec == "once", done.stderr.decode())
        must(b"more time" not in done.stderr, done.stderr.decode())


def case_overwritten_end():
    """A process range is not open for ever if its end was overwritten in the ring."""
    name = program(driver.versions("incidents")[-1])
    for what in "o300", "o1":
        rec = here(what + ".nvtxh")
        nvtxh("record", "--ring", "1M", "-o", rec, "--", name, what, "k0")
        rows = driver.table(nvtxh("top", "--once", "--csv", rec).stdout.decode())
        must({row["Open"] for row in rows if row["Range"] == "batch"} <= {"0"}, what, rows)


def case_trigger_mistakes():
    """Wrong conditions have a caret under the place."""
    for condition, place, wanted in (("train:step", 10, "comparison"), ("x > ", 4, "unit"), ("> 5ms", 0, "a name"), ("x < 5ms", 2, "before a time"),
                                     ("a stuck soon", 8, "unit"), ("signal FOO", 7, "USR1"), (" signal  s ", 9, "USR1"), ("signal", 6, "USR1"), ("mark", 4, "a mark"), ("", 0, "condition"),
                                     ("w\u00f6rter > 5 ms ms", 9, "unit"), ("q = 4", 2, "=="), ("call me", 7, "comparison"), ("x > 5y", 4, "unit")):
        done = nvtxh("record", "--ring", "1M", "--snapshot-when", condition, "--", "true", env=dict(os.environ, LC_ALL="C.UTF-8"))
        lines = done.stderr.decode().splitlines()
        equal((done.returncode, len(lines)), (2, 3), lines)
        equal((lines[1], lines[2]), (f"nvtxh:   {condition}", "nvtxh:   " + " " * place + "^"), condition)
        must(wanted in lines[0], lines[0])
    must("--ring" in nvtxh("record", "--snapshot-when", "death", "--", "true").stderr.decode(), "without a ring")
    for option in "--before", "--after", "--min-interval":
        done = nvtxh("record", "--ring", "1M", "--snapshot-when", "death", option, "-1ms", "-o", here("rec"), "--", "true")
        must((done.returncode, os.path.exists(here("rec"))) == (2, False) and option in done.stderr.decode(), done.stderr.decode())
    equal(nvtxh("record", "--ring", "1M", "--snapshot-when", "death", "-o", here("%p"), "--", "true").returncode, 2, "a file for each process")


def case_trigger_storm():
    """64 threads overwrite the ring: events that were overwritten before they were read are counted."""
    load()
    process = subprocess.run([driver.args.nvtxh, "record", "-o", here("storm.nvtxh"), "--ring", "2M", "--snapshot-when", "load:work > 1h", "--",
                              program("load"), str(THREADS), "300000"], capture_output=True, check=False)
    equal(process.returncode, 5, process.stderr.decode())
    found = re.search(r"about (\d+) events were overwritten", process.stderr.decode())
    must(found and 1000 < int(found.group(1)) <= THREADS * 300000 * 2.2, process.stderr.decode())
    done = nvtxh("record", "-f", "-o", here("storm.nvtxh"), "--ring", "256k", "--snapshot-when", "mark oops", "--",
                 "sh", "-c", f"kill -STOP $PPID; exec {program(driver.versions('incidents')[-1])} m0 z500", env=dict(os.environ, SNAPSHOT="/"))
    must("no mark oops was among the events that were read" in done.stderr.decode(), done.stderr.decode())


if __name__ == "__main__":
    driver.main(globals(), __doc__)
