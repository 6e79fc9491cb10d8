# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A C++ program of random functions, each of which is called in one place, and the names by which they must be shown there."""
import random

# Where a function is called. In handlers a name is demangled only if it has no more than namespaces, classes and the function.
PLACES = ['main', 'blocked', 'handler', 'blocked_handler']
KINDS = ['free', 'static', 'c', 'method', 'const', 'volatile', 'static_method', 'constructor', 'operator', 'template', 'class_template']
PLAIN = KINDS[:KINDS.index('constructor')]

PROGRAM = '''#include <pthread.h>
#include <signal.h>
#define UNSEEN __attribute__((__no_instrument_function__))
{functions}
UNSEEN static void in_main() {{ {main} }}
UNSEEN static void in_handler(int) {{ {handler} }}
UNSEEN static void in_blocked_handler(int) {{ {blocked_handler} }}

/* This thread always blocks a signal. */
UNSEEN static void *in_thread(void *unused) {{
    {blocked}
    raise(SIGUSR2);
    return unused;
}}

UNSEEN int main() {{
    struct sigaction action = {{}};
    pthread_t thread;
    sigset_t mask;

    delete new int; /* needs the C++ library, whose demangler is used */
    in_main();
    action.sa_handler = in_handler;
    sigaction(SIGUSR1, &action, nullptr);
    raise(SIGUSR1);
    action.sa_handler = in_blocked_handler;
    sigaction(SIGUSR2, &action, nullptr);
    sigemptyset(&mask);
    sigaddset(&mask, SIGUSR1);
    pthread_sigmask(SIG_BLOCK, &mask, nullptr);
    return pthread_create(&thread, nullptr, in_thread, nullptr) || pthread_join(thread, nullptr);
}}
'''


class Function:
    """id: of its name, or of the class whose only function it is. Occurs in one function's name only."""

    def __init__(self, source, number):
        self.kind, self.place = source.choice(KINDS), source.choice(PLACES)
        # Letters that mean something in mangled names, which also have the length of each name.
        self.id = f'{source.choice("_CEIKLNSVZx")}{number}_' + 'q' * source.choice([0, 1, 6, 7, 8, 50, 95, 96, 300])
        self.around = [source.choice([f'a{number}', f'a{number}', f'E{number}', f'nine_{number}']) for _ in range(source.choice([0, 0, 1, 2, 5]))]  # namespaces
        if source.random() < 0.2:
            self.around.insert(source.randrange(len(self.around) + 1), '')  # without a name
        self.owner = '' if self.kind in ('free', 'static', 'c', 'template') else self.id if self.kind in ('constructor', 'operator') else f'owner{number}'

    def text(self):
        body = {'free': 'void {}(int) {{}}', 'static': 'static void {}(long) {{}}', 'c': 'extern "C" void {}(void) {{}}', 'method': 'void {}(int) {{}}',
                'const': 'void {}() const {{}}', 'volatile': 'void {}() const volatile {{}}', 'static_method': 'static void {}(char) {{}}',
                'constructor': '{}(int) {{}}', 'operator': 'void operator()(int) const {{}}', 'template': 'template <class type> void {}(type) {{}}',
                'class_template': 'void {}(type) {{}}'}[self.kind].format(self.id)
        if self.owner:
            body = 'template <class type> ' * (self.kind == 'class_template') + f'struct {self.owner} {{ {body} }};'
        return ''.join(f'namespace {name} {{ ' for name in self.around) + body + ' }' * len(self.around)

    def call(self):
        path = ''.join(f'{name}::' for name in self.around if name)
        owner = path + self.owner + '<int>' * (self.kind == 'class_template')
        arguments = '' if self.kind in ('c', 'const', 'volatile') else '1'
        if self.kind == 'static_method':
            return f'{owner}::{self.id}(1);'
        if self.kind == 'constructor':
            return f'{owner}(1);'
        if self.kind == 'operator':
            return f'{owner}()(1);'
        return (f'{owner}().' if self.owner else path) + f'{self.id}({arguments});'

    def is_named(self, mangled):
        """Is this a symbol of the function? A mangled name has the length of each name before it; without that, K12_ would
        be found in NK12_GLOBAL__N_1, too."""
        return mangled == self.id or f'{len(self.id)}{self.id}' in mangled

    def names(self, mangled, demangled):
        """Its names, one of which is shown."""
        if not self.place.endswith('handler') or self.kind == 'c':
            return demangled
        if self.kind not in PLAIN or '' in self.around:
            return mangled
        return {'::'.join([*self.around, *[self.owner] * bool(self.owner), self.id])}


def drawn(seed):
    """(functions, a program)"""
    source = random.Random(seed)
    functions = [Function(source, i) for i in range(120)]
    calls = {place: ' '.join(f.call() for f in functions if f.place == place) for place in PLACES}
    return functions, PROGRAM.format(functions='\n'.join(f.text() for f in functions), **calls)
