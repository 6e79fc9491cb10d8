# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Object files do not need each other in a circle.
circles.py NAME FILE...   (NAME: what they are parts of; FILE: object files, static libraries)"""
import sys

from harness import claims, toolchain


def symbols_of(paths):
    """Two dictionaries, {object: symbols}: what it defines for others, and what it needs of others."""
    defines, needs = {}, {}
    for line in toolchain.run(['nm', '-A', '-P', *paths], check=True).stdout.splitlines():
        where, symbol, kind = line.rsplit(': ', 1)[0], *line.rsplit(': ', 1)[1].split()[:2]
        name = where.rsplit('[', 1)[-1].rstrip(']').rsplit('/', 1)[-1]
        if kind in 'Uvw':  # weak ones, too: they need the object that defines them, if there is one
            needs.setdefault(name, set()).add(symbol)
        elif kind.isupper() or kind == 'u':
            defines.setdefault(name, set()).add(symbol)
    return defines, needs


def edges_of(defines, needs):
    """{object: {object it needs: the symbols}}. Where several define a symbol, it needs each of them."""
    owners = {}
    for name, symbols in defines.items():
        for symbol in symbols:
            owners.setdefault(symbol, []).append(name)
    edges = {name: {} for name in {*defines, *needs}}
    for name, symbols in needs.items():
        for symbol in sorted(symbols - defines.get(name, set())):
            for other in owners.get(symbol, []):
                edges[name].setdefault(other, []).append(symbol)
    return edges


def reached(edges, start):
    """Every object that an object needs, directly or through others."""
    seen, queue = set(), [start]
    while queue:
        for other in edges[queue.pop()]:
            if other not in seen:
                seen.add(other)
                queue.append(other)
    return seen


def circles_of(edges):
    """The sets of objects that all need each other, of two and more."""
    reach = {name: reached(edges, name) for name in edges}
    return {frozenset(other for other in reach[name] if name in reach[other])
            for name in edges if name in reach[name]}


def told(edges, circle):
    """Why a set of objects is a circle."""
    return '\n'.join([', '.join(sorted(circle)), *(
        f'{name} needs {other}: {", ".join(symbols)}'
        for name in sorted(circle) for other, symbols in sorted(edges[name].items()) if other in circle)])


def main():
    what, paths = sys.argv[1], sys.argv[2:]
    claims.need('nm')
    with claims.Claims() as claim:
        edges = edges_of(*symbols_of(paths))
        claim.that(len(edges) > 1, f'{what} has object files', paths)
        for circle in sorted(circles_of(edges), key=sorted):
            claim.that(False, f'{what}: no object files need each other', told(edges, circle))


if __name__ == '__main__':
    main()
