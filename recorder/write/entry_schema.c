/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Callbacks that define: schemas, enums and scopes of payloads, and counters. */
#include "buffer.h"
#include "ext_abi.h"
#include "handle.h"
#include "losses.h"
#include "registry.h"
#include "schema_layout.h"

enum { ENTRIES_MOST = 1 << 16, TEXT_MOST = 1 << 16 };

/* Bytes of the longest known semantics: the head, and the fields of the semantics of a counter. */
enum { SEMANTICS_LONGEST = sizeof(struct ext_semantics) + 56 };

static uint32_t text_size(const char *text)
{
    return (uint32_t)losses_text_size(text, TEXT_MOST);
}

static void add_semantic(struct buffer *b, const struct ext_semantics *s)
{
    const char *fields = (const char *)(s + 1);
    size_t size = s->size > sizeof(*s) ? s->size - sizeof(*s) : 0;
    const char *text = NULL;
    size_t fixed = 0;
    char body[sizeof(struct rec_counter_semantics)];

    if ((s->semantic == REC_SEMANTIC_SCOPE || s->semantic == REC_SEMANTIC_TIME) &&
        size >= sizeof(uint64_t)) {
        fixed = sizeof(uint64_t);
        memcpy(body, fields, fixed);
    } else if (s->semantic == REC_SEMANTIC_CORRELATION && size >= 32) {
        fixed = 24; /* UUID and role; the name stands between them */
        memcpy(body, fields, 16);
        memcpy(&text, fields + 16, sizeof(text));
        memcpy(body + 16, fields + 24, 8);
    } else if (s->semantic == REC_SEMANTIC_COUNTER && size >= 56) {
        fixed = sizeof(body); /* flags, then the unit, then the rest */
        memcpy(body, fields, 8);
        memcpy(&text, fields + 8, sizeof(text));
        memcpy(body + 8, fields + 16, 40);
    }
    uint32_t length = text_size(text);
    struct rec_semantics head = {
        .semantic = s->semantic,
        .version = s->version,
        .size = (uint32_t)(sizeof(head) + fixed) + length,
    };
    buffer_add(b, &head, sizeof(head));
    buffer_add(b, body, fixed);
    buffer_add(b, text, length);
}

/* Adds a list of semantics as rec_semantics; returns their size. */
static uint32_t add_semantics(struct buffer *b, const struct ext_semantics *s)
{
    size_t before = b->used;

    for (int i = 0; s && i < 16 && !b->failed; i++, s = s->next) {
        if (s->size > 4 * SEMANTICS_LONGEST) {
            b->failed = true; /* then the rest of the list is invalid, too */
        } else {
            add_semantic(b, s);
        }
    }
    return (uint32_t)(b->used - before);
}

static uint64_t define(enum rec_kind kind, uint32_t domain, struct buffer *b, bool unique)
{
    uint64_t id = 0;

    if (b->failed) {
        losses_count(REC_LOSS_SCHEMA);
    } else {
        id = registry_define(kind, domain, buffer_bytes(b), b->used, unique);
    }
    buffer_free(b);
    return id;
}

static uint64_t refuse(void)
{
    losses_count(REC_LOSS_SCHEMA);
    return 0;
}

static uint64_t register_schema(void *handle, const struct ext_schema *s)
{
    const uint64_t needed = EXT_SCHEMA_TYPE | EXT_SCHEMA_ENTRIES | EXT_SCHEMA_ENTRY_COUNT;
    struct buffer b, texts;

    if (!s || (s->fields & needed) != needed || !s->entries || s->entry_count > ENTRIES_MOST) {
        return refuse();
    }
    buffer_init(&b);
    buffer_init(&texts);
    const char *name = s->fields & EXT_SCHEMA_NAME ? s->name : NULL;
    struct rec_schema fixed = {
        .schema = s->fields & EXT_SCHEMA_SCHEMA ? s->schema : 0,
        .type = s->type,
        .flags = s->fields & EXT_SCHEMA_FLAGS ? s->flags : 0,
        .static_size = s->fields & EXT_SCHEMA_STATIC_SIZE ? s->static_size : 0,
        .pack_align = s->fields & EXT_SCHEMA_PACK_ALIGN ? s->pack_align : 0,
        .entry_count = (uint32_t)s->entry_count,
        .name_size = text_size(name),
    };
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&texts, name, fixed.name_size);
    for (size_t i = 0; i < s->entry_count; i++) {
        const struct ext_entry *e = &s->entries[i];
        struct rec_schema_entry entry = {
            .flags = e->flags,
            .type = e->type,
            .detail = e->detail,
            .offset = e->offset,
            .name_size = text_size(e->name),
            .description_size = text_size(e->description),
        };
        buffer_add(&texts, e->name, entry.name_size);
        buffer_add(&texts, e->description, entry.description_size);
        entry.semantics_size = add_semantics(&texts, e->semantics);
        buffer_add(&b, &entry, sizeof(entry));
    }
    buffer_add(&b, buffer_bytes(&texts), texts.used);
    b.failed = b.failed || texts.failed;
    buffer_free(&texts);
    uint32_t domain = handle_domain(handle);
    uint64_t id = define(REC_SCHEMA, domain, &b, false);
    if (id) {
        schema_layout_add(domain, id, s);
    }
    return id;
}

static uint64_t register_enum(void *handle, const struct ext_enum *e)
{
    const uint64_t needed = EXT_ENUM_ENTRIES | EXT_ENUM_ENTRY_COUNT | EXT_ENUM_SIZE;
    struct buffer b, texts;

    if (!e || (e->fields & needed) != needed || !e->entries || e->entry_count > ENTRIES_MOST ||
        e->size > sizeof(uint64_t)) {
        return refuse();
    }
    buffer_init(&b);
    buffer_init(&texts);
    const char *name = e->fields & EXT_ENUM_NAME ? e->name : NULL;
    struct rec_enum fixed = {
        .schema = e->fields & EXT_ENUM_SCHEMA ? e->schema : 0,
        .size = (uint32_t)e->size,
        .entry_count = (uint32_t)e->entry_count,
        .name_size = text_size(name),
    };
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&texts, name, fixed.name_size);
    for (size_t i = 0; i < e->entry_count; i++) {
        struct rec_enum_entry entry = {.value = e->entries[i].value,
                                       .is_flag = e->entries[i].is_flag != 0,
                                       .name_size = text_size(e->entries[i].name)};
        buffer_add(&b, &entry, sizeof(entry));
        buffer_add(&texts, e->entries[i].name, entry.name_size);
    }
    buffer_add(&b, buffer_bytes(&texts), texts.used);
    b.failed = b.failed || texts.failed;
    buffer_free(&texts);
    uint32_t domain = handle_domain(handle);
    uint64_t id = define(REC_ENUM, domain, &b, false);
    if (id) {
        schema_layout_add_enum(domain, id, e->size);
    }
    return id;
}

static uint64_t register_scope(void *handle, const struct ext_scope *s)
{
    struct buffer b;

    if (!s || !ext_size_is_plausible(s->struct_size, sizeof(*s))) {
        return refuse();
    }
    buffer_init(&b);
    struct rec_scope fixed = {.scope = s->scope, .parent = s->parent};
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&b, s->path, text_size(s->path));
    return define(REC_SCOPE, handle_domain(handle), &b, false);
}

static uint64_t register_counter(void *handle, const struct ext_counter *c)
{
    struct buffer b, semantics;

    if (!c || !ext_size_is_plausible(c->struct_size, sizeof(*c))) {
        return refuse();
    }
    buffer_init(&b);
    buffer_init(&semantics);
    struct rec_counter fixed = {
        .counter = c->counter,
        .schema = c->schema,
        .scope = c->scope,
        .name_size = text_size(c->name),
        .description_size = text_size(c->description),
        .semantics_size = add_semantics(&semantics, c->semantics),
    };
    buffer_add(&b, &fixed, sizeof(fixed));
    buffer_add(&b, c->name, fixed.name_size);
    buffer_add(&b, c->description, fixed.description_size);
    buffer_add(&b, buffer_bytes(&semantics), semantics.used);
    b.failed = b.failed || semantics.failed;
    buffer_free(&semantics);
    /* Two counters may have the same description and count different things. */
    return define(REC_COUNTER, handle_domain(handle), &b, !c->counter);
}

const struct ext_function entry_schema_functions[] = {
    {0, (intptr_t)register_schema},
    {1, (intptr_t)register_enum},
    {12, (intptr_t)register_scope},
    {0, 0},
};

const struct ext_function entry_schema_counter_functions[] = {
    {0, (intptr_t)register_counter},
    {0, 0},
};
