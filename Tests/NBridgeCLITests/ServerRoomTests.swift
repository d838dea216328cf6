// SPDX-License-Identifier: MIT

import Testing

/// Servers of scripts in a process that may have few files.
@Suite struct ServerRoomTests {
  /// Who comes while there is no room waits; libsoup's own listener would take none any more.
  @Test func aServerThatHadNoRoomGoesOn() throws {
    let result = try last(
      behind: """
        for _ in range(200):
            s = socket.socket(); s.setblocking(False); s.connect_ex(("127.0.0.1", port)); held.append(s)
        for s in held: s.close()
        """)
    #expect(result.output == "there\n" && result.status == 0, "\(result)")
  }

  /// They have begun a request, say nothing more, and stay.
  @Test func whoSaysNothingMoreKeepsNobodyElseOut() throws {
    let result = try last(
      behind: """
        for number in range(200):
            s = socket.create_connection(("127.0.0.1", port))
            head = b"POST / HTTP/1.1\\r\\nHost: a\\r\\nContent-Length: 100\\r\\n\\r\\n"
            s.sendall(head + b"a" if number % 2 else head[:20])
            held.append(s)
        """)
    #expect(result.output == "there\n" && result.status == 0, "\(result)")
  }

  /// What the last client is told by a server that may have 128 files, behind a crowd in Python: `held` keeps
  /// its sockets.
  private func last(behind crowd: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const server = await nbridge.http.serve(async (request) => {
        if (request.method === "POST") return new Response(await request.text());
        setTimeout(() => server.stop(), 100);
        return new Response("there");
      });
      await nbridge.process.stdout.write(`${server.port}\\n`);
      server.finished.then(() => exit(0));
      """,
      "crowd.py": """
      import socket
      port = int(input())
      held = []
      \(crowd)
      s = socket.create_connection(("127.0.0.1", port)); s.settimeout(20)
      s.sendall(b"GET / HTTP/1.1\\r\\nHost: a\\r\\nConnection: close\\r\\n\\r\\n")
      data = b""
      while (piece := s.recv(999)): data += piece
      print(data[-5:].decode())
      """,
    ])
    return try runner.shell(
      """
      mkfifo told
      (ulimit -n 128; exec "$NBRIDGE" run --timeout 120 main.mjs > told) &
      python3 crowd.py < told; status=$?; wait $!; exit $status
      """)
  }

  /// The loops of workers end with them, whatever their servers were about.
  @Test func workersThatServedAndWereTerminatedLeaveNoFiles() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const served = `
        const server = await nbridge.http.serve(() => new Response("there"));
        postMessage(server.url);`;
      const script = URL.createObjectURL(new Blob([served], { type: "text/javascript" }));
      for (let turn = 0; turn < 60; turn++) {
        const worker = new Worker(script, { type: "module" });
        const url = await new Promise((resolve, reject) => {
          worker.onmessage = ({ data }) => resolve(data);
          worker.onerror = ({ message }) => reject(new Error(`${turn}: ${message}`));
        });
        if (turn % 2 === 0) await (await fetch(url)).text();
        worker.terminate();
      }
      console.log("all");
      """
    ])
    let result = try runner.shell("ulimit -n 64; exec timeout -k 1 120 \"$NBRIDGE\" run main.mjs")
    #expect(result.output == "all\n" && result.status == 0, "\(result)")
  }
}
