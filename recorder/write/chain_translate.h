/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_TRANSLATE_H
#define NVTXH_WRITE_CHAIN_TRANSLATE_H
/* Translates handles and ids. The program gets the recorder's handles and ids. Those of the other
 * tools are kept in tables, which are indexed by the recorder's numbers, and the program's
 * arguments are translated for each tool. Signal handlers and forked children may translate: this
 * takes no lock. Exceptions are chain_schema and chain_counter, which may call malloc. If a tool's
 * handle could not be kept, the tool gets 0, "no handle". */
#include "ext_abi.h"
#include "handle.h"

#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>

/* The chain: the recorder, the other tools, and the callbacks that they have filled in. */
enum { CHAIN_MOST = 7 }; /* the most other tools; the recorder is tool number 0 */
/* The extensions count as modules, too. Their numbers follow those of NVTX's own modules. */
enum { NVTX_CB_MODULE_PAYLOAD = NVTX_CB_MODULE_SYNC + 1, NVTX_CB_MODULE_COUNTER, CHAIN_MODULES };
enum { CHAIN_IDS = 18 }; /* more than the highest number of a function in any module */

struct chain_tool {
    NvtxFunctionPointer functions[CHAIN_MODULES][CHAIN_IDS];
    NvtxInitializeInjectionNvtxFunc_t init;
    int (*init_ext)(struct ext_module *module); /* the entry point for extensions, or NULL */
    const void *base;                           /* where the tool's library begins in memory */
    const char *path;
    bool worked; /* initialisation succeeded for at least one executable or shared object */
    bool said;   /* the failure of the initialisation was reported */
};

extern struct chain_tool chain_tools[CHAIN_MOST + 1];
extern unsigned chain_count; /* number of other tools; constant once chain_load returned true */

extern unsigned chain_answers; /* the program gets this tool's depths and range ids; 0: ours */

/* The first call loads the tools that the environment names. Returns whether the tools get the
 * calls of the executable or shared object that contains `code`. False: there are no tools, the
 * object is a tool itself, this thread is loading a tool, or another thread has not finished
 * loading the tools after 10 s. */
bool chain_load(const void *code);

/* Takes note of a tool's initialisation for one object. If it worked, the recording says that the
 * tool gets the same calls as the recorder. If it has failed for every object so far, the tool gets
 * no calls, and its failure is reported once. */
void chain_note(unsigned tool, bool worked);

/* CHAIN_AGAIN: a tool's handle of a domain that the program made again (see chain_keep). */
enum chain_kind { CHAIN_DOMAIN, CHAIN_AGAIN, CHAIN_STRING, CHAIN_RESOURCE, CHAIN_ID, CHAIN_KINDS };
enum { CHAIN_BLOCK = 1 << 12, CHAIN_BLOCKS = 1 << 14 }; /* rows of a block; blocks of each kind */

#define CHAIN_HIDDEN __attribute__((visibility("hidden")))

/* A row: element t is the handle or id of tool t. Element 0 is, in the row of an open range, the
 * recorder's id; in the row of a domain, how often it was made, less how often destroyed. */
typedef uint64_t chain_row[CHAIN_MOST + 1];
extern chain_row *chain_blocks[CHAIN_KINDS][CHAIN_BLOCKS] CHAIN_HIDDEN;

static inline uint64_t chain_get(enum chain_kind kind, uintptr_t number, unsigned tool) {
    uintptr_t n = number / CHAIN_BLOCK;
    chain_row *block =
        n < CHAIN_BLOCKS ? __atomic_load_n(&chain_blocks[kind][n], __ATOMIC_ACQUIRE) : NULL;

    return block ? __atomic_load_n(&block[number % CHAIN_BLOCK][tool], __ATOMIC_RELAXED) : 0;
}

/* The number in one of the recorder's handles, without the kind and the flags (handle.h). */
static inline uintptr_t chain_number(enum chain_kind kind, const void *handle) {
    uintptr_t number = (uintptr_t)handle >> HANDLE_SHIFT;
    uint32_t domain;

    return kind == CHAIN_DOMAIN     ? number & REC_DOMAIN_MAX
           : kind == CHAIN_RESOURCE ? handle_resource_known(handle, &domain)
                                    : number;
}

static inline void *chain_theirs(enum chain_kind kind, const void *handle, unsigned tool) {
    uintptr_t theirs = chain_get(kind, chain_number(kind, handle), tool);
    return (void *)theirs; /* NOLINT(performance-no-int-to-ptr) */
}

/* The domain's handle without HANDLE_EXCLUDED, the flag of a domain that is left out. For a handle
 * with the flag, the recorder would register strings in the default domain, where equal texts of
 * several domains share a handle. But the other tools need a handle for each domain. */
static inline void *chain_wanted(const void *domain) {
    uintptr_t handle = (uintptr_t)domain & ~((uintptr_t)HANDLE_EXCLUDED << HANDLE_SHIFT);
    return (void *)handle; /* NOLINT(performance-no-int-to-ptr) */
}

/* The tool's id of a schema, counter, scope or time domain. Ids below 2^32 are NVTX's or were
 * chosen by the program; they are the same for all tools. */
static inline uint64_t chain_their_id(uint64_t id, unsigned tool) {
    return id >> 32 ? chain_get(CHAIN_ID, id - (UINT64_C(1) << 32), tool) : id;
}

/* Keeps a tool's handle or id under the recorder's number. If the program makes a domain twice, the
 * recorder returns the same handle twice. The tool's first handle is then used for both domains.
 * Its second handle is kept as CHAIN_AGAIN until the program destroys one of the two domains. */
void chain_keep(enum chain_kind kind, const void *handle, unsigned tool, void *theirs);
void chain_keep_id(uint64_t id, unsigned tool, uint64_t theirs);

/* chain_domain_made counts how often a domain was made. chain_domain_gone returns the handles that
 * the tools have to destroy when the program destroys a domain. */
void chain_domain_made(const void *handle);
void chain_domain_gone(const void *handle, chain_row ret_theirs);

/* Begins a process range; `each` has the recorder's and the tools' ids. Returns the id that the
 * program gets: see chain_answers. */
uint64_t chain_range_open(chain_row each);

/* Ends the range that the program knows by `id`: stores the recorder's and the tools' ids in
 * ret_each. If no tool's id was kept, the recorder's id is `id` itself, and the tools' are 0. */
void chain_range_close(uint64_t id, chain_row ret_each);

/* The functions below translate a program's arguments for a tool. They return a translated copy, or
 * the argument itself if nothing in it has to be translated. */

/* The most payloads of one event that are translated. If an event has more, and the id of one of
 * their schemas must be translated, the tool gets the event without payloads. */
enum { CHAIN_DATA = 16 };

struct chain_sync { /* the layout of nvtxSyncUserAttributes_t in nvToolsExtSync.h */
    uint16_t version, size;
    int32_t messageType;
    nvtxMessageValue_t message;
};

union chain_copy {
    struct {
        nvtxEventAttributes_t attributes;
        struct ext_data data[CHAIN_DATA];
    };
    nvtxResourceAttributes_t resource;
    struct chain_sync sync;
    struct ext_schema schema;
    struct ext_time_domain time_domain;
    struct ext_scope scope;
    struct ext_counter counter;
    struct ext_samples samples;
    struct ext_events events;
};

const struct ext_data *chain_data(const struct ext_data *data, size_t count, union chain_copy *copy,
                                  unsigned tool);
size_t chain_data_count(const struct ext_data *data, size_t count);
const nvtxResourceAttributes_t *chain_resource(const nvtxResourceAttributes_t *a,
                                               union chain_copy *copy, unsigned tool);
const struct chain_sync *chain_sync(const struct chain_sync *a, union chain_copy *copy,
                                    unsigned tool);

#define CHAIN_STRUCT(what)                                                                         \
    const struct ext_##what *chain_##what(const struct ext_##what *given, union chain_copy *copy,  \
                                          unsigned tool)
CHAIN_STRUCT(schema);
CHAIN_STRUCT(time_domain);
CHAIN_STRUCT(scope);
CHAIN_STRUCT(counter);
CHAIN_STRUCT(samples);
CHAIN_STRUCT(events);

/* Does the work of chain_attributes if `a` is NULL, is shorter than today's struct, has no message,
 * or has payloads of the payload extension. */
const nvtxEventAttributes_t *chain_attributes_rare(const nvtxEventAttributes_t *a,
                                                   union chain_copy *copy, unsigned tool);

static inline const nvtxEventAttributes_t *chain_attributes(const nvtxEventAttributes_t *a,
                                                            union chain_copy *copy, unsigned tool) {
    if (__builtin_expect(!a || a->size < sizeof(*a) || a->reserved0 || !a->message.ascii, 0)) {
        return chain_attributes_rare(a, copy, tool);
    }
    if (a->messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
        return a;
    }
    copy->attributes = *a;
    copy->attributes.message.registered =
        (nvtxStringHandle_t)chain_theirs(CHAIN_STRING, a->message.registered, tool);
    return &copy->attributes;
}

#endif /* NVTXH_WRITE_CHAIN_TRANSLATE_H */
