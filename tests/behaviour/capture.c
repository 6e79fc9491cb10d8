/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "test.h"
#include "nvtxh/capture.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>

/* CUDA as the dynamic linker finds it. Calls are logged in order. Waiting and stopping fail, which
 * must not matter; starting fails on demand. */
static char cuda_calls[64];
static size_t events_by_then;
static int cuda_error, start_status;
static bool another; /* while the profiler is being started, another capture begins */

#ifdef __cplusplus
extern "C" {
#endif
int cudaProfilerStart(void);
int cudaProfilerStop(void);
int cudaDeviceSynchronize(void);
int cudaPeekAtLastError(void);
int cudaGetLastError(void);
#ifdef __cplusplus
}
#endif

static int called(const char *what) {
    strcat(cuda_calls, what);
    events_by_then = log_size();
    return cuda_error = 999;
}

int cudaProfilerStart(void) {
    int error = cuda_error;

    (void)called("<");
    if (another)
        (void)nvtxh_capture_start("another", NVTXH_CAPTURE_PROFILER);
    cuda_error = start_status ? start_status : error;
    return start_status;
}

int cudaProfilerStop(void) {
    return called(">");
}

int cudaDeviceSynchronize(void) {
    return called("w");
}

int cudaPeekAtLastError(void) {
    return cuda_error;
}

int cudaGetLastError(void) {
    int error = cuda_error;

    cuda_error = 0;
    return error;
}

#define cuda_did(expected)                                                                         \
    do {                                                                                           \
        assert_string_equal(cuda_calls, compiled_in ? (expected) : "");                            \
        cuda_calls[0] = 0;                                                                         \
    } while (0)

static void by_hand(void **state) {
    char name[] = "steady";

    (void)state;
    assert_int_equal(nvtxh_capture_enabled(), tool());
    assert_false(nvtxh_capture_active());
    errno = ERANGE; /* which captures leave alone, whatever the tool does to it */
    assert_int_equal(nvtxh_capture_start(counted(1) ? name : "", 0), tool());
    assert_int_equal(errno, ERANGE);
    assert_int_equal(evaluated, compiled_in); /* functions evaluate their arguments */
    memset(name, 'x', 3);                     /* the capture has a copy */
    assert_int_equal(nvtxh_capture_active(), tool());
    assert_int_equal(nvtxh_capture_stop(), tool());
    assert_int_equal(errno, ERANGE);
    assert_false(nvtxh_capture_active());
    assert_false(nvtxh_capture_stop()); /* no capture is open */
    logged("nvtxh.capture start [steady] #1; nvtxh.capture end #1");
    cuda_did("");
}

/* Nsight Systems looks at registered strings alone, and a name is registered once. */
static void registered_once(void **state) {
    size_t before = log_count(LOG_STRING, "nvtxh.capture", NULL);
    int i;

    (void)state;
    for (i = 0; i < 3; i++) {
        char name[8];

        snprintf(name, sizeof(name), "%d", i % 2);
        nvtxh_capture_start(name, 0);
        nvtxh_capture_stop();
    }
    assert_int_equal(log_count(LOG_STRING, "nvtxh.capture", NULL) - before, tool() ? 2 : 0);
    assert_int_equal(log_count(LOG_DOMAIN, NULL, "nvtxh.capture"), tool());
    logged("nvtxh.capture start [0] #1; nvtxh.capture end #1; "
           "nvtxh.capture start [1] #2; nvtxh.capture end #2; "
           "nvtxh.capture start [0] #3; nvtxh.capture end #3");
}

static int early_return(int n) {
    NVTXH_CAPTURE_SCOPE("scope");
    if (n)
        return nvtxh_capture_active();
    return -1;
}

static void scope(void **state) {
    (void)state;
    assert_int_equal(early_return(1), tool());
    assert_false(nvtxh_capture_active());
    logged("nvtxh.capture start [scope] #1; nvtxh.capture end #1");
}

static int late(int *times) {
    NVTXH_CAPTURE_SCOPE("waits", ((*times)++, NVTXH_CAPTURE_PROFILER | NVTXH_CAPTURE_WAIT));
    if (*times)
        return nvtxh_capture_active();
    return -1;
}

/* The flags of a scope: the profiler runs without a tool, too, and the wait is within the range. */
static void scope_flags(void **state) {
    int times = 0;

    (void)state;
    cuda_error = 0;
    assert_int_equal(late(&times), compiled_in ? 1 : -1);
    assert_int_equal(times, compiled_in);
    cuda_did("<w>");
    if (tool()) {
        assert_int_equal(events_by_then, log_size() - 1);
        assert_int_equal(log_at(events_by_then)->kind, LOG_END);
    }
    logged("nvtxh.capture start [waits] #1; nvtxh.capture end #1");
}

/* Each capture is a range of its own. A scope ends its own capture; stop ends the one started
 * last. */
static void nested(void **state) {
    (void)state;
    nvtxh_capture_start("a", 0);
    nvtxh_capture_start("b", 0);
    {
        NVTXH_CAPTURE_SCOPE("c");
        assert_int_equal(nvtxh_capture_stop(), tool()); /* ends b, and not the scope's capture */
        nvtxh_capture_start("d", 0);
    }
    nvtxh_capture_stop();
    assert_int_equal(nvtxh_capture_active(), tool());
    nvtxh_capture_stop();
    assert_false(nvtxh_capture_active());
    logged("nvtxh.capture start [a] #1; nvtxh.capture start [b] #2; nvtxh.capture start [c] #3; "
           "nvtxh.capture end #2; nvtxh.capture start [d] #4; nvtxh.capture end #3; "
           "nvtxh.capture end #4; nvtxh.capture end #1");
}

/* stop ends the capture that was started last, even if that reuses the place of an earlier one. */
static void reused(void **state) {
    (void)state;
    {
        NVTXH_CAPTURE_SCOPE("a");
        nvtxh_capture_start("b", 0);
    }
    nvtxh_capture_start("c", 0);
    nvtxh_capture_stop();
    nvtxh_capture_stop();
    logged("nvtxh.capture start [a] #1; nvtxh.capture start [b] #2; nvtxh.capture end #1; "
           "nvtxh.capture start [c] #3; nvtxh.capture end #3; nvtxh.capture end #2");
}

/* N scopes, and within them a capture that outlives them. */
static void within(int n) {
    if (!n) {
        assert_int_equal(nvtxh_capture_start("within", 0), tool());
        return;
    }
    NVTXH_CAPTURE_SCOPE("around");
    within(n - 1);
}

/* A capture beyond NVTXH_CAPTURE_MAX is refused, and its scope ends no other one. */
static void too_many(void **state) {
    int i;

    (void)state;
    for (i = 0; i < NVTXH_CAPTURE_MAX; i++)
        assert_int_equal(nvtxh_capture_start("many", 0), tool());
    assert_int_equal(nvtxh_capture_start("one more", NVTXH_CAPTURE_PROFILER),
                     compiled_in && !tool());
    { NVTXH_CAPTURE_SCOPE("one more"); }
    cuda_did(tool() ? "" : "<");
    if (!tool())
        nvtxh_capture_stop();
    for (i = 0; i < NVTXH_CAPTURE_MAX; i++)
        assert_int_equal(nvtxh_capture_stop(), tool());
    assert_false(nvtxh_capture_stop());
    within(NVTXH_CAPTURE_MAX - 1);
    assert_int_equal(nvtxh_capture_active(), tool());
    assert_int_equal(nvtxh_capture_stop(), tool());
    assert_false(nvtxh_capture_active());
    assert_int_equal(log_size() > 2 * NVTXH_CAPTURE_MAX, tool());
    cuda_calls[0] = 0;
    log_reset();
}

/* CUDA's profiler runs while any capture wants it, with or without a tool; its errors do not reach
 * the program. */
static void profiler(void **state) {
    (void)state;
    cuda_error = 0;
    assert_int_equal(nvtxh_capture_start("a", NVTXH_CAPTURE_PROFILER), compiled_in);
    assert_int_equal(cuda_error, 0);
    cuda_error = 7; /* the program's error stays */
    nvtxh_capture_start("b", NVTXH_CAPTURE_PROFILER | NVTXH_CAPTURE_WAIT);
    assert_int_equal(cuda_error, 7);
    assert_int_equal(nvtxh_capture_active(), compiled_in);
    cuda_did("<");
    nvtxh_capture_stop();
    cuda_did("w");
    nvtxh_capture_stop();
    cuda_did(">");
    assert_int_equal(cuda_error != 0, 1);
    cuda_error = 0;
    nvtxh_capture_start("c", NVTXH_CAPTURE_PROFILER | NVTXH_CAPTURE_WAIT);
    nvtxh_capture_stop();
    assert_int_equal(cuda_error, 0);
    cuda_did("<w>");
    if (tool()) { /* the wait is within the range */
        assert_int_equal(events_by_then, log_size() - 1);
        assert_int_equal(log_at(events_by_then)->kind, LOG_END);
    }
    log_reset();
}

/* The profiler cannot be started: the capture is for the tool alone; without a tool there is
 * none. */
static void no_profiler(void **state) {
    (void)state;
    cuda_error = 0;
    start_status = 999;
    assert_int_equal(nvtxh_capture_start("refused", NVTXH_CAPTURE_PROFILER), tool());
    assert_int_equal(cuda_error, 0);
    assert_int_equal(nvtxh_capture_active(), tool());
    cuda_did("<");
    start_status = 0;
    assert_int_equal(nvtxh_capture_start("a", NVTXH_CAPTURE_PROFILER), compiled_in);
    nvtxh_capture_stop();
    assert_int_equal(nvtxh_capture_stop(), tool());
    cuda_did("<>");
    cuda_error = 0;
    log_reset();
}

/* A capture that has begun while the profiler could not be started has no profiler to stop. */
static void no_profiler_for_two(void **state) {
    (void)state;
    start_status = 999;
    another = true;
    assert_int_equal(nvtxh_capture_start("refused", NVTXH_CAPTURE_PROFILER), tool());
    start_status = 0;
    another = false;
    assert_int_equal(nvtxh_capture_active(), tool());
    assert_int_equal(nvtxh_capture_stop(), tool());
    assert_int_equal(nvtxh_capture_stop(), tool());
    cuda_did("<");
    assert_int_equal(nvtxh_capture_start("a", NVTXH_CAPTURE_PROFILER), compiled_in);
    nvtxh_capture_stop();
    cuda_did("<>");
    cuda_error = 0;
    log_reset();
}

/* A capture is a command to the tool, not an event, so pauses do not leave it out. */
static void paused(void **state) {
    (void)state;
    nvtxh_enable(false);
    nvtxh_capture_start("paused", 0);
    NVTX_MARK("left out");
    nvtxh_enable(true);
    nvtxh_capture_stop();
    logged("nvtxh.capture start [paused] #1; nvtxh.capture end #1");
}

static void *stop_there(void *ret_stopped) {
    *(bool *)ret_stopped = nvtxh_capture_stop();
    return NULL;
}

static void threads(void **state) {
    pthread_t thread;
    bool stopped = false;

    (void)state;
    nvtxh_capture_start("threads", 0);
    assert_int_equal(pthread_create(&thread, NULL, stop_there, &stopped), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(stopped, tool());
    assert_false(nvtxh_capture_active());
    logged("nvtxh.capture start [threads] #1; nvtxh.capture end #1");
}

/* A child has none of its parent's captures. */
static void forked(void **state) {
    int status = 0;
    pid_t child;

    (void)state;
    nvtxh_capture_start("parent", NVTXH_CAPTURE_PROFILER);
    child = fork();
    if (!child) {
        bool right = !nvtxh_capture_active() && !nvtxh_capture_stop();

        right = right && nvtxh_capture_start("child", 0) == (bool)tool();
        right = right && nvtxh_capture_stop() == (bool)tool();
        /* The child's profiler is not running. */
        cuda_calls[0] = 0;
        nvtxh_capture_start("child", NVTXH_CAPTURE_PROFILER);
        nvtxh_capture_stop();
        right = right && !strcmp(cuda_calls, compiled_in ? "<>" : "");
        _exit(right ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(nvtxh_capture_stop(), compiled_in);
    cuda_did("<>");
    log_reset();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(by_hand),
        CASE(registered_once),
        CASE(scope),
        CASE(scope_flags),
        CASE(nested),
        CASE(reused),
        CASE(too_many),
        CASE(profiler),
        CASE(no_profiler),
        CASE(paused),
        CASE(threads),
        CASE(forked),
        CASE(no_profiler_for_two),
    };

    return RUN(tests);
}
