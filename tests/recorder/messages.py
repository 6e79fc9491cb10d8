#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the recorder and the command say does the program no harm, wherever descriptor 2 leads."""
import os
import pty
import resource
import shutil
import signal
import subprocess
import termios

from harness import driver, readers
from harness.checks import optional
from harness.driver import equal, here, instances, must, program, stats

DATA = "data of the program\n"


def environment(**variables):
    clean = {k: v for k, v in os.environ.items() if not k.startswith(("NVTX_", "NVTXH_"))}
    return {**clean, "NVTX_INJECTION64_PATH": driver.args.library, **variables}


def limited():
    resource.setrlimit(resource.RLIMIT_FSIZE, (65536, 65536))


def started(command, stderr, **options):
    """Its status and output; a program that hangs is an error."""
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=stderr, cwd=driver.directory, **options) as process:
        try:
            out = process.communicate(timeout=240)[0]
        except subprocess.TimeoutExpired:
            process.kill()
            return "hangs", b""
        return process.returncode, out


def forget():
    """Removes recordings of the runs before."""
    for name in os.listdir(driver.directory):
        if name.endswith(".nvtxh"):
            os.unlink(here(name))


def troubles():
    """{what: (command, options)}: what the recorder has a message about."""
    load = [program("load"), "2", "20000"]
    with open(here("progress"), "wb") as f:
        f.write(bytes(8192))
    found = {
        "unopenable": (load, {"env": environment(NVTXH_RECORD_FILE="/proc/none/rec")}),
        "full": (load, {"env": environment(NVTXH_RECORD_FILE=here("full.nvtxh")), "preexec_fn": limited}),
        "mistaken": (load, {"env": environment(NVTXH_RECORD_FILE=here("own.nvtxh"), NVTXH_RECORD_RING="x")}),
        "no tool": (load, {"env": environment(NVTXH_RECORD_FILE=here("own.nvtxh"), NVTXH_RECORD_TOOL="/proc/none/tool.so")}),
        "threads": ([program("load"), "200", "1000", here("progress"), "2000"],
                    {"env": environment(NVTXH_RECORD_FILE=here("own.nvtxh"), NVTXH_RECORD_RING="256k")}),
    }
    if os.path.exists(program("static")):
        found["static"] = ([program("static"), "2", "20000"], {"env": environment()})
    if os.geteuid() == 0:  # a program with more privileges than its caller
        copy = shutil.copy(program("load"), here("privileged"))
        os.chown(copy, 1, 1)
        os.chmod(copy, 0o6755)
        # The program's user may not enter the folder of the build, as below /root.
        os.chmod(driver.directory, 0o755)
        found["privileged"] = ([copy, "2", "20000"], {"env": environment(
            NVTX_INJECTION64_PATH=shutil.copy(driver.args.library, driver.directory))})
    return found


def said(command, options):
    """What it says where somebody reads."""
    readable, written = os.pipe()
    with readers.opened(readable, written):
        equal(started(command, written, **options), (5, b"finished\n"), command)
        return readers.rest(readable)


def case_hostile():
    """Every message to a reader that has gone or does not read: the program has its output and its status."""
    for what, (command, options) in troubles().items():
        for name, kind in readers.HOSTILE.items():
            forget()
            with optional(), kind() as stderr:
                equal(started(command, stderr, **options), (5, b"finished\n"), f"{what}, {name}")
                if what == "full":  # the reason is in the recording
                    must("limit on file sizes" in stats(here("full.nvtxh"))[1], name)
        forget()
        must(b"nvtxh: " in said(command, options), f"{what}: no message where somebody reads")


def case_room():
    """A line is in a pipe whole or not at all; also if many processes write to one that has room for one line."""
    command, options = troubles()["unopenable"]
    line = said(command, options)
    with readers.small_pipe(len(line) - 1) as (reader, writer):
        equal(started(command, writer, **options), (5, b"finished\n"), "without room")
        must(b"nvtxh" not in readers.rest(reader), "a part of a line")
    for _ in range(10):
        with readers.small_pipe(4096) as (reader, writer):
            all_of = [subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=writer, **options) for _ in range(8)]
            equal([process.wait(240) for process in all_of], [5] * 8, "all at once")
            found = readers.rest(reader)
            must(found and found == line * (len(found) // len(line)), "whole lines", found)


def case_limit():
    """A file for stderr that may not grow: no SIGXFSZ."""
    command, options = troubles()["unopenable"]
    with open(here("log"), "wb+") as log:
        log.write(bytes(65536))
        log.flush()
        equal(started(command, log, **{**options, "preexec_fn": limited}), (5, b"finished\n"), "at the limit")
        equal(os.fstat(log.fileno()).st_size, 65536, "size")


def case_background():
    """A program in a terminal's background, where `stty tostop` holds, is not stopped by a message."""
    command, options = troubles()["full"]
    readers.need_terminals()
    pid, terminal = pty.fork()
    if pid == 0:  # leads the session; its terminal is descriptors 0 to 2
        attributes = termios.tcgetattr(2)
        attributes[3] |= termios.TOSTOP
        termios.tcsetattr(2, termios.TCSANOW, attributes)
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, process_group=0, **options)
        status = os.waitpid(process.pid, os.WUNTRACED)[1]
        process.kill()
        os._exit(0 if os.WIFEXITED(status) and os.WEXITSTATUS(status) == 5 else 1)
    with readers.opened(terminal):
        equal(os.waitpid(pid, 0)[1], 0, "the program was stopped")


def closed_stderr():
    os.close(2)


def case_reused():
    """A file of the program's that has got the number 2 gets no message: recorded by the command, or injected."""
    for way in ("first", "private", "later"):
        data = here("data")
        command = [program("reused"), data, way]
        for what, start, options in (
                ("unopenable", command, {"env": environment(NVTXH_RECORD_FILE="/proc/none/rec")}),
                ("full", command, {"env": environment(NVTXH_RECORD_FILE=here(f"{way}.nvtxh")), "preexec_fn": limited}),
                ("full, by the command", [driver.args.nvtxh, "record", "-f", "-o", here("rec.nvtxh"), "--", *command],
                 {"preexec_fn": limited}),
                ("lost, by the command", [driver.args.nvtxh, "record", "-f", "-o", here("lost.nvtxh"), "--", "sh", "-c",
                                          'rm "$1"; shift; exec "$@"', "sh", here("lost.nvtxh"), *command], {})):
            if way == "first" and "command" not in what:
                continue  # nobody can know what descriptor 2 was
            prepare = [options.pop("preexec_fn", None), None if way == "later" else closed_stderr]
            equal(started(start, subprocess.DEVNULL, preexec_fn=lambda all_of=prepare: [f() for f in all_of if f], **options),
                  (5, b"finished\n"), f"{way}, {what}")
            with open(data) as f:
                equal(f.read(), DATA * 21, f"{way}, {what}: the program's file")


def case_numbers():
    """The recorder and the command keep none of the descriptors 0 to 2, however few there are."""
    rec = here("rec.nvtxh")
    command = [program("reused"), "-", "closed"]
    for closed in ("2>&-", "<&- 2>&-"):
        for limit in (64, 16):
            for start, variables in ((f'"$NVTXH" record -f -o {rec} -- "$@"', {}),
                                     ('exec "$@"', {"NVTX_INJECTION64_PATH": driver.args.library, "NVTXH_RECORD_FILE": rec})):
                forget()
                env = {**environment(NVTXH=driver.args.nvtxh), "NVTX_INJECTION64_PATH": "", **variables}
                equal(started(["sh", "-c", f"ulimit -n {limit}; {{ {start}; }} {closed}", "sh", *command], subprocess.DEVNULL,
                              env=env), (5, b"finished\n"), f"{closed}, {limit}, {start}")
                equal(instances(rec), {("PushPop", "range"): 20000}, "what was recorded")
    # Where no other number is free, nothing is recorded.
    done = started([driver.args.nvtxh, "record", "-f", "-o", rec, "--", program("reused"), "-", "none"], subprocess.DEVNULL)
    equal(done, (5, b"finished\n"), "no number is free")
    equal(instances(rec), {}, "what was recorded")


def case_record():
    """The command ends with the program's status if nobody reads its messages, and the program has SIGPIPE as it was."""
    rec = here("rec.nvtxh")
    for command, status in ((["sh", "-c", "exit 5"], 5), ([program("load"), "1", "10"], 5), (["/proc/none/program"], 127),
                            (["sh", "-c", "kill -s PIPE $$"], 128 + signal.SIGPIPE)):
        for more in ([], ["--ring", "1M", "--snapshot-when", "signal USR1"]):
            with readers.gone_pipe() as stderr:
                begun = [driver.args.nvtxh, "record", "-f", "-o", rec, *more, "--", *command]
                equal(started(begun, stderr)[0], status, f"{more}, {command}")
            left = sorted(os.listdir(driver.directory))
            must(left in ([], ["rec.nvtxh"]), left)
    # Ignored by our parent, it is ignored in the program.
    with readers.gone_pipe() as stderr:
        done = started([driver.args.nvtxh, "record", "-f", "-o", rec, "--", "sh", "-c", "kill -s PIPE $$; exit 6"], stderr,
                       preexec_fn=lambda: signal.signal(signal.SIGPIPE, signal.SIG_IGN), restore_signals=False)
        equal(done[0], 6, "ignored")
    # Where descriptor 2 is closed, what the command says is in no file.
    before = stats(rec)[1]
    equal(started([driver.args.nvtxh, "record", "-f", "-o", rec, "--", program("load"), "1", "10"], subprocess.DEVNULL,
                  preexec_fn=closed_stderr), (5, b"finished\n"), "closed")
    must("damaged" not in before + stats(rec)[1], stats(rec)[1])


def case_top():
    """top ends with the program and its status, and leaves no file, if nobody reads its tables, or after SIGTERM or SIGHUP."""
    folder = here("temporary")
    os.mkdir(folder)
    env = {**environment(), "NVTX_INJECTION64_PATH": "", "TMPDIR": folder}
    script = 'i=0; while [ $i -lt 8 ]; do "$0" 1 1000 > /dev/null; sleep 0.05; i=$((i+1)); done; exit 6'
    begun = [driver.args.nvtxh, "top", "-i", "0.05", "--", "sh", "-c", script, program("load")]
    with readers.gone_pipe() as stdout:
        done = subprocess.run(begun, stdout=stdout, stderr=subprocess.PIPE, env=env, timeout=240, check=False)
    equal((done.returncode, done.stderr, os.listdir(folder)), (6, b"", []), "nobody reads")
    with open("/dev/full", "wb") as full:
        done = subprocess.run(begun, stdout=full, stderr=subprocess.PIPE, env=env, timeout=240, check=False)
    equal((done.returncode, os.listdir(folder)), (6, []), "a full disk")
    equal(done.stderr.count(b"cannot write the output"), 1, done.stderr)
    done = subprocess.run(begun, capture_output=True, env={**env, "TMPDIR": here("nowhere")}, timeout=240, check=False)
    must(done.returncode == 1 and b"cannot create" in done.stderr and not done.stdout, done)
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)  # nohup ignores SIGHUP, and so would the programs
        top = [driver.args.nvtxh, "top", "-i", "0.05", "--", program("load"), "1", "300000000"]
        with subprocess.Popen(top, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env) as process:
            process.stdout.readline()
            process.send_signal(number)
            said_last = process.communicate(timeout=240)[1]
        equal((process.returncode, os.listdir(folder)), (128 + number, []), said_last)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
