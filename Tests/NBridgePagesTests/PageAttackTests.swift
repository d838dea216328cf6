// SPDX-License-Identifier: MIT

import FoundationEssentials
import Glibc
import NBridgeHost
import NBridgePlugin
import NBridgeSystem
import TestSupport
import Testing

/// Who is no page of the program's, and what no page of ours says.
@Suite struct PageAttackTests {
  @Test func aLinkIsWorthOneVisit() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let again = try program.get("/?token=\(program.token)")
    #expect(again.status == 401 && again.header("Set-Cookie") == nil, "\(again)")
    let guessed = try program.get("/?token=\(String(repeating: "0", count: 64))")
    #expect(guessed.status == 401)
    #expect(cookie.hasPrefix("nbridge-\(program.port)-"))
  }

  @Test(
    arguments: [
      ("/index.html", [:], "GET", 401), ("/.nbridge/bridge.js", ["Cookie": "nbridge-1-2=3"], "GET", 401),
      ("/index.html", ["Cookie": "+"], "POST", 405),
      ("/.nbridge/bridge.js", ["Cookie": "+", "Sec-Fetch-Site": "same-site"], "GET", 403),
      ("/.nbridge/bridge.js", ["Cookie": "+", "Sec-Fetch-Site": "cross-site"], "GET", 403),
      ("/index.html", ["Cookie": "+", "Sec-Fetch-Site": "same-origin"], "GET", 200),
    ] as [(String, [String: String], String, Int)])
  func strangersGetNothing(_ path: String, _ headers: [String: String], _ method: String, _ status: Int)
    throws
  {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let fields = headers.mapValues { $0 == "+" ? cookie : $0 }
    #expect(try program.get(path, nil, fields, method: method).status == status)
  }

  /// Who stands before the server may believe the other one.
  @Test func aRequestForTwoHostsIsForNone() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let fields = ["Cookie": try program.enter(), "Host": program.host]
    #expect(try program.get("/index.html", nil, fields).status == 421)
  }

  @Test func anotherNameForTheAddressIsRefused() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let port = program.port
    for host in ["evil.example", "localhost:\(port)", "127.0.0.1", "127.0.0.1.evil.example:\(port)"] {
      let answer = try program.get("/index.html", cookie, host: host)
      #expect(answer.status == 421 && answer.body.contains("http://\(program.host)/"), "\(host): \(answer)")
    }
  }

  @Test(arguments: ["http://evil.example", "null", "", "http://127.0.0.1", "http://localhost:1"])
  func aSocketOfAnotherOriginIsRefused(_ origin: String) throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    #expect(throws: PageClient.Refused.self) { try PageClient(program.port, cookie, ["Origin": origin]) }
  }

  @Test func aSocketWithoutTheCookieIsRefused() throws {
    let program = try ServedProgram()
    defer { program.end() }
    _ = try program.enter()
    let refused = #expect(throws: PageClient.Refused.self) { try PageClient(program.port, "a=b") }
    #expect(refused?.head.hasPrefix("HTTP/1.1 401") == true)
  }

  @Test func aTicketIsWorthOneSession() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let guess = try PageClient(program.port, cookie)
    #expect(try guess.greet(String(repeating: "0", count: 64)).contains("refused"))
    #expect(try guess.receive() == .close(1008))
  }

  @Test func whatIsNoMessageEndsTheSession() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let other = try program.join(cookie)
    let word = PageClient.word
    let lies: [[UInt8]] = [
      [], [1, 2, 3], word(1) + word(0) + [99] + [UInt8](repeating: 0, count: 19),
      word(1) + word(0) + [1, 0, 255, 255] + [UInt8](repeating: 0, count: 16),
      word(1) + word(0) + [1, 0, 0, 0] + word(0) + word(0) + word(0) + word(0xFFFF_FFF0),
      word(1) + word(0) + [1, 0, 1, 0] + word(0) + word(0) + word(0) + word(0) + word(1 << 30),
      word(5) + word(0), word(1) + word(0) + [2],
      word(1) + word(0) + PageClient.Frame(kind: 1, first: 1 << 31).bytes,
    ]
    for lie in lies {
      let page = try program.join(cookie)
      try page.send(lie)
      #expect(try page.receive() == .close(1008), "\(lie)")
    }
    try other.say([other.call("hello", #"{"name":"g"}"#, slot: 0)])
    #expect(try other.next().text == "Hello, g!")
  }

  @Test func anOptionThatIsNoJSONFailsItsCallOnly() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    let texts = [
      "{", "\u{0}", #"{"name":"#, #"{"$nb":["b",7,"Uint8Array"]}"#, String(repeating: "[", count: 100_000),
    ]
    try page.say(texts.enumerated().map { page.call("hello", $1, slot: UInt32($0)) })
    for _ in texts { #expect(try page.next().what == 4) }
  }

  @Test func randomBytesHarmNobody() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    var random = SeededGenerator(seed: 7)
    for _ in 0..<40 {
      let page = try program.join(cookie)
      let count = Int.random(in: 8..<300, using: &random)
      let noise = (0..<count).map { _ in UInt8.random(in: 0...12, using: &random) }
      try page.send(PageClient.word(1) + PageClient.word(0) + noise)
    }
    let page = try program.join(cookie)
    try page.say([page.call("hello", #"{"name":"h"}"#, slot: 0)])
    #expect(try page.next().text == "Hello, h!")
  }

  @Test func aSocketThatSaysNothingKnownIsClosed() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    for text in ["", "{}", "[]", #"{"ticket":5,"received":0}"#, #"{"ticket":"a"}"#] {
      let page = try PageClient(program.port, cookie)
      try page.send(Array(text.utf8), isText: true)
      #expect(try page.receive() == .close(1008), "\(text)")
    }
    let page = try PageClient(program.port, cookie)
    try page.send(PageClient.word(1) + PageClient.word(0))
    #expect(try page.receive() == .close(1008))
  }

  @Test func moreSocketsThanThereCanBeAreRefusedAndTheOthersGoOn() throws {
    // However long it takes to open so many, none of them is closed because it said nothing.
    let program = try ServedProgram(clock: StandingClock())
    defer { program.end() }
    let cookie = try program.enter()
    let page = try program.join(cookie)
    var idle: [PageClient] = []
    var refused: PageClient.Refused?
    for _ in 0..<400 where refused == nil {
      do { idle.append(try PageClient(program.port, cookie)) } catch let error as PageClient.Refused {
        refused = error
      }
    }
    #expect(refused?.head.hasPrefix("HTTP/1.1 503") == true && idle.count == 255)
    try page.say([page.call("hello", #"{"name":"i"}"#, slot: 0)])
    #expect(try page.next().text == "Hello, i!")
  }

  @Test func aClientThatHasGoneLeavesNoDescriptor() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    // The kernel's table has what is open at the program's own port: others of this process come and go.
    let page = try program.join(cookie)
    #expect(Connections.open(at: program.port) >= 1)
    for _ in 0..<60 {
      #expect(try program.get("/index.html", cookie).status == 200)
      #expect(try program.get("/index.html").status == 401)
    }
    let end = ContinuousClock.now + .seconds(60)
    while Connections.open(at: program.port) > 1, .now < end { usleep(20_000) }
    #expect(Connections.open(at: program.port) == 1)
    try page.say([page.call("hello", #"{"name":"i"}"#, slot: 0)])
    #expect(try page.next().text == "Hello, i!")
  }

  @Test func aRequestWithABodyIsRefusedAtItsHead() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    #expect(try program.get("/index.html", cookie, ["Content-Length": "5"], body: "hello").status == 413)
    let chunks = "3\r\nabc\r\n0\r\n\r\n"
    #expect(try program.get("/index.html", nil, ["Transfer-Encoding": "chunked"], body: chunks).status == 413)
  }

  @Test(arguments: ["/.nbridge/socketx", "/.nbridge/socket/", "/.nbridge/socket/x"])
  func aSocketIsAtItsPathOnly(_ path: String) throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let refused = #expect(throws: PageClient.Refused.self) {
      try PageClient(program.port, cookie, path: path)
    }
    #expect(refused?.head.hasPrefix("HTTP/1.1 404") == true)
  }

  @Test func theAppsPermissionsAreNoPartOfThePage() throws {
    let program = try ServedProgram(["app.json": "{}"])
    defer { program.end() }
    #expect(try program.get("/app.json", try program.enter()).status == 404)
  }
}

/// What a server of this machine holds.
private enum Connections {
  /// How many connections to a port its server has not closed: those that stand, and those that only the
  /// client has closed (ESTABLISHED and CLOSE_WAIT of the kernel's `tcp_states.h`).
  static func open(at port: Int) -> Int {
    let table = KernelTable.text("/proc/net/tcp")
    let place = ":" + String(65536 + port, radix: 16, uppercase: true).suffix(4)
    return table.split(separator: "\n").count {
      let fields = $0.split(separator: " ")
      return fields.count > 3 && fields[1].hasSuffix(place) && ["01", "08"].contains(fields[3])
    }
  }
}

/// A clock on which no time passes.
private final class StandingClock: LoopClock {
  var now: Int { 1_000_000 }
  var isReal: Bool { true }
  func jump(to time: Int) {}
}
