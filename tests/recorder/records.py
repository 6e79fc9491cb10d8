# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A reader of recordings, written from recorder/FORMAT.md alone, for tests of what is written."""
import struct

SHORT = {1: "push", 2: "pop", 3: "start", 4: "end", 5: "mark", 6: "rebase", 7: "count", 8: "push by preset"}
LONG = {16: "text", 17: "process", 18: "domain", 19: "registered", 20: "category", 21: "thread", 22: "gone",
        23: "resource", 24: "resource gone", 25: "schema", 26: "enum", 27: "scope", 28: "counter",
        30: "gate", 31: "extended"}
EXTENDED = {1: "payload", 2: "sync", 3: "sample", 4: "samples", 7: "preset", 8: "no push", 11: "ended",
            9: "identity", 10: "tool"}
ALIGN = 16384


class Record(dict):
    __getattr__ = dict.__getitem__


def words(data, at, n):
    return struct.unpack_from(f"<{n}Q", data, at)


def take(data, at, base):
    """The record at a place, where the next one is, and the base from there on."""
    head, = words(data, at, 1)
    r = Record(number=head & 31, payload_type=head >> 5 & 7, domain=head >> 16 & 0xffff, ticks=base + (head >> 32))
    at += 8
    if r.number >= 16:
        r["kind"] = LONG[r.number]
        size, r["id"] = struct.unpack_from("<II", data, at)
        r["body"] = data[at + 8:at + 8 + size]
        assert len(r.body) == size and not any(data[at + 8 + size:at + 8 + (size + 7) // 8 * 8]), "padding"
        return r, at + 8 + (size + 7) // 8 * 8, base
    r["kind"] = SHORT[r.number]
    if r.number == 6:
        base, = words(data, at, 1)
        return r, at + 32, base
    if r.number == 7:
        r["counter"], value = words(data, at, 2)
        r["value"] = struct.unpack("<" + "QQqd"[r.payload_type], struct.pack("<Q", value))[0]
        return r, at + 16, base
    if r.number == 8:
        r["preset"] = head >> 8 & 0xffff
        if r.payload_type:
            r["payload"] = struct.unpack_from("<" + ".QqdIif"[r.payload_type], data, at)[0]
            at += 8
        return r, at, base
    if r.number in (3, 4):
        r["range"], = words(data, at, 1)
        at += 8
    if r.number in (1, 3, 5):
        r["text"], r["color"] = struct.unpack_from("<II", data, at)
        at += 8
        if head >> 8 & 1 or r.payload_type >= 4:
            r["category"], half = struct.unpack_from("<I4s", data, at)
            if r.payload_type >= 4:
                r["payload"] = struct.unpack("<" + "....Iif"[r.payload_type], half)[0]
            at += 8
        if 1 <= r.payload_type <= 3:
            r["payload"] = struct.unpack_from("<" + ".Qqd"[r.payload_type], data, at)[0]
            at += 8
    return r, at, base


class Stream:
    def __init__(self):
        self.chunks = []
        self.records = []
        self.dropped = 0


class Recording:
    """streams[process][stream].records; names of process p are streams[p][0]"""

    def __init__(self, path):
        with open(path, "rb") as f:
            data = f.read()
        self.data = data
        magic, endian, version, header_size, align = struct.unpack_from("<8sIIII", data)
        assert (magic, endian, version, header_size, align) == (b"NVTXHREC", 0x01020304, 1, ALIGN, ALIGN)
        self.end, = words(data, 64, 1)
        self.streams = {}
        at = header_size
        while at + 128 <= len(data):
            magic, size, process, stream, tid, seq, in_handlers, clock = struct.unpack_from("<8I", data, at)
            if magic != 0x6b436e4e:
                at += ALIGN
                continue
            base, = words(data, at + 32, 1)
            used, dropped, flags = words(data, at + 64, 3)
            if flags & 2:  # of context switches
                at += size
                continue
            s = self.streams.setdefault(process, {}).setdefault(stream, Stream())
            s.in_handlers, s.ring = in_handlers, flags & 1
            s.dropped += dropped
            s.chunks.append((seq, at, used, base, flags, tid))
            at += size
        for streams in self.streams.values():
            for number, s in streams.items():
                s.chunks.sort()
                self.read(number, s)

    def read(self, number, s):
        seqs = [c[0] for c in s.chunks]
        no_gap = seqs == list(range(seqs[0], seqs[0] + len(seqs)))
        assert no_gap or (s.ring and len(set(seqs)) == len(seqs)), f"chunks {seqs}"
        s.tid = s.chunks[0][5]  # the thread of a stream; a thread that has ended may leave its stream to another
        for seq, at, used, base, _, tid in s.chunks:
            end = at + used
            before, s.tid, place = s.tid, tid, at + 128
            while place < end:
                r, place, base = take(self.data, place, base)
                r["chunk"] = seq
                s.records.append(r)
                s.tid = r.id if number and r.kind == "thread" else s.tid
                assert before in (tid, None) or r.kind == "thread" and r.id == tid or not no_gap, f"a chunk of thread {tid} with events of {before}"
                before = None
            assert place == end, "a record crosses the end of what is published"

    def names(self, kind, process=0):
        return [r for r in self.streams[process][0].records if r.kind == kind]

    def events(self, process=0):
        """Of all threads of a process, with texts looked up, in the order of their streams."""
        registered = {r.id: r.body for r in self.names("registered", process)}
        domains = {r.id: r.body.decode() for r in self.names("domain", process)}
        found = []
        for stream, s in sorted(self.streams[process].items()):
            texts, presets = {}, {}
            for r in s.records if stream else ():
                if r.kind == "text":
                    texts[r.id] = r.body
                    continue
                if r.kind == "extended" and EXTENDED[r.id] == "preset":
                    number, text, color, category, flags = struct.unpack("<IIIIQ", r.body)
                    presets[number] = {"domain": r.domain, "text": text, "color": color, "chunk": r.chunk}
                    if flags >> 8 & 1:
                        presets[number]["category"] = category
                    continue
                if r.kind == "extended" and EXTENDED[r.id] in ("no push", "ended"):
                    continue
                if r.kind == "push by preset":
                    assert s.ring <= (presets[r.preset]["chunk"] == r.chunk), "a preset of another chunk of a ring"
                    r = Record({**r, **presets[r.preset]}, kind="push", chunk=r.chunk)
                e = Record(r, stream=stream, domain=domains.get(r.domain, ""))
                if "text" in r:
                    text = r["text"]
                    e["text"] = (registered[text & 0x7fffffff] if text >> 31 else texts[text] if text else b"").decode()
                if r.kind == "extended":
                    e["kind"] = EXTENDED[r.id]
                if r.kind != "rebase":
                    found.append(e)
        return found

    def losses(self, process=0):
        return struct.unpack_from("<24Q", self.names("process", process)[0].body, 64)


def blobs(body):
    found = []
    at = 0
    while at < len(body):
        schema, address, size = words(body, at, 3)
        found.append((schema, address, body[at + 24:at + 24 + size]))
        end = at + 24 + (size + 7) // 8 * 8
        assert not any(body[at + 24 + size:end]), "padding"
        at = end
    return found


class Texts:
    """Takes texts of given sizes one after the other."""

    def __init__(self, body, at):
        self.body, self.at = body, at

    def take(self, size):
        self.at += size
        assert self.at <= len(self.body)
        return self.body[self.at - size:self.at]
