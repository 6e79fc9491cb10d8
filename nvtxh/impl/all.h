/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_ALL_H
#define NVTXH_IMPL_ALL_H

/* Everything off the fast path, for files that contain the implementation. Not API. */

#include "../config.h"

#include "attach.h"
#include "mark.h"
#include "named.h"
#include "push.h"
#include "range.h"
#include "scope.h"
#include "thread.h"
#include "unload.h"

#endif
