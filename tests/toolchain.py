# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Until all tests import it from its new place."""
import sys

import harness.toolchain

sys.modules[__name__] = harness.toolchain
