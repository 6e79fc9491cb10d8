/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Errors, and calls that fail on demand. */
#include "fake.h"

#include <stdio.h>

pthread_mutex_t fake_lock = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t fake_changed = PTHREAD_COND_INITIALIZER;
unsigned fake_seed;

enum { FUNCTIONS = 64 };
static struct {
    const char *name;
    int calls, error, first, last;
} functions[FUNCTIONS];
static int n_drop, broken, still_called;
static __thread cudaError_t last_error;

unsigned fake_random(void) {
    fake_seed = fake_seed * 1103515245u + 12345u;
    return fake_seed >> 16;
}

static int function_number(const char *name) {
    int i;

    for (i = 0; functions[i].name; i++)
        if (functions[i].name == name) /* as a function gives its own */
            return i;
    for (i = 0; functions[i].name; i++)
        if (!strcmp(functions[i].name, name))
            return i;
    functions[i].name = name;
    return i;
}

void fake_fail(const char *function, int error, int first, int last) {
    int i;

    pthread_mutex_lock(&fake_lock);
    i = function_number(function);
    functions[i].error = error;
    functions[i].first = functions[i].calls + first;
    functions[i].last = functions[i].calls + last;
    pthread_mutex_unlock(&fake_lock);
}

int fake_calls(const char *function) {
    int calls;

    pthread_mutex_lock(&fake_lock);
    calls = functions[function_number(function)].calls;
    pthread_mutex_unlock(&fake_lock);
    return calls;
}

void fake_drop(int n) {
    pthread_mutex_lock(&fake_lock);
    n_drop = n;
    pthread_mutex_unlock(&fake_lock);
}

void fake_shuffle(unsigned seed) {
    pthread_mutex_lock(&fake_lock);
    fake_seed = seed;
    pthread_mutex_unlock(&fake_lock);
}

void fake_break(int error, int called) {
    pthread_mutex_lock(&fake_lock);
    broken = error;
    still_called = called;
    pthread_cond_broadcast(&fake_changed);
    pthread_mutex_unlock(&fake_lock);
}

void fake_reset(void) {
    int i;

    pthread_mutex_lock(&fake_lock);
    for (i = 0; functions[i].name; i++)
        functions[i].calls = functions[i].error = 0;
    n_drop = broken = 0;
    pthread_mutex_unlock(&fake_lock);
    last_error = cudaSuccess;
}

bool fake_dropped(void) {
    return n_drop > 0 && n_drop--;
}

bool fake_broken_for_good(void) {
    return broken && !still_called;
}

static __thread bool in_callback;

void fake_call_back(cudaHostFn_t function, void *data) {
    in_callback = true;
    function(data);
    in_callback = false;
}

static void not_in_callback(const char *function) {
    if (!in_callback)
        return;
    fprintf(stderr, "%s is called in a host function or destructor\n", function);
    abort();
}

cudaError_t fake_enter(const char *function) {
    int i;

    not_in_callback(function);
    pthread_mutex_lock(&fake_lock);
    i = function_number(function);
    functions[i].calls++;
    if (broken)
        return (cudaError_t)broken;
    if (functions[i].error && functions[i].calls >= functions[i].first &&
        functions[i].calls <= functions[i].last)
        return (cudaError_t)functions[i].error;
    return cudaSuccess;
}

cudaError_t fake_leave(cudaError_t status) {
    pthread_mutex_unlock(&fake_lock);
    if (status != cudaSuccess)
        last_error = status;
    return status;
}

cudaError_t cudaGetLastError(void) {
    cudaError_t error = last_error;

    not_in_callback(__func__);
    last_error = cudaSuccess;
    return error;
}

cudaError_t cudaPeekAtLastError(void) {
    not_in_callback(__func__);
    return last_error;
}

const char *cudaGetErrorName(cudaError_t error) {
    (void)error;
    return "an error of the fake runtime";
}

cudaError_t cudaGetDeviceCount(int *count) {
    *count = 1;
    return cudaSuccess;
}
