// SPDX-License-Identifier: MIT

import FoundationEssentials
import NBridgePlugin
import StressPlugins
import Testing

/// A page's calls, over a real socket.
@Suite struct PageSessionTests {
  @Test func callsOfAllKindsAreAnsweredInTheirSlots() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([
      page.call("hello", #"{"name":"Ada"}"#, slot: 0), page.call("answer", slot: 1),
      page.call("soon", slot: 2), page.call("compute", #"{"count":21}"#, slot: 3),
      page.call("throwsCode", slot: 4), page.call("nothing", slot: 5),
      page.call("point", #"{"x":1,"y":2.5,"label":"p","on":true}"#, slot: 6),
    ])
    var answers: [UInt32: PageClient.Reply] = [:]
    while answers.count < 7 {
      let reply = try page.next()
      answers[reply.slot] = reply
    }
    #expect(answers[0]?.text == "Hello, Ada!" && answers[0]?.form == 4)
    #expect(answers[1]?.form == 3)
    #expect(answers[2]?.text == "soon")
    #expect(answers[3]?.form == 3)
    #expect(answers[4]?.what == 4 && answers[4]?.text.contains("out_of_paper") == true)
    #expect(answers[5]?.form == 0)
    #expect(answers[6]?.what == 1 && answers[6]?.text.contains(#""label":"p""#) == true)
  }

  @Test func bytesCrossAsTheyAre() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    let bytes = (0..<100_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
    try page.say([page.call("bytes", #"{"bytes":{"$nb":["b",0,"Uint8Array"]}}"#, slot: 7, parts: [bytes])])
    let reply = try page.next()
    #expect(reply.form == 5 && reply.parts == [bytes])
  }

  @Test func aCancelledCallIsToldToItsHandlerAndItsSlotIsFree() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("later", #"{"ms":100000}"#, slot: 3)])
    try page.say([PageClient.Frame(kind: 2, slot: 3)])
    let over = try page.next()
    #expect(over.kind == 2 && over.slot == 3)
    try page.say([page.call("answer", slot: 3)])
    #expect(try page.next().slot == 3)
  }

  @Test func aDeadlineEndsACall() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("never", slot: 1, timeout: 5)])
    let reply = try page.next()
    #expect(reply.what == 4 && reply.text.contains(#""timeout""#), "\(reply)")
  }

  @Test func aWatchSendsNoMoreThanThePageHasRoomFor() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("mixed", #"{"count":1000}"#, slot: 2)])
    var events = 0
    while events < 4 { events += try Self.events(page.next()) }
    #expect(events == 4)
    try page.say([PageClient.Frame(kind: 3, slot: 2, first: 3), page.call("answer", slot: 9)])
    var isAnswered = false
    while events < 7 || !isAnswered {
      let reply = try page.next()
      if reply.slot == 9 { isAnswered = true } else { events += try Self.events(reply) }
    }
    #expect(events == 7)
  }

  private static func events(_ reply: PageClient.Reply) throws -> Int {
    try #require(reply.what >= 6, "\(reply)")
    return reply.text.components(separatedBy: #""n":"#).count - 1
  }

  @Test func aDeniedActionSaysWhatToAdd() throws {
    let program = try ServedProgram(permissions: ["probe.hello"])
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("answer", slot: 0), page.call("hello", #"{"name":"a"}"#, slot: 1)])
    let denied = try page.next()
    #expect(denied.what == 4 && denied.text.contains(#"add \"probe.answer\""#), "\(denied)")
    #expect(try page.next().text == "Hello, a!")
  }

  @Test func aNameThatIsNoActionsIsToldWithTheNearest() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([PageClient.Frame(kind: 7, slot: 0, text: "probe\nhelo")])
    let reply = try page.next()
    #expect(reply.what == 4 && reply.text.contains("did you mean 'hello'?"), "\(reply)")
  }

  @Test func pagesHaveSessionsOfTheirOwn() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let (one, other) = (try program.join(cookie), try program.join(cookie))
    try one.say([one.call("gate", slot: 5)])
    try other.say([other.call("hello", #"{"name":"b"}"#, slot: 5)])
    #expect(try other.next().text == "Hello, b!")
    // What one cancels is none of the other's.
    try other.say([PageClient.Frame(kind: 2, slot: 5), other.call("openGate", slot: 6)])
    #expect(try other.next().slot == 6)
    #expect(try one.next().slot == 5)
  }

  @Test func whatAPageHadOpenEndsWhenItLeaves() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let page = try program.join(cookie)
    try page.say([page.call("endless", slot: 0), page.call("later", #"{"ms":100000}"#, slot: 1)])
    _ = try page.next()
    // As `js/remote.js` does: nobody waits, and the page goes.
    try page.say([
      PageClient.Frame(kind: 2, slot: 0), PageClient.Frame(kind: 2, slot: 1), PageClient.Frame(kind: 8),
    ])
    let other = try program.join(cookie)
    var cancelled = 0.0
    for slot in UInt32(0)..<2000 where cancelled < 2 {
      try other.say([other.call("cancellations", slot: slot)])
      let reply = try other.next()
      cancelled = reply.number
    }
    #expect(cancelled == 2)
  }

  @Test func aPageThatNeverSaysWhatItGotIsSentOnlySoMuch() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let page = try program.join(cookie)
    page.acknowledges = false
    for slot in UInt32(0)..<300 { try page.say([page.call("keepLate", slot: slot)]) }
    // The program turns for another page, too; each of its answers comes behind what was sent to this one.
    let other = try program.join(cookie)
    var (come, calm, slot) = (0, 0, UInt32(0))
    while calm < 50, slot < 20_000 {
      slot += 1
      try other.say([other.call("later", #"{"ms":2}"#, slot: slot)])
      _ = try other.next()
      let more = page.dropWhatHasCome()
      come += more
      calm = more > 0 || come < 10_000_000 ? 0 : calm + 1
    }
    #expect(come > 10_000_000 && come < 20_000_000, "\(come)")
  }

  @Test func answersThatAreThereAtOnceWaitForRoomToo() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    page.acknowledges = false
    for slot in UInt32(0)..<300 { try page.say([page.call("keep", slot: slot)]) }
    var held = 0
    while held < 15 << 20 { held += try page.next().parts[0].count }
    // What it says it has lets the rest come: none is lost, and they come in their order.
    page.acknowledges = true
    try page.send(PageClient.word(0) + PageClient.word(page.received))
    var last: UInt32 = 0
    while held < 300 * 100_000 {
      let reply = try page.next()
      held += reply.parts[0].count
      last = reply.slot
    }
    #expect(held == 300 * 100_000 && last == 299)
  }

  /// A script that keeps the loop for so long has its answers wait; a page keeps it from nothing.
  @Test func answersKeepTheirOrderWhereTheLoopIsLate() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("slow", slot: 0)] + (UInt32(1)..<300).map { page.call("answer", slot: $0) })
    var slots: [UInt32] = []
    while slots.count < 300 { slots.append(try page.next().slot) }
    #expect(slots == Array(0..<300))
  }

  @Test func aPageIsToldThatTheProgramEndsAndItsLastCallsAreAwaited() throws {
    let program = try ServedProgram()
    let page = try program.join(program.enter())
    try page.say([page.call("hello", #"{"name":"j"}"#, slot: 0)])
    _ = try page.next()
    program.stop()
    #expect(try page.next().kind == 5)
    try page.say([page.call("later", #"{"ms":50}"#, slot: 1), PageClient.Frame(kind: 8)])
    #expect(try page.next().slot == 1)
    program.end()
  }
}

extension PageClient.Reply {
  /// The number that a value of that form is.
  var number: Double {
    let bytes = Array(raw.prefix(8))
    guard form == 3, bytes.count == 8 else { return .nan }
    return Double(bitPattern: (0..<8).reduce(UInt64(0)) { $0 | UInt64(bytes[$1]) << ($1 * 8) })
  }
}
