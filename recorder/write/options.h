/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* What is recorded, according to the environment: see format/environment.h. */
#include <stdbool.h>
#include <stdint.h>

/* Whether the recorder is linked into the program: then the program starts and stops recordings. */
#ifdef NVTXH_RECORD_LINKED
#define OPTIONS_LINKED true
#else
#define OPTIONS_LINKED false
#endif

#define CAPTURE_DOMAIN "nvtxh.capture" /* the domain of the ranges of nvtxh/capture.h */

struct options {
    uint64_t mode;                 /* permissions of a file that this process makes */
    uint64_t ring;                 /* bytes of the ring; 0: no ring, everything is kept */
    bool no_thread;                /* the recorder makes no thread of its own */
    bool paused;                   /* recordings that this process creates begin paused */
    uint64_t from_ns, to_ns;       /* since the start: events are kept between; to_ns 0: no limit */
    const char *include, *exclude; /* names of domains, separated by commas; NULL: not set */
    const char *capture_message;   /* record only in ranges with this message; NULL: always */
    const char *capture_domain;    /* their domain; NULL: the default domain and CAPTURE_DOMAIN */
};

extern struct options options;

/* Reads the environment. Values that make no sense are reported and ignored. */
void options_read(void);

/* Whether the events of a domain are to be recorded; NULL or "default" is the default domain. */
bool options_want_domain(const char *name);

/* Whether ranges in this domain with the message capture_message are captures (session.h). */
bool options_capture_domain(const char *name);
