/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Memory for NVTX's callbacks, which may run in a signal handler that has interrupted malloc. So,
 * after session_init, nothing here calls malloc or takes a lock. A forked child gets a copy of this
 * memory; only the memory of the functions wiped_memory_... is zero there. */
#include <limits.h> /* __GLIBC__ */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Returns zeroed memory, aligned to 16 bytes, never freed; NULL on failure. Leaves errno alone. */
void *arena_new(size_t size);

/* scratch_new returns pages, which scratch_drop frees; NULL on failure. scratch_resize returns the
 * pages' new address; on failure NULL, without changing the pages. All three leave errno alone. */
void *scratch_new(size_t size);
void *scratch_resize(void *scratch, size_t size, size_t new_size);
void scratch_drop(void *scratch, size_t size);

/* A growing buffer of bytes, for bodies of definitions and for names. Up to BUFFER_HERE bytes are
 * in the struct itself; when there are more, all are in pages. BUFFER declares an empty buffer
 * whose pages are freed at the end of its block. */
enum { BUFFER_HERE = 256 };

/* The buffer is empty when all members except `here` are 0. */
struct buffer {
    char *pages;           /* NULL: the bytes are in `here` */
    size_t used, capacity; /* bytes in the buffer; size of `pages` in bytes */
    bool failed;           /* there was no memory; nothing more is added */
    char here[BUFFER_HERE];
};

/* Makes the buffer empty. An initializer would take time to clear `here`, too. */
static inline void buffer_init(struct buffer *b) {
    b->pages = NULL;
    b->used = b->capacity = 0;
    b->failed = false;
}

static inline char *buffer_bytes(struct buffer *b) {
    return b->pages ? b->pages : b->here;
}

static inline void buffer_grow(struct buffer *b, size_t size) {
    size_t capacity = (b->used + size) * 2 + 4096;
    char *more = b->pages ? scratch_resize(b->pages, b->capacity, capacity) : scratch_new(capacity);

    if (!more) {
        b->failed = true;
        return;
    }
    if (!b->pages) {
        memcpy(more, b->here, b->used);
    }
    b->pages = more;
    b->capacity = capacity;
}

static inline void buffer_add(struct buffer *b, const void *bytes, size_t size) {
    if ((b->pages ? b->capacity : BUFFER_HERE) - b->used < size && !b->failed) {
        buffer_grow(b, size);
    }
    if (!b->failed && size) {
        memcpy(buffer_bytes(b) + b->used, bytes, size);
        b->used += size;
    }
}

static inline void buffer_free(struct buffer *b) {
    if (b->pages) {
        scratch_drop(b->pages, b->capacity);
    }
    buffer_init(b);
}
#define BUFFER(name)                                                                               \
    __attribute__((cleanup(buffer_free))) struct buffer name;                                      \
    buffer_init(&name)

/* Returns pages that are zero at first, and zero again in a forked child, whatever system call
 * forked it. munmap frees them. NULL with errno on failure. */
void *wiped_memory_new(size_t size);

/* Makes forks wipe existing pages, which must be whole pages of a private anonymous mapping. */
void wiped_memory_mark(void *pages, size_t size);

/* Returns a part of a page that forks wipe; the part is never freed. NULL on failure. Called only
 * during session_init, in one thread. */
void *wiped_memory_share(size_t size);

/* Whether the kernel wipes memory in forked children, as it does from Linux 4.14 on. If not, only
 * what wiped_memory_share returned is wiped, and only by the C library's fork(). */
bool wiped_memory_works(void);

/* A process can have a limited number of mappings (vm.max_map_count, usually 65,530). Each thread
 * takes two for its stack, so the program can make no thread when no mapping is left. Hence the
 * recorder makes few mappings, each for many threads, and no more of these once the process has 7/8
 * of the limit. It does not count the mappings while there are up to about 64 threads. */
bool mappings_init(void);

/* Whether a mapping for many threads may be made now. Signal-safe; leaves errno alone. */
bool mappings_may_add(void);

/* Whether this process has had so many threads that mappings_may_add was called. */
bool mappings_are_shared(void);

/* A free list is an array of pointers; NULL is a free slot. Any thread or signal handler may put a
 * pointer there or take one away, without a lock. free_list_put uses one of the first `places`
 * slots; false: all of them are taken. */
static inline bool free_list_put(void **free_list, size_t places, void *thing) {
    for (size_t i = 0; i < places; i++) {
        void *empty = NULL;
        if (__atomic_compare_exchange_n(&free_list[i], &empty, thing, false, __ATOMIC_RELEASE,
                                        __ATOMIC_RELAXED)) {
            return true;
        }
    }
    return false;
}

/* Takes a pointer away; NULL: the free list is empty. */
static inline void *free_list_get(void **free_list, size_t places) {
    for (size_t i = 0; i < places; i++) {
        if (__atomic_load_n(&free_list[i], __ATOMIC_RELAXED)) {
            void *thing = __atomic_exchange_n(&free_list[i], NULL, __ATOMIC_ACQUIRE);
            if (thing) {
                return thing;
            }
        }
    }
    return NULL;
}

/* The access model of the recorder's thread-local variables: an access costs one instruction. With
 * the default model it costs a call, which at the first use in each thread allocates memory and
 * takes the loader's lock, even in a signal handler. Variables of this model need room that was
 * reserved when the program started; glibc always reserves enough for a few pointers. */
#if defined(__GLIBC__) && !defined(NVTXH_WRITE_NO_INITIAL_EXEC)
#define NVTXH_WRITE_TLS __attribute__((tls_model("initial-exec")))
#else
#define NVTXH_WRITE_TLS
#endif
