// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSoup

/// Gives pages their sessions: the first message of a socket says whose it is. Confined to the engine's
/// thread.
final class SessionDesk: PageLinkListener {
  /// Takes a ticket that is worth a new session; nil for what is none.
  var admits: (String) -> PageDoor.Ticket? = { _ in nil }
  var events: () -> PageServer.Events = { PageServer.Events() }
  private let guests: Runtime.Guests
  private let actions: [BoundAction]
  private let sockets: SoupSockets
  private let tabs: PageTabs?
  /// By their tickets, which are their secrets now.
  private var sessions: [String: PageSession] = [:]
  private var links: [ObjectIdentifier: Connected] = [:]

  private var hasToldEnding = false
  private var presence = PagePresence()

  private struct Connected {
    let link: any PageLink
    /// The ticket of its session; nil before it said whose it is.
    var ticket: String?
  }

  /// What stands for a console's level where a page tells of its tests (`RECORD` in `js/remote.js`).
  private static let record: UInt8 = 5
  private static let mostSessions = 128
  private static let mostLinks = 256
  /// A socket that says nothing for so long is closed, in microseconds.
  private static let silence = 10_000_000
  /// A page whose link was cut may come back for so long, in microseconds.
  private static let grace = 30_000_000

  init(_ guests: Runtime.Guests, _ actions: [BoundAction], _ sockets: SoupSockets, _ tabs: PageTabs?) {
    (self.guests, self.actions, self.sockets, self.tabs) = (guests, actions, sockets, tabs)
    guests.loop.onEndOf = { [weak self] service in
      for session in self?.sessions.values.map({ $0 }) ?? [] { session.tellEnd(of: service) }
    }
  }

  /// In microseconds.
  var now: Int { guests.loop.clock.now }
  var isFull: Bool { links.count >= Self.mostLinks }

  func tellChange(ofStyles: Bool) {
    for session in sessions.values { session.tellChange(ofStyles: ofStyles) }
  }

  /// Whether a page is still saving; tells them once that the program ends.
  func isEnding() -> Bool {
    if !hasToldEnding {
      hasToldEnding = true
      for session in sessions.values where session.isLinked { session.tellEnding() }
    }
    return sessions.values.contains { $0.isLinked }
  }

  /// All pages go.
  func close() {
    for session in sessions.values { session.end() }
    for connected in links.values { connected.link.close(PageLinks.goingAway) }
    (sessions, links) = ([:], [:])
  }

  /// A socket was opened by somebody who has the cookie.
  func take(_ connection: OpaquePointer) { take(SocketLink(connection, sockets)) }

  func take(_ link: any PageLink) {
    link.listener = self
    links[ObjectIdentifier(link)] = Connected(link: link, ticket: nil)
    guests.loop.schedule(at: now + Self.silence) { [weak self, weak link] in
      guard let self, let link, links[ObjectIdentifier(link)]?.ticket == nil else { return }
      link.close(PageLinks.violation)
    }
  }

  private struct Hello: Decodable {
    let ticket: String
    let received: UInt32
  }

  func link(_ link: any PageLink, said text: String) {
    guard links[ObjectIdentifier(link)]?.ticket == nil,
      let hello = try? Value(text: Array(text.utf8)).decode(Hello.self)
    else { return link.close(PageLinks.violation) }
    if let known = sessions[hello.ticket] { return join(link, known, hello) }
    guard let ticket = admits(hello.ticket), hello.received == 0 else {
      return refuse(link, "the program does not know this page any more")
    }
    guard sessions.count < Self.mostSessions else {
      return refuse(link, "\(Self.mostSessions) tabs have this page open, and there can be no more")
    }
    let session = PageSession(guests.makeSession(), actions)
    session.onSay = { [weak self] level, text in
      if level == Self.record {
        self?.events().tested(text)
        return
      }
      let levels = ["log", "info", "warn", "error", "debug"]
      self?.events().said(levels[min(Int(level), levels.count - 1)], text)
    }
    session.onDone = { [weak self, weak session, loop = guests.loop] in
      // Not inside of the hand-over that was its last.
      loop.schedule(at: loop.clock.now) { if let session { self?.end(hello.ticket, session) } }
    }
    sessions[hello.ticket] = session
    tabs?.add(session)
    if let window = ticket.window {
      events().joined(window, session.calls.number)
    } else {
      follow(session)
    }
    join(link, session, hello)
  }

  /// Of a page in a browser: windows tell by themselves whether they can be seen.
  private func follow(_ session: PageSession) {
    let number = session.calls.number
    session.onSeen = { [weak self] isSeen in self?.notePresence { $0.note(number, isSeen: isSeen) } }
    notePresence { $0.note(number, isSeen: true) }
  }

  private func notePresence(_ change: (inout PagePresence) -> Bool?) {
    // At the end pages go one after the other, and nothing is paused by that.
    if let isHidden = change(&presence), !hasToldEnding { guests.enterBackground(isHidden) }
  }

  private func refuse(_ link: any PageLink, _ reason: String) {
    link.send("{\"refused\":\"\(reason)\"}")
    link.close(PageLinks.violation)
  }

  private func join(_ link: any PageLink, _ session: PageSession, _ hello: Hello) {
    links[ObjectIdentifier(link)]?.ticket = hello.ticket
    session.take(link, received: hello.received)
  }

  func link(_ link: any PageLink, brought message: ComingMessage) {
    guard let ticket = links[ObjectIdentifier(link)]?.ticket, let session = sessions[ticket] else {
      return link.close(PageLinks.violation)
    }
    let isSound = session.take(message)
    if isSound, !session.isDone { return }
    if !isSound { link.close(PageLinks.violation) }
    end(ticket, session)
  }

  func linkEnded(_ link: any PageLink) {
    guard let ticket = links.removeValue(forKey: ObjectIdentifier(link))?.ticket,
      let session = sessions[ticket], session.lost(link)
    else { return }
    let cut = session.cuts
    guests.loop.schedule(at: now + Self.grace) { [weak self, weak session] in
      guard let self, let session, !session.isLinked, session.cuts == cut else { return }
      end(ticket, session)
    }
  }

  private func end(_ ticket: String, _ session: PageSession) {
    guard sessions[ticket] === session else { return }
    sessions[ticket] = nil
    session.end()
    tabs?.remove(session)
    events().left(session.calls.number)
    notePresence { $0.leave(session.calls.number) }
  }
}
