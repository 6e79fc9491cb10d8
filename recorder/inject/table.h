/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_INJECT_TABLE_H
#define NVTXH_INJECT_TABLE_H
/*
 * Every name there is, by kind, in ordinary memory. The functions are called by process_with_names, which
 * locks, and write what is new to the recording. For names.h, which says what they are for.
 */
#include "stream.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct table_request {
    enum rec_kind kind;
    uint32_t domain;
    uint32_t id; /* in, or out for what is numbered here */
    const void *body;
    size_t size;
    void *number; /* of table_define, 64 bits in the body: in, or out if it is 0 */
    bool unique;  /* never the same as one before */
    bool failed;
};

void table_number(struct stream *s, void *request);
void table_rename(struct stream *s, void *request);
void table_define(struct stream *s, void *request);
void table_resource(struct stream *s, void *request);
void table_resource_gone(struct stream *s, void *request);
void table_note(struct stream *s, void *request); /* written, and not kept */

struct table_text {
    uint32_t id;
    char *ret_text;
    size_t room;
};

void table_find_string(struct stream *s, void *text);

/* With the names locked: whether the program has named that thread. */
bool table_has_thread(uint32_t tid);

/* For a new part of the recording: everything that is known; of a fork, not the threads. */
void table_write_all(struct stream *s, bool forked);

#endif /* NVTXH_INJECT_TABLE_H */
