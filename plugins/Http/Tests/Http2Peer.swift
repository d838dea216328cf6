// SPDX-License-Identifier: MIT

import NBridgeTesting

/// A server of Node's that speaks HTTP/2, counts connections and sees how streams end.
enum Http2Peer {
  /// Runs a script with the name `peer`, the origin of a server; `answers` are properties of an object: by
  /// path, what is done with a stream of Node's and its headers. A setting is more of Node's options.
  static func run(_ answers: String, setting: String = "", _ script: String) async throws
    -> ScriptHarness.Result
  {
    let server = try PeerProgram(
      node: """
        const seen = [];
        let asked = 0, slow;
        const begin = (stream, more) => stream.respond({ ":status": 200, ...more });
        const say = (stream, text, more) => (begin(stream, more), stream.end(text));
        const cut = ({ session }) => { session.wire.destroy(); };
        const answers = {
          // What the test has to know of the server.
          "/seen": (stream) => say(stream, seen.join(" ")),
          \(answers)
        };
        const server = http2.createSecureServer({ ...options, \(setting) });
        // A session's own socket lets nobody cut it.
        let last;
        server.prependListener("secureConnection", (socket) => { last = socket; });
        server.on("session", (session) => { (session.wire = last, session.on("error", () => {})); });
        // The connection by which it is found out what is spoken has no stream.
        server.on("session", (session) => session.once("stream", () => seen.push("connection")));
        server.on("stream", (stream, headers) => {
          stream.on("error", () => {});
          answers[headers[":path"]](stream, headers);
        });
        // Else Node's older interface would answer, too.
        if (answers.older) server.on("request", (request, response) => {
          if (request.httpVersion === "1.1") response.end("by HTTP/" + request.httpVersion);
        });
        listen(server);
        """)
    return await FetchTests.run(
      // Nobody asks this one.
      try RawServer { _ in [.close] },
      """
      const peer = "https://localhost:\(server.port)";
      const text = async (path, option) => (await fetch(peer + path, option)).text();
      const code = (error) => error.cause?.code ?? error.name;
      \(script)
      """, authorities: try TestAuthority.shared.get().certificate)
  }
}
