#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Cases in which the injected library must refuse, or give back what it took."""
import csv
import io
import os
import re
import resource
import shutil
import struct

from harness import driver
from harness.draws import DRAWS
from harness.driver import equal, here, must, program, record, run, stats
from records import Recording


def injected(command, **options):
    """Runs it with the library in the environment and nothing else of ours."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("NVTXH_")}
    variables.update(options.pop("variables", {}), NVTX_INJECTION64_PATH=driver.args.library)
    return run(*command, env=variables, **options)


def case_static():
    """For a statically linked program nvtxh says that it cannot be recorded; the program runs with the same output."""
    if not os.path.exists(program("static")):
        driver.skip("no static C library")
    rec = here("rec.nvtxh")
    for done in (injected([program("static"), "2", "1000"], cwd=driver.directory), record(rec, program("static"), "2", "1000")):
        equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
        said = done.stderr.decode().splitlines()
        must(len(said) == 1 and "statically linked" in said[0] and "unrecorded" in said[0], said)
    said = driver.nvtxh("stats", rec).stderr.decode()
    must("statically linked" in said and "no NVTX call" not in said and len(said.splitlines()) == 1, said)
    equal(driver.nvtxh("merge", "-o", here("merged"), rec).returncode, 0, "merge")
    must("statically linked" in driver.nvtxh("stats", here("merged")).stderr.decode(), "after a merge")
    os.unlink(here("merged"))
    # If another program is recorded beside it, that one has no losses.
    done = record(here("both.nvtxh"), "sh", "-c", f"{program('static')} 1 10; exec {program('load')} 1 1000")
    must(b"2000 events, 1 thread, 0 dropped" in done.stderr and b"statically linked" in done.stderr, done.stderr)
    os.unlink(here("both.nvtxh"))
    equal(os.listdir(driver.directory), ["rec.nvtxh"], "files")
    # With the loader before it on the command line, it is the same program.
    loader = "/lib64/ld-linux-x86-64.so.2"
    if os.path.exists(loader):
        done = injected([loader, program("load"), "1", "1000"], variables={"NVTXH_RECORD_FILE": here("loader")})
        equal((done.returncode, done.stdout, done.stderr), (5, b"finished\n", b""), "by the loader")
        equal(driver.instances(here("loader")), {("PushPop", "load:work"): 1000}, "ranges")


def case_no_directory():
    """Where the working directory is gone, the line about it says so, with a name."""
    for variables, name in (({}, b"(load in the working directory)"),
                            ({"NVTXH_RECORD_FILE": "own"}, b"(own in the working directory)")):
        os.mkdir(here("gone"))
        done = injected(["sh", "-c", 'rmdir "$1"; exec "$2" 1 1000', "sh", here("gone"), program("load")],
                        cwd=here("gone"), variables=variables)
        equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr)
        must(name in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)


def case_ring_room():
    """Until a ring is full, it takes only as much of the disk as was written; on a full disk, it does not grow."""
    rec = here("rec.nvtxh")
    driver.nvtxh("record", "-o", rec, "--ring", "64M", "--", program("family"), status=0)
    must(os.stat(rec).st_blocks * 512 < 8 << 20, "blocks of small processes", os.stat(rec).st_blocks)
    equal(driver.instances(rec)["PushPop", "in the child"], 3, "ranges of the children")
    script = ('mount -t tmpfs -o size=3m tmpfs "$1"; head -c 2000k /dev/zero > "$1/other"; "$2" record -o "$1/rec" --ring "$3" '
              '-- sh -c "$4"; echo status $?; "$2" stats --csv "$1/rec"')
    os.mkdir(here("disk"))
    one = f"{program('load')} 2 500000"
    for size, command in (("2M", one), ("700k", f"{one} & {one}; wait")):
        done = run("unshare", "-m", *([] if os.geteuid() == 0 else ["-Ur"]), "sh", "-c", script, "sh", here("disk"),
                   driver.args.nvtxh, size, command)
        if b"status" not in done.stdout or b"mount" in done.stderr:
            driver.skip("cannot mount a small disk")
        equal(done.stdout.count(b"finished"), command.count("load"), f"{size}: {done.stderr}")
        must(b"damaged" not in done.stderr, size, done.stderr)
        must(size == "700k" or b"No space left" in done.stderr, done.stderr)
        must(size == "2M" or b"load:work" in done.stdout, done.stdout)



def case_given_back():
    """Reserved space that could not be allocated is given back: the file is never shorter than its header says."""
    for kib in list(range(64, 1024, 112)) + list(range(1024, 9000, 1000)):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (kib << 10, kib << 10))
        rec = here(f"{kib}.nvtxh")
        record(rec, program("load"), "1", "30000", preexec_fn=limit, status=5)
        with open(rec, "rb") as f:
            next_offset, = struct.unpack_from("<Q", f.read(96), 88)
        must(next_offset <= os.path.getsize(rec), f"limit {kib}k: {next_offset} of {os.path.getsize(rec)} bytes")
        must("missing" not in stats(rec)[1], stats(rec)[1])


def case_ring_threads():
    """More threads than a ring has parts: one line says so, what is dropped is counted, what there is can be read."""
    rec = here("rec.nvtxh")
    done = driver.nvtxh("record", "-o", rec, "--ring", "256k", "--", program("alive"), "60", status=0)
    said = [line for line in done.stderr.decode().splitlines() if "more threads record than the ring has parts" in line]
    equal(len(said), 1, done.stderr.decode())
    rows, about = stats(rec)
    kept = int(rows["PushPop", "work"]["Instances"])
    must(0 < kept < 60 and "damaged" not in about, kept, about)
    must(f"{2 * (60 - kept)} events were dropped" in about, kept, about)
    done = driver.nvtxh("record", "-f", "-o", rec, "--ring", "1200k", "--", program("alive"), "60")
    must(" 0 dropped" in done.stderr.decode() and b"more threads" not in done.stderr, done.stderr)


def case_ring_disk():
    """While a ring is filled for the first time, the disk becomes full: the parts there are go on, and what finds none is counted."""
    for kept, threads, busy in (1, 12, 0), (5, 40, 3), (9, 9, 30):  # streams with a part; the main thread is one if it is busy
        rec = here(f"{kept}.nvtxh")
        done = injected([program("alive"), str(threads), str(busy)], variables={
            "LD_PRELOAD": program("faults.so"), "FAULT_OF": "posix_fallocate", "FAULT_AT": str(3 + kept), "FAULT_ON": "1", "FAULT_REACHED": here("reached"),
            "NVTXH_RECORD_FILE": rec, "NVTXH_RECORD_RING": "4M", "ANY_ANSWER": "1"})
        equal(done.returncode, 0, done.stderr.decode())
        said = done.stderr.decode().splitlines()
        must(len(said) == 1 and "the file cannot grow to give each thread a part of the ring" in said[0], said)
        rows, about = stats(rec)
        equal({text: int(row["Instances"]) for (_, text), row in rows.items()}, {"work": kept}, about)
        must(f"{2 * (threads - kept) + 2 * busy} events were dropped" in about and "stopped" not in about and "damaged" not in about, about)


def crowd(rec, *arguments):
    """Runs the program alone and recorded. Returns its numbers of both runs, and the last line of nvtxh."""
    alone, recorded = run(program("crowd"), *arguments), record(rec, program("crowd"), *arguments)
    if alone.returncode:
        driver.skip(f"alone, the program fails: {alone.stdout.decode()}{alone.stderr.decode()}")
    equal(recorded.returncode, 0, f"{recorded.stdout.decode()}{recorded.stderr.decode()}")
    (said, *before), (same, *now) = alone.stdout.splitlines(), recorded.stdout.splitlines()
    equal(same, said, "output")
    return [int(n) for n in before], [int(n) for n in now], recorded.stderr.decode().splitlines()[-1]


def case_crowd():
    """20,000 threads, which alone have 40,000 of the 65,530 mappings of a process, are all recorded, with few mappings more."""
    alone, recorded, said = crowd(here("rec.nvtxh"), "20000")
    must(f"{1 + 3 * 22100} events" in said and " 0 dropped" in said, said)
    # Some 1,000 more, and on a busy machine up to 7,000. With one more for each thread events would be lost.
    must(recorded[0] < alone[0] + 20000 // 2 and recorded[1] < alone[1] + 16, f"{alone} mappings alone, {recorded} recorded")
    rows, said = stats(here("rec.nvtxh"))
    equal({text: int(row["Instances"]) for (_, text), row in rows.items()},
          {"work": 20000, "in the child": 100, "after": 2000, "open": 22100, "begins": 1}, "ranges")
    said = said.splitlines()
    equal(said[0], "nvtxh: 22100 ranges had no end, so they end with their process: open", "what stats says")
    must(len(said) == 2 and said[1].startswith("nvtxh: 22100 of these end before that: where the thread ended, "), said)


def case_crowd_mappings():
    """A program that needs nearly all of its mappings gets them; events are lost meanwhile, and reports say how many and why."""
    with open("/proc/sys/vm/max_map_count") as f:
        if int(f.read()) > 1 << 18:
            driver.skip("a process can have too many mappings here")
    rec = here("rec.nvtxh")
    _, _, said = crowd(rec, "500", "1250")
    events, dropped = (int(re.search(rf"(\d+) {what}", said)[1]) for what in ("events", "dropped"))
    equal(events + dropped, 1 + 3 * 500 + 2 * 20000 + 3 * 100, said)
    counts, said = driver.instances(rec), stats(rec)[1]
    must(counts["PushPop", "work"] < 500 and counts["PushPop", "busy"] < 20000, counts)
    equal(counts["PushPop", "after"], 100, "ranges after there were mappings again")
    must(f"{dropped} of the dropped events found no memory" in said and "max_map_count" in said, said)
    must("damaged" not in said and "stopped" not in said, said)


def case_ring_idle():
    """Each idle thread keeps one chunk of a ring; the busy threads share all the others."""
    rec = here("rec.nvtxh")
    done = driver.nvtxh("record", "-o", rec, "--ring", "4M", "--", program("alive"), "200", "200000")
    must(b" 0 dropped" in done.stderr, done.stderr)
    must(os.path.getsize(rec) < (4 << 20) + (1 << 17), os.path.getsize(rec))
    rows, said = stats(rec)
    equal(int(rows["PushPop", "work"]["Instances"]), 200, "ranges of the others")
    parts = (4 << 20) // 16384 - 200
    must("damaged" not in said and int(rows["PushPop", "busy"]["Instances"]) * 16 > (parts - 1) * 16000, rows, said)


def case_many_names():
    """A registered string or a name costs as many instructions after 30,000 others as it does after 10,000."""
    if not shutil.which("valgrind"):
        driver.skip("no valgrind")
    library, names = here("recorder.so"), here("names")
    for source, copy in (driver.args.library, library), (program("names"), names):
        run("objcopy", "--strip-debug", source, copy) # valgrind cannot read what every compiler writes there
    def instructions(count):
        done = run("valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", names, str(count),
                   env=dict(os.environ, NVTX_INJECTION64_PATH=library, NVTXH_RECORD_FILE=here(f"{count}.nvtxh")), status=0)
        return int(re.search(rb"Collected : (\d+)", done.stderr)[1])
    none, some, more = (instructions(count) for count in (0, 10000, 30000))
    must((more - some) / 20000 < (some - none) / 10000 * 1.2, none, some, more)


def case_no_thread():
    """A program may unshare its user namespace after many events: no thread of the recorder's is in the way."""
    apart = [(name, []) for name in ("unshared-apart",) if os.path.exists(program(name))]
    for name, options in ("unshared", []), ("unshared-directly", ["--no-thread"]), *apart:
        plain = run(program(name))
        rec = here(f"{name}.nvtxh")
        done = driver.nvtxh("record", "-o", rec, *options, "--", program(name))
        equal((done.returncode, done.stdout), (plain.returncode, plain.stdout), name)
        counts = driver.instances(rec)
        equal((counts["PushPop", "before"], counts["Mark", "after"]), (200000, 1), name)
    done = injected([program("unshared-directly")], variables={"NVTXH_RECORD_FILE": here("rec"), "NVTXH_RECORD_THREAD": "no"})
    equal((done.returncode, done.stderr), (0, b"nvtxh: NVTXH_RECORD_THREAD=no is ignored: it is not 0 or 1\n"), "a wrong value")
    if apart: # the recorder has crashed there when it looked up the names of all symbols
        done = record(here("rec.nvtxh"), program("load-apart"), "1", "30000")
        equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())


def case_sandboxed():
    """A sandbox that answers system calls by a handler of SIGSYS, or refuses them, answers the recorder's too, wherever they are made."""
    for how, refused in ((), b"1\n"), (("EPERM",), b"0\n"):
        rec = here("rec.nvtxh")
        done = driver.nvtxh("record", "-fo", rec, "--", program("sandboxed"), *how)
        if done.returncode == 77:
            driver.skip("no filters here")
        equal((done.returncode, done.stdout), (0, refused), done.stderr.decode())
        equal(driver.instances(rec), {("PushPop", "in the sandbox"): 20000}, "ranges")


def case_short():
    """Attributes that are shorter than NVTX's are none: the event is recorded without them, and they are not read."""
    rec = here("rec.nvtxh")
    driver.nvtxh("record", "-o", rec, "--", program("short"), status=0)
    rows = list(csv.DictReader(io.StringIO(driver.nvtxh("export", rec, "--format", "csv").stdout.decode(), newline="")))
    equal(len(rows), 49 * 4, "events")
    extended = [row for row in rows if row["Domain"] == "extended"]
    rows = [row for row in rows if not row["Domain"]]
    equal([row["Payload"] for row in extended], [""] * 48 + ["payload=42"], "payloads of the payload extension")
    for style in "Mark", "PushPop", "StartEnd":
        for size, row in enumerate(row for row in rows if row["Style"] == style):
            equal((row["Category"], row["Color"], row["Payload Type"], row["Payload"], row["Message"]),
                  ("7", "#ff112233", "uint64", "72623859790382856", "message") if size == 48 else ("",) * 5, f"{style} of {size} bytes")


def case_recycled():
    """Threads that end leave their streams to others: each event is its thread's, and a short one takes some bytes of the file."""
    rec = here("rec.nvtxh")
    for turns, at_once, ring in (600, 1, ()), (40, 30, ()), (600, 1, ("--ring", "1M")):
        done = driver.nvtxh("record", "-fo", rec, *ring, "--", program("recycled"), str(turns), str(at_once), status=0)
        numbers = [n for _ in range(3) for n in range(turns // 2)] if at_once == 1 else [0] * (3 * turns // 2 * at_once)
        active = [n for n in numbers if n % 13 != 12]
        opened = [n for n in active if n % 11 == 10]
        handed = [n for n in active if n % 17 == 16]
        must(f", {len(active)} threads, 2 processes, 0 dropped" in done.stderr.decode(), len(active), done.stderr)
        rows, said = stats(rec)
        must("damaged" not in said and (not opened or f"{len(opened)} ranges had no end" in said), said)
        got = {name: int(row["Instances"]) for (_, name), row in rows.items()}
        wanted = {"outer": len(active), "recycled:inner": len(active), "last": len(active)}
        wanted.update({name: len(n) for name, n in (("recycled:left open", opened), ("handed on", handed)) if n})
        equal(got, wanted, f"ranges of {turns} times {at_once} threads {ring}")
        rows = list(csv.DictReader(io.StringIO(driver.nvtxh("export", "--format", "csv", "-o", "-", rec).stdout.decode())))
        for row in rows:
            equal(row["TID"], row["Payload"], f"the thread of {row}")
            must(row["Style"] != "StartEnd" or row["End TID"] != row["TID"] or not handed, row)
            equal(row["Depth"], "0" if row["Style"] == "PushPop" else "", "depth")
        r = Recording(rec)
        for process in r.streams:
            named = [n.body.decode() for n in r.names("thread", process)]
            once = [f"named {n // 14}" for n in range(turns // 2) if n % 7 == 6 and n % 13 != 12] if at_once == 1 else []
            equal(sorted(named), sorted(once * (2 - process)), f"names of process {process}")
        if not ring:
            most = 60 + len(opened)
            must(sum(map(len, r.streams.values())) <= most, [len(s) for s in r.streams.values()])
        if at_once > 1:
            # A chunk for each thread would be eight times this. How many chunks there are depends on how many threads run at a time.
            must(os.path.getsize(rec) < len(active) * 16384 // 8, os.path.getsize(rec))


def steps(*arguments):
    """The output of the program, and the rows and messages of its recording."""
    rec = here("rec.nvtxh")
    done = driver.nvtxh("record", "-f", "-o", rec, "--", program("steps"), *arguments)
    if done.returncode == 77:
        driver.skip("no single steps on this processor")
    equal(done.returncode, 0, f"{arguments}: {done.stderr.decode()}")
    return done.stdout.decode(), *driver.stats(rec)


def case_steps():
    """Between any two instructions of a push or a pop a signal handler can make events, which are recorded, or fork."""
    said, rows, _ = steps("events")
    ranges, handled = map(int, said.split())
    must(handled > 4 * 30, "steps", handled)
    equal(int(rows["PushPop", "in the handler"]["Instances"]), handled, "ranges of the handler")
    equal(int(rows["PushPop", "plain"]["Instances"]) + int(rows["PushPop", "steps:registered"]["Instances"]), ranges, "ranges")
    its = Recording(here("rec.nvtxh")).streams[0]
    equal([(s.in_handlers, s.tid == its[0].tid) for n, s in sorted(its.items()) if n], [(0, True), (1, True)], "the thread, and its handlers")
    steps("fork")


def case_steps_jump():
    """A handler may jump out of a push or a pop anywhere: at most that event is lost, which is reported, and all later ones are there."""
    for mode, least in ("jump", 4 * 30), ("jump_twice", 4 * 30):
        said, rows, complaints = steps(mode)
        marks, jumped = map(int, said.split())
        must(jumped > least, "jumps", jumped)
        equal(int(rows["Mark", "after a jump"]["Instances"]), marks, "marks after jumps")
        left, = re.findall(r"(\d+) events? may be missing", complaints)
        must(4 * 15 < int(left) <= 2 * jumped, left, jumped)
        must("dropped" not in complaints and "interrupted another" not in complaints and "damaged" not in complaints, complaints)


def case_steps_kill():
    """SIGKILL at any step of a push or a pop leaves a recording with all complete events before it, and no others."""
    said, rows, complaints = steps("kill")
    ranges, killed = map(int, said.split())
    must(killed > 4 * 20 and "damaged" not in complaints, killed, complaints)
    names = {("PushPop", "plain"), ("PushPop", "steps:registered")}
    equal(set(rows), names, "ranges")
    for key in names:
        must(ranges / 2 <= int(rows[key]["Instances"]) <= ranges / 2 * 6 / 5, rows[key])
    events = list(csv.DictReader(io.StringIO(driver.nvtxh("export", here("rec.nvtxh"), "--format", "csv").stdout.decode(), newline="")))
    equal({(row["Message"], row["Payload"]) for row in events}, {("plain", ""), ("registered", "42")}, "payloads")
    children = {}
    for row in events:
        children.setdefault(row["PID"], []).append(row)
    must(all(5 <= len(rows) <= 6 for rows in children.values()), "ranges of a child")


def case_steps_full_fork():
    """A fork in a signal handler after the disk is full: parent and child go on, and what was recorded is whole."""
    _, rows, complaints = steps("full_fork")
    must("damaged" not in complaints, complaints)
    equal(set(rows) <= {("PushPop", "plain"), ("PushPop", "steps:registered"), ("Mark", "registered")}, True, rows)


def case_steps_chunk():
    """A fork in a signal handler that interrupts the way to a ring's next chunk: the child leaves that chunk to the parent."""
    rec = here("rec.nvtxh")
    done = driver.nvtxh("record", "-o", rec, "--ring", "256k", "--", program("steps"), "chunk")
    if done.returncode == 77:
        driver.skip("no single steps on this processor")
    equal(done.returncode, 0, done.stderr.decode())
    rows = driver.table(driver.nvtxh("export", rec, "--format", "csv").stdout.decode())
    parent = [int(row["Payload"]) for row in rows if row["Message"] == "registered"]
    must(len(parent) > 5000, "marks of the parent", len(parent))
    equal(parent, list(range(parent[0], parent[0] + len(parent))), "marks of the parent")
    equal(sum(row["Message"] == "of the child" for row in rows), 10, "marks of the children")
    must("damaged" not in stats(rec)[1], stats(rec)[1])


def case_steps_learn():
    """A fork anywhere in the push by which a message becomes known leaves no preset incomplete, in parent and child."""
    stride = 5 if DRAWS > 1 else 11
    for what, name in ("0", "plain"), ("1", "steps:registered "):
        for quiet in (), ("quiet",):
            said, rows, complaints = steps("learn", what, str(stride), *quiet)
            handled = int(said)
            must(handled > 500 // stride and "damaged" not in complaints, said, complaints)
            if not quiet:
                equal(int(rows["PushPop", "in the handler"]["Instances"]), handled, "ranges of the handler")
            equal(int(rows["PushPop", ""]["Instances"]), 3 * handled, "ranges without a message")
            # For each fork two ranges of the parent, three of the child, and perhaps the one that was interrupted; two without a fork.
            known, = (int(r["Instances"]) for (style, message), r in rows.items() if message.startswith(name))
            must(2 + 5 * handled <= known <= 2 + 6 * handled, f"{known} ranges, {handled} forks")


def case_steps_full():
    """An event in a handler finds no room any more: nothing is written behind the last chunk."""
    for fill in range(1000, 1010):
        for step in range(5, 25):
            *_, said = steps("full", str(fill), str(step))
            must("damaged" not in said and "were dropped" in said, f"{fill} marks, step {step}: {said}")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
