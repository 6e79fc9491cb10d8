# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The model of examples/01_train with annotations in it, which the example does without.

densify.py MODEL.H OUTPUT FUNCTION...: a copy with a scope at the start of each FUNCTION; a function with `:loop`
after its name gets it at the start of the loop over the batch in it. Fails if there is no such place.
"""
import pathlib
import re
import sys


def main():
    source, output, *functions = sys.argv[1:]
    text = pathlib.Path(source).read_text()
    for function in functions:
        name, _, loop = function.partition(':')
        place = rf'static inline [^;{{}}]*\b{name}\([^;{{}}]*\) \{{\n'
        if loop:
            place += r'(?:(?!\n\}).)*?for \(int b = 0; b < BATCH; b\+\+\) \{\n'
        found = re.findall(place, text, re.S)
        if len(found) != 1:
            sys.exit(f'{source}: {len(found)} places for a scope in {function}, not one')
        text = text.replace(found[0], f'{found[0]}    NVTX_SCOPE("{name}");\n', 1)
    pathlib.Path(output).write_text(text)


if __name__ == '__main__':
    main()
