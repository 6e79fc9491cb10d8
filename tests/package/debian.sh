#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# debian.sh: the Debian packages are built, lintian finds no error, and what is in them records a program compiled with
# what is in them. Part of tests/nightly.sh; takes some two minutes.
set -eu
cd "$(dirname "$0")/../.."
: "${CUDA_PATH:=}" "${CUDA_HOME:=}"
. tests/setup.sh
need_packages dpkg-dev debhelper lintian fakeroot meson ninja-build pkg-config gcc libc6-dev python3 libelf-dev \
    libncurses-dev libprotobuf-c-dev libsqlite3-dev protobuf-c-compiler systemtap-sdt-dev zlib1g-dev
need_nvtx

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir "$work/nvtxh"
# The files that git has; without git, the files here.
{ git ls-files -co --exclude-standard 2>/dev/null || find . -path ./.cache -prune -o -path './build*' -prune -o -type f -print; } |
    xargs cp -P --parents -t "$work/nvtxh"
# And NVTX, where need_nvtx has fetched it.
for fetched in .cache/nvtx/nvidia-nvtx subprojects/nvtx3; do
    [ ! -e $fetched ] || cp -r --parents $fetched "$work/nvtxh"
done
# By Debian's tools alone: another Python's meson would not know where things go.
(cd "$work/nvtxh" && env -u CC -u CXX PATH=/usr/lib/ccache:/usr/sbin:/usr/bin:/sbin:/bin dpkg-buildpackage -us -uc -b) \
    >"$work/log" 2>&1 || { tail -40 "$work/log"; exit 1; }
lintian --allow-root --fail-on error "$work"/*.changes

for package in "$work"/nvtxh_*.deb "$work"/libnvtxh-dev_*.deb; do
    dpkg-deb -x "$package" "$work/root"
done
cat >"$work/main.c" <<'EOF'
#include <nvtxh.h>
int main(void)
{
    NVTX_SCOPE("packaged");
    return 0;
}
EOF
nvtxh=$work/root/usr/bin/nvtxh
PKG_CONFIG_PATH=$(echo "$work"/root/usr/lib/*/pkgconfig)${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
export PKG_CONFIG_PATH
# shellcheck disable=SC2046
gcc "$work/main.c" -o "$work/main" $(pkg-config --define-variable=prefix="$work/root/usr" --cflags --libs nvtxh)
"$nvtxh" --version
"$nvtxh" --version | grep -q '^built with protobuf-c, sqlite, libelf, zlib, ncurses, sdt;' || { echo "debian: not built with all that is in control"; exit 1; }
"$nvtxh" record -o "$work/rec.nvtxh" -- "$work/main"
"$nvtxh" stats --csv "$work/rec.nvtxh" | grep -q ',packaged,' || { echo "debian: nothing was recorded"; exit 1; }
echo "debian: the packages record what was compiled with them"
