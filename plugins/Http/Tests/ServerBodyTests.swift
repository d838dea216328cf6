// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Bodies of requests that a server's script reads while they come.
@Suite struct ServerBodyTests {
  /// Its client sends the rest when the handler has told it to.
  @Test func aLongBodyIsReadWhileItComes() async {
    let result = await ServerTests.run(
      """
      const told = Promise.withResolvers();
      const piece = new Uint8Array(100_000).fill(65);
      let isFirst = true;
      const body = new ReadableStream({
        async pull(controller) {
          if (isFirst) controller.enqueue(piece); else { await told.promise; controller.close(); }
          isFirst = false;
        },
      });
      const server = await nbridge.http.serve(async (request) => {
        const path = new URL(request.url).pathname;
        if (path === "/early") return new Response("early");
        if (path === "/echo") return new Response(request.body);
        const reader = request.body.getReader();
        let count = 0;
        if (path === "/some") {
          count = (await reader.read()).value.length;
          await reader.cancel();
          return new Response(String(count > 0));
        }
        for (let next; !(next = await reader.read()).done;) {
          told.resolve();
          count += next.value.length;
        }
        return new Response(String(count));
      });
      const send = async (path, body) =>
        (await fetch(server.url + path, { method: "POST", body, duplex: "half" })).text();
      console.log(await send("", body));
      const long = new Uint8Array(5_000_000);
      for (const path of ["early", "some", "", "echo"]) {
        const [known, unknown] = [await send(path, long), await send(path, new Blob([long]).stream())];
        console.log(path, known === unknown, known.length > 99 ? known.length : known);
      }
      await server.stop();
      """)
    #expect(
      result.output == """
        100000
        early true early
        some true true
         true 5000000
        echo true 5000000

        """, "\(result)")
  }

  /// 413 stands for what nobody has answered alone.
  @Test func whatAHandlerSaysOfABodyThatIsTooLongIsSent() async {
    let result = await ServerTests.run(
      """
      const headers = { "x-mine": "yes", etag: '"a"' };
      const said = (error) => new Response(error.code, { status: 500, headers });
      const handler = (request) =>
        request.url.endsWith("caught") ? request.text().then((text) => new Response(text), said)
          : request.text().then((text) => new Response(text, { headers }));
      for (const onError of [undefined, said]) {
        const server = await nbridge.http.serve({ bodyLimit: 10, onError }, handler);
        for (const path of ["caught", "thrown"]) {
          const body = new Blob(["12345678901"]).stream();
          const answer = await fetch(server.url + path, { method: "POST", body, duplex: "half" });
          console.log(path, answer.status, answer.headers.get("x-mine"), (await answer.text()).trim());
        }
        await server.stop();
      }
      """)
    #expect(
      result.output == """
        caught 500 yes too_large
        thrown 413 null Content Too Large
        caught 500 yes too_large
        thrown 500 yes too_large

        """, "\(result)")
  }

  /// Of what is sent without end only so much is taken as the handler reads.
  @Test func aClientWaitsForTheReaderOfItsBody() async {
    let result = await ServerTests.run(
      """
      const piece = new Uint8Array(1 << 16);
      let sent = 0;
      const body = () => new ReadableStream({ pull(c) { sent += piece.length; c.enqueue(piece); } });
      const abort = new AbortController();
      const failed = Promise.withResolvers();
      const server = await nbridge.http.serve(async (request) => {
        const reader = request.body.getReader();
        await reader.read();
        // As long as anything moves: the client's socket, the server's, and what the server keeps.
        for (let last = -1; last !== sent;) {
          last = sent;
          for (let turn = 0; turn < 200; turn++) await new Promise((resolve) => setTimeout(resolve));
        }
        console.log(sent < 32 << 20, sent);
        abort.abort();
        try { while (!(await reader.read()).done); } catch (error) { failed.resolve(error.cause ?? error); }
        return new Response();
      });
      const { signal } = abort;
      const ended = await fetch(server.url, { method: "POST", body: body(), duplex: "half", signal })
        .catch((error) => error.name);
      console.log(ended, (await failed.promise).code);
      await server.stop();
      """)
    #expect(result.output.hasPrefix("true ") && result.output.hasSuffix("\nAbortError closed\n"), "\(result)")
  }

  /// All of a request comes in before its answer goes out; it is not copied at once.
  @Test func aBodyThatIsSentBackComesInPieces() async {
    let result = await ServerTests.run(
      """
      let largest = 0, count = 0;
      const measure = new TransformStream({
        transform(chunk, controller) {
          largest = Math.max(largest, chunk.length);
          count += chunk.length;
          controller.enqueue(chunk);
        },
      });
      const server = await nbridge.http.serve(({ body }) => new Response(body.pipeThrough(measure)));
      const sent = new Uint8Array(20_000_000).map((_, index) => index * 7);
      const back = await (await fetch(server.url, { method: "POST", body: sent })).bytes();
      console.log(back.every((byte, index) => byte === sent[index]));
      console.log(count === sent.length, largest < 2_000_000);
      await server.stop();
      """)
    #expect(result.output == "true\ntrue true\n", "\(result)")
  }

  /// What was not wanted when the answer began is lost: nobody takes nothing for the body.
  @Test func aBodyThatIsReadBehindTheAnswerIsNoEmptyOne() async {
    let result = await ServerTests.run(
      """
      let kept;
      const server = await nbridge.http.serve((request) => {
        kept = request;
        return new Response("answer");
      });
      const answer = await fetch(server.url, { method: "POST", body: new Uint8Array(5_000_000) });
      console.log(await answer.text());
      console.log(typeof await kept.bytes().catch((error) => error.message));
      await server.stop();
      """)
    #expect(result.output == "answer\nstring\n", "\(result)")
  }

  /// Head and body of a whole answer go out together, and then at once: the system would keep back what is
  /// not let go of, for 200 ms (TCP_CORK in tcp(7)).
  @Test func anAnswerIsNotKeptBack() async {
    let result = await ServerTests.run(
      """
      const server = await nbridge.http.serve(() => new Response("answer"));
      let shortest = Infinity;
      for (let i = 0; i < 30; i++) {
        const begun = performance.now();
        await (await fetch(server.url)).text();
        shortest = Math.min(shortest, performance.now() - begun);
      }
      console.log(shortest < 150);
      await server.stop();
      """)
    #expect(result.output == "true\n", "\(result)")
  }

  /// Nobody is there to hear what a handler's stream says at its end.
  @Test(arguments: ["start(c) { c.error(new Error('early')); }", "cancel() { throw new Error('late'); }"])
  func aStreamThatFailsWhereNobodyReadsItEndsNoServer(source: String) async {
    let result = await ServerTests.run(
      """
      const big = new Uint8Array(4 << 20);
      const server = await nbridge.http.serve(({ url }) => new Response(new ReadableStream({
        pull(c) { c.enqueue(big.slice()); }, \(source) })));
      await fetch(server.url, { method: "HEAD" }).catch(() => {});
      const stop = new AbortController();
      const answer = await fetch(server.url, { signal: stop.signal }).catch(() => null);
      if (answer !== null) await answer.body.getReader().read().catch(() => {});
      stop.abort();
      await new Promise((done) => setTimeout(done, 50));
      const method = "POST", duplex = "half", signal = AbortSignal.abort("before");
      const body = () => new ReadableStream({ \(source) });
      console.log(await fetch(server.url, { method, duplex, signal, body: body() }).catch((e) => e));
      const bad = fetch("http://127.0.0.1:25/", { method, duplex, body: body() });
      console.log((await bad.catch((e) => e)).name);
      await server.stop();
      """)
    #expect(result.output == "before\nTypeError\n", "\(result)")
  }

  @Test func whoSaysWhenItWasIsNotContradicted() async {
    let result = await ServerTests.run(
      """
      const date = "Thu, 01 Jan 1970 00:00:00 GMT";
      const server = await nbridge.http.serve(({ url }) =>
        new Response("", url.endsWith("mine") ? { headers: { date } } : {}));
      const told = async (path) => (await fetch(server.url + path)).headers.get("date");
      console.log(await told("mine") === date, (await told("")).length);
      await server.stop();
      """)
    #expect(result.output == "true 29\n", "\(result)")
  }

  /// `getaddrinfo` takes zones, permissions know none.
  @Test(arguments: ["::%0", "::1%0", "::ffff:127.0.0.1%0", "localhost.", "here"])
  func whatIsNoAddressIsNoPlaceToListenAt(host: String) async {
    let result = await ServerTests.run(
      """
      console.log((await nbridge.http.serve({ host: "\(host)" }, () => {}).catch((e) => e)).code);
      """)
    #expect(result.output == "invalid_parameter\n", "\(result)")
  }

  /// What a script makes of buffers' tags is not asked.
  @Test func anAnswerCrossesWhateverABufferSaysThatItIs() async {
    let result = await ServerTests.run(
      """
      const tag = { get() { throw new Error("mine"); }, configurable: true };
      Object.defineProperty(ArrayBuffer.prototype, Symbol.toStringTag, tag);
      const server = await nbridge.http.serve(async (request) => new Response(await request.bytes()));
      const answer = await fetch(server.url, { method: "POST", body: "told" });
      console.log(answer.status, await answer.text());
      await server.stop();
      """)
    #expect(result.output == "200 told\n", "\(result)")
  }
}
