/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_DERIVE_STATISTICS_FILE_H
#define NVTXH_DERIVE_STATISTICS_FILE_H
/* Writes a recording that holds statistics only: see spans/statistics.h. */
#include "../sums/summary.h"

struct statistics_file {
    struct rec_header head;
    struct rec_process process; /* the command that writes it */
    struct rec_statistics of;
    uint64_t bound; /* ns; shorter ranges were left out. 0: none were */
    const struct texts *texts;
    const struct summary_row *rows; /* distribution_finish was not called for their durations */
    size_t count;
};

/* Writes to an empty file that is open at `fd`. False with errno. */
bool statistics_file_write(const struct statistics_file *s, int fd, uint64_t *ret_size);

#endif /* NVTXH_DERIVE_STATISTICS_FILE_H */
