# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A program of random functions that compilers inline, also into themselves, and how often each must be counted at each depth."""
import collections

MOST = 4000  # calls of a program
KINDS = '', '', 'inline', '__attribute__((always_inline)) inline', '__attribute__((noinline))'

PROGRAM = '''#include <setjmp.h>

static volatile int calls, turn;
static jmp_buf back;

{declared}

{functions}

/* Functions that longjmp leaves, in turn, each called again from the same place. */
static void left_0(void) {{ calls++; longjmp(back, 1); }}
static void left_1(void) {{ volatile char room[300]; room[calls % 300] = 0; calls++; longjmp(back, 1); }}
static void left_2(void) {{ volatile char room[3000]; room[calls % 3000] = 0; calls++; longjmp(back, 1); }}

/* These have frames of one size, and are called from different places. */
static __attribute__((noinline)) void gone_0(void) {{ calls++; longjmp(back, 1); }}
static __attribute__((noinline)) void gone_1(void) {{ calls++; longjmp(back, 1); }}

static void leaver(void) {{
    static void (*const all[])(void) = {{left_0, left_1, left_2}};

    for (turn = 0; turn < 300; turn++)
        if (!setjmp(back))
            all[turn % 3]();
    for (turn = 0; turn < 200; turn++)
        if (!setjmp(back)) {{
            if (turn % 2)
                gone_0();
            else
                gone_1();
        }}
}}

int main(void) {{
    f0(2);
    leaver();
    return 0;
}}
'''


def drawn(source):
    """(text, counts, depth): counts[n] are those of functions at most N deep, where main is 1 deep; at `depth`, all are counted."""
    while True:
        bodies = []  # of each function: (times, callee, argument); argument None: n - 1, if n is above 0
        for i in range(12):
            later = range(i + 1, 12)
            body = [(source.choice((1, 1, 1, 2, 3)), source.choice(later), source.randrange(3)) for _ in range(source.randrange(4)) if later]
            if source.random() < .4:
                body.insert(source.randrange(len(body) + 1), (source.choice((1, 1, 2)), i, None))
            bodies.append(body)
        found, stack = collections.Counter(), [(0, 2, 2)]
        while stack and found.total() < MOST:
            i, n, depth = stack.pop()
            found[f'f{i}', depth] += 1
            stack += [(callee, n - 1 if argument is None else argument, depth + 1)
                      for times, callee, argument in bodies[i] for _ in range(times) if argument is not None or n > 0]
        if not stack and found.total() > 100:
            break
    heads = [f'static {source.choice(KINDS if all(callee != i for _, callee, _ in body) else KINDS[:3])} void f{i}(int n)' for i, body in enumerate(bodies)]
    functions = []
    for i, (head, body) in enumerate(zip(heads, bodies)):
        lines = [f'    for (int i = 0; i < {times}; i++) f{callee}({argument});' if argument is not None else
                 f'    if (n > 0) for (int i = 0; i < {times}; i++) f{callee}(n - 1);' for times, callee, argument in body]
        functions.append('\n'.join([f'{head} {{', '    calls += n;', *lines, '    calls++;', '}']))
    text = PROGRAM.format(declared='\n'.join(f'{head};' for head in heads), functions='\n\n'.join(functions))
    found.update({('main', 1): 1, ('leaver', 2): 1, ('gone_0', 3): 100, ('gone_1', 3): 100, **{(f'left_{i}', 5): 100 for i in range(3)}})
    depth = max(depth for _, depth in found)
    counts = {}
    for most in range(1, depth + 1):
        counts[most] = collections.Counter()
        for (name, at), count in found.items():
            counts[most][name] += count * (at <= most)
    return text, counts, depth
