/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "session.h"
#include "block_signals.h"
#include "chunk_prefetch.h"
#include "file.h"
#include "gate.h"
#include "options.h"
#include "part.h"
#include "registry.h"
#include "thread_name.h"

#include <errno.h>
#include <pthread.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

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
        file_end(); /* locked, so that nobody begins a part in what is about to be closed */
        part_end();
        registry_unlock();
        chunk_prefetch_stop();
        file_close();
    }
    pthread_mutex_unlock(&lock);
    block_signals_leave(&blocked);
    return error;
}

void session_forked(void)
{
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
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
