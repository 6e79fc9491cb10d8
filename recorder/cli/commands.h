/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CLI_COMMANDS_H
#define NVTXH_CLI_COMMANDS_H
/*
 * The commands of `nvtxh`: for each its name, and what --help says about it. Command x is cmd_x() in cmd_x.c; resume is
 * in cmd_pause.c. The function gets the command's name as argv[0], and returns an exit status of cli.h.
 */
#define COMMANDS(X)                                                                                \
    X(record, "run a program and record its NVTX ranges")                                          \
    X(stats, "per range: how often, how long")                                                     \
    X(tree, "ranges as they were nested, with total and self times")                               \
    X(top, "what a recording under way is doing")                                                  \
    X(diff, "what changed between two recordings")                                                 \
    X(ranks, "which ranks of a job are slow, and for which the others wait")                       \
    X(view, "a timeline, a flame graph and a table, as a page for a browser")                      \
    X(export, "write a recording in a form other tools read")                                      \
    X(merge, "make one recording of several, of different processes or hosts")                     \
    X(snapshot, "copy the present contents of a recording under way")                              \
    X(pause, "pause a recording under way")                                                        \
    X(resume, "continue a recording that was paused")                                              \
    X(list, "the annotations in a program that is not running")                                    \
    X(doctor, "why is nothing recorded?")

#define COMMAND_DECLARE(name, what) int cmd_##name(int argc, char **argv);
COMMANDS(COMMAND_DECLARE)

#endif /* NVTXH_CLI_COMMANDS_H */
