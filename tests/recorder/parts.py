#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings of a part of the events: by domain, by capture, by time, in a ring, and as the program asks."""
import os
import pathlib
import re
import signal
import subprocess

from harness import driver
from harness.driver import equal, here, instances, must, nvtxh, program, run, stats
from records import Recording, words


def counted(rec):
    """How often each range and mark was recorded, as stats has it: the reader's view of gates and rings."""
    found = {}
    for (_, text), n in instances(rec).items():
        found[text] = found.get(text, 0) + n
    return found


def options(rec, *arguments):
    """Records phases with options: the reader's view"""
    done = nvtxh("record", "-o", rec, *arguments, "--", program("phases"), status=0)
    return counted(rec), done.stderr.decode()


def case_domains():
    """Of excluded domains, only the names are recorded; with included ones, nothing else is recorded."""
    only, _ = options(here("only"), "--domain-include", "second")
    must(only and all(name.startswith("second:") for name in only), only)
    equal(sum(only.values()), 2 * 18, "ranges and marks")
    two, _ = options(here("two"), "--domain-include=nothing, second", "--domain-include", "default")
    equal({name.partition(":")[0] if ":" in name else "" for name in two}, {"", "second"}, "domains")
    without, _ = options(here("without"), "--domain-exclude=first,default")
    equal({name.partition(":")[0] if ":" in name else "" for name in without}, {"second", "nvtxh.capture"}, "domains")
    prefix, _ = options(here("prefix"), "--domain-include", "default,sec,secondary")
    equal({name.partition(":")[0] if ":" in name else "" for name in prefix}, {""}, "domains")
    done = nvtxh("record", "--domain-include=a", "--domain-exclude=b", "--", "true")
    must(done.returncode == 2 and b"cannot be used with" in done.stderr, done.stderr)


def inside(*names, capture="nvtxh.capture:steady"):
    wanted = {capture: 2} if capture else {}
    for name, n in names:
        wanted.update({name: n, "first:" + name: n, "second:" + name: 2 * n})
    return wanted


def case_capture():
    """A capture is recorded with all that happens in it on all threads, and nothing else."""
    for spec in ("steady@nvtxh.capture", "steady"):
        rec = here("rec-" + spec)
        nvtxh("record", "-o", rec, "--capture-range", spec, "--", program("phases"), status=0)
        got = counted(rec)
        wanted = inside(("inside", 5), ("elsewhere", 2), ("again", 2))
        wanted.update({"cut": 1, "nvtxh.capture:steady": 3})
        equal(got, wanted, spec)
        r = Recording(rec)
        equal([g.id for g in r.names("gate")], [1, 0, 1, 0], "gates")
        # A range that a capture cuts ends when the gate closes: when the thread that has ended the capture gets to that.
        rows, said = stats(rec)
        must("damaged" not in said, said)
        events = r.events()
        cut, = (e.ticks for e in events if e.kind == "push" and e.text == "cut")
        end, = (e.ticks for e in events if e.kind == "end")
        closed, = words(r.names("gate")[1].body, 0, 1)
        (t0, m0, _), (t1, m1, _) = words(r.data, 40, 3), words(r.data, 64, 3)
        wanted, found = (closed - cut) * (m1 - m0) / (t1 - t0), int(rows["PushPop", "cut"]["Max (ns)"])
        must(cut < end <= closed and abs(found - wanted) < 1000 + wanted / 100, found, wanted, cut, end, closed)
    rec = here("plain")
    nvtxh("record", "-o", rec, "--capture-range", "plain", "--", program("phases"))
    wanted = inside(("in plain", 1), capture=None)
    equal(counted(rec), dict(wanted, plain=1), "a range in the default domain")
    # By the environment alone.
    run(program("phases"), env=dict(os.environ, NVTX_INJECTION64_PATH=driver.args.library,
                                    NVTXH_RECORD_FILE=here("alone"), NVTXH_RECORD_CAPTURE="another@nvtxh.capture"), status=0)
    equal(counted(here("alone")), dict(inside(("in another", 1), capture=None), **{"nvtxh.capture:another": 1}),
          "by the environment")


def case_timed():
    """--from and --to record a piece of the run, and cut the range around it to that piece."""
    rec = here("rec")

    def piece(end, *options):
        """(moments of the ticks, moments and ids of the gates), in seconds. A program that gets no processor meanwhile is recorded again."""
        for _ in range(100):
            nvtxh("record", "-f", "-o", rec, *options, "--", program("paced"), end, status=0)
            r = Recording(rec)
            # The rate is that between the first and the last sample.
            (t0, m0, _), (t1, m1, _) = words(r.data, 40, 3), words(r.data, 64, 3)
            ticks, gates = ([(t - t0) * (m1 - m0) / (t1 - t0) / 1e9 for t in all_] for all_ in (
                [e.ticks for e in r.events() if e.kind == "mark"], [words(g.body, 0, 1)[0] for g in r.names("gate")]))
            must(all(at <= gates[-1] for at in ticks), ticks, gates)
            if len(ticks) > 10:
                return ticks, gates, [g.id for g in r.names("gate")]
        raise AssertionError("the program is never recorded")

    ticks, (opened, closed), ids = piece("600", "--from=0.1", "--to", "0.3")
    equal(ids, [1, 0], "gates")
    must(0.1 <= opened <= ticks[0] and abs(closed - 0.3) < 0.001, opened, ticks, closed)
    ticks, (closed,), ids = piece("300", "--to", "0.1")
    equal(ids, [0], "gates")
    must(abs(closed - 0.1) < 0.001, closed)
    rows, said = stats(rec)
    must((ticks[-1] - ticks[0]) * 1e9 - 1000 < int(rows["PushPop", "all"]["Max (ns)"]) <= 10**8, rows["PushPop", "all"], ticks)
    must("1 range had no end" in said, said)
    for option, value in (("--from", "soon"), ("--to", "-1"), ("--ring", "12"), ("--ring", "1X"), ("--ring", "65G"),
                          ("--capture-range", "")):
        done = nvtxh("record", option, value, "--", "true")
        must(done.returncode == 2 and option.encode() in done.stderr, option, done.stderr)


def case_ring():
    """A ring keeps the last of each process in a file that does not grow, readable to the last range, also when killed."""
    size = 1 << 20
    for threads, ranges, name in ((1, 300000, "one"), (8, 40000, "eight")):
        rec = here(name)
        done = nvtxh("record", "-o", rec, "--ring", "1M", "--", program("load"), str(threads), str(ranges), status=5)
        must(" 0 dropped" in done.stderr.decode(), done.stderr.decode())
        must(size <= os.path.getsize(rec) < size + (1 << 17), os.path.getsize(rec))
        rows, said = stats(rec)
        kept = int(rows["PushPop", "load:work"]["Instances"])
        must(20000 < kept <= threads * ranges and "damaged" not in said, kept, said)
        r = Recording(rec)
        must(any(s.chunks[0][0] > 0 for s in r.streams[0].values()), "nothing was overwritten")
        # The last of what each thread did is there.
        for stream, s in r.streams[0].items():
            must(stream == 0 or s.records[-1].kind == "pop", s.records[-1])
    # Messages by pointer: each chunk has its texts.
    rec = here("texts")
    nvtxh("record", "-o", rec, "--ring", "256k", "--", program("counted"), "30000", status=0)
    rows, said = stats(rec)
    must("without their message" not in said and "damaged" not in said, said)
    must(all(text for _, text in rows), "ranges without a text")
    # Killed in the middle of overwriting.
    for turn in range(5):
        rec = here(f"killed{turn}")
        with open(here("progress"), "wb") as f:
            f.write(bytes(8192))
        process = subprocess.Popen([driver.args.nvtxh, "record", "-o", rec, "--ring", "256k", "--", program("load"), "4", "0",
                                    here("progress")], stderr=subprocess.PIPE)
        while sum(words(pathlib.Path(here("progress")).read_bytes(), 0, 4)) < 100000 + turn * 777:
            must(process.poll() is None, "the program has ended")
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)
        said = process.communicate()[1].decode()
        equal(process.returncode, 137, said)
        rows, said = stats(rec)
        must("damaged" not in said and int(rows["PushPop", "load:work"]["Instances"]) > 5000, said)


def case_cut():
    """A text that is too long is cut, not within a character, and counted once each time, as a message in a ring and as a name."""
    cut = program(driver.versions("cut")[-1])
    nvtxh("record", "-o", here("ring"), "--ring", "1M", "--", cut, "messages", status=0)
    rows, said = stats(here("ring"))
    equal({text: int(row["Instances"]) for (_, text), row in rows.items()}, {"a" * 8192: 3, "b" * 8192: 3, "\u20ac" * (8192 // 3): 3, "short": 3}, "messages")
    must("nvtxh: 9 texts were too long and were cut\n" in said, said)
    for what, number in ("messages", 0), ("names", 8):
        nvtxh("record", "-o", here(what), "--", cut, what, status=0)
        said = stats(here(what))[1]
        equal("too long" in said, number > 0, said)
        must(not number or f"nvtxh: {number} texts were too long and were cut\n" in said, said)
    r = Recording(here("names"))
    sizes = {kind: [len(n.body) for n in r.names(kind)] for kind in ("scope", "enum", "resource")}
    equal(sizes, {"scope": [16 + (1 << 16)], "enum": [56 + 3 * (1 << 16)], "resource": [16 + (8 << 20)]}, "as long as they may be")


def case_ended():
    """A push that a thread leaves open ends with the thread, before the next thread begins, and is reported as one without an end."""
    nvtxh("record", "-o", here("rec"), "--", program("left"), "5", status=0)
    done = nvtxh("export", "--format", "csv", here("rec"))
    rows = [row for row in driver.table(done.stdout.decode()) if row["Message"] == "left open"]
    times = [(int(row["Start (ns)"]), int(row["End (ns)"])) for row in rows]
    equal([row["Open"] for row in rows], ["1"] * 5, "open")
    must(all(end <= start for (_, end), (start, _) in zip(times, times[1:])), times)
    must("5 ranges had no end" in stats(here("rec"))[1], stats(here("rec"))[1])


def case_takeover():
    """Killed at any instruction of filling a ring's chunk again, a program leaves a recording with all other chunks."""
    done = nvtxh("record", "-o", here("rec"), "--ring", "32M", "--", program("takeover"))
    if done.returncode == 77:
        driver.skip("processes cannot be traced here")
    equal(done.returncode, 0, done.stderr.decode())
    steps, without = map(int, done.stdout.split())
    must(steps > 500 and 3 < without < steps, steps, without)


def case_linked():
    """A program with the recorder linked in records itself: by calls, by captures, beside other threads, and if killed."""
    found = driver.versions("linked")
    for name in (found[0], found[-1]): # the oldest NVTX, and the newest
        folder = here("in-" + name)
        os.mkdir(folder)

        def do(what, status=0, **environment):
            done = run(program(name), what, cwd=folder, env=dict(os.environ, **environment))
            equal((done.returncode, done.stderr), (status, b""), f"{name} {what}")

        def there(file, others=False):
            """What is in it. Of OTHERS, which write while it begins and ends, some may be left out, and counted."""
            equal(os.stat(os.path.join(folder, file)).st_mode & 0o777, 0o600, "mode")
            rows, said = stats(os.path.join(folder, file))
            must("damaged" not in said and (others or "dropped" not in said), file, said)
            return {text: int(row["Instances"]) for (_, text), row in rows.items()}

        do("calls")
        equal(there("first.nvtxh"), {"in the first": 12000, "linked:registered early": 12000, "across the stop": 1}, "first")
        second = there("second.nvtxh")
        must(2000 < second["in the second"] < 50000 and second["in the child"] == 3, second)
        equal(there("last.nvtxh"), {"in the last": 12000, "linked:registered early": 12000}, "one that was not stopped")
        for file in "last.nvtxh", "first.nvtxh":
            first = Recording(os.path.join(folder, file))
            equal([(c.id, c.body) for c in first.names("category")], [(3, b"a category")], "a name given before")
            equal([(t.id, t.body) for t in first.names("thread")], [(first.streams[0][1].tid, b"a thread")], "a thread's name")
        must(first.end, "the recording has no end")
        begun, ended = (words(first.names("process")[0].body, at, 1)[0] for at in (16, 40))
        must(begun < ended, "the end of its process", begun, ended)
        equal(sorted(os.listdir(folder)), ["first.nvtxh", "last.nvtxh", "second.nvtxh"], "files")
        do("turns")
        for i in range(18):
            got = there(f"turn{i}.nvtxh", others=True)
            if i % 3 != 2:
                equal(got["a turn"], 100 + i, f"turn {i}")
            Recording(os.path.join(folder, f"turn{i}.nvtxh"))
        do("rings")
        rings = [words(Recording(os.path.join(folder, file)).names("process")[0].body, 256, 1)[0] for file in ("ring.nvtxh", "no_ring.nvtxh")]
        equal(rings, [4 << 20, 0], "sizes of rings")
        do("crowd")
        ranges = sum(3 + thread % 5 for thread in range(200))
        for i in range(4):
            equal(there(f"crowd{i}.nvtxh"), {f"in recording {i}": ranges, "linked:registered early": ranges}, f"many threads, {i}")
            must(os.path.getsize(os.path.join(folder, f"crowd{i}.nvtxh")) < 9 << 20, "its size", os.path.getsize(os.path.join(folder, f"crowd{i}.nvtxh")))
        do("captures")
        for i, file in enumerate(("warm.nvtxh", "warm.2.nvtxh")):
            equal(there(file), {"captured": 10 + i, "still": 1, "linked:registered early": 11 + i,
                                "nvtxh.capture:warm": 1, "nvtxh.capture:nested": 1}, file)
        equal(there(".._out_side.nvtxh"), {"beside": 2, "linked:registered early": 2, "nvtxh.capture:../out/side": 1},
              "a name with slashes")
        unnamed = [file for file in os.listdir(folder) if re.fullmatch(re.escape(name) + r"\.\d{2,}(\.2)?\.nvtxh", file)]
        equal(len(unnamed), 2, f"recordings without a name among {os.listdir(folder)}")
        for file in *unnamed, "s.nvtxh", ".nvtxh.nvtxh", "registered.nvtxh", "wid\u00e9.nvtxh":
            equal(there(file)["named"], 1, file)
        do("killed", -signal.SIGKILL)
        equal(there("killed.nvtxh"), {"until then": 1000, "linked:registered early": 1000}, "killed")
        do("empty", -signal.SIGKILL)
        equal([c.body for c in Recording(os.path.join(folder, "empty.nvtxh")).names("category")], [b"a category"], "killed before its first event")
        # What opens and closes the gate in one recording does not count in the next.
        do("parts", NVTXH_RECORD_FROM="0.02", NVTXH_RECORD_TO="0.05")
        for i in range(5):
            equal([g.id for g in Recording(os.path.join(folder, f"part{i}.nvtxh")).names("gate")], [1, 0], f"from and to, {i}")
        do("quiet", NVTXH_RECORD_TO="0.01")
        equal([g.id for g in Recording(os.path.join(folder, "quiet.nvtxh")).names("gate")], [0], "a time that ends without an event")
        # A tool that the environment names takes precedence.
        do("busy", NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE=os.path.join(folder, "tool"))
        equal(there("tool"), {"for the other tool": 3, "linked:registered early": 3}, "the other tool")
        must(not os.path.exists(os.path.join(folder, "none.nvtxh")), "a recording of nothing")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
