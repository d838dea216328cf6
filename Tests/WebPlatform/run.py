#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs web-platform-tests: run.py TREE [--with RUNTIME] [--all | --plain] [PATTERN...]

TREE is a checkout of web-platform-tests, or the same folder of a browser's source. Its server is started, on the ports of
its own, and ended; the names of its hosts must lead to 127.0.0.1 (`wpt make-hosts-file >> /etc/hosts`). RUNTIME is nbridge
(NBRIDGE names another program), node or deno. PATTERNs are paths with stars, else "fetch/*", "websockets/*" and
"eventsource/*". What needs HTTP/2 is left out, unless --all is said; WebSockets over it are most of that.

With --plain a server of files is enough, at localhost: for trees that have no other, as the copy in Node's source
(test/fixtures/wpt); PATTERNs are all of them, then.

    Tests/WebPlatform/run.py ~/wpt --with node 'fetch/api/*'
"""
import argparse, fnmatch, json, os, re, shutil, signal, socket, ssl, subprocess, sys, tempfile, time, urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))
PORTS = {"http": 8000, "https": 8443, "h2": 9000}
HOST = "web-platform.test"
SERVE = """
import os, sys
sys.path[:0] = [os.path.join(os.getcwd(), "tools"), os.getcwd()]
import localpaths
from serve import serve
if __name__ == "__main__":
    options = vars(serve.get_parser().parse_args())
    options.pop("func", None)
    serve.run(**options)
"""
TELL = """
;(() => {
  add_completion_callback((tests, status) => {
    for (const test of tests) console.log("##" + JSON.stringify([test.name, test.status, test.message]));
    console.log("##END " + status.status);
    EXIT(0);
  });
  setTimeout(() => timeout(), LIMIT);
})();
"""
COMMANDS = {
    "nbridge": lambda file, base: [os.environ.get("NBRIDGE", "nbridge"), "run", "--classic", file],
    "node": lambda file, base: ["node", "--experimental-websocket", "--no-warnings", file],
    "deno": lambda file, base: ["deno", "run", "-A", "--quiet", "--unsafely-ignore-certificate-errors", "--location", base, file],
}
EXITS = {"nbridge": "exit", "node": "process.exit", "deno": "Deno.exit"}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class Test:
    """A file of the tree in one of its variants."""

    def __init__(self, tree, path, text, variant, is_plain):
        self.tree, self.path, self.text, self.variant, self.is_plain = tree, path, text, variant, is_plain
        self.metas = re.findall(r"^//\s*META:\s*(\w+)=(.*?)\s*$", text, re.M)
        kind = next((kind for kind in ("https", "h2") if f".{kind}." in path), "http")
        self.origin = f"http{'' if kind == 'http' else 's'}://{HOST}:{PORTS[kind]}"
        if is_plain:
            self.origin = f"http://localhost:{PORTS['http']}"
        self.limit = 30 if ("timeout", "long") in self.metas else 8

    @property
    def name(self):
        return self.path + self.variant

    def get(self, path):
        if self.is_plain:
            # A copy may leave some out.
            file = self.tree + path
            return read(file) if os.path.exists(file) else ""
        # A server of HTTP/2 alone has the same files.
        origin = f"http://{HOST}:{PORTS['http']}" if str(PORTS["h2"]) in self.origin else self.origin
        answer = urllib.request.urlopen(origin + path, context=ssl._create_unverified_context())
        return answer.read().decode("utf-8", "surrogatepass")

    def script(self, runtime):
        base = f"{self.origin}/{self.path[:-len('.any.js')]}.any.worker.html{self.variant}"
        prelude = read(os.path.join(HERE, "prelude.js")).replace("BASE", "undefined" if runtime == "deno" else json.dumps(base))
        parts = [prelude, read(os.path.join(self.tree, "resources/testharness.js"))]
        for key, value in self.metas:
            if key == "script":
                parts.append(self.get(os.path.normpath(os.path.join("/", os.path.dirname(self.path), value))))
        parts.append(self.get("/" + self.path) if ".sub." in self.path else self.text)
        parts.append(TELL.replace("EXIT", EXITS[runtime]).replace("LIMIT", str(self.limit * 1000)))
        text = "\n".join(parts)
        # The others take a file for a module.
        return (text if runtime == "nbridge" else f"(0, eval)({json.dumps(text)})"), base

    def run(self, runtime, folder):
        """How each of its parts ended, and whether that was all."""
        file = os.path.join(folder, "test.cjs" if runtime == "node" else "test.js")
        text, base = self.script(runtime)
        with open(file, "w", encoding="utf-8", errors="surrogatepass") as out:
            out.write(text)
        environment = os.environ | {"NODE_TLS_REJECT_UNAUTHORIZED": "0", "NO_COLOR": "1"}
        if not self.is_plain:
            environment["SSL_CERT_FILE"] = os.path.join(self.tree, "tools/certs/cacert.pem")
        try:
            command = COMMANDS[runtime](file, base)
            ended = subprocess.run(command, capture_output=True, timeout=self.limit + 6, cwd=folder, env=environment)
            output = ended.stdout.decode(errors="replace")
        except subprocess.TimeoutExpired as late:
            output = (late.stdout or b"").decode(errors="replace")
        # Names have other ends of lines in them.
        lines = output.split("\n")
        return [json.loads(line[2:]) for line in lines if line.startswith("##[")], "##END 0" in lines


def find(tree, patterns, takes_all, is_plain):
    for folder, _, names in sorted(os.walk(tree)):
        for name in sorted(names):
            path = os.path.relpath(os.path.join(folder, name), tree)
            if not name.endswith(".any.js") or not any(fnmatch.fnmatch(path, pattern) for pattern in patterns):
                continue
            text = read(os.path.join(tree, path))
            whole = Test(tree, path, text, "", is_plain)
            places = [set(value.replace(" ", "").split(",")) for key, value in whole.metas if key == "global"]
            if places and not places[0] & {"window", "worker", "dedicatedworker"}:
                continue
            for variant in [value for key, value in whole.metas if key == "variant"] or [""]:
                if takes_all or "h2" not in path + variant:
                    yield Test(tree, path, text, variant, is_plain)


def start_plain_server(tree):
    nothing, words = subprocess.DEVNULL, [sys.executable, "-m", "http.server", str(PORTS["http"]), "--bind", "127.0.0.1"]
    server = subprocess.Popen(words, cwd=tree, stdout=nothing, stderr=nothing, start_new_session=True)
    while True:
        time.sleep(0.2)
        if server.poll() is not None:
            sys.exit(f"run.py: no server can listen at the port {PORTS['http']}")
        try:
            socket.create_connection(("127.0.0.1", PORTS["http"]), 1).close()
            return server
        except OSError:
            pass


def start_server(tree, is_plain):
    if is_plain:
        return start_plain_server(tree)
    nothing = subprocess.DEVNULL
    server = subprocess.Popen([sys.executable, "-c", SERVE], cwd=tree, stdout=nothing, stderr=nothing, start_new_session=True)
    for _ in range(120):
        time.sleep(0.5)
        if server.poll() is not None:
            sys.exit(f"run.py: the server of '{tree}' has ended; start tools/serve there to see why")
        try:
            # The servers of WebSockets have ports of chance, and begin last.
            told = urllib.request.urlopen(f"http://{HOST}:{PORTS['http']}/websockets/constants.sub.js").read().decode()
            for port in [PORTS["https"], *re.findall(r"\b[0-9]{4,5}\b", told)]:
                socket.create_connection(("127.0.0.1", int(port)), 1).close()
            return server
        except OSError:
            pass
    return server


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tree")
    parser.add_argument("patterns", nargs="*")
    parser.add_argument("--with", dest="runtime", choices=COMMANDS, default="nbridge")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--plain", action="store_true")
    options = parser.parse_intermixed_args()
    program = COMMANDS[options.runtime]("", "")[0]
    if shutil.which(program) is None:
        sys.exit(f"run.py: there is no program '{program}' in PATH; install it, or name it by NBRIDGE=/path/to/nbridge")
    tree = os.path.abspath(options.tree)
    patterns = options.patterns or (["*"] if options.plain else ["fetch/*", "websockets/*", "eventsource/*"])
    server, whole, count, parts, passed = start_server(tree, options.plain), 0, 0, 0, 0
    try:
        with tempfile.TemporaryDirectory() as folder:
            for test in find(tree, patterns, options.all, options.plain):
                # A thread of the server's that a client has left turns round for ever.
                if count % 50 == 49:
                    os.killpg(server.pid, signal.SIGKILL)
                    server.wait()
                    server = start_server(tree, options.plain)
                rows, is_over = test.run(options.runtime, folder)
                bad = [row for row in rows if row[1] != 0]
                count, parts, passed = count + 1, parts + len(rows), passed + len(rows) - len(bad)
                if rows and is_over and not bad:
                    whole += 1
                    continue
                print(f"{test.name}: {len(bad)} of {len(rows)}" + ("" if is_over else ", and no end"))
                for name, _, message in bad[:3]:
                    print(f"    {name}: {message}")
    finally:
        os.killpg(server.pid, signal.SIGKILL)
    print(f"{options.runtime}: {whole} of {count} files whole, {passed} of {parts} parts")


if __name__ == "__main__":
    main()
