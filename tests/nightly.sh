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
PARTS='debian_12 debian_13 release fuzz'

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

# Ten minutes for each of the reader fuzzer's targets, two at a time.
part_fuzz() {
    meson setup "$work/build" >"$work/log" && meson compile -C "$work/build" >>"$work/log" || {
        tail -n 20 "$work/log"
        return 1
    }
    python3 tests/fuzz/run.py --seconds 600 --nvtxh "$work/build/recorder/nvtxh" --keep "$base" \
        --programs "$work/build/tests/recorder" "$work/build/tests/fuzz/reader-fuzz"
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
