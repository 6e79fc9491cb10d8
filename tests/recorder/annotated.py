# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A Python program annotated with the package nvtx of PyPI, in all the ways that it has."""
import threading

import nvtx


@nvtx.annotate("decorated", color="green", domain="python")
def decorated(n):
    if n:
        decorated(n - 1)


@nvtx.annotate(message="bare")
def bare():
    raise ValueError


def worker():
    for i in range(50):
        with nvtx.annotate("in a thread", payload=i, domain="python", category="work"):
            pass


decorated(4)
for _ in range(3):
    try:
        bare()
    except ValueError:
        pass
with nvtx.annotate("f\u00fcr alle", color=0x336699, payload=1.5):
    nvtx.push_range("pushed", color="red", domain="python")
    nvtx.mark("marked", color="blue", domain="python", payload=7)
    nvtx.pop_range(domain="python")
crossing = nvtx.start_range("started", domain="python")
threads = [threading.Thread(target=worker) for _ in range(4)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
nvtx.end_range(crossing)
