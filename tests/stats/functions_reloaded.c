/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* functions_reloaded PLUGIN_0.so PLUGIN_1.so...: loads, calls and closes one after the other. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

int main(int argc, char **argv) {
    int i;

    for (i = 1; i < argc; i++) {
        void *plugin = dlopen(argv[i], RTLD_NOW | RTLD_LOCAL), *found;
        void (*function)(void);
        char name[32];

        snprintf(name, sizeof(name), "plugin_%d", i - 1);
        found = plugin ? dlsym(plugin, name) : NULL;
        if (!found)
            return 1;
        memcpy(&function, &found, sizeof(found));
        function();
        dlclose(plugin);
    }
    return 0;
}
