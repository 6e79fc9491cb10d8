/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_IMPL_H
#define NVTXH_STATS_IMPL_H

/* The statistics' implementation, in its parts. Not API; part of stats.h. */

#include "impl.h"

#include "stats_layout.h"
#include "stats_clock.h"
#include "stats_hub.h"
#include "stats_row.h"
#include "stats_sum.h"
#include "stats_exit.h"
#include "stats_thread.h"
#include "stats_scope.h"
#include "stats_leave.h"
#include "stats_event.h"
#include "stats_read.h"
#include "stats_find.h"
#include "stats_print.h"

#endif
