# SPDX-License-Identifier: MIT
# A thousand connections that say nothing, but for one whose line never ends.
import resource
import socket
import sys
import time

resource.setrlimit(resource.RLIMIT_NOFILE, (4096, 4096))
all = [socket.create_connection(("127.0.0.1", int(sys.argv[1]))) for _ in range(1000)]
all[0].sendall(b"never ends " * 100000)
open("ready", "w").close()
time.sleep(60)
