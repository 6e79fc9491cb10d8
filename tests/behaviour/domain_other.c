/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "nvtxh.h"
#include "domain_other.h"

NVTXH_DOMAIN(shared_domain, "shared");
NVTXH_CATEGORY(shared_category, &shared_domain, "everywhere");

void other_file(void) {
    NVTX_SCOPE("there", .domain = &shared_domain);
    NVTX_SCOPE("there, default");
}
