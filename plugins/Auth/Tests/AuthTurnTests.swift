// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

@testable import AuthPlugin

/// One evaluation at a time for an app, also where several processes run it: each has a lock of its own on
/// one file, as the two here do.
@Suite struct AuthTurnTests {
  private struct NoClock: AuthClock {
    var wall: Int { 0 }
    var sinceStart: Int { 0 }
    func sleep(milliseconds: Int) async throws { await Task.yield() }
  }

  @Test func anotherProcessHasItsTurnWhenOneIsOver() async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let (first, second) = (AuthTurn(folder + "/turn", NoClock()), AuthTurn(folder + "/turn", NoClock()))
    for _ in 0..<2 {
      #expect(try first.takeAtOnce())
      #expect(try !first.takeAtOnce() && !second.takeAtOnce())
      first.leave()
      try #require(try second.takeAtOnce())
      #expect(try !first.takeAtOnce())
      second.leave()
    }
    #expect(try await first.take())
    async let waits = second.take()
    first.leave()
    #expect(try await waits)
    second.leave()
  }
}
