#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The rank of a process in its job, and names of recordings with it."""
import csv
import io
import json
import os
import random
import re
import shutil
import signal
import socket
import struct
import subprocess
import sys
import time

from harness import driver
from harness.driver import equal, here, must, nvtxh, program, run
from records import Recording

NONE = 2**32 - 1
OTHERS = ('OMPI_', 'PMI', 'MPI_', 'SLURM_', 'TORCHELASTIC_', 'PBS_', 'LSB_', 'FLUX_', 'NVTXH_', 'NVTX_')


def environment(**more):
    """This environment, without a launcher's variables."""
    kept = {name: value for name, value in os.environ.items()
            if not name.startswith(OTHERS) and name not in ('RANK', 'LOCAL_RANK', 'WORLD_SIZE')}
    return {**kept, **{name: str(value) for name, value in more.items()}}


def identity(rec, process=0):
    """(rank, local rank, ranks, job) of a process, None if it has none."""
    found = [r for r in Recording(rec).names('extended', process) if r.id == 9]
    must(len(found) <= 1, 'records of identity')
    if not found:
        return None
    rank, local, world, _ = struct.unpack_from('<4I', found[0].body)
    return rank, local, world, found[0].body[16:80].rstrip(b'\0').decode()


SLURM = {'SLURM_PROCID': 3, 'SLURM_LOCALID': 1, 'SLURM_NTASKS': 8, 'SLURM_JOB_ID': 77}
OPEN_MPI = {'OMPI_COMM_WORLD_RANK': 2, 'OMPI_COMM_WORLD_LOCAL_RANK': 0, 'OMPI_COMM_WORLD_SIZE': 4, 'PMIX_RANK': 2,
            'PMIX_NAMESPACE': 'name@1'}
TORCHRUN = {'RANK': 5, 'LOCAL_RANK': 1, 'WORLD_SIZE': 16}


# From the inside: each launcher's variables of the rank, the local rank and the number of ranks, and whether it counts only with the last.
LAUNCHERS = (('RANK', 'LOCAL_RANK', 'WORLD_SIZE', True), ('OMPI_COMM_WORLD_RANK', 'OMPI_COMM_WORLD_LOCAL_RANK', 'OMPI_COMM_WORLD_SIZE', False),
             ('PMI_RANK', 'MPI_LOCALRANKID', 'PMI_SIZE', False), ('PMIX_RANK', 'PMIX_LOCAL_RANK', 'PMIX_SIZE', False),
             ('SLURM_PROCID', 'SLURM_LOCALID', 'SLURM_STEP_NUM_TASKS', False), ('SLURM_PROCID', 'SLURM_LOCALID', 'SLURM_NTASKS', False))
JOBS = 'SLURM_JOB_ID', 'PBS_JOBID', 'LSB_JOBID', 'FLUX_JOB_ID', 'TORCHELASTIC_RUN_ID', 'PMIX_NAMESPACE'


def check_drawn(chance, rec):
    """A process with some variables of several launchers, whose numbers agree or not, and with --rank or without."""
    usual = chance.randrange(4)
    variables = {name: chance.choice((usual, usual, chance.randrange(6), 'x')) for names in LAUNCHERS for name in names[:2] if chance.random() < 0.5}
    variables.update({names[2]: chance.choice((usual, usual + 1, 8)) for names in LAUNCHERS if chance.random() < 0.5})
    jobs = {name: chance.choice((name, 'none')) for name in JOBS if chance.random() < 0.3}
    given, of, job = chance.choice((None, None, usual)), chance.choice((None, 9)), chance.choice((None, 'mine'))
    options = (['--rank', f'{given}/{of}' if of else f'{given}'] if given is not None else []) + (['--job', job] if job else [])

    def number(name):
        return variables.get(name) if variables.get(name) != 'x' else None

    said = [(number(rank), number(local), number(world)) for rank, local, world, complete in LAUNCHERS
            if number(rank) is not None and (number(world) is not None or not complete)]
    if given is not None:
        rank, local, world = given, None, of
    else:
        rank = said[0][0] if said else None
        local = next((local for one, local, _ in said if one == rank and local is not None), None)
        world = next((world for one, _, world in said if one == rank and world is not None and world > rank), None)
    named = next((name for name in [job, *(jobs.get(name) for name in JOBS)] if name not in (None, 'none')), '')
    nvtxh('record', '-o', rec, *options, '--', program('phases'), env=environment(**variables, **jobs), status=0)
    equal(identity(rec), tuple(NONE if one is None else one for one in (rank, local, world)) + (named,) if rank is not None or named else None,
          f'{variables} {jobs} {options}')


def case_identity():
    """The rank that a launcher puts into the environment is in the process's record; of several launchers, that of the innermost."""
    for turn, (variables, options, wanted) in enumerate((
            ({}, (), None),
            (SLURM, (), (3, 1, 8, '77')),
            ({**SLURM, 'SLURM_STEP_NUM_TASKS': 4}, (), (3, 1, 4, '77')),
            (OPEN_MPI, (), (2, 0, 4, 'name@1')),
            ({**SLURM, **OPEN_MPI}, (), (2, 0, 4, '77')),
            ({'PMI_RANK': 1, 'PMI_SIZE': 2, 'MPI_LOCALRANKID': 1}, (), (1, 1, 2, '')),
            ({'PMIX_RANK': 3, **SLURM}, (), (3, 1, 8, '77')),
            ({'PMIX_RANK': 2, **SLURM}, (), (2, NONE, NONE, '77')),
            ({**OPEN_MPI, **TORCHRUN, 'TORCHELASTIC_RUN_ID': 'none'}, (), (5, 1, 16, 'name@1')),
            ({'RANK': 5}, (), None),
            ({'SLURM_JOB_ID': 77}, (), (NONE, NONE, NONE, '77')),
            ({'SLURM_PROCID': '-1', 'SLURM_NTASKS': 8}, (), None),
            ({'PMI_RANK': '1x'}, (), None),
            (OPEN_MPI, ('--rank', '6/9'), (6, NONE, 9, 'name@1')),
            ({}, ('--rank', '0', '--job', 'night/1'), (0, NONE, NONE, 'night/1')))):
        rec = here(f'rec{turn}')
        nvtxh('record', '-o', rec, *options, '--', program('phases'), env=environment(**variables), status=0)
        equal(identity(rec), wanted, f'{variables} {options}')
    for seed in range(40):
        check_drawn(random.Random(seed), here(f'drawn{seed}'))
    for wrong in ('', 'x', '-1', '8/8', '3/', '4294967296'):
        done = nvtxh('record', '--rank', wrong, '--', 'true')
        must(done.returncode == 2 and b'--rank' in done.stderr, wrong, done.stderr)
    said = nvtxh('doctor', env=environment(**SLURM)).stdout.decode()
    must('SLURM says that this is rank 3 of 8 in job 77' in said, said)


def case_shown():
    """Reports and exports have the rank of a process."""
    recs = []
    for rank in (0, 1):
        recs.append(here(f'{rank}.nvtxh'))
        nvtxh('record', '-o', recs[-1], '--rank', f'{rank}/2', '--job', 'j', '--', program('phases'), env=environment(), status=0)
    rec = here('both')
    equal(nvtxh('merge', '-o', rec, *recs).returncode, 0, 'merge')
    rows = csv.DictReader(io.StringIO(nvtxh('stats', '--by', 'thread', '--csv', rec).stdout.decode()))
    names = [row['Thread'] for row in rows]
    for rank in (0, 1):
        must(any(f' of rank {rank} ' in name + ' ' for name in names), names)
    must(' of rank 1' in nvtxh('tree', '--threads', 'each', rec).stdout.decode(), 'tree')
    rows = list(csv.DictReader(io.StringIO(nvtxh('export', '--format', 'csv', rec).stdout.decode())))
    equal({row['Rank'] for row in rows}, {'0', '1'}, 'ranks in CSV')
    events = json.loads(nvtxh('export', '--format', 'chrome', rec).stdout)
    events = events['traceEvents'] if isinstance(events, dict) else events
    called = sorted(e['args']['name'].rsplit('/', 1)[1] for e in events if e['name'] == 'process_name')
    equal(called, ['phases rank 0', 'phases rank 1'], 'processes in chrome')
    done = nvtxh('export', '--format', 'sqlite', '-o', here('all.sqlite'), rec)
    if done.returncode == 0:
        import sqlite3
        with sqlite3.connect(here('all.sqlite')) as db:
            equal(sorted(db.execute('SELECT rank, localRank, worldSize, job FROM NVTXH_PROCESSES')),
                  [(0, None, 2, 'j'), (1, None, 2, 'j')], 'ranks in SQLite')
    # As before where nobody has a rank.
    plain = here('plain')
    nvtxh('record', '-o', plain, '--', program('phases'), env=environment())
    header = nvtxh('export', '--format', 'csv', plain).stdout.decode().splitlines()[0]
    must('Rank' not in header, header)


def files():
    return sorted(os.path.relpath(os.path.join(folder, name), driver.directory)
                  for folder, _, names in os.walk(driver.directory) for name in names)


def case_names():
    """Fields in the name of a recording are filled in by the process that writes it; its directories are made."""
    def made(name, *command, options=(), **variables):
        before = files()
        done = nvtxh('record', '-o', here(name), *options, '--', *(command or (program('phases'),)), env=environment(**variables), status=0)
        return [f for f in files() if f not in before], done.stderr.decode()

    got, _ = made('a/%h/%j/%r %%.nvtxh', **SLURM, SLURM_STEP_ID=0)
    equal(got, [f'a/{socket.gethostname()}/77/3 %.nvtxh'], 'host, job and rank')
    equal(os.stat(here(got[0])).st_mode & 0o777, 0o600, 'permissions')
    got, _ = made('b/%j.nvtxh', options=('--job', '../up', '--mode', '664'))
    equal(got, ['b/.._up.nvtxh'], 'a job with a slash')
    equal(os.stat(here(got[0])).st_mode & 0o777, 0o664, 'permissions')
    for number in (1, 2, 3):
        equal(made('c/%n.nvtxh')[0], [f'c/{number}.nvtxh'], 'the next number')
    # Drawn ones: only what is no %% is a field, and only with the pid does a process make the file.
    for seed in range(12):
        chance = random.Random(seed)
        name = 'drawn ' + ''.join(chance.choice(('%%', '%%n', '%%p', '%h', '%r', '%j', '%n', '%p', 'n', 'p', '-', ' ')) for _ in range(chance.randrange(2, 7)))
        got, said = made(name, options=('--rank', '3', '--job', 'my/own/job'))
        fields = re.findall('%(.)', name)
        wanted = re.sub('%(.)', lambda m: {'%': '%', 'h': socket.gethostname(), 'r': '3', 'j': 'my_own_job', 'n': '1', 'p': 'PID'}[m[1]], name)
        must(len(got) == 1 and re.fullmatch(re.escape(wanted).replace('PID', r'\d+'), got[0]), name, got)
        must(('1 recording, ' if 'p' in fields else ' events, ') in said, name, said)
        os.unlink(here(got[0]))
    # Those that only the program's processes know.
    got, said = made('d/%p.nvtxh')
    equal(len(got), 1, got)
    must(Recording(here(got[0])).names('process')[0].body[:4] == struct.pack('<I', int(got[0][2:-6])), got)
    for _ in range(2):  # those of earlier runs do not count
        must(re.search(f'1 recording, {re.escape(here(got[-1]))}; .* CPU of .*; next: nvtxh stats', said), got, said)
        got, said = made('d/%p.nvtxh')
    script = f'PMI_RANK=0 "{program("phases")}"; PMI_RANK=1 "{program("phases")}"; PMI_RANK=1 "{program("phases")}"'
    got, said = made('e %%/%r.nvtxh', 'sh', '-c', script)
    must(len(got) == 3 and got[0] == 'e %/0.nvtxh' and got[2] == 'e %/1.nvtxh' and got[1].startswith('e %/1.'), got)
    must('3 recordings' in said and 'next: nvtxh ranks' in said, said)
    equal([identity(here(f))[0] for f in got], [0, 1, 1], 'ranks')
    said = made('p/%p.nvtxh', 'sh', '-c', script)[1]
    must('3 recordings' in said and 'next: nvtxh merge' in said, said)
    equal(made('p/%p.nvtxh', 'sh', '-c', script, options=('-q',))[1], '', '-q')
    for number, script_of in ((1, f'"{program("phases")}"'), (2, script), (0, ':')):
        done = nvtxh('record', '-o', here(f'killed-{number}/%p'), '--', 'sh', '-c', f'{script_of}; kill -KILL $$', env=environment())
        lines = done.stderr.decode().splitlines()
        must(done.returncode == 128 + 9 and len(lines) == 1 and lines[0].startswith('nvtxh: ended by SIGKILL: '), lines)
    got, _ = made('f/%r-%n.nvtxh', 'sh', '-c', script)
    equal(got, ['f/0-1.nvtxh', 'f/1-1.nvtxh', 'f/1-2.nvtxh'], 'numbers')
    # A batch script has SLURM's rank 0, and starts the ranks by another launcher.
    got, _ = made('g/%r.nvtxh', 'sh', '-c', 'PMI_RANK=4 "$0"', program('phases'), SLURM_PROCID=0, SLURM_NTASKS=8)
    equal(got, ['g/4.nvtxh'], 'in a batch script')
    got, said = made('h/%p.nvtxh', 'true')
    must(not got and 'nvtxh doctor' in said, got, said)
    # By the environment alone.
    done = run(program('phases'), env=environment(NVTX_INJECTION64_PATH=driver.args.library, PMI_RANK=7,
                                                  NVTXH_RECORD_FILE=here('i/%r.nvtxh')))
    must(done.returncode == 0 and os.path.exists(here('i/7.nvtxh')), done.stderr)
    # A relative name is one in the working directory, in whose own name nothing is a field.
    folder = here('50%p %r%%')
    os.mkdir(folder)
    for name, wanted in ('%p-%r.nvtxh', r'\d+-1\.nvtxh'), ('%p/%p', r'\d+'), ('%r.nvtxh', r'1\.nvtxh'):
        before = os.listdir(folder)
        nvtxh('record', '-o', name, '--', program('phases'), cwd=folder, env=environment(PMI_RANK=1), status=0)
        got, = [found for found in os.listdir(folder) if found not in before]
        must(re.fullmatch(wanted, got), name, got)
    # Where a name is taken, the pid makes another one, and then a number.
    for turn, (name, variables, each) in enumerate((('', {}, ('phases.PID.nvtxh', 'phases.PID.2.nvtxh', 'phases.PID.3.nvtxh')),
                                                    ('x', {}, ('x', 'x.PID', 'x.PID.2', 'x.PID.3')),
                                                    ('%r.nvtxh', {'PMI_RANK': 1}, ('1.nvtxh', '1.PID.nvtxh', '1.PID.2.nvtxh')))):
        for count in range(len(each)):
            folder = here(f'taken {turn} {count}')
            os.mkdir(folder)
            script = 'echo $$; ' + ''.join(f': > {one.replace("PID", "$$")}; ' for one in each[:count]) + f'exec "{program("phases")}"'
            done = run('sh', '-c', script, cwd=folder, env=environment(NVTX_INJECTION64_PATH=driver.args.library, **variables, **{'NVTXH_RECORD_FILE': name} if name else {}))
            equal((done.returncode, done.stderr), (0, b''), script)
            pid = done.stdout.split()[0].decode()
            equal({one: os.path.getsize(os.path.join(folder, one)) > 0 for one in os.listdir(folder)},
                  {one.replace('PID', pid): i == count for i, one in enumerate(each[:count + 1])}, f'{name}, {count} taken')
    for arguments in (('-o', 'x%q'), ('-o', 'x%'), ('--mode', '9', '-o', 'y'), ('--mode', '400', '-o', 'y')):
        before = files()
        done = nvtxh('record', *arguments, '--', 'true', cwd=driver.directory)
        must(done.returncode == 2 and done.stderr.count(b'\n') == 1 and files() == before, arguments, done.stderr)
    for more in (), ('-f',):
        done = nvtxh('record', *more, '-o', f'new{len(more)}/er/0.nvtxh', '--', program('phases'), cwd=driver.directory)
        must(done.returncode == 0 and f'new{len(more)}/er/0.nvtxh' in files(), more, done.stderr)


def case_force():
    """With --force, a process that makes its own file replaces that of an earlier run, but none of its own run, none that is recorded, and nothing else."""
    def record(*command, more=('-f',), **variables):
        nvtxh('record', *more, '-o', here('run/%r.nvtxh'), '--', *command, env=environment(**variables), status=0)
        return {name: session(name) for name in files()}

    def session(name):
        with open(here(name), 'rb') as file:
            return file.read(40)[24:]

    phases = program('phases')
    script = f'SLURM_STEP_ID=0; export SLURM_STEP_ID; for r in 0 1 1; do SLURM_PROCID=$r "{phases}"; done'
    # In a batch script, and in a task that srun has started.
    first = record('sh', '-c', script, SLURM_PROCID=0, SLURM_NTASKS=2)
    must(len(first) == 3 and 'run/0.nvtxh' in first and 'run/1.nvtxh' in first, first)
    second = record('sh', '-c', script, SLURM_PROCID=0, SLURM_NTASKS=2)
    must(len(second) == 4 and first['run/0.nvtxh'] != second['run/0.nvtxh'] and first['run/1.nvtxh'] != second['run/1.nvtxh'], first, second)
    equal(len(record('sh', '-c', script, more=(), SLURM_PROCID=0, SLURM_NTASKS=2)), 7, 'without --force')
    third = record(phases, SLURM_PROCID=0, SLURM_STEP_ID=0, SLURM_NTASKS=2)
    must(len(third) == 7 and third['run/0.nvtxh'] != second['run/0.nvtxh'] and third['run/1.nvtxh'] == second['run/1.nvtxh'], third)
    # All processes of a rank at once: none is lost.
    before = files()
    many = record('sh', '-c', f'for i in $(seq 30); do PMI_RANK=1 "{phases}" & done; wait')
    equal(len([name for name in many if name not in before]), 29, 'at once')
    # A file that is no recording, and one to which a program is recorded, stay.
    with open(here('run/5.nvtxh'), 'w', encoding='ascii') as f:
        f.write('mine')
    busy = f'PMI_RANK=6 "{phases}" & PMI_RANK=5 "{phases}"; wait'
    record('sh', '-c', busy)
    with open(here('run/5.nvtxh'), encoding='ascii') as f:
        equal(f.read(), 'mine', 'no recording')
    before = session('run/6.nvtxh')
    holder = subprocess.Popen([sys.executable, '-c', "import fcntl, sys; f = open(sys.argv[1], 'r+b'); fcntl.lockf(f, fcntl.LOCK_EX, 1, 2**62); print(flush=True); sys.stdin.read()",
                               here('run/6.nvtxh')], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    holder.stdout.readline()
    equal(record('sh', '-c', busy)['run/6.nvtxh'], before, 'recorded')
    holder.communicate()
    must(record('sh', '-c', busy)['run/6.nvtxh'] != before, 'no longer recorded')
    # A program that has closed its descriptors has lost its lock.
    again = f'PMI_RANK=8 "{phases}"'
    with subprocess.Popen([driver.args.nvtxh, 'record', '-q', '-f', '-o', here('run/%r.nvtxh'), '--', 'sh', '-c',
                           f'echo $$; PMI_RANK=8 exec "{program("load")}" 1 0 /dev/zero 1000 close'],
                          stdout=subprocess.PIPE, env=environment()) as held:
        pid = int(held.stdout.readline())
        while not os.path.exists(here('run/8.nvtxh')) or len(os.listdir(f'/proc/{pid}/fd')) > 3:
            time.sleep(0.01)
        before = session('run/8.nvtxh')
        after = record('sh', '-c', again)['run/8.nvtxh']
        os.kill(pid, signal.SIGKILL)
    equal(after, before, 'recorded without a lock')
    must(record('sh', '-c', again)['run/8.nvtxh'] != before, 'killed')
    # Runs that began at the same time, or later, keep theirs.
    def begin():
        command = [driver.args.nvtxh, 'record', '-q', '-f', '-o', here('run/none of %r.nvtxh'), '--', 'sh', '-c', f'echo begun; read ready; "{phases}"']
        run = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
        run.stdout.readline()
        return run

    before, slow = files(), begin()
    for run in [begin() for _ in range(4)]:
        run.communicate(b'ready\n')
    equal(len(files()) - len(before), 4, 'files of four runs')
    slow.communicate(b'ready\n')
    equal(len(files()) - len(before), 5, 'files of five runs')


def launcher(name, *more):
    path = shutil.which(f'mpirun.{name}')
    if not path:
        driver.skip(f'mpirun.{name} is not here')
    return [path, *more, '-n', '4']


def each_and_all(command):
    variables = environment(OMPI_ALLOW_RUN_AS_ROOT=1, OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1)
    run(*command, driver.args.nvtxh, 'record', '-q', '-o', here('run/%r.nvtxh'), '--', program('phases'), env=variables, status=0)
    equal(files(), [f'run/{rank}.nvtxh' for rank in range(4)], 'a file for each rank')
    for rank in range(4):
        equal(identity(here(f'run/{rank}.nvtxh'))[0:3], (rank, rank, 4), 'rank, local rank and ranks')
    nvtxh('record', '-o', here('all.nvtxh'), '--', *command, program('phases'), env=variables, status=0)
    equal(sorted(identity(here('all.nvtxh'), process)[0] for process in range(4)), [0, 1, 2, 3], 'ranks in one file')
    done = nvtxh('record', '-o', here('apart/%r.nvtxh'), '--', *command, program('phases'), env=variables, status=0)
    equal(len([f for f in files() if f.startswith('apart/')]), 4, done.stderr.decode())


def case_open_mpi():
    """Open MPI's mpirun starts the recorder for each rank, or the recorder starts mpirun."""
    each_and_all(launcher('openmpi', '--oversubscribe'))


def case_mpich():
    """MPICH's mpirun, too."""
    each_and_all(launcher('mpich'))


if __name__ == '__main__':
    driver.main(globals(), __doc__)
