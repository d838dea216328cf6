#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Writes Sources/nbridge/start.order: the functions of the program that a start runs, those first that every start runs. The
linker puts them next to each other. Needs valgrind, and a release build."""
import os
import re
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = f"{ROOT}/.build/release/nbridge"
ORDER = f"{ROOT}/Sources/nbridge/start.order"

# What programs do when they begin, from what all do to what some do.
SCENES = {
    "empty.js": "",
    "console.js": "console.log({ a: 1, b: [1, 2] }, 'text'); setTimeout(() => console.log('later'), 1);",
    "main.mjs": "import { half } from './half.mjs'; console.log(half(2));",
    "calls.mjs": """
        await nbridge.preference.set('a', { b: 1 });
        console.log(await nbridge.preference.get('a'));
        await nbridge.documents.write('a.txt', 'text');
        console.log(await nbridge.documents.read('a.txt'));""",
    "fails.mjs": "await nbridge.documents.read('nothing.txt');",
}


def functions(script, program, folder):
    """The names of the program's own functions that ran."""
    out = f"{folder}/out"
    environment = os.environ | {"HOME": folder, "XDG_DATA_HOME": f"{folder}/data", "JSC_useJIT": "false"}
    command = ["valgrind", "--tool=callgrind", "--demangle=no", f"--callgrind-out-file={out}", program, "run", script]
    subprocess.run(command, env=environment, cwd=folder, capture_output=True, check=False)
    objects, names, found, own = {}, {}, [], False
    for line in open(out):
        if match := re.match(r"ob=\((\d+)\)(?: (.*))?$", line):
            own = objects.setdefault(match[1], match[2]) == program
        elif match := re.match(r"cob=\((\d+)\)(?: (.*))?$", line):
            objects.setdefault(match[1], match[2])
        elif match := re.match(r"(c?)fn=\((\d+)\)(?: (.*))?$", line):
            name = names.setdefault(match[2], match[3])
            if own and not match[1]:
                found.append(re.sub(r"'\d+$", "", name))
    return found


def main():
    if not os.path.exists(PROGRAM):
        sys.exit(f"{PROGRAM} is missing: make release")
    order = {}
    with tempfile.TemporaryDirectory() as folder:
        folder = os.path.realpath(folder)
        program = f"{folder}/nbridge"
        # valgrind reads its debug information for minutes.
        subprocess.run(["objcopy", "--strip-debug", PROGRAM, program], check=True)
        open(f"{folder}/half.mjs", "w").write("export const half = (number) => number / 2;")
        for name, text in SCENES.items():
            open(f"{folder}/{name}", "w").write(text)
        for name in SCENES:
            for _ in range(2):  # The second finds its modules linked.
                order |= dict.fromkeys(functions(f"{folder}/{name}", program, folder))
            print(f"{name}: {len(order)} functions")
    names = [name for name in order if re.fullmatch(r"[A-Za-z_$.][\w$.]*", name)]
    open(ORDER, "w").write("\n".join(names) + "\n")


main()
