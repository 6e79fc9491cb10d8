/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The names of ranges, threads, processes and rows, as tables, exports and the page show them.
 * `for_people`: see name_of_range; output for programs has all names as they were recorded. The
 * caller frees what is returned as char *. */
#include "summary.h"

/* Shortens the name of a function: drops a "void " at the start, and the parameters. The function's
 * own template arguments stay, but lists in them are emptied: f<vector<int>>(int) becomes
 * f<vector<>>. */
char *name_of_function(const struct str *name, size_t *ret_size);

/* domain:message or, in the default domain, only the message. For people, a missing message reads
 * "(no message)", and the name of a function is shortened. */
char *name_of_range(const struct source *s, uint32_t domain, uint32_t text, bool for_people,
                    size_t *ret_size);

/* "4712 io of process 4711 of rank 3 on node7": a thread's number and its name; its process, if the
 * source has several, with its rank if that is known and its host if hosts differ. With `name_last`
 * the name comes last. With `program`, a main thread without a name has the program's name. `pid`:
 * the number to print for the process, 4711 in this example. */
char *name_of_thread(const struct source *s, const struct source_process *p, uint32_t tid,
                     uint32_t pid, bool program, bool name_last, size_t *ret_size);

/* For people, the threads that are alike (see name_shared): their shared name, a text, and their
 * number; of a single one, its own name. */
char *name_of_threads(const struct source *s, const struct source_process *p, uint32_t tid,
                      uint32_t shared, uint32_t threads, size_t *ret_size);

/* The name that a thread shares with those that are alike: threads of a program whose names differ
 * only in numbers. A main thread without a name has the program's name. Returns a text. */
uint32_t name_shared(struct source *source, const struct source_process *p, uint32_t tid);

/* A row of a summary: the name of its range, domain, category or thread; of a counter BY_THREAD,
 * "domain:message in thread". */
char *name_of_row(const struct summary *s, const struct summary_row *row, bool for_people,
                  size_t *ret_size);

/* What viewers show. An event has its message, or "(no message)"; a category without a name has "";
 * a process has its executable, its rank if known, its host if hosts differ. */
const struct str *name_of_event(const struct source *source, const struct span *s);
const char *name_of_category(const struct source *source, const struct span *s);
char *name_of_process(const struct source *source, const struct source_process *p);

/* The pid of a process, or another number if an earlier process of the recording had this pid. */
uint32_t name_pid(const struct source_process *p);
