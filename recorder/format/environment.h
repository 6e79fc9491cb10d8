/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The environment variables that say how a program is recorded. `nvtxh record` sets them. Without
 * that command, NVTX_INJECTION64_PATH=/path/to/libnvtxh-record.so records to PROGRAM.PID.nvtxh in
 * the working directory. */
/* The recording's file. An existing file is not overwritten. If REC_ENV_SESSION is not set, the
 * name may have the fields of create.h. */
#define REC_ENV_FILE "NVTXH_RECORD_FILE"
#define REC_ENV_SESSION "NVTXH_RECORD_SESSION" /* session id of a recording to join; hexadecimal */
/* When the run began, in ns since 1970. If the file's name has fields, but not %n, an existing
 * recording that began before the run is replaced. */
#define REC_ENV_REPLACE "NVTXH_RECORD_REPLACE"
#define REC_ENV_RING "NVTXH_RECORD_RING" /* a size, such as 64M: keeps only the last events */
/* Times since the start, such as "1.5" or "200ms": events are recorded from the first to the second. */
#define REC_ENV_FROM "NVTXH_RECORD_FROM"
#define REC_ENV_TO "NVTXH_RECORD_TO"
#define REC_ENV_THREAD "NVTXH_RECORD_THREAD" /* 0: the recorder makes no thread of its own */
/* If set, the recorder prints nothing: descriptor 2 was closed when `nvtxh record` started, so the
 * program may open a file of its own as descriptor 2. */
#define REC_ENV_SILENT "NVTXH_RECORD_SILENT"
#define REC_ENV_PAUSED "NVTXH_RECORD_PAUSED"   /* 1: a process pauses the recordings it creates */
#define REC_ENV_CAPTURE "NVTXH_RECORD_CAPTURE" /* only while a range MESSAGE[@DOMAIN] is open */
/* Names of domains, separated by commas. "default" is the default domain. */
#define REC_ENV_INCLUDE "NVTXH_RECORD_DOMAIN_INCLUDE"
#define REC_ENV_EXCLUDE "NVTXH_RECORD_DOMAIN_EXCLUDE"

#define REC_ENV_RANK "NVTXH_RECORD_RANK" /* RANK or RANK/RANKS; overrides the launcher's */
#define REC_ENV_JOB "NVTXH_RECORD_JOB"   /* id of the job; overrides the scheduler's */
#define REC_ENV_MODE "NVTXH_RECORD_MODE" /* permissions of the file, octal; 600 if not set */
#define REC_ENV_SWITCHES "NVTXH_RECORD_SWITCHES" /* 0: nvtxh record records no context switches */
#define REC_ENV_TOOL "NVTXH_RECORD_TOOL" /* path of another NVTX tool, which gets the calls, too */

#include "../../nvtxh/core/text.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define REC_RING_LEAST (UINT64_C(1) << 18)
#define REC_RING_MOST (UINT64_C(1) << 36)

/* Parses the size of a ring in bytes: a number, then k, M or G (powers of 1024); MB and MiB mean
 * M. */
static inline bool rec_parse_size(const char *text, uint64_t *ret) {
    char *end;

    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    unsigned shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;
    end += shift != 0;
    end += shift && end[0] == 'i' && end[1] == 'B';
    end += *end == 'B';
    if (errno || end == text || *text == '-' || *end || n > UINT64_MAX >> shift >> 1) {
        return false;
    }
    *ret = n << shift;
    return *ret >= REC_RING_LEAST && *ret <= REC_RING_MOST;
}

/* Parses a time with its unit. A number alone is seconds. */
static inline bool rec_parse_time(const char *text, int64_t *ret_ns) {
    static const struct {
        const char *name;
        double ns;
    } units[] = {{"", 1e9},  {"ns", 1},   {"us", 1e3},   {"µs", 1e3},  {"ms", 1e6},
                 {"s", 1e9}, {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}};
    char *end;
    double number = nvtxh_i_number_read(text, &end);

    for (size_t i = 0; end > text && i < sizeof(units) / sizeof(units[0]); i++) {
        double ns = number * units[i].ns;
        if (!strcmp(end, units[i].name) && ns > -9e18 && ns < 9e18) {
            *ret_ns = (int64_t)(ns < 0 ? ns - 0.5 : ns + 0.5);
            return true;
        }
    }
    return false;
}

/* Parses a time from 0 to ten years. */
static inline bool rec_parse_wait(const char *text, uint64_t *ret_ns) {
    int64_t ns = -1;

    if (!rec_parse_time(text, &ns) || ns < 0 || ns >= INT64_C(315360000000000000)) {
        return false;
    }
    *ret_ns = (uint64_t)ns;
    return true;
}

/* Parses a file's permissions, octal. False if the owner could not read and write the file. */
static inline bool rec_parse_mode(const char *text, uint64_t *ret) {
    char *end;

    *ret = strtoul(text, &end, 8);
    return end != text && *text != '-' && !*end && *ret <= 0777 && (*ret & 0600) == 0600;
}
