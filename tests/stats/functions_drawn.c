/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Calls functions as a script says, and changes meanwhile which of them are shown:
 * functions_drawn.py draws scripts, and says how often each function must have been counted. All
 * functions have frames of one size. */
#include "nvtxh.h"
#include "nvtxh/instrument.h"
#include "nvtxh/stats.h"

#include <alloca.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>

#define UNSEEN __attribute__((__no_instrument_function__))

struct op {
    char what, text[63];
};

static struct op *ops;
static size_t n_ops, at;
static jmp_buf catching[64];
static int n_catching;

UNSEEN static void run(void);

UNSEEN static void run_deeper(void) {
    char *volatile room = (char *)alloca(150000);

    room[0] = 0;
    run();
}

UNSEEN static void run_catching(void) {
    const int n = ++n_catching;

    (void)setjmp(catching[n]);
    n_catching = n;
    run();
    n_catching = n - 1;
}

static void a(void) {
    run();
}

static void b(void) {
    run();
}

static void ab(void) {
    run();
}

static void ba(void) {
    run();
}

static void abc(void) {
    run();
}

static void deep(void) {
    run_deeper();
}

static void catches(void) {
    run_catching();
}

UNSEEN static void *run_thread(void *unused) {
    run();
    return unused;
}

UNSEEN static void in_thread(void) {
    const int n = n_catching;
    pthread_t thread;

    if (pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL))
        abort();
    n_catching = n;
}

UNSEEN static void run(void) {
    static void (*const functions[])(void) = {a, b, ab, ba, abc, deep, catches};

    while (at < n_ops) {
        const struct op *op = &ops[at++];

        switch (op->what) {
        case 'c': /* calls a function */
            functions[atoi(op->text)]();
            break;
        case 'e': /* ends a function, or a thread */
            return;
        case 'j': /* leaves all functions in the innermost that catches */
            longjmp(catching[n_catching], 1);
        case 't':
            in_thread();
            break;
        case 'F':
            nvtxh_instrument_filter(op->text);
            break;
        case 'D':
            nvtxh_instrument_depth((unsigned)atoi(op->text));
            break;
        case 'M':
            nvtxh_instrument_min(strtoull(op->text, NULL, 10));
            break;
        case 'E':
            nvtxh_enable(atoi(op->text));
            break;
        }
    }
}

UNSEEN int main(int argc, char **argv) {
    FILE *script = argc == 2 ? fopen(argv[1], "r") : NULL;
    char line[80];

    if (!script)
        return 2;
    ops = (struct op *)calloc(2000, sizeof(*ops));
    while (fgets(line, sizeof(line), script) && n_ops < 2000) {
        sscanf(line, "%c %62s", &ops[n_ops].what, ops[n_ops].text);
        n_ops++;
    }
    fclose(script);
    run();
    (void)nvtxh_listening(); /* so that a table is written even if all was paused */
    return 0;
}
