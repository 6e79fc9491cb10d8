/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's own files have the numbers that they have without the recorder.
 *
 * prints 3
 * recorded:
 * Style,Message
 * Mark,before
 */
#include "program.h"

#include <fcntl.h>

int main(void)
{
    nvtxMarkA("before");
    printf("%d", open("/dev/null", O_RDONLY));
    return 0;
}
