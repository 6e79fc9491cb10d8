# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder's tests share: they run programs under `nvtxh record` and check what the recordings say."""
import argparse
import csv
import io
import os
import subprocess
import tempfile

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


def reading(what, command, *arguments):
    """How often a command reads ("syscr"), or how many bytes ("rchar"), and what it returns."""
    def count():
        with open("/proc/self/io") as f: # with those of children that were waited for
            return int(next(line for line in f if line.startswith(what)).split()[1])
    try:
        before = count()
    except OSError:
        raise Skip("the kernel does not count what processes read")
    done = command(*arguments)
    return count() - before, done


def instances(rec):
    return {key: int(row["Instances"]) for key, row in stats(rec)[0].items()}


# What known.c does.
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
