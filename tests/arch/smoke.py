# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""smoke.py TARGET NVTXH NATIVE LIST...: the examples and the recorder, compiled for another target, do what they do here.
NATIVE is the folder of the examples as they are built here, LIST the recorder's sources. Where the target's programs
cannot be run, all of it is compiled and linked."""
import concurrent.futures
import os
import pathlib
import sys

import targets
from harness import claims, driver, toolchain

EXAMPLES = ['02_colours', '03_threads', '04_printf', '07_payload', '08_counters', '10_stats']
# Without gcc's warnings about buffers, which depend on how it optimises.
WARNINGS = ['-Wall', '-Wextra', '-Werror', '-Wno-format-truncation']


def ranges(nvtxh, recording):
    """What is in a recording: {(range, how often)}."""
    rows = driver.table(toolchain.run([nvtxh, 'stats', '--csv', recording]).stdout)
    return {(row['Range'], row['Instances']) for row in rows}


def recorded_there(claim, nvtxh, recorder, name, command):
    """What a program records that runs with the injection library."""
    folder = claim.directory / f'{name}.run'
    folder.mkdir()
    done = toolchain.run(command, cwd=folder, timeout=60, env={**os.environ, 'NVTX_INJECTION64_PATH': str(recorder)})
    found = list(folder.glob('*.nvtxh'))
    claim.that(done.returncode == 0 and len(found) == 1, f'{name} runs and is recorded', f'{done.stdout}{found}')
    return ranges(nvtxh, found[0]) if found else set()


def recorded_here(claim, nvtxh, program):
    recording = claim.directory / f'{program.name}.nvtxh'
    toolchain.run([nvtxh, 'record', '-o', recording, '--', program])
    return ranges(nvtxh, recording)


def main():
    name, nvtxh, native, sources = sys.argv[1], *map(pathlib.Path, sys.argv[2:4]), sys.argv[4:]
    nvtxh, native = nvtxh.resolve(), native.resolve()
    with claims.Claims() as claim:
        target = targets.target(name, claim.directory)
        flags = ['-D_GNU_SOURCE', '-O1', '-isystem', claims.newest_nvtx(), '-I', toolchain.ROOT, *WARNINGS]

        def compiled(source):
            output = claim.directory / (str(source).replace('/', '_') + '.o')
            done = toolchain.run([*target.cc, *flags, '-std=gnu11', '-fPIC', *(
                ['-DNVTX_NO_IMPL', '-fvisibility=hidden', '-Wno-missing-field-initializers'] if 'recorder' in str(source)
                else ['-DNVTXH_NO_IMPL'] if 'examples' in str(source) else []), '-c', source, '-o', output])
            return source, output, done

        wanted = [*sources, toolchain.ROOT / 'nvtxh/impl_ext.c',
                  *(toolchain.ROOT / f'examples/{example}.c' for example in EXAMPLES)]
        objects = {}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for source, output, done in pool.map(compiled, wanted):
                claim.that(done.returncode == 0, f'{source} compiles for {name}', done.stdout)
                objects[str(source)] = output
        recorder = claim.directory / 'libnvtxh-record.so'
        done = toolchain.run([*target.cc, '-shared', *(objects[s] for s in sources), '-o', recorder, '-pthread', '-ldl',
                              '-Wl,-z,defs'])
        claim.that(done.returncode == 0, f'the recorder links for {name}', done.stdout)
        for example in EXAMPLES:
            program = claim.directory / example
            done = toolchain.run([*target.cc, objects[str(toolchain.ROOT / f'examples/{example}.c')],
                                  objects[str(toolchain.ROOT / 'nvtxh/impl_ext.c')], '-o', program, '-pthread', '-ldl', '-lm'])
            claim.that(done.returncode == 0, f'{example} links for {name}', done.stdout)
            if target.run is None or done.returncode:
                continue
            there = recorded_there(claim, nvtxh, recorder, example, [*target.run, program])
            here = recorded_here(claim, nvtxh, native / example)
            claim.that(there == here and here, f'{example} records on {name} what it records here', f'{there}\n{here}')


if __name__ == '__main__':
    main()
