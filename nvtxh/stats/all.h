/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_ALL_H
#define NVTXH_STATS_ALL_H

/* The statistics' implementation, in its parts. Not API; part of stats.h. */

#include "../impl/all.h"

#include "layout.h"
#include "arena.h"
#include "hub.h"
#include "row.h"
#include "sum.h"
#include "exit.h"
#include "thread.h"
#include "scope.h"
#include "leave.h"
#include "event.h"
#include "read.h"
#include "find.h"
#include "print.h"

#endif
