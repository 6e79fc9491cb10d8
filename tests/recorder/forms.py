#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Exports, compared with what the program gave and with the real Nsight Systems."""
import contextlib
import csv
import io
import os
import stat

from harness import driver, nsight
from harness.driver import equal, here, instances, must, nvtxh, program, record, run
from known import KNOWN

PAYLOADS = {"uint64": "18446744073709551615", "int64": "-9223372036854775807", "double": "-0.1",
            "uint32": "4294967295", "int32": "-2147483647", "float": "1.5"}


def case_export_csv():
    """Every attribute of every event is what the program gave."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    equal(nvtxh("export", rec, "--format", "csv", "-o", here("out.csv")).returncode, 0, "status")
    equal(stat.S_IMODE(os.stat(here("out.csv")).st_mode), 0o600, "mode")
    with open(here("out.csv"), encoding="utf-8", errors="surrogateescape", newline="") as f:
        rows = list(csv.DictReader(f))
    counts = {}
    for row in rows:
        name = (row["Domain"] + ":" if row["Domain"] else "") + row["Message"]
        counts[row["Style"], name] = counts.get((row["Style"], name), 0) + 1
    equal(counts, KNOWN, "events")
    equal([int(row["Start (ns)"]) for row in rows], sorted(int(row["Start (ns)"]) for row in rows), "order")
    for style in ("Mark", "PushPop", "StartEnd"):
        some = [row for row in rows if row["Style"] == style and row["Message"] == "payload"]
        equal([row["Payload Type"] for row in some], list(PAYLOADS), style)
        equal([row["Payload"] for row in some], list(PAYLOADS.values()), style)
        equal([row["Color"] for row in some], [f"#ff00000{i}" for i in range(1, 7)], style)
        equal([row["Category"] for row in some], ["3", "3", "3", "3", "", "3"], style)
        equal([row["Category Name"] for row in some], ["three"] * 4 + ["", "three"], style)
    by_name = {row["Message"]: row for row in rows}
    main, helper = by_name["outer"]["TID"], by_name["in a thread"]["TID"]
    must(main == by_name["outer"]["PID"] and helper != main, "thread ids")
    equal((by_name["across"]["TID"], by_name["across"]["End TID"]), (main, helper), "a range across threads")
    equal(by_name["left open"]["Open"], "1", "the range left open")
    equal(sum(row["Open"] == "1" for row in rows), 1, "open ranges")
    equal({row["Depth"] for row in rows if row["Message"].startswith("w\u00e9") and row["Style"] == "PushPop"}, {"1"},
          "depths")
    equal({row["Depth"] for row in rows if row["Message"] == "registered"}, {"0"}, "depths in a domain")
    # Standard output is the same; what exists is kept.
    with open(here("out.csv"), "rb") as f:
        equal(nvtxh("export", "--format", "csv", rec).stdout, f.read(), "standard output")
    equal(nvtxh("export", "--format", "csv", rec, "-o", here("out.csv")).returncode, 2, "status over an existing file")
    equal(nvtxh("export", "--format", "csv", rec, "-f", "-o", here("out.csv")).returncode, 0, "status with --force")
    for bad in ([rec], [rec, "--format", "nonsense"], ["--format", "csv"], [rec, "--format", "sqlite"]):
        equal(nvtxh("export", *bad).returncode, 2, f"status of export {bad}")


def case_export_chrome():
    """JSON that any parser takes, slices that nest, process ranges with both ends."""
    rec = here("rec.nvtxh")
    record(rec, program("known-3"))
    import json
    events = json.loads(nvtxh("export", rec, "--format", "chrome").stdout)["traceEvents"]
    counts = {}
    for event in events:
        key = {"X": "PushPop", "b": "StartEnd", "i": "Mark"}.get(event["ph"])
        if key:
            name = (event["cat"] + ":" if event["cat"] else "") + event["name"]
            counts[key, name] = counts.get((key, name), 0) + 1
    # Ranges of two domains that overlap are written as process ranges are.
    wanted = {key: n for key, n in KNOWN.items() if "bad" not in key[1]}
    wide = "w\u00e9\u20ac\U0001f600"
    moved = counts.pop(("StartEnd", wide))
    equal(moved + counts.pop(("PushPop", wide), 0), wanted.pop(("PushPop", wide)), "overlapping ranges")
    equal(counts.pop(("Mark", "(no message)")), wanted.pop(("Mark", "")), "marks without a message")
    equal(counts.pop(("Mark", "bad \ufffd\ufffd\ufffd utf-8")), 1, "a name that is no UTF-8")
    equal(counts, wanted, "events")
    begun = {event["id"] for event in events if event["ph"] == "b"}
    equal(begun, {event["id"] for event in events if event["ph"] == "e"}, "ends")
    threads = {}
    for event in events:
        if event["ph"] == "X":
            threads.setdefault((event["pid"], event["tid"]), []).append((event["ts"], event["ts"] + event["dur"]))
    for ranges in threads.values():
        open_until = []
        for start, end in sorted(ranges, key=lambda r: (r[0], -r[1])):
            while open_until and open_until[-1] <= start + 1e-6:
                open_until.pop()
            must(not open_until or end <= open_until[-1] + 1e-6, f"{start} to {end} overlaps")
            open_until.append(end)
    must(any(e["ph"] == "M" and e["args"].get("name") == "helper" for e in events), "the thread's name")


def profile(*command):
    """The same program under the real Nsight Systems; the path of its report."""
    if not nsight.importer():
        driver.skip("nsys is not installed")
    done = nsight.profile(here("rep"), command, env=dict(os.environ, ANY_ANSWER="1"))
    if not os.path.exists(here("rep.nsys-rep")):
        driver.skip("nsys cannot record here: " + done.stdout)
    return here("rep.nsys-rep")


def to_sqlite(rec, path):
    done = nvtxh("export", rec, "--format", "sqlite", "-o", path)
    if b"built without libsqlite3" in done.stderr:
        driver.skip("nvtxh was built without libsqlite3")
    equal(done.returncode, 0, "status of the export, which said " + done.stderr.decode())


def report(name, path):
    """The rows of one of nsys's own reports."""
    done = run("nsys", "stats", "-q", "-f", "csv", "-r", name, path, timeout=300)
    lines = io.StringIO(done.stdout.decode("utf-8", "surrogateescape"), newline="").readlines()
    start = next((i for i, line in enumerate(lines) if "Range" in line or "Start (ns)" in line), None)
    must(start is not None, f"{name}: {done.stdout.decode()} {done.stderr.decode()}")
    return list(csv.DictReader(lines[start:]))


def case_nsys():
    """The real Nsight Systems counts the same ranges, in its own recording and in our export."""
    theirs = profile(program("counted"), "30")
    rec = here("rec.nvtxh")
    record(rec, program("counted"), "30")
    to_sqlite(rec, here("rec.sqlite"))
    ours = instances(rec)
    for name, style in (("nvtxsum", None), ("nvtxppsum", "PushPop"), ("nvtxsesum", "StartEnd")):
        wanted = {text: n for (s, text), n in ours.items() if s != "Mark" and style in (None, s)}
        for path in (theirs, here("rec.sqlite")):
            got = {}
            for row in report(name, path):
                text = row["Range"].lstrip(":") # older reports write the default domain so
                got[text] = got.get(text, 0) + int(row["Instances"])
            equal(got, wanted, f"{name} of {path}")
    trace = report("nvtxpptrace", here("rec.sqlite"))
    equal(len(trace), sum(n for (s, _), n in ours.items() if s == "PushPop"), "rows of nvtxpptrace")


def case_nsys_family():
    """Nsight's report knows the domain of every process: of forked children, and where two processes have one pid."""
    if not nsight.importer():
        driver.skip("nsys is not installed")
    rec, same, both = here("rec.nvtxh"), here("same.nvtxh"), here("both.nvtxh")
    record(rec, program("family"))
    with open(rec, "rb") as f:
        data = bytearray(f.read())
    data[24] ^= 1  # of the session: merge refuses the same one twice
    with open(same, "wb") as f:
        f.write(data)
    equal(nvtxh("merge", "-o", both, rec, same).returncode, 0, "status of merge")
    wanted = {text: n for (style, text), n in instances(rec).items()}
    must(wanted["family:shared"] == 30, wanted)
    for path, times in (rec, 1), (both, 2):
        database = path.replace(".nvtxh", ".sqlite")
        to_sqlite(path, database)
        rows = report("nvtxsum", database)
        equal({row["Range"].lstrip(":"): int(row["Instances"]) for row in rows}, {t: n * times for t, n in wanted.items()}, path)
        equal(len(rows), len(wanted), "rows, one for each range")


def known_databases():
    """The same program's events in SQLite: ours and Nsight's. On a busy machine nsys may look for the main thread's name when the program has ended."""
    import sqlite3
    for _ in range(8):
        run("nsys", "export", "-t", "sqlite", "-f", "true", "-o", here("theirs.sqlite"), profile(program("known-3")))
        with contextlib.closing(sqlite3.connect(here("theirs.sqlite"))) as db:
            if db.execute("SELECT count(*) FROM ThreadNames n JOIN StringIds s ON s.id = n.nameId WHERE s.value <> '' "
                          "AND n.globalTid IN (SELECT globalTid FROM NVTX_EVENTS WHERE eventType = 59) "
                          "AND n.globalTid % 16777216 = n.globalTid / 16777216 % 16777216").fetchone()[0]:
                break
    rec = here("rec.nvtxh")
    record(rec, program("known-3"), env=dict(os.environ, ANY_ANSWER="1"))
    to_sqlite(rec, here("ours.sqlite"))
    both = [sqlite3.connect(here(path)) for path in ("ours.sqlite", "theirs.sqlite")]
    for db in both:
        db.text_factory = lambda b: b.decode("utf-8", "surrogateescape")
    return both


def case_nsys_rows():
    """Row by row, our SQLite file of a program equals Nsight's: text, domain, category, colour, payload."""
    ours, real = known_databases()
    query = """
        SELECT e.eventType, coalesce(e.text, s.value, ''), coalesce(d.text, ''), coalesce(e.category, 0), e.color,
               e.uint64Value, e.int64Value, e.doubleValue, e.uint32Value, e.int32Value, e.floatValue,
               e.endGlobalTid IS NOT NULL AND e.endGlobalTid <> e.globalTid
        FROM NVTX_EVENTS e LEFT JOIN StringIds s ON e.textId = s.id
        LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId
        WHERE e.eventType IN (34, 59, 60)"""
    found, domains = [], []
    for db in ours, real:
        found.append(sorted(map(repr, db.execute(query))))
        domains.append(sorted(db.execute("SELECT text FROM NVTX_EVENTS WHERE eventType = 75")))
        db.close()
    equal(domains[0], domains[1], "domains, ours and theirs")
    must(("never used",) in domains[0], domains[0])
    equal(found[0], found[1], "rows, ours and theirs")
    equal(len(found[0]), 73, "rows")


# As the rows are queried by others: by name in StringIds alone, by any name, by domain, by the thread's name, by time.
QUERIES = {
    "registered messages": """
        SELECT s.value, count(*) FROM NVTX_EVENTS e JOIN StringIds s ON s.id = e.textId
        WHERE e.eventType IN (34, 59, 60) GROUP BY 1 ORDER BY 1""",
    "messages in their row": """
        SELECT text, count(*) FROM NVTX_EVENTS WHERE eventType IN (34, 59, 60) AND text NOT NULL GROUP BY 1 ORDER BY 1""",
    "any message, with its domain": """
        SELECT coalesce(d.text || ':', ':') || coalesce(s.value, e.text) AS name, t.name, count(*)
        FROM NVTX_EVENTS e LEFT JOIN NVTX_EVENTS d ON d.eventType = 75 AND d.domainId = e.domainId
            AND d.globalTid / 16777216 % 16777216 = e.globalTid / 16777216 % 16777216
        LEFT JOIN StringIds s ON s.id = e.textId JOIN ENUM_NSYS_EVENT_TYPE t ON t.id = e.eventType
        WHERE e.eventType IN (59, 60) GROUP BY 1, 2 ORDER BY 1, 2""",
    "the main thread's ranges, by the names of threads": """
        SELECT r.value, count(*) FROM NVTX_EVENTS e JOIN ThreadNames n ON n.globalTid = e.globalTid
        JOIN StringIds s ON s.id = n.nameId JOIN StringIds r ON r.id = e.textId
        WHERE e.globalTid % 16777216 = e.globalTid / 16777216 % 16777216 AND s.value <> '' GROUP BY 1 ORDER BY 1""",
    "rows in their order": """
        SELECT eventType, coalesce(text, ''), rangeId, category, endGlobalTid IS NULL FROM NVTX_EVENTS
        WHERE globalTid = (SELECT globalTid FROM NVTX_EVENTS WHERE eventType = 75 LIMIT 1) ORDER BY rowid""",
    "names of threads, categories, ends of domains": """
        SELECT eventType, text, category, count(*) FROM NVTX_EVENTS WHERE eventType IN (33, 39, 76)
        GROUP BY 1, 2, 3 ORDER BY 1, 2, 3""",
    "rows before an earlier one": """
        SELECT count(*) FROM NVTX_EVENTS a JOIN NVTX_EVENTS b ON b.rowid = a.rowid + 1 WHERE b.start < a.start""",
    "names before the first event of the process": """
        SELECT count(*) FROM NVTX_EVENTS WHERE start <= 0 OR start > (SELECT max(start) FROM NVTX_EVENTS)""",
    "sessions": "SELECT count(*), min(utcEpochNs) > 1500000000000000000 FROM TARGET_INFO_SESSION_START_TIME",
    "duration": """
        SELECT duration = stopTime - startTime, duration >= (SELECT max(end) FROM NVTX_EVENTS) FROM ANALYSIS_DETAILS""",
    "the schema's version": "SELECT name, value FROM EXPORT_META_DATA WHERE name LIKE 'EXPORT_SCHEMA_VERSION%' "
                            "AND name NOT LIKE '%CKSUM' ORDER BY 1",
}


def case_nsys_queries():
    """Tables, columns and types are Nsight's, but for tables of our own; queries as others publish them give the same."""
    ours, real = known_databases()
    tables = [name for name, in ours.execute("SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'NVTXH%'")]
    must(len(tables) == 9, tables)
    for table in tables:
        columns = f"SELECT name, type, \"notnull\", pk FROM pragma_table_info('{table}')"
        equal(ours.execute(columns).fetchall(), real.execute(columns).fetchall(), f"columns of {table}")
    kinds = "SELECT * FROM ENUM_NSYS_EVENT_TYPE WHERE id IN (33, 34, 39, 59, 60, 75, 76)"
    equal(ours.execute(kinds).fetchall(), real.execute(kinds).fetchall(), "types of events")
    for what, query in QUERIES.items():
        got, wanted = ours.execute(query).fetchall(), real.execute(query).fetchall()
        must(got, f"{what}: no rows")
        equal(got, wanted, what)


if __name__ == "__main__":
    driver.main(globals(), __doc__)
