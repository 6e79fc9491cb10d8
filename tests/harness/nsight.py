# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Nsight Systems, as the tests run it.

Its agent now and then neither starts nor ends, or is lost (2022.4), more so when there are several at a time,
and one that hangs keeps all later ones from starting. So the tests run one at a time, end an agent
that hangs, and try again.
"""
import fcntl
import glob
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile
import time

from harness import toolchain
from harness.checks import skip

TRIES = 4
FAILED = ('Agent launcher failed.', 'The timeout expired.', 'Local Endpoint is not available', 'Connection to the Agent lost.',
          'errinfo_api_function_*] = sem_open')  # nsys waits for its agent


def importer():
    """The path of QdstrmImporter, which Debian's nsys does not find by itself; None if there is no
    nsys or no importer."""
    found = shutil.which('QdstrmImporter') or next(iter(sorted(
        glob.glob('/usr/lib/nsight-systems/host-linux-*/QdstrmImporter') +
        glob.glob('/opt/nvidia/nsight-systems/*/host-linux-*/QdstrmImporter'))), None)
    return found if shutil.which('nsys') else None


def agents():
    """{process: session's name} of nsys's agents in this file system."""
    result = {}
    for entry in pathlib.Path('/proc').glob('[0-9]*'):
        try:
            words = (entry / 'cmdline').read_bytes().decode(errors='replace').split('\0')
            if '--start-agent' in words and os.readlink(entry / 'root') == os.readlink('/proc/self/root'):
                result[int(entry.name)] = next(w for w in words if w.startswith('--session-name='))
        except (OSError, StopIteration):
            pass  # it has ended, or is somebody else's
    return result


def clear_up(session):
    """End the session's agent, and remove what it leaves if there is no other."""
    for process, name in agents().items():
        if name == f'--session-name={session}':
            os.kill(process, signal.SIGKILL)
    time.sleep(0.2)
    if not agents():
        for left in glob.glob('/dev/shm/NSys-*') + glob.glob('/dev/shm/quadd-agent-instance-*'):
            try:
                os.unlink(left)
            except OSError:
                pass


def profile(report, program, *options, before=(), **more):
    """Run `nsys profile -t nvtx` with these options over a program (a list: with its arguments), and
    import what it has written. The finished process, with the output of both; report.nsys-rep is
    there if something was captured. `before`: a command that runs nsys; `more` as for subprocess.run."""
    if not os.path.isdir('/sys/devices/system/cpu'):
        skip('Nsight Systems counts the processors in /sys, which is not here')
    report = pathlib.Path(report)
    program = program if isinstance(program, (list, tuple)) else [program]
    with open(os.path.join(tempfile.gettempdir(), 'nvtxh-tests-nsys.lock'), 'w') as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        for attempt in range(TRIES):
            for old in report.parent.glob(report.name + '.*'):
                old.unlink()
            session = f'nvtxh-tests-{os.getpid()}-{attempt}'
            try:
                done = toolchain.run([*before, 'nsys', 'profile', f'--session-new={session}', '-t', 'nvtx',
                                      '-s', 'none', '--cpuctxsw=none', *options, '-o', report, *program],
                                     timeout=60, **more)
                if not any(line in done.stdout for line in FAILED):
                    break
            except subprocess.TimeoutExpired:
                if attempt == TRIES - 1:
                    raise
            clear_up(session)
    written = report.with_suffix('.qdstrm')
    if written.exists() and not report.with_suffix('.nsys-rep').exists():
        made = toolchain.run([importer(), '-i', written, '-o', report.with_suffix('.nsys-rep')],
                             timeout=120)
        if made.returncode:
            raise RuntimeError(f'QdstrmImporter: status {made.returncode}\n{made.stdout}')
    return done


def to_sqlite(report):
    """The path of the report's database."""
    database = pathlib.Path(report).with_suffix('.sqlite')
    made = toolchain.run(['nsys', 'export', '-t', 'sqlite', '-f', 'true', '-o', database,
                          pathlib.Path(report).with_suffix('.nsys-rep')], timeout=120)
    if made.returncode:
        raise RuntimeError(f'nsys export: status {made.returncode}\n{made.stdout}')
    return database
