#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# From a fresh machine to a recorded run of a real program: build, run examples/01_train under
# `nvtxh record`, show what was recorded, as a table and as a page. Installs what is missing and says what.
set -eu
cd "$(dirname "$0")/.."
: "${CUDA_PATH:=}" "${CUDA_HOME:=}"
. tests/setup.sh

# What follows -- is for all that `nvtxh` can do: the page, exports to Perfetto, SQLite and Parquet, top, list and doctor.
need_packages gcc libc6-dev meson ninja-build python3 -- pkg-config python3-pip \
    libprotobuf-c-dev protobuf-c-compiler libsqlite3-dev libelf-dev zlib1g-dev libncurses-dev libzstd-dev liblz4-dev
need_nvtx
need_carquet

mkdir -p build
configure build/demo -Dbuildtype=release -Dtests=false
build build/demo

# In a pipe a report is as wide as it gets.
[ -t 1 ] || export COLUMNS=80
nvtxh=build/demo/recorder/nvtxh
rm -rf build/train.nvtxh
echo '$ nvtxh record -o build/train.nvtxh -- 01_train README.md'
"$nvtxh" record -o build/train.nvtxh -- build/demo/examples/01_train README.md
echo
echo '$ nvtxh stats build/train.nvtxh'
"$nvtxh" stats build/train.nvtxh
echo
if ! "$nvtxh" --version | grep -q 'without.*zlib'; then
    echo '$ nvtxh view build/train.nvtxh'
    "$nvtxh" view --force -o build/train.html build/train.nvtxh
    echo
fi
echo "The command is $nvtxh; to install it: meson install -C build/demo"
[ "$(id -u)" = 0 ] || echo "Without root, before that: meson configure build/demo --prefix=\"\$HOME/.local\""
