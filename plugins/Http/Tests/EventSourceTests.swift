// SPDX-License-Identifier: MIT

import NBridgeTesting
import Synchronization
import Testing

/// `EventSource` against a server at a real socket.
@Suite struct EventSourceTests {
  private static let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n"

  @Test func eventsAreReadAndTheConnectionIsMadeAgain() async throws {
    let server = try RawServer { request in
      request.headers["last-event-id"] == nil
        ? [
          .send(Self.head + "retry: 5\n: a comment\ndata: one\r\ndata:two\n"),
          .send("\nevent: named\rid: 7\rdata\r\rdata: cut"), .close,
        ]
        : [.send(Self.head + "\u{FEFF}data: again \(request.headers["last-event-id"] ?? "")\n\n"), .close]
    }
    let result = await FetchTests.run(
      server,
      """
      const source = new EventSource(origin + "/events");
      let errors = 0;
      source.onopen = () => console.log("open", source.readyState);
      source.onerror = () => console.log("error", source.readyState, ++errors);
      source.addEventListener("named", (event) => console.log("named", [event.data], event.lastEventId));
      source.onmessage = (event) => {
        console.log(JSON.stringify(event.data), event.lastEventId, event.origin === origin);
        if (event.data.startsWith("again")) source.close();
      };
      """)
    #expect(
      result.output == #"""
        open 1
        "one\ntwo"  true
        named [ '' ] 7
        error 0 1
        open 1
        "again 7" 7 true

        """#, "\(result)")
  }

  /// What has come whole counts, also where the connection breaks with it: an event, and when to come again.
  @Test func anEventIsReadThoughTheConnectionBreaksBehindIt() async throws {
    let server = try RawServer { request in
      let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
      if request.headers["last-event-id"] == "b" { return [.send(Self.head + "data: end\n\n"), .close] }
      let isSecond = request.headers["last-event-id"] == "a"
      return isSecond
        ? [.send(head + "Content-Length: 999\r\n\r\nid: b\ndata: cut\n\n"), .close]
        : [
          .send(head + "Transfer-Encoding: chunked\r\n\r\n1c\r\nretry: 1\nid: a\ndata: chunk\n\n\r\n9\r\nda"),
          .close,
        ]
    }
    let result = await FetchTests.run(
      server,
      """
      const source = new EventSource(origin);
      source.onmessage = ({ data }) => {
        console.log(data);
        if (data === "end") source.close();
      };
      """)
    #expect(result.output == "chunk\ncut\nend\n", "\(result)")
  }

  /// What all typed arrays, signals and targets have is a script's to replace; it is not asked.
  @Test func eventsAreReadWhateverAScriptMakesOfWhatAllObjectsHave() async throws {
    let server = try RawServer { _ in [.send(Self.head + "data: on"), .send("e\n\n"), .close] }
    let result = await FetchTests.run(
      server,
      Self.replaced + """
        const source = new EventSource(origin);
        source.onerror = () => console.log("error", source.readyState);
        source.onmessage = ({ data }) => {
          console.log(data);
          source.close();
        };
        """)
    #expect(result.output == "one\n", "\(result)")
  }

  /// The beginning of a script that has all of them fail.
  static let replaced = """
    const fail = () => { throw new Error("asked"); };
    const typed = Object.getPrototypeOf(Uint8Array.prototype);
    const asks = (object, names) => names.map((name) => Object.defineProperty(object, name, { get: fail }));
    asks(typed, ["length", "buffer", "byteOffset", "byteLength"]);
    asks(AbortSignal.prototype, ["aborted", "reason"]);
    const { addEventListener, removeEventListener } = EventTarget.prototype;
    EventTarget.prototype.addEventListener = EventTarget.prototype.removeEventListener = fail;

    """

  /// A server that says what is no HTTP may say so only for now.
  @Test func aServerThatSpeaksNoHTTPForAMomentIsAskedAgain() async throws {
    let asked = Mutex(0)
    let server = try RawServer { _ in
      switch asked.withLock({ count in
        count += 1
        return count
      }) {
      case 1: [.send(Self.head + "retry: 5\ndata: first\n\n"), .close]
      case 2: [.send("what is no answer\r\n\r\n"), .close]
      default: [.send(Self.head + "data: last\n\n"), .close]
      }
    }
    let result = await FetchTests.run(
      server,
      """
      const source = new EventSource(origin + "/events");
      source.onerror = () => console.log("error", source.readyState);
      source.onmessage = ({ data }) => {
        console.log(data);
        if (data === "last") source.close();
      };
      """)
    #expect(result.output == "first\nerror 0\nerror 0\nlast\n", "\(result)")
  }

  @Test func whatIsNoStreamOfEventsEndsIt() async throws {
    let server = try RawServer { request in
      request.path == "/204" ? .answer("204 No Content") : .ok("data: no\n\n")
    }
    let result = await FetchTests.run(
      server,
      """
      for (const path of ["/204", "/plain"]) {
        const source = new EventSource(origin + path);
        await new Promise((resolve) => { source.onerror = resolve; });
        console.log(path, source.readyState);
      }
      try { new EventSource("/path"); } catch (error) { console.log(error.name); }
      """)
    #expect(result.output == "/204 2\n/plain 2\nSyntaxError\n", "\(result)")
  }

  /// Neither line after line of one event nor one line may take all memory.
  @Test(arguments: ["data: ", ""])
  func anEventWithoutAnEndEndsIt(_ field: String) async throws {
    let line = field + String(repeating: "x", count: 1 << 20) + (field.isEmpty ? "" : "\n")
    let server = try RawServer { _ in [.send(Self.head), .forever(Array(line.utf8))] }
    let result = await FetchTests.run(
      server,
      """
      const source = new EventSource(origin);
      source.onmessage = () => console.log("never");
      await new Promise((resolve) => { source.onerror = resolve; });
      console.log(source.readyState);
      """)
    #expect(result.output == "2\n", "\(result)")
  }
}
