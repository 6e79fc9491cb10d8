/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "event.h"
#include "gate.h"
#include "handle.h"
#include "preset.h"
#include "thread.h"

#include <string.h>

/* Undoes what the fast path has done so far, because the slow path starts from the beginning. */
static void undo(uint32_t domain, enum progress done) {
    /* If a fork has wiped `depth`, thread_attach restores it. */
    if (done == COUNTED && (thread_self->depth || thread_attach(true))) {
        thread_self->depth[domain]--;
    }
    if (done != NOTHING) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        thread_self->ready = 0;
    }
}

/* Makes a preset of a push if the same push has come before. Called for a push that fits no preset
 * of the thread, before the push is written in full. */
static void learn(const void *handle, uint32_t domain, const nvtxEventAttributes_t *a,
                  enum preset_kind kind) {
    struct preset wanted;

    if (!preset_describe(&wanted, handle, a, kind)) {
        return;
    }
    /* If thread_attach fails here, event_push fails, too, and counts the loss. */
    struct thread *t = thread_self || thread_attach(false) ? thread_enter() : NULL;
    if (t) {
        t->presets.learning = true;
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (t == thread_self && t->depth && thread_records(t)) {
            struct preset *p =
                preset_learn(&t->presets, &wanted, preset_differs(a, kind == PRESET_ASCII));
            if (p) {
                preset_define(&t->presets, p, &t->stream, &t->intern, domain, &t->depth[domain]);
            }
        }
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        if (!t->presets.learning) { /* a handler has forked, and this child's presets are wiped */
            memset(&t->presets, 0, sizeof(t->presets));
        }
        t->presets.learning = false;
        thread_leave(t);
    }
}

int entry_slow_push(nvtxDomainHandle_t handle, const nvtxEventAttributes_t *a, enum progress done) {
    uint32_t domain = handle_domain(handle);
    bool usual =
        gate_recording() && a && a->size >= sizeof(*a) && (!handle || handle_domain_known(handle));

    undo(domain, done);
    if (usual && a->messageType == NVTX_MESSAGE_TYPE_REGISTERED) {
        learn(handle, domain, a, PRESET_REGISTERED);
    } else if (usual && a->messageType == NVTX_MESSAGE_TYPE_ASCII) {
        learn(handle, domain, a, PRESET_ASCII);
    }
    return event_push(domain, a);
}

int entry_slow_push_text(const char *text, enum progress done) {
    nvtxEventAttributes_t a = {
        .size = sizeof(a), .messageType = NVTX_MESSAGE_TYPE_ASCII, .message.ascii = text};

    undo(0, done);
    if (text && gate_recording()) {
        learn(NULL, 0, &a, PRESET_PLAIN);
    }
    return event_push(0, &a);
}

int entry_slow_pop(nvtxDomainHandle_t handle, uint32_t low, uint32_t high, enum progress done) {
    undo(0, done); /* a pop never gets as far as COUNTED */
    return event_pop(handle_domain(handle), NULL, 0, low | (uint64_t)high << 32);
}
