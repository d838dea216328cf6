# SPDX-License-Identifier: MIT
"""Files that measured commands read, made once for each place."""
import os, shutil
import processes

PASTEBOARDS = {"NBRIDGE_HOME": "{work}/pasteboards"}


def write(place, name, text):
    path = place.path(name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w") as file:
        file.write(text)


# What `measure.js` knows by other words.
KINDS = {
    "immediate": "immediate", "async": "async", "detached": "detached", "fields": "4 fields",
    "text-kilobyte": "string 1 KB", "text-megabyte": "string 1 MB",
    "objects-kept": "1 MB of objects, kept", "objects-decoded": "1 MB of objects, decoded and encoded",
    "bytes-native": "64 MiB of bytes to native", "bytes-script": "64 MiB of bytes to JavaScript",
    "watch": "watch", "promise": "promise call", "objects": "1 MB of objects (stringify + parse)",
}


def only(place):
    """Scripts that say what is measured: short rounds are close to those that they are compared with."""
    for name, kind in KINDS.items():
        write(place, f"only/{name}.js", f"globalThis.only = {kind!r};\n")


def isolation(place):
    """The program that runs isolated plugins."""
    _ = place["plugin_host"]


def scripts(place):
    """A script that calls one built-in action, beside one that calls a loaded plugin's; two files of
    TypeScript that import one another, beside the same as one plain script."""
    write(place, "builtin.js", "await nbridge.app.appInfo();\n")
    write(place, "plugin.js", "await nbridge.bench.immediate();\n")
    write(place, "ts/main.ts",
          'import { add } from "./add"; const sum: number = add(1, 2); console.log(sum);\n')
    write(place, "ts/add.ts", "export const add = (a: number, b: number): number => a + b;\n")
    write(place, "ts/plain.js", "const add = (a, b) => a + b; const sum = add(1, 2); console.log(sum);\n")


def cached_typescript(place):
    """The first run, which keeps the program that the others take."""
    environment = place.environment({"NBRIDGE_HOME": "{work}/ts.home"})
    processes.run([place["nbridge"], "run", place.path("ts", "main.ts")], environment)


def many_plugins(place):
    """A thousand installed plugins."""
    declaration = os.path.join(place["plugin"], ".build", "plugin", "plugin.json")
    for index in range(1000):
        folder = place.path("many", f"plug{index}")
        os.makedirs(folder)
        shutil.copy(declaration, folder)


def document(place, name):
    path = place.path("app", "Documents", name)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    return path


def many_files(place):
    folder = document(place, "many")
    os.mkdir(folder)
    for index in range(100_000):
        os.close(os.open(f"{folder}/{index + 1}", os.O_CREAT | os.O_WRONLY, 0o600))


def big_file(place):
    """A gigabyte that is written, not a hole."""
    with open(document(place, "big"), "wb") as file:
        for _ in range(1024):
            file.write(bytes(1 << 20))


def log_file(place):
    with open(document(place, "log"), "w") as file:
        for index in range(1, 1_000_001):
            file.write(f"{index:07} a line of a log, as long as many are, of some sixty bytes\n")
