# SPDX-License-Identifier: MIT
"""The viewer on a pseudo-terminal: memory with many records, filters, keys while records come.

    logs.py NBRIDGE SENDER HOME LINES
"""
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios
import time

program, sender, home, lines = sys.argv[1], sys.argv[2], sys.argv[3], int(sys.argv[4])
pid, terminal = pty.fork()
if pid == 0:
    os.environ.update(NBRIDGE_HOME=home, TERM="xterm-256color")
    os.execv(program, [program, "logs", "--port", "0"])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 140, 0, 0))
text = b""


def read(seconds):
    """What comes within a time, at least once; empty when nothing does."""
    global text
    if not select.select([terminal], [], [], seconds)[0]:
        return b""
    part = os.read(terminal, 1 << 20)
    text = (text + part)[-1 << 20:]
    return part


def until(holds, limit=30):
    end = time.monotonic() + limit
    while not holds():
        if time.monotonic() > end:
            raise SystemExit(f"the screen never showed it: {text[-2000:]!r}")
        read(0.01)


def press(keys, wanted):
    """Milliseconds from a key to the screen that shows what it asked for, wholly drawn."""
    global text
    text = b""
    begin = time.perf_counter()
    os.write(terminal, keys)
    until(lambda: re.search(wanted, text) and text.endswith(b"\x1b[?2026l"))
    return (time.perf_counter() - begin) * 1000


until(lambda: b"Nothing has come" in text)
socket = os.path.join(home, ".run", "logs.sock")
feed = subprocess.run([sender, socket, "10", str(lines // 10)], capture_output=True, text=True, check=True)
print(f"rate\t{feed.stdout.strip()}")
until(lambda: f"{lines:,} records".encode() in text)
time.sleep(1)
with open(f"/proc/{pid}/status") as file:
    print("rss\t" + re.search(r"VmRSS:\s+(\d+)", file.read()).group(1))
for _ in range(5):
    # A level of which there is one in a hundred; a text that stands in one of 97; one that stands nowhere.
    print(f"level\t{press(b'6', b'level .* error'):.1f}")
    print(f"clear\t{press(b'x', b'records'):.1f}")
    os.write(terminal, b"f")
    until(lambda: b"filter:" in text)
    print(f"text\t{press(b'page/33', b'filter: page/33[^0-9]'):.1f}")
    os.write(terminal, b"\r")
    press(b"x", b"records")
    os.write(terminal, b"f")
    until(lambda: b"filter:" in text)
    os.write(terminal, b"nowher")
    until(lambda: b"filter: nowher" in text and b"looking" not in text[-300:])
    text = b""
    begin = time.perf_counter()
    os.write(terminal, b"e")
    # It is over when it does not look any more.
    until(lambda: re.search(rb"following[^\x1b]*filter: nowhere", text) and text.endswith(b"\x1b[?2026l"))
    print(f"nowhere\t{(time.perf_counter() - begin) * 1000:.1f}")
    os.write(terminal, b"\r")
    press(b"x", b"records")
stream = subprocess.Popen([sender, socket, "10", "25000", "50000"], stdout=subprocess.DEVNULL)
time.sleep(1)
while stream.poll() is None:
    print(f"key\t{press(b'5', b'level .* warning'):.1f}")
    time.sleep(0.07)
    print(f"key\t{press(b'1', b'following  [0-9,]+ records  [0-9,]+/s  *.{0,8}$|records  [0-9,]+/s   '):.1f}")
    time.sleep(0.07)
os.write(terminal, b"q")
os.waitpid(pid, 0)
