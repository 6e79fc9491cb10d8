/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* One of everything a snapshot may be taken for. Arguments: a letter and a number of ms each: r a
 * range so long, p a range that stays open, s a process range, m a mark, n so many thousand marks of different names, z waits
 * for the file that SNAPSHOT names and then makes so many thousand marks while its parent is
 * stopped, f waits for the snapshot of that number of the recording that SNAPSHOTS names, b begins
 * and d ends the process range of that number (0 to 9), c a counter of that value, a asks for a
 * snapshot, o a process range that another thread ends before it makes so many thousand marks, w
 * only waits, k ends by a signal, e by _exit in a child. */
#include "program.h"

#include "nvtxh_record.h"

#include <errno.h>
#include <nvtx3/nvToolsExtCounters.h>
#include <signal.h>
#include <sys/wait.h>

struct open_range {
    nvtxRangeId_t id;
    int marks;
};

static void sleep_ms(int ms) {
    usleep((useconds_t)ms * 1000);
}

static void *end_and_mark(void *arg) {
    const struct open_range *o = arg;

    nvtxRangeEnd(o->id);
    for (int i = 0; i < o->marks; i++) {
        nvtxMarkA("after it");
    }
    return NULL;
}

int main(int argc, char **argv) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("train");
    nvtxCounterAttr_t attributes = {.structSize = sizeof(attributes),
                                    .schemaId = NVTX_PAYLOAD_ENTRY_TYPE_INT64,
                                    .name = "queue",
                                    .scopeId = NVTX_SCOPE_CURRENT_HW_CPU_PHYSICAL};
    uint64_t counter = nvtxCounterRegister(domain, &attributes);
    nvtxEventAttributes_t step = with_text("step"), batch = with_text("batch"),
                          oops = with_text("oops");

    nvtxRangeId_t begun[10] = {0};
    char name[16], path[4096];

    for (int i = 1; i < argc; i++) {
        int ms = atoi(argv[i] + 1);
        switch (argv[i][0]) {
        case 'r':
            nvtxDomainRangePushEx(domain, &step);
            sleep_ms(ms);
            nvtxDomainRangePop(domain);
            break;
        case 'p':
            nvtxDomainRangePushEx(domain, &step);
            break;
        case 's': {
            nvtxRangeId_t id = nvtxRangeStartEx(&batch);
            sleep_ms(ms);
            nvtxRangeEnd(id);
            break;
        }
        case 'o': {
            struct open_range o = {nvtxRangeStartEx(&batch), ms * 1000};

            in_thread(end_and_mark, &o);
            break;
        }
        case 'b':
            snprintf(name, sizeof(name), "range %d", ms);
            begun[ms] = nvtxRangeStartA(name);
            break;
        case 'd':
            nvtxRangeEnd(begun[ms]);
            break;
        case 'm':
            nvtxMarkEx(&oops);
            break;
        case 'n':
            for (int k = 0; k < ms * 1000; k++) {
                snprintf(name, sizeof(name), "name %d", k);
                nvtxMarkA(name);
            }
            break;
        case 'z':
            while (access(getenv("SNAPSHOT"), F_OK) != 0) {
                sleep_ms(1);
            }
            kill(getppid(), SIGSTOP);
            for (int k = 0; k < ms * 1000; k++) {
                nvtxMarkEx(&batch);
            }
            kill(getppid(), SIGCONT);
            break;
        case 'f':
            snprintf(path, sizeof(path), "%s.snap%d.nvtxh", getenv("SNAPSHOTS"), ms);
            for (int k = 0; access(path, F_OK) != 0; k++) {
                MUST(k < 200000);
                usleep(100);
            }
            break;
        case 'c':
            nvtxCounterSampleInt64(domain, counter, ms);
            break;
        case 'a':
            MUST(nvtxh_record_snapshot("asked for") == (ms ? ESRCH : 0));
            break;
        case 'k':
            kill(getpid(), SIGKILL);
            break;
        case 'e': {
            pid_t child = fork();
            if (child == 0) {
                nvtxMarkA("in a child");
                _exit(0);
            }
            waitpid(child, NULL, 0);
            break;
        }
        default:
            sleep_ms(ms);
        }
    }
    return 0;
}
