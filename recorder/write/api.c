/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The recorder linked into a program: the variables by which NVTX finds it, and the functions of
 * nvtxh_record.h, which the program calls. */
#include "file.h"
#include "session.h"
#include "../format/clock.h"
#include "../format/create.h"
#include "../format/environment.h"
#include "../nvtxh_record.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

/* In NVTX these are weak variables with the value NULL. The definitions here take their place. */
EXPORT extern int (*InitializeInjectionNvtx2_fnptr)(NvtxGetExportTableFunc_t);
EXPORT extern int (*InitializeInjectionNvtxExtension_fnptr)(struct ext_module *);
int (*InitializeInjectionNvtx2_fnptr)(NvtxGetExportTableFunc_t) = InitializeInjectionNvtx2;
int (*InitializeInjectionNvtxExtension_fnptr)(struct ext_module *) =
    InitializeInjectionNvtxExtension;

int nvtxh_record_start_with(const char *path, const struct nvtxh_record_options *options) {
    const char *tool = getenv("NVTX_INJECTION64_PATH");

    if (tool && *tool) {
        return EBUSY;
    }
    uint64_t ring = options ? options->ring : 0;
    if (ring && (ring < REC_RING_LEAST || ring > REC_RING_MOST)) {
        return EINVAL;
    }
    return session_init() ? session_start(path, options && options->force, ring) : ENOMEM;
}

int nvtxh_record_start(const char *path) {
    return nvtxh_record_start_with(path, NULL);
}

int nvtxh_record_stop(void) {
    return session_stop(file_recording());
}

/* Asks the command `nvtxh record` for a snapshot: the command watches `snapshots` in the header of
 * the recording that the environment names. */
int nvtxh_record_snapshot(const char *why) {
    const char *path = getenv(REC_ENV_FILE), *session = getenv(REC_ENV_SESSION);

    if (!path || !session) {
        return ESRCH;
    }
    int fd = rec_join(path, session);
    if (fd < 0) {
        return errno;
    }
    struct rec_header *header =
        mmap(NULL, REC_HEADER_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    int error = header == MAP_FAILED ? errno : 0;
    close(fd);
    if (error) {
        return error;
    }
    struct rec_control *control = &header->control;
    error = control->watcher ? 0 : ESRCH;
    if (!error) {
        snprintf(control->why, sizeof(control->why), "%s", why ? why : "");
        control->asked = clock_ticks(clock_choose());
        __atomic_add_fetch(&control->snapshots, 1, __ATOMIC_RELEASE);
    }
    munmap(header, REC_HEADER_SIZE);
    return error;
}

bool nvtxh_record_active(void) {
    return file_recording() != 0;
}
