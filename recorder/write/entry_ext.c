/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry point that NVTX calls once for each of its extensions in each executable and shared object. */
#include "ext_abi.h"
#include "session.h"
#include "unsupported.h"

enum { MODULE_MEMORY = 1, MODULE_PAYLOAD = 2, MODULE_COUNTER = 4 };
/* What the structs of ext_abi.h are right for: a major version, and the first minor one. */
enum { PAYLOAD_VERSION = 0x0104, COUNTER_VERSION = 0x0102 };

struct segment {
    size_t id;
    size_t count;
    intptr_t *functions;
};

struct module {
    uint16_t nvtx_version;
    uint16_t size;
    uint16_t id;
    uint16_t compatible;
    size_t segment_count;
    struct segment *segments;
};

static void count_all(struct segment *segment, enum rec_loss loss)
{
    for (size_t id = 0; id < segment->count; id++) {
        segment->functions[id] = unsupported_function(loss);
    }
}

static void set(struct segment *segment, const struct ext_function *all)
{
    for (; all->function; all++) {
        if (all->id < segment->count) {
            segment->functions[all->id] = all->function;
        }
    }
}

static int is_known(uint16_t version, uint16_t wanted)
{
    return version >> 8 == wanted >> 8 && version >= wanted;
}

static void fill(const struct module *module, struct segment *segment)
{
    if (module->id == MODULE_PAYLOAD) {
        count_all(segment, REC_LOSS_EXTENDED);
        if (segment->id == 0 && is_known(module->compatible, PAYLOAD_VERSION)) {
            set(segment, entry_schema_functions);
            set(segment, entry_payload_functions);
            set(segment, time_domain_functions);
        }
    } else if (module->id == MODULE_COUNTER) {
        count_all(segment, REC_LOSS_COUNTER);
        if (segment->id == 0 && is_known(module->compatible, COUNTER_VERSION)) {
            set(segment, entry_schema_counter_functions);
            set(segment, entry_counter_functions);
        }
    } else {
        count_all(segment, module->id == MODULE_MEMORY ? REC_LOSS_MEMORY : REC_LOSS_EXTENSION);
    }
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(struct module *module);

int InitializeInjectionNvtxExtension(struct module *module)
{
    if (!module || module->size < sizeof(*module) || !session_init()) {
        return 0;
    }
    for (size_t i = 0; i < module->segment_count; i++) {
        if (module->segments[i].functions) {
            fill(module, &module->segments[i]);
        }
    }
    return 1;
}
