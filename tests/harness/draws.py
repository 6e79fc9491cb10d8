# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What tests draw at random: the same in every run, unless two variables choose other draws, as tests/nightly.sh does.

NVTXH_TEST_SEED is the first seed (1), NVTXH_TEST_DRAWS how many times as many are drawn (1)."""
import os

SEED, DRAWS = int(os.environ.get('NVTXH_TEST_SEED') or 1), int(os.environ.get('NVTXH_TEST_DRAWS') or 1)
print(f'drawn with NVTXH_TEST_SEED={SEED} NVTXH_TEST_DRAWS={DRAWS}', flush=True)


def seeds(count):
    return range(SEED, SEED + count * DRAWS)


def some(each, usual):
    """The first of what is drawn where more is drawn, as at night."""
    return each if DRAWS > 1 else each[:usual]
