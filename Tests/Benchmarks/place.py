# SPDX-License-Identifier: MIT
"""What the commands of `runs.py` name in braces: programs, made when one is first named, and folders."""
import atexit, os, shutil, subprocess, sys, tempfile
import processes

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
# As `make run` builds it.
BUILD = ["swift", "build", "-c", "release", "--static-swift-stdlib", "--product"]
# The floors in C, and what they are linked with.
FLOORS = {
    "floor": ("floor/floor.c", "javascriptcoregtk-4.1", ["-Wno-unused-parameter"]),
    "files_floor": ("floor/files.c", None, []),
    "pasteboard_floor": ("floor/pasteboard.c", "sqlite3", []),
    "peers_floor": ("floor/peers.c", None, []),
    "logs_sender": ("floor/logs.c", None, []),
    "auth_floor": ("floor/auth.c", None, []),
    "gzip_floor": ("floor/gzip.c", "zlib", []),
    "pages_floor": ("floor/pages.c", "gio-2.0", ["-l:libsoup-3.0.so.0"]),
    "window_floor": ("floor/window.c", "webkit2gtk-4.1", []),
    "load": ("floor/load.c", None, []),
    "digest_floor": ("floor/digest.c", "libcrypto", []),
}


def tell(text):
    print(text, file=sys.stderr, flush=True)


def make(words, folder=HERE):
    """Runs a compiler; its output is told only if it fails."""
    done = subprocess.run(words, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        raise processes.Failure(f"'{' '.join(words[:3])}' failed:\n{done.stdout[-2000:]}")
    return done.stdout


class Place(dict):
    """The programs of a checkout, and a folder for what they keep. Keys are what commands name."""

    def __init__(self, root=ROOT, name="this"):
        os.makedirs(os.path.join(HERE, ".work"), exist_ok=True)
        work = tempfile.mkdtemp(prefix=f"{name}.", dir=os.path.join(HERE, ".work"))
        atexit.register(shutil.rmtree, work, ignore_errors=True)
        super().__init__(here=HERE, root=root, name=name, work=work)
        self.made = set()
        open(os.path.join(self["work"], "empty.js"), "w").close()

    def environment(self, more=None):
        own = {"NBRIDGE_HOME": "{work}/home", "NBRIDGE_PLUGINS": "{work}/none", **(more or {})}
        return dict(os.environ, **{key: value.format_map(self) for key, value in own.items()})

    def once(self, key, prepare):
        """What several runs need is made once."""
        if key not in self.made:
            prepare(self)
            self.made.add(key)

    def path(self, *names):
        return os.path.join(self["work"], *names)

    def __missing__(self, name):
        tell(f"building {name} of {self['name']}")
        self[name] = compile_floor(self, name) if name in FLOORS else MAKERS[name](self)
        return self[name]


def compile_floor(place, name):
    source, library, flags = FLOORS[name]
    if library:
        flags = flags + make(["pkg-config", "--cflags", "--libs", library]).split()
    output = place.path(name)
    make(["cc", "-O2", source, "-o", output, *flags])
    return output


def product(name):
    def build(place):
        if name == "nbridge" and place["root"] == ROOT and "NBRIDGE_PROGRAM" in os.environ:
            return os.path.abspath(os.environ["NBRIDGE_PROGRAM"])
        # Its progress is shown: it takes minutes.
        if subprocess.run([*BUILD, name], cwd=place["root"], stdout=sys.stderr).returncode != 0:
            raise processes.Failure(f"{name} of {place['name']} can't be built")
        return os.path.join(place["root"], ".build", "release", name)
    return build


def plugin_library(place):
    """The plugin as that checkout's program builds it."""
    plugin = os.path.join(place["root"], "Tests", "Benchmarks", "plugin")
    make([place["nbridge"], "plugin", "build", plugin])
    return os.path.join(plugin, ".build", "plugin", "libBench.so")


def addon(place):
    headers = "/usr/include/node"
    if not os.path.exists(f"{headers}/node_api.h"):
        raise processes.Absent("node_api.h")
    output = place.path("addon.node")
    make(["cc", "-O2", "-shared", "-fPIC", f"-I{headers}", "node/addon.c", "-o", output])
    return output


def pywebview(place):
    """The interpreter that has it: Debian's."""
    python = "/usr/bin/python3"
    if not os.path.exists(python) or subprocess.run([python, "-c", "import webview.platforms.gtk"], capture_output=True).returncode != 0:
        raise processes.Absent("pywebview")
    return python


MAKERS = {
    "pywebview": pywebview,
    "nbridge": product("nbridge"),
    "host": product("nbridge-benchmark"),
    # Beside the host: it runs isolated plugins.
    "plugin_host": product("nbridge-plugin-host"),
    "library": plugin_library,
    # Its folder, with the library in it.
    "plugin": lambda place: place["library"].removesuffix("/.build/plugin/libBench.so"),
    "addon": addon,
}


def cache():
    """Where builds of other revisions are kept."""
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "nbridge-bench")


def other(revision):
    """A copy of a revision, which stays for the next time; or a checkout in a folder, as it is."""
    if os.path.isfile(os.path.join(revision, "Package.swift")):
        folder = os.path.realpath(revision)
        return Place(folder, os.path.basename(folder))
    words = ["git", "rev-parse", "--verify", "--quiet", "--end-of-options", revision + "^{commit}"]
    found = subprocess.run(words, cwd=ROOT, capture_output=True, text=True).stdout.strip()
    if not found:
        raise SystemExit(f"bench: REV: '{revision}' is neither a revision (`git log --oneline` lists them) "
                         "nor the folder of a checkout")
    folder = os.path.join(cache(), found[:12])
    if not os.path.exists(folder):
        copy(found, folder)
    tell(f"{found[:7]} is built and kept in {folder}; remove it when it isn't needed any more")
    return Place(folder, found[:7])


def copy(revision, folder):
    """The files of a revision, all or none."""
    new = f"{folder}.{os.getpid()}"
    os.makedirs(new)
    command = 'set -o pipefail; git archive "$0" | tar -x -C "$1"'
    subprocess.run(["bash", "-c", command, revision, new], cwd=ROOT, check=True)
    os.rename(new, folder)
