/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATS_IMPL_H
#define NVTXH_STATS_IMPL_H

/* The statistics' implementation, in its parts. Not API; part of stats.h. */

#include "impl.h"

#include "impl_stats.h"
#include "impl_stats_clock.h"
#include "impl_stats_hub.h"
#include "impl_stats_row.h"
#include "impl_stats_exit.h"
#include "impl_stats_thread.h"
#include "impl_stats_scope.h"
#include "impl_stats_leave.h"
#include "impl_stats_event.h"
#include "impl_stats_read.h"
#include "impl_stats_find.h"
#include "impl_stats_print.h"

#endif
