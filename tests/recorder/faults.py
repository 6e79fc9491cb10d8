#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Each call of the recorder to the system fails, one after the other."""
import os

from harness import driver
from harness.driver import equal, here, must, program, run, stats


def fail(variables, command):
    """Lets each call of the recorder's fail, until there are no more: (what failed, what the program did, the recording)."""
    rec, reached = here("rec"), here("reached")
    for number in range(1, 2000):
        for path in rec, reached:
            if os.path.exists(path):
                os.unlink(path)
        environment = {k: v for k, v in os.environ.items() if not k.startswith("NVTXH_")}
        environment.update(variables, LD_PRELOAD=program("faults.so"), FAULT_AT=str(number), FAULT_REACHED=reached,
                           NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE=rec)
        done = run(*command, env=environment)
        if not os.path.exists(reached):
            must(number > 20, "calls", number)
            print(f"{number - 1} calls failed, one in each run")
            return
        with open(reached) as f:
            yield f"call {number}, {f.read()}", done, rec if os.path.exists(rec) else None


def check(variables, command, status, output, whole):
    for what, done, rec in fail(variables, command):
        said = done.stderr.decode()
        equal((done.returncode, done.stdout), (status, output), f"{what}: {said}")
        must(len(said.splitlines()) <= 1 and "Success" not in said, what, said)
        if not rec:
            must("unrecorded" in said, what, said)
            continue
        rows, complaints = stats(rec)
        must("damaged" not in complaints, what, complaints)
        if not whole(rows):
            must("dropped" in complaints or "empty" in complaints or "no space in the file" in complaints or said, what, complaints)


def case_once():
    """Whichever call fails once, the program runs as without the failure, at most one line is printed, and losses are counted."""
    check({}, [program("load"), "2", "4000"], 5, b"finished\n",
          lambda rows: int(rows.get(("PushPop", "load:work"), {"Instances": 0})["Instances"]) == 8000)


def case_on():
    """The same if all later calls fail as well, also for names and strings."""
    check({"FAULT_ON": "1", "ANY_ANSWER": "1"}, [program("names"), "3000"], 0, b"", lambda rows: True)
    check({"FAULT_ON": "1"}, [program("load"), "1", "4000"], 5, b"finished\n",
          lambda rows: int(rows.get(("PushPop", "load:work"), {"Instances": 0})["Instances"]) == 4000)
    # Marks, which learn nothing before they are written.
    check({"FAULT_ON": "1"}, [program(driver.versions("cut")[-1]), "messages"], 0, b"",
          lambda rows: sum(int(row["Instances"]) for (style, _), row in rows.items() if style == "Mark") == 12)


def case_begin():
    """A program that cannot begin to record says so, and its recording has the reason."""
    found = 0
    for number in range(1, 6):
        done = driver.nvtxh("record", "-f", "-o", here("rec"), "--", "env", "LD_PRELOAD=" + program("faults.so"), f"FAULT_AT={number}",
                            "FAULT_REACHED=" + here("reached"), program("load"), "1", "10")
        if b"cannot begin to record" in done.stderr:
            found += 1
            must(done.returncode == 5 and b"recording stopped before" in done.stderr, number, done.stderr)
    must(found, "no call was one of the beginning")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
