# SPDX-License-Identifier: MIT
# Sends a line to a socket, or to a port of an address, and prints what comes back.
import socket
import sys

path = sys.argv[1] if "/" in sys.argv[1] else None
family = socket.AF_UNIX if path else socket.AF_INET6 if ":" in sys.argv[1] else socket.AF_INET
s = socket.socket(family)
s.connect(path or (sys.argv[1], 24525))
s.settimeout(20)
try:
    s.sendall((sys.argv[2] + "\n").encode())
    s.shutdown(socket.SHUT_WR)
    print(s.recv(10))
except OSError as error:
    print(type(error).__name__)
