/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "apart.h"
#include "cli.h"
#include "words.h"
#include "../format/output_name.h"

#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Makes a pattern for glob() of a name with fields such as %p. A field becomes '*'; characters that are special to glob
 * are escaped. */
static void pattern_of(const char *name, char ret_pattern[2 * PATH_MAX])
{
    char *to = ret_pattern;

    for (; *name; name++) {
        if (*name == '%' && name[1] && name[1] != '%') {
            *to++ = '*';
            name++;
        } else {
            name += *name == '%' && name[1];
            to = stpcpy(to, strchr("*?[\\", *name) ? "\\" : "");
            *to++ = *name;
        }
    }
    *to = 0;
}

static bool is_new(const char *path, const struct rec_sample *begun)
{
    struct rec_header head;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool is = fd >= 0 && pread(fd, &head, sizeof(head), 0) == (ssize_t)sizeof(head) &&
              !memcmp(head.magic, REC_MAGIC, 8) && head.start.realtime >= begun->realtime;

    if (fd >= 0) {
        close(fd);
    }
    return is;
}

void apart_report(const char *name, const char *absolute, const struct rec_sample *begun,
                  const char *program, const char *ended)
{
    char pattern[2 * PATH_MAX];
    glob_t found = {0};
    const char *first = NULL;
    size_t count = 0;

    pattern_of(absolute, pattern);
    if (glob(pattern, GLOB_NOSORT, NULL, &found) == 0) {
        for (size_t i = 0; i < found.gl_pathc; i++) {
            if (is_new(found.gl_pathv[i], begun)) {
                first = found.gl_pathv[i];
                count++;
            }
        }
    }
    pattern_of(name, pattern);
    if (!count) {
        char *quoted = words_quoted(program);
        cli_say("%sno process of %s made a recording %s; nvtxh doctor -- %s looks for the reason",
                ended, program, pattern, quoted);
        free(quoted);
    } else if (count == 1) {
        char *quoted = words_quoted(first);
        cli_say("%s1 recording, %s; next: nvtxh stats %s", ended, first, quoted);
        free(quoted);
    } else {
        bool ranks = output_name_has(name, 'r');
        cli_say("%s%zu recordings, %s; next: nvtxh %s %s", ended, count, pattern,
                ranks ? "ranks" : "merge -o all.nvtxh", pattern);
    }
    globfree(&found);
}
