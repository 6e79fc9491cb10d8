/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Compiled with -finstrument-functions, and nothing else is done to it: recursion, a static
 * function, threads, a child. */
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int fib(int n);
int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static void *in_a_thread(void *arg) {
    *(int *)arg = fib(5);
    return NULL;
}

static int in_the_child(void) {
    return fib(3);
}

int main(void) {
    pthread_t threads[3];
    int found[3], sum = fib(10), status;

    for (int i = 0; i < 3; i++)
        if (pthread_create(&threads[i], NULL, in_a_thread, &found[i]) != 0)
            return 100;
    for (int i = 0; i < 3; i++) {
        pthread_join(threads[i], NULL);
        sum += found[i];
    }
    pid_t pid = fork();
    if (pid == 0)
        exit(in_the_child());
    if (waitpid(pid, &status, 0) != pid)
        return 101;
    return sum + WEXITSTATUS(status); /* 55 + 3 * 5 + 2 */
}
