/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATE_H
#define NVTXH_STATE_H

/*
 * Does anyone listen? One answer per linked object (executable or shared object), since every
 * object has its own NVTX. The first annotation to run, or the first question asked here, finds
 * out; that loads the tool, if the environment names one.
 *
 *   nvtxh_listening()     is anyone there who would see an annotation, a tool or the statistics of
 *                         stats.h? Switched off by nvtxh_enable(false), there still is.
 *   nvtxh_enable(false)   pause: annotations that begin from now on are not seen by anyone. What
 *   nvtxh_enable(true)    is open still ends, on whichever side of the switch; nothing gets
 *                         unbalanced. Before the first annotation, it also puts off loading the
 *                         tool, until someone asks for it or names a thread.
 *   nvtxh_enabled()       what was last asked for; true at first
 *
 * These speak of the linked object they are called from. Any thread may call them at any time; other
 * threads take notice with their next annotation.
 * Off: nothing, false, false.
 */

#include "config.h"
#include "core/compiler.h"
#include "core/symbols.h"

#if NVTXH_ENABLED

/* Not API. */
#define NVTXH_I_TOOL 0x01u    /* an NVTX tool is attached */
#define NVTXH_I_STATS 0x02u   /* statistics are on: stats.h */
#define NVTXH_I_SLOTS 0x04u   /* with NVTXH_I_TOOL: every site in the section has its slot */
#define NVTXH_I_UNKNOWN 0x80u /* nobody has looked yet */

/*
 * Not API. `active` is the byte on the fast path: who wants what begins now, 0 for nobody.
 * `attached` is who would want it were we not paused: pushes and pops go by that one, for a pop
 * must know whether its push was left out.
 */
struct nvtxh_i_state {
    unsigned char active;
    unsigned char attached;
    unsigned char paused;
    unsigned char ready;
};

NVTXH_I_C_BEGIN
extern struct nvtxh_i_state nvtxh_i_state NVTXH_I_HIDDEN;
NVTXH_I_COLD_ANYWHERE void nvtxh_enable(bool on);
NVTXH_I_EVENT_ANYWHERE bool nvtxh_enabled(void);
NVTXH_I_EVENT_ANYWHERE bool nvtxh_listening(void);
NVTXH_I_EVENT bool nvtxh_i_find_out(bool pushes);

/*
 * Not API. Is the byte anything but 0? For the fast path: compilers load an atomic into a register
 * before they compare it, which is one instruction more than it takes.
 */
#if defined(__x86_64__) && defined(__GCC_ASM_FLAG_OUTPUTS__) && !defined(__CUDACC__)
#define NVTXH_I_FLAGS 1
NVTXH_I_INLINE bool nvtxh_i_is_set(const unsigned char *byte)
{
    bool set;

    /* Volatile: asked each time, also in a loop that nothing else in it could change the answer
     * for. */
    __asm__ volatile("cmpb $0, %1" : "=@ccne"(set) : "m"(*byte));
    return set;
}
#else
#define NVTXH_I_FLAGS 0
NVTXH_I_INLINE bool nvtxh_i_is_set(const unsigned char *byte)
{
    return __atomic_load_n(byte, __ATOMIC_RELAXED) != 0;
}
#endif

NVTXH_I_INLINE bool nvtxh_i_active(void)
{
    return nvtxh_i_is_set(&nvtxh_i_state.active);
}

NVTXH_I_INLINE bool nvtxh_i_attached(void)
{
    return nvtxh_i_is_set(&nvtxh_i_state.attached);
}

/* Is the byte this one? Acquires what has been made for whoever listens. */
NVTXH_I_INLINE bool nvtxh_i_is(const unsigned char *byte, unsigned char value)
{
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    bool is;

    __asm__ volatile("cmpb %2, %1" : "=@cce"(is) : "m"(*byte), "qi"(value) : "memory");
    return is;
#else
    return __atomic_load_n(byte, __ATOMIC_ACQUIRE) == value;
#endif
}

/* Does the byte have one of these bits? */
NVTXH_I_INLINE bool nvtxh_i_has(const unsigned char *byte, unsigned char bits)
{
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    bool has;

    __asm__ volatile("testb %2, %1" : "=@ccne"(has) : "m"(*byte), "qi"(bits) : "memory");
    return has;
#else
    return __atomic_load_n(byte, __ATOMIC_ACQUIRE) & bits;
#endif
}

/* Is it known, and does anyone listen? Acquires as well. NVTXH_I_UNKNOWN is the sign bit. */
NVTXH_I_INLINE bool nvtxh_i_is_known(const unsigned char *byte)
{
#if NVTXH_I_FLAGS && !NVTXH_I_TSAN
    bool known;

    __asm__ volatile("cmpb $0, %1" : "=@ccg"(known) : "m"(*byte) : "memory");
    return known;
#else
    return NVTXH_I_CAST(int8_t, __atomic_load_n(byte, __ATOMIC_ACQUIRE)) > 0;
#endif
}

/*
 * Behind the branch: does anyone really listen? The first to ask finds out, before anything is
 * evaluated.
 */
NVTXH_I_INLINE bool nvtxh_i_active_known(void)
{
    return nvtxh_i_is_known(&nvtxh_i_state.active) || nvtxh_i_find_out(false);
}

NVTXH_I_INLINE bool nvtxh_i_attached_known(void)
{
    return nvtxh_i_is_known(&nvtxh_i_state.attached) || nvtxh_i_find_out(true);
}

NVTXH_I_C_END

#else

#define nvtxh_enable(on) (NVTXH_I_TYPED(!(on)))
/* A bare `false` would be a statement without effect where nobody takes it. */
NVTXH_I_C_BEGIN
bool nvtxh_i_never(void); /* nowhere defined and never called */
NVTXH_I_C_END
#if defined(__clang__) || defined(__cplusplus) /* at -O0 a statement expression leaves code */
#define NVTXH_I_NO (false ? nvtxh_i_never() : false)
#else
#define NVTXH_I_NO __extension__({ false ? nvtxh_i_never() : false; })
#endif
#define nvtxh_enabled() NVTXH_I_NO
#define nvtxh_listening() NVTXH_I_NO

#endif
#endif
