// SPDX-License-Identifier: MIT

import NBridgeSystem
import Testing

/// How long a loop looks for replies before it sleeps.
@Suite struct SpinPatienceTests {
  @Test func quickRepliesMakeItLookLongerAndSlowOnesShorter() {
    var patience = SpinPatience()
    let least = patience.microseconds
    for _ in 0..<20 { patience.noteSleep(60) }
    let learned = patience.microseconds
    #expect(learned > least)
    for _ in 0..<50 { patience.noteSleep(5000) }
    #expect(patience.microseconds <= least + 4)
  }

  /// A loop that sleeps for its replies gets each so much later: that must not keep it asleep.
  @Test func whatWakingTakesIsNotTheReplysTime() {
    var patience = SpinPatience()
    for _ in 0..<50 { patience.noteSleep(150 + 60) }
    #expect(patience.microseconds > 150)
  }

  @Test func oneSlowReplyDoesNotEndIt() {
    var patience = SpinPatience()
    for _ in 0..<20 { patience.noteSpin(80) }
    let learned = patience.microseconds
    patience.noteSleep(5000)
    #expect(patience.microseconds > learned / 2)
  }
}
