/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A function whose ends are hooks, for hooks.py, which counts the instructions of its calls. main
 * has a hook, too, which runs before anyone knows whether somebody listens. The parts can be in one
 * program, or in a program and a library. */
#define WITHOUT_HOOKS __attribute__((__no_instrument_function__))

void work(void);
void counted(int n) WITHOUT_HOOKS;
extern int done;

#ifdef PART_CALLED
int done;

void __attribute__((__noinline__)) work(void) {
    done++;
}

void __attribute__((__noinline__)) counted(int n) {
    int i;

    for (i = 0; i < n; i++)
        work();
}
#endif

#ifdef PART_MAIN
int main(void) {
    counted(CALLS);
    return done != CALLS;
}
#endif

#ifdef PART_EMPTY
void __cyg_profile_func_enter(void *function, void *caller) WITHOUT_HOOKS;
void __cyg_profile_func_exit(void *function, void *caller) WITHOUT_HOOKS;

void __cyg_profile_func_enter(void *function, void *caller) {
    (void)function;
    (void)caller;
}

void __cyg_profile_func_exit(void *function, void *caller) {
    (void)function;
    (void)caller;
}
#endif
