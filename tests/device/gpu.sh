#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# The programs of this directory that need no fake, on a real device: sh tests/device/gpu.sh [DIRECTORY]
# Needs gcc and a CUDA toolkit (with cudart and NVTX); nothing else of this project has to be built.
# Exit status 77, and a line that says why, where there is none or no device. COMPUTE_SANITIZER=1 runs
# them under the toolkit's memory checker as well.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..

cuda=
nvcc=$(command -v nvcc || true)
for directory in "${CUDA_PATH:-}" "${CUDA_HOME:-}" "${nvcc:+$(dirname "$(readlink -f "${nvcc:-/}")")/..}" \
    /usr/local/cuda /opt/cuda; do
    if [ -z "$cuda" ] && [ -n "$directory" ] && [ -e "$directory/include/cuda_runtime_api.h" ]; then
        cuda=$directory
    fi
done
[ -n "$cuda" ] || { echo "skipped: no CUDA toolkit (CUDA_PATH)"; exit 77; }
[ -x "$cuda/bin/nvcc" ] || { echo "skipped: no nvcc in $cuda"; exit 77; }
[ -e "$cuda/include/nvtx3/nvToolsExt.h" ] || { echo "skipped: no NVTX headers in $cuda"; exit 77; }

if [ $# -gt 0 ]; then
    mkdir -p "$1"
    out=$(cd "$1" && pwd)
else
    out=$(mktemp -d)
    trap 'rm -rf "$out"' EXIT
fi

cc="gcc -std=gnu11 -D_GNU_SOURCE -g -O1 -fPIC -I $root -isystem $cuda/include"
# shellcheck disable=SC2086
compile() { $cc "$@"; }
compile "$here/device.c" -o "$out/device" -L "$cuda/lib64" -lcudart_static -lrt -ldl -lpthread
"$out/device" || exit $? # 77: no device

compile -shared "$here"/../inject/*.c -o "$out/tool.so" -ldl -lpthread
failed=
run() { # NAME COMMAND...: with the tool
    name=$1
    shift
    echo "--- $name"
    if ! NVTX_INJECTION64_PATH=$out/tool.so "$@"; then
        failed="$failed $name"
    elif [ -n "${COMPUTE_SANITIZER:-}" ]; then
        NVTX_INJECTION64_PATH=$out/tool.so "$cuda/bin/compute-sanitizer" --error-exitcode 9 \
            --target-processes all "$@" || failed="$failed $name(compute-sanitizer)"
    fi
}
link="-rdynamic $out/tool.so -Wl,-rpath,$out -L $cuda/lib64 -lcudart -Wl,-rpath,$cuda/lib64 -ldl -lpthread"
for way in runtime driver; do
    switch=
    [ $way = driver ] && switch=-DNVTXH_CUDA_DRIVER
    for name in ranges payload process graphs captures; do
        # shellcheck disable=SC2086
        compile $switch "$here/$name.c" -o "$out/$name-$way" $link
        run "$name, $way" "$out/$name-$way"
    done
    # shellcheck disable=SC2086
    compile $switch "$here/life.c" -o "$out/life-$way" $link
    compile $switch -shared "$here/plugin.c" -o "$out/plugin-$way.so" -L "$cuda/lib64" -lcudart \
        -Wl,-rpath,"$cuda/lib64" -ldl
    for what in fork exit; do
        run "life $what, $way" "$out/life-$way" $what
    done
    run "life plugin, $way" "$out/life-$way" plugin "$out/plugin-$way.so"
done
# What only a device shows. One process for each, since some of it cannot be undone.
"$cuda/bin/nvcc" -arch=native -std=c++17 -I "$root" -o "$out/real" "$here/real.cu" \
    -Xcompiler "-D_GNU_SOURCE" "$out/tool.so" -Xlinker "-rpath=$out" -ldl -lpthread
for what in sticky conditional threads; do
    run "real $what" "$out/real" $what
done
if [ -n "$failed" ]; then
    echo "FAILED:$failed"
    exit 1
fi
