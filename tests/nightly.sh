#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What takes too long for every day. As root, on Debian, with debootstrap; some GB of disk.
#
#     sh tests/nightly.sh [PART...]      all parts, or these
#
# Variables: NVTXH_NIGHTLY, where it works (/var/tmp/nvtxh-nightly). NVTXH_NIGHTLY_DIVIDE=N: gpu, fuzz, model, readers, hostile, faults, mutants,
# rings and soak try an Nth of what they try without it, to see whether they run at all. ZSTD: a clone of zstd's repository, where
# that cannot be reached.
#
# A part is a function part_NAME, which fails if something is wrong; it may print what it likes, and finds an empty folder in $work
# and the project's root in $PWD. Add parts here, and their names to PARTS.
set -eu
cd "$(dirname "$0")/.."
base=${NVTXH_NIGHTLY:-/var/tmp/nvtxh-nightly}
build=$base/build
divide=${NVTXH_NIGHTLY_DIVIDE:-1}
export PYTHONPATH="$PWD/tests"
PARTS='debian_12 debian_13 clang release viewers gpu fuzz model readers pages hostile faults mutants analyzer rings soak engines zstd nvtxpy compilers wheel musl combinations aarch64'

# in_debian SUITE: the README's two commands, and all tests, on a bare root of that Debian, in a clone of this repository.
in_debian() {
    root=$base/root-$1
    rm -rf --one-file-system "$root"
    sh tests/root.sh make "$1" "$root"
    git clone -q "$PWD" "$root/src"
    # The packages that the last run has fetched from PyPI.
    [ ! -d "$base/cache-$1" ] || mv "$base/cache-$1" "$root/src/.cache"
    status=0
    sh tests/root.sh run "$root" -- sh -c 'cd /src && sh examples/run.sh &&
        ! build/demo/recorder/nvtxh --version | grep "built without" && sh tests/run.sh && sh tests/run.sh --all' || status=$?
    [ ! -d "$root/src/.cache" ] || mv "$root/src/.cache" "$base/cache-$1"
    return $status
}

part_debian_12() {
    in_debian bookworm
}

part_debian_13() {
    in_debian trixie
}

# All tests, of what clang builds.
part_clang() {
    CC=clang CXX=clang++ meson setup -Dwerror=true "$work/build" && meson compile -C "$work/build" &&
        meson test -C "$work/build" --setup all --no-rebuild --print-errorlogs
}

part_release() {
    python3 tests/package/reproducible.py "$PWD" || return 1
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
    built && meson test -C "$build" --setup all --no-rebuild --print-errorlogs reader/flamegraph reader/speedscope_ui
}

# Real reports of Nsight Systems from an A100, real traces of PyTorch's profiler, and databases that are drawn at random.
part_gpu() {
    (
        . tests/setup.sh
        pipit=https://github.com/hpcgroup/pipit
        repository_folder pipit/saxpy $pipit f76ee853f0ce2a3ea7036e7f8dcd3267fc16623c pipit/tests/data
        repository_folder pipit/cloverleaf $pipit ad30bc8498bdd16cc93b4eb8397d5d5bbae3e33b pipit/tests/data/cloverleaf-nsys
        hta=https://github.com/facebookresearch/HolisticTraceAnalysis commit=f4d0062c382f42bd8a74838bcdad1916c7d5d2da
        for trace in ns_resolution_trace nccl_parser_config; do
            repository_folder hta/$trace $hta $commit tests/data/$trace
        done
    )
    built && NVTXH_TEST_SEED=$(date +%s) NVTXH_TEST_DRAWS=$((100 / divide)) meson test -C "$build" --setup all --no-rebuild --print-errorlogs \
        --timeout-multiplier 100 --suite nsight
}

apt_install() {
    DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "$@" >/dev/null
}

# built: the whole project is built in $build. The parts that want it share it.
built() {
    { [ -e "$build/build.ninja" ] || meson setup "$build"; } >"$work/log" && meson compile -C "$build" >>"$work/log" || {
        tail -n 20 "$work/log"
        return 1
    }
}

# An hour of fuzzing, two at a time.
part_fuzz() {
    built || return 1
    python3 tests/fuzz/run.py --total $((3600 / divide)) --nvtxh "$build/recorder/nvtxh" --keep "$base" \
        --programs "$build/tests/recorder" "$build/tests/fuzz/reader-fuzz"
}

# 10^7 operations in random programs.
part_model() {
    built || return 1
    python3 tests/model/run.py --operations $((10000000 / divide)) --nvtxh "$build/recorder/nvtxh" \
        --interpreter "$build/tests/model/interpreter"
}

# 20,000 recordings that are drawn at random, as a whole and in pieces, 30,000 damaged ones, and 4,000 against a model.
part_readers() {
    built || return 1
    for case in engine_pieces engine_damaged engine_model; do
        echo "$case: the first seed is ${NVTXH_TEST_SEED:=$(date +%s)}"
        NVTXH_TEST_BUILD=$build NVTXH_TEST_SEED=$NVTXH_TEST_SEED NVTXH_TEST_DRAWS=$((100 / divide)) \
            python3 tests/reader/engine.py $case --nvtxh "$build/recorder/nvtxh" || return 1
    done
    for case in formats formats_clocks formats_filtered formats_merged; do
        NVTXH_TEST_BUILD=$build NVTXH_TEST_SEED=$NVTXH_TEST_SEED NVTXH_TEST_DRAWS=$((100 / divide)) \
            python3 tests/reader/formats.py $case --nvtxh "$build/recorder/nvtxh" || return 1
    done
}

# The pages of more recordings than in all tests; more steps of a push at which the program forks, more columns that a database lacks.
part_pages() {
    built || return 1
    for case in 'recorder/edges.py steps_learn' 'nsight/gpu.py missing'; do
        # shellcheck disable=SC2086
        NVTXH_TEST_BUILD=$build NVTXH_TEST_DRAWS=2 python3 tests/$case || return 1
    done
    for case in page.drawn page.windows page.found page.flame page.jumps page.neighbours pictures.walk pictures.curves pictures.minimap \
        pictures.lanes_drawn pictures.merged_drawn pictures.revealed states.states; do
        NVTXH_TEST_BUILD=$build NVTXH_TEST_DRAWS=2 python3 tests/reader/${case%.*}.py page_${case#*.} || return 1
    done
}

# 10^4 tools that misbehave, for each compiler, and some more under sanitizers.
part_hostile() {
    NVTXH_TEST_NVTX=$(python3 tests/nvtx_matrix.py . "${CUDA_PATH:-/usr/local/cuda}/include")
    export NVTXH_TEST_NVTX
    for compiler in gcc clang; do
        python3 tests/hostile/run.py $compiler/c --seeds $((10000 / divide))
        python3 tests/hostile/run.py $compiler/cpp --seeds $((1000 / divide)) --sanitize address,undefined
    done
}

# Every single call that can fail: of the readers, not only those that differ in who called whom, and of the library in a program.
part_faults() {
    built || return 1
    NVTXH_TEST_NVTX=$(python3 tests/nvtx_matrix.py . "${CUDA_PATH:-/usr/local/cuda}/include")
    export NVTXH_TEST_NVTX
    [ "$divide" -gt 1 ] || for way in gcc/c clang/cpp; do
        NVTXH_TEST_BUILD=$build python3 tests/hostile/faults.py $way all
    done
    for case in faults_reports faults_files; do
        NVTXH_TEST_EVERY=$divide python3 tests/reader/faults.py $case --nvtxh "$build/recorder/nvtxh" --programs "$build/tests/recorder"
    done
    NVTXH_TEST_EVERY=$divide python3 tests/nsight/gpu.py faults --nvtxh "$build/recorder/nvtxh" --programs "$build/tests/recorder"
}

# 150 small changes of the code, other ones each night: do the tests find them? Some hours. The log has those that no test found.
part_mutants() {
    seed=$(date +%s)
    echo "the seed is $seed"
    python3 tests/mutate.py --tree "$work/tree" --draw $((150 / divide)) --seed "$seed"
}

# gcc's analyser over the recorder and the library.
part_analyzer() {
    built || return 1
    python3 tests/style/analyze.py analyzer "$build"
}

# Recordings in a ring that begin and end while threads write.
part_rings() {
    built && (cd "$work" && "$build/tests/recorder/linked-3" rings $((3000 / divide)))
}

# A minute each idle, counted and recorded.
part_soak() {
    built || return 1
    seconds=$((60 / divide))
    python3 tests/soak/soak.py --seconds $((seconds > 6 ? seconds : 6)) --nvtxh "$build/recorder/nvtxh" --program "$build/tests/soak/soak"
}

# DuckDB and Spark answer the queries of examples/cluster alike.
part_engines() {
    apt_install openjdk-17-jre-headless
    (
        . tests/setup.sh
        pypi_package pyarrow --no-deps
        pypi_package duckdb --no-deps
        pypi_package pyspark
    )
    built || return 1
    NVTXH_TEST_BUILD=$build PYTHONPATH=$PYTHONPATH:$PWD/.cache/pypi/pyspark \
        python3 tests/reader/parquet.py parquet_queries --nvtxh "$build/recorder/nvtxh"
}

# The case study of zstd: what its commands print is what its page shows.
part_zstd() {
    built && NVTXH_TEST_BUILD=$build python3 tests/docs/docs.py zstd
}

# Python's nvtxpy, which only its repository has, with the library that it calls NVTX through.
part_nvtxpy() {
    (
        . tests/setup.sh
        repository_folder pypi/nvtxpy https://github.com/ContinuumIO/nvtxpy fe9d19fde8ebb1bda89a45dc30e46d8777efd6d1 .
        pypi_package nvidia-nvtx-cu12==12.8.90
        cp .cache/pypi/nvidia-nvtx-cu12==12.8.90/nvidia/nvtx/lib/libnvToolsExt.so.1 .cache/pypi/nvtxpy/libnvToolsExt.so
    )
    built && NVTXH_TEST_BUILD=$build python3 tests/docs/docs.py console
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

# The whole command line with musl, without the optional libraries, records a program that is linked with musl.
part_musl() {
    apt_install musl-tools
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

# The suite nightly: other processors, in qemu, musl, and further combinations of compilers, languages and versions.
part_combinations() {
    apt_install qemu-user musl-tools gcc-aarch64-linux-gnu g++-aarch64-linux-gnu libc6-dev-arm64-cross gcc-riscv64-linux-gnu \
        libc6-dev-riscv64-cross
    built && meson test -C "$build" --setup nightly --suite nightly --no-rebuild --print-errorlogs
}

# The suites behaviour and recorder on aarch64.
part_aarch64() {
    sh tests/arch/aarch64.sh "$work"
}

rm -rf "$build"
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
