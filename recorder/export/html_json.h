/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_JSON_H
#define NVTXH_EXPORT_HTML_JSON_H
/* JSON, member by member. */
#include "../report/quote.h"

#include <inttypes.h>
#include <stdio.h>

struct html_json {
    FILE *out;
    const char *comma; /* before the next member: "," or "" */
};

static inline void json_key(struct html_json *j, const char *name)
{
    fprintf(j->out, "%s\"%s\":", j->comma, name);
    j->comma = ",";
}

static inline void json_text(struct html_json *j, const char *name, const char *bytes, size_t size)
{
    json_key(j, name);
    quote_json(j->out, bytes, size);
}

static inline void json_number(struct html_json *j, const char *name, int64_t value)
{
    json_key(j, name);
    fprintf(j->out, "%" PRId64, value);
}

static inline void json_open_list(struct html_json *j, const char *name)
{
    json_key(j, name);
    fputc('[', j->out);
    j->comma = "";
}

static inline void json_close_list(struct html_json *j)
{
    fputs("]\n", j->out);
    j->comma = ",";
}

static inline void json_open_object(struct html_json *j)
{
    fprintf(j->out, "%s\n{", j->comma);
    j->comma = "";
}

static inline void json_close_object(struct html_json *j)
{
    fputc('}', j->out);
    j->comma = ",";
}

#endif /* NVTXH_EXPORT_HTML_JSON_H */
