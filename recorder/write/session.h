/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Starts and stops recordings: the one that the environment names or, if the recorder is linked
 * into the program, those that the program asks for. Ends a recording at the end of the process. */
#include <nvtx3/nvToolsExt.h>

#include <stdbool.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default")))

/* NVTX calls these (in entry_core.c and entry_ext.c) for each executable and shared object. */
struct ext_module;
EXPORT int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table);
EXPORT int InitializeInjectionNvtxExtension(struct ext_module *module);

/* Called for every executable, shared object and extension that NVTX initialises, and by
 * nvtxh_record_start_with. The first call opens the recording that the environment names, unless
 * the recorder is linked into the program. False: this process cannot record. */
bool session_init(void);

/* Starts a recording; returns 0 or an errno. `ring`: bytes; 0: as the environment says. */
int session_start(const char *path, bool force, uint64_t ring);

/* Stops the recording with this number; returns 0, or EINVAL if there is no such recording. */
int session_stop(uint32_t recording);

/* A capture is a range that opens the gate (gate.h): events are recorded while the range is open.
 * With --capture-range, a range with the option's name and domain is a capture. If the recorder is
 * linked into the program, a range in the domain "nvtxh.capture" begins a recording if there is
 * none; that range, and later ranges in the domain until the recording ends, are captures. These
 * functions are called for each range in a domain that may have captures (handle_is_capture):
 * before its beginning or after its end is recorded. */
void capture_pushed(uint32_t domain, int depth, const nvtxEventAttributes_t *a);
void capture_popped(uint32_t domain, int depth);
void capture_started(uint32_t domain, uint64_t range, const nvtxEventAttributes_t *a);
void capture_ended(uint64_t range);
