# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Until all tests import it from its new place."""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import harness.claims  # noqa: E402

sys.modules[__name__] = harness.claims
