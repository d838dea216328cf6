// SPDX-License-Identifier: MIT

import NBridgeTesting
import Synchronization
import Testing

/// Answers of which the connection's end leaves a part.
@Suite struct FetchHeadTests {
  private static let read = """
    const read = async (path) => {
      try { return await (await fetch(origin + path)).text(); } catch (error) { return error.cause?.message; }
    };

    """

  /// RFC 9112, 8: one whose head is not whole is no answer, and none without a body.
  @Test(
    arguments: [
      "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n",
      "HTTP/1.1 204 No Content\r\nA: b\r\n",
      "HTTP/1.1 404 Not Found", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n",
      "HTTP/1.1 103 Hints\r\nLink: a",
    ], [true, false])
  func whatIsCutInItsHeadIsNoAnswer(_ head: String, isKept: Bool) async throws {
    let server = try RawServer { request in request.path == "/first" ? .ok("first") : [.send(head), .close] }
    let result = await FetchTests.run(
      server,
      Self.read + """
        if (\(isKept)) console.log(await read("/first"));
        const answer = await read("/cut");
        console.log(answer.endsWith("closed the connection before the answer was whole") ? "cut" : answer);
        """)
    #expect(result.output == (isKept ? "first\n" : "") + "cut\n", "\(result)")
  }

  /// A server that has begun to answer has heard the request: it gets none a second time.
  @Test(arguments: [
    "H", "HTTP/1.1 200 O", "HTTP/1.1 100 Continue\r\n\r\n", "HTTP/1.1 103 Hints\r\nLink: a\r\n\r\n",
  ])
  func whatHasBegunToBeAnsweredIsNotSentAgain(_ begun: String) async throws {
    let count = Mutex(0)
    let server = try RawServer { request in
      if request.path == "/first" { return .ok("first") }
      return count.withLock { count in
        count += 1
        return count == 1 ? [.send(begun), .close] : .ok("again")
      }
    }
    let result = await FetchTests.run(
      server,
      Self.read + """
        console.log(await read("/first"));
        console.log(await read("/second") === "again" ? "again" : "not again");
        """)
    #expect(result.output == "first\nnot again\n", "\(result)")
  }

  /// The end may be that of the body, and the next answer is another one's.
  @Test func whatIsWholeIsRead() async throws {
    let server = try RawServer { request in
      switch request.path {
      case "/end": [.send("HTTP/1.1 200 OK\r\n\r\nto the end"), .close]
      case "/hint": [.send("HTTP/1.1 103 Hints\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nhint")]
      default: .ok(request.path)
      }
    }
    let result = await FetchTests.run(
      server,
      Self.read + """
        for (const path of ["/one", "/hint", "/two", "/end", "/three"]) console.log(await read(path));
        """)
    #expect(result.output == "/one\nhint\n/two\nto the end\n/three\n", "\(result)")
  }
}
