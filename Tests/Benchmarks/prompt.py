#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Drives `nbridge repl` on a pseudo-terminal: time from start to the prompt, and from a key press in an
entry of 200 lines to its echo. Prints one figure a line, in milliseconds: start or key."""
import fcntl, os, pty, select, struct, sys, termios, time

program, starts, keys = sys.argv[1], 15, 60


def open_prompt():
    child, terminal = pty.fork()
    if child == 0:
        os.environ.update(TERM="xterm-256color", NBRIDGE_REPL_HISTORY="")
        os.execv(program, [program, "repl"])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    return child, terminal


def read_until(terminal, text, seconds=10):
    seen, end = b"", time.monotonic() + seconds
    while text not in seen:
        if not select.select([terminal], [], [], max(0, end - time.monotonic()))[0]:
            sys.exit(f"no {text!r} in {seconds} s: {seen[-200:]!r}")
        seen += os.read(terminal, 65536)
    return seen


def quiet(terminal):
    """Reads what is still to come."""
    while select.select([terminal], [], [], 0.1)[0]:
        os.read(terminal, 65536)


for _ in range(starts):
    begin = time.monotonic()
    child, terminal = open_prompt()
    read_until(terminal, b"> ")
    print(f"start\t{(time.monotonic() - begin) * 1e3:.3f}")
    os.write(terminal, b"\x04")
    try:
        while os.read(terminal, 4096):
            pass
    except OSError:
        pass
    os.close(terminal)
    os.waitpid(child, 0)

child, terminal = open_prompt()
read_until(terminal, b"> ")
lines = "\n".join(f"const value{i} = {{ name: 'line {i}', list: [1, 2, {i}], text: `a` }};" for i in range(200))
os.write(terminal, b"\x1b[200~" + lines.encode() + b"\n\x1b[201~")
read_until(terminal, b"line 199")
quiet(terminal)
for index in range(keys):
    letter = b"abcdefghij"[index % 10:index % 10 + 1]
    begin = time.monotonic()
    os.write(terminal, letter)
    read_until(terminal, letter)
    print(f"key\t{(time.monotonic() - begin) * 1e3:.3f}")
    quiet(terminal)
os.kill(child, 9)
os.waitpid(child, 0)
