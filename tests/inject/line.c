/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "store.h"

#include <nvtx3/nvToolsExt.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN = 200 };

static void put_text(FILE *out, const struct log_event *event) {
    size_t i, length;

    if (!event->text) {
        fputs(" -", out);
        return;
    }
    length = strlen(event->text);
    fputs(event->registered ? " [" : " '", out);
    for (i = 0; i < length && i < SHOWN; i++) {
        unsigned char c = (unsigned char)event->text[i];

        if (c < ' ' || c > '~')
            fprintf(out, "\\x%02x", c);
        else
            fputc(c, out);
    }
    if (length > SHOWN)
        fprintf(out, "...%zu", length);
    fputc(event->registered ? ']' : '\'', out);
}

static void put_payload(FILE *out, const struct log_event *event) {
    uint64_t bits = event->payload_bits;
    double f64;
    float f32;

    memcpy(&f64, &bits, sizeof(f64));
    memcpy(&f32, &bits, sizeof(f32));
    switch (event->payload_type) {
    case NVTX_PAYLOAD_UNKNOWN:
        break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT64:
        fprintf(out, " u64=%" PRIu64, bits);
        break;
    case NVTX_PAYLOAD_TYPE_INT64:
        fprintf(out, " i64=%" PRId64, (int64_t)bits);
        break;
    case NVTX_PAYLOAD_TYPE_DOUBLE:
        fprintf(out, " f64=%.17g", f64);
        break;
    case NVTX_PAYLOAD_TYPE_UNSIGNED_INT32:
        fprintf(out, " u32=%" PRIu32, (uint32_t)bits);
        break;
    case NVTX_PAYLOAD_TYPE_INT32:
        fprintf(out, " i32=%" PRId32, (int32_t)(uint32_t)bits);
        break;
    case NVTX_PAYLOAD_TYPE_FLOAT:
        fprintf(out, " f32=%.9g", (double)f32);
        break;
    default:
        fprintf(out, " payload?%d", event->payload_type);
    }
}

char *log_line(const struct log_event *event, int64_t first_id) {
    static const char *const words[] = {"init",   "domain",  "string", "category", "destroy",
                                        "thread", "push",    "pop",    "start",    "end",
                                        "mark",   "counter", "schema", "enum",     "counter"};
    static const char *const resources[] = {"CUDA device", "CUDA stream", "CUDA event", "CU device",
                                            "CU context",  "CU stream",   "CU event"};
    const char *category;
    char *line = NULL;
    size_t size;
    FILE *out = open_memstream(&line, &size);

    if (!out)
        abort();
    fprintf(out, "%s%s%s%s", event->domain ? event->domain : "", event->domain ? " " : "",
            event->kind == LOG_RESOURCE ? resources[event->result] : words[event->kind],
            event->by_name_only ? "A" : "");
    if (event->kind == LOG_POP) {
        if (event->result < 0)
            fputc('!', out);
    } else if (event->kind != LOG_END) {
        put_text(out, event);
    }
    if (event->kind >= LOG_PUSH) {
        if (event->category) {
            category = log_category(event->domain, event->category);
            if (category)
                fprintf(out, " cat=%s", category);
            else
                fprintf(out, " cat=%u", event->category);
        }
        if (event->color_type)
            fprintf(out, " color=%08x", event->color);
        put_payload(out, event);
    }
    if (event->extended)
        fprintf(out, " %s", event->extended);
    if (event->kind == LOG_START || event->kind == LOG_END)
        fprintf(out, " #%" PRId64, event->result - first_id);
    if (event->bad)
        fprintf(out, " BAD(%s)", event->bad);
    fclose(out);
    return line;
}
