# SPDX-License-Identifier: MIT
# Sixty connections with 15 MiB each of a line that has no end yet, and one with a short line.
import socket
import sys

port = int(sys.argv[1])
all = [socket.create_connection(("127.0.0.1", port)) for _ in range(60)]
piece = b"never ends " * (1 << 14)
for _ in range((15 << 20) // len(piece)):
    for s in all:
        s.sendall(piece)
# What is short gets through all the same, also in two parts.
one = socket.create_connection(("127.0.0.1", port))
one.sendall(b"in two ")
all[0].sendall(piece)
one.sendall(b"parts\n")
# Who closes at once may be turned away: nobody can be asked any more.
one.shutdown(socket.SHUT_WR)
for s in all:
    s.sendall(b"\nafter it\n")
    s.close()
while one.recv(1000):
    pass
