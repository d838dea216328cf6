// SPDX-License-Identifier: MIT

import BenchPlugin
import Foundation
import NBridge
import NBridgeHost
import NBridgePlugin

/// Clients of one program, each of which makes one call after the other: what a call costs by how many they
/// are. Prints the milliseconds.
enum SessionScale {
  private static let callsEach = 50

  static func run(_ count: Int) throws -> Int32 {
    let runtime = try Runtime(RuntimeOptions(), plugins: [BenchPlugin()])
    var start = Date()
    let status = try runtime.runForGuests { guests in
      let rounds = max(1, 20_000 / (count * callsEach))
      var left = count
      let clients = try (0..<count).map { _ in
        try Client(guests.makeSession(), calls: rounds * callsEach) {
          left -= 1
          guard left == 0 else { return }
          print(Date().timeIntervalSince(start) * 1000 / Double(rounds))
          guests.end(0)
        }
      }
      start = Date()
      for client in clients { client.next() }
      return (clients, { false })
    }
    return status.code
  }

  /// Confined to the engine's thread.
  private final class Client: SessionClient {
    private let session: CallSession
    private let action: SessionAction
    private var left: Int
    private let done: () -> Void

    init(_ session: CallSession, calls: Int, done: @escaping () -> Void) throws {
      (self.session, left, self.done) = (session, calls, done)
      action = try session.action("bench", "detached")
      session.client = self
    }

    deinit { session.client = nil }

    var takesReplies: Bool { true }

    func deliver(_ replies: inout [SlotReply]) {
      for _ in replies { next() }
    }

    func next() {
      guard left > 0 else { return done() }
      left -= 1
      _ = session.begin(action, .none, .none)
    }
  }
}
