// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Answers with several encodings, one in the other.
@Suite struct FetchEncodingTests {
  private static let tools = """
    const gzip = async (...parts) => new Uint8Array(await new Response(
      new Blob(parts).stream().pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
    const serve = (body, encoding) => nbridge.http.serve(() =>
      new Response(body, { headers: { "content-encoding": encoding } }));
    const text = (url, options) => fetch(url, options).then((r) => r.text()).catch((e) => e.name);

    """

  private static func run(_ script: String) async -> ScriptHarness.Result {
    await ServerTests.run(tools + script)
  }

  /// 60 MiB of blocks of nothing, in few bytes.
  @Test func manyBytesThatStandForNothingLetOtherWorkIn() async {
    let result = await Self.run(
      """
      const empty = new Uint8Array(5 << 20);
      for (let i = 0; i < empty.length; i++) empty[i] = [0, 0, 0, 255, 255][i % 5];
      const head = new Uint8Array([31, 139, 8, 0, 0, 0, 0, 0, 0, 255]);
      const server = await serve(await gzip(await gzip(head, ...Array(12).fill(empty))), "gzip, gzip, gzip");
      const control = new AbortController();
      let turns = 0;
      const count = () => { if (++turns === 20) control.abort(); else setTimeout(count); };
      count();
      console.log(await text(server.url, { signal: control.signal }));
      await server.stop();
      """)
    #expect(result.output == "AbortError\n", "\(result)")
  }

  /// A script would take what is still compressed for the text.
  @Test func moreEncodingsThanAreTakenOffAreRefused() async {
    let result = await Self.run(
      """
      let body = "told";
      for (let count = 1; count <= 6; count++) {
        body = await gzip(body);
        if (count < 5) continue;
        const server = await serve(body, Array(count).fill("gzip").join());
        console.log(await text(server.url));
        await server.stop();
      }
      """)
    #expect(result.output == "told\nTypeError\n", "\(result)")
  }

  /// Bytes behind the outer encoding's end are none of the body, and do not make the inner one whole.
  @Test func aBodyThatIsCutInsideIsNoWholeOne() async {
    let result = await Self.run(
      """
      const whole = await gzip("what is told"), cut = whole.slice(0, whole.length - 9);
      const none = new Uint8Array(0);
      for (const inner of [whole, cut, none]) {
        for (const rest of ["", "and more"]) {
          const body = new Uint8Array([...await gzip(inner), ...new TextEncoder().encode(rest)]);
          const server = await serve(body, "gzip, gzip");
          console.log(await text(server.url));
          await server.stop();
        }
      }
      """)
    #expect(
      result.output == "what is told\nwhat is told\n" + String(repeating: "TypeError\n", count: 4),
      "\(result)")
  }

  @Test(arguments: ["gzip", "deflate", "brotli", "zstd"])
  func encodingsInOneAnotherAreTakenOff(_ inner: String) async {
    let name = inner == "brotli" ? "br" : inner
    let result = await Self.run(
      """
      const said = "what is told ".repeat(20000);
      const folded = await new Response(
        new Blob([said]).stream().pipeThrough(new CompressionStream("\(inner)"))).arrayBuffer();
      const server = await serve(await gzip(folded), "\(name), gzip");
      console.log(await text(server.url) === said);
      await server.stop();
      """)
    #expect(result.output == "true\n", "\(result)")
  }

  /// Some servers send DEFLATE without the head that the name stands for; browsers take it.
  @Test func deflateWithoutItsHeadIsTaken() async {
    let result = await Self.run(
      """
      for (const format of ["deflate", "deflate-raw"]) {
        const stream = new Blob(["what is told"]).stream().pipeThrough(new CompressionStream(format));
        const server = await serve(await new Response(stream).arrayBuffer(), "deflate");
        console.log(await text(server.url));
        await server.stop();
      }
      """)
    #expect(result.output == "what is told\nwhat is told\n", "\(result)")
  }
}
