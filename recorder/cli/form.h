/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_FORM_H
#define NVTXH_CLI_FORM_H
/* The options --csv and --json, which all reports have. */
#include "../report/report.h"

enum { FORM_CSV = 0x100, FORM_JSON };

/* clang-format off */
#define FORM_OPTIONS {"csv", no_argument, NULL, FORM_CSV}, {"json", no_argument, NULL, FORM_JSON}
/* clang-format on */

/* Takes one of the two; false if it is neither. */
static inline bool form_option(int option, enum report_form *form)
{
    if (option == FORM_CSV || option == FORM_JSON) {
        *form = option == FORM_CSV ? REPORT_CSV : REPORT_JSON;
        return true;
    }
    return false;
}

#endif /* NVTXH_CLI_FORM_H */
