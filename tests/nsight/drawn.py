# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Programs with NVTX and CUDA that are drawn at random, as a profiler sees them: ranges, calls and operations of the GPU."""
import database
from model import Call, Operation, Range

NAMES = ['step', 'forward', 'backward', 'load', 'a "quoted", name', 'caf\u00e9', '', '=1+1']
KERNELS = ['saxpy(double *, double *, double *, double, int)', 'void gemm<float, (int)128>(T1 *, int)', 'reduce(int)',
           'void at::native::vectorized_elementwise_kernel<(int)4, at::native::FillFunctor<float>>(int, T2)']
DOMAINS = ['', 'NCCL', 'my library']  # by number
MPI = {'MPI_Send': 'P2P', 'MPI_Allreduce': 'COLLECTIVES', 'MPI_Waitall': 'START_WAIT', 'MPI_Comm_rank': 'OTHER'}  # which table a call is in


class Thread:
    """Makes a thread's events, each later than the one before."""

    def __init__(self, drawn, pid, tid):
        self.drawn, self.random, self.pid, self.tid = drawn, drawn.random, pid, tid
        self.now, self.open = self.random.randrange(1000), []

    def pass_time(self, most=3000):
        self.now += self.random.randrange(1, most)
        return self.now

    def annotated(self, style):
        r = self.random
        return Range(style, self.pid, self.tid, r.choice(['', *DOMAINS]), r.choice(NAMES), self.pass_time(), category=r.choice([None, None, 1, 5]),
                     color=r.choice([None, 0xff00ff00, 0xff102030]), payload=r.choice([None] * 6 + list(database.PAYLOADS)), is_registered=r.random() < .5)

    def push(self):
        if len(self.open) < 8:
            self.open.append(self.annotated('PushPop'))
            self.drawn.ranges.append(self.open[-1])

    def pop(self):
        """Ends the innermost range; now and then that of another domain, so that ranges of two domains overlap."""
        if self.open:
            domain = self.random.choice(self.open).domain if self.drawn.crosses else self.open[-1].domain
            one = next(one for one in reversed(self.open) if one.domain == domain)
            self.open.remove(one)
            one.end = self.pass_time()

    def mark(self):
        one = self.annotated('Mark')
        one.end = one.start
        self.drawn.ranges.append(one)

    def call_mpi(self):
        """Before 2023 the calls of MPI were ranges of NVTX."""
        if self.drawn.generation != '2022':
            name = self.random.choice(list(MPI))
            self.drawn.ranges.append(Range('PushPop', self.pid, self.tid, 'MPI', name, self.pass_time(), self.pass_time(), is_registered=True, table=f'MPI_{MPI[name]}_EVENTS'))

    def start(self):
        one = self.annotated('StartEnd')
        self.drawn.ranges.append(one)
        self.drawn.started.setdefault(self.pid, []).append(one)

    def end(self):
        """Ends a range that any thread of the process has started."""
        started = [one for one in self.drawn.started.get(self.pid, []) if one.start < self.now]
        if started:
            one = self.random.choice(started)
            self.drawn.started[self.pid].remove(one)
            one.end, one.end_tid = self.pass_time(), None if one.tid == self.tid else self.tid

    def launch(self):
        """A call: of one operation, of a graph with several, of none."""
        r = self.random
        count = r.choices([0, 1, r.randrange(2, 6)], [2, 10, 2])[0]
        call = Call(self.pid, self.tid, self.pass_time(), 0, self.drawn.correlation(self.pid),
                    ['cudaDeviceSynchronize', 'cudaLaunchKernel', 'cudaGraphLaunch'][min(count, 2)])
        is_double = r.random() < .2  # it makes a call of the driver, which has its number
        call.end = self.pass_time(3000 if is_double else 300)
        if r.random() > .03:  # else the call is not in the file
            self.drawn.calls += [call] + [Call(self.pid, self.tid, r.randrange(call.start, call.end), call.end, call.correlation, 'cuLaunchKernel')] * is_double
        for _ in range(count):
            self.drawn.operate(self.pid, call.correlation, max(0, call.start + r.choice([r.randrange(50000)] * 9 + [r.randrange(-20, 2)])))  # the clocks of GPUs are not exact


class Drawn:
    """crosses: ranges of different domains may overlap without nesting. tick: the clock's, in ns; a coarse one makes many times equal."""

    def __init__(self, random, size=60, crosses=False, tick=1):
        self.random, self.crosses = random, crosses
        self.ranges, self.calls, self.operations, self.started, self.numbers, self.busy = [], [], [], {}, {}, {}
        self.generation = random.choice(list(database.GENERATIONS))
        self.places = [(device, stream) for device in range(random.randrange(1, 4)) for stream in random.sample([7, 13, 14, 20], random.randrange(1, 4))]
        self.names, self.ranks = {}, {}
        pids = random.sample(range(100, 60000), random.choice([1, 1, 2, 3]))
        for pid in pids:
            threads = [Thread(self, pid, tid) for tid in [pid, *range(pid + 1, pid + random.choice([1, 1, 3]))]]
            actions = [Thread.push] * 4 + [Thread.pop] * 4 + [Thread.launch] * 6 + [Thread.start, Thread.end, Thread.mark, Thread.call_mpi]
            for thread in threads:
                if random.random() < .3:
                    self.names[pid, thread.tid] = f'worker {thread.tid}'
            for _ in range(random.randrange(size)):
                random.choice(actions)(random.choice(threads))
            for thread in threads:
                while thread.open:
                    thread.pop()
            last = max(thread.now for thread in threads)
            for one in self.started.get(pid, []):  # by the first thread, at the end
                last += 1
                one.end, one.end_tid = last, None if one.tid == pid else pid
        for _ in range(random.choice([0, 0, 3])):  # operations that no call has launched
            self.operate(pids[0], random.choice([None, 0, self.correlation(pids[0])]), random.randrange(100000))
        self.pids = pids
        for one in [*self.ranges, *self.calls]:
            one.start, one.end = one.start // tick * tick, one.end // tick * tick

    def correlation(self, pid):
        """Each process counts from 1, so that the same numbers mean different calls."""
        self.numbers[pid] = self.numbers.get(pid, 0) + 1
        return self.numbers[pid]

    def operate(self, pid, correlation, ready):
        """Runs an operation on a stream: after the one before, but now and then beside it."""
        r = self.random
        device, stream = r.choice(self.places)
        place = pid, device, stream
        start = ready if r.random() < .05 else max(ready, self.busy.get(place, 0)) + r.choice([0, r.randrange(1000)])
        end = max(1, start) + r.choice([0, 1, r.randrange(100), r.randrange(20000)])
        self.busy[place] = max(end, self.busy.get(place, 0))
        kind = r.choices(['KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE'], [8, 3, 1, 1])[0]
        one = Operation(kind, pid, start, end, device, stream, correlation)
        if kind == 'KERNEL':
            one.name = r.choice(KERNELS)
        elif kind == 'MEMCPY':
            one.copy, one.bytes = r.choice(list(database.COPIES)), r.choice([0, 4, 1 << 20, 1 << 33])
            one.name = database.COPIES[one.copy]
        elif kind == 'MEMSET':
            one.name, one.bytes = '[CUDA memset]', 4096
        else:
            one.name = '[CUDA graph 3]'
        self.operations.append(one)

    def database(self):
        db = database.Database(self.generation)
        for device in sorted({device for device, _ in self.places}):
            db.add('TARGET_INFO_GPU', vmId=1 << 48, id=device, name=f'GPU model {device}', smCount=108, cuDevice=device)
        for pid in self.pids:
            db.add('PROCESSES', globalPid=database.global_pid(pid), pid=pid, name=f'/usr/bin/program-{pid}')
            for number, domain in enumerate(DOMAINS[1:], 1):
                db.nvtx(database.DOMAIN, database.global_tid(pid, pid), 0, text=domain, domainId=number)
            db.nvtx(database.CATEGORY, database.global_tid(pid, pid), 0, category=5, text='five', domainId=0)
        for (pid, tid), name in self.names.items():
            db.add('ThreadNames', nameId=db.string(name), priority=20, globalTid=database.global_tid(pid, tid))
            db.nvtx(database.THREAD, database.global_tid(pid, tid), 0, text=name, domainId=0)
        for pid, rank in self.ranks.items():
            db.add('MPI_RANKS', globalTid=database.global_tid(pid, pid), rank=rank)
        db.program(self, DOMAINS)
        db.add('ANALYSIS_DETAILS', globalVid=1 << 48, duration=10**9, startTime=0, stopTime=10**9)
        return db

    def write(self, path):
        return self.database().write(path)
