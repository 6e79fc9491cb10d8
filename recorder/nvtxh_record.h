/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_RECORD_H
#define NVTXH_RECORD_H
/* The recorder, linked into a program: the program records itself, and needs neither the command
 * `nvtxh record` nor an environment variable.
 *
 *     nvtxh_record_start("warm.nvtxh");
 *     serve();
 *     nvtxh_record_stop();                      // nvtxh stats warm.nvtxh
 *
 * To link it: in Meson, dependencies: nvtxh_record_dep; elsewhere, pkg-config nvtxh-record, or all
 * of libnvtxh-record-linked.a (-Wl,--whole-archive) with -pthread. Only the executable or shared
 * object that it is linked into is recorded: NVTX looks for a linked tool nowhere else, not even
 * with -rdynamic. `nvtxh record` records all shared objects of a program.
 *
 * A capture (nvtxh/capture.h, or any range in the domain "nvtxh.capture") needs none of these
 * functions: while nothing is recorded, the beginning of a capture starts a recording, and its end
 * stops the recording. The file is NAME.nvtxh, where NAME is the capture's name with '_' for every
 * '/', or PROGRAM.PID if the capture has no name. If that file exists, it is kept, and the new file
 * is NAME.2.nvtxh, and so on.
 *
 * The environment variables for ring, domains, capture range, from and to apply here, too: see
 * nvtxh record --help. If NVTX_INJECTION64_PATH names a tool, NVTX uses that
 * tool, and nvtxh_record_start fails with EBUSY.
 *
 * A recording that is not stopped lasts until the process ends, however it ends. It has the last
 * event.
 *
 * Evaluation: these are functions, so each argument is evaluated once.
 * Cost while nothing is recorded: each annotation calls the recorder, which writes nothing.
 * Threads: any. Not in signal handlers.
 * Off: if nvtxh's annotations are compiled out, the program's other NVTX calls are still recorded.
 * Errors: 0 or an errno; see each function. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Fields may be added at the end, so set the whole struct to zero first. */
struct nvtxh_record_options {
    bool force; /* replace the file if it exists, unless another program records to it (EBUSY) */
    /* Bytes of a ring that keeps only the last events: 256 KiB to 64 GiB, at least 16 KiB for each
     * thread. 0: all events are kept, unless the environment asks for a ring. */
    uint64_t ring;
};

/* Creates the file and records from now on. Only the owner can read the file, unless
 * NVTXH_RECORD_MODE is set; a symbolic link is never followed. If `path` is NULL, the file is
 * PROGRAM.PID.nvtxh in the working directory. `options` may be NULL. Returns 0 or an errno: EBUSY
 * if a recording is under way already, or another tool is attached; EEXIST if the file exists;
 * EINVAL for a ring of a wrong size. */
int nvtxh_record_start(const char *path);
int nvtxh_record_start_with(const char *path, const struct nvtxh_record_options *options);

/* Ends the recording; open ranges end now. Returns 0, or EINVAL if nothing is being recorded. */
int nvtxh_record_stop(void);

/* Whether something is being recorded. */
bool nvtxh_record_active(void);

/* Asks for a snapshot, if the command `nvtxh record --snapshot-when call` records this program.
 * `why`: the reason, cut to 95 bytes; NULL: none. The snapshot is taken a moment later; the call
 * does not wait. Returns 0 or an errno: ESRCH if no such command runs. Cost: some system calls.
 * Threads: any. */
int nvtxh_record_snapshot(const char *why);

#ifdef __cplusplus
}
#endif
#endif /* NVTXH_RECORD_H */
