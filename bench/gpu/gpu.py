# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The GPU's work in ranges, of a database of Nsight Systems: `nvtxh stats --gpu` beside the reports of `nsys stats`."""
import pathlib
import shutil
import sqlite3
import sys

BENCH = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(BENCH), str(BENCH.parent / 'tests' / 'nsight')]
from common import SMOKE, Bench, measured  # noqa: E402
import database  # noqa: E402

NSYS_MOST = 10 ** 4  # nsys is left out of larger databases; of 10^5 it takes minutes

FOOTNOTE = '''
One run each. A database of as many kernels and copies, 4 to 1, on 4 streams; each is launched by a call of its own, 10 calls
in a range, 10 of these ranges in another. time: processor time. memory: the most that was resident at once, pages of the file
that are mapped included. nsys: nsys stats -r nvtxgpuproj, which makes a row for each instance of a range.
'''


def write(path, operations):
    """Writes the rows one by one: as dictionaries of a Database they would take too much memory."""
    db = database.Database()
    process, thread = database.global_pid(4711), database.global_tid(4711, 4711)
    names = [db.string(name) for name in ('gemm(float *)', 'relu(float *)', 'cudaLaunchKernel_v7000')]
    db.nvtx(database.DOMAIN, thread, 0, text='model', domainId=1)
    db.write(path)
    to = sqlite3.connect(path)
    to.execute('PRAGMA synchronous = OFF')
    to.execute('PRAGMA journal_mode = OFF')

    def insert(table, columns, rows):
        to.executemany(f'INSERT INTO {table} ({columns}) VALUES ({", ".join("?" * len(columns.split(",")))})', rows)

    step = 1000  # ns from call to call
    insert('NVTX_EVENTS', 'start, end, eventType, text, globalTid, domainId',
           ((i * step - (100 if i % 100 == 0 else 50), (i + length) * step - (100 if length == 100 else 150), database.PUSH_POP,
             'step' if length == 100 else f'layer {i // 10 % 10}', thread, 1)
            for i in range(0, operations, 10) for length in ((100, 10) if i % 100 == 0 else (10,))))
    insert('CUPTI_ACTIVITY_KIND_RUNTIME', 'start, end, eventClass, globalTid, correlationId, nameId, returnValue',
           ((i * step, i * step + 400, 0, thread, i + 1, names[2], 0) for i in range(operations)))
    places = 'start, end, deviceId, contextId, streamId, correlationId, globalPid, '
    insert('CUPTI_ACTIVITY_KIND_KERNEL', places + """demangledName, shortName, registersPerThread, gridX, gridY, gridZ, blockX, blockY, blockZ,
        staticSharedMemory, dynamicSharedMemory, localMemoryPerThread, localMemoryTotal, gridId""",
           ((i * step + 5000, i * step + 5800, 0, 1, 7 + i % 4, i + 1, process, names[i % 2], names[i % 2], *[1] * 12)
            for i in range(operations) if i % 5))
    insert('CUPTI_ACTIVITY_KIND_MEMCPY', places + 'bytes, copyKind', ((i * step + 5000, i * step + 5800, 0, 1, 7 + i % 4, i + 1, process, 4096, 1)
                                                                    for i in range(0, operations, 5)))
    to.commit()
    to.close()


def main():
    bench = Bench('gpu', operations=0, folder='')
    sizes = [1000] if SMOKE else [bench.asked.operations] if bench.asked.operations else [10 ** 4, 10 ** 6, 10 ** 7]
    rows, said = {}, []
    if not shutil.which('nsys'):
        bench.skip('nsys', 'not installed')
    for size in sizes:
        path = bench.scratch / 'bench.sqlite'
        write(path, size)
        ours, theirs = (f'{program}, 10^{len(str(size)) - 1} operations' for program in ('nvtxh stats --gpu', 'nsys'))
        rows[ours] = measured([bench.nvtxh, 'stats', '--gpu', '--csv', path])
        said.append(f'nvtxh stats --gpu takes {rows[ours][0]:.2f} s for {size:,} operations, and {rows[ours][1]:.0f} MiB.')
        if shutil.which('nsys') and size <= NSYS_MOST:
            rows[theirs] = measured(['nsys', 'stats', '-q', '-f', 'csv', '-o', bench.scratch / 'out', '-r', 'nvtxgpuproj', path])
            said.append(f'nsys stats takes {rows[theirs][0]:.2f} s for as many.')
        path.unlink()
    bench.table('gpu', [('time', 's', 2), ('memory', 'MiB', 0)], rows, FOOTNOTE)
    bench.end(*said)


if __name__ == '__main__':
    main()
