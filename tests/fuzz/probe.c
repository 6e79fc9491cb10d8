/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* Whether this clang has libFuzzer. */
int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size);

int LLVMFuzzerTestOneInput(const unsigned char *data, unsigned long size) {
    return size && data[0] == 255 ? 0 : 0;
}
