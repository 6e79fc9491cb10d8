/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html.h"
#include "export.h"
#include "html_pack.h"
#include "../base/memory.h"
#include "../page/page.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { AT_ONCE = 3 << 14 }; /* compressed bytes per line of base64; such a line has 64 KiB */

struct packing {
    z_stream z;
    FILE *out;
    unsigned char bytes[AT_ONCE];
};

static void base64(const unsigned char *bytes, size_t size, FILE *out)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char line[AT_ONCE / 3 * 4 + 1], *to = line;

    for (size_t i = 0; i < size; i += 3) {
        unsigned second = i + 1 < size ? bytes[i + 1] : 0, third = i + 2 < size ? bytes[i + 2] : 0;
        unsigned three = (unsigned)bytes[i] << 16 | second << 8 | third;
        *to++ = digits[three >> 18];
        *to++ = digits[three >> 12 & 63];
        *to++ = i + 1 < size ? digits[three >> 6 & 63] : '=';
        *to++ = i + 2 < size ? digits[three & 63] : '=';
    }
    *to++ = '\n';
    fwrite(line, 1, (size_t)(to - line), out);
}

/* Compresses bytes. Writes out the buffer of compressed bytes whenever it is full, and at the end (Z_FINISH). */
static void put(struct packing *p, const void *bytes, size_t size, int flush)
{
    const unsigned char *at = bytes;
    int status = Z_OK;

    do {
        size_t part = size < UINT32_MAX / 2 ? size : UINT32_MAX / 2;
        p->z.next_in = (unsigned char *)(uintptr_t)at; /* zlib does not write there */
        p->z.avail_in = (unsigned)part;
        do {
            status = deflate(&p->z, size == part ? flush : Z_NO_FLUSH);
            if (p->z.avail_out == 0 || status == Z_STREAM_END) {
                base64(p->bytes, sizeof(p->bytes) - p->z.avail_out, p->out);
                p->z.next_out = p->bytes;
                p->z.avail_out = sizeof(p->bytes);
            }
        } while (p->z.avail_in || (flush == Z_FINISH && status == Z_OK));
        at += part;
        size -= part;
    } while (size);
}

static void put_block(struct packing *p, const void *bytes, size_t size)
{
    unsigned char head[4] = {(unsigned char)size, (unsigned char)(size >> 8),
                             (unsigned char)(size >> 16), (unsigned char)(size >> 24)};

    put(p, head, sizeof(head), Z_NO_FLUSH);
    if (size) {
        put(p, bytes, size, Z_NO_FLUSH);
    }
}

static bool put_pack(const struct html_pack *pack, FILE *out)
{
    struct packing *p = must_alloc(NULL, 1, sizeof(*p));

    memset(&p->z, 0, sizeof(p->z));
    p->out = out;
    p->z.next_out = p->bytes;
    p->z.avail_out = sizeof(p->bytes);
    bool done = deflateInit(&p->z, Z_DEFAULT_COMPRESSION) == Z_OK;
    if (done) {
        put_block(p, pack->head, pack->head_size);
        for (size_t i = 0; i < HTML_COLUMNS; i++) {
            put_block(p, pack->columns[i].bytes, pack->columns[i].size);
        }
        put(p, "", 0, Z_FINISH);
        deflateEnd(&p->z);
    }
    free(p);
    return done;
}

static bool too_large(const struct html_pack *pack)
{
    bool large = pack->head_size > UINT32_MAX;

    for (size_t i = 0; i < HTML_COLUMNS; i++) {
        large |= pack->columns[i].size > UINT32_MAX;
    }
    return large;
}

static bool put_source(struct source *source, const char *name, FILE *out, struct error *ret_error)
{
    struct html_collected c;
    struct html_pack pack = {0};
    bool done = html_collect(&c, source, ret_error);

    if (done) {
        done = html_pack_make(&pack, &c, name ? name : "") && !too_large(&pack);
        html_collected_free(&c);
        fputs("<script type=\"application/octet-stream\" class=\"pack\">\n", out);
        done = done && put_pack(&pack, out);
        fputs("</script>\n", out);
        if (!done) {
            error_set(ret_error, "its names and payloads are too large for a page");
        }
    }
    html_pack_free(&pack);
    return done;
}

bool export_html(const struct export_job *job, struct error *ret_error)
{
    FILE *out = job->out;

    fwrite(page_before, 1, page_before_size, out);
    bool done = !job->against || put_source(job->against, job->against_name, out, ret_error);
    done = done && put_source(job->source, job->name, out, ret_error);
    fwrite(page_after, 1, page_after_size, out);
    return done;
}
