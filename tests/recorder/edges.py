#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Where the injected library has to refuse, or to give back what it took.

    edges.py CASE --nvtxh PATH --library PATH --programs DIRECTORY

Each case is a function named after it; what it claims is its first line. Exit status 77: cannot be tried here.
"""
import os
import sys

import driver
from driver import equal, here, must, program, record, run, stats


def injected(command, **options):
    """Runs it with the library in the environment and nothing else of ours."""
    variables = {k: v for k, v in os.environ.items() if not k.startswith("NVTXH_")}
    variables.update(options.pop("variables", {}), NVTX_INJECTION64_PATH=driver.args.library)
    return run(*command, env=variables, **options)


def case_static():
    """A statically linked program is told that it cannot be recorded, and runs on with the same output."""
    if not os.path.exists(program("static")):
        raise driver.Skip("no static C library")
    rec = here("rec.nvtxh")
    for done in (injected([program("static"), "2", "1000"], cwd=driver.directory),
                 record(rec, program("static"), "2", "1000")):
        equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
        said = done.stderr.decode().splitlines()
        must("statically linked" in said[0] and "unrecorded" in said[0], said)
    equal(os.listdir(driver.directory), ["rec.nvtxh"], "files")
    # The loader named on the command line makes no other program of it.
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


if __name__ == "__main__":
    sys.exit(driver.main(globals()))
