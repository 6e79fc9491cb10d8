# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""release.py SOURCE: one command makes the release, the same bytes in another clone, time zone and umask; it refuses versions that
differ, a CHANGELOG that is open, and what is not committed."""
import os
import pathlib
import sys
import tarfile
import tempfile

from harness.checks import need, require, skip
from harness.toolchain import output as run


def main():
    need('git', 'gzip', 'sha256sum')
    source = pathlib.Path(sys.argv[1])
    if not (source / '.git').exists():
        skip('this is no git checkout')
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        clones = [folder / 'one', folder / 'another']
        for clone in clones:
            run('git', '-c', f'safe.directory={source}', 'clone', '-q', source, clone)
        made = [run('sh', '.ci/release', '--rehearsal', folder / 'first', cwd=clones[0])]
        os.umask(0o077)
        made += [run('sh', '.ci/release', '--rehearsal', folder / 'second', cwd=clones[1], env={'TZ': 'Asia/Tokyo', 'LC_ALL': 'C'})]
        require(made[0] == made[1], 'the same bytes twice', made)
        tarball, = (folder / 'first').glob('*.tar.gz')
        files = {'nvtxh_single.h', 'nvtxh_device_single.h', 'SHA256SUMS', tarball.name}
        require({file.name for file in (folder / 'first').iterdir()} == files, 'the files of a release')
        require((folder / 'first' / 'SHA256SUMS').read_text() == made[0], 'the hashes', made)
        run('sha256sum', '-c', 'SHA256SUMS', cwd=folder / 'first')
        with tarfile.open(tarball) as tar:
            names = [member.name for member in tar]
            modes = {oct(member.mode) for member in tar}
        top = tarball.name.removesuffix('.tar.gz')
        require({n.split('/')[0] for n in names} == {top}, 'all in one folder', names[:5])
        for file in 'LICENSE', 'CHANGELOG.md', 'CMakeLists.txt', 'meson.build', 'nvtxh.h', 'subprojects/nvtx3.wrap':
            require(f'{top}/{file}' in names, f'{file} is in it')
        require(modes <= {'0o644', '0o755', '0o775', '0o777'}, 'modes are not those of a user', modes)

        clone, version = clones[0], top.split('-')[1]
        run('git', 'config', 'user.email', 'test@localhost', cwd=clone)
        run('git', 'config', 'user.name', 'test', cwd=clone)
        changelog = clone / 'CHANGELOG.md'
        text = changelog.read_text()
        heading = next(line for line in text.splitlines() if line.startswith('## '))

        def release(heading_now, status, words):
            changelog.write_text(text.replace(heading, heading_now, 1))
            run('git', 'commit', '-q', '--allow-empty', '-am', 'changed', cwd=clone)
            said = run('sh', '.ci/release', folder / 'third', cwd=clone, status=status)
            require(words in said, f'{heading_now}: {words}', said)

        release(f'## {version}, not yet released', 1, 'not yet released')
        release('## 99.0.0, 2026-01-01', 1, 'not with version')
        release(f'## {version}, 2026-01-01', 0, tarball.name)
        (clone / 'new').write_text('')
        require('not committed' in run('sh', '.ci/release', cwd=clone, status=1), 'refuses what is not committed')
        (clone / 'new').unlink()
        meson = clone / 'meson.build'
        meson.write_text(meson.read_text().replace(f"version: '{version}'", "version: '9.9.9'", 1))
        require('differ' in run('sh', '.ci/release', '--rehearsal', cwd=clone, status=1), 'refuses two versions')
    print(f'{tarball.name}: {made[0].split()[0]}')


if __name__ == '__main__':
    sys.exit(main())
