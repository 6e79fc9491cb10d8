/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "layout.h"

enum { SCHEMA_UNION = 3 };

static const struct type types[] = {
    [1] = {1, 't'},   [2] = {1, 'u'},  [3] = {2, 'i'},  [4] = {2, 'u'},   [5] = {4, 'i'},
    [6] = {4, 'u'},   [7] = {8, 'i'},  [8] = {8, 'u'},  [9] = {8, 'i'},   [10] = {8, 'u'},
    [11] = {1, 'i'},  [12] = {1, 'u'}, [13] = {2, 'i'}, [14] = {2, 'u'},  [15] = {4, 'i'},
    [16] = {4, 'u'},  [17] = {8, 'i'}, [18] = {8, 'u'}, [19] = {4, 'f'},  [20] = {8, 'f'},
    [21] = {16, 'f'}, [22] = {8, 'u'}, [23] = {8, 'u'}, [24] = {4, 't'},  [25] = {1, 't'},
    [26] = {2, 't'},  [27] = {4, 't'}, [32] = {1, 'u'}, [33] = {16, 'b'}, [34] = {16, 'b'},
    [42] = {2, 'f'},  [43] = {4, 'f'}, [44] = {8, 'f'}, [45] = {16, 'b'}, [50] = {2, 'h'},
    [52] = {4, 'f'},  [67] = {8, 'u'}, [68] = {4, 'u'}, [69] = {4, 'u'},  [70] = {8, 'u'},
    [71] = {4, 'u'},  [72] = {8, 'u'}, [73] = {4, 'u'}, [74] = {8, 'u'},  [75] = {1, 't'},
    [76] = {1, 't'},  [77] = {2, 't'}, [78] = {4, 't'}, [80] = {8, 'r'},
};
#define TYPES (sizeof(types) / sizeof(types[0]))

struct type type_of(uint64_t number)
{
    return number < TYPES ? types[number] : (struct type){0, 0};
}

struct size {
    uint64_t size, align; /* 0: not known */
};

static struct size size_of(const struct process *p, uint32_t domain, uint64_t type, unsigned depth);

bool layout_is_pointer(const struct schema_entry *e)
{
    bool text = e->type >= TYPE_TEXT && e->type <= TYPE_TEXT_LAST;
    return e->flags & (FLAG_POINTER | FLAG_DEEP_COPY) ||
           (text && !e->detail && !(e->flags & FLAG_ARRAY));
}

uint64_t layout_count(const struct schema_entry *e)
{
    bool text = e->type >= TYPE_TEXT && e->type <= TYPE_TEXT_LAST;
    uint64_t array = e->flags & FLAG_ARRAY;

    return array == ARRAY_FIXED || (text && !array) ? e->detail : array ? 0 : 1;
}

bool layout_place(const struct process *p, const struct schema *s, uint32_t i, uint64_t *cursor,
                  uint64_t *ret_at, uint64_t *largest, unsigned depth)
{
    const struct schema_entry *e = &s->entries[i];
    struct size one =
        layout_is_pointer(e) ? (struct size){8, 8} : size_of(p, s->domain, e->type, depth + 1);
    uint64_t align = one.align;

    if (s->pack_align && align > s->pack_align) {
        align = s->pack_align;
    }
    if (!align || *cursor > REC_TEXT_MAX || e->offset > REC_TEXT_MAX) {
        return false;
    }
    *largest = align > *largest ? align : *largest;
    *ret_at = e->offset || i == 0 || s->type >= SCHEMA_UNION
                  ? e->offset
                  : (*cursor + align - 1) / align * align;
    uint64_t count = layout_is_pointer(e) ? 1 : layout_count(e);
    *cursor =
        count > REC_TEXT_MAX || one.size > REC_TEXT_MAX ? UINT64_MAX : *ret_at + count * one.size;
    return true;
}

static struct size size_of(const struct process *p, uint32_t domain, uint64_t type, unsigned depth)
{
    uint64_t cursor = 0, end = 0, at, largest = 1;

    if (type < TYPES) {
        return (struct size){types[type].size, types[type].size};
    }
    const struct schema *s = schemas_find(&p->schemas, domain, type);
    if (!s || depth > LAYOUT_DEPTH) {
        return (struct size){0, 0};
    }
    if (s->enum_size) {
        return (struct size){s->enum_size, s->enum_size};
    }
    for (uint32_t i = 0; i < s->count; i++) {
        if (!layout_place(p, s, i, &cursor, &at, &largest, depth)) {
            return (struct size){s->static_size, 1};
        }
        end = cursor > end ? cursor : end;
    }
    end = end > REC_TEXT_MAX ? 0 : (end + largest - 1) / largest * largest;
    return (struct size){s->static_size ? s->static_size : end, largest};
}

uint64_t extended_size(const struct process *p, uint32_t domain, uint64_t type)
{
    return size_of(p, domain, type, 0).size;
}
