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

struct nvtxh_i_stack {
    uintptr_t low, high; /* both 0: not searched yet; both 1: not found */
};

/* What is known of a line of /proc/self/maps, of which only a part has been read. */
struct nvtxh_i_maps_line {
    uintptr_t value, low, high; /* value: of the hex digits read so far; low, high: the mapping */
    unsigned field;             /* what is being read: 0 low, 1 high, 2 the rest */
    unsigned label;             /* how many characters of "[stack]" have matched so far */
};

/* Parses the next character of a line. True: the line is that of "[stack]". */
NVTXH_I_UNHOOKED static bool nvtxh_i_maps_character(struct nvtxh_i_maps_line *line, char c) {
    static const char label[] = "[stack]";
    unsigned digit = c <= '9' ? (unsigned)(c - '0') : (unsigned)(c - 'a' + 10);

    if (line->field == 2) {
        line->label = c == label[line->label] ? line->label + 1 : c == label[0];
        if (line->label == sizeof(label) - 1) {
            line->label = 0;
            return true;
        }
    } else if (c == '-') {
        line->low = line->value;
        line->value = 0;
        line->field = 1;
    } else if (c == ' ') {
        line->high = line->value;
        line->value = 0;
        line->field = 2;
    } else {
        line->value = line->value * 16 + digit;
    }
    return false;
}

/* Finds the calling thread's stack. The main thread's stack may grow down to the mapping below it,
 * so ret->low is that mapping's end. Another thread's stack is the mapping with pthread_self(). */
NVTXH_I_UNHOOKED static void nvtxh_i_stack_find(struct nvtxh_i_stack *ret) {
    struct nvtxh_i_maps_line line = {0, 0, 0, 0, 0};
    bool is_main = nvtxh_i_gettid() == nvtxh_i_getpid();
    uintptr_t self = (uintptr_t)pthread_self(), before = 0;
    char text[512];
    ssize_t n = 0, i;
    int fd = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);

    ret->low = ret->high = 1;
    while (fd >= 0 && ret->high == 1 && (n = read(fd, text, sizeof(text))) > 0) {
        for (i = 0; i < n && ret->high == 1; i++) {
            if (text[i] == '\n') {
                if (!is_main && self >= line.low && self < line.high) {
                    ret->low = line.low;
                    ret->high = line.high;
                }
                before = line.high;
                line.field = line.label = 0;
            } else if (nvtxh_i_maps_character(&line, text[i]) && is_main) {
                ret->low = before;
                ret->high = line.high;
            }
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
