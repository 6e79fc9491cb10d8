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
    [EXPORT_PARQUET] = {.name = "parquet",
                        .what =
                            "a directory of Parquet files for DuckDB, Spark and the like, of one "
                            "recording or more",
                        .open = "docs/ranks.md has queries",
                        .directory = true},
    [EXPORT_HTML] = {.name = "html",
                     .what = "the page of `nvtxh view`, for a browser",
                     .open = "open it in a browser",
                     .write = export_html},
    [EXPORT_SPEEDSCOPE] = {.name = "speedscope",
                           .what = "the nested ranges of each thread, for speedscope",
                           .open = "open it in https://www.speedscope.app",
                           .write = export_speedscope},
    [EXPORT_FIREFOX] = {.name = "firefox",
                        .what = "for the Firefox Profiler: ranges as stacks, marks as markers",
                        .open = "open it in https://profiler.firefox.com",
                        .write = export_firefox},
    [EXPORT_FOLDED] = {.name = "folded",
                       .what = "self time in ns per path of nested ranges, for flame graphs",
                       .open = "make a flame graph of it with flamegraph.pl --countname ns, or "
                               "inferno-flamegraph",
                       .write = export_folded},
    [EXPORT_CSV] = {.name = "csv",
                    .what = "one row per range or mark, with everything that is known of it",
                    .open = "open it in a spreadsheet or with pandas",
                    .write = export_csv},
    [EXPORT_TEXT] = {.name = "text",
                     .what =
                         "one line per range or mark, for people: start, duration, thread, name",
                     .open = "read it with less",
                     .write = export_text},
};
