# SPDX-License-Identifier: MIT
# Says lines to a viewer as one that greets, and each as anybody. The lines are those of the file that is named behind the
# socket, in Python's form of bytes.
import ast
import socket
import sys

with open(sys.argv[2], encoding="utf-8") as file:
    lines = ast.literal_eval(file.read())
s = socket.socket(socket.AF_UNIX)
s.connect(sys.argv[1])
s.settimeout(10)
s.sendall(b'{"nbridgeLog":1,"source":"one","app":"a","pid":1}\n')
s.recv(100)
s.sendall(b"".join(lines) + b'{"end":true}\n')
s.close()
for line in lines:
    s = socket.socket(socket.AF_UNIX)
    s.connect(sys.argv[1])
    s.sendall(line.replace(b'"seq":', b'"n":'))
    s.close()
