/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_DOCTOR_H
#define NVTXH_CLI_DOCTOR_H
/* What `nvtxh doctor` has found so far, and the messages about that. */
#include <stdbool.h>
#include <stddef.h>

#define MAX_LIBRARIES 512

struct doctor {
    unsigned problems;         /* how many messages WRONG were printed */
    unsigned machine;          /* of the recorder's library; 0: not known */
    bool musl;                 /* the recorder's library is linked with musl */
    bool blind;                /* the program could not be examined */
    char *seen[MAX_LIBRARIES]; /* paths that were examined */
    size_t seen_count;
    size_t with_nvtx; /* how many of these use NVTX */
    bool functions;   /* one of these was compiled with -finstrument-functions */
    const char *program;
};

/* Prints a message after `mark`: "ok", "note" or "WRONG". */
__attribute__((format(printf, 2, 3))) void doctor_say(const char *mark, const char *format, ...);

#define OK(...) doctor_say("ok", __VA_ARGS__)
#define NOTE(...) doctor_say("note", __VA_ARGS__)
#define WRONG(d, ...) ((d)->problems++, doctor_say("WRONG", __VA_ARGS__))

/* Looks at a program and the libraries it is linked with. */
void doctor_program(struct doctor *d, const char *name);

#endif /* NVTXH_CLI_DOCTOR_H */
