// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Whether a body of an answer is taken for whole.
@Suite struct FetchBodyTests {
  /// Of any length, as those are by which a search jumps.
  @Test func aLongBoundaryIsFound() async {
    let result = await ServerTests.run(
      """
      for (const count of [69, 70, 250, 251, 252, 253, 254, 255, 256, 300, 508, 512, 1024]) {
        const boundary = "b".repeat(count), type = "multipart/form-data; boundary=" + boundary;
        const head = `--${boundary}\\r\\nContent-Disposition: form-data; name="a"\\r\\n\\r\\n`;
        const part = (text) => `${head}${text}\\r\\n`;
        const body = part("x".repeat(600)) + part("b".repeat(count - 1)) + `--${boundary}--\\r\\n`;
        const form = await new Response(body, { headers: { "content-type": type } }).formData();
        const found = form.getAll("a").map((text) => text.length);
        if (found[0] !== 600 || found[1] !== count - 1) console.log(count, found);
      }
      console.log("read");
      """)
    #expect(result.output == "read\n", "\(result)")
  }

  private static let head = "HTTP/1.1 200 OK\r\n"
  private static let chunked = head + "Transfer-Encoding: chunked\r\n\r\n"

  /// Prints how each of some answers is read, whose connection ends behind it.
  private static func read(_ answers: [String], inPieces: Bool = false) async throws -> String {
    let server = try RawServer { request in
      let bytes = Array(answers[Int(request.path.dropFirst()) ?? 0].utf8)
      return inPieces ? bytes.map { .bytes([$0]) } + [.close] : [.bytes(bytes), .close]
    }
    let result = await FetchTests.run(
      server,
      """
      for (let i = 0; i < \(answers.count); i++) {
        const text = await fetch(`${origin}/${i}`).then((r) => r.text()).catch((error) => error.cause?.code);
        console.log(text);
      }
      """)
    #expect(result.errors.isEmpty, "\(result)")
    return result.output
  }

  /// RFC 9112, 8: what ends before the last chunk, or the end behind it, is no whole body.
  @Test(arguments: [false, true])
  func chunksThatEndTooEarlyAreNoBody(inPieces: Bool) async throws {
    let cuts = [
      "", "3", "3\r\n", "3\r\ncu", "3\r\ncut", "3\r\ncut\r\n", "3\r\ncut\r\n0", "3\r\ncut\r\n0\r\n",
      "3\r\ncut\r\n0\r\nX: y\r\n",
    ]
    let told = try await Self.read(cuts.map { Self.chunked + $0 }, inPieces: inPieces)
    #expect(told == String(repeating: "io_error\n", count: cuts.count), "\(told)")
  }

  @Test(arguments: [false, true])
  func chunksWithoutASizeAreNoBody(inPieces: Bool) async throws {
    let wrong = [
      "zz\r\nabc\r\n0\r\n\r\n", "\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n",
      "0x3\r\nabc\r\n0\r\n\r\n", "fffffffffffffffff1\r\nabc\r\n0\r\n\r\n", "3\r\ncutXX0\r\n\r\n",
      "3\r\ncut\r\nzz\r\nabc\r\n0\r\n\r\n", "3\ncut\n0\n\n", "3x\r\ncut\r\n0\r\n\r\n",
      " 3\r\ncut\r\n0\r\n\r\n",
    ]
    let told = try await Self.read(wrong.map { Self.chunked + $0 }, inPieces: inPieces)
    #expect(told == String(repeating: "invalid_data\n", count: wrong.count), "\(told)")
  }

  @Test(arguments: [false, true])
  func chunksOfEveryFormAreRead(inPieces: Bool) async throws {
    let right = [
      "3\r\ncut\r\n0\r\n\r\n", "1\r\nc\r\n2\r\nut\r\n0\r\n\r\n", "03\r\ncut\r\n000\r\n\r\n",
      "3;a=b;c=\"d\"\r\ncut\r\n0;e\r\n\r\n", "3  \r\ncut\r\n0\r\nX-One: 1\r\nX-Two: 2\r\n\r\n",
    ]
    let told = try await Self.read(right.map { Self.chunked + $0 }, inPieces: inPieces)
    #expect(told == String(repeating: "cut\n", count: right.count), "\(told)")
    let long = String(repeating: "x", count: 0xABC)
    #expect(try await Self.read([Self.chunked + "aBC\r\n\(long)\r\n0\r\n\r\n"]) == long + "\n")
  }

  /// A connection that is not kept is no reason to take less than was promised.
  @Test func whatIsShorterThanItsLengthIsNoBody() async throws {
    let told = try await Self.read(
      ["", "Connection: close\r\n"].flatMap { line in
        ["", "short"].map { "\(Self.head)\(line)Content-Length: 9\r\n\r\n\($0)" }
      } + ["HTTP/1.0 200 OK\r\nContent-Length: 9\r\n\r\nshort"])
    #expect(told == String(repeating: "io_error\n", count: 5), "\(told)")
  }

  @Test func lengthsThatAreNoneOrSeveralAreRefused() async throws {
    let lengths = ["-5", "5\r\nContent-Length: 6", "6\r\nContent-Length: 5"]
    let told = try await Self.read(lengths.map { "\(Self.head)Content-Length: \($0)\r\n\r\nshort" })
    #expect(told == String(repeating: "invalid_data\n", count: 3), "\(told)")
  }

  @Test func aConnectionIsUsedAgainBehindTheLastChunk() async throws {
    let server = try RawServer { request in
      let excess = request.path == "/excess" ? "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nevil" : ""
      return [.send(Self.chunked + "4\r\ngood\r\n0\r\n\r\n" + excess)]
    }
    let result = await FetchTests.run(
      server,
      """
      for (const path of ["", "", "", "excess", "", ""]) {
        console.log(await (await fetch(`${origin}/${path}`)).text());
      }
      """)
    #expect(result.output == String(repeating: "good\n", count: 6), "\(result)")
    // What stands behind an answer is none to the next request.
    #expect(server.connectionCount == 2, "\(server.connectionCount)")
  }

  @Test func aConnectionIsUsedAgainBehindAnAnswerWithoutABody() async throws {
    let server = try RawServer { request in
      switch request.path {
      // libsoup closes behind one that says no length.
      case "/204": [.send("HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n")]
      case "/304": [.send("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n")]
      default: [.send("HTTP/1.1 205 Reset Content\r\nContent-Length: 0\r\n\r\n")]
      }
    }
    let result = await FetchTests.run(
      server,
      """
      for (const status of [204, 304, 205, 204, 304]) {
        const answer = await fetch(`${origin}/${status}`);
        console.log(answer.status, answer.body);
      }
      """)
    #expect(result.output == "204 null\n304 null\n205 null\n204 null\n304 null\n", "\(result)")
    #expect(server.connectionCount == 1, "\(server.connectionCount)")
  }

  /// Nothing of it is kept, and the loop goes on.
  @Test(arguments: ["", "0;", "0\r\nX-Field: ", "0\r\n"])
  func framingWithoutAnEndIsGivenUp(_ beginning: String) async throws {
    let endless = beginning == "0\r\n" ? "X-Field: more\r\n" : beginning.isEmpty ? "0" : "more and more "
    let server = try RawServer { _ in
      [.send(Self.chunked + beginning), .forever(Array(String(repeating: endless, count: 500).utf8))]
    }
    let result = await FetchTests.run(
      server, "console.log(await fetch(origin).then((r) => r.text()).catch((error) => error.cause?.code));")
    #expect(result.output == "invalid_data\n", "\(result)")
  }

  /// A long body, in chunks that no piece of a read ends with.
  @Test func aLongBodyInChunksIsReadWhole() async throws {
    let piece = [UInt8](repeating: 65, count: 70_001)
    let server = try RawServer { _ in
      let chunk = Array("\(String(piece.count, radix: 16))\r\n".utf8) + piece + [13, 10]
      return [.send(Self.chunked)] + (0..<50).map { _ in .bytes(chunk) } + [.send("0\r\n\r\n")]
    }
    let result = await FetchTests.run(
      server,
      """
      const bytes = await (await fetch(origin)).bytes();
      console.log(bytes.length, bytes.every((byte) => byte === 65));
      """)
    #expect(result.output == "3500050 true\n", "\(result)")
  }

  /// As a server joins files that are compressed already.
  @Test(arguments: ["gzip", "zstd"])
  func aBodyOfSeveralMembersIsReadToItsEnd(_ encoding: String) async throws {
    let server = try RawServer { request in
      [
        .send("HTTP/1.1 200 OK\r\nContent-Encoding: \(encoding)\r\nConnection: close\r\n\r\n"),
        .bytes(request.body), .close,
      ]
    }
    let result = await FetchTests.run(
      server,
      """
      const small = (text) =>
        new Response(new Blob([text]).stream().pipeThrough(new CompressionStream("\(encoding)"))).bytes();
      const body = new Blob([await small("one and "), await small("two")]);
      const read = (body) => fetch(origin, { method: "POST", body }).then((r) => r.text());
      console.log(await read(body), await told(read(body.slice(0, body.size - 3))));
      """)
    let cut = "TypeError: fetch failed: the answer of ORIGIN ends too early"
    #expect(result.output == "one and two \(cut)\n", "\(result)")
  }
}
