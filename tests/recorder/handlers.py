#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What a signal handler may do to a program that is recorded, and what it may not do to the recording."""
import os

from harness import driver
from harness.driver import equal, here, must, program, record, stats


def case_first_use():
    """Whatever a handler is the first to use, nothing of ours calls malloc, which it may have interrupted."""
    for name in "handler", "handler-cpp":
        if not os.path.exists(program(name)):
            continue
        rec = here(name + ".nvtxh")
        done = record(rec, program(name))
        equal((done.returncode, done.stdout), (0, b""), done.stderr.decode())
        rows, said = stats(rec)
        said = [line for line in said.splitlines() if "50 ranges had no end" not in line and "2 schemas" not in line]
        equal(said, [], "losses")
        counts = {text: int(row["Instances"]) for (_, text), row in rows.items()}
        must(all(counts[f"{domain}:scope {i}"] == 1 for domain in ("first", "second") for i in range(100, 300)), counts)
        equal((counts["in the handler"], counts["first of its thread"]), (30000, 1), "events")


def case_small_stack():
    """An event in a handler takes less than a kilobyte of its stack, beside what the kernel puts there."""
    done = record(here("rec.nvtxh"), program("small_stack"), status=0)
    sizes = {name: int(size) for name, size in (line.split() for line in done.stdout.decode().splitlines())}
    equal(len(sizes), 5, "events")
    must(max(sizes.values()) < 1024, sizes)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
