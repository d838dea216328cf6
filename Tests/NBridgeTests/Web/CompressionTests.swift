// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// CompressionStream and DecompressionStream as scripts see them.
@Suite struct CompressionTests {
  static let harness = ScriptHarness(plugins: [])

  /// What the scripts below share.
  static let tools = """
    const whole = async (stream) => new Uint8Array(await new Response2(stream).bytes());
    class Response2 {
      constructor(stream) { this.stream = stream; }
      async bytes() { const b = []; for await (const chunk of this.stream) b.push(...chunk); return b; }
    }
    const through = (bytes, stream) => new Blob([bytes]).stream().pipeThrough(stream);
    const told = (promise) => promise.then(() => "nothing",
      (e) => e?.name ? `${e.name}: ${e.message}` : `${e}`);

    """

  @Test(arguments: ["gzip", "deflate", "deflate-raw", "brotli", "zstd"])
  func aStreamComesBack(_ format: String) async {
    let result = await Self.harness.run(
      Self.tools + """
        const bytes = new TextEncoder().encode("what is said again and again ".repeat(2000));
        const small = await whole(through(bytes, new CompressionStream("\(format)")));
        const back = await whole(through(small, new DecompressionStream("\(format)")));
        console.log(small.length < 500, new TextDecoder().decode(back) === new TextDecoder().decode(bytes));
        """)
    #expect(result.output == "true true\n", "\(result)")
  }

  /// What unfolds to more than readers want waits for them; here they read no more.
  @Test func whatNobodyReadsIsAborted() async {
    let result = await Self.harness.run(
      Self.tools + """
        const small = await whole(through(new Uint8Array(4 << 20), new CompressionStream("gzip")));
        const { readable, writable } = new DecompressionStream("gzip");
        const writer = writable.getWriter(), reader = readable.getReader();
        const writing = told(writer.write(small)), closed = told(writer.closed);
        await reader.read();
        await new Promise((done) => setTimeout(done, 1));
        console.log(await told(writer.abort("enough")));
        console.log(await writing, await closed, await told(reader.read()));
        """)
    #expect(result.output == "nothing\nnothing enough enough\n", "\(result)")
  }

  @Test func anEndThatIsAbortedIsNotTakenForOne() async {
    let result = await Self.harness.run(
      Self.tools + """
        const { readable, writable } = new CompressionStream("gzip");
        const writer = writable.getWriter(), bytes = new Uint8Array(1 << 20);
        const most = 65536;
        for (let at = 0; at < bytes.length; at += most) crypto.getRandomValues(bytes.subarray(at, at + most));
        const reader = readable.getReader(), first = reader.read();
        const all = [writer.write(bytes), writer.close(), first, writer.closed].map(told);
        await new Promise((done) => setTimeout(done, 1));
        all.push(told(writer.abort("enough")));
        all.push(told(reader.read()));
        console.log((await Promise.all(all)).join(", "));
        """)
    #expect(result.output == "nothing, enough, nothing, enough, nothing, enough\n", "\(result)")
  }

  /// It has more to say at the end than was asked for.
  @Test(arguments: ["brotli", "zstd"]) func whoReadsNoMoreEndsWhatEnds(_ format: String) async {
    let result = await Self.harness.run(
      Self.tools + """
        for (const size of [70_000, 100_000]) {
          const bytes = crypto.getRandomValues(new Uint8Array(size / 2));
          const both = new Blob([bytes, crypto.getRandomValues(new Uint8Array(size / 2))]);
          for await (const chunk of both.stream().pipeThrough(new CompressionStream("\(format)"))) break;
          const sink = new WritableStream({ write() { throw "full"; } });
          console.log(await told(both.stream().pipeThrough(new CompressionStream("\(format)")).pipeTo(sink)));
        }
        """)
    #expect(result.output == "full\nfull\n", "\(result)")
  }

  @Test func chunksOfAnyKindOfBytesAreTakenAndOthersAreRefused() async {
    let result = await Self.harness.run(
      Self.tools + """
        const data = new Uint8Array([1, 2, 3, 4]).buffer;
        const good = [data, new DataView(data, 1, 2), new Uint16Array(data, 2), new Uint8Array(0)];
        const bad = ["text", 7, null, undefined, { byteLength: 3 }];
        for (const chunk of [...good, ...bad]) {
          const { readable, writable } = new CompressionStream("deflate-raw"), writer = writable.getWriter();
          const came = told(writer.write(chunk).then(() => writer.close()));
          const all = await whole(readable).catch((error) => error.name);
          if (typeof all === "string") console.log(all, await came);
          else console.log([...await whole(through(all, new DecompressionStream("deflate-raw")))].join());
        }
        """)
    let refused = "TypeError TypeError: CompressionStream takes bytes: an ArrayBuffer, or a view of one\n"
    #expect(
      result.output == "1,2,3,4\n2,3\n3,4\n\n" + String(repeating: refused, count: 5), "\(result)")
  }

  /// Web IDL, 3.2.25: a BufferSource is neither shared nor resizable, and has no bytes when it was detached.
  @Test(arguments: ["CompressionStream", "DecompressionStream"])
  func chunksAreTakenAsBufferSourcesAre(_ name: String) async {
    let result = await Self.harness.run(
      """
      const shared = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer;
      const resizable = new ArrayBuffer(8, { maxByteLength: 16 }), gone = new Uint8Array(8);
      structuredClone(gone.buffer, { transfer: [gone.buffer] });
      const refused = [shared, new DataView(shared), resizable, new Uint8Array(resizable)];
      for (const chunk of [...refused, gone, gone.buffer]) {
        const { readable, writable } = new \(name)("gzip");
        const reader = readable.getReader();
        reader.read().catch(() => 0);
        console.log(await writable.getWriter().write(chunk).then(() => "taken", (error) => error.name));
      }
      """)
    #expect(result.output == String(repeating: "TypeError\n", count: 4) + "taken\ntaken\n", "\(result)")
  }

  /// What the script does to a chunk behind `write` changes nothing.
  @Test func aChunkIsReadWhenItIsWritten() async {
    let result = await Self.harness.run(
      Self.tools + """
        const { readable, writable } = new CompressionStream("gzip"), writer = writable.getWriter();
        const chunk = new Uint8Array([1, 2, 3]), all = whole(readable);
        await writer.write(chunk); chunk.fill(9); chunk.buffer.transfer();
        await writer.close();
        console.log([...await whole(through(await all, new DecompressionStream("gzip")))].join());
        """)
    #expect(result.output == "1,2,3\n", "\(result)")
  }

  @Test(arguments: [
    ("new Uint8Array([1, 2, 3])", "the bytes are not of this format"),
    ("new Uint8Array(0)", "the bytes end too early"), ("small.slice(0, -1)", "the bytes end too early"),
    ("new Blob([small, '!'])", "there are bytes behind the end"),
  ])
  func damageIsATypeErrorOfBothSides(_ bytes: String, _ text: String) async {
    let result = await Self.harness.run(
      Self.tools + """
        const small = await whole(through("text", new CompressionStream("gzip")));
        console.log(await told(whole(through(\(bytes), new DecompressionStream("gzip")))));
        const { readable, writable } = new DecompressionStream("gzip"), writer = writable.getWriter();
        const [read, wrote] = [told(whole(readable)), told((async () => {
          await writer.write(await new Blob([\(bytes)]).arrayBuffer()); await writer.close(); })())];
        console.log(await read === await wrote);
        """)
    #expect(result.output == "TypeError: DecompressionStream: \(text)\ntrue\n", "\(result)")
  }

  /// Compression standard, "decompress and enqueue a chunk": also what comes with a later chunk, and another
  /// member; and "decompress flush and enqueue".
  @Test(arguments: ["gzip", "deflate", "deflate-raw", "brotli", "zstd"])
  func whatStandsBehindTheEndAndAnEndThatIsMissingAreTypeErrors(_ format: String) async {
    let result = await Self.harness.run(
      Self.tools + """
        const small = await whole(through("text", new CompressionStream("\(format)")));
        const read = async (...chunks) => {
          const { readable, writable } = new DecompressionStream("\(format)"), writer = writable.getWriter();
          for (const chunk of chunks) writer.write(chunk).catch(() => {});
          writer.close().catch(() => {});
          return told(whole(readable));
        };
        const last = small.length - 1;
        for (const chunks of [[small, new Uint8Array(1)], [small, small], [small.slice(0, last)], []]) {
          console.log(await read(...chunks));
        }
        """)
    let (excess, cut) = ("there are bytes behind the end", "the bytes end too early")
    let lines = [excess, excess, cut, cut].map { "TypeError: DecompressionStream: \($0)\n" }
    #expect(result.output == lines.joined(), "\(result)")
  }

  @Test(arguments: ["", "'GZIP'", "undefined", "'lzma'", "{}"])
  func aFormatThatIsNoneIsRefused(_ format: String) async {
    let result = await Self.harness.run(
      """
      for (const Stream of [CompressionStream, DecompressionStream])
        try { new Stream(\(format)) }
        catch (e) { console.log(e.name, e.message.includes("gzip, deflate, deflate-raw, brotli")) }
      """)
    #expect(result.output == "TypeError true\nTypeError true\n", "\(result)")
  }

  /// A megabyte that stands for a gigabyte takes the memory of what is read of it.
  @Test func aBombWaitsForItsReader() async {
    let result = await Self.harness.run(
      Self.tools + """
        const zeros = new Uint8Array(1 << 20), size = 64;
        const source = new ReadableStream({ start(c) { this.left = size; },
          pull(c) { if (this.left-- > 0) c.enqueue(zeros); else c.close(); } });
        const bomb = await whole(source.pipeThrough(new CompressionStream("gzip")));
        const { readable, writable } = new DecompressionStream("gzip"), writer = writable.getWriter();
        let isWritten = false;
        writer.write(bomb).then(() => { isWritten = true; });
        writer.close();
        const reader = readable.getReader();
        const sizes = [];
        for (let index = 0; index < 10; index++) sizes.push((await reader.read()).value.length);
        // Much that comes is handed over in few pieces, and none is larger than a MiB.
        console.log(isWritten, sizes[0], Math.max(...sizes));
        for (let r; !(r = await reader.read()).done;) sizes.push(r.value.length);
        console.log(isWritten, sizes.reduce((sum, count) => sum + count) === size << 20);
        """)
    #expect(result.output == "false 65536 1048576\ntrue true\n", "\(result)")
  }

  @Test func whoReadsOnePieceCanWaitForTheWrite() async {
    let result = await Self.harness.run(
      Self.tools + """
        const small = await whole(through("text", new CompressionStream("zstd")));
        const { readable, writable } = new DecompressionStream("zstd"), writer = writable.getWriter();
        const first = readable.getReader().read();
        await writer.write(small);
        console.log(new TextDecoder().decode((await first).value));
        """)
    #expect(result.output == "text\n", "\(result)")
  }

  @Test func aReaderThatGoesEndsTheStream() async {
    let result = await Self.harness.run(
      Self.tools + """
        const { readable, writable } = new CompressionStream("gzip"), writer = writable.getWriter();
        const write = told(writer.write(crypto.getRandomValues(new Uint8Array(65536))));
        await readable.cancel("enough");
        console.log(await write, await told(writer.closed));
        """)
    #expect(result.output == "enough enough\n" && result.status == .success, "\(result)")
  }

  @Test func aPollutedProgramCompressesAsAnyOther() async {
    let result = await Self.harness.run(
      """
      const { CompressionStream: C, DecompressionStream: D, Blob: B, TextDecoder: T } = globalThis;
      const log = console.log, source = new B(["text"]).stream();
      const fail = () => { throw new Error("polluted"); };
      Promise.prototype.then = Uint8Array.prototype.set = ArrayBuffer.isView = fail;
      Object.defineProperty(Object.prototype, "done", { set: fail, configurable: true });
      Object.prototype.byteLength = 3;
      const stream = new C("gzip");
      log(typeof stream.readable, Object.prototype.toString.call(stream));
      """)
    #expect(result.output == "object [object CompressionStream]\n", "\(result)")
  }

  /// All of it is there at once.
  @Test(arguments: [
    "new Blob([small]).stream().pipeThrough(new DecompressionStream('gzip'))", "big.stream()",
  ])
  func whoReadsPieceByPieceLetsTimersIn(_ stream: String) async {
    let result = await Self.harness.run(
      """
      const big = new Blob([new Uint8Array(4 << 20)]);
      const small = await new Response(big.stream().pipeThrough(new CompressionStream("gzip"))).bytes();
      let isTold = false, before = 0, all = 0;
      setTimeout(() => { isTold = true; });
      for await (const piece of \(stream)) {
        if (!isTold) before++;
        all += piece.length;
      }
      console.log(all === 4 << 20, isTold, before < 20);
      """)
    #expect(result.output == "true true true\n", "\(result)")
  }
}
