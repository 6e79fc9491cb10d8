#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# site.sh [FOLDER]: builds the documentation's site, in build/site unless told otherwise. Nothing of it is loaded from the
# network later. What builds it is fetched from PyPI the first time. The pages of commands are made with the build in build, or in
# NVTXH_BUILD.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh
need_mkdocs
# NO_MKDOCS_2_WARNING: a notice that the theme prints.
quietly env PYTHONPATH=".cache/pypi/$MKDOCS" NO_MKDOCS_2_WARNING=true python3 -m mkdocs build --strict --site-dir "${1:-$PWD/build/site}"
