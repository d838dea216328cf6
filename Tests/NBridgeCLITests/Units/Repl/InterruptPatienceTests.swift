// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeCLI

/// When ^C that nobody deals with end the process.
@Suite struct InterruptPatienceTests {
  /// Milliseconds, and how many ^C the prompt has not dealt with; the last says whether it is over.
  static let courses: [([(Int, Int)], Bool)] = [
    ([(0, 1)], false), ([(0, 1), (600, 2)], false), ([(0, 1), (300, 2), (600, 3)], true),
    // All at once: the prompt had no time.
    ([(0, 1), (10, 2), (20, 3)], false), ([(0, 1), (10, 2), (20, 3), (30, 4), (700, 5)], true),
    // It dealt with those before.
    ([(0, 1), (300, 2), (600, 1), (700, 2), (800, 3)], false), ([(0, 1), (900, 1), (1000, 2)], false),
  ]

  @Test(arguments: courses)
  func theThirdEndsItWhenThereWasTime(_ course: [(Int, Int)], _ isOver: Bool) {
    let start = ContinuousClock.now
    var patience = InterruptPatience()
    var answers: [Bool] = []
    for (time, unseen) in course {
      answers.append(patience.isOver(unseen, at: start + .milliseconds(time)))
    }
    #expect(answers.last == isOver && !answers.dropLast().contains(true))
  }
}
