/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_CAPTURE_CUDA_H
#define NVTXH_CAPTURE_CUDA_H

/* Calls functions of CUDA that control its profiler or wait for a device. This file neither links
 * nor includes CUDA: the dynamic linker finds the functions in libraries that the program has
 * loaded. Weak references would not do: they would make the user's own references in the same file
 * weak, too, and for weak references the linker does not search static libraries. Not API.
 *
 * The driver's functions act on the thread's current context. If the thread has none, or if all
 * devices are meant, the functions are called in devices' primary contexts (those that CUDA's
 * runtime uses), as far as these are active. No context is created. */

#include "../config.h"
#include "../core/compiler.h"

#include <dlfcn.h>
#include <string.h>

/* The functions of the driver that are always needed: X(member, function, its parameters). */
#define NVTXH_I_DRIVER_CALLS(X)                                                                    \
    X(current, cuCtxGetCurrent, (void **))                                                         \
    X(push, cuCtxPushCurrent_v2, (void *))                                                         \
    X(pop, cuCtxPopCurrent_v2, (void **))                                                          \
    X(n_devices, cuDeviceGetCount, (int *))                                                        \
    X(device, cuDeviceGet, (int *, int))                                                           \
    X(state, cuDevicePrimaryCtxGetState, (int, unsigned *, int *))                                 \
    X(retain, cuDevicePrimaryCtxRetain, (void **, int))                                            \
    X(release, cuDevicePrimaryCtxRelease_v2, (int))

#define NVTXH_I_DRIVER_MEMBER(member, function, parameters) int(*member) parameters;
struct nvtxh_i_driver {
    int (*call)(void);
    NVTXH_I_DRIVER_CALLS(NVTXH_I_DRIVER_MEMBER)
};

/* In which contexts a function of the driver is called: the thread's current context, or the
 * primary contexts of devices. */
enum nvtxh_i_contexts {
    NVTXH_I_CONTEXT_ANY,  /* the thread's; if it has none, that of one device in use */
    NVTXH_I_CONTEXT_OURS, /* the thread's; if it has none, those of all devices in use */
    NVTXH_I_CONTEXT_ALL   /* the thread's, and those of all devices in use */
};

NVTXH_I_C_BEGIN

#define NVTXH_I_DRIVER_LOOK(member, function, parameters)                                          \
    found = dlsym(library, #function);                                                             \
    memcpy(&driver->member, &found, sizeof(found));                                                \
    all = all && found;

/* Looks up FUNCTION, as `call`, and the functions above. False: no driver, or not all of them. */
static inline bool nvtxh_i_driver_load(struct nvtxh_i_driver *driver, const char *function) {
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD), *found;
    bool all;

    if (!library) {
        return false;
    }
    found = dlsym(library, function);
    memcpy(&driver->call, &found, sizeof(found));
    all = found;
    NVTXH_I_DRIVER_CALLS(NVTXH_I_DRIVER_LOOK)
    dlclose(library); /* the program's own reference keeps it loaded */
    return all;
}

/* Calls `call` in a device's primary context, if active and not EXCEPT. True if it succeeded. */
static inline bool nvtxh_i_driver_call_on(const struct nvtxh_i_driver *driver, int ordinal,
                                          const void *except) {
    void *context = NULL, *popped;
    int device = 0, active = 0;
    unsigned flags = 0;
    bool done = false;

    if (driver->device(&device, ordinal) || driver->state(device, &flags, &active) || !active ||
        driver->retain(&context, device)) {
        return false;
    }
    if (context != except && !driver->push(context)) {
        done = !driver->call();
        (void)driver->pop(&popped);
    }
    (void)driver->release(device);
    return done;
}

/* Calls a function of the driver. True if a call succeeded. */
static inline bool nvtxh_i_driver_call(const char *function, enum nvtxh_i_contexts which) {
    struct nvtxh_i_driver driver;
    void *current = NULL;
    bool done = false;
    int i, n = 0;

    if (!nvtxh_i_driver_load(&driver, function)) {
        return false;
    }
    if (!driver.current(&current) && current) {
        done = !driver.call();
        if (which != NVTXH_I_CONTEXT_ALL) {
            return done;
        }
    }
    if (driver.n_devices(&n)) {
        return done;
    }
    for (i = 0; i < n && (which != NVTXH_I_CONTEXT_ANY || !done); i++) {
        done |= nvtxh_i_driver_call_on(&driver, i, current);
    }
    return done;
}

/* Calls a function of CUDA's runtime or, if the runtime is not a shared library, of the driver.
 * Leaves an error for cudaGetLastError() only if there was one before. True if a call succeeded. */
static inline bool nvtxh_i_capture_call(const char *of_runtime, const char *of_driver,
                                        enum nvtxh_i_contexts which) {
    void *found[3];
    int (*call[3])(void);
    bool clean, done;

    found[0] = dlsym(NULL, of_runtime);
    found[1] = dlsym(NULL, "cudaPeekAtLastError");
    found[2] = dlsym(NULL, "cudaGetLastError");
    memcpy(call, found, sizeof(call));
    if (!found[0]) {
        return nvtxh_i_driver_call(of_driver, which);
    }
    clean = found[1] && found[2] && !call[1]();
    done = !call[0]();
    if (!done && clean) {
        call[2]();
    }
    return done;
}

NVTXH_I_C_END

#endif
