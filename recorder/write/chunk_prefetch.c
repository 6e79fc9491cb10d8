/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chunk_prefetch.h"
#include "file.h"
#include "memory.h"
#include "options.h"

#include <elf.h>
#include <errno.h>
#include <link.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

/* --- whether a thread may be made ------------------------------------------------------------- */

struct symbols {
    const ElfW(Sym) * all, *end;
    const char *texts;
    size_t texts_size;
};

/* The end of the segment that contains an address; 0: no segment does. */
static uintptr_t end_of_segment(const struct dl_phdr_info *object, uintptr_t address) {
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        uintptr_t begin = object->dlpi_addr + p->p_vaddr;
        if (p->p_type == PT_LOAD && address >= begin && address - begin < p->p_memsz) {
            return begin + p->p_memsz;
        }
    }
    return 0;
}

/* Finds an object's table of symbols. ELF does not store its end. Linkers place the table of names
 * after the symbols, in the same segment. If the names are there, the symbols are assumed to end
 * where the names begin; otherwise (patchelf moves the names) where the segment ends. */
static struct symbols symbols_of(const struct dl_phdr_info *object, const ElfW(Dyn) * dynamic) {
    uintptr_t all = 0, texts = 0;
    struct symbols s = {0};

    for (; dynamic->d_tag != DT_NULL; dynamic++) {
        uintptr_t address = dynamic->d_un.d_ptr;
        address += address < object->dlpi_addr ? object->dlpi_addr : 0; /* musl stores an offset */
        if (dynamic->d_tag == DT_SYMTAB) {
            all = address;
        } else if (dynamic->d_tag == DT_STRTAB) {
            texts = address;
        } else if (dynamic->d_tag == DT_STRSZ) {
            s.texts_size = dynamic->d_un.d_val;
        }
    }
    uintptr_t end = end_of_segment(object, all), texts_end = end_of_segment(object, texts);
    if (end && texts_end && s.texts_size <= texts_end - texts) {
        end = texts > all && texts < end ? texts : end;
        s.all = (const void *)all; /* NOLINT(performance-no-int-to-ptr) */
        s.end = s.all + (end - all) / sizeof(*s.all);
        s.texts = (const void *)texts; /* NOLINT(performance-no-int-to-ptr) */
    }
    return s;
}

static bool needs(const struct symbols *s) {
    for (const ElfW(Sym) *symbol = s->all; symbol < s->end; symbol++) {
        const char *name = s->texts + symbol->st_name;
        if (symbol->st_shndx == SHN_UNDEF && symbol->st_name < s->texts_size &&
            (!strcmp(name, "unshare") || !strcmp(name, "setns"))) {
            return true;
        }
    }
    return false;
}

static int look_at_object(struct dl_phdr_info *object, size_t size, void *unused) {
    (void)size;
    (void)unused;
    for (int i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        if (p->p_type == PT_DYNAMIC) {
            uintptr_t address = object->dlpi_addr + p->p_vaddr;
            /* NOLINTNEXTLINE(performance-no-int-to-ptr) */
            struct symbols s = symbols_of(object, (const void *)address);
            return needs(&s);
        }
    }
    return 0;
}

/* Whether the program or a loaded library imports unshare or setns. If so, the recorder makes no
 * thread, because the kernel refuses a user namespace to a process with more than one thread.
 * Direct system calls are not detected. Takes the lock of the dynamic loader. */
static bool namespaces_wanted(void) {
    return dl_iterate_phdr(look_at_object, NULL) != 0;
}

/* --- the thread ------------------------------------------------------------------------------- */

enum { NONE, STARTING, RUNNING, STOPPING, OVER }; /* OVER: no thread is made any more */
/* The fewest and the most chunks that are kept ready; bytes of the thread's stack. */
enum { FEWEST = 2, MOST = 16, STACK = 256 << 10 };

/* Wiped in forked children, which have neither the thread nor its chunks. */
static struct prefetch {
    uint32_t state;
    uint32_t bell;      /* counts the calls of ring(); the thread waits on it (futex) */
    uint32_t wanted;    /* how many chunks are to be ready */
    uint32_t users;     /* threads that record */
    uint32_t recording; /* the recording that the thread works for */
    pthread_t thread;
    void *ready[MOST], *old[MOST]; /* chunks made ahead; chunks to be unmapped */
} * prefetch;
static pid_t pid;

bool chunk_prefetch_init(void) {
    prefetch = wiped_memory_share(sizeof(*prefetch));
    pid = getpid();
    return prefetch != NULL;
}

static uint32_t count_ready(void) {
    uint32_t n = 0;

    for (size_t i = 0; i < MOST; i++) {
        n += __atomic_load_n(&prefetch->ready[i], __ATOMIC_RELAXED) != NULL;
    }
    return n;
}

static void ring(void) {
    __atomic_fetch_add(&prefetch->bell, 1, __ATOMIC_RELEASE);
    syscall(SYS_futex, &prefetch->bell, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The thread's function. Reports no failure: the next thread of the program that needs a chunk
 * tries to make one, and reports why that fails. */
static void *work(void *arg) {
    int fd = file_own_descriptor();
    bool failed = false, refused = false;

    (void)arg;
    pthread_setname_np(pthread_self(), "nvtxh-record");
    for (;;) {
        uint32_t bell = __atomic_load_n(&prefetch->bell, __ATOMIC_ACQUIRE);
        uint32_t state = __atomic_load_n(&prefetch->state, __ATOMIC_ACQUIRE);
        struct rec_chunk *chunk;
        if (state != STARTING && state != RUNNING) {
            break;
        }
        if (!failed && count_ready() < __atomic_load_n(&prefetch->wanted, __ATOMIC_RELAXED)) {
            chunk = file_alloc_chunk(prefetch->recording, fd, CHUNK_PREFETCH_SIZE, false);
            failed = !chunk;
            refused = failed && errno == EUSERS;
            if (chunk) {
                free_list_put(prefetch->ready, MOST,
                              chunk); /* does not fail: only this thread adds */
            }
        } else if ((chunk = free_list_get(prefetch->old, MOST)) != NULL) {
            munmap(chunk, CHUNK_PREFETCH_SIZE);
        } else {
            syscall(SYS_futex, &prefetch->bell, FUTEX_WAIT_PRIVATE, bell, NULL, NULL, 0);
            failed = failed && !refused; /* after EUSERS, tries again: mappings may be gone */
        }
    }
    return NULL; /* the kernel closes fd with this thread's own table of descriptors */
}

/* True if `now`, the blocked signals, has none from 1 to 31. Then no handler of these signals runs:
 * the kernel blocks a signal while its handler runs, but with SA_NODEFER. A handler must not
 * allocate the memory for a new thread. */
static bool is_usual(const sigset_t *now) {
    for (int i = 1; i < 32; i++) {
        if (sigismember(now, i)) {
            return false;
        }
    }
    return true;
}

static __attribute__((noinline)) void start_thread(uint32_t recording) {
    uint32_t state = NONE;
    pthread_attr_t attributes;
    sigset_t all, old;

    if (pid != getpid() || !__atomic_compare_exchange_n(&prefetch->state, &state, STARTING, false,
                                                        __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return;
    }
    sigfillset(&all);
    sigdelset(&all, SIGSYS); /* see block_signals.h */
    pthread_sigmask(SIG_SETMASK, &all, &old);
    state = NONE;
    if (options.no_thread || (is_usual(&old) && namespaces_wanted())) {
        state = OVER;
    } else if (is_usual(&old) && pthread_attr_init(&attributes) == 0) {
        __atomic_store_n(&prefetch->wanted, FEWEST, __ATOMIC_RELAXED);
        prefetch->recording = recording;
        pthread_attr_setstacksize(&attributes, STACK);
        bool made = pthread_create(&prefetch->thread, &attributes, work, NULL) == 0;
        state = made ? RUNNING : OVER;
        pthread_attr_destroy(&attributes);
    }
    __atomic_store_n(&prefetch->state, state, __ATOMIC_RELEASE);
    pthread_sigmask(SIG_SETMASK, &old, NULL);
}

struct rec_chunk *chunk_prefetch_get(uint32_t recording) {
    if (!prefetch || recording != file_recording()) {
        return NULL;
    }
    uint32_t state = __atomic_load_n(&prefetch->state, __ATOMIC_ACQUIRE);
    if (state == NONE) {
        start_thread(recording);
    }
    if (state != RUNNING || prefetch->recording != recording) {
        return NULL;
    }
    struct rec_chunk *chunk = free_list_get(prefetch->ready, MOST);
    uint32_t wanted = __atomic_load_n(&prefetch->wanted, __ATOMIC_RELAXED);
    if (!chunk && wanted < MOST) {
        __atomic_store_n(&prefetch->wanted, wanted * 2, __ATOMIC_RELAXED);
    }
    ring();
    return chunk;
}

void chunk_prefetch_release(struct rec_chunk *chunk, size_t size) {
    if (!prefetch || size != CHUNK_PREFETCH_SIZE ||
        __atomic_load_n(&prefetch->state, __ATOMIC_ACQUIRE) != RUNNING ||
        !free_list_put(prefetch->old, MOST, chunk)) {
        munmap(chunk, size);
    }
}

static bool stop(uint32_t state) {
    uint32_t running = RUNNING;

    if (!prefetch || !__atomic_compare_exchange_n(&prefetch->state, &running, state, false,
                                                  __ATOMIC_ACQ_REL, __ATOMIC_RELAXED)) {
        return false;
    }
    ring();
    return true;
}

void chunk_prefetch_enter(void) {
    if (prefetch) {
        __atomic_fetch_add(&prefetch->users, 1, __ATOMIC_RELAXED);
    }
}

void chunk_prefetch_leave(void) {
    if (prefetch && __atomic_sub_fetch(&prefetch->users, 1, __ATOMIC_ACQ_REL) == 0 &&
        stop(STOPPING)) {
        pthread_join(prefetch->thread, NULL);
        __atomic_store_n(&prefetch->state, NONE, __ATOMIC_RELEASE);
    }
}

void chunk_prefetch_stop(void) {
    struct rec_chunk *chunk;

    if (!prefetch) {
        return;
    }
    if (stop(STOPPING)) {
        pthread_join(prefetch->thread, NULL);
    }
    while ((chunk = free_list_get(prefetch->ready, MOST)) ||
           (chunk = free_list_get(prefetch->old, MOST))) {
        munmap(chunk, CHUNK_PREFETCH_SIZE);
    }
    __atomic_store_n(&prefetch->state, NONE, __ATOMIC_RELEASE);
}

void chunk_prefetch_end(void) {
    if (stop(OVER)) {
        pthread_detach(prefetch->thread);
    }
}
