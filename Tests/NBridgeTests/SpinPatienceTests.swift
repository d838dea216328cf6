// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeHost

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

  @Test func oneSlowReplyDoesNotEndIt() {
    var patience = SpinPatience()
    for _ in 0..<20 { patience.noteSpin(80) }
    let learned = patience.microseconds
    patience.noteSleep(5000)
    #expect(patience.microseconds > learned / 2)
  }
}
