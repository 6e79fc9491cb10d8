# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""speedscope in a headless Chromium: opens a profile, as a person would, and reads its tables."""
import functools
import http.server
import pathlib
import threading

import chromium

ROWS = """[...document.querySelectorAll('tr')].map(row => [...row.querySelectorAll('td')].map(cell => cell.innerText.trim()))
    .filter(cells => cells.length > 2)"""
SETTLED = """new Promise(resolve => {
    const look = () => { if (%s) resolve(true); else setTimeout(look, 50); };
    look();
})"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """speedscope's files, and the profile at /profile."""

    def __init__(self, *arguments, profile, **options):
        self.profile = profile
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        return str(self.profile) if path == '/profile' else super().translate_path(path)

    def log_message(self, *arguments):
        pass


class Browser(chromium.Browser):
    """with Browser(...) as ui: ui.title(); ui.table()"""

    def __init__(self, program, page, profile, seconds=60):
        handler = functools.partial(Handler, directory=str(page), profile=pathlib.Path(profile))
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        super().__init__(program, seconds)
        self.page('Runtime.enable')
        self.open(f'http://127.0.0.1:{self.server.server_port}/#profileURL=/profile')
        self.evaluate(SETTLED % "document.title !== 'speedscope' && document.title.includes('speedscope')")

    def __exit__(self, *_):
        super().__exit__()
        self.server.shutdown()

    def title(self):
        return self.evaluate('document.title')

    def table(self):
        """{frame: (total, self)} of the profile that is shown, as speedscope prints them."""
        self.key('3')
        self.evaluate(SETTLED % "document.body.innerText.includes('Symbol Name')")
        return {cells[2]: (cells[0].split()[0], cells[1].split()[0]) for cells in self.evaluate(ROWS)}

    def next_profile(self):
        self.key('n')
