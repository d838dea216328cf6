# SPDX-License-Identifier: MIT
# Sends lines as the first logger did: a connection a line, or many, or what is no text.
import socket
import sys
import time


def say(*pieces):
    """A connection of its own."""
    s = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
    for piece in pieces:
        s.sendall(piece)
        time.sleep(0.05)
    s.close()
    time.sleep(0.05)


for line in ["[🐛 DEBUG] one", "[⚠️ WARNING] two", "[🚫 ERROR] three", "[ℹ️ INFO] four", "five"]:
    say(line.encode())
say(
    "[🚫 ERROR] six\nse".encode(),
    b'ven\r\n\n{"level":"error","msg":"eight"}\n',
    b"\xff\xfe bad \x1b[31m\x00 nine\n",
)
say(b"x" * (10 << 20) + b"\n")
say(b"y" * (20 << 20) + b"\nten\n")
