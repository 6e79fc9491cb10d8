#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""No room in the file, a killed program, and programs that cannot be recorded."""
import os
import pathlib
import random
import resource
import signal
import struct
import subprocess
import time

from always import wait_for
from harness import driver
from harness.driver import equal, here, instances, must, nvtxh, program, record, run, stats


def case_kill():
    """Whatever a killed program had published is there, and in order."""
    source = random.Random(1)
    for turn in range(int(os.environ.get("KILLS", "25"))):
        rec = here("rec.nvtxh")
        progress = here("progress")
        with open(progress, "wb") as f:
            f.write(bytes(8192))
        threads = 1 + turn % 3
        process = subprocess.Popen([driver.args.nvtxh, "record", "-f", "-o", rec, "--", program("load"),
                                    str(threads), "0", progress], stderr=subprocess.PIPE)
        wait_for("a range", lambda: pathlib.Path(here("progress")).read_bytes()[:8] != bytes(8))
        time.sleep(source.random() * 0.03)
        with open(f"/proc/{process.pid}/task/{process.pid}/children") as f:
            child = int(f.read().split()[0])
        os.kill(child, signal.SIGKILL)
        said = process.communicate()[1].decode()
        equal(process.returncode, 128 + 9, said)
        with open(progress, "rb") as f:
            done = sum(struct.unpack("<1024Q", f.read()))
        got = instances(rec).get(("PushPop", "load:work"), 0)
        must(done <= got <= done + threads, f"{done} ranges were finished, {got} recorded")


def limited(size):
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))
    return limit


def case_full():
    """No room: the program runs on with the same output, one line says what happened, losses are counted."""
    # A limit on file sizes, at each stage: before the header, before the first chunk, in the middle.
    for size in (0, 8192, 16384, 32768, 65536, 1 << 20):
        rec = here(f"{size}.nvtxh")
        done = record(rec, program("load"), "2", "100000", preexec_fn=limited(size))
        equal((done.returncode, done.stdout), (5, b"finished\n"), f"limit {size}: {done.stderr.decode()}")
        said = [line for line in done.stderr.decode().splitlines() if "unrecorded" in line]
        equal(len(said), 1, f"limit {size}, complaints in {done.stderr.decode()}")
        must("File too large" in said[0], said[0])
        if os.path.exists(rec):
            must(os.path.getsize(rec) <= size, f"{os.path.getsize(rec)} bytes")
            rows, said = stats(rec)
            if size >= 32768:
                kept = int(rows["PushPop", "load:work"]["Instances"]) if size >= 65536 else 0 # there is no chunk for events
                dropped = [line for line in said.splitlines() if "were dropped" in line]
                must(kept < 200000 and dropped, kept, said)
                # Every event is either there or counted; an open range has one event.
                opened = [line for line in said.splitlines() if "had no end" in line]
                missing = int(opened[0].split()[1]) if opened else 0
                equal(2 * kept - missing + int(dropped[0].split()[1]), 400000, f"limit {size}, events")
    # Hardly any descriptors, and a directory that is gone.
    done = record(here("files.nvtxh"), "sh", "-c", f"ulimit -n 4; exec {program('load')} 1 1000")
    equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
    os.mkdir(here("gone"))
    done = record(here("gone/rec.nvtxh"), "sh", "-c",
                  f"rm -r {here('gone')}; exec {program('load')} 1 200000")
    equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
    must("unrecorded" in done.stderr.decode(), done.stderr.decode())


def case_full_gap():
    """Once an event has found no room, no later one is recorded: what there is, is the beginning."""
    rec = here("rec.nvtxh")
    equal(record(rec, program("borders"), "gap", preexec_fn=limited(49152)).returncode, 0, "the program")
    rows = driver.table(nvtxh("export", rec, "--format", "csv").stdout.decode())
    numbers = [int(row["Payload"]) for row in rows]
    must(all(row["Message"] for row in rows), "a mark without its message")
    equal(numbers, list(range(len(numbers))), "marks")
    dropped, = [line for line in stats(rec)[1].splitlines() if "were dropped" in line]
    must(numbers, "nothing was recorded")
    equal(len(numbers) + int(dropped.split()[1]), 80, "marks there, and dropped")


def case_full_samples():
    """Samples of counters, also of groups, that find no room are counted."""
    for name in driver.versions("samples"):
        for kind, row in ("", ("Counter", "samples:queue")), ("groups", ("Counter", "samples:group.b")):
            rec = here(f"{name}-{kind}")
            equal(record(rec, program(name), "5000", *filter(None, [kind]), preexec_fn=limited(65536)).returncode, 0, rec)
            rows, said = stats(rec)
            kept = int(rows[row]["Instances"])
            dropped, = [line for line in said.splitlines() if "were dropped" in line]
            must(kept, said)
            equal(kept + int(dropped.split()[1]), 5000, f"{rec}: there, and dropped")


def case_full_disk():
    """A disk that is really full is an error line, not a signal."""
    script = ('mount -t tmpfs -o size=1m tmpfs "$1" && "$2" record -o "$1/rec.nvtxh" -- "$3" 2 100000; '
              'echo status $?; "$2" stats --csv "$1/rec.nvtxh"')
    os.mkdir(here("disk"))
    done = run("unshare", "-m", *([] if os.geteuid() == 0 else ["-Ur"]), "sh", "-c", script, "sh",
               here("disk"), driver.args.nvtxh, program("load"))
    if b"status" not in done.stdout or b"mount" in done.stderr:
        driver.skip("cannot mount a small disk")
    must(b"finished\nstatus 5\n" in done.stdout, done.stdout, done.stderr)
    must(b"No space left on device" in done.stderr, done.stderr)
    must(b"load:work" in done.stdout and b"were dropped" in done.stderr, done.stdout, done.stderr)
    # The same where a sandbox forbids fallocate.
    done = run("unshare", "-m", *([] if os.geteuid() == 0 else ["-Ur"]), "sh", "-c", script.replace("size=1m", "size=100k")
               .replace(" 2 100000", " EPERM"), "sh", here("disk"), driver.args.nvtxh, program("sandboxed"))
    must(b"status 77" in done.stdout or b"0\nstatus 0\n" in done.stdout and b"were dropped" in done.stderr, done.stdout, done.stderr)


def case_export_full_disk():
    """An export for which there is no room says so in one line and leaves no file behind."""
    rec = here("rec.nvtxh")
    record(rec, program("load"), "2", "200000")
    script = ('mount -t tmpfs -o size=16k tmpfs "$1" && "$2" export "$3" --format "$4" -o "$1/out.$4"; echo status $?; '
              'find "$1" -type f')
    os.mkdir(here("disk"))
    for form in set(driver.built_formats(driver.args.nvtxh)) - {"folded"}:  # which is small
        done = run("unshare", "-m", *([] if os.geteuid() == 0 else ["-Ur"]), "sh", "-c", script, "sh",
                             here("disk"), driver.args.nvtxh, rec, form)
        if b"status" not in done.stdout or b"mount" in done.stderr:
            driver.skip("cannot mount a small disk")
        why = b"database or disk is full" if form == "sqlite" else b"No space left on device"
        equal(done.stdout, b"status 1\n", f"{form}: status and files; it said {done.stderr}")
        must(len(done.stderr.splitlines()) == 1 and why in done.stderr, form, done.stderr)


def case_removed():
    """If a recording is removed while it is made, one line says so; the program does not notice."""
    rec = here("rec.nvtxh")
    after = f'{program("load")} 1 1000; status=$?; rm "$1"; exit $status'
    for script, why in ((after, "was removed while it was recorded"),
                        (after.replace('rm "$1"', 'mv "$1" "$1.moved"; echo mine > "$1"'), "another file is there now")):
        done = record(rec, "sh", "-c", script, "sh", rec)
        equal((done.returncode, done.stdout), (5, b"finished\n"), done.stderr.decode())
        said = done.stderr.decode().splitlines()
        must(len(said) == 1 and said[0].startswith(f"nvtxh: {rec}: ") and why in said[0] and "lost" in said[0], said)
    # A new file in its place belongs to somebody else.
    with open(rec) as f:
        equal(f.read(), "mine\n", "the other file")
    os.mkdir(here("gone"))
    done = record(here("gone/rec.nvtxh"), "sh", "-c", f'{program("load")} 1 1000; rm -r "$1"', "sh", here("gone"))
    said = done.stderr.decode().splitlines()
    must(done.returncode == 0 and len(said) == 1 and "was removed" in said[0], done)


# No memory for a map that is shared.
MMAP = """
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>
void *mmap(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    void *(*real)(void *, size_t, int, int, int, off_t) = (void *(*)(void *, size_t, int, int, int, off_t))dlsym(RTLD_NEXT, "mmap");
    if (flags & MAP_SHARED) {
        errno = ENOMEM;
        return MAP_FAILED;
    }
    return real(at, size, prot, flags, fd, offset);
}
void *mmap64(void *at, size_t size, int prot, int flags, int fd, off_t offset)
{
    return mmap(at, size, prot, flags, fd, offset);
}
"""


def case_hardship():
    """Where a recording cannot be made, or not as it was meant, the program runs all the same, and one line says why."""
    silent = program("silent")

    def compiled(name, source, *flags):
        with open(here(name + ".c"), "w") as f:
            f.write(source)
        subprocess.run(["gcc", here(name + ".c"), "-o", here(name), *flags], check=True)

    def tried(wanted, *command, status=0, prepare=None):
        done = subprocess.run([driver.args.nvtxh, "record", *command], capture_output=True, preexec_fn=prepare, cwd=driver.directory)
        equal(done.returncode, done.returncode if status is None else status, f"{command}: {done.stderr}")
        equal(len(done.stderr.splitlines()), 1, f"lines of {command}: {done.stderr}")
        must(wanted in done.stderr, command, done.stderr)
        return done

    def gone():
        os.mkdir(here("gone"))
        os.chdir(here("gone"))
        os.rmdir(here("gone"))
    for options in (), ("-o", "rec"):
        equal(tried(b"working directory is gone", *options, "--", silent, prepare=gone).stdout, b"silent\n", "output")
    for most in 4, 5, 6:
        def few():
            os.closerange(3, 256)
            resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
        tried(b"made no NVTX call", "-fo", "rec", "--", silent, "exit", "5", status=5, prepare=few)
    tried(b"made no NVTX call", "-fo", "rec", "--", silent, "exit", "5", status=5,
          prepare=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN))
    # The line has the true reason: what keeps the recorder out, what ended the program, or what failed in the recorder.
    done = tried(b"ended by SIGABRT: " + silent.encode() + b" made no NVTX call before that", "-fo", "rec", "--", silent, "signal",
                 "6", status=134)
    must("Aborted" in nvtxh("stats", here("rec")).stderr.decode(), "stats says so, too")
    must(b"NVTX_DISABLE" not in done.stderr, done.stderr)
    compiled("musl", "int main(void) { return 0; }", "-Wl,--dynamic-linker=/lib64/../lib/ld-musl-x86_64.so.1")
    if os.path.exists("/lib/ld-musl-x86_64.so.1"):
        tried(b"it is linked with musl, the recorder with glibc", "-fo", "rec", "--", here("musl"), status=None)
    if os.geteuid() == 0:
        compiled("other", 'int setuid(unsigned); int main(void) { return 0; }')
        os.chmod(here("other"), 0o4755)
        tried(b"cannot load the recorder: it is set-user-ID", "-fo", "rec", "--", here("other"))
    compiled("full.so", MMAP, "-shared", "-fPIC", "-ldl")
    done = subprocess.run([driver.args.nvtxh, "record", "-fo", "rec", "--", "env", "LD_PRELOAD=" + here("full.so"), program("load"), "1", "10"],
                          capture_output=True, cwd=driver.directory)
    must(done.stdout == b"finished\n" and done.stderr.count(b"Cannot allocate memory") == 2 and b"no NVTX call" not in done.stderr, done)
    ignored = subprocess.run([driver.args.nvtxh, "record", "-fo", "rec", "--", "grep", "SigIgn", "/proc/self/status"], cwd=driver.directory,
                             capture_output=True, preexec_fn=lambda: signal.signal(signal.SIGCHLD, signal.SIG_IGN)).stdout
    must(int(ignored.split()[1], 16) & 1 << signal.SIGCHLD - 1, "the program's SIGCHLD", ignored)
    # A capture or a domain that was asked for never came.
    known, phases, other = program("known-3"), program("phases"), program(driver.versions("incidents")[-1])
    tried(b"no range registred began; was registered meant?", "-fo", "rec", "--capture-range", "registred", "--", known, status=7)
    tried(b"; was registered meant?", "-fo", "rec", "--capture-range", "registred", "--", "sh", "-c", f"'{phases}'; '{known}'", status=7)
    tried(b"the domains of the program: default, ", "-fo", "rec", "--capture-range", "x@y", "--", known, status=7)
    said = tried(b"no event in the domains domm; the domains of the program: ", "-fo", "rec", "--domain-include", "domm", "--", phases).stderr
    must(b"first" in said and b"second" in said, said)
    every = said.decode().strip().rpartition(": ")[2].replace(", ", ",")
    twice = tried(b"no event in", "-fo", "rec", "--domain-include", "domm", "--", "sh", "-c", f"'{phases}'; '{phases}'").stderr
    equal(sorted(twice.decode().strip().rpartition(": ")[2].split(", ")), sorted(every.split(",")), "domains of two processes")
    both = tried(b"no event in", "-fo", "rec", "--domain-include", "domm", "--", "sh", "-c", f"'{other}' w1; '{phases}'").stderr
    equal(sorted(both.decode().strip().rpartition(": ")[2].split(", ")), sorted([*every.split(","), "train"]), "domains of two programs")
    first, _, others = every.partition(",")
    tried(f"no event in domains other than {every}; the domains of the program: ".encode(), "-fo", "rec", "--domain-exclude", first, "--domain-exclude", others, "--", phases)
    tried(b"before --from 1000 s", "-fo", "rec", "--from", "1000", "--", known, status=7)
    # A time that is over is not the reason.
    tried(b"no event in the domains domm", "-fo", "rec", "--from", "1ms", "--domain-include", "domm", "--", other, "r1", "w50", "r1")
    # Without room, the message says so, then and later.
    done = subprocess.run([driver.args.nvtxh, "record", "-fo", "rec", "--", program("phases")], capture_output=True,
                          cwd=driver.directory, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (20480, 20480)))
    must(done.returncode == 0 and b"recording stopped before" in done.stderr and b"no NVTX call" not in done.stderr, done)
    done = nvtxh("stats", here("rec"))
    must(b"recording stopped before the program ended" in done.stderr and b"no NVTX call" not in done.stderr, done)
    for option, value in (("--to", "0"), ("--capture-range", "@domain"), ("--capture-range", "range@")):
        done = nvtxh("record", option, value, "--", silent)
        must(done.returncode == 2 and b": expected " in done.stderr and not done.stdout, done)
    done = nvtxh("record", "--to", "1s", "--from", "1s", "--", silent)
    must(done.returncode == 2 and b"must be later than --from" in done.stderr and not done.stdout, done)
    done = nvtxh("record", "--capture-range", "a", "--capture-range", "b", "--", silent)
    must(done.returncode == 2 and b"once" in done.stderr and not done.stdout, done)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
