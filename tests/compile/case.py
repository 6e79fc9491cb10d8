# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A source that must not compile, and the one beside it that does: see refuse.py."""
import typing


class Case(typing.NamedTuple):
    """A source with @ in it: with BAD in its place it is refused with MESSAGE, with GOOD it is not."""
    claim: str
    source: str
    bad: str
    good: str
    message: str
    languages: tuple = ('c', 'cpp')
    compilers: tuple = ('gcc', 'clang')
    modes: tuple = ('split', 'off')
    flags: tuple = ()


# What compilers say of an argument of another type.
TYPES = r'incompatible|(cannot|could not) (convert|initialize)|no known conversion|no matching|invalid conversion'
