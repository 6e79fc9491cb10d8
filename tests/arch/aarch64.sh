#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# aarch64.sh FOLDER [TEST...]: compiles the library, the recorder and the command line for aarch64 in FOLDER/build, and runs the
# suites behaviour and recorder, or only these tests of them, under qemu-user. Part of tests/nightly.sh; as root, on Debian.
#
# The kernel starts qemu for the programs (binfmt_misc), also for those that a program starts. The script sets that in a user
# namespace of its own, so nothing changes for others; this needs Linux 6.7.
set -eu
cd "$(dirname "$0")/../.."
: "${CUDA_PATH:=}" "${CUDA_HOME:=}"
. tests/setup.sh
folder=$1
shift
cross=aarch64-linux-gnu
# The static qemu, because tests preload libraries into the program: a dynamic qemu would load them into itself.
need_packages gcc-$cross g++-$cross libc6-dev-arm64-cross qemu-user-static meson ninja-build pkg-config python3
need_nvtx

# Tests that are left out, and why.
left_out() {
    sed -n 's/^    \([^ ]*\)  .*/\1/p' <<'END'
    .*/clang/.*  this is about gcc for aarch64
    .*sanitized/.*  the sanitizers find their memory taken by qemu
    some/valgrind/.*  valgrind is for this processor
    recorder/edges/many_names  the same
    recorder/write/python  this Python is for this processor
    recorder/(family|edges/recycled)  qemu takes MADV_WIPEONFORK and does nothing, so no fork is noticed
    recorder/write/(extended|families|inherited)  the same
    recorder/always/trigger_kinds|model  the same
    recorder/(command|replace)  qemu's vfork does not share memory, so a failed exec is not seen
    faults/gcc/c  hundreds of runs, which take more than 20 minutes in qemu
    recorder/hardship  qemu says itself what signal ended a program
    recorder/edges/static  qemu looks up what the loader is to load
    recorder/always/(snapshot_bad|paused)  the user namespace has one user
    recorder/write/timed  the clock that qemu gives stands still for too long
    recorder/write/ring  kills programs after some milliseconds, when in qemu they have not begun
    recorder/always/snapshot_(model|storm)  qemu is too slow to fill a ring in time
END
}

# A root with the C library, and cmocka of the package source that this system uses.
mkdir -p "$folder/lists/partial" "$folder/archives/partial" "$folder/root/lib"
foreign="-o APT::Architectures::=amd64 -o APT::Architectures::=arm64 -o Dir::State::lists=$folder/lists -o Dir::Cache=$folder"
# shellcheck disable=SC2086
(apt-get $foreign update -q && cd "$folder" && apt-get $foreign download -q libcmocka0:arm64 libcmocka-dev:arm64)
for package in "$folder"/*.deb; do
    dpkg -x "$package" "$folder/root"
done
cp -a /usr/$cross/lib/. "$folder"/root/usr/lib/$cross/. "$folder/root/lib"

cat >"$folder/aarch64.ini" <<END
[binaries]
c = '$cross-gcc'
cpp = '$cross-g++'
ar = '$cross-ar'
strip = '$cross-strip'
[properties]
needs_exe_wrapper = false
sys_root = '$folder/root'
pkg_config_libdir = '$folder/root/usr/lib/$cross/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}'
[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
END

# In $PKG_CONFIG, because versions of Meson differ in the name that a cross file has for pkg-config.
export PKG_CONFIG=pkg-config
export C_INCLUDE_PATH="$folder/root/usr/include" CPLUS_INCLUDE_PATH="$folder/root/usr/include" LDFLAGS="-L$folder/root/lib" QEMU_LD_PREFIX="$folder/root" NVTXH_TEST_CROSS=$cross-
unset CC CXX
# shellcheck disable=SC2016
exec unshare --user --map-root-user --mount sh -euc '
    mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc
    # An ELF file of 64 bits, a program or a library (which a program may be), for aarch64. P: argv[0] is kept.
    magic="\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00"
    mask="\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff"
    printf %s ":aarch64:M::$magic:$mask:$(command -v qemu-aarch64-static):P" >/proc/sys/fs/binfmt_misc/register
    folder=$1
    left_out=$2
    shift 2
    meson setup "$folder/build" --cross-file "$folder/aarch64.ini" -Dwerror=true
    cd "$folder/build"
    # What these suites need: no benches, no sanitizers.
    ninja -t targets all | sed -n -E "s,^((recorder|tests/recorder|tests/inject)/[^:/]+): [a-zA-Z_]*LINKER$,\1,p" |
        xargs ninja nvtxh_single.h nvtxh_device_single.h
    if [ $# = 0 ]; then
        # shellcheck disable=SC2046
        set -- $(meson test --setup nightly --list --suite behaviour --suite recorder | sed "s,.* / ,," | grep -vxE "$left_out")
    fi
    meson test --setup nightly --no-rebuild --print-errorlogs --timeout-multiplier 4 "$@"
' sh "$folder" "$(left_out)" "$@"
