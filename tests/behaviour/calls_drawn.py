#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""calls_drawn.py COMPILER/LANGUAGE...: random annotations of every macro, with random attributes, in many domains and two files, while the program and the
environment switch all or some domains off. What the logging tool is given, the depths that pushes and pops return, and how often arguments are evaluated are
what a model says; also of a plugin that is loaded again and runs another script, and that leaves no memory behind. Without a tool, and if all is off, nothing is
evaluated. Each macro is the first one of a process."""
import itertools
import pathlib
import random
import re
import struct
import sys
import tempfile

from harness.checks import ROOT, Taken, equal, require
from harness.draws import seeds
from harness.programs import Way

LOG = pathlib.Path(__file__).resolve().parents[1] / 'inject' / 'log.h'
# Domains by their numbers: none given, NVTX's default domain, ten of the source, of which the first is the second file's own, and two named at run time.
NONE, DEFAULT, HOME, NAMED, DOMAINS = 0, 1, 2, 12, 14
SLOTS, SITES, SCRIPTS = 8, 44, 48
SKIPPED_DOMAINS, SKIPPED_RUNS = 8, 8  # see impl/push.h
NO_DEPTH = -2
SCOPES = ['SCOPE', 'SCOPE_IF', 'FUNC', 'FUNC_IF', 'BLOCK', 'SCOPE_AS', 'SCOPE_STRING', 'SCOPEF', 'SCOPEF_WITH', 'SCOPE_NVTX_ONLY', 'RANGE_SCOPE']
MACROS = [*SCOPES, *(macro + form for macro in ('PUSH', 'MARK', 'START') for form in ('', 'F', 'F_WITH', '_STRING'))]
PAYLOADS = {'i32': 'int32_t', 'u32': 'uint32_t', 'i64': 'int64_t', 'u64': 'uint64_t', 'f64': 'double', 'f32': 'float'}
COLORS = [0, 1, 0xff00ff00, 0x80123456]  # 1 is NVTXH_COLOR_AUTO
EVALUATED = ['domain', 'category', 'color', 'payload', 'condition', 'message']  # or, of an end, the range
LONGEST, SHOWN = 65536, 200  # of a formatted message, and what the tool writes of one

HEADER = f'''#include "{LOG}"
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct op {{
    char what;
    unsigned long long site, domain, category, color, value, width, condition;
}};
enum {{ NONE, DEFAULT, HOME, NAMED = 12, DOMAINS = 14 }};
extern const struct op *o; /* the line that runs */
extern struct nvtxh_domain *domains[DOMAINS];
extern struct nvtxh_scope *named[64];
extern size_t n_named;
extern struct nvtxh_range ranges[{SLOTS}];
extern int returned[1 << 16];
extern size_t n_returned;
extern unsigned long evaluated[6]; /* how often each argument was: see EVALUATED */
#define EV(argument, x) (evaluated[argument]++, (x))
extern void (*const sites[])(void);
void run(void);
struct nvtxh_category *category(unsigned domain);
'''

MAIN = '''
#define TEN(X) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define DOMAIN(i) NVTXH_DOMAIN(d##i, "d" #i); NVTXH_CATEGORY(c##i, &d##i, "c" #i);
TEN(DOMAIN)
NVTXH_CATEGORY(c1, NVTXH_DOMAIN_DEFAULT, "c1");
const struct op *o;
struct nvtxh_domain *domains[DOMAINS];
struct nvtxh_scope *named[64];
size_t n_named;
struct nvtxh_range ranges[%d];
int returned[1 << 16];
size_t n_returned;
unsigned long evaluated[6];
static struct op *ops;
static size_t n_ops, at;

struct nvtxh_category *category(unsigned domain) {
#define ADDRESS(i) &c##i,
    struct nvtxh_category *const all[] = {NULL, &c1, TEN(ADDRESS)};

    if (o->category != 1)
        return o->category ? NVTXH_CATEGORY_ID(o->category - 2) : NULL;
    return domain < NAMED ? all[domain] : nvtxh_category_named(domains[domain], domain == NAMED ? "c12" : "c13");
}

static void *in_thread(void *unused) {
    (void)unused;
    run();
    return NULL;
}

/* The payload of an end: X(its number, what it is). */
#define PAYLOADS(X) X(1, (int32_t)o->value) X(2, (uint32_t)o->value) X(3, (int64_t)o->value) X(4, (uint64_t)o->value) \\
    X(5, (double)((int32_t)o->value / 4.0)) X(6, (float)((int32_t)o->value / 4.0))

static int pop(void) {
#define POP(i, x) if (o->site == i) return NVTXH_POP(.domain = EV(0, domains[o->domain]), .payload = nvtxh_payload(EV(3, x)));
    PAYLOADS(POP)
    return NVTXH_POP(.domain = EV(0, domains[o->domain]));
}

static void end(struct nvtxh_range range) {
#define END(i, x) if (o->condition == i) nvtxh_end(EV(5, range), .payload = nvtxh_payload(EV(3, x)));
    PAYLOADS(END)
    nvtxh_end(EV(5, range)); /* again, if it had a payload */
}

void run(void) {
    pthread_t thread;

    while (at < n_ops) {
        o = &ops[at++];
        switch (o->what) {
        case 'c':
            sites[o->site]();
            break;
        case 'e':
            return;
        case 'n':
            nvtxh_scope_end(named[o->site]);
            break;
        case 'p':
            returned[n_returned++] = pop();
            break;
        case 'h':
            returned[n_returned++] = NVTXH_POP();
            break;
        case 'q':
            end(ranges[o->site]);
            break;
        case 't':
            if (pthread_create(&thread, NULL, in_thread, NULL) || pthread_join(thread, NULL))
                abort();
            break;
        case 'E':
            nvtxh_enable(o->site);
            break;
        case 'D':
            nvtxh_domain_enable(domains[o->domain], o->site);
            break;
        }
    }
}

#ifdef __cplusplus
extern "C"
#endif
__attribute__((visibility("default"))) void run_script(const char *path);

void run_script(const char *path) {
#define POINTER(i) domains[i] = &d##i;
    FILE *script = fopen(path, "r");
    const size_t begun = log_size();
    struct op op;
    char *text;
    size_t i;

    TEN(POINTER)
    domains[DEFAULT] = NVTXH_DOMAIN_DEFAULT;
    domains[NAMED] = nvtxh_domain_named("d12");
    domains[NAMED + 1] = nvtxh_domain_named("d13");
    while (fscanf(script, " %%c %%llu %%llu %%llu %%llu %%llu %%llu %%llu", &op.what, &op.site, &op.domain, &op.category, &op.color, &op.value,
                  &op.width, &op.condition) == 8) {
        ops = (struct op *)realloc(ops, (n_ops + 1) * sizeof(*ops));
        ops[n_ops++] = op;
    }
    fclose(script);
    log_reset();
    run();
    free(ops);
    text = log_text(0);
    puts(text);
    free(text);
    for (i = 0; i < n_returned; i++)
        printf("%%d ", returned[i]);
    puts("");
    for (i = 0; i < 6; i++)
        printf("%%lu ", evaluated[i]);
    puts("");
    for (i = begun; i < log_size(); i++) {
        if (log_at(i)->kind >= LOG_PUSH && log_at(i)->text && strlen(log_at(i)->text) > 200)
            printf("~%%s\\n", log_at(i)->text + strlen(log_at(i)->text) - 60);
        if (log_at(i)->kind == LOG_DOMAIN || log_at(i)->kind == LOG_CATEGORY || log_at(i)->kind == LOG_STRING)
            printf("%%d %%s %%s\\n", (int)log_at(i)->kind, log_at(i)->domain ? log_at(i)->domain : "", log_at(i)->text);
    }
}
''' % SLOTS

# host SCRIPT, or host PLUGIN SCRIPT...: runs the script, or the scripts by the plugin, which is loaded for each. After each, how many blocks are
# allocated, and how large all mappings but the heap are: the heap's size depends on the order of allocations.
HOST = '''#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static long blocks;
#ifdef __GLIBC__
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void __libc_free(void *);
static void *counted(void *block) {
    __atomic_fetch_add(&blocks, block != NULL, __ATOMIC_RELAXED);
    return block;
}
void *malloc(size_t size) { return counted(__libc_malloc(size)); }
void *calloc(size_t count, size_t size) { return counted(__libc_calloc(count, size)); }
void *realloc(void *block, size_t size) { return block ? __libc_realloc(block, size) : counted(__libc_malloc(size)); }
void free(void *block) {
    __atomic_fetch_sub(&blocks, block != NULL, __ATOMIC_RELAXED);
    __libc_free(block);
}
#endif
extern void run_script(const char *path) __attribute__((weak));
int main(int argc, char **argv) {
    void (*run)(const char *path) = run_script;
    const char *heap = sbrk(0);
    int i;

    for (i = run ? 1 : 2; i < argc; i++) {
        void *object = i > 1 ? dlopen(argv[1], RTLD_NOW | RTLD_LOCAL) : NULL;
        long pages;
        FILE *statm;
        if (object)
            *(void **)&run = dlsym(object, "run_script");
        run(argv[i]);
        if (object && (dlclose(object) || dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD)))
            abort();
        statm = fopen("/proc/self/statm", "r");
        if (!statm || fscanf(statm, "%ld", &pages) != 1 || fclose(statm))
            abort();
        printf("%ld blocks, %ld bytes\\n----\\n", blocks, pages * getpagesize() - (long)((const char *)sbrk(0) - heap));
    }
    return 0;
}
'''


class Site:
    """An annotation in the source."""

    def __init__(self, source, number):
        self.macro, self.number = MACROS[number % len(MACROS)], number
        self.is_plain = number == MACROS.index('PUSH')  # the shortest way: no attributes, in a file without a domain
        self.file = 0 if self.is_plain else source.randrange(2)
        self.string, self.formats = self.macro.endswith('STRING'), bool(re.search('[A-Z]F(_WITH)?$', self.macro)) and not self.macro.endswith('_IF')
        bare = (self.formats and self.macro.endswith('F')) or source.random() < 0.3 or self.is_plain
        self.has = {'domain': not bare and not self.string and source.random() < 0.7, 'category': not bare and source.random() < 0.5,
                    'color': not bare and source.random() < 0.5, 'payload': not bare and source.random() < 0.5}
        self.payload = source.choice(list(PAYLOADS))

    def text(self):
        home = ['DEFAULT', 'HOME'][self.file]
        domain = 'o->domain && o->condition ? o->domain : DEFAULT' if self.string else f'o->domain ? o->domain : {home}' if self.has['domain'] else home
        value = f'({PAYLOADS[self.payload]})' + ('((int32_t)o->value / 4.0)' if self.payload[0] == 'f' else 'o->value')
        attributes = {'domain': 'EV(0, domains[o->domain])', 'category': f'EV(1, category((unsigned)({domain})))', 'color': 'EV(2, (uint32_t)o->color)',
                      'payload': f'nvtxh_payload(EV(3, {value}))'}
        rest = ''.join(f', .{name} = {attributes[name]}' for name in attributes if self.has[name])
        message = f'"w%*u{self.number}", (int)o->width, EV(5, (unsigned)o->value)' if self.formats else f'"m{self.number}"'
        if self.string:
            message = f'EV(5, nvtxh_string_named(domains[o->domain], o->condition ? "s{self.number}" : NULL))'
        if self.macro.endswith('WITH'):
            message = f'({message})'
        macro = 'NVTXH_' + self.macro
        if self.macro in ('FUNC', 'FUNC_IF'):
            arguments = ('EV(4, o->condition)' * self.macro.endswith('IF') + rest).removeprefix(', ')
        else:
            before = {'SCOPE_IF': 'EV(4, o->condition), ', 'SCOPE_AS': 'name, '}.get(self.macro, '')
            arguments = before + message + rest
        body = f'{macro}({arguments})'
        if self.macro == 'BLOCK':
            body += ' { run(); }'
        elif self.macro == 'SCOPE_AS':
            body += '; named[n_named++] = &name; run(); n_named--;'
        elif self.macro in SCOPES:
            body += '; run();'
        elif self.macro.startswith('PUSH'):
            body = f'returned[n_returned++] = {body};'
        elif self.macro.startswith('START'):
            body = f'const unsigned slot = (unsigned)o->value % {SLOTS}; ranges[slot] = {body};'
        return f'void site_{self.number}(void);\nvoid site_{self.number}(void) {{ {body}; }}'


def files(sites):
    """The two files of a program."""
    first = ['#include "nvtxh.h"', '#include "nvtxh/payload.h"', HEADER, MAIN, *(f'void site_{s.number}(void);' for s in sites), *(s.text() for s in sites if not s.file),
             'void (*const sites[])(void) = {' + ', '.join(f'site_{s.number}' for s in sites) + '};']
    second = ['#define NVTXH_DEFAULT_DOMAIN d2', '#define NVTXH_AUTO_COLOR 1', '#include "nvtxh.h"', HEADER, *(s.text() for s in sites if s.file)]
    return '\n'.join([*first, '']), '\n'.join([*second, ''])


def auto_color(message):
    """As color.h describes it: FNV-1a, mixed, the number of one of 24 colours."""
    text = (ROOT / 'nvtxh' / 'color.h').read_text()
    palette = re.findall(r'0xff[0-9a-f]{6}', text[text.index('nvtxh_color_of(const'):].split(';')[0])
    number = 2166136261
    for byte in message.encode():
        number = (number ^ byte) * 16777619 % (1 << 32)
    number = (number ^ number >> 15) * 2246822519 % (1 << 32)
    return int(palette[(number ^ number >> 13) % len(palette)], 16)


def number(kind, line):
    value = line['value']
    if kind[0] == 'f':
        value = struct.unpack('<i', struct.pack('<I', value % (1 << 32)))[0] / 4
        return struct.unpack('<f', struct.pack('<f', value))[0] if kind == 'f32' else value
    bits = int(kind[1:])
    value %= 1 << bits
    return value - (1 << bits) * (kind[0] == 'i' and value >> bits - 1)


taken = Taken('left out', 'sent in one that was left out', 'plain, sent and popped in one that was left out', 'left out in one that was sent', 'no list is free', 'no run is free',
              'a pop of one that was left out', 'the first call is in a pause')


class Thread:
    def __init__(self):
        self.depths = {}  # by domain: what the tool has open
        self.fates = {}  # by domain: of each open push, whether it was left out
        self.plain = set()  # (domain, how many are open in it) of those without attributes that were sent in one that was left out

    def has_room(self, domain):
        """For a push that is to be left out."""
        lists = {d: fates[fates.index(True):] for d, fates in self.fates.items() if True in fates}
        if domain not in lists:
            return len(lists) < SKIPPED_DOMAINS
        runs = 1 + sum(a != b for a, b in zip(lists[domain], lists[domain][1:]))
        return lists[domain][-1] or runs < SKIPPED_RUNS


class Model:
    def __init__(self, sites, extended, include, exclude):
        self.extended, self.sites, self.include, self.exclude = extended, sites, include, exclude
        self.thread, self.paused, self.known, self.switched = Thread(), False, False, {}
        self.events, self.depths, self.around, self.named, self.ranges, self.started = [], [], [], [], {}, 0
        self.evaluated = dict.fromkeys(EVALUATED, 0)

    def off(self, domain):
        if domain in self.switched:
            return not self.switched[domain]
        name = 'default' if domain == DEFAULT else f'd{domain}'
        return name not in self.include if self.include else name in self.exclude

    def event(self, domain, text):
        self.events.append(f'd{domain} {text}' if domain != DEFAULT else text)

    def looks(self, site, line, domain):
        """The event's message and attributes, as the tool writes them."""
        text = f's{site.number}' if line['condition'] else '(null)'
        if site.formats:
            text = 'w' + str(line['value'] % (1 << 32)).rjust(line['width']) + str(site.number)
            if len(text) > LONGEST:
                mark = f'... [{len(text)} bytes]'
                text = text[:LONGEST - len(mark)] + mark
        elif not site.string:
            text = f'site_{site.number}' if site.macro.startswith('FUNC') else f'm{site.number}'
        color = line['color'] if site.has['color'] else 0
        color = auto_color(text) if color == 1 or (not color and site.file) else color
        shown = f"'{text}'" if site.formats else f'[{text}]'
        if site.has['category'] and line['category'] not in (0, 2):
            shown += f' cat=c{domain}' if line['category'] == 1 else f' cat={line["category"] - 2}'
        shown += f' color={color:08x}' if color else ''
        if site.has['payload']:
            shown += f' {site.payload}={number(site.payload, line):{".17g" if site.payload[0] == "f" else "d"}}'
        return shown

    def ending(self, kind, line):
        """The payload of an end, whose type the tool gets from the extension."""
        kind = [None, *PAYLOADS][kind]
        return f' {number(kind, line):{ {"f64": ".9g", "f32": ".6g"}.get(kind, "d")}}' * self.extended if kind else ''

    def evaluates(self, *arguments):
        for name in arguments:
            self.evaluated[name] += 1

    def begins(self, domain):
        """Does a scope, a range or a mark begin?"""
        self.known = self.known or not self.paused
        return not self.paused and not self.off(domain)

    def push(self, domain, text, is_plain):
        left_out, around = self.paused or self.off(domain), self.thread.fates.setdefault(domain, [])
        if left_out and self.thread.has_room(domain):
            taken('left out in one that was sent' if around[-1:] == [False] else 'left out')
            taken('the first call is in a pause', not self.known)
            self.known = self.known or not self.paused
            around.append(True)
            return NO_DEPTH
        taken('no run is free' if True in around else 'no list is free', left_out)
        taken('sent in one that was left out', True in around)
        self.known = True
        around.append(False)
        if is_plain and True in around:
            self.thread.plain.add((domain, len(around)))
        return self.down(domain, text)

    def down(self, domain, text):
        self.event(domain, f'push {text}')
        depth = self.thread.depths.get(domain, 0)
        self.thread.depths[domain] = depth + 1
        return depth

    def up(self, domain, payload=''):
        depth = self.thread.depths.get(domain, 0) - 1
        self.event(domain, ('pop' if depth >= 0 else 'pop!') + payload)
        self.thread.depths[domain] = max(0, depth)
        return max(-1, depth)

    def pop(self, domain, payload):
        postponed = self.paused and not self.known
        self.known = self.known or not self.paused
        fates = self.thread.fates.get(domain, [])
        if (domain, len(fates)) in self.thread.plain:
            self.thread.plain.remove((domain, len(fates)))
            taken('plain, sent and popped in one that was left out')
        left_out = fates.pop() if fates else False
        taken('a pop of one that was left out', left_out)
        return NO_DEPTH if left_out or postponed else self.up(domain, payload)

    def end_range(self, begun, payload=''):
        if begun and begun[1] in self.open:
            self.open.remove(begun[1])
            self.event(begun[0], f'end{payload} #{begun[1]}')

    def call(self, site, line):
        domain = line['domain'] if site.string and line['condition'] else DEFAULT if site.string else line['domain'] if site.has['domain'] else NONE
        domain = domain or (DEFAULT if site.string else [DEFAULT, HOME][site.file])
        text = self.looks(site, line, domain)
        if not self.paused or site.macro.startswith('PUSH'):
            self.evaluates(*['condition'] * site.macro.endswith('_IF'))
            if line['condition'] or not site.macro.endswith('_IF'):
                self.evaluates(*(name for name in site.has if site.has[name]), *['message'] * (site.string or site.formats))
        if site.macro.startswith('PUSH'):
            self.depths.append(self.push(domain, text, site.is_plain))
            return
        begins = self.begins(domain) and (line['condition'] or not site.macro.endswith('_IF'))
        if site.macro.startswith('MARK'):
            if begins:
                self.event(domain, f'mark {text}')
        elif site.macro.startswith(('START', 'RANGE')):
            begun = None
            if begins:
                self.started += 1
                self.open.append(self.started)
                self.event(domain, f'start {text} #{self.started}')
                begun = domain, self.started
            if site.macro.startswith('START'):
                self.ranges[line['value'] % SLOTS] = begun
            else:
                self.around.append(('range', begun))
        else:
            if begins:
                self.down(domain, text)
            scope = ['scope', domain if begins else None]
            self.around.append(scope)
            if site.macro == 'SCOPE_AS':
                self.named.append(scope)
                scope[0] = 'named'

    open = ()

    def do(self, what, line):
        if what == 'c':
            self.call(self.sites[line['site']], line)
        elif what == 'e':
            kind, begun = self.around.pop()
            if kind == 'thread':
                self.thread = begun
            elif kind == 'range':
                self.end_range(begun)
            else:
                if kind == 'named':
                    self.named.pop()
                if begun is not None:
                    self.up(begun)
        elif what == 'n':
            scope = self.named[line['site']]
            if scope[1] is not None:
                self.up(scope[1])
                scope[1] = None
        elif what in 'ph':
            self.evaluates(*['domain'] * (what == 'p'), *['payload'] * (line['site'] > 0 and what == 'p'))
            self.depths.append(self.pop(line['domain'] or DEFAULT, self.ending(line['site'], line)))
        elif what == 'q':
            self.evaluates(*['message'] * (1 + bool(line['condition'])), *['payload'] * bool(line['condition'] and self.ranges.get(line['site'])))
            self.end_range(self.ranges.get(line['site']), self.ending(line['condition'], line))
        elif what == 't':
            self.around.append(('thread', self.thread))
            self.thread = Thread()
        elif what == 'E':
            self.paused = not line['site']
        elif what == 'D':
            self.switched[line['domain'] or DEFAULT] = bool(line['site'])


def line_of(source, what, site=0, domains=()):
    return what, {'site': site, 'domain': source.choice(domains or range(DOMAINS)), 'category': source.choice([0, 1, 1, 2, 5]), 'color': source.choice(COLORS),
                  'value': source.choice([source.randrange(100), source.randrange(1 << 64)]), 'width': source.choice([1, 20, 505, 508, 509, 515]),
                  'condition': source.choice([0, 1, 1, 1])}


def script(source, sites, first=None):
    """Lines, which end all that they begin. FIRST: the number of the macro that runs first; beyond these, a pop."""
    lines, around, named = [], [], []  # named: how many in each thread
    if first is not None:
        lines.append(line_of(source, 'c', first) if first < len(MACROS) else line_of(source, 'p'))
        lines += [line_of(source, 'e')] * (0 <= first < len(SCOPES))
    domains = source.choice([range(DOMAINS), range(DOMAINS), [NONE, HOME], [DEFAULT, 3], range(2, 12)])
    usual = source.choice([sites, source.sample(sites, 4), [s for s in sites if s.macro.startswith('PUSH')]])
    named, switches, pops, paused = [0], source.choice([0, 0.03, 0.2]), source.choice([0.9, 0.98]), source.random() < 0.3
    switched = source.choice([domains, source.sample(domains, 1)])
    if paused:  # before anybody has looked for a tool; with pushes in more domains than there are lists
        lines += [line_of(source, 'E'), *(line_of(source, 'c', next(s.number for s in sites if s.macro == 'PUSH_STRING'), [d])
                                          for d in source.sample(range(2, 12), source.choice([0, 10])))]
    string = next(s.number for s in sites if s.macro == 'PUSH_STRING')
    for _ in range(source.choice([0, 1, 3])):  # in one that was left out; or more runs than a list has space for
        off = source.choice('ED')
        for k in range(source.choice([2, 2, 14])):
            lines += [line_of(source, off, k % 2, [DEFAULT]), line_of(source, 'c', string, [DEFAULT])]
        lines += [source.choice([line_of(source, 'c', MACROS.index('PUSH')), line_of(source, 'p', 0, [DEFAULT])]) for _ in range(source.randrange(1, 8))]
        paused = paused and off == 'D'
    for _ in range(source.choice([30, 300, 1000])):
        what = source.random()
        if what < switches / 2:
            paused = paused == (source.random() < 0.2)
            lines.append(line_of(source, 'E', int(not paused)))
        elif what < switches:
            lines.append(line_of(source, 'D', source.randrange(2), switched))
        elif what < 0.7:
            site = source.choice(usual)
            if site.macro in SCOPES:
                if len(around) > 20:
                    continue
                around.append(site.macro)
                named[-1] += site.macro == 'SCOPE_AS'
            lines.append(line_of(source, 'c', site.number, domains))
        elif what < 0.8 and around:
            lines.append(line_of(source, 'e'))
            if around[-1] == 'thread':
                named.pop()
            named[-1] -= around.pop() == 'SCOPE_AS'
        elif what < 0.82 and named[-1]:
            lines.append(line_of(source, 'n', sum(named) - 1 - source.randrange(named[-1])))
        elif what < 0.84 and len(around) < 20:
            lines.append(line_of(source, 't'))
            around.append('thread')
            named.append(0)
        elif what < 0.88:
            lines.append(line_of(source, 'q', source.randrange(SLOTS)))
            lines[-1][1]['condition'] = source.choice([0, *range(7)])
        elif what > 0.99:
            lines.append(line_of(source, 'h', domains=[DEFAULT]))
        elif what > pops:
            lines.append(line_of(source, 'p', source.choice([0, 0, 0, *range(7)]), domains))
    if source.random() < 0.3:  # as long as a message may be, or longer
        for width in [LONGEST + n for n in (-5, -4, -3, -2, -1, 0, 5000)] + [1 << 20]:
            line = line_of(source, 'c', next(s.number for s in sites if s.macro == 'MARKF_WITH'))
            line[1]['width'] = width
            lines.append(line)
    return lines + [line_of(source, 'e') for _ in around]


def run(build, program, scripts, words='', listens=True, **environment):
    """The lines of output of each."""
    paths = [build.folder / f'script{i}' for i in range(len(scripts))]
    for path, lines in zip(paths, scripts):
        path.write_text(''.join(f'{what} {" ".join(map(str, line.values()))}\n' for what, line in lines))
    return [text.splitlines() for text in build.succeeds(*program, *paths, tool=build.tool if listens else None, words=words, **environment).split('----\n')[:-1]]


def check(build, program, sites, seed, first=None):
    """Of a program; or of a program and a plugin that runs one script, is loaded again, and runs another."""
    source = random.Random(seed)
    names = ['default', *(f'd{i}' for i in range(2, DOMAINS)), 'd', 'x', 'd 2', 'd33']
    scripts, (some, others) = [script(source, sites, first) for _ in program], (source.sample(names, 4) for _ in range(2))
    listed = {'NVTXH_DOMAIN_INCLUDE': [], 'NVTXH_DOMAIN_EXCLUDE': [], **source.choice([
        {}, {'NVTXH_DOMAIN_INCLUDE': some}, {'NVTXH_DOMAIN_EXCLUDE': some}, {'NVTXH_DOMAIN_INCLUDE': some, 'NVTXH_DOMAIN_EXCLUDE': others}])}
    # An empty variable is as none.
    environment = {name: source.choice([',', ', ', ',\t ']).join(value)
                   for name, value in {'NVTXH_DISABLE': '', 'NVTX_DISABLE': '', **listed}.items() if value or source.random() < 0.2}
    depth = 0  # in the default domain, where pushes of the script before have been left open; the tool makes others anew
    for lines, said in zip(scripts, run(build, program, scripts, **environment), strict=True):
        model = Model(sites, build.nvtx not in ('3.0', '3.1'), *listed.values())
        model.open, model.thread.depths = [], {DEFAULT: depth}
        for what, line in lines:
            model.do(what, line)
        compare(model, said, f'seed {seed}, {program}, {environment}')
        depth = model.thread.depths[DEFAULT]


def compare(model, said, where):
    events, depths, evaluated, *more, _ = said
    events = [e for e in events.split('; ') if e]
    for i, (got, want) in enumerate(zip(events, model.events)):
        equal(got, re.sub(f"'(.{{{SHOWN}}}).+'", lambda m: f"'{m[1]}...{len(m[0]) - 2}'", want), f'{where}: event {i}')
    equal(len(events), len(model.events), f'{where}: events')
    equal([int(d) for d in depths.split()], model.depths, f'{where}: what pushes and pops return')
    equal(dict(zip(EVALUATED, map(int, evaluated.split()))), model.evaluated, f'{where}: how often arguments were evaluated')
    names = [line for line in more if line[0] != '~' and '(null)' not in line]
    equal([line[1:] for line in more if line[0] == '~'], [m[1] for m in (re.search(f"'.{{{SHOWN - 59},}}(.{{60}})'", want) for want in model.events) if m],
          f'{where}: the ends of long messages')
    require(len(set(names)) == len(names), f'{where}: each domain, category and message is registered once', sorted(names))


def check_nobody(build, program, sites, seed, first, listens, ends, **environment):
    """Nobody LISTENS, or all is off: there are no events and no depths, and nothing is evaluated but, as ENDS says, the ranges that are to be ended."""
    lines = script(random.Random(seed), sites, first)
    (events, depths, evaluated, *_), = run(build, [program], [lines], listens=listens, **environment)
    equal([events, set(depths.split()), evaluated.split()], ['', {str(NO_DEPTH)}, ['0'] * 5 + [str(ends * sum(1 + bool(line['condition']) for what, line in lines if what == 'q'))]], f'seed {seed}, {program.name}, {environment}')


def check_balance(build, program, sites, seed):
    """Loaded again and again, a plugin that ends its ranges leaves no memory behind."""
    source = random.Random(seed)
    two = [[line for line in script(source, sites) if line[0] != 'c' or not sites[line[1]['site']].macro.startswith('START')] for _ in range(2)]
    said = run(build, program, 3 * two, words='silent,noext', NVTXH_DOMAIN_INCLUDE='default,d2,d3,d12', NVTXH_DOMAIN_EXCLUDE='x')
    equal([lines[-1] for lines in said[4:]], [lines[-1] for lines in said[2:4]], f'seed {seed}')


def main():
    for way, seed in itertools.product(sys.argv[1:], seeds(1)):
        source = random.Random(seed)
        sites = [Site(source, i) for i in range(SITES)]
        with tempfile.TemporaryDirectory() as folder:
            build = Way(way, pathlib.Path(folder))
            paths = [build.folder / 'first.c', build.folder / 'second.c', build.folder / 'host.c']
            for path, text in zip(paths, [*files(sites), HOST]):
                path.write_text(text)
            first, second = (build.compile(path, '-fPIC', optimise='-O1', warn=False) for path in paths[:2])
            host = build.compile(paths[2], language='c')
            tool = build.tool, f'-Wl,-rpath,{build.tool.parent}'
            program, plugin = build.link('program', host, first, second, *tool), build.link('plugin.so', '-shared', first, second, *tool)
            loads = build.link('loads', host)
            for number in range(SCRIPTS):
                check(build, *([loads, plugin], sites, seed + number) if number % 2 else ([program], sites, seed + number, number // 2))
            off = build.link('off', host, *(build.compile(path, '-DNVTX_DISABLE', name=f'{path.stem}-off', optimise='-O1', warn=False) for path in paths[:2]), *tool)
            for number, (of, listens, ends, environment) in enumerate([
                    (program, False, 1, {}), (program, True, 1, {'NVTXH_DISABLE': '1'}), (program, True, 1, {'NVTX_DISABLE': 'any'}), (off, True, 0, {})] * 2):
                check_nobody(build, of, sites, seed + number, number, listens, ends, **environment)
            for number in range(4):
                check_balance(build, [loads, plugin], sites, seed + number)
    taken.finish()


if __name__ == '__main__':
    main()
