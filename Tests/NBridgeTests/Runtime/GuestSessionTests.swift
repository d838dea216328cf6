// SPDX-License-Identifier: MIT

import Glibc
import NBridge
import NBridgeHost
import NBridgePlugin
import Testing

/// Clients that come to a program from outside, several at once.
@Suite(.timeLimit(.minutes(1))) struct GuestSessionTests {
  private struct Answers: Plugin {
    static let manifest = PluginManifest(service: "answers", version: "1.0.0", help: "For tests.")
    var body: PluginBody {
      Immediate("now", "42.") { (call) in 42 }
      Detached("later", "42.") { (call) in 42 }
    }
  }

  /// Makes one call after the other.
  private final class Client: SessionClient {
    let session: CallSession
    private let action: SessionAction
    private let isSlow: Bool
    private var left: Int
    private let done: () -> Void

    init(
      _ session: CallSession, _ name: String, calls: Int, isSlow: Bool = false, done: @escaping () -> Void
    ) throws {
      (self.session, left, self.isSlow, self.done) = (session, calls, isSlow, done)
      action = try session.action("answers", name)
      session.client = self
    }

    deinit { session.client = nil }

    var takesReplies: Bool { true }
    private(set) var answers = 0

    func deliver(_ replies: inout [SlotReply]) {
      answers += replies.count
      for _ in replies { next() }
    }

    /// A slow client leaves the loop no time: its calls are answered later, and it is handed over to again
    /// and again.
    func next() {
      guard left > 0 else { return done() }
      left -= 1
      repeat {
        if isSlow { usleep(1000) }
        if case .pending = session.begin(action, .none, .none) { return }
      } while isSlow
      next()
    }
  }

  private func run(_ open: (Runtime.Guests, @escaping () -> Void) throws -> [Client]) throws
    -> NBridgeHost.ExitStatus
  {
    let runtime = try Runtime(RuntimeOptions(), plugins: [Answers()])
    return try runtime.runForGuests { guests in
      (try open(guests) { guests.end(0) }, { false })
    }
  }

  /// One that has had its time is handed over to in the next round, whatever the others do in this one.
  @Test func oneThatTakesLongIsNotForgottenForOthers() throws {
    let status = try run { guests, end in
      let slow = try Client(guests.makeSession(), "now", calls: 40, isSlow: true, done: end)
      let others = try (0..<3).map { _ in try Client(guests.makeSession(), "now", calls: 0) {} }
      slow.next()
      return [slow] + others
    }
    #expect(status == .success)
  }

  /// Each gets the answers to its own calls, all of them.
  @Test func manyAreEachAnswered() throws {
    var left = 100
    var clients: [Client] = []
    let status = try run { guests, end in
      clients = try (0..<100).map { _ in
        try Client(guests.makeSession(), "later", calls: 20) {
          left -= 1
          if left == 0 { end() }
        }
      }
      for client in clients { client.next() }
      return clients
    }
    #expect(status == .success && clients.allSatisfy { $0.answers == 20 }, "\(clients.map(\.answers))")
  }
}
