#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs of all kinds are recorded as they are."""
import os
import shutil
import stat

from harness import checks, driver
from harness.driver import equal, here, instances, must, nvtxh, program, record, run, stats
from known import KNOWN


def case_stats():
    """Every kind of event of a known program is counted, named and timed as it was."""
    names = [name for name in sorted(os.listdir(driver.args.programs))
             if name.startswith("known-") and os.path.isfile(program(name))]
    must("known-3" in names, names)
    for name in names:
        rec = here(name + ".nvtxh")
        done = record(rec, program(name), status=7)
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
        busy = sum(int(row["Self (ns)"] or 0) for row in rows.values())
        for (style, text), row in rows.items():
            share = 100 * int(row["Inclusive (ns)"] or 0) / busy
            must(abs(float(row["Time (%)"]) - share) < .051 if style == "PushPop" else not row["Time (%)"], f"share of {text}: {row}, not {share}")
        mode = os.stat(rec)
        equal(stat.S_IMODE(mode.st_mode), 0o600, "mode of the recording")


def case_unknown():
    """What a recording has no place for is counted by name, in the closing line and by stats."""
    rec = here("rec.nvtxh")
    done = record(rec, program("unknown"), status=0)
    for said in (done.stderr.decode(), stats(rec)[1]):
        line = [line for line in said.splitlines() if line.startswith("nvtxh: not recorded: ")]
        equal(len(line), 1, f"lines in {said}")
        for number, name in ((6, "nvToolsExtMem.h"), (2, "nvToolsExtPayload.h"), (7, "nvToolsExtCounters.h"),
                             (8, "not known here"), (5, "of an unknown type"), (1, "generic resource")):
            part = [p for p in line[0][len("nvtxh: not recorded: "):].split(", ") if name in p]
            must(len(part) == 1 and part[0].startswith(f"{number} "), name, part, line)
    must("nvtxh: 3 schemas, enums, counters or scopes could not be kept" in said, said)
    equal(instances(rec), {("Mark", "mark"): 1, ("Mark", "typed"): 3, ("PushPop", ""): 1, ("Mark", ""): 1},
          "what was recorded")


def case_table():
    """The table for people has a row per range, and shows control characters as escapes."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    done = nvtxh("stats", rec)
    lines = done.stdout.decode("utf-8", "replace").splitlines()
    must(lines[0].startswith("Range "), lines[0])
    must(any(line.startswith("dom:registered ") for line in lines), lines)
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
    done = record(rec, program("family"), status=0)
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
    done = record(rec, program("plugins"), *copies, status=0)
    must("processes" not in done.stderr.decode(), "one process has one part: " + done.stderr.decode())
    equal(instances(rec), {("PushPop", "in a plugin"): 230, ("PushPop", "in the program"): 1}, "ranges")


def case_hard():
    """Deep nesting, huge messages, nonsense handles, signal handlers, destructors: nothing lost, nothing broken."""
    rec = here("rec.nvtxh")
    done = record(rec, program("hard"), status=0)
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


def case_borders():
    """Texts that just fit where the recorder keeps them, and those that just do not, are recorded whole."""
    rec = here("texts.nvtxh")
    equal(record(rec, program("borders"), "texts").returncode, 0, "borders")
    lengths = sorted(len(text) for _, text in instances(rec))
    equal(lengths, [*range(230, 271), *[65535] * 15, 65536], "lengths of messages")
    rec = here("captures.nvtxh")
    equal(nvtxh("record", "-o", rec, "--capture-range", "captured@borders", "--", program("borders"), "captures").returncode, 0, "borders")
    equal(instances(rec), {("PushPop", "borders:captured"): 1}, "what was captured")


def case_alone():
    """The environment variable alone makes a recording, in the current directory or at the path that it gives."""
    library = driver.args.library
    environment = dict(os.environ, NVTX_INJECTION64_PATH=library)
    done = run(program("known-3"), env=environment, cwd=driver.directory)
    equal((done.returncode, done.stderr), (7, b""), "the program")
    files = [name for name in os.listdir(driver.directory) if name.endswith(".nvtxh")]
    equal(len(files), 1, f"recordings among {os.listdir(driver.directory)}")
    equal(instances(here(files[0])), KNOWN, "ranges")
    environment["NVTXH_RECORD_FILE"] = "there.nvtxh"
    for _ in range(2):
        run(program("known-3"), env=environment, cwd=driver.directory)
    files = [name for name in os.listdir(driver.directory) if name.startswith("there.nvtxh")]
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


def case_exports():
    """The injected library exports the two entry points of NVTX and the symbol by which it knows its copies, and nothing else."""
    if not shutil.which("nm"):
        checks.skip("nm is not installed")
    shown = run("nm", "-D", "--defined-only", driver.args.library).stdout.decode().split("\n")
    equal([line.split()[1:] for line in shown if line],
          [["T", "InitializeInjectionNvtx2"], ["T", "InitializeInjectionNvtxExtension"], ["R", "nvtxh_is_recorder"]], "exported symbols")


def case_sanitized():
    """The sanitizers report nothing, in the library or the reader, whatever the program does."""
    wanted = {"known-3": 7, "load 4 2000": 5, "family": 0, "hard": 0, "borders texts": 0, "borders captures": 0}
    for command, status in wanted.items():
        name, *arguments = command.split()
        rec = here(name + ".nvtxh")
        options = ["--capture-range", "captured@borders"] if "captures" in arguments else ["--switches"] * (name == "load")
        done = nvtxh("record", "-fo", rec, *options, "--", program(name), *arguments, timeout=300)
        said = done.stderr.decode()
        equal(done.returncode, status, f"{name}: {said}")
        must("Sanitizer" not in said and "runtime error" not in said, said)
    equal(instances(here("known-3.nvtxh")), KNOWN, "ranges")
    # ThreadSanitizer calls handlers from within our events, as ordinary functions: not a jump out of them.
    said = stats(here("hard.nvtxh"))[1]
    must("may be missing" not in said and "damaged" not in said, said)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
