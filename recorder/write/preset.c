/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "preset.h"
#include "record_write.h"

void presets_forget(struct presets *all) {
    for (uint32_t i = 0; i < all->count; i++) {
        struct preset *p = &all->all[all->places[i]];
        p->key = p->message = 0;
        p->depth = NULL;
    }
    all->count = 0;
}

bool preset_describe(struct preset *ret, const void *domain, const nvtxEventAttributes_t *a,
                     enum preset_kind kind) {
    *ret = (struct preset){.domain = domain,
                           .category = a->category,
                           .color_type = (uint32_t)a->colorType,
                           .color = a->color,
                           .payload_type = (uint32_t)a->payloadType,
                           .bytes = a->payloadType ? 16 : 8,
                           .message = preset_key(kind, a->message.ascii)};
    /* a pointer must leave the two highest bits to the kind: see preset_key */
    if (!a->message.ascii || (uint64_t)(uintptr_t)a->message.ascii >> 62 ||
        ret->payload_type > REC_PAYLOAD_F32) {
        return false;
    }
    if (kind == PRESET_REGISTERED) {
        return handle_string_known(a->message.registered) != 0;
    }
    size_t size = strnlen(a->message.ascii, PRESET_TEXT) + 1;
    if (size > PRESET_TEXT || ((uintptr_t)a->message.ascii & 4095) + size > 4096) {
        /* the text is too long, or is not within one page */
        return false;
    }
    ret->text_size = (uint8_t)size;
    memcpy(ret->text, a->message.ascii, size);
    return true;
}

static bool is_same_preset(const struct preset *p, const struct preset *q) {
    return p->message == q->message && p->domain == q->domain && p->category == q->category &&
           p->color_type == q->color_type && p->color == q->color &&
           p->payload_type == q->payload_type && p->text_size == q->text_size &&
           !memcmp(p->text, q->text, q->text_size);
}

/* Returns an empty place for a new preset, or a place whose preset is not in the stream yet. If
 * both places have presets in the stream, returns `second` at every eighth call, otherwise NULL:
 * rare pushes must not replace the presets of frequent ones. */
static struct preset *place_for(struct presets *all, struct preset *first, struct preset *second) {
    bool takes_first = !first->message || (second->message && !first->key);
    struct preset *place = takes_first ? first : second;

    if (!place->message) {
        all->places[all->count++] = (uint16_t)(place - all->all);
    } else if (place->key && ++all->refused % 8) {
        return NULL;
    }
    return place;
}

struct preset *preset_learn(struct presets *all, const struct preset *wanted, uint32_t differs) {
    struct preset *first = preset_spread(all, wanted->message, differs);
    struct preset *second = preset_beside(all, first);

    if (is_same_preset(first, wanted) || is_same_preset(second, wanted)) {
        struct preset *p = is_same_preset(first, wanted) ? first : second;
        return p->key ? NULL : p;
    }
    struct preset *p = place_for(all, first, second);
    if (p) {
        *p = *wanted;
    }
    return NULL;
}

void preset_define(const struct presets *all, struct preset *p, struct stream *s,
                   struct intern *intern, uint32_t domain, uint32_t *depth) {
    uint64_t flags = record_flags(p->color_type, p->category);
    struct rec_preset body = {
        .number = (uint32_t)(p - all->all) + 1,
        .text = p->text_size ? intern_text(intern, s, p->text)
                             : handle_string_known((const void *)(uintptr_t)p->message),
        .color = flags & REC_HAS_COLOR ? p->color : 0,
        .category = p->category,
        .flags = flags};

    if (body.text && stream_write_long(s, rec_word(REC_EXTENDED, domain), REC_EXTENDED_PRESET,
                                       &body, sizeof(body))) {
        p->depth = depth;
        p->word =
            (uint32_t)REC_PUSH_PRESET | p->payload_type << 5 | body.number << REC_PRESET_SHIFT;
        p->key = p->message;
    }
}
