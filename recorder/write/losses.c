/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "losses.h"
#include "memory.h"
#include "../../nvtxh/core/say.h"
#include "../format/environment.h"

#include <stdlib.h>

static uint64_t **counts; /* points to NULL in a forked child that has no log yet */

bool losses_init(void) {
    counts = wiped_memory_share(sizeof(*counts));
    return counts != NULL;
}

void losses_count_in(uint64_t *now) {
    __atomic_store_n(counts, now, __ATOMIC_RELEASE);
}

void losses_add(enum rec_loss what, uint64_t count) {
    uint64_t *now = counts ? __atomic_load_n(counts, __ATOMIC_ACQUIRE) : NULL;

    if (now) {
        __atomic_fetch_add(&now[what], count, __ATOMIC_RELAXED);
    }
}

/* Called with any arguments: on the supported architectures, a function may ignore them. */
#define COUNTING(kind)                                                                             \
    static intptr_t count_##kind(void) {                                                           \
        losses_count(REC_LOSS_##kind);                                                             \
        return 0;                                                                                  \
    }
#define ENTRY(kind) [REC_LOSS_##kind] = count_##kind,
#define EACH(what)                                                                                 \
    what(CUDA) what(CUDART) what(OPENCL) what(SYNC) what(EXTENDED) what(COUNTER) what(MEMORY)      \
        what(EXTENSION) what(DEFERRED)

EACH(COUNTING)

intptr_t losses_function(enum rec_loss loss) {
    static intptr_t (*const functions[REC_LOSS_SIZE])(void) = {EACH(ENTRY)};
    return (intptr_t)functions[loss];
}

/* --- messages --------------------------------------------------------------------------------- */

static struct nvtxh_i_stderr was;

/* Remembers which file stderr is when this library is loaded: at the first NVTX call, or with the
 * program if it is linked in. */
__attribute__((constructor)) static void begin(void) {
    if (!was.known) {
        nvtxh_i_stderr_look(&was, secure_getenv(REC_ENV_SILENT) != NULL);
    }
}

const char *error_text(int error) {
    const char *text = NULL;

#ifdef __GLIBC__
#if __GLIBC_PREREQ(2, 32)
    text = strerrordesc_np(error); /* as strerror in the "C" locale */
#endif
#endif
    return text ? text : strerror(error);
}

void log_line(const char *line) {
    begin(); /* NVTX may have been called before this library's constructor ran */
    nvtxh_i_stderr_say(&was, line, strlen(line), 0);
}
