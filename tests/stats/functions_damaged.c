/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* A small program of functions whose symbol table the test damages. */
static void inner(void) {
}

static void outer(void) {
    inner();
    inner();
}

int main(void) {
    outer();
    return 0;
}
