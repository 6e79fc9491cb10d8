#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Another tool of NVTX beside the recorder: it gets what it would get alone, and so does the recorder.

    beside.py CASE --nvtxh PATH --library PATH --programs DIRECTORY

Each case is a function named after it; what it claims is its first line. Exit status 77: cannot be tried here.
"""
import csv
import os
import pathlib
import random
import re
import shutil
import sys

from harness import driver
from harness.driver import equal, here, must, nvtxh, program


def log_tool():
    return str(pathlib.Path(driver.args.programs).parent / "inject" / "libnvtxh-test-log.so")


def variables(**more):
    return {**{k: v for k, v in os.environ.items() if not k.startswith(("NVTX", "LD_PRELOAD"))}, **more}


def copy_of_recorder():
    """A second recorder that knows nothing of the first: other names in the environment, and another symbol."""
    library = pathlib.Path(driver.args.library).read_bytes()
    for name in (b"NVTXH_RECORD_", b"nvtxh_is_recorder"):
        must(name in library, name)
        library = library.replace(name, name.replace(b"NVTXH", b"XVTXH").replace(b"nvtxh", b"xvtxh"))
    path = here("copy.so")
    pathlib.Path(path).write_bytes(library)
    return path


def contents(rec):
    """What a recording says, but for its times and the numbers of threads."""
    done = nvtxh("export", "--format", "csv", "-o", "-", rec, status=0)
    rows = list(csv.DictReader(done.stdout.decode("utf-8", "surrogateescape").splitlines()))
    differ = "Start (ns)", "End (ns)", "PID", "TID", "End TID"
    must(rows and all(name in rows[0] for name in differ), rows[:1])
    return sorted(",".join(value for name, value in row.items() if name not in differ) for row in rows)


def with_tool(tool):
    return ["--tool", tool] if tool else []


def recorded(name, *command, tool=None, **more):
    done = nvtxh("record", "-o", here(name), *with_tool(tool), "--", *command, env=variables(**more))
    return done, contents(here(name))


def case_copy():
    """Another recorder as the tool writes what it writes alone, and so does the first: every call of NVTX's, also in domains that one of them
    leaves out."""
    copy = copy_of_recorder()
    for name in ["known-3", "families-3", *driver.versions("extended")]:
        alone, wanted = recorded(name + ".alone", program(name))
        done, ours = recorded(name + ".ours", program(name), tool=copy, XVTXH_RECORD_FILE=here(name + ".theirs"))
        equal((done.returncode, done.stdout if name != "known-3" else 0),
              (alone.returncode, alone.stdout if name != "known-3" else 0), name)
        equal(ours, wanted, f"{name}, of the recorder")
        equal(contents(here(name + ".theirs")), wanted, f"{name}, of the other")
        # What the first leaves out, the other has, and the other way round.
        _, lines = recorded(name + ".alone again", program(name), tool=copy, XVTXH_RECORD_FILE=here(name + ".none"), XVTXH_RECORD_DOMAIN_INCLUDE="none")
        equal(lines, wanted, f"{name}, of the recorder alone")
        _, wanted = recorded(name + ".any answer", program(name), ANY_ANSWER="1")
        done = nvtxh("record", "-o", here(name + ".nothing"), "--domain-include", "none", "--tool", copy, "--", program(name),
                     env=variables(XVTXH_RECORD_FILE=here(name + ".all"), ANY_ANSWER="1"))
        must(b"nothing is in " in done.stderr and done.returncode == alone.returncode, done)
        equal(contents(here(name + ".all")), wanted, f"{name}, of the other alone")
    many = program(driver.versions("refused")[-1])
    _, wanted = recorded("many.alone", many, "calls")
    recorded("many", many, "calls", tool=copy, XVTXH_RECORD_FILE=here("many.theirs"))
    equal(contents(here("many.theirs")), wanted, "many payloads, of the other")


def logged(name, *command, **more):
    """What the tool of the other tests got: its lines without the thread."""
    log = pathlib.Path(here(name + ".log"))
    done = driver.run(*command, env=variables(NVTXH_TEST_LOG=str(log), **more))
    return done, [line.split(" ", 1)[1] for line in log.read_text().splitlines()] if log.exists() else []


def case_log():
    """A tool of any sort gets every call that it gets alone, in the same order, with its own handles."""
    for kind in ("", "null", "uncounted", "core", "core2", "pushpop", "nostring", "nodomain", "mark", "noend", "thread"):
        alone, wanted = logged("alone" + kind, program("beside"), NVTX_INJECTION64_PATH=log_tool(), NVTXH_TEST_TOOL=kind)
        done, lines = logged("chained" + kind, driver.args.nvtxh, "record", "-q", "-o", here(kind + ".nvtxh"), "--tool", log_tool(), "--",
                             program("beside"), NVTXH_TEST_TOOL=kind)
        equal((done.returncode, done.stderr), (alone.returncode, b""), kind)
        # A range that has ended already is no range of the tool's any more.
        again = [line for i, line in enumerate(wanted) if re.match(r"end #[1-9]", line) and line in wanted[:i]]
        for line in again:
            wanted[len(wanted) - 1 - wanted[::-1].index(line)] = "end #0"
        if kind in ("null", "nodomain"):  # neither does a tool that made no domain destroy one
            wanted = [line for line in wanted if line != "destroy -"]
        equal(lines, wanted, kind)
        must(wanted, kind)
        recorded("plain" + kind, program("beside"))
        equal(contents(here(kind + ".nvtxh")), contents(here("plain" + kind)), f"recording beside {kind}")


def case_null():
    """Where the program gives no text, the tool gets an empty one: some tools read where NULL points to."""
    _, wanted = logged("alone", program("beside"), "empty", NVTX_INJECTION64_PATH=log_tool())
    done, lines = logged("chained", driver.args.nvtxh, "record", "-q", "-o", here("rec.nvtxh"), "--tool", log_tool(), "--", program("beside"), "null")
    equal((done.returncode, done.stderr), (0, b""), "null")
    must(len(wanted) >= 10, wanted)
    equal(lines, wanted, "null")
    # Without attributes, the calls of marks and ranges are passed on, and nothing is made.
    done = driver.run(driver.args.nvtxh, "record", "-q", "-f", "-o", here("rec.nvtxh"), "--tool", program("tool.so"), "--", program("beside"), "none",
                      env=variables())
    equal((done.returncode, done.stderr),
          (0, b"1 pushes, 1 pops\nnvtxh: not recorded: 1 generic resource (nvtxDomainResourceCreate), "
              b"1 synchronization event (nvtxDomainSyncUser*)\n"), "no attributes")


def case_answers():
    """The program gets what the recorder returns, whatever the tool returns."""
    def answers(tool=None, **more):
        return driver.run(driver.args.nvtxh, "record", "-q", "-f", "-o", here("rec"), *with_tool(tool), "--", program("beside"),
                          env=variables(**more)).stdout
    recorder = answers()
    plain = contents(here("rec"))
    for kind in ("uncounted", "null", "fail", ""):
        equal(answers(log_tool(), NVTXH_TEST_TOOL=kind), recorder, kind)
        equal(contents(here("rec")), plain, f"the recording, {kind}")


def case_bad():
    """A file that is no tool is reported with the reason, and left out. All else is as if it had not been given."""
    _, wanted = recorded("plain", program("beside"))
    os.symlink(driver.args.library, here("link.so"))
    pathlib.Path(here("text.so")).write_text("no library")
    good, tool = log_tool(), program("tool.so")
    for path, complaints in (
            ("/nowhere/tool.so", ["/nowhere/tool.so is ignored: ", "o such file"]),
            (here("text.so"), [here("text.so") + " is ignored: "]),
            (driver.directory, [driver.directory + " is ignored: "]),
            (program("plugin.so"), ["no InitializeInjectionNvtx2"]),
            (driver.args.library, ["it is the recorder"]),
            (here("link.so"), ["it is the recorder"]),
            ("", []), (tool, []), (good, []), (copy_of_recorder(), [])):
        done = driver.run(program("beside"), env=variables(NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE=here("rec.nvtxh"),
                                                           NVTXH_RECORD_TOOL=path, NVTXH_TEST_LOG=here("log")))
        said, lines = [line for line in done.stderr.decode().splitlines() if "pushes" not in line], contents(here("rec.nvtxh"))
        equal(done.returncode, 5, said)
        equal(len(said), 1 if complaints else 0, f"lines about {path}: {said}")
        must(all(c in said[0] for c in complaints) and said[0].startswith("nvtxh: the tool ") if said else True, said)
        equal(lines, wanted, f"recording beside {path}")
        equal(os.path.exists(here("log")), path == good, f"{good} was used")
        must(path != tool or b"20 pushes, 24 pops" in done.stderr, done.stderr)
        for left in here("rec.nvtxh"), here("log"):
            if os.path.exists(left):
                os.unlink(left)
    for kind in "fail", "faillate", "failext":
        done, lines = recorded(kind, program("beside"), tool=good, NVTXH_TEST_TOOL=kind)
        must((b"initialisation failed" in done.stderr) == (kind != "failext"), done.stderr)
        equal(lines, wanted, kind)


def case_kinds():
    """A tool that uses NVTX itself, waits for threads that do, or returns garbage breaks nothing."""
    _, wanted = recorded("plain", program("beside"))
    for kind, own in (("nested", "of the tool,"), ("garbage", None), ("thread", "of the tool's thread,")):
        done, lines = recorded(kind, program("beside"), tool=program("tool.so"), TOOL_IS=kind)
        equal(done.returncode, 5, done.stderr)
        must(b"20 pushes, 24 pops" in done.stderr, done.stderr)
        must(not own or any(own in line for line in lines), f"{own} is there")
        equal([line for line in lines if not own or own not in line], wanted, kind)


def case_named():
    """A tool that NVTX_INJECTION64_PATH names stays loaded, and the recording has its name. --tool may name it, too, but no other one."""
    done, _ = recorded("rec", program("beside"), NVTX_INJECTION64_PATH=log_tool(), NVTXH_TEST_LOG=here("log"))
    equal(done.returncode, 5, done.stderr)
    must(os.path.exists(here("log")), done.stderr)
    os.symlink(log_tool(), here("same.so"))
    done, _ = recorded("same", program("beside"), tool=here("same.so"), NVTX_INJECTION64_PATH=log_tool())
    equal(done.returncode, 5, done.stderr)
    done = nvtxh("record", "-o", here("two"), "--tool", program("tool.so"), "--", program("beside"), env=variables(NVTX_INJECTION64_PATH=log_tool()))
    must(done.returncode == 2 and b"names another tool" in done.stderr and not os.path.exists(here("two")), done.stderr)
    said = [line for line in nvtxh("stats", here("rec")).stderr.decode().splitlines() if "NVTX calls, too" in line]
    equal(said, [f"nvtxh: the tool {path} got the program's NVTX calls, too" for path in [log_tool()]], "tools")
    merged = nvtxh("export", "--format", "nvtxh", "-o", here("merged"), here("rec"))
    if merged.returncode == 0:
        must("the same calls" in nvtxh("stats", here("merged")).stderr.decode(), "after a merge")
    # The recorder itself, by whatever path, is no tool beside it.
    os.symlink(driver.args.library, here("link.so"))
    for path in here("link.so"), os.path.realpath(driver.args.library), os.path.relpath(driver.args.library):
        for more in None, program("tool.so"):
            done = nvtxh("record", "-q", "-f", "-o", here("rec"), *with_tool(more), "--", "env", env=variables(NVTX_INJECTION64_PATH=path))
            equal([line for line in done.stdout.decode().splitlines() if line.startswith("NVTXH_RECORD_TOOL=")],
                  [f"NVTXH_RECORD_TOOL={os.path.realpath(more)}"] if more else [], path)
    # Where nothing can be recorded the tool still gets its calls.
    for what in "beside", "structs":
        _, alone = logged("alone" + what, program(what), NVTX_INJECTION64_PATH=log_tool())
        done, lines = logged("only" + what, program(what), NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_TOOL=log_tool(),
                             NVTXH_RECORD_FILE="/nowhere/rec")
        must(b"continues unrecorded" in done.stderr, done.stderr)
        equal(lines, alone, f"{what} without a recording")


def case_structs():
    """A tool gets structs and counters by its own numbers; one that knows neither gets all ranges, and their ends."""
    def chained(name, what="structs", **more):
        done, lines = logged(name, driver.args.nvtxh, "record", "-q", "-o", here(name), "--tool", log_tool(), "--", program(what), **more)
        equal((done.returncode, [line for line in done.stderr.splitlines() if b" about deferred events " not in line]), (0, []), name)
        return lines
    _, wanted = logged("alone", program("structs"), NVTX_INJECTION64_PATH=log_tool())
    must("{" in str(wanted) and "counter" in str(wanted), wanted)
    equal(chained("chained"), wanted, "structs")
    without = chained("without", NVTXH_TEST_TOOL="noext")
    for what in r"(train )?push\b", r"(train )?pop\b(?!!)", r"(train )?end\b(?!.*#0)":
        equal(*(sum(bool(re.match(what, line)) for line in lines) for lines in (without, wanted)), what)
    for what in driver.versions("extended"):
        lines = chained(what, what, NVTXH_TEST_TOOL="noext")
        equal([line.split()[1] for line in lines], ["push", "pop"] * 2, f"pushes with a payload, {what}")
    # Of ranges that begin with a payload the tool knows nothing.
    for what in driver.versions("semantics"):
        for kind in "", "noext":
            _, wanted = logged("alone" + kind + what, program(what), NVTX_INJECTION64_PATH=log_tool(), NVTXH_TEST_TOOL=kind)
            equal(chained(kind + what, what, NVTXH_TEST_TOOL=kind), wanted, f"{what} {kind}")
            equal(sum("unit=bytes time=14" in line for line in wanted), 0 if kind else 2, wanted)


def case_parts():
    """A payload of many parts has the tool's own schemas; only one of more than 16 parts is left out, if the tool has chosen the number of a schema."""
    for name in driver.versions("many_parts"):
        done, wanted = logged("alone" + name, program(name), NVTX_INJECTION64_PATH=log_tool())
        equal(done.returncode, 0, done.stderr)
        wanted = [re.sub(r"(struct{n=\d+}){17,}", "", line) for line in wanted]
        must(len(wanted) > 5 * 2 * 7 and any(line.count("struct{") == 16 for line in wanted) and "parts pop " in wanted, wanted)
        done, lines = logged("chained" + name, driver.args.nvtxh, "record", "-q", "-o", here(name), "--tool", log_tool(), "--", program(name))
        equal((done.returncode, done.stderr), (0, b""), name)
        # Of a mark, this tool looks at one part, even if there is none.
        equal(*([line for line in some if not re.match("parts mark 'struct (17|18|40)'", line)] for some in (lines, wanted)), name)


def case_handed_over():
    """What the program gets in NVTXH_RECORD_TOOL and LD_PRELOAD: the value of --tool, or the tool of NVTX_INJECTION64_PATH, and nothing that was set
    before; what is preloaded already comes after what the command adds."""
    ours, other = os.path.realpath(driver.args.library), os.path.realpath(log_tool())
    functions = os.path.join(os.path.dirname(ours), "libnvtxh-functions.so")
    for seed in range(30):
        chance = random.Random(seed)
        tool, before, found = chance.choice((None, other)), chance.choice((None, "", "x.so")), chance.choice((None, "", "./.", ours, other))
        preloaded, is_compiled = chance.choice((None, "", "libm.so.6")), chance.random() < .5 and " " not in ours  # LD_PRELOAD splits at blanks
        given = {"NVTXH_RECORD_TOOL": before, "NVTX_INJECTION64_PATH": found, "LD_PRELOAD": preloaded}
        done = nvtxh("record", "-f", "-o", here("rec"), *with_tool(tool), *["--functions"] * is_compiled, "--", "env",
                     env=variables(**{name: value for name, value in given.items() if value is not None}))
        got = dict(line.partition("=")[::2] for line in done.stdout.decode().splitlines())
        equal(got.get("NVTXH_RECORD_TOOL"), other if other in (tool, found) else None, (given, tool))
        equal(got.get("LD_PRELOAD") or "", ":".join([functions] * is_compiled + [preloaded] * bool(preloaded)), (given, is_compiled))
        equal(got["NVTX_INJECTION64_PATH"], ours, given)


def case_tool():
    """--tool takes one path of a tool, also from here, and with a colon in it."""
    tool = program("tool.so")
    for options, said in ((["/nowhere/tool.so"], b"No such file"), (["nothing"], b"expected the library of an NVTX tool"), ([tool, "--tool", tool], b"is given twice")):
        done = driver.run(driver.args.nvtxh, "record", "--tool", *options, "-o", here("none"), "--", program("beside"), env=variables())
        must(done.returncode == 2 and said in done.stderr and not os.path.exists(here("none")), done.stderr)
    _, wanted = recorded("plain", program("beside"))
    os.mkdir(here("a:b"))
    for name, path in ("by name", os.path.relpath(tool)), ("colon", shutil.copy(tool, here("a:b/tool.so"))):
        done, lines = recorded(name, program("beside"), tool=path)
        equal(lines, wanted, "the recording")
        must(b"20 pushes, 24 pops" in done.stderr, done.stderr)


if __name__ == "__main__":
    sys.exit(driver.main(globals()))
