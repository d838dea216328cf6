#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the same files of tests by nbridge, Node and Deno, where they are installed, and prints a table of what each
says. The files are those of the tests: all but one must fail. Exits with 1 when nbridge is wrong about one."""
import os, pathlib, shutil, signal, subprocess, sys, tempfile

FILES = pathlib.Path(__file__).parent.parent / "NBridgeCLITests" / "Clients" / "testing"
PRELUDES = {
    "nbridge": "",
    "node": 'import { test, describe, before as beforeAll, mock } from "node:test";\n'
            'import assert from "node:assert/strict"; const exit = process.exit;\n',
    "deno": 'import { describe, it as test, before as beforeAll, mock } from "node:test";\n'
            'import assert from "node:assert/strict"; const exit = Deno.exit;\n',
}
COMMANDS = {
    "nbridge": [os.environ.get("NBRIDGE_PROGRAM", "nbridge"), "test", "{file}"],
    "node": ["node", "--test", "{file}"],
    "deno": ["deno", "test", "--allow-all", "{file}"],
}
SECONDS = 20


def outcome(runtime, text):
    """`fails`, `passes`, or `hangs` for one that had to be killed."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "case.test.js" if runtime == "nbridge" else "case.test.mjs")
        file.write_text(PRELUDES[runtime] + text)
        command = [part.format(file=file) for part in COMMANDS[runtime]]
        environment = dict(os.environ, NBRIDGE_HOME=folder, NO_COLOR="1")
        process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder, env=environment,
            start_new_session=True)
        try:
            return "passes" if process.wait(SECONDS) == 0 else "fails"
        except subprocess.TimeoutExpired:
            # With its children: Node's would go on for ever.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            return "hangs"


def main():
    runtimes = [name for name, command in COMMANDS.items() if shutil.which(command[0])]
    files = [FILES / "passes.js", *sorted((FILES / "lies").glob("*.js"))]
    print("| a file with | " + " | ".join(runtimes) + " |")
    print("| --- |" + " --- |" * len(runtimes))
    wrong = 0
    for file in files:
        text = file.read_text()
        if "expect(" in text:
            continue  # Node has none
        must = "passes" if file.stem == "passes" else "fails"
        said = {name: outcome(name, text) for name in runtimes}
        wrong += said["nbridge"] != must
        cells = [said[name] if said[name] == must else f"**{said[name]}**" for name in runtimes]
        title = "parts, mocks and a test that is skipped" if must == "passes" else file.stem.replace("-", " ")
        print(f"| {title} | " + " | ".join(cells) + " |")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
