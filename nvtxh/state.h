/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_STATE_H
#define NVTXH_STATE_H

/* Does anyone (a tool, or the statistics) listen? Each linked object (executable or shared object)
 * has its own answer, because each has its own copy of NVTX. The first annotation to run, or the
 * first call of nvtxh_listening(), finds out, and loads a tool if the environment names one.
 *
 *   nvtxh_listening()     is a tool attached, or are the statistics of stats.h on?
 *                         nvtxh_enable(false) does not change the answer.
 *   nvtxh_enable(on)      `false` pauses: annotations that begin from now on are left out, until
 *                         nvtxh_enable(true). Open annotations still end, so that beginnings and
 *                         ends stay balanced. A pause before the first annotation also postpones
 *                         loading the tool until the pause ends, a thread or CUDA object is named,
 *                         a capture begins, or nvtxh_listening or nvtxh_capture_enabled is called.
 *   nvtxh_enabled()       the argument of the last call of nvtxh_enable(); true at first
 *   nvtxh_domain_enable(&train, false)    switches a domain off, or on again (NULL: NVTX's default
 *                         domain), and every other domain object of the same name. Annotations,
 *                         counters and device ranges that begin in a domain that is off are left
 *                         out; open ones still end
 *
 * The environment of the program can do the same: NVTXH_DISABLE or NVTX_DISABLE, if not empty,
 * switches everything off. NVTXH_DOMAIN_INCLUDE=train,load switches off all domains except train
 * and load. NVTXH_DOMAIN_EXCLUDE=train switches off train; with NVTXH_DOMAIN_INCLUDE it is ignored.
 * In both lists, `default` is NVTX's default domain, as for `nvtxh record`, and blanks after commas
 * are ignored. The environment is read when the first annotation looks for a tool.
 * nvtxh_domain_enable overrides both lists for its domain. Each function applies to the linked
 * object that calls it.
 *
 * Evaluation: each argument once; not at all if annotations are off (see below).
 * Cost: a function call; nvtxh_enable and nvtxh_domain_enable take a lock. While a domain is off,
 *   or the environment names domains, events in other domains take a little longer, because they
 *   cannot use the event that is cached for each annotation.
 * Threads: any, at any time; other threads see the change with their next annotation.
 * Off: with NVTX_DISABLE or NVTXH_DISABLE, nvtxh_enable and nvtxh_domain_enable do nothing; the
 *   other two functions return false.
 * Errors: none. */

#pragma GCC system_header

#include "config.h"
#include "core/arch.h"
#include "core/compiler.h"
#include "core/off.h"
#include "core/symbols.h"

struct nvtxh_domain;

#if NVTXH_ENABLED

/* Not API: bits of `active` and `attached` (below), which say who listens. */
enum {
    NVTXH_I_TOOL = 0x01,    /* an NVTX tool is attached */
    NVTXH_I_STATS = 0x02,   /* statistics are on: stats.h */
    NVTXH_I_SLOTS = 0x04,   /* with TOOL: the table of cached events exists: impl/slot.h */
    NVTXH_I_FILTER = 0x08,  /* with TOOL or STATS: a domain may be off: see nvtxh_i_domain_off */
    NVTXH_I_UNKNOWN = 0x80, /* who listens is not known yet; it is the sign bit of an int8_t */
};

/* Not API. `active`, which annotations test first, says who listens to annotations that begin now
 * (0: nobody). `attached` says who would listen if there were no pause. Pushes and pops test
 * `attached`: during a pause, too, a pop must find out whether its push was sent or left out. */
struct nvtxh_i_state {
    unsigned char active;
    unsigned char attached;
    unsigned char paused;
    unsigned char found; /* bits: NVTXH_I_READY, NVTXH_I_DISABLED, NVTXH_I_FILTERED */
} __attribute__((__aligned__(4)));

/* Not API: bits of `found`, which change under the linked object's lock (impl/object.h). */
enum {
    NVTXH_I_READY = 1,    /* it is known who listens */
    NVTXH_I_DISABLED = 2, /* the environment switches everything off */
    NVTXH_I_FILTERED = 4, /* a domain may be off: sets NVTXH_I_FILTER if anyone listens */
};

/* Not API: the whole state as one number, which can be changed atomically. Some processors (RISC-V)
 * cannot change a single byte atomically. */
typedef uint32_t __attribute__((__may_alias__)) nvtxh_i_state_word;

NVTXH_I_C_BEGIN
extern struct nvtxh_i_state nvtxh_i_state NVTXH_I_HIDDEN;
NVTXH_I_PUBLIC void nvtxh_enable(bool on);
NVTXH_I_PUBLIC bool nvtxh_enabled(void);
NVTXH_I_ENTRY_DECL void nvtxh_i_domain_enable(struct nvtxh_domain *domain, bool on)
    NVTXH_I_ENTRY_SYMBOL("domain_enable");
NVTXH_I_PUBLIC bool nvtxh_listening(void);
NVTXH_I_ENTRY_DECL bool nvtxh_i_find_out(bool pushes) NVTXH_I_ENTRY_SYMBOL("find_out");

/* Inlined, so that a user's inline function in C may call it: see named.h. */
NVTXH_I_INLINE void nvtxh_domain_enable(struct nvtxh_domain *domain, bool on) {
    nvtxh_i_domain_enable(domain, on);
}

/* Not API. The tests that annotations make first. nvtxh_i_is_set (core/arch.h) tests a byte. */
NVTXH_I_INLINE bool nvtxh_i_active(void) {
    return nvtxh_i_is_set(&nvtxh_i_state.active);
}

NVTXH_I_INLINE bool nvtxh_i_attached(void) {
    return nvtxh_i_is_set(&nvtxh_i_state.attached);
}

/* Who listens. With acquire: whoever sees a listener's bit sees all that was prepared for it. */
#define nvtxh_i_listeners(byte) __atomic_load_n(&nvtxh_i_state.byte, __ATOMIC_ACQUIRE)

/* Does anyone listen? Called if the byte `active` is not 0. The first call looks for listeners.
 * Attributes are evaluated only after this function has returned true. */
NVTXH_I_INLINE bool nvtxh_i_active_known(void) {
    return (int8_t)nvtxh_i_listeners(active) > 0 || nvtxh_i_find_out(false);
}

NVTXH_I_INLINE bool nvtxh_i_attached_known(void) {
    return (int8_t)nvtxh_i_listeners(attached) > 0 || nvtxh_i_find_out(true);
}

/* LISTENER_who(callee_asks): does anyone listen? LISTENER() tests a byte: 0 means no. Otherwise
 * LISTENER_known() gives the answer. If `callee_asks`, the macro has nothing to evaluate. So the
 * caller only tests the byte, and the callee asks, which makes every caller smaller. With
 * NVTXH_CHECK always true, because mistakes are always looked for. A function, because tools count
 * the decisions in a macro as the annotated function's (docs/cookbook/analysers.md). */
#define NVTXH_I_WHO_FUNCTION(listener)                                                             \
    NVTXH_I_INLINE bool listener##_who(bool callee_asks) {                                         \
        return NVTXH_I_CHECK || (listener() && (callee_asks || listener##_known()));               \
    }
NVTXH_I_WHO_FUNCTION(nvtxh_i_active)
NVTXH_I_WHO_FUNCTION(nvtxh_i_attached)

NVTXH_I_C_END

#else

char nvtxh_i_typed_enable(struct nvtxh_domain *domain, bool on); /* used in sizeof only */

NVTXH_I_OFF_FUNCTION(void, nvtxh_enable, (bool), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(void, nvtxh_domain_enable, (struct nvtxh_domain *, bool), NVTXH_I_NOTHING)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_enabled, (), false)
NVTXH_I_OFF_FUNCTION(bool, nvtxh_listening, (), false)
#define nvtxh_enable(on) NVTXH_I_OFF(nvtxh_enable, NVTXH_I_NOTHING, !(on))
#define nvtxh_domain_enable(domain, on)                                                            \
    NVTXH_I_OFF(nvtxh_domain_enable, NVTXH_I_NOTHING, nvtxh_i_typed_enable(domain, on))
#define nvtxh_enabled() NVTXH_I_OFF(nvtxh_enabled, false, 0)
#define nvtxh_listening() NVTXH_I_OFF(nvtxh_listening, false, 0)

#endif
#endif
