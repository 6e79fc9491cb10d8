/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Prints how many bytes of its stack a signal handler used for each action, minus those of a
 * handler that did nothing. */
#include "program.h"

#include <signal.h>
#include <string.h>

enum { SIZE = 1 << 18, UNTOUCHED = 0x5a };

static char stack[SIZE] __attribute__((aligned(64)));
static void (*act)(void);
static nvtxDomainHandle_t domain;

static void handler(int number) {
    (void)number;
    act();
}

static void nothing(void) {
}

static void push(void) {
    nvtxRangePushA("range");
    nvtxRangePop();
}

static void mark(void) {
    nvtxMarkA("mark");
}

static void wide(void) {
    nvtxMarkW(L"wide");
}

static void string(void) {
    nvtxDomainRegisterStringA(domain, "string");
}

static void category(void) {
    nvtxDomainNameCategoryA(domain, 7, "category");
}

static size_t measure(void (*what)(void)) {
    size_t untouched = 0;

    act = what;
    memset(stack, UNTOUCHED, SIZE);
    raise(SIGUSR1);
    while (stack[untouched] == UNTOUCHED) {
        untouched++;
    }
    return SIZE - untouched;
}

int main(void) {
    static const struct {
        const char *name;
        void (*run)(void);
    } all[] = {
        {"push", push}, {"mark", mark}, {"wide", wide}, {"string", string}, {"category", category}};
    struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK};
    stack_t other = {.ss_sp = stack, .ss_size = SIZE};

    domain = nvtxDomainCreateA("stack");
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        all[i].run(); /* the program's own functions are found by then */
    }
    sigaltstack(&other, NULL);
    sigaction(SIGUSR1, &action, NULL);
    measure(nothing);
    size_t least = measure(nothing);
    for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
        printf("%s %zu\n", all[i].name, measure(all[i].run) - least);
    }
    return 0;
}
