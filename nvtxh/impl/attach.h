/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_IMPL_ATTACH_H
#define NVTXH_IMPL_ATTACH_H

/*
 * The first call: is a tool attached? And the last: what is done when the object goes. Not API;
 * part of impl.h.
 */


NVTXH_I_C_BEGIN

NVTXH_I_COLD void nvtxh_i_free_ranges(void);

/* Statistics are asked for where no file of the object has them: or nobody would ever know. */
static inline void nvtxh_i_stats_missing(void)
{
    const char *output = getenv("NVTXH_STATS");

    if (output && *output && strcmp(output, "0"))
        fputs("nvtxh: NVTXH_STATS is set, but this program or library has no statistics: include "
              "nvtxh/stats.h in one of its files, or link nvtxh-split\n",
              stderr);
}

NVTXH_I_ONCE void nvtxh_i_attach(void)
{
    int cancel = 0, saved_errno = errno;

    if (!nvtxh_i_lock(&cancel))
        return;
    if (!nvtxh_i_state.ready) {
        unsigned attached = 0;

        /*
         * A fork in the middle of another thread's first call leaves NVTX waiting for a thread that
         * is not there. Then the child goes without.
         */
        if (!nvtxh_i_shared.inherited)
            nvtxInitialize(NVTXH_I_NULL);
        if (!nvtxh_i_shared.inherited && nvtxh_i_tool_attached()) {
            nvtxh_i_register_all();
            attached = NVTXH_I_TOOL | (nvtxh_i_shared.slots ? NVTXH_I_SLOTS : 0);
            nvtxh_i_shared.knows_exit = !atexit(nvtxh_i_on_exit);
        }
        if (NVTXH_I_IS_LINKED(nvtxh_i_stats_listens))
            attached |= nvtxh_i_stats_listens();
        else
            nvtxh_i_stats_missing();
        nvtxh_i_state.ready = 1;
        nvtxh_i_set_state(&nvtxh_i_state, NVTXH_I_UNKNOWN, attached);
    }
    nvtxh_i_unlock(cancel);
    errno = saved_errno;
}

NVTXH_I_ONCE bool nvtxh_i_find_out(bool pushes)
{
    const unsigned char *byte = pushes ? &nvtxh_i_state.attached : &nvtxh_i_state.active;

    /* Paused before the first annotation: nobody is looked for, but a push has to be noted. */
    if (pushes && __atomic_load_n(&nvtxh_i_state.paused, __ATOMIC_RELAXED))
        return true;
    nvtxh_i_attach();
    /* Still unknown where the tool, being loaded, calls annotated code. */
    return NVTXH_I_CAST(int8_t, __atomic_load_n(byte, __ATOMIC_ACQUIRE)) > 0;
}

NVTXH_I_LINKONCE bool nvtxh_listening(void)
{
    if (NVTXH_I_UNLIKELY(__atomic_load_n(&nvtxh_i_state.attached, __ATOMIC_RELAXED) &
                         NVTXH_I_UNKNOWN))
        nvtxh_i_attach();
    return __atomic_load_n(&nvtxh_i_state.attached, __ATOMIC_ACQUIRE) &
           (NVTXH_I_TOOL | NVTXH_I_STATS);
}

NVTXH_I_LINKONCE void nvtxh_enable(bool on)
{
    int cancel = 0;
    bool locked = nvtxh_i_lock(&cancel);

    __atomic_store_n(&nvtxh_i_state.paused, NVTXH_I_CAST(unsigned char, !on), __ATOMIC_SEQ_CST);
    nvtxh_i_set_state(&nvtxh_i_state, 0, 0);
    if (locked)
        nvtxh_i_unlock(cancel);
}

NVTXH_I_LINKONCE bool nvtxh_enabled(void)
{
    return !__atomic_load_n(&nvtxh_i_state.paused, __ATOMIC_RELAXED);
}

NVTXH_I_LINKONCE void nvtxh_thread_name(const char *name)
{
    if (nvtxh_listening() && NVTXH_I_NVTX(nvtxNameOsThreadA)) {
        long tid = syscall(SYS_gettid); /* NVTX wants the system's number, not pthread_self */

        NVTXH_I_NVTX(nvtxNameOsThreadA)(NVTXH_I_CAST(uint32_t, tid), name);
    }
}

NVTXH_I_LINKONCE void nvtxh_thread_name_os(const char *name)
{
    int saved_errno = errno;
    char cut[16];
    size_t n = name ? strlen(name) : 0;

    nvtxh_thread_name(name);
    if (n > 15) /* not within a character */
        for (n = 15; n && (name[n] & 0xc0) == 0x80; n--)
            ;
    if (n)
        memcpy(cut, name, n);
    cut[n] = 0;
    prctl(PR_SET_NAME, cut, 0, 0, 0);
    errno = saved_errno;
}

/*
 * A shared object that is closed gives its memory back. A process that exits does not: its other
 * threads may be in the middle of an event. exit() calls what atexit() was given before any
 * destructor; dlclose() calls the destructors first.
 */
NVTXH_I_ONCE void nvtxh_i_on_exit(void)
{
    nvtxh_i_shared.exiting = true;
}

NVTXH_I_LINKONCE void nvtxh_i_on_unload(void)
{
    if (NVTXH_I_IS_LINKED(nvtxh_i_stats_unload))
        nvtxh_i_stats_unload();
    if (nvtxh_i_shared.exiting || !nvtxh_i_shared.knows_exit)
        return;
    nvtxh_i_set_state(&nvtxh_i_state, NVTXH_I_TOOL | NVTXH_I_STATS | NVTXH_I_SLOTS, 0);
    nvtxh_i_free_slots();
    nvtxh_i_free_ranges();
    if (NVTXH_I_IS_LINKED(nvtxh_i_free_captures))
        nvtxh_i_free_captures();
}

NVTXH_I_C_END

#endif
