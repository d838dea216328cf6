# SPDX-License-Identifier: MIT
# Two thousand programs, one after the other, each with one record.
import json
import socket
import sys

for number in range(2000):
    program = socket.socket(socket.AF_UNIX)
    program.connect(sys.argv[1])
    hello = {"nbridgeLog": 1, "source": f"s{number}", "app": f"app{number}", "pid": 1}
    record = '{"seq":1,"time":"2026-01-01T00:00:00.000Z","level":"info","message":"' + "x" * 2000 + '"}'
    greeting = json.dumps(hello, separators=(",", ":"))
    program.sendall(f'{greeting}\n{record}\n{{"end":true}}\n'.encode())
    program.makefile().readline()
    program.close()
