/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "chain.h"
#include "chain_translate.h"
#include "subscribe.h"

#include <string.h>

/* Defines the functions that NVTX calls when there are other tools. Each macro from PASS to DEFINE
 * defines one kind of function. A macro's parameters are NVTX's module, the function's name and
 * parameters, and the arguments for the recorder (`ours`) and for tool number t (`theirs`). */
#define CALL_ROW(t, module, name)                                                                  \
    (chain_tools[t].functions[NVTX_CB_MODULE_##module][NVTX_CBID_##module##_##name])
#define CALL_OURS(module, name, type, params, ours) ((type(*) params)CALL_ROW(0, module, name)) ours

/* Runs `then` for each tool t that has the function; in `then`, `call` is the tool's function. */
#define CALL_EACH(module, name, type, params, then)                                                \
    for (unsigned t = 1; t <= chain_count; t++) {                                                  \
        union chain_copy copy __attribute__((unused));                                             \
        type(*call) params = (type(*) params)CALL_ROW(t, module, name);                            \
        if (call) {                                                                                \
            then;                                                                                  \
        }                                                                                          \
    }
/* Calls the tool. Sets `asked` to the result if the program gets this tool's results. */
#define CALL_ASKED(theirs)                                                                         \
    int returned = call theirs;                                                                    \
    asked = t == chain_answers ? returned : asked

#define PASS(module, name, params, ours, theirs)                                                   \
    static void module##_##name params {                                                           \
        CALL_OURS(module, name, void, params, ours);                                               \
        CALL_EACH(module, name, void, params, call theirs)                                         \
    }
/* The recorder's range begins last and ends first, so that it does not include the tools' work. */
#define PUSH(module, name, params, ours, theirs)                                                   \
    static int module##_##name params {                                                            \
        int asked = NVTX_NO_PUSH_POP_TRACKING;                                                     \
        CALL_EACH(module, name, int, params, CALL_ASKED(theirs))                                   \
        int result = CALL_OURS(module, name, int, params, ours);                                   \
        return chain_answers ? asked : result;                                                     \
    }
#define POP(module, name, params, ours, theirs)                                                    \
    static int module##_##name params {                                                            \
        int asked = NVTX_NO_PUSH_POP_TRACKING,                                                     \
            result = CALL_OURS(module, name, int, params, ours);                                   \
        CALL_EACH(module, name, int, params, CALL_ASKED(theirs))                                   \
        return chain_answers ? asked : result;                                                     \
    }
/* Each tool's id of the range is kept until the range ends. */
#define START(module, name, params, ours, theirs)                                                  \
    static nvtxRangeId_t module##_##name params {                                                  \
        chain_row each = {0};                                                                      \
        CALL_EACH(module, name, nvtxRangeId_t, params, each[t] = call theirs)                      \
        each[0] = CALL_OURS(module, name, nvtxRangeId_t, params, ours);                            \
        return chain_range_open(each);                                                             \
    }
#define END(module, name, params, ours, theirs)                                                    \
    static void module##_##name params {                                                           \
        chain_row each;                                                                            \
        chain_range_close(id, each);                                                               \
        CALL_OURS(module, name, void, params, ours);                                               \
        CALL_EACH(module, name, void, params, call theirs)                                         \
    }
/* The program gets the recorder's handle; the tools' handles are kept for translation. */
#define MAKE(module, name, params, ours, theirs, kind)                                             \
    static void *module##_##name params {                                                          \
        void *handle = CALL_OURS(module, name, void *, params, ours);                              \
        CALL_EACH(module, name, void *, params, chain_keep(kind, handle, t, call theirs))          \
        if (kind == CHAIN_DOMAIN) {                                                                \
            chain_domain_made(handle);                                                             \
        }                                                                                          \
        return handle;                                                                             \
    }
/* As MAKE, for ids in place of handles. If the recorder returns the same id again, because the
 * program has repeated a definition, the tools' new ids replace their old ones. */
#define DEFINE(module, name, params, ours, theirs)                                                 \
    static uint64_t module##_##name params {                                                       \
        uint64_t id = CALL_OURS(module, name, uint64_t, params, ours);                             \
        CALL_EACH(module, name, uint64_t, params, chain_keep_id(id, t, call theirs))               \
        return id;                                                                                 \
    }

/* The parameters d (domain), r (resource) and a (attributes), and ids, translated for tool t. */
#define CHAIN_D chain_theirs(CHAIN_DOMAIN, d, t)
#define CHAIN_R chain_theirs(CHAIN_RESOURCE, r, t)
#define CHAIN_A chain_attributes(a, &copy, t)
#define CHAIN_I(id) chain_their_id(id, t)

/* A text for another tool: "" in place of NULL, because some tools do not check for NULL. */
#define CHAIN_S(text) ((text) ? (text) : "")
#define CHAIN_W(text) ((text) ? (text) : L"")

/* ALL_CORE(X) and ALL_EXT(X) list the functions as X(kind, ...). With CALL_FUNCTION for X, the list
 * defines the functions; with CALL_ENTRY, it fills their table. */
#define CALL_FUNCTION(kind, ...) kind(__VA_ARGS__)
#define CALL_ENTRY(kind, module, name, ...)                                                        \
    {(NvtxCallbackModule)NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name,                     \
     (NvtxFunctionPointer)module##_##name},

/* --- the core: the functions that NVTX calls -------------------------------------------------- */

#define EX const nvtxEventAttributes_t *a
#define TEXT(X, kind, module, name)                                                                \
    X(kind, module, name##A, (const char *text), (text), (CHAIN_S(text)))                          \
    X(kind, module, name##W, (const wchar_t *text), (text), (CHAIN_W(text)))
#define NAMES(X, module, what, ...)                                                                \
    X(PASS, module, Name##what##A, (uintptr_t o, const char *name), (o, name), (o, CHAIN_S(name))) \
    X(PASS, module, Name##what##W, (uintptr_t o, const wchar_t *name), (o, name),                  \
      (o, CHAIN_W(name)))
#define SYNC(X, what) X(PASS, SYNC, DomainSyncUser##what, (void *r), (r), (CHAIN_R))

#define ALL_CORE(X)                                                                                \
    X(PASS, CORE, MarkEx, (EX), (a), (CHAIN_A))                                                    \
    TEXT(X, PASS, CORE, Mark)                                                                      \
    X(START, CORE, RangeStartEx, (EX), (a), (CHAIN_A))                                             \
    TEXT(X, START, CORE, RangeStart)                                                               \
    X(END, CORE, RangeEnd, (nvtxRangeId_t id), (each[0]), (each[t]))                               \
    X(PUSH, CORE, RangePushEx, (EX), (a), (CHAIN_A))                                               \
    TEXT(X, PUSH, CORE, RangePush)                                                                 \
    X(POP, CORE, RangePop, (void), (), ())                                                         \
    NAMES(X, CORE, Category, )                                                                     \
    NAMES(X, CORE, OsThread, )                                                                     \
    X(PASS, CORE2, DomainMarkEx, (void *d, EX), (d, a), (CHAIN_D, CHAIN_A))                        \
    X(START, CORE2, DomainRangeStartEx, (void *d, EX), (d, a), (CHAIN_D, CHAIN_A))                 \
    X(END, CORE2, DomainRangeEnd, (void *d, nvtxRangeId_t id), (d, each[0]), (CHAIN_D, each[t]))   \
    X(PUSH, CORE2, DomainRangePushEx, (void *d, EX), (d, a), (CHAIN_D, CHAIN_A))                   \
    X(POP, CORE2, DomainRangePop, (void *d), (d), (CHAIN_D))                                       \
    X(PASS, CORE2, DomainNameCategoryA, (void *d, uint32_t n, const char *s), (d, n, s),           \
      (CHAIN_D, n, CHAIN_S(s)))                                                                    \
    X(PASS, CORE2, DomainNameCategoryW, (void *d, uint32_t n, const wchar_t *s), (d, n, s),        \
      (CHAIN_D, n, CHAIN_W(s)))                                                                    \
    X(MAKE, CORE2, DomainRegisterStringA, (void *d, const char *s), (chain_wanted(d), s),          \
      (CHAIN_D, CHAIN_S(s)), CHAIN_STRING)                                                         \
    X(MAKE, CORE2, DomainRegisterStringW, (void *d, const wchar_t *s), (chain_wanted(d), s),       \
      (CHAIN_D, CHAIN_W(s)), CHAIN_STRING)                                                         \
    X(MAKE, CORE2, DomainCreateA, (const char *name), (name), (CHAIN_S(name)), CHAIN_DOMAIN)       \
    X(MAKE, CORE2, DomainCreateW, (const wchar_t *name), (name), (CHAIN_W(name)), CHAIN_DOMAIN)    \
    X(MAKE, CORE2, DomainResourceCreate, (void *d, const nvtxResourceAttributes_t *a), (d, a),     \
      (CHAIN_D, chain_resource(a, &copy, t)), CHAIN_RESOURCE)                                      \
    X(PASS, CORE2, DomainResourceDestroy, (void *r), (r), (CHAIN_R))                               \
    X(PASS, CORE2, Initialize, (const void *reserved), (reserved), (reserved))                     \
    SUBSCRIBE_OBJECTS(X, NAMES)                                                                    \
    X(MAKE, SYNC, DomainSyncUserCreate, (void *d, const struct chain_sync *a), (d, a),             \
      (CHAIN_D, chain_sync(a, &copy, t)), CHAIN_RESOURCE)                                          \
    SYNC(X, Destroy)                                                                               \
    SYNC(X, AcquireStart)                                                                          \
    SYNC(X, AcquireFailed)                                                                         \
    SYNC(X, AcquireSuccess)                                                                        \
    SYNC(X, Releasing)

ALL_CORE(CALL_FUNCTION)

static void CORE2_DomainDestroy(void *d) {
    chain_row theirs;

    chain_domain_gone(d, theirs);
    CALL_OURS(CORE2, DomainDestroy, void, (void *), (d));
    for (unsigned t = 1; t <= chain_count; t++) {
        void (*call)(uintptr_t) = (void (*)(uintptr_t))CALL_ROW(t, CORE2, DomainDestroy);
        if (call && theirs[t]) {
            call(theirs[t]);
        }
    }
}

static const struct callback core_callbacks[] = {ALL_CORE(CALL_ENTRY)
                                                     CALL_ENTRY(PASS, CORE2, DomainDestroy, ){0}};

/* --- the tables that the tools fill in -------------------------------------------------------- */

static const unsigned sizes[CHAIN_MODULES] = {
    [NVTX_CB_MODULE_CORE] = NVTX_CBID_CORE_SIZE,
    [NVTX_CB_MODULE_CUDA] = NVTX_CBID_CUDA_SIZE,
    [NVTX_CB_MODULE_OPENCL] = NVTX_CBID_OPENCL_SIZE,
    [NVTX_CB_MODULE_CUDART] = NVTX_CBID_CUDART_SIZE,
    [NVTX_CB_MODULE_CORE2] = NVTX_CBID_CORE2_SIZE,
    [NVTX_CB_MODULE_SYNC] = NVTX_CBID_SYNC_SIZE,
};

static NvtxGetExportTableFunc_t nvtx_get;

static int table_of(unsigned tool, NvtxCallbackModule module, NvtxFunctionTable *ret_table,
                    unsigned *ret_size) {
    static NvtxFunctionPointer *pointers[CHAIN_MOST + 1][CHAIN_MODULES][CHAIN_IDS];

    if ((unsigned)module >= CHAIN_MODULES || !sizes[module]) {
        return 0;
    }
    for (unsigned id = 1; id < sizes[module]; id++) { /* 0 is no function */
        pointers[tool][module][id] = &chain_tools[tool].functions[module][id];
    }
    if (ret_table) {
        *ret_table = pointers[tool][module];
    }
    if (ret_size) {
        *ret_size = sizes[module];
    }
    return 1;
}

/* The functions by which a tool asks NVTX for tables have no parameter that says which tool asks.
 * So each tool gets functions of its own. */
#define EXPORTED(n)                                                                                \
    static int table_##n(NvtxCallbackModule module, NvtxFunctionTable *ret_table,                  \
                         unsigned *ret_size) {                                                     \
        return table_of(n, module, ret_table, ret_size);                                           \
    }                                                                                              \
    static const NvtxExportTableCallbacks exported_##n = {sizeof(exported_##n), table_##n};        \
    static const void *get_##n(uint32_t table) {                                                   \
        return table == NVTX_ETID_CALLBACKS ? &exported_##n : nvtx_get(table);                     \
    }
#define GET(n) get_##n,
#define EACH_TOOL(what) what(0) what(1) what(2) what(3) what(4) what(5) what(6) what(7)
EACH_TOOL(EXPORTED)

/* Stands in for a callback that the recorder lacks, so that CALL_OURS need not check for NULL. */
static void nothing(void) {
}

const NvtxExportTableCallbacks *chain_begin(NvtxGetExportTableFunc_t get,
                                            const NvtxExportTableCallbacks *exported) {
    static const NvtxGetExportTableFunc_t gets[CHAIN_MOST + 1] = {EACH_TOOL(GET)};

    if (!chain_load(*(void **)&get)) {
        return exported;
    }
    nvtx_get = get;
    for (const struct callback *c = core_callbacks; c->function; c++) {
        if (!chain_tools[0].functions[c->module][c->id]) {
            chain_tools[0].functions[c->module][c->id] = nothing;
        }
    }
    for (unsigned t = 1; t <= chain_count; t++) {
        chain_note(t, chain_tools[t].init(gets[t]) != 0);
    }
    return gets[0](NVTX_ETID_CALLBACKS);
}

/* Whether NVTX must get this file's function in place of the recorder's: if a tool wants the call,
 * if the program gets a tool's results, or if `is_end` is true. `is_end`: the call ends a range,
 * whose id may be a tool's, or destroys a domain, of which the tools' handles must be forgotten. */
static bool is_callback_wanted(const struct callback *c, bool is_end) {
    bool wanted = is_end || chain_answers;

    for (unsigned t = 1; t <= chain_count; t++) {
        wanted |= chain_tools[t].functions[c->module][c->id] != NULL;
    }
    return wanted;
}

void chain_end(const NvtxExportTableCallbacks *exported) {
    for (const struct callback *c = core_callbacks; c->function; c++) {
        struct callback one[2] = {*c};
        bool is_end = c->function == (NvtxFunctionPointer)CORE_RangeEnd ||
                      c->function == (NvtxFunctionPointer)CORE2_DomainRangeEnd ||
                      c->function == (NvtxFunctionPointer)CORE2_DomainDestroy;
        if (!is_callback_wanted(c, is_end)) {
            one->function = chain_tools[0].functions[c->module][c->id];
        }
        if (one->function != nothing) {
            subscribe(exported, one);
        }
    }
}

int chain_instead(NvtxGetExportTableFunc_t get) {
    bool worked = false;

    for (unsigned t = 1; chain_load(*(void **)&get) && t <= chain_count && !worked; t++) {
        worked = chain_tools[t].init(get) != 0;
    }
    return worked;
}

/* --- the extensions: payloads and counters ---------------------------------------------------- */

#define DATA const struct ext_data *data, size_t count
#define TRANSLATED                                                                                 \
    chain_data(data, chain_data_count(data, count), &copy, t), chain_data_count(data, count)
#define STRUCT(what)                                                                               \
    (void *d, const struct ext_##what *s), (chain_wanted(d), s),                                   \
        (CHAIN_D, chain_##what(s, &copy, t))

#define ALL_EXT(X)                                                                                 \
    X(DEFINE, PAYLOAD, Schema, STRUCT(schema))                                                     \
    X(DEFINE, PAYLOAD, Enum, (void *d, const void *s), (chain_wanted(d), s), (CHAIN_D, s))         \
    X(PASS, PAYLOAD, Mark, (void *d, DATA), (d, data, count), (CHAIN_D, TRANSLATED))               \
    X(PUSH, PAYLOAD, Push, (void *d, DATA), (d, data, count), (CHAIN_D, TRANSLATED))               \
    X(POP, PAYLOAD, Pop, (void *d, DATA), (d, data, count), (CHAIN_D, TRANSLATED))                 \
    X(START, PAYLOAD, Start, (void *d, DATA), (d, data, count), (CHAIN_D, TRANSLATED))             \
    X(DEFINE, PAYLOAD, TimeDomain, STRUCT(time_domain))                                            \
    X(PASS, PAYLOAD, Source, (void *d, uint64_t i, uint64_t flags, int64_t (*read)(void)),         \
      (d, i, flags, read), (CHAIN_D, CHAIN_I(i), flags, read))                                     \
    X(PASS, PAYLOAD, SourceWith,                                                                   \
      (void *d, uint64_t i, uint64_t flags, int64_t (*read)(void *), void *with),                  \
      (d, i, flags, read, with), (CHAIN_D, CHAIN_I(i), flags, read, with))                         \
    X(DEFINE, PAYLOAD, Scope, STRUCT(scope))                                                       \
    X(PASS, PAYLOAD, Point, (void *d, uint64_t i, uint64_t j, int64_t at_i, int64_t at_j),         \
      (d, i, j, at_i, at_j), (CHAIN_D, CHAIN_I(i), CHAIN_I(j), at_i, at_j))                        \
    X(PASS, PAYLOAD, Points, (void *d, uint64_t i, uint64_t j, const void *pairs, size_t count),   \
      (d, i, j, pairs, count), (CHAIN_D, CHAIN_I(i), CHAIN_I(j), pairs, count))                    \
    X(PASS, PAYLOAD, Factor,                                                                       \
      (void *d, uint64_t i, uint64_t j, double slope, int64_t at_i, int64_t at_j),                 \
      (d, i, j, slope, at_i, at_j), (CHAIN_D, CHAIN_I(i), CHAIN_I(j), slope, at_i, at_j))          \
    X(PASS, PAYLOAD, Submit, (void *d, DATA), (d, data, count), (CHAIN_D, TRANSLATED))             \
    X(PASS, PAYLOAD, Batch, (void *d, const struct ext_events *s), (d, s),                         \
      (CHAIN_D, chain_events(s, &copy, t)))                                                        \
    X(DEFINE, COUNTER, Counter, STRUCT(counter))                                                   \
    X(PASS, COUNTER, Integer, (void *d, uint64_t i, int64_t value), (d, i, value),                 \
      (CHAIN_D, CHAIN_I(i), value))                                                                \
    X(PASS, COUNTER, Double, (void *d, uint64_t i, double value), (d, i, value),                   \
      (CHAIN_D, CHAIN_I(i), value))                                                                \
    X(PASS, COUNTER, Sample, (void *d, uint64_t i, const void *values, size_t size),               \
      (d, i, values, size), (CHAIN_D, CHAIN_I(i), values, size))                                   \
    X(PASS, COUNTER, Nothing, (void *d, uint64_t i, uint8_t reason), (d, i, reason),               \
      (CHAIN_D, CHAIN_I(i), reason))                                                               \
    X(PASS, COUNTER, Samples, (void *d, const struct ext_samples *s), (d, s),                      \
      (CHAIN_D, chain_samples(s, &copy, t)))

ALL_EXT(CALL_FUNCTION)

/* Ends a process range; the end has payloads. A tool that knows the range, but lacks the payload
 * extension, gets a call of DomainRangeEnd, without the payloads. */
static void PAYLOAD_End(void *d, uint64_t id, DATA) {
    chain_row each;

    chain_range_close(id, each);
    CALL_OURS(PAYLOAD, End, void, (void *, uint64_t, DATA), (d, each[0], data, count));
    CALL_EACH(PAYLOAD, End, void, (void *, uint64_t, DATA), call(CHAIN_D, each[t], TRANSLATED))
    for (unsigned t = 1; t <= chain_count; t++) {
        void (*call)(void *, uint64_t) =
            (void (*)(void *, uint64_t))CALL_ROW(t, CORE2, DomainRangeEnd);
        if (call && each[t] && !CALL_ROW(t, PAYLOAD, End)) {
            call(CHAIN_D, each[t]);
        }
    }
}

static uint8_t PAYLOAD_Enabled(void *d) {
    uint8_t result = CALL_OURS(PAYLOAD, Enabled, uint8_t, (void *), (d));

    CALL_EACH(PAYLOAD, Enabled, uint8_t, (void *), result |= call(CHAIN_D))
    return result;
}

/* A tool without the payload extension gets an empty push, because it will get the pop. */
static int push_nothing(void *d, DATA) {
    nvtxEventAttributes_t none = {.version = NVTX_VERSION, .size = sizeof(none)};

    for (unsigned t = 1; t <= chain_count; t++) {
        int (*call)(void *, const nvtxEventAttributes_t *) =
            (int (*)(void *, const nvtxEventAttributes_t *))CALL_ROW(t, CORE2, DomainRangePushEx);
        if (call && !CALL_ROW(t, PAYLOAD, Push)) {
            call(CHAIN_D, &none);
        }
    }
    return PAYLOAD_Push(d, data, count);
}

/* All functions of the extensions except Now, which returns the time of the recorder's clock. The
 * tools are not asked for their time. */
static const struct callback ext_callbacks[] = {ALL_EXT(CALL_ENTRY) CALL_ENTRY(END, PAYLOAD, End, )
                                                    CALL_ENTRY(PASS, PAYLOAD, Enabled, ){0}};

/* Stores in *ret the functions that the tool's entry point for extensions fills in. Leaves the
 * table of `module` as it is. */
static void ask(struct chain_tool *tool, const struct ext_module *module,
                NvtxFunctionPointer *ret) {
    intptr_t slots[CHAIN_IDS] = {0};
    struct ext_segment segment = *module->segments;
    struct ext_module theirs = *module;

    segment.functions = slots;
    segment.count = segment.count < CHAIN_IDS ? segment.count : CHAIN_IDS;
    theirs.segments = &segment;
    theirs.segment_count = 1;
    theirs.size = sizeof(theirs);
    if (tool->init_ext && tool->init_ext(&theirs)) {
        memcpy(ret, slots, sizeof(slots));
    }
}

void chain_ext(struct ext_module *module) {
    unsigned number = module->id == EXT_PAYLOAD ? NVTX_CB_MODULE_PAYLOAD : NVTX_CB_MODULE_COUNTER;
    struct ext_segment *s = module->segments;

    if ((module->id != EXT_PAYLOAD && module->id != EXT_COUNTER) || !module->segment_count ||
        s->id != 0 || !s->functions || !chain_load(s->functions)) {
        return;
    }
    for (unsigned t = 1; t <= chain_count; t++) {
        ask(&chain_tools[t], module, chain_tools[t].functions[number]);
        if (!CALL_ROW(t, PAYLOAD, Pop)) { /* use the pop of the core, without payloads */
            CALL_ROW(t, PAYLOAD, Pop) = CALL_ROW(t, CORE2, DomainRangePop);
        }
    }
    for (const struct callback *c = ext_callbacks; c->function; c++) {
        if ((unsigned)c->module != number || c->id >= s->count) {
            continue;
        }
        memcpy(&chain_tools[0].functions[number][c->id], &s->functions[c->id], sizeof(intptr_t));
        bool pushes = c->function == (NvtxFunctionPointer)PAYLOAD_Push;
        if (pushes || is_callback_wanted(c, c->function == (NvtxFunctionPointer)PAYLOAD_End)) {
            s->functions[c->id] = pushes ? (intptr_t)push_nothing : (intptr_t)c->function;
        }
    }
}

int chain_instead_ext(struct ext_module *module) {
    bool worked = false;

    for (unsigned t = 1; chain_load(module->segments) && t <= chain_count && !worked; t++) {
        worked = chain_tools[t].init_ext && chain_tools[t].init_ext(module);
    }
    return worked;
}
