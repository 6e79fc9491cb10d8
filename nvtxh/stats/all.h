/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_ALL_H
#define NVTXH_STATS_ALL_H

/* The implementation of stats.h. Not API. */

#include "event.h"
#include "exit.h"
#include "find.h"
#include "leave.h"
#include "print.h"
#include "read.h"
#include "scope.h"

#endif
