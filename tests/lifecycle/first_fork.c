/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* first_fork ours|raw|later: the process forks while another thread is in its first annotation, in
 * a raw first call of NVTX, or in the part of a first annotation that comes after NVTX's.
 * Annotations in the child do not wait for that thread. In the last case they are recorded. With
 * the tool of first_fork_tool.c, which writes the process id of each mark to descriptor 9. */
#include "nvtxh.h"
#include "check.h"

#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <sys/wait.h>

static void *ours(void *unused) {
    NVTX_MARK("first");
    return unused;
}

static void *raw(void *unused) {
    nvtxMarkA("raw");
    return unused;
}

int main(int argc, char **argv) {
    pthread_t thread;
    pid_t child, marked = 0;
    int ends[2], status;

    check(argc == 2 && !pipe(ends) && dup2(ends[1], 9) == 9);
    close(ends[1]);
    check(!pthread_create(&thread, NULL, strcmp(argv[1], "raw") ? ours : raw, NULL));
    check(read(ends[0], &status, sizeof(status)) == sizeof(status)); /* the thread has begun */
    child = fork();
    if (!child) {
        alarm(5); /* a hang is a failure */
        NVTX_MARK("child");
        { NVTX_SCOPE("child"); }
        nvtxh_thread_name("child");
        _exit(7);
    }
    check(waitpid(child, &status, 0) == child);
    check(WIFEXITED(status) && WEXITSTATUS(status) == 7);
    check(!pthread_join(thread, NULL));
    NVTX_MARK("last");
    close(9);
    while (read(ends[0], &status, sizeof(status)) == sizeof(status))
        if (status == child)
            marked = child;
    check(marked == (strcmp(argv[1], "later") ? 0 : child));
    return 0;
}
