/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* As chain_core.c, for the extensions: payloads and counters. */
#include "chain.h"
#include "chain_call.h"
#include "subscribe.h"

#include <string.h>

enum payload_id {
    NVTX_CBID_PAYLOAD_Schema,
    NVTX_CBID_PAYLOAD_Enum,
    NVTX_CBID_PAYLOAD_Mark,
    NVTX_CBID_PAYLOAD_Push,
    NVTX_CBID_PAYLOAD_Pop,
    NVTX_CBID_PAYLOAD_Start,
    NVTX_CBID_PAYLOAD_End,
    NVTX_CBID_PAYLOAD_Enabled,
    NVTX_CBID_PAYLOAD_TimeDomain = 9,
    NVTX_CBID_PAYLOAD_Source,
    NVTX_CBID_PAYLOAD_SourceWith,
    NVTX_CBID_PAYLOAD_Scope,
    NVTX_CBID_PAYLOAD_Point,
    NVTX_CBID_PAYLOAD_Points,
    NVTX_CBID_PAYLOAD_Factor,
    NVTX_CBID_PAYLOAD_Submit,
    NVTX_CBID_PAYLOAD_Batch
};
enum counter_id {
    NVTX_CBID_COUNTER_Counter,
    NVTX_CBID_COUNTER_Integer,
    NVTX_CBID_COUNTER_Double,
    NVTX_CBID_COUNTER_Sample,
    NVTX_CBID_COUNTER_Nothing,
    NVTX_CBID_COUNTER_Samples
};

#define DATA const struct ext_data *data, size_t count
#define TRANSLATED                                                                                 \
    chain_data(data, chain_data_count(data, count), &copy, t), chain_data_count(data, count)
#define STRUCT(what)                                                                               \
    (void *d, const struct ext_##what *s), (chain_wanted(d), s), (D, chain_##what(s, &copy, t))

#define ALL(X)                                                                                     \
    X(DEFINE, PAYLOAD, Schema, STRUCT(schema))                                                     \
    X(DEFINE, PAYLOAD, Enum, (void *d, const void *s), (chain_wanted(d), s), (D, s))               \
    X(PASS, PAYLOAD, Mark, (void *d, DATA), (d, data, count), (D, TRANSLATED))                     \
    X(PUSH, PAYLOAD, Push, (void *d, DATA), (d, data, count), (D, TRANSLATED))                     \
    X(POP, PAYLOAD, Pop, (void *d, DATA), (d, data, count), (D, TRANSLATED))                       \
    X(START, PAYLOAD, Start, (void *d, DATA), (d, data, count), (D, TRANSLATED))                   \
    X(DEFINE, PAYLOAD, TimeDomain, STRUCT(time_domain))                                            \
    X(PASS, PAYLOAD, Source, (void *d, uint64_t i, uint64_t flags, int64_t (*read)(void)),         \
      (d, i, flags, read), (D, ID(i), flags, read))                                                \
    X(PASS, PAYLOAD, SourceWith,                                                                   \
      (void *d, uint64_t i, uint64_t flags, int64_t (*read)(void *), void *with),                  \
      (d, i, flags, read, with), (D, ID(i), flags, read, with))                                    \
    X(DEFINE, PAYLOAD, Scope, STRUCT(scope))                                                       \
    X(PASS, PAYLOAD, Point, (void *d, uint64_t i, uint64_t j, int64_t at_i, int64_t at_j),         \
      (d, i, j, at_i, at_j), (D, ID(i), ID(j), at_i, at_j))                                        \
    X(PASS, PAYLOAD, Points, (void *d, uint64_t i, uint64_t j, const void *pairs, size_t count),   \
      (d, i, j, pairs, count), (D, ID(i), ID(j), pairs, count))                                    \
    X(PASS, PAYLOAD, Factor,                                                                       \
      (void *d, uint64_t i, uint64_t j, double slope, int64_t at_i, int64_t at_j),                 \
      (d, i, j, slope, at_i, at_j), (D, ID(i), ID(j), slope, at_i, at_j))                          \
    X(PASS, PAYLOAD, Submit, (void *d, DATA), (d, data, count), (D, TRANSLATED))                   \
    X(PASS, PAYLOAD, Batch, (void *d, const struct ext_events *s), (d, s),                         \
      (D, chain_events(s, &copy, t)))                                                              \
    X(DEFINE, COUNTER, Counter, STRUCT(counter))                                                   \
    X(PASS, COUNTER, Integer, (void *d, uint64_t i, int64_t value), (d, i, value),                 \
      (D, ID(i), value))                                                                           \
    X(PASS, COUNTER, Double, (void *d, uint64_t i, double value), (d, i, value),                   \
      (D, ID(i), value))                                                                           \
    X(PASS, COUNTER, Sample, (void *d, uint64_t i, const void *values, size_t size),               \
      (d, i, values, size), (D, ID(i), values, size))                                              \
    X(PASS, COUNTER, Nothing, (void *d, uint64_t i, uint8_t reason), (d, i, reason),               \
      (D, ID(i), reason))                                                                          \
    X(PASS, COUNTER, Samples, (void *d, const struct ext_samples *s), (d, s),                      \
      (D, chain_samples(s, &copy, t)))

ALL(CALL_FUNCTION)

/* A tool without the extension gets the end, without the payload, of a range whose beginning it has seen. */
static void PAYLOAD_End(void *d, uint64_t id, DATA)
{
    chain_row each;

    chain_range_close(id, each);
    CALL_OURS(PAYLOAD, End, void, (void *, uint64_t, DATA), (d, each[0], data, count));
    CALL_THEIRS(PAYLOAD, End, int, (void *, uint64_t, DATA), (D, each[t], TRANSLATED),
                (void)returned)
    for (unsigned t = 1; t <= chain_count; t++) {
        int (*call)(void *, uint64_t) =
            (int (*)(void *, uint64_t))CALL_ROW(t, CORE2, DomainRangeEnd);
        if (call && each[t] && !CALL_ROW(t, PAYLOAD, End)) {
            call(D, each[t]);
        }
    }
}

/* Whether any tool wants the domain. */
static uint8_t PAYLOAD_Enabled(void *d)
{
    uint8_t result = CALL_OURS(PAYLOAD, Enabled, uint8_t, (void *), (d));

    CALL_THEIRS(PAYLOAD, Enabled, uint8_t, (void *), (D), result |= returned)
    return result;
}

/* A tool without the extension gets a push without a message, because it will get the pop. */
static int push(void *d, DATA)
{
    nvtxEventAttributes_t none = {.version = NVTX_VERSION, .size = sizeof(none)};

    for (unsigned t = 1; t <= chain_count; t++) {
        int (*call)(void *, const nvtxEventAttributes_t *) =
            (int (*)(void *, const nvtxEventAttributes_t *))CALL_ROW(t, CORE2, DomainRangePushEx);
        if (call && !CALL_ROW(t, PAYLOAD, Push)) {
            call(D, &none);
        }
    }
    return PAYLOAD_Push(d, data, count);
}

/* All except the function that returns the current time, which only the recorder answers. */
static const struct callback callbacks[] = {ALL(CALL_ENTRY) CALL_ENTRY(END, PAYLOAD, End, )
                                                CALL_ENTRY(PASS, PAYLOAD, Enabled, ){0}};

/* Calls the tool's entry point for extensions, which fills in a table of the tool's own. */
static void ask(struct chain_tool *tool, const struct ext_module *module, NvtxFunctionPointer *ret)
{
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

void chain_ext(struct ext_module *module)
{
    unsigned number = module->id == EXT_PAYLOAD ? NVTX_CB_MODULE_PAYLOAD : NVTX_CB_MODULE_COUNTER;
    struct ext_segment *s = module->segments;

    if ((module->id != EXT_PAYLOAD && module->id != EXT_COUNTER) || !module->segment_count ||
        s->id != 0 || !s->functions || !chain_load(s->functions)) {
        return;
    }
    for (unsigned t = 1; t <= chain_count; t++) {
        ask(&chain_tools[t], module, chain_tools[t].functions[number]);
        if (!CALL_ROW(t, PAYLOAD, Pop)) { /* its function of the core ignores the payload */
            CALL_ROW(t, PAYLOAD, Pop) = CALL_ROW(t, CORE2, DomainRangePop);
        }
    }
    for (const struct callback *c = callbacks; c->function; c++) {
        bool wanted =
            chain_answers ||
            c->function == (NvtxFunctionPointer)PAYLOAD_End; /* see is_end in chain_core.c */
        if ((unsigned)c->module != number || c->id >= s->count) {
            continue;
        }
        memcpy(&chain_tools[0].functions[number][c->id], &s->functions[c->id], sizeof(intptr_t));
        for (unsigned t = 1; t <= chain_count; t++) {
            wanted |= chain_tools[t].functions[number][c->id] != NULL;
        }
        bool pushes = c->function == (NvtxFunctionPointer)PAYLOAD_Push;
        if (wanted || pushes) {
            s->functions[c->id] = pushes ? (intptr_t)push : (intptr_t)c->function;
        }
    }
}

int chain_instead_ext(struct ext_module *module)
{
    bool worked = false;

    for (unsigned t = 1; chain_load(module->segments) && t <= chain_count && !worked; t++) {
        worked = chain_tools[t].init_ext && chain_tools[t].init_ext(module);
    }
    return worked;
}
