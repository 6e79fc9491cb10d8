/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_LOG_H
#define NVTXH_TEST_LOG_H

/* An NVTX tool for tests: it logs every call it gets. A test program links the library and names
 * the same file in NVTX_INJECTION64_PATH. Then the tool that NVTX loads and the log that the
 * program reads are the same.
 *
 * As text, an event is its domain (nothing for the default one), a word and its arguments:
 *
 *     push [a]                            [a] is a registered string, 'a' plain text, none: -
 *     train push [a] cat=gemm color=ff00ff00 i32=5
 *     train pop                           pop! if nothing was open
 *     start [a] #1, end #1                numbered since log_reset()
 *     mark 'a', thread 'io', CUDA stream 'copies', CU context 'main'
 *     mark [a] point{x=1 y=2}             a struct, by its schema
 *     end #1 in GPU/stream 7              a scope of NVTX, by its path
 *     counter 'tokens' 17                 a sample
 *
 * What no caller should ever do (a wrong size, garbage in unused fields, a string of another
 * domain) shows as BAD(...) at the end of the line. cat= is the category's name, or its number if
 * it has none in the event's domain.
 *
 * NVTXH_TEST_TOOL, a list of words separated by commas, changes the tool:
 *   null       handles are NULL, depths and range ids 0
 *   uncounted  push and pop return -1, as with Nsight Systems
 *   core       the functions without domains alone
 *   core2      the functions with domains alone
 *   pushpop    no other functions than push and pop, with and without a domain
 *   nostring   strings cannot be registered
 *   nodomain   domains cannot be made, though everything else is there
 *   mark       nothing but marks
 *   thread     nothing but the naming of threads
 *   fail       the initialisation fails; faillate: after it has filled the tables
 *   slow       every call takes a millisecond
 *   silent     nothing is written down
 *   noext      no function of the payload and counter extensions
 *   failext    their initialisation fails
 *   noend      no ends of ranges with a payload
 *   noscope    no scopes of NVTX
 *   refuses    no schemas and enums whose names end with an odd digit
 * NVTXH_TEST_LOG=FILE: every event is also appended to FILE, a line each, "tid event". */

#include <stddef.h>
#include <stdint.h>
#ifndef __cplusplus
#include <stdbool.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

enum log_kind {
    LOG_INIT, /* the tool's entry point: once per linked object */
    LOG_DOMAIN,
    LOG_STRING,
    LOG_CATEGORY,
    LOG_DESTROY, /* a domain */
    LOG_THREAD,  /* `category` is the thread it is about */
    LOG_PUSH,
    LOG_POP,
    LOG_START,
    LOG_END,
    LOG_MARK,
    LOG_COUNTER, /* a sample */
    LOG_SCHEMA,  /* this one and the next two: as text, made by extension.c and counter.c */
    LOG_ENUM,
    LOG_COUNTER_NAME,
    LOG_RESOURCE /* a name for an object of CUDA; `result` is an enum log_resource */
};

enum log_resource {
    LOG_CUDA_DEVICE,
    LOG_CUDA_STREAM,
    LOG_CUDA_EVENT,
    LOG_CU_DEVICE,
    LOG_CU_CONTEXT,
    LOG_CU_STREAM,
    LOG_CU_EVENT
};

struct log_event {
    enum log_kind kind;
    const char *domain; /* NULL: the default domain */
    const char *text;   /* NULL: none */
    bool registered;
    bool by_name_only; /* nvtxRangePushA and the like */
    uint32_t category, color_type, color;
    int32_t payload_type;
    uint64_t payload_bits;
    long tid;
    int64_t result;       /* the depth, or the id of a process range */
    const char *extended; /* the payload as text; NULL: there is none */
    const char *bad;      /* NULL: nothing is wrong with it */
};

size_t log_size(void);
const struct log_event *log_at(size_t i);
/* How many of a kind there are since the program began; NULL text or domain: any. The default
 * domain is "". */
size_t log_count(enum log_kind kind, const char *domain, const char *text);
/* Only events from now on count; names stay. */
void log_reset(void);
/* Pushes, pops, starts, ends, marks and names of threads and CUDA objects since the last reset, "a;
 * b; c", of one thread or (tid 0) of all. To be freed by the caller. */
char *log_text(long tid);
/* Called within every call that makes a domain, a string or a category. */
void log_set_hook(void (*hook)(enum log_kind kind));

#ifdef __cplusplus
}
#endif

#endif
