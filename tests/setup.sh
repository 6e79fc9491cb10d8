# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What the README's two commands share: install what is missing, and say so first. Sourced by
# examples/run.sh and tests/run.sh, with the working directory at the project's root.
# For Debian 12 and 13 and Ubuntu 24.04; as root, or with sudo. Without either, and where there is no apt-get, it names what is needed.

export PATH # after `env -i` the shell has one, and commands would not

# What was missing and could not be installed; it is named once.
without=
# Has anything been installed or fetched? Then a build directory that is there is configured anew.
installed=

# clean_environment SCRIPT [ARGUMENT...]: runs SCRIPT once more, with no variables but these. A test that passes because of
# something in one person's environment fails on another machine.
clean_environment() {
    [ -z "${NVTXH_TEST_CLEAN-}" ] || return 0
    set -- sh "$@"
    for name in PATH HOME TMPDIR CC CXX CUDA_PATH CUDA_HOME PKG_CONFIG_PATH http_proxy https_proxy no_proxy HTTP_PROXY \
        HTTPS_PROXY NO_PROXY PIP_INDEX_URL PIP_CERT SSL_CERT_FILE; do
        eval "value=\${$name-}"
        [ -z "$value" ] || set -- "$name=$value" "$@"
    done
    exec env -i NVTXH_TEST_CLEAN=1 "$@"
}

as_root() {
    if [ "$(id -u)" = 0 ]; then "$@"; else sudo "$@"; fi
}

# sudo leaves out the environment: the proxy is given to apt-get with it.
apt_get() {
    as_root env LC_ALL=C DEBIAN_FRONTEND=noninteractive ${http_proxy:+http_proxy="$http_proxy"} \
        ${https_proxy:+https_proxy="$https_proxy"} apt-get -q -o DPkg::Lock::Timeout=300 "$@"
}

# quietly COMMAND...: what it prints is shown only if it fails.
quietly() {
    mkdir -p .cache
    "$@" >.cache/setup.log 2>&1 && return
    tail -n 15 .cache/setup.log >&2
    return 1
}

# has PACKAGE: is the Debian package here, or what it is installed for?
has() {
    dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed && return
    case $1 in
    gcc) command -v cc || command -v gcc ;;
    libc6-dev) echo '#include <stdio.h>' | cc -E - || echo '#include <stdio.h>' | gcc -E - ;;
    binutils) command -v ld ;;
    ninja-build) command -v ninja ;;
    python3-pip) python3 -m pip --version ;;
    python3-venv) python3 -c 'import ensurepip' ;;
    protobuf-c-compiler) command -v protoc-c ;;
    zlib1g-dev) pkg-config --exists zlib ;;
    libcmocka-dev | libsqlite3-dev) pkg-config --exists "$(expr "$1" : 'lib\(.*\)-dev')" ;;
    libncurses-dev) pkg-config --exists ncursesw ;;
    lib*-dev) pkg-config --exists "${1%-dev}" ;;
    *) command -v "$1" ;;
    esac >/dev/null 2>&1
}

# need_packages PACKAGE... [-- PACKAGE...]: Debian packages that have to be there, and after -- those that are only good to have. It
# names those that are missing and their size, and installs them, with one `apt-get update` and one `apt-get install`.
need_packages() {
    needed=
    optional=
    list=needed
    for package in "$@"; do
        if [ "$package" = -- ]; then
            list=optional
        elif ! has "$package"; then
            case "$list$without " in
            needed*) needed="$needed $package" ;;
            *" $package "*) ;;
            *) optional="$optional $package" ;;
            esac
        fi
    done
    [ -n "$needed$optional" ] || return 0
    echo "setup: missing:$needed$optional"
    install_packages && return
    without="$without$optional"
    if [ -z "$needed" ]; then
        echo "setup: going on without them; what needs them is neither built nor tested"
        return
    fi
    case "$needed " in *" meson "* | *" ninja-build "*)
        echo "setup: meson and ninja can come from PyPI, too, where Python has venv and pip:"
        echo "    python3 -m venv .cache/tools && .cache/tools/bin/pip install meson ninja && export PATH=\"\$PWD/.cache/tools/bin:\$PATH\""
        ;;
    esac
    echo "setup: stopped, because nvtxh cannot be built without$needed${optional:+; the others are optional}" >&2
    exit 1
}

# install_packages: those in $needed, and of those in $optional what apt has. Ubuntu, for one, has no chromium.
install_packages() {
    if ! command -v apt-get >/dev/null; then
        echo "setup: there is no apt-get here; these are names of Debian's packages"
        return 1
    fi
    if ! { [ "$(id -u)" = 0 ] || command -v sudo >/dev/null; } || ! apt_get --version >/dev/null; then
        echo "setup: you are not root, and sudo cannot be used. Ask an administrator for this:"
        echo "    apt-get install --no-install-recommends$needed$optional"
        return 1
    fi
    quietly apt_get update || echo "setup: apt-get update failed, see above; trying with the lists that are here"
    set --
    for package in $optional; do
        if LC_ALL=C apt-cache policy "$package" | grep -q 'Candidate: [^(]'; then
            set -- "$@" "$package"
        else
            echo "setup: apt has no $package; what needs it is not tested"
            without="$without $package"
        fi
    done
    # shellcheck disable=SC2086
    set -- --no-install-recommends $needed "$@"
    [ $# -gt 1 ] || return 0
    echo "setup: installing them with apt-get$(apt_get install --assume-no "$@" 2>/dev/null |
        sed -n 's/^Need to get \(.*\) of archives.*/, \1 to download/p')"
    quietly apt_get install -y "$@" && installed=yes && return
    echo "setup: apt-get failed, see above. Is the network there (a proxy: http_proxy)? Or install those by hand." >&2
    exit 1
}

# pip ARGUMENT...: if it fails, what it said, and what to do.
pip() {
    need_packages -- python3-pip
    quietly python3 -m pip "$@" && installed=yes && return
    echo "setup: pip failed, see above. Behind a proxy: HTTPS_PROXY; a mirror: PIP_INDEX_URL; certificates: PIP_CERT." >&2
    return 1
}

# wheel PACKAGE DIRECTORY FILE: unpack what is beside and below FILE of a PyPI wheel to DIRECTORY.
wheel() {
    [ -e "$2/$3" ] && return
    rm -rf .cache/download
    mkdir -p .cache/download
    pip download -q --no-deps --disable-pip-version-check -d .cache/download "$1" || return 1
    python3 - "$1" "$2" "$3" <<'EOF'
import pathlib, shutil, sys, zipfile
name, target, file = sys.argv[1], pathlib.Path(sys.argv[2]), sys.argv[3]
wheel = max(pathlib.Path('.cache/download').glob(name.replace('-', '_') + '-[0-9]*.whl'))
work = pathlib.Path('.cache/unpacked')
zipfile.ZipFile(wheel).extractall(work)
found, = (f for f in work.rglob(file.split('/')[-1]) if f.as_posix().endswith('/' + file))
shutil.copytree(found.parents[file.count('/')], target, dirs_exist_ok=True)
shutil.rmtree(work)
EOF
}

# nvtx_wheel PACKAGE: the NVTX headers of a PyPI wheel, in .cache/nvtx/PACKAGE.
nvtx_wheel() {
    wheel "$1" ".cache/nvtx/$1" nvtx3/nvToolsExt.h
}

# cuda_wheel PACKAGE: the headers of CUDA's runtime, in .cache/cuda/PACKAGE.
cuda_wheel() {
    wheel "$1" ".cache/cuda/$1" cuda_runtime_api.h &&
        wheel nvidia-cuda-crt ".cache/cuda/$1" crt/host_defines.h
}

# pypi_package PACKAGE [OPTION...]: install a PyPI package to .cache/pypi/PACKAGE, for tests alone.
pypi_package() {
    [ -d ".cache/pypi/$1" ] && return
    rm -rf .cache/pypi/new
    if pip install -q --disable-pip-version-check --root-user-action ignore --target .cache/pypi/new "$@"; then
        mv .cache/pypi/new ".cache/pypi/$1"
    else
        echo "setup: no $1 from PyPI; what needs it is not tested"
    fi
}

# repository_folder NAME URL COMMIT FOLDER: a folder of a public repository as .cache/NAME, for tests alone.
repository_folder() {
    [ -d ".cache/$1" ] && return
    rm -rf .cache/clone
    if quietly timeout 60 git clone -q --filter=blob:none --no-checkout "$2" .cache/clone &&
        quietly git -C .cache/clone checkout -q "$3" -- "$4"; then
        rm -rf .cache/clone/.git
        mkdir -p "$(dirname ".cache/$1")"
        mv "$(readlink -f ".cache/clone/$4")" ".cache/$1" # mv refuses a name that ends in "."
    else
        echo "setup: no $1 from its repository; what needs it is not tested"
    fi
}

# need_nvcc: nvcc, for .cu files. Where no CUDA toolkit is, it and what it compiles with come from PyPI.
need_nvcc() {
    command -v nvcc >/dev/null && return
    for directory in "$CUDA_PATH/bin" "$CUDA_HOME/bin" /usr/local/cuda/bin /opt/cuda/bin \
        "$PWD"/.cache/pypi/nvidia-cuda-nvcc/nvidia/cu*/bin; do
        if [ -x "$directory/nvcc" ]; then
            PATH=$PATH:$directory
            export PATH
            return
        fi
    done
    [ -d .cache/pypi/nvidia-cuda-nvcc ] && return
    echo "setup: fetching nvcc (nvidia-cuda-nvcc from PyPI)"
    pypi_package nvidia-cuda-nvcc
    [ ! -d .cache/pypi/nvidia-cuda-nvcc ] || need_nvcc
}

# need_nvtx: NVTX headers that meson.build finds. There already: pkg-config, a CUDA toolkit; else the
# pinned wrap; else the wheel nvidia-nvtx from PyPI.
need_nvtx() {
    pkg-config --exists nvtx3 2>/dev/null && return
    for root in "$CUDA_PATH" "$CUDA_HOME" /usr/local/cuda /opt/cuda /usr; do
        [ -n "$root" ] && [ -e "$root/include/nvtx3/nvToolsExt.h" ] && return
    done
    nvcc=$(command -v nvcc) &&
        [ -e "$(dirname "$(readlink -f "$nvcc")")/../include/nvtx3/nvToolsExt.h" ] && return
    [ -e subprojects/nvtx3/c/include/nvtx3/nvToolsExt.h ] && return
    [ -e .cache/nvtx/nvidia-nvtx ] && return
    echo "setup: fetching the NVTX headers (subprojects/nvtx3.wrap, or nvidia-nvtx from PyPI)"
    mkdir -p .cache
    timeout 60 meson subprojects download nvtx3 >.cache/wrap.log 2>&1 &&
        [ -e subprojects/nvtx3/c/include/nvtx3/nvToolsExt.h ] && return
    rm -rf subprojects/nvtx3
    nvtx_wheel nvidia-nvtx || {
        tail -n 5 .cache/wrap.log >&2
        echo "setup: no NVTX headers: neither the wrap's repository nor PyPI gave them, see above. Instead you can set" >&2
        echo "setup: CUDA_PATH to a CUDA toolkit, or install NVTX with a pkg-config file nvtx3.pc." >&2
        exit 1
    }
}

# need_carquet: the sources of carquet, which --format parquet is written with, in subprojects/carquet. nvtxh is built without it where
# they cannot be fetched.
need_carquet() {
    if ! pkg-config --exists carquet 2>/dev/null && [ ! -d .cache/carquet ]; then
        echo "setup: fetching carquet (from PyPI)"
        rm -rf .cache/download .cache/unpacked
        mkdir -p .cache/download/scikit_build_core .cache/unpacked
        # pip asks the package's build backend what the package is, and would fetch CMake for that. This backend says it.
        cat >.cache/download/scikit_build_core/build.py <<'EOF'
import pathlib
def prepare_metadata_for_build_wheel(folder, settings=None):
    path = pathlib.Path(folder, 'carquet-0.7.2.dist-info')
    path.mkdir()
    (path / 'METADATA').write_text('Metadata-Version: 2.1\nName: carquet\nVersion: 0.7.2\n')
    return path.name
EOF
        echo "carquet==0.7.2 --hash=sha256:5d57c00217906e672fe8b569d8a24c6cbd6d1ab7736d56057e9b884f1a043e7d" \
            >.cache/download/carquet.txt
        if (
            export PYTHONPATH="$PWD/.cache/download${PYTHONPATH:+:$PYTHONPATH}"
            pip download -q --no-deps --disable-pip-version-check --no-binary carquet --no-build-isolation --require-hashes \
                -r .cache/download/carquet.txt -d .cache/download
        ) && tar -xzf .cache/download/carquet-0.7.2.tar.gz -C .cache/unpacked; then
            mv .cache/unpacked/carquet-0.7.2/native .cache/carquet
            installed=yes
        else
            echo "setup: no carquet from PyPI; nvtxh export --format parquet is not built"
        fi
        rm -rf .cache/unpacked
    fi
    if [ -d .cache/carquet ]; then
        need_packages -- libzstd-dev liblz4-dev zlib1g-dev
        mkdir -p subprojects/carquet
        # Only what is older there: new times would have all of it built again.
        cp -ru .cache/carquet/. subprojects/packagefiles/carquet/. subprojects/carquet/
    fi
}

# configure DIRECTORY [OPTION...]: set up a build directory, or use the one there is; anew if something has been installed, or with other
# options.
configure() {
    directory=$1
    shift
    again=
    if [ -e "$directory/build.ninja" ]; then
        # Meson makes some files again whenever it configures.
        [ -z "$installed" ] && [ "$*" = "$(cat "$directory.options" 2>/dev/null)" ] && return
        again=--reconfigure
    fi
    meson setup $again "$directory" "$@" >"$directory.log" 2>&1 || {
        cat "$directory.log"
        exit 1
    }
    echo "$*" >"$directory.options"
}

# progress: a line of tenths, of what ninja prints.
progress() {
    last=0
    while IFS= read -r line; do
        case $line in
        '['[0-9]*/[0-9]*']'*)
            built=${line#'['}
            all=${built#*/}
            tenths=$((10 * ${built%%/*} / ${all%%']'*}))
            [ $tenths -le $last ] || printf ' %d %%' $((10 * tenths))
            last=$tenths
            ;;
        esac
    done
    echo
}

# build DIRECTORY [TARGET...]: shows how far it is, and all that was printed if it fails.
build() {
    printf 'building in %s:' "$1"
    { ninja -C "$@" 2>&1 && echo built; } | tee "$1.log" | progress
    [ "$(tail -n 1 "$1.log")" = built ] || {
        cat "$1.log"
        exit 1
    }
}
