/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "comm.h"
#include "process.h"
#include "table.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static struct comm **all; /* empty in a forked child */

bool comm_init(void)
{
    all = process_private_memory(sizeof(struct comm *));
    return all != NULL;
}

static bool look_up(uint32_t tid, char ret_text[16])
{
    char path[64];

    snprintf(path, sizeof(path), "/proc/self/task/%u/comm", (unsigned)tid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return false;
    }
    ssize_t size = read(fd, ret_text, 16);
    close(fd);
    if (size < 2) {
        return false;
    }
    ret_text[size - 1] = 0; /* in place of the end of the line */
    return true;
}

static bool is_program(const char *text)
{
    return !strncmp(text, program_invocation_short_name, 15);
}

static void write_name(struct stream *names, struct comm *c)
{
    char text[16];

    if (look_up(c->tid, text) && strcmp(text, c->text) != 0 && !is_program(text) &&
        !table_has_thread(c->tid) &&
        stream_write_long(names, rec_word(REC_THREAD, 0), c->tid, text, strlen(text))) {
        memcpy(c->text, text, sizeof(text));
    }
}

static void add(struct stream *names, void *arg)
{
    struct comm *c = arg;

    c->text[0] = 0;
    if (!c->from) {
        c->next = *all;
        c->from = all;
        *all = c;
        if (c->next) {
            c->next->from = &c->next;
        }
    }
    write_name(names, c);
}

static void leave(struct stream *names, void *arg)
{
    struct comm *c = arg;

    write_name(names, c);
    *c->from = c->next;
    if (c->next) {
        c->next->from = c->from;
    }
    c->from = NULL;
}

void comm_begin(struct comm *c, uint32_t tid)
{
    if (!c->begun) {
        c->begun = true;
        c->tid = tid;
    }
    process_with_names(add, c);
}

void comm_end(struct comm *c)
{
    if (c->begun) {
        process_with_names(leave, c);
    }
}

void comm_write_all(struct stream *names, void *unused)
{
    (void)unused;
    for (struct comm *c = *all; c; c = c->next) {
        write_name(names, c);
    }
}
