#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""man.py NVTXH OVERVIEW COMPLETIONS COMMAND: prints the manual page nvtxh-COMMAND(1). Its text is the command's section of the
OVERVIEW, nvtxh.1. Its title line, its examples, and the options that the section does not describe, come from the option tables that the
program NVTXH prints. completions.py, in the folder COMPLETIONS, reads these."""
import re
import sys


def escaped(text):
    """A text, escaped as a line of mdoc."""
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + text if text[:1] in ".'" else text


def option_lines(option):
    names = [f'Fl {name[1:]}' for name in (option.short, option.long) if name]
    argument = f' Ar {option.argument.lower()}' if option.argument else ''
    words = f' ({", ".join(option.choices)})' if option.choices else ''
    return ['.It ' + ' , '.join(names) + argument, escaped(option.help + words)]


def main():
    nvtxh, overview, completions, name = sys.argv[1:]
    sys.dont_write_bytecode = True
    sys.path.insert(0, completions)
    from completions import commands_of
    command = commands_of(nvtxh)[name]
    with open(overview) as file:
        page = file.read()

    page = re.sub(r'^\.Nm(?=$| \.$)', '.Nm nvtxh', page, flags=re.MULTILINE)  # alone, it would print nvtxh-COMMAND
    synopsis = re.findall(rf'^\.Nm nvtxh Cm {name} .*$', page.partition('\n.Sh DESCRIPTION\n')[0], re.MULTILINE)
    section = re.search(rf'^\.Ss nvtxh {name}\n(.*?)^\.S[sh] ', page, re.MULTILINE | re.DOTALL)[1]
    described = set(re.findall(r'Fl -([a-z-]+)', section.replace('\\', '')))
    others = [option for option in command.options if option.long[2:] not in described]
    lines = ['.\\" SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception', re.search(r'^\.Dd .*$', page, re.MULTILINE)[0],
             f'.Dt NVTXH-{name.upper()} 1', '.Os', '.Sh NAME', f'.Nm nvtxh-{name}', f'.Nd {escaped(command.about)}', '.Sh SYNOPSIS',
             *synopsis, '.Sh DESCRIPTION', section.rstrip(), '.Sh MORE OPTIONS', '.Bl -tag -width Ds',
             *(line for option in others for line in option_lines(option)), '.El']
    lines += ['.Sh EXAMPLES', *(f'.Dl {escaped(example)}' for example in command.examples)]
    print('\n'.join([*lines, '.Sh SEE ALSO', '.Xr nvtxh 1']))


if __name__ == '__main__':
    main()
