#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Runs the programs of this directory that need no fake on a real device: sh tests/device/gpu.sh [DIRECTORY]
# Needs gcc, g++ (nvcc's host compiler, for real.cu) and a CUDA toolkit with cudart and NVTX; nothing else
# of this project has to be built. DIRECTORY keeps what is compiled.
#
# Ends with a summary: what passed, failed, timed out, did not compile or was left out, and why.
# Exit status: 0 if every program that ran passed; 1 if one failed, timed out or did not compile; 77, with a
# line that says why, if there is no toolkit or no device.
# Environment: CUDA_PATH, the toolkit; NVTX_INCLUDE, a directory with nvtx3/, if the toolkit lacks it;
# GPU_TIMEOUT, the seconds that each program gets (120); COMPUTE_SANITIZER=1, to run each program a second
# time under the toolkit's memory checker.
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$here/../..
limit=${GPU_TIMEOUT:-120}

skip() {
    echo "skipped: $1"
    exit 77
}
cuda=
nvcc=$(command -v nvcc || true)
for directory in "${CUDA_PATH:-}" "${CUDA_HOME:-}" "${nvcc:+$(dirname "$(readlink -f "${nvcc:-/}")")/..}" \
    /usr/local/cuda /opt/cuda; do
    if [ -z "$cuda" ] && [ -n "$directory" ] && [ -e "$directory/include/cuda_runtime_api.h" ]; then
        cuda=$directory
    fi
done
[ -n "$cuda" ] || skip "no CUDA toolkit (CUDA_PATH)"
[ -x "$cuda/bin/nvcc" ] || skip "no nvcc in $cuda"
nvtx=${NVTX_INCLUDE:-$cuda/include}
[ -e "$nvtx/nvtx3/nvToolsExt.h" ] || skip "no NVTX headers in $nvtx (NVTX_INCLUDE)"
lib=$cuda/lib64
[ -d "$lib" ] || lib=$cuda/lib
command -v gcc >/dev/null || skip "no gcc"

if [ $# -gt 0 ]; then
    mkdir -p "$1" || exit 1
    out=$(cd "$1" && pwd)
else
    out=$(mktemp -d) || exit 1
    trap 'rm -rf "$out"' EXIT
fi

n_passed=0
n_bad=0
summary=
note() { # LINE
    summary="$summary$1
"
}
bad() { # LINE
    n_bad=$((n_bad + 1))
    note "$1"
}
build() { # NAME COMMAND...
    name=$1
    shift
    "$@" && return
    bad "did not compile: $name"
    return 1
}
compile() { # NAME ARGUMENTS...
    name=$1
    shift
    build "$name" gcc -std=gnu11 -D_GNU_SOURCE -g -O1 -fPIC -I "$root" -isystem "$nvtx" \
        -isystem "$cuda/include" "$@"
}
judge() { # NAME SECONDS STATUS
    case $3 in
    0) n_passed=$((n_passed + 1)) ;;
    77) note "left out: $1 (it found no device)" ;;
    124 | 137) bad "timed out: $1 ($2 s)" ;; # 137: killed, since it did not end when asked to
    *) bad "failed: $1 (status $3)" ;;
    esac
}
run_once() { # NAME SECONDS COMMAND...: with the tool
    name=$1
    seconds=$2
    shift 2
    echo "--- $name"
    NVTX_INJECTION64_PATH=$out/tool.so NVTXH_TEST_TOOL=noscope timeout -k 10 "$seconds" "$@"
    judge "$name" "$seconds" $?
}
sanitizer=
if [ -n "${COMPUTE_SANITIZER:-}" ]; then
    sanitizer=$cuda/bin/compute-sanitizer
    [ -x "$sanitizer" ] || sanitizer=$(command -v compute-sanitizer || true)
    if [ -z "$sanitizer" ]; then
        note "left out: compute-sanitizer (neither in $cuda/bin nor in PATH)"
    fi
fi
# The statuses of CUDA that a program provokes and checks are no errors to the memory checker, which is slow.
run() { # NAME COMMAND...
    name=$1
    shift
    run_once "$name" "$limit" "$@"
    [ -n "$sanitizer" ] || return
    if [ "$name" = "real sticky" ]; then
        note "left out: $name, compute-sanitizer (it makes a kernel fault)"
        return
    fi
    run_once "$name, compute-sanitizer" $((limit * 5)) "$sanitizer" --error-exitcode 9 \
        --report-api-errors no --target-processes all "$@"
}
finish() {
    printf -- '--- summary\npassed: %s\n%s' "$n_passed" "$summary"
    [ "$n_bad" -eq 0 ]
    exit
}
trap 'bad "stopped by a signal"; finish' INT TERM

if compile device "$here/device.c" -o "$out/device" -L "$lib" -lcudart_static -lrt -ldl -lpthread; then
    timeout -k 10 "$limit" "$out/device"
    status=$?
    [ $status -ne 77 ] || exit 77
    judge device "$limit" $status
    [ $status -eq 0 ] || finish # nothing else would run either
fi
compile tool.so -shared "$here"/../inject/*.c -o "$out/tool.so" -ldl -lpthread || finish

for way in runtime driver; do
    switch=-UNVTXH_CUDA_DRIVER
    [ $way = runtime ] || switch=-DNVTXH_CUDA_DRIVER
    for program in ranges payload process graphs captures told life; do
        compile "$program, $way" $switch "$here/$program.c" -o "$out/$program-$way" -rdynamic "$out/tool.so" \
            -Wl,-rpath,"$out" -L "$lib" -lcudart -Wl,-rpath,"$lib" -ldl -lpthread || continue
        if [ $program != life ]; then
            run "$program, $way" "$out/$program-$way"
            continue
        fi
        for what in fork exit "environment event,nocapture 10"; do
            run "life $what, $way" "$out/life-$way" $what
        done
        compile "plugin, $way" $switch -shared "$here/plugin.c" -o "$out/plugin-$way.so" -L "$lib" \
            -lcudart -Wl,-rpath,"$lib" -ldl &&
            run "life plugin, $way" "$out/life-$way" plugin "$out/plugin-$way.so"
    done
done

# What only a device shows. One process for each, since some of it cannot be undone.
if ! command -v g++ >/dev/null; then
    note "left out: real (no g++, nvcc's host compiler)"
elif build real "$cuda/bin/nvcc" -ccbin g++ -arch=native -std=c++17 -I "$root" -isystem "$nvtx" -o "$out/real" "$here/real.cu" \
    -Xcompiler "-D_GNU_SOURCE" "$out/tool.so" -Xlinker "-rpath=$out" -ldl -lpthread; then
    for what in sticky conditional threads; do
        run "real $what" "$out/real" $what
    done
fi
finish
