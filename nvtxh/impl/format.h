/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_FORMAT_H
#define NVTXH_IMPL_FORMAT_H

/* Messages made at run time, and their events. Scopes, pushes and marks with a format have two
 * functions each: the variadic one counts the event if only statistics listen, and otherwise calls
 * the function with a va_list. So the variadic function needs no callee-saved registers, which it
 * would save at its start even if only statistics listen. Not API. */

#include "../core/site.h"
#include "domain.h"
#include "event.h"
#include "site_event.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* An event. Its formatted message, up to 64 KiB, is in `here` if it is short, else on the heap. */
enum { NVTXH_I_TEXT_MAX = 65536 };
struct nvtxh_i_formatted {
    struct nvtxh_i_whole_event event;
    const char *text;
    char *heap;
    char here[512];
};

NVTXH_I_C_BEGIN

/* The domain of an event with a formatted message. `a`: the attributes, or NULL. */
NVTXH_I_INLINE_LOCAL struct nvtxh_domain *nvtxh_i_domainf(const struct nvtxh_i_site *site,
                                                          const struct nvtxh_attr *a) {
    return a ? nvtxh_i_domain_of(a->domain, site->domain) : site->domain;
}

/* Fills in the event of a formatted message. TEXT must outlive the event. DOMAIN: the result of
 * nvtxh_i_domainf(). */
NVTXH_I_INLINE_LOCAL void nvtxh_i_eventf(struct nvtxh_i_whole_event *event,
                                         const struct nvtxh_i_site *site,
                                         const struct nvtxh_attr *a, struct nvtxh_domain *domain,
                                         const char *text) {
    uint32_t color = a ? a->color : 0;

    if (color == NVTXH_COLOR_AUTO || (!color && (site->flags & NVTXH_I_SITE_AUTO_COLOR))) {
        color = nvtxh_i_auto_color(text);
    }
    (void)nvtxh_i_handle(domain);
    if (a) {
        nvtxh_i_event_fill(&event->nvtx, nvtxh_i_category_id(a->category), color, a->payload);
        nvtxh_i_event_attach(event, domain, a->payload);
    } else {
        nvtxh_i_event_fill(&event->nvtx, 0, color, nvtxh_i_no_payload());
    }
    nvtxh_i_event_text(&event->nvtx, text);
}

/* Cuts TEXT to SIZE bytes, terminator included. The end of TEXT then gives the full LENGTH: "...
 * [70000 bytes]". */
NVTXH_I_COLD void nvtxh_i_cut(char *text, size_t size, int length) {
    char mark[48];
    size_t n = (size_t)snprintf(mark, sizeof(mark), "... [%d bytes]", length);
    size_t end = size - 1 - n;

    while (end && (text[end] & 0xc0) == 0x80) { /* do not cut within a character */
        end--;
    }
    memcpy(text + end, mark, n + 1);
}

/* Formats a message that is too long for `here`. LENGTH: the length of the whole message. If
 * LENGTH is negative, formatting has failed, and the format itself becomes the text. */
NVTXH_I_EVENT NVTXH_I_FORMAT(3, 0) void nvtxh_i_format_long(struct nvtxh_i_formatted *f, int length,
                                                            const char *format, va_list args) {
    size_t size;

    if (length < 0) {
        f->text = format; /* for example, a wide character cannot be converted */
        return;
    }
    size = (size_t)(length > NVTXH_I_TEXT_MAX ? NVTXH_I_TEXT_MAX : length) + 1;
    f->heap = (char *)malloc(size);
    if (f->heap) {
        f->text = f->heap;
        vsnprintf(f->heap, size, format, args);
        if (length > NVTXH_I_TEXT_MAX) {
            nvtxh_i_cut(f->heap, size, length);
        }
    } else {
        nvtxh_i_cut(f->here, sizeof(f->here), length);
    }
}

/* Formats a message and fills in its event. DOMAIN: as for nvtxh_i_eventf(). The caller calls
 * nvtxh_i_formatted_free() when the event has been sent. */
NVTXH_I_EVENT NVTXH_I_FORMAT(5, 0) void nvtxh_i_format(struct nvtxh_i_formatted *f,
                                                       const struct nvtxh_i_site *site,
                                                       const struct nvtxh_attr *a,
                                                       struct nvtxh_domain *domain,
                                                       const char *format, va_list args) {
    int saved_errno = errno, length;
    va_list again;

    va_copy(again, args);
    f->heap = NULL;
    f->text = f->here;
    length = vsnprintf(f->here, sizeof(f->here), format, args);
    if (NVTXH_I_UNLIKELY((size_t)length >= sizeof(f->here))) {
        nvtxh_i_format_long(f, length, format, again);
    }
    va_end(again);
    errno = saved_errno;
    nvtxh_i_eventf(&f->event, site, a, domain, f->text);
}

NVTXH_I_INLINE_LOCAL void nvtxh_i_formatted_free(struct nvtxh_i_formatted *f) {
    if (NVTXH_I_UNLIKELY(f->heap != NULL)) {
        free(f->heap);
    }
}

NVTXH_I_C_END

#endif
