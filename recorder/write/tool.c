/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "tool.h"
#include "tool_translate.h"
#include "subscribe.h"

#include <string.h>

/* Defines the functions that NVTX calls when there is another tool. Each macro from PASS to DEFINE
 * defines one kind of function. A macro's parameters are NVTX's module, the function's name and
 * parameters, and the arguments for the recorder (`to_us`) and for the tool (`to_tool`). */
#define CALL_ROW(side, module, name)                                                               \
    (tool_functions[TOOL_##side][NVTX_CB_MODULE_##module][NVTX_CBID_##module##_##name])
#define CALL_OURS(module, name, type, params, to_us)                                               \
    ((type(*) params)CALL_ROW(OURS, module, name)) to_us

/* Runs `then` if the tool has the function; in `then`, `call` is this function. */
#define CALL_THEIRS(module, name, type, params, then)                                              \
    do {                                                                                           \
        union tool_copy copy __attribute__((unused));                                              \
        type(*call) params = (type(*) params)CALL_ROW(THEIRS, module, name);                       \
        if (call) {                                                                                \
            then;                                                                                  \
        }                                                                                          \
    } while (0)

#define PASS(module, name, params, to_us, to_tool)                                                 \
    static void module##_##name params {                                                           \
        CALL_OURS(module, name, void, params, to_us);                                              \
        CALL_THEIRS(module, name, void, params, call to_tool);                                     \
    }
/* The program gets the depth that the recorder returns. The recorder's range begins last and ends
 * first, so that it does not include the tool's work. */
#define PUSH(module, name, params, to_us, to_tool)                                                 \
    static int module##_##name params {                                                            \
        CALL_THEIRS(module, name, int, params, call to_tool);                                      \
        return CALL_OURS(module, name, int, params, to_us);                                        \
    }
#define POP(module, name, params, to_us, to_tool)                                                  \
    static int module##_##name params {                                                            \
        int depth = CALL_OURS(module, name, int, params, to_us);                                   \
        CALL_THEIRS(module, name, int, params, call to_tool);                                      \
        return depth;                                                                              \
    }
/* The tool's id of the range is kept until the range ends. */
#define START(module, name, params, to_us, to_tool)                                                \
    static nvtxRangeId_t module##_##name params {                                                  \
        struct tool_row each = {0};                                                                \
        CALL_THEIRS(module, name, nvtxRangeId_t, params, each.theirs = call to_tool);              \
        each.ours = CALL_OURS(module, name, nvtxRangeId_t, params, to_us);                         \
        return tool_range_open(each);                                                              \
    }
#define END(module, name, params, to_us, to_tool)                                                  \
    static void module##_##name params {                                                           \
        struct tool_row each = tool_range_close(id);                                               \
        CALL_OURS(module, name, void, params, to_us);                                              \
        CALL_THEIRS(module, name, void, params, call to_tool);                                     \
    }
/* The program gets the recorder's handle; the tool's handle is kept for translation. */
#define MAKE(module, name, params, to_us, to_tool, kind)                                           \
    static void *module##_##name params {                                                          \
        void *handle = CALL_OURS(module, name, void *, params, to_us);                             \
        CALL_THEIRS(module, name, void *, params, tool_keep(kind, handle, call to_tool));          \
        if (kind == TOOL_DOMAIN) {                                                                 \
            tool_domain_made(handle);                                                              \
        }                                                                                          \
        return handle;                                                                             \
    }
/* As MAKE, for ids in place of handles. If the recorder returns the same id again, because the
 * program has repeated a definition, the tool's new id replaces its old one. */
#define DEFINE(module, name, params, to_us, to_tool)                                               \
    static uint64_t module##_##name params {                                                       \
        uint64_t id = CALL_OURS(module, name, uint64_t, params, to_us);                            \
        CALL_THEIRS(module, name, uint64_t, params, tool_keep_id(id, call to_tool));               \
        return id;                                                                                 \
    }

/* The parameters d (domain), r (resource) and a (attributes), and ids, translated for the tool. */
#define TOOL_D tool_theirs(TOOL_DOMAIN, d)
#define TOOL_R tool_theirs(TOOL_RESOURCE, r)
#define TOOL_A tool_attributes(a, &copy)
#define TOOL_I(id) tool_their_id(id)

/* A text for the tool: "" in place of NULL, because some tools do not check for NULL. */
#define TOOL_S(text) ((text) ? (text) : "")
#define TOOL_W(text) ((text) ? (text) : L"")

/* ALL_CORE(X) and ALL_EXT(X) list the functions as X(kind, ...). With CALL_FUNCTION for X, the list
 * defines the functions; with CALL_ENTRY, it fills their table. */
#define CALL_FUNCTION(kind, ...) kind(__VA_ARGS__)
#define CALL_ENTRY(kind, module, name, ...)                                                        \
    {(NvtxCallbackModule)NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name,                     \
     (NvtxFunctionPointer)module##_##name},

/* --- the core: the functions that NVTX calls -------------------------------------------------- */

#define EX const nvtxEventAttributes_t *a
#define TEXT(X, kind, module, name)                                                                \
    X(kind, module, name##A, (const char *text), (text), (TOOL_S(text)))                           \
    X(kind, module, name##W, (const wchar_t *text), (text), (TOOL_W(text)))
#define NAMES(X, module, what, ...)                                                                \
    X(PASS, module, Name##what##A, (uintptr_t o, const char *name), (o, name), (o, TOOL_S(name)))  \
    X(PASS, module, Name##what##W, (uintptr_t o, const wchar_t *name), (o, name), (o, TOOL_W(name)))
#define SYNC(X, what) X(PASS, SYNC, DomainSyncUser##what, (void *r), (r), (TOOL_R))

#define ALL_CORE(X)                                                                                \
    X(PASS, CORE, MarkEx, (EX), (a), (TOOL_A))                                                     \
    TEXT(X, PASS, CORE, Mark)                                                                      \
    X(START, CORE, RangeStartEx, (EX), (a), (TOOL_A))                                              \
    TEXT(X, START, CORE, RangeStart)                                                               \
    X(END, CORE, RangeEnd, (nvtxRangeId_t id), (each.ours), (each.theirs))                         \
    X(PUSH, CORE, RangePushEx, (EX), (a), (TOOL_A))                                                \
    TEXT(X, PUSH, CORE, RangePush)                                                                 \
    X(POP, CORE, RangePop, (void), (), ())                                                         \
    NAMES(X, CORE, Category, )                                                                     \
    NAMES(X, CORE, OsThread, )                                                                     \
    X(PASS, CORE2, DomainMarkEx, (void *d, EX), (d, a), (TOOL_D, TOOL_A))                          \
    X(START, CORE2, DomainRangeStartEx, (void *d, EX), (d, a), (TOOL_D, TOOL_A))                   \
    X(END, CORE2, DomainRangeEnd, (void *d, nvtxRangeId_t id), (d, each.ours),                     \
      (TOOL_D, each.theirs))                                                                       \
    X(PUSH, CORE2, DomainRangePushEx, (void *d, EX), (d, a), (TOOL_D, TOOL_A))                     \
    X(POP, CORE2, DomainRangePop, (void *d), (d), (TOOL_D))                                        \
    X(PASS, CORE2, DomainNameCategoryA, (void *d, uint32_t n, const char *s), (d, n, s),           \
      (TOOL_D, n, TOOL_S(s)))                                                                      \
    X(PASS, CORE2, DomainNameCategoryW, (void *d, uint32_t n, const wchar_t *s), (d, n, s),        \
      (TOOL_D, n, TOOL_W(s)))                                                                      \
    X(MAKE, CORE2, DomainRegisterStringA, (void *d, const char *s), (tool_wanted(d), s),           \
      (TOOL_D, TOOL_S(s)), TOOL_STRING)                                                            \
    X(MAKE, CORE2, DomainRegisterStringW, (void *d, const wchar_t *s), (tool_wanted(d), s),        \
      (TOOL_D, TOOL_W(s)), TOOL_STRING)                                                            \
    X(MAKE, CORE2, DomainCreateA, (const char *name), (name), (TOOL_S(name)), TOOL_DOMAIN)         \
    X(MAKE, CORE2, DomainCreateW, (const wchar_t *name), (name), (TOOL_W(name)), TOOL_DOMAIN)      \
    X(MAKE, CORE2, DomainResourceCreate, (void *d, const nvtxResourceAttributes_t *a), (d, a),     \
      (TOOL_D, tool_resource(a, &copy)), TOOL_RESOURCE)                                            \
    X(PASS, CORE2, DomainResourceDestroy, (void *r), (r), (TOOL_R))                                \
    X(PASS, CORE2, Initialize, (const void *reserved), (reserved), (reserved))                     \
    SUBSCRIBE_OBJECTS(X, NAMES)                                                                    \
    X(MAKE, SYNC, DomainSyncUserCreate, (void *d, const struct tool_sync *a), (d, a),              \
      (TOOL_D, tool_sync(a, &copy)), TOOL_RESOURCE)                                                \
    SYNC(X, Destroy)                                                                               \
    SYNC(X, AcquireStart)                                                                          \
    SYNC(X, AcquireFailed)                                                                         \
    SYNC(X, AcquireSuccess)                                                                        \
    SYNC(X, Releasing)

ALL_CORE(CALL_FUNCTION)

static void CORE2_DomainDestroy(void *d) {
    void (*call)(uintptr_t) = (void (*)(uintptr_t))CALL_ROW(THEIRS, CORE2, DomainDestroy);
    uintptr_t theirs = tool_domain_gone(d);

    CALL_OURS(CORE2, DomainDestroy, void, (void *), (d));
    if (call && theirs) {
        call(theirs);
    }
}

static const struct callback core_callbacks[] = {ALL_CORE(CALL_ENTRY)
                                                     CALL_ENTRY(PASS, CORE2, DomainDestroy, ){0}};

/* --- the tables that both fill in ------------------------------------------------------------- */

static const unsigned sizes[TOOL_MODULES] = {
    [NVTX_CB_MODULE_CORE] = NVTX_CBID_CORE_SIZE,
    [NVTX_CB_MODULE_CUDA] = NVTX_CBID_CUDA_SIZE,
    [NVTX_CB_MODULE_OPENCL] = NVTX_CBID_OPENCL_SIZE,
    [NVTX_CB_MODULE_CUDART] = NVTX_CBID_CUDART_SIZE,
    [NVTX_CB_MODULE_CORE2] = NVTX_CBID_CORE2_SIZE,
    [NVTX_CB_MODULE_SYNC] = NVTX_CBID_SYNC_SIZE,
};

static NvtxGetExportTableFunc_t nvtx_get;

static int table_of(unsigned side, NvtxCallbackModule module, NvtxFunctionTable *ret_table,
                    unsigned *ret_size) {
    static NvtxFunctionPointer *pointers[TOOL_SIDES][TOOL_MODULES][TOOL_IDS];

    if ((unsigned)module >= TOOL_MODULES || !sizes[module]) {
        return 0;
    }
    for (unsigned id = 1; id < sizes[module]; id++) { /* 0 is no function */
        pointers[side][module][id] = &tool_functions[side][module][id];
    }
    if (ret_table) {
        *ret_table = pointers[side][module];
    }
    if (ret_size) {
        *ret_size = sizes[module];
    }
    return 1;
}

static int table_ours(NvtxCallbackModule module, NvtxFunctionTable *ret_table, unsigned *ret_size) {
    return table_of(TOOL_OURS, module, ret_table, ret_size);
}

static int table_theirs(NvtxCallbackModule module, NvtxFunctionTable *ret_table,
                        unsigned *ret_size) {
    return table_of(TOOL_THEIRS, module, ret_table, ret_size);
}

/* By this function the tool asks NVTX for its tables. */
static const void *get_theirs(uint32_t table) {
    static const NvtxExportTableCallbacks exported = {sizeof(exported), table_theirs};
    return table == NVTX_ETID_CALLBACKS ? &exported : nvtx_get(table);
}

/* Stands in for a callback that the recorder lacks, so that CALL_OURS need not check for NULL. */
static void nothing(void) {
}

const NvtxExportTableCallbacks *tool_begin(NvtxGetExportTableFunc_t get,
                                           const NvtxExportTableCallbacks *exported) {
    static const NvtxExportTableCallbacks ours = {sizeof(ours), table_ours};

    if (!tool_load(*(void **)&get)) {
        return exported;
    }
    nvtx_get = get;
    for (const struct callback *c = core_callbacks; c->function; c++) {
        if (!tool_functions[TOOL_OURS][c->module][c->id]) {
            tool_functions[TOOL_OURS][c->module][c->id] = nothing;
        }
    }
    tool_report(tool_init(get_theirs) != 0);
    return &ours;
}

/* Whether NVTX must get this file's function in place of the recorder's: if the tool wants the
 * call, or if `is_end` is true. `is_end`: the call ends a range, whose id may be kept for the tool,
 * or destroys a domain, of which the tool's handle must be forgotten. */
static bool is_callback_wanted(const struct callback *c, bool is_end) {
    return is_end || tool_functions[TOOL_THEIRS][c->module][c->id];
}

void tool_end(const NvtxExportTableCallbacks *exported) {
    for (const struct callback *c = core_callbacks; c->function; c++) {
        struct callback one[2] = {*c};
        bool is_end = c->function == (NvtxFunctionPointer)CORE_RangeEnd ||
                      c->function == (NvtxFunctionPointer)CORE2_DomainRangeEnd ||
                      c->function == (NvtxFunctionPointer)CORE2_DomainDestroy;
        if (!is_callback_wanted(c, is_end)) {
            one->function = tool_functions[TOOL_OURS][c->module][c->id];
        }
        if (one->function != nothing) {
            subscribe(exported, one);
        }
    }
}

int tool_instead(NvtxGetExportTableFunc_t get) {
    return tool_load(*(void **)&get) && tool_init(get);
}

/* --- the extensions: payloads and counters ---------------------------------------------------- */

#define DATA const struct ext_data *data, size_t count
#define TRANSLATED                                                                                 \
    tool_data(data, tool_data_count(data, count), &copy), tool_data_count(data, count)
#define STRUCT(what)                                                                               \
    (void *d, const struct ext_##what *s), (tool_wanted(d), s), (TOOL_D, tool_##what(s, &copy))

#define ALL_EXT(X)                                                                                 \
    X(DEFINE, PAYLOAD, Schema, STRUCT(schema))                                                     \
    X(DEFINE, PAYLOAD, Enum, (void *d, const void *s), (tool_wanted(d), s), (TOOL_D, s))           \
    X(PASS, PAYLOAD, Mark, (void *d, DATA), (d, data, count), (TOOL_D, TRANSLATED))                \
    X(PUSH, PAYLOAD, Push, (void *d, DATA), (d, data, count), (TOOL_D, TRANSLATED))                \
    X(POP, PAYLOAD, Pop, (void *d, DATA), (d, data, count), (TOOL_D, TRANSLATED))                  \
    X(START, PAYLOAD, Start, (void *d, DATA), (d, data, count), (TOOL_D, TRANSLATED))              \
    X(DEFINE, PAYLOAD, Scope, STRUCT(scope))                                                       \
    X(DEFINE, COUNTER, Counter, STRUCT(counter))                                                   \
    X(PASS, COUNTER, Integer, (void *d, uint64_t i, int64_t value), (d, i, value),                 \
      (TOOL_D, TOOL_I(i), value))                                                                  \
    X(PASS, COUNTER, Double, (void *d, uint64_t i, double value), (d, i, value),                   \
      (TOOL_D, TOOL_I(i), value))                                                                  \
    X(PASS, COUNTER, Sample, (void *d, uint64_t i, const void *values, size_t size),               \
      (d, i, values, size), (TOOL_D, TOOL_I(i), values, size))                                     \
    X(PASS, COUNTER, Nothing, (void *d, uint64_t i, uint8_t reason), (d, i, reason),               \
      (TOOL_D, TOOL_I(i), reason))                                                                 \
    X(PASS, COUNTER, Samples, (void *d, const struct ext_samples *s), (d, s),                      \
      (TOOL_D, tool_samples(s, &copy)))

ALL_EXT(CALL_FUNCTION)

/* Ends a process range; the end has payloads. If the tool knows the range, but lacks the payload
 * extension, it gets a call of DomainRangeEnd, without the payloads. */
static void PAYLOAD_End(void *d, uint64_t id, DATA) {
    struct tool_row each = tool_range_close(id);

    CALL_OURS(PAYLOAD, End, void, (void *, uint64_t, DATA), (d, each.ours, data, count));
    CALL_THEIRS(PAYLOAD, End, void, (void *, uint64_t, DATA),
                call(TOOL_D, each.theirs, TRANSLATED));
    if (each.theirs && !CALL_ROW(THEIRS, PAYLOAD, End)) {
        CALL_THEIRS(CORE2, DomainRangeEnd, void, (void *, uint64_t), call(TOOL_D, each.theirs));
    }
}

static uint8_t PAYLOAD_Enabled(void *d) {
    uint8_t result = CALL_OURS(PAYLOAD, Enabled, uint8_t, (void *), (d));

    CALL_THEIRS(PAYLOAD, Enabled, uint8_t, (void *), result |= call(TOOL_D));
    return result;
}

/* A tool without the payload extension gets an empty push, because it will get the pop. */
static int push_nothing(void *d, DATA) {
    nvtxEventAttributes_t none = {.version = NVTX_VERSION, .size = sizeof(none)};

    if (!CALL_ROW(THEIRS, PAYLOAD, Push)) {
        CALL_THEIRS(CORE2, DomainRangePushEx, int, (void *, const nvtxEventAttributes_t *),
                    call(TOOL_D, &none));
    }
    return PAYLOAD_Push(d, data, count);
}

/* The functions of the extensions. The tool gets no calls about deferred events, and is not asked
 * for its time: Now returns the time of the recorder's clock. */
static const struct callback ext_callbacks[] = {ALL_EXT(CALL_ENTRY) CALL_ENTRY(END, PAYLOAD, End, )
                                                    CALL_ENTRY(PASS, PAYLOAD, Enabled, ){0}};

/* Stores in *ret the functions that the tool's entry point for extensions fills in. Leaves the
 * table of `module` as it is. */
static void ask(const struct ext_module *module, NvtxFunctionPointer *ret) {
    intptr_t slots[TOOL_IDS] = {0};
    struct ext_segment segment = *module->segments;
    struct ext_module theirs = *module;

    segment.functions = slots;
    segment.count = segment.count < TOOL_IDS ? segment.count : TOOL_IDS;
    theirs.segments = &segment;
    theirs.segment_count = 1;
    theirs.size = sizeof(theirs);
    if (tool_init_ext && tool_init_ext(&theirs)) {
        memcpy(ret, slots, sizeof(slots));
    }
}

void tool_ext(struct ext_module *module) {
    unsigned number = module->id == EXT_PAYLOAD ? NVTX_CB_MODULE_PAYLOAD : NVTX_CB_MODULE_COUNTER;
    struct ext_segment *s = module->segments;

    if ((module->id != EXT_PAYLOAD && module->id != EXT_COUNTER) || !module->segment_count ||
        s->id != 0 || !s->functions || !tool_load(s->functions)) {
        return;
    }
    ask(module, tool_functions[TOOL_THEIRS][number]);
    if (!CALL_ROW(THEIRS, PAYLOAD, Pop)) { /* use the pop of the core, without payloads */
        CALL_ROW(THEIRS, PAYLOAD, Pop) = CALL_ROW(THEIRS, CORE2, DomainRangePop);
    }
    for (const struct callback *c = ext_callbacks; c->function; c++) {
        if ((unsigned)c->module != number || c->id >= s->count) {
            continue;
        }
        memcpy(&tool_functions[TOOL_OURS][number][c->id], &s->functions[c->id], sizeof(intptr_t));
        bool pushes = c->function == (NvtxFunctionPointer)PAYLOAD_Push;
        if (pushes || is_callback_wanted(c, c->function == (NvtxFunctionPointer)PAYLOAD_End)) {
            s->functions[c->id] = pushes ? (intptr_t)push_nothing : (intptr_t)c->function;
        }
    }
}

int tool_instead_ext(struct ext_module *module) {
    return tool_load(module->segments) && tool_init_ext && tool_init_ext(module);
}
