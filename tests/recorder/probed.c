/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Makes the calls that stdin says, one in each line: a letter, and then the number of a domain, the
 * sort of the text and the text; or which probes are watched; or which process range ends. */
#include "program.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

static nvtxDomainHandle_t domains[3]; /* the first is the default domain */

/* The event with the text "DOMAIN FORM TEXT". */
static nvtxEventAttributes_t event_of(const char *line, nvtxDomainHandle_t *ret_domain) {
    static wchar_t wide[256];
    nvtxEventAttributes_t a = attributes();
    const char *text = line + 4;

    *ret_domain = domains[line[0] - '0'];
    mbstowcs(wide, text, 255); /* ASCII: the same in every locale */
    if (line[2] == 'r') {
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = nvtxDomainRegisterStringA(*ret_domain, text);
    } else if (line[2] == 'v') {
        a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
        a.message.registered = nvtxDomainRegisterStringW(*ret_domain, wide);
    } else if (line[2] == 'w') {
        a.messageType = NVTX_MESSAGE_TYPE_UNICODE;
        a.message.unicode = wide;
    } else if (line[2] == 'a') {
        a.messageType = NVTX_MESSAGE_TYPE_ASCII;
        a.message.ascii = text;
    }
    return a;
}

static void watch(const char *which) {
    static const char *const names[] = {"push", "pop", "start", "end", "mark"};
    void *tool = dlopen(getenv("NVTX_INJECTION64_PATH"), RTLD_LAZY);

    MUST(tool);
    for (int i = 0; i < 5; i++) {
        char symbol[40];
        snprintf(symbol, sizeof(symbol), "nvtxh_%s_semaphore", names[i]);
        *(volatile unsigned short *)dlsym(tool, symbol) = which[i] == '1';
    }
}

int main(void) {
    static nvtxRangeId_t ranges[1 << 16];
    size_t started = 0;
    char line[512];

    domains[1] = nvtxDomainCreateA("one");
    domains[2] = nvtxDomainCreateW(L"two");
    while (fgets(line, sizeof(line), stdin)) {
        line[strcspn(line, "\n")] = 0;
        const char *rest = line + 2;
        nvtxDomainHandle_t domain = NULL;
        nvtxEventAttributes_t a = strchr("psm", *line) ? event_of(rest, &domain) : attributes();
        if (*line == 'p') {
            domain ? nvtxDomainRangePushEx(domain, &a) : nvtxRangePushEx(&a);
        } else if (*line == 'o') {
            *rest != '0' ? nvtxDomainRangePop(domains[*rest - '0']) : nvtxRangePop();
        } else if (*line == 'm') {
            domain ? nvtxDomainMarkEx(domain, &a) : nvtxMarkEx(&a);
        } else if (*line == 's') {
            ranges[started++] = domain ? nvtxDomainRangeStartEx(domain, &a) : nvtxRangeStartEx(&a);
        } else if (*line == 'e') {
            nvtxDomainRangeEnd(domains[*rest - '0'], ranges[atoi(rest + 2)]);
        } else if (*line == 'w') {
            watch(rest);
        }
    }
    return 0;
}
