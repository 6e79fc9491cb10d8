#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder writes, read back by a reader made from FORMAT.md (records.py).

    write.py CASE --nvtxh PATH --library PATH --programs DIRECTORY

Each case is a function named after it; what it claims is its first line. Exit status 77: cannot be tried here.
"""
import os
import signal
import struct
import subprocess
import sys
import time

import driver
from driver import equal, here, instances, must, nvtxh, program, record, run, stats
from records import Recording, Texts, blobs, words

LOSS = {"handle": 8, "cuda": 9}


def case_families():
    """Names of CUDA, runtime and OpenCL objects, resources and synchronization are kept, wide ones as UTF-8."""
    for name in driver.versions("families"):
        rec = here(name)
        done = record(rec, program(name))
        equal(done.returncode, 0, done.stderr.decode())
        r = Recording(rec)
        wanted = []
        for module, kinds, first, text, wide in ((4, 4, 1, "cuda", "cuda w\u00e9"), (5, 3, 0, "cudart", "cudart w\u20ac"),
                                                 (6, 7, 1, "opencl", "opencl w\U0001f600")):
            for kind in range(kinds):
                number = kind == 0 and module != 6
                handle = 0x1000 * (1 + 2 * kind)
                wanted.append((3 if number else handle, module << 16 | first + kind, text))
                wanted.append((4 if number else handle + 8, module << 16 | first + kind, wide))
        wanted.append((3, 4 << 16 | 1, "cuda, renamed"))
        got = []
        numbers = {}
        for n in r.names("resource"):
            identifier, kind, registered = struct.unpack_from("<QII", n.body)
            text = n.body[16:].decode()
            if registered:
                text = "registered: " + [s for s in r.names("registered") if s.id == registered & 0x7fffffff][0].body.decode()
            got.append((identifier, kind, text))
            equal(numbers.setdefault((identifier, kind, text if kind == 1 << 16 | 2 else ""), n.id), n.id, "number")
        wanted += [(77, 1 << 16 | 2, "a resource"), (77, 1 << 16 | 2, "registered: a registered name"),
                   (0, 0x10000000, "a lock")]
        equal(got, wanted, name)
        lock = r.names("resource")[-1]
        equal([d.body.decode() for d in r.names("domain") if d.id == lock.domain], ["families"], "domain")
        equal([n.id for n in r.names("resource gone")], [numbers[77, 1 << 16 | 2, "a resource"], lock.id], "gone")
        equal(len(r.names("gone")), 1, "domains gone")
        equal([struct.unpack("<II", e.body) for e in r.events() if e.kind == "sync"],
              [(lock.id, what) for what in (1, 2, 1, 3, 4)], "synchronization")
        equal((r.losses()[LOSS["handle"]], r.losses()[LOSS["cuda"]]), (1, 1), "losses")
        # The child has all of it but what was gone, and the latest names.
        inherited = [struct.unpack_from("<QII", n.body)[:2] + (n.body[16:].decode(),) for n in r.names("resource", 1)]
        left = [w for w in wanted if w[2] not in ("a resource", "cuda") or w[:2] != (3, 4 << 16 | 1) and w[2] == "cuda"]
        equal(sorted(inherited), sorted((i, k, "" if "registered:" in t else t) for i, k, t in left), "of the child")
        equal([struct.unpack("<II", e.body) for e in r.events(1)], [(lock.id, 4)], "of the child")


def semantics(body):
    found = []
    while body:
        semantic, version, size = struct.unpack_from("<HHI", body)
        found.append((semantic, version, body[8:size]))
        body = body[size:]
    return found


def schema_of(body):
    head = struct.unpack_from("<5QII", body)
    texts = Texts(body, 48 + 48 * head[5])
    name = texts.take(head[6])
    entries = []
    for i in range(head[5]):
        flags, kind, detail, offset, *sizes, _ = struct.unpack_from("<4Q4I", body, 48 + 48 * i)
        entries.append((flags, kind, detail, offset, *(texts.take(size) for size in sizes)))
    equal(texts.at, len(body), "size of a schema")
    return head[0], head[1:5], name, entries


def case_extended():
    """Payloads are kept as bytes with their schemas and what they point to; counters, scopes, clocks and batches too."""
    for name in driver.versions("extended"):
        rec = here(name)
        done = record(rec, program(name))
        equal(done.returncode, 0, done.stderr.decode())
        must(b"not recorded" not in done.stderr, done.stderr)
        text_at, outer = map(int, done.stdout.split())
        r = Recording(rec)
        first = 1 << 32
        scope, = r.names("scope")
        equal((words(scope.body, 0, 2), scope.body[16:]), ((first, 1), b"rack[3]/node"), "scope")
        clock, points, again, factor, *more = r.names("time")
        equal((clock.id, struct.unpack("<4QqQ", clock.body)), (1, (first + 1, first, 0, 0, 1000000, 0)), "time domain")
        equal(points.id, 2, "points")
        equal(struct.unpack("<QQq", points.body[:24]), (first + 1, 1, 2000), "points")
        must(0 < struct.unpack_from("<q", points.body, 24)[0] < 1 << 62, "ticks of ours")
        equal(struct.unpack("<QQqq", again.body), (first + 1, 12, 5, 6), "points of the program's")
        equal((factor.id, struct.unpack("<QQdqq", factor.body)), (3, (first + 1, 12, 0.25, 7, 8)), "factor")
        equal([struct.unpack_from("<q", p.body, 16)[0] for p in more], [3000, 4000, 5000], "points with each batch")

        enum, = r.names("enum")
        equal(struct.unpack_from("<Q4I", enum.body), ((1 << 24) + 5, 1, 2, 5, 0), "enum")
        equal(struct.unpack_from("<QIIQII", enum.body, 24), (1, 0, 3, 2, 0, 5), "enum's entries")
        equal(enum.body[56:], b"colorredgreen", "enum's texts")
        inner, whole = (schema_of(s.body) for s in r.names("schema"))
        equal(inner, (first + 2, (1, 0, 0, 0), b"", [(0, 15, 0, 0, b"count", b"", b""),
                                                   (1 << 8 | 1 << 1 | 3 << 4, 13, 0, 0, b"", b"", b"")]), "schema")
        equal(whole, (outer, (1, 0, 56, 0), b"outer", [
            (0, (1 << 24) + 5, 0, 0, b"color", b"what it looks like", b""), (1 << 8 | 1 << 10, 75, 0, 0, b"", b"", b""),
            (1 << 4, first + 2, 2, 0, b"", b"", b""), (0, 75, 6, 0, b"", b"", b"")]), "schema")

        events = [e for e in r.events() if e.kind != "text"]
        must(all(e.domain == "extended" for e in events), "domains")
        equal([e.kind for e in events],
              ["payload", "mark", "payload", "push", "payload", "pop", "payload", "start", "payload", "end",
               "payload", "push", "pop", "payload", "mark", "payload", "mark", "event", "events"]
              + ["count"] * 6 + ["sample", "count", "samples"], "events")
        value = blobs(events[0].body)
        equal([b[0] for b in value], [outer] + [(1 << 64) - 1] * 3, "blobs")
        equal(len(value[0][2]), 56, "payload")
        address, = words(value[0][2], text_at, 1)
        equal((value[1][1], value[1][2]), (address, b"deep"), "text that was pointed to")
        equal(value[2][2], struct.pack("<3h", 1, -2, 3), "array that was pointed to")
        equal(value[3][1:], (value[2][1] + 2, struct.pack("<h", -2)), "part of it")
        equal(blobs(events[2].body)[1][::2], (75, b"a text with an end"), "text with a terminator")
        equal([len(blobs(events[i].body)) for i in (4, 6, 8, 10, 13, 15)], [1, 4, 1, 5, 3, 1], "blobs of each")
        equal(events[11].text, "with attributes", "message")
        equal(events[17].body, events[8].body, "deferred event")
        equal(events[18].body, struct.pack("<6Q", outer, 22, 0, 3, 5, 4) + b"abc\0\0\0\0\00045678", "batch")

        memory, same, load = r.names("counter")
        equal(struct.unpack_from("<3Q4I", memory.body), (outer + 1, 17, first, 6, 6, 61, 0), "counter")
        equal(memory.body[40:52], b"memoryin use", "counter's texts")
        equal(semantics(memory.body[52:]), [(5, 2, struct.pack("<3QqQQ", 1 << 3, 1024, 1, 1, 0, 99) + b"bytes")],
              "unit and limits")
        equal((words(same.body, 0, 1)[0], same.body[8:]), (outer + 2, memory.body[8:]), "another one like it")
        equal(struct.unpack_from("<3Q4I", load.body), ((1 << 24) + 1, 20, first, 4, 6, 0, 0), "counter")
        counts = [(e.counter, e.value) for e in events if e.kind == "count"]
        equal(counts, [(outer + 1, 0), ((1 << 24) + 1, 0.5), (outer + 1, -1), ((1 << 24) + 1, 1.5), (outer + 1, -2),
                       ((1 << 24) + 1, 2.5), (outer + 1, 2)], "samples")
        equal([e.payload_type for e in events if e.kind == "count"], [2, 3, 2, 3, 2, 3, 0], "their types")
        equal(events[-3].body, struct.pack("<Qqq", outer + 1, 7, 8), "sample of a group")
        equal(events[-1].body, struct.pack("<4Q4q", outer + 1, 0, 16, 16, 2000, 3000, 7, 8), "batch of samples")
        equal(sum(r.losses()), 0, "losses")
        for kind in ("scope", "enum", "schema", "counter"):
            equal(sorted(n.body for n in r.names(kind, 1)), sorted(n.body for n in r.names(kind)), f"{kind} of a child")
        equal([(e.counter, e.value) for e in r.events(1)], [((1 << 24) + 1, 1)], "of the child")


def counted(rec):
    """How often each range and mark was recorded, as stats has it: the reader's view of gates and rings."""
    found = {}
    for (_, text), n in instances(rec).items():
        found[text] = found.get(text, 0) + n
    return found


def options(rec, *arguments):
    """Records phases with options: the reader's view"""
    done = nvtxh("record", "-o", rec, *arguments, "--", program("phases"))
    equal(done.returncode, 0, done.stderr.decode())
    return counted(rec), done.stderr.decode()


def case_domains():
    """Domains that are left out leave nothing but their names; what is taken in is all there is."""
    only, _ = options(here("only"), "--domain-include", "second")
    must(only and all(name.startswith("second:") for name in only), only)
    equal(sum(only.values()), 2 * 17, "ranges and marks")
    two, _ = options(here("two"), "--domain-include=second", "--domain-include", "default,nothing")
    equal({name.partition(":")[0] if ":" in name else "" for name in two}, {"", "second"}, "domains")
    without, _ = options(here("without"), "--domain-exclude=first,default")
    equal({name.partition(":")[0] if ":" in name else "" for name in without}, {"second", "nvtxh.capture"}, "domains")
    done = nvtxh("record", "--domain-include=a", "--domain-exclude=b", "--", "true")
    must(done.returncode == 2 and b"either" in done.stderr, done.stderr)


def inside(*names, capture="nvtxh.capture:steady"):
    wanted = {capture: 2} if capture else {}
    for name, n in names:
        wanted.update({name: n, "first:" + name: n, "second:" + name: 2 * n})
    return wanted


def case_capture():
    """A capture is recorded with all that happens in it on all threads, and nothing else."""
    for spec in ("steady@nvtxh.capture", "steady"):
        rec = here("rec-" + spec)
        done = nvtxh("record", "-o", rec, "--capture-range", spec, "--", program("phases"))
        equal(done.returncode, 0, done.stderr.decode())
        got = counted(rec)
        wanted = inside(("inside", 5), ("elsewhere", 2), ("again", 1))
        wanted.update({"cut": 1, "nvtxh.capture:steady": 3})
        equal(got, wanted, spec)
        # What a capture cuts ends with it.
        rows, said = stats(rec)
        must("damaged" not in said, said)
        steady = int(rows["StartEnd", "nvtxh.capture:steady"]["Max (ns)"])
        must(int(rows["PushPop", "cut"]["Max (ns)"]) <= steady, rows["PushPop", "cut"], steady)
        r = Recording(rec)
        equal([g.id for g in r.names("gate")], [1, 0, 1, 0], "gates")
    rec = here("plain")
    nvtxh("record", "-o", rec, "--capture-range", "plain", "--", program("phases"))
    wanted = inside(("in plain", 1), capture=None)
    equal(counted(rec), dict(wanted, plain=1), "a range in the default domain")
    # By the environment alone.
    done = run(program("phases"), env=dict(os.environ, NVTX_INJECTION64_PATH=driver.args.library,
                                           NVTXH_RECORD_FILE=here("alone"), NVTXH_RECORD_CAPTURE="another@nvtxh.capture"))
    equal(done.returncode, 0, done.stderr.decode())
    equal(counted(here("alone")), dict(inside(("in another", 1), capture=None), **{"nvtxh.capture:another": 1}),
          "by the environment")


def case_timed():
    """A delay and a duration cut a piece out of the run, the range around it to the same measure."""
    rec = here("rec")
    done = nvtxh("record", "-o", rec, "--delay=0.1", "--duration", "0.2", "--", program("paced"), "600")
    equal(done.returncode, 0, done.stderr.decode())
    r = Recording(rec)
    equal([g.id for g in r.names("gate")], [1, 0], "gates")
    ticks = [e.payload for e in r.events() if e.kind == "mark"]
    must(len(ticks) > 10 and min(ticks) > 0 and max(ticks) < 330000, min(ticks), max(ticks))
    start, _, _ = words(r.data, 40, 3)
    opened, closed = (words(g.body, 0, 1)[0] for g in r.names("gate"))
    # By the rate between the first and the last moment that are known on both clocks.
    (t0, m0, _), (t1, m1, _) = words(r.data, 40, 3), words(r.data, 64, 3)
    at = [(t - t0) * (m1 - m0) / (t1 - t0) / 1e9 for t in (opened, closed)]
    must(at[0] >= 0.1 and abs(at[1] - 0.3) < 0.001, at)
    rec = here("first")
    nvtxh("record", "-o", rec, "--duration", "0.1", "--", program("paced"), "300")
    rows, said = stats(rec)
    must(10**7 < int(rows["PushPop", "all"]["Max (ns)"]) <= 10**8, rows["PushPop", "all"])
    must("1 range had no end" in said, said)
    for option, value in (("--delay", "soon"), ("--duration", "-1"), ("--ring", "12"), ("--ring", "1X"), ("--ring", "65G"),
                          ("--capture-range", "")):
        done = nvtxh("record", option, value, "--", "true")
        must(done.returncode == 2 and option.encode() in done.stderr, option, done.stderr)


def case_presets():
    """What pushes have in common is written once, and each is read back with all of it, also in a ring."""
    for arguments in ((), ("--ring", "256k")):
        rec = here("rec.nvtxh")
        done = nvtxh("record", "-f", "-o", rec, *arguments, "--", program("presets"))
        equal(done.returncode, 0, done.stderr.decode())
        wanted = []
        for line in done.stdout.decode().splitlines():
            text, domain, color, category, kind, payload = line.split("|")
            wanted.append((text, domain, int(color, 16), int(category), int(kind), int(payload, 16)))
        r = Recording(rec)
        got = []
        for e in r.events():
            if e.kind == "push":
                payload = e.get("payload", 0)
                if e.payload_type:
                    payload, = struct.unpack("<I" if e.payload_type > 3 else "<Q",
                                             struct.pack("<" + ".QqdIif"[e.payload_type], payload))
                got.append((e.text, e.domain, e.color, e.get("category", 0),
                            e.payload_type, payload))
        if arguments:
            must(1000 < len(got) < len(wanted), "pushes in the ring", len(got))
            wanted = wanted[-len(got):]
        equal(got, wanted, "pushes")
        by_preset = sum(r.number == 8 for s in r.streams[0].values() for r in s.records)
        must(by_preset > len(got) // 5, "pushes by preset", by_preset, "of", len(got))


def case_named():
    """A thread that NVTX has not named is called what the system calls it, unless that is the program's name."""
    rec = here("rec.nvtxh")
    done = record(rec, program("named"))
    equal(done.returncode, 0, done.stderr.decode())
    names = {}
    for n in Recording(rec).names("thread"):
        names[n.id] = n.body.decode()
    equal(sorted(names.values()), ["alive at the en", "by NVTX", "early", "late"], "names of threads")
    must(not any(tid == os.getpid() for tid in names), "the main thread has none")


def case_ring():
    """A ring keeps the last of each process in a file that does not grow, readable to the last range, also when killed."""
    size = 1 << 20
    for threads, ranges, name in ((1, 300000, "one"), (8, 40000, "eight")):
        rec = here(name)
        done = nvtxh("record", "-o", rec, "--ring", "1M", "--", program("load"), str(threads), str(ranges))
        equal(done.returncode, 5, done.stderr.decode())
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
    done = nvtxh("record", "-o", rec, "--ring", "256k", "--", program("counted"), "30000")
    equal(done.returncode, 0, done.stderr.decode())
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
        time.sleep(0.3 + turn * 0.013)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)
        said = process.communicate()[1].decode()
        equal(process.returncode, 137, said)
        rows, said = stats(rec)
        must("damaged" not in said and int(rows["PushPop", "load:work"]["Instances"]) > 5000, said)


def case_linked():
    """A program with the recorder linked in records itself: by calls, by captures, with threads about, and if killed."""
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
        equal(there("first.nvtxh"), {"in the first": 1000, "linked:registered early": 1000, "across the stop": 1}, "first")
        second = there("second.nvtxh")
        must(2000 < second["in the second"] < 50000 and second["in the child"] == 3, second)
        equal(there("last.nvtxh"), {"in the last": 7, "linked:registered early": 7}, "one that was not stopped")
        first = Recording(os.path.join(folder, "first.nvtxh"))
        equal([(c.id, c.body) for c in first.names("category")], [(3, b"a category")], "a name given before")
        must(first.end, "the recording has no end")
        equal(sorted(os.listdir(folder)), ["first.nvtxh", "last.nvtxh", "second.nvtxh"], "files")
        do("turns")
        for i in range(40):
            got = there(f"turn{i}.nvtxh", others=True)
            if i % 3 != 2:
                equal(got["a turn"], 100 + i, f"turn {i}")
            Recording(os.path.join(folder, f"turn{i}.nvtxh"))
        do("captures")
        for i, file in enumerate(("warm.nvtxh", "warm.2.nvtxh")):
            equal(there(file), {"captured": 10 + i, "still": 1, "linked:registered early": 11 + i,
                                "nvtxh.capture:warm": 1, "nvtxh.capture:nested": 1}, file)
        equal(there(".._out_side.nvtxh"), {"beside": 2, "linked:registered early": 2, "nvtxh.capture:../out/side": 1},
              "a name with slashes")
        do("killed", -signal.SIGKILL)
        equal(there("killed.nvtxh"), {"until then": 1000, "linked:registered early": 1000}, "killed")
        # A tool in the environment goes first.
        do("busy", NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE=os.path.join(folder, "tool"))
        equal(there("tool"), {"for the other tool": 3, "linked:registered early": 3}, "the other tool")
        must(not os.path.exists(os.path.join(folder, "none.nvtxh")), "a recording of nothing")


def case_python():
    """A Python program annotated with the package nvtx is recorded: names, domains, colours, categories, payloads, threads."""
    package = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ".cache/pypi/nvtx")
    if run(sys.executable, "-c", "import nvtx", env=dict(os.environ, PYTHONPATH=package)).returncode:
        raise driver.Skip("the package nvtx of PyPI (tests/run.sh fetches it)")
    rec = here("rec")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "annotated.py")
    done = nvtxh("record", "-o", rec, "--", sys.executable, script, env=dict(os.environ, PYTHONPATH=package))
    equal(done.returncode, 0, done.stderr.decode())
    must(" 5 threads, 0 dropped" in done.stderr.decode(), done.stderr.decode())
    equal({k: int(row["Instances"]) for k, row in stats(rec)[0].items()}, {
        ("PushPop", "python:decorated"): 5, ("PushPop", "bare"): 3, ("PushPop", "f\u00fcr alle"): 1,
        ("PushPop", "python:pushed"): 1, ("PushPop", "python:in a thread"): 200, ("StartEnd", "python:started"): 1,
        ("Mark", "python:marked"): 1}, "ranges")
    events = Recording(rec).events()
    one = {e.text: e for e in events if "text" in e}
    equal((one["decorated"].color, one["f\u00fcr alle"].color, one["marked"].color), (0x008000, 0x336699, 0x0000ff),
          "colours, which it gives without alpha")
    equal((one["f\u00fcr alle"].payload, one["marked"].payload), (1.5, 7), "payloads")
    equal(sum(e.payload for e in events if e.get("text") == "in a thread"), 4 * sum(range(50)), "payloads of threads")
    equal([c.body for c in Recording(rec).names("category") if c.id == one["in a thread"].category][-1:], [b"work"], "category")


def case_cpp():
    """A C++ program annotated with nvtx3.hpp is recorded, whatever the version of NVTX."""
    for name in driver.versions("annotated"):
        rec = here(name)
        done = record(rec, program(name))
        equal(done.returncode, 0, done.stderr.decode())
        equal({k: int(row["Instances"]) for k, row in stats(rec)[0].items()}, {
            ("PushPop", "function"): 4, ("PushPop", "cpp:thrown through"): 5, ("PushPop", "in a thread"): 100,
            ("StartEnd", "cpp:wide \u00e9"): 1, ("StartEnd", "cpp:by hand"): 1, ("Mark", "cpp:registered by type"): 1}, name)
        r = Recording(rec)
        mark, = [e for e in r.events() if e.kind == "mark"]
        equal((mark.color, mark.payload, mark.category), (0xff010203, 2.5, 42), "attributes")
        equal([c.body for c in r.names("category") if c.id == 42], [b"a category"], "category")


if __name__ == "__main__":
    sys.exit(driver.main(globals()))
