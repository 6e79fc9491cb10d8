/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* gated NVTXH: does what each line of stdin says, in one of four threads: THREAD WHAT NUMBER DOMAIN
 * LOOKS. Domain 0 is the default domain. The message is the number, or one of messages[]; from
 * USUAL on, the event has further attributes, and from NAMED on its message is registered. The
 * number is also the payload of a process range.
 *
 *   m mark    p push    o pop    s begin process range NUMBER    e end it    l 2000 pushes and pops
 *   h mark whose text may not be read: where the recorder reads it, a signal handler does what the
 *     further lines of the thread say, up to r
 *   t the thread ends, and another goes on
 *   b begin recording NUMBER, of this program itself    x stop it
 *   n take the snapshot NUMBER.snap of it, by the command NVTXH
 *   q ask to pause or to resume, as another process does, from 2^62 + NUMBER ticks on
 *   f fork: the child makes a mark, four pops, outside of the handler a mark and a range "held" with a
 *     mark, and ends by _exit, or by exit if LOOKS. Only its parent says when the recording ended.
 *
 * At the end, no file of a recording is open, none but the first part of the last is mapped, and no
 * thread is left but those that are the program's own. */
#include "program.h"

#include "nvtxh_record.h"

#include <dirent.h>
#include <fcntl.h>
#include <semaphore.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

enum { THREADS = 4, RANGES = 1 << 12, PAGE = 1 << 16 };
enum { END = 64, PAUSES = 1408, PAUSED = 1416 }; /* in the header: see FORMAT.md */

enum { NUMBER, USUAL = 2, NAMED, LOOKS = 5 };
static const char *const messages[LOOKS] = {"", "held", "usual", "named", "held"};
static struct {
    char what;
    int number, domain, looks;
} line;

static nvtxDomainHandle_t domains[2];
static nvtxStringHandle_t registered[2][LOOKS];
static nvtxRangeId_t ranges[RANGES];
static struct worker {
    pthread_t thread;
    sem_t begin;
    char *text; /* of its mark h */
    bool over;
} workers[THREADS];
static __thread struct worker *self;
static __thread bool in_handler;
static bool is_child;
static sem_t done;
static const char *path; /* of the recording under way, or NULL */
static char *command;    /* nvtxh */

static char *header_map(void) {
    int fd = open(path, O_RDWR);
    char *header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    MUST(header != MAP_FAILED);
    close(fd);
    return header;
}

static bool has_end(void) {
    char *header = header_map();
    bool has = *(uint64_t *)(void *)(header + END) != 0;

    munmap(header, 4096);
    return has;
}

static void ask_pause(uint64_t ticks) {
    char *header = header_map();
    uint32_t *pauses = (uint32_t *)(void *)(header + PAUSES);
    uint64_t *moments =
        (uint64_t *)(void *)(header + PAUSED); /* of the last 64 pauses and resumptions */

    moments[*pauses % 64] = ticks;
    __atomic_fetch_add(pauses, 1, __ATOMIC_RELEASE);
    munmap(header, 4096);
}

static void make_event(char what, const char *text) {
    nvtxDomainHandle_t d = domains[line.domain];
    nvtxEventAttributes_t a = with_text(text);

    if (line.looks >= USUAL) {
        a.colorType = NVTX_COLOR_ARGB;
        a.color = 0xff112233;
        a.category = 5;
    }
    if (line.looks >= NAMED) {
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = registered[line.domain][line.looks];
    }
    if (what == 's' || line.looks >= USUAL) {
        a.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
        a.payload.ullValue = (uint64_t)line.number;
    }
    switch (what) {
    case 'm':
        d ? nvtxDomainMarkEx(d, &a) : nvtxMarkEx(&a);
        break;
    case 'p':
        d ? nvtxDomainRangePushEx(d, &a) : nvtxRangePushEx(&a);
        break;
    case 'o':
        d ? nvtxDomainRangePop(d) : nvtxRangePop();
        break;
    case 's':
        ranges[line.number] = d ? nvtxDomainRangeStartEx(d, &a) : nvtxRangeStartEx(&a);
        break;
    case 'e':
        d ? nvtxDomainRangeEnd(d, ranges[line.number]) : nvtxRangeEnd(ranges[line.number]);
        break;
    default:
        MUST(false);
    }
}

static void take_snapshot(void) {
    extern char **environ;
    char name[32];
    char *const arguments[] = {command, "snapshot", "-o", name, (char *)path, NULL};
    pid_t child;
    int status;

    snprintf(name, sizeof(name), "%d.snap", line.number);
    MUST(posix_spawn(&child, command, NULL, NULL, arguments, environ) == 0);
    MUST(waitpid(child, &status, 0) == child && status == 0);
}

/* The recorder reads the text in the middle of the event, if it records it. */
static void make_interrupted(void) {
    int number = line.number;

    snprintf(self->text, 16, "%d", number);
    MUST(mprotect(self->text, PAGE, PROT_NONE) == 0);
    make_event('m', self->text);
    MUST(mprotect(self->text, PAGE, PROT_READ | PROT_WRITE) == 0);
}

static void end_child(void) {
    make_event('m', "second");
    make_event('p', "held");
    make_event('m', "third");
    make_event('o', "");
    line.looks ? exit(0) : _exit(0);
}

/* Lets the thread of the next line go on; main after the last. */
static void go_on(void) {
    int thread;
    bool read =
        scanf("%d %c %d %d %d", &thread, &line.what, &line.number, &line.domain, &line.looks) == 5;

    sem_post(read ? &workers[thread].begin : &done);
}

static void *work(void *arg);

static void *succeed(void *arg) {
    struct worker *w = arg;

    MUST(pthread_join(w->thread, NULL) == 0);
    w->thread = pthread_self();
    go_on();
    return work(w);
}

static void carry_out(void) {
    static char name[32];
    pthread_t successor;
    char text[16];

    snprintf(text, sizeof(text), line.looks ? messages[line.looks] : "%d", line.number);
    switch (line.what) {
    case 'b':
        snprintf(name, sizeof(name), "%d.nvtxh", line.number);
        path = name;
        MUST(nvtxh_record_start(path) == 0);
        break;
    case 'x':
        MUST(nvtxh_record_stop() == 0 && has_end());
        path = NULL;
        break;
    case 'q':
        ask_pause((UINT64_C(1) << 62) + (uint64_t)line.number);
        break;
    case 'f': {
        pid_t child = fork();
        if (child == 0) {
            make_event('m', "first");
            for (int i = 0; i < 4; i++) {
                make_event('o', "");
            }
            is_child = true;
            if (in_handler) {
                return;
            }
            end_child();
        }
        MUST(waitpid(child, NULL, 0) == child && (!path || !has_end()));
        break;
    }
    case 'h':
        make_interrupted();
        break;
    case 't':
        self->over = true;
        MUST(pthread_create(&successor, NULL, succeed, self) == 0);
        break;
    case 'n':
        take_snapshot();
        break;
    case 'r':
        break;
    case 'l':
        for (int i = 0; i < 2000; i++) {
            make_event('p', "load");
            make_event('o', "");
        }
        break;
    default:
        make_event(line.what, text);
    }
}

static void on_fault(int number) {
    (void)number;
    MUST(mprotect(self->text, PAGE, PROT_READ | PROT_WRITE) == 0);
    in_handler = true;
    do {
        go_on();
        sem_wait(&self->begin);
        carry_out();
    } while (line.what != 'r' && !is_child);
    in_handler = false;
}

static void *work(void *arg) {
    self = arg;
    for (self->over = false; !self->over;) {
        sem_wait(&self->begin);
        if (!line.what) {
            break;
        }
        carry_out();
        if (is_child) {
            end_child();
        }
        if (!self->over) {
            go_on();
        }
    }
    return NULL;
}

/* How many entries a folder has, or lines with `text` a file. */
static int count(const char *where, const char *text) {
    char one[4096];
    int n = 0;
    DIR *folder = text ? NULL : opendir(where);
    FILE *file = text ? fopen(where, "r") : NULL;

    while (folder ? readdir(folder) != NULL : fgets(one, sizeof(one), file) != NULL) {
        n += !text || strstr(one, text);
    }
    folder ? closedir(folder) : fclose(file);
    return n;
}

int main(int argc, char **argv) {
    struct sigaction fault = {.sa_handler = on_fault};
    int files = count("/proc/self/fd", NULL);

    MUST(argc == 2 && sigaction(SIGSEGV, &fault, NULL) == 0);
    command = argv[1];
    domains[1] = nvtxDomainCreateA("other");
    for (int i = NAMED; i < LOOKS; i++) {
        registered[0][i] = nvtxDomainRegisterStringA(NULL, messages[i]);
        registered[1][i] = nvtxDomainRegisterStringA(domains[1], messages[i]);
    }
    sem_init(&done, 0, 0);
    for (int i = 0; i < THREADS; i++) {
        struct worker *w = &workers[i];
        sem_init(&w->begin, 0, 0);
        w->text = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        MUST(w->text != MAP_FAILED && pthread_create(&w->thread, NULL, work, w) == 0);
    }
    go_on();
    sem_wait(&done);
    line.what = 0;
    for (int i = 0; i < THREADS; i++) {
        sem_post(&workers[i].begin);
        pthread_join(workers[i].thread, NULL);
    }
    MUST(count("/proc/self/fd", NULL) == files + (path != NULL));
    MUST(path || count("/proc/self/maps", ".nvtxh") == 1);
    while (!path && count("/proc/self/task", NULL) > 3) { /* the kernel may still have some */
        sched_yield();
    }
    return 0;
}
