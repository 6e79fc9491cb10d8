/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool.h"
#include "event.h"
#include "ext_abi.h"
#include "file.h"
#include "handle.h"
#include "losses.h"
#include "memory.h"
#include "record_write.h"
#include "registry.h"
#include "session.h"
#include "stream.h"
#include "../format/clock.h"

#include <string.h>

/* The callbacks of NVTX's payload and counter extensions. NVTX calls the entry point for each
 * extension in each executable or shared object. */

/* --- definitions: schemas, enums and scopes of payloads; counters ----------------------------- */

enum { ENTRIES_MOST = 1 << 16, TEXT_MOST = 1 << 16 };

static uint64_t refuse(void) {
    losses_count(REC_LOSS_SCHEMA);
    return 0;
}

/* Adds a text, cut if it is too long; returns its size. */
static uint32_t add_text(struct buffer *b, const char *text) {
    size_t size = losses_text_size(text, TEXT_MOST);

    buffer_add(b, text, size);
    return (uint32_t)size;
}

/* Adds the unit that a list of semantics gives; returns its size. The unit is a field of the
 * semantics of counters; the last one counts. */
static uint32_t add_unit(struct buffer *b, const struct ext_semantics *s) {
    enum { COUNTER = sizeof(*s) + 56, LONGEST = 4 * COUNTER, UNIT = 8 }; /* sizes; an offset */
    const char *unit = NULL;

    for (int i = 0; s && i < 16; i++, s = s->next) {
        if (s->size > LONGEST) {
            b->failed = true; /* the size is garbage, so `next` may be, too */
            return 0;
        }
        if (s->semantic == EXT_SEMANTIC_COUNTER && s->size >= COUNTER) {
            memcpy(&unit, (const char *)(s + 1) + UNIT, sizeof(unit));
        }
    }
    return add_text(b, unit);
}

/* Registers a definition whose body is `fixed`, then `texts`. */
static uint64_t define_texts(enum rec_kind kind, uint32_t domain, struct buffer *fixed,
                             struct buffer *texts, bool unique) {
    buffer_add(fixed, buffer_bytes(texts), texts->used);
    return fixed->failed || texts->failed
               ? refuse()
               : registry_define(kind, domain, buffer_bytes(fixed), fixed->used, unique);
}

static uint64_t register_schema(uint32_t domain, const struct ext_schema *s) {
    const uint64_t needed = EXT_SCHEMA_TYPE | EXT_SCHEMA_ENTRIES | EXT_SCHEMA_ENTRY_COUNT;

    if (!s || (s->fields & needed) != needed || !s->entries || s->entry_count > ENTRIES_MOST) {
        return refuse();
    }
    BUFFER(b);
    BUFFER(texts);
    const char *name = s->fields & EXT_SCHEMA_NAME ? s->name : NULL;
    struct rec_schema fixed = {.schema = s->fields & EXT_SCHEMA_SCHEMA ? s->schema : 0,
                               .type = s->type,
                               .flags = s->fields & EXT_SCHEMA_FLAGS ? s->flags : 0,
                               .static_size =
                                   s->fields & EXT_SCHEMA_STATIC_SIZE ? s->static_size : 0,
                               .pack_align = s->fields & EXT_SCHEMA_PACK_ALIGN ? s->pack_align : 0,
                               .entry_count = (uint32_t)s->entry_count,
                               .name_size = add_text(&texts, name)};
    buffer_add(&b, &fixed, sizeof(fixed));
    for (size_t i = 0; i < s->entry_count; i++) {
        const struct ext_entry *e = &s->entries[i];
        struct rec_schema_entry entry = {
            .flags = e->flags, .type = e->type, .detail = e->detail, .offset = e->offset};
        entry.name_size = add_text(&texts, e->name);
        entry.unit_size = add_unit(&texts, e->semantics);
        buffer_add(&b, &entry, sizeof(entry));
    }
    uint64_t id = define_texts(REC_SCHEMA, domain, &b, &texts, false);
    if (id) {
        schema_layout_add(domain, id, s);
    }
    return id;
}

static uint64_t register_enum(uint32_t domain, const struct ext_enum *e) {
    const uint64_t needed = EXT_ENUM_ENTRIES | EXT_ENUM_ENTRY_COUNT | EXT_ENUM_SIZE;

    if (!e || (e->fields & needed) != needed || !e->entries || e->entry_count > ENTRIES_MOST ||
        e->size > sizeof(uint64_t)) {
        return refuse();
    }
    BUFFER(b);
    BUFFER(texts);
    const char *name = e->fields & EXT_ENUM_NAME ? e->name : NULL;
    struct rec_enum fixed = {.schema = e->fields & EXT_ENUM_SCHEMA ? e->schema : 0,
                             .size = (uint32_t)e->size,
                             .entry_count = (uint32_t)e->entry_count,
                             .name_size = add_text(&texts, name)};
    buffer_add(&b, &fixed, sizeof(fixed));
    for (size_t i = 0; i < e->entry_count; i++) {
        struct rec_enum_entry entry = {.value = e->entries[i].value,
                                       .is_flag = e->entries[i].is_flag != 0,
                                       .name_size = add_text(&texts, e->entries[i].name)};
        buffer_add(&b, &entry, sizeof(entry));
    }
    uint64_t id = define_texts(REC_ENUM, domain, &b, &texts, false);
    if (id) {
        schema_layout_add_enum(domain, id, e->size);
    }
    return id;
}

static uint64_t register_scope(uint32_t domain, const struct ext_scope *s) {
    if (!s || !ext_size_is_plausible(s->struct_size, sizeof(*s))) {
        return refuse();
    }
    BUFFER(b);
    BUFFER(texts);
    struct rec_scope fixed = {.scope = s->scope, .parent = s->parent};
    buffer_add(&b, &fixed, sizeof(fixed));
    add_text(&texts, s->path);
    return define_texts(REC_SCOPE, domain, &b, &texts, false);
}

static uint64_t register_counter(uint32_t domain, const struct ext_counter *c) {
    if (!c || !ext_size_is_plausible(c->struct_size, sizeof(*c))) {
        return refuse();
    }
    BUFFER(b);
    BUFFER(texts);
    struct rec_counter fixed = {.counter = c->counter, .schema = c->schema, .scope = c->scope};
    fixed.name_size = add_text(&texts, c->name);
    fixed.unit_size = add_unit(&texts, c->semantics);
    buffer_add(&b, &fixed, sizeof(fixed));
    /* Without a number from the program, even a counter like an earlier one gets a new number. */
    return define_texts(REC_COUNTER, domain, &b, &texts, !c->counter);
}

static void add_samples(uint32_t domain, enum rec_extended kind, uint64_t counter,
                        const void *samples, size_t size) {
    struct stream_piece pieces[] = {{&counter, sizeof(counter)}, {samples, size}};

    event_extended(domain, kind, pieces, 2);
}

/* --- the calls: X(module, name, type of the result, parameters, what the recorder does) ------- */

/* With CALL_FUNCTION for X, a list defines the functions; with CALL_ENTRY, it fills their table. */
#define CALL_FUNCTION(module, name, type, params, ...)                                             \
    static type module##_##name params {                                                           \
        __VA_ARGS__;                                                                               \
    }
#define CALL_ENTRY(module, name, ...) [NVTX_CBID_##module##_##name] = (intptr_t)module##_##name,

#define DATA const struct ext_data *data, size_t count
#define DOMAIN handle_domain(d)

#define ALL_PAYLOAD(X)                                                                             \
    X(PAYLOAD, Schema, uint64_t, (void *d, const struct ext_schema *s),                            \
      return register_schema(DOMAIN, s))                                                           \
    X(PAYLOAD, Enum, uint64_t, (void *d, const struct ext_enum *e),                                \
      return register_enum(DOMAIN, e))                                                             \
    X(PAYLOAD, Mark, void, (void *d, DATA), event_begin_payload(DOMAIN, REC_MARK, data, count))    \
    X(PAYLOAD, Push, int, (void *d, DATA),                                                         \
      return (int)event_begin_payload(DOMAIN, REC_PUSH, data, count))                              \
    X(PAYLOAD, Pop, int, (void *d, DATA),                                                          \
      return event_pop(DOMAIN, data, count, clock_ticks(file_clock)))                              \
    X(PAYLOAD, Start, uint64_t, (void *d, DATA),                                                   \
      return event_begin_payload(DOMAIN, REC_START, data, count))                                  \
    X(PAYLOAD, End, void, (void *d, uint64_t id, DATA), event_end(DOMAIN, id, data, count))        \
    X(PAYLOAD, Enabled, uint8_t, (void *d), return DOMAIN != DOMAIN_UNWANTED)                      \
    X(PAYLOAD, Now, int64_t, (void), return (int64_t)clock_ticks(file_clock))                      \
    X(PAYLOAD, Scope, uint64_t, (void *d, const struct ext_scope *s),                              \
      return register_scope(DOMAIN, s))

#define ALL_COUNTER(X)                                                                             \
    X(COUNTER, Counter, uint64_t, (void *d, const struct ext_counter *c),                          \
      return register_counter(DOMAIN, c))                                                          \
    X(COUNTER, Integer, void, (void *d, uint64_t counter, int64_t value),                          \
      event_count(DOMAIN, counter, REC_PAYLOAD_I64, (uint64_t)value))                              \
    X(COUNTER, Double, void, (void *d, uint64_t counter, double value), uint64_t bits;             \
      memcpy(&bits, &value, sizeof(bits)); event_count(DOMAIN, counter, REC_PAYLOAD_F64, bits))    \
    X(COUNTER, Sample, void, (void *d, uint64_t counter, const void *values, size_t size),         \
      add_samples(DOMAIN, REC_EXTENDED_SAMPLE, counter, values, size))                             \
    X(COUNTER, Nothing, void, (void *d, uint64_t counter, uint8_t reason),                         \
      event_count(DOMAIN, counter, REC_PAYLOAD_NONE, reason))                                      \
    X(COUNTER, Samples, void, (void *d, const struct ext_samples *s),                              \
      s && s->timestamps_size % sizeof(int64_t) == 0                                               \
          ? add_samples(DOMAIN, REC_EXTENDED_SAMPLES, s->counter, s->samples, s->samples_size)     \
          : losses_count(REC_LOSS_COUNTER))

ALL_PAYLOAD(CALL_FUNCTION)
ALL_COUNTER(CALL_FUNCTION)

static const intptr_t payload_functions[NVTX_CBID_PAYLOAD_SIZE] = {ALL_PAYLOAD(CALL_ENTRY)};
static const intptr_t counter_functions[] = {ALL_COUNTER(CALL_ENTRY)};

/* --- subscription ----------------------------------------------------------------------------- */

/* The versions of NVTX's extensions whose structs are in ext_abi.h: the upper byte is the major
 * version, the lower byte the lowest minor version that is supported. */
enum { PAYLOAD_VERSION = 0x0104, COUNTER_VERSION = 0x0102 };

/* Puts `count` functions into the program's table if the program has the structs of `version`. Of
 * these, a missing one counts a REC_LOSS_DEFERRED; all others in the table count a `loss`. */
static void set_functions(const struct ext_module *module, const struct ext_segment *segment,
                          enum rec_loss loss, uint16_t version, const intptr_t *functions,
                          size_t count) {
    bool known = segment->id == 0 && module->compatible >> 8 == version >> 8 &&
                 module->compatible >= version;

    for (size_t id = 0; id < segment->count; id++) {
        bool is_listed = known && id < count;
        segment->functions[id] = is_listed && functions[id]
                                     ? functions[id]
                                     : losses_function(is_listed ? REC_LOSS_DEFERRED : loss);
    }
}

static void fill(const struct ext_module *module, const struct ext_segment *segment) {
    if (module->id == EXT_PAYLOAD) {
        set_functions(module, segment, REC_LOSS_EXTENDED, PAYLOAD_VERSION, payload_functions,
                      sizeof(payload_functions) / sizeof(*payload_functions));
    } else if (module->id == EXT_COUNTER) {
        set_functions(module, segment, REC_LOSS_COUNTER, COUNTER_VERSION, counter_functions,
                      sizeof(counter_functions) / sizeof(*counter_functions));
    } else {
        set_functions(module, segment,
                      module->id == EXT_MEMORY ? REC_LOSS_MEMORY : REC_LOSS_EXTENSION, 0, NULL, 0);
    }
}

int InitializeInjectionNvtxExtension(struct ext_module *module) {
    if (!module || module->size < sizeof(*module)) {
        return 0;
    }
    if (!session_init()) {
        return tool_instead_ext(module);
    }
    for (size_t i = 0; i < module->segment_count; i++) {
        if (module->segments[i].functions) {
            fill(module, &module->segments[i]);
        }
    }
    tool_ext(module);
    return 1;
}
