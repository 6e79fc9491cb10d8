/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"

const struct export_format export_formats[EXPORT_FORMATS] = {
    [EXPORT_SQLITE] =
        {.name = "sqlite",
         .what = "the tables of Nsight Systems: `nsys stats -r nvtxsum OUT.sqlite` reads them",
         .write_file = export_sqlite,
         .suffix = ".sqlite",
         .reader = "nsys"},
    [EXPORT_PERFETTO] = {.name = "perfetto",
                         .what = "for the Perfetto UI and its trace processor",
                         .write = export_perfetto},
    [EXPORT_CHROME] = {.name = "chrome",
                       .what = "JSON for the Perfetto UI, chrome://tracing, speedscope",
                       .write = export_chrome},
    [EXPORT_CSV] = {.name = "csv",
                    .what = "one row per range or mark, with everything that is known of it",
                    .write = export_csv},
    [EXPORT_TEXT] = {.name = "text",
                     .what = "one line per range or mark, for people",
                     .write = export_text},
};
