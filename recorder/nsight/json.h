/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
#include "../analysis/span.h"

#include <stdbool.h>
#include <stddef.h>

/* Visits the members of a JSON object or, of another value, the value as `unnamed`. `text` has a
 * NUL at its end. False, without a visit: it is not JSON, or has more than 64 levels. */
bool json_visit(const char *text, size_t size, const char *unnamed, struct payload_visitor *v);
