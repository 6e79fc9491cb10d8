#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""in_turn.py SCRIPT CASE[,CASE]... WAY...: SCRIPT CASE WAY, one after the other. Nsight Systems runs once at a time, and a test
that waits for another holds the place of one that could run."""
import subprocess
import sys

script, cases, *ways = sys.argv[1:]
ended = {}
for case in cases.split(','):
    for way in ways:
        print(f'{case} {way}:', flush=True)
        ended[case, way] = subprocess.call([sys.executable, script, case, way])
failed = [run for run, status in ended.items() if status not in (0, 77)]
if failed:
    print('failed:', *failed)
sys.exit(1 if failed else min(ended.values()))
