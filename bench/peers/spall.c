/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* spall's single header, with a buffer of a mebibyte and rdtsc as its clock. */
#include "peer.h"

#include <spall.h>
#include <x86intrin.h>

static SpallProfile profile;
static SpallBuffer buffer;
static char space[1 << 20];
static bool on;

bool peer_begin(const char *file) {
    if (!file)
        return true;
    buffer.data = space;
    buffer.length = sizeof(space);
    on = spall_init_file(file, 0.0004, &profile) && spall_buffer_init(&profile, &buffer);
    return on;
}

void peer_scope(void) {
    if (__builtin_expect(on, 0))
        spall_buffer_begin(&profile, &buffer, "a scope", sizeof("a scope") - 1, __rdtsc());
    bench_stored = bench_work(3);
    if (__builtin_expect(on, 0))
        spall_buffer_end(&profile, &buffer, __rdtsc());
}

void peer_end(void) {
    if (!on)
        return;
    spall_buffer_quit(&profile, &buffer);
    spall_quit(&profile);
}
