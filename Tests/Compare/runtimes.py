# SPDX-License-Identifier: MIT
"""The runtimes that are compared: those that are installed here, and how programs are run by them."""
import os, shutil, signal, subprocess

PROGRAMS = {
    "nbridge": os.environ.get("NBRIDGE_PROGRAM", "nbridge"),
    "node": "node",
    "deno": "deno",
}
FOUND = [name for name, program in PROGRAMS.items() if shutil.which(program)]


class Outcome:
    """What came of a command; `status` is None for one that had to be killed."""

    def __init__(self, status, out, err):
        self.status, self.out, self.err = status, out, err


def run(command, folder, typed="", seconds=20, shell=False):
    """Runs a command in a folder of its own, with its children in a group that is killed when time is over."""
    environment = dict(os.environ, NBRIDGE_HOME=f"{folder}/home", NO_COLOR="1", NBRIDGE_PLUGINS=":")
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=folder, env=environment,
        text=True, errors="replace", start_new_session=True, shell=shell)
    try:
        out, err = process.communicate(typed, seconds)
        return Outcome(process.returncode, out, err)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return Outcome(None, out, err)


def print_table(head, rows):
    """Rows are a title and a cell for each runtime."""
    print(f"| {head} | " + " | ".join(FOUND) + " |")
    print("| --- |" + " --- |" * len(FOUND))
    for title, cells in rows:
        print(f"| {title} | " + " | ".join(cells[name] for name in FOUND) + " |")
