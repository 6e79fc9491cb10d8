/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* In place of the system's <sys/sdt.h>: probes that print what a debugger would be given. */
#include <stdio.h>

#define DTRACE_PROBE2(provider, name, text, domain) printf(#name " %s|%s\n", text, domain)
#define DTRACE_PROBE3(provider, name, text, domain, number)                                        \
    printf(#name " %s|%s|%llu\n", text, domain, (unsigned long long)(number))
#define DTRACE_PROBE4(provider, name, text, domain, number, id)                                    \
    printf(#name " %s|%s|%llu|%llu\n", text, domain, (unsigned long long)(number),                 \
           (unsigned long long)(id))
