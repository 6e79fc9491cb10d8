/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_EXPORT_HTML_TRACKS_H
#define NVTXH_EXPORT_HTML_TRACKS_H
/* The members of the head that are about processes, threads and tracks. */
#include "html_collect.h"
#include "html_json.h"
#include "html_texts.h"

void html_tracks_write(struct html_json *json, const struct html_collected *c,
                       struct html_texts *texts);

#endif /* NVTXH_EXPORT_HTML_TRACKS_H */
