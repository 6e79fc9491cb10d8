# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What an annotation costs while nobody listens, in instructions as callgrind counts them, which is
the same number in every run. cost.py COMPILER LANGUAGE"""
import sys

from harness import callgrind, claims, toolchain

# Everything a scope can be given. All of it is computed only if someone listens.
ATTRIBUTES = ('.domain = &train, .category = &gemm, .color = nvtxh_rgb(evaluated(), 2, 3), '
              '.payload = nvtxh_payload(evaluated())')

# name: (at the start, at the end, most instructions, most in the other two shapes). 7 for a scope,
# with or without attributes, in a function whose body is a call into another file and a store, is
# the project's claim. The others are what the costlier of gcc 12 and clang 14 makes of it: with an
# argument or a result a register more has to be saved, and clang++ keeps the guard on the stack.
MACROS = {
    'scope': ('NVTXH_SCOPE("x")', '', 7, 9),
    'scope with all attributes': (f'NVTXH_SCOPE("x", {ATTRIBUTES})', '', 7, 11),
    'scope with a struct': ('NVTXH_SCOPE("x", .payload = nvtxh_payload(&object + evaluated()))', '', 7, 11),
    'func': ('NVTXH_FUNC()', '', 7, 9),
    'func with all attributes': (f'NVTXH_FUNC({ATTRIBUTES})', '', 7, 11),
    'method': ('NVTXH_METHOD()', '', 7, 9),
    'scopef': ('NVTXH_SCOPEF("%d %d", evaluated(), 1)', '', 7, 9),
    'scopef with all attributes': (f'NVTXH_SCOPEF_WITH(("%d", evaluated()), {ATTRIBUTES})', '', 7, 9),
    'scope if': ('NVTXH_SCOPE_IF(evaluated(), "x")', '', 7, 9),
    'scope as, ended': (f'NVTXH_SCOPE_AS(s, "x", {ATTRIBUTES})', 'nvtxh_scope_end(&s)', 10, 14),
    'mark': ('', 'NVTXH_MARK("x")', 2, 2),
    'mark with all attributes': ('', f'NVTXH_MARK("x", {ATTRIBUTES})', 2, 6),
    'mark with a struct': ('', 'NVTXH_MARK("x", .payload = nvtxh_payload(&object + evaluated()))', 2, 2),
    'counter set': ('', 'nvtxh_counter_set(&counter, evaluated())', 2, 2),
    'counter group set': ('', 'nvtxh_counter_set(&counter, &object + evaluated())', 2, 2),
    'markf': ('', 'NVTXH_MARKF("%d %d", evaluated(), 1)', 2, 2),
    'markf with all attributes': ('', f'NVTXH_MARKF_WITH(("%d", evaluated()), {ATTRIBUTES})', 2, 4),
    'push, pop': ('NVTXH_PUSH("x")', 'NVTXH_POP()', 4, 6),
    'push, pop with attributes': (f'NVTXH_PUSH("x", {ATTRIBUTES})', 'NVTXH_POP(.domain = &train)', 4, 10),
    'pushf, pop': ('NVTXH_PUSHF("%d %d", evaluated(), 1)', 'NVTXH_POP()', 4, 6),
    'range scope': ('NVTXH_RANGE_SCOPE("x")', '', 11, 15),
    'range scope with all attributes': (f'NVTXH_RANGE_SCOPE("x", {ATTRIBUTES})', '', 12, 16),
    'scope string': ('NVTXH_SCOPE_STRING(nvtxh_string_named(&train, "x"))', '', 7, 9),
    'mark string': ('', 'NVTXH_MARK_STRING(nvtxh_string_named(&train, "x"))', 2, 2),
    'push string, pop': ('NVTXH_PUSH_STRING(nvtxh_string_named(&train, "x"))', 'NVTXH_POP(.domain = &train)', 4, 6),
    'start, end': ('struct nvtxh_range r = NVTXH_START("x")', 'nvtxh_end(r)', 10, 12),
    'start, end with a struct': ('struct nvtxh_range r = NVTXH_START("x")',
                                 'nvtxh_end(r, .payload = nvtxh_payload(&object + evaluated()))', 10, 12),
    'startf, end': ('struct nvtxh_range r = NVTXH_STARTF("%d", evaluated())', 'nvtxh_end(r)', 10, 12),
}
OPTIMISE = ['-O2', '-O2 -fPIC']
CALLS = 1000
SHAPES = ('measured', 'measured_argument', 'measured_return')


def count(claim, compiler, language):
    """{(optimise, macro): instructions of a call of each of SHAPES}; macro None: plain."""
    here = toolchain.TESTS / 'cost'
    wanted = [(optimise, macro) for optimise in OPTIMISE for macro in (None, *MACROS)]
    objects = []
    for number, (optimise, macro) in enumerate(wanted):
        first, last, _, _ = MACROS.get(macro, ('', '', 0, 0))
        defines = ['-DANNOTATED', '-DNVTXH_NO_IMPL', f'-DANNOTATION={first}', f'-DLAST={last}']
        objects.append(claim.directory / f'{number}.o')
        claim.compiles(f'{optimise}: {macro}', compiler, language, here / 'cost.c',
                       f'-DNUMBER={number}', *(defines if macro else []), *optimise.split(),
                       output=objects[-1], optimise='-O2')
    functions = ' '.join(f'X({number})' for number in range(len(wanted)))
    objects.append(claim.directory / 'main.o')
    claim.compiles('cost_main.c', 'gcc' if toolchain.compiler('gcc', 'c') else compiler, 'c',
                   here / 'cost_main.c', '-DNVTXH_IMPLEMENTATION', f'-DFUNCTIONS={functions}', f'-DCALLS={CALLS}',
                   output=objects[-1], optimise='-O2', nvtx=claims.newest_nvtx())
    program = claim.directory / 'program'
    done = toolchain.run([toolchain.compiler(compiler, 'cpp'), *objects, '-o', program, '-ldl',
                          '-lpthread'])
    claim.that(done.returncode == 0, 'links', done.stdout)
    costs = callgrind.counted(claim, 'nothing is evaluated or formatted while idle', program)
    return {key: tuple(costs[f'{name}_{number}'] / CALLS
                       for name in SHAPES)
            for number, key in enumerate(wanted)}


def main():
    compiler, language = claims.asked(sys.argv)
    claims.need('valgrind')
    with claims.Claims() as claim:
        counted = count(claim, compiler, language)
        print(f'{"instructions over the same function without it":<50}   plain  argument  return')
        for (optimise, macro), costs in counted.items():
            if not macro:
                continue
            most, most_else = MACROS[macro][2:]
            extra = [round(a - b, 2) for a, b in zip(costs, counted[optimise, None])]
            print(f'{compiler} {language} {optimise}: {macro}'.ljust(50)
                  + f'{extra[0]:>8}{extra[1]:>10}{extra[2]:>8}  at most {most}, {most_else}')
            claim.that(extra[0] >= 2, f'{optimise}: {macro}: it is there: a compare and a branch at least', extra)
            claim.that(extra[0] <= most, f'{optimise}: {macro}: at most {most} instructions', extra)
            claim.that(max(extra) <= most_else,
                       f'{optimise}: {macro}: at most {most_else} with an argument or result', extra)


if __name__ == '__main__':
    main()
