# SPDX-License-Identifier: MIT
"""Faulty programs, and what each runtime's report leaves out."""
import pathlib, re, tempfile
import runtimes

ARGUMENTS = {"nbridge": ["run"], "node": [], "deno": ["run", "--allow-all"]}
# Frames of the runtime's own, which tell an author nothing.
OWN_FRAMES = re.compile(r"^\s+at .*(node:internal|ext:|nbridge:|Module\._|ModuleJob|ModuleLoader)", re.MULTILINE)


class Case:
    """A program, the place of its fault as file, line and the text that a caret should stand under, and what else a
    report should tell, as name and regular expression."""

    def __init__(self, title, files, place=None, **facts):
        self.title, self.files, self.place, self.facts = title, files, place, facts
        self.main = next(iter(files))

    def missing(self, report):
        """What the report leaves out."""
        left = [name.replace("_", " ") for name, text in self.facts.items() if not re.search(text, report)]
        if self.place:
            left += self.missing_place(report, *self.place)
        own = len(OWN_FRAMES.findall(report))
        return left + ([f"{own} frames of its own"] if own else [])

    def missing_place(self, report, file, number, word):
        source = self.files[file].split("\n")[number - 1]
        left = [] if f"{file}:{number}" in report else ["the place"]
        lines = report.split("\n")
        if source not in lines:
            return left + ["the line"]
        under = lines[lines.index(source) + 1]
        return left if under.find("^") == source.index(word) else left + ["the caret"]


CASES = [
    Case("throws in a function",
         {"main.mjs": 'function inner(n) {\n  if (n === 0) throw new RangeError("no more");\n  inner(n - 1);\n}\n'
                      "inner(2);\n"},
         ("main.mjs", 2, "throw"), message="RangeError: no more", the_call=r"main\.mjs:5"),
    Case("throws an error of a class of its own",
         {"main.mjs": "class Wrong extends Error {\n  constructor(text) {\n    super(text);\n    this.name = 'Wrong';\n"
                      "  }\n}\nfunction check() {\n  throw new Wrong('too much');\n}\ncheck();\n"},
         ("main.mjs", 8, "throw"), message="Wrong: too much", the_call=r"main\.mjs:10"),
    Case("throws an object", {"main.mjs": 'const a = 1;\nthrow { code: 5, text: "no" };\n'},
         ("main.mjs", 2, "throw"), the_value=r"\{ code: 5, text: .no. \}"),
    Case("rejects a promise that nobody handles",
         {"main.mjs": 'async function load() {\n  await null;\n  throw new Error("nobody");\n}\nload();\n'},
         ("main.mjs", 3, "throw"), message="Error: nobody", that_it_was_not_handled="(?i)unhandled|in promise"),
    Case("throws in a timer", {"main.mjs": "setTimeout(() => {\n  const none = null;\n  none.x();\n}, 1);\n"},
         message="TypeError", the_place=r"main\.mjs:3", the_line=r"none\.x\(\);"),
    Case("throws an error with a cause",
         {"main.mjs": 'function read() {\n  throw new Error("the disk is gone");\n}\ntry {\n  read();\n'
                      '} catch (error) {\n  throw new Error("no settings", { cause: error });\n}\n'},
         ("main.mjs", 7, "throw"), message="Error: no settings", the_cause="Error: the disk is gone",
         the_causes_place=r"main\.mjs:2"),
    Case("awaits promises that are all rejected",
         {"main.mjs": "const fail = (text) => Promise.reject(new Error(text));\n"
                      'await Promise.any([fail("first"), fail("second")]);\n'},
         message="AggregateError", the_first="Error: first", the_second="Error: second",
         the_place_of_the_await=r"main\.mjs:2"),
    Case("names a file that is not there",
         {"main.mjs": 'import { help } from "./helpr.mjs";\nhelp();\n', "helper.mjs": "export function help() {}\n"},
         ("main.mjs", 1, '"./helpr.mjs'), the_name=r"helpr\.mjs", the_nearest_name=r"helper\.mjs"),
    Case("names an export that is not there",
         {"main.mjs": 'import { hepl } from "./helper.mjs";\nhepl();\n', "helper.mjs": "export function help() {}\n"},
         ("main.mjs", 1, "hepl"), the_name="hepl", the_nearest_name=r"\bhelp\b"),
    Case("has a fault of syntax in a module",
         {"main.mjs": 'import "./helper.mjs";\n', "helper.mjs": "export function help() {\n  return 1 +;\n}\n"},
         ("helper.mjs", 2, ";"), message="SyntaxError"),
    Case("imports JSON with a fault",
         {"main.mjs": 'import data from "./data.json" with { type: "json" };\nconsole.log(data);\n',
          "data.json": '{\n  "a": 1,\n  b: 2\n}\n'},
         ("data.json", 3, "b"), message="SyntaxError"),
    Case("uses a name that is not there", {"main.mjs": "const total = 1;\nconsole.log(totla);\n"},
         ("main.mjs", 2, "totla"), message="ReferenceError"),
    Case("calls a method that is not there", {"main.mjs": "const list = [3, 1];\nlist.sortt();\n"},
         ("main.mjs", 2, "sortt"), message=r"TypeError: list\.sortt is not a function"),
    Case("is TypeScript, and throws",
         {"main.ts": "interface Place {\n  name: string;\n}\nfunction find(): Place {\n"
                     '  throw new Error("no place" as string);\n}\nfind();\n'},
         ("main.ts", 5, "throw"), message="Error: no place", the_call=r"main\.ts:7"),
    Case("waits for what never comes", {"main.mjs": 'console.log("before");\nawait new Promise(() => {});\n'},
         what_waits=r"(?i)await", the_place=r"main\.mjs:2"),
    Case("calls itself without end", {"main.mjs": "function f(n) {\n  return f(n + 1) + 1;\n}\nf(0);\n"},
         message="RangeError", the_place=r"main\.mjs:2"),
]


def report(runtime, case):
    """What the runtime writes on stderr."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in case.files.items():
            pathlib.Path(folder, name).write_text(text)
        outcome = runtimes.run([runtimes.PROGRAMS[runtime], *ARGUMENTS[runtime], case.main], folder)
        return "" if outcome.status == 0 else outcome.err


def table():
    rows = []
    for case in CASES:
        left = {name: case.missing(report(name, case)) for name in runtimes.FOUND}
        rows.append((case.title, {
            name: "tells all" if not left[name] else "not " + ", ".join(left[name]) for name in runtimes.FOUND}))
    runtimes.print_table("a program that", rows)
    return all(cells["nbridge"] == "tells all" for _, cells in rows)
