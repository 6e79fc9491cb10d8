# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What known.c does: {(style, range): how often}."""

KNOWN = {
    ("PushPop", "outer"): 1,
    ("PushPop", "dom:registered"): 7,
    ("PushPop", "w\u00e9\u20ac\U0001f600"): 7,
    ("PushPop", "dynamic 0"): 10,
    ("PushPop", "dynamic 1"): 10,
    ("PushPop", "dynamic 2"): 10,
    ("PushPop", "in a thread"): 1,
    ("PushPop", "payload"): 6,
    ("PushPop", "slept"): 1,
    ("PushPop", "left open"): 1,
    ("StartEnd", "overlap"): 2,
    ("StartEnd", "dom:across"): 1,
    ("StartEnd", "payload"): 6,
    ("Mark", "dom:w\u00e9\u20ac\U0001f600"): 1,
    ("Mark", "payload"): 6,
    ("Mark", 'quote " comma , newline \n end'): 1,
    ("Mark", ""): 4,
    ("Mark", "bad \ufffd\ufffd\ufffd utf-8"): 1,
    ("Mark", "wide domain:in the wide one"): 1,
}
