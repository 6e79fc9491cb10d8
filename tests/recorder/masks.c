/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* masks [RANGES]: makes enough ranges for the recorder to begin a thread of its own. Prints the
 * signals that are blocked in this thread, before and after, and in the recorder's if there is one. */
#include "program.h"

#include <dirent.h>
#include <signal.h>
#include <string.h>

static unsigned long long blocked(const char *thread) {
    char path[300], line[200];
    unsigned long long bits = 0;

    snprintf(path, sizeof(path), "/proc/self/task/%s/status", thread);
    FILE *f = fopen(path, "r");
    MUST(f);
    while (fgets(line, sizeof(line), f)) {
        sscanf(line, "SigBlk: %llx", &bits);
    }
    fclose(f);
    return bits;
}

static void own(char ret_name[16]) {
    snprintf(ret_name, 16, "%d", (int)getpid());
}

/* Finds another thread of this process. */
static int other(char ret_name[300]) {
    char mine[16];
    DIR *all = opendir("/proc/self/task");
    int found = 0;

    own(mine);
    MUST(all);
    for (struct dirent *e; (e = readdir(all)) != NULL;) {
        if (e->d_name[0] != '.' && strcmp(e->d_name, mine) != 0) {
            snprintf(ret_name, 300, "%s", e->d_name);
            found = 1;
        }
    }
    closedir(all);
    return found;
}

int main(int argc, char **argv) {
    char mine[16], theirs[300];

    own(mine);
    unsigned long long before = blocked(mine);
    for (int i = 0; i < (argc > 1 ? atoi(argv[1]) : 100000); i++) {
        nvtxRangePushA("range");
        nvtxRangePop();
    }
    if (!other(theirs)) {
        printf("%llx %llx\n", before, blocked(mine));
        return 0;
    }
    /* The C library begins a thread with all signals blocked, and then gives it the mask that it
     * should have. */
    for (int i = 0; i < 5000 && blocked(theirs) >> (SIGSYS - 1) & 1; i++) {
        usleep(1000);
    }
    printf("%llx %llx %llx\n", before, blocked(mine), blocked(theirs));
    return 0;
}
