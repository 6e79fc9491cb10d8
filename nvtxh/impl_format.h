/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_FORMAT_H
#define NVTXH_IMPL_FORMAT_H

/*
 * Messages made at run time, and their events. Not API; part of impl.h.
 */

NVTXH_I_C_BEGIN

/* The event of a formatted message, which has to outlive it. */
NVTXH_I_LINKONCE void nvtxh_i_eventf(nvtxEventAttributes_t *event, const struct nvtxh_i_site *site,
                                     const char *text)
{
    uint32_t color = site->flags & NVTXH_I_SITE_AUTO_COLOR ? nvtxh_color_of(text) : 0;

    nvtxh_i_event_fill(event, 0, color, 0, 0);
    nvtxh_i_event_text(event, text);
    (void)nvtxh_i_handle(site->domain);
}

/* Cut TEXT, of SIZE bytes with its terminator, so that its end says how long it was meant to be. */
NVTXH_I_COLD_HERE void nvtxh_i_cut(char *text, size_t size, int length)
{
    char mark[48];
    size_t n = NVTXH_I_CAST(size_t, snprintf(mark, sizeof(mark), "... [%d bytes]", length));
    size_t end = size - 1 - n;

    while (end && (text[end] & 0xc0) == 0x80) /* not within a character */
        end--;
    memcpy(text + end, mark, n + 1);
}

NVTXH_I_LINKONCE void nvtxh_i_format(struct nvtxh_i_message *message, const char *format,
                                     va_list args)
{
    int saved_errno = errno, length;
    va_list again;

    message->heap = NVTXH_I_NULL;
    message->text = message->here;
    va_copy(again, args);
    length = vsnprintf(message->here, sizeof(message->here), format, args);
    if (length < 0) {
        message->text = format; /* a wide character that cannot be converted */
    } else if (NVTXH_I_CAST(size_t, length) >= sizeof(message->here)) {
        size_t size =
            NVTXH_I_CAST(size_t, length > NVTXH_I_TEXT_MAX ? NVTXH_I_TEXT_MAX : length) + 1;

        message->heap = NVTXH_I_CAST(char *, malloc(size));
        if (message->heap) {
            message->text = message->heap;
            vsnprintf(message->heap, size, format, again);
            if (length > NVTXH_I_TEXT_MAX)
                nvtxh_i_cut(message->heap, size, length);
        } else {
            nvtxh_i_cut(message->here, sizeof(message->here), length);
        }
    }
    va_end(again);
    errno = saved_errno;
}

static inline void nvtxh_i_free_message(struct nvtxh_i_message *message)
{
    free(message->heap);
}

NVTXH_I_C_END

#endif
