/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_WRITE_CHAIN_CALL_H
#define NVTXH_WRITE_CHAIN_CALL_H
/*
 * Makes the functions that NVTX calls when there are other tools. There is a macro for each kind of function, from PASS
 * to DEFINE. The macro's arguments are NVTX's module and name, the function's parameters, the arguments for the
 * recorder, and the arguments for tool number t.
 */
#include "chain_handles.h"
#include "chain_tools.h"
#include "chain_translate.h"

#define CALL_ROW(t, module, name)                                                                  \
    (chain_tools[t].functions[NVTX_CB_MODULE_##module][NVTX_CBID_##module##_##name])
#define CALL_OURS(module, name, type, params, ours) ((type(*) params)CALL_ROW(0, module, name)) ours

/* Calls the function of each tool, then runs `then`, in which `returned` is the result. PASS and END call functions
 * that return nothing as if they returned int, and do not use the result. */
#define CALL_THEIRS(module, name, type, params, theirs, then)                                      \
    for (unsigned t = 1; t <= chain_count; t++) {                                                  \
        union chain_copy copy __attribute__((unused));                                             \
        type(*call) params = (type(*) params)CALL_ROW(t, module, name);                            \
        if (call) {                                                                                \
            type returned = call theirs;                                                           \
            then;                                                                                  \
        }                                                                                          \
    }
/* `asked` is what the tool number chain_answers has returned. */
#define CALL_ASKED asked = t == chain_answers ? returned : asked

#define PASS(module, name, params, ours, theirs)                                                   \
    static void module##_##name params                                                             \
    {                                                                                              \
        CALL_OURS(module, name, void, params, ours);                                               \
        CALL_THEIRS(module, name, int, params, theirs, (void)returned)                             \
    }
/* The recorder's range is inside the tools' ranges, so that it does not include the tools' work. */
#define PUSH(module, name, params, ours, theirs)                                                   \
    static int module##_##name params                                                              \
    {                                                                                              \
        int asked = NVTX_NO_PUSH_POP_TRACKING;                                                     \
        CALL_THEIRS(module, name, int, params, theirs, CALL_ASKED)                                 \
        int result = CALL_OURS(module, name, int, params, ours);                                   \
        return chain_answers ? asked : result;                                                     \
    }
#define POP(module, name, params, ours, theirs)                                                    \
    static int module##_##name params                                                              \
    {                                                                                              \
        int asked = NVTX_NO_PUSH_POP_TRACKING,                                                     \
            result = CALL_OURS(module, name, int, params, ours);                                   \
        CALL_THEIRS(module, name, int, params, theirs, CALL_ASKED)                                 \
        return chain_answers ? asked : result;                                                     \
    }
/* Each tool's id of the range is kept until the range ends. */
#define START(module, name, params, ours, theirs)                                                  \
    static nvtxRangeId_t module##_##name params                                                    \
    {                                                                                              \
        chain_row each = {0};                                                                      \
        CALL_THEIRS(module, name, nvtxRangeId_t, params, theirs, each[t] = returned)               \
        each[0] = CALL_OURS(module, name, nvtxRangeId_t, params, ours);                            \
        return chain_range_open(each);                                                             \
    }
#define END(module, name, params, ours, theirs)                                                    \
    static void module##_##name params                                                             \
    {                                                                                              \
        chain_row each;                                                                            \
        chain_range_close(id, each);                                                               \
        CALL_OURS(module, name, void, params, ours);                                               \
        CALL_THEIRS(module, name, int, params, theirs, (void)returned)                             \
    }
/* The program gets the recorder's handle; the tools' handles are kept for translation. */
#define MAKE(module, name, params, ours, theirs, kind)                                             \
    static void *module##_##name params                                                            \
    {                                                                                              \
        void *handle = CALL_OURS(module, name, void *, params, ours);                              \
        CALL_THEIRS(module, name, void *, params, theirs, chain_keep(kind, handle, t, returned))   \
        if (kind == CHAIN_DOMAIN) {                                                                \
            chain_domain_made(handle);                                                             \
        }                                                                                          \
        return handle;                                                                             \
    }
/* As MAKE, for ids. If the recorder has the same definition already, it returns the same id again. */
#define DEFINE(module, name, params, ours, theirs)                                                 \
    static uint64_t module##_##name params                                                         \
    {                                                                                              \
        uint64_t id = CALL_OURS(module, name, uint64_t, params, ours);                             \
        CALL_THEIRS(module, name, uint64_t, params, theirs, chain_keep_id(id, t, returned))        \
        return id;                                                                                 \
    }

/* The parameters d (domain), r (resource) and a (attributes), and ids, translated for tool number t. */
#define D chain_theirs(CHAIN_DOMAIN, d, t)
#define R chain_theirs(CHAIN_RESOURCE, r, t)
#define A chain_attributes(a, &copy, t)
#define ID(id) chain_their_id(id, t)

/* ALL(X) in chain_core.c and chain_ext.c lists the functions as X(kind, ...). With CALL_FUNCTION for X, the list
 * defines the functions; with CALL_ENTRY, it fills their table. */
#define CALL_FUNCTION(kind, ...) kind(__VA_ARGS__)
#define CALL_ENTRY(kind, module, name, ...)                                                        \
    {(NvtxCallbackModule)NVTX_CB_MODULE_##module, NVTX_CBID_##module##_##name,                     \
     (NvtxFunctionPointer)module##_##name},

#endif /* NVTXH_WRITE_CHAIN_CALL_H */
