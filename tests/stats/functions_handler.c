/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Instrumented functions whose first call is in a signal handler that has interrupted malloc.
 * Prints how often the handler called malloc, which must be 0. */
#include "../inject/own_malloc.h"

#include <pthread.h>
#include <stdio.h>

/* Enough for the table to grow twice. */
/* clang-format off */
#define TEN(of, n) of(n##0) of(n##1) of(n##2) of(n##3) of(n##4) of(n##5) of(n##6) of(n##7) of(n##8) of(n##9)
#define HUNDRED(of, n) \
    TEN(of, n##0) TEN(of, n##1) TEN(of, n##2) TEN(of, n##3) TEN(of, n##4) \
    TEN(of, n##5) TEN(of, n##6) TEN(of, n##7) TEN(of, n##8) TEN(of, n##9)
#define ALL(of) \
    HUNDRED(of, 1) HUNDRED(of, 2) HUNDRED(of, 3) HUNDRED(of, 4) HUNDRED(of, 5) HUNDRED(of, 6) \
    HUNDRED(of, 7) HUNDRED(of, 8) HUNDRED(of, 9) HUNDRED(of, 10) HUNDRED(of, 11)
/* clang-format on */

#define DEFINE(n)                                                                                  \
    static void f##n(void) {                                                                       \
    }
#define NAME(n) f##n,
ALL(DEFINE)
static void (*const all[])(void) = {ALL(NAME)};

#ifdef __cplusplus
namespace space {
struct thing {
    void of_thing(int) const;
};
void thing::of_thing(int) const {
}
} // namespace space

template <typename type>
static void of_template(type) {
}

static void in_cpp(void) {
    const space::thing thing = space::thing();

    thing.of_thing(1);
    of_template(1);
}
#else
static void in_cpp(void) {
}
#endif

/* Deeper than a thread's first stack of functions. */
static void deep(int n) {
    if (n)
        deep(n - 1);
}

static void handler(int number) {
    size_t i;

    (void)number;
    deep(1000);
    in_cpp();
    for (i = 0; i < sizeof(all) / sizeof(all[0]); i++)
        all[i]();
}

QUIET static void *step(void *arg) {
    void *volatile memory;

    armed = 1;
    memory = malloc(100);
    free(memory);
    return arg;
}

static void before(void) {
}

QUIET int main(void) {
    struct sigaction action;
    pthread_t thread;

    before();
    sigemptyset(&action.sa_mask);
    action.sa_flags = 0;
    action.sa_handler = handler;
    sigaction(SIGUSR1, &action, NULL);
    step(NULL);
    if (pthread_create(&thread, NULL, step, NULL) || pthread_join(thread, NULL))
        return 1;
    printf("%d\n", (int)calls);
    return 0;
}
