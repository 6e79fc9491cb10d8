/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#ifndef NVTXH_TEST_DOMAIN_OTHER_H
#define NVTXH_TEST_DOMAIN_OTHER_H

NVTXH_DOMAIN_EXTERN(shared_domain);
NVTXH_CATEGORY_EXTERN(shared_category);
void other_file(void);

#endif
