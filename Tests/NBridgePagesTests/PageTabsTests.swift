// SPDX-License-Identifier: MIT

import NBridgePages
import NBridgePlugin
import Testing

/// What a program asks of the pages that it serves, and what it takes of them: over a real socket.
@Suite struct PageTabsTests {
  private static func told(
    _ what: UInt8, _ number: UInt32, _ text: String = ""
  ) -> PageClient.Frame { PageClient.Frame(kind: 9, what: what, slot: number, text: text) }

  @Test func aPageIsAskedAndTellsWhatCameOfIt() throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([Self.told(3, 0, "/a.html\n\nA title")])
    let asked = program.ask(1, "1 + 1")
    let question = try page.next()
    #expect(question.kind == 6 && question.slot == 1 && question.text.contains(#""code":"1 + 1""#))
    try page.say([Self.told(0, 1, "2")])
    #expect(try asked.value() == .value("2"))
    let tabs = program.tabs
    #expect(tabs.map(\.number) == [1] && tabs.map(\.place) == ["/a.html"] && tabs.map(\.title) == ["A title"])
    for (what, outcome): (UInt8, PageTabs.Outcome) in [(1, .nothing), (2, .failed("why"))] {
      let asked = program.ask(1, "x")
      let number = try page.next().slot
      try page.say([Self.told(what, number, what == 2 ? "why" : "")])
      #expect(try asked.value() == outcome)
    }
  }

  @Test func onlyTheTabThatIsMeantHearsOfIt() throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    let cookie = try program.enter()
    let (one, other) = (try program.join(cookie), try program.join(cookie))
    let asked = program.ask(2, "here")
    #expect(try other.next().kind == 6)
    try other.say([Self.told(0, 1, "there")])
    #expect(try asked.value() == .value("there"))
    try one.say([one.call("hello", #"{"name":"a"}"#, slot: 0)])
    #expect(try one.next().text == "Hello, a!")
  }

  /// Not even what its own program would answer to.
  @Test func aPageCanNotMakeAnotherRunSomething() throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    let cookie = try program.enter()
    let (one, other) = (try program.join(cookie), try program.join(cookie))
    // The number of what programs say stands for something else in what pages say.
    try one.say([PageClient.Frame(kind: 6, slot: 1, text: #"{"code":"1"}"#), Self.told(3, 0, "/\n\nx")])
    try other.say([other.call("hello", #"{"name":"b"}"#, slot: 0)])
    #expect(try other.next().kind == 1)
  }

  @Test(arguments: [(0, 1), (0, 9), (4, 0), (3, 0), (255, 0)])
  func whatNoPageOfOursTellsEndsItsSession(_ what: UInt8, _ number: UInt32) throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([Self.told(what, number, "no place")])
    #expect(try page.receive() == .close(1008))
  }

  @Test func whatIsTooLongEndsItsSession() throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    let page = try program.join(program.enter())
    let asked = program.ask(1, "x")
    let number = try page.next().slot
    try page.say([Self.told(0, number, String(repeating: "x", count: 1 << 20 + 1))])
    #expect(try page.receive() == .close(1008))
    #expect(try asked.value() == .gone)
  }

  @Test func anEntryThatIsTooLongIsNotSent() throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    _ = try program.join(program.enter())
    let asked = program.ask(1, String(repeating: "x", count: 1 << 20))
    let error = #expect(throws: BridgeError.self) { try asked.value() }
    #expect(error?.code == .tooLarge)
  }

  @Test func aPageThatGoesTellsNothingAnyMore() throws {
    let program = try ServedProgram(asks: true)
    defer { program.end() }
    let page = try program.join(program.enter())
    let asked = program.ask(1, "x")
    _ = try page.next()
    try page.say([PageClient.Frame(kind: 8)])
    #expect(try asked.value() == .gone)
    #expect(program.tabs.isEmpty)
    let error = #expect(throws: BridgeError.self) { try program.ask(1, "x").value() }
    #expect(error?.code == .notFound)
  }

  /// `nbridge serve` and `nbridge window`.
  @Test func whereNobodyAsksNoPageTellsOrRunsAnything() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let script = try program.get("/.nbridge/bridge.js", cookie).body
    #expect(script.contains("attached: undefined,") && !script.contains("createElement(\"script\")"))
    let page = try program.join(cookie)
    try page.say([Self.told(3, 0, "/\n\nx")])
    #expect(try page.receive() == .close(1008))
  }

  @Test func wherePagesAreAskedTheirPolicyIsTheSame() throws {
    let (asks, other) = (try ServedProgram(asks: true), try ServedProgram())
    defer {
      asks.end()
      other.end()
    }
    let policies = try [asks, other].map { program in
      try program.get("/index.html", program.enter()).header("Content-Security-Policy")?
        .replacing(program.host, with: "HOST")
    }
    #expect(policies[0] == policies[1] && policies[0]?.contains("'unsafe-eval'") == false)
  }
}
