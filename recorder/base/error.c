/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "error.h"

#include <stdarg.h>
#include <stdio.h>

bool error_set(struct error *ret, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(ret->text, sizeof(ret->text), format, args); /* NOLINT(clang-analyzer-valist.Uninitialized) */
    va_end(args);
    return false;
}
