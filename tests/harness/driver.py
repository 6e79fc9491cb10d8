# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line as its tests run it: it records the programs of tests/recorder, and reads what was recorded.

A case uses the functions here, whose commands may end as they like and print bytes; or it takes a Bench, whose commands
have to succeed and print text.
"""
import atexit
import csv
import io
import os
import re
import shutil
import subprocess
import tempfile

from harness import checks
from harness.checks import NVTXH, RECORDER, require, skip, skip_part
from harness.checks import equal, require as must  # noqa: F401

csv.field_size_limit(1 << 26)
args = None
directory = None


def program(name):
    return os.path.join(args.programs, name)


def versions(name):
    """The programs of that name, one for each NVTX there is."""
    found = sorted(n for n in os.listdir(args.programs)
                   if n.startswith(name + "-") and os.access(program(n), os.X_OK) and not os.path.isdir(program(n)))
    return found or skip(f"no NVTX here that {name}.c can be built with")


def here(name):
    return os.path.join(directory, name)


def run(*command, status=None, **options):
    """The finished command. STATUS: it must end with that."""
    options.setdefault("timeout", 240)
    done = subprocess.run(command, capture_output=True, **options)
    require(status in (None, done.returncode), f"{' '.join(map(str, command))}: status {done.returncode}",
            *(said.decode("utf-8", "surrogateescape") for said in (done.stdout[-2000:], done.stderr)))
    return done


def nvtxh(*arguments, **options):
    return run(args.nvtxh, *arguments, **options)


def record(rec, *command, **options):
    return nvtxh("record", "-o", rec, "--", *command, **options)


def listed(nvtxh):
    """What the command lists for programs: the fields of each line."""
    return [line.split("\t") for line in run(nvtxh, "--completions-data").stdout.decode().splitlines()]


def commands(nvtxh):
    """The names of all commands, as nvtxh lists them."""
    return [fields[1] for fields in listed(nvtxh) if fields[0] == "command"]


def formats(nvtxh):
    """The names of all formats of `export`, as nvtxh lists them."""
    option, = [fields for fields in listed(nvtxh) if fields[:3] == ["option", "export", "--format"]]
    return option[5].split(",")


def built_formats(nvtxh):
    """Those that it can export to. What a test does with the others is skipped."""
    lacks = run(nvtxh, "--version").stdout.decode().partition("built without")[2]
    for name in formats(nvtxh):
        library = {"html": "zlib", "parquet": "carquet", "perfetto": "protobuf-c", "sqlite": "sqlite"}.get(name)
        if library and library in lacks:
            skip_part(f"nvtxh was built without {library}")
        else:
            yield name


def table(text):
    """The rows of what a command prints with --csv."""
    return list(csv.DictReader(io.StringIO(text, newline="")))


def stats(rec):
    """{(style, range): row} and what stats said on stderr"""
    done = nvtxh("stats", "--csv", rec, status=0)
    found = {}
    for row in table(done.stdout.decode("utf-8", "surrogateescape")):
        key = row["Style"], row["Range"]
        require(key not in found, f"two rows for {key}")
        found[key] = row
    return found, done.stderr.decode()


def instances(rec):
    return {key: int(row["Instances"]) for key, row in stats(rec)[0].items()}


def reading(command, *arguments):
    """How often a command reads, and what it returns."""
    def count():
        with open("/proc/self/io") as f:  # with those of children that were waited for
            return int(next(line for line in f if line.startswith("syscr")).split()[1])
    try:
        before = count()
    except OSError:
        skip("the kernel does not count what processes read")
    done = command(*arguments)
    return count() - before, done


FILTERS = {"--name", "--domain", "--thread", "--from", "--to", "--slowest", "--histogram"}


class Bench:
    """A folder for one test, and the command line that is tested."""
    here, program = staticmethod(here), staticmethod(program)

    def __init__(self):
        self.nvtxh, self.programs, self.directory = args.nvtxh, args.programs, directory

    def run(self, *arguments, status=0, command=None, **options):
        """The finished command, as text; it must end with `status`. `command` in place of nvtxh."""
        done = run(command or self.nvtxh, *arguments, status=status, **options)
        done.stdout = done.stdout.decode("utf-8", "surrogateescape")
        done.stderr = done.stderr.decode("utf-8", "surrogateescape")
        return done

    def record(self, rec, name, *arguments, **options):
        path = here(rec)
        self.run("record", "-f", "-o", path, "--", program(name), *arguments, status=None, **options)
        return path

    def table(self, *arguments, **options):
        """The rows of a command that prints CSV; if filters leave none, its status is 1."""
        done = self.run(*arguments, status=None, **options)
        rows = table(done.stdout)
        is_filtered = any(str(word).split("=")[0] in FILTERS for word in arguments)
        # With --nest, ranges that are not open any more match, too.
        require(done.returncode == int(is_filtered and not rows) or (not done.returncode and "--nest" in arguments),
                f"nvtxh {' '.join(map(str, arguments))}: status {done.returncode}", done.stdout[-2000:], done.stderr)
        return rows


def arguments(parser):
    parser.add_argument("--nvtxh", default=str(NVTXH), type=os.path.abspath)
    parser.add_argument("--library", default=str(RECORDER), type=os.path.abspath)
    parser.add_argument("--programs", default=str(checks.BUILD / "tests" / "recorder"), type=os.path.abspath)
    parser.add_argument("--sanitizer")


def without_blanks(given):
    """Where the build's path has blanks, its files go by a link: a shell would split their names, and so would LD_PRELOAD."""
    build = str(checks.BUILD)
    if re.search(r"\s", build):
        folder = tempfile.mkdtemp(prefix="nvtxh-build-")
        atexit.register(shutil.rmtree, folder)
        os.symlink(build, os.path.join(folder, "build"))
        for name in "nvtxh", "library", "programs":
            setattr(given, name, getattr(given, name).replace(build, os.path.join(folder, "build")))


def start(given, folder):
    global args, directory
    args, directory = given, str(folder)
    without_blanks(given)
    for name in "NVTX_INJECTION64_PATH", "NVTXH_RECORD_FILE", "NVTXH_RECORD_SESSION":
        os.environ.pop(name, None)
    return Bench()


def main(cases, about=None):
    """checks.main for cases that take nothing or a Bench."""
    checks.main(cases, about, arguments, start)
