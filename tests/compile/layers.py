# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers: a file includes files of lower layers only, or of its own module; files neither include nor call each other
in a circle; no function is too long; the top folder of a tree holds its public headers alone; few files know NVTX, CUDA, a
processor or a locale. layers.py [ROOT]"""
import os
import pathlib
import re
import sys

import circles
import functions
from harness import claims, toolchain

# Lowest first. A pattern ends in / for a whole module, whose files may include each other.
LIBRARY = [
    ['version', 'config'],
    ['core/compiler', 'core/symbols', 'core/each', 'core/color_names',
     'core/off', 'core/system', 'core/pretty', 'core/say', 'core/text'],
    ['core/arch/'],
    ['core/arch', 'core/arena'],
    ['attr', 'category', 'color', 'domain', 'state', 'core/clock'],
    ['core/site'],
    ['core/dispatch', 'core/method'],
    ['impl/check', 'impl/say'],
    ['check'],
    ['mark', 'push', 'range', 'scope', 'thread'],
    ['named'],
    ['impl/'],
    ['capture/', 'device/', 'payload/', 'stats/'],
    ['capture', 'device', 'payload', 'stats'],
    ['counter', 'instrument/'],
    ['instrument'],
    ['short'],
]
RECORDER = [
    ['nvtxh_record', 'format/'],
    ['write/block_signals', 'write/ext_abi', 'write/memory', 'write/subscribe', 'write/text'],
    ['write/losses', 'write/options'],
    ['write/file'],
    ['write/chunk_prefetch', 'write/ring', 'write/stream'],
    ['write/handle'],
    ['write/intern', 'write/payload', 'write/preset', 'write/record_write'],
    ['write/process_log', 'write/registry'],
    ['write/gate'],
    ['write/thread'],
    ['write/tool_load', 'write/tool_translate', 'write/session'],
    ['write/tool'],
    ['write/event'],
    ['write/entry_core', 'write/entry_ext', 'write/entry_fast', 'write/entry_slow'],
    ['write/api'],
    ['util/'],
    ['analysis/'],
    ['output/', 'elf/'],  # up to here nothing knows the layout of a file that spans come from
    ['nsight/'],
    ['decode/'],
    ['cli/'],
]
# What the recorder has of the library.
SHARED = ['core/arch', 'core/clock', 'core/say', 'core/site', 'core/system', 'core/text']

# What users include. All else is in modules.
PUBLIC = ['attr', 'capture', 'category', 'check', 'color', 'config', 'counter', 'device', 'domain', 'instrument', 'mark',
        'named', 'payload', 'push', 'range', 'scope', 'short', 'state', 'stats', 'thread', 'version']
# What nvtxh.h does not include.
BY_HAND = ['capture', 'counter', 'device', 'instrument', 'payload', 'stats', 'instrument/']

# {what a file may not know: the files that do}
ALLOWED = {
    r'#\s*include\s+<nvtx3/': ['impl/nvtx', 'impl/nvtx_payload', 'payload/counter'],
    r'#\s*include\s+<cuda': ['device/cuda'],
    r'__x86_64__|__aarch64__|\brdtsc|cntvct|"(add|cmp|mov|sub|test)[bwlq] ': ['core/arch', 'core/arch/'],
}

# What depends on the locale, which the program may have set: numbers with a point, kinds of characters.
LOCALE = (r'\b(strto(d|f|ld)|atof|\w*scanf|setlocale|localeconv|is(alpha|alnum|space|lower|upper|punct|print)|to(lower|upper)|'
          r'str(coll|n?casecmp))\(|%[-+ #0]*[\d*]*(\.[\d*]+)?[lL]?[aefgAEFG]\b')
ALLOWED[LOCALE] = ['core/text']
IN_THE_PROGRAM = ('format/', 'write/')  # of the recorder

LINES = 60  # the most of a function
INCLUDE = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
COMMENT = re.compile(r'/\*.*?\*/', re.DOTALL)


def matches(name, patterns):
    """Is a file one of these, or in one of these modules?"""
    return any(name == p or (p.endswith('/') and name.startswith(p)) for p in patterns)


def layer_of(name, layers):
    """The number of a file's layer, or None."""
    exact = [number for number, layer in enumerate(layers) if name in layer]
    return (exact or [number for number, layer in enumerate(layers) if matches(name, layer)] or [None])[0]


class Tree:
    """The sources below a folder, by their paths in it without their suffixes."""

    def __init__(self, folder, suffixes):
        self.folder = folder
        self.text = {path.relative_to(folder).as_posix(): path.read_text()
                     for path in sorted(folder.rglob('*')) if path.suffix in suffixes}
        self.includes = {path: [self.target(path, include) for include in INCLUDE.findall(text)]
                         for path, text in self.text.items()}

    def target(self, path, include):
        """The file that an include means, as a path in the folder."""
        below = os.path.normpath(os.path.join(os.path.dirname(path), include))
        return os.path.relpath(os.path.join(self.folder, below), self.folder)

    def calls(self):
        """{file: {file whose functions it names: the functions}}, by names without suffixes."""
        defines, needs = {}, {}
        for path, text in self.text.items():
            name = path.rsplit('.', 1)[0]
            found, outside = functions.read(text)
            # Functions of the same name in two files are static, or one is for builds that lack the other.
            own = {function.name for function in found if function.static and path.endswith('.c')}
            defines.setdefault(name, set()).update({f.name for f in found} - own - {'', 'main'})
            needs.setdefault(name, set()).update(outside.union(*(f.names for f in found)) - own)
        return circles.edges_of(defines, needs)


def check_tree(claim, tree, layers):
    """What holds in every tree."""
    label = tree.folder.name
    for path, text in tree.text.items():
        name = path.rsplit('.', 1)[0]
        long = [f for f in functions.read(text)[0] if f.lines > LINES]
        claim.that(not long, f'{label}/{path}: functions have at most {LINES} lines',
                   [f'line {f.first}: {f.name}: {f.lines} lines' for f in long])
        mine = layer_of(name, layers)
        above = '/' not in path and path.endswith('.c')  # the files that are compiled once
        claim.that(mine is not None or above, f'{label}/{path} is on a layer')
        for include in tree.includes[path]:
            if include not in tree.text or mine is None or include == name + '.h':
                continue
            theirs = layer_of(include.rsplit('.', 1)[0], layers)
            beside = theirs == mine and os.path.dirname(include) == os.path.dirname(path)
            claim.that(theirs is not None and (theirs < mine or beside),
                       f'{label}/{path} (layer {mine}) includes {include} from a lower layer or its own module',
                       f'layer of {include}: {theirs}')
    known = {path: [include for include in includes if include in tree.text]
             for path, includes in tree.includes.items()}
    for circle in circles.circles_of(known):
        claim.that(False, f'{label}: no circle of includes', ' '.join(sorted(circle)))
    check_calls(claim, tree, layers)
    files = {path.rsplit('.', 1)[0] for path in tree.text}
    for pattern in sum(layers, []):
        claim.that(any(matches(name, [pattern]) for name in files), f'{label}: {pattern}, on a layer, is there')


def check_calls(claim, tree, layers):
    """What holds for calls. In the library, inline functions call those of higher layers that their file declares."""
    label, calls = tree.folder.name, tree.calls()
    claim.that(sum(len(others) for others in calls.values()) > len(calls), f'{label}: files call others')
    found = circles.circles_of(calls)
    claim.that(not found, f'{label}: no circle of calls', '\n'.join(circles.told(calls, circle) for circle in found))
    for name, others in calls.items() if layers is RECORDER else ():
        for other, called in others.items():
            mine, theirs = layer_of(name, layers), layer_of(other, layers)
            claim.that(theirs < mine or (theirs == mine and os.path.dirname(name) == os.path.dirname(other)),
                       f'{label}/{name} (layer {mine}) calls {other} on a lower layer or in its own module',
                       f'layer {theirs}: {called}')


def check_allowed(claim, tree):
    """Only some files know NVTX's headers, CUDA's, processors, and locales."""
    for path, text in tree.text.items():
        for pattern, allowed in ALLOWED.items():
            known = matches(path.rsplit('.', 1)[0], allowed)
            claim.that(known or not re.search(pattern, COMMENT.sub('', text)),
                       f'nvtxh/{path} has nothing of {pattern}')


def check_public(claim, tree, umbrella):
    """The folder holds the public headers, nvtxh.h has includes alone, and what it says of them is where it says."""
    top = {path[:-2] for path in tree.text if '/' not in path and path.endswith('.h')}
    claim.that(top == set(PUBLIC), 'nvtxh/ itself holds what users include', sorted(top ^ set(PUBLIC)))
    included = [include.removeprefix('nvtxh/') for include in INCLUDE.findall(umbrella)]
    # The error outside the guard is no content: it is there for files that include nvtxh.h twice.
    code = re.sub(r'#if defined\(NVTXH_DEFAULT_DOMAIN\).*?\n#error.*?\n#endif', '', COMMENT.sub('', umbrella),
                  flags=re.DOTALL)
    lines = [line for line in code.splitlines() if line.strip()]
    claim.that(all(re.match(r'#include "|#pragma GCC system_header$|#(ifndef|define) NVTXH_H$|#if NVTXH_I_IMPL$|#ifdef NVTXH_IMPLEMENTATION *$|#endif$', line)
                   for line in lines), 'nvtxh.h has includes and its guard, nothing else', '\n'.join(lines))
    reached, queue = set(), [*included, *(path for path in tree.text if matches(path[:-2], BY_HAND))]
    while queue:
        path = queue.pop()
        if path not in reached:
            reached.add(path)
            queue += tree.includes.get(path, [])
    headers = {path for path in tree.text if path.endswith('.h')}
    claim.that(headers <= reached, 'nvtxh.h reaches every header, but for those included by hand',
               sorted(headers - reached))
    for line in umbrella.splitlines():
        entry = re.match(r' \*   (\S.*?)  +((?:\S.*)?\w+\.h)$', line) or re.match(r' \*   (.*?), ()(\w+\.h)$', line)
        if not entry:
            continue
        headers = re.findall(r'(\w+)\.h', entry.group(2) or line)
        text = ''.join(tree.text.get(path, '') for header in headers
                       for path in (f'{header}.h', f'{header}/types.h', f'core/{header}_names.h'))
        for name in re.findall(r'\b(?:NVTXH?_[A-Z_]+|nvtxh_[a-z_]+)', entry.group(1)):
            name = {'NVTX_END': 'nvtxh_end'}.get(name, re.sub(r'^NVTX_(?!DISABLE)', 'NVTXH_', name))
            claim.that(headers == ['config'] or re.search(rf'\b{name}\b', COMMENT.sub('', text)),
                       f'{name} is in {headers}, as nvtxh.h says')


def check_symbols(claim, tree):
    """What the linker sees has the version of its layout in its name: by a label, or by a macro of core/symbols.h, where
    nothing else is."""
    renamed = set(re.findall(r'^#define (nvtxh_\w+) ', tree.text['core/symbols.h'], re.MULTILINE))
    code = COMMENT.sub('', '\n'.join(text for path, text in tree.text.items() if path != 'core/symbols.h'))
    defined = set(re.findall(r'NVTXH_I_FN_\w+\([^(]*?\b(nvtxh_\w+)\(', code))
    defined |= set(re.findall(r'^NVTXH_I_(?:ONCE|LINKONCE)\b[^\n(;=]*?\b(nvtxh_\w+)(?=[\s\[]*[(;=\[])', code, re.MULTILINE))
    labels = re.findall(r'\b(nvtxh_i_\w+)(?:\[\w+\]|\((?:[^;{}()]|\([^()]*\))*\))?\s+NVTXH_I_(?:LINKED|LINKED_MISSED|ENTRY_SYMBOL)\(\s*"(\w+)"\)', code)
    labels = dict(labels)
    claim.that(len(labels) > 50 and len(set(labels.values())) == len(labels), 'each label is of one name', sorted(labels.items()))
    claim.that(defined <= renamed | set(labels), 'every name that meets others at link time has a label, or is in core/symbols.h',
               sorted(defined - renamed - set(labels)))
    claim.that(renamed <= set(re.findall(r'\bnvtxh_\w+', code)), 'core/symbols.h has no name that is not used',
               sorted(renamed - set(re.findall(r'\bnvtxh_\w+', code))))


def main():
    root = pathlib.Path(sys.argv[1]) if len(sys.argv) > 1 else toolchain.ROOT
    with claims.Claims() as claim:
        library = Tree(root / 'nvtxh', ('.h', '.c'))
        umbrella = (root / 'nvtxh.h').read_text()
        check_tree(claim, library, LIBRARY)
        check_allowed(claim, library)
        check_symbols(claim, library)
        check_public(claim, library, umbrella)
        for path, text in library.text.items():
            claim.that(path.endswith('.c') or 'nvtxh.h"' not in COMMENT.sub('', text),
                       f'nvtxh/{path} does not include nvtxh.h')
        said = re.search(r"version: '([\d.]+)'", (root / 'meson.build').read_text()).group(1)
        claim.that(re.findall(r'VERSION_\w+ (\d+)', library.text['version.h']) == said.split('.'),
                   'nvtxh/version.h has the version of the project', said)
        recorder = Tree(root / 'recorder', ('.h', '.c'))
        check_tree(claim, recorder, RECORDER)
        for path, text in recorder.text.items():
            claim.that(not path.startswith(IN_THE_PROGRAM) or not re.search(LOCALE, COMMENT.sub('', text)),
                       f'recorder/{path} depends on no locale')
        for path, includes in recorder.includes.items():
            claim.that(all(include.removeprefix('../nvtxh/')[:-2] in SHARED for include in includes
                           if include.startswith('../')), f'recorder/{path} has of the library what is shared', includes)


if __name__ == '__main__':
    main()
