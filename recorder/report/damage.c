/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "damage.h"
#include "plural.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define MAX_SIZE (UINT64_C(1) << 60) /* of a file; what says more is damaged */

/* Adds "3 things" to a list, if there are any. */
static void list(char *buffer, size_t size, uint64_t count, const char *one, const char *more)
{
    size_t used = strlen(buffer);

    if (count) {
        snprintf(buffer + used, size - used, "%s%llu %s", used ? ", " : "",
                 (unsigned long long)count, PLURAL(count, one, more));
    }
}

/* Room is taken in the header first; it is in the file a moment later, unless that fails, which
 * the writer has complained of. */
static uint64_t missing(const struct recording *r)
{
    uint64_t end = r->header.next_offset;
    struct stat st;

    bool behind = fstat(r->fd, &st) == 0 && (uint64_t)st.st_size < end && end <= MAX_SIZE;
    return behind && !r->header.complained ? end - (uint64_t)st.st_size : r->damage.missing;
}

const char *damage_text(const struct recording *r, char *buffer, size_t size)
{
    const struct damage *d = &r->damage;
    uint64_t lost = missing(r);
    char what[256] = "";

    list(what, sizeof(what), lost, "byte is missing at its end", "bytes are missing at its end");
    list(what, sizeof(what), d->bad_chunks, "damaged chunk", "damaged chunks");
    list(what, sizeof(what), d->bad_records, "place that could not be read on",
         "places that could not be read on");
    list(what, sizeof(what), d->no_text, "event without its message",
         "events without their message");
    if (!*what) {
        return NULL;
    }
    snprintf(buffer, size, "the recording is %s: %s; the rest has been read",
             lost ? "cut short" : "damaged", what);
    return buffer;
}
