/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Names that belong to one process, or to one domain. */
#include "program.h"

#include <sys/syscall.h>
#include <sys/wait.h>

static void name_thread(const char *name) {
    nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), name);
}

static void mark(nvtxDomainHandle_t domain, const char *text) {
    nvtxEventAttributes_t a = with_text(text);

    a.category = 7;
    nvtxDomainMarkEx(domain, &a);
}

int main(void) {
    int status = 1;

    name_thread("of the parent");
    nvtxNameCategoryA(7, "for now");
    nvtxNameCategoryA(7, "of the default domain");
    nvtxDomainNameCategoryA(nvtxDomainCreateA("left out"), 7, "of the domain that is left out");
    mark(NULL, "in the default domain");
    pid_t child = fork();
    if (child == 0) {
        nvtxMarkA("before it has a name");
        name_thread("of the child");
        mark(nvtxDomainCreateA("other"), "in another domain");
        return 0;
    }
    MUST(waitpid(child, &status, 0) == child && status == 0);
    mark(nvtxDomainCreateA("other"), "in another domain");
    return 0;
}
