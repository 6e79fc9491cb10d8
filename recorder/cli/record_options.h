/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_RECORD_OPTIONS_H
#define NVTXH_CLI_RECORD_OPTIONS_H
/* The options of `nvtxh record`, and the environment variables by which the program gets them. */
#include "trigger.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* The options that the recorder in the program reads: one environment variable for each. */
enum {
    RECORD_RING,
    RECORD_MIN_DURATION,
    RECORD_DELAY,
    RECORD_DURATION,
    RECORD_CAPTURE,
    RECORD_INCLUDE,
    RECORD_EXCLUDE,
    RECORD_RANK,
    RECORD_JOB,
    RECORD_MODE,
    RECORD_SETTINGS
};

struct record_options {
    const char *output; /* NULL: not given */
    bool force, quiet, no_thread, paused, stats_only, functions;
    char *chain; /* the value of NVTXH_CHAIN with the tools of --also; NULL: there is none */
    struct trigger_options triggers;
    struct record_setting {
        char *text;      /* the variable's value; NULL: the option was not given */
        uint64_t number; /* the value of a size (bytes), a time (ns) or a mode */
    } settings[RECORD_SETTINGS];
};

/* Parses the options up to the program, argv[optind]. Returns an exit status. In any case call record_options_free. */
int record_options_parse(struct record_options *o, int argc, char **argv);
void record_options_free(struct record_options *o);

static inline mode_t record_options_mode(const struct record_options *o)
{
    return (mode_t)o->settings[RECORD_MODE].number;
}

struct recording_file;

/* Sets the environment that the program inherits. Call it last: nothing in this process may read the variables after
 * it. `file`: what the program records to. `library`: the recorder's. `preload`: a library to preload, or "". */
void record_options_hand_over(const struct record_options *o, const struct recording_file *file, const char *library,
                              const char *preload, const char *program);

#endif /* NVTXH_CLI_RECORD_OPTIONS_H */
