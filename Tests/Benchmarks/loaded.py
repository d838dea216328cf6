#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Starts a server, the words behind `--`, which prints its port, and runs the command before them with the port for PORT."""
import subprocess, sys
cut = sys.argv.index("--")
server = subprocess.Popen(sys.argv[cut + 1:], stdout=subprocess.PIPE, text=True)
try:
    port = server.stdout.readline().strip()
    sys.exit(subprocess.run([word.replace("PORT", port) for word in sys.argv[1:cut]]).returncode)
finally:
    server.kill()
    server.wait()
