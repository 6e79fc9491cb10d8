# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""bench/compare.py fails when it should, and only then."""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
HEAD = 'bench,row,column,unit,value\n'
OLD = HEAD + ('ladder,"ladder, nobody: nvtxh/scope",instructions,,2.000\n'
              'ladder,"ladder, null tool: nvtxh/scope",instructions,,40.000\n'
              'ladder,"ladder, null tool: nvtxh/scope",time,ns,6.000\n'
              'ladder,"ladder, statistics: nvtxh/scope",instructions,,90.000\n')

# (what is claimed, the newer file, more arguments, exit status, in the output)
CASES = [
    ('the same is fine', OLD, [], 0, '3 numbers compared, 0 dearer'),
    ('5 % is within the threshold', OLD.replace('40.0', '42.0'), [], 0, ' 0 dearer'),
    ('over the threshold', OLD.replace('40.0', '43.0'), [], 1, 'null tool: nvtxh/scope: instructions: 40 -> 43'),
    ('a threshold of one\'s own', OLD.replace('40.0', '43.0'), ['--threshold', '10'], 0, ' 0 dearer'),
    ('one instruction of two is much', OLD.replace(',2.0', ',3.0'), [], 1, 'nobody: nvtxh/scope'),
    ('cheaper is fine', OLD.replace('40.0', '20.0'), [], 0, ' 0 dearer'),
    ('times are not compared', OLD.replace('ns,6.0', 'ns,60.0'), [], 0, ' 0 dearer'),
    ('but on demand', OLD.replace('ns,6.0', 'ns,60.0'), ['--all'], 1, 'time ns: 6 -> 60'),
    ('a row that has gone', OLD.replace('nobody: nvtxh/scope', 'nobody: other'), [], 1, 'gone: ladder, nobody'),
    ('a row that could not be measured', '# not measured: statistics: none\n'
     + ''.join(line for line in OLD.splitlines(True) if 'statistics' not in line), [], 0, ' 0 gone'),
    ('files that are joined', OLD + HEAD + 'peers,"peers, idle: nvtxh",instructions,,2\n', [], 0, '3 numbers compared, 0 dearer'),
    ('nothing in common', HEAD + 'real,x,instructions,,1\n', [], 1, ''),
    ('not a result file', 'a,b\n1,2\n', [], 1, 'not a result file'),
    ('an empty file', '', [], 1, 'not a result file'),
]


def main():
    broken = 0
    with tempfile.TemporaryDirectory() as folder:
        old, new = pathlib.Path(folder, 'old.csv'), pathlib.Path(folder, 'new.csv')
        old.write_text(OLD)
        for claim, text, arguments, status, said in CASES:
            new.write_text(text)
            done = subprocess.run([sys.executable, ROOT / 'bench' / 'compare.py', *arguments, old, new],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            if done.returncode != status or said not in done.stdout or 'Traceback' in done.stdout:
                print(f'BROKEN: {claim}: exit {done.returncode}, not {status}\n{done.stdout}')
                broken += 1
    print(f'{len(CASES) - broken} claims hold, {broken} do not')
    sys.exit(broken != 0)


if __name__ == '__main__':
    main()
