# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""nvtxh.h in a .cu file, compiled with nvcc, on and off. Nothing is run. alone_cuda.py MODE"""
import os
import sys

from harness import claims, toolchain

# An annotated function for host and device: there is no NVTX on the device, so its annotations are
# there in the host's half alone.
SOURCE = '''
#include "nvtxh.h"
#include "nvtxh.h"
#include "nvtxh/capture.h"
#include "nvtxh/counter.h"
#include "nvtxh/named.h"
#include "nvtxh/stats.h"

NVTXH_DOMAIN(train, "train");
NVTXH_CATEGORY(gemm, &train, "gemm");
NVTXH_PAYLOAD_ENUM(mood, (GOOD), (BAD, 3));
NVTXH_PAYLOAD_STRUCT(info, (int, n, .unit = "s"), (enum mood, mood), (float[2], list));
NVTXH_COUNTER(counter, &train, "counter", .unit = "s");

__host__ __device__ int both(int n)
{
    NVTX_SCOPE("both", .domain = &train, .category = &gemm, .color = NVTXH_GREEN,
               .payload = nvtxh_payload(n));
    NVTX_FUNC();
    NVTXH_METHOD();
    NVTX_MARK("mark", .payload = nvtxh_payload(n));
    NVTXH_BLOCK("block")
    {
        n++;
    }
    return n;
}

__device__ int on_device(int n)
{
    NVTX_SCOPE("device");
    return both(n);
}

__global__ void kernel(int *p, int n)
{
    NVTX_SCOPE("kernel", .payload = nvtxh_payload(n));
    *p = on_device(n);
}

template <class T> T on_host(T n)
{
    struct nvtxh_range range = NVTX_START("start");
    NVTX_SCOPEF("host %d", n);
    NVTXH_SCOPE_AS(named, "named");
    auto lambda = [=]() {
        NVTX_SCOPE("lambda", .payload = nvtxh_payload(n));
        return both(n);
    };
    NVTX_PUSH("push");
    NVTX_POP();
    nvtxh_scope_end(&named);
    struct info info = {1, BAD, {1, 2}};
    nvtxh_counter_set(&counter, n);
    nvtxh_counter_set(&counter, &info);
    nvtxh_end(range, .payload = nvtxh_payload(&info));
    struct nvtxh_domain *plugin = nvtxh_domain_named("plugin");
    const struct nvtxh_string *text = nvtxh_string_named(plugin, "named at run time");
    NVTXH_SCOPE_STRING(text, .color = NVTXH_GREEN, .payload = nvtxh_payload(n));
    NVTXH_MARK_STRING(text);
    NVTXH_PUSH_STRING(text);
    NVTX_POP(.domain = plugin);
    NVTX_END(NVTXH_START_STRING(text));
    NVTXH_RANGE_SCOPE("range", .domain = plugin);
    nvtxh::unique_range first{NVTX_START("unique", .color = NVTXH_RED)};
    nvtxh::unique_range second{static_cast<nvtxh::unique_range &&>(first)};
    second.end();
    return lambda();
}

/* A variable that an annotation alone reads: nvcc reads this function for the device as well. */
int read_by_annotations()
{
    int scope = 1, func = 1, format = 1, mark = 1, markf = 1, push = 1, pop = 1, start = 1, block = 1;
    bool condition = true, on = true, stats = true;
    const char *thread = "thread", *message = "message";
    uint32_t color = NVTXH_RED;
    struct info info = {1, BAD, {1, 2}}, last = {2, GOOD, {3, 4}};
    double values[2] = {1, 2};
    int64_t times[2] = {1, 2};
    int number = 3;
    NVTX_SCOPE("scope", .color = color, .payload = nvtxh_payload(scope));
    NVTX_SCOPE("struct", .payload = nvtxh_payload(&info));
    NVTX_FUNC(.payload = nvtxh_payload(func));
    NVTX_SCOPEF("scope %d", format);
    NVTXH_SCOPE_IF(condition, "scope");
    NVTXH_SCOPE_AS(named, "scope");
    nvtxh_scope_end(&named);
    NVTXH_BLOCK("block", .payload = nvtxh_payload(block))
    {
    }
    NVTX_MARK("mark", .payload = nvtxh_payload(mark));
    NVTX_MARKF("mark %d", markf);
    NVTX_PUSH("push", .payload = nvtxh_payload(push));
    NVTX_POP(.payload = nvtxh_payload(pop));
    auto range = NVTX_START("range", .payload = nvtxh_payload(start));
    nvtxh_end(range, .payload = nvtxh_payload(&last));
    nvtxh_thread_name(thread);
    nvtxh_enable(on);
    nvtxh_capture_start(message, 0);
    nvtxh_stats_enable(stats);
    nvtxh_counter_set(&counter, number);
    nvtxh_counter_batch(&counter, values, 2, times);
    return (int)nvtxh_stats_find(message).count;
}

int launch(int *p)
{
    nvtxh_thread_name("launch");
    kernel<<<1, 1>>>(p, 3);
    return on_host(4);
}
'''

# What may stand where a statement may not.
PLACES = '''
#include "nvtxh.h"
#include "nvtxh/capture.h"

/* Functions are called wherever C++ allows a call, and have addresses. */
static struct nvtxh_domain *const at_file_scope = nvtxh_domain_named("plugin");
static void (*const enable)(bool) = &nvtxh_enable;
static nvtxh::unique_range process_life = NVTXH_UNIQUE_RANGE("process", .color = NVTXH_RED);
struct places
{
    nvtxh::unique_range life = NVTXH_UNIQUE_RANGE("member");
    struct nvtxh_domain *domain = ::nvtxh_domain_named("member");
    struct nvtxh_category *category = nvtxh_category_named(at_file_scope, "member");
};

int in_places(const char *name)
{
    places here;
    ::nvtxh_enable(false);
    enable(here.category != nullptr);
    ::nvtxh_domain_enable(here.domain, true);
    ::nvtxh_thread_name(name);
    ::nvtxh_capture_start(name, 0);
    return ::nvtxh_capture_stop();
}
'''


def main():
    mode = sys.argv[1]
    nvcc = toolchain.nvcc()
    if not nvcc:
        claims.skip('nvcc is not installed')
    if not toolchain.compiler('gcc', 'cpp'):
        claims.skip('g++, the host compiler, is not installed')
    nvtx = claims.newest_nvtx()
    with claims.Claims() as claim:
        source = claim.source('source.cu', SOURCE)
        for standard, *whole in ('c++11',), ('c++20',), ('c++20', '-DNVTXH_IMPLEMENTATION'):
            # Without -Wpedantic, which warns of much in nvcc's own output.
            command = [*nvcc, '-c', f'-std={standard}', '-Werror=all-warnings',
                       '-Xcompiler', '-Wall,-Wextra,-Wshadow,-Wconversion,-Wundef,-Werror',
                       '-I', toolchain.ROOT, '-isystem', nvtx, *claims.MODES[mode], *whole, source, '-o',
                       claim.directory / 'source.o']
            said = claim.runs(f'{mode}: {standard} {whole}', *command,
                              env={**os.environ, 'TMPDIR': str(claim.directory)})
            if said is not None:
                claim.that(not said, f'{mode}: {standard}: not a word from nvcc', said)
        places = claim.source('places.cu', PLACES)
        said = claim.runs(f'{mode}: functions in every place', *command[:-3], places, '-o', claim.directory / 'places.o',
                          env={**os.environ, 'TMPDIR': str(claim.directory)})
        claim.that(not said, f'{mode}: functions in every place: not a word from nvcc', said)
        # nvcc's output for clang++ marks no system headers, so clang++ would warn of what macros expand to.
        clang = toolchain.compiler('clang', 'cpp')
        for file in (source, places) if clang else ():
            said = claim.runs(f'{mode}: {file.name}, clang++ is the host compiler', *nvcc[:2], clang, *command[3:-3], file, '-o',
                              claim.directory / 'clang.o', env={**os.environ, 'TMPDIR': str(claim.directory)})
            claim.that(not said, f'{mode}: {file.name}, clang++ is the host compiler: not a word', said)
        if mode.startswith('off'):
            symbols = toolchain.run(['nm', claim.directory / 'source.o']).stdout
            claim.that('nvtx' not in symbols.lower(), f'{mode}: no symbol is left',
                       [line for line in symbols.splitlines() if 'nvtx' in line.lower()])


if __name__ == '__main__':
    main()
