# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the README's two commands share: install what is missing, and say so first. Sourced by
# examples/run.sh and tests/run.sh, with the working directory at the project's root.
# For Debian 12, Ubuntu 24.04 and their like; as root, or with sudo.

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# need_packages PACKAGE...: apt packages that have to be there.
need_packages() {
    missing=
    for package in "$@"; do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed ||
            missing="$missing $package"
    done
    [ -z "$missing" ] && return
    echo "setup: installing with apt-get:$missing"
    as_root apt-get update -q >/dev/null
    # shellcheck disable=SC2086
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends \
        $missing >/dev/null
}

# nvtx_wheel PACKAGE: unpack the NVTX headers of a PyPI wheel to .cache/nvtx/PACKAGE.
nvtx_wheel() {
    [ -e ".cache/nvtx/$1/nvtx3/nvToolsExt.h" ] && return
    python3 -m pip --version >/dev/null 2>&1 || need_packages python3-pip
    rm -rf .cache/nvtx/download
    mkdir -p .cache/nvtx/download
    python3 -m pip download -q --no-deps --disable-pip-version-check -d .cache/nvtx/download "$1" \
        >/dev/null 2>&1 || return 1
    rm -rf ".cache/nvtx/$1"
    python3 - "$1" <<'EOF'
import pathlib, shutil, sys, zipfile
name = sys.argv[1]
wheel, = pathlib.Path('.cache/nvtx/download').glob(name.replace('-', '_') + '-*.whl')
work = pathlib.Path('.cache/nvtx/unpacked')
zipfile.ZipFile(wheel).extractall(work)
header, = (h for h in work.rglob('nvToolsExt.h') if h.parent.name == 'nvtx3')
shutil.move(header.parent.parent, pathlib.Path('.cache/nvtx') / name)
shutil.rmtree(work)
EOF
}

# pypi_package PACKAGE [OPTION...]: install a PyPI package to .cache/pypi/PACKAGE, for tests alone.
pypi_package() {
    [ -d ".cache/pypi/$1" ] && return
    python3 -m pip --version >/dev/null 2>&1 || need_packages python3-pip
    rm -rf .cache/pypi/new
    if python3 -m pip install -q --disable-pip-version-check --root-user-action ignore \
        --target .cache/pypi/new "$@" >/dev/null 2>&1; then
        mv .cache/pypi/new ".cache/pypi/$1"
    else
        echo "setup: $1 is not to be had from PyPI; what needs it is not tested"
    fi
}

# need_nvtx: NVTX headers that meson.build finds. There already: pkg-config, a CUDA toolkit; else the
# pinned wrap; else the wheel nvidia-nvtx from PyPI.
need_nvtx() {
    pkg-config --exists nvtx3 && return
    for root in "$CUDA_PATH" "$CUDA_HOME" /usr/local/cuda /opt/cuda /usr; do
        [ -n "$root" ] && [ -e "$root/include/nvtx3/nvToolsExt.h" ] && return
    done
    nvcc=$(command -v nvcc) &&
        [ -e "$(dirname "$(readlink -f "$nvcc")")/../include/nvtx3/nvToolsExt.h" ] && return
    [ -e subprojects/nvtx3/c/include/nvtx3/nvToolsExt.h ] && return
    if [ ! -e .cache/nvtx/nvidia-nvtx ]; then
        echo "setup: fetching the NVTX headers (subprojects/nvtx3.wrap, or nvidia-nvtx from PyPI)"
        need_packages git ca-certificates
        timeout 60 meson subprojects download nvtx3 >/dev/null 2>&1 &&
            [ -e subprojects/nvtx3/c/include/nvtx3/nvToolsExt.h ] && return
        rm -rf subprojects/nvtx3
        nvtx_wheel nvidia-nvtx || {
            echo "setup: no NVTX headers: neither the wrap's repository nor PyPI can be reached." >&2
            echo "setup: install a CUDA toolkit, or NVTX with a pkg-config file nvtx3.pc." >&2
            exit 1
        }
    fi
    mkdir -p .cache/pkgconfig
    cat >.cache/pkgconfig/nvtx3.pc <<EOF
includedir=$PWD/.cache/nvtx/nvidia-nvtx
Name: nvtx3
Description: NVTX headers, from the PyPI wheel nvidia-nvtx
Version: 3
Cflags: -isystem \${includedir}
EOF
    PKG_CONFIG_PATH=$PWD/.cache/pkgconfig${PKG_CONFIG_PATH:+:$PKG_CONFIG_PATH}
    export PKG_CONFIG_PATH
}

# configure DIRECTORY [OPTION...]: set up a build directory, or use the one there is.
configure() {
    directory=$1
    shift
    if [ -e "$directory/build.ninja" ]; then
        meson configure "$directory" "$@" >/dev/null
    else
        meson setup "$directory" "$@" >"$directory.log" 2>&1 || {
            cat "$directory.log"
            exit 1
        }
    fi
}
