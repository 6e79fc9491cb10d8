#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# bench/device on a real device: sh bench/device/run.sh. Needs a CUDA toolkit with nvcc, g++ and Python; nothing
# has to be built. NVTX_INCLUDE: a directory with nvtx3/, if the toolkit lacks it. Exit status 77 where
# there is no device.
set -eu
root=$(cd "$(dirname "$0")/../.." && pwd)
nvcc=$(command -v nvcc || echo "${CUDA_PATH:-${CUDA_HOME:-/usr/local/cuda}}/bin/nvcc")
[ -x "$nvcc" ] || { echo "skipped: no nvcc (CUDA_PATH)"; exit 77; }
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
mkdir "$out/bench"
"$nvcc" -O2 -std=c++17 -Xcompiler -D_GNU_SOURCE -I "$root" ${NVTX_INCLUDE:+-isystem "$NVTX_INCLUDE"} -o "$out/bench/bench-device" -x cu \
    "$root/bench/device/device.c" -ldl -lpthread
python3 "$root/bench/device/device.py" "$out"
