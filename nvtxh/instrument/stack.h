/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_STACK_H
#define NVTXH_INSTRUMENT_STACK_H

/* Where the calling thread's stack is, from /proc/self/maps. pthread_getattr_np would call malloc,
 * which a signal handler may have interrupted. Not API. */

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "../core/system.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

struct nvtxh_i_stack {
    uintptr_t low, high; /* both 0: not searched yet; both 1: not found */
};

/* Finds the calling thread's stack. The main thread's stack may grow down to the mapping below it,
 * so ret->low is that mapping's end. Another thread's stack is the mapping with pthread_self(). */
NVTXH_I_UNHOOKED static void nvtxh_i_stack_find(struct nvtxh_i_stack *ret) {
    bool is_main = nvtxh_i_gettid() == nvtxh_i_getpid(), found = false;
    uintptr_t self = (uintptr_t)pthread_self(), low, high, before = 0;
    char text[512], line[100], *end; /* line: its beginning, with the addresses and a short name */
    size_t used = 0;
    ssize_t n = 0, i;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    ret->low = ret->high = 1;
    while (fd >= 0 && !found && (n = read(fd, text, sizeof(text))) > 0) {
        for (i = 0; i < n && !found; i++) {
            if (text[i] != '\n') {
                line[used] = text[i];
                used += used < sizeof(line) - 1;
                continue;
            }
            line[used] = 0;
            used = 0;
            low = strtoul(line, &end, 16);
            high = *end ? strtoul(end + 1, &end, 16) : 0;
            found = is_main ? strstr(end, "[stack]") != NULL : self >= low && self < high;
            if (found) {
                ret->low = is_main ? before : low;
                ret->high = high;
            }
            before = high;
        }
    }
    if (fd >= 0) {
        close(fd);
    }
}

NVTXH_I_UNHOOKED static bool nvtxh_i_stack_has(struct nvtxh_i_stack *stack, uintptr_t address) {
    if (!stack->high) {
        nvtxh_i_stack_find(stack);
    }
    return address >= stack->low && address < stack->high;
}

#endif
