#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each program of programs.c prints, leaves and returns the same alone and in the way that the command line names; and what is recorded of it is
all there and not damaged."""
import concurrent.futures
import glob
import os
import pathlib
import re
import shutil
import signal
import subprocess

from harness import checks, driver
from harness.checks import equal, require

PROGRAMS = checks.BUILD / "tests" / "hostile"
# What these programs forbid or take away, a recording needs: it may stop early, and says so.
HINDERED = {"few_descriptors", "little_memory", "small_files", "locked_memory", "filters_calls", "closes_all", "takes_all_numbers", "closes_standard"}


def listed():
    """{program: how many ranges "work" it has, or -1: unknown}"""
    lines = driver.run(PROGRAMS / "programs", "--list").stdout.decode().splitlines()
    return {name: int(works) for name, works in (line.split() for line in lines)}


def contents(path):
    if path.is_file() and not os.access(path, os.R_OK):
        path.chmod(0o400)  # root reads it all the same
    return path.read_bytes() if path.is_file() else None


def left_in(folder):
    """{path: (mode, contents)} of what a program has left in its folder."""
    return {str(path.relative_to(folder)): (oct(path.lstat().st_mode), contents(path)) for path in sorted(folder.rglob("*"))}


def outcome(folder, begun, name, variables):
    """All that a user sees of a run in an empty folder, but for lines of ours on stderr; and these lines."""
    folder.mkdir(parents=True)
    folder.chmod(0o755)
    process = subprocess.Popen([*begun, PROGRAMS / "programs", name, PROGRAMS / "plugin.so"], cwd=folder, stdin=subprocess.DEVNULL,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=checks.environment(**variables), start_new_session=True)
    try:
        out, err = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return ("hangs", out, err, {}), ""
    lines = err.decode(errors="replace").splitlines()
    ours = [line for line in lines if line.startswith("nvtxh: ")]
    status = process.returncode if process.returncode >= 0 else 128 - process.returncode  # as a shell and nvtxh record have it
    return (status, out, [line for line in lines if line not in ours], left_in(folder)), "\n".join(ours)


class Way:
    """How a program is run: the beginning of the command line and variables, for files in a folder."""
    options = ()

    def begun(self, rec):
        return [driver.args.nvtxh, "record", "-f", "-o", rec, *self.options, "--"]

    def variables(self, rec):
        return {}

    def check(self, name, works, rec, said):
        """What was recorded: all, and undamaged."""
        self.check_ranges(name, works, rec)
        if name not in HINDERED:
            require(not re.search(r"[1-9]\d* dropped|ignored|cannot|stopped", said), f"{name}: {said}")

    def check_ranges(self, name, works, *recordings):
        found = 0
        for rec in recordings:
            rows, about = driver.stats(rec)
            require("damaged" not in about, f"{name}: {about}")
            found += sum(int(row["Instances"]) for (_, text), row in rows.items() if text == "work")
        if name not in HINDERED:
            equal(found, works, f"{name}: ranges recorded in {recordings}")


class Ring(Way):
    options = ("--ring", "64M")


class Beside(Way):
    """A second recorder, which knows nothing of the first."""

    def __init__(self):
        library = pathlib.Path(driver.args.library).read_bytes()
        for word in (b"NVTXH_RECORD_", b"nvtxh_is_recorder"):
            library = library.replace(word, word.replace(b"NVTXH", b"XVTXH").replace(b"nvtxh", b"xvtxh"))
        self.other = pathlib.Path(driver.here("other.so"))
        self.other.write_bytes(library)
        self.options = ("--tool", self.other)

    def variables(self, rec):
        return {"XVTXH_RECORD_FILE": f"{rec}.other"}

    def check(self, name, works, rec, said):
        super().check(name, works, rec, said)
        self.check_ranges(name, works, *glob.glob(f"{rec}.other*"))  # each program that a process runs has its own


class Statistics(Way):
    """Statistics of nvtxh/stats.h, in the process."""

    def begun(self, rec):
        return []

    def variables(self, rec):
        return {"NVTXH_STATS": f"{rec}.csv"}

    def check(self, name, works, rec, said):
        pass  # processes that end without exit() print none


def compared(way):
    driver.require(os.access(PROGRAMS / "programs", os.X_OK), "built")
    folder = pathlib.Path(driver.directory)
    folder.chmod(0o755)  # for programs that drop their rights

    def compare(item):
        name, works = item
        rec = folder / f"{name}.nvtxh"
        wanted, _ = outcome(folder / "alone" / name, [], name, {})
        require(wanted[0] not in ("hangs", 99), f"{name}, alone: {wanted}")
        got, said = outcome(folder / "recorded" / name, way.begun(rec), name, way.variables(rec))
        for what, is_, was in zip(("status", "output", "stderr", "files"), got, wanted):
            equal(is_, was, f"{name}: {what}; {got[:3]}; {said}")
        way.check(name, works, rec, said)

    bad = []
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        for item, done in [(item, pool.submit(compare, item)) for item in listed().items()]:
            if error := done.exception():
                bad.append(item[0])
                print(f"--- {error}")
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    require(not bad, f"these differ: {bad}")


def case_recorded():
    compared(Way())


def case_ring():
    compared(Ring())


def case_beside():
    compared(Beside())


def case_statistics():
    compared(Statistics())


if __name__ == "__main__":
    driver.main(globals(), __doc__)
