/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "session.h"
#include "block_signals.h"
#include "chunk_prefetch.h"
#include "file.h"
#include "gate.h"
#include "handle.h"
#include "losses.h"
#include "memory.h"
#include "options.h"
#include "registry.h"
#include "text.h"
#include "thread.h"
#include "../format/clock.h"
#include "../format/create.h"

#include <errno.h>
#include <limits.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool ready;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for starts and stops of recordings */

/* In a forked child: resets the state that forks do not wipe and that describes threads of the
 * parent, such as a thread that is starting a recording. */
static void forked(void) {
    lock = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
    gate_forked();
    thread_fork_in_child();
}

/* Whether the program is statically linked. If so, it loads the recorder with a second C library,
 * which does not know the program's threads and has no thread-local variables for them. */
static bool is_static(void) {
    const ElfW(Phdr) *p = (const ElfW(Phdr) *)getauxval(AT_PHDR);

    for (unsigned long n = getauxval(AT_PHNUM); p && n > 0; n--, p++) {
        if (p->p_type == PT_INTERP) {
            return false;
        }
    }
    return p != NULL;
}

static void init(void) {
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
    process_log_ring_size = options.ring;
    ready = process_log_init() && losses_init() && mappings_init() && file_alloc_init() &&
            chunk_prefetch_init() && thread_init();
    if (!ready) {
        int why = errno;
        file_refuse("cannot begin to record", error_text(why), OPTIONS_LINKED ? 0 : why);
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

bool session_init(void) {
    /* A handler that interrupts init() would wait in pthread_once for its own thread. */
    struct block_signals blocked = block_signals_enter();
    pthread_once(&once, init);
    block_signals_leave(&blocked);
    if (ready) {
        registry_lock(); /* begins this process's log */
        registry_unlock();
    }
    return ready && (OPTIONS_LINKED || process_log_is_ready());
}

int session_start(const char *path, bool force, uint64_t ring) {
    struct block_signals blocked = block_signals_enter();

    pthread_mutex_lock(&lock);
    int error = file_recording() ? EBUSY : file_create(path, force);
    if (!error) {
        process_log_ring_size = ring ? ring : options.ring;
        registry_lock(); /* begins this process's log */
        registry_unlock();
        gate_begin(file_recording());
    }
    pthread_mutex_unlock(&lock);
    block_signals_leave(&blocked);
    return error;
}

int session_stop(uint32_t recording) {
    struct block_signals blocked = block_signals_enter();

    pthread_mutex_lock(&lock);
    int error = recording && recording == file_recording() ? 0 : EINVAL;
    if (!error) {
        gate_poll(); /* closes the gate if --to is over */
        gate_end();
        thread_name_write_all(registry_lock());
        file_end(); /* with the registry locked, so that no log begins in a closed file */
        process_log_end();
        registry_unlock();
        chunk_prefetch_stop();
        thread_close_spare();
        file_close();
    }
    pthread_mutex_unlock(&lock);
    block_signals_leave(&blocked);
    return error;
}

__attribute__((destructor)) static void finish(void) {
    if (process_log_is_ready()) {
        gate_poll();
        chunk_prefetch_end();
        thread_name_write_all(registry_lock());
        registry_unlock();
        process_log_write_end();
        file_finish();
    }
}

/* --- captures --------------------------------------------------------------------------------- */

enum { NAME_MOST = 1024 };

static _Atomic uint32_t own; /* number of the last recording that a capture began */

static void message_of(const nvtxEventAttributes_t *a, char ret_text[NAME_MOST]) {
    int type = a && a->size >= sizeof(*a) ? a->messageType : NVTX_MESSAGE_UNKNOWN;

    BUFFER(wide);
    ret_text[0] = 0;
    if (type == NVTX_MESSAGE_TYPE_REGISTERED) {
        registry_string_text(a->message.registered, ret_text, NAME_MOST);
    } else {
        const char *utf8 =
            utf8_make(&wide, type == NVTX_MESSAGE_TYPE_UNICODE ? a->message.unicode : NULL);
        const char *text = type == NVTX_MESSAGE_TYPE_ASCII ? a->message.ascii : utf8;
        strncat(ret_text, text ? text : "", NAME_MOST - 1);
    }
}

/* Begins a recording for the capture NAME in the working directory: NAME.nvtxh or, if that exists,
 * NAME.2.nvtxh and so on. '/' becomes '_'. A capture without a name gets the NAME PROGRAM.PID. */
static bool begin_recording(const char *name) {
    char path[PATH_MAX], usual[NAME_MAX];
    int error = EEXIST;

    if (!OPTIONS_LINKED) {
        return false;
    }
    if (!*name) {
        snprintf(usual, sizeof(usual), "%.200s.%d", file_program(path), (int)getpid());
        name = usual;
    }
    int size = (int)path_stem(name);
    for (int i = 1; error == EEXIST && i < 10000; i++) {
        if (i == 1) {
            snprintf(path, sizeof(path), "%.*s.nvtxh", size, name);
        } else {
            snprintf(path, sizeof(path), "%.*s.%d.nvtxh", size, name, i);
        }
        for (char *slash = path; (slash = strchr(slash, '/')) != NULL;) {
            *slash = '_';
        }
        error = session_start(path, false, 0);
    }
    if (!error) {
        own = file_recording();
    } else if (error != EBUSY) {
        file_say("cannot begin the recording of a capture", error_text(error));
    }
    return !error;
}

/* Whether this range is a capture. If there is no recording, tries to begin one first. */
static bool begins(uint32_t domain, const nvtxEventAttributes_t *a) {
    char text[NAME_MOST];

    message_of(a, text);
    if (!gate_is_recording()) {
        return domain && begin_recording(text);
    }
    if (own && own == file_recording()) {
        return true;
    }
    return options.capture_message && !strcmp(text, options.capture_message);
}

void capture_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a) {
    if (!gate_is_held() && begins(domain, a)) {
        gate_hold_pushed(domain, depth);
    }
}

void capture_popped(uint32_t domain, int depth) {
    if (gate_release_popped(domain, depth)) {
        session_stop(own);
    }
}

void capture_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a) {
    if (begins(domain, a)) {
        gate_hold_started(range);
    }
}

void capture_ended(uint64_t range) {
    if (gate_release_ended(range)) {
        session_stop(own);
    }
}
