/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal between any two instructions of a push or a pop: each call is run step by step, over and
 * over, and the handler acts at another step each time.
 *
 *   steps events          it makes a range
 *   steps fork            it forks; the child goes on from there
 *   steps jump            it jumps out of the call for good, as siglongjmp does; marks follow, here and deeper
 *   steps jump_twice      it makes a range, and a handler that interrupts that jumps out of both
 *   steps kill            a child of its own for each step ends by SIGKILL there
 *   steps full_fork       it forks, where there is no room for events any more
 *   steps learn WHAT STRIDE [quiet]
 *                         at every such many steps of the push by which a message becomes known, it forks and makes
 *                         a range in the child, or does not
 *   steps chunk           it forks some steps before all signals are blocked for a new chunk of a ring; the child goes on
 *                         once the parent has written to that chunk
 *   steps full FILL STEP  it makes a mark at that step alone, for which there is no room: after FILL marks, in a
 *                         file that may not grow
 *
 * Says on stdout how many ranges there are of its own and of the handler's. */
#define _GNU_SOURCE /* the registers of a context, by name */
#include "program.h"

#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <ucontext.h>

#if defined(__x86_64__)

enum { STEPS = 120 /* more than a call has, or the last steps are the same */ };
#define SINGLE_STEP 0x100

static nvtxDomainHandle_t domain;
static nvtxEventAttributes_t event;
static volatile sig_atomic_t stepping, step, wanted, acted, in_child, inner;
static volatile sig_atomic_t blocked_at; /* the step that blocks signals; 0: none did */
static void (*act)(void);

static void trap(int number, siginfo_t *info, void *context) {
    ucontext_t *at = context;
    const unsigned char *next = (const unsigned char *)at->uc_mcontext.gregs[REG_RIP];

    (void)number;
    (void)info;
    /* All signals are about to be blocked, as they are for a new chunk: with this one blocked, a
     * trap would kill. */
    if (next[0] == 0x0f && next[1] == 0x05 &&
        at->uc_mcontext.gregs[REG_RAX] == SYS_rt_sigprocmask) {
        blocked_at = stepping ? step : blocked_at;
        stepping = 0;
    }
    if (stepping && step++ == wanted) {
        acted = 1;
        act();
    }
    if (!stepping || in_child) {
        at->uc_mcontext.gregs[REG_EFL] &= ~SINGLE_STEP;
    }
}

static void step_begin(void) {
    step = 0;
    stepping = 1;
    __asm__ volatile("pushfq; orq %0, (%%rsp); popfq" : : "i"(SINGLE_STEP) : "memory", "cc");
}

static void step_end(void) {
    stepping = 0;
    __asm__ volatile("nop; nop" : : : "memory");
}

static int push(int what) {
    return what ? nvtxDomainRangePushEx(domain, &event) : nvtxRangePushA("plain");
}

static int pop(int what) {
    return what ? nvtxDomainRangePop(domain) : nvtxRangePop();
}

static int around; /* ranges that are open meanwhile in the handler's domain */

static void make_range(void) {
    int depth = nvtxRangePushA("in the handler");

    MUST(depth >= around && nvtxRangePop() == depth);
}

static void make_mark(void) {
    nvtxMarkEx(&event);
}

static void fork_here(void) {
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        in_child = 1;
    } else {
        MUST(child > 0 && waitpid(child, &status, 0) == child);
        if (status) {
            fprintf(stderr, "at step %d the child ended with %x\n", (int)wanted, (unsigned)status);
            exit(1);
        }
    }
}

/* In what the fork has left: depths and all. */
static void child_goes_on(int what, bool open) {
    for (int i = 0; i < 5; i++) {
        MUST(push(what) == open);
        MUST(pop(what) == open);
    }
    MUST(!open || pop(what) == 0);
    _exit(0);
}

/* Every call is known when it is stepped through: by the short way. */
static sigjmp_buf before;

static void jump(void) {
    stepping = 0;
    siglongjmp(before, 1);
}

/* The second time it is called by the single steps of its own range. */
static void jump_twice(void) {
    if (inner) {
        jump();
    }
    inner = wanted + 1;
    wanted = wanted * 7; /* it goes the long way */
    step_begin();
    make_range();
    step_end(); /* it has fewer steps than that */
    wanted = inner - 1;
    inner = 0;
}

static void deeper(int frames) {
    volatile char frame[1500];

    frame[0] = (char)frames;
    nvtxMarkA("after a jump");
    if (frame[0]) {
        deeper(frames - 1);
    }
}

static void jumps(long *marks, long *jumped) {
    for (volatile int i = 0; i < 4 * STEPS; i++) {
        volatile int what = i / STEPS;

        for (int k = 0; k < 5; k++) {
            push(what / 2);
            pop(what / 2);
        }
        wanted = i % STEPS;
        inner = acted = 0;
        if (!sigsetjmp(before, 1)) {
            step_begin();
            what % 2 ? pop(what / 2) : push(what / 2);
            step_end();
        } else {
            ++*jumped;
        }
        deeper(4);
        *marks += 5;
    }
}

static void steps(int what, bool of_pop, long *ranges, long *handled) {
    for (wanted = 0; wanted < STEPS; wanted++) {
        int depth;

        for (int i = 0; i < 5; i++) {
            MUST(push(what) == 0 && pop(what) == 0);
        }
        acted = 0;
        if (of_pop) {
            MUST(push(what) == 0);
            step_begin();
            depth = pop(what);
            step_end();
        } else {
            step_begin();
            depth = push(what);
            step_end();
        }
        MUST(depth == 0);
        if (in_child) {
            child_goes_on(what, !of_pop);
        }
        MUST(of_pop || pop(what) == 0);
        *ranges += 6;
        *handled += acted;
    }
}

static void fork_and_make_range(void) {
    fork_here();
    if (in_child) {
        make_range();
    }
}

static int learned;

/* In a thread without presets: the second push with a message makes one. */
static void *learn(void *unused) {
    (void)unused;
    MUST(push(learned) == 0 && pop(learned) == 0);
    step_begin();
    int depth = push(learned);
    step_end();
    MUST(depth == 0);
    if (in_child) { /* a half-made preset must not match a push without a message */
        nvtxEventAttributes_t none = with_text(NULL);

        none.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        for (int i = 0; i < 3; i++) {
            MUST(nvtxRangePushEx(&none) == !learned && nvtxRangePop() == !learned);
            MUST(push(learned) == 1 && pop(learned) == 1);
        }
        MUST(pop(learned) == 0);
        _exit(0);
    }
    MUST(pop(learned) == 0);
    return NULL;
}

/* The preset is at the first place, where a push without a message looks, too. One string of 512 is
 * there. */
static void learns(int stride, long *handled) {
    enum { PLACES = 512, NUMBER_SHIFT = 4 };
    char text[24];

    for (int i = 0; i < PLACES; i++) {
        snprintf(text, sizeof(text), "registered %d", i);
        event.message.registered = nvtxDomainRegisterStringA(domain, text);
        if (((uintptr_t)event.message.registered >> NUMBER_SHIFT) % PLACES == 0) {
            break;
        }
        MUST(i < PLACES - 1);
    }
    wanted = 0;
    do {
        acted = 0;
        in_new_stream(learn, NULL);
        *handled += acted;
        wanted += stride;
    } while (acted);
}

static void die(void) {
    kill(getpid(), SIGKILL);
}

/* The push that is killed has the same payload as those before it. */
static void kills(long *ranges, long *killed) {
    event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    event.payload.llValue = 42;
    for (int i = 0; i < 4 * STEPS; i++) {
        int what = i / STEPS / 2, of_pop = i / STEPS % 2, status;
        pid_t child = fork();

        if (child == 0) {
            for (int k = 0; k < 5; k++) {
                push(what);
                pop(what);
            }
            if (of_pop) {
                push(what);
            }
            wanted = i % STEPS;
            step_begin();
            of_pop ? pop(what) : push(what);
            step_end();
            _exit(0); /* it had fewer steps */
        }
        MUST(child > 0 && waitpid(child, &status, 0) == child);
        *killed += WIFSIGNALED(status);
        *ranges += 5;
    }
}

/* Without room from the first event on, and later. */
static void full_fork(void) {
    struct rlimit none = {1, 1};

    for (int i = 0; i < 5; i++) {
        push(0);
        pop(0);
    }
    setrlimit(RLIMIT_FSIZE, &none);
    for (int what = 0; what < 2; what++) {
        for (wanted = 0; wanted < 4 * STEPS; wanted += 3) {
            if (wanted == STEPS * 2) { /* it is full now */
                for (int i = 0; i < 2000; i++) {
                    make_mark();
                }
            }
            push(what);
            step_begin();
            pop(what);
            step_end();
            if (in_child) {
                child_goes_on(what, false);
            }
        }
    }
}

static int wait_here[2];

static void fork_and_wait(void) {
    char none;
    pid_t child = fork();

    MUST(child >= 0);
    if (child == 0) {
        in_child = 1;
        close(wait_here[1]);
        MUST(read(wait_here[0], &none, 1) == 0);
    }
}

static void numbered_marks(int count) {
    for (int i = 0; i < count; i++) {
        nvtxMarkEx(&event);
        event.payload.ullValue++;
    }
}

/* Steps through marks up to one that needs a new chunk, or that the handler has acted in: how many
 * there were. */
static int step_to_chunk(void) {
    int count = 0;

    blocked_at = acted = 0;
    for (; count < 2000 && !blocked_at && !acted; count++) {
        step_begin();
        numbered_marks(1);
        step_end();
    }
    return count;
}

static void chunk(void) {
    enum { TRIED = 10, BETWEEN = 4, AFTER = 100 };
    int status;

    event.payloadType = NVTX_PAYLOAD_TYPE_UNSIGNED_INT64;
    numbered_marks(20000); /* the ring has been round */
    wanted = -1;
    step_to_chunk();
    int marks = step_to_chunk(), last_step = blocked_at;
    for (int i = 0; i < TRIED; i++) {
        numbered_marks(marks - 3 - (i ? AFTER : 0));
        MUST(pipe(wait_here) == 0);
        wanted = last_step - 1 - BETWEEN * i;
        step_to_chunk();
        MUST(acted);
        if (in_child) {
            nvtxMarkA("of the child");
            _exit(0);
        }
        numbered_marks(AFTER);
        close(wait_here[0]);
        close(wait_here[1]);
        MUST(wait(&status) > 0 && status == 0);
    }
}

static void full(int fill, int at_step) {
    struct rlimit none = {1, 1};

    wanted = at_step;
    for (int i = 0; i < 5; i++) {
        push(0);
        pop(0);
    }
    setrlimit(RLIMIT_FSIZE, &none);
    for (int i = 0; i < fill; i++) {
        make_mark();
    }
    push(0);
    step_begin();
    pop(0);
    step_end();
    for (int i = 0; i < 5000; i++) {
        push(0);
        pop(0);
    }
}

int main(int argc, char **argv) {
    struct sigaction action = {.sa_sigaction = trap, .sa_flags = SA_SIGINFO};
    long ranges = 0, handled = 0;

    domain = nvtxDomainCreateA("steps");
    event = with_text(NULL);
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain, "registered");
    sigaction(SIGTRAP, &action, NULL);
    if (!strcmp(argv[1], "full")) {
        act = make_mark;
        full(atoi(argv[2]), atoi(argv[3]));
        return 0;
    }
    if (!strcmp(argv[1], "chunk")) {
        act = fork_and_wait;
        chunk();
        return 0;
    }
    if (!strcmp(argv[1], "learn")) {
        learned = atoi(argv[2]);
        act = argc < 5 ? fork_and_make_range : fork_here;
        learns(atoi(argv[3]), &handled);
        printf("%ld\n", handled);
        return 0;
    }
    if (!strcmp(argv[1], "kill")) {
        act = die;
        kills(&ranges, &handled);
        printf("%ld %ld\n", ranges, handled);
        return 0;
    }
    if (!strcmp(argv[1], "full_fork")) {
        act = fork_here;
        full_fork();
        return 0;
    }
    if (!strncmp(argv[1], "jump", 4)) {
        action.sa_flags |= SA_NODEFER;
        sigaction(SIGTRAP, &action, NULL);
        act = strcmp(argv[1], "jump") ? jump_twice : jump;
        jumps(&ranges, &handled);
        printf("%ld %ld\n", ranges, handled);
        return 0;
    }
    act = strcmp(argv[1], "fork") ? make_range : fork_here;
    for (int what = 0; what < 4; what++) {
        if (what == 2 && act == make_range) {
            MUST(nvtxRangePushA("plain") == 0);
            around = 1;
            ranges++;
        }
        steps(what / 2, what % 2, &ranges, &handled);
    }
    MUST(!around || nvtxRangePop() == 0);
    printf("%ld %ld\n", ranges, handled);
    return 0;
}

#else

int main(void) {
    return 77;
}

#endif
