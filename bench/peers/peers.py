# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Peers: the same named scope with other people's tracers, idle and recorded."""
import pathlib
import shutil
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1]))
from common import SMOKE, Bench, median  # noqa: E402

# Program: (name in the table, what it is measured with)
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
MISSING = {'sdt': 'the package systemtap-sdt-dev was not there when this was built',
           'lttng': 'the package liblttng-ust-dev was not there when this was built'}
LIST = ['lttng', '--no-sessiond', 'list']
FOOTNOTE = '''
A scope with a name around a call into another file, over the same function without it. Instructions: callgrind. ns: the thread's
processor time; median of {bursts} bursts of {calls} scopes with pauses between them, and of {rounds} rounds in which the peers take
turns. clocks: over two reads of the clock in the same process. Recording, where: nvtxh and NVTX in a file, by `nvtxh record`;
LTTng-UST in its shared buffers, by a local session; Tracy in memory, for want of a server; spall through a buffer of a mebibyte to a
file; minitrace in memory, written to a file every 900,000 events. They do not keep the same: only nvtxh, NVTX and LTTng have what is
recorded out of the process when it is killed.
'''


def quietly(*command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **options)


class Session:
    """An LTTng session that records our two tracepoints, and a session daemon for it if none was running."""

    def __init__(self, folder):
        self.folder, self.why, self.daemon = folder, '', None

    def __enter__(self):
        if not shutil.which('lttng'):
            self.why = 'the package lttng-tools is not installed'
            return self
        if quietly(*LIST).returncode:
            self.daemon = subprocess.Popen(['lttng-sessiond'], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            limit = time.monotonic() + 20
            while time.monotonic() < limit and self.daemon.poll() is None and quietly(*LIST).returncode:
                time.sleep(0.05)
        for command in (['lttng', 'create', 'nvtxh-bench', f'--output={self.folder}'],
                        ['lttng', 'enable-event', '-u', 'nvtxh_bench:*'], ['lttng', 'start']):
            done = quietly(*command)
            if done.returncode:
                self.why = f'{" ".join(command[:2])}: {done.stdout.strip().splitlines()[-1:]}'
                break
        return self

    def __exit__(self, *_):
        if shutil.which('lttng'):
            quietly('lttng', 'destroy', 'nvtxh-bench')
        if self.daemon:
            self.daemon.terminate()
            self.daemon.wait()


def measure(bench, peer, how, bursts, calls):
    """{function: ns}, or why not."""
    run = bench.programs / f'peer-{peer}', bursts, calls
    if how == 'idle':
        return bench.times('nobody', *run)
    if peer in ('nvtxh', 'nvtx'):
        return bench.times('recorder', *run)
    if peer == 'lttng':
        with Session(bench.scratch / 'lttng') as session:
            return session.why or bench.times('nobody', *run)
    return bench.times('nobody', *run, **{'NVTXH_BENCH_FILE': f'{bench.scratch}/{peer}'} if peer != 'tracy' else {})


def main():
    bench = Bench('peers')
    rounds, bursts, calls = (1, 3, 100) if SMOKE else (5, 100, 2000)
    bench.skip('sdt probes, recording', 'that is the kernel\'s work, by uprobes, and needs its leave')
    taken = {}
    for how in ('idle', 'recording'):
        for peer, (name, ways) in PEERS.items():
            if how in ways and (bench.programs / f'peer-{peer}').exists():
                taken[how, peer] = []
            elif how in ways:
                bench.skip(f'{name}, {how}', MISSING.get(peer, f'not built; -Dbench_peers={peer.split("-")[0]} fetches it'))
    for _ in range(rounds):
        for how, peer in list(taken):
            ns = measure(bench, peer, how, bursts, calls)
            if isinstance(ns, str):
                bench.skip(f'{PEERS[peer][0]}, {how}', ns)
                del taken[how, peer]
            else:
                taken[how, peer].append([ns['scope'] - ns['nothing'], ns['clocks'] - ns['nothing']])
    tables = {'idle': {}, 'recording': {}}
    for (how, peer), numbers in taken.items():
        cost = bench.instructions('nobody', bench.programs / f'peer-{peer}', 20 if SMOKE else 1000) if how == 'idle' else {}
        scope, clocks = (median(column) for column in zip(*numbers))
        tables[how][PEERS[peer][0]] = [cost['scope'] - cost['nothing'] if cost else None, scope, scope / clocks]
    for how, rows in tables.items():
        bench.table(f'peers, {how}', [('instructions', '', 1), ('time', 'ns', 1), ('clocks', 'x', 2)], rows,
                    FOOTNOTE.format(bursts=bursts, calls=calls, rounds=rounds))
    idle = [f'{name} {row[0]:.0f}' for name, row in tables['idle'].items() if row[0] is not None]
    bench.end(idle and f'Instructions of a scope while nobody listens: {", ".join(idle)}.',
              f'Recorded, in reads of the clock twice: {", ".join(f"{name} {row[2]:.1f}" for name, row in tables["recording"].items())}.')


if __name__ == '__main__':
    main()
