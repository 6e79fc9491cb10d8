/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "cli.h"
#include "trigger.h"
#include "../base/memory.h"

int trigger_add(struct trigger_options *o, const char *text)
{
    ARRAY_ADD(o->all, o->count, o->room);
    int status = condition_take(&o->all[o->count], text);
    o->count += status == EXIT_DONE;
    return o->count <= 64 ? status : cli_usage("record", "at most 64 conditions");
}

bool trigger_waits_for_calls(const struct trigger_options *o)
{
    bool waits = false;

    for (size_t i = 0; i < o->count; i++) {
        waits |= o->all[i].kind == CONDITION_CALL;
    }
    return waits;
}

sigset_t trigger_signals(const struct trigger_options *o)
{
    sigset_t all;

    sigemptyset(&all);
    for (size_t i = 0; i < o->count; i++) {
        if (o->all[i].signal) {
            sigaddset(&all, o->all[i].signal);
        }
    }
    return all;
}
