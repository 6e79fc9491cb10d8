/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "losses.h"

static const char *const unknown[REC_LOSS_SIZE] = {
    [REC_LOSS_EXTENDED] = "payloads with a schema (nvToolsExtPayload.h)",
    [REC_LOSS_RESOURCE] = "generic resources (nvtxDomainResourceCreate)",
    [REC_LOSS_CUDA] = "names of CUDA objects (nvtxNameCu*)",
    [REC_LOSS_CUDART] = "names of CUDA runtime objects (nvtxNameCuda*)",
    [REC_LOSS_OPENCL] = "names of OpenCL objects (nvtxNameCl*)",
    [REC_LOSS_SYNC] = "synchronization events (nvtxDomainSyncUser*)",
    [REC_LOSS_COUNTER] = "counter samples (nvToolsExtCounters.h)",
    [REC_LOSS_MEMORY] = "memory calls (nvToolsExtMem.h)",
    [REC_LOSS_EXTENSION] = "calls of an extension of NVTX that is not known here",
};

static const char *const losses[REC_LOSS_SIZE] = {
    [REC_LOSS_CUT_TEXT] = "messages were longer than 16 MiB and were cut",
    [REC_LOSS_DOMAINS] = "domains were too many; their events are in the default domain",
    [REC_LOSS_NAMES] = "names found no room",
    [REC_LOSS_HANDLE] = "uses of domains or strings that were never registered",
    [REC_LOSS_SCHEMA] = "schemas, enums, counters or scopes could not be kept",
    [REC_LOSS_POINTER] = "payloads were too long, or had pointers that could not be followed",
    [REC_LOSS_NESTED] =
        "of the dropped events were in signal handlers that interrupted other handlers",
};

void losses_print_unknown(const struct span_totals *t, FILE *out)
{
    const char *before = "nvtxh: not recorded: ";

    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        if (t->lost[i] && unknown[i]) {
            fprintf(out, "%s%llu %s", before, (unsigned long long)t->lost[i], unknown[i]);
            before = ", ";
        }
    }
    if (*before == ',') {
        fputc('\n', out);
    }
}

void losses_print(const struct span_totals *t, FILE *out)
{
    for (int i = 0; i < REC_LOSS_SIZE; i++) {
        if (t->lost[i] && losses[i]) {
            fprintf(out, "nvtxh: %llu %s\n", (unsigned long long)t->lost[i], losses[i]);
        }
    }
}

void losses_print_all(const struct recording *r, const struct span_totals *t, FILE *out)
{
    unsigned long long pops = t->pops + t->lost[REC_LOSS_POP];

    if (t->dropped) {
        fprintf(out, "nvtxh: %llu events were dropped: the recording is not complete\n",
                (unsigned long long)t->dropped);
    }
    if (t->open) {
        fprintf(out, "nvtxh: %llu ranges had no end and were given that of their process\n",
                (unsigned long long)t->open);
    }
    if (pops + t->ends) {
        fprintf(out, "nvtxh: %llu pops and %llu ends of process ranges had no beginning\n", pops,
                (unsigned long long)t->ends);
    }
    losses_print(t, out);
    losses_print_unknown(t, out);
    if (r->process_count == 0) {
        fprintf(out, "nvtxh: the recording is empty: the program made no NVTX call\n");
    }
}
