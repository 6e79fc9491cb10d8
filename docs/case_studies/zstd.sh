#!/bin/sh
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# zstd.sh [SOURCE]: the case study zstd.md, again. Annotates zstd 1.5.6, from SOURCE or from its own repository, with six scopes, and records
# it in the folder zstd. Needs nvtxh installed, git, make and a compiler.
set -eu
mkdir -p zstd
cd zstd
if [ ! -d source ]; then
    git -c advice.detachedHead=false clone -q --branch v1.5.6 "${1:-https://github.com/facebook/zstd}" source
    # scope FILE FUNCTION NAME: a scope from the beginning of a function's body.
    scope() {
        perl -0pi -e "s/(\\n[^\\n;]*\\b$2\\([^;{]*\\)\\s*)\\{/\\1\\{ NVTX_SCOPE(\"$3\");/" "source/$1"
        grep -q '#include "nvtxh.h"' "source/$1" || sed -i '1i #include "nvtxh.h"' "source/$1"
        grep -q "NVTX_SCOPE(\"$3\")" "source/$1" || { echo "zstd.sh: no $2 in $1" >&2; exit 1; }
    }
    scope programs/fileio.c FIO_compressFilename_internal file
    scope programs/fileio_asyncio.c AIO_ReadPool_executeReadJob read
    scope programs/fileio_asyncio.c AIO_WritePool_executeWriteJob write
    scope lib/compress/zstd_compress.c ZSTD_buildSeqStore matches
    scope lib/compress/zstd_compress.c ZSTD_entropyCompressSeqStore entropy
    sed -i 's/^ *XXH64_update(&cctx->xxhState, src, srcSize);/NVTXH_BLOCK("checksum") { & }/' source/lib/compress/zstd_compress.c
    make -s -C source/programs -j"$(nproc)" zstd-compress ZSTD_LEGACY_SUPPORT=0 MOREFLAGS="$(pkg-config --cflags nvtxh)" >make.log 2>&1 ||
        { tail make.log >&2; exit 1; }
fi
zstd=source/programs/zstd-compress
for copy in 1 2 3 4 5 6; do git -C source archive HEAD; done >corpus # 53 MB
for i in 1 2 3 4 5; do
    nvtxh record -f -q -o "check$i.nvtxh" -- $zstd -q -1 --single-thread -f corpus -o corpus.zst
    nvtxh record -f -q -o "none$i.nvtxh" -- $zstd -q -1 --single-thread --no-check -f corpus -o corpus.zst
done
cd ..
nvtxh tree zstd/check2.nvtxh
nvtxh stats --columns name,instances,med,avg,p99,total zstd/check2.nvtxh
nvtxh diff --columns range,change,med_a,med_b,verdict zstd/check?.nvtxh -- zstd/none?.nvtxh
nvtxh view -f --no-open -o zstd/check.html zstd/check2.nvtxh # the flame graph
