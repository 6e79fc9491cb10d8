/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "capture.h"
#include "file.h"
#include "gate.h"
#include "note.h"
#include "options.h"
#include "registry.h"
#include "session.h"
#include "text.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MOST = 1024 };

static _Atomic uint32_t own; /* the last recording that a capture began */

/* Copies the message as text, cut to NAME_MOST - 1 bytes. */
static void message_of(const nvtxEventAttributes_t *a, char ret_text[NAME_MOST])
{
    ret_text[0] = 0;
    if (!a || a->size < sizeof(*a)) {
        return;
    }
    if (a->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        registry_string_text(a->message.registered, ret_text, NAME_MOST);
    } else if (a->messageType == NVTX_MESSAGE_TYPE_ASCII && a->message.ascii) {
        strncat(ret_text, a->message.ascii, NAME_MOST - 1);
    } else if (a->messageType == NVTX_MESSAGE_TYPE_UNICODE && a->message.unicode) {
        ret_text[utf8_from_wide(a->message.unicode, ret_text, NAME_MOST - 1)] = 0;
    }
}

/* Begins a recording named after the capture, in the working directory: NAME.nvtxh, NAME.2.nvtxh, ... A '/' in the name
 * becomes '_'. */
static bool begin_recording(const char *name)
{
    char path[PATH_MAX];
    int error = EEXIST;

    if (!OPTIONS_LINKED) {
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
        error = session_start(size ? path : NULL, false, 0);
    }
    if (!error) {
        own = file_recording();
    } else if (error != EBUSY) {
        file_say("cannot begin the recording of a capture", note_reason(error));
    }
    return !error;
}

/* Whether this range opens the gate. If nothing is being recorded, tries to begin a recording for the range first. */
static bool begins(uint32_t domain, const nvtxEventAttributes_t *a)
{
    char text[NAME_MOST];

    message_of(a, text);
    if (!gate_is_recording()) {
        return domain && begin_recording(text);
    }
    if (own && own == file_recording()) {
        return true;
    }
    return options.capture_message && !strcmp(text, options.capture_message);
}

void capture_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a)
{
    if (!gate_is_held() && begins(domain, a)) {
        gate_hold_pushed(domain, depth);
    }
}

void capture_popped(uint32_t domain, int depth)
{
    if (gate_release_popped(domain, depth)) {
        session_stop(own);
    }
}

void capture_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a)
{
    if (begins(domain, a)) {
        gate_hold_started(range);
    }
}

void capture_ended(uint64_t range)
{
    if (gate_release_ended(range)) {
        session_stop(own);
    }
}
