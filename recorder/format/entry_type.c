/* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "entry_type.h"

enum {
    U = REC_ENTRY_UNSIGNED,
    I = REC_ENTRY_SIGNED,
    F = REC_ENTRY_FLOAT,
    H = REC_ENTRY_BFLOAT16,
    C = REC_ENTRY_CHARACTER,
    R = REC_ENTRY_REGISTERED,
    B = REC_ENTRY_BYTES,
};

static const struct rec_entry_type types[REC_TYPE_END] = {
    [1] = {1, C},  [2] = {1, U},  [3] = {2, I},   [4] = {2, U},   [5] = {4, I},   [6] = {4, U},
    [7] = {8, I},  [8] = {8, U},  [9] = {8, I},   [10] = {8, U},  [11] = {1, I},  [12] = {1, U},
    [13] = {2, I}, [14] = {2, U}, [15] = {4, I},  [16] = {4, U},  [17] = {8, I},  [18] = {8, U},
    [19] = {4, F}, [20] = {8, F}, [21] = {16, F}, [22] = {8, U},  [23] = {8, U},  [24] = {4, C},
    [25] = {1, C}, [26] = {2, C}, [27] = {4, C},  [32] = {1, U},  [33] = {16, B}, [34] = {16, B},
    [42] = {2, F}, [43] = {4, F}, [44] = {8, F},  [45] = {16, B}, [50] = {2, H},  [52] = {4, F},
    [67] = {8, U}, [68] = {4, U}, [69] = {4, U},  [70] = {8, U},  [71] = {4, U},  [72] = {8, U},
    [73] = {4, U}, [74] = {8, U}, [75] = {1, C},  [76] = {1, C},  [77] = {2, C},  [78] = {4, C},
    [80] = {8, R},
};

struct rec_entry_type rec_entry_type(uint64_t type) {
    return type < REC_TYPE_END ? types[type] : (struct rec_entry_type){0, 0};
}
