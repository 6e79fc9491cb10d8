/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The entry point that NVTX calls once for each of its extensions in each executable and shared object. */
#include "chain.h"
#include "ext_abi.h"
#include "session.h"
#include "unsupported.h"

/* The structs of ext_abi.h are those of this major version (upper byte), from this minor version (lower byte) on. */
enum { PAYLOAD_VERSION = 0x0104, COUNTER_VERSION = 0x0102 };

static void count_all(struct ext_segment *segment, enum rec_loss loss)
{
    for (size_t id = 0; id < segment->count; id++) {
        segment->functions[id] = unsupported_function(loss);
    }
}

static void set(struct ext_segment *segment, const struct ext_function *all)
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

static void fill(const struct ext_module *module, struct ext_segment *segment)
{
    if (module->id == EXT_PAYLOAD) {
        count_all(segment, REC_LOSS_EXTENDED);
        if (segment->id == 0 && is_known(module->compatible, PAYLOAD_VERSION)) {
            set(segment, entry_schema_functions);
            set(segment, entry_payload_functions);
            set(segment, time_domain_functions);
        }
    } else if (module->id == EXT_COUNTER) {
        count_all(segment, REC_LOSS_COUNTER);
        if (segment->id == 0 && is_known(module->compatible, COUNTER_VERSION)) {
            set(segment, entry_schema_counter_functions);
            set(segment, entry_counter_functions);
        }
    } else {
        count_all(segment, module->id == EXT_MEMORY ? REC_LOSS_MEMORY : REC_LOSS_EXTENSION);
    }
}

__attribute__((visibility("default"))) int InitializeInjectionNvtxExtension(
    struct ext_module *module);

int InitializeInjectionNvtxExtension(struct ext_module *module)
{
    if (!module || module->size < sizeof(*module)) {
        return 0;
    }
    if (!session_init()) {
        return chain_instead_ext(module);
    }
    for (size_t i = 0; i < module->segment_count; i++) {
        if (module->segments[i].functions) {
            fill(module, &module->segments[i]);
        }
    }
    chain_ext(module);
    return 1;
}
