#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Shows the page of `pages/` in a window on a desktop of its own (Xvfb), by the program that the words name, and prints what the page
measured, and how long its first script had to be waited for."""
import contextlib, json, os, re, signal, subprocess, sys, time

from resting import idle

HERE = os.path.dirname(os.path.abspath(__file__))
SERVER = "-screen 0 1024x768x24 -nolisten tcp"
OTHERS = {"NO_AT_BRIDGE": "1", "LC_ALL": "C.UTF-8", "GDK_BACKEND": "x11"}
# On the desktop this starts the program, and says when and as which process.
INNER = """import sys, subprocess, time
start = time.monotonic()
child = subprocess.Popen(sys.argv[1:])
print("start", start, child.pid, flush=True)
sys.exit(child.wait())"""

words = ["xvfb-run", "-a", "-s", SERVER, "dbus-run-session", "--", sys.executable, "-c", INNER, *sys.argv[1:]]
child = subprocess.Popen(words, cwd=HERE, env={**os.environ, **OTHERS}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
                         start_new_session=True)
start = program = figures = None
try:
    for line in child.stdout:
        if line.startswith("start "):
            start, program = float(line.split()[1]), int(line.split()[2])
        elif re.search(r"\bbegun\b", line):
            begun = time.monotonic()
        elif "figures " in line:
            figures = json.loads(re.search(r"figures (\{.*\})", line).group(1))
            time.sleep(2)  # What was begun is done by then.
            figures["idle"] = idle(program)
            break
finally:
    if program:
        with contextlib.suppress(ProcessLookupError):
            os.kill(program, signal.SIGTERM)
    child.wait()
if figures is None or "failed" in figures:
    raise SystemExit(f"the page measured nothing: {figures}")
print(f"start\t{(begun - start) * 1000}")
for name, value in figures.items():
    print(f"{name}\t{value}")
