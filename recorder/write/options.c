/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "options.h"
#include "losses.h"
#include "../format/create.h"
#include "../format/environment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct options options;
static char capture[4096];

static void complain(const char *name, const char *text, const char *wanted) {
    char line[512];

    snprintf(line, sizeof(line), "nvtxh: %s=%.200s is ignored: it is not %s\n", name, text, wanted);
    log_line(line);
}

static const char *value(const char *name) {
    const char *text = secure_getenv(name);
    return text && *text ? text : NULL;
}

/* The number that `parse` makes of a variable; `usual` if that variable is not set, or invalid. */
static uint64_t number(const char *name, bool (*parse)(const char *, uint64_t *),
                       const char *wanted, uint64_t usual) {
    const char *text = value(name);
    uint64_t number = usual;

    if (text && !parse(text, &number)) {
        complain(name, text, wanted);
        number = usual;
    }
    return number;
}

/* Reads MESSAGE[@DOMAIN]. The last '@' separates the message from the domain. */
static void read_capture(void) {
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

void options_read(void) {
    static const char wait[] = "a time, such as 1.5 or 200ms";
    const char *paused = value(REC_ENV_PAUSED), *thread = value(REC_ENV_THREAD);

    options =
        (struct options){.include = value(REC_ENV_INCLUDE), .exclude = value(REC_ENV_EXCLUDE)};
    options.mode = number(REC_ENV_MODE, rec_parse_mode, "an octal file mode such as 640", REC_MODE);
    options.ring = number(REC_ENV_RING, rec_parse_size, "a size from 256k to 64G", 0);
    options.no_thread = thread && !strcmp(thread, "0");
    if (thread && strcmp(thread, "0") != 0 && strcmp(thread, "1") != 0) {
        complain(REC_ENV_THREAD, thread, "0 or 1");
    }
    options.paused = paused && !strcmp(paused, "1");
    options.from_ns = number(REC_ENV_FROM, rec_parse_wait, wait, 0);
    options.to_ns = number(REC_ENV_TO, rec_parse_wait, wait, 0);
    read_capture();
}

static bool is_listed(const char *list, const char *name) {
    size_t size = strlen(name);

    while (list) {
        list += strspn(list, " \t");
        size_t item = strcspn(list, ",");
        if (item == size && !memcmp(list, name, size)) {
            return true;
        }
        list = list[item] ? list + item + 1 : NULL;
    }
    return false;
}

bool options_want_domain(const char *name) {
    name = name ? name : "default";
    return options.include ? is_listed(options.include, name) : !is_listed(options.exclude, name);
}

bool options_capture_domain(const char *name) {
    if (!options.capture_message) {
        return false;
    }
    name = name ? name : "default";
    if (!options.capture_domain) {
        return !strcmp(name, "default") || !strcmp(name, CAPTURE_DOMAIN);
    }
    return !strcmp(name, options.capture_domain);
}
