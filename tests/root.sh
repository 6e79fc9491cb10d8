#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# root.sh make SUITE ROOT: a bare Debian SUITE (bookworm, trixie) in the folder ROOT, with this machine's package source,
#     certificates and network settings. As root; needs debootstrap.
# root.sh run ROOT [FOLDER] -- COMMAND...: run COMMAND there. FOLDER is mounted at the same path inside for that time, and is
#     the working directory. /proc, /dev and /sys are there, too.
# The mounts are in a mount namespace of their own: they end with the command, so ROOT can always be removed.
set -eu

make_root() {
    suite=$1
    root=$2
    [ ! -e "$root/etc/apt/ready" ] || return 0
    # The package source is the one this machine uses.
    mirror=$(cat /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources 2>/dev/null |
        sed -n -E 's/^(URIs:|deb) *(\[[^]]*\] *)?(http[^ ]*\/debian)\/?( .*)?$/\3/p' | head -n 1)
    [ -n "$mirror" ] || { echo "root.sh: no Debian package source in /etc/apt" >&2; exit 1; }
    case $root in /*) ;; *) root=$PWD/$root ;; esac
    mkdir -p "$root"
    debootstrap --variant=minbase --include=ca-certificates "$suite" "$root" "$mirror" >"$root.log" 2>&1 ||
        { tail -n 20 "$root.log"; exit 1; }
    rm -f "$root/etc/apt/sources.list"
    cat >"$root/etc/apt/sources.list.d/debian.sources" <<END
Types: deb
URIs: $mirror
Suites: $suite
Components: main
Signed-By: /usr/share/keyrings/debian-archive-keyring.gpg
END
    printf 'Acquire::Languages "none";\nAcquire::Check-Valid-Until "false";\nAcquire::Check-Date "false";\n' \
        >"$root/etc/apt/apt.conf.d/90root"
    for file in /etc/resolv.conf /etc/hosts /etc/pip.conf /etc/ssl/certs/ca-certificates.crt; do
        [ ! -e "$file" ] || cp -L "$file" "$root$file"
    done
    : >"$root/etc/apt/ready"
}

run_in_root() {
    root=$1
    shift
    folder=
    [ "$1" = -- ] || { folder=$1; shift; }
    shift
    [ -z "$folder" ] || mkdir -p "$root$folder"
    # shellcheck disable=SC2016
    exec unshare --mount --propagation private sh -eu -c '
        root=$1
        folder=$2
        shift 2
        for mount in proc dev sys; do mount --rbind "/$mount" "$root/$mount"; done
        [ -z "$folder" ] || mount --bind "$folder" "$root$folder"
        exec chroot "$root" env -u CC -u CXX -u PKG_CONFIG_PATH -u CCACHE_DIR -u CUDA_PATH -u CUDA_HOME \
            PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 \
            sh -c "cd \"\$1\" && shift && exec \"\$@\"" sh "${folder:-/}" "$@"' sh "$root" "$folder" "$@"
}

case ${1-} in
make) make_root "$2" "$3" ;;
run) shift && run_in_root "$@" ;;
*) sed -n '3,7s/^# //p' "$0"; exit 2 ;;
esac
