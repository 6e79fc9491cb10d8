# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Traces of PyTorch's profiler (Kineto's JSON) as databases of Nsight Systems. A user_annotation becomes a push/pop range.

Kineto also writes down what it found out itself: per stream, a gpu_user_annotation from the first start to the last end of the
operations that were launched in one user_annotation, if no annotation within that one launched them."""
import decimal
import gzip
import json

import database
from model import Call, Operation, Program, Range

KINDS = {'kernel': 'KERNEL', 'gpu_memcpy': 'MEMCPY', 'gpu_memset': 'MEMSET'}


class Trace(Program):
    """stream: all operations of other streams are left out."""

    def __init__(self, path, stream=None):
        super().__init__()
        with gzip.open(path, 'rt') as f:
            events = [event for event in json.load(f, parse_float=decimal.Decimal)['traceEvents'] if event.get('ph') == 'X']
        first = min(decimal.Decimal(event['ts']) for event in events)

        def times(event):
            start = int((decimal.Decimal(event['ts']) - first) * 1000)
            return start, start + int(decimal.Decimal(event['dur']) * 1000)

        self.annotations = []  # (name, stream, ns)
        pid = next(event['pid'] for event in events if event.get('cat') == 'cuda_runtime')
        for event in events:
            kind, given, name = event.get('cat'), event.get('args', {}), event['name']
            if kind == 'user_annotation':
                self.ranges.append(Range('PushPop', pid, event['tid'], '', name, *times(event)))
            elif kind in ('cuda_runtime', 'cuda_driver') and given.get('correlation'):
                self.calls.append(Call(pid, event['tid'], *times(event), given['correlation'], name))
            elif kind in KINDS and stream in (None, given['stream']):
                self.operations.append(Operation(KINDS[kind], pid, *times(event), given['device'], given['stream'], given['correlation'], name,
                                                 given.get('bytes', 0), next((n for n, text in database.COPIES.items() if text[13:17] in name), 0)))
            elif kind == 'gpu_user_annotation':
                start, end = times(event)
                self.annotations.append((name, event['tid'], end - start))

    def write(self, path):
        db = database.Database()
        db.program(self)
        return db.write(path)
