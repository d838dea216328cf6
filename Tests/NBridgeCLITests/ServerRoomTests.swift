// SPDX-License-Identifier: MIT

import Testing

/// Servers of scripts in a process that may have few files.
@Suite struct ServerRoomTests {
  /// Who comes while there is no room waits; libsoup's own listener would take none any more.
  @Test func aServerThatHadNoRoomGoesOn() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const server = await nbridge.http.serve(() => {
        setTimeout(() => server.stop(), 100);
        return new Response("there");
      });
      await nbridge.process.stdout.write(`${server.port}\\n`);
      """,
      "crowd.py": """
      import socket
      port = int(input())
      held = []
      for _ in range(200):
          s = socket.socket(); s.setblocking(False); s.connect_ex(("127.0.0.1", port)); held.append(s)
      for s in held: s.close()
      s = socket.create_connection(("127.0.0.1", port)); s.settimeout(20)
      s.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n")
      data = b""
      while (piece := s.recv(999)): data += piece
      print(data[-5:].decode())
      """,
    ])
    let result = try runner.shell(
      """
      mkfifo told
      (ulimit -n 128; exec "$NBRIDGE" run --timeout 60 main.mjs > told) &
      python3 crowd.py < told; status=$?; wait $!; exit $status
      """)
    #expect(result.output == "there\n" && result.status == 0, "\(result)")
  }
}
