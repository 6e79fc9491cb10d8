#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What `nvtxh record` says when the program has ended."""
import csv
import errno
import io
import json
import os
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import time

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, versions
from records import EXTENDED, Recording, words

EVENTS = {"push", "pop", "start", "end", "mark", "count", "push by preset"}
NO_EVENTS = {"payload", "preset", "no push", "ended"}  # of the extended ones


def counted(rec):
    """Events, threads with events, and dropped events, by a reader made from FORMAT.md."""
    r = Recording(rec)
    events = threads = 0
    dropped = sum(words(r.data, 1200, 2))
    for process, streams in r.streams.items():
        losses = r.losses(process)
        dropped += losses[0] + losses[1] + sum(s.dropped for number, s in streams.items() if number)
        gates = [(words(g.body, 0, 1)[0], g.id) for g in r.names("gate", process)]
        for number, s in streams.items():
            some = 0
            for record in s.records if number else ():
                if record.kind == "thread":
                    threads += some > 0 and s.in_handlers == 0
                    events, some = events + some, 0
                before = [opens for ticks, opens in gates if ticks <= record.ticks]
                is_open = before[-1] if before else not gates or not gates[0][1]
                extended = record.kind == "extended" and EXTENDED[record.id] not in NO_EVENTS
                some += bool((record.kind in EVENTS or extended) and is_open)
            events += some
            threads += some > 0 and s.in_handlers == 0
    return events, threads, dropped


def said(line):
    found = re.search(r"(\d+) events?, (\d+) threads?, (?:\d+ processes, )?(\d+) dropped, in ", line)
    must(found, "a closing line in", line)
    return tuple(int(n) for n in found.groups())


def case_counts():
    """The numbers of events, threads and dropped events are those in the file: with every kind of event, gates, rings, and if killed."""
    for options, name, *arguments in (
            ([], "known-3"), ([], "extended-3"), ([], "presets"), ([], "load", "3", "10000"),
            (["--ring", "256k"], "load", "4", "40000"), (["--ring", "256k"], "alive", "60"), (["--ring", "64MiB"], "phases"),
            (["--domain-exclude", "first"], "phases"), (["--domain-include", "second"], "phases"),
            (["--capture-range", "steady"], "phases"), (["--from=0.05", "--to=0.15"], "paced", "300"),
            (["--from=0.000000001"], "recycled", "20", "1"),
            (["--ring", "256k"], "hard")):  # with chunks of handlers, since its handler interrupts events
        if not os.path.exists(program(name)):
            continue
        done = nvtxh("record", "-fo", here("rec"), *options, "--", program(name), *arguments)
        equal(said(done.stderr.decode()), counted(here("rec")), f"{options} {name}")
    # A later process that finds no room, not even for its names.
    done = nvtxh("record", "-fo", here("rec"), "--", "sh", "-c", f"{program('load')} 2 40000; {program('load')} 1 500; {program('load')} 3 70",
                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 19, 1 << 19)))
    events, _, dropped = said(done.stderr.decode())
    must(dropped >= 2 * (500 + 3 * 70) and events > 10000, done.stderr)
    equal(events + dropped, 2 * (2 * 40000 + 500 + 3 * 70), "events and dropped ones of three processes")
    equal(said(done.stderr.decode()), counted(here("rec")), "processes without room")
    stats = nvtxh("stats", here("rec")).stderr.decode()
    must(f"{dropped} events were dropped" in stats and "its file reached the limit on file sizes" in stats, stats)
    nvtxh("merge", "-fo", here("merged"), here("rec"))
    must(f"{dropped} events were dropped" in nvtxh("stats", here("merged")).stderr.decode(), "merged")
    for options in [], ["--ring", "256k"]:
        with open(here("progress"), "wb") as f:
            f.write(bytes(8192))
        process = subprocess.Popen([driver.args.nvtxh, "record", "-fo", here("rec"), *options, "--", program("load"), "2", "0",
                                    here("progress")], stderr=subprocess.PIPE)
        with open(here("progress"), "rb", buffering=0) as f:
            while not any(f.read(8)):
                f.seek(0)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)
        line = process.communicate()[1].decode()
        equal(said(line), counted(here("rec")), f"killed, {options}")


def case_next():
    """The command that it proposes next works as it is printed."""
    def proposed(number, *command):
        folder = here(f"{number} {command[0]} {len(command)}")
        os.mkdir(folder)
        done = nvtxh(*command, cwd=folder)
        line = done.stderr.decode().strip().partition("; next: nvtxh ")[2]
        told = subprocess.run(["sh", "-c", f"'{driver.args.nvtxh}' {line}"], cwd=folder, capture_output=True)
        must(line and told.returncode == 0, command, done.stderr, told.stderr)
        return line, told

    first = here("first.nvtxh")
    nvtxh("record", "-o", first, "--", program("known-3"))
    for number, name in enumerate(("plain.nvtxh", "with a space", "it's", "$HOME `x`", "-o", 'a "b" [c] #~&;<>|(){}!^\\', "w\u00f6rter", "*")):
        for command in ["record", "-o", name, "--", program("known-3")], ["snapshot", "-o", name, first], ["merge", "-o", name, first]:
            line, told = proposed(number, *command)
            must(b"outer" in told.stdout, name, line)
        # Of each process a recording.
        line, told = proposed(number, "record", "-o", name + "%p", "--", "sh", "-c", f"'{program('known-3')}'; '{program('known-3')}'")
        must(b"wrote all.nvtxh" in told.stderr, line, told)
        # Of other lines that propose a command.
        folder = here(f"{number} others")
        os.mkdir(folder)
        shutil.copy(first, os.path.join(folder, name))
        for command, before, after in ((["tree", "--domain", "x", "--", name], "; nvtxh ", " shows what there is"),
                                       (["doctor", "--", name], " is a recording; nvtxh ", " reads it")):
            done = nvtxh(*command, cwd=folder)
            said = " ".join((done.stdout + done.stderr).decode().split())
            line = said.partition(before)[2].partition(after)[0]
            told = subprocess.run(["sh", "-c", f"'{driver.args.nvtxh}' {line}"], cwd=folder, capture_output=True)
            must(line and told.returncode == 0, command, said, told.stderr)
    equal(proposed("last", "snapshot", "-o", "*", first)[0], "stats '*'", "quotes")


def case_signal():
    """If a signal ended the program, the line begins with the signal's name, and the status is that of a shell."""
    for command, what in ((f"{program('load')} 1 1000; kill -SEGV $$", "2000 events, 1 thread, 0 dropped, in "),
                          ("kill -KILL $$", "sh made no NVTX call")):
        number = signal.SIGSEGV if "SEGV" in command else signal.SIGKILL
        done = nvtxh("record", "-fo", here("rec"), "--", "sh", "-c", command)
        line, = done.stderr.decode().splitlines()
        must(done.returncode == 128 + number, command, done)
        must(line.startswith((f"nvtxh: ended by {number.name}: {what}", f"nvtxh: ended by signal {number}: {what}")), command, line)


def case_off():
    """If nothing was recorded, the variable that switches annotations off is named, or the flag that --functions needs."""
    domains = "switches off annotations made with nvtxh that are "
    for variables, said in (({"NVTXH_DISABLE": "1"}, "NVTXH_DISABLE is 1, which switches off all annotations made with nvtxh"),
                            ({"NVTX_DISABLE": "0", "NVTXH_DISABLE": ""}, "NVTX_DISABLE is 0, which switches off all annotations made with nvtxh or Python's nvtx"),
                            ({"NVTXH_DOMAIN_INCLUDE": "x"}, f"NVTXH_DOMAIN_INCLUDE is x, which {domains}not in these domains"),
                            ({"NVTXH_DOMAIN_EXCLUDE": "default,train"}, f"NVTXH_DOMAIN_EXCLUDE is default,train, which {domains}in these domains"),
                            ({"NVTXH_DOMAIN_EXCLUDE": "train"}, None), ({"NVTX_DISABLE": ""}, None)):
        for options in [], ["-q"], ["-o", here("rec%p")]:
            done = nvtxh("record", "-fo", here("rec"), *options, "--", program("misdirected"), env={**os.environ, **variables})
            line = done.stderr.decode()
            is_apart = "-o" in options and "DOMAIN" in next(iter(variables))  # there is a recording, in which nobody looks
            must(line.endswith(f": {said}\n") if said and not is_apart else " which " not in line, options, variables, line)
    if " " in os.path.realpath(driver.args.nvtxh):
        driver.skip("this build cannot be preloaded, because its path has blanks")
    for name, is_built in (program("silent"), False), (program("functions"), True):
        patterns = {"NVTXH_INSTRUMENT": "-*"}  # leaves out all functions
        for output in "rec", "rec%p":
            line = nvtxh("record", "-fo", here(output), "--functions", "--", name, "exit", "0", env={**os.environ, **patterns}).stderr.decode()
            must(is_built == ("silent was not built with -finstrument-functions" not in line), name, line)
    with open(here("script"), "w") as f:
        f.write("#!/bin/sh\n")
    os.chmod(here("script"), 0o755)
    line = nvtxh("record", "-fo", here("rec"), "--functions", "--", here("script")).stderr.decode()
    must("was it built with -finstrument-functions?" in line, line)


def case_killed():
    """A range of the program that was run, if that is killed, ends with it; one of another process ends at the last event of that process."""
    worker = f"{program(versions('incidents')[-1])} p w10 p"
    for command, is_program in ((f"{worker} k; sleep 0.5", False), (f"exec {worker} k", True)):
        nvtxh("record", "-fo", here("rec"), "--", "sh", "-c", command)
        rows = list(csv.DictReader(io.StringIO(nvtxh("export", here("rec"), "--format", "csv").stdout.decode(), newline="")))
        equal({row["Open"] for row in rows}, {"1"}, "open ranges")
        equal(struct.unpack_from("<I", Recording(here("rec")).data, 120)[0] == int(rows[0]["PID"]), is_program, "the pid of the program")
        after = max(int(row["End (ns)"]) for row in rows) - max(int(row["Start (ns)"]) for row in rows)
        must((after > 0) == is_program and after < 5e8, command, rows)


def case_reasons():
    """The reason why a recording stopped is the error that the recorder got, and nothing else."""
    nvtxh("record", "-fo", here("rec"), "--", program("load"), "1", "10")
    with open(here("rec"), "rb") as f:
        data = bytearray(f.read())
    for error, why in ((errno.ENOSPC, "no space left"), (errno.EFBIG, "limit on file sizes"), (errno.EMFILE, "no descriptor was left"),
                       (errno.EACCES, "has no permission to open it again"), (errno.ESTALE, "no longer where it was"),
                       (errno.EIO, os.strerror(errno.EIO))):
        struct.pack_into("<I", data, 100, error)
        with open(here("patched"), "wb") as f:
            f.write(data)
        line = [line for line in nvtxh("stats", here("patched")).stderr.decode().splitlines() if "recording stopped" in line]
        must(len(line) == 1 and why in line[0], why, line)


def case_deep():
    """A working directory whose path is too long is reported as such."""
    def enter():
        os.chdir(driver.directory)
        for _ in range(20):
            os.makedirs("x" * 250, exist_ok=True)
            os.chdir("x" * 250)
    done = nvtxh("record", "-o", "rec", "--", program("load"), "1", "10", preexec_fn=enter)
    must(done.returncode == 5 and done.stdout == b"finished\n", done)
    must(b"has too long a path" in done.stderr and b"gone" not in done.stderr and b"unrecorded" in done.stderr, done.stderr)
    done = driver.run(program("load"), "1", "10", preexec_fn=enter,
                      env=dict(os.environ, NVTX_INJECTION64_PATH=driver.args.library, NVTXH_RECORD_FILE="own"))
    must(done.returncode == 5 and os.strerror(errno.ENAMETOOLONG).encode() in done.stderr, done)


# Takes CPU time itself and in two children that it waits for, and says how much it was: user, system, switches of both kinds; ns since it began.
SPENDING = """
import os, resource, signal, subprocess, sys, time
begun = time.monotonic_ns()
def spent():
    self, children = resource.getrusage(resource.RUSAGE_SELF), resource.getrusage(resource.RUSAGE_CHILDREN)
    return [int((self[i] + children[i]) * 1e6) * 1000 for i in (0, 1)] + [self[i] + children[i] for i in (14, 15)]
def burn(seconds):
    while time.process_time() < seconds:
        os.stat('.')
subprocess.run([sys.argv[1], '1', '1000'])
child = os.fork()
burn(0.2)
if not child:
    os._exit(0)
os.waitpid(child, 0)
time.sleep(0.001)
print(*spent(), time.monotonic_ns() - begun, flush=True)
if sys.argv[2] == 'kill':
    os.kill(os.getpid(), signal.SIGKILL)
"""


def as_people_read(text):
    number, unit = text.split()
    return float(number.replace(",", "")) * {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}[unit]


def case_usage(bench):
    """CPU time and context switches are at least what the program counted at its end, and at most what is counted of nvtxh and it together."""
    columns = "User (ns)", "System (ns)", "Voluntary Switches", "Involuntary Switches", "Elapsed (ns)"
    line_of = re.compile(r"(?:; |^Program: )([\d.,]+ \w+) CPU(?: of ([\d.,]+ \w+))?; preempted ([\d,]+) times?(?:; next|$)", re.MULTILINE)
    whole = []

    def check_line(text, values):
        cpu, elapsed, preempted = line_of.search(text).groups()
        must(abs(as_people_read(cpu) / (values[0] + values[1]) - 1) < 0.006, text, values)
        must(abs(as_people_read(elapsed) / values[4] - 1) < 0.006 if elapsed else values[4] is None, text, values)
        equal(int(preempted.replace(",", "")), values[3], text)

    def program_of(rec):
        (row,), (same,) = bench.table("stats", "--program", "--csv", rec), json.loads(bench.run("stats", "--program", "--json", rec).stdout)
        values = [int(row[name]) if row[name] else None for name in columns]
        equal([same[key] for key in ("user", "system", "voluntary", "preempted", "elapsed", "cpu")], values + [values[0] + values[1]], rec)
        check_line(bench.run("stats", rec).stdout, values)
        must("CPU" not in bench.run("stats", "--name", "push", rec, status=None).stdout, "a part of the recording")
        return values

    for how in "exit", "kill":
        before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic_ns()
        done = nvtxh("record", "-o", here(how), "--", sys.executable, "-S", "-c", SPENDING, program("load"), how)
        lasted, after = time.monotonic_ns() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
        least = [int(n) for n in done.stdout.split()[-5:]]
        most = [int((after[i] - before[i]) * 1e6 + 2) * 1000 for i in (0, 1)] + [after[i] - before[i] for i in (14, 15)] + [lasted]
        got = program_of(here(how))
        must(all(low <= n <= high for low, n, high in zip(least, got, most)) and sum(least[:2]) > 390e6, how, least, got, most)
        equal(got[:4], list(words(Recording(here(how)).data, 144, 4)), how)
        check_line(done.stderr.decode(), got)
        whole.append(got)
    bench.run("merge", "-o", here("both"), here("exit"), here("kill"))
    equal(program_of(here("both")), [a + b for a, b in zip(whole[0][:4], whole[1])] + [None], "a merge of both")
    bench.run("snapshot", "-o", here("part"), here("exit"))
    driver.run(program("load"), "1", "10", env={**os.environ, "NVTX_INJECTION64_PATH": driver.args.library, "NVTXH_RECORD_FILE": here("own")})
    bench.run("merge", "-o", here("some"), here("exit"), here("own"))
    for rec in "part", "own", "some":
        must("CPU" not in bench.run("stats", here(rec)).stdout, rec)
        must("CPU time of its program is not known" in bench.run("stats", "--program", here(rec), status=1).stderr, rec)
    each = nvtxh("record", "-o", here("of%p"), "--", program("load"), "1", "10").stderr.decode()
    must(line_of.search(each), each)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
