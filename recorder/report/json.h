/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_REPORT_JSON_H
#define NVTXH_REPORT_JSON_H
/* Writes a string of JSON with its quotes; what is not UTF-8 becomes U+FFFD. */
#include <stddef.h>
#include <stdio.h>

void json_string(FILE *out, const char *text, size_t size);

#endif /* NVTXH_REPORT_JSON_H */
