# SPDX-License-Identifier: MIT
"""What people ask of a command line, asked of each runtime."""
import pathlib, re, tempfile
import runtimes

FILES = {
    "main.js": 'console.log("ran", 1 + 2);\n',
    "typed.ts": 'const name: string = "typed";\nconsole.log(name);\n',
    "other.js": "export const other = 1;\n",
    "faulty.js": "const list = [1, 2;\n",
    "lost.mjs": 'import { x } from "./nowhere.mjs";\nconsole.log(x);\n',
    "endless.js": 'for (let i = 0; i < 1e7; i++) console.log("line", i);\n',
    "waits.js": "setTimeout(() => {}, 60000);\n",
}

# What a person wants, the command of each runtime ({} is its program), and what shows that it was done: a regular
# expression over both outputs, and whether the command must succeed or fail. A runtime that is not named has none.
CASES = [
    ("run a file of JavaScript", dict(nbridge="{} main.js", node="{} main.js", deno="{} run main.js"), "ran 3", 0),
    ("run TypeScript as it is", dict(nbridge="{} typed.ts", node="{} typed.ts", deno="{} run typed.ts"), "typed", 0),
    ("run what comes from a pipe",
     dict(nbridge="cat main.js | {} run -", node="cat main.js | {} -", deno="cat main.js | {} run -"), "ran 3", 0),
    ("evaluate code that awaits",
     dict(nbridge="{} eval 'console.log(await 42)'", node="{} -e 'console.log(await 42)'",
          deno="{} eval 'console.log(await 42)'"), "42", 0),
    ("print the value of code",
     dict(nbridge="{} eval -p '6 * 7'", node="{} -p '6 * 7'", deno="{} eval -p '6 * 7'"), "42", 0),
    ("print a promise's value",
     dict(nbridge="{} eval -p 'Promise.resolve(42)'", node="{} -p 'Promise.resolve(42)'",
          deno="{} eval -p 'Promise.resolve(42)'"), r"^42", 0),
    ("find a fault of syntax without running",
     dict(nbridge="{} check main.js faulty.js", node="{} --check faulty.js", deno="{} check faulty.js"),
     r"faulty\.js:1", 1),
    ("find a file that is not there without running",
     dict(nbridge="{} check lost.mjs", node="{} --check lost.mjs", deno="{} check lost.mjs"), r"nowhere\.mjs", 1),
    ("read the nearest name of a misspelt command",
     dict(nbridge="{} chekc main.js", node="{} isnpect main.js", deno="{} chekc main.js"), "(?i)(mean|similar)", 1),
    ("read the nearest name of a misspelt option",
     dict(nbridge="{} run --permisions x main.js", node="{} --no-warnigs main.js", deno="{} run --allow-raed main.js"),
     "(?i)(mean|similar)", 1),
    ("read only the beginning of what a program prints",
     {name: f"{{}} {run}endless.js | head -1" for name, run in dict(nbridge="", node="", deno="run ").items()},
     r"\Aline 0\n\Z", 0),
    ("complete its words in a shell",
     dict(nbridge="{} completions bash", node="{} --completion-bash", deno="{} completions bash"), "complete", 0),
    ("end a program after a time",
     dict(nbridge="{} run --timeout 0.2 waits.js"), "", 124),
    ("limit a program's memory",
     dict(nbridge="{} eval --memory-limit 300 'const a = []; for (;;) a.push(new Array(1e5).fill(a.length))'",
          node="{} --max-old-space-size=100 -e 'const a = []; for (;;) a.push(new Array(1e5).fill(a.length))'",
          deno="{} eval --v8-flags=--max-old-space-size=100 "
               "'const a = []; for (;;) a.push(new Array(1e5).fill(a.length))'"), "(?i)memory", 1),
    ("get an error as JSON", dict(nbridge="{} eval --json-errors 'throw new Error(1)'"), r'"line":1', 1),
    ("see the permissions that a run needed",
     dict(nbridge="{} eval --audit 'await nbridge.preference.get(\"a\")'"), r"preference\.get", 0),
]


def cell(case, runtime, folder):
    _, commands, shows, status = case
    if runtime not in commands:
        return "has none"
    command = commands[runtime].format(runtimes.PROGRAMS[runtime])
    outcome = runtimes.run(command, folder, shell=True, seconds=60)
    ended = outcome.status is not None and (outcome.status == status if status != 1 else outcome.status != 0)
    return "yes" if ended and re.search(shows, outcome.out + outcome.err, re.MULTILINE) else "no"


def table():
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name, text in FILES.items():
            pathlib.Path(folder, name).write_text(text)
        for case in CASES:
            rows.append((case[0], {name: cell(case, name, folder) for name in runtimes.FOUND}))
    runtimes.print_table("to", rows)
    return all(cells["nbridge"] == "yes" for _, cells in rows)
