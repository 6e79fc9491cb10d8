/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record_options.h"
#include "cli.h"
#include "../format/environment.h"
#include "../format/identity.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static bool is_duration(const char *value, uint64_t *ret_ns)
{
    return rec_parse_wait(value, ret_ns) && *ret_ns;
}

/* The last '@' separates the message from the domain. */
static bool is_range(const char *value, uint64_t *ret)
{
    (void)ret;
    const char *at = strrchr(value, '@');
    return *value && at != value && (!at || at[1]);
}

static bool is_name(const char *value, uint64_t *ret)
{
    (void)ret;
    return *value;
}

static bool is_rank(const char *value, uint64_t *ret)
{
    uint32_t rank, world;

    (void)ret;
    return identity_parse_rank(value, &rank, &world);
}

/* The options that the recorder in the program reads, as environment variables. */
static const struct handed {
    const char *name, *variable, *argument, *help;
    bool (*is_right)(const char *value, uint64_t *ret_number);
    const char *wanted; /* what is expected, for the error message */
    /* If the option is given several times: the last value counts, that is an error, all values make a list. */
    enum { LAST, ONCE, LIST } repeats;
    /* The variable gets the number that was parsed, in this unit, so that no locale matters; NULL: it gets the text. */
    const char *unit;
} handed[] = {
    {"ring", REC_ENV_RING, "SIZE",
     "keep only the last SIZE bytes of each process, such as 64M; from 256k to 64G", rec_parse_size,
     "a size from 256k to 64G, such as 64M", LAST, ""},
    {"min-duration", REC_ENV_MIN_DURATION, "TIME",
     "leave out push/pop ranges shorter than TIME, such as 10us, and count them; a range with a "
     "mark, a counter or a longer range in it is kept",
     rec_parse_bound, "a time up to 1s, such as 10us", LAST, "ns"},
    {"delay", REC_ENV_DELAY, "TIME", "begin after TIME: 5s, 200ms; a number alone is seconds",
     rec_parse_wait, "a time, such as 1.5 or 200ms", LAST, "ns"},
    {"duration", REC_ENV_DURATION, "TIME", "stop recording after TIME; the program runs on",
     is_duration, "a time above 0, such as 1.5 or 200ms", LAST, "ns"},
    {"capture-range", REC_ENV_CAPTURE, "R",
     "record only while the range R is open: MESSAGE@DOMAIN, or MESSAGE for a range in the default "
     "domain or of nvtxh_capture_start",
     is_range, "MESSAGE or MESSAGE@DOMAIN, and once", ONCE, NULL},
    {"domain-include", REC_ENV_INCLUDE, "D",
     "record only these domains (names separated by commas; may be given several times; 'default' "
     "is the default domain)",
     is_name, "a name", LIST, NULL},
    {"domain-exclude", REC_ENV_EXCLUDE, "D", "record all domains but these", is_name, "a name",
     LIST, NULL},
    {"rank", REC_ENV_RANK, "R[/N]",
     "the program is rank R, of N (if not given, what torchrun, Open MPI, MPICH, PMIx or SLURM "
     "say)",
     is_rank, "a rank, such as 3 or 3/8", LAST, NULL},
    {"job", REC_ENV_JOB, "JOB", "the name of the job (if not given, what the scheduler says)",
     is_name, "a name", LAST, NULL},
    {"mode", REC_ENV_MODE, "MODE", "permissions of the recording, such as 640 (600 if not given)",
     rec_parse_mode, "octal permissions with which its owner may read and write", LAST, NULL},
};
static_assert(sizeof(handed) / sizeof(handed[0]) == RECORD_OPTIONS, "as the header says");

static int hand_on(const struct cli_option *option, const char *value)
{
    const struct handed *h = handed;
    char *both = NULL, text[32];
    uint64_t number;

    while (strcmp(h->name, option->name) != 0) {
        h++;
    }
    const char *before = getenv(h->variable);
    if (!h->is_right(value, &number) || (before && h->repeats == ONCE)) {
        return cli_usage("record", "--%s wants %s, not '%s'", h->name, h->wanted, value);
    }
    if (h->unit) {
        snprintf(text, sizeof(text), "%" PRIu64 "%s", number, h->unit);
        value = text;
    }
    if (before && h->repeats == LIST && asprintf(&both, "%s,%s", before, value) < 0) {
        abort();
    }
    setenv(h->variable, both ? both : value, 1);
    free(both);
    return EXIT_DONE;
}

void record_options_fill(struct cli_option all[RECORD_OPTIONS])
{
    for (int i = 0; i < RECORD_OPTIONS; i++) {
        all[i] = (struct cli_option){handed[i].name, 0, handed[i].argument, handed[i].help,
                                     .take = hand_on};
        unsetenv(handed[i].variable); /* nvtxh record does not take over inherited variables */
    }
}
