#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""single.py SOURCE OUTPUT: all of the library's headers in one file, for projects that keep a copy of
what they use. OUTPUT is nvtxh_single.h, or nvtxh_device_single.h, which adds device.h to it.

Each header goes where it is first included, with its guard, so that a file which includes both OUTPUT
and the folder's headers has everything once. If a header is first included under a condition, and
later without this condition, it goes ahead of the header that has the condition. The text depends
on nothing but the headers.
"""
import pathlib
import posixpath
import re
import sys

# In this order, each with all that it includes. The first two stand ahead, because they must not be within check.h:
# if a file includes the folder's check.h first, its guard leaves out the single file's check.h, with all within it.
ROOTS = ['nvtxh/impl/say.h', 'nvtxh/core/arena.h', 'nvtxh.h', 'nvtxh/stats.h', 'nvtxh/capture.h', 'nvtxh/payload.h', 'nvtxh/counter.h', 'nvtxh/instrument.h',
         'nvtxh/check.h']
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
ABOUT = ''' * Holds nvtxh.h and the headers that are otherwise included by hand: stats.h, capture.h, payload.h, counter.h,
 * instrument.h. Include this file alone, instead of any of them. Not here:
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

    def __init__(self, source, ahead):
        self.source = source
        self.ahead = ahead  # {header: the headers that have to come before it}
        self.text = []
        self.conditions = {}
        self.after_guard = {}  # {header: its text after the guard, for each further include}
        self.conflict = None

    def add(self, path, conditions=(), anchor=None):
        """Append a header, unless it is there. ANCHOR: the last header that stands under no condition."""
        if path in self.conditions:
            mine, its_anchor = self.conditions[path]
            if not set(mine) <= set(conditions):
                self.conflict = self.conflict or (its_anchor, path)
            if again := self.after_guard[path].strip():
                self.text.append(f'\n/* ---- {path}, again ---- */\n{again}\n')
            return
        anchor = anchor if conditions else path
        for other in self.ahead.get(path, []):
            self.add(other)
        self.conditions[path] = conditions, anchor
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
                if not (under and included in ROOTS):  # else it comes later, under no condition
                    self.add(included, under, anchor)
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
    ahead = {}
    while True:
        single = Single(source, ahead)
        if done:
            single.conditions, single.after_guard = dict(done.conditions), dict(done.after_guard)
        for root in roots:
            single.add(root)
        if not single.conflict:
            return single
        anchor, path = single.conflict
        if path in ahead.get(anchor, []):
            sys.exit(f'single.py: {path} is wanted under conditions that cannot be brought together')
        ahead.setdefault(anchor, []).append(path)


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
