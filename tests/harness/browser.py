# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A headless Chromium: opens a page, as a person would, asks it questions, presses its keys.

It is driven by its debugging protocol over a pipe; nothing but Python's own library is needed.
"""
import base64
import functools
import http.server
import json
import os
import select
import shutil
import subprocess
import tempfile
import threading
import time

from harness.checks import skip


def find():
    """The browser that is installed."""
    return (shutil.which('chromium') or shutil.which('chromium-browser') or shutil.which('google-chrome')
            or skip('no Chromium is installed'))


class Browser:
    """with Browser() as browser: browser.open(url); browser.evaluate(expression)"""

    def __init__(self, seconds=280, size=(1280, 800)):
        chromium = find()
        self.until = time.monotonic() + seconds
        self.number = 0
        self.buffer = b''
        self.session = None
        self.events = []  # [(method, parameters)] of the page, in order
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
             '--disable-background-networking', '--disable-extensions', '--remote-debugging-pipe', '--hide-scrollbars',
             f'--window-size={size[0]},{size[1]}', '--user-data-dir=' + self.profile, 'about:blank'],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            preexec_fn=pipes, close_fds=False)
        os.close(to_browser)
        os.close(from_browser)
        target = self.call('Target.createTarget', url='about:blank')['targetId']
        self.session = self.call('Target.attachToTarget', targetId=target, flatten=True)['sessionId']
        self.page('Page.enable')
        self.page('Emulation.setDeviceMetricsOverride', width=size[0], height=size[1], deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.answers)
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
            if 'method' in answer and answer.get('sessionId') == self.session:
                self.events.append((answer['method'], answer['params']))
            if answer.get('id') == self.number:
                if 'error' in answer:
                    raise RuntimeError(f'{method}: {answer["error"]}')
                return answer['result']

    def page(self, method, **parameters):
        """A call to the page."""
        return self.call(method, session=True, **parameters)

    def open(self, url):
        self.page('Page.navigate', url=url)

    def evaluate(self, expression):
        # A page that is just being loaded loses what it was asked.
        while True:
            try:
                result = self.page('Runtime.evaluate', expression=expression, awaitPromise=True, returnByValue=True)
            except RuntimeError as error:
                if 'context' not in str(error) and 'navigat' not in str(error):
                    raise
                continue
            if 'exceptionDetails' in result:
                raise RuntimeError(str(result['exceptionDetails']))
            return result['result'].get('value')

    def settled(self, condition):
        """Waits until that is so in the page."""
        self.evaluate('new Promise(resolve => { const look = () => { if (%s) resolve(true); else setTimeout(look, 50); }; look(); })'
                      % condition)

    def mouse(self, kind, x, y, **options):
        """kind: Moved, Pressed, Released or Wheel."""
        self.page('Input.dispatchMouseEvent', type='mouse' + kind, x=x, y=y, **options)

    def drag(self, points, modifiers=0):
        """The left button, from point to point. modifiers: 8 is Shift."""
        self.mouse('Moved', *points[0])
        self.mouse('Pressed', *points[0], button='left', buttons=1, clickCount=1, modifiers=modifiers)
        for point in points[1:]:
            self.mouse('Moved', *point, button='left', buttons=1, modifiers=modifiers)
        self.mouse('Released', *points[-1], button='left', clickCount=1, modifiers=modifiers)

    def key(self, key, modifiers=0):
        text = {'text': key} if len(key) == 1 else {'text': '\r'} if key == 'Enter' else {}
        for kind in ('keyDown', 'keyUp'):
            self.page('Input.dispatchKeyEvent', type=kind, key=key, modifiers=modifiers, **(text if kind == 'keyDown' else {}))

    def screenshot(self, path, width, height):
        """The upper left part of the page."""
        clip = {'x': 0, 'y': 0, 'width': width, 'height': height, 'scale': 1}
        with open(path, 'wb') as f:
            f.write(base64.b64decode(self.page('Page.captureScreenshot', format='png', clip=clip)['data']))


class Files(http.server.SimpleHTTPRequestHandler):
    """Serves the files of a folder, and the file `data` at /data."""
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, '.wasm': 'application/wasm'}

    def __init__(self, *arguments, data, **options):
        self.data = data
        super().__init__(*arguments, **options)

    def translate_path(self, path):
        return str(self.data) if path == '/data' else super().translate_path(path)

    def log_message(self, *arguments):
        pass


class Viewer(Browser):
    """A browser with a viewer whose files are in FOLDER. The file DATA, which it is to show, is at /data. PAGE is the path of
    the page on the server; {} in it stands for the server's address."""

    def __init__(self, folder, data, page, seconds=280):
        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Files, directory=str(folder), data=data))
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        super().__init__(seconds)
        address = f'http://127.0.0.1:{self.server.server_port}'
        self.open(f'{address}/{page.format(address)}')

    def __exit__(self, *_):
        super().__exit__()
        self.server.shutdown()
