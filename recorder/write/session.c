/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "session.h"
#include "block_signals.h"
#include "chunk_prefetch.h"
#include "file.h"
#include "gate.h"
#include "handle.h"
#include "losses.h"
#include "memory.h"
#include "note.h"
#include "options.h"
#include "part.h"
#include "registry.h"
#include "tentative.h"
#include "thread.h"
#include "../format/clock.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/auxv.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* of starting and stopping */

/* In the child: corrects memory that is not wiped and describes other threads. A thread that was starting or stopping a
 * recording is not in the child. */
static void forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    gate_forked();
    thread_fork_in_child();
}

/* A statically linked program loads us with a second C library, which does not know the program's threads: our
 * thread-local variables have no memory. */
static bool is_static(void)
{
    const ElfW(Phdr) *p = (const ElfW(Phdr) *)getauxval(AT_PHDR);

    for (unsigned long n = getauxval(AT_PHNUM); p && n > 0; n--, p++) {
        if (p->p_type == PT_INTERP) {
            return false;
        }
    }
    return p != NULL;
}

static void init(void)
{
    int error = errno;

    if (!OPTIONS_LINKED && is_static()) {
        file_refuse("cannot record this program",
                    "it is statically linked: link it dynamically, or link the recorder into it",
                    0);
        errno = error;
        return;
    }
    file_clock = clock_choose();
    options_read();
    handle_init();
    part_ring_size = options.ring;
    tentative_init(options.bound_ns);
    ready = part_init() && losses_init() && mappings_init() && file_alloc_init() &&
            chunk_prefetch_init() && thread_init();
    if (!ready) {
        int why = errno;
        file_refuse("cannot begin to record", note_reason(why), OPTIONS_LINKED ? 0 : why);
    }
    ready = ready && (OPTIONS_LINKED || file_open() == 0);
    if (ready) {
        pthread_atfork(thread_fork_before, NULL, forked);
        if (!OPTIONS_LINKED) {
            gate_begin(file_recording());
        }
    }
    errno = error;
}

bool session_init(void)
{
    struct block_signals blocked =
        block_signals_enter(); /* a handler would wait for the thread that it has interrupted */
    pthread_once(&once, init);
    block_signals_leave(&blocked);
    if (ready) {
        registry_lock(); /* begins this process's part */
        registry_unlock();
    }
    return ready && (OPTIONS_LINKED || part_is_ready());
}

int session_start(const char *path, bool force, uint64_t ring)
{
    struct block_signals blocked = block_signals_enter();

    pthread_mutex_lock(&lock);
    int error = file_recording() ? EBUSY : file_create(path, force);
    if (!error) {
        part_ring_size = ring ? ring : options.ring;
        registry_lock(); /* begins this process's part */
        registry_unlock();
        gate_begin(file_recording());
    }
    pthread_mutex_unlock(&lock);
    block_signals_leave(&blocked);
    return error;
}

int session_stop(uint32_t recording)
{
    struct block_signals blocked = block_signals_enter();

    pthread_mutex_lock(&lock);
    int error = recording && recording == file_recording() ? 0 : EINVAL;
    if (!error) {
        gate_end();
        thread_name_write_all(registry_lock());
        file_end(); /* with the registry locked, so that no part begins in a closed file */
        part_end();
        registry_unlock();
        chunk_prefetch_stop();
        file_close();
    }
    pthread_mutex_unlock(&lock);
    block_signals_leave(&blocked);
    return error;
}

__attribute__((destructor)) static void finish(void)
{
    if (part_is_ready()) {
        gate_poll();
        chunk_prefetch_end();
        thread_name_write_all(registry_lock());
        registry_unlock();
        part_write_end();
        file_finish();
    }
}
