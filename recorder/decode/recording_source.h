/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* A recording as a source of spans, its totals, and messages about it. */
#include "recording.h"
#include "../analysis/span.h"

#include <stdio.h>

extern const struct source_kind recording_kind;

/* Turns an open recording into a source. recording_close also closes the source. */
struct source *recording_source(struct recording *r);

/* --- messages: what a recording is a part of, what it lacks, what is wrong with its file ------ */

enum { RECORDING_COVERED = 224 };

/* Writes a text, "complete for the last 54 % of its window: ...", about a snapshot with the window
 * from `from` to `to` that may lack events before `whole_from` (all in ns). Returns NULL if
 * it lacks none in the window. */
const char *recording_covered(int64_t from, int64_t to, int64_t whole_from,
                              char buffer[RECORDING_COVERED]);

/* Returns the time, in ns, from which on no event has been overwritten in a ring. */
int64_t recording_whole_from(struct recording *r);

/* Prints one line, with the reason, if recording stopped because the file could not grow. */
void recording_print_stopped(const struct recording *r, FILE *out);

/* See notes and damage of struct source_kind. */
void recording_notes(const struct source *s, bool is_after, FILE *out);
const char *recording_damage(const struct source *s, char *buffer, size_t size);

/* --- totals that need no pairing of beginnings with ends -------------------------------------- */

/* Counts events, threads, dropped events and losses: the same as spans_each. The other totals are
 * 0. Takes some 10 ns per event. */
void totals_count(struct recording *r, struct span_totals *ret_totals);

/* Adds the dropped events of a stream, whose chunks are the `count` chunks from
 * recording.chunks[first] on. Counts missing chunks as damage. */
void totals_add_stream(struct span_totals *t, struct recording *r, size_t first, size_t count);

/* Adds the losses that a process has counted in its record, or those in the file's header, which
 * were counted by processes without such a record. */
void totals_add_losses(struct span_totals *t, const uint64_t lost[REC_LOSS_SIZE]);
