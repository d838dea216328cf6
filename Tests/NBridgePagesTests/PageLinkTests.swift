// SPDX-License-Identifier: MIT

import FoundationEssentials
import NBridgePlugin
import Testing

/// What becomes of a page's session when its link is cut.
@Suite struct PageLinkTests {
  @Test func aCallUnderWayIsAnsweredOnceWhenThePageComesBack() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let ticket = try program.ticket(cookie)
    var page: PageClient? = try PageClient(program.port, cookie)
    _ = try page?.greet(ticket)
    try page?.say([page!.call("gate", slot: 4), page!.call("answer", slot: 5)])
    _ = try page?.next()
    let received = page?.received ?? 0
    page = nil  // the connection is gone, without a word
    let helper = try program.join(cookie)
    try helper.say([helper.call("openGate", slot: 0)])
    _ = try helper.next()
    let back = try PageClient(program.port, cookie)
    #expect(try back.greet(ticket, received: received) == #"{"received":1}"#)
    let reply = try back.next()
    #expect(reply.slot == 4 && reply.what == 0)
    // Nothing comes twice: the next is the answer to what is asked next.
    try back.say([back.call("hello", #"{"name":"c"}"#, slot: 6)], number: 2)
    #expect(try back.next().text == "Hello, c!")
  }

  @Test func aWatchGoesOnWhenThePageComesBack() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let ticket = try program.ticket(cookie)
    var page: PageClient? = try PageClient(program.port, cookie)
    _ = try page?.greet(ticket)
    try page?.say([page!.call("mixed", #"{"count":8}"#, slot: 1)])
    let before = try page?.next()
    let received = page?.received ?? 0
    page = nil
    let back = try PageClient(program.port, cookie)
    _ = try back.greet(ticket, received: received)
    try back.say([PageClient.Frame(kind: 3, slot: 1, first: 100)], number: 2)
    var all = before?.text ?? ""
    while case let reply = try back.next(), reply.what >= 6 { all += reply.text }
    let numbers = all.split(separator: "\"n\":").dropFirst().map { String($0.prefix { $0.isNumber }) }
    #expect(numbers == (0..<8).map { "\($0)" }, "\(all)")
  }

  @Test func aMessageThatIsSaidTwiceCountsOnce() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let page = try program.join(program.enter())
    try page.say([page.call("asked", slot: 0), page.call("push", #"{"n":1}"#, slot: 1)], number: 1)
    try page.say([page.call("asked", slot: 0), page.call("push", #"{"n":1}"#, slot: 1)], number: 1)
    try page.say([page.call("hello", #"{"name":"d"}"#, slot: 2)], number: 2)
    let slots = [try page.next().slot, try page.next().slot, try page.next().slot]
    #expect(slots == [0, 1, 2])
  }

  @Test func aReplyThatWasLostOnTheWayComesAgain() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let ticket = try program.ticket(cookie)
    let page = try PageClient(program.port, cookie)
    _ = try page.greet(ticket)
    try page.say([page.call("hello", #"{"name":"e"}"#, slot: 3)])
    _ = try page.receive()  // it came, and the page never saw it
    let back = try PageClient(program.port, cookie)
    _ = try back.greet(ticket, received: 0)
    #expect(try back.next().text == "Hello, e!")
  }

  @Test func aNewSocketTakesTheSessionFromAnOldOne() throws {
    let program = try ServedProgram()
    defer { program.end() }
    let cookie = try program.enter()
    let ticket = try program.ticket(cookie)
    let page = try PageClient(program.port, cookie)
    _ = try page.greet(ticket)
    let back = try PageClient(program.port, cookie)
    _ = try back.greet(ticket)
    #expect(try page.receive() == .close(1001))
    try back.say([back.call("hello", #"{"name":"f"}"#, slot: 0)])
    #expect(try back.next().text == "Hello, f!")
  }
}
