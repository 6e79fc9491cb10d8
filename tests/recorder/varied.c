/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* varied NAMES TURNS [GO]: each turn has a range and a mark of each of NAMES names, in one of three
 * categories; its ranges are longer than the last turn's. At the end comes "over" in another
 * domain. With GO, the ranges are empty. After the turns NAMES process ranges begin; when the file
 * GO is there, they end, and the turns come once more. */
#include "program.h"

static volatile int spun;
static int names, turns;

static void turn(nvtxDomainHandle_t domain, int number, int work) {
    char text[32];

    for (int i = 0; i < names; i++) {
        snprintf(text, sizeof(text), "step %d", i);
        nvtxEventAttributes_t a = with_text(text);
        a.category = (uint32_t)(number % 3);
        nvtxDomainRangePushEx(domain, &a);
        nvtxDomainMarkEx(domain, &a);
        for (int k = 0; k < work + i; k++) {
            spun = k;
        }
        nvtxDomainRangePop(domain);
    }
}

static void hold(nvtxDomainHandle_t domain, const char *go) {
    nvtxEventAttributes_t a = with_text("held");
    nvtxRangeId_t *ids = malloc(sizeof(*ids) * (size_t)names);

    MUST(ids);
    for (int i = 0; i < names; i++) {
        ids[i] = nvtxDomainRangeStartEx(domain, &a);
    }
    nvtxMarkA("waits");
    puts("waits");
    fflush(stdout);
    while (access(go, F_OK) != 0) {
        usleep(10000);
    }
    for (int i = 0; i < names; i++) {
        nvtxDomainRangeEnd(domain, ids[i]);
    }
    free(ids);
}

int main(int argc, char **argv) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("varied");
    const char *go = argc > 3 ? argv[3] : NULL;

    MUST(argc == 3 || argc == 4);
    names = atoi(argv[1]);
    turns = atoi(argv[2]);
    nvtxDomainNameCategoryA(domain, 1, "first");
    for (int half = 0; half < (go ? 2 : 1); half++) {
        for (int i = 0; i < turns; i++) {
            turn(domain, i, go ? 0 : 50 * i);
        }
        if (go && half == 0) {
            hold(domain, go);
        }
    }
    nvtxRangePushA("over");
    nvtxRangePop();
    return 0;
}
