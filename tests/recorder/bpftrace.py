# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bpftrace.py NVTXH LIBRARY PROGRAM: bpftrace counts the ranges of PROGRAM that the recording has, under the same names.
As root, where the kernel has uprobes."""
import csv
import re
import signal
import subprocess
import sys
import tempfile

from harness.checks import equal, need
from harness.toolchain import output

SCRIPT = '''usdt:{0}:nvtxh:pop {{ @[str(arg1), str(arg0)] = count(); }}
interval:s:1 {{ printf("attached\\n"); }}'''


def watched(library, *command):
    """What bpftrace counts while COMMAND runs: {(domain, message): count}."""
    with subprocess.Popen(['bpftrace', '-e', SCRIPT.format(library)], text=True, stdout=subprocess.PIPE) as tracer:
        while tracer.stdout.readline() not in ('attached\n', ''):
            pass
        output(*command)
        tracer.send_signal(signal.SIGINT)
        said = tracer.communicate(timeout=60)[0]
    return {(domain, message): int(n) for domain, message, n in re.findall(r'^@\[(.*), (.*)\]: (\d+)$', said, re.M)}


def main():
    nvtxh, library, program = sys.argv[1:]
    need('bpftrace')
    with tempfile.TemporaryDirectory() as folder:
        recording = f'{folder}/recording.nvtxh'
        seen = watched(library, nvtxh, 'record', '-q', '--also', 'usdt', '-o', recording, '--', program)
        ranges = csv.DictReader(output(nvtxh, 'export', '--to', 'csv', recording).splitlines())
        wanted = {}
        for row in ranges:
            if row['Style'] == 'PushPop':
                key = row['Domain'] or 'default', row['Message']
                wanted[key] = wanted.get(key, 0) + 1
        equal(seen, wanted, 'what bpftrace counted')
        print(f'{sum(seen.values())} ranges')


if __name__ == '__main__':
    main()
