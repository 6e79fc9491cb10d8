/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "record.h"
#include "cli.h"
#include "options.h"
#include "../util/memory.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char *const examples[] = {"nvtxh record -o app.nvtxh -- ./app",
                                       "nvtxh record --ring 64M -o last.nvtxh -- ./app",
                                       "nvtxh record --functions -o functions.nvtxh -- ./app"};
static const char about[] = "Runs PROGRAM and writes its NVTX ranges, marks, counters and names, "
                            "and those of every process it starts, to a file. The exit status is "
                            "the program's, or 128 plus the signal's number if a signal ended it.";
static const char more[] =
    "To record without this command, set NVTX_INJECTION64_PATH=/path/to/libnvtxh-record.so. "
    "NVTXH_RECORD_FILE, _RING, _DOMAIN_INCLUDE, _DOMAIN_EXCLUDE, _CAPTURE, _FROM, _TO, "
    "_RANK, _JOB, _MODE, _THREAD, _TOOL and _PAUSED then stand for the options.";

static bool is_end(const char *value, uint64_t *ret_ns) {
    return rec_parse_wait(value, ret_ns) && *ret_ns;
}

/* Whether a value is MESSAGE or MESSAGE@DOMAIN; the last '@' separates the two. */
static bool is_range(const char *value, uint64_t *ret) {
    (void)ret;
    const char *at = strrchr(value, '@');
    return *value && at != value && (!at || at[1]);
}

static bool is_name(const char *value, uint64_t *ret) {
    (void)ret;
    return *value;
}

static bool is_rank(const char *value, uint64_t *ret) {
    uint32_t rank, world;

    (void)ret;
    return identity_parse_rank(value, &rank, &world);
}

static const struct handed {
    int setting; /* index in `settings`: RECORD_RING and so on */
    const char *name, *variable, *argument, *help;
    bool (*is_right)(const char *value, uint64_t *ret_number);
    const char *wanted; /* what is expected, for the error message */
    /* If the option is given several times: LAST: its last value counts; ONCE: that is an error;
     * LIST: its values make a list, separated by commas. */
    enum { LAST, ONCE, LIST } repeats;
    /* Not NULL: the variable gets the parsed number with this unit, such as "10000ns", which the
     * recorder reads alike in every locale. NULL: it gets the option's value unchanged. */
    const char *unit;
} handed[RECORD_SETTINGS] = {
    {RECORD_RING, "ring", REC_ENV_RING, "SIZE",
     "keep only the last SIZE bytes of each process, such as 64M; from 256k to 64G", rec_parse_size,
     "a size from 256k to 64G, such as 64M", LAST, ""},
    {RECORD_FROM, "from", REC_ENV_FROM, "TIME",
     "begin TIME after the start: 5s, 200ms; a number alone is seconds", rec_parse_wait,
     "a time, such as 1.5 or 200ms", LAST, "ns"},
    {RECORD_TO, "to", REC_ENV_TO, "TIME",
     "stop recording TIME after the start; the program runs on", is_end,
     "a time above 0, such as 1.5 or 200ms", LAST, "ns"},
    {RECORD_CAPTURE, "capture-range", REC_ENV_CAPTURE, "R",
     "record only while the range R is open: MESSAGE@DOMAIN, or MESSAGE for a range in the default "
     "domain or of nvtxh_capture_start",
     is_range, "MESSAGE or MESSAGE@DOMAIN, and once", ONCE, NULL},
    {RECORD_INCLUDE, "domain-include", REC_ENV_INCLUDE, "D",
     "record only these domains (names separated by commas; may be given several times; 'default' "
     "is the default domain)",
     is_name, "a name", LIST, NULL},
    {RECORD_EXCLUDE, "domain-exclude", REC_ENV_EXCLUDE, "D", "record all domains but these",
     is_name, "a name", LIST, NULL},
    {RECORD_RANK, "rank", REC_ENV_RANK, "R[/N]",
     "the program is rank R, of N (if not given, what torchrun, Open MPI, MPICH, PMIx or SLURM "
     "say)",
     is_rank, "a rank, such as 3 or 3/8", LAST, NULL},
    {RECORD_JOB, "job", REC_ENV_JOB, "JOB",
     "the name of the job (if not given, what the scheduler says)", is_name, "a name", LAST, NULL},
    {RECORD_MODE, "mode", REC_ENV_MODE, "MODE",
     "permissions of the recording, such as 640 (600 if not given)", rec_parse_mode,
     "octal permissions with which its owner may read and write", LAST, NULL},
};

static int parse_setting(const struct cli_option *option, const char *value) {
    struct record_options *o = option->arg;
    const struct handed *h = handed;

    while (strcmp(h->name, option->name) != 0) {
        h++;
    }
    struct record_setting *s = &o->settings[h->setting];
    char text[32], *before = s->text;
    if (!h->is_right(value, &s->number) || (before && h->repeats == ONCE)) {
        return cli_usage("record", "invalid --%s '%s': expected %s", h->name, value, h->wanted);
    }
    if (h->unit) {
        snprintf(text, sizeof(text), "%" PRIu64 "%s", s->number, h->unit);
        value = text;
    }
    bool joins = before && h->repeats == LIST;
    s->text = must_print("%s%s%s", joins ? before : "", joins ? "," : "", value);
    free(before);
    return EXIT_DONE;
}

static int parse_tool(const struct cli_option *option, const char *value) {
    return other_tool_parse(value, option->arg);
}

static int parse_trigger(const struct cli_option *option, const char *value) {
    return trigger_add(option->arg, value);
}

enum { OWN = 14 }; /* how many options are not in `handed` */

/* Makes the table of options, whose values go to `o`. */
static void fill(struct cli_option ret_all[OWN + RECORD_SETTINGS + 1], struct record_options *o) {
    const struct cli_option own[OWN] = {
        OPTIONS_FILE(
            o->output, o->force, "REC",
            "the recording, or a directory for it (PROGRAM.nvtxh if not given, or the next free "
            "PROGRAM.N.nvtxh). In the name %h stands for the host, %p for the pid, %r for the "
            "rank, %j for the job, %n for the next free number. With %p each process of PROGRAM "
            "writes its own file; with %r too, unless this command is started once for each rank"),
        {"quiet", 'q', NULL, "print only errors", .flag = &o->quiet},
        {"no-thread", 0, NULL,
         "the recorder makes no thread of its own in the program; busy threads then sometimes wait "
         "for the file",
         .flag = &o->no_thread},
        {"tool", 0, "PATH", "pass the calls to another NVTX tool, too: the path of its library",
         .take = parse_tool, .arg = &o->tool},
        {"functions", 0, NULL,
         "record each function of PROGRAM that was compiled with -finstrument-functions; the "
         "variables NVTXH_INSTRUMENT=PATTERNS, NVTXH_INSTRUMENT_DEPTH=N and "
         "NVTXH_INSTRUMENT_MIN=TIME leave out functions",
         .flag = &o->functions},
        {"switches", 0, NULL,
         "record when threads get and leave processors, however often. By default that is done on "
         "up to 32 processors, while each has up to 5,000 switches a second, if the kernel allows "
         "it; stats then shows CPU time",
         .flag = &o->switches},
        {"no-switches", 0, NULL, "do not record them; NVTXH_RECORD_SWITCHES=0 does the same",
         .flag = &o->no_switches},
        {"paused", 0, NULL, "record nothing until nvtxh resume REC", .flag = &o->paused},
        {"snapshot-when", 0, "CONDITION",
         "with --ring: take a snapshot when CONDITION holds, under REC's name with .snap1, "
         ".snap2, ... before .nvtxh; may be given several times: " CONDITION_GRAMMAR,
         .take = parse_trigger, .arg = &o->triggers},
        {"before", 0, "TIME", "a snapshot begins this long before its cause (2s if not given)",
         .time = &o->triggers.before},
        {"after", 0, "TIME", "a snapshot ends this long after its cause (1s if not given)",
         .time = &o->triggers.after},
        {"max-snapshots", 0, "N", "take at most N snapshots (10 if not given)",
         .number = {&o->triggers.most, 0, 1e9, "a number of snapshots"}},
        {"min-interval", 0, "TIME",
         "at least this much time between two snapshots (10s if not given)",
         .time = &o->triggers.interval}};

    memcpy(ret_all, own, sizeof(own));
    for (int i = 0; i < RECORD_SETTINGS; i++) {
        const struct handed *h = &handed[i];
        ret_all[OWN + i] =
            (struct cli_option){h->name, 0, h->argument, h->help, .take = parse_setting, .arg = o};
    }
    ret_all[OWN + RECORD_SETTINGS] = (struct cli_option){.name = NULL};
}

/* Checks that the options go together. Returns an exit status. */
static int check_options(const struct record_options *o, bool has_program) {
    if (o->settings[RECORD_INCLUDE].text && o->settings[RECORD_EXCLUDE].text) {
        return cli_usage("record", "--domain-include cannot be used with --domain-exclude");
    }
    if (!has_program) {
        return cli_usage("record", "no program given");
    }
    if (o->output && !*o->output) {
        return cli_usage("record", "-o requires a file name");
    }
    if (o->triggers.count && !o->settings[RECORD_RING].text) {
        return cli_usage("record", "--snapshot-when requires --ring, such as --ring 64M");
    }
    if (o->settings[RECORD_TO].text &&
        o->settings[RECORD_TO].number <= o->settings[RECORD_FROM].number) {
        return cli_usage("record", "--to must be later than --from: both count from the start");
    }
    if (o->triggers.before < 0 || o->triggers.after < 0 || o->triggers.interval < 0) {
        return cli_usage("record", "--before, --after and --min-interval must not be negative");
    }
    return EXIT_DONE;
}

int record_options_parse(struct record_options *o, int argc, char **argv) {
    struct cli_option all[OWN + RECORD_SETTINGS + 1];
    const struct options table = {
        "record", "[OPTION...] [--] PROGRAM [ARGUMENT...]", about, more, all, A_PROGRAM, examples};

    *o = (struct record_options){.triggers = TRIGGER_USUAL,
                                 .settings[RECORD_MODE].number = REC_MODE};
    fill(all, o);
    options_parse(&table, argc, argv);
    o->triggers.quiet = o->quiet;
    const char *usual = getenv(REC_ENV_SWITCHES);
    o->no_switches = o->no_switches || (!o->switches && usual && !strcmp(usual, "0"));
    o->switches = o->switches && !o->no_switches;
    return check_options(o, optind < argc);
}

void record_options_free(struct record_options *o) {
    for (size_t i = 0; i < o->triggers.count; i++) {
        free(o->triggers.all[i].name);
    }
    free(o->triggers.all);
    for (int i = 0; i < RECORD_SETTINGS; i++) {
        free(o->settings[i].text);
    }
    free(o->tool);
}

/* Sets a variable. If `value` is NULL, removes it, so that the program does not inherit it. */
static void set_variable(const char *variable, const char *value) {
    if (value) {
        setenv(variable, value, 1);
    } else {
        unsetenv(variable);
    }
}

void record_options_hand_over(const struct record_options *o, const struct recording_file *file,
                              const char *library, const char *preload, const char *program) {
    char run[24];

    snprintf(run, sizeof(run), "%" PRIu64, clock_sample(clock_choose()).realtime);
    set_variable(REC_ENV_REPLACE, o->force && file->apart ? run : NULL);
    for (int i = 0; i < RECORD_SETTINGS; i++) {
        set_variable(handed[i].variable, o->settings[handed[i].setting].text);
    }
    set_variable(REC_ENV_THREAD, o->no_thread ? "0" : NULL);
    set_variable(REC_ENV_PAUSED, o->paused && file->apart ? "1" : NULL);
    set_variable(REC_ENV_TOOL, o->tool);
    if (file->made || file->apart) { /* else the program runs unrecorded */
        set_variable(REC_ENV_FILE, file->absolute);
        set_variable(REC_ENV_SILENT, cli_is_silent() ? "1" : NULL);
        set_variable(REC_ENV_SESSION, file->apart ? NULL : file->session);
        other_tool_set(library, preload, program);
    }
}
