# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hooks for MkDocs: README.md is the front page, the reference is made of the headers (reference.py) and of the command
(commands.py), and each file of the repository that a page links to becomes a page, so that the site needs no forge. The Markdown itself
has links that work on a forge; where it links to a public header, the site has the header's page of the reference."""
import os
import pathlib
import posixpath
import re
import sys

from mkdocs.structure.files import File, InclusionLevel

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
import commands  # noqa: E402
import headers  # noqa: E402
import reference  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
DOCS = ROOT / 'docs'
LINK = re.compile(r'\]\(([^)#:\s]+)(#[^)]*)?\)')
LANGUAGES = {'.c': 'c', '.h': 'c', '.cpp': 'cpp', '.cu': 'cpp', '.py': 'python', '.sh': 'sh', '.json': 'json'}


def of_mkdocs(path):
    """Whether MkDocs itself puts a file into the site: pages and pictures, not programs."""
    return path.is_relative_to(DOCS) and path.suffix not in LANGUAGES


def place(path):
    """Where a file of the repository is in the site."""
    if path == ROOT / 'README.md':
        return 'index.md'
    if of_mkdocs(path):
        return path.relative_to(DOCS).as_posix()
    name = 'source/' + path.relative_to(ROOT).as_posix()
    return name if path.suffix == '.md' else name + '.md'


def linked(text, origin):
    """The files of the repository that a text links to."""
    paths = ((origin.parent / link[1]).resolve() for link in LINK.finditer(text))
    return {path for path in paths if path.exists() and path.is_relative_to(ROOT)}


def moved(text, origin):
    """The text of a page, with links as they are in the site."""
    def link(match):
        path = (origin.parent / match[1]).resolve()
        if not path.exists() or not path.is_relative_to(ROOT):
            return match[0]
        name = path.relative_to(ROOT).as_posix()
        there = reference.place(name) if name in headers.HEADERS else place(path)
        if there == place(origin):  # a header's page, which links to the header itself
            there = place(path)
        target = posixpath.relpath(there, posixpath.dirname(place(origin)) or '.')
        return f']({target}{match[2] or ""})'
    return LINK.sub(link, text)


def page_of(path):
    """A file, or a folder's list of files, as Markdown."""
    name = path.relative_to(ROOT).as_posix()
    if path.is_dir():
        inside = sorted(p.name for p in path.iterdir() if p.is_file() and p.suffix in LANGUAGES)
        return f'# {name}\n\n' + '\n'.join(f'- [{file}]({path.name}/{file})' for file in inside), path
    text = path.read_text()
    if path.suffix == '.md':
        return text, path
    return f'# {name}\n\n`````{LANGUAGES.get(path.suffix, "text")}\n{text}\n`````\n', None


def on_files(files, config):
    made = {**reference.pages(), **commands.pages(pathlib.Path(os.environ.get('NVTXH_BUILD', ROOT / 'build')).resolve())}
    todo = {ROOT / 'README.md'} | {path for page in DOCS.rglob('*.md') for path in linked(page.read_text(), page)}
    todo |= {path for page, text in made.items() for path in linked(text, DOCS / page)}
    done = set()
    while todo - done:
        path = min(todo - done)
        done.add(path)
        if of_mkdocs(path):
            continue
        text, origin = page_of(path)
        if origin:
            todo |= linked(text, origin)
            text = moved(text, origin)
        shown = InclusionLevel.UNDEFINED if path == ROOT / 'README.md' else InclusionLevel.NOT_IN_NAV
        files.append(File.generated(config, place(path), content=text, inclusion=shown))
    for page, text in made.items():
        files.append(File.generated(config, page, content=moved(text, DOCS / page)))
    return files


def on_page_markdown(markdown, page, **_):
    return markdown if page.file.generated_by else moved(markdown, DOCS / page.file.src_uri)
