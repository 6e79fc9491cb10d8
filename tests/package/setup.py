# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""setup.py SOURCE: tests/setup.sh says what went wrong, and what to do about it."""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile


def main():
    script = pathlib.Path(sys.argv[1], 'tests', 'setup.sh')
    # A network where nothing answers.
    away = {k: v for k, v in os.environ.items() if not k.startswith(('PIP_', 'CUDA_'))}
    away.update(PIP_INDEX_URL='http://127.0.0.1:9/', PIP_RETRIES='1', PIP_CONFIG_FILE='/dev/null', CUDA_PATH='', CUDA_HOME='')
    cases = {
        'pypi_package nvtx --no-deps': (0, ['onnection', 'PIP_INDEX_URL', 'no nvtx from PyPI']),
        'nvtx_wheel nvidia-nvtx || exit 3': (3, ['onnection', 'PIP_INDEX_URL']),
        'PATH=/nonexistent; need_packages gcc meson': (0, ['no apt-get here', 'gcc meson']),
        'mkdir .cache; quietly sh -c "echo why; exit 1" || exit 3': (3, ['why']),
        'mkdir .cache; quietly echo noise': (0, []),
    }
    broken = 0
    for commands, (status, words) in cases.items():
        with tempfile.TemporaryDirectory() as folder:
            shutil.copy(script, folder)
            done = subprocess.run(['sh', '-euc', f'. ./setup.sh; {commands}'], cwd=folder, env=away, text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            missing = [word for word in words if word not in done.stdout]
            if done.returncode != status or missing or (not words and done.stdout):
                print(f'BROKEN: {commands}: status {done.returncode}, without {missing}:\n{done.stdout}')
                broken += 1
    print(f'{len(cases)} cases, {broken} broken')
    return broken != 0


if __name__ == '__main__':
    sys.exit(main())
