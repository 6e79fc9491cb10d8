/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "thread_fork.h"
#include "thread.h"
#include "wiped_memory.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

/* The memory that an event is being written to. */
struct target {
    struct rec_chunk *chunk;
    size_t size;
};

/* The event that the thread is in the middle of, for a signal handler that forks. */
static __thread struct {
    uint64_t busy; /* 0: nothing */
    struct target usual, aside;
} forking NVTXH_WRITE_TLS;

/* The `size` in the chunk's header is not used, because other processes can write there. Of a full chunk, the header is
 * still needed, because it counts losses. */
static struct target target_of(const struct thread *t)
{
    const struct stream *s = t ? &t->stream : NULL;

    uint64_t end = s ? s->end | s->hidden_end : 0; /* one of them is 0 */

    return s && s->chunk ? (struct target){s->chunk, end ? end : REC_ALIGN}
                         : (struct target){NULL, 0};
}

void thread_fork_before(void)
{
    const struct thread *t = thread_self;

    forking.busy = t && thread_is_busy(t) ? t->ready : 0;
    forking.usual = target_of(t);
    forking.aside = target_of(t ? t->inner : NULL);
}

/* In the child, the interrupted event goes on writing to the addresses that it has in registers. So memory of the child
 * takes the place of the parent's chunk there. */
static struct rec_chunk *replace(struct target target)
{
    struct rec_chunk *own = target.chunk ? mmap(target.chunk, target.size, PROT_READ | PROT_WRITE,
                                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0)
                                         : MAP_FAILED;
    if (own == MAP_FAILED) {
        return NULL;
    }
    own->size = (uint32_t)target.size;
    own->used = REC_CHUNK_HEADER;
    return own;
}

void thread_fork_in_child(void)
{
    struct thread *t = thread_self;

    if (t && !wiped_memory_works()) {
        memset(t, 0, sizeof(*t));
    }
    if (forking.busy && t) {
        int error = errno;
        t->stream.chunk = replace(forking.usual);
        replace(forking.aside);
        thread_attach(true);     /* the event also needs the depths */
        t->ready = forking.busy; /* until that event ends, the handler's own events go to `inner` */
        errno = error;
    }
}
