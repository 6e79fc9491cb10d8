# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers: the same named scope with other people's tracers, idle and recorded.

peers.py --programs DIRECTORY --null LIBRARY --nvtxh PROGRAM
"""
import argparse
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import listeners  # noqa: E402
import report  # noqa: E402

# Program: (name in the table, listeners it is measured with)
PEERS = {
    'nvtxh': ('nvtxh', ('idle', 'recording')),
    'nvtx': ('NVTX, nvtxRangePushA', ('idle', 'recording')),
    'sdt': ('sdt probes', ('idle',)),
    'lttng': ('LTTng-UST', ('idle', 'recording')),
    'tracy-idle': ('Tracy, on demand', ('idle',)),
    'tracy': ('Tracy, no server', ('recording',)),
    'spall': ('spall', ('idle', 'recording')),
    'minitrace': ('minitrace', ('idle', 'recording')),
}
MISSING = {
    'sdt': 'the package systemtap-sdt-dev was not there when this was built',
    'lttng': 'the package liblttng-ust-dev was not there when this was built',
    'tracy-idle': 'not built; -Dbench_peers=tracy fetches it',
    'tracy': 'not built; -Dbench_peers=tracy fetches it',
    'spall': 'not built; -Dbench_peers=spall fetches it',
    'minitrace': 'not built; -Dbench_peers=minitrace fetches it',
}
CALLS = 1000
LIST = ['lttng', '--no-sessiond', 'list']
FOOTNOTE = '''
A scope with a name around a call into another file, over the same function without it. ns: the thread's
processor time; median of {bursts} bursts of 2000 scopes with pauses between them, and of {rounds} rounds in which the
peers take turns. clocks: over two reads of the clock in the same process. Instructions: callgrind. Recording, where:
nvtxh and NVTX in a file, by `nvtxh record`; LTTng-UST in its shared buffers, by a local session; Tracy
in memory, for want of a server; spall through a buffer of a mebibyte to a file; minitrace in memory, written to a file
every 900,000 events. They do not keep the same: only nvtxh, NVTX and LTTng have what is recorded out of the process
when it is killed.
'''


class Session:
    """An LTTng session that records our two tracepoints, and a session daemon for it if none was running."""

    def __init__(self, folder):
        self.folder = folder
        self.ready = False
        self.why = ''
        self.daemon = None

    def __enter__(self):
        if not shutil.which('lttng'):
            self.why = 'the package lttng-tools is not installed'
            return self
        if subprocess.run(LIST, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
            self.daemon = subprocess.Popen(['lttng-sessiond'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            limit = time.monotonic() + 20
            while time.monotonic() < limit and self.daemon.poll() is None and subprocess.run(
                    LIST, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode:
                time.sleep(0.05)
        for command in (['lttng', 'create', 'nvtxh-bench', f'--output={self.folder}'],
                        ['lttng', 'enable-event', '-u', 'nvtxh_bench:*'], ['lttng', 'start']):
            done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode:
                self.why = f'{" ".join(command[:2])}: {done.stdout.strip().splitlines()[-1:]}'
                return self
        self.ready = True
        return self

    def __exit__(self, *_):
        if shutil.which('lttng'):
            subprocess.run(['lttng', 'destroy', 'nvtxh-bench'], stdout=subprocess.DEVNULL,
                           stderr=subprocess.DEVNULL)
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()


def measure(tools, peer, listener, bursts, folder):
    """(clocks, scope, nothing) in ns, or why not."""
    command = [tools.programs / f'peer-{peer}', bursts]
    if listener == 'idle':
        done = listeners.call('nobody', command, tools)
    elif peer in ('nvtxh', 'nvtx'):
        done = listeners.call('recorder', command, tools)
    elif peer == 'lttng':
        with Session(f'{folder}/lttng') as session:
            if not session.ready:
                return session.why
            done = listeners.call('nobody', command, tools)
    else:
        done = listeners.call('nobody', [*command, f'{folder}/{peer}'], tools)
    if done.returncode == listeners.SKIP:
        return 'it says that it cannot'
    return tuple(float(word) for word in done.stdout.split()[:3])


def instructions(tools, peer, listener):
    if listener != 'idle':
        return None
    costs = listeners.instructions('nobody', [tools.programs / f'peer-{peer}', '--count', CALLS], tools,
                                   'peer_counted')
    return (costs['peer_scope'] - costs['peer_nothing']) / CALLS if costs else None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--programs', type=pathlib.Path, required=True)
    listeners.arguments(parser)
    tools = parser.parse_args()
    rounds, bursts = (1, 3) if report.smoke() else (5, 100)
    result = report.Report('peers')
    cases = []
    for listener in ('idle', 'recording'):
        for peer, (name, wanted) in PEERS.items():
            if listener not in wanted:
                continue
            if (tools.programs / f'peer-{peer}').exists():
                cases.append((listener, peer))
            else:
                result.skip(f'{name}, {listener}', MISSING[peer])
    result.skip('sdt probes, recording', 'that is the kernel\'s work, by uprobes, and needs its leave')
    taken = {}
    with tempfile.TemporaryDirectory(prefix='nvtxh-bench-') as folder:
        for _ in range(rounds):
            for listener, peer in list(cases):
                numbers = measure(tools, peer, listener, bursts, folder)
                if isinstance(numbers, str):
                    result.skip(f'{PEERS[peer][0]}, {listener}', numbers)
                    cases.remove((listener, peer))
                else:
                    taken.setdefault((listener, peer), []).append(numbers)
    for listener in ('idle', 'recording'):
        rows = []
        for where, peer in cases:
            if where != listener:
                continue
            clocks = report.median([c - nothing for c, _, nothing in taken[listener, peer]])
            scope = report.median([s - nothing for _, s, nothing in taken[listener, peer]])
            rows.append((PEERS[peer][0], [instructions(tools, peer, listener), scope, scope / clocks]))
        result.table(f'peers, {listener}', [('instructions', '', 1), ('time', 'ns', 1), ('clocks', 'x', 2)],
                     rows, FOOTNOTE.format(bursts=bursts, rounds=rounds))
    result.write()


if __name__ == '__main__':
    main()
