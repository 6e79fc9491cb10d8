/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* plugins FILE...: loads each and keeps it; then loads and unloads the first 200 times. */
#include "program.h"

#include <dlfcn.h>

static void *load(const char *file) {
    void *handle = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    MUST(handle);
    void (*plugin)(void);
    *(void **)&plugin = dlsym(handle, "plugin");
    MUST(plugin);
    plugin();
    return handle;
}

int main(int argc, char **argv) {
    for (int i = 1; i < argc; i++) {
        load(argv[i]);
    }
    for (int i = 0; i < 200; i++) {
        void *handle = load(argv[0][0] ? argv[argc - 1] : "");
        dlclose(handle);
    }
    nvtxRangePushA("in the program");
    nvtxRangePop();
    return 0;
}
