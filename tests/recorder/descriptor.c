/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
/* The program's own files have the numbers that they have without the recorder.
 *
 * recorded:
 * Style,Message
 * Mark,mark
 */
#include "program.h"

#include <fcntl.h>

int main(void) {
    int before = open("/dev/null", O_RDONLY);

    close(before);
    nvtxMarkA("mark");
    MUST(open("/dev/null", O_RDONLY) == before);
    return 0;
}
