/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORD_H
#define NVTXH_RECORD_H
/* The recorder, linked into a program: it records itself, with no tool and no variable.
 *
 *     nvtxh_record_start("warm.nvtxh");
 *     serve();
 *     nvtxh_record_stop();                      // nvtxh stats warm.nvtxh
 *
 * In Meson: dependencies: nvtxh_record_dep. Else: pkg-config nvtxh-record; or link all of
 * libnvtxh-record-linked.a (-Wl,--whole-archive), with -pthread. Shared objects of the program that
 * have annotations of their own are recorded too if the program exports its symbols to them
 * (-rdynamic).
 *
 * A capture (nvtxh/capture.h, or any range in the domain "nvtxh.capture") needs none of these
 * functions: while nothing is recorded, the capture's beginning starts a recording NAME.nvtxh (or
 * NAME.2.nvtxh and so on, never over a file that exists; with '_' for every '/' in the name), and
 * its end stops the recording.
 *
 * What the environment says of ring, domains, capture range, delay, duration and the shortest range
 * holds here too; see nvtxh record --help. If NVTX_INJECTION64_PATH names a tool, NVTX uses that
 * tool, and nvtxh_record_start fails.
 *
 * A recording that is not stopped lasts to the end of the process, and has its last event however
 * the process ends.
 *
 * Evaluation: these are functions.
 * Cost while nothing is recorded: that of NVTX with a tool, and a test of one variable.
 * Threads: any. Not in signal handlers.
 * Off: a program whose annotations are off records its other NVTX calls.
 * Errors: 0 or an errno; see each. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fields may be added at the end, so set the whole struct to zero first. */
struct nvtxh_record_options {
    bool force; /* replace the file if it exists */
    /* Keep only the last events, in this many bytes: 256 KiB to 64 GiB, 16 KiB or more a thread. 0:
     * keep all. */
    uint64_t ring;
};

/* Creates the file, readable by its owner alone and never through a symbolic link, and records from
 * now on. NULL: PROGRAM.PID.nvtxh in the working directory. Returns 0 or an errno: EBUSY if a
 * recording is under way already, or another tool is attached; EEXIST if the file exists; EINVAL
 * for a ring of a wrong size. Options may be NULL. */
int nvtxh_record_start(const char *path);
int nvtxh_record_start_with(const char *path, const struct nvtxh_record_options *options);

/* Ends the recording; open ranges end now. Returns 0, or EINVAL if nothing is being recorded. */
int nvtxh_record_stop(void);

/* Whether something is being recorded. */
bool nvtxh_record_active(void);

/* Asks `nvtxh record --snapshot-when call`, if that records this program, for a snapshot with this
 * reason (87 bytes; NULL: none). The snapshot is taken a moment later; the call does not wait.
 * Returns 0 or an errno: ESRCH if nobody takes snapshots. Some system calls; threads: any. */
int nvtxh_record_snapshot(const char *why);

#ifdef __cplusplus
}
#endif
#endif /* NVTXH_RECORD_H */
