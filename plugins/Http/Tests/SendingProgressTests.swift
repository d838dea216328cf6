// SPDX-License-Identifier: MIT

import Testing

@testable import HttpPlugin

/// WebSockets that are closed while their other ends still take what was sent.
@Suite struct SendingProgressTests {
  /// A full socket takes no more for long, although its other end does.
  @Test(arguments: [
    (taken: 100, unsent: 50, false), (100, 49, true), (100, 0, true), (100, 60, false), (101, 60, true),
  ])
  func anEndThatTakesSomethingHasComeOn(_ taken: Int, _ unsent: Int, _ hasComeOn: Bool) {
    let last = SendingProgress(taken: 100, unsent: 50)
    #expect(SendingProgress(taken: taken, unsent: unsent).hasComeOn(since: last) == hasComeOn)
  }
}
