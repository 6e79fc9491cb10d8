/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* names COUNT: registers that many strings and names that many categories. */
#include "program.h"

int main(int argc, char **argv) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("names");
    char text[32];

    MUST(argc == 2);
    for (int i = 0; i < atoi(argv[1]); i++) {
        snprintf(text, sizeof(text), "step %d", i);
        MUST(nvtxDomainRegisterStringA(domain, text));
        nvtxDomainNameCategoryA(domain, (uint32_t)i + 1, text);
    }
    return 0;
}
