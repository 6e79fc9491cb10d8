/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#pragma once
/* Whether a signal was sent to this process alone, or to its process group, by the terminal or by
 * kill(2), or to every process there is around it, as systemd does. The kernel does not say. So a
 * child that does nothing and blocks all signals is in the group: it has them pending, too. */
#include <stdbool.h>

/* Call both in the main thread. Without the child, all signals count as sent to this process alone.
 */
void witness_begin(void);
void witness_end(void);

/* For handlers of signals in the main thread: whether the child has got this signal, too. Call it
 * for each signal that is not ignored. Waits up to 50 ms for the sender to come to the child. */
bool witness_got(int number);
