# SPDX-License-Identifier: MIT
"""Files of tests, of which all but one must fail, and what each runtime's runner says."""
import pathlib, tempfile
import runtimes

FILES = pathlib.Path(__file__).parent.parent / "NBridgeCLITests" / "Clients" / "testing"
PRELUDES = {
    "nbridge": "",
    "node": 'import { test, describe, before as beforeAll, mock } from "node:test";\n'
            'import assert from "node:assert/strict"; const exit = process.exit;\n',
    "deno": 'import { describe, it as test, before as beforeAll, mock } from "node:test";\n'
            'import assert from "node:assert/strict"; const exit = Deno.exit;\n',
}
ARGUMENTS = {"nbridge": ["test"], "node": ["--test"], "deno": ["test", "--allow-all"]}


def outcome(runtime, text):
    """`fails`, `passes`, or `hangs` for one that had to be killed."""
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "case.test.js" if runtime == "nbridge" else "case.test.mjs")
        file.write_text(PRELUDES[runtime] + text)
        status = runtimes.run([runtimes.PROGRAMS[runtime], *ARGUMENTS[runtime], file.name], folder).status
        return "hangs" if status is None else "passes" if status == 0 else "fails"


def table():
    rows, isRight = [], True
    for file in [FILES / "passes.js", *sorted((FILES / "lies").glob("*.js"))]:
        text = file.read_text()
        if "expect(" in text:
            continue  # Node has none
        must = "passes" if file.stem == "passes" else "fails"
        said = {name: outcome(name, text) for name in runtimes.FOUND}
        isRight = isRight and said["nbridge"] == must
        title = "parts, mocks and a test that is skipped" if must == "passes" else file.stem.replace("-", " ")
        rows.append((title, {name: word if word == must else f"**{word}**" for name, word in said.items()}))
    runtimes.print_table("a file with", rows)
    return isRight
