/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "extension.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How deep the calling thread is in each domain. */
enum { DOMAINS = 64 };
static __thread struct {
    const struct domain *domain;
    int depth;
} depths[DOMAINS];

static int64_t last_id;
struct tool tool;

bool tool_is(const char *word) {
    const char *list = getenv("NVTXH_TEST_TOOL");
    size_t n = strlen(word);

    for (; list; list = strchr(list, ',') ? strchr(list, ',') + 1 : NULL)
        if (!strncmp(list, word, n) && (!list[n] || list[n] == ','))
            return true;
    return false;
}

static int *depth_in(const struct domain *domain) {
    int i;

    if (!domain)
        return &depths[0].depth;
    for (i = 1; i < DOMAINS; i++) {
        if (!depths[i].domain)
            depths[i].domain = domain;
        if (depths[i].domain == domain)
            return &depths[i].depth;
    }
    abort();
}

char *tool_copy(const char *text) {
    int error = errno;
    char *result = text ? strdup(text) : NULL;

    if (text && !result)
        abort();
    errno = error;
    return result;
}

void tool_begin(void) {
    if (tool.slow)
        usleep(1000);
    log_lock();
}

void tool_note(struct log_event *event, const struct domain *domain) {
    event->domain = domain ? domain->name : NULL;
    if (!tool.silent)
        log_add(event);
    log_unlock();
}

/* Checks an event and copies it, with its text. */
void tool_fill(struct log_event *event, const struct domain *domain, bool with_domain,
               const nvtxEventAttributes_t *given) {
    const struct string *string;
    int32_t extended = 0;

#if TOOL_EXTENSIONS
    if (given->payloadType == NVTX_PAYLOAD_TYPE_EXT) {
        extended = 1;
        if (!tool.silent)
            event->extended = tool_payload_text(
                domain, (const nvtxPayloadData_t *)(uintptr_t)given->payload.ullValue, 1);
    }
#endif
    if (given->version != NVTX_VERSION || given->size != NVTX_EVENT_ATTRIB_STRUCT_SIZE)
        event->bad = "version or size";
    else if (given->reserved0 != extended || given->colorType < 0 || given->colorType > 1 ||
             (!given->colorType && given->color) ||
             (!given->payloadType && given->payload.ullValue))
        event->bad = "unused fields";
    else if (with_domain && !domain && !tool.null_handles)
        event->bad = "NULL domain";
    event->category = given->category;
    event->color_type = (uint32_t)given->colorType;
    event->color = given->color;
    event->payload_type = extended ? 0 : given->payloadType;
    event->payload_bits = given->payload.ullValue;
    switch (given->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
        event->text = tool.silent ? NULL : tool_copy(given->message.ascii);
        if (!given->message.ascii)
            event->bad = "no text";
        break;
    case NVTX_MESSAGE_TYPE_REGISTERED:
        string = (const struct string *)given->message.registered;
        event->registered = true;
        event->text = string ? string->text : NULL;
        if (!string)
            event->bad = "no string";
        else if (string->domain != domain)
            event->bad = "string of another domain";
        break;
    case NVTX_MESSAGE_UNKNOWN:
        break;
    default:
        event->bad = "message type";
    }
}

/* Keeps errno, as tool_copy does: memory is also allocated at the first access to a variable of the
 * thread, and where there is no /sys, malloc sets errno although it succeeds. */
int tool_push(const struct domain *domain, struct log_event *event) {
    int error = errno, depth = (*depth_in(domain))++;

    event->kind = LOG_PUSH;
    event->result = tool.null_handles ? 0 : tool.uncounted ? -1 : depth;
    depth = (int)event->result;
    tool_note(event, domain);
    errno = error;
    return depth;
}

int tool_pop(const struct domain *domain, char *extended) {
    struct log_event event = {.kind = LOG_POP, .extended = extended};
    int error = errno, *depth = depth_in(domain), result;

    tool_begin();
    event.result = *depth ? --*depth : -1;
    result = (int)event.result;
    tool_note(&event, domain);
    errno = error;
    return tool.null_handles ? 0 : tool.uncounted ? -1 : result;
}

nvtxRangeId_t tool_start(const struct domain *domain, struct log_event *event) {
    event->kind = LOG_START;
    event->result = tool.null_handles ? 0 : ++last_id;
    tool_note(event, domain);
    return (nvtxRangeId_t)event->result;
}

void tool_end(const struct domain *domain, nvtxRangeId_t id, char *extended) {
    struct log_event event = {.kind = LOG_END, .result = (int64_t)id, .extended = extended};

    tool_begin();
    tool_note(&event, domain);
}

void tool_name(enum log_kind kind, const struct domain *domain, uint32_t number, const char *text) {
    struct log_event event = {
        .kind = kind, .category = number, .text = tool.silent ? NULL : tool_copy(text)};

    tool_begin();
    tool_note(&event, domain);
    log_call_hook(kind);
    errno = EBADMSG; /* as a tool may */
}
