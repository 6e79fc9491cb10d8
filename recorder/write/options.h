/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_OPTIONS_H
#define NVTXH_WRITE_OPTIONS_H
/* What is recorded, according to the environment: see format/environment.h. */
#include <stdbool.h>
#include <stdint.h>

/* Whether the recorder is linked into the program, which starts and stops recordings itself. */
#ifdef NVTXH_RECORD_LINKED
#define OPTIONS_LINKED true
#else
#define OPTIONS_LINKED false
#endif

/* The domain of nvtxh/capture.h. */
#define CAPTURE_DOMAIN "nvtxh.capture"

struct options {
    uint64_t mode;                  /* permissions of a file that this process makes */
    uint64_t ring;                  /* bytes; 0: everything is kept */
    bool no_thread;                 /* make no thread of our own */
    bool paused;                    /* this process pauses the recordings it creates */
    uint64_t bound_ns;              /* shorter pushed ranges are left out; 0: all are kept */
    uint64_t delay_ns, duration_ns; /* delay after the start; duration after the delay; 0: none */
    const char *include, *exclude;  /* names of domains, separated by commas; NULL: not set */
    const char *capture_message;    /* record only in ranges with this message; NULL: always */
    const char *capture_domain;     /* the ranges' domain; NULL: the default or CAPTURE_DOMAIN */
};

extern struct options options;

/* Reads the environment. Values that make no sense are reported and ignored. */
void options_read(void);

/* Whether events of a domain are wanted; NULL or "default" is the default domain. */
bool options_want_domain(const char *name);

/* Whether a range in this domain opens the gate if its message is capture_message. */
bool options_capture_domain(const char *name);

#endif /* NVTXH_WRITE_OPTIONS_H */
