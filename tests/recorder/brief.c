/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Ranges that are short, or last as long as a pause (600 ms). Each letter is a step:
 *
 *   brief [TURNS [THREADS]] LETTERS...
 *
 *   p  a short range, registered, with all attributes           a  the same with a message by pointer
 *   n  three of them in each other                              l  a range that lasts, "long"
 *   o  a range that lasts, with 100 short ones in it            m  a short one with a mark in it, "marked"
 *   c  one with a long one in it, so that it lasts              s  a start and an end
 *   d  two short ones of two domains that end in the wrong order
 *   e  a hundred in each other                             g  three thousand
 *   f  one that a fork leaves open: the child ends it, makes p, and is waited for
 *   h  one in which a signal handler makes p and a mark         t  a text of its own each time
 *   q  two that last, "outer" and "around", and after the pause a short one in them, with two in it
 *   r  the same with one that lasts, "long", and two after each other in it
 *   w  a range that stays open; sleeps until it is killed       k  the same, and ends by SIGKILL
 *   x  an open range, and short ones in it, until it is killed
 *   y  a child has an open range, and short ones in it during a pause, and ends by _exit */
#include "program.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>

enum { PAUSE_US = 600000 };

static nvtxDomainHandle_t domain, other;
static nvtxEventAttributes_t event;

static void begin(void) {
    nvtxDomainRangePushEx(domain, &event);
}

static void end(void) {
    nvtxDomainRangePop(domain);
}

static void brief(void) {
    begin();
    end();
}

static void push(const char *text) {
    nvtxRangePushA(text);
}

static void handle(int number) {
    (void)number;
    brief();
    nvtxMarkA("handled");
}

static void in_child(void) {
    int status = 0;

    push("inherited");
    pid_t child = fork();
    if (child == 0) {
        nvtxRangePop();
        brief();
        nvtxMarkA("child");
        _exit(0);
    }
    MUST(child > 0 && waitpid(child, &status, 0) == child && !status);
    nvtxRangePop();
}

static void deep(int depth) {
    for (int i = 0; i < depth; i++) {
        begin();
    }
    for (int i = 0; i < depth; i++) {
        end();
    }
}

static void stay_open(int letter) {
    push("open");
    while (letter == 'x') { /* records of several sizes */
        push("by pointer");
        brief();
        nvtxRangePop();
        brief();
    }
    if (letter == 'k') {
        push("inner");
        raise(SIGKILL);
    }
    pause();
}

static void exit_open(void) {
    int status = 0;
    pid_t child = fork();

    if (child == 0) {
        push("open");
        for (int i = 0; i < 60; i++) {
            usleep(PAUSE_US / 60);
            brief();
        }
        _exit(0);
    }
    MUST(child > 0 && waitpid(child, &status, 0) == child && !status);
}

static void act(int letter, int turn) {
    char text[40];

    switch (letter) {
    case 'p':
        brief();
        break;
    case 'a':
        push("by pointer");
        nvtxRangePop();
        break;
    case 'n':
        push("outer");
        begin();
        brief();
        end();
        nvtxRangePop();
        break;
    case 'l':
        push("long");
        usleep(PAUSE_US);
        nvtxRangePop();
        break;
    case 'o':
        push("around");
        for (int i = 0; i < 100; i++) {
            brief();
        }
        usleep(PAUSE_US);
        for (int i = 0; i < 100; i++) {
            brief();
        }
        nvtxRangePop();
        break;
    case 'm':
        push("marked");
        nvtxMarkA("mark");
        nvtxRangePop();
        break;
    case 'c':
        push("outer");
        act('l', turn);
        nvtxRangePop();
        break;
    case 'q':
        push("outer");
        push("around");
        usleep(PAUSE_US);
        push("by pointer");
        brief();
        brief();
        nvtxRangePop();
        nvtxRangePop();
        nvtxRangePop();
        break;
    case 'r':
        push("long");
        usleep(PAUSE_US);
        brief();
        act('a', turn);
        nvtxRangePop();
        break;
    case 's':
        nvtxRangeEnd(nvtxRangeStartA("process range"));
        break;
    case 'd':
        begin();
        nvtxDomainRangePushEx(other, &event);
        end();
        nvtxDomainRangePop(other);
        break;
    case 'e':
        deep(100);
        break;
    case 'g':
        deep(3000);
        break;
    case 'f':
        in_child();
        break;
    case 'h':
        push("interrupted");
        raise(SIGUSR1);
        nvtxRangePop();
        break;
    case 'y':
        exit_open();
        break;
    case 't':
        snprintf(text, sizeof(text), "text %d", turn);
        push(text);
        nvtxRangePop();
        break;
    default:
        stay_open(letter);
    }
}

static int turns = 1;
static char **letters;

static void *work(void *unused) {
    (void)unused;
    for (int turn = 0; turn < turns; turn++) {
        for (char **all = letters; *all; all++) {
            for (const char *letter = *all; *letter; letter++) {
                act(*letter, turn);
            }
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    pthread_t all[64];
    int next = 1, threads = 1;

    (void)argc;
    domain = nvtxDomainCreateA("brief");
    other = nvtxDomainCreateA("other");
    event = attributes();
    event.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    event.message.registered = nvtxDomainRegisterStringA(domain, "short");
    event.category = 3;
    event.colorType = NVTX_COLOR_ARGB;
    event.color = 0xff336699;
    event.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    event.payload.llValue = 42;
    signal(SIGUSR1, handle);
    if (argv[next] && atoi(argv[next])) {
        turns = atoi(argv[next++]);
    }
    if (argv[next] && atoi(argv[next])) {
        threads = atoi(argv[next++]);
    }
    letters = &argv[next];
    for (int i = 1; i < threads; i++) {
        MUST(pthread_create(&all[i], NULL, work, NULL) == 0);
    }
    work(NULL);
    for (int i = 1; i < threads; i++) {
        pthread_join(all[i], NULL);
    }
    return 0;
}
