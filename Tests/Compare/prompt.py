# SPDX-License-Identifier: MIT
"""What people type at a prompt, typed at each runtime's, on a terminal."""
import os, pty, re, select, signal, tempfile, time
import runtimes

COMMANDS = {"nbridge": ["repl"], "node": [], "deno": ["repl"]}
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[ -/]*[@-~]|\x1b[()=>][0-9A-Za-z]?|\x1b\][^\x07]*\x07")
CTRL_C, TAB, UP = "\x03", "\t", "\x1b[A"

# What a person wants, what is typed (each followed by Enter, unless it ends with a key), and what shows then.
CASES = [
    ("await a value", ["await Promise.resolve(41) + 1"], r"^42"),
    ("go on with the last value", ["6 * 7", "_ + 1"], r"^43"),
    ("declare a constant again", ["const a = 1", "const a = 2", "a + 40"], r"^42"),
    ("write a function in lines", ["function f() {", "return 41 + 1", "}", "f()"], r"^42"),
    ("write TypeScript", ["let n: number = 41; n + 1"], r"^42"),
    ("import a module", ['import { basename } from "node:path"', 'basename("/a/found.txt") + "!"'], r"found\.txt!"),
    ("complete a member", ["JSON.strin" + TAB, ""], r"\[Function: stringify\]|function stringify|stringify\("),
    ("see where an error is", ["const none = null", "none.x"], r"^\s*\^"),
    ("stop a loop that does not end, and go on", ["for (;;) {}", CTRL_C, "40 + 2"], r"^42"),
    ("stop a wait that does not end, and go on", ["await new Promise(() => {})", CTRL_C, "40 + 2"], r"^42"),
    ("read what a misspelt command of the prompt may mean", [".hepl"], r"(?i)mean"),
]


class Terminal:
    """A prompt on a terminal of its own."""

    def __init__(self, runtime, folder):
        program = runtimes.PROGRAMS[runtime]
        environment = dict(os.environ, NBRIDGE_HOME=f"{folder}/home", HOME=folder, TERM="xterm", NBRIDGE_PLUGINS=":")
        self.process, self.file = pty.fork()
        if self.process == 0:
            os.chdir(folder)
            os.execvpe(program, [program, *COMMANDS[runtime]], environment)

    def type(self, text):
        os.write(self.file, text.encode())

    def read(self, seconds, quiet=0.6):
        """What is written until nothing comes for a while."""
        end, shown = time.monotonic() + seconds, b""
        while time.monotonic() < end:
            if not select.select([self.file], [], [], quiet)[0]:
                break
            try:
                shown += os.read(self.file, 65536)
            except OSError:
                break
        return ESCAPES.sub("", shown.decode(errors="replace")).replace("\r", "\n")

    def close(self):
        os.kill(self.process, signal.SIGKILL)
        os.waitpid(self.process, 0)
        os.close(self.file)


def shown(runtime, lines):
    with tempfile.TemporaryDirectory() as folder:
        terminal = Terminal(runtime, folder)
        try:
            terminal.read(10, quiet=1)
            text = ""
            for line in lines:
                terminal.type(line if line.endswith((CTRL_C, TAB)) else line + "\r")
                text = terminal.read(5)
            return text
        finally:
            terminal.close()


def table():
    rows = []
    for title, lines, shows in CASES:
        cells = {}
        for name in runtimes.FOUND:
            text = shown(name, lines)
            cells[name] = "yes" if re.search(shows, text, re.MULTILINE) else "no"
        rows.append((title, cells))
    runtimes.print_table("to", rows)
    return all(cells["nbridge"] == "yes" for _, cells in rows)
