/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "export.h"

const struct export_format export_formats[EXPORT_FORMATS] = {
    [EXPORT_SQLITE] =
        {.name = "sqlite",
         .what = "the tables of Nsight Systems: `nsys stats -r nvtxsum OUT.sqlite` reads them",
         .open = "read it with nsys stats or sqlite3",
         .write_file = export_sqlite,
         .suffix = ".sqlite",
         .reader = "nsys"},
    [EXPORT_PERFETTO] = {.name = "perfetto",
                         .what = "for the Perfetto UI and its trace processor",
                         .open = "open it in https://ui.perfetto.dev",
                         .write = export_perfetto},
    [EXPORT_CHROME] = {.name = "chrome",
                       .what = "JSON for the Perfetto UI, chrome://tracing, speedscope",
                       .open = "open it in https://ui.perfetto.dev or https://www.speedscope.app",
                       .write = export_chrome},
    [EXPORT_HTML] = {.name = "html",
                     .what = "the page of `nvtxh view`, for a browser",
                     .open = "open it in a browser",
                     .write = export_html},
    [EXPORT_CSV] = {.name = "csv",
                    .what = "one row per range or mark, with everything that is known of it",
                    .open = "open it in a spreadsheet or with pandas",
                    .write = export_csv},
    [EXPORT_TEXT] = {.name = "text",
                     .what = "one line per range or mark, for people",
                     .open = "read it with less",
                     .write = export_text},
};
