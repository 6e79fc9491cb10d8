# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""setup.py SOURCE: tests/summary.py counts what has run; tests/setup.sh says what is missing, installs it at once, and says what went wrong, and what to do about it. It
runs in a folder whose name has blanks."""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

# A system that has nothing but these commands. What apt-get, apt-cache and sudo are called with is in the file calls.
COMMANDS = ['sh', 'cat', 'env', 'expr', 'grep', 'mkdir', 'rm', 'sed', 'tail', 'cp']
FAKES = {
    'id': 'echo ${FAKE_USER:-0}',
    'apt-get': r'''case "$*" in
*--version*) exit ;;
esac
echo "${*#-q -o DPkg::Lock::Timeout=300 }" >>calls
case "$*" in
*--assume-no*) echo 'Need to get 12.3 MB of archives.' ;;
*"${FAKE_FAILS:-nothing}"*) echo 'E: broken'; exit 100 ;;
*' install -y '*) for word in "$@"; do echo "$word" >>there; done ;;
esac''',
    'dpkg-query': 'for package in "$@"; do :; done; grep -qsx "$package" there && echo installed',
    'apt-cache': 'case $2 in *unknown*) echo "  Candidate: (none)" ;; *) echo "  Candidate: 1" ;; esac',
}
SUDO = {'sudo': 'echo sudo >>calls; [ -z "$FAKE_REFUSED" ] && exec "$@"'}
EVERYTHING = 'need_packages gcc meson -- libelf-dev unknown-a; need_packages -- libelf-dev unknown-a; '


def calls(packages):
    """The calls of apt-get that install packages: one that only looks for their size, and one that installs."""
    return ['update', *(f'install {how} --no-install-recommends {packages}' for how in ('--assume-no', '-y'))]


LACKING = ['setup: missing: gcc meson libelf-dev', 'Ask an administrator', '\n    apt-get install --no-install-recommends gcc meson libelf-dev\n',
           'pip install meson ninja', 'cannot be built without gcc meson; the others are optional']
# What is run: (status, words that it prints, calls, what is set, what sudo is).
BARE = {
    'root': (EVERYTHING, 0, ['setup: missing: gcc meson libelf-dev unknown-a\n', 'apt has no unknown-a', 'with apt-get, 12.3 MB to download\n'],
             calls('gcc meson libelf-dev'), {}, {}),
    'sudo': ('need_packages gcc', 0, ['missing: gcc\n'], ['sudo', *(c for call in calls('gcc') for c in ('sudo', call))],
             {'FAKE_USER': '1000'}, SUDO),
    'sudo refused': ('need_packages gcc meson -- libelf-dev', 1, LACKING, ['sudo'], {'FAKE_USER': '1000', 'FAKE_REFUSED': '1'}, SUDO),
    'no sudo': ('need_packages gcc meson -- libelf-dev', 1, LACKING, [], {'FAKE_USER': '1000'}, {}),
    'optional': ('need_packages -- libelf-dev; echo again; need_packages -- libelf-dev; echo built', 0,
                 ['missing: libelf-dev\n', 'install --no-install-recommends libelf-dev\n', 'going on without', 'again\nbuilt\n'], [],
                 {'FAKE_USER': '1000'}, {}),
    'update fails': ('need_packages gcc', 0, ['E: broken', 'apt-get update failed', 'installing'], calls('gcc'),
                     {'FAKE_FAILS': 'update'}, {}),
    'install fails': ('need_packages -- libelf-dev', 1, ['E: broken', 'apt-get failed', 'http_proxy'], calls('libelf-dev'),
                      {'FAKE_FAILS': 'install -y'}, {}),
    'all there': ('printf "gcc\\nlibelf-dev\\n" >there; need_packages gcc -- libelf-dev', 0, [], [], {}, {}),
    'by another way': ('printf "exit 0" >bin/ninja; chmod +x bin/ninja; need_packages ninja-build', 0, [], [], {}, {}),
    'no apt-get': ('rm bin/apt-get; need_packages gcc', 1, ['no apt-get here', "Debian's packages", 'without gcc\n'], [], {}, {}),
}


def system(folder, fakes):
    """A folder of commands that has only the fakes and a few real ones."""
    bin_ = folder / 'bin'
    bin_.mkdir()
    for name in [*COMMANDS, 'chmod']:
        (bin_ / name).symlink_to(shutil.which(name))
    for name, text in fakes.items():
        (bin_ / name).write_text(f'#!/bin/sh\n{text}\n')
        (bin_ / name).chmod(0o755)
    return bin_


def run(folder, commands, env):
    return subprocess.run(['/bin/sh', '-euc', f'. ./setup.sh; {commands}'], cwd=folder, env=env, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT)


def bare(folder, case):
    commands, status, words, wanted, variables, fakes = case
    path = system(folder, {**FAKES, **fakes})
    done = run(folder, commands, {'PATH': str(path), 'FAKE_USER': '', 'FAKE_REFUSED': '', **variables})
    log = folder / 'calls'
    made = log.read_text().splitlines() if log.exists() else []
    return done, status, words, [] if made == wanted else [f'calls {made}, wanted {wanted}']


def offline(folder, case):
    """On this system, with a network where nothing answers."""
    commands, status, words = case
    env = {k: v for k, v in os.environ.items() if not k.startswith(('PIP_', 'CUDA_'))}
    env.update(PIP_INDEX_URL='http://127.0.0.1:9/', PIP_RETRIES='1', PIP_CONFIG_FILE='/dev/null', CUDA_PATH='', CUDA_HOME='')
    return run(folder, commands, env), status, words, []


# carquet's sources are not laid anew, which would have them built again; an edited file is.
TWICE = '''
mkdir -p .cache/carquet subprojects/packagefiles/carquet; echo a >.cache/carquet/a.c; echo b >subprojects/packagefiles/carquet/meson.build
has() { :; }; need_carquet
touch -d 2001-01-01 .cache/carquet/a.c subprojects/packagefiles/carquet/meson.build; touch -d 2002-01-01 subprojects/carquet/*
need_carquet; [ "$(find subprojects/carquet -newermt 2003-01-01 -type f)" = '' ]
echo c >subprojects/packagefiles/carquet/meson.build; need_carquet; cat subprojects/carquet/meson.build'''
# A build folder is configured once, and again with other options or after something has been installed.
CONFIGURED = '''
meson() { echo "meson $*" >&3; touch build/build.ninja; }; exec 3>&1; mkdir build
configure build -Da=1; configure build -Da=1; configure build -Da=2; installed=yes; configure build -Da=2'''
OFFLINE = {
    'pypi_package nvtx --no-deps': (0, ['onnection', 'PIP_INDEX_URL', 'no nvtx from PyPI']),
    'nvtx_wheel nvidia-nvtx || exit 3': (3, ['onnection', 'PIP_INDEX_URL']),
    'mkdir .cache; quietly sh -c "echo why; exit 1" || exit 3': (3, ['why']),
    'mkdir .cache; quietly echo noise': (0, []),
    TWICE: (0, ['c\n']),
    CONFIGURED: (0, ['meson setup build -Da=1\nmeson setup --reconfigure build -Da=2\nmeson setup --reconfigure build -Da=2\n']),
}


def summary(script, folder):
    """What is wrong with the sums of a run, in which some tests failed, and of the same tests alone."""
    def says(*arguments):
        return subprocess.run([sys.executable, script, *arguments], cwd=folder, text=True, capture_output=True).stdout

    logs = folder / 'build' / 'meson-logs'
    logs.mkdir(parents=True)
    got = [says('build')]
    for log, results in (('run', {'ok': 'OK', 'no': 'SKIP', 'once': 'FAIL', 'twice': 'TIMEOUT'}), ('again', {'once': 'OK', 'twice': 'FAIL'}),
                         ('run', {f'test {i}': 'ERROR' for i in range(11)})):
        (logs / f'{log}-all.json').write_text(''.join(
            json.dumps({'name': f'nvtxh:a+fast / a/{test}', 'result': result}) + '\n' for test, result in results.items()))
        got += [says('build'), says('--failed', 'build')]
    failed = 'a/once\na/twice\n'
    wanted = ['0 passed, 1 failed, 0 skipped\n', '1 passed, 2 failed, 1 skipped\n', failed,
              'a/once failed beside other tests and passed alone: it must not\n2 passed, 1 failed, 1 skipped\n', failed,
              '0 passed, 11 failed, 0 skipped\n', '\n']  # too many to run them again
    return [] if got == wanted else [f'summary: {got}, wanted {wanted}']


def main():
    script = pathlib.Path(sys.argv[1], 'tests', 'setup.sh')
    cases = [(bare, name, case) for name, case in BARE.items()] + [(offline, name, (name, *case)) for name, case in OFFLINE.items()]
    with tempfile.TemporaryDirectory() as folder:
        wrong = summary(script.with_name('summary.py'), pathlib.Path(folder))
    print(*wrong, sep='\n')
    broken = len(wrong)
    for kind, name, case in cases:
        with tempfile.TemporaryDirectory(prefix='a b ') as folder:
            shutil.copy(script, folder)
            done, status, words, wrong = kind(pathlib.Path(folder), case)
            wrong += [f'without {word!r}' for word in words if word not in done.stdout]
            if done.returncode != status or wrong or (not words and done.stdout):
                print(f'BROKEN: {name}: status {done.returncode}, {wrong}:\n{done.stdout}')
                broken += 1
    print(f'{len(cases)} cases, {broken} broken')
    return broken != 0


if __name__ == '__main__':
    sys.exit(main())
