# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Instructions, as callgrind counts them: the same number in every run."""
import re


def inclusive(text):
    """{function: instructions, with those of what it calls} of a callgrind file."""
    names, costs, name = {}, {}, None
    for line in text.splitlines():
        called = re.match(r'c?fn=\((\d+)\)(?: (.*))?', line)
        if called:
            names.setdefault(called.group(1), called.group(2))
            if line.startswith('fn='):
                name = names[called.group(1)]
        elif re.match(r'[+*-]?\d* ?.*\d+$', line) and re.match(r'[+*0-9-]', line) and name:
            costs[name] = costs.get(name, 0) + int(line.split()[1])
    return costs


def counted(claim, what, program):
    """{function: instructions} of a program, within its function counted(). WHAT it does there is a claim, which holds if it
    succeeds."""
    profile = claim.directory / 'profile'
    claim.runs(what, 'valgrind', '--tool=callgrind', '--collect-atstart=no', '--toggle-collect=counted', '--dump-line=no',
               f'--callgrind-out-file={profile}', program)
    return inclusive(profile.read_text())
