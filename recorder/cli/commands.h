/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* The commands of `nvtxh`: names, and what --help says about them. Command x is cmd_x() in cmd_x.c;
 * resume is in cmd_pause.c. The function gets the command's name as argv[0], and returns an exit
 * status of cli.h. READS: the command only reads its arguments and writes its output; the fuzzers
 * run it. ACTS: it starts, follows or changes something else. Meson takes the names of source files
 * and manual pages from this list, so each command must be on a line of its own. */
#define COMMANDS(READS, ACTS)                                                                      \
    ACTS(record, "run a program and record its NVTX ranges")                                       \
    READS(stats, "how often each range ran, and how long it took")                                 \
    READS(tree, "how ranges are nested, with total and self times")                                \
    ACTS(top, "the activity of a running program")                                                 \
    READS(diff, "what changed between two recordings")                                             \
    READS(ranks, "which ranks of a job are slow, and which the others wait for")                   \
    ACTS(view, "a timeline, a flame graph and a table, as a page for a browser")                   \
    READS(export, "convert a recording for other tools")                                           \
    READS(merge, "make one recording of several")                                                  \
    READS(snapshot, "copy a recording while the program runs")                                     \
    ACTS(pause, "pause a recording")                                                               \
    ACTS(resume, "resume a paused recording")                                                      \
    READS(list, "the annotations in a program, without running it")                                \
    ACTS(doctor, "why nothing is recorded")

#define COMMAND_DECLARE(name, what) int cmd_##name(int argc, char **argv);
COMMANDS(COMMAND_DECLARE, COMMAND_DECLARE)
