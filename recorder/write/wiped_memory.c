/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "wiped_memory.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>

#ifndef MADV_WIPEONFORK
#define MADV_WIPEONFORK 18
#endif

enum { PAGE = 4096, LINE = 64 };

static char *page;
static size_t used;
static bool works;

void *wiped_memory_new(size_t size)
{
    void *map = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (map == MAP_FAILED) {
        return NULL;
    }
    wiped_memory_mark(map, size);
    return map;
}

void wiped_memory_mark(void *pages, size_t size)
{
    madvise(pages, size, MADV_WIPEONFORK);
}

static void wipe(void)
{
    memset(page, 0, PAGE);
}

bool wiped_memory_works(void)
{
    return works;
}

void *wiped_memory_share(size_t size)
{
    size_t at = used;

    if (!page) {
        page = wiped_memory_new(PAGE);
        works = page && madvise(page, PAGE, MADV_WIPEONFORK) == 0;
        if (page && !works) {
            pthread_atfork(NULL, NULL, wipe);
        }
    }
    used += (size + LINE - 1) / LINE * LINE;
    return page && used <= PAGE ? page + at : NULL;
}
