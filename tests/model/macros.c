/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "macros.h"

#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <string.h>

enum { SLOTS = 1 << 20 };

NVTX_DOMAIN(a, "domain a");
NVTX_DOMAIN(b, "domain b");
NVTX_CATEGORY(named, &a, "named");

static struct nvtxh_range ranges[SLOTS];
static nvtxRangeId_t raw_ranges[SLOTS];
static nvtxDomainHandle_t raw;

void verbs_begin(void) {
    raw = nvtxDomainCreateA("raw");
}

void annotate_raised(void) {
    NVTX_MARK("raised");
    NVTX_SCOPE("in the handler", .domain = &a);
}

void annotate_asynchronous(void) {
    NVTX_SCOPE("asynchronous");
}

/* What each kind is, for a macro that takes a message and attributes, and one that takes a
 * format. */
#define KINDS(op, MACRO, MACROF, MACROF_WITH, AFTER)                                               \
    switch ((op)->kind) {                                                                          \
    case 0: {                                                                                      \
        MACRO("plain") AFTER;                                                                      \
    } break;                                                                                       \
    case 1: {                                                                                      \
        MACRO("in a", .domain = &a) AFTER;                                                         \
    } break;                                                                                       \
    case 2: {                                                                                      \
        MACRO("in b", .domain = &b) AFTER;                                                         \
    } break;                                                                                       \
    case 3: {                                                                                      \
        MACRO("category", .domain = &a, .category = &named) AFTER;                                 \
    } break;                                                                                       \
    case 4: {                                                                                      \
        MACRO("number", .category = NVTXH_CATEGORY_ID((op)->arg % 3 + 1)) AFTER;                   \
    } break;                                                                                       \
    case 5: {                                                                                      \
        MACRO("color", .color = 0xff000000u | ((uint32_t)(op)->arg & 0xffffffu)) AFTER;            \
    } break;                                                                                       \
    case 6: {                                                                                      \
        MACRO("int64", .payload = nvtxh_payload(-(int64_t)(op)->arg)) AFTER;                       \
    } break;                                                                                       \
    case 7: {                                                                                      \
        MACRO("uint64", .domain = &b, .payload = nvtxh_payload((uint64_t)(op)->arg)) AFTER;        \
    } break;                                                                                       \
    case 8: {                                                                                      \
        MACRO("double", .payload = nvtxh_payload((double)(op)->arg * 0.5)) AFTER;                  \
    } break;                                                                                       \
    case 9: {                                                                                      \
        MACRO("all", .domain = &a, .category = &named, .color = NVTXH_RED,                         \
              .payload = nvtxh_payload((int32_t)(op)->arg))                                        \
        AFTER;                                                                                     \
    } break;                                                                                       \
    case 10: {                                                                                     \
        MACROF("formatted %ld", (op)->arg % 50) AFTER;                                             \
    } break;                                                                                       \
    default: {                                                                                     \
        MACROF_WITH(("with %ld", (op)->arg), .domain = &a, .color = NVTXH_BLUE) AFTER;             \
    } break;                                                                                       \
    }

static nvtxEventAttributes_t raw_event(const struct op *op, char *ret_text) {
    nvtxEventAttributes_t event;

    memset(&event, 0, sizeof(event));
    event.version = NVTX_VERSION;
    event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    event.messageType = NVTX_MESSAGE_TYPE_ASCII;
    snprintf(ret_text, LINE, "raw %ld", op->arg % 20);
    event.message.ascii = ret_text;
    return event;
}

void mark(const struct op *op) {
    char text[LINE];

    if (op->kind == 12) {
        nvtxEventAttributes_t event = raw_event(op, text);
        nvtxDomainMarkEx(raw, &event);
        return;
    }
    KINDS(op, NVTXH_MARK, NVTXH_MARKF, NVTXH_MARKF_WITH, )
}

void push(const struct op *op) {
    char text[LINE];

    if (op->kind == 12) {
        nvtxEventAttributes_t event = raw_event(op, text);
        nvtxDomainRangePushEx(raw, &event);
        return;
    }
    KINDS(op, NVTXH_PUSH, NVTXH_PUSHF, NVTXH_PUSHF_WITH, )
}

void pop(const struct op *op) {
    switch (op->kind) {
    case 0:
        NVTX_POP();
        break;
    case 1:
        NVTX_POP(.domain = &a);
        break;
    case 2:
        NVTX_POP(.domain = &b);
        break;
    default:
        nvtxDomainRangePop(raw);
    }
}

/* The argument is the slot, too. */
void start(const struct op *op) {
    char text[LINE];
    struct nvtxh_range *r = &ranges[op->arg % SLOTS];

    if (op->kind == 12) {
        nvtxEventAttributes_t event = raw_event(op, text);
        raw_ranges[op->arg % SLOTS] = nvtxDomainRangeStartEx(raw, &event);
        return;
    }
    KINDS(op, *r = NVTXH_START, *r = NVTXH_STARTF, *r = NVTXH_STARTF_WITH, )
}

void end(const struct op *op) {
    nvtxRangeId_t *id = &raw_ranges[op->arg % SLOTS];

    /* Twice: the second time nothing ends. */
    nvtxh_end(ranges[op->arg % SLOTS]);
    nvtxh_end(ranges[op->arg % SLOTS]);
    if (*id) {
        nvtxDomainRangeEnd(raw, *id);
    }
    *id = 0;
}

void scope(const struct op *op, void (*within)(void *), void *arg) {
    KINDS(op, NVTXH_SCOPE, NVTXH_SCOPEF, NVTXH_SCOPEF_WITH, ; within(arg))
}
