#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What takes too long for every day. As root, on Debian, with debootstrap; some GB of disk.
#
#     sh tests/nightly.sh [PART...]      all parts, or these; NVTXH_NIGHTLY is where it works (/var/tmp/nvtxh-nightly)
#
# A part is a function part_NAME, which fails if something is wrong; it may print what it likes, and finds an empty folder in $work
# and the project's root in $PWD. Add parts here, and their names to PARTS.
set -eu
cd "$(dirname "$0")/.."
base=${NVTXH_NIGHTLY:-/var/tmp/nvtxh-nightly}
export PYTHONPATH="$PWD/tests"
PARTS='debian_12 debian_13 release viewers fuzz model hostile faults plants analyzer rings soak probes engines compilers wheel debian_packages musl aarch64'

# in_debian SUITE: the README's two commands on a bare root of that Debian, in a clone of this repository.
in_debian() {
    root=$base/root-$1
    rm -rf --one-file-system "$root"
    sh tests/root.sh make "$1" "$root"
    git clone -q "$PWD" "$root/src"
    # What PyPI gave the last time.
    [ ! -d "$base/cache-$1" ] || mv "$base/cache-$1" "$root/src/.cache"
    status=0
    sh tests/root.sh run "$root" -- sh -c 'cd /src && sh examples/run.sh && sh tests/run.sh' || status=$?
    [ ! -d "$root/src/.cache" ] || mv "$root/src/.cache" "$base/cache-$1"
    return $status
}

part_debian_12() {
    in_debian bookworm
}

part_debian_13() {
    in_debian trixie
}

part_release() {
    sh .ci/release --rehearsal "$work"
    cd "$work"
    tar xf nvtxh-*.tar.gz
    cd nvtxh-*/
    meson setup -Dtests=false build
    meson compile -C build
    build/recorder/nvtxh --version
}

# The exports in viewers that come from their repositories: speedscope's page, as another project ships it, and
# the script that draws flame graphs.
part_viewers() {
    (
        . tests/setup.sh
        repository_folder speedscope https://github.com/MiniProfiler/rack-mini-profiler \
            d95511f0b5fe0ae6d326c6ce7071157d829b9447 lib/html/speedscope
        repository_folder flamegraph https://github.com/brendangregg/FlameGraph 41fee1f99f9276008b7cd112fca19dc3ea84ac32 .
    )
    built && meson test -C "$work/build" reader/flamegraph reader/speedscope_ui
}

built() {
    meson setup "$work/build" >"$work/log" && meson compile -C "$work/build" >>"$work/log" || {
        tail -n 20 "$work/log"
        return 1
    }
}

# An hour of fuzzing, two at a time.
part_fuzz() {
    built || return 1
    python3 tests/fuzz/run.py --total 3600 --nvtxh "$work/build/recorder/nvtxh" --keep "$base" \
        --programs "$work/build/tests/recorder" "$work/build/tests/fuzz/reader-fuzz"
}

# 10^7 operations in random programs.
part_model() {
    built || return 1
    python3 tests/model/run.py --operations 10000000 --nvtxh "$work/build/recorder/nvtxh" \
        --interpreter "$work/build/tests/model/interpreter"
}

# 10^4 tools that misbehave, for each compiler, and some more under sanitizers.
part_hostile() {
    NVTXH_TEST_NVTX=$(python3 tests/nvtx_matrix.py . "${CUDA_PATH:-/usr/local/cuda}/include")
    export NVTXH_TEST_NVTX
    for compiler in gcc clang; do
        python3 tests/hostile/run.py $compiler/c --seeds 10000
        python3 tests/hostile/run.py $compiler/cpp --seeds 1000 --sanitize address,undefined
    done
}

# Every single call of the readers' that can fail, not only those that differ in who called whom.
part_faults() {
    built || return 1
    for case in faults_reports faults_files; do
        NVTXH_TEST_EVERY=1 python3 tests/reader/faults.py $case --nvtxh "$work/build/recorder/nvtxh" --programs "$work/build/tests/recorder"
    done
}

# Small bugs, planted one by one: do the tests find them? Some hours.
part_plants() {
    python3 tests/plant/plant.py --tree "$work/tree" --check
}

# gcc's analyser over the recorder and the library.
part_analyzer() {
    built || return 1
    python3 tests/style/analyze.py analyzer "$work/build"
}

# Recordings in a ring that begin and end while threads write.
part_rings() {
    built && (cd "$work" && build/tests/recorder/linked-3 rings 3000)
}

# A minute each idle, counted and recorded.
part_soak() {
    built || return 1
    python3 tests/soak/soak.py --seconds 60 --nvtxh "$work/build/recorder/nvtxh" --program "$work/build/tests/soak/soak"
}

# The static probes, seen by bpftrace.
part_probes() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends bpftrace >/dev/null
    built || return 1
    for program in 01_train 03_threads; do
        python3 tests/recorder/bpftrace.py "$work/build/recorder/nvtxh" "$work/build/recorder/libnvtxh-usdt.so" \
            "$work/build/examples/$program" || return 1
    done
}

# DuckDB and Spark answer the queries of examples/cluster alike.
part_engines() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends openjdk-17-jre-headless >/dev/null
    (
        . tests/setup.sh
        pypi_package duckdb --no-deps
        pypi_package pyspark
    )
    built || return 1
    PYTHONPATH=.cache/pypi/duckdb:.cache/pypi/pyspark python3 bench/engines/engines.py \
        --nvtxh "$work/build/recorder/nvtxh" --rank "$work/build/bench/engines/rank"
}

# Every compiler that this system has packages for, in every standard.
part_compilers() {
    NVTXH_TEST_NVTX=$(python3 tests/nvtx_matrix.py . "${CUDA_PATH:-/usr/local/cuda}/include") \
        python3 tests/arch/compilers.py --install
}

part_wheel() {
    sh python/manylinux.sh "$work/dist"
    python3 tests/package/wheel.py . "$work"/dist/*.whl
}

part_debian_packages() {
    sh tests/package/debian.sh
}

# The whole command line with musl, without the optional libraries, records a program that is linked with musl.
part_musl() {
    mkdir "$work/kernel"
    ln -s /usr/include/linux /usr/include/asm-generic "/usr/include/$(uname -m)-linux-gnu/asm" "$work/kernel"
    printf "[binaries]\nc = 'musl-gcc'\ncmake = '/nonexistent'\n[built-in options]\nc_args = ['-isystem', '%s']\n" \
        "$work/kernel" >"$work/musl.ini"
    export PKG_CONFIG_LIBDIR=/nonexistent # what it finds is for glibc
    meson setup "$work/build" -Dtests=false -Dwerror=true --native-file "$work/musl.ini"
    meson compile -C "$work/build"
    "$work/build/recorder/nvtxh" record -o "$work/rec.nvtxh" -- "$work/build/examples/10_stats"
    "$work/build/recorder/nvtxh" stats --csv "$work/rec.nvtxh" | grep -q ',forces,'
}

# All of behaviour on aarch64, in qemu-user, with Debian's cmocka for it.
part_aarch64() {
    . tests/setup.sh
    need_packages gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user
    mkdir -p "$work/lists/partial" "$work/archives/partial" "$work/lib" "$work/include"
    foreign="-o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o Dir::State::lists=$work/lists -o Dir::Cache=$work"
    # shellcheck disable=SC2086
    (apt-get $foreign update -q && cd "$work" && apt-get $foreign download -q libcmocka0:arm64 libcmocka-dev:arm64)
    for package in "$work"/*.deb; do
        dpkg -x "$package" "$work/packages"
    done
    cp -a /usr/aarch64-linux-gnu/lib/. "$work/packages"/usr/lib/aarch64-linux-gnu/libcmocka.so* "$work/lib"
    cp "$work"/packages/usr/include/cmocka*.h "$work/include"
    nvtx=${CUDA_PATH:-/usr/local/cuda}/include
    aarch64-linux-gnu-gcc -O1 -shared -fPIC -isystem "$nvtx" -D_GNU_SOURCE tests/inject/*.c -o "$work/libnvtxh-test-log.so"
    # shellcheck disable=SC2046
    CPATH=$work/include LDFLAGS=-L$work/lib NVTXH_TEST_CROSS=aarch64-linux-gnu- NVTXH_TEST_NVTX="3.2=$nvtx" \
        python3 tests/behaviour/run.py gcc/c/3.2 --tool "$work/libnvtxh-test-log.so" --split \
        --under "qemu-aarch64 -L $work" $(sed -n "/^nouns = /,/^]/s/^  '\(.*\)',$/\1/p" tests/behaviour/meson.build)
}

mkdir -p "$base"
summary=
failed=0
for part in ${*:-$PARTS}; do
    work=$base/work-$part
    rm -rf "$work"
    mkdir -p "$work"
    echo "nightly: $part, its output is in $base/$part.log"
    "part_$part" >"$base/$part.log" 2>&1 & # in the background `set -e` holds
    if wait $!; then
        result=passed
        rm -rf "$work"
    else
        result=FAILED
        failed=1
        tail -n 20 "$base/$part.log"
    fi
    summary="$summary
nightly: $part: $result"
done
echo "$summary"
exit $failed
