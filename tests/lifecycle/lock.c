/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A signal handler takes the lock of the linked object after each single instruction of the thread
 * that locks and unlocks it. It gets the lock, or finds that its own thread has it, and never
 * waits. */
#include "nvtxh.h"

#include "../inject/step.h"

#include <stdio.h>
#include <unistd.h>

#if STEPS
enum { MOST = 5000 };
static volatile int given, refused;

static void lock(void) {
    int cancel = 0;

    if (nvtxh_i_lock(&cancel)) {
        given++;
        nvtxh_i_unlock(cancel);
    } else {
        refused++;
    }
}

int main(void) {
    bool called = true;
    int instruction, cancel = 0;

    step_init(lock);
    if (!nvtxh_i_lock(&cancel))
        return 1;
    nvtxh_i_unlock(cancel);
    alarm(60); /* a handler that waits would wait for ever */
    /* Until the thread has given it back before the handler comes. */
    for (instruction = 1; instruction < MOST && called; instruction++) {
        bool locked;

        step_begin(instruction);
        locked = nvtxh_i_lock(&cancel);
        if (locked)
            nvtxh_i_unlock(cancel);
        called = step_end();
        if (!locked || nvtxh_i_object.lock) {
            printf("after %d instructions: %s\n", instruction, locked ? "still locked" : "no lock");
            return 1;
        }
    }
    printf("%d instructions, %d times given, %d times refused\n", instruction, given, refused);
    return instruction == MOST || given < 10 || refused < 10;
}
#else
int main(void) {
    return 0;
}
#endif
