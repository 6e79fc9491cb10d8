/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "entry_slow.h"
#include "event.h"
#include "handle.h"
#include "preset_learn.h"
#include "thread.h"

int entry_slow_push(nvtxDomainHandle_t handle, const nvtxEventAttributes_t *a)
{
    uint32_t domain = handle_domain(handle);
    bool usual = a && a->size >= sizeof(*a) && (!handle || handle_domain_known(handle));

    if (usual && a->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        preset_learn(handle, domain, a, PRESET_REGISTERED);
    } else if (usual && a->messageType == NVTX_MESSAGE_TYPE_ASCII) {
        preset_learn(handle, domain, a, PRESET_ASCII);
    }
    return event_push(domain, a);
}

int entry_slow_push_text(const char *text)
{
    nvtxEventAttributes_t a = {.message.ascii = text};

    if (text) {
        preset_learn(NULL, 0, &a, PRESET_PLAIN);
    }
    return event_push_text(text);
}

int entry_slow_pop(nvtxDomainHandle_t handle, uint32_t low, uint32_t high)
{
    return event_pop(handle_domain(handle), low | (uint64_t)high << 32);
}

/* The slow path finds out itself whether the thread is ready. */
static void unmark(void)
{
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    thread_self->ready = 0;
}

int entry_slow_push_begun(nvtxDomainHandle_t handle, const nvtxEventAttributes_t *a)
{
    unmark();
    return entry_slow_push(handle, a);
}

int entry_slow_push_text_begun(const char *text)
{
    unmark();
    return entry_slow_push_text(text);
}

int entry_slow_pop_begun(nvtxDomainHandle_t handle, uint32_t low, uint32_t high)
{
    unmark();
    return entry_slow_pop(handle, low, high);
}

static void uncount(uint32_t domain)
{
    if (thread_self->depth || thread_attach()) { /* it may have been wiped by a fork */
        thread_self->depth[domain]--;
    }
}

int entry_slow_push_counted(nvtxDomainHandle_t handle, const nvtxEventAttributes_t *a)
{
    uncount(handle_domain(handle));
    return entry_slow_push_begun(handle, a);
}

int entry_slow_push_text_counted(const char *text)
{
    uncount(0);
    return entry_slow_push_text_begun(text);
}
