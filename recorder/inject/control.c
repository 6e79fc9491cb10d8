/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Recordings that the program begins and ends itself. */
#include "gate.h"
#include "guard.h"
#include "options.h"
#include "output.h"
#include "process.h"
#include "supply.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static _Atomic bool by_capture;
static pthread_mutex_t control = PTHREAD_MUTEX_INITIALIZER;

int process_start(const char *path, bool force, uint64_t ring)
{
    if (!process_init()) {
        return ENOMEM;
    }
    if (!process_is_linked()) {
        return EBUSY;
    }
    struct guard g = guard_enter();
    pthread_mutex_lock(&control);
    int error = output_number() ? EBUSY : output_create(path, force);
    if (!error) {
        process_ring = ring ? ring : options.ring;
        process_with_names(NULL, NULL);
        gate_begin(output_number());
    }
    pthread_mutex_unlock(&control);
    guard_leave(&g);
    return error;
}

static int stop(bool capture)
{
    if (!output_number() || (capture && !by_capture)) {
        return EINVAL;
    }
    gate_end();
    process_with_names(process_end_part, NULL);
    supply_stop();
    output_close();
    by_capture = false;
    return 0;
}

static int locked_stop(bool capture)
{
    struct guard g = guard_enter();

    pthread_mutex_lock(&control);
    int error = stop(capture);
    pthread_mutex_unlock(&control);
    guard_leave(&g);
    return error;
}

int process_stop(void)
{
    return process_is_linked() ? locked_stop(false) : EINVAL;
}

void process_control_forked(void)
{
    control = (pthread_mutex_t)PTHREAD_MUTEX_INITIALIZER;
}

/* In the working directory, whatever the name: NAME.nvtxh, NAME.2.nvtxh... */
bool process_capture_begin(const char *name)
{
    char path[PATH_MAX];
    int error = EEXIST;

    if (!process_is_linked()) {
        return false;
    }
    size_t size = strlen(name);
    if (size > 6 && !strcmp(name + size - 6, ".nvtxh")) {
        size -= 6;
    }
    for (int i = 1; error == EEXIST && i < 10000; i++) {
        if (i == 1) {
            snprintf(path, sizeof(path), "%.*s.nvtxh", (int)size, name);
        } else {
            snprintf(path, sizeof(path), "%.*s.%d.nvtxh", (int)size, name, i);
        }
        for (char *slash = path; (slash = strchr(slash, '/')) != NULL;) {
            *slash = '_';
        }
        error = process_start(size ? path : NULL, false, 0);
    }
    if (!error) {
        by_capture = true;
    } else if (error != EBUSY) {
        output_say("cannot begin the recording of a capture", strerror(error));
    }
    return !error;
}

void process_capture_end(void)
{
    if (by_capture) {
        locked_stop(true);
    }
}

bool process_capturing(void)
{
    return by_capture;
}
