#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs a command beside the server of `node/server.mjs`, whose address takes the place of ORIGIN in it."""
import os, subprocess, sys
here = os.path.dirname(os.path.abspath(__file__))
server = subprocess.Popen(["node", os.path.join(here, "node", "server.mjs")], stdout=subprocess.PIPE, text=True)
try:
    origin = "http://127.0.0.1:" + server.stdout.readline().strip()
    sys.exit(subprocess.run([word.replace("ORIGIN", origin) for word in sys.argv[1:]]).returncode)
finally:
    server.kill()
    server.wait()
