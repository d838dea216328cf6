// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Requests by HTTP/2 that a server does not take, or does not end with: which are sent again, and how often.
@Suite struct Http2LeavingTests {
  /// RFC 9113, 6.8.
  @Test func aServerThatGoesAwayInOrderFailsNoRequest() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => {
        begin(stream);
        if (++asked % 7 === 0) stream.session.close();
        setTimeout(() => stream.end("x"), 3);
      },
      """,
      """
      for (let i = 0; i < 30; i++) if (await text("/") !== "x") throw new Error("it is cut");
      const post = () => text("/", { method: "POST", body: "own" });
      const all = await Promise.all(Array.from({ length: 100 }, post));
      console.log(all.length, all.every((one) => one === "x"), (await text("/seen")).split(" ").length > 5);
      """)
    #expect(result.output == "100 true true\n", "\(result)")
  }

  /// RFC 9113, 8.7: what a server has not begun with may be sent again.
  @Test func whatAServerHasNotTakenIsSentAgain() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream, headers) => {
        if (++asked % 2 === 1) return stream.close(7);
        begin(stream);
        stream.pipe(stream);
      },
      "/never": (stream) => stream.close(7),
      "/lost": (stream) => {
        let count = 0;
        stream.on("data", (piece) => { if ((count += piece.length) > 200_000) stream.close(7); });
      },
      """,
      """
      console.log(await text("/", { method: "POST", body: "own" }), (await text("/")).length);
      console.log(await text("/never").catch(code));
      const body = new ReadableStream({ pull: (control) => control.enqueue(new Uint8Array(9999)) });
      console.log(await text("/lost", { method: "POST", duplex: "half", body }).catch(code));
      """)
    #expect(result.output == "own 0\nio_error\ninvalid_data\n", "\(result)")
  }

  /// A server that takes no request now, as one that is to stop, may take the next.
  @Test func eventsGoOnWhenAServerTakesRequestsAgain() async throws {
    let result = try await Http2Peer.run(
      """
      "/events": (stream) => {
        // REFUSED_STREAM, for which each request is tried three times, and ENHANCE_YOUR_CALM.
        if (++asked > 1 && asked < 5) return stream.close(7);
        if (asked === 5) return stream.close(11);
        stream.respond({ ":status": 200, "content-type": "text/event-stream" });
        stream.end(`retry: 5\ndata: ${asked}\n\n`);
      },
      """,
      """
      const source = new EventSource(peer + "/events");
      source.onerror = () => console.log("error", source.readyState);
      source.onmessage = ({ data }) => {
        console.log(data);
        if (data === "6") source.close();
      };
      """)
    #expect(result.output == "1\nerror 0\nerror 0\nerror 0\n6\n", "\(result)")
  }

  /// A connection that was kept, and that the server has closed without a word.
  @Test func aClosedConnectionFailsNoRequestThatMayBeRepeated() async throws {
    let result = try await Http2Peer.run(
      #""/": (stream) => { say(stream, "x"); },"# + """
        "/close": (stream) => {
          begin(stream);
          stream.end("x");
          const { session } = stream;
          stream.on("close", () => setImmediate(cut, { session }));
        },
        "/drop": (stream) => ++asked === 1 ? cut(stream) : answers["/"](stream),
        "/post": cut,
        """,
      """
      for (let i = 0; i < 10; i++) {
        if (await text("/close") + await text("/") !== "xx") throw new Error("cut");
      }
      console.log(await text("/drop"), await text("/post", { method: "POST", body: "own" }).catch(code));
      """)
    #expect(result.output == "x io_error\n", "\(result)")
  }

  /// RFC 9113, 7: HTTP_1_1_REQUIRED.
  @Test func aServerThatWantsTheOlderOneIsAskedByThat() async throws {
    let result = try await Http2Peer.run(
      #"older: true, "/": (stream) => stream.close(13),"#,
      "console.log(await text('/', { method: 'POST', body: 'own' }), await text('/'));")
    #expect(result.output == "by HTTP/1.1 by HTTP/1.1\n", "\(result)")
  }

  /// Who is cut and who waits for a place meet.
  @Test func noRequestIsLostWhereABusyConnectionIsCut() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => setTimeout(() => stream.destroyed || say(stream, "x"), 2),
      "/cut": cut,
      """,
      """
      for (let round = 0; round < 4; round++) {
        const some = () => Array.from({ length: 100 }, () => text("/").catch(() => "cut"));
        const all = [...some(), text("/cut", { method: "POST" }).catch(() => "cut"), ...some()];
        const told = await Promise.all(all);
        if (!told.every((one) => one === "x" || one === "cut")) throw new Error("another's answer");
      }
      console.log(await text("/"));
      """)
    #expect(result.output == "x\n", "\(result)")
  }

  /// A server that fails at a request is not asked again for the same.
  @Test func aRequestThatIsResetIsSentOnce() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => say(stream, "x"),
      "/reset": (stream) => { asked++; stream.close(2); },
      "/asked": (stream) => say(stream, String(asked)),
      """,
      """
      await text("/");
      const codes = [];
      for (const method of ["GET", "PUT", "DELETE"]) codes.push(await text("/reset", { method }).catch(code));
      console.log(codes.join(), await text("/asked"));
      """)
    #expect(result.output == "io_error,io_error,io_error 3\n", "\(result)")
  }

  /// RFC 9113, 8.1: who has the answer sends no more of the request.
  @Test func anEarlyAnswerLeavesNothingOpen() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => say(stream, "x"),
      "/early": (stream) => {
        // One that nobody listens to Node would end by itself.
        stream.on("data", () => stream.pause());
        stream.respond({ ":status": 413 });
        stream.end("early");
      },
      """, setting: "settings: { maxConcurrentStreams: 4 }",
      """
      const bodies = [() => new Uint8Array(300_000), () => new ReadableStream({
        async pull(control) {
          await new Promise((done) => setTimeout(done, 1));
          control.enqueue(new Uint8Array(9999));
        },
      })];
      for (let i = 0; i < 20; i++) {
        const option = { method: "POST", body: bodies[i % 2](), duplex: "half" };
        const answer = await fetch(peer + "/early", option);
        if (answer.status !== 413) throw new Error(answer.status);
        await answer.text().catch(() => {});
      }
      console.log(await text("/"));
      """)
    #expect(result.output == "x\n", "\(result)")
  }

  /// What waits for a stream to end is not sent any more by a server that goes away.
  @Test func whatWasNotSentGoesByAnotherConnection() async throws {
    let result = try await Http2Peer.run(
      """
      "/slow": (stream) => {
        begin(stream);
        setTimeout(() => stream.session.goaway(0, stream.id), 50);
        slow = stream;
      },
      "/fast": (stream) => { say(stream, "fast"); slow.end("slow"); },
      """, setting: "settings: { maxConcurrentStreams: 1 }",
      """
      const slow = await fetch(peer + "/slow");
      console.log(await text("/fast"), await slow.text());
      """)
    #expect(result.output == "fast slow\n", "\(result)")
  }

  @Test func aStreamThatHasBegunIsSentAgainFromItsStart() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => {
        begin(stream);
        if (++asked % 5 === 0) stream.session.close();
        stream.pipe(stream);
      },
      """,
      """
      const send = async (i) => {
        const body = new Blob([`${i},`.repeat(50)]).stream();
        return await text("/", { method: "POST", duplex: "half", body }) === `${i},`.repeat(50);
      };
      for (let round = 0; round < 4; round++) {
        const all = await Promise.all(Array.from({ length: 20 }, (_, i) => send(round * 20 + i)));
        if (!all.every((one) => one)) throw new Error("it is not what was sent");
      }
      console.log("whole");
      """)
    #expect(result.output == "whole\n", "\(result)")
  }

  /// A server with HTTP/1.1 alone, of which a request has failed: what it speaks is asked anew, by a
  /// connection that was kept.
  @Test func whoAsksAnewHoldsUpNobodyByItsOwnAnswer() async throws {
    let server = try PeerProgram(
      node: """
        let slow, pair = [];
        listen(require("node:https").createServer(options, (request, response) => {
          if (request.url === "/silent") return;
          if (request.url === "/slow") { slow = response; return; }
          // Two at once take two connections.
          if (request.url === "/pair") {
            if (pair.push(response) === 2) for (const one of pair) one.end("pair");
            return;
          }
          response.end("fast");
          slow?.end("slow");
        }));
        """)
    let result = await FetchTests.run(
      // Nobody asks this one.
      try RawServer { _ in [.close] },
      """
      const peer = "https://localhost:\(server.port)";
      const text = async (path, option) => (await fetch(peer + path, option)).text();
      await Promise.all([text("/pair"), text("/pair")]);
      const pause = () => new Promise((done) => setTimeout(done, 50));
      await text("/silent", { signal: AbortSignal.timeout(20) }).catch(() => {});
      await pause();
      const slow = text("/slow");
      await pause();
      // Who waits for the other's answer waits for itself.
      console.log(await text("/fast", { signal: AbortSignal.timeout(10_000) }), await slow);
      """, authorities: try TestAuthority.shared.get().certificate)
    #expect(result.output == "fast slow\n", "\(result)")
  }

  /// What a script goes on writing to is no part of what it has sent.
  @Test func aBodyIsAsItWasWhenItWasSent() async throws {
    let result = try await Http2Peer.run(
      #""/": (stream) => { begin(stream); stream.pipe(stream); },"#,
      """
      const body = new Uint8Array(5_000_000).fill(1);
      const answer = fetch(peer, { method: "POST", body });
      body.fill(2);
      console.log((await (await answer).bytes()).every((byte) => byte === 1));
      """)
    #expect(result.output == "true\n", "\(result)")
  }
}
