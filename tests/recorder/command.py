#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The command line: statuses, refusals, and files that were there before."""
import contextlib
import fcntl
import os
import resource
import shutil
import signal
import stat
import subprocess
import sys
import termios
import time

from harness import driver, readers
from harness.driver import equal, here, instances, must, nvtxh, program, record
from known import KNOWN


def case_command():
    """The command line: statuses, refusals, and no file that was there before is touched."""
    rec = here("rec.nvtxh")
    silent = program("silent")
    # The program's own status and output.
    for status in (0, 1, 77, 255):
        done = record(here(f"{status}.nvtxh"), silent, "exit", str(status))
        equal((done.returncode, done.stdout), (status, b"silent\n"), "exit")
        with open(here(f"{status}.nvtxh"), "rb") as f:
            equal(f.read(1200)[176:].rstrip(b"\0").decode(), f"{silent} exit {status}", "the command in the header")
        must(b"made no NVTX call" in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr)
    for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSEGV):
        equal(record(here(f"s{number}.nvtxh"), silent, "signal", str(int(number))).returncode, 128 + number,
              "status after a signal")
    done = nvtxh("stats", here("0.nvtxh"))
    must(done.returncode == 0 and b"no NVTX call" in done.stderr, done.stderr)
    equal(record(rec, here("no such program")).returncode, 127, "status for a missing program")
    must(not os.path.exists(rec), "a recording of nothing was left")
    equal(record(rec, driver.directory).returncode, 126, "status for a directory")
    # Without --force, nothing is replaced, and no link is followed.
    for name in ("file", "link", "dangling"):
        path = here(name)
        if name == "file":
            open(path, "w").write("precious")
        else:
            os.symlink(here("file") if name == "link" else here("nowhere"), path)
        done = record(path, silent)
        equal((done.returncode, done.stdout), (2, b""), f"recording to a {name}: {done.stderr}")
    for name in ("link", "dangling"):
        done = nvtxh("record", "--force", "-o", here(name), "--", silent)
        equal(done.returncode, 0, done.stderr)
        must(not os.path.islink(here(name)), "a link is still there")
    equal(open(here("file")).read(), "precious", "the file behind the link")
    must(not os.path.exists(here("nowhere")), "something was made behind a link")
    # In a directory: named after the program, and never the same name twice.
    os.mkdir(here("directory"))
    for _ in range(2):
        equal(record(here("directory"), silent).returncode, 0, "a directory")
    for options in ("-f",), ():
        equal(nvtxh("record", *options, "-o", here("directory"), "--", silent).returncode, 0, "a directory")
    equal(sorted(os.listdir(here("directory"))), ["silent.2.nvtxh", "silent.3.nvtxh", "silent.4.nvtxh", "silent.nvtxh"], "in a directory")
    equal(nvtxh("record", "-f", "-o", here("file"), "--", silent).returncode, 0, "a file, with --force")
    # Without -o: named after the program, and never the same name twice.
    for name in ("silent.nvtxh", "silent.2.nvtxh", "silent.3.nvtxh"):
        nvtxh("record", silent, cwd=driver.directory)
        must(os.path.exists(here(name)), f"no {name}")
    # Wrong arguments.
    for bad in (["record"], ["record", "--nonsense", "x"], ["record", "-o"], ["record", "-o", "", "x"], ["stats"],
                ["stats", "a", "b"], ["stats", "--csv=x", "a"], ["nonsense"], [],
                ["record", "-o", here("file/rec"), "--", silent], ["record", "-o", "/proc/rec.nvtxh", "--", silent],
                ["record", "-o", "/proc/rec%n.nvtxh", "--", silent], ["record", "-o", "/proc", "--", silent]):
        done = nvtxh(*bad)
        equal((done.returncode, done.stdout), (2, b""), f"nvtxh {bad}: {done.stderr}")
        must(done.stderr.startswith((b"nvtxh: ", b"usage: ")), done.stderr)
    for good in (["--help"], ["record", "--help"], ["stats", "--help"], ["--version"]):
        done = nvtxh(*good)
        must(done.returncode == 0 and done.stdout and not done.stderr, f"nvtxh {good}: {done}")
    # Output that cannot be written is an error.
    if os.path.exists("/dev/full"):
        with open("/dev/full", "w") as full:
            done = subprocess.run([driver.args.nvtxh, "stats", "--csv", here("0.nvtxh")], stdout=full, stderr=subprocess.PIPE)
            equal(done.returncode, 1, "status when the output cannot be written")
    # A signal to nvtxh alone reaches the program.
    for number in signal.SIGTERM, signal.SIGALRM:
        with begun("sh", "-c", "echo; exec sleep 600") as process:
            process.send_signal(number)
            equal(process.wait(), 128 + number, f"status after signal {number} to nvtxh")
    # One to the process group reaches both: the program gets it once, as it does if nvtxh alone gets it.
    counts = ("import signal; s = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1]; signal.pthread_sigmask(signal.SIG_BLOCK, s); print(flush=True)\n"
              "while True: print(signal.sigwaitinfo(s).si_signo, signal.sigtimedwait(s, .3) and 'twice', flush=True)")
    with begun(sys.executable, "-c", counts, start_new_session=True) as process:
        try:
            for number in signal.SIGTERM, signal.SIGTERM, signal.SIGHUP, signal.SIGTERM:
                for send in process.send_signal, lambda number: os.killpg(process.pid, number):
                    send(number)
                    equal(process.stdout.readline(), b"%d None\n" % number, f"signals to the program after {send}")
        finally:
            os.killpg(process.pid, signal.SIGKILL)
    # One that is ignored, as under nohup, stays so.
    with begun("sh", "-c", "echo; read line", stdin=subprocess.PIPE, preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        must(handling("SigIgn", process) >> signal.SIGHUP - 1 & 1, "SIGHUP is ignored")
        process.communicate(b"\n")
    # One of the terminal reaches both: the program gets it from the kernel alone.
    terminal, end = readers.terminal()
    waits = ("import signal; s = [signal.SIGINT]; signal.pthread_sigmask(signal.SIG_BLOCK, s); print(flush=True)\n"
             "for _ in range(6): print(signal.sigwaitinfo(s).si_code > 0, signal.sigtimedwait(s, .05), flush=True)")
    with readers.opened(terminal, end), begun(sys.executable, "-c", waits, stdin=end, start_new_session=True,
                                              preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0)) as process:
        for _ in range(6):
            os.write(terminal, b"\3")
            equal(process.stdout.readline(), b"True None\n", "whether the kernel has sent it, and one more")


def handling(what, process):
    """A mask of signals: SigIgn, those that a process ignores, or SigCgt, those that it has a handler for."""
    with open(f"/proc/{process.pid}/status") as f:
        return next(int(line.split()[1], 16) for line in f if line.startswith(what))


@contextlib.contextmanager
def begun(*command, **options):
    """nvtxh record of a program that has written an empty line; nvtxh has set its signals, which the program may be ahead of."""
    with subprocess.Popen([driver.args.nvtxh, "record", "-q", "-f", "-o", here("signal.nvtxh"), "--", *command], stdout=subprocess.PIPE, **options) as process:
        equal(process.stdout.readline(), b"\n", "the program")
        while not handling("SigCgt", process) >> signal.SIGTERM - 1 & 1:
            time.sleep(0.01)
        yield process


def left():
    """The files in the folder."""
    return sorted(os.listdir(driver.directory))


def case_replace():
    """An existing file stays until its replacement is complete, and no other file is left behind."""
    silent = program("silent")
    rec = here("rec")
    record(rec, program("known-3"))
    with open(rec, "rb") as f:
        good = f.read()
    # A program that cannot run.
    with open(here("astray"), "w", opener=lambda path, flags: os.open(path, flags, 0o755)) as f:
        f.write("#!/no/interpreter\n")
    for bad, status in ((here("tpyo"), 127), (driver.directory, 126), (here("astray"), 127), ("astray", 127)):
        done = nvtxh("record", "-f", "-o", rec, "--", bad, cwd=driver.directory)
        equal(done.returncode, status, f"status of {bad}")
        equal(b"give its path with ./" in done.stderr, bad == "astray", f"{bad}: {done.stderr}")
        equal(open(rec, "rb").read(), good, f"the recording after {bad}")
    os.unlink(here("astray"))
    # A file that cannot be made.
    done = subprocess.run([driver.args.nvtxh, "record", "-f", "-o", rec, "--", silent], capture_output=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000)))
    must(done.returncode == 0 and done.stdout == b"silent\n" and b"runs unrecorded" in done.stderr, done)
    equal(open(rec, "rb").read(), good, "the recording after a failure")
    equal(left(), ["rec"], "files")
    # An export over its own recording, by any name of it.
    os.link(rec, here("same"))
    for out in (rec, here("same")):
        equal(nvtxh("export", "-f", "--format", "csv", rec, "-o", out).returncode, 2, "status over the recording itself")
    equal(open(rec, "rb").read(), good, "the recording")
    os.unlink(here("same"))
    # A file that cannot be written to its end.
    with open(here("out"), "w") as f:
        f.write("before")
    for form in "csv", "sqlite":
        def limit():
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
        done = subprocess.run([driver.args.nvtxh, "export", "-f", "--format", form, rec, "-o", here("out")], capture_output=True,
                              preexec_fn=limit)
        must(done.returncode == 1 and b"cannot write" in done.stderr, form, done)
        equal((open(here("out")).read(), left()), ("before", ["out", "rec"]), f"after {form}")
    # What exists, and names for which no file can be made: the same for all.
    os.mkfifo(here("fifo"))
    for command in (["record", "-o", "{}", "--", silent], ["export", "--format", "csv", rec, "-o", "{}"], ["merge", "-o", "{}", rec]):
        for force in (), ("-f",):
            for name in ("out", "fifo", "out/no", "slash/")[bool(force):None if command[0] != "record" else 3]:
                words = [word.format(here(name)) for word in command]
                done = nvtxh(words[0], *force, *words[1:])
                equal((done.returncode, len(done.stderr.splitlines())), (2, 1), f"{words}: {done.stderr}")
                must((b"give --force" in done.stderr) == (name == "out"), done.stderr)
    equal((open(here("out")).read(), left()), ("before", ["fifo", "out", "rec"]), "at the end")
    nvtxh("record", "-o", here("new/slash/"), "--", silent)  # a directory that is to be made
    equal(os.listdir(here("new/slash")), ["silent.nvtxh"], "a directory")
    shutil.rmtree(here("new"))
    # Names with fields are no other names.
    os.mkdir(here("folder"))
    os.mkfifo(here("fifo%"))
    before = left()
    for job, name in ("folder", here("%j")), ("any", here("fifo%%")):
        done = nvtxh("record", "-f", "-o", name, "--job", job, "--", silent)
        equal((done.returncode, len(done.stderr.splitlines()), left()), (2, 1, before), f"{name}: {done.stderr}")
    must(os.path.isdir(here("folder")) and stat.S_ISFIFO(os.stat(here("fifo%")).st_mode), "they stay")
    done = nvtxh("merge", "-o", here("twice"), rec, rec)
    must(done.returncode == 2 and b"the same recording" in done.stderr, done)
    equal(instances(rec), KNOWN, "ranges")


def case_interrupted():
    """A command that a signal ends leaves no file that is half written, and the one that it would have replaced."""
    rec = here("rec")
    record(rec, program("load"), "1", "200000")
    caught = 0
    for turn, command in enumerate((("export", "--format", "csv", "-o"), ("export", "--format", "chrome", "-o"), ("merge", "-o"), ("view", "--no-open", "-o"), ("snapshot", "-o"))):
        number = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)[turn % 3]
        nvtxh(command[0], "-f", *command[1:], here("out"), rec)
        whole = os.path.getsize(here("out"))
        for _ in range(20):
            with open(here("out"), "w") as f:
                f.write("before")
            with subprocess.Popen([driver.args.nvtxh, command[0], "-f", *command[1:], here("out"), rec], stderr=subprocess.DEVNULL) as process:
                while process.poll() is None and left() == ["out", "rec"]:
                    pass
                process.send_signal(number)
            equal(left(), ["out", "rec"], f"{command} and {number.name}")
            caught += process.returncode == -number
            with open(here("out"), errors="replace") as f:  # a signal may also come when all is done
                must(process.returncode != -number or f.read(6) == "before" or os.path.getsize(here("out")) == whole, command)
            if process.returncode == -number:
                break
    must(caught, "no command was ever caught")


def case_spared():
    """No command replaces the recording that it reads, by any name of it; nor one to which a program is recorded."""
    rec, old, third, silent = here("rec"), here("old"), here("third"), program("silent")
    record(old, program("known-3"))
    record(third, program("known-3"))
    os.symlink(rec, here("link"))
    os.symlink(old, here("old link"))
    live = subprocess.Popen([driver.args.nvtxh, "record", "-o", rec, "--", program("paced"), "100000"], stdout=subprocess.DEVNULL,
                            stderr=subprocess.PIPE)
    while not os.path.exists(rec) or b"tick" not in nvtxh("export", "--format", "csv", rec).stdout:
        time.sleep(0.05)
    os.link(rec, here("twin"))
    before = left(), os.stat(rec).st_ino

    def refused(why, *command):
        done = nvtxh(command[0], "-f", *command[1:])
        equal((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, b"", 1), f"{command}: {done.stderr}")
        must(why in done.stderr and os.path.basename(command[2]).encode() in done.stderr, command, done.stderr)

    for given, other in (rec, "link"), (rec, "twin"), (rec, "rec"), (old, "old link"), (old, "old"):
        for one, out in (given, here(other)), (here(other), given):
            for command in (["snapshot", "-o", out, one], ["merge", "-o", out, one], ["view", "-o", out, "--no-open", one],
                            ["merge", "-o", out, third, one], ["view", "-o", out, "--no-open", third, one],
                            ["view", "-o", out, "--no-open", "--against", one, old if given == rec else rec],
                            ["export", "-o", out, "--format", "csv", one], ["export", "-o", out, "--format", "sqlite", one]):
                refused(b"is the recording itself", *command)
    for command in (["snapshot", "-o", rec, old], ["merge", "-o", rec, old], ["view", "-o", rec, "--no-open", old],
                    ["export", "-o", rec, "--format", "csv", old], ["record", "-o", rec, "--", silent]):
        refused(b"is recorded there", *command)
    equal((left(), os.stat(rec).st_ino), before, "files")
    live.send_signal(signal.SIGTERM)
    said = live.communicate()[1]
    must(b" 0 dropped, in " in said and instances(rec)["Mark", "tick"] > 0, said)
    equal(nvtxh("record", "-f", "-o", rec, "--", program("known-3")).returncode, 7, "a recording that has ended is replaced")
    equal(instances(rec), KNOWN, "by another")


if __name__ == "__main__":
    driver.main(globals(), __doc__)
