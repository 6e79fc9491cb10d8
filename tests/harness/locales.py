# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Locales that need not be installed: they are made of the C library's sources."""
import pathlib
import subprocess

from harness.checks import need, skip

COMMA = 'de_DE'  # 1,5 is a number, and 1.5 is not
TURKISH = 'tr_TR'  # the small letter of I is not i


def made(folder, name=COMMA):
    """The variables with which a program is in the locale NAME, which is made in FOLDER."""
    need('localedef')
    path = pathlib.Path(folder) / f'{name}.UTF-8'
    done = subprocess.run(['localedef', '--no-archive', '-i', name, '-f', 'UTF-8', path], capture_output=True, text=True)
    if not (path / 'LC_NUMERIC').is_file():
        skip(f'no locale {name} can be made: {done.stderr}')
    return {'LOCPATH': str(folder), 'LC_ALL': path.name, 'LANGUAGE': 'C'}
