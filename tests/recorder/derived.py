#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Recordings that are made of others have the same durations as these; those of a program that has ended, but whose child goes on, are under way."""
from harness import driver
from harness.driver import equal, here, must, nvtxh, program


def durations(rec):
    """[(name, ns)] in the order of their ends. The clocks of a merged recording have other samples, so it may differ by some ns."""
    done = nvtxh("export", "--format", "csv", rec)
    equal(done.returncode, 0, done.stderr.decode())
    rows = sorted(driver.table(done.stdout.decode()), key=lambda row: (int(row["Start (ns)"]), int(row["End (ns)"])))
    return [(row["Message"], int(row["End (ns)"]) - int(row["Start (ns)"])) for row in rows]


def check_same(found, wanted, what):
    must(wanted and [name for name, _ in found] == [name for name, _ in wanted], what, found, wanted)
    must(all(abs(a - b) < 10000 for (_, a), (_, b) in zip(found, wanted)), what, found, wanted)


def case_durations():
    """Of programs that were killed, and of programs with children, one of them killed."""
    worker = program(driver.versions("incidents")[-1])
    for name, script in (("killed", 'exec "$0" p w50 p w50 k'), ("child", '"$0" p w50 k; exec "$0" p w50'),
                         ("forked", 'exec "$0" p e0 w50 k')):
        rec = here(f"{name}.nvtxh")
        nvtxh("record", "-o", rec, "--", "sh", "-c", script, worker)
        wanted = durations(rec)
        for of in ("", "merged", "snapshot"):
            for command, made in (("merge", "merged"), ("snapshot", "snapshot")):
                equal(nvtxh(command, "-f", "-o", here(of + made), here(of) if of else rec).returncode, 0, command)
                check_same(durations(here(of + made)), wanted, f"{name}: {made} of {of}")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
