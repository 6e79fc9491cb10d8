/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Annotations next to raw NVTX calls, and in C++ to nvtx3.hpp if there is one, in the same file and
 * on the same stack. NVTX's headers come before ours or, with -DLATE, after. */
#ifndef LATE
#include <nvtx3/nvToolsExt.h>
#ifdef HAVE_HPP
#include <nvtx3/nvtx3.hpp>
#endif
#endif
#include "nvtxh.h"
#ifdef LATE
#include <nvtx3/nvToolsExt.h>
#ifdef HAVE_HPP
#include <nvtx3/nvtx3.hpp>
#endif
#endif
#include "check.h"

NVTX_DOMAIN(train, "train");

#ifdef HAVE_HPP
struct cpp_domain {
    static constexpr const char *name = "cpp";
};

static void cpp(void) {
    nvtx3::scoped_range outer{"hpp"};
    NVTX_SCOPE("ours");
    nvtx3::scoped_range_in<cpp_domain> inner{"in domain"};
    NVTX3_FUNC_RANGE();
}
#endif

int main(void) {
    nvtxDomainHandle_t domain;
    nvtxRangeId_t id;

    check(nvtxRangePushA("raw") == 0);
    {
        NVTX_SCOPE("ours");
        check(nvtxRangePushA("raw, inner") == 2);
        check(NVTX_PUSH("pushed") == 3);
        check(nvtxRangePop() == 3);
        check(NVTX_POP() == 2);
    }
    check(nvtxRangePop() == 0);
    logged("pushA 'raw'; push [ours]; pushA 'raw, inner'; push [pushed]; pop; pop; pop; pop");
    domain = nvtxDomainCreateA("raw domain");
    {
        NVTX_SCOPE("in train", .domain = &train);
        nvtxEventAttributes_t event;

        memset(&event, 0, sizeof(event));
        event.version = NVTX_VERSION;
        event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
        event.messageType = NVTX_MESSAGE_TYPE_ASCII;
        event.message.ascii = "raw event";
        nvtxDomainMarkEx(domain, &event);
        id = nvtxRangeStartA("raw range");
        nvtxRangeEnd(id);
    }
    logged("train push [in train]; raw domain mark 'raw event'; startA 'raw range' #1; end #1; "
           "train pop");
    check(log_count(LOG_INIT, NULL, NULL) == 1); /* one NVTX for both */
#ifdef HAVE_HPP
    cpp();
    /* It is nvtx3.hpp that uses the functions with a domain for the default one. */
    logged("push 'hpp' BAD(NULL domain); push [ours]; cpp push 'in domain'; "
           "push [cpp] BAD(NULL domain); pop; cpp pop; pop; pop");
#endif
    return 0;
}
