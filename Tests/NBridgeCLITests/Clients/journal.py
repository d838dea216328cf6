# SPDX-License-Identifier: MIT
# The socket of the system's journal: prints what comes first, and whether the next is long.
import os
import socket

os.makedirs("/run/systemd/journal")
s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
s.bind("/run/systemd/journal/socket")
open("ready", "w").close()
print(s.recv(1 << 20))
print(len(s.recv(1 << 20)) > 4096)
