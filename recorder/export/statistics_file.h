/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_STATISTICS_FILE_H
#define NVTXH_EXPORT_STATISTICS_FILE_H
/* Writes a recording that holds statistics only: see read/statistics.h. */
#include "../read/summary.h"

struct statistics_file {
    struct rec_header head;
    struct rec_process process; /* the command that writes it */
    struct rec_statistics of;
    uint64_t bound; /* of ranges that were left out, ns; 0: none */
    const struct texts *texts;
    const struct summary_row *rows; /* their durations are in bins, and not finished */
    size_t count;
};

/* Into an empty file that is open for writing. False with errno. */
bool statistics_file_write(const struct statistics_file *s, int fd, uint64_t *ret_size);

#endif /* NVTXH_EXPORT_STATISTICS_FILE_H */
