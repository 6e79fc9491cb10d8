/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* sharing A B: two shared objects and the program use the same domain name, each in an object of
 * its own. Each registers it with the tool once. Needs the logging tool. */
#include "nvtxh.h"
#include "check.h"

#include <dlfcn.h>

NVTX_DOMAIN(plugin, "plugin");
NVTX_CATEGORY(work, &plugin, "work");

int main(int argc, char **argv) {
    int i, turn;

    check(argc == 3);
    for (i = 1; i < argc; i++) {
        void *object = dlopen(argv[i], RTLD_NOW | RTLD_GLOBAL);
        int (*run)(int);

        check(object);
        *(void **)&run = dlsym(object, "plugin_run");
        check(run);
        for (turn = 0; turn < 5; turn++)
            check(run(2) == 2);
    }
    check(!log_count(LOG_PUSH, NULL, "of the program"));
    for (turn = 0; turn < 5; turn++) {
        NVTX_SCOPE("of the program", .domain = &plugin, .category = &work);
    }
    check(log_count(LOG_INIT, NULL, NULL) == 3);
    check(log_count(LOG_DOMAIN, NULL, "plugin") == 3);
    check(log_count(LOG_CATEGORY, "plugin", "work") == 3);
    check(log_count(LOG_STRING, "plugin", "run") == 2);
    check(log_count(LOG_STRING, "plugin", "of the program") == 1);
    check(log_count(LOG_PUSH, "plugin", "run") == 10);
    check(log_count(LOG_PUSH, "plugin", "of the program") == 5);
    check_balance();
    return 0;
}
