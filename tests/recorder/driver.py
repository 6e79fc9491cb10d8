#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs programs under `nvtxh record` and checks what the recordings say.

    driver.py CASE --nvtxh PATH --programs DIRECTORY

Each case is a function named after it; what it claims is its first line. Exit status 77: cannot be tried here.
"""
import argparse
import csv
import io
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile
import time

csv.field_size_limit(1 << 26)
args = None
directory = None


class Skip(Exception):
    pass


def must(condition, *what):
    if not condition:
        raise AssertionError(" ".join(str(w) for w in what))


def equal(got, wanted, what):
    must(got == wanted, f"{what}: got {got!r}, wanted {wanted!r}")


def program(name):
    return os.path.join(args.programs, name)


def versions(name):
    """The programs of that name, one for each NVTX there is."""
    found = sorted(n for n in os.listdir(args.programs)
                   if n.startswith(name + "-") and os.access(program(n), os.X_OK) and not os.path.isdir(program(n)))
    if not found:
        raise Skip(f"no NVTX here that {name}.c can be built with")
    return found


def here(name):
    return os.path.join(directory, name)


def run(*command, **options):
    options.setdefault("timeout", 120)
    return subprocess.run(command, capture_output=True, **options)


def nvtxh(*arguments, **options):
    return run(args.nvtxh, *arguments, **options)


def record(rec, *command, **options):
    return nvtxh("record", "-o", rec, "--", *command, **options)


def stats(rec):
    """{(style, range): row} and what stats said on stderr"""
    done = nvtxh("stats", "--csv", rec)
    equal(done.returncode, 0, "exit status of stats, which said " + done.stderr.decode())
    text = done.stdout.decode("utf-8", "surrogateescape")
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    found = {}
    for row in rows:
        key = row["Style"], row["Range"]
        must(key not in found, f"two rows for {key}")
        found[key] = row
    return found, done.stderr.decode()


def instances(rec):
    return {key: int(row["Instances"]) for key, row in stats(rec)[0].items()}


KNOWN = {
    ("PushPop", "outer"): 1,
    ("PushPop", "dom:registered"): 7,
    ("PushPop", "w\u00e9\u20ac\U0001f600"): 7,
    ("PushPop", "dynamic 0"): 10,
    ("PushPop", "dynamic 1"): 10,
    ("PushPop", "dynamic 2"): 10,
    ("PushPop", "in a thread"): 1,
    ("PushPop", "payload"): 6,
    ("PushPop", "slept"): 1,
    ("PushPop", "left open"): 1,
    ("StartEnd", "overlap"): 2,
    ("StartEnd", "dom:across"): 1,
    ("StartEnd", "payload"): 6,
    ("Mark", "dom:w\u00e9\u20ac\U0001f600"): 1,
    ("Mark", "payload"): 6,
    ("Mark", 'quote " comma , newline \n end'): 1,
    ("Mark", ""): 4,
    ("Mark", "bad \ufffd\ufffd\ufffd utf-8"): 1,
    ("Mark", "wide domain:in the wide one"): 1,
}


def case_stats():
    """Every kind of event of a known program is counted, named and timed as it was."""
    names = [name for name in sorted(os.listdir(args.programs))
             if name.startswith("known-") and os.path.isfile(program(name))]
    must("known-3" in names, names)
    for name in names:
        rec = here(name + ".nvtxh")
        done = record(rec, program(name))
        equal(done.returncode, 7, "exit status of the program, which said " + done.stderr.decode())
        lines = done.stderr.decode().splitlines()
        equal(len(lines), 1, f"lines on stderr: {lines}")
        # 57 ranges of two ends each, one of which stays open, and 14 marks.
        ranges = sum(n for (style, _), n in KNOWN.items() if style != "Mark")
        marks = sum(n for (style, _), n in KNOWN.items() if style == "Mark")
        events = 2 * ranges - 1 + marks
        must(f" {events} events, 2 threads, 0 dropped," in lines[0], lines[0], f"not {events}")
        must(f"nvtxh stats {rec}" in lines[0], lines[0])
        equal(instances(rec), KNOWN, name)
        rows, said = stats(rec)
        must("1 range had no end" in said and "1 pop and 0 ends" in said, said)
        # Times: the program measured one of its ranges itself.
        slept = int(done.stdout)
        row = rows["PushPop", "slept"]
        for column in ("Total Time (ns)", "Avg (ns)", "Med (ns)", "Min (ns)", "Max (ns)"):
            value = float(row[column])
            must(slept - 5000 <= value <= slept + 2000000, f"slept {slept}, {column} {value}")
        for (style, text), row in rows.items():
            if style == "Mark":
                equal(row["Total Time (ns)"], "", f"time of the mark {text}")
                continue
            low, high = int(row["Min (ns)"]), int(row["Max (ns)"])
            must(0 < low <= float(row["Med (ns)"]) <= high, f"times of {text}: {row}")
            must(low * int(row["Instances"]) <= int(row["Total Time (ns)"]), f"total of {text}")
        share = sum(float(row["Time (%)"]) for (style, _), row in rows.items() if style != "Mark")
        must(99 < share < 101, f"shares add up to {share}")
        mode = os.stat(rec)
        equal(stat.S_IMODE(mode.st_mode), 0o600, "mode of the recording")


def case_unknown():
    """What a recording has no place for is counted by name, in the closing line and by stats."""
    rec = here("rec.nvtxh")
    done = record(rec, program("unknown"))
    equal(done.returncode, 0, done.stderr.decode())
    for said in (done.stderr.decode(), stats(rec)[1]):
        line = [line for line in said.splitlines() if line.startswith("nvtxh: not recorded: ")]
        equal(len(line), 1, f"lines in {said}")
        for number, name in ((6, "nvToolsExtMem.h"), (2, "nvToolsExtPayload.h"), (7, "nvToolsExtCounters.h"),
                             (8, "not known here"), (5, "of an unknown type")):
            part = [p for p in line[0][len("nvtxh: not recorded: "):].split(", ") if name in p]
            must(len(part) == 1 and part[0].startswith(f"{number} "), name, part, line)
    equal(instances(rec), {("Mark", "mark"): 1, ("Mark", "typed"): 3, ("PushPop", ""): 1, ("Mark", ""): 1},
          "what was recorded")


def case_leave():
    """A process that is over with its last thread is so under the recorder, with all its output."""
    rec = here("rec.nvtxh")
    done = record(rec, program("leave"), timeout=60)
    equal((done.returncode, done.stdout), (0, b"the last"), done.stderr.decode())
    equal(instances(rec), {("PushPop", "work"): 350000}, "ranges")


def case_table():
    """The table for people has a row per range, and shows control characters as escapes."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    done = nvtxh("stats", rec)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    must(lines[0].split("  ")[-1].strip() == "Range", lines[0])
    must(any(line.endswith("dom:registered") for line in lines), lines)
    must(any("newline \\n end" in line for line in lines), lines)
    must(not any(c < " " for line in lines for c in line), lines)


def case_threads():
    """Threads of any number, each with its own events, none lost."""
    for threads, ranges in ((1, 200000), (8, 20000), (500, 30)):
        rec = here(f"{threads}.nvtxh")
        done = record(rec, program("load"), str(threads), str(ranges))
        equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
        must(f" {2 * threads * ranges} events, {threads} thread{'s'[:threads > 1]}, 0 dropped" in done.stderr.decode(),
             done.stderr.decode())
        equal(instances(rec), {("PushPop", "load:work"): threads * ranges}, "ranges")


def case_family():
    """fork with and without glibc's handlers, exec, and a daemon that closes our descriptor: one recording."""
    rec = here("rec.nvtxh")
    done = record(rec, program("family"))
    equal(done.returncode, 0, done.stderr.decode())
    must(" 5 processes, 0 dropped" in done.stderr.decode(), done.stderr.decode())
    equal(instances(rec), {
        ("PushPop", "around the forks"): 1,
        ("PushPop", "family:shared"): 30,
        ("PushPop", "in the child"): 3,
        ("PushPop", "after exec"): 4,
        ("PushPop", "daemon"): 50000,
    }, "ranges")


def case_plugins():
    """Many shared objects, each with function tables of its own, also loaded and unloaded again and again."""
    copies = []
    for i in range(30):
        copies.append(here(f"plugin{i}.so"))
        shutil.copy(program("plugin.so"), copies[-1])
    rec = here("rec.nvtxh")
    done = record(rec, program("plugins"), *copies)
    equal(done.returncode, 0, done.stderr.decode())
    must("processes" not in done.stderr.decode(), "one process has one part: " + done.stderr.decode())
    equal(instances(rec), {("PushPop", "in a plugin"): 230, ("PushPop", "in the program"): 1}, "ranges")


def case_hard():
    """Deep nesting, huge messages, nonsense handles, signal handlers, destructors: nothing lost, nothing broken."""
    rec = here("rec.nvtxh")
    done = record(rec, program("hard"))
    equal(done.returncode, 0, done.stderr.decode())
    handled = int(done.stdout)
    rows, said = stats(rec)
    found = {key: int(row["Instances"]) for key, row in rows.items()}
    equal(found["PushPop", "deep"], 10000, "nested ranges")
    equal(found["Mark", "x" * ((1 << 20) - 1)], 1, "marks of 1 MiB")
    equal(found["Mark", "y" * 65000], 2, "marks of 65,000 bytes")
    equal(found["Mark", "\u20ac" * 5000], 1, "marks of 5,000 wide characters")
    equal(sum(n for (style, text), n in found.items() if text.startswith("one of many ")), 20000,
          "ranges with many messages")
    equal(found["PushPop", "one of many 9999"], 2, "ranges of one of many messages")
    equal(found["StartEnd", "ended twice"], 1, "ranges ended twice")
    equal(found["Mark", "in a thread's destructor"], 3, "marks of destructors")
    equal(found["Mark", "after main"], 1, "marks after main")
    equal(found["PushPop", "left open by a thread"], 1, "ranges left open")
    must(found["PushPop", "interrupted"] >= 1000000, found["PushPop", "interrupted"])
    # A handler that falls between two instructions of the recorder loses its events, and that is counted.
    dropped = [line for line in said.splitlines() if "were dropped" in line]
    lost = int(dropped[0].split()[1]) if dropped else 0
    equal(2 * found.get(("PushPop", "in a handler"), 0) + lost, 2 * handled, "events in handlers")


def case_kill():
    """Whatever a killed program had published is there, and in order."""
    source = random.Random(1)
    for turn in range(int(os.environ.get("KILLS", "25"))):
        rec = here("rec.nvtxh")
        progress = here("progress")
        with open(progress, "wb") as f:
            f.write(bytes(8192))
        threads = 1 + turn % 3
        process = subprocess.Popen([args.nvtxh, "record", "-f", "-o", rec, "--", program("load"),
                                    str(threads), "0", progress], stderr=subprocess.PIPE)
        wait_until = time.monotonic() + 20
        while time.monotonic() < wait_until:
            with open(progress, "rb") as f:
                if struct.unpack("<Q", f.read(8))[0]:
                    break
        time.sleep(source.random() * 0.03)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            child = int(f.read().split()[0])
        os.kill(child, signal.SIGKILL)
        said = process.communicate()[1].decode()
        equal(process.returncode, 128 + 9, said)
        with open(progress, "rb") as f:
            done = sum(struct.unpack("<1024Q", f.read()))
        got = instances(rec).get(("PushPop", "load:work"), 0)
        must(done <= got <= done + threads, f"{done} ranges were finished, {got} recorded")


def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def case_full():
    """No room: the program runs on with the same output, one line says what happened, losses are counted."""
    # A limit on file sizes, at each stage: before the header, before the first chunk, in the middle.
    for size in (0, 8192, 16384, 32768, 65536, 1 << 20):
        rec = here(f"{size}.nvtxh")
        done = record(rec, program("load"), "2", "100000", preexec_fn=limited(size))
        equal((done.returncode, done.stdout), (5, b"finished\n"), f"limit {size}: {done.stderr.decode()}")
        said = [line for line in done.stderr.decode().splitlines() if "unrecorded" in line]
        equal(len(said), 1, f"limit {size}, complaints in {done.stderr.decode()}")
        must("File too large" in said[0], said[0])
        if os.path.exists(rec):
            must(os.path.getsize(rec) <= size, f"{os.path.getsize(rec)} bytes")
            rows, said = stats(rec)
            if size >= 65536:
                kept = int(rows["PushPop", "load:work"]["Instances"])
                dropped = [line for line in said.splitlines() if "were dropped" in line]
                must(0 < kept < 200000 and dropped, kept, said)
                # Every event is either there or counted; an open range has one event.
                opened = [line for line in said.splitlines() if "had no end" in line]
                missing = int(opened[0].split()[1]) if opened else 0
                equal(2 * kept - missing + int(dropped[0].split()[1]), 400000, f"limit {size}, events")
    # Hardly a descriptor to be had, and a directory that is gone.
    done = record(here("files.nvtxh"), "sh", "-c", f"ulimit -n 4; exec {program('load')} 1 1000")
    equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
    os.mkdir(here("gone"))
    done = record(here("gone/rec.nvtxh"), "sh", "-c",
                  f"rm -r {here('gone')}; exec {program('load')} 1 200000")
    equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
    must("unrecorded" in done.stderr.decode(), done.stderr.decode())


def case_full_disk():
    """A disk that is really full is an error line, not a signal."""
    script = ('mount -t tmpfs -o size=1m tmpfs "$1" && "$2" record -o "$1/rec.nvtxh" -- "$3" 2 100000; '
              'echo status $?; "$2" stats --csv "$1/rec.nvtxh"')
    os.mkdir(here("disk"))
    done = run("unshare", "-m", *([] if os.geteuid() == 0 else ["-Ur"]), "sh", "-c", script, "sh",
               here("disk"), args.nvtxh, program("load"))
    if b"status" not in done.stdout or b"mount" in done.stderr:
        raise Skip("cannot mount a small disk")
    must(b"finished\nstatus 5\n" in done.stdout, done.stdout, done.stderr)
    must(b"No space left on device" in done.stderr, done.stderr)
    must(b"load:work" in done.stdout and b"were dropped" in done.stderr, done.stdout, done.stderr)


def case_damage():
    """Whatever happens to a file, readers end in order: a result that says so, or one clear error."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    with open(rec, "rb") as f:
        good = f.read()
    # Foreign files.
    foreign = {"empty": b"", "text": b"hello\n" * 5000, "elf": open(args.nvtxh, "rb").read(),
               "newer": good[:12] + struct.pack("<I", 99) + good[16:], "header": good[:100]}
    for name, content in foreign.items():
        with open(here(name), "wb") as f:
            f.write(content)
        done = nvtxh("stats", here(name))
        equal((done.returncode, done.stdout), (1, b""), name)
        equal(len(done.stderr.splitlines()), 1, f"lines about {name}: {done.stderr}")
    for path in (directory, "/dev/null", here("missing")):
        done = nvtxh("stats", path)
        equal((done.returncode, len(done.stderr.splitlines())), (1, 1), f"{path}: {done.stderr}")
    # Cut at any place; with bytes changed at any place.
    source = random.Random(2)
    spoiled = 0
    for turn in range(int(os.environ.get("DAMAGES", "300"))):
        content = bytearray(good)
        if turn % 3 == 0:
            del content[source.randrange(len(content)):]
        else:
            for _ in range(source.choice((1, 5, 100))):
                # Mostly where there is something: headers and the beginnings of chunks.
                at = source.randrange(len(content) // 16384) * 16384 + int(source.random() ** 4 * 16384)
                content[at] = source.choice((0, 1, 0x7f, 0x80, 0xff, source.randrange(256)))
        with open(here("damaged"), "wb") as f:
            f.write(content)
        done = nvtxh("stats", "--csv", here("damaged"), timeout=20)
        must(done.returncode in (0, 1), f"turn {turn}: status {done.returncode}, {done.stderr}")
        must(b"ERROR" not in done.stderr and b"runtime error" not in done.stderr, done.stderr)
        must(done.returncode == 0 or done.stderr, f"turn {turn}: failed in silence")
        spoiled += done.returncode
    must(spoiled, "no damage was ever found")
    with open(here("cut"), "wb") as f:
        f.write(good[:len(good) - 40000])
    done = nvtxh("stats", here("cut"))
    must(b"the recording is cut short: 40000 bytes are missing" in done.stderr, done.stderr)
    # Where a chunk ends, too; the header alone; not where the writer has said that there was no room.
    for size in range(16384, len(good), 16384):
        with open(here("cut"), "wb") as f:
            f.write(good[:size])
        done = nvtxh("stats", here("cut"))
        must(b"cut short: %d bytes are missing" % (len(good) - size) in done.stderr, size, done.stderr)
    with open(here("cut"), "wb") as f:
        f.write(good[:100] + struct.pack("<I", 1) + good[104:16384])
    done = nvtxh("stats", here("cut"))
    must(b"recording stopped before" in done.stderr and b"missing" not in done.stderr, done.stderr)
    must(b"made no NVTX call" not in done.stderr, done.stderr)
    with open(here("cut"), "wb") as f:
        f.write(good[:10000])
    done = nvtxh("stats", here("cut"))
    must(done.returncode == 1 and b"ends within its header" in done.stderr, done.stderr)


def sample(ticks):
    """Three ticks are a nanosecond."""
    return struct.pack("<QQQ", ticks, ticks // 3, ticks // 3 + 10**18)


def chunk(stream, records, base, seq=0, dropped=0, size=16384):
    used = 128 + len(records)
    return struct.pack("<IIIIIIII", 0x6B436E4E, size, 0, stream, 100 + stream, seq, 0, 2) + struct.pack(
        "<Q", base) + sample(base) + struct.pack("<QQ40x", used, dropped).ljust(64, b"\0") + records.ljust(
            size - 128, b"\0")


def word(kind, ticks=0, domain=0, flags=0):
    return struct.pack("<Q", kind | flags | domain << 16 | ticks << 32)


def named(kind, number, text, domain=0):
    return word(kind, domain=domain) + struct.pack("<II", len(text), number) + text.ljust(-(-len(text) // 8) * 8, b"\0")


def case_format():
    """A recording written by hand from FORMAT.md is read as FORMAT.md says."""
    start = 3 * 10**9
    header = struct.pack("<8sIIII16s", b"NVTXHREC", 0x01020304, 2, 16384, 16384, bytes(16)) + sample(start) + sample(
        start + 3 * 10**9) + struct.pack("<QIIIi64x", 0, 1, 0, 2, 0)
    process = struct.pack("<IIII", 100, 1, 0, 1) + sample(start) + sample(start + 3 * 9 * 10**8) + bytes(24 * 8 + 8 + 64)
    names = named(17, 0, process + b"/bin/program") + named(18, 5, b"dom") + named(19, 9, b"registered", 5)
    text = struct.pack("<II", 1, 0)
    registered = struct.pack("<II", 9 | 1 << 31, 0)
    events = (named(16, 1, b"plain")
              + word(1, 0) + text + word(2, 300)                 # 100 ns
              + word(1, 600) + text + word(2, 600)               # ends when it begins: 1 ns
              + named(31, 99, b"a kind of later")                # stepped over
              + word(1, 1200, 5) + registered                    # 1000 ns, over a rebase
              + word(6) + struct.pack("<Q", start + 3000) + sample(start + 3000) + word(2, 1200, 5)
              + word(3, 1800) + struct.pack("<Q", 77) + text)    # ends in the other stream
    other = (word(1, 3000) + struct.pack("<II", 0, 0)            # open: ends with the process
             + word(4, 6000) + struct.pack("<Q", 77)             # 1800 + 3000 to 6000 is 400 ns
             + word(2, 6300, 5))                                 # without a push
    content = header.ljust(16384, b"\0")
    content += chunk(2, other, start)
    content += bytes(16384)                                      # taken and never used
    content += chunk(0, names, start) + chunk(1, events, start)
    with open(here("rec"), "wb") as f:
        f.write(content)
    rows, said = stats(here("rec"))
    times = {key: (int(row["Instances"]), int(row["Min (ns)"]), int(row["Max (ns)"])) for key, row in rows.items()}
    equal(times, {
        ("PushPop", "plain"): (2, 1, 100),
        ("PushPop", "dom:registered"): (1, 1000, 1000),
        ("StartEnd", "plain"): (1, 400, 400),
        ("PushPop", ""): (1, 9 * 10**8 - 1000, 9 * 10**8 - 1000),
    }, "ranges")
    equal(rows["PushPop", "plain"]["Med (ns)"], "50.5", "median")
    equal(rows["PushPop", "plain"]["StdDev (ns)"], "70.0", "standard deviation")
    must("1 range had no end" in said and "1 pop and 0 ends" in said and "damaged" not in said, said)
    # A chunk that is missing, and events that were dropped: said so, and the open range ends with its stream.
    with open(here("rec"), "wb") as f:
        f.write(header.ljust(16384, b"\0") + chunk(0, names, start) + chunk(2, other, start, seq=1, dropped=3))
    rows, said = stats(here("rec"))
    equal(int(rows["PushPop", ""]["Max (ns)"]), 2100 - 1000, "an open range of a stream that dropped events")
    must("3 events were dropped" in said and "damaged" in said, said)


def case_command():
    """The command line: statuses, refusals, and no file that was there before is touched."""
    rec = here("rec.nvtxh")
    silent = program("silent")
    # The program's own status and output.
    for status in (0, 1, 77, 255):
        done = record(here(f"{status}.nvtxh"), silent, "exit", str(status))
        equal((done.returncode, done.stdout), (status, b"silent\n"), "exit")
        must(b"made no NVTX call" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
        equal(record(here(f"s{number}.nvtxh"), silent, "signal", str(int(number))).returncode, 128 + number,
              "status after a signal")
    done = nvtxh("stats", here("0.nvtxh"))
    must(done.returncode == 0 and b"no NVTX call" in done.stderr, done.stderr)
    equal(record(rec, here("no such program")).returncode, 127, "status for a missing program")
    must(not os.path.exists(rec), "a recording of nothing was left")
    equal(record(rec, directory).returncode, 126, "status for a directory")
    # Never over anything, nor through a link, without --force.
    for name in ("file", "link", "dangling"):
        path = here(name)
        if name == "file":
            open(path, "w").write("precious")
        else:
            os.symlink(here("file") if name == "link" else here("nowhere"), path)
        done = record(path, silent)
        equal((done.returncode, done.stdout), (2, b""), f"recording to a {name}: {done.stderr}")
    for name in ("link", "dangling"):
        done = nvtxh("record", "--force", "-o", here(name), "--", silent)
        equal(done.returncode, 0, done.stderr)
        must(not os.path.islink(here(name)), "a link is still there")
    equal(open(here("file")).read(), "precious", "the file behind the link")
    must(not os.path.exists(here("nowhere")), "something was made behind a link")
    # In a directory: named after the program, and never the same name twice.
    os.mkdir(here("directory"))
    for _ in range(2):
        equal(record(here("directory"), silent).returncode, 0, "a directory")
    equal(sorted(os.listdir(here("directory"))), ["silent.2.nvtxh", "silent.nvtxh"], "in a directory")
    equal(nvtxh("record", "-f", "-o", here("file"), "--", silent).returncode, 0, "a file, with --force")
    # Without -o: named after the program, and never the same name twice.
    for name in ("silent.nvtxh", "silent.2.nvtxh", "silent.3.nvtxh"):
        nvtxh("record", silent, cwd=directory)
        must(os.path.exists(here(name)), f"no {name}")
    # Wrong arguments.
    for bad in (["record"], ["record", "--nonsense", "x"], ["record", "-o"], ["record", "-o", "", "x"], ["stats"],
                ["stats", "a", "b"], ["stats", "--csv=x", "a"], ["nonsense"], [],
                ["record", "-o", here("no/such/directory/rec"), "--", silent]):
        done = nvtxh(*bad)
        equal((done.returncode, done.stdout), (2, b""), f"nvtxh {bad}: {done.stderr}")
        must(done.stderr.startswith((b"nvtxh: ", b"usage: ")), done.stderr)
    for good in (["--help"], ["record", "--help"], ["stats", "--help"], ["--version"]):
        done = nvtxh(*good)
        must(done.returncode == 0 and done.stdout and not done.stderr, f"nvtxh {good}: {done}")
    # Output that cannot be written is an error.
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([args.nvtxh, "stats", here("0.nvtxh")], stdout=full, stderr=subprocess.PIPE)
            equal(done.returncode, 1, "status when the output cannot be written")
    # A signal to nvtxh alone reaches the program.
    for number in signal.SIGTERM, signal.SIGALRM:
        process = subprocess.Popen([args.nvtxh, "record", "-f", "-o", here("signal.nvtxh"), "--", "sleep", "60"])
        time.sleep(0.5)
        process.send_signal(number)
        equal(process.wait(10), 128 + number, f"status after signal {number} to nvtxh")


def left():
    """The files there are."""
    return sorted(os.listdir(directory))


def case_replace():
    """What was there before stays until what replaces it is whole, and nothing else is left behind."""
    silent = program("silent")
    rec = here("rec")
    record(rec, program("known-3"))
    with open(rec, "rb") as f:
        good = f.read()
    # A program that cannot run.
    for bad, status in ((here("tpyo"), 127), (directory, 126)):
        equal(nvtxh("record", "-f", "-o", rec, "--", bad).returncode, status, f"status of {bad}")
        equal(open(rec, "rb").read(), good, f"the recording after {bad}")
    equal(left(), ["rec"], "files")
    # A form of the recording over itself, by any name.
    os.link(rec, here("same"))
    for out in (rec, here("same")):
        equal(nvtxh("export", "-f", "--to", "csv", rec, "-o", out).returncode, 2, "status over the recording itself")
    equal(open(rec, "rb").read(), good, "the recording")
    os.unlink(here("same"))
    # A file that cannot be written to its end.
    with open(here("out"), "w") as f:
        f.write("before")
    for form in "csv", "sqlite", "text":
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = subprocess.run([args.nvtxh, "export", "-f", "--to", form, rec, "-o", here("out")], capture_output=True,
                              preexec_fn=limit)
        must(done.returncode == 1 and b"cannot write" in done.stderr, form, done)
        equal((open(here("out")).read(), left()), ("before", ["out", "rec"]), f"after {form}")
    # What exists, and names for which no file can be made: the same for all.
    os.mkfifo(here("fifo"))
    for command in (["record", "-o", "{}", "--", silent], ["export", "--to", "csv", rec, "-o", "{}"], ["merge", "-o", "{}", rec]):
        for force in (), ("-f",):
            for name in ("out", "fifo", "no/such", "slash/") if not force else ("fifo", "no/such", "slash/"):
                words = [word.format(here(name)) for word in command]
                done = nvtxh(words[0], *force, *words[1:])
                equal((done.returncode, len(done.stderr.splitlines())), (2, 1), f"{words}: {done.stderr}")
                must((b"give --force" in done.stderr) == (name == "out"), done.stderr)
    equal((open(here("out")).read(), left()), ("before", ["fifo", "out", "rec"]), "at the end")
    done = nvtxh("merge", "-o", here("twice"), rec, rec)
    must(done.returncode == 2 and b"the same recording" in done.stderr, done)
    equal(nvtxh("merge", "-f", "-o", rec, rec).returncode, 0, "a merge in place")
    equal(instances(rec), KNOWN, "ranges")


def case_hardship():
    """Where a recording cannot be made, or not as it was meant, the program runs all the same, and one line says why."""
    silent = program("silent")

    def tried(wanted, *command, status=0, prepare=None):
        done = subprocess.run([args.nvtxh, "record", *command], capture_output=True, preexec_fn=prepare, cwd=directory)
        equal(done.returncode, status, f"{command}: {done.stderr}")
        equal(len(done.stderr.splitlines()), 1, f"lines of {command}: {done.stderr}")
        must(wanted in done.stderr, command, done.stderr)
        return done

    def gone():
        os.mkdir(here("gone"))
        os.chdir(here("gone"))
        os.rmdir(here("gone"))
    for options in (), ("-o", "rec"):
        equal(tried(b"working directory is gone", *options, "--", silent, prepare=gone).stdout, b"silent\n", "output")
    for most in 4, 5, 6:
        def few():
            os.closerange(3, 256)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        tried(b"made no NVTX call", "-fo", "rec", "--", silent, "exit", "5", status=5, prepare=few)
    tried(b"made no NVTX call", "-fo", "rec", "--", silent, "exit", "5", status=5,
          prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    ignored = subprocess.run([args.nvtxh, "record", "-fo", "rec", "--", "grep", "SigIgn", "/proc/self/status"], cwd=directory,
                             capture_output=True, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)).stdout
    must(int(ignored.split()[1], 16) & 1 << signal.SIGCHLD - 1, "the program's SIGCHLD", ignored)
    # Nothing that was asked for came.
    known = program("known-3")
    tried(b"no range registred began; was registered meant?", "-fo", "rec", "--capture-range", "registred", "--", known, status=7)
    tried(b"the domains of the program: default, ", "-fo", "rec", "--capture-range", "x@y", "--", known, status=7)
    said = tried(b"no event in the domains domm; the domains of the program: ", "-fo", "rec", "--domain-include", "domm", "--",
                 program("phases")).stderr
    must(b"first" in said and b"second" in said, said)
    tried(b"within the --delay of 1000 s", "-fo", "rec", "--delay", "1000", "--", known, status=7)
    # No room: that is what it says, then and later.
    done = subprocess.run([args.nvtxh, "record", "-fo", "rec", "--", program("phases")], capture_output=True,
                          cwd=directory, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480)))
    must(done.returncode == 0 and b"recording stopped before" in done.stderr and b"no NVTX call" not in done.stderr, done)
    done = nvtxh("stats", here("rec"))
    must(b"recording stopped before the program ended" in done.stderr and b"no NVTX call" not in done.stderr, done)
    for option, value in (("--duration", "0"), ("--capture-range", "@domain"), ("--capture-range", "range@")):
        done = nvtxh("record", option, value, "--", silent)
        must(done.returncode == 2 and b"wants" in done.stderr and not done.stdout, done)
    done = nvtxh("record", "--capture-range", "a", "--capture-range", "b", "--", silent)
    must(done.returncode == 2 and b"once" in done.stderr and not done.stdout, done)


def case_alone():
    """The environment variable is enough: a recording of its own, in the current directory or where it says."""
    library = args.library
    environment = dict(os.environ, NVTX_INJECTION64_PATH=library)
    done = run(program("known-3"), env=environment, cwd=directory)
    equal((done.returncode, done.stderr), (7, b""), "the program")
    files = [name for name in os.listdir(directory) if name.endswith(".nvtxh")]
    equal(len(files), 1, f"recordings among {os.listdir(directory)}")
    equal(instances(here(files[0])), KNOWN, "ranges")
    environment["NVTXH_RECORD_FILE"] = "there.nvtxh"
    for _ in range(2):
        run(program("known-3"), env=environment, cwd=directory)
    files = [name for name in os.listdir(directory) if name.startswith("there.nvtxh")]
    equal(len(files), 2, f"the second run must not write over the first: {files}")
    for name in files:
        equal(instances(here(name)), KNOWN, name)
    # A session that is not this file's, or not a recording: untouched.
    open(here("foreign"), "w").write("precious")
    environment.update(NVTXH_RECORD_FILE=here("foreign"), NVTXH_RECORD_SESSION="00" * 16)
    done = run(program("known-3"), env=environment)
    # Nothing listens then: the program, which wants true depths, says so itself.
    must(b"cannot open the recording" in done.stderr, done.stderr)
    equal(open(here("foreign")).read(), "precious", "a foreign file")


PAYLOADS = {"uint64": "18446744073709551615", "int64": "-9223372036854775807", "double": "-0.1",
            "uint32": "4294967295", "int32": "-2147483647", "float": "1.5"}


def case_export_csv():
    """Every attribute of every event is what the program gave."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    equal(nvtxh("export", rec, "--to", "csv", "-o", here("out.csv")).returncode, 0, "status")
    equal(stat.S_IMODE(os.stat(here("out.csv")).st_mode), 0o600, "mode")
    with open(here("out.csv"), encoding="utf-8", errors="surrogateescape", newline="") as f:
        rows = list(csv.DictReader(f))
    counts = {}
    for row in rows:
        name = (row["Domain"] + ":" if row["Domain"] else "") + row["Message"]
        counts[row["Style"], name] = counts.get((row["Style"], name), 0) + 1
    equal(counts, KNOWN, "events")
    equal([int(row["Start (ns)"]) for row in rows], sorted(int(row["Start (ns)"]) for row in rows), "order")
    for style in ("Mark", "PushPop", "StartEnd"):
        some = [row for row in rows if row["Style"] == style and row["Message"] == "payload"]
        equal([row["Payload Type"] for row in some], list(PAYLOADS), style)
        equal([row["Payload"] for row in some], list(PAYLOADS.values()), style)
        equal([row["Color"] for row in some], [f"#ff00000{i}" for i in range(1, 7)], style)
        equal([row["Category"] for row in some], ["3", "3", "3", "3", "", "3"], style)
        equal([row["Category Name"] for row in some], ["three"] * 4 + ["", "three"], style)
    by_name = {row["Message"]: row for row in rows}
    main, helper = by_name["outer"]["TID"], by_name["in a thread"]["TID"]
    must(main == by_name["outer"]["PID"] and helper != main, "thread ids")
    equal((by_name["across"]["TID"], by_name["across"]["End TID"]), (main, helper), "a range across threads")
    equal(by_name["left open"]["Open"], "1", "the range left open")
    equal(sum(row["Open"] == "1" for row in rows), 1, "open ranges")
    equal({row["Depth"] for row in rows if row["Message"].startswith("w\u00e9") and row["Style"] == "PushPop"}, {"1"},
          "depths")
    equal({row["Depth"] for row in rows if row["Message"] == "registered"}, {"0"}, "depths in a domain")
    # Standard output is the same; what exists is kept.
    with open(here("out.csv"), "rb") as f:
        equal(nvtxh("export", "--to", "csv", rec).stdout, f.read(), "standard output")
    equal(nvtxh("export", "--to", "csv", rec, "-o", here("out.csv")).returncode, 2, "status over an existing file")
    equal(nvtxh("export", "--to", "csv", rec, "-f", "-o", here("out.csv")).returncode, 0, "status with --force")
    for bad in ([rec], [rec, "--to", "nonsense"], ["--to", "csv"], [rec, "--to", "sqlite"]):
        equal(nvtxh("export", *bad).returncode, 2, f"status of export {bad}")
    text = nvtxh("export", rec, "--to", "text").stdout.decode("utf-8", "replace").splitlines()
    equal(len(text), len(rows), "lines of text")


def case_export_chrome():
    """JSON that any parser takes, slices that nest, process ranges with both ends."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    import json
    events = json.loads(nvtxh("export", rec, "--to", "chrome").stdout)["traceEvents"]
    counts = {}
    for event in events:
        key = {"X": "PushPop", "b": "StartEnd", "i": "Mark"}.get(event["ph"])
        if key:
            name = (event["cat"] + ":" if event["cat"] else "") + event["name"]
            counts[key, name] = counts.get((key, name), 0) + 1
    # Ranges of two domains that overlap are written as process ranges are.
    wanted = {key: n for key, n in KNOWN.items() if "bad" not in key[1]}
    wide = "w\u00e9\u20ac\U0001f600"
    moved = counts.pop(("StartEnd", wide))
    equal(moved + counts.pop(("PushPop", wide), 0), wanted.pop(("PushPop", wide)), "overlapping ranges")
    equal(counts.pop(("Mark", "bad \ufffd\ufffd\ufffd utf-8")), 1, "a name that is no UTF-8")
    equal(counts, wanted, "events")
    begun = {event["id"] for event in events if event["ph"] == "b"}
    equal(begun, {event["id"] for event in events if event["ph"] == "e"}, "ends")
    threads = {}
    for event in events:
        if event["ph"] == "X":
            threads.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for ranges in threads.values():
        open_until = []
        for start, end in sorted(ranges, key=lambda r: (r[0], -r[1])):
            while open_until and open_until[-1] <= start + 1e-6:
                open_until.pop()
            must(not open_until or end <= open_until[-1] + 1e-6, f"{start} to {end} overlaps")
            open_until.append(end)
    must(any(e["ph"] == "M" and e["args"].get("name") == "helper" for e in events), "the thread's name")


def profile(*command):
    """The same program under the real Nsight Systems; the path of its report."""
    if not shutil.which("nsys"):
        raise Skip("nsys is not installed")
    importer = "/usr/lib/nsight-systems/host-linux-x64/QdstrmImporter"
    done = run("nsys", "profile", "-t", "nvtx", "-s", "none", "--cpuctxsw=none", "-o", here("rep"), *command,
               env=dict(os.environ, ANY_ANSWER="1"))
    if not os.path.exists(here("rep.nsys-rep")):
        if not os.path.exists(here("rep.qdstrm")) or not os.path.exists(importer):
            raise Skip("nsys cannot record here: " + done.stderr.decode() + done.stdout.decode())
        run(importer, "-i", here("rep.qdstrm"), "-o", here("rep.nsys-rep"))
    return here("rep.nsys-rep")


def to_sqlite(rec, path):
    done = nvtxh("export", rec, "--to", "sqlite", "-o", path)
    if b"built without libsqlite3" in done.stderr:
        raise Skip("nvtxh was built without libsqlite3")
    equal(done.returncode, 0, "status of the export, which said " + done.stderr.decode())


def report(name, path):
    """The rows of one of nsys's own reports."""
    done = run("nsys", "stats", "-q", "-f", "csv", "-r", name, path, timeout=300)
    lines = io.StringIO(done.stdout.decode("utf-8", "surrogateescape"), newline="").readlines()
    start = next((i for i, line in enumerate(lines) if "Range" in line or "Start (ns)" in line), None)
    must(start is not None, f"{name}: {done.stdout.decode()} {done.stderr.decode()}")
    return list(csv.DictReader(lines[start:]))


def case_nsys():
    """The real Nsight Systems counts the same ranges, in its own recording and in our export."""
    theirs = profile(program("counted"), "30")
    rec = here("rec.nvtxh")
    record(rec, program("counted"), "30")
    to_sqlite(rec, here("rec.sqlite"))
    ours = instances(rec)
    for name, style in (("nvtxsum", None), ("nvtxppsum", "PushPop"), ("nvtxsesum", "StartEnd")):
        wanted = {text: n for (s, text), n in ours.items() if s != "Mark" and style in (None, s)}
        for path in (theirs, here("rec.sqlite")):
            got = {}
            for row in report(name, path):
                text = row["Range"].lstrip(":") # older reports write the default domain so
                got[text] = got.get(text, 0) + int(row["Instances"])
            equal(got, wanted, f"{name} of {path}")
    trace = report("nvtxpptrace", here("rec.sqlite"))
    equal(len(trace), sum(n for (s, _), n in ours.items() if s == "PushPop"), "rows of nvtxpptrace")


def case_nsys_rows():
    """Row by row, our SQLite says of the same program what Nsight's says: text, domain, category, colour, payload."""
    import sqlite3
    theirs = profile(program("known-3"))
    run("nsys", "export", "-t", "sqlite", "-f", "true", "-o", here("theirs.sqlite"), theirs)
    rec = here("rec.nvtxh")
    record(rec, program("known-3"), env=dict(os.environ, ANY_ANSWER="1"))
    to_sqlite(rec, here("ours.sqlite"))
    query = """
        SELECT e.eventType, coalesce(e.text, s.value, ''), coalesce(d.text, ''), coalesce(e.category, 0), e.color,
               e.uint64Value, e.int64Value, e.doubleValue, e.uint32Value, e.int32Value, e.floatValue,
               e.endGlobalTid IS NOT NULL AND e.endGlobalTid <> e.globalTid
        FROM NVTX_EVENTS e LEFT JOIN StringIds s ON e.textId = s.id
        LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId
        WHERE e.eventType IN (34, 59, 60)"""
    found = []
    for path in ("ours.sqlite", "theirs.sqlite"):
        db = sqlite3.connect(here(path))
        db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
        found.append(sorted(map(repr, db.execute(query))))
        db.close()
    equal(found[0], found[1], "rows, ours and theirs")
    equal(len(found[0]), 73, "rows")


def case_sanitized():
    """Nothing to say for the sanitizers, in the library or the reader, whatever the program does."""
    wanted = {"known-3": 7, "load": 5, "family": 0, "hard": 0}
    for name, status in wanted.items():
        if args.sanitizer == "thread" and name == "hard":
            continue # its handlers use stdio and its depth is no business of threads
        rec = here(name + ".nvtxh")
        arguments = ["4", "2000"] if name == "load" else []
        done = record(rec, program(name), *arguments, timeout=300)
        said = done.stderr.decode()
        equal(done.returncode, status, f"{name}: {said}")
        must("Sanitizer" not in said and "runtime error" not in said, said)
    equal(instances(here("known-3.nvtxh")), KNOWN, "ranges")


def main(cases):
    global args, directory
    parser = argparse.ArgumentParser()
    parser.add_argument("case")
    parser.add_argument("--nvtxh", required=True)
    parser.add_argument("--programs", required=True)
    parser.add_argument("--library")
    parser.add_argument("--sanitizer")
    args = parser.parse_args()
    args.nvtxh = os.path.abspath(args.nvtxh)
    args.programs = os.path.abspath(args.programs)
    args.library = args.library and os.path.abspath(args.library)
    for name in ("NVTX_INJECTION64_PATH", "NVTXH_RECORD_FILE", "NVTXH_RECORD_SESSION"):
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory(prefix="nvtxh-") as directory:
        try:
            cases["case_" + args.case]()
        except Skip as reason:
            print(f"skipped: {reason}")
            return 77
    return 0


if __name__ == "__main__":
    sys.exit(main(globals()))
