# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the suites share. From below: checks (what a test says, how a case is run), toolchain (compilers and headers),
programs (compiled in one way of the matrix, and run), claims (many in one test), driver (the command line, recordings),
screens and browser (what people look at), nsight."""
