# SPDX-License-Identifier: MIT
"""The commands that are measured. One may give the figures of several rows; `rows.py` says which."""
import os, re, shlex, shutil, statistics
import figures, fixtures, processes, scenes


class Run:
    """A command with names of `place.py` in braces, or a function of a place that answers figures.

    Its output is lines `KEY<tab>VALUE`, or with `columns` one line of numbers. A command's `wall` and `cpu`
    time (ms) and its memory `rss` (MiB) are figures as well. `rounds` is how often it is measured, in turn
    with what stands beside it, and `times` how often in a round; `prepare` names what of `fixtures.py` must
    be there, `removes` what must not; `shown` is a title by which its output stands in the results."""

    def __init__(self, name, command, columns=None, rounds=5, times=1, drops_output=False, environment=None,
                 prepare=(), removes=(), shown=None):
        self.name, self.command, self.columns, self.rounds, self.times = name, command, columns, rounds, times
        self.drops_output, self.environment, self.shown = drops_output, environment, shown
        self.prepare, self.removes = prepare, removes

    def is_ours(self):
        """Whether it measures what is built, not what stands beside it."""
        return callable(self.command) or any(f"{{{name}}}" in self.command for name in ("nbridge", "host"))

    def told(self):
        """The command as a reader may type it, or what the function does."""
        if callable(self.command):
            return self.command.__doc__.split("\n")[0].rstrip(".")
        settings = [f"{key}={value}" for key, value in (self.environment or {}).items()]
        words = " ".join([*settings, self.command]).replace("{host}", "nbridge-benchmark")
        return re.sub(r"\{(?:work|here)\}/|[{}]", "", words)

    def words(self, place):
        return [word.format_map(place) for word in shlex.split(self.command)]

    def get_ready(self, place):
        """Builds and makes what it needs, so that no round has to."""
        if callable(self.command):
            place["nbridge"]
        elif not shutil.which(self.words(place)[0]):
            raise processes.Absent(self.words(place)[0])
        for prepare in self.prepare:
            place.once(prepare.__name__, prepare)

    def measure(self, place):
        """The figures of one round, by their names."""
        rounds = [self.once(place) for _ in range(self.times)]
        return {key: statistics.median(one[key] for one in rounds) for key in rounds[0]}

    def once(self, place):
        for path in self.removes:
            remove(path.format_map(place))
        if callable(self.command):
            return self.command(place)
        ended = processes.run(self.words(place), place.environment(self.environment), self.drops_output)
        if self.shown:
            place[f"shown by {self.name}"] = ended.out
        own = dict(wall=ended.wall, cpu=ended.cpu, rss=ended.rss)
        if self.columns:
            return {**own, **figures.read_columns(ended.out, self.columns)}
        return {**own, **figures.read(ended.error + "\n" + ended.out)}


def remove(path):
    if os.path.isdir(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)


def starts(name, command, **more):
    """A short process: a round is one start."""
    return Run(name, command, rounds=33, drops_output=True, **more)


def documents(name, words, **more):
    return Run(name, f"{{nbridge}} run --container {{work}}/app documents.js {words}", **more)


def pasteboard(name, words, **more):
    return Run(name, f"{{nbridge}} run pasteboard.js {words}", environment=fixtures.PASTEBOARDS, **more)


def preference(name, words):
    return Run(name, f"{{nbridge}} run --container {{work}}/preferences preference.js {words}",
               columns=["each"])


def logger(name, words, **more):
    return Run(name, f"{{nbridge}} run --container {{work}}/logger.app logger.js {words}",
               removes=["{work}/logger.app"], **more)


def calls(name, command, kind, prepare=()):
    """Measures one kind of call."""
    return Run(name, command.replace("{only}", f"{{work}}/only/{kind}.js"), prepare=[fixtures.only, *prepare],
               removes=["{work}/run.rec"])


CALLED = ["immediate", "async", "detached", "fields"]
CROSSING = ["text-kilobyte", "text-megabyte", "objects-kept", "objects-decoded", "bytes-native",
            "bytes-script"]
CALLS = [*CALLED, *CROSSING, "watch"]
FLOOR = ["promise", "fields", "text-kilobyte", "text-megabyte", "objects", "bytes-native", "bytes-script"]
TYPESCRIPT = {"NBRIDGE_HOME": "{work}/ts.home"}
MANY = {"NBRIDGE_PLUGINS": "{work}/many"}
ALL = [
    # Calls of a plugin, events of a watch, what crosses: each kind by itself.
    *(calls(f"calls.{kind}", "{host} {only} measure.js nbridge.js", kind) for kind in CALLS),
    *(calls(f"floor.{kind}", "{floor} {only} measure.js floor/run.js", kind) for kind in FLOOR),
    *(calls(f"node.{kind}", "node -r {only} node/run.js {addon} {here}/measure.js", kind)
      for kind in ("immediate", "detached", "fields")),
    *(calls(f"{name}.{kind}", f"{{host}} {flag}{{only}} measure.js {script}.js", kind)
      for name, flag, script, more in (("linked", "", "loaded", ["watch"]),
                                       ("loaded", "--library {library} ", "loaded", ["watch"]),
                                       ("unrecorded", "", "recorded", []),
                                       ("recorded", "--record {work}/run.rec ", "recorded", []))
      for kind in [*CALLED, *more]),
    *(calls(f"isolated.{kind}", "{host} --isolated {library} {only} measure.js loaded.js", kind,
            [fixtures.isolation]) for kind in [*CALLED, "watch", "bytes-script"]),
    # Starts.
    starts("start", "{nbridge} run {work}/empty.js"),
    starts("start.floor", "{floor} {work}/empty.js"),
    starts("start.node", "node {work}/empty.js"),
    starts("start.deno", "deno run {work}/empty.js"),
    starts("start.gjs", "gjs {work}/empty.js"),
    starts("start.builtin", "{nbridge} run {work}/builtin.js", prepare=[fixtures.scripts]),
    starts("start.plugin", "{nbridge} run --plugin {plugin} {work}/plugin.js", prepare=[fixtures.scripts]),
    starts("start.isolated", "{nbridge} run --isolate all --plugin {plugin} {work}/plugin.js",
           prepare=[fixtures.scripts, fixtures.isolation]),
    Run("isolated.idle", scenes.isolated, prepare=[fixtures.isolation]),
    starts("start.many", "{nbridge} run {work}/empty.js", environment=MANY, prepare=[fixtures.many_plugins]),
    starts("start.plain", "{nbridge} run {work}/ts/plain.js", prepare=[fixtures.scripts]),
    starts("start.first", "{nbridge} run {work}/ts/main.ts", environment={"NBRIDGE_HOME": "{work}/ts.new"},
           removes=["{work}/ts.new"], prepare=[fixtures.scripts]),
    starts("start.cached", "{nbridge} run {work}/ts/main.ts", environment=TYPESCRIPT,
           prepare=[fixtures.scripts, fixtures.cached_typescript]),
    Run("memory", scenes.memory, rounds=1),
    # Files.
    documents("durable", "sequential 2000 1", columns=["rate"]),
    documents("durable.flight", "flight 2000 1", columns=["rate"]),
    Run("durable.floor", "{files_floor} {work}/files.floor 2000 1", columns=["rate"]),
    documents("quick", "sequential 10000 0", columns=["rate"]),
    documents("quick.flight", "flight 10000 0", columns=["rate"]),
    Run("quick.floor", "{files_floor} {work}/files.floor 10000 0", columns=["rate"]),
    documents("keystroke", "keystroke 200000", columns=["each"]),
    documents("list", "list 100000", prepare=[fixtures.many_files], drops_output=True),
    Run("list.find", "find {work}/app/Documents/many", prepare=[fixtures.many_files], drops_output=True),
    documents("stream", "stream", prepare=[fixtures.big_file], removes=["{work}/app/Documents/copy"]),
    Run("stream.cp", "cp {work}/app/Documents/big {work}/app/Documents/copy", prepare=[fixtures.big_file],
        removes=["{work}/app/Documents/copy"]),
    documents("lines", "lines log", prepare=[fixtures.log_file]),
    Run("lines.node", "node node/lines.mjs {work}/app/Documents/log", prepare=[fixtures.log_file]),
    # Pasteboards and preferences.
    pasteboard("pasteboard.set", "set 5000", columns=["each", "mean"]),
    pasteboard("pasteboard.get", "get 5000", columns=["each", "mean"]),
    pasteboard("pasteboard.large", "large 7", columns=["each"]),
    Run("pasteboard.watch", scenes.watchers, rounds=1),
    Run("transaction", "{pasteboard_floor} commit {work}/board.db 5000", columns=["each"],
        removes=["{work}/board.db", "{work}/board.db-wal", "{work}/board.db-shm"]),
    Run("memcpy", "{pasteboard_floor} memcpy", columns=["each"]),
    preference("preference.get", "get 50000"),
    preference("preference.set", "set 3000"),
    preference("preference.nothing", "nothing 50000"),
    # Peers.
    Run("peers", scenes.peers, rounds=3),
    Run("peers.floor", "{peers_floor}", columns=["trip"], rounds=3),
    Run("peers.socat", scenes.socat, rounds=3),
    Run("peers.crowd", scenes.crowd, rounds=1),
    Run("peers.simulate", "{nbridge} peers simulate --scale 10,30,100,300", rounds=1,
        shown="Simulated sessions of N peers, what each peer does (`nbridge peers simulate --scale`)"),
    # Logs, authentication, the prompt.
    logger("log.call", "call"),
    logger("log.file", "file 500000", columns=["rate"]),
    Run("log.view", scenes.viewer, rounds=1),
    Run("auth", "{nbridge} run --auth pass auth.js"),
    Run("auth.floor", "{auth_floor} {work}", columns=["each"]),
    Run("prompt", "python3 prompt.py {nbridge}", rounds=3),
    Run("prompt.start", "{nbridge} run {work}/empty.js", times=15, rounds=3, drops_output=True),
    # What the web's globals do.
    Run("web", "{nbridge} run web.js", drops_output=True),
    Run("web.node", "node web.js", drops_output=True),
    Run("web.deno", "deno run --allow-all web.js", drops_output=True),
    Run("gzip", "{nbridge} run compression.mjs"),
    Run("gzip.floor", "{gzip_floor}"),
    Run("gzip.node", "node compression.mjs"),
    Run("fetch", "python3 -B served.py {nbridge} run fetch.mjs ORIGIN"),
    Run("fetch.node", "python3 -B served.py node fetch.mjs ORIGIN"),
    Run("fetch.curl", scenes.curl),
    Run("serve", "python3 -B loaded.py {load} PORT 50000 -- {nbridge} run serve.mjs"),
    Run("serve.node", "python3 -B loaded.py {load} PORT 50000 -- node serve.mjs"),
    Run("sockets", "python3 -B loaded.py {nbridge} run sockets.mjs http://127.0.0.1:PORT/ -- {nbridge} run echo.mjs"),
    Run("workers", "{nbridge} run workers.mjs"),
    Run("workers.node", "node workers.mjs"),
    Run("pages", "python3 -B pages.py {nbridge} serve --container {work}/pages --plugin {library} pages/quiet.html", rounds=3),
    Run("pages.floor", "python3 -B pages.py {pages_floor} pages", rounds=3),
    Run("window", "python3 -B windows.py {nbridge} window --container {work}/window --plugin {library} pages",
        rounds=3),
    Run("window.floor", "python3 -B windows.py {window_floor} pages", rounds=3),
    Run("window.pywebview", "python3 -B windows.py {pywebview} -B pywebview.py", rounds=3),
    Run("digest", "{nbridge} run digest.mjs"),
    Run("digest.floor", "{digest_floor}"),
    Run("digest.node", "node digest.mjs"),
]
RUNS = {run.name: run for run in ALL}
