# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes databases as `nsys export --type sqlite` does, in two generations of its schema: that of 2022 and that of 2024.5 (3.13)."""
import os
import sqlite3

import model

CATEGORY, MARK, THREAD, PUSH_POP, START_END, DOMAIN = 33, 34, 39, 59, 60, 75  # NVTX_EVENTS.eventType
COPIES = {1: '[CUDA memcpy HtoD]', 2: '[CUDA memcpy DtoH]', 8: '[CUDA memcpy DtoD]'}  # by CUPTI_ACTIVITY_KIND_MEMCPY.copyKind
GENERATIONS = {'2022': ('2.9.1', '2022.2.1.31'), '2024': ('3.13.2', '2024.5.1.113')}
# A column of NVTX_EVENTS -> the number in it; of 64 bits without a sign: as SQLite has it, with a sign.
PAYLOADS = {'uint64Value': -2**63, 'int64Value': -7, 'doubleValue': 0.5, 'uint32Value': 7, 'int32Value': -1, 'floatValue': 0.25}
INTEGERS = """start end eventType rangeId category color globalTid endGlobalTid textId domainId uint64Value int64Value uint32Value int32Value
    jsonTextId deviceId contextId greenContextId streamId correlationId globalPid demangledName shortName mangledName launchType cacheConfig
    registersPerThread gridX gridY gridZ blockX blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId
    sharedMemoryExecuted graphNodeId graphId graphExecId bytes copyKind srcKind dstKind memKind eventClass nameId returnValue callchainId priority
    commHandle tag remoteRank timestamp timestampType source severity rootRank size recvSize requestHandle rank pid id utcEpochNs globalVid duration startTime stopTime vmId smCount cuDevice syncType eventId""".split()
REALS = 'doubleValue', 'floatValue'
PLACE = 'start end deviceId contextId greenContextId streamId correlationId globalPid '
# The columns of the tables that matter for NVTX and CUDA. '2022' names what only the older generation has, '2024' what only the newer one has.
TABLES = {
    'StringIds': 'id value',
    'NVTX_EVENTS': """start end eventType rangeId category color text globalTid endGlobalTid textId domainId uint64Value int64Value doubleValue
        uint32Value int32Value floatValue jsonTextId jsonText binaryData""",
    'CUPTI_ACTIVITY_KIND_RUNTIME': 'start end eventClass globalTid correlationId nameId returnValue callchainId',
    'CUPTI_ACTIVITY_KIND_KERNEL': PLACE + """demangledName shortName mangledName launchType cacheConfig registersPerThread gridX gridY gridZ blockX
        blockY blockZ staticSharedMemory dynamicSharedMemory localMemoryPerThread localMemoryTotal gridId sharedMemoryExecuted graphNodeId""",
    'CUPTI_ACTIVITY_KIND_MEMCPY': PLACE + 'bytes copyKind srcKind dstKind graphNodeId',
    'CUPTI_ACTIVITY_KIND_MEMSET': PLACE + 'value bytes graphNodeId memKind',
    'CUPTI_ACTIVITY_KIND_GRAPH_TRACE': PLACE + 'graphId graphExecId',
    'CUPTI_ACTIVITY_KIND_SYNCHRONIZATION': PLACE + 'syncType eventId',
    'MPI_P2P_EVENTS': 'start end globalTid textId commHandle tag remoteRank size requestHandle',
    'MPI_COLLECTIVES_EVENTS': 'start end globalTid textId commHandle rootRank size recvSize requestHandle',
    'MPI_START_WAIT_EVENTS': 'start end globalTid textId requestHandle',
    'MPI_OTHER_EVENTS': 'start end globalTid textId',
    'MPI_RANKS': 'globalTid rank',
    'ThreadNames': 'nameId priority globalTid',
    'PROCESSES': 'globalPid pid name',
    'TARGET_INFO_GPU': 'vmId id name smCount cuDevice',
    'TARGET_INFO_SESSION_START_TIME': 'utcEpochNs utcTime localTime',
    'TARGET_INFO_SYSTEM_ENV': 'name value',
    'DIAGNOSTIC_EVENT': 'timestamp timestampType source severity text globalPid',
    'ANALYSIS_DETAILS': 'globalVid duration startTime stopTime',
    'EXPORT_META_DATA': 'name value',
    'META_DATA_EXPORT': 'name value',
    'META_DATA_CAPTURE': 'name value',
    'ENUM_CUDA_MEMCPY_OPER': 'id name label',
    'ENUM_CUDA_MEM_KIND': 'id name label',
}
ONLY = {'2022': ['EXPORT_META_DATA'], '2024': ['MPI_P2P_EVENTS', 'MPI_COLLECTIVES_EVENTS', 'MPI_START_WAIT_EVENTS', 'MPI_OTHER_EVENTS', 'MPI_RANKS', 'META_DATA_EXPORT', 'META_DATA_CAPTURE', 'DIAGNOSTIC_EVENT', 'ENUM_CUDA_MEMCPY_OPER', 'ENUM_CUDA_MEM_KIND', 'greenContextId', 'binaryData']}
ENUMS = {'ENUM_CUDA_MEMCPY_OPER': [(1, 'CUDA_MEMCPY_KIND_HTOD', 'Host-to-Device'), (2, 'CUDA_MEMCPY_KIND_DTOH', 'Device-to-Host'),
                                   (8, 'CUDA_MEMCPY_KIND_DTOD', 'Device-to-Device')],
         'ENUM_CUDA_MEM_KIND': [(0, 'CUDA_MEMOPR_MEMORY_KIND_PAGEABLE', 'Pageable'), (1, 'CUDA_MEMOPR_MEMORY_KIND_PINNED', 'Pinned'),
                                (2, 'CUDA_MEMOPR_MEMORY_KIND_DEVICE', 'Device')]}


def global_pid(pid, machine=1):
    return machine << 48 | pid << 24


def global_tid(pid, tid, machine=1):
    return global_pid(pid, machine) | tid


class Database:
    """Rows that wait to be written. In the newer generation a table without rows is not there, as with the exporter's option --lazy."""

    def __init__(self, generation='2022', start=1687813257637297504):
        self.generation, self.strings, self.rows = generation, {}, {name: [] for name in TABLES}
        schema, version = GENERATIONS[generation]
        for name, value in ('EXPORT_PRODUCT_NAME', 'NVIDIA Nsight Systems'), ('EXPORT_PRODUCT_VERSION', version), ('EXPORT_SCHEMA_VERSION', schema):
            self.add('EXPORT_META_DATA' if generation == '2022' else 'META_DATA_EXPORT', name=name, value=value)
        self.add('TARGET_INFO_SESSION_START_TIME', utcEpochNs=start, utcTime='2023-06-26T21:00:57', localTime='2023-06-26T14:00:57')
        for table, rows in ENUMS.items():
            for number, name, label in rows if generation == '2024' else ():
                self.add(table, id=number, name=name, label=label)

    def string(self, text):
        """The number of a text in StringIds."""
        return self.strings.setdefault(text, len(self.strings) + 1)

    def columns(self, table):
        other, = set(ONLY) - {self.generation}
        return [column for column in TABLES[table].split() if column not in ONLY[other]]

    def add(self, table, **values):
        self.rows[table].append(values)

    def nvtx(self, kind, tid, start, end=None, **values):
        self.add('NVTX_EVENTS', start=start, end=end, eventType=kind, globalTid=tid, **values)

    def call(self, tid, start, end, correlation, name='cudaLaunchKernel'):
        self.add('CUPTI_ACTIVITY_KIND_RUNTIME', start=start, end=end, eventClass=0, globalTid=tid, correlationId=correlation,
                 nameId=self.string(name + '_v7000'), returnValue=0)

    def operation(self, kind, pid, start, end, device, stream, correlation, **values):
        """KIND: KERNEL, MEMCPY, MEMSET, GRAPH_TRACE or SYNCHRONIZATION."""
        if kind == 'KERNEL':
            one = 'registersPerThread gridX gridY gridZ blockX blockY blockZ'.split()
            values = {**dict.fromkeys(one, 1), 'launchType': 1, 'staticSharedMemory': 0, 'dynamicSharedMemory': 0, 'localMemoryPerThread': 0,
                      'localMemoryTotal': 0, 'gridId': len(self.rows['CUPTI_ACTIVITY_KIND_KERNEL']), **values}
        self.add('CUPTI_ACTIVITY_KIND_' + kind, **{'start': start, 'end': end, 'deviceId': device, 'contextId': 1, 'streamId': stream,
                                                   'correlationId': correlation, 'globalPid': pid, **values})

    def kernel(self, pid, start, end, device, stream, correlation, name='kernel(int)', **values):
        values = {'demangledName': self.string(name), 'shortName': self.string(name.split('(')[0].split('<')[0].split(' ')[-1]), **values}
        self.operation('KERNEL', pid, start, end, device, stream, correlation, **values)

    def program(self, program, domains=('',)):
        """Adds the ranges, calls and operations. A domain's number is its place in DOMAINS."""
        kinds = {'PushPop': PUSH_POP, 'StartEnd': START_END, 'Mark': MARK}
        for number, one in enumerate(program.ranges, 1):
            if one.table:  # Nsight has a row for each request that a call waits for
                for request in range(3 if 'WAIT' in one.table else 1):
                    self.add(one.table, start=one.start, end=one.end, globalTid=global_tid(one.pid, one.tid), textId=self.string(one.text), size=8, requestHandle=request)
                continue
            values = {'textId': self.string(one.text)} if one.is_registered and one.text else {'text': one.text or None}
            if one.payload:
                values[one.payload] = PAYLOADS[one.payload]
            self.nvtx(kinds[one.style], global_tid(one.pid, one.tid), one.start, None if one.style == 'Mark' or one.is_open else one.end,
                      domainId=domains.index(one.domain), category=one.category, color=one.color, rangeId=number if one.style == 'StartEnd' else None,
                      endGlobalTid=one.end_tid and global_tid(one.pid, one.end_tid), **values)
        for call in program.calls:
            self.call(global_tid(call.pid, call.tid), call.start, call.end, call.correlation, call.name)
        for one in program.operations:
            place = global_pid(one.pid), one.start, one.end, one.device, one.stream, one.correlation
            if one.kind == 'KERNEL':
                self.kernel(*place, name=one.name)
            elif one.kind == 'MEMCPY':
                self.operation('MEMCPY', *place, bytes=one.bytes, copyKind=one.copy, srcKind=0 if one.copy == 1 else 2, dstKind=0 if one.copy == 2 else 2)
            elif one.kind == 'MEMSET':
                self.operation('MEMSET', *place, bytes=one.bytes, value=0, memKind=2)
            else:
                self.operation('GRAPH_TRACE', *place, graphId=3, graphExecId=4)

    def write(self, path, without=(), order=None):
        """Writes the file, its rows by their starts or as ORDER sorts them. WITHOUT: tables, or (table, column), that it lacks."""
        if os.path.exists(path):
            os.unlink(path)
        db = sqlite3.connect(path)
        db.execute('PRAGMA page_size = 1024')  # small files for the fuzzer
        db.execute('PRAGMA synchronous = OFF')
        other, = set(ONLY) - {self.generation}
        for text, number in self.strings.items():
            self.add('StringIds', id=number, value=text)
        for table in TABLES:
            rows = self.rows[table]
            if table in without or table in ONLY[other] or not rows and self.generation == '2024':
                continue
            columns = [column for column in self.columns(table) if (table, column) not in without]
            types = ('INTEGER' if column in INTEGERS else 'REAL' if column in REALS else 'TEXT' for column in columns)
            db.execute(f'CREATE TABLE {table} ({", ".join(map(" ".join, zip(columns, types)))})')
            if 'start' in columns:
                rows = order(rows) if order else sorted(rows, key=lambda row: row['start'])
            db.executemany(f'INSERT INTO {table} VALUES ({", ".join("?" * len(columns))})', [[row.get(column) for column in columns] for row in rows])
        self.rows['StringIds'] = []
        db.commit()
        db.close()
        return path


def load(path):
    """The ranges, calls and operations of a file, as model.rows takes them."""
    db = sqlite3.connect(path)
    db.row_factory = sqlite3.Row
    tables = {name for name, in db.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}

    def rows(table):
        return [dict(row) for row in db.execute(f'SELECT * FROM {table}')] if table in tables else []

    def pid(number):
        return number >> 24 & 0xffffff

    program, strings = model.Program(), {row['id']: row['value'] for row in rows('StringIds')}
    events = rows('NVTX_EVENTS')
    domains = {(pid(row['globalTid']), row['domainId']): row['text'] for row in events if row['eventType'] == DOMAIN}
    latest = max((row['end'] or row['start'] for row in events), default=0)
    for row in events:
        style = {MARK: 'Mark', PUSH_POP: 'PushPop', START_END: 'StartEnd'}.get(row['eventType'])
        if style:
            tid, text = row['globalTid'], strings.get(row['textId'], row['text']) or ''
            end = row['start'] if style == 'Mark' else latest if row['end'] is None else row['end']
            program.ranges.append(model.Range(style, pid(tid), tid & 0xffffff, domains.get((pid(tid), row['domainId']), ''), text, row['start'], end))
    for table in 'P2P', 'COLLECTIVES', 'START_WAIT', 'OTHER':
        for tid, text, start, end in sorted({(row['globalTid'], row['textId'], row['start'], row['end']) for row in rows(f'MPI_{table}_EVENTS')}):
            program.ranges.append(model.Range('PushPop', pid(tid), tid & 0xffffff, 'MPI', strings[text], start, end, table=f'MPI_{table}_EVENTS'))
    for row in rows('CUPTI_ACTIVITY_KIND_RUNTIME'):
        program.calls.append(model.Call(pid(row['globalTid']), row['globalTid'] & 0xffffff, row['start'], row['end'], row['correlationId'],
                                        strings[row['nameId']]))
    for kind in 'KERNEL', 'MEMCPY', 'MEMSET', 'GRAPH_TRACE':
        for row in rows('CUPTI_ACTIVITY_KIND_' + kind):
            name = {'KERNEL': strings.get(row.get('demangledName')), 'MEMCPY': COPIES.get(row.get('copyKind')), 'MEMSET': '[CUDA memset]',
                    'GRAPH_TRACE': f'[CUDA graph {row.get("graphId")}]'}[kind]
            program.operations.append(model.Operation(kind, pid(row['globalPid']), row['start'], row['end'], row['deviceId'], row['streamId'],
                                                      row['correlationId'], name, row.get('bytes', 0)))
    return program
