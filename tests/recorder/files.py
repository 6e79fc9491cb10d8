#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What readers make of a file: of a damaged one, and of one written by hand from FORMAT.md."""
import errno
import os
import random
import struct

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, reading, record, stats


def case_damage():
    """Whatever the damage to a file, readers end normally: with a result that reports the damage, or with one clear error."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    with open(rec, "rb") as f:
        good = f.read()
    # Foreign files.
    foreign = {"empty": b"", "text": b"hello\n" * 5000, "elf": open(driver.args.nvtxh, "rb").read(),
               "newer": good[:12] + struct.pack("<I", 99) + good[16:], "header": good[:100]}
    for name, content in foreign.items():
        with open(here(name), "wb") as f:
            f.write(content)
        done = nvtxh("stats", here(name))
        equal((done.returncode, done.stdout), (1, b""), name)
        equal(len(done.stderr.splitlines()), 1, f"lines about {name}: {done.stderr}")
    os.mkdir(here("nothing"))
    for path in (here("nothing"), "/dev/null", here("missing")):
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
        done = nvtxh("stats", "--csv", here("damaged"))
        must(done.returncode in (0, 1), f"turn {turn}: status {done.returncode}, {done.stderr}")
        must(b"ERROR" not in done.stderr and b"runtime error" not in done.stderr, done.stderr)
        must(done.returncode == 0 or done.stderr, f"turn {turn}: failed in silence")
        spoiled += done.returncode
    must(spoiled, "no damage was ever found")
    with open(here("cut"), "wb") as f:
        f.write(good[:len(good) - 40000])
    done = nvtxh("stats", here("cut"))
    must(b"the recording is cut short: 40000 bytes are missing" in done.stderr, done.stderr)
    # Cut where a chunk ends, and after the header: reported, unless the writer has reported that there was no room.
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


def chunk(stream, records, base, seq=0, dropped=0):
    used = 128 + len(records)
    return struct.pack("<IIIIIIII", 0x6B436E4E, 16384, 0, stream, 100 + stream, seq, 0, 2) + struct.pack(
        "<Q", base) + sample(base) + struct.pack("<QQ40x", used, dropped).ljust(64, b"\0") + records.ljust(
            16384 - 128, b"\0")


def word(kind, ticks=0, domain=0):
    return struct.pack("<Q", kind | domain << 16 | ticks << 32)


def named(kind, number, text, domain=0):
    return word(kind, domain=domain) + struct.pack("<II", len(text), number) + text.ljust(-(-len(text) // 8) * 8, b"\0")


def header(start):
    """The header of a recording of one second."""
    fields = struct.pack("<8sIIII16s", b"NVTXHREC", 0x01020304, 1, 16384, 16384, bytes(16)) + sample(start) + sample(
        start + 3 * 10**9) + struct.pack("<QIIIi64x", 0, 1, 0, 2, 0)
    return fields.ljust(16384, b"\0")


def case_format():
    """A recording written by hand from FORMAT.md is read as FORMAT.md says."""
    start = 3 * 10**9
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
    content = header(start)
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
        f.write(header(start) + chunk(0, names, start) + chunk(2, other, start, seq=1, dropped=3))
    rows, said = stats(here("rec"))
    equal(int(rows["PushPop", ""]["Max (ns)"]), 2100 - 1000, "an open range of a stream that dropped events")
    must("3 events were dropped" in said and "damaged" in said, said)


def case_holes():
    """The steps to read a recording grow with its contents, and not with its length; nothing behind a hole is missed."""
    rec = here("rec.nvtxh")
    with open(rec, "wb") as f:
        f.truncate(1 << 20)
        try:
            os.lseek(f.fileno(), 0, os.SEEK_DATA)
            driver.skip("files have no holes here")
        except OSError as e:
            if e.errno != errno.ENXIO:
                driver.skip("files have no holes here")
    os.unlink(rec)
    number, done = reading(nvtxh, "record", "-o", rec, "--ring", "2G", "--", program("load"), "1", "1000")
    equal(done.returncode, 5, done.stderr.decode())
    must(b"2000 events, 1 thread, 0 dropped" in done.stderr, done.stderr)
    must(os.path.getsize(rec) > 2 << 30 and number < 1000, f"nvtxh record read {number} times")
    number, (rows, said) = reading(stats, rec)
    must(number < 1000 and not said, f"nvtxh stats read {number} times", said)
    equal(int(rows["PushPop", "load:work"]["Instances"]), 1000, "ranges")
    # Holes of all lengths between a chunk and the next, and at the end; a chunk that begins with zeroes is found to be
    # none, one whose header is damaged is still one damage.
    start = 3 * 10**9
    with open(here("sparse"), "wb") as f:
        f.write(header(start))
        at = 16384
        for i, hole in enumerate((0, 1, 2, 3, 17, 1000, 65536)):
            at += hole * 16384
            f.seek(at)
            f.write(chunk(1, named(16, 1, b"plain") + word(5) + struct.pack("<II", 1, 0), start, seq=i))
            at += 16384
        f.seek(at + 16384 * 5 + 9000)
        f.write(b"no chunk")
        f.seek(at + 16384 * 5000)
        f.write(b"damaged")
        f.truncate(at + 16384 * 70000)
    number, (rows, said) = reading(stats, here("sparse"))
    equal(int(rows["Mark", "plain"]["Instances"]), 7, "marks")
    must(number < 1000 and "1 damaged chunk" in said and "missing" not in said, number, said)
    os.truncate(here("sparse"), at + 16384 * 60000 + 5)
    must("123 bytes are missing" in stats(here("sparse"))[1], stats(here("sparse"))[1])


if __name__ == "__main__":
    driver.main(globals(), __doc__)
