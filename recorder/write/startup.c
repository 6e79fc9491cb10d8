/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "startup.h"
#include "chunk_prefetch.h"
#include "file.h"
#include "gate.h"
#include "handle.h"
#include "losses.h"
#include "options.h"
#include "part.h"
#include "registry.h"
#include "session.h"
#include "thread.h"
#include "../format/clock.h"

#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;

/* In the child: corrects what is said of other threads in memory that is not wiped. */
static void forked(void)
{
    session_forked();
    gate_forked();
    thread_forked();
}

/* Such a program loads us together with a C library of our own, which knows nothing of the program's
 * threads: our thread-local variables lie nowhere. */
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
                    "it is statically linked; link it dynamically, or the recorder into it");
        errno = error;
        return;
    }
    file_clock = clock_choose();
    options_read();
    handle_init();
    part_ring_size = options.ring;
    ready = part_init() && losses_init() && chunk_prefetch_init() && thread_init() &&
            (OPTIONS_LINKED || file_open() == 0);
    if (ready) {
        pthread_atfork(thread_before_fork, NULL, forked);
        if (!OPTIONS_LINKED) {
            gate_begin(file_recording());
        }
    }
    errno = error;
}

bool startup(void)
{
    pthread_once(&once, init);
    if (ready) {
        registry_lock(); /* begins this process's part */
        registry_unlock();
    }
    return ready && (OPTIONS_LINKED || part_is_ready());
}
