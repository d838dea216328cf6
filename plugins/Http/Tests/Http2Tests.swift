// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// `fetch` of servers that speak HTTP/2: Node's, which counts connections and sees how streams end.
@Suite struct Http2Tests {
  @Test func aServerThatSpeaksItIsAskedByIt() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream, headers) => {
        const host = headers[":authority"].replace(/[0-9]+/, "N");
        begin(stream, { "x-told": [host, headers["x-own"]] });
        stream.end(headers[":method"] + " " + headers[":scheme"] + " " + stream.session.alpnProtocol);
      },
      """,
      """
      const answer = await fetch(peer, { headers: { "X-Own": "\\u00e9" } });
      console.log(answer.status, JSON.stringify(answer.statusText), answer.headers.get("x-told"));
      console.log(await answer.text());
      """)
    #expect(result.output == "200 \"\" localhost:N, \u{e9}\nGET https h2\n", "\(result)")
  }

  @Test func manyRequestsAtOnceTakeOneConnection() async throws {
    let result = try await Http2Peer.run(
      #""/": (stream) => { begin(stream); setTimeout(() => stream.end("x"), 5); },"#,
      """
      const all = await Promise.all(Array.from({ length: 300 }, () => text("/")));
      console.log(all.length, all.every((one) => one === "x"), await text("/seen"));
      """)
    #expect(result.output == "300 true connection\n", "\(result)")
  }

  @Test func bodiesGoBothWaysWhole() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream, headers) => {
        begin(stream, { "x-length": headers["content-length"] ?? "none" });
        stream.pipe(stream);
      },
      """,
      """
      const long = new Uint8Array(5_000_000).map((_, index) => index * 7);
      const same = (bytes) => bytes.length === long.length && bytes.every((byte, at) => byte === long[at]);
      for (const body of [long, new Blob([long]).stream(), "", undefined]) {
        const answer = await fetch(peer, { method: "POST", body, duplex: "half" });
        const bytes = await answer.bytes();
        console.log(answer.headers.get("x-length"), bytes.length === 0 ? 0 : same(bytes));
      }
      """)
    #expect(result.output == "5000000 true\nnone true\n0 0\n0 0\n", "\(result)")
  }

  @Test func whatIsCompressedIsReadWhole() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream, headers) => {
        begin(stream, { "content-encoding": "gzip" });
        stream.end(require("node:zlib").gzipSync("x".repeat(100_000)));
      },
      """, "console.log((await text('/')).length, (await fetch(peer)).headers.get('content-encoding'));")
    #expect(result.output == "100000 gzip\n", "\(result)")
  }

  /// What nobody reads is not sent, and holds up nobody else's.
  @Test func anAnswerWaitsForItsReaderAndNoOtherDoes() async throws {
    let result = try await Http2Peer.run(
      """
      "/long": (stream) => {
        begin(stream);
        const go = () => { do asked += 65536; while (stream.write(Buffer.alloc(65536))); };
        stream.on("drain", go), go();
      },
      "/short": (stream) => { say(stream, "x".repeat(300_000)); },
      "/asked": (stream) => { say(stream, String(asked)); },
      """,
      """
      const slow = await Promise.all(Array.from({ length: 20 }, () => fetch(peer + "/long")));
      for (let i = 0; i < 50; i++) if ((await text("/short")).length !== 300_000) throw new Error("cut");
      const sent = Number(await text("/asked"));
      console.log(sent > 1e6, sent < 20 * 2.5e6 || sent);
      let count = 0;
      for await (const piece of slow[0].body) if ((count += piece.length) > 2e7) break;
      console.log(count > 2e7, await text("/seen"));
      """)
    #expect(result.output == "true true\ntrue connection\n", "\(result)")
  }

  @Test func anAnswerThatBreaksIsNoWholeOne() async throws {
    let result = try await Http2Peer.run(
      """
      "/reset": (stream) => { begin(stream); stream.write("part", () => stream.destroy(new Error("lost"))); },
      "/cut": (stream) => { begin(stream); stream.write("part", () => stream.session.destroy()); },
      "/socket": (stream) => {
        begin(stream);
        stream.write("part", () => cut(stream));
      },
      "/short": (stream) => { begin(stream, { "content-length": "9" }); stream.end("part"); },
      "/whole": (stream) => { say(stream, "whole"); },
      """,
      """
      for (const path of ["/reset", "/cut", "/socket", "/short", "/whole"]) {
        console.log(path, await text(path).catch(code));
      }
      """)
    #expect(
      result.output == "/reset io_error\n/cut io_error\n/socket io_error\n/short io_error\n/whole whole\n"
        || result.output
          == "/reset io_error\n/cut io_error\n/socket io_error\n/short invalid_data\n/whole whole\n",
      "\(result)")
  }

  @Test func whoIsAbortedEndsItsStreamAlone() async throws {
    let result = try await Http2Peer.run(
      """
      "/long": (stream) => {
        begin(stream);
        stream.write("part");
        stream.on("close", () => seen.push("ended by " + stream.rstCode));
      },
      "/silent": (stream) => {
        seen.push("silent");
        stream.on("close", () => seen.push("ended by " + stream.rstCode));
      },
      "/late": (stream) => { begin(stream); setTimeout(() => stream.end("late"), 100); },
      """,
      """
      const late = text("/late"), control = new AbortController();
      const long = await fetch(peer + "/long", { signal: control.signal });
      const silent = text("/silent", { signal: control.signal }).catch(code);
      const first = long.body.getReader();
      await first.read();
      const second = first.read().catch((error) => error.name);
      while (!(await text("/seen")).includes("silent")) await new Promise((done) => setTimeout(done, 5));
      control.abort();
      console.log(await silent, await second, await late);
      const unread = await fetch(peer + "/long");
      await unread.body.cancel();
      while ((await text("/seen")).split("by 8").length < 4) await new Promise((done) => setTimeout(done, 5));
      console.log((await text("/seen")).split(" ").filter((word) => word === "connection").length);
      """)
    #expect(result.output == "AbortError AbortError late\n1\n", "\(result)")
  }

  /// As by HTTP/1.1: what is aborted before the script's turn is over is not sent.
  @Test func whatIsAbortedAtOnceIsNotSent() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => { asked++; say(stream, ""); },
      "/long": (stream) => {
        begin(stream);
        const go = () => { while (stream.write(Buffer.alloc(65536))); };
        stream.on("drain", go), go();
      },
      "/asked": (stream) => { say(stream, String(asked)); },
      """,
      """
      await text("/asked");
      const names = [], long = (await fetch(peer + "/long")).body.getReader();
      // What comes in meanwhile is answered by the connection at once.
      const reading = (async () => { while (!(await long.read()).done); })();
      for (let i = 0; i < 20; i++) {
        const stop = new AbortController();
        const all = [1, 2].map(() => fetch(peer, { method: "POST", body: "x", signal: stop.signal }));
        if (i % 2) await undefined;
        stop.abort();
        for (const { reason } of await Promise.allSettled(all)) names.push(reason.name);
        await new Promise((done) => setTimeout(done, 2));
      }
      await long.cancel(), await reading;
      console.log(names.length, names.every((name) => name === "AbortError"), await text("/asked"));
      """)
    #expect(result.output == "40 true 0\n", "\(result)")
  }

  @Test func anUploadThatFailsIsNoWholeRequest() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => {
        stream.resume(), seen.push("begun");
        stream.on("end", () => stream.rstCode || seen.push("whole"));
        stream.on("close", () => seen.push("ended by " + stream.rstCode));
      },
      """,
      """
      await text("/seen");
      const seen = async (word) => {
        while (!(await text("/seen")).includes(word)) await new Promise((done) => setTimeout(done, 5));
      };
      const body = (async function* () {
        yield new Uint8Array(9);
        // One that fails before the server has heard of it is not sent at all.
        await seen("begun");
        throw new RangeError("lost");
      })();
      console.log(await text("/", { method: "POST", duplex: "half", body }).catch(code));
      await seen("ended");
      console.log(await text("/seen"));
      """)
    #expect(result.output == "script_failed\nconnection begun ended by 8\n", "\(result)")
  }

  @Test func whatComesBeforeAnAnswerIsPassedOverUnlessItIsWithoutEnd() async throws {
    let result = try await Http2Peer.run(
      """
      "/some": (stream) => {
        for (let i = 0; i < 20; i++) stream.additionalHeaders({ ":status": 103, link: "</x>" });
        stream.respond({ ":status": 200 }, { waitForTrailers: true });
        stream.on("wantTrailers", () => stream.sendTrailers({ "x-late": "1" }));
        stream.end("some");
      },
      "/more": (stream) => { for (let i = 0; i < 100; i++) stream.additionalHeaders({ ":status": 103 }); },
      """,
      """
      const some = await fetch(peer + "/some");
      console.log(some.status, some.headers.get("link"), some.headers.get("x-late"), await some.text());
      console.log(await text("/more").catch(code), await text("/some"));
      """)
    #expect(result.output == "200 null null some\ninvalid_data some\n", "\(result)")
  }

  @Test func aHeadThatIsTooLongFailsItsRequestAlone() async throws {
    let result = try await Http2Peer.run(
      """
      "/": (stream) => {
        const headers = { ":status": 200 };
        for (let i = 0; i < 40; i++) headers["x-" + i] = String(i % 10).repeat(9000);
        stream.respond(headers);
        stream.end("long");
      },
      "/some": (stream) => { begin(stream, { "x-long": "y".repeat(60_000) }); stream.end("some"); },
      """,
      """
      console.log(await text("/").catch(code), await text("/some"));
      """)
    #expect(result.output == "invalid_data some\n", "\(result)")
  }
}
