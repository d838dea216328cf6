// SPDX-License-Identifier: MIT

import CNBridgeGLib
import Glibc
import LoggerPlugin
import NBridgePlugin
import NBridgeTesting
import TestSupport
import Testing

@testable import NBridgeLogs
@testable import NBridgeSystem

/// The user whose process is at the other end of a connection.
@Suite struct TCPPeersUnitTests {
  private static let ends = "0100007F:D431 0100007F:09E4"

  private static func row(
    _ ends: String = ends, state: String = "01", user: String = "1000", inode: String = "77", number: Int = 3
  ) -> String {
    "   \(number): \(ends) \(state) 00000000:00000000 00:00000000 00000000  \(user)        0 \(inode) 1 "
      + "0000 20 4 30 10 -1\n"
  }

  private static let head =
    "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   "
    + "uid  timeout inode\n"

  static let tables: [(String, UInt32?)] = [
    (row(), 1000), (row(state: "04"), 1000), (row(state: "05", user: "0"), 0),
    (row(user: "4294967294"), 4_294_967_294),
    // Not open any more, or not open yet.
    (row(state: "06"), nil), (row(state: "0A"), nil), (row(state: "08"), nil), (row(inode: "0"), nil),
    // The other way round, another port, nothing.
    (row("0100007F:09E4 0100007F:D431"), nil), (row("0100007F:D432 0100007F:09E4"), nil), ("", nil),
    (String(row().prefix(60)), nil), (row(user: "x"), nil), (row(user: "-1"), nil),
    (row(user: "4294967296"), nil),
    ("\(row("0100007F:09E4 0100007F:D431", user: "5"))\(row(user: "6", number: 4))", 6),
  ]

  @Test(arguments: tables)
  func theKernelsTableIsRead(_ rows: String, _ user: UInt32?) {
    #expect(TCPPeers.user(Self.ends, in: Array((Self.head + rows).utf8)) == user)
  }

  /// A connection within this process is this user's, and has no owner once the other end has closed.
  @Test func aRealConnectionHasItsOwner() throws {
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    defer { close(listener) }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = inet_addr("127.0.0.1")
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    let isConnected = withUnsafeMutablePointer(to: &address) { address in
      address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        bind(listener, address, size) == 0
          && listen(listener, 1) == 0
          && getsockname(listener, address, &size) == 0
          && connect(client, address, size) == 0
      }
    }
    try #require(isConnected)
    let server = accept(listener, nil, nil)
    defer { close(server) }
    #expect(TCPPeers().user(of: server) == getuid() && TCPPeers().user(of: client) == getuid())
    close(client)
    // A program that another test starts in this moment has a copy until it runs.
    var looks = 0
    while TCPPeers().user(of: server) != nil, looks < 10_000 {
      looks += 1
      sched_yield()
    }
    #expect(TCPPeers().user(of: server) == nil)
    #expect(TCPPeers().user(of: -1) == nil)
  }

  @Test func whatCannotBeReadIsEmpty() {
    #expect(KernelTable.bytes("/proc/no/such/file") == [] && KernelTable.text("/proc/no/such/file") == "")
    #expect(KernelTable.text("/proc/net/tcp").contains("local_address"))
  }

  // MARK: - Base64

  @Test(arguments: [
    ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
    ("foobar", "Zm9vYmFy"),
  ])
  func theVectorsOfRFC4648Hold(_ text: String, _ expected: String) {
    #expect(Base64.encode(Array(text.utf8)) == expected)
  }
}

/// The events of one connection.
@Suite struct LogIntakeUnitTests {
  /// Events as text.
  private func events(_ pieces: [ArraySlice<UInt8>], finishes: Bool = true) -> [String] {
    var intake = LogIntake { "NOW" }
    var events: [String] = []
    let note = { (event: LogIntake.Event, line: UnsafeBufferPointer<UInt8>) in
      let text = String(decoding: line, as: UTF8.self)
      switch event {
      case .hello(let hello): events.append("hello \(hello.source) \(hello.app) \(hello.pid)")
      case .record(let number, let rank): events.append("record \(number) \(rank)")
      case .foreign(let rank, let json):
        #expect(String(decoding: json, as: UTF8.self) == text)
        events.append("foreign \(rank) \(text)")
      case .end: events.append("end")
      case .lost: events.append("lost")
      }
    }
    for piece in pieces { Array(piece).withUnsafeBufferPointer { intake.take($0, note) } }
    if finishes { intake.finish(note) }
    return events
  }

  private func events(_ text: String) -> [String] { events([Array(text.utf8)[...]]) }

  static let hello = "{\"nbridgeLog\":1,\"source\":\"s\",\"app\":\"a\",\"pid\":7}\n"
  private static func message(_ text: String, _ level: String = "info") -> String {
    #"{"time":"NOW","level":"\#(level)","service":"socket","message":"\#(text)"}"#
  }

  private static func text(_ text: String, rank: Int = 2, _ level: String = "info") -> [String] {
    ["foreign \(rank) \(message(text, level))"]
  }

  static let ofAnybody: [(String, [String])] = [
    ("", []), ("\n\r\n\n", []), ("plain\n", text("plain")), ("no end", text("no end")),
    ("crlf\r\n", text("crlf")),
    // A client that did not greet has no numbers.
    ("{\"seq\":1,\"level\":\"error\"}\n", ["foreign 5 {\"seq\":1,\"level\":\"error\"}"]),
    ("{\"end\":true}\n", ["foreign 2 {\"end\":true}"]),
    ("{\"level\":\"fatal\"}\n", ["foreign 6 {\"level\":\"fatal\"}"]),
    ("{broken\n", text("{broken")), ("{}x\n", text("{}x")),
    ("[\u{1F41B} DEBUG] text\n", text("text", rank: 1, "debug")),
    ("[\u{26A0}\u{FE0F} WARNING] w\n", text("w", rank: 4, "warning")),
    ("[\u{1F6AB} ERROR] e\n", text("e", rank: 5, "error")), ("[\u{2139}\u{FE0F} INFO] i\n", text("i")),
  ]

  /// The lines that follow the greeting.
  static let ofOurs: [(String, [String])] = [
    ("", []), ("{\"seq\":1,\"level\":\"error\"}\n", ["record 1 5"]),
    ("{\"seq\":1}\n{\"end\":true}\n", ["record 1 2", "end"]),
    ("{\"lost\":true}\n", ["lost"]),
    // A line that is none of ours says nothing, and half a line is none.
    ("nonsense\n{\"seq\":x}\n", []), ("{\"seq\":2", []),
  ]

  @Test(arguments: ofOurs)
  func whoGreetedSendsRecords(_ text: String, _ expected: [String]) {
    #expect(events(Self.hello + text) == ["hello s a 7"] + expected)
  }

  @Test(arguments: ofAnybody)
  func linesAreTakenForWhatTheyAre(_ text: String, _ expected: [String]) {
    #expect(events(text) == expected)
  }

  @Test(arguments: 0..<40)
  func piecesDoNotMatter(_ seed: Int) {
    var dice = SeededGenerator(seed: seed)
    let parts = [
      "plain\n", "\r\n", "{\"seq\":1,\"level\":\"warning\"}\n", "{\"seq\":2}\r\n", "[\u{1F41B} DEBUG] é\n",
      "{\"a\":1}\n", "rest",
      "{\"end\":true}\n", "\n",
    ]
    let text = (dice.below(2) == 0 ? Self.hello : "") + dice.text(of: parts, count: 12)
    let bytes = Array(text.utf8)
    let whole = events([bytes[...]])
    var pieces: [ArraySlice<UInt8>] = [], at = 0
    while at < bytes.count {
      let end = min(bytes.count, at + 1 + dice.below(9))
      pieces.append(bytes[at..<end])
      at = end
    }
    #expect(events(pieces) == whole, "seed \(seed)")
    #expect(events(bytes.indices.map { bytes[$0...$0] }) == whole, "seed \(seed)")
  }

  @Test func aLineWithoutAnEndIsCutOnceAndItsRestPassedOver() {
    let line = Array(repeating: UInt8(ascii: "x"), count: LogIntake.longest + 10)
    let pieces = stride(from: 0, to: line.count, by: 1 << 20).map { line[$0..<min(line.count, $0 + 1 << 20)] }
    let found = events(pieces + [Array("more\nnext\n".utf8)[...]])
    #expect(
      found.count == 2 && found[0].hasPrefix("foreign 4 ") && found[0].contains("(cut after 16 MiB) xxx")
    )
    #expect(found[1] == "foreign 2 " + Self.message("next"))
  }

  @Test func whoHoldsTooMuchIsCut() {
    var intake = LogIntake { "NOW" }
    var texts: [String] = []
    let note = { (_: LogIntake.Event, line: UnsafeBufferPointer<UInt8>) in
      texts.append(String(decoding: line, as: UTF8.self))
    }
    intake.cut(note)
    #expect(texts.isEmpty && intake.held == 0)
    Array("half a line".utf8).withUnsafeBufferPointer { intake.take($0, note) }
    #expect(intake.held >= 11)
    intake.cut(note)
    #expect(
      texts.count == 1
        && texts[0].contains(
          "(cut after 11 bytes: all programs together hold too much) half a line"
        )
    )
    #expect(intake.held == 0)
    Array(" and its rest\nnext\n".utf8).withUnsafeBufferPointer { intake.take($0, note) }
    #expect(texts.count == 2 && texts[1].contains("next"))
  }

  static let levels: [(String, Int)] = [
    (#"{"seq":1,"level":"trace"}"#, 0), (#"{"level":"debug"}"#, 1), (#"{"level":"info"}"#, 2),
    (#"{"level":"notice"}"#, 3),
    (#"{"level":"warning"}"#, 4), (#"{"level":"error"}"#, 5), (#"{"level":"critical"}"#, 6),
    (#"{"level":"x"}"#, 2), ("{}", 2),
    (#"{"level": "error"}"#, 5), (#"{"a":"\#(String(repeating: "x", count: 200))","level":"error"}"#, 5),
    (#"{"level":"#, 2), (#"{"level":""#, 2),
  ]

  @Test(arguments: levels)
  func levelsAreRead(_ record: String, _ rank: Int) {
    #expect(Array(record.utf8).withUnsafeBufferPointer { LogIntake.rank(of: $0) } == rank)
  }
}
