/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that are not UTF-8, or have characters that control a terminal. With FILE: those in it, each
 * with a zero byte after it. */
#include "nvtxh.h"
#include "nvtxh/stats.h"

#include <stdio.h>
#include <string.h>

#define COUNTED(text)                                                                              \
    { NVTX_SCOPE(text); }

static int those_in(const char *path) {
    static char texts[1 << 16];
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(texts, 1, sizeof(texts) - 1, file) : 0, at;

    for (at = 0; at < n; at += strlen(texts + at) + 1) {
        NVTXH_SCOPE_STRING(nvtxh_string_named(NULL, texts + at));
    }
    return !n;
}

int main(int argc, char **argv) {
    if (argc > 1)
        return those_in(argv[1]);
    COUNTED("overlong \xc0\xaf")
    COUNTED("overlong \xe0\x80\xaf")
    COUNTED("overlong \xf0\x80\x80\xaf")
    COUNTED("surrogate \xed\xa0\x80")
    COUNTED("beyond \xf4\x90\x80\x80")
    COUNTED("alone \x80")
    COUNTED("cut \xe2")
    COUNTED("latin-1 caf\xe9!")
    COUNTED("turned \xe2\x80\xae"
            "back")
    COUNTED("isolated \xe2\x81\xa6")
    COUNTED("mark \xd8\x9c")
    COUNTED("C1 \xc2\x85")
    COUNTED("bell \a")
    COUNTED("\"quoted\\\"")
    COUNTED("caf\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80")
    return 0;
}
