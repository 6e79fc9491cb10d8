/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The other tool: loads it, and translates handles and ids. The program gets the recorder's handles
 * and ids. The tool's are kept in tables, which are indexed by the recorder's numbers, and the
 * program's arguments are translated. Signal handlers and forked children may translate: this takes
 * no lock. Exceptions are tool_schema and tool_counter, which may call malloc. If a handle could
 * not be kept, the tool gets 0, "no handle". */
#include "ext_abi.h"
#include "handle.h"

#include <nvtx3/nvToolsExt.h>
#include <stdbool.h>

/* The extensions count as modules, too. Their numbers follow those of NVTX's own modules. */
enum { NVTX_CB_MODULE_PAYLOAD = NVTX_CB_MODULE_SYNC + 1, NVTX_CB_MODULE_COUNTER, TOOL_MODULES };
enum { TOOL_IDS = 18 }; /* more than the highest number of a function in any module */

/* The callbacks that the recorder and the tool have filled in. */
enum { TOOL_OURS, TOOL_THEIRS, TOOL_SIDES };
extern NvtxFunctionPointer tool_functions[TOOL_SIDES][TOOL_MODULES][TOOL_IDS];

/* The entry points of the tool's library; constant once tool_load returned true. */
extern NvtxInitializeInjectionNvtxFunc_t tool_init;
extern int (*tool_init_ext)(struct ext_module *module); /* may be NULL */

/* The first call loads the tool that the environment names. Returns whether the tool gets the calls
 * of the executable or shared object that contains `code`. False: there is no tool, the object is
 * the tool itself, this thread is loading the tool, or another thread has not finished loading it
 * after 10 s. */
bool tool_load(const void *code);

/* Takes note of the tool's initialisation for one object. If it worked, the recording says that the
 * tool gets the same calls as the recorder. If it has failed for every object so far, the tool gets
 * no calls, and its failure is reported once. */
void tool_report(bool worked);

/* TOOL_AGAIN: the tool's handle of a domain that the program made again (see tool_keep). */
enum tool_kind { TOOL_DOMAIN, TOOL_AGAIN, TOOL_STRING, TOOL_RESOURCE, TOOL_ID, TOOL_KINDS };
enum { TOOL_BLOCK = 1 << 12, TOOL_BLOCKS = 1 << 14 }; /* rows of a block; blocks of each kind */

#define TOOL_HIDDEN __attribute__((visibility("hidden")))

struct tool_row {
    /* Of an open range: the recorder's id. Of a domain: how often it was made, less how often
     * destroyed. */
    uint64_t ours;
    uint64_t theirs; /* the tool's handle or id */
};
extern struct tool_row *tool_blocks[TOOL_KINDS][TOOL_BLOCKS] TOOL_HIDDEN;

static inline uint64_t tool_get(enum tool_kind kind, uintptr_t number) {
    uintptr_t n = number / TOOL_BLOCK;
    struct tool_row *block =
        n < TOOL_BLOCKS ? __atomic_load_n(&tool_blocks[kind][n], __ATOMIC_ACQUIRE) : NULL;

    return block ? __atomic_load_n(&block[number % TOOL_BLOCK].theirs, __ATOMIC_RELAXED) : 0;
}

/* The number in one of the recorder's handles, without the kind and the flags (handle.h). */
static inline uintptr_t tool_number(enum tool_kind kind, const void *handle) {
    uintptr_t number = (uintptr_t)handle >> HANDLE_SHIFT;
    uint32_t domain;

    if (kind == TOOL_DOMAIN) {
        return number & REC_DOMAIN_MAX;
    }
    return kind == TOOL_RESOURCE ? handle_resource_known(handle, &domain) : number;
}

static inline void *tool_theirs(enum tool_kind kind, const void *handle) {
    uintptr_t theirs = tool_get(kind, tool_number(kind, handle));
    return (void *)theirs; /* NOLINT(performance-no-int-to-ptr) */
}

/* The domain's handle without HANDLE_EXCLUDED, the flag of a domain that is left out. For a handle
 * with the flag, the recorder would register strings in the default domain, where equal texts of
 * several domains share a handle. But the tool needs a handle for each domain. */
static inline void *tool_wanted(const void *domain) {
    uintptr_t handle = (uintptr_t)domain & ~((uintptr_t)HANDLE_EXCLUDED << HANDLE_SHIFT);
    return (void *)handle; /* NOLINT(performance-no-int-to-ptr) */
}

/* The tool's id of a schema, counter or scope. Ids below 2^32 are NVTX's or were chosen by the
 * program; they are the same for the tool. */
static inline uint64_t tool_their_id(uint64_t id) {
    return id >> 32 ? tool_get(TOOL_ID, id - (UINT64_C(1) << 32)) : id;
}

/* Keeps the tool's handle or id under the recorder's number. If the program makes a domain twice,
 * the recorder returns the same handle twice. The tool's first handle is then used for both
 * domains. Its second handle is kept as TOOL_AGAIN until the program destroys one of the two. */
void tool_keep(enum tool_kind kind, const void *handle, void *theirs);
void tool_keep_id(uint64_t id, uint64_t theirs);

/* tool_domain_made counts how often a domain was made. tool_domain_gone returns the handle that
 * the tool has to destroy when the program destroys a domain; 0: none. */
void tool_domain_made(const void *handle);
uint64_t tool_domain_gone(const void *handle);

/* Begins a process range; `each` has the recorder's and the tool's id. Returns the id that the
 * program gets: the recorder's, or a new one if the recorder gave none. */
uint64_t tool_range_open(struct tool_row each);

/* Ends the range that the program knows by `id`: returns the recorder's and the tool's id. If the
 * tool's id was not kept, the recorder's id is `id` itself, and the tool's is 0. */
struct tool_row tool_range_close(uint64_t id);

/* The functions below translate a program's arguments for the tool. They return a translated copy,
 * or the argument itself if nothing in it has to be translated. */

/* The most payloads of one event that are translated. If an event has more, and the id of one of
 * their schemas must be translated, the tool gets the event without payloads. */
enum { TOOL_DATA = 16 };

struct tool_sync { /* the layout of nvtxSyncUserAttributes_t in nvToolsExtSync.h */
    uint16_t version, size;
    int32_t messageType;
    nvtxMessageValue_t message;
};

union tool_copy {
    struct {
        nvtxEventAttributes_t attributes;
        struct ext_data data[TOOL_DATA];
    };
    nvtxResourceAttributes_t resource;
    struct tool_sync sync;
    struct ext_schema schema;
    struct ext_scope scope;
    struct ext_counter counter;
    struct ext_samples samples;
};

const struct ext_data *tool_data(const struct ext_data *data, size_t count, union tool_copy *copy);
size_t tool_data_count(const struct ext_data *data, size_t count);
const nvtxResourceAttributes_t *tool_resource(const nvtxResourceAttributes_t *a,
                                              union tool_copy *copy);
const struct tool_sync *tool_sync(const struct tool_sync *a, union tool_copy *copy);

#define TOOL_STRUCT(what)                                                                          \
    const struct ext_##what *tool_##what(const struct ext_##what *given, union tool_copy *copy)
TOOL_STRUCT(schema);
TOOL_STRUCT(scope);
TOOL_STRUCT(counter);
TOOL_STRUCT(samples);

/* Does the work of tool_attributes if `a` is NULL, is shorter than the current struct, has no
 * message, or has payloads of the payload extension. */
const nvtxEventAttributes_t *tool_attributes_rare(const nvtxEventAttributes_t *a,
                                                  union tool_copy *copy);

static inline const nvtxEventAttributes_t *tool_attributes(const nvtxEventAttributes_t *a,
                                                           union tool_copy *copy) {
    if (__builtin_expect(!a || a->size < sizeof(*a) || a->reserved0 || !a->message.ascii, 0)) {
        return tool_attributes_rare(a, copy);
    }
    if (a->messageType != NVTX_MESSAGE_TYPE_REGISTERED) {
        return a;
    }
    copy->attributes = *a;
    copy->attributes.message.registered =
        (nvtxStringHandle_t)tool_theirs(TOOL_STRING, a->message.registered);
    return &copy->attributes;
}
