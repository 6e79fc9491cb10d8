/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_THREAD_H
#define NVTXH_IMPL_THREAD_H

/* Naming the calling thread. Not API. */

#include "../core/system.h"
#include "../thread.h"
#include "attach.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

NVTXH_I_C_BEGIN

NVTXH_I_LINKONCE void nvtxh_thread_name(const char *name) {
    nvtxNameOsThreadA_impl_fntype name_thread =
        nvtxh_listening() ? NVTXH_I_TOOL_FUNCTION(nvtxNameOsThreadA) : NULL;

    if (name_thread) {
        name_thread(nvtxh_i_gettid(), name);
    }
}

NVTXH_I_LINKONCE void nvtxh_thread_name_os(const char *name) {
    int saved_errno = errno;
    char cut[16];
    size_t n = name ? strlen(name) : 0;

    nvtxh_thread_name(name);
    if (n > 15) { /* do not cut within a character */
        for (n = 15; n && (name[n] & 0xc0) == 0x80; n--) {
        }
    }
    if (n) {
        memcpy(cut, name, n);
    }
    cut[n] = 0;
    prctl(PR_SET_NAME, cut, 0, 0, 0);
    errno = saved_errno;
}

NVTXH_I_C_END

#endif
