/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* varied NAMES TURNS: in each turn, a range and a mark of each name, in three categories; ranges get longer with each
 * turn. Then "over" in another domain. */
#include "program.h"

static volatile int spun;

int main(int argc, char **argv)
{
    nvtxDomainHandle_t domain = nvtxDomainCreateA("varied");
    char text[32];

    MUST(argc == 3);
    nvtxDomainNameCategoryA(domain, 1, "first");
    for (int turn = 0; turn < atoi(argv[2]); turn++) {
        for (int i = 0; i < atoi(argv[1]); i++) {
            snprintf(text, sizeof(text), "step %d", i);
            nvtxEventAttributes_t a = with_text(text);
            a.category = (uint32_t)(turn % 3);
            nvtxDomainRangePushEx(domain, &a);
            nvtxDomainMarkEx(domain, &a);
            for (int k = 0; k < 50 * turn + i; k++) {
                spun = k;
            }
            nvtxDomainRangePop(domain);
        }
    }
    nvtxRangePushA("over");
    nvtxRangePop();
    return 0;
}
