/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* C++: an exception ends the scopes it passes. Needs the logging tool. */
#include "nvtxh.h"
#include "check.h"

#include <stdexcept>

NVTX_DOMAIN(train, "train");

struct noisy {
    ~noisy() {
        NVTX_MARK("destroyed");
    }
};

static void fail(int depth) {
    NVTX_FUNC(.payload = nvtxh_payload(depth));
    noisy object;

    if (depth)
        fail(depth - 1);
    else
        throw std::runtime_error("on purpose");
}

/* Thrown by an attribute: the scope has not begun. */
static int thrower() {
    throw 5;
}

template <typename T>
static T in_template(T x) {
    NVTX_SCOPE("template", .domain = &train);
    NVTXH_SCOPE_AS(ended, "ended");
    nvtxh_scope_end(&ended);
    throw x;
}

struct in_constructor {
    in_constructor() {
        NVTX_SCOPE("constructor");
        throw 'c';
    }
};

int main() {
    int caught = 0;

    try {
        NVTX_SCOPE("outer");
        fail(1);
    } catch (const std::runtime_error &) {
        caught++;
    }
    logged("push [outer]; push [fail] i32=1; push [fail] i32=0; mark [destroyed]; pop; "
           "mark [destroyed]; pop; pop");
    try {
        NVTX_SCOPE("outer");
        NVTX_SCOPE("never begun", .payload = nvtxh_payload(thrower()));
        NVTX_MARK("not reached");
    } catch (int) {
        caught++;
    }
    logged("push [outer]; pop");
    try {
        in_template(1.5);
    } catch (double) {
        caught++;
    }
    logged("train push [template]; push [ended]; pop; train pop");
    try {
        NVTXH_BLOCK("block") {
            in_constructor object;
        }
    } catch (char) {
        caught++;
    }
    logged("push [block]; push [constructor]; pop; pop");
    /* Caught and thrown on within a scope. */
    try {
        NVTX_SCOPE("outer");
        try {
            NVTX_SCOPE("inner");
            throw 1;
        } catch (int) {
            NVTX_MARK("caught");
            throw;
        }
    } catch (int) {
        caught++;
    }
    logged("push [outer]; push [inner]; pop; mark [caught]; pop");
    check(caught == 5);
    check_balance();
    return 0;
}
