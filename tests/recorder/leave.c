/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The main thread leaves, and another one is the last: the process ends with it, and its output is
 * complete. Before, threads come and go, so that for a while none records.
 *
 * prints the last
 * recorded:
 * Style,Range,Instances
 * PushPop,work,350000 */
#include "program.h"

static void *work(void *arg) {
    for (int i = 0; i < 50000; i++) {
        nvtxRangePushA("work");
        nvtxRangePop();
    }
    return arg;
}

static void *last(void *arg) {
    pthread_join(*(pthread_t *)arg, NULL);
    work(NULL);
    printf("the last"); /* in a buffer until the end */
    return NULL;
}

int main(void) {
    static pthread_t self, thread;

    for (int i = 0; i < 5; i++) {
        pthread_create(&thread, NULL, work, NULL);
        pthread_join(thread, NULL);
    }
    work(NULL);
    self = pthread_self();
    pthread_create(&thread, NULL, last, &self);
    pthread_exit(NULL);
}
