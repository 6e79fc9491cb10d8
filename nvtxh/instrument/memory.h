/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INSTRUMENT_MEMORY_H
#define NVTXH_INSTRUMENT_MEMORY_H

/* Memory for the data about functions: never freed, and not from malloc, because a signal handler that has interrupted
 * malloc may be the first to call a function. Not API. */

#include "../core/compiler.h"
#include "../core/system.h"

#include <string.h>

/* For functions that instrument.c calls: they must not be instrumented. */
#define NVTXH_I_SYMBOL_QUIET __attribute__((__no_instrument_function__, __unused__))

/* Returns zeroed memory. NULL: no memory. Called under the lock of functions.h. */
NVTXH_I_SYMBOL_QUIET static void *nvtxh_i_instrument_take(size_t size)
{
    static char *chunk;
    static size_t left;
    const size_t chunk_size = 65536;
    char *taken;

    size = (size + 15) & ~(size_t)15;
    if (size > chunk_size / 4)
        return nvtxh_i_map(size, 0);
    if (size > left) {
        taken = (char *)nvtxh_i_map(chunk_size, 0);
        if (!taken)
            return NULL;
        chunk = taken;
        left = chunk_size;
    }
    taken = chunk;
    chunk += size;
    left -= size;
    return taken;
}

/* A copy of n bytes, with a 0 after them. */
NVTXH_I_SYMBOL_QUIET static char *nvtxh_i_instrument_copy(const char *text, size_t n)
{
    char *copy = (char *)nvtxh_i_instrument_take(n + 1);

    if (copy)
        memcpy(copy, text, n);
    return copy;
}

#endif
