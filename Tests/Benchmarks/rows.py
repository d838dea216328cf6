# SPDX-License-Identifier: MIT
"""The rows of the results: what each shows, from which run, beside what, and what it should reach."""
import difflib, fnmatch
from figures import added, least, most, ratio
from fixtures import KINDS

C = "C floor"


class Row:
    """`name` and `group` are for choosing; `ours` is a run and one of its figures, `beside` the same and who
    that is. `scale` makes the figure one of `unit`. `goals` are ways to reach the aim: one suffices. `others`
    are more runs of which the same is shown."""

    def __init__(self, name, group, title, unit, ours, beside=None, goals=(), others=(), scale=1):
        self.name, self.group, self.title, self.unit = name, group, title, unit
        self.ours, self.beside, self.others, self.scale = ours, beside, others, scale
        self.goals = goals if isinstance(goals, (list, tuple)) else [goals]
        # Of so much a second, more is better.
        self.rises = unit.endswith("/s") or any(goal.kind == "least" for goal in self.goals)

    def sources(self):
        """Its runs, each with the figure and who that is; the first is ours."""
        return [(*self.ours, "nBridge"), *([self.beside] if self.beside else []), *self.others]


# A call's floor is the engine's own promise.
CALLS = [  # kind, title, floor, what a ratio should be
    ("immediate", "immediate", "promise", 1.5), ("async", "async, does not suspend", "promise", 1.5),
    ("detached", "detached", None, 1), ("fields", "4 fields in and out", "fields", 1.3),
]
WAYS = (("sequential", ""), ("5000 in flight", "-flight"))


def calls():
    for way, end in WAYS:
        for kind, title, floor, limit in CALLS:
            node = (f"node.{kind}", f"{KINDS[kind]}, {way}", "Node N-API")
            beside = (f"floor.{floor}", f"{KINDS[floor]}, {way}", C) if floor else node
            others = [node] if kind in ("immediate", "fields") else []
            yield Row(kind + end, "calls", f"{title}, {way}", "ns",
                      (f"calls.{kind}", f"{KINDS[kind]}, {way}"),
                      beside, ratio(limit), others)
    for kind in ("immediate", "async", "detached"):
        run = f"calls.{kind}"
        yield Row(f"{kind}-million", "calls", f"{kind}, 1,000,000 in flight", "ns",
                  (run, f"{kind}, 1000000 in flight"),
                  (run, f"{kind}, 5000 in flight", "5,000 in flight"), ratio(2))


def crossing():
    def row(kind, title, unit, goals=(), floor=None, who=C):
        floor = floor or kind
        return Row(kind, "calls", title, unit, (f"calls.{kind}", f"{KINDS[kind]}, sequential"),
                   (f"floor.{floor}", f"{KINDS[floor]}, sequential", who), goals,
                   scale=1 if unit == "ns" else 1e-3)

    who = "stringify + parse"
    return [
        row("text-kilobyte", "string 1 KB there and back", "ns"),
        row("text-megabyte", "string 1 MB there and back", "µs"),
        row("objects-kept", "1 MB of objects there and back, kept as they came", "µs", ratio(1.2), "objects",
            who),
        row("objects-decoded", "1 MB of objects, decoded to structs and encoded", "µs", ratio(2), "objects", who),
        row("bytes-native", "64 MiB of bytes to native", "µs", most(1000)),
        row("bytes-script", "64 MiB of bytes to JavaScript", "µs", most(1000)),
        Row("watch", "calls", "watch, 1,000,000 events, each", "ns", ("calls.watch", "watch, per event"),
            None, most(1000)),
    ]


def variants():
    """The same calls of a plugin that is loaded, not linked in; and recorded, not only made."""
    for group, plain, who, goal in (("loaded", "linked", "linked", ratio(1.2)),
                                    ("recorded", "unrecorded", "not recorded", added(1000))):
        title = "loaded plugin" if group == "loaded" else group
        for kind, *_ in CALLS:
            for way, end in WAYS:
                key = f"{KINDS[kind]}, {way}"
                yield Row(f"{group}-{kind}{end}", group, f"{title}: {key}", "ns", (f"{group}.{kind}", key),
                          (f"{plain}.{kind}", key, who), goal)
    for kind, *_ in CALLS:
        for (way, end), limit in zip(WAYS, (40_000, 1e9 / 150_000)):
            key = f"{KINDS[kind]}, {way}"
            yield Row(f"isolated-{kind}{end}", "isolated", f"isolated plugin: {key}", "ns",
                      (f"isolated.{kind}", key), (f"loaded.{kind}", key, "loaded"), most(limit))
    key = f"{KINDS['bytes-script']}, sequential"
    yield Row("isolated-bytes", "isolated", "isolated plugin: 64 MiB of bytes to JavaScript", "ms",
              ("isolated.bytes-script", key), None, most(64 * 1.048576), scale=1e-6)
    yield Row("isolated-start", "start", "cold start: an isolated plugin's call instead of a loaded one's", "ms",
              ("start.isolated", "wall"), ("start.plugin", "wall", "loaded"), added(8))
    yield Row("isolated-memory", "memory", "resident memory of an isolated plugin's process that waits", "MB",
              ("isolated.idle", "rss"), None, most(6))
    key = "watch, per event"
    yield Row("isolated-watch", "isolated", f"isolated plugin: {key}", "ns", ("isolated.watch", key),
              ("loaded.watch", key, "loaded"))
    yield Row("loaded-watch", "loaded", f"loaded plugin: {key}", "ns", ("loaded.watch", key),
              ("linked.watch", key, "linked"), ratio(1.5))


def starts():
    others = [(f"start.{name}", "wall", name) for name in ("node", "deno", "gjs")]
    plain = ("start.plain", "wall", "plain script")
    return [
        Row("start-empty", "start", "cold start, empty script (wall)", "ms", ("start", "wall"),
            ("start.floor", "wall", C), ratio(1.2), others),
        Row("start-processor", "start", "cold start, empty script: processor time", "ms", ("start", "cpu"),
            ("start.floor", "cpu", C), ratio(1.2), [(run, "cpu", who) for run, _, who in others]),
        Row("plugin-start", "start", "cold start: a loaded plugin's call instead of a built-in one's", "ms",
            ("start.plugin", "wall"), ("start.builtin", "wall", "built-in"), added(2)),
        Row("many-plugins", "start", "cold start: 1,000 installed plugins, of eleven actions each, that are not used", "ms",
            ("start.many", "wall"), ("start", "wall", "none installed"), added(3)),
        Row("typescript-first", "start", "two TypeScript files, first run (wall)", "ms",
            ("start.first", "wall"), plain, ratio(1.4)),
        Row("typescript-cached", "start", "two TypeScript files, from the cache (wall)", "ms",
            ("start.cached", "wall"), plain, ratio(1.15)),
        Row("memory-start", "memory", "resident memory, empty script", "MiB", ("start", "rss"),
            ("start.floor", "rss", C), ratio(1.2), [(run, "rss", who) for run, _, who in others]),
        Row("memory-calls", "memory", "resident memory after ten million calls", "MiB", ("memory", "at last"),
            ("memory", "most before", "the most after 0.1, 0.5, 1 and 5 million"), ratio(1.05)),
    ]


def files():
    who = "C, the same system calls"
    for run, title in (("durable", "durable"), ("quick", "not durable")):
        for end, way in (("", "one after the other"), (".flight", "all at once")):
            yield Row(f"write-{run}{end.replace('.', '-')}", "files", f"small atomic writes, {title}, {way}",
                      "/s", (run + end, "rate"), (f"{run}.floor", "rate", who), ratio(0.9, higher=True))
    yield Row("list", "files", "list of 100,000 files, whole process", "ms", ("list", "wall"),
              ("list.find", "wall", "find"), ratio(1.2))
    yield Row("stream", "files", "1 GiB read and written through the script", "ms", ("stream", "wall"),
              ("stream.cp", "wall", "cp"), ratio(1.11))
    yield Row("memory-stream", "memory", "1 GiB through a script: resident memory", "MiB", ("stream", "rss"),
              ("stream.cp", "rss", "cp"), most(48))
    yield Row("lines", "files", "1,000,000 lines of a file, whole process", "ms", ("lines", "wall"),
              ("lines.node", "wall", "Node's readline"), ratio(1))
    yield Row("keystroke", "files", "a keystroke's `set` on an open document", "µs", ("keystroke", "each"),
              None, most(5))


def stores():
    transaction = ("transaction", "each", "C: the transaction alone")

    def board(name, title, unit, run, key, beside, goals):
        return Row(f"pasteboard-{name}", "pasteboard", f"pasteboard: {title}", unit, (run, key), beside,
                   goals)

    return [
        board("set", "`set` of 1 KB", "µs", "pasteboard.set", "each", transaction, ratio(3)),
        board("get", "`get` of 1 KB", "µs", "pasteboard.get", "each", None, most(100)),
        board("large", "64 MiB set, got and looked at", "ms", "pasteboard.large", "each",
              ("memcpy", "each", "C: memcpy twice"), ratio(2)),
        board("watch", "change to watcher, 10 watchers, p99 of the worst", "ms", "pasteboard.watch", "late",
              None, most(10)),
        board("rate", "changes a second while ten watchers hear all, in order", "/s", "pasteboard.watch",
              "rate", None, least(990)),
        board("told", "of 5,000 changes at that rate, told to each watcher", "", "pasteboard.watch", "told",
              None, least(5000)),
        Row("preference-get", "preference", "preference: `get`", "µs", ("preference.get", "each"),
            ("preference.nothing", "each", "`app.appInfo`"), most(1.5)),
        Row("preference-set", "preference", "preference: `set`", "µs", ("preference.set", "each"),
            transaction, most(20)),
    ]


def peers():
    def row(name, title, unit, run, key, beside, goals):
        return Row(f"peers-{name}", "peers", f"peers: {title}", unit, (run, key), beside, goals)

    return [
        row("trip", "64 bytes there and back, between scripts", "µs", "peers", "trip",
            ("peers.floor", "trip", "C: two processes, one socket"), ratio(2.5)),
        row("flow", "messages of 64 bytes one way", "/s", "peers", "flow", None, least(200_000)),
        row("resource", "resource of 256 MiB into a file, hashed", "GB/s", "peers", "resource",
            ("peers.socat", "resource", "socat, file to file"), [least(1.5), ratio(0.7, higher=True)]),
        row("crowd", "100 in ten processes, until all know all", "s", "peers.crowd", "formed", None, most(3)),
        row("simulate", "simulated sessions of 10 to 300, whole process", "ms", "peers.simulate", "wall",
            None, ()),
    ]


def tools():
    def view(name, title, unit, key, goals, scale=1):
        group = "memory" if name == "memory" else "viewer"
        return Row(f"viewer-{name}", group, f"viewer: {title}", unit, ("log.view", key), None, goals,
                   scale=scale)

    screen = "filter over 1,000,000 lines to screen"
    return [
        Row("log-off", "log", "log: a call whose level is off", "ns", ("log.call", "disabled"), None,
            most(50)),
        Row("log-record", "log", "log: a record for a file, in the script's thread", "µs",
            ("log.call", "enabled"), ("log.call", "stack", "the engine: the caller's frame"), most(2),
            scale=1e-3),
        Row("log-file", "log", "log: records from a script into a file", "/s", ("log.file", "rate"), None,
            least(500_000)),
        view("rate", "lines from ten sources, kept and confirmed", "/s", "rate", least(200_000)),
        view("memory", "resident memory at 1,000,000 lines", "MiB", "rss", most(150), 1 / 1024),
        view("level", f"{screen}: a level of which there is one in a hundred", "ms", "level", most(100)),
        view("text", f"{screen}: a text that stands in one line of 97", "ms", "text", most(100)),
        view("nowhere", f"{screen}: a text that stands nowhere: all are looked through", "ms", "nowhere",
             most(100)),
        view("key", "key to screen under 50,000 lines a second", "ms", "key", most(16)),
        Row("auth-evaluate", "auth", "auth: an evaluation by the stub, its audit line written", "µs",
            ("auth", "evaluate"), ("auth.floor", "each", "C: the same system calls"), most(50)),
        Row("auth-rate", "auth", "auth: evaluations a second, fifty at once", "/s", ("auth", "rate"), None,
            least(10_000)),
        Row("auth-can", "auth", "auth: `canEvaluatePolicy`", "µs", ("auth", "can"), None, most(5)),
        Row("prompt-start", "prompt", "prompt: start to the first prompt", "ms", ("prompt", "start"),
            ("prompt.start", "wall", "run, empty script"), ratio(3)),
        Row("prompt-key", "prompt", "prompt: key to screen, entry of 200 lines", "ms", ("prompt", "key"),
            None, most(16)),
    ]


def web():
    keys = {
        "url": "URL: parse, ten kinds", "query": "URLSearchParams: parse and get",
        "encode-short": "TextEncoder, 12 characters", "encode-mixed": "TextEncoder, 1 K of mixed scripts",
        "encode-long": "TextEncoder, 1 MiB of ASCII", "decode-short": "TextDecoder, 12 bytes",
        "decode-mixed": "TextDecoder, 1 K of mixed scripts", "decode-long": "TextDecoder, 1 MiB of ASCII",
        "clone": "structuredClone, a small object", "uuid": "crypto.randomUUID",
        "console-text": "console.log, a text", "console-object": "console.log, a small object",
    }
    for name, key in keys.items():
        goal = ratio(1 if name.startswith(("console", "url", "decode-short")) else 2)
        if name == "console-object":
            goal = [goal, most(6000)]
        yield Row(name, "web", key, "ns", ("web", key), ("web.node", key, "Node"), goal,
                  [("web.deno", key, "deno")])
    for name, title in (("gzip", "CompressionStream"), ("gunzip", "DecompressionStream")):
        yield Row(name, "web", f"{title}: gzip, 16 MiB", "ms", ("gzip", name),
                  ("gzip.floor", name, "C: zlib alone"), ratio(1.05), [("gzip.node", name, "Node")])
    for name, title in (("alone", "one by one"), ("together", "64 in flight")):
        yield Row(f"fetch-{name}", "web", f"fetch of 1 KiB, {title}", "us", ("fetch", name),
                  ("fetch.node", name, "Node"), ratio(1))
    yield Row("fetch-stream", "web", "fetch of 1 GiB, read as a stream", "ms", ("fetch", "stream"),
              ("fetch.curl", "stream", "curl"), ratio(1.11), [("fetch.node", "stream", "Node")])
    yield Row("serve", "web", "nbridge.http.serve: 64 connections, 1 KiB each time", "/s", ("serve", "rate"),
              ("serve.node", "rate", "Node's http"), ratio(1, higher=True))
    yield Row("socket-trip", "web", "WebSocket: 64 bytes there and back, between programs", "us",
              ("sockets", "trip"), None, ())
    yield Row("socket-rate", "web", "WebSocket: messages of 1 MiB, each way", "MiB/s", ("sockets", "rate"), None, ())
    yield Row("worker-start", "web", "Worker: from its making to its first message", "ms", ("workers", "start"),
              ("workers.node", "start", "Node"), most(12))
    yield Row("worker-trip", "web", "Worker: a message there and back", "us", ("workers", "trip"),
              ("workers.node", "trip", "Node"), most(30))
    # What the script may change is copied first, which takes a quarter of the time of the digest.
    yield Row("digest", "web", "crypto.subtle: SHA-256, 64 MiB", "ms", ("digest", "digest"),
              ("digest.floor", "digest", "C: OpenSSL alone"), ratio(1.05), [("digest.node", "digest", "Node")])


def pages():
    """Calls of a page in Chromium, beside messages to a server that sends them back."""
    echo = "C: echo over libsoup"
    yield Row("page-alone", "pages", "page in Chromium: a call, one by one", "us", ("pages", "alone"),
              ("pages.floor", "alone", echo), ratio(1.15))
    yield Row("page-together", "pages", "page in Chromium: a call, 100 of a turn", "us", ("pages", "together"),
              ("pages.floor", "together", echo), most(6))
    yield Row("page-to", "pages", "page in Chromium: 16 MiB to native", "MiB/s", ("pages", "to"),
              ("pages.floor", "to", echo), least(200))
    yield Row("page-from", "pages", "page in Chromium: 64 MiB to the page", "MiB/s", ("pages", "from"),
              ("pages.floor", "from", echo), least(200))
    yield Row("page-session", "pages", "page in Chromium: memory of the program for a tab that rests", "MiB", ("pages", "session"), None,
              most(2))
    yield Row("page-idle", "pages", "page in Chromium: processor time of the program for eleven tabs that rest", "ms a second",
              ("pages", "idle"), None, most(1))
    bare = "C: a bare WebKitGTK window, script messages with replies"
    yield Row("window-start", "pages", "window: until the page's first script", "ms", ("window", "start"),
              ("window.floor", "start", bare), ratio(2))
    asked = "fetch from a scheme of the program's, as Tauri has it"
    yield Row("window-alone", "pages", "window: a call, one by one", "us", ("window", "alone"),
              ("window.floor", "alone", bare), ratio(0.5),
              [("window.floor", "askedAlone", asked), ("window.pywebview", "alone", "pywebview")])
    yield Row("window-together", "pages", "window: a call, 100 of a turn", "us", ("window", "together"),
              ("window.floor", "together", bare), most(3), [("window.floor", "askedTogether", asked)])
    yield Row("window-to", "pages", "window: 16 MiB to native", "MiB/s", ("window", "to"),
              ("window.floor", "askedTo", f"C: {asked}"), least(1536))
    yield Row("window-from", "pages", "window: 64 MiB to the page", "MiB/s", ("window", "from"),
              ("window.floor", "askedFrom", f"C: {asked}"), least(400))
    yield Row("window-idle", "pages", "window: processor time of all its processes while it rests", "ms a second", ("window", "idle"),
              ("window.floor", "idle", "C: the same of the bare window"), most(1))


ROWS = [*calls(), *crossing(), *starts(), *variants(), *files(), *stores(), *peers(), *tools(), *web(), *pages()]
GROUPS = list(dict.fromkeys(row.group for row in ROWS))


class Unknown(Exception):
    """A name that chooses no row."""


def choose(names):
    """The rows of a list of names, groups and globs with commas; all for an empty one."""
    words = [word for word in names.replace(",", " ").split() if word]
    chosen = []
    for word in words:
        found = [row for row in ROWS if row.group == word or fnmatch.fnmatchcase(row.name, word)]
        if not found:
            known = [*GROUPS, *(row.name for row in ROWS)]
            near = difflib.get_close_matches(word, known, 1, 0.5)
            hint = f"did you mean '{near[0]}'? " if near else ""
            raise Unknown(f"there is no row '{word}'; {hint}`make bench ROWS=help` lists them")
        chosen += found
    return [row for row in ROWS if row in chosen] if words else ROWS
