#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The recorder preloaded, as `nvtxh record` does it where Nsight Systems is."""
import os
import sys

from beside import contents, log_tool, logged, recorded
from harness import driver
from harness.driver import equal, here, must, program


def case_preloaded():
    """Preloaded, as beside Nsight Systems, the recorder stands before the tool that the program finds, and hands its calls on."""
    ours, tool, other = driver.args.library, log_tool(), program("tool.so")
    _, plain = recorded("plain", program("beside"))
    _, wanted = logged("alone", program("beside"), NVTX_INJECTION64_PATH=tool)
    for n, preloaded in enumerate((ours, f"{other}:{ours}", f"{ours}:{other}", f"{other} {ours}")):
        done, lines = logged(f"log{n}", program("beside"), LD_PRELOAD=preloaded, NVTX_INJECTION64_PATH=tool, NVTXH_RECORD_FILE=here(f"rec{n}"))
        equal((done.returncode, done.stderr), (5, b""), preloaded)
        equal(sum("push" in line for line in lines), sum("push" in line for line in wanted), f"pushes of the tool with {preloaded}")
        equal(contents(here(f"rec{n}")), plain, f"recording with {preloaded}")
    # Without a tool; with a tool that is named already; with another one, which is left out.
    for n, (path, named) in enumerate((("", ""), ("./.", ""), (ours, tool), (tool, tool), (tool, ""), (tool, other))):
        done, lines = logged(f"named{n}", program("beside"), LD_PRELOAD=ours, NVTX_INJECTION64_PATH=path, NVTXH_RECORD_TOOL=named,
                             NVTXH_RECORD_FILE=here(f"beside{n}"))
        equal((done.returncode, b"20 pushes" in done.stderr), (5, named == other), (path, named))
        equal(f"nvtxh: the tool {tool} is ignored: NVTXH_RECORD_TOOL names another tool" in done.stderr.decode(), named == other, done.stderr)
        equal(bool(lines), tool in (path, named) and named != other, f"the tool's lines with {path} and {named}")
        equal(contents(here(f"beside{n}")), plain, f"recording with {path} and {named}")
    # Not preloaded, or not to record: it changes nothing.
    for n, preloaded in enumerate((other, ours + ".1")):
        logged(f"off{n}", program("beside"), LD_PRELOAD=preloaded, NVTX_INJECTION64_PATH=tool, NVTXH_RECORD_FILE=here(f"off{n}"))
        must(not os.path.exists(here(f"off{n}")), preloaded)
    done, lines = logged("unasked", program("beside"), LD_PRELOAD=ours, NVTX_INJECTION64_PATH=tool)
    equal((done.returncode, done.stderr, lines), (5, b"", wanted), "without a file")


if __name__ == "__main__":
    sys.exit(driver.main(globals(), __doc__))
