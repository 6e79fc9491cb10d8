#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder writes, read back by a reader made from FORMAT.md (records.py)."""
import csv
import io
import os
import shutil
import struct
import sys

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, record, run, stats
from records import Recording, Texts, blobs, words

LOSS = {"domains": 3, "payload": 5, "handle": 8, "cuda": 9, "sync": 12, "counter": 13, "schema": 16, "pointer": 17}


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
        # The child has all of it, except the destroyed resource, with the latest names.
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
               "payload", "push", "pop", *["payload", "mark"] * 4, "event", "events"]
              + ["count"] * 6 + ["sample", "count", "samples"], "events")
        value = blobs(events[0].body)
        equal([b[0] for b in value], [outer] + [(1 << 64) - 1] * 3, "blobs")
        equal(len(value[0][2]), 56, "payload")
        address, = words(value[0][2], text_at, 1)
        equal((value[1][1], value[1][2]), (address, b"deep"), "text that was pointed to")
        equal(value[2][2], struct.pack("<3h", 1, -2, 3), "array that was pointed to")
        equal(value[3][1:], (value[2][1] + 2, struct.pack("<h", -2)), "part of it")
        equal(blobs(events[2].body)[1][::2], (75, b"a text with an end"), "text with a terminator")
        equal([len(blobs(events[i].body)) for i in (4, 6, 8, 10, 13, 15, 17, 19)], [1, 4, 1, 5, 3, 1, 1, 3], "blobs of each")
        equal([b[2] for b in blobs(events[19].body)[1:]], [b"first", b"second"], "texts of several in a row")
        equal(events[11].text, "with attributes", "message")
        equal(events[21].body, events[8].body, "deferred event")
        equal(events[22].body, struct.pack("<6Q", outer, 22, 0, 3, 5, 4) + b"abc\0\0\0\0\00045678", "batch")

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


def payloads_of(name):
    """Records a program. Returns what it has printed, and the payloads of its events."""
    rec = here(name)
    done = record(rec, program(name))
    equal(done.returncode, 0, done.stderr.decode())
    text = nvtxh("export", rec, "--to", "csv").stdout.decode()
    return done.stdout, [row["Payload"] for row in csv.DictReader(io.StringIO(text, newline=""))]


def case_lengths():
    """An array behind a pointer has as many elements as its length says, whatever integer that is; a negative length means none."""
    for name in driver.versions("lengths"):
        printed, payloads = payloads_of(name)
        equal([payload.partition("all=")[2].count("0") for payload in payloads], [int(n) for n in printed.split()], name)


def case_padded():
    """Structs of an array are as far apart as in C: texts behind their pointers are found without a size in the schema."""
    for name in driver.versions("padded"):
        equal(payloads_of(name)[1], ['pairs={all=[{text="one", number=1}, {text="two", number=2}, {text="three", number=3}]}'], name)


def case_padding():
    """Where a ring was filled before, bytes between payloads are 0 nevertheless."""
    for name in driver.versions("samples"):
        rec = here(name)
        done = nvtxh("record", "-o", rec, "--ring", "256k", "--", program(name), "10000", "texts")
        equal(done.returncode, 0, done.stderr.decode())
        found = [blobs(e.body) for e in Recording(rec).events() if e.kind == "payload"]
        must(1000 < len(found) < 10000, "payloads in the ring", len(found))
        equal({len(one[0][2]) for one in found}, set(range(23)), "their sizes")


def case_presets():
    """The attributes that pushes have in common are written once, and each push is read back with all of them, also in a ring."""
    ring = "--ring", "256k"
    for options, arguments in ((), ()), (ring, ()), (ring, ("none",)):
        rec = here("rec.nvtxh")
        done = nvtxh("record", "-f", "-o", rec, *options, "--", program("presets"), *arguments)
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
        if options:
            must(1000 < len(got) < len(wanted), "pushes in the ring", len(got))
            wanted = wanted[-len(got):]
        equal(got, wanted, "pushes")
        # In every part of the program, each a thread, some pushes come often enough; here, how many of a thousand.
        for part, least in (enumerate((600, 500, 150, 150, 15, 500, 250, 20, 450, 0, *[250] * 71), 1) if not options else ()):
            pushes = [r.kind for r in r.streams[0][part].records if r.kind in ("push", "push by preset")]
            must(pushes.count("push by preset") * 1000 >= least * len(pushes), f"part {part}", pushes.count("push by preset"))


def case_named():
    """A thread without a name of NVTX gets its name from the system, unless that is the program's name."""
    shutil.copy(program("named"), here("named as no thread can be"))
    for name in program("named"), here("named as no thread can be"):
        rec = here(os.path.basename(name) + ".nvtxh")
        done = record(rec, name)
        equal(done.returncode, 0, done.stderr.decode())
        names = {}
        for n in Recording(rec).names("thread"):
            names[n.id] = n.body.decode()
        equal(sorted(names.values()), ["alive at the en", "by NVTX", "early", "late"], "names of threads")


def case_inherited():
    """A forked child has its parent's domains and categories, not the names of its threads; a category is one domain's."""
    rec = here("rec.nvtxh")
    done = record(rec, program("inherited"))
    equal(done.returncode, 0, done.stderr.decode())
    r = Recording(rec)
    equal([[n.body.decode() for n in r.names("thread", process)] for process in (0, 1)], [["of the parent"], ["of the child"]],
          "names of threads")
    for process in 0, 1:
        equal([(n.domain, n.id, n.body.decode()) for n in r.names("category", process)], [(0, 7, "of the default domain")],
              "categories")
    rows = csv.DictReader(io.StringIO(nvtxh("export", rec, "--to", "csv").stdout.decode(), newline=""))
    equal(sorted((row["Message"], row["Category Name"]) for row in rows),
          [("before it has a name", ""), ("in another domain", ""), ("in another domain", ""),
           ("in the default domain", "of the default domain")], "categories of marks")


def fib_calls(n):
    return 1 if n < 2 else 1 + fib_calls(n - 1) + fib_calls(n - 2)


def case_functions():
    """record --functions: every function of a program that was only compiled with -finstrument-functions, in all its threads and
    processes, also if a shell starts it. doctor finds such programs, in each stripped form, and says what to type."""
    wanted = {("PushPop", "main"): 1, ("PushPop", "fib"): fib_calls(10) + 3 * fib_calls(5) + fib_calls(3),
              ("PushPop", "in_a_thread"): 3, ("PushPop", "in_the_child"): 1}
    name = program("functions")
    for way in ([name], ["sh", "-c", f"{name}; exit $?"]):
        done = nvtxh("record", "-f", "--functions", "-o", here("rec"), "--", *way)
        equal(done.returncode, 55 + 3 * 5 + 2, done.stderr.decode())
        must("5 threads, 2 processes, 0 dropped" in done.stderr.decode(), done.stderr.decode())
        equal({k: int(row["Instances"]) for k, row in stats(here("rec"))[0].items()}, wanted, "functions")
    done = nvtxh("record", "-f", "--functions", "-o", here("rec"), "--", name,
                 env=dict(os.environ, NVTXH_INSTRUMENT="in_*", LD_PRELOAD="libm.so.6"))
    equal({k[1] for k in stats(here("rec"))[0]}, {"in_a_thread", "in_the_child"}, done.stderr.decode())
    done = nvtxh("record", "-f", "-o", here("rec"), "--", name)
    equal(done.returncode, 72, done.stderr.decode())
    must(b"made no NVTX call" in done.stderr and b"nvtxh doctor" in done.stderr, done.stderr.decode())
    shutil.copy(name, here("stripped"))
    run("strip", here("stripped"))
    for path in name, here("stripped"):
        said = nvtxh("doctor", "--", path).stdout.decode()
        must("was compiled with -finstrument-functions" in said and "neither the program" not in said, said)
        must(f"next: nvtxh record --functions -o out.nvtxh -- {path}\n" in said, said)
    must(b"--functions" not in nvtxh("doctor", "--", program("load")).stdout, "a program without")


def case_python():
    """A Python program annotated with the package nvtx is recorded: names, domains, colours, categories, payloads, threads."""
    package = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ".cache/pypi/nvtx")
    if run(sys.executable, "-c", "import nvtx", env=dict(os.environ, PYTHONPATH=package)).returncode:
        driver.skip("the package nvtx of PyPI (tests/run.sh --all fetches it)")
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

def lost(rec):
    return {name: Recording(rec).losses()[at] for name, at in LOSS.items() if Recording(rec).losses()[at]}


def case_refused():
    """Each call that cannot be kept is counted by its kind, once; what is just small enough is kept whole."""
    refused = program(driver.versions("refused")[-1])
    equal(record(here("calls"), refused, "calls").returncode, 0, "calls")
    equal(lost(here("calls")), {"payload": 3, "sync": 2, "counter": 2, "schema": 5, "pointer": 8}, "losses")
    found = Recording(here("calls")).events()
    equal(found[-1].text, "last", "it goes on")
    equal([len(blobs(e.body)) for e in found if e.kind == "payload"], [256, 1, 1 + 64, 1 + 64, 1 + 64], "parts of the payloads")
    equal(record(here("domains"), refused, "domains").returncode, 0, "domains")
    equal(lost(here("domains")), {"domains": 3}, "losses")
    equal([e.domain for e in Recording(here("domains")).events() if e.kind == "mark"], ["1", "65535"], "domains")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
