# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What refuse.py asks of the headers that are included by hand."""
from harness import toolchain
from case import TYPES, Case


def jumps_past(body, use, **more):
    """What may not be done with a guard that stands at the beginning of a block, or is one."""
    block = f'{{ {use}' if use.endswith(';') else f'{use} {{'
    more = dict(message=r'jumps? (in|to|bypasses|from|past)|cannot jump|crosses', modes=('split',)) | more
    yield Case(f'goto past {use} to where it is open is refused',
               body.format(f'if (c) goto in; {block} n++; @ n--; }}'),
               'in:;', '} in: {', **more)
    yield Case(f'a later case past {use} is refused',
               body.format(f'switch (n) {{ case 1: {block} n++; break; @ n--; }} }}'),
               'case 2:;', '} case 2: {', **more)
    if use.endswith(';'):
        yield Case(f'goto past {use} to the end of its block is refused',
                   body.format(f'if (c) goto out; @ n++; out: (void)n;'), use, f'{{ {use} }}', **more)


def structs():
    """What cannot be a field, a payload or a counter's value."""
    head = '#include "nvtxh.h"\n#include "nvtxh/counter.h"\nstruct plain { int n; };\n'
    body = ('NVTXH_PAYLOAD_STRUCT(good, (int, n));\nNVTXH_DOMAIN(train, "train");\n'
            'NVTXH_COUNTER(counter, &train, "c");\nextern struct plain plain;\n'
            'extern struct good good;\nextern int number;\nextern double doubles[2];\n'
            'extern float floats[2];\nextern int64_t times[2];\nvoid f(void);\nvoid f(void) {{ {} }}\n')
    wrong = r'NVTXH_PAYLOAD_STRUCT|nvtxh_i_no|no matching|deleted|_Generic|incomplete'
    for bad in ('&plain', '&number', 'floats'):
        yield Case(f'with payload.h, nvtxh_payload({bad}) is refused', head + body.format(
            'NVTXH_MARK("x", .payload = nvtxh_payload(@));'), bad, '&good', wrong)
        yield Case(f'nvtxh_counter_set(&counter, {bad}) is refused', head + body.format(
            'nvtxh_counter_set(&counter, @);'), bad, '&good', wrong)
        yield Case(f'nvtxh_counter_batch of {bad} is refused', head + body.format(
            'nvtxh_counter_batch(&counter, @, 1, times);'), bad, 'doubles', wrong)
    for bad in ('struct plain', 'int *', 'const char *[2]', 'int[2][2]'):
        yield Case(f'a field of type {bad} is refused', head +
                   'NVTXH_PAYLOAD_STRUCT(bad, (@, field));\n', bad, 'int', wrong + '|must be a number',
                   modes=('split',))
    yield Case('more than 32 fields are refused', head + 'NVTXH_PAYLOAD_STRUCT(bad, ' + ', '.join(
        f'(int, n{i})' for i in range(32)) + '@);\n', ', (int, more)', '', r'32 fields or values at most')
    for tail in (', ', ', , (LAST)', ', LAST'):
        yield Case(f'an enum whose values go on with "{tail}" is refused', head +
                   'NVTXH_PAYLOAD_ENUM(phase, (LOAD), (SAVE, 10)@);\n', tail, ', (LAST)', r'expected|missing')
    yield Case('nvtxh_end takes a payload alone', head + body.format(
        'nvtxh_end(NVTXH_START("x"), @);'), '.domain = &train', '.payload = nvtxh_payload(&good)',
        r'domain')
    yield Case('a value of an enum is a constant', head + 'extern int number;\n'
               'NVTXH_PAYLOAD_ENUM(phase, (LOAD), (SAVE, @));\n', 'number', '10',
               r'constant|not usable')
    yield Case('the unit of a field is a string', head +
               'NVTXH_PAYLOAD_STRUCT(bad, (int, field, .unit = @));\n', '5', '"ms"',
               r'pointer|cannot|invalid conversion|convert', modes=('split',), flags=('-Werror',))
    yield Case('NVTXH_COUNTER refuses a name that is not a literal', head + 'extern const char *text;\n'
               'NVTXH_COUNTER(counter, NVTXH_DOMAIN_DEFAULT, @);\n', 'text', '"text"',
               r'NVTXH_COUNTER wants a string literal')
    yield Case('a counter belongs to a domain', head + 'NVTXH_DOMAIN(train, "train");\n'
               'extern int number;\nNVTXH_COUNTER(counter, @, "c");\n', '&number', '&train',
               TYPES + r'|mismatch|distinct', flags=('-Werror',))
    for use, bad, good in (('nvtxh_counter_set(@, 1);', '&number', '&counter'),
                           ('nvtxh_counter_batch(@, doubles, 1, times);', '&number', '&counter'),
                           ('nvtxh_counter_batch(&counter, doubles, 1, @);', 'doubles', 'times')):
        yield Case(f'{use} with {bad} is refused', head + body.format(use), bad, good, TYPES,
                   flags=('-Werror',))


def statistics():
    """Arguments of the statistics' functions."""
    head = ('#include <stdio.h>\n#include "nvtxh/stats.h"\nextern struct nvtxh_stats rows[1];\n'
            'extern int number;\nextern size_t n;\nstruct plain {{ int n; }};\n'
            'extern struct plain plain;\nvoid f(void);\nvoid f(void) {{ {} }}\n')
    for use, bad, good in (('nvtxh_stats_read(@, 1, &n);', '&number', 'rows'),
                           ('nvtxh_stats_read(rows, 1, @);', '&number', '&n'),
                           ('(void)nvtxh_stats_find(@);', '&number', '"x"'),
                           ('nvtxh_stats_print(@, NVTXH_STATS_CSV);', '"file"', 'stderr')):
        yield Case(f'{use} with {bad} is refused', head.format(use), bad, good, TYPES,
                   flags=('-Werror', '-Wno-unused-value'))
    yield Case('nvtxh_stats_print wants a format', head.format('nvtxh_stats_print(stderr, @);'), '7',
               'NVTXH_STATS_CSV', TYPES, languages=('cpp',), flags=('-Wno-unused-value',))
    yield Case('nvtxh_stats_enable wants a truth value', head.format('nvtxh_stats_enable(@);'),
               'plain', 'number', r'scalar|struct|convert|invalid|incompatible|no match|wrong type',
               flags=('-Wno-unused-value',))


def captures():
    """A capture's scope is a declaration, and its name a string."""
    head = ('#include "nvtxh/capture.h"\nextern int number, c;\nvoid f(void);\n'
            'void f(void) {{ {} }}\n')
    yield Case('if (c) NVTXH_CAPTURE_SCOPE("x"); is refused',
               head.format('if (c) @'), 'NVTXH_CAPTURE_SCOPE("x");', '{ NVTXH_CAPTURE_SCOPE("x"); }',
               r'needs_a_block_of_its_own')
    yield Case('NVTXH_CAPTURE_SCOPE wants flags', head.format('NVTXH_CAPTURE_SCOPE("x", @);'), '&number', 'NVTXH_CAPTURE_WAIT',
               TYPES + '|makes integer', flags=('-Werror',))
    yield Case('NVTXH_CAPTURE_SCOPE takes a name and flags', head.format('NVTXH_CAPTURE_SCOPE("x", NVTXH_CAPTURE_WAIT@);'), ', 1', '',
               r'excess elements|too many initializers', flags=('-Werror',))
    for use in ('NVTXH_CAPTURE_SCOPE(@);', '(void)nvtxh_capture_start(@, 0);'):
        yield Case(f'{use} wants a string', head.format(use), '&number', '"epoch"', TYPES,
                   flags=('-Werror',))


def device():
    """Messages, streams and ranges of device.h. Without CUDA's headers there is nothing to ask."""
    cuda = list(toolchain.cuda_headers().values())[-1:]
    head = ('#include <cuda_runtime_api.h>\n#include "nvtxh/device.h"\nNVTXH_DOMAIN(train, "train");\n'
            'extern const char *text;\nextern int number, c;\nextern cudaStream_t stream;\n'
            'extern struct nvtxh_device_range range;\nvoid f(void);\nvoid f(void) {{ {} }}\n')
    more = dict(flags=(*(flag for path in cuda for flag in ('-isystem', path)), '-Werror', '-Wformat'))
    macros = {
        'nvtxh_device_start': '(void)nvtxh_device_start(stream, &range, @);',
        'nvtxh_device_next': '(void)nvtxh_device_next(stream, &range, @);',
        'nvtxh_device_mark': '(void)nvtxh_device_mark(stream, @);',
        'NVTXH_DEVICE_SCOPE': 'NVTXH_DEVICE_SCOPE(stream, @);',
    }
    for macro, use in macros.items() if cuda else ():
        form = macro + ('F' if macro.isupper() else 'f')
        yield Case(f'{macro} refuses a message that is not a literal, and names {form}',
                   head.format(use), 'text', '"text"', rf'{macro} wants a string literal.*{form}', **more)
        yield Case(f'{macro} refuses the same with attributes', head.format(
            use.replace('@', '@, .domain = &train')), 'text', '"text"',
            rf'{macro} wants a string literal', **more)
        with_format = head.format(use.replace(macro, form).replace('@', '@, number'))
        yield Case(f'{form} refuses a format that is not a literal', with_format, 'text', '"%d"',
                   rf'{form} wants a string literal', **more)
        yield Case(f'{form}: a wrong argument is found by -Wformat', with_format, '"%s"', '"%d"',
                   r'-W(error=)?format', **more)
        yield Case(f'{macro} wants a stream', head.format(
            use.replace('stream', '@', 1).replace('@)', '"x")')), '&number', 'stream', TYPES, **more)
    wrong = [
        ('(void)nvtxh_device_start(stream, @, "x");', '&number', '&range'),
        ('(void)nvtxh_device_end(stream, @);', 'number', 'range'),
        ('nvtxh_stream_name(@, "copy");', '&number', 'stream'),
        ('nvtxh_stream_name(stream, @);', '&number', '"copy"'),
        ('NVTXH_DEVICE_MODE_SCOPE(@);', '"interval"', 'NVTXH_DEVICE_INTERVAL'),
    ]
    for use, bad, good in wrong if cuda else ():
        yield Case(f'{use} with {bad} is refused', head.format(use), bad, good, TYPES + '|makes integer', **more)
    if cuda:
        for use in ('NVTXH_DEVICE_SCOPE(stream, "x");', 'NVTXH_DEVICE_MODE_SCOPE(0);'):
            yield Case(f'if (c) {use} is refused', head.format('if (c) @'), use, f'{{ {use} }}', r'needs_a_block_of_its_own', **more)
        body = head.replace('extern int number, c;', 'extern int number, c, n;')
        for use in ('NVTXH_DEVICE_SCOPE(stream, "x");', 'NVTXH_DEVICE_SCOPEF(stream, "%d", n);', 'NVTXH_DEVICE_MODE_SCOPE(0);'):
            yield from jumps_past(body, use, **more)


def all_of_them():
    return [*structs(), *statistics(), *captures(), *device()]
