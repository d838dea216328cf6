// SPDX-License-Identifier: MIT

import Testing

/// What a server keeps of clients that have gone, and gives to those that have not.
@Suite struct ServedClientTests {
  /// Each of 4,000 asks once by a kept connection: some 70 MB of what libsoup would keep of them.
  @Test(arguments: ["", "wrong"]) func nothingStaysOfConnectionsThatHaveGone(_ behind: String) throws {
    let result = try CommandRunner.run(
      [
        "server.mjs": """
        import { memoryUsage } from "node:process";
        const megabytes = () => memoryUsage().rss >> 20;
        let before;
        const server = await nbridge.http.serve({ port: 0 }, ({ url }) => {
          if (url.endsWith("/begin")) before = megabytes();
          if (url.endsWith("/end")) setTimeout(() => {
            const grown = megabytes() - before;
            console.log(grown < 30 ? "little" : `${grown} MB`);
            exit(0);
          }, 1000);
          return new Response("ok");
        });
        console.log(server.port);
        """,
        "client.py": """
        import socket, sys
        def ask(path, rest=b""):
          client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
          client.sendall(b"GET %s HTTP/1.1\\r\\nHost: localhost\\r\\n\\r\\n" % path)
          client.recv(999)
          if rest:
            client.sendall(rest)
            client.recv(999)
          client.close()
        rest = sys.argv[2].encode() + b"\\r\\n\\r\\n" if len(sys.argv) > 2 else b""
        for i in range(500): ask(b"/", rest)
        ask(b"/begin")
        for i in range(4000): ask(b"/", rest)
        ask(b"/end")
        """,
      ],
      """
      timeout 60 "$NBRIDGE" run server.mjs > out & s=$!
      n=0; until [ -s out ] || [ $n = 200 ]; do sleep 0.05; n=$((n+1)); done
      python3 client.py $(cat out) \(behind); wait $s; tail -n 1 out
      """)
    #expect(result.output == "little\n", "\(result)")
  }

  /// What was begun is answered: a client that still sends, and reads slowly, gets all of it.
  @Test func aServerThatStopsCutsNoAnswer() throws {
    let result = try CommandRunner.run(
      [
        "server.mjs": """
        const server = await nbridge.http.serve(() => {
          server.stop().then(() => console.log("stopped"));
          return new Response(new Uint8Array(4_000_000).fill(65));
        });
        console.log(server.port);
        """,
        "client.py": """
        import socket, sys, threading, time
        client = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
        head = b"POST / HTTP/1.1\\r\\nHost: localhost\\r\\nContent-Length: 3000000\\r\\n\\r\\n"
        client.sendall(head + b"x" * 200000)
        def send():
          for i in range(28):
            client.sendall(b"x" * 100000)
            time.sleep(0.02)
        sending, count = threading.Thread(target=send), 0
        sending.start()
        while piece := client.recv(65536):
          count += piece.count(b"A")
          time.sleep(0.01)
        sending.join()
        print(count)
        """,
      ],
      """
      timeout 60 "$NBRIDGE" run server.mjs > out & s=$!
      n=0; until [ -s out ] || [ $n = 200 ]; do sleep 0.05; n=$((n+1)); done
      python3 client.py $(cat out); wait $s; tail -n 1 out
      """)
    #expect(result.output == "4000000\nstopped\n", "\(result)")
  }
}
