# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Annotations in a C++20 module, with the headers in its global module fragment. modules.py COMPILER"""
import sys

from harness import claims, toolchain

MODULE = '''module;
#include "nvtxh.h"
#include "nvtxh/capture.h"
#include "nvtxh/counter.h"
#include "nvtxh/stats.h"
export module annotated;
NVTX_DOMAIN(train, "train");
NVTXH_DOMAIN_EXTERN(elsewhere);
NVTXH_DOMAIN_INLINE(shared, "shared");
NVTX_CATEGORY(gemm, &train, "gemm");
NVTX_CATEGORY(plain, NVTXH_DOMAIN_DEFAULT, "plain");
nvtxh_category *const number = NVTXH_CATEGORY_ID(7);
NVTXH_CATEGORY_EXTERN(far);
NVTXH_COUNTER(counter, &train, "counter", .unit = "s");
NVTXH_PAYLOAD_STRUCT(point, (int, x), (double, y));
nvtxh_domain *const plugin = nvtxh_domain_named("plugin");
export class connection {
    nvtxh::unique_range life@;
  public:
    void member() { NVTXH_METHOD(); }
};
export int verbs(int n) {
    struct point point = {1, 2};
    NVTX_SCOPE("x", .domain = &train, .category = &gemm, .payload = nvtxh_payload(n));
    NVTX_FUNC(.domain = &shared);
    NVTXH_SCOPE_IF(n, "if", .payload = nvtxh_payload(&point));
    NVTX_SCOPEF("%d", n);
    NVTXH_RANGE_SCOPE("range");
    NVTXH_SCOPE_STRING(nvtxh_string_named(plugin, "string"));
    NVTXH_SCOPE_AS(early, "early");
    NVTXH_CAPTURE_SCOPE("capture");
    nvtxh::unique_range unique = NVTXH_UNIQUE_RANGE("unique");
    NVTX_MARK("mark");
    NVTX_MARKF("%d", n);
    n += NVTX_PUSH("push") + NVTX_POP();
    NVTXH_BLOCK("block") { n++; }
    NVTX_END(NVTX_START("start"));
    nvtxh_scope_end(&early);
    nvtxh_counter_set(&counter, n);
    nvtxh_thread_name("name");
    nvtxh_enable(n != 1);
    nvtxh_stats_enable(true);
    return n;
}
template <class T> T in_template(T n) { NVTX_SCOPE("template", .payload = nvtxh_payload(n)); return n; }
export inline int in_inline(int n) { NVTX_SCOPE("inline"); NVTX_FUNC(); return in_template(n); }
'''
BARE = 'int f(bool c);\nint f(bool c) {\n    if (c) NVTX_SCOPE("x");\n    return 1;\n}\n'


def main():
    name = sys.argv[1]
    compiler = toolchain.compiler(name, 'cpp')
    if not compiler:
        claims.skip(f'{name} is not installed')
    with claims.Claims() as claim:
        # g++ 12 crashes at any lambda in a member's initializer.
        text = MODULE.replace('@', '' if name == 'gcc' else ' = NVTXH_UNIQUE_RANGE("connection")')
        source = claim.source('annotated.cc', text)
        bare = claim.source('bare.cc', text + BARE)
        ways = {'gcc': ['-fmodules-ts', '-c'], 'clang': ['-x', 'c++-module', '--precompile']}
        for mode, switches in claims.MODES.items():
            command = [compiler, '-std=c++20', '-Wall', '-Wextra', '-Werror', '-I', toolchain.ROOT, *switches, *ways[name]]
            command += ['-isystem', claims.newest_nvtx()] if mode == 'on' else []
            claim.runs(f'{mode}: compiles', *command, source, '-o', claim.directory / 'annotated.pcm', cwd=claim.directory)
            done = toolchain.run([*command, bare, '-o', claim.directory / 'bare.pcm'], cwd=claim.directory)
            claim.that(done.returncode and 'needs_a_block_of_its_own' in done.stdout, f'{mode}: if (c) NVTX_SCOPE is refused', done.stdout)
            if name == 'clang' and mode != 'on':  # clang 14 crashes at functions of the implementation
                claim.runs(f'{mode}: an object', compiler, '-c', claim.directory / 'annotated.pcm', '-o', claim.directory / 'annotated.o')


if __name__ == '__main__':
    main()
