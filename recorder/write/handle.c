/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "handle.h"
#include "losses.h"
#include "options.h"

#include <string.h>

uint32_t handle_default_domain;
uint32_t handle_domains, handle_strings, handle_resources;
static bool captures[REC_DOMAIN_MAX + 1];

void handle_init(void) {
    handle_default_domain = options_want_domain(NULL) ? 0 : DOMAIN_UNWANTED;
    captures[0] = options_capture_domain(NULL);
}

bool handle_default_usual(void) {
    return !handle_default_domain && !captures[0];
}

void *handle_of_domain(uint32_t domain, const char *name) {
    if (!domain) {
        return NULL;
    }
    bool capture =
        options_capture_domain(name) || (OPTIONS_LINKED && !strcmp(name, CAPTURE_DOMAIN));
    bool wanted = capture || options_want_domain(name);
    if (capture) {
        __atomic_store_n(&captures[domain], true, __ATOMIC_RELAXED);
    }
    return handle_make(domain | (capture ? HANDLE_CAPTURE : 0) | (wanted ? 0 : HANDLE_EXCLUDED),
                       HANDLE_DOMAIN);
}

bool handle_is_capture(uint32_t domain) {
    return __atomic_load_n(&captures[domain], __ATOMIC_RELAXED);
}

uint32_t handle_bad(void) {
    losses_count(REC_LOSS_HANDLE);
    return 0;
}

uint32_t handle_special_domain(uintptr_t handle) {
    uintptr_t id = handle >> HANDLE_SHIFT, plain = id & REC_DOMAIN_MAX, special = id - plain;

    if ((special != HANDLE_CAPTURE && special != HANDLE_EXCLUDED) ||
        plain > __atomic_load_n(&handle_domains, __ATOMIC_RELAXED)) {
        return handle_bad();
    }
    return special == HANDLE_EXCLUDED ? DOMAIN_UNWANTED : (uint32_t)plain;
}
