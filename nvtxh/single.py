#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""single.py SOURCE OUTPUT: all of the library's headers in one file, for projects that keep a copy of
what they use. OUTPUT is nvtxh_single.h, or nvtxh_device_single.h, which adds device.h to it.

Each header goes where it is first included, with its guard, so that a file which includes both OUTPUT
and the folder's headers has everything once. If a header is first included under a condition, and
later without this condition, it stands there once more. The text depends on nothing but the headers.
"""
import pathlib
import posixpath
import re
import sys

# In this order, each with all that it includes.
ROOTS = ['nvtxh.h', 'nvtxh/instrument.h', 'nvtxh/check.h', 'nvtxh/stats.h', 'nvtxh/capture.h', 'nvtxh/payload.h', 'nvtxh/counter.h']
# What most files do not use, and the macros that ask for it.
RARE = {'nvtxh/stats.h': ['STATS'], 'nvtxh/capture.h': ['CAPTURE'], 'nvtxh/payload.h': ['PAYLOAD', 'COUNTER'], 'nvtxh/counter.h': ['COUNTER']}
DEVICE = 'nvtxh/device.h'

LICENCE = '/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */\n'
HEAD = LICENCE + '''/*
 * nvtxh {version} in one file, made by nvtxh/single.py. Change the headers it is made of, not this.
 *
 * Licensed under the Apache License, Version 2.0, with the LLVM exception: you may copy, change and pass
 * it on if you keep this notice. There is no warranty of any kind. http://www.apache.org/licenses/LICENSE-2.0
 *
{about} */
'''
ABOUT = ''' * Include this file alone, instead of nvtxh.h. What most files do not need costs them nothing: before the include, define
 *
 *   NVTXH_WITH_STATS    in files that use nvtxh/stats.h
 *   NVTXH_WITH_CAPTURE  nvtxh/capture.h
 *   NVTXH_WITH_PAYLOAD  nvtxh/payload.h
 *   NVTXH_WITH_COUNTER  nvtxh/counter.h, and payload.h
 *
 * nvtxh/instrument.h is always in it. Not in it:
 *
 *   nvtxh/device.h      nvtxh_device_single.h, put beside this file
 *   nvtxh/instrument.c  a source to compile, for -finstrument-functions: take the folder nvtxh/
 *   NVTX's headers      NVIDIA's; this file includes <nvtx3/nvToolsExt.h>, from NVTX 3.0 or newer
 *
 * Each file that includes it gets the implementation. To have it compiled only once for the program, define
 * NVTXH_NO_IMPL for all files, and NVTXH_IMPLEMENTATION in one, before the include.
'''
ABOUT_DEVICE = ''' * Holds nvtxh/device.h, for ranges in CUDA streams. It includes nvtxh_single.h of the same version, which lies
 * beside it, and CUDA's headers.
'''
DEVICE_START = '''#include "nvtxh_single.h"

#if NVTXH_VERSION != {number}
#error "nvtxh: nvtxh_single.h and nvtxh_device_single.h are of different versions. Copy both from one."
#endif
'''
SYSTEM = '#pragma GCC system_header\n'  # in many headers, but only once in the output
DIRECTIVE = re.compile(r'#\s*(ifdef|ifndef|if|elif|else|endif|include)\b\s*(.*)')


class Single:
    """The text so far, and under which conditions each header stands in it."""

    def __init__(self, source, done=None):
        self.source = source
        self.text = []
        self.conditions = {path: list(all_) for path, all_ in done.conditions.items()} if done else {}
        self.after_guard = dict(done.after_guard) if done else {}  # {header: its text after the guard, for each further include}

    def add_root(self, path):
        if path not in RARE:
            return self.add(path)
        # Where a header is asked for, those are that are asked for with it.
        conditions = [' || '.join(f'defined({name})' for name in ['NVTXH_IMPLEMENTATION', *(f'NVTXH_WITH_{word}' for word in words)])
                      for words in RARE.values() if set(RARE[path]) <= set(words)]
        self.text.append(f'\n#if {conditions[-1]}\n')
        self.add(path, tuple(conditions))
        self.text.append('\n#endif\n')

    def add(self, path, conditions=()):
        """Append a header, unless it is there under these conditions or fewer."""
        if any(set(those) <= set(conditions) for those in self.conditions.get(path, [])):
            if again := self.after_guard[path].strip():
                self.text.append(f'\n/* ---- {path}, again ---- */\n{again}\n')
            return
        self.conditions.setdefault(path, []).append(conditions)
        self.after_guard[path] = ''
        self.text.append(f'\n/* ---- {path} ---- */\n')
        body = (self.source / path).read_text().replace(LICENCE, '', 1)
        open_ifs, guarded = [], False
        for line in body.splitlines(keepends=True):
            kind, rest = (m.groups() if (m := DIRECTIVE.match(line)) else (None, ''))
            if kind in ('if', 'ifdef', 'ifndef'):
                guard = not guarded and kind == 'ifndef' and rest.startswith('NVTXH_') and rest.endswith('_H')
                guarded = guarded or guard
                open_ifs.append(None if guard else f'{kind} {rest}')
            elif kind in ('elif', 'else'):
                open_ifs[-1] = f'after {open_ifs[-1]}'
            elif kind == 'include' and rest.startswith('"'):
                included = posixpath.normpath(posixpath.join(posixpath.dirname(path), rest.split('"')[1]))
                under = conditions + tuple(c for c in open_ifs if c)
                if not (under and included in ROOTS):  # else it stands by itself
                    self.add(included, under)
                continue
            ends_guard = kind == 'endif' and open_ifs.pop() is None
            if line == SYSTEM:
                continue
            self.text.append(line)
            if guarded and None not in open_ifs:
                self.after_guard[path] += line
            if ends_guard:
                self.after_guard[path] = ''


def gather(source, roots, done=None):
    """The headers of ROOTS and all below them, without those that DONE has."""
    single = Single(source, done)
    for root in roots:
        single.add_root(root)
    return single


def main():
    source, output = map(pathlib.Path, sys.argv[1:])
    numbers = re.findall(r'define NVTXH_VERSION_[A-Z]+ (\d+)', (source / 'nvtxh/version.h').read_text())
    version = '.'.join(numbers)
    single = gather(source, ROOTS)
    about, start = ABOUT, ''
    if output.name == 'nvtxh_device_single.h':
        single = gather(source, [DEVICE], single)
        major, minor, patch = map(int, numbers)
        about, start = ABOUT_DEVICE, DEVICE_START.format(number=major * 10000 + minor * 100 + patch)
    # Runs of empty lines are where includes were.
    text = re.sub(r'\n{3,}', '\n\n', HEAD.format(version=version, about=about) + SYSTEM + start + ''.join(single.text))
    output.write_text(text)


if __name__ == '__main__':
    main()
