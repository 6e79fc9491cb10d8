#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder writes, read back by a reader made from FORMAT.md (records.py)."""
import csv
import ctypes
import io
import os
import random
import shutil
import struct
import sys

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, record, run, stats
from records import Recording, Texts, blobs, words

LOSS = {"domains": 3, "payload": 5, "handle": 8, "cuda": 9, "sync": 12, "counter": 13, "schema": 16, "pointer": 17, "deferred": 21}


def case_families():
    """Names of CUDA, runtime and OpenCL objects, resources and synchronization are kept, wide ones as UTF-8."""
    for name in driver.versions("families"):
        rec = here(name)
        record(rec, program(name), status=0)
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
        equal([(e.domain, *struct.unpack("<II", e.body)) for e in r.events() if e.kind == "sync"],
              [("families", lock.id, what) for what in (1, 2, 1, 3, 4)], "synchronization")
        equal((r.losses()[LOSS["handle"]], r.losses()[LOSS["cuda"]]), (1, 1), "losses")
        # The child has all of it, except the destroyed resource, with the latest names.
        inherited = [struct.unpack_from("<QII", n.body)[:2] + (n.body[16:].decode(),) for n in r.names("resource", 1)]
        left = [w for w in wanted if w[2] not in ("a resource", "cuda") or w[:2] != (3, 4 << 16 | 1) and w[2] == "cuda"]
        equal(sorted(inherited), sorted((i, k, "" if "registered:" in t else t) for i, k, t in left), "of the child")
        equal([struct.unpack("<II", e.body) for e in r.events(1)], [(lock.id, 4)], "of the child")
        done = nvtxh("record", "-o", here("without"), "-f", "--domain-exclude", "families", "--", program(name))
        equal((done.returncode, Recording(here("without")).events()), (0, []), "without the domain")


def schema_of(body):
    head = struct.unpack_from("<5QII", body)
    texts = Texts(body, 48 + 40 * head[5])
    name = texts.take(head[6])
    entries = []
    for i in range(head[5]):
        flags, kind, detail, offset, *sizes = struct.unpack_from("<4Q2I", body, 48 + 40 * i)
        entries.append((flags, kind, detail, offset, *(texts.take(size) for size in sizes)))
    equal(texts.at, len(body), "size of a schema")
    return head[0], head[1:5], name, entries


def case_extended():
    """Payloads are kept as bytes with their schemas and what they point to; counters, scopes and batches of samples too. Calls about deferred
    events are counted."""
    for name in driver.versions("extended"):
        rec = here(name)
        done = record(rec, program(name), status=0)
        must(b"nvtxh: not recorded: 8 calls about deferred events (nvtxEventSubmit)\n" in done.stderr, done.stderr)
        text_at, outer = map(int, done.stdout.split())
        r = Recording(rec)
        first = 1 << 32
        scope, = r.names("scope")
        equal((words(scope.body, 0, 2), scope.body[16:]), ((first, 1), b"rack[3]/node"), "scope")
        enum, = r.names("enum")
        equal(struct.unpack_from("<Q4I", enum.body), ((1 << 24) + 5, 1, 2, 5, 0), "enum")
        equal(struct.unpack_from("<QIIQII", enum.body, 24), (1, 0, 3, 2, 0, 5), "enum's entries")
        equal(enum.body[56:], b"colorredgreen", "enum's texts")
        inner, whole = (schema_of(s.body) for s in r.names("schema"))
        equal(inner, (first + 1, (1, 0, 0, 0), b"", [(0, 15, 0, 0, b"count", b""),
                                                   (1 << 8 | 1 << 1 | 3 << 4, 13, 0, 0, b"", b"")]), "schema")
        equal(whole, (outer, (1, 0, 56, 0), b"outer", [
            (0, (1 << 24) + 5, 0, 0, b"color", b""), (1 << 8 | 1 << 10, 75, 0, 0, b"", b""),
            (1 << 4, first + 1, 2, 0, b"", b""), (0, 75, 6, 0, b"", b"")]), "schema")

        events = [e for e in r.events() if e.kind != "text"]
        must(all(e.domain == "extended" for e in events), "domains")
        equal([e.kind for e in events],
              ["payload", "mark", "payload", "push", "payload", "pop", "payload", "start", "payload", "end",
               "payload", "push", "pop", *["payload", "mark"] * 4]
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

        memory, same, load = r.names("counter")
        equal(struct.unpack_from("<3Q2I", memory.body), (outer + 1, 17, first, 6, 5), "counter")
        equal(memory.body[32:], b"memorybytes", "counter's texts")
        equal((words(same.body, 0, 1)[0], same.body[8:]), (outer + 2, memory.body[8:]), "another one like it")
        equal(struct.unpack_from("<3Q2I", load.body), ((1 << 24) + 1, 20, first, 4, 0), "counter")
        counts = [(e.counter, e.value) for e in events if e.kind == "count"]
        equal(counts, [(outer + 1, 0), ((1 << 24) + 1, 0.5), (outer + 1, -1), ((1 << 24) + 1, 1.5), (outer + 1, -2),
                       ((1 << 24) + 1, 2.5), (outer + 1, 2)], "samples")
        equal([e.payload_type for e in events if e.kind == "count"], [2, 3, 2, 3, 2, 3, 0], "their types")
        equal(events[-3].body, struct.pack("<Qqq", outer + 1, 7, 8), "sample of a group")
        equal(events[-1].body, struct.pack("<Q2q", outer + 1, 7, 8), "batch of samples")
        equal(lost(rec), {"deferred": 8}, "losses")
        for kind in ("scope", "enum", "schema", "counter"):
            equal(sorted(n.body for n in r.names(kind, 1)), sorted(n.body for n in r.names(kind)), f"{kind} of a child")
        equal([(e.counter, e.value) for e in r.events(1)], [((1 << 24) + 1, 1)], "of the child")


def case_padding():
    """Where a ring was filled before, bytes between payloads are 0 nevertheless."""
    for name in driver.versions("samples"):
        rec = here(name)
        nvtxh("record", "-o", rec, "--ring", "256k", "--", program(name), "10000", "texts", status=0)
        found = [blobs(e.body) for e in Recording(rec).events() if e.kind == "payload"]
        must(1000 < len(found) < 10000, "payloads in the ring", len(found))
        equal({len(one[0][2]) for one in found}, set(range(23)), "their sizes")


def case_presets():
    """The attributes that pushes have in common are written once, and each push is read back with all of them, also in a ring."""
    ring = "--ring", "256k"
    for options, arguments in ((), ()), (ring, ()), (ring, ("none",)):
        rec = here("rec.nvtxh")
        done = nvtxh("record", "-f", "-o", rec, *options, "--", program("presets"), *arguments, status=0)
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
        record(rec, name, status=0)
        names = {}
        for n in Recording(rec).names("thread"):
            names[n.id] = n.body.decode()
        equal(sorted(names.values()), ["alive at the en", "by NVTX", "early", "late"], "names of threads")


def case_inherited():
    """A forked child has its parent's domains and the last names of its categories, not the names of its threads; a category is one domain's."""
    rec = here("rec.nvtxh")
    nvtxh("record", "-o", rec, "--domain-exclude", "left out", "--", program("inherited"), status=0)
    r = Recording(rec)
    equal([[n.body.decode() for n in r.names("thread", process)] for process in (0, 1)], [["of the parent"], ["of the child"]],
          "names of threads")
    for process in 0, 1:
        equal([(n.domain, n.id, n.body.decode()) for n in r.names("category", process)],
              [(0, 7, "for now"), (0, 7, "of the default domain")][process:], "categories")
    rows = csv.DictReader(io.StringIO(nvtxh("export", rec, "--format", "csv").stdout.decode(), newline=""))
    equal(sorted((row["Message"], row["Category Name"]) for row in rows),
          [("before it has a name", ""), ("in another domain", ""), ("in another domain", ""),
           ("in the default domain", "of the default domain")], "categories of marks")


KINDS = {"c": "category", "t": "thread", "s": "registered", "r": "resource", "d": "resource gone"}


def definitions(chance):
    """(lines for defined.c; what the process writes, in order; what each child begins with): (kind, domain, number, body)"""
    lines, written, children, there, resources, strings = [], [], [], {}, [], 0
    for _ in range(600):
        what, domain, number, letter = chance.choice("ccccccttsrdf"), chance.randrange(3), chance.randrange(6), chance.choice("abc")
        size = chance.choice((0, 1, chance.randrange(40), chance.randrange(300), chance.randrange(8000)))
        body, is_new = letter.encode() * size, True
        if what == "f":
            if len(children) == 10:
                continue
            children.append([(*key, body) for key, body in there.items() if key[0] != "thread"])
        elif what == "d":
            left = [key for key in there if key[0] == "resource"]
            if not left:
                continue
            _, domain, number = chance.choice(left)
            del there["resource", domain, number]
            written.append(("resource gone", domain, number, b""))
        elif what == "s":
            is_new = all(key[:2] != ("registered", domain) or body != of for key, of in there.items())
            strings += is_new
            key = "registered", domain, strings
        elif what == "r":
            number = len(resources) + 1
            resources.append(number)
            body, key = struct.pack("<QII", number, 1 << 16 | 2, 0) + body, ("resource", domain, number)
        else:
            domain, number = (0, number + (1 << 25)) if what == "t" else (domain, number)  # no thread has this one
            key = KINDS[what], domain, number
            is_new = there.get(key) != body
        lines.append(f"{what} {domain} {number} {size} {letter}")
        if what not in "fd" and is_new:
            there[key] = body
            written.append((*key, body))
    return lines, written, children


def case_definitions():
    """Names of all kinds and lengths, given again and again, are written when they change; a child begins with the last ones. Their memory is used again."""
    for seed in range(6):
        lines, written, children = definitions(random.Random(seed))
        record(here(str(seed)), program("defined"), input="\n".join(lines).encode() + b"\n", status=0)
        r = Recording(here(str(seed)))
        of = {process: [(one.kind, one.domain, one.id, one.body) for one in its[0].records if one.kind in KINDS.values()] for process, its in r.streams.items()}
        equal(of.pop(0), written, f"seed {seed}")
        equal([sorted(its) for _, its in sorted(of.items())], [sorted(child) for child in children], f"seed {seed}: children")
    done = record(here("rec"), program("defined"), input=b"m 1 7 20 a\nm 0 7 700 a\nf 0 0 0 a\n")
    must(all(int(kb) < 400 for kb in done.stdout.split()) and len(done.stdout.split()) == 2, "kB more", done.stdout)
    r = Recording(here("rec"))
    equal([sorted((c.domain, c.body) for c in r.names("category", process)[-2:]) for process in (0, 1)][1], [(0, b"a" * 700), (1, b"a" * 20)], "the last names")


def fib_calls(n):
    return 1 if n < 2 else 1 + fib_calls(n - 1) + fib_calls(n - 2)


def case_functions():
    """record --functions: every function of a program that was only compiled with -finstrument-functions, in all its threads and
    processes, also if a shell starts it. doctor finds such programs, in each stripped form, and says what to type. Where nvtxh cannot be
    preloaded, because of blanks in its path, nothing is run."""
    os.mkdir(here("a b"))
    for file in driver.args.nvtxh, driver.args.library, os.path.join(os.path.dirname(driver.args.library), "libnvtxh-functions.so"):
        shutil.copy(file, here("a b"))
    done = run(here("a b/nvtxh"), "record", "--functions", "-o", here("none"), "--", "touch", here("ran"))
    must(b"a b/libnvtxh-record.so cannot be preloaded, because its path has a blank" in done.stderr, done.stderr)
    equal((done.returncode, os.path.exists(here("ran")), os.path.exists(here("none"))), (1, False, False), "nothing is run")
    if " " in os.path.realpath(driver.args.nvtxh):
        driver.skip("this build cannot be preloaded, because its path has blanks")
    wanted = {("PushPop", "main"): 1, ("PushPop", "fib"): fib_calls(10) + 3 * fib_calls(5) + fib_calls(3),
              ("PushPop", "in_a_thread"): 3, ("PushPop", "in_the_child"): 1}
    name = program("functions")
    for way in ([name], ["sh", "-c", f"{name}; exit $?"]):
        done = nvtxh("record", "-f", "--functions", "-o", here("rec"), "--", *way, status=55 + 3 * 5 + 2)
        must("5 threads, 2 processes, 0 dropped" in done.stderr.decode(), done.stderr.decode())
        equal({k: int(row["Instances"]) for k, row in stats(here("rec"))[0].items()}, wanted, "functions")
    done = nvtxh("record", "-f", "--functions", "-o", here("rec"), "--", name,
                 env=dict(os.environ, NVTXH_INSTRUMENT="in_*", LD_PRELOAD="libm.so.6"))
    equal({k[1] for k in stats(here("rec"))[0]}, {"in_a_thread", "in_the_child"}, done.stderr.decode())
    done = nvtxh("record", "-f", "-o", here("rec"), "--", name, status=72)
    must(b"made no NVTX call" in done.stderr and b"nvtxh doctor" in done.stderr, done.stderr.decode())
    shutil.copy(name, here("stripped"))
    run("strip", here("stripped"))
    for path in name, here("stripped"):
        said = nvtxh("doctor", "--", path).stdout.decode()
        must("was compiled with -finstrument-functions" in said and "neither the program" not in said, said)
        must(f"next: nvtxh record --functions -o out.nvtxh -- {path}\n" in said and "has no NVTX" not in said, said)
    must(b"--functions" not in nvtxh("doctor", "--", program("load")).stdout, "a program without")


def case_python():
    """A Python program annotated with the package nvtx is recorded: names, domains, colours, categories, payloads, threads."""
    package = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))), ".cache/pypi/nvtx")
    if run(sys.executable, "-c", "import nvtx", env=dict(os.environ, PYTHONPATH=package)).returncode:
        driver.skip("the package nvtx of PyPI (tests/run.sh --all fetches it)")
    rec = here("rec")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "annotated.py")
    done = nvtxh("record", "-o", rec, "--", sys.executable, script, env=dict(os.environ, PYTHONPATH=package), status=0)
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
        record(rec, program(name), status=0)
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
    equal(lost(here("calls")), {"payload": 2, "sync": 2, "counter": 2, "schema": 4, "pointer": 9, "handle": 7}, "losses")
    found = Recording(here("calls")).events()
    equal(found[-1].text, "last", "it goes on")
    equal([len(blobs(e.body)) for e in found if e.kind == "payload"], [256, 1, 1 + 64, 1 + 64, 1 + 64, 1], "parts of the payloads")
    equal(record(here("domains"), refused, "domains").returncode, 0, "domains")
    equal(lost(here("domains")), {"domains": 3}, "losses")
    equal([e.domain for e in Recording(here("domains")).events() if e.kind == "mark"], ["1", "65535"], "domains")


POINTER, FIXED, LENGTH, ZERO, DEEP = 2, 1 << 4, 3 << 4, 2 << 4, 1 << 8  # flags of an entry
WHOLE = {11: ctypes.c_int8, 12: ctypes.c_uint8, 13: ctypes.c_int16, 14: ctypes.c_uint16, 15: ctypes.c_int32, 16: ctypes.c_uint32, 17: ctypes.c_int64,
         18: ctypes.c_uint64}
OTHERS = {19: ctypes.c_float, 20: ctypes.c_double, **WHOLE}
TEXTS = {75: 1, 76: 1, 77: 2, 78: 4}  # bytes per character


class Schemas:
    """Draws schemas and values of them; ctypes lays the structs out. `script` is the input of schemas.c, `wanted` what the recording must have."""

    def __init__(self, chance):
        self.chance, self.script, self.made, self.blocks, self.wanted, self.said = chance, [], [], 0, [], {}

    def block(self, content):
        self.script.append("m " + str(len(content) or 1) + " " + bytes(content).hex())
        self.blocks += 1
        return self.blocks - 1

    def number_of(self, domain):
        """A number that another schema may have in another domain, or none: the tool chooses one."""
        free = [n for n in range(1 << 24, (1 << 24) + 400) if (domain, n) not in self.made]
        number = self.chance.choice(free[:3]) if self.chance.random() < 0.4 else 0
        self.made.append((domain, number))
        return number

    def data(self, size):
        """Bytes, some of which are 0."""
        return bytes(self.chance.choice((0, 1, self.chance.randrange(256))) for _ in range(size))

    def until_zero(self, unit):
        """Elements none of which is 0, then one that is, then more."""
        some = [self.data(unit) for _ in range(self.chance.randrange(6))]
        some = b"".join(one for one in some if any(one))
        return some, some + bytes(unit) + self.data(2 * unit)

    def entry(self, inner, ints):
        """(flags, type, detail, ctypes' type, what is to be at its address: makes (what is copied, the block's content), or None)"""
        chance = self.chance
        kind, c = chance.choice([*OTHERS.items()])
        what, many = chance.choice(("plain", "plain", "fixed", "text", "schema", "schema", "pointer", "one", "array", "zero", "length", "length", "varying", "deeptext", "deepsize")), chance.randrange(1, 5)
        if what in ("schema", "pointer", "one", "array") and inner and chance.random() < 0.7:
            kind, c = chance.choice(inner)
        size = ctypes.sizeof(c)
        if what == "fixed" or (what == "schema" and many > 1):
            return FIXED, kind, many, c * many, None
        if what == "text":
            kind = chance.choice([*TEXTS])
            return 0, kind, many, (c := {1: ctypes.c_char, 2: ctypes.c_uint16, 4: ctypes.c_uint32}[TEXTS[kind]]) * many, None
        if what == "pointer":
            return POINTER, kind, 0, ctypes.c_void_p, None
        if what in ("one", "array"):
            return POINTER | DEEP | (FIXED if what == "array" else 0), kind, many if what == "array" else 0, ctypes.c_void_p, \
                lambda _: (one := self.data(size * (many if what == "array" else 1)), one + b"more")
        if what == "zero":
            return POINTER | DEEP | ZERO, kind, 0, ctypes.c_void_p, lambda _: self.until_zero(size)
        if what == "length" and ints:
            index = chance.choice(ints)
            return POINTER | DEEP | LENGTH, kind, index, ctypes.c_void_p, lambda lengths: (one := self.data(size * max(0, lengths[index])), one + b"more")
        if what == "varying" and ints:
            kind, c = chance.choice([*WHOLE.items()])
            return LENGTH, kind, chance.choice(ints), c * many, None
        if what in ("deeptext", "deepsize"):
            kind = chance.choice([*TEXTS])
            unit, flags = TEXTS[kind], chance.choice((POINTER | DEEP, DEEP))
            if what == "deeptext":
                return flags, kind, 0, ctypes.c_void_p, lambda _: self.until_zero(unit)
            return flags, kind, many, ctypes.c_void_p, lambda _: (one := self.data(unit * many), one)
        return 0, kind, 0, c, None

    def schema(self, domain, inner):
        """Tells of a struct. Returns (its place as a type, the struct of ctypes)."""
        script, made = self.struct(inner)
        while len(self.pointers(made, made(), 0)) > 20:  # few enough for three of them in a payload
            script, made = self.struct(inner)
        said = [b"", *(self.semantics() for _ in range(self.chance.choice((0, 0, 0, 1, 2, 3))))]
        self.script.append(f"s {domain} {self.number_of(domain)} {script}")
        self.said[self.script[-1]] = [unit for unit in said if unit is not None][-1]
        return -len(self.made), made

    def semantics(self):
        """Tells of semantics of any size: a scope, a clock, a correlation, a counter, or unknown ones. Returns the unit, if it is a counter's."""
        semantic, fields, text = self.chance.randrange(1, 7), self.data(self.chance.choice((0, 8, 24, 31, 32, 55, 56, 72))), self.chance.random() < 0.7
        is_unit = semantic == 5 and len(fields) >= 56
        if is_unit:
            fields = fields[:8] + bytes(8) + fields[16:]
        self.script.append(f"t {semantic} {len(self.made)} {8 if is_unit and text else -1} {len(fields)} {fields.hex()}")
        return (b"some text" if text else b"") if is_unit else None

    def struct(self, inner):
        chance, fields, entries, ints, makes = self.chance, [], [], [], {}
        pack, static, varies = chance.choice((0, 0, 1, 2, 4)), chance.random() < 0.3, False
        for i in range(chance.randrange(1, 8)):
            flags, kind, detail, c, make = self.entry(inner, ints)
            gap = chance.randrange(1, 20) if fields and chance.random() < 0.15 else 0
            fields += ([(f"gap{i}", ctypes.c_char * gap)] if gap else []) + [(f"f{i}", c)]
            entries.append([flags, kind, detail, gap])
            if flags == LENGTH and not static:
                varies = True
            if not flags and kind in WHOLE:
                ints.append(i)
            makes[i] = make
            if flags == LENGTH:
                break  # what follows has no place that the schema says
        if static:
            fields.append(("rest", ctypes.c_char * chance.randrange(1, 9)))
        made = type("Drawn", (ctypes.Structure,), {"_pack_": pack, "_fields_": fields} if pack else {"_fields_": fields})
        order = list(range(len(entries)))
        if chance.random() < 0.4:  # in another order, with all offsets
            order[1:] = chance.sample(order[1:], len(order) - 1)
            later = any(flags & LENGTH == LENGTH and order.index(detail) > order.index(i) for i, (flags, _, detail, _) in enumerate(entries))
            order = sorted(order) if later else order
        made.varies, made.order, made.makes, made.entries, made.ints = varies, order, makes, entries, {i: f"f{i}" for i in ints}
        for i, entry in enumerate(entries):
            entry[3] = getattr(made, f"f{i}").offset if entry[3] or order != sorted(order) else 0
        return " ".join(map(str, [1, ctypes.sizeof(made) if static else 0, pack, len(entries), *(
            n for i in order for flags, kind, detail, offset in [entries[i]]
            for n in (flags, kind, order.index(detail) if flags & LENGTH == LENGTH else detail, offset))])), made

    def other(self, domain):
        """Tells of an enum or a union."""
        if self.chance.random() < 0.5:
            c = self.chance.choice((ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64))
            number = self.number_of(domain) or (1 << 24) + 1000 + len(self.made)
            self.script.append(f"e {domain} {number} {ctypes.sizeof(c)}")
            return -len(self.made), c
        members, pack = self.chance.choices([*OTHERS, 75], k=self.chance.randrange(1, 4)), self.chance.choice((0, 0, 1, 2, 4))
        fields = {"_fields_": [(f"f{i}", OTHERS.get(kind, ctypes.c_void_p)) for i, kind in enumerate(members)]}
        c = type("Union", (ctypes.Union,), {"_pack_": pack, **fields} if pack else fields)
        entries = " ".join(f"{DEEP if kind == 75 else 0} {kind} 0 0" for kind in members)
        self.script.append(f"s {domain} {self.number_of(domain)} 3 {self.chance.choice((0, ctypes.sizeof(c)))} {pack} {len(members)} {entries}")
        return -len(self.made), c

    def pointers(self, c, value, base):
        """Fills a value; [(offset, offset and size of its length or None, make of what it points to)] in the order of the schema."""
        found, lengths = [], {}
        for i, name in getattr(c, "ints", {}).items():
            lengths[i] = self.chance.choice((-1, 0, 1, 2, 5)) if dict(c._fields_)[name](-1).value < 0 else self.chance.choice((0, 1, 2, 5, 200))
            setattr(value, name, lengths[i])
        for i in getattr(c, "order", ()):
            make = c.makes[i]
            field, its = getattr(c, f"f{i}"), dict(c._fields_)[f"f{i}"]
            if make:
                flags, _, detail, _ = c.entries[i]
                counts = getattr(c, f"f{detail}") if flags & LENGTH == LENGTH else None
                length = base + counts.offset + counts.size if counts else 0
                found.append((base + field.offset, length, make(lengths)))
            elif issubclass(its, ctypes.Union):
                ctypes.memset(ctypes.addressof(value) + field.offset, 7, ctypes.sizeof(its))  # no pointer to anything
            elif issubclass(its, ctypes.Structure):
                found += self.pointers(its, getattr(value, f"f{i}"), base + field.offset)
            elif issubclass(its, ctypes.Array) and issubclass(its._type_, ctypes.Structure):
                for k, one in enumerate(getattr(value, f"f{i}")):
                    found += self.pointers(its._type_, one, base + field.offset + k * ctypes.sizeof(its._type_))
        return found

    def send(self, domain, kind, c):
        many = 1 if c.varies else self.chance.randrange(1, 4)
        values = (c * many)()
        found = [one for k in range(many) for one in self.pointers(c, values[k], k * ctypes.sizeof(c))]
        size = self.chance.randrange(1, ctypes.sizeof(values) + 1) if self.chance.random() < 0.2 else ctypes.sizeof(values)
        block, copies = self.block(bytes(values)[:size] + bytes(ctypes.sizeof(values) - size)), []
        for at, length, (copied, content) in found:
            if self.chance.random() < 0.15:
                continue  # NULL
            target = self.block(content)
            self.script.append(f"p {block} {at} {target}")
            if at + 8 <= size and length <= size:
                copies.append((target, copied))
        self.script.append(f"v {domain} {kind} {block} {size}")
        self.wanted.append((block, copies))


def case_schemas():
    """What the pointers of drawn structs lead to is copied: in nested ones, arrays, packed ones, unions; in a part of a struct, and in several."""
    for seed, name in enumerate(driver.versions("schemas") * 8):
        drawn = Schemas(random.Random(seed))
        for _ in range(40):
            domain, inner = drawn.chance.randrange(2), []
            for _ in range(drawn.chance.randrange(3)):
                inner.append(drawn.other(domain) if drawn.chance.random() < 0.4 else drawn.schema(domain, inner))
                inner = [one for one in inner if not getattr(one[1], "varies", False)]
            for _ in range(2):
                drawn.send(domain, *drawn.schema(domain, inner))
        # The second time that a schema is registered, nothing new is.
        script = drawn.script + [line for line in drawn.script if line[0] in "set"]
        rec = here(f"{name}-{seed}")
        done = record(rec, program(name), input="\n".join(script).encode() + b"\n")
        equal((done.returncode, lost(rec)), (0, {}), done.stderr.decode())
        numbers = {letters: [int(n) for n, line in zip(done.stdout.split(), [one for one in script if one[0] in "sem"]) if line[0] in letters]
                   for letters in ("m", "se")}
        address, ids, r = numbers["m"], numbers["se"], Recording(rec)
        equal(ids[:len(ids) // 2], ids[len(ids) // 2:], "numbers")
        wanted = []
        for number, line in zip(ids, [line for line in drawn.script if line[0] in "se"]):
            if line[0] == "s":
                domain, _, kind, static, pack, _, *entries = map(int, line[1:].split())
                entries = [(flags, of if of >= 0 else ids[-of - 1], *more, b"", b"") for flags, of, *more in zip(*[iter(entries)] * 4)]
                entries[0] = *entries[0][:-1], drawn.said.get(line, b"")
                one = domain + 1, number, (kind, 0, static, pack), b"", entries
                wanted += [one] * (one not in wanted)  # two may be alike
        equal([(one.domain, *schema_of(one.body)) for one in r.names("schema")], wanted, "schemas")
        got = [blobs(e.body) for e in r.events() if e.kind == "payload"]
        equal(len(got), len(drawn.wanted), "payloads")
        for i, (one, (_, copies)) in enumerate(zip(got, drawn.wanted)):
            equal([(at, content) for _, at, content in one[1:]], [(address[target], content) for target, content in copies], f"seed {seed}, payload {i}")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
