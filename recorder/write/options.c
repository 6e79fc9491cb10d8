/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "note.h"
#include "../format/create.h"
#include "../format/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options;
static char capture[4096];

static void complain(const char *name, const char *text, const char *wanted)
{
    char line[512];

    snprintf(line, sizeof(line), "nvtxh: %s=%.200s is ignored: it is not %s\n", name, text, wanted);
    note(line);
}

static const char *value(const char *name)
{
    const char *text = secure_getenv(name);
    return text && *text ? text : NULL;
}

static void read_wait(const char *name, uint64_t *ret_ns)
{
    const char *text = value(name);

    if (text && !rec_parse_wait(text, ret_ns)) {
        complain(name, text, "a time, such as 1.5 or 200ms");
    }
}

/* The last '@' separates the message from the domain. */
static void read_capture(void)
{
    const char *text = value(REC_ENV_CAPTURE);

    if (!text) {
        return;
    }
    if (strlen(text) >= sizeof(capture)) {
        complain(REC_ENV_CAPTURE, text, "shorter than 4096 bytes");
        return;
    }
    char *at = strrchr(memcpy(capture, text, strlen(text) + 1), '@');
    if (at) {
        *at = 0;
        options.capture_domain = at + 1;
    }
    options.capture_message = capture;
}

void options_read(void)
{
    const char *ring = value(REC_ENV_RING);

    options =
        (struct options){.include = value(REC_ENV_INCLUDE), .exclude = value(REC_ENV_EXCLUDE)};
    const char *mode = value(REC_ENV_MODE);
    if (!mode || !rec_parse_mode(mode, &options.mode)) {
        options.mode = REC_MODE;
        if (mode) {
            complain(REC_ENV_MODE, mode, "an octal file mode such as 640");
        }
    }
    if (ring && !rec_parse_size(ring, &options.ring)) {
        complain(REC_ENV_RING, ring, "a size from 256k to 64G");
        options.ring = 0;
    }
    const char *thread = value(REC_ENV_THREAD);
    options.no_thread = thread && !strcmp(thread, "0");
    if (thread && strcmp(thread, "0") != 0 && strcmp(thread, "1") != 0) {
        complain(REC_ENV_THREAD, thread, "0 or 1");
    }
    const char *paused = value(REC_ENV_PAUSED);
    options.paused = paused && !strcmp(paused, "1");
    const char *bound = value(REC_ENV_MIN_DURATION);
    if (bound && !rec_parse_bound(bound, &options.bound_ns)) {
        complain(REC_ENV_MIN_DURATION, bound, "a time up to 1s, such as 10us");
        options.bound_ns = 0;
    }
    read_wait(REC_ENV_DELAY, &options.delay_ns);
    read_wait(REC_ENV_DURATION, &options.duration_ns);
    read_capture();
}

static bool is_listed(const char *list, const char *name)
{
    size_t size = strlen(name);

    while (list) {
        size_t item = strcspn(list, ",");
        if (item == size && !memcmp(list, name, size)) {
            return true;
        }
        list = list[item] ? list + item + 1 : NULL;
    }
    return false;
}

bool options_want_domain(const char *name)
{
    name = name ? name : "default";
    return options.include ? is_listed(options.include, name) : !is_listed(options.exclude, name);
}

bool options_capture_domain(const char *name)
{
    if (!options.capture_message) {
        return false;
    }
    name = name ? name : "default";
    if (!options.capture_domain) {
        return !strcmp(name, "default") || !strcmp(name, CAPTURE_DOMAIN);
    }
    return !strcmp(name, options.capture_domain);
}
