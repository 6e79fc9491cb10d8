/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/*
 * plugins N FILE...: loads each file, calls it and unloads it, N times. It is gone after each time,
 * and the process stops growing after the first quarter.
 */
#include "nvtxh.h"
#include "check.h"

#include <dlfcn.h>

static void once(const char *path) {
    void *object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    int (*run)(int);

    if (!object)
        fprintf(stderr, "%s\n", dlerror());
    check(object);
    *(void **)&run = dlsym(object, "plugin_run");
    check(run && run(3) == 3);
    check(!dlclose(object));
    object = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
    check(!object); /* it is gone */
}

int main(int argc, char **argv) {
    int i, k, n = atoi(argv[1]);
    long before = 0, after;

    check(argc > 2);
    for (i = 0; i < n; i++) {
        NVTX_SCOPE("turn");

        if (i == n / 4)
            before = resident();
        for (k = 2; k < argc; k++)
            once(argv[k]);
    }
    after = resident();
    printf("%ld KiB, later %ld KiB\n", before, after);
    /* a page that stays each time is more than 2000 */
    check(after - before < 500 || getenv("NVTXH_TEST_GROWS"));
    return 0;
}
