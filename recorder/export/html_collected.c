/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "html_collect.h"
#include "../base/memory.h"

#include <stdlib.h>

uint32_t html_path(struct html_collected *c, uint32_t parent, uint32_t kind)
{
    uint64_t number = *map_add(&c->path_index, (uint64_t)parent << 32 | kind, c->path_count);

    if (number == c->path_count) {
        ARRAY_ADD(c->paths, c->path_count, c->path_room);
        c->paths[c->path_count++] = (struct html_path){.parent = parent, .kind = kind};
    }
    return (uint32_t)number;
}

void html_collected_free(struct html_collected *c)
{
    struct map *maps[] = {&c->keys,        &c->kind_index,   &c->path_index, &c->category_index,
                          &c->track_index, &c->thread_index, &c->last};

    for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
        map_free(maps[i]);
    }
    free(c->entries);
    free(c->kinds);
    free(c->paths);
    free(c->categories);
    free(c->tracks);
    free(c->threads);
    texts_free(&c->payloads);
    *c = (struct html_collected){0};
}
